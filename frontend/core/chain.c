/* Fused chains "producer | consumer": two operators run one after the other, as one specification. The accumulator that
 * the producer hands over is an operand of neither; the reference keeps it in memory, kernels do not. */
#include "frontend/core/diag.h"
#include "frontend/core/op.h"
#include "frontend/core/size.h"
#include "frontend/numeric/element.h"

#include <math.h>
#include <stdlib.h>

/* Places among an operator's own operands: the output comes first; the consumer reads the accumulator next. */
enum { OUTPUT = 0, CONSUMED = 1 };

static const aic_op_info *info_of(const aic_spec *spec, int stage)
{
    return aic_op_get(spec->stage[stage].op);
}

aic_status aic_chain_resolve(aic_spec *spec, const aic_semantics *semantics)
{
    const aic_op_info *producer = info_of(spec, 0), *consumer = info_of(spec, 1);
    if (!producer->produce || !consumer->consume) {
        return aic_fail(AIC_INVALID_ARGUMENT, NULL, "%s | %s: these two operators cannot be fused",
                        producer->record.name, consumer->record.name);
    }
    aic_accumulator accumulator;
    aic_status status = producer->produce(&spec->stage[0].desc, &accumulator);
    return status == AIC_OK ? consumer->consume(&spec->stage[1].desc, &accumulator, semantics) : status;
}

void aic_chain_trim(aic_spec *canonical)
{
    int64_t rows, columns;
    info_of(canonical, 1)->taken(&canonical->stage[1].desc, &rows, &columns);
    info_of(canonical, 0)->trim(&canonical->stage[0].desc, rows, columns);
}

void aic_chain_operands_of(const aic_spec *resolved, const aic_semantics *semantics, aic_chain_operands *chain)
{
    aic_operand own[AIC_STAGES_MAX][AIC_OPERANDS_MAX];
    size_t count[AIC_STAGES_MAX];
    *chain = (aic_chain_operands){.count = 0};
    for (int s = 0; s < AIC_STAGES_MAX; s++) {
        count[s] = info_of(resolved, s)->operands(&resolved->stage[s].desc, semantics, own[s]);
    }
    chain->from[0][OUTPUT] = AIC_ACCUMULATED;
    chain->from[1][CONSUMED] = AIC_ACCUMULATED;
    chain->from[1][OUTPUT] = 0;
    chain->operand[chain->count++] = own[1][OUTPUT];
    for (int s = 0; s < AIC_STAGES_MAX; s++) {
        for (size_t i = s == 0 ? OUTPUT + 1 : CONSUMED + 1; i < count[s]; i++) {
            chain->from[s][i] = (int)chain->count;
            chain->operand[chain->count++] = own[s][i];
        }
    }
}

/* The operands of one stage, in its own order. */
static void stage_operands(const aic_chain_operands *chain, int stage, void *const operands[], void *accumulator,
                           void *own[AIC_OPERANDS_MAX])
{
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        int from = chain->from[stage][i];
        own[i] = from == AIC_ACCUMULATED ? accumulator : operands[from];
    }
}

/* ---- reference ---- */

/* One run of a chain's reference: the accumulator, and how to reach the operands of both stages. */
typedef struct chain_run {
    const aic_spec *spec;
    const aic_semantics *semantics;
    void *const *operands;
    aic_chain_operands chain;
    aic_operand output; /* of the chain */
    int64_t elements;   /* of the accumulator */
    void *accumulator;
} chain_run;

static int64_t elements_of(const aic_operand *operand)
{
    int64_t elements = 1;
    for (int32_t d = 0; d < operand->rank; d++) {
        elements = aic_size_multiply(elements, operand->shape[d]);
    }
    return elements;
}

static aic_status allocate(void **memory, int64_t elements, size_t size)
{
    *memory = calloc(elements > 0 ? (size_t)elements : 1, size);
    return *memory ? AIC_OK : aic_fail_memory("reference", (size_t)aic_size_multiply(elements, (int64_t)size));
}

static aic_status open_run(chain_run *run, const aic_spec *resolved, const aic_semantics *semantics,
                           void *const operands[])
{
    aic_operand own[AIC_OPERANDS_MAX];
    *run = (chain_run){.spec = resolved, .semantics = semantics, .operands = operands};
    aic_chain_operands_of(resolved, semantics, &run->chain);
    run->output = run->chain.operand[OUTPUT];
    (void)info_of(resolved, 0)->operands(&resolved->stage[0].desc, semantics, own);
    run->elements = elements_of(&own[OUTPUT]);
    return allocate(&run->accumulator, run->elements, aic_dtype_size(own[OUTPUT].dtype));
}

static aic_status consume(const chain_run *run, void *accumulator, void *output)
{
    void *own[AIC_OPERANDS_MAX];
    stage_operands(&run->chain, 1, run->operands, accumulator, own);
    own[OUTPUT] = output;
    return info_of(run->spec, 1)->reference(&run->spec->stage[1].desc, run->semantics, own);
}

aic_status aic_chain_reference(const aic_spec *resolved, const aic_semantics *semantics, void *const operands[])
{
    chain_run run;
    void *own[AIC_OPERANDS_MAX];
    aic_status status = open_run(&run, resolved, semantics, operands);
    if (status == AIC_OK) {
        stage_operands(&run.chain, 0, operands, run.accumulator, own);
        status = info_of(resolved, 0)->reference(&resolved->stage[0].desc, semantics, own);
    }
    if (status == AIC_OK) {
        status = consume(&run, run.accumulator, operands[OUTPUT]);
    }
    free(run.accumulator);
    return status;
}

/* The float accumulators at `exact` + sign*bound, rounded outward. */
static void shift_accumulator(const chain_run *run, const double *exact, const double *bound, double sign)
{
    float *accumulator = run->accumulator;
    for (int64_t i = 0; i < run->elements; i++) {
        double value = sign == 0 ? exact[i] : exact[i] + sign * bound[i]; /* the bound may be infinite */
        float rounded = (float)value;
        if (sign > 0 ? (double)rounded < value : sign < 0 && (double)rounded > value) {
            rounded = nextafterf(rounded, (float)(sign * (double)INFINITY));
        }
        accumulator[i] = rounded;
    }
}

static double output_value(const aic_operand *output, const void *data, int64_t index)
{
    return aic_element_value(output->dtype,
                             (const unsigned char *)data + index * (int64_t)aic_dtype_size(output->dtype));
}

/* Consumers are monotone in the accumulator: the result lies between those of the two ends of its range. But the type
 * of a byte does not tell its range (AscendC Fixpipe, section 5): 0..255 may be stored in an int8, -128..127 in a
 * uint8, and what lies between two such bytes depends on which. Only an exact value strictly between them tells;
 * without one nothing is claimed. */
static double bound_of(aic_dtype dtype, double exact, double low, double high)
{
    const bool byte = aic_dtype_size(dtype) == 1 && low != high;
    const bool between = (low <= exact && exact <= high) || (high <= exact && exact <= low);
    const bool told = between && !(byte && (exact == low || exact == high));
    return isnan(exact) ? 0 : told ? fmax(fabs(low - exact), fabs(high - exact)) : (double)INFINITY;
}

/* The consumer's results for the accumulators at exact + sign*bound, as numbers. */
static aic_status shifted_outputs(const chain_run *run, const double *const range[2], double sign, double *values)
{
    const int64_t elements = elements_of(&run->output);
    const size_t bytes = (size_t)elements * aic_dtype_size(run->output.dtype);
    void *output = NULL;
    aic_status status = allocate(&output, (int64_t)bytes, 1);
    if (status == AIC_OK) {
        shift_accumulator(run, range[0], range[1], sign);
        memcpy(output, run->operands[OUTPUT], bytes);
        status = consume(run, run->accumulator, output);
    }
    for (int64_t i = 0; status == AIC_OK && i < elements; i++) {
        values[i] = output_value(&run->output, output, i);
    }
    free(output);
    return status;
}

/* range: the accumulators' exact values and bounds. */
static aic_status bound_outputs(const chain_run *run, const double *const range[2], double *exact, double *bound)
{
    const int64_t elements = elements_of(&run->output);
    void *high = NULL;
    aic_status status = allocate(&high, elements, sizeof(double));
    if (status == AIC_OK) {
        status = shifted_outputs(run, range, 0, exact);
    }
    if (status == AIC_OK) {
        status = shifted_outputs(run, range, -1, bound);
    }
    if (status == AIC_OK) {
        status = shifted_outputs(run, range, 1, high);
    }
    for (int64_t i = 0; status == AIC_OK && i < elements; i++) {
        bound[i] = bound_of(run->output.dtype, exact[i], bound[i], ((const double *)high)[i]);
    }
    free(high);
    return status;
}

aic_status aic_chain_reference_bound(const aic_spec *resolved, const aic_semantics *semantics, void *const operands[],
                                     double *exact, double *bound)
{
    chain_run run;
    void *ends[2] = {NULL, NULL}, *own[AIC_OPERANDS_MAX];
    aic_status status = open_run(&run, resolved, semantics, operands);
    for (int i = 0; i < 2 && status == AIC_OK; i++) {
        status = allocate(&ends[i], run.elements, sizeof(double));
    }
    if (status == AIC_OK) {
        stage_operands(&run.chain, 0, operands, run.accumulator, own);
        status = info_of(resolved, 0)->reference_bound(&resolved->stage[0].desc, semantics, own, ends[0], ends[1]);
    }
    if (status == AIC_OK) {
        status = bound_outputs(&run, (const double *const[]){ends[0], ends[1]}, exact, bound);
    }
    free(ends[0]);
    free(ends[1]);
    free(run.accumulator);
    return status;
}
