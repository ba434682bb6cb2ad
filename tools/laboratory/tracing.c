/* How an element of a result comes about. */
#include "tools/laboratory/tracing.h"

#include "tools/harness/element.h"
#include "tools/harness/fail.h"

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
