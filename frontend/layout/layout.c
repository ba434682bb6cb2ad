/* The layouts of transdata; see layout.h. The formulas are those of the documents on data layouts. */
#include "frontend/layout/layout.h"

#include "frontend/core/size.h"
#include "frontend/layout/fractal.h"

#include <string.h>

enum { SIXTEEN = 16 };

static const char matrix[] = "RC", features[] = "NCHW", weights[] = "OIHW";

static const aic_layout_info layouts[] = {
    [AIC_LAYOUT_ND] = {matrix, "RC", false, 0, {{0}}},
    [AIC_LAYOUT_NZ] = {matrix, "CRrc", true, 0, {{'r', AIC_BLOCK_SIXTEEN}, {'c', AIC_BLOCK_ROW}}},
    [AIC_LAYOUT_ZZ] = {matrix, "RCrc", true, 0, {{'r', AIC_BLOCK_SIXTEEN}, {'c', AIC_BLOCK_ROW}}},
    [AIC_LAYOUT_ZN] = {matrix, "RCcr", true, 0, {{'r', AIC_BLOCK_ROW}, {'c', AIC_BLOCK_SIXTEEN}}},
    [AIC_LAYOUT_NN] = {matrix, "CRcr", true, 0, {{'r', AIC_BLOCK_ROW}, {'c', AIC_BLOCK_SIXTEEN}}},
    [AIC_LAYOUT_NCHW] = {features, "NCHW", false, 0, {{0}}},
    [AIC_LAYOUT_NHWC] = {features, "NHWC", false, 0, {{0}}},
    [AIC_LAYOUT_NC1HWC0] = {features, "NCHWc", true, 0, {{'c', AIC_BLOCK_ROW}}},
    [AIC_LAYOUT_OIHW] = {weights, "OIHW", false, 0, {{0}}},
    [AIC_LAYOUT_HWIO] = {weights, "HWIO", false, 0, {{0}}},
    [AIC_LAYOUT_FRACTAL_Z] = {weights, "IHWOoi", true, 0, {{'o', AIC_BLOCK_SIXTEEN}, {'i', AIC_BLOCK_ROW}}},
    [AIC_LAYOUT_4N] = {features, "NCHWn", false, 1, {{'n', AIC_BLOCK_WORD}}},
    [AIC_LAYOUT_2N] = {features, "NCHWn", false, 2, {{'n', AIC_BLOCK_WORD}}},
};

const aic_layout_info *aic_layout_get(aic_layout layout)
{
    return (size_t)layout < sizeof layouts / sizeof layouts[0] ? &layouts[layout] : NULL;
}

bool aic_layout_takes(aic_layout layout, aic_dtype dtype)
{
    const size_t word_bytes = layouts[layout].word_bytes;
    return word_bytes == 0 || word_bytes == aic_dtype_size(dtype);
}

bool aic_layout_pair(aic_layout src, aic_layout dst)
{
    const bool from_words = layouts[src].word_bytes != 0, to_words = layouts[dst].word_bytes != 0;
    return src == dst || (layouts[src].tensor == layouts[dst].tensor && (!from_words || dst == AIC_LAYOUT_NCHW) &&
                          (!to_words || src == AIC_LAYOUT_NCHW));
}

static char small(char letter)
{
    return (char)(letter - 'A' + 'a');
}

/* Elements of a block along this dimension; 1: the layout has none. */
static int64_t block_of(const aic_layout_info *layout, const aic_tensor *t, char letter)
{
    const int64_t lengths[] = {[AIC_BLOCK_SIXTEEN] = SIXTEEN, [AIC_BLOCK_ROW] = t->c0, [AIC_BLOCK_WORD] = t->word};
    for (int i = 0; i < 2; i++) {
        if (layout->blocked[i].letter == small(letter)) {
            return lengths[layout->blocked[i].length];
        }
    }
    return 1;
}

/* The channels of a kernel's outputs are one dimension, of whole blocks, as conv2d has them. */
int32_t aic_layout_dims(aic_layout layout, const aic_tensor *t, int64_t dims[AIC_RANK_MAX])
{
    const aic_layout_info *l = &layouts[layout];
    int32_t rank = 0;
    for (const char *axis = l->axes; *axis != '\0'; axis++) {
        for (int d = 0; l->tensor[d] != '\0'; d++) {
            const int64_t block = block_of(l, t, l->tensor[d]);
            if (*axis == l->tensor[d]) {
                dims[rank++] = aic_size_blocks(t->size[d], block);
            } else if (*axis == 'o' && l->tensor[d] == 'O') {
                dims[rank - 1] *= block;
            } else if (*axis == small(l->tensor[d])) {
                dims[rank++] = block;
            }
        }
    }
    return rank;
}

void aic_layout_strides(aic_layout layout, const aic_tensor *t, aic_layout_stride strides[AIC_TENSOR_RANK_MAX])
{
    const aic_layout_info *l = &layouts[layout];
    int64_t stride = 1;
    for (int d = 0; d < AIC_TENSOR_RANK_MAX; d++) {
        strides[d] = (aic_layout_stride){.block = 1};
    }
    for (size_t i = strlen(l->axes); i-- > 0;) {
        for (int d = 0; l->tensor[d] != '\0'; d++) {
            strides[d].block = block_of(l, t, l->tensor[d]);
            if (l->axes[i] == small(l->tensor[d])) {
                strides[d].inner = stride;
                stride *= strides[d].block;
            } else if (l->axes[i] == l->tensor[d]) {
                strides[d].outer = stride;
                stride *= aic_size_blocks(t->size[d], strides[d].block);
            }
        }
    }
}

void aic_layout_indices(aic_layout layout, const aic_tensor *t, int64_t cell, int64_t at[AIC_TENSOR_RANK_MAX])
{
    const aic_layout_info *l = &layouts[layout];
    memset(at, 0, AIC_TENSOR_RANK_MAX * sizeof at[0]);
    for (size_t i = strlen(l->axes); i-- > 0;) {
        for (int d = 0; l->tensor[d] != '\0'; d++) {
            const int64_t block = block_of(l, t, l->tensor[d]), blocks = aic_size_blocks(t->size[d], block);
            if (l->axes[i] == small(l->tensor[d])) {
                at[d] += cell % block;
                cell /= block;
            } else if (l->axes[i] == l->tensor[d]) {
                at[d] += cell % blocks * block;
                cell /= blocks;
            }
        }
    }
}

static bool has_blocks(aic_layout layout)
{
    return layouts[layout].blocked[0].letter != 0;
}

const char *aic_layout_shape_letters(aic_layout src, aic_layout dst)
{
    return !has_blocks(src) ? layouts[src].axes : !has_blocks(dst) ? layouts[dst].axes : layouts[src].tensor;
}

aic_tensor aic_transdata_tensor(const aic_transdata_desc *desc)
{
    const char *letters = aic_layout_shape_letters(desc->src, desc->dst);
    const char *tensor = layouts[desc->src].tensor;
    aic_tensor t = {.size = {1, 1, 1, 1},
                    .c0 = aic_row_elements(desc->dtype),
                    .word = (int64_t)sizeof(uint32_t) / (int64_t)aic_dtype_size(desc->dtype)};
    for (size_t i = 0; letters[i] != '\0'; i++) {
        t.size[strchr(tensor, letters[i]) - tensor] = desc->shape[i];
    }
    return t;
}
