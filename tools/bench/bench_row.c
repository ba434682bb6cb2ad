/* Lines of `aicjit bench`. */
#include "tools/bench/bench_row.h"

#include "tools/json_write.h"

#include <stdio.h>

static double per_ns(int64_t amount, const bench_row *row)
{
    return row->time.median_ns > 0 ? (double)amount / row->time.median_ns : 0;
}

static uint64_t compile_ns(const bench_row *row)
{
    return row->info.compiled ? row->info.emit_ns + row->info.codegen_ns + row->info.link_ns : 0;
}

/* Shares of 1; 0: not known. */
static double peak_share(const bench_row *row)
{
    return row->peak > 0 ? per_ns(row->macs > 0 ? row->macs : row->bytes, row) / row->peak : 0;
}

static double bound_share(const bench_row *row)
{
    return row->time.median_ns > 0 ? row->bound_ns / row->time.median_ns : 0;
}

/* ---- the table ---- */

enum { CELL = 32 };

/* Right-aligned columns; those behind, of any width, are printed as they are. */
enum { MEDIAN, SPREAD, TIMES, MIN, P90, GMACS, GBYTES, PEAK, BOUND, RATIO, BEFORE, COMPILE, THREADS, COLUMN_COUNT };

static const struct {
    const char *head;
    int width;
    enum { ALWAYS, WITH_RATIO, WITH_BEFORE } when;
} COLUMNS[COLUMN_COUNT] = {
    [MEDIAN] = {"median us", 11, ALWAYS},
    [SPREAD] = {"+- %", 6, ALWAYS},
    [TIMES] = {"times", 6, ALWAYS},
    [MIN] = {"min us", 11, ALWAYS},
    [P90] = {"p90 us", 11, ALWAYS},
    [GMACS] = {"GMAC/s", 9, ALWAYS},
    [GBYTES] = {"GB/s", 8, ALWAYS},
    [PEAK] = {"% peak", 11, ALWAYS},
    [BOUND] = {"% bound", 8, ALWAYS},
    [RATIO] = {"ratio", 7, WITH_RATIO},
    [BEFORE] = {"before/now", 13, WITH_BEFORE},
    [COMPILE] = {"compile ms", 11, ALWAYS},
    [THREADS] = {"threads", 8, ALWAYS},
};

static void fill_cells(const bench_row *row, char cell[COLUMN_COUNT][CELL])
{
    static const char *const WORDS[] = {"slower", "same", "faster"};
    const double median = row->time.median_ns, half = (row->time.high_ns - row->time.low_ns) / 2;
    const double peak = peak_share(row), bound = bound_share(row);
    const bool compared = row->before_ns > 0 && median > 0;
    (void)snprintf(cell[MEDIAN], CELL, "%.2f", median * 1e-3);
    (void)snprintf(cell[SPREAD], CELL, "%.1f", median > 0 ? 100 * half / median : 0); /* of the interval of 95 % */
    (void)snprintf(cell[TIMES], CELL, "%zu", row->time.samples);
    (void)snprintf(cell[MIN], CELL, "%.2f", row->time.min_ns * 1e-3);
    (void)snprintf(cell[P90], CELL, "%.2f", row->time.p90_ns * 1e-3);
    (void)snprintf(cell[GMACS], CELL, "%.2f", per_ns(row->macs, row));
    (void)snprintf(cell[GBYTES], CELL, "%.2f", per_ns(row->bytes, row));
    (void)snprintf(cell[PEAK], CELL, peak > 0 ? "%.1f %s" : "-", 100 * peak, row->peak_name); /* "94.1 fp32" */
    (void)snprintf(cell[BOUND], CELL, bound > 0 ? "%.1f" : "-", 100 * bound);
    (void)snprintf(cell[RATIO], CELL, row->ratio > 0 ? "%.3f" : "-", row->ratio);
    (void)snprintf(cell[BEFORE], CELL, compared ? "%.3f %s" : "-", compared ? row->before_ns / median : 0,
                   WORDS[row->verdict + 1]); /* "1.043 faster" */
    (void)snprintf(cell[COMPILE], CELL, "%.2f", (double)compile_ns(row) * 1e-6);
    (void)snprintf(cell[THREADS], CELL, "%d", row->info.threads);
}

static bool is_shown(const bench_columns *columns, size_t i)
{
    return COLUMNS[i].when == ALWAYS || (COLUMNS[i].when == WITH_RATIO ? columns->ratio : columns->before);
}

void bench_print_head(const bench_columns *columns)
{
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        if (is_shown(columns, i)) {
            printf("%*s", COLUMNS[i].width, COLUMNS[i].head);
        }
    }
    printf("  %-10s %s%s\n", "isa", columns->schedule ? "schedule, " : "", "operator");
}

void bench_print_row(const bench_columns *columns, const bench_row *row)
{
    char cell[COLUMN_COUNT][CELL];
    fill_cells(row, cell);
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        if (is_shown(columns, i)) {
            printf("%*s", COLUMNS[i].width, cell[i]);
        }
    }
    printf("  %-10s", row->info.isa);
    if (columns->schedule && row->info.schedule != NULL) {
        printf(" %s", row->info.schedule);
    }
    printf(" %s\n", row->name[0] != '\0' ? row->name : row->again ? "as above" : row->spec);
}

/* ---- JSON ---- */

static void put_text(const char *key, const char *text)
{
    json_text(key, text == NULL ? "" : text);
}

static void put_time(const bench_row *row)
{
    json_fixed("median_ns", row->time.median_ns, 1);
    json_fixed("min_ns", row->time.min_ns, 1);
    json_fixed("p90_ns", row->time.p90_ns, 1);
    json_fixed("gmacs_per_s", per_ns(row->macs, row), 3);
    json_fixed("gbytes_per_s", per_ns(row->bytes, row), 3);
    json_fixed("low_ns", row->time.low_ns, 1);
    json_fixed("high_ns", row->time.high_ns, 1);
    json_integer("samples", (int64_t)row->time.samples);
    json_integer("calls", (int64_t)row->time.calls);
    json_text("clock", row->clock == TIMER_WALL ? "wall" : "processor");
}

static void put_shares(const bench_row *row, bool compared)
{
    put_text("peak", row->peak_name);
    json_fixed("peak_share", peak_share(row), 4);
    json_fixed("bound_share", bound_share(row), 4);
    json_fixed("bound_ns", row->bound_ns, 1);
    json_fixed("predicted_ns", row->predicted_ns, 1);
    json_fixed("ratio", row->ratio, 4);
    if (compared) {
        json_fixed("before_ns", row->before_ns, 1);
        json_fixed("before_ratio", row->time.median_ns > 0 ? row->before_ns / row->time.median_ns : 0, 4);
        json_integer("verdict", row->verdict);
    }
}

static void put_making(const bench_row *row)
{
    const bool made = row->info.compiled || row->info.loaded;
    json_integer("compile_ns", (int64_t)compile_ns(row));
    json_integer("make_ns", made ? (int64_t)row->info.make_ns : 0);
    json_object("parts");
    json_integer("ready", row->info.parts_ready);
    json_integer("loaded", row->info.parts_loaded);
    json_integer("made", row->info.parts_made);
    json_end();
    json_text("cache", row->info.compiled ? "miss" : row->info.loaded ? "disk" : "memory");
}

void bench_print_json(const bench_row *row, const char *choices, bool compared)
{
    json_compact();
    json_object(NULL);
    put_text("spec", row->spec);
    put_text("choices", choices);
    put_text("kernel", row->info.name);
    put_text("isa", row->info.isa);
    json_integer("threads", row->info.threads);
    json_integer("macs", row->macs);
    json_integer("bytes", row->bytes);
    put_time(row);
    json_text("weights", row->packed ? "packed" : "plain");
    put_text("schedule", row->info.schedule);
    put_text("origin", row->info.origin);
    put_text("name", row->name);
    put_shares(row, compared);
    put_making(row);
    json_end();
}
