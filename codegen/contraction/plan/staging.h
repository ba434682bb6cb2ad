/* Results, the staging buffer, and a worker's private memory, which begins with the table of taps. The memory that
 * workers share is the epilogue's table.
 *
 * Strips are runs of output channels that workers do not divide. */
#pragma once

#include "codegen/contraction/plan/tile.h"
#include "codegen/integer.h"

/* Of a row of sums in the staging buffer, and in a result in blocks of 16 columns. */
enum { AIC_ROW_BYTES = AIC_BLOCK_COLUMNS * AIC_SUM_BYTES };

/* Rows of a deferred tile leave in multiples of this. The last rows of a run are that many at least, if the run is, so
 * that the epilogue needs no code for fewer rows. The note of a deferred tile has so many words of 64 bits. */
enum { AIC_DEFERRED_STEP = AIC_EPILOGUE_PACKET_ROWS, AIC_DEFERRED_WORDS = 11 + AIC_EPILOGUE_STEPS };

typedef struct aic_plan_staging {
    bool has_epilogue;            /* the contraction's, or a plain one where the micro-kernel needs a staging buffer */
    const aic_epilogue *epilogue; /* where there is one: the contraction's `staged` */
    int64_t pitch;                /* between the staging buffer's blocks of 16 columns; 0: tiles store to the result */
    int64_t strips;               /* of all output channels; without an epilogue each panel is a strip */
    int64_t strip_columns;        /* output channels of a strip: a panel, or the panels of a block of 16 */
    bool defers;           /* of two staging buffers one is emptied while the next tile fills the other: staging.c */
    int64_t pauses;        /* of a tile in which rows leave */
    int64_t deferred_runs; /* in each pause of a tile: runs of pixels of which some rows leave the staging buffer */
    int64_t deferred_rows; /* in each pause: rows that leave of each of these runs */
    int64_t strip_bytes;   /* of a strip in the staging buffer, with the surplus that a tile may write behind it */
    int64_t buffer_bytes;  /* of the whole buffer of one tile */
    int64_t offset, notes_offset, planes_offset, deferred_offset, band_offset, private_bytes;
    int64_t planes_bytes; /* of the planes that a tile makes of the weights of a step; there is room for two steps */
} aic_plan_staging;

aic_plan_staging aic_plan_staging_make(const aic_contraction *c, const aic_plan_geometry *g, const aic_wish *wish,
                                       const aic_plan_band *b, const aic_plan_panel *p, const aic_plan_tile *t);

/* Lays out a worker's private memory, which depends on the band. */
void aic_plan_staging_lay_out(const aic_plan_geometry *g, const aic_wish *wish, const aic_plan_band *b,
                              const aic_plan_panel *p, const aic_plan_tile *t, aic_plan_staging *s);

/* The epilogue that stores the sums as they are, in blocks of 16 columns. */
aic_epilogue aic_plain_epilogue(const aic_contraction *c);

/* The epilogue of tiles that have a staging buffer: the contraction's, or a plain one; with start values that are
 * added as biases before it. */
aic_epilogue aic_staged_epilogue(const aic_contraction *c);

/* Pixels from one row of a tile to the next in the staging buffer. */
static inline int64_t aic_staged_row(const aic_wish *wish, int64_t cols)
{
    return wish->run > 0 ? wish->run : aic_round_up(cols, wish->whole);
}

/* Into how many runs of contiguous pixels of the result a tile falls: the rows of a tile as wide as the output are one
 * run, if its staging buffer has no pixels between them. */
static inline int64_t aic_staged_runs(const aic_contraction *c, const aic_wish *wish, int64_t rows, int64_t cols)
{
    return cols == c->across.out && aic_staged_row(wish, cols) <= cols ? 1 : rows;
}
