/* Ahead of time: kernels as an object file and a header, for programs that have neither this library nor LLVM.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_EXPORT_H
#define AIC_EXPORT_H

#include <aic/context.h>

AIC_EXTERN_C_BEGIN

/* A kernel of an object. */
typedef struct aic_export_kernel {
    size_t size; /* of this structure */
    const aic_spec *spec;
    /* The function's name: a C identifier that does not begin with an underscore, of at most AIC_EXPORT_NAME_MAX
     * characters, that C and C++ programs can have: no keyword, main, macro of compilers (linux, unix, i386), namespace
     * std or posix, nor name of the C library, of ISO C, POSIX or what its headers declare by default. NAME_pack,
     * NAME_packed, NAME_packed_check and macros that begin with NAME in capitals are made of it; those of two kernels
     * must differ. NULL: the operators' names joined, "conv2d_fixpipe", with a number behind where that is taken. */
    const char *name;
    /* NULL: that of the context's tuning file for the target, if it has one, else the default rule's. */
    const char *schedule;
} aic_export_kernel;

AIC_SIZED(aic_export_kernel)

#define AIC_EXPORT_NAME_MAX 80

/* The most kernels of one object, levels multiplied. */
#define AIC_EXPORT_MAX 256

typedef struct aic_exported {
    size_t size;  /* of this structure */
    char *object; /* ELF relocatable */
    size_t object_size;
    char *header; /* C and C++, with a closing zero: prototypes, sizes, what the operands are */
    size_t header_size;
} aic_exported;

AIC_SIZED(aic_exported)

/* Makes an object with these kernels, and its header. Of each
 *
 *     void NAME(out, const in..., void *workspace)
 *     void NAME_packed(the same)                       where an operand can be packed: with its packed image
 *     void NAME_pack(void *packed, const void *source) likewise
 *     void NAME_packed_check(const void *packed, int *fits)    likewise: *fits is 1 for an image that NAME_packed()
 *                                                      reads on this processor, 0 for other memory of 64 bytes
 *
 * They are freestanding code: the object refers to nothing outside, and nothing is allocated or checked. They can be
 * called by any number of threads, each with a workspace of its own.
 *
 * isa: a level of the target's architecture, whether or not the host has it; NULL as for aic_dump(). Several levels,
 * separated by commas: the functions choose the highest that the processor has when they are called, the lowest is
 * taken for granted. What was found is kept in the object's only variable. Level amx cannot be one of several: whether
 * a process may use tiles is between it and the system.
 *
 * triple: as for aic_dump(). AIC_INVALID_ARGUMENT for names, levels, specifications that cannot be. Free the result
 * with aic_exported_destroy(). */
AIC_API aic_status aic_export(aic_context *context, const aic_export_kernel *kernels, size_t count, const char *isa,
                              const char *triple, aic_exported *result);
AIC_API void aic_exported_destroy(aic_exported *result); /* NULL does nothing */

AIC_EXTERN_C_END

#endif
