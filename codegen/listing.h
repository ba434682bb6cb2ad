/* IR for people: the printed module with a comment at its head that says what it is, and with the emitter's notes. */
#pragma once

#include "codegen/kernel.h"
#include "codegen/llvm/notes.h"
#include "codegen/parts.h"

typedef struct aic_listing {
    const aic_codegen_request *request;
    const aic_kernel_plan *plan;
    aic_notes *notes;
    const char *triple;         /* of the module */
    const char *stage;          /* what the text is */
    const aic_program *program; /* its parts */
} aic_listing;

/* Writes the text of a module, malloc'ed with a closing zero. */
aic_status aic_listing_print(const aic_listing *listing, const char *module, char **text, size_t *size);
