/* Networks, inside; see aic/network.h. Text becomes tensors and kernels (network_text.c), which are checked against
 * each other (network_check.c), get places (network_arena.c) and machine code (network_make.c), and are called
 * (network_call.c). */
#pragma once

#include "runtime/code/code.h"
#include "runtime/export/export_names.h"
#include "runtime/request/context.h"
#include <aic/network.h>

#define AIC_NETWORK_SUBJECT "network"
#define AIC_NETWORK_FILE "network.txt"

enum {
    AIC_NETWORK_LINE_MAX = 16383, /* bytes */
    AIC_NETWORK_TEXT_MAX = 16 << 20,
    AIC_NETWORK_NAME_MAX = 63,
    AIC_NETWORK_TENSORS_MAX = 8192,
    AIC_NETWORK_KERNELS_MAX = 8192,
    AIC_NETWORK_ENDS_MAX = 1024, /* inputs, and outputs */
    AIC_NETWORK_ARENAS = 8,      /* kept for later calls */
};

static const int64_t AIC_NETWORK_TENSOR_BYTES_MAX = INT64_C(1) << 32;
static const int64_t AIC_NETWORK_ARENA_BYTES_MAX = INT64_C(1) << 34;

typedef enum aic_net_kind { AIC_NET_INPUT, AIC_NET_CONSTANT, AIC_NET_BUFFER } aic_net_kind;

/* A name. Memory has those that are no views: the tensor `base`, of which this one begins `offset` bytes behind the
 * beginning. */
typedef struct aic_net_tensor {
    char name[AIC_NETWORK_NAME_MAX + 1];
    size_t line;
    aic_net_kind kind; /* of a view: what its base is */
    bool view, output;
    aic_dtype dtype;
    int32_t rank;
    int64_t shape[AIC_RANK_MAX];
    int64_t elements, bytes;
    size_t base;
    int64_t offset;

    /* Of tensors that have memory. */
    size_t alignment;   /* that kernels ask for */
    size_t number;      /* among inputs or outputs */
    int64_t place;      /* of a buffer that is no output, in the arena */
    size_t first, last; /* kernels that use it; first > last: none does */
    void *data;         /* of a constant, as in its file; NULL: no kernel takes it so */
    bool plain;         /* some kernel takes it so */
} aic_net_tensor;

/* What an operand is when the network is called: `fixed`, or `offset` bytes behind a root. Roots are the arena, the
 * inputs and the outputs. */
typedef struct aic_net_operand {
    size_t tensor;     /* AIC_NET_NONE: not taken */
    const void *fixed; /* NULL, or a constant or its packed image */
    size_t root;
    int64_t offset;
} aic_net_operand;
#define AIC_NET_NONE SIZE_MAX

typedef struct aic_net_kernel {
    size_t line;
    char *text;    /* canonical */
    aic_spec spec; /* resolved */
    size_t count;
    aic_net_operand operand[AIC_OPERANDS_MAX];
    aic_code *code; /* held; NULL in a network of references */
    int form;
    void *image; /* packed; of this kernel, others may use it, too */
} aic_net_kernel;

struct aic_network {
    char *path; /* of network.txt, for messages */
    int folder; /* descriptor while it is opened; -1 */
    aic_semantics semantics;
    aic_share share;
    const char *isa;
    aic_network_options options;
    aic_net_tensor *tensor;
    aic_net_kernel *kernel;
    size_t tensors, kernels, inputs, outputs;
    size_t ends[2][AIC_NETWORK_ENDS_MAX]; /* tensors: inputs, outputs */
    int64_t arena_bytes, buffer_bytes, constant_bytes, workspace_bytes;
    aic_network_tensor *shown; /* inputs, then outputs */
    aic_network_kernel *shown_kernel;
    _Atomic(void *) arena[AIC_NETWORK_ARENAS]; /* not in use */
};

/* "FILE, line N: what is wrong". */
aic_status aic_net_fail(const aic_network *net, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The message of the last failure, behind file and line. */
aic_status aic_net_blame(const aic_network *net, size_t line, aic_status status);

/* Opens, reads and checks the network of a folder, and places its buffers; it has no kernels yet. */
aic_status aic_net_begin(aic_context *context, const char *folder, aic_network **network);

/* Reads network.txt. */
aic_status aic_net_read(aic_network *net);
/* A whole file of the folder, as text with a closing zero. */
aic_status aic_net_read_text(const aic_network *net, char **text, size_t *size);
/* The constant's file: its header into the tensor, its elements into memory of its own, aligned to 64 bytes. */
aic_status aic_net_read_constant(aic_network *net, const char *file, aic_net_tensor *tensor);

/* Checks the kernel that was read last: its rules, and each operand against its tensor. `given` are tensors by operand.
 */
aic_status aic_net_check_kernel(aic_network *net, aic_net_kernel *kernel);
/* Checks what is written before it is read, and finds lifetimes. */
aic_status aic_net_check_order(aic_network *net);
/* Gives every buffer that is no output its place. */
aic_status aic_net_place(aic_network *net);
/* Makes the kernels and packs constants, called by a thread that is not cancelled meanwhile. */
aic_status aic_net_make(aic_network *net, aic_context *context);

/* Memory for the buffers of a call, and behind it for its roots; NULL: there is none. */
void *aic_net_arena_take(aic_network *net);
void aic_net_arena_give(aic_network *net, void *arena);

/* How many inputs (side 0) or outputs (1) there are. */
static inline size_t aic_net_ends(const aic_network *net, int side)
{
    return side == 0 ? net->inputs : net->outputs;
}

/* The elements of a constant, or of a view of one. */
static inline const void *aic_net_data(const aic_network *net, const aic_net_tensor *tensor)
{
    return (const char *)net->tensor[tensor->base].data + tensor->offset;
}

/* Where a tensor that is no constant is when the network is called: the root, and the bytes behind it. */
static inline size_t aic_net_root(const aic_network *net, const aic_net_tensor *tensor, int64_t *offset)
{
    const aic_net_tensor *base = &net->tensor[tensor->base];
    const bool end = base->kind == AIC_NET_INPUT || base->output;
    *offset = tensor->offset + (end ? 0 : base->place);
    return base->kind == AIC_NET_INPUT ? 1 + base->number : base->output ? 1 + net->inputs + base->number : 0;
}

/* Not const, as the reference takes it: what kernels write was checked. */
static inline void *aic_net_address(const aic_net_operand *operand, char *const roots[])
{
    if (operand->tensor == AIC_NET_NONE) {
        return NULL;
    }
    return operand->fixed != NULL ? (void *)(uintptr_t)operand->fixed : roots[operand->root] + operand->offset;
}

/* ---- the header of an export ---- */

typedef struct aic_net_header {
    const aic_network *net;
    const char *name;
    const aic_export_levels *to;
    int64_t workspace_bytes;
} aic_net_header;

/* Writes it, malloc'ed with a closing zero. AIC_INVALID_ARGUMENT where two tensors' macros are the same. */
aic_status aic_net_write_header(const aic_net_header *header, char **text, size_t *size);
