/* Constants in an object of several parts. LLVM puts those of all functions into common sections, those of a function
 * side by side, and the functions' in their order: each part's share of a section is a run of its bytes. */
#pragma once

#include "codegen/elf_object.h"

typedef struct aic_piece_share {
    uint64_t start, size; /* size 0: it has none of the section */
} aic_piece_share;

/* The share of the part whose code is in the section of the name `only`. What functions refer to says whose bytes are
 * whose: AIC_COMPILE where that leaves a doubt, so that a part never has another share than alone. */
aic_status aic_piece_find_share(const aic_elf_object *o, size_t section, const char *only, aic_piece_share *share);
