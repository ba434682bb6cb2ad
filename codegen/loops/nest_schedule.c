/* Schedules of nests: tiles that complete the cache lines they touch, in registers that are filled. */
#include "codegen/generator.h"
#include "codegen/loops/nest.h"
#include "codegen/machine.h"

#include <math.h>

/* The box that writes most. */
static const aic_box *main_box(const aic_nest *nest)
{
    const aic_box *largest = &nest->box[0];
    for (unsigned i = 1; i < nest->boxes; i++) {
        if (aic_box_bytes(nest, &nest->box[i]) > aic_box_bytes(nest, largest)) {
            largest = &nest->box[i];
        }
    }
    return largest;
}

static const aic_schedule WIDEST = {.rows = 64, .cols = 64, .vectors = 1, .unroll = 4, .band = 64};

/* Costs are in vector operations. Shuffles of 64 bytes take more than twice as long as those of 32 and less; a tile has
 * addresses to compute. */
static const double TILE_COST = 2, WIDE_SHUFFLE = 2.5;
enum { SHUFFLE_BYTES = 32 };
/* Code must be compiled: doubling a tile is worth it for more than this share of the run time. */
static const double SIZE_COST = 0.04;

static double passes_of(const aic_nest *nest, const aic_nest_plan *p)
{
    double passes = 0;
    int64_t rows = p->rows < 16 / nest->size ? p->rows : 16 / nest->size;
    for (; p->transposes && p->cols > 1 && rows > 1; rows /= 2) {
        passes++;
    }
    return p->vector > SHUFFLE_BYTES ? passes * WIDE_SHUFFLE : passes;
}

/* A load and a store of every vector, the shuffles of transpositions, and what a tile costs. */
static double predict_box(const aic_nest *nest, const aic_box *box, const aic_schedule *schedule)
{
    aic_nest_plan p;
    aic_nest_plan_make(nest, box, schedule, &p);
    double bytes = (double)aic_box_bytes(nest, box), unit = (double)(p.transposes ? nest->size : p.run);
    double tile = p.chunk != 0 ? (double)p.chunk : (double)(p.rows * p.cols) * unit;
    double access = (double)p.vector;
    if (p.transposes) {
        int64_t column = p.rows * nest->size;
        access = column < 16 || column > p.vector ? access : (double)column;
    } else if (p.run < p.vector) {
        access = unit;
    }
    double cost = bytes / access * 2 + bytes / (double)p.vector * passes_of(nest, &p) + bytes / tile * TILE_COST;
    return cost * (1 + SIZE_COST * log2(tile / unit));
}

static void consider(const aic_nest *nest, aic_candidates *list, aic_schedule schedule)
{
    double cost = 0;
    for (unsigned i = 0; i < nest->boxes; i++) {
        cost += predict_box(nest, &nest->box[i], &schedule);
    }
    aic_candidates_add(list, &schedule, cost);
}

/* Columns that fill a vector's lanes when `rows` rows leave some free. */
static int64_t columns_for(int64_t rows, int64_t vector, int64_t size)
{
    int64_t lanes = vector / 16, down = rows * size / 16;
    down = down < 1 ? 1 : down;
    return 16 / size * (down < lanes ? lanes / down : 1);
}

static void consider_transposition(const aic_nest *nest, const aic_nest_plan *widest, aic_candidates *list,
                                   int64_t vectors)
{
    /* Bands fill the output's lines while those of the input that are read in part stay in the first-level cache. */
    const int64_t size = nest->size, vector = vectors * 16, line = aic_machine_facts()->line_bytes;
    aic_schedule s = {.vectors = vectors, .unroll = 4};
    s.rows = widest->rows * size < vector ? widest->rows : vector / size;
    s.cols = columns_for(s.rows, vector, size);
    s.band = s.rows * size < line ? line / size : s.rows;
    consider(nest, list, s);
    s.cols *= s.cols < 64 ? 2 : 1;
    consider(nest, list, s);
    s.band *= 4;
    consider(nest, list, s);
}

static void consider_runs(const aic_nest *nest, aic_candidates *list, int64_t vectors)
{
    static const struct {
        int64_t rows, cols, band;
    } TILES[] = {{4, 4, 16}, {4, 8, 16}, {2, 2, 16}, {4, 4, 64}};
    for (size_t i = 0; i < sizeof TILES / sizeof *TILES; i++) {
        aic_schedule s = {.rows = TILES[i].rows, .cols = TILES[i].cols, .vectors = vectors, .unroll = 4};
        s.band = TILES[i].band;
        consider(nest, list, s);
    }
}

void aic_nest_candidates(const aic_work *work, const aic_target *target, aic_candidates *list)
{
    const aic_nest *nest = &work->nest;
    aic_nest_plan widest;
    aic_nest_plan_make(nest, main_box(nest), &WIDEST, &widest);
    for (int64_t vectors = 1; vectors <= target->vector_bits / 128; vectors *= 2) {
        if (widest.transposes) {
            consider_transposition(nest, &widest, list, vectors);
        } else {
            consider_runs(nest, list, vectors);
        }
    }
}

double aic_nest_bound(const aic_work *work, const aic_target *target)
{
    double bytes = 0;
    for (unsigned i = 0; i < work->nest.boxes; i++) {
        const aic_box *box = &work->nest.box[i];
        bytes += (double)aic_box_bytes(&work->nest, box) * (1 + aic_nest_op_inputs(box->op));
    }
    return bytes * 8 / target->vector_bits;
}

/* ---- the report ---- */

static void report_dim(FILE *out, const char *name, const aic_nest_dim *d, unsigned inputs)
{
    fprintf(out, "  %-6s %8lld, output +%lld", name, (long long)d->extent, (long long)d->out);
    for (unsigned k = 0; k < inputs; k++) {
        fprintf(out, ", input +%lld", (long long)d->in[k]);
    }
    fprintf(out, "\n");
}

static void report_box(FILE *out, const aic_nest *nest, const aic_box *box, const aic_schedule *schedule)
{
    aic_nest_plan p;
    unsigned inputs = aic_nest_op_inputs(box->op);
    aic_nest_plan_make(nest, box, schedule, &p);
    fprintf(out, "%s of %lld bytes; dimensions and their steps in bytes:\n", aic_nest_op_name(box->op),
            (long long)aic_box_bytes(nest, box));
    for (unsigned i = 0; i < p.box.dims; i++) {
        report_dim(out, "loop", &p.box.dim[i], inputs);
    }
    report_dim(out, "write", &p.write, inputs);
    report_dim(out, "read", &p.read, inputs);
    if (p.transposes) {
        fprintf(out, "  transposes tiles of %lld x %lld elements", (long long)p.rows, (long long)p.cols);
        if (p.rows_valid < p.write.extent) {
            fprintf(out, ", %lld rows read", (long long)p.rows_valid);
        }
        fprintf(out, "\n");
    } else {
        fprintf(out, "  moves %lld x %lld runs of %lld bytes, %lld of them read\n", (long long)p.rows,
                (long long)p.cols, (long long)p.run, (long long)(inputs == 0 ? 0 : p.run_valid));
    }
}

void aic_nest_report(FILE *out, const aic_work *work, const aic_target *target, const aic_schedule *schedule)
{
    (void)target;
    for (unsigned i = 0; i < work->nest.boxes; i++) {
        report_box(out, &work->nest, &work->nest.box[i], schedule);
    }
}
