/* The addresses of a call: what every entry point that takes operands demands of them. */
#pragma once

#include <aic/types.h>

/* An operand as a call has to pass it. One that is not taken: least 0 and every bit in misalignment, so that NULL
 * passes and nothing else. */
typedef struct aic_argument {
    const char *name;
    uintptr_t least;        /* address: 1, or 0 for an operand that is not taken */
    uintptr_t misalignment; /* bits of an address that must be 0 */
    uintptr_t bytes;
    uint32_t overlaps, coincides; /* bit j: what it may share with argument j < its own number, see aic_operand */
} aic_argument;

/* Whether operand number i may have its address. */
static inline bool aic_argument_fits(const aic_argument *argument, size_t i, const void *const operands[])
{
    const uintptr_t a = (uintptr_t)operands[i];
    return a >= argument[i].least && (a & argument[i].misalignment) == 0;
}

/* Whether operands i and j share no memory. Unsigned distances: also right for blocks at the end of the address space.
 */
static inline bool aic_arguments_apart(const aic_argument *argument, size_t i, size_t j, const void *const operands[])
{
    const uintptr_t a = (uintptr_t)operands[i], b = (uintptr_t)operands[j];
    return a - b >= argument[j].bytes && b - a >= argument[i].bytes;
}

/* Whether operand number i fits and shares nothing with those before it. */
static inline bool aic_argument_accepted(const aic_argument *argument, size_t i, const void *const operands[])
{
    bool accepted = aic_argument_fits(argument, i, operands);
    for (size_t j = 0; j < i && accepted; j++) {
        accepted = aic_arguments_apart(argument, i, j, operands);
    }
    return accepted;
}

/* Whether no address is NULL (but of operands that are not taken) or misaligned and no two operands share memory. On
 * the path of every call, and therefore strict: false, too, for an operand of 0 bytes inside another and for operands
 * that may share what they share; aic_arguments_check() decides. Two and three operands, the most frequent numbers, go
 * without loops. */
static inline bool aic_arguments_accepted(const aic_argument *argument, size_t count, const void *const operands[])
{
    size_t i = 0;
    if (count == 2 || count == 3) {
        if (!aic_argument_fits(argument, 0, operands) || !aic_argument_fits(argument, 1, operands) ||
            !aic_arguments_apart(argument, 1, 0, operands)) {
            return false;
        }
        if (count == 2) {
            return true;
        }
        return aic_argument_fits(argument, 2, operands) && aic_arguments_apart(argument, 2, 0, operands) &&
               aic_arguments_apart(argument, 2, 1, operands);
    }
    while (i < count && aic_argument_accepted(argument, i, operands)) {
        i++;
    }
    return i == count;
}

/* The same for programs, which may have thousands of arguments: sorts them instead of comparing all pairs when there
 * are more than AIC_ARGUMENTS_FEW. An argument of 0 bytes may lie inside another. */
enum { AIC_ARGUMENTS_FEW = 32 };
bool aic_arguments_accepted_many(const aic_argument *argument, size_t count, const void *const operands[]);

/* AIC_OK, or AIC_INVALID_ARGUMENT with the first broken rule, in the order of the operands; the message opens with
 * `subject`. */
__attribute__((cold)) aic_status aic_arguments_check(const char *subject, const aic_argument *argument, size_t count,
                                                     const void *const operands[]);
