/* Layers of networks, and shapes that are hard: our kernels, the machine's own limits and a peer, in turns in one run
 * on the same values, results compared. The last lines say which goals are met; the exit status does not.
 *
 *     layers [--isa LEVEL] [--threads N] [--kind int8|fused|fast|cube] [--set NAME] [--layer PART_OF_NAME]
 *            [--time SECONDS] [--json FILE] [--svg FILE]
 *
 * A LEVEL below the host's best is the peer's, too. */
#include "tests/bench/layers/layers.h"

#include <stdlib.h>
#include <string.h>

typedef struct options {
    const char *isa, *threads, *kind, *set, *layer, *seconds, *json, *svg;
} options;

static _Noreturn void refuse(const char *option, const char *value)
{
    fprintf(stderr,
            "layers: %s: %s does not fit; options are --isa, --threads, --kind, --set, --layer, --time, --json, "
            "--svg, each with a value\n",
            option, value);
    exit(2);
}

static options parse(int argc, char **argv)
{
    options o = {.seconds = "0.1", .threads = "1"};
    const struct {
        const char *name, **target;
    } table[] = {{"--isa", &o.isa},     {"--threads", &o.threads}, {"--kind", &o.kind}, {"--set", &o.set},
                 {"--layer", &o.layer}, {"--time", &o.seconds},    {"--json", &o.json}, {"--svg", &o.svg}};
    const size_t rows = sizeof table / sizeof table[0];
    for (int i = 1; i < argc; i += 2) {
        size_t row = 0;
        while (row < rows && strcmp(argv[i], table[row].name) != 0) {
            row++;
        }
        if (row == rows || i + 1 == argc) {
            refuse(argv[i], row == rows ? "this option" : "no value");
        }
        *table[row].target = argv[i + 1];
    }
    return o;
}

/* A number in low..high. */
static double number(const char *option, const char *text, double low, double high)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= low && value <= high)) {
        refuse(option, text);
    }
    return value;
}

static bool wants(const char *wanted, const char *name)
{
    return wanted == NULL || strcmp(wanted, name) == 0;
}

static void check_names(const options *o)
{
    bool kind = false, set = false;
    for (const layer_kind *k = layer_kinds; k->name != NULL; k++) {
        kind = kind || wants(o->kind, k->name);
    }
    for (const layer_set *s = layer_sets; s->name != NULL; s++) {
        set = set || wants(o->set, s->name);
    }
    if (!kind || !set) {
        refuse(kind ? "--set" : "--kind", kind ? o->set : o->kind);
    }
    if (o->isa != NULL && (aic_isa_check(o->isa) != AIC_OK || aic_isa_emulated(o->isa))) {
        refuse("--isa", o->isa);
    }
}

/* The peer's name for one of our levels; NULL: what it likes. */
static const char *level_of_peer(const char *isa)
{
    static const struct {
        const char *isa, *peer;
    } NAMES[] = {{"generic", "SSE41"},
                 {"sse2", "SSE41"},
                 {"avx2", "AVX2"},
                 {"avx512", "AVX512_CORE"},
                 {"avx512vnni", "AVX512_CORE_VNNI"},
                 {"avx512fp16", "AVX512_CORE_FP16"}};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (strcmp(NAMES[i].isa, isa) == 0) {
            return NAMES[i].peer;
        }
    }
    return NULL;
}

/* Threads and level of the peer's library, which reads them when it is loaded. */
static void set_environment(char **argv, const char *threads, const char *isa, const char *best)
{
    const char *level = strcmp(isa, best) == 0 ? NULL : level_of_peer(isa);
    const bench_variable variables[] = {{"OMP_NUM_THREADS", threads},
                                        {"ONEDNN_MAX_CPU_ISA", level != NULL ? level : "DEFAULT"}};
    bench_use_environment(argv, variables, 2);
}

static FILE *open_output(const char *option, const char *path)
{
    FILE *file = path == NULL ? NULL : fopen(path, "we");
    if (path != NULL && file == NULL) {
        refuse(option, path);
    }
    return file;
}

/* Writes and closes what was opened. */
static void finish(FILE *file, void (*write)(FILE *, const results *), const results *r, const char *path)
{
    if (file != NULL) {
        write(file, r);
        const bool whole = ferror(file) == 0;
        if (fclose(file) != 0 || !whole) {
            bench_die(path);
        }
    }
}

static void measure_set(results *r, const layer_kind *kind, const layer_set *set, const options *o,
                        const layer_contexts *contexts)
{
    const size_t first = r->count;
    layer l;
    for (size_t i = 0; layer_at(set, i, &l); i++) {
        layer_row *row = &r->row[r->count];
        *row = (layer_row){.kind = kind, .set = set, .layer = l};
        layer_name(&l, row->name);
        if (o->layer != NULL && strstr(row->name, o->layer) == NULL) {
            continue;
        }
        if (r->count + 1 == ROWS_MAX) {
            bench_die("too many layers");
        }
        if (r->count == first) {
            print_set(set);
        }
        measure_layer(row, r, contexts, number("--time", o->seconds, 0, 3600));
        r->count++;
        print_row(r, row);
    }
    print_total(r, kind, set);
}

static void measure_all(results *r, const options *o)
{
    aic_context_options shared = aic_context_options_init();
    layer_contexts contexts = {.single = bench_context(r->isa)};
    shared.isa = r->isa;
    shared.threads = r->threads;
    if (aic_context_create(&shared, &contexts.shared) != AIC_OK) {
        bench_die("context");
    }
    for (const layer_kind *kind = layer_kinds; kind->name != NULL; kind++) {
        if (!wants(o->kind, kind->name)) {
            continue;
        }
        print_head(r, kind);
        for (const layer_set *set = layer_sets; set->name != NULL; set++) {
            if (wants(o->set, set->name) && (kind->fused || !set->fused_only)) {
                measure_set(r, kind, set, o, &contexts);
            }
        }
    }
    aic_context_destroy(contexts.shared);
    aic_context_destroy(contexts.single);
}

int main(int argc, char **argv)
{
    static results r;
    const options o = parse(argc, argv);
    check_names(&o);
    const char *best = bench_parse(1, argv, NULL).isa;
    r.isa = o.isa != NULL ? o.isa : best;
    r.threads = (int)number("--threads", o.threads, 1, AIC_THREADS_MAX);
    (void)number("--time", o.seconds, 0, 3600);
    set_environment(argv, o.threads, r.isa, best);
    FILE *json = open_output("--json", o.json), *svg = open_output("--svg", o.svg);
    limits_measure(&r.limits, r.isa);
    print_limits(&r);
    measure_all(&r, &o);
    judge(&r);
    print_goals(&r);
    finish(json, write_json, &r, o.json);
    finish(svg, write_svg, &r, o.svg);
    return 0;
}
