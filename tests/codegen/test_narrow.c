/* Schedules whose weights are packed as the elements that they are and widened by tiles: the reference's bits at every
 * level, of every type, where k-packs and output channels are complete and where not; weights without a count, with
 * special elements, and of taps that are left out. A level that multiplies what was packed refuses them. */
#include "tests/claims.h"
#include "tests/levels.h"
#include "tests/specs.h"
#include "tools/harness/verify.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_narrow(void);

static const struct row {
    const char *spec;
    bool everywhere; /* products are of wider elements at every level */
} ROWS[] = {
    {"mmad(dtype=int8, m=1, n=100, k=131)", false},
    {"mmad(dtype=int8, m=5, n=48, k=64, b_format=Zn)", false},
    {"mmad(dtype=float16, m=1, n=77, k=131)", true},
    {"mmad(dtype=float16, m=3, n=64, k=64, accumulate=fast)", true},
    {"mmad(dtype=bfloat16, m=1, n=100, k=67)", true},
    {"mmad(dtype=bfloat16, m=2, n=80, k=96, b_format=Zn, accumulate=fast)", true},
    {"mmad(dtype=float32, m=1, n=90, k=45)", true},
    {"mmad(dtype=int8, m=4, n=40, k=70) | fixpipe(dst=int8, src=int32, quantPre=VREQ8)", false},
    {"conv2d(dtype=int8, fm_shape=[2,5,6,32], kernel_shape=[2,3,3,48,32], pad=[1,1,1,1])", false},
    {"conv2d(dtype=float16, fm_shape=[2,5,6,16], kernel_shape=[2,3,3,48,16], pad=[2,2,2,2], dilation=[2,2])", true},
    {"conv2d(dtype=float16, fm_shape=[1,7,6,4], kernel_shape=[1,3,3,32,4], pad=[1,1,1,1], accumulate=fast)", true},
};
enum { COUNT = sizeof ROWS / sizeof *ROWS };

static const char *const SCHEDULES[] = {
    "schedule(kernel=vector, rows=1, cols=1, vectors=1, unroll=1, band=1, narrow=1)",
    "schedule(kernel=vector, rows=1, cols=1, vectors=2, unroll=2, band=1, ahead=512, narrow=1)",
    "schedule(kernel=vector, rows=2, cols=1, vectors=4, unroll=4, band=1, narrow=1)",
};

/* One level and one specification. */
static void check_row(int number, const struct row *row)
{
    const aic_spec spec = spec_of(row->spec);
    const aic_semantics semantics = aic_semantics_init();
    aic_context *context = levels_context(number, 1);
    verify_report report;
    verify_case c;
    int done = 0;
    ck_assert_int_eq(verify_open(&c, &spec, &semantics, claims_seed((uint64_t)(row - ROWS)), &report), VERIFY_PASSED);
    for (size_t s = 0; s < sizeof SCHEDULES / sizeof *SCHEDULES; s++) {
        aic_kernel *kernel = NULL;
        const aic_status status = aic_kernel_create(context, &spec, SCHEDULES[s], &kernel);
        aic_kernel_destroy(kernel);
        ck_assert_msg(status == AIC_OK || status == AIC_INVALID_ARGUMENT, "%s", aic_last_error());
        ck_assert_msg(status != AIC_OK || verify_kernel(&c, context, SCHEDULES[s], &report) == VERIFY_PASSED,
                      "%s %s %s: %s", aic_context_isa(context), row->spec, SCHEDULES[s], report.text);
        done += status == AIC_OK;
    }
    ck_assert_msg(done > 0 || !row->everywhere, "%s %s: %s", aic_context_isa(context), row->spec, aic_last_error());
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

Suite *suite_narrow(void)
{
    Suite *suite = suite_create("narrow");
    TCase *tcase = tcase_create("narrow");
    tcase_set_timeout(tcase, 240);
    tcase_add_loop_test(tcase, as_the_reference, 0, levels_count() * COUNT);
    suite_add_tcase(suite, tcase);
    return suite;
}
