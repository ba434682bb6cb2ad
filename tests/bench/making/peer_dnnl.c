/* oneDNN as the peer: direct convolutions, products of matrices, sums and the like of elements, reorders of pictures.
 */
#include "tests/bench/making/peer.h"

#include "tests/bench/common.h"
#include "tests/bench/dnnl_any.h"

#include <string.h>

enum { RANK_MAX = 5, LAYOUTS = 3 };

static dnnl_engine_t engine;

/* What is to be made: the shapes and types of two inputs and a result. */
typedef struct wish {
    int rank[LAYOUTS];
    dnnl_dims_t dims[LAYOUTS];
    dnnl_data_type_t type[LAYOUTS];
    dnnl_format_tag_t tag[LAYOUTS];
    dnnl_dims_t strides, dilates, pad_begin, pad_end; /* of convolutions */
    dnnl_alg_kind_t op;                               /* of two tensors */
    dnnl_primitive_attr_t attr;
    dnnl_status_t (*describe)(dnnl_primitive_desc_t *, const struct wish *, const dnnl_layout layout[LAYOUTS]);
} wish;

enum { A, B, RESULT };

const char *making_peer_name(void)
{
    return dnnl_full_name();
}

/* ---- primitives ---- */

static dnnl_status_t describe_convolution(dnnl_primitive_desc_t *desc, const wish *w, const dnnl_layout l[LAYOUTS])
{
    return dnnl_describe_convolution(desc, engine, l[A], l[B], l[RESULT], w->strides, w->dilates, w->pad_begin,
                                     w->pad_end, w->attr);
}

static dnnl_status_t describe_product(dnnl_primitive_desc_t *desc, const wish *w, const dnnl_layout l[LAYOUTS])
{
    return dnnl_describe_product(desc, engine, l[A], l[B], l[RESULT], w->attr);
}

static dnnl_status_t describe_binary(dnnl_primitive_desc_t *desc, const wish *w, const dnnl_layout l[LAYOUTS])
{
    return dnnl_describe_binary(desc, engine, w->op, l[A], l[B], l[RESULT]);
}

static dnnl_status_t describe_reorder(dnnl_primitive_desc_t *desc, const wish *w, const dnnl_layout l[LAYOUTS])
{
    (void)w;
    return dnnl_reorder_primitive_desc_create(desc, l[A], engine, l[RESULT], engine, NULL);
}

/* ---- what our operators are to it ---- */

static bool type_of(aic_dtype type, dnnl_data_type_t *theirs)
{
    static const struct {
        aic_dtype ours;
        dnnl_data_type_t theirs;
    } TYPES[] = {{AIC_INT8, dnnl_s8},     {AIC_UINT8, dnnl_u8},      {AIC_INT32, dnnl_s32},
                 {AIC_FLOAT16, dnnl_f16}, {AIC_BFLOAT16, dnnl_bf16}, {AIC_FLOAT32, dnnl_f32}};
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++) {
        if (TYPES[i].ours == type) {
            *theirs = TYPES[i].theirs;
            return true;
        }
    }
    return false;
}

static void set_layout(wish *w, int which, int rank, const int64_t *dims, dnnl_data_type_t type)
{
    w->rank[which] = rank;
    memcpy(w->dims[which], dims, (size_t)rank * sizeof *dims);
    w->type[which] = type;
    w->tag[which] = dnnl_format_tag_any;
}

/* Scales a channel and ReLU, as a store of integers has them. */
static void set_store(wish *w, const aic_fixpipe_desc *fix, int64_t channels)
{
    if (fix->src != AIC_INT32 && !fix->reluEn) {
        return;
    }
    dnnl_need(dnnl_primitive_attr_create(&w->attr), "attributes");
    if (fix->src == AIC_INT32) {
        float *scale = bench_memory((size_t)channels * sizeof *scale);
        dnnl_need(dnnl_attr_scales(w->attr, channels, 1, scale), "scales");
        free(scale);
    }
    if (fix->reluEn) {
        dnnl_post_ops_t ops;
        dnnl_need(dnnl_post_ops_create(&ops), "post-ops");
        dnnl_need(dnnl_append_relu(ops), "ReLU");
        dnnl_need(dnnl_primitive_attr_set_post_ops(w->attr, ops), "post-ops");
        dnnl_need(dnnl_post_ops_destroy(ops), "post-ops");
    }
}

/* Types of a contraction, and of the store behind it, if there is one. False: it has no such arithmetic. */
static bool set_types(wish *w, const aic_spec *spec, aic_dtype type, aic_accumulate accumulate, int64_t channels)
{
    dnnl_data_type_t in, out = type == AIC_INT8 ? dnnl_s32 : dnnl_f32;
    const size_t stages = aic_spec_stages(spec);
    aic_fixpipe_desc fix = aic_fixpipe_desc_init();
    if (!type_of(type, &in) || (type != AIC_INT8 && accumulate == AIC_ACCUMULATE_CUBE) || stages > 2 ||
        (stages == 2 && (aic_spec_get_fixpipe(spec, 1, &fix) != AIC_OK || !type_of(fix.dst, &out)))) {
        return false;
    }
    if (stages == 2) {
        set_store(w, &fix, channels);
    }
    w->type[A] = w->type[B] = in;
    w->type[RESULT] = out;
    return true;
}

static int64_t extent(int64_t size, int64_t pads, int64_t kernel, int64_t dilation, int64_t stride)
{
    return (size + pads - dilation * (kernel - 1) - 1) / stride + 1;
}

static bool wish_convolution(const aic_spec *spec, wish *w)
{
    aic_conv2d_desc d = aic_conv2d_desc_init();
    if (aic_spec_get_conv2d(spec, 0, &d) != AIC_OK || !d.init_l1out || d.pad_value != 0) {
        return false;
    }
    const int64_t channels = d.fm_shape[0] * d.fm_shape[3], cout = d.kernel_shape[3];
    const int64_t kh = d.kernel_shape[1], kw = d.kernel_shape[2], groups = d.groups;
    const int64_t weight[RANK_MAX] = {groups, cout / groups, channels / groups, kh, kw};
    const int64_t ho = extent(d.fm_shape[1], d.pad[2] + d.pad[3], kh, d.dilation[0], d.stride[0]);
    const int64_t wo = extent(d.fm_shape[2], d.pad[0] + d.pad[1], kw, d.dilation[1], d.stride[1]);
    set_layout(w, A, 4, (const int64_t[]){1, channels, d.fm_shape[1], d.fm_shape[2]}, dnnl_f32);
    set_layout(w, B, groups > 1 ? 5 : 4, groups > 1 ? weight : weight + 1, dnnl_f32);
    set_layout(w, RESULT, 4, (const int64_t[]){1, cout, ho, wo}, dnnl_f32);
    for (int i = 0; i < 2; i++) {
        w->strides[i] = d.stride[i];
        w->dilates[i] = d.dilation[i] - 1;
        w->pad_begin[i] = d.pad[i == 0 ? 2 : 0];
        w->pad_end[i] = d.pad[i == 0 ? 3 : 1];
    }
    w->describe = describe_convolution;
    return set_types(w, spec, d.dtype, d.accumulate, cout);
}

static bool wish_product(const aic_spec *spec, wish *w)
{
    aic_mmad_desc d = aic_mmad_desc_init();
    if (aic_spec_get_mmad(spec, 0, &d) != AIC_OK || !d.init_c) {
        return false;
    }
    set_layout(w, A, 2, (const int64_t[]){d.m, d.k}, dnnl_f32);
    set_layout(w, B, 2, (const int64_t[]){d.k, d.n}, dnnl_f32);
    set_layout(w, RESULT, 2, (const int64_t[]){d.m, d.n}, dnnl_f32);
    w->describe = describe_product;
    return set_types(w, spec, d.dtype, d.accumulate, d.n);
}

/* Dense tensors only. */
static bool wish_elements(const aic_spec *spec, wish *w)
{
    static const struct {
        aic_atomic_op ours;
        dnnl_alg_kind_t theirs;
    } OPS[] = {{AIC_ATOMIC_BM_ADD, dnnl_binary_add},
               {AIC_ATOMIC_BM_MUL, dnnl_binary_mul},
               {AIC_ATOMIC_BM_SUB, dnnl_binary_sub},
               {AIC_ATOMIC_BM_MAX, dnnl_binary_max},
               {AIC_ATOMIC_BM_MIN, dnnl_binary_min}};
    aic_tensor_arithmetic_desc d = aic_tensor_arithmetic_desc_init();
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count, op = 0;
    if (aic_spec_get_tensor_arithmetic(spec, 0, &d) != AIC_OK ||
        aic_spec_operands(spec, NULL, operand, &count) != AIC_OK || count != LAYOUTS) {
        return false;
    }
    while (op < sizeof OPS / sizeof OPS[0] && OPS[op].ours != d.op) {
        op++;
    }
    if (op == sizeof OPS / sizeof OPS[0]) {
        return false;
    }
    for (int i = 0; i < LAYOUTS; i++) {
        if (operand[i].elements != d.shape[0] * d.shape[1] * d.shape[2] * d.shape[3]) {
            return false;
        }
        set_layout(w, i, 4, d.shape, dnnl_f32);
        w->tag[i] = dnnl_abcd;
    }
    w->op = OPS[op].theirs;
    w->describe = describe_binary;
    return true;
}

static bool picture_tag(aic_layout layout, size_t bytes, dnnl_format_tag_t *tag)
{
    *tag = layout == AIC_LAYOUT_NCHW   ? dnnl_abcd
           : layout == AIC_LAYOUT_NHWC ? dnnl_acdb
           : bytes == 1                ? dnnl_aBcd32b
           : bytes == 2                ? dnnl_aBcd16b
                                       : dnnl_aBcd8b;
    return layout == AIC_LAYOUT_NCHW || layout == AIC_LAYOUT_NHWC || layout == AIC_LAYOUT_NC1HWC0;
}

static bool wish_move(const aic_spec *spec, wish *w)
{
    aic_transdata_desc d = aic_transdata_desc_init();
    dnnl_data_type_t type;
    dnnl_format_tag_t from, to;
    if (aic_spec_get_transdata(spec, 0, &d) != AIC_OK || !type_of(d.dtype, &type) ||
        !picture_tag(d.src, aic_dtype_size(d.dtype), &from) || !picture_tag(d.dst, aic_dtype_size(d.dtype), &to)) {
        return false;
    }
    const bool last = d.src == AIC_LAYOUT_NHWC || (d.src == AIC_LAYOUT_NC1HWC0 && d.dst == AIC_LAYOUT_NHWC);
    const int64_t *s = d.shape;
    const int64_t dims[] = {s[0], last ? s[3] : s[1], last ? s[1] : s[2], last ? s[2] : s[3]};
    set_layout(w, A, 4, dims, type);
    set_layout(w, B, 4, dims, type);
    set_layout(w, RESULT, 4, dims, type);
    w->tag[A] = from;
    w->tag[B] = w->tag[RESULT] = to;
    w->describe = describe_reorder;
    return true;
}

static const struct {
    aic_op op;
    bool (*wish)(const aic_spec *spec, wish *w);
    const char *name;
} OPERATORS[] = {{AIC_OP_CONV2D, wish_convolution, "convolution"},
                 {AIC_OP_MMAD, wish_product, "matmul"},
                 {AIC_OP_TENSOR_ARITHMETIC, wish_elements, "binary"},
                 {AIC_OP_TRANSDATA, wish_move, "reorder"}};

/* ---- making ---- */

/* False where there is none such on this host. */
static bool make(const wish *w, double (*now_ms)(void), double *ms)
{
    dnnl_own_layout own[LAYOUTS];
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    const double start = now_ms();
    for (int i = 0; i < LAYOUTS; i++) {
        dnnl_need(dnnl_layout_init(&own[i], w->rank[i], w->dims[i], w->type[i], w->tag[i]), "a memory descriptor");
    }
    const dnnl_layout layout[LAYOUTS] = {dnnl_layout_of(&own[A]), dnnl_layout_of(&own[B]),
                                         dnnl_layout_of(&own[RESULT])};
    const bool described = w->describe(&desc, w, layout) == dnnl_success;
    if (described) {
        dnnl_need(dnnl_primitive_create(&primitive, desc), "a primitive");
        *ms = now_ms() - start;
        dnnl_need(dnnl_primitive_destroy(primitive), "a primitive");
        dnnl_need(dnnl_primitive_desc_destroy(desc), "a primitive's descriptor");
    }
    for (int i = 0; i < LAYOUTS; i++) {
        dnnl_need(dnnl_layout_free(&own[i]), "a memory descriptor");
    }
    return described;
}

/* As it is, else with float32 in the place of shorter floats. */
static bool make_some(wish *w, double (*now_ms)(void), double *ms, const char **types)
{
    *types = w->type[A] == dnnl_s8 ? "s8" : w->type[A] == dnnl_f32 ? "f32" : w->type[A] == dnnl_f16 ? "f16" : "bf16";
    if (make(w, now_ms, ms)) {
        return true;
    }
    if (w->type[A] != dnnl_f16 && w->type[A] != dnnl_bf16) {
        return false;
    }
    for (int i = 0; i < LAYOUTS; i++) {
        w->type[i] = dnnl_f32;
    }
    *types = "f32";
    return make(w, now_ms, ms);
}

bool making_peer_make(const aic_spec *spec, double (*now_ms)(void), double *ms, char *what, size_t capacity)
{
    wish w = {.attr = NULL};
    size_t row = 0;
    if (engine == NULL) {
        dnnl_need(dnnl_engine_create(&engine, dnnl_cpu, 0), "an engine");
        dnnl_need(dnnl_set_primitive_cache_capacity(0), "a cache of nothing");
    }
    while (row < sizeof OPERATORS / sizeof OPERATORS[0] && OPERATORS[row].op != aic_spec_stage_op(spec, 0)) {
        row++;
    }
    const char *types = "";
    const bool made = row < sizeof OPERATORS / sizeof OPERATORS[0] && OPERATORS[row].wish(spec, &w) &&
                      make_some(&w, now_ms, ms, &types);
    if (made) {
        (void)snprintf(what, capacity, "%s of %s", OPERATORS[row].name, types);
    }
    if (w.attr != NULL) {
        dnnl_need(dnnl_primitive_attr_destroy(w.attr), "attributes");
    }
    return made;
}
