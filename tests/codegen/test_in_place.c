/* Schedules whose tiles read the image where it lies: the reference's bits at every level that takes such, of one block
 * of channels and of several, with strides that leave pixels out, and with everything that sums start from and go
 * through. Other levels, and other contractions, refuse them by name. The default rule takes them where they cost
 * nothing besides. */
#include "codegen/contraction/tiling.h"
#include "tests/claims.h"
#include "tests/levels.h"
#include "tests/specs.h"
#include "tools/harness/verify.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_in_place(void);

#define CONV "conv2d(dtype=int8, "
#define HALVES "conv2d(dtype=float16, "

static const struct row {
    const char *spec, *refusal; /* at every level; NULL: some take it */
} ROWS[] = {
    {CONV "fm_shape=[1,5,6,32], kernel_shape=[1,1,1,48,32])", NULL},
    {CONV "fm_shape=[3,6,11,32], kernel_shape=[3,1,1,64,32], init_l1out=false)", NULL},
    {CONV "fm_shape=[2,9,13,32], kernel_shape=[2,1,1,32,32], stride=[2,3])", NULL},
    {CONV "fm_shape=[4,8,8,32], kernel_shape=[4,1,1,128,32], stride=[7,1])", NULL},
    {CONV "fm_shape=[5,16,16,32], kernel_shape=[5,1,1,256,32])", NULL}, /* planes share sets; workers share bands */
    {CONV "fm_shape=[2,7,6,32], kernel_shape=[2,1,1,48,32]) | fixpipe(dst=int8, src=int32, quantPre=VREQ8)", NULL},
    {CONV "fm_shape=[2,7,6,32], kernel_shape=[2,1,1,32,32], init_l1out=false, l1out=channel) | "
          "fixpipe(dst=int8, src=int32, quantPre=VREQ8, format=NZ)",
     NULL},
    {"mmad(dtype=int8, m=21, n=48, k=32, init_c=false)", NULL},
    {"mmad(dtype=int8, m=21, n=48, k=96)", "not in whole blocks"},
    {"mmad(dtype=int8, m=21, n=48, k=64, a_format=Zz)", "not in whole blocks"},
    {CONV "fm_shape=[2,5,6,32], kernel_shape=[2,1,2,48,32])", "sees several pixels"},
    {CONV "fm_shape=[2,5,6,32], kernel_shape=[2,1,1,48,32], pad=[0,1,0,0])", "sees several pixels"},
    {CONV "fm_shape=[2,5,6,32], kernel_shape=[2,1,1,48,32], pad=[1,0,0,0])", "sees several pixels"},
    {CONV "fm_shape=[2,5,6,32], kernel_shape=[2,1,1,48,32], pad=[0,0,0,1])", "sees several pixels"},
    {CONV "fm_shape=[2,5,6,32], kernel_shape=[1,1,1,64,32], groups=2)", "or a group of channels"},
    {HALVES "fm_shape=[2,5,6,16], kernel_shape=[2,1,1,48,16])", "widens the image"},
    {HALVES "fm_shape=[1,5,6,4], kernel_shape=[1,1,1,48,4], accumulate=fast)", "widens the image"},
    {HALVES "fm_shape=[1,5,6,16], kernel_shape=[1,1,1,48,16], accumulate=fast)", NULL},
    {HALVES "fm_shape=[3,6,11,16], kernel_shape=[3,1,1,64,16], init_l1out=false, accumulate=fast)", NULL},
    {HALVES "fm_shape=[2,9,13,16], kernel_shape=[2,1,1,32,16], stride=[2,3], accumulate=fast)", NULL},
    {HALVES "fm_shape=[5,16,16,16], kernel_shape=[5,1,1,128,16], accumulate=fast)", NULL},
    {HALVES "fm_shape=[2,7,6,16], kernel_shape=[2,1,1,48,16], accumulate=fast) | "
            "fixpipe(dst=float16, src=float32, quantPre=F322F16, format=NZ)",
     NULL},
    {"mmad(dtype=float16, m=21, n=48, k=16, accumulate=fast)", NULL},
};
enum { COUNT = sizeof ROWS / sizeof *ROWS };

static const char *const SCHEDULES[] = {
    "schedule(kernel=vector, rows=1, cols=1, vectors=1, unroll=1, band=1, in_place=1)",
    "schedule(kernel=vector, rows=2, cols=1, vectors=1, unroll=8, band=1, in_place=1)",
    "schedule(kernel=vector, rows=1, vectors=2, in_place=1, ahead=512)",
    "schedule(kernel=vector, vectors=3, unroll=2, hold=window, in_place=1)",
    "schedule(kernel=vector, in_place=1)",
};
enum { SCHEDULES_COUNT = sizeof SCHEDULES / sizeof *SCHEDULES };

/* Whether the level multiplies int8 as they are, or unsigned ones that a load can make; or widens halves. */
static bool takes(const char *level, bool halves)
{
    static const char *const LEVELS[] = {"avx512vnni", "avx512fp16", "amx", "dotprod", "i8mm"};
    for (size_t i = 0; i < sizeof LEVELS / sizeof *LEVELS && !halves; i++) {
        if (strcmp(level, LEVELS[i]) == 0) {
            return true;
        }
    }
    return halves && (aic_target_find(aic_host_arch(), level)->has & AIC_HAS_HALF) != 0;
}

/* One schedule; returns whether the level takes it. What is refused is so because of the field, or as a tile that no
 * level has of this output. */
static bool check_schedule(const verify_case *c, const struct row *row, aic_context *context, const char *schedule)
{
    verify_report report;
    aic_kernel *kernel = NULL;
    const aic_status status = aic_kernel_create(context, c->spec, schedule, &kernel);
    aic_kernel_destroy(kernel);
    if (status != AIC_OK) {
        ck_assert_int_eq(status, AIC_INVALID_ARGUMENT);
        return false;
    }
    ck_assert_msg(row->refusal == NULL && verify_kernel(c, context, schedule, &report) == VERIFY_PASSED, "%s %s %s: %s",
                  aic_context_isa(context), row->spec, schedule, report.text);
    return true;
}

/* One level and one specification. */
static void check_row(int number, const struct row *row)
{
    const aic_spec spec = spec_of(row->spec);
    const aic_semantics semantics = aic_semantics_init();
    aic_context *context = levels_context(number, 1 + (int)(row - ROWS) % 3);
    const bool halves = strstr(row->spec, "float16") != NULL;
    const bool able = row->refusal == NULL && takes(aic_context_isa(context), halves);
    verify_report report;
    verify_case c;
    int done = 0;
    ck_assert_int_eq(verify_open(&c, &spec, &semantics, claims_seed((uint64_t)(row - ROWS)), &report), VERIFY_PASSED);
    for (size_t s = 0; s < SCHEDULES_COUNT; s++) {
        done += check_schedule(&c, row, context, SCHEDULES[s]);
    }
    ck_assert_msg((done > 2) == able, "%s %s: %d", aic_context_isa(context), row->spec, done);
    if (!able) {
        aic_kernel *kernel = NULL;
        ck_assert_int_eq(aic_kernel_create(context, &spec, SCHEDULES[0], &kernel), AIC_INVALID_ARGUMENT);
        ck_assert_msg(strstr(aic_last_error(), row->refusal != NULL ? row->refusal : "in_place = 1: packing ") != NULL,
                      "%s %s: %s", aic_context_isa(context), row->spec, aic_last_error());
    }
    verify_close(&c);
    aic_context_destroy(context);
}

/* _i: a level and a specification. Levels that make the same code take turns. */
START_TEST(as_the_reference)
{
    const struct row *row = &ROWS[_i % COUNT];
    const aic_spec spec = spec_of(row->spec);
    if (levels_is_turn(_i / COUNT, &spec, (uint64_t)(_i % COUNT))) {
        check_row(_i / COUNT, row);
    }
}
END_TEST

#define SMALL CONV "fm_shape=[8,56,56,32], kernel_shape=[8,1,1,64,32])"

/* What the default rule chooses. Planes of 64x64 pixels are as large as a way of the second-level cache. */
static const struct choice {
    const char *spec;
    aic_arch arch;
    const char *level;
    aic_core core;
    bool in_place;
} CHOICES[] = {
    {SMALL, AIC_ARCH_X86_64, "avx512vnni", AIC_CORE_ZEN4, true},
    {SMALL, AIC_ARCH_X86_64, "avx512vnni", AIC_CORE_ZEN5, true},
    {SMALL, AIC_ARCH_X86_64, "avx512vnni", AIC_CORE_GOLDEN_COVE, false}, /* the units that multiply are busy */
    {SMALL, AIC_ARCH_X86_64, "avx512", AIC_CORE_ZEN4, false},
    {SMALL, AIC_ARCH_X86_64, "avx2+avxvnni", AIC_CORE_ZEN4, false},
    {SMALL, AIC_ARCH_AARCH64, "dotprod", AIC_CORE_GOLDEN_COVE, true},
    {CONV "fm_shape=[8,64,64,32], kernel_shape=[8,1,1,64,32])", AIC_ARCH_X86_64, "avx512vnni", AIC_CORE_ZEN4, true},
    {CONV "fm_shape=[9,64,64,32], kernel_shape=[9,1,1,64,32])", AIC_ARCH_X86_64, "avx512vnni", AIC_CORE_ZEN4, false},
    {CONV "fm_shape=[9,65,64,32], kernel_shape=[9,1,1,64,32])", AIC_ARCH_X86_64, "avx512vnni", AIC_CORE_ZEN4, true},
    /* Every panel widens the image anew. */
    {HALVES "fm_shape=[8,56,56,16], kernel_shape=[8,1,1,16,16], accumulate=fast)", AIC_ARCH_X86_64, "avx512vnni",
     AIC_CORE_ZEN4, true},
    {HALVES "fm_shape=[8,56,56,16], kernel_shape=[8,1,1,1024,16], accumulate=fast)", AIC_ARCH_X86_64, "avx512vnni",
     AIC_CORE_ZEN4, false},
};

START_TEST(where_it_costs_nothing)
{
    const struct choice *choice = &CHOICES[_i];
    const aic_semantics semantics = aic_semantics_init();
    const aic_spec spec = spec_of(choice->spec);
    const aic_problem problem = {&spec, &semantics, aic_target_find(choice->arch, choice->level),
                                 claims_published(choice->core)};
    aic_plan *plan;
    ck_assert_int_eq(aic_plan_create(&problem, &plan), AIC_OK);
    ck_assert_int_eq(aic_plan_choose(plan), AIC_OK);
    ck_assert_int_eq(aic_tiling_of(plan)->geometry.in_place, choice->in_place);
    aic_plan_free(plan);
}
END_TEST

Suite *suite_in_place(void)
{
    Suite *suite = suite_create("in_place");
    TCase *tcase = tcase_create("in_place");
    tcase_set_timeout(tcase, 240);
    tcase_add_loop_test(tcase, as_the_reference, 0, levels_count() * COUNT);
    tcase_add_loop_test(tcase, where_it_costs_nothing, 0, sizeof CHOICES / sizeof *CHOICES);
    suite_add_tcase(suite, tcase);
    return suite;
}
