/* Packing weights: see weights.h.
 *
 * Of weights in blocks, blocks of raw k-packs (elements that become a k-pack: one, two or four int8) are transposed in
 * registers and widened to k-packs, unless tiles do that: eight by eight or four by four, since interleaving 128-bit
 * vectors is one cheap instruction everywhere, and a small loop body compiles fast. Of weights in rows, the rows of a
 * k-pack are interleaved, up to 16 columns at a time. */
#include "codegen/parts/weights.h"
#include "codegen/family/family.h"
#include "codegen/integer.h"
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
    unsigned block;     /* output channels of one transposition, columns of one access */
    unsigned run;       /* k-packs of one transposition: at most a block */
    int64_t step_bytes; /* of a reduction step in a panel */
    aic_arithmetic arithmetic;
    LLVMValueRef panel; /* the first panel */
    LLVMValueRef mask;  /* the columns of an access that there are; NULL: all */
} packer;

/* Output channels of a block in one panel; panels of a block. */
static unsigned part_of(const packer *p)
{
    return p->block < p->key->panel_channels ? p->block : (unsigned)p->key->panel_channels;
}

/* An address in panel number `i` of those that are packed together, from the same place in the first one. */
static LLVMValueRef in_panel(const packer *p, LLVMValueRef first, unsigned i)
{
    return aic_at_nth(p->e, first, "panel", i);
}

/* Stores the k-packs of one plane of a block of output channels, the first of which has this number, `step` steps
 * behind `row`. */
static void store_plane(const packer *p, LLVMValueRef kpacks, LLVMValueRef row, int64_t step, unsigned plane,
                        unsigned column)
{
    const unsigned part = part_of(p), lanes = LLVMGetVectorSize(LLVMTypeOf(kpacks)) / p->block * part;
    const unsigned channels = (unsigned)p->key->panel_channels;
    const int64_t bytes = p->key->kpack_bytes;
    for (unsigned i = 0; i < p->block / part; i++) {
        LLVMValueRef value = part == p->block ? kpacks : aic_lanes_of(p->e, kpacks, i * lanes, 1, lanes);
        aic_store(p->e, value, in_panel(p, row, column / channels + i),
                  step * p->step_bytes + (plane * channels + column % channels) * bytes, (unsigned)bytes);
    }
}

/* Notes in the heads of the panels whether any of the elements is special. */
static void note_specials(const packer *p, LLVMValueRef elements, unsigned column)
{
    const unsigned first = column / (unsigned)p->key->panel_channels;
    aic_emit *e = p->e;
    aic_branch branch;
    aic_branch_begin(e, &branch, aic_any_special(e, p->key->special_first, p->key->special_end, elements));
    for (unsigned i = 0; i < p->block / part_of(p); i++) {
        aic_store(e, LLVMConstInt(e->i32, 1, false), in_panel(p, p->panel, first + i), 0, sizeof(int32_t));
    }
    aic_branch_end(e, &branch);
}

/* Converts raw k-packs of a block of output channels, from number `column` on, and stores them. */
static void store_raw(const packer *p, LLVMValueRef raw, LLVMValueRef row, int64_t step, unsigned column)
{
    aic_emit *e = p->e;
    LLVMValueRef planes[AIC_PLANES_MAX];
    LLVMTypeRef type = aic_vector(p->element, p->block * (unsigned)p->key->kpack_channels);
    LLVMValueRef elements = LLVMBuildBitCast(e->builder, raw, type, "");
    if (p->key->planes == 1 && p->key->kpack_bytes == p->raw_bytes) {
        planes[0] = elements;
    } else {
        aic_to_kpacks(e, (aic_dtype)p->key->dtype, &p->arithmetic, elements, planes);
    }
    for (unsigned i = 0; i < p->key->planes; i++) {
        store_plane(p, planes[i], row, step, i, column);
    }
    if (p->key->notes) {
        note_specials(p, elements, column);
    }
}

/* ---- weights in blocks ---- */

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
        store_raw(p, raw[u], row, step + u, 0);
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

/* ---- weights in rows ---- */

/* The raw k-packs of the columns whose first element is `source`, of a k-pack that has `rows` rows. */
static LLVMValueRef load_rows(const packer *p, LLVMValueRef source, int64_t rows)
{
    aic_emit *e = p->e;
    LLVMTypeRef elements = aic_vector(p->element, p->block), raws = aic_vector(p->raw, p->block);
    LLVMValueRef sum = NULL;
    for (int64_t r = 0; r < rows; r++) {
        LLVMValueRef from = aic_at_nth(e, source, "row", r);
        LLVMValueRef row =
            p->mask != NULL ? aic_load_lanes_or_zero(e, elements, p->mask, from, 0) : aic_load(e, elements, from, 0, 1);
        if (elements != raws) {
            LLVMValueRef shift = LLVMConstInt(p->raw, (unsigned)r * LLVMGetIntTypeWidth(p->element), false);
            row = LLVMBuildZExt(e->builder, row, raws, "");
            row = LLVMBuildShl(e->builder, row, aic_splat(e, shift, p->block), "");
        }
        sum = sum == NULL ? row : LLVMBuildOr(e->builder, sum, row, "");
    }
    return sum;
}

/* Sums of the weights of an item's columns, a register each. */
typedef struct sums {
    LLVMValueRef of[AIC_CARRIED_MAX];
    unsigned count; /* 0: nobody wants them */
} sums;

static sums no_sums(const packer *p)
{
    const unsigned lanes = (unsigned)p->key->lanes;
    sums s = {.count = lanes == 0 ? 0 : (unsigned)aic_parts(p->key->columns, lanes)};
    aic_limit("sums of weights", s.count, AIC_CARRIED_MAX);
    for (unsigned i = 0; i < s.count; i++) {
        s.of[i] = aic_zero(aic_vector(p->e->i32, lanes));
    }
    return s;
}

/* Where register `i` of an item lies, from the place of the first one on. */
static LLVMValueRef at_register(const packer *p, LLVMValueRef first, unsigned i)
{
    const unsigned column = i * (unsigned)p->key->lanes, channels = (unsigned)p->key->panel_channels;
    return aic_at_const(p->e, in_panel(p, first, column / channels), column % channels * p->key->kpack_bytes);
}

/* Adds the k-packs that were stored from `row` on, whole registers: zeros are where no column is. */
static void add_kpacks(const packer *p, LLVMValueRef row, sums *s)
{
    aic_emit *e = p->e;
    const unsigned bytes = (unsigned)(p->key->lanes * p->key->kpack_bytes);
    for (unsigned i = 0; i < s->count; i++) {
        LLVMValueRef stored = aic_load(e, aic_vector(e->i8, bytes), at_register(p, row, i), 0, bytes);
        LLVMValueRef offset = aic_splat(e, LLVMConstInt(e->i8, (unsigned)p->key->image_offset, false), bytes);
        s->of[i] = aic_unsigned_dot4(e, s->of[i], offset, stored);
    }
}

/* Packs one k-pack of all columns from its `rows` rows; `source` is their first element in the first row. */
static void emit_kpack(const packer *p, LLVMValueRef source, LLVMValueRef row, int64_t rows, sums *s)
{
    const int64_t columns = p->key->columns, size = LLVMGetIntTypeWidth(p->element) / 8;
    packer some = *p;
    for (int64_t column = 0; column < columns; column += some.block) {
        some.block = (unsigned)aic_least(AIC_BLOCK_COLUMNS, aic_power_within(columns - column));
        some.mask = column + some.block == columns ? p->mask : NULL;
        LLVMValueRef raw = load_rows(&some, aic_at_const(p->e, source, column * size), rows);
        store_raw(&some, raw, row, 0, (unsigned)column);
    }
    add_kpacks(p, row, s);
}

/* Where a k-pack is in its panel, in reduction steps from the first one. With blocks of channels the distance includes
 * the other panels between two blocks. */
static LLVMValueRef steps_before(const packer *p, LLVMValueRef kpack)
{
    aic_emit *e = p->e;
    if (!p->key->blocks) {
        return kpack;
    }
    LLVMValueRef size = aic_number(e, "block.kpacks"), block = LLVMBuildUDiv(e->builder, kpack, size, "");
    return aic_add(e, aic_scaled(e, block, "block.steps"), LLVMBuildURem(e->builder, kpack, size, ""));
}

/* ---- the parts ---- */

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

static aic_emit_kind kind_of(const aic_weights_key *key)
{
    return key->fast ? AIC_EMIT_SELDOM : AIC_EMIT_HOT;
}

LLVMValueRef aic_emit_part_weights(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"row", "source", "panel", "count"};
    const aic_weights_key *key = of;
    packer p = packer_of(e, key);
    aic_loop blocks;
    aic_emit_function(e, name, kind_of(key), PARAMS, 3, 1);
    aic_note_function(e, "packs `count` output channels of one block of channels and one tap");
    LLVMValueRef row = aic_emit_param(e, 0), source = aic_emit_param(e, 1);
    p.panel = aic_emit_param(e, 2);
    aic_loop_begin(e, &blocks, "block: blocks of output channels", aic_int(e, 0), aic_emit_param(e, 3), p.block, NULL,
                   0);
    emit_block(&p,
               aic_at(e, source, aic_mul(e, blocks.index, key->c0 * (int64_t)aic_dtype_size((aic_dtype)key->dtype))),
               aic_at(e, row, aic_mul(e, blocks.index, key->kpack_bytes)));
    aic_loop_end(e, &blocks);
    return aic_emit_function_end(e);
}

LLVMValueRef aic_emit_part_weights_rows(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"row", "source", "panel"};
    const aic_weights_key *key = of;
    packer p = packer_of(e, key);
    aic_emit_function(e, name, kind_of(key), PARAMS, 3, 0);
    aic_note_function(e, "packs columns of an item of a weight in rows");
    LLVMValueRef row = aic_emit_param(e, 0), source = aic_emit_param(e, 1);
    p.panel = aic_emit_param(e, 2);
    p.mask = key->masks ? aic_first_lanes(e, aic_number(e, "last.columns"), (unsigned)aic_weights_least(key->columns))
                        : NULL;
    sums s = no_sums(&p);
    if (key->runs) {
        aic_loop kpacks;
        aic_loop_begin(e, &kpacks, "kpack: k-packs of a pixel", aic_int(e, 0), aic_trips(e, "kpacks"), 1, s.of,
                       s.count);
        emit_kpack(&p, aic_at_index(e, source, kpacks.index, "rows"),
                   aic_at(e, row, aic_mul(e, steps_before(&p, kpacks.index), p.step_bytes)), key->kpack_channels, &s);
        aic_loop_end(e, &kpacks);
    }
    if (key->rest > 0) {
        emit_kpack(&p, aic_behind(e, source, "rest.source"), aic_behind(e, row, "rest.at"), key->rest, &s);
    }
    for (unsigned i = 0; i < s.count; i++) { /* the start values */
        aic_store(e, LLVMBuildNeg(e->builder, s.of[i], ""), at_register(&p, p.panel, i), 0,
                  (unsigned)(key->lanes * key->kpack_bytes));
    }
    return aic_emit_function_end(e);
}
