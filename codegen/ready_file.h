/* Ready-made parts: those that kernels of a level often have, in a file that is made with the build (tools/ready) and
 * lies beside the generator's module. One writer, one reader.
 *
 *     "AICS", AIC_READY_VERSION in 4 bytes, bytes of the head in 4
 *     aic_build_name and the level's name as texts, number of parts in 4 bytes
 *     for each part, by ascending hashes: hash of its identity, where it lies, its bytes, their aic_checksum(), 8 each
 *     aic_checksum() of the head so far in 8
 *     the parts: bytes of the identity in 4, the identity (part_source.h), the piece (piece.h) */
#pragma once

#include "codegen/part_source.h"

enum { AIC_READY_VERSION = 1 };

/* What is behind the module's name in that of the file for a level, which follows: "MODULE.avx2.parts". */
#define AIC_READY_SUFFIX ".parts"

typedef struct aic_ready_part {
    aic_part_identity identity;
    aic_piece piece;
} aic_ready_part;

/* The bytes of a file, malloc'ed; puts the parts into their order. AIC_OUT_OF_MEMORY. */
aic_status aic_ready_file_write(const char *level, aic_ready_part *part, size_t count, unsigned char **bytes,
                                size_t *size);

/* A file whose head is in order; the bytes stay the caller's. */
typedef struct aic_ready_file {
    const unsigned char *bytes, *rows;
    size_t size, count;
} aic_ready_file;

/* NULL, or what is wrong. Reads the head only. */
const char *aic_ready_file_open(const unsigned char *bytes, size_t size, const char *level, aic_ready_file *file);

/* A copy of the piece of an identity, checked: NULL, or what is wrong; "" where there is none. */
const char *aic_ready_file_find(const aic_ready_file *file, const aic_part_identity *identity, aic_piece *piece);
