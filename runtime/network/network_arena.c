/* Places of buffers: those whose lifetimes do not meet may share memory. The largest buffers come first, each into the
 * lowest gap between those that it meets. */
#include "frontend/core/diag.h"
#include "frontend/core/size.h"
#include "runtime/network/network.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Kernels load by whole lines, and neighbours do not share one. */
enum { LINE = 64 };

static int64_t room_of(const aic_net_tensor *tensor)
{
    return (tensor->bytes + LINE - 1) / LINE * LINE;
}

/* Whether the tensor has a place in the arena. */
static bool is_placed(const aic_net_tensor *tensor)
{
    return tensor->kind == AIC_NET_BUFFER && !tensor->view && !tensor->output && tensor->first <= tensor->last;
}

static bool meet(const aic_net_tensor *a, const aic_net_tensor *b)
{
    return a->first <= b->last && b->first <= a->last;
}

static int by_size(const void *a, const void *b)
{
    const aic_net_tensor *x = *(aic_net_tensor *const *)a, *y = *(aic_net_tensor *const *)b;
    return x->bytes != y->bytes ? (x->bytes < y->bytes) - (x->bytes > y->bytes) : (x > y) - (x < y);
}

/* The lowest place that is free for the tensor among the `count` that have one, which are sorted by place. */
static int64_t find_place(aic_net_tensor *const *placed, size_t count, const aic_net_tensor *tensor)
{
    int64_t place = 0;
    for (size_t i = 0; i < count; i++) {
        if (meet(placed[i], tensor) && placed[i]->place + room_of(placed[i]) > place) {
            if (placed[i]->place >= place + room_of(tensor)) {
                break;
            }
            place = placed[i]->place + room_of(placed[i]);
        }
    }
    return place;
}

/* Puts it among the others, which are sorted by place. */
static void insert(aic_net_tensor **placed, size_t count, aic_net_tensor *tensor)
{
    size_t at = count;
    while (at > 0 && placed[at - 1]->place > tensor->place) {
        at--;
    }
    memmove(&placed[at + 1], &placed[at], (count - at) * sizeof placed[0]);
    placed[at] = tensor;
}

aic_status aic_net_place(aic_network *net)
{
    aic_net_tensor **buffer = calloc(2 * net->tensors, sizeof *buffer), **placed = buffer + net->tensors;
    size_t count = 0;
    if (buffer == NULL) {
        return aic_fail_memory(AIC_NETWORK_SUBJECT, 2 * net->tensors * sizeof *buffer);
    }
    for (size_t i = 0; i < net->tensors; i++) {
        if (is_placed(&net->tensor[i])) {
            buffer[count++] = &net->tensor[i];
            net->buffer_bytes = aic_size_add(net->buffer_bytes, room_of(&net->tensor[i]));
        }
    }
    qsort(buffer, count, sizeof *buffer, by_size);
    for (size_t i = 0; i < count; i++) {
        buffer[i]->place = find_place(placed, i, buffer[i]);
        insert(placed, i, buffer[i]);
        const int64_t end = buffer[i]->place + room_of(buffer[i]);
        net->arena_bytes = end > net->arena_bytes ? end : net->arena_bytes;
    }
    free(buffer);
    return net->arena_bytes <= AIC_NETWORK_ARENA_BYTES_MAX
               ? AIC_OK
               : aic_fail(AIC_INVALID_ARGUMENT, AIC_NETWORK_SUBJECT,
                          "\"%s\": the buffers need %" PRId64 " bytes at a time, more than %" PRId64, net->path,
                          net->arena_bytes, AIC_NETWORK_ARENA_BYTES_MAX);
}

void *aic_net_arena_take(aic_network *net)
{
    for (size_t i = 0; i < AIC_NETWORK_ARENAS; i++) {
        /* acquire: pairs with the release of who gave it, whose kernels are done. */
        void *arena = atomic_exchange_explicit(&net->arena[i], NULL, memory_order_acquire);
        if (arena != NULL) {
            return arena;
        }
    }
    const size_t roots = (1 + net->inputs + net->outputs) * sizeof(char *);
    return aligned_alloc(LINE, (size_t)net->arena_bytes + (roots + LINE - 1) / LINE * LINE);
}

void aic_net_arena_give(aic_network *net, void *arena)
{
    for (size_t i = 0; i < AIC_NETWORK_ARENAS; i++) {
        void *none = NULL;
        if (atomic_compare_exchange_strong_explicit(&net->arena[i], &none, arena, memory_order_release,
                                                    memory_order_relaxed)) {
            return;
        }
    }
    free(arena);
}
