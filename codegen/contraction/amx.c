/* The micro-kernel of AMX's tile registers, int8. A register holds 16 rows of 64 bytes:
 *
 *     image    a row an output pixel, 64 channels of it       (a band is packed so)
 *     weight   a row four channels of 16 output channels      (a panel is packed so)
 *     sums     a row an output pixel, 16 output channels      (the staging buffer is laid out so)
 *
 * A tile of the result is some registers of pixels times some of output channels. Output pixels of a register are
 * neighbours in one row of the output. All registers of pixels have as many rows, the fewest that the widest tile
 * needs; a narrower tile computes pixels too many, which are left out when the staging buffer is stored. */
#include "codegen/contraction/microkernel.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/machine.h"
#include "frontend/core/diag.h"

#include <math.h>

enum { REGISTERS = 8, ROWS = 16, ROW_BYTES = 64, STEP_CELLS = 16, LANES = 16 };

static const char *refuse(const aic_contraction *c, const aic_target *target)
{
    if ((target->has & AIC_HAS_TILES_INT8) == 0) {
        return "needs tile registers, which this instruction set level lacks";
    }
    if (c->dtype != AIC_INT8) {
        return "multiplies int8 only";
    }
    return c->sum == AIC_SUM_INT ? NULL : "adds up in int32, which this many products may leave";
}

static aic_arithmetic arithmetic_of(const aic_contraction *c, const aic_target *target)
{
    (void)c;
    (void)target;
    return (aic_arithmetic){AIC_SUM_INT, AIC_PRODUCT_QUAD, 4, 4, 32, 0};
}

/* ---- registers ---- */

/* How a tile is spread over registers. */
typedef struct grid {
    int64_t across; /* registers of pixels that a row of the tile takes */
    int64_t pixels; /* of one */
    int64_t images; /* registers of pixels in all */
} grid;

static grid grid_of(int64_t rows, int64_t cols)
{
    grid g = {.across = (cols + ROWS - 1) / ROWS};
    g.pixels = (cols + g.across - 1) / g.across;
    g.images = rows * g.across;
    return g;
}

/* Sums, all operands of the side that has fewer, and one of the other side at a time. */
static int64_t registers_used(int64_t images, int64_t vectors)
{
    return images * vectors + (images < vectors ? images : vectors) + 1;
}

/* Which register is what, of all tiles of a kernel: sums from 0 on, then what is held, then what passes by. */
typedef struct assignment {
    grid g; /* of the largest tile */
    bool holds_images;
    unsigned held, passing; /* first register of those that are held; the one that is loaded again and again */
} assignment;

static assignment assign(const aic_tiling *t)
{
    assignment a = {.g = grid_of(t->rows.large, t->cols.large)};
    a.holds_images = a.g.images < t->vectors;
    a.held = (unsigned)a.g.images * t->vectors;
    a.passing = a.held + (a.holds_images ? (unsigned)a.g.images : t->vectors);
    return a;
}

static aic_status check(const aic_contraction *c, const aic_target *target, const aic_contraction_schedule *s,
                        const aic_tiling *t)
{
    (void)target;
    const int64_t cells = (c->channels + t->arithmetic.cell_channels - 1) / t->arithmetic.cell_channels;
    const int64_t steps = (cells + STEP_CELLS - 1) / STEP_CELLS;
    const int64_t used = registers_used(grid_of(s->rows, s->cols).images, s->vectors);
    if (used > REGISTERS) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule",
                        "rows, cols, vectors = %lld, %lld, %lld need %lld tile registers of the %d that there are",
                        (long long)s->rows, (long long)s->cols, (long long)s->vectors, (long long)used, REGISTERS);
    }
    if (s->unroll < STEP_CELLS || s->unroll % STEP_CELLS != 0 || steps % (s->unroll / STEP_CELLS) != 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "unroll = %lld is not %d times a divisor of %lld",
                        (long long)s->unroll, STEP_CELLS, (long long)steps);
    }
    return AIC_OK;
}

static int64_t pixels_of(const aic_contraction *c, const aic_target *target, int64_t vectors)
{
    (void)c;
    (void)target;
    int64_t images = 0;
    while (registers_used(images + 1, vectors) <= REGISTERS) {
        images++;
    }
    return images * ROWS;
}

static int64_t unroll_of(const aic_contraction *c, const aic_target *target, int64_t sums)
{
    (void)target;
    (void)sums;
    const int64_t steps = (c->channels + ROW_BYTES - 1) / ROW_BYTES;
    return steps % 2 == 0 ? 2 * STEP_CELLS : STEP_CELLS;
}

/* ---- cost ---- */

/* In vector operations, two of which take a cycle: 16 cycles for a product of full registers, one a row; 8 to load a
 * register from the first-level cache, 16 to store one. */
static const double PRODUCT_ROW = 2, LOAD = 16, FAR_LOAD = 40, STORE = 32, TAP = 10, TILE = 60;

static double cost_of(const aic_contraction *c, const aic_target *target, const aic_tiling *t, int64_t rows,
                      int64_t cols)
{
    (void)c;
    (void)target;
    const grid g = grid_of(t->rows.large, t->cols.large);
    const double images = (double)rows * ceil((double)cols / (double)g.pixels), vectors = t->vectors;
    /* Cores with tiles have half as much again of first-level cache as usual ones. */
    const double weight_load = t->panel_bytes > aic_machine_facts()->l1_bytes * 5 / 4 ? FAR_LOAD : LOAD;
    const double products = images * vectors * PRODUCT_ROW * (double)g.pixels;
    const double loads = images * LOAD + vectors * weight_load;
    const double steps = (double)(t->taps * t->cells / STEP_CELLS);
    return steps * fmax(products, loads) + TAP * (double)t->taps + images * vectors * STORE + TILE;
}

static double bound_of(const aic_contraction *c, const aic_target *target)
{
    (void)target;
    const double steps = (double)(c->kh * c->kw) * ceil((double)c->channels / ROW_BYTES);
    return steps * (double)(c->oh * c->ow) * (double)c->n / LANES * PRODUCT_ROW;
}

/* ---- emission ---- */

typedef struct tile {
    aic_emit *e;
    const aic_contraction *c;
    const aic_tiling *t;
    int64_t rows, cols;
    assignment a;
    int64_t across; /* registers of pixels that a row of this tile takes */
    unsigned images, vectors;
    LLVMValueRef out, band, panel, taps;
} tile;

static LLVMValueRef number(const tile *k, unsigned reg)
{
    return LLVMConstInt(k->e->i8, reg, false);
}

static unsigned sum_register(const tile *k, unsigned image, unsigned vector)
{
    return image * k->vectors + vector;
}

static void access_register(const tile *k, const char *name, unsigned reg, LLVMValueRef pointer, int64_t stride)
{
    LLVMValueRef args[] = {number(k, reg), pointer, aic_int(k->e, stride)};
    aic_emit_intrinsic(k->e, name, NULL, 0, args, 3);
}

static void load_image(const tile *k, unsigned reg, LLVMValueRef band, int64_t cell, unsigned image)
{
    const aic_tiling *t = k->t;
    const int64_t row = image / k->across, col = image % k->across * k->a.g.pixels;
    const int64_t offset =
        row * t->row_step * t->row_pitch + col * t->col_step * t->pixel_pitch + cell * t->arithmetic.cell_bytes;
    access_register(k, "llvm.x86.tileloadd64", reg, aic_at_const(k->e, band, offset), t->col_step * t->pixel_pitch);
}

static void load_weight(const tile *k, unsigned reg, LLVMValueRef panel, int64_t cell, unsigned vector)
{
    const int64_t pitch = k->t->group * k->t->arithmetic.cell_bytes;
    const int64_t offset = cell * pitch + (int64_t)vector * ROW_BYTES;
    access_register(k, "llvm.x86.tileloadd64", reg, aic_at_const(k->e, panel, offset), pitch);
}

static void multiply(const tile *k, unsigned image, unsigned vector, unsigned image_register, unsigned weight_register)
{
    LLVMValueRef args[] = {number(k, sum_register(k, image, vector)), number(k, image_register),
                           number(k, weight_register)};
    aic_emit_intrinsic(k->e, "llvm.x86.tdpbssd", NULL, 0, args, 3);
}

/* 64 channels of every pixel times those of every output channel. One side is loaded first and stays, the other one
 * passes by. */
static void emit_step(const tile *k, LLVMValueRef band, LLVMValueRef panel, int64_t cell)
{
    const assignment *a = &k->a;
    const unsigned outer = a->holds_images ? k->vectors : k->images, inner = a->holds_images ? k->images : k->vectors;
    for (unsigned o = 0; o < outer; o++) {
        (a->holds_images ? load_weight : load_image)(k, a->passing, a->holds_images ? panel : band, cell, o);
        for (unsigned i = 0; i < inner; i++) {
            if (o == 0) {
                (a->holds_images ? load_image : load_weight)(k, a->held + i, a->holds_images ? band : panel, cell, i);
            }
            if (a->holds_images) {
                multiply(k, i, o, a->held + i, a->passing);
            } else {
                multiply(k, o, i, a->passing, a->held + i);
            }
        }
    }
}

/* The cells of one tap; returns the panel's pointer behind them. */
static LLVMValueRef emit_tap(const tile *k, LLVMValueRef panel, LLVMValueRef tap)
{
    aic_emit *e = k->e;
    const int64_t unroll = k->t->unroll, bytes = unroll * k->t->arithmetic.cell_bytes;
    LLVMValueRef entry = aic_at(e, k->taps, aic_mul(e, tap, sizeof(int64_t)));
    LLVMValueRef carried[] = {panel, aic_at(e, k->band, aic_load(e, e->i64, entry, 0, 8))};
    aic_loop loop;
    aic_name(e, carried[1], "band.tap");
    aic_loop_begin(e, &loop, "cell: channel cells of a tap", aic_int(e, 0), aic_int(e, k->t->cells), unroll, carried,
                   2);
    aic_name_carried(e, &loop, 0, "panel.at");
    aic_name_carried(e, &loop, 1, "band.at");
    for (int64_t cell = 0; cell < unroll; cell += STEP_CELLS) {
        emit_step(k, carried[1], carried[0], cell);
    }
    carried[0] = aic_at_const(e, carried[0], bytes * k->t->group);
    carried[1] = aic_at_const(e, carried[1], bytes);
    aic_loop_end(e, &loop);
    return carried[0];
}

static void emit_reduction(const tile *k)
{
    aic_emit *e = k->e;
    aic_loop loop;
    LLVMValueRef panel = k->panel;
    for (unsigned i = 0; i < k->images * k->vectors; i++) {
        LLVMValueRef args[] = {number(k, i)};
        aic_emit_intrinsic(e, "llvm.x86.tilezero", NULL, 0, args, 1);
    }
    aic_loop_begin(e, &loop, "tap: taps of the kernel", aic_int(e, 0), aic_int(e, k->t->taps), 1, &panel, 1);
    aic_name_carried(e, &loop, 0, "panel.tap");
    panel = emit_tap(k, panel, loop.index);
    aic_loop_end(e, &loop);
}

/* The sums to the staging buffer, pixel after pixel: what a register has too many pixels of, the next one overwrites,
 * or it comes to lie behind it. */
static void store_sums(const tile *k, LLVMValueRef staging)
{
    for (unsigned v = 0; v < k->vectors; v++) {
        for (unsigned i = 0; i < k->images; i++) {
            const int64_t pixel = i / k->across * k->cols + i % k->across * k->a.g.pixels;
            LLVMValueRef to = aic_at_const(k->e, staging, v * k->t->staging_pitch + pixel * ROW_BYTES);
            access_register(k, "llvm.x86.tilestored64", sum_register(k, i, v), to, ROW_BYTES);
        }
    }
}

/* The staging buffer has old results, to which the sums are added as exact numbers and clamped. */
static void add_sums(const tile *k, LLVMValueRef sums)
{
    aic_emit *e = k->e;
    LLVMTypeRef type = aic_vector(e->i32, LANES);
    for (unsigned v = 0; v < k->vectors; v++) {
        aic_loop loop;
        LLVMValueRef block = aic_at_const(e, k->out, v * k->t->staging_pitch);
        LLVMValueRef added = aic_at_const(e, sums, v * k->t->staging_pitch);
        aic_loop_begin(e, &loop, "pixel: pixels of the tile", aic_int(e, 0), aic_int(e, k->rows * k->cols), 1, NULL, 0);
        LLVMValueRef offset = aic_mul(e, loop.index, ROW_BYTES), to = aic_at(e, block, offset);
        LLVMValueRef sum = aic_load(e, type, aic_at(e, added, offset), 0, ROW_BYTES);
        aic_store(e, aic_add_saturated(e, aic_load(e, type, to, 0, ROW_BYTES), sum), to, 0, ROW_BYTES);
        aic_loop_end(e, &loop);
    }
}

static LLVMValueRef emit_tile(aic_emit *e, const aic_contraction *c, const aic_tiling *t, int64_t rows, int64_t cols,
                              const char *name)
{
    static const char *const PARAMS[] = {"out", "band", "panel", "taps"};
    aic_emit_function(e, name, AIC_EMIT_HOT, PARAMS, 4, 0);
    aic_note_function(e, "tile of %lld x %lld pixels x %lld output channels, sums in tile registers", (long long)rows,
                      (long long)cols, (long long)t->group);
    LLVMValueRef function = e->function;
    tile k = {.e = e, .c = c, .t = t, .rows = rows, .cols = cols, .a = assign(t), .vectors = t->vectors};
    k.across = (cols + k.a.g.pixels - 1) / k.a.g.pixels;
    k.images = (unsigned)(rows * k.across);
    k.out = aic_emit_param(e, 0);
    k.band = aic_emit_param(e, 1);
    k.panel = aic_emit_param(e, 2);
    k.taps = aic_emit_param(e, 3);
    emit_reduction(&k);
    LLVMValueRef sums = t->accumulate ? aic_at_const(e, k.out, aic_tiling_staging_bytes(t)) : k.out;
    store_sums(&k, sums);
    if (t->accumulate) {
        add_sums(&k, sums);
    }
    aic_emit_function_end(e);
    return function;
}

/* A row of pixels takes as many registers whatever the last one has too many of; sums that are added to old results
 * are counted, and those of a second row lie behind the columns of the first. */
static bool serves_narrower(const aic_contraction *c, const aic_tiling *t, int64_t rows, int64_t cols)
{
    (void)c;
    const int64_t pixels = assign(t).g.pixels;
    return rows == 1 && !t->accumulate && (cols + pixels - 1) / pixels == (cols - 1 + pixels - 1) / pixels;
}

/* ---- a worker's state ---- */

/* The configuration that ldtilecfg reads: palette 1; for every register its bytes a row, from byte 16 on, and its rows,
 * from byte 48 on. Registers of weights have 16 rows, the others as many as there are pixels. */
static void enter(aic_emit *e, const aic_tiling *t)
{
    enum { BYTES = 64, PALETTE = 0, COLUMNS = 16, HEIGHTS = 48 };
    const assignment a = assign(t);
    LLVMValueRef byte[BYTES];
    for (unsigned i = 0; i < BYTES; i++) {
        byte[i] = LLVMConstInt(e->i8, 0, false);
    }
    byte[PALETTE] = LLVMConstInt(e->i8, 1, false);
    for (unsigned i = 0; i < REGISTERS; i++) {
        const bool weight = i >= a.held && (i < a.passing) != a.holds_images;
        byte[COLUMNS + 2 * i] = LLVMConstInt(e->i8, ROW_BYTES, false);
        byte[HEIGHTS + i] = LLVMConstInt(e->i8, weight ? ROWS : (unsigned)a.g.pixels, false);
    }
    LLVMTypeRef type = aic_vector(e->i8, BYTES);
    LLVMValueRef config = LLVMBuildAlloca(e->builder, type, "tile_config");
    aic_store(e, LLVMConstVector(byte, BYTES), config, 0, BYTES);
    LLVMSetAlignment(config, BYTES);
    aic_emit_intrinsic(e, "llvm.x86.ldtilecfg", NULL, 0, &config, 1);
}

static void leave(aic_emit *e)
{
    aic_emit_intrinsic(e, "llvm.x86.tilerelease", NULL, 0, NULL, 0);
}

const aic_microkernel aic_microkernel_amx = {
    .name = "amx",
    .refuse = refuse,
    .arithmetic = arithmetic_of,
    .step_cells = STEP_CELLS,
    .staged = true,
    .check = check,
    .pixels = pixels_of,
    .unroll = unroll_of,
    .cost = cost_of,
    .bound = bound_of,
    .emit = emit_tile,
    .serves_narrower = serves_narrower,
    .needs = AIC_NEEDS_TILES,
    .enter = enter,
    .leave = leave,
};
