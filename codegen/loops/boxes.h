/* Kernels that are boxes: what moves and element-wise kernels have in common. A box is a function of its own, which
 * does a range of the iterations of one of its loops; the body of the kernel calls the functions of all boxes, with
 * stores past the caches where the output is large and aligned. */
#ifndef AIC_BOXES_H
#define AIC_BOXES_H

#include "codegen/shape.h"

/* The loop of a box that workers divide among themselves. */
typedef struct aic_division {
    int loop;      /* its number among the box's loops; -1: none, as each has one iteration */
    int64_t count; /* iterations */
} aic_division;

/* Of loops with these iterations, from the outside to the inside: the outermost one that has enough for any number of
 * workers, else the one that has most. */
aic_division aic_divide(const int64_t *iterations, int loops);

/* Items of the kernel, of whose boxes the largest count is `count`: bounded, so that an item times a count is an int64.
 */
static inline int64_t aic_division_items(int64_t count)
{
    return count < 1 << 16 ? count : 1 << 16;
}

/* The function of a box: void (pointers...; first, last). */
typedef struct aic_box_function {
    LLVMValueRef function; /* NULL: there is none */
    int64_t count;         /* iterations of its loop, of which it does first .. last-1 */
} aic_box_function;

typedef struct aic_box_code {
    aic_box_function plain, past; /* past: for outputs aligned to AIC_MOVE_PAST_ALIGN bytes */
    unsigned pointers;            /* the kernel's operands that they take, the first ones */
} aic_box_code;

/* The body of a kernel of boxes, whose items are `items`; operands may alias where the boxes say so. */
LLVMValueRef aic_emit_boxes(aic_emit *e, const aic_plan *plan, const aic_box_code *code, unsigned boxes, bool aliases,
                            const char *symbol);

#endif
