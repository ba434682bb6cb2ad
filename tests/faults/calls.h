/* Failing calls: every allocation and every system call of the library goes through a wrapper (calls.c, by the linker's
 * --wrap), is numbered, and fails when its number comes up. Wrappers also count what is held, so that a leak shows
 * without a sanitizer. LLVM and other shared libraries are not concerned: their calls are their own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Which calls fail. */
typedef enum calls_mode {
    CALLS_COUNT, /* none: they are only counted */
    CALLS_ONE,   /* that of the number */
    CALLS_ALL,   /* that and all later ones */
    CALLS_CUT    /* none: of those that read or write a file, every second is interrupted, and others do a half */
} calls_mode;

/* Begins to number calls, from 1 on, of all threads. CALLS_COUNT also notes where each comes from. */
void calls_begin(calls_mode mode, long number);

/* Ends it: no call fails any more. Returns how many there were. */
long calls_end(void);

/* Where the call of this number came from when calls were counted last, in this process or a child: a hash of the
 * innermost return addresses. 0: there was none of this number, or there were too many. */
uint64_t calls_origin(long number);

/* Whether that call was of mprotect(). */
bool calls_protects(long number);

/* Leaves calls alone from here on, or no more: what a test does itself. */
void calls_pause(bool pause);

/* The function whose call was the first to fail since calls_begin(); NULL: none failed. */
const char *calls_failed(void);

/* Whether a call of mprotect() failed since then. */
bool calls_protecting_failed(void);

/* What the library holds. */
typedef enum calls_resource {
    CALLS_MEMORY,
    CALLS_FILES, /* descriptors */
    CALLS_STREAMS,
    CALLS_MAPPINGS,
    CALLS_THREADS, /* neither joined nor detached */
    CALLS_MUTEXES, /* locked */
    CALLS_RESOURCES
} calls_resource;

/* How many of them are held now; and what they are called. */
long calls_held(calls_resource resource);
extern const char *const calls_resource_name[CALLS_RESOURCES];
