/* Lists of specifications: from the command line and from batch files. */
#pragma once

#include "tools/bench/benchline.h"
#include "tools/session.h"

#include <stdio.h>

/* Where specifications come from. */
typedef struct spec_source {
    const args_list
        *texts;        /* on the command line: operator text, or a convolution in benchdnn's format (benchline.h) */
    const char *batch; /* a file of the same, one a line, with '#' comments and blank lines; NULL for none */
    bool skip_refused; /* refused lines of the file do not count as an error */
} spec_source;

/* The name that a line in benchdnn's format gives its convolution, "" for others. */
typedef struct spec_label {
    char text[BENCHLINE_NAME_MAX];
} spec_label;

typedef struct spec_list {
    aic_spec **items;
    spec_label *labels; /* one an item */
    size_t count;
    size_t options, comments; /* parts of the file that were skipped, and */
    size_t refused;           /* those that are no legal operator */
} spec_list;

/* Rows of an option table; `s` is the command's spec_source. */
#define SPEC_OPTIONS(s)                                                                                                \
    option_text("--batch", "FILE", "operators, one a line", &(s).batch),                                               \
        option_flag("--skip-refused", "lines of the file that are refused are no error", &(s).skip_refused)

/* Reads and validates every text, then every line of the file. A text that is refused ends the reading; a line is
 * reported on standard error, "aicjit: FILE:LINE: ...", counted, and the reading goes on. A backslash at the end of a
 * line joins it with the next. Returns an exit status; on failure the list is empty. */
int spec_list_read(const cli_session *session, const spec_source *source, spec_list *list);

/* Whether there is nothing to do: no operator, and no refused line to answer for either. */
bool spec_list_empty(const spec_list *list, const spec_source *source);

/* Prints how much of the file was skipped and refused, if any. */
void spec_list_report(const spec_list *list, const spec_source *source, FILE *stream);

/* What refused lines make of a command's exit status: CLI_WRONG unless they may be skipped. */
int spec_list_status(const spec_list *list, const spec_source *source, int status);

void spec_list_free(spec_list *list);
