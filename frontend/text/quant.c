/* Quantisation words (AscendC Fixpipe): their parts, and as text. */
#include "frontend/text/quant.h"

#include "frontend/core/diag.h"
#include "frontend/core/field.h"
#include "frontend/core/rule.h"
#include "frontend/text/number.h"
#include <aic/fixpipe.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* The offset's field holds 9 bits in two's complement. */
enum { OFFSET_BITS = 9, OFFSET_LOW = -256, OFFSET_HIGH = 255 };

/* The bits of the least scale and of infinity; and the scales that a word is made of. */
enum { LEAST_SCALE = 0x00800000, INFINITE_SCALE = 0x7F800000 };
#define SCALES "2^-126..2^128-2^117, of which words hold 11 significant bits"

/* The scale with 11 significant bits, to nearest, ties to even. False where that is not a positive normal number. A
 * carry out of the mantissa goes on into the exponent, as it must. */
static bool round_scale(float scale, uint64_t *bits)
{
    const uint32_t exact = aic_bits_of_float(scale), last = ~(uint32_t)AIC_QUANT_SCALE_BITS + 1;
    const uint32_t rounded = (exact + (last / 2 - 1) + (exact / last & 1)) & (uint32_t)AIC_QUANT_SCALE_BITS;
    *bits = rounded;
    return scale > 0 && rounded >= LEAST_SCALE && rounded < INFINITE_SCALE;
}

static uint64_t join(uint64_t scale, int64_t offset, bool is_signed)
{
    const uint64_t field = (uint64_t)offset & ((1U << OFFSET_BITS) - 1);
    return scale | field << AIC_QUANT_OFFSET_BIT | (uint64_t)is_signed << AIC_QUANT_SIGN_BIT;
}

aic_status aic_quant_word(float scale, int32_t offset, bool is_signed, uint64_t *word)
{
    uint64_t bits = 0;
    aic_verdict v = aic_request_verdict("quant_word");
    if (!word) {
        return aic_fail(AIC_INVALID_ARGUMENT, "quant_word", "word: is NULL");
    }
    if (!round_scale(scale, &bits)) {
        char text[AIC_NUMBER_TEXT_MAX] = "";
        if (isnan(scale)) {
            aic_number_print((double)scale, text);
        } else {
            aic_float_print(scale, text);
        }
        aic_break(&v, AIC_REQUEST_scale, "scale: %s is not in " SCALES, text);
    }
    if (offset < OFFSET_LOW || offset > OFFSET_HIGH) {
        aic_break(&v, AIC_REQUEST_offset, "offset: %" PRId32 " is not in %d..%d", offset, OFFSET_LOW, OFFSET_HIGH);
    }
    if (v.status == AIC_OK) {
        *word = join(bits, offset, is_signed);
    }
    return v.status;
}

aic_quant aic_quant_parts(uint64_t word)
{
    const uint32_t bits = (uint32_t)(word & AIC_QUANT_SCALE_BITS);
    const int32_t field = (int32_t)(word >> AIC_QUANT_OFFSET_BIT & ((1U << OFFSET_BITS) - 1));
    aic_quant parts = {
        .shift = word >> AIC_QUANT_MCB_BIT & 1 ? (int32_t)(word >> AIC_QUANT_SHIFT_BIT & 0xF) + 1 : 0,
        .offset = field > OFFSET_HIGH ? field - (1 << OFFSET_BITS) : field,
        .is_signed = word >> AIC_QUANT_SIGN_BIT & 1,
    };
    memcpy(&parts.scale, &bits, sizeof parts.scale);
    return parts;
}

/* ---- text ---- */

static void skip_space(const char **at)
{
    *at += strspn(*at, " \t\r\n\v\f");
}

static bool take(const char **at, const char *sign)
{
    skip_space(at);
    if (strncmp(*at, sign, strlen(sign)) != 0) {
        return false;
    }
    *at += strlen(sign);
    return true;
}

/* Up to the next sign or blank. */
static size_t word_length(const char **at)
{
    skip_space(at);
    return strcspn(*at, ",() \t\r\n\v\f");
}

static aic_quant_result read_scale(const char **at, uint64_t *bits)
{
    const size_t length = word_length(at);
    float scale = 0;
    if (aic_float_parse(*at, length, &scale) != AIC_NUMBER_OK) {
        return AIC_QUANT_SCALE;
    }
    if (!round_scale(scale, bits)) {
        return AIC_QUANT_RANGE;
    }
    *at += length;
    return AIC_QUANT_OK;
}

static aic_quant_result read_offset(const char **at, int64_t *offset)
{
    const size_t length = word_length(at);
    if (aic_integer_parse(*at, length, offset) != AIC_NUMBER_OK || *offset < OFFSET_LOW || *offset > OFFSET_HIGH) {
        return AIC_QUANT_OFFSET;
    }
    *at += length;
    return AIC_QUANT_OK;
}

static aic_quant_result read_type(const char **at, bool *is_signed)
{
    char name[16] = "";
    const size_t length = word_length(at);
    if (length < sizeof name) {
        memcpy(name, *at, length);
    }
    const aic_dtype dtype = aic_dtype_parse(name);
    if (dtype != AIC_INT8 && dtype != AIC_UINT8) {
        return AIC_QUANT_TYPE;
    }
    *is_signed = dtype == AIC_INT8;
    *at += length;
    return AIC_QUANT_OK;
}

aic_quant_result aic_quant_read(const char **at, uint64_t *word)
{
    const char *start = *at;
    uint64_t scale = 0;
    int64_t offset = 0;
    bool is_signed = false;
    if (!take(&start, "quant") || !take(&start, "(")) {
        return AIC_QUANT_NONE;
    }
    *at = start;
    aic_quant_result result = read_scale(at, &scale);
    if (result == AIC_QUANT_OK && take(at, ",")) {
        result = read_offset(at, &offset);
        if (result == AIC_QUANT_OK) {
            result = take(at, ",") ? read_type(at, &is_signed) : AIC_QUANT_SYNTAX;
        }
    }
    if (result == AIC_QUANT_OK && !take(at, ")")) {
        result = AIC_QUANT_SYNTAX;
    }
    *word = join(scale, offset, is_signed);
    return result;
}

aic_quant_fault_text aic_quant_fault(aic_quant_result result, const char *at)
{
    static const struct {
        const char *part, *legal;
    } faults[] = {
        [AIC_QUANT_SCALE] = {"scale", "a number of single precision"},
        [AIC_QUANT_RANGE] = {"scale", "in " SCALES},
        [AIC_QUANT_OFFSET] = {"offset", "an integer in -256..255"},
        [AIC_QUANT_TYPE] = {"type", "int8 or uint8"},
    };
    aic_quant_fault_text fault = {"a word is quant(SCALE) or quant(SCALE, OFFSET, int8|uint8)"};
    if (faults[result].part) {
        char word[24] = "";
        const size_t length = word_length(&at);
        for (size_t i = 0; i < length && i + 1 < sizeof word; i++) {
            word[i] = at[i] > ' ' && at[i] <= '~' ? at[i] : '?';
        }
        snprintf(fault.text, sizeof fault.text, "the %s \"%s\" is not %s", faults[result].part, word,
                 faults[result].legal);
    }
    return fault;
}
