/* Schedules: walks through all of a space, lists, candidates, reports, predictions. */
#include "codegen/explain.h"
#include "codegen/shape.h"
#include "frontend/core/spec.h"
#include "tests/plan_case.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_schedule(void);

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
    ck_assert_int_eq(aic_spec_read(SHAPES[_i], &plan_spec), AIC_OK);
    ck_assert_int_eq(aic_spec_resolve_kernel(&plan_spec, &plan_semantics, &plan_spec), AIC_OK);
    for (aic_space space = AIC_SPACE_USUAL; space <= AIC_SPACE_LEGAL; space++) {
        short_walk seen = {.last = 1};
        aic_plan *plan = plan_of(&plan_problem);
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
    ck_assert_int_eq(aic_spec_read(SHAPES[_i], &plan_spec), AIC_OK);
    ck_assert_int_eq(aic_spec_resolve_kernel(&plan_spec, &plan_semantics, &plan_spec), AIC_OK);
    for (int arch = AIC_ARCH_X86_64; arch <= AIC_ARCH_AARCH64; arch++) {
        const aic_target *target;
        for (size_t level = 0; (target = aic_target_at((aic_arch)arch, level)) != NULL; level++) {
            const aic_problem of = {&plan_spec, &plan_semantics, target, aic_machine_of(aic_host_this()->core)};
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
    plan_problem.target = aic_target_at(AIC_ARCH_X86_64, (size_t)_i % LEVELS);
    ck_assert_int_eq(aic_spec_read(SHAPES[_i], &plan_spec), AIC_OK);
    ck_assert_int_eq(aic_spec_resolve_kernel(&plan_spec, &plan_semantics, &plan_spec), AIC_OK);
    aic_plan *plan = plan_of(&plan_problem);
    aic_space_list list;
    ck_assert_msg(aic_generator_linked()->space(&plan_problem, &list) == AIC_OK, "%s", aic_last_error());
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
                                   &plan_spec),
                     AIC_OK);
    aic_plan *plan = plan_of(&plan_problem);
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
    ck_assert_int_eq(api->plan(&plan_problem, NULL, &info), AIC_OK);
    ck_assert(info.is_default);
    ck_assert_int_eq(api->candidate(&plan_problem, 0, first), AIC_OK);
    ck_assert_str_eq(first, info.text);
    for (; api->candidate(&plan_problem, count, text) == AIC_OK; count++) {
        ck_assert_int_eq(api->plan(&plan_problem, text, &info), AIC_OK);
        ck_assert_str_eq(text, info.text);
        ck_assert_int_eq(info.is_default, count == 0);
    }
    ck_assert_uint_gt(count, 1);
    ck_assert_uint_le(count, AIC_CANDIDATES_MAX);
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
    ck_assert_int_eq(aic_schedule_predict(context, &plan_spec, NULL, &best), AIC_OK);
    ck_assert(best.is_default && best.bound > 0 && best.cost >= best.bound);
    ck_assert_int_eq(aic_schedule_predict(context, &plan_spec, "schedule(rows=1, cols=1)", &part), AIC_OK);
    ck_assert(!part.is_default && part.cost > best.cost && part.bound == best.bound);
    ck_assert_ptr_nonnull(strstr(part.schedule, "rows=1, cols=1, vectors="));
    ck_assert_int_eq(aic_schedule_predict(context, &plan_spec, "schedule(rows=0)", &part), AIC_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(aic_last_error(), "rows = 0 is outside"));
    aic_context_destroy(context);
}
END_TEST

START_TEST(explanation)
{
    char *text;
    aic_schedule_info best;
    ck_assert_int_eq(aic_generator_linked()->explain(&plan_problem, NULL, &text), AIC_OK);
    ck_assert_int_eq(aic_generator_linked()->plan(&plan_problem, NULL, &best), AIC_OK);
    ck_assert_ptr_nonnull(strstr(text, best.text));
    ck_assert_ptr_nonnull(strstr(text, "vectors=4: a panel of 64 output channels does not divide"));
    ck_assert_ptr_nonnull(strstr(text, "kernel=amx: this micro-kernel needs tile registers"));
    free(text);
}
END_TEST

Suite *suite_schedule(void)
{
    Suite *suite = suite_create("schedule");
    TCase *cases = tcase_create("schedules");
    tcase_set_timeout(cases, 60); /* sanitizers are slow */
    tcase_add_checked_fixture(cases, plan_setup, NULL);
    tcase_add_loop_test(cases, schedules, 0, (int)(sizeof SHAPES / sizeof *SHAPES));
    tcase_add_loop_test(cases, lists, 0, (int)(sizeof SHAPES / sizeof *SHAPES));
    tcase_add_loop_test(cases, walks_end, 0, (int)(sizeof SHAPES / sizeof *SHAPES));
    tcase_add_test(cases, direct_sums);
    tcase_add_test(cases, candidates);
    tcase_add_test(cases, predictions);
    tcase_add_test(cases, explanation);
    suite_add_tcase(suite, cases);
    return suite;
}
