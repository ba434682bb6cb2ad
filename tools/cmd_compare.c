/* aicjit compare: two tensor files, element by element. */
#include "tools/args.h"
#include "tools/command.h"
#include "tools/harness/compare.h"
#include "tools/harness/fail.h"
#include "tools/harness/operand_file.h"
#include "tools/harness/operand_text.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct compare_state {
    const char *dtype;
    compare_limits limits;
    aic_operand tensor[2];
    guard_buffer buffer[2];
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

static void print_report(const compare_state *state, const compare_report *report)
{
    const aic_operand *a = &state->tensor[0];
    printf("%" PRId64 " elements, %" PRId64 " differ\n", report->compared, report->different);
    if (report->largest_at >= 0) {
        char where[OPERAND_TEXT_MAX];
        index_text(a->rank, a->shape, report->largest_at, where);
        printf("largest difference %.9g at %s, mean %.9g", report->largest, where,
               report->sum / (double)report->compared);
        if (report->most_ulp != UINT64_MAX) {
            printf(", at most %" PRIu64 " ulp", report->most_ulp);
        }
        printf("\n");
    }
    compare_print(a, state->buffer[0].data, state->buffer[1].data, report);
}

static int compare_files(compare_state *state, const args_list *files)
{
    aic_dtype dtype = AIC_DTYPE_NONE;
    int status = find_dtype(state->dtype, &dtype);
    for (size_t i = 0; status == CLI_DONE && i < 2; i++) {
        status = tensor_read(files->items[i], dtype, &state->tensor[i], &state->buffer[i]);
    }
    if (status != CLI_DONE) {
        return status;
    }
    char text[2][OPERAND_TEXT_MAX];
    for (size_t i = 0; i < 2; i++) {
        operand_text(&state->tensor[i], text[i]);
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
    compare_report report;
    compare_tensors(&state->tensor[0], state->buffer[0].data, state->buffer[1].data, NULL, &state->limits, &report);
    print_report(state, &report);
    return report.different > 0 ? CLI_MISMATCH : CLI_DONE;
}

int cmd_compare(int argc, char **argv)
{
    compare_state state = {0};
    args_list files = {0};
    const args_option options[] = {
        {.name = "--dtype",
         .value = "T",
         .help = "element type: of .bin files, and bfloat16 of .npy files",
         .kind = ARGS_TEXT,
         .target = &state.dtype},
        {.name = "--atol",
         .value = "X",
         .help = "differences of finite numbers up to X + rtol*|b| are none (default 0)",
         .kind = ARGS_REAL,
         .target = &state.limits.atol,
         .low = 0,
         .high = INT64_MAX},
        {.name = "--rtol",
         .value = "X",
         .help = "see --atol (default 0)",
         .kind = ARGS_REAL,
         .target = &state.limits.rtol,
         .low = 0,
         .high = INT64_MAX},
        {.name = "--ulp",
         .value = "N",
         .help = "elements up to N values of their type apart count as equal (default 0)",
         .kind = ARGS_INTEGER,
         .target = &state.limits.ulp,
         .low = 0,
         .high = INT64_MAX},
    };
    const args_command command = {
        .name = "compare",
        .arguments = "A B [OPTION]...",
        .summary =
            "Compares two tensor files, .npy or .bin: bit for bit, every NaN counting as equal, or within limits,\n"
            "which an infinity never is.\n"
            "Exit status 1 when they differ.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
    };
    int status = args_parse(&command, argc, argv, 2, &files);
    if (status == CLI_DONE && files.count != 2) {
        status = cli_fail(CLI_WRONG, "compare: two files A and B are needed, %zu given", files.count);
    }
    status = status == CLI_DONE ? compare_files(&state, &files) : status;
    guard_close(&state.buffer[0]);
    guard_close(&state.buffer[1]);
    args_list_free(&files);
    return status == ARGS_HELP_SHOWN ? CLI_DONE : status;
}
