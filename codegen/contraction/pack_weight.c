/* Packing weights into panels: a panel has the weights of a tile's output channels in the order of the reduction, a
 * step being one k-pack for each output channel. K-packs without a channel or without an output channel are zero.
 * parts/weights.c packs some output channels of a block and a tap of weights in blocks, [c1, taps, n, c0], or an item
 * of weights in rows, [channels, n].
 *
 * Adding o to the image adds o times the sum of an output channel's weights to its sums. The head of a panel has start
 * values that make up for it. Weights in rows are summed while they are packed, which saves a function and another pass
 * over memory; weights in blocks, which are packed one channel block at a time, are summed afterwards. */
#include "codegen/contraction/microkernel.h"
#include "codegen/integer.h"
#include "codegen/parts/weights.h"

#include <string.h>

/* Unoptimized code takes about 8 vector operations more to pack a vector of k-packs, which then takes part in `uses`
 * vector operations. Optimizing it pays if that is more than two percent of a call. */
aic_emit_kind aic_pack_kind(int64_t uses)
{
    enum { SURPLUS = 8, PERCENT = 2 };
    return uses * PERCENT < 100 * SURPLUS ? AIC_EMIT_HOT : AIC_EMIT_SELDOM;
}

/* The hot functions: of whole channel blocks or items, of the last one, and of the start values of weights in blocks.
 */
enum { WHOLE, REST, STARTS, INNER };

typedef struct packer {
    const aic_contraction *c;
    const aic_target *target;
    aic_seen seen;
    const aic_plan_geometry *g;
    const aic_wish *wish;
    const aic_plan_band *b;
    const aic_plan_panel *panels;
    unsigned c0_kpacks;       /* of one output channel in one channel block */
    aic_routine inner[INNER]; /* hot functions, or 0 */
} packer;

static int64_t panels_of_item(const packer *p)
{
    return p->panels->item_channels / p->g->panel_channels;
}

/* What packing weights in blocks and in rows have in common. */
static aic_weights_key weights_key(const packer *p, aic_emit_kind kind)
{
    const aic_arithmetic *a = &p->g->arithmetic;
    return (aic_weights_key){.dtype = p->c->dtype,
                             .sum = a->sum,
                             .product = a->product,
                             .kpack_bytes = p->g->weight_bytes,
                             .kpack_channels = a->kpack_channels,
                             .planes = aic_panel_planes(p->g, p->wish),
                             .panel_channels = p->g->panel_channels,
                             .notes = p->panels->notes,
                             .special_first = p->panels->notes ? p->wish->special_first : 0,
                             .special_end = p->panels->notes ? p->wish->special_end : 0,
                             .fast = kind == AIC_EMIT_SELDOM};
}

static void give_panel_starts(const packer *p, aic_use *use)
{
    for (int64_t i = 1; i < panels_of_item(p); i++) {
        aic_use_number(use, i * p->panels->block_panel_bytes, "panel.%lld", (long long)i);
    }
}

/* ---- weights in blocks ---- */

/* void name(row, source, panel; count): `count` output channels of one channel block of `channels` channels and one
 * tap. The panel's head has the note of special elements. */
static aic_routine use_blocks(aic_program *program, const packer *p, int64_t channels, aic_emit_kind kind,
                              const char *name)
{
    const int64_t left = p->b->pixel_kpacks - (p->seen.c1 - 1) * p->c0_kpacks;
    aic_weights_key key = weights_key(p, kind);
    key.c0 = p->seen.c0;
    key.channels = channels;
    key.kpacks = channels == p->seen.c0 ? p->c0_kpacks : aic_least(left, p->c0_kpacks);
    aic_use use;
    aic_use_begin(&use, program, &aic_part_weights, &key);
    give_panel_starts(p, &use);
    return aic_program_add(program, &use, "%s", name);
}

/* ---- weights in rows ---- */

/* void name(row, source, panel): `columns` columns of an item, whose k-packs begin at `row`. */
static aic_routine use_rows(aic_program *program, const packer *p, int64_t columns, aic_emit_kind kind,
                            const char *name)
{
    const int64_t channels = p->g->arithmetic.kpack_channels, step = p->panels->step_bytes;
    const int64_t full = p->c->channels / channels, row = p->c->n * p->g->source_bytes;
    const int64_t block_kpacks = p->panels->block_kpacks, block_steps = p->panels->block_bytes / step;
    const int64_t least = aic_weights_least(p->g->panel_channels), all = aic_round_up(columns, least);
    aic_weights_key key = weights_key(p, kind);
    key.masks = columns < all && aic_has_masks(p->target);
    key.columns = key.masks ? all : columns;
    key.runs = full > 0;
    key.rest = p->c->channels % channels;
    key.blocks = p->g->blocks > 1;
    key.image_offset = p->g->arithmetic.image_offset;
    key.lanes = key.image_offset != 0 ? p->g->lanes : 0;
    aic_use use;
    aic_use_begin(&use, program, &aic_part_weights_rows, &key);
    give_panel_starts(p, &use);
    for (int64_t r = 1; r < channels; r++) {
        aic_use_number(&use, r * row, "row.%lld", (long long)r);
    }
    aic_use_number(&use, channels * row, "rows");
    if (key.runs) {
        aic_use_trips(&use, full, "kpacks");
    }
    aic_use_number(&use, full * channels * row, "rest.source");
    aic_use_number(&use, full / block_kpacks * p->panels->block_bytes + full % block_kpacks * step, "rest.at");
    if (key.masks) {
        aic_use_number(&use, columns - (all - aic_weights_least(all)), "last.columns");
    }
    aic_use_number(&use, block_kpacks, "block.kpacks");
    aic_use_number(&use, block_steps, "block.steps");
    return aic_program_add(program, &use, "%s", name);
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
                                .fast = aic_pack_kind(p->c->down.out * p->c->across.out) == AIC_EMIT_SELDOM};
    aic_use use;
    aic_use_begin(&use, program, &aic_part_starts, &key);
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
static packer packer_of(const aic_plan *plan)
{
    const aic_contraction *c = aic_contraction_of(plan);
    const aic_tiling *t = aic_tiling_of(plan);
    packer p = {.c = c,
                .target = plan->problem.target,
                .g = &t->geometry,
                .wish = &t->wish,
                .b = &t->band,
                .panels = &t->panel,
                .seen = aic_seen_of(c)};
    p.c0_kpacks = (unsigned)(p.seen.c0 / t->geometry.arithmetic.kpack_channels);
    return p;
}

/* The hot functions. */
static void compose_inners(aic_program *program, packer *p, const aic_plan *plan)
{
    const aic_contraction *c = p->c;
    const bool rows = c->weight == AIC_WEIGHT_ROWS;
    const int64_t uses = c->down.out * c->across.out;
    aic_routine (*const use)(aic_program *, const packer *, int64_t, aic_emit_kind, const char *) =
        rows ? use_rows : use_blocks;
    const int64_t full = rows ? p->panels->columns / p->panels->item_channels : p->seen.channels / p->seen.c0;
    const int64_t rest = rows ? p->panels->columns % p->panels->item_channels : p->seen.channels % p->seen.c0;
    if (full > 0) {
        p->inner[WHOLE] =
            use(program, p, rows ? p->panels->item_channels : p->seen.c0, aic_pack_kind(uses), "weights_whole");
    }
    if (rest > 0) {
        /* One of full + 1 items or channel blocks. */
        p->inner[REST] = use(program, p, rest, aic_pack_kind(uses * (full + 1)), "weights_rest");
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
        aic_use_number(use, panels->groups_at, "groups.at");
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
    packer p = packer_of(plan);
    compose_inners(program, &p, plan);
    const aic_panels_key key = key_of(&p);
    aic_use use;
    aic_use_begin(&use, program, &aic_part_panels, &key);
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

/* ---- the form of packed weights ---- */

/* The form of packed weights: numbers that are equal where images of equal weights are. What the convolution's image is
 * like, and how fast code packs, is no part of it. */

/* To be raised when images that have the same numbers get other bytes. */
enum { PACKER = 1 };

/* What a form ends with if the counts of k-packs with weights lie behind the panels; what stands before the numbers of
 * the lean form, if weights have one. */
enum { COUNTS = -1, LEAN = -2 };

static size_t add(int64_t *number, const int64_t *more, size_t bytes)
{
    memcpy(number, more, bytes);
    return bytes / sizeof *more;
}

/* Other numbers of the tiling that packing reads follow from these; so do the groups, from the k-packs of a tap. */
size_t aic_pack_weight_form(const aic_contraction *c, const aic_tiling *t, int64_t number[])
{
    const aic_arithmetic *a = &t->geometry.arithmetic;
    const bool is_cube = a->sum == AIC_SUM_CUBE;
    const int64_t weights[] = {
        PACKER,      c->dtype,           c->weight,      c->c1,
        c->c0,       c->down.taps,       c->across.taps, c->weight == AIC_WEIGHT_ROWS ? c->n : c->weight_n,
        c->channels, t->geometry.outputs};
    const int64_t kpacks[] = {a->product,        t->geometry.weight_bytes,
                              a->kpack_channels, aic_panel_planes(&t->geometry, &t->wish),
                              a->image_offset,   is_cube};
    const int64_t taps[] = {t->wish.merged,  t->wish.fold,         t->panel.taps,
                            t->panel.kpacks, t->band.pixel_kpacks, t->geometry.blocks};
    const int64_t panels[] = {t->geometry.panel_channels, t->panel.count};
    const int64_t heads[] = {t->panel.start_bytes, t->panel.notes};
    const int64_t lean[] = {LEAN, t->lean.taps, t->lean.kpacks, t->lean.merged, t->lean.pixel_kpacks};
    enum { ALL = sizeof weights + sizeof kpacks + sizeof taps + sizeof panels + sizeof heads + sizeof lean };
    _Static_assert(ALL / sizeof number[0] <= AIC_FORM_NUMBERS, "numbers of a form");
    size_t count = add(number, weights, sizeof weights);
    count += add(number + count, kpacks, sizeof kpacks);
    count += add(number + count, taps, sizeof taps);
    count += add(number + count, panels, sizeof panels);
    count += add(number + count, heads, sizeof heads);
    if (t->panel.counts) {
        number[count++] = COUNTS;
    }
    if (t->lean.channels > 0) { /* by a micro-kernel that has nothing of the others */
        count += add(number + count, lean, sizeof lean);
    }
    if (t->transform.m > 0) {
        number[count++] = t->transform.m;
    }
    if (t->wish.steps > 0) {
        number[count++] = t->wish.steps;
    }
    return count;
}
