/* The addresses of a call: what every entry point that takes operands demands of them. */
#ifndef AIC_ARGUMENT_H
#define AIC_ARGUMENT_H

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

/* Whether no address is NULL (but of operands that are not taken) or misaligned and no two operands share memory. On
 * the path of every call, and therefore strict: false, too, for an operand of 0 bytes inside another and for operands
 * that may share what they share; aic_arguments_check() decides. */
static inline bool aic_arguments_accepted(const aic_argument *argument, size_t count, const void *const operands[])
{
    for (size_t i = 0; i < count; i++) {
        uintptr_t a = (uintptr_t)operands[i];
        if (a < argument[i].least || (a & argument[i].misalignment) != 0) {
            return false;
        }
        for (size_t j = 0; j < i; j++) {
            /* Unsigned distances: also right for blocks at the end of the address space. */
            uintptr_t b = (uintptr_t)operands[j];
            if (a - b < argument[j].bytes || b - a < argument[i].bytes) {
                return false;
            }
        }
    }
    return true;
}

/* The same for programs, which may have thousands of arguments: sorts them instead of comparing all pairs when there
 * are more than AIC_ARGUMENTS_FEW. An argument of 0 bytes may lie inside another. */
enum { AIC_ARGUMENTS_FEW = 32 };
bool aic_arguments_accepted_many(const aic_argument *argument, size_t count, const void *const operands[]);

/* AIC_OK, or AIC_INVALID_ARGUMENT with the first broken rule, in the order of the operands; the message opens with
 * `subject`. */
__attribute__((cold)) aic_status aic_arguments_check(const char *subject, const aic_argument *argument, size_t count,
                                                     const void *const operands[]);

#endif
