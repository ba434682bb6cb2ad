/* texpands: fields, rules, operands (PTO ISA TEXPANDS, sections 1 to 3). */
#include "frontend/ops/texpands.h"

#include "frontend/core/diag.h"
#include "frontend/core/rule.h"
#include "frontend/core/size.h"
#include "frontend/layout/tile.h"
#include "frontend/reference/reference.h"

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
    unsigned char manual;
    memcpy(&manual, &desc->manual, sizeof manual);
    if (aic_texpands_is_conv(desc)) {
        desc->blayout = AIC_BLAYOUT_ROW_MAJOR;
        desc->slayout = AIC_SLAYOUT_NONE_BOX;
        desc->pad = AIC_PAD_NULL;
        desc->fractal = desc->compact = 0;
    }
    if (aic_texpands_is_conv(desc) || desc->loc == AIC_LOC_MAT) {
        desc->v_row = desc->v_col = 0;
    }
    desc->address = manual == 0 ? AIC_NOT_GIVEN : desc->address;
}

#define AIC_THIS texpands
#define AIC_THIS_FIELDS <aic/texpands.def>
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

static aic_status check_loc(const aic_texpands_desc *desc)
{
    aic_status status = aic_rule_enum(NAME, "arch", AIC_KIND_ARCH, desc->arch);
    if (status == AIC_OK) {
        status = aic_rule_enum(NAME, "loc", AIC_KIND_LOC, desc->loc);
    }
    if (status != AIC_OK) {
        return status;
    }
    const char *word = aic_enum_word(AIC_KIND_LOC, desc->loc);
    if (desc->loc != AIC_LOC_VEC && desc->loc != AIC_LOC_MAT) {
        return aic_fail(AIC_INVALID_ARGUMENT, NAME, "loc: %s is not vec or mat", word);
    }
    if (desc->loc != AIC_LOC_MAT && aic_texpands_is_conv(desc)) {
        return aic_fail(AIC_INVALID_ARGUMENT, NAME, "loc: %s is not mat, where ConvTiles are", word);
    }
    return AIC_OK;
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
    const unsigned column = (arch == AIC_A5 ? A5_VEC : A2A3_VEC) << (loc == AIC_LOC_MAT);
    size_t count = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].legal & column) {
            dtypes[count++] = rows[i].dtype;
        }
    }
    return count;
}

static aic_status check_dtype(const aic_texpands_desc *desc)
{
    aic_dtype legal[DTYPES_MAX];
    const size_t count = aic_texpands_dtypes(desc->arch, desc->loc, legal);
    aic_status status = aic_rule_dtype(NAME, "dtype", desc->dtype, legal, count);
    if (status == AIC_INVALID_ARGUMENT) { /* what is legal elsewhere is not named */
        status = aic_fail(status, NULL, "%s (loc=%s, arch=%s)", aic_last_error(),
                          aic_enum_word(AIC_KIND_LOC, desc->loc), aic_enum_word(AIC_KIND_ARCH, desc->arch));
    }
    return status;
}

static aic_status check_zero(const char *field, const char *kind, int64_t value)
{
    if (value == 0) {
        return AIC_OK;
    }
    return aic_fail(AIC_INVALID_ARGUMENT, NAME, "%s: %" PRId64 " is given to a %s, which has none", field, value, kind);
}

/* General rule 3. */
static aic_status check_bytes(const char *field, const aic_texpands_desc *desc)
{
    const int64_t size = (int64_t)aic_dtype_size(desc->dtype);
    if (aic_size_multiply(aic_texpands_storage(desc), size) < INT64_MAX) {
        return AIC_OK;
    }
    return aic_fail(AIC_INVALID_ARGUMENT, NAME, "%s: the tile has more than %" PRId64 " bytes", field, INT64_MAX - 1);
}

/* Section 2.2: the device counts blocks of 32 bytes. */
static aic_status check_blocks(const char *field, const char *formula, int64_t elements, aic_dtype dtype)
{
    const int64_t blocks = elements / (BLOCK_BYTES / (int64_t)aic_dtype_size(dtype));
    if (blocks >= 1 && blocks <= BLOCKS_MAX) {
        return AIC_OK;
    }
    return aic_fail(AIC_INVALID_ARGUMENT, NAME, "%s: %s = %" PRId64 " blocks of %d bytes are outside 1..%d", field,
                    formula, blocks, BLOCK_BYTES, BLOCKS_MAX);
}

static aic_status check_valid(const char *field, const char *entry, int64_t value, int64_t most)
{
    return value == AIC_DYNAMIC ? AIC_OK : aic_rule_range(NAME, field, entry, value, 0, most);
}

/* Whether the valid region counts: in vec, and in mat where the choice mat_valid says so. */
static bool has_region(const aic_texpands_desc *desc, const aic_semantics *semantics)
{
    return aic_texpands_has_region(desc) ||
           (!aic_texpands_is_conv(desc) && semantics->mat_valid == AIC_MAT_VALID_VALID);
}

static aic_status check_region(const aic_texpands_desc *desc)
{
    if (desc->loc != AIC_LOC_VEC && (desc->v_row == AIC_DYNAMIC || desc->v_col == AIC_DYNAMIC)) {
        return aic_fail(AIC_UNSUPPORTED, NAME, "%s: a size that the call gives is supported in vec only",
                        desc->v_row == AIC_DYNAMIC ? "v_row" : "v_col");
    }
    aic_status status = check_valid("v_row", "valid_row", desc->v_row, desc->rows);
    return status == AIC_OK ? check_valid("v_col", "valid_col", desc->v_col, desc->cols) : status;
}

static aic_status check_sizes(const aic_texpands_desc *desc, const aic_semantics *semantics)
{
    aic_status status = aic_rule_range(NAME, "rows", NULL, desc->rows, 1, INT64_MAX);
    if (status == AIC_OK) {
        status = aic_rule_range(NAME, "cols", NULL, desc->cols, 1, INT64_MAX);
    }
    if (status == AIC_OK) {
        status = check_bytes("rows / cols", desc);
    }
    return status == AIC_OK && has_region(desc, semantics) ? check_region(desc) : status;
}

static aic_status check_blayout(const aic_texpands_desc *desc)
{
    aic_status status = aic_rule_enum(NAME, "blayout", AIC_KIND_BLAYOUT, desc->blayout);
    if (status == AIC_OK && desc->loc == AIC_LOC_VEC && desc->blayout != AIC_BLAYOUT_ROW_MAJOR) {
        status = aic_fail(AIC_INVALID_ARGUMENT, NAME, "blayout: %s is not row_major, as tiles in vec are",
                          aic_enum_word(AIC_KIND_BLAYOUT, desc->blayout));
    }
    return status;
}

/* What belongs to ConvTiles. */
static aic_status check_no_conv(const aic_texpands_desc *desc)
{
    aic_status status = AIC_OK;
    for (size_t i = 0; i < SHAPE_MAX && status == AIC_OK; i++) {
        status = check_zero("shape", "Tile", desc->shape[i]);
    }
    return status == AIC_OK ? check_zero("buffer_size", "Tile", desc->buffer_size) : status;
}

static aic_status check_tile(const aic_texpands_desc *desc, const aic_semantics *semantics)
{
    aic_status status = check_sizes(desc, semantics);
    if (status == AIC_OK) {
        status = check_blayout(desc);
    }
    if (status == AIC_OK) {
        status = aic_tile_check(NAME, desc);
    }
    if (status == AIC_OK && desc->loc == AIC_LOC_MAT) {
        status = check_blocks("rows / cols", "rows*cols", aic_texpands_storage(desc), desc->dtype);
    }
    if (status == AIC_OK) {
        status = aic_rule_enum(NAME, "pad", AIC_KIND_PAD, desc->pad);
    }
    if (status == AIC_OK) {
        status = aic_rule_range(NAME, "compact", NULL, desc->compact, 0, 0);
    }
    return status == AIC_OK ? check_no_conv(desc) : status;
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
        if (convs[i].a2a3 || arch == AIC_A5) {
            layouts[count++] = convs[i].layout;
        }
    }
    return count;
}

static aic_status check_layout(const aic_texpands_desc *desc)
{
    aic_layout legal[CONVS];
    const size_t count = aic_texpands_layouts(desc->arch, legal);
    aic_status status = aic_rule_layout(NAME, "layout", desc->layout, legal, count);
    if (status == AIC_INVALID_ARGUMENT) {
        status = aic_fail(status, NULL, "%s (arch=%s)", aic_last_error(), aic_enum_word(AIC_KIND_ARCH, desc->arch));
    }
    return status;
}

static aic_status check_dimensions(const aic_texpands_desc *desc)
{
    const conv_row *row = convs;
    while (row->layout != desc->layout) {
        row++;
    }
    const size_t count = dimensions(desc);
    const bool folded = row->folded && count == FOLDED_DIMS;
    if (count != row->dims && !folded) {
        return aic_fail(AIC_INVALID_ARGUMENT, NAME, "shape: %zu dimensions are not the %zu%s of %s", count, row->dims,
                        row->folded ? " or 4" : "", aic_enum_word(AIC_KIND_LAYOUT, desc->layout));
    }
    for (size_t i = 0; i < count; i++) {
        if (desc->shape[i] < 1) {
            char entry[32];
            snprintf(entry, sizeof entry, i + 1 < count ? "entry %zu" : "c0", i);
            return aic_rule_range(NAME, "shape", entry, desc->shape[i], 1, INT64_MAX);
        }
    }
    if (folded && desc->shape[2] != FOLDED_BLOCK) {
        return aic_fail(AIC_INVALID_ARGUMENT, NAME,
                        "shape: entry 2 = %" PRId64 " is not %d, as in the form of 4 dimensions", desc->shape[2],
                        FOLDED_BLOCK);
    }
    return AIC_OK;
}

/* Section 2.3 on the numbers of a shape whose dimensions are right. */
static aic_status check_shape(const aic_texpands_desc *desc)
{
    const size_t count = dimensions(desc);
    const int64_t c0 = desc->shape[count - 1], outer = product(desc, count - 1), all = product(desc, count);
    const int64_t multiple = BLOCK_BYTES / (int64_t)aic_dtype_size(desc->dtype);
    if (outer > BLOCKS_MAX) {
        return aic_fail(AIC_INVALID_ARGUMENT, NAME, "shape: the product without c0 = %" PRId64 " is outside 1..%d",
                        outer, BLOCKS_MAX);
    }
    if (all % multiple != 0 && all != INT64_MAX) {
        return aic_fail(AIC_INVALID_ARGUMENT, NAME,
                        "shape: c0 = %" PRId64 " makes %" PRId64 " elements of %s, not a multiple of %d bytes", c0, all,
                        aic_dtype_name(desc->dtype), BLOCK_BYTES);
    }
    return check_blocks("shape", "the product", all, desc->dtype);
}

static aic_status check_conv(const aic_texpands_desc *desc)
{
    aic_status status = check_zero("rows", "ConvTile", desc->rows);
    if (status == AIC_OK) {
        status = check_zero("cols", "ConvTile", desc->cols);
    }
    if (status == AIC_OK) {
        status = check_layout(desc);
    }
    if (status == AIC_OK) {
        status = check_dimensions(desc);
    }
    if (status == AIC_OK) {
        status = check_shape(desc);
    }
    if (status == AIC_OK) {
        status = aic_rule_range(NAME, "buffer_size", NULL, desc->buffer_size, aic_texpands_filled(desc), INT64_MAX);
    }
    return status == AIC_OK ? check_bytes("buffer_size", desc) : status;
}

/* ---- placement and scalar ---- */

/* The tile does not fit into its memory, or not from its address on: "... the 196608 of vec of A2A3", "... the 65536 of
 * vec (ub_bytes)". */
static aic_status fail_capacity(const aic_texpands_desc *desc, const aic_semantics *semantics, int64_t bytes)
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
        return aic_fail(AIC_INVALID_ARGUMENT, NAME, "address: the tile's %" PRId64 " bytes are more than the %s", bytes,
                        memory);
    }
    return aic_fail(AIC_INVALID_ARGUMENT, NAME, "address: %" PRId64 " and %" PRId64 " bytes are beyond the %s",
                    desc->address, bytes, memory);
}

/* Section 3, in its order. */
static aic_status check_placement(const aic_texpands_desc *desc, const aic_semantics *semantics)
{
    aic_status status = aic_rule_bool(NAME, "manual", &desc->manual);
    if (status != AIC_OK || !desc->manual) {
        return status;
    }
    if (desc->address == AIC_NOT_GIVEN) {
        return aic_fail(AIC_INVALID_ARGUMENT, NAME,
                        "address: none is given; with manual placement TASSIGN binds a tile first");
    }
    const int64_t capacity = aic_tile_capacity(semantics, desc->arch, desc->loc);
    const int64_t bytes = aic_texpands_storage(desc) * (int64_t)aic_dtype_size(desc->dtype);
    if (bytes > capacity || desc->address > capacity - bytes) {
        return fail_capacity(desc, semantics, bytes);
    }
    if (desc->address % AIC_TILE_ALIGNMENT != 0 || desc->address < 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, NAME, "address: %" PRId64 " is %s", desc->address,
                        desc->address % AIC_TILE_ALIGNMENT != 0 ? "not a multiple of 32" : "negative");
    }
    return AIC_OK;
}

static aic_status check_literal(const aic_texpands_desc *desc)
{
    const int64_t most = (int64_t)(UINT64_MAX >> (64 - 8 * aic_dtype_size(desc->dtype)));
    return desc->literal == AIC_NOT_GIVEN ? AIC_OK : aic_rule_range(NAME, "literal", NULL, desc->literal, 0, most);
}

static aic_status texpands_validate(const void *descriptor, const aic_semantics *semantics)
{
    const aic_texpands_desc *desc = descriptor;
    aic_status status = check_loc(desc);
    if (status == AIC_OK) {
        status = check_dtype(desc);
    }
    if (status == AIC_OK) {
        status = aic_texpands_is_conv(desc) ? check_conv(desc) : check_tile(desc, semantics);
    }
    if (status == AIC_OK) {
        status = check_placement(desc, semantics);
    }
    return status == AIC_OK ? check_literal(desc) : status;
}

/* ---- operands ---- */

static aic_operand vector(const char *name, aic_direction direction, aic_dtype dtype, int64_t elements)
{
    return (aic_operand){.name = name,
                         .direction = direction,
                         .dtype = dtype,
                         .rank = direction == AIC_UNUSED ? 0 : 1,
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
    return vector(name, value == AIC_DYNAMIC ? AIC_IN : AIC_UNUSED, AIC_INT32, 1);
}

static size_t texpands_operands(const void *descriptor, const aic_semantics *semantics,
                                aic_operand operands[AIC_OPERANDS_MAX])
{
    const aic_texpands_desc *desc = descriptor;
    operands[AIC_TEXPANDS_DST] =
        vector("dst", keeps_some(desc, semantics) ? AIC_INOUT : AIC_OUT, desc->dtype, aic_texpands_storage(desc));
    operands[AIC_TEXPANDS_DST].strided = true;
    operands[AIC_TEXPANDS_SCALAR] =
        vector("scalar", desc->literal == AIC_NOT_GIVEN ? AIC_IN : AIC_UNUSED, desc->dtype, 1);
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
static aic_status check_size(const char *field, const char *entry, const void *operand, int64_t most)
{
    int32_t value;
    memcpy(&value, operand, sizeof value);
    return aic_rule_range(NAME, field, entry, value, 0, most);
}

static aic_status texpands_check_data(const void *descriptor, const void *const operands[])
{
    const aic_texpands_desc *desc = descriptor;
    aic_status status = AIC_OK;
    if (!aic_texpands_is_dynamic(desc)) {
        return status;
    }
    if (desc->v_row == AIC_DYNAMIC) {
        status = check_size("v_row", "valid_row", operands[AIC_TEXPANDS_V_ROW], desc->rows);
    }
    if (status == AIC_OK && desc->v_col == AIC_DYNAMIC) {
        status = check_size("v_col", "valid_col", operands[AIC_TEXPANDS_V_COL], desc->cols);
    }
    return status;
}

const aic_op_info aic_op_texpands = {
    AIC_THIS_ENTRIES,
    .validate = texpands_validate,
    .operands = texpands_operands,
    .coordinates = texpands_coordinates,
    .accessed = texpands_accessed,
    .check_data = texpands_check_data,
    .reference = aic_texpands_reference,
    .random_under = aic_texpands_random,
    .random_illegal = aic_texpands_random_illegal,
};
