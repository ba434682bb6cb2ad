/* Problems for tests of plans and schedules; see plan_case.h. */
#include "tests/plan_case.h"

#include <aic/aic.h>
#include <check.h>

aic_spec plan_spec;
aic_semantics plan_semantics;
aic_problem plan_problem;

void plan_setup(void)
{
    plan_semantics = aic_semantics_init();
    plan_problem = (aic_problem){&plan_spec, &plan_semantics, aic_target_find(AIC_ARCH_X86_64, "avx512"),
                                 aic_machine_of(aic_host_this()->core)};
    ck_assert_int_eq(aic_spec_read("conv2d(dtype=float16, fm_shape=[2,30,23,16], kernel_shape=[2,3,3,96,16], "
                                   "accumulate=fast)",
                                   &plan_spec),
                     AIC_OK);
}

aic_plan *plan_of(const aic_problem *problem)
{
    aic_plan *plan;
    ck_assert_msg(aic_plan_create(problem, &plan) == AIC_OK, "%s", aic_last_error());
    return plan;
}
