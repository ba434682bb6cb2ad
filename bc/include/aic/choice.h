/* What the documents leave open, by name: keys, their values, and profiles of them.
 *
 * A choice is a member of aic_semantics. The reference and the trace honour every choice. Kernels have every value of
 * int_overflow, offset_sign, scale_bits, offset_clamp, relu, overflow, rounding, mac and minmax_nan. Of sum, n_field,
 * shift, relu_zero and mat_valid they have the default; a request of operators that depend on another value is
 * AIC_UNSUPPORTED, and the message names the choice.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_CHOICE_H
#define AIC_CHOICE_H

#include <aic/spec.h>

AIC_EXTERN_C_BEGIN

/* A choice. Static storage. */
typedef struct aic_choice {
    size_t size; /* of this structure */
    const char *key;
    const char *row;     /* of the decision: "F12" */
    const char *meaning; /* a phrase */
} aic_choice;

/* The choices, in the order of their decisions; NULL past the last. */
AIC_API const aic_choice *aic_choice_at(size_t index);

/* A value of a choice. Static storage. */
typedef struct aic_reading {
    size_t size; /* of this structure */
    const char *key;
    const char *value;
    const char *origin;  /* "documented", "vendor", "inferred", "chosen", "other" */
    const char *meaning; /* a phrase */
} aic_reading;

/* The values of all choices, those of a choice together and its default first; NULL past the last. */
AIC_API const aic_reading *aic_reading_at(size_t index);

/* A profile: a source of results, and how it reads what is open. Static storage. */
typedef struct aic_profile {
    size_t size; /* of this structure */
    const char *name;
    const char *meaning; /* a phrase */
} aic_profile;

/* The profiles, "document" first; NULL past the last. */
AIC_API const aic_profile *aic_profile_at(size_t index);

/* Sets one choice. AIC_INVALID_ARGUMENT, and nothing is set, for a key or a value that does not exist. */
AIC_API aic_status aic_semantics_choose(aic_semantics *semantics, const char *key, const char *value);

/* Sets every choice as a profile has it, and nothing else. AIC_INVALID_ARGUMENT for a name that is no profile's. */
AIC_API aic_status aic_semantics_apply_profile(aic_semantics *semantics, const char *name);

/* The value that a choice has: a word of it; NULL where the key is none or the member holds no value. */
AIC_API const char *aic_semantics_choice(const aic_semantics *semantics, const char *key);

/* The choices that differ from the default, "sum=exact, relu=after"; "" for none. Buffer, capacity and length as
 * aic_spec_print() has them. */
AIC_API aic_status aic_semantics_print_choices(const aic_semantics *semantics, char *buffer, size_t capacity,
                                               size_t *length);

/* Whether the result of a specification can depend on a choice: false means that every value gives the same bits. The
 * specification is legal under these semantics (NULL: the defaults); `matters` is set on AIC_OK. */
AIC_API aic_status aic_spec_choice_matters(const aic_spec *spec, const aic_semantics *semantics, const char *key,
                                           bool *matters);

/* AIC_UNSUPPORTED, with a message that names the choice, where the result of a specification depends on a choice that
 * only the reference computes; AIC_OK where a kernel computes it. What is illegal under these semantics (NULL: the
 * defaults) is AIC_INVALID_ARGUMENT. */
AIC_API aic_status aic_spec_check_choices(const aic_spec *spec, const aic_semantics *semantics);

AIC_EXTERN_C_END

#endif
