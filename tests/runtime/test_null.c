/* NULL where the exported functions take a pointer: refused, or documented as legal, or answered harmlessly. */
#include "frontend/core/stage.h"
#include "runtime/generator/generator.h"
#include "tests/little_stack.h"
#include "tests/network_case.h"
#include "tests/specs.h"
#include "tools/harness/entry.h"

#include <aic/aic.h>
#include <aic/tool.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Suite *suite_null(void);

enum { BLOCK = 8192, TEXT_MAX = 2048 };

/* Right arguments, and memory for results. */
typedef struct fixture {
    aic_spec spec, fast, tile;
    aic_spec *made_spec;
    const aic_spec *stage; /* the first of them */
    aic_conv2d_desc conv2d;
    aic_mmad_desc mmad;
    int value;
    aic_semantics semantics;
    aic_context *context, *made_context;
    aic_kernel *kernel, *made_kernel;
    aic_pto_program *program, *made_program;
    aic_pto_options options;
    aic_pto_statement statement;
    aic_kernel_info info;
    aic_prediction prediction;
    aic_result_layout layout;
    aic_coordinates coordinates;
    aic_cache_stats stats;
    aic_disk_cache_info disk;
    uint64_t removed;
    aic_context_statistics statistics;
    aic_export_kernel exported;
    aic_exported made_export;
    aic_operand one, operands[AIC_OPERANDS_MAX];
    size_t count, size, stride[AIC_OPERANDS_MAX], length[AIC_OPERANDS_MAX];
    int64_t number[2], at[AIC_AXES_MAX];
    bool matters, chosen;
    char identity[65];
    const char *triple, *pto;
    char *bytes;
    aic_explanation explanation;
    aic_tuning_info tuning;
    aic_tune_options estimate;
    aic_tune_result tuned;
    char db[64]; /* a file */
    char plan[TEXT_MAX], text[TEXT_MAX];
    double exact[BLOCK / 4], bound[BLOCK / 4];
    aic_allowed allowed[BLOCK / 4];
    unsigned char *reads[AIC_OPERANDS_MAX];
    aic_finding findings[BLOCK / 4];
    _Alignas(64) unsigned char memory[AIC_OPERANDS_MAX][BLOCK];
    _Alignas(64) unsigned char packed[BLOCK];
    void *operand[AIC_OPERANDS_MAX], *partly[AIC_OPERANDS_MAX];
    void *pto_argument[2], *no_argument[2];
    network_case network_files;
    const char *folder;
    aic_network *network, *made_network;
    aic_network_facts facts;
    const void *input[1];
    void *output[1];
    uint64_t times[64]; /* of kernels */
    aic_npy_header npy;
    aic_operand tensor;
    char npy_text[AIC_NPY_WRITTEN_MAX];
} fixture;

/* The operands but for number i. */
static void *const *without(fixture *f, size_t i)
{
    memcpy(f->partly, f->operand, sizeof f->partly);
    f->partly[i] = NULL;
    return f->partly;
}

static bool is_refused(aic_spec spec)
{
    return aic_spec_validate(&spec, NULL) == AIC_INVALID_ARGUMENT;
}

static void open_network(fixture *f)
{
    network_case_open(&f->network_files);
    network_case_text(&f->network_files,
                      "input x float32 [4]\nbuffer y float32 [4]\n"
                      "kernel tensor_arithmetic(op=BM_CPY, shape=[1,1,1,4]) : output=y input0=x\noutput y\n");
    f->folder = f->network_files.folder;
    f->network = network_case_network(&f->network_files, f->context, NULL);
    f->facts = aic_network_facts_init();
    f->input[0] = f->memory[0];
    f->output[0] = f->memory[1];
    f->tensor = (aic_operand){.size = sizeof f->tensor, .dtype = AIC_INT8, .rank = 1, .shape = {4}};
}

/* What functions fill in. */
static void open_answers(fixture *f)
{
    f->statement = aic_pto_statement_init();
    f->info = aic_kernel_info_init();
    f->prediction = aic_prediction_init();
    f->layout = aic_result_layout_init();
    f->coordinates = aic_coordinates_init();
    f->stats = aic_cache_stats_init();
    f->statistics = aic_context_statistics_init();
    f->disk = aic_disk_cache_info_init();
    f->made_export = aic_exported_init();
    f->explanation = aic_explanation_init();
    f->tuning = aic_tuning_info_init();
    f->npy = aic_npy_header_init();
    f->tuned = aic_tune_result_init();
}

static void open_fixture(fixture *f)
{
    memset(f, 0, sizeof *f);
    f->spec = spec_of("conv2d(dtype=float16, fm_shape=[1,4,4,16], kernel_shape=[1,2,2,16,16])");
    f->fast = spec_of("conv2d(dtype=float16, fm_shape=[1,4,4,16], kernel_shape=[1,2,2,16,16], accumulate=fast)");
    f->tile = spec_of("texpands(dtype=float32, rows=2, cols=8)");
    f->semantics = aic_semantics_init();
    open_answers(f);
    f->stage = &f->spec;
    f->conv2d = f->spec.stage[0].desc.conv2d;
    f->mmad = aic_mmad_desc_init();
    f->estimate = aic_tune_options_init();
    f->estimate.effort = AIC_TUNE_EFFORT_ESTIMATE;
    strcpy(f->db, "/tmp/aicjit-null-XXXXXX");
    close(mkstemp(f->db));
    f->options = aic_pto_options_init();
    f->exported = (aic_export_kernel){sizeof f->exported, &f->tile, NULL, NULL};
    f->count = 3;
    f->triple = "x86_64-linux-gnu";
    f->pto = ".arg %s : f32\n%t = texpands %s : f32, !pto.tile<2x8xf32>\n";
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        f->operand[i] = f->memory[i];
    }
    for (size_t i = 0; i < f->count; i++) {
        f->length[i] = BLOCK;
    }
    f->stride[0] = BLOCK / 2; /* the inputs are the same for all images */
    f->pto_argument[0] = f->no_argument[0] = f->memory[0];
    f->pto_argument[1] = f->memory[1];
    ck_assert_int_eq(aic_context_create(NULL, &f->context), AIC_OK);
    (void)setenv("AIC_CACHE", "off", 1); /* from here on: the default context has none */
    open_network(f);
    ck_assert_int_eq(aic_kernel_create(f->context, &f->spec, NULL, &f->kernel), AIC_OK);
    ck_assert_int_eq(aic_schedule_candidate(f->context, &f->spec, 0, f->plan, sizeof f->plan), AIC_OK);
    ck_assert_msg(aic_pto_parse(f->pto, strlen(f->pto), NULL, &f->program) == AIC_OK, "%s", aic_last_error());
}

static void close_fixture(fixture *f)
{
    aic_spec_destroy(f->made_spec);
    aic_network_destroy(f->made_network);
    aic_network_destroy(f->network);
    network_case_close(&f->network_files);
    aic_exported_destroy(&f->made_export);
    aic_tune_result_destroy(&f->tuned);
    unlink(f->db);
    aic_free(f->bytes);
    aic_free(f->explanation.text);
    aic_pto_destroy(f->made_program);
    aic_pto_destroy(f->program);
    aic_kernel_destroy(f->made_kernel);
    aic_kernel_destroy(f->kernel);
    aic_context_destroy(f->made_context);
    aic_context_destroy(f->context);
}

/* ---- the table ---- */

static bool refuses(aic_status status)
{
    return status == AIC_INVALID_ARGUMENT && strstr(aic_last_error(), "NULL") != NULL;
}

#define ROW(function, parameter, holds)                                                                                \
    static bool function##_##parameter(fixture *f)                                                                     \
    {                                                                                                                  \
        (void)f;                                                                                                       \
        return holds;                                                                                                  \
    }
#define REFUSED(function, parameter, call) ROW(function, parameter, refuses(call))
#define ACCEPTED(function, parameter, call) ROW(function, parameter, (call) == AIC_OK)
#define ANSWERED(function, parameter, answer) ROW(function, parameter, answer)
#include "tests/null_calls.def"
#undef REFUSED
#undef ACCEPTED
#undef ANSWERED

static const struct {
    const char *function, *parameter;
    bool (*holds)(fixture *f);
} rows[] = {
#define REFUSED(function, parameter, call) {#function, #parameter, function##_##parameter},
#define ACCEPTED REFUSED
#define ANSWERED REFUSED
#include "tests/null_calls.def"
#undef REFUSED
#undef ACCEPTED
#undef ANSWERED
};

enum { ROWS = sizeof rows / sizeof rows[0] };

/* A row on a thread of its own; how that ended. */
typedef struct row_visit {
    fixture *f;
    int row;
    bool held;
    char message[512];
} row_visit;

static void visit_row(void *argument)
{
    row_visit *v = argument;
    v->held = rows[v->row].holds(v->f);
    snprintf(v->message, sizeof v->message, "%s", aic_last_error());
}

/* On a thread that is being cancelled, and on 32 KiB of its stack. */
START_TEST(null_is_handled)
{
    bool finished;
    fixture *f = aligned_alloc(_Alignof(fixture), sizeof *f);
    ck_assert_ptr_nonnull(f);
    open_fixture(f);
    row_visit v = {.f = f, .row = _i};
    const unsigned strangers = aic_generator_strangers();
    const size_t used = stack_used_by(visit_row, &v, PLENTY_OF_STACK, &finished);
    ck_assert_msg(aic_generator_strangers() == strangers, "%s, %s NULL: the generator was called on it",
                  rows[_i].function, rows[_i].parameter);
    ck_assert_msg(finished, "%s, %s NULL: cancelled inside", rows[_i].function, rows[_i].parameter);
    ck_assert_msg(v.held, "%s, %s NULL: \"%s\"", rows[_i].function, rows[_i].parameter, v.message);
    ck_assert_msg(used <= LITTLE_STACK, "%s, %s NULL: %zu bytes of stack", rows[_i].function, rows[_i].parameter, used);
    close_fixture(f);
    free(f);
}
END_TEST

/* ---- functions of every operator ---- */

/* An operator's functions of the public headers that the harness has no way to call with NULL. */
#define AIC_OPERANDS(...) __VA_ARGS__
#define AIC_OP(ENUM, name, count, params, args)                                                                        \
    static bool none_of_##name(void)                                                                                   \
    {                                                                                                                  \
        aic_spec *spec = NULL;                                                                                         \
        return aic_spec_create_##name(NULL, &spec) == AIC_INVALID_ARGUMENT && spec == NULL &&                          \
               aic_kernel_##name(NULL) == NULL && aic_kernel_##name##_packed(NULL) == NULL;                            \
    }                                                                                                                  \
    static aic_status no_desc_##name(params)                                                                           \
    {                                                                                                                  \
        return aic_jit_##name(NULL, NULL, args);                                                                       \
    }
#include <aic/ops.def>
#undef AIC_OP
#undef AIC_OPERANDS

static unsigned char anywhere[AIC_OPERANDS_MAX];

/* As many addresses as there are operands. */
#define CHOOSE(a, b, c, d, chosen, ...) chosen
#define ADDRESSES_2 &anywhere[0], &anywhere[1]
#define ADDRESSES_3 ADDRESSES_2, &anywhere[2]
#define ADDRESSES_4 ADDRESSES_3, &anywhere[3]
#define ADDRESSES(...) CHOOSE(__VA_ARGS__, ADDRESSES_4, ADDRESSES_3, ADDRESSES_2, ADDRESSES_1, ADDRESSES_0)

START_TEST(operators_refuse_null)
{
    const aic_status no_desc[] = {
#define AIC_OPERANDS(...) __VA_ARGS__
#define AIC_OP(ENUM, name, count, params, args) no_desc_##name(ADDRESSES(args)),
#include <aic/ops.def>
#undef AIC_OP
#undef AIC_OPERANDS
    };
    static bool (*const none[])(void) = {
#define AIC_OP(ENUM, name, count, params, args) none_of_##name,
#include <aic/ops.def>
#undef AIC_OP
    };
    for (int op = AIC_OP_NONE + 1; op < AIC_OP_END; op++) {
        ck_assert_msg(no_desc[op - 1] == AIC_INVALID_ARGUMENT, "%s", aic_op_name((aic_op)op));
        ck_assert_msg(none[op - 1](), "%s", aic_op_name((aic_op)op));
    }
}
END_TEST

/* Operand by operand, through aic_jit_OP. */
START_TEST(operators_refuse_null_operands)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        aic_spec spec;
        aic_operand operand[AIC_OPERANDS_MAX];
        size_t count = 0;
        ck_assert_int_eq(aic_spec_draw((aic_op)_i, NULL, seed, &spec), AIC_OK);
        ck_assert_int_eq(aic_spec_operands(&spec, NULL, operand, &count), AIC_OK);
        for (size_t i = 0; i < count; i++) {
            void *given[AIC_OPERANDS_MAX] = {NULL};
            for (size_t j = 0; j < count; j++) { /* far apart: some are larger than any memory here; none is touched */
                given[j] =
                    j == i || operand[j].direction == AIC_DIRECTION_UNUSED ? NULL : (void *)((uintptr_t)(j + 1) << 40);
            }
            if (operand[i].direction != AIC_DIRECTION_UNUSED) {
                ck_assert_int_eq(entry_jit(NULL, &spec, given, count), AIC_INVALID_ARGUMENT);
                ck_assert_msg(strstr(aic_last_error(), "is NULL") != NULL, "%s", aic_last_error());
            }
        }
    }
}
END_TEST

/* ---- semantics ---- */

/* Memory for the operands of a specification, zeros; false: they are larger than a test wants to have. */
static bool open_operands(const aic_operand operand[], size_t count, void *memory[])
{
    int64_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        bytes += operand[i].bytes;
    }
    for (size_t i = 0; i < count && bytes < 1 << 20; i++) {
        memory[i] = operand[i].direction == AIC_DIRECTION_UNUSED ? NULL : calloc(1, (size_t)operand[i].bytes + 1);
    }
    return bytes < 1 << 20;
}

/* NULL stands for the defaults, whatever the operator needs of them. */
START_TEST(no_semantics_are_the_defaults)
{
    const aic_semantics defaults = aic_semantics_init();
    for (uint64_t seed = 0; seed < 20; seed++) {
        aic_spec spec;
        aic_operand operand[AIC_OPERANDS_MAX];
        void *memory[AIC_OPERANDS_MAX] = {NULL};
        size_t count = 0;
        ck_assert_int_eq(aic_spec_draw((aic_op)_i, NULL, seed, &spec), AIC_OK);
        ck_assert_int_eq(aic_spec_operands(&spec, NULL, operand, &count), AIC_OK);
        if (!open_operands(operand, count, memory)) {
            continue;
        }
        aic_status status[2][5] = {{AIC_OK}};
        for (int i = 0; i < 2; i++) {
            const aic_semantics *semantics = i == 0 ? NULL : &defaults;
            aic_result_layout layout = aic_result_layout_init();
            int64_t macs, moved;
            size_t bytes;
            status[i][0] = aic_spec_operand_bytes(&spec, semantics, operand[0].name, &bytes);
            status[i][1] = aic_spec_result_layout(&spec, semantics, &layout);
            status[i][2] = aic_spec_work(&spec, semantics, &macs, &moved);
            status[i][3] = aic_spec_advise(&spec, semantics, memory, count);
            status[i][4] = aic_trace(&spec, semantics, memory, count, 0, NULL, NULL, 0, &bytes);
        }
        ck_assert_mem_eq(status[0], status[1], sizeof status[0]);
        for (size_t i = 0; i < count; i++) {
            free(memory[i]);
        }
    }
}
END_TEST

/* ---- counts that are no counts ---- */

START_TEST(wild_counts_are_refused)
{
    static const int32_t counts[] = {INT32_MIN, -1, 0, 2, 3, AIC_STAGES_MAX, AIC_STAGES_MAX + 1, 1000000, INT32_MAX};
    enum { COUNTS = sizeof counts / sizeof counts[0] };
    const aic_spec right = spec_of("conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,32,32])");
    for (size_t i = 0; i < COUNTS; i++) {
        aic_spec wild = right;
        wild.count = counts[i];
        const aic_spec fused[] = {aic_spec_fuse(&wild, &right), aic_spec_fuse(&right, &wild),
                                  aic_spec_fuse(&wild, &wild)};
        for (size_t k = 0; k < 3; k++) {
            ck_assert_msg(is_refused(fused[k]), "count %d, pair %zu", (int)counts[i], k);
        }
        ck_assert_int_eq(aic_spec_equal(&wild, &right), false);
        (void)aic_spec_exact(&wild);
        void *operand[AIC_OPERANDS_MAX] = {&wild, &wild, &wild, &wild};
        ck_assert_int_eq(aic_jit_spec(NULL, &wild, operand, 3), AIC_INVALID_ARGUMENT);
        ck_assert_int_eq(aic_spec_print(&wild, NULL, 0, NULL), AIC_INVALID_ARGUMENT);
    }
}
END_TEST

Suite *suite_null(void)
{
    Suite *suite = suite_create("null");
    TCase *calls = tcase_create("calls");
    tcase_add_loop_test(calls, null_is_handled, 0, ROWS);
    tcase_add_test(calls, operators_refuse_null);
    tcase_add_loop_test(calls, operators_refuse_null_operands, AIC_OP_NONE + 1, AIC_OP_END);
    tcase_add_loop_test(calls, no_semantics_are_the_defaults, AIC_OP_NONE + 1, AIC_OP_END);
    tcase_add_test(calls, wild_counts_are_refused);
    suite_add_tcase(suite, calls);
    return suite;
}
