/* See loading.h. */
#include "runtime/generator/loading.h"
#include "frontend/core/diag.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#define SUBJECT "generator module"

/* What must be there: LLVM's constructors take 1 MB, its pages that are written 6 MB. */
#define ROOM_BYTES ((size_t)64 << 20)
#define RESERVE_BYTES ((size_t)8 << 20)

typedef void (*new_handler)(void);
typedef new_handler (*set_new_handler)(new_handler handler);

static _Atomic(void *) reserve;
static _Atomic(set_new_handler) set_handler; /* NULL: there is no such function */
static _Atomic(new_handler) previous;

/* Takes the room, to see that it is there, and keeps the reserve of it. */
static bool take_reserve(void)
{
    char *memory = mmap(NULL, RESERVE_BYTES + ROOM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return false;
    }
    munmap(memory + RESERVE_BYTES, ROOM_BYTES);
    atomic_store(&reserve, memory);
    return true;
}

static bool give_back_reserve(void)
{
    void *memory = atomic_exchange(&reserve, NULL);
    if (memory != NULL) {
        munmap(memory, RESERVE_BYTES);
    }
    return memory != NULL;
}

/* Called by C++ when an allocation fails, and returns to have it tried again: after the reserve has been given back,
 * and once more with the handler that was there before. */
static void on_new_failure(void)
{
    if (!give_back_reserve()) {
        (void)atomic_load (&set_handler)(atomic_load(&previous));
    }
}

/* The library of C++ comes first: it stays, and has the function that installs a handler. */
static void install_handler(void)
{
    void *cxx = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    void *symbol = cxx != NULL ? dlsym(cxx, "_ZSt15set_new_handlerPFvvE") : NULL;
    set_new_handler set = NULL;
    memcpy(&set, &symbol, sizeof set); /* ISO C has no cast from an object's address to a function's */
    atomic_store(&set_handler, set);
    if (set != NULL) {
        atomic_store(&previous, set(on_new_failure));
    }
}

static void remove_handler(void)
{
    const set_new_handler set = atomic_load(&set_handler);
    if (set != NULL) {
        (void)set(atomic_load(&previous));
    }
}

aic_status aic_load_library(const char *path, bool own_cxx, void **library)
{
    if (!take_reserve()) {
        return aic_fail_memory(SUBJECT, RESERVE_BYTES + ROOM_BYTES);
    }
    if (own_cxx) {
        (void)give_back_reserve();
    } else {
        install_handler();
    }
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* local: its LLVM is nobody else's */
    if (!own_cxx) {
        remove_handler();
        (void)give_back_reserve();
    }
    return AIC_OK;
}
