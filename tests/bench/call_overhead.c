/* What the library adds to a kernel: nanoseconds of one call on a cached tiny shape, by its C function, by descriptor
 * (aic_jit_conv2d), and by handle (aic_kernel_call and its relatives). The design's limit: aic_jit_conv2d adds at most
 * 35 ns, and no call by handle takes longer than by descriptor.
 *
 * The last line is a program of PTO-AS: 16 fills of tiles of 1 KiB, one kernel, by aic_pto_run and by as many calls of
 * aic_jit_texpands.
 *
 * "one shape" requests the same shape every time; "16 shapes in turn" takes the way through the hash table. Each figure
 * is the median of many short rounds in which all ways alternate, so that they see the same machine.
 *
 *     call_overhead [LIMIT_NS]     exit status 1 when aic_jit_conv2d adds more than LIMIT_NS, or a call by handle more
 *                                  than that */
#include "tools/harness/timer.h"

#include <aic/aic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SHAPES 16
#define ROUNDS 301
#define CALLS 4096 /* in a round; a multiple of SHAPES */

#define IMAGES 16

typedef struct shape {
    aic_conv2d_desc desc;
    aic_kernel *kernel;
    aic_conv2d_fn function, function_packed;
    aic_kernel_fn of_table;
    void *workspace;
    void *operands[3], *packed[3]; /* packed: the same with a packed image of the weights */
    size_t bytes[3];
    size_t strides[3]; /* for batches of IMAGES */
} shape;

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "call_overhead: %s: %s\n", what, aic_last_error());
    exit(3);
}

static void *zeros(size_t bytes)
{
    size_t rounded = (bytes + 64) / 64 * 64;
    void *memory = aligned_alloc(64, rounded);
    if (memory == NULL) {
        fprintf(stderr, "call_overhead: out of memory\n");
        exit(3);
    }
    return memset(memory, 0, rounded);
}

/* One output pixel from `width` x 1 input pixels of four channels: next to no work. */
static void shape_init(shape *s, int64_t width)
{
    s->desc = aic_conv2d_desc_init();
    s->desc.dtype = AIC_INT8;
    const int64_t fm_shape[4] = {1, 1, width, 4}, kernel_shape[5] = {1, 1, 1, 16, 4};
    memcpy(s->desc.fm_shape, fm_shape, sizeof fm_shape);
    memcpy(s->desc.kernel_shape, kernel_shape, sizeof kernel_shape);
    s->desc.stride[1] = 63; /* width <= 63: one output pixel */

    aic_spec *spec = NULL;
    aic_operand operands[AIC_OPERANDS_MAX];
    size_t count;
    if (aic_spec_create_conv2d(&s->desc, &spec) != AIC_OK ||
        aic_kernel_create(NULL, spec, NULL, &s->kernel) != AIC_OK ||
        aic_spec_operands(spec, NULL, operands, &count) != AIC_OK) {
        die("cannot make the kernel");
    }
    aic_spec_destroy(spec);
    s->function = aic_kernel_conv2d(s->kernel);
    s->function_packed = aic_kernel_conv2d_packed(s->kernel);
    s->of_table = aic_kernel_function(s->kernel, false);
    s->workspace = zeros(aic_kernel_workspace_size(s->kernel));
    for (size_t i = 0; i < count; i++) {
        s->bytes[i] = (size_t)operands[i].bytes;
        s->strides[i] = i < 2 ? ((size_t)operands[i].bytes + 63) / 64 * 64 : 0;
        s->operands[i] = zeros((size_t)operands[i].bytes + IMAGES * s->strides[i]);
        s->packed[i] = s->operands[i];
    }
    size_t bytes = 0;
    if (aic_kernel_packed_size(s->kernel, 2, &bytes) != AIC_OK) {
        die("cannot pack");
    }
    s->packed[2] = zeros(bytes);
    if (aic_kernel_pack(s->kernel, 2, s->packed[2], s->operands[2]) != AIC_OK) {
        die("cannot pack");
    }
}

static void shape_free(shape *s)
{
    aic_kernel_destroy(s->kernel);
    free(s->workspace);
    free(s->packed[2]);
    for (size_t i = 0; i < 3; i++) {
        free(s->operands[i]);
    }
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ---- ways to call ---- */

static aic_status call_direct(shape *s)
{
    s->function(s->operands[0], s->operands[1], s->operands[2], s->workspace);
    return AIC_OK;
}

static aic_status call_jit(shape *s)
{
    return aic_jit_conv2d(NULL, &s->desc, s->operands[0], s->operands[1], s->operands[2]);
}

static aic_status call_function(shape *s)
{
    s->of_table(s->operands, s->workspace);
    return AIC_OK;
}

static aic_status call_sized(shape *s)
{
    return aic_kernel_call_sized(s->kernel, s->operands, s->bytes, 3);
}

static aic_status call_handle(shape *s)
{
    return aic_kernel_call(s->kernel, s->operands, 3);
}

static aic_status call_direct_packed(shape *s)
{
    s->function_packed(s->packed[0], s->packed[1], s->packed[2], s->workspace);
    return AIC_OK;
}

static aic_status call_packed(shape *s)
{
    return aic_kernel_call_packed(s->kernel, s->packed, 3);
}

static aic_status call_batch_of_one(shape *s)
{
    return aic_kernel_call_batch_packed(s->kernel, s->packed, s->strides, 1);
}

static aic_status call_batch(shape *s)
{
    return aic_kernel_call_batch_packed(s->kernel, s->packed, s->strides, IMAGES);
}

typedef struct way {
    const char *name;
    aic_status (*call)(shape *s);
    int base;      /* the way that it is compared with */
    double images; /* of a call */
} way;

enum { DIRECT, JIT = 1, DIRECT_PACKED = 5, WAYS = 9 };

static const way ways[WAYS] = {
    {"C function", call_direct, DIRECT, 1},
    {"aic_jit_conv2d", call_jit, DIRECT, 1},
    {"aic_kernel_function", call_function, DIRECT, 1},
    {"aic_kernel_call", call_handle, DIRECT, 1},
    {"aic_kernel_call_sized", call_sized, DIRECT, 1},
    {"C function, packed", call_direct_packed, DIRECT_PACKED, 1},
    {"aic_kernel_call_packed", call_packed, DIRECT_PACKED, 1},
    {"aic_kernel_call_batch_packed, 1 image", call_batch_of_one, DIRECT_PACKED, 1},
    {"aic_kernel_call_batch_packed, 16, each", call_batch, DIRECT_PACKED, IMAGES},
};

/* Nanoseconds of one call of this kind, over a round. */
static double time_round(shape *shapes, size_t count, const way *by)
{
    aic_status status = AIC_OK;
    double start = now_ns();
    for (size_t i = 0; i < CALLS; i++) {
        status |= by->call(&shapes[i % count]);
    }
    double end = now_ns();
    if (status != AIC_OK) {
        die("a call failed");
    }
    return (end - start) / CALLS / by->images;
}

/* Measures `count` shapes in turn and prints a line for each way. False when aic_jit_conv2d adds more than `limit`, or
 * another way more than it. */
static bool measure(const char *what, shape *shapes, size_t count, double limit)
{
    static double sample[WAYS][ROUNDS];
    for (size_t round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < WAYS; i++) {
            sample[i][round] = time_round(shapes, count, &ways[i]);
        }
    }
    double median[WAYS];
    printf("%s\n", what);
    for (int i = 0; i < WAYS; i++) {
        median[i] = timer_median(sample[i], ROUNDS);
        printf("  %-42s %6.1f ns (%+.1f)\n", ways[i].name, median[i], median[i] - median[ways[i].base]);
    }
    const double added = median[JIT] - median[DIRECT];
    bool within = limit <= 0 || added <= limit;
    for (int i = 0; i < WAYS && limit > 0; i++) {
        within = within && median[i] - median[ways[i].base] <= added;
    }
    return within;
}

/* ---- a program ---- */

enum { STATEMENTS = 16, TILE_SIDE = 16, TEXT_MAX = 4096 };

typedef struct fills {
    aic_pto_program *program;
    void *arguments[1 + STATEMENTS]; /* the scalar, the tiles */
    aic_texpands_desc desc;          /* of each */
} fills;

static void fills_init(fills *f)
{
    char text[TEXT_MAX];
    int at = snprintf(text, sizeof text, ".arg %%s : f32\n");
    for (int i = 0; i < STATEMENTS; i++) {
        at += snprintf(text + at, sizeof text - (size_t)at, "%%t%d = texpands %%s : f32, !pto.tile<%dx%dxf32>\n", i,
                       TILE_SIDE, TILE_SIDE);
    }
    if (aic_pto_parse(text, (size_t)at, NULL, &f->program) != AIC_OK) {
        die("cannot read the program");
    }
    for (size_t i = 0; i < 1 + STATEMENTS; i++) {
        f->arguments[i] = zeros(i == 0 ? sizeof(float) : TILE_SIDE * TILE_SIDE * sizeof(float));
    }
    f->desc = aic_texpands_desc_init();
    f->desc.dtype = AIC_FLOAT32;
    f->desc.rows = f->desc.cols = TILE_SIDE;
}

static void fills_free(fills *f)
{
    aic_pto_destroy(f->program);
    for (size_t i = 0; i < 1 + STATEMENTS; i++) {
        free(f->arguments[i]);
    }
}

/* Nanoseconds of the 16 fills, over a round. */
static double time_fills(const fills *f, bool as_program)
{
    aic_status status = AIC_OK;
    double start = now_ns();
    for (size_t i = 0; i < CALLS / STATEMENTS; i++) {
        if (as_program) {
            status |= aic_pto_run(NULL, f->program, f->arguments, 1 + STATEMENTS);
        }
        for (size_t k = 1; k <= STATEMENTS && !as_program; k++) {
            status |= aic_jit_texpands(NULL, &f->desc, f->arguments[k], f->arguments[0]);
        }
    }
    double end = now_ns();
    if (status != AIC_OK) {
        die("a fill failed");
    }
    return (end - start) / ((double)CALLS / STATEMENTS);
}

static void measure_fills(void)
{
    static double sample[2][ROUNDS];
    fills f;
    fills_init(&f);
    for (size_t round = 0; round < ROUNDS; round++) {
        for (int kind = 0; kind < 2; kind++) {
            sample[kind][round] = time_fills(&f, kind == 1);
        }
    }
    fills_free(&f);
    const double calls = timer_median(sample[0], ROUNDS), program = timer_median(sample[1], ROUNDS);
    printf("%d fills of 1 KiB:  aic_jit_texpands %6.1f ns   aic_pto_run %6.1f ns (%.2f of it)\n", STATEMENTS, calls,
           program, program / calls);
}

int main(int argc, char **argv)
{
    double limit = argc > 1 ? strtod(argv[1], NULL) : 0;
    shape shapes[SHAPES];
    for (size_t i = 0; i < SHAPES; i++) {
        shape_init(&shapes[i], 1 + (int64_t)i);
    }
    const bool one = measure("one shape:", shapes, 1, limit);
    const bool many = measure("16 shapes in turn:", shapes, SHAPES, limit);
    for (size_t i = 0; i < SHAPES; i++) {
        shape_free(&shapes[i]);
    }
    measure_fills();
    return one && many ? 0 : 1;
}
