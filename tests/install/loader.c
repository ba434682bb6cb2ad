/* loader LIBRARY: loads the library while running, as a language binding does, calls it from a second thread, compiles,
 * and closes it while that thread still has to end. */
#define _POSIX_C_SOURCE 200809L /* barriers */

#include <aic/aic.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef aic_status (*parse_fn)(const char *text, aic_spec **spec);
typedef const char *(*error_fn)(void);
typedef aic_status (*dump_fn)(aic_context *context, const aic_spec *spec, const char *schedule, aic_dump_stage stage,
                              const char *isa, const char *triple, char **bytes, size_t *size);
typedef void (*free_fn)(void *memory);

static void *library;
static pthread_barrier_t called, closed;

/* ISO C has no conversion from an object pointer to a function pointer; POSIX has this one. */
static void find(const char *name, void *function, size_t size)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, size);
}

/* Returns NULL when the refusal and its message, which is the thread's own, are right. */
static void *call(void)
{
    parse_fn parse;
    error_fn last_error;
    aic_spec *spec = NULL;
    find("aic_spec_parse", &parse, sizeof parse);
    find("aic_last_error", &last_error, sizeof last_error);
    if (!parse || !last_error || last_error()[0] != '\0') {
        return &library;
    }
    return parse("conv2d(colour=red)", &spec) == AIC_INVALID_ARGUMENT && strstr(last_error(), "colour") ? NULL
                                                                                                        : &library;
}

static void *call_and_end_later(void *unused)
{
    (void)unused;
    void *result = call();
    pthread_barrier_wait(&called);
    pthread_barrier_wait(&closed);
    return result; /* what the library keeps for the thread is freed now */
}

static int compile(void)
{
    parse_fn parse;
    dump_fn dump;
    free_fn release;
    aic_spec *spec = NULL;
    char *bytes;
    size_t size;
    find("aic_spec_parse", &parse, sizeof parse);
    find("aic_dump", &dump, sizeof dump);
    find("aic_free", &release, sizeof release);
    if (parse("mmad(dtype=int8, m=16, n=16, k=32)", &spec) != AIC_OK ||
        dump(NULL, spec, NULL, AIC_DUMP_OBJ, NULL, NULL, &bytes, &size) != AIC_OK) {
        return 0;
    }
    release(bytes);
    return 1;
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
    pthread_barrier_init(&called, NULL, 2);
    pthread_barrier_init(&closed, NULL, 2);
    if (pthread_create(&thread, NULL, call_and_end_later, NULL) != 0) {
        fprintf(stderr, "no thread\n");
        return 1;
    }
    pthread_barrier_wait(&called);
    int good = call() == NULL && compile();
    dlclose(library);
    good = good && dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) != NULL; /* it is still there */
    pthread_barrier_wait(&closed);
    if (pthread_join(thread, &other) != 0 || other || !good) {
        fprintf(stderr, "a call through dlsym went wrong, or the library was unloaded\n");
        return 1;
    }
    return 0;
}
