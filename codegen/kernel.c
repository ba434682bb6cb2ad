/* The entry points of a kernel; record.h says what they are. Shapes deliver bodies, here they are called in their
 * order, with the worker's state set and the memory of the call divided among them. */
#include "codegen/kernel.h"
#include "codegen/integer.h"
#include "codegen/packed.h"
#include "codegen/parts/entry.h"
#include "codegen/shape.h"
#include "frontend/core/key.h"

#include <stdio.h>

enum { POINTER_BYTES = 8 };

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

/* ---- entry points ---- */

/* A specification of the kernel on its way to an entry point. */
typedef struct member {
    const aic_plan *plan;
    const aic_bodies *bodies;
    int64_t operand;     /* of the group: number of its first operand in the table */
    int64_t first_phase; /* and of its first phase */
    aic_routine direct;  /* what PLAIN calls once the operand is packed */
} member;

/* What an entry point is given. */
enum {
    GIVES_TABLE = 1,    /* where in the table of operands its own begin */
    GIVES_NUMBERS = 2,  /* the numbers of its phases in the group */
    GIVES_PRIVATE = 4,  /* where in the workspace of a call by one worker the private memory lies */
    GIVES_PACKED = 8,   /* and the packed operand */
    GIVES_PACKING = 16, /* the body that packs, where an operand is packed */
    GIVES_PHASES = 32,  /* the bodies of the phases */
    GIVES_DIRECT = 64,
    GIVES_HEAD = 128 /* the head of the packed operand */
};

static const struct entry {
    const char *name;
    unsigned gives;
} entries[] = {
    [AIC_ENTRY_DIRECT] = {"direct", GIVES_PRIVATE | GIVES_PHASES},
    [AIC_ENTRY_PLAIN] = {"plain", GIVES_PACKED | GIVES_PACKING | GIVES_DIRECT},
    [AIC_ENTRY_PACK] = {"packing", GIVES_PACKING | GIVES_HEAD},
    [AIC_ENTRY_CHECK] = {"check", GIVES_HEAD},
    [AIC_ENTRY_MEMBER] = {"member", GIVES_TABLE | GIVES_PRIVATE | GIVES_PACKED | GIVES_PACKING | GIVES_PHASES},
    [AIC_ENTRY_PHASE] = {"items", GIVES_TABLE | GIVES_NUMBERS | GIVES_PACKING | GIVES_PHASES},
};

static aic_entry_key key_of(const member *m, aic_entry_form form)
{
    const aic_requirements *r = &m->plan->requirements;
    const unsigned gives = entries[form].gives;
    const bool phases = (gives & GIVES_PHASES) != 0, operands = (gives & GIVES_HEAD) == 0;
    return (aic_entry_key){.form = form,
                           .operands = operands ? (int64_t)m->plan->operands : 0,
                           .packed = operands ? r->pack.operand : 0,
                           .phases = phases ? r->phases : 0,
                           .fast = !phases || form == AIC_ENTRY_PHASE || !aic_plan_is_short(m->plan),
                           .floats = phases && (r->needs & AIC_NEEDS_FLOAT) != 0,
                           .packs_floats = r->pack.floats && (gives & GIVES_PACKING) != 0,
                           .tiles = phases && (r->needs & AIC_NEEDS_TILES) != 0};
}

static void give_phases(aic_use *use, const member *m)
{
    const aic_requirements *r = &m->plan->requirements;
    for (uint32_t i = 0; i < r->phases; i++) {
        aic_use_number(use, r->phase[i].items, "items.%u", i);
        aic_use_call(use, m->bodies->phase[i], "phase.%u", i);
    }
    if ((r->needs & AIC_NEEDS_TILES) != 0) {
        aic_use_call(use, m->bodies->enter, "enter");
        aic_use_call(use, m->bodies->leave, "leave");
    }
}

static void give_head(aic_use *use, const member *m)
{
    const aic_packing pack = packing_of(m->plan);
    const uint64_t mask = (UINT64_C(1) << AIC_ENTRY_WORD_BITS) - 1;
    aic_packed_head head;
    aic_packed_head_make(&pack, &head);
    for (int i = 0; i < AIC_HEAD_WORDS; i++) {
        for (int n = 0; n < AIC_ENTRY_WORD_NUMBERS; n++) {
            aic_use_number(use, (int64_t)(head.word[i] >> (n * AIC_ENTRY_WORD_BITS) & mask), "head.%d.%d", i, n);
        }
    }
}

static void give_places(aic_use *use, const member *m, unsigned gives)
{
    const aic_requirements *r = &m->plan->requirements;
    if ((gives & GIVES_TABLE) != 0) {
        aic_use_number(use, m->operand * POINTER_BYTES, "table.at");
    }
    for (uint32_t i = 0; (gives & GIVES_NUMBERS) != 0 && i < r->phases; i++) {
        aic_use_number(use, m->first_phase + i, "number.%u", i);
    }
    if ((gives & GIVES_PRIVATE) != 0) {
        aic_use_number(use, r->shared_bytes, "private.at");
    }
    if ((gives & GIVES_PACKED) != 0) {
        aic_use_number(use, aic_workspace_bytes(r, AIC_PACKED), "packed.at");
    }
}

static aic_routine compose_entry(aic_program *p, const member *m, aic_entry_form form)
{
    const aic_requirements *r = &m->plan->requirements;
    const unsigned gives = entries[form].gives;
    const aic_entry_key key = key_of(m, form);
    aic_use use;
    aic_use_begin(&use, p, &aic_part_entry, &key);
    give_places(&use, m, gives);
    if ((gives & GIVES_PACKING) != 0 && r->pack.operand != 0) {
        aic_use_number(&use, r->pack.items, "pack.items");
        aic_use_call(&use, m->bodies->pack, "pack");
    }
    if ((gives & GIVES_PHASES) != 0) {
        give_phases(&use, m);
    }
    if ((gives & GIVES_DIRECT) != 0) {
        aic_use_call(&use, m->direct, "direct");
    }
    if ((gives & GIVES_HEAD) != 0) {
        give_head(&use, m);
    }
    return aic_program_add(p, &use, "%s", entries[form].name);
}

/* A function that calls these in turn. */
static aic_routine compose_all(aic_program *p, const aic_routine *routine, size_t count, aic_entry_form form)
{
    const int64_t integers = form == AIC_ENTRY_PHASE ? 3 : 0, pointers = form == AIC_ENTRY_PHASE ? 3 : 2;
    if (count == 1) {
        return routine[0];
    }
    const aic_both_key key = {pointers, integers};
    aic_use use;
    aic_use_begin(&use, p, &aic_part_both, &key);
    aic_use_call(&use, compose_all(p, routine, count / 2, form), "first");
    aic_use_call(&use, compose_all(p, routine + count / 2, count - count / 2, form), "second");
    return aic_program_add(p, &use, "several");
}

/* ---- kernels ---- */

static void set_prefix(aic_program *p, const aic_kernel_plan *of, size_t number)
{
    p->prefix[0] = '\0';
    if (of->count > 1) {
        (void)snprintf(p->prefix, sizeof p->prefix, "%zu_", number);
    }
}

/* The bodies of every specification; equal ones have them in common. */
static void compose_bodies(aic_program *p, const aic_kernel_plan *of, aic_bodies *bodies)
{
    for (size_t i = 0; i < of->count; i++) {
        size_t equal = 0;
        while (of->plan[equal] != of->plan[i]) {
            equal++;
        }
        bodies[i] = bodies[equal];
        if (equal == i) {
            set_prefix(p, of, i);
            bodies[i] = (aic_bodies){.pack = 0};
            of->plan[i]->shape->compose(p, of->plan[i], &bodies[i]);
        }
    }
}

/* An entry point with a part of every specification. */
static aic_routine compose_group(aic_program *p, const aic_kernel_plan *of, const aic_bodies *bodies,
                                 aic_entry_form form)
{
    aic_routine routine[AIC_GROUP_MAX];
    member m = {.operand = 0};
    for (size_t i = 0; i < of->count; i++) {
        m.plan = of->plan[i];
        m.bodies = &bodies[i];
        set_prefix(p, of, i);
        routine[i] = compose_entry(p, &m, form);
        m.operand += (int64_t)m.plan->operands;
        m.first_phase += m.plan->requirements.phases;
    }
    p->prefix[0] = '\0';
    return compose_all(p, routine, of->count, form);
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

aic_status aic_kernel_compose(aic_program *p, const aic_kernel_plan *of, bool exported)
{
    aic_bodies bodies[AIC_GROUP_MAX] = {{.pack = 0}};
    member first = {.plan = of->plan[0], .bodies = &bodies[0]};
    const bool packs = of->plan[0]->requirements.pack.operand != 0;
    compose_bodies(p, of, bodies);
    if (of->count > 1) {
        p->function[AIC_FUNCTION_ENTRY] = compose_group(p, of, bodies, AIC_ENTRY_MEMBER);
    } else {
        first.direct = compose_entry(p, &first, AIC_ENTRY_DIRECT);
        p->function[AIC_FUNCTION_ENTRY] = packs ? compose_entry(p, &first, AIC_ENTRY_PLAIN) : first.direct;
        p->function[AIC_FUNCTION_PACKED] = packs ? first.direct : 0;
        p->function[AIC_FUNCTION_PACK] = packs ? compose_entry(p, &first, AIC_ENTRY_PACK) : 0;
        p->function[AIC_FUNCTION_CHECK] = packs && exported ? compose_entry(p, &first, AIC_ENTRY_CHECK) : 0;
    }
    if (!exported && is_shared(of)) {
        p->function[AIC_FUNCTION_PHASE] = compose_group(p, of, bodies, AIC_ENTRY_PHASE);
    }
    return p->status;
}
