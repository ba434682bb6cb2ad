/* The manual page and the completion of bash. Commands show their options with `help`: what they show goes through
 * args_present(). */
#include "tools/manual.h"

#include "tools/args.h"
#include "tools/command.h"
#include "tools/harness/fail.h"
#include "tools/sheet.h"

#include <stdio.h>
#include <string.h>

/* Has every command, help and list among them, hand its table to `presenter`. */
static int present_all(args_presenter *presenter)
{
    const command_row *command;
    int status = CLI_DONE;
    args_present(presenter);
    for (size_t i = 0; status == CLI_DONE && (command = command_at(i)) != NULL; i++) {
        char name[32], option[] = "--help";
        char *argv[] = {name, option, NULL};
        (void)snprintf(name, sizeof name, "%s", command->name);
        status = command->run(2, argv);
    }
    args_present(NULL);
    return status;
}

/* ---- the manual page ---- */

/* Text as roff takes it: backslashes and hyphens escaped, no line that begins like a request; lines may break behind
 * a bar. */
static void put_roff(const char *text)
{
    bool line_start = true;
    for (; *text != '\0'; text++) {
        if (line_start && (*text == '.' || *text == '\'')) {
            printf("\\&");
        }
        line_start = *text == '\n';
        if (*text == '\\') {
            printf("\\e");
        } else if (*text == '-') {
            printf("\\-");
        } else {
            printf(*text == '|' ? "|\\:" : "%c", *text);
        }
    }
}

/* ".TP", a bold word, an argument, and what they are about. */
static void put_item(const char *word, const char *argument, const char *meaning)
{
    printf(".TP\n\\fB");
    put_roff(word);
    printf("\\fR");
    if (argument != NULL && argument[0] != '\0') {
        printf(" \\fI");
        put_roff(argument);
        printf("\\fR");
    }
    printf("\n");
    put_roff(meaning);
    printf("\n");
}

static void put_command(const args_command *command)
{
    printf(".SS \"aicjit ");
    put_roff(command->name);
    printf(" ");
    put_roff(command->arguments);
    printf("\"\n");
    put_roff(command->summary);
    printf("\n");
    const args_option *option;
    /* The shared options have a section of their own. */
    for (size_t i = 0; i < command->option_count && (option = args_option_at(command, i)) != NULL; i++) {
        put_item(option->name, option->value, option->help);
    }
}

/* What documents leave to the machine: the same for every command that has it. */
static void put_shared(const args_command *command)
{
    static bool done;
    for (size_t i = 0; !done && i < command->shared_count; i++) {
        put_item(command->shared[i].name, command->shared[i].value, command->shared[i].help);
    }
    done = done || command->shared_count > 0;
}

static void put_operator(const op_sheet *sheet)
{
    char type[512], fallback[64], limits[256], argument[900];
    printf(".SS ");
    put_roff(sheet->name);
    printf("\n");
    put_roff(sheet->about);
    printf("\n.br\nExample: ");
    put_roff(sheet->example);
    printf("\n");
    for (size_t i = 0; i < sheet->key_count; i++) {
        const sheet_key *key = &sheet->keys[i];
        sheet_type(sheet, i, type, sizeof type);
        sheet_default(key, fallback, sizeof fallback);
        sheet_limits(sheet, i, limits, sizeof limits);
        (void)snprintf(argument, sizeof argument, "%s (%s%s%s%s)", type, key->required ? "required" : "default ",
                       fallback, limits[0] == '\0' ? "" : "; ", limits);
        put_item(key->name, argument, sheet->meanings[i]);
    }
    for (size_t i = 0; i < sheet->role_count; i++) {
        char text[300];
        (void)snprintf(text, sizeof text, "operand, %s", sheet->roles[i].shape);
        put_item(sheet->roles[i].name, text, sheet->roles[i].meaning);
    }
    for (const sheet_role *role = sheet->chain_roles; role->name != NULL; role++) {
        char text[300];
        (void)snprintf(text, sizeof text, "operand in chains, %s", role->shape);
        put_item(role->name, text, role->meaning);
    }
}

int manual_page(void)
{
    printf(".TH AICJIT 1 \"\" \"aicjit %s\"\n.ad l\n.SH NAME\naicjit \\- machine code for operator kernels, generated "
           "while "
           "the program runs\n.SH SYNOPSIS\n.B aicjit\n.I COMMAND\n[\\fIARGUMENT\\fR]...\n.SH COMMANDS\n",
           aic_version());
    int status = present_all(put_command);
    printf(".SH \"OPTIONS OF EVERY COMMAND ON OPERATORS\"\n");
    status = status == CLI_DONE ? present_all(put_shared) : status;
    printf(".SH OPERATORS\nAn operator is written \\fINAME\\fR(\\fIKEY\\fR=\\fIVALUE\\fR, ...), a chain with \"|\" "
           "between two.\n");
    for (int op = AIC_OP_NONE + 1; op < AIC_OP_END; op++) {
        put_operator(sheet_of((aic_op)op));
    }
    printf(".SH ENVIRONMENT\n");
    const command_variable *variable;
    for (size_t i = 0; (variable = command_variable_at(i)) != NULL; i++) {
        put_item(variable->name, NULL, variable->meaning);
    }
    printf(".SH \"EXIT STATUS\"\n");
    put_item("0", NULL, "done");
    put_item("1", NULL, "a check or comparison failed, or a signal ended the work");
    put_item("2", NULL, "the request is wrong");
    put_item("3", NULL, "the system failed");
    return status;
}

/* ---- completion ---- */

/* A case of the command's options, and one for each that has choices. */
static void put_case(const args_command *command)
{
    const args_option *option;
    printf("    %s) options='", command->name);
    for (size_t i = 0; (option = args_option_at(command, i)) != NULL; i++) {
        printf("%s ", option->name);
    }
    printf("--help' ;;\n");
}

static void put_choices(const args_command *command)
{
    const args_option *option;
    for (size_t i = 0; (option = args_option_at(command, i)) != NULL; i++) {
        if (option->kind == ARGS_TEXT && strchr(option->value, '|') != NULL) {
            printf("    %s:%s) choices='", command->name, option->name);
            for (const char *c = option->value; *c != '\0'; c++) {
                (void)putchar(*c == '|' ? ' ' : *c);
            }
            printf("' ;;\n");
        }
    }
}

static void put_names(const char *variable, bool operators)
{
    const command_row *command;
    printf("    local %s='", variable);
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        printf("%s%s", i == 0 ? "" : " ", command->name);
    }
    for (int op = AIC_OP_NONE + 1; operators && op < AIC_OP_END; op++) {
        printf(" %s", aic_op_name((aic_op)op));
    }
    printf("'\n");
}

int manual_completion(void)
{
    printf("# Completion of aicjit for bash, made by `aicjit help --format bash`.\n_aicjit() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options='' choices=''\n");
    put_names("commands", false);
    put_names("subjects", true);
    printf("    COMPREPLY=()\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$commands --help --version\" -- \"$word\")\n"
           "        return\n    fi\n"
           "    if [ \"${COMP_WORDS[1]}\" = help ] && [[ $word != -* ]]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$subjects\" -- \"$word\")\n"
           "        return\n    fi\n"
           "    case ${COMP_WORDS[1]} in\n");
    int status = present_all(put_case);
    printf("    esac\n    case ${COMP_WORDS[1]}:$before in\n");
    status = status == CLI_DONE ? present_all(put_choices) : status;
    printf("    esac\n"
           "    if [ -n \"$choices\" ]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$choices\" -- \"$word\")\n"
           "    elif [[ $word == -* ]]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
           "    else\n"
           "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
           "    fi\n}\n"
           "complete -o filenames -F _aicjit aicjit\n");
    return status;
}
