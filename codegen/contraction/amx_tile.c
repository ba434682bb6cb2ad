/* The tile of the AMX micro-kernel, loads, products and stores; and a worker's configuration of the tile registers. */
#include "codegen/contraction/amx.h"
#include "codegen/integer.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/own.h"

enum { ROW_BYTES = AMX_ROW_BYTES };

typedef struct tile {
    aic_emit *e;
    const aic_tiling *t;
    amx_tile of;
    amx_registers a;
    amx_grid g;               /* of this tile */
    unsigned images, vectors; /* registers of pixels, and of output channels */
    bool streams;             /* panels are loaded by non-temporal loads */
    LLVMValueRef planes;      /* room for the planes of two steps' weights, if panels have none (aic_wish.halves) */
    LLVMValueRef last;        /* and the panel's last step */
    LLVMValueRef leave;       /* the function to call in pauses; NULL: no tile is deferred */
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

static void load_image(const tile *k, unsigned reg, LLVMValueRef band, int64_t kpack, unsigned image, unsigned plane)
{
    const aic_tiling *t = k->t;
    const int64_t row = image / k->g.across, col = aic_amx_first_pixel(&k->g, image % k->g.across);
    const int64_t offset = row * t->tile.out_row + col * t->tile.out_col + plane * t->band.plane_bytes +
                           kpack * t->geometry.arithmetic.kpack_bytes;
    access_register(k, "llvm.x86.tileloadd64", reg, aic_at_const(k->e, band, offset), t->tile.out_col);
}

/* Where a step reads, and what it prefetches for later steps. */
typedef struct step {
    LLVMValueRef band, panel;
    int64_t kpack;
    LLVMValueRef planes;        /* of this step's weights, if panels have none */
    LLVMValueRef next, spare;   /* the next step's weights, and where their planes go */
    int64_t split, split_share; /* lines of them that have been split; to be split after each product */
    int64_t fetched;            /* lines of the panel that the step has prefetched so far */
    int64_t lines;              /* lines that it has to prefetch in all */
    int64_t share;              /* lines to prefetch after each product */
} step;

/* Where the planes of this k-pack of weights lie among those of its step. */
static int64_t planes_at(const tile *k, unsigned vector, unsigned plane)
{
    return (vector * k->t->geometry.arithmetic.planes + plane) * AMX_STEP_KPACKS * ROW_BYTES;
}

static void load_weight(const tile *k, const step *s, unsigned reg, unsigned vector, unsigned plane)
{
    const aic_tiling *t = k->t;
    if (t->wish.halves) {
        LLVMValueRef at = aic_at_const(k->e, s->planes, planes_at(k, vector, plane));
        access_register(k, "llvm.x86.tileloadd64", reg, at, ROW_BYTES);
        return;
    }
    const int64_t offset = s->kpack * t->panel.step_bytes +
                           plane * t->geometry.panel_channels * t->geometry.arithmetic.kpack_bytes +
                           (int64_t)vector * ROW_BYTES;
    const char *load = k->streams ? "llvm.x86.tileloaddt164" : "llvm.x86.tileloadd64";
    access_register(k, load, reg, aic_at_const(k->e, s->panel, offset), t->panel.step_bytes);
}

/* Splits the weights of one k-pack of a vector of output channels (split_halves() in kpacks.c) and stores both planes.
 */
static void split_line(const tile *k, LLVMValueRef from, LLVMValueRef to, unsigned vector)
{
    aic_emit *e = k->e;
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef type = aic_vector(e->i32, AMX_LANES), floats = aic_vector(e->f32, AMX_LANES);
    LLVMValueRef kpacks = aic_load(e, type, from, (int64_t)vector * ROW_BYTES, ROW_BYTES), plane[AIC_PLANES_MAX][2];
    for (unsigned half = 0; half < 2; half++) {
        LLVMValueRef all = aic_amx_half(e, kpacks, half), bits = LLVMBuildBitCast(b, all, type, "");
        plane[0][half] = LLVMBuildAnd(b, bits, aic_const_int(type, (int32_t)0xffff0000u), "");
        LLVMValueRef rest = LLVMBuildFSub(b, all, LLVMBuildBitCast(b, plane[0][half], floats, ""), "");
        plane[1][half] = LLVMBuildBitCast(b, rest, type, "");
    }
    for (unsigned p = 0; p < AIC_PLANES_MAX; p++) {
        LLVMValueRef first = LLVMBuildLShr(b, plane[p][0], aic_const_int(type, 16), "");
        aic_store(e, LLVMBuildOr(b, first, plane[p][1], ""), to, planes_at(k, vector, p), ROW_BYTES);
    }
}

static LLVMValueRef other_planes(const tile *k, LLVMValueRef at)
{
    return LLVMBuildSub(k->e->builder, aic_int(k->e, k->t->staging.planes_bytes), at, "");
}

/* Splits some of the next step's weights, while products go on. */
static void split_ahead(const tile *k, step *s, int64_t share)
{
    const int64_t lines = k->t->wish.halves ? AMX_STEP_KPACKS * (int64_t)k->vectors : 0;
    for (int64_t end = aic_least(s->split + share, lines); s->split < end; s->split++) {
        const int64_t kpack = s->split / k->vectors;
        split_line(k, aic_at_const(k->e, s->next, kpack * k->t->panel.step_bytes),
                   aic_at_const(k->e, s->spare, kpack * ROW_BYTES), (unsigned)(s->split % k->vectors));
    }
}

/* The prefetch distance. A line from the third-level cache takes several hundred cycles; a product takes 16 cycles for
 * each kilobyte of the panel, one register. */
enum { AHEAD_BYTES = 8192 };

/* Prefetches a few lines of the panel, or of the next one, which follows it, into the second-level cache. */
static void fetch_ahead(const tile *k, step *s)
{
    enum { READ = 0, LEVEL_2 = 2, DATA = 1 };
    aic_emit *e = k->e;
    const int64_t end = s->fetched + s->share < s->lines ? s->fetched + s->share : s->lines;
    for (; s->fetched < end; s->fetched++) {
        const int64_t offset = AHEAD_BYTES + s->kpack * k->t->panel.step_bytes + s->fetched * AIC_LINE_BYTES;
        LLVMValueRef args[] = {aic_at_const(e, s->panel, offset), aic_const_int(e->i32, READ),
                               aic_const_int(e->i32, LEVEL_2), aic_const_int(e->i32, DATA)};
        aic_emit_intrinsic(e, "llvm.prefetch", &e->ptr, 1, args, 4);
    }
}

static void multiply(const tile *k, unsigned image, unsigned vector, unsigned image_register, unsigned weight_register)
{
    LLVMValueRef args[] = {number(k, sum_register(k, image, vector)), number(k, image_register),
                           number(k, weight_register)};
    const bool is_int = k->t->geometry.arithmetic.product == AIC_PRODUCT_QUAD;
    aic_emit_intrinsic(k->e, is_int ? "llvm.x86.tdpbssd" : "llvm.x86.tdpbf16ps", NULL, 0, args, 3);
}

/* ---- one step: 64 bytes of channels of every pixel times those of every output channel ---- */

/* Loads an operand of the held side or of the passing side (amx_registers). */
static void load_side(const tile *k, const step *s, bool held, unsigned reg, unsigned index, unsigned plane)
{
    if (held == k->a.holds_images) {
        load_image(k, reg, s->band, s->kpack, index, plane);
    } else {
        load_weight(k, s, reg, index, plane);
    }
}

/* Multiplies operand number `held` of the held side by operand number `passing` of the passing side. */
static void multiply_sides(const tile *k, step *s, unsigned held, unsigned held_register, unsigned passing,
                           unsigned passing_register)
{
    if (k->a.holds_images) {
        multiply(k, held, passing, held_register, passing_register);
    } else {
        multiply(k, passing, held, passing_register, held_register);
    }
    fetch_ahead(k, s);
    split_ahead(k, s, s->split_share);
}

static unsigned held_count(const tile *k)
{
    return k->a.holds_images ? k->images : k->vectors;
}

static unsigned passing_count(const tile *k)
{
    return k->a.holds_images ? k->vectors : k->images;
}

/* A step of one plane. The held side is loaded with the first operand of the passing side and stays. The passing side
 * alternates between the registers that are left, so that a load need not wait for the previous product. */
static void emit_plain_step(const tile *k, step *s)
{
    const unsigned room = AMX_REGISTERS - k->a.passing;
    for (unsigned p = 0; p < passing_count(k); p++) {
        const unsigned reg = k->a.passing + (room > 1 ? p % room : 0);
        load_side(k, s, false, reg, p, 0);
        for (unsigned h = 0; h < held_count(k); h++) {
            if (p == 0) {
                load_side(k, s, true, k->a.held + h, h, 0);
            }
            multiply_sides(k, s, h, k->a.held + h, p, reg);
        }
    }
}

/* A step of two planes if the held side is one register: both of its planes stay. The passing side is taken in groups,
 * as large as the registers allow, so that successive products are added to different sums. */
static void emit_narrow_step(const tile *k, step *s)
{
    const unsigned room = AMX_REGISTERS - k->a.passing, count = passing_count(k);
    for (unsigned plane = 0; plane < AIC_PLANES_MAX; plane++) {
        load_side(k, s, true, k->a.held + plane, 0, plane);
    }
    for (unsigned first = 0; first < count; first += room) {
        const unsigned end = first + room < count ? first + room : count;
        for (unsigned plane = 0; plane < AIC_PLANES_MAX; plane++) {
            for (unsigned p = first; p < end; p++) {
                load_side(k, s, false, k->a.passing + p - first, p, plane);
            }
            for (unsigned h = 0; h < AIC_PLANES_MAX; h++) {
                for (unsigned p = first; p < end; p++) {
                    multiply_sides(k, s, 0, k->a.held + h, p, k->a.passing + p - first);
                }
            }
        }
    }
}

/* A step of two planes if both sides have several registers, enough for one plane of each. From one product of planes
 * to the next only one side is reloaded: five loads of a side's plane for four products. */
static void emit_crossed_step(const tile *k, step *s)
{
    static const struct {
        bool held;
        unsigned plane;
        bool multiplies;
    } ORDER[] = {{true, 0, false}, {false, 0, true}, {false, 1, true}, {true, 1, true}, {false, 0, true}};
    for (size_t i = 0; i < sizeof ORDER / sizeof *ORDER; i++) {
        const unsigned first = ORDER[i].held ? k->a.held : k->a.passing;
        for (unsigned j = 0; j < (ORDER[i].held ? held_count(k) : passing_count(k)); j++) {
            load_side(k, s, ORDER[i].held, first + j, j, ORDER[i].plane);
        }
        for (unsigned p = 0; ORDER[i].multiplies && p < passing_count(k); p++) {
            for (unsigned h = 0; h < held_count(k); h++) {
                multiply_sides(k, s, h, k->a.held + h, p, k->a.passing + p);
            }
        }
    }
}

/* The planes of even steps and of odd ones lie one behind the other: `at` is where those of this step are. */
static void find_planes(const tile *k, step *s, LLVMValueRef at, int64_t products)
{
    aic_emit *e = k->e;
    LLVMValueRef next = aic_at_const(e, s->panel, (s->kpack + AMX_STEP_KPACKS) * k->t->panel.step_bytes);
    LLVMValueRef is_last = LLVMBuildICmp(e->builder, LLVMIntUGT, next, k->last, "");
    s->planes = aic_at(e, k->planes, at);
    s->spare = aic_at(e, k->planes, other_planes(k, at));
    s->next = LLVMBuildSelect(e->builder, is_last, k->last, next, "");
    s->split_share = aic_parts(AMX_STEP_KPACKS * (int64_t)k->vectors, products);
}

static void emit_step(const tile *k, LLVMValueRef band, LLVMValueRef panel, int64_t kpack, LLVMValueRef planes)
{
    const int64_t products =
        (int64_t)(k->images * k->vectors * k->t->geometry.arithmetic.planes * k->t->geometry.arithmetic.planes);
    step s = {.band = band, .panel = panel, .kpack = kpack};
    if (planes != NULL) {
        find_planes(k, &s, planes, products);
    }
    if (products > 0 && aic_amx_fetches_ahead(k->t)) {
        s.lines = aic_amx_step_kpacks(k->t) * k->t->panel.step_bytes / AIC_LINE_BYTES;
        s.share = aic_parts(s.lines, products);
    }
    if (k->t->geometry.arithmetic.planes == 1) {
        emit_plain_step(k, &s);
    } else if (k->a.holds_images && k->t->geometry.vectors > 1 && k->a.g.rows * k->a.g.across > 1) {
        emit_crossed_step(k, &s);
    } else {
        emit_narrow_step(k, &s);
    }
}

/* ---- the reduction ---- */

/* Stores the sums to the result or the staging buffer, or loads them from there. Pixels that two registers share are
 * stored twice, with the same values. */
static void access_sums(const tile *k, const char *name, LLVMValueRef out)
{
    const int64_t row_pixels = aic_amx_row_pixels(k->of.c, k->t, k->of.cols),
                  pitch = aic_amx_vector_pitch(k->of.c, k->t);
    for (unsigned v = 0; v < k->vectors; v++) {
        for (unsigned i = 0; i < k->images; i++) {
            const int64_t pixel = i / k->g.across * row_pixels + aic_amx_first_pixel(&k->g, i % k->g.across);
            LLVMValueRef at = aic_at_const(k->e, out, v * pitch + pixel * ROW_BYTES);
            access_register(k, name, sum_register(k, i, v), at, ROW_BYTES);
        }
    }
}

static void store_sums(const tile *k, LLVMValueRef out)
{
    access_sums(k, "llvm.x86.tilestored64", out);
}

static void clear_sums(const tile *k)
{
    for (unsigned i = 0; i < k->images * k->vectors; i++) {
        LLVMValueRef args[] = {number(k, i)};
        aic_emit_intrinsic(k->e, "llvm.x86.tilezero", NULL, 0, args, 1);
    }
}

/* Starts the sums from 0 or, after the first block of channels, from the sums that the previous block stored. */
static void begin_sums(const tile *k, LLVMValueRef out)
{
    aic_emit *e = k->e;
    if (k->of.block == NULL) {
        clear_sums(k);
        return;
    }
    aic_branch branch;
    LLVMValueRef first = LLVMBuildICmp(e->builder, LLVMIntEQ, k->of.block, aic_int(e, 0), "first_block");
    aic_branch_begin(e, &branch, first);
    clear_sums(k);
    aic_branch_end(e, &branch);
    aic_branch_begin(e, &branch, LLVMBuildNot(e->builder, first, ""));
    access_sums(k, "llvm.x86.tileloadd64", out);
    aic_branch_end(e, &branch);
}

/* Stores some rows of the previous tile, which has been deferred. */
static void emit_pause(const tile *k)
{
    if (k->leave != NULL) {
        LLVMValueRef note = aic_at_const(k->e, k->of.taps, k->t->staging.deferred_offset);
        aic_deferred_pause(k->e, &k->t->staging, note, k->leave);
    }
}

/* Adds the products of one tap. at[0] is the panel's address, which is then that behind the tap; at[1], if panels have
 * no planes, where those of the next step are. */
static void emit_tap(const tile *k, LLVMValueRef at[2], LLVMValueRef tap)
{
    aic_emit *e = k->e;
    const int64_t unroll = k->t->geometry.unroll, bytes = unroll * k->t->geometry.arithmetic.kpack_bytes;
    LLVMValueRef entry = aic_at(e, k->of.taps, aic_mul(e, tap, sizeof(int64_t)));
    LLVMValueRef carried[] = {at[0], aic_at(e, k->of.band, aic_load(e, e->i64, entry, 0, 8)), at[1]};
    aic_loop loop;
    aic_name(e, carried[1], "band.tap");
    aic_loop_begin(e, &loop, "kpack: k-packs of a tap", aic_int(e, 0), aic_int(e, k->t->panel.block_kpacks), unroll,
                   carried, k->t->wish.halves ? 3 : 2);
    aic_name_carried(e, &loop, 0, "panel.at");
    aic_name_carried(e, &loop, 1, "band.at");
    for (int64_t kpack = 0; kpack < unroll; kpack += AMX_STEP_KPACKS) {
        emit_step(k, carried[1], carried[0], kpack, carried[2]);
        carried[2] = carried[2] != NULL ? other_planes(k, carried[2]) : NULL;
    }
    emit_pause(k);
    carried[0] = aic_at_const(e, carried[0], unroll * k->t->panel.step_bytes);
    carried[1] = aic_at_const(e, carried[1], bytes);
    aic_loop_end(e, &loop);
    at[0] = carried[0];
    at[1] = carried[2];
}

/* Splits the first step's weights. */
static void split_first(const tile *k, LLVMValueRef panel)
{
    aic_emit *e = k->e;
    aic_loop loop;
    aic_loop_begin(e, &loop, "kpack: k-packs of the first step", aic_int(e, 0), aic_int(e, AMX_STEP_KPACKS), 1, NULL,
                   0);
    LLVMValueRef from = aic_at(e, panel, aic_mul(e, loop.index, k->t->panel.step_bytes));
    LLVMValueRef to = aic_at(e, k->planes, aic_mul(e, loop.index, ROW_BYTES));
    for (unsigned v = 0; v < k->vectors; v++) {
        split_line(k, from, to, v);
    }
    aic_loop_end(e, &loop);
}

static void emit_reduction(tile *k, LLVMValueRef out)
{
    aic_emit *e = k->e;
    aic_loop loop;
    LLVMValueRef at[] = {aic_at_const(e, k->of.panel, k->t->panel.start_bytes), NULL};
    if (k->t->wish.halves) {
        const int64_t steps = k->t->panel.taps * k->t->panel.block_kpacks - AMX_STEP_KPACKS;
        k->planes = aic_at_const(e, k->of.taps, k->t->staging.planes_offset);
        k->last = aic_at_const(e, at[0], steps * k->t->panel.step_bytes);
        split_first(k, at[0]);
        at[1] = aic_int(e, 0);
    }
    begin_sums(k, out);
    aic_loop_begin(e, &loop, "tap: taps of the kernel", aic_int(e, 0), aic_int(e, k->t->panel.taps), 1, at,
                   k->t->wish.halves ? 2 : 1);
    aic_name_carried(e, &loop, 0, "panel.tap");
    emit_tap(k, at, loop.index);
    aic_loop_end(e, &loop);
}

/* Adds a sum to an old result; integers saturate. */
static LLVMValueRef add_old(const tile *k, LLVMValueRef old, LLVMValueRef sum)
{
    return k->t->geometry.arithmetic.sum == AIC_SUM_INT ? aic_contraction_add_old(k->e, k->of.c, old, sum)
                                                        : LLVMBuildFAdd(k->e->builder, old, sum, "");
}

/* Adds the sums to the old results in the staging buffer. */
static void add_sums(const tile *k, LLVMValueRef sums)
{
    aic_emit *e = k->e;
    LLVMTypeRef type = aic_vector(k->t->geometry.arithmetic.sum == AIC_SUM_INT ? e->i32 : e->f32, AMX_LANES);
    const int64_t pixels = (k->of.rows - 1) * aic_staged_row(&k->t->wish, k->of.cols) + k->of.cols;
    for (unsigned v = 0; v < k->vectors; v++) {
        aic_loop loop;
        LLVMValueRef block = aic_at_const(e, k->of.out, v * k->t->staging.pitch);
        LLVMValueRef added = aic_at_const(e, sums, v * k->t->staging.pitch);
        aic_loop_begin(e, &loop, "pixel: pixels of the tile", aic_int(e, 0), aic_int(e, pixels), 1, NULL, 0);
        LLVMValueRef offset = aic_mul(e, loop.index, ROW_BYTES), to = aic_at(e, block, offset);
        LLVMValueRef sum = aic_load(e, type, aic_at(e, added, offset), 0, ROW_BYTES);
        aic_store(e, add_old(k, aic_load(e, type, to, 0, ROW_BYTES), sum), to, 0, ROW_BYTES);
        aic_loop_end(e, &loop);
    }
}

/* Whether band or panel have elements that tiles cannot multiply. */
static LLVMValueRef has_specials(const tile *k)
{
    aic_emit *e = k->e;
    LLVMValueRef band = aic_load(e, e->i32, k->of.taps, k->t->staging.notes_offset, sizeof(int32_t));
    LLVMValueRef head = k->of.panel;
    if (k->of.block != NULL) { /* the head in the first block has the note */
        head = aic_at(e, head, LLVMBuildNeg(e->builder, aic_mul(e, k->of.block, k->t->panel.block_bytes), ""));
    }
    LLVMValueRef any = LLVMBuildOr(e->builder, band, aic_load(e, e->i32, head, 0, sizeof(int32_t)), "");
    return LLVMBuildICmp(e->builder, LLVMIntNE, any, LLVMConstNull(e->i32), "specials");
}

/* Stores the sums of the tile to `sums`. They are computed by tile registers or, if `special` is not NULL and there are
 * special elements, by that function. */
static void emit_sums(tile *k, LLVMValueRef sums, LLVMValueRef special)
{
    aic_emit *e = k->e;
    if (special == NULL) {
        emit_reduction(k, sums);
        store_sums(k, sums);
        return;
    }
    aic_branch branch;
    LLVMValueRef specials = has_specials(k), args[] = {sums, k->of.band, k->of.panel, k->of.taps, k->of.block};
    aic_branch_begin(e, &branch, specials);
    aic_emit_call(e, special, args, k->of.block != NULL ? 5 : 4);
    aic_branch_end(e, &branch);
    aic_branch_begin(e, &branch, LLVMBuildNot(e->builder, specials, ""));
    emit_reduction(k, sums);
    store_sums(k, sums);
    aic_branch_end(e, &branch);
}

LLVMValueRef aic_emit_own_amx_tile(aic_emit *e, const aic_plan *plan, const int64_t *argument, const char *name)
{
    const aic_contraction *c = aic_contraction_of(plan);
    const aic_tiling *t = aic_tiling_of(plan);
    const int64_t rows = argument[0], cols = argument[1];
    LLVMValueRef special = t->wish.specials ? aic_amx_emit_special(e, c, t, rows, cols, name) : NULL;
    tile k = {.e = e,
              .t = t,
              .of = aic_amx_begin_tile(e, c, t, rows, cols, name),
              .a = aic_amx_assign(c, t),
              .vectors = t->geometry.vectors,
              .streams = aic_amx_streams_panels(c, t),
              .leave = argument[2] != 0 ? aic_callee(e, "leave", 1, 2) : NULL};
    aic_note_function(e, "tile of %lld x %lld pixels x %lld output channels, sums in tile registers", (long long)rows,
                      (long long)cols, (long long)t->geometry.panel_channels);
    LLVMValueRef function = e->function;
    k.g = aic_amx_smaller_grid(&k.a.g, rows, cols);
    k.images = (unsigned)(k.g.rows * k.g.across);
    LLVMValueRef sums = t->geometry.accumulate ? aic_at_const(e, k.of.out, t->staging.strip_bytes) : k.of.out;
    emit_sums(&k, sums, special);
    if (t->geometry.accumulate) {
        add_sums(&k, sums);
    }
    aic_emit_function_end(e);
    return function;
}

/* ---- a worker's state ---- */

/* Stores and loads the configuration that ldtilecfg reads: palette 1; for every register the bytes of a row, from byte
 * 16 on, and the number of rows, from byte 48 on. Registers of weights have a row for each k-pack of a step, the others
 * a row for each pixel. */
LLVMValueRef aic_emit_own_amx_enter(aic_emit *e, const aic_plan *plan, const int64_t *argument, const char *name)
{
    enum { BYTES = 64, PALETTE = 0, COLUMNS = 16, HEIGHTS = 48 };
    const aic_tiling *t = aic_tiling_of(plan);
    const amx_registers a = aic_amx_assign(aic_contraction_of(plan), t);
    (void)argument;
    aic_emit_function(e, name, AIC_EMIT_FRAME, NULL, 0, 0);
    aic_note_function(e, "sets up the tile registers");
    LLVMValueRef function = e->function, byte[BYTES];
    for (unsigned i = 0; i < BYTES; i++) {
        byte[i] = LLVMConstInt(e->i8, 0, false);
    }
    byte[PALETTE] = LLVMConstInt(e->i8, 1, false);
    for (unsigned i = 0; i < AMX_REGISTERS; i++) {
        const bool weight = i >= a.held && (i < a.passing) != a.holds_images;
        const int64_t kpacks = aic_amx_step_kpacks(t);
        const bool image = i >= a.held && !weight;
        byte[COLUMNS + 2 * i] = aic_const_int(e->i8, image ? kpacks * t->geometry.arithmetic.kpack_bytes : ROW_BYTES);
        byte[HEIGHTS + i] = aic_const_int(e->i8, weight ? kpacks : a.g.pixels);
    }
    LLVMTypeRef type = aic_vector(e->i8, BYTES);
    LLVMValueRef config = LLVMBuildAlloca(e->builder, type, "tile_config");
    aic_store(e, LLVMConstVector(byte, BYTES), config, 0, BYTES);
    LLVMSetAlignment(config, BYTES);
    aic_emit_intrinsic(e, "llvm.x86.ldtilecfg", NULL, 0, &config, 1);
    aic_emit_function_end(e);
    return function;
}

LLVMValueRef aic_emit_own_amx_leave(aic_emit *e, const aic_plan *plan, const int64_t *argument, const char *name)
{
    (void)plan;
    (void)argument;
    aic_emit_function(e, name, AIC_EMIT_FRAME, NULL, 0, 0);
    aic_note_function(e, "releases the tile registers");
    LLVMValueRef function = e->function;
    aic_emit_intrinsic(e, "llvm.x86.tilerelease", NULL, 0, NULL, 0);
    aic_emit_function_end(e);
    return function;
}
