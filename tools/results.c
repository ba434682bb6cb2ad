/* Results of a command: files that are written, or compared with what is expected. */
#include "tools/results.h"

#include "tools/harness/fail.h"
#include "tools/harness/operand_file.h"

#include <inttypes.h>
#include <stdio.h>

/* Each output needs a file of its own; devices and pipes may take several. */
static int check_apart(const cli_operands *set, const cli_operand *o)
{
    for (const cli_operand *other = set->items; o->file.temporary != NULL && other < o; other++) {
        if (other->file.path != NULL && outfile_same(&other->file, &o->file)) {
            return cli_fail(CLI_WRONG, "%s: --out: %s and %s go to the same file \"%.200s\"", set->command,
                            other->operand.name, o->operand.name, o->out);
        }
    }
    return CLI_DONE;
}

int results_open(cli_operands *set)
{
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < set->count; i++) {
        cli_operand *o = &set->items[i];
        if (o->out != NULL) {
            status = outfile_open(&o->file, o->operand.name, o->out);
            status = status == CLI_DONE ? check_apart(set, o) : status;
        }
    }
    return status;
}

int results_compare(const cli_operand *o, const compare_limits *limits, bool *differs)
{
    guard_buffer expected;
    compare_report report;
    int status = cli_memory(&expected, o->operand.name, (uint64_t)o->operand.bytes);
    status = status == CLI_DONE ? operand_read(&o->operand, o->expect, expected.data) : status;
    if (status == CLI_DONE) {
        compare_tensors(&o->operand, o->buffer.data, expected.data, o->skip.data, limits, &report, NULL);
        printf("%s: %" PRId64 " of %" PRId64 " elements compared with \"%s\", %" PRId64 " differ\n", o->operand.name,
               report.compared, o->operand.elements, o->expect, report.different);
        compare_print(&o->operand, &o->coordinates, o->buffer.data, expected.data, &report);
        *differs = *differs || report.different > 0;
    }
    guard_close(&expected);
    return status;
}

int results_store(cli_operands *set)
{
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < set->count; i++) {
        cli_operand *o = &set->items[i];
        if (o->out != NULL) {
            status = operand_write(&o->operand, o->out, o->buffer.data, &o->file);
        }
    }
    interrupt_hold(); /* all files or none */
    for (size_t i = 0; status == CLI_DONE && i < set->count; i++) {
        cli_operand *o = &set->items[i];
        if (o->out != NULL) {
            status = outfile_commit(&o->file, o->operand.name);
        }
    }
    interrupt_release();
    return status;
}
