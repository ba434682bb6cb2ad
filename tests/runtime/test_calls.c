/* Calling kernels: every way of calling gives the reference's result, and wrong calls are refused untouched. */
#include "frontend/core/stage.h"
#include "runtime/code/code.h"
#include "runtime/request/pipeline.h"
#include "tests/conv_case.h"
#include "tests/specs.h"

#include <aic/tool.h>
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_calls(void);

#define THREADS 8

static aic_context *context;

static void make_context(void)
{
    ck_assert_msg(aic_context_create(NULL, &context) == AIC_OK, "%s", aic_last_error());
}

static void drop_context(void)
{
    aic_context_destroy(context);
}

static aic_kernel *kernel_of(const conv_case *c, const char *schedule)
{
    aic_kernel *kernel;
    ck_assert_msg(aic_kernel_create(context, &c->spec, schedule, &kernel) == AIC_OK, "%s", aic_last_error());
    return kernel;
}

static conv_case *case_of(aic_dtype dtype, int64_t width)
{
    aic_conv2d_desc desc = conv_desc(dtype, width);
    return conv_case_new(&desc);
}

static aic_status jit(const conv_case *c, void *const operands[])
{
    return aic_jit_conv2d(context, &c->desc, operands[0], operands[1], operands[2]);
}

/* ---- results ---- */

/* The weight of a case, packed for the kernel; free() it. */
static void *pack_weight(const aic_kernel *kernel, const conv_case *c)
{
    size_t size = 0;
    ck_assert_int_eq(aic_kernel_packed_size(kernel, CONV_WEIGHT, &size), AIC_OK);
    ck_assert_uint_gt(size, 0);
    void *packed = aligned_block(size);
    ck_assert_int_eq(aic_kernel_pack(kernel, CONV_WEIGHT, packed, c->buffer[CONV_WEIGHT]), AIC_OK);
    return packed;
}

/* All ways to call one kernel. */
static void check_all_ways(conv_case *c, const char *schedule)
{
    aic_kernel *kernel = kernel_of(c, schedule);
    void *packed = pack_weight(kernel, c);
    void *workspace = aligned_block(aic_kernel_workspace_size(kernel));
    void *const *b = c->buffer;
    void *with_packed[CONV_OPERANDS] = {b[0], b[1], packed};

    conv_case_reset(c);
    ck_assert_int_eq(aic_kernel_call(kernel, b, CONV_OPERANDS), AIC_OK);
    conv_case_check_done(c, b[0]);
    conv_case_reset(c);
    ck_assert_int_eq(aic_kernel_call_packed(kernel, with_packed, CONV_OPERANDS), AIC_OK);
    conv_case_check_done(c, b[0]);
    conv_case_reset(c);
    aic_kernel_conv2d(kernel)(b[0], b[1], b[2], workspace);
    conv_case_check_done(c, b[0]);
    conv_case_reset(c);
    aic_kernel_conv2d_packed(kernel)(b[0], b[1], packed, workspace);
    conv_case_check_done(c, b[0]);

    free(workspace);
    free(packed);
    aic_kernel_destroy(kernel);
}

static const aic_dtype dtypes[] = {AIC_INT8, AIC_FLOAT16};

START_TEST(every_way_of_calling)
{
    conv_case *c = case_of(dtypes[_i], 9);
    check_all_ways(c, NULL);
    conv_case_reset(c);
    ck_assert_int_eq(jit(c, c->buffer), AIC_OK);
    conv_case_check_done(c, c->buffer[0]);
    conv_case_free(c);
}
END_TEST

/* Schedules change speed, never a result that is defined bit for bit. */
START_TEST(candidate_schedules)
{
    conv_case *c = case_of(dtypes[_i], 9);
    char text[256];
    size_t count = 0;
    for (; count < 12 && aic_schedule_candidate(context, &c->spec, count, text, sizeof text) == AIC_OK; count++) {
        check_all_ways(c, text);
    }
    ck_assert_uint_gt(count, 1);
    ck_assert_int_eq(aic_schedule_candidate(context, &c->spec, 1000000, text, sizeof text), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_schedule_candidate(context, &c->spec, 0, text, 4), AIC_INVALID_ARGUMENT);
    conv_case_free(c);
}
END_TEST

/* Operands need the alignment of their elements only. */
START_TEST(least_alignment)
{
    conv_case *c = case_of(dtypes[_i], 9);
    void *moved[CONV_OPERANDS], *block[CONV_OPERANDS];
    for (size_t i = 0; i < CONV_OPERANDS; i++) {
        size_t step = aic_dtype_size(c->operand[i].dtype), bytes = (size_t)c->operand[i].bytes;
        block[i] = aligned_block(bytes + step);
        moved[i] = (char *)block[i] + step;
        memcpy(moved[i], c->buffer[i], bytes);
    }
    ck_assert_int_eq(jit(c, moved), AIC_OK);
    conv_case_check_done(c, moved[0]);
    for (size_t i = 0; i < CONV_OPERANDS; i++) {
        free(block[i]);
    }
    conv_case_free(c);
}
END_TEST

/* A group of two shapes and one of them again, with operands of its own: one kernel, in the cache. A request for the
 * specifications by themselves is another. */
START_TEST(group_call)
{
    conv_case *cases[] = {case_of(AIC_INT8, 9), case_of(AIC_FLOAT16, 7), case_of(AIC_INT8, 9)};
    aic_stage_view stage[3];
    void *table[3 * CONV_OPERANDS] = {NULL};
    const void *const operands[] = {table};
    for (size_t i = 0; i < 3; i++) {
        stage[i] = (aic_stage_view){.op = AIC_OP_CONV2D, .stages = 1, .desc = &cases[i]->desc};
        memcpy(table + i * CONV_OPERANDS, cases[i]->buffer, sizeof cases[i]->buffer);
    }
    const aic_request request = {.specs = 3, .count = 3, .stage = stage, .operands = operands};
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < 3; i++) {
            conv_case_reset(cases[i]);
        }
        ck_assert_msg(aic_pipeline(context, &request, NULL) == AIC_OK, "%s", aic_last_error());
        for (size_t i = 0; i < 3; i++) {
            conv_case_check_done(cases[i], cases[i]->buffer[CONV_DST]);
        }
        ck_assert_uint_eq(atomic_load(&context->compiles), 1);
    }
    ck_assert_int_eq(jit(cases[0], cases[0]->buffer), AIC_OK);
    ck_assert_uint_eq(atomic_load(&context->compiles), 2);
    cases[1]->desc.stride[0] = 64;
    ck_assert_int_eq(aic_pipeline(context, &request, NULL), AIC_INVALID_ARGUMENT);
    for (size_t i = 0; i < 3; i++) {
        conv_case_free(cases[i]);
    }
}
END_TEST

/* ---- refusals ---- */

/* Every checking way of calling refuses these operands with this message, and dst stays as it was. */
static void refuse(conv_case *c, void *const operands[], const char *message)
{
    aic_kernel *kernel = kernel_of(c, NULL);
    for (int way = 0; way < 2; way++) {
        conv_case_reset(c);
        aic_status status = way == 0 ? jit(c, operands) : aic_kernel_call(kernel, operands, CONV_OPERANDS);
        ck_assert_int_eq(status, AIC_INVALID_ARGUMENT);
        ck_assert_msg(strncmp(aic_last_error(), message, strlen(message)) == 0, "\"%s\" instead of \"%s\"",
                      aic_last_error(), message);
        conv_case_check_untouched(c);
    }
    aic_kernel_destroy(kernel);
}

static const char *const names[CONV_OPERANDS] = {"dst", "feature_map", "weight"};

START_TEST(null_and_misaligned)
{
    conv_case *c = case_of(AIC_FLOAT16, 6);
    for (size_t i = 0; i < CONV_OPERANDS; i++) {
        char message[64];
        void *operands[CONV_OPERANDS] = {c->buffer[0], c->buffer[1], c->buffer[2]};
        operands[i] = NULL;
        snprintf(message, sizeof message, "conv2d: %s: is NULL", names[i]);
        refuse(c, operands, message);
        operands[i] = (char *)c->buffer[i] + 1;
        snprintf(message, sizeof message, "conv2d: %s: address ", names[i]);
        refuse(c, operands, message);
    }
    conv_case_free(c);
}
END_TEST

/* Any two operands that share a byte are refused; two that touch are not. */
START_TEST(overlap)
{
    conv_case *c = case_of(AIC_INT8, 6);
    size_t room = 0;
    for (size_t i = 0; i < CONV_OPERANDS; i++) {
        room += (size_t)c->operand[i].bytes;
    }
    char *arena = aligned_block(3 * room);
    for (size_t i = 0; i < CONV_OPERANDS; i++) {
        for (size_t j = 0; j < i; j++) {
            /* Operand i slides over operand j: its last element on j's first, the same address, its first on j's last.
             */
            ptrdiff_t step_i = (ptrdiff_t)aic_dtype_size(c->operand[i].dtype);
            ptrdiff_t step_j = (ptrdiff_t)aic_dtype_size(c->operand[j].dtype);
            ptrdiff_t shared[] = {step_i - c->operand[i].bytes, 0, c->operand[j].bytes - step_j};
            ptrdiff_t touching[] = {-c->operand[i].bytes, c->operand[j].bytes};
            void *operands[CONV_OPERANDS] = {c->buffer[0], c->buffer[1], c->buffer[2]};
            char message[64];
            snprintf(message, sizeof message, "conv2d: %s: overlaps %s", names[i], names[j]);
            operands[j] = arena + room;
            for (size_t k = 0; k < 3; k++) {
                operands[i] = arena + room + shared[k];
                refuse(c, operands, message);
            }
            for (size_t k = 0; k < 2; k++) {
                operands[i] = arena + room + touching[k];
                ck_assert_msg(jit(c, operands) == AIC_OK, "%s", aic_last_error());
            }
        }
    }
    free(arena);
    conv_case_free(c);
}
END_TEST

START_TEST(bad_descriptor)
{
    conv_case *c = case_of(AIC_INT8, 6);
    ck_assert_int_eq(aic_jit_conv2d(context, NULL, c->buffer[0], c->buffer[1], c->buffer[2]), AIC_INVALID_ARGUMENT);
    check_error("conv2d: desc: is NULL");
    c->desc.stride[0] = 64;
    for (int i = 0; i < 2; i++) { /* a refusal is not cached as a success */
        ck_assert_int_eq(jit(c, c->buffer), AIC_INVALID_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(aic_last_error(), "64"));
        conv_case_check_untouched(c);
    }
    aic_cache_stats stats = aic_cache_stats_init();
    ck_assert_int_eq(aic_context_cache_stats(context, &stats), AIC_OK);
    ck_assert_uint_eq(stats.kernels, 0);
    conv_case_free(c);
}
END_TEST

START_TEST(bad_handle_calls)
{
    conv_case *c = case_of(AIC_INT8, 6);
    aic_kernel *kernel = kernel_of(c, NULL), *none = NULL;
    void *packed = pack_weight(kernel, c);

    ck_assert_int_eq(aic_kernel_call(NULL, c->buffer, CONV_OPERANDS), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_kernel_call(kernel, NULL, CONV_OPERANDS), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_kernel_call(kernel, c->buffer, CONV_OPERANDS - 1), AIC_INVALID_ARGUMENT);
    check_error("conv2d: operands: 2 given, 3 needed");
    ck_assert_int_eq(aic_kernel_call(kernel, c->buffer, CONV_OPERANDS + 1), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_kernel_create(context, NULL, NULL, &none), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_kernel_create(context, &c->spec, NULL, NULL), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_kernel_create(context, &c->spec, "schedule(rows=0)", &none), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_kernel_get_info(kernel, NULL), AIC_INVALID_ARGUMENT);
    aic_spec broken = c->spec;
    broken.count = 77;
    ck_assert_int_eq(aic_kernel_create(context, &broken, NULL, &none), AIC_INVALID_ARGUMENT);
    broken.count = 1;
    broken.stage[0].op = (aic_op)12345;
    ck_assert_int_eq(aic_kernel_create(context, &broken, NULL, &none), AIC_INVALID_ARGUMENT);
    ck_assert_ptr_null(none);
    aic_kernel_destroy(NULL);
    ck_assert_uint_eq(aic_kernel_workspace_size(NULL), 0);
    ck_assert(aic_kernel_conv2d(NULL) == NULL);

    /* packing */
    const void *weight = c->buffer[CONV_WEIGHT];
    size_t bytes = 1;
    ck_assert_int_eq(aic_kernel_packed_size(kernel, CONV_DST, &bytes), AIC_UNSUPPORTED);
    check_error("conv2d: operand 0 is not packed by this kernel");
    ck_assert_uint_eq(bytes, 1);
    ck_assert_int_eq(aic_kernel_packed_size(kernel, 1000, &bytes), AIC_INVALID_ARGUMENT);
    check_error("conv2d: operand 1000: there are 3");
    ck_assert_int_eq(aic_kernel_pack(kernel, CONV_DST, packed, weight), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_kernel_pack(kernel, CONV_WEIGHT, packed, NULL), AIC_INVALID_ARGUMENT);
    check_error("conv2d: source: is NULL");
    ck_assert_int_eq(aic_kernel_pack(kernel, CONV_WEIGHT, (char *)packed + 32, weight), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_kernel_pack(kernel, CONV_WEIGHT, packed, packed), AIC_INVALID_ARGUMENT);
    check_error("conv2d: source: overlaps packed");
    void *misaligned[CONV_OPERANDS] = {c->buffer[0], c->buffer[1], (char *)packed + 32};
    ck_assert_int_eq(aic_kernel_call_packed(kernel, misaligned, CONV_OPERANDS), AIC_INVALID_ARGUMENT);
    conv_case_check_untouched(c);

    free(packed);
    aic_kernel_destroy(kernel);
    conv_case_free(c);
}
END_TEST

/* ---- handles, names ---- */

START_TEST(one_kernel_for_equal_requests)
{
    conv_case *c = case_of(AIC_INT8, 9);
    char usual[256], other[256];
    ck_assert_int_eq(aic_schedule_candidate(context, &c->spec, 0, usual, sizeof usual), AIC_OK);
    ck_assert_int_eq(aic_schedule_candidate(context, &c->spec, 1, other, sizeof other), AIC_OK);
    const char *const requests[] = {NULL, NULL, usual, other, other};
    const bool compiled[] = {true, false, false, true, false};
    aic_kernel_info info[5];
    aic_kernel *kernel[5];
    for (int i = 0; i < 5; i++) {
        kernel[i] = kernel_of(c, requests[i]);
        info[i] = aic_kernel_info_init();
        ck_assert_int_eq(aic_kernel_get_info(kernel[i], &info[i]), AIC_OK);
        ck_assert_int_eq(info[i].compiled, compiled[i]);
        ck_assert_str_eq(info[i].isa, aic_context_isa(context));
        ck_assert_str_eq(info[i].schedule, i < 3 ? usual : other);
        ck_assert_uint_gt(info[i].code_bytes, 0);
        ck_assert_uint_gt(info[i].make_ns, 0); /* nothing is emitted where all parts are at hand */
    }
    ck_assert_str_eq(info[0].name, info[2].name);
    ck_assert_str_ne(info[0].name, info[3].name);
    for (int i = 0; i < 5; i++) {
        aic_kernel_destroy(kernel[i]);
    }
    conv_case_free(c);
}
END_TEST

/* Names depend on the request alone, and on all of it. */
START_TEST(symbol_names)
{
    char name[3][128];
    const char *const levels[3] = {NULL, NULL, "generic"};
    conv_case *c = case_of(AIC_INT8, 9);
    for (int i = 0; i < 3; i++) {
        aic_context_options options = aic_context_options_init();
        options.isa = levels[i];
        aic_context *own;
        aic_kernel *kernel;
        aic_kernel_info info = aic_kernel_info_init();
        ck_assert_int_eq(aic_context_create(&options, &own), AIC_OK);
        ck_assert_int_eq(aic_kernel_create(own, &c->spec, NULL, &kernel), AIC_OK);
        ck_assert_int_eq(aic_kernel_get_info(kernel, &info), AIC_OK);
        snprintf(name[i], sizeof name[i], "%s", info.name);
        aic_kernel_destroy(kernel);
        aic_context_destroy(own);
    }
    ck_assert_uint_eq(strspn(name[0] + strlen("aic_conv2d_"), "0123456789abcdef"), 16);
    ck_assert_uint_eq(strlen(name[0]), strlen("aic_conv2d_") + 16);
    ck_assert_str_eq(name[0], name[1]);
    if (strcmp(aic_context_isa(context), "generic") != 0) {
        ck_assert_str_ne(name[0], name[2]);
    }
    conv_case_free(c);
}
END_TEST

/* ---- threads ---- */

static void *call_once(void *argument)
{
    conv_case *c = argument;
    return jit(c, c->buffer) == AIC_OK ? c : NULL;
}

/* A cached call waits for no thread that is busy with a miss: it goes through while this one holds the miss's lock. */
START_TEST(hit_takes_no_lock)
{
    conv_case *c = case_of(AIC_INT8, 6);
    ck_assert_int_eq(jit(c, c->buffer), AIC_OK);
    conv_case_reset(c);
    pthread_t thread;
    void *result = NULL;
    pthread_mutex_lock(&aic_cache_mutex);
    ck_assert_int_eq(pthread_create(&thread, NULL, call_once, c), 0);
    pthread_join(thread, &result); /* a call that waits for us runs into the test's time limit */
    pthread_mutex_unlock(&aic_cache_mutex);
    ck_assert_ptr_eq(result, c);
    conv_case_check_done(c, c->buffer[0]);
    conv_case_free(c);
}
END_TEST

typedef struct crowd {
    pthread_barrier_t start;
    conv_case *cases[4];
    atomic_int next;
    atomic_int wrong;
} crowd;

/* Calls every case, starting at another one in each thread, with a dst of its own. */
static void *call_all(void *argument)
{
    crowd *w = argument;
    int self = atomic_fetch_add(&w->next, 1);
    pthread_barrier_wait(&w->start);
    for (int i = 0; i < 40; i++) {
        const conv_case *c = w->cases[(self + i) % 4];
        size_t bytes = (size_t)c->operand[CONV_DST].bytes;
        void *dst = aligned_alloc(64, bytes / 64 * 64 + 64);
        void *operands[CONV_OPERANDS] = {dst, c->buffer[CONV_FEATURE_MAP], c->buffer[CONV_WEIGHT]};
        memcpy(dst, c->before, bytes);
        if (jit(c, operands) != AIC_OK || memcmp(dst, c->expected, bytes) != 0) {
            atomic_fetch_add(&w->wrong, 1);
        }
        free(dst);
    }
    return NULL;
}

static void *call_refused(void *argument)
{
    crowd *w = argument;
    conv_case *c = w->cases[0];
    pthread_barrier_wait(&w->start);
    for (int i = 0; i < 40; i++) {
        if (jit(c, c->buffer) != AIC_INVALID_ARGUMENT || strstr(aic_last_error(), "stride_h = 64") == NULL) {
            atomic_fetch_add(&w->wrong, 1);
        }
    }
    return NULL;
}

static void run_crowd(crowd *w, void *(*body)(void *))
{
    pthread_t thread[THREADS];
    ck_assert_int_eq(pthread_barrier_init(&w->start, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&thread[i], NULL, body, w), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    pthread_barrier_destroy(&w->start);
    ck_assert_int_eq(atomic_load(&w->wrong), 0);
}

START_TEST(threads)
{
    crowd w = {.next = 0};
    for (int i = 0; i < 4; i++) {
        w.cases[i] = case_of(dtypes[i % 2], 6 + 5 * i); /* the workspaces differ too */
    }
    run_crowd(&w, call_all);
    aic_cache_stats stats = aic_cache_stats_init();
    ck_assert_int_eq(aic_context_cache_stats(context, &stats), AIC_OK);
    ck_assert_uint_eq(stats.kernels, 4);
    ck_assert_uint_eq(stats.compiles, 4);
    for (int i = 0; i < 4; i++) {
        conv_case_free(w.cases[i]);
    }
}
END_TEST

START_TEST(threads_refused)
{
    crowd w = {.next = 0};
    w.cases[0] = case_of(AIC_INT8, 6);
    w.cases[0]->desc.stride[0] = 64;
    run_crowd(&w, call_refused);
    conv_case_check_untouched(w.cases[0]);
    conv_case_free(w.cases[0]);
}
END_TEST

/* What the typed functions of operators call, by hand: no such operator, too many operands, none at all; and a
 * descriptor that has more operands than its function has parameters. */
START_TEST(calls_of_operators)
{
    aic_texpands_desc desc = aic_texpands_desc_init();
    float tile[2][8] = {{0}}, scalar = 1;
    const void *operands[AIC_OPERANDS_MAX + 1] = {tile, &scalar};
    desc.dtype = AIC_FLOAT32;
    desc.rows = 2;
    desc.cols = desc.v_col = 8;
    desc.v_row = AIC_DYNAMIC;
    ck_assert_int_eq(aic_jit_operator(context, AIC_OP_END, &desc, operands, 2), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_jit_operator(context, AIC_OP_TEXPANDS, &desc, operands, AIC_OPERANDS_MAX + 1),
                     AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_jit_operator(context, AIC_OP_TEXPANDS, &desc, NULL, 2), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_jit_texpands(context, &desc, tile, &scalar), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), "v_row") != NULL, "%s", aic_last_error());
    ck_assert(tile[0][0] == 0 && tile[1][7] == 0);
    desc.v_row = 2;
    ck_assert_int_eq(aic_jit_texpands(context, &desc, tile, &scalar), AIC_OK);
    ck_assert(tile[0][0] == 1 && tile[1][7] == 1);
}
END_TEST

/* The operands that machine code was called with, the workspace behind them. */
static const void *passed[AIC_OPERANDS_MAX + 1];

static void take_11(const void *a, const void *b, const void *c, const void *d, const void *e, const void *f,
                    const void *g, const void *h, const void *i, const void *j, const void *k, void *workspace)
{
    const void *const all[] = {a, b, c, d, e, f, g, h, i, j, k, workspace};
    memcpy(passed, all, sizeof all);
}

static void take_12(const void *a, const void *b, const void *c, const void *d, const void *e, const void *f,
                    const void *g, const void *h, const void *i, const void *j, const void *k, const void *l,
                    void *workspace)
{
    const void *const all[] = {a, b, c, d, e, f, g, h, i, j, k, l, workspace};
    memcpy(passed, all, sizeof all);
}

/* More operands than any chain of today has, up to those that a kernel may have. */
START_TEST(calls_of_most_operands)
{
    const aic_function functions[] = {(aic_function)take_11, (aic_function)take_12};
    static char memory[AIC_OPERANDS_MAX + 1];
    const void *operands[AIC_OPERANDS_MAX];
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        operands[i] = &memory[i];
    }
    for (size_t count = AIC_OPERANDS_MAX - 1; count <= AIC_OPERANDS_MAX; count++) {
        const aic_code code = {.entry = {functions[count + 1 - AIC_OPERANDS_MAX]}, .passed_count = count};
        memset(passed, 0, sizeof passed);
        aic_call_alone(&code, AIC_PLAIN, operands, &memory[AIC_OPERANDS_MAX]);
        ck_assert_mem_eq(passed, operands, count * sizeof operands[0]);
        ck_assert_ptr_eq(passed[count], &memory[AIC_OPERANDS_MAX]);
    }
}
END_TEST

Suite *suite_calls(void)
{
    Suite *suite = suite_create("calls");
    TCase *tcase = tcase_create("calls");
    tcase_set_timeout(tcase, 300);
    tcase_add_checked_fixture(tcase, make_context, drop_context);
    tcase_add_loop_test(tcase, every_way_of_calling, 0, 2);
    tcase_add_test(tcase, calls_of_operators);
    tcase_add_test(tcase, calls_of_most_operands);
    tcase_add_loop_test(tcase, candidate_schedules, 0, 2);
    tcase_add_loop_test(tcase, least_alignment, 0, 2);
    tcase_add_test(tcase, null_and_misaligned);
    tcase_add_test(tcase, overlap);
    tcase_add_test(tcase, bad_descriptor);
    tcase_add_test(tcase, bad_handle_calls);
    tcase_add_test(tcase, one_kernel_for_equal_requests);
    tcase_add_test(tcase, symbol_names);
    tcase_add_test(tcase, group_call);
    tcase_add_test(tcase, hit_takes_no_lock);
    tcase_add_test(tcase, threads);
    tcase_add_test(tcase, threads_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
