/* Heads of packed images: every packed call takes the images of its kernel's form, whichever kernel made them, and
 * refuses all other memory. Kernels are drawn that differ in what decides the form and in what does not. */
#include "codegen/packed.h"
#include "frontend/core/stage.h"
#include "frontend/random/rng.h"
#include "runtime/code/code_memory.h"
#include "runtime/generator/generator.h"
#include "runtime/generator/worker.h"
#include "tests/disk_case.h"
#include "tests/levels.h"

#include <aic/tool.h>
#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

Suite *suite_packed(void);

enum { WEIGHT = 2, IDENTITY = 65, LINE = 256, OLD = 0x77 };

/* A kernel with its operands, those of one specification always having the same content, and its image of them. */
typedef struct sample {
    aic_kernel *kernel;
    aic_operand operand[AIC_OPERANDS_MAX];
    void *pointer[AIC_OPERANDS_MAX], *expected;
    size_t count, bytes; /* operands; of the image */
    unsigned char *image;
    char identity[IDENTITY];
    char what[2 * LINE];
} sample;

/* Finite numbers of any type: bytes below 0x40. */
static void *filled(size_t bytes, uint64_t seed)
{
    unsigned char *block = aligned_block(bytes);
    for (size_t i = 0; i < bytes; i++) {
        block[i] = (unsigned char)(aic_rng_next(&seed) & 0x3F);
    }
    return block;
}

/* Bytes that packing does not write are the same in all images. */
static unsigned char *packed_by(const sample *s, size_t *bytes)
{
    ck_assert_int_eq(aic_kernel_packed_size(s->kernel, WEIGHT, bytes), AIC_OK);
    ck_assert_uint_gt(*bytes, AIC_HEAD_BYTES);
    unsigned char *image = aligned_block(*bytes);
    memset(image, 0xA5, *bytes);
    ck_assert_int_eq(aic_kernel_pack(s->kernel, WEIGHT, image, s->pointer[WEIGHT]), AIC_OK);
    return image;
}

static void open_sample(sample *s, aic_context *context, const char *text, const char *schedule)
{
    aic_spec spec;
    ck_assert_msg(aic_spec_read(text, &spec) == AIC_OK, "%s: %s", text, aic_last_error());
    ck_assert_msg(aic_kernel_create(context, &spec, schedule, &s->kernel) == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(aic_spec_operands(&spec, NULL, s->operand, &s->count), AIC_OK);
    for (size_t i = 0; i < s->count; i++) {
        const bool used = s->operand[i].direction != AIC_DIRECTION_UNUSED;
        s->pointer[i] = used ? filled((size_t)s->operand[i].bytes, i) : NULL;
    }
    const size_t size = (size_t)s->operand[0].bytes;
    memset(s->pointer[0], OLD, size); /* rows of padding stay as they are */
    ck_assert_int_eq(aic_kernel_call(s->kernel, s->pointer, s->count), AIC_OK);
    s->expected = aligned_block(size);
    memcpy(s->expected, s->pointer[0], size);
    s->image = packed_by(s, &s->bytes);
    ck_assert_int_eq(aic_packed_identity(s->image, s->identity), AIC_OK);
    ck_assert_uint_eq(strlen(s->identity), IDENTITY - 1);
    snprintf(s->what, sizeof s->what, "%s %s %s", aic_context_isa(context), text, schedule);
}

static void close_sample(sample *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->pointer[i]);
    }
    free(s->expected);
    free(s->image);
    aic_kernel_destroy(s->kernel);
}

/* ---- calls with an image ---- */

enum { BY_CALL, BY_BATCH, BY_CHECK, WAYS };

/* Two images of a batch; the second has `image`, the first has the kernel's own. */
static aic_status call_batch(const sample *s, const void *image)
{
    const size_t size = (size_t)s->operand[0].bytes, room = (size + 63) / 64 * 64;
    size_t stride[AIC_OPERANDS_MAX] = {room};
    void *pointer[AIC_OPERANDS_MAX];
    unsigned char *both = aligned_block(2 * s->bytes), *out = aligned_block(2 * room);
    memcpy(pointer, s->pointer, sizeof pointer);
    memcpy(both, s->image, s->bytes);
    memcpy(both + s->bytes, image, s->bytes);
    memset(out, OLD, 2 * room);
    pointer[0] = out;
    pointer[WEIGHT] = both;
    stride[WEIGHT] = s->bytes;
    aic_status status = aic_kernel_call_batch_packed(s->kernel, pointer, stride, 2);
    memcpy(s->pointer[0], out + (status == AIC_OK ? room : 0), size);
    free(both);
    free(out);
    return status;
}

static aic_status call_by(int way, const sample *s, void *image)
{
    void *pointer[AIC_OPERANDS_MAX];
    memcpy(pointer, s->pointer, sizeof pointer);
    pointer[WEIGHT] = image;
    memset(s->pointer[0], OLD, (size_t)s->operand[0].bytes);
    switch (way) {
    case BY_CALL:
        return aic_kernel_call_packed(s->kernel, pointer, s->count);
    case BY_BATCH:
        return call_batch(s, image);
    default:
        return aic_kernel_check_packed(s->kernel, WEIGHT, image);
    }
}

static void expect_taken(const sample *s, void *image, const char *from)
{
    for (int way = 0; way < WAYS; way++) {
        ck_assert_msg(call_by(way, s, image) == AIC_OK, "%s with the image of %s: %s", s->what, from, aic_last_error());
        ck_assert_msg(way == BY_CHECK || memcmp(s->pointer[0], s->expected, (size_t)s->operand[0].bytes) == 0,
                      "%s with the image of %s: another result", s->what, from);
    }
}

/* Memory of as many bytes as the kernel's own image has is refused with this in the message, and nothing is written. */
static void expect_refused(const sample *s, void *image, const char *says)
{
    for (int way = 0; way < WAYS; way++) {
        ck_assert_msg(call_by(way, s, image) == AIC_INVALID_ARGUMENT, "%s took other memory", s->what);
        ck_assert_msg(strstr(aic_last_error(), says) != NULL, "%s", aic_last_error());
        ck_assert(way != BY_BATCH || strstr(aic_last_error(), "image 1: ") != NULL);
        /* Each byte is OLD if the first one is, and each is what the one before it is. */
        const unsigned char *output = s->pointer[0];
        ck_assert_uint_eq(output[0], OLD);
        ck_assert_mem_eq(output + 1, output, (size_t)s->operand[0].bytes - 1);
    }
}

/* ---- drawn kernels ---- */

/* Weights of several shapes and types in images of several sizes. */
static void draw_text(uint64_t *state, char text[LINE])
{
    static const char *const ENDS[] = {"",
                                       " | fixpipe(src=int32, dst=int8, quantPre=REQ8, deqScalar=quant(0.01, 0, int8))",
                                       " | fixpipe(src=float32, dst=float16, quantPre=F322F16)"};
    const int64_t size = aic_rng_range(state, 3, 9), kernel = aic_rng_range(state, 0, 1) == 0 ? 1 : 3;
    const int64_t c1 = aic_rng_range(state, 1, 2), n = 16 * aic_rng_range(state, 1, 2),
                  pad = aic_rng_range(state, 0, 1);
    const bool half = aic_rng_range(state, 0, 1) == 0, fused = aic_rng_range(state, 0, 2) == 0;
    const int c0 = half ? 16 : 32;
    if (aic_rng_range(state, 0, 4) == 0) {
        snprintf(text, LINE, "mmad(dtype=%s, m=%d, k=%d, n=%d)", half ? "float16" : "int8", (int)size, 16 * (int)c1,
                 (int)n);
        return;
    }
    snprintf(text, LINE,
             "conv2d(dtype=%s, fm_shape=[%d,%d,%d,%d], kernel_shape=[%d,%d,%d,%d,%d], pad=[%d,%d,%d,%d]%s)%s",
             half ? "float16" : "int8", (int)c1, (int)size, (int)size + (int)aic_rng_range(state, 0, 2), c0, (int)c1,
             (int)kernel, (int)kernel, (int)n, c0, (int)pad, (int)pad, (int)pad, (int)pad,
             half && aic_rng_range(state, 0, 1) == 0 ? ", accumulate=fast" : "",
             ENDS[!fused ? 0
                  : half ? 2
                         : 1]);
}

/* One of the first candidates, or the default schedule. */
static void open_drawn(sample *s, aic_context *context, uint64_t *state)
{
    enum { CANDIDATES = 12 };
    char text[LINE], schedule[LINE];
    aic_spec spec;
    draw_text(state, text);
    ck_assert_msg(aic_spec_read(text, &spec) == AIC_OK, "%s: %s", text, aic_last_error());
    const size_t index = (size_t)aic_rng_range(state, 0, CANDIDATES);
    const bool there = aic_schedule_candidate(context, &spec, index, schedule, sizeof schedule) == AIC_OK;
    open_sample(s, context, text, there ? schedule : NULL);
}

typedef struct tally {
    int shared, sizes, refused; /* pairs of equal forms, of different images; of different forms */
} tally;

static void check_pair(const sample *reader, const sample *maker, tally *t)
{
    if (strcmp(reader->identity, maker->identity) != 0) {
        const size_t size = maker->bytes < reader->bytes ? maker->bytes : reader->bytes;
        unsigned char *image = aligned_block(reader->bytes); /* as many bytes as the reader's image has */
        memset(image, 0, reader->bytes);
        memcpy(image, maker->image, size);
        expect_refused(reader, image, ": was packed in the form");
        free(image);
        t->refused++;
        return;
    }
    ck_assert_uint_eq(reader->bytes, maker->bytes);
    ck_assert_msg(memcmp(reader->image, maker->image, reader->bytes) == 0, "%s and %s: one form, images differ",
                  reader->what, maker->what);
    expect_taken(reader, maker->image, maker->what);
    t->shared += reader != maker;
    t->sizes += reader->operand[1].bytes != maker->operand[1].bytes;
}

/* Plain weights, aligned, as many bytes as the call reads. */
static void check_plain(const sample *s)
{
    unsigned char *plain = aligned_block(s->bytes);
    const size_t size = (size_t)s->operand[WEIGHT].bytes;
    memset(plain, 0, s->bytes);
    memcpy(plain, s->pointer[WEIGHT], size < s->bytes ? size : s->bytes);
    expect_refused(s, plain, ": is no packed image");
    free(plain);
}

START_TEST(images_are_told_apart)
{
    enum { PER_LEVEL = 20, SAMPLES_MAX = 160 };
    static sample all[SAMPLES_MAX];
    aic_context *context[SAMPLES_MAX / PER_LEVEL];
    uint64_t state = 5;
    size_t count = 0;
    int levels = 0;
    for (; levels < levels_count() && count + PER_LEVEL <= SAMPLES_MAX; levels++) {
        aic_context_options options = aic_context_options_init();
        options.isa = levels_name(levels);
        options.threads = 1;
        ck_assert_int_eq(aic_context_create(&options, &context[levels]), AIC_OK);
        for (int i = 0; i < PER_LEVEL; i++) {
            open_drawn(&all[count++], context[levels], &state);
        }
    }
    tally t = {0};
    for (size_t i = 0; i < count; i++) {
        check_plain(&all[i]);
        for (size_t k = 0; k < count; k++) {
            check_pair(&all[i], &all[k], &t);
        }
    }
    ck_assert_int_gt(t.shared, 0);
    ck_assert_int_gt(t.sizes, 0);
    ck_assert_int_gt(t.refused, 0);
    for (size_t i = 0; i < count; i++) {
        close_sample(&all[i]);
    }
    for (int i = 0; i < levels; i++) {
        aic_context_destroy(context[i]);
    }
}
END_TEST

/* ---- heads ---- */

#define LAYER(size) "conv2d(dtype=int8, fm_shape=[1," #size ",8,32], kernel_shape=[1,3,3,32,32], pad=[1,1,1,1])"

/* Any bit of the head that changes makes it none. */
START_TEST(damaged_heads)
{
    sample s;
    char text[IDENTITY];
    open_sample(&s, NULL, LAYER(6), NULL);
    size_t bytes;
    unsigned char *image = packed_by(&s, &bytes);
    for (size_t bit = 0; bit < (size_t)8 * AIC_HEAD_BYTES; bit++) {
        image[bit / 8] ^= (unsigned char)(1 << bit % 8);
        expect_refused(&s, image, "weight: is no packed image");
        ck_assert_int_eq(aic_packed_identity(image, text), AIC_INVALID_ARGUMENT);
        image[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    expect_taken(&s, image, "its own");
    free(image);
    close_sample(&s);
}
END_TEST

/* The size of the image of a convolution is no part of the form where the schedule cuts the weights alike. */
START_TEST(one_image_for_all_sizes)
{
    static const char *const TEXTS[] = {LAYER(5), LAYER(6), LAYER(17), LAYER(40)};
    enum { SIZES = sizeof TEXTS / sizeof TEXTS[0] };
    sample s[SIZES];
    for (int i = 0; i < SIZES; i++) {
        char schedule[LINE];
        aic_spec spec;
        ck_assert_int_eq(aic_spec_read(TEXTS[0], &spec), AIC_OK);
        ck_assert_int_eq(aic_schedule_candidate(NULL, &spec, 0, schedule, sizeof schedule), AIC_OK);
        const char *kernel = strstr(schedule, "kernel="), *vectors = strstr(schedule, "vectors=");
        char same[LINE];
        ck_assert(kernel != NULL && vectors != NULL);
        snprintf(same, sizeof same, "schedule(%.*s, %.*s)", (int)strcspn(kernel, ",)"), kernel,
                 (int)strcspn(vectors, ",)"), vectors);
        open_sample(&s[i], NULL, TEXTS[i], same);
        ck_assert_msg(strcmp(s[i].identity, s[0].identity) == 0, "%s and %s", s[i].what, s[0].what);
        expect_taken(&s[i], s[0].image, s[0].what);
        expect_taken(&s[0], s[i].image, s[i].what);
    }
    for (int i = 0; i < SIZES; i++) {
        close_sample(&s[i]);
    }
}
END_TEST

/* What lies behind a shorter image of another form is no part of it: the form is what is wrong. */
START_TEST(shorter_images)
{
    sample little, large;
    open_sample(&little, NULL, LAYER(6), NULL);
    open_sample(&large, NULL, "conv2d(dtype=int8, fm_shape=[1,6,8,32], kernel_shape=[1,3,3,96,32], pad=[1,1,1,1])",
                NULL);
    ck_assert_uint_lt(little.bytes, large.bytes);
    unsigned char *block = aligned_block(little.bytes + (size_t)large.operand[0].bytes);
    void *pointer[AIC_OPERANDS_MAX];
    memcpy(block, little.image, little.bytes);
    memcpy(pointer, large.pointer, sizeof pointer);
    pointer[0] = block + little.bytes;
    pointer[WEIGHT] = block;
    ck_assert_int_eq(aic_kernel_call_packed(large.kernel, pointer, large.count), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), "weight: was packed in the form") != NULL, "%s", aic_last_error());
    memcpy(block, large.image, AIC_HEAD_BYTES);
    ck_assert_int_eq(aic_kernel_call_packed(large.kernel, pointer, large.count), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), "weight: overlaps dst") != NULL, "%s", aic_last_error());
    free(block);
    close_sample(&little);
    close_sample(&large);
}
END_TEST

/* A kernel that comes from the disk reads what the one that was compiled has packed, and the other way round. */
START_TEST(kernels_from_the_disk)
{
    sample made, loaded;
    aic_kernel_info info = aic_kernel_info_init();
    aic_context *first = disk_context("rw"), *second;
    open_sample(&made, first, LAYER(7), NULL);
    second = disk_context("rw");
    open_sample(&loaded, second, LAYER(7), NULL);
    ck_assert_int_eq(aic_kernel_get_info(loaded.kernel, &info), AIC_OK);
    ck_assert(info.loaded);
    ck_assert_str_eq(made.identity, loaded.identity);
    expect_taken(&loaded, made.image, made.what);
    expect_taken(&made, loaded.image, loaded.what);
    close_sample(&made);
    close_sample(&loaded);
    aic_context_destroy(first);
    aic_context_destroy(second);
}
END_TEST

/* Programs store images and their names: a form has the same name in every process and build. */
START_TEST(names_of_forms)
{
    static const int64_t NUMBERS[] = {1, -2, INT64_MAX};
    aic_packing pack = {.operand = 2, .bytes = 640};
    aic_packed_head head;
    char text[AIC_FORM_TEXT], other[AIC_FORM_TEXT];
    aic_packed_form(NUMBERS, 3, pack.form);
    aic_packed_head_make(&pack, &head);
    aic_packed_text(&head, text);
    ck_assert_str_eq(text, "96ac9516bfbd51e3d259c7c9599d56f1e128702e396f23224b4b6d7e9a2bf6e8");
    aic_packed_form(NUMBERS, 2, pack.form);
    aic_packed_head_make(&pack, &head);
    aic_packed_text(&head, other);
    for (int i = 0; i < AIC_FORM_WORDS; i++) {
        ck_assert(memcmp(text + (ptrdiff_t)16 * i, other + (ptrdiff_t)16 * i, 16) != 0);
    }
    ck_assert(memcmp(&head, "AICPACK1", 8) == 0);
}
END_TEST

/* ---- what packs for other targets ---- */

typedef struct packer_case {
    aic_problem problem;
    const char *schedule;
    aic_packer packer;
} packer_case;

static aic_status make_packer(void *argument)
{
    packer_case *c = argument;
    return aic_generator()->packer(&c->problem, c->schedule, &c->packer);
}

/* The image that the packer of the sample's kernel makes is the kernel's own. */
static void check_packer(const sample *s, aic_context *context, const char *text)
{
    aic_kernel_info info = aic_kernel_info_init();
    aic_spec spec, canonical;
    aic_code_memory memory;
    ck_assert_int_eq(aic_kernel_get_info(s->kernel, &info), AIC_OK);
    ck_assert_int_eq(aic_spec_read(text, &spec), AIC_OK);
    ck_assert_int_eq(aic_spec_resolve_kernel(&spec, &context->semantics, &canonical), AIC_OK);
    packer_case c = {.problem = aic_context_problem(context, &canonical, context->target), .schedule = info.schedule};
    ck_assert_msg(aic_worker_run(make_packer, &c) == AIC_OK, "%s: %s", s->what, aic_last_error());
    ck_assert_uint_eq(c.packer.packing.operand, WEIGHT);
    ck_assert_uint_eq((uint64_t)c.packer.packing.bytes, s->bytes);
    ck_assert_int_eq(aic_code_memory_place(&c.packer.image, &memory), AIC_OK);
    unsigned char *image = aligned_block(s->bytes);
    memset(image, 0xA5, s->bytes);
    void (*const pack)(void *, const void *) =
        (void (*)(void *, const void *))(uintptr_t)(memory.base + c.packer.image.function[AIC_FUNCTION_ENTRY]);
    pack(image, s->pointer[WEIGHT]);
    ck_assert_msg(memcmp(image, s->image, s->bytes) == 0, "%s: its packer packs otherwise", s->what);
    free(image);
    aic_code_memory_release(&memory);
    aic_image_free(&c.packer.image);
}

/* At every level, by code that any processor of the architecture runs. */
START_TEST(packers_of_other_targets)
{
    static const char *const TEXTS[] = {
        LAYER(6),
        "conv2d(dtype=int8, fm_shape=[2,7,5,32], kernel_shape=[2,3,3,48,32])",
        "conv2d(dtype=int8, fm_shape=[2,9,9,32], kernel_shape=[1,3,3,64,1], groups=64)",
        "conv2d(dtype=float16, fm_shape=[2,7,5,16], kernel_shape=[2,1,1,32,16])",
        "conv2d(dtype=float16, fm_shape=[2,7,5,16], kernel_shape=[2,3,3,32,16], accumulate=fast)",
        "conv2d(dtype=float16, fm_shape=[2,8,8,16], kernel_shape=[2,3,3,32,16], accumulate=winograd)",
        "mmad(dtype=int8, m=7, k=43, n=37)",
        "mmad(dtype=float32, m=7, k=21, n=37)",
        "mmad(dtype=bfloat16, m=7, k=21, n=37)",
    };
    for (int level = 0; level < levels_count(); level++) {
        aic_context *context = levels_context(level, 1);
        for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
            sample s;
            open_sample(&s, context, TEXTS[i], NULL);
            check_packer(&s, context, TEXTS[i]);
            close_sample(&s);
        }
        aic_context_destroy(context);
    }
}
END_TEST

/* Functions that check nothing have a function that does. */
START_TEST(wrong_requests)
{
    sample s;
    char text[IDENTITY];
    open_sample(&s, NULL, LAYER(6), NULL);
    ck_assert_int_eq(aic_kernel_check_packed(s.kernel, 1, s.image), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_last_error(), "conv2d: operand 1 is not packed by this kernel");
    ck_assert_int_eq(aic_kernel_check_packed(s.kernel, WEIGHT, s.image + 8), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_packed_identity(s.pointer[WEIGHT], text), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_last_error(), "packed: is no packed image of this version of the library");
    close_sample(&s);
}
END_TEST

/* Whether the system may put a large page where this is. */
static bool may_be_large(const void *address)
{
    FILE *file = fopen("/proc/self/smaps", "r");
    char line[4 * LINE];
    bool here = false, large = false;
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file) != NULL) {
        uintptr_t first, end;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &first, &end) == 2) {
            here = first <= (uintptr_t)address && (uintptr_t)address < end;
        } else if (here && strncmp(line, "VmFlags:", 8) == 0) {
            large = strstr(line, " hg") != NULL;
        }
    }
    (void)fclose(file);
    return large;
}

/* Images of megabytes may be moved to large pages, where the system has them, and nothing beside them. */
START_TEST(images_on_large_pages)
{
    enum { LARGE = 2 << 20, BEFORE = 64 };
    sample s;
    open_sample(&s, NULL, "conv2d(dtype=int8, fm_shape=[64,2,2,32], kernel_shape=[64,1,1,2048,32])", NULL);
    const size_t bytes = s.bytes + 3 * (size_t)LARGE;
    char *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(block, MAP_FAILED);
    const bool any = madvise(block, LARGE, MADV_HUGEPAGE) == 0;
    ck_assert(!any || madvise(block, LARGE, MADV_NOHUGEPAGE) == 0);
    char *first = block + -(uintptr_t)block % LARGE, *end = first + (BEFORE + s.bytes) / LARGE * LARGE;
    ck_assert(end > first + LARGE);
    memset(first + BEFORE, 0xA5, s.bytes);
    errno = ENOENT;
    ck_assert_int_eq(aic_kernel_pack(s.kernel, WEIGHT, first + BEFORE, s.pointer[WEIGHT]), AIC_OK);
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_int_eq(memcmp(first + BEFORE, s.image, s.bytes), 0);
    ck_assert(!may_be_large(first + LARGE - 1));
    ck_assert(may_be_large(first + LARGE) == any);
    ck_assert(may_be_large(end - 1) == any);
    ck_assert(!may_be_large(end));
    ck_assert_int_eq(munmap(block, bytes), 0);
    close_sample(&s);
}
END_TEST

Suite *suite_packed(void)
{
    Suite *suite = suite_create("packed");
    TCase *tcase = tcase_create("packed"), *disk = tcase_create("disk");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, images_are_told_apart);
    tcase_add_test(tcase, damaged_heads);
    tcase_add_test(tcase, shorter_images);
    tcase_add_test(tcase, one_image_for_all_sizes);
    tcase_add_test(tcase, names_of_forms);
    tcase_add_test(tcase, packers_of_other_targets);
    tcase_add_test(tcase, wrong_requests);
    tcase_add_test(tcase, images_on_large_pages);
    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(disk, disk_open, disk_close);
    tcase_add_test(disk, kernels_from_the_disk);
    suite_add_tcase(suite, disk);
    return suite;
}
