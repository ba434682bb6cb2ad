/* How tensor_arithmetic_quantized makes one word, of the elements of two or four batches (tensor arithmetic, section
 * 4). */
#include "frontend/trace/trace.h"

#include <inttypes.h>

enum { N = AIC_ARITH_N, C = AIC_ARITH_C, H = AIC_ARITH_H, W = AIC_ARITH_W };
enum { INPUT0 = 1, INPUT1 = 2 };

typedef aic_tensor_arithmetic_quantized_desc descriptor;

/* Numbers of 8 or 16 bits. */
typedef struct format {
    int bits;
    bool sign;
} format;

static int64_t number_of(format f, uint64_t word, int64_t part)
{
    const int64_t low = (int64_t)(word >> (part * f.bits) & ((UINT64_C(1) << f.bits) - 1));
    return f.sign && low >> (f.bits - 1) != 0 ? low - (INT64_C(1) << f.bits) : low;
}

static format format_of(const descriptor *desc, int operand)
{
    static const format WIDTHS[] = {{16, false}, {8, false}};
    const bool narrow[] = {desc->output_8bit, desc->input0_8bit, desc->input1_8bit};
    const bool sign[] = {desc->output_sign, desc->input0_sign, desc->input1_sign};
    return (format){WIDTHS[narrow[operand]].bits, sign[operand]};
}

static int64_t input_of(aic_tracer *t, const descriptor *desc, int number, void *const operands[], const int64_t *at)
{
    const bool first = number == INPUT0, is_const = first ? desc->input0_is_const : desc->input1_is_const;
    const char *what = first ? "input0" : "input1";
    const format f = format_of(desc, number);
    const int64_t address = first ? desc->input0_addr : desc->input1_addr;
    if (is_const) {
        const int64_t value = number_of(f, (uint64_t)address, 0);
        aic_trace_step(t, AIC_STEP_PLAIN, what, "%" PRId64 ", a constant", value);
        return value;
    }
    const aic_arith_operand *o = &t->arith.operand[number];
    const int operand = desc->memory == AIC_MEMORY_LOCAL ? 0 : number;
    const int64_t index = aic_arith_word(&t->arith, o, at), part = o->broadcast[N] ? 0 : at[N] % (32 / f.bits);
    const int64_t value = number_of(f, aic_trace_load(t, AIC_UINT32, operands[operand], index), part);
    aic_trace_step(t, AIC_STEP_PLAIN, what, "%s, part %" PRId64 " = %" PRId64, aic_trace_place(t, operand, index).text,
                   part, value);
    return value;
}

static int64_t floor_of(int64_t value, int64_t count)
{
    const int64_t divisor = INT64_C(1) << count;
    return value / divisor - (value % divisor < 0);
}

/* The product, or what BM_MAC adds up, shifted right. */
static int64_t shift_right(aic_tracer *t, const descriptor *desc, int64_t value)
{
    const int64_t m = desc->rshift_bit;
    const int64_t half = t->semantics->rounding == AIC_ROUNDING_HALF_UP ? (INT64_C(1) << m) / 2 : 0;
    const int64_t result = floor_of(value + half, m);
    if (m > 0) {
        aic_trace_step(t, AIC_STEP_INTEGER_SHIFT, aic_trace_format(t, ">> %" PRId64, m).text,
                       "%" PRId64 " -> %" PRId64 "%s", value, result,
                       result * (INT64_C(1) << m) == value ? ", exact" : "");
    }
    return result;
}

/* BM_SHIFT: counts of 16 and more shift everything out. */
static int64_t shifted(const descriptor *desc, int64_t a, int64_t b)
{
    const int64_t pattern = (int64_t)((uint64_t)a & 0xFFFF);
    if (b >= 0) {
        return b >= 16 ? 0 : pattern << b;
    }
    const int64_t count = b < -16 ? 16 : -b;
    return floor_of(desc->shift_type == 1 ? a : pattern, count);
}

/* The exact result, of those that are stored by their low bits, and of the others. */
static int64_t bits_result(const descriptor *desc, int64_t a, int64_t b)
{
    switch (desc->op) {
    case AIC_ATOMIC_BM_AND:
        return a & b;
    case AIC_ATOMIC_BM_OR:
        return a | b;
    case AIC_ATOMIC_BM_XOR:
        return a ^ b;
    case AIC_ATOMIC_BM_SHIFT:
        return shifted(desc, a, b);
    default:
        return a;
    }
}

static int64_t number_result(aic_tracer *t, const descriptor *desc, int64_t a, int64_t b, int64_t old)
{
    switch (desc->op) {
    case AIC_ATOMIC_BM_ADD:
        return a + b;
    case AIC_ATOMIC_BM_SUB:
        return a - b;
    case AIC_ATOMIC_BM_MUL:
        return shift_right(t, desc, a * b);
    case AIC_ATOMIC_BM_MAC:
        return shift_right(t, desc, a * b + old * (INT64_C(1) << desc->lshift_bit));
    case AIC_ATOMIC_BM_MAX:
        return a > b ? a : b;
    default:
        return a < b ? a : b;
    }
}

static bool keeps_low_bits(aic_atomic_op op)
{
    return op == AIC_ATOMIC_BM_AND || op == AIC_ATOMIC_BM_OR || op == AIC_ATOMIC_BM_XOR || op == AIC_ATOMIC_BM_SHIFT ||
           op == AIC_ATOMIC_BM_CPY;
}

/* One element: its pattern in the output's width. */
static uint64_t element_of(aic_tracer *t, const descriptor *desc, void *const operands[], const int64_t *at,
                           int64_t old)
{
    const format f = format_of(desc, 0);
    const int64_t low = f.sign ? -(INT64_C(1) << (f.bits - 1)) : 0, high = low + (INT64_C(1) << f.bits) - 1;
    const char *name = aic_enum_word(AIC_KIND_ATOMIC_OP, desc->op);
    const int64_t a = input_of(t, desc, INPUT0, operands, at);
    const int64_t b = desc->op == AIC_ATOMIC_BM_CPY ? 0 : input_of(t, desc, INPUT1, operands, at);
    int64_t value;
    if (desc->op == AIC_ATOMIC_BM_MAC) {
        aic_trace_event(t, AIC_EVENT_OLD_READ, true);
        aic_trace_step(t, AIC_STEP_PLAIN, "old output", "%" PRId64, old);
    }
    if (keeps_low_bits(desc->op)) {
        const uint64_t pattern = (uint64_t)bits_result(desc, a, b) & ((UINT64_C(1) << f.bits) - 1);
        aic_trace_step(t, AIC_STEP_INTEGER_BITS, name, "0x%0*" PRIX64 " = %" PRId64, f.bits / 4, pattern,
                       number_of(f, pattern, 0));
        return pattern;
    }
    value = number_result(t, desc, a, b, old);
    aic_trace_step(t, AIC_STEP_ARITHMETIC, name, "%" PRId64, value);
    value = aic_trace_clamp(t, AIC_STEP_INTEGER_CLAMP, "clamp to the output's range", value, low, high);
    aic_trace_event(t, AIC_EVENT_AT_LIMIT, value == low || value == high);
    return (uint64_t)value & ((UINT64_C(1) << f.bits) - 1);
}

bool aic_trace_tensor_arithmetic_quantized(aic_tracer *t, const descriptor *desc, void *const operands[],
                                           int64_t element, uint64_t *bits)
{
    int64_t at[AIC_ARITH_RANK];
    const format f = format_of(desc, 0);
    if (!aic_arith_find(&t->arith, element, at)) {
        return aic_trace_unwritten(t, "the output's shape and strides do not lead to it");
    }
    uint64_t word = aic_trace_load(t, AIC_UINT32, operands[0], element);
    const uint64_t before = word, mask = (UINT64_C(1) << f.bits) - 1;
    t->channel = at[C];
    for (int64_t part = 0; part < 32 / f.bits; part++, at[N]++) {
        if (at[N] >= desc->shape[N]) {
            aic_trace_step(t, AIC_STEP_SUB_WORDS, aic_trace_format(t, "part %" PRId64, part).text,
                           "%" PRId64 " stays: there is no batch %" PRId64, number_of(f, before, part), at[N]);
            continue;
        }
        aic_trace_put(t,
                      "tensor_arithmetic_quantized, part %" PRId64 ": n %" PRId64 ", c %" PRId64 ", h %" PRId64
                      ", w %" PRId64 ":\n",
                      part, at[N], at[C], at[H], at[W]);
        const uint64_t pattern = element_of(t, desc, operands, at, number_of(f, before, part));
        word = (word & ~(mask << (part * f.bits))) | pattern << (part * f.bits);
    }
    *bits = word;
    return true;
}
