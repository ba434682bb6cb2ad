/* Fused chains "a | b | ...": operators run one after the other, as one specification. The accumulator that a producer
 * hands over to its consumer is an operand of neither; the reference keeps it in memory, kernels do not. */
#include "frontend/core/diag.h"
#include "frontend/core/op.h"
#include "frontend/core/size.h"
#include "frontend/reference/value.h"

#include <math.h>
#include <stdlib.h>

/* Places among an operator's own operands: the output comes first; the consumer reads the accumulator next. */
enum { OUTPUT = 0, CONSUMED = 1 };

static const aic_op_info *info_of(const aic_spec *spec, int stage)
{
    return aic_op_get(spec->stage[stage].op);
}

static int last_of(const aic_spec *spec)
{
    return spec->count - 1;
}

aic_status aic_chain_resolve(aic_spec *spec, const aic_semantics *semantics)
{
    aic_status status = AIC_OK;
    for (int s = 1; s < spec->count && status == AIC_OK; s++) {
        const aic_op_info *producer = info_of(spec, s - 1), *consumer = info_of(spec, s);
        aic_accumulator accumulator;
        if (!producer->produce || !consumer->consume) {
            return aic_fail(AIC_INVALID_ARGUMENT, NULL, "%s | %s: these two operators cannot be fused",
                            producer->record.name, consumer->record.name);
        }
        status = producer->produce(&spec->stage[s - 1].desc, &accumulator);
        if (status == AIC_OK) {
            status = consumer->consume(&spec->stage[s].desc, &accumulator, semantics);
        }
    }
    return status;
}

void aic_chain_trim(aic_spec *canonical)
{
    for (int s = last_of(canonical); s > 0; s--) {
        int64_t rows, columns;
        info_of(canonical, s)->taken(&canonical->stage[s].desc, &rows, &columns);
        info_of(canonical, s - 1)->trim(&canonical->stage[s - 1].desc, rows, columns);
    }
}

void aic_chain_operands_of(const aic_spec *resolved, const aic_semantics *semantics, aic_chain_operands *chain)
{
    const int last = last_of(resolved);
    aic_operand own[AIC_OPERANDS_MAX];
    *chain = (aic_chain_operands){.count = 1}; /* the last stage's output comes first */
    for (int s = 0; s <= last; s++) {
        const size_t count = info_of(resolved, s)->operands(&resolved->stage[s].desc, semantics, own);
        chain->from[s][OUTPUT] = s == last ? OUTPUT : AIC_ACCUMULATED;
        if (s == last) {
            chain->operand[OUTPUT] = own[OUTPUT];
        }
        if (s > 0) {
            chain->from[s][CONSUMED] = AIC_ACCUMULATED;
        }
        for (size_t i = s == 0 ? OUTPUT + 1 : CONSUMED + 1; i < count; i++) {
            chain->from[s][i] = (int)chain->count;
            chain->operand[chain->count++] = own[i];
        }
    }
}

/* ---- reference ---- */

/* One run of a chain's reference: the accumulators between its stages, and how to reach the operands of every stage. */
typedef struct chain_run {
    const aic_spec *spec;
    const aic_semantics *semantics;
    void *const *operands;
    aic_chain_operands chain;
    aic_operand output;                /* of the chain */
    int64_t elements;                  /* of the first accumulator */
    void *accumulator[AIC_STAGES_MAX]; /* that a stage writes; the last one writes the output */
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

static void close_run(chain_run *run)
{
    for (int s = 0; s < AIC_STAGES_MAX; s++) {
        free(run->accumulator[s]);
    }
}

/* Whatever the status, the run is to be closed. */
static aic_status open_run(chain_run *run, const aic_spec *resolved, const aic_semantics *semantics,
                           void *const operands[])
{
    aic_operand own[AIC_OPERANDS_MAX];
    aic_status status = AIC_OK;
    *run = (chain_run){.spec = resolved, .semantics = semantics, .operands = operands};
    aic_chain_operands_of(resolved, semantics, &run->chain);
    run->output = run->chain.operand[OUTPUT];
    for (int s = 0; s < last_of(resolved) && status == AIC_OK; s++) {
        (void)info_of(resolved, s)->operands(&resolved->stage[s].desc, semantics, own);
        const int64_t elements = elements_of(&own[OUTPUT]);
        run->elements = s == 0 ? elements : run->elements;
        status = allocate(&run->accumulator[s], elements, aic_dtype_size(own[OUTPUT].dtype));
    }
    return status;
}

/* The operands of one stage, in its own order; `output` is the chain's. */
static void stage_operands(const chain_run *run, int stage, void *output, void *own[AIC_OPERANDS_MAX])
{
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        const int from = run->chain.from[stage][i];
        own[i] = from == AIC_ACCUMULATED ? run->accumulator[i == OUTPUT ? stage : stage - 1] : run->operands[from];
    }
    if (stage == last_of(run->spec)) {
        own[OUTPUT] = output;
    }
}

/* The stages from `first` on. */
static aic_status run_stages(const chain_run *run, int first, void *output)
{
    aic_status status = AIC_OK;
    for (int s = first; s <= last_of(run->spec) && status == AIC_OK; s++) {
        void *own[AIC_OPERANDS_MAX];
        stage_operands(run, s, output, own);
        status = info_of(run->spec, s)->reference(&run->spec->stage[s].desc, run->semantics, own);
    }
    return status;
}

aic_status aic_chain_reference(const aic_spec *resolved, const aic_semantics *semantics, void *const operands[])
{
    chain_run run;
    aic_status status = open_run(&run, resolved, semantics, operands);
    if (status == AIC_OK) {
        status = run_stages(&run, 0, operands[OUTPUT]);
    }
    close_run(&run);
    return status;
}

/* The float accumulators at `exact` + sign*bound, rounded outward. */
static void shift_accumulator(const chain_run *run, const double *exact, const double *bound, double sign)
{
    float *accumulator = run->accumulator[0];
    for (int64_t i = 0; i < run->elements; i++) {
        double value = sign == 0 ? exact[i] : exact[i] + sign * bound[i]; /* the bound may be infinite */
        float rounded = (float)value;
        if (sign > 0 ? (double)rounded < value : sign < 0 && (double)rounded > value) {
            rounded = nextafterf(rounded, (float)(sign * (double)INFINITY));
        }
        accumulator[i] = rounded;
    }
}

/* ---- error bounds ----
 *
 * What a kernel accumulates with accumulate=fast is some float32 a with |a - e| <= b, and its result is f(a): f is the
 * consumers' formula for this element, which a kernel computes bit for bit. The consumers' formulas are monotone in a:
 * rectifying, scaling by one number, rounding and clamping are, and so is one after the other. So f(a) lies between
 * f(e - b) and f(e + b), whichever of the two is larger; shift_accumulator() rounds these ends outward, to float32.
 * Where sums may overflow on the way, b is infinite: a may be anything from -infinity to infinity, and so f(a) lies
 * between f(-infinity) and f(infinity). It may be NaN, too (infinity less infinity): 8-bit results take that for 0,
 * which is within the range; for float results nothing is claimed then.
 *
 * A result of 8 bits is the byte of a number q in -128..127 or 0..255, whatever its type (AscendC Fixpipe, section 5);
 * byte_signs() tells which. With it the ends are numbers, and what lies between them is every byte that is right: q
 * takes all values between, as neighbouring accumulators are less than 2^-14 of an 8-bit step apart where no clamp
 * acts. At most places both ends are equal, at most others e is next to the middle of two q, and these two are right.
 */

static double output_value(const aic_operand *output, const void *data, int64_t index)
{
    return aic_reference_value(output->dtype,
                               (const unsigned char *)data + index * (int64_t)aic_dtype_size(output->dtype));
}

/* The consumers' results for accumulators at e - b, e and e + b. */
enum { LOW, EXACT, HIGH, ENDS };
typedef struct end_results {
    unsigned char *output[ENDS];
    unsigned char *is_signed; /* of results of one byte; NULL for others */
} end_results;

static void free_ends(end_results *e)
{
    for (int i = 0; i < ENDS; i++) {
        free(e->output[i]);
    }
    free(e->is_signed);
}

/* range: the accumulators' exact values and bounds. On failure there is nothing to free. */
static aic_status make_ends(const chain_run *run, const double *const range[2], end_results *e)
{
    const int last = last_of(run->spec);
    const aic_op_info *consumer = info_of(run->spec, last);
    const size_t size = aic_dtype_size(run->output.dtype);
    const int64_t elements = elements_of(&run->output);
    void *own[AIC_OPERANDS_MAX], *memory;
    aic_status status = AIC_OK;
    *e = (end_results){{NULL}, NULL};
    for (int i = 0; i < ENDS && status == AIC_OK; i++) {
        status = allocate(&memory, elements, size);
        if (status == AIC_OK) {
            e->output[i] = memory;
            memcpy(memory, run->operands[OUTPUT], (size_t)elements * size);
            shift_accumulator(run, range[0], range[1], i - EXACT);
            status = run_stages(run, 1, memory);
        }
    }
    if (status == AIC_OK && size == 1 && consumer->byte_signs) {
        status = allocate(&memory, elements, size);
        e->is_signed = status == AIC_OK ? memory : NULL;
    }
    if (e->is_signed) {
        stage_operands(run, last, run->operands[OUTPUT], own);
        consumer->byte_signs(&run->spec->stage[last].desc, own, e->is_signed);
    }
    if (status != AIC_OK) {
        free_ends(e);
    }
    return status;
}

/* The middle of the numbers that are right, and how far they are from it. */
static void enclose_bytes(const end_results *e, int64_t i, double *exact, double *bound)
{
    double least = 255, most = -128;
    for (int end = 0; end < ENDS; end++) {
        const double q = e->is_signed[i] ? (double)(int8_t)e->output[end][i] : (double)e->output[end][i];
        least = fmin(least, q);
        most = fmax(most, q);
    }
    *exact = (least + most) / 2;
    *bound = (most - least) / 2;
}

static void enclose_floats(const aic_operand *output, const end_results *e, int64_t i, double *exact, double *bound)
{
    const double low = output_value(output, e->output[LOW], i), high = output_value(output, e->output[HIGH], i);
    *exact = output_value(output, e->output[EXACT], i);
    const bool between = (low <= *exact && *exact <= high) || (high <= *exact && *exact <= low);
    *bound = isnan(*exact) ? 0 : between ? fmax(fabs(low - *exact), fabs(high - *exact)) : (double)INFINITY;
}

/* range: as make_ends() has it. */
static aic_status bound_outputs(const chain_run *run, const double *const range[2], double *exact, double *bound)
{
    const int64_t elements = elements_of(&run->output);
    end_results e;
    aic_status status = make_ends(run, range, &e);
    for (int64_t i = 0; status == AIC_OK && i < elements; i++) {
        if (e.is_signed && (e.output[LOW][i] != e.output[EXACT][i] || e.output[HIGH][i] != e.output[EXACT][i])) {
            enclose_bytes(&e, i, &exact[i], &bound[i]);
        } else {
            enclose_floats(&run->output, &e, i, &exact[i], &bound[i]);
        }
    }
    if (status == AIC_OK) {
        free_ends(&e);
    }
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
        stage_operands(&run, 0, operands[OUTPUT], own);
        status = info_of(resolved, 0)->reference_bound(&resolved->stage[0].desc, semantics, own, ends[0], ends[1]);
    }
    if (status == AIC_OK) {
        status = bound_outputs(&run, (const double *const[]){ends[0], ends[1]}, exact, bound);
    }
    free(ends[0]);
    free(ends[1]);
    close_run(&run);
    return status;
}
