/* What happened to the data on the way to a result: run --diagnose. */
#pragma once

#include "tools/operands.h"
#include "tools/session.h"

#include <stdio.h>

/* An event of a result. */
typedef struct diagnosis_event {
    int64_t count, first; /* elements; -1: none */
    int64_t *channel;     /* elements of each channel */
} diagnosis_event;

typedef struct diagnosis {
    const aic_spec *spec;
    const cli_operand *output; /* whose memory holds the result, as soon as there is one */
    aic_finding *findings;
    int64_t channels; /* of the result; 0: it has none */
    diagnosis_event event[AIC_EVENT_END];
    char choices[CLI_SEMANTICS_TEXT_MAX]; /* that differ from the default; "" */
    char *advice;                         /* what the specification hardly means; NULL: nothing */
} diagnosis;

/* Before the operator runs, whose old output may count. Opened as all zeros, to be closed whatever the exit status is,
 * which each function returns. `command` opens messages. */
int diagnosis_open(diagnosis *d, const char *command, const aic_spec *spec, const aic_semantics *semantics,
                   const cli_operands *operands);
void diagnosis_close(diagnosis *d);

void diagnosis_print(const diagnosis *d);
int diagnosis_print_json(const diagnosis *d);

/* A page: the same, and a picture of each channel of the result. Messages begin with `command`. */
int diagnosis_write(const diagnosis *d, outfile *file, const char *command);
