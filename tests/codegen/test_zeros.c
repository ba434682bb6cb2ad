/* Weights that are 0 in the last channels for every tap and output channel: tiles leave these channels out where the
 * sums are integers, whatever the image has there. Images of other weights do not. */
#include "codegen/contraction/microkernel.h"
#include "codegen/integer.h"
#include "codegen/packed.h"
#include "frontend/core/stage.h"
#include "frontend/numeric/half.h"
#include "frontend/random/rng.h"
#include "tests/claims.h"
#include "tests/levels.h"
#include "tests/specs.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_zeros(void);

enum { OUT, IMAGE, WEIGHT, OPERANDS };

static const char *const SPECS[] = {
    "conv2d(dtype=int8, fm_shape=[1,9,7,32], kernel_shape=[1,3,3,48,32], pad=[1,1,1,1])",
    "conv2d(dtype=int8, fm_shape=[2,9,7,32], kernel_shape=[2,5,5,16,32], pad=[2,2,2,2], pad_value=-7)",
    "conv2d(dtype=int8, fm_shape=[3,6,11,32], kernel_shape=[3,1,1,32,32], init_l1out=false)",
    "conv2d(dtype=int8, fm_shape=[3,6,11,32], kernel_shape=[3,3,2,80,32], stride=[2,1], dilation=[1,3], pad=[3,3,1,1])",
    "conv2d(dtype=int8, fm_shape=[1,5,7,4], kernel_shape=[1,3,3,32,4], pad=[1,1,1,1])",
    "conv2d(dtype=int8, fm_shape=[64,9,9,32], kernel_shape=[64,9,9,16,32], pad=[0,0,1,0])",
    "conv2d(dtype=int8, fm_shape=[1,17,33,32], kernel_shape=[1,7,7,16,32], stride=[2,2], pad=[3,3,3,3], pad_value=5)",
    "conv2d(dtype=int8, fm_shape=[1,12,12,32], kernel_shape=[1,9,9,64,32], pad=[4,4,4,4], init_l1out=false)",
    "conv2d(dtype=int8, fm_shape=[3,14,14,32], kernel_shape=[3,3,3,96,32], pad=[1,1,1,1])",
    "conv2d(dtype=float16, fm_shape=[2,9,7,16], kernel_shape=[2,3,3,48,16], pad=[1,1,1,1])",
    "conv2d(dtype=float16, fm_shape=[3,6,11,16], kernel_shape=[3,1,1,32,16], init_l1out=false)",
    "conv2d(dtype=float16, fm_shape=[1,21,13,4], kernel_shape=[1,7,7,32,4], pad=[3,3,3,3], stride=[2,2])",
    "conv2d(dtype=float16, fm_shape=[3,19,7,16], kernel_shape=[3,3,2,32,16], stride=[2,1], dilation=[2,1], "
    "pad=[0,1,1,2], pad_value=2, accumulate=fast)",
    "conv2d(dtype=float16, fm_shape=[1,21,13,4], kernel_shape=[1,7,7,32,4], pad=[3,3,3,3], stride=[3,2], "
    "accumulate=fast)",
    "conv2d(dtype=float16, fm_shape=[2,9,7,16], kernel_shape=[2,5,5,16,16], pad=[2,2,2,2], accumulate=fast)",
};
enum { SPECS_COUNT = sizeof SPECS / sizeof *SPECS };

typedef struct tensors {
    aic_spec spec;
    aic_operand operand[AIC_OPERANDS_MAX];
    void *data[OPERANDS], *expected, *packed;
    int64_t channels, c0;
} tensors;

static void *block(size_t bytes)
{
    const size_t size = (bytes + 63) / 64 * 64;
    void *memory = aligned_alloc(64, size);
    ck_assert_ptr_nonnull(memory);
    return memset(memory, 0, size);
}

/* int8: any byte. float16: integers from -3 to 3, whose sums are exact in any order. float32, which results are: the
 * same. */
static void fill(const tensors *t, int operand, uint64_t *state)
{
    uint8_t *bytes = t->data[operand];
    for (int64_t i = 0; i < t->operand[operand].elements; i++) {
        const uint64_t random = aic_rng_next(state);
        if (t->operand[operand].dtype == AIC_FLOAT16) {
            ((uint16_t *)(void *)bytes)[i] = aic_half_from_double((double)(random % 7) - 3);
        } else {
            bytes[i] = (uint8_t)random;
        }
    }
}

/* Clears the weights of the channels from `real` on. */
static void clear(const tensors *t, int64_t real)
{
    const size_t size = aic_dtype_size(t->operand[WEIGHT].dtype);
    const int64_t block_elements = t->operand[WEIGHT].elements / (t->channels / t->c0);
    for (int64_t i = 0; i < t->operand[WEIGHT].elements; i++) {
        if (i / block_elements * t->c0 + i % t->c0 >= real) {
            memset((uint8_t *)t->data[WEIGHT] + (size_t)i * size, 0, size);
        }
    }
}

/* Room for the kernel's image of weights. */
static void open_packed(tensors *t, const aic_kernel *kernel)
{
    size_t bytes;
    ck_assert_int_eq(aic_kernel_packed_size(kernel, WEIGHT, &bytes), AIC_OK);
    free(t->packed);
    t->packed = block(bytes);
}

static void open_tensors(tensors *t, const char *text, aic_kernel **kernel, aic_context *context)
{
    size_t count;
    t->spec = spec_of(text);
    t->channels = t->spec.stage[0].desc.conv2d.fm_shape[0] * t->spec.stage[0].desc.conv2d.fm_shape[3];
    t->c0 = t->spec.stage[0].desc.conv2d.fm_shape[3];
    ck_assert_int_eq(aic_spec_operands(&t->spec, NULL, t->operand, &count), AIC_OK);
    for (size_t i = 0; i < OPERANDS; i++) {
        t->data[i] = block((size_t)t->operand[i].bytes);
    }
    t->expected = block((size_t)t->operand[OUT].bytes);
    ck_assert_int_eq(aic_kernel_create(context, &t->spec, NULL, kernel), AIC_OK);
    t->packed = NULL;
    open_packed(t, *kernel);
}

static void close_tensors(tensors *t, aic_kernel *kernel, aic_context *context)
{
    aic_kernel_destroy(kernel);
    aic_context_destroy(context);
    for (size_t i = 0; i < OPERANDS; i++) {
        free(t->data[i]);
    }
    free(t->expected);
    free(t->packed);
}

/* The same bits, of floats the same numbers. */
static void expect_bits(const tensors *t, int64_t real, const char *weights)
{
    const float *got = t->data[OUT], *expected = t->expected;
    bool same = memcmp(got, expected, (size_t)t->operand[OUT].bytes) == 0;
    if (!same && t->operand[OUT].dtype == AIC_FLOAT32) {
        int64_t i = 0;
        while (i < t->operand[OUT].elements && (got[i] == expected[i] || (isnan(got[i]) && isnan(expected[i])))) {
            i++;
        }
        same = i == t->operand[OUT].elements;
    }
    ck_assert_msg(same, "%lld channels, %s weights: other results", (long long)real, weights);
}

/* The image of weights that there is gives the reference's bits. */
static void expect_packed(const tensors *t, aic_kernel *kernel, int64_t real)
{
    const size_t bytes = (size_t)t->operand[OUT].bytes;
    void *expected[] = {t->expected, t->data[IMAGE], t->data[WEIGHT]};
    void *packed[] = {t->data[OUT], t->data[IMAGE], t->packed};
    memset(t->expected, 0, bytes);
    memset(t->data[OUT], 0, bytes);
    ck_assert_int_eq(aic_reference(&t->spec, NULL, expected, OPERANDS), AIC_OK);
    ck_assert_int_eq(aic_kernel_call_packed(kernel, packed, OPERANDS), AIC_OK);
    expect_bits(t, real, "packed");
}

/* The reference's bits, of packed weights and of plain ones. */
static void expect_same(const tensors *t, aic_kernel *kernel, int64_t real)
{
    ck_assert_int_eq(aic_kernel_pack(kernel, WEIGHT, t->packed, t->data[WEIGHT]), AIC_OK);
    expect_packed(t, kernel, real);
    memset(t->data[OUT], 0, (size_t)t->operand[OUT].bytes);
    ck_assert_int_eq(aic_kernel_call(kernel, t->data, OPERANDS), AIC_OK);
    expect_bits(t, real, "plain");
}

/* Fewer and fewer channels have weights, then all have again; one weight behind many zeros counts. _i: a level and a
 * specification. */
START_TEST(channels_without_weights)
{
    tensors t;
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    aic_kernel *kernel;
    uint64_t state = claims_seed(3 + (uint64_t)_i);
    options.isa = levels_name(_i / SPECS_COUNT);
    options.threads = 1;
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    open_tensors(&t, SPECS[_i % SPECS_COUNT], &kernel, context);
    const int64_t reals[] = {t.channels,
                             t.channels - 1,
                             t.channels - t.c0 / 2,
                             t.channels - t.c0 / 2 - 3,
                             t.channels - t.c0 + 1,
                             t.channels - t.c0,
                             1,
                             0,
                             t.channels};
    for (size_t r = 0; r < sizeof reals / sizeof *reals; r++) {
        fill(&t, IMAGE, &state);
        fill(&t, WEIGHT, &state);
        clear(&t, reals[r]);
        expect_same(&t, kernel, reals[r]);
    }
    for (int i = 0; i < 8; i++) {
        clear(&t, t.channels - t.c0 / 2);
        const int64_t elements = t.operand[WEIGHT].elements, at = aic_rng_range(&state, 0, elements / t.c0 - 1) * t.c0;
        ((uint8_t *)t.data[WEIGHT])[(size_t)(at + t.c0) * aic_dtype_size(t.operand[WEIGHT].dtype) - 1] = 0x3c;
        expect_same(&t, kernel, -1);
    }
    close_tensors(&t, kernel, context);
}
END_TEST

/* What the plan of a level says of the kernel. */
static aic_plan *plan_of(const tensors *t, const char *level, const aic_semantics *semantics)
{
    const aic_problem problem = {&t->spec, semantics, aic_target_find(aic_host_arch(), level),
                                 aic_machine_of(aic_host_this()->core)};
    aic_plan *plan;
    ck_assert_int_eq(aic_plan_create(&problem, &plan), AIC_OK);
    ck_assert_int_eq(aic_plan_choose(plan), AIC_OK);
    return plan;
}

static int64_t *counts_of(const tensors *t, const aic_tiling *tiling)
{
    return (int64_t *)(void *)((uint8_t *)t->packed + AIC_HEAD_BYTES + tiling->panel.packed_bytes);
}

/* Where the image is taken unsigned, sums start with what the weights, all of them, add too much of it: replaced by
 * what the weights that there are now do. */
static void renew_starts(tensors *t, const aic_kernel *kernel, const aic_tiling *tiling)
{
    size_t bytes;
    ck_assert_int_eq(aic_kernel_packed_size(kernel, WEIGHT, &bytes), AIC_OK);
    uint8_t *image = block(bytes);
    ck_assert_int_eq(aic_kernel_pack(kernel, WEIGHT, image, t->data[WEIGHT]), AIC_OK);
    for (int64_t i = 0; tiling->geometry.arithmetic.image_offset != 0 && i < tiling->panel.used; i++) {
        const int64_t at = AIC_HEAD_BYTES + i * tiling->panel.block_panel_bytes;
        memcpy((uint8_t *)t->packed + at, image + at, (size_t)tiling->panel.start_bytes);
    }
    free(image);
}

/* Packing counts the k-packs that have weights, and tiles compute so many: if an image counts less than its weights
 * have, those that are not counted are as good as 0. _i: a level and a specification. */
START_TEST(tiles_obey_the_count)
{
    tensors t;
    aic_context_options options = aic_context_options_init();
    const aic_semantics semantics = aic_semantics_init();
    aic_context *context;
    aic_kernel *kernel;
    uint64_t state = claims_seed(5 + (uint64_t)_i);
    options.isa = levels_name(_i / SPECS_COUNT);
    options.threads = 1;
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    open_tensors(&t, SPECS[_i % SPECS_COUNT], &kernel, context);
    aic_plan *plan = plan_of(&t, options.isa, &semantics);
    const aic_tiling *tiling = aic_tiling_of(plan);
    fill(&t, IMAGE, &state);
    if (tiling->panel.counts) {
        const int64_t channels = tiling->geometry.arithmetic.kpack_channels, last = (t.channels - t.c0) / channels;
        for (int64_t real = t.channels; real > t.channels - t.c0; real -= channels) {
            fill(&t, WEIGHT, &state);
            clear(&t, real);
            expect_same(&t, kernel, real);
            for (int64_t i = 0; i < tiling->panel.used; i++) {
                ck_assert_int_eq(counts_of(&t, tiling)[i], aic_parts(real, channels));
            }
        }
        const int64_t less = last + tiling->geometry.unroll;
        fill(&t, WEIGHT, &state);
        ck_assert_int_eq(aic_kernel_pack(kernel, WEIGHT, t.packed, t.data[WEIGHT]), AIC_OK);
        for (int64_t i = 0; tiling->tile.counts && i < tiling->panel.used; i++) {
            counts_of(&t, tiling)[i] = i == tiling->panel.used - 1 ? less : 1;
        }
        clear(&t, tiling->tile.counts ? less * channels : t.channels);
        renew_starts(&t, kernel, tiling);
        expect_packed(&t, kernel, less);
    }
    ck_assert(tiling->panel.counts || tiling->kernel != &aic_microkernel_vector ||
              t.c0 == tiling->geometry.arithmetic.kpack_channels);
    aic_plan_free(plan);
    close_tensors(&t, kernel, context);
}
END_TEST

/* Whether packing has noted that weights are in the lean form. */
static int64_t note_of(const tensors *t, const aic_kernel *kernel, const aic_tiling *tiling)
{
    int64_t note;
    ck_assert_int_eq(aic_kernel_pack(kernel, WEIGHT, t->packed, t->data[WEIGHT]), AIC_OK);
    memcpy(&note, (const uint8_t *)t->packed + AIC_HEAD_BYTES + tiling->lean.note, sizeof note);
    return note;
}

/* Where products take whole steps of k-packs, packing takes the lean form if the last half block has no weights at all.
 * Results do not show which form they are of. _i: a level. */
START_TEST(packing_finds_the_lean_form)
{
    aic_context_options options = aic_context_options_init();
    const aic_semantics semantics = aic_semantics_init();
    aic_context *context;
    uint64_t state = claims_seed(11 + (uint64_t)_i);
    int found = 0;
    options.isa = levels_name(_i);
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    for (size_t s = 0; s < SPECS_COUNT; s++) {
        tensors t;
        aic_kernel *kernel;
        open_tensors(&t, SPECS[s], &kernel, context);
        aic_plan *plan = plan_of(&t, options.isa, &semantics);
        const aic_tiling *tiling = aic_tiling_of(plan);
        fill(&t, WEIGHT, &state);
        if (tiling->lean.channels > 0) {
            found++;
            ck_assert_int_eq(note_of(&t, kernel, tiling), 0);
            clear(&t, t.channels - tiling->lean.channels + 1);
            ck_assert_int_eq(note_of(&t, kernel, tiling), 0);
            clear(&t, t.channels - tiling->lean.channels);
            ck_assert_int_eq(note_of(&t, kernel, tiling), 1);
            ((int8_t *)t.data[WEIGHT])[t.operand[WEIGHT].elements - 1] = 1;
            ck_assert_int_eq(note_of(&t, kernel, tiling), 0);
        }
        aic_plan_free(plan);
        close_tensors(&t, kernel, NULL);
    }
    ck_assert_int_eq(found > 0, strcmp(options.isa, "amx") == 0);
    aic_context_destroy(context);
}
END_TEST

/* Makes an element of the image infinite or NaN, in a channel that has no weights. */
static void spoil(const tensors *t, int64_t real, uint64_t *state)
{
    static const uint16_t SPECIAL[] = {0x7c00, 0xfc00, 0x7e00, 0xffff, 0x7c01};
    const int64_t pixels = t->operand[IMAGE].elements / t->channels;
    const int64_t channel = aic_rng_range(state, real, t->channels - 1), pixel = aic_rng_range(state, 0, pixels - 1);
    ((uint16_t *)t->data[IMAGE])[(channel / t->c0 * pixels + pixel) * t->c0 + channel % t->c0] =
        SPECIAL[aic_rng_range(state, 0, 4)];
}

/* A float that is infinite or NaN makes NaN of a weight of 0: bands of images that have some are computed with all
 * channels, each band by itself. _i: a level, a specification and whether bands have one row of tiles. */
START_TEST(special_elements_meet_zeros)
{
    tensors t;
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    aic_kernel *kernel;
    uint64_t state = claims_seed(7 + (uint64_t)_i);
    options.isa = levels_name(_i / 2 / SPECS_COUNT);
    options.threads = 1;
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    open_tensors(&t, SPECS[_i / 2 % SPECS_COUNT], &kernel, context);
    if (t.operand[IMAGE].dtype == AIC_FLOAT16) {
        aic_kernel *narrow = kernel;
        if (_i % 2 == 1) {
            ck_assert_int_eq(aic_kernel_create(context, &t.spec, "schedule(kernel=vector, rows=1, band=1)", &narrow),
                             AIC_OK);
            open_packed(&t, narrow);
        }
        const int64_t real = t.channels - aic_rng_range(&state, 1, t.c0 - 1);
        fill(&t, WEIGHT, &state);
        clear(&t, real);
        for (int i = 0; i < 24; i++) {
            fill(&t, IMAGE, &state);
            spoil(&t, real, &state);
            expect_same(&t, narrow, real);
        }
        if (narrow != kernel) {
            aic_kernel_destroy(narrow);
        }
    }
    close_tensors(&t, kernel, context);
}
END_TEST

Suite *suite_zeros(void)
{
    Suite *suite = suite_create("zeros");
    TCase *tcase = tcase_create("zeros");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, channels_without_weights, 0, levels_count() * SPECS_COUNT);
    tcase_add_loop_test(tcase, tiles_obey_the_count, 0, levels_count() * SPECS_COUNT);
    tcase_add_loop_test(tcase, packing_finds_the_lean_form, 0, levels_count());
    tcase_add_loop_test(tcase, special_elements_meet_zeros, 0, levels_count() * SPECS_COUNT * 2);
    suite_add_tcase(suite, tcase);
    return suite;
}
