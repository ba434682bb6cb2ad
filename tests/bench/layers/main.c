/* Layers of networks, and shapes that are hard: our kernels, the machine's own limits and a peer, in turns in one run
 * on the same values, results compared. The last lines say which goals are met; the exit status does not.
 *
 *     layers [--isa LEVEL] [--threads N] [--kind int8|fused|fast|cube] [--set NAME | --file FILE]
 *            [--layer PART_OF_NAME] [--batch IMAGES] [--time SECONDS] [--json FILE] [--svg FILE]
 *
 * FILE has an operator text a line. A LEVEL below the host's best is the peer's, too. */
#include "tests/bench/layers/layers.h"

#include <stdlib.h>
#include <string.h>

typedef struct options {
    const char *isa, *threads, *kind, *set, *file, *layer, *batch, *seconds, *json, *svg;
} options;

static options parse(int argc, char **argv)
{
    options o = {.seconds = "0.1", .threads = "1", .batch = "1"};
    bench_read_options(argc, argv,
                       (const bench_option[]){{"--isa", &o.isa},
                                              {"--threads", &o.threads},
                                              {"--kind", &o.kind},
                                              {"--set", &o.set},
                                              {"--file", &o.file},
                                              {"--layer", &o.layer},
                                              {"--batch", &o.batch},
                                              {"--time", &o.seconds},
                                              {"--json", &o.json},
                                              {"--svg", &o.svg},
                                              {0}});
    return o;
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
        set = set || (wants(o->set, s->name) && (o->set == NULL || s->layers != file_layers));
    }
    if (!kind || !set) {
        bench_refuse(kind ? "--set" : "--kind", kind ? o->set : o->kind);
    }
    if (o->file != NULL && o->set != NULL) {
        bench_refuse("--set", "a file is a set of its own, another");
    }
    if (o->isa != NULL && (aic_isa_check(o->isa) != AIC_OK || aic_isa_emulated(o->isa))) {
        bench_refuse("--isa", o->isa);
    }
}

static bool wants_set(const options *o, const layer_kind *kind, const layer_set *set)
{
    return wants(o->kind, kind->name) && wants(o->file != NULL ? "file" : o->set, set->name) &&
           (kind->fused || !set->fused_only);
}

/* Ends the program unless all layers of a set are operators that the library takes. */
static void check_layers(const layer_kind *kind, const layer_set *set)
{
    layer l;
    char name[LAYER_NAME_MAX];
    for (size_t i = 0; layer_at(set, i, &l); i++) {
        aic_spec *spec = layer_spec(&l, kind);
        if (aic_spec_validate(spec, NULL) != AIC_OK) {
            layer_name(&l, name);
            bench_die(name);
        }
        aic_spec_destroy(spec);
    }
}

/* Before anything is measured, as lines of a file are checked. */
static void check_sets(const options *o)
{
    for (const layer_kind *kind = layer_kinds; kind->name != NULL; kind++) {
        for (const layer_set *set = layer_sets; set->name != NULL; set++) {
            if (set->layers != file_layers && wants_set(o, kind, set)) {
                check_layers(kind, set);
            }
        }
    }
}

/* Writes and closes what was opened. */
static void finish(FILE *file, void (*write)(FILE *, const results *), const results *r, const char *path)
{
    if (file != NULL) {
        write(file, r);
        bench_close_output(file, path);
    }
}

static void measure_set(results *r, const layer_kind *kind, const layer_set *set, const options *o,
                        const layer_contexts *contexts)
{
    const size_t first = r->count;
    layer l;
    for (size_t i = 0; layer_at(set, i, &l); i++) {
        const file_line line = set->layers == file_layers ? file_lines[i] : (file_line){kind, 0};
        layer_row *row = &r->row[r->count];
        *row = (layer_row){.kind = kind, .set = set, .layer = l, .line = line.line};
        layer_name(&l, row->name);
        if ((o->layer != NULL && strstr(row->name, o->layer) == NULL) || line.kind != kind) {
            continue;
        }
        if (r->count + 1 == ROWS_MAX) {
            bench_die("too many layers");
        }
        if (r->count == first) {
            print_set(set);
        }
        measure_layer(row, r, contexts, bench_number("--time", o->seconds, 0, 3600));
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
            if (wants_set(o, kind, set)) {
                measure_set(r, kind, set, o, &contexts);
            }
        }
    }
    aic_context_destroy(contexts.shared);
    aic_context_destroy(contexts.single);
}

static void read_file(const char *path)
{
    layer l;
    if (!read_layers(path)) {
        exit(2);
    }
    if (!layer_at(set_named("file"), 0, &l)) {
        bench_refuse("--file", "no operator, which");
    }
}

int main(int argc, char **argv)
{
    static results r;
    const options o = parse(argc, argv);
    check_names(&o);
    if (o.file != NULL) {
        read_file(o.file);
    }
    check_sets(&o);
    const char *best = bench_parse(1, argv, NULL).isa;
    r.isa = o.isa != NULL ? o.isa : best;
    r.threads = (int)bench_number("--threads", o.threads, 1, AIC_THREADS_MAX);
    r.batch = (int)bench_number("--batch", o.batch, 1, 4096);
    (void)bench_number("--time", o.seconds, 0, 3600);
    bench_use_peer(argv, o.threads, r.isa, best);
    FILE *json = bench_open_output("--json", o.json), *svg = bench_open_output("--svg", o.svg);
    limits_measure(&r.limits, r.isa);
    print_limits(&r);
    measure_all(&r, &o);
    if (r.count == 0 && o.file != NULL) {
        bench_refuse("--file", "no line is measured, which");
    }
    judge(&r);
    print_goals(&r);
    finish(json, write_json, &r, o.json);
    finish(svg, write_svg, &r, o.svg);
    return 0;
}
