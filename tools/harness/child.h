/* Processes that do a part of the tool's work. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* In a process that fork() has just made: lets it end when the tool does, the process `parent`, and by SIGTERM and
 * SIGHUP, in place of what the tool does then. SIGINT ends it if `interrupted`, and is left to the tool otherwise.
 * False: the tool is gone. */
bool child_follow(pid_t parent, bool interrupted);
