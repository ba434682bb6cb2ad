/* aicjit run: one operator, or a program of PTO-AS, on tensor files. */
#include "tools/command.h"
#include "tools/harness/element.h"
#include "tools/harness/fail.h"
#include "tools/harness/fill.h"
#include "tools/harness/guard.h"
#include "tools/harness/memory.h"
#include "tools/harness/operand_file.h"
#include "tools/pto.h"
#include "tools/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One operand of the run: where it comes from and goes to. */
typedef struct run_operand {
    aic_operand operand;
    const char *in, *fill, *out; /* NULL: not given */
    guard_buffer buffer;
    outfile file;
} run_operand;

typedef struct run_state {
    cli_session session;
    cli_pto pto;
    aic_pto_program *program; /* NULL: it is a specification */
    aic_spec spec;
    bool reference;
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
typedef enum pair_kind { PAIR_IN, PAIR_FILL, PAIR_OUT } pair_kind;

static int take_pair(run_state *run, pair_kind kind, const char *pair)
{
    static const char *const option[] = {"--in", "--fill", "--out"};
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
    if (kind == PAIR_OUT && o->operand.direction == AIC_IN) {
        return cli_fail(CLI_WRONG, "run: --out: %s is an input", o->operand.name);
    }
    bool again = kind == PAIR_OUT ? o->out != NULL : o->in != NULL || o->fill != NULL;
    if (again) {
        return cli_fail(CLI_WRONG, "run: %s: %s is given twice", option[kind], o->operand.name);
    }
    *(kind == PAIR_IN ? &o->in : kind == PAIR_FILL ? &o->fill : &o->out) = value;
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
static int bind_operands(run_state *run, const args_list *in, const args_list *fill, const args_list *out)
{
    int status = list_operands(run);
    status = status == CLI_DONE ? take_pairs(run, PAIR_IN, in) : status;
    status = status == CLI_DONE ? take_pairs(run, PAIR_FILL, fill) : status;
    status = status == CLI_DONE ? take_pairs(run, PAIR_OUT, out) : status;
    for (size_t i = 0; status == CLI_DONE && i < run->count; i++) {
        const run_operand *o = &run->operands[i];
        if (o->operand.direction == AIC_IN && o->in == NULL && o->fill == NULL) {
            status = cli_fail(CLI_WRONG, "run: input %s is missing: give --in %s=%s or --fill %s=...", o->operand.name,
                              o->operand.name, takes_value(&o->operand) ? "VALUE" : "FILE", o->operand.name);
        }
    }
    return status;
}

static int read_input(const run_operand *o)
{
    if (takes_value(&o->operand) && !operand_file_named(o->in)) {
        char where[300];
        (void)snprintf(where, sizeof where, "run: --in %.280s", o->operand.name);
        const aic_status failed = aic_scalar_parse(o->operand.dtype, o->in, o->buffer.data);
        return failed == AIC_OK ? CLI_DONE : cli_fail_library(where, failed);
    }
    return operand_read(&o->operand, o->in, o->buffer.data);
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
            status = read_input(o);
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

static int compute(run_state *run)
{
    void **pointers = calloc(run->count + 1, sizeof *pointers);
    if (pointers == NULL) {
        return cli_fail_memory("operands", run->count * sizeof *pointers);
    }
    for (size_t i = 0; i < run->count; i++) {
        pointers[i] = run->operands[i].buffer.data;
    }
    const aic_status status = run->program != NULL ? run_program(run, pointers)
                              : run->reference
                                  ? aic_reference(&run->spec, &run->session.semantics, pointers, run->count)
                                  : run_kernel(run, pointers);
    free(pointers);
    if (status != AIC_OK) {
        return cli_fail_library(NULL, status);
    }
    cli_show_warning();
    return CLI_DONE;
}

/* One line about an output that goes to no file. */
static void describe(const run_operand *o)
{
    printf("%s: %s[", o->operand.name, aic_dtype_name(o->operand.dtype));
    for (int32_t i = 0; i < o->operand.rank; i++) {
        printf("%s%" PRId64, i == 0 ? "" : ",", o->operand.shape[i]);
    }
    if (o->operand.elements == 0) {
        printf("] empty\n");
        return;
    }
    size_t size = aic_dtype_size(o->operand.dtype);
    const unsigned char *at = o->buffer.data;
    double low = element_to_double(o->operand.dtype, at), high = low, sum = 0;
    for (int64_t i = 0; i < o->operand.elements; i++, at += size) {
        double value = element_to_double(o->operand.dtype, at);
        low = value < low ? value : low;
        high = value > high ? value : high;
        sum += value;
    }
    printf("] min %.9g max %.9g mean %.9g\n", low, high, sum / (double)o->operand.elements);
}

/* Writes every output, then makes all of them final. */
static int store_operands(run_state *run)
{
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < run->count; i++) {
        run_operand *o = &run->operands[i];
        if (o->out != NULL) {
            status = operand_write(&o->operand, o->out, o->buffer.data, &o->file);
        } else if (o->operand.direction & AIC_OUT) {
            describe(o);
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

static int run_spec(run_state *run, const char *text, const args_list *in, const args_list *fill, const args_list *out)
{
    int status = cli_session_open(&run->session);
    if (status == CLI_DONE) {
        status = text == NULL ? cli_pto_read(&run->pto, &run->session, &run->program)
                              : cli_parse_spec(&run->session, text, &run->spec);
    }
    status = status == CLI_DONE ? bind_operands(run, in, fill, out) : status;
    status = status == CLI_DONE ? load_operands(run) : status;
    status = status == CLI_DONE ? open_outputs(run) : status;
    status = status == CLI_DONE ? compute(run) : status;
    status = status == CLI_DONE ? store_operands(run) : status;
    for (size_t i = 0; i < run->count; i++) {
        outfile_close(&run->operands[i].file);
        guard_close(&run->operands[i].buffer);
    }
    free(run->operands);
    aic_pto_free(run->program);
    cli_session_close(&run->session);
    return status;
}

int cmd_run(int argc, char **argv)
{
    run_state run = {.count = 0};
    args_list in = {0}, fill = {0}, out = {0}, positional = {0};
    const args_option options[] = {
        {.name = "--in",
         .value = "NAME=FILE",
         .help = "operand from a .npy or .bin file; a scalar: NAME=VALUE",
         .kind = ARGS_LIST,
         .target = &in},
        {.name = "--fill",
         .value = "NAME=zeros|const:V|random:SEED",
         .help = "operand without a file",
         .kind = ARGS_LIST,
         .target = &fill},
        {.name = "--out", .value = "NAME=FILE", .help = "write a result", .kind = ARGS_LIST, .target = &out},
        {.name = "--reference", .help = "use the plain-C reference", .kind = ARGS_FLAG, .target = &run.reference},
        CLI_OPTIONS_PTO(run.pto),
        CLI_OPTION_ARCH(run.session),
        CLI_OPTION_THREADS(run.session, "all processors"),
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
    if (status == CLI_DONE && positional.count == 0 && run.pto.path == NULL) {
        status = cli_fail(CLI_WRONG, "run: the operator text SPEC is missing");
    }
    if (status == CLI_DONE && positional.count > 0 && run.pto.path != NULL) {
        status = cli_fail(CLI_WRONG, "run: --pto: an operator text is given, too");
    }
    if (status == CLI_DONE && run.pto.placement != NULL && run.pto.path == NULL) {
        status = cli_fail(CLI_WRONG, "run: --placement: has no effect without --pto");
    }
    if (status == CLI_DONE) {
        status = run_spec(&run, positional.count > 0 ? positional.items[0] : NULL, &in, &fill, &out);
    }
    args_list_free(&in);
    args_list_free(&fill);
    args_list_free(&out);
    args_list_free(&positional);
    return status == ARGS_HELP_SHOWN ? CLI_DONE : status;
}
