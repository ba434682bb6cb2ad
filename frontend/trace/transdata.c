/* Where transdata takes an element from: the indices of a cell of dst, and the cell of src that has them (data layouts,
 * sections 2 to 4 and 7). A layout is a list of digits, the outermost first, each a part of a dimension's index. */
#include "frontend/trace/trace.h"

#include <inttypes.h>
#include <string.h>

enum { RANK = 4, SRC = 1 };

/* In a list: the dimension by its letter; one that is cut into blocks has an upper-case digit for the blocks and a
 * lower-case one for what is within. Widths of blocks: R0 = 16, C0 = 32 bytes; of columns-first fractals the other way
 * round; of channels C0, of batches a word, of output channels 16, which lie together. */
typedef struct layout {
    const char *tensor, *digits;
    bool padded; /* cells without an element are 0 */
} layout;

static const layout layouts[] = {
    [AIC_LAYOUT_ND] = {"RC", "RC", false},
    [AIC_LAYOUT_NZ] = {"RC", "CRrc", true},
    [AIC_LAYOUT_ZZ] = {"RC", "RCrc", true},
    [AIC_LAYOUT_ZN] = {"RC", "RCcr", true},
    [AIC_LAYOUT_NN] = {"RC", "CRcr", true},
    [AIC_LAYOUT_NCHW] = {"NCHW", "NCHW", false},
    [AIC_LAYOUT_NHWC] = {"NCHW", "NHWC", false},
    [AIC_LAYOUT_NC1HWC0] = {"NCHW", "NCHWc", true},
    [AIC_LAYOUT_OIHW] = {"OIHW", "OIHW", false},
    [AIC_LAYOUT_HWIO] = {"OIHW", "HWIO", false},
    [AIC_LAYOUT_FRACTAL_Z] = {"OIHW", "IHWOi", true},
    [AIC_LAYOUT_4N] = {"NCHW", "NCHWn", false},
    [AIC_LAYOUT_2N] = {"NCHW", "NCHWn", false},
};

typedef struct tensor {
    const char *letters;
    int64_t size[RANK];
    int64_t bytes; /* of an element */
} tensor;

static int dimension_of(const tensor *t, char letter)
{
    const char upper = (char)(letter >= 'a' ? letter - ('a' - 'A') : letter);
    return (int)(strchr(t->letters, upper) - t->letters);
}

/* How many indices of a dimension lie together in the layout. */
static int64_t block_of(const tensor *t, const layout *l, char upper)
{
    const char lower = (char)(upper + ('a' - 'A'));
    if (strchr(l->digits, lower) == NULL) {
        return 1;
    }
    const bool columns_first = strcmp(l->digits + 2, "cr") == 0;
    return upper == 'N' ? 4 / t->bytes : (upper == 'R') != columns_first ? 16 : 32 / t->bytes;
}

/* How many values a digit has. */
static int64_t count_of(const tensor *t, const layout *l, char digit)
{
    const char upper = (char)(digit >= 'a' ? digit - ('a' - 'A') : digit);
    const int64_t block = block_of(t, l, upper), size = t->size[dimension_of(t, digit)];
    if (digit != upper) {
        return block;
    }
    const int64_t whole = strcmp(l->digits, "IHWOi") == 0 && digit == 'O' ? (size + 15) / 16 * 16 : size;
    return (whole + block - 1) / block;
}

static int64_t cell_of(const tensor *t, const layout *l, const int64_t at[RANK])
{
    int64_t cell = 0;
    for (const char *d = l->digits; *d != '\0'; d++) {
        const char upper = (char)(*d >= 'a' ? *d - ('a' - 'A') : *d);
        const int64_t block = block_of(t, l, upper), index = at[dimension_of(t, *d)];
        cell = cell * count_of(t, l, *d) + (*d == upper ? index / block : index % block);
    }
    return cell;
}

static void indices_of(const tensor *t, const layout *l, int64_t cell, int64_t at[RANK])
{
    memset(at, 0, RANK * sizeof at[0]);
    for (size_t i = strlen(l->digits); i-- > 0;) {
        const char d = l->digits[i], upper = (char)(d >= 'a' ? d - ('a' - 'A') : d);
        const int64_t count = count_of(t, l, d), value = cell % count;
        cell /= count;
        at[dimension_of(t, d)] += d == upper ? value * block_of(t, l, upper) : value;
    }
}

/* The descriptor's shape is in the order of the layout without blocks, the source's if both are, or the tensor's. */
static tensor tensor_of(const aic_transdata_desc *desc)
{
    const layout *src = &layouts[desc->src], *dst = &layouts[desc->dst];
    const size_t rank = strlen(src->tensor);
    tensor t = {.letters = src->tensor, .size = {1, 1, 1, 1}, .bytes = (int64_t)aic_dtype_size(desc->dtype)};
    const char *order = strlen(src->digits) == rank   ? src->digits
                        : strlen(dst->digits) == rank ? dst->digits
                                                      : src->tensor;
    for (size_t i = 0; i < rank; i++) {
        t.size[dimension_of(&t, order[i])] = desc->shape[i];
    }
    return t;
}

bool aic_trace_transdata(aic_tracer *t, const aic_transdata_desc *desc, void *const operands[], int64_t element,
                         uint64_t *bits)
{
    const tensor whole = tensor_of(desc);
    const layout *dst = &layouts[desc->dst], *src = &layouts[desc->src];
    int64_t at[RANK];
    char where[96] = "";
    bool inside = true;
    indices_of(&whole, dst, element, at);
    for (size_t d = 0; d < strlen(whole.letters); d++) {
        inside = inside && at[d] < whole.size[d];
        aic_text_add(where, sizeof where, "%s%c %" PRId64, d == 0 ? "" : ", ", whole.letters[d], at[d]);
    }
    t->channel = at[whole.letters[0] == 'O' ? 0 : 1];
    aic_trace_put(t, "transdata, %s:\n", where);
    if (!inside && !dst->padded) {
        return aic_trace_unwritten(t, "a word has parts for more batches than there are");
    }
    if (!inside) {
        aic_trace_event(t, AIC_EVENT_PADDING, true);
        aic_trace_step(t, AIC_STEP_BLOCK_PADDING, "padding", "0: the tensor has no such element");
        *bits = 0;
        return true;
    }
    const int64_t from = cell_of(&whole, src, at);
    *bits = aic_trace_load(t, desc->dtype, operands[SRC], from);
    aic_trace_step(t, AIC_STEP_LAYOUT, "copied", "%s = %s", aic_trace_place(t, SRC, from).text,
                   aic_trace_element(t, desc->dtype, *bits).text);
    return true;
}
