/* Convolutions in the format of oneDNN's benchdnn: g1mb1ic64ih56oc64oh56kh3ph1n"name". */
#pragma once

#include <aic/aic.h>

/* A part of a line: the format separates them by blanks. */
typedef enum benchline_kind {
    BENCHLINE_END,     /* no more parts */
    BENCHLINE_OPTION,  /* "--dir=FWD_B", "-v1", "reset": settings of the benchmark's own tool */
    BENCHLINE_COMMENT, /* '#' and the rest of the line */
    BENCHLINE_PROBLEM
} benchline_kind;

/* Whether `text`, which does not begin with a blank, is a line of the format and no operator text. A comment is not. */
bool benchline_recognise(const char *text);

/* Finds the part that begins at or behind *at, which becomes its first character; *length is its extent. */
benchline_kind benchline_part(const char **at, size_t *length);

/* Reads a problem as a conv2d of `dtype` (int8 or float16), as the benchmark's own tool understands it. An axis (depth,
 * height, width) of which no size is given follows the others as a whole: width follows height, height and width follow
 * depth; where only the width is given the problem is one-dimensional, H = Kh = 1. On an axis that is given, input and
 * kernel are required, the stride is 1 and the dilation 0 (here: 1) by default, the output follows from the padding or
 * the padding from the output, and the padding at the end is what the output needs. Of a key that comes twice the last
 * value counts. Channels are rounded up to C0 and 16. An image count that is left out stands for one image.
 *
 * Problems of more than one group, image or depth are refused, as are outputs that leave out a stride or more of the
 * input. Returns an exit status. */
int benchline_parse(const char *text, aic_dtype dtype, aic_spec **spec);

/* The name that a problem gives itself, n"conv1"; "" where it gives none. What is longer is cut, and what cannot be
 * printed becomes '?'. */
enum { BENCHLINE_NAME_MAX = 32 };
void benchline_name(const char *text, char name[BENCHLINE_NAME_MAX]);
