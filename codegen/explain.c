/* Facts of plans; see explain.h. */
#include "codegen/explain.h"
#include "codegen/shape.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* ---- traffic ---- */

void aic_stream_scope(aic_stream *stream, double set, double bytes)
{
    if (stream->scopes < AIC_STREAM_SCOPES) {
        stream->set[stream->scopes] = set;
        stream->bytes[stream->scopes++] = bytes;
    }
}

/* What a cache with room for `capacity` bytes moves: no more than one that keeps less. */
static double moved(const aic_stream *stream, double capacity)
{
    double least = stream->bytes[0];
    for (unsigned i = 1; i < stream->scopes; i++) {
        if (stream->set[i] <= capacity && stream->bytes[i] < least) {
            least = stream->bytes[i];
        }
    }
    return least;
}

void aic_stream_count(const aic_stream *stream, const aic_machine *machine, double bytes[AIC_TRAFFIC_LEVELS])
{
    /* As the costs of contractions have it: the rest of a cache is needed for what else passes through. */
    const double room[] = {0, (double)machine->l1_bytes * 3 / 4, (double)machine->l2_bytes * 5 / 8,
                           (double)machine->l3_bytes};
    for (int level = 0; level < AIC_TRAFFIC_LEVELS; level++) {
        bytes[level] += moved(stream, room[level]);
    }
}

/* Shapes that go over every element once: instructions move what the bound counts, the caches every byte once. */
static void count_once(const aic_plan *plan, double work, double bytes[AIC_TRAFFIC_LEVELS])
{
    const aic_machine *machine = plan->problem.machine;
    aic_stream all = {.scopes = 0};
    aic_stream_scope(&all, 0, plan->shape->bound(plan) * plan->problem.target->vector_bits / 8);
    aic_stream_scope(&all, (double)machine->line_bytes, work);
    aic_stream_count(&all, machine, bytes);
}

/* ---- facts ---- */

void aic_plan_facts_of(const aic_plan *plan, aic_explanation *facts)
{
    int64_t bytes = 0;
    const aic_target *target = plan->problem.target;
    const double bound = plan->shape->bound(plan), rate = AIC_OPERATIONS_PER_NS;
    *facts = (aic_explanation){.size = sizeof *facts,
                               .shape = plan->shape->name,
                               .kernel = plan->shape->kernel != NULL ? plan->shape->kernel(plan) : plan->shape->name,
                               .isa = target->name,
                               .vector_bits = target->vector_bits,
                               .cost = plan->cost,
                               .bound = bound,
                               .predicted_ns = plan->cost / rate,
                               .bound_ns = bound / rate,
                               .operations_per_ns = rate};
    (void)aic_spec_work(plan->problem.spec, plan->problem.semantics, &facts->macs, &bytes);
    if (plan->shape->traffic != NULL) {
        plan->shape->traffic(plan, facts->bytes);
    } else {
        count_once(plan, (double)bytes, facts->bytes);
    }
}

/* ---- text ---- */

void aic_nest_line(FILE *out, int depth, const char *name, int64_t times, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(out, "%*sfor %s: %" PRId64 " time%s, ", 2 + 2 * depth, "", name, times, times == 1 ? "" : "s");
    vfprintf(out, format, arguments);
    fputc('\n', out);
    va_end(arguments);
}

static void put_traffic(FILE *out, const aic_explanation *facts, const aic_machine *machine)
{
    static const char *const LEVELS[AIC_TRAFFIC_LEVELS] = {"registers and L1", "L1 and L2", "L2 and L3",
                                                           "L3 and memory"};
    fprintf(out,
            "bytes moved in a call, a model: operands in no cache at first, %" PRId64 " KiB of L1, %" PRId64
            " of L2, %" PRId64 " of L3 supposed\n",
            machine->l1_bytes >> 10, machine->l2_bytes >> 10, machine->l3_bytes >> 10);
    for (int level = 0; level < AIC_TRAFFIC_LEVELS; level++) {
        fprintf(out, "  between %-16s  %.0f", LEVELS[level], facts->bytes[level]);
        if (facts->bytes[level] > 0) {
            fprintf(out, ", %.3g vector operations a byte", facts->bound / facts->bytes[level]);
        }
        fputc('\n', out);
    }
}

static void put_times(FILE *out, const aic_explanation *facts)
{
    fprintf(out, "work: %" PRId64 " multiply-adds; vector operations: %.4g predicted, %.4g the bound", facts->macs,
            facts->cost, facts->bound);
    if (facts->cost > 0) {
        fprintf(out, ", %.1f %% of those predicted", 100 * facts->bound / facts->cost);
    }
    fprintf(out, "\npredicted time: %.0f ns, the bound %.0f ns, one thread at %.3g vector operations a ns\n",
            facts->predicted_ns, facts->bound_ns, facts->operations_per_ns);
}

void aic_explain_plan(FILE *out, const aic_plan *plan)
{
    aic_explanation facts;
    aic_plan_facts_of(plan, &facts);
    fprintf(out, "kernel: %s, shape %s\n", facts.kernel, facts.shape);
    put_times(out, &facts);
    put_traffic(out, &facts, plan->problem.machine);
    fprintf(out, "loops, outermost first:\n");
    plan->shape->nest(out, plan);
}

void aic_explain_vectors(FILE *out, const aic_target *target)
{
    enum { VECTOR_MIN = 16 };
    const bool any = target->vector_bits < AIC_VECTOR_BITS_MAX;
    fprintf(out, any ? "refused:\n" : "refused: nothing, vectors of every width fit\n");
    for (int bytes = VECTOR_MIN; bytes <= AIC_VECTOR_BITS_MAX / 8; bytes *= 2) {
        if (bytes > target->vector_bits / 8) {
            fprintf(out, "  vector=%d: this level's registers have %d bytes\n", bytes, target->vector_bits / 8);
        }
    }
}
