/* texpands: fills a tile with a scalar, bit for bit (PTO ISA TEXPANDS).
 *
 *     Tile in vec      rows 0 .. v_row-1, columns 0 .. v_col-1; element (r, c) at idx(r, c) of the tile
 *     Tile in mat      all of it, whatever the valid region is
 *     ConvTile in mat  all of its shape
 *
 *     dst     storage of the tile, one-dimensional   dtype
 *     scalar  [1]                                    dtype; not taken (NULL) where the descriptor has a literal
 *     v_row   [1]                                    int32, 0 .. rows; only where v_row is AIC_DYNAMIC
 *     v_col   [1]                                    int32, 0 .. cols; only where v_col is AIC_DYNAMIC
 *
 * Storage is rows*cols elements, of a ConvTile buffer_size. Elements that are not filled keep their value. A descriptor
 * with a dynamic valid region has four operands, v_row and v_col NULL where they are not dynamic; it is called by
 * aic_jit_spec() and aic_kernel_call(), and refused by aic_jit_texpands(). The others have two.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_TEXPANDS_H
#define AIC_TEXPANDS_H

#include <aic/types.h>
#include <aic/op.h>

AIC_EXTERN_C_BEGIN

/* aic_texpands_desc_init(): A5, vec, the valid region as large as the tile, row-major without boxes, placed by the
 * library. */
/* The parameters of the document, under its names. */
typedef struct aic_texpands_desc {
    size_t size; /* of this structure, as aic_texpands_desc_init() has it */
    /* the architecture whose rules hold [PTO ISA TEXPANDS, implementation checks of A2A3 and of A5]. Rules:
     * A2A3 or A5 */
    aic_chip arch;
    /* where the tile is: vec or mat; the other locations are read and refused [PTO ISA TEXPANDS, dst, its
     * location]. Rules: a location [public vendor source: PTO, document on tiles, locations]; vec or mat; mat
     * for a convolution tile [public vendor source: PTO headers, checks of convolution tiles] */
    aic_loc loc;
    /* of an element [PTO ISA TEXPANDS, tables of element types by architecture and location]. Rules: A2A3 in
     * vec: int16, int32, float16, float32; A2A3 in mat: all of 1, 2 and 4 bytes; A5: those without bfloat16 */
    aic_dtype dtype;
    /* of a tile; 0 in a convolution tile [public vendor source: PTO, document on tiles, Rows]. Rules: at least
     * 1; the tile has less than 2^63 bytes [our choice: sizes are signed 64-bit numbers]; none_box: a row
     * (col_major: a column) has a multiple of 32 bytes [public vendor source: PTO, document on tiles, static
     * checks]; boxed: multiples of the rows and columns of a box [public vendor source: PTO, document on tiles,
     * static checks]; mat: rows*cols in blocks of 32 bytes is within 1..32767 [PTO ISA TEXPANDS, mat tiles,
     * range of Rows * Cols * sizeof / 32; A5 has the same check in its headers]; 0 for a convolution tile [our
     * choice: only tiles have them] */
    int64_t rows;
    /* of a tile; 0 in a convolution tile [public vendor source: PTO, document on tiles, Cols]. Rules: at least
     * 1 */
    int64_t cols;
    /* valid rows; none: rows; dyn: known at the call (operand v_row); used in vec only [public vendor source:
     * PTO, document on tiles, RowValid]. Rules: dyn only in vec [our choice: in mat only mat_valid=valid reads
     * them]; within 0..rows, in vec; also of a call [PTO ISA TEXPANDS, vec tiles, valid rows] */
    int64_t v_row;
    /* valid columns; none: cols; dyn: known at the call (operand v_col); used in vec only [public vendor
     * source: PTO, document on tiles, ColValid]. Rules: within 0..cols, in vec; also of a call [PTO ISA
     * TEXPANDS, vec tiles, valid columns] */
    int64_t v_col;
    /* base layout [public vendor source: PTO, document on tiles, base layout]. Rules: row_major or col_major;
     * row_major in vec [PTO ISA TEXPANDS, vec tiles, row-major] */
    aic_blayout blayout;
    /* order within a box [public vendor source: PTO, document on tiles, fractal layout]. Rules: none_box,
     * row_major or col_major */
    aic_slayout slayout;
    /* bytes of a box: 512 or 1024 [public vendor source: PTO, document on tiles, fractal size]. Rules: 512 or
     * 1024 */
    int64_t fractal;
    /* no influence [public vendor source: PTO, document on tiles, pad value]. Rules: 0 (null), 1 (zero), 2
     * (max) or 3 (min) */
    aic_pad pad;
    /* reserved: 0 [public vendor source: PTO, document on tiles, compact mode]. Rules: 0 */
    int64_t compact;
    /* of a convolution tile: NC1HWC0, FRACTAL_Z, NDC1HWC0, FRACTAL_Z_3D; ND: it is a tile [PTO ISA TEXPANDS,
     * A5, convolution tiles]. Rules: A5: NC1HWC0, FRACTAL_Z, NDC1HWC0, FRACTAL_Z_3D; A2A3: the first two [PTO
     * ISA TEXPANDS, A5, convolution tiles; for A2A3 its implementation, which has five dimensions] */
    aic_layout layout;
    /* of a convolution tile [PTO ISA TEXPANDS, A5, convolution tiles]. Rules: 0 for a tile [our choice: only
     * convolution tiles have them]; NC1HWC0 and FRACTAL_Z have 5 dimensions, NDC1HWC0 and FRACTAL_Z_3D 6; both
     * FRACTAL_Z forms also 4 [our choice: as the document's ranges of products count them; the public library
     * has both forms]; every dimension is at least 1 [our choice: nothing else can be filled]; the third of 4
     * dimensions is 16 [public vendor source: PTO headers, forms of 4 dimensions]; the product without the last
     * dimension is within 1..32767; all bytes are a multiple of 32 [public vendor source: PTO headers, the
     * device fills blocks of 32 bytes]; all bytes in blocks of 32 are within 1..32767 [public vendor source:
     * PTO headers, the device counts blocks in 15 bits] */
    int64_t shape[6];
    /* elements that a convolution tile has room for; 0: those of its shape [public vendor source: PTO, document
     * on convolution tiles, BufferSize]. Rules: at least the elements of shape; the tile has less than 2^63
     * bytes [our choice: sizes are signed 64-bit numbers] */
    int64_t buffer_size;
    /* placement by TASSIGN, which binds the tile to the byte `address` of its memory [public vendor source: PTO
     * ISA TASSIGN, manual mode]. Rules: true or false [our choice: a key of this library] */
    bool manual;
    /* none: the tile is not bound [public vendor source: PTO ISA TASSIGN, address]. Rules: given where manual
     * is true [public vendor source: PTO ISA TASSIGN, manual mode]; the tile's bytes fit in its memory [public
     * vendor source: PTO ISA TASSIGN, static checks]; from the address on, too [public vendor source: PTO ISA
     * TASSIGN, static checks]; a multiple of 32, not negative [public vendor source: PTO ISA TASSIGN, static
     * checks] */
    int64_t address;
    /* not in the table: the scalar is a constant with these bits; none: it is an operand [our choice: a
     * constant scalar needs no operand]. Rules: bits of the type [our choice: a key of this library] */
    int64_t literal;
} aic_texpands_desc;

/* The defaults. */
static inline aic_texpands_desc aic_texpands_desc_init(void)
{
    aic_texpands_desc made;
    memset(&made, 0, sizeof made);
    made.size = sizeof made;
    made.arch = AIC_CHIP_A5;
    made.loc = AIC_LOC_VEC;
    made.dtype = AIC_DTYPE_NONE;
    made.v_row = AIC_NOT_GIVEN;
    made.v_col = AIC_NOT_GIVEN;
    made.blayout = AIC_BLAYOUT_ROW_MAJOR;
    made.slayout = AIC_SLAYOUT_NONE_BOX;
    made.fractal = 512;
    made.pad = AIC_PAD_NULL;
    made.layout = AIC_LAYOUT_ND;
    made.address = AIC_NOT_GIVEN;
    made.literal = AIC_NOT_GIVEN;
    return made;
}

/* Validates, finds or makes the kernel of exactly this descriptor, and runs it; errors and threads as
 * aic_jit_conv2d(). */
static inline aic_status aic_jit_texpands(aic_context *ctx, const aic_texpands_desc *desc, void *dst,
                                          const void *scalar)
{
    const void *const operands[] = {dst, scalar};
    return aic_jit_operator(ctx, AIC_OP_TEXPANDS, desc, operands, 2);
}

/* Reads text as one element of `dtype` into *element: a decimal or hexadecimal (0x) integer; for float types a decimal
 * number, rounded once (ties to even), or the bit pattern in hexadecimal, or inf, -inf, nan; for uint64 also
 * quant(SCALE) or quant(SCALE, OFFSET, int8|uint8), a quantisation word. AIC_INVALID_ARGUMENT when
 * the type cannot represent it: an integer outside its range, a finite number that would become infinite. */
AIC_API aic_status aic_scalar_parse(aic_dtype dtype, const char *text, void *element);

AIC_EXTERN_C_END

#endif
