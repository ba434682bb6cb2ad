/* Constant and pseudo-random operand contents. */
#include "tools/harness/fill.h"

#include "tools/harness/element.h"
#include "tools/harness/fail.h"
#include "tools/harness/rng.h"
#include "tools/harness/testdata.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The part of `text` behind `prefix`, or NULL. */
static const char *after(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

/* Limits of an integer type. */
static void integer_range(aic_dtype dtype, int64_t *low, uint64_t *high)
{
    const uint64_t all = UINT64_MAX >> (64 - 8 * aic_dtype_size(dtype));
    *high = element_is_signed(dtype) ? all / 2 : all;
    *low = element_is_signed(dtype) ? -(int64_t)(all / 2) - 1 : 0;
}

/* Reads V as an element of the operand's type, as the library reads the scalar of texpands. */
static int constant_element(const aic_operand *operand, const char *text, unsigned char element[8])
{
    const aic_status status = aic_scalar_parse(operand->dtype, text, element);
    if (status == AIC_OK) {
        return CLI_DONE;
    }
    if (status != AIC_INVALID_ARGUMENT) {
        return cli_status("--fill", status);
    }
    if (element_is_float(operand->dtype)) {
        return cli_fail(CLI_WRONG, "--fill: %s: \"%s\" is not a value of %s", operand->name, text,
                        aic_dtype_name(operand->dtype));
    }
    int64_t low;
    uint64_t high;
    integer_range(operand->dtype, &low, &high);
    return cli_fail(CLI_WRONG, "--fill: %s: \"%s\" is not an integer in %" PRId64 "..%" PRIu64, operand->name, text,
                    low, high);
}

static int fill_constant(const aic_operand *operand, const char *text, unsigned char *data)
{
    unsigned char element[8];
    int status = constant_element(operand, text, element);
    if (status == CLI_DONE) {
        size_t size = aic_dtype_size(operand->dtype);
        for (int64_t i = 0; i < operand->elements; i++) {
            memcpy(data + (size_t)i * size, element, size);
        }
    }
    return status;
}

/* Integers: their lowest bytes. Weights may be billions of bytes, which take a quarter of the time by themselves. */
static void fill_bytes(uint64_t state, int64_t elements, unsigned char *data)
{
    for (int64_t i = 0; i < elements; i++) {
        data[i] = (unsigned char)rng_next(&state);
    }
}

static int fill_random(const aic_operand *operand, const char *text, unsigned char *data)
{
    char *end;
    errno = 0;
    uint64_t state = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0) {
        return cli_fail(CLI_WRONG, "--fill: %s: seed \"%s\" is not an integer in 0..%" PRIu64, operand->name, text,
                        UINT64_MAX);
    }
    size_t size = aic_dtype_size(operand->dtype);
    const bool words = strcmp(operand->name, "cbufWorkspace") == 0;
    if (size == 1 && !words) {
        fill_bytes(state, operand->elements, data);
        return CLI_DONE;
    }
    for (int64_t i = 0; i < operand->elements; i++) {
        uint64_t bits = rng_next(&state);
        bits = words ? testdata_word(bits) : bits;
        if (element_is_float(operand->dtype)) {
            (void)element_from_double(operand->dtype, element_uniform(bits), data + (size_t)i * size);
        } else {
            memcpy(data + (size_t)i * size, &bits, size);
        }
    }
    return CLI_DONE;
}

/* One "I=V" of `length` bytes. */
static int fill_element(const aic_operand *operand, const char *text, size_t length, unsigned char *data)
{
    enum { PAIR_MAX = 64 };
    char pair[PAIR_MAX], *end = pair;
    unsigned char element[8];
    (void)snprintf(pair, sizeof pair, "%.*s", (int)(length < PAIR_MAX ? length : PAIR_MAX - 1), text);
    errno = 0;
    const int64_t index = strtoll(pair, &end, 10);
    if (length >= PAIR_MAX || pair[0] < '0' || pair[0] > '9' || *end != '=' || errno != 0 ||
        index >= operand->elements) {
        return cli_fail(CLI_WRONG, "--fill: %s: \"%s\" is not INDEX=VALUE with an index in 0..%" PRId64, operand->name,
                        pair, operand->elements - 1);
    }
    const int status = constant_element(operand, end + 1, element);
    if (status == CLI_DONE) {
        const size_t size = aic_dtype_size(operand->dtype);
        memcpy(data + (size_t)index * size, element, size);
    }
    return status;
}

/* The length of what stands in front of the next ',' that is in no parentheses. */
static size_t length_of_pair(const char *text)
{
    size_t length = 0;
    for (int depth = 0; text[length] != '\0' && (text[length] != ',' || depth > 0); length++) {
        depth += (text[length] == '(') - (text[length] == ')');
    }
    return length;
}

static int fill_elements(const aic_operand *operand, const char *pairs, unsigned char *data)
{
    int status = CLI_DONE;
    memset(data, 0, (size_t)operand->bytes);
    while (status == CLI_DONE && pairs != NULL) {
        const size_t length = length_of_pair(pairs);
        status = fill_element(operand, pairs, length, data);
        pairs = pairs[length] == ',' ? pairs + length + 1 : NULL;
    }
    return status;
}

int fill_operand(const aic_operand *operand, const char *how, void *data)
{
    const char *constant = after(how, "const:"), *seed = after(how, "random:"), *pairs = after(how, "at:");
    if (strcmp(how, "zeros") == 0) {
        memset(data, 0, (size_t)operand->bytes);
        return CLI_DONE;
    }
    if (constant != NULL) {
        return fill_constant(operand, constant, data);
    }
    if (seed != NULL) {
        return fill_random(operand, seed, data);
    }
    if (pairs != NULL) {
        return fill_elements(operand, pairs, data);
    }
    return cli_fail(CLI_WRONG, "--fill: %s: \"%s\" is none of zeros, const:V, random:SEED, at:I=V,...", operand->name,
                    how);
}
