/* Traces of specifications: what is refused, which element of the producer a chain's element comes from. */
#include "frontend/trace/trace.h"

#include "frontend/core/chain.h"
#include "frontend/core/choice.h"
#include "frontend/core/diag.h"
#include "frontend/core/rule.h"
#include "frontend/core/spec.h"

#include <fenv.h>
#include <inttypes.h>
#include <stdio.h>

/* One trace: the call, and what came of it. */
typedef struct tracing {
    const aic_spec *spec; /* resolved */
    const aic_semantics *semantics;
    void *const *operands;
    aic_operand output;
    int64_t element;
    uint64_t bits;
} tracing;

/* The operands of a stage in its own order: NULL for what another stage hands over. */
static void own_operands(const tracing *t, int stage, const aic_semantics *semantics, void *own[AIC_OPERANDS_MAX])
{
    aic_chain_operands chain;
    if (t->spec->count == 1) {
        aic_operand operands[AIC_OPERANDS_MAX];
        const size_t count = aic_spec_operands_of(t->spec, semantics, operands);
        for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
            own[i] = i < count ? t->operands[i] : NULL;
        }
        return;
    }
    aic_chain_operands_of(t->spec, semantics, &chain);
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        const int from = chain.from[stage][i];
        own[i] = from == AIC_ACCUMULATED ? NULL : t->operands[from];
    }
    if (stage == 0 && chain.l1out != 0) {
        own[0] = t->operands[chain.l1out];
    }
}

/* The name of a stage's other input in the chain; NULL: it has none. */
static const char *name_of_other(const tracing *t, int stage, const aic_semantics *semantics)
{
    enum { OTHER = 2 };
    aic_chain_operands chain;
    aic_chain_operands_of(t->spec, semantics, &chain);
    const int from = chain.from[stage][OTHER];
    return from == AIC_ACCUMULATED ? NULL : chain.operand[from].name;
}

/* An operator that sums products; false for an element that is not written. */
static bool produce(const tracing *t, aic_sink *out, const aic_stage *stage, void *const own[], int64_t element,
                    uint64_t *bits)
{
    return stage->op == AIC_OP_CONV2D ? aic_trace_conv2d(out, &stage->desc.conv2d, t->semantics, own, element, bits)
                                      : aic_trace_mmad(out, &stage->desc.mmad, t->semantics, own, element, bits);
}

static bool find_position(const aic_stage *stage, int64_t element, aic_trace_position *position)
{
    return stage->op == AIC_OP_FIXPIPE ? aic_trace_fixpipe_position(&stage->desc.fixpipe, element, position)
                                       : aic_trace_tik_fixpipe_position(&stage->desc.tik_fixpipe, element, position);
}

static uint64_t consume(const tracing *t, aic_sink *out, const aic_stage *stage, void *const own[],
                        const aic_trace_position *position, uint64_t source)
{
    if (stage->op == AIC_OP_FIXPIPE) {
        return aic_trace_fixpipe(out, &stage->desc.fixpipe, t->semantics, own[2], position, source);
    }
    return aic_trace_tik_fixpipe(out, &stage->desc.tik_fixpipe, t->semantics->overflow, own, position, source);
}

static bool is_producer(aic_op op)
{
    return op == AIC_OP_CONV2D || op == AIC_OP_MMAD;
}

static bool is_consumer(aic_op op)
{
    return op == AIC_OP_FIXPIPE || op == AIC_OP_TIK_FIXPIPE;
}

/* An accumulator through the stages that sum it and change it; false for one that is not defined. */
static bool accumulate(const tracing *t, const aic_semantics *semantics, aic_sink *out, int64_t element,
                       uint64_t *source)
{
    uint64_t left[AIC_STAGES_MAX + 1] = {0};
    void *own[AIC_OPERANDS_MAX];
    own_operands(t, 0, semantics, own);
    if (!produce(t, out, &t->spec->stage[0], own, element, source)) {
        return false;
    }
    for (int s = 1; s < t->spec->count && t->spec->stage[s].op == AIC_OP_TENSOR_ARITHMETIC; s++) {
        enum { INPUT1 = 2 };
        left[s] = *source;
        own_operands(t, s, semantics, own);
        *source = aic_trace_arithmetic(out, &t->spec->stage[s].desc.tensor_arithmetic, semantics,
                                       name_of_other(t, s, semantics), own[INPUT1], left, element, *source);
    }
    return true;
}

/* The steps of all stages; false for an element that is not written. */
static bool trace_stages(tracing *t, const aic_semantics *semantics, aic_sink *out)
{
    const aic_stage *last = &t->spec->stage[t->spec->count - 1];
    void *own[AIC_OPERANDS_MAX];
    aic_trace_position position;
    if (!is_consumer(last->op)) {
        return accumulate(t, semantics, out, t->element, &t->bits);
    }
    if (!find_position(last, t->element, &position)) {
        return false;
    }
    uint64_t source = 0;
    own_operands(t, t->spec->count - 1, semantics, own);
    if (position.filled) {
        aic_trace_step(out, "fill_block", "0");
        t->bits = 0;
        return true;
    }
    if (t->spec->count == 1) {
        const aic_dtype dtype = last->op == AIC_OP_FIXPIPE ? last->desc.fixpipe.src : last->desc.tik_fixpipe.src;
        source = aic_trace_load(dtype, own[1], position.from);
    } else if (!accumulate(t, semantics, out, position.from, &source)) {
        return false;
    }
    t->bits = consume(t, out, last, own, &position, source);
    return true;
}

/* "dst[0,3,1] = 13", the last line; every element that is traced has coordinates. */
static void put_result(const tracing *t, const aic_semantics *semantics, aic_sink *out)
{
    aic_coordinates coordinates;
    int64_t at[AIC_AXES_MAX] = {0};
    char text[64];
    aic_spec_coordinates_of(t->spec, semantics, &t->output, 0, &coordinates);
    (void)aic_coordinates_find(&coordinates, t->element, at);
    aic_sink_put(out, t->output.name);
    for (int32_t d = 0; d < coordinates.rank; d++) {
        snprintf(text, sizeof text, "%s%" PRId64, d == 0 ? "[" : ",", at[d]);
        aic_sink_put(out, text);
    }
    aic_sink_put(out, "] = ");
    aic_sink_put(out, aic_trace_value(t->output.dtype, t->bits).text);
    aic_sink_put(out, "\n");
}

/* ---- the call ---- */

typedef struct request {
    tracing *t;
    const aic_semantics *semantics;
} request;

static aic_status write_trace(aic_sink *out, const void *from)
{
    const request *r = from;
    char choices[AIC_CHOICES_TEXT_MAX];
    aic_status status = aic_semantics_print_choices(r->semantics, choices, sizeof choices, NULL);
    if (status != AIC_OK) {
        return status;
    }
    if (choices[0] != '\0') {
        aic_sink_put(out, "choices: ");
        aic_sink_put(out, choices);
        aic_sink_put(out, "\n");
    }
    if (!trace_stages(r->t, r->semantics, out)) {
        return aic_fail(AIC_INVALID_ARGUMENT, aic_op_name(r->t->spec->stage[r->t->spec->count - 1].op),
                        "element: %" PRId64 " of %s is not written by this descriptor", r->t->element,
                        r->t->output.name);
    }
    put_result(r->t, r->semantics, out);
    return AIC_OK;
}

/* Operators without steps to show, and sums without an order. */
static aic_status check_traceable(const aic_spec *spec)
{
    const aic_stage *first = &spec->stage[0];
    if (!is_producer(first->op) && !is_consumer(first->op)) { /* chains begin with a producer */
        char subject[AIC_SUBJECT_MAX];
        aic_spec_subject(spec, " | ", subject, sizeof subject);
        return aic_fail(AIC_UNSUPPORTED, subject,
                        "there is no trace of it: those of conv2d, mmad, fixpipe, tik_fixpipe and their chains exist");
    }
    if (!aic_spec_exact(spec)) {
        return aic_fail(AIC_UNSUPPORTED, aic_op_name(first->op),
                        "accumulate: fast allows every order of summation; a trace is of accumulate=cube");
    }
    return AIC_OK;
}

static aic_status check_element(const aic_operand *output, int64_t element)
{
    if (element >= 0 && element < output->elements) {
        return AIC_OK;
    }
    return aic_fail(AIC_INVALID_ARGUMENT, NULL, "element: %" PRId64 " is outside 0..%" PRId64 " of %s", element,
                    output->elements - 1, output->name);
}

aic_status aic_trace(const aic_spec *spec, const aic_semantics *semantics, void *const operands[], size_t count,
                     int64_t element, void *value, char *buffer, size_t capacity, size_t *length)
{
    const aic_semantics defaults = aic_semantics_init();
    semantics = semantics ? semantics : &defaults;
    aic_spec resolved = {.count = 0};
    aic_operand shapes[AIC_OPERANDS_MAX];
    aic_status status = aic_spec_check_call(spec, semantics, operands, count, &resolved);
    status = status == AIC_OK ? check_traceable(&resolved) : status;
    if (status != AIC_OK) {
        return status;
    }
    (void)aic_spec_operands_of(&resolved, semantics, shapes);
    tracing t = {&resolved, semantics, operands, shapes[0], element, 0};
    status = check_element(&t.output, element);
    if (status == AIC_OK) {
        fenv_t callers;
        fegetenv(&callers);
        fesetenv(FE_DFL_ENV);
        status = aic_sink_write(write_trace, &(request){&t, semantics}, buffer, capacity, length);
        fesetenv(&callers);
    }
    if (status == AIC_OK && value) {
        memcpy(value, &t.bits, aic_dtype_size(t.output.dtype)); /* little-endian */
    }
    return status;
}
