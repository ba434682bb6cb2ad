/* The head of printed IR; see listing.h. */
#include "codegen/listing.h"
#include "codegen/build_name.h"
#include "codegen/shape.h"
#include "frontend/core/choice.h"
#include "frontend/core/diag.h"
#include "frontend/core/spec.h"
#include "frontend/text/sink.h"
#include "frontend/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- operands ---- */

static const char *direction_name(aic_direction direction)
{
    static const char *const NAMES[] = {[AIC_DIRECTION_UNUSED] = "unused",
                                        [AIC_DIRECTION_IN] = "in",
                                        [AIC_DIRECTION_OUT] = "out",
                                        [AIC_DIRECTION_INOUT] = "in/out"};
    return NAMES[direction];
}

static void put_operand(FILE *out, const aic_operand *operand)
{
    fprintf(out, ";   %-14s %-6s", operand->name, direction_name(operand->direction));
    if (operand->direction != AIC_DIRECTION_UNUSED) {
        fprintf(out, " %-8s [", aic_dtype_name(operand->dtype));
        for (int32_t d = 0; d < operand->rank; d++) {
            fprintf(out, "%s%" PRId64, d == 0 ? "" : ",", operand->shape[d]);
        }
        fprintf(out, "] %" PRId64 " bytes", operand->bytes);
    } else {
        fprintf(out, " NULL is passed");
    }
    fputc('\n', out);
}

static void put_operands(FILE *out, const aic_plan *plan)
{
    aic_operand operands[AIC_OPERANDS_MAX];
    const size_t count = aic_spec_operands_of(plan->problem.spec, plan->problem.semantics, operands);
    for (size_t i = 0; i < count; i++) {
        put_operand(out, &operands[i]);
    }
    const aic_packing *pack = &plan->requirements.pack;
    if (pack->operand != 0) {
        fprintf(out, ";   %-14s packed: %" PRId64 " bytes, aligned to 64, as the _pack function writes them\n",
                operands[pack->operand].name, pack->bytes);
    }
}

/* ---- the parts ---- */

/* The text of a specification. Notes have failed when there is no memory for it. */
static void put_text(FILE *out, const aic_listing *l, const aic_spec *spec)
{
    char *text;
    if (aic_spec_print_new(spec, &text) == AIC_OK) {
        fprintf(out, "; %s\n", text);
        free(text);
    } else {
        l->notes->failed = true;
    }
}

static void put_specifications(FILE *out, const aic_listing *l)
{
    for (size_t i = 0; i < l->plan->count; i++) {
        char schedule[AIC_SCHEDULE_TEXT_MAX];
        const aic_plan *plan = l->plan->plan[i];
        put_text(out, l, plan->problem.spec);
        if (aic_schedule_print(&plan->schedule, schedule, sizeof schedule) == AIC_OK) {
            fprintf(out, ";   %s\n", schedule);
        }
        put_operands(out, plan);
    }
}

/* The operands of a direct call as parameters. */
static void put_parameters(FILE *out, const aic_plan *plan)
{
    aic_operand operands[AIC_OPERANDS_MAX];
    const size_t count = aic_spec_operands_of(plan->problem.spec, plan->problem.semantics, operands);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "ptr %s, ", operands[i].name);
    }
}

static void put_functions(FILE *out, const aic_listing *l, const aic_requirements *all)
{
    const char *symbol = l->request->symbol;
    const aic_plan *first = l->plan->plan[0];
    fprintf(out, "; functions, all of them void:\n;   %s(", symbol);
    if (l->plan->count > 1) {
        fprintf(out,
                "ptr operands, ptr workspace)   operands: a table of those of all specifications in their order\n");
    } else {
        put_parameters(out, first);
        fprintf(out, "ptr workspace)\n");
    }
    if (l->plan->count == 1 && all->pack.operand != 0) {
        fprintf(out, ";   %s_packed: the same with a packed operand in place of the plain one\n", symbol);
        fprintf(out, ";   %s_pack(ptr packed, ptr source): packs it\n", symbol);
    }
    if (all->phases > 0) {
        fprintf(out,
                ";   %s_phase(ptr operands, ptr shared, ptr private, i64 phase, i64 first, i64 last):\n"
                ";     items first .. last-1 of a phase by one worker of several; operands as a table, packed\n",
                symbol);
        for (uint32_t i = 0; i < all->phases; i++) {
            fprintf(out, ";     phase %u, %s: %" PRId64 " items\n", i, all->phase[i].name, all->phase[i].items);
        }
    }
}

/* Scratch memory: what is shared, what is a worker's, and the packed image of a plain call. */
static void put_workspace(FILE *out, const aic_listing *l, const aic_requirements *all)
{
    const int64_t plain = aic_workspace_bytes(all, AIC_PLAIN), packed = aic_workspace_bytes(all, AIC_PACKED);
    fprintf(out, "; workspace, aligned to 64: %" PRId64 " bytes", plain);
    if (all->pack.operand != 0) {
        fprintf(out, ", of _packed %" PRId64, packed);
    }
    fputc('\n', out);
    if (all->shared_bytes > 0) {
        fprintf(out, ";   from 0 on: %" PRId64 " bytes, shared by all workers\n", all->shared_bytes);
    }
    if (all->private_bytes > 0) {
        fprintf(out, ";   from %" PRId64 " on: %" PRId64 " bytes, a worker's own\n", all->shared_bytes,
                all->private_bytes);
    }
    if (all->pack.operand != 0) {
        fprintf(out, ";   from %" PRId64 " on: %" PRId64 " bytes, the operand that a plain call packs\n", packed,
                all->pack.bytes);
    }
    const aic_plan *first = l->plan->plan[0];
    if (l->plan->count == 1 && first->shape->memory != NULL) {
        first->shape->memory(out, first);
    }
}

/* Whose readings the code computes, where they are not the documents'. */
static void put_choices(FILE *out, const aic_semantics *semantics)
{
    char text[AIC_CHOICES_TEXT_MAX];
    if (aic_semantics_print_choices(semantics, text, sizeof text, NULL) == AIC_OK && text[0] != '\0') {
        fprintf(out, ";   choices: %s\n", text);
    }
}

static void put_head(FILE *out, const aic_listing *l)
{
    aic_requirements all;
    const aic_target *target = l->request->target;
    aic_kernel_requirements(l->plan, &all);
    fprintf(
        out,
        "; A kernel of aicjit. %s\n"
        "; Its specification is as kernels are made of it: fields without an effect may differ from what was given.\n"
        ";\n",
        l->stage);
    put_specifications(out, l);
    put_choices(out, l->request->semantics);
    fprintf(out, ";\n; target: %s, instruction set level %s (%s)\n; LLVM %s\n;\n", l->triple, target->name,
            target->features, aic_build_llvm);
    put_functions(out, l, &all);
    put_workspace(out, l, &all);
    fprintf(out, ";\n");
    aic_program_print(out, l->program, l->request->symbol, "; ");
    fprintf(
        out,
        ";\n; opt, llc and lli of this LLVM take the text as it is. To run it: `aicjit dump SPEC --repro DIR` adds\n"
        "; operands, the expected result and a main. Comments before blocks and functions are as emitted; a value\n"
        "; acc.p3.v1 is the sum of pixel 3 and vector 1, NAME.phi a loop's own NAME.\n\n");
}

aic_status aic_listing_print(const aic_listing *listing, const char *module, char **text, size_t *size)
{
    *text = NULL;
    FILE *out = open_memstream(text, size);
    if (out == NULL) {
        return aic_fail_memory("dump", strlen(module));
    }
    put_head(out, listing);
    aic_notes_print(listing->notes, module, out);
    if (aic_stream_end(out, text) && !listing->notes->failed) {
        return AIC_OK;
    }
    free(*text);
    *text = NULL;
    return aic_fail_memory("dump", strlen(module));
}
