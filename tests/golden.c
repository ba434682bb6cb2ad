/* Reads the golden data files. */
#include "tests/golden.h"

#include "frontend/numeric/element.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef AIC_TEST_DATA
#define AIC_TEST_DATA "tests"
#endif

#define LINE_MAX_BYTES 4096

static uint64_t f16_bits(const char *token)
{
    return aic_half_from_double(strtod(token, NULL));
}

static uint64_t f32_bits(const char *token)
{
    float value = (float)strtod(token, NULL);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t hex_bits(const char *token)
{
    return strtoull(token, NULL, 16);
}

static uint64_t integer_bits(const char *token)
{
    return token[0] == '-' ? (uint64_t)strtoll(token, NULL, 10) : strtoull(token, NULL, 10);
}

static const struct {
    const char *dtype;
    uint64_t (*bits)(const char *token);
} dtypes[] = {
    {"f16", f16_bits},    {"f32", f32_bits},     {"hex16", hex_bits},   {"hex32", hex_bits},
    {"i8", integer_bits}, {"i32", integer_bits}, {"u64", integer_bits},
};

/* Whether `line` opens block `name`; gives its data type and number of values. */
static bool opens_block(char *line, const char *name, char dtype[16], size_t *count)
{
    char block[64];
    int at = 0;
    if (sscanf(line, "@ %63s %15s %n", block, dtype, &at) != 2 || strcmp(block, name) != 0) {
        return false;
    }
    *count = 1;
    char *dims = line + at;
    const unsigned long rank = strtoul(dims, &dims, 10);
    for (unsigned long d = 0; d < rank; d++) {
        *count *= strtoull(dims, &dims, 10);
    }
    return true;
}

static uint64_t *read_values(FILE *stream, const char *dtype, size_t count)
{
    uint64_t (*bits)(const char *) = NULL;
    for (size_t t = 0; t < sizeof dtypes / sizeof dtypes[0]; t++) {
        bits = strcmp(dtypes[t].dtype, dtype) == 0 ? dtypes[t].bits : bits;
    }
    uint64_t *values = bits ? malloc(count * sizeof *values) : NULL;
    char token[64];
    for (size_t i = 0; values && i < count; i++) {
        if (fscanf(stream, "%63s", token) != 1 || token[0] == '@' || token[0] == '#') {
            free(values);
            return NULL;
        }
        values[i] = bits(token);
    }
    return values;
}

uint64_t *golden_read(const char *file, const char *name, size_t *count)
{
    char path[LINE_MAX_BYTES];
    char line[LINE_MAX_BYTES];
    char dtype[16];
    snprintf(path, sizeof path, "%s/golden/%s", AIC_TEST_DATA, file);
    FILE *stream = fopen(path, "r");
    uint64_t *values = NULL;
    bool found = false;
    while (stream && !found && fgets(line, sizeof line, stream)) {
        found = opens_block(line, name, dtype, count);
    }
    if (found) {
        values = read_values(stream, dtype, *count);
    }
    if (!values) {
        fprintf(stderr, "%s: block %s is missing or damaged\n", path, name);
    }
    if (stream) {
        fclose(stream);
    }
    return values;
}
