/* The .npy format, versions 1.0 to 3.0: its header, as text in memory. Files are operand_file.h's business. */
#ifndef AIC_TOOLS_NPY_H
#define AIC_TOOLS_NPY_H

#include <aic/aic.h>

enum {
    NPY_PREFIX_BYTES = 12,           /* magic, version and the longest length field */
    NPY_HEADER_BYTES_MAX = 64 * 1024 /* prefix and text; NumPy itself writes at most 10 kB of one row */
};

/* What a header says. */
typedef struct npy_header {
    aic_dtype dtype; /* bfloat16 has no NumPy type: it travels as uint16 */
    int32_t rank;
    int64_t shape[AIC_RANK_MAX];
    int64_t elements; /* 1 for rank 0 */
    size_t data_offset;
} npy_header;

/* Reads the header at the start of `bytes` (`size` bytes, all of the file or at least NPY_HEADER_BYTES_MAX of it).
 * Returns an exit status; the message (cli_fail) begins with `subject`. Refused: other versions, big-endian or
 * structured types, Fortran order, more than AIC_RANK_MAX axes, anything else that is not written as NumPy does. */
int npy_parse(const char *subject, const unsigned char *bytes, size_t size, npy_header *header);

/* Writes a version 1.0 header for the operand, padded so that the data is aligned to 64 bytes. Returns its length,
 * at most 256. */
size_t npy_format(const aic_operand *operand, char header[256]);

#endif
