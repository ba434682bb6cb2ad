/* What the library keeps for each thread: one record, reached by a key of thread-specific data, made when the thread
 * first needs it and freed when the thread ends.
 *
 * There is no _Thread_local in the library. Its initial-exec model takes room that dlopen may no longer have, and its
 * dynamic model ends the process when memory runs out. And the value of the key is the only way to the record: what
 * other destructors call when a thread ends, after the record is gone, finds none and gets a new one. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AIC_MESSAGE_MAX 512
#define AIC_ALSO_MAX 8192
#define AIC_ALSO_RULES 64
#define AIC_SLOT_HINT_BITS 7
#define AIC_SLOT_HINTS (1 << AIC_SLOT_HINT_BITS)

/* What a context's options name: the function that gets lines and warnings (NULL: lines go to standard error), and
 * those that memory of the context comes from (NULL: malloc()). */
typedef struct aic_hooks {
    void (*log)(void *data, int level, const char *line);
    void *log_data;
    void *(*allocate)(void *data, size_t bytes, size_t alignment);
    void (*deallocate)(void *data, void *memory, size_t bytes);
    void *allocate_data;
} aic_hooks;

static inline bool aic_hooks_any(const aic_hooks *hooks)
{
    return hooks->log != NULL || hooks->allocate != NULL;
}

/* A failure but for what it says of other rules. */
typedef struct aic_failure {
    char error[AIC_MESSAGE_MAX];
    size_t source; /* so many bytes at its end are the source of a rule */
    size_t also_used, rule_count;
    bool also_full; /* the last text says that there are more */
} aic_failure;

typedef struct aic_thread {
    /* diag.c */
    aic_failure failure;
    char also[AIC_ALSO_MAX]; /* the other rules that the request breaks, texts one behind the other */
    const struct aic_rule *rule[AIC_ALSO_RULES]; /* that message number i is about */
    char warning[AIC_MESSAGE_MAX];               /* "": none, or it was taken */
    char taken_warning[AIC_MESSAGE_MAX];         /* the one that was taken last */
    const aic_hooks *hooks;                      /* of the context that it works for; NULL: of none that has one */
    bool telling; /* a program's log, which may call the library, or for one: nothing is told meanwhile */
    /* runtime/call/scratch.h: memory for kernels */
    struct {
        void *memory;
        size_t size;
        size_t few;     /* calls that need less than this are counted: a quarter of the size, or 0 for small blocks */
        size_t most;    /* that any of those needed */
        unsigned calls; /* one after the other, so far */
    } scratch;
    /* runtime/threads/share.c: in a parallel-for callback; calls that it makes are not shared once more */
    bool sharing;
    /* runtime/cache/grace.h: what it writes down when it reads without a lock, and what takes that back when it ends */
    void *reader;
    void (*give_back_reader)(void *reader);
    /* runtime/request/pipeline.c: in which slot of a cache the entry of a request was found, by a few bits of where the
     * request and its context are. A hint: anything may be there by now */
    uint32_t slot[AIC_SLOT_HINTS];
    /* runtime/system/stack.c: where its stack lies; 0: not yet known */
    struct {
        uintptr_t low, high;
    } stack;
    /* runtime/generator/worker.c: it is a thread of the library's own, whose stack has room for the generator */
    bool own;
    /* codegen/llvm/guard.c: where the thread goes on when LLVM gives up; NULL outside the guard */
    void *escape;
} aic_thread;

extern pthread_key_t aic_thread_key;
extern bool aic_thread_ready; /* the key exists: set when the library is loaded */

/* The calling thread's record, or NULL when it has none yet. */
static inline aic_thread *aic_thread_peek(void)
{
    return aic_thread_ready ? pthread_getspecific(aic_thread_key) : NULL;
}

/* The same, made if there is none; NULL when memory or keys have run out. */
aic_thread *aic_thread_get(void);

/* From now on the calling thread works with these (NULL: with none), until the result is put back, which is what it
 * used before. */
const aic_hooks *aic_thread_use(const aic_hooks *hooks);
