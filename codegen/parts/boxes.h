/* The parts of kernels that consist of boxes, each a nest of loops with one of them divided among workers.
 *
 *     void boxes(operands..., shared, private; first, last)    the phase: of every box as much as the items are
 *       share.N, past.share.N      iterations of box N an item, where they are not as many as items: in parts of
 *                                  2^AIC_BOXES_SHARE_BITS, rounded up
 *       roles `box.N`, `past.N`    run iterations of a box; past the caches, where the output is aligned
 *
 *     void elementwise(operands...; first, last)    a box of operations on elements; P: out, or the name of a stream
 *       P.at                       bytes from the operand to the box's first element
 *       dim.D, P.dim.D             iterations of loop D; bytes from one to the next
 *       run, P.period              elements of the run in whole iterations, in periods of folded streams: a loop; bytes
 *                                  of a period of elements that lie apart
 *       rest, P.rest               elements behind the iterations, where they are counted; bytes to them
 *       ends                       elements behind the last whole vector of the run, with masks
 *       P.E, P.vector              bytes to element E of a vector, to the next vector, of elements that lie apart
 *       out.pair                   bytes to the second word of the output
 *       run.parts                  iterations of the run, where they are divided and there is a rest */
#pragma once

#include "codegen/parts/elementwise_value.h"
#include "codegen/parts/keys.h"
#include "codegen/program.h"

/* Boxes of a kernel at most. Stores of outputs that no cache holds (machine.h) go past the caches where the output is
 * aligned to so many bytes. */
enum { AIC_BOXES_MAX = 32, AIC_MOVE_PAST_ALIGN = 16 };

/* Items are no more than 2 to the power of this: what their shares are too large by is less than an iteration in all.
 */
enum { AIC_BOXES_SHARE_BITS = 16 };

/* The bit of the set `whole` or `single` of a boxes' key. */
static inline uint64_t aic_boxes_bit(unsigned box, bool past)
{
    return UINT64_C(1) << (past ? box + AIC_BOXES_MAX : box);
}

/* How the elements of a run lie in a stream. */
typedef enum aic_stream_reading {
    AIC_STREAM_NONE,   /* it is not read */
    AIC_STREAM_SINGLE, /* one element for the box */
    AIC_STREAM_SAME,   /* one for the run */
    AIC_STREAM_NEAR,   /* `step` bytes apart: side by side, or so near that vectors have several */
    AIC_STREAM_APART,  /* anywhere: numbers say it */
    AIC_STREAM_FOLDED, /* as the digits of the element's number say */
} aic_stream_reading;

enum { AIC_ELEMENTWISE_DIGITS = 4, AIC_ELEMENTWISE_POINTERS = 1 + AIC_ELEMENTWISE_STREAMS };

/* Whether a pointer moves in a loop. */
static inline uint64_t aic_elementwise_moves(unsigned dim, unsigned pointer)
{
    return UINT64_C(1) << (8 * dim + pointer);
}

/* Bytes of a folded stream from one index of a digit to the next. */
static inline int64_t aic_elementwise_fold(const aic_elementwise_key *key, int64_t digit, unsigned stream)
{
    const int64_t *const fold[AIC_ELEMENTWISE_DIGITS] = {key->fold0, key->fold1, key->fold2, key->fold3};
    return fold[digit][stream];
}

/* The names of the pointers, the output's first. */
extern const char *const aic_elementwise_pointer[AIC_ELEMENTWISE_POINTERS];

/* Elements after which the pattern of folded streams begins again; 1: there are none. */
static inline int64_t aic_elementwise_period(const aic_elementwise_key *key)
{
    int64_t period = 1;
    for (int64_t i = 0; i + 1 < key->digits; i++) {
        period *= key->extent[i];
    }
    return period;
}
