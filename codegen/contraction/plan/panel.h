/* The reduction, and the panels: packed weights, [block of channels][panel]. Each panel of each block has a head;
 * special elements of all blocks are noted in the head of the first one. */
#pragma once

#include "codegen/contraction/plan/band.h"
#include "codegen/contraction/plan/padding.h"

typedef struct aic_plan_panel {
    int64_t taps;         /* taps of the kernel after merging and folding */
    int64_t kpacks;       /* k-packs of a tap, in one plane */
    int64_t block_kpacks; /* k-packs of a tap in one block of channels */
    aic_padding padding;
    int64_t used;          /* panels that tiles compute with */
    int64_t count;         /* panels that are packed: enough for whole blocks of 16 output channels */
    int64_t columns;       /* output channels that are packed, the others are zero */
    int64_t item_channels; /* output channels of an item of packing: a panel, or the narrow panels of a block */
    int64_t items;
    int64_t step_bytes; /* of one reduction step */
    int64_t
        planes_offset; /* in a panel: weights by points of Winograd's method, behind those by taps; 0: there are none */
    /* The head of a panel. It is the same for images of all sizes, so that packed weights serve them all: it has what
     * tiles that leave out taps need wherever the kernel has padding (aic_padding_matters()).
     *
     * If the image has an offset, the head holds int32 for each output channel, from which sums start to make up for
     * that: one for all taps; behind it, if taps may be left out, prefix sums over the kernel's rows and columns,
     * [kernel rows + 1][kernel columns + 1]. Number (i, j) belongs to the kernel rows before row i and of these to the
     * kernel columns before column j.
     *
     * With groups the head has, from groups_at on, an int32 for each output channel: where in a band pixel the first
     * k-pack lies that it sees, in bytes. The notes and start values are before them. */
    bool parted; /* taps may be left out */
    bool notes;  /* an int32 at a panel's head is not 0 if its weights have special elements */
    int64_t groups_at;
    int64_t start_bytes;
    int64_t bytes;             /* of a panel, all blocks of channels together */
    int64_t block_panel_bytes; /* of a panel in one block of channels */
    int64_t block_bytes;       /* of one block of channels: all panels */
    int64_t packed_bytes;      /* of all panels */
    /* Behind the panels there is an int64 for each of them: how many k-packs of every tap have weights other than 0.
     * All before the last block of channels of the feature map count; the last one may have channels without weights.
     */
    bool counts;
    int64_t counted_from; /* k-packs of a tap before the last block of channels */
    int64_t image_bytes;  /* of the panels and what is behind them */
} aic_plan_panel;

/* K-packs of a tap, in one plane. */
int64_t aic_tap_kpacks(const aic_plan_geometry *g, const aic_wish *wish, const aic_plan_band *b);

/* The geometry's blocks of channels divide the k-packs of a tap. */
aic_plan_panel aic_plan_panel_make(const aic_contraction *c, const aic_plan_geometry *g, const aic_wish *wish,
                                   const aic_plan_band *b);
