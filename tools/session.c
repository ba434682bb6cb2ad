/* Contexts and specifications from command line options. */
#include "tools/session.h"

#include "tools/harness/fail.h"

#include <stdlib.h>
#include <string.h>

void cli_session_semantics(cli_session *session)
{
    bool host = session->limits != NULL && strcmp(session->limits, "host") == 0;
    session->semantics = (aic_semantics){.limits = host ? AIC_LIMITS_HOST : AIC_LIMITS_DOCUMENT};
}

int cli_session_open(cli_session *session)
{
    cli_session_semantics(session);
    aic_context_options options = aic_context_options_init();
    options.isa = session->isa;
    options.passes = session->passes;
    options.semantics = session->semantics;
    aic_status status = aic_context_create(&options, &session->context);
    return status == AIC_OK ? CLI_DONE : cli_fail_library(NULL, status);
}

void cli_session_close(cli_session *session)
{
    aic_context_destroy(session->context);
    session->context = NULL;
}

int cli_parse_spec(const cli_session *session, const char *text, aic_spec *spec)
{
    aic_status status = aic_spec_parse(text, spec);
    if (status == AIC_OK) {
        status = aic_spec_validate(spec, &session->semantics);
    }
    return status == AIC_OK ? CLI_DONE : cli_fail_library(NULL, status);
}

char *cli_spec_text(const aic_spec *spec)
{
    size_t length = 0;
    if (aic_spec_print(spec, NULL, 0, &length) != AIC_OK) {
        return NULL;
    }
    char *text = malloc(length + 1);
    if (text != NULL && aic_spec_print(spec, text, length + 1, NULL) != AIC_OK) {
        free(text);
        text = NULL;
    }
    return text;
}
