/* conv2d: fields, rules, operands (TIK conv2d). */
#include "frontend/ops/conv2d.h"

#include "frontend/core/rule.h"
#include "frontend/core/size.h"
#include "frontend/numeric/element.h"
#include "frontend/text/number.h"

#include <inttypes.h>

/* Integers add up in any order; Winograd's method is for kernels of 3x3, each step of which is one pixel, and one
 * group. */
static inline void clear_ignored(aic_conv2d_desc *desc)
{
    if (desc->dtype == AIC_INT8) {
        desc->accumulate = AIC_ACCUMULATE_CUBE;
    } else if (desc->accumulate == AIC_ACCUMULATE_WINOGRAD &&
               (desc->kernel_shape[1] != 3 || desc->kernel_shape[2] != 3 || desc->stride[0] != 1 ||
                desc->stride[1] != 1 || desc->dilation[0] != 1 || desc->dilation[1] != 1 || desc->groups != 1)) {
        desc->accumulate = AIC_ACCUMULATE_FAST;
    }
}

#define AIC_THIS conv2d
#define AIC_THIS_CANONICALISE conv2d_canonicalise
#define AIC_THIS_CLEAR_IGNORED clear_ignored
#include "frontend/core/operator.inc"

aic_conv2d_sizes aic_conv2d_sizes_of(const aic_conv2d_desc *desc)
{
    aic_conv2d_sizes s = {
        .c1 = desc->fm_shape[0],
        .h = desc->fm_shape[1],
        .w = desc->fm_shape[2],
        .c0 = desc->fm_shape[3],
        .kh = desc->kernel_shape[1],
        .kw = desc->kernel_shape[2],
        .cout = desc->kernel_shape[3],
        .blocks = desc->kernel_shape[0],
        .block = desc->kernel_shape[4],
        .k0 = desc->dtype == AIC_INT8 ? 32 : 16,
    };
    s.hk = desc->dilation[0] * (s.kh - 1) + 1;
    s.wk = desc->dilation[1] * (s.kw - 1) + 1;
    int64_t free_h = s.h + desc->pad[2] + desc->pad[3] - s.hk;
    int64_t free_w = s.w + desc->pad[0] + desc->pad[1] - s.wk;
    s.ho = free_h < 0 ? 0 : free_h / desc->stride[0] + 1; /* below 1: how far does not matter */
    s.wo = free_w < 0 ? 0 : free_w / desc->stride[1] + 1;
    s.howo = s.ho * s.wo;
    s.round_howo = (s.howo + 15) / 16 * 16;
    s.k = aic_size_multiply(aic_size_multiply(s.blocks, s.block), s.kh * s.kw); /* rules look at broken ones, too */
    return s;
}

/* ---- rules, in the order of the table of parameters ---- */

static bool check_equal(aic_verdict *v, int rule, const char *entry, int64_t value, int64_t expected)
{
    return value == expected || aic_break(v, rule, "kernel_shape: %s = %" PRId64 " is not %s = %" PRId64 " of fm_shape",
                                          entry, value, entry, expected);
}

/* A scalar entry of a vector parameter with its own range. */
typedef struct entry_rule {
    int rule;
    const char *entry;
    int64_t low, high;
} entry_rule;

static void check_entries(aic_verdict *v, const char *field, const int64_t *values, const entry_rule *rules,
                          size_t count)
{
    for (size_t i = 0; i < count; i++) {
        aic_rule_range(v, rules[i].rule, field, rules[i].entry, values[i], rules[i].low, rules[i].high);
    }
}

static void check_dtype(aic_verdict *v, const aic_conv2d_desc *desc)
{
    static const aic_dtype legal[] = {AIC_INT8, AIC_FLOAT16};
    aic_rule_dtype(v, RULE_dtype, "dtype", desc->dtype, legal, sizeof legal / sizeof legal[0], "");
}

static void check_fm_shape(aic_verdict *v, const aic_conv2d_desc *desc)
{
    static const entry_rule size[] = {{RULE_h, "H", 1, 4096}, {RULE_w, "W", 1, 4096}};
    const int64_t c1 = desc->fm_shape[0], c0 = desc->fm_shape[3];
    const int64_t full_c0 = desc->dtype == AIC_INT8 ? 32 : 16;
    const bool counted = aic_rule_range(v, RULE_c1, "fm_shape", "C1", c1, 1, 256);
    if (counted && c0 == 4 && c1 != 1) {
        aic_break(v, RULE_c1_of_4, "fm_shape: C1 = %" PRId64 " is not 1, which C0 = 4 requires", c1);
    }
    check_entries(v, "fm_shape", desc->fm_shape + 1, size, 2);
    if (!aic_kept(v, RULE_dtype, RULE_dtype) || c0 == 4) {
        return;
    }
    if (c0 != full_c0) {
        aic_break(v, RULE_c0, "fm_shape: C0 = %" PRId64 " is not %" PRId64 " or 4 for %s", c0, full_c0,
                  aic_dtype_name(desc->dtype));
    } else if (counted) {
        aic_rule_range(v, RULE_channels, "fm_shape", "C1*C0", c1 * c0, full_c0, 4096);
    }
}

enum { GROUPS_MAX = 4096 };

/* The channels that an output channel of one of several groups sees, in blocks as the weight has them. */
static void check_group(aic_verdict *v, const aic_conv2d_desc *desc, int64_t channels)
{
    const int64_t c0 = desc->fm_shape[3], *shape = desc->kernel_shape;
    const int64_t blocks = channels > c0 ? channels / c0 : 1, block = channels > c0 ? c0 : channels;
    if (channels % c0 != 0 && c0 % channels != 0) {
        aic_break(v, RULE_groups_blocks,
                  "groups: %" PRId64 " makes C1*C0/groups = %" PRId64 ", which neither divides C0 = %" PRId64
                  " nor is a multiple of it",
                  desc->groups, channels, c0);
        return;
    }
    if (shape[0] != blocks) {
        aic_break(v, RULE_kernel_c1,
                  "kernel_shape: C1 = %" PRId64 " is not %" PRId64 ", as groups of %" PRId64 " channels require",
                  shape[0], blocks, channels);
    }
    if (shape[4] != block) {
        aic_break(v, RULE_kernel_c0,
                  "kernel_shape: C0 = %" PRId64 " is not %" PRId64 ", as groups of %" PRId64 " channels require",
                  shape[4], block, channels);
    }
}

static void check_divides(aic_verdict *v, int rule, int64_t groups, const char *what, int64_t channels)
{
    if (channels % groups != 0) {
        aic_break(v, rule, "groups: %" PRId64 " does not divide %s = %" PRId64, groups, what, channels);
    }
}

/* Several groups. C1, C0 and Cout are looked at where they keep their own rules. */
static void check_groups(aic_verdict *v, const aic_conv2d_desc *desc)
{
    const int64_t groups = desc->groups;
    if (!aic_rule_range(v, RULE_groups, "groups", NULL, groups, 1, GROUPS_MAX) || groups == 1) {
        return;
    }
    if (aic_kept(v, RULE_cout, RULE_cout_blocks)) {
        check_divides(v, RULE_groups_outputs, groups, "Cout", desc->kernel_shape[3]);
    }
    if (aic_kept(v, RULE_dtype, RULE_c1_of_4) && aic_kept(v, RULE_c0, RULE_channels)) {
        const int64_t channels = desc->fm_shape[0] * desc->fm_shape[3];
        check_divides(v, RULE_groups_inputs, groups, "C1*C0", channels);
        if (channels % groups == 0) {
            check_group(v, desc, channels / groups);
        }
    }
}

static void check_kernel_shape(aic_verdict *v, const aic_conv2d_desc *desc)
{
    static const entry_rule rules[] = {{RULE_kh, "Kh", 1, 255}, {RULE_kw, "Kw", 1, 255}};
    const int64_t *shape = desc->kernel_shape;
    const bool dense = desc->groups < 2 || desc->groups > GROUPS_MAX; /* those are none */
    if (dense) {
        check_equal(v, RULE_kernel_c1, "C1", shape[0], desc->fm_shape[0]);
    }
    check_entries(v, "kernel_shape", shape + 1, rules, 2);
    if (aic_rule_range(v, RULE_cout, "kernel_shape", "Cout", shape[3], 16, 4096) && shape[3] % 16 != 0) {
        aic_break(v, RULE_cout_blocks, "kernel_shape: Cout = %" PRId64 " is not a multiple of 16 in 16..4096",
                  shape[3]);
    }
    if (dense) {
        check_equal(v, RULE_kernel_c0, "C0", shape[4], desc->fm_shape[3]);
    }
}

static void check_window(aic_verdict *v, const aic_conv2d_desc *desc)
{
    static const entry_rule stride[] = {{RULE_stride, "stride_h", 1, 63}, {RULE_stride, "stride_w", 1, 63}};
    static const entry_rule pad[] = {{RULE_pad, "pad_left", 0, 255},
                                     {RULE_pad, "pad_right", 0, 255},
                                     {RULE_pad, "pad_top", 0, 255},
                                     {RULE_pad, "pad_bottom", 0, 255}};
    static const entry_rule dilation[] = {{RULE_dilation, "dilation_h", 1, 255}, {RULE_dilation, "dilation_w", 1, 255}};
    check_entries(v, "stride", desc->stride, stride, 2);
    check_entries(v, "pad", desc->pad, pad, 4);
    check_entries(v, "dilation", desc->dilation, dilation, 2);
}

/* Whether a value in -128..127 is integral. By bits, so that the caller's denormals-are-zero mode does not matter;
 * the conversion loses the sign of -0. */
static bool is_integral(double value)
{
    const uint64_t bits = aic_bits_of_double(value);
    return aic_bits_of_double((double)(int)value) == bits || bits == aic_bits_of_double(-0.0);
}

static void check_pad_value(aic_verdict *v, const aic_conv2d_desc *desc)
{
    const double value = desc->pad_value;
    const bool integer = desc->dtype == AIC_INT8;
    const double low = integer ? -128 : -65504;
    const double high = integer ? 127 : 65504;
    char text[AIC_NUMBER_TEXT_MAX] = "";
    const bool inside = value >= low && value <= high; /* false for NaN */
    if (!aic_kept(v, RULE_dtype, RULE_dtype) || (inside && (!integer || is_integral(value)))) {
        return;
    }
    aic_number_print(value, text);
    if (inside) {
        aic_break(v, RULE_pad_integral, "pad_value: %s is not an integer in -128..127, as int8 requires", text);
    } else {
        aic_break(v, RULE_pad_value, "pad_value: %s is outside %s for %s", text,
                  integer ? "-128..127" : "-65504..65504", aic_dtype_name(desc->dtype));
    }
}

static void check_modes(aic_verdict *v, const aic_conv2d_desc *desc)
{
    const bool known = aic_rule_bool(v, RULE_init_l1out, "init_l1out", &desc->init_l1out);
    if (desc->dtype != AIC_INT8) {
        aic_rule_enum(v, RULE_accumulate, "accumulate", AIC_KIND_ACCUMULATE, desc->accumulate);
    }
    if (aic_rule_enum(v, RULE_l1out, "l1out", AIC_KIND_L1OUT, desc->l1out) && known &&
        desc->l1out == AIC_L1OUT_CHANNEL && desc->init_l1out) {
        aic_break(v, RULE_l1out_starts, "l1out: channel is not tensor, which init_l1out = true requires");
    }
}

/* The operator alone has no operand for it. */
static aic_status conv2d_validate_alone(const void *descriptor)
{
    const aic_conv2d_desc *desc = descriptor;
    aic_verdict v = verdict();
    if (desc->l1out != AIC_L1OUT_TENSOR) {
        aic_break(&v, RULE_l1out_alone,
                  "l1out: channel is not tensor: only chains have an operand with a value a channel");
    }
    return v.status;
}

/* Conditions between parameters; each shape, stride, padding and dilation is within its range. */
static void check_sizes(aic_verdict *v, const aic_conv2d_desc *desc, const aic_semantics *semantics)
{
    const aic_conv2d_sizes s = aic_conv2d_sizes_of(desc);
    if (s.ho < 1) {
        aic_break(v, RULE_output_height,
                  "fm_shape / kernel_shape: output height is not positive: H + pad_top + pad_bottom = %" PRId64
                  " is less than dilation_h*(Kh-1)+1 = %" PRId64,
                  s.h + desc->pad[2] + desc->pad[3], s.hk);
    }
    if (s.wo < 1) {
        aic_break(v, RULE_output_width,
                  "fm_shape / kernel_shape: output width is not positive: W + pad_left + pad_right = %" PRId64
                  " is less than dilation_w*(Kw-1)+1 = %" PRId64,
                  s.w + desc->pad[0] + desc->pad[1], s.wk);
    }
    if (s.w == s.kw && s.h > s.kh && semantics->limits != AIC_LIMITS_HOST) {
        aic_break(v, RULE_narrow,
                  "fm_shape: W = %" PRId64 " equals Kw while H = %" PRId64 " exceeds Kh = %" PRId64
                  ", which the document does not support (limits=host computes it)",
                  s.w, s.h, s.kh);
    }
}

static aic_status conv2d_validate(const void *descriptor, const aic_semantics *semantics)
{
    const aic_conv2d_desc *desc = descriptor;
    aic_verdict v = verdict();
    check_dtype(&v, desc);
    check_fm_shape(&v, desc);
    check_kernel_shape(&v, desc);
    check_window(&v, desc);
    check_pad_value(&v, desc);
    check_modes(&v, desc);
    check_groups(&v, desc);
    if (aic_kept(&v, RULE_dtype, RULE_c0) && aic_kept(&v, RULE_kh, RULE_kw) &&
        aic_kept(&v, RULE_stride, RULE_dilation)) {
        check_sizes(&v, desc, semantics);
    }
    return v.status;
}

/* ---- what code depends on ---- */

/* The windows along one axis of the image. */
typedef struct axis {
    int64_t size, taps, outputs; /* pixels of the image, taps of the kernel, windows */
    int64_t *stride, *dilation, *before, *after;
} axis;

/* Pixels from the first tap to the last. */
static int64_t window(const axis *a)
{
    return (a->taps - 1) * *a->dilation + 1;
}

/* Pixels from the first one of the first window to the last one of the last window. */
static int64_t reach(const axis *a)
{
    return (a->outputs - 1) * *a->stride + window(a);
}

/* The windows that overlap the image: the first one's number, and how many. */
typedef struct overlap {
    int64_t first, count;
} overlap;

static overlap overlap_of(const axis *a)
{
    const int64_t outside = *a->before - window(a); /* pixels before the image that the first window leaves free */
    const int64_t first = outside < 0 ? 0 : outside / *a->stride + 1;
    const int64_t end = (a->size + *a->before - 1) / *a->stride + 1;
    return (overlap){first, (end < a->outputs ? end : a->outputs) - first};
}

/* All windows lie in padding. Their stride exceeds the size of the image, else one more would overlap it, or fit behind
 * them. The least stride that does so, all of them before the image, is as good. */
static void canonicalise_padding(const axis *a)
{
    *a->dilation = 1;
    *a->stride = a->size + 1;
    *a->before = reach(a);
}

/* Window number `only` overlaps the image. The least stride is as good that takes the one before it out of the image,
 * and the next one: out of it, or, where there is none, so far that none fits in. */
static void canonicalise_single(const axis *a, int64_t only)
{
    const int64_t start = only * *a->stride - *a->before, end = start + window(a);
    const int64_t fits = end < a->size ? a->size - end + 1 : 1;
    const int64_t next = only + 1 < a->outputs ? a->size - start : fits, previous = only > 0 ? end : 1;
    *a->stride = next > previous ? next : previous;
    *a->before = only * *a->stride - start;
}

/* Dilation lies between taps, a stride between windows that overlap the image. What lies behind the last window is not
 * seen, so that as little padding as makes it fit is as good. */
static void canonicalise_axis(const axis *a)
{
    const overlap seen = overlap_of(a);
    *a->dilation = a->taps == 1 ? 1 : *a->dilation;
    if (seen.count < 1) {
        canonicalise_padding(a);
    } else if (seen.count == 1) {
        canonicalise_single(a, seen.first);
    }
    const int64_t missing = reach(a) - *a->before - a->size;
    *a->after = missing > 0 ? missing : 0;
}

/* Whether a window reaches beyond the image. */
static bool sees_padding(const axis *a)
{
    return *a->before > 0 || reach(a) > a->size;
}

/* The number that code works with: nothing where no window sees it, else that of the image's type; and int8 has no -0.
 */
static double canonical_padding(const aic_conv2d_desc *desc, bool seen)
{
    if (desc->dtype == AIC_FLOAT16) {
        return seen ? aic_half_to_double(aic_half_from_double(desc->pad_value)) : 0;
    }
    return seen ? (double)(int)desc->pad_value : 0;
}

static void conv2d_canonicalise(void *descriptor, const aic_semantics *semantics)
{
    (void)semantics;
    aic_conv2d_desc *desc = descriptor;
    const aic_conv2d_sizes s = aic_conv2d_sizes_of(desc);
    const axis h = {s.h, s.kh, s.ho, &desc->stride[0], &desc->dilation[0], &desc->pad[2], &desc->pad[3]};
    const axis w = {s.w, s.kw, s.wo, &desc->stride[1], &desc->dilation[1], &desc->pad[0], &desc->pad[1]};
    clear_ignored(desc); /* what is no Winograd's does not become one by another stride */
    canonicalise_axis(&h);
    canonicalise_axis(&w);
    clear_ignored(desc);
    desc->pad_value = canonical_padding(desc, sees_padding(&h) || sees_padding(&w));
}

/* ---- operands ---- */

static size_t conv2d_operands(const void *descriptor, const aic_semantics *semantics,
                              aic_operand operands[AIC_OPERANDS_MAX])
{
    (void)semantics;
    const aic_conv2d_desc *desc = descriptor;
    const aic_conv2d_sizes s = aic_conv2d_sizes_of(desc);
    operands[0] = (aic_operand){
        .name = "dst",
        .direction = desc->init_l1out ? AIC_DIRECTION_OUT : AIC_DIRECTION_INOUT,
        .dtype = desc->dtype == AIC_INT8 ? AIC_INT32 : AIC_FLOAT32,
        .rank = 3,
        .shape = {s.cout / 16, s.round_howo, 16},
    };
    operands[1] = (aic_operand){
        .name = "feature_map",
        .direction = AIC_DIRECTION_IN,
        .dtype = desc->dtype,
        .rank = 4,
        .shape = {s.c1, s.h, s.w, s.c0},
    };
    operands[2] = (aic_operand){
        .name = "weight",
        .direction = AIC_DIRECTION_IN,
        .dtype = desc->dtype,
        .rank = 5,
        .shape = {s.blocks, s.kh, s.kw, s.cout, s.block},
    };
    return 3;
}

/* The rows that round howo up are not written. */
static void conv2d_accessed(const void *descriptor, const aic_semantics *semantics, int64_t bytes[AIC_OPERANDS_MAX])
{
    (void)semantics;
    const aic_conv2d_desc *desc = descriptor;
    const aic_conv2d_sizes s = aic_conv2d_sizes_of(desc);
    const int64_t elements = aic_size_multiply(s.howo, s.cout);
    aic_accessed(bytes, 0, aic_size_multiply(elements, desc->init_l1out ? 1 : 2), AIC_FLOAT32); /* or int32 */
}

static int64_t conv2d_macs(const void *desc)
{
    const aic_conv2d_sizes s = aic_conv2d_sizes_of(desc);
    return aic_size_multiply(aic_size_multiply(s.howo, s.cout), s.k);
}

static bool conv2d_exact(const void *descriptor)
{
    const aic_conv2d_desc *desc = descriptor;
    return desc->dtype == AIC_INT8 || desc->accumulate == AIC_ACCUMULATE_CUBE;
}

/* ---- fusion ---- */

static aic_status conv2d_produce(void *descriptor, aic_accumulator *accumulator)
{
    const aic_conv2d_desc *desc = descriptor;
    const aic_conv2d_sizes s = aic_conv2d_sizes_of(desc);
    *accumulator = (aic_accumulator){
        .producer = NAME,
        .dtype = desc->dtype == AIC_INT8 ? AIC_INT32 : AIC_FLOAT32,
        .rows = s.howo,
        .columns = s.cout,
        .block_rows = s.round_howo,
        .start = desc->init_l1out                   ? AIC_START_ZERO
                 : desc->l1out == AIC_L1OUT_CHANNEL ? AIC_START_CHANNEL
                                                    : AIC_START_TENSOR,
    };
    return AIC_OK;
}

/* Where nothing is taken, nothing but the operands counts; of old accumulators the shape follows from all the rest. */
static void conv2d_trim(void *descriptor, int64_t rows, int64_t columns)
{
    (void)columns;
    aic_conv2d_desc *desc = descriptor, none = aic_conv2d_desc_init();
    if (rows == 0 && (desc->init_l1out || desc->l1out == AIC_L1OUT_CHANNEL)) {
        none.dtype = desc->dtype;
        none.init_l1out = desc->init_l1out;
        none.l1out = desc->l1out;
        none.groups = desc->groups;
        memcpy(none.fm_shape, desc->fm_shape, sizeof none.fm_shape);
        memcpy(none.kernel_shape, desc->kernel_shape, sizeof none.kernel_shape);
        *desc = none;
    }
}

static void conv2d_coordinates(const void *desc, const aic_semantics *semantics, int operand, aic_coordinates *c)
{
    (void)desc;
    (void)semantics;
    switch (operand) {
    case 0:
        AIC_AXES_NAME(c, "Cout/16", "howo", "Cout%16");
        break;
    case 1:
        AIC_AXES_NAME(c, "C1", "H", "W", "C0");
        break;
    default:
        AIC_AXES_NAME(c, "C1", "Kh", "Kw", "Cout", "C0");
        break;
    }
}

const aic_op_info aic_op_conv2d = {
    AIC_THIS_ENTRIES,
    .validate_alone = conv2d_validate_alone,
    .coordinates = conv2d_coordinates,
    .macs = conv2d_macs,
    .exact = conv2d_exact,
    .reference_allowed = aic_conv2d_reference_allowed,
    .produce = conv2d_produce,
    .trim = conv2d_trim,
    .random_under = aic_conv2d_random,
    .random_start = aic_conv2d_random_start,
};
