/* What the files of the program `layers` share: shapes, kinds of arithmetic, limits of the machine, what was measured.
 */
#pragma once

#include "tests/bench/common.h"
#include "tests/bench/layers/peer.h"

#include <stdio.h>

/* ---- shapes ---- */

/* A convolution of one image. Up to three channels stand for C0 = 4, other numbers are rounded up to whole blocks by
 * us, as those of outputs are; the peer gets them as they are. count: how often the network has it, 1 in other sets.
 * groups: 1; as many as channels and outputs; or fewer, of channels that whole blocks have. */
typedef struct layer {
    int channels, height, width, kernel_h, kernel_w, cout, stride, pad_h, pad_w, dilation, count, groups;
} layer;

/* A group a channel. */
static inline bool layer_is_depthwise(const layer *l)
{
    return l->groups > 1 && l->groups == l->channels;
}

typedef struct layer_set {
    const char *name;    /* as --set takes it */
    const char *title;   /* for people */
    const layer *layers; /* up to one without channels; NULL: those of ResNet-50 in bench_layers */
    bool network;        /* kernels of its layers are also timed while they are made */
    bool by_jit;         /* called by aic_jit_conv2d() or aic_jit_spec() with plain weights, as single calls are */
    bool fused_only;     /* for chains with fixpipe only */
} layer_set;

extern const layer_set layer_sets[]; /* an entry without a name behind the last */
const layer_set *set_named(const char *name);

/* Layer number `index`; false past the last. */
bool layer_at(const layer_set *set, size_t index, layer *l);

/* "3x3/2 128-128 @56", "1x7 128-128 @17", "3x3 dil 2 64-64 @14x449"; "3x3 64 @56" with groups. */
enum { LAYER_NAME_MAX = 64 };
void layer_name(const layer *l, char name[LAYER_NAME_MAX]);

/* Pixels of the result. */
int64_t layer_pixels(const layer *l);

/* ---- limits ---- */

typedef enum limit_unit {
    LIMIT_F32,        /* fused multiply-adds of float32 */
    LIMIT_F64,        /* of float64 */
    LIMIT_PAIRS,      /* pairs of 16-bit integers */
    LIMIT_DOT,        /* dot products of bytes */
    LIMIT_TILES_I8,   /* tiles of bytes */
    LIMIT_TILES_BF16, /* tiles of bfloat16, of which a product of float16 takes four */
    LIMITS
} limit_unit;

enum { MEMORIES = 4 };

/* Of one thread. */
typedef struct machine_limits {
    double rate[LIMITS]; /* 10^9 multiply-accumulates a second; 0: the machine, or the level, has no such unit */
    struct {
        const char *name;
        double rate; /* 10^9 bytes a second, read and written by copying */
    } memory[MEMORIES];
} machine_limits;

/* The units that code of a level may use, measured; the memories. */
void limits_measure(machine_limits *m, const char *isa);

/* One of them anew, in what the generator can reach with it. 0: no such unit. */
double limit_now(limit_unit unit, const char *isa);

const char *limit_name(limit_unit unit);

/* ---- kinds of arithmetic ---- */

enum { PEERS_MAX = 2 };

typedef struct layer_kind {
    const char *name;  /* as --kind takes it */
    const char *title; /* for people */
    aic_dtype dtype;
    aic_accumulate accumulate;
    bool fused; /* with a fixpipe VREQ8 behind it, rectified, to int8 */
    peer_types peer[PEERS_MAX];
} layer_kind;

extern const layer_kind layer_kinds[]; /* an entry without a name behind the last */

/* The layer as an operator of this kind. */
aic_spec *layer_spec(const layer *l, const layer_kind *kind);

/* The unit that bounds this arithmetic on a level. */
limit_unit limit_of(const layer_kind *kind, const char *isa);

/* How results of a peer are called: "s8 to s32". */
const char *peer_types_name(peer_types types);

/* ---- a file's ---- */

/* The set `file`: layers that are of one kind each. */
enum { FILE_LAYERS_MAX = 256 };
typedef struct file_line {
    const layer_kind *kind;
    size_t line;
} file_line;
extern layer file_layers[FILE_LAYERS_MAX + 1];
extern file_line file_lines[FILE_LAYERS_MAX];

/* Reads it. Wrong lines are named on standard error, and false is returned then. */
bool read_layers(const char *path);

/* ---- measurements ---- */

typedef struct layer_row {
    const layer_kind *kind;
    const layer_set *set;
    layer layer;
    size_t line; /* of the file; 0: of none */
    char name[LAYER_NAME_MAX];
    int64_t macs, bytes; /* bytes of the operands; of all images of a batch, as times are */
    double ns;           /* one call of ours */
    double plain_ns;     /* with plain weights; 0: that is what ns is */
    double one_ns;       /* on one thread, where ns is with more; else 0 */
    double limit;        /* of one thread, measured around the layer, 10^9 multiply-accumulates a second */
    double compile_ms;   /* 0: not measured */
    double fixed_ms;     /* what the fixed job of compiling took then */
    char schedule[160];
    struct {
        double ns; /* 0: there is none, or it has no such convolution */
        bool same; /* its results are ours */
        char implementation[48];
    } peer[PEERS_MAX];
} layer_row;

typedef struct goal {
    char text[128];
    double wanted, measured;
    const char *unit; /* behind the numbers */
    bool at_most;     /* else at least */
    bool known;       /* false: nothing here could measure it */
} goal;

enum { ROWS_MAX = 1024, GOALS_MAX = 32 };

typedef struct results {
    const char *isa;
    int threads, batch;
    machine_limits limits;
    layer_row row[ROWS_MAX];
    size_t count;
    goal goal[GOALS_MAX];
    size_t goals;
} results;

/* What layers of a set add up to for a kind, each as often as its count says. Zero where none was measured. */
typedef struct total {
    double ns, macs, limit_ns; /* limit_ns: at the limit, shared by the threads */
    double peer_ns[PEERS_MAX]; /* 0 unless the peer has all of the layers */
    size_t rows, layers;       /* different ones, all */
    size_t slower[PEERS_MAX];  /* different ones on which the peer is faster */
    double worst[PEERS_MAX];   /* the least ratio of the peer's time to ours */
} total;
total total_of(const results *r, const layer_kind *kind, const layer_set *set);

/* Where kernels are made: `shared` has the threads of --threads, `single` one. */
typedef struct layer_contexts {
    aic_context *shared, *single;
} layer_contexts;

/* Milliseconds that LLVM takes for one and the same function, whatever this library does: the unit in which the making
 * of kernels is watched. */
double fixed_job_ms(void);

/* Measures one layer; about `seconds` for each way to compute it. */
void measure_layer(layer_row *row, const results *r, const layer_contexts *contexts, double seconds);

/* ---- output ---- */

void print_limits(const results *r);
void print_head(const results *r, const layer_kind *kind);
void print_set(const layer_set *set);
void print_row(const results *r, const layer_row *row);
void print_total(const results *r, const layer_kind *kind, const layer_set *set);

/* What the machine allows a depthwise layer now, in 10^9 multiply-accumulates a second: what the vector units must do,
 * one after the other, or passing through memory, whatever takes longer. They must form products, for int8 by
 * instructions of several taps of one channel, of which those beyond the last are lost; convert every element of an
 * image of halves once; and requantise sums that become bytes. Putting bytes of several rows together is not counted.
 * In memory the image is read and the result written, which is four times as large where bytes become sums of 32 bits:
 * stores are what bounds these. */
double limit_depthwise(const layer_row *row, const char *isa);

/* Fills in the goals that this level and these threads are set. */
void judge(results *r);
bool goal_met(const goal *g);
void print_goals(const results *r);

void write_json(FILE *out, const results *r);
void write_svg(FILE *out, const results *r);
