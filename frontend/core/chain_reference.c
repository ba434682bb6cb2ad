/* The reference of chains: the operators' references one after the other. The accumulators between the stages lie in
 * memory here. */
#include "frontend/core/chain.h"
#include "frontend/core/diag.h"
#include "frontend/core/size.h"
#include "frontend/reference/value.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Indices among an operator's own operands; see chain.c. */
enum { OUTPUT = 0, CONSUMED = 1, OTHER_INPUT = 2 };

typedef struct chain_run {
    const aic_spec *spec; /* resolved */
    const aic_semantics *semantics;
    void *const *operands; /* the chain's */
    aic_chain_operands chain;
    aic_accumulator accumulator;
    int64_t elements;           /* of the accumulators, those that are not defined included; all have 4 bytes */
    void *left[AIC_STAGES_MAX]; /* what each stage leaves; NULL: the last one, which writes the output */
} chain_run;

enum { BLOCK = 16, BYTES = 4 }; /* columns of a block, bytes of an accumulator */

static const aic_op_info *chain_op(const chain_run *run, int stage)
{
    return aic_op_get(run->spec->stage[stage].op);
}

/* calloc() of one element at least. */
static aic_status allocate(void **memory, int64_t elements, size_t size)
{
    *memory = calloc(elements > 0 ? (size_t)elements : 1, size);
    return *memory ? AIC_OK : aic_fail_memory("reference", (size_t)aic_size_multiply(elements, (int64_t)size));
}

static void chain_close(chain_run *run)
{
    for (int s = 0; s < AIC_STAGES_MAX; s++) {
        free(run->left[s]);
    }
}

/* The number of an accumulator in its layout. */
static int64_t index_of(const aic_accumulator *a, int64_t row, int64_t column)
{
    return (column / BLOCK * a->block_rows + row) * BLOCK + column % BLOCK;
}

/* The first accumulators as the operand l1out has them. */
static void start(const chain_run *run)
{
    const aic_accumulator *a = &run->accumulator;
    const unsigned char *from = run->chain.l1out == 0 ? NULL : run->operands[run->chain.l1out];
    unsigned char *to = run->left[0];
    for (int64_t row = 0; from && row < a->rows; row++) {
        for (int64_t column = 0; column < a->columns; column++) {
            const int64_t at = index_of(a, row, column), value = a->start == AIC_START_CHANNEL ? column : at;
            memcpy(to + at * BYTES, from + value * BYTES, BYTES);
        }
    }
}

/* Allocates the accumulators; the first ones are what sums start from. To be closed whatever the status is. */
static aic_status chain_open(chain_run *run, const aic_spec *resolved, const aic_semantics *semantics,
                             void *const operands[])
{
    aic_status status = AIC_OK;
    *run = (chain_run){.spec = resolved, .semantics = semantics, .operands = operands};
    aic_chain_operands_of(resolved, semantics, &run->chain);
    run->accumulator = aic_chain_accumulator(resolved, 0);
    const int64_t blocks = (run->accumulator.columns + BLOCK - 1) / BLOCK;
    run->elements = aic_size_multiply(aic_size_multiply(blocks, run->accumulator.block_rows), BLOCK);
    for (int s = 0; s < resolved->count && status == AIC_OK; s++) {
        const bool leaves = s + 1 < resolved->count || chain_op(run, s)->change;
        status = leaves ? allocate(&run->left[s], run->elements, BYTES) : AIC_OK;
    }
    if (status == AIC_OK) {
        start(run);
    }
    return status;
}

/* The operands of a stage, in its own order; `output`: what it writes. */
static void stage_operands(const chain_run *run, int stage, void *output, void *own[AIC_OPERANDS_MAX])
{
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        const int from = run->chain.from[stage][i];
        own[i] = from == AIC_ACCUMULATED ? NULL : run->operands[from];
    }
    own[OUTPUT] = output;
    if (stage > 0) {
        own[CONSUMED] = run->left[stage - 1];
    }
}

/* A stage that changes accumulators works on a copy of those before, which are its input and its old output. */
static aic_status change(const chain_run *run, int stage)
{
    const aic_op_info *op = chain_op(run, stage);
    const void *desc = &run->spec->stage[stage].desc;
    const int other = op->other_stage(desc);
    void *own[AIC_OPERANDS_MAX];
    memcpy(run->left[stage], run->left[stage - 1], (size_t)run->elements * BYTES);
    stage_operands(run, stage, run->left[stage], own);
    own[CONSUMED] = run->left[stage];
    own[OTHER_INPUT] = other > 0 ? run->left[other - 1] : own[OTHER_INPUT];
    return op->reference(desc, run->semantics, own);
}

/* The accumulators that are defined, into the output of a chain that ends with them. */
static void chain_store(const chain_run *run, const void *accumulators, void *output)
{
    const aic_accumulator *a = &run->accumulator;
    for (int64_t row = 0; row < a->rows; row++) {
        for (int64_t column = 0; column < a->columns; column++) {
            const int64_t at = index_of(a, row, column) * BYTES;
            memcpy((unsigned char *)output + at, (const unsigned char *)accumulators + at, BYTES);
        }
    }
}

/* One stage from what the one before has left; the last one writes `output`. */
static aic_status run_stage(const chain_run *run, int stage, void *output)
{
    const aic_op_info *op = chain_op(run, stage);
    const bool last = stage + 1 == run->spec->count;
    void *own[AIC_OPERANDS_MAX];
    aic_status status;
    if (op->change) {
        status = change(run, stage);
        if (status == AIC_OK && last) {
            chain_store(run, run->left[stage], output);
        }
        return status;
    }
    stage_operands(run, stage, last ? output : run->left[stage], own);
    return op->reference(&run->spec->stage[stage].desc, run->semantics, own);
}

aic_status aic_chain_reference(const aic_spec *resolved, const aic_semantics *semantics, void *const operands[])
{
    chain_run run;
    aic_status status = chain_open(&run, resolved, semantics, operands);
    for (int s = 0; s < resolved->count && status == AIC_OK; s++) {
        status = run_stage(&run, s, operands[OUTPUT]);
    }
    chain_close(&run);
    return status;
}

/* ---- what the results may be ---- */

/* What the results of chains with accumulate=fast may be.
 *
 * What a kernel accumulates is some float32 a: one between low and high of the first stage's aic_allowed, or one of its
 * other values, which sums that overflow on the way lead to. Every stage behind it is a function of a, so the result is
 * F(a), F being all of them one after the other, as a kernel computes them bit for bit.
 *
 * For a single a, such as an infinity, F(a) is what the stages' references give. For a range, stages that change
 * accumulators take a range and leave a range (aic_op_info.enclose); where that goes from -infinity to infinity nothing
 * is known, and NaN is possible, too. The last operator's formula for an element is monotone in what it takes: adding a
 * number, rectifying, scaling by one number, rounding and clamping are, and so is one after the other. So its results
 * lie between those for the two ends, whichever of the two is larger.
 *
 * A result of 8 bits is the byte of a number q in -128..127 or 0..255, whatever its type (AscendC Fixpipe);
 * byte_signs() says which. With it the ends are numbers, and what lies between them is every byte that is right: q
 * takes all values between, as neighbouring accumulators are less than 2^-14 of an 8-bit step apart where no clamp
 * acts. For most elements both ends are equal, for most others e is next to the middle of two q, and these two are
 * right. */

/* Runs of the chain: of the accumulators' least values, of the exact ones rounded, of the largest, of NaN where nothing
 * is known, and of each of the other values, which are three at most; and what comes of them. */
enum { LOW, EXACT, HIGH, UNKNOWN, OTHER };
enum { RANGE = UNKNOWN, ENDS = OTHER + 3 };
typedef struct bounded_run {
    chain_run end[ENDS];
    int ends;           /* that are in use */
    aic_operand output; /* of the chain */
    int64_t outputs;    /* elements of it */
    unsigned char *result[ENDS];
    unsigned char *is_signed; /* of results of one byte; NULL for others */
} bounded_run;

static void close_runs(bounded_run *b)
{
    for (int i = 0; i < ENDS; i++) {
        chain_close(&b->end[i]);
        free(b->result[i]);
    }
    free(b->is_signed);
}

static const aic_op_info *last_of(const bounded_run *b)
{
    return chain_op(&b->end[EXACT], b->end[EXACT].spec->count - 1);
}

static aic_status open_result(bounded_run *b, int end)
{
    void *memory = NULL;
    const size_t size = aic_dtype_size(b->output.dtype);
    aic_status status = allocate(&memory, b->outputs, size);
    b->result[end] = memory;
    if (status == AIC_OK) { /* what is not written keeps its value */
        memcpy(memory, b->end[end].operands[OUTPUT], (size_t)b->outputs * size);
    }
    return status;
}

/* Of a run that is all zeros; to be closed whatever the status is. */
static aic_status open_runs(bounded_run *b, const aic_spec *resolved, const aic_semantics *semantics,
                            void *const operands[])
{
    aic_status status = AIC_OK;
    b->ends = OTHER;
    b->outputs = 1;
    for (int i = 0; i < ENDS && status == AIC_OK; i++) {
        status = chain_open(&b->end[i], resolved, semantics, operands);
    }
    if (status != AIC_OK) {
        return status;
    }
    b->output = b->end[EXACT].chain.operand[OUTPUT];
    for (int32_t d = 0; d < b->output.rank; d++) {
        b->outputs *= b->output.shape[d];
    }
    for (int i = 0; i < ENDS && status == AIC_OK; i++) {
        status = open_result(b, i);
    }
    if (status == AIC_OK && aic_dtype_size(b->output.dtype) == 1) {
        void *memory;
        status = allocate(&memory, b->outputs, 1);
        b->is_signed = memory;
    }
    return status;
}

/* The float that is not larger, not smaller, or nearest, as the sign says. No sum is infinite without overflowing, and
 * then it is one of the other values. */
static float round_to_float(double value, double sign)
{
    const float most = FLT_MAX;
    float rounded = value > (double)most ? most : value < -(double)most ? -most : (float)value;
    if (sign > 0 ? (double)rounded < value : sign < 0 && (double)rounded > value) {
        rounded = nextafterf(rounded, (float)(sign * (double)most));
    }
    return rounded;
}

/* The accumulator that one of the runs begins with. Where not even one float is in the range, all other values are
 * that infinity. */
static float first_of(const aic_allowed *allowed, int end)
{
    const double ends[] = {allowed->low, allowed->exact, allowed->high};
    if (end >= OTHER && end - OTHER < allowed->others) {
        return (float)allowed->other[end - OTHER];
    }
    if (!isfinite(allowed->exact) || allowed->low > (double)FLT_MAX || allowed->high < -(double)FLT_MAX) {
        return aic_reference_sum((float)allowed->exact);
    }
    return end < RANGE ? round_to_float(ends[end], end - EXACT) : round_to_float(allowed->exact, 0);
}

static void begin(bounded_run *b, const aic_allowed *allowed)
{
    for (int64_t i = 0; i < b->end[EXACT].elements; i++) {
        const int ends = OTHER + allowed[i].others;
        b->ends = ends > b->ends ? ends : b->ends;
    }
    for (int end = 0; end < b->ends; end++) {
        float *accumulator = b->end[end].left[0];
        for (int64_t i = 0; i < b->end[end].elements; i++) {
            accumulator[i] = first_of(&allowed[i], end);
        }
    }
}

static aic_status bound_sums(bounded_run *b)
{
    const chain_run *run = &b->end[EXACT];
    void *allowed = NULL, *own[AIC_OPERANDS_MAX];
    aic_status status = allocate(&allowed, run->elements, sizeof(aic_allowed));
    if (status == AIC_OK) {
        stage_operands(run, 0, run->left[0], own);
        status = chain_op(run, 0)->reference_allowed(&run->spec->stage[0].desc, run->semantics, own, allowed);
    }
    if (status == AIC_OK) {
        begin(b, allowed);
    }
    free(allowed);
    return status;
}

/* ---- stages between ---- */

/* Nothing is known: a run of its own goes on with NaN. */
static void mark_unknown(const bounded_run *b, int stage)
{
    const float *low = b->end[LOW].left[stage], *high = b->end[HIGH].left[stage];
    float *unknown = b->end[UNKNOWN].left[stage];
    for (int64_t i = 0; i < b->end[UNKNOWN].elements; i++) {
        if (isinf(low[i]) && isinf(high[i]) && low[i] < high[i]) {
            unknown[i] = NAN;
        }
    }
}

/* A stage that changes accumulators: ranges, and single ones as its reference does it. */
static aic_status change_ends(const bounded_run *b, int stage)
{
    const chain_run *low = &b->end[LOW], *high = &b->end[HIGH];
    const aic_op_info *op = chain_op(low, stage);
    const void *desc = &low->spec->stage[stage].desc;
    const int other = op->other_stage(desc);
    const size_t bytes = (size_t)low->elements * sizeof(float);
    void *own[AIC_OPERANDS_MAX];
    stage_operands(low, stage, NULL, own);
    const float *const others[] = {other > 0 ? low->left[other - 1] : own[OTHER_INPUT],
                                   other > 0 ? high->left[other - 1] : own[OTHER_INPUT]};
    memcpy(low->left[stage], low->left[stage - 1], bytes);
    memcpy(high->left[stage], high->left[stage - 1], bytes);
    aic_status status = op->enclose(desc, low->semantics, low->left[stage], high->left[stage], others);
    for (int end = 0; end < b->ends && status == AIC_OK; end++) {
        status = end == LOW || end == HIGH ? AIC_OK : run_stage(&b->end[end], stage, b->result[end]);
    }
    if (status == AIC_OK) {
        mark_unknown(b, stage);
    }
    return status;
}

/* Where the bits of floats are taken for integers, these may be any between two that differ; a 0 may have any sign. */
static void take_for_integers(const bounded_run *b, int stage)
{
    int32_t *low = b->end[LOW].left[stage], *high = b->end[HIGH].left[stage];
    for (int64_t i = 0; i < b->end[LOW].elements; i++) {
        if (low[i] != high[i] || (low[i] & INT32_MAX) == 0) {
            low[i] = INT32_MIN;
            high[i] = INT32_MAX;
        }
    }
}

static aic_status run_last(const bounded_run *b)
{
    const int last = b->end[EXACT].spec->count - 1;
    const void *desc = &b->end[EXACT].spec->stage[last].desc;
    const aic_op_info *op = last_of(b);
    aic_operand own[AIC_OPERANDS_MAX];
    aic_status status = AIC_OK;
    if (op->change) {
        for (int i = 0; i < b->ends; i++) {
            chain_store(&b->end[i], b->end[i].left[last], b->result[i]);
        }
        return AIC_OK;
    }
    (void)op->operands(desc, b->end[EXACT].semantics, own);
    if (own[CONSUMED].dtype == AIC_INT32) {
        take_for_integers(b, last - 1);
    }
    for (int i = 0; i < b->ends && status == AIC_OK; i++) {
        status = run_stage(&b->end[i], last, b->result[i]);
    }
    if (status == AIC_OK && b->is_signed) {
        void *own_operands[AIC_OPERANDS_MAX];
        stage_operands(&b->end[EXACT], last, NULL, own_operands);
        op->byte_signs(desc, own_operands, b->is_signed);
    }
    return status;
}

static aic_status run_stages(bounded_run *b)
{
    aic_status status = bound_sums(b);
    for (int s = 1; s < b->end[EXACT].spec->count && status == AIC_OK; s++) {
        status = chain_op(&b->end[EXACT], s)->change ? change_ends(b, s) : AIC_OK;
    }
    return status == AIC_OK ? run_last(b) : status;
}

/* ---- results ---- */

static double value_of(const bounded_run *b, int end, int64_t i)
{
    const unsigned char *at = b->result[end] + i * (int64_t)aic_dtype_size(b->output.dtype);
    if (b->is_signed) {
        return b->is_signed[i] ? (double)(int8_t)*at : (double)*at;
    }
    return aic_reference_value(b->output.dtype, at);
}

/* From the results for the range's ends, and for the exact one, which is between. */
static aic_allowed enclose(const bounded_run *b, int64_t i)
{
    const double value[RANGE] = {value_of(b, LOW, i), value_of(b, EXACT, i), value_of(b, HIGH, i)};
    const bool nan = isnan(value[LOW]) && isnan(value[EXACT]) && isnan(value[HIGH]);
    aic_allowed allowed = {.exact = value[EXACT],
                           .low = fmin(value[LOW], value[HIGH]),
                           .high = fmax(value[LOW], value[HIGH]),
                           .modulo = b->is_signed ? 256 : 0};
    if (b->is_signed) {
        allowed.low = fmin(allowed.low, value[EXACT]);
        allowed.high = fmax(allowed.high, value[EXACT]);
        allowed.exact = (allowed.low + allowed.high) / 2;
    } else if (!nan && !(allowed.low <= value[EXACT] && value[EXACT] <= allowed.high)) {
        allowed.low = -(double)INFINITY; /* nothing is known */
        allowed.high = (double)INFINITY;
        allowed.other[allowed.others++] = (double)NAN;
    }
    return allowed;
}

aic_status aic_chain_reference_allowed(const aic_spec *resolved, const aic_semantics *semantics, void *const operands[],
                                       aic_allowed *allowed)
{
    bounded_run *b = calloc(1, sizeof *b); /* more than the stack of a thread may have */
    if (!b) {
        return aic_fail_memory("chain", sizeof *b);
    }
    aic_status status = open_runs(b, resolved, semantics, operands);
    status = status == AIC_OK ? run_stages(b) : status;
    for (int64_t i = 0; status == AIC_OK && i < b->outputs; i++) {
        allowed[i] = enclose(b, i);
        for (int end = UNKNOWN; end < b->ends; end++) {
            const double other = value_of(b, end, i);
            if (!aic_is_allowed(&allowed[i], other)) {
                allowed[i].other[allowed[i].others++] = other;
            }
        }
    }
    close_runs(b);
    free(b);
    return status;
}
