/* aicjit network: folders of kernels and constants (networks.md). */
#include "tools/command.h"
#include "tools/harness/fail.h"
#include "tools/harness/interrupt.h"
#include "tools/harness/outfile.h"
#include "tools/harness/timer.h"
#include "tools/json_write.h"
#include "tools/onnx_file.h"
#include "tools/progress.h"
#include "tools/results.h"
#include "tools/session.h"
#include <aic/aic.h>

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the steps of a network, timed ---- */

/* What the network's steps are noted in: user and step of its options. */
typedef struct network_clock network_clock;

enum { SAMPLES = 1024 }; /* of a kernel: the last ones */

struct network_clock {
    size_t kernels, calls;
    double *sample; /* [kernel][SAMPLES], nanoseconds */
    uint64_t last;
};

/* NULL: memory ran out. */
static network_clock *network_clock_new(void)
{
    return calloc(1, sizeof(network_clock));
}

static void network_clock_free(network_clock *clock)
{
    if (clock != NULL) {
        free(clock->sample);
        free(clock);
    }
}

static void network_clock_step(void *user, size_t kernel)
{
    network_clock *clock = user;
    const uint64_t now = timer_now();
    if (clock->sample != NULL) {
        clock->sample[kernel * SAMPLES + clock->calls % SAMPLES] = (double)(now - clock->last);
    }
    clock->last = now;
}

typedef struct bench_call {
    const aic_network *network;
    const aic_network_facts *facts;
    network_clock *clock;
    void *const *tensors;
    aic_status status;
} bench_call;

static void call(void *argument)
{
    bench_call *c = argument;
    c->clock->last = timer_now();
    const aic_status status = aic_network_call(c->network, (const void *const *)c->tensors, c->facts->inputs,
                                               c->tensors + c->facts->inputs, c->facts->outputs);
    c->clock->calls++;
    c->status = c->status == AIC_OK ? status : c->status;
}

/* Sorts the samples of a kernel. */
static double median_of(network_clock *clock, size_t kernel)
{
    const size_t count = clock->calls < SAMPLES ? clock->calls : SAMPLES;
    return count > 0 ? timer_median(clock->sample + kernel * SAMPLES, count) : 0;
}

static int threads_of(const aic_network_facts *facts)
{
    int threads = 1;
    for (size_t i = 0; i < facts->kernels; i++) {
        threads = facts->kernel[i].threads > threads ? facts->kernel[i].threads : threads;
    }
    return threads;
}

static void print_table(const bench_call *c, const timer_result *time)
{
    const aic_network_facts *facts = c->facts;
    int64_t macs = 0;
    printf("   us   share  GMAC/s  threads  line  writes, kernel\n");
    for (size_t i = 0; i < facts->kernels; i++) {
        const aic_network_kernel *k = &facts->kernel[i];
        const double ns = median_of(c->clock, i);
        macs += k->macs;
        printf("%7.1f %5.1f%% %7.1f %8d %5zu  %s, %.60s\n", ns / 1e3, 100 * ns / time->median_ns,
               ns > 0 ? (double)k->macs / ns : 0, k->threads, k->line, k->output, k->text);
    }
    printf("%s, %d threads: median %.1f us, least %.1f us, %.1f calls/s, %.1f GMAC/s\n", facts->isa, threads_of(facts),
           time->median_ns / 1e3, time->min_ns / 1e3, 1e9 / time->median_ns, (double)macs / time->median_ns);
    printf("arena %" PRId64 " bytes, constants %" PRId64 " bytes\n", facts->arena_bytes, facts->constant_bytes);
}

static void print_json(const bench_call *c, const timer_result *time)
{
    const aic_network_facts *facts = c->facts;
    json_compact();
    json_object(NULL);
    json_text("isa", facts->isa);
    json_integer("threads", threads_of(facts));
    json_fixed("median_ns", time->median_ns, 1);
    json_fixed("min_ns", time->min_ns, 1);
    json_fixed("p90_ns", time->p90_ns, 1);
    json_integer("arena_bytes", facts->arena_bytes);
    json_integer("constant_bytes", facts->constant_bytes);
    json_array("kernels");
    for (size_t i = 0; i < facts->kernels; i++) {
        const aic_network_kernel *k = &facts->kernel[i];
        json_object(NULL);
        json_integer("line", (int64_t)k->line);
        json_text("output", k->output);
        json_text("spec", k->text);
        json_integer("macs", k->macs);
        json_integer("bytes", k->bytes);
        json_fixed("median_ns", median_of(c->clock, i), 1);
        json_end();
    }
    json_end();
    json_end();
}

/* Measures calls on these tensors for about `seconds`, and prints a line a kernel and the sums; json: one object.
 * Returns an exit status. */
static int network_bench(const aic_network *network, network_clock *clock, void *const tensors[], double seconds,
                         bool json)
{
    aic_network_facts facts = aic_network_facts_init();
    bench_call c = {network, &facts, clock, tensors, aic_network_info(network, &facts)};
    clock->kernels = facts.kernels;
    clock->sample = calloc(facts.kernels * SAMPLES + 1, sizeof *clock->sample);
    if (clock->sample == NULL) {
        return cli_fail_memory("bench", facts.kernels * SAMPLES * sizeof *clock->sample);
    }
    const timer_result time = timer_measure(call, &c, seconds, interrupt_requested);
    if (c.status != AIC_OK) {
        return cli_status(NULL, c.status);
    }
    if (json) {
        print_json(&c, &time);
    } else {
        print_table(&c, &time);
    }
    return CLI_DONE;
}

static const char ONNX[] = ".onnx";

typedef struct network_state {
    const char *folder;
    const char *file; /* of ONNX, which compile makes a folder of; NULL: a folder was given */
    cli_session session;
    cli_operands operands;
    compare_limits limits;
    bool reference, json;
    const char *output;                 /* -o: the object of export, the folder of compile */
    const char *header, *name, *target; /* of export */
    args_list shapes;                   /* of inputs of n->file */
    double seconds;                     /* of bench */
    aic_network_options options;
    network_clock *clock;
    size_t told; /* kernels made, of progress */
    uint64_t open_ns;
    aic_network *network;
    aic_network_facts facts;
} network_state;

/* ---- opening ---- */

static bool show_progress(void *user, size_t made, size_t kernels)
{
    network_state *n = user;
    bool go_on = true;
    if (n->told == 0) {
        progress_start("network", kernels);
    }
    for (; n->told < made; n->told++) {
        go_on = progress_step() && go_on;
    }
    return go_on;
}

static int open_network(network_state *n)
{
    int status = n->session.context == NULL ? cli_session_open(&n->session) : CLI_DONE;
    if (status != CLI_DONE) {
        return status;
    }
    n->options.reference = n->reference;
    n->options.progress = n->clock == NULL ? show_progress : NULL;
    n->options.user = n->clock == NULL ? (void *)n : n->clock;
    const uint64_t began = timer_now();
    const aic_status failed = aic_network_open(n->session.context, n->folder, &n->options, &n->network);
    n->open_ns = timer_now() - began;
    if (n->told > 0) {
        status = progress_end();
    }
    status = status == CLI_DONE ? cli_status(NULL, failed) : status;
    if (status == CLI_DONE) {
        n->facts = aic_network_facts_init();
        status = cli_status(NULL, aic_network_info(n->network, &n->facts));
    }
    return status;
}

static int load(network_state *n)
{
    int status = open_network(n);
    status = status == CLI_DONE ? operands_of_network(&n->operands, &n->facts) : status;
    status = status == CLI_DONE ? operands_bind(&n->operands) : status;
    return status == CLI_DONE ? operands_load(&n->operands) : status;
}

/* ---- run ---- */

static int compute(const network_state *n)
{
    void **address = n->operands.pointers; /* inputs first */
    return cli_status(NULL, aic_network_call(n->network, (const void *const *)address, n->facts.inputs,
                                             address + n->facts.inputs, n->facts.outputs));
}

static int show_outputs(const network_state *n)
{
    bool differs = false;
    int status = CLI_DONE;
    for (size_t i = n->facts.inputs; status == CLI_DONE && i < n->operands.count; i++) {
        const cli_operand *o = &n->operands.items[i];
        if (o->expect != NULL) {
            status = results_compare(o, &n->limits, &differs);
        } else if (o->out == NULL) {
            tensor_view(&o->operand, &o->coordinates, o->buffer.data, NULL);
        }
    }
    return status == CLI_DONE && differs ? CLI_MISMATCH : status;
}

static int run_network(network_state *n)
{
    int status = load(n);
    status = status == CLI_DONE ? results_open(&n->operands) : status;
    status = status == CLI_DONE ? compute(n) : status;
    status = status == CLI_DONE ? results_store(&n->operands) : status;
    return status == CLI_DONE ? show_outputs(n) : status;
}

/* ---- explain, compile ---- */

static void show_tensor(const char *what, const aic_network_tensor *tensor)
{
    printf("%s %s: %s [", what, tensor->name, aic_dtype_name(tensor->dtype));
    for (int32_t d = 0; d < tensor->rank; d++) {
        printf("%s%" PRId64, d > 0 ? "," : "", tensor->shape[d]);
    }
    printf("], %" PRId64 " bytes\n", tensor->bytes);
}

static void show_memory(const network_state *n)
{
    const aic_network_facts *f = &n->facts;
    printf("memory: %" PRId64 " bytes for buffers, which would have %" PRId64 " without sharing; constants %" PRId64
           "; a kernel's workspace at most %" PRId64 "\n",
           f->arena_bytes, f->buffer_bytes, f->constant_bytes, f->workspace_bytes);
}

static int explain_network(network_state *n)
{
    int status = open_network(n);
    if (status != CLI_DONE) {
        return status;
    }
    for (size_t i = 0; i < n->facts.inputs; i++) {
        show_tensor("input", aic_network_tensor_at(n->facts.input, i));
    }
    for (size_t i = 0; i < n->facts.outputs; i++) {
        show_tensor("output", aic_network_tensor_at(n->facts.output, i));
    }
    show_memory(n);
    int64_t macs = 0;
    for (size_t i = 0; i < n->facts.kernels; i++) {
        const aic_network_kernel *k = aic_network_kernel_at(n->facts.kernel, i);
        macs += k->macs;
        printf("\nline %zu, %s: %" PRId64 " MACs, %" PRId64 " bytes, %d thread%s%s\n  %s\n  %s\n", k->line, k->output,
               k->macs, k->bytes, k->threads, k->threads == 1 ? "" : "s", k->packed ? ", a constant is packed" : "",
               k->text, k->schedule != NULL ? k->schedule : "reference");
    }
    printf("\n%zu kernels, level %s, %" PRId64 " MACs\n", n->facts.kernels, n->facts.isa, macs);
    return CLI_DONE;
}

/* The file becomes the folder -o, or one of the file's name without the suffix. */
static int convert_file(network_state *n, char made[PATH_MAX])
{
    const char *slash = strrchr(n->file, '/');
    const size_t length = strlen(n->file) - strlen(ONNX);
    if (n->output != NULL) {
        n->folder = n->output;
    } else if (length >= PATH_MAX || strcmp(slash != NULL ? slash + 1 : n->file, ONNX) == 0) {
        return cli_fail(CLI_WRONG, "network: \"%s\" gives no name of a folder: -o DIR is missing", n->file);
    } else {
        (void)snprintf(made, PATH_MAX, "%.*s", (int)length, n->file);
        n->folder = made;
    }
    return onnx_file_convert(n->file, n->folder, &n->shapes);
}

static int compile_network(network_state *n)
{
    char made[PATH_MAX];
    aic_cache_stats stats = aic_cache_stats_init();
    int status = cli_session_open(&n->session); /* options that are wrong change no folder */
    status = status == CLI_DONE && n->file != NULL ? convert_file(n, made) : status;
    status = status == CLI_DONE ? open_network(n) : status;
    status = status == CLI_DONE ? cli_status(NULL, aic_context_cache_stats(n->session.context, &stats)) : status;
    if (status == CLI_DONE) {
        printf("%zu kernels: %" PRIu64 " made, %" PRIu64 " loaded, in %.1f ms\n", n->facts.kernels, stats.compiles,
               stats.loads, (double)n->open_ns / 1e6);
        show_memory(n);
    }
    return status;
}

/* ---- bench ---- */

static int bench_network(network_state *n)
{
    n->clock = network_clock_new();
    if (n->clock == NULL) {
        return cli_fail_memory("bench", sizeof(void *));
    }
    n->options.step = network_clock_step;
    n->operands.inputs_optional = true;
    const int status = load(n);
    return status == CLI_DONE ? network_bench(n->network, n->clock, n->operands.pointers, n->seconds, n->json) : status;
}

/* ---- export ---- */

static int export_network(network_state *n)
{
    aic_exported made = aic_exported_init();
    if (n->output == NULL || n->header == NULL) {
        return cli_fail(CLI_WRONG, "network: export: %s is missing", n->output == NULL ? "-o FILE" : "--header FILE");
    }
    /* --isa names levels of the object, which this host may lack. */
    const char *isa = n->session.isa;
    n->session.isa = NULL;
    int status = cli_session_open(&n->session);
    if (status == CLI_DONE) {
        status = cli_status(NULL, aic_network_export(n->session.context, n->folder, n->name != NULL ? n->name : "net",
                                                     isa, n->target, &made));
    }
    if (status == CLI_DONE) {
        status = export_files_write(n->output, n->header, &made);
        aic_exported_destroy(&made);
    }
    return status;
}

/* ---- the command line ---- */

/* What options an action takes beside those of all. */
enum { TAKES_FILES = 1, TAKES_RESULTS = 2, TAKES_TIME = 4, TAKES_OBJECT = 8, TAKES_ONNX = 16 };

static const struct {
    const char *name;
    int (*run)(network_state *n);
    int takes;
} ACTIONS[] = {
    {"run", run_network, TAKES_FILES | TAKES_RESULTS},  {"explain", explain_network, 0},
    {"bench", bench_network, TAKES_FILES | TAKES_TIME}, {"compile", compile_network, TAKES_ONNX},
    {"export", export_network, TAKES_OBJECT},
};
enum { ACTIONS_COUNT = sizeof ACTIONS / sizeof ACTIONS[0] };

/* The first option that was given and does nothing here; NULL: there is none. */
static const char *find_useless(const network_state *n, int takes)
{
    const args_list *pairs = n->operands.pairs;
    const struct {
        int of;
        bool given;
        const char *name;
    } options[] = {
        {TAKES_FILES, pairs[PAIR_IN].count > 0, "--in"},
        {TAKES_FILES, pairs[PAIR_FILL].count > 0, "--fill"},
        {TAKES_FILES, n->operands.scales.count > 0, "--quantise"},
        {TAKES_RESULTS, pairs[PAIR_OUT].count > 0, "--out"},
        {TAKES_RESULTS, pairs[PAIR_EXPECT].count > 0, "--expect"},
        {TAKES_RESULTS, n->limits.ulp > 0, "--ulp"},
        {TAKES_RESULTS, n->reference, "--reference"},
        {TAKES_TIME, n->json, "--json"},
        {TAKES_TIME, n->seconds > 0, "--min-time"},
        {n->file != NULL ? TAKES_OBJECT | TAKES_ONNX : TAKES_OBJECT, n->output != NULL, "-o"},
        {n->file != NULL ? TAKES_ONNX : 0, n->shapes.count > 0, "--shape"},
        {TAKES_OBJECT, n->header != NULL, "--header"},
        {TAKES_OBJECT, n->name != NULL, "--name"},
        {TAKES_OBJECT, n->target != NULL, "--target"},
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (options[i].given && (takes & options[i].of) == 0) {
            return options[i].name;
        }
    }
    return NULL;
}

static int run_action(network_state *n, const args_list *positional)
{
    size_t i = 0;
    if (positional->count != 2) {
        return cli_fail(CLI_WRONG, "network: say what to do and with which folder: run DIR, explain DIR, bench DIR, "
                                   "compile DIR or FILE.onnx, export DIR");
    }
    while (i < ACTIONS_COUNT && strcmp(ACTIONS[i].name, positional->items[0]) != 0) {
        i++;
    }
    if (i == ACTIONS_COUNT) {
        return cli_fail(CLI_WRONG, "network: \"%.100s\" is none of run, explain, bench, compile, export",
                        positional->items[0]);
    }
    n->folder = positional->items[1];
    n->file = outfile_ends(n->folder, ONNX) ? n->folder : NULL;
    const char *useless = find_useless(n, ACTIONS[i].takes);
    if (useless != NULL) {
        return cli_fail(CLI_WRONG, "network: %s: has no effect on %s", useless, ACTIONS[i].name);
    }
    if (n->file != NULL && (ACTIONS[i].takes & TAKES_ONNX) == 0) {
        return cli_fail(CLI_WRONG, "network: \"%s\": %s needs a folder, which compile %s -o DIR makes", n->file,
                        ACTIONS[i].name, n->file);
    }
    n->seconds = n->seconds > 0 ? n->seconds : 1;
    const int status = ACTIONS[i].run(n);
    aic_network_destroy(n->network);
    network_clock_free(n->clock);
    cli_session_close(&n->session);
    return status;
}

static int parse(network_state *n, int argc, char **argv, args_list *positional)
{
    const args_option options[] = {
        CLI_OPTIONS_INPUTS(n->operands),
        option_list("--out", "NAME=FILE", "run: write an output", &n->operands.pairs[PAIR_OUT]),
        option_list("--expect", "NAME=FILE", "run: compare an output with a file; exit status 1 when they differ",
                    &n->operands.pairs[PAIR_EXPECT]),
        option_integer("--ulp", "N", "run: elements up to N values of their type apart count as equal (default 0)",
                       &n->limits.ulp, 0, INT64_MAX),
        option_flag("--reference", "run: compute by the plain-C reference", &n->reference),
        option_real("--min-time", "SECONDS", "bench: measure for about that long (default 1)", &n->seconds, 0, 3600),
        option_flag("--json", "bench: print one JSON object", &n->json),
        option_text("-o", "PATH", "export: the object file; compile of FILE.onnx: the folder (default FILE)",
                    &n->output),
        option_list("--shape", "NAME=N,C,H,W", "compile of FILE.onnx: the shape of an input that has no fixed size",
                    &n->shapes),
        option_text("--header", "FILE", "export: its header", &n->header),
        option_text("--name", "NAME", "export: the function's name (default net)", &n->name),
        option_text("--target", "TRIPLE", "export: e.g. aarch64-linux-gnu (default: the host's)", &n->target),
        CLI_OPTION_THREADS(n->session, "all processors"),
        CLI_OPTION_ISA(n->session, "LEVEL[,LEVEL]..."),
    };
    const args_command command = {
        .name = "network",
        .arguments = "run DIR | explain DIR | bench DIR | compile DIR|FILE.onnx | export DIR [OPTION]...",
        .summary =
            "Runs a network, a folder of kernels and constants; tells what it consists of; measures it; or makes\n"
            "its kernels, so that they are on disk, also of an ONNX file, which becomes such a folder.",
        ARGS_OPTIONS(options),
    };
    return cli_parse(&n->session, &command, argc, argv, 2, positional);
}

int cmd_network(int argc, char **argv)
{
    network_state n = {.operands.command = "network", .options = aic_network_options_init()};
    args_list positional = {0};
    int status = parse(&n, argc, argv, &positional);
    status = status == CLI_DONE ? run_action(&n, &positional) : status;
    operands_close(&n.operands);
    args_list_free(&n.shapes);
    return status;
}
