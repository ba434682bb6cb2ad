/* Tables for people, and everything as JSON. */
#include "tests/bench/making/making.h"
#include "tests/bench/making/peer.h"

#include "tools/harness/processor.h"

#include <math.h>
#include <string.h>

static const char *state_title(state s)
{
    return s == STATE_PEER ? making_peer_name() : state_names[s];
}

static void print_state(const making *m, state s)
{
    const summary sum = making_summary(m, s);
    if (sum.kernels == 0) {
        printf("  %-18s not measured\n", state_title(s) != NULL ? state_title(s) : state_names[s]);
        return;
    }
    printf("  %-18s %7zu %9.2f %8.2f %8.3f %8.2f", state_title(s), sum.kernels, sum.all, sum.first, sum.median,
           sum.worst);
    if (s == STATE_PEER) {
        printf("        the others it does not have: %zu\n", m->set->count - sum.kernels);
    } else {
        printf(" %8zu %8zu %8zu %8zu\n", sum.llvm, sum.made, sum.loaded, sum.ready);
    }
}

/* Shapes that are measured as a shape before them. */
static void print_same(const making *m)
{
    for (size_t i = 0; i < m->set->count; i++) {
        if (m->row[i].same) {
            printf("  the same kernel as one before: ");
            if (m->set->shape[i].line > 0) {
                printf("line %zu, ", m->set->shape[i].line);
            }
            printf("%s\n", m->set->shape[i].name);
        }
    }
}

void print_making(const making *m)
{
    printf("\n%s: %s\n", m->set->name, m->set->title);
    printf("  %-18s %7s %9s %8s %8s %8s %8s %8s %8s %8s\n", "ms", "kernels", "in all", "first", "median", "worst",
           "LLVM ran", "made", "loaded", "at hand");
    for (int s = 0; s < STATES; s++) {
        print_state(m, (state)s);
    }
    print_same(m);
    (void)fflush(stdout);
}

void print_speed(const making *m)
{
    double sum = 0, least = INFINITY;
    size_t count = 0;
    for (size_t i = 0; i < m->set->count; i++) {
        const shape_row *row = &m->row[i];
        if (row->parts_ns > 0) {
            const double ratio = row->literal_ns / row->parts_ns;
            printf("  literal %11.2f us, parts %11.2f us, ratio %.3f  %.100s\n", row->literal_ns * 1e-3,
                   row->parts_ns * 1e-3, ratio, m->set->shape[i].name);
            sum += log(ratio);
            least = fmin(least, ratio);
            count++;
        }
    }
    if (count > 0) {
        printf("  speed of parts against the literal form: geometric mean %.3f, worst %.3f\n", exp(sum / (double)count),
               least);
    }
    (void)fflush(stdout);
}

/* ---- goals ---- */

typedef struct goal {
    const char *key, *text, *unit;
    double wanted, measured;
    bool at_most, known;
} goal;

enum { GOALS = 7 };

static void list_goals(const verdicts *v, goal goals[GOALS])
{
    const double share = v->kernels > 0 ? 100.0 * (double)v->without_llvm / (double)v->kernels : 0;
    const goal list[GOALS] = {
        {"held_out_ms", "a new shape, ready-made parts, without LLVM, median", "ms", 0.2, v->held_out, true,
         v->held_out > 0},
        {"share", "shapes that need no compilation with ready-made parts", "%", 90, share, false, v->kernels > 0},
        {"int8_ms", "nothing ready, ResNet-50's int8", "ms", 60, v->int8, true, v->int8 > 0},
        {"fused_ms", "nothing ready, ResNet-50's fused", "ms", 90, v->fused, true, v->fused > 0},
        {"first_ms", "the first kernel of such a process", "ms", 15, v->first, true, v->first > 0},
        {"speed_mean", "speed against the literal form, geometric mean", "", 0.99, v->mean, false, v->speeds > 0},
        {"speed_worst", "speed against the literal form, worst", "", 0.97, v->worst, false, v->speeds > 0},
    };
    memcpy(goals, list, sizeof list);
}

static const char *verdict_of(const goal *g)
{
    const bool met = g->at_most ? g->measured <= g->wanted : g->measured >= g->wanted;
    return !g->known ? "not judged" : met ? "met" : "missed";
}

void print_verdicts(const verdicts *v)
{
    goal goals[GOALS];
    list_goals(v, goals);
    printf("\n");
    for (size_t i = 0; i < GOALS; i++) {
        const goal *g = &goals[i];
        char measured[32] = "nothing";
        if (g->known) {
            (void)snprintf(measured, sizeof measured, "%.3g", g->measured);
        }
        printf("target %s: %s %g%s%s, measured %s: %s\n", g->text, g->at_most ? "at most" : "at least", g->wanted,
               g->unit[0] != '\0' ? " " : "", g->unit, measured, verdict_of(g));
    }
}

/* ---- JSON ---- */

static void write_states(FILE *out, const making *m)
{
    const char *separator = "";
    fprintf(out, "\"states\":[");
    for (int s = 0; s < STATES; s++) {
        const summary sum = making_summary(m, (state)s);
        if (sum.kernels > 0) {
            fprintf(out,
                    "%s\n{\"state\":\"%s\",\"kernels\":%zu,\"all_ms\":%.4f,\"first_ms\":%.4f,\"median_ms\":%.4f,"
                    "\"worst_ms\":%.4f,\"llvm\":%zu,\"made\":%zu,\"loaded\":%zu,\"ready\":%zu}",
                    separator, state_names[s], sum.kernels, sum.all, sum.first, sum.median, sum.worst, sum.llvm,
                    sum.made, sum.loaded, sum.ready);
            separator = ",";
        }
    }
    fprintf(out, "]");
}

static void write_shape(FILE *out, const making *m, size_t index)
{
    const shape_row *row = &m->row[index];
    const char *separator = "";
    fprintf(out, "{\"name\":");
    bench_write_text(out, m->set->shape[index].name);
    if (m->set->shape[index].line > 0) {
        fprintf(out, ",\"line\":%zu", m->set->shape[index].line);
    }
    fprintf(out, ",\"same\":%s,\"own\":%s,\"ms\":{", row->same ? "true" : "false", row->own ? "true" : "false");
    for (int s = 0; s < STATES; s++) {
        const double ms = making_ms(m, (state)s, index);
        if (ms >= 0) {
            fprintf(out, "%s\"%s\":%.4f", separator, state_names[s], ms);
            separator = ",";
        }
    }
    fprintf(out, "}");
    if (!row->same) {
        fprintf(out, ",\"llvm_with_ready_parts\":%s", making_needs_llvm(m, STATE_READY, index) ? "true" : "false");
    }
    if (row->peer[0] != '\0') {
        fprintf(out, ",\"peer\":");
        bench_write_text(out, row->peer);
    }
    if (row->parts_ns > 0) {
        fprintf(out, ",\"literal_ns\":%.6g,\"parts_ns\":%.6g,\"ratio\":%.4f", row->literal_ns, row->parts_ns,
                row->literal_ns / row->parts_ns);
    }
    fprintf(out, "}");
}

static void write_set(FILE *out, const making *m)
{
    fprintf(out, "{\"set\":\"%s\",\"title\":", m->set->name);
    bench_write_text(out, m->set->title);
    fprintf(out, ",");
    write_states(out, m);
    fprintf(out, ",\"shapes\":[");
    for (size_t i = 0; i < m->set->count; i++) {
        fprintf(out, "%s\n", i > 0 ? "," : "");
        write_shape(out, m, i);
    }
    fprintf(out, "]}");
}

static void write_goals(FILE *out, const verdicts *v)
{
    goal goals[GOALS];
    list_goals(v, goals);
    fprintf(out, ",\n\"shapes\":%zu,\"without_llvm\":%zu,\"goals\":[", v->kernels, v->without_llvm);
    for (size_t i = 0; i < GOALS; i++) {
        fprintf(out, "%s\n{\"goal\":\"%s\",\"wanted\":%g", i > 0 ? "," : "", goals[i].key, goals[i].wanted);
        if (goals[i].known) {
            fprintf(out, ",\"measured\":%.4f", goals[i].measured);
        }
        fprintf(out, ",\"verdict\":\"%s\"}", verdict_of(&goals[i]));
    }
    fprintf(out, "]}\n");
}

void write_making(FILE *out, const making *all, size_t count, const verdicts *v, const making_options *options)
{
    char processor[128];
    processor_name(processor, sizeof processor);
    fprintf(out,
            "{\"program\":\"make_kernels\",\"version\":\"%s\",\"isa\":\"%s\",\"clock\":\"%s\",\"threads\":%d,"
            "\"rounds\":%zu",
            aic_version(), options->isa, options->threads > 1 ? "wall" : "processor", options->threads,
            options->rounds);
    fprintf(out, ",\"processor\":");
    bench_write_text(out, processor);
    if (making_peer_name() != NULL) {
        fprintf(out, ",\"peer\":");
        bench_write_text(out, making_peer_name());
    }
    fprintf(out, ",\n\"sets\":[");
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s\n", i > 0 ? "," : "");
        write_set(out, &all[i]);
    }
    fprintf(out, "]");
    write_goals(out, v);
}
