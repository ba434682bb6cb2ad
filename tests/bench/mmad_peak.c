/* mmad on one thread against the machine's own peak, measured around every size: speed with packed and plain b,
 * compile time, code size. Square matrices, some shapes of layers, and vectors times matrices that pass by in memory,
 * against a loop that only reads such a matrix.
 *
 *     mmad_peak [--isa LEVEL] [--kind NAME] [--layer PART_OF_NAME] [--time SECONDS] */
#include "tests/bench/common.h"

#include "tools/harness/element.h"
#include "tools/harness/peak.h"
#include "tools/harness/rng.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { C, A, B, OPERANDS };

static const bench_kind kinds[] = {
    {"int8", AIC_INT8, AIC_ACCUMULATE_CUBE, "fp32", aic_peak_fma_f32, 0},
    {"fast16", AIC_FLOAT16, AIC_ACCUMULATE_FAST, "fp32", aic_peak_fma_f32, 0},
    {"fast32", AIC_FLOAT32, AIC_ACCUMULATE_FAST, "fp32", aic_peak_fma_f32, 0},
    {"cube16", AIC_FLOAT16, AIC_ACCUMULATE_CUBE, "fp64", aic_peak_fma_f64, 0},
    {"cube32", AIC_FLOAT32, AIC_ACCUMULATE_CUBE, "fp64", aic_peak_fma_f64, 0},
};

static const struct size {
    const char *name;
    int64_t m, n, k;
} sizes[] = {
    {"64", 64, 64, 64},
    {"128", 128, 128, 128},
    {"256", 256, 256, 256},
    {"512", 512, 512, 512},
    {"1024", 1024, 1024, 1024},
    {"2048", 2048, 2048, 2048},
    {"odd 101x203x307", 101, 203, 307},
    {"wide 128x3072x768", 128, 3072, 768},
    {"deep 128x768x3072", 128, 768, 3072},
    {"vector 1x1024x1024", 1, 1024, 1024},
    {"vector 1x4032x4032", 1, 4032, 4032},
};

/* Copies of an operand, each in lines of its own, that calls take in turns: of a large b so many that none is in a
 * cache when its turn comes again. */
typedef struct copies {
    unsigned char *first;
    size_t bytes, count, next;
} copies;

/* An mmad with its operands, b packed. */
typedef struct product {
    aic_mmad_desc desc;
    bench_data data;
    aic_kernel *kernel;
    aic_kernel_info info;
    copies plain, packed;
    void *workspace;
} product;

static void *next_copy(copies *c)
{
    c->next = (c->next + 1) % c->count;
    return c->first + c->next * c->bytes;
}

static copies make_copies(const void *first, size_t bytes)
{
    enum { LINE = 64 };
    static const size_t LARGE = 8 << 20, ALL = 384 << 20;
    copies c = {.bytes = (bytes + LINE - 1) / LINE * LINE, .count = bytes < LARGE ? 1 : ALL / bytes + 1};
    c.first = bench_memory(c.bytes * c.count);
    for (size_t i = 0; i < c.count; i++) {
        memcpy(c.first + i * c.bytes, first, bytes);
    }
    return c;
}

static void run_packed(void *argument)
{
    product *p = argument;
    aic_kernel_mmad_packed(p->kernel)(p->data.pointer[C], p->data.pointer[A], next_copy(&p->packed), p->workspace);
}

static void run_plain(void *argument)
{
    product *p = argument;
    aic_kernel_mmad(p->kernel)(p->data.pointer[C], p->data.pointer[A], next_copy(&p->plain), p->workspace);
}

static void run_pack(void *argument)
{
    product *p = argument;
    if (aic_kernel_pack(p->kernel, B, p->packed.first, p->data.pointer[B]) != AIC_OK) {
        bench_die("pack");
    }
}

/* Reads b as it is given, as fast as memory allows. */
static void run_read(void *argument)
{
    typedef uint64_t vector __attribute__((vector_size(16)));
    enum { AHEAD = 8192, LINE = 4 };
    product *p = argument;
    const vector *from = next_copy(&p->plain), *end = from + p->plain.bytes / sizeof *from;
    vector sum[LINE] = {{0}};
    for (; from < end; from += LINE) {
        __builtin_prefetch((const char *)from + AHEAD, 0, 2);
        sum[0] ^= from[0];
        sum[1] ^= from[1];
        sum[2] ^= from[2];
        sum[3] ^= from[3];
    }
    __asm__ volatile("" : : "r"(sum) : "memory");
}

/* ---- checks: a row of the result is a product of its own, whose reference is quick ---- */

static void check_row(const product *p, int64_t row, const char *how)
{
    aic_mmad_desc d = p->desc;
    d.m = 1;
    aic_spec *spec = NULL;
    if (aic_spec_create_mmad(&d, &spec) != AIC_OK) {
        bench_die("row");
    }
    const aic_dtype dtype = p->data.operand[C].dtype;
    const size_t size = aic_dtype_size(dtype), in = aic_dtype_size(d.dtype), n = (size_t)d.n, k = (size_t)d.k;
    unsigned char *c = bench_memory(n * size), *a = bench_memory(k * in);
    double *exact = bench_memory(n * sizeof *exact), *bound = bench_memory(n * sizeof *bound);
    void *operands[] = {c, a, p->data.pointer[B]};
    memcpy(a, (const unsigned char *)p->data.pointer[A] + (size_t)row * k * in, k * in);
    bool is_exact = aic_spec_exact(spec);
    if ((is_exact ? aic_reference(spec, NULL, operands, OPERANDS)
                  : aic_reference_bound(spec, NULL, operands, OPERANDS, exact, bound)) != AIC_OK) {
        bench_die("reference");
    }
    for (size_t j = 0; j < n; j++) {
        const unsigned char *got = (const unsigned char *)p->data.pointer[C] + ((size_t)row * n + j) * size;
        if (is_exact ? !element_equal(dtype, got, c + j * size)
                     : !(fabs(element_to_double(dtype, got) - exact[j]) <= bound[j])) {
            fprintf(stderr, "bench: wrong result, %s b, row %" PRId64 ", column %zu\n", how, row, j);
            exit(1);
        }
    }
    free(c);
    free(a);
    free(exact);
    free(bound);
    aic_spec_destroy(spec);
}

static void check(product *p, void (*run)(void *), const char *how)
{
    const int rows = p->desc.m == 1 ? 1 : 6;
    uint64_t state = 1;
    memset(p->data.pointer[C], 0xA5, (size_t)p->data.operand[C].bytes);
    run(p);
    for (int i = 0; i < rows; i++) {
        check_row(p, i == 0 ? 0 : i == 1 ? p->desc.m - 1 : rng_range(&state, 0, p->desc.m - 1), how);
    }
}

static void product_open(product *p, const struct size *size, const bench_kind *kind, aic_context *context)
{
    *p = (product){.desc = aic_mmad_desc_init()};
    p->desc.dtype = kind->dtype;
    p->desc.accumulate = kind->accumulate;
    p->desc.m = size->m;
    p->desc.n = size->n;
    p->desc.k = size->k;
    aic_spec *spec = NULL;
    p->info = aic_kernel_info_init();
    if (aic_spec_create_mmad(&p->desc, &spec) != AIC_OK) {
        bench_die("specification");
    }
    bench_data_open(&p->data, spec);
    if (aic_kernel_create(context, spec, NULL, &p->kernel) != AIC_OK ||
        aic_kernel_get_info(p->kernel, &p->info) != AIC_OK) {
        bench_die("kernel");
    }
    p->workspace = bench_memory(aic_kernel_workspace_size(p->kernel));
    size_t bytes = 0;
    if (aic_kernel_packed_size(p->kernel, B, &bytes) != AIC_OK) {
        bench_die("packed size");
    }
    void *packed = bench_memory(bytes);
    p->packed = (copies){.first = packed, .count = 1};
    run_pack(p);
    p->packed = make_copies(packed, bytes);
    free(packed);
    p->plain = make_copies(p->data.pointer[B], (size_t)p->data.operand[B].bytes);
    check(p, run_packed, "packed");
    check(p, run_plain, "plain");
}

static void product_close(product *p)
{
    aic_kernel_destroy(p->kernel);
    free(p->workspace);
    free(p->packed.first);
    free(p->plain.first);
    bench_data_close(&p->data);
}

/* ---- measurement ---- */

static void measure(const bench_options *options, const bench_kind *kind, product *p)
{
    bench_body body[] = {{run_packed, p, 0}, {run_read, p, 0}, {run_plain, p, 0}, {run_pack, p, 0}};
    double before = kind->peak();
    bench_time(&body[0], 2, options->seconds);
    double after = kind->peak(), peak = (before + after) / 2;
    bench_time(&body[2], 2, options->seconds / 4);
    double gmacs = (double)p->data.macs / body[0].ns;
    printf("%10.1f %8.1f %6.1f %6.1f %6.1f %8.2f %8" PRIu64 " %9.1f %6.2f %6.2f  %s\n", body[0].ns * 1e-3, gmacs,
           before, after, 100 * gmacs / peak, bench_compile_ms(options->isa, p->data.spec), p->info.code_bytes,
           body[3].ns * 1e-3, body[2].ns / body[0].ns, body[1].ns / body[0].ns, p->info.schedule);
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    bench_options options = bench_parse(argc, argv, "avx512");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (!bench_wants_kind(&options, &kinds[i])) {
            continue;
        }
        aic_context *context = bench_context(options.isa);
        printf("\n%s at level %s, peak: %s FMA\n", kinds[i].name, aic_context_isa(context), kinds[i].peak_name);
        printf("%-20s %10s %8s %13s %6s %8s %8s %9s %6s %6s\n", "m = n = k", "us", "GMAC/s", "peak", "%", "compile",
               "code", "pack us", "plain", "read");
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            if (options.layer != NULL && strstr(sizes[s].name, options.layer) == NULL) {
                continue;
            }
            product p;
            printf("%-20s ", sizes[s].name);
            (void)fflush(stdout);
            product_open(&p, &sizes[s], &kinds[i], context);
            measure(&options, &kinds[i], &p);
            product_close(&p);
        }
        aic_context_destroy(context);
    }
    return 0;
}
