/* Epilogues as kernels of their own.
 *
 *     fill the table of column parameters
 *     for each band of rows
 *       the strip of all whole blocks of 16 columns, then the strip of the remaining columns
 *
 * A strip is computed slab by slab of columns, each row by row. Rows of different source blocks, and rows of a
 * row-major target, lie far apart in memory; a band has only as many rows as the TLB and the prefetchers can follow. */
#include "codegen/epilogue/epilogue.h"
#include "codegen/explain.h"
#include "codegen/integer.h"
#include "codegen/machine.h"
#include "frontend/core/diag.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { LANES = AIC_EPILOGUE_LANES, ROW_BYTES = 4 * LANES };

/* Rows of a band: for a target in one block (row-major), and for a target in blocks, which needs no bands. */
enum { BAND_ROWS = 128, BAND_ALL = 65536 };

static int64_t blocks_of(const aic_epilogue *p)
{
    return aic_parts(p->columns, LANES);
}

/* ---- descriptions ---- */

_Static_assert(sizeof(aic_epilogue_kernel) <= AIC_WORK_BYTES, "a description of an epilogue fits");
_Static_assert((int)AIC_EPILOGUE_STEPS >= AIC_STAGES_MAX, "a step of each stage of a chain, the first one included");

aic_epilogue_kernel *aic_epilogue_begin(aic_work *work)
{
    return aic_work_begin(work, &aic_shape_epilogue, sizeof(aic_epilogue_kernel));
}

void aic_epilogue_add(aic_epilogue *p, const aic_step *step)
{
    if (p->steps < AIC_EPILOGUE_STEPS) { /* as many as a chain has stages */
        p->step[p->steps++] = *step;
    }
}

void aic_epilogue_add_step(aic_epilogue *p, aic_step_op op, unsigned operand)
{
    aic_epilogue_add(p, &(aic_step){.op = op, .operand = operand, .dtype = p->source});
}

void aic_epilogue_begin_with(aic_epilogue *p, const aic_step *step)
{
    const unsigned steps = p->steps;
    aic_epilogue_add(p, step);
    for (unsigned i = p->steps; i-- > 1 && p->steps > steps;) {
        p->step[i] = p->step[i - 1];
    }
    p->step[0] = *step;
}

bool aic_step_reads(const aic_step *step)
{
    return step->op == AIC_STEP_ARITHMETIC && step->operand != 0;
}

unsigned aic_epilogue_inputs(const aic_epilogue *p, unsigned operand[AIC_EPILOGUE_STEPS])
{
    unsigned count = 0;
    for (unsigned i = 0; i < p->steps; i++) {
        if (aic_step_reads(&p->step[i])) {
            operand[count++] = p->step[i].operand;
        }
    }
    return count;
}

static const aic_step *find_step(const aic_epilogue *p, aic_step_op op)
{
    for (unsigned i = 0; i < p->steps; i++) {
        if (p->step[i].op == op) {
            return &p->step[i];
        }
    }
    return NULL;
}

bool aic_epilogue_has_step(const aic_epilogue *p, aic_step_op op)
{
    return find_step(p, op) != NULL;
}

unsigned aic_epilogue_bias(const aic_epilogue *p)
{
    const aic_step *bias = find_step(p, AIC_STEP_BIAS);
    return bias == NULL ? 0 : bias->operand;
}

aic_dtype aic_epilogue_bias_type(const aic_epilogue *p)
{
    const aic_step *bias = find_step(p, AIC_STEP_BIAS);
    return bias == NULL ? AIC_DTYPE_NONE : bias->dtype;
}

bool aic_epilogue_bias_is_last(const aic_epilogue *p)
{
    return p->steps > 0 && p->step[p->steps - 1].op == AIC_STEP_BIAS;
}

/* Prints what the second input of a step of arithmetic is. */
static void report_input(FILE *out, const aic_step *step)
{
    if (step->stage != 0) {
        fprintf(out, "what stage %d left", step->stage);
    } else if (step->operand == 0) {
        fprintf(out, "a constant");
    } else if (step->row == 0) {
        fprintf(out, "operand %u, the same in every row: read once for a slab of columns", step->operand);
    } else {
        fprintf(out, "operand %u, read row by row", step->operand);
    }
}

void aic_epilogue_report_steps(FILE *out, const aic_epilogue *p)
{
    for (unsigned i = 0; i < p->steps; i++) {
        const aic_step *step = &p->step[i];
        switch (step->op) {
        case AIC_STEP_SATURATE:
            fprintf(out, "  on the way: saturated\n");
            break;
        case AIC_STEP_BIAS:
            fprintf(out, "  on the way: operand %u added, a value a column\n", step->operand);
            break;
        case AIC_STEP_ARITHMETIC:
            fprintf(out, "  on the way: %s, ", aic_elementwise_op_name(step->value.op));
            report_input(out, step);
            fprintf(out, "\n");
            break;
        }
    }
}

/* ---- schedules ---- */

/* The number of blocks of 16 columns whose results are contiguous in a row of the target. */
static int64_t neighbours(const aic_epilogue *p)
{
    return p->width >= p->columns ? AIC_EPILOGUE_BLOCKS : p->width > LANES ? p->width / LANES : 1;
}

/* Whether the target is row-major. */
static bool in_rows(const aic_epilogue *p)
{
    return p->width >= p->columns && p->columns > LANES;
}

/* Blocks of 16 columns whose contiguous results fill a cache line, or all that are contiguous. */
static int64_t line_blocks(const aic_epilogue *p)
{
    return aic_least(AIC_LINE_BYTES / (LANES * (int64_t)aic_dtype_size(p->target)), neighbours(p));
}

/* A slab whose rows are cache lines, and a few vectors in each iteration. */
aic_epilogue_form aic_epilogue_default_form(const aic_epilogue *p, const aic_target *target)
{
    int64_t blocks = line_blocks(p);
    return (aic_epilogue_form){.blocks = blocks, .rows = aic_epilogue_packet(p, target, blocks).rows > 1 ? 1 : 2};
}

aic_epilogue_form aic_epilogue_strip_form(const aic_epilogue *p, const aic_target *target, int64_t columns)
{
    aic_epilogue_form form = aic_epilogue_default_form(p, target);
    while (columns / LANES % form.blocks != 0) {
        form.blocks /= 2;
    }
    return form;
}

/* Memory accesses for a vector of the source, in vector operations: within the core's own caches, and beyond them. */
static const double NEAR_VECTOR = 4, FAR_VECTOR = 10;

/* Predicted vector operations of a kernel: the arithmetic, about eight for a vector, with those done twice where slabs
 * overlap; loop overhead; memory, where lines beyond the core's caches are the cheaper the more of them are contiguous;
 * and a penalty for loop bodies of many vectors, which only take longer to compile. */
static double predict(const aic_epilogue *p, const aic_problem *problem, const aic_epilogue_schedule *s)
{
    const double lanes = problem->target->vector_bits / 32, size = (double)aic_least(s->blocks, neighbours(p));
    const double vectors = (double)(p->rows * p->matrices) * (double)p->columns / lanes;
    const double arithmetic = p->target == p->source ? 1 : 8, body = size * (double)s->rows * LANES / lanes;
    const double whole = (double)(p->columns / LANES), slabs = (double)aic_parts(p->columns / LANES, s->blocks);
    const double twice = whole > 0 ? slabs * size / whole : 1;
    const bool far = vectors * lanes * (4 + (double)aic_dtype_size(p->target)) > (double)problem->machine->l2_bytes;
    double memory = far ? FAR_VECTOR : NEAR_VECTOR;
    if (in_rows(p)) {
        double off = s->band < BAND_ROWS ? (double)BAND_ROWS / (double)s->band : (double)s->band / BAND_ROWS;
        memory *= 1 + 0.02 * off + (far ? 0.12 * ((double)AIC_EPILOGUE_BLOCKS / size - 1) : 0);
    }
    const double parts =
        size < (double)line_blocks(p) ? (double)line_blocks(p) / size : 0; /* stores of less than a line */
    return vectors * (arithmetic * twice + 2 / body + 0.01 * body * arithmetic + parts + memory);
}

/* Vector operations of the steps of arithmetic for one vector, with the loads of operands that differ between rows. */
static double step_operations(const aic_epilogue *p)
{
    double operations = 0;
    for (unsigned i = 0; i < p->steps; i++) {
        const aic_step *step = &p->step[i];
        if (step->op == AIC_STEP_ARITHMETIC) {
            operations += aic_elementwise_operations(&step->value) + (aic_step_reads(step) && step->row != 0 ? 1 : 0);
        }
    }
    return operations;
}

/* Measured on zen4. Cycles: of each slab, and of each row of a packet whose rows lie apart; tiles of one vector lose by
 * that, as they write halves of a block of 32 bytes. Vector operations: of a vector whose results are bytes, and of any
 * other vector. `busy` is for products that leave no units free beside them. */
static double timed_cost(const aic_epilogue *p, const aic_machine *machine, const aic_target *target, int64_t columns,
                         int64_t count, bool busy)
{
    static const double SLAB[] = {8, 12}, BYTES[] = {2.4, 5}, OTHERS = 1, APART = 1.6;
    const double cycle = fmin((double)machine->multiplies, (double)machine->multiply_bits / target->vector_bits);
    const aic_epilogue_slab slab = aic_epilogue_slab_of(p, target, columns);
    const int64_t rows = slab.packet.rows, steps = count < rows ? count : aic_parts(count, rows);
    const double value = aic_dtype_size(p->target) == 1 ? BYTES[busy] : OTHERS;
    const double apart = slab.apart ? APART * cycle * (double)rows : 0;
    const double step = (value + step_operations(p)) * slab.packet.count + apart;
    return (double)slab.count * (SLAB[busy] * cycle + step * (double)steps);
}

/* Where nothing was measured: the overhead of a call and of each packet of columns; the arithmetic, about eight
 * operations for a vector; a store for each row. Rows are computed in whole packets. */
double aic_epilogue_cost(const aic_epilogue *p, const aic_machine *machine, const aic_target *target, int64_t columns,
                         int64_t count, bool busy)
{
    static const double CALL = 20, SLAB = 6, STORE = 1.5;
    if (aic_machine_is_timed(machine, target->vector_bits)) {
        return timed_cost(p, machine, target, columns, count, busy);
    }
    const aic_packet packet = aic_epilogue_packet(p, target, aic_epilogue_default_form(p, target).blocks);
    const int64_t blocks = aic_parts(columns, LANES), packets = aic_parts(blocks, packet.blocks);
    const int64_t steps = count < packet.rows ? count : aic_parts(count, packet.rows);
    const double operations = (p->target == p->source ? 2 : 8) + step_operations(p), vectors = (double)packet.count;
    return CALL + SLAB * (double)packets + (double)(packets * steps) * (operations * vectors + STORE * packet.rows);
}

/* BYTES and FLOATS count the operations of one vector in code for 512 bits: a conversion, a product and a rounding; for
 * bytes also, for four vectors together, three to pack, one to reorder and one to clamp; for floats, narrowing. A copy
 * has no arithmetic but a load and a store. */
double aic_epilogue_cost_beside(const aic_epilogue *p, const aic_target *target, int64_t columns, int64_t count,
                                int64_t rows)
{
    static const double CALL = 24, SLAB = 6, BYTES = 4.25, FLOATS = 4, COPY = 1;
    const aic_packet packet = aic_epilogue_packet(p, target, aic_epilogue_default_form(p, target).blocks);
    const int64_t blocks = aic_parts(columns, LANES), packets = aic_parts(blocks, packet.blocks);
    const int64_t steps = count < packet.rows ? count : aic_parts(count, packet.rows);
    const double calls = (double)aic_parts(count, rows), vectors = (double)(packets * steps * packet.count);
    const double operations = p->target == p->source ? COPY : aic_dtype_size(p->target) == 1 ? BYTES : FLOATS;
    return calls * (CALL + SLAB * (double)packets) + vectors * (operations + step_operations(p));
}

static const aic_epilogue_kernel *kernel_of(const aic_plan *plan)
{
    return (const aic_epilogue_kernel *)(const void *)plan->work.part;
}

static const aic_epilogue_schedule *schedule_of(const aic_plan *plan)
{
    return (const aic_epilogue_schedule *)(const void *)plan->schedule.fields;
}

static void enumerate(aic_plan *plan, aic_space space, const aic_visitor *visitor)
{
    const aic_epilogue *p = &kernel_of(plan)->epilogue;
    const int64_t bands[] = {in_rows(p) ? BAND_ROWS / 4 : BAND_ALL, BAND_ROWS, BAND_ROWS * 4};
    const int64_t most_rows = space == AIC_SPACE_LEGAL ? AIC_EPILOGUE_ROWS : 4;
    for (int64_t blocks = 1; blocks <= aic_least(neighbours(p), blocks_of(p)); blocks *= 2) {
        for (int64_t rows = 1; rows <= most_rows; rows *= 2) {
            for (size_t i = 0; i < (in_rows(p) ? sizeof bands / sizeof *bands : 1); i++) {
                const aic_epilogue_schedule s = {.blocks = blocks, .rows = rows, .band = bands[i]};
                if (!aic_plan_offer(plan, &s, sizeof s, visitor)) {
                    return;
                }
            }
        }
    }
}

static double bound(const aic_plan *plan)
{
    const aic_epilogue *p = &kernel_of(plan)->epilogue;
    double elements = (double)(p->rows * p->matrices) * (double)p->columns;
    return elements * (4 + (double)aic_dtype_size(p->target)) * 8 / plan->problem.target->vector_bits;
}

static aic_status check(const aic_epilogue_schedule *s)
{
    const struct {
        const char *name;
        int64_t value, high;
    } fields[] = {
        {"blocks", s->blocks, AIC_EPILOGUE_BLOCKS},
        {"rows", s->rows, AIC_EPILOGUE_ROWS},
        {"band", s->band, BAND_ALL},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (fields[i].value < 1 || fields[i].value > fields[i].high) {
            return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "%s = %" PRId64 " is outside 1..%" PRId64, fields[i].name,
                            fields[i].value, fields[i].high);
        }
    }
    return (s->blocks & (s->blocks - 1)) == 0
               ? AIC_OK
               : aic_fail(AIC_INVALID_ARGUMENT, "schedule", "blocks = %" PRId64 " is not a power of two in 1..%d",
                          s->blocks, AIC_EPILOGUE_BLOCKS);
}

/* How the rows of the source are cut into bands of about the same height. */
typedef struct bands {
    int64_t rows;  /* of the source, all matrices together */
    int64_t count; /* of bands */
    int64_t band;  /* rows of a band; the last one may have fewer */
} bands;

/* Besides, requirements: the shared memory is the table; a worker's private memory is a line for emit_last_row(). */
static aic_status derive(aic_plan *plan)
{
    const aic_epilogue_schedule *s = schedule_of(plan);
    const aic_epilogue *p = &kernel_of(plan)->epilogue;
    aic_requirements *r = &plan->requirements;
    bands *b = plan->derived;
    aic_status status = check(s);
    if (status != AIC_OK) {
        return status;
    }
    plan->cost = predict(p, &plan->problem, s);
    b->rows = (p->matrices - 1) * p->source_matrix + p->rows;
    b->count = aic_parts(b->rows, s->band);
    if (aic_machine_shares(plan->problem.machine, plan->cost) && b->count < AIC_SHARED_ITEMS) {
        b->count = aic_least(b->rows, AIC_SHARED_ITEMS);
    }
    b->band = aic_parts(b->rows, b->count);
    b->count = aic_parts(b->rows, b->band);
    const int64_t table = aic_epilogue_table_bytes(p);
    r->needs = AIC_NEEDS_FLOAT;
    r->shared_bytes = aic_round_up(table, AIC_LINE_BYTES);
    r->private_bytes = p->columns % LANES != 0 ? ROW_BYTES : 0;
    if (table > 0) {
        aic_requirements_phase(r, "table", 1);
    }
    aic_requirements_phase(r, "bands", b->count);
    return AIC_OK;
}

static void report(FILE *out, const aic_plan *plan)
{
    const aic_epilogue *p = &kernel_of(plan)->epilogue;
    const aic_epilogue_schedule *s = schedule_of(plan);
    const aic_packet packet = aic_epilogue_packet(p, plan->problem.target, s->blocks);
    const bool any = 2 * aic_least(neighbours(p), blocks_of(p)) <= AIC_EPILOGUE_BLOCKS;
    fprintf(out, any ? "refused:\n" : "refused: nothing\n");
    for (int64_t blocks = 2; blocks <= AIC_EPILOGUE_BLOCKS; blocks *= 2) {
        if (blocks > neighbours(p)) {
            fprintf(out, "  blocks=%" PRId64 ": results of no more than %" PRId64 " columns are neighbours in memory\n",
                    blocks, neighbours(p) * LANES);
        } else if (blocks > blocks_of(p)) {
            fprintf(out, "  blocks=%" PRId64 ": there are %" PRId64 " blocks of columns\n", blocks, blocks_of(p));
        }
    }
    fprintf(out, "slabs of %" PRId64 " columns, %" PRId64 " rows an iteration, %" PRId64 " rows a band\n",
            aic_least(s->blocks, neighbours(p)) * LANES, s->rows, s->band);
    fprintf(out, "results %u rows x %u columns at a time\n", packet.rows, packet.blocks * LANES);
    fprintf(out, "column parameters: %" PRId64 " bytes in the workspace\n", aic_epilogue_table_bytes(p));
}

static void nest(FILE *out, const aic_plan *plan)
{
    const aic_epilogue *p = &kernel_of(plan)->epilogue;
    const aic_epilogue_schedule *s = schedule_of(plan);
    const bands *b = plan->derived;
    const int64_t size = aic_least(s->blocks, neighbours(p)), whole = p->columns / LANES;
    if (aic_epilogue_table_bytes(p) > 0) {
        aic_nest_line(out, 0, "block of 16 columns", blocks_of(p), "its parameters are read and kept");
    }
    aic_nest_line(out, 0, "band", b->count, "%" PRId64 " rows", b->band);
    aic_nest_line(out, 1, "slab", aic_parts(whole, size) + (p->columns % LANES != 0), "%" PRId64 " columns",
                  size * LANES);
    aic_nest_line(out, 2, "iteration", aic_parts(b->band, s->rows), "%" PRId64 " rows", s->rows);
}

/* ---- composing ---- */

/* Whether the target is so large that no cache holds it when it is read next. */
static bool leaves_caches(const aic_plan *plan)
{
    const aic_epilogue *p = &kernel_of(plan)->epilogue;
    const int64_t bytes = p->matrices * p->rows * p->columns * (int64_t)aic_dtype_size(p->target);
    return bytes >= plan->problem.machine->past_bytes;
}

/* The loop over bands, with the functions of whole blocks, of these past the caches, and of the tail; 0: there is none.
 */
static aic_routine compose_body(aic_program *program, const aic_plan *plan, const aic_strips_key *key,
                                const aic_routine strip[3])
{
    static const char *const ROLES[] = {"strip", "past", "tail"};
    const bands *b = plan->derived;
    const int64_t tail = kernel_of(plan)->epilogue.columns % LANES, columns = kernel_of(plan)->epilogue.columns - tail;
    aic_use use;
    aic_use_begin(&use, program, &aic_part_strips, key);
    aic_use_number(&use, b->band, "band");
    aic_use_number(&use, b->rows, "rows");
    if (key->tail > 0) {
        aic_use_number(&use, b->rows - 1, "rows.last");
        aic_use_number(&use, (b->rows - 1) * ROW_BYTES, "last.source");
        aic_use_number(&use, b->count, "bands");
        aic_use_number(&use, columns, "tail.column");
        aic_use_number(&use, columns / LANES * kernel_of(plan)->block_bytes, "tail.source");
    }
    if (key->masks) {
        aic_use_number(&use, tail, "tail.columns");
    }
    for (int i = 0; i < 3; i++) {
        if (strip[i] != 0) {
            aic_use_call(&use, strip[i], "%s", ROLES[i]);
        }
    }
    return aic_program_add(program, &use, "bands");
}

/* Bands of rows through strips. */
static aic_routine compose_bands(aic_program *program, const aic_plan *plan)
{
    const aic_epilogue_kernel *k = kernel_of(plan);
    const aic_epilogue *p = &k->epilogue;
    const bands *b = plan->derived;
    const aic_epilogue_schedule *s = schedule_of(plan);
    const aic_target *target = plan->problem.target;
    const int64_t tail = p->columns % LANES, columns = p->columns - tail;
    const bool masks = tail > 0 && aic_has_masks(target);
    aic_strips_key key = {.fast = !aic_plan_is_short(plan),
                          .operands = (int64_t)plan->operands,
                          .strip = columns > 0,
                          .tail = masks ? LANES : tail,
                          .masks = masks};
    aic_routine whole = 0, past = 0, rest = 0;
    aic_epilogue_strip strip = {.kind = AIC_EMIT_HOT,
                                .form = {s->blocks, s->rows},
                                .block_bytes = k->block_bytes,
                                .columns = columns,
                                .step = LANES * AIC_EPILOGUE_BLOCKS, /* the only strip begins at column 0 */
                                .last = true,
                                .least_rows = p->matrices > 1 ? 0 : (b->rows - 1) % b->band + 1,
                                .most_rows = b->band};
    if (key.strip) {
        whole = aic_compose_epilogue_strip(program, p, target, &strip, "strip");
    }
    if (tail == 0 && leaves_caches(plan) && aic_epilogue_strip_fills_lines(p, &strip)) {
        strip.past = key.past = true;
        past = aic_compose_epilogue_strip(program, p, target, &strip, "strip_past");
    }
    if (tail > 0) {
        strip.columns = tail;
        strip.least_rows = 0;
        rest = aic_compose_epilogue_strip(program, p, target, &strip, "tail");
    }
    return compose_body(program, plan, &key, (const aic_routine[]){whole, past, rest});
}

/* Unoptimized code takes about 200 vector operations more to fill the table for a vector of columns, for which each row
 * takes about eight. Optimizing it pays if that is more than two percent of a call. */
static aic_emit_kind table_kind(const aic_epilogue *p)
{
    enum { SURPLUS = 200, ROW = 8, PERCENT = 2 };
    return p->matrices * p->rows * ROW * PERCENT < 100 * SURPLUS ? AIC_EMIT_HOT : AIC_EMIT_SELDOM;
}

static void compose(aic_program *program, const aic_plan *plan, aic_bodies *bodies)
{
    const aic_epilogue *p = &kernel_of(plan)->epilogue;
    unsigned phase = 0;
    if (aic_epilogue_table_bytes(p) > 0) {
        const aic_routine table = aic_compose_epilogue_table(program, p, plan->problem.target, table_kind(p));
        bodies->phase[phase++] = aic_compose_epilogue_phase(program, plan, p, table);
    }
    bodies->phase[phase] = compose_bands(program, plan);
}

static void memory(FILE *out, const aic_plan *plan)
{
    if (plan->requirements.shared_bytes > 0) {
        fprintf(out, ";   shared: the parameters of the columns\n");
    }
    if (plan->requirements.private_bytes > 0) {
        fprintf(out, ";   a worker's: a copy of the last row's last columns\n");
    }
}

static const aic_field FIELDS[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_epilogue_schedule, __VA_ARGS__)
#include "codegen/epilogue/schedule.def"
#undef AIC_FIELD
};

static const aic_record RECORD = {"schedule", FIELDS, sizeof FIELDS / sizeof *FIELDS};

const aic_shape aic_shape_epilogue = {
    .name = "epilogue",
    .schedule = &RECORD,
    .derived_bytes = sizeof(bands),
    .divided = true,
    .enumerate = enumerate,
    .derive = derive,
    .bound = bound,
    .compose = compose,
    .report = report,
    .nest = nest,
    .memory = memory,
};
