/* Completion for bash, zsh and fish: commands, their options, the words that options take, operators where a
 * specification stands, files elsewhere. */
#include "tools/command.h"
#include "tools/harness/fail.h"
#include "tools/manual.h"

#include <aic/aic.h>
#include <stdio.h>
#include <string.h>

/* ---- the words that may stand somewhere ---- */

typedef void put_word(const char *word, size_t length);

static void put_whole(put_word *put, const char *word)
{
    put(word, strlen(word));
}

static void put_pieces(put_word *put, const char *words)
{
    while (*words != '\0') {
        const size_t length = strcspn(words, "|");
        put(words, length);
        words += length + (words[length] == '|');
    }
}

static void put_levels(put_word *put)
{
    const char *level;
    for (size_t i = 0; (level = aic_isa_name(i)) != NULL; i++) {
        put_whole(put, level);
    }
}

static void put_operators(put_word *put)
{
    for (int op = AIC_OP_NONE + 1; op < AIC_OP_END; op++) {
        put_whole(put, aic_op_name((aic_op)op));
    }
}

static void put_commands(put_word *put)
{
    const command_row *command;
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        put_whole(put, command->name);
    }
}

static void put_profiles(put_word *put)
{
    const aic_profile *profile;
    for (size_t i = 0; (profile = aic_profile_at(i)) != NULL; i++) {
        put_whole(put, profile->name);
    }
}

/* The words that an option takes; false where they are no list, such as names of files. */
static bool put_values(const args_option *option, put_word *put)
{
    if (option->kind == ARGS_FLAG || option->value == NULL) {
        return false;
    }
    if (strncmp(option->value, "LEVEL", 5) == 0) {
        put_levels(put);
        if (strstr(option->value, "all") != NULL) {
            put_whole(put, "all");
        }
    } else if (strcmp(option->name, "--op") == 0) {
        put_operators(put);
    } else if (strcmp(option->name, "--profile") == 0) {
        put_profiles(put);
    } else if (option->kind == ARGS_TEXT && strchr(option->value, '|') != NULL) {
        put_pieces(put, option->value);
    } else {
        return false;
    }
    return true;
}

static void put_nothing(const char *word, size_t length)
{
    (void)word, (void)length;
}

static bool has_values(const args_option *option)
{
    return put_values(option, put_nothing);
}

static bool takes_file(const args_option *option)
{
    return option->value != NULL && (strstr(option->value, "FILE") != NULL || strstr(option->value, "DIR") != NULL);
}

/* What stands where no option does. */
static void put_subjects(const args_command *command, put_word *put)
{
    if (strcmp(command->name, "help") == 0) {
        put_commands(put), put_operators(put), put_whole(put, "choices");
    } else if (strcmp(command->name, "rules") == 0) {
        put_operators(put), put_whole(put, "semantics"), put_whole(put, "request");
    }
}

static bool has_subjects(const args_command *command)
{
    return strcmp(command->name, "help") == 0 || strcmp(command->name, "rules") == 0;
}

static bool takes_spec(const args_command *command)
{
    return strstr(command->arguments, "SPEC") != NULL;
}

static void put_spaced(const char *word, size_t length)
{
    printf("%.*s ", (int)length, word);
}

/* Text between single quotes; `special` are letters that get a backslash, `quote` stands for a quotation mark. */
static void put_quoted(const char *text, const char *special, const char *quote)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            printf("%s", quote);
        } else {
            printf(strchr(special, *text) != NULL ? "\\%c" : "%c", *text == '\n' ? ' ' : *text);
        }
    }
}

/* ---- bash ---- */

/* A case of the command's options, and one for each that has words. */
static void put_bash_case(const args_command *command)
{
    const args_option *option;
    printf("    %s) options='", command->name);
    for (size_t i = 0; (option = args_option_at(command, i)) != NULL; i++) {
        printf("%s ", option->name);
    }
    printf("--help'");
    if (has_subjects(command)) {
        printf(" subjects='");
        put_subjects(command, put_spaced);
        printf("'");
    } else if (takes_spec(command)) {
        printf(" specs=$operators");
    }
    printf(" ;;\n");
}

static void put_bash_values(const args_command *command)
{
    const args_option *option;
    for (size_t i = 0; (option = args_option_at(command, i)) != NULL; i++) {
        if (has_values(option)) {
            printf("    %s:%s) choices='", command->name, option->name);
            (void)put_values(option, put_spaced);
            printf("' ;;\n");
        }
    }
}

int completion_bash(void)
{
    printf("# Completion of aicjit for bash, made by `aicjit help --format bash`.\n_aicjit() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    local options='' choices='' subjects='' specs='' found\n    local commands='");
    put_commands(put_spaced);
    printf("'\n    local operators='");
    put_operators(put_spaced);
    printf("'\n    COMPREPLY=()\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$commands --help --version\" -- \"$word\")\n"
           "        return\n    fi\n"
           "    case ${COMP_WORDS[1]} in\n");
    int status = manual_present_all(put_bash_case);
    printf("    esac\n    case ${COMP_WORDS[1]}:$before in\n");
    status = status == CLI_DONE ? manual_present_all(put_bash_values) : status;
    printf("    esac\n"
           "    if [ -n \"$choices\" ]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$choices\" -- \"$word\")\n"
           "    elif [[ $word == -* ]]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
           "    elif [ -n \"$subjects\" ]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$subjects\" -- \"$word\")\n"
           "    else\n"
           "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
           "        if [[ $before != -* ]]; then\n"
           "            for found in $(compgen -W \"$specs\" -- \"$word\"); do COMPREPLY+=(\"$found(\"); done\n"
           "        fi\n"
           "    fi\n}\n"
           "complete -o filenames -F _aicjit aicjit\n");
    return status;
}

/* ---- zsh ---- */

#define ZSH_QUOTE "'\\''"

static void put_zsh_option(const args_option *option)
{
    const bool many = option->kind == ARGS_LIST || option->kind == ARGS_EACH;
    printf(" \\\n            '%s%s[", many ? "*" : "", option->name);
    put_quoted(option->help, "[]:\\", ZSH_QUOTE);
    printf("]");
    if (option->kind != ARGS_FLAG) {
        printf(":");
        put_quoted(option->value, "[]:\\", ZSH_QUOTE);
        printf(":");
        if (has_values(option)) {
            printf("(");
            (void)put_values(option, put_spaced);
            printf(")");
        } else if (takes_file(option)) {
            printf("_files");
        }
    }
    printf("'");
}

static void put_zsh_case(const args_command *command)
{
    const args_option *option;
    printf("    %s)\n        _arguments '--help[this text]'", command->name);
    for (size_t i = 0; (option = args_option_at(command, i)) != NULL; i++) {
        put_zsh_option(option);
    }
    printf(" \\\n            ");
    if (has_subjects(command)) {
        printf("'*:subject:(");
        put_subjects(command, put_spaced);
        printf(")'");
    } else {
        printf("'*:argument:%s'", takes_spec(command) ? "_aicjit_specs" : "_files");
    }
    printf(" ;;\n");
}

int completion_zsh(void)
{
    const command_row *command;
    printf("#compdef aicjit\n# Completion of aicjit for zsh, made by `aicjit help --format zsh`.\n"
           "_aicjit_specs() {\n    compadd -S '' -- ");
    for (int op = AIC_OP_NONE + 1; op < AIC_OP_END; op++) {
        printf("'%s(' ", aic_op_name((aic_op)op));
    }
    printf("\n    _files\n}\n\n_aicjit() {\n    local -a commands\n    commands=(\n");
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        printf("        '%s:", command->name);
        put_quoted(command->summary, ":\\", ZSH_QUOTE);
        printf("'\n");
    }
    printf("    )\n    if ((CURRENT == 2)); then\n        _describe command commands\n"
           "        compadd -- --help --version\n        return\n    fi\n"
           "    local name=$words[2]\n    shift words\n    ((CURRENT--))\n    case $name in\n");
    const int status = manual_present_all(put_zsh_case);
    printf("    esac\n}\n\n_aicjit \"$@\"\n");
    return status;
}

/* ---- fish ---- */

static void put_fish_option(const args_command *command, const args_option *option)
{
    printf("complete -c aicjit -n '__fish_seen_subcommand_from %s' ", command->name);
    printf(option->name[1] == '-' ? "-l %s" : "-s %s", option->name + (option->name[1] == '-' ? 2 : 1));
    if (has_values(option)) {
        printf(" -x -a '");
        (void)put_values(option, put_spaced);
        printf("'");
    } else if (option->kind != ARGS_FLAG) {
        printf(takes_file(option) ? " -r -F" : " -x");
    }
    printf(" -d '");
    put_quoted(option->help, "\\", "\\'");
    printf("'\n");
}

static void put_fish_case(const args_command *command)
{
    const args_option *option;
    for (size_t i = 0; (option = args_option_at(command, i)) != NULL; i++) {
        put_fish_option(command, option);
    }
    printf("complete -c aicjit -n '__fish_seen_subcommand_from %s' -l help -d 'this text'\n", command->name);
    if (has_subjects(command)) {
        printf("complete -c aicjit -n '__fish_seen_subcommand_from %s' -f -a '", command->name);
        put_subjects(command, put_spaced);
        printf("'\n");
    } else if (takes_spec(command)) {
        printf("complete -c aicjit -n '__fish_seen_subcommand_from %s' -a '", command->name);
        for (int op = AIC_OP_NONE + 1; op < AIC_OP_END; op++) {
            printf("%s\\( ", aic_op_name((aic_op)op));
        }
        printf("'\n");
    }
}

int completion_fish(void)
{
    const command_row *command;
    printf("# Completion of aicjit for fish, made by `aicjit help --format fish`.\n");
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        printf("complete -c aicjit -n __fish_use_subcommand -f -a %s -d '", command->name);
        put_quoted(command->summary, "\\", "\\'");
        printf("'\n");
    }
    printf("complete -c aicjit -n __fish_use_subcommand -l version -d 'version of the library and of LLVM'\n");
    return manual_present_all(put_fish_case);
}
