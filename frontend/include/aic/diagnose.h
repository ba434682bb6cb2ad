/* What happens to data on the way to a result: sums that are clamped, NaN that are made or lost, old content that is
 * read, and the others of aic_event.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_DIAGNOSE_H
#define AIC_DIAGNOSE_H

#include <aic/spec.h>

AIC_EXTERN_C_BEGIN

typedef enum aic_event {
#define AIC_EVENT(ENUM, name, meaning) AIC_EVENT_##ENUM,
#include <aic/events.def>
#undef AIC_EVENT
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
