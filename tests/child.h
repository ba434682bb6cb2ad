/* Child processes: what ends, hangs or forks a process is tried in one. */
#pragma once

#include <stdbool.h>

/* Seconds after which a child that hangs is ended. */
#define CHILD_SECONDS 300

/* Calls body(argument) in a child of this process, which ends with 0 when it returns. Returns what became of it: ""
 * when it exited with 0, else a text in static storage. */
const char *child_run(void (*body)(void *), void *argument);

/* In a child, where the test framework's assertions must not be used: says what went wrong and ends it with 1. */
void child_expect(bool good, const char *what);
