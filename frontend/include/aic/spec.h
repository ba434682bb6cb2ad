/* A specification: what a kernel computes, as a value. One operator, or a chain of operators that is fused into
 * one kernel; its text form, its operands, its reference result.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_SPEC_H
#define AIC_SPEC_H

#include <aic/allowed.h>
#include <aic/conv2d.h>
#include <aic/fixpipe.h>
#include <aic/load_data.h>
#include <aic/load_data_transpose.h>
#include <aic/mmad.h>
#include <aic/nd2nz.h>
#include <aic/tensor_arithmetic.h>
#include <aic/tensor_arithmetic_quantized.h>
#include <aic/texpands.h>
#include <aic/tik_fixpipe.h>
#include <aic/transdata.h>
#include <aic/types.h>

AIC_EXTERN_C_BEGIN

/* Opaque: made by aic_spec_parse(), aic_spec_create_OP() and aic_spec_chain(), freed by aic_spec_destroy(). It never
 * changes, and any number of threads may use it. Functions that take one keep nothing of it. */

/* What the documents leave to the machine; a context carries one, the reference takes one. */
typedef struct aic_semantics {
    size_t size; /* of this structure */
#define AIC_FIELD AIC_MEMBER
#include <aic/choices.def>
#include <aic/semantics.def>
#undef AIC_FIELD
} aic_semantics;

/* The bytes that aic_semantics has inside of other structures, whatever it grows to. */
#define AIC_SEMANTICS_ROOM 256

/* The documents' defaults. */
static inline aic_semantics aic_semantics_init(void)
{
    aic_semantics made;
    memset(&made, 0, sizeof made);
    made.size = sizeof made;
#define AIC_FIELD AIC_INITIAL
#include <aic/choices.def>
#include <aic/semantics.def>
#undef AIC_FIELD
    return made;
}

/* AIC_DIRECTION_UNUSED: an optional operand that this descriptor does not take; NULL is passed in its place, nothing
 * else. */
typedef enum aic_direction {
    AIC_DIRECTION_UNUSED = 0,
    AIC_DIRECTION_IN = 1,
    AIC_DIRECTION_OUT = 2,
    AIC_DIRECTION_INOUT = 3
} aic_direction;

#define AIC_RANK_MAX 6
/* Room for the operands of every specification of this version. Later ones may have more: aic_spec_operands() knows
 * what room a program was compiled with. */
#define AIC_OPERANDS_MAX 12

/* One operand of a specification, as the document names and shapes it. */
typedef struct aic_operand {
    size_t size;      /* of this structure */
    const char *name; /* static storage */
    aic_direction direction;
    aic_dtype dtype;
    int32_t rank;
    int64_t shape[AIC_RANK_MAX];
    int64_t elements;
    int64_t bytes;
    /* With which operands before it this one may share memory; bit i stands for operand i. overlaps: in any way;
     * coincides: only at the same address, as a whole. Two operands without a bit must lie apart. */
    uint32_t overlaps, coincides;
    bool words; /* the caller decides what type its elements have: files may have any type of this size */
    /* Of words that hold several elements, their type: AIC_INT8 (4N storage, four) or AIC_INT16 (2N, two); else
     * AIC_DTYPE_NONE. */
    aic_dtype sub_words;
    bool strided; /* its elements lie where strides put them: its shape is one extent, and a longer input serves, too */
    /* Of inputs of fractals, which come from operators that write them row by row or square by square (AscendC, data
     * path). fractals: a longer file of one axis serves, too. spare: so many elements at the end, less than a
     * fractal or square, need not be in a file: they are of rows that a matrix may not have, and count as 0. */
    bool fractals;
    int64_t spare;
} aic_operand;

AIC_SIZED(aic_operand)

/* Reads operator text, e.g. "conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,32,32])". Only the
 * text is judged (AIC_INVALID_ARGUMENT with the column); call aic_spec_validate() for the values. AIC_OUT_OF_MEMORY. */
AIC_API aic_status aic_spec_parse(const char *text, aic_spec **spec);

/* Of every operator: aic_spec_create_conv2d(&desc, &spec) makes a specification of this one operator; its values are
 * judged by aic_spec_validate() only. aic_spec_get_conv2d(spec, stage, &desc) reads the descriptor of a stage back;
 * AIC_INVALID_ARGUMENT where that is another operator. `desc` comes from aic_conv2d_desc_init(). */
#define AIC_OP(ENUM, name, count, params, args)                                                                        \
    static inline aic_status aic_spec_create_##name(const aic_##name##_desc *desc, aic_spec **spec)                    \
    {                                                                                                                  \
        return aic_spec_create(AIC_OP_##ENUM, desc, spec);                                                             \
    }                                                                                                                  \
    static inline aic_status aic_spec_get_##name(const aic_spec *spec, size_t stage, aic_##name##_desc *desc)          \
    {                                                                                                                  \
        return aic_spec_get(spec, stage, AIC_OP_##ENUM, desc);                                                         \
    }
#include <aic/ops.def>
#undef AIC_OP

/* "a | b | ..." as one specification; each may be a chain itself, and of one the result is a copy. aic_spec_validate()
 * says whether they can be fused. Shape and stride fields of a consumer that are 0 follow from its producer, and so do
 * the strides of tensor_arithmetic's input0 and output. AIC_INVALID_ARGUMENT where there are more operators than a
 * kernel can have (the message has the limit), none, or a NULL. */
AIC_API aic_status aic_spec_chain(const aic_spec *const stages[], size_t count, aic_spec **spec);

AIC_API void aic_spec_destroy(aic_spec *spec); /* NULL does nothing */

/* How many operators the specification is a chain of, and which; 0 and AIC_OP_NONE of NULL and past the last. */
AIC_API size_t aic_spec_stages(const aic_spec *spec);
AIC_API aic_op aic_spec_stage_op(const aic_spec *spec, size_t stage);

/* Writes the canonical text: every key (`groups` only if not 1), fixed order; reading it back gives an equal
 * specification. A value that no word stands for, as a field without effect may hold, is "?" and its bits: ?0x4d.
 * At most `capacity` bytes with the closing zero; *length (may be NULL) gets the length without
 * it, also when the buffer was too small, which is AIC_INVALID_ARGUMENT unless capacity is 0. */
AIC_API aic_status aic_spec_print(const aic_spec *spec, char *buffer, size_t capacity, size_t *length);

/* Checks every rule of the document, in the order of its parameter table; the first broken one is reported.
 * semantics may be NULL: the defaults. */
AIC_API aic_status aic_spec_validate(const aic_spec *spec, const aic_semantics *semantics);

/* Whether two specifications are equal in every field. */
AIC_API bool aic_spec_equal(const aic_spec *a, const aic_spec *b);

/* The operands in calling order, out before in; of a fused chain: the last operator's output, the first one's inputs,
 * what its sums start from (l1out, where they do not start from 0), the other input of every tensor_arithmetic between
 * that has one (input1, input1_2, ...), the last operator's other inputs. Validates first. `operands` has room for
 * AIC_OPERANDS_MAX entries, whatever is in them before; AIC_UNSUPPORTED where that is too little.
 *
 * aic_spec_get_operands() is the same for any room and size of entries: the first `room` operands are written, NULL for
 * none, and *count gets the number of all. */
AIC_API aic_status aic_spec_get_operands(const aic_spec *spec, const aic_semantics *semantics, aic_operand *operands,
                                         size_t entry_size, size_t room, size_t *count);

static inline aic_status aic_spec_operands(const aic_spec *spec, const aic_semantics *semantics,
                                           aic_operand operands[AIC_OPERANDS_MAX], size_t *count)
{
    return aic_spec_get_operands(spec, semantics, operands, sizeof operands[0], AIC_OPERANDS_MAX, count);
}

/* Bytes of the operand with this name, 0 of one that this descriptor does not take. Validates first; a name that is no
 * operand's is AIC_INVALID_ARGUMENT. */
AIC_API aic_status aic_spec_operand_bytes(const aic_spec *spec, const aic_semantics *semantics, const char *name,
                                          size_t *bytes);

/* A result as a tensor. */
typedef struct aic_result_layout {
    size_t size;       /* of this structure */
    aic_layout layout; /* NC1HWC0 or NHWC of a convolution; Nz or ND of a matrix */
    const char *name;  /* of the layout, static storage */
    int32_t rank;
    int64_t shape[AIC_RANK_MAX]; /* the last entry of NC1HWC0 and Nz is C0 */
} aic_result_layout;

AIC_SIZED(aic_result_layout)

/* Names the layout in which the result of conv2d, mmad or a chain "... | fixpipe" lies, so that it can be handed to the
 * next operator: its bytes are those of this tensor, in order and without gaps. AIC_UNSUPPORTED with the reason where
 * it is no such tensor. Validates first. */
AIC_API aic_status aic_spec_result_layout(const aic_spec *spec, const aic_semantics *semantics,
                                          aic_result_layout *result);

/* How much a call does. *macs: multiply-accumulates, at most 2^63 - 1, 0 where an operator has none. *bytes: what
 * the call reads and writes, each byte of an operand once, twice where it is both read and written. Gaps between
 * elements, and parts of a tile or of local memory that the operator does not touch, do not count. Where valid sizes
 * are known at the call only, the largest count. */
AIC_API aic_status aic_spec_work(const aic_spec *spec, const aic_semantics *semantics, int64_t *macs, int64_t *bytes);

/* The plain-C reference: the documents' formulas, line by line, sharing nothing with the generator. operands in
 * calling order, of the sizes aic_spec_operands() gives. Validates first. Slow by design. For
 * accumulate = fast the result is the exact sum rounded once to float32. */
AIC_API aic_status aic_reference(const aic_spec *spec, const aic_semantics *semantics, void *const operands[],
                                 size_t count);

/* The values that each element of the output operand may have, where the result is not defined bit for bit
 * (accumulate=fast of float types); else AIC_UNSUPPORTED. allowed has an entry for each element; of one that the
 * operator does not write it is the old value. Where sums may leave the range of float32 on the way, so that the order
 * of summation decides the result, every value that an order can lead to is allowed, and no other. The output operand
 * holds the old content and is not written. */
AIC_API aic_status aic_reference_allowed(const aic_spec *spec, const aic_semantics *semantics, void *const operands[],
                                         size_t count, aic_allowed *allowed);

/* The same as a distance: exact[i] is the value, bound[i] the largest |result - exact[i]| allowed. It is infinite where
 * infinities or NaN may come about on the way; which of them are right only aic_reference_allowed() says. Of an 8-bit
 * result exact[i] is in the middle of the numbers that are right. */
AIC_API aic_status aic_reference_bound(const aic_spec *spec, const aic_semantics *semantics, void *const operands[],
                                       size_t count, double *exact, double *bound);

/* Explains how element number `element` of the output operand (in its shape's order, the last index first) comes
 * about, of every operator and chain: products and sums, every rounding with the value before and after, and behind
 * each step the choice (aic/choice.h), document or reason that decides it; at last "dst[0,3,1] = 13", the value that
 * aic_reference() gives. With accumulate=fast that is the exact sum rounded once, and the bound of all other right
 * values is a step. Of an element that nothing writes it is the old one; a step "nothing writes it" has the reason.
 * operands and count as for aic_reference(); the output holds the old content and is not written. value (may be NULL)
 * gets the element. buffer, capacity and length as aic_spec_print() has them: with a capacity of 0 only the length is
 * found out. Of a sum of more than 1024 blocks the first and the last 512 are shown. */
AIC_API aic_status aic_trace(const aic_spec *spec, const aic_semantics *semantics, void *const operands[], size_t count,
                             int64_t element, void *value, char *buffer, size_t capacity, size_t *length);

/* Leaves a warning (aic_take_warning()) where specification and data, legal as they are, hardly mean what they say: of
 * each such field operator, name and reason, joined by "; ". The list with all reasons is frontend/ops/advice.c:
 * integer accumulators that arithmetic takes for floats, strides within what they step over, scales of 0, words whose
 * sign bit contradicts the type of dst, values for fields that have no effect, and others. Calls do not look for that.
 * `operands` in calling order; only what is read is looked at. Fails as a call with them would. operands NULL: only the
 * specification is looked at, and count does not matter. */
AIC_API aic_status aic_spec_advise(const aic_spec *spec, const aic_semantics *semantics, void *const operands[],
                                   size_t count);

/* Whether the result of spec is defined bit for bit (every NaN counting as equal). */
AIC_API bool aic_spec_exact(const aic_spec *spec);

AIC_EXTERN_C_END

#endif
