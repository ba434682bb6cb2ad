/* texpands: fields, rules, operands (PTO ISA TEXPANDS). */
#include "frontend/ops/texpands.h"

#include "frontend/core/rule.h"
#include "frontend/core/size.h"
#include "frontend/layout/tile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK_BYTES = 32, BLOCKS_MAX = 32767, SHAPE_MAX = 6, DTYPES_MAX = 10 };

/* ---- values that follow from others ---- */

bool aic_texpands_is_conv(const aic_texpands_desc *desc)
{
    return desc->layout != AIC_LAYOUT_ND;
}

/* Dimensions that are given. */
static size_t dimensions(const aic_texpands_desc *desc)
{
    size_t count = SHAPE_MAX;
    while (count > 0 && desc->shape[count - 1] == 0) {
        count--;
    }
    return count;
}

/* Product of the first `count` dimensions, INT64_MAX where it does not fit; 0 when one is not positive. */
static int64_t product(const aic_texpands_desc *desc, size_t count)
{
    int64_t result = count > 0;
    for (size_t i = 0; i < count; i++) {
        if (desc->shape[i] < 1) {
            return 0;
        }
        result = aic_size_multiply(result, desc->shape[i]);
    }
    return result;
}

static inline void fill_in(aic_texpands_desc *desc)
{
    if (aic_texpands_is_conv(desc)) {
        desc->buffer_size = desc->buffer_size == 0 ? product(desc, dimensions(desc)) : desc->buffer_size;
        return;
    }
    desc->v_row = desc->v_row == AIC_NOT_GIVEN ? desc->rows : desc->v_row;
    desc->v_col = desc->v_col == AIC_NOT_GIVEN ? desc->cols : desc->v_col;
}

void aic_texpands_fill_in(void *desc)
{
    fill_in(desc);
}

/* Of a ConvTile what only Tiles have, where the valid region counts only in vec; of a tile that the library places the
 * address. */
static inline void clear_ignored(aic_texpands_desc *desc)
{
    if (aic_texpands_is_conv(desc)) {
        desc->blayout = AIC_BLAYOUT_ROW_MAJOR;
        desc->slayout = AIC_SLAYOUT_NONE_BOX;
        desc->pad = AIC_PAD_NULL;
        desc->fractal = desc->compact = 0;
    }
    if (aic_texpands_is_conv(desc) || desc->loc == AIC_LOC_MAT) {
        desc->v_row = desc->v_col = 0;
    }
    desc->address = aic_flag(&desc->manual) ? desc->address : AIC_NOT_GIVEN;
}

#define AIC_THIS texpands
#define AIC_THIS_CANONICALISE aic_texpands_canonicalise
#define AIC_THIS_FILL_IN fill_in
#define AIC_THIS_CLEAR_IGNORED clear_ignored
#include "frontend/core/operator.inc"

bool aic_texpands_has_region(const aic_texpands_desc *desc)
{
    return desc->loc == AIC_LOC_VEC && !aic_texpands_is_conv(desc);
}

bool aic_texpands_is_dynamic(const aic_texpands_desc *desc)
{
    return aic_texpands_has_region(desc) && (desc->v_row == AIC_DYNAMIC || desc->v_col == AIC_DYNAMIC);
}

int64_t aic_texpands_storage(const aic_texpands_desc *desc)
{
    return aic_texpands_is_conv(desc) ? desc->buffer_size : aic_size_multiply(desc->rows, desc->cols);
}

int64_t aic_texpands_filled(const aic_texpands_desc *desc)
{
    return aic_texpands_is_conv(desc) ? product(desc, dimensions(desc)) : aic_texpands_storage(desc);
}

/* ---- rules, in the order of the list ---- */

static void check_loc(aic_verdict *v, const aic_texpands_desc *desc)
{
    aic_rule_enum(v, RULE_arch, "arch", AIC_KIND_ARCH, desc->arch);
    if (!aic_rule_enum(v, RULE_loc, "loc", AIC_KIND_LOC, desc->loc)) {
        return;
    }
    const char *word = aic_enum_word(AIC_KIND_LOC, desc->loc);
    if (desc->loc != AIC_LOC_VEC && desc->loc != AIC_LOC_MAT) {
        aic_break(v, RULE_filled, "loc: %s is not vec or mat", word);
    } else if (desc->loc != AIC_LOC_MAT && aic_texpands_is_conv(desc)) {
        aic_break(v, RULE_conv_loc, "loc: %s is not mat, where ConvTiles are", word);
    }
}

size_t aic_texpands_dtypes(aic_chip arch, aic_loc loc, aic_dtype dtypes[10])
{
    enum { A2A3_VEC = 1, A2A3_MAT = 2, A5_VEC = 4, A5_MAT = 8, A5 = A5_VEC | A5_MAT, ALL = 15 };
    static const struct {
        aic_dtype dtype;
        unsigned legal;
    } rows[] = {
        {AIC_INT8, A2A3_MAT | A5},   {AIC_UINT8, A2A3_MAT | A5}, {AIC_INT16, ALL},
        {AIC_UINT16, A2A3_MAT | A5}, {AIC_INT32, ALL},           {AIC_UINT32, A2A3_MAT | A5},
        {AIC_FLOAT16, ALL},          {AIC_BFLOAT16, A2A3_MAT},   {AIC_FLOAT32, ALL},
    };
    const unsigned column = (arch == AIC_CHIP_A5 ? A5_VEC : A2A3_VEC) << (loc == AIC_LOC_MAT);
    size_t count = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].legal & column) {
            dtypes[count++] = rows[i].dtype;
        }
    }
    return count;
}

static void check_dtype(aic_verdict *v, const aic_texpands_desc *desc)
{
    aic_dtype legal[DTYPES_MAX];
    char where[48];
    if (aic_kept(v, RULE_arch, RULE_filled)) {
        const size_t count = aic_texpands_dtypes(desc->arch, desc->loc, legal);
        (void)snprintf(where, sizeof where, " (loc=%s, arch=%s)", aic_enum_word(AIC_KIND_LOC, desc->loc),
                       aic_enum_word(AIC_KIND_ARCH, desc->arch));
        aic_rule_dtype(v, RULE_dtype, "dtype", desc->dtype, legal, count, where);
    }
}

/* Whether types and what they depend on are legal. */
static bool is_typed(const aic_verdict *v)
{
    return aic_kept(v, RULE_arch, RULE_dtype);
}

static bool check_zero(aic_verdict *v, int rule, const char *field, const char *kind, int64_t value)
{
    return value == 0 || aic_break(v, rule, "%s: %" PRId64 " is given to a %s, which has none", field, value, kind);
}

/* Bytes fit in int64_t. */
static bool check_bytes(aic_verdict *v, int rule, const char *field, const aic_texpands_desc *desc)
{
    const int64_t size = (int64_t)aic_dtype_size(desc->dtype);
    return aic_size_multiply(aic_texpands_storage(desc), size) < INT64_MAX ||
           aic_break(v, rule, "%s: the tile has more than %" PRId64 " bytes", field, INT64_MAX - 1);
}

/* The device counts blocks of 32 bytes. */
static void check_blocks(aic_verdict *v, int rule, const char *field, const char *formula, int64_t elements,
                         aic_dtype dtype)
{
    const int64_t blocks = elements / (BLOCK_BYTES / (int64_t)aic_dtype_size(dtype));
    if (blocks < 1 || blocks > BLOCKS_MAX) {
        aic_break(v, rule, "%s: %s = %" PRId64 " blocks of %d bytes are outside 1..%d", field, formula, blocks,
                  BLOCK_BYTES, BLOCKS_MAX);
    }
}

static void check_valid(aic_verdict *v, int rule, const char *field, const char *entry, int64_t value, int64_t most)
{
    if (value != AIC_DYNAMIC) {
        aic_rule_range(v, rule, field, entry, value, 0, most);
    }
}

/* Whether the valid region counts: in vec, and in mat where the choice mat_valid says so. */
static bool has_region(const aic_texpands_desc *desc, const aic_semantics *semantics)
{
    return aic_texpands_has_region(desc) ||
           (!aic_texpands_is_conv(desc) && semantics->mat_valid == AIC_MAT_VALID_VALID);
}

static void check_region(aic_verdict *v, const aic_texpands_desc *desc)
{
    if (desc->loc != AIC_LOC_VEC && (desc->v_row == AIC_DYNAMIC || desc->v_col == AIC_DYNAMIC)) {
        aic_break_as(v, AIC_UNSUPPORTED, RULE_dynamic, "%s: a size that the call gives is supported in vec only",
                     desc->v_row == AIC_DYNAMIC ? "v_row" : "v_col");
        return;
    }
    check_valid(v, RULE_v_row, "v_row", "valid_row", desc->v_row, desc->rows);
    check_valid(v, RULE_v_col, "v_col", "valid_col", desc->v_col, desc->cols);
}

/* Returns whether rows and columns are sizes. */
static bool check_sizes(aic_verdict *v, const aic_texpands_desc *desc, const aic_semantics *semantics)
{
    aic_rule_range(v, RULE_rows, "rows", NULL, desc->rows, 1, INT64_MAX);
    aic_rule_range(v, RULE_cols, "cols", NULL, desc->cols, 1, INT64_MAX);
    if (!aic_kept(v, RULE_rows, RULE_cols)) {
        return false;
    }
    const bool fits = !is_typed(v) || check_bytes(v, RULE_tile_bytes, "rows / cols", desc);
    if (fits && has_region(desc, semantics)) {
        check_region(v, desc);
    }
    return fits;
}

static void check_blayout(aic_verdict *v, const aic_texpands_desc *desc)
{
    if (aic_rule_enum(v, RULE_blayout, "blayout", AIC_KIND_BLAYOUT, desc->blayout) && desc->loc == AIC_LOC_VEC &&
        desc->blayout != AIC_BLAYOUT_ROW_MAJOR) {
        aic_break(v, RULE_vec_blayout, "blayout: %s is not row_major, as tiles in vec are",
                  aic_enum_word(AIC_KIND_BLAYOUT, desc->blayout));
    }
}

/* What belongs to ConvTiles. */
static void check_no_conv(aic_verdict *v, const aic_texpands_desc *desc)
{
    bool none = true;
    for (size_t i = 0; i < SHAPE_MAX && none; i++) {
        none = check_zero(v, RULE_tile_shape, "shape", "Tile", desc->shape[i]);
    }
    check_zero(v, RULE_tile_shape, "buffer_size", "Tile", desc->buffer_size);
}

static void check_tile(aic_verdict *v, const aic_texpands_desc *desc, const aic_semantics *semantics)
{
    static const aic_tile_rules rules = {
        .slayout = RULE_slayout, .fractal = RULE_fractal, .line = RULE_line, .box = RULE_box};
    bool sized = check_sizes(v, desc, semantics) && is_typed(v);
    check_blayout(v, desc);
    sized = sized && aic_kept(v, RULE_blayout, RULE_blayout);
    aic_tile_check(v, &rules, desc, sized);
    if (sized && aic_kept(v, RULE_line, RULE_box) && desc->loc == AIC_LOC_MAT) {
        check_blocks(v, RULE_tile_blocks, "rows / cols", "rows*cols", aic_texpands_storage(desc), desc->dtype);
    }
    aic_rule_enum(v, RULE_pad, "pad", AIC_KIND_PAD, desc->pad);
    aic_rule_range(v, RULE_compact, "compact", NULL, desc->compact, 0, 0);
    check_no_conv(v, desc);
}

/* ---- ConvTiles ---- */

typedef struct conv_row {
    aic_layout layout;
    bool a2a3; /* also there */
    size_t dims;
    bool folded; /* also [the outer ones together, N1, 16, C0] */
} conv_row;

static const conv_row convs[] = {
    {AIC_LAYOUT_NC1HWC0, true, 5, false},
    {AIC_LAYOUT_FRACTAL_Z, true, 5, true},
    {AIC_LAYOUT_NDC1HWC0, false, 6, false},
    {AIC_LAYOUT_FRACTAL_Z_3D, false, 6, true},
};

enum { CONVS = sizeof convs / sizeof convs[0], FOLDED_DIMS = 4, FOLDED_BLOCK = 16 };

_Static_assert((int)CONVS == (int)AIC_TEXPANDS_LAYOUTS, "the header says how many");

size_t aic_texpands_layouts(aic_chip arch, aic_layout layouts[AIC_TEXPANDS_LAYOUTS])
{
    size_t count = 0;
    for (size_t i = 0; i < CONVS; i++) {
        if (convs[i].a2a3 || arch == AIC_CHIP_A5) {
            layouts[count++] = convs[i].layout;
        }
    }
    return count;
}

static bool check_layout(aic_verdict *v, const aic_texpands_desc *desc)
{
    aic_layout legal[CONVS];
    char where[24];
    if (!aic_kept(v, RULE_arch, RULE_arch)) {
        return false;
    }
    const size_t count = aic_texpands_layouts(desc->arch, legal);
    (void)snprintf(where, sizeof where, " (arch=%s)", aic_enum_word(AIC_KIND_ARCH, desc->arch));
    return aic_rule_layout(v, RULE_layout, "layout", desc->layout, legal, count, where);
}

static bool check_dimensions(aic_verdict *v, const aic_texpands_desc *desc)
{
    const conv_row *row = convs;
    while (row->layout != desc->layout) {
        row++;
    }
    const size_t count = dimensions(desc);
    const bool folded = row->folded && count == FOLDED_DIMS;
    if (count != row->dims && !folded) {
        return aic_break(v, RULE_dimensions, "shape: %zu dimensions are not the %zu%s of %s", count, row->dims,
                         row->folded ? " or 4" : "", aic_enum_word(AIC_KIND_LAYOUT, desc->layout));
    }
    bool positive = true;
    for (size_t i = 0; i < count; i++) {
        char entry[32];
        snprintf(entry, sizeof entry, i + 1 < count ? "entry %zu" : "c0", i);
        positive = aic_rule_range(v, RULE_shape, "shape", entry, desc->shape[i], 1, INT64_MAX) && positive;
    }
    if (folded && desc->shape[2] >= 1 && desc->shape[2] != FOLDED_BLOCK) {
        return aic_break(v, RULE_folded, "shape: entry 2 = %" PRId64 " is not %d, as in the form of 4 dimensions",
                         desc->shape[2], FOLDED_BLOCK);
    }
    return positive;
}

/* The numbers of a shape whose dimensions are right. */
static void check_shape(aic_verdict *v, const aic_texpands_desc *desc)
{
    const size_t count = dimensions(desc);
    const int64_t c0 = desc->shape[count - 1], outer = product(desc, count - 1), all = product(desc, count);
    const int64_t multiple = BLOCK_BYTES / (int64_t)aic_dtype_size(desc->dtype);
    if (outer > BLOCKS_MAX) {
        aic_break(v, RULE_outer, "shape: the product without c0 = %" PRId64 " is outside 1..%d", outer, BLOCKS_MAX);
    } else if (all % multiple != 0 && all != INT64_MAX) {
        aic_break(v, RULE_whole_blocks,
                  "shape: c0 = %" PRId64 " makes %" PRId64 " elements of %s, not a multiple of %d bytes", c0, all,
                  aic_dtype_name(desc->dtype), BLOCK_BYTES);
    } else {
        check_blocks(v, RULE_shape_blocks, "shape", "the product", all, desc->dtype);
    }
}

static void check_conv(aic_verdict *v, const aic_texpands_desc *desc)
{
    check_zero(v, RULE_conv_rows, "rows", "ConvTile", desc->rows);
    check_zero(v, RULE_conv_rows, "cols", "ConvTile", desc->cols);
    if (!check_layout(v, desc) || !check_dimensions(v, desc) || !is_typed(v)) {
        return;
    }
    check_shape(v, desc);
    if (aic_rule_range(v, RULE_buffer_size, "buffer_size", NULL, desc->buffer_size, aic_texpands_filled(desc),
                       INT64_MAX)) {
        check_bytes(v, RULE_buffer_bytes, "buffer_size", desc);
    }
}

/* ---- placement and scalar ---- */

/* The tile does not fit into its memory, or not from its address on: "... the 196608 of vec of A2A3", "... the 65536 of
 * vec (ub_bytes)". */
static void refuse_capacity(aic_verdict *v, const aic_texpands_desc *desc, const aic_semantics *semantics,
                            int64_t bytes)
{
    enum { TEXT_MAX = 80 };
    const int64_t capacity = aic_tile_capacity(semantics, desc->arch, desc->loc);
    const bool vec = desc->loc == AIC_LOC_VEC;
    const char *loc = aic_enum_word(AIC_KIND_LOC, desc->loc);
    char memory[TEXT_MAX];
    if ((vec ? semantics->ub_bytes : semantics->l1_bytes) != 0) {
        snprintf(memory, sizeof memory, "%" PRId64 " of %s (%s)", capacity, loc, vec ? "ub_bytes" : "l1_bytes");
    } else {
        snprintf(memory, sizeof memory, "%" PRId64 " of %s of %s", capacity, loc,
                 aic_enum_word(AIC_KIND_ARCH, desc->arch));
    }
    if (bytes > capacity) {
        aic_break(v, RULE_capacity, "address: the tile's %" PRId64 " bytes are more than the %s", bytes, memory);
    } else {
        aic_break(v, RULE_inside, "address: %" PRId64 " and %" PRId64 " bytes are beyond the %s", desc->address, bytes,
                  memory);
    }
}

/* In the order of TASSIGN; types and sizes are legal where `sized`. */
static void check_placement(aic_verdict *v, const aic_texpands_desc *desc, const aic_semantics *semantics, bool sized)
{
    if (!aic_rule_bool(v, RULE_manual, "manual", &desc->manual) || !desc->manual) {
        return;
    }
    if (desc->address == AIC_NOT_GIVEN) {
        aic_break(v, RULE_bound, "address: none is given; with manual placement TASSIGN binds a tile first");
        return;
    }
    const int64_t capacity = sized ? aic_tile_capacity(semantics, desc->arch, desc->loc) : INT64_MAX;
    const int64_t bytes = sized ? aic_texpands_storage(desc) * (int64_t)aic_dtype_size(desc->dtype) : 0;
    if (bytes > capacity || desc->address > capacity - bytes) {
        refuse_capacity(v, desc, semantics, bytes);
    }
    if (desc->address % AIC_TILE_ALIGNMENT != 0 || desc->address < 0) {
        aic_break(v, RULE_aligned, "address: %" PRId64 " is %s", desc->address,
                  desc->address % AIC_TILE_ALIGNMENT != 0 ? "not a multiple of 32" : "negative");
    }
}

static aic_status texpands_validate(const void *descriptor, const aic_semantics *semantics)
{
    const aic_texpands_desc *desc = descriptor;
    aic_verdict v = verdict();
    check_loc(&v, desc);
    check_dtype(&v, desc);
    if (aic_texpands_is_conv(desc)) {
        check_conv(&v, desc);
    } else {
        check_tile(&v, desc, semantics);
    }
    check_placement(&v, desc, semantics, v.status == AIC_OK);
    if (is_typed(&v) && desc->literal != AIC_NOT_GIVEN) {
        const int64_t most = (int64_t)(UINT64_MAX >> (64 - 8 * aic_dtype_size(desc->dtype)));
        aic_rule_range(&v, RULE_literal, "literal", NULL, desc->literal, 0, most);
    }
    return v.status;
}

/* ---- operands ---- */

static aic_operand vector(const char *name, aic_direction direction, aic_dtype dtype, int64_t elements)
{
    return (aic_operand){.name = name,
                         .direction = direction,
                         .dtype = dtype,
                         .rank = direction == AIC_DIRECTION_UNUSED ? 0 : 1,
                         .shape = {elements}};
}

/* Whether elements of dst keep their value. */
static bool keeps_some(const aic_texpands_desc *desc, const aic_semantics *semantics)
{
    if (has_region(desc, semantics)) {
        return desc->v_row != desc->rows || desc->v_col != desc->cols;
    }
    return aic_texpands_filled(desc) < aic_texpands_storage(desc);
}

static aic_operand size_operand(const char *name, int64_t value)
{
    return vector(name, value == AIC_DYNAMIC ? AIC_DIRECTION_IN : AIC_DIRECTION_UNUSED, AIC_INT32, 1);
}

static size_t texpands_operands(const void *descriptor, const aic_semantics *semantics,
                                aic_operand operands[AIC_OPERANDS_MAX])
{
    const aic_texpands_desc *desc = descriptor;
    operands[AIC_TEXPANDS_DST] = vector("dst", keeps_some(desc, semantics) ? AIC_DIRECTION_INOUT : AIC_DIRECTION_OUT,
                                        desc->dtype, aic_texpands_storage(desc));
    operands[AIC_TEXPANDS_DST].strided = true;
    operands[AIC_TEXPANDS_SCALAR] =
        vector("scalar", desc->literal == AIC_NOT_GIVEN ? AIC_DIRECTION_IN : AIC_DIRECTION_UNUSED, desc->dtype, 1);
    if (!aic_texpands_is_dynamic(desc)) {
        return AIC_TEXPANDS_V_ROW;
    }
    operands[AIC_TEXPANDS_V_ROW] = size_operand("v_row", desc->v_row);
    operands[AIC_TEXPANDS_V_COL] = size_operand("v_col", desc->v_col);
    return AIC_TEXPANDS_V_COL + 1;
}

/* Of the whole tile, filled or not; what a ConvTile's buffer has beyond its shape has no coordinates. */
static void texpands_coordinates(const void *descriptor, const aic_semantics *semantics, int operand,
                                 aic_coordinates *c)
{
    static const char *const names[][SHAPE_MAX] = {
        [AIC_LAYOUT_NC1HWC0] = {"N", "C1", "H", "W", "C0"},
        [AIC_LAYOUT_FRACTAL_Z] = {"C1", "H", "W", "N", "C0"},
        [AIC_LAYOUT_NDC1HWC0] = {"N", "D", "C1", "H", "W", "C0"},
        [AIC_LAYOUT_FRACTAL_Z_3D] = {"D", "C1", "H", "W", "N", "C0"},
    };
    static const char *const folded[FOLDED_DIMS] = {"C1*H*W", "N1", "N0", "C0"};
    (void)semantics;
    const aic_texpands_desc *desc = descriptor;
    if (operand != AIC_TEXPANDS_DST) {
        return;
    }
    if (!aic_texpands_is_conv(desc)) {
        const aic_tile tile = aic_tile_of(desc);
        const int64_t ir = tile.inner_rows, ic = tile.inner_cols;
        aic_axis_add_blocked(c, "row", desc->rows, ir, aic_tile_index(&tile, ir, 0), aic_tile_index(&tile, 1, 0));
        aic_axis_add_blocked(c, "column", desc->cols, ic, aic_tile_index(&tile, 0, ic), aic_tile_index(&tile, 0, 1));
        return;
    }
    const size_t count = dimensions(desc);
    int64_t stride = product(desc, count);
    for (size_t i = 0; i < count; i++) {
        stride /= desc->shape[i];
        aic_axis_add(c, count == FOLDED_DIMS ? folded[i] : names[desc->layout][i], desc->shape[i], stride);
    }
}

static void texpands_accessed(const void *descriptor, const aic_semantics *semantics, int64_t bytes[AIC_OPERANDS_MAX])
{
    const aic_texpands_desc *desc = descriptor;
    int64_t elements = aic_texpands_filled(desc);
    if (has_region(desc, semantics)) {
        const int64_t rows = desc->v_row == AIC_DYNAMIC ? desc->rows : desc->v_row;
        const int64_t cols = desc->v_col == AIC_DYNAMIC ? desc->cols : desc->v_col;
        elements = aic_size_multiply(rows, cols);
    }
    bytes[AIC_TEXPANDS_DST] = aic_size_multiply(elements, (int64_t)aic_dtype_size(desc->dtype));
}

/* A valid size that the call gives. */
static void check_size(aic_verdict *v, int rule, const char *field, const char *entry, const void *operand,
                       int64_t most)
{
    int32_t value;
    memcpy(&value, operand, sizeof value);
    aic_rule_range(v, rule, field, entry, value, 0, most);
}

static aic_status texpands_check_data(const void *descriptor, const void *const operands[])
{
    const aic_texpands_desc *desc = descriptor;
    aic_verdict v = verdict();
    if (!aic_texpands_is_dynamic(desc)) {
        return AIC_OK;
    }
    if (desc->v_row == AIC_DYNAMIC) {
        check_size(&v, RULE_v_row, "v_row", "valid_row", operands[AIC_TEXPANDS_V_ROW], desc->rows);
    }
    if (desc->v_col == AIC_DYNAMIC) {
        check_size(&v, RULE_v_col, "v_col", "valid_col", operands[AIC_TEXPANDS_V_COL], desc->cols);
    }
    return v.status;
}

const aic_op_info aic_op_texpands = {
    AIC_THIS_ENTRIES,
    .coordinates = texpands_coordinates,
    .check_data = texpands_check_data,
    .random_under = aic_texpands_random,
};
