/* The emitter: one vocabulary of typed values, vectors and loops over the LLVM C API. Operators are written in it.
 *
 * Integers that the shape fixes are emitted as constants; addresses are byte offsets from i8 pointers, so that an
 * operator's address arithmetic reads like the documents' formulas times the element size. */
#pragma once

#include "codegen/llvm/api.h"
#include "codegen/target/target.h"

typedef struct aic_emit {
    const aic_target *target;
    LLVMContextRef context;
    LLVMModuleRef frame, hot; /* where functions go by their kind; one and the same unless divided */
    LLVMModuleRef module;     /* of the function being emitted */
    LLVMBuilderRef builder;
    LLVMValueRef function;   /* being emitted */
    bool compiled_well;      /* it is */
    bool carries_vectors;    /* its loops may: it is compiled well, or a rule has weighed what it costs */
    struct aic_notes *notes; /* for a reader (notes.h); NULL: nobody reads the IR, and values have no names */
    const struct aic_emission *emission; /* the program being emitted (parts.h); NULL: none */
    bool named;         /* the module is that of parts: numbers are symbols, roles are functions elsewhere */
    const char *prefix; /* of the names of these symbols and functions; "" after aic_emit_open() */
    bool unwind;        /* functions get unwind tables; false after aic_emit_open() */
    bool own_machine; /* a machine of the target compiles the modules; false after aic_emit_open(): functions tell what
                         they are for, which LLVM looks up for every pass */
    LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, ptr, none;
} aic_emit;

/* Prepares `e` for emitting into `module`, for a reader whom `notes` tell (NULL: there is none); close frees what open
 * made. */
void aic_emit_open(aic_emit *e, LLVMContextRef context, LLVMModuleRef module, const aic_target *target,
                   struct aic_notes *notes);
void aic_emit_close(aic_emit *e);

/* What is compiled well goes into the module `hot`, of the same context, from now on. Functions of one module that the
 * other one calls are declared there; they have external linkage, but nobody outside sees them. */
void aic_emit_divide(aic_emit *e, LLVMModuleRef hot);

/* ---- functions ---- */

/* Functions by their callers and by what their speed is worth. */
typedef enum aic_emit_kind {
    AIC_EMIT_ENTRY,     /* for callers; compiled fast */
    AIC_EMIT_FRAME,     /* internal; loops around calls, compiled fast: what its loops do for each call is kept short */
    AIC_EMIT_SELDOM,    /* internal; compiled fast where a rule finds that optimising it costs more than it gains */
    AIC_EMIT_HOT,       /* internal; compiled well */
    AIC_EMIT_HOT_ENTRY, /* for callers; compiled well */
} aic_emit_kind;

/* Of a function or an intrinsic; more ends in AIC_INTERNAL, as do more values that a loop carries. */
enum { AIC_PARAMS_MAX = 24 };

/* Starts `void name(ptr, ..., i64, ...)` with `pointers` pointer parameters that do not alias, then `integers`
 * integers, named by `names`; the builder stands in its entry block. */
void aic_emit_function(aic_emit *e, const char *name, aic_emit_kind kind, const char *const *names, unsigned pointers,
                       unsigned integers);

/* A function that nobody outside of the kernel calls, whatever it was started as. */
void aic_emit_hide(const aic_emit *e, LLVMValueRef function);

/* Starts an internal function of any type, compiled fast; returns it. Its end is the caller's. */
LLVMValueRef aic_emit_internal(aic_emit *e, const char *name, LLVMTypeRef type);

/* The pointers of the function being emitted may alias after all. */
void aic_emit_aliases(aic_emit *e);

/* Ends the function being emitted and returns it. */
LLVMValueRef aic_emit_function_end(aic_emit *e);
LLVMValueRef aic_emit_param(aic_emit *e, unsigned index);
void aic_emit_call(aic_emit *e, LLVMValueRef function, LLVMValueRef *args, unsigned count);

/* Calls an LLVM intrinsic overloaded on `overloads`; operands are bitcast to the parameter types, which differ between
 * LLVM versions. */
LLVMValueRef aic_emit_intrinsic(aic_emit *e, const char *name, LLVMTypeRef *overloads, unsigned overload_count,
                                LLVMValueRef *args, unsigned count);

/* Declares `void name(ptr, ..., i64, ...)` that is linked to the module of the function being emitted, which calls it,
 * unless that is known already. */
LLVMValueRef aic_emit_declare(aic_emit *e, const char *name, unsigned pointers, unsigned integers);

/* ---- integers and addresses ---- */

/* A symbol whose address is a number of `least` .. `most`: the code gets an immediate or a displacement for it, which
 * is filled in when it is linked. `held`: code that is compiled fast keeps it on the stack from its begin on. */
LLVMValueRef aic_emit_symbol(aic_emit *e, const char *name, int64_t least, int64_t most, bool held);

LLVMValueRef aic_int(aic_emit *e, int64_t value); /* i64 */
LLVMValueRef aic_add(aic_emit *e, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef aic_mul(aic_emit *e, LLVMValueRef a, int64_t factor);
LLVMValueRef aic_times(aic_emit *e, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef aic_min(aic_emit *e, LLVMValueRef a, LLVMValueRef b); /* signed */
LLVMValueRef aic_max(aic_emit *e, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef aic_at(aic_emit *e, LLVMValueRef pointer, LLVMValueRef offset); /* bytes */
LLVMValueRef aic_at_const(aic_emit *e, LLVMValueRef pointer, int64_t offset);

/* ---- loops ---- */

#define AIC_CARRIED_MAX 128

/* One counted loop. Between begin and end the values in `carried` are those of the current iteration; the body
 * replaces them, and after end they are those of the last one. */
typedef struct aic_loop {
    const char *text; /* name and what it runs over */
    LLVMValueRef index;
    LLVMBasicBlockRef header, exit; /* NULL: one iteration, no loop was made */
    LLVMValueRef limit;
    int64_t step;
    LLVMValueRef by; /* the step, where that is no constant; else NULL */
    LLVMValueRef *carried;
    unsigned count;
    bool tested;    /* the header tests before the first iteration */
    bool in_memory; /* the index and what is carried are kept on the stack, not by phis */
    LLVMValueRef kept_index, kept[AIC_CARRIED_MAX]; /* these phis, or places */
} aic_loop;

/* Code that is compiled fast takes what a loop carries to the stack and back in every iteration, which for a vector is
 * 20 to 40 cycles: where modules are verified (load.h), a loop of an entry or a frame that carries one is AIC_INTERNAL.
 *
 * for (index = first; index < limit; index += step). Constant bounds that give one iteration make no loop, others that
 * give some no test before the first one; nor do aic_trips() from 0 on. `text` is the loop's name and what it runs
 * over, "tap: taps of the kernel".
 */
void aic_loop_begin(aic_emit *e, aic_loop *loop, const char *text, LLVMValueRef first, LLVMValueRef limit, int64_t step,
                    LLVMValueRef *carried, unsigned count);

/* The same from 0 on in steps of 1, without values. */
void aic_loop_over(aic_emit *e, aic_loop *loop, const char *text, LLVMValueRef limit);

/* The same from 0 to a limit that is at least 1, which is not tested first. */
void aic_loop_begin_entered(aic_emit *e, aic_loop *loop, const char *text, LLVMValueRef limit, int64_t step,
                            LLVMValueRef *carried, unsigned count);

/* The same in steps that are a value; `entered`: the first is below the limit, which is not tested then. */
void aic_loop_begin_by(aic_emit *e, aic_loop *loop, const char *text, LLVMValueRef first, LLVMValueRef limit,
                       LLVMValueRef by, bool entered, LLVMValueRef *carried, unsigned count);
void aic_loop_end(aic_emit *e, aic_loop *loop);

/* What the current iteration has in `carried[i]`, unless the body has replaced it. Behind calls and inner loops code
 * that is compiled fast loads it again, which costs less than that it is kept for there. */
LLVMValueRef aic_loop_carried(aic_emit *e, const aic_loop *loop, unsigned i);

/* if (condition) { ... } without values. */
typedef struct aic_branch {
    LLVMBasicBlockRef join;
} aic_branch;
void aic_branch_begin(aic_emit *e, aic_branch *branch, LLVMValueRef condition);
void aic_branch_end(aic_emit *e, aic_branch *branch);
