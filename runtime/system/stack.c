/* See stack.h. */
#define _GNU_SOURCE /* pthread_getattr_np(), gettid() */
#include "runtime/system/stack.h"
#include "frontend/core/thread.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

/* The most that is supposed of the first thread's stack, which grows as far as the limit allows. */
enum { FIRST_MOST = 8 << 20 };

/* The first thread's stack, at whose end the system has put the program's name, behind arguments and environment, which
 * the limit counts: of that thread alone the C library would read a file of the process, which takes longer than to
 * link a kernel. */
static void find_first(aic_thread *thread)
{
    struct rlimit limit;
    const uintptr_t high = (uintptr_t)getauxval(AT_EXECFN);
    if (high != 0 && getrlimit(RLIMIT_STACK, &limit) == 0) {
        thread->stack.high = high;
        thread->stack.low = high - (limit.rlim_cur < FIRST_MOST ? (uintptr_t)limit.rlim_cur : FIRST_MOST);
    }
}

static void find_other(aic_thread *thread)
{
    pthread_attr_t attributes;
    void *low;
    size_t bytes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
        return;
    }
    if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
        thread->stack.low = (uintptr_t)low;
        thread->stack.high = (uintptr_t)low + bytes;
    }
    pthread_attr_destroy(&attributes);
}

bool aic_stack_has(size_t bytes)
{
    aic_thread *thread = aic_thread_get();
    const char here = 0;
    const uintptr_t at = (uintptr_t)&here;
    if (thread == NULL) {
        return false;
    }
    if (thread->stack.high == 0) {
        (gettid() == getpid() ? find_first : find_other)(thread);
    }
    return at > thread->stack.low && at < thread->stack.high && at - thread->stack.low > bytes;
}
