/* The tile of the vector micro-kernel: output pixels times the output channels of one panel, all sums in registers.
 *
 * The reduction is a nest of four loops; LLVM removes those of one iteration:
 *
 *     channel blocks   where the order is fixed (cube): c1 outermost; or innermost but k-packs, where they are apart
 *       tap blocks     as many taps as are added up before the sums are folded into the totals
 *         taps         offsets into the band come from a table
 *           k-packs    `unroll` of them straight-line
 *
 * Where tiles leave out taps, the loop over taps becomes two, over the kernel rows and the kernel columns of the tile's
 * ranges; or one over the taps of the rows, if no columns are left out. With edges the loop over kernel columns becomes
 * three, one behind the other: those that the pixels of the tile's first column leave out, those that all pixels do,
 * and those that the pixels of its last column leave out.
 *
 * Where each multiply-add would load a k-pack for itself, and wait for that, a kernel row is one step in place of a
 * tap: a k-pack of a column of the band is loaded once for all taps that see the column, with as many vectors of
 * weights. */
#include "codegen/parts/tile.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/parts.h"
#include "codegen/parts/sums.h"
#include "codegen/parts/tile_kpack.h"

#include <stdio.h>

/* ---- addresses ---- */

/* Address of the sums of a pixel and a vector where they are stored. */
static LLVMValueRef out_at(const aic_tile *k, unsigned pixel, unsigned vector)
{
    aic_emit *e = k->e;
    const unsigned channel = vector * k->lanes, block = channel / AIC_BLOCK_COLUMNS;
    LLVMValueRef at = aic_at_nth(e, aic_at_nth(e, k->out, "out.block", block), "out", pixel);
    return aic_at_const(e, at, (int64_t)(channel % AIC_BLOCK_COLUMNS) * AIC_SUM_BYTES);
}

/* What is behind the head of the panel. */
static LLVMValueRef behind_head(const aic_tile *k)
{
    return k->key->has_head ? aic_behind(k->e, k->panel, "panel.start") : k->panel;
}

/* Loads what sum number `i` starts from. If that is one value for each column, the first row of the strip has them. */
static LLVMValueRef load_out(const aic_tile *k, unsigned i)
{
    const unsigned pixel = k->key->start_row ? 0 : i / k->vectors;
    return aic_load(k->e, k->out_type, out_at(k, pixel, i % k->vectors), 0, 4);
}

/* ---- sums and totals ---- */

/* The total before the first product: the old output or zero, in the type totals have. */
static LLVMValueRef first_total(const aic_tile *k, unsigned i)
{
    if (k->key->accumulate == AIC_TILE_FROM_ZERO) {
        return aic_zero(k->total_type);
    }
    LLVMValueRef old = load_out(k, i);
    return k->total_type == k->out_type ? old : LLVMBuildSExt(k->e->builder, old, k->total_type, "");
}

/* The start value of the kernel rows before `row` and the kernel columns before `column`: one of the prefix sums behind
 * the start value of all taps. */
static LLVMValueRef load_start(const aic_tile *k, unsigned vector, LLVMValueRef row, LLVMValueRef column)
{
    aic_emit *e = k->e;
    const unsigned bytes = k->lanes * (unsigned)sizeof(int32_t);
    LLVMValueRef number = aic_add(e, aic_scaled(e, row, "start.columns"), column);
    LLVMValueRef at = aic_at(e, k->panel, aic_mul(e, number, (int64_t)bytes * k->vectors));
    return aic_load(e, k->sum_type, at, (int64_t)(k->vectors + vector) * bytes, bytes);
}

/* The start value of the tile's kernel rows and all kernel columns before `column`. */
static LLVMValueRef load_columns(const aic_tile *k, unsigned vector, LLVMValueRef column)
{
    const aic_tap_range *r = &k->range;
    LLVMValueRef below = load_start(k, vector, r->end_row, column), above = load_start(k, vector, r->first_row, column);
    return LLVMBuildSub(k->e->builder, below, above, "");
}

/* The start value of pixels in a place, which makes up for the image's offset; for a range of taps, from prefix sums
 * (pack_weight.c). */
static LLVMValueRef load_first(const aic_tile *k, unsigned vector, aic_tile_place at)
{
    const aic_tap_range *r = &k->range;
    if (!aic_tile_skips(k->key)) {
        const unsigned bytes = k->lanes * (unsigned)sizeof(int32_t);
        return aic_load(k->e, k->sum_type, k->panel, (int64_t)vector * bytes, bytes);
    }
    LLVMValueRef end = at == AIC_TILE_LAST ? r->right : r->end_column, start = load_columns(k, vector, end);
    if (!k->key->skips_columns) {
        return start;
    }
    LLVMValueRef first = at == AIC_TILE_FIRST ? r->left : r->first_column;
    return LLVMBuildSub(k->e->builder, start, load_columns(k, vector, first), "");
}

/* What the sums of a block of taps start from: what makes up for the image's offset, the totals or 0. */
static void first_sums(const aic_tile *k, LLVMValueRef *values, LLVMValueRef *totals)
{
    LLVMValueRef starts[AIC_TILE_PLACES][AIC_CARRIED_MAX] = {{NULL}};
    for (unsigned i = 0; i < k->sums; i++) {
        const unsigned pixel = i / k->vectors, vector = i % k->vectors;
        LLVMValueRef *start = &starts[aic_tile_place_of(k, pixel)][vector];
        if (k->key->image_offset == 0) {
            values[i] = k->key->sum == AIC_SUM_FAST ? totals[i] : aic_zero(k->sum_type);
        } else {
            *start = *start == NULL ? load_first(k, vector, aic_tile_place_of(k, pixel)) : *start;
            values[i] = *start;
        }
        aic_name(k->e, values[i], "acc.p%u.v%u.start", pixel, vector);
    }
}

static LLVMValueRef clamp_to_int32(const aic_tile *k, LLVMValueRef total)
{
    LLVMValueRef raised = aic_vector_max(k->e, total, aic_const_int(k->total_type, INT32_MIN));
    LLVMValueRef clamped = aic_vector_min(k->e, raised, aic_const_int(k->total_type, INT32_MAX));
    return LLVMBuildTrunc(k->e->builder, clamped, k->out_type, "");
}

static void store_totals(const aic_tile *k, LLVMValueRef *totals)
{
    for (unsigned i = 0; i < k->sums; i++) {
        LLVMValueRef value = k->key->sum == AIC_SUM_INT_WIDE ? clamp_to_int32(k, totals[i]) : totals[i];
        aic_store(k->e, value, out_at(k, i / k->vectors, i % k->vectors), 0, 4);
    }
}

/* ---- the reduction ---- */

/* Names the values that a loop carries: the sums, by pixel and vector, and the pointer into the panel. */
static void name_carried(const aic_tile *k, const aic_loop *loop, const char *sum, const char *suffix)
{
    const unsigned vectors = k->vectors;
    for (unsigned i = 0; i < k->sums; i++) {
        aic_name_carried(k->e, loop, i, "%s.p%u.v%u%s", sum, i / vectors, i % vectors, suffix);
    }
    aic_name_carried(k->e, loop, k->sums, "panel.at%s", suffix);
}

/* Where the count of k-packs lies: behind the tile's ranges. */
static int64_t count_offset(const aic_tile *k)
{
    return aic_tile_skips(k->key) ? AIC_TILE_RANGE_WORDS * (int64_t)sizeof(int64_t) : 0;
}

/* Bytes of the tile's ranges and of the count, which lie before the table of taps. */
static int64_t range_bytes(const aic_tile *k)
{
    return count_offset(k) + (k->key->counts ? (int64_t)sizeof(int64_t) : 0);
}

static const char KPACK_LOOP[] = "kpack: k-packs of a tap";

/* The offset of a tap in the band; the only one has none. */
static LLVMValueRef tap_offset(const aic_tile *k, LLVMValueRef tap)
{
    aic_emit *e = k->e;
    if (k->key->one_tap) {
        return aic_int(e, 0);
    }
    LLVMValueRef entry = aic_at(e, k->taps, aic_mul(e, tap, sizeof(int64_t)));
    LLVMValueRef offset = aic_load(e, e->i64, entry, range_bytes(k), 8);
    /* In a loop volatile and frozen, so that the addition does not load it: to see whether that is better, LLVM makes a
     * table of all instructions with loads, which takes as long as compiling a small part. */
    const bool loops = LLVMGetInsertBlock(e->builder) != LLVMGetEntryBasicBlock(e->function);
    LLVMSetVolatile(offset, loops);
    return loops ? LLVMBuildFreeze(e->builder, offset, "") : offset;
}

/* Widens a block of channels of all pixels, which begins at `from`, and returns where: pixels lie one behind the other.
 */
static LLVMValueRef widen_block(const aic_tile *k, LLVMValueRef from)
{
    aic_emit *e = k->e;
    LLVMTypeRef halves = aic_vector(e->i16, k->lanes);
    LLVMValueRef to = aic_behind(e, k->taps, "wide.at");
    for (unsigned i = 0; i < k->pixels * AIC_BLOCK_COLUMNS; i += k->lanes) {
        const unsigned pixel = i / AIC_BLOCK_COLUMNS, channel = i % AIC_BLOCK_COLUMNS;
        LLVMValueRef at = aic_at_nth(e, from, "pixel", pixel);
        LLVMValueRef values = aic_load(e, halves, at, channel * (int64_t)sizeof(uint16_t), sizeof(uint16_t));
        aic_store(e, aic_half_to_float(e, values), to, i * (int64_t)sizeof(float), k->lanes * sizeof(float));
    }
    return to;
}

/* Adds the products of one tap, in the current block of channels. values[] are the sums and then the panel pointer. */
static void emit_tap(const aic_tile *k, LLVMValueRef *values, LLVMValueRef channel_offset, LLVMValueRef tap)
{
    aic_emit *e = k->e;
    LLVMValueRef carried[AIC_CARRIED_MAX];
    unsigned count = k->sums + 2;
    LLVMValueRef offset = aic_add(e, tap_offset(k, tap), channel_offset);
    for (unsigned i = 0; i <= k->sums; i++) {
        carried[i] = values[i];
    }
    LLVMValueRef image = aic_at(e, k->band, offset);
    carried[k->sums + 1] = k->key->widens_image ? widen_block(k, image) : image;
    aic_name(e, offset, "tap.offset");
    aic_loop loop;
    if (k->key->counts) {
        aic_loop_begin_entered(e, &loop, KPACK_LOOP, k->kpacks, k->key->unroll, carried, count);
    } else {
        LLVMValueRef kpacks = k->key->one_kpack ? aic_int(e, k->key->unroll) : aic_trips(e, "kpacks");
        aic_loop_begin(e, &loop, KPACK_LOOP, aic_int(e, 0), kpacks, k->key->unroll, carried, count);
    }
    name_carried(k, &loop, "acc", "");
    aic_name_carried(e, &loop, k->sums + 1, "band.at");
    for (int64_t u = 0; u < k->key->unroll; u++) {
        aic_tile_add_kpack(k, carried, carried[k->sums + 1], carried[k->sums], u);
    }
    const int64_t bytes = k->key->unroll * k->key->kpack_bytes;
    carried[k->sums] = aic_at_const(e, carried[k->sums], k->key->unroll * k->step_bytes);
    carried[k->sums + 1] = aic_at_const(e, carried[k->sums + 1], bytes);
    aic_loop_end(e, &loop);
    if (aic_tile_jumps(k->key)) { /* the next tap is as far away as if all k-packs had been computed */
        carried[k->sums] = aic_behind(e, values[k->sums], "tap.panel");
    }
    for (unsigned i = 0; i <= k->sums; i++) {
        values[i] = carried[i];
    }
}

/* K-packs of a tap in the current block of channels, of so many. */
static LLVMValueRef kpacks_of(const aic_tile *k, LLVMValueRef block, LLVMValueRef blocks)
{
    aic_emit *e = k->e;
    if (!k->key->counts || k->key->one_block) {
        return k->count;
    }
    LLVMValueRef next = aic_add(e, block, aic_int(e, 1));
    LLVMValueRef is_last = LLVMBuildICmp(e->builder, LLVMIntEQ, next, blocks, "");
    return LLVMBuildSelect(e->builder, is_last, k->count, aic_trips(e, "kpacks"), "");
}

static const char BLOCK_LOOP[] = "block: blocks of channels";

/* Adds the products of all channels of a pixel, where blocks of them are apart in the image. */
static void emit_pixel(const aic_tile *k, LLVMValueRef *values)
{
    aic_emit *e = k->e;
    aic_tile of = *k;
    aic_loop loop;
    LLVMValueRef blocks = aic_trips(e, "blocks");
    aic_loop_begin(e, &loop, BLOCK_LOOP, aic_int(e, 0), blocks, 1, values, k->sums + 1);
    name_carried(k, &loop, "acc", ".block");
    of.kpacks = kpacks_of(k, loop.index, blocks);
    emit_tap(&of, values, aic_scaled(e, loop.index, "block.pitch"), aic_int(e, 0));
    aic_loop_end(e, &loop);
}

/* Emits what is done for a tap: emit_tap(), or emit_tap_block() if each tap is a block. */
typedef void (*tap_visit)(const aic_tile *k, LLVMValueRef *values, LLVMValueRef channel_offset, LLVMValueRef tap);

/* Visits the taps `first` .. `end` - 1, of which there may be none. Each one's address in the panel follows from its
 * number. */
static void emit_taps(const aic_tile *k, LLVMValueRef *values, LLVMValueRef channel_offset, LLVMValueRef first,
                      LLVMValueRef end, tap_visit visit)
{
    aic_emit *e = k->e;
    aic_loop loop;
    aic_loop_begin(e, &loop, "tap: taps that are not all padding", first, end, 1, values, k->sums + 1);
    name_carried(k, &loop, "acc", ".tap");
    values[k->sums] = aic_at_index(e, k->first, loop.index, "tap.panel");
    visit(k, values, channel_offset, loop.index);
    aic_loop_end(e, &loop);
}

/* Visits the taps of the tile's kernel columns in the kernel row whose first tap is number `row`. */
static void emit_row(const aic_tile *k, LLVMValueRef *values, LLVMValueRef channel_offset, LLVMValueRef row,
                     tap_visit visit)
{
    aic_emit *e = k->e;
    const aic_tap_range *r = &k->range;
    LLVMValueRef first = aic_add(e, row, r->first_column), end = aic_add(e, row, r->end_column);
    if (k->key->edges == 0) {
        emit_taps(k, values, channel_offset, first, end, visit);
        return;
    }
    aic_tile of = *k;
    LLVMValueRef at[] = {first, aic_add(e, row, r->left), aic_add(e, row, r->right), end};
    static const aic_tile_place LEFT_OUT[] = {AIC_TILE_FIRST, AIC_TILE_INNER, AIC_TILE_LAST};
    for (int i = 0; i < 3; i++) {
        of.left_out = LEFT_OUT[i];
        emit_taps(&of, values, channel_offset, at[i], at[i + 1], visit);
    }
}

/* Does the kernel rows `first` .. `end` - 1, all taps of each together. */
static void emit_rows(const aic_tile *k, LLVMValueRef *values, LLVMValueRef channel_offset, LLVMValueRef first,
                      LLVMValueRef end)
{
    aic_emit *e = k->e;
    aic_loop loop;
    aic_loop_begin(e, &loop, "row: kernel rows", first, end, 1, values, k->sums + 1);
    name_carried(k, &loop, "acc", ".row");
    values[k->sums] = aic_at_index(e, k->first, loop.index, "row.panel");
    emit_tap(k, values, channel_offset, aic_mul(e, loop.index, k->key->row_taps));
    aic_loop_end(e, &loop);
}

/* Visits the taps of the tile's ranges. values[] ends with the panel pointer. */
static void emit_range(const aic_tile *k, LLVMValueRef *values, LLVMValueRef channel_offset, tap_visit visit)
{
    aic_emit *e = k->e;
    const aic_tap_range *r = &k->range;
    LLVMValueRef kw = aic_number(e, "kw");
    if (!k->key->skips_columns) {
        emit_taps(k, values, channel_offset, aic_times(e, r->first_row, kw), aic_times(e, r->end_row, kw), visit);
        return;
    }
    aic_loop rows;
    aic_loop_begin(e, &rows, "row: kernel rows that are not all padding", r->first_row, r->end_row, 1, values,
                   k->sums + 1);
    name_carried(k, &rows, "acc", ".row");
    emit_row(k, values, channel_offset, aic_times(e, rows.index, kw), visit);
    aic_loop_end(e, &rows);
}

/* The number of taps. */
static LLVMValueRef all_taps(const aic_tile *k)
{
    return k->key->one_tap ? aic_int(k->e, 1) : aic_trips(k->e, "taps");
}

/* The end of a block of taps that begins with tap `first`. */
static LLVMValueRef block_end(const aic_tile *k, LLVMValueRef first)
{
    aic_emit *e = k->e;
    LLVMValueRef taps = all_taps(k);
    return k->key->block_taps == 0 ? taps : aic_min(e, aic_add(e, first, aic_int(e, k->key->block_taps)), taps);
}

/* Sums up a block of taps, or what remains of the kernel from tap `first` on, and folds the sums into the totals.
 * totals[] ends with the panel pointer. */
static void emit_tap_block(const aic_tile *k, LLVMValueRef *totals, LLVMValueRef channel_offset, LLVMValueRef first)
{
    aic_emit *e = k->e;
    LLVMValueRef values[AIC_CARRIED_MAX];
    first_sums(k, values, totals);
    values[k->sums] = totals[k->sums];
    if (aic_tile_is_apart(k->key)) {
        emit_pixel(k, values);
    } else if (k->key->row_taps > 0) {
        const bool skips = aic_tile_skips(k->key);
        emit_rows(k, values, channel_offset, skips ? k->range.first_row : aic_int(e, 0),
                  skips ? k->range.end_row : aic_trips(e, "rows"));
    } else if (k->key->block_taps == 1) {
        emit_tap(k, values, channel_offset, first);
    } else if (aic_tile_skips(k->key)) {
        emit_range(k, values, channel_offset, emit_tap);
    } else {
        aic_loop loop;
        aic_loop_begin(e, &loop, "tap: taps of the kernel", first, block_end(k, first), 1, values, k->sums + 1);
        name_carried(k, &loop, "acc", ".tap");
        emit_tap(k, values, channel_offset, loop.index);
        aic_loop_end(e, &loop);
    }
    for (unsigned i = 0; i < k->sums; i++) {
        if (aic_tile_leaves_out(k, i / k->vectors)) {
            continue;
        }
        totals[i] = aic_sum_fold(e, (aic_sum)k->key->sum, (aic_tile_start)k->key->accumulate, totals[i], values[i]);
        aic_name(e, totals[i], "total.p%u.v%u.next", i / k->vectors, i % k->vectors);
    }
    totals[k->sums] = values[k->sums];
}

/* Visits the blocks of taps one after the other. */
static void emit_tap_blocks(const aic_tile *k, LLVMValueRef *totals, LLVMValueRef offset)
{
    aic_emit *e = k->e;
    aic_loop taps;
    if (k->key->block_taps == 0) {
        emit_tap_block(k, totals, offset, aic_int(e, 0));
        return;
    }
    aic_loop_begin(e, &taps, "taps: taps whose sums are folded together", aic_int(e, 0), all_taps(k),
                   k->key->block_taps, totals, k->sums + 1);
    name_carried(k, &taps, "total", "");
    emit_tap_block(k, totals, offset, taps.index);
    aic_loop_end(e, &taps);
}

static void emit_reduction(aic_tile *k, LLVMValueRef *totals)
{
    aic_emit *e = k->e;
    aic_loop channels;
    const bool one = k->key->one_block || aic_tile_is_apart(k->key);
    LLVMValueRef blocks = one ? aic_int(e, 1) : aic_trips(e, "blocks");
    aic_loop_begin(e, &channels, BLOCK_LOOP, aic_int(e, 0), blocks, 1, totals, k->sums + 1);
    name_carried(k, &channels, "total", ".block");
    LLVMValueRef offset = aic_scaled(e, channels.index, "block.pitch");
    k->kpacks = kpacks_of(k, channels.index, blocks);
    if (aic_tile_skips(k->key) && k->key->block_taps == 1) {
        k->first = aic_at(e, behind_head(k), aic_scaled(e, channels.index, "block.panel"));
        emit_range(k, totals, offset, emit_tap_block);
    } else {
        k->first = totals[k->sums];
        emit_tap_blocks(k, totals, offset);
    }
    aic_loop_end(e, &channels);
}

/* ---- the taps that are left out ---- */

/* One end of a range: a word of the tile's ranges, or, if `special` is true, `all`. */
static LLVMValueRef load_word(const aic_tile *k, int word, LLVMValueRef special, LLVMValueRef all)
{
    aic_emit *e = k->e;
    LLVMValueRef value = aic_load(e, e->i64, k->taps, word * (int64_t)sizeof(int64_t), sizeof(int64_t));
    return special == NULL ? value : LLVMBuildSelect(e->builder, special, all, value, "");
}

static aic_tap_range load_range(const aic_tile *k)
{
    aic_emit *e = k->e;
    LLVMValueRef zero = aic_int(e, 0), kh = aic_number(e, "kh"), kw = aic_number(e, "kw"), special = NULL;
    aic_tap_range r = {zero, kh, zero, kw, zero, kw};
    if (k->key->notes_weights) {
        LLVMValueRef note = aic_load(e, e->i32, k->panel, 0, sizeof(int32_t));
        special = LLVMBuildICmp(e->builder, LLVMIntNE, note, LLVMConstNull(e->i32), "");
        aic_name(e, special, "panel.special");
    }
    if (k->key->skips_rows) {
        r.first_row = load_word(k, AIC_TILE_FIRST_ROW, special, zero);
        r.end_row = load_word(k, AIC_TILE_END_ROW, special, kh);
    }
    if (k->key->skips_columns) {
        r.first_column = load_word(k, AIC_TILE_FIRST_COLUMN, special, zero);
        r.end_column = load_word(k, AIC_TILE_END_COLUMN, special, kw);
    }
    if (k->key->edges > 0) {
        r.left = load_word(k, AIC_TILE_LEFT, special, zero);
        r.right = load_word(k, AIC_TILE_RIGHT, special, kw);
    }
    return r;
}

/* ---- the part ---- */

static void set_types(aic_tile *k)
{
    aic_emit *e = k->e;
    const bool is_float = k->key->product == AIC_PRODUCT_FLOAT;
    const unsigned channels = (unsigned)k->key->kpack_channels;
    LLVMTypeRef word = is_float ? e->f32 : e->i32;
    LLVMTypeRef sum = k->key->sum == AIC_SUM_CUBE ? e->f64 : word;
    LLVMTypeRef total = k->key->sum == AIC_SUM_INT_WIDE ? e->i64 : word;
    k->out_type = aic_vector(word, k->lanes);
    k->sum_type = aic_vector(sum, k->lanes);
    k->total_type = aic_vector(total, k->lanes);
    k->kpacks_type =
        is_float || channels == 1 ? k->sum_type : aic_vector(channels == 2 ? e->i16 : e->i8, channels * k->lanes);
}

LLVMValueRef aic_emit_part_tile(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"out", "band", "panel", "taps"};
    const aic_tile_key *key = of;
    aic_tile k = {.e = e,
                  .key = key,
                  .pixels = (unsigned)key->pixels,
                  .vectors = (unsigned)key->vectors,
                  .lanes = (unsigned)key->lanes,
                  .sums = (unsigned)(key->pixels * key->vectors),
                  .weight_bytes =
                      (unsigned)(key->widens == AIC_DTYPE_NONE
                                     ? key->kpack_bytes
                                     : (int64_t)aic_dtype_size((aic_dtype)key->widens) * key->kpack_channels)};
    k.step_bytes = key->vectors * key->lanes * k.weight_bytes;
    aic_emit_function(e, name, AIC_EMIT_HOT, PARAMS, 4, 0);
    aic_note_function(e, "tile of %lld pixels x %lld output channels: acc.pP.vV is the sum of pixel P, vector V",
                      (long long)key->pixels, (long long)(key->lanes * key->vectors));
    LLVMValueRef totals[AIC_CARRIED_MAX];
    aic_limit("sums and pointers of a tile", k.sums + 2, AIC_CARRIED_MAX);
    k.out = aic_emit_param(e, 0);
    k.band = aic_emit_param(e, 1);
    k.panel = aic_emit_param(e, 2);
    k.taps = aic_emit_param(e, 3);
    set_types(&k);
    aic_tile_load_seen(&k);
    if (key->in_place && key->image_offset != 0) {
        k.offset = aic_splat(e, LLVMConstInt(e->i32, (unsigned)key->image_offset * 0x01010101u, false), k.lanes);
    }
    if (aic_tile_skips(key)) {
        k.range = load_range(&k);
    }
    if (key->counts) {
        k.count = aic_load(e, e->i64, k.taps, count_offset(&k), sizeof(int64_t));
        aic_name(e, k.count, "tap.kpacks");
    }
    for (unsigned i = 0; i < k.sums; i++) {
        totals[i] = first_total(&k, i);
    }
    totals[k.sums] = behind_head(&k);
    emit_reduction(&k, totals);
    store_totals(&k, totals);
    return aic_emit_function_end(e);
}
