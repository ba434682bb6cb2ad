/* The list of tasks, and those of kernels, programs and references. Kernels are small: each is made once for every call
 * that fails. */
#include "tests/faults/scenarios.h"
#include "frontend/core/spec.h"
#include "runtime/threads/pool.h"
#include "tests/faults/calls.h"
#include "tests/faults/task.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHAIN TASK_PRODUCT " | fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ)"
#define FILL_PROGRAM                                                                                                   \
    ".arg %s : f32\n%a = texpands %s : f32, !pto.tile<4x8xf32>\n%b = texpands %s : f32, !pto.tile<4x8xf32>\n"

static _Alignas(64) unsigned char packed[TASK_BYTES];

/* ---- contexts and calls ---- */

static aic_status make_contexts(const char **wrong)
{
    aic_context *context;
    aic_status status = task_context(task_path.dumps, "gdb", 0, 2, &context);
    *wrong = status != AIC_OK && context != NULL ? "a context that could not be made was handed out" : *wrong;
    aic_context_destroy(context);
    return status;
}

static aic_status call_twice(const char **wrong)
{
    static unsigned char known[TASK_BYTES];
    aic_context *context;
    aic_status status = task_context(NULL, NULL, 0, 1, &context);
    status = status == AIC_OK ? task_call(context, TASK_MOVE, 2, known, wrong) : status;
    status = status == AIC_OK ? task_call(context, TASK_MOVE, 2, known, wrong) : status;
    aic_context_destroy(context);
    return status;
}

/* Calls a kernel in a context that writes dumps to a folder; NULL: it writes none. */
static aic_status call_once(const char *folder_of_dumps, const char *text, size_t count,
                            unsigned char known[TASK_BYTES], const char **wrong)
{
    aic_context *context;
    aic_status status = task_context(folder_of_dumps, NULL, 0, 1, &context);
    status = status == AIC_OK ? task_call(context, text, count, known, wrong) : status;
    aic_context_destroy(context);
    return status;
}

static aic_status call_chain(const char **wrong)
{
    static unsigned char known[TASK_BYTES];
    return call_once(NULL, CHAIN, 4, known, wrong);
}

static aic_status call_packed(const char **wrong)
{
    static unsigned char known[TASK_BYTES];
    aic_context *context;
    aic_kernel *kernel = NULL;
    aic_spec spec;
    aic_status status = task_context(NULL, NULL, 0, 1, &context);
    status = status == AIC_OK ? aic_spec_read(TASK_PRODUCT, &spec) : status;
    status = status == AIC_OK ? aic_kernel_create(context, &spec, NULL, &kernel) : status;
    task_fill();
    status = status == AIC_OK ? aic_kernel_pack(kernel, 2, packed, task_operand[2]) : status;
    if (status == AIC_OK && aic_kernel_function(kernel, true) == NULL) {
        status = AIC_OUT_OF_MEMORY;
    }
    if (status == AIC_OK) {
        task_operand[2] = packed;
        status = aic_kernel_call_packed(kernel, task_operand, 3);
        task_judge(status, known, wrong);
    }
    aic_kernel_destroy(kernel);
    aic_context_destroy(context);
    return status;
}

/* ---- what is written beside results ---- */

/* Files in the folder of dumps that are not finished. */
static bool temporary_left(void)
{
    bool found = false;
    DIR *files = opendir(task_path.dumps);
    for (struct dirent *entry; files != NULL && (entry = readdir(files)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        found |= dot != NULL && dot[1] >= '0' && dot[1] <= '9';
    }
    if (files != NULL) {
        closedir(files);
    }
    return found;
}

static aic_status call_observed(const char **wrong)
{
    static unsigned char known[TASK_BYTES];
    aic_context *context;
    const int all = AIC_VERBOSE_CREATE | AIC_VERBOSE_EXEC | AIC_VERBOSE_CACHE | AIC_VERBOSE_DISPATCH;
    aic_status status = task_context(task_path.dumps, "gdb,perf,jitdump", all, 1, &context);
    status = status == AIC_OK ? task_call(context, TASK_MOVE, 2, known, wrong) : status;
    aic_context_destroy(context);
    *wrong = temporary_left() ? "a temporary file is left" : *wrong;
    return status;
}

static aic_status call_dumped(const char **wrong)
{
    static unsigned char known[TASK_BYTES];
    const aic_status status = call_once(task_path.dumps, TASK_MOVE, 2, known, wrong);
    *wrong = temporary_left() ? "a temporary file is left" : *wrong;
    return status;
}

static aic_status dump_stages(const char **wrong)
{
    aic_context *context;
    aic_spec spec;
    aic_status status = task_context(NULL, NULL, 0, 1, &context);
    status = status == AIC_OK ? aic_spec_read(TASK_MOVE, &spec) : status;
    for (int stage = AIC_DUMP_IR; status == AIC_OK && stage <= AIC_DUMP_EXPLAIN; stage++) {
        char *bytes = NULL;
        size_t size = 0;
        status = aic_dump(context, &spec, NULL, (aic_dump_stage)stage, NULL, NULL, &bytes, &size);
        *wrong = (status == AIC_OK) != (bytes != NULL) ? "a dump without bytes, or bytes without a dump" : *wrong;
        aic_free(bytes);
    }
    aic_context_destroy(context);
    return status;
}

static aic_status export_kernels(const char **wrong)
{
    aic_context *context;
    aic_spec spec[2];
    aic_exported made = aic_exported_init();
    aic_status status = task_context(NULL, NULL, 0, 1, &context);
    status = status == AIC_OK ? aic_spec_read(TASK_MOVE, &spec[0]) : status;
    status = status == AIC_OK ? aic_spec_read(TASK_PRODUCT, &spec[1]) : status;
    if (status == AIC_OK) {
        const aic_export_kernel kernels[] = {{sizeof kernels[0], &spec[0], "move", NULL},
                                             {sizeof kernels[0], &spec[1], NULL, NULL}};
        status = aic_export(context, kernels, 2, "sse2,avx2", "x86_64-linux-gnu", &made);
        *wrong =
            (status == AIC_OK) != (made.object != NULL && made.header != NULL) ? "an export without files" : *wrong;
    }
    aic_exported_destroy(&made);
    aic_context_destroy(context);
    return status;
}

/* ---- threads ---- */

static atomic_int turns;

static void in_turn(void *user, int64_t items, int workers, aic_parallel_body body, void *data)
{
    (void)user;
    (void)workers;
    atomic_fetch_add(&turns, 1);
    body(data, 0, items, 0);
}

/* A call that is long enough at this level to be shared. */
static aic_status call_shared(aic_parallel_for loop, unsigned char *known, const char **wrong)
{
    aic_context_options options = aic_context_options_init();
    aic_context *context = NULL;
    options.threads = 2;
    options.isa = "sse2";
    options.parallel_for = loop;
    atomic_store(&turns, 0);
    options.tuning_db = "";
    aic_status status = aic_context_create(&options, &context);
    status = status == AIC_OK ? task_call(context, "mmad(dtype=int8, m=128, n=64, k=512)", 3, known, wrong) : status;
    if (status == AIC_OK && calls_failed() == NULL && !(loop != NULL ? atomic_load(&turns) > 0 : aic_pool_exists())) {
        *wrong = "the call is not shared though nothing failed";
    }
    aic_context_destroy(context);
    return status;
}

static aic_status call_with_loop(const char **wrong)
{
    static unsigned char known[TASK_BYTES];
    return call_shared(in_turn, known, wrong);
}

static aic_status call_with_pool(const char **wrong)
{
    static unsigned char known[TASK_BYTES];
    return call_shared(NULL, known, wrong);
}

/* Images that the threads of the pool divide, and one that they share; the weights are packed for all. */
static aic_status call_batch(const char **wrong)
{
    static unsigned char known[TASK_BYTES];
    const size_t strides[] = {TASK_BYTES / 4, 0, 0};
    aic_context_options options = aic_context_options_init();
    aic_context *context = NULL;
    aic_kernel *kernel = NULL;
    aic_spec spec;
    options.threads = 2;
    options.isa = "sse2";
    options.tuning_db = "";
    aic_status status = aic_context_create(&options, &context);
    status = status == AIC_OK ? aic_spec_read("mmad(dtype=int8, m=64, n=64, k=512)", &spec) : status;
    status = status == AIC_OK ? aic_kernel_create(context, &spec, NULL, &kernel) : status;
    task_fill();
    if (status == AIC_OK) {
        status = aic_kernel_call_batch(kernel, task_operand, strides, 3);
        task_judge(status, known, wrong);
    }
    aic_kernel_destroy(kernel);
    aic_context_destroy(context);
    return status;
}

/* ---- programs, text, references ---- */

static aic_status run_program(const char **wrong)
{
    static float scalar = 2.5F, tiles[2][4][8];
    void *arguments[] = {&scalar, tiles[0], tiles[1]};
    aic_context *context;
    aic_pto_program *program = NULL;
    aic_status status = task_context(NULL, NULL, 0, 1, &context);
    memset(tiles, 0, sizeof tiles);
    status = status == AIC_OK ? aic_pto_parse(FILL_PROGRAM, strlen(FILL_PROGRAM), NULL, &program) : status;
    status = status == AIC_OK ? aic_pto_run(context, program, arguments, 3) : status;
    const float wanted = status == AIC_OK ? scalar : 0;
    if (tiles[0][0][0] != wanted || tiles[1][3][7] != wanted) {
        *wrong = "tiles are not as the status says";
    }
    aic_pto_destroy(program);
    aic_context_destroy(context);
    return status;
}

static aic_status ask_reference(const char **wrong)
{
    static unsigned char known[TASK_BYTES];
    static double exact[16 * 16], bound[16 * 16];
    static char trace[4096];
    aic_spec spec, fast;
    char text[4096];
    aic_status status = aic_spec_read(CHAIN, &spec);
    task_fill();
    if (status == AIC_OK) {
        status = aic_reference(&spec, NULL, task_operand, 4);
        task_judge(status, known, wrong);
    }
    status = status == AIC_OK ? aic_spec_print(&spec, text, sizeof text, NULL) : status;
    status = status == AIC_OK ? aic_trace(&spec, NULL, task_operand, 4, 0, NULL, text, sizeof text, NULL) : status;
    if (status == AIC_OK) {
        if (trace[0] == '\0') {
            memcpy(trace, text, sizeof trace);
        }
        *wrong = strcmp(trace, text) == 0 ? *wrong : "a trace differs from that without failures";
    }
    status = status == AIC_OK ? aic_spec_read("mmad(dtype=float16, m=16, n=16, k=16, accumulate=fast)", &fast) : status;
    return status == AIC_OK ? aic_reference_bound(&fast, NULL, task_operand, 3, exact, bound) : status;
}

const scenario scenarios[] = {
    {"contexts", make_contexts, false},
    {"calls", call_twice, false},
    {"a chain", call_chain, false},
    {"packing", call_packed, false},
    {"observing", call_observed, true},
    {"files of dumps", call_dumped, false},
    {"dumps", dump_stages, false},
    {"export", export_kernels, false},
    {"merging", tuning_merge, false},
    {"estimating", tuning_estimate, false},
    {"a loop", call_with_loop, false},
    {"the pool", call_with_pool, false},
    {"a program", run_program, false},
    {"reference", ask_reference, false},
    {"a batch", call_batch, false},
    {"measuring", tuning_measure, true},
    {"the disk", disk_keep, true},
    {"the folder on disk", disk_look_after, true},
    {"parts on disk", disk_keep_parts, true},
    {"ready-made parts", disk_ready_parts, true},
    {"a network", networks_run, false},
    {"a network's object", networks_export, false},
    {"little memory", scarce_memory, true},
    {"new threads", scarce_records, true},
    {"a small cache", scarce_cache, true},
};
const size_t scenario_count = sizeof scenarios / sizeof scenarios[0];

/* ---- files ---- */

bool scenarios_open(void)
{
    if (mkdtemp(task_path.folder) == NULL || chdir(task_path.folder) != 0) {
        return false;
    }
    snprintf(task_path.dumps, sizeof task_path.dumps, "%s/dumps", task_path.folder);
    snprintf(task_path.tuning, sizeof task_path.tuning, "%s/tuning.txt", task_path.folder);
    snprintf(task_path.merged, sizeof task_path.merged, "%s/merged.txt", task_path.folder);
    snprintf(task_path.tuned, sizeof task_path.tuned, "%s/tuned.txt", task_path.folder);
    snprintf(task_path.kept, sizeof task_path.kept, "%s/kept", task_path.folder);
    snprintf(task_path.net, sizeof task_path.net, "%s/net", task_path.folder);
    snprintf(task_path.made, sizeof task_path.made, "%s/made", task_path.folder);
    return networks_open() && tuning_open() && setenv("JITDUMPDIR", task_path.folder, 1) == 0;
}

void scenarios_close(void)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    (void)unlink(path);
    tuning_close();
    task_remove_folder(task_path.dumps);
    task_remove_folder(task_path.kept);
    task_remove_folder(task_path.net);
    task_remove_folder(task_path.made);
    task_remove_folder(task_path.folder);
}
