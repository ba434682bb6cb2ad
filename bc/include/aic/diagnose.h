/* What happens to data on the way to a result: sums that are clamped, NaN that are made or lost, old content that is
 * read, and the others of aic_event.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_DIAGNOSE_H
#define AIC_DIAGNOSE_H

#include <aic/spec.h>

AIC_EXTERN_C_BEGIN

typedef enum aic_event {
    AIC_EVENT_UNWRITTEN, /* nothing writes the element */
    AIC_EVENT_OLD_READ, /* the old content of the element is read */
    AIC_EVENT_PADDING, /* padding is read, or the element is padding itself */
    AIC_EVENT_INVALID_READ, /* a row is read that a matrix need not have: the last of a fractal or square */
    AIC_EVENT_OVERLAP, /* a source element is read that another result reads, too: blocks of the source overlap */
    AIC_EVENT_INT_OVERFLOW, /* an int32 sum does not fit: it is clamped, or taken modulo 2^32 */
    AIC_EVENT_CLAMPED, /* a value is clamped to a narrower range: nine bits, int16, or that of the result */
    AIC_EVENT_AT_LIMIT, /* a computed result of 8 or 16 bits is the least or largest of its range */
    AIC_EVENT_OVERFLOW, /* a finite value is too large for its float type */
    AIC_EVENT_UNDERFLOW, /* a value other than 0 is rounded to 0 */
    AIC_EVENT_SUBNORMAL_READ, /* an input is subnormal */
    AIC_EVENT_SUBNORMAL, /* a rounded value is subnormal */
    AIC_EVENT_NAN_MADE, /* a NaN comes of numbers */
    AIC_EVENT_NAN_LOST, /* a number comes of a NaN */
    AIC_EVENT_NOT_FINITE, /* the result is infinite or NaN */
    AIC_EVENT_WORD_SIGN, /* bit 46 of the quantisation word contradicts the type of dst */
    AIC_EVENT_WORD_SCALE, /* the scale of the quantisation word is 0, or negative behind reluEn=true */
    AIC_EVENT_END
} aic_event;

/* An event. Static storage. */
typedef struct aic_event_info {
    size_t size;         /* of this structure */
    const char *name;    /* "nan_made" */
    const char *meaning; /* a phrase */
} aic_event_info;

/* Event number `index`, as aic_event counts them; NULL past the last. */
AIC_API const aic_event_info *aic_event_at(size_t index);

/* Of an element of the result. */
typedef struct aic_finding {
    uint32_t events; /* bit i is set where event number i happens to what the element is made of */
    int32_t channel; /* the column, or the channel, that the element belongs to; -1: the operator has none */
} aic_finding;

/* Traces every element of the result, without text. `findings` has an entry for each element of the output operand;
 * operands and count as for aic_reference(); the output holds the old content, where that is read, and is not written.
 * Slower than aic_reference(), which is slow by design. Which words and strides of a legal request hardly mean what
 * they say aic_spec_advise() tells. */
AIC_API aic_status aic_diagnose(const aic_spec *spec, const aic_semantics *semantics, void *const operands[],
                                size_t count, aic_finding *findings);

AIC_EXTERN_C_END

#endif
