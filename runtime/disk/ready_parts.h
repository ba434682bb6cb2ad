/* The ready-made parts of a level (codegen/ready_file.h), which lie beside the generator's module. A context maps the
 * file when it first lacks a part. It is as trusted as the module; what is taken from it is a copy that was checked.
 * There need be none. */
#pragma once

#include "codegen/part_source.h"

typedef struct aic_ready_parts aic_ready_parts;

/* Maps the file of a level beside the module, or one that is named so. NULL: there is none that can be used; one that
 * is there leaves a warning, as does memory that runs out. */
aic_ready_parts *aic_ready_parts_open(const char *level);
aic_ready_parts *aic_ready_parts_open_file(const char *path, const char *level);
void aic_ready_parts_close(aic_ready_parts *ready);

/* The piece of an identity; free with aic_piece_free(). False: there is none; a damaged one leaves a warning. */
bool aic_ready_parts_find(const aic_ready_parts *ready, const aic_part_identity *identity, aic_piece *piece);
