/* Records as text; see tune_record.h. */
#include "runtime/tuning/tune_record.h"
#include "codegen/build_name.h"
#include "frontend/core/bytes.h"
#include "frontend/core/diag.h"
#include "frontend/core/spec.h"
#include "frontend/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const EFFORTS[] = {"partial", "estimate", "measure", "patient"};
enum { EFFORTS_COUNT = sizeof EFFORTS / sizeof *EFFORTS };

const char *aic_tune_effort_name(int effort)
{
    return effort >= -1 && effort + 1 < EFFORTS_COUNT ? EFFORTS[effort + 1] : "?";
}

void aic_tune_record_free(aic_tune_record *record)
{
    free(record->line);
    free(record->schedule);
    *record = (aic_tune_record){.line = NULL};
}

/* ---- keys ---- */

void aic_tune_host(const aic_machine *supposed, char text[AIC_TUNE_HOST_MAX])
{
    char machine[AIC_MACHINE_TEXT_MAX];
    aic_tune_machine(supposed, machine);
    (void)snprintf(text, AIC_TUNE_HOST_MAX, "machine=%s\taicjit=%s\tllvm=%s\trule=%d", machine, aic_version(),
                   aic_build_llvm, AIC_SCHEDULE_RULE);
}

enum { SEMANTICS_TEXT_MAX = 512 };

aic_status aic_tune_key(const aic_problem *problem, const char *passes, char **key)
{
    const char *level = problem->target->name;
    char host[AIC_TUNE_HOST_MAX], options[SEMANTICS_TEXT_MAX], *spec;
    aic_status status = aic_record_print(&aic_semantics_record, problem->semantics, options, sizeof options, NULL);
    status = status == AIC_OK ? aic_spec_print_new(problem->spec, &spec) : status;
    if (status != AIC_OK) {
        return status;
    }
    aic_tune_host(problem->machine, host);
    passes = passes != NULL ? passes : "";
    const size_t capacity = strlen(spec) + sizeof options + sizeof host + strlen(passes) + strlen(level) + 64;
    *key = malloc(capacity);
    if (*key != NULL) {
        (void)snprintf(*key, capacity, "%s\t%s\tpasses=%s\tisa=%s\t%s", spec, options, passes, level, host);
    }
    free(spec);
    return *key != NULL ? AIC_OK : aic_fail_memory("tuning", capacity);
}

/* ---- fields of a line ---- */

/* A line cut at its tabs. */
enum { SPEC, SEMANTICS, PASSES, ISA, MACHINE, AICJIT, LLVM, RULE, EFFORT, SCHEDULE, TUNED, DEFAULT, SUM, FIELDS };

typedef struct cut_line {
    const char *field[FIELDS];
    size_t length[FIELDS];
} cut_line;

static bool cut(const char *line, size_t length, cut_line *fields)
{
    size_t count = 0;
    for (const char *at = line, *end = line + length; at <= end;) {
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        const char *stop = tab != NULL ? tab : end;
        if (count == FIELDS) {
            return false;
        }
        fields->field[count] = at;
        fields->length[count++] = (size_t)(stop - at);
        at = stop + 1;
    }
    return count == FIELDS;
}

/* FNV-1a. */
static uint64_t sum_of(const char *text, size_t length)
{
    return aic_hash_more(AIC_HASH_BEGIN, text, length);
}

/* ---- writing ---- */

/* A time is written in picoseconds as an integer and a point: without regard to the locale. */
static void put_time(char text[96], const aic_tune_time *time)
{
    const double value[] = {time->median, time->low, time->high};
    unsigned long long whole[3], thousandth[3];
    for (int i = 0; i < 3; i++) {
        const unsigned long long pico = (unsigned long long)llround(value[i] * 1000);
        whole[i] = pico / 1000;
        thousandth[i] = pico % 1000;
    }
    (void)snprintf(text, 96, "%llu.%03llu (%llu.%03llu..%llu.%03llu) ns", whole[0], thousandth[0], whole[1],
                   thousandth[1], whole[2], thousandth[2]);
}

aic_status aic_tune_record_make(const char *key, int effort, const char *schedule, const aic_tune_time *tuned,
                                const aic_tune_time *standard, aic_tune_record *record)
{
    char times[2][96];
    put_time(times[0], tuned);
    put_time(times[1], standard);
    const size_t capacity = strlen(key) + AIC_SCHEDULE_TEXT_MAX + sizeof times + 128;
    char *line = malloc(capacity);
    if (line == NULL) {
        return aic_fail_memory("tuning", capacity);
    }
    const int length =
        snprintf(line, capacity, "%s\teffort=%s\t%s\ttuned=%s\tdefault=%s", key, aic_tune_effort_name(effort),
                 schedule != NULL ? schedule : "default", times[0], times[1]);
    const uint64_t sum = sum_of(line, (size_t)length);
    (void)snprintf(line + length, capacity - (size_t)length, "\tsum=%016llx", (unsigned long long)sum);
    bool out_of_memory;
    const bool reads = aic_tune_record_read(line, strlen(line), record, &out_of_memory);
    free(line);
    if (reads) {
        return AIC_OK;
    }
    return out_of_memory ? aic_fail_memory("tuning", capacity)
                         : aic_fail(AIC_INTERNAL, "tuning", "a record cannot be read back: %.200s", key);
}

/* ---- reading ---- */

/* What follows `name` in a field that begins with it; NULL when it does not. */
static const char *value_of(const cut_line *fields, int number, const char *name, size_t *length)
{
    const size_t skip = strlen(name);
    if (fields->length[number] < skip || memcmp(fields->field[number], name, skip) != 0) {
        return NULL;
    }
    *length = fields->length[number] - skip;
    return fields->field[number] + skip;
}

static bool check_sum(const char *line, const cut_line *fields)
{
    static const char DIGITS[] = "0123456789abcdef";
    size_t length;
    const char *text = value_of(fields, SUM, "sum=", &length);
    if (text == NULL || length != 16) {
        return false;
    }
    uint64_t sum = 0;
    for (size_t i = 0; i < length; i++) {
        const char *digit = strchr(DIGITS, text[i]); /* no line has a zero */
        if (digit == NULL) {
            return false;
        }
        sum = sum << 4 | (uint64_t)(digit - DIGITS);
    }
    return sum == sum_of(line, (size_t)(fields->field[SUM] - 1 - line));
}

static bool read_effort(const cut_line *fields, int *effort)
{
    size_t length;
    const char *text = value_of(fields, EFFORT, "effort=", &length);
    for (int e = 0; text != NULL && e < EFFORTS_COUNT; e++) {
        if (strlen(EFFORTS[e]) == length && memcmp(EFFORTS[e], text, length) == 0) {
            *effort = e - 1;
            return true;
        }
    }
    return false;
}

/* Reads "123.456" followed by `after`. */
static const char *read_decimal(const char *at, const char *end, const char *after, double *value)
{
    unsigned long long pico = 0;
    int behind = -1, digits = 0; /* of the point; in all */
    for (; at < end && ((*at >= '0' && *at <= '9') || (*at == '.' && behind < 0)); at++) {
        if (*at == '.') {
            behind = 0;
            continue;
        }
        pico = pico * 10 + (unsigned)(*at - '0');
        behind += behind >= 0;
        digits++;
    }
    const size_t skip = strlen(after);
    if (behind != 3 || digits > 18 || (size_t)(end - at) < skip || memcmp(at, after, skip) != 0) {
        return NULL;
    }
    *value = (double)pico / 1000;
    return at + skip;
}

static bool read_time(const cut_line *fields, int number, const char *name, aic_tune_time *time)
{
    size_t length;
    const char *at = value_of(fields, number, name, &length);
    if (at == NULL) {
        return false;
    }
    const char *end = at + length;
    at = read_decimal(at, end, " (", &time->median);
    at = at != NULL ? read_decimal(at, end, "..", &time->low) : NULL;
    at = at != NULL ? read_decimal(at, end, ") ns", &time->high) : NULL;
    return at == end && time->median > 0 && time->low <= time->median && time->median <= time->high;
}

/* The fields of the key: a canonical specification, and names where they have to be. */
static bool check_key(const cut_line *fields)
{
    static const char *const NAMES[] = {
        [SEMANTICS] = "semantics(", [PASSES] = "passes=", [ISA] = "isa=",  [MACHINE] = "machine=",
        [AICJIT] = "aicjit=",       [LLVM] = "llvm=",     [RULE] = "rule="};
    size_t length;
    bool right = fields->field[SPEC][0] >= 'a' && fields->field[SPEC][0] <= 'z';
    for (int f = SEMANTICS; f <= RULE; f++) {
        right = right && value_of(fields, f, NAMES[f], &length) != NULL;
    }
    return right;
}

bool aic_tune_record_read(const char *line, size_t length, aic_tune_record *record, bool *out_of_memory)
{
    cut_line fields;
    aic_tune_record read = {.key = 0};
    size_t schedule_length;
    *out_of_memory = false;
    if (memchr(line, '\0', length) != NULL || !cut(line, length, &fields) || !check_sum(line, &fields) ||
        !check_key(&fields) || !read_effort(&fields, &read.effort) ||
        !read_time(&fields, TUNED, "tuned=", &read.tuned) || !read_time(&fields, DEFAULT, "default=", &read.standard)) {
        return false;
    }
    const bool is_default = fields.length[SCHEDULE] == 7 && memcmp(fields.field[SCHEDULE], "default", 7) == 0;
    if (!is_default && (value_of(&fields, SCHEDULE, "schedule(", &schedule_length) == NULL ||
                        fields.length[SCHEDULE] >= AIC_SCHEDULE_TEXT_MAX)) {
        return false;
    }
    read.key = (size_t)(fields.field[EFFORT] - 1 - line);
    read.line = strndup(line, length);
    read.schedule = is_default ? NULL : strndup(fields.field[SCHEDULE], fields.length[SCHEDULE]);
    if (read.line == NULL || (!is_default && read.schedule == NULL)) {
        *out_of_memory = true;
        aic_tune_record_free(&read);
        return false;
    }
    *record = read;
    return true;
}

/* ---- order ---- */

bool aic_tune_record_same(const aic_tune_record *a, const aic_tune_record *b)
{
    return a->key == b->key && memcmp(a->line, b->line, a->key) == 0;
}

int aic_tune_record_compare(const void *a, const void *b)
{
    const aic_tune_record *left = a, *right = b;
    return strcmp(left->line, right->line);
}

bool aic_tune_record_beats(const aic_tune_record *a, const aic_tune_record *b)
{
    const double x = a->tuned.median / a->standard.median, y = b->tuned.median / b->standard.median;
    if (a->effort != b->effort) {
        return a->effort > b->effort;
    }
    return x != y ? x < y : strcmp(a->line, b->line) < 0;
}

bool aic_tune_record_is_usable(const aic_tune_record *record, const char *host)
{
    const size_t length = strlen(host);
    return record->key > length && record->line[record->key - length - 1] == '\t' &&
           memcmp(record->line + record->key - length, host, length) == 0;
}
