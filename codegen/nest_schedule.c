/* Schedules of nests: tiles that complete the cache lines they touch, in registers that are filled. */
#include "codegen/generator.h"
#include "codegen/nest.h"

static int64_t bytes_of(const aic_nest *nest, const aic_box *box)
{
    int64_t bytes = nest->size;
    for (unsigned i = 0; i < box->dims; i++) {
        bytes *= box->dim[i].extent;
    }
    return bytes;
}

/* The box that writes most. */
static const aic_box *main_box(const aic_nest *nest)
{
    const aic_box *largest = &nest->box[0];
    for (unsigned i = 1; i < nest->boxes; i++) {
        if (bytes_of(nest, &nest->box[i]) > bytes_of(nest, largest)) {
            largest = &nest->box[i];
        }
    }
    return largest;
}

static const aic_schedule WIDEST = {.rows = 64, .cols = 64, .vectors = 1, .unroll = 4, .band = 64};

/* Vector operations: a load and a store of every vector, the shuffles of transpositions, and what starting a tile
 * costs. */
static double predict(const aic_nest *nest, const aic_schedule *schedule)
{
    double total = 0;
    for (unsigned i = 0; i < nest->boxes; i++) {
        aic_nest_plan p;
        aic_nest_plan_make(nest, &nest->box[i], schedule, &p);
        double bytes = (double)bytes_of(nest, &nest->box[i]);
        double tile = p.chunk != 0 ? (double)p.chunk : (double)(p.rows * p.cols * p.run);
        double access = (double)(p.vector < p.run ? p.vector : p.run), passes = 0;
        if (p.transposes) {
            tile = (double)(p.rows * p.cols * nest->size);
            access = (double)p.vector;
            for (unsigned fit = 16 / nest->size; fit > 1 && p.cols > 1; fit /= 2) {
                passes++;
            }
        }
        total += bytes / access * (2 + passes) + bytes / tile * 4;
    }
    return total;
}

static void consider(const aic_nest *nest, aic_candidates *list, aic_schedule schedule)
{
    schedule.band = schedule.band < schedule.rows ? schedule.rows : schedule.band;
    aic_candidates_add(list, &schedule, predict(nest, &schedule));
}

/* Columns that fill a vector's lanes when `rows` rows leave some free. */
static int64_t columns_for(int64_t rows, int64_t vector, int64_t size)
{
    int64_t lanes = vector / 16, down = rows * size / 16;
    down = down < 1 ? 1 : down;
    return 16 / size * (down < lanes ? lanes / down : 1);
}

void aic_nest_candidates(const aic_work *work, const aic_target *target, aic_candidates *list)
{
    const aic_nest *nest = &work->nest;
    aic_nest_plan p;
    aic_nest_plan_make(nest, main_box(nest), &WIDEST, &p);
    for (int64_t vectors = target->vector_bits / 128; vectors > 0; vectors /= 2) {
        aic_schedule s = {.vectors = vectors, .unroll = 4};
        int64_t vector = vectors * 16, size = nest->size;
        if (p.transposes) {
            s.rows = p.rows < vector / size ? p.rows : vector / size;
            s.cols = columns_for(s.rows, vector, size);
            s.band = s.rows * 4;
            consider(nest, list, s);
            s.rows = vector / size;
            s.cols = 32 / size;
            s.band = 64;
            consider(nest, list, s);
        } else {
            for (int64_t rows = 2; rows <= 8; rows *= 2) {
                s.rows = rows;
                s.cols = rows > 4 ? 2 : rows;
                s.band = 16;
                consider(nest, list, s);
            }
        }
    }
}

double aic_nest_bound(const aic_work *work, const aic_target *target)
{
    double bytes = 0;
    for (unsigned i = 0; i < work->nest.boxes; i++) {
        const aic_box *box = &work->nest.box[i];
        bytes += (double)bytes_of(&work->nest, box) * (1 + aic_nest_op_inputs(box->op));
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
            (long long)bytes_of(nest, box));
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
