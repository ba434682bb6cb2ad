/* aicjit golden and aicjit verify: folders of inputs and expected results. */
#include "tools/command.h"
#include "tools/harness/fail.h"
#include "tools/laboratory/golden.h"

#include <inttypes.h>
#include <stdio.h>

static int write_golden(golden_request *request, const spec_source *source, spec_list *list)
{
    if (request->folder == NULL) {
        return cli_fail(CLI_WRONG, "golden: -o: is missing: the folder to write");
    }
    int status = spec_list_read(request->session, source, list);
    if (status == CLI_DONE && list->count == 0) {
        status = cli_fail(CLI_WRONG, "golden: neither SPEC nor --batch gives an operator");
    }
    if (status == CLI_DONE && (uint64_t)request->count * list->count > GOLDEN_CASES_MAX) {
        status = cli_fail(CLI_WRONG, "golden: --count: %" PRId64 " cases of %zu operators are more than %d",
                          request->count, list->count, GOLDEN_CASES_MAX);
    }
    if (status == CLI_DONE) {
        spec_list_report(list, source, stderr);
        status = spec_list_status(list, source, status); /* a suite without some of its operators is none */
    }
    return status == CLI_DONE ? golden_write(request) : status;
}

int cmd_golden(int argc, char **argv)
{
    cli_session session = {0};
    cli_operands operands = {.command = "golden"};
    args_list texts = {0};
    spec_list list = {0};
    spec_source source = {.texts = &texts};
    golden_request request = {.session = &session, .operands = &operands, .list = &list, .count = 1, .seed = 1};
    const args_option options[] = {
        option_text("-o", "DIR", "the folder to write, new or empty", &request.folder),
        CLI_OPTIONS_INPUTS(operands),
        option_integer(
            "--count", "N",
            "cases of each operator (default 1); operands that no option gives have corners and special values",
            &request.count, 1, GOLDEN_CASES_MAX),
        option_integer("--seed", "S", "of the first case's operands (default 1)", &request.seed, 0, INT64_MAX / 2),
        option_flag("--bin", "files of raw little-endian elements, not .npy", &request.raw),
        SPEC_OPTIONS(source),
        CLI_OPTION_DT(session),
        CLI_OPTION_ARCH(session),
    };
    const args_command command = {.name = "golden",
                                  .arguments = "SPEC... -o DIR [OPTION]...",
                                  .summary =
                                      "Writes inputs and expected results of operators, with a manifest of hashes.",
                                  ARGS_OPTIONS(options)};
    int status = cli_parse(&session, &command, argc, argv, GOLDEN_CASES_MAX, &texts);
    cli_session_semantics(&session);
    status = status == CLI_DONE ? write_golden(&request, &source, &list) : status;
    spec_list_free(&list);
    operands_close(&operands);
    return status;
}

int cmd_verify(int argc, char **argv)
{
    args_list folders = {0};
    const args_command command = {
        .name = "verify",
        .arguments = "DIR",
        .summary = "Checks a folder of golden: its files, and that reference and kernels give its results."};
    int status = args_parse(&command, argc, argv, 1, &folders);
    if (status == CLI_DONE && folders.count == 0) {
        status = cli_fail(CLI_WRONG, "verify: DIR is missing: a folder that golden has written");
    }
    if (status == CLI_DONE) {
        golden_sums sums = {0};
        status = golden_verify(folders.items[0], &sums);
        if (status == CLI_DONE || status == CLI_MISMATCH) {
            printf("%" PRIu64 " passed, %" PRIu64 " failed\n", sums.passed, sums.failed);
        }
    }
    return status;
}
