/* Walks through the schedules of a plan: that for the cheapest leaves out what a bound says is dearer, and both take
 * most of a plan from the one before it. Neither may make a difference. */
#include "codegen/contraction/bands.h"
#include "codegen/contraction/microkernel.h"
#include "codegen/shape.h"
#include "frontend/core/spec.h"
#include "frontend/core/stage.h"
#include "tests/levels.h"
#include "tests/plan_case.h"

#include <check.h>
#include <math.h>
#include <string.h>

Suite *suite_walks(void);

/* What a walk has seen. */
typedef struct seen {
    aic_plan *anew; /* of the same problem: where each schedule is planned by itself */
    size_t count;
    aic_schedule best;
    double cost;
} seen;

static void check_equal(const aic_plan *plan, const aic_plan *anew, const char *text)
{
    ck_assert_msg(plan->cost == anew->cost, "%s: cost %.17g, by itself %.17g", text, plan->cost, anew->cost);
    const aic_requirements *r = &plan->requirements, *by_itself = &anew->requirements;
    ck_assert_msg(r->needs == by_itself->needs && r->phases == by_itself->phases &&
                      r->pack.bytes == by_itself->pack.bytes && r->pack.items == by_itself->pack.items &&
                      r->shared_bytes == by_itself->shared_bytes && r->private_bytes == by_itself->private_bytes,
                  "%s", text);
    if (plan->shape != &aic_shape_contraction) {
        return;
    }
    const aic_tiling *t = aic_tiling_of(plan), *other = aic_tiling_of(anew);
    ck_assert_msg(t->band.bytes == other->band.bytes && t->tile.ahead == other->tile.ahead &&
                      t->staging.private_bytes == other->staging.private_bytes && t->lean.note == other->lean.note &&
                      t->division.part_strips == other->division.part_strips,
                  "%s", text);
    const double least = aic_contraction_least(aic_contraction_of(plan), plan->problem.target, t);
    ck_assert_msg(plan->cost >= least, "%s: cost %.17g, its tile at least %.17g", text, plan->cost, least);
}

static bool see(void *user, const aic_plan *plan)
{
    seen *s = user;
    char text[AIC_SCHEDULE_TEXT_MAX];
    ck_assert_int_eq(aic_schedule_print(&plan->schedule, text, sizeof text), AIC_OK);
    ck_assert_msg(aic_plan_set(s->anew, &plan->schedule) == AIC_OK, "%s: %s", text, aic_last_error());
    check_equal(plan, s->anew, text);
    if (plan->cost < s->cost) {
        s->best = plan->schedule;
        s->cost = plan->cost;
    }
    s->count++;
    return true;
}

/* Both walks of a problem. */
static void check_problem(const aic_problem *problem, bool all)
{
    aic_plan *plan = plan_of(problem), *chosen = plan_of(problem);
    seen s = {.anew = plan_of(problem), .cost = INFINITY};
    aic_plan_enumerate(plan, AIC_SPACE_USUAL, &(aic_visitor){.visit = see, .user = &s});
    ck_assert_uint_gt(s.count, 0);
    ck_assert_int_eq(aic_plan_choose(chosen), AIC_OK);
    char best[AIC_SCHEDULE_TEXT_MAX], found[AIC_SCHEDULE_TEXT_MAX], spec[8192];
    ck_assert_int_eq(aic_spec_print(problem->spec, spec, sizeof spec, NULL), AIC_OK);
    ck_assert_int_eq(aic_schedule_print(&s.best, best, sizeof best), AIC_OK);
    ck_assert_int_eq(aic_schedule_print(&chosen->schedule, found, sizeof found), AIC_OK);
    ck_assert_msg(aic_schedule_equal(&chosen->schedule, &s.best),
                  "%s, level %s, core %s: %s at %.17g, the best %s at %.17g", spec, problem->target->name,
                  aic_core_name(problem->machine->core), found, chosen->cost, best, s.cost);
    ck_assert(chosen->cost == s.cost);
    if (all) {
        aic_plan_enumerate(plan, AIC_SPACE_LEGAL, &(aic_visitor){.visit = see, .user = &s});
    }
    aic_plan_free(s.anew);
    aic_plan_free(chosen);
    aic_plan_free(plan);
}

/* For every level and type of core. */
static void check_everywhere(const aic_spec *spec, bool all)
{
    static const aic_arch ARCHS[] = {AIC_ARCH_X86_64, AIC_ARCH_AARCH64};
    ck_assert_msg(aic_spec_resolve_kernel(spec, &plan_semantics, &plan_spec) == AIC_OK, "%s", aic_last_error());
    for (size_t a = 0; a < sizeof ARCHS / sizeof ARCHS[0]; a++) {
        for (size_t level = 0; aic_target_at(ARCHS[a], level) != NULL; level++) {
            for (int core = 0; core < AIC_CORES; core++) {
                const aic_problem problem = {&plan_spec, &plan_semantics, aic_target_at(ARCHS[a], level),
                                             aic_machine_of((aic_core)core)};
                check_problem(&problem, all);
            }
        }
    }
}

static const char *const LAYERS[] = {
    "conv2d(dtype=int8, fm_shape=[2,56,56,32], kernel_shape=[2,3,3,64,32], pad=[1,1,1,1])",
    "conv2d(dtype=int8, fm_shape=[32,14,14,32], kernel_shape=[32,1,1,256,32])",
    "conv2d(dtype=int8, fm_shape=[1,224,224,4], kernel_shape=[1,7,7,64,4], stride=[2,2], pad=[3,3,3,3])",
    ("conv2d(dtype=int8, fm_shape=[8,28,28,32], kernel_shape=[8,3,3,256,32], stride=[2,2], pad=[1,1,1,1]) | fixpipe("
     "src=int32, dst=int8, format=NZ, quantPre=VREQ8, reluEn=true)"),
    ("conv2d(dtype=int8, fm_shape=[2,15,15,32], kernel_shape=[2,3,3,64,32], pad=[1,1,1,1], init_l1out=false, "
     "l1out=channel) | fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ)"),
    /* fewer outputs than there are weights for */
    ("conv2d(dtype=int8, fm_shape=[3,5,20,32], kernel_shape=[3,3,3,128,32], stride=[3,1], pad=[1,0,4,0], "
     "dilation=[2,2])"
     " | fixpipe(src=int32, dst=int32, format=NZ, mSize=34, nSize=48)"),
    "conv2d(dtype=int8, fm_shape=[6,15,15,32], kernel_shape=[1,5,5,192,1], pad=[2,2,2,2], groups=192)",
    "conv2d(dtype=int8, fm_shape=[4,14,14,32], kernel_shape=[1,3,3,128,4], pad=[1,1,1,1], groups=32)",
    "conv2d(dtype=float16, fm_shape=[16,28,28,16], kernel_shape=[16,3,3,64,16], pad=[1,1,1,1], accumulate=fast)",
    "conv2d(dtype=float16, fm_shape=[64,7,7,16], kernel_shape=[64,3,3,512,16], pad=[1,1,1,1], accumulate=fast)",
    "conv2d(dtype=float16, fm_shape=[4,57,57,16], kernel_shape=[4,1,1,128,16], stride=[2,2])",
    "conv2d(dtype=float16, fm_shape=[4,21,23,16], kernel_shape=[4,3,3,64,16], pad=[1,1,1,1], accumulate=winograd)",
    "mmad(dtype=int8, m=7, n=1000, k=2048, init_c=false)",
    "mmad(dtype=float16, m=33, n=48, k=130, accumulate=fast)",
    ("mmad(dtype=float16, m=40, n=64, k=256, accumulate=fast) | fixpipe(src=float32, dst=float16, "
     "quantPre=F322F16)"),
    "mmad(dtype=float32, m=61, n=72, k=80, accumulate=fast)",
};

START_TEST(layers)
{
    aic_spec spec;
    ck_assert_msg(aic_spec_read(LAYERS[_i], &spec) == AIC_OK, "%s", aic_last_error());
    check_everywhere(&spec, false);
}
END_TEST

/* Drawn ones are small: all legal schedules of some are tried, too. */
START_TEST(drawn)
{
    const uint64_t cases = 40 * (1 + levels_campaign());
    for (uint64_t seed = 0; seed < cases; seed++) {
        static const aic_op OPS[] = {AIC_OP_CONV2D, AIC_OP_MMAD, AIC_OP_CONV2D, AIC_OP_NONE};
        const aic_op op = OPS[seed % 4] != AIC_OP_NONE ? OPS[seed % 4] : (aic_op)(1 + seed / 4 % (AIC_OP_END - 1));
        aic_spec spec;
        ck_assert_int_eq(aic_spec_draw(op, &plan_semantics, 1000 + seed, &spec), AIC_OK);
        check_everywhere(&spec, seed % 10 == 0);
        ck_assert_int_eq(aic_spec_draw_chain(AIC_OP_NONE, AIC_OP_NONE, &plan_semantics, 1000 + seed, &spec), AIC_OK);
        check_everywhere(&spec, false);
    }
}
END_TEST

Suite *suite_walks(void)
{
    Suite *suite = suite_create("walks");
    TCase *cases = tcase_create("walks");
    tcase_set_timeout(cases, 120); /* sanitizers are slow */
    tcase_add_checked_fixture(cases, plan_setup, NULL);
    tcase_add_loop_test(cases, layers, 0, sizeof LAYERS / sizeof LAYERS[0]);
    tcase_add_test(cases, drawn);
    suite_add_tcase(suite, cases);
    return suite;
}
