/* Kernels against a plain copy; see copy.h. */
#include "tests/bench/copy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const LEVELS[3] = {"L2", "L3", "memory"};

typedef struct job {
    aic_kernel *kernel;
    bench_data data;
    void *from, *to;
    size_t bytes; /* of the copy */
} job;

static void run_kernel(void *argument)
{
    job *j = argument;
    if (aic_kernel_call(j->kernel, j->data.pointer, j->data.count) != AIC_OK) {
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

/* Prints a line; returns the kernel's speed over the copy's. */
static double measure(aic_context *context, const copy_row *row, int level, double seconds)
{
    const char *spec = row->spec[level];
    job j;
    aic_spec *parsed = NULL;
    aic_kernel_info info = aic_kernel_info_init();
    if (aic_spec_parse(spec, &parsed) != AIC_OK || aic_kernel_create(context, parsed, NULL, &j.kernel) != AIC_OK ||
        aic_kernel_get_info(j.kernel, &info) != AIC_OK) {
        bench_die(spec);
    }
    bench_data_open(&j.data, parsed);
    if (row->prepare != NULL) {
        row->prepare(&j.data);
    }
    bench_data_check(&j.data, &(bench_body){run_kernel, &j, 0}, spec);
    int64_t macs, bytes;
    if (aic_spec_work(parsed, NULL, &macs, &bytes) != AIC_OK) {
        bench_die(spec);
    }
    j.bytes = (size_t)bytes / 2 / 128 * 128;
    j.from = bench_memory(j.bytes);
    j.to = bench_memory(j.bytes);
    bench_body body[] = {{run_kernel, &j, 0}, {run_memcpy, &j, 0}, {run_loop, &j, 0}};
    bench_time(body, 3, seconds);
    double best = body[1].ns < body[2].ns ? body[1].ns : body[2].ns;
    printf(" %9.1f us %6.2f GB/s, copy %6.2f GB/s, ratio %5.2f, compile %4.1f ms  %s\n", body[0].ns * 1e-3,
           2 * (double)j.bytes / body[0].ns, 2 * (double)j.bytes / best, best / body[0].ns,
           (double)(info.emit_ns + info.codegen_ns + info.link_ns) * 1e-6, info.schedule);
    bench_data_close(&j.data);
    aic_kernel_destroy(j.kernel);
    free(j.from);
    free(j.to);
    return best / body[0].ns;
}

int copy_compare(int argc, char **argv, const copy_row *row, size_t rows, const copy_target *target)
{
    bench_options options = bench_parse(argc, argv, NULL);
    aic_context *context = bench_context(options.isa);
    double worst[COPY_TARGETS_MAX] = {1e9, 1e9, 1e9, 1e9};
    for (size_t i = 0; i < rows; i++) {
        if (options.layer != NULL && strstr(row[i].name, options.layer) == NULL) {
            continue;
        }
        for (int level = 0; level < 3; level++) {
            printf("%-20s %-6s", row[i].name, LEVELS[level]);
            double ratio = measure(context, &row[i], level, options.seconds);
            double *least = &worst[row[i].target];
            *least = ratio < *least ? ratio : *least;
            fflush(stdout);
        }
    }
    aic_context_destroy(context);
    for (int t = 0; target[t].name != NULL; t++) {
        printf("target %s: at least %.2f of a copy, measured %.2f: %s\n", target[t].name, target[t].ratio, worst[t],
               worst[t] >= target[t].ratio ? "met" : "missed");
    }
    return 0;
}
