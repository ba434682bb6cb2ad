/* K-packs: converting elements of image and weight to the form in which they are multiplied. */
#include "codegen/contraction/microkernel.h"
#include "codegen/integer.h"
#include "codegen/llvm/vec.h"

LLVMTypeRef aic_element_type(aic_emit *e, const aic_plan_geometry *g)
{
    return LLVMIntTypeInContext(e->context, 8 * g->source_bytes);
}

LLVMTypeRef aic_channel_type(aic_emit *e, const aic_plan_geometry *g)
{
    return aic_kpack_channel(e, &g->arithmetic);
}

unsigned aic_channel_bytes(const aic_plan_geometry *g)
{
    return g->arithmetic.kpack_bytes / g->arithmetic.kpack_channels;
}

void aic_widen(aic_emit *e, const aic_contraction *c, const aic_plan_geometry *g, LLVMValueRef elements,
               LLVMValueRef kpacks[AIC_PLANES_MAX])
{
    aic_to_kpacks(e, c->dtype, &g->arithmetic, elements, kpacks);
}

void aic_note_specials(aic_emit *e, const aic_wish *wish, LLVMValueRef elements, LLVMValueRef note, int64_t notes,
                       int64_t pitch)
{
    aic_branch branch;
    aic_branch_begin(e, &branch, aic_any_special(e, wish->special_first, wish->special_end, elements));
    for (int64_t i = 0; i < notes; i++) {
        aic_store(e, LLVMConstInt(e->i32, 1, false), note, i * pitch, sizeof(int32_t));
    }
    aic_branch_end(e, &branch);
}

/* Unoptimized code takes about 8 vector operations more to pack a vector of k-packs, which then takes part in `uses`
 * vector operations. Optimizing it pays if that is more than two percent of a call. */
aic_emit_kind aic_pack_kind(int64_t uses)
{
    enum { SURPLUS = 8, PERCENT = 2 };
    return uses * PERCENT < 100 * SURPLUS ? AIC_EMIT_HOT : AIC_EMIT_FRAME;
}

unsigned aic_access_width(int64_t left, unsigned most)
{
    return (unsigned)aic_power_within(aic_least(left, most));
}

LLVMValueRef aic_contraction_add_old(aic_emit *e, const aic_contraction *c, LLVMValueRef old, LLVMValueRef sum)
{
    return c->wraps ? LLVMBuildAdd(e->builder, old, sum, "") : aic_add_saturated(e, old, sum);
}
