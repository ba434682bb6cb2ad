/* See child.h. */
#include "tools/harness/child.h"

#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

static void set_default(int number)
{
    if (signal(number, SIG_DFL) == SIG_IGN) { /* nohup */
        (void)signal(number, SIG_IGN);
    }
}

bool child_follow(pid_t parent, bool interrupted)
{
    set_default(SIGTERM);
    set_default(SIGHUP);
    if (interrupted) {
        set_default(SIGINT);
    } else {
        (void)signal(SIGINT, SIG_IGN);
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    return getppid() == parent;
}
