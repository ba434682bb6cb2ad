/* Contractions: conv2d (and any operator that is one) as a sum over taps and channels, and how it is cut into tiles.
 *
 *     out[n][row][col] = start + sum over channel blocks, taps, channels of image(...) * weight(...)
 *
 * Two packed forms, both made of k-packs: the channels that one multiply-accumulate instruction takes from each operand
 * and lane (a pair of int16, four int8, a float or a double):
 *
 *     band    the padded image of some output rows: [row][column][k-pack], pixels and rows at fixed pitches.
 *             Padding is data here, so the inner loops know no border.
 *     panel   the weights of a tile's output channels: [reduction step][output channel], in the order in which
 *             the reduction runs; before them the sums' start values, where the image is offset.
 *
 * Where elements have two planes, a pixel of a band is [plane][k-pack], or, where the taps of a kernel row are one, a
 * row of it is [plane][column][k-pack]; a panel [reduction step][plane][output channel]. Products of bfloat16 have
 * special elements, which they cannot multiply: whether there are any is noted before the band and at the head of each
 * panel. */
#ifndef AIC_CONTRACTION_H
#define AIC_CONTRACTION_H

#include "codegen/epilogue/epilogue.h"
#include "codegen/shape.h"

/* What is added up how; rows of the arithmetic table in tiling.c. */
typedef enum aic_sum {
    AIC_SUM_INT,      /* int8 products in int32, the sum cannot overflow */
    AIC_SUM_INT_WIDE, /* int8 products in int32 by blocks of taps, the blocks in int64, clamped once */
    AIC_SUM_FAST,     /* float products in float32, any order */
    AIC_SUM_CUBE,     /* float products in float64 by blocks of 32 bytes of channels, each rounded to float32 */
} aic_sum;

enum { AIC_CUBE_BYTES = 32 }; /* of the channels in a block of CUBE */

/* Where the image's elements lie, in elements: channel c of pixel (row, col) at
 *
 *     c/c0*block + row/fractal_rows*fractal + row%fractal_rows*row_pitch + col*pixel + c%c0 */
typedef struct aic_image_layout {
    int64_t block, fractal_rows, fractal, row_pitch, pixel;
} aic_image_layout;

/* The most products of two int8 that int32 can add up in any order: none is beyond (-128)*(-128) = 2^14 in magnitude,
 * and 131071 * 2^14 = 2^31 - 2^14. Longer sums are AIC_SUM_INT_WIDE, whose blocks of taps are no longer than this; the
 * channels of one tap are at most 4096. */
enum { AIC_INT32_PRODUCTS = INT32_MAX / (128 * 128) };
_Static_assert(AIC_INT32_PRODUCTS == 131071, "TIK conv2d, section 5.3, has the same number");

/* How the weight is stored. */
typedef enum aic_weight_layout {
    AIC_WEIGHT_BLOCKS, /* [c1, kh, kw, weight_n, c0] */
    AIC_WEIGHT_ROWS,   /* [channels, n], 1x1 kernels only */
} aic_weight_layout;

typedef struct aic_contraction {
    aic_sum sum;
    aic_dtype dtype;      /* of image and weight */
    int64_t c1, h, w, c0; /* c1 blocks of c0 channels of an image of h x w pixels */
    int64_t channels;     /* of them, the last block may hold fewer; k-packs of the others are never read */
    aic_image_layout image;
    int64_t kh, kw, n; /* n output channels */
    aic_weight_layout weight;
    int64_t weight_n; /* output channels in the weight's blocks, at least n, a multiple of 16 */
    int64_t stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
    int64_t oh, ow; /* output pixels; the result is [n/16, block_rows, 16], pixel p = row*ow + col */
    int64_t block_rows;
    double pad_value;
    bool accumulate;        /* start from the old output, or an operand, instead of 0 */
    unsigned start_operand; /* it, in a chain; has blocks of 16 columns, block_rows rows each; 0: the output */
    bool start_channel;     /* it has a value a column */
    /* The result leaves through an epilogue, strip by strip, instead of as it is: in the operator's own layout and
     * overflow mode (mmad), or as what a fused consumer makes of it. A consumer replaces the epilogue, but for its
     * steps: those that make the sums what the producer would have stored, and those of stages between. Where sums
     * start from the old output the epilogue converts nothing. */
    bool has_epilogue;
    aic_epilogue epilogue;
} aic_contraction;

/* Packed rows are whole cache lines, so that they can be filled by wide stores. */
#define AIC_LINE_BYTES 64

/* Results are int32 or float32, in blocks of 16 columns. */
#define AIC_SUM_BYTES 4
#define AIC_BLOCK_COLUMNS 16

/* What a multiply-accumulate takes from each operand and lane. */
typedef enum aic_product {
    AIC_PRODUCT_PAIR,
    AIC_PRODUCT_QUAD, /* four int8, eight where matrices are multiplied */
    AIC_PRODUCT_FLOAT,
    AIC_PRODUCT_BFLOAT, /* pairs of bfloat16; float16 is the sum of two of them, its planes */
} aic_product;

/* Planes of an element at most: the upper part of a float16 and the rest. */
enum { AIC_PLANES_MAX = 2 };

typedef struct aic_arithmetic {
    aic_sum sum; /* as the target adds up; CUBE where it has no exact way to FAST */
    aic_product product;
    unsigned kpack_bytes;
    unsigned kpack_channels;
    unsigned sum_bits; /* of the running sum of a lane */
    int image_offset;  /* what is added to the image where the product takes it unsigned */
    unsigned planes;   /* of an element: k-packs of the first one come before those of the second */
} aic_arithmetic;

/* The operands of every contraction; in a chain that has l1out it comes next. What an epilogue reads comes behind them.
 */
enum { AIC_CONTRACTION_OUT, AIC_CONTRACTION_IMAGE, AIC_CONTRACTION_WEIGHT, AIC_CONTRACTION_L1OUT };

typedef struct aic_contraction_schedule {
#define AIC_FIELD AIC_MEMBER
#include "codegen/contraction/schedule.def"
#undef AIC_FIELD
} aic_contraction_schedule;

struct aic_microkernel;

/* An extent cut into large_count tiles of `large` and small_count of `large - 1`. */
typedef struct aic_split {
    int64_t large, large_count, small_count;
} aic_split;

/* Everything that follows from a contraction, a target and a schedule; sizes and pitches in bytes. */
typedef struct aic_tiling {
    const struct aic_microkernel *kernel;
    aic_arithmetic arithmetic;
    aic_split rows, cols;        /* tiles down and across the output */
    unsigned lanes, vectors;     /* of one tile in the direction of the output channels */
    unsigned source_bytes;       /* of an element of image and weight */
    int64_t panel_channels;      /* output channels of a tile: lanes * vectors */
    int64_t outputs;             /* output channels that are wanted */
    int64_t used_panels, panels; /* panels that are computed; that are packed, for whole blocks of 16 output channels */
    int64_t unroll;              /* k-packs of one loop body */
    int64_t merged; /* taps of a kernel row that are one: their k-packs follow each other in the band; or 1 */
    int64_t fold;   /* kernel rows that are one: a pixel of the band has the k-packs of so many image rows */
    int64_t taps;   /* what is left of the kernel's then */
    bool skips_rows, skips_columns;       /* tiles leave out kernel rows, columns that lie in the padding: padding.c */
    double done_rows[2], done_columns[2]; /* the mean share of them that tiles do, the larger ones and the smaller */
    int64_t pixel_kpacks;                 /* k-packs of a pixel */
    int64_t kpacks;                       /* of a tap */
    int64_t blocks, block_kpacks;         /* of channels that pass by one after the other; k-packs of a tap in one */
    int64_t block_taps;                   /* taps that are added up before the sums are folded into the totals */
    int64_t row_step, col_step;           /* band rows and columns from one output pixel to the next */
    int64_t row_reach;                    /* band rows that one output row needs */
    int64_t row_gap;                      /* image rows from one output row's first band row to the next one's */
    int64_t band_gap, fold_step; /* image rows from one band row to the next; band rows from one tap to the one below */
    int64_t columns;             /* of a band */
    int64_t col_gap;             /* image columns from one band column to the next */
    int64_t pixel_pitch, row_pitch;
    /* Where the pixels of all output rows are at one distance: how many there are from one row to the next; 0: they are
     * not. Rows and columns of a band that are a stride apart lie together then, in a part for each residue of row and
     * column modulo the strides: [row residue][column residue][row][column]. */
    int64_t run, row_residues, col_residues;
    int64_t residue_bytes;      /* of such a part */
    int64_t out_row, out_col;   /* bytes of a band from one output row or pixel to the next */
    int64_t band_tiles, bands;  /* tile rows of a band; number of bands */
    bool holds_window;          /* panels are the innermost loop around a tile; else the tiles of a band are */
    int64_t band_rows;          /* band rows of the largest band */
    int64_t strips;             /* of output channels, each done by one worker; without an epilogue a panel each */
    int64_t parts, part_strips; /* that workers may take of a band; strips of each but the last */
    int64_t step_bytes;         /* of a reduction step in a panel */
    int64_t ahead;              /* bytes by which tiles fetch a panel, and the next one, ahead of their use; 0: not */
    int64_t plane_bytes;        /* of a plane of a pixel in a band; of a row where the taps of a kernel row are one */
    bool notes_specials;        /* an int32 at notes_offset is not 0 where the image has special elements */
    bool notes_weights;         /* the same of a panel's weights, at its head */
    int64_t notes_offset;       /* of the band's, in a worker's memory */
    int64_t start_bytes; /* at the head of a panel: what makes up for the offset, `starts` int32 an output channel */
    int64_t starts;      /* one, or, where taps are left out, [kernel rows + 1][columns]: see aic_start_columns() */
    int64_t panel_bytes;
    /* Packed weights are [block of channels][panel]: bytes of a panel in a block, and from one block to the next. Each
     * has a head; special elements of all blocks are noted in that of the first one. */
    int64_t block_panel_bytes, block_bytes;
    bool accumulate;   /* tiles start from the contraction's start values: these are no bias of the epilogue */
    bool has_epilogue; /* the contraction's, or one that stores the sums as they are, where they are staged */
    aic_epilogue epilogue;
    int64_t strip_columns; /* output channels of a strip: a panel, or the panels of a block of 16 */
    bool defers;           /* there are two staging buffers: a tile leaves one beside the products of the next tile */
    int64_t deferred_runs, deferred_rows; /* rows that leave at a time, of so many runs: deferred.c */
    int64_t staging_pitch; /* between the staging buffer's blocks of 16 columns; 0: none, results are stored at once */
    /* In a worker's memory; the shared one is the epilogue's table. */
    int64_t taps_offset, staging_offset, deferred_offset, band_offset;
    int64_t packed_bytes, band_bytes;
} aic_tiling;

/* The work and the geometry of a plan whose shape is a contraction. */
static inline const aic_contraction *aic_contraction_of(const aic_plan *plan)
{
    return (const aic_contraction *)(const void *)plan->work.part;
}

static inline const aic_tiling *aic_tiling_of(const aic_plan *plan)
{
    return plan->derived;
}

/* Whether tiles leave taps out. */
static inline bool aic_tiling_skips(const aic_tiling *t)
{
    return t->skips_rows || t->skips_columns;
}

/* The table of taps begins so many bytes behind the ranges of the tile. */
static inline int64_t aic_tiling_range_bytes(const aic_tiling *t)
{
    return aic_tiling_skips(t) ? 4 * (int64_t)sizeof(int64_t) : 0;
}

/* Start values of a panel where taps are left out: number i*columns + j is that of the kernel rows before i, and, where
 * there are several columns, of the kernel columns before j of these. */
static inline int64_t aic_start_columns(const aic_contraction *c, const aic_tiling *t)
{
    return t->skips_columns ? c->kw + 1 : 1;
}

/* Starts the description of a contraction, all zeros. */
aic_contraction *aic_contraction_begin(aic_work *work);

/* A later stage of a chain changes the description, whose sums now start from l1out if not from 0 and which has an
 * epilogue: one that stores the accumulators. NULL: the work is none. */
aic_contraction *aic_contraction_change(aic_work *work);

/* Puts another epilogue in the place of the one there is, behind the steps of that. */
void aic_contraction_end(aic_contraction *c, const aic_epilogue *epilogue);

/* Sums as they are, in blocks of 16 columns. */
aic_epilogue aic_plain_epilogue(const aic_contraction *c);

/* Why a panel of `channels` output channels, vectors of `lanes`, makes no tile; NULL when they do. */
const char *aic_panel_refusal(const aic_contraction *c, int64_t lanes, int64_t channels);

/* Cuts `extent` into the fewest tiles of at most `most`, as equal as possible. */
aic_split aic_split_evenly(int64_t extent, int64_t most);

/* Derives the tiling. Fails with AIC_INVALID_ARGUMENT, naming the schedule's field, when the schedule does not fit. */
aic_status aic_tiling_make(const aic_contraction *c, const aic_target *target, const aic_contraction_schedule *schedule,
                           aic_tiling *tiling);

/* Where its parts lie in the scratch memory of a call, what the call must provide, and, of a call that several workers
 * may share, how it is divided. */
void aic_tiling_requirements(const aic_contraction *c, aic_tiling *t, bool shared, aic_requirements *requirements);

/* Bytes of the part of a band that a tile of rows x cols pixels reads. */
int64_t aic_tiling_window_bytes(const aic_contraction *c, const aic_tiling *t, int64_t rows, int64_t cols);

/* A tile's pixels in the result: how many runs of neighbours. In the staging buffer: from one of its rows to the next.
 */
int64_t aic_tiling_runs(const aic_contraction *c, const aic_tiling *t, int64_t rows, int64_t cols);
int64_t aic_tiling_staged_row(const aic_tiling *t, int64_t cols);

/* Bytes of the staging buffer's strip with what is left behind it; of a whole buffer. */
int64_t aic_tiling_staging_bytes(const aic_tiling *t);
int64_t aic_tiling_buffer_bytes(const aic_tiling *t);

extern const aic_shape aic_shape_contraction;

/* ---- the parts of it, one file each ---- */

/* kpack.c: the integer type of an element in memory; the type and size of a channel in a k-pack. */
LLVMTypeRef aic_element_type(aic_emit *e, const aic_tiling *t);
LLVMTypeRef aic_channel_type(aic_emit *e, const aic_tiling *t);
unsigned aic_channel_bytes(const aic_tiling *t);

/* kpack.c: a vector of elements as channels of k-packs, plane by plane, but for the image's offset. */
void aic_widen(aic_emit *e, const aic_contraction *c, const aic_tiling *t, LLVMValueRef elements,
               LLVMValueRef kpacks[AIC_PLANES_MAX]);

/* kpack.c: stores 1 to `notes` int32, `pitch` bytes apart, from `note` on where a vector of elements has one that is
 * special. */
void aic_note_specials(aic_emit *e, const aic_contraction *c, LLVMValueRef elements, LLVMValueRef note, int64_t notes,
                       int64_t pitch);

/* padding.c: finds which taps tiles leave out; the share of them that tiles of this size do; of an arithmetic the least
 * share of the taps that pixels can do. */
void aic_padding_lay_out(const aic_contraction *c, aic_tiling *t);
double aic_padding_done(const aic_tiling *t, int64_t rows, int64_t cols);
double aic_padding_share(const aic_contraction *c, aic_sum sum);

/* padding.c: notes in front of the table of taps what a tile's rows, its columns do; in a tile: what it is to do. */
typedef struct aic_tap_range {
    LLVMValueRef first_row, end_row, first_column, end_column; /* of the kernel */
} aic_tap_range;

void aic_emit_row_range(aic_emit *e, const aic_contraction *c, const aic_tiling *t, LLVMValueRef taps,
                        LLVMValueRef first, int64_t rows);
void aic_emit_column_range(aic_emit *e, const aic_contraction *c, const aic_tiling *t, LLVMValueRef taps,
                           LLVMValueRef first, int64_t columns);
aic_tap_range aic_emit_tap_range(aic_emit *e, const aic_contraction *c, const aic_tiling *t, LLVMValueRef taps,
                                 LLVMValueRef panel);

/* kpack.c: the largest power of two that is at most `left`, or `most`, itself a power of two: the width of the next
 * access. */
unsigned aic_power_within(int64_t left, unsigned most);

/* kpack.c, inline: `bytes` bytes of copies of an integer. */
void aic_fill(aic_emit *e, LLVMValueRef pointer, LLVMValueRef value, int64_t bytes);

/* kpack.c: how well code is compiled that packs k-packs which are each multiplied `uses` times. Compiling it well takes
 * longer than the rest of a kernel's frame; it pays where packing is a notable part of a call. */
aic_emit_kind aic_pack_kind(int64_t uses);

/* pack_weight.c: void name(packed, weight; first, last) packs the items first .. last-1, of which there are
 * aic_pack_weight_items(). */
int64_t aic_pack_weight_items(const aic_contraction *c, const aic_tiling *t);
LLVMValueRef aic_emit_pack_weight(aic_emit *e, const aic_contraction *c, const aic_tiling *t, const char *name);

/* pack_image.c: void name(band, image; first, rows) fills `rows` band rows from `band` on; band row 0 shows image row
 * `first` (may be < 0). */
LLVMValueRef aic_emit_pack_image(aic_emit *e, const aic_contraction *c, const aic_tiling *t, const char *name);

/* The strips of a result, [0] all of the full width, [1] at most one with the columns that are left, or with the
 * epilogue's narrow tail. Functions that nothing needs are NULL. */
typedef struct aic_staging {
    int64_t count[2], columns[2];
    LLVMValueRef load[2];  /* void name(staging, old; row, count, column) */
    LLVMValueRef store[2]; /* void name(target, staging, table, inputs...; row, count, column) */
    LLVMValueRef table;    /* void name(table, parameters, bias) */
} aic_staging;

/* staging.c: the functions that fill and store the staging buffer, of a contraction with an epilogue. */
void aic_emit_staging(aic_emit *e, const aic_contraction *c, const aic_tiling *t, const char *symbol,
                      aic_staging *strips);

/* A tile in a staging buffer: where that is, its runs of pixels that are neighbours in the result, pixels of one, bytes
 * from one to the next in the buffer and pixels in the result, its first pixel and its first column. */
typedef struct aic_staged {
    LLVMValueRef staging, pixel, column;
    int64_t runs, count, pitch, distance;
} aic_staged;

/* deferred.c: a tile that is noted and leaves later. Bytes of the note, in a worker's memory; it begins without a tile
 * and with what every tile needs. */
int64_t aic_deferred_bytes(void);
void aic_deferred_begin(aic_emit *e, LLVMValueRef note, LLVMValueRef target, LLVMValueRef table,
                        const LLVMValueRef *inputs, unsigned count);

/* deferred.c: where the buffer is that the next tile may take. Notes a tile, with what is free from then on. */
LLVMValueRef aic_deferred_free(aic_emit *e, LLVMValueRef note);
void aic_deferred_note(aic_emit *e, LLVMValueRef note, const aic_staged *tile, LLVMValueRef free);

/* Rows leave in multiples of these, but for the last ones of a run, which are no fewer where the run has as many: the
 * epilogue has no code for less then. */
enum { AIC_DEFERRED_STEP = AIC_EPILOGUE_PACKET_ROWS };

/* deferred.c: rows that leave at a time so that a tile of so many pixels has left after `calls` times. */
int64_t aic_deferred_rows(int64_t pixels, int64_t calls);

/* deferred.c: the function by which the tile that is noted leaves, if there is one, through one of aic_staging. The
 * rows of a pause leave; all that is left of it. */
LLVMValueRef aic_emit_deferred(aic_emit *e, const aic_tiling *t, LLVMValueRef store, const char *name);
void aic_deferred_pause(aic_emit *e, const aic_tiling *t, LLVMValueRef note, LLVMValueRef function);
void aic_deferred_finish(aic_emit *e, LLVMValueRef note, LLVMValueRef function);

#endif
