/* From a contraction and a schedule to the records of a plan, one after the other. */
#include "codegen/contraction/microkernel.h"
#include "codegen/integer.h"
#include "codegen/machine.h"
#include "codegen/packed.h"
#include "frontend/core/diag.h"

static aic_status check_range(const char *field, int64_t value, int64_t low, int64_t high)
{
    if (value < low || value > high) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "%s = %lld is outside %lld..%lld", field, (long long)value,
                        (long long)low, (long long)high);
    }
    return AIC_OK;
}

/* Micro-kernels for long rows have tiles of whole ones. */
static aic_status check_tile(const aic_contraction *c, const aic_contraction_schedule *s, const aic_microkernel *kernel)
{
    const int64_t out = c->across.out;
    aic_status status = check_range("rows", s->rows, 1, aic_least(c->down.out, AIC_TILE_SIDE));
    if (status == AIC_OK) {
        status = kernel->long_rows ? check_range("cols", s->cols, out, out)
                                   : check_range("cols", s->cols, 1, aic_least(out, AIC_TILE_SIDE));
    }
    return status == AIC_OK ? check_range("vectors", s->vectors, 1, AIC_TILE_SIDE) : status;
}

/* A panel, which is the default, or a window. */
static aic_status check_hold(const aic_contraction_schedule *s)
{
    if (s->hold == 0 || s->hold == aic_tag("panel") || s->hold == aic_tag("window")) {
        return AIC_OK;
    }
    const aic_tag_name name = aic_tag_text(s->hold);
    return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "hold = %s is none of panel, window", name.text);
}

/* The largest prefetch distance: the size of a large second-level cache. */
enum { AHEAD_MAX = 1 << 20 };

static aic_status check_ahead(const aic_contraction_schedule *s, const aic_microkernel *kernel)
{
    if (s->ahead != 0 && kernel->ahead == 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule",
                        "ahead = %lld: the micro-kernel fetches weights in its own way", (long long)s->ahead);
    }
    if (s->ahead % AIC_LINE_BYTES != 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "ahead = %lld is no multiple of %d", (long long)s->ahead,
                        AIC_LINE_BYTES);
    }
    return check_range("ahead", s->ahead, 0, AHEAD_MAX);
}

bool aic_can_narrow(const aic_contraction *c, const aic_microkernel *kernel, const aic_arithmetic *a)
{
    return kernel->widens && c->groups <= 1 && aic_dtype_size(c->dtype) * a->kpack_channels < a->kpack_bytes;
}

unsigned aic_sum_lanes(const aic_microkernel *kernel, const aic_contraction *c, const aic_target *target)
{
    return kernel->lanes != NULL ? kernel->lanes(c, target)
                                 : (unsigned)target->vector_bits / kernel->arithmetic(c, target).sum_bits;
}

const char *aic_panel_refusal(const aic_contraction *c, int64_t lanes, int64_t channels)
{
    if (!c->has_epilogue && c->n % channels != 0) {
        return "does not divide the output channels";
    }
    if (channels > lanes && channels - lanes >= aic_outputs_of(c)) {
        return "has vectors without output channels";
    }
    if (channels % AIC_BLOCK_COLUMNS != 0 && AIC_BLOCK_COLUMNS % channels != 0) {
        return "does not fit the result's blocks of 16 channels";
    }
    return NULL;
}

static aic_status check_narrow(const aic_contraction *c, const aic_contraction_schedule *s,
                               const aic_microkernel *kernel, const aic_arithmetic *a)
{
    if (s->narrow == 0 || aic_can_narrow(c, kernel, a)) {
        return check_range("narrow", s->narrow, 0, 1);
    }
    return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "narrow = %lld: %s", (long long)s->narrow,
                    kernel->widens ? "weights are packed as they are, or have groups"
                                   : "the micro-kernel widens no weights");
}

/* Whether each output pixel sees a pixel of the image, and none of padding. */
static bool sees_one(const aic_line *line)
{
    return line->taps == 1 && line->pad == 0 && (line->out - 1) * line->stride < line->extent;
}

const char *aic_in_place_refusal(const aic_contraction *c, const aic_target *target, const aic_microkernel *kernel,
                                 const aic_arithmetic *a)
{
    if (!kernel->in_place) {
        return "the micro-kernel takes packed bands";
    }
    if (c->groups > 1 || !sees_one(&c->down) || !sees_one(&c->across)) {
        return "an output pixel sees several pixels of the image, padding, or a group of channels";
    }
    if (c->image.pixel != c->c0 || c->image.fractal_rows < c->down.extent || c->channels != c->c1 * c->c0) {
        return "the image is not in whole blocks of channels";
    }
    const bool halves = a->sum == AIC_SUM_FAST && c->dtype == AIC_FLOAT16 && c->c0 == AIC_BLOCK_COLUMNS;
    if (a->product != AIC_PRODUCT_QUAD && !(halves && (target->has & AIC_HAS_HALF) != 0)) {
        return "packing widens the image";
    }
    if (a->image_offset != 0 && (target->has & AIC_HAS_BROADCAST) == 0) {
        return "packing makes the image unsigned, which loads cannot do here";
    }
    return NULL;
}

static aic_status check_in_place(const aic_contraction *c, const aic_target *target, const aic_contraction_schedule *s,
                                 const aic_microkernel *kernel, const aic_arithmetic *a)
{
    const char *reason = s->in_place != 0 ? aic_in_place_refusal(c, target, kernel, a) : NULL;
    if (reason == NULL) {
        return check_range("in_place", s->in_place, 0, 1);
    }
    return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "in_place = %lld: %s", (long long)s->in_place, reason);
}

/* The micro-kernel that the schedule names, if it takes the contraction. */
static aic_status find_kernel(const aic_contraction *c, const aic_target *target, const aic_contraction_schedule *s,
                              const aic_microkernel **kernel)
{
    char list[64];
    const aic_tag_name name = aic_tag_text(s->kernel);
    *kernel = aic_microkernel_find(s->kernel);
    if (*kernel == NULL) {
        aic_microkernel_list(list, sizeof list);
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "kernel = %s is none of %s", name.text, list);
    }
    const char *reason = (*kernel)->refuse(c, target);
    return reason == NULL ? AIC_OK
                          : aic_fail(AIC_INVALID_ARGUMENT, "schedule", "kernel = %s: this micro-kernel %s",
                                     (*kernel)->name, reason);
}

/* How tiles pass by weights and image. */
static aic_status check_passage(const aic_contraction *c, const aic_contraction_schedule *s,
                                const aic_microkernel *kernel)
{
    aic_status status = check_ahead(s, kernel);
    if (status == AIC_OK) {
        status = check_range("band", s->band, 1, aic_parts(c->down.out, s->rows));
    }
    return status == AIC_OK ? check_hold(s) : status;
}

/* What can be checked before there is a plan. */
static aic_status check_schedule(const aic_contraction *c, const aic_target *target, const aic_contraction_schedule *s,
                                 const aic_microkernel *kernel, unsigned lanes)
{
    aic_status status = check_tile(c, s, kernel);
    if (status == AIC_OK) {
        status = kernel->check(c, target, s);
    }
    if (status != AIC_OK) {
        return status;
    }
    if (s->m != 0 && !kernel->small_tiles) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "m = %lld: only tiles of the micro-kernel winograd have it",
                        (long long)s->m);
    }
    const int64_t channels = (int64_t)lanes * s->vectors;
    const char *reason = aic_panel_refusal(c, lanes, channels);
    if (reason != NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "vectors = %lld is %lld output channels: such a panel %s",
                        (long long)s->vectors, (long long)channels, reason);
    }
    return check_passage(c, s, kernel);
}

/* Channels can be cut into blocks if the micro-kernel, which adds up in any order, can do so and the k-packs are all
 * full: those of merged taps are more than the channels have. */
static aic_status check_blocks(const aic_contraction *c, const aic_contraction_schedule *s, const aic_tiling *t)
{
    const aic_arithmetic *a = &t->geometry.arithmetic;
    const int64_t kpacks = aic_tap_kpacks(&t->geometry, &t->wish, &t->band);
    const bool whole = kpacks * a->kpack_channels == c->channels;
    const bool able = t->kernel->blocks != NULL && !c->accumulate && whole;
    if (s->blocks == 1) {
        return AIC_OK;
    }
    if (!able || s->hold != aic_tag("window")) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "blocks = %lld: %s", (long long)s->blocks,
                        able ? "blocks of channels pass by a window that is held, hold=window"
                             : "the micro-kernel takes all channels at once");
    }
    if (s->blocks < 1 || s->blocks > kpacks || kpacks % (s->blocks * s->unroll) != 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "blocks = %lld times unroll = %lld does not divide %lld",
                        (long long)s->blocks, (long long)s->unroll, (long long)kpacks);
    }
    return AIC_OK;
}

aic_status aic_tiling_of_work(const aic_contraction *c, const aic_problem *problem,
                              const aic_contraction_schedule *schedule, aic_tiling *t)
{
    const aic_target *target = problem->target;
    const aic_microkernel *kernel;
    aic_status status = find_kernel(c, target, schedule, &kernel);
    if (status != AIC_OK) {
        return status;
    }
    const aic_arithmetic arithmetic = kernel->arithmetic(c, target);
    const unsigned lanes = aic_sum_lanes(kernel, c, target);
    status = check_schedule(c, target, schedule, kernel, lanes);
    if (status == AIC_OK) {
        status = check_narrow(c, schedule, kernel, &arithmetic);
    }
    if (status == AIC_OK) {
        status = check_in_place(c, target, schedule, kernel, &arithmetic);
    }
    if (status != AIC_OK) {
        return status;
    }
    t->kernel = kernel;
    t->geometry = aic_plan_geometry_make(c, problem->machine, &arithmetic, lanes, schedule);
    t->wish = kernel->propose(c, target, &t->geometry);
    t->wish.whole = aic_most(t->geometry.m, 1);
    t->band = aic_plan_band_make(c, &t->geometry, &t->wish);
    status = check_blocks(c, schedule, t);
    if (status != AIC_OK) {
        return status;
    }
    t->panel = aic_plan_panel_make(c, &t->geometry, &t->wish, &t->band);
    t->tile = aic_plan_tile_make(c, &t->geometry, &t->band, &t->panel, schedule);
    t->staging = aic_plan_staging_make(c, &t->geometry, &t->wish, &t->band, &t->panel, &t->tile);
    t->transform = aic_plan_transform_make(&t->geometry, &t->band, &t->tile, &t->staging);
    t->lean = (aic_plan_lean){.channels = 0};
    t->division = (aic_band_division){.parts = 1, .part_strips = t->staging.strips};
    return AIC_OK;
}

aic_status aic_tiling_make(const aic_plan *plan, const aic_contraction_schedule *schedule, aic_tiling *tiling)
{
    return aic_tiling_of_work(aic_contraction_of(plan), &plan->problem, schedule, tiling);
}

/* Small tiles lie in groups as long as a band, and blocks of channels are of windows that are held. */
bool aic_tiling_varies(const aic_contraction_schedule *schedule, const aic_tiling *t)
{
    return aic_is_narrow(&t->geometry) == (schedule->narrow != 0) && schedule->blocks == 1 && schedule->m == 0;
}

aic_status aic_tiling_vary(const aic_plan *plan, const aic_contraction_schedule *schedule, aic_tiling *t)
{
    const aic_contraction *c = aic_contraction_of(plan);
    const bool in_place = schedule->in_place != 0;
    aic_status status = check_passage(c, schedule, t->kernel);
    if (status == AIC_OK) {
        status = check_in_place(c, plan->problem.target, schedule, t->kernel, &t->geometry.arithmetic);
    }
    if (status != AIC_OK) {
        return status;
    }
    if (t->geometry.band_tiles != schedule->band || t->geometry.in_place != in_place) {
        t->geometry.band_tiles = schedule->band;
        t->geometry.in_place = in_place;
        t->band = aic_plan_band_make(c, &t->geometry, &t->wish);
    }
    t->tile = aic_plan_tile_make(c, &t->geometry, &t->band, &t->panel, schedule);
    aic_plan_staging_lay_out(&t->geometry, &t->wish, &t->band, &t->panel, &t->tile, &t->staging);
    t->lean = (aic_plan_lean){.channels = 0};
    t->division = (aic_band_division){.parts = 1, .part_strips = t->staging.strips};
    return AIC_OK;
}

/* Divides each band into parts, each with channels of its own or so that a call has enough work items for its workers.
 */
static aic_band_division divide(const aic_tiling *t, int64_t outputs, bool shared)
{
    const aic_plan_geometry *g = &t->geometry;
    if (g->slices > 1) { /* a part is a slice */
        const int64_t columns = t->staging.has_epilogue ? t->staging.strip_columns : g->panel_channels;
        const int64_t part_strips = outputs / g->slices / columns;
        return (aic_band_division){.parts = aic_parts(t->staging.strips, part_strips), .part_strips = part_strips};
    }
    const int64_t strips = t->staging.strips,
                  parts = shared ? aic_least(strips, aic_parts(AIC_SHARED_ITEMS, t->band.count)) : 1;
    const int64_t part_strips = aic_parts(strips, parts);
    return (aic_band_division){.parts = aic_parts(strips, part_strips), .part_strips = part_strips};
}

static bool computes_with_floats(const aic_contraction *c, const aic_tiling *t)
{
    return c->dtype != AIC_INT8 || (t->staging.has_epilogue && !aic_epilogue_copies(t->staging.epilogue));
}

void aic_tiling_requirements(const aic_contraction *c, aic_tiling *t, bool shared, aic_requirements *r)
{
    t->division = divide(t, c->n, shared);
    r->needs = t->kernel->needs | (computes_with_floats(c, t) ? AIC_NEEDS_FLOAT : 0);
    const int64_t note = t->lean.channels > 0 ? (int64_t)sizeof(int64_t) : 0;
    r->pack = (aic_packing){.operand = AIC_CONTRACTION_WEIGHT,
                            .items = t->panel.items,
                            .bytes = AIC_HEAD_BYTES + aic_round_up(t->panel.image_bytes + note, AIC_LINE_BYTES),
                            .floats = c->dtype != AIC_INT8};
    const int64_t table = t->staging.has_epilogue ? aic_epilogue_table_bytes(t->staging.epilogue) : 0;
    r->shared_bytes = aic_round_up(table, AIC_LINE_BYTES);
    r->private_bytes = aic_most(t->staging.private_bytes, t->lean.private_bytes);
    if (table > 0) {
        aic_requirements_phase(r, "columns", 1);
    }
    aic_requirements_phase(r, "bands", t->band.count * t->division.parts);
}
