/* Which levels run, and which did: a word for each in memory that tests share with the process that starts them. */
#include "tests/levels.h"
#include "frontend/core/diag.h"
#include "frontend/core/stage.h"
#include "tools/harness/processor.h"

#include <aic/aic.h>
#include <check.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__x86_64__)

#include "tests/emulate/emulate.h"

/* Of tiles: the instructions that kernels of the level are made for. */
static uint64_t emulated_products(void)
{
    uint64_t sum = 0;
    for (int kind = AMX_TDPBSSD; kind <= AMX_TDPBF16PS; kind++) {
        sum += emulate_count((amx_kind)kind);
    }
    return sum;
}

#else

static uint64_t emulated_products(void)
{
    return 0;
}

#endif

enum { LEVELS_MAX = 64 };

static _Atomic bool *used;

void levels_begin(void)
{
    void *shared = mmap(NULL, LEVELS_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        fprintf(stderr, "aicjit-tests: no memory for the report of levels\n");
        exit(EXIT_FAILURE);
    }
    used = shared;
}

/* A test that looks at the last failure sees the same on a host that lacks levels. */
static bool runs(const char *name)
{
    aic_failure failure;
    aic_failure_get(&failure);
    const bool does = aic_isa_check(name) == AIC_OK;
    aic_failure_put(&failure);
    return does;
}

int levels_count(void)
{
    const char *name;
    int count = 0;
    for (size_t i = 0; (name = aic_isa_name(i)) != NULL; i++) {
        count += runs(name);
    }
    return count;
}

/* The index of a level that runs among all. */
static size_t index_of(int number)
{
    size_t i = 0;
    for (; aic_isa_name(i) != NULL; i++) {
        if (runs(aic_isa_name(i)) && number-- == 0) {
            break;
        }
    }
    return i;
}

const char *levels_name(int number)
{
    const size_t i = index_of(number);
    used[i] = true;
    return aic_isa_name(i);
}

uint64_t levels_campaign(void)
{
    const char *text = getenv("AIC_CAMPAIGN");
    return text == NULL ? 0 : strtoull(text, NULL, 10);
}

aic_context *levels_context(int number, int threads)
{
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    options.isa = levels_name(number);
    options.threads = threads;
    ck_assert_msg(aic_context_create(&options, &context) == AIC_OK, "%s", aic_last_error());
    return context;
}

bool levels_is_thorough(int number)
{
    int highest = 0;
    for (int i = 0; i < levels_count(); i++) {
        highest = aic_isa_emulated(aic_isa_name(index_of(i))) ? highest : i;
    }
    return number == highest;
}

levels_kind levels_kind_of(const aic_spec *spec)
{
    bool narrows = false;
    for (int32_t i = 0; i < spec->count; i++) {
        const aic_op op = spec->stage[i].op;
        narrows = narrows || op == AIC_OP_FIXPIPE || op == AIC_OP_TENSOR_ARITHMETIC_QUANTIZED;
        const bool is_product = op == AIC_OP_CONV2D || op == AIC_OP_MMAD;
        const aic_dtype dtype = op == AIC_OP_CONV2D ? spec->stage[i].desc.conv2d.dtype : spec->stage[i].desc.mmad.dtype;
        if (is_product && dtype != AIC_FLOAT16 && dtype != AIC_FLOAT32) {
            return LEVELS_BYTE_PRODUCTS;
        }
    }
    const aic_op first = spec->stage[0].op;
    return narrows                                          ? LEVELS_NARROWING
           : first == AIC_OP_CONV2D || first == AIC_OP_MMAD ? LEVELS_PRODUCTS
                                                            : LEVELS_OTHERS;
}

#define KIND(name) (1U << LEVELS_##name)

/* Level avx512fp16 converts halves by instructions of its own; amx multiplies them by tiles where it may. */
static const levels_twins TWINS[] = {
    {{"generic", "sse2"}, KIND(PRODUCTS) | KIND(OTHERS)},
    {{"avx2", "avx2+avxvnni"}, KIND(PRODUCTS) | KIND(NARROWING) | KIND(OTHERS)},
    {{"avx512", "avx512vnni"}, KIND(PRODUCTS) | KIND(NARROWING)},
    {{"avx512", "avx512vnni", "amx"}, KIND(OTHERS)},
};

const levels_twins *levels_twins_get(size_t set)
{
    return set < sizeof TWINS / sizeof TWINS[0] ? &TWINS[set] : NULL;
}

/* The number of a level among its twins that run here, and how many there are. */
static uint64_t number_among(const char *const *twin, const char *name, uint64_t *count)
{
    uint64_t number = UINT64_MAX;
    for (*count = 0; *twin != NULL; twin++) {
        number = strcmp(*twin, name) == 0 ? *count : number;
        *count += runs(*twin);
    }
    return number;
}

bool levels_is_turn(int number, const aic_spec *spec, uint64_t turn)
{
    const uint32_t kind = 1U << levels_kind_of(spec);
    const char *name = aic_isa_name(index_of(number));
    for (size_t set = 0; set < sizeof TWINS / sizeof TWINS[0]; set++) {
        uint64_t count;
        const uint64_t mine = number_among(TWINS[set].level, name, &count);
        if (mine != UINT64_MAX && (TWINS[set].kinds & kind) != 0) {
            return count < 2 || levels_campaign() > 0 || turn % count == mine;
        }
    }
    return true;
}

bool levels_is_sampled(int number, const aic_spec *spec, uint64_t turn, uint64_t thorough, uint64_t others)
{
    const bool highest = levels_is_thorough(number);
    const uint64_t step = highest ? thorough : others;
    return levels_campaign() > 0 ||
           ((turn + (uint64_t)number) % step == 0 && (highest || levels_is_turn(number, spec, turn / step)));
}

static bool is_any_used(void)
{
    for (size_t i = 0; aic_isa_name(i) != NULL; i++) {
        if (used[i]) {
            return true;
        }
    }
    return false;
}

void levels_report(void)
{
    const char *name;
    for (size_t i = 0; is_any_used() && (name = aic_isa_name(i)) != NULL; i++) {
        const bool idle = runs(name) && !used[i];
        printf("level %s: %s", name, idle ? "not run by these suites" : level_way(name));
        if (!idle && aic_isa_emulated(name)) {
            printf(", %" PRIu64 " products of tiles", emulated_products());
        }
        printf("\n");
    }
}
