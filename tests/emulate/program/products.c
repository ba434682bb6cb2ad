/* Products of tiles against the model: every kind, every shape's edges, every choice of tiles, the limits of the
 * numbers. */
#include "tests/emulate/program/program.h"

#include <math.h>
#include <string.h>

static const struct kind {
    const char *name, *table;
    bool a_signed, b_signed, is_bf16;
} kinds[] = {
    {"tdpbssd", amx_tdpbssd_table, true, true, false},    {"tdpbsud", amx_tdpbsud_table, true, false, false},
    {"tdpbusd", amx_tdpbusd_table, false, true, false},   {"tdpbuud", amx_tdpbuud_table, false, false, false},
    {"tdpbf16ps", amx_tdpbf16ps_table, true, true, true},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct product {
    const struct kind *kind;
    int m, n, k; /* c is m x n elements of 32 bits, a m x k, b k x n */
    unsigned tile_c, tile_a, tile_b;
    tile c, a, b;
} product;

static bool is_nan(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000;
}

/* Elements of the result; of NaNs only that they are ones. */
static void compare(const product *p, const tile *got, const tile *expected)
{
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < ROW_BYTES / 4; j++) {
            uint32_t a, b;
            memcpy(&a, &got->byte[i][4 * j], sizeof a);
            memcpy(&b, &expected->byte[i][4 * j], sizeof b);
            ck_assert_msg(a == b || (p->kind->is_bf16 && is_nan(a) && is_nan(b)),
                          "%s m=%d n=%d k=%d tiles %u, %u, %u: element %d, %d is %#x, not %#x", p->kind->name, p->m,
                          p->n, p->k, p->tile_c, p->tile_a, p->tile_b, i, j, a, b);
        }
    }
}

/* Rows of memory beyond what the tile has must stay as they were. */
static void check(const product *p)
{
    tile_config config = {.palette = 1};
    config.rows[p->tile_c] = (uint8_t)p->m, config.colsb[p->tile_c] = (uint16_t)(4 * p->n);
    config.rows[p->tile_a] = (uint8_t)p->m, config.colsb[p->tile_a] = (uint16_t)(4 * p->k);
    config.rows[p->tile_b] = (uint8_t)p->k, config.colsb[p->tile_b] = (uint16_t)(4 * p->n);
    tile got = p->c, expected = p->c;
    amx_ldtilecfg(&config);
    on_tile(amx_tileloadd_table, p->tile_a, &p->a, ROW_BYTES);
    on_tile(amx_tileloaddt1_table, p->tile_b, &p->b, ROW_BYTES);
    on_tile(amx_tileloadd_table, p->tile_c, &p->c, ROW_BYTES);
    multiply(p->kind->table, p->tile_c, p->tile_a, p->tile_b);
    multiply(p->kind->table, p->tile_c, p->tile_a, p->tile_b); /* the factors are as they were */
    on_tile(amx_tilestored_table, p->tile_c, &got, ROW_BYTES);
    amx_tilerelease();
    for (int twice = 0; twice < 2; twice++) {
        if (p->kind->is_bf16) {
            model_bf16(&expected.byte[0][0], &p->a.byte[0][0], &p->b.byte[0][0], p->m, p->n, p->k);
        } else {
            model_bytes(&expected.byte[0][0], &p->a.byte[0][0], &p->b.byte[0][0], p->m, p->n, p->k, p->kind->a_signed,
                        p->kind->b_signed);
        }
    }
    compare(p, &got, &expected);
}

/* A random bit pattern; mostly of moderate exponents, else everything would be lost in infinities. */
static uint32_t random_float(uint64_t *state)
{
    const uint32_t bits = (uint32_t)(next_random(state) >> 16);
    return next_random(state) % 8 == 0 ? bits : (bits & 0x807fffff) | (uint32_t)(110 + next_random(state) % 36) << 23;
}

static void fill(product *p, uint64_t *state)
{
    if (!p->kind->is_bf16) {
        fill_random(&p->a, sizeof p->a, state);
        fill_random(&p->b, sizeof p->b, state);
        fill_random(&p->c, sizeof p->c, state);
        return;
    }
    for (int i = 0; i < ROWS * ROW_BYTES; i += 4) {
        const uint32_t c = random_float(state);
        memcpy(&p->c.byte[0][0] + i, &c, sizeof c);
        for (int half = 0; half < 4; half += 2) {
            const uint32_t a = random_float(state) >> 16, b = random_float(state) >> 16;
            memcpy(&p->a.byte[0][0] + i + half, &a, 2);
            memcpy(&p->b.byte[0][0] + i + half, &b, 2);
        }
    }
}

/* _i: a kind. Every combination of the edges of m, n and k, and random shapes. */
START_TEST(shapes)
{
    static const int edges[] = {1, 2, 3, 7, 8, 15, 16};
    enum { EDGES = sizeof edges / sizeof *edges, RANDOM = 200 };
    uint64_t state = 88172645463325252u + (uint64_t)_i;
    product p = {.kind = &kinds[_i], .tile_c = 0, .tile_a = 1, .tile_b = 2};
    for (int i = 0; i < EDGES * EDGES * EDGES + RANDOM; i++) {
        const bool edge = i < EDGES * EDGES * EDGES;
        p.m = edge ? edges[i % EDGES] : (int)(next_random(&state) % 16) + 1;
        p.n = edge ? edges[i / EDGES % EDGES] : (int)(next_random(&state) % 16) + 1;
        p.k = edge ? edges[i / EDGES / EDGES] : (int)(next_random(&state) % 16) + 1;
        fill(&p, &state);
        check(&p);
    }
}
END_TEST

/* _i: a kind. */
START_TEST(choices_of_tiles)
{
    uint64_t state = 1234567 + (uint64_t)_i;
    product p = {.kind = &kinds[_i], .m = 3, .n = 5, .k = 2};
    for (unsigned i = 0; i < TILES * TILES * TILES; i++) {
        p.tile_c = i / 64, p.tile_a = i / 8 % 8, p.tile_b = i % 8;
        if (p.tile_c != p.tile_a && p.tile_c != p.tile_b && p.tile_a != p.tile_b) {
            fill(&p, &state);
            check(&p);
        }
    }
}
END_TEST

/* _i: a kind of integers. The largest products of either sign, added to sums that they carry over the edge. */
START_TEST(sums_wrap_around)
{
    static const uint8_t bytes[] = {0x80, 0x7f, 0xff, 0x00, 0x81};
    static const uint32_t sums[] = {0x7fffffff, 0x80000000, 0xffffffff, 0, 0x7fff0000};
    for (unsigned i = 0; i < 125; i++) {
        product p = {.kind = &kinds[_i], .m = 16, .n = 16, .k = 16, .tile_c = 7, .tile_a = 0, .tile_b = 3};
        memset(&p.a, bytes[i % 5], sizeof p.a);
        memset(&p.b, bytes[i / 5 % 5], sizeof p.b);
        for (int j = 0; j < ROWS * ROW_BYTES; j += 4) {
            memcpy(&p.c.byte[0][0] + j, &sums[i / 25], 4);
        }
        check(&p);
    }
}
END_TEST

/* ---- floats ---- */

/* One element: a0 b0 + a1 b1 + c. */
static uint32_t one_bf16(const uint16_t a[2], const uint16_t b[2], uint32_t c)
{
    const tile_config config = config_of(1, 4);
    uint32_t result = 0;
    amx_ldtilecfg(&config);
    on_tile(amx_tileloadd_table, 0, &c, 0);
    on_tile(amx_tileloadd_table, 1, a, 0);
    on_tile(amx_tileloadd_table, 2, b, 0);
    multiply(amx_tdpbf16ps_table, 0, 1, 2);
    on_tile(amx_tilestored_table, 0, &result, 0);
    amx_tilerelease();
    return result;
}

static const struct {
    const char *what;
    uint16_t a[2], b[2];
    uint32_t c, result;
} floats[] = {
    {"1 * 1 + 2 * 3 + 0.5", {0x3f80, 0x4000}, {0x3f80, 0x4040}, 0x3f000000, 0x40f00000},
    {"a subnormal factor is zero", {0x007f, 0}, {0x7f00, 0}, 0, 0},
    {"a subnormal sum is zero", {0, 0}, {0, 0}, 0x007fffff, 0},
    {"-0 is the sum of -0 alone", {0, 0}, {0, 0}, 0x80000000, 0},
    {"small results keep their sign", {0x2000, 0x2000}, {0x9f80, 0x9f80}, 0x807fffff, 0x80000000},
    {"the least normal product", {0x2000, 0}, {0x2000, 0}, 0, 0x00800000},
    {"its half is zero", {0x2000, 0}, {0x1f80, 0}, 0, 0},
    {"the least normal sum", {0, 0}, {0, 0}, 0x00800000, 0x00800000},
    {"1 + 2^-24: a tie, to even", {0x3f80, 0x3980}, {0x3f80, 0x3980}, 0, 0x3f800000},
    {"the same, then 2^-23 added to it", {0x3f80, 0x3980}, {0x3f80, 0x3980}, 0x34000000, 0x3f800001},
    {"infinity", {0x7f80, 0}, {0x3f80, 0}, 0, 0x7f800000},
    {"overflow", {0x7f7f, 0}, {0x7f7f, 0}, 0, 0x7f800000},
    {"overflow of the halves' sum", {0x7f7f, 0x7f7f}, {0x3f80, 0x3f80}, 0xff000000, 0x7f800000},
};

START_TEST(limits_of_floats)
{
    const uint32_t got = one_bf16(floats[_i].a, floats[_i].b, floats[_i].c);
    ck_assert_msg(got == floats[_i].result, "%s: %#x, not %#x", floats[_i].what, got, floats[_i].result);
}
END_TEST

/* inf * 0 and inf - inf. */
START_TEST(invalid_floats)
{
    ck_assert(is_nan(one_bf16((uint16_t[]){0x7f80, 0}, (uint16_t[]){0, 0}, 0)));
    ck_assert(is_nan(one_bf16((uint16_t[]){0x7f80, 0x7f80}, (uint16_t[]){0x3f80, 0xbf80}, 0)));
    ck_assert(is_nan(one_bf16((uint16_t[]){0x7f80, 0}, (uint16_t[]){0x3f80, 0}, 0xff800000)));
    ck_assert(is_nan(one_bf16((uint16_t[]){0x7fc0, 0}, (uint16_t[]){0x3f80, 0}, 0)));
}
END_TEST

/* The model's own arithmetic where the C library has the operation, too. */
START_TEST(model_is_right)
{
    uint64_t state = 99;
    for (int i = 0; i < 200000; i++) {
        const uint32_t bits[] = {random_float(&state) & 0xffff0000, random_float(&state) & 0xffff0000,
                                 random_float(&state)};
        float v[3];
        memcpy(v, bits, sizeof v);
        const float got = model_fma(v[0], v[1], v[2]), expected = fmaf(v[0], v[1], v[2]);
        if (isnormal(v[0]) && isnormal(v[1]) && isnormal(v[2]) && fabsf(expected) > 0x1p-125f) {
            ck_assert_msg(memcmp(&got, &expected, sizeof got) == 0, "%a * %a + %a: %a, not %a", (double)v[0],
                          (double)v[1], (double)v[2], (double)got, (double)expected);
        }
    }
    /* 2^-126 - 2^-150: a tie between the least normal number and the largest subnormal one, but too small before. */
    ck_assert(model_fma(1, 0x1p-126f, -0x1p-126f) == 0);
    ck_assert(model_fma(0x1p-75f, -0x1p-75f, 0x1p-126f) == 0);
    ck_assert(model_fma(0x1p-75f, -0x1p-76f, 0x1p-126f) == 0x1p-126f);
}
END_TEST

/* 2^-126 - 2^-150 in the instruction: both in one half, one after the other. */
START_TEST(underflow_is_decided_after_rounding)
{
    static const struct {
        uint16_t a[2], b[2]; /* of k = 0 and k = 1 */
        uint32_t result;
    } rows[] = {
        {{0x2000, 0x1a00}, {0x2000, 0x9a00}, 0},          /* 2^-126 - 2^-150 */
        {{0x2000, 0x1a00}, {0x2000, 0x9980}, 0x00800000}, /* 2^-126 - 2^-151 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        product p = {.kind = &kinds[KINDS - 1], .m = 1, .n = 1, .k = 2, .tile_c = 0, .tile_a = 1, .tile_b = 2};
        for (int k = 0; k < 2; k++) {
            memcpy(&p.a.byte[0][4 * k], &rows[i].a[k], 2);
            memcpy(&p.b.byte[k][0], &rows[i].b[k], 2);
        }
        check(&p);
        tile_config config = {.palette = 1, .colsb = {4, 8, 4}, .rows = {1, 1, 2}};
        uint32_t got = 0;
        amx_ldtilecfg(&config);
        on_tile(amx_tileloadd_table, 1, &p.a, 0);
        on_tile(amx_tileloadd_table, 2, &p.b, ROW_BYTES);
        multiply(amx_tdpbf16ps_table, 0, 1, 2);
        on_tile(amx_tilestored_table, 0, &got, 0);
        ck_assert_msg(got == rows[i].result, "%zu: %#x, not %#x", i, got, rows[i].result);
    }
}
END_TEST

/* The program's control register counts for nothing and stays as it is, flags included. */
START_TEST(control_is_not_consulted)
{
    static const unsigned controls[] = {0x1f80, 0x7f80, 0x5f80, 0x9fc0, 0xffff};
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++) {
        unsigned usual = __builtin_ia32_stmxcsr();
        __builtin_ia32_ldmxcsr(controls[i]);
        /* 1 + 2^-25: inexact; the subnormal factor */
        const uint32_t up = one_bf16((uint16_t[]){0x3f80, 0x3900}, (uint16_t[]){0x3f80, 0x3980}, 0);
        const uint32_t zero = one_bf16((uint16_t[]){0x007f, 0}, (uint16_t[]){0x7f00, 0}, 0);
        const unsigned after = __builtin_ia32_stmxcsr();
        __builtin_ia32_ldmxcsr(usual);
        ck_assert_uint_eq(up, 0x3f800000);
        ck_assert_uint_eq(zero, 0);
        ck_assert_uint_eq(after, controls[i]);
    }
}
END_TEST

TCase *tests_of_products(void)
{
    TCase *tcase = tcase_create("products");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, shapes, 0, KINDS);
    tcase_add_loop_test(tcase, choices_of_tiles, 0, KINDS);
    tcase_add_loop_test(tcase, sums_wrap_around, 0, KINDS - 1);
    tcase_add_loop_test(tcase, limits_of_floats, 0, (int)(sizeof floats / sizeof *floats));
    tcase_add_test(tcase, invalid_floats);
    tcase_add_test(tcase, model_is_right);
    tcase_add_test(tcase, underflow_is_decided_after_rounding);
    tcase_add_test(tcase, control_is_not_consulted);
    return tcase;
}
