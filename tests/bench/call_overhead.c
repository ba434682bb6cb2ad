/* What the library adds to a kernel: nanoseconds of one call on a cached tiny shape, direct (the kernel's function
 * pointer), by aic_jit_conv2d, and by aic_kernel_call (libffi). The design's limit: aic_jit_conv2d adds at most 35 ns.
 *
 * The last line is a program of PTO-AS: 16 fills of tiles of 1 KiB, one kernel, by aic_pto_run and by as many calls of
 * aic_jit_texpands.
 *
 * "one shape" requests the same shape every time; "16 shapes in turn" takes the way through the hash table. Each figure
 * is the median of many short rounds in which the three kinds alternate, so that they see the same machine.
 *
 *     call_overhead [LIMIT_NS]     exit status 1 when aic_jit_conv2d adds more than LIMIT_NS */
#include <aic/aic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SHAPES 16
#define ROUNDS 301
#define CALLS 4096 /* in a round; a multiple of SHAPES */

enum { DIRECT, JIT, GENERIC, KINDS };

typedef struct shape {
    aic_conv2d_desc desc;
    aic_kernel *kernel;
    aic_conv2d_fn function;
    void *workspace;
    void *operands[3];
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

    aic_spec spec = aic_spec_conv2d(&s->desc);
    aic_operand operands[AIC_OPERANDS_MAX];
    size_t count;
    if (aic_kernel_create(NULL, &spec, NULL, &s->kernel) != AIC_OK ||
        aic_spec_operands(&spec, NULL, operands, &count) != AIC_OK) {
        die("cannot make the kernel");
    }
    s->function = aic_kernel_conv2d(s->kernel);
    s->workspace = zeros(aic_kernel_workspace_size(s->kernel));
    for (size_t i = 0; i < count; i++) {
        s->operands[i] = zeros((size_t)operands[i].bytes);
    }
}

static void shape_free(shape *s)
{
    aic_kernel_release(s->kernel);
    free(s->workspace);
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

/* Nanoseconds of one call of this kind, over a round. */
static double time_round(shape *shapes, size_t count, int kind)
{
    aic_status status = AIC_OK;
    double start = now_ns();
    for (size_t i = 0; i < CALLS; i++) {
        shape *s = &shapes[i % count];
        switch (kind) {
        case DIRECT:
            s->function(s->operands[0], s->operands[1], s->operands[2], s->workspace);
            break;
        case JIT:
            status |= aic_jit_conv2d(NULL, &s->desc, s->operands[0], s->operands[1], s->operands[2]);
            break;
        default:
            status |= aic_kernel_call(s->kernel, s->operands, 3);
            break;
        }
    }
    double end = now_ns();
    if (status != AIC_OK) {
        die("a call failed");
    }
    return (end - start) / CALLS;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Measures `count` shapes in turn, prints a line, returns what aic_jit_conv2d adds. */
static double measure(const char *what, shape *shapes, size_t count)
{
    static double sample[KINDS][ROUNDS];
    for (size_t round = 0; round < ROUNDS; round++) {
        for (int kind = 0; kind < KINDS; kind++) {
            sample[kind][round] = time_round(shapes, count, kind);
        }
    }
    double median[KINDS];
    for (int kind = 0; kind < KINDS; kind++) {
        qsort(sample[kind], ROUNDS, sizeof sample[kind][0], compare);
        median[kind] = sample[kind][ROUNDS / 2];
    }
    double added = median[JIT] - median[DIRECT];
    printf("%-18s direct %6.1f ns   aic_jit_conv2d %6.1f ns (+%.1f)   aic_kernel_call %6.1f ns (+%.1f)\n", what,
           median[DIRECT], median[JIT], added, median[GENERIC], median[GENERIC] - median[DIRECT]);
    return added;
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
    aic_pto_free(f->program);
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
    for (int kind = 0; kind < 2; kind++) {
        qsort(sample[kind], ROUNDS, sizeof sample[kind][0], compare);
    }
    const double calls = sample[0][ROUNDS / 2], program = sample[1][ROUNDS / 2];
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
    double one = measure("one shape:", shapes, 1);
    double many = measure("16 shapes in turn:", shapes, SHAPES);
    for (size_t i = 0; i < SHAPES; i++) {
        shape_free(&shapes[i]);
    }
    measure_fills();
    return limit > 0 && (one > limit || many > limit);
}
