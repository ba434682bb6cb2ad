/* The form of packed weights: numbers that are equal where images of equal weights are. What the convolution's image is
 * like, and how fast code packs, is no part of it. */
#include "codegen/contraction/microkernel.h"

#include <string.h>

/* To be raised when images that have the same numbers get other bytes. */
enum { PACKER = 1 };

/* What a form ends with if the counts of k-packs with weights lie behind the panels; what stands before the numbers of
 * the lean form, if weights have one. */
enum { COUNTS = -1, LEAN = -2 };

static size_t add(int64_t *number, const int64_t *more, size_t bytes)
{
    memcpy(number, more, bytes);
    return bytes / sizeof *more;
}

/* Other numbers of the tiling that packing reads follow from these; so do the groups, from the k-packs of a tap. */
size_t aic_pack_weight_form(const aic_contraction *c, const aic_tiling *t, int64_t number[])
{
    const aic_arithmetic *a = &t->geometry.arithmetic;
    const bool is_cube = a->sum == AIC_SUM_CUBE;
    const int64_t weights[] = {
        PACKER,      c->dtype,           c->weight,      c->c1,
        c->c0,       c->down.taps,       c->across.taps, c->weight == AIC_WEIGHT_ROWS ? c->n : c->weight_n,
        c->channels, t->geometry.outputs};
    const int64_t kpacks[] = {a->product,        t->geometry.weight_bytes,
                              a->kpack_channels, aic_panel_planes(&t->geometry, &t->wish),
                              a->image_offset,   is_cube};
    const int64_t taps[] = {t->wish.merged,  t->wish.fold,         t->panel.taps,
                            t->panel.kpacks, t->band.pixel_kpacks, t->geometry.blocks};
    const int64_t panels[] = {t->geometry.panel_channels, t->panel.count};
    const int64_t heads[] = {t->panel.start_bytes, t->panel.notes};
    const int64_t lean[] = {LEAN, t->lean.taps, t->lean.kpacks, t->lean.merged, t->lean.pixel_kpacks};
    enum { ALL = sizeof weights + sizeof kpacks + sizeof taps + sizeof panels + sizeof heads + sizeof lean };
    _Static_assert(ALL / sizeof number[0] <= AIC_FORM_NUMBERS, "numbers of a form");
    size_t count = add(number, weights, sizeof weights);
    count += add(number + count, kpacks, sizeof kpacks);
    count += add(number + count, taps, sizeof taps);
    count += add(number + count, panels, sizeof panels);
    count += add(number + count, heads, sizeof heads);
    if (t->panel.counts) {
        number[count++] = COUNTS;
    }
    if (t->lean.channels > 0) { /* by a micro-kernel that has nothing of the others */
        count += add(number + count, lean, sizeof lean);
    }
    if (t->transform.m > 0) {
        number[count++] = t->transform.m;
    }
    if (t->wish.steps > 0) {
        number[count++] = t->wish.steps;
    }
    return count;
}
