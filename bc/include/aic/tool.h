/* What tests and tools use besides aic/aic.h, and applications hardly do: pseudo-random specifications, which the
 * caller frees with aic_spec_destroy(), candidate schedules, LLVM passes, words that resemble each other.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_TOOL_H
#define AIC_TOOL_H

#include <aic/kernel.h>

AIC_EXTERN_C_BEGIN

/* A pseudo-random specification of `op`, the same for the same seed and semantics: legal under these (NULL: the
 * defaults) and small enough to run in milliseconds, corners preferred (AIC_OP_NONE: any operator). */
AIC_API aic_status aic_spec_random(aic_op op, const aic_semantics *semantics, uint64_t seed, aic_spec **spec);

/* A pseudo-random specification of `op` that was legal under the defaults until one of its values was replaced, mostly
 * by one just beyond what is legal; illegal under the defaults and under these semantics. */
AIC_API aic_status aic_spec_random_illegal(aic_op op, const aic_semantics *semantics, uint64_t seed, aic_spec **spec);

/* The same for fused chains that begin with the producer and end with the consumer (AIC_OP_NONE: any operator that can
 * be one), some with arithmetic between. AIC_INVALID_ARGUMENT when the two cannot be fused. */
AIC_API aic_status aic_spec_random_chain(aic_op producer, aic_op consumer, const aic_semantics *semantics,
                                         uint64_t seed, aic_spec **spec);
AIC_API aic_status aic_spec_random_chain_illegal(aic_op producer, aic_op consumer, const aic_semantics *semantics,
                                                 uint64_t seed, aic_spec **spec);

/* What an element of the first operand is made from, as aic_trace() computes it: every element that is read becomes 1
 * in the array of its operand; other entries stay. reads: an array for each operand, of its elements, or NULL. */
AIC_API aic_status aic_trace_reads(const aic_spec *spec, const aic_semantics *semantics, void *const operands[],
                                   size_t count, int64_t element, unsigned char *const reads[]);

/* The candidate most like `word`, for messages that ask "did you mean"; NULL when none is near, and of NULL. Near: at
 * most a third of the word's letters are changed, left out, put in or exchanged with a neighbour. Points to a
 * candidate. */
AIC_API const char *aic_nearest_word(const char *word, const char *const candidates[], size_t count);

/* Text of candidate schedule number `index` of spec in this context, best predicted first; AIC_INVALID_ARGUMENT
 * past the last. The text is written as aic_spec_print() writes. */
AIC_API aic_status aic_schedule_candidate(aic_context *context, const aic_spec *spec, size_t index, char *buffer,
                                          size_t capacity);

/* Passes and adaptors that a pipeline of aic_context_options.passes may name: default<O1> and the like, the usual
 * scalar and loop optimisations; NULL past the last. Static storage. */
AIC_API const char *aic_pass_name(size_t index);

AIC_EXTERN_C_END

#endif
