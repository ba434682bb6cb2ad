/* aicjit run: one operator, or a program of PTO-AS, on tensor files. */
#include "tools/command.h"
#include "tools/harness/fail.h"
#include "tools/harness/memory.h"
#include "tools/laboratory/diagnosis.h"
#include "tools/object.h"
#include "tools/operands.h"
#include "tools/pto.h"
#include "tools/results.h"
#include "tools/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct run_state {
    cli_session session;
    cli_pto pto;
    cli_object object;        /* its file is NULL: it is a specification or a program */
    aic_pto_program *program; /* NULL: it is a specification */
    aic_spec *spec;
    bool reference, diagnose, json;
    const char *report; /* a file of the diagnosis, NULL: none */
    outfile page;
    diagnosis found;
    compare_limits limits; /* of --expect */
    cli_operands operands;
} run_state;

static aic_status run_kernel(const run_state *run, void *const pointers[])
{
    aic_kernel *kernel = NULL;
    aic_status status = aic_kernel_create(run->session.context, run->spec, NULL, &kernel);
    if (status == AIC_OK && aic_kernel_workspace_size(kernel) > memory_left()) {
        (void)cli_fail_memory("workspace", aic_kernel_workspace_size(kernel));
        status = AIC_OUT_OF_MEMORY;
    } else if (status == AIC_OK) {
        status = aic_kernel_call(kernel, pointers, run->operands.count);
    }
    aic_kernel_destroy(kernel);
    return status;
}

static aic_status run_program(const run_state *run, void *const pointers[])
{
    return run->reference ? aic_pto_reference(run->program, pointers, run->operands.count)
                          : aic_pto_run(run->session.context, run->program, pointers, run->operands.count);
}

/* again: outputs that have a second buffer get their results there. */
static int compute(run_state *run, bool again)
{
    void **pointers = run->operands.pointers;
    for (size_t i = 0; i < run->operands.count; i++) {
        const cli_operand *o = &run->operands.items[i];
        pointers[i] = again && o->again.data != NULL ? o->again.data : o->buffer.data;
    }
    if (run->object.file != NULL) {
        return object_call(&run->object, pointers);
    }
    const aic_status status = run->program != NULL ? run_program(run, pointers)
                              : run->reference
                                  ? aic_reference(run->spec, &run->session.semantics, pointers, run->operands.count)
                                  : run_kernel(run, pointers);
    if (status == AIC_OK && !again && run->program == NULL) {
        char warning[400] = "";
        const char *left = aic_take_warning();
        (void)snprintf(warning, sizeof warning, "%s", left != NULL ? left : "");
        cli_show_advice(warning, run->spec, &run->session.semantics, pointers, run->operands.count);
    } else if (status == AIC_OK && !again) {
        cli_show_warning();
    }
    if (status != AIC_OK) {
        return cli_status(NULL, status);
    }
    (void)aic_take_warning();
    return CLI_DONE;
}

/* ---- elements that are not written ---- */

/* Whether what the operator leaves alone is nothing that the caller has put there, and matters. */
static bool wants_mask(const cli_operand *o)
{
    const bool shown = o->out == NULL || o->expect != NULL;
    return o->operand.direction == AIC_DIRECTION_OUT && o->in == NULL && o->fill == NULL && shown &&
           o->operand.elements > 0;
}

/* Finds the elements that the operator does not write. Such an output has started as zeros; a second run on another one
 * that starts as ones gives the same everywhere but there. */
static int find_unwritten(run_state *run)
{
    bool wanted = false;
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < run->operands.count; i++) {
        cli_operand *o = &run->operands.items[i];
        if (wants_mask(o)) {
            wanted = true;
            const bool had = guard_open(&o->again, (size_t)o->operand.bytes, 64, GUARD_BEFORE) &&
                             guard_open(&o->skip, (size_t)o->operand.elements, 1, GUARD_BEFORE);
            status = had ? CLI_DONE : cli_fail_memory(o->operand.name, (uint64_t)o->operand.bytes);
            if (had) {
                memset(o->again.data, 0xFF, (size_t)o->operand.bytes);
            }
        }
    }
    status = status == CLI_DONE && wanted ? compute(run, true) : status;
    for (size_t i = 0; status == CLI_DONE && i < run->operands.count; i++) {
        cli_operand *o = &run->operands.items[i];
        if (o->skip.data != NULL) {
            const size_t size = aic_dtype_size(o->operand.dtype);
            const unsigned char *first = o->buffer.data, *second = o->again.data;
            unsigned char *skip = o->skip.data;
            for (int64_t e = 0; e < o->operand.elements; e++) {
                skip[e] = memcmp(first + (size_t)e * size, second + (size_t)e * size, size) != 0;
            }
        }
    }
    return status;
}

/* ---- results ---- */

/* Under which name the next operator knows the result, of those that have one; the library keeps to itself what is
 * wrong with the others. */
static void show_layout(const run_state *run)
{
    aic_result_layout layout = aic_result_layout_init();
    if (run->pto.path != NULL || run->object.file != NULL ||
        aic_spec_result_layout(run->spec, &run->session.semantics, &layout) != AIC_OK) {
        return;
    }
    printf("  its bytes are %s [", layout.name);
    for (int32_t d = 0; d < layout.rank; d++) {
        printf("%s%" PRId64, d > 0 ? "," : "", layout.shape[d]);
    }
    printf("]\n");
}

/* What is not written to a file is shown, or compared. */
static int show_results(run_state *run)
{
    bool differs = false;
    int status = find_unwritten(run);
    for (size_t i = 0; status == CLI_DONE && i < run->operands.count; i++) {
        const cli_operand *o = &run->operands.items[i];
        if (o->expect != NULL) {
            status = results_compare(o, &run->limits, &differs);
        } else if (o->out == NULL && (o->operand.direction & AIC_DIRECTION_OUT)) {
            tensor_view(&o->operand, &o->coordinates, o->buffer.data, o->skip.data);
            show_layout(run);
        }
    }
    return status == CLI_DONE && differs ? CLI_MISMATCH : status;
}

/* Before the operator writes its output. */
static int diagnose(run_state *run)
{
    int status = run->report != NULL ? outfile_open(&run->page, "run", run->report) : CLI_DONE;
    return status == CLI_DONE && run->diagnose
               ? diagnosis_open(&run->found, "run", run->spec, &run->session.semantics, &run->operands)
               : status;
}

static int show_diagnosis(run_state *run)
{
    int status = run->report != NULL ? diagnosis_write(&run->found, &run->page, "run") : CLI_DONE;
    if (status == CLI_DONE && run->json) {
        return diagnosis_print_json(&run->found);
    }
    if (status == CLI_DONE && run->diagnose) {
        diagnosis_print(&run->found);
    }
    return status;
}

/* Results, and what happened to their data; JSON is the only thing on standard output. */
static int show(run_state *run)
{
    int status = CLI_DONE;
    if (!run->json) {
        cli_show_choices(&run->session.semantics);
        status = show_results(run);
    }
    const int shown = status == CLI_DONE || status == CLI_MISMATCH ? show_diagnosis(run) : status;
    return shown == CLI_DONE ? status : shown;
}

/* Finds out what is to be run, and its operands. */
static int open_subject(run_state *run, const char *text)
{
    if (run->object.file != NULL) {
        const cli_object *o = &run->object;
        const int status = object_open(&run->object);
        return status == CLI_DONE ? operands_of_tensors(&run->operands, o->tensor, o->direction, o->count) : status;
    }
    const int status = text == NULL ? cli_pto_read(&run->pto, &run->session, &run->program)
                                    : cli_parse_spec(&run->session, text, &run->spec);
    return status == CLI_DONE ? operands_list(&run->operands, run->spec, &run->session.semantics, run->program)
                              : status;
}

static int run_spec(run_state *run, const char *text)
{
    int status = cli_session_open(&run->session);
    status = status == CLI_DONE ? open_subject(run, text) : status;
    status = status == CLI_DONE ? operands_bind(&run->operands) : status;
    status = status == CLI_DONE ? operands_load(&run->operands) : status;
    status = status == CLI_DONE ? results_open(&run->operands) : status;
    status = status == CLI_DONE ? diagnose(run) : status;
    status = status == CLI_DONE ? compute(run, false) : status;
    status = status == CLI_DONE ? results_store(&run->operands) : status;
    status = status == CLI_DONE ? show(run) : status;
    aic_pto_destroy(run->program);
    cli_session_close(&run->session);
    return status;
}

/* What options have to do with each other. */
static int check_options(const run_state *run, size_t texts)
{
    const bool object = run->object.file != NULL, expects = run->operands.pairs[PAIR_EXPECT].count > 0;
    const args_refusal refusals[] = {
        {object && run->reference, "--reference: has no effect on an object"},
        {object && run->diagnose, "--diagnose: has no effect on an object"},
        {object && run->pto.path != NULL, "--pto: has no effect on an object"},
        {run->limits.ulp > 0 && !expects, "--ulp: has no effect without --expect"},
        {run->json && !run->diagnose, "--json: has no effect without --diagnose"},
        {run->report != NULL && !run->diagnose, "--report: has no effect without --diagnose"},
        {run->diagnose && texts == 0, "--diagnose: has no effect on a program, whose fills have no steps"},
        {run->json && expects, "--expect: its report is text, which --json leaves no place for"},
    };
    int status = object_check(&run->object, texts);
    status = status == CLI_DONE && !object ? cli_pto_check("run", &run->pto, texts) : status;
    return status == CLI_DONE ? ARGS_REFUSE("run", refusals) : status;
}

static void close_all(run_state *run)
{
    diagnosis_close(&run->found);
    outfile_close(&run->page);
    operands_close(&run->operands);
    object_close(&run->object);
    aic_spec_destroy(run->spec);
}

int cmd_run(int argc, char **argv)
{
    run_state run = {.operands.command = "run"};
    args_list positional = {0};
    const args_option options[] = {
        CLI_OPTIONS_INPUTS(run.operands),
        option_list("--out", "NAME=FILE", "write a result, or an input that --fill, a value or --quantise makes",
                    &run.operands.pairs[PAIR_OUT]),
        option_list("--expect", "NAME=FILE", "compare a result with a file; exit status 1 when they differ",
                    &run.operands.pairs[PAIR_EXPECT]),
        option_integer("--ulp", "N", "elements up to N values of their type apart count as equal (default 0)",
                       &run.limits.ulp, 0, INT64_MAX),
        option_flag("--diagnose",
                    "tell what happened to the data on the way: sums that were clamped, NaN, limits, old content, ...",
                    &run.diagnose),
        option_flag("--json", "print the diagnosis alone, as JSON", &run.json),
        option_text("--report", "FILE.html", "write the diagnosis as a page, with pictures of the result's channels",
                    &run.report),
        option_flag("--reference", "use the plain-C reference", &run.reference),
        CLI_OPTIONS_PTO(run.pto),
        CLI_OPTIONS_OBJECT(run.object),
        CLI_OPTION_DT(run.session),
        CLI_OPTION_ARCH(run.session),
        CLI_OPTION_THREADS(run.session, "all processors"),
        CLI_OPTION_ISA(run.session, "LEVEL"),
    };
    const args_command command = {
        .name = "run",
        .arguments = "SPEC | --pto FILE | --object FILE.so --header FILE.h --name NAME [OPTION]...",
        .summary = "Runs one operator, or a program, on tensor files.",
        ARGS_OPTIONS(options),
    };
    int status = cli_parse(&run.session, &command, argc, argv, 1, &positional);
    status = status == CLI_DONE ? check_options(&run, positional.count) : status;
    if (status == CLI_DONE) {
        status = run_spec(&run, positional.count > 0 ? positional.items[0] : NULL);
    }
    close_all(&run);
    return status;
}
