/* Networks: a folder that says which kernels run one after the other, with their constants in .npy files
 * (tools/networks.md has the format).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_NETWORK_H
#define AIC_NETWORK_H

#include <aic/context.h>
#include <aic/export.h>

AIC_EXTERN_C_BEGIN

/* Never changes once it is open; any number of threads may call it at the same time. */
typedef struct aic_network aic_network;

/* An input or output. */
typedef struct aic_network_tensor {
    size_t size; /* of this structure */
    const char *name;
    aic_dtype dtype;
    int32_t rank;
    int64_t shape[AIC_RANK_MAX];
    int64_t elements, bytes;
    size_t alignment; /* that its address must have */
} aic_network_tensor;

/* A kernel, in the order of calls. */
typedef struct aic_network_kernel {
    size_t size;          /* of this structure */
    size_t line;          /* of network.txt */
    const char *text;     /* canonical operator text */
    const char *output;   /* name of what it writes */
    const char *schedule; /* NULL in a network of references */
    int threads;          /* at most that many share a call */
    int64_t macs, bytes;  /* aic_spec_work() */
    bool packed;          /* a constant of it was packed when the network was opened */
} aic_network_kernel;

/* Valid as long as the network is open. */
typedef struct aic_network_facts {
    size_t size;                              /* of this structure */
    const aic_network_tensor *input, *output; /* in the order of a call */
    const aic_network_kernel *kernel;
    size_t inputs, outputs, kernels;
    int64_t arena_bytes;     /* of all buffers, which share memory where they may */
    int64_t buffer_bytes;    /* what they would need without that */
    int64_t constant_bytes;  /* that are kept: packed images, and constants that are used plain */
    int64_t workspace_bytes; /* of the kernel that needs most, on one thread */
    const char *isa;
} aic_network_facts;

AIC_SIZED(aic_network_facts)

/* Entry number `index` of input, output or kernel. Entries lie as far apart as they are large in the library that runs.
 */
static inline const aic_network_tensor *aic_network_tensor_at(const aic_network_tensor *first, size_t index)
{
    return (const aic_network_tensor *)(const void *)((const char *)first + index * first->size);
}

static inline const aic_network_kernel *aic_network_kernel_at(const aic_network_kernel *first, size_t index)
{
    return (const aic_network_kernel *)(const void *)((const char *)first + index * first->size);
}

/* Called on the thread of aic_network_open() whenever a kernel was made. false: stop, aic_network_open() is
 * AIC_INVALID_ARGUMENT. Kernels that had been begun are made meanwhile, others are begun only when it has returned. */
typedef bool (*aic_network_progress)(void *user, size_t made, size_t kernels);

/* Called by aic_network_call() when kernel number `kernel` has run, on the calling thread. */
typedef void (*aic_network_step)(void *user, size_t kernel);

typedef struct aic_network_options {
    size_t size;                   /* of this structure */
    bool reference;                /* no kernel is made: the plain-C reference computes, slowly */
    aic_network_progress progress; /* NULL: none */
    aic_network_step step;         /* NULL: none */
    void *user;                    /* of both */
} aic_network_options;

AIC_SIZED(aic_network_options)

/* Opens the network in `folder`: checks everything, makes all kernels, on as many threads as the context has, packs
 * constants. context NULL: the default context, which may be destroyed before the network; options NULL: the defaults.
 * AIC_INVALID_ARGUMENT with file and line where something is wrong with the folder; AIC_UNSUPPORTED, AIC_IO,
 * AIC_OUT_OF_MEMORY, AIC_COMPILE. */
AIC_API aic_status aic_network_open(aic_context *context, const char *folder, const aic_network_options *options,
                                    aic_network **network);
AIC_API void aic_network_destroy(aic_network *network); /* NULL does nothing; no call may be in progress */

/* Fills in what facts->size says there is room for. */
AIC_API aic_status aic_network_info(const aic_network *network, aic_network_facts *facts);

/* Computes the outputs from the inputs, both in the order of network.txt. Addresses are aligned to
 * aic_network_tensor.alignment; an output is apart from all others. Threads share the kernels that are worth it.
 *
 * AIC_INVALID_ARGUMENT, and nothing is written, where addresses or counts are wrong. What ends a call later leaves
 * outputs undefined and names the line: data that break a rule of an operator (valid sizes of a tile),
 * AIC_OUT_OF_MEMORY. Calls that run at the same time have an arena each; at most eight are kept for later calls. */
AIC_API aic_status aic_network_call(const aic_network *network, const void *const inputs[], size_t input_count,
                                    void *const outputs[], size_t output_count);

/* The same, and writes how many nanoseconds each kernel took, in the order of aic_network_facts.kernel. */
AIC_API aic_status aic_network_call_timed(const aic_network *network, const void *const inputs[], size_t input_count,
                                          void *const outputs[], size_t output_count, uint64_t ns[]);

/* The same n times: image k of a tensor begins k times its bytes behind the address. The results are those of n calls,
 * bit for bit. Where there are enough images for the threads, each thread computes whole images. n = 0 does nothing. */
AIC_API aic_status aic_network_batch(const aic_network *network, const void *const inputs[], size_t input_count,
                                     void *const outputs[], size_t output_count, size_t n);

/* Makes an object with all kernels and constants of the network and one function
 *
 *     void NAME(const void *input..., void *output..., void *workspace)
 *
 * and its header, with NAME_WORKSPACE_BYTES and the bytes of each tensor, NAME_in_TENSOR_BYTES and
 * NAME_out_TENSOR_BYTES in capitals, as macros. Names, isa and triple are as for aic_export(), and so is what the code
 * is: freestanding, on the calling thread, choosing a level where there are several. Constants that kernels pack are in
 * the object packed, for each level. At most 23 inputs and outputs. Free the result with aic_exported_destroy(). */
AIC_API aic_status aic_network_export(aic_context *context, const char *folder, const char *name, const char *isa,
                                      const char *triple, aic_exported *result);

AIC_EXTERN_C_END

#endif
