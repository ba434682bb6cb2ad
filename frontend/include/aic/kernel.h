/* Kernels: compile once, call many times; packing of constant operands; dumps.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_KERNEL_H
#define AIC_KERNEL_H

#include <aic/context.h>

AIC_EXTERN_C_BEGIN

/* Machine code of one specification for one target and schedule. A kernel never changes, and any number of threads may
 * use it. References to it are counted: the caller destroys every handle that aic_kernel_create() gave, once. */

/* Finds or makes the kernel of `spec`. schedule NULL: that of the context's tuning file (aic/tune.h), if it has one for
 * this, else the default rule's. Otherwise the text form that `aicjit dump --stage plan` prints, e.g. "schedule(rows=1,
 * cols=14, vectors=2, unroll=8, band=4)". Fields may be left out, as in "schedule(vectors=2)": they are chosen as the
 * default rule chooses, given the others. context NULL: the default context. When several threads request one kernel it
 * is compiled once. */
AIC_API aic_status aic_kernel_create(aic_context *context, const aic_spec *spec, const char *schedule,
                                     aic_kernel **kernel);
AIC_API void aic_kernel_destroy(aic_kernel *kernel); /* NULL does nothing */

/* Bytes of scratch memory that one call of a C function below needs, aligned to 64 bytes: with plain operands, and with
 * packed images in place of packable operands, which needs no room to pack them. */
AIC_API size_t aic_kernel_workspace_size(const aic_kernel *kernel);
AIC_API size_t aic_kernel_packed_workspace_size(const aic_kernel *kernel);

/* What aic_kernel_OP() calls: the kernel's function, to be cast to one that takes `operands` pointers and a workspace.
 */
typedef void (*aic_kernel_entry_fn)(void);
AIC_API aic_kernel_entry_fn aic_kernel_entry(const aic_kernel *kernel, aic_op op, size_t operands, bool packed);

/* Kernels as C functions: operands as aic_jit_OP() takes them, packable ones plain or (_packed) as packed images, then
 * aic_kernel_workspace_size() bytes of scratch memory, 64-byte aligned and not shared between concurrent calls. They
 * check nothing, neither addresses nor data. Valid while the kernel is held; NULL when it is no kernel of this one
 * operator. */
#define AIC_OPERANDS(...) __VA_ARGS__
#define AIC_OP(ENUM, name, count, params, args)                                                                        \
    typedef void (*aic_##name##_fn)(params, void *workspace);                                                          \
    static inline aic_##name##_fn aic_kernel_##name(const aic_kernel *kernel)                                          \
    {                                                                                                                  \
        return (aic_##name##_fn)aic_kernel_entry(kernel, AIC_OP_##ENUM, count, false);                                 \
    }                                                                                                                  \
    static inline aic_##name##_fn aic_kernel_##name##_packed(const aic_kernel *kernel)                                 \
    {                                                                                                                  \
        return (aic_##name##_fn)aic_kernel_entry(kernel, AIC_OP_##ENUM, count, true);                                  \
    }
#include <aic/ops.def>
#undef AIC_OP
#undef AIC_OPERANDS

/* The kernel of any specification, chains too, as one C function: of its operands in calling order, packable ones plain
 * or (packed) as packed images, and of scratch memory.
 *
 *     operands    as aic_kernel_call() takes them; NULL for those that are not taken. They are only read
 *     workspace   aic_kernel_workspace_size() bytes, or (packed) aic_kernel_packed_workspace_size(), aligned to 64 and
 *                 not shared between concurrent calls; anything where that is 0. Its content does not matter
 *     threads     a call is done by its thread alone, whatever the context says; any number of threads may call at the
 *                 same time
 *
 * It checks nothing, neither addresses nor data, and keeps nothing; 32 KiB of stack are enough for it. Where the
 * specification has a word or a constant as a field, that is what the function computes with. Valid while the kernel is
 * held, and the same each time. NULL with a message when memory has run out. */
typedef void (*aic_kernel_fn)(void *const operands[], void *workspace);
AIC_API aic_kernel_fn aic_kernel_function(const aic_kernel *kernel, bool packed);

/* Calls the kernel with its operands in calling order; checks count, NULL, alignment and overlap as the
 * aic_jit_ functions do. The scratch memory is the calling thread's own, kept for its next call. */
AIC_API aic_status aic_kernel_call(const aic_kernel *kernel, void *const operands[], size_t count);

/* The same for operands of which the caller knows how long they are: bytes[i] is the length of operands[i], which has
 * to be what the kernel reads or writes there, or more. AIC_INVALID_ARGUMENT where one is shorter, and nothing is
 * written. The length of an operand that is not taken does not matter. */
AIC_API aic_status aic_kernel_call_sized(const aic_kernel *kernel, void *const operands[], const size_t bytes[],
                                         size_t count);

/* aic_jit_OP() for any specification, fused chains among them: validates, finds or makes the kernel, runs it. operands
 * in the order of aic_spec_operands(), NULL for unused ones. */
AIC_API aic_status aic_jit_spec(aic_context *context, const aic_spec *spec, void *const operands[], size_t count);

/* Packing of a constant operand, such as weights, for many calls. `operand` is its number in calling order, 2 for
 * conv2d's weight.
 *
 * aic_kernel_packed_size() gives the bytes of the packed image; AIC_UNSUPPORTED when the kernel does not pack this
 * operand.
 * aic_kernel_pack() writes the image of `source` to `packed`, memory of the caller of that many bytes, aligned to 64.
 * Then it lets the system move images of megabytes to large pages (MADV_HUGEPAGE), which takes that a minute: calls
 * with images beyond the caches take 0.7 to 1.0 of the time there. A caller that says madvise() before has them at
 * once, and packing waits until they are free.
 *
 * aic_kernel_call_packed() is aic_kernel_call() with packed images in place of all packable operands.
 *
 * An image begins with a head of 64 bytes that says in which form it was packed: from weights of which shape and type,
 * and how the kernel reads them. Every kernel that reads the same form takes it, such as kernels for images of other
 * sizes whose schedules cut the weights alike; others, and memory that is no image, are AIC_INVALID_ARGUMENT in every
 * packed call. C functions (aic_kernel_OP_packed) check nothing: aic_kernel_check_packed() does it for them, and for
 * images that a program has stored.
 * aic_packed_identity() writes the name of an image's form, 64 hexadecimal digits and a closing zero, the same in every
 * process: images of one name are interchangeable, and a program that stores an image can store its name beside it. */
AIC_API aic_status aic_kernel_packed_size(const aic_kernel *kernel, size_t operand, size_t *bytes);
AIC_API aic_status aic_kernel_pack(const aic_kernel *kernel, size_t operand, void *packed, const void *source);
AIC_API aic_status aic_kernel_check_packed(const aic_kernel *kernel, size_t operand, const void *packed);
AIC_API aic_status aic_packed_identity(const void *packed, char text[65]);
AIC_API aic_status aic_kernel_call_packed(const aic_kernel *kernel, void *const operands[], size_t count);

/* Calls the kernel for n images. Operand i of image k lies k * strides[i] bytes behind operands[i]; with a stride of 0
 * all images share the operand, such as weights. Both arrays have as many entries as the kernel has operands; the
 * stride of an operand that is not taken has no effect. The result is that of n calls, bit for bit. Where there are
 * enough images for the threads of the context, each thread computes whole images, in any order; else the threads share
 * each call (aic_context_options.threads). A packable operand that all images share is packed once.
 *
 * n = 0 does nothing, but both arrays have to be there. AIC_INVALID_ARGUMENT, and nothing is written, where
 * aic_kernel_call() would refuse any of the images, a stride is no multiple of the operand's alignment, the stride of
 * the output is less than its bytes, or an output overlaps an operand of another image. AIC_OUT_OF_MEMORY.
 *
 * aic_kernel_call_batch_packed() takes packed images in place of all packable operands; their strides are 0 or
 * multiples of 64. */
AIC_API aic_status aic_kernel_call_batch(const aic_kernel *kernel, void *const operands[], const size_t strides[],
                                         size_t n);
AIC_API aic_status aic_kernel_call_batch_packed(const aic_kernel *kernel, void *const operands[],
                                                const size_t strides[], size_t n);

typedef struct aic_kernel_info {
    size_t size;          /* of this structure */
    const char *name;     /* symbol of the kernel, names dump files too; lives as long as the kernel */
    const char *isa;      /* instruction set level it was generated for */
    const char *schedule; /* canonical text; lives as long as the kernel */
    const char *origin;   /* of the schedule: "default", "tuned" (by a record of the context's tuning file), "given" */
    uint64_t emit_ns;     /* time to plan and compose the kernel, and to emit the IR of what is no part */
    uint64_t codegen_ns;  /* passes and machine code */
    uint64_t link_ns;
    uint64_t code_bytes; /* size of the object */
    int threads;         /* at most that many share a call: 1 for kernels with little to do */
    bool compiled;       /* false: it was in the cache when this handle was created */
    bool loaded;         /* from the disk cache when this handle was created; the times to make it are 0 */
    uint64_t make_ns;    /* from the schedule to a kernel that can be called, in all */
    /* Parts of it that other kernels may have, too: at hand in memory, loaded, compiled for it. */
    uint32_t parts_ready, parts_loaded, parts_made;
} aic_kernel_info;

AIC_SIZED(aic_kernel_info)

AIC_API aic_status aic_kernel_get_info(const aic_kernel *kernel, aic_kernel_info *info);

typedef enum aic_dump_stage {
    AIC_DUMP_IR = 0, /* as emitted; a comment at its head says what it is */
    AIC_DUMP_OPT,    /* after the pass pipeline; the comment says where that changes nothing */
    AIC_DUMP_ASM,  /* compiled as a whole. A kernel that is made to be called is compiled in two parts: its inner loops
                      get this same code, the loops around them code that is made in a quarter of the time */
    AIC_DUMP_OBJ,  /* relocatable object file */
    AIC_DUMP_PLAN, /* the schedule's text */
    AIC_DUMP_EXPLAIN /* which schedule, where it comes from and why, which were refused and why, predicted cost and its
                        bound */
} aic_dump_stage;

/* What the generator makes of `spec`, without running it. isa NULL: the context's level, or the lowest when triple
 * names another architecture; any level of the target's architecture is accepted, whether or not the host has it.
 * triple NULL: the host's; else one of 64-bit Linux on an architecture that has a generator, e.g. "aarch64-linux-gnu"
 * or "x86_64-pc-linux-musl". On success *bytes is a block of *size bytes and a closing zero that the caller frees with
 * aic_free(). */
AIC_API aic_status aic_dump(aic_context *context, const aic_spec *spec, const char *schedule, aic_dump_stage stage,
                            const char *isa, const char *triple, char **bytes, size_t *size);
AIC_API void aic_free(void *memory);

/* What the generator expects of a schedule, without making code. */
typedef struct aic_prediction {
    size_t size;        /* of this structure */
    char schedule[160]; /* canonical text: what was left out is filled in */
    bool is_default;    /* the default rule would choose it */
    int vector_bits;    /* of the context's instruction set level */
    double cost;        /* vector operations of a call */
    double bound;       /* of these, what no schedule can save */
} aic_prediction;

AIC_SIZED(aic_prediction)

/* Predicts the cost of `spec` with this schedule in this context; schedule NULL: the default rule's. A schedule that
 * does not fit is AIC_INVALID_ARGUMENT, and aic_last_error() names the field. context NULL: the default context. */
AIC_API aic_status aic_schedule_predict(aic_context *context, const aic_spec *spec, const char *schedule,
                                        aic_prediction *prediction);

AIC_EXTERN_C_END

#endif
