/* Compares an operator with a golden result of raw elements, and explains the first element that differs.
 *
 *     golden SPEC GOLDEN.bin INPUT.bin...
 *
 * The files hold little-endian elements without a header: the inputs in calling order, those that the operator does not
 * take left out. Exit status 0: equal; 1: different; 2: the request is wrong.
 *
 *     cc golden.c $(pkg-config --cflags --libs aicjit)
 */
#include <aic/aic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EQUAL, DIFFERENT, WRONG };

static int fail(const char *what, const char *why)
{
    (void)fprintf(stderr, "golden: %s: %s\n", what, why);
    return WRONG;
}

/* Reads exactly `bytes` bytes. */
static int read_file(const char *path, void *data, size_t bytes)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return fail(path, "cannot be opened");
    }
    const bool whole = fread(data, 1, bytes, file) == bytes && getc(file) == EOF;
    (void)fclose(file);
    return whole ? EQUAL : fail(path, "does not hold the elements of the operand");
}

/* Prints how the element comes about; false for one that the operator does not write: that is a step of its trace. */
static bool explain(const aic_spec *spec, void *const operands[], size_t count, int64_t element)
{
    size_t length = 0;
    bool written = true;
    const aic_status status = aic_trace(spec, NULL, operands, count, element, NULL, NULL, 0, &length);
    char *text = status == AIC_OK ? malloc(length + 1) : NULL;
    if (text != NULL && aic_trace(spec, NULL, operands, count, element, NULL, text, length + 1, NULL) == AIC_OK) {
        written = strstr(text, "nothing writes it") == NULL;
        printf("%s", written ? text : "");
    }
    free(text);
    return written;
}

/* Bit for bit: the first element that differs is explained. What the operator does not write may hold anything. */
static int compare(const aic_spec *spec, const aic_operand *output, void *const operands[], size_t count,
                   const unsigned char *golden)
{
    const size_t size = aic_dtype_size(output->dtype);
    const unsigned char *got = operands[0];
    for (int64_t i = 0; i < output->elements; i++) {
        if (memcmp(got + (size_t)i * size, golden + (size_t)i * size, size) != 0 && explain(spec, operands, count, i)) {
            printf("element %lld of %s differs\n", (long long)i, output->name);
            return DIFFERENT;
        }
    }
    printf("no element of %s differs\n", output->name);
    return EQUAL;
}

int main(int argc, char **argv)
{
    aic_spec *spec = NULL;
    aic_operand table[AIC_OPERANDS_MAX];
    void *operands[AIC_OPERANDS_MAX] = {NULL}, *golden = NULL;
    size_t count = 0;
    int next = 3, status = argc < 3 ? fail("usage", "golden SPEC GOLDEN.bin INPUT.bin...") : EQUAL;
    if (status == EQUAL &&
        (aic_spec_parse(argv[1], &spec) != AIC_OK || aic_spec_operands(spec, NULL, table, &count) != AIC_OK)) {
        status = fail("SPEC", aic_last_error());
    }
    for (size_t i = 0; status == EQUAL && i < count; i++) {
        if (table[i].direction == AIC_DIRECTION_UNUSED) {
            continue; /* NULL is passed */
        }
        operands[i] = calloc(1, (size_t)table[i].bytes + 1);
        if (operands[i] == NULL) {
            status = fail(table[i].name, "memory ran out");
        } else if (i > 0) {
            status = next < argc ? read_file(argv[next++], operands[i], (size_t)table[i].bytes)
                                 : fail(table[i].name, "its file is missing");
        }
    }
    if (status == EQUAL) {
        golden = calloc(1, (size_t)table[0].bytes + 1);
        status = golden == NULL ? fail(argv[2], "memory ran out") : read_file(argv[2], golden, (size_t)table[0].bytes);
    }
    if (status == EQUAL && aic_jit_spec(NULL, spec, operands, count) != AIC_OK) {
        status = fail("SPEC", aic_last_error());
    }
    status = status == EQUAL ? compare(spec, &table[0], operands, count, golden) : status;
    for (size_t i = 0; i < count; i++) {
        free(operands[i]);
    }
    free(golden);
    aic_spec_destroy(spec);
    return status;
}
