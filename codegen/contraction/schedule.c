/* Schedules of contractions: each micro-kernel that takes the contraction offers tiles, whose cost is predicted. */
#include "codegen/contraction/bands.h"
#include "codegen/contraction/microkernel.h"
#include "codegen/integer.h"
#include "codegen/machine.h"

#include <math.h>

/* ---- the usual schedules ---- */

/* A walk through the schedules of a plan. */
typedef struct walk {
    aic_plan *plan;
    const aic_contraction *c;
    const aic_target *target;
    const aic_microkernel *kernel;
    const aic_visitor *visitor;
    aic_space space;
    double bound;  /* of the micro-kernel */
    bool in_place; /* its tiles may read the image where it lies, */
    bool packed;   /* and from packed bands */
    bool ended;
} walk;

/* `t` is a finished plan of the schedule's tile, and becomes that of the schedule where they differ in no more. */
static void offer(walk *w, const aic_contraction_schedule *schedule, aic_tiling *t)
{
    w->ended = w->ended || !aic_contraction_offer(w->plan, schedule, t, w->visitor);
}

/* Band rows that fit their share of a cache: of the second-level one, where weights and results need more than half; or
 * of the third-level one, if the weights, which every band reads again, exceed that. */
static int64_t fitting_rows(const aic_tiling *t)
{
    const aic_machine *machine = t->geometry.machine;
    const int64_t bytes =
        t->panel.packed_bytes > machine->l3_bytes ? machine->l3_bytes / 2 : machine->l2_bytes * 5 / 16;
    return bytes / (t->transform.m > 0 ? t->tile.out_row : aic_band_bytes(&t->geometry, &t->band, 1, 1));
}

/* The usual height of a band, in tile rows: at most what stays in a cache, and few enough that workers can share the
 * call; but enough that the rows shared by neighbouring bands, which are packed twice, are a small part. `t` is the
 * plan with bands of one tile row. */
static int64_t usual_band(const walk *w, const aic_tiling *t)
{
    const int64_t tile_rows = aic_split_count(&t->geometry.rows), step = t->geometry.rows.large * t->band.row_step;
    const int64_t twice = t->band.row_reach - t->band.row_step, least = aic_parts(4 * twice, step);
    int64_t tiles = (fitting_rows(t) - twice) / step;
    /* the bound is the cheaper answer, and that of large contractions */
    if (aic_machine_shares(t->geometry.machine, w->bound) ||
        aic_machine_shares(t->geometry.machine, aic_contraction_cost(w->c, w->target, t))) {
        const int64_t bands =
                          aic_parts(AIC_SHARED_ITEMS, t->geometry.slices > 1 ? t->geometry.slices : t->staging.strips),
                      shared = aic_parts(tile_rows, bands);
        tiles = tiles < shared ? tiles : shared;
    }
    tiles = tiles < least ? least : tiles;
    tiles = tiles < 1 ? 1 : tiles > tile_rows ? tile_rows : tiles;
    return aic_split_evenly(tile_rows, tiles).large;
}

/* Offers the schedule with a tile's window held, if the micro-kernel proposes that. `t` is the finished plan without.
 */
static void offer_holding(walk *w, aic_contraction_schedule schedule, aic_tiling *t)
{
    if (w->kernel->blocks == NULL) {
        return;
    }
    schedule.hold = aic_tag("window");
    offer(w, &schedule, t);
    schedule.blocks = w->kernel->blocks(w->c, t);
    if (schedule.blocks > 1) {
        offer(w, &schedule, t);
    }
}

/* Offers the schedule without and, if the micro-kernel proposes a distance, with prefetched weights. */
static void offer_fetching(walk *w, aic_contraction_schedule schedule, aic_tiling *t)
{
    offer(w, &schedule, t);
    schedule.ahead = w->kernel->ahead;
    if (schedule.ahead > 0) {
        offer(w, &schedule, t);
    }
}

/* Results of which weights beyond the second-level cache are used so few times that reading them takes longest: narrow
 * ones are tried. */
enum { NARROW_PIXELS = 32 };

static bool has_few_pixels(const aic_contraction *c)
{
    return c->down.out * c->across.out <= NARROW_PIXELS;
}

static bool tries_narrow(const walk *w, const aic_tiling *t)
{
    return has_few_pixels(w->c) && t->panel.packed_bytes > t->geometry.machine->l2_bytes &&
           aic_can_narrow(w->c, w->kernel, &t->geometry.arithmetic);
}

/* Offers every legal loop body and band of a tile. */
static void offer_all(walk *w, aic_contraction_schedule schedule)
{
    const int64_t tile_rows = aic_parts(w->c->down.out, schedule.rows);
    const int64_t most = w->kernel->step_kpacks * w->c->c0;
    aic_tiling t;
    for (schedule.unroll = 1; schedule.unroll <= most && !w->ended; schedule.unroll *= 2) {
        for (schedule.band = tile_rows; schedule.band > 0 && !w->ended; schedule.band /= 2) {
            if (aic_tiling_make(w->plan, &schedule, &t) == AIC_OK) {
                offer_fetching(w, schedule, &t);
                offer_holding(w, schedule, &t);
            }
        }
    }
}

/* Whether a visitor who looks for the cheapest schedule need not see any of this tile. */
static bool is_too_dear(const walk *w, const aic_tiling *t)
{
    return w->visitor->limit != NULL && aic_contraction_least(w->c, w->target, t) >= *w->visitor->limit;
}

/* Offers the usual schedules of a tile with packed bands. `t` is a finished plan of it. */
static void offer_packed(walk *w, aic_contraction_schedule schedule, aic_tiling *t)
{
    const int64_t small = w->kernel->small_band == NULL ? 0 : w->kernel->small_band(w->c, w->target, t);
    offer_fetching(w, schedule, t);
    offer_holding(w, schedule, t);
    if (tries_narrow(w, t)) {
        aic_contraction_schedule narrow = schedule;
        narrow.narrow = 1;
        offer_fetching(w, narrow, t);
    }
    if (small > 0 && small < schedule.band) {
        schedule.band = small;
        offer_fetching(w, schedule, t);
        offer_holding(w, schedule, t);
    }
}

/* Offers the usual loop bodies and bands of a tile. How high a band is makes no difference to tiles that read the image
 * where it lies, as long as it is no higher. */
static void offer_usual(walk *w, aic_contraction_schedule schedule)
{
    aic_tiling t;
    schedule.unroll = w->kernel->unroll(w->c, w->target, schedule.rows * schedule.cols, schedule.vectors);
    schedule.in_place = w->in_place;
    if (aic_tiling_make(w->plan, &schedule, &t) != AIC_OK) {
        return;
    }
    const bool dear = is_too_dear(w, &t), other = w->in_place && w->packed; /* the other form may be cheaper */
    if (dear && !other) {
        return;
    }
    schedule.band = usual_band(w, &t);
    if (w->in_place && !dear) {
        offer_fetching(w, schedule, &t);
    }
    schedule.in_place = 0;
    schedule.band = 1;
    if (w->packed && aic_tiling_vary(w->plan, &schedule, &t) == AIC_OK && !(other && is_too_dear(w, &t))) {
        schedule.band = usual_band(w, &t);
        offer_packed(w, schedule, &t);
    }
}

/* Offers all that is legal; narrow weights, which gain nothing with more pixels, only for few of them. */
static void offer_legal(walk *w, aic_contraction_schedule schedule)
{
    offer_all(w, schedule);
    if (w->in_place) {
        aic_contraction_schedule in_place = schedule;
        in_place.in_place = 1;
        offer_all(w, in_place);
    }
    schedule.narrow = 1; /* where that is not legal there is no plan */
    if (has_few_pixels(w->c)) {
        offer_all(w, schedule);
    }
}

static void offer_tile(walk *w, int64_t rows, int64_t cols, int64_t vectors, int64_t m)
{
    const aic_contraction_schedule schedule = {.kernel = aic_tag(w->kernel->name),
                                               .rows = rows,
                                               .cols = cols,
                                               .vectors = vectors,
                                               .band = 1,
                                               .hold = aic_tag("panel"),
                                               .blocks = 1,
                                               .m = m};
    if (w->kernel->fits == NULL || w->kernel->fits(w->c, rows, cols, vectors)) {
        (w->space == AIC_SPACE_LEGAL ? offer_legal : offer_usual)(w, schedule);
    }
}

/* The next smaller tile that cuts `extent` into more tiles than `tile` does; 0 when there is none. */
static int64_t next_tile(int64_t extent, int64_t tile)
{
    int64_t tiles = aic_parts(extent, tile);
    return tiles >= extent ? 0 : aic_split_evenly(extent, (extent - 1) / tiles).large;
}

/* Offers every way to cut the output into tiles of at most `pixels` pixels, each tile size once. */
static void offer_tiles(walk *w, int64_t pixels, int64_t vectors)
{
    const aic_contraction *c = w->c;
    int64_t widest = c->across.out < pixels ? c->across.out : pixels;
    for (int64_t cols = aic_split_evenly(c->across.out, widest).large; cols > 0;
         cols = next_tile(c->across.out, cols)) {
        int64_t highest = c->down.out < pixels / cols ? c->down.out : pixels / cols;
        for (int64_t rows = aic_split_evenly(c->down.out, highest).large; rows > 0;
             rows = next_tile(c->down.out, rows)) {
            offer_tile(w, rows, cols, vectors, 0);
        }
    }
}

/* Offers tiles of whole rows: of one, of two, and of more if these cut the output evenly and are as long as they may
 * be.
 */
static void offer_long_rows(walk *w, int64_t vectors)
{
    enum { PIXELS = 2 * AIC_TILE_SIDE };
    const int64_t height = w->c->down.out, width = w->c->across.out;
    for (int64_t rows = 1; rows <= aic_least(height, AIC_TILE_SIDE); rows++) {
        if (rows <= 2 || (height % rows == 0 && rows * width <= PIXELS) || w->space == AIC_SPACE_LEGAL) {
            offer_tile(w, rows, width, vectors, 0);
        }
    }
}

/* Small tiles of a tile, at most, among the usual schedules and among all. */
enum { SMALL_USUAL = 32, SMALL_ALL = 64 };

/* Offers tiles of small tiles: halves of the output's columns and rows, rounded up to whole small tiles. */
static void offer_small_tiles(walk *w, int64_t vectors)
{
    const aic_contraction *c = w->c;
    const int64_t most = w->space == AIC_SPACE_LEGAL ? SMALL_ALL : SMALL_USUAL;
    for (int64_t m = 2; m <= 4; m += 2) {
        for (int64_t across = aic_parts(c->across.out, m); across > 0; across = across > 1 ? aic_parts(across, 2) : 0) {
            for (int64_t down = aic_parts(c->down.out, m); down > 0; down = down > 1 ? aic_parts(down, 2) : 0) {
                if (across * down <= most) {
                    offer_tile(w, aic_least(down * m, c->down.out), aic_least(across * m, c->across.out), vectors, m);
                }
            }
        }
    }
}

/* With more vectors a tile would have too few pixels to use each loaded vector often. */
enum { VECTORS_MAX = 8 };

/* Why no tile can have `vectors` vectors of output channels; NULL where one can. */
static const char *refuse_vectors(const aic_microkernel *kernel, const aic_contraction *c, const aic_target *target,
                                  int64_t vectors)
{
    const int64_t lanes = aic_sum_lanes(kernel, c, target);
    const char *reason = aic_panel_refusal(c, lanes, vectors * lanes);
    if (reason == NULL && kernel->pixels(c, target, vectors) == 0) {
        reason = "needs more registers than there are";
    }
    return reason;
}

/* Notes where tiles may read the image: of the usual ones, where it lies if that costs nothing. */
static void note_places(walk *w, const aic_arithmetic *a)
{
    const aic_machine *machine = w->plan->problem.machine;
    const bool legal = w->space == AIC_SPACE_LEGAL, whole = a->product == AIC_PRODUCT_QUAD,
               is_free = whole && (a->image_offset == 0 || machine->aside_bits > 0);
    w->in_place =
        aic_in_place_refusal(w->c, w->target, w->kernel, a) == NULL && (legal || !aic_planes_crowd(w->c, machine));
    w->packed = legal || !w->in_place || !is_free;
}

/* Offers the schedules of a micro-kernel. */
static void offer_kernel(walk *w)
{
    const aic_arithmetic arithmetic = w->kernel->arithmetic(w->c, w->target);
    note_places(w, &arithmetic);
    for (int64_t vectors = 1; vectors <= VECTORS_MAX && !w->ended; vectors++) {
        if (refuse_vectors(w->kernel, w->c, w->target, vectors) != NULL) {
            continue;
        }
        if (w->kernel->small_tiles) {
            offer_small_tiles(w, vectors);
        } else if (w->kernel->long_rows) {
            offer_long_rows(w, vectors);
        } else {
            offer_tiles(w, w->kernel->pixels(w->c, w->target, vectors), vectors);
        }
    }
}

/* Of the micro-kernels that take the contraction and are not `done`, a set of numbers, the one with the lowest bound,
 * which becomes done; NULL: there is none. */
static const aic_microkernel *next_kernel(walk *w, uint32_t *done)
{
    const aic_microkernel *kernel, *next = NULL;
    uint32_t found = 0;
    for (size_t i = 0; (kernel = aic_microkernel_at(i)) != NULL; i++) {
        const uint32_t bit = (uint32_t)1 << i;
        if ((*done & bit) == 0 && kernel->refuse(w->c, w->target) == NULL) {
            const double own = kernel->bound(w->c, w->target);
            if (next == NULL || own < w->bound) {
                next = kernel;
                w->bound = own;
                found = bit;
            }
        }
    }
    *done |= found;
    return next;
}

/* Micro-kernels with low bounds come first: those with higher ones can then be left out for a visitor who looks for the
 * cheapest schedule. */
void aic_contraction_enumerate(aic_plan *plan, aic_space space, const aic_visitor *visitor)
{
    walk w = {.plan = plan,
              .c = aic_contraction_of(plan),
              .target = plan->problem.target,
              .visitor = visitor,
              .space = space};
    uint32_t done = 0;
    while (!w.ended && (w.kernel = next_kernel(&w, &done)) != NULL &&
           (visitor->limit == NULL || w.bound < *visitor->limit)) {
        offer_kernel(&w);
    }
}

/* ---- the report ---- */

static void report_refusals(FILE *out, const aic_microkernel *kernel, const aic_contraction *c,
                            const aic_target *target)
{
    const char *reason = kernel->refuse(c, target);
    if (reason != NULL) {
        fprintf(out, "  kernel=%s: this micro-kernel %s\n", kernel->name, reason);
        return;
    }
    const int64_t lanes = aic_sum_lanes(kernel, c, target);
    for (int64_t vectors = 1; vectors <= VECTORS_MAX; vectors++) {
        reason = refuse_vectors(kernel, c, target, vectors);
        if (reason != NULL) {
            fprintf(out, "  kernel=%s, vectors=%lld: a panel of %lld output channels %s\n", kernel->name,
                    (long long)vectors, (long long)(vectors * lanes), reason);
        } else if (!kernel->small_tiles && !kernel->long_rows &&
                   kernel->pixels(c, target, vectors) < c->down.out * c->across.out) {
            fprintf(out,
                    "  kernel=%s, vectors=%lld: tiles of more than %lld pixels need more registers than there are\n",
                    kernel->name, (long long)vectors, (long long)kernel->pixels(c, target, vectors));
        }
    }
}

/* What the last tiles are, where the others are larger. */
static void report_edges(FILE *out, const aic_plan_geometry *g)
{
    if (g->rows.small_count + g->cols.small_count == 0) {
        return;
    }
    if (g->m > 0) {
        fprintf(out, ", the last ones %lld x %lld", (long long)aic_split_least(&g->rows),
                (long long)aic_split_least(&g->cols));
    } else {
        fprintf(out, ", with edges one row or column smaller");
    }
}

/* Errors are the means that tests/bench/winograd prints of its layers, in float16's last place, by vectors of avx2; a
 * sum beside 0 may be off by hundreds of its last places. */
static void report_small_tiles(FILE *out, const aic_tiling *t)
{
    const long long m = (long long)t->transform.m;
    fprintf(
        out,
        "small tiles: Winograd's F(%lld x %lld, 3 x 3), %lld products for %lld results, where direct sums take %lld\n"
        "expected error: %s of float16's last place in the mean, direct sums 0.001 to 0.01\n",
        m, m, (long long)t->transform.points, m * m, 9 * m * m, m == 2 ? "0.001 to 0.02" : "0.01 to 0.1");
}

static void report_tiling(FILE *out, const aic_tiling *t, const aic_requirements *r)
{
    fprintf(out, "micro-kernel: %s\n", t->kernel->name);
    fprintf(out, "tiles: %lld x %lld pixels x %lld channels", (long long)t->geometry.rows.large,
            (long long)t->geometry.cols.large, (long long)t->geometry.panel_channels);
    report_edges(out, &t->geometry);
    fprintf(out, "\n");
    if (t->transform.m > 0) {
        report_small_tiles(out, t);
    }
    fprintf(out, "bands: %lld of %lld %s, %lld bytes each; workers may share %lld parts of each\n",
            (long long)t->band.count, (long long)t->band.rows,
            t->wish.steps > 0 || t->geometry.in_place ? "rows, which are read where the image has them" : "packed rows",
            (long long)t->band.bytes, (long long)t->division.parts);
    fprintf(out, "weights: %lld panels of %lld bytes\n", (long long)t->panel.count, (long long)t->panel.bytes);
    if (aic_is_narrow(&t->geometry)) {
        fprintf(out, "weights are packed as they are and widened by tiles\n");
    }
    if (t->lean.channels > 0) {
        fprintf(
            out,
            "lean form, if packing finds no weights in the last %lld channels: %lld taps of %lld k-packs instead of "
            "%lld of %lld\n",
            (long long)t->lean.channels, (long long)t->lean.taps, (long long)t->lean.kpacks, (long long)t->panel.taps,
            (long long)t->panel.kpacks);
    }
    if (t->tile.ahead > 0) {
        fprintf(out, "weights are fetched into the second-level cache %lld bytes ahead\n", (long long)t->tile.ahead);
    }
    if (t->staging.pitch > 0) {
        fprintf(out, "results leave through a staging buffer of %lld columns\n", (long long)t->staging.strip_columns);
        aic_epilogue_report_steps(out, t->staging.epilogue);
    }
    fprintf(out, "workspace: %lld bytes, %lld with packed weights; of these %lld a worker\n",
            (long long)aic_workspace_bytes(r, AIC_PLAIN), (long long)aic_workspace_bytes(r, AIC_PACKED),
            (long long)r->private_bytes);
}

static bool note_small_tiles(void *least, const aic_plan *plan)
{
    if (aic_tiling_of(plan)->kernel->small_tiles) {
        *(double *)least = fmin(*(double *)least, plan->cost);
    }
    return true;
}

/* Why a request that allows Winograd's method is computed by direct sums. */
static void report_direct_sums(FILE *out, const aic_plan *plan)
{
    const aic_contraction *c = aic_contraction_of(plan);
    const char *reason = aic_microkernel_winograd.refuse(c, plan->problem.target);
    if (!c->winograd || aic_tiling_of(plan)->transform.m > 0) {
        return;
    }
    fprintf(out, "Winograd's method is not taken: ");
    if (reason != NULL) {
        fprintf(out, "it %s\n", reason);
        return;
    }
    double least = INFINITY;
    const aic_visitor visitor = {.visit = note_small_tiles, .user = &least};
    aic_tiling tiling = {.kernel = NULL};
    aic_plan other = *plan; /* a walk leaves some schedule behind */
    other.derived = &tiling;
    aic_contraction_enumerate(&other, AIC_SPACE_USUAL, &visitor);
    if (isfinite(least)) {
        fprintf(out, "at best %.4g vector operations predicted, direct sums by micro-kernel %s %.4g\n", least,
                aic_tiling_of(plan)->kernel->name, plan->cost);
    } else {
        fprintf(out, "none of its tiles fits\n");
    }
}

void aic_contraction_report(FILE *out, const aic_plan *plan)
{
    const aic_microkernel *kernel;
    fprintf(out, "refused:\n");
    for (size_t i = 0; (kernel = aic_microkernel_at(i)) != NULL; i++) {
        report_refusals(out, kernel, aic_contraction_of(plan), plan->problem.target);
    }
    report_direct_sums(out, plan);
    report_tiling(out, aic_tiling_of(plan), &plan->requirements);
}
