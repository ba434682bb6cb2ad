/* Conversions to short floats with an overflow mode. */
#include "frontend/numeric/round.h"

#include "frontend/numeric/element.h"
#include "frontend/numeric/half.h"

/* `bits` of a format with this infinity; its largest finite value is one below. */
static uint16_t saturated(uint16_t bits, uint16_t infinity, aic_overflow overflow)
{
    const uint16_t magnitude = bits & 0x7FFF;
    if (overflow == AIC_OVERFLOW_IEEE || magnitude < infinity) {
        return bits;
    }
    return magnitude > infinity ? 0 : (uint16_t)((bits & 0x8000) | (infinity - 1));
}

uint16_t aic_round_float16(double value, aic_overflow overflow)
{
    return saturated(aic_half_from_double(value), 0x7C00, overflow);
}

uint16_t aic_round_bfloat16(float value, aic_overflow overflow)
{
    return saturated(aic_bfloat16_from_float(value), 0x7F80, overflow);
}
