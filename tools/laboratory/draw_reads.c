/* What one element of a result is made from, found by trying: other values of an input change the element, or do not.
 * Ranges of an input are halved as long as they do. */
#include "tools/harness/fail.h"
#include "tools/harness/interrupt.h"
#include "tools/harness/testdata.h"
#include "tools/laboratory/draw.h"

#include <stdlib.h>
#include <string.h>

/* Contents that are tried: an input may have no effect beside some values of the others. Of each `from` and `to`, by
 * which ranges of it are replaced. */
enum { TRIALS = 12, BYTES_MAX = 1 << 20, RUNS_MAX = 20000 };
static const int64_t WORK_MAX = INT64_C(1) << 33; /* of all runs, in multiplications and bytes */

typedef struct search {
    drawing *d;
    const aic_semantics *semantics;
    unsigned char *from[TRIALS][AIC_OPERANDS_MAX], *to[TRIALS][AIC_OPERANDS_MAX];
    unsigned char *zeros, *result; /* a result that is not read, and room for one */
    uint64_t expected[TRIALS];     /* the element */
    int64_t runs;
    bool failed;
} search;

static const aic_operand *operand_at(const search *s, size_t i)
{
    return &s->d->operands->items[i].operand;
}

static bool is_input(const search *s, size_t i)
{
    return operand_at(s, i)->direction == AIC_DIRECTION_IN || operand_at(s, i)->direction == AIC_DIRECTION_INOUT;
}

/* The element that the reference makes of a trial's contents. */
static uint64_t run(search *s, int trial)
{
    void *pointers[AIC_OPERANDS_MAX] = {NULL};
    const aic_operand *result = operand_at(s, s->d->result);
    const size_t size = aic_dtype_size(result->dtype);
    uint64_t bits = 0;
    const unsigned char *old = s->from[trial][s->d->result];
    memcpy(s->result, old != NULL ? old : s->zeros, (size_t)result->bytes);
    for (size_t i = 0; i < s->d->operands->count; i++) {
        pointers[i] = i == s->d->result ? s->result : s->from[trial][i];
    }
    s->failed = s->failed || s->runs-- == 0 || interrupt_requested() ||
                aic_reference(s->d->spec, s->semantics, pointers, s->d->operands->count) != AIC_OK;
    (void)aic_take_warning();
    memcpy(&bits, s->result + (size_t)s->d->element * size, size); /* little-endian */
    return bits;
}

static void swap(unsigned char *a, unsigned char *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const unsigned char byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

/* Whether other values of `count` elements from `first` on change the result in some trial. */
static bool changes(search *s, size_t operand, int64_t first, int64_t count)
{
    const size_t size = aic_dtype_size(operand_at(s, operand)->dtype), at = (size_t)first * size;
    bool found = false;
    for (int trial = 0; trial < TRIALS && !found && !s->failed; trial++) {
        unsigned char *from = s->from[trial][operand] + at, *to = s->to[trial][operand] + at;
        swap(from, to, (size_t)count * size);
        found = run(s, trial) != s->expected[trial];
        swap(from, to, (size_t)count * size);
    }
    return found;
}

static void mark(search *s, size_t operand, int64_t first, int64_t count) /* NOLINT(misc-no-recursion): halves */
{
    if (s->failed || count == 0 || !changes(s, operand, first, count)) {
        return;
    }
    if (count == 1) {
        s->d->reads[operand][first] = 1;
        return;
    }
    mark(s, operand, first, count / 2);
    mark(s, operand, first + count / 2, count - count / 2);
}

/* Contents of an input for every trial, and marks; false when memory ran out. */
static bool open_input(search *s, size_t i)
{
    const aic_operand *o = operand_at(s, i);
    bool done = true;
    for (int trial = 0; trial < TRIALS && done; trial++) {
        unsigned char **const both[] = {&s->from[trial][i], &s->to[trial][i]};
        for (size_t k = 0; k < 2 && done; k++) {
            *both[k] = malloc((size_t)o->bytes + 1);
            done = *both[k] != NULL;
            if (done) {
                testdata_fill_for(s->d->spec, o, 2 * (uint64_t)trial + k + i, *both[k]);
            }
        }
    }
    s->d->reads[i] = calloc((size_t)o->elements + 1, 1);
    return done && s->d->reads[i] != NULL;
}

static bool open_search(search *s)
{
    const aic_operand *result = operand_at(s, s->d->result);
    s->zeros = calloc((size_t)result->bytes + 1, 1);
    s->result = calloc((size_t)result->bytes + 1, 1);
    bool done = s->zeros != NULL && s->result != NULL;
    for (size_t i = 0; i < s->d->operands->count && done; i++) {
        done = !is_input(s, i) || open_input(s, i);
    }
    return done;
}

static void close_search(search *s)
{
    for (int trial = 0; trial < TRIALS; trial++) {
        for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
            free(s->from[trial][i]);
            free(s->to[trial][i]);
        }
    }
    free(s->zeros);
    free(s->result);
}

/* How many runs there may be; 0: the operator is too large. */
static int64_t allowed_runs(const search *s)
{
    int64_t macs = 0, bytes = 0, all = 0;
    for (size_t i = 0; i < s->d->operands->count; i++) {
        all += operand_at(s, i)->bytes;
    }
    if (all > BYTES_MAX || aic_spec_work(s->d->spec, s->semantics, &macs, &bytes) != AIC_OK) {
        return 0;
    }
    const int64_t runs = WORK_MAX / (macs + all + 1);
    return runs < RUNS_MAX ? runs : RUNS_MAX;
}

int draw_reads(drawing *d, const aic_semantics *semantics)
{
    search *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return cli_fail_memory("draw", sizeof *s);
    }
    *s = (search){.d = d, .semantics = semantics};
    s->runs = allowed_runs(s);
    bool opened = open_search(s);
    for (int trial = 0; trial < TRIALS && opened; trial++) {
        s->expected[trial] = run(s, trial);
    }
    for (size_t i = 0; i < d->operands->count && opened; i++) {
        if (is_input(s, i)) {
            mark(s, i, 0, operand_at(s, i)->elements);
        }
    }
    const int status = !opened     ? cli_fail(CLI_SYSTEM, "draw: memory ran out")
                       : s->failed ? cli_fail(CLI_WRONG, "draw: --at: the operator is too large to find out what one "
                                                         "element is made from; take a smaller one")
                                   : CLI_DONE;
    close_search(s);
    free(s);
    return status;
}
