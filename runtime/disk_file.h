/* A kernel as a file of the disk cache: all that it was made from, and its code. One writer, one reader. */
#ifndef AIC_RUNTIME_DISK_FILE_H
#define AIC_RUNTIME_DISK_FILE_H

#include "runtime/identity.h"

/* The bytes: "AICF", AIC_DISK_VERSION in 4 bytes, then sections (frontend/core/bytes.h):
 *
 *     BILD  aic_build_name and aic_build_llvm of the build that made it, as texts
 *     WHAT  what it is, for people: the lines of aic_identity_print()
 *     IDEN  its identity (identity.h)
 *     RECD  its record (codegen/record.h)
 *     SIZE  bytes of the object that it was, in 8
 *     IMAG  its image
 *     HASH  aic_checksum() of all bytes before, in 8 bytes */
enum { AIC_DISK_VERSION = 1 };

/* The bytes of a kernel, malloc'ed. AIC_OUT_OF_MEMORY. */
aic_status aic_disk_file_write(const aic_identity *identity, const aic_object *object, unsigned char **bytes,
                               size_t *size);

/* What bytes say; the texts and images lie within them. */
typedef struct aic_disk_file {
    aic_slice build, llvm, what;
    aic_slice identity; /* bytes of any value */
    aic_kernel_record record;
    uint64_t object_size;
    const unsigned char *image;
} aic_disk_file;

/* Reads such bytes. NULL, or what is wrong with them: then none of `file` is to be used. Bytes of another build are in
 * order. */
const char *aic_disk_file_read(const unsigned char *bytes, size_t size, aic_disk_file *file);

/* The same for the kernel of an identity, made by this build: as an object without ELF bytes, free with
 * aic_object_free(). */
const char *aic_disk_file_object(const unsigned char *bytes, size_t size, const aic_identity *identity,
                                 aic_object *object);

#endif
