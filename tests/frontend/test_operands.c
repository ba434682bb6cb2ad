/* Operands of a call that are not like conv2d's: optional ones, data with rules of their own, warnings, operands
 * without bytes, and those of fused chains. What chains compute is in test_fused.c. */
#include "frontend/core/spec.h"
#include "frontend/core/stage.h"
#include "tests/specs.h"

#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_operands(void);

#define DEQ                                                                                                            \
    "fixpipe(dst=float16, src=int32, nSize=5, mSize=3, srcStride=16, dstStride=5, quantPre=DEQF16, "                   \
    "deqScalar=0x3F800000)"
#define VDEQ "fixpipe(dst=float16, src=int32, nSize=5, mSize=3, srcStride=16, dstStride=5, quantPre=VDEQF16)"
#define NOTHING "fixpipe(dst=int32, src=int32, nSize=5, mSize=3, srcStride=16, dstStride=5, ndNum=0)"
#define CHAIN "mmad(dtype=int8, m=3, n=5, k=7) | fixpipe(dst=float16, src=int32, quantPre=VDEQF16)"

enum { BLOCK = 4096, UNTOUCHED = 0x5A };

/* A block of memory an operand, the first one's bytes known. */
typedef struct blocks {
    _Alignas(64) unsigned char byte[AIC_OPERANDS_MAX][BLOCK];
    void *pointer[AIC_OPERANDS_MAX];
} blocks;

static void reset(blocks *b)
{
    const uint64_t one = 0x3F800000; /* as a quantisation word: 1.0 */
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        for (size_t at = 0; at < BLOCK; at += sizeof one) {
            memcpy(b->byte[i] + at, &one, sizeof one);
        }
        b->pointer[i] = b->byte[i];
    }
    memset(b->byte[0], UNTOUCHED, BLOCK);
}

static void check_untouched(const blocks *b)
{
    for (size_t i = 0; i < BLOCK; i++) {
        ck_assert_uint_eq(b->byte[0][i], UNTOUCHED);
    }
}

/* ---- every way of calling that checks ---- */

enum { BY_SPEC, BY_KERNEL, BY_PACKED, BY_REFERENCE, WAYS };

/* A packed call with the image of the operand that has one, unless it is NULL. */
static aic_status call_packed(aic_kernel *kernel, const blocks *b, size_t count)
{
    void *pointer[AIC_OPERANDS_MAX], *image = NULL;
    memcpy(pointer, b->pointer, sizeof pointer);
    for (size_t i = 0; i < count && image == NULL; i++) {
        size_t bytes = 0;
        if (pointer[i] != NULL && aic_kernel_packed_size(kernel, i, &bytes) == AIC_OK && bytes > 0) {
            image = aligned_alloc(64, (bytes + 63) / 64 * 64);
            ck_assert_int_eq(aic_kernel_pack(kernel, i, image, pointer[i]), AIC_OK);
            pointer[i] = image;
        }
    }
    const aic_status status = aic_kernel_call_packed(kernel, pointer, count);
    free(image);
    return status;
}

static aic_status call(int way, const char *text, blocks *b, size_t count)
{
    const aic_spec spec = spec_of(text);
    aic_kernel *kernel = NULL;
    ck_assert_msg(aic_kernel_create(NULL, &spec, NULL, &kernel) == AIC_OK, "%s", aic_last_error());
    aic_status status = way == BY_SPEC     ? aic_jit_spec(NULL, &spec, b->pointer, count)
                        : way == BY_KERNEL ? aic_kernel_call(kernel, b->pointer, count)
                        : way == BY_PACKED ? call_packed(kernel, b, count)
                                           : aic_reference(&spec, NULL, b->pointer, count);
    aic_kernel_destroy(kernel);
    return status;
}

/* Refused with this message, nothing written. */
static void refuse(int way, const char *text, blocks *b, size_t count, const char *message)
{
    ck_assert_int_eq(call(way, text, b, count), AIC_INVALID_ARGUMENT);
    check_error(message);
    check_untouched(b);
    ck_assert_ptr_null(aic_take_warning());
}

START_TEST(an_optional_operand_is_null_or_needed)
{
    static blocks b;
    reset(&b);
    refuse(_i, DEQ, &b, 3, "fixpipe: cbufWorkspace: is given, but this descriptor takes none");
    b.pointer[2] = NULL;
    refuse(_i, VDEQ, &b, 3, "fixpipe: cbufWorkspace: is NULL");
    refuse(_i, CHAIN, &b, 4, "mmad | fixpipe: b: is NULL");
    ck_assert_int_eq(call(_i, DEQ, &b, 3), AIC_OK);
    reset(&b);
    ck_assert_int_eq(call(_i, VDEQ, &b, 3), AIC_OK);
}
END_TEST

START_TEST(data_are_judged_before_the_first_store)
{
    static const struct {
        uint64_t word;
        const char *message;
    } rows[] = {
        {0x7F800000, "fixpipe: cbufWorkspace: the scale of column 4, 0x7f800000, is infinite, not a normal float32 or "
                     "zero"},
        {0xFFFFFFFF, "fixpipe: cbufWorkspace: the scale of column 4, 0xffffffff, is NaN, not a normal float32 or zero"},
        {0x2000, "fixpipe: cbufWorkspace: the scale of column 4, 0x2000, is subnormal, not a normal float32 or zero"},
    };
    static blocks b;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        reset(&b);
        memcpy(b.byte[2] + 4 * sizeof rows[i].word, &rows[i].word, sizeof rows[i].word);
        refuse(_i, VDEQ, &b, 3, rows[i].message);
        reset(&b);
        memcpy(b.byte[3] + 4 * sizeof rows[i].word, &rows[i].word, sizeof rows[i].word);
        refuse(_i, CHAIN, &b, 4, rows[i].message);
        reset(&b);
        memcpy(b.byte[2] + 5 * sizeof rows[i].word, &rows[i].word, sizeof rows[i].word); /* past the last column */
        ck_assert_int_eq(call(_i, VDEQ, &b, 3), AIC_OK);
    }
}
END_TEST

START_TEST(operands_are_counted)
{
    static blocks b;
    reset(&b);
    for (size_t count = 0; count <= 6; count++) {
        if (count != 4) {
            char message[64];
            snprintf(message, sizeof message, "mmad | fixpipe: operands: %zu given, 4 needed", count);
            if (_i == BY_REFERENCE) {
                snprintf(message, sizeof message, "mmad | fixpipe: %zu operands given, 4 expected", count);
            }
            refuse(_i, CHAIN, &b, count, message);
        }
    }
    ck_assert_int_eq(call(_i, CHAIN, &b, 4), AIC_OK);
}
END_TEST

START_TEST(bad_specifications)
{
    static blocks b;
    reset(&b);
    aic_spec spec = spec_of(CHAIN);
    ck_assert_int_eq(aic_jit_spec(NULL, NULL, b.pointer, 4), AIC_INVALID_ARGUMENT);
    check_error("spec: is NULL");
    ck_assert_int_eq(aic_jit_spec(NULL, &spec, NULL, 4), AIC_INVALID_ARGUMENT);
    check_error("operands: is NULL");
    static const int32_t counts[] = {0, -1, AIC_STAGES_MAX + 1, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        spec.count = counts[i];
        ck_assert_int_eq(aic_jit_spec(NULL, &spec, b.pointer, 4), AIC_INVALID_ARGUMENT);
    }
    spec = spec_of(CHAIN);
    spec.stage[1].op = (aic_op)77;
    ck_assert_int_eq(aic_jit_spec(NULL, &spec, b.pointer, 4), AIC_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(aic_last_error(), "stage 2: operator 77 is outside 1.."));
    spec.stage[1] = spec.stage[0];
    ck_assert_int_eq(aic_jit_spec(NULL, &spec, b.pointer, 4), AIC_INVALID_ARGUMENT);
    check_error("mmad | mmad: these two operators cannot be fused: a chain begins with conv2d or mmad, goes on with "
                "tensor_arithmetic as often as needed, and may end with fixpipe or tik_fixpipe");
    check_untouched(&b);
}
END_TEST

/* ---- warnings ---- */

#define WARNING "fixpipe: ndNum: 0 matrices: nothing is read or written"

START_TEST(a_warning_is_taken_once)
{
    static blocks b;
    reset(&b);
    b.pointer[2] = NULL;
    ck_assert_ptr_null(aic_take_warning());
    for (int i = 0; i < 2; i++) { /* also of a cached call */
        ck_assert_int_eq(call(_i, NOTHING, &b, 3), AIC_OK);
        check_untouched(&b);
        ck_assert_str_eq(aic_take_warning(), WARNING);
        ck_assert_ptr_null(aic_take_warning());
    }
}
END_TEST

static void *take_elsewhere(void *unused)
{
    (void)unused;
    return (void *)(uintptr_t)(aic_take_warning() != NULL);
}

START_TEST(a_warning_waits_for_its_thread)
{
    static blocks b;
    reset(&b);
    b.pointer[2] = NULL;
    ck_assert_int_eq(call(BY_SPEC, NOTHING, &b, 3), AIC_OK);
    pthread_t thread;
    void *taken;
    ck_assert_int_eq(pthread_create(&thread, NULL, take_elsewhere, NULL), 0);
    pthread_join(thread, &taken);
    ck_assert_ptr_null(taken);
    ck_assert_int_eq(call(BY_SPEC, DEQ, &b, 3), AIC_OK); /* another call's success does not take it away */
    b.pointer[0] = NULL;
    ck_assert_int_eq(call(BY_SPEC, NOTHING, &b, 3), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_take_warning(), WARNING);
    ck_assert_ptr_null(aic_take_warning()); /* the refused call has left none */
}
END_TEST

/* ---- no bytes ---- */

/* Operands of 0 bytes may lie anywhere, but are no NULL; other operands are judged as ever. */
START_TEST(empty_operands_overlap_nothing)
{
    static const char text[] = "mmad(dtype=int8, m=0, n=5, k=7)"; /* c and a are empty, b is not */
    static blocks b;
    reset(&b);
    ck_assert_int_eq(call(_i, text, &b, 3), AIC_OK);
    b.pointer[0] = b.pointer[1] = b.pointer[2];
    ck_assert_msg(call(_i, text, &b, 3) == AIC_OK, "%s", aic_last_error());
    b.pointer[0] = b.byte[2] + 4;
    ck_assert_msg(call(_i, text, &b, 3) == AIC_OK, "%s", aic_last_error());
    b.pointer[0] = b.byte[2] + 5; /* no int32 lies there */
    ck_assert_int_eq(call(_i, text, &b, 3), AIC_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(aic_last_error(), "is not a multiple of 4"));
    b.pointer[0] = NULL;
    refuse(_i, text, &b, 3, "mmad: c: is NULL");
}
END_TEST

/* ---- handles ---- */

START_TEST(typed_functions_are_those_of_the_operator)
{
    const aic_spec specs[] = {spec_of(DEQ), spec_of("mmad(dtype=int8, m=3, n=5, k=7)"), spec_of(CHAIN)};
    aic_kernel *kernel[3];
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(aic_kernel_create(NULL, &specs[i], NULL, &kernel[i]), AIC_OK);
        ck_assert_int_eq(aic_kernel_fixpipe(kernel[i]) != NULL, i == 0);
        ck_assert_int_eq(aic_kernel_fixpipe_packed(kernel[i]) != NULL, i == 0);
        ck_assert_int_eq(aic_kernel_mmad(kernel[i]) != NULL, i == 1);
        ck_assert_int_eq(aic_kernel_mmad_packed(kernel[i]) != NULL, i == 1);
        ck_assert(aic_kernel_conv2d(kernel[i]) == NULL);
    }
    for (int i = 0; i < 3; i++) {
        aic_kernel_destroy(kernel[i]);
    }
}
END_TEST

/* ---- chains ---- */

/* One chain; the last is the one that has everything filled in. */
static const char *const spellings[] = {
    CHAIN,
    "mmad(dtype=int8, m=3, n=5, k=7) | fixpipe(dst=float16, src=int32, quantPre=VDEQF16, nSize=5, mSize=3, "
    "srcStride=16, dstStride=5)",
    "mmad(dtype=int8, m=3, n=5, k=7, c_format=Nz) | fixpipe(dst=float16, src=int32, quantPre=VDEQF16)",
    "mmad(dtype=int8, m=3, n=5, k=7, c_format=Nz) | fixpipe(dst=float16, src=int32, quantPre=VDEQF16, nSize=5, "
    "mSize=3, srcStride=16, dstStride=5)",
};
enum { SPELLINGS = sizeof spellings / sizeof spellings[0] };

/* What a chain leaves out, and what its producer's own output would look like, makes no other kernel. */
START_TEST(one_kernel_for_all_spellings)
{
    static blocks b;
    aic_context *context;
    aic_kernel *kernel[2 * SPELLINGS];
    aic_kernel_info info[2 * SPELLINGS];
    reset(&b);
    ck_assert_int_eq(aic_context_create(NULL, &context), AIC_OK);
    for (int i = 0; i < 2 * SPELLINGS; i++) { /* beginning with any of them, each twice */
        const aic_spec spec = spec_of(spellings[(i + _i) % SPELLINGS]);
        ck_assert_msg(aic_jit_spec(context, &spec, b.pointer, 4) == AIC_OK, "%s", aic_last_error());
        ck_assert_int_eq(aic_kernel_create(context, &spec, NULL, &kernel[i]), AIC_OK);
        info[i] = aic_kernel_info_init();
        ck_assert_int_eq(aic_kernel_get_info(kernel[i], &info[i]), AIC_OK);
        ck_assert_str_eq(info[i].name, info[0].name);
    }
    aic_cache_stats stats = aic_cache_stats_init();
    ck_assert_int_eq(aic_context_cache_stats(context, &stats), AIC_OK);
    ck_assert_uint_eq(stats.kernels, 1);
    ck_assert_uint_eq(stats.compiles, 1);
    aic_context_destroy(context);
    for (int i = 0; i < 2 * SPELLINGS; i++) { /* they outlive the context */
        ck_assert_int_eq(aic_kernel_call(kernel[i], b.pointer, 4), AIC_OK);
        aic_kernel_destroy(kernel[i]);
    }
}
END_TEST

/* One tile at several addresses, with any padding: one kernel. The rules look at every address nonetheless. */
START_TEST(one_kernel_for_all_addresses)
{
#define TILE "texpands(dtype=float32, rows=2, cols=8, v_row=1"
    static const char *const texts[] = {TILE ", manual=true, address=64)", TILE ")", TILE ", pad=2)",
                                        TILE ", manual=true, address=0x1000, pad=1)", TILE ", v_col=8, address=16)"};
    enum { TEXTS = sizeof texts / sizeof texts[0] };
    static blocks b;
    aic_context *context;
    char name[128] = "";
    ck_assert_int_eq(aic_context_create(NULL, &context), AIC_OK);
    for (int i = 0; i < 2 * TEXTS; i++) {
        const aic_spec spec = spec_of(texts[(i + _i) % TEXTS]), next = spec_of(texts[(i + _i + 1) % TEXTS]);
        aic_kernel *kernel;
        aic_kernel_info info = aic_kernel_info_init();
        reset(&b);
        ck_assert(!aic_spec_equal(&spec, &next));
        ck_assert_msg(aic_jit_spec(context, &spec, b.pointer, 2) == AIC_OK, "%s", aic_last_error());
        ck_assert_mem_eq(b.byte[0], b.byte[1], 4);
        ck_assert_uint_eq(b.byte[0][32], UNTOUCHED);
        ck_assert_int_eq(aic_kernel_create(context, &spec, NULL, &kernel), AIC_OK);
        ck_assert_int_eq(aic_kernel_get_info(kernel, &info), AIC_OK);
        ck_assert(i == 0 || strcmp(info.name, name) == 0);
        snprintf(name, sizeof name, "%s", info.name);
        aic_kernel_destroy(kernel);
    }
    const aic_spec bad = spec_of(TILE ", manual=true, address=16)");
    ck_assert_int_eq(aic_jit_spec(context, &bad, b.pointer, 2), AIC_INVALID_ARGUMENT);
    check_error("texpands: address: 16 is not a multiple of 32");
    aic_cache_stats stats = aic_cache_stats_init();
    ck_assert_int_eq(aic_context_cache_stats(context, &stats), AIC_OK);
    ck_assert_uint_eq(stats.kernels, 1);
    ck_assert_uint_eq(stats.compiles, 1);
    aic_context_destroy(context);
#undef TILE
}
END_TEST

typedef struct caller {
    aic_context *context;
    pthread_barrier_t *start;
    const char *text;
    blocks *blocks; /* on no thread's stack, whose frames may be aligned to less */
    aic_status status;
} caller;

static void *call_at_once(void *argument)
{
    caller *c = argument;
    const aic_spec spec = spec_of(c->text);
    reset(c->blocks);
    pthread_barrier_wait(c->start);
    c->status = aic_jit_spec(c->context, &spec, c->blocks->pointer, 4);
    return NULL;
}

START_TEST(spellings_at_once)
{
    enum { THREADS = 2 * SPELLINGS };
    pthread_barrier_t start;
    pthread_t thread[THREADS];
    caller callers[THREADS];
    static blocks all[THREADS];
    aic_context *context;
    ck_assert_int_eq(aic_context_create(NULL, &context), AIC_OK);
    ck_assert_int_eq(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++) {
        callers[i] = (caller){.context = context, .start = &start, .text = spellings[i % SPELLINGS], .blocks = &all[i]};
        ck_assert_int_eq(pthread_create(&thread[i], NULL, call_at_once, &callers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        ck_assert_int_eq(callers[i].status, AIC_OK);
    }
    aic_cache_stats stats = aic_cache_stats_init();
    ck_assert_int_eq(aic_context_cache_stats(context, &stats), AIC_OK);
    ck_assert_uint_eq(stats.kernels, 1);
    ck_assert_uint_eq(stats.compiles, 1);
    pthread_barrier_destroy(&start);
    aic_context_destroy(context);
}
END_TEST

/* A refused spelling leaves no trace that a later one could trip over. */
START_TEST(refused_chains_are_not_kept)
{
    static blocks b;
    aic_context *context;
    const aic_spec bad = spec_of("mmad(dtype=int8, m=3, n=5, k=7) | fixpipe(dst=float16, src=int32, quantPre=VDEQF16, "
                                 "mSize=4)");
    const aic_spec good = spec_of(CHAIN);
    reset(&b);
    ck_assert_int_eq(aic_context_create(NULL, &context), AIC_OK);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(aic_jit_spec(context, &bad, b.pointer, 4), AIC_INVALID_ARGUMENT);
        check_error("fixpipe: mSize: 4 is outside 1..3");
        check_untouched(&b);
    }
    ck_assert_int_eq(aic_jit_spec(context, &good, b.pointer, 4), AIC_OK);
    aic_context_destroy(context);
}
END_TEST

/* What is filled in stays as it is when filled in again: else a kernel would be looked for without end. */
START_TEST(resolving_is_done_once)
{
    for (uint64_t seed = 0; seed < 3000; seed++) {
        aic_spec spec, once, twice;
        ck_assert_int_eq(aic_spec_draw_chain(AIC_OP_NONE, AIC_OP_NONE, NULL, seed, &spec), AIC_OK);
        ck_assert_int_eq(aic_spec_resolve(&spec, NULL, &once), AIC_OK);
        ck_assert_int_eq(aic_spec_resolve(&once, NULL, &twice), AIC_OK);
        ck_assert(aic_spec_equal(&once, &twice));
    }
}
END_TEST

Suite *suite_operands(void)
{
    Suite *suite = suite_create("operands");
    TCase *tcase = tcase_create("operands");
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, an_optional_operand_is_null_or_needed, 0, WAYS);
    tcase_add_loop_test(tcase, data_are_judged_before_the_first_store, 0, WAYS);
    tcase_add_loop_test(tcase, operands_are_counted, 0, WAYS);
    tcase_add_test(tcase, bad_specifications);
    tcase_add_loop_test(tcase, a_warning_is_taken_once, 0, WAYS);
    tcase_add_test(tcase, a_warning_waits_for_its_thread);
    tcase_add_loop_test(tcase, empty_operands_overlap_nothing, 0, WAYS);
    tcase_add_test(tcase, typed_functions_are_those_of_the_operator);
    tcase_add_loop_test(tcase, one_kernel_for_all_spellings, 0, SPELLINGS);
    tcase_add_loop_test(tcase, one_kernel_for_all_addresses, 0, 5);
    tcase_add_loop_test(tcase, spellings_at_once, 0, 5);
    tcase_add_test(tcase, refused_chains_are_not_kept);
    tcase_add_test(tcase, resolving_is_done_once);
    suite_add_tcase(suite, tcase);
    return suite;
}
