/* The result of a specification as a tensor: under which name the next operator knows the layout in which it lies. */
#include "frontend/core/diag.h"
#include "frontend/core/spec.h"
#include "frontend/ops/conv2d.h"
#include "frontend/ops/fixpipe.h"

#include <string.h>

enum { BLOCK_ROW_BYTES = 32 }; /* dstStride of NZ counts these */

/* What a producer's accumulators are: rows of `columns` columns; the rows of conv2d are pixels. */
typedef struct producer {
    bool is_image;
    int64_t height, width, rows, columns;
} producer;

static aic_result_layout layout_of(aic_layout layout, int32_t rank, const int64_t *shape)
{
    aic_result_layout result = {.layout = layout, .rank = rank, .name = aic_enum_word(AIC_KIND_LAYOUT, layout)};
    memcpy(result.shape, shape, (size_t)rank * sizeof *shape);
    return result;
}

/* Blocks of `width` columns, side by side. */
static aic_result_layout blocks(const producer *p, int64_t columns, int64_t width)
{
    return p->is_image
               ? layout_of(AIC_LAYOUT_NC1HWC0, 5, (const int64_t[]){1, columns / width, p->height, p->width, width})
               : layout_of(AIC_LAYOUT_NZ, 3, (const int64_t[]){columns / width, p->rows, width});
}

static aic_result_layout rows(const producer *p, int64_t columns)
{
    return p->is_image ? layout_of(AIC_LAYOUT_NHWC, 4, (const int64_t[]){1, p->height, p->width, columns})
                       : layout_of(AIC_LAYOUT_ND, 2, (const int64_t[]){p->rows, columns});
}

static aic_status refuse(const char *why)
{
    return aic_fail(AIC_UNSUPPORTED, "dst", "its layout has no name: %s", why);
}

static aic_status of_fixpipe(const producer *p, const aic_fixpipe_desc *f, aic_result_layout *result)
{
    const aic_fixpipe_strides to = aic_fixpipe_strides_of(f);
    const int64_t size = (int64_t)aic_dtype_size(f->dst), width = f->nSize > to.tail ? to.width : to.tail; /* of NZ */
    if (f->mSize != p->rows) {
        return refuse("fixpipe stores a part of the rows");
    }
    if (f->format == AIC_FORMAT_ROW_MAJOR) {
        if (f->ndNum != 1 || (f->dstStride != f->nSize && p->rows > 1)) {
            return refuse("there are gaps between its rows, or several matrices");
        }
        *result = rows(p, f->nSize);
        return AIC_OK;
    }
    const int64_t columns = f->fill_block ? (f->nSize + width - 1) / width * width : f->nSize;
    if (columns % width != 0) {
        return refuse("its last block has fewer columns than the others");
    }
    if (f->nSize > width && f->dstStride * BLOCK_ROW_BYTES != f->mSize * width * size) {
        return refuse("there are gaps between its blocks");
    }
    *result = blocks(p, columns, width);
    return AIC_OK;
}

static aic_status of_tik_fixpipe(const producer *p, const aic_tik_fixpipe_desc *f, aic_result_layout *result)
{
    enum { ROW_LENGTH = 2, BLOCK = 16 }; /* of burst_len in a row of the source */
    if (f->burst_len != p->rows * ROW_LENGTH) {
        return refuse("tik_fixpipe stores a part of the rows");
    }
    if (f->cburst_num > 1 && f->dst_stride != 0) {
        return refuse("there are gaps between its blocks");
    }
    *result = blocks(p, f->cburst_num * BLOCK, BLOCK);
    return AIC_OK;
}

/* An operator alone, or one whose accumulators are the result. */
static aic_status of_producer(const aic_stage *stage, const producer *p, aic_result_layout *result)
{
    enum { BLOCK = 16 };
    if (stage->op == AIC_OP_MMAD && stage->desc.mmad.c_format == AIC_LAYOUT_ND) {
        *result = rows(p, p->columns);
        return AIC_OK;
    }
    if (p->rows % BLOCK != 0 || p->columns % BLOCK != 0) {
        return refuse("its rows and columns are rounded up to blocks of 16");
    }
    *result = blocks(p, p->columns, BLOCK);
    return AIC_OK;
}

aic_status aic_spec_result_layout(const aic_spec *spec, const aic_semantics *semantics, aic_result_layout *result)
{
    aic_spec resolved;
    producer p = {.is_image = false};
    aic_result_layout made = {.size = sizeof made};
    aic_status status = aic_spec_resolve(spec, semantics, &resolved);
    status = status == AIC_OK ? aic_structure_check("result", result, sizeof made) : status;
    if (status != AIC_OK) {
        return status;
    }
    const aic_stage *first = &resolved.stage[0], *last = &resolved.stage[resolved.count - 1];
    if (first->op == AIC_OP_CONV2D) {
        const aic_conv2d_sizes s = aic_conv2d_sizes_of(&first->desc.conv2d);
        p = (producer){.is_image = true, .height = s.ho, .width = s.wo, .rows = s.howo, .columns = s.cout};
    } else if (first->op == AIC_OP_MMAD) {
        p = (producer){.rows = first->desc.mmad.m, .columns = first->desc.mmad.n};
    } else {
        return refuse("the first operator is neither conv2d nor mmad");
    }
    status = last->op == AIC_OP_FIXPIPE       ? of_fixpipe(&p, &last->desc.fixpipe, &made)
             : last->op == AIC_OP_TIK_FIXPIPE ? of_tik_fixpipe(&p, &last->desc.tik_fixpipe, &made)
                                              : of_producer(first, &p, &made);
    return status == AIC_OK ? aic_structure_give("result", result, &made, sizeof made) : status;
}
