/* Says what is wrong with the addresses of a call. */
#include "frontend/core/argument.h"

#include "frontend/core/rule.h"

#include <stdlib.h>

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

/* ---- many arguments ---- */

typedef struct block {
    uintptr_t start, bytes;
} block;

static int by_start(const void *a, const void *b)
{
    const uintptr_t x = ((const block *)a)->start, y = ((const block *)b)->start;
    return (x > y) - (x < y);
}

/* Whether no two of the blocks, none of them empty, share memory; sorts them. When no block reaches the start of the
 * next one, none reaches beyond; the last one may go round the end of the address space to the first. */
static bool are_apart(block *blocks, size_t count)
{
    qsort(blocks, count, sizeof *blocks, by_start);
    for (size_t i = 1; i < count; i++) {
        if (blocks[i].start - blocks[i - 1].start < blocks[i - 1].bytes) {
            return false;
        }
    }
    return count < 2 || blocks[0].start - blocks[count - 1].start >= blocks[count - 1].bytes;
}

bool aic_arguments_accepted_many(const aic_argument *argument, size_t count, const void *const operands[])
{
    block *blocks = count <= AIC_ARGUMENTS_FEW ? NULL : malloc(count * sizeof *blocks);
    if (!blocks) { /* few, or no memory to do it faster */
        return aic_arguments_accepted(argument, count, operands);
    }
    bool accepted = true;
    size_t used = 0;
    for (size_t i = 0; i < count && accepted; i++) {
        const uintptr_t address = (uintptr_t)operands[i];
        accepted = address >= argument[i].least && (address & argument[i].misalignment) == 0;
        if (argument[i].bytes > 0) {
            blocks[used++] = (block){address, argument[i].bytes};
        }
    }
    accepted = accepted && are_apart(blocks, used);
    free(blocks);
    return accepted;
}

/* ---- what is wrong ---- */

aic_status aic_arguments_check(const char *subject, const aic_argument *argument, size_t count,
                               const void *const operands[])
{
    aic_verdict v = aic_request_verdict(subject);
    for (size_t i = 0; i < count; i++) {
        const char *name = argument[i].name;
        if (operands[i] != NULL && argument[i].least == 0) {
            aic_break(&v, AIC_REQUEST_unused, "%s: is given, but this descriptor takes none", name);
        } else if (operands[i] == NULL && argument[i].least != 0) {
            aic_break(&v, AIC_REQUEST_given, "%s: is NULL", name);
        } else if (((uintptr_t)operands[i] & argument[i].misalignment) != 0) {
            aic_break(&v, AIC_REQUEST_aligned, "%s: address %p is not a multiple of %zu", name, operands[i],
                      (size_t)argument[i].misalignment + 1);
        }
    }
    for (size_t i = 1; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (operands[i] != NULL && operands[j] != NULL &&
                clash(argument, i, (uintptr_t)operands[i], j, (uintptr_t)operands[j])) {
                aic_break(&v, AIC_REQUEST_apart, "%s: overlaps %s", argument[i].name, argument[j].name);
            }
        }
    }
    return v.status;
}
