/* Calls with several images: the bits of as many calls, whoever does which image; what is refused. */
#include "frontend/core/stage.h"
#include "runtime/call/batch.h"
#include "runtime/threads/pool.h"
#include "tests/levels.h"
#include "tests/machines.h"
#include "tests/specs.h"
#include "tools/harness/verify.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_batch(void);

static int64_t share_least;

/* Contexts that are made from now on share kernels however small they are, or none of them. */
static void share_from(int64_t cost)
{
    share_least = cost;
    aic_pool_suppose(AIC_POOL_ALWAYS);
    unsetenv("AIC_NUM_THREADS");
}

static void as_usual(void)
{
    aic_pool_suppose(AIC_POOL_USUAL);
}

static aic_context *context_with(int threads, const char *isa, aic_parallel_for parallel_for, void *user)
{
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    options.threads = threads;
    options.isa = isa;
    options.parallel_for = parallel_for;
    options.parallel_for_data = user;
    ck_assert_msg(aic_context_create(&options, &context) == AIC_OK, "%s", aic_last_error());
    machine_share_from(context, share_least);
    return context;
}

static aic_kernel *kernel_of(aic_context *context, const aic_spec *spec)
{
    aic_kernel *kernel;
    ck_assert_msg(aic_kernel_create(context, spec, NULL, &kernel) == AIC_OK, "%s", aic_last_error());
    return kernel;
}

/* ---- images ---- */

enum { IMAGES_MAX = 8, GAP = 192, UNTOUCHED = 0xA5 };

/* The operands of several images in one block each, a gap between them. */
typedef struct images {
    aic_spec spec;
    size_t count, bytes[AIC_OPERANDS_MAX];
    void *operand[AIC_OPERANDS_MAX];
    size_t stride[AIC_OPERANDS_MAX];
    unsigned char *expected; /* outputs of calls one by one */
    void *packed[AIC_OPERANDS_MAX];
} images;

static void open_images(images *m, const char *text)
{
    *m = (images){.spec = spec_of(text)};
    const aic_semantics semantics = aic_semantics_init();
    for (uint64_t k = 0; k < IMAGES_MAX; k++) {
        verify_case c;
        verify_report report;
        ck_assert_msg(verify_open(&c, &m->spec, &semantics, 11 + k, &report) == VERIFY_PASSED, "%s", report.text);
        ck_assert_uint_eq(c.output, 0);
        for (size_t i = 0; k == 0 && i < c.count; i++) {
            m->count = c.count;
            m->bytes[i] = c.content[i].size;
            m->stride[i] = (m->bytes[i] + GAP) / 64 * 64;
            m->operand[i] = aligned_alloc(64, m->stride[i] * IMAGES_MAX);
            ck_assert_ptr_nonnull(m->operand[i]);
            memset(m->operand[i], UNTOUCHED, m->stride[i] * IMAGES_MAX);
        }
        for (size_t i = 0; i < c.count; i++) {
            memcpy((char *)m->operand[i] + k * m->stride[i], c.content[i].data, m->bytes[i]);
        }
        verify_close(&c);
    }
}

static void close_images(images *m)
{
    for (size_t i = 0; i < m->count; i++) {
        free(m->operand[i]);
        free(m->packed[i]);
    }
    free(m->expected);
}

/* A copy of all outputs as they are before a call. */
static unsigned char *old_outputs(const images *m)
{
    unsigned char *copy = aligned_alloc(64, m->stride[0] * IMAGES_MAX);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, m->operand[0], m->stride[0] * IMAGES_MAX);
    return copy;
}

/* The expected outputs: calls one after the other by a kernel of one thread. shared: a bit for each operand that all
 * images have. */
static void expect_by(images *m, const aic_kernel *alone, unsigned shared)
{
    free(m->expected);
    m->expected = old_outputs(m);
    for (size_t k = 0; k < IMAGES_MAX; k++) {
        void *operands[AIC_OPERANDS_MAX] = {m->expected + k * m->stride[0]};
        for (size_t i = 1; i < m->count; i++) {
            operands[i] = (char *)m->operand[i] + ((shared >> i & 1) != 0 ? 0 : k * m->stride[i]);
        }
        ck_assert_msg(aic_kernel_call(alone, operands, m->count) == AIC_OK, "%s", aic_last_error());
    }
}

static void expect(images *m, const char *isa, unsigned shared)
{
    aic_context *alone = context_with(1, isa, NULL, NULL);
    aic_kernel *kernel = kernel_of(alone, &m->spec);
    expect_by(m, kernel, shared);
    aic_kernel_destroy(kernel);
    aic_context_destroy(alone);
}

/* Puts packed images in the place of the packable operand's. */
static void pack(images *m, const aic_kernel *kernel, void *operands[], size_t strides[])
{
    for (size_t i = 1; i < m->count; i++) {
        size_t bytes = 0;
        const aic_status status = aic_kernel_packed_size(kernel, i, &bytes);
        ck_assert(status == AIC_OK || status == AIC_UNSUPPORTED);
        if (status != AIC_OK) {
            continue;
        }
        free(m->packed[i]);
        m->packed[i] = aligned_alloc(64, (bytes + 64) * IMAGES_MAX);
        ck_assert_ptr_nonnull(m->packed[i]);
        for (size_t k = 0; k < IMAGES_MAX; k++) {
            ck_assert_int_eq(aic_kernel_pack(kernel, i, (char *)m->packed[i] + k * (bytes + 64),
                                             (char *)m->operand[i] + k * m->stride[i]),
                             AIC_OK);
        }
        operands[i] = m->packed[i];
        strides[i] = strides[i] == 0 ? 0 : bytes + 64;
    }
}

/* Runs n images and compares them, and that the others and the gaps are as they were. */
static void check_batch(images *m, const aic_kernel *kernel, unsigned shared, bool packed, size_t n)
{
    void *operands[AIC_OPERANDS_MAX];
    size_t strides[AIC_OPERANDS_MAX];
    unsigned char *old = old_outputs(m), *output = old_outputs(m);
    memcpy(operands, m->operand, sizeof operands);
    operands[0] = output;
    for (size_t i = 0; i < m->count; i++) {
        strides[i] = (shared >> i & 1) != 0 ? 0 : m->stride[i];
    }
    if (packed) {
        pack(m, kernel, operands, strides);
    }
    aic_status status = (packed ? aic_kernel_call_batch_packed : aic_kernel_call_batch)(kernel, operands, strides, n);
    ck_assert_msg(status == AIC_OK, "%s", aic_last_error());
    for (size_t k = 0; k < IMAGES_MAX; k++) {
        const unsigned char *want = k < n ? m->expected : old;
        ck_assert_msg(memcmp(output + k * m->stride[0], want + k * m->stride[0], m->stride[0]) == 0,
                      "image %zu of %zu, shared %x, packed %d", k, n, shared, packed);
    }
    free(output);
    free(old);
}

static const char *const ROWS[] = {
    "conv2d(dtype=int8, fm_shape=[2,14,14,32], kernel_shape=[2,3,3,64,32], pad=[1,1,1,1])",
    "conv2d(dtype=float16, fm_shape=[2,9,7,16], kernel_shape=[2,3,3,32,16], init_l1out=false)",
    ("conv2d(dtype=int8, fm_shape=[2,15,13,32], kernel_shape=[2,1,1,64,32])"
     " | fixpipe(src=int32, dst=int8, format=NZ, quantPre=VREQ8, reluEn=true)"),
    "mmad(dtype=float16, m=96, k=64, n=48, accumulate=fast)",
    /* More than four operands, which another function calls. */
    ("conv2d(dtype=int8, fm_shape=[1,9,7,32], kernel_shape=[1,3,3,32,32], init_l1out=false, l1out=channel)"
     " | tensor_arithmetic(op=BM_MAX) | fixpipe(src=int32, dst=int8, format=NZ, quantPre=VREQ8)"),
    "fixpipe(src=int32, dst=float16, nSize=48, mSize=70, srcStride=80, dstStride=48, quantPre=VDEQF16)",
    "transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[1,37,8,8])",
    "tensor_arithmetic(op=BM_ADD, shape=[1,1,3,1003])",
    "texpands(dtype=float32, rows=64, cols=40, v_row=61, v_col=33)",
};

enum { ROWS_COUNT = sizeof ROWS / sizeof ROWS[0] };

static const int THREADS[] = {1, 2, 3, 7};
static const size_t NUMBERS[] = {1, 2, 3, 5, 8};
enum { THREADS_COUNT = sizeof THREADS / sizeof THREADS[0], NUMBERS_COUNT = sizeof NUMBERS / sizeof NUMBERS[0] };

/* Every number of images and of threads, operands of each image or of all, plain and packed. */
static void check_numbers(images *m, int64_t share_cost)
{
    aic_context *context[THREADS_COUNT];
    aic_kernel *kernel[THREADS_COUNT]; /* the first is of one thread */
    share_from(share_cost);
    for (size_t t = 0; t < THREADS_COUNT; t++) {
        context[t] = context_with(THREADS[t], NULL, NULL, NULL);
        kernel[t] = kernel_of(context[t], &m->spec);
    }
    for (unsigned shared = 0; shared < 1U << m->count; shared += 2) {
        expect_by(m, kernel[0], shared);
        for (size_t i = 0; i < THREADS_COUNT * NUMBERS_COUNT; i++) {
            check_batch(m, kernel[i / NUMBERS_COUNT], shared, false, NUMBERS[i % NUMBERS_COUNT]);
            check_batch(m, kernel[i / NUMBERS_COUNT], shared, true, NUMBERS[i % NUMBERS_COUNT]);
        }
    }
    for (size_t t = 0; t < THREADS_COUNT; t++) {
        aic_kernel_destroy(kernel[t]);
        aic_context_destroy(context[t]);
    }
}

START_TEST(equal_bits)
{
    images m;
    open_images(&m, ROWS[_i]);
    check_numbers(&m, 0);         /* calls are shared */
    check_numbers(&m, INT64_MAX); /* neither calls nor images are */
    close_images(&m);
}
END_TEST

START_TEST(levels)
{
    images m;
    share_from(0);
    open_images(&m, ROWS[_i % 4]); /* contractions */
    const char *isa = levels_name(_i / 4);
    expect(&m, isa, 1U << 2);
    aic_context *context = context_with(2, isa, NULL, NULL);
    aic_kernel *kernel = kernel_of(context, &m.spec);
    check_batch(&m, kernel, 1U << 2, false, 5);
    check_batch(&m, kernel, 1U << 2, true, 5);
    aic_kernel_destroy(kernel);
    aic_context_destroy(context);
    close_images(&m);
}
END_TEST

/* ---- which thread does what ---- */

enum { LOOP_THREADS = 3, CALLS_MAX = 64 };

/* A parallel loop on the calling thread, which notes how many items it was given. */
typedef struct loop {
    int calls;
    int64_t items[CALLS_MAX];
    int64_t skip; /* items that it leaves out */
} loop;

static void noting(void *user, int64_t items, int workers, aic_parallel_body body, void *data)
{
    loop *l = user;
    ck_assert_int_lt(l->calls, CALLS_MAX);
    l->items[l->calls++] = items;
    body(data, 0, items / 2, workers - 1);
    body(data, items / 2, items - l->skip, 0);
}

static const struct {
    const char *text;
    int64_t share_cost; /* of a batch */
    bool shares;        /* its calls, too; what they cost depends on the level */
    size_t images;
    int64_t items; /* of the first loop; 0: there is none */
} plans[] = {
    /* Calls with little to do: images only, when they are worth it together. */
    {"tensor_arithmetic(op=BM_ADD, shape=[1,1,3,1003])", 2000, false, 7, 7},
    {"tensor_arithmetic(op=BM_ADD, shape=[1,1,3,1003])", 2000, false, 2, 2},
    {"tensor_arithmetic(op=BM_ADD, shape=[1,1,3,1003])", 1 << 20, false, 7, 0},
    /* Calls that are shared themselves: whole rounds of images, what is left inside the calls. */
    {"tensor_arithmetic(op=BM_ADD, shape=[1,1,8,50003])", 1 << 15, true, 7, 6},
    {"tensor_arithmetic(op=BM_ADD, shape=[1,1,8,50003])", 1 << 15, true, 6, 6},
    {"tensor_arithmetic(op=BM_ADD, shape=[1,1,8,50003])", 1 << 15, true, 2, 8},
};

START_TEST(division)
{
    images m;
    loop l = {.calls = 0};
    share_from(plans[_i].shares ? 0 : INT64_C(1) << 40);
    open_images(&m, plans[_i].text);
    expect(&m, NULL, 0);
    aic_context *context = context_with(LOOP_THREADS, NULL, noting, &l);
    aic_kernel *kernel = kernel_of(context, &m.spec);
    machine_share_from(context, plans[_i].share_cost);
    check_batch(&m, kernel, 0, false, plans[_i].images);
    ck_assert_int_eq(l.calls > 0, plans[_i].items > 0);
    /* How many items the phase of one call has is the generator's choice: more than there are images. */
    if (plans[_i].images < LOOP_THREADS && plans[_i].shares) {
        ck_assert_int_ge(l.items[0], plans[_i].items);
        ck_assert_int_eq(l.calls, (int)plans[_i].images);
    } else if (plans[_i].items > 0) {
        ck_assert_int_eq(l.items[0], plans[_i].items);
        ck_assert_int_eq(l.calls, plans[_i].images % LOOP_THREADS == 0 || plans[_i].items % LOOP_THREADS != 0 ? 1 : 2);
    }
    aic_kernel_destroy(kernel);
    aic_context_destroy(context);
    close_images(&m);
}
END_TEST

START_TEST(wrong_loop)
{
    images m;
    loop l = {.skip = 1};
    share_from(0);
    open_images(&m, "tensor_arithmetic(op=BM_ADD, shape=[1,1,3,1003])");
    aic_context *context = context_with(LOOP_THREADS, NULL, noting, &l);
    aic_kernel *kernel = kernel_of(context, &m.spec);
    ck_assert_int_eq(aic_kernel_call_batch(kernel, m.operand, m.stride, 6), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(
        aic_last_error(),
        "tensor_arithmetic: parallel_for: did not do each of the items 0..5 once: it left some out, or did them twice");
    aic_kernel_destroy(kernel);
    aic_context_destroy(context);
    close_images(&m);
}
END_TEST

/* ---- what is refused ---- */

#define SMALL "mmad(dtype=int8, m=4, n=4, k=64)" /* c: 64 bytes, a and b: 256 */
#define DEQUANTISE                                                                                                     \
    "mmad(dtype=int8, m=4, n=4, k=64) | fixpipe(src=int32, dst=int8, quantPre=VREQ8)" /* dst 16 bytes, words 32 */

/* The operands of SMALL are at these offsets of one block. */
static const struct {
    size_t offset[3], stride[3], images;
    bool packed;
    const char *message; /* NULL: accepted */
} strided[] = {
    {{0, 4096, 8192}, {64, 256, 0}, 4, false, NULL},
    {{0, 4096, 8192}, {64, 256, 0}, 0, false, NULL},
    {{0, 64, 320}, {576, 576, 576}, 8, false, NULL}, /* image by image, no gap */
    {{512, 0, 256}, {576, 576, 576}, 8, false, NULL},
    {{0, 4096, 4352}, {64, 512, 512}, 8, false, NULL},
    {{0, 4096, 8192}, {60, 256, 0}, 2, false, "mmad: c: stride 60 is less than the 64 bytes of an image"},
    {{0, 4096, 8192}, {0, 256, 0}, 2, false, "mmad: c: stride 0 is less than the 64 bytes of an image"},
    {{0, 4096, 8192}, {0, 256, 0}, 1, false, NULL}, /* of one image strides do not count */
    {{0, 4096, 8192}, {66, 256, 0}, 2, false, "mmad: c: stride 66 is not a multiple of 4"},
    {{0, 4096, 8192},
     {64, SIZE_MAX, 0},
     2,
     false,
     "mmad: a: 2 images of stride 18446744073709551615 leave the address space"},
    {{0, 4096, 8192},
     {64, SIZE_MAX / 2, 0},
     3,
     false,
     "mmad: a: 3 images of stride 9223372036854775807 leave the address space"},
    {{0, 4096, 8192},
     {64, SIZE_MAX / 2, 0},
     4,
     false,
     "mmad: a: 4 images of stride 9223372036854775807 leave the address space"},
    {{0, 4096, 8192},
     {64, SIZE_MAX - 15, 0},
     2,
     false,
     "mmad: a: 2 images of stride 18446744073709551600 leave the address space"},
    {{0, 4096, 8192},
     {64, SIZE_MAX - 511, 0},
     2,
     false,
     "mmad: a: 2 images of stride 18446744073709551104 leave the address space"},
    {{0, 8192, 64}, {1024, 256, 0}, 8, false, NULL}, /* between two images */
    {{0, 128, 8192}, {64, 256, 0}, 8, false, "mmad: c: that of image 2 overlaps a of image 0"},
    {{4032, 8192, 4096}, {64, 256, 0}, 2, false, "mmad: image 1: b: overlaps c"},
    {{64, 576, 8192}, {640, 1216, 0}, 8, false, "mmad: c: that of image 1 overlaps a of image 0"},
    {{8192, 0, 16384}, {64, 512, 0}, 17, false, "mmad: c: that of image 0 overlaps a of image 16"},
    {{8192, 0, 16384}, {64, 512, 0}, 16, false, NULL},
    {{32, 0, 8192}, {64, 256, 0}, 2, false, "mmad: a: overlaps c"},
};

START_TEST(addresses)
{
    static _Alignas(64) char memory[1 << 15];
    const aic_spec spec = spec_of(SMALL);
    aic_kernel *kernel = kernel_of(NULL, &spec);
    void *operands[3];
    memset(memory, UNTOUCHED, sizeof memory);
    for (int i = 0; i < 3; i++) {
        operands[i] = memory + strided[_i].offset[i];
    }
    const aic_status status = aic_kernel_call_batch(kernel, operands, strided[_i].stride, strided[_i].images);
    if (strided[_i].message == NULL) {
        ck_assert_msg(status == AIC_OK, "%s", aic_last_error());
    } else {
        ck_assert_int_eq(status, AIC_INVALID_ARGUMENT);
        check_error(strided[_i].message);
        for (size_t i = 0; i < sizeof memory; i++) {
            ck_assert_int_eq((unsigned char)memory[i], UNTOUCHED);
        }
    }
    aic_kernel_destroy(kernel);
}
END_TEST

/* The least output may be in the place of an input of the same image, not of another. */
START_TEST(in_place)
{
    static uint32_t words[3][4 * 16];
    const aic_spec spec = spec_of("tensor_arithmetic(op=BM_ADD, shape=[1,1,4,4])");
    const size_t bytes = 64;
    aic_kernel *kernel = kernel_of(NULL, &spec);
    void *operands[] = {words[0], words[0], words[1]};
    ck_assert_msg(aic_kernel_call_batch(kernel, operands, (size_t[]){bytes, bytes, bytes}, 4) == AIC_OK, "%s",
                  aic_last_error());
    ck_assert_int_eq(aic_kernel_call_batch(kernel, operands, (size_t[]){bytes, 0, bytes}, 4), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_last_error(), "tensor_arithmetic: output: that of image 0 overlaps input0 of image 1");
    operands[1] = words[0] + 16;
    ck_assert_int_eq(aic_kernel_call_batch(kernel, operands, (size_t[]){bytes, bytes, bytes}, 2), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_last_error(), "tensor_arithmetic: output: that of image 1 overlaps input0 of image 0");
    aic_kernel_destroy(kernel);
}
END_TEST

static void keep_line(void *data, int level, const char *line)
{
    (void)level;
    (void)snprintf(data, 512, "%s", line);
}

/* The line of a batch says in which form it was given its operands. */
START_TEST(lines)
{
    static char line[512];
    images m;
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    options.verbose = AIC_VERBOSE_EXEC;
    options.log = keep_line;
    options.log_data = line;
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    open_images(&m, ROWS[0]);
    expect(&m, NULL, 0);
    aic_kernel *kernel = kernel_of(context, &m.spec);
    for (int packed = 0; packed < 2; packed++) {
        line[0] = '\0';
        check_batch(&m, kernel, 0, packed == 1, 3);
        ck_assert_msg(strstr(line, packed == 1 ? "packed" : "plain") != NULL, "%s", line);
    }
    aic_kernel_destroy(kernel);
    aic_context_destroy(context);
    close_images(&m);
}
END_TEST

/* Operands that are not taken share memory with nothing, whatever the others do. */
START_TEST(not_taken)
{
    static _Alignas(64) uint32_t words[3][16] = {{1}, {2}, {3}};
    const aic_spec spec = spec_of("tensor_arithmetic(op=BM_CPY, shape=[1,1,4,4])");
    const size_t strides[] = {64, 64, 0}, bytes[] = {64, 64, 0};
    aic_kernel *kernel = kernel_of(NULL, &spec);
    void *operands[] = {words, words, NULL}; /* in place: every image is looked at */
    ck_assert_msg(aic_kernel_call_batch(kernel, operands, strides, 3) == AIC_OK, "%s", aic_last_error());
    ck_assert(words[0][0] == 1 && words[1][0] == 2 && words[2][0] == 3);
    ck_assert_msg(aic_kernel_call_sized(kernel, operands, bytes, 3) == AIC_OK, "%s", aic_last_error());
    operands[2] = words;
    ck_assert_int_eq(aic_kernel_call_batch(kernel, operands, strides, 3), AIC_INVALID_ARGUMENT);
    aic_kernel_destroy(kernel);
    static const float scalar = 3;
    static const int32_t rows = 4;
    const aic_spec tile = spec_of("texpands(dtype=float32, rows=4, cols=8, v_row=dyn)");
    void *given[] = {words, (void *)(uintptr_t)&scalar, (void *)(uintptr_t)&rows, NULL};
    const size_t sizes[] = {128, 4, 4, 0};
    kernel = kernel_of(NULL, &tile);
    ck_assert_msg(aic_kernel_call_sized(kernel, given, sizes, 4) == AIC_OK, "%s", aic_last_error());
    aic_kernel_destroy(kernel);
}
END_TEST

/* Nor do operands of no bytes, wherever they are. */
START_TEST(nothing_to_do)
{
    static _Alignas(64) char memory[8 * 64];
    const aic_spec spec = spec_of("load_data(dtype=int8, repeatTimes=0)");
    const size_t strides[] = {64, 64};
    aic_kernel *kernel = kernel_of(NULL, &spec);
    void *operands[] = {memory, memory + 128};
    ck_assert_msg(aic_kernel_call_batch(kernel, operands, strides, 5) == AIC_OK, "%s", aic_last_error());
    aic_kernel_destroy(kernel);
}
END_TEST

#ifndef AIC_SANITIZED /* sanitizers end the process for such sizes */

static void alone(void *user, int64_t items, int workers, aic_parallel_body body, void *data)
{
    (void)user;
    (void)workers;
    body(data, 0, items, 0);
}

/* Scratch memory of more bytes than there are numbers for several workers, with or without an image that is packed for
 * all, and of more than there is for one. */
START_TEST(sizes_that_no_memory_has)
{
    enum { WORKERS = 4 };
    static const struct {
        int64_t shared, private, pack;
    } rows[] = {{0, INT64_MAX / 2, 0},
                {INT64_MAX / 2, INT64_MAX / 5, 0},
                {INT64_MAX / 8, 0, INT64_MAX / 2},
                {INT64_MAX / 5, 0, INT64_MAX / 2}};
    static unsigned char memory[64];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        aic_code code = {.count = 1, .operand_count = 2, .passed_count = 2, .workers = WORKERS, .subject = "code"};
        code.requirements.shared_bytes = rows[i].shared;
        code.requirements.private_bytes = rows[i].private;
        code.requirements.pack.bytes = rows[i].pack;
        code.requirements.pack.operand = rows[i].pack > 0;
        code.share = (aic_share){.threads = WORKERS, .parallel_for = alone};
        code.argument[AIC_PLAIN][0] = (aic_argument){.name = "x", .least = 1, .bytes = 1};
        code.argument[AIC_PLAIN][1] = (aic_argument){.name = "y", .least = 1, .bytes = 1};
        const void *address[] = {memory, memory + 32};
        const size_t stride[] = {1, 0};
        ck_assert_int_eq(aic_batch_call(&code, AIC_PLAIN, &(aic_images){address, stride, 8}), AIC_OUT_OF_MEMORY);
        ck_assert_int_eq(aic_share_call(&code, AIC_PLAIN, address), AIC_OUT_OF_MEMORY);
    }
}
END_TEST

#endif

/* Data of every image are checked before the first is written. */
START_TEST(data)
{
    enum { N = 3 };
    static _Alignas(64) int8_t dst[N * 64], a[256], b[256];
    static uint64_t words[N][4];
    const aic_spec spec = spec_of(DEQUANTISE);
    aic_kernel *kernel = kernel_of(NULL, &spec);
    void *operands[] = {dst, a, b, words};
    const size_t strides[] = {64, 0, 0, sizeof words[0]};
    for (int i = 0; i < N * 4; i++) {
        words[i / 4][i % 4] = 0x3F800000;
    }
    words[2][1] = 0x7F800000; /* infinite */
    memset(dst, UNTOUCHED, sizeof dst);
    ck_assert_int_eq(aic_kernel_call_batch(kernel, operands, strides, N), AIC_INVALID_ARGUMENT);
    check_error("mmad | fixpipe: image 2: fixpipe: cbufWorkspace: the scale of column 1, "
                "0x7f800000, is infinite, not a normal float32 or zero");
    for (size_t i = 0; i < sizeof dst; i++) {
        ck_assert_int_eq((unsigned char)dst[i], UNTOUCHED);
    }
    words[2][1] = words[0][1];
    ck_assert_msg(aic_kernel_call_batch(kernel, operands, strides, N) == AIC_OK, "%s", aic_last_error());
    aic_kernel_destroy(kernel);
}
END_TEST

Suite *suite_batch(void)
{
    Suite *suite = suite_create("batch");
    TCase *cases = tcase_create("batch");
    tcase_set_timeout(cases, 240);
    tcase_add_checked_fixture(cases, NULL, as_usual);
    tcase_add_loop_test(cases, equal_bits, 0, ROWS_COUNT);
    tcase_add_loop_test(cases, levels, 0, 4 * levels_count());
    tcase_add_loop_test(cases, division, 0, sizeof plans / sizeof plans[0]);
    tcase_add_test(cases, wrong_loop);
    tcase_add_loop_test(cases, addresses, 0, sizeof strided / sizeof strided[0]);
    tcase_add_test(cases, in_place);
    tcase_add_test(cases, data);
    tcase_add_test(cases, lines);
    tcase_add_test(cases, not_taken);
    tcase_add_test(cases, nothing_to_do);
#ifndef AIC_SANITIZED
    tcase_add_test(cases, sizes_that_no_memory_has);
#endif
    suite_add_tcase(suite, cases);
    return suite;
}
