/* mmad: fields, rules, operands (AscendC, Mmad). */
#include "frontend/ops/mmad.h"

#include "frontend/core/rule.h"
#include "frontend/core/size.h"

/* Integers add up in any order. There are no kernels of 3x3. */
static inline void clear_ignored(aic_mmad_desc *desc)
{
    desc->accumulate = desc->dtype == AIC_INT8                       ? AIC_ACCUMULATE_CUBE
                       : desc->accumulate == AIC_ACCUMULATE_WINOGRAD ? AIC_ACCUMULATE_FAST
                                                                     : desc->accumulate;
}

#define AIC_THIS mmad
#define AIC_THIS_CANONICALISE mmad_canonicalise
#define AIC_THIS_CLEAR_IGNORED clear_ignored
#include "frontend/core/operator.inc"

/* ---- rules, in the order of the list ---- */

/* ND, or the fractal layout in which the document keeps this matrix. */
static void check_format(aic_verdict *v, int rule, const char *field, aic_layout format, aic_layout fractal)
{
    const aic_layout legal[] = {AIC_LAYOUT_ND, fractal};
    aic_rule_layout(v, rule, field, format, legal, 2, "");
}

static void check_modes(aic_verdict *v, const aic_mmad_desc *desc)
{
    const bool known = aic_rule_bool(v, RULE_init_c, "init_c", &desc->init_c);
    if (desc->dtype != AIC_INT8) {
        aic_rule_enum(v, RULE_accumulate, "accumulate", AIC_KIND_ACCUMULATE, desc->accumulate);
    }
    if (aic_rule_enum(v, RULE_l1out, "l1out", AIC_KIND_L1OUT, desc->l1out) && known &&
        desc->l1out == AIC_L1OUT_CHANNEL && desc->init_c) {
        aic_break(v, RULE_l1out_starts, "l1out: channel is not tensor, which init_c = true requires");
    }
}

static aic_status mmad_validate(const void *descriptor, const aic_semantics *semantics)
{
    (void)semantics;
    static const aic_dtype legal[] = {AIC_INT8, AIC_FLOAT16, AIC_BFLOAT16, AIC_FLOAT32};
    const aic_mmad_desc *desc = descriptor;
    aic_verdict v = verdict();
    aic_rule_dtype(&v, RULE_dtype, "dtype", desc->dtype, legal, sizeof legal / sizeof legal[0], "");
    aic_rule_range(&v, RULE_m, "m", NULL, desc->m, 0, 4095);
    aic_rule_range(&v, RULE_n, "n", NULL, desc->n, 0, 4095);
    aic_rule_range(&v, RULE_k, "k", NULL, desc->k, 0, 4095);
    check_format(&v, RULE_a_format, "a_format", desc->a_format, AIC_LAYOUT_ZZ);
    check_format(&v, RULE_b_format, "b_format", desc->b_format, AIC_LAYOUT_ZN);
    check_format(&v, RULE_c_format, "c_format", desc->c_format, AIC_LAYOUT_NZ);
    check_modes(&v, desc);
    return v.status;
}

/* The operator alone has no operand for it. */
static aic_status mmad_validate_alone(const void *descriptor)
{
    const aic_mmad_desc *desc = descriptor;
    aic_verdict v = verdict();
    if (desc->l1out != AIC_L1OUT_TENSOR) {
        aic_break(&v, RULE_l1out_alone,
                  "l1out: channel is not tensor: only chains have an operand with a value a column");
    }
    return v.status;
}

/* ---- operands ---- */

static aic_operand matrix(const char *name, aic_direction direction, aic_dtype dtype, int64_t rows, int64_t columns)
{
    return (aic_operand){.name = name, .direction = direction, .dtype = dtype, .rank = 2, .shape = {rows, columns}};
}

static aic_operand fractals(const char *name, aic_direction direction, aic_dtype dtype, int64_t outer, int64_t inner,
                            int64_t width)
{
    return (aic_operand){.name = name,
                         .direction = direction,
                         .dtype = dtype,
                         .rank = 4,
                         .shape = {outer, inner, AIC_MMAD_FRACTAL, width}};
}

static size_t mmad_operands(const void *descriptor, const aic_semantics *semantics,
                            aic_operand operands[AIC_OPERANDS_MAX])
{
    (void)semantics;
    const aic_mmad_desc *desc = descriptor;
    const aic_dtype sum = desc->dtype == AIC_INT8 ? AIC_INT32 : AIC_FLOAT32;
    const aic_direction out = desc->init_c ? AIC_DIRECTION_OUT : AIC_DIRECTION_INOUT;
    const int64_t m1 = aic_size_blocks(desc->m, AIC_MMAD_FRACTAL), n1 = aic_size_blocks(desc->n, AIC_MMAD_FRACTAL);
    const int64_t k0 = aic_mmad_k0(desc), k1 = aic_size_blocks(desc->k, k0);
    operands[0] = desc->c_format == AIC_LAYOUT_ND ? matrix("c", out, sum, desc->m, desc->n)
                                                  : fractals("c", out, sum, n1, m1, AIC_MMAD_FRACTAL);
    operands[1] = desc->a_format == AIC_LAYOUT_ND ? matrix("a", AIC_DIRECTION_IN, desc->dtype, desc->m, desc->k)
                                                  : fractals("a", AIC_DIRECTION_IN, desc->dtype, m1, k1, k0);
    operands[2] = desc->b_format == AIC_LAYOUT_ND ? matrix("b", AIC_DIRECTION_IN, desc->dtype, desc->k, desc->n)
                                                  : fractals("b", AIC_DIRECTION_IN, desc->dtype, k1, n1, k0);
    operands[1].fractals = desc->a_format != AIC_LAYOUT_ND;
    operands[2].fractals = desc->b_format != AIC_LAYOUT_ND;
    operands[1].spare = operands[1].fractals ? (m1 * AIC_MMAD_FRACTAL - desc->m) * k0 : 0;
    operands[2].spare = operands[2].fractals ? (n1 * AIC_MMAD_FRACTAL - desc->n) * k0 : 0;
    if (desc->m == 1 && desc->a_format != AIC_LAYOUT_ND) { /* the vector form */
        operands[1] = (aic_operand){
            .name = "a", .direction = AIC_DIRECTION_IN, .dtype = desc->dtype, .rank = 1, .shape = {desc->k}};
    }
    return 3;
}

/* What fills up fractals is neither read nor written. */
static void mmad_accessed(const void *descriptor, const aic_semantics *semantics, int64_t bytes[AIC_OPERANDS_MAX])
{
    (void)semantics;
    const aic_mmad_desc *desc = descriptor;
    const bool empty = aic_mmad_is_empty(desc);
    aic_accessed(bytes, 0, empty ? 0 : desc->m * desc->n * (desc->init_c ? 1 : 2), AIC_FLOAT32); /* or int32 */
    aic_accessed(bytes, 1, empty ? 0 : desc->m * desc->k, desc->dtype);
    aic_accessed(bytes, 2, empty ? 0 : desc->k * desc->n, desc->dtype);
}

static int64_t mmad_macs(const void *descriptor)
{
    const aic_mmad_desc *desc = descriptor;
    return desc->m * desc->n * desc->k;
}

static bool mmad_exact(const void *descriptor)
{
    const aic_mmad_desc *desc = descriptor;
    return desc->dtype == AIC_INT8 || desc->accumulate == AIC_ACCUMULATE_CUBE;
}

/* ---- what code depends on ---- */

/* The least size of as many blocks, and not less than `least`; 0 stays. */
static int64_t shorten(int64_t size, int64_t block, int64_t least)
{
    const int64_t shortest = (aic_size_blocks(size, block) - 1) * block + 1;
    return size == 0 ? 0 : shortest > least ? shortest : least;
}

/* Where so many rows and columns of c are wanted, sizes count as far as the operands' shapes tell them: not within a
 * fractal. A single row is a dense vector. With no rows nothing is computed: products do not count, nor does their
 * order.
 */
static void trim(aic_mmad_desc *desc, int64_t rows, int64_t columns)
{
    const bool a_blocks = desc->a_format != AIC_LAYOUT_ND && desc->m != 1, b_blocks = desc->b_format != AIC_LAYOUT_ND;
    const bool c_blocks = desc->c_format != AIC_LAYOUT_ND;
    if (a_blocks && c_blocks) {
        desc->m = shorten(desc->m, AIC_MMAD_FRACTAL, rows > 2 ? rows : 2);
    }
    if (b_blocks && c_blocks && desc->l1out == AIC_L1OUT_TENSOR) { /* else l1out has n values */
        desc->n = shorten(desc->n, AIC_MMAD_FRACTAL, rows > 0 ? columns : 1);
    }
    if (rows == 0) {
        desc->k = a_blocks && b_blocks ? shorten(desc->k, aic_mmad_k0(desc), 1) : desc->k;
        desc->accumulate = AIC_ACCUMULATE_CUBE;
    }
}

static void mmad_canonicalise(void *desc, const aic_semantics *semantics)
{
    (void)semantics;
    if (aic_mmad_is_empty(desc)) {
        trim(desc, 0, 0);
    }
}

/* ---- fusion ---- */

/* A consumer stores a matrix that is there: with a size of 0 there is none. */
static aic_status check_chain(const aic_mmad_desc *desc)
{
    const struct {
        const char *field;
        int64_t size;
    } sizes[] = {{"m", desc->m}, {"n", desc->n}, {"k", desc->k}};
    aic_verdict v = verdict();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i].size == 0) {
            aic_break(&v, RULE_chain_sizes,
                      "%s: 0 is outside 1..4095, which fusion requires: there would be nothing to store",
                      sizes[i].field);
        }
    }
    return v.status;
}

static aic_status mmad_produce(void *descriptor, aic_accumulator *accumulator)
{
    aic_mmad_desc *desc = descriptor;
    aic_status status = check_chain(desc);
    if (status == AIC_OK) {
        desc->c_format = AIC_LAYOUT_NZ;
        *accumulator = (aic_accumulator){
            .producer = NAME,
            .dtype = desc->dtype == AIC_INT8 ? AIC_INT32 : AIC_FLOAT32,
            .rows = desc->m,
            .columns = desc->n,
            .block_rows = aic_size_blocks(desc->m, AIC_MMAD_FRACTAL) * AIC_MMAD_FRACTAL,
            .start = desc->init_c                       ? AIC_START_ZERO
                     : desc->l1out == AIC_L1OUT_CHANNEL ? AIC_START_CHANNEL
                                                        : AIC_START_TENSOR,
        };
    }
    return status;
}

static void mmad_trim(void *desc, int64_t rows, int64_t columns)
{
    trim(desc, rows, columns);
}

static void mmad_coordinates(const void *descriptor, const aic_semantics *semantics, int operand, aic_coordinates *c)
{
    (void)semantics;
    const aic_mmad_desc *desc = descriptor;
    if (operand == 0 && desc->c_format == AIC_LAYOUT_ND) {
        AIC_AXES_NAME(c, "m", "n");
    } else if (operand == 0) {
        AIC_AXES_NAME(c, "N1", "M1", "m0", "n0");
    } else if (operand == 1 && desc->a_format == AIC_LAYOUT_ND) {
        AIC_AXES_NAME(c, "m", "k");
    } else if (operand == 1 && desc->m == 1) {
        AIC_AXES_NAME(c, "k");
    } else if (operand == 1) {
        AIC_AXES_NAME(c, "M1", "K1", "m0", "k0");
    } else if (desc->b_format == AIC_LAYOUT_ND) {
        AIC_AXES_NAME(c, "k", "n");
    } else {
        AIC_AXES_NAME(c, "K1", "N1", "n0", "k0");
    }
}

const aic_op_info aic_op_mmad = {
    AIC_THIS_ENTRIES,
    .validate_alone = mmad_validate_alone,
    .coordinates = mmad_coordinates,
    .macs = mmad_macs,
    .exact = mmad_exact,
    .reference_allowed = aic_mmad_reference_allowed,
    .produce = mmad_produce,
    .trim = mmad_trim,
    .random = aic_mmad_random,
    .random_start = aic_mmad_random_start,
};
