/* Pseudo-random mistakes in a descriptor: one entry of its fields is replaced by a value that is refused, such as one
 * next to what was there, equal to another entry, or next to a power of two. Knows the kinds of fields alone; what is
 * refused, the caller says. */
#include "frontend/core/op.h"
#include "frontend/random/rng.h"

#include <math.h>

static bool is_integer(const aic_field *field)
{
    return field->kind == AIC_KIND_INT || field->kind == AIC_KIND_DIMS || field->kind == AIC_KIND_SIZE;
}

/* Entry of another integer field, often of one near by, to which rules relate it; 0 where the one drawn is none. */
static uint64_t draw_other(uint64_t *state, const aic_record *record, const aic_field *of, const void *desc)
{
    const int64_t last = (int64_t)record->count - 1, near = of - record->fields + aic_rng_range(state, -2, 2);
    const bool any = aic_rng_once_in(state, 2) || near < 0 || near > last;
    const aic_field *field = &record->fields[any ? aic_rng_range(state, 0, last) : near];
    const uint32_t entry = (uint32_t)aic_rng_range(state, 0, field->count - 1);
    return is_integer(field) ? aic_field_word(field, desc, entry) : 0;
}

/* At the end of what so many bits hold, as the documents limit most fields, or of any number of bits; or its negative.
 */
static uint64_t draw_end(uint64_t *state)
{
    const int64_t bits = AIC_RNG_PICK(state, 5, 6, 8, 9, 12, 13, 14, 15, 16, 16, 30, 31, 32, 32, 63,
                                      aic_rng_range(state, 0, 32), aic_rng_range(state, 0, 63));
    const uint64_t end = UINT64_C(1) << bits;
    return (aic_rng_once_in(state, 6) ? 0 - end : end) + (uint64_t)AIC_RNG_PICK(state, 0, 0, 0, -1, 1, 4, -4);
}

/* In place of `own`, which may be any 64 bits. */
static uint64_t draw_integer(uint64_t *state, uint64_t own, uint64_t other)
{
    switch (aic_rng_range(state, 0, 11)) {
    case 0:
        return own + (uint64_t)aic_rng_range(state, -8, 8);
    case 1:
        return aic_rng_once_in(state, 2) ? own / 2 : own * 2;
    case 2:
    case 3:
    case 4:
        return own + ((uint64_t)aic_rng_range(state, 1, 8) << aic_rng_range(state, 2, 32));
    case 5:
        return other + (uint64_t)AIC_RNG_PICK(state, -4, -1, 0, 0, 1, 4);
    case 6:
        return own + other + (uint64_t)AIC_RNG_PICK(state, -1, 0, 1);
    case 7:
        return (uint64_t)aic_rng_range(state, -2, 40);
    case 8:
        return (uint64_t)AIC_RNG_PICK(state, AIC_NOT_GIVEN, AIC_DYNAMIC, INT64_MAX, -1, 0);
    default:
        return draw_end(state);
    }
}

/* No number, or none of a range or of integers. */
static double draw_real(uint64_t *state)
{
    static const double wrong[] = {(double)NAN,
                                   (double)INFINITY,
                                   -(double)INFINITY,
                                   65504.0001,
                                   -65505,
                                   1e300,
                                   -1e18,
                                   0.5,
                                   -0.25,
                                   128,
                                   -129,
                                   126.999,
                                   1e-300,
                                   5e-324};
    return wrong[aic_rng_range(state, 0, (int64_t)(sizeof wrong / sizeof wrong[0]) - 1)];
}

/* Words that hold a float32: infinities, NaN, denormal numbers. */
static uint64_t draw_bits(uint64_t *state, uint64_t own)
{
    const uint64_t low = (uint64_t)AIC_RNG_PICK(state, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFFFFFFF, 0x7F800001,
                                                0x00002000, 0x807FFFFF, (int64_t)(own & UINT32_MAX) ^ 0x40000000);
    return (own & ~(uint64_t)UINT32_MAX) | low;
}

static uint64_t draw_word(uint64_t *state, const aic_record *record, const aic_field *field, uint32_t entry,
                          const void *desc)
{
    const uint64_t own = aic_field_word(field, desc, entry);
    switch (field->kind) {
    case AIC_KIND_INT:
    case AIC_KIND_DIMS:
    case AIC_KIND_SIZE:
        return draw_integer(state, own, draw_other(state, record, field, desc));
    case AIC_KIND_REAL:
        return aic_bits_of_double(draw_real(state));
    case AIC_KIND_BITS:
    case AIC_KIND_FLOAT32:
    case AIC_KIND_TAG:
        return draw_bits(state, own);
    case AIC_KIND_BOOL:
        return aic_rng_once_in(state, 5) ? (uint64_t)aic_rng_range(state, 2, 255) : own ^ 1;
    default: /* types and other enumerations */
        return (uint64_t)(aic_rng_once_in(state, 5) ? AIC_RNG_PICK(state, 40, 77, UINT32_MAX)
                                                    : aic_rng_range(state, 0, AIC_RNG_PICK(state, 2, 12, 20)));
    }
}

/* An entry of a descriptor. */
typedef struct entry {
    const aic_field *field;
    uint32_t index;
    const aic_judge *judge;
    void *desc;
} entry;

/* Replaces it; what the descriptor is judged to be then. */
static aic_status replace(const entry *e, uint64_t word)
{
    aic_field_set_word(e->field, e->desc, e->index, word);
    return e->judge->status(e->judge->request, e->desc);
}

/* With `to` the descriptor has this status, with `from` it has not: replaces the entry by a word that is a step from
 * one without it, and has it. Where the two are no number of steps apart: by `to`. */
static void approach(const entry *e, uint64_t from, uint64_t to, int64_t step, aic_status status)
{
    int64_t steps = (int64_t)(to - from) / step;
    const bool apart = (uint64_t)(steps * step) == to - from;
    for (; apart && (steps > 1 || steps < -1); steps = (int64_t)(to - from) / step) {
        const uint64_t middle = from + (uint64_t)(steps / 2 * step);
        *(replace(e, middle) == status ? &to : &from) = middle;
    }
    (void)replace(e, to);
}

/* A field: sometimes each as often as the other, mostly those of several entries more often. */
static const aic_field *draw_field(uint64_t *state, const aic_record *record)
{
    enum { ENTRIES = 5 };
    const bool by_entries = !aic_rng_once_in(state, 3);
    const aic_field *field;
    do {
        field = &record->fields[aic_rng_range(state, 0, (int64_t)record->count - 1)];
    } while (by_entries && aic_rng_range(state, 1, ENTRIES) > field->count);
    return field;
}

/* Replaces an entry by a word with which the descriptor has this status: integers mostly by the one that is next to the
 * other status, the largest that is legal or the smallest that is not. False: it is as it was. */
static bool change(const aic_op_info *op, uint64_t *state, aic_status wanted, const void *other, const aic_judge *judge,
                   void *desc)
{
    const aic_field *field = draw_field(state, &op->record);
    const entry e = {field, (uint32_t)aic_rng_range(state, 0, field->count - 1), judge, desc};
    const uint64_t own = aic_field_word(field, desc, e.index);
    const uint64_t word = aic_rng_once_in(state, 3) ? aic_field_word(field, other, e.index)
                                                    : draw_word(state, &op->record, field, e.index, desc);
    const int64_t step = AIC_RNG_PICK(state, 1, 4, 4, 16);
    const bool legal = wanted == AIC_OK, found = replace(&e, word) == wanted;
    if (!found) {
        (void)replace(&e, own);
    }
    if (found != legal && is_integer(field) && !aic_rng_once_in(state, 4)) {
        approach(&e, found ? own : word, found ? word : own, step, wanted);
    }
    return aic_field_word(field, desc, e.index) != own;
}

bool aic_op_spoil(const aic_op_info *op, uint64_t *state, const aic_semantics *semantics, const aic_judge *judge,
                  void *desc)
{
    enum { TRIES = 40 };
    int64_t changes = aic_rng_once_in(state, 2) ? 0 : aic_rng_range(state, 1, 3); /* that are legal */
    aic_stage other;
    op->init(&other.desc);
    aic_op_random(op, state, semantics, &other.desc);
    for (int i = 0; i < TRIES; i++) {
        const aic_status wanted = changes > 0 ? AIC_OK : AIC_INVALID_ARGUMENT;
        if (change(op, state, wanted, &other.desc, judge, desc) && changes-- == 0) {
            return true;
        }
    }
    return false;
}
