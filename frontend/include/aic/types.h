/* Types shared by every public header: status codes, element types, export marker.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_TYPES_H
#define AIC_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AIC_VERSION_MAJOR 0
#define AIC_VERSION_MINOR 1
#define AIC_VERSION_PATCH 0

#ifdef __cplusplus
#define AIC_EXTERN_C_BEGIN extern "C" {
#define AIC_EXTERN_C_END }
#else
#define AIC_EXTERN_C_BEGIN
#define AIC_EXTERN_C_END
#endif

#define AIC_API __attribute__((visibility("default")))

AIC_EXTERN_C_BEGIN

/* What every fallible function returns. A function that returns anything but AIC_OK has written
 * nothing to its outputs and has left a message for aic_last_error() of the calling thread. */
typedef enum aic_status {
#define AIC_STATUS(name, value, exit_status, meaning) AIC_##name = value,
#include <aic/status.def>
#undef AIC_STATUS
} aic_status;

/* Element types. AIC_DTYPE_NONE is "not given" and never legal in a descriptor. */
typedef enum aic_dtype {
    AIC_DTYPE_NONE = 0,
#define AIC_TYPE(name, value, text, bytes, aliases) AIC_##name = value,
#include <aic/dtype.def>
#undef AIC_TYPE
} aic_dtype;

/* How float16 contractions add up; integer results have one definition only.
 * CUBE: the block arithmetic of conv2d section 5.2, bit for bit. FAST: any order and unit, with
 * |r - e| <= K * 2^-24 * (|I| + sum |x*w|) for K products and the exact value e. */
typedef enum aic_accumulate { AIC_ACCUMULATE_CUBE = 0, AIC_ACCUMULATE_FAST = 1 } aic_accumulate;

/* Whether shapes the documents call unsupported, but whose formulas are well defined, are refused
 * (AIC_LIMITS_DOCUMENT) or computed (AIC_LIMITS_HOST): conv2d with W == Kw and H > Kh. */
typedef enum aic_limits { AIC_LIMITS_DOCUMENT = 0, AIC_LIMITS_HOST = 1 } aic_limits;

/* "AIC_OK success" and the like; never NULL, also for values that are no status. Static storage. */
AIC_API const char *aic_status_name(aic_status status);

/* The exit status the command line gives for `status`: 0, 2 or 3. */
AIC_API int aic_status_exit(aic_status status);

/* The message of the calling thread's last failed call: "OPERATOR: FIELD: what is wrong, value and
 * limit". Never NULL; valid until the thread's next failing call. */
AIC_API const char *aic_last_error(void);

/* Text name ("int8") of an element type, or "none"; bytes of one element, or 0. */
AIC_API const char *aic_dtype_name(aic_dtype dtype);
AIC_API size_t aic_dtype_size(aic_dtype dtype);

/* The element type with this text name or alias, or AIC_DTYPE_NONE. */
AIC_API aic_dtype aic_dtype_parse(const char *name);

/* "0.1.0". Static storage. */
AIC_API const char *aic_version(void);

AIC_EXTERN_C_END

#endif
