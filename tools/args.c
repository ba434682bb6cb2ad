/* Option parsing by table. Every message names the option, the value it got and what is legal. */
#include "tools/args.h"

#include "tools/harness/fail.h"

#include <aic/tool.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where parsing stands. */
typedef struct args_state {
    const args_command *command;
    int argc, next;
    char **argv;
    bool given[ARGS_OPTIONS_MAX]; /* by option index: options that may be given once */
} args_state;

static bool list_add(args_list *list, const char *item)
{
    const char **items = realloc(list->items, (list->count + 1) * sizeof *items);
    if (items == NULL) {
        return false;
    }
    list->items = items;
    items[list->count++] = item;
    return true;
}

void args_list_free(args_list *list)
{
    free(list->items);
    *list = (args_list){0};
}

int args_refuse(const char *command, const args_refusal *refusals, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (refusals[i].found) {
            return cli_fail(CLI_WRONG, "%s: %s", command, refusals[i].message);
        }
    }
    return CLI_DONE;
}

bool args_split(const char *pair, size_t *name_length, const char **value)
{
    const char *equals = strchr(pair, '=');
    if (equals == NULL || equals == pair) {
        return false;
    }
    *name_length = (size_t)(equals - pair);
    *value = equals + 1;
    return true;
}

const args_option *args_option_at(const args_command *command, size_t index)
{
    if (index < command->option_count) {
        return &command->options[index];
    }
    index -= command->option_count;
    return index < command->shared_count ? &command->shared[index] : NULL;
}

/* An option and what it means: beside it, or below one that is longer than the column. */
static void print_option(const char *name, const char *value, const char *help)
{
    enum { COLUMN = 28 };
    const int length = printf("  %s%s%s", name, value == NULL ? "" : " ", value == NULL ? "" : value);
    if (length > COLUMN + 1) {
        printf("\n%*s", COLUMN + 3, "");
    } else {
        printf("%*s", COLUMN + 3 - length, "");
    }
    printf("%s\n", help);
}

static void print_help(const args_command *command)
{
    printf("usage: aicjit %s %s\n%s\n", command->name, command->arguments, command->summary);
    if (strstr(command->arguments, "SPEC") != NULL) {
        printf("SPEC is operator text, \"OPERATOR(KEY=VALUE, ...)\", or a chain, \"... | ...\"; aicjit list names the\n"
               "operators, aicjit help OPERATOR its keys.\n");
    }
    for (size_t i = 0; i < command->option_count; i++) {
        print_option(command->options[i].name, command->options[i].value, command->options[i].help);
    }
    print_option("--help", NULL, "this text");
    if (command->shared_count > 0) {
        printf("what the documents leave to the machine, in every command on operators:\n");
    }
    for (size_t i = 0; i < command->shared_count; i++) {
        print_option(command->shared[i].name, command->shared[i].value, command->shared[i].help);
    }
}

static args_presenter *present = print_help;

void args_present(args_presenter *presenter)
{
    present = presenter == NULL ? print_help : presenter;
}

/* Whether `choices`, "a|b|c", contains `text`. */
static bool is_choice(const char *choices, const char *text)
{
    size_t length = strlen(text);
    for (const char *at = choices; at != NULL; at = strchr(at, '|')) {
        at += *at == '|';
        if (length > 0 && strncmp(at, text, length) == 0 && (at[length] == '|' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static int store_integer(const args_command *command, const args_option *option, const char *text)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    bool digits = (text[0] >= '0' && text[0] <= '9') || text[0] == '-';
    if (!digits || *end != '\0' || errno != 0 || value < option->low || value > option->high) {
        return cli_fail(CLI_WRONG, "%s: %s: \"%s\" is not an integer in %" PRId64 "..%" PRId64, command->name,
                        option->name, text, option->low, option->high);
    }
    *(int64_t *)option->target = value;
    return CLI_DONE;
}

static int store_real(const args_command *command, const args_option *option, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    bool digits = (text[0] >= '0' && text[0] <= '9') || text[0] == '.';
    const bool bounded = option->high != INT64_MAX, number = digits && *end == '\0' && isfinite(value);
    if (!bounded && (!number || value < (double)option->low)) {
        return cli_fail(CLI_WRONG, "%s: %s: \"%s\" is not a finite number from %" PRId64 " on", command->name,
                        option->name, text, option->low);
    }
    if (bounded && (!number || value < (double)option->low || value > (double)option->high)) {
        return cli_fail(CLI_WRONG, "%s: %s: \"%s\" is not a number in %" PRId64 "..%" PRId64, command->name,
                        option->name, text, option->low, option->high);
    }
    *(double *)option->target = value;
    return CLI_DONE;
}

static int store_text(const args_command *command, const args_option *option, const char *text)
{
    if (strchr(option->value, '|') != NULL && !is_choice(option->value, text)) {
        return cli_fail(CLI_WRONG, "%s: %s: \"%s\" is none of %s", command->name, option->name, text, option->value);
    }
    *(const char **)option->target = text;
    return CLI_DONE;
}

static int store_item(const args_command *command, const args_option *option, const char *text)
{
    return list_add(option->target, text) ? CLI_DONE
                                          : cli_fail(CLI_SYSTEM, "%s: %s: memory ran out", command->name, option->name);
}

static int store_each(const args_command *command, const args_option *option, const char *text)
{
    const args_each *each = option->target;
    return each->take(each->to, command->name, text);
}

/* Stores the value of an option; `inline_value` is what followed "--name=", NULL without. */
static int take_option(args_state *state, size_t index, const char *inline_value)
{
    static int (*const store[])(const args_command *, const args_option *,
                                const char *) = {[ARGS_TEXT] = store_text,
                                                 [ARGS_INTEGER] = store_integer,
                                                 [ARGS_REAL] = store_real,
                                                 [ARGS_LIST] = store_item,
                                                 [ARGS_EACH] = store_each};
    const args_command *command = state->command;
    const args_option *option = args_option_at(command, index);
    if (option->kind != ARGS_LIST && option->kind != ARGS_EACH && state->given[index]) {
        return cli_fail(CLI_WRONG, "%s: %s is given twice", command->name, option->name);
    }
    state->given[index] = true;
    if (option->kind == ARGS_FLAG) {
        if (inline_value != NULL) {
            return cli_fail(CLI_WRONG, "%s: %s takes no value, got \"%s\"", command->name, option->name, inline_value);
        }
        *(bool *)option->target = true;
        return CLI_DONE;
    }
    if (inline_value == NULL) {
        if (state->next >= state->argc) {
            return cli_fail(CLI_WRONG, "%s: %s: its value %s is missing", command->name, option->name, option->value);
        }
        inline_value = state->argv[state->next++];
    }
    return store[option->kind](command, option, inline_value);
}

static int fail_unknown(const args_command *command, const char *argument, size_t length)
{
    char given[101];
    const char *names[ARGS_OPTIONS_MAX];
    const args_option *option;
    size_t count = 0;
    for (; count < ARGS_OPTIONS_MAX && (option = args_option_at(command, count)) != NULL; count++) {
        names[count] = option->name;
    }
    (void)snprintf(given, sizeof given, "%.*s", (int)length, argument);
    const char *near = aic_nearest_word(given, names, count);
    return cli_fail(CLI_WRONG, "%s: unknown option \"%s\"%s%s%s (aicjit %s --help lists them)", command->name, given,
                    near == NULL ? "" : "; did you mean ", near == NULL ? "" : near, near == NULL ? "" : "?",
                    command->name);
}

static int parse_option(args_state *state, const char *argument)
{
    const args_command *command = state->command;
    const char *equals = strncmp(argument, "--", 2) == 0 ? strchr(argument, '=') : NULL;
    size_t length = equals == NULL ? strlen(argument) : (size_t)(equals - argument);
    const args_option *option;
    for (size_t i = 0; (option = args_option_at(command, i)) != NULL; i++) {
        if (strlen(option->name) == length && memcmp(option->name, argument, length) == 0) {
            return take_option(state, i, equals == NULL ? NULL : equals + 1);
        }
    }
    return fail_unknown(command, argument, length > 100 ? 100 : length);
}

int args_parse(const args_command *command, int argc, char **argv, size_t most, args_list *positional)
{
    args_state state = {.command = command, .argc = argc, .next = 1, .argv = argv};
    bool options_end = false;
    *positional = (args_list){.items = (const char **)(void *)(argv + 1)};
    while (state.next < argc) {
        const char *argument = argv[state.next++];
        int status = CLI_DONE;
        if (options_end || argument[0] != '-' || argument[1] == '\0') {
            if (positional->count == most) {
                return cli_fail(CLI_WRONG, "%s: argument \"%.100s\" is one too many (at most %zu)", command->name,
                                argument, most);
            }
            positional->items[positional->count++] = argument;
        } else if (strcmp(argument, "--") == 0) {
            options_end = true;
        } else if (strcmp(argument, "--help") == 0) {
            present(command);
            return ARGS_HELP_SHOWN;
        } else {
            status = parse_option(&state, argument);
        }
        if (status != CLI_DONE) {
            return status;
        }
    }
    return CLI_DONE;
}
