/* Operands, calls and verification of a search; see tune_case.h. */
#include "runtime/tuning/tune_case.h"
#include "frontend/core/diag.h"
#include "frontend/core/spec.h"
#include "frontend/numeric/element.h"
#include "frontend/random/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- contents ---- */

/* Between -1 and 1, and no nearer to 0 than 2^-10: no product is subnormal, which some processors compute slowly. */
static double draw_real(uint64_t *state)
{
    const uint64_t bits = aic_rng_next(state);
    const double size = 0x1p-10 + (double)(bits >> 12) * 0x1p-52 * (1 - 0x1p-10);
    return (bits & 1) != 0 ? -size : size;
}

static uint64_t draw_half(uint64_t *state)
{
    return aic_half_from_double(draw_real(state));
}

static uint64_t draw_bfloat(uint64_t *state)
{
    return aic_bfloat16_from_float((float)draw_real(state));
}

static uint64_t draw_float(uint64_t *state)
{
    return aic_bits_of_float((float)draw_real(state));
}

static uint64_t draw_small(uint64_t *state)
{
    return (uint64_t)((int64_t)(aic_rng_next(state) % 200001) - 100000);
}

/* A quantisation word: scale 2^-12 .. 2^-5, no offset, signed results (AscendC Fixpipe). */
static uint64_t draw_word(uint64_t *state)
{
    return (UINT64_C(115) + (aic_rng_next(state) & 7)) << 23 | UINT64_C(1) << 46;
}

/* Any type that is not listed gets any bits. */
static const struct {
    aic_dtype dtype;
    uint64_t (*draw)(uint64_t *state);
} SOURCES[] = {
    {AIC_FLOAT16, draw_half}, {AIC_BFLOAT16, draw_bfloat}, {AIC_FLOAT32, draw_float},
    {AIC_INT32, draw_small},  {AIC_UINT64, draw_word},
};

static void fill(const aic_operand *operand, uint64_t *state, unsigned char *content)
{
    uint64_t (*next)(uint64_t *) = operand->words ? draw_float : aic_rng_next; /* words are numbers of any type */
    for (size_t i = 0; i < sizeof SOURCES / sizeof *SOURCES && !operand->words; i++) {
        next = SOURCES[i].dtype == operand->dtype ? SOURCES[i].draw : next;
    }
    const size_t size = aic_dtype_size(operand->dtype);
    for (int64_t i = 0; i < operand->elements; i++) {
        const uint64_t bits = next(state);
        memcpy(content + (size_t)i * size, &bits, size); /* little-endian: the low bytes */
    }
}

/* Valid sizes that a call gives are those of the whole tile. */
static void fill_sizes(aic_tune_case *c)
{
    const aic_texpands_desc *desc = &c->spec->stage[0].desc.texpands;
    for (size_t i = 0; c->spec->stage[0].op == AIC_OP_TEXPANDS && i < c->count; i++) {
        const bool row = strcmp(c->operand[i].name, "v_row") == 0, col = strcmp(c->operand[i].name, "v_col") == 0;
        const int32_t size = (int32_t)(row ? desc->rows : desc->cols);
        if ((row || col) && c->content[i] != NULL && c->operand[i].dtype == AIC_INT32) {
            memcpy(c->content[i], &size, sizeof size);
        }
    }
}

/* ---- cases ---- */

/* Memory of 64-byte alignment, zeroed. */
static void *allocate(size_t bytes)
{
    const size_t rounded = (bytes + 64) / 64 * 64;
    void *memory = aligned_alloc(64, rounded);
    return memory != NULL ? memset(memory, 0, rounded) : NULL;
}

aic_status aic_tune_case_open(aic_tune_case *c, const aic_spec *spec, const aic_semantics *semantics, uint64_t seed)
{
    uint64_t state = seed;
    *c = (aic_tune_case){.spec = spec, .semantics = semantics};
    c->count = aic_spec_operands_of(spec, semantics, c->operand);
    for (size_t i = 0; i < c->count; i++) {
        const aic_operand *operand = &c->operand[i];
        if (operand->direction == AIC_DIRECTION_UNUSED) {
            continue;
        }
        c->content[i] = allocate((size_t)operand->bytes);
        if (c->content[i] == NULL) {
            return aic_fail_memory(operand->name, (size_t)operand->bytes);
        }
        if (operand->direction != AIC_DIRECTION_OUT) {
            fill(operand, &state, c->content[i]);
        }
        c->output = (operand->direction & AIC_DIRECTION_OUT) != 0 ? i : c->output;
    }
    fill_sizes(c);
    const size_t bytes = (size_t)c->operand[c->output].bytes;
    c->before = allocate(bytes);
    if (c->before == NULL) {
        return aic_fail_memory(c->operand[c->output].name, bytes);
    }
    memcpy(c->before, c->content[c->output], bytes);
    return AIC_OK;
}

void aic_tune_case_close(aic_tune_case *c)
{
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        free(c->content[i]);
    }
    free(c->before);
    free(c->by_default);
    free(c->expected);
    free(c->allowed);
    *c = (aic_tune_case){.count = 0};
}

/* ---- calls ---- */

aic_status aic_tune_kernel_open(const aic_tune_case *c, const aic_code *code, aic_tune_kernel *kernel)
{
    const aic_packing *pack = &code->requirements.pack;
    *kernel = (aic_tune_kernel){.code = code};
    if (pack->operand == 0) {
        return AIC_OK;
    }
    kernel->packed = allocate((size_t)pack->bytes);
    if (kernel->packed == NULL) {
        return aic_fail_memory("packed operand", (size_t)pack->bytes);
    }
    ((void (*)(void *, const void *))code->function[AIC_FUNCTION_PACK])(kernel->packed, c->content[pack->operand]);
    return AIC_OK;
}

void aic_tune_kernel_close(aic_tune_kernel *kernel)
{
    free(kernel->packed);
    *kernel = (aic_tune_kernel){.code = NULL};
}

static void put_operands(const aic_tune_case *c, const aic_tune_kernel *kernel, const void *operands[AIC_OPERANDS_MAX])
{
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        operands[i] = c->content[i];
    }
    if (kernel->packed != NULL) {
        operands[kernel->code->requirements.pack.operand] = kernel->packed;
    }
}

aic_status aic_tune_call(const aic_tune_case *c, const aic_tune_kernel *kernel)
{
    const void *operands[AIC_OPERANDS_MAX];
    put_operands(c, kernel, operands);
    return aic_call(kernel->code, AIC_PACKED, operands);
}

static uint64_t thread_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

double aic_tune_time_calls(const aic_tune_case *c, const aic_tune_kernel *kernel, uint64_t calls)
{
    const void *operands[AIC_OPERANDS_MAX];
    aic_status status = AIC_OK;
    put_operands(c, kernel, operands);
    const uint64_t start = thread_ns();
    for (uint64_t i = 0; i < calls; i++) {
        status |= aic_call(kernel->code, AIC_PACKED, operands);
    }
    const uint64_t taken = thread_ns() - start;
    return status != AIC_OK ? 0 : (double)(taken > 0 ? taken : 1) / (double)calls;
}

/* ---- results ---- */

/* A call that begins with the output's first content. */
static aic_status call_anew(const aic_tune_case *c, const aic_tune_kernel *kernel)
{
    memcpy(c->content[c->output], c->before, (size_t)c->operand[c->output].bytes);
    return aic_tune_call(c, kernel);
}

static bool is_equal(aic_dtype dtype, const void *a, const void *b)
{
    return memcmp(a, b, aic_dtype_size(dtype)) == 0 ||
           (isnan(aic_element_value(dtype, a)) && isnan(aic_element_value(dtype, b)));
}

aic_status aic_tune_case_keep(aic_tune_case *c, const aic_tune_kernel *kernel)
{
    const size_t bytes = (size_t)c->operand[c->output].bytes;
    aic_status status = call_anew(c, kernel);
    if (status != AIC_OK || !aic_spec_exact(c->spec)) {
        return status;
    }
    c->by_default = allocate(bytes);
    if (c->by_default == NULL) {
        return aic_fail_memory(c->operand[c->output].name, bytes);
    }
    memcpy(c->by_default, c->content[c->output], bytes);
    return AIC_OK;
}

/* Whether the output is `wanted`, every element. */
static bool is_output(const aic_tune_case *c, const void *wanted, bool bounded)
{
    const aic_operand *operand = &c->operand[c->output];
    const size_t size = aic_dtype_size(operand->dtype);
    const unsigned char *got = c->content[c->output], *right = wanted;
    bool equal = true;
    for (int64_t i = 0; i < operand->elements && equal; i++, got += size, right += size) {
        equal = is_equal(operand->dtype, got, right) ||
                (bounded && aic_is_allowed(&c->allowed[i], aic_element_value(operand->dtype, got)));
    }
    return equal;
}

aic_status aic_tune_case_compare(const aic_tune_case *c, const aic_tune_kernel *kernel, bool *same)
{
    aic_status status = call_anew(c, kernel);
    if (status == AIC_OK) {
        *same = c->by_default == NULL || is_output(c, c->by_default, false);
    }
    return status;
}

/* Runs the reference; leaves c->expected NULL on failure. */
static aic_status run_reference(aic_tune_case *c)
{
    const aic_operand *output = &c->operand[c->output];
    const bool exact = aic_spec_exact(c->spec);
    const size_t bytes = (size_t)output->elements * sizeof *c->allowed;
    void *operands[AIC_OPERANDS_MAX], *expected = allocate((size_t)output->bytes);
    c->allowed = exact || c->allowed != NULL ? c->allowed : malloc(bytes);
    if (expected == NULL || (!exact && c->allowed == NULL)) {
        free(expected);
        return aic_fail_memory(output->name, exact ? (size_t)output->bytes : bytes);
    }
    memcpy(expected, c->before, (size_t)output->bytes);
    memcpy(operands, c->content, sizeof operands);
    operands[c->output] = expected;
    aic_status status = exact ? AIC_OK : aic_reference_allowed(c->spec, c->semantics, operands, c->count, c->allowed);
    if (status == AIC_OK) {
        status = aic_reference(c->spec, c->semantics, operands, c->count);
    }
    if (status != AIC_OK) {
        free(expected);
        return status;
    }
    c->expected = expected;
    return AIC_OK;
}

aic_status aic_tune_case_verify(aic_tune_case *c, const aic_tune_kernel *kernel, bool *right)
{
    aic_status status = c->expected == NULL ? run_reference(c) : AIC_OK;
    if (status == AIC_OK) {
        status = call_anew(c, kernel);
    }
    if (status == AIC_OK) {
        *right = is_output(c, c->expected, !aic_spec_exact(c->spec));
    }
    return status;
}
