/* The table of subcommands. */
#include "tools/command.h"

#include "tools/args.h"
#include "tools/harness/fail.h"

#include <aic/tool.h>
#include <stdio.h>
#include <string.h>

static const command_row commands[] = {
#define COMMAND(name, summary) {#name, cmd_##name, summary},
#include "tools/commands.def"
#undef COMMAND
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

const command_row *command_at(size_t index)
{
    return index < COMMANDS ? &commands[index] : NULL;
}

const command_row *command_find(const char *name)
{
    const char *names[COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++) {
        names[i] = commands[i].name;
        if (strcmp(name, names[i]) == 0) {
            return &commands[i];
        }
    }
    const char *near = aic_nearest_word(name, names, COMMANDS);
    (void)cli_fail(CLI_WRONG, "unknown command \"%.100s\"%s%s%s (aicjit --help lists them)", name,
                   near == NULL ? "" : "; did you mean ", near == NULL ? "" : near, near == NULL ? "" : "?");
    return NULL;
}

int command_run(const command_row *command, int argc, char **argv)
{
    const int status = command->run(argc, argv);
    return status == ARGS_HELP_SHOWN ? CLI_DONE : status;
}

int command_help(const command_row *command)
{
    char name[32], option[] = "--help";
    char *argv[] = {name, option, NULL};
    (void)snprintf(name, sizeof name, "%s", command->name);
    return command_run(command, 2, argv);
}

const command_variable *command_variable_at(size_t index)
{
    static const command_variable variables[] = {
        {"AIC_MAX_ISA", "the highest instruction set level that is used where --isa does not name one"},
        {"AIC_MACHINE",
         "the type of core that schedules are chosen for: zen4, zen5, skylake-avx512 or golden-cove (default: "
         "this machine's)"},
        {"AIC_NUM_THREADS", "how many threads may share a call where --threads does not say"},
        {"AIC_TUNING_DB", "a file of tuned schedules that kernels without a given one use"},
        {"AIC_CACHE", "off, ro or rw: whether kernels are read from the disk cache and written to it (default rw)"},
        {"AIC_CACHE_DIR", "the folder of the disk cache (default aicjit in the user's cache directory)"},
        {"AIC_CODEGEN", "the generator's module (default: the one in the library's folder)"},
        {"AIC_PYTHON", "the Python interpreter that reads ONNX files (default python3)"},
        {"AIC_VERBOSE",
         "1: a line on standard error for every kernel that is made or loaded; 2: and for every lookup; or, as "
         "lines of CSV, of any of create,exec,cache,dispatch"},
        {"AIC_PROFILE",
         "which tools learn where kernels lie, of perf,jitdump,gdb: a map for perf report, a file for perf "
         "inject, symbols and unwind tables for the debugger"},
        {"AIC_DUMP_DIR", "a folder, made where it is not there, for the IR, assembly and object of every kernel"},
    };
    return index < sizeof variables / sizeof variables[0] ? &variables[index] : NULL;
}

void command_usage(void)
{
    printf("usage: aicjit COMMAND [ARGUMENT]...\n"
           "Machine code for operator kernels, generated while the program runs.\n\n");
    for (size_t i = 0; i < COMMANDS; i++) {
        printf("  %-10s %s\n", commands[i].name, commands[i].summary);
    }
    printf("\n  aicjit COMMAND --help   the arguments of a command\n"
           "  aicjit help OPERATOR    its keys, operands, and an example\n"
           "  aicjit --version        version of the library and of LLVM\n\n"
           "exit status: 0 done, 1 a check failed or a signal ended the work, 2 the request is wrong, 3 the system "
           "failed\n");
}
