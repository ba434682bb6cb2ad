/* What moves' tests have in common; see move_case.h. */
#include "tests/move_case.h"
#include "frontend/core/stage.h"
#include "tests/claims.h"

#include <check.h>

const move_pair move_pairs[MOVE_PAIRS] = {
    {AIC_LAYOUT_ND, AIC_LAYOUT_NZ},           {AIC_LAYOUT_ND, AIC_LAYOUT_ZZ},
    {AIC_LAYOUT_ND, AIC_LAYOUT_ZN},           {AIC_LAYOUT_ND, AIC_LAYOUT_NN},
    {AIC_LAYOUT_NZ, AIC_LAYOUT_ND},           {AIC_LAYOUT_NZ, AIC_LAYOUT_ZZ},
    {AIC_LAYOUT_NZ, AIC_LAYOUT_ZN},           {AIC_LAYOUT_NZ, AIC_LAYOUT_NN},
    {AIC_LAYOUT_ZZ, AIC_LAYOUT_ND},           {AIC_LAYOUT_ZZ, AIC_LAYOUT_NZ},
    {AIC_LAYOUT_ZZ, AIC_LAYOUT_ZN},           {AIC_LAYOUT_ZZ, AIC_LAYOUT_NN},
    {AIC_LAYOUT_ZN, AIC_LAYOUT_ND},           {AIC_LAYOUT_ZN, AIC_LAYOUT_NZ},
    {AIC_LAYOUT_ZN, AIC_LAYOUT_ZZ},           {AIC_LAYOUT_ZN, AIC_LAYOUT_NN},
    {AIC_LAYOUT_NN, AIC_LAYOUT_ND},           {AIC_LAYOUT_NN, AIC_LAYOUT_NZ},
    {AIC_LAYOUT_NN, AIC_LAYOUT_ZZ},           {AIC_LAYOUT_NN, AIC_LAYOUT_ZN},
    {AIC_LAYOUT_NCHW, AIC_LAYOUT_NHWC},       {AIC_LAYOUT_NHWC, AIC_LAYOUT_NCHW},
    {AIC_LAYOUT_NCHW, AIC_LAYOUT_NC1HWC0},    {AIC_LAYOUT_NC1HWC0, AIC_LAYOUT_NCHW},
    {AIC_LAYOUT_NHWC, AIC_LAYOUT_NC1HWC0},    {AIC_LAYOUT_NC1HWC0, AIC_LAYOUT_NHWC},
    {AIC_LAYOUT_OIHW, AIC_LAYOUT_FRACTAL_Z},  {AIC_LAYOUT_FRACTAL_Z, AIC_LAYOUT_OIHW},
    {AIC_LAYOUT_HWIO, AIC_LAYOUT_FRACTAL_Z},  {AIC_LAYOUT_FRACTAL_Z, AIC_LAYOUT_HWIO},
    {AIC_LAYOUT_NCHW, AIC_LAYOUT_4N},         {AIC_LAYOUT_4N, AIC_LAYOUT_NCHW},
    {AIC_LAYOUT_NCHW, AIC_LAYOUT_2N},         {AIC_LAYOUT_2N, AIC_LAYOUT_NCHW},
    {AIC_LAYOUT_4N, AIC_LAYOUT_4N},           {AIC_LAYOUT_ZZ, AIC_LAYOUT_ZZ},
    {AIC_LAYOUT_NC1HWC0, AIC_LAYOUT_NC1HWC0}, {AIC_LAYOUT_FRACTAL_Z, AIC_LAYOUT_FRACTAL_Z},
};

const aic_move_schedule move_usual_schedule = {.rows = 16, .cols = 8, .vector = 32, .unroll = 4, .band = 16};

char *move_report_of(const char *text, aic_core core)
{
    aic_spec spec;
    const aic_semantics semantics = aic_semantics_init();
    const aic_problem problem = {&spec, &semantics, aic_target_find(AIC_ARCH_X86_64, "avx2"), claims_published(core)};
    char *report = NULL;
    ck_assert_int_eq(aic_spec_read(text, &spec), AIC_OK);
    ck_assert_msg(aic_generator_linked()->explain(&problem, NULL, &report) == AIC_OK, "%s", aic_last_error());
    return report;
}
