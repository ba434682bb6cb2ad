/* What parts cost in speed: a kernel that is linked from them against the same kernel compiled as a whole, in turns. */
#include "tests/bench/making/making.h"

#include <stdlib.h>
#include <string.h>

enum { OUT };

/* A kernel with operands, packed where it packs them. Its output is its own. */
typedef struct called {
    aic_kernel *kernel;
    aic_kernel_fn function;
    void *operand[AIC_OPERANDS_MAX], *packed[AIC_OPERANDS_MAX], *workspace;
} called;

static void run_called(void *argument)
{
    const called *c = argument;
    c->function(c->operand, c->workspace);
}

static void pack(called *c, const bench_data *data)
{
    bool packs = false;
    for (size_t i = 0; i < data->count; i++) {
        size_t bytes = 0;
        if (data->pointer[i] != NULL && aic_kernel_packed_size(c->kernel, i, &bytes) == AIC_OK) {
            c->operand[i] = c->packed[i] = bench_memory(bytes);
            if (aic_kernel_pack(c->kernel, i, c->packed[i], data->pointer[i]) != AIC_OK) {
                bench_die("packing");
            }
            packs = true;
        }
    }
    c->function = aic_kernel_function(c->kernel, packs);
    c->workspace =
        bench_memory(packs ? aic_kernel_packed_workspace_size(c->kernel) : aic_kernel_workspace_size(c->kernel));
}

static void open_called(called *c, const bench_data *data, aic_context *context)
{
    *c = (called){.kernel = NULL};
    memcpy(c->operand, data->pointer, sizeof c->operand);
    if (aic_kernel_create(context, data->spec, NULL, &c->kernel) != AIC_OK) {
        bench_die("kernel");
    }
    c->operand[OUT] = bench_memory((size_t)data->operand[OUT].bytes);
    pack(c, data);
    if (c->function == NULL) {
        bench_die("function");
    }
    run_called(c);
}

static void close_called(called *c)
{
    aic_kernel_destroy(c->kernel);
    free(c->operand[OUT]);
    free(c->workspace);
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        free(c->packed[i]);
    }
}

/* Scales for all columns, without offsets. */
static void fill_words(const bench_data *data)
{
    for (size_t i = 0; i < data->count; i++) {
        uint64_t *words = data->pointer[i];
        for (int64_t w = 0; data->operand[i].dtype == AIC_DTYPE_UINT64 && w < data->operand[i].bytes / 8; w++) {
            words[w] = UINT64_C(0x40003B800000) + ((uint64_t)(w % 61) << 13);
        }
    }
}

/* Operands are those of bench_data, but for the specification, which stays the set's. */
static aic_spec *copy_of(const aic_spec *spec)
{
    aic_spec *copy;
    if (aic_spec_chain(&spec, 1, &copy) != AIC_OK) {
        bench_die("specification");
    }
    return copy;
}

/* Both forms give the same bytes. */
static void measure_shape(const shape *which, shape_row *row, double seconds, aic_context *const context[2])
{
    bench_data data;
    called kernel[2];
    bench_data_open(&data, copy_of(which->spec));
    fill_words(&data);
    for (int i = 0; i < 2; i++) {
        open_called(&kernel[i], &data, context[i]);
    }
    if (memcmp(kernel[0].operand[OUT], kernel[1].operand[OUT], (size_t)data.operand[OUT].bytes) != 0) {
        fprintf(stderr, "make_kernels: %s: the forms give different results\n", which->name);
        exit(1);
    }
    bench_body body[] = {{run_called, &kernel[0], 0}, {run_called, &kernel[1], 0}};
    bench_time(body, 2, seconds);
    row->literal_ns = body[0].ns;
    row->parts_ns = body[1].ns;
    for (int i = 0; i < 2; i++) {
        close_called(&kernel[i]);
    }
    bench_data_close(&data);
}

void speed_measure(const making *m, const making_options *options)
{
    aic_context *context[2];
    for (int i = 0; i < 2; i++) {
        aic_context_options form = aic_context_options_init();
        form.isa = options->isa;
        form.threads = 1;
        form.tuning_db = "";
        form.profile = i == 0 ? "gdb" : ""; /* debuggers want whole objects */
        if (aic_context_create(&form, &context[i]) != AIC_OK) {
            bench_die("context");
        }
    }
    for (size_t i = 0; i < m->set->count; i++) {
        if (!m->row[i].same) {
            measure_shape(&m->set->shape[i], &m->row[i], options->seconds, context);
        }
    }
    for (int i = 0; i < 2; i++) {
        aic_context_destroy(context[i]);
    }
}
