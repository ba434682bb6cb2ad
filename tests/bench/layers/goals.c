/* The goals: what a level and a number of threads should reach, and what was measured. */
#include "tests/bench/layers/layers.h"
#include "tools/harness/timer.h"

#include <string.h>

enum { INT8, FUSED, FAST, CUBE }; /* rows of layer_kinds */

/* Adds a goal. A measured value of 0 is none. */
static void add(results *r, const char *text, double wanted, const char *unit, bool at_most, double measured)
{
    if (r->goals < GOALS_MAX) {
        goal *g = &r->goal[r->goals++];
        *g = (goal){.wanted = wanted, .measured = measured, .unit = unit, .at_most = at_most, .known = measured > 0};
        (void)snprintf(g->text, sizeof g->text, "%s", text);
    }
}

static const layer_row *row_named(const results *r, const layer_kind *kind, const layer_set *set, const char *name)
{
    for (size_t i = 0; i < r->count; i++) {
        if (r->row[i].kind == kind && r->row[i].set == set && strcmp(r->row[i].name, name) == 0) {
            return &r->row[i];
        }
    }
    return NULL;
}

/* ResNet-50 of a kind; zeros unless all of it was measured. */
static total network(const results *r, int kind)
{
    const total t = total_of(r, &layer_kinds[kind], set_named("resnet50"));
    return t.layers == 53 ? t : (total){0};
}

static double peer_ratio(const total *t, int peer)
{
    return t->ns > 0 ? t->peer_ns[peer] / t->ns : 0;
}

/* Percent of the limit. */
static double share(const total *t)
{
    return t->ns > 0 ? 100 * t->limit_ns / t->ns : 0;
}

/* ---- totals of ResNet-50 ---- */

static void judge_int8(results *r, bool tiles)
{
    const total t = network(r, INT8);
    const limit_unit unit = limit_of(&layer_kinds[INT8], r->isa);
    if (tiles) {
        const bool recent = peer_major() >= 3;
        add(r, "int8 to int32, ResNet-50 against oneDNN 3", 1.5, "times", false, recent ? peer_ratio(&t, 0) : 0);
        add(r, "int8 to int32, ResNet-50's slowest shape against oneDNN 3", 1, "times", false,
            recent && t.peer_ns[0] > 0 ? t.worst[0] : 0);
    } else if (unit == LIMIT_DOT) {
        add(r, "int8 to int32, ResNet-50, of the dot product's limit", 92, "%", false, share(&t));
    } else if (unit == LIMIT_PAIRS) {
        add(r, "int8 to int32, ResNet-50, of the level's own limit", 85, "%", false, share(&t));
    }
}

static void judge_networks(results *r, bool tiles)
{
    judge_int8(r, tiles);
    if (limit_of(&layer_kinds[INT8], r->isa) < LIMIT_DOT) {
        return; /* the other goals are for levels with the dot product and above */
    }
    const total fused = network(r, FUSED), fast = network(r, FAST), cube = network(r, CUBE);
    add(r, "int8 | fixpipe to int8, ResNet-50 against the peer", tiles ? 1.7 : 1.1, "times", false,
        peer_ratio(&fused, 0));
    if (tiles) {
        add(r, "float16 fast, ResNet-50 against the peer's f16", 4.5, "times", false, peer_ratio(&fast, 0));
        add(r, "float16 fast, ResNet-50 against the peer's f32", 3, "times", false, peer_ratio(&fast, 1));
    } else {
        add(r, "float16 fast, ResNet-50, of the fp32 FMA limit", 97, "%", false, share(&fast));
    }
    add(r, "float16 cube, ResNet-50, of the fp64 FMA limit", tiles ? 70 : 94, "%", false, share(&cube));
}

/* The depthwise layers of MobileNet, of the peer's first kind. */
static void judge_depthwise(results *r)
{
    for (int kind = INT8; kind <= FAST; kind++) {
        char text[96];
        const total t = total_of(r, &layer_kinds[kind], set_named("mobilenet"));
        (void)snprintf(text, sizeof text, "%s, MobileNet's depthwise layers against the peer", layer_kinds[kind].title);
        add(r, text, 1.2, "times", false, t.layers == 30 ? peer_ratio(&t, 0) : 0);
    }
}

/* ---- single layers ---- */

static void judge_squares(results *r)
{
    static const char *const NAMES[] = {"3x3 64-64 @56", "3x3 128-128 @28", "3x3 256-256 @14"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        const layer_row *row = row_named(r, &layer_kinds[INT8], set_named("resnet50"), NAMES[i]);
        char text[96];
        (void)snprintf(text, sizeof text, "int8 to int32, %s, of the limit of tiles", NAMES[i]);
        add(r, text, 65, "%", false,
            row != NULL && row->limit > 0 ? 100 * (double)row->macs / row->ns / row->limit / r->threads : 0);
    }
}

static void judge_calls(results *r)
{
    const layer_row *tiny = row_named(r, &layer_kinds[INT8], set_named("tiny"), "1x1 32-32 @1");
    const layer_row *plain = row_named(r, &layer_kinds[INT8], set_named("resnet50"), "1x1 256-64 @56");
    add(r, "aic_jit_conv2d, int8, 32 to 32 channels, one pixel, plain weights", 150, "ns", true,
        tiny != NULL ? tiny->ns : 0);
    add(r, "int8 1x1 256-64 @56, plain weights against packed", 1.05, "times", true,
        plain != NULL ? plain->plain_ns / plain->ns : 0);
}

/* Making kernels is watched: what a kernel of ResNet-50 took, in fixed jobs of compiling, when that was measured last,
 * the median. More than a tenth above is worse. */
static const struct {
    const char *isa;
    double ratio[4]; /* by kind */
} MADE[] = {
    {"avx2", {2.5, 4.0, 2.9, 3.3}},
    {"avx512vnni", {2.4, 3.7, 2.5, 2.8}},
    {"amx", {1.9, 3.4, 2.8, 2.7}},
};

static void judge_kind(results *r, int kind, double before)
{
    static double sample[ROWS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++) {
        if (r->row[i].kind == &layer_kinds[kind] && r->row[i].fixed_ms > 0) {
            sample[count++] = r->row[i].compile_ms / r->row[i].fixed_ms;
        }
    }
    char text[96];
    (void)snprintf(text, sizeof text, "making a kernel of ResNet-50, %s, median", layer_kinds[kind].name);
    add(r, text, 1.1 * before, "fixed jobs of compiling", true,
        network(r, kind).layers > 0 ? timer_median(sample, count) : 0);
}

static void judge_compilation(results *r)
{
    for (size_t i = 0; i < sizeof MADE / sizeof MADE[0]; i++) {
        for (int kind = INT8; strcmp(MADE[i].isa, r->isa) == 0 && kind <= CUBE; kind++) {
            judge_kind(r, kind, MADE[i].ratio[kind]);
        }
    }
}

/* Layers that take one thread more than 50 us: how much faster the threads are on the one that gains least. */
static void judge_threads(results *r)
{
    static const double LEAST_NS = 50e3;
    double worst = 0;
    size_t layers = 0, met = 0;
    for (size_t i = 0; i < r->count; i++) {
        const layer_row *row = &r->row[i];
        if (row->one_ns > LEAST_NS) {
            const double ratio = row->one_ns / row->ns;
            worst = layers == 0 || ratio < worst ? ratio : worst;
            layers++;
            met += ratio >= 1.8;
        }
    }
    char text[96];
    (void)snprintf(text, sizeof text, "two threads against one, the worst of %zu shapes over 50 us (%zu reach it)",
                   layers, met);
    add(r, text, 1.8, "times", false, worst);
}

void judge(results *r)
{
    const bool tiles = limit_of(&layer_kinds[INT8], r->isa) == LIMIT_TILES_I8;
    if (r->batch > 1) {
        return; /* all goals are for single images */
    }
    if (r->threads > 1) {
        if (r->threads == 2) {
            judge_threads(r);
        }
        return;
    }
    judge_networks(r, tiles);
    if (tiles) {
        judge_squares(r);
    }
    judge_depthwise(r);
    judge_calls(r);
    judge_compilation(r);
}

bool goal_met(const goal *g)
{
    return g->known && (g->at_most ? g->measured <= g->wanted : g->measured >= g->wanted);
}

void print_goals(const results *r)
{
    printf("\n");
    for (size_t i = 0; i < r->goals; i++) {
        const goal *g = &r->goal[i];
        printf("target %s: %s %.6g %s, measured ", g->text, g->at_most ? "at most" : "at least", g->wanted, g->unit);
        if (g->known) {
            printf("%.2f: %s\n", g->measured, goal_met(g) ? "met" : "missed");
        } else {
            printf("nothing: not judged\n");
        }
    }
}
