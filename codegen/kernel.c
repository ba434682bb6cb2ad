/* The entry points of a kernel; record.h says what they are. Shapes deliver bodies, here they are called in their
 * order, with the worker's state set and the memory of the call divided among them. */
#include "codegen/kernel.h"
#include "codegen/integer.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/packed.h"
#include "codegen/shape.h"
#include "frontend/core/key.h"
#include "frontend/core/spec.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 160, POINTER_BYTES = 8, WORD_BYTES = 8 };

/* What entry points do, for readers of the IR. */
static const char *const ENTRY_NOTES[AIC_FUNCTIONS] = {
    [AIC_FUNCTION_ENTRY] = "entry point: operands as the documents shape them",
    [AIC_FUNCTION_PACKED] = "entry point: a packed operand in place of the plain one",
    [AIC_FUNCTION_PACK] = "entry point: packs the operand that can be",
    [AIC_FUNCTION_PHASE] = "entry point: items of a phase, by one worker of several",
    [AIC_FUNCTION_CHECK] = "entry point: whether an image is one that the kernel reads",
};

/* Starts an entry point; `operands` names of operands and then those of `more` pointers, `integers` integers. */
static void begin_entry(aic_emit *e, const char *symbol, aic_function_role role, const char *const *names,
                        unsigned pointers, unsigned integers)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%s%s", symbol, aic_function_suffix[role]);
    aic_emit_function(e, name, AIC_EMIT_ENTRY, names, pointers, integers);
    aic_note_function(e, "%s", ENTRY_NOTES[role]);
}

/* Writes the names of the plan's operands. */
static void operand_names(const aic_plan *plan, const char **names)
{
    aic_operand operands[AIC_OPERANDS_MAX];
    aic_spec_operands_of(plan->problem.spec, plan->problem.semantics, operands);
    for (size_t i = 0; i < plan->operands; i++) {
        names[i] = operands[i].name;
    }
}

/* ---- bodies ---- */

void aic_body_begin(aic_emit *e, const aic_plan *plan, aic_emit_kind kind, const char *symbol, const char *name,
                    aic_body *body)
{
    static const char *const OTHERS[] = {"shared", "private", "first", "last"};
    const unsigned count = (unsigned)plan->operands;
    const char *names[AIC_OPERANDS_MAX + 4];
    char text[NAME_BYTES];
    operand_names(plan, names);
    memcpy(names + count, OTHERS, sizeof OTHERS);
    snprintf(text, sizeof text, "%s_%s", symbol, name);
    aic_emit_function(e, text, kind, names, count + 2, 2);
    *body = (aic_body){.function = e->function};
    for (unsigned i = 0; i < count; i++) {
        body->operand[i] = aic_emit_param(e, i);
    }
    body->shared = aic_emit_param(e, count);
    body->private = aic_emit_param(e, count + 1);
    body->first = aic_emit_param(e, count + 2);
    body->last = aic_emit_param(e, count + 3);
}

/* A specification of the kernel on its way through an entry point. */
typedef struct member {
    aic_emit *e;
    const aic_plan *plan;
    const aic_bodies *bodies;
    LLVMValueRef operand[AIC_OPERANDS_MAX];
    LLVMValueRef shared, private;
    LLVMValueRef saved; /* the caller's floating-point control word */
} member;

static void enter(member *m)
{
    const uint32_t needs = m->plan->requirements.needs;
    m->saved = aic_float_enter(m->e, (needs & AIC_NEEDS_FLOAT) != 0);
    if ((needs & AIC_NEEDS_TILES) != 0) {
        m->plan->shape->enter(m->e, m->plan);
    }
}

static void leave(const member *m)
{
    if ((m->plan->requirements.needs & AIC_NEEDS_TILES) != 0) {
        m->plan->shape->leave(m->e, m->plan);
    }
    aic_float_leave(m->e, m->saved);
}

/* What is behind the head of a packed image: bodies know nothing of heads. */
static LLVMValueRef behind_head(const member *m, LLVMValueRef image)
{
    return aic_at_const(m->e, image, AIC_HEAD_BYTES);
}

/* Packs all of an operand, without a head; that needs no tiles. */
static void call_pack(const member *m, LLVMValueRef image, LLVMValueRef source)
{
    LLVMValueRef args[] = {behind_head(m, image), source, aic_int(m->e, 0),
                           aic_int(m->e, m->plan->requirements.pack.items)};
    LLVMValueRef saved = aic_float_enter(m->e, m->plan->requirements.pack.floats);
    aic_emit_call(m->e, m->bodies->pack, args, 4);
    aic_float_leave(m->e, saved);
}

static void call_phase(const member *m, uint32_t phase, LLVMValueRef first, LLVMValueRef last)
{
    LLVMValueRef args[AIC_OPERANDS_MAX + 4];
    unsigned count = (unsigned)m->plan->operands;
    memcpy(args, m->operand, count * sizeof args[0]);
    const uint32_t packed = m->plan->requirements.pack.operand;
    if (packed != 0) {
        args[packed] = behind_head(m, args[packed]);
    }
    args[count++] = m->shared;
    args[count++] = m->private;
    args[count++] = first;
    args[count++] = last;
    aic_emit_call(m->e, m->bodies->phase[phase], args, count);
}

/* Packs what is packed, behind the rest of the workspace. */
static void pack(member *m, LLVMValueRef workspace)
{
    const aic_requirements *r = &m->plan->requirements;
    if (r->pack.operand != 0) {
        LLVMValueRef packed = aic_at_const(m->e, workspace, aic_workspace_bytes(r, AIC_PACKED));
        call_pack(m, packed, m->operand[r->pack.operand]);
        m->operand[r->pack.operand] = packed;
    }
}

/* All phases by one worker. */
static void run(member *m, LLVMValueRef workspace)
{
    const aic_requirements *r = &m->plan->requirements;
    m->shared = workspace;
    m->private = aic_at_const(m->e, workspace, r->shared_bytes);
    enter(m);
    for (uint32_t i = 0; i < r->phases; i++) {
        call_phase(m, i, aic_int(m->e, 0), aic_int(m->e, r->phase[i].items));
    }
    leave(m);
}

/* ---- entry points ---- */

/* A kernel being emitted. */
typedef struct kernel {
    aic_emit *e;
    const aic_kernel_plan *of;
    const char *symbol;
    aic_bodies bodies[AIC_GROUP_MAX];
} kernel;

/* The bodies of every specification; equal ones have them in common. */
static void emit_bodies(kernel *k)
{
    for (size_t i = 0; i < k->of->count; i++) {
        const aic_plan *plan = k->of->plan[i];
        size_t equal = 0;
        while (k->of->plan[equal] != plan) {
            equal++;
        }
        if (equal < i) {
            k->bodies[i] = k->bodies[equal];
            continue;
        }
        char name[NAME_BYTES];
        snprintf(name, sizeof name, k->of->count > 1 ? "%s_%zu" : "%s", k->symbol, i);
        plan->shape->emit(k->e, plan, name, &k->bodies[i]);
    }
}

static member member_of(const kernel *k, size_t index)
{
    return (member){.e = k->e, .plan = k->of->plan[index], .bodies = &k->bodies[index]};
}

/* Starts SYMBOL or SYMBOL_packed of one specification; returns the workspace. */
static LLVMValueRef begin_direct(const kernel *k, member *m, aic_function_role role)
{
    const unsigned count = (unsigned)m->plan->operands;
    const char *names[AIC_OPERANDS_MAX + 1];
    operand_names(m->plan, names);
    names[count] = "workspace";
    begin_entry(k->e, k->symbol, role, names, count + 1, 0);
    for (unsigned i = 0; i < count; i++) {
        m->operand[i] = aic_emit_param(k->e, i);
    }
    return aic_emit_param(k->e, count);
}

/* The function that takes packed operands; without any it is the plain one. */
static LLVMValueRef emit_direct(const kernel *k, aic_function_role role)
{
    member m = member_of(k, 0);
    LLVMValueRef workspace = begin_direct(k, &m, role), function = k->e->function;
    run(&m, workspace);
    aic_emit_function_end(k->e);
    return function;
}

/* SYMBOL where an operand is packed: packs it and calls SYMBOL_packed. */
static void emit_plain(const kernel *k, LLVMValueRef packed)
{
    member m = member_of(k, 0);
    LLVMValueRef args[AIC_OPERANDS_MAX + 1], workspace = begin_direct(k, &m, AIC_FUNCTION_ENTRY);
    const unsigned count = (unsigned)m.plan->operands;
    pack(&m, workspace);
    memcpy(args, m.operand, count * sizeof args[0]);
    args[count] = workspace;
    aic_emit_call(k->e, packed, args, count + 1);
    aic_emit_function_end(k->e);
}

/* The plan's packing, with its form. */
static aic_packing packing_of(const aic_plan *plan)
{
    aic_packing pack = plan->requirements.pack;
    if (pack.operand != 0) {
        int64_t number[AIC_FORM_NUMBERS];
        aic_packed_form(number, plan->shape->form(plan, number), pack.form);
    }
    return pack;
}

static void head_of(const aic_plan *plan, aic_packed_head *head)
{
    const aic_packing pack = packing_of(plan);
    aic_packed_head_make(&pack, head);
}

/* SYMBOL_pack, which writes the head and then what is behind it. */
static void emit_pack(const kernel *k)
{
    static const char *const PARAMS[] = {"packed", "source"};
    member m = member_of(k, 0);
    begin_entry(k->e, k->symbol, AIC_FUNCTION_PACK, PARAMS, 2, 0);
    LLVMValueRef image = aic_emit_param(k->e, 0);
    aic_packed_head head;
    head_of(m.plan, &head);
    for (int i = 0; i < AIC_HEAD_WORDS; i++) {
        aic_store(k->e, aic_int(k->e, (int64_t)head.word[i]), image, i * WORD_BYTES, WORD_BYTES);
    }
    call_pack(&m, image, aic_emit_param(k->e, 1));
    aic_emit_function_end(k->e);
}

void aic_kernel_emit_check(aic_emit *e, const aic_plan *plan, const char *symbol)
{
    static const char *const PARAMS[] = {"packed", "fits"};
    aic_packed_head head;
    begin_entry(e, symbol, AIC_FUNCTION_CHECK, PARAMS, 2, 0);
    LLVMValueRef different = aic_int(e, 0);
    head_of(plan, &head);
    for (int i = 0; i < AIC_HEAD_WORDS; i++) {
        LLVMValueRef word = aic_load(e, e->i64, aic_emit_param(e, 0), i * WORD_BYTES, 1); /* of any memory */
        word = LLVMBuildXor(e->builder, word, aic_int(e, (int64_t)head.word[i]), "");
        different = LLVMBuildOr(e->builder, different, word, "");
    }
    LLVMValueRef same = LLVMBuildICmp(e->builder, LLVMIntEQ, different, aic_int(e, 0), "");
    aic_store(e, LLVMBuildZExt(e->builder, same, e->i32, ""), aic_emit_param(e, 1), 0, sizeof(int32_t));
    aic_emit_function_end(e);
}

/* Reads a specification's operands from a table, from entry `first` on. */
static void load_operands(member *m, LLVMValueRef table, size_t first)
{
    for (size_t i = 0; i < m->plan->operands; i++) {
        m->operand[i] = aic_load(m->e, m->e->ptr, table, (int64_t)(first + i) * POINTER_BYTES, POINTER_BYTES);
    }
}

static void emit_group(const kernel *k)
{
    static const char *const PARAMS[] = {"operands", "workspace"};
    begin_entry(k->e, k->symbol, AIC_FUNCTION_ENTRY, PARAMS, 2, 0);
    LLVMValueRef table = aic_emit_param(k->e, 0), workspace = aic_emit_param(k->e, 1);
    size_t first = 0;
    for (size_t i = 0; i < k->of->count; i++) {
        member m = member_of(k, i);
        load_operands(&m, table, first);
        pack(&m, workspace);
        run(&m, workspace);
        first += m.plan->operands;
    }
    aic_emit_function_end(k->e);
}

/* The packing, where there is one: the packed image takes the place of the shared memory. */
static void emit_pack_branch(member *m)
{
    aic_emit *e = m->e;
    const uint32_t operand = m->plan->requirements.pack.operand;
    if (operand == 0) {
        return;
    }
    aic_branch branch;
    aic_branch_begin(e, &branch,
                     LLVMBuildICmp(e->builder, LLVMIntEQ, aic_emit_param(e, 3), aic_int(e, AIC_PHASE_PACK), ""));
    LLVMValueRef args[] = {behind_head(m, m->shared), m->operand[operand], aic_emit_param(e, 4), aic_emit_param(e, 5)};
    aic_emit_call(e, m->bodies->pack, args, 4);
    aic_branch_end(e, &branch);
}

/* The phases of one specification, the first of which has this number among those of the kernel. */
static void emit_branches(member *m, int64_t number)
{
    aic_emit *e = m->e;
    LLVMValueRef wanted = aic_emit_param(e, 3);
    for (uint32_t phase = 0; phase < m->plan->requirements.phases; phase++) {
        aic_branch branch;
        LLVMValueRef is_this = LLVMBuildICmp(e->builder, LLVMIntEQ, wanted, aic_int(e, number + phase), "");
        aic_branch_begin(e, &branch, is_this);
        call_phase(m, phase, aic_emit_param(e, 4), aic_emit_param(e, 5));
        aic_branch_end(e, &branch);
    }
}

static void emit_phase(const kernel *k)
{
    static const char *const PARAMS[] = {"operands", "shared", "private", "phase", "first", "last"};
    aic_emit *e = k->e;
    size_t first = 0;
    int64_t number = 0;
    begin_entry(e, k->symbol, AIC_FUNCTION_PHASE, PARAMS, 3, 3);
    for (size_t i = 0; i < k->of->count; i++) {
        member m = member_of(k, i);
        load_operands(&m, aic_emit_param(e, 0), first);
        m.shared = aic_emit_param(e, 1);
        m.private = aic_emit_param(e, 2);
        enter(&m);
        emit_pack_branch(&m);
        emit_branches(&m, number);
        leave(&m);
        first += m.plan->operands;
        number += m.plan->requirements.phases;
    }
    aic_emit_function_end(e);
}

/* ---- requirements of the whole ---- */

/* Specifications of a group run one after the other in the same memory. */
static void add_member(aic_requirements *all, const aic_requirements *own)
{
    all->needs |= own->needs;
    const int64_t packed = own->pack.operand != 0 ? own->pack.bytes : 0;
    all->shared_bytes = aic_most(all->shared_bytes, own->shared_bytes);
    all->private_bytes = aic_most(all->private_bytes, own->private_bytes + packed);
    for (uint32_t i = 0; i < own->phases && all->phases < AIC_PHASES_MAX; i++) {
        all->phase[all->phases++] = own->phase[i];
    }
}

/* Whether several workers can share a call, and whether it is large enough for that. */
static bool is_shared(const aic_kernel_plan *of)
{
    size_t phases = 0;
    int64_t items = 0;
    double cost = 0;
    for (size_t i = 0; i < of->count; i++) {
        const aic_requirements *own = &of->plan[i]->requirements;
        if (of->count > 1 && own->pack.operand != 0) {
            return false;
        }
        for (uint32_t phase = 0; phase < own->phases; phase++) {
            items = aic_most(items, own->phase[phase].items);
        }
        phases += own->phases;
        cost += of->plan[i]->cost;
    }
    return items > 1 && phases <= AIC_PHASES_MAX && aic_machine_shares(of->plan[0]->problem.machine, cost);
}

void aic_kernel_requirements(const aic_kernel_plan *of, aic_requirements *requirements)
{
    if (of->count == 1) {
        *requirements = of->plan[0]->requirements;
        requirements->pack = packing_of(of->plan[0]);
    } else {
        *requirements = (aic_requirements){.needs = 0};
        for (size_t i = 0; i < of->count; i++) {
            add_member(requirements, &of->plan[i]->requirements);
        }
    }
    if (!is_shared(of)) {
        requirements->phases = 0;
    }
}

void aic_kernel_emit(aic_emit *e, const aic_kernel_plan *of, const char *symbol)
{
    kernel k = {.e = e, .of = of, .symbol = symbol};
    emit_bodies(&k);
    if (of->count > 1) {
        emit_group(&k);
    } else if (of->plan[0]->requirements.pack.operand == 0) {
        emit_direct(&k, AIC_FUNCTION_ENTRY);
    } else {
        emit_plain(&k, emit_direct(&k, AIC_FUNCTION_PACKED));
        emit_pack(&k);
    }
    if (is_shared(of)) {
        emit_phase(&k);
    }
}
