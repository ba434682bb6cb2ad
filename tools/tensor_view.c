/* What a result looks like, for people. */
#include "tools/tensor_view.h"

#include "tools/harness/element.h"
#include "tools/harness/operand_text.h"

#include <inttypes.h>
#include <stdio.h>

enum { LINES_MAX = 4, COLUMNS_MAX = 8 };

static bool skipped(const unsigned char *skip, int64_t i)
{
    return skip != NULL && skip[i] != 0;
}

static void print_statistics(const aic_operand *operand, const unsigned char *data, const unsigned char *skip)
{
    const size_t size = aic_dtype_size(operand->dtype);
    double low = 0, high = 0, sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < operand->elements; i++) {
        if (!skipped(skip, i)) {
            const double value = element_to_double(operand->dtype, data + (size_t)i * size);
            low = count == 0 || value < low ? value : low;
            high = count == 0 || value > high ? value : high;
            sum += value;
            count++;
        }
    }
    if (count == 0) {
        printf(operand->elements == 0 ? " empty\n" : ", no element is written\n");
        return;
    }
    printf(" min %.9g max %.9g mean %.9g\n", low, high, sum / (double)count);
    if (count < operand->elements) {
        printf("  %" PRId64 " of %" PRId64 " elements are written; the others, here '-', are left out\n", count,
               operand->elements);
    }
}

static void print_element(const aic_operand *operand, const void *at)
{
    uint64_t bits = 0;
    if (element_is_float(operand->dtype)) {
        printf(" %.6g", element_to_double(operand->dtype, at));
    } else if (element_is_signed(operand->dtype)) {
        printf(" %.0f", element_to_double(operand->dtype, at));
    } else {
        for (size_t i = aic_dtype_size(operand->dtype); i-- > 0;) { /* little-endian */
            bits = bits << 8 | ((const unsigned char *)at)[i];
        }
        printf(" %" PRIu64, bits);
    }
}

/* The beginnings of the first rows: of a tensor of one axis its first elements, line by line. */
static void print_head(const aic_operand *operand, const unsigned char *data, const unsigned char *skip)
{
    const size_t size = aic_dtype_size(operand->dtype);
    const int64_t row = operand->rank > 1 ? operand->shape[operand->rank - 1] : COLUMNS_MAX;
    for (int64_t line = 0; line < LINES_MAX && line * row < operand->elements; line++) {
        char where[OPERAND_TEXT_MAX];
        index_text(operand->rank, operand->shape, line * row, where);
        printf("  %s", where);
        for (int64_t i = line * row; i < (line + 1) * row && i < operand->elements; i++) {
            if (i == line * row + COLUMNS_MAX) {
                printf(" ...");
                break;
            }
            if (skipped(skip, i)) {
                printf(" -");
            } else {
                print_element(operand, data + (size_t)i * size);
            }
        }
        printf("\n");
    }
    if (LINES_MAX * row < operand->elements) {
        printf("  ...\n");
    }
}

void tensor_view(const aic_operand *operand, const void *data, const unsigned char *skip)
{
    char text[OPERAND_TEXT_MAX];
    operand_text(operand, text);
    printf("%s: %s", operand->name, text);
    print_statistics(operand, data, skip);
    print_head(operand, data, skip);
}
