/* Pseudo-random mistakes in a descriptor: entries of its fields are replaced by values that rules are likely to refuse,
 * such as values next to those that were there, equal to another entry, or next to a power of two. Knows the kinds of
 * fields alone; whether a rule breaks, the caller finds out. */
#include "frontend/core/op.h"
#include "frontend/random/rng.h"

#include <math.h>

/* Entry of any integer field; 0 where the field that was drawn is none. */
static uint64_t draw_other(uint64_t *state, const aic_record *record, const void *desc)
{
    const aic_field *field = &record->fields[aic_rng_range(state, 0, (int64_t)record->count - 1)];
    const bool integer = field->kind == AIC_KIND_INT || field->kind == AIC_KIND_DIMS || field->kind == AIC_KIND_SIZE;
    const uint32_t entry = (uint32_t)aic_rng_range(state, 0, field->count - 1);
    return integer ? aic_field_word(field, desc, entry) : 0;
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
    switch (aic_rng_range(state, 0, 9)) {
    case 0:
        return own + (uint64_t)aic_rng_range(state, -8, 8);
    case 1:
        return aic_rng_once_in(state, 2) ? own / 2 : own * 2;
    case 2:
        return own << aic_rng_range(state, 4, 40);
    case 3:
        return other + (uint64_t)AIC_RNG_PICK(state, -1, 0, 0, 1);
    case 4:
        return own + other + (uint64_t)AIC_RNG_PICK(state, -1, 0, 1);
    case 5:
        return (uint64_t)aic_rng_range(state, -2, 40);
    case 6:
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
        return draw_integer(state, own, draw_other(state, record, desc));
    case AIC_KIND_REAL:
        return aic_bits_of_double(draw_real(state));
    case AIC_KIND_BITS:
    case AIC_KIND_FLOAT32:
    case AIC_KIND_TAG:
        return draw_bits(state, own);
    case AIC_KIND_BOOL:
        return aic_rng_once_in(state, 2) ? own ^ 1 : (uint64_t)aic_rng_range(state, 2, 255);
    default: /* types and other enumerations */
        return (uint64_t)AIC_RNG_PICK(state, aic_rng_range(state, 0, 2), aic_rng_range(state, 0, 12),
                                      aic_rng_range(state, 0, 12), aic_rng_range(state, 0, 40), 77, UINT32_MAX);
    }
}

/* One entry of a field, or all to one value. */
static void spoil_field(const aic_record *record, uint64_t *state, void *desc)
{
    const aic_field *field = &record->fields[aic_rng_range(state, 0, (int64_t)record->count - 1)];
    const uint32_t chosen = (uint32_t)aic_rng_range(state, 0, field->count - 1);
    const bool all = aic_rng_once_in(state, 3);
    const uint64_t word = draw_word(state, record, field, chosen, desc);
    for (uint32_t entry = 0; entry < field->count; entry++) {
        if (all || entry == chosen) {
            aic_field_set_word(field, desc, entry, word);
        }
    }
}

void aic_op_spoil(const aic_op_info *op, uint64_t *state, void *desc)
{
    const int64_t fields = aic_rng_once_in(state, 2) ? aic_rng_range(state, 2, 4) : 1;
    for (int64_t i = 0; i < fields; i++) {
        spoil_field(&op->record, state, desc);
    }
}
