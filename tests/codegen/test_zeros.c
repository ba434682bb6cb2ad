/* Weights that are 0 in the last channels for every tap and output channel: tiles leave these channels out where the
 * sums are integers, whatever the image has there. Images of other weights do not. A test is one specification;
 * contents and the reference's results, which take most of the time, are shared by the levels. */
#include "codegen/contraction/microkernel.h"
#include "codegen/integer.h"
#include "codegen/packed.h"
#include "frontend/core/stage.h"
#include "frontend/numeric/element.h"
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
    "conv2d(dtype=int8, fm_shape=[2,7,9,32], kernel_shape=[2,1,1,48,32], stride=[2,1])",
    "conv2d(dtype=int8, fm_shape=[3,6,11,32], kernel_shape=[3,3,2,80,32], stride=[2,1], dilation=[1,3], pad=[3,3,1,1])",
    "conv2d(dtype=int8, fm_shape=[1,5,7,4], kernel_shape=[1,3,3,32,4], pad=[1,1,1,1])",
    "conv2d(dtype=int8, fm_shape=[64,9,9,32], kernel_shape=[64,9,9,16,32], pad=[0,0,1,0])",
    "conv2d(dtype=int8, fm_shape=[1,17,33,32], kernel_shape=[1,7,7,16,32], stride=[2,2], pad=[3,3,3,3], pad_value=5)",
    "conv2d(dtype=int8, fm_shape=[1,12,12,32], kernel_shape=[1,9,9,64,32], pad=[4,4,4,4], init_l1out=false)",
    "conv2d(dtype=int8, fm_shape=[3,14,14,32], kernel_shape=[3,3,3,96,32], pad=[1,1,1,1])",
    "conv2d(dtype=float16, fm_shape=[2,9,7,16], kernel_shape=[2,3,3,48,16], pad=[1,1,1,1])",
    "conv2d(dtype=float16, fm_shape=[3,6,11,16], kernel_shape=[3,1,1,32,16], init_l1out=false)",
    "conv2d(dtype=float16, fm_shape=[3,6,11,16], kernel_shape=[3,1,1,32,16], init_l1out=false, accumulate=fast)",
    "conv2d(dtype=float16, fm_shape=[1,7,9,16], kernel_shape=[1,1,1,16,16], stride=[2,1], accumulate=fast)",
    "conv2d(dtype=float16, fm_shape=[1,21,13,4], kernel_shape=[1,7,7,32,4], pad=[3,3,3,3], stride=[2,2])",
    "conv2d(dtype=float16, fm_shape=[3,19,7,16], kernel_shape=[3,3,2,32,16], stride=[2,1], dilation=[2,1], "
    "pad=[0,1,1,2], pad_value=2, accumulate=fast)",
    "conv2d(dtype=float16, fm_shape=[1,21,13,4], kernel_shape=[1,7,7,32,4], pad=[3,3,3,3], stride=[3,2], "
    "accumulate=fast)",
    "conv2d(dtype=float16, fm_shape=[2,9,7,16], kernel_shape=[2,5,5,16,16], pad=[2,2,2,2], accumulate=fast)",
    /* Packing notes what is infinite or NaN in rows that are packed as they lie: of whole vectors, of some that end
     * with an overlapping one, and of some that begin with one. */
    "conv2d(dtype=float16, fm_shape=[1,11,8,4], kernel_shape=[1,3,3,16,4], accumulate=fast)",
    "conv2d(dtype=float16, fm_shape=[1,12,11,4], kernel_shape=[1,3,3,32,4], stride=[2,2], accumulate=fast)",
    "conv2d(dtype=float16, fm_shape=[1,9,13,4], kernel_shape=[1,3,3,16,4], pad=[1,2,1,0], accumulate=fast)",
    "conv2d(dtype=float16, fm_shape=[1,7,6,16], kernel_shape=[1,3,3,16,16], pad=[1,1,1,1], dilation=[1,2], "
    "accumulate=fast)",
    "conv2d(dtype=float16, fm_shape=[1,12,11,4], kernel_shape=[1,3,3,16,4], stride=[2,2])",
};
enum { SPECS_COUNT = sizeof SPECS / sizeof *SPECS };

typedef struct tensors {
    aic_spec spec;
    aic_operand operand[AIC_OPERANDS_MAX];
    void *data[OPERANDS], *expected;
    int64_t channels, c0;
} tensors;

/* A kernel of one level, and room for its image of weights. */
typedef struct maker {
    const char *level;
    aic_context *context;
    aic_kernel *kernel;
    void *packed;
} maker;

enum { MAKERS_MAX = 32 };

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
    for (int64_t i = 0; i < t->operand[WEIGHT].elements; i += t->c0) {
        const int64_t left = real - i / block_elements * t->c0; /* channels of the block that keep theirs */
        const int64_t first = left < 0 ? 0 : left < t->c0 ? left : t->c0;
        memset((uint8_t *)t->data[WEIGHT] + (size_t)(i + first) * size, 0, (size_t)(t->c0 - first) * size);
    }
}

static void open_tensors(tensors *t, const char *text)
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
}

static void close_tensors(tensors *t)
{
    for (size_t i = 0; i < OPERANDS; i++) {
        free(t->data[i]);
    }
    free(t->expected);
}

/* False: the level does not take the schedule. */
static bool open_maker(maker *m, const tensors *t, const char *level, const char *schedule)
{
    aic_context_options options = aic_context_options_init();
    size_t bytes;
    m->level = options.isa = level;
    options.threads = 1;
    ck_assert_int_eq(aic_context_create(&options, &m->context), AIC_OK);
    const aic_status status = aic_kernel_create(m->context, &t->spec, schedule, &m->kernel);
    if (schedule != NULL && status == AIC_INVALID_ARGUMENT) {
        aic_context_destroy(m->context);
        return false;
    }
    ck_assert_int_eq(status, AIC_OK);
    ck_assert_int_eq(aic_kernel_packed_size(m->kernel, WEIGHT, &bytes), AIC_OK);
    m->packed = block(bytes);
    return true;
}

/* One a level, and one more a level that takes a schedule besides the default one; returns how many. */
static int open_makers(maker makers[MAKERS_MAX], const tensors *t, const char *schedule)
{
    int count = 0;
    ck_assert_int_le(2 * levels_count(), MAKERS_MAX);
    for (int i = 0; i < levels_count(); i++) {
        count += open_maker(&makers[count], t, levels_name(i), NULL);
        count += schedule != NULL && open_maker(&makers[count], t, levels_name(i), schedule);
    }
    return count;
}

static void close_makers(maker *makers, int count)
{
    for (int i = 0; i < count; i++) {
        aic_kernel_destroy(makers[i].kernel);
        aic_context_destroy(makers[i].context);
        free(makers[i].packed);
    }
}

/* The same bits, of floats the same numbers. */
static void expect_bits(const tensors *t, const maker *m, int64_t real, const char *weights)
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
    ck_assert_msg(same, "%s, %lld channels, %s weights: other results", m->level, (long long)real, weights);
}

static void refer(const tensors *t)
{
    void *expected[] = {t->expected, t->data[IMAGE], t->data[WEIGHT]};
    memset(t->expected, 0, (size_t)t->operand[OUT].bytes);
    ck_assert_int_eq(aic_reference(&t->spec, NULL, expected, OPERANDS), AIC_OK);
}

/* The image of weights that there is gives the reference's bits. */
static void expect_packed(const tensors *t, const maker *m, int64_t real)
{
    void *packed[] = {t->data[OUT], t->data[IMAGE], m->packed};
    memset(t->data[OUT], 0, (size_t)t->operand[OUT].bytes);
    ck_assert_int_eq(aic_kernel_call_packed(m->kernel, packed, OPERANDS), AIC_OK);
    expect_bits(t, m, real, "packed");
}

/* The reference's bits, of packed weights and of plain ones. */
static void expect_same(const tensors *t, const maker *m, int64_t real)
{
    ck_assert_int_eq(aic_kernel_pack(m->kernel, WEIGHT, m->packed, t->data[WEIGHT]), AIC_OK);
    expect_packed(t, m, real);
    memset(t->data[OUT], 0, (size_t)t->operand[OUT].bytes);
    ck_assert_int_eq(aic_kernel_call(m->kernel, t->data, OPERANDS), AIC_OK);
    expect_bits(t, m, real, "plain");
}

static void expect_same_of_all(const tensors *t, const maker *makers, int count, int64_t real)
{
    refer(t);
    for (int i = 0; i < count; i++) {
        expect_same(t, &makers[i], real);
    }
}

/* So many in the usual run, twice as many in a campaign. */
static int rounds(int usual)
{
    return levels_campaign() > 0 ? 2 * usual : usual;
}

/* Fewer and fewer channels have weights, then all have again; one weight behind many zeros counts. */
START_TEST(channels_without_weights)
{
    tensors t;
    maker makers[MAKERS_MAX];
    uint64_t state = claims_seed(3 + (uint64_t)_i);
    open_tensors(&t, SPECS[_i]);
    const int count = open_makers(makers, &t, "schedule(in_place=1)"); /* few take it */
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
        expect_same_of_all(&t, makers, count, reals[r]);
    }
    for (int i = 0; i < rounds(4); i++) {
        clear(&t, t.channels - t.c0 / 2);
        const int64_t elements = t.operand[WEIGHT].elements, at = aic_rng_range(&state, 0, elements / t.c0 - 1) * t.c0;
        ((uint8_t *)t.data[WEIGHT])[(size_t)(at + t.c0) * aic_dtype_size(t.operand[WEIGHT].dtype) - 1] = 0x3c;
        expect_same_of_all(&t, makers, count, -1);
    }
    close_makers(makers, count);
    close_tensors(&t);
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

static int64_t *counts_of(const maker *m, const aic_tiling *tiling)
{
    return (int64_t *)(void *)((uint8_t *)m->packed + AIC_HEAD_BYTES + tiling->panel.packed_bytes);
}

/* Where the image is taken unsigned, sums start with what the weights, all of them, add too much of it: replaced by
 * what the weights that there are now do. */
static void renew_starts(const tensors *t, const maker *m, const aic_tiling *tiling)
{
    size_t bytes;
    ck_assert_int_eq(aic_kernel_packed_size(m->kernel, WEIGHT, &bytes), AIC_OK);
    uint8_t *image = block(bytes);
    ck_assert_int_eq(aic_kernel_pack(m->kernel, WEIGHT, image, t->data[WEIGHT]), AIC_OK);
    for (int64_t i = 0; tiling->geometry.arithmetic.image_offset != 0 && i < tiling->panel.used; i++) {
        const int64_t at = AIC_HEAD_BYTES + i * tiling->panel.block_panel_bytes;
        memcpy((uint8_t *)m->packed + at, image + at, (size_t)tiling->panel.start_bytes);
    }
    free(image);
}

/* The weights of a number of channels and the reference's result, which is made once: levels count in other steps. */
typedef struct results {
    tensors *t;
    void **of; /* by the number; NULL: not made yet */
    uint64_t seed;
} results;

static void take_channels(results *r, int64_t real)
{
    tensors *t = r->t;
    const size_t bytes = (size_t)t->operand[OUT].bytes;
    uint64_t state = claims_seed(r->seed + (uint64_t)real);
    fill(t, WEIGHT, &state);
    clear(t, real);
    if (r->of[real] == NULL) {
        refer(t);
        r->of[real] = memcpy(block(bytes), t->expected, bytes);
    }
    memcpy(t->expected, r->of[real], bytes);
}

static void check_counts(results *r, const maker *m, const aic_tiling *tiling)
{
    tensors *t = r->t;
    const int64_t channels = tiling->geometry.arithmetic.kpack_channels, last = (t->channels - t->c0) / channels;
    for (int64_t real = t->channels; real > t->channels - t->c0; real -= channels) {
        take_channels(r, real);
        expect_same(t, m, real);
        for (int64_t i = 0; i < tiling->panel.used; i++) {
            ck_assert_int_eq(counts_of(m, tiling)[i], aic_parts(real, channels));
        }
    }
    const int64_t less = last + tiling->geometry.unroll, real = tiling->tile.counts ? less * channels : t->channels;
    uint64_t state = claims_seed(r->seed + (uint64_t)real);
    fill(t, WEIGHT, &state); /* what take_channels() clears some of */
    ck_assert_int_eq(aic_kernel_pack(m->kernel, WEIGHT, m->packed, t->data[WEIGHT]), AIC_OK);
    for (int64_t i = 0; tiling->tile.counts && i < tiling->panel.used; i++) {
        counts_of(m, tiling)[i] = i == tiling->panel.used - 1 ? less : 1;
    }
    take_channels(r, real);
    renew_starts(t, m, tiling);
    expect_packed(t, m, less);
}

/* Packing counts the k-packs that have weights, and tiles compute so many: if an image counts less than its weights
 * have, those that are not counted are as good as 0. */
START_TEST(tiles_obey_the_count)
{
    tensors t;
    maker makers[MAKERS_MAX];
    const aic_semantics semantics = aic_semantics_init();
    uint64_t state = claims_seed(5 + (uint64_t)_i);
    open_tensors(&t, SPECS[_i]);
    const int count = open_makers(makers, &t, NULL);
    results r = {&t, calloc((size_t)t.channels + 1, sizeof *r.of), 5 + (uint64_t)_i};
    ck_assert_ptr_nonnull(r.of);
    fill(&t, IMAGE, &state);
    for (int i = 0; i < count; i++) {
        aic_plan *plan = plan_of(&t, makers[i].level, &semantics);
        const aic_tiling *tiling = aic_tiling_of(plan);
        if (tiling->panel.counts) {
            check_counts(&r, &makers[i], tiling);
        }
        ck_assert(tiling->panel.counts || tiling->kernel != &aic_microkernel_vector ||
                  t.c0 == tiling->geometry.arithmetic.kpack_channels);
        aic_plan_free(plan);
    }
    for (int64_t i = 0; i <= t.channels; i++) {
        free(r.of[i]);
    }
    free(r.of);
    close_makers(makers, count);
    close_tensors(&t);
}
END_TEST

/* Whether packing has noted that weights are in the lean form. */
static int64_t note_of(const tensors *t, const maker *m, const aic_tiling *tiling)
{
    int64_t note;
    ck_assert_int_eq(aic_kernel_pack(m->kernel, WEIGHT, m->packed, t->data[WEIGHT]), AIC_OK);
    memcpy(&note, (const uint8_t *)m->packed + AIC_HEAD_BYTES + tiling->lean.note, sizeof note);
    return note;
}

/* Where products take whole steps of k-packs, packing takes the lean form if the last half block has no weights at all.
 * Results do not show which form they are of. _i: a level. */
START_TEST(packing_finds_the_lean_form)
{
    const aic_semantics semantics = aic_semantics_init();
    uint64_t state = claims_seed(11 + (uint64_t)_i);
    int found = 0;
    for (size_t s = 0; s < SPECS_COUNT; s++) {
        tensors t;
        maker m;
        open_tensors(&t, SPECS[s]);
        open_maker(&m, &t, levels_name(_i), NULL);
        aic_plan *plan = plan_of(&t, m.level, &semantics);
        const aic_tiling *tiling = aic_tiling_of(plan);
        fill(&t, WEIGHT, &state);
        if (tiling->lean.channels > 0) {
            found++;
            ck_assert_int_eq(note_of(&t, &m, tiling), 0);
            clear(&t, t.channels - tiling->lean.channels + 1);
            ck_assert_int_eq(note_of(&t, &m, tiling), 0);
            clear(&t, t.channels - tiling->lean.channels);
            ck_assert_int_eq(note_of(&t, &m, tiling), 1);
            ((int8_t *)t.data[WEIGHT])[t.operand[WEIGHT].elements - 1] = 1;
            ck_assert_int_eq(note_of(&t, &m, tiling), 0);
        }
        aic_plan_free(plan);
        close_makers(&m, 1);
        close_tensors(&t);
    }
    ck_assert_int_eq(found > 0, strcmp(levels_name(_i), "amx") == 0);
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

/* Bands that have one row of tiles, packed or where the image has them. */
static const char *const LOW[] = {"schedule(kernel=vector, rows=1, band=1, in_place=0)",
                                  "schedule(kernel=vector, rows=1, band=1, in_place=1)"};
enum { LOW_COUNT = sizeof LOW / sizeof *LOW };

/* A float that is infinite or NaN makes NaN of a weight of 0: bands of images that have some are computed with all
 * channels, each band by itself. _i: a specification and a schedule besides the default one, if any level takes it. */
START_TEST(special_elements_meet_zeros)
{
    enum { ROUNDS = 2, IMAGES = 12 };
    tensors t;
    maker makers[MAKERS_MAX];
    uint64_t state = claims_seed(7 + (uint64_t)_i);
    open_tensors(&t, SPECS[_i / LOW_COUNT]);
    if (t.operand[IMAGE].dtype == AIC_FLOAT16) {
        const int count = open_makers(makers, &t, LOW[_i % LOW_COUNT]);
        for (int round = 0; round < ROUNDS && count > levels_count(); round++) {
            const int64_t real = t.channels - aic_rng_range(&state, 1, t.c0 - 1);
            fill(&t, WEIGHT, &state);
            clear(&t, real);
            for (int i = 0; i < rounds(IMAGES); i++) {
                fill(&t, IMAGE, &state);
                spoil(&t, real, &state);
                expect_same_of_all(&t, makers, count, real);
            }
        }
        close_makers(makers, count);
    }
    close_tensors(&t);
}
END_TEST

Suite *suite_zeros(void)
{
    Suite *suite = suite_create("zeros");
    TCase *tcase = tcase_create("zeros");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, channels_without_weights, 0, SPECS_COUNT);
    tcase_add_loop_test(tcase, tiles_obey_the_count, 0, SPECS_COUNT);
    tcase_add_loop_test(tcase, packing_finds_the_lean_form, 0, levels_count());
    tcase_add_loop_test(tcase, special_elements_meet_zeros, 0, SPECS_COUNT * LOW_COUNT);
    suite_add_tcase(suite, tcase);
    return suite;
}
