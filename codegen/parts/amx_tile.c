/* The tile of the AMX micro-kernel, loads, products and stores; and a worker's configuration of the tile registers. */
#include "codegen/kpacks.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/machine.h"
#include "codegen/parts.h"
#include "codegen/parts/amx.h"
#include "codegen/parts/sums.h"

enum { ROW_BYTES = AMX_ROW_BYTES };

typedef struct tile {
    aic_emit *e;
    const aic_amx_tile_key *key;
    aic_amx_registers a;
    unsigned images, vectors; /* registers of pixels, and of output channels */
    int64_t step_bytes;       /* of a k-pack in a panel, all planes */
    LLVMValueRef out, band, panel, taps;
    LLVMValueRef planes, last; /* with halves: room for the planes of two steps' weights; the panel's last step */
    LLVMValueRef block;        /* NULL where there are no blocks of channels */
} tile;

static LLVMValueRef number(const tile *k, unsigned reg)
{
    return LLVMConstInt(k->e->i8, reg, false);
}

static unsigned sum_register(const tile *k, unsigned image, unsigned vector)
{
    return image * k->vectors + vector;
}

static void access_register(const tile *k, const char *name, unsigned reg, LLVMValueRef pointer, LLVMValueRef stride)
{
    LLVMValueRef args[] = {number(k, reg), pointer, stride};
    aic_emit_intrinsic(k->e, name, NULL, 0, args, 3);
}

static void load_image(const tile *k, unsigned reg, LLVMValueRef band, int64_t kpack, unsigned image, unsigned plane)
{
    aic_emit *e = k->e;
    LLVMValueRef at = plane == 0 ? band : aic_behind(e, band, "plane");
    at = aic_at_const(e, aic_at_nth(e, at, "image", image), kpack * AMX_KPACK_BYTES);
    access_register(k, "llvm.x86.tileloadd64", reg, at, aic_number(e, "pixel.pitch"));
}

/* Where a step reads, and what it prefetches for later steps. */
typedef struct step {
    LLVMValueRef band, panel;
    int64_t kpack;
    LLVMValueRef planes;                     /* with halves: of this step's weights, */
    LLVMValueRef next, spare;                /* the next step's weights, and where their planes go */
    int64_t split, split_share;              /* lines of them that have been split; to be split after each product */
    int64_t fetched;                         /* lines of the panel that the step has prefetched so far */
    int64_t lines;                           /* lines that it has to prefetch in all */
    int64_t share;                           /* lines to prefetch after each product */
    LLVMValueRef claim;                      /* with claimed: where in each register of results the body begins ... */
    int64_t claimed, claim_end, claim_share; /* ... and lines of all of them, counted from there: fetched so far; when
                                                the step ends; after each product */
} step;

/* Where a plane of the first k-pack of a vector of weights lies among those of its step. */
static int64_t plane_at(int64_t vector, int64_t plane)
{
    return (vector * AIC_PLANES_MAX + plane) * AMX_STEP_KPACKS * ROW_BYTES;
}

static void load_weight(const tile *k, const step *s, unsigned reg, unsigned vector, unsigned plane)
{
    const int64_t offset = s->kpack * k->step_bytes + (int64_t)(plane * k->vectors + vector) * ROW_BYTES;
    const char *load = k->key->streams ? "llvm.x86.tileloaddt164" : "llvm.x86.tileloadd64";
    LLVMValueRef at =
        k->key->halves ? aic_at_const(k->e, s->planes, plane_at(vector, plane)) : aic_at_const(k->e, s->panel, offset);
    access_register(k, load, reg, at, aic_int(k->e, k->key->halves ? ROW_BYTES : k->step_bytes));
}

/* Splits the weights of one k-pack of a vector of output channels (split_halves() in kpacks.c) and stores both planes.
 */
static void split_line(const tile *k, LLVMValueRef from, LLVMValueRef to, int64_t vector)
{
    enum { HALVES = 2 };
    aic_emit *e = k->e;
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef type = aic_vector(e->i32, AMX_LANES), floats = aic_vector(e->f32, AMX_LANES);
    LLVMValueRef kpacks = aic_load(e, type, from, vector * ROW_BYTES, ROW_BYTES), plane[AIC_PLANES_MAX][HALVES];
    for (unsigned half = 0; half < HALVES; half++) {
        LLVMValueRef all = aic_kpack_half(e, kpacks, half), bits = LLVMBuildBitCast(b, all, type, "");
        plane[0][half] = LLVMBuildAnd(b, bits, aic_const_int(type, (int32_t)0xffff0000u), "");
        LLVMValueRef rest = LLVMBuildFSub(b, all, LLVMBuildBitCast(b, plane[0][half], floats, ""), "");
        plane[1][half] = LLVMBuildBitCast(b, rest, type, "");
    }
    for (unsigned p = 0; p < AIC_PLANES_MAX; p++) {
        LLVMValueRef first = LLVMBuildLShr(b, plane[p][0], aic_const_int(type, 16), "");
        aic_store(e, LLVMBuildOr(b, first, plane[p][1], ""), to, plane_at(vector, p), ROW_BYTES);
    }
}

/* Where the planes of the next step are, or those of the step before: steps take turns. */
static LLVMValueRef other_planes(const tile *k, LLVMValueRef at)
{
    return LLVMBuildSub(k->e->builder, aic_int(k->e, plane_at(k->vectors, 0)), at, "");
}

/* Splits some of the next step's weights, while products go on. */
static void split_ahead(const tile *k, step *s)
{
    const int64_t lines = k->key->halves ? AMX_STEP_KPACKS * (int64_t)k->vectors : 0;
    for (const int64_t end = aic_least(s->split + s->split_share, lines); s->split < end; s->split++) {
        const int64_t kpack = s->split / k->vectors;
        split_line(k, aic_at_const(k->e, s->next, kpack * k->step_bytes),
                   aic_at_const(k->e, s->spare, kpack * ROW_BYTES), s->split % k->vectors);
    }
}

/* The prefetch distance. A line from the third-level cache takes several hundred cycles; a product takes 16 cycles for
 * each kilobyte of the panel, one register. */
enum { AHEAD_BYTES = 8192 };

/* Prefetches a few lines of the panel, or of the next one, which follows it, into the second-level cache. */
static void fetch_ahead(const tile *k, step *s)
{
    const int64_t end = s->fetched + s->share < s->lines ? s->fetched + s->share : s->lines;
    for (; s->fetched < end; s->fetched++) {
        aic_fetch_to_read(k->e, s->panel, AHEAD_BYTES + s->kpack * k->step_bytes + s->fetched * AIC_LINE_BYTES);
    }
}

/* Fetches lines into which the sums will be stored. Stores leave in order: packed pixels of the next tile would wait
 * behind results whose lines come from the second-level cache, and loads of tiles for these pixels. */
static void claim_ahead(const tile *k, step *s)
{
    const int64_t registers = k->key->images * k->key->vectors;
    for (const int64_t end = aic_least(s->claimed + s->claim_share, s->claim_end); s->claimed < end; s->claimed++) {
        const unsigned sums = (unsigned)(s->claimed % registers);
        LLVMValueRef at =
            aic_at_nth(k->e, aic_at_nth(k->e, s->claim, "out.block", sums % k->vectors), "out", sums / k->vectors);
        aic_fetch_to_write(k->e, at, s->claimed / registers * AIC_LINE_BYTES);
    }
}

static void multiply(const tile *k, unsigned image, unsigned vector, unsigned image_register, unsigned weight_register)
{
    LLVMValueRef args[] = {number(k, sum_register(k, image, vector)), number(k, image_register),
                           number(k, weight_register)};
    aic_emit_intrinsic(k->e, k->key->integers ? "llvm.x86.tdpbssd" : "llvm.x86.tdpbf16ps", NULL, 0, args, 3);
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
    claim_ahead(k, s);
    split_ahead(k, s);
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
        for (unsigned p = 0; ORDER[i].multiplies && p < passing_count(k); p++) { /* weights stay: product_cycles() */
            for (unsigned h = 0; h < held_count(k); h++) {
                multiply_sides(k, s, h, k->a.held + h, p, k->a.passing + p);
            }
        }
    }
}

/* `at` is where the planes of this step's weights are, among those of two steps. Behind a panel there may be nothing.
 */
static void find_planes(const tile *k, step *s, LLVMValueRef at)
{
    aic_emit *e = k->e;
    LLVMValueRef next = aic_at_const(e, s->panel, (s->kpack + AMX_STEP_KPACKS) * k->step_bytes);
    LLVMValueRef is_behind = LLVMBuildICmp(e->builder, LLVMIntUGT, next, k->last, "");
    s->planes = aic_at(e, k->planes, at);
    s->spare = aic_at(e, k->planes, other_planes(k, at));
    s->next = LLVMBuildSelect(e->builder, is_behind, k->last, next, "");
}

/* Step number `index` of a loop body fetches its share of the lines that the body has to. */
static void share_claim(const tile *k, step *s, int64_t index)
{
    const int64_t lines = k->key->claimed * k->key->images * k->key->vectors;
    s->claimed = lines * index / k->key->steps;
    s->claim_end = lines * (index + 1) / k->key->steps;
    s->claim_share = aic_parts(s->claim_end - s->claimed, k->key->images * k->key->vectors);
}

static void emit_step(const tile *k, LLVMValueRef band, LLVMValueRef panel, int64_t kpack, LLVMValueRef at,
                      LLVMValueRef claim)
{
    const int64_t planes = k->key->planes, products = k->key->images * k->key->vectors * planes * planes;
    step s = {.band = band, .panel = panel, .kpack = kpack, .lines = k->key->fetched, .claim = claim};
    share_claim(k, &s, kpack / AMX_STEP_KPACKS);
    s.share = aic_parts(s.lines, products);
    s.split_share = aic_parts(AMX_STEP_KPACKS * k->key->vectors, products);
    if (at != NULL) {
        find_planes(k, &s, at);
    }
    if (planes == 1) {
        emit_plain_step(k, &s);
    } else if (k->a.crosses) {
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
    for (unsigned v = 0; v < k->vectors; v++) {
        LLVMValueRef block = aic_at_nth(k->e, out, "out.block", v);
        for (unsigned i = 0; i < k->images; i++) {
            access_register(k, name, sum_register(k, i, v), aic_at_nth(k->e, block, "out", i),
                            aic_int(k->e, ROW_BYTES));
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
    if (k->block == NULL) {
        clear_sums(k);
        return;
    }
    aic_branch branch;
    LLVMValueRef first = LLVMBuildICmp(e->builder, LLVMIntEQ, k->block, aic_int(e, 0), "first_block");
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
    aic_emit *e = k->e;
    if (k->key->pauses) {
        LLVMValueRef note = aic_behind(e, k->taps, "deferred.at");
        LLVMValueRef args[] = {note, aic_number(e, "pause.runs"), aic_number(e, "pause.rows")};
        aic_call_role(e, args, 1, 2, "leave");
    }
}

/* Loop bodies of a tap before the one that begins at this k-pack; 0, where nobody asks. */
static LLVMValueRef bodies_before(const tile *k, LLVMValueRef kpack)
{
    aic_emit *e = k->e;
    const int64_t unroll = k->key->steps * AMX_STEP_KPACKS;
    return k->key->claimed > 0 ? LLVMBuildUDiv(e->builder, kpack, aic_int(e, unroll), "") : aic_int(e, 0);
}

/* Adds the products of one tap. at[0] is the panel's address and becomes that behind the tap; at[1] is where the planes
 * of the first step's weights are, and becomes that of the step behind the tap: with halves. */
static void emit_tap(const tile *k, LLVMValueRef at[2], LLVMValueRef tap)
{
    aic_emit *e = k->e;
    const int64_t unroll = k->key->steps * AMX_STEP_KPACKS;
    LLVMValueRef entry = aic_at(e, k->taps, aic_mul(e, tap, sizeof(int64_t)));
    LLVMValueRef carried[] = {at[0], aic_at(e, k->band, aic_load(e, e->i64, entry, 0, 8)), at[1]};
    aic_loop loop;
    aic_name(e, carried[1], "band.tap");
    aic_loop_begin(e, &loop, "kpack: k-packs of a tap", aic_int(e, 0), aic_trips(e, "kpacks"), unroll, carried,
                   k->key->halves ? 3 : 2);
    aic_name_carried(e, &loop, 0, "panel.at");
    aic_name_carried(e, &loop, 1, "band.at");
    LLVMValueRef claim = aic_at(e, k->out, aic_mul(e, bodies_before(k, loop.index), k->key->claimed * ROW_BYTES));
    for (int64_t kpack = 0; kpack < unroll; kpack += AMX_STEP_KPACKS) {
        emit_step(k, carried[1], carried[0], kpack, carried[2], claim);
        carried[2] = k->key->halves ? other_planes(k, carried[2]) : NULL;
    }
    emit_pause(k);
    carried[0] = aic_at_const(e, carried[0], unroll * k->step_bytes);
    carried[1] = aic_at_const(e, carried[1], unroll * AMX_KPACK_BYTES);
    aic_loop_end(e, &loop);
    at[0] = carried[0];
    at[1] = carried[2];
}

/* Splits the weights of the first step. */
static void split_first(const tile *k, LLVMValueRef panel)
{
    aic_emit *e = k->e;
    aic_loop loop;
    aic_loop_over(e, &loop, "kpack: k-packs of the first step", aic_int(e, AMX_STEP_KPACKS));
    LLVMValueRef from = aic_at(e, panel, aic_mul(e, loop.index, k->step_bytes));
    LLVMValueRef to = aic_at(e, k->planes, aic_mul(e, loop.index, ROW_BYTES));
    for (unsigned v = 0; v < k->vectors; v++) {
        split_line(k, from, to, v);
    }
    aic_loop_end(e, &loop);
}

static void emit_reduction(const tile *of, LLVMValueRef out)
{
    tile k = *of;
    aic_emit *e = k.e;
    aic_loop loop;
    LLVMValueRef at[] = {aic_behind(e, k.panel, "panel.start"), NULL};
    if (k.key->halves) {
        k.planes = aic_behind(e, k.taps, "planes.at");
        k.last = aic_behind(e, at[0], "panel.last");
        split_first(&k, at[0]);
        at[1] = aic_int(e, 0);
    }
    begin_sums(&k, out);
    aic_loop_begin(e, &loop, "tap: taps of the kernel", aic_int(e, 0), aic_trips(e, "taps"), 1, at,
                   k.key->halves ? 2 : 1);
    aic_name_carried(e, &loop, 0, "panel.tap");
    emit_tap(&k, at, loop.index);
    aic_loop_end(e, &loop);
}

/* Adds a sum to an old result; integers as the start says. */
static LLVMValueRef add_old(const tile *k, LLVMValueRef old, LLVMValueRef sum)
{
    return k->key->integers ? aic_sum_fold(k->e, AIC_SUM_INT, (aic_tile_start)k->key->start, old, sum)
                            : LLVMBuildFAdd(k->e->builder, old, sum, "");
}

/* Adds the sums to the old results in the staging buffer. */
static void add_sums(const tile *k, LLVMValueRef sums)
{
    aic_emit *e = k->e;
    LLVMTypeRef type = aic_vector(k->key->integers ? e->i32 : e->f32, AMX_LANES);
    for (unsigned v = 0; v < k->vectors; v++) {
        aic_loop loop;
        LLVMValueRef block = aic_at_nth(e, k->out, "out.block", v), added = aic_at_nth(e, sums, "out.block", v);
        aic_loop_over(e, &loop, "pixel: pixels of the tile", aic_trips(e, "pixels"));
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
    LLVMValueRef note = aic_behind(e, k->taps, "notes.at");
    LLVMValueRef band = aic_load(e, e->i32, note, 0, sizeof(int32_t)), head = k->panel;
    if (k->block != NULL) { /* the head in the first block has the note */
        LLVMValueRef before = aic_scaled(e, k->block, "block.panel");
        head = aic_at(e, head, LLVMBuildNeg(e->builder, before, ""));
    }
    LLVMValueRef any = LLVMBuildOr(e->builder, band, aic_load(e, e->i32, head, 0, sizeof(int32_t)), "");
    return LLVMBuildICmp(e->builder, LLVMIntNE, any, LLVMConstNull(e->i32), "specials");
}

/* Stores the sums of the tile to `sums`. They are computed by tile registers or, if there are special elements, by the
 * function for those. */
static void emit_sums(const tile *k, LLVMValueRef sums)
{
    aic_emit *e = k->e;
    if (!k->key->specials) {
        emit_reduction(k, sums);
        store_sums(k, sums);
        return;
    }
    const unsigned blocks = k->block != NULL ? 1 : 0;
    aic_branch branch;
    LLVMValueRef specials = has_specials(k), args[] = {sums, k->band, k->panel, k->taps, k->block};
    aic_branch_begin(e, &branch, specials);
    aic_call_role(e, args, 4, blocks, "special");
    aic_branch_end(e, &branch);
    aic_branch_begin(e, &branch, LLVMBuildNot(e->builder, specials, ""));
    emit_reduction(k, sums);
    store_sums(k, sums);
    aic_branch_end(e, &branch);
}

LLVMValueRef aic_emit_part_amx_tile(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"out", "band", "panel", "taps", "block"};
    const aic_amx_tile_key *key = of;
    aic_emit_function(e, name, AIC_EMIT_HOT, PARAMS, 4, key->blocks ? 1 : 0);
    aic_note_function(e, "tile of %lld registers of pixels x %lld output channels, sums in tile registers",
                      (long long)key->images, (long long)key->vectors * AMX_LANES);
    const tile k = {.e = e,
                    .key = key,
                    .a = aic_amx_assign(key->planes, key->most, key->vectors),
                    .images = (unsigned)key->images,
                    .vectors = (unsigned)key->vectors,
                    .step_bytes = key->vectors * (key->halves ? 1 : key->planes) * ROW_BYTES,
                    .out = aic_emit_param(e, 0),
                    .band = aic_emit_param(e, 1),
                    .panel = aic_emit_param(e, 2),
                    .taps = aic_emit_param(e, 3),
                    .block = key->blocks ? aic_emit_param(e, 4) : NULL};
    const bool adds = key->start != AIC_TILE_FROM_ZERO;
    LLVMValueRef sums = adds ? aic_behind(e, k.out, "sums.at") : k.out;
    emit_sums(&k, sums);
    if (adds) {
        add_sums(&k, sums);
    }
    return aic_emit_function_end(e);
}

/* ---- a worker's state ---- */

/* A byte of the configuration that is a number. */
static void set_byte(aic_emit *e, LLVMValueRef config, int64_t at, LLVMValueRef value)
{
    aic_store(e, LLVMBuildTrunc(e->builder, value, e->i8, ""), config, at, 1);
}

/* Stores and loads the configuration that ldtilecfg reads: palette 1; for every register the bytes of a row, from byte
 * 16 on, and the number of rows, from byte 48 on. Registers of weights have a row for each k-pack of a step, the others
 * a row for each pixel. */
static void set_up(aic_emit *e, const aic_amx_registers *a)
{
    enum { BYTES = 64, PALETTE = 0, COLUMNS = 16, HEIGHTS = 48 };
    LLVMValueRef byte[BYTES];
    for (unsigned i = 0; i < BYTES; i++) {
        byte[i] = LLVMConstInt(e->i8, i == PALETTE, false);
    }
    for (unsigned i = 0; i < AMX_REGISTERS; i++) {
        byte[COLUMNS + 2 * i] = aic_const_int(e->i8, ROW_BYTES);
    }
    LLVMValueRef config = LLVMBuildAlloca(e->builder, aic_vector(e->i8, BYTES), "tile_config");
    LLVMSetAlignment(config, BYTES);
    aic_store(e, LLVMConstVector(byte, BYTES), config, 0, BYTES);
    for (unsigned i = 0; i < AMX_REGISTERS; i++) {
        const bool weight = i >= a->held && (i < a->passing) != a->holds_images, image = i >= a->held && !weight;
        if (image) {
            set_byte(e, config, COLUMNS + 2 * i, aic_number(e, "image.bytes"));
        }
        set_byte(e, config, HEIGHTS + i, aic_number(e, weight ? "kpacks" : "pixels"));
    }
    aic_emit_intrinsic(e, "llvm.x86.ldtilecfg", NULL, 0, &config, 1);
}

LLVMValueRef aic_emit_part_amx_state(aic_emit *e, const void *of, const char *name)
{
    const aic_amx_state_key *key = of;
    aic_emit_function(e, name, AIC_EMIT_FRAME, NULL, 0, 0);
    aic_note_function(e, key->vectors > 0 ? "sets up the tile registers" : "releases the tile registers");
    if (key->vectors > 0) {
        const aic_amx_registers a = aic_amx_assign(key->planes, key->most, key->vectors);
        set_up(e, &a);
    } else {
        aic_emit_intrinsic(e, "llvm.x86.tilerelease", NULL, 0, NULL, 0);
    }
    return aic_emit_function_end(e);
}
