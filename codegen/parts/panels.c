/* The loops around the packing of weights: see weights.h. */
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/parts.h"
#include "codegen/parts/weights.h"

typedef struct packer {
    aic_emit *e;
    const aic_panels_key *key;
    LLVMValueRef packed, weight, first, last; /* items that are packed */
    LLVMValueRef first_panel, last_panel;     /* their panels, and of the last item all that follow */
} packer;

/* ---- what is cleared ---- */

/* Clears so many bytes. */
static void clear(const packer *p, LLVMValueRef at, const char *bytes)
{
    aic_emit *e = p->e;
    aic_loop loop;
    aic_loop_begin(e, &loop, "clear: bytes", aic_int(e, 0), aic_trips(e, "%s", bytes), p->key->grain, NULL, 0);
    aic_store(e, aic_zero(aic_vector(e->i8, (unsigned)p->key->grain)), aic_at(e, at, loop.index), 0, 1);
    aic_loop_end(e, &loop);
}

/* Clears the notes of special elements in the heads of an item's panels. */
static void clear_heads(const packer *p, LLVMValueRef panel)
{
    for (int64_t i = 0; p->key->heads && i < p->key->panels; i++) {
        clear(p, aic_at_nth(p->e, panel, "panel", i), "head");
    }
}

/* Clears the panels that have columns without an output channel. */
static void clear_panels(const packer *p)
{
    aic_emit *e = p->e;
    aic_loop panels, blocks;
    LLVMValueRef first = aic_max(e, p->first_panel, aic_number(e, "full.panels"));
    LLVMValueRef count = p->key->blocks ? aic_trips(e, "blocks") : aic_int(e, 1);
    aic_loop_begin(e, &panels, "panel: panels of output channels", first, p->last_panel, 1, NULL, 0);
    LLVMValueRef panel = aic_at_index(e, p->packed, panels.index, "panel.pitch");
    aic_loop_over(e, &blocks, "block: blocks of channels", count);
    clear(p, aic_at_index(e, panel, blocks.index, "block.pitch"), "panel.clear");
    aic_loop_end(e, &blocks);
    aic_loop_end(e, &panels);
}

/* Clears the k-packs of every tap that have no channel; called before the others are packed. */
static void clear_kpacks(const packer *p)
{
    aic_emit *e = p->e;
    aic_loop panels, taps;
    aic_loop_begin(e, &panels, "panel: panels of output channels", p->first_panel, p->last_panel, 1, NULL, 0);
    LLVMValueRef panel = aic_at_index(e, p->packed, panels.index, "panel.bytes");
    panel = aic_at(e, aic_behind(e, panel, "panel.start"), aic_number(e, "kpacks.used"));
    aic_loop_over(e, &taps, "tap: taps of the kernel", aic_trips(e, "panel.taps"));
    clear(p, aic_at_index(e, panel, taps.index, "tap.bytes"), "kpacks.clear");
    aic_loop_end(e, &taps);
    aic_loop_end(e, &panels);
}

/* ---- weights in blocks ---- */

/* Reduction steps before those of the first k-pack of a channel block. */
static LLVMValueRef channels_before(const packer *p, LLVMValueRef block)
{
    aic_emit *e = p->e;
    LLVMValueRef kpack = aic_scaled(e, block, "c0.kpacks");
    if (!p->key->blocks) {
        return kpack;
    }
    LLVMValueRef size = aic_number(e, "block.kpacks");
    return aic_add(e, aic_times(e, LLVMBuildUDiv(e->builder, kpack, size, ""), aic_number(e, "block.steps")),
                   LLVMBuildURem(e->builder, kpack, size, ""));
}

/* Reduction steps before those of a tap of the kernel. */
static LLVMValueRef steps_before(const packer *p, LLVMValueRef tap)
{
    aic_emit *e = p->e;
    LLVMBuilderRef b = e->builder;
    if (!p->key->merged) {
        return aic_scaled(e, tap, "tap.kpacks");
    }
    LLVMValueRef merged = aic_number(e, "merged"), kpacks = aic_number(e, "tap.kpacks");
    LLVMValueRef row = LLVMBuildUDiv(b, tap, merged, ""), column = LLVMBuildURem(b, tap, merged, "");
    LLVMValueRef in_row = aic_scaled(e, column, "pixel.kpacks");
    if (!p->key->folded) {
        return aic_add(e, aic_times(e, row, kpacks), in_row);
    }
    LLVMValueRef fold = aic_number(e, "fold");
    LLVMValueRef part = aic_times(e, LLVMBuildURem(b, row, fold, ""), aic_number(e, "fold.kpacks"));
    return aic_add(e, aic_times(e, LLVMBuildUDiv(b, row, fold, ""), kpacks), aic_add(e, in_row, part));
}

/* Packs an item for one channel block and one tap by the function `blocks`. */
static void emit_step(const packer *p, LLVMValueRef panel, LLVMValueRef item, LLVMValueRef block, LLVMValueRef tap,
                      LLVMValueRef blocks)
{
    aic_emit *e = p->e;
    LLVMValueRef channels = aic_number(e, "item.channels"), limit = channels;
    LLVMValueRef index = aic_add(e, aic_times(e, block, aic_trips(e, "taps")), tap);
    LLVMValueRef source = aic_at_index(e, p->weight, index, "source.tap");
    source = aic_at_index(e, source, item, "source.item");
    /* The order of the reduction: channel blocks outermost where it is fixed, else all channels of a tap together. */
    LLVMValueRef step =
        p->key->cube ? aic_scaled(e, index, "c0.kpacks") : aic_add(e, steps_before(p, tap), channels_before(p, block));
    LLVMValueRef row = aic_behind(e, panel, "panel.start");
    row = aic_at_index(e, row, step, "step.bytes");
    if (p->key->partial) {
        LLVMValueRef left = LLVMBuildNSWSub(e->builder, aic_number(e, "columns"), aic_times(e, item, channels), "");
        limit = aic_min(e, limit, left);
    }
    LLVMValueRef args[] = {row, source, panel, limit};
    aic_emit_call(e, blocks, args, 4);
}

/* Packs the channel blocks from `first` on of an item. */
static void emit_channel_blocks(const packer *p, LLVMValueRef panel, LLVMValueRef item, LLVMValueRef first,
                                const char *end, LLVMValueRef function)
{
    aic_emit *e = p->e;
    aic_loop blocks, taps;
    aic_loop_begin(e, &blocks, "channels: blocks of channels", first, aic_trips(e, "%s", end), 1, NULL, 0);
    aic_loop_over(e, &taps, "tap: taps of the kernel", aic_trips(e, "taps"));
    emit_step(p, panel, item, blocks.index, taps.index, function);
    aic_loop_end(e, &taps);
    aic_loop_end(e, &blocks);
}

/* The first panel of an item. */
static LLVMValueRef panel_of(const packer *p, LLVMValueRef item)
{
    return aic_at_index(p->e, p->packed, item, "item.pitch");
}

/* Packs item by item, so that memory is written in order. */
static void emit_from_blocks(const packer *p)
{
    aic_emit *e = p->e;
    aic_loop items;
    aic_loop_begin(e, &items, "item: items of output channels", p->first, p->last, 1, NULL, 0);
    LLVMValueRef panel = panel_of(p, items.index), none = aic_int(e, 0);
    clear_heads(p, panel);
    if (p->key->whole) {
        emit_channel_blocks(p, panel, items.index, none, "whole.count", aic_callee(e, "whole", 3, 1));
    }
    if (p->key->rest) {
        LLVMValueRef first = p->key->whole ? aic_trips(e, "whole.count") : none;
        emit_channel_blocks(p, panel, items.index, first, "all", aic_callee(e, "rest", 3, 1));
    }
    aic_loop_end(e, &items);
}

/* ---- weights in rows ---- */

static void emit_item(const packer *p, LLVMValueRef item, const char *role)
{
    aic_emit *e = p->e;
    LLVMValueRef panel = panel_of(p, item);
    clear_heads(p, panel);
    LLVMValueRef args[] = {aic_behind(e, panel, "panel.start"), aic_at_index(e, p->weight, item, "source.item"), panel};
    aic_call_role(e, args, 3, 0, "%s", role);
}

static void emit_from_rows(const packer *p)
{
    aic_emit *e = p->e;
    LLVMValueRef whole = p->key->whole ? aic_trips(e, "whole.count") : aic_int(e, 0);
    if (p->key->whole) {
        aic_loop items;
        aic_loop_begin(e, &items, "item: items of output channels", p->first, aic_min(e, p->last, whole), 1, NULL, 0);
        emit_item(p, items.index, "whole");
        aic_loop_end(e, &items);
    }
    if (p->key->rest) {
        aic_branch branch;
        aic_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntSGT, p->last, whole, ""));
        emit_item(p, whole, "rest");
        aic_branch_end(e, &branch);
    }
}

/* ---- the part ---- */

static void emit_starts(const packer *p)
{
    aic_emit *e = p->e;
    aic_loop panels;
    aic_loop_begin(e, &panels, "panel: panels of output channels", p->first_panel, p->last_panel, 1, NULL, 0);
    LLVMValueRef args[] = {aic_at_index(e, p->packed, panels.index, "panel.bytes")};
    aic_call_role(e, args, 1, 0, "starts");
    aic_loop_end(e, &panels);
}

/* Says in the heads of panels which channels each output channel sees. Those past the last one, which are no results,
 * see what is there. */
static void emit_groups(const packer *p)
{
    aic_emit *e = p->e;
    LLVMBuilderRef b = e->builder;
    aic_loop panels, channels;
    aic_loop_begin(e, &panels, "panel: panels of output channels", p->first_panel, p->last_panel, 1, NULL, 0);
    LLVMValueRef count = aic_trips(e, "panel.channels"), first = aic_times(e, panels.index, count);
    LLVMValueRef panel = aic_at_index(e, p->packed, panels.index, "panel.bytes");
    LLVMValueRef head = aic_behind(e, panel, "groups.at");
    aic_loop_over(e, &channels, "channel: output channels of a panel", count);
    LLVMValueRef channel = LLVMBuildURem(b, aic_add(e, first, channels.index), aic_number(e, "outputs"), "");
    LLVMValueRef group = LLVMBuildUDiv(b, channel, aic_number(e, "group.outputs"), "");
    LLVMValueRef offset = LLVMBuildTrunc(b, aic_scaled(e, group, "group.bytes"), e->i32, "");
    aic_store(e, offset, aic_at(e, head, aic_mul(e, channels.index, sizeof(int32_t))), 0, sizeof(int32_t));
    aic_loop_end(e, &channels);
    aic_loop_end(e, &panels);
}

/* Whether a k-pack has weights other than 0 in any tap; `at` is where the first tap has it. Taps behind the first one
 * that has such are not looked at. */
static LLVMValueRef has_weights(const packer *p, LLVMValueRef at)
{
    aic_emit *e = p->e;
    enum { WORD = sizeof(int32_t) };
    LLVMTypeRef words = aic_vector(e->i32, (unsigned)p->key->counts / WORD);
    LLVMValueRef any = aic_int(e, 0);
    aic_loop taps, bytes;
    aic_loop_begin(e, &taps, "tap: taps of the kernel", aic_int(e, 0), aic_trips(e, "taps"), 1, &any, 1);
    LLVMValueRef step = aic_at_index(e, at, taps.index, "count.tap");
    LLVMValueRef none = LLVMBuildICmp(e->builder, LLVMIntEQ, any, aic_int(e, 0), "");
    LLVMValueRef limit = LLVMBuildSelect(e->builder, none, aic_trips(e, "step"), aic_int(e, 0), "");
    aic_loop_begin(e, &bytes, "byte: bytes of a step", aic_int(e, 0), limit, p->key->counts, &any, 1);
    LLVMValueRef weights = aic_load(e, words, aic_at(e, step, bytes.index), 0, WORD);
    any = LLVMBuildOr(e->builder, any, aic_bits_of_any(e, weights), "");
    aic_loop_end(e, &bytes);
    aic_loop_end(e, &taps);
    return LLVMBuildICmp(e->builder, LLVMIntNE, any, aic_int(e, 0), "");
}

/* Stores how many k-packs of every tap have weights other than 0 in a panel: looks from the last one on downwards. */
static void emit_count(const packer *p, LLVMValueRef panel, LLVMValueRef count)
{
    aic_emit *e = p->e;
    enum { WORD = sizeof(int64_t) };
    LLVMValueRef least = aic_number(e, "count.least"), kpacks = aic_trips(e, "count.kpacks");
    aic_loop loop;
    aic_branch branch;
    aic_store(e, least, count, 0, WORD);
    aic_loop_over(e, &loop, "kpack: k-packs of the last block of channels", kpacks);
    LLVMValueRef old = aic_load(e, e->i64, count, 0, WORD), with = LLVMBuildNSWSub(e->builder, kpacks, loop.index, "");
    aic_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntEQ, old, least, ""));
    LLVMValueRef at = aic_at(e, panel, aic_times(e, aic_add(e, with, aic_int(e, -1)), aic_number(e, "step.bytes")));
    LLVMValueRef any = has_weights(p, aic_behind(e, at, "count.first"));
    with = aic_max(e, aic_add(e, with, aic_number(e, "count.from")), least);
    aic_store(e, LLVMBuildSelect(e->builder, any, with, least, ""), count, 0, WORD);
    aic_branch_end(e, &branch);
    aic_loop_end(e, &loop);
}

static void emit_counts(const packer *p)
{
    aic_emit *e = p->e;
    aic_loop panels;
    LLVMValueRef counts = aic_behind(e, p->packed, "counts.at");
    aic_loop_begin(e, &panels, "panel: panels of output channels", p->first_panel, p->last_panel, 1, NULL, 0);
    emit_count(p, aic_at_index(e, p->packed, panels.index, "panel.bytes"),
               aic_at(e, counts, aic_mul(e, panels.index, sizeof(int64_t))));
    aic_loop_end(e, &panels);
}

static void begin(packer *p)
{
    aic_emit *e = p->e;
    p->packed = aic_emit_param(e, 0);
    p->weight = aic_emit_param(e, 1);
    p->first = aic_emit_param(e, 2);
    p->last = aic_emit_param(e, 3);
    LLVMValueRef is_last = LLVMBuildICmp(e->builder, LLVMIntEQ, p->last, aic_number(e, "items"), "");
    LLVMValueRef end = aic_mul(e, p->last, p->key->panels);
    p->first_panel = aic_mul(e, p->first, p->key->panels);
    p->last_panel = LLVMBuildSelect(e->builder, is_last, aic_number(e, "panels"), end, "");
    aic_name(e, p->last_panel, "last_panel");
}

LLVMValueRef aic_emit_part_panels(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"packed", "weight", "first", "last"};
    packer p = {.e = e, .key = of};
    aic_emit_function(e, name, AIC_EMIT_FRAME, PARAMS, 2, 2);
    aic_note_function(e, "packs items first .. last-1 of the weight into panels");
    begin(&p);
    if (p.key->empty_panels) {
        clear_panels(&p);
    }
    if (p.key->empty_kpacks) {
        clear_kpacks(&p);
    }
    (p.key->rows ? emit_from_rows : emit_from_blocks)(&p);
    if (p.key->starts) {
        emit_starts(&p);
    }
    if (p.key->groups) {
        emit_groups(&p);
    }
    if (p.key->counts) {
        emit_counts(&p);
    }
    return aic_emit_function_end(e);
}
