/* What making kernels takes, by what is there when they are asked for, against a peer's making of the same primitives;
 * how many need LLVM; whether it costs speed that they are linked from parts.
 *
 *     make_kernels [--isa LEVEL] [--threads N] [--kind SET] [--layer PART_OF_NAME] [--file FILE] [--rounds N]
 *                  [--time SECONDS] [--json FILE]
 *
 * Shapes are those of ResNet-50 and odd ones of every operator, or those of FILE, an operator text a line. A LEVEL
 * below the host's best is the peer's, too. With more than one thread the wall clock counts. --time 0 leaves out speed.
 * The last lines say which targets are met; the exit status does not. */
#include "tests/bench/making/making.h"
#include "tests/bench/making/peer.h"

#include <stdlib.h>

typedef struct texts {
    const char *isa, *threads, *kind, *layer, *file, *rounds, *seconds, *json;
} texts;

static texts parse(int argc, char **argv)
{
    texts t = {.threads = "1", .rounds = "3", .seconds = "0.25"};
    bench_read_options(argc, argv,
                       (const bench_option[]){{"--isa", &t.isa},
                                              {"--threads", &t.threads},
                                              {"--kind", &t.kind},
                                              {"--layer", &t.layer},
                                              {"--file", &t.file},
                                              {"--rounds", &t.rounds},
                                              {"--time", &t.seconds},
                                              {"--json", &t.json},
                                              {0}});
    if (t.isa != NULL && (aic_isa_check(t.isa) != AIC_OK || aic_isa_emulated(t.isa))) {
        bench_refuse("--isa", t.isa);
    }
    if (t.file != NULL && t.kind != NULL) {
        bench_refuse("--kind", "the shapes of a file have none, it");
    }
    return t;
}

static void read_shapes(const texts *t, shape_sets *sets)
{
    if (t->file != NULL && !shapes_of_file(t->file, t->layer, sets)) {
        exit(2);
    }
    if (t->file == NULL && !shapes_of_program(t->kind, t->layer, sets)) {
        bench_refuse("--kind", t->kind);
    }
    if (sets->count == 0) {
        bench_refuse(t->layer != NULL ? "--layer" : "--file", t->layer != NULL ? t->layer : "no operator, which");
    }
}

int main(int argc, char **argv)
{
    const texts t = parse(argc, argv);
    const char *best = bench_parse(1, argv, NULL).isa;
    const making_options options = {.isa = t.isa != NULL ? t.isa : best,
                                    .threads = (int)bench_number("--threads", t.threads, 1, 64),
                                    .rounds = (size_t)bench_number("--rounds", t.rounds, 1, ROUNDS_MAX),
                                    .seconds = bench_number("--time", t.seconds, 0, 3600),
                                    .file = t.file};
    bench_use_peer(argv, "1", options.isa, best);
    shape_sets sets;
    read_shapes(&t, &sets);
    FILE *json = bench_open_output("--json", t.json);
    making *all = bench_memory(sets.count * sizeof *all);
    printf("making kernels at level %s, %s, medians of %zu rounds; peer: %s\n", options.isa,
           options.threads > 1 ? "wall clock" : "processor time", options.rounds,
           making_peer_name() != NULL ? making_peer_name() : "none, not measured");
    for (size_t i = 0; i < sets.count; i++) {
        making_measure(&all[i], &sets.set[i], &options);
        print_making(&all[i]);
        print_speed(&all[i]);
    }
    const verdicts v = making_judge(all, sets.count);
    print_verdicts(&v);
    if (json != NULL) {
        write_making(json, all, sets.count, &v, &options);
        bench_close_output(json, t.json);
    }
    for (size_t i = 0; i < sets.count; i++) {
        making_free(&all[i]);
    }
    free(all);
    shapes_free(&sets);
    return 0;
}
