/* The first of five records of a contraction's plan, each made from those before it by one function in one file:
 *
 *     geometry    the output cut into tiles, how products are formed          plan/geometry.c
 *     band        the packed image: rows, columns, pitches                    plan/band.c
 *     panel       the reduction and the packed weights                        plan/panel.c
 *     tile        how a tile walks through band and panel                     plan/tile.c
 *     staging     strips, the staging buffer, a worker's memory               plan/staging.c
 *
 * What the micro-kernel wishes of the four others it says once, when the geometry is complete. Members named ..._bytes,
 * ..._pitch and ..._offset are in bytes. */
#pragma once

#include "codegen/contraction/contraction.h"
#include "codegen/integer.h"
#include "codegen/machine.h"

/* An extent cut into large_count tiles of `large` and small_count of `small`, which is smaller by one, unless tiles
 * consist of small ones: then there is at most one, the last. */
typedef struct aic_split {
    int64_t large, small, large_count, small_count;
} aic_split;

typedef struct aic_plan_geometry {
    const aic_machine *machine; /* on which costs depend */
    aic_arithmetic arithmetic;
    aic_split rows, cols;    /* how the output's rows and columns are cut into tiles */
    unsigned lanes, vectors; /* lanes of a vector, and vectors of output channels in a tile */
    unsigned source_bytes;   /* of an element of image and weight in memory */
    unsigned weight_bytes;   /* of a k-pack in a panel, in one plane */
    int64_t panel_channels;  /* output channels of a tile: lanes * vectors */
    int64_t outputs;         /* output channels that are wanted */
    int64_t unroll;          /* k-packs of one loop body */
    int64_t blocks;          /* channels are cut into so many blocks, each a pass over all panels; 1: they are not */
    int64_t band_tiles;      /* tile rows of a band */
    int64_t slices;   /* bands have the channels of so many parts of the groups apart, as outputs see one; or 1 */
    int64_t channels; /* that a band has */
    int64_t m;        /* tiles consist of small tiles of m x m results (Winograd's method); 0: they do not */
    bool in_place;    /* tiles read the image where it lies, and nothing is packed */
    bool accumulate;  /* tiles start from the contraction's start values; false also where the epilogue adds these */
} aic_plan_geometry;

/* The bits of a 16-bit float without its sign; those of an infinite float16, beyond which are the NaNs. */
enum { AIC_MAGNITUDE_16 = 0x7fff, AIC_INFINITE_HALF = 0x7c00 };

/* What a micro-kernel wishes of the records behind the geometry. */
typedef struct aic_wish {
    int64_t step_kpacks; /* the k-packs of a tap are padded to a multiple of this */
    int64_t merged;      /* taps of a kernel row merged into one, their k-packs being contiguous in the band: kw or 1 */
    int64_t fold; /* kernel rows folded into one, a band pixel having the k-packs of so many image rows; 1: none */
    /* Where a tile runs across output rows as if they were one long row, computing the pixels between two rows, too:
     * band pixels from the start of one output row to that of the next, in a band without gaps between rows; otherwise
     * 0. Band rows and columns that are a stride apart then lie together: the band is [row residue][column residue]
     * [row][column], residues modulo the strides. */
    int64_t run;
    int64_t surplus; /* how many pixels a tile may read past the end of a band and write past the end of a strip */
    bool thins;      /* bands leave out image rows and columns between those that taps read */
    bool skips;      /* tiles can leave out taps that read only padding: padding.c */
    double edges;    /* and so can pixels at their edges, where that saves this share of all products; 0: they cannot */
    bool counts;     /* tiles can leave out the last k-packs of every tap, whose weights are all 0 */
    bool specials;   /* packing notes operands with special elements, which the products cannot take */
    /* Special elements of 16 bits: those whose bits without the sign are special_first .. special_end - 1. Where tiles
     * leave out taps, weights with such elements are noted in any case. */
    int special_first, special_end;
    /* Elements have two planes, but panels have weights as they are: half the bytes. Tiles make the planes of a step
     * while they multiply those of the step before, in a worker's private memory. */
    bool halves;
    bool staged;     /* some tile cannot store its sums to the result: there is a staging buffer in any case */
    bool sums_apart; /* sums cannot start from an old result: they are stored behind it in the buffer, and then added */
    bool starts_in_a_row; /* where sums start from one value for each output channel, tiles read them from the first row
                           * of the staging buffer, before they store any sum there, not from the row of every pixel */
    int64_t whole; /* tiles compute whole multiples of so many rows and columns, of which the last may be no results */
    /* Tiles read the image where it lies: the band has pointers to its rows in place of k-packs, and behind them a row
     * of padding; panels have no heads, and so many reduction steps. 0: none of this. */
    int64_t steps;
    bool pauses; /* products leave the vector units idle: after each loop body rows of the previous tile are stored */
} aic_wish;

/* Planes of an element in a panel. */
static inline unsigned aic_panel_planes(const aic_plan_geometry *g, const aic_wish *wish)
{
    return wish->halves ? 1 : g->arithmetic.planes;
}

/* Cuts `extent` into the fewest tiles of at most `most`, as equal as possible. Inline: many a division is by what
 * compilers know. */
static inline aic_split aic_split_evenly(int64_t extent, int64_t most)
{
    const int64_t tiles = aic_parts(extent, most), large = aic_parts(extent, tiles),
                  small_count = tiles * large - extent;
    return (aic_split){
        .large = large, .small = large - 1, .large_count = tiles - small_count, .small_count = small_count};
}

/* The size of the smallest tiles that there are. */
static inline int64_t aic_split_least(const aic_split *s)
{
    return s->small_count > 0 ? s->small : s->large;
}

static inline int64_t aic_split_count(const aic_split *s)
{
    return s->large_count + s->small_count;
}

/* One of the sizes that tiles have, each with the larger or the smaller rows and columns; count 0: no tile has it. */
enum { AIC_TILE_SIZES = 4 };
typedef struct aic_tile_size {
    int64_t rows, cols, count;
} aic_tile_size;

static inline aic_tile_size aic_tile_size_of(const aic_plan_geometry *g, int index)
{
    const int above = index / 2, left = index % 2;
    return (aic_tile_size){above ? g->rows.small : g->rows.large, left ? g->cols.small : g->cols.large,
                           (above ? g->rows.small_count : g->rows.large_count) *
                               (left ? g->cols.small_count : g->cols.large_count)};
}

/* Whether tiles widen the weights. */
static inline bool aic_is_narrow(const aic_plan_geometry *g)
{
    return g->weight_bytes < g->arithmetic.kpack_bytes;
}

/* Whether tiles widen the image, block of channels by block, into a worker's memory. */
static inline bool aic_widens_image(const aic_plan_geometry *g)
{
    return g->in_place && g->arithmetic.kpack_bytes > g->arithmetic.kpack_channels * g->source_bytes;
}

/* Output channels that are wanted. */
int64_t aic_outputs_of(const aic_contraction *c);

/* Whether the start values are added by the epilogue instead, as biases. */
bool aic_starts_as_bias(const aic_contraction *c);

aic_plan_geometry aic_plan_geometry_make(const aic_contraction *c, const aic_machine *machine,
                                         const aic_arithmetic *arithmetic, unsigned lanes,
                                         const aic_contraction_schedule *schedule);
