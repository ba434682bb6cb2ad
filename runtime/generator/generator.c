/* The generator when it is needed; see generator.h. */
#include "runtime/generator/generator.h"
#include "frontend/core/thread.h"
#include "runtime/system/fork.h"

#include <pthread.h>
#include <stdatomic.h>

/* How C++ registers destructors of thread-local objects, and the object that names this library there. */
extern int cxa_thread_atexit(void (*destructor)(void *), void *object, void *dso) __asm__("__cxa_thread_atexit_impl")
    __attribute__((weak));
extern char dso_handle __asm__("__dso_handle") __attribute__((visibility("hidden")));

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* loading */
static _Atomic(const aic_generator_api *) loaded;         /* NULL: not yet */
static _Atomic(aic_status) failure;                       /* of the last attempt to load it */
static atomic_uint strangers;                             /* calls of threads that are none of the library's own */

/* ---- in place of a generator that cannot be had ---- */

static aic_status no_plan(const aic_problem *problem, const char *schedule, aic_schedule_info *info)
{
    (void)problem, (void)schedule, (void)info;
    return atomic_load(&failure);
}

static aic_status no_candidate(const aic_problem *problem, size_t index, char text[AIC_SCHEDULE_TEXT_MAX])
{
    (void)problem, (void)index, (void)text;
    return atomic_load(&failure);
}

static aic_status no_object(const aic_codegen_request *request, aic_object *object)
{
    (void)request, (void)object;
    return atomic_load(&failure);
}

static aic_status no_dump(const aic_codegen_request *request, aic_dump_stage stage, char **bytes, size_t *size)
{
    (void)request, (void)stage, (void)bytes, (void)size;
    return atomic_load(&failure);
}

static aic_status no_explain(const aic_problem *problem, const char *schedule, char **text)
{
    (void)problem, (void)schedule, (void)text;
    return atomic_load(&failure);
}

static aic_status no_space(const aic_problem *problem, aic_space_list *list)
{
    (void)problem, (void)list;
    return atomic_load(&failure);
}

static aic_status no_facts(const aic_problem *problem, const char *schedule, aic_plan_facts *facts)
{
    (void)problem, (void)schedule, (void)facts;
    return atomic_load(&failure);
}

static aic_status no_bundle(const aic_bundle_request *request, aic_bundle *bundle)
{
    (void)request, (void)bundle;
    return atomic_load(&failure);
}

static const aic_generator_api ABSENT = {
    .version = AIC_GENERATOR_VERSION,
    .plan = no_plan,
    .candidate = no_candidate,
    .object = no_object,
    .dump = no_dump,
    .explain = no_explain,
    .space = no_space,
    .facts = no_facts,
    .bundle = no_bundle,
};

/* ---- loading ---- */

static const aic_generator_api *load(void)
{
    const aic_generator_api *api = NULL;
    pthread_mutex_lock(&mutex);
    if (atomic_load_explicit(&loaded, memory_order_relaxed) == NULL) {
        const aic_status status = aic_generator_open(&api);
        if (status == AIC_OK) {
            atomic_store_explicit(&loaded, api, memory_order_release);
        } else {
            atomic_store(&failure, status);
        }
    }
    api = atomic_load_explicit(&loaded, memory_order_relaxed);
    pthread_mutex_unlock(&mutex);
    return api != NULL ? api : &ABSENT;
}

unsigned aic_generator_strangers(void)
{
    return atomic_load_explicit(&strangers, memory_order_relaxed);
}

const aic_generator_api *aic_generator(void)
{
    const aic_thread *thread = aic_thread_peek();
    if (thread == NULL || !thread->own) {
        atomic_fetch_add_explicit(&strangers, 1, memory_order_relaxed); /* a statistic */
    }
    /* acquire: pairs with the release in load(), the table comes with its address. */
    const aic_generator_api *api = atomic_load_explicit(&loaded, memory_order_acquire);
    return api != NULL ? api : load();
}

/* ---- fork and exit ---- */

/* A child must not find a generator that is loaded by half, nor one that compiles on a thread of the parent's. While
 * the mutex is held none is loaded, so that the three see the same one. */
static const aic_fork_part *generators_part(void)
{
    const aic_generator_api *api = atomic_load_explicit(&loaded, memory_order_relaxed);
    return api != NULL ? api->fork : NULL;
}

static void before_fork(void)
{
    pthread_mutex_lock(&mutex);
    const aic_fork_part *part = generators_part();
    if (part != NULL) {
        part->before();
    }
}

static void after_fork_in_parent(void)
{
    const aic_fork_part *part = generators_part();
    if (part != NULL) {
        part->in_parent();
    }
    pthread_mutex_unlock(&mutex);
}

static void after_fork_in_child(void)
{
    const aic_fork_part *part = generators_part();
    if (part != NULL) {
        part->in_child();
    }
    pthread_mutex_unlock(&mutex);
}

const aic_fork_part aic_generator_fork = {before_fork, after_fork_in_parent, after_fork_in_child};

/* exit() calls the destructors of its thread's thread-local C++ objects before all of its handlers. Here it waits until
 * a generator that is being loaded is there, and has made its globals, which have handlers of their own. */
static void on_thread_end(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    const aic_generator_api *api = atomic_load_explicit(&loaded, memory_order_relaxed);
    pthread_mutex_unlock(&mutex);
    if (api != NULL) {
        api->wait_for_globals();
    }
}

/* The thread that loads the library is nearly always the main thread, and that is nearly always the one that exits. */
__attribute__((constructor)) static void watch_exit(void)
{
    if (cxa_thread_atexit != NULL) {
        cxa_thread_atexit(on_thread_end, NULL, &dso_handle);
    }
}
