/* Emitting parts and programs (program.h). The emitter of a part, aic_emit_part_NAME(), sees its key and the names of
 * its numbers and roles, nothing of the kernel. It is written once for two forms:
 *
 *     named     in a module of its own. A number is a symbol, which on x86-64 becomes an immediate of 32 bits
 *     literal   in the module of a kernel, as a function under the name that the kernel gives. A number is a constant.
 *               For AArch64, numbers beyond 30 bits, dumps and exported objects
 *
 * What the shape decides is aic_number(e, "row.pitch"), trip counts of loops aic_trips(e, "kpacks"). Products of
 * numbers are numbers with a name of their own; no role has the name of a number.
 *
 * tests/codegen/test_parts.c compares both forms, and the bytes of parts that have equal keys. */
#pragma once

#include "codegen/llvm/emit.h"
#include "codegen/program.h"

/* ---- emitters ---- */

typedef struct aic_part_emitter {
    /* Emits void name(pointers..., integers...); returns it. */
    LLVMValueRef (*emit)(aic_emit *e, const void *key, const char *name);
} aic_part_emitter;

#define AIC_PART(part, fields, speed) LLVMValueRef aic_emit_part_##part(aic_emit *e, const void *key, const char *name);
#include "codegen/parts/parts.def"
#undef AIC_PART

/* The emitter of a kind; NULL: there is none. */
const aic_part_emitter *aic_part_emitter_of(const aic_part_kind *kind);

/* ---- for emitters ---- */

/* A number by its name, an i64; one that a loop runs to. AIC_INTERNAL where the use gives none. */
LLVMValueRef aic_number(aic_emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
LLVMValueRef aic_trips(aic_emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A number in an inner loop of code that is compiled fast: an immediate, where others are held on the stack. That saves
 * a load; LLVM takes three times as long for the block. */
LLVMValueRef aic_inner_number(aic_emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* `index` times a number; the address of element `index` of an array whose pitch is a number; the address that a number
 * is behind another one; and that which number "NAME.INDEX" is, `base` itself for index 0. */
LLVMValueRef aic_scaled(aic_emit *e, LLVMValueRef index, const char *pitch);
LLVMValueRef aic_at_index(aic_emit *e, LLVMValueRef base, LLVMValueRef index, const char *pitch);
LLVMValueRef aic_behind(aic_emit *e, LLVMValueRef base, const char *number);
LLVMValueRef aic_at_nth(aic_emit *e, LLVMValueRef base, const char *name, int64_t index);

/* The function that takes a role, with so many parameters of either kind; and a call of it. */
LLVMValueRef aic_callee(aic_emit *e, const char *role, unsigned pointers, unsigned integers);
void aic_call_role(aic_emit *e, LLVMValueRef *args, unsigned pointers, unsigned integers, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The names of a specification's operands, for parameters. */
void aic_operand_names(aic_emit *e, unsigned count, const char **names);

/* Starts the body of a phase: void name(operands..., shared, private; first, last). */
void aic_emit_body(aic_emit *e, aic_emit_kind kind, const char *name, unsigned operands);

/* ---- programs ---- */

/* A program being emitted. */
typedef struct aic_emission {
    const aic_program *program;
    const char *symbol;         /* of the kernel */
    const char *const *operand; /* names of the operands, for a reader; NULL: they have none */
    bool linked;                /* parts are linked to what is emitted; false: all is emitted, in the literal form */
    const bool *needed;         /* by part: others are not emitted; NULL: all are */
    LLVMValueRef *function;     /* by routine, from 1 on; NULL: linked. Room for all and one */
    const aic_program_part *part;
} aic_emission;

/* Emits the program; runs inside of the guard. */
void aic_program_emit(aic_emit *e, aic_emission *emission);

/* Makes the piece of a part: emits the named form and compiles it. Calls may not be nested in another run of LLVM. */
aic_status aic_part_make(const aic_part_kind *kind, const void *key, const aic_target *target, aic_piece *piece);

/* Makes the pieces of several parts that are compiled fast by one run of LLVM, which has a price of its own: that of
 * two or three small parts. The pieces are those that aic_part_make() makes. A failure makes none, whichever part it is
 * about; AIC_COMPILE, too, where it is in doubt which constants are whose. */
aic_status aic_parts_make(aic_part_order *order, size_t count, const aic_target *target);
