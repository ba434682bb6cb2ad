/* The manual page. Commands show their options with `help`: what they show goes through args_present(). */
#include "tools/manual.h"

#include "tools/args.h"
#include "tools/command.h"
#include "tools/harness/fail.h"
#include "tools/sheet.h"

#include <stdio.h>
#include <string.h>

int manual_present_all(args_presenter *presenter)
{
    const command_row *command;
    int status = CLI_DONE;
    args_present(presenter);
    for (size_t i = 0; status == CLI_DONE && (command = command_at(i)) != NULL; i++) {
        status = command_help(command);
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

/* Files that the tool reads and writes by itself. */
static void put_files(void)
{
    printf(".SH FILES\n");
    put_item("~/.cache/aicjit", NULL,
             "kernels and parts of kernels that were made, for the next process; $XDG_CACHE_HOME/aicjit where that is "
             "set, or AIC_CACHE_DIR");
    put_item("libaicjit-codegen.so.*", NULL,
             "the generator, in the library's folder, loaded when a kernel must be made; or AIC_CODEGEN");
    put_item("libaicjit-codegen.so.*.LEVEL.parts", NULL, "beside it, ready-made parts of kernels, a file a level");
    put_item("*.npy, *.bin", NULL, "operands: NumPy's format, or elements alone; written to another name first");
    put_item("FILE of --db or AIC_TUNING_DB", NULL, "tuned schedules, a line an operator, type of core and version");
    put_item("DIR/network.txt", NULL, "a network: a line a kernel, beside its constants as .npy");
    put_item("DIR/manifest.json", NULL, "what golden writes and verify checks");
}

static void put_example(const char *meaning, const char *command)
{
    printf(".PP\n");
    put_roff(meaning);
    printf("\n.PP\n.nf\n");
    put_roff(command);
    printf("\n.fi\n");
}

#define CONV "'conv2d(dtype=int8, fm_shape=[2,14,14,32], kernel_shape=[2,3,3,64,32], pad=[1,1,1,1])'"

static void put_examples(void)
{
    printf(".SH EXAMPLES\n");
    put_example("What an operator's keys are, and a result of it from random operands, as a file of NumPy:",
                "aicjit help conv2d\naicjit run " CONV " --fill feature_map=random:1 --fill weight=random:2 --out "
                "dst=dst.npy");
    put_example("The same by the plain-C reference: exit status 1 where a bit differs:",
                "aicjit run " CONV " --fill feature_map=random:1 --fill weight=random:2 --reference --expect "
                "dst=dst.npy");
    put_example("Every instruction set level against the reference, and every rounding step of one element:",
                "aicjit check " CONV " --isa all\naicjit explain " CONV " --fill feature_map=random:1 --fill "
                "weight=random:2 --at 'dst[0,3,1]'");
    put_example("Speed, and a search for a better schedule, which later runs use:",
                "aicjit bench " CONV " --min-time 0.05 --json\naicjit tune " CONV " --budget 1 --db "
                "tuning.txt\nAIC_TUNING_DB=tuning.txt aicjit explain " CONV " --json");
}

int manual_page(void)
{
    printf(".TH AICJIT 1 \"\" \"aicjit %s\"\n.ad l\n.SH NAME\naicjit \\- machine code for operator kernels, generated "
           "while "
           "the program runs\n.SH SYNOPSIS\n.B aicjit\n.I COMMAND\n[\\fIARGUMENT\\fR]...\n.SH COMMANDS\n",
           aic_version());
    int status = manual_present_all(put_command);
    printf(".SH \"OPTIONS OF EVERY COMMAND ON OPERATORS\"\n");
    status = status == CLI_DONE ? manual_present_all(put_shared) : status;
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
    put_files();
    printf(".SH \"EXIT STATUS\"\n");
    put_item("0", NULL, "done");
    put_item("1", NULL, "a check or comparison failed, or a signal ended the work");
    put_item("2", NULL, "the request is wrong");
    put_item("3", NULL, "the system failed");
    put_examples();
    printf(
        ".SH \"JSON\"\nWith \\fB\\-\\-json\\fR results are for programs. list, help, info and differ print one object, "
        "explain, bench and rules one a line. Members are described in tools/json.md of the sources; new ones may "
        "come, none goes before the next major version.\n");
    return status;
}
