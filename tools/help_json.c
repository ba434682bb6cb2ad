/* JSON of help and list, from the operators' sheets and the commands' own tables. */
#include "tools/help_json.h"

#include "tools/args.h"
#include "tools/harness/fail.h"
#include "tools/json_write.h"
#include "tools/session.h"
#include "tools/sheet.h"

#include <aic/tool.h>
#include <stdio.h>
#include <string.h>

/* ---- operators ---- */

static void put_limits(const op_sheet *sheet, const char *key)
{
    json_array("limits");
    for (const sheet_limit *l = sheet->limits; l->key != NULL; l++) {
        if (strcmp(l->key, key) == 0) {
            json_object(NULL);
            if (l->entry != AIC_EVERY) {
                json_integer("entry", l->entry);
            }
            json_integer("low", l->low);
            json_integer("high", l->high);
            json_end();
        }
    }
    json_end();
}

static void put_key(const op_sheet *sheet, size_t index)
{
    const sheet_key *key = &sheet->keys[index];
    char type[512], fallback[64];
    sheet_type(sheet, index, type, sizeof type);
    sheet_default(key, fallback, sizeof fallback);
    json_object(NULL);
    json_text("name", key->name);
    json_text("type", type);
    json_integer("entries", key->count);
    if (strchr(type, '|') != NULL) {
        json_words("values", type, '|');
    }
    json_bool("required", key->required);
    json_text("default", key->required ? NULL : fallback);
    put_limits(sheet, key->name);
    json_text("meaning", sheet->meanings[index]);
    json_text("source", sheet_source(sheet->name, "field", key->name));
    json_end();
}

static void put_role(const sheet_role *role)
{
    json_object(NULL);
    json_text("name", role->name);
    json_text("shape", role->shape);
    json_text("meaning", role->meaning);
    json_end();
}

static void put_rules(const char *op)
{
    const aic_rule *rule;
    json_array("rules");
    for (size_t i = 0; (rule = aic_rule_at(i)) != NULL; i++) {
        if (strcmp(rule->op, op) == 0 && strcmp(rule->kind, "rule") == 0) {
            json_object(NULL);
            json_text("field", rule->field);
            json_text("text", rule->text);
            json_text("source", rule->source);
            json_end();
        }
    }
    json_end();
}

int help_json_operator(aic_op op)
{
    const op_sheet *sheet = sheet_of(op);
    json_object(NULL);
    json_text("operator", sheet->name);
    json_text("about", sheet->about);
    json_array("keys");
    for (size_t i = 0; i < sheet->key_count; i++) {
        put_key(sheet, i);
    }
    json_end();
    json_array("operands");
    for (size_t i = 0; i < sheet->role_count; i++) {
        put_role(&sheet->roles[i]);
    }
    json_end();
    json_array("chain_operands");
    for (const sheet_role *role = sheet->chain_roles; role->name != NULL; role++) {
        put_role(role);
    }
    json_end();
    put_rules(sheet->name);
    json_text("example", sheet->example);
    json_end();
    return CLI_DONE;
}

static void put_operators(void)
{
    json_array("operators");
    for (int op = AIC_OP_NONE + 1; op < AIC_OP_END; op++) {
        json_object(NULL);
        json_text("name", sheet_of((aic_op)op)->name);
        json_text("about", sheet_of((aic_op)op)->about);
        json_end();
    }
    json_end();
}

/* ---- commands ---- */

static void put_option(const args_option *option, bool shared)
{
    static const char *const KINDS[] = {[ARGS_FLAG] = "flag",   [ARGS_TEXT] = "text", [ARGS_INTEGER] = "integer",
                                        [ARGS_REAL] = "number", [ARGS_LIST] = "list", [ARGS_EACH] = "list"};
    json_object(NULL);
    json_text("name", option->name);
    json_text("kind", KINDS[option->kind]);
    json_text("value", option->value);
    if (option->kind == ARGS_TEXT && strchr(option->value, '|') != NULL) {
        json_words("values", option->value, '|');
    }
    if (option->kind == ARGS_INTEGER || option->kind == ARGS_REAL) {
        json_integer("low", option->low);
        if (option->kind == ARGS_REAL && option->high == INT64_MAX) {
            json_text("high", NULL);
        } else {
            json_integer("high", option->high);
        }
    }
    json_text("help", option->help);
    json_bool("shared", shared);
    json_end();
}

static void put_command(const args_command *command)
{
    const args_option *option;
    json_object(NULL);
    json_text("command", command->name);
    json_text("arguments", command->arguments);
    json_text("summary", command->summary);
    json_array("options");
    for (size_t i = 0; (option = args_option_at(command, i)) != NULL; i++) {
        put_option(option, i >= command->option_count);
    }
    json_end();
    json_end();
}

int help_json_command(const command_row *command)
{
    args_present(put_command);
    const int status = command_help(command);
    args_present(NULL);
    return status;
}

int help_json_names(void)
{
    const command_row *command;
    json_object(NULL);
    put_operators();
    json_array("commands");
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        json_object(NULL);
        json_text("name", command->name);
        json_text("about", command->summary);
        json_end();
    }
    json_end();
    json_end();
    return CLI_DONE;
}

int help_json_all(void)
{
    const command_row *command;
    const command_variable *variable;
    int status = CLI_DONE;
    json_object(NULL);
    json_text("version", aic_version());
    json_array("commands");
    for (size_t i = 0; status == CLI_DONE && (command = command_at(i)) != NULL; i++) {
        status = help_json_command(command);
    }
    json_end();
    put_operators();
    json_array("environment");
    for (size_t i = 0; (variable = command_variable_at(i)) != NULL; i++) {
        json_object(NULL);
        json_text("name", variable->name);
        json_text("meaning", variable->meaning);
        json_end();
    }
    json_end();
    json_end();
    return status;
}

/* ---- choices ---- */

static void put_choice(const aic_choice *choice)
{
    const aic_reading *reading;
    json_object(NULL);
    json_text("key", choice->key);
    json_text("decision", choice->row);
    json_text("meaning", choice->meaning);
    json_array("readings");
    for (size_t i = 0; (reading = aic_reading_at(i)) != NULL; i++) {
        if (strcmp(reading->key, choice->key) == 0) {
            json_object(NULL);
            json_text("value", reading->value);
            json_text("origin", reading->origin);
            json_text("meaning", reading->meaning);
            json_end();
        }
    }
    json_end();
    json_end();
}

static int put_profile(const aic_profile *profile)
{
    char text[CLI_SEMANTICS_TEXT_MAX];
    aic_semantics semantics = aic_semantics_init();
    aic_status failed = aic_semantics_apply_profile(&semantics, profile->name);
    failed = failed == AIC_OK ? aic_semantics_print_choices(&semantics, text, sizeof text, NULL) : failed;
    if (failed != AIC_OK) {
        return cli_status("help", failed);
    }
    json_object(NULL);
    json_text("name", profile->name);
    json_text("meaning", profile->meaning);
    json_text("choices", text);
    json_end();
    return CLI_DONE;
}

int help_json_choices(void)
{
    const aic_choice *choice;
    const aic_profile *profile;
    int status = CLI_DONE;
    json_object(NULL);
    json_array("choices");
    for (size_t i = 0; (choice = aic_choice_at(i)) != NULL; i++) {
        put_choice(choice);
    }
    json_end();
    json_array("profiles");
    for (size_t i = 0; status == CLI_DONE && (profile = aic_profile_at(i)) != NULL; i++) {
        status = put_profile(profile);
    }
    json_end();
    json_end();
    return status;
}
