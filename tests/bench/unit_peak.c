/* As in tools/harness/peak.c: independent chains of instructions, kept by empty assembly statements that claim to
 * change their operands. The factors are claimed to change, too: a product of constants would be computed once, outside
 * the loop. */
#include "tests/bench/unit_peak.h"

#include "tools/harness/memory.h"
#include "tools/harness/rng.h"
#include "tools/harness/timer.h"

#include <aic/aic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { ROUNDS = 10000, REPETITIONS = 300 };

/* Runs ROUNDS rounds; returns how many multiply-accumulates that were. */
typedef double (*peak_kernel)(void);

/* The best of some repetitions: a limit is what nothing disturbed. */
static double best_rate(peak_kernel kernel)
{
    double best = 0;
    for (int i = 0; kernel != NULL && i < REPETITIONS; i++) {
        const uint64_t start = timer_now();
        const double macs = kernel();
        const uint64_t taken = timer_now() - start;
        const double rate = taken > 0 ? macs / (double)taken : 0;
        best = rate > best ? rate : best;
    }
    return best;
}

#if defined(__x86_64__)

#include <immintrin.h>

enum { CHAINS = 12 };

/* Twelve sums and a factor stay within sixteen registers. The second operand of each step is the factor, too. */
#define UNIT_KERNEL(NAME, TARGET, VECTOR, SPLAT, STEP, REGISTER, MACS)                                                 \
    __attribute__((target(TARGET))) static double NAME(void)                                                           \
    {                                                                                                                  \
        VECTOR a = SPLAT(3), s0 = a, s1 = a, s2 = a, s3 = a, s4 = a, s5 = a, s6 = a, s7 = a, s8 = a, s9 = a, s10 = a,  \
               s11 = a;                                                                                                \
        for (int round = 0; round < ROUNDS; round++) {                                                                 \
            STEP(s0, a, REGISTER);                                                                                     \
            STEP(s1, a, REGISTER);                                                                                     \
            STEP(s2, a, REGISTER);                                                                                     \
            STEP(s3, a, REGISTER);                                                                                     \
            STEP(s4, a, REGISTER);                                                                                     \
            STEP(s5, a, REGISTER);                                                                                     \
            STEP(s6, a, REGISTER);                                                                                     \
            STEP(s7, a, REGISTER);                                                                                     \
            STEP(s8, a, REGISTER);                                                                                     \
            STEP(s9, a, REGISTER);                                                                                     \
            STEP(s10, a, REGISTER);                                                                                    \
            STEP(s11, a, REGISTER);                                                                                    \
        }                                                                                                              \
        return (double)ROUNDS * CHAINS * (MACS);                                                                       \
    }

#define STEP_WITH(SUM, FACTOR, REGISTER, EXPRESSION)                                                                   \
    do {                                                                                                               \
        __asm__ volatile("" : "+" REGISTER(FACTOR));                                                                   \
        (SUM) = (EXPRESSION);                                                                                          \
        __asm__ volatile("" : "+" REGISTER(SUM));                                                                      \
    } while (0)

#define PAIRS_128(s, a, r) STEP_WITH(s, a, r, _mm_add_epi32(s, _mm_madd_epi16(a, a)))
#define PAIRS_256(s, a, r) STEP_WITH(s, a, r, _mm256_add_epi32(s, _mm256_madd_epi16(a, a)))
#define PAIRS_512(s, a, r) STEP_WITH(s, a, r, _mm512_add_epi32(s, _mm512_madd_epi16(a, a)))
#define DOT_256(s, a, r) STEP_WITH(s, a, r, _mm256_dpbusd_epi32(s, a, a))
#define DOT_512(s, a, r) STEP_WITH(s, a, r, _mm512_dpbusd_epi32(s, a, a))

UNIT_KERNEL(pairs_128, "sse2", __m128i, _mm_set1_epi16, PAIRS_128, "x", 8)
UNIT_KERNEL(pairs_256, "avx2", __m256i, _mm256_set1_epi16, PAIRS_256, "x", 16)
UNIT_KERNEL(pairs_512, "avx512f,avx512bw", __m512i, _mm512_set1_epi16, PAIRS_512, "v", 32)
UNIT_KERNEL(dot_256, "avx512vl,avx512vnni", __m256i, _mm256_set1_epi8, DOT_256, "v", 32)
UNIT_KERNEL(dot_512, "avx512f,avx512vnni", __m512i, _mm512_set1_epi8, DOT_512, "v", 64)

static peak_kernel pairs_of_host(int bits)
{
    __builtin_cpu_init();
    if (bits >= 512 && __builtin_cpu_supports("avx512bw")) {
        return pairs_512;
    }
    return bits >= 256 && __builtin_cpu_supports("avx2") ? pairs_256 : pairs_128;
}

static peak_kernel dot_of_host(int bits)
{
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx512vnni") || bits < 256) {
        return NULL;
    }
    return bits >= 512 ? dot_512 : dot_256;
}

/* ---- tiles ---- */

enum { TILES = 8, ROWS = 16, ROW_BYTES = 64, FACTORS = 4 };

/* What ldtilecfg reads: palette 1, tiles of 16 rows of 64 bytes. */
typedef struct tile_configuration {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} tile_configuration;

static tile_configuration all_tiles(void)
{
    tile_configuration c = {.palette = 1};
    for (int i = 0; i < TILES; i++) {
        c.row_bytes[i] = ROW_BYTES;
        c.rows[i] = ROWS;
    }
    return c;
}

/* Four sums, products of two tiles with two: each waits for three others, which covers the latency of 52 cycles with
 * one product in 16. */
#define TILE_KERNEL(NAME, TARGET, PRODUCT, MACS)                                                                       \
    __attribute__((target(TARGET))) static double NAME(const uint8_t factor[FACTORS][ROWS * ROW_BYTES])                \
    {                                                                                                                  \
        const tile_configuration configuration = all_tiles();                                                          \
        _tile_loadconfig(&configuration);                                                                              \
        _tile_zero(0);                                                                                                 \
        _tile_zero(1);                                                                                                 \
        _tile_zero(2);                                                                                                 \
        _tile_zero(3);                                                                                                 \
        _tile_loadd(4, factor[0], ROW_BYTES);                                                                          \
        _tile_loadd(5, factor[1], ROW_BYTES);                                                                          \
        _tile_loadd(6, factor[2], ROW_BYTES);                                                                          \
        _tile_loadd(7, factor[3], ROW_BYTES);                                                                          \
        for (int round = 0; round < ROUNDS / 10; round++) {                                                            \
            PRODUCT(0, 4, 6);                                                                                          \
            PRODUCT(1, 4, 7);                                                                                          \
            PRODUCT(2, 5, 6);                                                                                          \
            PRODUCT(3, 5, 7);                                                                                          \
        }                                                                                                              \
        _tile_release();                                                                                               \
        return (double)(ROUNDS / 10) * 4 * (MACS);                                                                     \
    }

TILE_KERNEL(multiply_bytes, "amx-tile,amx-int8", _tile_dpbssd, 16 * 16 * 64)
TILE_KERNEL(multiply_bf16, "amx-tile,amx-bf16", _tile_dpbf16ps, 16 * 16 * 32)

static double tiles_i8(void)
{
    static uint8_t factor[FACTORS][ROWS * ROW_BYTES];
    uint64_t state = 1;
    for (size_t i = 0; i < sizeof factor; i++) {
        factor[i / sizeof factor[0]][i % sizeof factor[0]] = (uint8_t)rng_next(&state);
    }
    return multiply_bytes((const uint8_t(*)[ROWS * ROW_BYTES]) factor);
}

/* The upper half of a number's byte pair is a sign and an exponent near 1, the lower one random. */
static double tiles_bf16(void)
{
    static uint8_t factor[FACTORS][ROWS * ROW_BYTES];
    uint64_t state = 1;
    for (size_t i = 0; i < sizeof factor; i++) {
        const uint64_t bits = rng_next(&state);
        factor[i / sizeof factor[0]][i % sizeof factor[0]] =
            i % 2 == 0 ? (uint8_t)bits : (uint8_t)(0x3E | (bits & 1) | (bits & 0x80));
    }
    return multiply_bf16((const uint8_t(*)[ROWS * ROW_BYTES]) factor);
}

/* The library requests the permission that tiles need from the system. */
static bool host_has_tiles(void)
{
    return aic_isa_check("amx") == AIC_OK && !aic_isa_emulated("amx");
}

#else

static peak_kernel pairs_of_host(int bits)
{
    (void)bits;
    return NULL;
}

static peak_kernel dot_of_host(int bits)
{
    (void)bits;
    return NULL;
}

static const peak_kernel tiles_i8 = NULL, tiles_bf16 = NULL;

static bool host_has_tiles(void)
{
    return false;
}

#endif

double aic_peak_pairs(int bits)
{
    return best_rate(pairs_of_host(bits));
}

double aic_peak_dot(int bits)
{
    return best_rate(dot_of_host(bits));
}

double aic_peak_tiles_i8(void)
{
    return best_rate(host_has_tiles() ? tiles_i8 : NULL);
}

double aic_peak_tiles_bf16(void)
{
    return best_rate(host_has_tiles() ? tiles_bf16 : NULL);
}

/* ---- memory ---- */

/* Pieces so short that they are filled by stores of vectors, as a kernel stores its results. */
enum { PASS_PIECE = 1024, PASS_LINE = 64 };

/* Fills whole pieces of `to`, and fetches lines of `from` as far on by a load each. */
static void pass(unsigned char *to, size_t written, const unsigned char *from, size_t read)
{
    const double share = (double)read / (double)written;
    const volatile unsigned char *line = from;
    for (size_t at = PASS_PIECE; at <= written; at += PASS_PIECE) {
        memset(to + at - PASS_PIECE, 1, PASS_PIECE);
        __asm__ volatile("" : : "r"(to) : "memory");
        for (const unsigned char *end = from + (size_t)(share * (double)at); line < end; line += PASS_LINE) {
            (void)*line;
        }
    }
}

double aic_peak_pass_of(size_t read, size_t written)
{
    enum { LEAST = 8, CALL_BYTES = 1 << 18 };
    static const uint64_t LIMIT_NS = 20000000;
    const size_t from_bytes = read + PASS_PIECE, to_bytes = written + PASS_PIECE;
    const size_t passes = written < CALL_BYTES ? CALL_BYTES / to_bytes : 1; /* of one measurement */
    unsigned char *from = memory_map(from_bytes), *to = memory_map(to_bytes);
    double best = 0;
    if (from != NULL && to != NULL) {
        memset(from, 1, from_bytes);
        const uint64_t begin = timer_now();
        for (int i = 0; i < LEAST || timer_now() - begin < LIMIT_NS; i++) {
            const uint64_t start = timer_now();
            for (size_t k = 0; k < passes; k++) {
                pass(to, to_bytes, from, from_bytes);
            }
            const double taken = (double)(timer_now() - start) / (double)passes;
            best = i == 0 || taken < best ? taken : best;
        }
    }
    memory_unmap(from, from_bytes);
    memory_unmap(to, to_bytes);
    return best;
}
