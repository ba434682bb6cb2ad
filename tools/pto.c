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
    return cli_status(where, aic_pto_parse(text, length, &options, program));
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

static bool is_listed(const aic_pto_statement *list, size_t count, const aic_spec *spec)
{
    for (size_t i = 0; i < count; i++) {
        if (aic_spec_equal(list[i].spec, spec)) {
            return true;
        }
    }
    return false;
}

int cli_pto_statements(const char *command, const aic_pto_program *program, aic_pto_statement **list, size_t *count)
{
    const size_t statements = aic_pto_statement_count(program);
    *count = 0;
    if (statements == 0) {
        return cli_fail(CLI_WRONG, "%s: --pto: the program has no texpands statement", command);
    }
    *list = calloc(statements, sizeof **list);
    if (*list == NULL) {
        return cli_fail_memory("the program's statements", statements * sizeof **list);
    }
    for (size_t i = 0; i < statements; i++) {
        aic_pto_statement *next = &(*list)[*count];
        *next = aic_pto_statement_init();
        const aic_status failed = aic_pto_get_statement(program, i, next);
        if (failed != AIC_OK) {
            return cli_status(NULL, failed);
        }
        *count += !is_listed(*list, *count, next->spec);
    }
    return CLI_DONE;
}

int cli_pto_check(const char *command, const cli_pto *pto, size_t texts)
{
    const args_refusal refusals[] = {
        {texts == 0 && pto->path == NULL, "the operator text SPEC is missing"},
        {texts > 0 && pto->path != NULL, "--pto: an operator text is given, too"},
        {pto->placement != NULL && pto->path == NULL, "--placement: has no effect without --pto"},
    };
    return ARGS_REFUSE(command, refusals);
}
