/* Which unit bounds which arithmetic on which level, and what it can do. */
#include "tests/bench/layers/layers.h"

#include "tests/bench/unit_peak.h"
#include "tools/harness/peak.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* Levels: bits of their vectors, and what multiplies bytes there. */
static const struct {
    const char *isa;
    int bits;
    limit_unit bytes;
} LEVELS[] = {
    {"generic", 128, LIMIT_F32},  {"sse2", 128, LIMIT_PAIRS},     {"avx2", 256, LIMIT_PAIRS},
    {"avx512", 512, LIMIT_PAIRS}, {"avx512vnni", 512, LIMIT_DOT}, {"avx512fp16", 512, LIMIT_DOT},
    {"amx", 512, LIMIT_TILES_I8}, {"neon", 128, LIMIT_F32},       {"dotprod", 128, LIMIT_F32},
    {"i8mm", 128, LIMIT_F32},
};

static size_t level_of(const char *isa)
{
    for (size_t i = 0; i < sizeof LEVELS / sizeof LEVELS[0]; i++) {
        if (strcmp(LEVELS[i].isa, isa) == 0) {
            return i;
        }
    }
    return 0;
}

limit_unit limit_of(const layer_kind *kind, const char *isa)
{
    const limit_unit bytes = LEVELS[level_of(isa)].bytes;
    if (kind->dtype == AIC_INT8) {
        return bytes;
    }
    if (kind->accumulate == AIC_ACCUMULATE_CUBE) {
        return LIMIT_F64;
    }
    return bytes == LIMIT_TILES_I8 ? LIMIT_TILES_BF16 : LIMIT_F32;
}

const char *limit_name(limit_unit unit)
{
    static const char *const NAMES[LIMITS] = {
        [LIMIT_F32] = "fp32 FMA",         [LIMIT_F64] = "fp64 FMA",        [LIMIT_PAIRS] = "int16 pairs",
        [LIMIT_DOT] = "int8 dot product", [LIMIT_TILES_I8] = "int8 tiles", [LIMIT_TILES_BF16] = "bf16 tiles / 4",
    };
    return NAMES[unit];
}

double limit_now(limit_unit unit, const char *isa)
{
    const int bits = LEVELS[level_of(isa)].bits;
    switch (unit) {
    case LIMIT_F32:
        return aic_peak_fma_f32_of(bits);
    case LIMIT_F64:
        return aic_peak_fma_f64_of(bits);
    case LIMIT_PAIRS:
        return aic_peak_pairs(bits);
    case LIMIT_DOT:
        return aic_peak_dot(bits);
    case LIMIT_TILES_I8:
        return aic_peak_tiles_i8();
    case LIMIT_TILES_BF16:
        return aic_peak_tiles_bf16() / 4; /* a float16 is the sum of two bfloat16 */
    default:
        return 0;
    }
}

/* Taps of a channel that an instruction of the unit multiplies. */
static int64_t taps_together(limit_unit unit)
{
    return unit == LIMIT_DOT ? 4 : unit == LIMIT_PAIRS ? 2 : 1;
}

/* Multiply-adds in whose time a vector of sums is loaded from halves: counted by adding conversions to multiply-adds of
 * as wide vectors on a Golden Cove core. The widest vectors take both units for one conversion, a double takes two of
 * them, the first of half the width. */
static double conversion_slots(limit_unit unit, int bits)
{
    enum { WIDEST = 512 };
    const double halves = bits == WIDEST ? 2 : 1;
    return unit == LIMIT_F32 ? halves : unit == LIMIT_F64 ? halves + 1 : 0;
}

/* Multiply-adds in whose time a vector of sums becomes a quarter of a vector of bytes: to floats, scaled, to integers,
 * and of four such three packed ones, one in order and one rectified. */
static const double REQUANTISED_SLOTS = 3 + (3 + 1 + 1) / 4.0;

double limit_depthwise(const layer_row *row, const char *isa)
{
    const layer *l = &row->layer;
    const limit_unit dense = limit_of(row->kind, isa);
    const limit_unit unit = dense == LIMIT_TILES_I8 ? LIMIT_DOT : dense == LIMIT_TILES_BF16 ? LIMIT_F32 : dense;
    const int bits = LEVELS[level_of(isa)].bits, lanes = bits / (unit == LIMIT_F64 ? 64 : 32);
    const int64_t taps = (int64_t)l->kernel_h * l->kernel_w, together = taps_together(unit);
    const double slots = (double)((taps + together - 1) / together * together), macs = (double)row->macs;
    const double outputs = macs / (double)taps;
    const double image = outputs * l->height * l->width / (double)layer_pixels(l);
    const double others = image * conversion_slots(unit, bits) + (row->kind->fused ? outputs * REQUANTISED_SLOTS : 0);
    const double products =
        macs * slots / (double)taps / limit_now(unit, isa) + others / lanes / aic_peak_vector_operations(bits);
    const double written = outputs * (row->kind->fused ? 1 : 4);
    return macs / fmax(products, aic_peak_pass_of((size_t)((double)row->bytes - written), (size_t)written));
}

/* Whether code of the level can use the unit: a level has those that the ones below it have. */
static bool level_has(limit_unit unit, const char *isa)
{
    const limit_unit bytes = LEVELS[level_of(isa)].bytes;
    switch (unit) {
    case LIMIT_PAIRS:
    case LIMIT_DOT:
    case LIMIT_TILES_I8:
        return bytes >= unit;
    case LIMIT_TILES_BF16:
        return bytes == LIMIT_TILES_I8;
    default:
        return true;
    }
}

static size_t cache_bytes(int which, size_t usual)
{
    const long bytes = sysconf(which);
    return bytes > 0 ? (size_t)bytes : usual;
}

void limits_measure(machine_limits *m, const char *isa)
{
    enum { KIB = 1024, MIB = KIB * KIB, L3_MOST = 64 * MIB, MEMORY = 256 * MIB };
    const size_t l3 = cache_bytes(_SC_LEVEL3_CACHE_SIZE, 8 * MIB);
    /* Half a cache, so that nothing else need leave it. */
    const struct {
        const char *name;
        size_t bytes;
    } MEMORY_ROWS[MEMORIES] = {
        {"L1", cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32 * KIB) / 2},
        {"L2", cache_bytes(_SC_LEVEL2_CACHE_SIZE, 512 * KIB) / 2},
        {"L3", (l3 < L3_MOST ? l3 : L3_MOST) / 2},
        {"memory", MEMORY},
    };
    for (limit_unit unit = 0; unit < LIMITS; unit++) {
        m->rate[unit] = level_has(unit, isa) ? limit_now(unit, isa) : 0;
    }
    for (size_t i = 0; i < MEMORIES; i++) {
        m->memory[i].name = MEMORY_ROWS[i].name;
        m->memory[i].rate = aic_peak_copy_of(MEMORY_ROWS[i].bytes);
    }
}
