/* texpands: copies of a scalar to every element of the fill domain, as an element-wise kernel, or as a dynamic fill
 * where the call gives the domain's size (PTO ISA TEXPANDS). */
#include "frontend/ops/texpands.h"
#include "codegen/loops/dynamic_fill.h"
#include "codegen/loops/elementwise.h"
#include "frontend/layout/tile.h"

/* From one index to the next block, and within a block. */
static aic_blocked_stride stride_of(const aic_tile *tile, bool column, int64_t size)
{
    const int64_t block = column ? tile->inner_cols : tile->inner_rows;
    const int64_t outer = aic_tile_index(tile, column ? 0 : block, column ? block : 0);
    const int64_t inner = aic_tile_index(tile, !column, column);
    return (aic_blocked_stride){block, outer * size, block > 1 ? inner * size : 0};
}

/* The boxes of a move whose input stands still. A tile without a region, such as one for convolutions, is canonically
 * one with: a row. */
static void describe_region(aic_move *move, const aic_texpands_desc *d, int64_t size)
{
    const aic_tile tile = aic_tile_of(d);
    const aic_blocked_stride still = {1, 0, 0};
    const aic_move_axis dims[] = {{d->v_row, stride_of(&tile, false, size), still, false},
                                  {d->v_col, stride_of(&tile, true, size), still, false}};
    aic_move_describe(move, (unsigned)size, dims, sizeof dims / sizeof *dims);
}

static aic_dynamic_fill_dim region_dim(const aic_texpands_desc *d, const aic_tile *tile, bool column, int64_t size)
{
    const int64_t valid = column ? d->v_col : d->v_row, all = column ? d->cols : d->rows;
    const bool dynamic = valid == AIC_DYNAMIC;
    return (aic_dynamic_fill_dim){.size = dynamic ? all : valid,
                                  .operand = !dynamic ? 0
                                             : column ? AIC_TEXPANDS_V_COL
                                                      : AIC_TEXPANDS_V_ROW,
                                  .stride = stride_of(tile, column, size)};
}

static void describe_dynamic(aic_dynamic_fill *fill, const aic_texpands_desc *d)
{
    const aic_tile tile = aic_tile_of(d);
    const int64_t size = (int64_t)aic_dtype_size(d->dtype);
    const bool along_rows = d->slayout == AIC_SLAYOUT_COL_MAJOR; /* boxes are dense along their rows' index */
    const bool literal = d->literal != AIC_NOT_GIVEN;
    *fill = (aic_dynamic_fill){.size = (unsigned)size,
                               .is_constant = literal,
                               .value = literal ? (uint32_t)d->literal : 0,
                               .slow = region_dim(d, &tile, along_rows, size),
                               .fast = region_dim(d, &tile, !along_rows, size),
                               .operands = AIC_DYNAMIC_FILL_OPERANDS};
}

_Static_assert((int)AIC_MOVE_BOXES <= (int)AIC_ELEMENTWISE_BOXES,
               "an element-wise kernel has room for the boxes of a move");

static void describe(const void *desc, const aic_semantics *semantics, aic_work *work)
{
    (void)semantics;
    const aic_texpands_desc *d = desc;
    const int64_t size = (int64_t)aic_dtype_size(d->dtype);
    const bool literal = d->literal != AIC_NOT_GIVEN;
    if (d->v_row == 0 || d->v_col == 0) {
        aic_work_empty(work);
        return;
    }
    if (aic_texpands_is_dynamic(d)) {
        describe_dynamic(aic_dynamic_fill_begin(work), d);
        return;
    }
    describe_region(aic_move_begin(work), d, size);
    aic_elementwise *elementwise = aic_elementwise_begin_with_move(work);
    elementwise->size = (unsigned)size;
    elementwise->value =
        (aic_elementwise_value){.op = AIC_ELEMENTWISE_COPY, .a = {.is_constant = literal, .constant = d->literal}};
    elementwise->value.a.bits = elementwise->value.out.bits = 8 * elementwise->size;
    elementwise->operands = 2;
    elementwise->operand[AIC_ELEMENTWISE_A] = AIC_TEXPANDS_SCALAR;
    for (unsigned i = 0; i < elementwise->boxes; i++) {
        elementwise->box[i].reads[AIC_ELEMENTWISE_A] = !literal;
    }
}

const aic_generator aic_generator_texpands = {.describe = describe};
