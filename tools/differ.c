/* Two readings of one operator; see differ.h. */
#include "tools/differ.h"

#include "tools/harness/fail.h"
#include "tools/harness/fill.h"
#include "tools/harness/interrupt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the two readings ---- */

/* One side from "PROFILE+KEY=VALUE+...". */
static int read_side(const cli_session *base, const char *text, size_t length, differ_side *side)
{
    if (length == 0 || length >= sizeof side->name) {
        return cli_fail(CLI_WRONG, "differ: --profiles: a profile's name is %s",
                        length == 0 ? "missing: give A,B" : "too long");
    }
    (void)snprintf(side->name, sizeof side->name, "%.*s", (int)length, text);
    char words[DIFFER_NAME_MAX];
    memcpy(words, side->name, sizeof words);
    cli_session session = *base;
    char *rest = words;
    const char *profile = strsep(&rest, "+");
    aic_semantics scratch = aic_semantics_init();
    aic_status failed = aic_semantics_apply_profile(&scratch, profile);
    session.readings.profile = profile;
    cli_session_semantics(&session);
    side->semantics = session.semantics;
    while (failed == AIC_OK && rest != NULL) {
        char *value = strsep(&rest, "+");
        const char *key = strsep(&value, "=");
        if (value == NULL) {
            return cli_fail(CLI_WRONG, "differ: --profiles: \"%.60s\" is not KEY=VALUE; help choices lists them", key);
        }
        failed = aic_semantics_choose(&side->semantics, key, value);
    }
    return failed == AIC_OK ? CLI_DONE : cli_fail_library("differ: --profiles", failed);
}

int differ_read_sides(const cli_session *session, const char *profiles, differ_side side[2])
{
    const char *comma = profiles == NULL ? NULL : strchr(profiles, ',');
    if (comma == NULL || strchr(comma + 1, ',') != NULL) {
        return cli_fail(CLI_WRONG, "differ: --profiles: %s; give two, A,B",
                        profiles == NULL ? "is missing" : "does not name two profiles");
    }
    if (session->readings.profile != NULL) {
        return cli_fail(CLI_WRONG, "differ: --profile: has no effect beside --profiles");
    }
    char keys[DIFFER_KEYS_MAX];
    int status = read_side(session, profiles, (size_t)(comma - profiles), &side[0]);
    status = status == CLI_DONE ? read_side(session, comma + 1, strlen(comma + 1), &side[1]) : status;
    status = status == CLI_DONE ? differ_keys(NULL, side, keys) : status;
    if (status == CLI_DONE && keys[0] == '\0') {
        status = cli_fail(CLI_WRONG, "differ: --profiles: %.100s and %.100s read everything alike", side[0].name,
                          side[1].name);
    }
    return status;
}

int differ_keys(const aic_spec *spec, const differ_side side[2], char keys[DIFFER_KEYS_MAX])
{
    const aic_choice *choice;
    size_t used = 0;
    keys[0] = '\0';
    for (size_t i = 0; (choice = aic_choice_at(i)) != NULL; i++) {
        bool matters = spec == NULL;
        const char *a = aic_semantics_choice(&side[0].semantics, choice->key);
        const char *b = aic_semantics_choice(&side[1].semantics, choice->key);
        if (strcmp(a, b) == 0) {
            continue;
        }
        for (size_t s = 0; !matters && s < 2; s++) {
            const aic_status failed = aic_spec_choice_matters(spec, &side[s].semantics, choice->key, &matters);
            if (failed != AIC_OK) {
                return cli_fail_library("differ", failed);
            }
        }
        if (matters && used < DIFFER_KEYS_MAX) {
            used += (size_t)snprintf(keys + used, DIFFER_KEYS_MAX - used, "%s%s", used == 0 ? "" : ", ", choice->key);
        }
    }
    return CLI_DONE;
}

/* ---- operands ---- */

static bool is_free(const cli_operand *o)
{
    return o->in == NULL && o->fill == NULL && (o->operand.direction == AIC_IN || o->operand.direction == AIC_INOUT);
}

/* Fills what no option gives: "random:SEED", a seed of its own each; old contents stay 0. */
static int draw_operands(differ_case *c, uint64_t seed)
{
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < c->operands.count; i++) {
        cli_operand *o = &c->operands.items[i];
        if (is_free(o)) {
            if (o->operand.direction == AIC_INOUT) {
                (void)snprintf(c->fill[i], DIFFER_FILL_MAX, "zeros");
            } else {
                (void)snprintf(c->fill[i], DIFFER_FILL_MAX, "random:%" PRIu64, seed + i);
            }
            status = fill_operand(&o->operand, c->fill[i], o->buffer.data);
        }
    }
    return status;
}

/* The operands as the reading lists them that reads more: an output that only one reads is read. */
static int list_operands(differ_case *c)
{
    int status = operands_list(&c->operands, &c->spec, &c->side[0].semantics, NULL);
    for (size_t s = 0; s < 2 && status == CLI_DONE; s++) {
        const aic_status failed = aic_spec_validate(&c->spec, &c->side[s].semantics);
        status = failed == AIC_OK ? CLI_DONE : cli_fail_library(c->side[s].name, failed);
    }
    c->output = 0;
    while (status == CLI_DONE && c->output < c->operands.count &&
           (c->operands.items[c->output].operand.direction & AIC_OUT) == 0) {
        c->output++;
    }
    if (status == CLI_DONE && c->operands.items[c->output].operand.direction == AIC_OUT) {
        operands_release(&c->operands);
        status = operands_list(&c->operands, &c->spec, &c->side[1].semantics, NULL);
    }
    return status;
}

int differ_open(differ_case *c)
{
    c->kept = -1;
    c->operands.inputs_optional = true;
    int status = list_operands(c);
    status = status == CLI_DONE ? operands_bind(&c->operands) : status;
    status = status == CLI_DONE ? operands_load(&c->operands) : status;
    status = status == CLI_DONE ? draw_operands(c, 1) : status;
    for (size_t s = 0; s < 2 && status == CLI_DONE; s++) {
        const aic_operand *o = &c->operands.items[c->output].operand;
        if (!guard_open(&c->result[s], (size_t)o->bytes, 64, GUARD_BEFORE)) {
            status = cli_fail_memory(o->name, (uint64_t)o->bytes);
        }
    }
    return status;
}

void differ_close(differ_case *c)
{
    guard_close(&c->result[0]);
    guard_close(&c->result[1]);
    operands_close(&c->operands);
}

static aic_status compute(differ_case *c)
{
    void *pointers[AIC_OPERANDS_MAX] = {NULL};
    const cli_operand *out = &c->operands.items[c->output];
    aic_status failed = AIC_OK;
    for (size_t s = 0; failed == AIC_OK && s < 2; s++) {
        for (size_t i = 0; i < c->operands.count; i++) {
            pointers[i] = c->operands.items[i].buffer.data;
        }
        memcpy(c->result[s].data, out->buffer.data, (size_t)out->operand.bytes);
        pointers[c->output] = c->result[s].data;
        failed = aic_reference(&c->spec, &c->side[s].semantics, pointers, c->operands.count);
        (void)aic_take_warning();
    }
    if (failed == AIC_OK) {
        const compare_limits bits = {0};
        compare_tensors(&out->operand, c->result[0].data, c->result[1].data, NULL, &bits, &c->report, NULL);
    }
    return failed;
}

int differ_compare(differ_case *c)
{
    const aic_status failed = compute(c);
    return failed == AIC_OK ? CLI_DONE : cli_fail_library("differ", failed);
}

/* ---- the search ---- */

/* Whether these operands part the readings; such as one of them refuses do not. */
static bool parts(differ_case *c)
{
    c->tries--;
    return compute(c) == AIC_OK && c->report.different > 0;
}

/* Constants that are tried: "" does not fit the type and is skipped by fill_constant(). */
static const char *const constants[] = {"0",     "1",      "-1",   "2",   "-2",   "3",          "-3",          "5",
                                        "-5",    "7",      "16",   "100", "-100", "127",        "-128",        "1000",
                                        "-1000", "32767",  "0.1",  "0.5", "-0.1", "2147483647", "-2147483648", "65504",
                                        "70000", "-70000", "3e38", "inf", "-inf", "nan"};
enum { CONSTANTS = sizeof constants / sizeof constants[0] };

/* Fills one operand; false where it cannot hold the constant, or holds words. */
static bool fill_constant(differ_case *c, size_t operand, const char *constant)
{
    const cli_operand *o = &c->operands.items[operand];
    unsigned char element[8];
    if (o->operand.dtype == AIC_UINT64 || aic_scalar_parse(o->operand.dtype, constant, element) != AIC_OK) {
        return false;
    }
    const size_t size = aic_dtype_size(o->operand.dtype);
    for (int64_t i = 0; i < o->operand.elements; i++) {
        memcpy((unsigned char *)o->buffer.data + (size_t)i * size, element, size);
    }
    (void)snprintf(c->fill[operand], DIFFER_FILL_MAX, "const:%s", constant);
    return true;
}

/* Every combination of constants for the free operands from number `operand` on, small ones first. */
static bool try_constants(differ_case *c, size_t operand, int64_t least)
{
    while (operand < c->operands.count &&
           (!is_free(&c->operands.items[operand]) || c->operands.items[operand].operand.dtype == AIC_UINT64)) {
        operand++;
    }
    if (operand == c->operands.count) {
        return parts(c);
    }
    for (size_t i = 0; i < CONSTANTS && c->tries > least && !interrupt_requested(); i++) {
        if (fill_constant(c, operand, constants[i]) && try_constants(c, operand + 1, least)) {
            return true;
        }
    }
    return false;
}

/* Sets `count` elements from `first` on to 0 where the readings still part then; what was there else. */
static bool clear_elements(differ_case *c, const cli_operand *o, int64_t first, int64_t count, unsigned char *saved)
{
    const size_t size = aic_dtype_size(o->operand.dtype), bytes = (size_t)count * size;
    unsigned char *data = (unsigned char *)o->buffer.data + (size_t)first * size;
    bool zero = true;
    for (size_t i = 0; zero && i < bytes; i++) {
        zero = data[i] == 0;
    }
    if (zero) {
        return true;
    }
    memcpy(saved, data, bytes);
    memset(data, 0, bytes);
    if (!parts(c)) {
        memcpy(data, saved, bytes);
        return false;
    }
    return true;
}

/* Halves of an operand, quarters and so on become 0 as long as the readings part. Words stay: 0 is none. */
static int shrink(differ_case *c, const cli_operand *o)
{
    unsigned char *saved = malloc((size_t)o->operand.bytes + 1);
    if (saved == NULL) {
        return cli_fail_memory(o->operand.name, (uint64_t)o->operand.bytes);
    }
    for (int64_t chunk = o->operand.elements; chunk > 0 && c->tries > 0; chunk /= 2) {
        for (int64_t first = 0; first < o->operand.elements && c->tries > 0 && !interrupt_requested(); first += chunk) {
            const int64_t rest = o->operand.elements - first;
            (void)clear_elements(c, o, first, chunk < rest ? chunk : rest, saved);
        }
    }
    free(saved);
    return CLI_DONE;
}

static int64_t count_kept(const differ_case *c)
{
    static const unsigned char zero[8] = {0};
    int64_t kept = 0;
    for (size_t i = 0; i < c->operands.count; i++) {
        const cli_operand *o = &c->operands.items[i];
        const size_t size = aic_dtype_size(o->operand.dtype);
        for (int64_t e = 0; is_free(o) && e < o->operand.elements; e++) {
            kept += memcmp((const unsigned char *)o->buffer.data + (size_t)e * size, zero, size) != 0;
        }
    }
    return kept;
}

int differ_search(differ_case *c, int64_t tries)
{
    c->tries = tries;
    bool found = try_constants(c, 0, tries / 4 * 3);
    int status = CLI_DONE;
    for (uint64_t seed = 1; status == CLI_DONE && !found && c->tries > tries / 2 && !interrupt_requested();
         seed += c->operands.count) {
        status = draw_operands(c, seed);
        found = status == CLI_DONE && parts(c);
    }
    if (!found) {
        status = status == CLI_DONE ? draw_operands(c, 1) : status;
        return status == CLI_DONE ? differ_compare(c) : status;
    }
    for (size_t i = 0; status == CLI_DONE && i < c->operands.count; i++) {
        const cli_operand *o = &c->operands.items[i];
        if (is_free(o) && o->operand.dtype != AIC_UINT64) {
            status = shrink(c, o);
        }
    }
    c->kept = count_kept(c);
    return status == CLI_DONE ? differ_compare(c) : status;
}

/* ---- traces ---- */

int differ_trace(const differ_case *c, size_t side, int64_t element, char **text)
{
    void *pointers[AIC_OPERANDS_MAX] = {NULL};
    const aic_semantics *semantics = &c->side[side].semantics;
    size_t length = 0;
    const size_t count = c->operands.count;
    *text = NULL;
    for (size_t i = 0; i < count; i++) {
        pointers[i] = c->operands.items[i].buffer.data;
    }
    aic_status failed = aic_trace(&c->spec, semantics, pointers, count, element, NULL, NULL, 0, &length);
    if (failed == AIC_UNSUPPORTED) {
        return CLI_DONE;
    }
    *text = failed == AIC_OK ? malloc(length + 1) : NULL;
    if (failed == AIC_OK && *text == NULL) {
        return cli_fail_memory("the trace", length + 1);
    }
    if (failed == AIC_OK) {
        failed = aic_trace(&c->spec, semantics, pointers, count, element, NULL, *text, length + 1, NULL);
    }
    (void)aic_take_warning();
    return failed == AIC_OK ? CLI_DONE : cli_fail_library("differ", failed);
}
