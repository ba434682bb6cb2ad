/* aicjit dump: what the generator makes of an operator, without running it. */
#include "tools/command.h"
#include "tools/harness/fail.h"
#include "tools/harness/outfile.h"
#include "tools/pto.h"
#include "tools/repro.h"
#include "tools/session.h"

#include <aic/tool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    aic_dump_stage stage;
} stages[] = {
    {"ir", AIC_DUMP_IR}, {"opt", AIC_DUMP_OPT}, {"asm", AIC_DUMP_ASM}, {"obj", AIC_DUMP_OBJ}, {"plan", AIC_DUMP_PLAN},
};

typedef struct dump_state {
    cli_session session;
    cli_pto pto;
    const char *stage, *output, *isa, *target, *schedule, *repro;
    cli_operands operands; /* of --repro */
} dump_state;

static aic_dump_stage find_stage(const char *name)
{
    for (size_t i = 0; name != NULL && i < sizeof stages / sizeof stages[0]; i++) {
        if (strcmp(name, stages[i].name) == 0) {
            return stages[i].stage;
        }
    }
    return AIC_DUMP_IR;
}

/* Where dumps go: a file, or standard output. */
static int open_output(const dump_state *dump, outfile *file)
{
    *file = (outfile){.fd = -1};
    if (dump->output != NULL) {
        return outfile_open(file, "-o", dump->output);
    }
    if (find_stage(dump->stage) == AIC_DUMP_OBJ && isatty(STDOUT_FILENO) == 1) {
        return cli_fail(CLI_WRONG, "dump: --stage obj is not written to a terminal: give -o FILE");
    }
    return CLI_DONE;
}

static int put(const dump_state *dump, outfile *file, const char *bytes, size_t size)
{
    if (dump->output != NULL) {
        return outfile_write(file, "-o", bytes, size);
    }
    cli_put(bytes, size);
    return CLI_DONE;
}

/* Where a statement is, as a comment. */
static int put_place(const dump_state *dump, outfile *file, size_t line, bool first)
{
    char number[32];
    const char *comment = find_stage(dump->stage) == AIC_DUMP_ASM ? "# " : "; ";
    const int length = snprintf(number, sizeof number, ":%zu\n", line);
    int status = first ? CLI_DONE : put(dump, file, "\n", 1);
    status = status == CLI_DONE ? put(dump, file, comment, strlen(comment)) : status;
    status = status == CLI_DONE ? put(dump, file, dump->pto.path, strlen(dump->pto.path)) : status;
    return status == CLI_DONE ? put(dump, file, number, (size_t)length) : status;
}

/* `line` 0: by itself, or an object file, which has no comments. */
static int dump_one(const dump_state *dump, const aic_spec *spec, outfile *file, size_t line, bool first)
{
    const aic_dump_stage stage = find_stage(dump->stage);
    char *bytes = NULL;
    size_t size = 0;
    const aic_status failed =
        aic_dump(dump->session.context, spec, dump->schedule, stage, dump->isa, dump->target, &bytes, &size);
    int status = cli_status(NULL, failed);
    status = status == CLI_DONE && line > 0 ? put_place(dump, file, line, first) : status;
    status = status == CLI_DONE ? put(dump, file, bytes, size) : status;
    if (status == CLI_DONE && dump->output == NULL && stage != AIC_DUMP_OBJ && size > 0 && bytes[size - 1] != '\n') {
        status = put(dump, file, "\n", 1);
    }
    aic_free(bytes);
    return status;
}

static int write_repro(dump_state *dump, const aic_spec *spec)
{
    return repro_write(&(repro_request){.folder = dump->repro,
                                        .session = &dump->session,
                                        .spec = spec,
                                        .schedule = dump->schedule,
                                        .stage = find_stage(dump->stage),
                                        .operands = &dump->operands});
}

/* Every statement of the program that differs from those before it, behind a line that says where it is. */
static int dump_program(dump_state *dump, outfile *file)
{
    aic_pto_program *program = NULL;
    aic_pto_statement *list = NULL;
    size_t count = 0;
    const aic_dump_stage stage = find_stage(dump->stage);
    int status = cli_pto_read(&dump->pto, &dump->session, &program);
    status = status == CLI_DONE ? cli_pto_statements("dump", program, &list, &count) : status;
    if (status == CLI_DONE && count > 1 && (stage == AIC_DUMP_OBJ || dump->repro != NULL)) {
        status = cli_fail(CLI_WRONG, "dump: %s: the program has %zu different statements, %s holds one",
                          dump->repro != NULL ? "--repro" : "--stage obj", count,
                          dump->repro != NULL ? "the folder" : "an object file");
    }
    if (status == CLI_DONE && dump->repro != NULL && count > 0) {
        status = write_repro(dump, list[0].spec);
        count = 0;
    }
    for (size_t i = 0; status == CLI_DONE && i < count; i++) {
        status = dump_one(dump, list[i].spec, file, stage == AIC_DUMP_OBJ ? 0 : list[i].line, i == 0);
    }
    free(list);
    aic_pto_destroy(program);
    return status;
}

static int dump_request(dump_state *dump, const char *text)
{
    aic_spec *spec = NULL;
    outfile file = {.fd = -1};
    if (dump->repro != NULL) { /* the kernel runs here */
        dump->session.isa = dump->isa;
    }
    int status = cli_session_open(&dump->session);
    status = status == CLI_DONE && text != NULL ? cli_parse_spec(&dump->session, text, &spec) : status;
    status = status == CLI_DONE ? open_output(dump, &file) : status;
    if (status == CLI_DONE && dump->repro != NULL && text != NULL) {
        status = write_repro(dump, spec);
    } else if (status == CLI_DONE) {
        status = text != NULL ? dump_one(dump, spec, &file, 0, true) : dump_program(dump, &file);
    }
    status = status == CLI_DONE && dump->output != NULL ? outfile_commit(&file, "-o") : status;
    outfile_close(&file);
    aic_spec_destroy(spec);
    cli_session_close(&dump->session);
    return status;
}

/* What options have to do with each other. */
static int check_options(const dump_state *dump, size_t texts)
{
    const aic_dump_stage stage = find_stage(dump->stage);
    const bool repro = dump->repro != NULL;
    const bool inputs = dump->operands.pairs[PAIR_IN].count + dump->operands.pairs[PAIR_FILL].count > 0;
    const args_refusal refusals[] = {
        {inputs && !repro, "--repro: is missing: nothing else takes operands"},
        {dump->output != NULL && repro, "--repro: does not go with -o: its files have names"},
        {dump->target != NULL && repro, "--repro: does not go with --target: the expected result is computed here"},
    };
    int status = cli_pto_check("dump", &dump->pto, texts);
    status = status == CLI_DONE ? ARGS_REFUSE("dump", refusals) : status;
    if (status == CLI_DONE && repro && stage != AIC_DUMP_IR && stage != AIC_DUMP_OPT) {
        status = cli_fail(CLI_WRONG, "dump: --repro: does not go with --stage %s: lli runs ir or opt", dump->stage);
    }
    return status;
}

/* What --help says, with the accepted passes in lines. */
static const char *summary(void)
{
    enum { TEXT_MAX = 4096, COLUMNS = 100 };
    static char text[TEXT_MAX];
    size_t used =
        (size_t)snprintf(text, sizeof text,
                         "Shows what the generator makes of an operator, without running it.\n"
                         "Triples: 64-bit Linux, x86_64 or aarch64: ARCH[-VENDOR]-linux[-gnu|-musl|-android].\n"
                         "Passes, as `opt -passes` takes them, are of these:\n ");
    const char *name;
    size_t column = 1;
    for (size_t i = 0; (name = aic_pass_name(i)) != NULL && used < sizeof text; i++) {
        const bool wrap = column + strlen(name) + 1 > COLUMNS;
        column = (wrap ? 1 : column) + strlen(name) + 1;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %s", wrap ? "\n " : "", name);
    }
    return text;
}

int cmd_dump(int argc, char **argv)
{
    dump_state dump = {.operands.command = "dump"};
    args_list positional = {0};
    const args_option options[] = {
        option_text("--stage", "ir|opt|asm|obj|plan", "what to show (default ir)", &dump.stage),
        option_text("-o", "FILE", "write to a file", &dump.output),
        option_text("--isa", "LEVEL", "instruction set level, also one that this host lacks", &dump.isa),
        option_text("--target", "TRIPLE", "e.g. aarch64-linux-gnu (default: the host's)", &dump.target),
        option_text("--passes", "TEXT", "LLVM pass pipeline before code generation (default none)",
                    &dump.session.passes),
        option_text("--schedule", "TEXT", "schedule, as --stage plan prints it", &dump.schedule),
        option_text("--repro", "DIR",
                    "write IR with a main, operands and the expected result, and run.sh, which runs it by lli alone",
                    &dump.repro),
        CLI_OPTIONS_INPUTS(dump.operands),
        CLI_OPTIONS_PTO(dump.pto),
        CLI_OPTION_DT(dump.session),
        CLI_OPTION_ARCH(dump.session),
    };
    const args_command command = {
        .name = "dump",
        .arguments = "SPEC | --pto FILE [OPTION]...",
        .summary = summary(),
        ARGS_OPTIONS(options),
    };
    int status = cli_parse(&dump.session, &command, argc, argv, 1, &positional);
    status = status == CLI_DONE ? check_options(&dump, positional.count) : status;
    if (status == CLI_DONE) {
        status = dump_request(&dump, positional.count > 0 ? positional.items[0] : NULL);
    }
    operands_close(&dump.operands);
    return status;
}
