/* Memory while the module is loaded; see module.h. */
#include "codegen/module.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

/* LLVM's constructors take 1 MB, its pages that are written 6 MB. */
#define RESERVE_BYTES ((size_t)8 << 20)

/* Whether the library of C++ is in the module. */
#ifdef AIC_MODULE_CXX
enum { OWN_CXX = true };
#else
enum { OWN_CXX = false };
#endif

/* By its mangled name. */
typedef void (*new_handler)(void);
extern new_handler set_new_handler(new_handler handler) __asm__("_ZSt15set_new_handlerPFvvE") __attribute__((weak));

static _Atomic(void *) reserve;

static void give_back_reserve(void)
{
    void *memory = atomic_exchange(&reserve, NULL);
    if (memory != NULL) {
        (void)set_new_handler(NULL);
        munmap(memory, RESERVE_BYTES);
    }
}

/* In front of LLVM's constructors, which have no priority; 101 is the first that is free. Where an allocation of C++
 * fails, it is tried again after the reserve was given back. */
__attribute__((constructor(101))) static void take_reserve(void)
{
    void *memory =
        OWN_CXX ? mmap(NULL, RESERVE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    if (memory != MAP_FAILED) {
        atomic_store(&reserve, memory);
        (void)set_new_handler(give_back_reserve);
    }
}

void aic_module_loaded(void)
{
    give_back_reserve();
}
