/* Coordinates of operands: from an element's number to its indices and back; see aic/coordinates.h. */
#include "frontend/core/coordinates.h"

#include "frontend/core/chain.h"
#include "frontend/core/diag.h"
#include "frontend/core/spec.h"

#include <string.h>

/* ---- for the operators ---- */

void aic_axis_add(aic_coordinates *c, const char *name, int64_t size, int64_t stride)
{
    aic_axis_add_blocked(c, name, size, 1, stride, 0);
}

void aic_axis_add_blocked(aic_coordinates *c, const char *name, int64_t size, int64_t block, int64_t outer,
                          int64_t inner)
{
    c->axis[c->rank++] = (aic_axis){.name = name, .size = size, .block = block, .outer = outer, .inner = inner};
}

void aic_axes_name(aic_coordinates *c, const char *const names[], int32_t count)
{
    for (int32_t d = 0; d < count; d++) {
        c->axis[d].name = names[d];
    }
}

void aic_axes_of_shape(aic_coordinates *c, const aic_operand *operand)
{
    int64_t stride = 1;
    if (c->rank > 0) {
        return;
    }
    for (int32_t d = operand->rank; d-- > 0;) {
        const char *name = c->axis[d].name;
        c->axis[d] = (aic_axis){.name = name ? name : "", .size = operand->shape[d], .block = 1, .outer = stride};
        stride *= operand->shape[d];
    }
    c->rank = operand->rank;
}

/* ---- of specifications ---- */

/* Those of operand number `own` of a stage alone. */
static void of_stage(const aic_stage *stage, const aic_semantics *semantics, int own, aic_coordinates *c)
{
    aic_op_get(stage->op)->coordinates(&stage->desc, semantics, own, c);
}

/* An operand of a chain is that of one of its stages, or the sums that it starts from. */
static void of_chain(const aic_spec *resolved, const aic_semantics *semantics, int operand, aic_coordinates *c)
{
    aic_chain_operands chain;
    aic_chain_operands_of(resolved, semantics, &chain);
    if (operand == chain.l1out && operand != 0) {
        if (chain.operand[operand].rank > 1) {
            of_stage(&resolved->stage[0], semantics, 0, c);
        } else {
            AIC_AXES_NAME(c, "Cout");
        }
        return;
    }
    for (int s = 0; s < resolved->count; s++) {
        for (int own = 0; own < (int)AIC_OPERANDS_MAX; own++) {
            if (chain.from[s][own] == operand) {
                of_stage(&resolved->stage[s], semantics, own, c);
                return;
            }
        }
    }
}

void aic_spec_coordinates_of(const aic_spec *resolved, const aic_semantics *semantics, const aic_operand *operand,
                             int index, aic_coordinates *coordinates)
{
    *coordinates = aic_coordinates_init();
    if (resolved->count > 1) {
        of_chain(resolved, semantics, index, coordinates);
    } else {
        of_stage(&resolved->stage[0], semantics, index, coordinates);
    }
    aic_axes_of_shape(coordinates, operand);
}

aic_status aic_spec_coordinates(const aic_spec *spec, const aic_semantics *semantics, size_t operand,
                                aic_coordinates *coordinates)
{
    aic_semantics own;
    semantics = aic_semantics_of(semantics, &own);
    aic_operand operands[AIC_OPERANDS_MAX];
    aic_spec resolved;
    aic_status status = aic_spec_resolve(spec, semantics, &resolved);
    status = status == AIC_OK ? aic_structure_check("coordinates", coordinates, sizeof *coordinates) : status;
    if (status != AIC_OK) {
        return status;
    }
    const size_t count = aic_spec_operands_of(&resolved, semantics, operands);
    if (operand >= count || operands[operand].direction == AIC_DIRECTION_UNUSED) {
        char subject[AIC_SUBJECT_MAX];
        aic_spec_subject(spec, " | ", subject, sizeof subject);
        return aic_fail(AIC_INVALID_ARGUMENT, subject, "operand: number %zu is none that a call takes", operand);
    }
    aic_coordinates made = aic_coordinates_init();
    aic_spec_coordinates_of(&resolved, semantics, &operands[operand], (int)operand, &made);
    return aic_structure_give("coordinates", coordinates, &made, sizeof made);
}

/* ---- from indices to the element ---- */

/* The axis whose last index is the tail's block; -1: there is no tail. */
static int32_t tail_axis(const aic_coordinates *c)
{
    return c->tail != 0 ? c->rank - 3 : -1;
}

int64_t aic_coordinates_element(const aic_coordinates *given, const int64_t *at)
{
    aic_coordinates own = aic_coordinates_init(), *c = &own;
    if (!at || aic_structure_take("coordinates", given, &own, sizeof own) != AIC_OK) {
        return -1;
    }
    const int32_t blocks = tail_axis(c);
    const bool in_tail = blocks >= 0 && at[blocks] == c->axis[blocks].size - 1;
    int64_t element = c->first;
    for (int32_t d = 0; d < c->rank; d++) {
        const aic_axis *axis = &c->axis[d];
        if (at[d] < 0 || at[d] >= (in_tail && d == blocks + 2 ? c->tail : axis->size)) {
            return -1;
        }
        element += in_tail && d == blocks + 1 ? at[d] * c->tail_pitch
                                              : at[d] / axis->block * axis->outer + at[d] % axis->block * axis->inner;
    }
    return element;
}

/* ---- from the element to indices ---- */

enum { DIGITS_MAX = 2 * AIC_AXES_MAX };

/* A part of an axis's index: each of its values adds `stride` elements and `unit` to the index. */
typedef struct digit {
    int32_t axis;
    int64_t count, stride, unit;
} digit;

typedef struct search {
    const aic_coordinates *c;
    digit digit[DIGITS_MAX]; /* by falling stride */
    int32_t digits;
    int64_t reach[DIGITS_MAX + 1]; /* the most that this digit and those behind it add */
    int64_t *at;
    int steps; /* left; strides that let many indices lead to an element would else take for ever */
} search;

static void add_digit(search *s, int32_t axis, int64_t count, int64_t stride, int64_t unit)
{
    int32_t place = s->digits++;
    for (; place > 0 && s->digit[place - 1].stride < stride; place--) {
        s->digit[place] = s->digit[place - 1];
    }
    s->digit[place] = (digit){axis, count, stride, unit};
}

static void add_digits(search *s, int32_t d)
{
    const aic_axis *axis = &s->c->axis[d];
    const int64_t outer = (axis->size + axis->block - 1) / axis->block;
    if (axis->block > 1) {
        add_digit(s, d, axis->size < axis->block ? axis->size : axis->block, axis->inner, 1);
    }
    add_digit(s, d, outer, axis->outer, axis->block);
}

static bool inside(const search *s)
{
    bool all = true;
    for (int32_t d = 0; d < s->c->rank; d++) {
        all = all && s->at[d] < s->c->axis[d].size;
    }
    return all;
}

/* Digits from number `from` on that add `rest`, the larger ones first. A recursion as deep as there are digits. */
static bool find_digits(search *s, int32_t from, int64_t rest)
{
    if (from == s->digits) {
        return rest == 0 && inside(s);
    }
    const digit *g = &s->digit[from];
    const int64_t most = g->stride == 0 ? 0 : rest / g->stride;
    for (int64_t value = most < g->count ? most : g->count - 1; value >= 0 && s->steps-- > 0; value--) {
        const int64_t left = rest - value * g->stride;
        if (left > s->reach[from + 1]) {
            return false;
        }
        s->at[g->axis] += value * g->unit;
        if (find_digits(s, from + 1, left)) {
            return true;
        }
        s->at[g->axis] -= value * g->unit;
    }
    return false;
}

/* Without a tail. */
static bool find(const aic_coordinates *c, int64_t element, int64_t *at)
{
    enum { STEPS_MAX = 20000 };
    search s = {.c = c, .at = at, .steps = STEPS_MAX};
    for (int32_t d = 0; d < c->rank; d++) {
        at[d] = 0;
        if (c->axis[d].size < 1) {
            return false;
        }
        add_digits(&s, d);
    }
    for (int32_t i = s.digits; i-- > 0;) {
        s.reach[i] = s.reach[i + 1] + (s.digit[i].count - 1) * s.digit[i].stride;
    }
    return element >= c->first && find_digits(&s, 0, element - c->first);
}

bool aic_coordinates_find(const aic_coordinates *given, int64_t element, int64_t at[AIC_AXES_MAX])
{
    aic_coordinates own = aic_coordinates_init(), *c = &own;
    if (!at || aic_structure_take("coordinates", given, &own, sizeof own) != AIC_OK) {
        return false;
    }
    const int32_t blocks = tail_axis(c);
    if (blocks < 0) {
        return find(c, element, at);
    }
    aic_coordinates part = *c; /* the blocks before the last one; then that one */
    const int64_t last = c->axis[blocks].size - 1;
    part.tail = 0;
    part.axis[blocks].size = last;
    if (find(&part, element, at)) {
        return true;
    }
    part.first += last * c->axis[blocks].outer;
    part.axis[blocks].size = 1;
    part.axis[blocks + 1].outer = c->tail_pitch;
    part.axis[blocks + 2].size = c->tail;
    const bool found = find(&part, element, at);
    at[blocks] += found ? last : 0;
    return found;
}
