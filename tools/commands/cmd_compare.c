/* aicjit compare: two tensor files, element by element. */
#include "tools/command.h"
#include "tools/harness/compare.h"
#include "tools/harness/fail.h"
#include "tools/harness/operand_file.h"
#include "tools/harness/operand_text.h"
#include "tools/laboratory/spread.h"
#include "tools/laboratory/tracing.h"
#include "tools/operands.h"
#include "tools/report/page.h"
#include "tools/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct compare_state {
    const char *dtype;
    compare_limits limits;
    /* With --spec the tensors are an operand of it: the result, or the one that --operand names. */
    const char *text, *name, *report_path;
    cli_session session;
    aic_spec *spec;
    cli_operands operands;
    size_t chosen;
    const char *files[2];
    aic_operand tensor[2];
    guard_buffer buffer[2], marks;
    aic_coordinates coordinates;
    compare_report report;
    spread where;
    char *trace; /* of the first difference, NULL: none */
    outfile page;
} compare_state;

static int find_dtype(const char *name, aic_dtype *dtype)
{
    *dtype = name == NULL ? AIC_DTYPE_NONE : aic_dtype_parse(name);
    return name == NULL || *dtype != AIC_DTYPE_NONE
               ? CLI_DONE
               : cli_fail(CLI_WRONG, "compare: --dtype: \"%.100s\" is no element type", name);
}

/* Whether both have the same axes, but for axes of 1 in front, or one of them has but one axis. */
static bool comparable(const aic_operand *a, const aic_operand *b)
{
    if (a->elements != b->elements) {
        return false;
    }
    int32_t i = a->rank, j = b->rank;
    bool same = true;
    while (same && i > 0 && j > 0) {
        same = a->shape[--i] == b->shape[--j];
    }
    return same || a->rank <= 1 || b->rank <= 1;
}

/* ---- tensors ---- */

/* Files on their own: their headers say what they hold. */
static int read_tensors(compare_state *state)
{
    aic_dtype dtype = AIC_DTYPE_NONE;
    char text[2][OPERAND_TEXT_MAX];
    int status = find_dtype(state->dtype, &dtype);
    for (size_t i = 0; status == CLI_DONE && i < 2; i++) {
        status = tensor_read(state->files[i], dtype, &state->tensor[i], &state->buffer[i]);
        operand_text(&state->tensor[i], text[i]);
    }
    if (status != CLI_DONE) {
        return status;
    }
    if (state->tensor[0].dtype != state->tensor[1].dtype || !comparable(&state->tensor[0], &state->tensor[1])) {
        printf("different tensors: %s and %s\n", text[0], text[1]);
        return CLI_MISMATCH;
    }
    /* Coordinates are those of the tensor that has more axes. */
    const aic_operand *shaped = &state->tensor[state->tensor[1].rank > state->tensor[0].rank];
    state->tensor[0].rank = shaped->rank;
    for (int32_t d = 0; d < shaped->rank; d++) {
        state->tensor[0].shape[d] = shaped->shape[d];
    }
    state->coordinates = coordinates_of_tensor(&state->tensor[0]);
    return CLI_DONE;
}

/* The operand that the files hold. */
static int choose_operand(compare_state *state)
{
    const cli_operands *set = &state->operands;
    for (size_t i = 0; i < set->count; i++) {
        const aic_operand *o = &set->items[i].operand;
        const bool wanted =
            state->name == NULL ? (o->direction & AIC_DIRECTION_OUT) != 0 : strcmp(o->name, state->name) == 0;
        if (wanted && o->direction != AIC_DIRECTION_UNUSED) {
            state->chosen = i;
            return CLI_DONE;
        }
    }
    return cli_fail(CLI_WRONG, "compare: --operand: \"%.100s\" is no operand of this descriptor", state->name);
}

/* Files of an operand: what fits it is accepted, and coordinates are the document's. */
static int read_operands(compare_state *state)
{
    cli_session_semantics(&state->session); /* of the reference; no kernel is made */
    int status = cli_parse_spec(&state->session, state->text, &state->spec);
    status =
        status == CLI_DONE ? operands_list(&state->operands, state->spec, &state->session.semantics, NULL) : status;
    status = status == CLI_DONE ? choose_operand(state) : status;
    if (status != CLI_DONE) {
        return status;
    }
    const cli_operand *chosen = &state->operands.items[state->chosen];
    state->tensor[0] = state->tensor[1] = chosen->operand;
    state->coordinates = chosen->coordinates;
    for (size_t i = 0; status == CLI_DONE && i < 2; i++) {
        status = cli_memory(&state->buffer[i], chosen->operand.name, (uint64_t)chosen->operand.bytes);
        status = status == CLI_DONE ? operand_read(&chosen->operand, state->files[i], state->buffer[i].data) : status;
    }
    return status;
}

/* ---- the report ---- */

static void print_report(const compare_state *state)
{
    const aic_operand *a = &state->tensor[0];
    const compare_report *found = &state->report;
    char names[OPERAND_TEXT_MAX];
    printf("%" PRId64 " elements, %" PRId64 " differ\n", found->compared, found->different);
    if (found->largest_at >= 0) {
        char where[OPERAND_TEXT_MAX];
        coordinates_text(&state->coordinates, found->largest_at, where);
        printf("largest difference %.9g at %s, mean %.9g", found->largest, where, found->sum / (double)found->compared);
        if (found->most_ulp != UINT64_MAX) {
            printf(", at most %" PRIu64 " ulp", found->most_ulp);
        }
        printf("\n");
    }
    coordinates_names(&state->coordinates, names);
    if (found->different > 0 && names[0] != '\0') {
        printf("coordinates: %s\n", names);
    }
    compare_print(a, &state->coordinates, state->buffer[0].data, state->buffer[1].data, found);
    if (found->different > 0) {
        spread_print(&state->where);
    }
    if (state->trace != NULL) {
        printf("the first difference, by the reference:\n");
        cli_put(state->trace, strlen(state->trace));
    }
}

/* How the first element that differs comes about, where the operands are known. */
static int trace_first(compare_state *state)
{
    cli_operands *set = &state->operands;
    const bool given = set->pairs[PAIR_IN].count + set->pairs[PAIR_FILL].count > 0;
    const bool result = state->text != NULL && (set->items[state->chosen].operand.direction & AIC_DIRECTION_OUT) != 0;
    if (!given || !result || state->report.different == 0) {
        return CLI_DONE;
    }
    int status = operands_bind(set);
    status = status == CLI_DONE ? operands_load(set) : status;
    if (status == CLI_DONE && !aic_spec_exact(state->spec)) { /* what the kernel gives is of interest, too */
        status = cli_session_open(&state->session);
    }
    if (status != CLI_DONE) {
        return status;
    }
    return cli_trace("compare", state->session.context, state->spec, &state->session.semantics, set,
                     state->report.first[0], &state->trace);
}

static int write_page(compare_state *state)
{
    if (state->report_path == NULL) {
        return CLI_DONE;
    }
    const spread_page page = {.spread = &state->where,
                              .report = &state->report,
                              .files = {state->files[0], state->files[1]},
                              .operator_text = state->text,
                              .trace = state->trace};
    return page_write(&state->page, "--report", spread_page_write, &page);
}

static int compare_files(compare_state *state)
{
    int status = state->report_path == NULL ? CLI_DONE : outfile_open(&state->page, "--report", state->report_path);
    status = status != CLI_DONE ? status : state->text != NULL ? read_operands(state) : read_tensors(state);
    if (status != CLI_DONE) {
        return status;
    }
    const aic_operand *a = &state->tensor[0];
    if (!guard_open(&state->marks, (size_t)a->elements, 1, GUARD_BEFORE)) {
        return cli_fail_memory("compare", (uint64_t)a->elements);
    }
    compare_tensors(a, state->buffer[0].data, state->buffer[1].data, NULL, &state->limits, &state->report,
                    state->marks.data);
    status = spread_open(&state->where, a, &state->coordinates, state->buffer[0].data, state->buffer[1].data,
                         state->marks.data);
    status = status == CLI_DONE ? trace_first(state) : status;
    status = status == CLI_DONE ? write_page(state) : status;
    if (status != CLI_DONE) {
        return status;
    }
    print_report(state);
    return state->report.different > 0 ? CLI_MISMATCH : CLI_DONE;
}

static void close_state(compare_state *state)
{
    spread_close(&state->where);
    guard_close(&state->buffer[0]);
    guard_close(&state->buffer[1]);
    guard_close(&state->marks);
    outfile_close(&state->page);
    operands_close(&state->operands);
    cli_session_close(&state->session);
    aic_spec_destroy(state->spec);
    free(state->trace);
}

/* What options have to do with each other. */
static int check_options(const compare_state *state, size_t files)
{
    const cli_operands *set = &state->operands;
    if (files != 2) {
        return cli_fail(CLI_WRONG, "compare: two files A and B are needed, %zu given", files);
    }
    const bool spec = state->text != NULL;
    const args_refusal refusals[] = {
        {!spec && state->name != NULL, "--operand: has no effect without --spec"},
        {!spec && set->pairs[PAIR_IN].count + set->pairs[PAIR_FILL].count + set->scales.count > 0,
         "operands have no effect without --spec"},
        {spec && state->dtype != NULL, "--dtype: has no effect with --spec, which says what the files hold"},
    };
    return ARGS_REFUSE("compare", refusals);
}

int cmd_compare(int argc, char **argv)
{
    compare_state state = {.operands.command = "compare", .page.fd = -1};
    args_list files = {0};
    const args_option options[] = {
        option_text("--dtype", "T", "element type: of .bin files, and bfloat16 of .npy files", &state.dtype),
        option_real("--atol", "X", "differences of finite numbers up to X + rtol*|b| are none (default 0)",
                    &state.limits.atol, 0, INT64_MAX),
        option_real("--rtol", "X", "see --atol (default 0)", &state.limits.rtol, 0, INT64_MAX),
        option_integer("--ulp", "N", "elements up to N values of their type apart count as equal (default 0)",
                       &state.limits.ulp, 0, INT64_MAX),
        option_text(
            "--spec", "SPEC",
            "the files are a result of this operator: coordinates are the document's, and with its inputs the first "
            "difference is traced",
            &state.text),
        option_text("--operand", "NAME", "they are this operand of it", &state.name),
        CLI_OPTIONS_INPUTS(state.operands),
        option_text("--report", "FILE.html", "write a page: where and how far they differ, with a heat map",
                    &state.report_path),
    };
    const args_command command = {
        .name = "compare",
        .arguments = "A B [OPTION]...",
        .summary =
            "Compares two tensor files, .npy or .bin: bit for bit, every NaN counting as equal, or within limits,\n"
            "which an infinity never is. "
            "Tells which channels, rows and blocks differ, and how far. Exit status 1 when they differ.",
        ARGS_OPTIONS(options),
    };
    int status = cli_parse(&state.session, &command, argc, argv, 2, &files);
    status = status == CLI_DONE ? check_options(&state, files.count) : status;
    if (status == CLI_DONE) {
        state.files[0] = files.items[0];
        state.files[1] = files.items[1];
        status = compare_files(&state);
    }
    close_state(&state);
    return status;
}
