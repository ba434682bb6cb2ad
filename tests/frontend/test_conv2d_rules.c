/* conv2d's rules: every row of the parameter table, its message, both ends of its range, and the order of rows. */
#include "frontend/core/op.h"
#include "frontend/random/rng.h"
#include "tests/claims.h"
#include "tests/rule_case.h"
#include "tests/specs.h"

#include <aic/aic.h>
#include <check.h>
#include <math.h>
#include <string.h>

Suite *suite_conv2d_rules(void);

static aic_conv2d_desc small_int8(void)
{
    aic_conv2d_desc desc = aic_conv2d_desc_init();
    desc.dtype = AIC_INT8;
    memcpy(desc.fm_shape, (int64_t[]){1, 8, 9, 32}, sizeof desc.fm_shape);
    memcpy(desc.kernel_shape, (int64_t[]){1, 3, 3, 16, 32}, sizeof desc.kernel_shape);
    return desc;
}

static aic_conv2d_desc small_float16(void)
{
    aic_conv2d_desc desc = small_int8();
    desc.dtype = AIC_FLOAT16;
    desc.fm_shape[3] = desc.kernel_shape[4] = 16;
    return desc;
}

static aic_status validate(const aic_conv2d_desc *desc, aic_limits limits)
{
    const aic_spec spec = aic_spec_of(AIC_OP_CONV2D, desc);
    aic_semantics semantics = aic_semantics_init();
    semantics.limits = limits;
    return aic_spec_validate(&spec, &semantics);
}

static void set(aic_conv2d_desc *desc, const char *name, uint32_t index, int64_t value)
{
    set_field(AIC_OP_CONV2D, desc, name, index, (uint64_t)value);
}

/* One entry set in a legal descriptor, and the message; NULL: it stays legal. */
typedef struct entry_case {
    const char *field;
    uint32_t index;
    int64_t value;
    const char *message;
} entry_case;

static const entry_case int8_cases[] = {
    {"dtype", 0, AIC_DTYPE_NONE, "conv2d: dtype: none is not int8 or float16"},
    {"dtype", 0, AIC_UINT8, "conv2d: dtype: uint8 is not int8 or float16"},
    {"dtype", 0, AIC_FLOAT32, "conv2d: dtype: float32 is not int8 or float16"},
    {"dtype", 0, 99, "conv2d: dtype: value 99 is not int8 or float16"},
    {"fm_shape", 0, 0, "conv2d: fm_shape: C1 = 0 is outside 1..256"},
    {"fm_shape", 0, 257, "conv2d: fm_shape: C1 = 257 is outside 1..256"},
    {"fm_shape", 0, INT64_MIN, "conv2d: fm_shape: C1 = -9223372036854775808 is outside 1..256"},
    {"fm_shape", 0, 129, "conv2d: fm_shape: C1*C0 = 4128 is outside 32..4096"},
    {"fm_shape", 1, 0, "conv2d: fm_shape: H = 0 is outside 1..4096"},
    {"fm_shape", 1, 4096, NULL},
    {"fm_shape", 1, 4097, "conv2d: fm_shape: H = 4097 is outside 1..4096"},
    {"fm_shape", 2, -1, "conv2d: fm_shape: W = -1 is outside 1..4096"},
    {"fm_shape", 2, 4096, NULL},
    {"fm_shape", 2, INT64_MAX, "conv2d: fm_shape: W = 9223372036854775807 is outside 1..4096"},
    {"fm_shape", 3, 16, "conv2d: fm_shape: C0 = 16 is not 32 or 4 for int8"},
    {"fm_shape", 3, INT64_MAX, "conv2d: fm_shape: C0 = 9223372036854775807 is not 32 or 4 for int8"},
    {"fm_shape", 3, 4, "conv2d: kernel_shape: C0 = 32 is not C0 = 4 of fm_shape"},
    {"kernel_shape", 0, 2, "conv2d: kernel_shape: C1 = 2 is not C1 = 1 of fm_shape"},
    {"kernel_shape", 1, 0, "conv2d: kernel_shape: Kh = 0 is outside 1..255"},
    {"kernel_shape", 1, 1, NULL},
    {"kernel_shape", 1, 256, "conv2d: kernel_shape: Kh = 256 is outside 1..255"},
    {"kernel_shape", 2, 0, "conv2d: kernel_shape: Kw = 0 is outside 1..255"},
    {"kernel_shape", 2, 256, "conv2d: kernel_shape: Kw = 256 is outside 1..255"},
    {"kernel_shape", 3, 0, "conv2d: kernel_shape: Cout = 0 is outside 16..4096"},
    {"kernel_shape", 3, 24, "conv2d: kernel_shape: Cout = 24 is not a multiple of 16 in 16..4096"},
    {"kernel_shape", 3, 4096, NULL},
    {"kernel_shape", 3, 4112, "conv2d: kernel_shape: Cout = 4112 is outside 16..4096"},
    {"kernel_shape", 4, 4, "conv2d: kernel_shape: C0 = 4 is not C0 = 32 of fm_shape"},
    {"stride", 0, 0, "conv2d: stride: stride_h = 0 is outside 1..63"},
    {"stride", 0, 63, NULL},
    {"stride", 0, 64, "conv2d: stride: stride_h = 64 is outside 1..63"},
    {"stride", 1, 63, NULL},
    {"stride", 1, 64, "conv2d: stride: stride_w = 64 is outside 1..63"},
    {"pad", 0, -1, "conv2d: pad: pad_left = -1 is outside 0..255"},
    {"pad", 0, 255, NULL},
    {"pad", 1, 256, "conv2d: pad: pad_right = 256 is outside 0..255"},
    {"pad", 1, 255, NULL},
    {"pad", 2, 256, "conv2d: pad: pad_top = 256 is outside 0..255"},
    {"pad", 2, 255, NULL},
    {"pad", 3, INT64_MIN, "conv2d: pad: pad_bottom = -9223372036854775808 is outside 0..255"},
    {"pad", 3, 255, NULL},
    {"dilation", 0, 0, "conv2d: dilation: dilation_h = 0 is outside 1..255"},
    {"dilation", 0, 3, NULL},
    {"dilation", 0, 256, "conv2d: dilation: dilation_h = 256 is outside 1..255"},
    {"dilation", 1, 256, "conv2d: dilation: dilation_w = 256 is outside 1..255"},
    {"dilation", 0, 4,
     "conv2d: fm_shape / kernel_shape: output height is not positive: H + pad_top + pad_bottom = 8 is less than "
     "dilation_h*(Kh-1)+1 = 9"},
    {"dilation", 1, 5,
     "conv2d: fm_shape / kernel_shape: output width is not positive: W + pad_left + pad_right = 9 is less than "
     "dilation_w*(Kw-1)+1 = 11"},
    {"init_l1out", 0, 0, NULL},
    {"init_l1out", 0, 2, "conv2d: init_l1out: value 2 is not true or false"},
    {"init_l1out", 0, 255, "conv2d: init_l1out: value 255 is not true or false"},
    {"accumulate", 0, 1, NULL},
    {"accumulate", 0, 2, NULL}, /* ignored */
    {"fm_shape", 2, 3,
     "conv2d: fm_shape: W = 3 equals Kw while H = 8 exceeds Kh = 3, which the document does not support "
     "(limits=host computes it)"},
};

/* Sets fm_shape and kernel_shape together where only both make sense. */
static void check_case(aic_conv2d_desc desc, const entry_case *row)
{
    set(&desc, row->field, row->index, row->value);
    if (strcmp(row->field, "fm_shape") == 0 && row->index == 0) {
        set(&desc, "kernel_shape", 0, row->value);
    }
    const aic_status status = validate(&desc, AIC_LIMITS_DOCUMENT);
    if (row->message) {
        ck_assert_int_eq(status, AIC_INVALID_ARGUMENT);
        check_error(row->message);
    } else {
        ck_assert_msg(status == AIC_OK, "%s[%u] = %lld: %s", row->field, row->index, (long long)row->value,
                      aic_last_error());
    }
}

START_TEST(every_row_of_the_table)
{
    check_case(small_int8(), &int8_cases[_i]);
}
END_TEST

static const entry_case float16_cases[] = {
    {"fm_shape", 0, 256, NULL},
    {"fm_shape", 0, 257, "conv2d: fm_shape: C1 = 257 is outside 1..256"},
    {"fm_shape", 3, 32, "conv2d: fm_shape: C0 = 32 is not 16 or 4 for float16"},
    {"dtype", 0, AIC_INT8, "conv2d: fm_shape: C0 = 16 is not 32 or 4 for int8"},
    {"accumulate", 0, 1, NULL},
    {"accumulate", 0, 2, NULL},
    {"accumulate", 0, 7, "conv2d: accumulate: value 7 is not cube, fast or winograd"},
};

START_TEST(rows_for_float16)
{
    check_case(small_float16(), &float16_cases[_i]);
}
END_TEST

START_TEST(pad_value_by_type)
{
    static const struct {
        aic_dtype dtype;
        double value;
        const char *message;
    } rows[] = {
        {AIC_INT8, -128, NULL},
        {AIC_INT8, 127, NULL},
        {AIC_INT8, -0.0, NULL},
        {AIC_INT8, 128, "conv2d: pad_value: 128 is outside -128..127 for int8"},
        {AIC_INT8, 0.5, "conv2d: pad_value: 0.5 is not an integer in -128..127, as int8 requires"},
        {AIC_INT8, 5e-324, "conv2d: pad_value: 5e-324 is not an integer in -128..127, as int8 requires"},
        {AIC_INT8, (double)NAN, "conv2d: pad_value: nan is outside -128..127 for int8"},
        {AIC_FLOAT16, 65504, NULL},
        {AIC_FLOAT16, -65504, NULL},
        {AIC_FLOAT16, 0.1, NULL},
        {AIC_FLOAT16, 65504.5, "conv2d: pad_value: 65504.5 is outside -65504..65504 for float16"},
        {AIC_FLOAT16, -(double)INFINITY, "conv2d: pad_value: -inf is outside -65504..65504 for float16"},
        {AIC_FLOAT16, (double)NAN, "conv2d: pad_value: nan is outside -65504..65504 for float16"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        aic_conv2d_desc desc = rows[i].dtype == AIC_INT8 ? small_int8() : small_float16();
        desc.pad_value = rows[i].value;
        if (rows[i].message) {
            ck_assert_int_eq(validate(&desc, AIC_LIMITS_DOCUMENT), AIC_INVALID_ARGUMENT);
            check_error(rows[i].message);
        } else {
            ck_assert_msg(validate(&desc, AIC_LIMITS_DOCUMENT) == AIC_OK, "%s", aic_last_error());
        }
    }
}
END_TEST

START_TEST(first_convolution)
{
    for (int i = 0; i < 2; i++) {
        aic_conv2d_desc desc = i ? small_int8() : small_float16();
        desc.fm_shape[3] = desc.kernel_shape[4] = 4;
        ck_assert_int_eq(validate(&desc, AIC_LIMITS_DOCUMENT), AIC_OK);
        desc.fm_shape[0] = desc.kernel_shape[0] = 2;
        ck_assert_int_eq(validate(&desc, AIC_LIMITS_DOCUMENT), AIC_INVALID_ARGUMENT);
        check_error("conv2d: fm_shape: C1 = 2 is not 1, which C0 = 4 requires");
    }
}
END_TEST

/* Everything wrong at once; mending the first wrong parameter brings up the next of the table. */
START_TEST(first_broken_rule_is_reported)
{
    static const entry_case mends[] = {
        {"dtype", 0, AIC_INT8, "conv2d: dtype: "},
        {"fm_shape", 0, 1, "conv2d: fm_shape: C1 = "},
        {"fm_shape", 1, 8, "conv2d: fm_shape: H = "},
        {"fm_shape", 2, 9, "conv2d: fm_shape: W = "},
        {"fm_shape", 3, 32, "conv2d: fm_shape: C0 = "},
        {"kernel_shape", 0, 1, "conv2d: kernel_shape: C1 = "},
        {"kernel_shape", 1, 3, "conv2d: kernel_shape: Kh = "},
        {"kernel_shape", 2, 3, "conv2d: kernel_shape: Kw = "},
        {"kernel_shape", 3, 16, "conv2d: kernel_shape: Cout = "},
        {"kernel_shape", 4, 32, "conv2d: kernel_shape: C0 = "},
        {"stride", 0, 1, "conv2d: stride: stride_h = "},
        {"stride", 1, 1, "conv2d: stride: stride_w = "},
        {"pad", 0, 0, "conv2d: pad: pad_left = "},
        {"pad", 1, 0, "conv2d: pad: pad_right = "},
        {"pad", 2, 0, "conv2d: pad: pad_top = "},
        {"pad", 3, 0, "conv2d: pad: pad_bottom = "},
        {"dilation", 0, 1, "conv2d: dilation: dilation_h = "},
        {"dilation", 1, 1, "conv2d: dilation: dilation_w = "},
        {"pad_value", 0, 0, "conv2d: pad_value: "},
        {"init_l1out", 0, 1, "conv2d: init_l1out: "},
        {"l1out", 0, 0, "conv2d: l1out: "},
        {"groups", 0, 1, "conv2d: groups: "},
    }; /* int8 ignores accumulate */
    aic_conv2d_desc desc;
    memset(&desc, 0x99, sizeof desc);
    for (size_t i = 0; i < sizeof mends / sizeof mends[0]; i++) {
        ck_assert_int_eq(validate(&desc, AIC_LIMITS_DOCUMENT), AIC_INVALID_ARGUMENT);
        ck_assert_msg(strncmp(aic_last_error(), mends[i].message, strlen(mends[i].message)) == 0, "%s, not %s",
                      aic_last_error(), mends[i].message);
        set(&desc, mends[i].field, mends[i].index, mends[i].value);
    }
    ck_assert_msg(validate(&desc, AIC_LIMITS_DOCUMENT) == AIC_OK, "%s", aic_last_error());
}
END_TEST

/* An int8 image of 2 x 32 channels, groups, and the shape of the weights. */
typedef struct group_case {
    int64_t groups, c1, cout, c0;
    const char *message;
} group_case;

static const group_case group_cases[] = {
    {1, 2, 48, 32, NULL},
    {2, 1, 48, 32, NULL}, /* a block each */
    {4, 1, 48, 16, NULL},
    {16, 1, 48, 4, NULL},
    {64, 1, 64, 1, NULL},  /* depthwise */
    {64, 1, 128, 1, NULL}, /* two outputs an input */
    {0, 2, 48, 32, "conv2d: groups: 0 is outside 1..4096"},
    {-1, 2, 48, 32, "conv2d: groups: -1 is outside 1..4096"},
    {4097, 2, 48, 32, "conv2d: groups: 4097 is outside 1..4096"},
    {3, 1, 48, 16, "conv2d: groups: 3 does not divide C1*C0 = 64"},
    {32, 1, 48, 2, "conv2d: groups: 32 does not divide Cout = 48"},
    {2, 2, 48, 32, "conv2d: kernel_shape: C1 = 2 is not 1, as groups of 32 channels require"},
    {4, 1, 48, 32, "conv2d: kernel_shape: C0 = 32 is not 16, as groups of 16 channels require"},
    {64, 1, 64, 32, "conv2d: kernel_shape: C0 = 32 is not 1, as groups of 1 channels require"},
    {64, INT64_MIN, 64, 1, "conv2d: kernel_shape: C1 = -9223372036854775808 is not 1, as groups of 1 channels require"},
    {1, 1, 48, 32, "conv2d: kernel_shape: C1 = 1 is not C1 = 2 of fm_shape"},
};

START_TEST(groups_of_channels)
{
    const group_case *row = &group_cases[_i];
    aic_conv2d_desc desc = small_int8();
    desc.fm_shape[0] = 2;
    desc.groups = row->groups;
    memcpy(desc.kernel_shape, (int64_t[]){row->c1, 3, 3, row->cout, row->c0}, sizeof desc.kernel_shape);
    if (row->message) {
        ck_assert_int_eq(validate(&desc, AIC_LIMITS_DOCUMENT), AIC_INVALID_ARGUMENT);
        check_error(row->message);
    } else {
        ck_assert_msg(validate(&desc, AIC_LIMITS_DOCUMENT) == AIC_OK, "%s", aic_last_error());
    }
}
END_TEST

/* 3 * 32 = 96 channels in 2 groups: one and a half blocks each. */
START_TEST(groups_of_whole_blocks_or_within_one)
{
    aic_conv2d_desc desc = small_int8();
    desc.fm_shape[0] = 3;
    desc.groups = 2;
    desc.kernel_shape[3] = 32;
    ck_assert_int_eq(validate(&desc, AIC_LIMITS_DOCUMENT), AIC_INVALID_ARGUMENT);
    check_error("conv2d: groups: 2 makes C1*C0/groups = 48, which neither divides C0 = 32 nor is a multiple of it");
}
END_TEST

/* What was before has the text it had; a key that was added is printed where it counts, and read back. */
START_TEST(groups_are_printed_where_they_count)
{
    aic_conv2d_desc desc = small_int8();
    char dense[512] = "", grouped[512] = "";
    size_t length = 0;
    aic_spec spec = aic_spec_of(AIC_OP_CONV2D, &desc);
    ck_assert_int_eq(aic_spec_print(&spec, dense, sizeof dense, &length), AIC_OK);
    ck_assert_ptr_null(strstr(dense, "groups"));
    desc.groups = 16;
    desc.kernel_shape[4] = 2;
    const aic_spec other = aic_spec_of(AIC_OP_CONV2D, &desc);
    ck_assert_int_eq(aic_spec_print(&other, grouped, sizeof grouped, &length), AIC_OK);
    ck_assert_ptr_nonnull(strstr(grouped, "l1out=tensor, groups=16)"));
    aic_spec read;
    ck_assert_int_eq(aic_spec_read(grouped, &read), AIC_OK);
    ck_assert(aic_spec_equal(&read, &other));
    ck_assert(!aic_spec_equal(&read, &spec));
}
END_TEST

START_TEST(host_limits_lift_one_rule_only)
{
    aic_conv2d_desc desc = small_int8();
    desc.fm_shape[2] = 3;
    ck_assert_int_eq(validate(&desc, AIC_LIMITS_DOCUMENT), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(validate(&desc, AIC_LIMITS_HOST), AIC_OK);
    desc.stride[0] = 64;
    ck_assert_int_eq(validate(&desc, AIC_LIMITS_HOST), AIC_INVALID_ARGUMENT);
    desc.stride[0] = 1;
    ck_assert_int_eq(validate(&desc, (aic_limits)5), AIC_INVALID_ARGUMENT);
}
END_TEST

START_TEST(broken_specifications)
{
    const aic_conv2d_desc desc = small_int8();
    aic_spec spec = aic_spec_of(AIC_OP_CONV2D, &desc);
    ck_assert_int_eq(aic_spec_validate(NULL, NULL), AIC_INVALID_ARGUMENT);
    spec.count = 0;
    ck_assert_int_eq(aic_spec_validate(&spec, NULL), AIC_INVALID_ARGUMENT);
    spec.count = INT32_MAX;
    ck_assert_int_eq(aic_spec_validate(&spec, NULL), AIC_INVALID_ARGUMENT);
    ck_assert(!aic_spec_exact(&spec));
    spec.count = 2;
    ck_assert_int_eq(aic_spec_validate(&spec, NULL), AIC_INVALID_ARGUMENT);
    spec.stage[1] = spec.stage[0];
    ck_assert_int_eq(aic_spec_validate(&spec, NULL), AIC_INVALID_ARGUMENT);
    check_error("conv2d | conv2d: these two operators cannot be fused: a chain begins with conv2d or mmad, goes on "
                "with tensor_arithmetic as often as needed, and may end with fixpipe or tik_fixpipe");
    spec.count = 1;
    ck_assert_int_eq(aic_spec_validate(&spec, NULL), AIC_OK);
    spec.stage[0].op = (aic_op)4711;
    ck_assert_int_eq(aic_spec_validate(&spec, NULL), AIC_INVALID_ARGUMENT);
}
END_TEST

START_TEST(operand_shapes)
{
    aic_conv2d_desc desc = small_float16();
    desc.kernel_shape[3] = 48;
    aic_spec spec = aic_spec_of(AIC_OP_CONV2D, &desc);
    aic_operand operands[AIC_OPERANDS_MAX];
    size_t count = 0;
    ck_assert_int_eq(aic_spec_operands(&spec, NULL, operands, &count), AIC_OK);
    ck_assert_uint_eq(count, 3);
    ck_assert_str_eq(operands[0].name, "dst"); /* Ho = 6, Wo = 7: howo = 42, round_howo = 48 */
    ck_assert_mem_eq(operands[0].shape, ((int64_t[]){3, 48, 16, 0, 0, 0}), sizeof operands[0].shape);
    ck_assert_int_eq(operands[0].dtype, AIC_FLOAT32);
    ck_assert_int_eq(operands[0].direction, AIC_DIRECTION_OUT);
    ck_assert_int_eq(operands[0].bytes, 3 * 48 * 16 * 4);
    ck_assert_str_eq(operands[1].name, "feature_map");
    ck_assert_mem_eq(operands[1].shape, ((int64_t[]){1, 8, 9, 16, 0, 0}), sizeof operands[1].shape);
    ck_assert_int_eq(operands[1].bytes, 8 * 9 * 16 * 2);
    ck_assert_str_eq(operands[2].name, "weight");
    ck_assert_mem_eq(operands[2].shape, ((int64_t[]){1, 3, 3, 48, 16, 0}), sizeof operands[2].shape);
    ck_assert_int_eq(operands[2].elements, 3 * 3 * 48 * 16);
    spec.stage[0].desc.conv2d.init_l1out = false;
    ck_assert_int_eq(aic_spec_operands(&spec, NULL, operands, &count), AIC_OK);
    ck_assert_int_eq(operands[0].direction, AIC_DIRECTION_INOUT);
    int64_t macs = 0;
    int64_t bytes = 0;
    ck_assert_int_eq(aic_spec_work(&spec, NULL, &macs, &bytes), AIC_OK);
    ck_assert_int_eq(macs, INT64_C(42) * 48 * 9 * 16);
    ck_assert_int_eq(bytes, 2 * 42 * 48 * 4 + operands[1].bytes + operands[2].bytes);
}
END_TEST

/* The largest shape the document allows: sizes are exact, the number of products is beyond 2^63 and stops there. */
START_TEST(largest_shape)
{
    aic_conv2d_desc desc = small_float16();
    memcpy(desc.fm_shape, (int64_t[]){256, 4096, 4096, 16}, sizeof desc.fm_shape);
    memcpy(desc.kernel_shape, (int64_t[]){256, 255, 255, 4096, 16}, sizeof desc.kernel_shape);
    memcpy(desc.pad, (int64_t[]){255, 255, 255, 255}, sizeof desc.pad);
    const aic_spec spec = aic_spec_of(AIC_OP_CONV2D, &desc);
    aic_operand operands[AIC_OPERANDS_MAX];
    size_t count = 0;
    int64_t macs = 0;
    int64_t bytes = 0;
    ck_assert_int_eq(aic_spec_operands(&spec, NULL, operands, &count), AIC_OK);
    const int64_t side = 4096 + 510 - 254;
    ck_assert_int_eq(operands[0].bytes, side * side * 4096 * 4);
    ck_assert_int_eq(operands[2].bytes, INT64_C(4096) * 255 * 255 * 4096 * 2);
    ck_assert_int_eq(aic_spec_work(&spec, NULL, &macs, &bytes), AIC_OK);
    ck_assert_int_eq(macs, INT64_MAX);
    ck_assert_int_eq(bytes, operands[0].bytes + operands[1].bytes + operands[2].bytes);
}
END_TEST

/* Descriptors of extreme words: an answer, no undefined behaviour. */
START_TEST(any_words_are_answered)
{
    static const int64_t words[] = {INT64_MIN, INT64_MAX, -1, 0, 1, 2, 4, 7, 16, 32, 255, 256, 4096, INT64_C(1) << 62};
    const aic_op_info *op = aic_op_get(AIC_OP_CONV2D);
    uint64_t state = claims_seed(1);
    int refused = 0;
    for (int n = 0; n < 50000; n++) {
        aic_conv2d_desc desc = n % 2 ? small_int8() : small_float16();
        for (int change = 0; change < 1 + n % 5; change++) {
            const aic_field *field = &op->record.fields[aic_rng_range(&state, 0, (int64_t)op->record.count - 1)];
            const uint32_t index = (uint32_t)aic_rng_range(&state, 0, field->count - 1);
            aic_field_set_word(field, &desc, index, (uint64_t)words[aic_rng_range(&state, 0, 13)]);
        }
        const aic_status status = validate(&desc, n % 3 ? AIC_LIMITS_DOCUMENT : AIC_LIMITS_HOST);
        ck_assert(status == AIC_OK || status == AIC_INVALID_ARGUMENT);
        refused += status != AIC_OK;
    }
    ck_assert_int_gt(refused, 10000);
    ck_assert_int_lt(refused, 50000);
}
END_TEST

/* The generator of legal descriptors gives legal ones that visit the corners. */
START_TEST(random_is_legal_and_wide)
{
    int first[2] = {0, 0};
    int blocks = 0;
    int long_reduction = 0;
    int large_kernel = 0;
    int accumulating = 0;
    int more_padding_than_kernel = 0;
    for (uint64_t seed = 0; seed < 5000; seed++) {
        aic_spec spec;
        aic_spec again;
        ck_assert_int_eq(aic_spec_draw(AIC_OP_CONV2D, NULL, seed, &spec), AIC_OK);
        ck_assert_msg(aic_spec_validate(&spec, NULL) == AIC_OK, "seed %llu: %s", (unsigned long long)seed,
                      aic_last_error());
        ck_assert_int_eq(aic_spec_draw(AIC_OP_CONV2D, NULL, seed, &again), AIC_OK);
        ck_assert(aic_spec_equal(&spec, &again));
        int64_t macs;
        int64_t bytes;
        ck_assert_int_eq(aic_spec_work(&spec, NULL, &macs, &bytes), AIC_OK);
        ck_assert_int_le(macs, 5000000);
        ck_assert_int_le(bytes, 30000000);
        const aic_conv2d_desc *d = &spec.stage[0].desc.conv2d;
        const int64_t k = d->kernel_shape[0] * d->kernel_shape[1] * d->kernel_shape[2] * d->kernel_shape[4];
        first[d->dtype == AIC_INT8] += d->fm_shape[3] == 4;
        blocks += d->fm_shape[0] > 1;
        long_reduction += d->dtype == AIC_INT8 && k > 131071;
        large_kernel += d->kernel_shape[1] == 255 && d->kernel_shape[2] == 255;
        accumulating += !d->init_l1out;
        more_padding_than_kernel += d->pad[0] >= d->dilation[1] * (d->kernel_shape[2] - 1) + 1;
    }
    ck_assert_int_gt(first[0], 200);
    ck_assert_int_gt(first[1], 200);
    ck_assert_int_gt(blocks, 1000);
    ck_assert_int_gt(long_reduction, 10);
    ck_assert_int_gt(large_kernel, 1);
    ck_assert_int_gt(accumulating, 500);
    ck_assert_int_gt(more_padding_than_kernel, 200);
}
END_TEST

START_TEST(random_under_other_limits)
{
    aic_semantics host = aic_semantics_init(), bad = host;
    host.limits = AIC_LIMITS_HOST;
    ck_assert_int_gt(rule_check_random_under(AIC_OP_CONV2D, &host, NULL, 2000), 100);
    aic_spec spec;
    for (uint64_t seed = 0; seed < 300; seed++) {
        ck_assert_int_eq(aic_spec_draw_chain(AIC_OP_CONV2D, AIC_OP_FIXPIPE, &host, seed, &spec), AIC_OK);
        ck_assert_msg(aic_spec_validate(&spec, &host) == AIC_OK, "seed %d: %s", (int)seed, aic_last_error());
        ck_assert_int_eq(aic_spec_draw_chain_illegal(AIC_OP_CONV2D, AIC_OP_FIXPIPE, &host, seed, &spec), AIC_OK);
        ck_assert_int_eq(aic_spec_validate(&spec, &host), AIC_INVALID_ARGUMENT);
    }
    bad.lanes = 0;
    ck_assert_int_eq(aic_spec_draw(AIC_OP_CONV2D, &bad, 1, &spec), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_spec_draw_illegal(AIC_OP_CONV2D, &bad, 1, &spec), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_spec_draw_chain(AIC_OP_NONE, AIC_OP_NONE, &bad, 1, &spec), AIC_INVALID_ARGUMENT);
}
END_TEST

/* And the one of illegal descriptors is refused every time, by every rule. */
START_TEST(random_illegal_reaches_every_rule)
{
    static const char *const rules[] = {
        "dtype: ",
        "fm_shape: C1 = ",
        "is not 1, which C0 = 4",
        "fm_shape: H = ",
        "fm_shape: W = ",
        "fm_shape: C0 = ",
        "fm_shape: C1*C0 = ",
        "kernel_shape: C1 = ",
        "Kh = ",
        "Kw = ",
        "is outside 16..4096",
        "is not a multiple of 16",
        "kernel_shape: C0 = ",
        "stride_h = ",
        "stride_w = ",
        "pad_left = ",
        "pad_right = ",
        "pad_top = ",
        "pad_bottom = ",
        "dilation_h = ",
        "dilation_w = ",
        "pad_value: nan",
        "pad_value: inf",
        "is not an integer in -128..127",
        "init_l1out: ",
        "accumulate: ",
        "is outside 1..4096",
        "does not divide C1*C0 = ",
        "does not divide Cout = ",
        "neither divides C0 = ",
        "output height is not positive",
        "output width is not positive",
        "while H = ",
    };
    rule_check_random_illegal(AIC_OP_CONV2D, rules, sizeof rules / sizeof rules[0]);
}
END_TEST

Suite *suite_conv2d_rules(void)
{
    Suite *suite = suite_create("conv2d_rules");
    TCase *tcase = tcase_create("conv2d_rules");
    tcase_add_loop_test(tcase, every_row_of_the_table, 0, (int)(sizeof int8_cases / sizeof int8_cases[0]));
    tcase_add_loop_test(tcase, rows_for_float16, 0, (int)(sizeof float16_cases / sizeof float16_cases[0]));
    tcase_add_test(tcase, pad_value_by_type);
    tcase_add_test(tcase, first_convolution);
    tcase_add_test(tcase, first_broken_rule_is_reported);
    tcase_add_loop_test(tcase, groups_of_channels, 0, (int)(sizeof group_cases / sizeof group_cases[0]));
    tcase_add_test(tcase, groups_of_whole_blocks_or_within_one);
    tcase_add_test(tcase, groups_are_printed_where_they_count);
    tcase_add_test(tcase, host_limits_lift_one_rule_only);
    tcase_add_test(tcase, broken_specifications);
    tcase_add_test(tcase, operand_shapes);
    tcase_add_test(tcase, largest_shape);
    tcase_add_test(tcase, any_words_are_answered);
    tcase_add_test(tcase, random_is_legal_and_wide);
    tcase_add_test(tcase, random_under_other_limits);
    tcase_add_test(tcase, random_illegal_reaches_every_rule);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    return suite;
}
