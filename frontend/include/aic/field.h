/* Turns an operator's field list (conv2d.def, ...) into the members of its descriptor.
 *
 * A list has one row a parameter, in the order of the document's table:
 *
 *     AIC_FIELD(kind, name, count, need, fallback)
 *
 * kind      INT (int64_t), REAL (double), FLOAT32 (float; text may have its bits in hexadecimal), BOOL (bool),
 *           DTYPE (aic_dtype), BITS (uint64_t, printed in hexadecimal),
 *           DIMS (int64_t: as many entries as are not 0, at most count; the rest is 0), SIZE (int64_t, or the words
 *           none: AIC_NOT_GIVEN and dyn: AIC_DYNAMIC), TAG (uint64_t: a name of at most eight letters, its bytes from
 *           the lowest on), an enumeration of enum.def
 * count     1 for a scalar, n for a vector of n entries
 * need      REQUIRED or OPTIONAL, in operator text; ADDED: optional, and printed only where it is not the fallback. A
 *           field that was added to a released list stands at its end, and requests without it keep their text and
 *           their identity
 * fallback  what aic_OP_desc_init() puts in, into every entry of a vector
 *
 * The struct, its initialiser, cache key, printer, parser and perturbation tests all expand the same list.
 *
 * The other rows of a list are for people: `aicjit help` and the installed headers are made of them, and tests hold
 * them against the rules. Each kind of row is read by the files that define its macro.
 *
 *     AIC_ABOUT(text)                    what the operator does
 *     AIC_MEANING(field, text, origin, source)  what a parameter is, with its unit, and where it comes from
 *     AIC_VALUES(field, text)            of a type and of an enumeration: the words that rules accept, whatever the
 *                                        other fields are, with '|' between them, in the order of their values
 *     AIC_LIMIT(field, entry, low, high) what an integer must be within, whatever the others are; entry: of a vector,
 *                                        AIC_EVERY: all of them, and of a scalar
 *     AIC_ROLE(operand, shape, text)     an operand, in the order of aic_jit_OP()
 *     AIC_CHAIN_ROLE(operand, shape, text)  an operand that the operator has in chains only
 *     AIC_EXAMPLE(text)                  operator text that is legal
 *
 * Rows that say where things come from have an origin: DOCUMENTED in the operator's document, VENDOR: in another public
 * page or source of the vendor, INFERRED from examples or numbers, CHOSEN because nothing decides; and a source: the
 * document and the parameter, heading or table under which it is found there, or the reason of a choice.
 *
 *     AIC_DEFAULT(field, origin, source) where a default comes from; every optional parameter has one
 *     AIC_RULE(id, fields, text, origin, source)  a rule that a request must keep; `fields` are those that messages
 *                                        name, with " / " between them. What checks it names its id, and its messages
 *                                        end with the source
 *     AIC_STEP(id, choice, text, origin, source)  a step of the computation in which numbers are rounded, clamped or
 *                                        replaced; choice: the key of aic/choices.def that can change it, or ""
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_FIELD_H
#define AIC_FIELD_H

#include <aic/types.h>

#define AIC_CTYPE_INT int64_t
#define AIC_CTYPE_REAL double
#define AIC_CTYPE_FLOAT32 float
#define AIC_CTYPE_BOOL bool
#define AIC_CTYPE_DTYPE aic_dtype
#define AIC_CTYPE_BITS uint64_t
#define AIC_CTYPE_DIMS int64_t
#define AIC_CTYPE_TAG uint64_t
#define AIC_CTYPE_ACCUMULATE aic_accumulate
#define AIC_CTYPE_L1OUT aic_l1out
#define AIC_CTYPE_LAYOUT aic_layout
#define AIC_CTYPE_FORMAT aic_fixpipe_format
#define AIC_CTYPE_QUANT_PRE aic_quant_pre
#define AIC_CTYPE_TIK_QUANTIZE aic_tik_quantize
#define AIC_CTYPE_SIZE int64_t
#define AIC_CTYPE_ARCH aic_chip
#define AIC_CTYPE_LOC aic_loc
#define AIC_CTYPE_BLAYOUT aic_blayout
#define AIC_CTYPE_SLAYOUT aic_slayout
#define AIC_CTYPE_PAD aic_pad
#define AIC_CTYPE_LIMITS aic_limits
#define AIC_CTYPE_OVERFLOW aic_overflow
#define AIC_CTYPE_ATOMIC_OP aic_atomic_op
#define AIC_CTYPE_MEMORY aic_memory
#define AIC_CTYPE_ROUNDING aic_rounding
#define AIC_CTYPE_SUM_MODEL aic_sum_model
#define AIC_CTYPE_INT_OVERFLOW aic_int_overflow
#define AIC_CTYPE_OFFSET_SIGN aic_offset_sign
#define AIC_CTYPE_N_FIELD aic_n_field
#define AIC_CTYPE_MCB_SHIFT aic_mcb_shift
#define AIC_CTYPE_SCALE_BITS aic_scale_bits
#define AIC_CTYPE_OFFSET_CLAMP aic_offset_clamp
#define AIC_CTYPE_RELU_ORDER aic_relu_order
#define AIC_CTYPE_RELU_ZERO aic_relu_zero
#define AIC_CTYPE_MAC aic_mac
#define AIC_CTYPE_MINMAX_NAN aic_minmax_nan
#define AIC_CTYPE_MAT_VALID aic_mat_valid

#define AIC_EXTENT_1
#define AIC_EXTENT_2 [2]
#define AIC_EXTENT_3 [3]
#define AIC_EXTENT_4 [4]
#define AIC_EXTENT_5 [5]
#define AIC_EXTENT_6 [6]

#define AIC_EVERY (-1)

/* The value of a field of `made` that aic_OP_desc_init() gives. */
#define AIC_INITIAL(kind, name, count, need, fallback) AIC_INITIAL_##count(made.name, fallback)
#define AIC_INITIAL_1(member, value) member = value;
#define AIC_INITIAL_2(member, value) member[0] = member[1] = value;
#define AIC_INITIAL_3(member, value) member[2] = value, AIC_INITIAL_2(member, value)
#define AIC_INITIAL_4(member, value) member[3] = value, AIC_INITIAL_3(member, value)
#define AIC_INITIAL_5(member, value) member[4] = value, AIC_INITIAL_4(member, value)
#define AIC_INITIAL_6(member, value) member[5] = value, AIC_INITIAL_5(member, value)

/* The name of the function that makes a descriptor of this type, also where a macro names the type. */
#define AIC_INIT(type) AIC_INIT_NAME(type)
#define AIC_INIT_NAME(type) type##_init

#define AIC_MEMBER(kind, name, count, need, fallback) AIC_CTYPE_##kind name AIC_EXTENT_##count;

#endif
