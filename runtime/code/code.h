/* A kernel in memory: its machine code and all that its callers need to know. Immutable once made, except for the
 * fields that the caches use. Counts its holders: the entries of the caches, and every kernel handle. */
#pragma once

#include "codegen/codegen.h"
#include "codegen/packed.h"
#include "frontend/core/spec.h"
#include "runtime/code/code_memory.h"
#include "runtime/observe/profile.h"
#include "runtime/request/context.h"
#include "runtime/request/identity.h"
#include <stdatomic.h>
#include <string.h>

typedef void (*aic_function)(void);

/* Functions that C programs call (function.h). */
typedef struct aic_functions aic_functions;

typedef struct aic_code {
    atomic_size_t references;
    aic_cache_entry *entry_of_kernel; /* its entry among its context's kernels; NULL: it was removed (evict.c) */
    size_t requests;                  /* entries by request that lead to it; both: under the caches' mutex */
    aic_code_memory memory;
    aic_function function[AIC_FUNCTIONS]; /* in that memory; NULL: the kernel has none */
    aic_function entry[AIC_FORMS];        /* what a call runs; without packed operands both are the same */
    size_t workspace[AIC_FORMS];          /* bytes that it needs */
    bool special; /* calls check data, pass words, are shared or logged: all that the usual call need not look at */
    size_t operand_count; /* of a caller */
    size_t passed_count;  /* of the machine code: hidden ones behind them (aic_words) */
    aic_requirements requirements;
    aic_argument argument[AIC_FORMS][AIC_OPERANDS_MAX]; /* the document's operands; packed images among them */
    uint32_t packed;                                    /* number of the operand that is packed; 0: none */
    aic_packed_head head;                               /* that its images begin with */
    char subject[AIC_SUBJECT_MAX];                      /* "conv2d | fixpipe", "texpands x3": opens messages */

    /* Calls that several workers share (share.h). */
    aic_share share;
    int workers; /* that a call can have; 1: it is not shared */
    double cost; /* vector operations of a call, about: whether calls together are worth sharing */
    bool logged; /* a line is written for every call */
    aic_hooks hooks;

    aic_data_check data_check; /* its check is NULL where data have no rules of their own */

    /* A view has the machine code and all else of another one, which it holds, but words of its own: code gets numbers
     * that are the same for all columns by their addresses, in the place of operands that are not used. */
    struct aic_code *base; /* NULL: it is no view */
    aic_words words;
    _Atomic(aic_functions *) functions; /* NULL: nobody has asked for them */

    /* What it was made from. */
    char *text;    /* operator text of the request that it was made for; of a group with "x3(...)" at its end */
    size_t count;  /* specifications */
    aic_spec spec; /* canonical; the first of a group */
    const aic_target *target;
    const aic_machine *machine;
    char symbol[AIC_SYMBOL_MAX];
    char schedule[AIC_SCHEDULE_TEXT_MAX];
    bool given; /* the schedule, by a caller or a tuning record: the default rule had no say */
    uint64_t emit_ns, codegen_ns, link_ns, make_ns;
    uint32_t parts[AIC_PART_ORIGINS]; /* how it came by its parts */
    size_t code_bytes;
    aic_profile_entry *profile; /* NULL: no profiler knows of it */
} aic_code;

/* A code without functions, described by a canonical specification, of whose operands `hidden` are no caller's, or by
 * the `count` of a group: one operand, the table of theirs, the content of which is not checked. Held once. */
aic_status aic_code_create(const aic_spec *canonical, size_t count, size_t hidden, const aic_context *context,
                           aic_code **code);

/* Writes the operator text, of this specification for a single one. */
aic_status aic_code_set_text(aic_code *code, const aic_spec *shown);

/* Takes over sizes and times of the object that the code will consist of. */
void aic_code_describe(aic_code *code, aic_context *context, const aic_object *object);

/* Makes the object's image callable. */
aic_status aic_code_place(aic_code *code, const aic_image *image);

/* Whether a caller that passes an array gives as many operands as the code takes; else AIC_INVALID_ARGUMENT. */
aic_status aic_code_count_check(const aic_code *code, size_t count);

/* A view of a code, with words and a text of its own. Held once. */
aic_status aic_code_view(aic_code *base, const aic_spec *shown, const aic_words *words, aic_code **view);

/* The code that has the machine code. */
static inline aic_code *aic_code_base(aic_code *code)
{
    return code->base != NULL ? code->base : code;
}

/* Puts the addresses of words in their places among the operands that the machine code takes. */
static inline void aic_code_pass_words(const aic_code *code, const void *operands[AIC_OPERANDS_MAX])
{
    for (size_t i = 0; i < code->words.count; i++) {
        operands[code->words.operand[i]] = &code->words.word[i];
    }
}

/* The operands as the machine code takes them: these, or a copy in `own` with the addresses of words in their places.
 */
static inline const void *const *aic_code_operands(const aic_code *code, const void *const operands[],
                                                   const void *own[AIC_OPERANDS_MAX])
{
    if (code->words.count == 0) {
        return operands;
    }
    memcpy(own, operands, code->operand_count * sizeof own[0]);
    aic_code_pass_words(code, own);
    return own;
}

void aic_code_hold(aic_code *code);
void aic_code_release(aic_code *code); /* frees the machine code with the last hold */

/* ---- calls (call.c) ---- */

/* Checks the operands (NULL, alignment, overlap, data, heads of images: AIC_INVALID_ARGUMENT), gets the thread's
 * scratch memory and runs the code with plain or packed operands, shared by workers where it can be. Nothing is written
 * on failure, but for that of a caller's parallel loop. */
aic_status aic_call(const aic_code *code, int form, const void *const operands[]);

/* The same for a caller that has the calling thread's record, which may be NULL. */
aic_status aic_call_as(aic_thread *thread, const aic_code *code, int form, const void *const operands[]);

/* Whether `image`, aligned memory, is one that the code reads in the place of its packed operand; else
 * AIC_INVALID_ARGUMENT. */
aic_status aic_call_check_image(const aic_code *code, const void *image);

/* Parts of it: whether the call may be made; and the call by the calling thread alone, in aic_workspace_bytes() of
 * memory, 64-byte aligned. */
aic_status aic_call_check(const aic_code *code, int form, const void *const operands[]);
void aic_call_alone(const aic_code *code, int form, const void *const operands[], void *workspace);
