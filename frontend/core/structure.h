/* Structures that cross the interface. Each begins with `size_t size`, what the program was compiled with; it may be
 * smaller or larger than this library's own structure (AIC_SIZED in aic/types.h). */
#pragma once

#include <aic/spec.h>

/* What the structure at `given` says of itself. */
static inline size_t aic_structure_size(const void *given)
{
    return *(const size_t *)given;
}

/* Whether a structure, which is to be filled in, has a size that can be: AIC_INVALID_ARGUMENT for NULL and for a size
 * that nobody has set. `name` opens the message. */
aic_status aic_structure_check(const char *name, const void *given, size_t own_size);

/* Checks a structure that a program gives, AIC_UNSUPPORTED where what lies behind `own_size` is not zero, and copies it
 * over *own, which holds the defaults and keeps them where `given` has less. */
aic_status aic_structure_take(const char *name, const void *given, void *own, size_t own_size);

/* Fills in a structure of the program's from *own, as far as it goes; what it has besides is zeroed. */
aic_status aic_structure_give(const char *name, void *given, const void *own, size_t own_size);

/* The semantics to compute under: `given` itself where it has the library's own size, else *own, which is made from it;
 * NULL: the defaults. Of a structure that aic_structure_take() refuses, *own has a size of 0 or of SIZE_MAX, which
 * aic_semantics_check() reports. */
const aic_semantics *aic_semantics_of(const aic_semantics *given, aic_semantics *own);

/* Makes the semantics inside of a structure that was taken, which have a size of their own, into the library's. */
aic_status aic_semantics_settle(char room[AIC_SEMANTICS_ROOM]);

/* *own becomes a descriptor of operator `op`: `desc` itself where it has the library's own size, else `room`, which has
 * room for any descriptor and gets it. */
aic_status aic_desc_of(aic_op op, const void *desc, void *room, const void **own);
