/* Schedules: text form, legality, candidates, and the way an extent is cut into tiles. */
#include "codegen/contraction/lean.h"
#include "codegen/contraction/tiling.h"
#include "codegen/explain.h"
#include "frontend/core/spec.h"

#include <aic/aic.h>
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_schedule(void);

static aic_spec spec;

static aic_semantics semantics;
static aic_problem problem; /* spec on avx512 */

static const aic_target *avx512(void)
{
    return aic_target_find(AIC_ARCH_X86_64, "avx512");
}

static void setup(void)
{
    semantics = aic_semantics_init();
    problem = (aic_problem){&spec, &semantics, avx512(), aic_machine_of(aic_host_this()->core)};
    ck_assert_int_eq(aic_spec_read("conv2d(dtype=float16, fm_shape=[2,30,23,16], kernel_shape=[2,3,3,96,16], "
                                   "accumulate=fast)",
                                   &spec),
                     AIC_OK);
}

static aic_plan *plan_of(const aic_problem *of)
{
    aic_plan *plan;
    ck_assert_msg(aic_plan_create(of, &plan) == AIC_OK, "%s", aic_last_error());
    return plan;
}

START_TEST(extents_are_cut_evenly)
{
    for (int64_t extent = 1; extent <= 60; extent++) {
        for (int64_t most = 1; most <= extent; most++) {
            aic_split s = aic_split_evenly(extent, most);
            ck_assert_int_le(s.large, most);
            ck_assert_int_ge(s.large_count, 1);
            ck_assert_int_ge(s.small_count, 0);
            ck_assert_int_eq(s.large * s.large_count + (s.large - 1) * s.small_count, extent);
            ck_assert_int_eq(s.large_count + s.small_count, (extent + most - 1) / most);
        }
    }
}
END_TEST

/* A walk that checks every schedule it sees: its text reads back, and gives the same plan. */
typedef struct walk {
    const aic_problem *problem;
    size_t count;
    double least;
} walk;

/* Member by member: between them a structure may hold anything. */
static bool same_requirements(const aic_requirements *a, const aic_requirements *b)
{
    bool same = a->needs == b->needs && a->phases == b->phases && a->shared_bytes == b->shared_bytes &&
                a->private_bytes == b->private_bytes && a->pack.operand == b->pack.operand &&
                a->pack.items == b->pack.items && a->pack.bytes == b->pack.bytes && a->pack.floats == b->pack.floats;
    for (uint32_t i = 0; same && i < a->phases; i++) {
        same = a->phase[i].items == b->phase[i].items && strcmp(a->phase[i].name, b->phase[i].name) == 0;
    }
    return same;
}

/* What the report says of the plan, to be freed. */
static char *report_of(const aic_plan *plan)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    plan->shape->report(out, plan);
    aic_explain_plan(out, plan);
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

/* Of a plan that was made of another one of the walk, and of one that was made anew. Now and then: it takes long. */
static void check_report(const aic_plan *plan, const aic_plan *again, size_t count)
{
    if (count % 61 == 0) {
        char *walked = report_of(plan), *made = report_of(again);
        ck_assert_str_eq(walked, made);
        free(walked);
        free(made);
    }
}

static bool check_schedule(void *user, const aic_plan *plan)
{
    walk *seen = user;
    char text[AIC_SCHEDULE_TEXT_MAX];
    aic_plan *again = plan_of(seen->problem);
    ck_assert_int_eq(aic_schedule_print(&plan->schedule, text, sizeof text), AIC_OK);
    ck_assert_msg(aic_plan_parse(again, text) == AIC_OK, "%s: %s", text, aic_last_error());
    ck_assert(aic_schedule_equal(&plan->schedule, &again->schedule));
    ck_assert(plan->cost > 0 && plan->cost == again->cost);
    ck_assert(same_requirements(&plan->requirements, &again->requirements));
    check_report(plan, again, seen->count);
    seen->least = seen->count++ == 0 || plan->cost < seen->least ? plan->cost : seen->least;
    aic_plan_free(again);
    return seen->count < 3000;
}

static const char *const SHAPES[] = {
    "conv2d(dtype=float16, fm_shape=[2,30,23,16], kernel_shape=[2,3,3,96,16], accumulate=fast)",
    "conv2d(dtype=int8, fm_shape=[3,9,17,32], kernel_shape=[3,3,3,64,32], pad=[1,1,1,1])",
    "conv2d(dtype=float16, fm_shape=[2,14,13,16], kernel_shape=[2,3,3,64,16], pad=[1,1,1,1], accumulate=winograd)",
    "conv2d(dtype=int8, fm_shape=[2,12,19,32], kernel_shape=[1,3,3,64,1], pad=[1,1,1,1], groups=64)",
    "mmad(dtype=float16, m=1, n=1600, k=1500)",
    "mmad(dtype=int8, m=40, n=70, k=100) | fixpipe(dst=int8, src=int32, quantPre=VREQ8)",
    "fixpipe(dst=float16, src=float32, nSize=100, mSize=300, srcStride=304, dstStride=100, quantPre=F322F16)",
    "transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[2,37,13,13])",
    "transdata(dtype=int8, src=ND, dst=Nz, shape=[37,100])",
    "tensor_arithmetic(op=BM_ADD, shape=[1,3,64,64])",
    "texpands(dtype=float16, rows=48, cols=64, v_row=35, v_col=dyn)",
};

/* A walk that ends with its visit number `last`. */
typedef struct short_walk {
    size_t visits, last;
} short_walk;

static bool stop_at_last(void *user, const aic_plan *plan)
{
    short_walk *seen = user;
    (void)plan;
    return ++seen->visits < seen->last;
}

/* Nothing is shown after the visitor has said that the walk shall end, wherever that is. */
START_TEST(walks_end)
{
    ck_assert_int_eq(aic_spec_read(SHAPES[_i], &spec), AIC_OK);
    ck_assert_int_eq(aic_spec_resolve_kernel(&spec, &semantics, &spec), AIC_OK);
    for (aic_space space = AIC_SPACE_USUAL; space <= AIC_SPACE_LEGAL; space++) {
        short_walk seen = {.last = 1};
        aic_plan *plan = plan_of(&problem);
        do {
            seen.visits = 0;
            aic_plan_enumerate(plan, space, &(aic_visitor){.visit = stop_at_last, .user = &seen});
        } while (seen.visits == seen.last++ && seen.last < 200);
        ck_assert_uint_ge(seen.last, 2);
        ck_assert_uint_lt(seen.visits, seen.last);
        aic_plan_free(plan);
    }
}
END_TEST

/* Every schedule of every shape, at every level; the usual ones are legal, and the default is the cheapest of them. */
START_TEST(schedules)
{
    ck_assert_int_eq(aic_spec_read(SHAPES[_i], &spec), AIC_OK);
    ck_assert_int_eq(aic_spec_resolve_kernel(&spec, &semantics, &spec), AIC_OK);
    for (int arch = AIC_ARCH_X86_64; arch <= AIC_ARCH_AARCH64; arch++) {
        const aic_target *target;
        for (size_t level = 0; (target = aic_target_at((aic_arch)arch, level)) != NULL; level++) {
            const aic_problem of = {&spec, &semantics, target, aic_machine_of(aic_host_this()->core)};
            walk usual = {.problem = &of}, legal = {.problem = &of};
            aic_plan *plan = plan_of(&of);
            aic_plan_enumerate(plan, AIC_SPACE_USUAL, &(aic_visitor){.visit = check_schedule, .user = &usual});
            aic_plan_enumerate(plan, AIC_SPACE_LEGAL, &(aic_visitor){.visit = check_schedule, .user = &legal});
            ck_assert_uint_ge(usual.count, 1);
            ck_assert_uint_ge(legal.count, usual.count);
            ck_assert_int_eq(aic_plan_choose(plan), AIC_OK);
            ck_assert(plan->cost == usual.least);
            aic_plan_free(plan);
        }
    }
}
END_TEST

/* Whether the list has what a walk shows. */
static bool look_up(void *list_of, const aic_plan *plan)
{
    const aic_space_list *list = list_of;
    char text[AIC_SCHEDULE_TEXT_MAX];
    size_t i = 0;
    ck_assert_int_eq(aic_schedule_print(&plan->schedule, text, sizeof text), AIC_OK);
    while (i < list->count && strcmp(list->entry[i].text, text) != 0) {
        i++;
    }
    ck_assert_msg(i < list->count, "%s is not in the list", text);
    return true;
}

/* Whether two schedules of a list are of the same tile, as their fields say. */
static bool same_tile(const aic_record *record, const aic_space_entry *a, const aic_space_entry *b)
{
    bool same = true;
    for (size_t f = 0; f < record->count; f++) {
        const char *name = record->fields[f].name;
        const bool of_loops = strcmp(name, "unroll") == 0 || strcmp(name, "band") == 0 || strcmp(name, "ahead") == 0;
        same = same && (of_loops || a->field[f] == b->field[f]);
    }
    return same;
}

/* Of the usual schedules of a tile the cheapest stands for it; of one without, the cheapest. */
static void check_tile(const aic_space_list *list, uint32_t tile)
{
    const aic_space_entry *chosen = NULL, *entry;
    for (size_t i = 0; i < list->count; i++) {
        entry = &list->entry[i];
        if (entry->tile == tile && entry->represents) {
            ck_assert_ptr_null(chosen);
            chosen = entry;
        }
    }
    ck_assert_ptr_nonnull(chosen);
    for (size_t i = 0; i < list->count; i++) {
        entry = &list->entry[i];
        ck_assert(entry->tile != tile || entry->usual < chosen->usual ||
                  (entry->usual == chosen->usual && entry->cost >= chosen->cost));
    }
}

/* A list has every legal schedule once, the usual ones first, and says which are of one tile. */
START_TEST(lists)
{
    enum { LEVELS = 4 };
    problem.target = aic_target_at(AIC_ARCH_X86_64, (size_t)_i % LEVELS);
    ck_assert_int_eq(aic_spec_read(SHAPES[_i], &spec), AIC_OK);
    ck_assert_int_eq(aic_spec_resolve_kernel(&spec, &semantics, &spec), AIC_OK);
    aic_plan *plan = plan_of(&problem);
    aic_space_list list;
    ck_assert_msg(aic_generator_linked()->space(&problem, &list) == AIC_OK, "%s", aic_last_error());
    aic_plan_enumerate(plan, AIC_SPACE_LEGAL, &(aic_visitor){.visit = look_up, .user = &list});
    aic_space_list usual = {.entry = list.entry, .count = list.usual};
    aic_plan_enumerate(plan, AIC_SPACE_USUAL, &(aic_visitor){.visit = look_up, .user = &usual});
    for (size_t i = 0; i < list.count; i++) {
        const aic_space_entry *entry = &list.entry[i];
        ck_assert_int_eq(entry->usual, i < list.usual);
        for (size_t k = 0; k < i; k++) {
            ck_assert_msg(strcmp(list.entry[k].text, entry->text) != 0, "%s twice", entry->text);
            ck_assert_int_eq(list.entry[k].tile == entry->tile,
                             same_tile(plan->shape->schedule, &list.entry[k], entry));
        }
    }
    for (uint32_t tile = 0; tile < list.tiles; tile++) {
        check_tile(&list, tile);
    }
    free(list.entry);
    aic_plan_free(plan);
}
END_TEST

static bool note_winograd(void *least, const aic_plan *plan)
{
    if (strcmp(plan->shape->kernel(plan), "winograd") == 0 && plan->cost < *(double *)least) {
        *(double *)least = plan->cost;
    }
    return true;
}

/* The report of direct sums where Winograd's method is allowed has the cost of the best schedule by that. */
START_TEST(direct_sums)
{
    char said[128];
    double least = HUGE_VAL;
    ck_assert_int_eq(aic_spec_read("conv2d(dtype=float16, fm_shape=[2,1,1,16], kernel_shape=[2,3,3,48,16], "
                                   "pad=[1,1,1,1], accumulate=winograd)",
                                   &spec),
                     AIC_OK);
    aic_plan *plan = plan_of(&problem);
    aic_plan_enumerate(plan, AIC_SPACE_USUAL, &(aic_visitor){.visit = note_winograd, .user = &least});
    ck_assert_int_eq(aic_plan_choose(plan), AIC_OK);
    char *report = report_of(plan);
    snprintf(said, sizeof said, "is not taken: at best %.4g vector operations predicted, direct sums by", least);
    ck_assert_msg(least > plan->cost && strstr(report, said) != NULL, "%s: %s", said, report);
    free(report);
    aic_plan_free(plan);
}
END_TEST

/* Candidates are the usual schedules, the cheapest first. */
START_TEST(candidates)
{
    char first[AIC_SCHEDULE_TEXT_MAX], text[AIC_SCHEDULE_TEXT_MAX];
    const aic_generator_api *api = aic_generator_linked();
    aic_schedule_info info;
    size_t count = 0;
    ck_assert_int_eq(api->plan(&problem, NULL, &info), AIC_OK);
    ck_assert(info.is_default);
    ck_assert_int_eq(api->candidate(&problem, 0, first), AIC_OK);
    ck_assert_str_eq(first, info.text);
    for (; api->candidate(&problem, count, text) == AIC_OK; count++) {
        ck_assert_int_eq(api->plan(&problem, text, &info), AIC_OK);
        ck_assert_str_eq(text, info.text);
        ck_assert_int_eq(info.is_default, count == 0);
    }
    ck_assert_uint_gt(count, 1);
    ck_assert_uint_le(count, AIC_CANDIDATES_MAX);
}
END_TEST

static const struct bad {
    const char *text, *message;
} BAD[] = {
    {"schedule(rows=0, cols=4, vectors=2, unroll=4, band=1)", "rows = 0 is outside 1..28"},
    {"schedule(rows=29, cols=4, vectors=2, unroll=4, band=1)", "rows = 29 is outside 1..28"},
    {"schedule(rows=1, cols=22, vectors=2, unroll=4, band=1)", "cols = 22 is outside 1..21"},
    {"schedule(rows=2, cols=21, vectors=2, unroll=4, band=1)", "rows*cols*vectors = 84 is outside 1..64"},
    {"schedule(rows=1, cols=4, vectors=0, unroll=4, band=1)", "vectors = 0 is outside 1..64"},
    {"schedule(rows=1, cols=4, vectors=4, unroll=4, band=1)", "vectors = 4 is 64 output channels"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=3, band=1)", "unroll = 3 does not divide 16"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=17, band=1)", "unroll = 17 is outside 1..16"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=0, band=1)", "unroll = 0 is outside 1..16"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=4, band=1, hold=fancy)", "hold = fancy is none of panel, window"},
    {"schedule(rows=3, cols=4, vectors=2, unroll=4, band=11)", "band = 11 is outside 1..10"},
    {"schedule(rows=9223372036854775807, cols=4, vectors=2, unroll=4, band=1)", "rows = 9223372036854775807"},
    {"schedule(rows=1, cols=4, vectors=9223372036854775807, unroll=4, band=1)", "vectors = 9223372036854775807"},
    {"schedule(rows=0)", "rows = 0 is outside 1..28"},
    {"schedule(rows=1, cols=4, vectors=4)", "vectors = 4 is 64 output channels"},
    {"schedule(rows=1, cols=4, unroll=3)", "unroll = 3 does not divide 16"},
    {"schedule(kernel=amx)", "needs tile registers"},
    {"schedule(kernel=fancy, rows=1, cols=4, vectors=2, unroll=4, band=1)", "kernel = fancy is none of vector"},
    {"schedule(kernel=farfancier, rows=1, cols=4, vectors=2, unroll=4, band=1)", "at most eight letters"},
    {"schedule(kernel=amx, rows=1, cols=4, vectors=2, unroll=16, band=1)", "needs tile registers"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=4, band=1, band=1)", "given twice"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=4, band=1, ahead=100)", "ahead = 100 is no multiple of 64"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=4, band=1, ahead=1048640)", "ahead = 1048640 is outside 0..1048576"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=4, band=1, ahead=-64)", "ahead = -64 is outside 0..1048576"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=4, band=1, narrow=2)", "narrow = 2 is outside 0..1"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=4, band=1, narrow=-1)", "narrow = -1 is outside 0..1"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=4, band=1, blocks=2)",
     "blocks = 2: the micro-kernel takes all channels"},
    {"plan(rows=1)", "expected schedule(...) instead of plan"},
    {"", "expected a name"},
};

START_TEST(illegal_schedules)
{
    aic_schedule_info info, before;
    memset(&before, 0x5a, sizeof before);
    info = before;
    ck_assert_int_eq(aic_generator_linked()->plan(&problem, BAD[_i].text, &info), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), BAD[_i].message) != NULL, "%s", aic_last_error());
    ck_assert_mem_eq(&info, &before, sizeof before);
}
END_TEST

#define INT8 "conv2d(dtype=int8, fm_shape=[8,14,14,32], kernel_shape=[8,3,3,64,32], pad=[1,1,1,1])"
#define WINOGRAD                                                                                                       \
    "conv2d(dtype=float16, fm_shape=[2,14,13,16], kernel_shape=[2,3,3,64,16], pad=[1,1,1,1], accumulate=winograd)"
#define FIXPIPE                                                                                                        \
    "fixpipe(dst=float16, src=float32, nSize=100, mSize=300, srcStride=304, dstStride=100, quantPre=F322F16)"
#define ADD "tensor_arithmetic(op=BM_ADD, shape=[1,3,64,64])"

/* Schedules of other micro-kernels and other shapes, at the level amx. */
START_TEST(illegal_elsewhere)
{
    static const struct {
        const char *spec, *text, *message;
    } CASES[] = {
        {INT8, "schedule(kernel=amx, unroll=0)", "unroll = 0 is not 16 times a divisor of 4"},
        {INT8, "schedule(kernel=amx, unroll=24)", "unroll = 24 is not 16 times a divisor of 4"},
        {INT8, "schedule(kernel=amx, unroll=48)", "unroll = 48 is not 16 times a divisor of 4"},
        {INT8, "schedule(kernel=amx, hold=panel, blocks=2)", "blocks = 2: blocks of channels pass by a window"},
        {INT8, "schedule(kernel=amx, hold=window, blocks=0)", "blocks = 0 times unroll = 32 does not divide 64"},
        {INT8, "schedule(kernel=amx, hold=window, blocks=-1)", "blocks = -1 times unroll = 32 does not divide 64"},
        {INT8, "schedule(kernel=amx, hold=window, blocks=3)", "blocks = 3 times unroll = 32 does not divide 64"},
        {INT8, "schedule(kernel=amx, hold=window, blocks=4611686018427387904)",
         "blocks = 4611686018427387904 times unroll = 32"},
        {WINOGRAD, "schedule(kernel=winograd, rows=4, cols=4, m=2, unroll=0)", "unroll = 0 does not divide 16"},
        {WINOGRAD, "schedule(kernel=winograd, rows=4, cols=4, m=2, unroll=3)", "unroll = 3 does not divide 16"},
        {WINOGRAD, "schedule(kernel=winograd, rows=4, cols=4, m=2, unroll=32)", "unroll = 32 does not divide 16"},
        {FIXPIPE, "schedule(blocks=0)", "blocks = 0 is outside 1..8"},
        {FIXPIPE, "schedule(blocks=16)", "blocks = 16 is outside 1..8"},
        {FIXPIPE, "schedule(blocks=3)", "blocks = 3 is not a power of two in 1..8"},
        {FIXPIPE, "schedule(rows=0)", "rows = 0 is outside 1..16"},
        {FIXPIPE, "schedule(rows=17)", "rows = 17 is outside 1..16"},
        {FIXPIPE, "schedule(band=-1)", "band = -1 is outside 1..65536"},
        {FIXPIPE, "schedule(band=65537)", "band = 65537 is outside 1..65536"},
        {ADD, "schedule(vector=8)", "vector = 8 is less than 16"},
        {ADD, "schedule(unroll=3)", "unroll = 3 is no power of two of 1..16"},
    };
    problem.target = aic_target_find(AIC_ARCH_X86_64, "amx");
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        aic_schedule_info info;
        char *text = NULL;
        ck_assert_int_eq(aic_spec_read(CASES[i].spec, &spec), AIC_OK);
        ck_assert_int_eq(aic_spec_resolve_kernel(&spec, &semantics, &spec), AIC_OK);
        ck_assert_int_eq(aic_generator_linked()->plan(&problem, CASES[i].text, &info), AIC_INVALID_ARGUMENT);
        ck_assert_msg(strstr(aic_last_error(), CASES[i].message) != NULL, "%s: %s", CASES[i].text, aic_last_error());
        ck_assert_int_eq(aic_generator_linked()->explain(&problem, CASES[i].text, &text), AIC_INVALID_ARGUMENT);
        ck_assert_ptr_null(text);
    }
}
END_TEST

/* A field that nothing fits, where there are millions of schedules: it is refused after so many have been tried. */
START_TEST(nothing_fits)
{
    aic_schedule_info info;
    ck_assert_int_eq(
        aic_spec_read("conv2d(dtype=float16, fm_shape=[256,4096,4096,16], kernel_shape=[256,255,255,4096,16],"
                      "pad=[255,255,255,255])",
                      &spec),
        AIC_OK);
    ck_assert_int_eq(aic_generator_linked()->plan(&problem, "schedule(unroll=3)", &info), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), "unroll = 3 does not divide 16") != NULL, "%s", aic_last_error());
}
END_TEST

/* Small tiles read the planes of transformed weights once for each product: from a first-level cache that holds them
 * sooner than from one that does not. */
START_TEST(planes_beyond_the_first_level_cache)
{
    for (int blocks = 1; blocks <= 64; blocks *= 64) {
        char text[200];
        double cost[2];
        snprintf(text, sizeof text,
                 "conv2d(dtype=float16, fm_shape=[%d,12,12,16], kernel_shape=[%d,3,3,32,16], accumulate=winograd)",
                 blocks, blocks);
        ck_assert_int_eq(aic_spec_read(text, &spec), AIC_OK);
        for (int i = 0; i < 2; i++) {
            aic_machine machine = *aic_machine_of(AIC_CORE_ZEN4);
            aic_schedule_info info;
            machine.l1_bytes = i == 0 ? 32 << 10 : 1 << 20;
            problem.machine = &machine;
            ck_assert_int_eq(
                aic_generator_linked()->plan(
                    &problem, "schedule(kernel=winograd, rows=2, cols=10, vectors=2, unroll=16, band=1, m=2)", &info),
                AIC_OK);
            cost[i] = info.cost;
        }
        ck_assert_msg(blocks == 1 ? cost[0] == cost[1] : cost[0] > cost[1], "%g and %g", cost[0], cost[1]);
    }
}
END_TEST

/* ---- the level amx ---- */

/* The report says by which blocks of channels a tile passes. */
START_TEST(blocks_of_channels)
{
    char *text;
    problem.target = aic_target_find(AIC_ARCH_X86_64, "amx");
    ck_assert_int_eq(aic_spec_read(INT8, &spec), AIC_OK);
    ck_assert_int_eq(aic_generator_linked()->explain(&problem, "schedule(kernel=amx, blocks=2)", &text), AIC_OK);
    ck_assert_msg(strstr(text, "of one of 2 blocks of channels") != NULL, "%s", text);
    free(text);
    ck_assert_int_eq(aic_generator_linked()->explain(&problem, "schedule(kernel=amx, blocks=1)", &text), AIC_OK);
    ck_assert_msg(strstr(text, "blocks of channels") == NULL, "%s", text);
    free(text);
}
END_TEST

/* Tiles are supposed to be those of golden-cove where the core has none, with its own caches. */
START_TEST(tiles_of_a_core_without)
{
    aic_machine without = *aic_machine_of(AIC_CORE_GOLDEN_COVE);
    aic_schedule_info of[2];
    without.tiles = false;
    without.core = AIC_CORE_ZEN4;
    problem.target = aic_target_find(AIC_ARCH_X86_64, "amx");
    ck_assert_int_eq(aic_spec_read(INT8, &spec), AIC_OK);
    for (int i = 0; i < 2; i++) {
        problem.machine = i == 0 ? aic_machine_of(AIC_CORE_GOLDEN_COVE) : &without;
        ck_assert_int_eq(aic_generator_linked()->plan(&problem, "schedule(kernel=amx)", &of[i]), AIC_OK);
    }
    ck_assert_str_eq(of[0].text, of[1].text);
    ck_assert(of[0].cost > 0 && of[0].cost == of[1].cost);
}
END_TEST

typedef struct lean_walk {
    size_t lean;
} lean_walk;

/* Both forms have the same phases and items, and the weights of one have room for those of the other. */
static bool check_lean(void *user, const aic_plan *plan)
{
    lean_walk *seen = user;
    const aic_tiling *t = aic_tiling_of(plan);
    if (t->lean.channels > 0) {
        aic_plan *lean = aic_lean_plan(plan);
        ck_assert_ptr_nonnull(lean);
        const aic_tiling *other = aic_tiling_of(lean);
        ck_assert_int_eq(other->staging.has_epilogue, t->staging.has_epilogue);
        ck_assert_int_eq(other->staging.strips, t->staging.strips);
        ck_assert_int_eq(other->band.count, t->band.count);
        ck_assert_int_eq(other->panel.items, t->panel.items);
        ck_assert_int_le(other->panel.packed_bytes, t->panel.packed_bytes);
        free(lean);
        seen->lean++;
    }
    return true;
}

/* In the second, the taps of a kernel row are merged in the lean form alone, and only the other one, whose tiles run
 * across rows with gaps between them, leaves its sums in a buffer. */
START_TEST(lean_forms)
{
    static const struct {
        const char *spec;
        bool lean;
    } CASES[] = {
        {"conv2d(dtype=int8, fm_shape=[3,14,14,32], kernel_shape=[3,3,3,64,32], pad=[1,1,1,1])", true},
        {"conv2d(dtype=int8, fm_shape=[2,14,14,32], kernel_shape=[2,5,5,64,32], pad=[2,2,2,2])", true},
        {"conv2d(dtype=int8, fm_shape=[2,14,14,32], kernel_shape=[2,5,5,48,32])", true},
        {"conv2d(dtype=float16, fm_shape=[3,14,14,16], kernel_shape=[3,3,3,64,16], accumulate=fast)", false},
    };
    problem.target = aic_target_find(AIC_ARCH_X86_64, "amx");
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        lean_walk seen = {0};
        ck_assert_int_eq(aic_spec_read(CASES[i].spec, &spec), AIC_OK);
        ck_assert_int_eq(aic_spec_resolve_kernel(&spec, &semantics, &spec), AIC_OK);
        aic_plan *plan = plan_of(&problem);
        aic_plan_enumerate(plan, AIC_SPACE_LEGAL, &(aic_visitor){.visit = check_lean, .user = &seen});
        ck_assert_msg((seen.lean > 0) == CASES[i].lean, "case %zu", i);
        aic_plan_free(plan);
    }
}
END_TEST

/* ---- weights ---- */

/* Tiles fetch every line of the panel that a loop body reads once, so far ahead: there are tiles of 4 and of 3 columns.
 */
START_TEST(weights_are_fetched_ahead)
{
    static const struct {
        const char *isa, *schedule;
        int fetches; /* of a loop body */
    } ROWS[] = {
        {"avx512", "schedule(rows=1, cols=4, vectors=2, unroll=4, band=1, ahead=12288)", 8},
        {"avx512", "schedule(rows=1, cols=4, vectors=1, unroll=2, band=1, ahead=12288)", 2},
        {"avx2", "schedule(rows=1, cols=4, vectors=2, unroll=4, band=1, ahead=12288)", 4},
        {"avx2", "schedule(rows=1, cols=4, vectors=1, unroll=4, band=1, ahead=12288)", 2},
        {"avx2", "schedule(rows=1, cols=4, vectors=1, unroll=1, band=1, ahead=12288)", 1},
        {"avx2", "schedule(rows=1, cols=4, vectors=1, unroll=4, band=1)", 0},
        {"avx512", "schedule(rows=1, cols=4, vectors=2, unroll=4, band=1, ahead=0)", 0},
    };
    enum { BODIES = 2 };
    const int rows = sizeof ROWS / sizeof *ROWS;
    for (int i = 0; i < rows; i++) {
        char *text;
        size_t size;
        int calls = 0, ahead = 0;
        ck_assert_msg(aic_dump(NULL, &spec, ROWS[i].schedule, AIC_DUMP_IR, ROWS[i].isa, NULL, &text, &size) == AIC_OK,
                      "%s", aic_last_error());
        for (const char *at = text; (at = strstr(at, "call void @llvm.prefetch")) != NULL; at++) {
            calls++;
        }
        for (const char *at = text; (at = strstr(at, ", i64 12288\n")) != NULL; at++) {
            ahead++;
        }
        ck_assert_msg(calls == BODIES * ROWS[i].fetches, "%s %s: %d", ROWS[i].isa, ROWS[i].schedule, calls);
        ck_assert_msg(ahead == (calls > 0 ? BODIES : 0), "%s %s: %d", ROWS[i].isa, ROWS[i].schedule, ahead);
        aic_free(text);
    }
}
END_TEST

/* Micro-kernels that have no say in it refuse. */
START_TEST(weights_that_are_not_fetched)
{
    const aic_generator_api *api = aic_generator_linked();
    aic_schedule_info info;
    ck_assert_int_eq(aic_spec_read("conv2d(dtype=int8, fm_shape=[2,14,14,32], kernel_shape=[2,3,3,64,32])", &spec),
                     AIC_OK);
    problem.target = aic_target_find(AIC_ARCH_AARCH64, "i8mm");
    ck_assert_int_eq(api->plan(&problem, "schedule(kernel=mmla, ahead=64)", &info), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), "fetches weights in its own way") != NULL, "%s", aic_last_error());
    ck_assert_int_eq(api->plan(&problem, "schedule(kernel=mmla)", &info), AIC_OK);
}
END_TEST

/* The cheapest of the usual schedules that has the fields of `text`. */
typedef struct restricted {
    aic_schedule wanted, best;
    uint64_t given;
    double cost;
} restricted;

static bool keep_agreeing(void *user, const aic_plan *plan)
{
    restricted *r = user;
    if (aic_schedule_agrees(&plan->schedule, &r->wanted, r->given) && (r->cost == 0 || plan->cost < r->cost)) {
        r->cost = plan->cost;
        r->best = plan->schedule;
    }
    return true;
}

/* Schedules of which a part is given: the rest is what the default rule chooses among those that have the part. */
START_TEST(partial_schedules)
{
    static const char *const TEXTS[] = {
        "schedule()",
        "schedule(vectors=1)",
        "schedule(rows=4)",
        "schedule(kernel=vector, cols=7)",
        "schedule(vectors=2, cols=7, rows=1)",
        "schedule(unroll=1)",
        "schedule(ahead=0)",
        "schedule(rows=1, ahead=8192)",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        restricted r = {.cost = 0};
        aic_plan *plan = plan_of(&problem), *walked = plan_of(&problem);
        ck_assert_int_eq(aic_schedule_read(plan->shape->schedule, TEXTS[i], &r.wanted, &r.given), AIC_OK);
        ck_assert_msg(aic_plan_parse(plan, TEXTS[i]) == AIC_OK, "%s: %s", TEXTS[i], aic_last_error());
        aic_plan_enumerate(walked, AIC_SPACE_USUAL, &(aic_visitor){.visit = keep_agreeing, .user = &r});
        ck_assert_msg(r.cost > 0, "no usual schedule has %s", TEXTS[i]);
        ck_assert_msg(aic_schedule_equal(&plan->schedule, &r.best), "%s", TEXTS[i]);
        aic_plan_free(plan);
        aic_plan_free(walked);
    }
}
END_TEST

/* A part that no usual schedule has, and one that none of the whole space has: the default rule's are bent to it. */
START_TEST(unusual_partial_schedules)
{
    static const char *const TEXTS[] = {"schedule(rows=1, band=11)", "schedule(rows=9)", "schedule(unroll=16, rows=3)",
                                        "schedule(cols=20)", "schedule(rows=2, cols=9)"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        restricted r = {.cost = 0};
        aic_plan *plan = plan_of(&problem), *walked = plan_of(&problem);
        ck_assert_int_eq(aic_schedule_read(plan->shape->schedule, TEXTS[i], &r.wanted, &r.given), AIC_OK);
        aic_plan_enumerate(walked, AIC_SPACE_USUAL, &(aic_visitor){.visit = keep_agreeing, .user = &r});
        ck_assert_msg(r.cost == 0, "%s is usual: choose another", TEXTS[i]);
        ck_assert_msg(aic_plan_parse(plan, TEXTS[i]) == AIC_OK, "%s: %s", TEXTS[i], aic_last_error());
        ck_assert_msg(aic_schedule_agrees(&plan->schedule, &r.wanted, r.given), "%s", TEXTS[i]);
        ck_assert(plan->cost > 0);
        aic_plan_free(plan);
        aic_plan_free(walked);
    }
}
END_TEST

/* Predictions are those of the plan, and what is left out is filled in. */
START_TEST(predictions)
{
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    aic_prediction best = aic_prediction_init(), part = aic_prediction_init();
    options.isa = "generic";
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    ck_assert_int_eq(aic_schedule_predict(context, &spec, NULL, &best), AIC_OK);
    ck_assert(best.is_default && best.bound > 0 && best.cost >= best.bound);
    ck_assert_int_eq(aic_schedule_predict(context, &spec, "schedule(rows=1, cols=1)", &part), AIC_OK);
    ck_assert(!part.is_default && part.cost > best.cost && part.bound == best.bound);
    ck_assert_ptr_nonnull(strstr(part.schedule, "rows=1, cols=1, vectors="));
    ck_assert_int_eq(aic_schedule_predict(context, &spec, "schedule(rows=0)", &part), AIC_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(aic_last_error(), "rows = 0 is outside"));
    aic_context_destroy(context);
}
END_TEST

START_TEST(explanation)
{
    char *text;
    aic_schedule_info best;
    ck_assert_int_eq(aic_generator_linked()->explain(&problem, NULL, &text), AIC_OK);
    ck_assert_int_eq(aic_generator_linked()->plan(&problem, NULL, &best), AIC_OK);
    ck_assert_ptr_nonnull(strstr(text, best.text));
    ck_assert_ptr_nonnull(strstr(text, "vectors=4: a panel of 64 output channels does not divide"));
    ck_assert_ptr_nonnull(strstr(text, "kernel=amx: this micro-kernel needs tile registers"));
    free(text);
}
END_TEST

/* The largest legal shapes: every size is finite arithmetic, nothing wraps. */
START_TEST(largest_shapes)
{
    static const char *const TEXTS[] = {
        "conv2d(dtype=float16, fm_shape=[256,4096,4096,16], kernel_shape=[256,255,255,4096,16], pad=[255,255,255,255])",
        "conv2d(dtype=int8, fm_shape=[128,4096,4096,32], kernel_shape=[128,1,1,4096,32], stride=[63,63])",
        "conv2d(dtype=float16, fm_shape=[256,4096,4096,16], kernel_shape=[256,16,16,16,16], dilation=[255,255])",
        "mmad(dtype=float32, m=4095, n=4095, k=4095, a_format=Zz, b_format=Zn, c_format=Nz)",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        ck_assert_int_eq(aic_spec_read(TEXTS[i], &spec), AIC_OK);
        ck_assert_int_eq(aic_spec_validate(&spec, NULL), AIC_OK);
        aic_plan *plan = plan_of(&problem);
        ck_assert_int_eq(aic_plan_choose(plan), AIC_OK);
        ck_assert_ptr_eq(plan->shape, &aic_shape_contraction);
        const aic_contraction *c = aic_contraction_of(plan);
        const aic_tiling *t = aic_tiling_of(plan);
        const aic_requirements *r = &plan->requirements;
        ck_assert_int_gt(aic_workspace_bytes(r, AIC_PLAIN), t->panel.packed_bytes);
        ck_assert_int_eq(aic_workspace_bytes(r, AIC_PLAIN) - aic_workspace_bytes(r, AIC_PACKED),
                         64 + (t->panel.image_bytes + 63) / 64 * 64); /* a head before it */
        ck_assert_int_ge(t->panel.packed_bytes,
                         c->n * c->c1 * c->c0 * c->down.taps * c->across.taps * t->geometry.source_bytes);
        aic_plan_free(plan);
    }
}
END_TEST

static bool check_strips(void *user, const aic_plan *plan)
{
    const aic_contraction *c = aic_contraction_of(plan);
    const aic_tiling *t = aic_tiling_of(plan);
    (void)user;
    ck_assert_int_eq(t->geometry.outputs, c->n);
    ck_assert_int_eq(t->staging.strip_columns % 16, 0);
    ck_assert_int_eq(t->staging.strip_columns % t->geometry.panel_channels, 0);
    ck_assert_int_ge(t->panel.used * t->geometry.panel_channels, c->n);
    ck_assert_int_ge(t->panel.count, t->panel.used);
    ck_assert(t->geometry.panel_channels == t->geometry.lanes || t->geometry.panel_channels - t->geometry.lanes < c->n);
    int64_t staging_bytes = t->staging.strip_columns / 16 * t->staging.pitch;
    ck_assert_int_ge(staging_bytes, t->geometry.rows.large * t->geometry.cols.large * t->staging.strip_columns * 4);
    ck_assert_int_le(staging_bytes, 64 * 64);
    return true;
}

/* No results but those of one tile are held back on their way through an epilogue; no panel has a vector that nothing
 * needs, and the panels cover all columns. */
START_TEST(strips)
{
    static const char *const TEXTS[] = {
        "mmad(dtype=float16, m=4095, n=5, k=64)",
        "mmad(dtype=int8, m=300, n=100, k=4095)",
        "mmad(dtype=float32, m=1, n=4095, k=1)",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        ck_assert_int_eq(aic_spec_read(TEXTS[i], &spec), AIC_OK);
        aic_plan *plan = plan_of(&problem);
        aic_plan_enumerate(plan, AIC_SPACE_USUAL, &(aic_visitor){.visit = check_strips});
        aic_plan_free(plan);
    }
    aic_schedule_info info;
    ck_assert_int_eq(aic_spec_read(TEXTS[0], &spec), AIC_OK);
    ck_assert_int_eq(
        aic_generator_linked()->plan(&problem, "schedule(rows=4, cols=1, vectors=2, unroll=1, band=1)", &info),
        AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), "has vectors without output channels") != NULL, "%s", aic_last_error());
}
END_TEST

Suite *suite_schedule(void)
{
    Suite *suite = suite_create("schedule");
    TCase *cases = tcase_create("schedules");
    tcase_set_timeout(cases, 60); /* sanitizers are slow */
    tcase_add_checked_fixture(cases, setup, NULL);
    tcase_add_test(cases, extents_are_cut_evenly);
    tcase_add_loop_test(cases, schedules, 0, (int)(sizeof SHAPES / sizeof *SHAPES));
    tcase_add_loop_test(cases, lists, 0, (int)(sizeof SHAPES / sizeof *SHAPES));
    tcase_add_loop_test(cases, walks_end, 0, (int)(sizeof SHAPES / sizeof *SHAPES));
    tcase_add_test(cases, illegal_elsewhere);
    tcase_add_test(cases, nothing_fits);
    tcase_add_test(cases, planes_beyond_the_first_level_cache);
    tcase_add_test(cases, blocks_of_channels);
    tcase_add_test(cases, tiles_of_a_core_without);
    tcase_add_test(cases, lean_forms);
    tcase_add_test(cases, direct_sums);
    tcase_add_test(cases, candidates);
    tcase_add_loop_test(cases, illegal_schedules, 0, (int)(sizeof BAD / sizeof *BAD));
    tcase_add_test(cases, weights_are_fetched_ahead);
    tcase_add_test(cases, weights_that_are_not_fetched);
    tcase_add_test(cases, partial_schedules);
    tcase_add_test(cases, unusual_partial_schedules);
    tcase_add_test(cases, predictions);
    tcase_add_test(cases, explanation);
    tcase_add_test(cases, largest_shapes);
    tcase_add_test(cases, strips);
    suite_add_tcase(suite, cases);
    return suite;
}
