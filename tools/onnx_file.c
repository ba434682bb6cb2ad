/* Networks from ONNX files; see onnx_file.h. */
#include "tools/onnx_file.h"
#include "tools/harness/child.h"
#include "tools/harness/fail.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_RUN = 127, OTHERS_MAX = 4096, SHAPES_MAX = 256 };

/* What `python3 -m aicjit.onnx` does, with one line where the package, or what it needs, is not there. */
static const char PROGRAM[] = "import sys\n"
                              "try:\n"
                              "    from aicjit.onnx.__main__ import main\n"
                              "except ImportError as error:\n"
                              "    sys.stderr.write('aicjit: network: ONNX files need the Python package aicjit: "
                              "\"%s\": %s; AIC_PYTHON names another '\n"
                              "                     'interpreter\\n' % (sys.executable, error))\n"
                              "    sys.exit(3)\n"
                              "sys.exit(main(sys.argv[1:]))\n";

/* In a build folder the package lies beside the tool, in python: Python is to look there first. */
static void prefer_own_package(void)
{
    char folder[PATH_MAX], package[PATH_MAX + 32], folders[sizeof package + OTHERS_MAX];
    const ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *name = strrchr(folder, '/');
    if (name == NULL) {
        return;
    }
    *name = '\0';
    (void)snprintf(package, sizeof package, "%s/python/aicjit/onnx", folder);
    if (access(package, R_OK) == 0) {
        const char *others = getenv("PYTHONPATH");
        const bool more = others != NULL && others[0] != '\0';
        const int written =
            snprintf(folders, sizeof folders, "%s/python%s%s", folder, more ? ":" : "", more ? others : "");
        if (written < (int)sizeof folders) {
            (void)setenv("PYTHONPATH", folders, 1);
        }
    }
}

static int wait_for(pid_t child, const char *interpreter)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return cli_fail(CLI_SYSTEM, "network: \"%s\": %s", interpreter, strerror(errno));
        }
    }
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM)) {
        return cli_fail(CLI_MISMATCH, "network: \"%s\": ended by signal %d", interpreter, WTERMSIG(status));
    }
    if (WIFEXITED(status) && (code == CLI_DONE || code == CLI_WRONG || code == CLI_SYSTEM)) {
        return code;
    }
    if (code == NOT_RUN) {
        return cli_fail(CLI_SYSTEM,
                        "network: ONNX files need Python and its package aicjit: \"%s\" cannot be run; "
                        "AIC_PYTHON names another interpreter",
                        interpreter);
    }
    return cli_fail(CLI_SYSTEM,
                    "network: ONNX files need the Python package aicjit: \"%s\" with aicjit.onnx ended by %s %d",
                    interpreter, code > 0 ? "status" : "signal", code > 0 ? code : WTERMSIG(status));
}

int onnx_file_convert(const char *file, const char *folder, const args_list *shapes)
{
    enum { GIVEN = 5 };
    prefer_own_package();
    (void)setenv("PYTHONSAFEPATH", "1", 1); /* modules are not looked for in the working folder (from Python 3.11 on) */
    const char *named = getenv("AIC_PYTHON"), *interpreter = named != NULL && named[0] != '\0' ? named : "python3";
    const char *argument[GIVEN + SHAPES_MAX + 1] = {interpreter, "-c", PROGRAM, file, folder};
    if (shapes->count > SHAPES_MAX) {
        return cli_fail(CLI_WRONG, "network: --shape: is given more than %d times", SHAPES_MAX);
    }
    for (size_t i = 0; i < shapes->count; i++) {
        argument[GIVEN + i] = shapes->items[i];
    }
    (void)fflush(stdout);
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &before); /* no handler of this process runs in the other one */
    const pid_t self = getpid(), child = fork();
    if (child == 0) {
        if (!child_follow(self, false)) { /* Python would show where it was */
            _exit(0);
        }
        (void)sigprocmask(SIG_SETMASK, &before, NULL);
        (void)execvp(interpreter, (char *const *)(uintptr_t)argument); /* which changes none of them */
        _exit(NOT_RUN);
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return child > 0 ? wait_for(child, interpreter) : cli_fail(CLI_SYSTEM, "network: a process: %s", strerror(errno));
}
