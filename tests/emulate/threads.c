/* States are pages of their own, in a list for each thread. Nothing here calls malloc: an instruction may stand in a
 * handler that interrupted it. */
#include "tests/emulate/threads.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

struct threads_interrupted {
    tile_state tiles;
    bool in_use;
    struct threads_interrupted *next; /* of the thread */
};

typedef struct threads_interrupted node;

/* Two words, at an address that the loader fixes: handlers of signals read them. */
static _Thread_local struct {
    node *current; /* NULL: initialised */
    node *all;
} thread __attribute__((tls_model("initial-exec")));

static pthread_key_t key; /* its destructor frees a thread's list */

static void free_list(void *list)
{
    thread.current = thread.all = NULL;
    for (node *at = list; at != NULL;) {
        node *next = at->next;
        (void)munmap(at, sizeof *at);
        at = next;
    }
}

/* Linux copies the configuration to the child and leaves the tiles behind: tile data is a dynamic feature, which
 * clone() takes for saved by the caller (fpu_clone() in arch/x86/kernel/fpu/core.c). */
static void after_fork(void)
{
    if (thread.current != NULL) {
        memset(thread.current->tiles.tile, 0, sizeof thread.current->tiles.tile);
    }
}

bool threads_start(void)
{
    return pthread_key_create(&key, free_list) == 0 && pthread_atfork(NULL, NULL, after_fork) == 0;
}

static node *new_node(void)
{
    node *made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) {
        return NULL;
    }
    made->next = thread.all;
    thread.all = made;
    (void)pthread_setspecific(key, made);
    return made;
}

tile_state *threads_tiles(void)
{
    if (thread.current == NULL) {
        node *at = thread.all;
        while (at != NULL && at->in_use) {
            at = at->next;
        }
        at = at != NULL ? at : new_node();
        if (at == NULL) {
            return NULL;
        }
        at->in_use = true;
        tile_release(&at->tiles);
        thread.current = at;
    }
    return &thread.current->tiles;
}

threads_interrupted *threads_enter_handler(void)
{
    node *interrupted = thread.current;
    thread.current = NULL;
    return interrupted;
}

void threads_leave_handler(threads_interrupted *interrupted)
{
    if (thread.current != NULL) {
        thread.current->in_use = false;
    }
    thread.current = interrupted;
}
