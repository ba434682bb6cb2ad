/* Packing weights in blocks: see weights.h.
 *
 * Blocks of raw k-packs (elements that become a k-pack: one, two or four int8) are transposed in registers and widened
 * to k-packs: eight by eight or four by four, since interleaving 128-bit vectors is one cheap instruction everywhere,
 * and a small loop body compiles fast. */
#include "codegen/parts/weights.h"
#include "codegen/kpacks.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/parts.h"

enum { BLOCK_MAX = 8, VECTOR_BYTES = 16 };

typedef struct packer {
    aic_emit *e;
    const aic_weights_key *key;
    LLVMTypeRef raw, element; /* integers of the size of a raw k-pack, of an element */
    unsigned raw_bytes;
    unsigned c0_kpacks; /* of one output channel */
    unsigned block;     /* output channels of one transposition */
    unsigned run;       /* k-packs of one transposition: at most a block */
    int64_t step_bytes; /* of a reduction step in a panel */
    aic_arithmetic arithmetic;
    LLVMValueRef panel; /* the first panel */
} packer;

/* Output channels of a block in one panel; panels of a block. */
static unsigned part_of(const packer *p)
{
    return p->block < p->key->panel_channels ? p->block : (unsigned)p->key->panel_channels;
}

/* An address in panel number `i` of those that are packed together, from the same place in the first one. */
static LLVMValueRef in_panel(const packer *p, LLVMValueRef first, unsigned i)
{
    return i == 0 ? first : aic_at(p->e, first, aic_number(p->e, "panel.%u", i));
}

/* Stores the k-packs of one plane of a block of output channels, `step` steps behind `row`. */
static void store_plane(const packer *p, LLVMValueRef kpacks, LLVMValueRef row, int64_t step, unsigned plane)
{
    const unsigned part = part_of(p), lanes = LLVMGetVectorSize(LLVMTypeOf(kpacks)) / p->block * part;
    const int64_t bytes = p->key->kpack_bytes;
    for (unsigned i = 0; i < p->block / part; i++) {
        LLVMValueRef value = part == p->block ? kpacks : aic_lanes_of(p->e, kpacks, i * lanes, 1, lanes);
        aic_store(p->e, value, in_panel(p, row, i), step * p->step_bytes + plane * p->key->panel_channels * bytes,
                  (unsigned)bytes);
    }
}

/* Notes in the heads of the panels whether any of the elements is special. */
static void note_specials(const packer *p, LLVMValueRef elements)
{
    aic_emit *e = p->e;
    aic_branch branch;
    aic_branch_begin(e, &branch, aic_any_special(e, p->key->special_first, p->key->special_end, elements));
    for (unsigned i = 0; i < p->block / part_of(p); i++) {
        aic_store(e, LLVMConstInt(e->i32, 1, false), in_panel(p, p->panel, i), 0, sizeof(int32_t));
    }
    aic_branch_end(e, &branch);
}

/* Converts raw k-packs of a block of output channels and stores them. */
static void store_raw(const packer *p, LLVMValueRef raw, LLVMValueRef row, int64_t step)
{
    aic_emit *e = p->e;
    LLVMValueRef planes[AIC_PLANES_MAX];
    LLVMTypeRef type = aic_vector(p->element, p->block * (unsigned)p->key->kpack_channels);
    LLVMValueRef elements = LLVMBuildBitCast(e->builder, raw, type, "");
    aic_to_kpacks(e, (aic_dtype)p->key->dtype, &p->arithmetic, elements, planes);
    for (unsigned i = 0; i < p->key->planes; i++) {
        store_plane(p, planes[i], row, step, i);
    }
    if (p->key->notes) {
        note_specials(p, elements);
    }
}

/* Loads a block of output channels: raw[u] = their raw k-packs number u. */
static void load_transposed(const packer *p, LLVMValueRef source, LLVMValueRef raw[BLOCK_MAX])
{
    aic_emit *e = p->e;
    /* Rows of less than a vector lie together in one, longer ones are a vector each. */
    const int64_t pitch = (int64_t)(p->run < p->block ? p->block : p->c0_kpacks) * p->raw_bytes;
    for (unsigned i = 0; i < p->run; i++) {
        raw[i] = aic_load(e, aic_vector(p->raw, p->block), source, i * pitch, 1);
    }
    if (p->run > 1) {
        aic_transpose(e, raw, p->run, p->block);
    }
}

/* A raw k-pack with all but its first `channels` channels cleared. */
static LLVMValueRef keep_channels(const packer *p, LLVMValueRef raw, int64_t channels)
{
    if (channels >= p->key->kpack_channels) {
        return raw;
    }
    const int64_t bits = channels > 0 ? channels * LLVMGetIntTypeWidth(p->element) : 0;
    LLVMValueRef mask = LLVMConstInt(p->raw, (UINT64_C(1) << bits) - 1, false);
    return LLVMBuildAnd(p->e->builder, raw, aic_splat(p->e, mask, p->block), "");
}

/* A run of k-packs of a block of output channels, from k-pack number `first` on; `row` is where the first one's first
 * k-pack goes, less `step` steps. */
static void emit_run(const packer *p, LLVMValueRef source, LLVMValueRef row, int64_t step, int64_t first)
{
    LLVMValueRef raw[BLOCK_MAX];
    aic_limit("k-packs of a transposition", p->run, BLOCK_MAX);
    load_transposed(p, source, raw);
    for (unsigned u = 0; u < p->run && first + u < p->key->kpacks; u++) {
        raw[u] = keep_channels(p, raw[u], p->key->channels - (first + u) * p->key->kpack_channels);
        store_raw(p, raw[u], row, step + u);
    }
}

/* A block of output channels: `source` is their first element, `row` where their first k-pack goes. */
static void emit_block(const packer *p, LLVMValueRef source, LLVMValueRef row)
{
    aic_emit *e = p->e;
    if (p->key->channels == p->key->c0) {
        aic_loop runs;
        aic_loop_begin(e, &runs, "run: runs of k-packs of a channel block", aic_int(e, 0), aic_int(e, p->c0_kpacks),
                       p->run, NULL, 0);
        emit_run(p, aic_at(e, source, aic_mul(e, runs.index, p->raw_bytes)),
                 aic_at(e, row, aic_mul(e, runs.index, p->step_bytes)), 0, 0);
        aic_loop_end(e, &runs);
        return;
    }
    for (int64_t u = 0; u < p->key->kpacks; u += p->run) {
        emit_run(p, aic_at_const(e, source, u * p->raw_bytes), row, u, u);
    }
}

static packer packer_of(aic_emit *e, const aic_weights_key *key)
{
    const unsigned source_bytes = (unsigned)aic_dtype_size((aic_dtype)key->dtype);
    packer p = {.e = e, .key = key, .raw_bytes = (unsigned)key->kpack_channels * source_bytes};
    p.raw = LLVMIntTypeInContext(e->context, 8 * p.raw_bytes);
    p.element = LLVMIntTypeInContext(e->context, 8 * source_bytes);
    p.c0_kpacks = (unsigned)(key->c0 / key->kpack_channels);
    p.block = VECTOR_BYTES / p.raw_bytes;
    p.run = p.c0_kpacks < p.block ? p.c0_kpacks : p.block;
    p.step_bytes = key->panel_channels * key->kpack_bytes * key->planes;
    p.arithmetic = (aic_arithmetic){.sum = (aic_sum)key->sum,
                                    .product = (aic_product)key->product,
                                    .kpack_bytes = (unsigned)key->kpack_bytes,
                                    .kpack_channels = (unsigned)key->kpack_channels,
                                    .planes = (unsigned)key->planes};
    return p;
}

LLVMValueRef aic_emit_part_weights(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"row", "source", "panel", "count"};
    const aic_weights_key *key = of;
    packer p = packer_of(e, key);
    aic_loop blocks;
    aic_emit_function(e, name, key->fast ? AIC_EMIT_FRAME : AIC_EMIT_HOT, PARAMS, 3, 1);
    aic_note_function(e, "packs `count` output channels of one block of channels and one tap");
    LLVMValueRef function = e->function, row = aic_emit_param(e, 0), source = aic_emit_param(e, 1);
    p.panel = aic_emit_param(e, 2);
    aic_loop_begin(e, &blocks, "block: blocks of output channels", aic_int(e, 0), aic_emit_param(e, 3), p.block, NULL,
                   0);
    emit_block(&p,
               aic_at(e, source, aic_mul(e, blocks.index, key->c0 * (int64_t)aic_dtype_size((aic_dtype)key->dtype))),
               aic_at(e, row, aic_mul(e, blocks.index, key->kpack_bytes)));
    aic_loop_end(e, &blocks);
    aic_emit_function_end(e);
    return function;
}
