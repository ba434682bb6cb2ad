/* From tiles to the rows and columns of the packed image. */
#include "codegen/contraction/plan/band.h"
#include "codegen/integer.h"

static int64_t common_divisor(int64_t a, int64_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

/* If the order of the sum is free, k-packs without channels are left out. */
static int64_t pixel_kpacks_of(const aic_contraction *c, const aic_plan_geometry *g, const aic_wish *wish)
{
    const int64_t channels = g->arithmetic.kpack_channels, kpacks = wish->fold * aic_parts(g->channels, channels);
    if (g->arithmetic.sum == AIC_SUM_CUBE) {
        return c->c1 * c->c0 / g->slices / channels;
    }
    return wish->merged > 1 ? kpacks : aic_round_up(kpacks, wish->step_kpacks);
}

/* The band's rows where kernel rows are folded. Each band row shows `fold` image rows; folded taps and output rows need
 * band rows whose first image rows are multiples of fold and of the stride, hence of the divisor that these share. */
static void lay_out_folded_rows(const aic_contraction *c, int64_t fold, aic_plan_band *b)
{
    const int64_t taps = aic_parts(c->down.taps, fold);
    b->gap = taps == 1 ? c->down.stride : common_divisor(fold, c->down.stride);
    b->fold_step = fold / b->gap;
    b->row_step = c->down.stride / b->gap;
    b->row_gap = b->row_step;
    b->row_reach = (taps - 1) * b->fold_step + 1;
}

/* Pitches of a band's pixels and rows. A line is added to a pitch that is a multiple of a kilobyte, as pixels or rows
 * would then fall into few sets of the first-level cache; with blocks or groups of channels, to one that is a multiple
 * of two lines. Where taps are merged the pixels of a row are contiguous in each plane. */
static void lay_out_pixels(const aic_contraction *c, const aic_plan_geometry *g, const aic_wish *wish, aic_plan_band *b)
{
    const unsigned planes = g->arithmetic.planes;
    b->plane_bytes = b->pixel_kpacks * g->arithmetic.kpack_bytes;
    b->row_planes = wish->merged > 1 ? planes : 1;
    if (b->row_planes > 1) {
        b->pixel_pitch = b->plane_bytes;
        b->plane_bytes = aic_round_up(b->columns * b->pixel_pitch, AIC_LINE_BYTES);
        b->plane_bytes += planes * b->plane_bytes % 1024 == 0 ? AIC_LINE_BYTES : 0;
        b->row_pitch = planes * b->plane_bytes;
        return;
    }
    b->pixel_pitch = planes * b->plane_bytes;
    const bool parts = g->blocks > 1 || c->groups > 1; /* of a pixel's channels at a time */
    b->pixel_pitch += b->pixel_pitch % (parts ? 2 * AIC_LINE_BYTES : 1024) == 0 ? AIC_LINE_BYTES : 0;
    b->row_pitch = aic_round_up(b->columns * b->pixel_pitch, AIC_LINE_BYTES);
    b->row_pitch += b->row_pitch % 1024 == 0 ? AIC_LINE_BYTES : 0;
}

/* The band of pointers to rows of the image: one for each, and behind them a row of padding. */
static void lay_out_pointers(const aic_contraction *c, const aic_plan_geometry *g, aic_plan_band *b)
{
    b->row_pitch = sizeof(int64_t);
    b->row_planes = 1;
    b->residue_bytes = aic_round_up(b->rows * b->row_pitch, AIC_LINE_BYTES);
    b->bytes = b->residue_bytes + c->across.extent * g->channels * g->source_bytes;
}

/* The image where it lies, of which pixels between two output pixels are left out. Where tiles widen it the band has
 * room for a block of channels of a tile. */
static void lay_out_in_place(const aic_contraction *c, const aic_plan_geometry *g, aic_plan_band *b)
{
    b->pixel_pitch = c->across.stride * c->image.pixel * g->source_bytes;
    b->row_pitch = c->down.stride * c->image.row_pitch * g->source_bytes;
    b->plane_bytes = c->image.block * g->source_bytes;
    b->row_planes = c->c1;
    b->edge_bytes = AIC_LINE_BYTES - c->c0 * g->source_bytes;
    b->residue_bytes = 0;
    b->bytes = aic_widens_image(g) ? g->rows.large * g->cols.large * c->c0 * g->arithmetic.kpack_bytes : 0;
}

/* Image rows or columns from one that any tap of any output pixel reads to the next. */
static int64_t gap_of(const aic_line *l, const aic_wish *wish)
{
    return wish->thins && l->taps > 1 ? common_divisor(l->stride, l->dilation) : 1;
}

/* Where the stride exceeds the kernel's reach, rows and columns between two windows are left out of the band. */
aic_plan_band aic_plan_band_make(const aic_contraction *c, const aic_plan_geometry *g, const aic_wish *wish)
{
    const int64_t gap_h = gap_of(&c->down, wish), gap_w = gap_of(&c->across, wish);
    const int64_t reach_h = c->down.dilation / gap_h * (c->down.taps - 1) + 1,
                  reach_w = c->across.dilation / gap_w * (c->across.taps - 1) + 1;
    aic_plan_band b = {.row_step = aic_least(c->down.stride / gap_h, reach_h),
                       .col_step = reach_w == 1 ? 1 : c->across.stride / gap_w,
                       .row_reach = reach_h,
                       .row_gap = c->down.stride / gap_h,
                       .gap = gap_h,
                       .fold_step = c->down.dilation / gap_h,
                       .tap_step = c->across.dilation / gap_w,
                       .col_gap = reach_w == 1 ? c->across.stride : gap_w,
                       .pixel_kpacks = pixel_kpacks_of(c, g, wish),
                       .row_residues = 1,
                       .col_residues = 1,
                       .count = aic_parts(aic_split_count(&g->rows), g->band_tiles)};
    if (wish->fold > 1) {
        lay_out_folded_rows(c, wish->fold, &b);
    }
    b.columns = (aic_round_up(c->across.out, wish->whole) - 1) * b.col_step + reach_w;
    b.seen_kpacks = c->groups > 1 ? aic_seen_of(c).channels / g->arithmetic.kpack_channels : b.pixel_kpacks;
    lay_out_pixels(c, g, wish, &b);
    if (wish->run > 0) {
        b.row_residues = b.row_step;
        b.col_residues = b.col_step;
        b.row_pitch = b.col_residues * wish->run * b.pixel_pitch;
    }
    b.rows = (aic_round_up(aic_least(c->down.out, g->band_tiles * g->rows.large), wish->whole) - 1) * b.row_step +
             b.row_reach;
    b.residue_bytes = aic_parts(b.rows, b.row_residues) * b.row_pitch / b.col_residues;
    b.bytes = b.row_residues * b.col_residues * b.residue_bytes;
    if (wish->steps > 0) {
        lay_out_pointers(c, g, &b);
    }
    if (g->in_place) {
        lay_out_in_place(c, g, &b);
    }
    return b;
}

int64_t aic_band_bytes(const aic_plan_geometry *g, const aic_plan_band *b, int64_t rows, int64_t way)
{
    if (!g->in_place) {
        return rows * b->row_pitch;
    }
    return b->row_planes * aic_most(rows * b->columns * b->pixel_pitch, common_divisor(b->plane_bytes, way));
}

bool aic_planes_crowd(const aic_contraction *c, const aic_machine *machine)
{
    const int64_t plane = c->image.block * (int64_t)aic_dtype_size(c->dtype);
    return c->c1 * common_divisor(plane, machine->l2_bytes / machine->l2_ways) > machine->l2_bytes;
}

int64_t aic_band_window(const aic_contraction *c, const aic_plan_band *b, int64_t rows, int64_t cols)
{
    const int64_t reach = b->columns - (c->across.out - 1) * b->col_step;
    return ((rows - 1) * b->row_step + b->row_reach) *
           (((cols - 1) * b->col_step + reach) * b->pixel_pitch + b->edge_bytes) * b->row_planes;
}
