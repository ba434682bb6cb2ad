/* Preloaded in front of the C library: from the first operator text that is read, allocation number FAIL_ALLOCATION
 * and copy of a string number FAIL_COPY fail, and no other. They are counted from 1. What a library allocates while it
 * is loaded does not count, nor what the dynamic loader does, which may be the thread-local data of such a library: the
 * constructors of LLVM and the loader end the process where one fails. The library sees to it before that there is
 * memory for them, which a single failure among successes cannot show. */
#define _GNU_SOURCE /* _dl_find_object() */
#include <aic/aic.h>

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

static long allocations, copies; /* still to come before one fails; 0: none fails */

/* The next definition of a function, as a pointer of the type of `function`. */
#define NEXT(name, function)                                                                                           \
    do {                                                                                                               \
        void *symbol = dlsym(RTLD_NEXT, name);                                                                         \
        memcpy(&(function), &symbol, sizeof(function));                                                                \
    } while (0)

static long number_of(const char *variable)
{
    const char *text = getenv(variable);
    return text != NULL ? strtol(text, NULL, 10) : 0;
}

static int fails(long *left)
{
    return *left > 0 && --*left == 0;
}

/* Whether the dynamic loader has the code at `address`. dladdr() would look for the symbol, too, among all of LLVM's.
 */
static int is_loader(void *address)
{
    struct dl_find_object found;
    return _dl_find_object(address, &found) == 0 && strstr(found.dlfo_link_map->l_name, "/ld-linux") != NULL;
}

void *malloc(size_t size)
{
    static void *(*next)(size_t);
    if (next == NULL) {
        NEXT("malloc", next);
    }
    if (allocations > 0 && !is_loader(__builtin_return_address(0)) && fails(&allocations)) {
        errno = ENOMEM;
        return NULL;
    }
    return next(size);
}

char *strdup(const char *text)
{
    if (fails(&copies)) {
        errno = ENOMEM;
        return NULL;
    }
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

void *dlopen(const char *path, int flags)
{
    static void *(*next)(const char *, int);
    if (next == NULL) {
        NEXT("dlopen", next);
    }
    const long allocations_before = allocations, copies_before = copies;
    allocations = copies = 0;
    void *library = next(path, flags);
    allocations = allocations_before;
    copies = copies_before;
    return library;
}

AIC_API aic_status aic_spec_parse(const char *text, aic_spec **spec)
{
    aic_status (*next)(const char *, aic_spec **);
    NEXT("aic_spec_parse", next);
    const aic_status status = next(text, spec);
    allocations = number_of("FAIL_ALLOCATION");
    copies = number_of("FAIL_COPY");
    return status;
}
