/* aicjit rules: every rule, parameter, default and rounding step with where it comes from (aic/rules.h). */
#include "tools/args.h"
#include "tools/command.h"
#include "tools/harness/fail.h"
#include "tools/json_write.h"
#include "tools/sheet.h"

#include <stdio.h>
#include <string.h>

/* The value of a default; "" of other entries, and of options, which aic_semantics_init() gives. */
static void default_of(const aic_rule *rule, char *text, size_t capacity)
{
    const op_sheet *sheet = sheet_of(aic_op_parse(rule->op));
    text[0] = '\0';
    for (size_t i = 0; strcmp(rule->kind, "default") == 0 && sheet != NULL && i < sheet->key_count; i++) {
        if (strcmp(sheet->keys[i].name, rule->id) == 0) {
            sheet_default(&sheet->keys[i], text, capacity);
        }
    }
}

static void put_json(const aic_rule *rule)
{
    char value[64];
    default_of(rule, value, sizeof value);
    json_compact();
    json_object(NULL);
    JSON_TEXTS({"op", rule->op}, {"kind", rule->kind}, {"id", rule->id}, {"field", rule->field}, {"text", rule->text},
               {"origin", rule->origin}, {"source", rule->source});
    if (value[0] != '\0') {
        json_text("value", value);
    }
    json_end();
}

/* The readings of the choice that decides a step, the default first. */
static void print_readings(const char *key)
{
    const aic_reading *reading;
    const char *separator = "";
    printf("      choice %s: ", key);
    for (size_t i = 0; (reading = aic_reading_at(i)) != NULL; i++) {
        if (strcmp(reading->key, key) == 0) {
            printf("%s%s (%s)", separator, reading->value, reading->origin);
            separator = ", ";
        }
    }
    printf("\n");
}

static void print_entry(const aic_rule *rule)
{
    const bool step = strcmp(rule->kind, "step") == 0;
    char value[64];
    default_of(rule, value, sizeof value);
    if (strcmp(rule->kind, "default") == 0) {
        printf("  %s%s%s\n", rule->id, value[0] == '\0' ? "" : " = ", value);
    } else {
        printf("  %s: %s\n", step ? rule->id : rule->field, rule->text);
    }
    printf("      [%s]\n", rule->source);
    if (step && rule->field[0] != '\0') {
        print_readings(rule->field);
    }
}

/* What opens the entries of a kind. */
static const char *heading_of(const char *kind)
{
    static const struct {
        const char *kind, *heading;
    } rows[] = {{"rule", "rules, in the order in which they are checked"},
                {"field", "keys"},
                {"default", "defaults"},
                {"step", "steps in which numbers are rounded, clamped or replaced"}};
    size_t i = 0;
    while (strcmp(rows[i].kind, kind) != 0) {
        i++;
    }
    return rows[i].heading;
}

/* op NULL: all. */
static void list(const char *op, bool json)
{
    static const aic_rule none = {.op = "", .kind = ""};
    const aic_rule *rule, *before = &none;
    for (size_t i = 0; (rule = aic_rule_at(i)) != NULL; i++) {
        if (op != NULL && strcmp(rule->op, op) != 0) {
            continue;
        }
        if (json) {
            put_json(rule);
            continue;
        }
        if (strcmp(rule->op, before->op) != 0) {
            const op_sheet *sheet = sheet_of(aic_op_parse(rule->op));
            printf("%s%s: %s\n", before == &none ? "" : "\n", rule->op,
                   sheet != NULL ? sheet->about : "what all operators share");
            before = &none;
        }
        if (strcmp(rule->kind, before->kind) != 0) {
            printf("\n%s:\n", heading_of(rule->kind));
        }
        print_entry(rule);
        before = rule;
    }
}

static bool is_listed(const char *op)
{
    const aic_rule *rule;
    for (size_t i = 0; (rule = aic_rule_at(i)) != NULL; i++) {
        if (strcmp(rule->op, op) == 0) {
            return true;
        }
    }
    return false;
}

int cmd_rules(int argc, char **argv)
{
    args_list names = {0};
    bool json = false;
    const args_option options[] = {
        option_flag("--json", "an object a line", &json),
    };
    const args_command command = {
        .name = "rules",
        .arguments = "[OPERATOR|semantics|request] [--json]",
        .summary =
            "Lists every rule, parameter, default and rounding step with where it comes from: the document and the "
            "place in it, or the reason of a choice.",
        ARGS_OPTIONS(options),
    };
    int status = args_parse(&command, argc, argv, 1, &names);
    const char *op = names.count > 0 ? names.items[0] : NULL;
    if (status == CLI_DONE && op != NULL && !is_listed(op)) {
        status = cli_fail(CLI_WRONG, "rules: \"%.100s\" is no operator (aicjit list names them)", op);
    } else if (status == CLI_DONE) {
        list(op, json);
    }
    return status;
}
