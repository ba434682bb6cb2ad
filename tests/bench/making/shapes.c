/* The shapes: ResNet-50's convolutions in four kinds of arithmetic, odd ones of every operator, those of a file. */
#include "tests/bench/making/making.h"

#include <stdlib.h>
#include <string.h>

/* ---- operator texts ---- */

static const char *const PRODUCTS[] = {
    "mmad(dtype=int8, m=49, n=80, k=200)",
    "mmad(dtype=int8, m=130, n=257, k=96)",
    "mmad(dtype=int8, m=64, n=64, k=512, a_format=Zz, b_format=Zn, c_format=Nz)",
    "mmad(dtype=int8, m=7, n=1000, k=2048, init_c=false)",
    "mmad(dtype=float16, m=33, n=48, k=130, accumulate=fast)",
    "mmad(dtype=float16, m=100, n=96, k=320)",
    "mmad(dtype=bfloat16, m=50, n=64, k=64, accumulate=fast)",
    "mmad(dtype=float32, m=61, n=72, k=80, accumulate=fast)",
};

static const char *const CONVOLUTIONS[] = {
    "conv2d(dtype=int8, fm_shape=[3,35,35,32], kernel_shape=[3,3,3,80,32], pad=[1,1,1,1])",
    "conv2d(dtype=int8, fm_shape=[4,17,19,32], kernel_shape=[4,1,7,112,32], pad=[3,3,0,0])",
    "conv2d(dtype=int8, fm_shape=[2,40,40,32], kernel_shape=[2,5,5,64,32], pad=[6,6,6,6], dilation=[3,3])",
    "conv2d(dtype=int8, fm_shape=[1,75,75,4], kernel_shape=[1,3,3,32,4], stride=[2,2])",
    "conv2d(dtype=int8, fm_shape=[10,13,13,32], kernel_shape=[10,1,1,16,32])",
    "conv2d(dtype=float16, fm_shape=[6,28,28,16], kernel_shape=[6,5,5,96,16], pad=[2,2,2,2], accumulate=fast)",
    "conv2d(dtype=float16, fm_shape=[8,17,17,16], kernel_shape=[8,7,1,192,16], pad=[0,0,3,3], accumulate=fast)",
    "conv2d(dtype=float16, fm_shape=[4,21,23,16], kernel_shape=[4,3,3,64,16], pad=[1,1,1,1], accumulate=winograd)",
    "conv2d(dtype=float16, fm_shape=[4,57,57,16], kernel_shape=[4,1,1,128,16], stride=[2,2])",
    "conv2d(dtype=float16, fm_shape=[1,60,60,4], kernel_shape=[1,7,7,48,4], stride=[2,2], pad=[3,3,3,3])",
};

static const char *const GROUPS[] = {
    "conv2d(dtype=int8, fm_shape=[2,28,28,32], kernel_shape=[1,3,3,64,1], pad=[1,1,1,1], groups=64)",
    "conv2d(dtype=int8, fm_shape=[6,15,15,32], kernel_shape=[1,5,5,192,1], pad=[2,2,2,2], groups=192)",
    "conv2d(dtype=int8, fm_shape=[4,14,14,32], kernel_shape=[1,3,3,128,4], pad=[1,1,1,1], groups=32)",
    "conv2d(dtype=int8, fm_shape=[4,19,21,32], kernel_shape=[1,1,1,128,32], groups=4)",
    ("conv2d(dtype=float16, fm_shape=[2,30,30,16], kernel_shape=[1,3,3,32,1], stride=[2,2], pad=[1,1,1,1], groups=32, "
     "accumulate=fast)"),
    "conv2d(dtype=float16, fm_shape=[4,13,17,16], kernel_shape=[1,3,3,64,16], pad=[1,1,1,1], groups=4)",
};

static const char *const CHAINS[] = {
    ("conv2d(dtype=int8, fm_shape=[2,27,29,32], kernel_shape=[2,3,3,96,32], pad=[1,1,1,1]) | fixpipe(src=int32, "
     "dst=int8, format=NZ, quantPre=VREQ8)"),
    ("conv2d(dtype=int8, fm_shape=[3,19,19,32], kernel_shape=[3,1,1,80,32]) | fixpipe(src=int32, dst=float16, "
     "quantPre=VDEQF16)"),
    ("conv2d(dtype=int8, fm_shape=[2,15,15,32], kernel_shape=[2,3,3,64,32], pad=[1,1,1,1], init_l1out=false, "
     "l1out=channel) | fixpipe(src=int32, dst=int8, quantPre=REQ8, deqScalar=quant(0.01, 3, int8), format=NZ, "
     "reluEn=true)"),
    ("conv2d(dtype=int8, fm_shape=[2,21,21,32], kernel_shape=[1,3,3,64,1], pad=[1,1,1,1], groups=64) | fixpipe("
     "src=int32, dst=int8, format=NZ, quantPre=VREQ8, reluEn=true)"),
    ("conv2d(dtype=float16, fm_shape=[3,22,22,16], kernel_shape=[3,3,3,48,16], pad=[1,1,1,1], accumulate=fast) | "
     "fixpipe(src=float32, dst=float16, quantPre=F322F16, format=NZ)"),
    ("conv2d(dtype=float16, fm_shape=[2,18,20,16], kernel_shape=[2,3,3,64,16], pad=[1,1,1,1]) | tensor_arithmetic("
     "op=BM_ADD) | fixpipe(src=float32, dst=float16, quantPre=F322F16, format=NZ)"),
    ("conv2d(dtype=float16, fm_shape=[1,14,14,16], kernel_shape=[1,3,3,48,16], pad=[1,1,1,1], accumulate=fast, "
     "init_l1out=false, l1out=channel) | tensor_arithmetic(op=BM_MUL, input1_stride=[0,16,0,1]) | tensor_arithmetic("
     "op=BM_MAX, input1_stage=1) | fixpipe(src=float32, dst=float16, quantPre=F322F16, format=NZ)"),
    "mmad(dtype=int8, m=77, n=96, k=160) | fixpipe(src=int32, dst=int8, format=NZ, quantPre=VREQ8)",
    "mmad(dtype=float16, m=40, n=64, k=256, accumulate=fast) | fixpipe(src=float32, dst=float16, quantPre=F322F16)",
    ("mmad(dtype=float32, m=45, n=48, k=40, accumulate=fast) | tensor_arithmetic(op=BM_MAX, input1_is_const=true, "
     "input1_const=0)"),
};

static const char *const STORES[] = {
    "fixpipe(src=int32, dst=int8, nSize=208, mSize=100, srcStride=112, dstStride=208, quantPre=VREQ8)",
    ("fixpipe(src=int32, dst=int8, format=NZ, nSize=96, mSize=81, srcStride=96, dstStride=90, quantPre=REQ8, "
     "deqScalar=quant(0.02, 0, int8), reluEn=true)"),
    "fixpipe(src=int32, dst=float16, nSize=72, mSize=50, srcStride=64, dstStride=80, quantPre=VDEQF16)",
    "fixpipe(src=float32, dst=float16, format=NZ, nSize=160, mSize=49, srcStride=64, dstStride=49, quantPre=F322F16)",
    "fixpipe(src=float32, dst=bfloat16, nSize=37, mSize=64, srcStride=64, dstStride=40, quantPre=F322BF16)",
    ("fixpipe(src=float32, dst=float32, format=NZ, nSize=48, mSize=33, srcStride=48, dstStride=66, "
     "isChannelSplit=true)"),
    ("tik_fixpipe(src=int32, dst=float16, cburst_num=5, burst_len=14, dst_stride=1, quantize_params=int322fp16, "
     "mode_param_tensor=true, relu=true)"),
    "tik_fixpipe(src=float32, dst=float16, cburst_num=3, burst_len=28, quantize_params=fp322fp16)",
};

static const char *const MOVES[] = {
    "transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[1,64,29,31])",
    "transdata(dtype=int8, src=NHWC, dst=NC1HWC0, shape=[2,33,35,96])",
    "transdata(dtype=float16, src=NC1HWC0, dst=NCHW, shape=[1,48,27,27])",
    "transdata(dtype=float32, src=NCHW, dst=NHWC, shape=[1,20,40,44])",
    "transdata(dtype=float16, src=OIHW, dst=FRACTAL_Z, shape=[80,48,3,3])",
    "transdata(dtype=int8, src=ND, dst=Nz, shape=[131,224])",
    "transdata(dtype=float16, src=Nz, dst=ND, shape=[98,144])",
    "transdata(dtype=float16, src=Zz, dst=Zn, shape=[64,112])",
    "nd2nz(dtype=float16, nValue=45, dValue=70, srcDValue=80, dstNzC0Stride=48)",
    ("nd2nz(dtype=int8, ndNum=3, nValue=20, dValue=96, srcNdMatrixStride=2048, srcDValue=96, dstNzC0Stride=32, "
     "dstNzNStride=1, dstNzMatrixStride=4096)"),
    "load_data(dtype=float16, repeatTimes=24, srcStride=3, dstGap=1)",
    "load_data_transpose(dtype=int8, repeatTimes=5, srcStride=2, dstGap=1, dstFracGap=0)",
};

static const char *const ELEMENTS[] = {
    "tensor_arithmetic(op=BM_ADD, shape=[1,5,33,70])",
    "tensor_arithmetic(op=BM_MUL, shape=[2,3,20,64], input1_stride=[0,1,0,0])",
    "tensor_arithmetic(op=BM_MAX, shape=[1,7,18,50], input1_is_const=true, input1_const=0.5)",
    "tensor_arithmetic(op=BM_MIN, shape=[1,2,19,33], input0_stride=[1300,650,33,1])",
    "tensor_arithmetic(op=BM_MAC, shape=[2,3,15,27])",
    "tensor_arithmetic(op=BM_CPY, shape=[1,3,64,96])",
    "tensor_arithmetic_quantized(op=BM_ADD, shape=[4,2,15,71])",
    "tensor_arithmetic_quantized(op=BM_MUL, shape=[8,3,11,29], rshift_bit=4)",
    "tensor_arithmetic_quantized(op=BM_SUB, shape=[4,3,20,44], input1_w_is1=true)",
    "texpands(dtype=float16, rows=96, cols=80)",
    "texpands(dtype=float32, rows=48, cols=64, v_row=31, v_col=45)",
    "texpands(dtype=int8, rows=64, cols=96, v_row=64, v_col=33, slayout=row_major, literal=200)",
};

/* What a set is made of: texts, or the layers of ResNet-50 in a kind of arithmetic. */
typedef struct source {
    const char *name, *title, *const *text;
    size_t count;
    const char *kind; /* of bench_kinds */
    bool fused;       /* with a fixpipe VREQ8 behind it, rectified, to int8 */
} source;

#define TEXTS(list) .text = (list), .count = sizeof(list) / sizeof((list)[0])
static const source SOURCES[] = {
    {"int8", "ResNet-50, int8 to int32", .kind = "int8"},
    {"fused", "ResNet-50, int8 | fixpipe VREQ8, rectified, to int8", .kind = "int8", .fused = true},
    {"fast", "ResNet-50, float16 fast", .kind = "fast"},
    {"cube", "ResNet-50, float16 cube", .kind = "cube"},
    {"mmad", "products of matrices", TEXTS(PRODUCTS)},
    {"conv2d", "convolutions of odd shapes", TEXTS(CONVOLUTIONS)},
    {"groups", "grouped and depthwise convolutions", TEXTS(GROUPS)},
    {"chains", "chains", TEXTS(CHAINS)},
    {"fixpipe", "stores of accumulators", TEXTS(STORES)},
    {"moves", "moves", TEXTS(MOVES)},
    {"elements", "element-wise arithmetic and fills", TEXTS(ELEMENTS)},
    {0},
};

/* ---- lists ---- */

static void *grown(void *list, size_t bytes)
{
    void *more = realloc(list, bytes);
    if (more == NULL) {
        bench_die("memory for the list of shapes cannot be had");
    }
    return more;
}

/* Takes the specification over. */
static void add_shape(shape_set *set, const char *layer, const char *name, aic_spec *spec, size_t line)
{
    if (layer != NULL && strstr(name, layer) == NULL) {
        aic_spec_destroy(spec);
        return;
    }
    set->shape = grown(set->shape, (set->count + 1) * sizeof *set->shape);
    char *copy = strdup(name);
    if (copy == NULL) {
        bench_die("memory for a name cannot be had");
    }
    set->shape[set->count++] = (shape){.name = copy, .spec = spec, .line = line};
}

/* Takes the set over. */
static void add_set(shape_sets *sets, const shape_set *set)
{
    if (set->count > 0) {
        sets->set = grown(sets->set, (sets->count + 1) * sizeof *sets->set);
        sets->set[sets->count++] = *set;
    }
}

/* ---- of this program ---- */

static aic_spec *fused(aic_spec *conv)
{
    aic_spec *next = NULL, *chain = NULL;
    aic_fixpipe_desc fix = aic_fixpipe_desc_init();
    fix.src = AIC_INT32, fix.dst = AIC_INT8, fix.format = AIC_FORMAT_NZ, fix.quantPre = AIC_QUANT_VREQ8,
    fix.reluEn = true;
    if (aic_spec_create_fixpipe(&fix, &next) != AIC_OK ||
        aic_spec_chain((const aic_spec *const[]){conv, next}, 2, &chain) != AIC_OK) {
        bench_die("chain");
    }
    aic_spec_destroy(conv);
    aic_spec_destroy(next);
    return chain;
}

static void add_network(shape_set *set, const char *layer, const source *from)
{
    const bench_kind *kind = bench_kinds;
    while (strcmp(kind->name, from->kind) != 0) {
        kind++;
    }
    for (const bench_layer *l = bench_layers; l->name != NULL; l++) {
        if (l->count > 0) {
            aic_spec *conv = bench_spec(l, kind);
            add_shape(set, layer, l->name, from->fused ? fused(conv) : conv, 0);
        }
    }
}

bool shapes_of_program(const char *kind, const char *layer, shape_sets *sets)
{
    bool found = false;
    *sets = (shape_sets){.count = 0};
    for (const source *from = SOURCES; from->name != NULL; from++) {
        if (kind != NULL && strcmp(kind, from->name) != 0) {
            continue;
        }
        shape_set set = {.name = from->name, .title = from->title};
        if (from->kind != NULL) {
            add_network(&set, layer, from);
        }
        for (size_t i = 0; i < from->count; i++) {
            aic_spec *spec;
            if (aic_spec_parse(from->text[i], &spec) != AIC_OK || aic_spec_validate(spec, NULL) != AIC_OK) {
                bench_die(from->text[i]);
            }
            add_shape(&set, layer, from->text[i], spec, 0);
        }
        add_set(sets, &set);
        found = true;
    }
    return found;
}

/* ---- of a file ---- */

typedef struct file_shapes {
    shape_set set;
    const char *layer;
} file_shapes;

static const char *take_shape(void *argument, const char *text, aic_spec *spec, size_t line)
{
    file_shapes *all = argument;
    add_shape(&all->set, all->layer, text, spec, line);
    return NULL;
}

bool shapes_of_file(const char *path, const char *layer, shape_sets *sets)
{
    file_shapes all = {.set = {.name = "file", .title = path}, .layer = layer};
    const bool good = bench_read_specs(path, take_shape, &all);
    *sets = (shape_sets){.count = 0};
    add_set(sets, &all.set);
    return good;
}

void shapes_free(shape_sets *sets)
{
    for (size_t s = 0; s < sets->count; s++) {
        for (size_t i = 0; i < sets->set[s].count; i++) {
            free(sets->set[s].shape[i].name);
            aic_spec_destroy(sets->set[s].shape[i].spec);
        }
        free(sets->set[s].shape);
    }
    free(sets->set);
}
