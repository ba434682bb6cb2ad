/* Says what is wrong with the addresses of a call. */
#include "frontend/core/argument.h"

#include "frontend/core/diag.h"

/* Programs have more arguments than a mask has bits; they may share nothing. */
static bool has_bit(uint32_t mask, size_t bit)
{
    return bit < 8 * sizeof mask && (mask >> bit & 1) != 0;
}

/* Whether argument number i at address a and number j < i at b share memory that they must not. */
static bool clash(const aic_argument *argument, size_t i, uintptr_t a, size_t j, uintptr_t b)
{
    const bool empty = argument[i].bytes == 0 || argument[j].bytes == 0;
    const bool shared = !empty && (a - b < argument[j].bytes || b - a < argument[i].bytes);
    const bool allowed = has_bit(argument[i].overlaps, j) || (a == b && has_bit(argument[i].coincides, j));
    return shared && !allowed;
}

aic_status aic_arguments_check(const char *subject, const aic_argument *argument, size_t count,
                               const void *const operands[])
{
    for (size_t i = 0; i < count; i++) {
        if (operands[i] != NULL && argument[i].least == 0) {
            return aic_fail(AIC_INVALID_ARGUMENT, subject, "%s: is given, but this descriptor takes none",
                            argument[i].name);
        }
        if (operands[i] == NULL && argument[i].least != 0) {
            return aic_fail(AIC_INVALID_ARGUMENT, subject, "%s: is NULL", argument[i].name);
        }
        if (((uintptr_t)operands[i] & argument[i].misalignment) != 0) {
            return aic_fail(AIC_INVALID_ARGUMENT, subject, "%s: address %p is not a multiple of %zu", argument[i].name,
                            operands[i], (size_t)argument[i].misalignment + 1);
        }
    }
    for (size_t i = 1; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (clash(argument, i, (uintptr_t)operands[i], j, (uintptr_t)operands[j])) {
                return aic_fail(AIC_INVALID_ARGUMENT, subject, "%s: overlaps %s", argument[i].name, argument[j].name);
            }
        }
    }
    return AIC_OK;
}
