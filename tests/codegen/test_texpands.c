/* texpands: its rules, the worked examples E1 to E6 of the document, the reference element by element. */
#include "frontend/core/stage.h"
#include "frontend/ops/texpands.h"
#include "frontend/random/rng.h"
#include "tests/rule_case.h"
#include "tests/specs.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_texpands(void);

#define VEC "texpands(arch=A5, loc=vec, dtype=float32, rows=16, cols=16, v_row=3, v_col=5)"
#define OLD "texpands(arch=A2A3, loc=vec, dtype=float32, rows=16, cols=16)"
#define MAT "texpands(loc=mat, dtype=float16, rows=16, cols=16, blayout=col_major)"
#define BOX "texpands(loc=mat, dtype=float16, rows=32, cols=32, slayout=row_major)"
#define CONV "texpands(arch=A5, loc=mat, dtype=float16, layout=NC1HWC0, shape=[1,16,7,7,16])"
#define CONV_OF(dtype, layout, shape) "texpands(loc=mat, dtype=" dtype ", layout=" layout ", shape=[" shape "])"
#define PLACED(address) "texpands(arch=A2A3, dtype=float32, rows=128, cols=128, manual=true, address=" address ")"
#define MAT_FULL(address) "texpands(loc=mat, dtype=int8, rows=512, cols=1024, manual=true, address=" address ")"

/* ---- rules ---- */

static const rule_case cases[] = {
    {VEC, NULL, 0, NULL},
    {VEC, "arch", 2, "texpands: arch: value 2 is not A2A3 or A5"},
    {VEC, "loc", AIC_LOC_MAT, NULL},
    {VEC, "loc", AIC_LOC_LEFT, "texpands: loc: left is not vec or mat"},
    {VEC, "loc", AIC_LOC_SCALING, "texpands: loc: scaling is not vec or mat"},
    {VEC, "loc", 7, "texpands: loc: value 7 is not a location (vec, mat, left, right, acc, bias, scaling)"},
    {VEC, "dtype", AIC_UINT64,
     "texpands: dtype: uint64 is not int8, uint8, int16, uint16, int32, uint32, float16 or float32 (loc=vec, arch=A5)"},
    {VEC, "rows", 0, "texpands: rows: 0 is outside 1..9223372036854775807"},
    {VEC, "cols", -1, "texpands: cols: -1 is outside 1..9223372036854775807"},
    {VEC, "cols", 12, "texpands: cols: 12 elements of float32, 48 bytes, are not a multiple of 32 bytes"},
    {VEC, "rows", INT64_MAX, "texpands: rows / cols: the tile has more than 9223372036854775806 bytes"},
    {VEC, "v_row", 0, NULL},
    {VEC, "v_row", 16, NULL},
    {VEC, "v_row", 17, "texpands: v_row: valid_row = 17 is outside 0..16"},
    {VEC, "v_row", -1, "texpands: v_row: valid_row = -1 is outside 0..16"},
    {VEC, "v_row", AIC_DYNAMIC, NULL},
    {VEC, "v_row", AIC_NOT_GIVEN, NULL},
    {VEC, "v_col", 17, "texpands: v_col: valid_col = 17 is outside 0..16"},
    {VEC, "blayout", AIC_BLAYOUT_COL_MAJOR, "texpands: blayout: col_major is not row_major, as tiles in vec are"},
    {VEC, "blayout", 2, "texpands: blayout: value 2 is not row_major or col_major"},
    {VEC, "slayout", AIC_SLAYOUT_ROW_MAJOR, NULL},
    {VEC, "slayout", AIC_SLAYOUT_COL_MAJOR, NULL},
    {VEC, "slayout", 3, "texpands: slayout: value 3 is not none_box, row_major or col_major"},
    {VEC, "fractal", 1024, NULL},
    {VEC, "fractal", 256, "texpands: fractal: 256 is not 512 or 1024"},
    {VEC, "pad", AIC_PAD_MIN, NULL},
    {VEC, "pad", 4, "texpands: pad: value 4 is not 0 (null), 1 (zero), 2 (max) or 3 (min)"},
    {VEC, "compact", 1, "texpands: compact: 1 is outside 0..0"},
    {VEC, "buffer_size", 1, "texpands: buffer_size: 1 is given to a Tile, which has none"},
    {VEC, "shape", 1, "texpands: shape: 1 is given to a Tile, which has none"},
    {VEC, "layout", AIC_LAYOUT_NC1HWC0, "texpands: loc: vec is not mat, where ConvTiles are"},
    {VEC, "literal", 0xFFFFFFFF, NULL},
    {VEC, "literal", INT64_C(1) << 32, "texpands: literal: 4294967296 is outside 0..4294967295"},
    {VEC, "manual", 2, "texpands: manual: value 2 is not true or false"},
    {VEC, "manual", 1, "texpands: address: none is given; with manual placement TASSIGN binds a tile first"},
    {VEC, "address", -7, NULL}, /* without manual placement it has no effect */

    {MAT, NULL, 0, NULL},
    {MAT, "rows", 24, "texpands: rows: 24 elements of float16, 48 bytes, are not a multiple of 32 bytes"},
    {MAT, "cols", 3, NULL},
    {MAT, "v_row", 17, NULL},
    {MAT, "v_col", -1, NULL},
    {MAT, "rows", 32768 * 16, "texpands: rows / cols: rows*cols = 524288 blocks of 32 bytes are outside 1..32767"},
    {BOX, NULL, 0, NULL},
    {BOX, "rows", 24, "texpands: rows: 24 is not a multiple of the box's 16"},
    {BOX, "cols", 24, "texpands: cols: 24 is not a multiple of the box's 16"},
    {BOX, "slayout", AIC_SLAYOUT_COL_MAJOR, NULL},
    {"texpands(loc=mat, dtype=int8, rows=16, cols=32, slayout=row_major)", NULL, 0, NULL},
    {"texpands(loc=mat, dtype=int8, rows=16, cols=32, slayout=col_major)", NULL, 0,
     "texpands: rows: 16 is not a multiple of the box's 32"},
    {"texpands(loc=mat, dtype=float32, rows=16, cols=24, slayout=row_major)", NULL, 0, NULL},
    {"texpands(loc=mat, dtype=float32, rows=16, cols=24, slayout=row_major)", "fractal", 1024,
     "texpands: cols: 24 is not a multiple of the box's 16"},

    {CONV, NULL, 0, NULL},
    {CONV, "loc", AIC_LOC_VEC, "texpands: loc: vec is not mat, where ConvTiles are"},
    {CONV, "layout", AIC_LAYOUT_NZ,
     "texpands: layout: Nz is not NC1HWC0, FRACTAL_Z, NDC1HWC0 or FRACTAL_Z_3D (arch=A5)"},
    {CONV, "layout", 77, "texpands: layout: value 77 is not NC1HWC0, FRACTAL_Z, NDC1HWC0 or FRACTAL_Z_3D (arch=A5)"},
    {CONV, "layout", AIC_LAYOUT_NDC1HWC0, "texpands: shape: 5 dimensions are not the 6 of NDC1HWC0"},
    {CONV, "layout", AIC_LAYOUT_FRACTAL_Z_3D, "texpands: shape: 5 dimensions are not the 6 or 4 of FRACTAL_Z_3D"},
    {CONV, "layout", AIC_LAYOUT_FRACTAL_Z, NULL},
    {CONV, "shape", -1, "texpands: shape: entry 0 = -1 is outside 1..9223372036854775807"},
    {CONV_OF("float16", "NC1HWC0", "1,16,7,7,-16"), NULL, 0,
     "texpands: shape: c0 = -16 is outside 1..9223372036854775807"},
    {CONV, "rows", 16, "texpands: rows: 16 is given to a ConvTile, which has none"},
    {CONV, "cols", 16, "texpands: cols: 16 is given to a ConvTile, which has none"},
    {CONV, "buffer_size", 12544, NULL},
    {CONV, "buffer_size", 12543, "texpands: buffer_size: 12543 is outside 12544..9223372036854775807"},
    {CONV, "buffer_size", INT64_MAX, "texpands: buffer_size: the tile has more than 9223372036854775806 bytes"},
    {CONV, "v_row", 99, NULL}, /* a ConvTile has no valid region */
    {CONV_OF("float16", "FRACTAL_Z", "98,2,16,16"), NULL, 0, NULL},
    {CONV_OF("float16", "FRACTAL_Z_3D", "98,2,16,16"), NULL, 0, NULL},
    {CONV_OF("float16", "FRACTAL_Z", "98,2,8,16"), NULL, 0,
     "texpands: shape: entry 2 = 8 is not 16, as in the form of 4 dimensions"},
    {CONV_OF("float16", "NC1HWC0", "98,2,16,16"), NULL, 0, "texpands: shape: 4 dimensions are not the 5 of NC1HWC0"},
    {CONV_OF("float16", "NC1HWC0", "1,1,1,1,1,16"), NULL, 0, "texpands: shape: 6 dimensions are not the 5 of NC1HWC0"},
    {CONV_OF("int8", "NC1HWC0", "1,32,32,31,64"), NULL, 0,
     "texpands: shape: the product = 63488 blocks of 32 bytes are outside 1..32767"},
    {CONV_OF("int8", "NC1HWC0", "9223372036854775807,9223372036854775807,1,1,1"), NULL, 0,
     "texpands: shape: the product without c0 = 9223372036854775807 is outside 1..32767"},
};

START_TEST(every_row)
{
    rule_case_check(&cases[_i]);
}
END_TEST

/* Section 2.1, cell by cell. */
START_TEST(type_table)
{
    static const char *const legal[] = {
        /* A2A3 vec, A2A3 mat, A5 vec, A5 mat */
        [AIC_INT8] = "0111",    [AIC_UINT8] = "0111",  [AIC_INT16] = "1111",   [AIC_UINT16] = "0111",
        [AIC_INT32] = "1111",   [AIC_UINT32] = "0111", [AIC_FLOAT16] = "1111", [AIC_BFLOAT16] = "0100",
        [AIC_FLOAT32] = "1111", [AIC_UINT64] = "0000"};
    for (unsigned dtype = AIC_INT8; dtype <= AIC_UINT64; dtype++) {
        for (unsigned memory = 0; memory < 4; memory++) {
            aic_texpands_desc desc = aic_texpands_desc_init();
            desc.arch = memory < 2 ? AIC_CHIP_A2A3 : AIC_CHIP_A5;
            desc.loc = memory % 2 ? AIC_LOC_MAT : AIC_LOC_VEC;
            desc.dtype = (aic_dtype)dtype;
            desc.rows = desc.cols = 32;
            const aic_spec spec = aic_spec_of(AIC_OP_TEXPANDS, &desc);
            const aic_status status = aic_spec_validate(&spec, NULL);
            ck_assert_msg((status == AIC_OK) == (legal[dtype][memory] == '1'), "%s, memory %u",
                          aic_dtype_name((aic_dtype)dtype), memory);
            ck_assert(status == AIC_OK || strstr(aic_last_error(), "texpands: dtype: ") == aic_last_error());
        }
    }
}
END_TEST

START_TEST(first_broken_rule_is_reported)
{
    static const rule_case mends[] = {
        {VEC, "arch", AIC_CHIP_A5, "texpands: arch: "},
        {VEC, "loc", AIC_LOC_MAT, "texpands: loc: "},
        {VEC, "dtype", AIC_FLOAT32, "texpands: dtype: "},
        {VEC, "layout", AIC_LAYOUT_ND, "texpands: rows: "}, /* a ConvTile */
        {VEC, "rows", 8, "texpands: rows: "},
        {VEC, "cols", 8, "texpands: cols: "},
        {VEC, "blayout", AIC_BLAYOUT_ROW_MAJOR, "texpands: blayout: "},
        {VEC, "slayout", AIC_SLAYOUT_NONE_BOX, "texpands: slayout: "},
        {VEC, "fractal", 512, "texpands: fractal: "},
        {VEC, "pad", AIC_PAD_NULL, "texpands: pad: "},
        {VEC, "compact", 0, "texpands: compact: "},
    };
    enum { COUNT = sizeof mends / sizeof mends[0] };
    aic_spec spec = spec_of(VEC);
    memset(&spec.stage[0].desc, 0x99, sizeof spec.stage[0].desc.texpands);
    for (size_t i = 0; i < COUNT; i++) {
        ck_assert_int_eq(aic_spec_validate(&spec, NULL), AIC_INVALID_ARGUMENT);
        ck_assert_msg(strncmp(aic_last_error(), mends[i].message, strlen(mends[i].message)) == 0, "%s, not %s",
                      aic_last_error(), mends[i].message);
        set_field(AIC_OP_TEXPANDS, &spec.stage[0].desc, mends[i].field, 0, (uint64_t)mends[i].value);
    }
    check_rules(&spec, "texpands: shape: -7378697629483820647 is given to a Tile, which has none");
}
END_TEST

START_TEST(any_words_are_answered)
{
    rule_check_any_words(VEC);
    rule_check_any_words(CONV);
}
END_TEST

START_TEST(random_is_legal_and_wide)
{
    enum { CASES = 3000 };
    int conv = 0, dynamic = 0, boxed = 0, manual = 0, literal = 0, empty = 0, bf16 = 0, folded = 0, roomy = 0;
    rule_check_random(AIC_OP_TEXPANDS, 0, 400000);
    for (uint64_t seed = 0; seed < CASES; seed++) {
        aic_spec spec;
        ck_assert_int_eq(aic_spec_draw(AIC_OP_TEXPANDS, NULL, seed, &spec), AIC_OK);
        const aic_texpands_desc *d = &spec.stage[0].desc.texpands;
        conv += aic_texpands_is_conv(d);
        dynamic += aic_texpands_is_dynamic(d);
        boxed += d->slayout != AIC_SLAYOUT_NONE_BOX && d->loc == AIC_LOC_VEC;
        manual += d->manual;
        literal += d->literal != AIC_NOT_GIVEN;
        empty += aic_texpands_has_region(d) && (d->v_row == 0 || d->v_col == 0);
        bf16 += d->dtype == AIC_BFLOAT16;
        folded += aic_texpands_is_conv(d) && d->shape[4] == 0;
        roomy += aic_texpands_is_conv(d) && d->buffer_size > aic_texpands_filled(d);
    }
    ck_assert_int_gt(conv, CASES / 5);
    ck_assert_int_gt(dynamic, CASES / 20);
    ck_assert_int_gt(boxed, CASES / 10);
    ck_assert_int_gt(manual, CASES / 10);
    ck_assert_int_gt(literal, CASES / 10);
    ck_assert_int_gt(empty, CASES / 50);
    ck_assert_int_gt(bf16, CASES / 100);
    ck_assert_int_gt(folded, CASES / 50);
    ck_assert_int_gt(roomy, CASES / 50);
}
END_TEST

START_TEST(random_under_other_capacities)
{
    static const int64_t bytes[] = {32, 65536, 196608, 1073741824};
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
        aic_semantics semantics = aic_semantics_init(), less;
        semantics.ub_bytes = semantics.l1_bytes = bytes[i];
        less = semantics;
        less.ub_bytes = less.l1_bytes = 32;
        const int refused = rule_check_random_under(AIC_OP_TEXPANDS, &semantics, &less, 2000);
        ck_assert_int_eq(refused > 100, bytes[i] > 32);
    }
}
END_TEST

START_TEST(random_illegal_reaches_every_rule)
{
    static const char *const rules[] = {
        "arch: value",
        "loc: value",
        "is not vec or mat",
        "where ConvTiles are",
        "dtype: ",
        "rows: 0 is outside",
        "cols: 0 is outside",
        "the tile has more than",
        "v_row: valid_row",
        "v_col: valid_col",
        "blayout: value",
        "blayout: col_major",
        "slayout: ",
        "fractal: ",
        "are not a multiple of 32 bytes",
        "multiple of the box's",
        "rows / cols: rows*cols",
        "pad: ",
        "compact: ",
        "shape: 1 is given to a Tile",
        "buffer_size: 1 is given to a Tile",
        "rows: 16 is given to a ConvTile",
        "cols: 16 is given to a ConvTile",
        "layout: ",
        "dimensions are not",
        "shape: entry ",
        "is not 16, as in the form",
        "the product without c0",
        "shape: the product = ",
        "buffer_size: ",
        "manual: ",
        "address: none is given",
        "address: the tile's",
        "are beyond",
        "is not a multiple of 32",
        "is negative",
        "literal: ",
    };
    rule_check_random_illegal(AIC_OP_TEXPANDS, rules, sizeof rules / sizeof rules[0]);
}
END_TEST

/* ---- worked examples ---- */

/* E4 to E6: text and what is said of it. */
static const rule_case examples[] = {
    {CONV_OF("int32", "NDC1HWC0", "2,2,3,2,1,8"), NULL, 0, NULL},
    {CONV_OF("int32", "NDC1HWC0", "2,2,3,2,1,8"), "arch", AIC_CHIP_A2A3,
     "texpands: layout: NDC1HWC0 is not NC1HWC0 or FRACTAL_Z (arch=A2A3)"},
    {"texpands(loc=mat, dtype=half, rows=1024, cols=512)", NULL, 0,
     "texpands: rows / cols: rows*cols = 32768 blocks of 32 bytes are outside 1..32767"},
    {"texpands(loc=mat, dtype=uint16, rows=256, cols=256)", NULL, 0, NULL},
    {CONV_OF("int16", "NC1HWC0", "2,5,2,3,8"), NULL, 0, NULL},
    {CONV_OF("int16", "NC1HWC0", "1,1,1,3,8"), NULL, 0,
     "texpands: shape: c0 = 8 makes 24 elements of int16, not a multiple of 32 bytes"},
    {CONV_OF("half", "NC1HWC0", "1,2,128,128,16"), NULL, 0,
     "texpands: shape: the product without c0 = 32768 is outside 1..32767"},
    {"texpands(dtype=float, rows=16, cols=16, v_col=17)", NULL, 0, "texpands: v_col: valid_col = 17 is outside 0..16"},
    {"texpands(arch=A2A3, dtype=int8, rows=32, cols=32)", NULL, 0,
     "texpands: dtype: int8 is not int16, int32, float16 or float32 (loc=vec, arch=A2A3)"},
    {"texpands(arch=A5, dtype=int8, rows=32, cols=32)", NULL, 0, NULL},
    {"texpands(arch=A5, loc=mat, dtype=bf16, rows=32, cols=32)", NULL, 0,
     "texpands: dtype: bfloat16 is not int8, uint8, int16, uint16, int32, uint32, float16 or float32 (loc=mat, "
     "arch=A5)"},
    {"texpands(arch=A2A3, loc=mat, dtype=bf16, rows=32, cols=32)", NULL, 0, NULL},

    {PLACED("0x20000"), NULL, 0, NULL},
    {PLACED("0x20020"), NULL, 0, "texpands: address: 131104 and 65536 bytes are beyond the 196608 of vec of A2A3"},
    {PLACED("0x1010"), NULL, 0, "texpands: address: 4112 is not a multiple of 32"},
    {PLACED("-32"), NULL, 0, "texpands: address: -32 is negative"},
    {PLACED("none"), NULL, 0, "texpands: address: none is given; with manual placement TASSIGN binds a tile first"},
    {"texpands(arch=A2A3, dtype=float, rows=256, cols=256, manual=true, address=0)", NULL, 0,
     "texpands: address: the tile's 262144 bytes are more than the 196608 of vec of A2A3"},
    {"texpands(arch=A2A3, dtype=float, rows=256, cols=256, address=0)", NULL, 0, NULL},
    {"texpands(arch=A5, dtype=float, rows=256, cols=256, manual=true, address=0)", NULL, 0, NULL},
    {"texpands(arch=A2A3, dtype=float, rows=16, cols=16, manual=true, address=0x1000)", NULL, 0, NULL},
    {MAT_FULL("0"), NULL, 0, NULL},
    {MAT_FULL("32"), NULL, 0, "texpands: address: 32 and 524288 bytes are beyond the 524288 of mat of A5"},
};

START_TEST(worked_examples)
{
    rule_case_check(&examples[_i]);
}
END_TEST

/* E6 with other capacities of the two memories. */
static const struct {
    int64_t ub_bytes, l1_bytes;
    const char *text, *message;
} capacities[] = {
    {196608, 0, PLACED("0x20000"), NULL},
    {196576, 0, PLACED("0x20000"), "texpands: address: 131072 and 65536 bytes are beyond the 196576 of vec (ub_bytes)"},
    {196640, 0, PLACED("0x20020"), NULL},
    {65536, 0, PLACED("0"), NULL},
    {65536, 0, PLACED("32"), "texpands: address: 32 and 65536 bytes are beyond the 65536 of vec (ub_bytes)"},
    {65504, 0, PLACED("0"), "texpands: address: the tile's 65536 bytes are more than the 65504 of vec (ub_bytes)"},
    {32, 32, "texpands(dtype=float, rows=256, cols=256, address=0)", NULL},
    {0, 32, PLACED("0x20000"), NULL},
    {0, 32, PLACED("0x20020"), "texpands: address: 131104 and 65536 bytes are beyond the 196608 of vec of A2A3"},
    {1048576, 0, PLACED("0x1010"), "texpands: address: 4112 is not a multiple of 32"},
    {262144, 0, "texpands(arch=A2A3, dtype=float, rows=256, cols=256, manual=true, address=0)", NULL},
    {0, 524320, MAT_FULL("32"), NULL},
    {0, 524288, MAT_FULL("32"), "texpands: address: 32 and 524288 bytes are beyond the 524288 of mat (l1_bytes)"},
    {1048576, 0, MAT_FULL("32"), "texpands: address: 32 and 524288 bytes are beyond the 524288 of mat of A5"},
    {33, 0, PLACED("0"), "ub_bytes: 33 is no multiple of 32"},
    {0, -32, PLACED("0"), "l1_bytes: -32 is outside 0..1073741824"},
    {0, 1073741856, PLACED("0"), "l1_bytes: 1073741856 is outside 0..1073741824"},
};

START_TEST(other_capacities)
{
    const aic_spec spec = spec_of(capacities[_i].text);
    aic_semantics semantics = aic_semantics_init();
    semantics.ub_bytes = capacities[_i].ub_bytes;
    semantics.l1_bytes = capacities[_i].l1_bytes;
    const aic_status status = aic_spec_validate(&spec, &semantics);
    if (capacities[_i].message == NULL) {
        ck_assert_msg(status == AIC_OK, "%s", aic_last_error());
    } else {
        ck_assert_int_eq(status, AIC_INVALID_ARGUMENT);
        check_error(capacities[_i].message);
    }
}
END_TEST

/* Runs the reference on storage full of 0x5A; the caller frees it. scalar NULL: the text has a literal. */
static unsigned char *fill(const char *text, const void *scalar, const int32_t *v_row, const int32_t *v_col,
                           int64_t *elements)
{
    const aic_spec spec = spec_of(text);
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count;
    ck_assert_msg(aic_spec_operands(&spec, NULL, operand, &count) == AIC_OK, "%s: %s", text, aic_last_error());
    unsigned char *dst = malloc((size_t)operand[0].bytes);
    ck_assert_ptr_nonnull(dst);
    memset(dst, 0x5A, (size_t)operand[0].bytes);
    _Alignas(4) unsigned char element[4];
    int32_t sizes[2] = {v_row ? *v_row : 0, v_col ? *v_col : 0};
    if (scalar != NULL) {
        memcpy(element, scalar, aic_dtype_size(operand[0].dtype));
    }
    void *const operands[] = {dst, scalar != NULL ? element : NULL, &sizes[0], &sizes[1]};
    run_reference(&spec, NULL, operands, count);
    *elements = operand[0].elements;
    return dst;
}

START_TEST(example_1)
{
    int64_t elements;
    uint32_t zero = 0, scalar = 0x3FC00000, word;
    unsigned char *dst = fill("texpands(dtype=float32, rows=16, cols=16)", &zero, NULL, NULL, &elements);
    ck_assert_int_eq(elements, 256);
    for (int64_t i = 0; i < elements; i++) {
        memcpy(&word, dst + i * 4, 4);
        ck_assert_uint_eq(word, 0);
    }
    free(dst);
    const int32_t rows = 3, cols = 5;
    static const char *const texts[] = {VEC, "texpands(dtype=float32, rows=16, cols=16, v_row=dyn, v_col=dyn)"};
    for (size_t t = 0; t < 2; t++) {
        int64_t kept = 0;
        dst = fill(texts[t], &scalar, &rows, &cols, &elements);
        for (int64_t i = 0; i < elements; i++) {
            memcpy(&word, dst + i * 4, 4);
            const bool inside = i / 16 < 3 && i % 16 < 5;
            ck_assert_uint_eq(word, inside ? 0x3FC00000 : 0x5A5A5A5A);
            kept += !inside;
        }
        ck_assert_int_eq(kept, 241);
        free(dst);
    }
}
END_TEST

START_TEST(examples_2_and_3)
{
    int64_t elements;
    const int8_t minus_two = -2;
    static const char *const texts[] = {"texpands(arch=A2A3, loc=mat, dtype=int8, rows=32, cols=32, v_row=4, v_col=4)",
                                        "texpands(arch=A5, loc=mat, dtype=int8, rows=32, cols=32, v_row=4, v_col=4)"};
    for (size_t t = 0; t < 2; t++) {
        unsigned char *bytes = fill(texts[t], &minus_two, NULL, NULL, &elements);
        ck_assert_int_eq(elements, 1024);
        for (int64_t i = 0; i < elements; i++) {
            ck_assert_uint_eq(bytes[i], 0xFE);
        }
        free(bytes);
    }
    const uint16_t three = 0x4200;
    unsigned char *dst = fill(CONV, &three, NULL, NULL, &elements);
    ck_assert_int_eq(elements, 12544);
    for (int64_t i = 0; i < elements; i++) {
        ck_assert_uint_eq(dst[2 * i] | dst[2 * i + 1] << 8, 0x4200);
    }
    free(dst);
}
END_TEST

/* Rows of boxes, written out: 32 x 16 float, boxes of 16 x 8. */
START_TEST(boxes)
{
    int64_t elements;
    const uint32_t one = 1;
    unsigned char *dst = fill("texpands(dtype=int32, rows=32, cols=16, slayout=row_major, v_row=17, v_col=9)", &one,
                              NULL, NULL, &elements);
    for (int64_t i = 0; i < elements; i++) {
        const int64_t box = i / 128, r = box / 2 * 16 + i % 128 / 8, c = box % 2 * 8 + i % 8;
        uint32_t word;
        memcpy(&word, dst + i * 4, 4);
        ck_assert_uint_eq(word, r < 17 && c < 9 ? 1 : 0x5A5A5A5A);
    }
    free(dst);
    dst = fill("texpands(dtype=int32, rows=32, cols=16, slayout=col_major, v_row=17, v_col=9)", &one, NULL, NULL,
               &elements);
    for (int64_t i = 0; i < elements; i++) { /* boxes of 8 x 16, columns first */
        const int64_t box = i / 128, r = box * 8 + i % 8, c = i % 128 / 8;
        uint32_t word;
        memcpy(&word, dst + i * 4, 4);
        ck_assert_uint_eq(word, r < 17 && c < 9 ? 1 : 0x5A5A5A5A);
    }
    free(dst);
}
END_TEST

/* Storage beyond the shape stays, bits are copied, a literal needs no operand. */
START_TEST(room_and_literals)
{
    int64_t elements;
    unsigned char *dst = fill("texpands(loc=mat, dtype=float32, layout=FRACTAL_Z, shape=[2,1,16,8], buffer_size=300, "
                              "literal=0xFFA00001)",
                              NULL, NULL, NULL, &elements);
    ck_assert_int_eq(elements, 300);
    for (int64_t i = 0; i < elements; i++) {
        uint32_t word;
        memcpy(&word, dst + i * 4, 4);
        ck_assert_uint_eq(word, i < 256 ? 0xFFA00001 : 0x5A5A5A5A);
    }
    free(dst);
}
END_TEST

/* ---- operands, keys ---- */

START_TEST(operand_table)
{
    static const struct {
        const char *text;
        size_t count;
        aic_direction direction[4];
        int64_t elements;
    } rows[] = {
        {OLD, 2, {AIC_DIRECTION_OUT, AIC_DIRECTION_IN}, 256},
        {VEC, 2, {AIC_DIRECTION_INOUT, AIC_DIRECTION_IN}, 256},
        {MAT, 2, {AIC_DIRECTION_OUT, AIC_DIRECTION_IN}, 256},
        {CONV, 2, {AIC_DIRECTION_OUT, AIC_DIRECTION_IN}, 12544},
        {"texpands(loc=mat, dtype=float16, layout=NC1HWC0, shape=[1,16,7,7,16], buffer_size=12545, literal=0)",
         2,
         {AIC_DIRECTION_INOUT, AIC_DIRECTION_UNUSED},
         12545},
        {"texpands(dtype=half, rows=2, cols=16, v_row=dyn)",
         4,
         {AIC_DIRECTION_INOUT, AIC_DIRECTION_IN, AIC_DIRECTION_IN, AIC_DIRECTION_UNUSED},
         32},
        {"texpands(dtype=half, rows=2, cols=16, v_col=?)",
         4,
         {AIC_DIRECTION_INOUT, AIC_DIRECTION_IN, AIC_DIRECTION_UNUSED, AIC_DIRECTION_IN},
         32},
        {"texpands(loc=mat, dtype=half, rows=2, cols=16, v_row=dyn, v_col=dyn)",
         2,
         {AIC_DIRECTION_OUT, AIC_DIRECTION_IN},
         32},
    };
    static const char *const names[] = {"dst", "scalar", "v_row", "v_col"};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const aic_spec spec = spec_of(rows[r].text);
        aic_operand operand[AIC_OPERANDS_MAX];
        size_t count;
        ck_assert_int_eq(aic_spec_operands(&spec, NULL, operand, &count), AIC_OK);
        ck_assert_uint_eq(count, rows[r].count);
        for (size_t i = 0; i < count; i++) {
            ck_assert_str_eq(operand[i].name, names[i]);
            ck_assert_int_eq(operand[i].direction, rows[r].direction[i]);
        }
        ck_assert_int_eq(operand[0].elements, rows[r].elements);
    }
}
END_TEST

START_TEST(valid_sizes_of_a_call)
{
    const aic_spec spec = spec_of("texpands(dtype=half, rows=2, cols=16, v_row=dyn, v_col=dyn)");
    uint16_t dst[32] = {0}, scalar = 1;
    int32_t row = 3, col = 0;
    void *const operands[] = {dst, &scalar, &row, &col};
    ck_assert_int_eq(aic_reference(&spec, NULL, operands, 4), AIC_INVALID_ARGUMENT);
    check_error("texpands: v_row: valid_row = 3 is outside 0..2");
    row = 2, col = -1;
    ck_assert_int_eq(aic_reference(&spec, NULL, operands, 4), AIC_INVALID_ARGUMENT);
    check_error("texpands: v_col: valid_col = -1 is outside 0..16");
    col = 0;
    ck_assert_int_eq(aic_reference(&spec, NULL, operands, 4), AIC_OK);
    for (size_t i = 0; i < 32; i++) {
        ck_assert_uint_eq(dst[i], 0);
    }
    ck_assert_int_eq(aic_jit_texpands(NULL, &spec.stage[0].desc.texpands, dst, &scalar), AIC_INVALID_ARGUMENT);
    check_error("texpands: v_row: is NULL");
}
END_TEST

/* What is left out is the same as what it stands for: key, text, descriptor. */
START_TEST(what_is_left_out_counts_as_given)
{
    static const char *const pairs[][2] = {
        {"texpands(dtype=half, rows=2, cols=16)",
         "texpands(arch=A5, loc=vec, dtype=float16, rows=2, cols=16, v_row=2, v_col=16, blayout=row_major, "
         "slayout=none_box, fractal=512, pad=0, compact=0, layout=ND, shape=[], buffer_size=0, manual=false, "
         "address=none, literal=none)"},
        {"texpands(dtype=half, loc=Mat, layout=NC1HWC0, shape=[1,1,2,2,16], pad=Zero)",
         "texpands(arch=A5, loc=mat, dtype=float16, rows=0, cols=0, v_row=none, v_col=none, blayout=row_major, "
         "slayout=none_box, fractal=512, pad=1, compact=0, layout=NC1HWC0, shape=[1,1,2,2,16], buffer_size=64, "
         "manual=false, address=none, literal=none)"},
    };
    for (size_t i = 0; i < 2; i++) {
        const aic_spec short_form = spec_of(pairs[i][0]), long_form = spec_of(pairs[i][1]);
        char text[1024];
        ck_assert_int_eq(aic_spec_print(&short_form, text, sizeof text, NULL), AIC_OK);
        ck_assert_str_eq(text, pairs[i][1]);
        ck_assert(aic_spec_equal(&short_form, &long_form));
    }
    aic_texpands_desc desc = aic_texpands_desc_init();
    desc.dtype = AIC_FLOAT16, desc.rows = 2, desc.cols = 16;
    const aic_spec made = aic_spec_of(AIC_OP_TEXPANDS, &desc), read = spec_of(pairs[0][1]);
    ck_assert_int_eq(desc.v_row, AIC_NOT_GIVEN);
    ck_assert(aic_spec_equal(&made, &read));
}
END_TEST

Suite *suite_texpands(void)
{
    Suite *suite = suite_create("texpands");
    TCase *tcase = tcase_create("texpands");
    tcase_add_loop_test(tcase, every_row, 0, (int)(sizeof cases / sizeof cases[0]));
    tcase_add_test(tcase, type_table);
    tcase_add_test(tcase, first_broken_rule_is_reported);
    tcase_add_test(tcase, any_words_are_answered);
    tcase_add_test(tcase, random_is_legal_and_wide);
    tcase_add_test(tcase, random_under_other_capacities);
    tcase_add_test(tcase, random_illegal_reaches_every_rule);
    tcase_add_loop_test(tcase, worked_examples, 0, (int)(sizeof examples / sizeof examples[0]));
    tcase_add_loop_test(tcase, other_capacities, 0, (int)(sizeof capacities / sizeof capacities[0]));
    tcase_add_test(tcase, example_1);
    tcase_add_test(tcase, examples_2_and_3);
    tcase_add_test(tcase, boxes);
    tcase_add_test(tcase, room_and_literals);
    tcase_add_test(tcase, operand_table);
    tcase_add_test(tcase, valid_sizes_of_a_call);
    tcase_add_test(tcase, what_is_left_out_counts_as_given);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    return suite;
}
