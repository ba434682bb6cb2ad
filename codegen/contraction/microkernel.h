/* Micro-kernels: the ways to compute one tile of a contraction, rows x cols output pixels of the output channels of one
 * panel, from a band and that panel. They compete for a contraction: each refuses with a reason or offers tiles, the
 * cheapest is taken. A new one is a file and a row of the table in microkernel.c. */
#ifndef AIC_MICROKERNEL_H
#define AIC_MICROKERNEL_H

#include "codegen/contraction/contraction.h"

typedef struct aic_microkernel {
    const char *name; /* at most eight letters */

    /* Why it does not take the contraction on this target, a clause that goes on after its name; NULL: it does. */
    const char *(*refuse)(const aic_contraction *c, const aic_target *target);

    /* How it forms sums; of a contraction that it takes. */
    aic_arithmetic (*arithmetic)(const aic_contraction *c, const aic_target *target);
    int64_t step_kpacks; /* k-packs of a tap are filled up to a multiple of this */

    /* Whether it takes the taps of a kernel row as one, as wide as all of them. NULL: never. */
    bool (*merges)(const aic_contraction *c);

    /* How many kernel rows it takes as one then. NULL: 1. */
    int64_t (*fold)(const aic_contraction *c);

    bool skips; /* its tiles do the taps of a range, see padding.c */

    int64_t rate; /* products in the time that the plainest instructions take for one: how fast packing must be */

    /* Output pixels at one distance from an output row to the next, where a band has no gaps between its rows: its tile
     * runs over what lies there. 0, NULL: it does not. */
    int64_t (*run)(const aic_contraction *c, const aic_tiling *t);

    /* Whether the sums of some tile cannot go to the result but by a staging buffer: the contraction has an epilogue
     * then. NULL: never. */
    bool (*staged)(const aic_contraction *c, const aic_tiling *t);

    /* Where its products leave the vector units idle: how many times a tile pauses between its products so that some
     * rows of the one before it leave the staging buffer. NULL: tiles leave at once, products being done. */
    int64_t (*pauses)(const aic_tiling *t);

    /* Where sums start from values of columns: it reads them in the first row of the staging buffer, before it stores
     * any sum; else in the row of every pixel. */
    bool starts_in_a_row;

    /* Pixels behind the last one of a band that a tile may read, and behind the last one of a strip that it may write.
     */
    int64_t surplus;

    /* Whether the tile fits its registers, else AIC_INVALID_ARGUMENT naming the field. The generic ranges of
     * tiling.c hold. */
    aic_status (*check)(const aic_contraction *c, const aic_target *target, const aic_contraction_schedule *s,
                        const aic_tiling *t);

    /* The largest tile with `vectors` vectors, in pixels; 0: there is none. */
    int64_t (*pixels)(const aic_contraction *c, const aic_target *target, int64_t vectors);

    /* K-packs of a loop body that suit a tile of this many sums. */
    int64_t (*unroll)(const aic_contraction *c, const aic_target *target, int64_t sums);

    /* Predicted vector operations of one tile of rows x cols pixels. */
    double (*cost)(const aic_contraction *c, const aic_target *target, const aic_tiling *t, int64_t rows, int64_t cols);

    /* Code must be compiled: a further tile shape, and every further sum in a tile, is worth it for more than this
     * share of the run time. */
    double body_cost, sum_cost;

    /* Predicted vector operations of a call beside its tiles; NULL: none worth counting. */
    double (*call_cost)(const aic_contraction *c, const aic_target *target, const aic_tiling *t);

    /* Tile rows of a band, besides the usual number, that are worth a try; 0: none. NULL: none ever. */
    int64_t (*small_band)(const aic_contraction *c, const aic_target *target, const aic_tiling *t);

    /* In how many blocks channels pass by a window that is held where that is worth a try; 1: all at once. NULL:
     * holding a window is not worth one. */
    int64_t (*blocks)(const aic_contraction *c, const aic_tiling *t);

    /* Bytes by which tiles may fetch weights ahead where that is worth a try; 0: they fetch in their own way, or not
     * at all, and schedules have no say. */
    int64_t ahead;

    /* Vector operations that the products of a whole contraction take at least. */
    double (*bound)(const aic_contraction *c, const aic_target *target);

    /* void name(out, band, panel, taps): band points at the tile's first pixel, out at that pixel in the result or,
     * where there is a staging buffer, at the panel's first column there; taps is the table of tap offsets. Where there
     * are blocks of channels, name(...; block): band and panel point into the block, sums start from what the block
     * before has left at out. leave: for aic_deferred_pause() in a tile's pauses; NULL where none is deferred. */
    LLVMValueRef (*emit)(aic_emit *e, const aic_contraction *c, const aic_tiling *t, int64_t rows, int64_t cols,
                         LLVMValueRef leave, const char *name);

    /* Whether the code that emit() makes for a tile does for one with fewer rows or columns, too; NULL: for none. */
    bool (*serves)(const aic_contraction *c, const aic_tiling *t, int64_t rows, int64_t cols, int64_t fewer_rows,
                   int64_t fewer_cols);

    /* State of a worker around its calls, where needs has AIC_NEEDS_TILES. */
    uint32_t needs;
    void (*enter)(aic_emit *e, const aic_contraction *c, const aic_tiling *t);
    void (*leave)(aic_emit *e);
} aic_microkernel;

extern const aic_microkernel aic_microkernel_vector, aic_microkernel_amx, aic_microkernel_mmla;

/* tile.c: the tile of aic_microkernel_vector. */
LLVMValueRef aic_emit_vector_tile(aic_emit *e, const aic_contraction *c, const aic_tiling *t, int64_t rows,
                                  int64_t cols, LLVMValueRef leave, const char *name);

/* tile.c: where pixel number `pixel` of a tile, counted row by row, begins in the band; where its sums of a vector go,
 * in the result or, where there is a staging buffer, in a strip, in which the tile's pixels follow each other. Bytes.
 */
int64_t aic_tile_band_offset(const aic_tiling *t, int64_t cols, unsigned pixel);
int64_t aic_tile_out_offset(const aic_contraction *c, const aic_tiling *t, int64_t cols, unsigned pixel,
                            unsigned vector);

/* The micro-kernel with this tag (0: the first one) or number; NULL when there is none. */
const aic_microkernel *aic_microkernel_find(uint64_t tag);
const aic_microkernel *aic_microkernel_at(size_t index);

/* "vector, amx, mmla", for messages. */
void aic_microkernel_list(char *buffer, size_t capacity);

#endif
