/* What the files of the program `make_kernels` share: the shapes, the states in which their kernels are made, what was
 * measured. */
#pragma once

#include "tests/bench/common.h"

#include <stdio.h>

/* ---- shapes ---- */

/* What a kernel is made of. */
typedef struct shape {
    char *name;     /* the layer's, or the operator text */
    aic_spec *spec; /* validated */
    size_t line;    /* of the file that it is from; 0: of no file */
} shape;

/* Shapes that are measured together, one after the other. */
typedef struct shape_set {
    const char *name, *title; /* as --kind takes it; for people */
    shape *shape;
    size_t count;
} shape_set;

typedef struct shape_sets {
    shape_set *set;
    size_t count;
} shape_sets;

/* The sets of this program whose names, and of these the shapes in whose names `layer` occurs (NULL: all). Sets of
 * which nothing is left are left out. `kind` NULL: all sets; false: there is no set of this name. */
bool shapes_of_program(const char *kind, const char *layer, shape_sets *sets);

/* Those of a file, as bench_read_specs() reads it, as a set of this name; false as there. */
bool shapes_of_file(const char *path, const char *layer, shape_sets *sets);

void shapes_free(shape_sets *sets);

/* ---- measurements ---- */

/* What is there when a kernel is asked for. */
typedef enum state {
    STATE_LITERAL, /* nothing, and the kernel is compiled as a whole, every number a constant */
    STATE_NOTHING, /* nothing but the parts that kernels before it in the set have left */
    STATE_MEMORY,  /* the parts of all kernels of the set, in memory */
    STATE_READY,   /* what was made with the library: ready-made parts */
    STATE_DISK,    /* ready-made parts, and the others in files */
    STATE_KERNEL,  /* the kernel in a file */
    STATE_PEER,    /* the peer makes the same primitive */
    STATES
} state;

extern const char *const state_names[STATES];

/* A kernel that was made once in a state. Times are the process', LLVM's thread included. */
typedef struct sample {
    bool known;
    double ms;
    uint32_t ready, loaded, made; /* parts at hand in memory; from files; compiled */
} sample;

/* What is known of a shape. */
typedef struct shape_row {
    bool same;                   /* as a shape before it: one kernel, which is measured there */
    bool own;                    /* its kernel has code of its own, which LLVM makes each time */
    double literal_ns, parts_ns; /* a call of the kernel as a whole, and of the one that is linked; 0: not measured */
    char peer[48];               /* what the peer has made */
} shape_row;

enum { ROUNDS_MAX = 15 };

/* Measurements of a set. They lie in memory that the processes share in which they are made. */
typedef struct making {
    const shape_set *set;
    size_t rounds;
    shape_row *row;
    sample *sample; /* by state, shape and round */
} making;

static inline sample *sample_at(const making *m, state s, size_t index, size_t round)
{
    return &m->sample[((size_t)s * m->set->count + index) * m->rounds + round];
}

typedef struct making_options {
    const char *isa;
    int threads; /* that a kernel may be made by; with several the wall clock counts */
    size_t rounds;
    double seconds;   /* for one measurement of speed; 0: none */
    const char *file; /* that the shapes are from, or NULL: errors name it */
} making_options;

/* Measures a set: each state in each round in a process of its own, in turns. Ends the program where that fails. */
void making_measure(making *m, const shape_set *set, const making_options *options);
void making_free(making *m);

/* Speed of both forms of all kernels of the set, in the calling process. */
void speed_measure(const making *m, const making_options *options);

/* ---- sums ---- */

/* What a set takes in a state: medians over the rounds. */
typedef struct summary {
    size_t kernels;
    double all, first, median, worst; /* ms; worst: of those behind the first; 0 where there is none */
    size_t ready, loaded, made, llvm; /* parts; kernels for which LLVM ran */
} summary;

summary making_summary(const making *m, state s);

/* The median over the rounds of a shape's time; negative where it is not known. */
double making_ms(const making *m, state s, size_t index);

/* Whether LLVM ran for it. */
bool making_needs_llvm(const making *m, state s, size_t index);

/* All sets together. */
typedef struct verdicts {
    size_t kernels, without_llvm; /* measured with ready-made parts; those for which LLVM did not run */
    double held_out;              /* ms: median of the latter, the first of each set left out */
    double int8, fused;           /* ms: ResNet-50's with nothing ready */
    double first;                 /* ms: the first kernel of the process that made `int8` */
    size_t speeds;
    double mean, worst; /* the literal form's time by that of the form of parts */
} verdicts;

verdicts making_judge(const making *all, size_t count);

/* ---- output ---- */

void print_making(const making *m);
void print_speed(const making *m);
void print_verdicts(const verdicts *v);
void write_making(FILE *out, const making *all, size_t count, const verdicts *v, const making_options *options);
