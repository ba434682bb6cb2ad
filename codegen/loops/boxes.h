/* What moves and element-wise kernels have in common: they consist of boxes, each a nest of loops. Every box is a
 * function of its own, which runs a range of the iterations of one of its loops. The body of the kernel calls the
 * functions of all boxes; where the output is large and aligned, those whose stores go past the caches. */
#pragma once

#include "codegen/parts/boxes.h"
#include "codegen/shape.h"

/* The loop of a box that workers divide among themselves. */
typedef struct aic_division {
    int loop;      /* its number among the box's loops; -1: every loop has one iteration, none is divided */
    int64_t count; /* iterations */
} aic_division;

/* Chooses among loops with these numbers of iterations, outermost first: the outermost loop that has enough for any
 * number of workers, else the loop that has most. */
aic_division aic_divide(const int64_t *iterations, int loops);

/* Items of a kernel whose boxes have at most `count` iterations. They are bounded, so that the product of an item and a
 * count fits int64_t, and shares of iterations are exact enough. */
static inline int64_t aic_division_items(int64_t count)
{
    return count < 1 << AIC_BOXES_SHARE_BITS ? count : 1 << AIC_BOXES_SHARE_BITS;
}

/* The function of a box: void (pointers...; first, last). */
typedef struct aic_box_function {
    aic_routine routine; /* 0: there is none */
    int64_t count;       /* iterations of its loop, of which it does first .. last-1 */
} aic_box_function;

typedef struct aic_box_use {
    aic_box_function plain, past; /* past: for outputs aligned to AIC_MOVE_PAST_ALIGN bytes */
} aic_box_use;

/* Composes the only phase of a kernel of boxes. Their functions take `pointers` operands, from the first on. */
void aic_compose_boxes(aic_program *program, const aic_plan *plan, const aic_box_use *box, unsigned boxes,
                       unsigned pointers, aic_bodies *bodies);
