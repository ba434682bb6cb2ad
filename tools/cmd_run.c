/* aicjit run: one operator, or a program of PTO-AS, on tensor files. */
#include "tools/command.h"
#include "tools/harness/compare.h"
#include "tools/harness/fail.h"
#include "tools/harness/fill.h"
#include "tools/harness/guard.h"
#include "tools/harness/memory.h"
#include "tools/harness/operand_file.h"
#include "tools/pto.h"
#include "tools/session.h"
#include "tools/tensor_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One operand of the run: where it comes from and goes to. */
typedef struct run_operand {
    aic_operand operand;
    const char *in, *fill, *out, *expect; /* NULL: not given */
    bool quantise;                        /* the file holds scales */
    guard_buffer buffer;
    guard_buffer again, skip; /* see find_unwritten() */
    outfile file;
} run_operand;

typedef struct run_state {
    cli_session session;
    cli_pto pto;
    aic_pto_program *program; /* NULL: it is a specification */
    aic_spec spec;
    bool reference;
    compare_limits limits; /* of --expect */
    args_list scales;      /* of --quantise */
    size_t count;
    run_operand *operands;
} run_state;

static bool is_used(const run_operand *o)
{
    return o->operand.direction != AIC_UNUSED;
}

/* The operand with this name that the descriptor takes, or NULL with a message that lists them. */
static run_operand *find_operand(run_state *run, const char *option, const char *name, size_t length)
{
    char names[128] = "";
    bool known = false;
    for (size_t i = 0; i < run->count; i++) {
        run_operand *o = &run->operands[i];
        const bool match = strlen(o->operand.name) == length && memcmp(o->operand.name, name, length) == 0;
        if (match && is_used(o)) {
            return o;
        }
        known |= match;
        if (is_used(o)) {
            size_t used = strlen(names);
            (void)snprintf(names + used, sizeof names - used, "%s%s", used == 0 ? "" : ", ", o->operand.name);
        }
    }
    const int shown = (int)(length < 100 ? length : 100);
    (void)(known ? cli_fail(CLI_WRONG, "run: %s: this descriptor does not take %.*s; its operands are %s", option,
                            shown, name, names)
                 : cli_fail(CLI_WRONG, "run: %s: \"%.*s\" is none of the operands %s", option, shown, name, names));
    return NULL;
}

/* Whether --in takes the value itself: the scalar of texpands, a valid size. */
static bool takes_value(const aic_operand *operand)
{
    return operand->direction == AIC_IN && operand->rank == 1 && operand->elements == 1;
}

/* Which member of run_operand an option sets. */
typedef enum pair_kind { PAIR_IN, PAIR_FILL, PAIR_OUT, PAIR_EXPECT, PAIR_KINDS } pair_kind;

static int take_pair(run_state *run, pair_kind kind, const char *pair)
{
    static const char *const option[] = {"--in", "--fill", "--out", "--expect"};
    size_t length;
    const char *value;
    if (!args_split(pair, &length, &value) || *value == '\0') {
        return cli_fail(CLI_WRONG, "run: %s: \"%.200s\" is not NAME=%s", option[kind], pair,
                        kind == PAIR_FILL ? "zeros|const:V|random:SEED" : "FILE");
    }
    run_operand *o = find_operand(run, option[kind], pair, length);
    if (o == NULL) {
        return CLI_WRONG;
    }
    if (kind >= PAIR_OUT && o->operand.direction == AIC_IN) {
        return cli_fail(CLI_WRONG, "run: %s: %s is an input", option[kind], o->operand.name);
    }
    const char **const member[] = {&o->in, &o->fill, &o->out, &o->expect};
    if (*member[kind] != NULL || (kind < PAIR_OUT && (o->in != NULL || o->fill != NULL))) {
        return cli_fail(CLI_WRONG, "run: %s: %s is given twice", option[kind], o->operand.name);
    }
    *member[kind] = value;
    const bool no_file = kind == PAIR_FILL || (kind == PAIR_IN && takes_value(&o->operand));
    return no_file ? CLI_DONE : operand_file_check(&o->operand, value);
}

static int take_pairs(run_state *run, pair_kind kind, const args_list *pairs)
{
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < pairs->count; i++) {
        status = take_pair(run, kind, pairs->items[i]);
    }
    return status;
}

/* Notes of which operands the files hold scales. */
static int take_scales(run_state *run, const args_list *names)
{
    for (size_t i = 0; i < names->count; i++) {
        run_operand *o = find_operand(run, "--quantise", names->items[i], strlen(names->items[i]));
        if (o == NULL) {
            return CLI_WRONG;
        }
        if (o->operand.dtype != AIC_UINT64 || o->in == NULL) {
            return cli_fail(CLI_WRONG, "run: --quantise: %s %s", o->operand.name,
                            o->in == NULL ? "is given no file" : "holds no quantisation words");
        }
        o->quantise = true;
    }
    return CLI_DONE;
}

/* The operands of the specification, or the arguments of the program. */
static int list_operands(run_state *run)
{
    aic_operand operands[AIC_OPERANDS_MAX];
    aic_status failed = AIC_OK;
    size_t count = aic_pto_argument_count(run->program);
    if (run->program == NULL) {
        failed = aic_spec_operands(&run->spec, &run->session.semantics, operands, &count);
    }
    if (failed != AIC_OK) {
        return cli_fail_library(NULL, failed);
    }
    run->operands = calloc(count + 1, sizeof *run->operands);
    if (run->operands == NULL) {
        return cli_fail_memory("operands", count * sizeof *run->operands);
    }
    for (; run->count < count; run->count++) {
        aic_operand *operand = &run->operands[run->count].operand;
        run->operands[run->count].file.fd = -1;
        if (run->program == NULL) {
            *operand = operands[run->count];
        } else if ((failed = aic_pto_argument(run->program, run->count, operand)) != AIC_OK) {
            return cli_fail_library(NULL, failed);
        }
    }
    return CLI_DONE;
}

/* The operand table, and what the options say about each. */
static int bind_operands(run_state *run, const args_list pairs[PAIR_KINDS])
{
    int status = list_operands(run);
    for (int kind = 0; status == CLI_DONE && kind < PAIR_KINDS; kind++) {
        status = take_pairs(run, (pair_kind)kind, &pairs[kind]);
    }
    status = status == CLI_DONE ? take_scales(run, &run->scales) : status;
    for (size_t i = 0; status == CLI_DONE && i < run->count; i++) {
        const run_operand *o = &run->operands[i];
        if (o->operand.direction == AIC_IN && o->in == NULL && o->fill == NULL) {
            status = cli_fail(CLI_WRONG, "run: input %s is missing: give --in %s=%s or --fill %s=...", o->operand.name,
                              o->operand.name, takes_value(&o->operand) ? "VALUE" : "FILE", o->operand.name);
        }
    }
    return status;
}

/* Reads scales, float32, as the quantisation words of those. Results are signed unless they are uint8. */
static int read_scales(const run_operand *o, bool is_signed)
{
    aic_operand scales = o->operand;
    guard_buffer buffer;
    scales.dtype = AIC_FLOAT32;
    scales.bytes = scales.elements * (int64_t)sizeof(float);
    if (!guard_open(&buffer, (size_t)scales.bytes, sizeof(float), GUARD_BEFORE)) {
        return cli_fail_memory(scales.name, (uint64_t)scales.bytes);
    }
    const int status = operand_read(&scales, o->in, buffer.data);
    const float *scale = buffer.data;
    uint64_t *words = o->buffer.data;
    for (int64_t i = 0; status == CLI_DONE && i < scales.elements; i++) {
        words[i] = aic_quant_word(scale[i], 0, is_signed);
    }
    guard_close(&buffer);
    return status;
}

static int read_input(const run_operand *o, bool is_signed)
{
    if (takes_value(&o->operand) && !operand_file_named(o->in)) {
        char where[300];
        (void)snprintf(where, sizeof where, "run: --in %.280s", o->operand.name);
        const aic_status failed = aic_scalar_parse(o->operand.dtype, o->in, o->buffer.data);
        return failed == AIC_OK ? CLI_DONE : cli_fail_library(where, failed);
    }
    return o->quantise ? read_scales(o, is_signed) : operand_read(&o->operand, o->in, o->buffer.data);
}

/* Memory and contents of every operand; outputs start as zeros unless given. */
static int load_operands(run_state *run)
{
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < run->count; i++) {
        run_operand *o = &run->operands[i];
        if (!is_used(o)) {
            continue; /* NULL is passed */
        }
        if (!guard_open(&o->buffer, (size_t)o->operand.bytes, 64, GUARD_BEFORE)) {
            status = cli_fail_memory(o->operand.name, (uint64_t)o->operand.bytes);
        } else if (o->in != NULL) {
            status = read_input(o, run->operands[0].operand.dtype != AIC_UINT8);
        } else if (o->fill != NULL) {
            status = fill_operand(&o->operand, o->fill, o->buffer.data);
        }
    }
    return status;
}

/* Each output needs a file of its own; devices and pipes may take several. */
static int check_apart(const run_state *run, const run_operand *o)
{
    for (const run_operand *other = run->operands; o->file.temporary != NULL && other < o; other++) {
        if (other->file.path != NULL && outfile_same(&other->file, &o->file)) {
            return cli_fail(CLI_WRONG, "run: --out: %s and %s go to the same file \"%.200s\"", other->operand.name,
                            o->operand.name, o->out);
        }
    }
    return CLI_DONE;
}

static int open_outputs(run_state *run)
{
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < run->count; i++) {
        run_operand *o = &run->operands[i];
        if (o->out != NULL) {
            status = outfile_open(&o->file, o->operand.name, o->out);
            status = status == CLI_DONE ? check_apart(run, o) : status;
        }
    }
    return status;
}

static aic_status run_kernel(const run_state *run, void *const pointers[])
{
    aic_kernel *kernel = NULL;
    aic_status status = aic_kernel_create(run->session.context, &run->spec, NULL, &kernel);
    if (status == AIC_OK && aic_kernel_workspace_size(kernel) > memory_left()) {
        (void)cli_fail_memory("workspace", aic_kernel_workspace_size(kernel));
        status = AIC_OUT_OF_MEMORY;
    } else if (status == AIC_OK) {
        status = aic_kernel_call(kernel, pointers, run->count);
    }
    aic_kernel_release(kernel);
    return status;
}

static aic_status run_program(const run_state *run, void *const pointers[])
{
    return run->reference ? aic_pto_reference(run->program, pointers, run->count)
                          : aic_pto_run(run->session.context, run->program, pointers, run->count);
}

/* again: outputs that have a second buffer get their results there. */
static int compute(run_state *run, bool again)
{
    void **pointers = calloc(run->count + 1, sizeof *pointers);
    if (pointers == NULL) {
        return cli_fail_memory("operands", run->count * sizeof *pointers);
    }
    for (size_t i = 0; i < run->count; i++) {
        const run_operand *o = &run->operands[i];
        pointers[i] = again && o->again.data != NULL ? o->again.data : o->buffer.data;
    }
    const aic_status status = run->program != NULL ? run_program(run, pointers)
                              : run->reference
                                  ? aic_reference(&run->spec, &run->session.semantics, pointers, run->count)
                                  : run_kernel(run, pointers);
    free(pointers);
    if (status != AIC_OK) {
        return cli_fail_library(NULL, status);
    }
    if (!again) {
        cli_show_warning();
    }
    (void)aic_take_warning();
    return CLI_DONE;
}

/* ---- elements that are not written ---- */

/* Whether what the operator leaves alone is nothing that the caller has put there, and matters. */
static bool wants_mask(const run_operand *o)
{
    const bool shown = o->out == NULL || o->expect != NULL;
    return o->operand.direction == AIC_OUT && o->in == NULL && o->fill == NULL && shown && o->operand.elements > 0;
}

/* Finds the elements that the operator does not write. Such an output has started as zeros; a second run on another one
 * that starts as ones gives the same everywhere but there. */
static int find_unwritten(run_state *run)
{
    bool wanted = false;
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < run->count; i++) {
        run_operand *o = &run->operands[i];
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
    for (size_t i = 0; status == CLI_DONE && i < run->count; i++) {
        run_operand *o = &run->operands[i];
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

/* Compares an output with a file of what is expected. */
static int compare_expected(const run_state *run, const run_operand *o, bool *differs)
{
    guard_buffer expected;
    compare_report report;
    if (!guard_open(&expected, (size_t)o->operand.bytes, 64, GUARD_BEFORE)) {
        return cli_fail_memory(o->operand.name, (uint64_t)o->operand.bytes);
    }
    const int status = operand_read(&o->operand, o->expect, expected.data);
    if (status == CLI_DONE) {
        compare_tensors(&o->operand, o->buffer.data, expected.data, o->skip.data, &run->limits, &report);
        printf("%s: %" PRId64 " of %" PRId64 " elements compared with \"%s\", %" PRId64 " differ\n", o->operand.name,
               report.compared, o->operand.elements, o->expect, report.different);
        compare_print(&o->operand, o->buffer.data, expected.data, &report);
        *differs = *differs || report.different > 0;
    }
    guard_close(&expected);
    return status;
}

/* What is not written to a file is shown, or compared. */
static int show_results(run_state *run)
{
    bool differs = false;
    int status = find_unwritten(run);
    for (size_t i = 0; status == CLI_DONE && i < run->count; i++) {
        const run_operand *o = &run->operands[i];
        if (o->expect != NULL) {
            status = compare_expected(run, o, &differs);
        } else if (o->out == NULL && (o->operand.direction & AIC_OUT)) {
            tensor_view(&o->operand, o->buffer.data, o->skip.data);
        }
    }
    return status == CLI_DONE && differs ? CLI_MISMATCH : status;
}

/* Writes every output, then makes all of them final. */
static int store_operands(run_state *run)
{
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < run->count; i++) {
        run_operand *o = &run->operands[i];
        if (o->out != NULL) {
            status = operand_write(&o->operand, o->out, o->buffer.data, &o->file);
        }
    }
    interrupt_hold(); /* all files or none */
    for (size_t i = 0; status == CLI_DONE && i < run->count; i++) {
        run_operand *o = &run->operands[i];
        if (o->out != NULL) {
            status = outfile_commit(&o->file, o->operand.name);
        }
    }
    interrupt_release();
    return status;
}

static int run_spec(run_state *run, const char *text, const args_list pairs[PAIR_KINDS])
{
    int status = cli_session_open(&run->session);
    if (status == CLI_DONE) {
        status = text == NULL ? cli_pto_read(&run->pto, &run->session, &run->program)
                              : cli_parse_spec(&run->session, text, &run->spec);
    }
    status = status == CLI_DONE ? bind_operands(run, pairs) : status;
    status = status == CLI_DONE ? load_operands(run) : status;
    status = status == CLI_DONE ? open_outputs(run) : status;
    status = status == CLI_DONE ? compute(run, false) : status;
    status = status == CLI_DONE ? store_operands(run) : status;
    status = status == CLI_DONE ? show_results(run) : status;
    for (size_t i = 0; i < run->count; i++) {
        outfile_close(&run->operands[i].file);
        guard_close(&run->operands[i].buffer);
        guard_close(&run->operands[i].again);
        guard_close(&run->operands[i].skip);
    }
    free(run->operands);
    aic_pto_free(run->program);
    cli_session_close(&run->session);
    return status;
}

/* What options have to do with each other. */
static int check_options(const run_state *run, size_t texts, const args_list pairs[PAIR_KINDS])
{
    if (texts == 0 && run->pto.path == NULL) {
        return cli_fail(CLI_WRONG, "run: the operator text SPEC is missing");
    }
    if (texts > 0 && run->pto.path != NULL) {
        return cli_fail(CLI_WRONG, "run: --pto: an operator text is given, too");
    }
    if (run->pto.placement != NULL && run->pto.path == NULL) {
        return cli_fail(CLI_WRONG, "run: --placement: has no effect without --pto");
    }
    if (run->limits.ulp > 0 && pairs[PAIR_EXPECT].count == 0) {
        return cli_fail(CLI_WRONG, "run: --ulp: has no effect without --expect");
    }
    return CLI_DONE;
}

int cmd_run(int argc, char **argv)
{
    run_state run = {.session.threads = 1};
    args_list pairs[PAIR_KINDS] = {{0}}, positional = {0};
    const args_option options[] = {
        {.name = "--in",
         .value = "NAME=FILE",
         .help = "operand from a .npy or .bin file; a scalar: NAME=VALUE",
         .kind = ARGS_LIST,
         .target = &pairs[PAIR_IN]},
        {.name = "--fill",
         .value = "NAME=zeros|const:V|random:SEED",
         .help = "operand without a file",
         .kind = ARGS_LIST,
         .target = &pairs[PAIR_FILL]},
        {.name = "--out",
         .value = "NAME=FILE",
         .help = "write a result",
         .kind = ARGS_LIST,
         .target = &pairs[PAIR_OUT]},
        {.name = "--expect",
         .value = "NAME=FILE",
         .help = "compare a result with a file; exit status 1 when they differ",
         .kind = ARGS_LIST,
         .target = &pairs[PAIR_EXPECT]},
        {.name = "--ulp",
         .value = "N",
         .help = "values up to which --expect takes elements for equal (default 0)",
         .kind = ARGS_INTEGER,
         .target = &run.limits.ulp,
         .low = 0,
         .high = INT64_MAX},
        {.name = "--quantise",
         .value = "NAME",
         .help = "the file of this operand holds float32 scales: take their quantisation words",
         .kind = ARGS_LIST,
         .target = &run.scales},
        {.name = "--reference", .help = "use the plain-C reference", .kind = ARGS_FLAG, .target = &run.reference},
        CLI_OPTIONS_PTO(run.pto),
        CLI_OPTION_ARCH(run.session),
        CLI_OPTION_THREADS(run.session),
        CLI_OPTION_ISA(run.session, "LEVEL"),
    };
    args_option semantics[CLI_CHOICES];
    cli_semantics_options(&run.session, semantics);
    const args_command command = {
        .name = "run",
        .arguments = "SPEC | --pto FILE [OPTION]...",
        .summary = "Runs one operator, or a program, on tensor files.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .shared = semantics,
        .shared_count = CLI_CHOICES,
    };
    int status = args_parse(&command, argc, argv, 1, &positional);
    status = status == CLI_DONE ? check_options(&run, positional.count, pairs) : status;
    if (status == CLI_DONE) {
        status = run_spec(&run, positional.count > 0 ? positional.items[0] : NULL, pairs);
    }
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        args_list_free(&pairs[kind]);
    }
    args_list_free(&run.scales);
    args_list_free(&positional);
    return status == ARGS_HELP_SHOWN ? CLI_DONE : status;
}
