/* A tile of a contraction as a use of a part: its key and its numbers. */
#include "codegen/contraction/microkernel.h"
#include "codegen/parts/tile.h"

int64_t aic_tile_band_offset(const aic_tiling *t, int64_t cols, unsigned pixel)
{
    return (int64_t)pixel / cols * t->row_step * t->row_pitch + (int64_t)pixel % cols * t->col_step * t->pixel_pitch;
}

int64_t aic_tile_out_offset(const aic_contraction *c, const aic_tiling *t, int64_t cols, unsigned pixel,
                            unsigned vector)
{
    const int64_t row_bytes = AIC_BLOCK_COLUMNS * AIC_SUM_BYTES;
    int64_t channel = (int64_t)vector * t->lanes, pitch = t->staging_pitch, p = pixel;
    if (pitch == 0) {
        pitch = c->block_rows * row_bytes;
        p = (int64_t)pixel / cols * c->ow + (int64_t)pixel % cols;
    }
    return channel / AIC_BLOCK_COLUMNS * pitch + p * row_bytes + channel % AIC_BLOCK_COLUMNS * AIC_SUM_BYTES;
}

/* Blocks of channels whose sums are formed one after the other. */
static int64_t blocks_of(const aic_contraction *c, const aic_tiling *t)
{
    return t->arithmetic.sum == AIC_SUM_CUBE ? c->c1 : 1;
}

/* The only place that knows which fields of a tiling are structure. */
static aic_tile_key key_of(const aic_contraction *c, const aic_tiling *t, int64_t pixels)
{
    const aic_arithmetic *a = &t->arithmetic;
    return (aic_tile_key){.sum = a->sum,
                          .product = a->product,
                          .kpack_bytes = a->kpack_bytes,
                          .kpack_channels = a->kpack_channels,
                          .image_offset = a->image_offset,
                          .lanes = t->lanes,
                          .vectors = t->vectors,
                          .pixels = pixels,
                          .unroll = t->unroll,
                          .ahead = t->ahead,
                          .accumulate = t->accumulate,
                          .start_row = t->accumulate && c->start_channel,
                          .staged = t->staging_pitch != 0,
                          .skips_rows = t->skips_rows,
                          .skips_columns = t->skips_columns,
                          .notes_weights = t->notes_weights,
                          .one_kpack = t->kpacks / blocks_of(c, t) == t->unroll,
                          .one_tap = t->taps == 1,
                          .one_block = blocks_of(c, t) == 1,
                          .block_taps = t->block_taps >= t->taps ? 0 : t->block_taps};
}

/* Where pixels and blocks of channels lie. */
static void give_offsets(aic_use *use, const aic_tile_key *key, const aic_contraction *c, const aic_tiling *t,
                         int64_t cols)
{
    for (unsigned pixel = 1; pixel < key->pixels; pixel++) {
        aic_use_number(use, aic_tile_band_offset(t, cols, pixel), "pixel.%u", pixel);
        if (!key->staged) {
            aic_use_number(use, aic_tile_out_offset(c, t, cols, pixel, 0), "out.%u", pixel);
        }
    }
    for (unsigned vector = 1; vector < key->vectors; vector++) {
        const unsigned channel = vector * t->lanes;
        if (channel % AIC_BLOCK_COLUMNS == 0) {
            aic_use_number(use, aic_tile_out_offset(c, t, cols, 0, vector), "out.block.%u",
                           channel / AIC_BLOCK_COLUMNS);
        }
    }
}

static void give_counts(aic_use *use, const aic_tile_key *key, const aic_contraction *c, const aic_tiling *t)
{
    const int64_t blocks = blocks_of(c, t), kpacks = t->kpacks / blocks;
    if (!key->one_kpack) {
        aic_use_trips(use, kpacks, "kpacks");
    }
    if (!key->one_tap) {
        aic_use_trips(use, t->taps, "taps");
    }
    if (!key->one_block) {
        aic_use_trips(use, blocks, "blocks");
    }
    aic_use_number(use, kpacks * t->arithmetic.kpack_bytes, "block.pitch");
    if (aic_tile_skips(key)) {
        aic_use_number(use, t->taps * kpacks * t->step_bytes, "block.panel");
        aic_use_number(use, kpacks * t->step_bytes, "tap.panel");
        aic_use_number(use, t->start_bytes, "panel.start");
        aic_use_number(use, c->kh, "kh");
        aic_use_number(use, c->kw, "kw");
        aic_use_number(use, aic_start_columns(c, t), "start.columns");
    }
}

LLVMValueRef aic_emit_vector_tile(aic_emit *e, const aic_contraction *c, const aic_tiling *t, int64_t rows,
                                  int64_t cols, LLVMValueRef leave, const char *name)
{
    (void)leave;
    const aic_tile_key key = key_of(c, t, rows * cols);
    aic_use use;
    aic_use_begin(&use, &aic_part_tile, &key, 4, 0);
    give_offsets(&use, &key, c, t, cols);
    give_counts(&use, &key, c, t);
    return aic_emit_use(e, &use, name);
}
