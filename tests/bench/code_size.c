/* The code of a kernel must not grow with the image: the same layer at image sizes from 14 to 1024.
 *
 * Sizes differ a little, because the number of tile shapes depends on what divides the image (at most four: full
 * tiles, and edges one pixel smaller in either direction), never on how large it is. A factor of two leaves room for
 * that; the number of pixels differs by five thousand.
 *
 *     code_size [--isa LEVEL] [--kind int8|fast|cube] */
#include "tests/bench/common.h"

#include <inttypes.h>
#include <stdio.h>

static const int SIZES[] = {14, 56, 224, 1024};
static const double RATIO_MAX = 2;
enum { SIZE_COUNT = sizeof SIZES / sizeof SIZES[0] };

static const bench_layer LAYERS[] = {
    {"3x3 64-64", 64, 0, 64, 3, 1, 1, 1, 0, false},
    {"1x1 256-64", 256, 0, 64, 1, 1, 0, 1, 0, false},
    {"7x7/2 4-64", 4, 0, 64, 7, 2, 3, 1, 0, false},
};

static uint64_t code_bytes(aic_context *context, const bench_layer *layer, const bench_kind *kind)
{
    aic_spec *spec = bench_spec(layer, kind);
    aic_kernel *kernel;
    aic_kernel_info info = aic_kernel_info_init();
    if (aic_kernel_create(context, spec, NULL, &kernel) != AIC_OK || aic_kernel_get_info(kernel, &info) != AIC_OK) {
        bench_die(layer->name);
    }
    aic_spec_destroy(spec);
    aic_kernel_destroy(kernel);
    return info.code_bytes;
}

/* Prints a line; returns how many times the smallest code the largest is. */
static double measure(aic_context *context, const bench_layer *layer, const bench_kind *kind)
{
    uint64_t most = 0, least = UINT64_MAX;
    printf("%-6s %-12s", kind->name, layer->name);
    for (size_t i = 0; i < SIZE_COUNT; i++) {
        bench_layer sized = *layer;
        sized.size = SIZES[i];
        uint64_t bytes = code_bytes(context, &sized, kind);
        most = bytes > most ? bytes : most;
        least = bytes < least ? bytes : least;
        printf(" %8" PRIu64, bytes);
    }
    double ratio = (double)most / (double)least;
    printf(" %8.2f\n", ratio);
    return ratio;
}

int main(int argc, char **argv)
{
    bench_options options = bench_parse(argc, argv, NULL);
    aic_context *context = bench_context(options.isa);
    printf("bytes of object code at level %s\n%-19s", aic_context_isa(context), "image");
    for (size_t i = 0; i < SIZE_COUNT; i++) {
        printf(" %8d", SIZES[i]);
    }
    printf(" %8s\n", "ratio");
    double worst = 0;
    for (const bench_kind *kind = bench_kinds; kind->name != NULL; kind++) {
        for (size_t i = 0; i < sizeof LAYERS / sizeof LAYERS[0]; i++) {
            if (bench_wants_kind(&options, kind)) {
                double ratio = measure(context, &LAYERS[i], kind);
                worst = ratio > worst ? ratio : worst;
            }
        }
    }
    aic_context_destroy(context);
    printf("target code size: largest at most %.0f times the smallest, measured %.2f: %s\n", RATIO_MAX, worst,
           worst <= RATIO_MAX ? "met" : "missed");
    return 0;
}
