/* transdata as a move between two layouts (data layouts, sections 2 to 4 and 7). */
#include "codegen/loops/move.h"
#include "frontend/layout/layout.h"

#include <string.h>

/* How long a block is. */
typedef enum block {
    BLOCK_NONE,
    BLOCK_SIXTEEN, /* 16 elements */
    BLOCK_ROW,     /* 32 bytes: C0 */
    BLOCK_WORD,    /* 4 bytes */
} block;

/* A layout: its axes from the outside to the inside, a small letter for the index within a block of the capital one's
 * dimension; the blocks of at most two letters; whether their unused cells hold zeros. */
static const struct {
    const char *axes;
    struct {
        char letter;
        block length;
    } blocked[2];
    bool padded;
} LAYOUTS[] = {
    [AIC_LAYOUT_ND] = {"RC", {{0}}, false},
    [AIC_LAYOUT_NZ] = {"CRrc", {{'r', BLOCK_SIXTEEN}, {'c', BLOCK_ROW}}, true},
    [AIC_LAYOUT_ZZ] = {"RCrc", {{'r', BLOCK_SIXTEEN}, {'c', BLOCK_ROW}}, true},
    [AIC_LAYOUT_ZN] = {"RCcr", {{'r', BLOCK_ROW}, {'c', BLOCK_SIXTEEN}}, true},
    [AIC_LAYOUT_NN] = {"CRcr", {{'r', BLOCK_ROW}, {'c', BLOCK_SIXTEEN}}, true},
    [AIC_LAYOUT_NCHW] = {"NCHW", {{0}}, false},
    [AIC_LAYOUT_NHWC] = {"NHWC", {{0}}, false},
    [AIC_LAYOUT_NC1HWC0] = {"NCHWc", {{'c', BLOCK_ROW}}, true},
    [AIC_LAYOUT_OIHW] = {"OIHW", {{0}}, false},
    [AIC_LAYOUT_HWIO] = {"HWIO", {{0}}, false},
    [AIC_LAYOUT_FRACTAL_Z] = {"IHWOoi", {{'o', BLOCK_SIXTEEN}, {'i', BLOCK_ROW}}, true},
    [AIC_LAYOUT_4N] = {"NCHWn", {{'n', BLOCK_WORD}}, false},
    [AIC_LAYOUT_2N] = {"NCHWn", {{'n', BLOCK_WORD}}, false},
};

enum { DIMS_MAX = 4 };

static char small(char letter)
{
    return (char)(letter - 'A' + 'a');
}

/* Elements of a block along this dimension; 1: the layout has none. */
static int64_t block_of(aic_layout layout, char letter, int64_t size)
{
    for (int i = 0; i < 2; i++) {
        if (LAYOUTS[layout].blocked[i].letter == small(letter)) {
            switch (LAYOUTS[layout].blocked[i].length) {
            case BLOCK_SIXTEEN:
                return 16;
            case BLOCK_ROW:
                return 32 / size;
            case BLOCK_WORD:
                return 4 / size;
            case BLOCK_NONE:
                break;
            }
        }
    }
    return 1;
}

/* Where the dimensions `letters` of these extents lie in the layout. */
static void place_dims(aic_layout layout, const char *letters, const int64_t *extent, int64_t size, aic_place *place)
{
    const char *axes = LAYOUTS[layout].axes;
    int64_t stride = size;
    for (size_t i = strlen(axes); i-- > 0;) {
        for (int k = 0; letters[k] != '\0'; k++) {
            int64_t length = block_of(layout, letters[k], size);
            place[k].block = length;
            if (axes[i] == small(letters[k])) {
                place[k].inner = stride;
                stride *= length;
            } else if (axes[i] == letters[k]) {
                place[k].outer = stride;
                stride *= (extent[k] + length - 1) / length;
            }
        }
    }
}

static void describe(const void *desc, const aic_semantics *semantics, aic_work *work)
{
    (void)semantics;
    const aic_transdata_desc *d = desc;
    const char *letters = aic_layout_shape_letters(d->src, d->dst);
    int64_t size = (int64_t)aic_dtype_size(d->dtype);
    aic_place in[DIMS_MAX] = {{0}}, out[DIMS_MAX] = {{0}};
    aic_move_axis dims[DIMS_MAX];
    unsigned count = (unsigned)strlen(letters);
    place_dims(d->src, letters, d->shape, size, in);
    place_dims(d->dst, letters, d->shape, size, out);
    for (unsigned k = 0; k < count; k++) {
        dims[k] = (aic_move_axis){d->shape[k], out[k], in[k], LAYOUTS[d->dst].padded};
    }
    aic_move_describe(aic_move_begin(work), (unsigned)size, dims, count);
}

const aic_generator aic_generator_transdata = {.describe = describe};
