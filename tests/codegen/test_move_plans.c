/* The plans that boxes of moves get. The boxes are in test_move_boxes.c, stores past the caches in test_past_caches.c.
 */
#include "codegen/loops/move.h"
#include "codegen/machine.h"
#include "frontend/core/stage.h"
#include "tests/claims.h"
#include "tests/machines.h"
#include "tests/move_case.h"

#include <aic/aic.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_move_plans(void);

/* ---- analysis ---- */

static aic_move_plan plan_at(const char *level, aic_layout src, aic_layout dst, const int64_t *shape)
{
    aic_work work;
    aic_move_plan plan;
    const aic_semantics semantics = aic_semantics_init();
    aic_transdata_desc d = {.dtype = AIC_FLOAT16, .src = src, .dst = dst};
    memcpy(d.shape, shape, sizeof d.shape);
    aic_generator_transdata.describe(&d, &semantics, &work);
    const aic_move *move = (const aic_move *)(const void *)work.part;
    aic_move_plan_make(move, &move->box[0], &move_usual_schedule, aic_target_find(AIC_ARCH_X86_64, level),
                       claims_published(AIC_CORE_ZEN4), &plan);
    return plan;
}

static aic_move_plan plan_of(aic_layout src, aic_layout dst, const int64_t *shape)
{
    return plan_at("avx2", src, dst, shape);
}

START_TEST(plans)
{
    aic_move_plan p = plan_of(AIC_LAYOUT_ND, AIC_LAYOUT_NZ, (int64_t[]){48, 64, 0, 0});
    ck_assert(!p.transposes && p.run == 32 && p.write.extent == 48 && p.read.extent == 4 && p.chunk == 0);
    ck_assert_uint_eq(p.box.dims, 0);
    p = plan_of(AIC_LAYOUT_NHWC, AIC_LAYOUT_NC1HWC0, (int64_t[]){2, 3, 5, 9});
    ck_assert(!p.transposes && p.run == 32 && p.run_valid == 18 && p.write.extent == 30);
    p = plan_of(AIC_LAYOUT_NCHW, AIC_LAYOUT_NC1HWC0, (int64_t[]){2, 64, 5, 5});
    ck_assert(p.transposes && p.write.extent == 16 && p.read.extent == 25 && p.tile.rows == 16 && p.tile.cols == 8);
    p = plan_of(AIC_LAYOUT_NCHW, AIC_LAYOUT_NC1HWC0, (int64_t[]){2, 3, 5, 5});
    ck_assert(p.transposes && p.tile.rows == 16 && p.rows_valid == 3);
    p = plan_of(AIC_LAYOUT_NCHW, AIC_LAYOUT_NC1HWC0, (int64_t[]){2, 64, 1, 1}); /* the same bytes */
    ck_assert(!p.transposes && p.run == 256 && p.write.extent == 1);
    p = plan_of(AIC_LAYOUT_NCHW, AIC_LAYOUT_2N, (int64_t[]){2, 64, 5, 5});
    ck_assert(p.transposes && p.write.extent == 2 && p.tile.rows == 2 && p.read.extent == 1600);
}
END_TEST

/* Rows shorter than a lane are loaded with what follows them; what is left of longer ones begins where others were. */
START_TEST(rows_of_other_lengths)
{
    aic_move_plan p = plan_of(AIC_LAYOUT_NCHW, AIC_LAYOUT_NC1HWC0, (int64_t[]){2, 64, 1, 6});
    ck_assert(p.transposes && p.tile.cols == 8 && p.tile.over == 2 && p.tile.tail == 0);
    p = plan_of(AIC_LAYOUT_NCHW, AIC_LAYOUT_NC1HWC0, (int64_t[]){1, 1, 1, 7}); /* there is no row before the last */
    ck_assert(p.transposes && p.rows_valid == 1 && p.tile.cols == 4 && p.tile.over == 0);
    p = plan_of(AIC_LAYOUT_NCHW, AIC_LAYOUT_NC1HWC0, (int64_t[]){2, 64, 1, 8});
    ck_assert(p.transposes && p.tile.cols == 8 && p.tile.over == 0 && p.tile.tail == 0);
    p = plan_of(AIC_LAYOUT_NCHW, AIC_LAYOUT_NC1HWC0, (int64_t[]){2, 64, 1, 12});
    ck_assert(p.transposes && p.tile.cols == 8 && p.tile.over == 0 && p.tile.tail == 4);
    p = plan_of(AIC_LAYOUT_NCHW, AIC_LAYOUT_NC1HWC0, (int64_t[]){2, 64, 1, 14});
    ck_assert(p.transposes && p.tile.cols == 8 && p.tile.tail == 0);
}
END_TEST

/* Rows of a short dimension make one tile, as many times over as fill registers, or as leave fewer to be done twice
 * where there are not so many; those that would be whole tiles of a power of two anyway stay such. */
START_TEST(odd_rows)
{
    aic_move_plan p = plan_of(AIC_LAYOUT_HWIO, AIC_LAYOUT_OIHW, (int64_t[]){3, 3, 63, 63});
    ck_assert(p.transposes && p.write.extent == 9 && p.next.extent == 63 && p.tile.next_count == 16 &&
              p.tile.rows == 144);
    ck_assert_int_eq(p.tile.band, 16);                                        /* of next: a whole tile */
    p = plan_of(AIC_LAYOUT_HWIO, AIC_LAYOUT_OIHW, (int64_t[]){3, 3, 54, 63}); /* 64 of 54 would be done */
    ck_assert(p.transposes && p.write.extent == 9 && p.tile.next_count == 8 && p.tile.rows == 72);
    p = plan_of(AIC_LAYOUT_HWIO, AIC_LAYOUT_OIHW, (int64_t[]){3, 3, 12, 63});
    ck_assert(p.transposes && p.write.extent == 9 && p.tile.next_count == 4 && p.tile.rows == 36);
    p = plan_of(AIC_LAYOUT_HWIO, AIC_LAYOUT_OIHW, (int64_t[]){1, 3, 64, 63});
    ck_assert(p.transposes && p.write.extent == 3 && p.tile.next_count == 16 && p.tile.rows == 48);
    p = plan_of(AIC_LAYOUT_HWIO, AIC_LAYOUT_OIHW, (int64_t[]){7, 7, 63, 63});
    ck_assert(p.transposes && p.write.extent == 49 && p.tile.next_count == 1 && p.tile.rows == 16);
    p = plan_of(AIC_LAYOUT_NCHW, AIC_LAYOUT_NHWC, (int64_t[]){2, 3, 8, 8}); /* columns follow each other */
    ck_assert(p.transposes && p.tile.rows == 3 && p.tile.next_count == 1);
    p = plan_of(AIC_LAYOUT_NCHW, AIC_LAYOUT_NHWC, (int64_t[]){2, 12, 8, 8});
    ck_assert(p.transposes && p.tile.rows == 8 && p.tile.next_count == 1);
}
END_TEST

/* Tiles of every number of rows that make one have room for their numbers. */
START_TEST(parts_of_odd_rows)
{
    for (int rows = 2; rows <= 17; rows++) {
        for (int columns = 0; columns < 2; columns++) {
            char text[96];
            (void)snprintf(text, sizeof text, "transdata(dtype=int8, src=HWIO, dst=OIHW, shape=[1,%d,%d,67])", rows,
                           columns == 0 ? 64 : 35);
            free(move_report_of(text, AIC_CORE_ZEN4));
        }
    }
}
END_TEST

/* Tiles of rows that are much shorter than a lane go on with the next dimension of the input, by whole indices of it;
 * not where half a lane is filled without, nor where rows of the output fill no lane. */
START_TEST(tiles_that_follow)
{
    aic_move_plan p = plan_of(AIC_LAYOUT_OIHW, AIC_LAYOUT_HWIO, (int64_t[]){64, 64, 1, 3});
    ck_assert(p.transposes && p.read.extent == 3 && p.follow.extent == 64 && p.follow.out == 128);
    ck_assert(p.tile.follow_count == 2 && p.tile.cols == 8 && p.tile.over == 2);
    ck_assert_int_eq(aic_move_column(&p, 4), p.read.out + 128);
    p = plan_of(AIC_LAYOUT_OIHW, AIC_LAYOUT_HWIO, (int64_t[]){64, 64, 2, 2});
    ck_assert(p.tile.follow_count == 2 && p.tile.cols == 8 && p.tile.over == 0);
    p = plan_of(AIC_LAYOUT_OIHW, AIC_LAYOUT_HWIO, (int64_t[]){64, 64, 1, 5});
    ck_assert(p.transposes && p.follow.extent == 1);
    p = plan_of(AIC_LAYOUT_OIHW, AIC_LAYOUT_HWIO, (int64_t[]){7, 64, 1, 3});
    ck_assert(p.transposes && p.follow.extent == 1);
    p = plan_of(AIC_LAYOUT_OIHW, AIC_LAYOUT_HWIO, (int64_t[]){64, 2, 1, 3}); /* less than a lane in all */
    ck_assert(p.transposes && p.follow.extent == 1);
}
END_TEST

/* Tiles of an odd number of rows or columns that follow each other are turned where lanes may take any order; not where
 * rows are a lane but for a byte, nor where they are too many. */
START_TEST(tiles_that_are_turned)
{
    aic_move_plan p = plan_of(AIC_LAYOUT_NCHW, AIC_LAYOUT_NHWC, (int64_t[]){2, 5, 8, 8});
    ck_assert(p.transposes && p.tile.unit == 16 && p.vector == 32 && p.tile.rows == 5 && p.tile.cols == 16);
    p = plan_of(AIC_LAYOUT_NHWC, AIC_LAYOUT_NCHW, (int64_t[]){2, 8, 8, 9});
    ck_assert(p.transposes && p.tile.unit == 16 && p.tile.rows == 16 && p.tile.cols == 9 && p.tile.tail == 0);
    p = plan_of(AIC_LAYOUT_OIHW, AIC_LAYOUT_FRACTAL_Z, (int64_t[]){64, 64, 3, 3});
    ck_assert(p.tile.unit == 16 && p.write.extent == 16 && p.next.extent == 64 && p.tile.rows == 32);
    p = plan_of(AIC_LAYOUT_NHWC, AIC_LAYOUT_NCHW, (int64_t[]){2, 8, 8, 17});
    ck_assert(p.transposes && p.tile.unit == 0);
    p = plan_of(AIC_LAYOUT_NHWC, AIC_LAYOUT_NCHW, (int64_t[]){2, 1, 4, 5}); /* rows that fill no lane */
    ck_assert(p.transposes && p.tile.unit == 0);
}
END_TEST

/* The few columns of tiles that have all of a short `read` are gathered where they share sets: pieces of two lines and
 * more, eight in a row. */
START_TEST(columns_that_are_gathered)
{
    aic_move_plan p = plan_of(AIC_LAYOUT_OIHW, AIC_LAYOUT_FRACTAL_Z, (int64_t[]){128, 64, 3, 3});
    ck_assert(p.tile.unit > 0 && p.tile.gather == 512 && p.tile.band == 16);
    p = plan_of(AIC_LAYOUT_OIHW, AIC_LAYOUT_FRACTAL_Z, (int64_t[]){144, 64, 3, 3});
    ck_assert(p.tile.unit > 0 && p.tile.gather == 0);
    p = plan_of(AIC_LAYOUT_OIHW, AIC_LAYOUT_FRACTAL_Z, (int64_t[]){128, 64, 1, 7});
    ck_assert(p.tile.unit > 0 && p.tile.gather == 0);
}
END_TEST

/* Bands are a loop around dimensions whose steps in the input are shorter than lines, where they divide the rows. */
START_TEST(bands_around_short_steps)
{
    aic_move_plan p = plan_of(AIC_LAYOUT_OIHW, AIC_LAYOUT_HWIO, (int64_t[]){48, 128, 3, 3});
    ck_assert(p.transposes && p.write.extent == 16 && p.box.dims == 1 && p.box.dim[0].extent == 3);
    ck_assert(p.near.extent == 128 && p.near.in[0] == 18 && p.burst > 1);
    p = plan_of(AIC_LAYOUT_OIHW, AIC_LAYOUT_HWIO, (int64_t[]){48, 40, 3, 3}); /* fewer than a burst */
    ck_assert(p.near.extent == 40 && p.burst == 40 && p.box.dims == 1 && p.box.dim[0].extent == 3);
    p = plan_of(AIC_LAYOUT_OIHW, AIC_LAYOUT_HWIO, (int64_t[]){49, 128, 3, 3});
    ck_assert(p.transposes && p.write.extent == 49 && p.near.extent == 1);
    p = plan_of(AIC_LAYOUT_NCHW, AIC_LAYOUT_NHWC, (int64_t[]){2, 64, 96, 96}); /* images are far apart */
    ck_assert(p.transposes && p.write.extent == 64 && p.near.extent == 1);
}
END_TEST

/* Elements with gaps between them are rows of a tile in the input, of which all columns are loaded, and columns of one
 * in the output, of which a mask stores those rows that there are; without masks these are moved one by one. */
START_TEST(elements_with_gaps)
{
    aic_move_plan p = plan_at("avx512", AIC_LAYOUT_NCHW, AIC_LAYOUT_2N, (int64_t[]){1, 64, 5, 5});
    ck_assert(p.transposes && p.tile.rows == 2 && p.rows_valid == 1 && p.rows_stored == 1 && p.read.extent == 1600);
    p = plan_at("avx512", AIC_LAYOUT_NCHW, AIC_LAYOUT_2N, (int64_t[]){2, 64, 5, 5});
    ck_assert(p.transposes && p.tile.rows == 2 && p.rows_stored == 0);
    p = plan_of(AIC_LAYOUT_NCHW, AIC_LAYOUT_2N, (int64_t[]){1, 64, 5, 5});
    ck_assert(!p.transposes && p.run == 2 && p.rows_stored == 0);
    p = plan_of(AIC_LAYOUT_2N, AIC_LAYOUT_NCHW, (int64_t[]){1, 64, 5, 5});
    ck_assert(p.transposes && p.write.extent == 1600 && p.tile.cols == 2 && p.tile.over == 1);
    p = plan_at("avx512", AIC_LAYOUT_NC1HWC0, AIC_LAYOUT_NCHW, (int64_t[]){1, 1, 32, 32}); /* further than a lane */
    ck_assert(!p.transposes && p.run == 2);
}
END_TEST

/* ---- schedules ---- */

static const struct {
    const char *text, *message;
} BAD[] = {
    {"schedule(rows=3, cols=8, vector=32, unroll=4, band=16)", "rows = 3 is no power of two of 1..64"},
    {"schedule(rows=128, cols=8, vector=32, unroll=4, band=128)", "rows = 128 is no power of two of 1..64"},
    {"schedule(rows=8, cols=0, vector=32, unroll=4, band=16)", "cols = 0 is no power of two of 1..64"},
    {"schedule(rows=8, cols=8, vector=64, unroll=4, band=16)", "vector = 64 is no power of two of 1..32"},
    {"schedule(rows=8, cols=8, vector=8, unroll=4, band=16)", "vector = 8 is less than 16"},
    {"schedule(rows=8, cols=8, vector=32, unroll=-4, band=16)", "unroll = -4 is no power of two of 1..16"},
    {"schedule(rows=8, cols=8, vector=32, unroll=4, band=4)", "band = 4 is less than rows = 8"},
    {"schedule(rows=8, cols=8, vector=32, unroll=4, band=2097152)", "band = 2097152 is no power of two of 1..1048576"},
};

START_TEST(illegal_schedules)
{
    aic_spec spec;
    aic_schedule_info info;
    const aic_semantics semantics = aic_semantics_init();
    const aic_problem problem = {&spec, &semantics, aic_target_find(AIC_ARCH_X86_64, "avx2"),
                                 claims_published(AIC_CORE_ZEN4)};
    ck_assert_int_eq(aic_spec_read("transdata(dtype=float32, src=ND, dst=Nz, shape=[2047,2061])", &spec), AIC_OK);
    ck_assert_int_eq(aic_generator_linked()->plan(&problem, BAD[_i].text, &info), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), BAD[_i].message) != NULL, "%s", aic_last_error());
}
END_TEST

/* The report says where tiles go on with the next dimension of the input; those of many columns do where that fills
 * registers, whether or not columns share sets of the cache and are gathered; not where that makes them share sets. */
START_TEST(report_of_following_tiles)
{
    static const struct {
        const char *text;
        bool follows, gathers;
    } ROWS[] = {
        {"transdata(dtype=float16, src=OIHW, dst=HWIO, shape=[64,64,1,3])", true, false},
        {"transdata(dtype=float16, src=OIHW, dst=HWIO, shape=[64,64,2,4])", false, false},
        {"transdata(dtype=float16, src=OIHW, dst=HWIO, shape=[128,128,3,3])", true, true},
        {"transdata(dtype=float16, src=OIHW, dst=HWIO, shape=[120,130,3,3])", true, false},
        {"transdata(dtype=int8, src=OIHW, dst=HWIO, shape=[120,144,3,3])", true, false},
        /* planes 255 lines apart share sets with what is 120 bytes further on */
        {"transdata(dtype=int8, src=OIHW, dst=HWIO, shape=[120,136,3,3])", false, false},
        {"transdata(dtype=int8, src=OIHW, dst=HWIO, shape=[320,256,3,3])", true, true}, /* gathered as it is */
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char *text = move_report_of(ROWS[i].text, AIC_CORE_ZEN4);
        ck_assert_msg((strstr(text, "  follow ") != NULL) == ROWS[i].follows, "%s", text);
        ck_assert_msg((strstr(text, ", gathers ") != NULL) == ROWS[i].gathers, "%s", text);
        ck_assert_msg((strstr(text, "tile along the input") != NULL), "%s", text);
        free(text);
    }
}
END_TEST

/* Lines that are copied aside, of rows that are as long as the lines: all of a row is in one tile. */
START_TEST(one_line_aside)
{
    aic_spec spec;
    aic_object object;
    const aic_semantics semantics = aic_semantics_init();
    const aic_codegen_request request = {
        .count = 1,
        .spec = &spec,
        .schedule = "schedule(rows=8, cols=8, vector=16, unroll=4, band=16)",
        .semantics = &semantics,
        .target = aic_target_find(AIC_ARCH_X86_64, "avx2"),
        .machine = &tiny_machines[0],
        .symbol = "kernel",
        .divided = true,
    };
    const aic_problem problem = aic_codegen_problem(&request, 0);
    aic_plan *plan;
    ck_assert_int_eq(aic_spec_read("transdata(dtype=float32, src=ND, dst=Nn, shape=[16,4096])", &spec), AIC_OK);
    ck_assert_int_eq(aic_plan_create(&problem, &plan), AIC_OK);
    const aic_move *move = (const aic_move *)(const void *)plan->work.part;
    const aic_move_schedule schedule = {.rows = 8, .cols = 8, .vector = 16, .unroll = 4, .band = 16};
    aic_move_plan p;
    aic_move_plan_make(move, &move->box[0], &schedule, problem.target, problem.machine, &p);
    ck_assert(p.transposes && p.read.extent == 16 && p.tile.stage == 16);
    aic_plan_free(plan);
    ck_assert_msg(aic_generator_linked()->object(&request, &object) == AIC_OK, "%s", aic_last_error());
    aic_object_free(&object);
}
END_TEST

/* Rows that share sets of the first-level cache are read by several lines, others by columns of a tile. */
START_TEST(lines_aside)
{
    static const struct {
        int64_t shape[4], stage;
    } ROWS[] = {
        {{1, 64, 64, 64}, 128}, {{1, 64, 1, 2048}, 128}, {{1, 64, 1, 1024}, 0},
        {{1, 64, 64, 63}, 0},   {{1, 8, 64, 64}, 0},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        aic_move_plan p = plan_of(AIC_LAYOUT_NCHW, AIC_LAYOUT_NHWC, ROWS[i].shape);
        ck_assert_msg(p.transposes && p.tile.stage == ROWS[i].stage, "row %zu: %lld", i, (long long)p.tile.stage);
    }
    aic_move_plan p = plan_of(AIC_LAYOUT_HWIO, AIC_LAYOUT_OIHW, (int64_t[]){3, 3, 64, 512}); /* parts of lines */
    ck_assert(p.transposes && p.tile.next_count == move_usual_schedule.vector / 2 && p.tile.cols == 8);
    ck_assert_int_eq(p.tile.stage, 32);
}
END_TEST

/* Columns that share sets of the first-level cache are written in longer bands, and wider where rows share sets, too;
 * those that begin anywhere in a line in bands of some lines, where the cache holds the rows and these are long. */
START_TEST(bands_of_columns_that_share_sets)
{
    static const struct {
        const char *text;
        aic_core core;
        int64_t cols, band;
    } ROWS[] = {
        {"transdata(dtype=float16, src=NHWC, dst=NCHW, shape=[1,64,64,64])", AIC_CORE_ZEN4, 8, 256},
        {"transdata(dtype=float16, src=NHWC, dst=NCHW, shape=[1,64,64,128])", AIC_CORE_ZEN4, 16, 128},
        {"transdata(dtype=float16, src=NHWC, dst=NCHW, shape=[1,56,56,64])", AIC_CORE_ZEN4, 8, 32},
        {"transdata(dtype=float16, src=NHWC, dst=NCHW, shape=[1,64,64,64])", AIC_CORE_GOLDEN_COVE, 8, 32},
        {"transdata(dtype=float16, src=OIHW, dst=HWIO, shape=[512,512,3,3])", AIC_CORE_ZEN4, 64, 32}, /* gathered */
        {"transdata(dtype=float16, src=OIHW, dst=HWIO, shape=[512,512,1,1])", AIC_CORE_ZEN4, 8, 32},  /* rows, too */
        {"transdata(dtype=float16, src=NHWC, dst=NCHW, shape=[1,16,32,64])", AIC_CORE_ZEN4, 8, 64},   /* four sets */
        {"transdata(dtype=float16, src=HWIO, dst=OIHW, shape=[3,3,512,512])", AIC_CORE_ZEN4, 16, 64},
        {"transdata(dtype=float32, src=NCHW, dst=NHWC, shape=[1,51,56,56])", AIC_CORE_ZEN4, 8, 64},  /* all rows */
        {"transdata(dtype=float32, src=NCHW, dst=NHWC, shape=[1,100,28,28])", AIC_CORE_ZEN4, 8, 64}, /* some */
        {"transdata(dtype=float32, src=NCHW, dst=NHWC, shape=[1,51,64,64])", AIC_CORE_ZEN4, 8, 16},  /* share sets */
        {"transdata(dtype=float32, src=NCHW, dst=NHWC, shape=[1,56,56,56])", AIC_CORE_ZEN4, 8, 16},  /* half lines */
        {"transdata(dtype=float32, src=NHWC, dst=NCHW, shape=[1,17,17,79])", AIC_CORE_ZEN4, 8, 16},  /* short rows */
        {"transdata(dtype=float32, src=NCHW, dst=NHWC, shape=[1,51,56,56])", AIC_CORE_GOLDEN_COVE, 8, 16},
    };
    const aic_semantics semantics = aic_semantics_init();
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        aic_spec spec;
        aic_plan *plan;
        const aic_codegen_request request = {
            .count = 1,
            .spec = &spec,
            .semantics = &semantics,
            .target = aic_target_find(AIC_ARCH_X86_64, "avx512"),
            .machine = claims_published(ROWS[i].core),
            .symbol = "kernel",
        };
        const aic_problem problem = aic_codegen_problem(&request, 0);
        ck_assert_int_eq(aic_spec_read(ROWS[i].text, &spec), AIC_OK);
        ck_assert_int_eq(aic_plan_create(&problem, &plan), AIC_OK);
        ck_assert_int_eq(aic_plan_choose(plan), AIC_OK);
        const aic_move_schedule *schedule = (const aic_move_schedule *)(const void *)plan->schedule.fields;
        ck_assert_msg(schedule->cols == ROWS[i].cols && schedule->band == ROWS[i].band, "row %zu: %lld, %lld", i,
                      (long long)schedule->cols, (long long)schedule->band);
        aic_plan_free(plan);
    }
}
END_TEST

START_TEST(lines_that_a_cache_holds)
{
    const aic_machine *machine = claims_published(AIC_CORE_ZEN4);
    static const int64_t APART[] = {32, 64, 96, 192, 512, 1024, 4096, 5 << 12, 18432};
    static const int64_t HELD[] = {512, 512, 512, 512, 64, 32, 8, 8, 16};
    for (size_t i = 0; i < sizeof APART / sizeof *APART; i++) {
        ck_assert_int_eq(aic_move_lines_held(machine, APART[i]), HELD[i]);
    }
}
END_TEST

/* What is described is what a call moves, also where the description is not the canonical one of all that move nothing.
 */
START_TEST(nothing_to_move)
{
    static const int64_t SIZES[][3] = {{0, 3, 5}, {2, 0, 5}, {2, 3, 0}, {2, 3, 5}};
    const aic_semantics semantics = aic_semantics_init();
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        aic_work work;
        const aic_nd2nz_desc d = {.dtype = AIC_FLOAT16,
                                  .ndNum = SIZES[i][0],
                                  .nValue = SIZES[i][1],
                                  .dValue = SIZES[i][2],
                                  .srcNdMatrixStride = 15,
                                  .srcDValue = 5,
                                  .dstNzC0Stride = 3,
                                  .dstNzNStride = 1,
                                  .dstNzMatrixStride = 48};
        aic_generator_nd2nz.describe(&d, &semantics, &work);
        ck_assert_str_eq(work.shape->name, i < 3 ? "empty" : "move");
    }
}
END_TEST

/* The outermost loop of enough iterations is divided among workers, else the longest; none of one iteration; and what
 * lies behind the loops is not looked at. */
START_TEST(divided_loops)
{
    static const struct {
        int64_t iterations[4];
        int loops, divided;
        int64_t count;
    } ROWS[] = {
        {{1, 1, 9}, 2, -1, 1},         {{3, 5, 9}, 2, 1, 5},         {{5, 3, 5, 300}, 3, 0, 5},
        {{2, 300, 9000}, 3, 1, 300},   {{2, 255, 9000}, 3, 2, 9000}, {{256, 257, 1}, 3, 0, 256},
        {{255, 1, 256, 7}, 4, 2, 256}, {{9, 9, 9, 9}, 0, -1, 1},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const aic_division division = aic_divide(ROWS[i].iterations, ROWS[i].loops);
        ck_assert_msg(division.loop == ROWS[i].divided && division.count == ROWS[i].count, "row %zu: %d", i,
                      division.loop);
    }
}
END_TEST

Suite *suite_move_plans(void)
{
    Suite *suite = suite_create("move");
    TCase *cases = tcase_create("moves");
    tcase_set_timeout(cases, 600); /* sanitizers are slow */
    tcase_add_test(cases, divided_loops);
    tcase_add_test(cases, plans);
    tcase_add_test(cases, rows_of_other_lengths);
    tcase_add_test(cases, odd_rows);
    tcase_add_test(cases, parts_of_odd_rows);
    tcase_add_test(cases, tiles_that_follow);
    tcase_add_test(cases, tiles_that_are_turned);
    tcase_add_test(cases, columns_that_are_gathered);
    tcase_add_test(cases, bands_around_short_steps);
    tcase_add_test(cases, elements_with_gaps);
    tcase_add_loop_test(cases, illegal_schedules, 0, (int)(sizeof BAD / sizeof *BAD));
    tcase_add_test(cases, report_of_following_tiles);
    tcase_add_test(cases, nothing_to_move);
    tcase_add_test(cases, one_line_aside);
    tcase_add_test(cases, lines_aside);
    tcase_add_test(cases, bands_of_columns_that_share_sets);
    tcase_add_test(cases, lines_that_a_cache_holds);
    suite_add_tcase(suite, cases);
    return suite;
}
