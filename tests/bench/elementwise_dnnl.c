/* Sums of elements against oneDNN's binary addition, one thread, on the same numbers in one process, timed in turn.
 *
 *     elementwise_dnnl [--isa LEVEL] [--layer PART_OF_NAME] [--time SECONDS]      LEVEL is ours
 *
 * The target: 10 times oneDNN's saturating addition of s8 from the first-level cache. */
#include "tests/bench/common.h"
#include "tests/bench/dnnl_any.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPERANDS = 3 }; /* output, inputs; both sides */

typedef struct row {
    const char *name, *spec;
    dnnl_data_type_t type;
    dnnl_dims_t shape, second; /* of the output and the first input; of the second one */
    double target;             /* 0: none */
} row;

/* Elements of four batches share a word of ours: for a sum, element by element, that is one row of bytes. */
static const row ROWS[] = {
    {"s8 12 KiB",
     "tensor_arithmetic_quantized(op=BM_ADD, shape=[4,1,1,1024])",
     dnnl_s8,
     {1, 1, 1, 4096},
     {1, 1, 1, 4096},
     10},
    {"s8 24 KiB",
     "tensor_arithmetic_quantized(op=BM_ADD, shape=[4,1,1,2048])",
     dnnl_s8,
     {1, 1, 1, 8192},
     {1, 1, 1, 8192},
     10},
    {"s8 768 KiB",
     "tensor_arithmetic_quantized(op=BM_ADD, shape=[4,1,64,1024])",
     dnnl_s8,
     {1, 1, 64, 4096},
     {1, 1, 64, 4096},
     0},
    {"f32 48 KiB", "tensor_arithmetic(op=BM_ADD, shape=[1,4,16,64])", dnnl_f32, {1, 4, 16, 64}, {1, 4, 16, 64}, 0},
    {"f32 over H",
     "tensor_arithmetic(op=BM_ADD, shape=[1,4,16,64], input1_stride=[0,64,0,1])",
     dnnl_f32,
     {1, 4, 16, 64},
     {1, 4, 1, 64},
     0},
    {"f32 over HW",
     "tensor_arithmetic(op=BM_ADD, shape=[1,4,16,64], input1_stride=[0,1,0,0])",
     dnnl_f32,
     {1, 4, 16, 64},
     {1, 4, 1, 1},
     0},
};

static dnnl_engine_t engine;
static dnnl_stream_t stream;

typedef struct job {
    aic_kernel *kernel;
    aic_tensor_arithmetic_fn words;
    aic_tensor_arithmetic_quantized_fn integers;
    bench_data data;
    dnnl_primitive_t primitive;
    dnnl_memory_t memory[OPERANDS];
    void *result; /* oneDNN's */
} job;

static void run_ours(void *argument)
{
    job *j = argument;
    void *const *p = j->data.pointer;
    if (j->words != NULL) {
        j->words(p[0], p[1], p[2], NULL);
    } else {
        j->integers(p[0], p[1], p[2], NULL);
    }
}

static void run_theirs(void *argument)
{
    const job *j = argument;
    const dnnl_exec_arg_t args[] = {
        {DNNL_ARG_DST, j->memory[0]}, {DNNL_ARG_SRC_0, j->memory[1]}, {DNNL_ARG_SRC_1, j->memory[2]}};
    dnnl_need(dnnl_primitive_execute(j->primitive, stream, OPERANDS, args), "addition");
}

static void open_ours(job *j, const row *r, aic_context *context)
{
    aic_spec *spec = NULL;
    if (aic_spec_parse(r->spec, &spec) != AIC_OK || aic_kernel_create(context, spec, NULL, &j->kernel) != AIC_OK) {
        bench_die(r->spec);
    }
    j->words = aic_kernel_tensor_arithmetic(j->kernel);
    j->integers = aic_kernel_tensor_arithmetic_quantized(j->kernel);
    bench_data_open(&j->data, spec);
}

static void open_theirs(job *j, const row *r)
{
    dnnl_own_layout own[OPERANDS];
    dnnl_primitive_desc_t desc;
    j->result = bench_memory((size_t)j->data.operand[0].bytes);
    for (int i = 0; i < OPERANDS; i++) {
        const int64_t *dims = i == 2 ? r->second : r->shape;
        void *values = i == 0 ? j->result : j->data.pointer[i];
        dnnl_need(dnnl_layout_init(&own[i], 4, dims, r->type, dnnl_abcd), "a memory descriptor");
        dnnl_need(dnnl_memory_create(&j->memory[i], dnnl_layout_of(&own[i]), engine, values), "memory");
    }
    dnnl_need(dnnl_describe_binary(&desc, engine, dnnl_binary_add, dnnl_layout_of(&own[1]), dnnl_layout_of(&own[2]),
                                   dnnl_layout_of(&own[0])),
              "a descriptor");
    dnnl_need(dnnl_primitive_create(&j->primitive, desc), "a primitive");
    dnnl_need(dnnl_primitive_desc_destroy(desc), "a primitive's descriptor");
    for (int i = 0; i < OPERANDS; i++) {
        dnnl_need(dnnl_layout_free(&own[i]), "a memory descriptor");
    }
}

static void close_job(job *j)
{
    for (int i = 0; i < OPERANDS; i++) {
        dnnl_need(dnnl_memory_destroy(j->memory[i]), "memory");
    }
    dnnl_need(dnnl_primitive_destroy(j->primitive), "a primitive");
    free(j->result);
    bench_data_close(&j->data);
    aic_kernel_destroy(j->kernel);
}

static void measure(aic_context *context, const row *r, double seconds)
{
    job j = {.kernel = NULL};
    open_ours(&j, r, context);
    open_theirs(&j, r);
    run_ours(&j);
    run_theirs(&j);
    dnnl_need(dnnl_stream_wait(stream), "addition");
    if (memcmp(j.result, j.data.pointer[0], (size_t)j.data.operand[0].bytes) != 0) {
        fprintf(stderr, "elementwise_dnnl: %s: the results differ\n", r->name);
        exit(1);
    }
    bench_body body[] = {{run_ours, &j, 0}, {run_theirs, &j, 0}};
    bench_time(body, 2, seconds);
    double ratio = body[1].ns / body[0].ns;
    printf("%-12s %10.1f ns, oneDNN %10.1f ns, ratio %6.2f\n", r->name, body[0].ns, body[1].ns, ratio);
    if (r->target > 0) {
        printf("target %s: at least %.0f times oneDNN, measured %.2f: %s\n", r->name, r->target, ratio,
               ratio >= r->target ? "met" : "missed");
    }
    close_job(&j);
}

int main(int argc, char **argv)
{
    bench_use_one_thread(argv);
    bench_options options = bench_parse(argc, argv, NULL);
    aic_context *context = bench_context(options.isa);
    dnnl_need(dnnl_engine_create(&engine, dnnl_cpu, 0), "an engine");
    dnnl_need(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags), "a stream");
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        if (options.layer == NULL || strstr(ROWS[i].name, options.layer) != NULL) {
            measure(context, &ROWS[i], options.seconds);
        }
    }
    dnnl_need(dnnl_stream_destroy(stream), "a stream");
    dnnl_need(dnnl_engine_destroy(engine), "an engine");
    aic_context_destroy(context);
    return 0;
}
