/* loader LIBRARY: loads the library while running, as a language binding does, and calls it from a second thread. */
#include <aic/aic.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef aic_status (*parse_fn)(const char *text, aic_spec *spec);
typedef const char *(*error_fn)(void);

static void *library;

/* ISO C has no conversion from an object pointer to a function pointer; POSIX has this one. */
static void find(const char *name, void *function, size_t size)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, size);
}

/* Returns NULL when the refusal and its message, which is thread-local, are right. */
static void *call(void *unused)
{
    parse_fn parse;
    error_fn last_error;
    aic_spec spec;
    find("aic_spec_parse", &parse, sizeof parse);
    find("aic_last_error", &last_error, sizeof last_error);
    if (!parse || !last_error || last_error()[0] != '\0') {
        return &library;
    }
    return parse("conv2d(colour=red)", &spec) == AIC_INVALID_ARGUMENT && strstr(last_error(), "colour") ? unused
                                                                                                        : &library;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    void *other = &library;
    library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "usage: loader LIBRARY");
        return 1;
    }
    if (pthread_create(&thread, NULL, call, NULL) != 0 || pthread_join(thread, &other) != 0 || other || call(NULL)) {
        fprintf(stderr, "a call through dlsym went wrong\n");
        return 1;
    }
    return 0;
}
