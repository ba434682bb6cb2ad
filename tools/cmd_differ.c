/* aicjit differ: where two readings of what the documents leave open part. */
#include "tools/command.h"
#include "tools/differ.h"
#include "tools/harness/fail.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_operands(const differ_case *c)
{
    for (size_t i = 0; i < c->operands.count; i++) {
        if (c->fill[i][0] != '\0') {
            printf("--fill %s=%s\n", c->operands.items[i].operand.name, c->fill[i]);
        }
    }
    if (c->kept >= 0) {
        printf("of these %" PRId64 " elements other than 0 suffice\n", c->kept);
    }
}

static int print_traces(const differ_case *c)
{
    int status = CLI_DONE;
    for (size_t s = 0; status == CLI_DONE && s < 2; s++) {
        char *text = NULL;
        status = differ_trace(c, s, c->report.first[0], &text);
        if (status == CLI_DONE && text == NULL) {
            printf("no trace: %s\n", aic_last_error());
            return CLI_DONE;
        }
        if (text != NULL) {
            printf("%s:\n", c->side[s].name);
            cli_put(text, strlen(text));
        }
        free(text);
    }
    return status;
}

static int report(const differ_case *c)
{
    const cli_operand *o = &c->operands.items[c->output];
    char keys[DIFFER_KEYS_MAX];
    const int status = differ_keys(&c->spec, c->side, keys);
    if (status != CLI_DONE) {
        return status;
    }
    printf("choices that part them here: %s\n", keys[0] == '\0' ? "none" : keys);
    print_operands(c);
    printf("%" PRId64 " elements, %" PRId64 " differ\n", c->report.compared, c->report.different);
    if (c->report.different == 0) {
        return CLI_DONE;
    }
    compare_print(&o->operand, &o->coordinates, c->result[0].data, c->result[1].data, &c->report);
    const int traced = print_traces(c);
    return traced == CLI_DONE ? CLI_MISMATCH : traced;
}

static int differ(const cli_session *session, differ_case *c, const char *profiles, const char *text, int64_t tries)
{
    int status = differ_read_sides(session, profiles, c->side);
    status = status == CLI_DONE ? cli_read_spec(session, text, &c->spec) : status;
    if (status == CLI_DONE && !aic_spec_exact(&c->spec)) {
        status = cli_fail(CLI_WRONG, "differ: accumulate: fast allows every order of summation, and so many results");
    }
    status = status == CLI_DONE ? differ_open(c) : status;
    status = status != CLI_DONE ? status : tries > 0 ? differ_search(c, tries) : differ_compare(c);
    return status == CLI_DONE ? report(c) : status;
}

int cmd_differ(int argc, char **argv)
{
    cli_session session = {0};
    differ_case c = {.operands = {.command = "differ"}};
    args_list texts = {0};
    const char *profiles = NULL;
    int64_t tries = 0;
    const args_option options[] = {
        {.name = "--profiles",
         .value = "A,B",
         .help = "the two readings: profiles, PROFILE+KEY=VALUE with choices",
         .kind = ARGS_TEXT,
         .target = &profiles},
        CLI_OPTIONS_INPUTS(c.operands),
        {.name = "--search",
         .value = "N",
         .help = "look for few elements that part them, in at most N comparisons",
         .kind = ARGS_INTEGER,
         .target = &tries,
         .low = 1,
         .high = 1000000},
    };
    args_option semantics[CLI_SHARED];
    cli_semantics_options(&session, semantics);
    const args_command command = {.name = "differ",
                                  .arguments = "SPEC --profiles A,B [OPTION]...",
                                  .summary = "Compares the results of an operator under two readings.",
                                  .options = options,
                                  .option_count = sizeof options / sizeof options[0],
                                  .shared = semantics,
                                  .shared_count = CLI_SHARED};
    int status = args_parse(&command, argc, argv, 1, &texts);
    if (status == CLI_DONE && texts.count == 0) {
        status = cli_fail(CLI_WRONG, "differ: SPEC is missing");
    }
    status = status == CLI_DONE ? differ(&session, &c, profiles, texts.items[0], tries) : status;
    differ_close(&c);
    args_list_free(&texts);
    return status == ARGS_HELP_SHOWN ? CLI_DONE : status;
}
