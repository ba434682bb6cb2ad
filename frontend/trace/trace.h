/* Traces: how one element of a result comes about, rounding step by rounding step. They follow the documents by
 * themselves: they call no reference and no generator, so that tests can hold each against the other.
 *
 * Values are elements as bits, low bytes first. Each function writes a line a step. */
#ifndef AIC_TRACE_H
#define AIC_TRACE_H

#include "frontend/text/sink.h"
#include "frontend/trace/expansion.h"
#include <aic/spec.h>

/* One step: what is done, and what comes of it. */
void aic_trace_step(aic_sink *out, const char *what, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* An element as text, floats with their bits: "15.75 (0x417C0000)"; and without. */
typedef struct aic_trace_text {
    char text[64];
} aic_trace_text;
aic_trace_text aic_trace_element(aic_dtype dtype, uint64_t bits);
aic_trace_text aic_trace_value(aic_dtype dtype, uint64_t bits);
aic_trace_text aic_trace_real(double value);

static inline uint64_t aic_trace_load(aic_dtype dtype, const void *operand, int64_t index)
{
    const size_t size = aic_dtype_size(dtype);
    uint64_t bits = 0;
    __builtin_memcpy(&bits, (const unsigned char *)operand + (size_t)index * size, size); /* little-endian */
    return bits;
}

uint32_t aic_trace_bits(float value);

/* The bits of what arithmetic gives: every NaN is the default one, as in the references. */
uint32_t aic_trace_result(float value);
float aic_trace_float(uint64_t bits);

/* Lines of a sum: all of up to this many blocks, else as many at the beginning and at the end. */
enum { AIC_TRACE_BLOCKS_MAX = 1024 };
bool aic_trace_shows(aic_sink *out, int64_t block, int64_t blocks);

/* The result's bits, of a float accumulator that float results are stored from: a finite number, or what the overflow
 * mode makes of others; a half or bfloat16 from a float. Each says what it does. */
uint64_t aic_trace_narrow(aic_sink *out, aic_dtype dtype, aic_overflow overflow, float value);

/* What an exact int32 sum becomes that does not fit: clamped, or modulo 2^32. Says so where it changes something. */
int32_t aic_trace_int32(aic_sink *out, aic_int_overflow overflow, int64_t sum);

/* A float32 accumulator of products, as the choice `sum` has it. Each block of K0 products is one line of a
 * trace. */
typedef struct aic_trace_sum {
    aic_sum_model model;
    float acc;           /* block and sequential */
    double block;        /* block: the sum of this one's products */
    aic_expansion exact; /* exact */
} aic_trace_sum;

aic_trace_sum aic_trace_sum_begin(aic_sum_model model, float old);
void aic_trace_sum_add(aic_trace_sum *sum, double product); /* exact in double */
/* Ends a block: writes a line, unless `what` is NULL. */
void aic_trace_sum_block(aic_sink *out, aic_trace_sum *sum, const char *what);
float aic_trace_sum_end(aic_sink *out, aic_trace_sum *sum);

/* ---- operators; operands are the operator's own, in calling order, and the descriptor is valid ----
 *
 * Producers: element number `element` of the first operand. The old one is read where it is added to; in a chain the
 * first operand is l1out then. Returns false, and writes nothing, for elements that are not written. */
bool aic_trace_conv2d(aic_sink *out, const aic_conv2d_desc *desc, const aic_semantics *semantics,
                      void *const operands[], int64_t element, uint64_t *bits);
bool aic_trace_mmad(aic_sink *out, const aic_mmad_desc *desc, const aic_semantics *semantics, void *const operands[],
                    int64_t element, uint64_t *bits);

/* Consumers in two parts: which element of src makes an element of dst, and of which matrix, row and column it is
 * (false: none does); and what is done with its value. */
typedef struct aic_trace_position {
    int64_t from;
    int64_t matrix, row, column; /* tik_fixpipe: burst, row, column of the burst */
    bool filled;                 /* none makes it: it is a zero of fill_block */
} aic_trace_position;

bool aic_trace_fixpipe_position(const aic_fixpipe_desc *desc, int64_t element, aic_trace_position *position);
uint64_t aic_trace_fixpipe(aic_sink *out, const aic_fixpipe_desc *desc, const aic_semantics *semantics,
                           const uint64_t *words, const aic_trace_position *position, uint64_t source);

/* A stage of a chain between them: what it makes of accumulator number `element`, which is `source`. input1: its
 * operand, called `name` in the chain; NULL: it has none; left[s]: the accumulator as stage s has left it, 1 the
 * first. */
uint64_t aic_trace_arithmetic(aic_sink *out, const aic_tensor_arithmetic_desc *desc, const aic_semantics *semantics,
                              const char *name, const void *input1, const uint64_t *left, int64_t element,
                              uint64_t source);

bool aic_trace_tik_fixpipe_position(const aic_tik_fixpipe_desc *desc, int64_t element, aic_trace_position *position);
uint64_t aic_trace_tik_fixpipe(aic_sink *out, const aic_tik_fixpipe_desc *desc, aic_overflow overflow,
                               void *const operands[], const aic_trace_position *position, uint64_t source);

#endif
