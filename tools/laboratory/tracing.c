/* How an element of a result comes about. */
#include "tools/laboratory/tracing.h"

#include "tools/harness/element.h"
#include "tools/harness/fail.h"
#include "tools/harness/operand_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A trace, and what a kernel gives. */
typedef struct tracing {
    const char *command;
    aic_context *context;
    const aic_spec *spec;
    const aic_semantics *semantics;
    const aic_operand *output;
    const cli_operands *operands;
    int64_t element;
    unsigned char *result; /* of the kernel */
    aic_allowed *allowed;
} tracing;

static int trace_text(const tracing *t, char **text)
{
    size_t length = 0;
    const cli_operands *o = t->operands;
    aic_status failed = aic_trace(t->spec, t->semantics, o->pointers, o->count, t->element, NULL, NULL, 0, &length);
    *text = failed == AIC_OK ? malloc(length + 1) : NULL;
    if (failed == AIC_OK && *text == NULL) {
        return cli_fail_memory("the trace", length + 1);
    }
    if (failed == AIC_OK) {
        failed = aic_trace(t->spec, t->semantics, o->pointers, o->count, t->element, NULL, *text, length + 1, NULL);
    }
    return cli_status(t->command, failed);
}

/* Runs the kernel on a copy of the output. */
static aic_status run(const tracing *t)
{
    aic_kernel *kernel = NULL;
    void *pointers[AIC_OPERANDS_MAX];
    const cli_operands *o = t->operands;
    memcpy(pointers, o->pointers, o->count * sizeof *pointers);
    memcpy(t->result, pointers[0], (size_t)t->output->bytes);
    pointers[0] = t->result;
    aic_status status = aic_kernel_create(t->context, t->spec, NULL, &kernel);
    status = status == AIC_OK ? aic_kernel_call(kernel, pointers, o->count) : status;
    aic_kernel_destroy(kernel);
    return status == AIC_OK ? aic_reference_allowed(t->spec, t->semantics, o->pointers, o->count, t->allowed) : status;
}

/* Puts the line in front of the last one. */
static int insert_line(const char *line, char **text)
{
    const size_t room = strlen(*text) + strlen(line) + 1;
    char *longer = malloc(room);
    if (longer == NULL) {
        return cli_fail_memory("the trace", room);
    }
    size_t at = strlen(*text) - 1;
    while (at > 0 && (*text)[at - 1] != '\n') {
        at--;
    }
    (void)snprintf(longer, room, "%.*s%s%s", (int)at, *text, line, *text + at);
    free(*text);
    *text = longer;
    return CLI_DONE;
}

static int add_kernel(const tracing *t, char **text)
{
    char value[ELEMENT_TEXT_MAX], line[300];
    const aic_status failed = run(t);
    if (failed == AIC_UNSUPPORTED) {
        (void)snprintf(line, sizeof line, "  %-24s %.200s\n", "there is no kernel", aic_last_error());
        return insert_line(line, text);
    }
    if (failed != AIC_OK) {
        return cli_status(t->command, failed);
    }
    const aic_allowed *allowed = &t->allowed[t->element];
    const unsigned char *at = t->result + (size_t)t->element * aic_dtype_size(t->output->dtype);
    const double given = element_to_double(t->output->dtype, at);
    element_text(t->output->dtype, at, value);
    (void)snprintf(line, sizeof line, "  %-24s %s, %.9g from the exact %.17g: %s  [right are %.9g to %.9g%s]\n",
                   "this kernel gave", value, fabs(given - allowed->exact), allowed->exact,
                   aic_is_allowed(allowed, given) ? "right" : "WRONG", allowed->low, allowed->high,
                   allowed->others > 0 ? ", and values of sums that overflow" : "");
    return insert_line(line, text);
}

int cli_trace(const char *command, aic_context *context, const aic_spec *spec, const aic_semantics *semantics,
              const cli_operands *operands, int64_t element, char **text)
{
    tracing t = {.command = command,
                 .context = context,
                 .spec = spec,
                 .semantics = semantics,
                 .output = &operands->items[0].operand,
                 .operands = operands,
                 .element = element};
    int status = trace_text(&t, text);
    if (status != CLI_DONE || context == NULL || aic_spec_exact(spec)) {
        return status;
    }
    t.result = malloc((size_t)t.output->bytes + 1);
    t.allowed = calloc((size_t)t.output->elements + 1, sizeof *t.allowed);
    status = t.result != NULL && t.allowed != NULL
                 ? add_kernel(&t, text)
                 : cli_fail_memory("the bounds", (uint64_t)t.output->elements * sizeof *t.allowed);
    free(t.result);
    free(t.allowed);
    return status;
}

/* ---- the element ---- */

/* What is read: opens and explains messages. */
typedef struct request {
    const char *command, *at;
    const cli_operand *operand;
} request;

static int fail_at(const request *r, const char *why)
{
    char names[OPERAND_TEXT_MAX];
    const char *name = r->operand->operand.name;
    coordinates_names(&r->operand->coordinates, names);
    return cli_fail(CLI_WRONG, "%s: --at: \"%.100s\": %s; an element is %s%s, or %s[I] with its number", r->command,
                    r->at, why, name, names[0] == '\0' ? "[I,...]" : names, name);
}

/* The indices of "[0,3,1]"; *count: how many. */
static int read_indices(const request *r, const char *text, int64_t *index, int32_t *count)
{
    for (*count = 0; *count == 0 || *text != ']'; ++*count) {
        char *end;
        if (*text != (*count == 0 ? '[' : ',') || text[1] < '0' || text[1] > '9') {
            return fail_at(r, "an index is missing or no number");
        }
        const long long value = strtoll(text + 1, &end, 10);
        if (*count == AIC_AXES_MAX) {
            return fail_at(r, "there are too many indices");
        }
        index[*count] = value;
        text = end;
    }
    return text[1] == '\0' ? CLI_DONE : fail_at(r, "it does not end with the last index and ']'");
}

static int fail_index(const request *r, const char *axis, int32_t number, int64_t most)
{
    const bool named = axis[0] != '\0';
    return cli_fail(CLI_WRONG, "%s: --at: \"%.100s\": index %d%s%s%s is outside 0..%" PRId64, r->command, r->at,
                    (int)number, named ? ", " : "", axis, named ? "," : "", most);
}

/* The element at these indices. */
static int locate(const request *r, const int64_t *index, int64_t *element)
{
    const aic_coordinates *c = &r->operand->coordinates;
    for (int32_t d = 0; d < c->rank; d++) {
        if (index[d] >= c->axis[d].size) {
            return fail_index(r, c->axis[d].name, d, c->axis[d].size - 1);
        }
    }
    *element = aic_coordinates_element(c, index); /* of the last block's columns there may be fewer */
    return *element >= 0 ? CLI_DONE : fail_index(r, c->axis[c->rank - 1].name, c->rank - 1, c->tail - 1);
}

int at_element(const char *command, const char *at, const cli_operand *operand, int64_t *element)
{
    const request r = {command, at, operand};
    const int32_t rank = operand->coordinates.rank;
    const size_t length = strlen(operand->operand.name);
    int64_t index[AIC_AXES_MAX];
    int32_t count = 0;
    if (strncmp(at, operand->operand.name, length) != 0 || at[length] != '[') {
        return fail_at(&r, "it is no element of the output");
    }
    const int status = read_indices(&r, at + length, index, &count);
    if (status != CLI_DONE) {
        return status;
    }
    if (count == rank) {
        return locate(&r, index, element);
    }
    if (count != 1) {
        return fail_at(&r, count < rank ? "it has too few indices" : "it has too many indices");
    }
    *element = index[0];
    return *element < operand->operand.elements ? CLI_DONE : fail_index(&r, "", 0, operand->operand.elements - 1);
}
