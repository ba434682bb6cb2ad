/* The generator as the runtime sees it: pure functions from specifications, a target and schedules to IR, assembly
 * or an object. No LLVM type crosses this line, nothing is kept between calls, any thread may call. */
#ifndef AIC_CODEGEN_H
#define AIC_CODEGEN_H

#include "codegen/image.h"
#include "codegen/schedule.h"
#include "codegen/target/target.h"
#include <aic/kernel.h>

/* What a kernel computes: one specification, or a group of independent ones that it runs in their order. */
typedef struct aic_codegen_request {
    size_t count;                 /* specifications, 1 .. AIC_GROUP_MAX */
    const aic_spec *spec;         /* resolved (aic_spec_resolve) */
    const aic_schedule *schedule; /* of each; equal specifications have equal ones */
    const aic_semantics *semantics;
    const aic_target *target;
    const char *triple; /* NULL: the host's */
    const char *passes; /* NULL or "": none */
    const char *symbol; /* name of the kernel's function; the others append _packed and _pack */
} aic_codegen_request;

/* A finished object, its image, and the sizes its caller must provide; free with aic_object_free(). */
typedef struct aic_object {
    char *bytes; /* ELF relocatable */
    size_t size;
    aic_image image;
    size_t workspace_bytes;
    size_t packed_bytes[AIC_OPERANDS_MAX]; /* 0: the operand is not packed */
    uint64_t emit_ns, codegen_ns;
} aic_object;

/* Symbols that the object of one specification defines:
 *   SYMBOL         void (void *out, const void *in..., void *workspace)   operands as the document shapes them
 *   SYMBOL_packed  the same with packed images in place of packable operands
 *   SYMBOL_pack    void (void *packed, const void *source)                only when an operand is packable
 * and that of a group:
 *   SYMBOL         void (void *const *operands, void *workspace)   operands of specification i from entry
 *                                                                  i * AIC_OPERANDS_MAX on, as the document shapes them
 * Either refers to no other symbol and contains no absolute address. */
aic_status aic_codegen_object(const aic_codegen_request *request, aic_object *object);
void aic_object_free(aic_object *object);

/* Text (IR, OPT, ASM) or bytes (OBJ) of a stage, malloc'ed with a closing zero. */
aic_status aic_codegen_dump(const aic_codegen_request *request, aic_dump_stage stage, char **bytes, size_t *size);

#endif
