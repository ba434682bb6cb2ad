/* Calls of programs of PTO-AS with contents of the tool's own. */
#include "tools/pto_call.h"

#include "tools/harness/compare.h"
#include "tools/harness/element.h"
#include "tools/harness/fail.h"
#include "tools/harness/operand_text.h"
#include "tools/harness/testdata.h"

#include <stdio.h>
#include <stdlib.h>

static int open_arguments(pto_call *call, uint64_t seed)
{
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < call->count; i++) {
        aic_operand *argument = &call->argument[i];
        *argument = aic_operand_init();
        status = cli_status(NULL, aic_pto_argument(call->program, i, argument));
        status = status == CLI_DONE ? cli_memory(&call->content[i], argument->name, (uint64_t)argument->bytes) : status;
        call->pointer[i] = call->content[i].data;
        if (status == CLI_DONE) {
            testdata_fill(argument, seed, call->pointer[i]);
        }
    }
    return status;
}

/* Valid sizes have limits, which the statements know. */
static int fill_sizes(const pto_call *call, const aic_semantics *semantics, uint64_t seed)
{
    for (size_t s = 0; s < aic_pto_statement_count(call->program); s++) {
        aic_pto_statement statement = aic_pto_statement_init();
        aic_operand operands[AIC_OPERANDS_MAX];
        size_t count = 0;
        aic_status failed = aic_pto_get_statement(call->program, s, &statement);
        failed = failed == AIC_OK ? aic_spec_operands(statement.spec, semantics, operands, &count) : failed;
        if (failed != AIC_OK) {
            return cli_status(NULL, failed);
        }
        for (size_t i = 2; i < count; i++) { /* behind the tile and the scalar */
            if (operands[i].direction == AIC_DIRECTION_IN) {
                testdata_fill_for(statement.spec, &operands[i], seed, call->pointer[statement.argument[i]]);
            }
        }
    }
    return CLI_DONE;
}

int pto_call_open(pto_call *call, const aic_pto_program *program, const aic_semantics *semantics, uint64_t seed)
{
    const size_t count = aic_pto_argument_count(program);
    *call = (pto_call){.program = program,
                       .count = count,
                       .argument = calloc(count + 1, sizeof *call->argument),
                       .content = calloc(count + 1, sizeof *call->content),
                       .pointer = calloc(count + 1, sizeof *call->pointer)};
    if (call->argument == NULL || call->content == NULL || call->pointer == NULL) {
        return cli_fail_memory("the program's arguments", count * sizeof *call->argument);
    }
    const int status = open_arguments(call, seed);
    return status == CLI_DONE ? fill_sizes(call, semantics, seed) : status;
}

void pto_call_close(pto_call *call)
{
    for (size_t i = 0; call->content != NULL && i < call->count; i++) {
        guard_close(&call->content[i]);
    }
    free(call->argument);
    free(call->content);
    free(call->pointer);
}

static verify_verdict say(verify_report *report, verify_verdict verdict, const char *what, const char *why)
{
    (void)snprintf(report->text, sizeof report->text, "%s: %.600s", what, why);
    return report->verdict = verdict;
}

/* The first element of an argument that differs. */
static verify_verdict compare(const pto_call *call, const pto_call *expected, verify_report *report)
{
    for (size_t i = 0; i < call->count; i++) {
        const aic_operand *argument = &call->argument[i];
        const compare_limits exact = {0, 0, 0};
        compare_report found;
        compare_tensors(argument, call->pointer[i], expected->pointer[i], NULL, &exact, &found, NULL);
        if (found.different > 0) {
            char where[OPERAND_TEXT_MAX], got[ELEMENT_TEXT_MAX], wanted[ELEMENT_TEXT_MAX];
            const size_t at = (size_t)found.first[0] * aic_dtype_size(argument->dtype);
            aic_coordinates coordinates = coordinates_of_tensor(argument);
            (void)aic_pto_coordinates(call->program, i, &coordinates);
            coordinates_text(&coordinates, found.first[0], where);
            element_text(argument->dtype, (const unsigned char *)call->pointer[i] + at, got);
            element_text(argument->dtype, (const unsigned char *)expected->pointer[i] + at, wanted);
            (void)snprintf(report->text, sizeof report->text, "program: %.100s%s is %s, the reference has %s",
                           argument->name, where, got, wanted);
            return report->verdict = VERIFY_FAILED;
        }
    }
    return VERIFY_PASSED;
}

verify_verdict pto_call_verify(const aic_pto_program *program, const cli_session *session, uint64_t seed,
                               verify_report *report)
{
    pto_call call = {0}, expected = {0};
    *report = (verify_report){.verdict = VERIFY_PASSED};
    verify_verdict verdict = VERIFY_PASSED;
    if (pto_call_open(&call, program, &session->semantics, seed) != CLI_DONE ||
        pto_call_open(&expected, program, &session->semantics, seed) != CLI_DONE) {
        verdict = say(report, VERIFY_NO_MEMORY, "arguments", cli_fail_message());
        cli_fail_clear();
    } else if (aic_pto_reference(program, expected.pointer, expected.count) != AIC_OK) {
        verdict = say(report, VERIFY_FAILED, "reference", aic_last_error());
    } else if (aic_pto_run(session->context, program, call.pointer, call.count) != AIC_OK) {
        verdict = say(report, VERIFY_FAILED, "program", aic_last_error());
    } else {
        verdict = compare(&call, &expected, report);
    }
    pto_call_close(&call);
    pto_call_close(&expected);
    return verdict;
}
