/* How far the results of chains with accumulate=fast may be from the exact ones.
 *
 * What a kernel accumulates is some float32 a with |a - e| <= b, between the two floats next to e - b and e + b
 * outside. Where sums may overflow on the way, b is infinite: a may be anything from -infinity to infinity, and NaN
 * (infinity less infinity).
 *
 * Stages that change accumulators take such bounds and leave such bounds (aic_op_info.enclose); where both are infinite
 * the accumulator may be NaN, too.
 *
 * The result is f(a): f is the last operator's formula for this element, which a kernel computes bit for bit. These
 * formulas are monotone in a: adding a number, rectifying, scaling by one number, rounding and clamping are, and so is
 * one after the other. So f(a) lies between the results for the two bounds, whichever of the two is larger. Of NaN the
 * 8-bit results are those of 0, which is within the range; for float results nothing is claimed then.
 *
 * A result of 8 bits is the byte of a number q in -128..127 or 0..255, whatever its type (AscendC Fixpipe, section 5);
 * byte_signs() says which. With it the ends are numbers, and what lies between them is every byte that is right: q
 * takes all values between, as neighbouring accumulators are less than 2^-14 of an 8-bit step apart where no clamp
 * acts. For most elements both ends are equal, for most others e is next to the middle of two q, and these two are
 * right. */
#include "frontend/core/chain.h"
#include "frontend/core/chain_run.h"
#include "frontend/reference/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Three runs of the chain, of the accumulators' lower bounds, of the exact ones rounded, and of the upper bounds, and
 * what comes of them. */
enum { LOW, EXACT, HIGH, ENDS };
typedef struct bounded_run {
    aic_chain_run end[ENDS];
    aic_operand output; /* of the chain */
    int64_t outputs;    /* elements of it */
    unsigned char *result[ENDS];
    unsigned char *is_signed; /* of results of one byte; NULL for others */
} bounded_run;

static void close_runs(bounded_run *b)
{
    for (int i = 0; i < ENDS; i++) {
        aic_chain_close(&b->end[i]);
        free(b->result[i]);
    }
    free(b->is_signed);
}

static const aic_op_info *last_of(const bounded_run *b)
{
    return aic_chain_op(&b->end[EXACT], b->end[EXACT].spec->count - 1);
}

static aic_status open_result(bounded_run *b, int end)
{
    void *memory = NULL;
    const size_t size = aic_dtype_size(b->output.dtype);
    aic_status status = aic_chain_allocate(&memory, b->outputs, size);
    b->result[end] = memory;
    if (status == AIC_OK) { /* what is not written keeps its value */
        memcpy(memory, b->end[end].operands[AIC_CHAIN_OUTPUT], (size_t)b->outputs * size);
    }
    return status;
}

/* To be closed whatever the status is. */
static aic_status open_runs(bounded_run *b, const aic_spec *resolved, const aic_semantics *semantics,
                            void *const operands[])
{
    aic_status status = AIC_OK;
    *b = (bounded_run){.outputs = 1};
    for (int i = 0; i < ENDS && status == AIC_OK; i++) {
        status = aic_chain_open(&b->end[i], resolved, semantics, operands);
    }
    if (status != AIC_OK) {
        return status;
    }
    b->output = b->end[EXACT].chain.operand[AIC_CHAIN_OUTPUT];
    for (int32_t d = 0; d < b->output.rank; d++) {
        b->outputs *= b->output.shape[d];
    }
    for (int i = 0; i < ENDS && status == AIC_OK; i++) {
        status = open_result(b, i);
    }
    if (status == AIC_OK && aic_dtype_size(b->output.dtype) == 1 && last_of(b)->byte_signs) {
        void *memory;
        status = aic_chain_allocate(&memory, b->outputs, 1);
        b->is_signed = memory;
    }
    return status;
}

/* The accumulators of the first stage at `exact` + sign*bound, rounded outward. */
static void shift_accumulators(const aic_chain_run *run, const double *exact, const double *bound, double sign)
{
    float *accumulator = run->left[0];
    for (int64_t i = 0; i < run->elements; i++) {
        double value = sign == 0 ? exact[i] : exact[i] + sign * bound[i]; /* the bound may be infinite */
        float rounded = (float)value;
        if (sign > 0 ? (double)rounded < value : sign < 0 && (double)rounded > value) {
            rounded = nextafterf(rounded, (float)(sign * (double)INFINITY));
        }
        accumulator[i] = rounded;
    }
}

static aic_status bound_sums(const bounded_run *b)
{
    const aic_chain_run *run = &b->end[EXACT];
    void *range[2] = {NULL, NULL}, *own[AIC_OPERANDS_MAX];
    aic_status status = AIC_OK;
    for (int i = 0; i < 2 && status == AIC_OK; i++) {
        status = aic_chain_allocate(&range[i], run->elements, sizeof(double));
    }
    if (status == AIC_OK) {
        aic_chain_stage_operands(run, 0, run->left[0], own);
        status =
            aic_chain_op(run, 0)->reference_bound(&run->spec->stage[0].desc, run->semantics, own, range[0], range[1]);
    }
    for (int i = 0; i < ENDS && status == AIC_OK; i++) {
        shift_accumulators(&b->end[i], range[0], range[1], i - EXACT);
    }
    free(range[0]);
    free(range[1]);
    return status;
}

/* ---- stages between ---- */

/* A stage that changes accumulators; the exact ones as its reference does it. */
static aic_status change(const bounded_run *b, int stage)
{
    const aic_chain_run *low = &b->end[LOW], *high = &b->end[HIGH];
    const aic_op_info *op = aic_chain_op(low, stage);
    const void *desc = &low->spec->stage[stage].desc;
    const int other = op->other_stage(desc);
    const size_t bytes = (size_t)low->elements * sizeof(float);
    void *own[AIC_OPERANDS_MAX];
    aic_chain_stage_operands(low, stage, NULL, own);
    const float *const others[] = {other > 0 ? low->left[other - 1] : own[AIC_CHAIN_OTHER],
                                   other > 0 ? high->left[other - 1] : own[AIC_CHAIN_OTHER]};
    memcpy(low->left[stage], low->left[stage - 1], bytes);
    memcpy(high->left[stage], high->left[stage - 1], bytes);
    aic_status status = op->enclose(desc, low->semantics, low->left[stage], high->left[stage], others);
    return status == AIC_OK ? aic_chain_run_stage(&b->end[EXACT], stage, b->result[EXACT]) : status;
}

/* Where the bits of floats are taken for integers, these may be any between two that differ. */
static void take_for_integers(const bounded_run *b, int stage)
{
    int32_t *low = b->end[LOW].left[stage], *high = b->end[HIGH].left[stage];
    for (int64_t i = 0; i < b->end[LOW].elements; i++) {
        if (low[i] != high[i]) {
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
        aic_chain_store(&b->end[LOW], b->end[LOW].left[last], b->result[LOW]);
        aic_chain_store(&b->end[HIGH], b->end[HIGH].left[last], b->result[HIGH]);
        return AIC_OK;
    }
    (void)op->operands(desc, b->end[EXACT].semantics, own);
    if (own[AIC_CHAIN_CONSUMED].dtype == AIC_INT32) {
        take_for_integers(b, last - 1);
    }
    for (int i = 0; i < ENDS && status == AIC_OK; i++) {
        status = aic_chain_run_stage(&b->end[i], last, b->result[i]);
    }
    if (status == AIC_OK && b->is_signed) {
        void *own_operands[AIC_OPERANDS_MAX];
        aic_chain_stage_operands(&b->end[EXACT], last, NULL, own_operands);
        op->byte_signs(desc, own_operands, b->is_signed);
    }
    return status;
}

static aic_status run_stages(const bounded_run *b)
{
    aic_status status = bound_sums(b);
    for (int s = 1; s < b->end[EXACT].spec->count && status == AIC_OK; s++) {
        status = aic_chain_op(&b->end[EXACT], s)->change ? change(b, s) : AIC_OK;
    }
    return status == AIC_OK ? run_last(b) : status;
}

/* ---- results ---- */

/* The middle of the numbers that are right, and how far they are from it. */
static void enclose_bytes(const bounded_run *b, int64_t i, double *exact, double *bound)
{
    double least = 255, most = -128;
    for (int end = 0; end < ENDS; end++) {
        const double q = b->is_signed[i] ? (double)(int8_t)b->result[end][i] : (double)b->result[end][i];
        least = fmin(least, q);
        most = fmax(most, q);
    }
    *exact = (least + most) / 2;
    *bound = (most - least) / 2;
}

static double value_of(const bounded_run *b, int end, int64_t i)
{
    return aic_reference_value(b->output.dtype, b->result[end] + i * (int64_t)aic_dtype_size(b->output.dtype));
}

static void enclose_floats(const bounded_run *b, int64_t i, double *exact, double *bound)
{
    const double low = value_of(b, LOW, i), high = value_of(b, HIGH, i);
    *exact = value_of(b, EXACT, i);
    const bool between = (low <= *exact && *exact <= high) || (high <= *exact && *exact <= low);
    const bool nan = isnan(low) && isnan(*exact) && isnan(high);
    *bound = nan ? 0 : between ? fmax(fabs(low - *exact), fabs(high - *exact)) : (double)INFINITY;
}

static bool differs(const bounded_run *b, int64_t i)
{
    return b->result[LOW][i] != b->result[EXACT][i] || b->result[HIGH][i] != b->result[EXACT][i];
}

aic_status aic_chain_reference_bound(const aic_spec *resolved, const aic_semantics *semantics, void *const operands[],
                                     double *exact, double *bound)
{
    bounded_run b;
    aic_status status = open_runs(&b, resolved, semantics, operands);
    status = status == AIC_OK ? run_stages(&b) : status;
    for (int64_t i = 0; status == AIC_OK && i < b.outputs; i++) {
        if (b.is_signed && differs(&b, i)) {
            enclose_bytes(&b, i, &exact[i], &bound[i]);
        } else {
            enclose_floats(&b, i, &exact[i], &bound[i]);
        }
    }
    close_runs(&b);
    return status;
}
