/* Packing the image: some image rows become a band [row][column][k-pack], their elements widened to channels of k-packs
 * and the padding filled in. What the plan says of it, for the two ways to do it: by parts (pack_image.c), or by code
 * of the plan's own (pack_own.c). */
#ifndef AIC_PACK_IMAGE_H
#define AIC_PACK_IMAGE_H

#include "codegen/contraction/microkernel.h"

typedef struct aic_band_writer {
    aic_emit *e;
    const aic_contraction *c;
    const aic_plan_geometry *g;
    const aic_wish *wish;
    const aic_plan_band *b;
    LLVMValueRef image, notes; /* notes: address of the note of special elements; NULL: nothing is noted */
    /* The columns that are packed together. */
    int64_t columns; /* how many there are */
    int64_t first;   /* image column of the first one, counted from the left end of the padding */
    int64_t gap;     /* image columns from one to the next */
    int64_t left;    /* how many lie in the padding left of the image */
    int64_t inside;  /* how many lie in the image */
} aic_band_writer;

/* What follows from the plan. */
aic_band_writer aic_band_writer_of(const aic_plan *plan);

/* Whether the k-packs of two blocks of channels fill a line. */
bool aic_makes_pairs(const aic_band_writer *w);

/* Counts the columns that lie left of the image and inside it. Column q shows image column first + q*gap - pad_left. */
void aic_find_columns(aic_band_writer *w);

/* Whether some rows of the bands lie above the image or below it. */
bool aic_has_outer_rows(const aic_band_writer *w);

/* Whether a row is packed by code that is compiled well. */
bool aic_is_row_hot(const aic_plan *plan);

#endif
