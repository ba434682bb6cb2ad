/* aicjit explain: which schedule and why, which were refused and why, predicted cost and its bound. */
#include "tools/command.h"
#include "tools/harness/fail.h"
#include "tools/session.h"

#include <stdio.h>
#include <stdlib.h>

static int explain_spec(cli_session *session, const char *isa, const char *text)
{
    aic_spec spec;
    int status = cli_session_open(session);
    status = status == CLI_DONE ? cli_parse_spec(session, text, &spec) : status;
    char *canonical = status == CLI_DONE ? cli_spec_text(&spec) : NULL;
    if (canonical != NULL) {
        char *report = NULL;
        size_t size = 0;
        aic_status failed = aic_dump(session->context, &spec, NULL, AIC_DUMP_EXPLAIN, isa, NULL, &report, &size);
        if (failed == AIC_OK) {
            printf("%s\n%s%s", canonical, report, size > 0 && report[size - 1] == '\n' ? "" : "\n");
        } else {
            status = cli_fail_library(NULL, failed);
        }
        aic_free(report);
    } else if (status == CLI_DONE) {
        status = cli_fail(CLI_SYSTEM, "explain: memory ran out");
    }
    free(canonical);
    cli_session_close(session);
    return status;
}

int cmd_explain(int argc, char **argv)
{
    cli_session session = {0};
    const char *isa = NULL;
    args_list positional = {0};
    const args_option options[] = {
        {.name = "--isa",
         .value = "LEVEL",
         .help = "instruction set level, also one that this host lacks",
         .kind = ARGS_TEXT,
         .target = &isa},
        CLI_OPTION_ARCH(session),
    };
    args_option semantics[CLI_CHOICES];
    cli_semantics_options(&session, semantics);
    const args_command command = {
        .name = "explain",
        .arguments = "SPEC [OPTION]...",
        .summary = "Tells which schedule is used and why, and what it is predicted to cost.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .shared = semantics,
        .shared_count = CLI_CHOICES,
    };
    int status = args_parse(&command, argc, argv, 1, &positional);
    if (status == CLI_DONE && positional.count == 0) {
        status = cli_fail(CLI_WRONG, "explain: the operator text SPEC is missing");
    }
    if (status == CLI_DONE) {
        status = explain_spec(&session, isa, positional.items[0]);
    }
    args_list_free(&positional);
    return status == ARGS_HELP_SHOWN ? CLI_DONE : status;
}
