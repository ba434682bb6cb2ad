/* aicjit help and aicjit list: operators from their lists (sheet.h), commands from their option tables. */
#include "tools/args.h"
#include "tools/command.h"
#include "tools/harness/fail.h"
#include "tools/harness/operand_text.h"
#include "tools/json_write.h"
#include "tools/manual.h"
#include "tools/session.h"
#include "tools/sheet.h"

#include <aic/aic.h>
#include <aic/tool.h>
#include <stdio.h>
#include <string.h>

/* ---- operators as JSON ---- */

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
    JSON_TEXTS({"name", key->name}, {"type", type});
    json_integer("entries", key->count);
    if (strchr(type, '|') != NULL) {
        json_words("values", type, '|');
    }
    json_bool("required", key->required);
    json_text("default", key->required ? NULL : fallback);
    put_limits(sheet, key->name);
    JSON_TEXTS({"meaning", sheet->meanings[index]}, {"source", sheet_source(sheet->name, "field", key->name)});
    json_end();
}

static void put_role(const sheet_role *role)
{
    JSON_RECORD({"name", role->name}, {"shape", role->shape}, {"meaning", role->meaning});
}

static void put_rules(const char *op)
{
    const aic_rule *rule;
    json_array("rules");
    for (size_t i = 0; (rule = aic_rule_at(i)) != NULL; i++) {
        if (strcmp(rule->op, op) == 0 && strcmp(rule->kind, "rule") == 0) {
            JSON_RECORD({"field", rule->field}, {"text", rule->text}, {"source", rule->source});
        }
    }
    json_end();
}

/* One object each, on a line. They return an exit status. */
static int help_json_operator(aic_op op)
{
    const op_sheet *sheet = sheet_of(op);
    json_object(NULL);
    JSON_TEXTS({"operator", sheet->name}, {"about", sheet->about});
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
        JSON_RECORD({"name", sheet_of((aic_op)op)->name}, {"about", sheet_of((aic_op)op)->about});
    }
    json_end();
}

/* ---- commands as JSON ---- */

static void put_option(const args_option *option, bool shared)
{
    static const char *const KINDS[] = {[ARGS_FLAG] = "flag",   [ARGS_TEXT] = "text", [ARGS_INTEGER] = "integer",
                                        [ARGS_REAL] = "number", [ARGS_LIST] = "list", [ARGS_EACH] = "list"};
    json_object(NULL);
    JSON_TEXTS({"name", option->name}, {"kind", KINDS[option->kind]}, {"value", option->value});
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
    JSON_TEXTS({"command", command->name}, {"arguments", command->arguments}, {"summary", command->summary});
    json_array("options");
    for (size_t i = 0; (option = args_option_at(command, i)) != NULL; i++) {
        put_option(option, i >= command->option_count);
    }
    json_end();
    json_end();
}

static int help_json_command(const command_row *command)
{
    args_present(put_command);
    const int status = command_help(command);
    args_present(NULL);
    return status;
}

/* Operators and commands. */
static int help_json_names(void)
{
    const command_row *command;
    json_object(NULL);
    put_operators();
    json_array("commands");
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        JSON_RECORD({"name", command->name}, {"about", command->summary});
    }
    json_end();
    json_end();
    return CLI_DONE;
}

/* Every command with its options, operators by name, the environment. */
static int help_json_all(void)
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
        JSON_RECORD({"name", variable->name}, {"meaning", variable->meaning});
    }
    json_end();
    json_end();
    return status;
}

/* ---- choices as JSON ---- */

static void put_choice(const aic_choice *choice)
{
    const aic_reading *reading;
    json_object(NULL);
    JSON_TEXTS({"key", choice->key}, {"decision", choice->row}, {"meaning", choice->meaning});
    json_array("readings");
    for (size_t i = 0; (reading = aic_reading_at(i)) != NULL; i++) {
        if (strcmp(reading->key, choice->key) == 0) {
            JSON_RECORD({"value", reading->value}, {"origin", reading->origin}, {"meaning", reading->meaning});
        }
    }
    json_end();
    json_end();
}

/* The choices of a profile that differ from the default. Returns an exit status. */
static int profile_choices(const aic_profile *profile, char text[CLI_SEMANTICS_TEXT_MAX])
{
    aic_semantics semantics = aic_semantics_init();
    const aic_status failed = aic_semantics_apply_profile(&semantics, profile->name);
    return cli_status("help", failed != AIC_OK
                                  ? failed
                                  : aic_semantics_print_choices(&semantics, text, CLI_SEMANTICS_TEXT_MAX, NULL));
}

static int help_json_choices(void)
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
        char text[CLI_SEMANTICS_TEXT_MAX] = "";
        status = profile_choices(profile, text);
        JSON_RECORD({"name", profile->name}, {"meaning", profile->meaning}, {"choices", text});
    }
    json_end();
    json_end();
    return status;
}

/* ---- operators ---- */

static void print_rules(const char *op)
{
    const aic_rule *rule;
    printf("\nrules, in the order in which they are checked:\n");
    for (size_t i = 0; (rule = aic_rule_at(i)) != NULL; i++) {
        if (strcmp(rule->op, op) == 0 && strcmp(rule->kind, "rule") == 0) {
            printf("  %s: %s [%s]\n", rule->field, rule->text, rule->source);
        }
    }
    printf("  where defaults and rounding steps come from: aicjit rules %s\n", op);
}

static void print_key(const op_sheet *sheet, size_t index)
{
    const sheet_key *key = &sheet->keys[index];
    char type[512], fallback[64], limits[256];
    sheet_type(sheet, index, type, sizeof type);
    sheet_default(key, fallback, sizeof fallback);
    sheet_limits(sheet, index, limits, sizeof limits);
    printf("  %s=%s  (%s%s%s%s)\n      %s [%s]\n", key->name, type, key->required ? "required" : "default ", fallback,
           limits[0] == '\0' ? "" : "; ", limits, sheet->meanings[index],
           sheet_source(sheet->name, "field", key->name));
}

/* The chains that begin or end with this operator, if there are any. */
static void print_chains(aic_op op)
{
    bool any = false;
    for (int first = AIC_OP_NONE + 1; first < AIC_OP_END; first++) {
        for (int second = AIC_OP_NONE + 1; second < AIC_OP_END; second++) {
            const bool has = first == (int)op || second == (int)op;
            aic_spec *spec = NULL;
            if (has && aic_spec_random_chain((aic_op)first, (aic_op)second, NULL, 1, &spec) == AIC_OK) {
                printf("%s  %s(...) | %s(...)\n", any ? "" : "\nchains, one kernel each:\n", aic_op_name((aic_op)first),
                       aic_op_name((aic_op)second));
                any = true;
            }
            aic_spec_destroy(spec);
        }
    }
    if (any) {
        printf("  and with tensor_arithmetic(...) between, one or several\n");
    }
}

/* The operands of the example. */
static int print_operands(const op_sheet *sheet)
{
    static const char *const directions[] = {
        [AIC_DIRECTION_IN] = "in", [AIC_DIRECTION_OUT] = "out", [AIC_DIRECTION_INOUT] = "in and out"};
    aic_spec *spec = NULL;
    aic_operand operands[AIC_OPERANDS_MAX];
    size_t count = 0;
    aic_status failed = aic_spec_parse(sheet->example, &spec);
    failed = failed == AIC_OK ? aic_spec_operands(spec, NULL, operands, &count) : failed;
    aic_spec_destroy(spec);
    for (size_t i = 0; failed == AIC_OK && i < count; i++) {
        if (operands[i].direction != AIC_DIRECTION_UNUSED) {
            char text[OPERAND_TEXT_MAX];
            operand_text(&operands[i], text);
            printf("  %s: %s, %s\n", operands[i].name, text, directions[operands[i].direction]);
        }
    }
    return cli_status("help", failed);
}

static int print_operator(aic_op op)
{
    const op_sheet *sheet = sheet_of(op);
    printf("%s: %s\n\nkeys:\n", sheet->name, sheet->about);
    for (size_t i = 0; i < sheet->key_count; i++) {
        print_key(sheet, i);
    }
    printf("\noperands, in the order of aic_jit_%s():\n", sheet->name);
    for (size_t i = 0; i < sheet->role_count; i++) {
        const sheet_role *role = &sheet->roles[i];
        printf("  %s  %s\n      %s\n", role->name, role->shape, role->meaning);
    }
    for (const sheet_role *role = sheet->chain_roles; role->name != NULL; role++) {
        printf("%s  %s  %s\n      %s\n", role == sheet->chain_roles ? "\noperands in chains:\n" : "", role->name,
               role->shape, role->meaning);
    }
    print_rules(sheet->name);
    printf("\nexample:\n  aicjit check '%s'\nits operands:\n", sheet->example);
    const int status = print_operands(sheet);
    print_chains(op);
    return status;
}

static void print_operators(void)
{
    printf("operators:\n");
    for (int op = AIC_OP_NONE + 1; op < AIC_OP_END; op++) {
        const op_sheet *sheet = sheet_of((aic_op)op);
        printf("  %-28s %s\n", sheet->name, sheet->about);
    }
}

/* ---- choices ---- */

static int print_choices(void)
{
    const aic_choice *choice;
    const aic_reading *reading;
    printf("choices, what the documents leave open; --choice KEY=VALUE. The first value is the default.\n"
           "--choice stands over --overflow and --rounding, and these over --profile, in whatever order they are "
           "given.\n");
    for (size_t c = 0; (choice = aic_choice_at(c)) != NULL; c++) {
        printf("  %s  (decision %s) %s\n", choice->key, choice->row, choice->meaning);
        for (size_t r = 0; (reading = aic_reading_at(r)) != NULL; r++) {
            if (strcmp(reading->key, choice->key) == 0) {
                printf("      %s  [%s] %s\n", reading->value, reading->origin, reading->meaning);
            }
        }
    }
    printf("\nprofiles, how other sources read them; --profile NAME:\n");
    const aic_profile *profile;
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && (profile = aic_profile_at(i)) != NULL; i++) {
        char text[CLI_SEMANTICS_TEXT_MAX] = "";
        status = profile_choices(profile, text);
        printf("  %s  %s\n      %s\n", profile->name, profile->meaning, text[0] == '\0' ? "(all defaults)" : text);
    }
    return status;
}

/* ---- commands ---- */

enum { NAMES_MAX = 64 };
#define CHOICES "choices"

/* An operator or a command by its name, or which of them may be meant. */
static int help_on(const char *name, bool json)
{
    const char *names[NAMES_MAX];
    size_t count = 0;
    const command_row *command;
    const aic_op op = aic_op_parse(name);
    if (op != AIC_OP_NONE) {
        return json ? help_json_operator(op) : print_operator(op);
    }
    if (strcmp(name, CHOICES) == 0) {
        return json ? help_json_choices() : print_choices();
    }
    for (; count < NAMES_MAX && (command = command_at(count)) != NULL; count++) {
        if (strcmp(command->name, name) == 0) {
            return json ? help_json_command(command) : command_help(command);
        }
        names[count] = command->name;
    }
    for (int i = AIC_OP_NONE + 1; i < AIC_OP_END && count < NAMES_MAX; i++) {
        names[count++] = aic_op_name((aic_op)i);
    }
    names[count - (count == NAMES_MAX)] = CHOICES;
    count += count < NAMES_MAX;
    const char *near = aic_nearest_word(name, names, count);
    return cli_fail(CLI_WRONG, "help: \"%.100s\" is no operator and no command%s%s%s (aicjit list names them)", name,
                    near == NULL ? "" : "; did you mean ", near == NULL ? "" : near, near == NULL ? "" : "?");
}

/* What --format says. */
static int manual_in(const char *format)
{
    static const struct {
        const char *format;
        int (*write)(void);
    } FORMATS[] = {{"man", manual_page}, {"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};
    size_t i = 0;
    while (strcmp(FORMATS[i].format, format) != 0) {
        i++;
    }
    return FORMATS[i].write();
}

static int print_all(void)
{
    command_usage();
    printf("\n");
    print_operators();
    return CLI_DONE;
}

int cmd_help(int argc, char **argv)
{
    args_list names = {0};
    const char *format = NULL;
    bool json = false;
    const args_option options[] = {
        option_flag("--json", "one object, see tools/json.md", &json),
        option_text("--format", "text|man|bash|zsh|fish",
                    "man: the manual page; bash, zsh, fish: completion for that shell (default text)", &format),
    };
    const args_command command = {
        .name = "help",
        .arguments = "[OPERATOR|COMMAND|choices] [OPTION]",
        .summary = "Shows what an operator's keys and operands are, with an example; the options of a command; what "
                   "the documents leave open.",
        ARGS_OPTIONS(options),
    };
    int status = args_parse(&command, argc, argv, 1, &names);
    const bool text = format == NULL || strcmp(format, "text") == 0;
    if (status == CLI_DONE && !text && names.count > 0) {
        status = cli_fail(CLI_WRONG, "help: --format: %s is about all of them, \"%.100s\" is one too many", format,
                          names.items[0]);
    } else if (status == CLI_DONE && !text) {
        status = json ? cli_fail(CLI_WRONG, "help: --json: has no effect with --format %s", format) : manual_in(format);
    } else if (status == CLI_DONE && names.count == 0) {
        status = json ? help_json_all() : print_all();
    } else if (status == CLI_DONE) {
        status = help_on(names.items[0], json);
    }
    return status;
}

int cmd_list(int argc, char **argv)
{
    args_list none = {0};
    bool json = false;
    const args_option options[] = {
        option_flag("--json", "one object, see tools/json.md", &json),
    };
    const args_command command = {
        .name = "list",
        .arguments = "[--json]",
        .summary = "Names all operators and commands.",
        ARGS_OPTIONS(options),
    };
    int status = args_parse(&command, argc, argv, 0, &none);
    if (status == CLI_DONE && json) {
        status = help_json_names();
    } else if (status == CLI_DONE) {
        print_operators();
        printf("\ncommands:\n");
        const command_row *row;
        for (size_t i = 0; (row = command_at(i)) != NULL; i++) {
            printf("  %-28s %s\n", row->name, row->summary);
        }
    }
    return status;
}
