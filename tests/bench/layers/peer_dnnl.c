/* oneDNN as the peer. Direct convolutions only: Winograd's algorithm is another sum. */
#include "tests/bench/layers/peer.h"

#include "tests/bench/common.h"
#include "tests/bench/dnnl_any.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DST, IMAGE, WEIGHT, SCALES, OPERANDS };

struct peer_convolution {
    peer_problem problem;
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    dnnl_memory_t
        memory[OPERANDS]; /* in the layouts that oneDNN chose; NULL for scales that are part of the primitive */
    void *buffer[OPERANDS];
};

/* Element types of operands and result. */
static const struct {
    dnnl_data_type_t in, out;
} TYPES[] = {
    [PEER_S8_S32] = {dnnl_s8, dnnl_s32},
    [PEER_S8_S8] = {dnnl_s8, dnnl_s8},
    [PEER_F16_F32] = {dnnl_f16, dnnl_f32},
    [PEER_F32_F32] = {dnnl_f32, dnnl_f32},
};

static dnnl_engine_t engine;
static dnnl_stream_t stream;

/* The engine and the stream live as long as the process. */
static void start(void)
{
    if (engine == NULL) {
        dnnl_need(dnnl_engine_create(&engine, dnnl_cpu, 0), "an engine");
        dnnl_need(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags), "a stream");
    }
}

const char *peer_name(void)
{
    return dnnl_full_name();
}

int peer_major(void)
{
    return dnnl_version()->major;
}

/* Of values, or with several groups of their weights, which have one dimension more. */
static dnnl_own_layout layout(const int64_t *dims, int64_t groups, dnnl_data_type_t type, bool any)
{
    dnnl_own_layout own;
    const dnnl_dims_t plain = {dims[0], dims[1], dims[2], dims[3]};
    const dnnl_dims_t grouped = {groups, dims[0] / groups, dims[1], dims[2], dims[3]};
    const dnnl_format_tag_t tag = any ? dnnl_format_tag_any : groups > 1 ? dnnl_abcde : dnnl_abcd;
    dnnl_need(dnnl_layout_init(&own, groups > 1 ? 5 : 4, groups > 1 ? grouped : plain, type, tag),
              "a memory descriptor");
    return own;
}

/* Copies `from` to `to`, changing layouts. */
static void reorder(dnnl_memory_t from, dnnl_memory_t to)
{
    dnnl_layout from_layout, to_layout;
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    dnnl_need(dnnl_memory_get_memory_desc(from, &from_layout), "reorder");
    dnnl_need(dnnl_memory_get_memory_desc(to, &to_layout), "reorder");
    dnnl_need(dnnl_reorder_primitive_desc_create(&desc, from_layout, engine, to_layout, engine, NULL), "reorder");
    dnnl_need(dnnl_primitive_create(&primitive, desc), "reorder");
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    dnnl_need(dnnl_primitive_execute(primitive, stream, 2, args), "reorder");
    dnnl_need(dnnl_stream_wait(stream), "reorder");
    dnnl_need(dnnl_primitive_destroy(primitive), "reorder");
    dnnl_need(dnnl_primitive_desc_destroy(desc), "reorder");
}

/* Copies between dense values and an operand, in the direction given. */
static void copy_dense(void *values, const int64_t *dims, int64_t groups, dnnl_data_type_t type, dnnl_memory_t memory,
                       bool to_memory)
{
    dnnl_own_layout own = layout(dims, groups, type, false);
    dnnl_memory_t dense;
    dnnl_need(dnnl_memory_create(&dense, dnnl_layout_of(&own), engine, values), "a memory object");
    reorder(to_memory ? dense : memory, to_memory ? memory : dense);
    dnnl_need(dnnl_memory_destroy(dense), "a memory object");
    dnnl_need(dnnl_layout_free(&own), "a memory descriptor");
}

/* ReLU and scales for results of 8 bits; NULL for others. */
static dnnl_primitive_attr_t attributes(const peer_problem *p)
{
    dnnl_primitive_attr_t attr = NULL;
    dnnl_post_ops_t ops;
    if (p->types == PEER_S8_S8) {
        dnnl_need(dnnl_primitive_attr_create(&attr), "attributes");
        dnnl_need(dnnl_attr_scales(attr, p->result[1], p->groups, p->scale), "scales");
        dnnl_need(dnnl_post_ops_create(&ops), "post-ops");
        dnnl_need(dnnl_append_relu(ops), "ReLU");
        dnnl_need(dnnl_primitive_attr_set_post_ops(attr, ops), "post-ops");
        dnnl_need(dnnl_post_ops_destroy(ops), "post-ops");
    }
    return attr;
}

/* False when this oneDNN has no such convolution on this host. */
static bool describe(dnnl_primitive_desc_t *desc, const peer_problem *p)
{
    const dnnl_data_type_t in = TYPES[p->types].in, out = TYPES[p->types].out;
    const dnnl_dims_t strides = {p->stride, p->stride}, dilates = {p->dilation - 1, p->dilation - 1};
    const dnnl_dims_t pad = {p->pad_h, p->pad_w};
    dnnl_own_layout image = layout(p->image, 1, in, true);
    dnnl_own_layout weight = layout(p->weight, p->groups, in, true);
    dnnl_own_layout result = layout(p->result, 1, out, true);
    dnnl_primitive_attr_t attr = attributes(p);
    const dnnl_status_t status =
        dnnl_describe_convolution(desc, engine, dnnl_layout_of(&image), dnnl_layout_of(&weight),
                                  dnnl_layout_of(&result), strides, dilates, pad, pad, attr);
    dnnl_need(dnnl_layout_free(&image), "a memory descriptor");
    dnnl_need(dnnl_layout_free(&weight), "a memory descriptor");
    dnnl_need(dnnl_layout_free(&result), "a memory descriptor");
    if (attr != NULL) {
        dnnl_need(dnnl_primitive_attr_destroy(attr), "attributes");
    }
    return status == dnnl_success;
}

static void allocate(peer_convolution *c)
{
    const dnnl_query_t query[] = {dnnl_query_dst_md, dnnl_query_src_md, dnnl_query_weights_md};
    for (size_t i = 0; i < SCALES; i++) {
        dnnl_layout own = dnnl_primitive_desc_query_md(c->desc, query[i], 0);
        c->buffer[i] = bench_memory(dnnl_memory_desc_get_size(own));
        dnnl_need(dnnl_memory_create(&c->memory[i], own, engine, c->buffer[i]), "a memory object");
    }
    if (c->problem.types == PEER_S8_S8 && dnnl_scales_argument() != 0) {
        const dnnl_dims_t channels = {c->problem.result[1]};
        const size_t bytes = (size_t)channels[0] * sizeof(float);
        dnnl_own_layout own;
        dnnl_need(dnnl_layout_init(&own, 1, channels, dnnl_f32, dnnl_a), "a memory descriptor");
        c->buffer[SCALES] = memcpy(bench_memory(bytes), c->problem.scale, bytes);
        dnnl_need(dnnl_memory_create(&c->memory[SCALES], dnnl_layout_of(&own), engine, c->buffer[SCALES]), "scales");
        dnnl_need(dnnl_layout_free(&own), "a memory descriptor");
    }
}

peer_convolution *peer_open(const peer_problem *problem)
{
    start();
    peer_convolution *c = bench_memory(sizeof *c);
    c->problem = *problem;
    if (!describe(&c->desc, problem)) {
        free(c);
        return NULL;
    }
    dnnl_need(dnnl_primitive_create(&c->primitive, c->desc), "convolution");
    allocate(c);
    const dnnl_data_type_t in = TYPES[problem->types].in;
    copy_dense((void *)(uintptr_t)problem->image_data, problem->image, 1, in, c->memory[IMAGE], true);
    copy_dense((void *)(uintptr_t)problem->weight_data, problem->weight, problem->groups, in, c->memory[WEIGHT], true);
    return c;
}

void peer_close(peer_convolution *c)
{
    for (size_t i = 0; c != NULL && i < OPERANDS; i++) {
        dnnl_need(dnnl_memory_destroy(c->memory[i]), "a memory object");
        free(c->buffer[i]);
    }
    if (c != NULL) {
        dnnl_need(dnnl_primitive_destroy(c->primitive), "convolution");
        dnnl_need(dnnl_primitive_desc_destroy(c->desc), "convolution");
        free(c);
    }
}

void peer_run(void *convolution)
{
    const peer_convolution *c = convolution;
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_DST, c->memory[DST]},
                                    {DNNL_ARG_SRC, c->memory[IMAGE]},
                                    {DNNL_ARG_WEIGHTS, c->memory[WEIGHT]},
                                    {dnnl_scales_argument(), c->memory[SCALES]}};
    dnnl_need(dnnl_primitive_execute(c->primitive, stream, c->memory[SCALES] != NULL ? OPERANDS : SCALES, args),
              "convolution");
    dnnl_need(dnnl_stream_wait(stream), "convolution");
}

void peer_result(peer_convolution *c, void *values)
{
    copy_dense(values, c->problem.result, 1, TYPES[c->problem.types].out, c->memory[DST], false);
}

const char *peer_implementation(const peer_convolution *c)
{
    const char *name = NULL;
    dnnl_need(dnnl_primitive_desc_query(c->desc, dnnl_query_impl_info_str, 0, (void *)&name), "query");
    return name;
}
