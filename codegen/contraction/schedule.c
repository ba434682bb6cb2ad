/* The default rule for contractions: enumerate the tiles that fit the registers, predict their cost, take the
 * cheapest. */
#include "codegen/family/family.h"
#include "codegen/generator.h"

#include <math.h>

/* ---- the cost model ---- */

/* Rough sizes of a core's caches. They need not be the host's: a schedule must not depend on where it was made. */
enum { LEVEL1_BYTES = 24 * 1024, LEVEL2_BYTES = 640 * 1024, LEVEL3_BYTES = 8 * 1024 * 1024 };
enum { BAND_BYTES = LEVEL2_BYTES / 2, LARGE_BAND_BYTES = LEVEL3_BYTES / 2 };

/* Costs are in vector operations, of which a core does about two a cycle, like loads from its first-level cache. */
static const double LEVEL2_LOAD = 5.0, LEVEL3_LOAD = 16.0; /* a vector of weights from that level */
static const double LATENCY = 8.0;                         /* operations in flight that hide an FMA's latency */
static const double LOAD_COST = 0.02, LOOP_COST = 1.0, TAP_COST = 6.0, TILE_COST = 40.0;
/* A broadcast double that several multiplications share, where one that is not shared comes with its multiplication. */
static const double SHARED_DOUBLE = 0.4;
/* Code must be compiled: a further tile shape, and every further sum in a tile, is worth it for more than this share of
 * the run time. */
static const double BODY_COST = 0.08, SUM_COST = 0.001;
/* A load where a broadcast takes an instruction of its own instead of coming with its multiplication. */
static const double SEPARATE_BROADCAST = 1.8;

/* Vector operations of one multiply-accumulate of a vector. */
static double multiply_cost(const aic_contraction *c, const aic_target *target)
{
    switch (aic_arithmetic_of(c, target)->product) {
    case AIC_PRODUCT_PAIR:
        return aic_family_of(target)->dot2.operations;
    case AIC_PRODUCT_QUAD:
        return aic_family_of(target)->dot4.operations;
    case AIC_PRODUCT_FLOAT:
        break;
    }
    return 1.0;
}

/* Vector registers that a tile keeps busy in its inner loop: sums, weights, a broadcast; the product on its way to
 * the sum where that is not one instruction; and one more where a broadcast cannot be part of the multiplication. */
static int64_t registers_used(const aic_contraction *c, const aic_target *target, int64_t pixels, int64_t vectors)
{
    int64_t spare = (multiply_cost(c, target) > 1 ? 1 : 0) + ((target->has & AIC_HAS_BROADCAST) != 0 ? 0 : 1);
    return pixels * vectors + vectors + 1 + spare;
}

/* Folding the sums of a block into the totals. Totals, half as wide as sums, rest in memory when registers are short.
 */
static double fold_cost(const aic_contraction *c, const aic_target *target, int64_t pixels, int64_t vectors)
{
    if (aic_arithmetic_of(c, target)->sum != AIC_SUM_CUBE) {
        return 0;
    }
    int64_t totals = pixels * vectors;
    int64_t missing = registers_used(c, target, pixels, vectors) + totals - target->vector_registers;
    return (double)totals + 2.0 * (double)(missing > 0 ? missing : 0);
}

static double tile_cost(const aic_contraction *c, const aic_target *target, const aic_tiling *t, int64_t pixels)
{
    double products = (double)pixels * t->vectors, vectors = t->vectors;
    double compute = fmax(products, LATENCY) * multiply_cost(c, target);
    double loads = (double)pixels + vectors, stream = 0;
    if ((target->has & AIC_HAS_BROADCAST) == 0) {
        loads *= SEPARATE_BROADCAST;
    } else if (t->arithmetic->sum == AIC_SUM_CUBE && t->vectors > 1) {
        compute += SHARED_DOUBLE * (double)pixels;
    }
    if (t->panel_bytes > LEVEL1_BYTES) {
        stream = vectors * (t->panel_bytes > LEVEL2_BYTES ? LEVEL3_LOAD : LEVEL2_LOAD);
    }
    double cell = fmax(compute, fmax(loads, stream)) + LOAD_COST * loads + LOOP_COST / (double)t->unroll;
    double blocks = (double)(t->arithmetic->sum == AIC_SUM_CUBE ? t->taps * c->c1 : 1);
    return cell * (double)(t->taps * t->cells) + fold_cost(c, target, pixels, t->vectors) * blocks +
           TAP_COST * (double)t->taps + TILE_COST;
}

static double predict(const aic_contraction *c, const aic_target *target, const aic_tiling *t)
{
    double total = 0;
    int bodies = c->has_epilogue && t->outputs % t->strip_columns != 0 ? 1 : 0; /* of the strip that is narrower */
    for (int r = 0; r < 2; r++) {
        for (int s = 0; s < 2; s++) {
            int64_t count =
                (r ? t->rows.small_count : t->rows.large_count) * (s ? t->cols.small_count : t->cols.large_count);
            if (count > 0) {
                bodies++;
                total += (double)count * tile_cost(c, target, t, (t->rows.large - r) * (t->cols.large - s));
            }
        }
    }
    double sums = (double)(t->rows.large * t->cols.large * t->vectors);
    return total * (double)t->groups * (1.0 + BODY_COST * (bodies - 1) + SUM_COST * sums);
}

/* ---- enumeration ---- */

/* The longest straight-line body: unrolling further measured no faster and compiles slower. */
enum { BODY_OPERATIONS = 32 };

static int64_t default_unroll(const aic_contraction *c, const aic_target *target, int64_t sums)
{
    int64_t channels = aic_arithmetic_of(c, target)->cell_channels, unroll = c->c0 / channels;
    while (unroll > 1 && ((double)(unroll * sums) * multiply_cost(c, target) > BODY_OPERATIONS ||
                          unroll / 2 * channels >= c->channels)) {
        unroll /= 2;
    }
    return unroll;
}

/* Tile rows a band: what stays in the second-level cache, or where the weights, which every band reads again, fit no
 * cache, in the third-level cache; but enough that the rows shared by neighbouring bands are a small part. */
static int64_t default_band(const aic_contraction *c, const aic_target *target, const aic_schedule *schedule)
{
    aic_tiling t;
    if (aic_tiling_make(c, target, schedule, &t) != AIC_OK) {
        return 1;
    }
    int64_t tile_rows = t.rows.large_count + t.rows.small_count;
    int64_t shared = t.row_reach - t.row_step;
    int64_t fitting = (t.packed_bytes > LEVEL3_BYTES ? LARGE_BAND_BYTES : BAND_BYTES) / t.row_pitch - shared;
    int64_t rows = fitting > 4 * shared ? fitting : 4 * shared;
    int64_t tiles = rows / (t.rows.large * t.row_step);
    tiles = tiles < 1 ? 1 : tiles > tile_rows ? tile_rows : tiles;
    return aic_split_evenly(tile_rows, tiles).large;
}

/* Adds the candidate with this tile and the default unroll and band. */
static void consider(aic_candidates *list, const aic_contraction *c, const aic_target *target, int64_t rows,
                     int64_t cols, int64_t vectors)
{
    aic_schedule schedule = {.rows = rows, .cols = cols, .vectors = vectors, .band = 1};
    aic_tiling t;
    schedule.unroll = default_unroll(c, target, rows * cols * vectors);
    schedule.band = default_band(c, target, &schedule);
    if (aic_tiling_make(c, target, &schedule, &t) == AIC_OK) {
        aic_candidates_add(list, &schedule, predict(c, target, &t));
    }
}

/* The next smaller piece that cuts `extent` into more pieces than `piece` does; 0 when there is none. */
static int64_t next_piece(int64_t extent, int64_t piece)
{
    int64_t pieces = (extent + piece - 1) / piece;
    return pieces >= extent ? 0 : aic_split_evenly(extent, (extent - 1) / pieces).large;
}

/* Every way to cut the output into tiles of at most `pixels` pixels, each piece size once. */
static void consider_tiles(aic_candidates *list, const aic_contraction *c, const aic_target *target, int64_t pixels,
                           int64_t vectors)
{
    int64_t widest = c->ow < pixels ? c->ow : pixels;
    for (int64_t cols = aic_split_evenly(c->ow, widest).large; cols > 0; cols = next_piece(c->ow, cols)) {
        int64_t highest = c->oh < pixels / cols ? c->oh : pixels / cols;
        for (int64_t rows = aic_split_evenly(c->oh, highest).large; rows > 0; rows = next_piece(c->oh, rows)) {
            consider(list, c, target, rows, cols, vectors);
        }
    }
}

/* Why `vectors` vectors of output channels make no tile; NULL when they do. */
static const char *refuse_vectors(const aic_contraction *c, const aic_target *target, int64_t vectors)
{
    int64_t lanes = target->vector_bits / (int64_t)aic_arithmetic_of(c, target)->sum_bits;
    const char *reason = aic_group_refusal(c, lanes, vectors * lanes);
    if (reason != NULL) {
        return reason;
    }
    if (registers_used(c, target, 1, vectors) > target->vector_registers) {
        return "needs more registers than there are";
    }
    return NULL;
}

/* Vectors beyond this leave too few pixels to share them. */
enum { VECTORS_MAX = 8 };

void aic_contraction_candidates(const aic_work *work, const aic_target *target, aic_candidates *list)
{
    const aic_contraction *c = &work->contraction;
    for (int64_t vectors = 1; vectors <= VECTORS_MAX; vectors++) {
        if (refuse_vectors(c, target, vectors) != NULL) {
            continue;
        }
        int64_t pixels = 1;
        while (registers_used(c, target, pixels + 1, vectors) <= target->vector_registers) {
            pixels++;
        }
        consider_tiles(list, c, target, pixels, vectors);
    }
}

/* ---- the report ---- */

static void report_refusals(FILE *out, const aic_contraction *c, const aic_target *target)
{
    int64_t lanes = target->vector_bits / (int64_t)aic_arithmetic_of(c, target)->sum_bits;
    fprintf(out, "refused:\n");
    for (int64_t vectors = 1; vectors <= VECTORS_MAX; vectors++) {
        const char *reason = refuse_vectors(c, target, vectors);
        if (reason != NULL) {
            fprintf(out, "  vectors=%lld: a group of %lld output channels %s\n", (long long)vectors,
                    (long long)(vectors * lanes), reason);
        }
    }
}

static void report_tiling(FILE *out, const aic_tiling *t)
{
    fprintf(out, "tiles: %lld x %lld pixels x %lld channels", (long long)t->rows.large, (long long)t->cols.large,
            (long long)t->group);
    if (t->rows.small_count + t->cols.small_count > 0) {
        fprintf(out, ", with edges one row or column smaller");
    }
    fprintf(out, "\nbands: %lld of %lld packed rows, %lld bytes each\n", (long long)t->bands, (long long)t->band_rows,
            (long long)(t->band_rows * t->row_pitch));
    fprintf(out, "weights: %lld panels of %lld bytes\n", (long long)t->panels, (long long)t->panel_bytes);
    if (t->strip_pitch > 0) {
        fprintf(out, "results leave through strips of %lld columns\n", (long long)t->strip_columns);
    }
    fprintf(out, "workspace: %lld bytes\n", (long long)t->workspace_bytes);
}

double aic_contraction_bound(const aic_work *work, const aic_target *target)
{
    const aic_contraction *c = &work->contraction;
    const aic_arithmetic *a = aic_arithmetic_of(c, target);
    double cells = (double)(c->kh * c->kw * c->channels) / a->cell_channels;
    double lanes = (double)target->vector_bits / a->sum_bits;
    return cells * (double)(c->oh * c->ow) * (double)c->n / lanes * multiply_cost(c, target);
}

void aic_contraction_report(FILE *out, const aic_work *work, const aic_target *target, const aic_schedule *schedule)
{
    aic_tiling t;
    report_refusals(out, &work->contraction, target);
    if (aic_tiling_make(&work->contraction, target, schedule, &t) == AIC_OK) {
        report_tiling(out, &t);
    }
}
