/* Elements of any type as numbers. */
#include "frontend/numeric/element.h"

#include "frontend/numeric/half.h"

#include <string.h>

float aic_bfloat16_to_float(uint16_t bits)
{
    const uint32_t word = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

uint16_t aic_bfloat16_from_float(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    if ((word & 0x7FFFFFFF) > 0x7F800000) {
        return (uint16_t)(word >> 16 | 0x40);
    }
    /* Half a unit, or just less where the kept part is even: ties go to even. */
    word += 0x7FFF + (word >> 16 & 1);
    return (uint16_t)(word >> 16);
}

double aic_element_value(aic_dtype dtype, const void *element)
{
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        uint64_t u64;
        float f32;
    } any;
    memcpy(&any, element, aic_dtype_size(dtype));
    switch (dtype) {
    case AIC_INT8:
        return any.i8;
    case AIC_UINT8:
        return any.u8;
    case AIC_INT16:
        return any.i16;
    case AIC_UINT16:
        return any.u16;
    case AIC_INT32:
        return any.i32;
    case AIC_UINT32:
        return any.u32;
    case AIC_UINT64:
        return (double)any.u64;
    case AIC_FLOAT16:
        return aic_half_to_double(any.u16);
    case AIC_BFLOAT16:
        return (double)aic_bfloat16_to_float(any.u16);
    case AIC_FLOAT32:
        return (double)any.f32;
    case AIC_DTYPE_NONE:
        break;
    }
    return 0;
}
