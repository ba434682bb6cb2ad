/* What the files that emit a contraction offer each other: converting elements, packing, ranges of taps, and the way of
 * sums through the staging buffer. */
#ifndef AIC_CONTRACTION_EMITTERS_H
#define AIC_CONTRACTION_EMITTERS_H

#include "codegen/contraction/tiling.h"
#include "codegen/kpacks.h"

/* kpack.c: the integer type of an element in memory; the type and size of a channel in a k-pack. */
LLVMTypeRef aic_element_type(aic_emit *e, const aic_plan_geometry *g);
LLVMTypeRef aic_channel_type(aic_emit *e, const aic_plan_geometry *g);
unsigned aic_channel_bytes(const aic_plan_geometry *g);

/* kpack.c: converts a vector of elements to channels of k-packs, one vector for each plane; adds no image offset. */
void aic_widen(aic_emit *e, const aic_contraction *c, const aic_plan_geometry *g, LLVMValueRef elements,
               LLVMValueRef kpacks[AIC_PLANES_MAX]);

/* kpack.c: if any of the elements is special, stores 1 to `notes` int32, `pitch` bytes apart, from `note` on. */
void aic_note_specials(aic_emit *e, const aic_wish *wish, LLVMValueRef elements, LLVMValueRef note, int64_t notes,
                       int64_t pitch);

/* padding.c: the loops around tiles store the ranges of kernel rows and columns for a tile's rows and for its columns
 * before the table of taps, and the tile reads them there. */
void aic_emit_row_range(aic_emit *e, const aic_contraction *c, const aic_padding *p, LLVMValueRef taps,
                        LLVMValueRef first, int64_t rows);
void aic_emit_column_range(aic_emit *e, const aic_contraction *c, const aic_padding *p, LLVMValueRef taps,
                           LLVMValueRef first, int64_t columns);
/* kpack.c: an old int32 result and a sum: clamped, or modulo 2^32. */
LLVMValueRef aic_contraction_add_old(aic_emit *e, const aic_contraction *c, LLVMValueRef old, LLVMValueRef sum);

/* kpack.c: the largest power of two that is at most `left`, or `most`, itself a power of two: the width of the next
 * access. */
unsigned aic_access_width(int64_t left, unsigned most);

/* kpack.c: the optimization level for packing code whose k-packs are each multiplied `uses` times. Optimizing it takes
 * longer than compiling the rest of a kernel's frame and pays only where packing is a notable part of a call. */
aic_emit_kind aic_pack_kind(int64_t uses);

/* pack_weight.c: void name(packed, weight; first, last) packs the items first .. last-1 (aic_plan_panel.items) to
 * `packed`, which has no head. */
LLVMValueRef aic_emit_pack_weight(aic_emit *e, const aic_contraction *c, const aic_tiling *t, const char *name);

/* pack_form.c: the numbers of the form (aic_shape.form). */
size_t aic_pack_weight_form(const aic_contraction *c, const aic_tiling *t, int64_t number[]);

/* pack_image.c: void name(band, image; first, rows) fills `rows` band rows from `band` on; band row 0 shows image row
 * `first` (may be < 0). */
LLVMValueRef aic_emit_pack_image(aic_emit *e, const aic_contraction *c, const aic_tiling *t, const char *name);

/* The strips of a result: [0] those of the full width, [1] at most one, with the columns that remain or with the
 * epilogue's narrow tail. Functions that are not needed are NULL. */
typedef struct aic_strips {
    int64_t count[2], columns[2];
    LLVMValueRef load[2];  /* void name(staging, old; row, count, column) */
    LLVMValueRef store[2]; /* void name(target, staging, table, inputs...; row, count, column) */
    LLVMValueRef table;    /* void name(table, parameters, bias) */
} aic_strips;

/* staging.c: the functions that fill and store the staging buffer, of a contraction with an epilogue. */
void aic_emit_staging(aic_emit *e, const aic_contraction *c, const aic_tiling *t, const char *symbol,
                      aic_strips *strips);

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
 * stored beside the products of the next tile. The note's start: no tile, and what all tiles share. */
void aic_deferred_begin(aic_emit *e, LLVMValueRef note, LLVMValueRef target, LLVMValueRef table,
                        const LLVMValueRef *inputs, unsigned count);

/* deferred.c: the offset of the staging buffer that the next tile may fill. Notes a tile as deferred, and the offset of
 * the buffer that is free from then on. */
LLVMValueRef aic_deferred_free(aic_emit *e, LLVMValueRef note);
void aic_deferred_note(aic_emit *e, LLVMValueRef note, const aic_staged *tile, LLVMValueRef free);

/* deferred.c: emits the function that stores rows of the deferred tile, if there is one, by `store`, a function of
 * aic_strips. Calls of it: for the rows of one pause, and for all rows that remain. */
LLVMValueRef aic_emit_deferred(aic_emit *e, const aic_plan_staging *s, LLVMValueRef store, const char *name);
void aic_deferred_pause(aic_emit *e, const aic_plan_staging *s, LLVMValueRef note, LLVMValueRef function);
void aic_deferred_finish(aic_emit *e, LLVMValueRef note, LLVMValueRef function);

#endif
