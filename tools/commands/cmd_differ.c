/* aicjit differ: where two readings of what the documents leave open part. */
#include "tools/command.h"
#include "tools/harness/fail.h"
#include "tools/harness/stages.h"
#include "tools/json_write.h"
#include "tools/laboratory/differ.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is told of a comparison. */
typedef struct differ_report {
    const differ_case *c;
    char keys[DIFFER_KEYS_MAX];
    char *text, *command; /* the operator, and how to repeat it */
    differ_steps steps;
} differ_report;

static const char *name_of_result(const differ_case *c)
{
    return c->operands.items[c->output].operand.name;
}

/* ---- text ---- */

static void print_operands(const differ_case *c)
{
    for (size_t i = 0; i < c->operands.count; i++) {
        if (c->fill[i][0] != '\0') {
            printf("--fill %s=%s\n", c->operands.items[i].operand.name, c->fill[i]);
        }
    }
}

/* Those that differ first, and how far the results are apart. */
static void print_elements(const differ_case *c)
{
    const compare_report *found = &c->report;
    const int64_t shown = found->different < COMPARE_SHOWN ? found->different : COMPARE_SHOWN;
    if (found->largest_at >= 0) {
        printf("largest difference %.9g at %s, mean %.9g\n", found->largest, differ_element(c, found->largest_at).where,
               found->sum / (double)found->compared);
    }
    printf("element, %s, %s:\n", c->side[0].name, c->side[1].name);
    for (int64_t i = 0; i < shown; i++) {
        const compare_element e = differ_element(c, found->first[i]);
        printf("  %s%s  %s  %s", name_of_result(c), e.where, e.a, e.b);
        if (e.ulp < UINT64_MAX) {
            printf("  %" PRIu64 " ulp", e.ulp);
        }
        printf("\n");
    }
    if (found->different > shown) {
        printf("  ... and %" PRId64 " more\n", found->different - shown);
    }
}

static void print_steps(const differ_report *r)
{
    const char *const titles[] = {r->c->side[0].name, r->c->side[1].name};
    const differ_steps *steps = &r->steps;
    if (steps->rows == NULL) {
        printf("no trace: %s\n", aic_last_error());
        return;
    }
    if (steps->first < steps->count) {
        char name[128];
        differ_steps_name(&steps->rows[steps->first], name, sizeof name);
        printf("they part at the step \"%s\", marked by > below\n", name);
    }
    differ_steps_print(stdout, steps, titles);
}

static void print_report(const differ_report *r)
{
    const differ_case *c = r->c;
    printf("%s\n", r->text);
    printf("choices that part them here: %s\n", r->keys[0] == '\0' ? "none" : r->keys);
    print_operands(c);
    printf("%" PRId64 " elements, %" PRId64 " differ\n", c->report.compared, c->report.different);
    if (c->report.different > 0) {
        print_elements(c);
        print_steps(r);
        printf("again: %s\n", r->command);
    }
}

/* ---- JSON ---- */

/* The keys, each a string: they come as "relu, sum". */
static void put_keys(const char *keys)
{
    json_array("choices");
    for (const char *at = keys; *at != '\0'; at += strspn(at, ", ")) {
        const size_t length = strcspn(at, ",");
        json_piece(NULL, at, length);
        at += length;
    }
    json_end();
}

static void put_operands(const differ_case *c)
{
    json_array("operands");
    for (size_t i = 0; i < c->operands.count; i++) {
        const cli_operand *o = &c->operands.items[i];
        const char *fill = c->fill[i][0] != '\0' ? c->fill[i] : o->fill;
        if (fill != NULL || o->in != NULL) {
            JSON_RECORD({"name", o->operand.name}, {fill != NULL ? "fill" : "in", fill != NULL ? fill : o->in});
        }
    }
    json_end();
}

static void put_first(const differ_case *c)
{
    const compare_element first = differ_element(c, c->report.first[0]);
    json_object("first");
    json_integer("element", c->report.first[0]);
    JSON_TEXTS({"operand", name_of_result(c)}, {"at", first.where}, {"a", first.a}, {"b", first.b});
    json_end();
}

static void put_differences(const differ_report *r)
{
    const differ_case *c = r->c;
    if (c->report.largest_at >= 0) {
        json_real("largest", c->report.largest);
    }
    if (c->report.most_ulp < INT64_MAX) {
        json_integer("ulp", (int64_t)c->report.most_ulp);
    }
    put_first(c);
    if (r->steps.rows != NULL) {
        json_integer("parts_at", (int64_t)r->steps.first);
        differ_steps_json("steps", &r->steps);
    }
}

static void put_report(const differ_report *r)
{
    const differ_case *c = r->c;
    json_object(NULL);
    JSON_TEXTS({"operator", r->text}, {"a", c->side[0].name}, {"b", c->side[1].name});
    put_keys(r->keys);
    put_operands(c);
    json_bool("searched", c->searched);
    json_integer("elements", c->report.compared);
    json_integer("different", c->report.different);
    if (c->report.different > 0) {
        put_differences(r);
    }
    json_text("command", r->command);
    json_end();
}

/* ---- the command ---- */

typedef struct differ_request {
    cli_session session;
    const char *profiles;
    int64_t tries;
    bool matrix, json;
} differ_request;

static int report(const differ_case *c, bool json)
{
    differ_report r = {.c = c};
    int status = differ_keys(c->spec, c->side, r.keys);
    status = status == CLI_DONE && c->report.different > 0 ? differ_trace(c, &r.steps) : status;
    if (status == CLI_DONE) {
        r.text = cli_spec_short_text(c->spec);
        r.command = differ_command(c);
        status = r.text != NULL && r.command != NULL ? CLI_DONE : cli_fail(CLI_SYSTEM, "differ: memory ran out");
    }
    if (status == CLI_DONE) {
        (json ? put_report : print_report)(&r);
        status = c->report.different > 0 ? CLI_MISMATCH : CLI_DONE;
    }
    differ_steps_close(&r.steps);
    free(r.text);
    free(r.command);
    return status;
}

static int differ(differ_request *request, differ_case *c, const char *text)
{
    int status = differ_read_sides(&request->session, request->profiles, c->side);
    status = status == CLI_DONE ? cli_read_spec(&request->session, text, &c->spec) : status;
    if (status == CLI_DONE && !aic_spec_exact(c->spec)) {
        status = cli_fail(CLI_WRONG, "differ: accumulate: %s allows every order of summation, and so many results",
                          aic_word("accumulate", (int)stage_accumulate(c->spec)));
    }
    cli_session_semantics(&request->session);
    cli_semantics_text(&request->session, c->semantics_text);
    status = status == CLI_DONE ? differ_open(c) : status;
    if (status == CLI_DONE) {
        status = request->tries > 0 ? differ_search(c, request->tries) : differ_compare(c);
    }
    return status == CLI_DONE ? report(c, request->json) : status;
}

/* The matrix is of the defaults and operands of its own. */
static int matrix(const differ_request *request, const differ_case *c, size_t texts)
{
    char semantics[CLI_SEMANTICS_TEXT_MAX];
    cli_session session = request->session;
    cli_session_semantics(&session);
    cli_semantics_text(&session, semantics);
    const char *given = texts > 0                                                                   ? "SPEC"
                        : request->profiles != NULL                                                 ? "--profiles"
                        : request->tries > 0                                                        ? "--search"
                        : semantics[0] != '\0'                                                      ? semantics + 1
                        : c->operands.pairs[PAIR_IN].count + c->operands.pairs[PAIR_FILL].count > 0 ? "--fill or --in"
                                                                                                    : NULL;
    return given == NULL
               ? differ_matrix(request->json)
               : cli_fail(CLI_WRONG, "differ: --matrix: takes no %s: it is of all operators and profiles", given);
}

static int run(differ_request *request, differ_case *c, const args_list *texts)
{
    if (request->matrix) {
        return matrix(request, c, texts->count);
    }
    return texts->count > 0 ? differ(request, c, texts->items[0])
                            : cli_fail(CLI_WRONG, "differ: SPEC is missing, or --matrix");
}

int cmd_differ(int argc, char **argv)
{
    differ_request request = {.profiles = NULL};
    differ_case c = {.operands = {.command = "differ"}};
    args_list texts = {0};
    const args_option options[] = {
        option_text("--profiles", "A,B", "the two readings: profiles, PROFILE+KEY=VALUE with choices",
                    &request.profiles),
        CLI_OPTIONS_INPUTS(c.operands),
        option_integer("--search", "N", "look for the smallest operands that part them, in at most N comparisons",
                       &request.tries, 1, 1000000),
        option_flag(
            "--matrix",
            "a table of all operators and profiles, as Markdown: which choices part them, and a smallest example",
            &request.matrix),
        option_flag("--json", "one object", &request.json),
    };
    const args_command command = {.name = "differ",
                                  .arguments = "SPEC --profiles A,B [OPTION]... | --matrix",
                                  .summary = "Compares the results of an operator under two readings.",
                                  ARGS_OPTIONS(options)};
    int status = cli_parse(&request.session, &command, argc, argv, 1, &texts);
    status = status == CLI_DONE ? run(&request, &c, &texts) : status;
    differ_close(&c);
    return status;
}
