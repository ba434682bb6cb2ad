/* Programs of PTO-AS on the command line. */
#include "tools/pto.h"

#include "tools/harness/fail.h"
#include "tools/textfile.h"

#include <stdlib.h>
#include <string.h>

static bool is(const char *given, const char *word)
{
    return given != NULL && strcmp(given, word) == 0;
}

int cli_pto_parse(const cli_pto *pto, const cli_session *session, const char *where, const char *text, size_t length,
                  bool free_names, aic_pto_program **program)
{
    aic_pto_options options = aic_pto_options_init();
    options.arch = cli_arch(session);
    options.placement = is(pto->placement, "auto")     ? AIC_PTO_PLACEMENT_AUTO
                        : is(pto->placement, "manual") ? AIC_PTO_PLACEMENT_MANUAL
                                                       : AIC_PTO_PLACEMENT_TEXT;
    options.semantics = session->semantics;
    options.free_names = free_names;
    const aic_status status = aic_pto_parse(text, length, &options, program);
    return status == AIC_OK ? CLI_DONE : cli_fail_library(where, status);
}

int cli_pto_read(const cli_pto *pto, const cli_session *session, aic_pto_program **program)
{
    char *text = NULL;
    size_t length = 0;
    int status = textfile_read("--pto", pto->path, AIC_PTO_BYTES_MAX, &text, &length);
    if (status == CLI_DONE) {
        status = cli_pto_parse(pto, session, pto->path, text, length, false, program);
    }
    free(text);
    return status;
}
