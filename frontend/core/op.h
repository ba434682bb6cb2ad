/* The table of operators: what the generic code (text, keys, tools) needs to know of each. An operator fills one
 * aic_op_info in frontend/ops/NAME.c; ops.def names them all. */
#ifndef AIC_OP_H
#define AIC_OP_H

#include "frontend/core/argument.h"
#include "frontend/core/field.h"
#include <aic/spec.h>

/* What the sums of a chain start from. */
typedef enum aic_start {
    AIC_START_ZERO,
    AIC_START_TENSOR, /* the operand l1out: old accumulators in their layout */
    AIC_START_CHANNEL /* the operand l1out: a value a column */
} aic_start;

/* What a stage of a chain hands over without storing it: a matrix of rows x columns in blocks of 16 columns,
 *
 *     element(r, c) = ((c/16)*block_rows + r)*16 + c%16
 *
 * of which the rows past `rows` and the columns past `columns` are not defined. No size is 0. */
typedef struct aic_accumulator {
    const char *producer; /* name of the first operator, for messages */
    aic_dtype dtype;      /* int32 or float32 */
    bool words;           /* arithmetic has changed them: what they are is up to the stage that takes them */
    int64_t rows, columns, block_rows;
    aic_start start;
    int stage; /* number of the stage that left them, 1 the first */
} aic_accumulator;

/* An operator. `desc` is its descriptor, a member of the union in aic_stage. */
typedef struct aic_op_info {
    aic_record record; /* name of the operator, fields in the order of the .def list */
    size_t desc_size;
    void (*init)(void *desc);
    /* Puts the values themselves into fields that were left to follow from others (a valid region as large as the
     * tile). NULL: there are none. */
    void (*fill_in)(void *desc);
    /* Puts a fixed value into fields, and parts of fields, that neither a rule nor anything else looks at, given the
     * others; a caller may leave anything in them. The descriptor may hold any bytes, and breaks the same rule
     * afterwards as before, or none. What comes out of both hooks comes out of itself. NULL: there are none. */
    void (*clear_ignored)(void *desc);
    /* Puts a fixed value into every field, and part of a field, on which neither the code depends, nor the operands
     * (sizes, direction, what a call must pass for them), nor the rules of a call's data, given the others: where rules
     * look, but code does not. Of a valid descriptor, resolved as far as its chain goes, its ignored fields cleared.
     * What comes out need not be valid; it comes out of itself. Descriptors that are equal then share a kernel. */
    void (*canonicalise)(void *desc, const aic_semantics *semantics);
    /* Writes every field of the descriptor, everything filled in and its ignored fields cleared, as 64-bit words
     * (AIC_KEY_FIELD in field.h), returns how many. On the path of every call: expanded from the list at compile time,
     * not walked at run time. */
    uint32_t (*key)(const void *desc, uint64_t *words);
    /* Whether key() would write these words, which it wrote for some descriptor: their number, which is never 0, or 0.
     * On the path of every call. */
    uint32_t (*has_key)(const void *desc, const uint64_t *words);

    /* Every rule of the document in the order of its table; sets the message of the first broken one. */
    aic_status (*validate)(const void *desc, const aic_semantics *semantics);
    /* Rules of a valid descriptor that is in no chain: keys that have a meaning in chains only. NULL: there are none.
     */
    aic_status (*validate_alone)(const void *desc);

    /* Operands in calling order, one for every parameter of aic_jit_OP(), AIC_UNUSED ones included; the descriptor is
     * valid. Sizes fit in int64_t; elements and bytes are filled in by the caller. */
    size_t (*operands)(const void *desc, const aic_semantics *semantics, aic_operand operands[AIC_OPERANDS_MAX]);
    /* How many bytes of each operand a call reads and writes, in calling order. They come in as all of the operand's,
     * twice those of an AIC_INOUT one; the hook corrects them where a call touches less, or does not read what it
     * writes. NULL: they are right. */
    void (*accessed)(const void *desc, const aic_semantics *semantics, int64_t bytes[AIC_OPERANDS_MAX]);
    int64_t (*macs)(const void *desc); /* saturated at INT64_MAX; NULL: the operator has none */
    bool (*exact)(const void *desc);   /* NULL: always */

    /* What a call's data must satisfy beyond NULL, alignment and overlap (the words of a vector quantisation), and
     * the warnings of a call; before anything is written. operands in calling order. NULL: nothing. */
    aic_status (*check_data)(const void *desc, const void *const operands[]);
    /* Leaves a warning where descriptor and data, legal as they are, hardly mean what they say. Not part of calls:
     * kernels are shared by descriptors that differ in what this looks at. NULL: nothing to say. */
    void (*advise)(const void *desc, const void *const operands[]);

    /* The formulas; the descriptor is valid, operands are in calling order and do not overlap. Runs in the
     * default floating-point environment (the caller sees to it). May return AIC_OUT_OF_MEMORY. */
    aic_status (*reference)(const void *desc, const aic_semantics *semantics, void *const operands[]);
    /* NULL for operators that are always exact; arrays as in aic_reference_bound(). */
    aic_status (*reference_bound)(const void *desc, const aic_semantics *semantics, void *const operands[],
                                  double *exact, double *bound);

    /* Fusion "producer | consumer"; see aic_accumulator. NULL: the operator is none. */
    /* Producer: describes what it accumulates, and makes its (valid) descriptor write just that. */
    aic_status (*produce)(void *desc, aic_accumulator *accumulator);
    /* Consumer: fills in what follows from the accumulator, then checks every rule, but for the upper limits of sizes
     * that bound one instruction. Its operands are dst, the accumulator, and others. */
    aic_status (*consume)(void *desc, const aic_accumulator *accumulator, const aic_semantics *semantics);
    /* Consumer that leaves accumulators where they are (its operands are output, the accumulator, and at most one other
     * input): describes what they are then. A chain goes on behind it, or ends with it: its result are the rows and
     * columns of the accumulators then, in their layout. NULL: nothing comes behind it. */
    void (*change)(const void *desc, aic_accumulator *accumulator);
    /* Of the same: the number of the stage whose accumulators are its other input, 1 the first; 0: none is. */
    int (*other_stage)(const void *desc);
    /* Of the same, of a copy: leaves out rows of the accumulator beyond these. */
    void (*limit_rows)(void *desc, int64_t rows);
    /* Of the same, where the accumulators are only known to be floats between low and high, element by element, and the
     * other input between other[0] and other[1] (the same array twice: it is known; both NULL: a constant): puts bounds
     * of the results in place of these. Both are NaN where the result is; they are infinite where nothing is known,
     * which includes NaN. May return AIC_OUT_OF_MEMORY. */
    aic_status (*enclose)(const void *desc, const aic_semantics *semantics, float *low, float *high,
                          const float *const other[2]);
    /* Both are parts of canonicalise. Consumer: how many of the accumulator's rows and columns it takes; no rows: it
     * takes nothing. NULL: all. */
    void (*taken)(const void *desc, int64_t *rows, int64_t *columns);
    /* Producer: puts a fixed value into what does not count where no more is taken of its accumulator. */
    void (*trim)(void *desc, int64_t rows, int64_t columns);
    /* Consumer whose results may be bytes: stores 1 where a result is a number of -128..127 and 0 where it is one of
     * 0..255, at the index of each in dst; its element type does not say which (AscendC Fixpipe, section 5). Elements
     * that are not written are left alone. NULL: no results are bytes. */
    void (*byte_signs)(const void *desc, void *const operands[], unsigned char *is_signed);

    /* Pseudo-random descriptors for the checks. Operators whose rules depend on the semantics have random_under in
     * place of random; it prefers the corners of those. Illegal is what the documents' defaults refuse. */
    void (*random)(uint64_t *state, void *desc);
    void (*random_under)(uint64_t *state, const aic_semantics *semantics, void *desc);
    void (*random_illegal)(uint64_t *state, void *desc);
    /* Producer: draws the keys that have a meaning in chains only. */
    void (*random_start)(uint64_t *state, void *desc);
    /* Consumer: one for this accumulator, with some of the fields left out that follow from it; or with one illegal
     * value. Where the accumulator has too few columns for any: something that is refused. */
    void (*random_fused)(uint64_t *state, const aic_accumulator *accumulator, bool legal, void *desc);
} aic_op_info;

/* For `accessed`: lowers the bytes of operand number `index` to those of this many elements. Operands in which strides
 * of 0 repeat elements have fewer, and keep them. */
void aic_accessed(int64_t bytes[AIC_OPERANDS_MAX], int index, int64_t elements, aic_dtype dtype);

/* Far more draws than any operator needs. */
#define AIC_DRAWS_MAX 10000

/* A legal pseudo-random descriptor, by whichever hook the operator has. */
void aic_op_random(const aic_op_info *op, uint64_t *state, const aic_semantics *semantics, void *desc);

extern const aic_op_info *const aic_op_table[AIC_OP_END];

/* Facts of an operator; NULL for AIC_OP_NONE and values out of range. */
static inline const aic_op_info *aic_op_get(aic_op op)
{
    return (unsigned)op < AIC_OP_END ? aic_op_table[op] : NULL;
}

#define AIC_OP(ENUM, name, params, args) extern const aic_op_info aic_op_##name;
#include <aic/ops.def>
#undef AIC_OP

#endif
