/* Two readings of one operator; see differ.h. */
#include "tools/laboratory/differ.h"

#include "tools/harness/fail.h"
#include "tools/harness/fill.h"
#include "tools/laboratory/tracing.h"

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
    return cli_status("differ: --profiles", failed);
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
                return cli_status("differ", failed);
            }
        }
        if (matters && used < DIFFER_KEYS_MAX) {
            used += (size_t)snprintf(keys + used, DIFFER_KEYS_MAX - used, "%s%s", used == 0 ? "" : ", ", choice->key);
        }
    }
    return CLI_DONE;
}

/* ---- operands ---- */

bool differ_is_free(const cli_operand *o)
{
    return o->in == NULL && o->fill == NULL &&
           (o->operand.direction == AIC_DIRECTION_IN || o->operand.direction == AIC_DIRECTION_INOUT);
}

/* Fills what no option gives: as `fill` has it, or where that is "" drawn. */
static int fill_free(differ_case *c, uint64_t seed)
{
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < c->operands.count; i++) {
        cli_operand *o = &c->operands.items[i];
        if (!differ_is_free(o)) {
            continue;
        }
        if (c->fill[i][0] == '\0' && o->operand.direction == AIC_DIRECTION_INOUT) {
            (void)snprintf(c->fill[i], DIFFER_FILL_MAX, "zeros");
        } else if (c->fill[i][0] == '\0') {
            (void)snprintf(c->fill[i], DIFFER_FILL_MAX, "random:%" PRIu64, seed + i);
        }
        status = fill_operand(&o->operand, c->fill[i], o->buffer.data);
    }
    return status;
}

int differ_draw(differ_case *c, uint64_t seed)
{
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        c->fill[i][0] = '\0';
    }
    return fill_free(c, seed);
}

/* The operands as the reading lists them that reads more: an output that only one reads is read. */
static int list_operands(differ_case *c)
{
    int status = operands_list(&c->operands, c->spec, &c->side[0].semantics, NULL);
    for (size_t s = 0; s < 2 && status == CLI_DONE; s++) {
        status = cli_status(c->side[s].name, aic_spec_validate(c->spec, &c->side[s].semantics));
    }
    c->output = operands_written(&c->operands);
    if (status == CLI_DONE && c->operands.items[c->output].operand.direction == AIC_DIRECTION_OUT) {
        operands_release(&c->operands);
        status = operands_list(&c->operands, c->spec, &c->side[1].semantics, NULL);
    }
    return status;
}

int differ_open(differ_case *c)
{
    c->operands.inputs_optional = true;
    int status = list_operands(c);
    status = status == CLI_DONE ? operands_bind(&c->operands) : status;
    status = status == CLI_DONE ? operands_load(&c->operands) : status;
    status = status == CLI_DONE ? fill_free(c, 1) : status;
    for (size_t s = 0; s < 2 && status == CLI_DONE; s++) {
        const aic_operand *o = &c->operands.items[c->output].operand;
        status = cli_memory(&c->result[s], o->name, (uint64_t)o->bytes);
    }
    return status;
}

void differ_close(differ_case *c)
{
    aic_spec_destroy(c->spec);
    guard_close(&c->result[0]);
    guard_close(&c->result[1]);
    operands_close(&c->operands);
}

aic_status differ_compute(differ_case *c)
{
    void *pointers[AIC_OPERANDS_MAX] = {NULL};
    const cli_operand *out = &c->operands.items[c->output];
    aic_status failed = AIC_OK;
    for (size_t s = 0; failed == AIC_OK && s < 2; s++) {
        memcpy(pointers, c->operands.pointers, c->operands.count * sizeof *pointers);
        memcpy(c->result[s].data, out->buffer.data, (size_t)out->operand.bytes);
        pointers[c->output] = c->result[s].data;
        failed = aic_reference(c->spec, &c->side[s].semantics, pointers, c->operands.count);
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
    return cli_status("differ", differ_compute(c));
}

compare_element differ_element(const differ_case *c, int64_t element)
{
    const cli_operand *o = &c->operands.items[c->output];
    return compare_element_at(&o->operand, &o->coordinates, c->result[0].data, c->result[1].data, element);
}

/* ---- traces ---- */

int differ_trace(const differ_case *c, differ_steps *steps)
{
    char *text[2] = {NULL, NULL};
    int status = CLI_DONE;
    *steps = (differ_steps){.rows = NULL};
    for (size_t s = 0; s < 2 && status == CLI_DONE; s++) { /* of the first element that differs */
        status = cli_trace("differ", NULL, c->spec, &c->side[s].semantics, &c->operands, c->report.first[0], &text[s]);
    }
    (void)aic_take_warning();
    if (status == CLI_DONE) {
        return differ_steps_open(steps, text[0], text[1]) ? CLI_DONE : cli_fail(CLI_SYSTEM, "differ: memory ran out");
    }
    free(text[0]);
    free(text[1]);
    return status;
}

/* ---- the command ---- */

/* Writes an argument as a shell reads it back. */
static void put_argument(FILE *out, const char *text)
{
    (void)fputs("'", out);
    for (; *text != '\0'; text++) {
        (void)fputs(*text == '\'' ? "'\\''" : (char[]){*text, '\0'}, out);
    }
    (void)fputs("'", out);
}

static void put_pairs(FILE *out, const char *option, const args_list *pairs)
{
    for (size_t i = 0; i < pairs->count; i++) {
        (void)fprintf(out, " %s ", option);
        put_argument(out, pairs->items[i]);
    }
}

static void put_command(FILE *out, const differ_case *c, const char *text)
{
    (void)fputs("aicjit differ ", out);
    put_argument(out, text);
    (void)fprintf(out, " --profiles %s,%s%s", c->side[0].name, c->side[1].name, c->semantics_text);
    put_pairs(out, "--in", &c->operands.pairs[PAIR_IN]);
    put_pairs(out, "--fill", &c->operands.pairs[PAIR_FILL]);
    put_pairs(out, "--quantise", &c->operands.scales);
    for (size_t i = 0; i < c->operands.count; i++) {
        const cli_operand *o = &c->operands.items[i];
        /* What no command needs to say: old contents are 0. */
        if (differ_is_free(o) && !(o->operand.direction == AIC_DIRECTION_INOUT && strcmp(c->fill[i], "zeros") == 0)) {
            char pair[DIFFER_FILL_MAX + 64];
            (void)snprintf(pair, sizeof pair, "%s=%s", o->operand.name, c->fill[i]);
            (void)fputs(" --fill ", out);
            put_argument(out, pair);
        }
    }
}

char *differ_command(const differ_case *c)
{
    char *text = cli_spec_short_text(c->spec), *command = NULL;
    size_t size = 0;
    FILE *out = text != NULL ? open_memstream(&command, &size) : NULL;
    if (out != NULL) {
        put_command(out, c, text);
        const bool failed = ferror(out) != 0;
        if (fclose(out) != 0 || failed) {
            free(command);
            command = NULL;
        }
    }
    free(text);
    return command;
}
