/* Tiles of contractions: how an extent is cut into them, what they cost and need, which weights they fetch ahead. */
#include "codegen/contraction/lean.h"
#include "codegen/contraction/microkernel.h"
#include "codegen/contraction/tiling.h"
#include "frontend/core/spec.h"
#include "tests/claims.h"
#include "tests/plan_case.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_tiling(void);

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
        ck_assert_int_eq(aic_spec_read(text, &plan_spec), AIC_OK);
        for (int i = 0; i < 2; i++) {
            aic_machine machine = *aic_machine_of(AIC_CORE_ZEN4);
            aic_schedule_info info;
            machine.l1_bytes = i == 0 ? 32 << 10 : 1 << 20;
            plan_problem.machine = &machine;
            ck_assert_int_eq(aic_generator_linked()->plan(
                                 &plan_problem,
                                 "schedule(kernel=winograd, rows=2, cols=10, vectors=2, unroll=16, band=1, m=2)",
                                 &info),
                             AIC_OK);
            cost[i] = info.cost;
        }
        ck_assert_msg(blocks == 1 ? cost[0] == cost[1] : cost[0] > cost[1], "%g and %g", cost[0], cost[1]);
    }
}
END_TEST

/* Sums of the tiles that the default rule chooses for a first layer. */
static int64_t sums_chosen(const aic_machine *machine)
{
    plan_problem.machine = machine;
    aic_plan *plan = plan_of(&plan_problem);
    ck_assert_int_eq(aic_plan_choose(plan), AIC_OK);
    const aic_plan_geometry *g = &aic_tiling_of(plan)->geometry;
    const int64_t sums = g->rows.large * g->cols.large * g->vectors;
    aic_plan_free(plan);
    return sums;
}

/* Where a tile has few products, it has no more sums than a core stores beside the products of the next one; as many as
 * there are registers for, where that is not known. */
START_TEST(few_stores_at_a_time)
{
    aic_machine machine = *claims_published(AIC_CORE_ZEN4);
    plan_problem.target = aic_target_find(AIC_ARCH_X86_64, "avx512");
    ck_assert_int_eq(aic_spec_read("conv2d(dtype=float16, fm_shape=[1,299,299,4], kernel_shape=[1,3,3,32,4], "
                                   "stride=[2,2], accumulate=fast)",
                                   &plan_spec),
                     AIC_OK);
    ck_assert_int_gt(machine.late_store, 0);
    ck_assert_int_le(sums_chosen(&machine), machine.beside_stores);
    machine.late_store = 0;
    ck_assert_int_gt(sums_chosen(&machine), 2 * machine.beside_stores - 4);
    ck_assert_int_eq(claims_published(AIC_CORE_GOLDEN_COVE)->late_store, 0);
}
END_TEST

/* Where it was measured what folding the sums of a block takes, tiles of float64 sums are as small as it is hidden in;
 * with vectors of half the length it is not, and totals that have no registers take little. */
START_TEST(folds_that_are_hidden)
{
    aic_machine machine = *claims_published(AIC_CORE_ZEN4);
    ck_assert_int_eq(
        aic_spec_read("conv2d(dtype=float16, fm_shape=[12,30,30,16], kernel_shape=[12,1,1,1056,16])", &plan_spec),
        AIC_OK);
    ck_assert_int_le(sums_chosen(&machine), 8);
    plan_problem.target = aic_target_find(AIC_ARCH_X86_64, "avx2");
    ck_assert_int_gt(sums_chosen(&machine), 8);
    plan_problem.target = aic_target_find(AIC_ARCH_X86_64, "avx512");
    machine.late_store = 0;
    ck_assert_int_gt(sums_chosen(&machine), 8);
}
END_TEST

/* The plan of this schedule, or the one that the default rule chooses, for a fused layer at a level of a machine; the
 * caller frees it. */
static aic_plan *fused_plan(const char *conv2d, const char *level, const aic_machine *machine, const char *schedule)
{
    char text[256];
    snprintf(text, sizeof text, "conv2d(dtype=int8, %s) | fixpipe(src=int32, dst=int8, format=NZ, quantPre=VREQ8)",
             conv2d);
    ck_assert_int_eq(aic_spec_read(text, &plan_spec), AIC_OK);
    ck_assert_int_eq(aic_spec_resolve_kernel(&plan_spec, &plan_semantics, &plan_spec), AIC_OK);
    plan_problem.target = aic_target_find(AIC_ARCH_X86_64, level);
    plan_problem.machine = machine;
    aic_plan *plan = plan_of(&plan_problem);
    ck_assert_int_eq(schedule == NULL ? aic_plan_choose(plan) : aic_plan_parse(plan, schedule), AIC_OK);
    return plan;
}

/* Where it was measured how long results are stored, that is little beside the products that tiles of one row leave out
 * of a high kernel over few rows; where it was not, such tiles seem to store for too long. */
START_TEST(stores_that_were_measured)
{
    aic_machine machine = *claims_published(AIC_CORE_ZEN4);
    for (int i = 0; i < 2; i++) {
        aic_plan *plan = fused_plan("fm_shape=[11,4,4,32], kernel_shape=[11,7,1,448,32], pad=[0,0,3,3]", "avx512vnni",
                                    &machine, NULL);
        const int64_t rows = aic_tiling_of(plan)->geometry.rows.large;
        ck_assert_msg(i == 0 ? rows == 1 : rows > 1, "%d rows", (int)rows);
        aic_plan_free(plan);
        machine.late_store = 0;
    }
}
END_TEST

/* Bytes in blocks of 32 channels: tiles of one vector would store halves of blocks. */
START_TEST(halves_of_blocks)
{
    aic_plan *plan = fused_plan("fm_shape=[1,16,27,32], kernel_shape=[1,1,1,256,32]", "avx512vnni",
                                claims_published(AIC_CORE_ZEN4), NULL);
    ck_assert_int_eq(aic_tiling_of(plan)->geometry.vectors % 2, 0);
    aic_plan_free(plan);
}
END_TEST

/* Loop bodies have one k-pack where LLVM would put the sums of several on the stack: each vector of the image is loaded
 * for one multiply-add of floats that has no memory operand. */
START_TEST(bodies_of_sums_that_move)
{
    static const struct {
        const char *text, *level;
        bool moves;
    } CASES[] = {
        {"mmad(dtype=float16, m=196, n=8, k=256, accumulate=fast)", "avx2", true},
        {"mmad(dtype=float16, m=196, n=16, k=256, accumulate=fast)", "avx2", false},
        {"mmad(dtype=int8, m=4, n=8, k=256)", "avx2", false},
        {"mmad(dtype=float16, m=196, n=8, k=256, accumulate=fast)", "avx512", false},
        {"conv2d(dtype=float16, fm_shape=[4,28,28,16], kernel_shape=[1,1,1,32,16], accumulate=fast, groups=4)", "avx2",
         true},
        {"conv2d(dtype=float16, fm_shape=[4,28,28,16], kernel_shape=[2,1,1,32,16], accumulate=fast, groups=2)", "avx2",
         false},
    };
    plan_problem.machine = claims_published(AIC_CORE_ZEN4);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        plan_problem.target = aic_target_find(AIC_ARCH_X86_64, CASES[i].level);
        ck_assert_int_eq(aic_spec_read(CASES[i].text, &plan_spec), AIC_OK);
        aic_plan *plan = plan_of(&plan_problem);
        ck_assert_int_eq(aic_plan_choose(plan), AIC_OK);
        ck_assert_msg((aic_tiling_of(plan)->geometry.unroll == 1) == CASES[i].moves, "%s at %s", CASES[i].text,
                      CASES[i].level);
        aic_plan_free(plan);
    }
}
END_TEST

/* Two vectors of two groups, each with its part of the image, share no load: one vector of more pixels is as good. */
START_TEST(vectors_of_two_groups)
{
    plan_problem.target = aic_target_find(AIC_ARCH_X86_64, "avx2");
    plan_problem.machine = claims_published(AIC_CORE_ZEN4);
    ck_assert_int_eq(aic_spec_read("conv2d(dtype=float16, fm_shape=[16,28,28,16], kernel_shape=[4,3,3,32,16], "
                                   "pad=[1,1,1,1], accumulate=fast, groups=4)",
                                   &plan_spec),
                     AIC_OK);
    aic_plan *plan = plan_of(&plan_problem);
    ck_assert_int_eq(aic_plan_choose(plan), AIC_OK);
    ck_assert_int_eq(aic_tiling_of(plan)->geometry.vectors, 1);
    aic_plan_free(plan);
}
END_TEST

static const char WIDE[] = "fm_shape=[1,19,20,32], kernel_shape=[1,2,2,416,32], pad=[0,1,0,1]";

/* Where products are a multiplication and an addition that other units do, too, two vectors and many pixels are faster
 * than four vectors, which need fewer calls of the epilogue, and which are chosen where that was not measured. */
START_TEST(products_of_pairs)
{
    aic_machine machine = *claims_published(AIC_CORE_ZEN4);
    for (int i = 0; i < 2; i++) {
        aic_plan *plan = fused_plan(WIDE, "avx2", &machine, NULL);
        ck_assert_int_eq(aic_tiling_of(plan)->geometry.vectors, i == 0 ? 2 : 4);
        aic_plan_free(plan);
        machine.late_store = 0;
    }
}
END_TEST

/* What further rows of 16 columns take of the epilogue. */
static double further_rows(const aic_epilogue *p, const aic_machine *machine, bool busy)
{
    return aic_epilogue_cost(p, machine, plan_problem.target, 16, 8, busy) -
           aic_epilogue_cost(p, machine, plan_problem.target, 16, 4, busy);
}

/* The tiles of two panels of a strip share its epilogue, which takes longer between products that keep all units busy.
 */
START_TEST(strips_of_two_panels)
{
    const aic_machine *machine = claims_published(AIC_CORE_ZEN4);
    double cost[2];
    for (int i = 0; i < 2; i++) {
        aic_plan *plan = fused_plan("fm_shape=[1,16,16,32], kernel_shape=[1,1,1,64,32]", "avx2", machine,
                                    i == 0 ? "schedule(kernel=vector, rows=1, cols=4, vectors=2, unroll=2, band=1)"
                                           : "schedule(kernel=vector, rows=1, cols=4, vectors=1, unroll=2, band=1)");
        const aic_plan_staging *s = &aic_tiling_of(plan)->staging;
        ck_assert_int_eq(s->strip_columns, 16);
        cost[i] = plan->cost;
        ck_assert_double_gt(further_rows(s->epilogue, machine, true), further_rows(s->epilogue, machine, false));
        aic_plan_free(plan);
    }
    ck_assert_double_lt(cost[1], cost[0] * 1.2);
}
END_TEST

/* Of the rows and columns of the image a band has those that taps read: every other one where stride and dilation are
 * even. */
START_TEST(bands_without_gaps)
{
    static const struct {
        const char *across;
        int64_t columns, rows; /* of a band, for one row of the output */
    } ROWS[] = {{"stride=[2,2], dilation=[2,2]", 22, 3},
                {"stride=[4,2], dilation=[2,4]", 22, 3},
                {"stride=[2,2], dilation=[1,2]", 22, 3},
                {"stride=[1,1], dilation=[2,2]", 43, 5}};
    plan_problem.target = aic_target_find(AIC_ARCH_X86_64, "avx2");
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char text[200];
        snprintf(text, sizeof text, "conv2d(dtype=int8, fm_shape=[1,43,43,32], kernel_shape=[1,3,3,32,32], %s)",
                 ROWS[i].across);
        ck_assert_int_eq(aic_spec_read(text, &plan_spec), AIC_OK);
        aic_plan *plan = plan_of(&plan_problem);
        ck_assert_int_eq(aic_plan_parse(plan, "schedule(kernel=vector, rows=1, cols=2, vectors=1, band=1)"), AIC_OK);
        ck_assert_int_eq(aic_tiling_of(plan)->band.rows, ROWS[i].rows);
        ck_assert_int_eq(aic_tiling_of(plan)->band.columns, ROWS[i].columns);
        aic_plan_free(plan);
    }
}
END_TEST

/* ---- the level amx ---- */

/* The report says by which blocks of channels a tile passes. */
START_TEST(blocks_of_channels)
{
    char *text;
    plan_problem.target = aic_target_find(AIC_ARCH_X86_64, "amx");
    ck_assert_int_eq(aic_spec_read(PLAN_INT8, &plan_spec), AIC_OK);
    ck_assert_int_eq(aic_generator_linked()->explain(&plan_problem, "schedule(kernel=amx, blocks=2)", &text), AIC_OK);
    ck_assert_msg(strstr(text, "of one of 2 blocks of channels") != NULL, "%s", text);
    free(text);
    ck_assert_int_eq(aic_generator_linked()->explain(&plan_problem, "schedule(kernel=amx, blocks=1)", &text), AIC_OK);
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
    plan_problem.target = aic_target_find(AIC_ARCH_X86_64, "amx");
    ck_assert_int_eq(aic_spec_read(PLAN_INT8, &plan_spec), AIC_OK);
    for (int i = 0; i < 2; i++) {
        plan_problem.machine = i == 0 ? aic_machine_of(AIC_CORE_GOLDEN_COVE) : &without;
        ck_assert_int_eq(aic_generator_linked()->plan(&plan_problem, "schedule(kernel=amx)", &of[i]), AIC_OK);
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
    plan_problem.target = aic_target_find(AIC_ARCH_X86_64, "amx");
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        lean_walk seen = {0};
        ck_assert_int_eq(aic_spec_read(CASES[i].spec, &plan_spec), AIC_OK);
        ck_assert_int_eq(aic_spec_resolve_kernel(&plan_spec, &plan_semantics, &plan_spec), AIC_OK);
        aic_plan *plan = plan_of(&plan_problem);
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
    enum { BODIES = 2, IMAGE = 1 }; /* packing a row of the band fetches the next one's */
    const int rows = sizeof ROWS / sizeof *ROWS;
    for (int i = 0; i < rows; i++) {
        char *text;
        size_t size;
        int calls = 0, ahead = 0;
        ck_assert_msg(aic_dump(NULL, &plan_spec, ROWS[i].schedule, AIC_DUMP_IR, ROWS[i].isa, NULL, &text, &size) ==
                          AIC_OK,
                      "%s", aic_last_error());
        for (const char *at = text; (at = strstr(at, "call void @llvm.prefetch")) != NULL; at++) {
            calls++;
        }
        for (const char *at = text; (at = strstr(at, ", i64 12288\n")) != NULL; at++) {
            ahead++;
        }
        ck_assert_msg(calls == IMAGE + BODIES * ROWS[i].fetches, "%s %s: %d", ROWS[i].isa, ROWS[i].schedule, calls);
        ck_assert_msg(ahead == (ROWS[i].fetches > 0 ? BODIES : 0), "%s %s: %d", ROWS[i].isa, ROWS[i].schedule, ahead);
        aic_free(text);
    }
}
END_TEST

/* Packing fetches what the next row of the band is packed from, where blocks of channels are apart: the next image row,
 * or those between that no tap reads further on. */
START_TEST(next_rows_are_fetched)
{
    enum { ROW_BYTES = 11 * 32 };
    static const struct {
        const char *spec;
        int rows, fetches;
    } CASES[] = {
        {"dtype=float16, fm_shape=[2,12,11,16], kernel_shape=[2,3,3,16,16]", 1, 1},
        {"dtype=float16, fm_shape=[2,12,11,16], kernel_shape=[2,3,3,16,16], stride=[2,2]", 1, 1},
        {"dtype=float16, fm_shape=[2,12,11,16], kernel_shape=[2,3,3,16,16], stride=[2,2], dilation=[2,2]", 2, 1},
        {"dtype=float16, fm_shape=[2,12,11,16], kernel_shape=[2,1,1,16,16], stride=[3,3], pad=[1,1,1,1]", 3, 1},
        {"dtype=int8, fm_shape=[2,12,11,32], kernel_shape=[2,3,3,16,32]", 1, 6}, /* two of a pair; four pixels, one */
        {"dtype=float16, fm_shape=[1,12,11,16], kernel_shape=[1,3,3,16,16]", 1, 0},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[200], *ir;
        size_t size;
        int fetches = 0, right = 0;
        snprintf(text, sizeof text, "conv2d(%s)", CASES[i].spec);
        ck_assert_int_eq(aic_spec_read(text, &plan_spec), AIC_OK);
        ck_assert_msg(aic_dump(NULL, &plan_spec, "schedule(kernel=vector, rows=1, cols=3, vectors=1, band=1, ahead=0)",
                               AIC_DUMP_IR, "avx512vnni", NULL, &ir, &size) == AIC_OK,
                      "%s", aic_last_error());
        snprintf(text, sizeof text, ", i64 %d\n  ", CASES[i].rows * ROW_BYTES);
        for (const char *at = ir; (at = strstr(at, "call void @llvm.prefetch")) != NULL; at++) {
            right += strncmp(at - strlen(text), text, strlen(text)) == 0;
            fetches++;
        }
        ck_assert_msg(fetches == CASES[i].fetches && right == fetches, "case %zu: %d of %d", i, right, fetches);
        aic_free(ir);
    }
}
END_TEST

static bool check_single(void *user, const aic_plan *plan)
{
    const aic_tiling *t = aic_tiling_of(plan);
    size_t *counting = user;
    if (t->tile.counts && t->kernel == &aic_microkernel_vector) {
        ck_assert_int_eq(t->geometry.unroll, 1);
        ++*counting;
    }
    return true;
}

/* Loop bodies of tiles that leave out k-packs of int8 without weights have one: however few there are, none is done
 * for nothing. */
START_TEST(kpacks_are_left_out_one_by_one)
{
    static const char *const LEVELS[] = {"avx512vnni", "amx", "avx2+avxvnni"};
    static const char *const TEXTS[] = {"conv2d(dtype=int8, fm_shape=[1,57,57,32], kernel_shape=[1,1,9,16,32])",
                                        "conv2d(dtype=int8, fm_shape=[2,28,36,32], kernel_shape=[2,2,2,48,32])"};
    for (size_t i = 0; i < 2 * sizeof LEVELS / sizeof *LEVELS; i++) {
        size_t counting = 0;
        plan_problem.target = aic_target_find(AIC_ARCH_X86_64, LEVELS[i / 2]);
        ck_assert_int_eq(aic_spec_read(TEXTS[i % 2], &plan_spec), AIC_OK);
        aic_plan *plan = plan_of(&plan_problem);
        aic_plan_enumerate(plan, AIC_SPACE_USUAL, &(aic_visitor){.visit = check_single, .user = &counting});
        ck_assert_uint_gt(counting, 0);
        aic_plan_free(plan);
    }
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
        ck_assert_int_eq(aic_spec_read(TEXTS[i], &plan_spec), AIC_OK);
        ck_assert_int_eq(aic_spec_validate(&plan_spec, NULL), AIC_OK);
        aic_plan *plan = plan_of(&plan_problem);
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
        ck_assert_int_eq(aic_spec_read(TEXTS[i], &plan_spec), AIC_OK);
        aic_plan *plan = plan_of(&plan_problem);
        aic_plan_enumerate(plan, AIC_SPACE_USUAL, &(aic_visitor){.visit = check_strips});
        aic_plan_free(plan);
    }
    aic_schedule_info info;
    ck_assert_int_eq(aic_spec_read(TEXTS[0], &plan_spec), AIC_OK);
    ck_assert_int_eq(
        aic_generator_linked()->plan(&plan_problem, "schedule(rows=4, cols=1, vectors=2, unroll=1, band=1)", &info),
        AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), "has vectors without output channels") != NULL, "%s", aic_last_error());
}
END_TEST

Suite *suite_tiling(void)
{
    Suite *suite = suite_create("tiling");
    TCase *cases = tcase_create("tiles");
    tcase_set_timeout(cases, 60); /* sanitizers are slow */
    tcase_add_checked_fixture(cases, plan_setup, NULL);
    tcase_add_test(cases, extents_are_cut_evenly);
    tcase_add_test(cases, planes_beyond_the_first_level_cache);
    tcase_add_test(cases, few_stores_at_a_time);
    tcase_add_test(cases, folds_that_are_hidden);
    tcase_add_test(cases, stores_that_were_measured);
    tcase_add_test(cases, halves_of_blocks);
    tcase_add_test(cases, bodies_of_sums_that_move);
    tcase_add_test(cases, vectors_of_two_groups);
    tcase_add_test(cases, products_of_pairs);
    tcase_add_test(cases, strips_of_two_panels);
    tcase_add_test(cases, bands_without_gaps);
    tcase_add_test(cases, blocks_of_channels);
    tcase_add_test(cases, tiles_of_a_core_without);
    tcase_add_test(cases, lean_forms);
    tcase_add_test(cases, weights_are_fetched_ahead);
    tcase_add_test(cases, next_rows_are_fetched);
    tcase_add_test(cases, kpacks_are_left_out_one_by_one);
    tcase_add_test(cases, largest_shapes);
    tcase_add_test(cases, strips);
    suite_add_tcase(suite, cases);
    return suite;
}
