/* See child.h. */
#include "tests/child.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <aic/aic.h>

const char *child_run(void (*body)(void *), void *argument)
{
    static char text[64];
    fflush(NULL); /* or the child writes it once more */
    const pid_t child = fork();
    if (child == 0) {
        alarm(CHILD_SECONDS);
        body(argument);
        _exit(0);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (child < 0) {
        snprintf(text, sizeof text, "fork: %s", strerror(errno));
    } else if (WIFSIGNALED(status)) {
        snprintf(text, sizeof text, "ended by signal %d", WTERMSIG(status));
    } else {
        snprintf(text, sizeof text, "exit status %d", WEXITSTATUS(status));
    }
    return child > 0 && status == 0 ? "" : text;
}

void child_expect(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "%s: %s\n", what, aic_last_error());
        _exit(1);
    }
}
