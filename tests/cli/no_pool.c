/* Preloaded: the library of the pool cannot be loaded. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

void *dlopen(const char *file, int mode)
{
    void *(*next)(const char *, int);
    void *found = dlsym(RTLD_NEXT, "dlopen");
    memcpy(&next, &found, sizeof next);
    if (file != NULL && strstr(file, "pthreadpool") != NULL) {
        return next("/nowhere/libpthreadpool.so.0", mode); /* leaves the loader's message */
    }
    return next(file, mode);
}
