/* transdata: fields, rules, operands (data layouts). */
#include "frontend/ops/transdata.h"

#include "frontend/core/rule.h"
#include "frontend/core/size.h"
#include "frontend/layout/fractal.h"
#include "frontend/layout/layout.h"

#include <inttypes.h>
#include <string.h>

#define AIC_THIS transdata
#define AIC_THIS_CANONICALISE transdata_canonicalise
#include "frontend/core/operator.inc"

/* ---- sizes ---- */

/* The shape of the operand that has this layout, as its rank and dimensions. */
typedef struct dims {
    int32_t rank;
    int64_t size[AIC_RANK_MAX];
} dims;

static dims dims_of(const aic_tensor *tensor, aic_layout layout)
{
    dims d = {.size = {0}};
    d.rank = aic_layout_dims(layout, tensor, d.size);
    return d;
}

static int64_t product(const int64_t *sizes, int32_t count)
{
    int64_t result = 1;
    for (int32_t i = 0; i < count; i++) {
        result = aic_size_multiply(result, sizes[i]);
    }
    return result;
}

/* ---- rules, in the order of the list ---- */

/* The layouts that hold elements of this type and, when there is a source, that it leads to. */
static bool check_layout(aic_verdict *v, int rule, const char *field, aic_layout layout, aic_dtype dtype,
                         const aic_layout *src)
{
    aic_layout legal[AIC_LAYOUT_2N + 1];
    size_t count = 0;
    for (aic_layout other = AIC_LAYOUT_ND; aic_layout_get(other); other++) {
        if (aic_layout_takes(other, dtype) && (!src || aic_layout_pair(*src, other))) {
            legal[count++] = other;
        }
    }
    return aic_rule_layout(v, rule, field, layout, legal, count, "");
}

/* "[N,C,H,W]" */
typedef struct letter_list {
    char text[2 * AIC_TENSOR_RANK_MAX + 2];
} letter_list;

static letter_list list_letters(const char *letters)
{
    letter_list list = {.text = ""};
    size_t used = 0;
    for (size_t i = 0; letters[i] != '\0'; i++) {
        list.text[used++] = i == 0 ? '[' : ',';
        list.text[used++] = letters[i];
    }
    list.text[used] = ']';
    return list;
}

static void check_entries(aic_verdict *v, const aic_transdata_desc *desc, const char *letters)
{
    const size_t count = strlen(letters);
    const letter_list list = list_letters(letters);
    for (size_t i = 0; i < AIC_TENSOR_RANK_MAX; i++) {
        const int64_t size = desc->shape[i];
        if (i >= count && size != 0) {
            aic_break(v, RULE_shape_entries, "shape: entry %zu = %" PRId64 " is one too many for %s", i + 1, size,
                      list.text);
        } else if (i < count && size == 0) { /* which ends the entries */
            aic_break(v, RULE_shape, "shape: %c of %s is missing or 0, legal is 1..%" PRId32, letters[i], list.text,
                      AIC_TRANSDATA_SIZE_MAX);
        } else if (i < count && (size < 1 || size > AIC_TRANSDATA_SIZE_MAX)) {
            aic_break(v, RULE_shape, "shape: %c = %" PRId64 " of %s is outside 1..%" PRId32, letters[i], size,
                      list.text, AIC_TRANSDATA_SIZE_MAX);
        }
    }
}

/* Sizes in bytes fit in int64_t. */
static bool check_bytes(aic_verdict *v, const aic_transdata_desc *desc, aic_layout layout)
{
    const aic_tensor tensor = aic_transdata_tensor(desc);
    const dims d = dims_of(&tensor, layout);
    const int64_t bytes = aic_size_multiply(product(d.size, d.rank), (int64_t)aic_dtype_size(desc->dtype));
    return bytes < INT64_MAX || aic_break(v, RULE_shape_bytes, "shape: in %s it has more than %" PRId64 " bytes",
                                          aic_enum_word(AIC_KIND_LAYOUT, layout), INT64_MAX - 1);
}

static aic_status transdata_validate(const void *descriptor, const aic_semantics *semantics)
{
    (void)semantics;
    const aic_transdata_desc *desc = descriptor;
    aic_verdict v = verdict();
    if (aic_rule_moved_dtype(&v, RULE_dtype, desc->dtype) &&
        check_layout(&v, RULE_src, "src", desc->src, desc->dtype, NULL) &&
        check_layout(&v, RULE_dst, "dst", desc->dst, desc->dtype, &desc->src)) {
        check_entries(&v, desc, aic_layout_shape_letters(desc->src, desc->dst));
        (void)(v.status == AIC_OK && check_bytes(&v, desc, desc->src) && check_bytes(&v, desc, desc->dst));
    }
    return v.status;
}

/* ---- what code depends on ---- */

/* Whether every cell holds an element. */
static bool is_full(const aic_tensor *tensor, aic_layout layout)
{
    const dims d = dims_of(tensor, layout);
    return product(d.size, d.rank) == product(tensor->size, AIC_TENSOR_RANK_MAX);
}

/* Whether every index of a dimension of this size adds the same number of cells. */
static bool same_stride(const aic_layout_stride *a, const aic_layout_stride *b, int64_t size)
{
    enum { BLOCK_MAX = 32 };
    bool same = true;
    for (int64_t i = 1; i <= BLOCK_MAX && i < size; i *= 2) {
        same = same &&
               i / a->block * a->outer + i % a->block * a->inner == i / b->block * b->outer + i % b->block * b->inner;
    }
    return same;
}

/* Whether two layouts of a tensor put every element into the same cell of an operand of the same shape.
 *
 * The cell of an element is the sum of what each of its indices adds, of which blocks have a power of two of at most
 * 32: it is the sum of what the bits of the index add, and a bit from 32 on adds so many times what 32 adds. So it is
 * enough to compare the powers of two up to 32. */
static bool same_cells(const aic_tensor *tensor, aic_layout a, aic_layout b)
{
    const dims of_a = dims_of(tensor, a), of_b = dims_of(tensor, b);
    aic_layout_stride in_a[AIC_TENSOR_RANK_MAX], in_b[AIC_TENSOR_RANK_MAX];
    aic_layout_strides(a, tensor, in_a);
    aic_layout_strides(b, tensor, in_b);
    bool same = of_a.rank == of_b.rank && memcmp(of_a.size, of_b.size, sizeof of_a.size) == 0;
    for (int d = 0; d < AIC_TENSOR_RANK_MAX; d++) {
        same = same && same_stride(&in_a[d], &in_b[d], tensor->size[d]);
    }
    return same;
}

/* The first layout that has the same cells; as that of dst it also does the same with those that hold no element. */
static aic_layout canonical_layout(const aic_tensor *tensor, aic_layout layout, bool is_dst)
{
    const aic_layout_info *own = aic_layout_get(layout);
    const bool any = !is_dst || is_full(tensor, layout);
    aic_layout first = AIC_LAYOUT_ND;
    for (bool found = false; !found;) {
        const aic_layout_info *other = aic_layout_get(first);
        found =
            other->tensor == own->tensor && (any || other->padded == own->padded) && same_cells(tensor, first, layout);
        first = found ? first : first + 1;
    }
    return first;
}

/* Both layouts change, or neither: the order of the shape's letters is theirs. */
static void set_layouts(aic_transdata_desc *desc, aic_layout src, aic_layout dst)
{
    const aic_tensor tensor = aic_transdata_tensor(desc);
    const char *names = aic_layout_get(src)->tensor, *letters = aic_layout_shape_letters(src, dst);
    for (size_t i = 0; letters[i] != '\0'; i++) {
        desc->shape[i] = tensor.size[strchr(names, letters[i]) - names];
    }
    desc->src = src;
    desc->dst = dst;
}

/* From a layout to itself, and no cell is without an element: a copy of an operand of four dimensions. */
static void canonicalise_copy(aic_transdata_desc *desc)
{
    const aic_tensor tensor = aic_transdata_tensor(desc);
    const dims d = dims_of(&tensor, desc->dst);
    if (desc->src == desc->dst && d.rank == AIC_TENSOR_RANK_MAX && is_full(&tensor, desc->dst)) {
        desc->src = desc->dst = AIC_LAYOUT_NCHW;
        memcpy(desc->shape, d.size, sizeof desc->shape);
    }
}

static void transdata_canonicalise(void *descriptor, const aic_semantics *semantics)
{
    (void)semantics;
    aic_transdata_desc *desc = descriptor;
    const aic_tensor tensor = aic_transdata_tensor(desc);
    desc->dtype = aic_moved_dtype(desc->dtype);
    set_layouts(desc, canonical_layout(&tensor, desc->src, false), canonical_layout(&tensor, desc->dst, true));
    canonicalise_copy(desc);
}

/* ---- operands ---- */

static aic_operand operand(const aic_transdata_desc *desc, const char *name, aic_direction direction, aic_layout layout)
{
    const aic_tensor tensor = aic_transdata_tensor(desc);
    aic_operand result = {.name = name, .direction = direction, .dtype = desc->dtype};
    result.rank = aic_layout_dims(layout, &tensor, result.shape);
    return result;
}

/* Whether words of dst have sub-words that keep their value. */
static bool keeps_some(const aic_transdata_desc *desc)
{
    const aic_tensor tensor = aic_transdata_tensor(desc);
    return aic_layout_get(desc->dst)->word_bytes != 0 && tensor.size[0] % tensor.word != 0;
}

/* Rows that fill up the last fractal of src come last where a fractal's rows follow each other, as nd2nz writes them.
 */
static int64_t spare_of(const aic_transdata_desc *desc)
{
    const aic_tensor tensor = aic_transdata_tensor(desc);
    const bool by_row = desc->src == AIC_LAYOUT_NZ || desc->src == AIC_LAYOUT_ZZ;
    return by_row ? (AIC_FRACTAL_ROWS - tensor.size[0] % AIC_FRACTAL_ROWS) % AIC_FRACTAL_ROWS * tensor.c0 : 0;
}

static size_t transdata_operands(const void *descriptor, const aic_semantics *semantics,
                                 aic_operand operands[AIC_OPERANDS_MAX])
{
    (void)semantics;
    const aic_transdata_desc *desc = descriptor;
    operands[0] = operand(desc, "dst", keeps_some(desc) ? AIC_DIRECTION_INOUT : AIC_DIRECTION_OUT, desc->dst);
    operands[1] = operand(desc, "src", AIC_DIRECTION_IN, desc->src);
    operands[1].spare = spare_of(desc);
    return 2;
}

static void transdata_coordinates(const void *descriptor, const aic_semantics *semantics, int operand,
                                  aic_coordinates *c)
{
    static const char *const names[][AIC_AXES_MAX] = {
        [AIC_LAYOUT_ND] = {"row", "column"},
        [AIC_LAYOUT_NZ] = {"C1", "R1", "r0", "c0"},
        [AIC_LAYOUT_ZZ] = {"R1", "C1", "r0", "c0"},
        [AIC_LAYOUT_ZN] = {"R1", "C1", "c0", "r0"},
        [AIC_LAYOUT_NN] = {"C1", "R1", "c0", "r0"},
        [AIC_LAYOUT_NCHW] = {"N", "C", "H", "W"},
        [AIC_LAYOUT_NHWC] = {"N", "H", "W", "C"},
        [AIC_LAYOUT_NC1HWC0] = {"N", "C1", "H", "W", "C0"},
        [AIC_LAYOUT_OIHW] = {"O", "I", "H", "W"},
        [AIC_LAYOUT_HWIO] = {"H", "W", "I", "O"},
        [AIC_LAYOUT_FRACTAL_Z] = {"C1", "Kh", "Kw", "Cout", "C0"},
        [AIC_LAYOUT_4N] = {"N/4", "C", "H", "W", "N%4"},
        [AIC_LAYOUT_2N] = {"N/2", "C", "H", "W", "N%2"},
    };
    (void)semantics;
    const aic_transdata_desc *desc = descriptor;
    aic_axes_name(c, names[operand == 0 ? desc->dst : desc->src], AIC_AXES_MAX);
}

/* Cells of src that hold no element are not read; those of dst are, unless it is padded, not written. */
static void transdata_accessed(const void *descriptor, const aic_semantics *semantics, int64_t bytes[AIC_OPERANDS_MAX])
{
    (void)semantics;
    const aic_transdata_desc *desc = descriptor;
    const aic_tensor tensor = aic_transdata_tensor(desc);
    const int64_t elements = product(tensor.size, AIC_TENSOR_RANK_MAX);
    aic_accessed(bytes, 1, elements, desc->dtype);
    if (!aic_layout_get(desc->dst)->padded) {
        aic_accessed(bytes, 0, elements, desc->dtype);
    }
}

const aic_op_info aic_op_transdata = {
    AIC_THIS_ENTRIES,
    .coordinates = transdata_coordinates,
    .random = aic_transdata_random,
};
