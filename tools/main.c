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

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        return cli_fail(CLI_WRONG, "no command is given (aicjit --help lists them)");
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        command_usage();
        return CLI_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        printf("aicjit %s (LLVM %s)\n", aic_version(), aic_llvm_version());
        return CLI_DONE;
    }
    const command_row *command = command_find(name);
    return command == NULL ? CLI_WRONG : command_run(command, argc - 1, argv + 1);
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
    cli_show_failure("aicjit");
    return status;
}
