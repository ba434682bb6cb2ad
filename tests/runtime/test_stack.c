/* Everything that the library does for a caller is done on 32 KiB of its stack, and also where the caller's thread is
 * being cancelled: with every option of a context, for every operator, and for chains as long as they can be. What
 * takes no more than a pointer is in tests/null_calls.def and tried there the same way. */
#include "frontend/core/stage.h"
#include "runtime/generator/generator.h"
#include "tests/levels.h"
#include "tests/little_stack.h"
#include "tests/specs.h"

#include <aic/aic.h>
#include <aic/tool.h>
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Suite *suite_stack(void);

enum { TEXT_MAX = 8192, PATH = 128, BATCH = 3, TUNED = 4 };

static const char *const SPECS[] = {
    "conv2d(dtype=int8, fm_shape=[2,5,7,32], kernel_shape=[2,3,3,32,32], pad=[1,1,1,1])",
    "conv2d(dtype=float16, fm_shape=[2,5,7,16], kernel_shape=[2,3,3,32,16], accumulate=fast)",
    "mmad(dtype=bfloat16, m=17, k=40, n=33)",
    "mmad(dtype=int8, m=33, k=64, n=32) | fixpipe(src=int32, dst=int8, format=NZ, quantPre=VREQ8)",
    "tensor_arithmetic(op=BM_DIV, shape=[1,3,5,7])",
    "tensor_arithmetic_quantized(op=BM_ADD, shape=[8,3,5,7])",
    "transdata(dtype=float16, src=NHWC, dst=NC1HWC0, shape=[1,9,7,20])",
    "transdata(dtype=int8, src=NCHW, dst=NHWC, shape=[1,64,64,64])", /* lines of rows copied aside, on the stack */
    "texpands(arch=A5, loc=mat, dtype=float16, layout=NC1HWC0, shape=[1,16,7,7,16])",
    ("conv2d(dtype=float16, fm_shape=[1,4,4,16], kernel_shape=[1,2,2,16,16]) | tensor_arithmetic(op=BM_ADD)"
     " | tensor_arithmetic(op=BM_MUL, input1_is_const=true, input1_const=2) | tensor_arithmetic(op=BM_MAX) | "
     "tensor_arithmetic(op=BM_SUB)"
     " | fixpipe(src=float32, dst=float16, quantPre=F322F16)"),
};

enum { SPEC_COUNT = sizeof SPECS / sizeof SPECS[0], STAGES = AIC_DUMP_EXPLAIN + 1 };

/* What calls need and leave; on the heap. */
typedef struct tour {
    aic_context *context; /* with everything that a context can have */
    aic_context_options options;
    char folder[PATH], dumps[PATH], cache[PATH], db[PATH], other_db[PATH];
    aic_spec spec[SPEC_COUNT], made;
    void *operand[SPEC_COUNT][AIC_OPERANDS_MAX];
    aic_operand table[SPEC_COUNT][AIC_OPERANDS_MAX];
    size_t count[SPEC_COUNT];
    char text[TEXT_MAX];
    char failed[TEXT_MAX]; /* what, "" for nothing */
} tour;

static void expect(tour *t, aic_status status, const char *what)
{
    if (status != AIC_OK && t->failed[0] == '\0') {
        snprintf(t->failed, sizeof t->failed, "%s: %.512s", what, aic_last_error());
    }
}

/* ---- entries ---- */

static void make_context(tour *t)
{
    aic_context *context;
    expect(t, aic_context_create(&t->options, &context), "context");
    if (t->failed[0] == '\0') {
        aic_context_destroy(context);
    }
}

static void read_texts(tour *t)
{
    for (size_t i = 0; i < SPEC_COUNT; i++) {
        expect(t, aic_spec_read(SPECS[i], &t->made), "parse");
        expect(t, aic_spec_print(&t->made, t->text, sizeof t->text, NULL), "print");
        expect(t, aic_spec_validate(&t->made, NULL), "validate");
    }
    static const char *const WRONG[] = {"conv2d(dtype=int8, fm_shap=[1,2,3,32])", "conv2(dtype=int8)", "mmad(m=1,",
                                        "tensor_arithmetic(op=BM_ADDD, shape=[1,2,3,99999999999999999999])"};
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
        (void)aic_spec_read(WRONG[i], &t->made);
    }
}

static void draw_specs(tour *t)
{
    aic_operand *operands = t->table[0];
    for (uint64_t seed = 0; seed < 12; seed++) {
        size_t count;
        const aic_op op = (aic_op)(AIC_OP_NONE + 1 + seed % (AIC_OP_END - 1));
        expect(t, aic_spec_draw(op, NULL, seed, &t->made), "random");
        expect(t, aic_spec_operands(&t->made, NULL, operands, &count), "operands");
        expect(t, aic_spec_draw_illegal(op, NULL, seed, &t->made), "illegal");
        (void)aic_spec_validate(&t->made, NULL);
        expect(t, aic_spec_draw_chain(AIC_OP_NONE, AIC_OP_NONE, NULL, seed, &t->made), "chain");
        expect(t, aic_spec_operands(&t->made, NULL, operands, &count), "operands of the chain");
        expect(t, aic_spec_draw_chain_illegal(AIC_OP_NONE, AIC_OP_NONE, NULL, seed, &t->made), "illegal chain");
        (void)aic_spec_validate(&t->made, NULL);
    }
}

static void ask_about_specs(tour *t)
{
    for (size_t i = 0; i < SPEC_COUNT; i++) {
        int64_t macs, bytes;
        aic_result_layout layout = aic_result_layout_init();
        expect(t, aic_spec_work(&t->spec[i], NULL, &macs, &bytes), "work");
        expect(t, aic_spec_advise(&t->spec[i], NULL, t->operand[i], t->count[i]), "advise");
        (void)aic_spec_result_layout(&t->spec[i], NULL, &layout);
        (void)aic_spec_exact(&t->spec[i]);
    }
}

static void run_references(tour *t)
{
    for (size_t i = 0; i < SPEC_COUNT; i++) {
        expect(t, aic_reference(&t->spec[i], NULL, t->operand[i], t->count[i]), "reference");
        if (!aic_spec_exact(&t->spec[i])) {
            const size_t elements = (size_t)t->table[i][0].elements;
            double *exact = malloc(2 * elements * sizeof *exact);
            expect(t, aic_reference_bound(&t->spec[i], NULL, t->operand[i], t->count[i], exact, exact + elements),
                   "bound");
            free(exact);
        }
    }
}

static void trace_elements(tour *t)
{
    for (size_t i = 0; i < SPEC_COUNT; i++) {
        double value;
        const aic_status status =
            aic_trace(&t->spec[i], NULL, t->operand[i], t->count[i], 0, &value, t->text, sizeof t->text, NULL);
        expect(t, status, "trace");
        aic_finding *findings = malloc((size_t)t->table[i][0].elements * sizeof *findings);
        expect(t, findings ? AIC_OK : AIC_OUT_OF_MEMORY, "memory");
        expect(t, aic_diagnose(&t->spec[i], NULL, t->operand[i], t->count[i], findings), "diagnose");
        free(findings);
    }
}

static void call_function(tour *t, size_t i, const aic_kernel *kernel)
{
    const aic_kernel_fn function = aic_kernel_function(kernel, false);
    void *workspace = aligned_alloc(64, (aic_kernel_workspace_size(kernel) + 64) / 64 * 64);
    expect(t, function != NULL && workspace != NULL ? AIC_OK : AIC_OUT_OF_MEMORY, "function");
    if (t->failed[0] == '\0') {
        function(t->operand[i], workspace);
    }
    free(workspace);
}

static void make_kernels(tour *t)
{
    for (size_t i = 0; i < SPEC_COUNT; i++) {
        aic_kernel *kernel;
        expect(t, aic_kernel_create(t->context, &t->spec[i], NULL, &kernel), "kernel");
        if (t->failed[0] != '\0') {
            return;
        }
        size_t strides[AIC_OPERANDS_MAX] = {0}, bytes_of[AIC_OPERANDS_MAX];
        for (size_t k = 0; k < t->count[i]; k++) {
            bytes_of[k] = (size_t)t->table[i][k].bytes;
        }
        expect(t, aic_kernel_call(kernel, t->operand[i], t->count[i]), "call");
        expect(t, aic_kernel_call_sized(kernel, t->operand[i], bytes_of, t->count[i]), "call with lengths");
        call_function(t, i, kernel);
        expect(t, aic_kernel_call_batch(kernel, t->operand[i], strides, 1), "batch");
        for (size_t k = 0; k < t->count[i]; k++) {
            size_t bytes = 0;
            const aic_status packs = aic_kernel_packed_size(kernel, k, &bytes);
            expect(t, packs == AIC_UNSUPPORTED ? AIC_OK : packs, "packed size");
            void *packed = bytes > 0 ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL;
            if (packed != NULL) {
                void *given[AIC_OPERANDS_MAX];
                memcpy(given, t->operand[i], sizeof given);
                expect(t, aic_kernel_pack(kernel, k, packed, given[k]), "pack");
                given[k] = packed;
                expect(t, aic_kernel_call_packed(kernel, given, t->count[i]), "call with packed operands");
            }
            free(packed);
        }
        aic_kernel_destroy(kernel);
    }
}

/* From the disk cache, which make_kernels() has not written to: its context has dumps. */
static void load_kernels(tour *t)
{
    aic_context *context;
    t->options.dump_dir = "";
    t->options.profile = "";
    for (int turn = 0; turn < 2; turn++) {
        expect(t, aic_context_create(&t->options, &context), "context");
        for (size_t i = 0; i < SPEC_COUNT && t->failed[0] == '\0'; i++) {
            expect(t, aic_jit_spec(context, &t->spec[i], t->operand[i], t->count[i]), "jit");
        }
        aic_context_destroy(context);
    }
    t->options.dump_dir = t->dumps;
    t->options.profile = "perf,jitdump,gdb";
}

static void look_at_stages(tour *t)
{
    for (size_t i = 0; i < SPEC_COUNT; i++) {
        aic_explanation explanation = aic_explanation_init();
        aic_prediction prediction = aic_prediction_init();
        for (int stage = 0; stage < STAGES; stage++) {
            char *bytes;
            size_t size;
            expect(t, aic_dump(t->context, &t->spec[i], NULL, (aic_dump_stage)stage, NULL, NULL, &bytes, &size),
                   "dump");
            if (t->failed[0] == '\0') {
                aic_free(bytes);
            }
        }
        expect(t, aic_explain(t->context, &t->spec[i], NULL, NULL, &explanation), "explain");
        if (t->failed[0] == '\0') {
            aic_free(explanation.text);
        }
        expect(t, aic_schedule_predict(t->context, &t->spec[i], NULL, &prediction), "predict");
        expect(t, aic_schedule_candidate(t->context, &t->spec[i], 0, t->text, sizeof t->text), "candidate");
    }
}

static void export_kernels(tour *t)
{
    aic_export_kernel kernels[SPEC_COUNT];
    aic_exported made = aic_exported_init();
    for (size_t i = 0; i < SPEC_COUNT; i++) {
        kernels[i] = (aic_export_kernel){sizeof kernels[i], &t->spec[i], NULL, NULL};
    }
    expect(t, aic_export(t->context, kernels, SPEC_COUNT, NULL, NULL, &made), "export");
    if (t->failed[0] == '\0') {
        aic_exported_destroy(&made);
    }
}

static bool go_on(void *user, const aic_tune_result *so_far, double left)
{
    (void)user;
    (void)so_far;
    return left > 0;
}

static void tune_schedules(tour *t)
{
    aic_tune_options options = aic_tune_options_init();
    const char *const inputs[] = {t->db};
    size_t records;
    options.budget = 0.2;
    options.trials = 6;
    options.db = t->db;
    options.progress = go_on;
    for (size_t i = 0; i < TUNED; i++) {
        aic_tune_result result = aic_tune_result_init();
        expect(t, aic_tune(t->context, &t->spec[i], &options, &result), "tune");
        if (t->failed[0] == '\0') {
            aic_tune_result_destroy(&result);
        }
        expect(t, aic_tune(t->context, &t->spec[i], &options, &result), "tune what is known");
        if (t->failed[0] == '\0') {
            aic_tune_result_destroy(&result);
        }
    }
    if (access(t->db, R_OK) == 0) {
        expect(t, aic_tune_merge(inputs, 1, t->other_db, &records), "merge");
    }
}

static void report(void *user, const char *file, const char *what, const char *problem)
{
    (void)user;
    (void)file;
    (void)what;
    (void)problem;
}

static void look_at_disk(tour *t)
{
    aic_disk_cache_info info = aic_disk_cache_info_init();
    uint64_t removed;
    expect(t, aic_disk_cache_stat(t->context, &info), "stat");
    expect(t, aic_disk_cache_verify(t->context, report, NULL, &info), "verify");
    expect(t, aic_disk_cache_clear(t->context, &removed), "clear");
}

/* A group, and others. */
static void run_program(tour *t, aic_context *context)
{
    static const char PROGRAM[] = ".arg %s : f32\n"
                                  "%a = texpands %s : f32, !pto.tile<64x64xf32>\n"
                                  "%b = texpands 2.5 : f32, !pto.tile<vec, 33x24xf32, valid=32x17>\n"
                                  "%c = texpands %s : f32, !pto.tile<16x16xf32>\n";
    static float scalar[16], tile[3][64 * 64];
    void *const arguments[] = {scalar, tile[0], tile[1], tile[2]};
    aic_pto_program *program;
    expect(t, aic_pto_parse(PROGRAM, strlen(PROGRAM), NULL, &program), "read");
    if (t->failed[0] != '\0') {
        return;
    }
    expect(t, aic_pto_run(context, program, arguments, aic_pto_argument_count(program)), "run");
    expect(t, aic_pto_reference(program, arguments, aic_pto_argument_count(program)), "reference of the program");
    expect(t, aic_pto_print(program, t->text, sizeof t->text, NULL), "print");
    aic_pto_destroy(program);
}

static void run_programs(tour *t)
{
    run_program(t, t->context);
}

/* In a context whose kernels are linked where they are asked for: at the first turn LLVM makes own code and parts, at
 * the second one all parts are at hand, and no kernel is, of which the context keeps one. What is planned differs
 * between levels. */
static void link_kernels(tour *t)
{
    aic_context_options options = aic_context_options_init();
    options.cache_dir = t->cache;
    options.cache_kernels = 1;
    for (int level = 0; level < levels_count() && t->failed[0] == '\0'; level++) {
        aic_context *context;
        options.isa = levels_name(level);
        options.cache = level % 2 == 0 ? "rw" : "off";
        options.verbose = level % 2 == 0 ? t->options.verbose : 0;
        expect(t, aic_context_create(&options, &context), "context");
        for (size_t i = 0; i < 2 * SPEC_COUNT && t->failed[0] == '\0'; i++) {
            aic_kernel *kernel;
            expect(t, aic_kernel_create(context, &t->spec[i % SPEC_COUNT], NULL, &kernel), "linked kernel");
            if (t->failed[0] == '\0') {
                aic_kernel_destroy(kernel);
                run_program(t, context);
            }
        }
        aic_context_destroy(context);
    }
}

static void pack_data(tour *t)
{
    static uint8_t picture[2 * 3 * 5 * 7];
    static int8_t packed[2 * 3 * 5 * 32], weights[9 * 5 * 3 * 3];
    static _Alignas(64) int8_t fractals[1 * 3 * 3 * 16 * 32];
    const int64_t picture_shape[] = {2, 3, 5, 7}, weights_shape[] = {9, 5, 3, 3};
    expect(t, aic_pack_picture(picture, picture_shape, 32, 128, packed), "picture");
    expect(t, aic_pack_weights(AIC_INT8, weights, weights_shape, 32, fractals), "weights");
}

static const struct {
    const char *name;
    void (*call)(tour *t);
} ENTRIES[] = {
    {"contexts", make_context},
    {"texts", read_texts},
    {"random specifications", draw_specs},
    {"questions", ask_about_specs},
    {"references", run_references},
    {"traces", trace_elements},
    {"kernels", make_kernels},
    {"loaded kernels", load_kernels},
    {"stages", look_at_stages},
    {"exports", export_kernels},
    {"tuning", tune_schedules},
    {"the disk cache", look_at_disk},
    {"programs of tiles", run_programs},
    {"linked kernels", link_kernels},
    {"packing", pack_data},
};

enum { ENTRY_COUNT = sizeof ENTRIES / sizeof ENTRIES[0] };

/* ---- the tour ---- */

static void write_path(char path[PATH], const char *folder, const char *name)
{
    ck_assert_int_lt(snprintf(path, PATH, "%s/%s", folder, name), PATH);
}

static tour *tour_new(void)
{
    tour *t = calloc(1, sizeof *t);
    ck_assert_ptr_nonnull(t);
    strcpy(t->folder, "/tmp/aicjit-stack-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(t->folder));
    write_path(t->dumps, t->folder, "dumps");
    write_path(t->cache, t->folder, "cache");
    write_path(t->db, t->folder, "tuned.txt");
    write_path(t->other_db, t->folder, "merged.txt");
    ck_assert_int_eq(setenv("JITDUMPDIR", t->folder, 1), 0);
    t->options = aic_context_options_init();
    t->options.dump_dir = t->dumps;
    t->options.profile = "perf,jitdump,gdb";
    t->options.verbose =
        AIC_VERBOSE_CREATE | AIC_VERBOSE_EXEC | AIC_VERBOSE_CACHE | AIC_VERBOSE_DISPATCH; /* to nowhere */
    t->options.cache = "rw";
    t->options.cache_dir = t->cache;
    t->options.tuning_db = t->db;
    ck_assert_msg(aic_context_create(&t->options, &t->context) == AIC_OK, "%s", aic_last_error());
    for (size_t i = 0; i < SPEC_COUNT; i++) {
        t->spec[i] = spec_of(SPECS[i]);
        ck_assert_msg(aic_spec_operands(&t->spec[i], NULL, t->table[i], &t->count[i]) == AIC_OK, "%s",
                      aic_last_error());
        for (size_t k = 0; k < t->count[i]; k++) {
            const size_t bytes = (size_t)t->table[i][k].bytes;
            t->operand[i][k] = NULL;
            if (t->table[i][k].direction != AIC_DIRECTION_UNUSED) {
                t->operand[i][k] = aligned_alloc(64, (bytes + 64) / 64 * 64);
                ck_assert_ptr_nonnull(t->operand[i][k]);
                memset(t->operand[i][k], 0, bytes);
            }
        }
    }
    return t;
}

static void tour_free(tour *t)
{
    char command[2 * PATH];
    for (size_t i = 0; i < SPEC_COUNT; i++) {
        for (size_t k = 0; k < t->count[i]; k++) {
            free(t->operand[i][k]);
        }
    }
    aic_context_destroy(t->context);
    snprintf(command, sizeof command, "rm -rf %s /tmp/perf-%ld.map", t->folder, (long)getpid());
    ck_assert_int_eq(system(command), 0);
    free(t);
}

typedef struct stop {
    tour *t;
    int entry;
} stop;

static void visit(void *argument)
{
    const stop *s = argument;
    ENTRIES[s->entry].call(s->t);
}

/* Calls an entry on so much stack, of which it may use as much as `most`. */
static void check_entry(int entry, size_t stack_bytes, size_t most)
{
    bool finished;
    tour *t = tour_new();
    stop s = {t, entry};
    const int saved = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY);
    const unsigned strangers = aic_generator_strangers();
    ck_assert_int_ge(dup2(nowhere, STDERR_FILENO), 0);
    const size_t used = stack_used_by(visit, &s, stack_bytes, &finished);
    ck_assert_int_ge(dup2(saved, STDERR_FILENO), 0);
    close(saved);
    close(nowhere);
    ck_assert_msg(t->failed[0] == '\0', "%s: %s", ENTRIES[entry].name, t->failed);
    ck_assert_msg(aic_generator_strangers() == strangers, "%s: the generator was called on it", ENTRIES[entry].name);
    ck_assert_msg(finished, "%s: the thread was cancelled inside", ENTRIES[entry].name);
    ck_assert_msg(used <= most, "%s: %zu bytes of stack", ENTRIES[entry].name, used);
    tour_free(t);
}

/* A little more, so that using too much is seen and does not end the process. */
START_TEST(little_stack)
{
    check_entry(_i, LITTLE_STACK + ((size_t)64 << 10), LITTLE_STACK);
}
END_TEST

/* Where there is more, what makes kernels uses more than that (pipeline.c), but not all that it looks for. */
START_TEST(plenty_of_stack)
{
    check_entry(_i, PLENTY_OF_STACK, 3 * LITTLE_STACK);
}
END_TEST

Suite *suite_stack(void)
{
    Suite *suite = suite_create("stack");
    TCase *tcase = tcase_create("stack");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, little_stack, 0, ENTRY_COUNT);
    tcase_add_loop_test(tcase, plenty_of_stack, 0, ENTRY_COUNT);
    suite_add_tcase(suite, tcase);
    return suite;
}
