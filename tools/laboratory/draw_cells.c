/* What the cells of a picture are: padding, and what one result is made from. */
#include "tools/harness/stages.h"
#include "tools/laboratory/draw.h"

#include "tools/harness/operand_text.h"

#include <string.h>

/* ---- indices by name ---- */

/* An index that one axis has, or two: blocks and the index in a block. */
typedef struct named {
    const char *outer, *inner; /* outer NULL: one axis */
} named;

/* The index, -1 where the operand has none of these. */
static int64_t index_of(const aic_coordinates *c, const int64_t *at, const named *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const int32_t inner = coordinates_axis(c, names[i].inner);
        const int32_t outer = names[i].outer == NULL ? -1 : coordinates_axis(c, names[i].outer);
        if (inner >= 0 && names[i].outer == NULL) {
            return at[inner];
        }
        if (inner >= 0 && outer >= 0) {
            return at[outer] * c->axis[inner].size + at[inner];
        }
    }
    return -1;
}

#define INDEX_OF(c, at, ...)                                                                                           \
    index_of(c, at, (const named[]){__VA_ARGS__}, sizeof((const named[]){__VA_ARGS__}) / sizeof(named))

/* Of a result or accumulators as a matrix; of conv2d rows are pixels and columns channels. */
static int64_t row_of(const aic_coordinates *c, const int64_t *at)
{
    return INDEX_OF(c, at, {NULL, "howo"}, {NULL, "row"}, {NULL, "m"}, {"M1", "m0"}, {NULL, "H"});
}

static int64_t column_of(const aic_coordinates *c, const int64_t *at)
{
    return INDEX_OF(c, at, {"Cout/16", "Cout%16"}, {"C1", "C0"}, {NULL, "n"}, {"N1", "n0"}, {"burst", "column"},
                    {NULL, "column"}, {NULL, "Cout"}, {"C", "W"});
}

/* ---- padding ---- */

static bool is_outside(const aic_coordinates *c, const int64_t *at, const char *outer, const char *inner, int64_t size)
{
    return INDEX_OF(c, at, {outer, inner}) >= size;
}

static bool is_padding_of_mmad(const aic_mmad_desc *desc, const aic_coordinates *c, const int64_t *at)
{
    return is_outside(c, at, "M1", "m0", desc->m) || is_outside(c, at, "K1", "k0", desc->k) ||
           is_outside(c, at, "N1", "n0", desc->n);
}

/* The letters of transdata's shape: those of the operand without blocks, else the tensor's own. */
static const char *letters_of(const aic_transdata_desc *desc)
{
    static const char *const plain[] = {
        [AIC_LAYOUT_ND] = "RC",     [AIC_LAYOUT_NCHW] = "NCHW", [AIC_LAYOUT_NHWC] = "NHWC",
        [AIC_LAYOUT_OIHW] = "OIHW", [AIC_LAYOUT_HWIO] = "HWIO",
    };
    static const char *const own[] = {
        [AIC_LAYOUT_NZ] = "RC",   [AIC_LAYOUT_ZZ] = "RC",        [AIC_LAYOUT_ZN] = "RC",
        [AIC_LAYOUT_NN] = "RC",   [AIC_LAYOUT_NC1HWC0] = "NCHW", [AIC_LAYOUT_FRACTAL_Z] = "OIHW",
        [AIC_LAYOUT_4N] = "NCHW", [AIC_LAYOUT_2N] = "NCHW",
    };
    const size_t plains = sizeof plain / sizeof plain[0], src = (size_t)desc->src, dst = (size_t)desc->dst;
    if (src < plains && plain[src] != NULL) {
        return plain[src];
    }
    return dst < plains && plain[dst] != NULL ? plain[dst] : own[src];
}

static bool is_padding_of_transdata(const aic_transdata_desc *desc, const aic_coordinates *c, const int64_t *at)
{
    static const struct {
        char letter;
        named index;
    } blocked[] = {{'R', {"R1", "r0"}},   {'C', {"C1", "c0"}},   {'C', {"C1", "C0"}},  {'I', {"C1", "C0"}},
                   {'O', {NULL, "Cout"}}, {'N', {"N/4", "N%4"}}, {'N', {"N/2", "N%2"}}};
    const char *letters = letters_of(desc);
    for (size_t i = 0; i < sizeof blocked / sizeof blocked[0]; i++) {
        const char *letter = strchr(letters, blocked[i].letter);
        if (letter != NULL && index_of(c, at, &blocked[i].index, 1) >= desc->shape[letter - letters]) {
            return true;
        }
    }
    return false;
}

bool draw_is_padding(const drawing *d, size_t operand, const int64_t *at, int64_t element)
{
    const aic_coordinates *c = &d->operands->items[operand].coordinates;
    const stage_desc stage = stage_of(d->spec, 0), *first = &stage;
    if (operand == d->result && d->written != NULL && d->written[element] == 0) {
        return true;
    }
    if (first->op == AIC_OP_MMAD && (operand != d->result || aic_spec_stages(d->spec) == 1)) {
        return is_padding_of_mmad(&first->desc.mmad, c, at);
    }
    return first->op == AIC_OP_TRANSDATA && is_padding_of_transdata(&first->desc.transdata, c, at);
}

/* ---- what one result is made from ---- */

bool draw_point(drawing *d, int64_t element)
{
    const aic_coordinates *c = &d->operands->items[d->result].coordinates;
    int64_t at[AIC_AXES_MAX];
    const aic_op op = aic_spec_stage_op(d->spec, 0);
    d->element = element;
    d->row = d->column = -1;
    if (aic_coordinates_find(c, element, at)) {
        d->row = row_of(c, at);
        d->column = column_of(c, at);
    }
    return d->row >= 0 && d->column >= 0 && (op == AIC_OP_CONV2D || op == AIC_OP_MMAD);
}

/* Whether a window that begins at `start` reads index `at`, at steps of the dilation. */
static bool in_window(int64_t at, int64_t start, int64_t count, int64_t dilation)
{
    const int64_t offset = at - start;
    return offset >= 0 && offset % dilation == 0 && offset / dilation < count;
}

static bool conv2d_reads(const drawing *d, const char *name, const int64_t *at)
{
    enum { C1 = 0, H = 1, W = 2, COUT = 3, C0 = 3 };
    const stage_desc stage = stage_of(d->spec, 0);
    const aic_conv2d_desc *desc = &stage.desc.conv2d;
    const int64_t kh = desc->kernel_shape[1], kw = desc->kernel_shape[2];
    const int64_t free_w = desc->fm_shape[2] + desc->pad[0] + desc->pad[1] - ((kw - 1) * desc->dilation[1] + 1);
    const int64_t wo = free_w / desc->stride[1] + 1;
    if (strcmp(name, "weight") == 0) {
        return at[COUT] == d->column;
    }
    const int64_t groups = desc->groups, channel = at[C1] * desc->fm_shape[3] + at[C0];
    const int64_t inputs = desc->fm_shape[0] * desc->fm_shape[3] / groups, outputs = desc->kernel_shape[3] / groups;
    return channel / inputs == d->column / outputs &&
           in_window(at[H], d->row / wo * desc->stride[0] - desc->pad[2], kh, desc->dilation[0]) &&
           in_window(at[W], d->row % wo * desc->stride[1] - desc->pad[0], kw, desc->dilation[1]);
}

static bool mmad_reads(const drawing *d, const aic_coordinates *c, const char *name, const int64_t *at)
{
    if (strcmp(name, "a") == 0) { /* the vector form has one row */
        const int64_t row = row_of(c, at);
        return row < 0 || row == d->row;
    }
    return column_of(c, at) == d->column;
}

bool draw_is_used(const drawing *d, size_t operand, const int64_t *at, int64_t element)
{
    const cli_operand *o = &d->operands->items[operand];
    const aic_coordinates *c = &o->coordinates;
    const char *name = o->operand.name;
    if (d->element < 0 || (operand == d->result && element == d->element)) {
        return d->element >= 0;
    }
    if (d->reads[operand] != NULL || operand == d->result) {
        return d->reads[operand] != NULL && d->reads[operand][element] != 0;
    }
    if (strcmp(name, "feature_map") == 0 || strcmp(name, "weight") == 0) {
        return conv2d_reads(d, name, at);
    }
    if (strcmp(name, "a") == 0 || strcmp(name, "b") == 0) {
        return mmad_reads(d, c, name, at) && !draw_is_padding(d, operand, at, element);
    }
    const int64_t row = row_of(c, at); /* l1out, words, bias, other inputs: of some all rows are one */
    const int32_t height = coordinates_axis(c, "H");
    const bool all_rows = row < 0 || (height >= 0 && c->axis[height].size == 1);
    return (all_rows || row == d->row) && column_of(c, at) == d->column;
}
