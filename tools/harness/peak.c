/* Peak measurements: independent chains of multiply-accumulates held in registers by empty assembly statements, which
 * the compiler can neither remove nor merge; enough chains to cover the latency of every known core. */
#include "tools/harness/peak.h"

#include "tools/harness/memory.h"
#include "tools/harness/timer.h"

#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

enum { ROUNDS = 20000, REPETITIONS = 500, ENOUGH = 100, BITS_WIDEST = 1 << 16 };

/* One way to multiply and accumulate: runs ROUNDS rounds, returns how many multiply-accumulates that were. */
typedef double (*peak_kernel)(void);

/* Twelve accumulators stay below sixteen registers with the two factors; latency 4 at two a cycle needs eight. They are
 * variables of their own: an array would be kept in memory. */
enum { CHAINS = 12 };

#define PEAK_KERNEL(NAME, TARGET, VECTOR, ELEMENT, SPLAT, STEP, REGISTER)                                              \
    TARGET static double NAME(void)                                                                                    \
    {                                                                                                                  \
        const VECTOR a = SPLAT((ELEMENT)0.999), b = SPLAT((ELEMENT)1e-3);                                              \
        VECTOR s0 = a, s1 = a, s2 = a, s3 = a, s4 = a, s5 = a, s6 = a, s7 = a, s8 = a, s9 = a, s10 = a, s11 = a;       \
        for (int round = 0; round < ROUNDS; round++) {                                                                 \
            s0 = STEP(s0, a, b), s1 = STEP(s1, a, b), s2 = STEP(s2, a, b), s3 = STEP(s3, a, b);                        \
            s4 = STEP(s4, a, b), s5 = STEP(s5, a, b), s6 = STEP(s6, a, b), s7 = STEP(s7, a, b);                        \
            s8 = STEP(s8, a, b), s9 = STEP(s9, a, b), s10 = STEP(s10, a, b), s11 = STEP(s11, a, b);                    \
            __asm__ volatile(""                                                                                        \
                             : "+" REGISTER(s0), "+" REGISTER(s1), "+" REGISTER(s2), "+" REGISTER(s3),                 \
                               "+" REGISTER(s4), "+" REGISTER(s5), "+" REGISTER(s6), "+" REGISTER(s7),                 \
                               "+" REGISTER(s8), "+" REGISTER(s9), "+" REGISTER(s10), "+" REGISTER(s11));              \
        }                                                                                                              \
        return (double)ROUNDS * CHAINS * (double)(sizeof(VECTOR) / sizeof(ELEMENT));                                   \
    }

typedef struct peak_level {
    int bits; /* of a vector */
    peak_kernel f32, f64;
} peak_level;

#if defined(__x86_64__)

#define WITH_AVX512 __attribute__((target("avx512f")))
#define WITH_AVX2 __attribute__((target("avx2,fma")))
#define WITH_SSE2
#define SSE2_STEP_F32(sum, a, b) _mm_add_ps(_mm_mul_ps(sum, a), b)
#define SSE2_STEP_F64(sum, a, b) _mm_add_pd(_mm_mul_pd(sum, a), b)
#define AVX2_STEP_F32(sum, a, b) _mm256_fmadd_ps(sum, a, b)
#define AVX2_STEP_F64(sum, a, b) _mm256_fmadd_pd(sum, a, b)
#define AVX512_STEP_F32(sum, a, b) _mm512_fmadd_ps(sum, a, b)
#define AVX512_STEP_F64(sum, a, b) _mm512_fmadd_pd(sum, a, b)

PEAK_KERNEL(avx512_f32, WITH_AVX512, __m512, float, _mm512_set1_ps, AVX512_STEP_F32, "v")
PEAK_KERNEL(avx512_f64, WITH_AVX512, __m512d, double, _mm512_set1_pd, AVX512_STEP_F64, "v")
PEAK_KERNEL(avx2_f32, WITH_AVX2, __m256, float, _mm256_set1_ps, AVX2_STEP_F32, "x")
PEAK_KERNEL(avx2_f64, WITH_AVX2, __m256d, double, _mm256_set1_pd, AVX2_STEP_F64, "x")
PEAK_KERNEL(sse2_f32, WITH_SSE2, __m128, float, _mm_set1_ps, SSE2_STEP_F32, "x")
PEAK_KERNEL(sse2_f64, WITH_SSE2, __m128d, double, _mm_set1_pd, SSE2_STEP_F64, "x")

/* The widest vectors of the host that have at most `bits` bits; the narrowest there are where none have. */
static peak_level level_of_host(int bits)
{
    __builtin_cpu_init();
    if (bits >= 512 && __builtin_cpu_supports("avx512f")) {
        return (peak_level){512, avx512_f32, avx512_f64};
    }
    if (bits >= 256 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return (peak_level){256, avx2_f32, avx2_f64};
    }
    return (peak_level){128, sse2_f32, sse2_f64};
}

#elif defined(__aarch64__)

#define NEON_STEP_F32(sum, a, b) vfmaq_f32(sum, a, b)
#define NEON_STEP_F64(sum, a, b) vfmaq_f64(sum, a, b)

PEAK_KERNEL(neon_f32, , float32x4_t, float, vdupq_n_f32, NEON_STEP_F32, "w")
PEAK_KERNEL(neon_f64, , float64x2_t, double, vdupq_n_f64, NEON_STEP_F64, "w")

static peak_level level_of_host(int bits)
{
    (void)bits;
    return (peak_level){128, neon_f32, neon_f64};
}

#else
#error "no peak measurement for this architecture"
#endif

/* The best of some repetitions: a peak is what nothing disturbed. It has been seen where ENOUGH of them in a row were
 * no better by a thousandth. */
static double best_rate(peak_kernel kernel)
{
    double best = 0;
    for (int i = 0, last = 0; i < REPETITIONS && i - last <= ENOUGH; i++) {
        uint64_t start = timer_now();
        double macs = kernel();
        uint64_t taken = timer_now() - start;
        double rate = taken > 0 ? macs / (double)taken : 0;
        last = rate > best * 1.001 ? i : last;
        best = rate > best ? rate : best;
    }
    return best;
}

double aic_peak_fma_f32(void)
{
    return best_rate(level_of_host(BITS_WIDEST).f32);
}

double aic_peak_fma_f64(void)
{
    return best_rate(level_of_host(BITS_WIDEST).f64);
}

double aic_peak_fma_f32_of(int bits)
{
    return best_rate(level_of_host(bits).f32);
}

double aic_peak_fma_f64_of(int bits)
{
    return best_rate(level_of_host(bits).f64);
}

double aic_peak_vector_operations(int bits)
{
    const peak_level level = level_of_host(bits);
    return best_rate(level.f32) / ((double)level.bits / 32);
}

double aic_peak_copy_of(size_t bytes)
{
    enum { LINE = 64, BLOCK_MAX = AIC_PEAK_COPY_MAX / 2, CALL_BYTES = 1 << 18, LEAST = 4 };
    static const uint64_t LIMIT_NS = 20000000;
    const size_t half = bytes / 2, size = half < LINE ? LINE : half > BLOCK_MAX ? BLOCK_MAX : half;
    const size_t copies = size < CALL_BYTES ? CALL_BYTES / size : 1; /* of one measurement */
    char *from = memory_map(size), *to = memory_map(size);
    double best = 0;
    if (from != NULL && to != NULL) {
        memset(from, 1, size);
        memset(to, 1, size);
        const uint64_t begin = timer_now();
        for (int i = 0; i < LEAST || timer_now() - begin < LIMIT_NS; i++) {
            const uint64_t start = timer_now();
            for (size_t k = 0; k < copies; k++) {
                memcpy(to, from, size);
                __asm__ volatile("" : : "r"(to) : "memory");
            }
            const double rate = 2.0 * (double)(size * copies) / (double)(timer_now() - start + 1);
            best = rate > best ? rate : best;
        }
    }
    memory_unmap(from, size);
    memory_unmap(to, size);
    return best;
}
