/* Answers of the generator; see answers.h. */
#include "codegen/answers.h"
#include "codegen/codegen.h"
#include "codegen/explain.h"
#include "codegen/kernel.h"
#include "codegen/parts.h"
#include "codegen/plan.h"
#include "codegen/run.h"
#include "codegen/shape.h"
#include "codegen/target/host.h"
#include "frontend/core/diag.h"
#include "frontend/core/list.h"

#include <stdlib.h>

aic_status aic_answer_plan(const aic_problem *problem, const char *schedule, aic_schedule_info *info)
{
    aic_plan *plan;
    aic_status status = aic_codegen_plan(problem, schedule, &plan);
    if (status != AIC_OK) {
        return status;
    }
    const aic_schedule given = plan->schedule;
    info->cost = plan->cost;
    info->bound = plan->shape->bound(plan);
    status = aic_schedule_print(&given, info->text, sizeof info->text);
    if (status == AIC_OK && schedule != NULL) {
        status = aic_plan_choose(plan);
    }
    info->is_default = aic_schedule_equal(&given, &plan->schedule);
    aic_plan_free(plan);
    return status;
}

aic_status aic_answer_candidate(const aic_problem *problem, size_t index, char text[AIC_SCHEDULE_TEXT_MAX])
{
    aic_plan *plan;
    aic_status status = aic_plan_create(problem, &plan);
    if (status != AIC_OK) {
        return status;
    }
    aic_candidates list = {.count = 0};
    aic_plan_enumerate(plan, AIC_SPACE_USUAL, &(aic_visitor){.visit = aic_candidates_add, .user = &list});
    aic_plan_free(plan);
    if (index >= list.count) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "candidate = %zu is not below %zu, their number", index,
                        list.count);
    }
    return aic_schedule_print(&list.best[index].schedule, text, AIC_SCHEDULE_TEXT_MAX);
}

aic_status aic_answer_facts(const aic_problem *problem, const char *schedule, aic_explanation *facts)
{
    aic_plan *plan;
    aic_status status = aic_codegen_plan(problem, schedule, &plan);
    if (status == AIC_OK) {
        aic_plan_facts_of(plan, facts);
        status = aic_schedule_print(&plan->schedule, facts->schedule, sizeof facts->schedule);
        aic_plan_free(plan);
    }
    return status;
}

/* ---- the legal space of a problem, as data ---- */

/* Fields that shape the loops of a tile and around it, and not the tile itself. */
static const char *const LOOP_FIELDS[] = {"unroll", "band", "ahead"};

/* A list in the making. */
typedef struct filling {
    aic_space_list *list;
    uint32_t of_tile; /* bit f: field f shapes the tile */
    bool usual;       /* what the walk shows is usual */
    uint32_t *first;  /* an entry of every tile so far; room for as many as entries */
    aic_status status;
} filling;

static bool same_fields(const filling *f, const aic_space_entry *a, const aic_space_entry *b, uint32_t fields)
{
    for (size_t i = 0; i < f->list->fields; i++) {
        if ((fields >> i & 1) != 0 && a->field[i] != b->field[i]) {
            return false;
        }
    }
    return true;
}

/* Makes room for one entry more. */
static bool grow(filling *f)
{
    const size_t count = f->list->count;
    if (aic_list_grow(&f->list->entry, count, sizeof *f->list->entry) &&
        aic_list_grow(&f->first, count, sizeof *f->first)) {
        return true;
    }
    f->status = aic_fail_memory("the list of schedules", 2 * count * (sizeof *f->list->entry + sizeof *f->first));
    return false;
}

/* The number of the entry's tile. Walks show the schedules of a tile one after the other: the last is looked at first.
 */
static uint32_t tile_of(filling *f, const aic_space_entry *entry)
{
    aic_space_list *list = f->list;
    for (size_t t = list->tiles; t > 0; t--) {
        if (same_fields(f, &list->entry[f->first[t - 1]], entry, f->of_tile)) {
            return (uint32_t)(t - 1);
        }
    }
    f->first[list->tiles] = (uint32_t)list->count;
    return (uint32_t)list->tiles++;
}

/* The visitor of both walks. The usual schedules come first and are few; the second walk shows them again. */
static bool see(void *user, const aic_plan *plan)
{
    filling *f = user;
    aic_space_list *list = f->list;
    const aic_record *record = plan->schedule.record;
    aic_space_entry entry = {.cost = plan->cost, .usual = f->usual};
    for (size_t i = 0; i < record->count; i++) {
        entry.field[i] = aic_field_word(&record->fields[i], plan->schedule.fields, 0);
    }
    const size_t known = f->usual ? list->count : list->usual;
    for (size_t i = 0; i < known; i++) {
        if (same_fields(f, &list->entry[i], &entry, ~0u)) {
            return true;
        }
    }
    if (list->count == AIC_SPACE_MAX || !grow(f)) {
        return false;
    }
    entry.tile = tile_of(f, &entry);
    f->status = aic_schedule_print(&plan->schedule, entry.text, sizeof entry.text);
    if (f->status == AIC_OK) {
        list->entry[list->count++] = entry;
    }
    return f->status == AIC_OK;
}

static uint32_t tile_fields(const aic_record *record)
{
    uint32_t mask = 0;
    for (size_t f = 0; f < record->count; f++) {
        bool loop = false;
        for (size_t i = 0; i < sizeof LOOP_FIELDS / sizeof *LOOP_FIELDS; i++) {
            loop = loop || strcmp(record->fields[f].name, LOOP_FIELDS[i]) == 0;
        }
        mask |= loop ? 0 : 1u << f;
    }
    return mask;
}

/* Chooses the representative of every tile. `first` is used up. */
static void choose_representatives(aic_space_list *list, uint32_t *first)
{
    for (size_t i = 0; i < list->count; i++) {
        const aic_space_entry *entry = &list->entry[i], *best = &list->entry[first[entry->tile]];
        if (entry->usual != best->usual ? entry->usual : entry->cost < best->cost) {
            first[entry->tile] = (uint32_t)i;
        }
    }
    for (size_t t = 0; t < list->tiles; t++) {
        list->entry[first[t]].represents = true;
    }
}

static aic_status fill(aic_plan *plan, aic_space_list *list)
{
    const aic_record *record = plan->shape->schedule;
    if (record->count > AIC_SPACE_FIELDS_MAX) {
        return aic_fail(AIC_INTERNAL, "schedule", "the shape %s has %zu fields", plan->shape->name, record->count);
    }
    filling f = {.list = list, .of_tile = tile_fields(record), .usual = true, .status = AIC_OK};
    list->fields = record->count;
    aic_plan_enumerate(plan, AIC_SPACE_USUAL, &(aic_visitor){.visit = see, .user = &f});
    list->usual = list->count;
    f.usual = false;
    if (f.status == AIC_OK) {
        aic_plan_enumerate(plan, AIC_SPACE_LEGAL, &(aic_visitor){.visit = see, .user = &f});
    }
    if (f.status == AIC_OK) {
        choose_representatives(list, f.first);
    }
    free(f.first);
    return f.status;
}

aic_status aic_answer_space(const aic_problem *problem, aic_space_list *list)
{
    aic_plan *plan;
    aic_status status = aic_plan_create(problem, &plan);
    if (status != AIC_OK) {
        return status;
    }
    aic_space_list made = {.count = 0};
    status = fill(plan, &made);
    aic_plan_free(plan);
    if (status == AIC_OK) {
        *list = made;
    } else {
        free(made.entry);
    }
    return status;
}

/* ---- what packs for kernels of any target, as code of this host ---- */

/* What packed bytes are like follows from the plan alone, so the functions that pack are emitted for the target that
 * every host of its architecture runs. */

#define SYMBOL "packer"

typedef struct packing {
    const aic_program *program;
    bool *needed; /* by part */
    LLVMValueRef *function;
} packing;

/* The function that packs, and what it calls: callees come before callers. */
static void find_needed(packing *p)
{
    p->needed[p->program->function[AIC_FUNCTION_PACK] - 1] = true;
    for (size_t i = p->program->parts; i-- > 0;) {
        const aic_program_part *part = &p->program->part[i];
        for (size_t r = 0; p->needed[i] && r < part->roles; r++) {
            p->needed[p->program->role[part->first_role + r].routine - 1] = true;
        }
    }
}

static void emit_packing(void *user, LLVMContextRef context, LLVMModuleRef module)
{
    packing *p = user;
    aic_emit emit;
    aic_emission emission = {.program = p->program, .symbol = SYMBOL, .needed = p->needed, .function = p->function};
    aic_emit_open(&emit, context, module, aic_target_at(aic_host_arch(), 0), NULL);
    aic_program_emit(&emit, &emission);
    aic_emit_close(&emit);
}

/* The image of the function that packs, which is its entry. */
static aic_status make_image(packing *p, aic_image *image)
{
    char name[AIC_PROGRAM_NAME_MAX];
    char *bytes = NULL;
    size_t size = 0;
    const aic_codegen_request run = {.target = aic_target_at(aic_host_arch(), 0), .symbol = SYMBOL};
    aic_program_name(p->program, p->program->function[AIC_FUNCTION_PACK], SYMBOL, name);
    find_needed(p);
    aic_status status = aic_codegen_run(&run, emit_packing, p, &bytes, &size);
    status = status == AIC_OK ? aic_image_create(&(aic_elf){bytes, size}, 1, name, image) : status;
    free(bytes);
    return status;
}

static aic_status make(aic_plan *plan, aic_packer *packer)
{
    const aic_kernel_plan kernel = {1, &plan};
    aic_requirements requirements;
    aic_program program = {.status = AIC_OK};
    aic_kernel_requirements(&kernel, &requirements);
    packer->packing = requirements.pack;
    if (requirements.pack.operand == 0) {
        return AIC_OK;
    }
    aic_status status = aic_kernel_compose(&program, &kernel, true);
    if (status == AIC_OK) {
        packing p = {&program, calloc(program.parts, sizeof(bool)), calloc(program.parts + 1, sizeof(LLVMValueRef))};
        status = p.needed != NULL && p.function != NULL ? make_image(&p, &packer->image)
                                                        : aic_fail_memory(SYMBOL, program.parts * sizeof(LLVMValueRef));
        free(p.needed);
        free(p.function);
    }
    aic_program_free(&program);
    return status;
}

aic_status aic_answer_packer(const aic_problem *problem, const char *schedule, aic_packer *packer)
{
    aic_plan *plan;
    aic_status status = aic_codegen_plan(problem, schedule, &plan);
    if (status != AIC_OK) {
        return status;
    }
    *packer = (aic_packer){.packing.operand = 0};
    status = make(plan, packer);
    aic_plan_free(plan);
    return status;
}
