/* aicjit fmt: operator text and programs of PTO-AS in their canonical form. */
#include "tools/command.h"
#include "tools/harness/fail.h"
#include "tools/pto.h"
#include "tools/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int print_program(const aic_pto_program *program, FILE *out)
{
    size_t length = 0;
    aic_status status = aic_pto_print(program, NULL, 0, &length);
    char *text = status == AIC_OK ? malloc(length + 1) : NULL;
    if (status == AIC_OK && text == NULL) {
        return cli_fail_memory("the program's text", length + 1);
    }
    if (status == AIC_OK) {
        status = aic_pto_print(program, text, length + 1, NULL);
    }
    if (status == AIC_OK) {
        (void)fputs(text, out);
    }
    free(text);
    return cli_status(NULL, status);
}

/* A statement by itself keeps its names. */
static int format_statement(const cli_pto *pto, const cli_session *session, const char *text, FILE *out)
{
    aic_pto_program *program = NULL;
    int status = cli_pto_parse(pto, session, NULL, text, strlen(text), true, &program);
    if (status == CLI_DONE) {
        status = print_program(program, out);
        aic_pto_destroy(program);
    }
    return status;
}

static int format_spec(const cli_session *session, const char *text, FILE *out)
{
    aic_spec *spec = NULL;
    const int status = cli_read_spec(session, text, &spec);
    if (status != CLI_DONE) {
        return status;
    }
    char *canonical = cli_spec_text(spec);
    aic_spec_destroy(spec);
    if (canonical == NULL) {
        return cli_fail(CLI_SYSTEM, "fmt: memory ran out");
    }
    (void)fprintf(out, "%s\n", canonical);
    free(canonical);
    return CLI_DONE;
}

static int format_file(const cli_pto *pto, const cli_session *session, FILE *out)
{
    aic_pto_program *program = NULL;
    int status = cli_pto_read(pto, session, &program);
    if (status == CLI_DONE) {
        status = print_program(program, out);
        aic_pto_destroy(program);
    }
    return status;
}

/* All of it, or nothing: what is refused comes before what is printed. */
static int format_all(const cli_pto *pto, const cli_session *session, const args_list *texts)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    int status = out != NULL ? CLI_DONE : cli_fail(CLI_SYSTEM, "fmt: memory ran out");
    for (size_t i = 0; status == CLI_DONE && i < texts->count; i++) {
        status = aic_pto_recognise(texts->items[i]) ? format_statement(pto, session, texts->items[i], out)
                                                    : format_spec(session, texts->items[i], out);
    }
    if (status == CLI_DONE && pto->path != NULL) {
        status = format_file(pto, session, out);
    }
    if (out != NULL && fclose(out) != 0 && status == CLI_DONE) {
        status = cli_fail(CLI_SYSTEM, "fmt: memory ran out");
    }
    if (status == CLI_DONE) {
        cli_put(text, size);
    }
    free(text);
    return status;
}

int cmd_fmt(int argc, char **argv)
{
    enum { TEXTS_MAX = 1000 };
    cli_pto pto = {0};
    cli_session session = {0};
    args_list texts = {0};
    const args_option options[] = {CLI_OPTIONS_PTO(pto), CLI_OPTION_DT(session), CLI_OPTION_ARCH(session)};
    const args_command command = {.name = "fmt",
                                  .arguments = "[SPEC]... [--pto FILE]",
                                  .summary = "Prints operator text and programs in their canonical form.",
                                  ARGS_OPTIONS(options)};
    int status = cli_parse(&session, &command, argc, argv, TEXTS_MAX, &texts);
    cli_session_semantics(&session);
    if (status == CLI_DONE && texts.count == 0 && pto.path == NULL) {
        status = cli_fail(CLI_WRONG, "fmt: neither an operator text SPEC nor --pto FILE is given");
    }
    return status == CLI_DONE ? format_all(&pto, &session, &texts) : status;
}
