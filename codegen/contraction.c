/* The frame around the tiles: bands of the image, groups of output channels, rows and columns of tiles.
 *
 *     for band: pack its image rows
 *       for group of output channels
 *         for tile row of the band, for tile column: call the tile's function */
#include "codegen/generator.h"
#include "codegen/target/family.h"
#include "codegen/vec.h"

#include <stdio.h>

typedef struct frame {
    aic_emit *e;
    const aic_contraction *c;
    const aic_tiling *t;
    LLVMValueRef tile[2][2]; /* function of [smaller rows][smaller columns], NULL where no tile has that size */
    LLVMValueRef out, image, weight, taps, band;
    LLVMValueRef first_tile, last_tile; /* tile rows of the current band, last excluded */
    LLVMValueRef first_row;             /* first output row of the current band */
} frame;

static int64_t piece(const aic_split *split, int smaller)
{
    return split->large - smaller;
}

static int64_t piece_count(const aic_split *split, int smaller)
{
    return smaller ? split->small_count : split->large_count;
}

static void emit_tiles(frame *f, const char *symbol)
{
    for (int r = 0; r < 2; r++) {
        for (int s = 0; s < 2; s++) {
            if (piece_count(&f->t->rows, r) == 0 || piece_count(&f->t->cols, s) == 0) {
                continue;
            }
            long long rows = piece(&f->t->rows, r), cols = piece(&f->t->cols, s);
            char name[160];
            snprintf(name, sizeof name, "%s_tile_%lldx%lldx%lld", symbol, rows, cols, (long long)f->t->group);
            f->tile[r][s] = aic_emit_tile(f->e, f->c, f->t, rows, cols, name);
        }
    }
}

/* taps[kh*Kw + kw] = offset of the tap in the band. Filled at run time: as data of the object it would need a
 * relocation and, for large kernels, half a megabyte. */
static void emit_tap_table(const frame *f)
{
    aic_emit *e = f->e;
    const aic_contraction *c = f->c;
    aic_loop down, across;
    aic_loop_begin(e, &down, "kh", aic_int(e, 0), aic_int(e, c->kh), 1, NULL, 0);
    LLVMValueRef row = aic_mul(e, down.index, c->dilation_h * f->t->row_pitch);
    aic_loop_begin(e, &across, "kw", aic_int(e, 0), aic_int(e, c->kw), 1, NULL, 0);
    LLVMValueRef offset = aic_add(e, row, aic_mul(e, across.index, c->dilation_w * f->t->pixel_pitch));
    LLVMValueRef index = aic_add(e, aic_mul(e, down.index, c->kw), across.index);
    aic_store(e, offset, aic_at(e, f->taps, aic_mul(e, index, sizeof(int64_t))), 0, 8);
    aic_loop_end(e, &across);
    aic_loop_end(e, &down);
}

/* First output row of tile row `tile`: the larger tiles come first. */
static LLVMValueRef output_row(const frame *f, LLVMValueRef tile)
{
    aic_emit *e = f->e;
    LLVMValueRef row = aic_mul(e, tile, f->t->rows.large);
    if (f->t->rows.small_count == 0) {
        return row;
    }
    LLVMValueRef past = LLVMBuildNSWSub(e->builder, tile, aic_int(e, f->t->rows.large_count), "");
    return LLVMBuildNSWSub(e->builder, row, aic_max(e, past, aic_int(e, 0)), "");
}

static LLVMValueRef output_group(const frame *f, LLVMValueRef group)
{
    aic_emit *e = f->e;
    int64_t block_bytes = f->c->block_rows * 16 * 4, channels = f->t->group;
    if (channels >= 16) {
        return aic_at(e, f->out, aic_mul(e, group, channels / 16 * block_bytes));
    }
    LLVMValueRef block = LLVMBuildUDiv(e->builder, group, aic_int(e, 16 / channels), "");
    LLVMValueRef within = LLVMBuildURem(e->builder, group, aic_int(e, 16 / channels), "");
    return aic_at(e, aic_at(e, f->out, aic_mul(e, block, block_bytes)), aic_mul(e, within, channels * 4));
}

/* One row of tiles; out and band point at its first pixel. */
static void emit_tile_row(const frame *f, int smaller_rows, LLVMValueRef out, LLVMValueRef band, LLVMValueRef panel)
{
    aic_emit *e = f->e;
    int64_t done = 0;
    for (int s = 0; s < 2; s++) {
        int64_t width = piece(&f->t->cols, s), count = piece_count(&f->t->cols, s);
        if (count == 0) {
            continue;
        }
        aic_loop loop;
        aic_loop_begin(e, &loop, "col", aic_int(e, 0), aic_int(e, count), 1, NULL, 0);
        LLVMValueRef col = aic_add(e, aic_mul(e, loop.index, width), aic_int(e, done));
        LLVMValueRef args[] = {aic_at(e, out, aic_mul(e, col, 16 * 4)),
                               aic_at(e, band, aic_mul(e, col, f->t->col_step * f->t->pixel_pitch)), panel, f->taps};
        aic_emit_call(e, f->tile[smaller_rows][s], args, 4);
        aic_loop_end(e, &loop);
        done += width * count;
    }
}

/* All tile rows of the band for one group of output channels. */
static void emit_group(const frame *f, LLVMValueRef group)
{
    aic_emit *e = f->e;
    LLVMValueRef out = output_group(f, group);
    LLVMValueRef panel = aic_at(e, f->weight, aic_mul(e, group, f->t->panel_bytes));
    int64_t start = 0;
    for (int r = 0; r < 2; r++) {
        int64_t count = piece_count(&f->t->rows, r);
        if (count == 0) {
            continue;
        }
        LLVMValueRef first = aic_max(e, f->first_tile, aic_int(e, start));
        LLVMValueRef last = aic_min(e, f->last_tile, aic_int(e, start + count));
        aic_loop loop;
        aic_loop_begin(e, &loop, "tile", first, last, 1, NULL, 0);
        LLVMValueRef row = output_row(f, loop.index);
        LLVMValueRef below = LLVMBuildNSWSub(e->builder, row, f->first_row, "");
        emit_tile_row(f, r, aic_at(e, out, aic_mul(e, row, f->c->ow * 16 * 4)),
                      aic_at(e, f->band, aic_mul(e, below, f->t->row_step * f->t->row_pitch)), panel);
        aic_loop_end(e, &loop);
        start += count;
    }
}

static void emit_band(frame *f, LLVMValueRef band)
{
    aic_emit *e = f->e;
    const aic_tiling *t = f->t;
    int64_t tiles = t->rows.large_count + t->rows.small_count;
    f->first_tile = aic_mul(e, band, t->band_tiles);
    f->last_tile = aic_min(e, aic_add(e, f->first_tile, aic_int(e, t->band_tiles)), aic_int(e, tiles));
    f->first_row = output_row(f, f->first_tile);
    LLVMValueRef height = LLVMBuildNSWSub(e->builder, output_row(f, f->last_tile), f->first_row, "");
    LLVMValueRef above = aic_mul(e, aic_add(e, height, aic_int(e, -1)), t->row_step);
    LLVMValueRef top = aic_add(e, aic_mul(e, f->first_row, f->c->stride_h), aic_int(e, -f->c->pad_top));
    aic_emit_pack_image(e, f->c, t, f->band, f->image, top, aic_add(e, above, aic_int(e, t->row_reach)));
    aic_loop loop;
    aic_loop_begin(e, &loop, "group", aic_int(e, 0), aic_int(e, f->c->n / t->group), 1, NULL, 0);
    emit_group(f, loop.index);
    aic_loop_end(e, &loop);
}

/* name(out, image, packed weight, workspace) */
static LLVMValueRef emit_packed(frame *f, const char *name)
{
    static const char *const PARAMS[] = {"out", "image", "packed_weight", "workspace"};
    aic_emit *e = f->e;
    aic_emit_function(e, name, true, PARAMS, 4, 0);
    LLVMValueRef function = e->function, workspace = aic_emit_param(e, 3);
    f->out = aic_emit_param(e, 0);
    f->image = aic_emit_param(e, 1);
    f->weight = aic_emit_param(e, 2);
    f->taps = aic_at_const(e, workspace, f->t->taps_offset);
    f->band = aic_at_const(e, workspace, f->t->band_offset);
    LLVMValueRef saved = aic_float_enter(e, f->t->arithmetic->product == AIC_PRODUCT_FLOAT);
    emit_tap_table(f);
    aic_loop loop;
    aic_loop_begin(e, &loop, "band", aic_int(e, 0), aic_int(e, f->t->bands), 1, NULL, 0);
    emit_band(f, loop.index);
    aic_loop_end(e, &loop);
    aic_float_leave(e, saved);
    aic_emit_function_end(e);
    return function;
}

/* name(out, image, weight, workspace): packs, then runs. */
static void emit_plain(const frame *f, const char *name, LLVMValueRef pack, LLVMValueRef packed)
{
    static const char *const PARAMS[] = {"out", "image", "weight", "workspace"};
    aic_emit *e = f->e;
    aic_emit_function(e, name, true, PARAMS, 4, 0);
    LLVMValueRef workspace = aic_emit_param(e, 3);
    LLVMValueRef panels = aic_at_const(e, workspace, f->t->weight_offset);
    LLVMValueRef pack_args[] = {panels, aic_emit_param(e, 2)};
    aic_emit_call(e, pack, pack_args, 2);
    LLVMValueRef args[] = {aic_emit_param(e, 0), aic_emit_param(e, 1), panels, workspace};
    aic_emit_call(e, packed, args, 4);
    aic_emit_function_end(e);
}

static aic_status emit_contraction(aic_emit *e, const aic_work *work, const aic_schedule *schedule, const char *symbol)
{
    char name[160];
    aic_tiling tiling;
    aic_status status = aic_tiling_make(&work->contraction, e->target, schedule, &tiling);
    if (status != AIC_OK) {
        return status;
    }
    frame f = {.e = e, .c = &work->contraction, .t = &tiling};
    emit_tiles(&f, symbol);
    snprintf(name, sizeof name, "%s_pack", symbol);
    LLVMValueRef pack = aic_emit_pack_weight(e, f.c, f.t, name);
    snprintf(name, sizeof name, "%s_packed", symbol);
    LLVMValueRef packed = emit_packed(&f, name);
    emit_plain(&f, symbol, pack, packed);
    return AIC_OK;
}

/* Number of the weight among the operands: out, image, weight. */
enum { WEIGHT = 2 };

static aic_status check_contraction(const aic_work *work, const aic_target *target, const aic_schedule *schedule,
                                    aic_sizes *sizes)
{
    aic_tiling tiling;
    aic_status status = aic_tiling_make(&work->contraction, target, schedule, &tiling);
    if (status == AIC_OK) {
        *sizes = (aic_sizes){.workspace_bytes = (size_t)tiling.workspace_bytes};
        sizes->packed_bytes[WEIGHT] = (size_t)tiling.packed_bytes;
    }
    return status;
}

const aic_shape aic_shape_contraction = {
    .candidates = aic_contraction_candidates,
    .bound = aic_contraction_bound,
    .check = check_contraction,
    .emit = emit_contraction,
    .report = aic_contraction_report,
};
