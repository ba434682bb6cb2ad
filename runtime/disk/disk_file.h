/* A kernel, or a part of kernels, as a file of the disk cache: all that it was made from, and its code. One writer, one
 * reader. */
#pragma once

#include "codegen/part_source.h"
#include "runtime/request/identity.h"

/* The bytes of a kernel: "AICF", AIC_DISK_VERSION in 4 bytes, then sections (frontend/core/bytes.h):
 *
 *     BILD  aic_build_name and aic_build_llvm of the build that made it, as texts
 *     WHAT  what it is, for people: the lines of aic_identity_print()
 *     IDEN  its identity (identity.h)
 *     RECD  its record (codegen/record.h)
 *     SIZE  bytes of the object that it was, in 8
 *     IMAG  its image
 *     HASH  aic_checksum() of all bytes before, in 8 bytes
 *
 * Those of a part: "AICP", then
 *
 *     BILD  as above
 *     WHAT  its kind and key, for people: lines
 *     IDEN  its identity (codegen/part_source.h)
 *     PIEC  its piece (codegen/piece.h)
 *     HASH  as above */
enum { AIC_DISK_VERSION = 2 };

/* The bytes of the kernel of a request and its identity, malloc'ed. AIC_OUT_OF_MEMORY. */
aic_status aic_disk_file_write(const aic_codegen_request *request, const aic_identity *identity,
                               const aic_object *object, unsigned char **bytes, size_t *size);

/* The same of a part. */
aic_status aic_disk_part_write(const aic_part_identity *identity, const aic_piece *piece, unsigned char **bytes,
                               size_t *size);

/* What bytes say; the texts, images and pieces lie within them. */
typedef struct aic_disk_file {
    aic_slice build, llvm, what;
    aic_slice identity; /* bytes of any value */
    bool part;
    aic_piece piece; /* of a part, and in order; what follows is of a kernel */
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

/* The same for the part of an identity: as a piece that is in order (aic_piece_check()), free with aic_piece_free(). */
const char *aic_disk_file_piece(const unsigned char *bytes, size_t size, const aic_part_identity *identity,
                                aic_piece *piece);
