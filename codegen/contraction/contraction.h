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
 * An element of two planes (a float16 as the sum of two bfloat16) has a k-pack in each plane. A pixel of a band is then
 * [plane][k-pack], or, where the taps of a kernel row are merged into one, a row of the band is
 * [plane][column][k-pack]; a panel is [reduction step][plane][output channel].
 *
 * Instructions that multiply bfloat16 give wrong results for some operands, called special elements here. Packing notes
 * in an int32 before the band, and at the head of each panel, whether there are any. */
#ifndef AIC_CONTRACTION_H
#define AIC_CONTRACTION_H

#include "codegen/arithmetic.h"
#include "codegen/epilogue/epilogue.h"
#include "codegen/shape.h"

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
    int64_t channels;     /* channels in use: the last block may be partly unused, and unused k-packs are never read */
    aic_image_layout image;
    int64_t kh, kw, n; /* n output channels */
    aic_weight_layout weight;
    int64_t weight_n; /* output channels in the weight's blocks, at least n, a multiple of 16 */
    int64_t stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
    int64_t oh, ow; /* output rows and columns; the result is [n/16, block_rows, 16], pixel p = row*ow + col */
    int64_t block_rows;
    double pad_value;
    bool accumulate;        /* sums start from the start operand instead of from 0 */
    unsigned start_operand; /* number of that operand, laid out like the result; 0: it is the old output */
    bool start_channel;     /* the start operand has one value for each output channel, not one for each result */
    /* The sums pass through an epilogue, strip by strip, instead of being stored as they are: it gives them the
     * operator's own layout and overflow mode (mmad), or applies a fused consumer. A consumer replaces the producer's
     * epilogue but keeps its steps, which turn the sums into what the producer would have stored, and adds those of
     * the stages between. Where sums start from the old output the epilogue does not convert them. */
    bool has_epilogue;
    aic_epilogue epilogue;
} aic_contraction;

/* Numbers of the operands of a contraction. Chains with an l1out have it next; operands of the epilogue follow. */
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

/* Everything that follows from a contraction, a target, a machine and a schedule. Members named ..._bytes, ..._pitch
 * and
 * ..._offset are in bytes. */
typedef struct aic_tiling {
    const struct aic_microkernel *kernel;
    const aic_machine *machine; /* on which costs depend */
    aic_arithmetic arithmetic;

    /* The tile: pixels x output channels. */
    aic_split rows, cols;    /* how the output's rows and columns are cut into tiles */
    unsigned lanes, vectors; /* lanes of a vector, and vectors of output channels in a tile */
    unsigned source_bytes;   /* of an element of image and weight in memory */
    int64_t panel_channels;  /* output channels of a tile: lanes * vectors */
    int64_t outputs;         /* output channels that are wanted */
    int64_t used_panels;     /* panels that tiles compute with */
    int64_t panels;          /* panels that are packed: enough for whole blocks of 16 output channels */
    int64_t unroll;          /* k-packs of one loop body */

    /* The reduction. */
    int64_t merged; /* taps of a kernel row merged into one, their k-packs being contiguous in the band: kw or 1 */
    int64_t fold;   /* kernel rows folded into one, a band pixel having the k-packs of so many image rows; 1: none */
    int64_t taps;   /* taps of the kernel after merging and folding */
    bool skips_rows, skips_columns; /* tiles leave out kernel rows, columns that read only padding: padding.c */
    /* The mean share of kernel rows and columns that tiles do not leave out: [0] of the larger tiles, [1] of the
     * smaller ones. */
    double done_rows[2], done_columns[2];
    int64_t pixel_kpacks; /* k-packs of a band pixel, in one plane */
    int64_t kpacks;       /* k-packs of a tap, in one plane */
    int64_t blocks;       /* channels are cut into so many blocks, each a pass over all panels; 1: they are not */
    int64_t block_kpacks; /* k-packs of a tap in one block */
    int64_t block_taps;   /* taps that are added up before the sums are folded into the totals */

    /* The band. Of some image rows and columns it has only those that output pixels need. */
    int64_t row_step, col_step; /* band rows, columns from one output pixel to the next */
    int64_t row_reach;          /* band rows that one output row needs */
    int64_t row_gap;            /* like row_step, with the image rows that the band leaves out between two windows */
    int64_t band_gap;           /* image rows from one band row to the next */
    int64_t fold_step;          /* band rows from one tap to the tap below it */
    int64_t columns;            /* columns of a band */
    int64_t col_gap;            /* image columns from one band column to the next */
    int64_t pixel_pitch, row_pitch;
    /* Where a tile runs across output rows as if they were one long row (aic_microkernel.run): band pixels from the
     * start of one output row to that of the next; otherwise 0. Band rows and columns that are a stride apart then lie
     * together: the band is [row residue][column residue][row][column], residues modulo the strides. */
    int64_t run, row_residues, col_residues;
    int64_t residue_bytes;     /* of the part for one pair of residues */
    int64_t out_row, out_col;  /* bytes of a band from one output row, one output pixel to the next */
    int64_t band_tiles, bands; /* tile rows of a band; number of bands */
    int64_t band_rows;         /* band rows of the largest band */
    int64_t plane_bytes;       /* of a plane of a band pixel; where taps are merged, of a plane of a band row */
    bool holds_window;         /* for each tile a loop over panels; false: for each panel a loop over tiles */

    /* Strips are runs of output channels that workers do not divide; a part of a band is a work item of some strips. */
    int64_t strips;        /* of all output channels; without an epilogue each panel is a strip */
    int64_t strip_columns; /* output channels of a strip: a panel, or the panels of a block of 16 */
    int64_t parts;         /* work items into which a band is divided */
    int64_t part_strips;   /* strips of a part; the last part may have fewer */

    /* Panels. */
    int64_t step_bytes;  /* of one reduction step */
    int64_t ahead;       /* distance in bytes at which a tile prefetches its panel, and the next one; 0: it does not */
    bool notes_specials; /* an int32 at notes_offset is not 0 if the packed image has special elements */
    bool notes_weights;  /* an int32 at a panel's head is not 0 if its weights have special elements */
    /* The head of a panel. If the image has an offset, the head holds `starts` int32 for each output channel, from
     * which sums start to make up for that: one, or, if tiles leave out taps, prefix sums over the kernel's rows and
     * columns, [kernel rows + 1][columns], as aic_start_columns() says. */
    int64_t start_bytes, starts;
    int64_t panel_bytes; /* all blocks of channels together */
    /* Packed weights are [block of channels][panel]. Each panel of each block has a head; special elements of all
     * blocks are noted in the head of the first one. */
    int64_t block_panel_bytes; /* of a panel in one block of channels */
    int64_t block_bytes;       /* of one block of channels: all panels */

    /* Results and the staging buffer. */
    bool accumulate;   /* tiles start from the contraction's start values; false also where the epilogue adds these */
    bool has_epilogue; /* the contraction's, or a plain one where the micro-kernel needs a staging buffer */
    aic_epilogue epilogue;
    bool defers;           /* of two staging buffers one is emptied while the next tile fills the other: deferred.c */
    int64_t deferred_runs; /* in each pause of a tile: runs of pixels of which some rows leave the staging buffer */
    int64_t deferred_rows; /* in each pause: rows that leave of each of these runs */
    int64_t staging_pitch; /* between the staging buffer's blocks of 16 columns; 0: tiles store to the result */

    /* Offsets in a worker's private memory. The memory that workers share is the epilogue's table. */
    int64_t taps_offset, staging_offset, notes_offset, deferred_offset, band_offset;
    int64_t packed_bytes, band_bytes; /* of all packed weights; of the largest band */
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

/* Bytes of the current tile's tap ranges, which lie before the table of tap offsets; 0 where tiles do all taps. */
static inline int64_t aic_tiling_range_bytes(const aic_tiling *t)
{
    return aic_tiling_skips(t) ? 4 * (int64_t)sizeof(int64_t) : 0;
}

/* Columns of a panel's table of start values where tiles leave out taps. Value number i*columns + j belongs to the
 * kernel rows before row i, and, if columns > 1, only to their kernel columns before column j. */
static inline int64_t aic_start_columns(const aic_contraction *c, const aic_tiling *t)
{
    return t->skips_columns ? c->kw + 1 : 1;
}

/* Starts the description of a contraction, all zeros. */
aic_contraction *aic_contraction_begin(aic_work *work);

/* The description, for a later stage of a chain to change: sums that started from the old output now start from l1out,
 * and there is an epilogue, which stores the accumulators. NULL where the work is no contraction. */
aic_contraction *aic_contraction_change(aic_work *work);

/* Replaces the epilogue by another one, whose steps are appended to those of the old one. */
void aic_contraction_end(aic_contraction *c, const aic_epilogue *epilogue);

/* The epilogue that stores the sums as they are, in blocks of 16 columns. */
aic_epilogue aic_plain_epilogue(const aic_contraction *c);

/* Why no tile can have a panel of `channels` output channels in vectors of `lanes`; NULL where one can. */
const char *aic_panel_refusal(const aic_contraction *c, int64_t lanes, int64_t channels);

/* Cuts `extent` into the fewest tiles of at most `most`, as equal as possible. */
aic_split aic_split_evenly(int64_t extent, int64_t most);

/* Derives the tiling of the plan's work by this schedule, which need not be the plan's. Fails with
 * AIC_INVALID_ARGUMENT, naming the schedule's field, when the schedule does not fit. */
aic_status aic_tiling_make(const aic_plan *plan, const aic_contraction_schedule *schedule, aic_tiling *tiling);

/* Completes the tiling by the offsets in a worker's memory and by the division of bands into parts, of which there are
 * several only where workers share a call; and states what a call must provide. */
void aic_tiling_requirements(const aic_contraction *c, aic_tiling *t, bool shared, aic_requirements *requirements);

/* Bytes of the part of a band that a tile of rows x cols pixels reads. */
int64_t aic_tiling_window_bytes(const aic_contraction *c, const aic_tiling *t, int64_t rows, int64_t cols);

/* Into how many runs of contiguous pixels of the result a tile falls. Pixels from one row of a tile to the next in the
 * staging buffer. */
int64_t aic_tiling_runs(const aic_contraction *c, const aic_tiling *t, int64_t rows, int64_t cols);
int64_t aic_tiling_staged_row(const aic_tiling *t, int64_t cols);

/* Bytes of a strip in the staging buffer, with the surplus that a tile may write behind it; of the whole buffer. */
int64_t aic_tiling_staging_bytes(const aic_tiling *t);
int64_t aic_tiling_buffer_bytes(const aic_tiling *t);

extern const aic_shape aic_shape_contraction;

/* ---- the parts of it, one file each ---- */

/* kpack.c: the integer type of an element in memory; the type and size of a channel in a k-pack. */
LLVMTypeRef aic_element_type(aic_emit *e, const aic_tiling *t);
LLVMTypeRef aic_channel_type(aic_emit *e, const aic_tiling *t);
unsigned aic_channel_bytes(const aic_tiling *t);

/* kpack.c: converts a vector of elements to channels of k-packs, one vector for each plane; adds no image offset. */
void aic_widen(aic_emit *e, const aic_contraction *c, const aic_tiling *t, LLVMValueRef elements,
               LLVMValueRef kpacks[AIC_PLANES_MAX]);

/* kpack.c: if any of the elements is special, stores 1 to `notes` int32, `pitch` bytes apart, from `note` on. */
void aic_note_specials(aic_emit *e, const aic_contraction *c, LLVMValueRef elements, LLVMValueRef note, int64_t notes,
                       int64_t pitch);

/* padding.c: decides whether tiles leave out taps. Then the share of the taps that tiles of a size do; and the share
 * that would be left if every pixel left out all taps that read padding, if this kind of sum allows that. */
void aic_padding_lay_out(const aic_contraction *c, aic_tiling *t);
double aic_padding_done(const aic_tiling *t, int64_t rows, int64_t cols);
double aic_padding_share(const aic_contraction *c, aic_sum sum);

/* padding.c: the loops around tiles store the ranges of kernel rows and columns for a tile's rows and for its columns
 * before the table of taps, and the tile reads them there. */
void aic_emit_row_range(aic_emit *e, const aic_contraction *c, const aic_tiling *t, LLVMValueRef taps,
                        LLVMValueRef first, int64_t rows);
void aic_emit_column_range(aic_emit *e, const aic_contraction *c, const aic_tiling *t, LLVMValueRef taps,
                           LLVMValueRef first, int64_t columns);
/* kpack.c: the largest power of two that is at most `left`, or `most`, itself a power of two: the width of the next
 * access. */
unsigned aic_access_width(int64_t left, unsigned most);

/* kpack.c, inline: `bytes` bytes of copies of an integer. */
void aic_fill(aic_emit *e, LLVMValueRef pointer, LLVMValueRef value, int64_t bytes);

/* kpack.c: the optimization level for packing code whose k-packs are each multiplied `uses` times. Optimizing it takes
 * longer than compiling the rest of a kernel's frame and pays only where packing is a notable part of a call. */
aic_emit_kind aic_pack_kind(int64_t uses);

/* pack_weight.c: void name(packed, weight; first, last) packs the items first .. last-1, of which there are
 * aic_pack_weight_items(), to `packed`, which has no head. */
int64_t aic_pack_weight_items(const aic_contraction *c, const aic_tiling *t);
LLVMValueRef aic_emit_pack_weight(aic_emit *e, const aic_contraction *c, const aic_tiling *t, const char *name);

/* pack_form.c: the numbers of the form (aic_shape.form). */
size_t aic_pack_weight_form(const aic_contraction *c, const aic_tiling *t, int64_t number[]);

/* pack_image.c: void name(band, image; first, rows) fills `rows` band rows from `band` on; band row 0 shows image row
 * `first` (may be < 0). */
LLVMValueRef aic_emit_pack_image(aic_emit *e, const aic_contraction *c, const aic_tiling *t, const char *name);

/* The strips of a result: [0] those of the full width, [1] at most one, with the columns that remain or with the
 * epilogue's narrow tail. Functions that are not needed are NULL. */
typedef struct aic_staging {
    int64_t count[2], columns[2];
    LLVMValueRef load[2];  /* void name(staging, old; row, count, column) */
    LLVMValueRef store[2]; /* void name(target, staging, table, inputs...; row, count, column) */
    LLVMValueRef table;    /* void name(table, parameters, bias) */
} aic_staging;

/* staging.c: the functions that fill and store the staging buffer, of a contraction with an epilogue. */
void aic_emit_staging(aic_emit *e, const aic_contraction *c, const aic_tiling *t, const char *symbol,
                      aic_staging *strips);

/* A tile in a staging buffer. A run is some pixels of it that are contiguous in the result. */
typedef struct aic_staged {
    LLVMValueRef staging; /* address of the tile in the buffer */
    LLVMValueRef pixel;   /* its first pixel in the result */
    LLVMValueRef column;  /* its first column in the result */
    int64_t runs, count;  /* number of runs, and pixels of each */
    int64_t pitch;        /* bytes in the buffer from one run to the next */
    int64_t distance;     /* pixels in the result from one run to the next */
} aic_staged;

/* deferred.c: a deferred tile stays in its staging buffer, described by a note in the worker's memory, until it is
 * stored beside the products of the next tile. Bytes of the note; and its start: no tile, and what all tiles share. */
int64_t aic_deferred_bytes(void);
void aic_deferred_begin(aic_emit *e, LLVMValueRef note, LLVMValueRef target, LLVMValueRef table,
                        const LLVMValueRef *inputs, unsigned count);

/* deferred.c: the offset of the staging buffer that the next tile may fill. Notes a tile as deferred, and the offset of
 * the buffer that is free from then on. */
LLVMValueRef aic_deferred_free(aic_emit *e, LLVMValueRef note);
void aic_deferred_note(aic_emit *e, LLVMValueRef note, const aic_staged *tile, LLVMValueRef free);

/* Rows leave in multiples of this. The last rows of a run are that many at least, if the run is, so that the epilogue
 * needs no code for fewer rows. */
enum { AIC_DEFERRED_STEP = AIC_EPILOGUE_PACKET_ROWS };

/* deferred.c: how many rows must leave in each of `calls` pauses for a tile of so many pixels to leave the buffer. */
int64_t aic_deferred_rows(int64_t pixels, int64_t calls);

/* deferred.c: emits the function that stores rows of the deferred tile, if there is one, by `store`, a function of
 * aic_staging. Calls of it: for the rows of one pause, and for all rows that remain. */
LLVMValueRef aic_emit_deferred(aic_emit *e, const aic_tiling *t, LLVMValueRef store, const char *name);
void aic_deferred_pause(aic_emit *e, const aic_tiling *t, LLVMValueRef note, LLVMValueRef function);
void aic_deferred_finish(aic_emit *e, LLVMValueRef note, LLVMValueRef function);

#endif
