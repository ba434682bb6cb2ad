/* What parts cost in speed: a kernel that is linked from them against the same kernel compiled as a whole.
 *
 * How fast code is depends on where it lies, and where what it reads and writes lies: by several percent where a call
 * takes 100 ns. So each form is made several times, and all of them are called in turns, with the same operands in the
 * same memory. What counts is the median over what was made of a form, for each the median over its turns. */
#include "tests/bench/making/making.h"
#include "tools/harness/timer.h"

#include <stdlib.h>
#include <string.h>

enum { OUT, FORMS = 2, MAKINGS = 5 };

static const char *const PROFILES[FORMS] = {"gdb", ""}; /* debuggers want whole objects */

/* The memory that all kernels of a shape have. */
typedef struct memory {
    void *operand[AIC_OPERANDS_MAX], *packed[AIC_OPERANDS_MAX], *workspace, *expected;
    size_t bytes; /* of the result */
} memory;

/* A kernel, and what it is called with: operands are packed where it packs them. */
typedef struct called {
    aic_context *context;
    aic_kernel *kernel;
    aic_kernel_fn function;
    const memory *with;
} called;

static void run_called(void *argument)
{
    const called *c = argument;
    c->function(c->with->operand, c->with->workspace);
}

/* Kernels of the same plan pack the same bytes. The first one's are kept. */
static bool pack(const called *c, memory *m, const bench_data *data, const char *name)
{
    bool packs = false;
    for (size_t i = 0; i < data->count; i++) {
        size_t bytes = 0;
        if (data->pointer[i] == NULL || aic_kernel_packed_size(c->kernel, i, &bytes) != AIC_OK) {
            continue;
        }
        void *image = bench_memory(bytes);
        if (aic_kernel_pack(c->kernel, i, image, data->pointer[i]) != AIC_OK) {
            bench_die("packing");
        }
        if (m->packed[i] != NULL && memcmp(m->packed[i], image, bytes) != 0) {
            fprintf(stderr, "make_kernels: %s: the forms pack different images\n", name);
            exit(1);
        }
        if (m->packed[i] == NULL) {
            m->operand[i] = m->packed[i] = image;
        } else {
            free(image);
        }
        packs = true;
    }
    return packs;
}

/* The kernel in a context of its own, as one context makes a kernel once. */
static void open_called(called *c, const aic_spec *spec, const char *isa, const char *profile)
{
    aic_context_options options = aic_context_options_init();
    options.isa = isa;
    options.threads = 1;
    options.tuning_db = "";
    options.profile = profile;
    *c = (called){.kernel = NULL};
    if (aic_context_create(&options, &c->context) != AIC_OK) {
        bench_die("context");
    }
    if (aic_kernel_create(c->context, spec, NULL, &c->kernel) != AIC_OK) {
        bench_die("kernel");
    }
}

/* Calls it once. All give the same bytes. */
static void prepare(called *c, memory *m, const bench_data *data, const char *name)
{
    const bool packs = pack(c, m, data, name);
    c->function = aic_kernel_function(c->kernel, packs);
    c->with = m;
    if (c->function == NULL) {
        bench_die("function");
    }
    if (m->workspace == NULL) {
        m->workspace =
            bench_memory(packs ? aic_kernel_packed_workspace_size(c->kernel) : aic_kernel_workspace_size(c->kernel));
    }
    memcpy(m->operand[OUT], data->pointer[OUT], m->bytes);
    run_called(c);
    if (m->expected == NULL) {
        m->expected = bench_memory(m->bytes);
        memcpy(m->expected, m->operand[OUT], m->bytes);
    } else if (memcmp(m->expected, m->operand[OUT], m->bytes) != 0) {
        fprintf(stderr, "make_kernels: %s: the forms give different results\n", name);
        exit(1);
    }
}

static void close_memory(memory *m)
{
    free(m->operand[OUT]);
    free(m->workspace);
    free(m->expected);
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        free(m->packed[i]);
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

static void measure_shape(const shape *which, shape_row *row, const making_options *options)
{
    bench_data data;
    called kernel[FORMS * MAKINGS];
    bench_body body[FORMS * MAKINGS];
    double *const ns[FORMS] = {&row->literal_ns, &row->parts_ns};
    bench_data_open(&data, copy_of(which->spec));
    fill_words(&data);
    memory m = {.bytes = (size_t)data.operand[OUT].bytes};
    memcpy(m.operand, data.pointer, sizeof m.operand);
    m.operand[OUT] = bench_memory(m.bytes);
    for (int i = 0; i < FORMS * MAKINGS; i++) {
        open_called(&kernel[i], data.spec, options->isa, PROFILES[i % FORMS]);
        prepare(&kernel[i], &m, &data, which->name);
        body[i] = (bench_body){run_called, &kernel[i], 0};
    }
    bench_time(body, FORMS * MAKINGS, options->seconds / MAKINGS);
    for (int form = 0; form < FORMS; form++) {
        double made[MAKINGS];
        for (int i = 0; i < MAKINGS; i++) {
            made[i] = body[FORMS * i + form].ns;
        }
        *ns[form] = timer_median(made, MAKINGS);
    }
    for (int i = 0; i < FORMS * MAKINGS; i++) {
        aic_kernel_destroy(kernel[i].kernel);
        aic_context_destroy(kernel[i].context);
    }
    close_memory(&m);
    bench_data_close(&data);
}

void speed_measure(const making *m, const making_options *options)
{
    for (size_t i = 0; i < m->set->count; i++) {
        if (!m->row[i].same) {
            measure_shape(&m->set->shape[i], &m->row[i], options);
        }
    }
}
