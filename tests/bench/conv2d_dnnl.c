/* conv2d against oneDNN, one thread, each in the layout it likes best, weights reordered beforehand, timed in turn in
 * one process (A B A B ...). Both sides get the same numbers and their results are compared first.
 *
 * int8 meets s8:s8 to s32. float16 fast meets oneDNN's f16:f16 to f32 where it has that, and its f32 convolution
 * always: the same sums from operands extended beforehand, which oneDNN is spared extending. oneDNN gets three channels
 * where ours has C0 = 4: it has no better way for four. Direct convolutions only; Winograd's algorithm is another sum.
 *
 *     conv2d_dnnl [--isa LEVEL] [--kind int8|fast] [--layer PART_OF_NAME] [--time SECONDS]      LEVEL is ours */
#include "tests/bench/common.h"

#include "tools/harness/element.h"

#include <math.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DST, FEATURE_MAP, WEIGHT, OPERANDS };
enum { BLOCK = 16 }; /* output channels of a block of our dst */

/* What of ours meets what of theirs. */
typedef struct peer {
    const char *kind; /* a bench_kind */
    const char *name;
    dnnl_data_type_t in, out;
    double tolerance; /* of the comparison, relative to the largest result */
} peer;

static const peer PEERS[] = {
    {"int8", "s8:s8 to s32", dnnl_s8, dnnl_s32, 0},
    {"fast", "f16:f16 to f32", dnnl_f16, dnnl_f32, 1e-5},
    {"fast", "f32", dnnl_f32, dnnl_f32, 1e-5},
};

static dnnl_engine_t engine;
static dnnl_stream_t stream;

static void need(dnnl_status_t status, const char *what)
{
    if (status != dnnl_success) {
        fprintf(stderr, "bench: oneDNN: %s failed with status %d\n", what, (int)status);
        exit(3);
    }
}

/* ---- layouts ---- */

/* Our layout of a tensor in oneDNN's terms: `axis` is cut into blocks which lie innermost. */
static dnnl_memory_desc_t blocked(const dnnl_dims_t dims, const int64_t strides[4], int axis, int64_t block,
                                  dnnl_data_type_t type)
{
    dnnl_memory_desc_t md = {.ndims = 4, .data_type = type, .format_kind = dnnl_blocked};
    for (int i = 0; i < 4; i++) {
        md.dims[i] = md.padded_dims[i] = dims[i];
        md.format_desc.blocking.strides[i] = strides[i];
    }
    md.padded_dims[axis] = (dims[axis] + block - 1) / block * block;
    md.format_desc.blocking.inner_nblks = 1;
    md.format_desc.blocking.inner_blks[0] = block;
    md.format_desc.blocking.inner_idxs[0] = axis;
    return md;
}

static dnnl_memory_desc_t tagged(const dnnl_dims_t dims, dnnl_data_type_t type, dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t md;
    need(dnnl_memory_desc_init_by_tag(&md, 4, dims, type, tag), "a memory descriptor");
    return md;
}

/* A convolution's shape for oneDNN: dimensions n, c, h, w and o, i, h, w. */
typedef struct shape {
    dnnl_dims_t image, weight, result;
    int64_t c0;          /* of our image and weight */
    int64_t result_rows; /* of a block of our result */
} shape;

static shape shape_of(const bench_data *data, const bench_layer *layer)
{
    const aic_conv2d_desc *d = &data->spec.stage[0].desc.conv2d;
    int64_t channels = d->fm_shape[3] == 4 ? 3 : d->fm_shape[0] * d->fm_shape[3];
    int64_t reach = d->dilation[0] * (d->kernel_shape[1] - 1) + 1;
    int64_t out = (layer->size + 2 * layer->pad - reach) / layer->stride + 1;
    return (shape){.image = {1, channels, d->fm_shape[1], d->fm_shape[2]},
                   .weight = {d->kernel_shape[3], channels, d->kernel_shape[1], d->kernel_shape[2]},
                   .result = {1, d->kernel_shape[3], out, out},
                   .c0 = d->fm_shape[3],
                   .result_rows = data->operand[DST].shape[1]};
}

static dnnl_memory_desc_t our_image(const shape *s, dnnl_data_type_t type)
{
    int64_t row = s->image[3] * s->c0, plane = s->image[2] * row;
    const int64_t strides[] = {plane * ((s->image[1] + s->c0 - 1) / s->c0), plane, row, s->c0};
    return blocked(s->image, strides, 1, s->c0, type);
}

static dnnl_memory_desc_t our_weight(const shape *s, dnnl_data_type_t type)
{
    int64_t tap = s->weight[0] * s->c0;
    const int64_t strides[] = {s->c0, s->weight[2] * s->weight[3] * tap, s->weight[3] * tap, tap};
    return blocked(s->weight, strides, 1, s->c0, type);
}

static dnnl_memory_desc_t our_result(const shape *s, dnnl_data_type_t type)
{
    int64_t plane = s->result_rows * BLOCK;
    const int64_t strides[] = {s->result[1] / BLOCK * plane, plane, s->result[3] * BLOCK, BLOCK};
    return blocked(s->result, strides, 1, BLOCK, type);
}

/* ---- oneDNN's side ---- */

typedef struct their_conv {
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    dnnl_memory_t memory[OPERANDS]; /* in the layouts that oneDNN chose */
    void *buffer[OPERANDS];
} their_conv;

/* Copies `from` to `to`, changing layouts. */
static void reorder(dnnl_memory_t from, dnnl_memory_t to)
{
    const dnnl_memory_desc_t *from_md, *to_md;
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    need(dnnl_memory_get_memory_desc(from, &from_md), "reorder");
    need(dnnl_memory_get_memory_desc(to, &to_md), "reorder");
    need(dnnl_reorder_primitive_desc_create(&desc, from_md, engine, to_md, engine, NULL), "reorder");
    need(dnnl_primitive_create(&primitive, desc), "reorder");
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    need(dnnl_primitive_execute(primitive, stream, 2, args), "reorder");
    need(dnnl_stream_wait(stream), "reorder");
    need(dnnl_primitive_destroy(primitive), "reorder");
    need(dnnl_primitive_desc_destroy(desc), "reorder");
}

static dnnl_memory_t memory_at(const dnnl_memory_desc_t *md, void *data)
{
    dnnl_memory_t memory;
    need(dnnl_memory_create(&memory, md, engine, data), "a memory object");
    return memory;
}

/* The same from our layout, through the plain one: oneDNN has no direct way between every pair. */
static void reorder_through_plain(const dnnl_memory_desc_t *from_md, void *from, const dnnl_dims_t dims,
                                  dnnl_memory_t to)
{
    dnnl_memory_desc_t md = tagged(dims, from_md->data_type, dnnl_abcd);
    void *buffer = bench_memory(dnnl_memory_desc_get_size(&md));
    dnnl_memory_t source = memory_at(from_md, from), plain = memory_at(&md, buffer);
    reorder(source, plain);
    reorder(plain, to);
    need(dnnl_memory_destroy(source), "a memory object");
    need(dnnl_memory_destroy(plain), "a memory object");
    free(buffer);
}

/* False when this oneDNN has no such convolution on this host. */
static bool their_conv_open(their_conv *t, const shape *s, const bench_layer *layer, const peer *p)
{
    *t = (their_conv){0};
    dnnl_memory_desc_t image = tagged(s->image, p->in, dnnl_format_tag_any);
    dnnl_memory_desc_t weight = tagged(s->weight, p->in, dnnl_format_tag_any);
    dnnl_memory_desc_t result = tagged(s->result, p->out, dnnl_format_tag_any);
    const dnnl_dims_t strides = {layer->stride, layer->stride}, pad = {layer->pad, layer->pad};
    const dnnl_dims_t dilates = {layer->dilation - 1, layer->dilation - 1};
    dnnl_convolution_desc_t conv;
    if (dnnl_dilated_convolution_forward_desc_init(&conv, dnnl_forward_inference, dnnl_convolution_direct, &image,
                                                   &weight, NULL, &result, strides, dilates, pad,
                                                   pad) != dnnl_success ||
        dnnl_primitive_desc_create(&t->desc, &conv, NULL, engine, NULL) != dnnl_success) {
        return false;
    }
    need(dnnl_primitive_create(&t->primitive, t->desc), "convolution");
    const dnnl_query_t query[OPERANDS] = {dnnl_query_dst_md, dnnl_query_src_md, dnnl_query_weights_md};
    for (size_t i = 0; i < OPERANDS; i++) {
        const dnnl_memory_desc_t *md = dnnl_primitive_desc_query_md(t->desc, query[i], 0);
        t->buffer[i] = bench_memory(dnnl_memory_desc_get_size(md));
        t->memory[i] = memory_at(md, t->buffer[i]);
    }
    return true;
}

static void their_conv_close(their_conv *t)
{
    for (size_t i = 0; i < OPERANDS; i++) {
        need(dnnl_memory_destroy(t->memory[i]), "a memory object");
        free(t->buffer[i]);
    }
    need(dnnl_primitive_destroy(t->primitive), "convolution");
    need(dnnl_primitive_desc_destroy(t->desc), "convolution");
}

static void their_conv_run(void *argument)
{
    const their_conv *t = argument;
    const dnnl_exec_arg_t args[] = {
        {DNNL_ARG_DST, t->memory[DST]}, {DNNL_ARG_SRC, t->memory[FEATURE_MAP]}, {DNNL_ARG_WEIGHTS, t->memory[WEIGHT]}};
    need(dnnl_primitive_execute(t->primitive, stream, OPERANDS, args), "convolution");
    need(dnnl_stream_wait(stream), "convolution");
}

static const char *implementation(const their_conv *t)
{
    const char *name = NULL;
    need(dnnl_primitive_desc_query(t->desc, dnnl_query_impl_info_str, 0, (void *)&name), "query");
    return name;
}

/* ---- the same numbers on both sides ---- */

/* Our operand in our layout with the peer's element type; to be freed. */
static void *converted(const bench_data *data, size_t i, const peer *p)
{
    const aic_operand *operand = &data->operand[i];
    size_t size = aic_dtype_size(operand->dtype);
    if (p->in != dnnl_f32) {
        return memcpy(bench_memory((size_t)operand->bytes), data->pointer[i], (size_t)operand->bytes);
    }
    float *to = bench_memory((size_t)operand->elements * sizeof *to);
    for (int64_t k = 0; k < operand->elements; k++) {
        to[k] = (float)element_to_double(operand->dtype, (const unsigned char *)data->pointer[i] + (size_t)k * size);
    }
    return to;
}

/* oneDNN does not see the fourth channel: it must be zero. */
static void clear_fourth_channel(bench_data *data)
{
    const aic_operand *image = &data->operand[FEATURE_MAP];
    size_t size = aic_dtype_size(image->dtype);
    for (int64_t i = 3; image->shape[3] == 4 && i < image->elements; i += 4) {
        memset((unsigned char *)data->pointer[FEATURE_MAP] + (size_t)i * size, 0, size);
    }
}

static void fill_theirs(their_conv *t, const bench_data *data, const shape *s, const peer *p)
{
    dnnl_memory_desc_t image = our_image(s, p->in), weight = our_weight(s, p->in);
    void *from = converted(data, FEATURE_MAP, p);
    reorder_through_plain(&image, from, s->image, t->memory[FEATURE_MAP]);
    free(from);
    from = converted(data, WEIGHT, p);
    reorder_through_plain(&weight, from, s->weight, t->memory[WEIGHT]);
    free(from);
}

/* Runs theirs and compares with our result, which is already there. */
static bool same_results(their_conv *t, const bench_data *data, const shape *s, const peer *p)
{
    const aic_operand *dst = &data->operand[DST];
    dnnl_memory_desc_t plain_md = tagged(s->result, p->out, dnnl_abcd), md = our_result(s, p->out);
    unsigned char *plain = bench_memory(dnnl_memory_desc_get_size(&plain_md)), *theirs = bench_memory(dst->bytes);
    dnnl_memory_t plain_memory = memory_at(&plain_md, plain), memory = memory_at(&md, theirs);
    their_conv_run(t);
    reorder(t->memory[DST], plain_memory);
    reorder(plain_memory, memory);
    double worst = 0, largest = 0;
    int64_t pixels = s->result[2] * s->result[3];
    for (int64_t i = 0; i < dst->elements; i++) {
        if (i / BLOCK % s->result_rows < pixels) {
            double ours = element_to_double(dst->dtype, (const unsigned char *)data->pointer[DST] + (size_t)i * 4);
            worst = fmax(worst, fabs(ours - element_to_double(dst->dtype, theirs + (size_t)i * 4)));
            largest = fmax(largest, fabs(ours));
        }
    }
    need(dnnl_memory_destroy(plain_memory), "a memory object");
    need(dnnl_memory_destroy(memory), "a memory object");
    free(plain);
    free(theirs);
    return worst <= p->tolerance * largest;
}

/* ---- the comparison ---- */

typedef struct totals {
    double ours_ns, theirs_ns;
} totals;

/* False when oneDNN has no such convolution. */
static bool compare(const bench_options *options, const bench_layer *layer, const bench_kind *kind, const peer *p,
                    aic_context *context, totals *sum)
{
    bench_data data;
    bench_kernel ours;
    their_conv theirs;
    aic_spec spec = bench_spec(layer, kind);
    bench_data_open(&data, &spec);
    clear_fourth_channel(&data);
    shape s = shape_of(&data, layer);
    bool has = their_conv_open(&theirs, &s, layer, p);
    if (has) {
        bench_kernel_open(&ours, &data, context, NULL);
        fill_theirs(&theirs, &data, &s, p);
        bool same = same_results(&theirs, &data, &s, p);
        bench_body body[] = {{bench_run_packed, &ours, 0}, {their_conv_run, &theirs, 0}};
        bench_time(body, 2, options->seconds);
        printf("%-20s %10.1f %10.1f %8.2f   %s%s\n", layer->name, body[0].ns * 1e-3, body[1].ns * 1e-3,
               body[1].ns / body[0].ns, implementation(&theirs), same ? "" : "   DIFFERENT RESULTS");
        (void)fflush(stdout);
        sum->ours_ns += body[0].ns * layer->count;
        sum->theirs_ns += body[1].ns * layer->count;
        bench_kernel_close(&ours);
        their_conv_close(&theirs);
    }
    bench_data_close(&data);
    return has;
}

static void compare_all(const bench_options *options, const bench_kind *kind, const peer *p, aic_context *context)
{
    totals sum = {0};
    printf("\n%s at level %s against oneDNN %s\n%-20s %10s %10s %8s   %s\n", kind->name, aic_context_isa(context),
           p->name, "layer", "ours us", "oneDNN us", "faster", "oneDNN's implementation");
    for (const bench_layer *layer = bench_layers; layer->name != NULL; layer++) {
        if (bench_wants_layer(options, layer) && !compare(options, layer, kind, p, context, &sum)) {
            printf("this oneDNN has no such convolution on this host\n");
            return;
        }
    }
    if (sum.ours_ns > 0) {
        printf("%-20s %10.1f %10.1f %8.2f   the layers above by their count in ResNet-50\n", "ResNet-50",
               sum.ours_ns * 1e-3, sum.theirs_ns * 1e-3, sum.theirs_ns / sum.ours_ns);
    }
}

int main(int argc, char **argv)
{
    bench_use_one_thread(argv);
    bench_options options = bench_parse(argc, argv, NULL);
    need(dnnl_engine_create(&engine, dnnl_cpu, 0), "an engine");
    need(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags), "a stream");
    const dnnl_version_t *version = dnnl_version();
    printf("oneDNN %d.%d.%d, one thread\n", version->major, version->minor, version->patch);
    aic_context *context = bench_context(options.isa);
    for (size_t i = 0; i < sizeof PEERS / sizeof PEERS[0]; i++) {
        for (const bench_kind *kind = bench_kinds; kind->name != NULL; kind++) {
            if (strcmp(kind->name, PEERS[i].kind) == 0 && bench_wants_kind(&options, kind)) {
                compare_all(&options, kind, &PEERS[i], context);
            }
        }
    }
    aic_context_destroy(context);
    need(dnnl_stream_destroy(stream), "a stream");
    need(dnnl_engine_destroy(engine), "an engine");
    return 0;
}
