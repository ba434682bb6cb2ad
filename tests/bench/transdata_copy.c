/* How close do layout moves come to a plain copy? transdata and nd2nz against a copy of the same bytes, read and
 * written together, in one run: the better of memcpy and a loop of vectors. Sizes that live in the second-level cache,
 * in the third, and in memory.
 *
 *     transdata_copy [--isa LEVEL] [--layer PART_OF_NAME] [--time SECONDS]
 *
 * The targets: 70 % of the copy's speed, 40 % where the move transposes. A move is compared with the reference before
 * it is timed. */
#include "tests/bench/common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct move {
    const char *name;
    bool transposes;
    const char *spec[3]; /* about 0.5, 8 and 128 MiB, both operands together */
} move;

static const move MOVES[] = {
    {"ND Nz f16",
     false,
     {"transdata(dtype=float16, src=ND, dst=Nz, shape=[256,512])",
      "transdata(dtype=float16, src=ND, dst=Nz, shape=[1024,2048])",
      "transdata(dtype=float16, src=ND, dst=Nz, shape=[4096,8192])"}},
    {"ND Nz int8",
     false,
     {"transdata(dtype=int8, src=ND, dst=Nz, shape=[384,704])",
      "transdata(dtype=int8, src=ND, dst=Nz, shape=[1536,2720])",
      "transdata(dtype=int8, src=ND, dst=Nz, shape=[8192,8192])"}},
    {"ND Nz f16 edges",
     false,
     {"transdata(dtype=float16, src=ND, dst=Nz, shape=[251,509])",
      "transdata(dtype=float16, src=ND, dst=Nz, shape=[1021,2041])",
      "transdata(dtype=float16, src=ND, dst=Nz, shape=[4099,8189])"}},
    {"Nz ND f16",
     false,
     {"transdata(dtype=float16, src=Nz, dst=ND, shape=[256,512])",
      "transdata(dtype=float16, src=Nz, dst=ND, shape=[1024,2048])",
      "transdata(dtype=float16, src=Nz, dst=ND, shape=[4096,8192])"}},
    {"ND Zz f16",
     false,
     {"transdata(dtype=float16, src=ND, dst=Zz, shape=[256,512])",
      "transdata(dtype=float16, src=ND, dst=Zz, shape=[1024,2048])",
      "transdata(dtype=float16, src=ND, dst=Zz, shape=[4096,8192])"}},
    {"ND Zn f16",
     true,
     {"transdata(dtype=float16, src=ND, dst=Zn, shape=[256,512])",
      "transdata(dtype=float16, src=ND, dst=Zn, shape=[1024,2048])",
      "transdata(dtype=float16, src=ND, dst=Zn, shape=[4096,8192])"}},
    {"ND Zn int8",
     true,
     {"transdata(dtype=int8, src=ND, dst=Zn, shape=[512,512])",
      "transdata(dtype=int8, src=ND, dst=Zn, shape=[2048,2048])",
      "transdata(dtype=int8, src=ND, dst=Zn, shape=[8192,8192])"}},
    {"ND Zn f32",
     true,
     {"transdata(dtype=float32, src=ND, dst=Zn, shape=[256,256])",
      "transdata(dtype=float32, src=ND, dst=Zn, shape=[1024,1024])",
      "transdata(dtype=float32, src=ND, dst=Zn, shape=[4096,4096])"}},
    {"Nz Zn f16",
     true,
     {"transdata(dtype=float16, src=Nz, dst=Zn, shape=[256,512])",
      "transdata(dtype=float16, src=Nz, dst=Zn, shape=[1024,2048])",
      "transdata(dtype=float16, src=Nz, dst=Zn, shape=[4096,8192])"}},
    {"NCHW NC1HWC0 f16",
     true,
     {"transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[1,64,48,48])",
      "transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[1,256,96,96])",
      "transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[16,256,96,96])"}},
    {"NCHW NC1HWC0 int8",
     true,
     {"transdata(dtype=int8, src=NCHW, dst=NC1HWC0, shape=[1,64,56,56])",
      "transdata(dtype=int8, src=NCHW, dst=NC1HWC0, shape=[8,256,48,48])",
      "transdata(dtype=int8, src=NCHW, dst=NC1HWC0, shape=[32,512,64,64])"}},
    {"NCHW NC1HWC0 f32",
     true,
     {"transdata(dtype=float32, src=NCHW, dst=NC1HWC0, shape=[1,32,48,48])",
      "transdata(dtype=float32, src=NCHW, dst=NC1HWC0, shape=[2,128,64,64])",
      "transdata(dtype=float32, src=NCHW, dst=NC1HWC0, shape=[16,256,64,64])"}},
    {"3 channels f16",
     true,
     {"transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[1,3,120,120])",
      "transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[4,3,224,224])",
      "transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[64,3,224,224])"}},
    {"NC1HWC0 NCHW f16",
     true,
     {"transdata(dtype=float16, src=NC1HWC0, dst=NCHW, shape=[1,64,48,48])",
      "transdata(dtype=float16, src=NC1HWC0, dst=NCHW, shape=[1,256,96,96])",
      "transdata(dtype=float16, src=NC1HWC0, dst=NCHW, shape=[16,256,96,96])"}},
    {"NC1HWC0 NCHW int8",
     true,
     {"transdata(dtype=int8, src=NC1HWC0, dst=NCHW, shape=[1,64,56,56])",
      "transdata(dtype=int8, src=NC1HWC0, dst=NCHW, shape=[8,256,48,48])",
      "transdata(dtype=int8, src=NC1HWC0, dst=NCHW, shape=[32,512,64,64])"}},
    {"NHWC NC1HWC0 f16",
     false,
     {"transdata(dtype=float16, src=NHWC, dst=NC1HWC0, shape=[1,48,48,64])",
      "transdata(dtype=float16, src=NHWC, dst=NC1HWC0, shape=[1,96,96,256])",
      "transdata(dtype=float16, src=NHWC, dst=NC1HWC0, shape=[16,96,96,256])"}},
    {"NC1HWC0 NHWC f16",
     false,
     {"transdata(dtype=float16, src=NC1HWC0, dst=NHWC, shape=[1,48,48,64])",
      "transdata(dtype=float16, src=NC1HWC0, dst=NHWC, shape=[1,96,96,256])",
      "transdata(dtype=float16, src=NC1HWC0, dst=NHWC, shape=[16,96,96,256])"}},
    {"NHWC 3 channels",
     false,
     {"transdata(dtype=float16, src=NHWC, dst=NC1HWC0, shape=[1,120,120,3])",
      "transdata(dtype=float16, src=NHWC, dst=NC1HWC0, shape=[4,224,224,3])",
      "transdata(dtype=float16, src=NHWC, dst=NC1HWC0, shape=[64,224,224,3])"}},
    {"NCHW NHWC f16",
     true,
     {"transdata(dtype=float16, src=NCHW, dst=NHWC, shape=[1,64,48,48])",
      "transdata(dtype=float16, src=NCHW, dst=NHWC, shape=[1,256,96,96])",
      "transdata(dtype=float16, src=NCHW, dst=NHWC, shape=[16,256,96,96])"}},
    {"OIHW FRACTAL_Z f16",
     true,
     {"transdata(dtype=float16, src=OIHW, dst=FRACTAL_Z, shape=[128,128,3,3])",
      "transdata(dtype=float16, src=OIHW, dst=FRACTAL_Z, shape=[512,512,3,3])",
      "transdata(dtype=float16, src=OIHW, dst=FRACTAL_Z, shape=[2048,1728,3,3])"}},
    {"OIHW FRACTAL_Z int8",
     true,
     {"transdata(dtype=int8, src=OIHW, dst=FRACTAL_Z, shape=[192,192,3,3])",
      "transdata(dtype=int8, src=OIHW, dst=FRACTAL_Z, shape=[768,640,3,3])",
      "transdata(dtype=int8, src=OIHW, dst=FRACTAL_Z, shape=[2048,3456,3,3])"}},
    {"HWIO FRACTAL_Z f16",
     true,
     {"transdata(dtype=float16, src=HWIO, dst=FRACTAL_Z, shape=[3,3,128,128])",
      "transdata(dtype=float16, src=HWIO, dst=FRACTAL_Z, shape=[3,3,512,512])",
      "transdata(dtype=float16, src=HWIO, dst=FRACTAL_Z, shape=[3,3,1728,2048])"}},
    {"NCHW 4N",
     true,
     {"transdata(dtype=int8, src=NCHW, dst=4N, shape=[4,64,32,32])",
      "transdata(dtype=int8, src=NCHW, dst=4N, shape=[16,256,32,32])",
      "transdata(dtype=int8, src=NCHW, dst=4N, shape=[64,256,64,64])"}},
    {"4N NCHW",
     true,
     {"transdata(dtype=int8, src=4N, dst=NCHW, shape=[4,64,32,32])",
      "transdata(dtype=int8, src=4N, dst=NCHW, shape=[16,256,32,32])",
      "transdata(dtype=int8, src=4N, dst=NCHW, shape=[64,256,64,64])"}},
    {"NCHW 2N",
     true,
     {"transdata(dtype=int16, src=NCHW, dst=2N, shape=[2,64,32,32])",
      "transdata(dtype=int16, src=NCHW, dst=2N, shape=[8,256,32,32])",
      "transdata(dtype=int16, src=NCHW, dst=2N, shape=[32,256,64,64])"}},
    {"2N NCHW",
     true,
     {"transdata(dtype=int16, src=2N, dst=NCHW, shape=[2,64,32,32])",
      "transdata(dtype=int16, src=2N, dst=NCHW, shape=[8,256,32,32])",
      "transdata(dtype=int16, src=2N, dst=NCHW, shape=[32,256,64,64])"}},
};

static const char *const LEVELS[3] = {"L2", "L3", "memory"};

typedef struct job {
    aic_kernel *kernel;
    bench_data data;
    void *from, *to;
    size_t bytes; /* of the copy */
} job;

static void run_move(void *argument)
{
    job *j = argument;
    if (aic_kernel_call(j->kernel, j->data.pointer, 2) != AIC_OK) {
        bench_die("call");
    }
}

static void run_memcpy(void *argument)
{
    job *j = argument;
    memcpy(j->to, j->from, j->bytes);
    __asm__ volatile("" ::: "memory");
}

/* The barrier keeps the compiler from making a memcpy of it. */
static void run_loop(void *argument)
{
    typedef unsigned char vector __attribute__((vector_size(32)));
    job *j = argument;
    vector *to = j->to;
    const vector *from = j->from;
    for (size_t i = 0; i < j->bytes / sizeof(vector); i += 4) {
        for (size_t k = 0; k < 4; k++) {
            to[i + k] = from[i + k];
        }
        __asm__ volatile("" ::: "memory");
    }
}

static void check_result(job *j, const char *spec)
{
    size_t bytes = (size_t)j->data.operand[0].bytes;
    void *expected = bench_memory(bytes);
    void *operands[AIC_OPERANDS_MAX] = {expected, j->data.pointer[1]};
    run_move(j);
    if (aic_reference(&j->data.spec, NULL, operands, 2) != AIC_OK) {
        bench_die("reference");
    }
    if (memcmp(expected, j->data.pointer[0], bytes) != 0) {
        fprintf(stderr, "transdata_copy: %s is wrong\n", spec);
        exit(1);
    }
    free(expected);
}

/* Prints a line; returns the move's speed over the copy's. */
static double measure(aic_context *context, const char *spec, double seconds)
{
    job j;
    aic_spec parsed;
    aic_kernel_info info;
    if (aic_spec_parse(spec, &parsed) != AIC_OK || aic_kernel_create(context, &parsed, NULL, &j.kernel) != AIC_OK ||
        aic_kernel_get_info(j.kernel, &info) != AIC_OK) {
        bench_die(spec);
    }
    bench_data_open(&j.data, &parsed);
    check_result(&j, spec);
    j.bytes = (size_t)(j.data.operand[0].bytes + j.data.operand[1].bytes) / 2 / 128 * 128;
    j.from = bench_memory(j.bytes);
    j.to = bench_memory(j.bytes);
    bench_body body[] = {{run_move, &j, 0}, {run_memcpy, &j, 0}, {run_loop, &j, 0}};
    bench_time(body, 3, seconds);
    double best = body[1].ns < body[2].ns ? body[1].ns : body[2].ns;
    printf(" %9.1f us %6.2f GB/s, copy %6.2f GB/s, ratio %5.2f, compile %4.1f ms  %s\n", body[0].ns * 1e-3,
           2 * (double)j.bytes / body[0].ns, 2 * (double)j.bytes / best, best / body[0].ns,
           (double)(info.emit_ns + info.codegen_ns + info.link_ns) * 1e-6, info.schedule);
    bench_data_close(&j.data);
    aic_kernel_release(j.kernel);
    free(j.from);
    free(j.to);
    return best / body[0].ns;
}

int main(int argc, char **argv)
{
    static const double TARGETS[2] = {0.7, 0.4};
    bench_options options = bench_parse(argc, argv, NULL);
    aic_context *context = bench_context(options.isa);
    double worst[2] = {1e9, 1e9};
    for (size_t i = 0; i < sizeof MOVES / sizeof *MOVES; i++) {
        if (options.layer != NULL && strstr(MOVES[i].name, options.layer) == NULL) {
            continue;
        }
        for (int level = 0; level < 3; level++) {
            printf("%-20s %-6s", MOVES[i].name, LEVELS[level]);
            double ratio = measure(context, MOVES[i].spec[level], options.seconds);
            double *least = &worst[MOVES[i].transposes];
            *least = ratio < *least ? ratio : *least;
        }
    }
    aic_context_destroy(context);
    for (int t = 0; t < 2; t++) {
        printf("target %s: at least %.2f of a copy, measured %.2f: %s\n", t ? "transposing moves" : "other moves",
               TARGETS[t], worst[t], worst[t] >= TARGETS[t] ? "met" : "missed");
    }
    return 0;
}
