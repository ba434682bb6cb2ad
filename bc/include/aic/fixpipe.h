/* fixpipe: stores an accumulator matrix, rectified, scaled and converted (AscendC Fixpipe).
 *
 * Reads mSize rows and nSize columns in blocks of 16 columns; writes them row by row (ROW_MAJOR) or in column blocks
 * (NZ). Where element (j, n) of matrix i lies, in elements of src and of dst:
 *
 *     src        i*srcNdStride*256 + (n/16)*srcStride*16 + j*16 + n%16
 *     ROW_MAJOR  i*dstNdStride + j*dstStride + n
 *     NZ         (n/W)*dstStride*32/size + j*W + n%W     W = 16; 8 with isChannelSplit; 32 for int8 and uint8, whose
 *                                                        last block of 16 columns, if there is one, has rows of 16
 *
 * with i in 0..ndNum-1 in ROW_MAJOR and i = 0 in NZ. The conversions (`aicjit rules fixpipe` has their steps):
 *
 *     float32 to float32, int32 to int32   NoQuant        bits are moved
 *     float32 to float16                   F322F16        rounded to nearest, ties to even; too large, infinite, NaN:
 *     float32 to bfloat16                  F322BF16       the context's overflow mode (aic_overflow)
 *     int32 to float16                     (V)DEQF16      times the word's scale, then as above
 *     float32 to int8, uint8               (V)QF322B8_PRE times the scale, 9 bits, plus the word's offset, clamped
 *     int32 to int8, uint8                 (V)REQ8        the same; words with MCB shift first
 *
 * Operands, each one-dimensional and as long as these addresses reach:
 *
 *     dst            DstT
 *     src            SrcT
 *     cbufWorkspace  [nSize] quantisation words of the columns, uint64: for the modes with V; else NULL
 *
 * Elements of dst that have no such address keep their value. Host pointers need the alignment of their element type
 * only; operands must not overlap. A word of cbufWorkspace with an infinite, NaN or subnormal scale is refused at the
 * call. A word that says results are signed where dst is uint8, or that they are not where it is int8, leaves a
 * warning: the byte is stored as it is.
 * With ndNum = 0 nothing is read or written; the call succeeds and leaves a warning (aic_take_warning()).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_FIXPIPE_H
#define AIC_FIXPIPE_H

#include <aic/types.h>
#include <aic/op.h>

AIC_EXTERN_C_BEGIN

/* The parameters of the document, under its names. */
typedef struct aic_fixpipe_desc {
    size_t size; /* of this structure, as aic_fixpipe_desc_init() has it */
    /* DstT, the type of the result: float16, bfloat16, float32, int32, int8 or uint8 [AscendC Fixpipe, template
     * parameter DstT]. Rules: float16, bfloat16, float32, int32, int8 or uint8 */
    aic_dtype dst;
    /* SrcT, the type of the accumulators: float32 or int32 [AscendC Fixpipe, template parameter SrcT]. Rules:
     * float32 or int32; in a chain the type that the producer accumulates, or either behind tensor_arithmetic
     * [our choice: bits that no stage has changed are of one type] */
    aic_dtype src;
    /* config.format: rows, or blocks of 16 columns [AscendC Fixpipe, template parameter config]. Rules: NZ or
     * ROW_MAJOR */
    aic_fixpipe_format format;
    /* columns; NZ: a multiple of 16, of 8 with isChannelSplit; in a chain 0: all of the producer's [AscendC
     * Fixpipe, parameter nSize]. Rules: within 1..4095; in a chain not more than the producer's columns; format
     * NZ: a multiple of 16, with isChannelSplit of 8 */
    int64_t nSize;
    /* rows; in a chain 0: all of the producer's [AscendC Fixpipe, parameter mSize]. Rules: within 1..8192 for
     * ROW_MAJOR, 1..65535 for NZ; in a chain not more than the producer's rows */
    int64_t mSize;
    /* from one 16-column block of src to the next, in rows of 16 elements (C0_Size); in a chain 0: the
     * producer's [AscendC Fixpipe, parameter srcStride]. Rules: within 0..65535; in a chain the rows of the
     * producer's blocks [our choice: its blocks have no other distance] */
    int64_t srcStride;
    /* NZ: from one column block to the next, in 32 bytes; ROW_MAJOR: from row to row, in elements; in a chain
     * 0: dense [AscendC Fixpipe, parameter dstStride]. Rules: within 1..4294967295; ROW_MAJOR, of several rows:
     * at least nSize [public vendor source: AscendC, pages NZ2ND and NZ2NZ; that it is refused is our choice];
     * NZ, of several column blocks: at least the bytes of one in units of 32 [public vendor source: AscendC,
     * pages NZ2ND and NZ2NZ; that it is refused is our choice] */
    int64_t dstStride;
    /* conversion; it must be one for these types [AscendC Fixpipe, parameter quantPre]. Rules: one of the nine
     * modes; a mode that the table has for src and dst; it is never guessed from the types [AscendC Fixpipe,
     * table of source type, destination type and quantPre] */
    aic_quant_pre quantPre;
    /* quantisation word of DEQF16, QF322B8_PRE, REQ8 [AscendC Fixpipe, parameter deqScalar]. Rules: the scale
     * of DEQF16, QF322B8_PRE and REQ8 is a normal float32 or zero after its low 13 bits are cleared [public
     * vendor source: AscendC, quantisation word, scale] */
    uint64_t deqScalar;
    /* matrices (ROW_MAJOR); 0: nothing is done, with a warning [AscendC Fixpipe, parameter ndNum]. Rules:
     * within 0..65535; 0: nothing is done, with a warning */
    int64_t ndNum;
    /* from one matrix of src to the next, in 1024 bytes; 1..512 where ndNum > 1 [AscendC Fixpipe, parameter
     * srcNdStride]. Rules: within 1..512 where ndNum > 1; in a chain the last matrix ends within the producer's
     * rows [our choice: there is nothing behind them] */
    int64_t srcNdStride;
    /* from one matrix of dst to the next, in elements; 1..65535 where ndNum > 1 [AscendC Fixpipe, parameter
     * dstNdStride]. Rules: within 1..65535 where ndNum > 1; matrices lie one behind the other, or their rows
     * are interleaved [public vendor source: AscendC, pages NZ2ND and NZ2NZ; that it is refused is our choice] */
    int64_t dstNdStride;
    /* negative source values become 0 before they are scaled [AscendC Fixpipe, parameter reluEn]. Rules: true
     * or false */
    bool reluEn;
    /* reserved: 0 [AscendC Fixpipe, parameter unitFlag]. Rules: 0: it is reserved */
    int64_t unitFlag;
    /* NZ, float32 to float32: blocks of 8 columns [AscendC Fixpipe, parameter isChannelSplit]. Rules: true or
     * false; true only for float32 to float32 in format NZ */
    bool isChannelSplit;
    /* not in the document: NZ, int8 and uint8: an odd last block of 16 columns is stored as one of 32, zeros
     * behind them [our choice: the next conv2d reads blocks of 32 channels]. Rules: true or false [our choice:
     * a key of this library]; true only for int8 and uint8 in format NZ [our choice: only their blocks are
     * merged] */
    bool fill_block;
} aic_fixpipe_desc;

/* The defaults. */
static inline aic_fixpipe_desc aic_fixpipe_desc_init(void)
{
    aic_fixpipe_desc made;
    memset(&made, 0, sizeof made);
    made.size = sizeof made;
    made.dst = AIC_DTYPE_NONE;
    made.src = AIC_DTYPE_NONE;
    made.format = AIC_FORMAT_ROW_MAJOR;
    made.quantPre = AIC_QUANT_NO_QUANT;
    made.ndNum = 1;
    return made;
}

/* Validates, finds or makes the kernel of exactly this descriptor, and runs it; errors and threads as
 * aic_jit_conv2d(). cbufWorkspace is NULL in modes without V; an illegal word in it is AIC_INVALID_ARGUMENT, and dst
 * is untouched. */
static inline aic_status aic_jit_fixpipe(aic_context *ctx, const aic_fixpipe_desc *desc, void *dst, const void *src,
                                         const void *cbufWorkspace)
{
    const void *const operands[] = {dst, src, cbufWorkspace};
    return aic_jit_operator(ctx, AIC_OP_FIXPIPE, desc, operands, 3);
}

/* Bits of the quantisation words in deqScalar and cbufWorkspace (AscendC, quantisation word). Every mode takes the
 * scale, a float32 without its low 13 bits. Modes with 8-bit results also take the offset and the sign, and (V)REQ8 the
 * shift. The other bits have no effect. */
#define AIC_QUANT_SCALE_BITS UINT64_C(0xFFFFE000)
#define AIC_QUANT_SHIFT_BIT 32  /* 4 bits: the number of bits to shift by, less 1 */
#define AIC_QUANT_MCB_BIT 36    /* 1: int32 sources are shifted right and clamped to 16 bits first */
#define AIC_QUANT_OFFSET_BIT 37 /* 9 bits, two's complement: -256..255 */
#define AIC_QUANT_SIGN_BIT 46   /* 1: results are -128..127; 0: 0..255 */

/* Makes a quantisation word without a shift. The scale is rounded to the nearest that a word can hold, ties to even:
 * one of 11 significant bits, of which a reader of the word, who cuts off the low 13 bits, loses nothing.
 * AIC_INVALID_ARGUMENT, with the value and the limits, for a scale that is then not in 2^-126 .. 2^128 - 2^117 (0,
 * negative and subnormal scales, infinities, NaN) and an offset that is not in -256..255; *word stays as it is. A word
 * that is written as a number may say more: the document allows scales of 0 and negative ones. */
AIC_API aic_status aic_quant_word(float scale, int32_t offset, bool is_signed, uint64_t *word);

/* What a word says. */
typedef struct aic_quant {
    float scale;
    int32_t shift; /* 1..16; 0: none */
    int32_t offset;
    bool is_signed;
} aic_quant;

AIC_API aic_quant aic_quant_parts(uint64_t word);

AIC_EXTERN_C_END

#endif
