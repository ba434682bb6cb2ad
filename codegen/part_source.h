/* Where the generator gets parts from that somebody keeps; see parts.h. The runtime implements it. */
#pragma once

#include "codegen/piece.h"

/* How a part was come by: it was at hand in memory, it was loaded, it was made. */
typedef enum aic_part_origin { AIC_PART_READY, AIC_PART_LOADED, AIC_PART_MADE, AIC_PART_ORIGINS } aic_part_origin;

/* All that the code of a part depends on, as bytes: its kind and key, instruction set, build and LLVM. */
enum { AIC_PART_IDENTITY_MAX = 2048 };
typedef struct aic_part_identity {
    size_t size;
    unsigned char bytes[AIC_PART_IDENTITY_MAX];
} aic_part_identity;

typedef struct aic_part_source aic_part_source;
struct aic_part_source {
    /* Finds the piece of an identity, or has it made by make(what, &piece), once even where several threads want it.
     * The piece is valid until it is given back. */
    aic_status (*take)(aic_part_source *source, const aic_part_identity *identity,
                       aic_status (*make)(void *what, aic_piece *piece), void *what, const aic_piece **piece,
                       aic_part_origin *origin);
    void (*give_back)(aic_part_source *source, const aic_piece *piece);
    /* Whether it would have to be made, as far as is known now. NULL: nobody knows, and each part is made alone. */
    bool (*lacks)(aic_part_source *source, const aic_part_identity *identity);
};

/* Threads that make parts of a kernel beside the one that makes the kernel; begin is NULL where there are none. */
typedef struct aic_part_helpers {
    /* Has body(argument) called by at most `most` threads while the caller goes on. *begun: what end() takes; NULL:
     * nobody calls it. AIC_OUT_OF_MEMORY. */
    aic_status (*begin)(void *user, size_t most, aic_status (*body)(void *argument), void *argument, void **begun);
    /* Waits until they have returned. The status of one that failed. */
    aic_status (*end)(void *begun);
    void *user;
} aic_part_helpers;
