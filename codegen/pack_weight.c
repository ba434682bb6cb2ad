/* Packing weights: [c1, taps, n, c0] becomes panels of one group of output channels each, in the order of the
 * reduction, one cell an output channel.
 *
 * Eight output channels by eight 16-bit units (a half or a pair of int8) are transposed in registers and widened to
 * cells: interleaving in 128-bit vectors is one cheap instruction everywhere, and a small loop body compiles fast. */
#include "codegen/contraction.h"
#include "codegen/vec.h"

enum { BLOCK = 8 };

typedef struct packer {
    aic_emit *e;
    const aic_contraction *c;
    const aic_tiling *t;
    unsigned units; /* 16-bit units of one output channel in one channel block = cells */
    unsigned strip; /* units of one transposition: at most a block */
    int64_t chunk;  /* output channels packed together: a group, or a block of several smaller groups */
    LLVMValueRef packed, weight;
} packer;

/* unit[u] = <8 x i16>: unit u of eight output channels. */
static void load_transposed(const packer *p, LLVMValueRef source, LLVMValueRef unit[BLOCK])
{
    aic_emit *e = p->e;
    /* Rows of less than a vector lie together in one, longer ones are a vector each. */
    int64_t pitch = p->strip < BLOCK ? BLOCK * 2 : (int64_t)p->units * 2;
    for (unsigned i = 0; i < p->strip; i++) {
        unit[i] = aic_load(e, aic_vector(e->i16, BLOCK), source, i * pitch, 1);
    }
    aic_transpose(e, unit, p->strip, BLOCK);
}

/* Eight units to eight cells. */
static LLVMValueRef widen(const packer *p, LLVMValueRef units)
{
    aic_emit *e = p->e;
    if (!p->t->arithmetic->is_float) {
        LLVMValueRef bytes = LLVMBuildBitCast(e->builder, units, aic_vector(e->i8, 2 * BLOCK), "");
        return LLVMBuildSExt(e->builder, bytes, aic_vector(e->i16, 2 * BLOCK), "");
    }
    LLVMValueRef floats = aic_half_to_float(e, units);
    return p->c->sum == AIC_SUM_CUBE ? LLVMBuildFPExt(e->builder, floats, aic_vector(e->f64, BLOCK), "") : floats;
}

static void store_cells(const packer *p, LLVMValueRef cells, LLVMValueRef row, unsigned unit)
{
    unsigned bytes = p->t->arithmetic->cell_bytes, group = (unsigned)p->t->group;
    int64_t offset = (int64_t)unit * group * bytes;
    if (group >= BLOCK) {
        aic_store(p->e, cells, row, offset, BLOCK * bytes);
        return;
    }
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(cells)) / BLOCK * group;
    for (unsigned i = 0; i < BLOCK / group; i++) {
        LLVMValueRef part = aic_lanes_of(p->e, cells, i * lanes, 1, lanes);
        aic_store(p->e, part, row, i * p->t->panel_bytes + offset, group * bytes);
    }
}

/* Eight output channels of one channel block and tap: `source` is their first element, `row` where their first cell
 * goes. */
static void emit_block(const packer *p, LLVMValueRef source, LLVMValueRef row)
{
    aic_emit *e = p->e;
    aic_loop strips;
    aic_loop_begin(e, &strips, "strip", aic_int(e, 0), aic_int(e, p->units), p->strip, NULL, 0);
    LLVMValueRef unit[BLOCK];
    load_transposed(p, aic_at(e, source, aic_mul(e, strips.index, 2)), unit);
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
    LLVMValueRef row = aic_at(e, panel, aic_mul(e, position, p->units * p->t->group * a->cell_bytes));
    aic_loop blocks;
    aic_loop_begin(e, &blocks, "block", aic_int(e, 0), aic_int(e, p->chunk), BLOCK, NULL, 0);
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

LLVMValueRef aic_emit_pack_weight(aic_emit *e, const aic_contraction *c, const aic_tiling *t, const char *name)
{
    static const char *const PARAMS[] = {"packed", "weight"};
    aic_emit_function(e, name, true, PARAMS, 2);
    LLVMValueRef function = e->function;
    packer p = {.e = e, .c = c, .t = t, .units = (unsigned)(c->c0 / t->arithmetic->cell_channels)};
    p.strip = p.units < BLOCK ? p.units : BLOCK;
    p.chunk = t->group > BLOCK ? t->group : BLOCK;
    p.packed = aic_emit_param(e, 0);
    p.weight = aic_emit_param(e, 1);
    LLVMValueRef saved = aic_float_enter(e, t->arithmetic->is_float);
    emit_panels(&p);
    aic_float_leave(e, saved);
    aic_emit_function_end(e);
    return function;
}
