/* What is printed while it is measured. */
#include "tests/bench/layers/layers.h"

#include <math.h>

total total_of(const results *r, const layer_kind *kind, const layer_set *set)
{
    total t = {.worst = {INFINITY, INFINITY}};
    bool all[PEERS_MAX] = {true, true};
    for (size_t i = 0; i < r->count; i++) {
        const layer_row *row = &r->row[i];
        if (row->kind != kind || row->set != set) {
            continue;
        }
        const double count = row->layer.count;
        t.rows++;
        t.layers += (size_t)row->layer.count;
        t.ns += row->ns * count;
        t.macs += (double)row->macs * count;
        t.limit_ns += row->limit > 0 ? (double)row->macs * count / (row->limit * r->threads) : 0;
        for (size_t p = 0; p < PEERS_MAX; p++) {
            const double ratio = row->peer[p].ns / row->ns;
            all[p] = all[p] && row->peer[p].ns > 0;
            t.peer_ns[p] += row->peer[p].ns * count;
            t.slower[p] += ratio < 1;
            t.worst[p] = ratio < t.worst[p] ? ratio : t.worst[p];
        }
    }
    for (size_t p = 0; p < PEERS_MAX; p++) {
        t.peer_ns[p] = all[p] ? t.peer_ns[p] : 0;
    }
    return t;
}

/* Columns of peers that this kind has. */
static size_t peers_of(const layer_kind *kind)
{
    size_t count = 0;
    while (peer_name() != NULL && count < PEERS_MAX && kind->peer[count] != PEER_NONE) {
        count++;
    }
    return count;
}

void print_limits(const results *r)
{
    printf("level %s, %d thread%s, %d image%s a call, peer: %s\nlimits of one thread:", r->isa, r->threads,
           r->threads > 1 ? "s" : "", r->batch, r->batch > 1 ? "s" : "", peer_name() != NULL ? peer_name() : "none");
    const char *separator = " ";
    for (limit_unit unit = 0; unit < LIMITS; unit++) {
        if (r->limits.rate[unit] > 0) {
            printf("%s%s %.1f", separator, limit_name(unit), r->limits.rate[unit]);
            separator = ", ";
        }
    }
    printf(" GMAC/s; copying, read and written:");
    for (size_t i = 0; i < MEMORIES; i++) {
        printf("%s%s %.1f", i > 0 ? ", " : " ", r->limits.memory[i].name, r->limits.memory[i].rate);
    }
    printf(" GB/s\n");
}

void print_head(const results *r, const layer_kind *kind)
{
    printf("\n%s at level %s, limit: %s\n%-24s %10s %8s %6s %6s", kind->title, r->isa,
           limit_name(limit_of(kind, r->isa)), "", "", "", "%", "plain");
    printf("%s %7s", r->threads > 1 ? "  one/" : "", "compile");
    for (size_t i = 0; i < peers_of(kind); i++) {
        printf(" %10s %6s", peer_types_name(kind->peer[i]), "times");
    }
    printf("\n%-24s %10s %8s %6s %6s", "layer", "us", "GMAC/s", "limit", "packed");
    printf("%s %7s", r->threads > 1 ? " shared" : "", "ms");
    for (size_t i = 0; i < peers_of(kind); i++) {
        printf(" %10s %6s", "us", "ours");
    }
    printf("\n");
}

void print_set(const layer_set *set)
{
    printf("%s\n", set->title);
    (void)fflush(stdout);
}

static void print_times(double ns, double macs, double limit_ns)
{
    printf(" %10.2f %8.1f", ns * 1e-3, macs / ns);
    if (limit_ns > 0) {
        printf(" %6.1f", 100 * limit_ns / ns);
    } else {
        printf(" %6s", "-");
    }
}

/* A number, or a dash for one that was not measured. */
static void print_some(int width, int digits, double value)
{
    if (value > 0) {
        printf(" %*.*f", width, digits, value);
    } else {
        printf(" %*s", width, "-");
    }
}

void print_row(const results *r, const layer_row *row)
{
    printf("  %-22s", row->name);
    print_times(row->ns, (double)row->macs, row->limit > 0 ? (double)row->macs / (row->limit * r->threads) : 0);
    print_some(6, 2, row->plain_ns / row->ns);
    if (r->threads > 1) {
        print_some(6, 2, row->one_ns / row->ns);
    }
    print_some(7, 1, row->compile_ms);
    for (size_t i = 0; i < peers_of(row->kind); i++) {
        print_some(10, 2, row->peer[i].ns * 1e-3);
        print_some(6, 2, row->peer[i].ns / row->ns);
        if (row->peer[i].ns > 0) {
            printf("  %s%s", row->peer[i].implementation, row->peer[i].same ? "" : "  DIFFERENT RESULTS");
        }
    }
    printf("\n");
    (void)fflush(stdout);
}

void print_total(const results *r, const layer_kind *kind, const layer_set *set)
{
    const total t = total_of(r, kind, set);
    if (t.rows < 2) {
        return;
    }
    char name[64];
    (void)snprintf(name, sizeof name, "= %zu layers, %zu shapes", t.layers, t.rows);
    printf("  %-22s", name);
    print_times(t.ns, t.macs, t.limit_ns);
    for (size_t i = 0; i < PEERS_MAX && i < peers_of(kind); i++) {
        if (t.peer_ns[i] > 0) {
            printf("   %s: %.2f us, %.2f times ours; ours is slower on %zu shapes, at worst %.2f;",
                   peer_types_name(kind->peer[i]), t.peer_ns[i] * 1e-3, t.peer_ns[i] / t.ns, t.slower[i], t.worst[i]);
        }
    }
    printf("\n");
}
