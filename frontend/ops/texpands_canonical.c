/* What the code of texpands depends on: the one form of all descriptors of a kernel (PTO ISA TEXPANDS).
 */
#include "frontend/ops/texpands.h"

#include "frontend/layout/fractal.h"
#include "frontend/layout/tile.h"

void aic_texpands_unplace(aic_texpands_desc *desc)
{
    desc->manual = false;
    desc->address = AIC_NOT_GIVEN;
    desc->pad = AIC_PAD_NULL;
}

/* Whether nothing is filled, whatever the call gives. */
static bool is_empty(const aic_texpands_desc *desc)
{
    return aic_texpands_has_region(desc) && (desc->v_row == 0 || desc->v_col == 0);
}

/* ---- boxes ---- */

enum { SMALL = 512, LARGE = 1024 }; /* bytes of a box */

/* How many indices a valid size has at most. */
static int64_t most(int64_t valid, int64_t all)
{
    return valid == AIC_DYNAMIC ? all : valid;
}

/* Whether both put every element of the region at the same address. An address is the sum of what row and column add,
 * and boxes have 8, 16 or 32 elements on a side: as with layouts (transdata), it is enough to compare the powers of two
 * up to 32. */
static bool same_addresses(const aic_texpands_desc *desc, const aic_texpands_desc *other)
{
    enum { BOX_MAX = 32 };
    const aic_tile a = aic_tile_of(desc), b = aic_tile_of(other);
    const int64_t rows = most(desc->v_row, desc->rows), cols = most(desc->v_col, desc->cols);
    bool same = true;
    for (int64_t i = 1; i <= BOX_MAX; i *= 2) {
        same = same && (i >= rows || aic_tile_index(&a, i, 0) == aic_tile_index(&b, i, 0));
        same = same && (i >= cols || aic_tile_index(&a, 0, i) == aic_tile_index(&b, 0, i));
    }
    return same;
}

/* The first kind of boxes, none before all, that puts the region where the tile's own kind does. */
static void canonicalise_boxes(aic_texpands_desc *desc)
{
    static const struct {
        aic_slayout slayout;
        int64_t fractal;
    } kinds[] = {{AIC_SLAYOUT_NONE_BOX, SMALL},
                 {AIC_SLAYOUT_ROW_MAJOR, SMALL},
                 {AIC_SLAYOUT_COL_MAJOR, SMALL},
                 {AIC_SLAYOUT_ROW_MAJOR, LARGE},
                 {AIC_SLAYOUT_COL_MAJOR, LARGE}};
    aic_texpands_desc other = *desc;
    size_t i = 0;
    do { /* the tile's own is among them */
        other.slayout = kinds[i].slayout;
        other.fractal = kinds[i].fractal;
        i++;
    } while (!is_empty(desc) && !same_addresses(desc, &other));
    *desc = other;
}

/* Boxes that are filled as a whole, in whatever order: a row of them is a row of elements. */
static void flatten_boxes(aic_texpands_desc *desc)
{
    const aic_tile tile = aic_tile_of(desc);
    if (desc->v_row % tile.inner_rows == 0 && desc->v_col % tile.inner_cols == 0) {
        desc->slayout = AIC_SLAYOUT_NONE_BOX;
        desc->fractal = SMALL;
        desc->rows /= tile.inner_rows;
        desc->v_row /= tile.inner_rows;
        desc->cols *= tile.inner_rows;
        desc->v_col *= tile.inner_rows;
    }
}

/* ---- rows ---- */

/* Whether the elements that are filled are the first of the storage, one after the other; its boxes are canonical. */
static bool is_prefix(const aic_texpands_desc *desc)
{
    const bool all = desc->v_row == desc->rows && desc->v_col == desc->cols;
    const bool whole_rows = desc->v_col == desc->cols || desc->v_row == 1;
    return !aic_texpands_has_region(desc) || all || is_empty(desc) ||
           (desc->slayout == AIC_SLAYOUT_NONE_BOX && whole_rows);
}

/* A tile of one row, whose first elements are filled. */
static void make_row(aic_texpands_desc *desc)
{
    const bool region = aic_texpands_has_region(desc);
    aic_texpands_desc row = aic_texpands_desc_init();
    row.dtype = desc->dtype;
    row.rows = row.v_row = 1;
    row.cols = aic_texpands_storage(desc);
    row.v_col = region ? desc->v_row * desc->v_col : aic_texpands_filled(desc);
    row.literal = desc->literal;
    *desc = row;
}

/* The caller's memory is the tile, wherever the text puts it; padding is never written. What the scalar's bits mean
 * does not count. A size that the call gives is judged by that of the tile, which then stays. */
void aic_texpands_canonicalise(void *descriptor, const aic_semantics *semantics)
{
    (void)semantics;
    aic_texpands_desc *desc = descriptor;
    aic_texpands_unplace(desc);
    desc->arch = AIC_CHIP_A5;
    desc->dtype = aic_moved_dtype(desc->dtype);
    if (is_empty(desc) && desc->literal != AIC_NOT_GIVEN) {
        desc->literal = 0;
    }
    if (aic_texpands_has_region(desc)) {
        canonicalise_boxes(desc);
    }
    if (aic_texpands_has_region(desc) && !aic_texpands_is_dynamic(desc)) {
        flatten_boxes(desc);
    }
    if (!aic_texpands_is_dynamic(desc) && is_prefix(desc)) {
        make_row(desc);
    }
}
