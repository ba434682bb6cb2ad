/* Programs of PTO-AS on the command line. */
#include "tools/pto.h"

#include "tools/harness/compare.h"
#include "tools/harness/fail.h"
#include "tools/harness/testdata.h"
#include "tools/harness/verify.h"
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

/* ---- calls ---- */

/* Valid sizes have limits, which the statements know. */
static int fill_sizes(const cli_operands *arguments, const aic_pto_program *program, const aic_semantics *semantics,
                      uint64_t seed)
{
    for (size_t s = 0; s < aic_pto_statement_count(program); s++) {
        aic_pto_statement statement = aic_pto_statement_init();
        aic_operand operands[AIC_OPERANDS_MAX];
        size_t count = 0;
        aic_status failed = aic_pto_get_statement(program, s, &statement);
        failed = failed == AIC_OK ? aic_spec_operands(statement.spec, semantics, operands, &count) : failed;
        if (failed != AIC_OK) {
            return cli_status(NULL, failed);
        }
        for (size_t i = 2; i < count; i++) { /* behind the tile and the scalar */
            if (operands[i].direction == AIC_DIRECTION_IN) {
                testdata_fill_for(statement.spec, &operands[i], seed, arguments->pointers[statement.argument[i]]);
            }
        }
    }
    return CLI_DONE;
}

int pto_call_open(cli_operands *arguments, const aic_pto_program *program, const aic_semantics *semantics,
                  uint64_t seed)
{
    int status = operands_list(arguments, NULL, semantics, program);
    status = status == CLI_DONE ? operands_load(arguments) : status;
    for (size_t i = 0; status == CLI_DONE && i < arguments->count; i++) {
        testdata_fill(&arguments->items[i].operand, seed, arguments->pointers[i]);
    }
    return status == CLI_DONE ? fill_sizes(arguments, program, semantics, seed) : status;
}

/* The first element of an argument that differs. */
static verify_verdict compare(const cli_operands *arguments, const cli_operands *expected, verify_report *report)
{
    for (size_t i = 0; i < arguments->count; i++) {
        const aic_operand *argument = &arguments->items[i].operand;
        const compare_limits exact = {0, 0, 0};
        compare_report found;
        compare_tensors(argument, arguments->pointers[i], expected->pointers[i], NULL, &exact, &found, NULL);
        if (found.different > 0) {
            const compare_element e = compare_element_at(argument, &arguments->items[i].coordinates,
                                                         arguments->pointers[i], expected->pointers[i], found.first[0]);
            return verify_say(report, VERIFY_FAILED, "program: %.100s%s is %s, the reference has %s", argument->name,
                              e.where, e.a, e.b);
        }
    }
    return VERIFY_PASSED;
}

static verify_verdict call_both(const aic_pto_program *program, const cli_session *session,
                                const cli_operands *arguments, const cli_operands *expected, verify_report *report)
{
    aic_status status = aic_pto_reference(program, expected->pointers, expected->count);
    if (status != AIC_OK) {
        return verify_say_status(report, status, "reference");
    }
    status = aic_pto_run(session->context, program, arguments->pointers, arguments->count);
    verify_keep_warning(report);
    return status == AIC_OK ? compare(arguments, expected, report) : verify_say_status(report, status, "program");
}

verify_verdict pto_call_verify(const aic_pto_program *program, const cli_session *session, uint64_t seed,
                               verify_report *report)
{
    cli_operands arguments = {.count = 0}, expected = {.count = 0};
    *report = (verify_report){.verdict = VERIFY_PASSED};
    verify_verdict verdict = VERIFY_PASSED;
    if (pto_call_open(&arguments, program, &session->semantics, seed) != CLI_DONE ||
        pto_call_open(&expected, program, &session->semantics, seed) != CLI_DONE) {
        verdict = verify_say(report, VERIFY_UNDECIDED, "arguments: %.600s", cli_fail_message());
        cli_fail_clear();
    } else {
        verdict = call_both(program, session, &arguments, &expected, report);
    }
    operands_close(&arguments);
    operands_close(&expected);
    return verdict;
}
