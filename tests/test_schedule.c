/* Schedules: text form, legality, candidates, and the way an extent is cut into tiles. */
#include "codegen/contraction/contraction.h"
#include "codegen/generator.h"

#include <aic/aic.h>
#include <check.h>
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
    problem = (aic_problem){&spec, &semantics, avx512()};
    ck_assert_int_eq(aic_spec_parse("conv2d(dtype=float16, fm_shape=[2,30,23,16], kernel_shape=[2,3,3,96,16], "
                                    "accumulate=fast)",
                                    &spec),
                     AIC_OK);
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

/* Every candidate reads back from its text, and the default is the first. */
START_TEST(candidates)
{
    for (int arch = AIC_ARCH_X86_64; arch <= AIC_ARCH_AARCH64; arch++) {
        const aic_target *target;
        for (size_t level = 0; (target = aic_target_at((aic_arch)arch, level)) != NULL; level++) {
            const aic_problem problem_here = {&spec, &semantics, target};
            aic_schedule first, candidate, read;
            char text[AIC_SCHEDULE_TEXT_MAX];
            size_t count = 0;
            ck_assert_int_eq(aic_schedule_default(&problem_here, &first), AIC_OK);
            while (aic_schedule_candidate_at(&problem_here, count, &candidate) == AIC_OK) {
                ck_assert_int_eq(aic_schedule_print(&candidate, text, sizeof text), AIC_OK);
                ck_assert_int_eq(aic_schedule_parse(text, &problem_here, &read), AIC_OK);
                ck_assert_mem_eq(&candidate, &read, sizeof read);
                ck_assert(count > 0 || memcmp(&candidate, &first, sizeof first) == 0);
                count++;
            }
            ck_assert_uint_gt(count, 1);
        }
    }
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
    {"schedule(rows=3, cols=4, vectors=2, unroll=4, band=11)", "band = 11 is outside 1..10"},
    {"schedule(rows=9223372036854775807, cols=4, vectors=2, unroll=4, band=1)", "rows = 9223372036854775807"},
    {"schedule(rows=1, cols=4, vectors=9223372036854775807, unroll=4, band=1)", "vectors = 9223372036854775807"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=4)", "band"},
    {"schedule(rows=1, cols=4, vectors=2, unroll=4, band=1, band=1)", "given twice"},
    {"plan(rows=1)", "plan is not schedule"},
    {"", "expected a name"},
};

START_TEST(illegal_schedules)
{
    aic_schedule schedule, before;
    memset(&before, 0x5a, sizeof before);
    schedule = before;
    ck_assert_int_eq(aic_schedule_parse(BAD[_i].text, &problem, &schedule), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), BAD[_i].message) != NULL, "%s", aic_last_error());
    ck_assert_mem_eq(&schedule, &before, sizeof before);
}
END_TEST

START_TEST(explanation)
{
    char *text, best[AIC_SCHEDULE_TEXT_MAX];
    aic_schedule schedule;
    ck_assert_int_eq(aic_schedule_explain(&problem, &text), AIC_OK);
    ck_assert_int_eq(aic_schedule_default(&problem, &schedule), AIC_OK);
    ck_assert_int_eq(aic_schedule_print(&schedule, best, sizeof best), AIC_OK);
    ck_assert_ptr_nonnull(strstr(text, best));
    ck_assert_ptr_nonnull(strstr(text, "vectors=4: a group of 64 output channels does not divide"));
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
        aic_schedule schedule;
        aic_work work;
        aic_tiling t;
        ck_assert_int_eq(aic_spec_parse(TEXTS[i], &spec), AIC_OK);
        ck_assert_int_eq(aic_spec_validate(&spec, NULL), AIC_OK);
        ck_assert_int_eq(aic_schedule_default(&problem, &schedule), AIC_OK);
        ck_assert_ptr_eq(aic_describe(&spec, &semantics, &work), &aic_shape_contraction);
        const aic_contraction c = work.contraction;
        ck_assert_int_eq(aic_tiling_make(&c, avx512(), &schedule, &t), AIC_OK);
        ck_assert_int_gt(t.workspace_bytes, t.packed_bytes);
        ck_assert_int_ge(t.packed_bytes, c.n * c.c1 * c.c0 * c.kh * c.kw * t.source_bytes);
    }
}
END_TEST

/* No results but those of one tile are held back on their way through an epilogue; no group has a vector that nothing
 * needs, and the groups cover all columns. */
START_TEST(strips)
{
    static const char *const TEXTS[] = {
        "mmad(dtype=float16, m=4095, n=5, k=64)",
        "mmad(dtype=int8, m=300, n=100, k=4095)",
        "mmad(dtype=float32, m=1, n=4095, k=1)",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        ck_assert_int_eq(aic_spec_parse(TEXTS[i], &spec), AIC_OK);
        aic_work work;
        ck_assert_ptr_eq(aic_describe(&spec, &semantics, &work), &aic_shape_contraction);
        const aic_contraction *c = &work.contraction;
        aic_schedule schedule;
        for (size_t n = 0; aic_schedule_candidate_at(&problem, n, &schedule) == AIC_OK; n++) {
            aic_tiling t;
            ck_assert_int_eq(aic_tiling_make(c, avx512(), &schedule, &t), AIC_OK);
            ck_assert_int_eq(t.outputs, c->n);
            ck_assert_int_eq(t.strip_columns % 16, 0);
            ck_assert_int_eq(t.strip_columns % t.group, 0);
            ck_assert_int_ge(t.groups * t.group, c->n);
            ck_assert_int_ge(t.panels, t.groups);
            ck_assert(t.group == t.lanes || t.group - t.lanes < c->n);
            int64_t strip_bytes = t.strip_columns / 16 * t.strip_pitch;
            ck_assert_int_ge(strip_bytes, t.rows.large * t.cols.large * t.strip_columns * 4);
            ck_assert_int_le(strip_bytes, 64 * 64);
        }
    }
    aic_schedule schedule;
    ck_assert_int_eq(aic_spec_parse(TEXTS[0], &spec), AIC_OK);
    ck_assert_int_eq(aic_schedule_parse("schedule(rows=4, cols=1, vectors=2, unroll=1, band=1)", &problem, &schedule),
                     AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), "has vectors without output channels") != NULL, "%s", aic_last_error());
}
END_TEST

Suite *suite_schedule(void)
{
    Suite *suite = suite_create("schedule");
    TCase *cases = tcase_create("schedules");
    tcase_add_checked_fixture(cases, setup, NULL);
    tcase_add_test(cases, extents_are_cut_evenly);
    tcase_add_test(cases, candidates);
    tcase_add_loop_test(cases, illegal_schedules, 0, (int)(sizeof BAD / sizeof *BAD));
    tcase_add_test(cases, explanation);
    tcase_add_test(cases, largest_shapes);
    tcase_add_test(cases, strips);
    suite_add_tcase(suite, cases);
    return suite;
}
