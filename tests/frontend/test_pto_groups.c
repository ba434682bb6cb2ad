/* Groups of a program's statements as kernels: results, how many kernels are made, what groups consist of, threads. */
#include "frontend/random/rng.h"
#include "tests/levels.h"
#include "tests/pto_case.h"
#include "tests/specs.h"

#include <check.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_pto_groups(void);

enum { GROUP_MAX = 16, THREADS = 8, TEXT_MAX = 16384 };

static aic_context *context_of(const char *isa)
{
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    options.isa = isa;
    ck_assert_msg(aic_context_create(&options, &context) == AIC_OK, "%s", aic_last_error());
    return context;
}

static uint64_t compiles(aic_context *context)
{
    aic_cache_stats stats = aic_cache_stats_init();
    ck_assert_int_eq(aic_context_cache_stats(context, &stats), AIC_OK);
    ck_assert_uint_eq(stats.kernels, stats.compiles);
    return stats.compiles;
}

static void run(aic_context *context, pto_case *c)
{
    pto_case_reset(c);
    ck_assert_msg(aic_pto_run(context, c->program, c->pointers, c->count) == AIC_OK, "%s", aic_last_error());
    ck_assert(pto_case_done(c));
}

/* ---- programs ---- */

#define F32 "!pto.tile<8x8xf32>"

static const struct {
    const char *name, *text;
    size_t groups;
    uint64_t kernels;
} programs[] = {
    {"none", ".arg %s : f32\n.arg %t : " F32 "\n", 0, 0},
    {"one", ".arg %s : f32\n%t = texpands %s : f32, " F32 "\n", 1, 1},
    {"types and sizes",
     ".arg %a : i8\n.arg %b : ui16\n.arg %c : f32\n.arg %d : f16\n"
     "%p = texpands %a : i8, !pto.tile<vec, 3x32xi8, valid=3x31>\n"
     "%q = texpands %b : ui16, !pto.tile<1x16xui16>\n"
     "%r = texpands %c : f32, !pto.tile<vec, 33x24xf32, valid=32x17>\n"
     "%s = texpands %d : f16, !pto.tile<vec, 64x128xf16, valid=64x127>\n"
     "%t = texpands -3 : si32, !pto.tile<vec, 5x8xsi32, valid=5x1>\n",
     1, 1},
    {"nothing to fill",
     ".arg %s : f32\n%a = texpands %s : f32, !pto.tile<vec, 8x8xf32, valid=0x8>\n"
     "%b = texpands %s : f32, " F32 "\n%c = texpands %s : f32, !pto.tile<vec, 8x8xf32, valid=8x0>\n",
     1, 1},
    {"sizes of the call",
     ".arg %s : f32\n.arg %h : f16\n"
     "%a = texpands %s : f32, !pto.tile<vec, 9x24xf32, valid=?x?>\n"
     "%b = texpands %s : f32, !pto.tile<vec, 9x24xf32, valid=?x?>\n"
     "%c = texpands 1.5 : f32, !pto.tile<vec, 16x16xf32, valid=?x5, slayout=row_major>\n"
     "%d = texpands %h : f16, !pto.tile<vec, 32x32xf16, valid=20x?, slayout=col_major>\n",
     1, 1},
    {"vec and mat",
     ".arg %s : f16\n%a = texpands %s : f16, !pto.tile<mat, 16x32xf16>\n"
     "%b = texpands %s : f16, !pto.tile<vec, 16x32xf16, valid=?x32>\n"
     "%c = texpands 0.25 : f16, !pto.tile<mat, 48x16xf16, valid=1x1, blayout=col_major, slayout=row_major>\n",
     1, 1},
    {"ConvTiles",
     ".arg %s : f16\n.arg %w : !pto.tile_buf<loc=mat, dtype=i8, layout=FRACTAL_Z, shape=[3,2,16,32]>\n"
     "%a = texpands %s : f16, !pto.tile<loc=mat, dtype=f16, layout=NC1HWC0, shape=[1,2,3,5,16]>\n"
     "%b = texpands %s : f16, !pto.tile<loc=mat, dtype=f16, layout=NC1HWC0, shape=[1,2,3,5,16], buffer_size=501>\n"
     "pto.texpands ins(-7 : i8) outs(%w : !pto.tile<loc=mat, dtype=i8, layout=FRACTAL_Z, shape=[3,2,16,32]>)\n"
     "%c = texpands 9 : i32, !pto.tile<loc=mat, dtype=i32, layout=NDC1HWC0, shape=[2,2,3,2,1,8]>\n",
     1, 1},
    {"a ConvTile over a tile", /* {a}, {b}: b, 960 bytes, lies over a's last ones */
     "pto.tassign %a, @tile(0)\npto.tassign %b, @tile(448)\n"
     "%a = texpands 1.0 : f32, !pto.tile<mat, 16x8xf32>\n"
     "%b = texpands 2.0 : f32, !pto.tile<loc=mat, dtype=f32, layout=NC1HWC0, shape=[1,2,3,5,8]>\n",
     2, 2},
    {"equal statements",
     ".arg %s : f32\n.arg %u : f32\n%a = texpands %s : f32, " F32 "\n%b = texpands %u : f32, " F32 "\n"
     "%c = texpands %s : f32, " F32 "\n%d = texpands 7.0 : f32, " F32 "\n%e = texpands 7.0 : f32, " F32 "\n",
     1, 1},
    {"one after the other", /* three groups; the last is that of the first statement */
     ".arg %s : f32\n.arg %a : " F32 "\n"
     "pto.texpands ins(%s : f32) outs(%a : " F32 ")\n"
     "pto.texpands ins(2.0 : f32) outs(%a : " F32 ")\n"
     "pto.texpands ins(%s : f32) outs(%a : " F32 ")\n",
     3, 2},
    {"a second store", /* {a, b}, {b, c} */
     ".arg %s : f32\n%a = texpands 1.0 : f32, " F32 "\n%b = texpands 2.0 : f32, " F32 "\n"
     "pto.texpands ins(%s : f32) outs(%b : " F32 ")\n%c = texpands 3.0 : f32, " F32 "\n",
     2, 2},
    {"the other order", /* two groups of the same statements are two kernels */
     "%a = texpands 1.0 : f32, " F32 "\n%b = texpands 2.0 : f32, " F32 "\n"
     "pto.texpands ins(2.0 : f32) outs(%b : " F32 ")\npto.texpands ins(1.0 : f32) outs(%a : " F32 ")\n",
     2, 2},
    {"tiles over each other", /* {a}, {b, c}: b lies over a's end; {d, a}: d in L1 over nothing */
     "pto.tassign %a, @tile(64)\npto.tassign %b, @tile(192)\npto.tassign %c, @tile(0x8000)\n"
     "pto.tassign %d, @tile(64)\n%a = texpands 1.0 : f32, " F32 "\n"
     "%b = texpands 2.0 : f32, !pto.tile<vec, 8x8xf32, valid=8x4>\n%c = texpands 3.0 : f32, " F32 "\n"
     "pto.texpands ins(4.0 : f32) outs(%a : " F32 ")\n%d = texpands 5.0 : f32, !pto.tile<mat, 8x8xf32>\n",
     3, 3},
    {"tiles in a row", /* placed, but not over each other: the address is in no key */
     ".arg %s : f32\npto.tassign %a, @tile(0)\npto.tassign %b, @tile(256)\npto.tassign %c, @tile(512)\n"
     "pto.tassign %d, @tile(0x1000)\n%a = texpands %s : f32, " F32 "\n%b = texpands %s : f32, " F32 "\n"
     "pto.texpands ins(%s : f32) outs(%a : " F32 ")\n%c = texpands %s : f32, " F32 "\n"
     "pto.texpands ins(%s : f32) outs(%c : " F32 ")\n%d = texpands %s : f32, " F32 "\n",
     3, 1},
};

enum { PROGRAMS = sizeof programs / sizeof programs[0] };

static size_t groups_of(const aic_pto_program *program)
{
    const size_t count = aic_pto_statement_count(program);
    aic_pto_statement last = aic_pto_statement_init();
    return count > 0 && aic_pto_get_statement(program, count - 1, &last) == AIC_OK ? last.group + 1 : 0;
}

/* Every program at one level that runs here, arguments at every side of the guard pages. */
START_TEST(every_program)
{
    const char *isa = levels_name(_i);
    for (size_t i = 0; i < PROGRAMS; i++) {
        aic_context *context = context_of(isa);
        aic_pto_program *program = pto_program_of(programs[i].text);
        ck_assert_msg(groups_of(program) == programs[i].groups, "%s: %zu groups", programs[i].name, groups_of(program));
        for (uint64_t seed = 0; seed < 2 * GUARD_SIDES; seed++) {
            pto_case *c = pto_case_new(program, (guard_side)(seed % GUARD_SIDES), seed);
            run(context, c);
            ck_assert_msg(compiles(context) == programs[i].kernels, "%s: %d kernels", programs[i].name,
                          (int)compiles(context));
            pto_case_free(c);
        }
        aic_pto_destroy(program);
        aic_context_destroy(context);
    }
}
END_TEST

/* Kernels are found by what they do: whatever tiles and scalars are called, wherever they are, by whatever call. */
START_TEST(kernels_are_shared)
{
    static const char *const texts[] = {
        ".arg %s : f32\n%a = texpands %s : f32, " F32 "\n%b = texpands 1.0 : f32, " F32 "\n",
        ".arg %x : f32\n.arg %y : " F32 "\n.const %one = 1.0 : f32\npto.texpands ins(%x : f32) outs(%y : " F32 ")\n"
        "%z = texpands %one : f32, " F32 "\n",
        ".arg %s : f32\npto.tassign %a, @tile(0)\npto.tassign %b, @tile(0x2000)\n%a = texpands %s : f32, " F32 "\n"
        "%b = texpands 1.0 : f32, !pto.tile<vec, 8x8xf32, valid=8x8>\n",
    };
    aic_context *context = context_of(NULL);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        aic_pto_program *program = pto_program_of(texts[i]);
        pto_case *c = pto_case_new(program, GUARD_AFTER, i);
        run(context, c);
        ck_assert_uint_eq(compiles(context), 1);
        pto_case_free(c);
        aic_pto_destroy(program);
    }
    aic_pto_program *single = pto_program_of("pto.tassign %a, @tile(32)\n%a = texpands 1.0 : f32, " F32 "\n");
    pto_case *c = pto_case_new(single, GUARD_AFTER, 9);
    run(context, c);
    ck_assert_uint_eq(compiles(context), 2);
    aic_texpands_desc desc = aic_texpands_desc_init();
    float tile[64];
    desc.dtype = AIC_FLOAT32;
    desc.rows = desc.cols = 8;
    desc.literal = 0x3F800000;
    ck_assert_int_eq(aic_jit_texpands(context, &desc, tile, NULL), AIC_OK);
    ck_assert_uint_eq(compiles(context), 2);
    pto_case_free(c);
    aic_pto_destroy(single);
    aic_context_destroy(context);
}
END_TEST

/* Nothing is stored, and nothing compiled, when the last of many statements is given a wrong size. */
START_TEST(refused_before_the_first_store)
{
    static const char text[] = ".arg %s : f32\n%a = texpands %s : f32, " F32 "\n"
                               "pto.texpands ins(1.0 : f32) outs(%a : " F32 ")\n"
                               "%b = texpands %s : f32, !pto.tile<vec, 8x8xf32, valid=?x8>\n";
    aic_context *context = context_of(NULL);
    aic_pto_program *program = pto_program_of(text);
    pto_case *c = pto_case_new(program, GUARD_BEFORE, 1);
    const int32_t nine = 9;
    memcpy(c->argument[3].before, &nine, sizeof nine);
    pto_case_reset(c);
    ck_assert_int_eq(aic_pto_run(context, program, c->pointers, c->count), AIC_INVALID_ARGUMENT);
    check_error("texpands: v_row: valid_row = 9 is outside 0..8 (line 4, column 1)");
    ck_assert(pto_case_untouched(c));
    ck_assert_uint_eq(compiles(context), 0);
    pto_case_free(c);
    aic_pto_destroy(program);
    aic_context_destroy(context);
}
END_TEST

/* ---- many statements ---- */

/* `count` statements, each to a tile of its own. */
static char *many(size_t count)
{
    char *text = calloc(1, TEXT_MAX);
    ck_assert_ptr_nonnull(text);
    size_t at = (size_t)snprintf(text, TEXT_MAX, ".arg %%s : f32\n");
    for (size_t i = 0; i < count; i++) {
        at += (size_t)snprintf(text + at, TEXT_MAX - at, "%%t%zu = texpands %%s : f32, " F32 "\n", i);
    }
    return text;
}

START_TEST(long_programs_are_cut)
{
    static const struct {
        size_t statements, groups;
        uint64_t kernels; /* groups of 16 equal statements are one */
    } rows[] = {{15, 1, 1}, {16, 1, 1}, {17, 2, 2}, {32, 2, 1}, {40, 3, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = many(rows[i].statements);
        aic_context *context = context_of(NULL);
        aic_pto_program *program = pto_program_of(text);
        pto_case *c = pto_case_new(program, GUARD_AFTER, i);
        ck_assert_uint_eq(groups_of(program), rows[i].groups);
        run(context, c);
        run(context, c);
        ck_assert_uint_eq(compiles(context), rows[i].kernels);
        pto_case_free(c);
        aic_pto_destroy(program);
        aic_context_destroy(context);
        free(text);
    }
}
END_TEST

/* Also with more arguments than a mask of operands has bits. */
START_TEST(overlap_of_many_arguments)
{
    char *text = many(40);
    aic_context *context = context_of(NULL);
    aic_pto_program *program = pto_program_of(text);
    pto_case *c = pto_case_new(program, GUARD_AFTER, 1);
    c->pointers[39] = (unsigned char *)c->pointers[38] + sizeof(float);
    ck_assert_int_eq(aic_pto_run(context, program, c->pointers, c->count), AIC_INVALID_ARGUMENT);
    check_error("texpands: t38: overlaps t37");
    ck_assert(pto_case_untouched(c));
    pto_case_free(c);
    aic_pto_destroy(program);
    aic_context_destroy(context);
    free(text);
}
END_TEST

/* ---- programs at random ---- */

/* A program in the making. */
typedef struct writer {
    uint64_t state;
    size_t at;
    char *text; /* TEXT_MAX bytes */
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    w->at += (size_t)vsnprintf(w->text + w->at, TEXT_MAX - w->at, format, arguments);
    va_end(arguments);
    ck_assert_uint_lt(w->at, TEXT_MAX);
}

static const struct {
    const char *name;
    int width; /* elements of 32 bytes */
} types[] = {{"i8", 32}, {"ui16", 16}, {"f16", 16}, {"f32", 8}, {"si32", 8}};

enum { TYPES = sizeof types / sizeof types[0], TILES_MAX = 12, TYPE_TEXT_MAX = 64 };

/* The text of a tile's type; returns the number of its element type. */
static int tile_type(writer *w, char text[TYPE_TEXT_MAX])
{
    const int type = (int)aic_rng_range(&w->state, 0, TYPES - 1);
    const int width = types[type].width * (int)aic_rng_range(&w->state, 1, 2);
    char columns[16] = "?";
    if (!aic_rng_once_in(&w->state, 3)) {
        snprintf(columns, sizeof columns, "%d", (int)aic_rng_range(&w->state, 0, width));
    }
    snprintf(text, TYPE_TEXT_MAX, "!pto.tile<vec, 4x%dx%s, valid=3x%s>", width, types[type].name, columns);
    return type;
}

/* Up to 12 tiles and 24 statements; in half of the programs all tiles are placed, many over each other. */
static void write_random(uint64_t seed, char text[TEXT_MAX])
{
    writer w = {.state = seed, .text = text};
    char tile[TILES_MAX][TYPE_TEXT_MAX];
    int type[TILES_MAX];
    const int tiles = (int)aic_rng_range(&w.state, 1, TILES_MAX);
    const bool placed = aic_rng_once_in(&w.state, 2);
    for (int i = 0; i < TYPES; i++) {
        put(&w, ".arg %%s%d : %s\n", i, types[i].name);
    }
    for (int i = 0; i < tiles; i++) {
        type[i] = tile_type(&w, tile[i]);
        put(&w, ".arg %%t%d : %s\n", i, tile[i]);
        if (placed) {
            put(&w, "pto.tassign %%t%d, @tile(%d)\n", i, 32 * (int)aic_rng_range(&w.state, 0, 60));
        }
    }
    for (int left = (int)aic_rng_range(&w.state, 1, 24); left > 0; left--) {
        const int t = (int)aic_rng_range(&w.state, 0, tiles - 1);
        const char *name = types[type[t]].name;
        if (aic_rng_once_in(&w.state, 3)) {
            put(&w, "pto.texpands ins(%d%s : %s)", left, name[0] == 'f' ? ".0" : "", name);
        } else {
            put(&w, "pto.texpands ins(%%s%d : %s)", type[t], name);
        }
        put(&w, " outs(%%t%d : %s)\n", t, tile[t]);
    }
}

/* Bytes that two statements both may write, by their tiles. */
static bool collide(const aic_pto_program *program, size_t a, size_t b)
{
    aic_pto_statement s[] = {aic_pto_statement_init(), aic_pto_statement_init()};
    aic_operand tile[] = {aic_operand_init(), aic_operand_init()};
    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_eq(aic_pto_get_statement(program, i == 0 ? a : b, &s[i]), AIC_OK);
        ck_assert_int_eq(aic_pto_argument(program, s[i].argument[0], &tile[i]), AIC_OK);
    }
    return s[0].argument[0] == s[1].argument[0] ||
           (s[0].address != AIC_NOT_GIVEN && s[0].address < s[1].address + tile[1].bytes &&
            s[1].address < s[0].address + tile[0].bytes);
}

/* Groups are as long as they may be: no two statements of one collide, and what follows one collides or finds it full.
 */
static void check_groups(const aic_pto_program *program)
{
    size_t first = 0, group = 0;
    for (size_t i = 0; i < aic_pto_statement_count(program); i++) {
        aic_pto_statement s = aic_pto_statement_init();
        bool collides = false;
        ck_assert_int_eq(aic_pto_get_statement(program, i, &s), AIC_OK);
        for (size_t k = first; k < i; k++) {
            collides = collides || collide(program, k, i);
        }
        if (collides || i - first == GROUP_MAX) {
            first = i;
            group++;
        }
        ck_assert_uint_eq(s.group, group);
    }
}

/* The result of a program without placement, one statement after the other. */
static void check_expected(const pto_case *c)
{
    void **pointers = calloc(c->count + 1, sizeof *pointers);
    ck_assert_ptr_nonnull(pointers);
    for (size_t i = 0; i < c->count; i++) {
        pointers[i] = malloc((size_t)c->argument[i].operand.bytes);
        ck_assert_ptr_nonnull(pointers[i]);
        memcpy(pointers[i], c->argument[i].before, (size_t)c->argument[i].operand.bytes);
    }
    for (size_t i = 0; i < aic_pto_statement_count(c->program); i++) {
        aic_pto_statement s = aic_pto_statement_init();
        void *operands[AIC_OPERANDS_MAX];
        ck_assert_int_eq(aic_pto_get_statement(c->program, i, &s), AIC_OK);
        for (size_t k = 0; k < s.operands; k++) {
            operands[k] = s.argument[k] == AIC_PTO_NONE ? NULL : pointers[s.argument[k]];
        }
        ck_assert_int_eq(aic_reference(s.spec, NULL, operands, s.operands), AIC_OK);
    }
    for (size_t i = 0; i < c->count; i++) {
        ck_assert_mem_eq(pointers[i], c->argument[i].expected, (size_t)c->argument[i].operand.bytes);
        free(pointers[i]);
    }
    free(pointers);
}

START_TEST(random_programs)
{
    enum { CASES = 60 };
    aic_context *context = context_of(NULL);
    size_t several = 0, placed = 0;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        char text[TEXT_MAX];
        write_random(seed, text);
        aic_pto_program *program = pto_program_of(text);
        pto_case *c = pto_case_new(program, (guard_side)(seed % GUARD_SIDES), seed);
        check_groups(program);
        const bool is_placed = strstr(text, "tassign") != NULL;
        if (!is_placed) {
            check_expected(c);
        }
        run(context, c);
        const uint64_t made = compiles(context);
        run(context, c);
        ck_assert_uint_eq(compiles(context), made);
        several += groups_of(program) > 1;
        placed += is_placed;
        pto_case_free(c);
        aic_pto_destroy(program);
    }
    aic_context_destroy(context);
    ck_assert_uint_gt(several, CASES / 4);
    ck_assert_uint_gt(placed, CASES / 4);
}
END_TEST

/* ---- threads ---- */

typedef struct crowd {
    pthread_barrier_t start;
    aic_context *context;
    pto_case *cases[THREADS];
    atomic_int next, wrong;
} crowd;

static void *run_own(void *argument)
{
    crowd *w = argument;
    pto_case *c = w->cases[atomic_fetch_add(&w->next, 1)];
    pthread_barrier_wait(&w->start);
    for (int i = 0; i < 40; i++) {
        pto_case_reset(c);
        if (aic_pto_run(w->context, c->program, c->pointers, c->count) != AIC_OK || !pto_case_done(c)) {
            atomic_fetch_add(&w->wrong, 1);
        }
    }
    return NULL;
}

/* One program in many threads at once, each with its own arguments: every kernel is made once. */
START_TEST(threads_share_a_program)
{
    aic_pto_program *program = pto_program_of(programs[_i].text);
    crowd w = {.context = context_of(NULL)};
    pthread_t thread[THREADS];
    atomic_init(&w.next, 0);
    atomic_init(&w.wrong, 0);
    ck_assert_int_eq(pthread_barrier_init(&w.start, NULL, THREADS), 0);
    for (size_t i = 0; i < THREADS; i++) {
        w.cases[i] = pto_case_new(program, GUARD_AFTER, i);
    }
    for (size_t i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&thread[i], NULL, run_own, &w), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pto_case_free(w.cases[i]);
    }
    ck_assert_int_eq(atomic_load(&w.wrong), 0);
    ck_assert_uint_eq(compiles(w.context), programs[_i].kernels);
    pthread_barrier_destroy(&w.start);
    aic_context_destroy(w.context);
    aic_pto_destroy(program);
}
END_TEST

Suite *suite_pto_groups(void)
{
    Suite *suite = suite_create("pto_groups");
    TCase *tcase = tcase_create("pto_groups");
    tcase_add_loop_test(tcase, every_program, 0, levels_count());
    tcase_add_test(tcase, kernels_are_shared);
    tcase_add_test(tcase, refused_before_the_first_store);
    tcase_add_test(tcase, long_programs_are_cut);
    tcase_add_test(tcase, overlap_of_many_arguments);
    tcase_add_test(tcase, random_programs);
    tcase_add_loop_test(tcase, threads_share_a_program, 0, PROGRAMS);
    tcase_set_timeout(tcase, 300);
    suite_add_tcase(suite, tcase);
    return suite;
}
