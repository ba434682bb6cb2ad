/* Tensor arithmetic in local memory: whether output and inputs share words otherwise than element by element (tensor
 * arithmetic). The words that an operand has in a lane are drawn into a set of bits. */
#include "frontend/ops/arith/arith.h"

#include "frontend/core/diag.h"

#include <stdlib.h>
#include <string.h>

enum { CELL_BITS = 64 };

/* Words of one lane from number `first` on. */
typedef struct word_set {
    int64_t first;
    uint64_t *cells;
    int64_t count; /* of cells */
    int64_t used;  /* cells from there on are 0 */
} word_set;

/* Adds every word of the set moved up by `distance`. */
static void add_moved(word_set *set, int64_t distance)
{
    const int64_t cells = distance / CELL_BITS, bits = distance % CELL_BITS, end = set->used + cells + 1;
    set->used = end < set->count ? end : set->count;
    for (int64_t i = set->used - 1; i >= cells; i--) {
        const uint64_t low = set->cells[i - cells] << bits;
        const uint64_t carry = bits > 0 && i > cells ? set->cells[i - cells - 1] >> (CELL_BITS - bits) : 0;
        set->cells[i] |= low | carry;
    }
}

/* Repeats the set `count` times, `stride` apart, by doubling. */
static void repeat(word_set *set, int64_t count, int64_t stride)
{
    for (int64_t done = 1; done < count && stride > 0;) {
        const int64_t more = done < count - done ? done : count - done;
        add_moved(set, more * stride);
        done += more;
    }
}

/* The rows of an operand's channels in one lane. */
typedef struct row_range {
    int64_t first, count;
} row_range;

static row_range rows_in(const aic_arith *p, const aic_arith_operand *o, int64_t lane)
{
    const int64_t first = lane < o->lane ? 1 : 0;
    const int64_t channel = lane - o->lane + first * p->lanes;
    const int64_t after = p->shape[AIC_ARITH_C] - channel; /* channels from that one on */
    return (row_range){first, after > 0 ? (after + p->lanes - 1) / p->lanes : 0};
}

static void draw(const aic_arith_operand *o, row_range rows, word_set *set)
{
    const int64_t start = o->word - set->first + rows.first * o->stride[AIC_ARITH_C];
    memset(set->cells, 0, (size_t)set->used * sizeof set->cells[0]);
    set->used = start / CELL_BITS + 1;
    set->cells[start / CELL_BITS] = UINT64_C(1) << start % CELL_BITS;
    repeat(set, o->size[AIC_ARITH_W], o->stride[AIC_ARITH_W]);
    repeat(set, o->size[AIC_ARITH_H], o->stride[AIC_ARITH_H]);
    repeat(set, o->size[AIC_ARITH_N], o->stride[AIC_ARITH_N]);
    repeat(set, rows.count, o->stride[AIC_ARITH_C]);
}

static bool share(const word_set *a, const word_set *b)
{
    uint64_t common = 0;
    for (int64_t i = 0; i < a->used && i < b->used; i++) {
        common |= a->cells[i] & b->cells[i];
    }
    return common != 0;
}

/* Lanes with the same rows of both have the same words: only where one of them changes is it drawn. */
static bool meets(const aic_arith *p, const aic_arith_operand *input, word_set sets[2])
{
    const aic_arith_operand *output = &p->operand[AIC_ARITH_OUTPUT];
    row_range seen[2] = {{-1, -1}, {-1, -1}};
    bool shared = false;
    for (int64_t lane = 0; lane < p->lanes && !shared; lane++) {
        const row_range rows[] = {rows_in(p, output, lane), rows_in(p, input, lane)};
        if (rows[0].count > 0 && rows[1].count > 0 && memcmp(rows, seen, sizeof rows) != 0) {
            memcpy(seen, rows, sizeof rows);
            draw(output, rows[0], &sets[0]);
            draw(input, rows[1], &sets[1]);
            shared = share(&sets[0], &sets[1]);
        }
    }
    return shared;
}

static bool apart(const aic_arith_operand *a, const aic_arith_operand *b)
{
    return a->word + a->extent <= b->word || b->word + b->extent <= a->word;
}

/* Two sets, one behind the other, that hold the words of both, which may be few of a long lane; false without memory,
 * with a message. The caller frees the cells of the first. */
static bool make_sets(const aic_arith *p, const aic_arith_operand *a, const aic_arith_operand *b, word_set sets[2])
{
    const int64_t first = a->word < b->word ? a->word : b->word;
    const int64_t a_end = a->word + a->extent, b_end = b->word + b->extent;
    const int64_t cells = ((a_end > b_end ? a_end : b_end) - first + CELL_BITS - 1) / CELL_BITS;
    uint64_t *memory = calloc((size_t)cells * 2, sizeof *memory);
    if (!memory) {
        (void)aic_fail_memory(p->name, (size_t)cells * 2 * sizeof *memory);
        return false;
    }
    sets[0] = (word_set){first, memory, cells, 0};
    sets[1] = (word_set){first, memory + cells, cells, 0};
    return true;
}

void aic_arith_check_overlap(aic_verdict *v, const aic_arith *p)
{
    static const char *const names[] = {"output", "input0", "input1"};
    const aic_arith_operand *output = &p->operand[AIC_ARITH_OUTPUT];
    if (p->memory != AIC_MEMORY_LOCAL) {
        return; /* three buffers, looked at when they are given */
    }
    int met = 0;
    for (int i = AIC_ARITH_INPUT0; i < AIC_ARITH_OPERANDS && met == 0; i++) {
        const aic_arith_operand *input = &p->operand[i];
        if (input->source != AIC_ARITH_TENSOR || apart(input, output) || aic_arith_same_addresses(p, input)) {
            continue;
        }
        word_set sets[2];
        if (!make_sets(p, output, input, sets)) {
            v->status = AIC_OUT_OF_MEMORY;
            return;
        }
        met = meets(p, input, sets) ? i : 0;
        free(sets[0].cells);
    }
    if (met != 0) {
        aic_break(v, AIC_ARITH_RULE_overlap,
                  "output_addr: the output shares words with %s, but not every element its own", names[met]);
    }
}
