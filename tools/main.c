/* aicjit: the command line. main() finds the subcommand, prints the one error message and gives the exit status;
 * nothing else does. */
#include "tools/command.h"
#include "tools/harness/fail.h"
#include "tools/harness/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct command_row {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} command_row;

static const command_row commands[] = {
    {"run", cmd_run, "run an operator on tensor files"},
    {"check", cmd_check, "compare generated code with the reference"},
    {"dump", cmd_dump, "show the IR, assembly, object or schedule of an operator"},
    {"explain", cmd_explain, "tell which schedule is used and why"},
    {"bench", cmd_bench, "measure the speed of operators"},
    {"tune", cmd_tune, "find the fastest schedules on this machine and keep them"},
    {"fmt", cmd_fmt, "print operator text and PTO-AS in their canonical form"},
    {"info", cmd_info, "show the processor, its instruction sets and its limits"},
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void show_usage(void)
{
    printf("usage: aicjit COMMAND [ARGUMENT]...\n"
           "Machine code for operator kernels, generated while the program runs.\n\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        printf("  %-10s %s\n", commands[i].name, commands[i].summary);
    }
    printf("\n  aicjit COMMAND --help   the arguments of a command\n"
           "  aicjit --version        version of the library and of LLVM\n\n"
           "exit status: 0 done, 1 a check failed or a signal ended the work, 2 the request is wrong, 3 the system "
           "failed\n");
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        show_usage();
        return cli_fail(CLI_WRONG, "no command is given");
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        show_usage();
        return CLI_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        printf("aicjit %s (LLVM %s)\n", aic_version(), aic_llvm_version());
        return CLI_DONE;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(name, commands[i].name) == 0) {
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    return cli_fail(CLI_WRONG, "unknown command \"%.100s\" (aicjit --help lists them)", name);
}

/* Gives closed standard descriptors a file that fails, so that no file opened later takes their number and gets
 * what is meant for the terminal. */
static void occupy_standard_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) == -1) {
            _exit(CLI_SYSTEM);
        }
    }
}

int main(int argc, char **argv)
{
    occupy_standard_descriptors();
    interrupt_install();
    (void)signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of the write */
    (void)signal(SIGXFSZ, SIG_IGN); /* and so is a file size limit */
    int status = dispatch(argc, argv);
    int flushed = cli_flush_output();
    if (flushed != CLI_DONE && status < flushed) {
        status = flushed;
    }
    if (cli_fail_message()[0] != '\0') {
        (void)fprintf(stderr, "aicjit: %s\n", cli_fail_message());
    }
    return status;
}
