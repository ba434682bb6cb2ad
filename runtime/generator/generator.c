/* The generator, and LLVM when it is needed; see generator.h. */
#include "runtime/generator/generator.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/load.h"
#include "frontend/core/thread.h"
#include "runtime/system/fork.h"

#include <pthread.h>
#include <stdatomic.h>

/* How C++ registers destructors of thread-local objects, and the object that names this library there. */
extern int cxa_thread_atexit(void (*destructor)(void *), void *object, void *dso) __asm__("__cxa_thread_atexit_impl")
    __attribute__((weak));
extern char dso_handle __asm__("__dso_handle") __attribute__((visibility("hidden")));

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* loading */
static atomic_uint strangers;                             /* calls of threads that are none of the library's own */

const struct aic_llvm_api *aic_llvm;

/* ---- loading ---- */

static void count_stranger(void)
{
    const aic_thread *thread = aic_thread_peek();
    if (thread == NULL || !thread->own) {
        atomic_fetch_add_explicit(&strangers, 1, memory_order_relaxed); /* a statistic */
    }
}

aic_status aic_llvm_load(void)
{
    aic_status status = AIC_OK;
    count_stranger();
    pthread_mutex_lock(&mutex);
    if (aic_llvm == NULL) {
        status = aic_generator_open(&aic_llvm);
        if (status == AIC_OK) {
            aic_guard_watch_exit();
        }
    }
    pthread_mutex_unlock(&mutex);
    return status;
}

unsigned aic_generator_strangers(void)
{
    return atomic_load_explicit(&strangers, memory_order_relaxed);
}

const aic_generator_api *aic_generator(void)
{
    count_stranger();
    return aic_generator_linked();
}

const aic_generator_api *aic_generator_near(void)
{
    return aic_generator_linked();
}

/* ---- fork and exit ---- */

/* A child must not find an LLVM that is loaded by half, nor one that compiles on a thread of the parent's. */
const aic_fork_lock aic_generator_fork = {&mutex, &aic_guard_fork};

/* exit() calls the destructors of its thread's thread-local C++ objects before all of its handlers. Here it waits until
 * an LLVM that is being loaded is there, and has made its globals, which have handlers of their own. */
static void on_thread_end(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    aic_guard_before_exit();
}

/* The thread that loads the library is nearly always the main thread, and that is nearly always the one that exits. */
__attribute__((constructor)) static void watch_exit(void)
{
    if (cxa_thread_atexit != NULL) {
        cxa_thread_atexit(on_thread_end, NULL, &dso_handle);
    }
}
