/* aicjit bench: how fast operators run. */
#include "tools/command.h"
#include "tools/harness/entry.h"
#include "tools/harness/fail.h"
#include "tools/harness/fill.h"
#include "tools/harness/guard.h"
#include "tools/harness/interrupt.h"
#include "tools/harness/timer.h"
#include "tools/progress.h"
#include "tools/pto_call.h"
#include "tools/specs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench_options {
    cli_session session;
    spec_source source;
    cli_pto pto;
    const char *weights;
    bool json;
    double min_time;
} bench_options;

/* A kernel with everything that a call needs. */
typedef struct bench_call {
    aic_kernel *kernel;
    size_t count;
    aic_operand operand[AIC_OPERANDS_MAX];
    guard_buffer buffer[AIC_OPERANDS_MAX], packed[AIC_OPERANDS_MAX], workspace;
    void *pointer[AIC_OPERANDS_MAX];
    const aic_spec *spec;
    bool use_packed;
    bool shared; /* among threads, which the kernel's C function is not */
} bench_call;

typedef struct bench_row {
    const char *spec;
    aic_kernel_info info;
    int64_t macs, bytes;
    timer_result time;
} bench_row;

static void call_once(void *argument)
{
    const bench_call *call = argument;
    if (!call->shared &&
        entry_direct(call->spec, call->kernel, call->use_packed, call->pointer, call->workspace.data)) {
        return;
    }
    (void)(call->use_packed ? aic_kernel_call_packed : aic_kernel_call)(call->kernel, call->pointer, call->count);
}

static void close_call(bench_call *call)
{
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        guard_close(&call->buffer[i]);
        guard_close(&call->packed[i]);
    }
    guard_close(&call->workspace);
    aic_kernel_release(call->kernel);
}

/* Packs the operands that the kernel packs. */
static int pack_operands(bench_call *call)
{
    for (size_t i = 0; i < call->count; i++) {
        size_t size = aic_kernel_packed_size(call->kernel, i);
        if (size == 0) {
            continue;
        }
        if (!guard_open(&call->packed[i], size, 64, GUARD_BEFORE)) {
            return cli_fail_memory("packed operand", size);
        }
        aic_status status = aic_kernel_pack(call->kernel, i, call->packed[i].data, call->pointer[i]);
        if (status != AIC_OK) {
            return cli_fail_library(NULL, status);
        }
        call->pointer[i] = call->packed[i].data;
    }
    return CLI_DONE;
}

static int open_operands(bench_call *call)
{
    for (size_t i = 0; i < call->count; i++) {
        const aic_operand *operand = &call->operand[i];
        if (operand->direction == AIC_UNUSED) {
            continue; /* NULL is passed */
        }
        if (!guard_open(&call->buffer[i], (size_t)operand->bytes, 64, GUARD_BEFORE)) {
            return cli_fail_memory(operand->name, (uint64_t)operand->bytes);
        }
        call->pointer[i] = call->buffer[i].data;
        int status = operand->direction == AIC_IN ? fill_operand(operand, "random:1", call->pointer[i]) : CLI_DONE;
        if (status != CLI_DONE) {
            return status;
        }
    }
    return CLI_DONE;
}

/* One call that checks its operands and may leave a warning; those that are measured do neither. */
static int call_checked(const bench_call *call)
{
    aic_status status =
        (call->use_packed ? aic_kernel_call_packed : aic_kernel_call)(call->kernel, call->pointer, call->count);
    if (status != AIC_OK) {
        return cli_fail_library(NULL, status);
    }
    cli_show_warning_of_request();
    return CLI_DONE;
}

static int open_call(bench_call *call, const bench_options *options, const aic_spec *spec)
{
    *call =
        (bench_call){.spec = spec, .use_packed = options->weights == NULL || strcmp(options->weights, "packed") == 0};
    aic_status failed = aic_spec_operands(spec, &options->session.semantics, call->operand, &call->count);
    if (failed != AIC_OK) {
        return cli_fail_library(NULL, failed);
    }
    int status = open_operands(call);
    if (status != CLI_DONE) {
        return status;
    }
    failed = aic_kernel_create(options->session.context, spec, NULL, &call->kernel);
    if (failed != AIC_OK) {
        return cli_fail_library(NULL, failed);
    }
    aic_kernel_info info;
    (void)aic_kernel_get_info(call->kernel, &info);
    call->shared = info.threads > 1;
    size_t workspace = aic_kernel_workspace_size(call->kernel);
    if (!guard_open(&call->workspace, workspace, 64, GUARD_BEFORE)) {
        return cli_fail_memory("workspace", workspace);
    }
    status = call->use_packed ? pack_operands(call) : CLI_DONE;
    return status == CLI_DONE ? call_checked(call) : status;
}

/* Writes the text as a JSON string. */
static void print_json_string(const char *text)
{
    (void)putchar('"');
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20) {
            printf("\\u%04x", *text);
        } else {
            printf("%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
        }
    }
    (void)putchar('"');
}

static void print_json(const bench_row *row)
{
    uint64_t compile_ns = row->info.compiled ? row->info.emit_ns + row->info.codegen_ns + row->info.link_ns : 0;
    printf("{\"spec\":");
    print_json_string(row->spec);
    printf(",\"kernel\":");
    print_json_string(row->info.name);
    printf(",\"isa\":");
    print_json_string(row->info.isa);
    printf(",\"threads\":%d,\"macs\":%" PRId64 ",\"bytes\":%" PRId64 ",\"median_ns\":%.1f,\"min_ns\":%.1f"
           ",\"p90_ns\":%.1f,\"gmacs_per_s\":%.3f,\"gbytes_per_s\":%.3f,\"compile_ns\":%" PRIu64 ",\"cache\":\"%s\"}\n",
           row->info.threads, row->macs, row->bytes, row->time.median_ns, row->time.min_ns, row->time.p90_ns,
           (double)row->macs / row->time.median_ns, (double)row->bytes / row->time.median_ns, compile_ns,
           row->info.compiled ? "miss"
           : row->info.loaded ? "disk"
                              : "memory");
}

static void print_table_head(void)
{
    printf("%12s %12s %12s %10s %10s %11s %7s  %-10s %s\n", "median us", "min us", "p90 us", "GMAC/s", "GB/s",
           "compile ms", "threads", "isa", "operator");
}

static void print_table_row(const bench_row *row)
{
    uint64_t compile_ns = row->info.compiled ? row->info.emit_ns + row->info.codegen_ns + row->info.link_ns : 0;
    printf("%12.2f %12.2f %12.2f %10.2f %10.2f %11.2f %7d  %-10s %s\n", row->time.median_ns * 1e-3,
           row->time.min_ns * 1e-3, row->time.p90_ns * 1e-3, (double)row->macs / row->time.median_ns,
           (double)row->bytes / row->time.median_ns, (double)compile_ns * 1e-6, row->info.threads, row->info.isa,
           row->spec);
}

static int bench_spec(const bench_options *options, const aic_spec *spec)
{
    bench_row row = {0};
    bench_call call;
    int status = open_call(&call, options, spec);
    char *text = cli_spec_text(spec);
    if (status == CLI_DONE && text == NULL) {
        status = cli_fail(CLI_SYSTEM, "bench: memory ran out");
    }
    if (status == CLI_DONE && (aic_spec_work(spec, &options->session.semantics, &row.macs, &row.bytes) != AIC_OK ||
                               aic_kernel_get_info(call.kernel, &row.info) != AIC_OK)) {
        status = cli_fail_library(NULL, AIC_INTERNAL);
    }
    if (status == CLI_DONE) {
        row.spec = text;
        row.time = timer_measure(call_once, &call, options->min_time, interrupt_requested);
        progress_clear();
        (options->json ? print_json : print_table_row)(&row);
        status = cli_flush_output(); /* a reader sees every row when it is ready */
    }
    free(text);
    close_call(&call);
    return status;
}

/* ---- programs ---- */

/* A warm program: all its kernels are there. */
typedef struct program_call {
    const bench_options *options;
    pto_call call;
} program_call;

static void run_program(void *argument)
{
    const program_call *p = argument;
    (void)aic_pto_run(p->options->session.context, p->call.program, p->call.pointer, p->call.count);
}

/* What all its statements read and write. */
static int program_bytes(const aic_pto_program *program, const aic_semantics *semantics, int64_t *bytes)
{
    *bytes = 0;
    for (size_t i = 0; i < aic_pto_statement_count(program); i++) {
        aic_pto_statement statement;
        int64_t macs = 0, own = 0;
        aic_status failed = aic_pto_get_statement(program, i, &statement);
        failed = failed == AIC_OK ? aic_spec_work(&statement.spec, semantics, &macs, &own) : failed;
        if (failed != AIC_OK) {
            return cli_fail_library(NULL, failed);
        }
        *bytes += own;
    }
    return CLI_DONE;
}

/* The first run, which makes the kernels, and what it took. */
static int first_run(program_call *p, bench_row *row)
{
    aic_cache_stats before = {0}, after = {0};
    const bench_options *options = p->options;
    (void)aic_context_cache_stats(options->session.context, &before);
    const uint64_t start = timer_now();
    const aic_status failed = aic_pto_run(options->session.context, p->call.program, p->call.pointer, p->call.count);
    if (failed != AIC_OK) {
        return cli_fail_library(NULL, failed);
    }
    row->info.codegen_ns = timer_now() - start;
    (void)aic_context_cache_stats(options->session.context, &after);
    row->info.compiled = after.compiles > before.compiles;
    row->info.loaded = after.loads > before.loads;
    row->info.name = "program";
    row->info.isa = aic_context_isa(options->session.context);
    return CLI_DONE;
}

static int bench_program(const bench_options *options)
{
    aic_pto_program *program = NULL;
    bench_row row = {.spec = options->pto.path};
    program_call p = {.options = options};
    int status = cli_pto_read(&options->pto, &options->session, &program);
    status = status == CLI_DONE ? pto_call_open(&p.call, program, &options->session.semantics, 1) : status;
    status = status == CLI_DONE ? program_bytes(program, &options->session.semantics, &row.bytes) : status;
    status = status == CLI_DONE ? first_run(&p, &row) : status;
    if (status == CLI_DONE) {
        row.time = timer_measure(run_program, &p, options->min_time, interrupt_requested);
        progress_clear();
        (options->json ? print_json : print_table_row)(&row);
        status = cli_flush_output();
    }
    pto_call_close(&p.call);
    aic_pto_free(program);
    return status;
}

static int bench_list(const bench_options *options, const spec_list *list)
{
    if (!options->json) {
        print_table_head();
    }
    progress_start("bench", list->count);
    int status = options->pto.path != NULL ? bench_program(options) : CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < list->count; i++) {
        status = bench_spec(options, &list->items[i]);
        if (status == CLI_DONE && !progress_step()) {
            break;
        }
    }
    int ended = progress_end();
    spec_list_report(list, &options->source, options->json ? stderr : stdout); /* JSON stays JSON */
    status = status == CLI_DONE ? ended : status;
    return spec_list_status(list, &options->source, status);
}

static int bench(bench_options *options)
{
    spec_list list = {0};
    int status = cli_session_open(&options->session);
    status = status == CLI_DONE ? spec_list_read(&options->session, &options->source, &list) : status;
    if (status == CLI_DONE && options->pto.placement != NULL && options->pto.path == NULL) {
        status = cli_fail(CLI_WRONG, "bench: --placement: has no effect without --pto");
    }
    if (status == CLI_DONE && spec_list_empty(&list, &options->source) && options->pto.path == NULL) {
        status = cli_fail(CLI_WRONG, "bench: nothing to measure: give SPEC, --batch FILE with operators or --pto FILE");
    }
    status = status == CLI_DONE ? bench_list(options, &list) : status;
    spec_list_free(&list);
    cli_session_close(&options->session);
    return status;
}

int cmd_bench(int argc, char **argv)
{
    bench_options o = {.session.threads = 1, .min_time = 0.3};
    args_list positional = {0};
    const args_option options[] = {
        SPEC_OPTIONS(o.source),
        {.name = "--json", .help = "one JSON object per operator", .kind = ARGS_FLAG, .target = &o.json},
        {.name = "--weights",
         .value = "packed|plain",
         .help = "pack weights before timing (default packed)",
         .kind = ARGS_TEXT,
         .target = &o.weights},
        {.name = "--min-time",
         .value = "S",
         .help = "seconds per operator (default 0.3)",
         .kind = ARGS_REAL,
         .target = &o.min_time,
         .low = 0,
         .high = 3600},
        CLI_OPTIONS_PTO(o.pto),
        CLI_OPTION_DT(o.session),
        CLI_OPTION_ARCH(o.session),
        CLI_OPTION_THREADS(o.session, "1"),
        CLI_OPTION_ISA(o.session, "LEVEL"),
    };
    args_option semantics[CLI_CHOICES];
    cli_semantics_options(&o.session, semantics);
    const args_command command = {
        .name = "bench",
        .arguments = "SPEC... [OPTION]...",
        .summary = "Measures the speed of operators.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .shared = semantics,
        .shared_count = CLI_CHOICES,
    };
    int status = args_parse(&command, argc, argv, SIZE_MAX, &positional);
    o.source.texts = &positional;
    if (status == CLI_DONE) {
        status = bench(&o);
    }
    args_list_free(&positional);
    return status == ARGS_HELP_SHOWN ? CLI_DONE : status;
}
