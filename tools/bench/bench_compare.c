/* Files of earlier measurements. */
#include "tools/bench/bench_compare.h"

#include "tools/harness/fail.h"
#include "tools/json.h"
#include "tools/textfile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct bench_earlier {
    char *spec, *isa, *schedule, *weights; /* schedule NULL: it was not given */
    double threads, median_ns, low_ns, high_ns;
};

/* An object that is being read. */
typedef struct reading {
    bench_earlier row;
    char *schedule;
    bool given, no_memory;
} reading;

static void keep_text(reading *r, char **to, const char *text)
{
    free(*to);
    *to = text != NULL ? strdup(text) : NULL;
    r->no_memory = r->no_memory || (text != NULL && *to == NULL);
}

static void see_member(void *user, const char *key, const char *text, double number)
{
    reading *r = user;
    const struct {
        const char *key;
        char **text;
        double *number;
    } KEYS[] = {{"spec", &r->row.spec, NULL},       {"isa", &r->row.isa, NULL},
                {"schedule", &r->schedule, NULL},   {"weights", &r->row.weights, NULL},
                {"threads", NULL, &r->row.threads}, {"median_ns", NULL, &r->row.median_ns},
                {"low_ns", NULL, &r->row.low_ns},   {"high_ns", NULL, &r->row.high_ns}};
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
        if (strcmp(key, KEYS[i].key) == 0 && KEYS[i].text != NULL) {
            keep_text(r, KEYS[i].text, text);
        } else if (strcmp(key, KEYS[i].key) == 0 && text == NULL) {
            *KEYS[i].number = number;
        }
    }
    r->given = r->given || (strcmp(key, "origin") == 0 && text != NULL && strcmp(text, "given") == 0);
}

static void free_row(bench_earlier *row)
{
    free(row->spec);
    free(row->isa);
    free(row->schedule);
    free(row->weights);
}

/* Whether the object describes a measurement. Files of before there were intervals have none. */
static bool is_row(const bench_earlier *row)
{
    return row->spec != NULL && row->isa != NULL && row->threads >= 1 && row->median_ns > 0;
}

static int add_line(bench_comparison *c, char *line, size_t length, size_t number)
{
    reading r = {.given = false};
    const bool whole = strlen(line) == length; /* no zero byte in it */
    const bool good = whole && json_read_object(line, see_member, &r) && is_row(&r.row);
    r.row.schedule = r.given ? r.schedule : NULL;
    if (!r.given) {
        free(r.schedule);
    }
    const bool full = (c->count & (c->count - 1)) == 0; /* a power of two */
    const size_t capacity = !full ? 0 : c->count == 0 ? 1 : 2 * c->count;
    bench_earlier *rows = !good || r.no_memory ? NULL : full ? realloc(c->rows, capacity * sizeof *rows) : c->rows;
    if (rows == NULL) {
        free_row(&r.row);
        return good ? cli_fail_memory("bench: --compare", (c->count + 1) * sizeof *rows)
                    : cli_fail(CLI_WRONG, "bench: --compare: \"%.200s\": line %zu is no object of bench --json",
                               c->path, number);
    }
    c->rows = rows;
    rows[c->count++] = r.row;
    return CLI_DONE;
}

int bench_comparison_open(bench_comparison *c, const char *path)
{
    *c = (bench_comparison){.path = path};
    char *text = NULL;
    size_t length, bytes = 0;
    int status = textfile_read("bench: --compare", path, TEXTFILE_BYTES_MAX, &text, &length);
    char *at = text, *line;
    for (size_t number = 1; status == CLI_DONE && (line = textfile_line(&at, text + length, &bytes)) != NULL;
         number++) {
        if (strspn(line, " \t\r\n") < bytes) {
            status = add_line(c, line, bytes, number);
        }
    }
    free(text);
    return status;
}

void bench_comparison_close(bench_comparison *c)
{
    for (size_t i = 0; i < c->count; i++) {
        free_row(&c->rows[i]);
    }
    free(c->rows);
    *c = (bench_comparison){.path = NULL};
}

static bool is_same(const bench_earlier *e, const bench_row *row)
{
    const bool given = row->info.origin != NULL && strcmp(row->info.origin, "given") == 0;
    const bool schedules = given == (e->schedule != NULL) && (!given || strcmp(e->schedule, row->info.schedule) == 0);
    const bool packed = e->weights == NULL || strcmp(e->weights, "packed") == 0;
    return schedules && packed == row->packed && (int)e->threads == row->info.threads &&
           strcmp(e->isa, row->info.isa) == 0 && strcmp(e->spec, row->spec) == 0;
}

void bench_compare(bench_comparison *c, bench_row *row)
{
    c->sought++;
    for (size_t i = 0; i < c->count; i++) {
        const bench_earlier *e = &c->rows[i];
        if (!is_same(e, row)) {
            continue;
        }
        /* Without an interval of its own a median counts as exact. */
        const double low = e->low_ns > 0 ? e->low_ns : e->median_ns, high = e->high_ns > 0 ? e->high_ns : e->median_ns;
        row->before_ns = e->median_ns;
        row->verdict = row->time.high_ns < low ? 1 : row->time.low_ns > high ? -1 : 0;
        c->found++;
        c->faster += row->verdict > 0;
        c->slower += row->verdict < 0;
        c->log_sum += log(e->median_ns / row->time.median_ns);
        return;
    }
}

void bench_comparison_report(const bench_comparison *c, FILE *stream)
{
    (void)fprintf(stream, "%s: %zu of %zu rows are in it", c->path, c->found, c->sought);
    if (c->found > 0) {
        (void)fprintf(stream, "; %zu faster, %zu slower, %zu the same; before/now %.3f in the geometric mean",
                      c->faster, c->slower, c->found - c->faster - c->slower, exp(c->log_sum / (double)c->found));
    }
    (void)fprintf(stream, "\n");
}
