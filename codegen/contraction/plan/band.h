/* The band: the padded image of some output rows, packed. Of some image rows and columns it has only those that output
 * pixels need. Or those rows of the image where they lie: then a pixel's blocks of channels are planes that are as far
 * apart as the image is large, and packing has no bytes. */
#pragma once

#include "codegen/contraction/plan/geometry.h"

typedef struct aic_plan_band {
    int64_t row_step, col_step; /* band rows, columns from one output pixel to the next */
    int64_t row_reach;          /* band rows that one output row needs */
    int64_t row_gap;            /* like row_step, with the image rows that the band leaves out between two windows */
    int64_t gap;                /* image rows from one band row to the next */
    int64_t fold_step;          /* band rows from one tap to the tap below it */
    int64_t tap_step;           /* band columns from one tap to the next */
    int64_t columns;            /* columns of a band */
    int64_t col_gap;            /* image columns from one band column to the next */
    int64_t pixel_kpacks;       /* k-packs of a band pixel, in one plane */
    int64_t seen_kpacks;        /* of these, k-packs that an output channel sees: all without groups */
    int64_t pixel_pitch, row_pitch;
    int64_t edge_bytes;  /* of lines in which a run of pixels begins and ends, on average; 0: it fills lines */
    int64_t plane_bytes; /* of a plane of a pixel; where taps are merged, of a plane of a band row; in place, of one of
                          * the image */
    int64_t row_planes;  /* planes that lie behind each other in a row, or in the image: 1 if they do in a pixel */
    int64_t row_residues, col_residues; /* aic_wish.run; 1: rows and columns lie in order */
    int64_t residue_bytes;              /* of the part for one pair of residues */
    int64_t count;                      /* bands of an image */
    int64_t rows, bytes;                /* of the largest band */
} aic_plan_band;

aic_plan_band aic_plan_band_make(const aic_contraction *c, const aic_plan_geometry *g, const aic_wish *wish);

/* Bytes of so many rows of a band. In place they are those of the lines of a cache that they keep others from, if `way`
 * bytes of each plane fall into different sets. */
int64_t aic_band_bytes(const aic_plan_geometry *g, const aic_plan_band *b, int64_t rows, int64_t way);

/* Whether planes of the image share so few sets of the second-level cache that it does not keep a line of each. */
bool aic_planes_crowd(const aic_contraction *c, const aic_machine *machine);

/* Bytes of the part of a band that a tile of rows x cols pixels reads. */
int64_t aic_band_window(const aic_contraction *c, const aic_plan_band *b, int64_t rows, int64_t cols);
