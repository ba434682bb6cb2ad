/* Results of a command: files that are written, or compared with what is expected. */
#include "tools/results.h"

#include "tools/harness/element.h"
#include "tools/harness/fail.h"
#include "tools/harness/operand_file.h"
#include "tools/harness/operand_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Each output needs a file of its own; devices and pipes may take several. */
static int check_apart(const cli_operands *set, const cli_operand *o)
{
    for (const cli_operand *other = set->items; o->file.temporary != NULL && other < o; other++) {
        if (other->file.path != NULL && outfile_same(&other->file, &o->file)) {
            return cli_fail(CLI_WRONG, "%s: --out: %s and %s go to the same file \"%s\"", set->command,
                            other->operand.name, o->operand.name, o->out);
        }
    }
    return CLI_DONE;
}

int results_open(cli_operands *set)
{
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < set->count; i++) {
        cli_operand *o = &set->items[i];
        if (o->out != NULL) {
            status = outfile_open(&o->file, o->operand.name, o->out);
            status = status == CLI_DONE ? check_apart(set, o) : status;
        }
    }
    return status;
}

int results_compare(const cli_operand *o, const compare_limits *limits, bool *differs)
{
    guard_buffer expected;
    compare_report report;
    int status = cli_memory(&expected, o->operand.name, (uint64_t)o->operand.bytes);
    status = status == CLI_DONE ? operand_read(&o->operand, o->expect, expected.data) : status;
    if (status == CLI_DONE) {
        compare_tensors(&o->operand, o->buffer.data, expected.data, o->skip.data, limits, &report, NULL);
        printf("%s: %" PRId64 " of %" PRId64 " elements compared with \"%s\", %" PRId64 " differ\n", o->operand.name,
               report.compared, o->operand.elements, o->expect, report.different);
        compare_print(&o->operand, &o->coordinates, o->buffer.data, expected.data, &report);
        *differs = *differs || report.different > 0;
    }
    guard_close(&expected);
    return status;
}

int results_store(cli_operands *set)
{
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < set->count; i++) {
        cli_operand *o = &set->items[i];
        if (o->out != NULL) {
            status = operand_write(&o->operand, o->out, o->buffer.data, &o->file);
        }
    }
    interrupt_hold(); /* all files or none */
    for (size_t i = 0; status == CLI_DONE && i < set->count; i++) {
        cli_operand *o = &set->items[i];
        if (o->out != NULL) {
            status = outfile_commit(&o->file, o->operand.name);
        }
    }
    interrupt_release();
    return status;
}

/* ---- a tensor ---- */

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

/* A line of elements from these indices on; the last index counts up. */
static void print_line(const aic_operand *operand, const aic_coordinates *c, int64_t *at, int64_t columns,
                       const unsigned char *data, const unsigned char *skip)
{
    const size_t size = aic_dtype_size(operand->dtype);
    char where[OPERAND_TEXT_MAX];
    shape_text(c->rank, at, where);
    printf("  %s", where);
    for (int64_t column = 0; column < columns; column++) {
        const int64_t i = aic_coordinates_element(c, at);
        if (i < 0 || i >= operand->elements) {
            break; /* the last block has fewer columns */
        }
        if (column == COLUMNS_MAX) {
            printf(" ...");
            break;
        }
        if (skipped(skip, i)) {
            printf(" -");
        } else {
            print_element(operand, data + (size_t)i * size);
        }
        at[c->rank - 1]++;
    }
    printf("\n");
}

/* Steps to the next row; false behind the last one. */
static bool next_row(const aic_coordinates *c, int64_t *at)
{
    at[c->rank - 1] = 0;
    for (int32_t d = c->rank - 1; d-- > 0;) {
        if (++at[d] < c->axis[d].size) {
            return true;
        }
        at[d] = 0;
    }
    return false;
}

/* The beginnings of the first rows: of a tensor of one axis its first elements, line by line. */
static void print_head(const aic_operand *operand, const aic_coordinates *c, const unsigned char *data,
                       const unsigned char *skip)
{
    int64_t at[AIC_AXES_MAX] = {0};
    if (operand->elements == 0 || c->rank == 0) {
        return;
    }
    const bool vector = c->rank == 1;
    bool more = true;
    for (int line = 0; line < LINES_MAX && more; line++) {
        if (vector) {
            const int64_t left = c->axis[0].size - at[0];
            print_line(operand, c, at, left < COLUMNS_MAX ? left : COLUMNS_MAX, data, skip);
            more = at[0] < c->axis[0].size;
        } else {
            print_line(operand, c, at, c->axis[c->rank - 1].size, data, skip);
            more = next_row(c, at);
        }
    }
    if (more) {
        printf("  ...\n");
    }
}

/* What the indices are, where the file's shape does not say it. */
static void print_coordinates(const aic_operand *operand, const aic_coordinates *c)
{
    char names[OPERAND_TEXT_MAX], sizes[OPERAND_TEXT_MAX], shape[OPERAND_TEXT_MAX];
    coordinates_names(c, names);
    coordinates_sizes(c, sizes);
    shape_text(operand->rank, operand->shape, shape);
    if (names[0] != '\0' && strcmp(sizes, shape) != 0) {
        printf("  %s of %s\n", names, sizes);
    }
}

void tensor_view(const aic_operand *operand, const aic_coordinates *coordinates, const void *data,
                 const unsigned char *skip)
{
    char text[OPERAND_TEXT_MAX];
    operand_text(operand, text);
    printf("%s: %s", operand->name, text);
    print_statistics(operand, data, skip);
    print_coordinates(operand, coordinates);
    print_head(operand, coordinates, data, skip);
}
