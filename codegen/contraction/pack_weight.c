/* Packing weights into panels: a panel has the weights of a tile's output channels in the order of the reduction, a
 * step being one k-pack for each output channel. K-packs without a channel or without an output channel are zero.
 *
 * Weights in blocks, [c1, taps, n, c0]: parts/weights.c packs some output channels of a block and a tap at a time.
 *
 * Weights in rows, [channels, n]: the rows of a k-pack are interleaved, 16 columns at a time.
 *
 * Adding o to the image adds o times the sum of an output channel's weights to its sums. The head of a panel has start
 * values that make up for it. Weights in rows are summed while they are packed, which saves a function and another pass
 * over memory; weights in blocks, which are packed one channel block at a time, are summed afterwards. */
#include "codegen/contraction/microkernel.h"
#include "codegen/family/family.h"
#include "codegen/integer.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/own.h"
#include "codegen/parts/weights.h"

/* The hot functions: of whole channel blocks or items, of the last one, and of the start values of weights in blocks.
 */
enum { WHOLE, REST, STARTS, INNER };

typedef struct packer {
    aic_emit *e;
    const aic_contraction *c;
    aic_seen seen;
    const aic_plan_geometry *g;
    const aic_wish *wish;
    const aic_plan_band *b;
    const aic_plan_panel *panels;
    LLVMTypeRef raw; /* integer of the size of a raw k-pack */
    unsigned raw_bytes;
    unsigned c0_kpacks;       /* of one output channel in one channel block */
    unsigned block;           /* output channels of one transposition */
    aic_routine inner[INNER]; /* hot functions, or 0 */
    LLVMValueRef note;        /* in a hot function: where it is noted that there are special elements; or NULL */
} packer;

static int64_t panels_of_item(const packer *p)
{
    return p->panels->item_channels / p->g->panel_channels;
}

/* The offset of the image as a register of k-packs. */
static LLVMValueRef image_offset(const packer *p)
{
    LLVMValueRef offset = LLVMConstInt(p->e->i8, (unsigned)p->g->arithmetic.image_offset, false);
    return aic_splat(p->e, offset, p->g->lanes * p->g->arithmetic.kpack_bytes);
}

/* Where a k-pack of the first tap is in its panel, in reduction steps from the panel's first block of channels. With
 * several blocks (aic_tiling.blocks) the distance includes the other panels between two blocks. */
static LLVMValueRef kpacks_before(const packer *p, LLVMValueRef kpack)
{
    aic_emit *e = p->e;
    LLVMValueRef size = aic_int(e, p->panels->block_kpacks);
    return p->g->blocks == 1 ? kpack
                             : aic_add(e,
                                       aic_mul(e, LLVMBuildUDiv(e->builder, kpack, size, ""),
                                               p->panels->block_bytes / p->panels->step_bytes),
                                       LLVMBuildURem(e->builder, kpack, size, ""));
}

/* ---- k-packs ---- */

/* Stores the k-packs of one plane of `count` output channels, `column` being the first one's number in the item; `row`
 * is where the item's reduction step starts in its first panel, less `step` further steps. */
static void store_plane(const packer *p, LLVMValueRef kpacks, LLVMValueRef row, int64_t step, unsigned plane,
                        int64_t column, unsigned count)
{
    const int64_t channels = p->g->panel_channels, bytes = p->g->arithmetic.kpack_bytes;
    unsigned part = count < channels ? count : (unsigned)channels;
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(kpacks)) / count * part;
    for (unsigned i = 0; i < count / part; i++, column += part) {
        LLVMValueRef value = part == count ? kpacks : aic_lanes_of(p->e, kpacks, i * lanes, 1, lanes);
        int64_t offset = column / channels * p->panels->block_panel_bytes + step * p->panels->step_bytes +
                         (plane * channels + column % channels) * bytes;
        aic_store(p->e, value, row, offset, (unsigned)bytes);
    }
}

/* Converts <count x raw> to k-packs and stores each plane by store_plane(). */
static void store_raw(const packer *p, LLVMValueRef raw, LLVMValueRef row, int64_t step, int64_t column, unsigned count)
{
    aic_emit *e = p->e;
    LLVMValueRef planes[AIC_PLANES_MAX];
    const unsigned channels = LLVMGetVectorSize(LLVMTypeOf(raw)) * p->g->arithmetic.kpack_channels;
    LLVMTypeRef type = aic_vector(aic_element_type(e, p->g), channels);
    LLVMValueRef elements = LLVMBuildBitCast(e->builder, raw, type, "");
    aic_widen(e, p->c, p->g, elements, planes);
    for (unsigned i = 0; i < p->g->arithmetic.planes; i++) {
        store_plane(p, planes[i], row, step, i, column, count);
    }
    if (p->note != NULL) {
        aic_note_specials(e, p->wish, elements, p->note, panels_of_item(p), p->panels->block_panel_bytes);
    }
}

/* ---- weights in blocks ---- */

/* void name(row, source, panel; count): `count` output channels of one channel block of `channels` channels and one
 * tap. The panel's head has the note of special elements. */
static aic_routine use_blocks(aic_program *program, const packer *p, int64_t channels, aic_emit_kind kind,
                              const char *name)
{
    const aic_arithmetic *a = &p->g->arithmetic;
    const int64_t left = p->b->pixel_kpacks - (p->seen.c1 - 1) * p->c0_kpacks;
    const aic_weights_key key = {.dtype = p->c->dtype,
                                 .sum = a->sum,
                                 .product = a->product,
                                 .kpack_bytes = a->kpack_bytes,
                                 .kpack_channels = a->kpack_channels,
                                 .planes = a->planes,
                                 .c0 = p->seen.c0,
                                 .channels = channels,
                                 .kpacks = channels == p->seen.c0 ? p->c0_kpacks : aic_least(left, p->c0_kpacks),
                                 .panel_channels = p->g->panel_channels,
                                 .notes = p->panels->notes,
                                 .special_first = p->panels->notes ? p->wish->special_first : 0,
                                 .special_end = p->panels->notes ? p->wish->special_end : 0,
                                 .fast = kind == AIC_EMIT_FRAME};
    aic_use use;
    aic_use_begin(&use, &aic_part_weights, &key, 3, 1);
    for (int64_t i = 1; i < panels_of_item(p); i++) {
        aic_use_number(&use, i * p->panels->block_panel_bytes, "panel.%lld", (long long)i);
    }
    return aic_program_add(program, &use, "%s", name);
}

/* ---- weights in rows ---- */

/* The raw k-packs of `count` columns whose first element is `source`, of a k-pack that has `rows` rows. */
static LLVMValueRef load_raw(const packer *p, LLVMValueRef source, int64_t rows, unsigned count)
{
    aic_emit *e = p->e;
    LLVMTypeRef elements = aic_vector(aic_element_type(e, p->g), count), raws = aic_vector(p->raw, count);
    LLVMValueRef sum = NULL;
    for (int64_t r = 0; r < rows; r++) {
        LLVMValueRef row = aic_load(e, elements, source, r * p->c->n * p->g->source_bytes, 1);
        if (elements != raws) {
            LLVMValueRef shift = LLVMConstInt(p->raw, (unsigned)r * 8 * p->g->source_bytes, false);
            row = LLVMBuildZExt(e->builder, row, raws, "");
            row = LLVMBuildShl(e->builder, row, aic_splat(e, shift, count), "");
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

static sums no_sums(const packer *p, int64_t columns)
{
    const unsigned lanes = p->g->lanes;
    sums s = {.count = p->g->arithmetic.image_offset == 0 ? 0 : (unsigned)aic_parts(columns, lanes)};
    aic_limit("sums of weights", s.count, AIC_CARRIED_MAX);
    for (unsigned i = 0; i < s.count; i++) {
        s.of[i] = aic_zero(aic_vector(p->e->i32, lanes));
    }
    return s;
}

/* Where register `i` of an item lies, from its row in the first panel on. */
static int64_t offset_of_sum(const packer *p, unsigned i)
{
    const int64_t column = (int64_t)i * p->g->lanes, channels = p->g->panel_channels;
    return column / channels * p->panels->bytes + column % channels * p->g->arithmetic.kpack_bytes;
}

/* Adds the k-packs that were stored from `row` on, whole registers: zeros are where no column is. */
static void add_kpacks(const packer *p, LLVMValueRef row, sums *s)
{
    aic_emit *e = p->e;
    const unsigned bytes = p->g->lanes * p->g->arithmetic.kpack_bytes;
    LLVMTypeRef kpacks = aic_vector(e->i8, bytes);
    for (unsigned i = 0; i < s->count; i++) {
        LLVMValueRef stored = aic_load(e, kpacks, row, offset_of_sum(p, i), bytes);
        s->of[i] = aic_family_of(e->target)->dot4.emit(e, s->of[i], image_offset(p), stored);
    }
}

static void store_starts(const packer *p, LLVMValueRef panel, const sums *s)
{
    const unsigned bytes = p->g->lanes * p->g->arithmetic.kpack_bytes;
    for (unsigned i = 0; i < s->count; i++) {
        aic_store(p->e, LLVMBuildNeg(p->e->builder, s->of[i], ""), panel, offset_of_sum(p, i), bytes);
    }
}

/* Packs one k-pack of `columns` columns from its `rows` rows; `source` is their first element in the first row. */
static void emit_kpack(const packer *p, LLVMValueRef source, LLVMValueRef row, int64_t rows, int64_t columns, sums *s)
{
    for (int64_t column = 0; column < columns;) {
        unsigned count = aic_access_width(columns - column, AIC_BLOCK_COLUMNS);
        LLVMValueRef from = aic_at_const(p->e, source, column * p->g->source_bytes);
        store_raw(p, load_raw(p, from, rows, count), row, 0, column, count);
        column += count;
    }
    add_kpacks(p, row, s);
}

/* void name(row, source, panel): `columns` columns of an item, whose k-packs begin at `row`. */
static LLVMValueRef emit_columns(packer *p, int64_t columns, aic_emit_kind kind, const char *name)
{
    static const char *const PARAMS[] = {"row", "source", "panel"};
    aic_emit *e = p->e;
    int64_t channels = p->g->arithmetic.kpack_channels, full = p->c->channels / channels,
            rest = p->c->channels % channels;
    int64_t source_step = channels * p->c->n * p->g->source_bytes, step = p->panels->step_bytes;
    aic_emit_function(e, name, kind, PARAMS, 3, 0);
    aic_note_function(e, "packs columns of an item of a weight in rows");
    LLVMValueRef function = e->function, row = aic_emit_param(e, 0), source = aic_emit_param(e, 1);
    p->note = p->panels->notes ? aic_emit_param(e, 2) : NULL;
    sums s = no_sums(p, columns);
    if (full > 0) {
        aic_loop kpacks;
        aic_loop_begin(e, &kpacks, "kpack: k-packs of a pixel", aic_int(e, 0), aic_int(e, full), 1, s.of, s.count);
        emit_kpack(p, aic_at(e, source, aic_mul(e, kpacks.index, source_step)),
                   aic_at(e, row, aic_mul(e, kpacks_before(p, kpacks.index), step)), channels, columns, &s);
        aic_loop_end(e, &kpacks);
    }
    if (rest > 0) {
        emit_kpack(p, aic_at_const(e, source, full * source_step), aic_at_const(e, row, full * step), rest, columns,
                   &s);
    }
    store_starts(p, aic_emit_param(e, 2), &s);
    aic_emit_function_end(e);
    return function;
}

/* ---- all of it ---- */

/* K-packs of a tap that have channels; they come first. The last tap may have fewer where kernel rows are folded. */
static int64_t used_kpacks(const packer *p)
{
    const int64_t channels = p->g->arithmetic.kpack_channels, all = p->seen.c1 * p->c0_kpacks;
    if (p->wish->merged > 1) {
        return p->c->down.taps % p->wish->fold != 0 ? 0 : p->wish->merged * p->b->pixel_kpacks;
    }
    const int64_t used = p->c->weight == AIC_WEIGHT_ROWS ? aic_parts(p->c->channels, channels) : all;
    return used < p->panels->kpacks ? used : p->panels->kpacks;
}

/* void starts(panel): stores a panel's start values. */
static aic_routine use_starts(aic_program *program, const packer *p)
{
    const aic_arithmetic *a = &p->g->arithmetic;
    const int64_t rows = p->c->down.taps, columns = p->c->across.taps;
    const int64_t bytes = p->g->panel_channels * (int64_t)sizeof(int32_t), pitch = (columns + 1) * bytes;
    const aic_starts_key key = {.lanes = p->g->lanes,
                                .vectors = p->g->vectors,
                                .kpack_bytes = a->kpack_bytes,
                                .image_offset = a->image_offset,
                                .parted = p->panels->parted,
                                .fast = aic_pack_kind(p->c->down.out * p->c->across.out) == AIC_EMIT_FRAME};
    aic_use use;
    aic_use_begin(&use, &aic_part_starts, &key, 1, 0);
    aic_use_number(&use, p->panels->start_bytes, "panel.start");
    aic_use_trips(&use, key.parted ? p->panels->kpacks : p->panels->taps * p->panels->kpacks, "steps");
    if (key.parted) {
        aic_use_trips(&use, rows, "kh");
        aic_use_trips(&use, columns, "kw");
        aic_use_trips(&use, columns + 1, "start.columns");
        aic_use_number(&use, pitch, "start.row");
        aic_use_number(&use, rows * pitch + columns * bytes, "start.all");
    }
    return aic_program_add(program, &use, "weights_starts");
}

/* Sets what follows from contraction and tiling. */
static packer packer_of(const aic_contraction *c, const aic_tiling *t)
{
    const aic_arithmetic *a = &t->geometry.arithmetic;
    packer p = {
        .c = c, .g = &t->geometry, .wish = &t->wish, .b = &t->band, .panels = &t->panel, .seen = aic_seen_of(c)};
    p.c0_kpacks = (unsigned)(p.seen.c0 / a->kpack_channels);
    p.raw_bytes = a->kpack_channels * t->geometry.source_bytes;
    p.block = aic_transposed_channels(c, &t->geometry);
    return p;
}

/* Columns of an item of weights in rows, which are own code: how many, and whether it is compiled well. */
LLVMValueRef aic_emit_own_columns(aic_emit *e, const aic_plan *plan, const int64_t *argument, const char *name)
{
    packer p = packer_of(aic_contraction_of(plan), aic_tiling_of(plan));
    p.e = e;
    p.raw = LLVMIntTypeInContext(e->context, 8 * p.raw_bytes);
    return emit_columns(&p, argument[0], argument[1] != 0 ? AIC_EMIT_HOT : AIC_EMIT_FRAME, name);
}

/* A hot function for so many channels of a block or columns of an item. */
static aic_routine compose_inner(aic_program *program, const packer *p, const aic_plan *plan, int64_t count,
                                 aic_emit_kind kind, const char *name)
{
    if (p->c->weight == AIC_WEIGHT_BLOCKS) {
        return use_blocks(program, p, count, kind, name);
    }
    aic_own_key key = {.code = AIC_OWN_columns, .plan = plan, .argument = {count, kind == AIC_EMIT_HOT}};
    aic_use use;
    aic_own_begin(&use, &key, 3, 0);
    return aic_program_add(program, &use, "%s", name);
}

/* The hot functions. */
static void compose_inners(aic_program *program, packer *p, const aic_plan *plan)
{
    const aic_contraction *c = p->c;
    const bool rows = c->weight == AIC_WEIGHT_ROWS;
    const int64_t uses = c->down.out * c->across.out;
    const int64_t full = rows ? p->panels->columns / p->panels->item_channels : p->seen.channels / p->seen.c0;
    const int64_t rest = rows ? p->panels->columns % p->panels->item_channels : p->seen.channels % p->seen.c0;
    if (full > 0) {
        p->inner[WHOLE] = compose_inner(program, p, plan, rows ? p->panels->item_channels : p->seen.c0,
                                        aic_pack_kind(uses), "weights_whole");
    }
    if (rest > 0) {
        /* One of full + 1 items or channel blocks. */
        p->inner[REST] = compose_inner(program, p, plan, rest, aic_pack_kind(uses * (full + 1)), "weights_rest");
    }
    if (!rows && p->g->arithmetic.image_offset != 0) {
        p->inner[STARTS] = use_starts(program, p);
    }
    if (p->g->m > 0) {
        p->inner[STARTS] = aic_compose_winograd_weights(program, plan);
    }
}

/* The largest power of two up to a line that divides all sizes that are cleared. */
static int64_t grain_of(const packer *p)
{
    const int64_t unused = (p->panels->kpacks - used_kpacks(p)) * p->panels->step_bytes;
    const int64_t all = p->panels->start_bytes | p->panels->block_panel_bytes | unused | AIC_LINE_BYTES;
    return all & -all;
}

static aic_panels_key key_of(const packer *p)
{
    const int64_t step = p->panels->step_bytes;
    return (aic_panels_key){.rows = p->c->weight == AIC_WEIGHT_ROWS,
                            .whole = p->inner[WHOLE] != 0,
                            .rest = p->inner[REST] != 0,
                            .starts = p->inner[STARTS] != 0,
                            .panels = panels_of_item(p),
                            .grain = grain_of(p),
                            .heads = p->panels->notes,
                            .empty_panels = p->panels->columns / p->g->panel_channels < p->panels->count,
                            .empty_kpacks = used_kpacks(p) < p->panels->kpacks,
                            .cube = p->g->arithmetic.sum == AIC_SUM_CUBE,
                            .merged = p->wish->merged > 1,
                            .folded = p->wish->fold > 1,
                            .blocks = p->g->blocks > 1,
                            .partial = p->panels->columns % p->panels->item_channels != 0,
                            .groups = p->c->groups > 1,
                            .counts = !p->panels->counts ? 0 : aic_least(step & -step, AIC_LINE_BYTES)};
}

/* Numbers of panels and of what is cleared in them. */
static void give_panels(const packer *p, aic_use *use, const aic_panels_key *key)
{
    const aic_plan_panel *panels = p->panels;
    const int64_t used = used_kpacks(p), step = panels->step_bytes;
    aic_use_number(use, panels->items, "items");
    aic_use_number(use, panels->count, "panels");
    aic_use_number(use, key->panels * panels->block_panel_bytes, "item.pitch");
    aic_use_number(use, panels->block_panel_bytes, "panel.pitch");
    aic_use_number(use, panels->bytes, "panel.bytes");
    aic_use_number(use, panels->start_bytes, "panel.start");
    for (int64_t i = 1; key->heads && i < key->panels; i++) {
        aic_use_number(use, i * panels->block_panel_bytes, "panel.%lld", (long long)i);
    }
    if (key->heads) {
        aic_use_trips(use, panels->start_bytes, "head");
    }
    if (key->empty_panels) {
        aic_use_trips(use, panels->block_panel_bytes, "panel.clear");
        aic_use_number(use, panels->columns / p->g->panel_channels, "full.panels");
        aic_use_number(use, panels->block_bytes, "block.pitch");
        aic_use_trips(use, p->g->blocks, "blocks");
    }
    if (key->groups) {
        aic_use_trips(use, p->g->panel_channels, "panel.channels");
        aic_use_number(use, p->c->n / p->g->slices, "outputs");
        aic_use_number(use, p->c->n / p->c->groups, "group.outputs");
        aic_use_number(use, p->b->seen_kpacks * p->g->arithmetic.kpack_bytes, "group.bytes");
    }
    if (key->empty_kpacks) {
        aic_use_trips(use, panels->taps, "panel.taps");
        aic_use_number(use, panels->kpacks * step, "tap.bytes");
        aic_use_number(use, used * step, "kpacks.used");
        aic_use_trips(use, (panels->kpacks - used) * step, "kpacks.clear");
    }
}

/* Numbers of weights in blocks. */
static void give_blocks(const packer *p, aic_use *use, const aic_panels_key *key)
{
    const aic_contraction *c = p->c;
    const aic_plan_panel *panels = p->panels;
    const int64_t bytes = p->seen.c0 * p->g->source_bytes;
    if (key->whole) {
        aic_use_trips(use, p->seen.channels / p->seen.c0, "whole.count");
    }
    aic_use_trips(use, p->seen.c1, "all");
    aic_use_trips(use, c->down.taps * c->across.taps, "taps");
    aic_use_number(use, c->weight_n * bytes, "source.tap");
    aic_use_number(use, panels->item_channels * bytes, "source.item");
    aic_use_number(use, panels->item_channels, "item.channels");
    aic_use_number(use, panels->columns, "columns");
    aic_use_number(use, panels->step_bytes, "step.bytes");
    aic_use_number(use, p->c0_kpacks, "c0.kpacks");
    aic_use_number(use, key->merged ? panels->kpacks : panels->block_kpacks, "tap.kpacks");
    if (key->blocks) {
        aic_use_trips(use, panels->block_kpacks, "block.kpacks");
        aic_use_number(use, panels->block_bytes / panels->step_bytes, "block.steps");
    }
    if (key->merged) {
        aic_use_trips(use, p->wish->merged, "merged");
        aic_use_trips(use, p->wish->fold, "fold");
        aic_use_number(use, p->b->pixel_kpacks, "pixel.kpacks");
        aic_use_number(use, p->b->pixel_kpacks / p->wish->fold, "fold.kpacks");
    }
    if (key->counts) {
        const int64_t from = panels->counted_from, least = key->cube ? from + 1 : aic_most(from, 1);
        const int64_t first = key->cube ? from * panels->taps : from, pitch = key->cube ? p->c0_kpacks : panels->kpacks;
        aic_use_number(use, panels->packed_bytes, "counts.at");
        aic_use_number(use, panels->start_bytes + first * panels->step_bytes, "count.first");
        aic_use_number(use, pitch * panels->step_bytes, "count.tap");
        aic_use_trips(use, panels->kpacks - from, "count.kpacks");
        aic_use_number(use, from, "count.from");
        aic_use_number(use, least, "count.least");
        aic_use_trips(use, panels->step_bytes, "step");
    }
}

aic_routine aic_compose_pack_weight(aic_program *program, const aic_plan *plan)
{
    static const char *const ROLES[INNER] = {[WHOLE] = "whole", [REST] = "rest", [STARTS] = "starts"};
    packer p = packer_of(aic_contraction_of(plan), aic_tiling_of(plan));
    compose_inners(program, &p, plan);
    const aic_panels_key key = key_of(&p);
    aic_use use;
    aic_use_begin(&use, &aic_part_panels, &key, 2, 2);
    give_panels(&p, &use, &key);
    if (!key.rows) {
        give_blocks(&p, &use, &key);
    } else {
        aic_use_number(&use, p.panels->item_channels * p.g->source_bytes, "source.item");
        if (key.whole) {
            aic_use_trips(&use, p.panels->columns / p.panels->item_channels, "whole.count");
        }
    }
    for (int i = 0; i < INNER; i++) {
        if (p.inner[i] != 0) {
            aic_use_call(&use, p.inner[i], "%s", ROLES[i]);
        }
    }
    return aic_program_add(program, &use, "weights");
}
