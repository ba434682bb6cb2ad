/* What the files that compose a contraction offer each other: packing, and the way of sums through the staging buffer.
 */
#pragma once

#include "codegen/contraction/tiling.h"

/* pack_weight.c: the optimization level for packing code whose k-packs are each multiplied `uses` times. Optimizing it
 * takes longer than compiling the rest of a kernel's frame and pays only where packing is a notable part of a call. */
aic_emit_kind aic_pack_kind(int64_t uses);

/* pack_weight.c: void weights(packed, weight; first, last) packs the items first .. last-1 (aic_plan_panel.items) to
 * `packed`, which has no head. */
aic_routine aic_compose_pack_weight(aic_program *program, const aic_plan *plan);

/* pack_weight.c: the numbers of the form (aic_shape.form). */
size_t aic_pack_weight_form(const aic_contraction *c, const aic_tiling *t, int64_t number[]);

/* pack_image.c: void image(band, image; first, rows) fills `rows` band rows from `band` on; band row 0 shows image row
 * `first` (may be < 0). */
aic_routine aic_compose_pack_image(aic_program *program, const aic_plan *plan);

/* Whether that notes halves that are not finite, for tiles that leave out k-packs: where the rows of the only block of
 * channels are packed as they lie, by code that is compiled well. */
bool aic_pack_image_notes(const aic_plan *plan);

/* The strips of a result: [0] those of the full width, [1] at most one, with the columns that remain or with the
 * epilogue's narrow tail. Functions that are not needed are 0. */
typedef struct aic_strips {
    int64_t count[2], columns[2];
    aic_routine load[2];  /* void load(staging, old; row, count, column) */
    aic_routine store[2]; /* void store(target, staging, table, inputs...; row, count, column) */
    aic_routine table;    /* void table(table, parameters, bias) */
} aic_strips;

/* staging.c: the functions that fill and store the staging buffer, of a contraction with an epilogue. */
void aic_compose_staging(aic_program *program, const aic_plan *plan, aic_strips *strips);

/* staging.c: a deferred tile stays in its staging buffer, described by a note in the worker's memory
 * (parts/deferred.h), until it is stored beside the products of the next tile. void leave(note; runs, most) stores rows
 * of it, if there is one, by `store`, a function of aic_strips. */
aic_routine aic_compose_deferred(aic_program *program, const aic_plan *plan, aic_routine store);
