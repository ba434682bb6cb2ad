/* PTO tiles; see tile.h. */
#include "frontend/layout/tile.h"

#include "frontend/core/rule.h"
#include "frontend/core/size.h"

#include <inttypes.h>

enum { SIXTEEN = 16, BLOCK_BYTES = 32, FRACTAL_SMALL = 512, FRACTAL_LARGE = 1024 };

aic_tile aic_tile_of(const aic_texpands_desc *desc)
{
    const int64_t narrow =
        desc->fractal == FRACTAL_LARGE ? SIXTEEN : BLOCK_BYTES / (int64_t)aic_dtype_size(desc->dtype);
    aic_tile tile = {.rows = desc->rows,
                     .cols = desc->cols,
                     .inner_rows = 1,
                     .inner_cols = 1,
                     .blayout = desc->blayout,
                     .slayout = desc->slayout};
    if (desc->slayout == AIC_SLAYOUT_ROW_MAJOR) {
        tile.inner_rows = SIXTEEN;
        tile.inner_cols = narrow;
    } else if (desc->slayout == AIC_SLAYOUT_COL_MAJOR) {
        tile.inner_rows = narrow;
        tile.inner_cols = SIXTEEN;
    }
    return tile;
}

int64_t aic_tile_index(const aic_tile *tile, int64_t row, int64_t col)
{
    const int64_t IR = tile->inner_rows, IC = tile->inner_cols;
    const int64_t r1 = row / IR, r0 = row % IR, c1 = col / IC, c0 = col % IC;
    const int64_t inner = tile->slayout == AIC_SLAYOUT_COL_MAJOR ? c0 * IR + r0 : r0 * IC + c0;
    if (tile->blayout == AIC_BLAYOUT_ROW_MAJOR) {
        return r1 * tile->cols * IR + c1 * IR * IC + inner;
    }
    return c1 * tile->rows * IC + r1 * IR * IC + inner;
}

/* ---- rules ---- */

/* Without boxes: whole rows, or columns, have a multiple of 32 bytes. */
static void check_line(aic_verdict *v, int rule, const aic_texpands_desc *desc)
{
    const bool by_row = desc->blayout == AIC_BLAYOUT_ROW_MAJOR;
    const int64_t length = by_row ? desc->cols : desc->rows, size = (int64_t)aic_dtype_size(desc->dtype);
    if (length % (BLOCK_BYTES / size) != 0) {
        aic_break(v, rule, "%s: %" PRId64 " elements of %s, %" PRId64 " bytes, are not a multiple of %d bytes",
                  by_row ? "cols" : "rows", length, aic_dtype_name(desc->dtype), aic_size_multiply(length, size),
                  BLOCK_BYTES);
    }
}

static void check_box(aic_verdict *v, int rule, const char *field, int64_t value, int64_t inner)
{
    if (value % inner != 0) {
        aic_break(v, rule, "%s: %" PRId64 " is not a multiple of the box's %" PRId64, field, value, inner);
    }
}

void aic_tile_check(aic_verdict *v, const aic_tile_rules *rules, const aic_texpands_desc *desc, bool sized)
{
    const bool known = aic_rule_enum(v, rules->slayout, "slayout", AIC_KIND_SLAYOUT, desc->slayout);
    const bool boxed = desc->fractal == FRACTAL_SMALL || desc->fractal == FRACTAL_LARGE;
    if (!boxed) {
        aic_break(v, rules->fractal, "fractal: %" PRId64 " is not %d or %d", desc->fractal, FRACTAL_SMALL,
                  FRACTAL_LARGE);
    }
    if (!sized || !known || !boxed) {
        return;
    }
    if (desc->slayout == AIC_SLAYOUT_NONE_BOX) {
        check_line(v, rules->line, desc);
    } else {
        const aic_tile tile = aic_tile_of(desc);
        check_box(v, rules->box, "rows", tile.rows, tile.inner_rows);
        check_box(v, rules->box, "cols", tile.cols, tile.inner_cols);
    }
}

int64_t aic_tile_capacity(const aic_semantics *semantics, aic_chip arch, aic_loc loc)
{
    const int64_t given = loc == AIC_LOC_VEC ? semantics->ub_bytes : semantics->l1_bytes;
    enum { KIB = 1024 };
    static const int64_t kib[][2] = {
        [AIC_CHIP_A2A3] = {[AIC_LOC_VEC] = 192, [AIC_LOC_MAT] = 512},
        [AIC_CHIP_A5] = {[AIC_LOC_VEC] = 256, [AIC_LOC_MAT] = 512},
    };
    return given != 0 ? given : kib[arch][loc] * KIB;
}
