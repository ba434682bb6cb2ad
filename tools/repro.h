/* aicjit dump --repro: a folder with IR that runs by itself. */
#pragma once

#include "tools/operands.h"
#include "tools/session.h"

/* What a folder is made of. */
typedef struct repro_request {
    const char *folder;
    const cli_session *session; /* open, of the level that the kernel is for */
    const aic_spec *spec;
    const char *schedule;   /* NULL: as the session has it */
    aic_dump_stage stage;   /* AIC_DUMP_IR or AIC_DUMP_OPT */
    cli_operands *operands; /* what the options give; inputs that are not given are pseudo-random */
} repro_request;

/* Writes FOLDER/repro.ll, IR with a main, operands and the expected result, and FOLDER/run.sh, which runs it by lli.
 * The folder is made where it is not there. What is expected comes from the reference where the result is defined bit
 * for bit, else from the kernel. Returns an exit status. */
int repro_write(const repro_request *request);
