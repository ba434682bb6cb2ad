/* Packing weights: [c1, taps, n, c0] becomes panels of one group of output channels each, in the order of the
 * reduction, one cell an output channel.
 *
 * Blocks of units (what becomes a cell: a half, two or four int8) are transposed in registers and widened to cells:
 * eight by eight or four by four, since interleaving 128-bit vectors is one cheap instruction everywhere, and a small
 * loop body compiles fast. */
#include "codegen/contraction.h"
#include "codegen/target/family.h"
#include "codegen/vec.h"

enum { BLOCK_MAX = 8, VECTOR_BYTES = 16 };

typedef struct packer {
    aic_emit *e;
    const aic_contraction *c;
    const aic_tiling *t;
    LLVMTypeRef unit; /* integer of a unit's size */
    unsigned unit_bytes;
    unsigned units; /* of one output channel in one channel block */
    unsigned block; /* output channels of one transposition */
    unsigned strip; /* units of one transposition: at most a block */
    int64_t chunk;  /* output channels packed together: a group, or a block of several smaller groups */
    LLVMValueRef packed, weight;
} packer;

/* unit[u] = unit u of a block of output channels. */
static void load_transposed(const packer *p, LLVMValueRef source, LLVMValueRef unit[BLOCK_MAX])
{
    aic_emit *e = p->e;
    /* Rows of less than a vector lie together in one, longer ones are a vector each. */
    int64_t pitch = (int64_t)(p->strip < p->block ? p->block : p->units) * p->unit_bytes;
    for (unsigned i = 0; i < p->strip; i++) {
        unit[i] = aic_load(e, aic_vector(p->unit, p->block), source, i * pitch, 1);
    }
    if (p->strip > 1) {
        aic_transpose(e, unit, p->strip, p->block);
    }
}

/* A block of units to cells. */
static LLVMValueRef widen(const packer *p, LLVMValueRef units)
{
    aic_emit *e = p->e;
    switch (p->t->arithmetic->product) {
    case AIC_PRODUCT_PAIR:
        units = LLVMBuildBitCast(e->builder, units, aic_vector(e->i8, 2 * p->block), "");
        return LLVMBuildSExt(e->builder, units, aic_vector(e->i16, 2 * p->block), "");
    case AIC_PRODUCT_QUAD:
        return units;
    case AIC_PRODUCT_FLOAT:
        break;
    }
    LLVMValueRef floats = aic_half_to_float(e, units);
    return p->c->sum == AIC_SUM_CUBE ? LLVMBuildFPExt(e->builder, floats, aic_vector(e->f64, p->block), "") : floats;
}

static void store_cells(const packer *p, LLVMValueRef cells, LLVMValueRef row, unsigned unit)
{
    unsigned bytes = p->t->arithmetic->cell_bytes, group = (unsigned)p->t->group;
    int64_t offset = (int64_t)unit * group * bytes;
    if (group >= p->block) {
        aic_store(p->e, cells, row, offset, p->block * bytes);
        return;
    }
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(cells)) / p->block * group;
    for (unsigned i = 0; i < p->block / group; i++) {
        LLVMValueRef part = aic_lanes_of(p->e, cells, i * lanes, 1, lanes);
        aic_store(p->e, part, row, i * p->t->panel_bytes + offset, group * bytes);
    }
}

/* A block of output channels of one channel block and tap: `source` is their first element, `row` where their first
 * cell goes. */
static void emit_block(const packer *p, LLVMValueRef source, LLVMValueRef row)
{
    aic_emit *e = p->e;
    aic_loop strips;
    aic_loop_begin(e, &strips, "strip", aic_int(e, 0), aic_int(e, p->units), p->strip, NULL, 0);
    LLVMValueRef unit[BLOCK_MAX];
    load_transposed(p, aic_at(e, source, aic_mul(e, strips.index, p->unit_bytes)), unit);
    row = aic_at(e, row, aic_mul(e, strips.index, p->t->group * p->t->arithmetic->cell_bytes));
    for (unsigned u = 0; u < p->strip; u++) {
        store_cells(p, widen(p, unit[u]), row, u);
    }
    aic_loop_end(e, &strips);
}

/* The output channels of one group, or a block of them where groups are smaller, for one channel block and tap. */
static void emit_step(const packer *p, LLVMValueRef panel, LLVMValueRef first, LLVMValueRef channel, LLVMValueRef tap)
{
    aic_emit *e = p->e;
    const aic_contraction *c = p->c;
    const aic_arithmetic *a = p->t->arithmetic;
    LLVMValueRef index = aic_add(e, aic_mul(e, channel, p->t->taps), tap);
    LLVMValueRef source = aic_at(e, p->weight, aic_mul(e, index, c->n * c->c0 * a->source_bytes));
    source = aic_at(e, source, aic_mul(e, first, c->c0 * a->source_bytes));
    /* The order of the reduction: channel blocks outermost where it is fixed, else all channels of a tap together. */
    LLVMValueRef position = c->sum == AIC_SUM_CUBE ? index : aic_add(e, aic_mul(e, tap, c->c1), channel);
    LLVMValueRef row = aic_at_const(e, panel, p->t->start_bytes);
    row = aic_at(e, row, aic_mul(e, position, p->units * p->t->group * a->cell_bytes));
    aic_loop blocks;
    aic_loop_begin(e, &blocks, "block", aic_int(e, 0), aic_int(e, p->chunk), p->block, NULL, 0);
    emit_block(p, aic_at(e, source, aic_mul(e, blocks.index, c->c0 * a->source_bytes)),
               aic_at(e, row, aic_mul(e, blocks.index, a->cell_bytes)));
    aic_loop_end(e, &blocks);
}

/* Panel by panel, so that what is written is written in order. */
static void emit_panels(const packer *p)
{
    aic_emit *e = p->e;
    aic_loop chunks, channels, taps;
    aic_loop_begin(e, &chunks, "chunk", aic_int(e, 0), aic_int(e, p->c->n / p->chunk), 1, NULL, 0);
    LLVMValueRef panel = aic_at(e, p->packed, aic_mul(e, chunks.index, p->chunk / p->t->group * p->t->panel_bytes));
    LLVMValueRef first = aic_mul(e, chunks.index, p->chunk);
    aic_loop_begin(e, &channels, "channels", aic_int(e, 0), aic_int(e, p->c->c1), 1, NULL, 0);
    aic_loop_begin(e, &taps, "tap", aic_int(e, 0), aic_int(e, p->t->taps), 1, NULL, 0);
    emit_step(p, panel, first, channels.index, taps.index);
    aic_loop_end(e, &taps);
    aic_loop_end(e, &channels);
    aic_loop_end(e, &chunks);
}

/* Start values: an image offset by o adds o times the sum of an output channel's weights, which the sums start below.
 */
static void emit_starts(const packer *p)
{
    aic_emit *e = p->e;
    const aic_tiling *t = p->t;
    unsigned bytes = t->lanes * t->arithmetic->cell_bytes;
    LLVMTypeRef cells = aic_vector(e->i8, bytes), words = aic_vector(e->i32, t->lanes);
    LLVMValueRef offset = aic_splat(e, LLVMConstInt(e->i8, (unsigned)t->image_offset, false), bytes);
    aic_loop panels, vectors, steps;
    aic_loop_begin(e, &panels, "panel", aic_int(e, 0), aic_int(e, p->c->n / t->group), 1, NULL, 0);
    LLVMValueRef panel = aic_at(e, p->packed, aic_mul(e, panels.index, t->panel_bytes));
    aic_loop_begin(e, &vectors, "vector", aic_int(e, 0), aic_int(e, t->vectors), 1, NULL, 0);
    LLVMValueRef start = aic_at(e, panel, aic_mul(e, vectors.index, bytes)), sum = aic_zero(words);
    aic_loop_begin(e, &steps, "step", aic_int(e, 0), aic_int(e, t->taps * t->cells), 1, &sum, 1);
    LLVMValueRef row = aic_at(e, start, aic_mul(e, steps.index, t->group * t->arithmetic->cell_bytes));
    sum = e->target->family->dot4.emit(e, sum, offset, aic_load(e, cells, row, t->start_bytes, bytes));
    aic_loop_end(e, &steps);
    aic_store(e, LLVMBuildNeg(e->builder, sum, ""), start, 0, bytes);
    aic_loop_end(e, &vectors);
    aic_loop_end(e, &panels);
}

LLVMValueRef aic_emit_pack_weight(aic_emit *e, const aic_contraction *c, const aic_tiling *t, const char *name)
{
    static const char *const PARAMS[] = {"packed", "weight"};
    aic_emit_function(e, name, true, PARAMS, 2, 0);
    LLVMValueRef function = e->function;
    packer p = {.e = e, .c = c, .t = t, .units = (unsigned)(c->c0 / t->arithmetic->cell_channels)};
    p.unit_bytes = t->arithmetic->cell_channels * t->arithmetic->source_bytes;
    p.unit = LLVMIntTypeInContext(e->context, 8 * p.unit_bytes);
    p.block = VECTOR_BYTES / p.unit_bytes;
    p.strip = p.units < p.block ? p.units : p.block;
    p.chunk = t->group > p.block ? t->group : p.block;
    p.packed = aic_emit_param(e, 0);
    p.weight = aic_emit_param(e, 1);
    LLVMValueRef saved = aic_float_enter(e, t->arithmetic->product == AIC_PRODUCT_FLOAT);
    emit_panels(&p);
    if (t->start_bytes != 0) {
        emit_starts(&p);
    }
    aic_float_leave(e, saved);
    aic_emit_function_end(e);
    return function;
}
