/* Traces of specifications: the stages one after the other, and which element of the producer a chain's element comes
 * from. */
#include "frontend/trace/trace.h"

#include "frontend/core/chain.h"
#include "frontend/core/choice.h"
#include "frontend/core/diag.h"
#include "frontend/core/neutral.h"
#include "frontend/core/rule.h"
#include "frontend/core/spec.h"
#include <aic/tool.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void aic_trace_open(aic_trace_run *run, const aic_spec *spec, const aic_semantics *semantics, void *const operands[])
{
    aic_operand shapes[AIC_OPERANDS_MAX];
    aic_chain_operands chain = {.l1out = 0};
    const size_t count = aic_spec_operands_of(spec, semantics, shapes);
    *run = (aic_trace_run){.tracer = {.spec = spec, .semantics = semantics, .operands = operands, .count = count},
                           .output = shapes[0]};
    if (spec->count > 1) {
        aic_chain_operands_of(spec, semantics, &chain);
    }
    for (int s = 0; s < spec->count; s++) {
        for (int i = 0; i < AIC_OPERANDS_MAX; i++) {
            const int alone = (size_t)i < count ? i : AIC_ACCUMULATED;
            const int from = spec->count > 1 ? chain.from[s][i] : alone;
            run->from[s][i] = from;
            run->own[s][i] = from == AIC_ACCUMULATED ? NULL : operands[from];
        }
    }
    const aic_stage *stage = &spec->stage[0];
    aic_spec_coordinates_of(spec, semantics, &shapes[0], 0, &run->tracer.output);
    if (spec->count == 1 && stage->op == AIC_OP_TENSOR_ARITHMETIC) {
        run->tracer.arith = aic_arith_of_words(&stage->desc.tensor_arithmetic, semantics);
    } else if (stage->op == AIC_OP_TENSOR_ARITHMETIC_QUANTIZED) {
        run->tracer.arith = aic_arith_of_integers(&stage->desc.tensor_arithmetic_quantized, semantics);
    }
    if (chain.l1out != 0) {
        run->from[0][0] = chain.l1out;
        run->own[0][0] = operands[chain.l1out];
    }
}

/* ---- one operator ---- */

/* An operator alone, or the first one of a chain; false for an element that is not written. */
static bool produce(aic_trace_run *run, int64_t element, uint64_t *bits)
{
    aic_tracer *t = &run->tracer;
    const aic_stage *stage = &t->spec->stage[0];
    switch (stage->op) {
#define AIC_TRACE_OPERATOR(ENUM, name)                                                                                 \
    case AIC_OP_##ENUM:                                                                                                \
        return aic_trace_##name(t, &stage->desc.name, run->own[0], element, bits)
        AIC_TRACE_OPERATOR(CONV2D, conv2d);
        AIC_TRACE_OPERATOR(MMAD, mmad);
        AIC_TRACE_OPERATOR(ND2NZ, nd2nz);
        AIC_TRACE_OPERATOR(LOAD_DATA, load_data);
        AIC_TRACE_OPERATOR(LOAD_DATA_TRANSPOSE, load_data_transpose);
        AIC_TRACE_OPERATOR(TRANSDATA, transdata);
        AIC_TRACE_OPERATOR(TENSOR_ARITHMETIC, tensor_arithmetic);
        AIC_TRACE_OPERATOR(TENSOR_ARITHMETIC_QUANTIZED, tensor_arithmetic_quantized);
        AIC_TRACE_OPERATOR(TEXPANDS, texpands);
#undef AIC_TRACE_OPERATOR
    default: /* consumers, see below */
        return false;
    }
}

static bool is_consumer(aic_op op)
{
    return op == AIC_OP_FIXPIPE || op == AIC_OP_TIK_FIXPIPE;
}

static bool find_position(aic_trace_run *run, const aic_stage *stage, int64_t element, aic_trace_position *position)
{
    return stage->op == AIC_OP_FIXPIPE
               ? aic_trace_fixpipe_position(&run->tracer, &stage->desc.fixpipe, element, position)
               : aic_trace_tik_fixpipe_position(&run->tracer, &stage->desc.tik_fixpipe, element, position);
}

static uint64_t consume(aic_trace_run *run, const aic_stage *stage, const aic_trace_position *position, uint64_t source)
{
    aic_tracer *t = &run->tracer;
    const int last = t->spec->count - 1;
    t->from = run->from[last];
    return stage->op == AIC_OP_FIXPIPE
               ? aic_trace_fixpipe(t, &stage->desc.fixpipe, run->own[last], position, source)
               : aic_trace_tik_fixpipe(t, &stage->desc.tik_fixpipe, run->own[last], position, source);
}

/* ---- chains ---- */

/* An accumulator through the stages that sum it and change it; false for one that is not defined. */
static bool accumulate(aic_trace_run *run, int64_t element, uint64_t *source)
{
    enum { INPUT1 = 2 };
    uint64_t left[AIC_STAGES_MAX + 1] = {0};
    aic_tracer *t = &run->tracer;
    t->from = run->from[0];
    if (!produce(run, element, source)) {
        return false;
    }
    for (int s = 1; s < t->spec->count && t->spec->stage[s].op == AIC_OP_TENSOR_ARITHMETIC; s++) {
        left[s] = *source;
        t->from = run->from[s];
        *source = aic_trace_arithmetic(t, &t->spec->stage[s].desc.tensor_arithmetic, run->own[s][INPUT1], left, element,
                                       *source);
    }
    return true;
}

/* The steps of all stages; false for an element that is not written. */
static bool trace_stages(aic_trace_run *run, int64_t element, uint64_t *bits)
{
    enum { SRC = 1 };
    aic_tracer *t = &run->tracer;
    const aic_stage *last = &t->spec->stage[t->spec->count - 1];
    aic_trace_position position;
    uint64_t source = 0;
    if (!is_consumer(last->op)) {
        return accumulate(run, element, bits);
    }
    if (!find_position(run, last, element, &position)) {
        return false;
    }
    if (position.filled) {
        t->channel = position.column;
        aic_trace_event(t, AIC_EVENT_PADDING, true);
        aic_trace_step(t, AIC_STEP_FILL_BLOCK, "fill_block", "0");
        *bits = 0;
        return true;
    }
    if (t->spec->count == 1) {
        const aic_dtype dtype = last->op == AIC_OP_FIXPIPE ? last->desc.fixpipe.src : last->desc.tik_fixpipe.src;
        source = aic_trace_read(t, dtype, run->own[0][SRC], position.from);
        aic_trace_source(t, position.from);
    } else {
        (void)accumulate(run, position.from, &source); /* what a consumer reads is defined */
    }
    *bits = consume(run, last, &position, source);
    return true;
}

void aic_trace_all(aic_trace_run *run, int64_t element, uint64_t *bits)
{
    aic_tracer *t = &run->tracer;
    t->events = 0;
    t->channel = -1;
    t->from = run->from[0];
    if (!trace_stages(run, element, bits)) {
        *bits = aic_trace_load(t, run->output.dtype, t->operands[0], element);
    }
}

/* ---- the call ---- */

/* "dst[0,3,1] = 13", the last line. */
static void put_result(aic_trace_run *run, int64_t element, uint64_t bits)
{
    aic_tracer *t = &run->tracer;
    t->from = NULL;
    aic_trace_put(t, "%s = %s\n", aic_trace_place(t, 0, element).text,
                  aic_trace_value(t, run->output.dtype, bits).text);
}

typedef struct request {
    aic_trace_run *run;
    int64_t element;
} request;

static void write_trace(aic_sink *out, const void *from)
{
    const request *r = from;
    char choices[AIC_CHOICES_TEXT_MAX] = "";
    uint64_t bits = 0;
    r->run->tracer.out = out;
    (void)aic_semantics_print_choices(r->run->tracer.semantics, choices, sizeof choices, NULL); /* it is long enough */
    if (choices[0] != '\0') {
        aic_trace_put(&r->run->tracer, "choices: %s\n", choices);
    }
    aic_trace_all(r->run, r->element, &bits);
    put_result(r->run, r->element, bits);
}

/* Checks a request and opens its run; all but the first three parameters are as aic_trace() has them. */
static aic_status open_run(aic_trace_run *run, aic_spec *resolved, aic_semantics *own, const aic_spec *spec,
                           const aic_semantics *semantics, void *const operands[], size_t count, int64_t element)
{
    semantics = aic_semantics_of(semantics, own);
    const aic_status status = aic_spec_check_call(spec, semantics, operands, count, resolved);
    if (status != AIC_OK) {
        return status;
    }
    aic_trace_open(run, resolved, semantics, operands);
    if (element >= 0 && element < run->output.elements) {
        return AIC_OK;
    }
    return aic_fail(AIC_INVALID_ARGUMENT, NULL, "element: %" PRId64 " is outside 0..%" PRId64 " of %s", element,
                    run->output.elements - 1, run->output.name);
}

aic_status aic_trace(const aic_spec *spec, const aic_semantics *semantics, void *const operands[], size_t count,
                     int64_t element, void *value, char *buffer, size_t capacity, size_t *length)
{
    aic_semantics own;
    aic_spec resolved = {.count = 0};
    aic_trace_run run;
    uint64_t bits = 0;
    aic_status status = open_run(&run, &resolved, &own, spec, semantics, operands, count, element);
    if (status == AIC_OK) {
        aic_neutral callers;
        aic_neutral_enter(&callers);
        status = aic_sink_write(write_trace, &(request){.run = &run, .element = element}, buffer, capacity, length);
        run.tracer.out = NULL;
        aic_trace_all(&run, element, &bits);
        aic_neutral_leave(&callers);
    }
    if (status == AIC_OK && value) {
        memcpy(value, &bits, aic_dtype_size(run.output.dtype)); /* little-endian */
    }
    return status;
}

aic_status aic_trace_reads(const aic_spec *spec, const aic_semantics *semantics, void *const operands[], size_t count,
                           int64_t element, unsigned char *const reads[])
{
    aic_semantics own;
    aic_spec resolved = {.count = 0};
    aic_trace_run run;
    uint64_t bits = 0;
    aic_status status = aic_rule_given("reads", reads);
    status = status == AIC_OK ? open_run(&run, &resolved, &own, spec, semantics, operands, count, element) : status;
    if (status == AIC_OK) {
        aic_neutral callers;
        run.tracer.reads = reads;
        aic_neutral_enter(&callers);
        aic_trace_all(&run, element, &bits); /* whose value does not count */
        aic_neutral_leave(&callers);
    }
    return status;
}
