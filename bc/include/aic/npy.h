/* The .npy format of NumPy, versions 1.0 to 3.0: its header, as text in memory. Files are the caller's business.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_NPY_H
#define AIC_NPY_H

#include <aic/spec.h>

AIC_EXTERN_C_BEGIN

/* Bytes of the longest header that is read; NumPy itself writes at most 10 kB of one row. And of those that are
 * written. */
#define AIC_NPY_HEADER_MAX 65536
#define AIC_NPY_WRITTEN_MAX 256

/* What a header says. */
typedef struct aic_npy_header {
    size_t size;     /* of this structure */
    aic_dtype dtype; /* bfloat16 has no NumPy type: it travels as uint16 */
    int32_t rank;
    int64_t shape[AIC_RANK_MAX];
    int64_t elements; /* 1 for rank 0 */
    size_t data_offset;
} aic_npy_header;

AIC_SIZED(aic_npy_header)

/* Reads the header at the start of `bytes` (`size` bytes, all of the file or at least AIC_NPY_HEADER_MAX of it). The
 * message of AIC_INVALID_ARGUMENT begins with `subject` (may be NULL). Refused: other versions, big-endian or
 * structured types, Fortran order, more than AIC_RANK_MAX axes, anything else that is not written as NumPy does. */
AIC_API aic_status aic_npy_parse(const char *subject, const void *bytes, size_t size, aic_npy_header *header);

/* Writes a version 1.0 header for the operand, padded so that the data is aligned to 64 bytes. *size: its length. */
AIC_API aic_status aic_npy_format(const aic_operand *operand, char header[AIC_NPY_WRITTEN_MAX], size_t *size);

AIC_EXTERN_C_END

#endif
