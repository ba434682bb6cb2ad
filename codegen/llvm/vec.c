/* Vector helpers of the emitter. */
#include "codegen/llvm/vec.h"
#include "codegen/family/family.h"
#include "codegen/integer.h"
#include "codegen/llvm/guard.h"

#include <string.h>

void aic_store_past(aic_emit *e, LLVMValueRef value, LLVMValueRef pointer, int64_t offset, unsigned bytes)
{
    static const char KIND[] = "nontemporal";
    LLVMValueRef store = LLVMBuildStore(e->builder, value, aic_at_const(e, pointer, offset));
    LLVMMetadataRef one = LLVMValueAsMetadata(LLVMConstInt(e->i32, 1, false));
    LLVMMetadataRef node = LLVMMDNodeInContext2(e->context, &one, 1);
    LLVMSetAlignment(store, bytes);
    LLVMSetMetadata(store, LLVMGetMDKindIDInContext(e->context, KIND, sizeof KIND - 1),
                    LLVMMetadataAsValue(e->context, node));
}

void aic_fence(aic_emit *e)
{
    LLVMBuildFence(e->builder, LLVMAtomicOrderingSequentiallyConsistent, false, "");
}

static void fetch(aic_emit *e, LLVMValueRef pointer, int64_t offset, int64_t write, int64_t nearness)
{
    enum { DATA = 1 };
    LLVMValueRef args[] = {aic_at_const(e, pointer, offset), aic_const_int(e->i32, write),
                           aic_const_int(e->i32, nearness), aic_const_int(e->i32, DATA)};
    aic_emit_intrinsic(e, "llvm.prefetch", &e->ptr, 1, args, 4);
}

void aic_fetch_to_read(aic_emit *e, LLVMValueRef pointer, int64_t offset)
{
    enum { READ = 0, LEVEL_2 = 2 };
    fetch(e, pointer, offset, READ, LEVEL_2);
}

void aic_fetch_to_write(aic_emit *e, LLVMValueRef pointer, int64_t offset)
{
    enum { WRITE = 1, LEVEL_1 = 3 };
    fetch(e, pointer, offset, WRITE, LEVEL_1);
}

LLVMTypeRef aic_vector(LLVMTypeRef element, unsigned lanes)
{
    return LLVMVectorType(element, lanes);
}

LLVMValueRef aic_zero(LLVMTypeRef type)
{
    return LLVMConstNull(type);
}

LLVMValueRef aic_load(aic_emit *e, LLVMTypeRef type, LLVMValueRef pointer, int64_t offset, unsigned align)
{
    LLVMValueRef load = LLVMBuildLoad2(e->builder, type, aic_at_const(e, pointer, offset), "");
    LLVMSetAlignment(load, align);
    return load;
}

void aic_store(aic_emit *e, LLVMValueRef value, LLVMValueRef pointer, int64_t offset, unsigned align)
{
    LLVMSetAlignment(LLVMBuildStore(e->builder, value, aic_at_const(e, pointer, offset)), align);
}

LLVMValueRef aic_splat(aic_emit *e, LLVMValueRef scalar, unsigned lanes)
{
    LLVMTypeRef type = aic_vector(LLVMTypeOf(scalar), lanes);
    LLVMValueRef one = LLVMBuildInsertElement(e->builder, LLVMGetPoison(type), scalar, LLVMConstInt(e->i32, 0, 0), "");
    return LLVMBuildShuffleVector(e->builder, one, LLVMGetPoison(type), LLVMConstNull(aic_vector(e->i32, lanes)), "");
}

LLVMValueRef aic_fma(aic_emit *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    if ((e->target->has & AIC_HAS_FMA) == 0) {
        return LLVMBuildFAdd(e->builder, c, LLVMBuildFMul(e->builder, a, b, ""), "");
    }
    LLVMTypeRef type = LLVMTypeOf(a);
    LLVMValueRef args[] = {a, b, c};
    return aic_emit_intrinsic(e, "llvm.fma", &type, 1, args, 3);
}

/* The product is exact as a double. The sum is rounded to odd, which makes rounding it once more harmless: where it is
 * not exact its lowest bit becomes 1, by a step towards what was lost where it is 0. */
LLVMValueRef aic_fma_exact(aic_emit *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    LLVMBuilderRef l = e->builder;
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(a));
    LLVMTypeRef doubles = aic_vector(e->f64, lanes), words = aic_vector(e->i64, lanes);
    LLVMValueRef product = LLVMBuildFMul(l, LLVMBuildFPExt(l, a, doubles, ""), LLVMBuildFPExt(l, b, doubles, ""), "");
    LLVMValueRef old = LLVMBuildFPExt(l, c, doubles, ""), sum = LLVMBuildFAdd(l, product, old, "");
    LLVMValueRef part = LLVMBuildFSub(l, sum, product, ""); /* what the sum has of `old`, and of the product */
    LLVMValueRef rest = LLVMBuildFSub(l, sum, part, "");
    LLVMValueRef lost = LLVMBuildFAdd(l, LLVMBuildFSub(l, product, rest, ""), LLVMBuildFSub(l, old, part, ""), "");
    LLVMValueRef bits = LLVMBuildBitCast(l, sum, words, ""), one = aic_const_int(words, 1), zero = aic_zero(doubles);
    LLVMValueRef away = LLVMBuildICmp(l, LLVMIntEQ, LLVMBuildFCmp(l, LLVMRealOGT, lost, zero, ""),
                                      LLVMBuildFCmp(l, LLVMRealOGT, sum, zero, ""), "");
    LLVMValueRef step = LLVMBuildSelect(l, away, one, aic_const_int(words, -1), "");
    LLVMValueRef even = LLVMBuildICmp(l, LLVMIntEQ, LLVMBuildAnd(l, bits, one, ""), aic_zero(words), "");
    LLVMValueRef steps = LLVMBuildAnd(l, even, LLVMBuildFCmp(l, LLVMRealONE, lost, zero, ""), "");
    LLVMValueRef odd = LLVMBuildSelect(l, steps, LLVMBuildAdd(l, bits, step, ""), bits, "");
    return LLVMBuildFPTrunc(l, LLVMBuildBitCast(l, odd, doubles, ""), LLVMTypeOf(a), "");
}

/* Every lane the scalar constant. */
static LLVMValueRef splat_const(LLVMTypeRef type, LLVMValueRef scalar)
{
    LLVMValueRef lanes[AIC_LANES_MAX];
    unsigned count = LLVMGetVectorSize(type);
    aic_limit("lanes of a constant", count, AIC_LANES_MAX);
    for (unsigned i = 0; i < count; i++) {
        lanes[i] = scalar;
    }
    return LLVMConstVector(lanes, count);
}

static bool is_vector(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

LLVMValueRef aic_const_int(LLVMTypeRef type, int64_t value)
{
    return is_vector(type) ? splat_const(type, LLVMConstInt(LLVMGetElementType(type), (uint64_t)value, true))
                           : LLVMConstInt(type, (uint64_t)value, true);
}

LLVMValueRef aic_const_float(LLVMTypeRef type, double value)
{
    return splat_const(type, LLVMConstReal(LLVMGetElementType(type), value));
}

LLVMValueRef aic_clamp_float(aic_emit *e, LLVMValueRef a, double low, double high)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef least = aic_const_float(LLVMTypeOf(a), low), most = aic_const_float(LLVMTypeOf(a), high);
    a = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, most, a, ""), most, a, "");
    return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, least, a, ""), least, a, "");
}

LLVMValueRef aic_lanewise(aic_emit *e, const char *intrinsic, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    LLVMValueRef args[] = {a, b};
    return aic_emit_intrinsic(e, intrinsic, &type, 1, args, 2);
}

LLVMValueRef aic_vector_max(aic_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    return aic_lanewise(e, "llvm.smax", a, b);
}

LLVMValueRef aic_vector_min(aic_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    return aic_lanewise(e, "llvm.smin", a, b);
}

LLVMValueRef aic_vector_min_unsigned(aic_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    return aic_lanewise(e, "llvm.umin", a, b);
}

/* The exponent is rebiased by a multiplication with 2^112, which also normalises subnormal halves; infinity and NaN
 * get their exponent set afterwards. */
static LLVMValueRef half_to_float_portable(aic_emit *e, LLVMValueRef bits)
{
    LLVMBuilderRef b = e->builder;
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(bits));
    LLVMTypeRef words = aic_vector(e->i32, lanes), floats = aic_vector(e->f32, lanes);
    LLVMValueRef wide = LLVMBuildZExt(b, bits, words, "");
    LLVMValueRef sign =
        LLVMBuildShl(b, LLVMBuildAnd(b, wide, aic_const_int(words, 0x8000), ""), aic_const_int(words, 16), "");
    LLVMValueRef rest = LLVMBuildAnd(b, wide, aic_const_int(words, 0x7fff), "");
    LLVMValueRef small = LLVMBuildBitCast(b, LLVMBuildShl(b, rest, aic_const_int(words, 13), ""), floats, "");
    LLVMValueRef scale = LLVMConstBitCast(aic_const_int(words, 0x77800000), floats);
    LLVMValueRef scaled = LLVMBuildBitCast(b, LLVMBuildFMul(b, small, scale, ""), words, "");
    LLVMValueRef special = LLVMBuildICmp(b, LLVMIntUGE, rest, aic_const_int(words, 0x7c00), "");
    LLVMValueRef exponent = LLVMBuildSelect(b, special, aic_const_int(words, 0x7f800000), aic_zero(words), "");
    LLVMValueRef result = LLVMBuildOr(b, LLVMBuildOr(b, scaled, exponent, ""), sign, "");
    return LLVMBuildBitCast(b, result, floats, "");
}

LLVMValueRef aic_half_to_float(aic_emit *e, LLVMValueRef bits)
{
    if ((e->target->has & AIC_HAS_HALF) == 0) {
        return half_to_float_portable(e, bits);
    }
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(bits));
    if (lanes == 1) { /* LLVM 19 crashes on a vector of one half for AArch64 */
        return aic_lanes_of(e, aic_half_to_float(e, aic_lanes_of(e, bits, 0, 0, 2)), 0, 1, 1);
    }
    LLVMTypeRef halves = aic_vector(LLVMHalfTypeInContext(e->context), lanes);
    LLVMValueRef half = LLVMBuildBitCast(e->builder, bits, halves, "");
    return LLVMBuildFPExt(e->builder, half, aic_vector(e->f32, lanes), "");
}

/* ---- shuffles ---- */

LLVMValueRef aic_shuffle(aic_emit *e, LLVMValueRef a, LLVMValueRef b, const unsigned *from, unsigned count)
{
    LLVMValueRef mask[AIC_LANES_MAX];
    aic_limit("lanes of a shuffle", count, AIC_LANES_MAX);
    for (unsigned i = 0; i < count; i++) {
        mask[i] = LLVMConstInt(e->i32, from[i], false);
    }
    return LLVMBuildShuffleVector(e->builder, a, b, LLVMConstVector(mask, count), "");
}

LLVMValueRef aic_lanes_of_two(aic_emit *e, LLVMValueRef a, LLVMValueRef b, unsigned first, unsigned stride,
                              unsigned count)
{
    unsigned from[AIC_LANES_MAX];
    aic_limit("lanes of a shuffle", count, AIC_LANES_MAX);
    for (unsigned i = 0; i < count; i++) {
        from[i] = first + i * stride;
    }
    return aic_shuffle(e, a, b, from, count);
}

LLVMValueRef aic_lanes_of(aic_emit *e, LLVMValueRef v, unsigned first, unsigned stride, unsigned count)
{
    return aic_lanes_of_two(e, v, LLVMGetPoison(LLVMTypeOf(v)), first, stride, count);
}

LLVMValueRef aic_permute(aic_emit *e, LLVMValueRef v, const unsigned *from, unsigned count)
{
    return aic_shuffle(e, v, LLVMGetPoison(LLVMTypeOf(v)), from, count);
}

LLVMValueRef aic_concat(aic_emit *e, const LLVMValueRef *vectors, unsigned count)
{
    if (count == 1) {
        return vectors[0];
    }
    const bool twice = memcmp(vectors, vectors + count / 2, count / 2 * sizeof *vectors) == 0;
    LLVMValueRef low = aic_concat(e, vectors, count / 2);
    LLVMValueRef high = twice ? low : aic_concat(e, vectors + count / 2, count / 2);
    return aic_lanes_of_two(e, low, high, 0, 1, 2 * LLVMGetVectorSize(LLVMTypeOf(low)));
}

/* Interleaving vector i with vector i + n/2 moves the top bit of every element's index (vector, lane) to the bottom;
 * log2(rows) times over, the row bits come out below the column bits. */
void aic_transpose(aic_emit *e, LLVMValueRef *vectors, unsigned n, unsigned rows)
{
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(vectors[0]));
    aic_limit("lanes of a transposition", lanes, AIC_LANES_MAX);
    aic_limit("vectors of a transposition", n, AIC_LANES_MAX);
    for (unsigned pass = 1; pass < rows; pass *= 2) {
        LLVMValueRef next[AIC_LANES_MAX];
        for (unsigned i = 0; i < n; i++) {
            unsigned from[AIC_LANES_MAX], half = i % 2 * lanes / 2;
            for (unsigned j = 0; j < lanes; j++) {
                from[j] = half + j / 2 + j % 2 * lanes;
            }
            next[i] = aic_shuffle(e, vectors[i / 2], vectors[i / 2 + n / 2], from, lanes);
        }
        memcpy(vectors, next, n * sizeof *vectors);
    }
}

LLVMValueRef aic_bits_of_any(aic_emit *e, LLVMValueRef words)
{
    LLVMTypeRef type = LLVMTypeOf(words);
    LLVMValueRef bits = aic_emit_intrinsic(e, "llvm.vector.reduce.or", &type, 1, &words, 1);
    return LLVMBuildZExt(e->builder, bits, e->i64, "");
}

LLVMValueRef aic_add_saturated(aic_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    return aic_lanewise(e, "llvm.sadd.sat", a, b);
}

/* Only where the caller's control word is not the default one: on some processors setting it takes longer than a small
 * kernel, even when nothing changes. */
static void set_control(aic_emit *e, LLVMValueRef saved, void (*set)(aic_emit *e, LLVMValueRef saved))
{
    aic_branch branch;
    aic_branch_begin(e, &branch, aic_family_of(e->target)->fp_control.differs(e, saved));
    set(e, saved);
    aic_branch_end(e, &branch);
}

LLVMValueRef aic_float_enter(aic_emit *e, bool needed)
{
    const aic_fp_control *control = &aic_family_of(e->target)->fp_control;
    LLVMValueRef saved = needed ? control->save(e) : NULL;
    if (needed) {
        set_control(e, saved, control->set_default);
    }
    return saved;
}

void aic_float_leave(aic_emit *e, LLVMValueRef saved)
{
    if (saved != NULL) {
        set_control(e, saved, aic_family_of(e->target)->fp_control.restore);
    }
}

/* ---- parts of vectors ---- */

/* `part` with the lanes of `whole` before `first`, then its own. */
static LLVMValueRef put_lanes(aic_emit *e, LLVMValueRef whole, LLVMValueRef part, unsigned first)
{
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(whole)), count = LLVMGetVectorSize(LLVMTypeOf(part));
    unsigned from[AIC_LANES_MAX] = {0};
    aic_limit("lanes of a vector of parts", lanes, AIC_LANES_MAX);
    for (unsigned i = 0; i < lanes; i++) {
        from[i] = i < count ? i : 0;
    }
    LLVMValueRef wide = aic_shuffle(e, part, LLVMGetPoison(LLVMTypeOf(part)), from, lanes);
    for (unsigned i = 0; i < lanes; i++) {
        from[i] = i >= first && i < first + count ? lanes + i - first : i;
    }
    return aic_shuffle(e, whole, wide, from, lanes);
}

LLVMValueRef aic_load_part(aic_emit *e, LLVMTypeRef element, unsigned lanes, unsigned count, LLVMValueRef pointer,
                           int64_t offset)
{
    unsigned bytes = LLVMGetIntTypeWidth(element) / 8;
    if (count >= lanes) {
        return aic_load(e, aic_vector(element, lanes), pointer, offset, bytes);
    }
    LLVMValueRef whole = aic_zero(aic_vector(element, lanes));
    for (unsigned done = 0, size; done < count; done += size) {
        size = (unsigned)aic_power_within(count - done);
        LLVMValueRef part = aic_load(e, aic_vector(element, size), pointer, offset + (int64_t)done * bytes, bytes);
        whole = put_lanes(e, whole, part, done);
    }
    return whole;
}

void aic_store_part(aic_emit *e, LLVMValueRef value, unsigned count, LLVMValueRef pointer, int64_t offset)
{
    unsigned bytes = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(value))) / 8;
    if (count >= LLVMGetVectorSize(LLVMTypeOf(value))) {
        aic_store(e, value, pointer, offset, bytes);
        return;
    }
    for (unsigned done = 0, size; done < count; done += size) {
        size = (unsigned)aic_power_within(count - done);
        aic_store(e, aic_lanes_of(e, value, done, 1, size), pointer, offset + (int64_t)done * bytes, bytes);
    }
}

LLVMValueRef aic_first_lanes(aic_emit *e, LLVMValueRef count, unsigned lanes)
{
    LLVMTypeRef word = LLVMIntTypeInContext(e->context, lanes);
    LLVMValueRef lane[AIC_LANES_MAX];
    for (unsigned i = 0; i < lanes && LLVMIsAConstantInt(count) != NULL; i++) {
        lane[i] = LLVMConstInt(e->i1, i < LLVMConstIntGetSExtValue(count), false);
    }
    if (LLVMIsAConstantInt(count) != NULL) {
        return LLVMConstVector(lane, lanes);
    }
    LLVMValueRef above = LLVMBuildShl(e->builder, aic_int(e, -1), count, "");
    LLVMValueRef bits = LLVMBuildTrunc(e->builder, LLVMBuildNot(e->builder, above, ""), word, "");
    return LLVMBuildBitCast(e->builder, bits, aic_vector(e->i1, lanes), "");
}

/* Calls the intrinsic for a vector type, whose operand number `pointer` is aligned to an element. */
static LLVMValueRef masked(aic_emit *e, const char *name, LLVMTypeRef type, LLVMValueRef *args, unsigned count,
                           unsigned pointer)
{
    static const char ALIGN[] = "align";
    const unsigned bytes = LLVMGetIntTypeWidth(LLVMGetElementType(type)) / 8;
    LLVMTypeRef overloads[] = {type, e->ptr};
    LLVMValueRef call = aic_emit_intrinsic(e, name, overloads, 2, args, count);
    LLVMAttributeRef align =
        LLVMCreateEnumAttribute(e->context, LLVMGetEnumAttributeKindForName(ALIGN, sizeof ALIGN - 1), bytes);
    LLVMAddCallSiteAttribute(call, pointer + 1, align);
    return call;
}

/* Nothing but the mask says which lanes. */
static LLVMValueRef all_lanes(aic_emit *e, LLVMTypeRef type)
{
    return LLVMConstInt(e->i32, LLVMGetVectorSize(type), false);
}

LLVMValueRef aic_load_lanes(aic_emit *e, LLVMTypeRef type, LLVMValueRef mask, LLVMValueRef pointer, int64_t offset)
{
    LLVMValueRef args[] = {aic_at_const(e, pointer, offset), mask, all_lanes(e, type)};
    return masked(e, "llvm.vp.load", type, args, 3, 0);
}

/* By another intrinsic, as instructions that load zeros are selected for that alone where LLVM splits the vector. It
 * takes the alignment as an argument, or before LLVM 22 does. */
LLVMValueRef aic_load_lanes_or_zero(aic_emit *e, LLVMTypeRef type, LLVMValueRef mask, LLVMValueRef pointer,
                                    int64_t offset)
{
    static const char NAME[] = "llvm.masked.load";
    LLVMTypeRef overloads[] = {type, e->ptr};
    LLVMTypeRef function = LLVMIntrinsicGetType(e->context, LLVMLookupIntrinsicID(NAME, sizeof NAME - 1), overloads, 2);
    LLVMValueRef at = aic_at_const(e, pointer, offset), zero = aic_zero(type);
    if (LLVMCountParamTypes(function) == 3) {
        return masked(e, NAME, type, (LLVMValueRef[]){at, mask, zero}, 3, 0);
    }
    const unsigned bytes = LLVMGetIntTypeWidth(LLVMGetElementType(type)) / 8;
    LLVMValueRef args[] = {at, LLVMConstInt(e->i32, bytes, false), mask, zero};
    return aic_emit_intrinsic(e, NAME, overloads, 2, args, 4);
}

void aic_store_lanes(aic_emit *e, LLVMValueRef value, LLVMValueRef mask, LLVMValueRef pointer, int64_t offset)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef args[] = {value, aic_at_const(e, pointer, offset), mask, all_lanes(e, type)};
    (void)masked(e, "llvm.vp.store", type, args, 4, 1);
}
