/* Entry points; see entry.h. */
#include "codegen/parts/entry.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/packed.h"
#include "codegen/parts.h"

#include <string.h>

enum { POINTER_BYTES = 8, WORD_BYTES = 8 };

typedef struct entry {
    aic_emit *e;
    const aic_entry_key *key;
    LLVMValueRef operand[AIC_PARAMS_MAX];
    LLVMValueRef shared, private;
    LLVMValueRef saved; /* the caller's floating-point control word */
} entry;

/* ---- calling bodies ---- */

static void enter(entry *n)
{
    n->saved = aic_float_enter(n->e, n->key->floats);
    if (n->key->tiles) {
        aic_call_role(n->e, NULL, 0, 0, "enter");
    }
}

static void leave(const entry *n)
{
    if (n->key->tiles) {
        aic_call_role(n->e, NULL, 0, 0, "leave");
    }
    aic_float_leave(n->e, n->saved);
}

/* What is behind the head of a packed image: bodies know nothing of heads. */
static LLVMValueRef behind_head(const entry *n, LLVMValueRef image)
{
    return aic_at_const(n->e, image, AIC_HEAD_BYTES);
}

static void call_pack(const entry *n, LLVMValueRef image, LLVMValueRef source, LLVMValueRef first, LLVMValueRef last)
{
    LLVMValueRef args[] = {behind_head(n, image), source, first, last};
    aic_call_role(n->e, args, 2, 2, "pack");
}

/* Packs all of an operand, without a head; that needs no tiles. */
static void pack_all(const entry *n, LLVMValueRef image, LLVMValueRef source)
{
    LLVMValueRef saved = aic_float_enter(n->e, n->key->packs_floats);
    call_pack(n, image, source, aic_int(n->e, 0), aic_number(n->e, "pack.items"));
    aic_float_leave(n->e, saved);
}

static void call_phase(const entry *n, int phase, LLVMValueRef first, LLVMValueRef last)
{
    LLVMValueRef args[AIC_PARAMS_MAX];
    const unsigned count = (unsigned)n->key->operands;
    memcpy(args, n->operand, count * sizeof args[0]);
    if (n->key->packed != 0) {
        args[n->key->packed] = behind_head(n, args[n->key->packed]);
    }
    args[count] = n->shared;
    args[count + 1] = n->private;
    args[count + 2] = first;
    args[count + 3] = last;
    aic_call_role(n->e, args, count + 2, 2, "phase.%d", phase);
}

/* Packs what is packed, behind the rest of the workspace. */
static void pack(entry *n, LLVMValueRef workspace)
{
    if (n->key->packed != 0) {
        LLVMValueRef packed = aic_at(n->e, workspace, aic_number(n->e, "packed.at"));
        pack_all(n, packed, n->operand[n->key->packed]);
        n->operand[n->key->packed] = packed;
    }
}

/* All phases by one worker. */
static void run(entry *n, LLVMValueRef workspace)
{
    n->shared = workspace;
    n->private = aic_at(n->e, workspace, aic_number(n->e, "private.at"));
    enter(n);
    for (int64_t i = 0; i < n->key->phases; i++) {
        call_phase(n, (int)i, aic_int(n->e, 0), aic_number(n->e, "items.%lld", (long long)i));
    }
    leave(n);
}

/* Reads the operands from a table. */
static void load_operands(entry *n, LLVMValueRef table)
{
    LLVMValueRef from = aic_at(n->e, table, aic_number(n->e, "table.at"));
    for (int64_t i = 0; i < n->key->operands; i++) {
        n->operand[i] = aic_load(n->e, n->e->ptr, from, i * POINTER_BYTES, POINTER_BYTES);
    }
}

/* ---- the forms ---- */

static aic_emit_kind kind_of(const entry *n)
{
    return n->key->fast ? AIC_EMIT_ENTRY : AIC_EMIT_HOT_ENTRY;
}

/* Starts the function with the operands and a workspace, which is returned. */
static LLVMValueRef begin_direct(entry *n, const char *name)
{
    const unsigned count = (unsigned)n->key->operands;
    const char *names[AIC_PARAMS_MAX];
    aic_limit("parameters of an entry point", count + 1, AIC_PARAMS_MAX);
    aic_operand_names(n->e, count, names);
    names[count] = "workspace";
    aic_emit_function(n->e, name, kind_of(n), names, count + 1, 0);
    for (unsigned i = 0; i < count; i++) {
        n->operand[i] = aic_emit_param(n->e, i);
    }
    return aic_emit_param(n->e, count);
}

static void emit_direct(entry *n, const char *name)
{
    run(n, begin_direct(n, name));
}

static void emit_plain(entry *n, const char *name)
{
    LLVMValueRef args[AIC_PARAMS_MAX], workspace = begin_direct(n, name);
    const unsigned count = (unsigned)n->key->operands;
    pack(n, workspace);
    memcpy(args, n->operand, count * sizeof args[0]);
    args[count] = workspace;
    aic_call_role(n->e, args, count + 1, 0, "direct");
}

static LLVMValueRef head_word(const entry *n, int word)
{
    aic_emit *e = n->e;
    LLVMValueRef value = aic_number(e, "head.%d.0", word);
    for (int i = 1; i < AIC_ENTRY_WORD_NUMBERS; i++) {
        LLVMValueRef bits = LLVMBuildShl(e->builder, aic_number(e, "head.%d.%d", word, i),
                                         aic_int(e, (int64_t)i * AIC_ENTRY_WORD_BITS), "");
        value = LLVMBuildOr(e->builder, value, bits, "");
    }
    return value;
}

static void emit_pack(entry *n, const char *name)
{
    static const char *const PARAMS[] = {"packed", "source"};
    aic_emit_function(n->e, name, AIC_EMIT_ENTRY, PARAMS, 2, 0);
    LLVMValueRef image = aic_emit_param(n->e, 0);
    for (int i = 0; i < AIC_HEAD_WORDS; i++) {
        aic_store(n->e, head_word(n, i), image, i * WORD_BYTES, WORD_BYTES);
    }
    pack_all(n, image, aic_emit_param(n->e, 1));
}

static void emit_check(entry *n, const char *name)
{
    static const char *const PARAMS[] = {"packed", "fits"};
    aic_emit *e = n->e;
    aic_emit_function(e, name, AIC_EMIT_ENTRY, PARAMS, 2, 0);
    LLVMValueRef different = aic_int(e, 0);
    for (int i = 0; i < AIC_HEAD_WORDS; i++) {
        LLVMValueRef word = aic_load(e, e->i64, aic_emit_param(e, 0), i * WORD_BYTES, 1); /* of any memory */
        word = LLVMBuildXor(e->builder, word, head_word(n, i), "");
        different = LLVMBuildOr(e->builder, different, word, "");
    }
    LLVMValueRef same = LLVMBuildICmp(e->builder, LLVMIntEQ, different, aic_int(e, 0), "");
    aic_store(e, LLVMBuildZExt(e->builder, same, e->i32, ""), aic_emit_param(e, 1), 0, sizeof(int32_t));
}

static void emit_member(entry *n, const char *name)
{
    static const char *const PARAMS[] = {"operands", "workspace"};
    aic_emit_function(n->e, name, kind_of(n), PARAMS, 2, 0);
    load_operands(n, aic_emit_param(n->e, 0));
    pack(n, aic_emit_param(n->e, 1));
    run(n, aic_emit_param(n->e, 1));
}

/* The phases and the packing, for which the packed image takes the place of the shared memory. */
static void emit_phase(entry *n, const char *name)
{
    static const char *const PARAMS[] = {"operands", "shared", "private", "phase", "first", "last"};
    aic_emit *e = n->e;
    aic_branch branch;
    aic_emit_function(e, name, AIC_EMIT_ENTRY, PARAMS, 3, 3);
    load_operands(n, aic_emit_param(e, 0));
    n->shared = aic_emit_param(e, 1);
    n->private = aic_emit_param(e, 2);
    LLVMValueRef wanted = aic_emit_param(e, 3), first = aic_emit_param(e, 4), last = aic_emit_param(e, 5);
    enter(n);
    if (n->key->packed != 0) {
        aic_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntEQ, wanted, aic_int(e, AIC_PHASE_PACK), ""));
        call_pack(n, n->shared, n->operand[n->key->packed], first, last);
        aic_branch_end(e, &branch);
    }
    for (int64_t i = 0; i < n->key->phases; i++) {
        LLVMValueRef number = aic_number(e, "number.%lld", (long long)i);
        aic_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntEQ, wanted, number, ""));
        call_phase(n, (int)i, first, last);
        aic_branch_end(e, &branch);
    }
    leave(n);
}

/* ---- the parts ---- */

LLVMValueRef aic_emit_part_entry(aic_emit *e, const void *of, const char *name)
{
    static const struct {
        void (*emit)(entry *n, const char *name);
        const char *note;
    } FORMS[] = {
        [AIC_ENTRY_DIRECT] = {emit_direct, "entry point: operands as the documents shape them; a packed one packed"},
        [AIC_ENTRY_PLAIN] = {emit_plain, "entry point: packs an operand and calls the one that takes it packed"},
        [AIC_ENTRY_PACK] = {emit_pack, "entry point: packs the operand that can be"},
        [AIC_ENTRY_CHECK] = {emit_check, "entry point: whether an image is one that the kernel reads"},
        [AIC_ENTRY_MEMBER] = {emit_member, "one specification of the group"},
        [AIC_ENTRY_PHASE] = {emit_phase, "entry point: items of a phase, by one worker of several"},
    };
    entry n = {.e = e, .key = of};
    FORMS[n.key->form].emit(&n, name);
    LLVMValueRef function = e->function;
    aic_note_function(e, "%s", FORMS[n.key->form].note);
    aic_emit_function_end(e);
    return function;
}

LLVMValueRef aic_emit_part_both(aic_emit *e, const void *of, const char *name)
{
    static const char *const POINTERS[] = {"operands", "shared", "private"}, *const INTEGERS[] = {"phase", "first",
                                                                                                  "last"};
    const aic_both_key *key = of;
    const unsigned pointers = (unsigned)key->pointers, integers = (unsigned)key->integers, count = pointers + integers;
    const char *names[6];
    LLVMValueRef args[6];
    memcpy(names, POINTERS, pointers * sizeof names[0]);
    memcpy(names + pointers, INTEGERS, integers * sizeof names[0]);
    aic_emit_function(e, name, AIC_EMIT_ENTRY, names, pointers, integers);
    aic_note_function(e, "several specifications of the group, one after the other");
    LLVMValueRef function = e->function;
    for (unsigned i = 0; i < count; i++) {
        args[i] = aic_emit_param(e, i);
    }
    aic_call_role(e, args, pointers, integers, "first");
    aic_call_role(e, args, pointers, integers, "second");
    aic_emit_function_end(e);
    return function;
}
