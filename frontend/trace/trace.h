/* Traces: how one element of a result comes about, rounding step by rounding step, and what happens to its data on the
 * way. Tests hold them against the references, of which they use the exact sum alone; where elements lie they ask the
 * operators' coordinates.
 *
 * Values are elements as bits, low bytes first. Each function writes a line a step. */
#pragma once

#include "frontend/core/field.h"
#include "frontend/core/stage.h"
#include "frontend/ops/arith/arith.h"
#include "frontend/reference/exact_sum.h"
#include "frontend/text/sink.h"
#include <aic/coordinates.h>
#include <aic/diagnose.h>

/* Steps, by what decides them. */
typedef enum aic_step {
#define AIC_TRACE_STEP(name, choices, source) AIC_STEP_##name,
#include "frontend/trace/steps.def"
#undef AIC_TRACE_STEP
    AIC_STEP_END
} aic_step;

/* Where a trace goes. */
typedef struct aic_tracer {
    aic_sink *out; /* NULL: only the events count */
    const aic_spec *spec;
    const aic_semantics *semantics;
    const int *from; /* the number of each operand of the stage among the specification's; NULL: the same */
    uint32_t events; /* of this element, bits 1 << AIC_EVENT_... */
    int64_t channel; /* that it belongs to; -1: none */
    uint64_t *seen;  /* NULL, or a bit for each element of the first input: whether another result has read it */
    /* Marks of what is read, an array for each operand of the specification, or NULL for none; NULL: nobody asks. */
    unsigned char *const *reads;
    void *const *operands; /* of the specification */
    size_t count;
    aic_coordinates output; /* of its result */
    aic_arith arith;        /* of tensor arithmetic alone */
} aic_tracer;

static inline void aic_trace_event(aic_tracer *t, aic_event event, bool happened)
{
    t->events |= (uint32_t)happened << event;
}

/* A step: what is done, what comes of it, and behind it what decides it. */
void aic_trace_step(aic_tracer *t, aic_step step, const char *what, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void aic_trace_put(aic_tracer *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Text of a step; "" where nobody reads it. */
typedef struct aic_trace_text {
    char text[128];
} aic_trace_text;
aic_trace_text aic_trace_format(const aic_tracer *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An element as text, floats with their bits: "15.75 (0x417C0000)"; and without. */
aic_trace_text aic_trace_element(const aic_tracer *t, aic_dtype dtype, uint64_t bits);
aic_trace_text aic_trace_value(const aic_tracer *t, aic_dtype dtype, uint64_t bits);
aic_trace_text aic_trace_real(const aic_tracer *t, double value);

/* "src[0,3,1]": an element of operand number `own` of the stage in the document's terms; "src[#17]" where it has no
 * coordinates. */
aic_trace_text aic_trace_place(const aic_tracer *t, int own, int64_t element);

/* The coordinates of an element of the result; false for one that nothing writes: it lies in a gap. */
static inline bool aic_trace_find(const aic_tracer *t, int64_t element, int64_t at[AIC_AXES_MAX])
{
    return aic_coordinates_find(&t->output, element, at);
}

/* Notes that an element of an operand is read. */
void aic_trace_mark(const aic_tracer *t, const void *operand, int64_t index);

/* An element of an operand; copies of a known size need no call. */
static inline uint64_t aic_trace_load(const aic_tracer *t, aic_dtype dtype, const void *operand, int64_t index)
{
    const unsigned char *from = operand;
    uint64_t bits = 0; /* little-endian */
    if (t->reads) {
        aic_trace_mark(t, operand, index);
    }
    switch (dtype) {
    case AIC_INT8:
    case AIC_UINT8:
        return from[index];
    case AIC_INT16:
    case AIC_UINT16:
    case AIC_FLOAT16:
    case AIC_BFLOAT16:
        __builtin_memcpy(&bits, from + index * 2, 2);
        return bits;
    case AIC_UINT64:
        __builtin_memcpy(&bits, from + index * 8, 8);
        return bits;
    default:
        __builtin_memcpy(&bits, from + index * 4, 4);
        return bits;
    }
}

static inline bool aic_trace_is_float(aic_dtype dtype)
{
    return dtype == AIC_FLOAT16 || dtype == AIC_BFLOAT16 || dtype == AIC_FLOAT32;
}

/* Whether the exponent's bits are 0 and others are not. */
static inline bool aic_trace_is_subnormal(aic_dtype dtype, uint64_t bits)
{
    const uint64_t exponent = dtype == AIC_FLOAT16 ? 0x7C00 : dtype == AIC_BFLOAT16 ? 0x7F80 : 0x7F800000;
    const uint64_t sign = dtype == AIC_FLOAT32 ? UINT64_C(1) << 31 : 0x8000;
    return aic_trace_is_float(dtype) && (bits & exponent) == 0 && (bits & ~sign) != 0;
}

/* The same of a number that is computed with: a subnormal one is an event. */
static inline uint64_t aic_trace_read(aic_tracer *t, aic_dtype dtype, const void *operand, int64_t index)
{
    const uint64_t bits = aic_trace_load(t, dtype, operand, index);
    aic_trace_event(t, AIC_EVENT_SUBNORMAL_READ, aic_trace_is_subnormal(dtype, bits));
    return bits;
}

/* What a sum starts from: the old element, or of a chain the one of l1out, of this column where there is one a column.
 */
uint64_t aic_trace_old(aic_tracer *t, aic_dtype dtype, const void *operand, aic_l1out l1out, int64_t element,
                       int64_t column);

/* An element of the first input that results take once each. */
void aic_trace_source(aic_tracer *t, int64_t index);

/* The bits of what arithmetic gives: every NaN is the default one, as in the references. */
uint32_t aic_trace_result(float value);
float aic_trace_float(uint64_t bits);
bool aic_trace_is_nan(aic_dtype dtype, uint64_t bits);

/* A value before and after rounding to a float type, and why it is this one: exact, a tie, too large. `before` and
 * `rest` add up to the exact value, of which `formula` is the text; NULL: the number itself. */
void aic_trace_round(aic_tracer *t, aic_step step, const char *what, const char *formula, double before, double rest,
                     aic_dtype dtype, uint64_t after);

/* a + b as a double and what rounding it lost, exactly. */
double aic_trace_two_sum(double a, double b, double *lost);

/* What a step makes of a NaN, or a NaN of what. */
void aic_trace_nan(aic_tracer *t, bool before, bool after);

/* A value before and after a clamp; no line where it stays. */
int64_t aic_trace_clamp(aic_tracer *t, aic_step step, const char *what, int64_t value, int64_t low, int64_t high);

/* Elements that nothing writes, with the reason; always false. */
bool aic_trace_unwritten(aic_tracer *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Lines of a sum: all of up to this many blocks, else as many at the beginning and at the end. */
enum { AIC_TRACE_BLOCKS_MAX = 1024 };
bool aic_trace_shows(aic_tracer *t, int64_t block, int64_t blocks);

/* The result's bits, of a float accumulator that float results are stored from: a finite number, or what the overflow
 * mode makes of others; a half or bfloat16 from a float. Each says what it does. */
uint64_t aic_trace_narrow(aic_tracer *t, aic_dtype dtype, float value);

/* ---- sums of products (sum.c) ---- */

/* A sum of products of integers or floats, a line a block. */
typedef struct aic_trace_sum {
    aic_dtype dtype; /* int32 or float32 */
    aic_sum_model model;
    bool fast;    /* and accumulate=winograd */
    double least; /* what that allows, where it is more than fast does */
    int64_t blocks, products;
    int64_t integer; /* int32: all; and those of this block */
    int64_t block_integer;
    float acc;           /* float32, models block and sequential */
    double block;        /* model block: the sum of this one's products */
    aic_exact_sum exact; /* model exact, and fast */
    bool nan;            /* one of the factors is */
    char terms[2304];    /* the block's products */
    size_t used;
    int64_t shown;
} aic_trace_sum;

/* old: the bits that the sum starts from; blocks: how many there are; products: in all of them. */
void aic_trace_sum_begin(aic_tracer *t, aic_trace_sum *sum, aic_dtype dtype, aic_accumulate accumulate, uint64_t old,
                         int64_t blocks, int64_t products);
void aic_trace_sum_add(aic_tracer *t, aic_trace_sum *sum, aic_dtype dtype, uint64_t a, uint64_t b);
/* Ends a block: writes a line, unless `what` is NULL. */
void aic_trace_sum_block(aic_tracer *t, aic_trace_sum *sum, const char *what);
uint64_t aic_trace_sum_end(aic_tracer *t, aic_trace_sum *sum);

/* ---- operators; operands are the operator's own, in calling order, and the descriptor is valid ----
 *
 * Element number `element` of the first operand. The old one is read where it is added to; in a chain the first operand
 * is l1out then. Returns false, and says why, for elements that are not written. */
#define AIC_TRACE_ARGUMENTS(name)                                                                                      \
    aic_tracer *t, const aic_##name##_desc *desc, void *const operands[], int64_t element, uint64_t *bits
bool aic_trace_conv2d(AIC_TRACE_ARGUMENTS(conv2d));
bool aic_trace_mmad(AIC_TRACE_ARGUMENTS(mmad));
bool aic_trace_nd2nz(AIC_TRACE_ARGUMENTS(nd2nz));
bool aic_trace_load_data(AIC_TRACE_ARGUMENTS(load_data));
bool aic_trace_load_data_transpose(AIC_TRACE_ARGUMENTS(load_data_transpose));
bool aic_trace_transdata(AIC_TRACE_ARGUMENTS(transdata));
bool aic_trace_texpands(AIC_TRACE_ARGUMENTS(texpands));
bool aic_trace_tensor_arithmetic(AIC_TRACE_ARGUMENTS(tensor_arithmetic));
bool aic_trace_tensor_arithmetic_quantized(AIC_TRACE_ARGUMENTS(tensor_arithmetic_quantized));

/* Consumers in two parts: which element of src makes an element of dst, and of which matrix, row and column it is
 * (false: none does); and what is done with its value. */
typedef struct aic_trace_position {
    int64_t from;
    int64_t matrix, row, column; /* tik_fixpipe: burst, row, column of the burst */
    bool filled;                 /* none makes it: it is a zero of fill_block */
} aic_trace_position;

bool aic_trace_fixpipe_position(aic_tracer *t, const aic_fixpipe_desc *desc, int64_t element,
                                aic_trace_position *position);
uint64_t aic_trace_fixpipe(aic_tracer *t, const aic_fixpipe_desc *desc, void *const operands[],
                           const aic_trace_position *position, uint64_t source);

/* A stage of a chain between them: what it makes of accumulator number `element`, which is `source`. input1: its
 * operand; NULL: it has none; left[s]: the accumulator as stage s has left it, 1 the first. */
uint64_t aic_trace_arithmetic(aic_tracer *t, const aic_tensor_arithmetic_desc *desc, const void *input1,
                              const uint64_t *left, int64_t element, uint64_t source);

bool aic_trace_tik_fixpipe_position(aic_tracer *t, const aic_tik_fixpipe_desc *desc, int64_t element,
                                    aic_trace_position *position);
uint64_t aic_trace_tik_fixpipe(aic_tracer *t, const aic_tik_fixpipe_desc *desc, void *const operands[],
                               const aic_trace_position *position, uint64_t source);

/* ---- a specification (trace.c) ---- */

/* The operands of a stage in its own order, NULL for what another stage hands over; from[] as aic_tracer has it. */
typedef struct aic_trace_run {
    aic_tracer tracer;
    aic_operand output;
    void *own[AIC_STAGES_MAX][AIC_OPERANDS_MAX];
    int from[AIC_STAGES_MAX][AIC_OPERANDS_MAX];
} aic_trace_run;

/* spec is resolved, and outlives the run. */
void aic_trace_open(aic_trace_run *run, const aic_spec *spec, const aic_semantics *semantics, void *const operands[]);

/* All stages; of an element that is not written *bits is the old one. */
void aic_trace_all(aic_trace_run *run, int64_t element, uint64_t *bits);
