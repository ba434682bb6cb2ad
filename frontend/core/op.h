/* The table of operators: what the generic code (text, keys, tools) needs to know of each. An operator fills one
 * aic_op_info in frontend/ops/NAME.c; ops.def names them all. */
#pragma once

#include "frontend/core/argument.h"
#include "frontend/core/coordinates.h"
#include "frontend/core/field.h"
#include "frontend/core/stage.h"
#include "frontend/core/structure.h"
#include <aic/rules.h>

/* What the sums of a chain start from. */
typedef enum aic_start {
    AIC_START_ZERO,
    AIC_START_TENSOR, /* the operand l1out: old accumulators in their layout */
    AIC_START_CHANNEL /* the operand l1out: one value for each column */
} aic_start;

/* What a stage of a chain passes to the next one without storing it: a matrix of rows x columns in blocks of 16
 * columns,
 *
 *     element(r, c) = ((c/16)*block_rows + r)*16 + c%16
 *
 * of which the rows past `rows` and the columns past `columns` are not defined. No size is 0. */
typedef struct aic_accumulator {
    const char *producer; /* name of the first operator, for messages */
    aic_dtype dtype;      /* int32 or float32 */
    bool words;           /* tensor_arithmetic has changed them: the next stage chooses the type to read them as */
    int64_t rows, columns, block_rows;
    aic_start start;
    int stage; /* number of the stage that made them; the first is 1 */
    /* A stage before breaks rules. The consumer is still judged, and its messages go below. Of a producer that breaks
     * rules the sizes are not known: they are the largest there are, and the consumer judges its own fields alone. */
    bool broken, unknown;
} aic_accumulator;

/* An operator. `desc` is its descriptor, a member of the union in aic_stage. */
typedef struct aic_op_info {
    aic_record record;     /* name of the operator, fields in the order of the .def list */
    const aic_rule *rules; /* of the same list: rules first, which their numbers count */
    size_t rule_count;
    size_t desc_size;
    void (*init)(void *desc);
    /* Computes fields that the caller left to follow from others, such as a valid region as large as its tile. NULL:
     * there are no such fields. */
    void (*fill_in)(void *desc);
    /* Sets fields, and bits of fields, to a fixed value where nothing reads them, given the other fields; a caller may
     * leave anything in them. The descriptor may hold any bytes, and breaks the same rule afterwards as before, or
     * none. Both hooks, fill_in and then this one, are idempotent. NULL: there are no such fields. */
    void (*clear_ignored)(void *desc);
    /* Goes further: sets every field, and every bit of a field, to a fixed value where only rules read it, that is
     * where neither the code, nor the operands (sizes, direction, what a call must pass), nor the rules of a call's
     * data depend on it, given the other fields. Descriptors that are equal afterwards share a kernel. Takes a valid
     * descriptor, resolved in its chain, with ignored fields cleared. The result need not be valid; idempotent. */
    void (*canonicalise)(void *desc, const aic_semantics *semantics);
    /* Where a canonical descriptor has one number for all columns that code need not know, writes the 8 bytes that code
     * gets by an address instead, and puts a mark in its place, so that descriptors that differ in it alone become
     * equal. Returns the number of its own operand, an unused one, in the place of which the address is passed; 0:
     * there is no such number. NULL: there never is. `alone`: the operator is no part of a chain. */
    size_t (*take_word)(void *desc, bool alone, uint64_t *word);
    /* Of what changes accumulators: whether that mark is there. */
    bool (*is_marked)(const void *desc);
    /* Writes every field of the descriptor as 64-bit words (AIC_KEY_FIELD in field.h), after fill_in and clear_ignored,
     * and returns their number. Every call runs it, so it is expanded from the field list at compile time. */
    uint32_t (*key)(const void *desc, uint64_t *words);
    /* Compares the words that key() would write with words that it wrote for some descriptor: their number if they are
     * equal, which is never 0, else 0. Every call runs it. */
    uint32_t (*has_key)(const void *desc, const uint64_t *words);

    /* Every rule of the document in the order of its table; sets the messages of the broken ones. */
    aic_status (*validate)(const void *desc, const aic_semantics *semantics);
    /* Rules of a valid descriptor outside of chains: of keys that have a meaning in chains only. NULL: there are none.
     */
    aic_status (*validate_alone)(const void *desc);

    /* Operands in calling order, one for every parameter of aic_jit_OP(), AIC_DIRECTION_UNUSED ones included; the
     * descriptor is valid. Sizes fit in int64_t; elements and bytes are filled in by the caller. */
    size_t (*operands)(const void *desc, const aic_semantics *semantics, aic_operand operands[AIC_OPERANDS_MAX]);
    /* The coordinates of operand number `operand`; *coordinates is all zeros. Where the hook adds no axis, they are
     * those of the operand's shape, under the names that it gives them. */
    void (*coordinates)(const void *desc, const aic_semantics *semantics, int operand, aic_coordinates *coordinates);
    /* Corrects the bytes of each operand that a call reads and writes, in calling order. On entry they are the
     * operand's size, twice that for AIC_DIRECTION_INOUT; a call may touch less, or not read what it writes. */
    void (*accessed)(const void *desc, const aic_semantics *semantics, int64_t bytes[AIC_OPERANDS_MAX]);
    int64_t (*macs)(const void *desc); /* saturated at INT64_MAX; NULL: the operator has none */
    bool (*exact)(const void *desc);   /* NULL: always */

    /* What a call's data must satisfy beyond NULL, alignment and overlap (the words of a vector quantisation), and
     * the warnings of a call; before anything is written. operands in calling order. NULL: nothing. */
    aic_status (*check_data)(const void *desc, const void *const operands[]);

    /* The formulas; the descriptor is valid, operands are in calling order and do not overlap. Runs in the
     * default floating-point environment, which the caller sets. May return AIC_OUT_OF_MEMORY. */
    aic_status (*reference)(const void *desc, const aic_semantics *semantics, void *const operands[]);
    /* NULL for operators that are always exact; `allowed` as in aic_reference_allowed(). */
    aic_status (*reference_allowed)(const void *desc, const aic_semantics *semantics, void *const operands[],
                                    aic_allowed *allowed);

    /* ---- fusion "producer | consumer"; see aic_accumulator. NULL: the operator cannot be one ---- */

    /* Producer: describes its accumulators, and changes its (valid) descriptor so that they are its result. */
    aic_status (*produce)(void *desc, aic_accumulator *accumulator);
    /* Consumer: fills in what follows from the accumulator, then checks every rule except the upper limits of sizes
     * that hold for one instruction; of an unknown accumulator, what its own fields break. Its operands are dst, the
     * accumulator, and others. */
    aic_status (*consume)(void *desc, const aic_accumulator *accumulator, const aic_semantics *semantics);
    /* Consumer that changes accumulators in place: describes them afterwards. Its operands are output, the accumulator,
     * and at most one other input. A chain may go on behind it or end with it; the result is then the rows and columns
     * of the accumulators in their layout. NULL: the consumer ends its chain. */
    void (*change)(const void *desc, aic_accumulator *accumulator);
    /* Where `change` is given: the number of the stage, from 1, whose accumulators are its other input; 0: none. */
    int (*other_stage)(const void *desc);
    /* Where `change` is given: changes a copy of the descriptor so that it takes only this many rows. */
    void (*limit_rows)(void *desc, int64_t rows);
    /* Where `change` is given: interval arithmetic. The accumulators are floats between low and high, element by
     * element, and the other input lies between other[0] and other[1] (the same array twice: it is known exactly; both
     * NULL: it is a constant). Replaces low and high by bounds of the results. Both are NaN where the result is NaN,
     * and infinite where nothing is known, NaN included. May return AIC_OUT_OF_MEMORY. */
    aic_status (*enclose)(const void *desc, const aic_semantics *semantics, float *low, float *high,
                          const float *const other[2]);
    /* For canonicalising chains. Consumer: how many of the accumulator's rows and columns it reads; 0 rows: nothing.
     * NULL: it reads all. */
    void (*taken)(const void *desc, int64_t *rows, int64_t *columns);
    /* For canonicalising chains. Producer: sets fields to a fixed value that only other rows and columns depend on. */
    void (*trim)(void *desc, int64_t rows, int64_t columns);
    /* Consumer whose results may be bytes: stores, at the index of each result in dst, 1 where it is signed (-128..127)
     * and 0 where it is unsigned (0..255), which its element type does not say (AscendC Fixpipe). Elements
     * that are not written are left alone. NULL: no results are bytes. */
    void (*byte_signs)(const void *desc, void *const operands[], unsigned char *is_signed);

    /* Pseudo-random descriptors for the checks. Operators whose rules depend on the semantics have random_under in
     * place of random, which prefers their extreme values. */
    void (*random)(uint64_t *state, void *desc);
    void (*random_under)(uint64_t *state, const aic_semantics *semantics, void *desc);
    /* Producer: draws the keys that have a meaning in chains only. */
    void (*random_start)(uint64_t *state, void *desc);
    /* Consumer: a descriptor for this accumulator, with some of the fields left out that follow from it; an illegal one
     * where the accumulator has too few columns. */
    void (*random_fused)(uint64_t *state, const aic_accumulator *accumulator, void *desc);
} aic_op_info;

/* For `accessed`: lowers the bytes of operand number `index` to those of this many elements. Operands in which strides
 * of 0 repeat elements have fewer, and keep them. */
void aic_accessed(int64_t bytes[AIC_OPERANDS_MAX], int index, int64_t elements, aic_dtype dtype);

/* Draws after which the search for a random descriptor fails; no operator needs nearly as many. */
#define AIC_DRAWS_MAX 10000

/* A legal pseudo-random descriptor, by whichever hook the operator has. */
void aic_op_random(const aic_op_info *op, uint64_t *state, const aic_semantics *semantics, void *desc);

/* Judges descriptors: AIC_OK, AIC_INVALID_ARGUMENT, or another status for one that is neither legal nor sought. */
typedef struct aic_judge {
    aic_status (*status)(const void *request, const void *desc);
    const void *request;
} aic_judge;

/* Makes a legal descriptor illegal: changes entries of its fields, after each of which it is legal, and then one so
 * that it is not. The semantics are those of another descriptor, whose entries it takes. False: no such change was
 * found. */
bool aic_op_spoil(const aic_op_info *op, uint64_t *state, const aic_semantics *semantics, const aic_judge *judge,
                  void *desc);

extern const aic_op_info *const aic_op_table[AIC_OP_END];

/* Facts of an operator; NULL for AIC_OP_NONE and values out of range. */
static inline const aic_op_info *aic_op_get(aic_op op)
{
    return (unsigned)op < AIC_OP_END ? aic_op_table[op] : NULL;
}

#define AIC_OP(ENUM, name, count, params, args) extern const aic_op_info aic_op_##name;
#include <aic/ops.def>
#undef AIC_OP
