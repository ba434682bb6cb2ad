/* The results as one JSON object. What was not measured is left out. */
#include "tests/bench/layers/layers.h"

#include "tools/harness/processor.h"

#include <inttypes.h>
#include <math.h>

/* `,"key":value`, nothing for a value that is no positive number. */
static void write_number(FILE *out, const char *key, double value)
{
    if (value > 0 && isfinite(value)) {
        (void)fprintf(out, ",\"%s\":%.6g", key, value);
    }
}

static void write_member(FILE *out, const char *key, const char *text)
{
    (void)fprintf(out, ",\"%s\":", key);
    bench_write_text(out, text);
}

static void write_limits(FILE *out, const results *r)
{
    const char *separator = "";
    (void)fprintf(out, ",\n\"limits\":[");
    for (limit_unit unit = 0; unit < LIMITS; unit++) {
        if (r->limits.rate[unit] > 0) {
            (void)fprintf(out, "%s{\"unit\":\"%s\",\"gmacs_per_s\":%.6g}", separator, limit_name(unit),
                          r->limits.rate[unit]);
            separator = ",";
        }
    }
    (void)fprintf(out, "],\n\"memories\":[");
    for (size_t i = 0; i < MEMORIES; i++) {
        (void)fprintf(out, "%s{\"name\":\"%s\",\"gbytes_per_s\":%.6g}", i > 0 ? "," : "", r->limits.memory[i].name,
                      r->limits.memory[i].rate);
    }
    (void)fprintf(out, "]");
}

static void write_peers(FILE *out, const layer_row *row)
{
    const char *separator = "";
    (void)fprintf(out, ",\"peers\":[");
    for (size_t i = 0; i < PEERS_MAX; i++) {
        if (row->peer[i].ns > 0) {
            (void)fprintf(out, "%s{\"types\":\"%s\",\"ns\":%.6g,\"ratio\":%.4f,\"same\":%s", separator,
                          peer_types_name(row->kind->peer[i]), row->peer[i].ns, row->peer[i].ns / row->ns,
                          row->peer[i].same ? "true" : "false");
            write_member(out, "implementation", row->peer[i].implementation);
            (void)fprintf(out, "}");
            separator = ",";
        }
    }
    (void)fprintf(out, "]");
}

static void write_row(FILE *out, const results *r, const layer_row *row)
{
    (void)fprintf(out, "{\"kind\":\"%s\",\"set\":\"%s\",\"layer\":\"%s\",\"count\":%d", row->kind->name, row->set->name,
                  row->name, row->layer.count);
    if (row->line > 0) {
        (void)fprintf(out, ",\"line\":%zu", row->line);
    }
    (void)fprintf(out, ",\"macs\":%" PRId64 ",\"bytes\":%" PRId64, row->macs, row->bytes);
    write_number(out, "ns", row->ns);
    write_number(out, "plain_ns", row->plain_ns);
    write_number(out, "one_thread_ns", row->one_ns);
    write_number(out, "gmacs_per_s", (double)row->macs / row->ns);
    write_member(out, "limit", limit_name(limit_of(row->kind, r->isa)));
    write_number(out, "limit_gmacs_per_s", row->limit);
    write_number(out, "limit_share", (double)row->macs / row->ns / (row->limit * r->threads));
    write_number(out, "compile_ms", row->compile_ms);
    write_number(out, "compile_ratio", row->compile_ms / row->fixed_ms);
    write_member(out, "schedule", row->schedule);
    write_peers(out, row);
    (void)fprintf(out, "}");
}

static void write_totals(FILE *out, const results *r)
{
    const char *separator = "\n";
    (void)fprintf(out, ",\n\"totals\":[");
    for (const layer_kind *kind = layer_kinds; kind->name != NULL; kind++) {
        for (const layer_set *set = layer_sets; set->name != NULL; set++) {
            const total t = total_of(r, kind, set);
            if (t.rows == 0) {
                continue;
            }
            (void)fprintf(out, "%s{\"kind\":\"%s\",\"set\":\"%s\",\"layers\":%zu,\"shapes\":%zu", separator, kind->name,
                          set->name, t.layers, t.rows);
            write_number(out, "ns", t.ns);
            write_number(out, "gmacs_per_s", t.macs / t.ns);
            write_number(out, "limit_share", t.limit_ns / t.ns);
            for (size_t i = 0; i < PEERS_MAX && t.peer_ns[i] > 0; i++) {
                char key[32];
                (void)snprintf(key, sizeof key, "peer%zu_ratio", i + 1);
                write_number(out, key, t.peer_ns[i] / t.ns);
                (void)fprintf(out, ",\"peer%zu_faster_on\":%zu", i + 1, t.slower[i]);
            }
            (void)fprintf(out, "}");
            separator = ",\n";
        }
    }
    (void)fprintf(out, "]");
}

static void write_goals(FILE *out, const results *r)
{
    (void)fprintf(out, ",\n\"goals\":[");
    for (size_t i = 0; i < r->goals; i++) {
        const goal *g = &r->goal[i];
        (void)fprintf(out, "%s{\"goal\":", i > 0 ? ",\n" : "\n");
        bench_write_text(out, g->text);
        (void)fprintf(out, ",\"at_most\":%s", g->at_most ? "true" : "false");
        write_number(out, "wanted", g->wanted);
        write_number(out, "measured", g->measured);
        (void)fprintf(out, ",\"unit\":\"%s\",\"verdict\":\"%s\"}", g->unit,
                      !g->known     ? "not judged"
                      : goal_met(g) ? "met"
                                    : "missed");
    }
    (void)fprintf(out, "]");
}

void write_json(FILE *out, const results *r)
{
    (void)fprintf(
        out, "{\"program\":\"layers\",\"version\":\"%s\",\"isa\":\"%s\",\"threads\":%d,\"batch\":%d,\"clock\":\"%s\"",
        aic_version(), r->isa, r->threads, r->batch, r->threads > 1 ? "wall" : "processor");
    char processor[128];
    processor_name(processor, sizeof processor);
    write_member(out, "processor", processor);
    write_member(out, "llvm", aic_llvm_version());
    if (peer_name() != NULL) {
        write_member(out, "peer", peer_name());
    }
    write_limits(out, r);
    (void)fprintf(out, ",\n\"layers\":[");
    for (size_t i = 0; i < r->count; i++) {
        (void)fprintf(out, "%s", i > 0 ? ",\n" : "\n");
        write_row(out, r, &r->row[i]);
    }
    (void)fprintf(out, "]");
    write_totals(out, r);
    write_goals(out, r);
    (void)fprintf(out, "}\n");
}
