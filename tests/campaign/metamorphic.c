/* aicjit-metamorphic SEED CASES: convolutions of sizes that a reference is too slow for, held against each other. Two
 * results that the definition ties together are computed by kernels of different shapes or different data:
 *
 *     split    the sum of the results of two halves of the channels is the result of all
 *     permute  channels in another order, in image and weights alike, give the same result
 *     crop     a part of the image without padding gives that part of the result
 *     scale    image or weights times a power of two give the result times it: exact for integers, and for floats,
 *              whose sums are far from subnormal numbers and overflow here
 *     threads  2 .. 8 threads give the bits of one
 *
 * A line "FAILED relation: repeat: ..." for each that does not hold; the last line is "N passed, N failed". */
#include "frontend/core/stage.h"
#include "tools/harness/rng.h"

#include <aic/aic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, THREADS_MOST = 8, OUT_BLOCK = 16 };

/* A convolution of square kernels, stride 1, with its data. */
typedef struct convolution {
    aic_dtype dtype;
    bool fast;
    int64_t c1, height, width, kernel, outputs, pad;
    unsigned char *image, *weights, *result;
} convolution;

static int64_t block_of(const convolution *c)
{
    return c->dtype == AIC_INT8 ? 32 : 16;
}

static size_t element_of(const convolution *c)
{
    return c->dtype == AIC_INT8 ? 1 : 2;
}

static int64_t result_height(const convolution *c)
{
    return c->height + 2 * c->pad - c->kernel + 1;
}

static int64_t result_width(const convolution *c)
{
    return c->width + 2 * c->pad - c->kernel + 1;
}

static int64_t result_pixels(const convolution *c) /* with those that fill the last sixteen */
{
    return (result_height(c) * result_width(c) + 15) / 16 * 16;
}

static size_t image_bytes(const convolution *c)
{
    return (size_t)(c->c1 * c->height * c->width * block_of(c)) * element_of(c);
}

static size_t weight_bytes(const convolution *c)
{
    return (size_t)(c->c1 * c->kernel * c->kernel * c->outputs * block_of(c)) * element_of(c);
}

static size_t result_words(const convolution *c)
{
    return (size_t)(c->outputs * result_pixels(c));
}

static void *block(size_t bytes)
{
    void *memory = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    if (memory == NULL) {
        fputs("no memory\n", stderr);
        exit(3);
    }
    return memory;
}

static void allocate(convolution *c)
{
    c->image = block(image_bytes(c));
    c->weights = block(weight_bytes(c));
    c->result = block(4 * result_words(c));
    memset(c->result, 0, 4 * result_words(c));
}

static void release(convolution *c)
{
    free(c->image);
    free(c->weights);
    free(c->result);
}

/* Small whole numbers, which leave room for a factor of two; for floats times 2^-4, so that sums round. */
static void fill(uint64_t *seed, const convolution *c, unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += element_of(c)) {
        if (c->dtype == AIC_INT8) {
            bytes[i] = (unsigned char)rng_range(seed, -63, 63);
        } else { /* float16 of a sign, an exponent of 2^-4 .. 2^1 and any fraction */
            const uint16_t half = (uint16_t)((rng_next(seed) & 0x83FF) | (uint64_t)rng_range(seed, 11, 16) << 10);
            memcpy(bytes + i, &half, sizeof half);
        }
    }
}

static bool compute(convolution *c, aic_context *context)
{
    aic_conv2d_desc d = aic_conv2d_desc_init();
    d.dtype = c->dtype;
    d.fm_shape[0] = c->c1, d.fm_shape[1] = c->height, d.fm_shape[2] = c->width, d.fm_shape[3] = block_of(c);
    d.kernel_shape[0] = c->c1, d.kernel_shape[1] = d.kernel_shape[2] = c->kernel;
    d.kernel_shape[3] = c->outputs, d.kernel_shape[4] = block_of(c);
    for (int i = 0; i < 4; i++) {
        d.pad[i] = c->pad;
    }
    d.accumulate = c->fast ? AIC_ACCUMULATE_FAST : d.accumulate;
    if (aic_jit_conv2d(context, &d, c->result, c->image, c->weights) == AIC_OK) {
        return true;
    }
    printf("  %s\n", aic_last_error());
    return false;
}

static unsigned char *image_at(const convolution *c, int64_t channel, int64_t y, int64_t x)
{
    const int64_t b = block_of(c);
    return c->image + (size_t)(((channel / b * c->height + y) * c->width + x) * b + channel % b) * element_of(c);
}

static unsigned char *weight_at(const convolution *c, int64_t channel, int64_t tap, int64_t output)
{
    const int64_t b = block_of(c), taps = c->kernel * c->kernel;
    return c->weights + (size_t)(((channel / b * taps + tap) * c->outputs + output) * b + channel % b) * element_of(c);
}

static int32_t *result_at(const convolution *c, int64_t output, int64_t y, int64_t x)
{
    const int64_t pixel = y * result_width(c) + x;
    return (int32_t *)(void *)c->result + (output / OUT_BLOCK * result_pixels(c) + pixel) * OUT_BLOCK +
           output % OUT_BLOCK;
}

/* ---- relations ---- */

/* Copies channel `from` of `source` to channel `to` of `target`, image and weights. */
static void move_channel(const convolution *target, int64_t to, const convolution *source, int64_t from)
{
    const size_t bytes = element_of(source);
    for (int64_t y = 0; y < source->height; y++) {
        for (int64_t x = 0; x < source->width; x++) {
            memcpy(image_at(target, to, y, x), image_at(source, from, y, x), bytes);
        }
    }
    for (int64_t tap = 0; tap < source->kernel * source->kernel; tap++) {
        for (int64_t o = 0; o < source->outputs; o++) {
            memcpy(weight_at(target, to, tap, o), weight_at(source, from, tap, o), bytes);
        }
    }
}

static bool holds_split(const convolution *c, aic_context *context, uint64_t *seed)
{
    convolution half[2] = {*c, *c};
    bool holds = true;
    half[0].c1 = c->c1 > 1 ? rng_range(seed, 1, c->c1 - 1) : 1;
    half[1].c1 = c->c1 - half[0].c1;
    if (c->dtype != AIC_INT8 || half[1].c1 == 0) {
        return true; /* floats: another order of additions rounds otherwise */
    }
    for (int i = 0; i < 2; i++) {
        allocate(&half[i]);
        for (int64_t channel = 0; channel < half[i].c1 * block_of(c); channel++) {
            move_channel(&half[i], channel, c, channel + (i == 0 ? 0 : half[0].c1 * block_of(c)));
        }
        holds = compute(&half[i], context) && holds;
    }
    for (int64_t o = 0; o < c->outputs && holds; o++) {
        for (int64_t y = 0; y < result_height(c) && holds; y++) {
            for (int64_t x = 0; x < result_width(c) && holds; x++) {
                holds = *result_at(c, o, y, x) == *result_at(&half[0], o, y, x) + *result_at(&half[1], o, y, x);
            }
        }
    }
    release(&half[0]);
    release(&half[1]);
    return holds;
}

static bool equal_results(const convolution *a, const convolution *b)
{
    return memcmp(a->result, b->result, 4 * result_words(a)) == 0;
}

static bool holds_permute(const convolution *c, aic_context *context, uint64_t *seed)
{
    const int64_t channels = c->c1 * block_of(c);
    convolution other = *c;
    if (c->dtype != AIC_INT8) {
        return true;
    }
    allocate(&other);
    int64_t *order = block((size_t)channels * sizeof *order);
    for (int64_t i = 0; i < channels; i++) {
        const int64_t j = rng_range(seed, 0, i);
        order[i] = order[j];
        order[j] = i;
    }
    for (int64_t i = 0; i < channels; i++) {
        move_channel(&other, order[i], c, i);
    }
    const bool holds = compute(&other, context) && equal_results(c, &other);
    free(order);
    release(&other);
    return holds;
}

static bool holds_crop(const convolution *c, aic_context *context, uint64_t *seed)
{
    convolution part = *c;
    part.pad = 0;
    part.height = rng_range(seed, c->kernel, c->height);
    part.width = rng_range(seed, c->kernel + 1, c->width);
    const int64_t top = rng_range(seed, 0, c->height - part.height), left = rng_range(seed, 0, c->width - part.width);
    allocate(&part);
    memcpy(part.weights, c->weights, weight_bytes(c));
    for (int64_t channel = 0; channel < c->c1 * block_of(c); channel++) {
        for (int64_t y = 0; y < part.height; y++) {
            for (int64_t x = 0; x < part.width; x++) {
                memcpy(image_at(&part, channel, y, x), image_at(c, channel, top + y, left + x), element_of(c));
            }
        }
    }
    bool holds = compute(&part, context);
    for (int64_t o = 0; o < c->outputs && holds && (c->dtype == AIC_INT8 || !c->fast); o++) {
        for (int64_t y = 0; y < result_height(&part) && holds; y++) {
            for (int64_t x = 0; x < result_width(&part) && holds; x++) {
                holds = *result_at(&part, o, y, x) == *result_at(c, o, y + top + c->pad, x + left + c->pad);
            }
        }
    }
    release(&part);
    return holds;
}

static void double_elements(const convolution *c, unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += element_of(c)) {
        if (c->dtype == AIC_INT8) {
            bytes[i] = (unsigned char)(2 * bytes[i]);
        } else {
            uint16_t half;
            memcpy(&half, bytes + i, sizeof half);
            half = (uint16_t)(half + (1u << 10));
            memcpy(bytes + i, &half, sizeof half);
        }
    }
}

/* Twice a word: of an integer, or of a float, 0 and all, unless it is subnormal. */
static bool is_twice(const convolution *c, const unsigned char *twice, const unsigned char *once)
{
    if (c->dtype == AIC_INT8) {
        int32_t a, b;
        memcpy(&a, twice, sizeof a);
        memcpy(&b, once, sizeof b);
        return a == 2 * b;
    }
    float a, b;
    memcpy(&a, twice, sizeof a);
    memcpy(&b, once, sizeof b);
    return a == 2 * b;
}

static bool holds_scale(const convolution *c, aic_context *context, uint64_t *seed)
{
    convolution other = *c;
    allocate(&other);
    memcpy(other.image, c->image, image_bytes(c));
    memcpy(other.weights, c->weights, weight_bytes(c));
    if (rng_range(seed, 0, 1) == 0) {
        double_elements(c, other.image, image_bytes(c));
    } else {
        double_elements(c, other.weights, weight_bytes(c));
    }
    bool holds = compute(&other, context);
    for (size_t i = 0; i < result_words(c) && holds; i++) {
        holds = is_twice(c, other.result + 4 * i, c->result + 4 * i);
    }
    release(&other);
    return holds;
}

static bool holds_threads(const convolution *c, aic_context *context, uint64_t *seed)
{
    convolution other = *c;
    aic_context_options options = aic_context_options_init();
    aic_context *shared = NULL;
    (void)context;
    options.threads = (int)rng_range(seed, 2, THREADS_MOST);
    if (aic_context_create(&options, &shared) != AIC_OK) {
        printf("  %s\n", aic_last_error());
        return false;
    }
    other.result = block(4 * result_words(c));
    memset(other.result, 0, 4 * result_words(c));
    const bool holds = compute(&other, shared) && equal_results(c, &other);
    free(other.result);
    aic_context_destroy(shared);
    return holds;
}

typedef struct relation {
    const char *name;
    bool (*holds)(const convolution *c, aic_context *context, uint64_t *seed);
} relation;

static const relation RELATION[] = {
    {"split", holds_split}, {"permute", holds_permute}, {"crop", holds_crop},
    {"scale", holds_scale}, {"threads", holds_threads},
};

/* ---- */

static convolution draw(uint64_t *seed)
{
    const int64_t kernels[] = {1, 3, 3, 5, 7};
    convolution c = {.dtype = rng_range(seed, 0, 1) == 0 ? AIC_INT8 : AIC_FLOAT16};
    c.fast = c.dtype == AIC_FLOAT16 && rng_range(seed, 0, 1) == 0;
    c.kernel = kernels[rng_range(seed, 0, 4)];
    c.pad = rng_range(seed, 0, c.kernel / 2);
    c.c1 = rng_range(seed, 1, c.dtype == AIC_INT8 ? 6 : 4);
    c.height = rng_range(seed, 12, 90);
    c.width = rng_range(seed, 12, 90);
    c.outputs = 16 * rng_range(seed, 1, 10);
    return c;
}

/* Returns how many relations do not hold. */
static int check_case(uint64_t number, aic_context *context)
{
    int failed = 0;
    uint64_t seed = number;
    convolution c = draw(&seed);
    allocate(&c);
    fill(&seed, &c, c.image, image_bytes(&c));
    fill(&seed, &c, c.weights, weight_bytes(&c));
    const bool computed = compute(&c, context);
    for (size_t i = 0; i < sizeof RELATION / sizeof RELATION[0]; i++) {
        if (!computed || !RELATION[i].holds(&c, context, &seed)) {
            printf("FAILED %s\n  repeat: aicjit-metamorphic %llu 1\n", RELATION[i].name, (unsigned long long)number);
            failed++;
        }
    }
    release(&c);
    return failed;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("usage: aicjit-metamorphic SEED CASES\n", stderr);
        return 2;
    }
    const uint64_t first = strtoull(argv[1], NULL, 0);
    const long cases = strtol(argv[2], NULL, 0);
    aic_context_options options = aic_context_options_init();
    aic_context *context = NULL;
    long failed = 0;
    options.threads = 1;
    if (aic_context_create(&options, &context) != AIC_OK) {
        fprintf(stderr, "%s\n", aic_last_error());
        return 3;
    }
    for (long i = 0; i < cases; i++) {
        failed += check_case(first + (uint64_t)i, context);
    }
    aic_context_destroy(context);
    const long relations = (long)(sizeof RELATION / sizeof RELATION[0]);
    printf("%ld passed, %ld failed\n", cases * relations - failed, failed);
    return failed != 0;
}
