/* Convolutions in the format of oneDNN's benchdnn. Keys are a quantity and an axis, two letters, or one of four others.
 */
#include "tools/bench/benchline.h"

#include "tools/harness/fail.h"

#include <inttypes.h>
#include <string.h>

enum { UNSET = -1, VALUE_MAX = 1 << 20 };

enum { IN, OUT, KERNEL, STRIDE, PAD, DILATION, QUANTITIES };
enum { DEPTH, HEIGHT, WIDTH, AXES };
static const char quantity_letters[] = "iokspd", axis_letters[] = "dhw";

/* What a line says. 0 is the same as not given; a stride is 1 and a padding UNSET by default. */
typedef struct problem {
    int64_t groups, images, in_channels, out_channels;
    int64_t axis[AXES][QUANTITIES];
    int64_t pad_end[AXES];
} problem;

/* ---- parts of a line ---- */

static bool is_letter(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
    return c != '\0' && strchr(" \t\r\n\v\f", c) != NULL;
}

static bool is_option(const char *text, size_t length)
{
    return text[0] == '-' || (length == 5 && memcmp(text, "reset", 5) == 0);
}

/* Up to the next blank; one in a quoted name does not count. */
static size_t part_length(const char *text)
{
    const char *at = text;
    while (*at != '\0' && !is_blank(*at)) {
        const char *quote = *at == '"' ? strchr(at + 1, '"') : NULL;
        at = quote != NULL ? quote + 1 : at + 1;
    }
    return (size_t)(at - text);
}

benchline_kind benchline_part(const char **at, size_t *length)
{
    while (is_blank(**at)) {
        (*at)++;
    }
    if (**at == '\0') {
        return BENCHLINE_END;
    }
    if (**at == '#') {
        *length = strlen(*at);
        return BENCHLINE_COMMENT;
    }
    *length = part_length(*at);
    return is_option(*at, *length) ? BENCHLINE_OPTION : BENCHLINE_PROBLEM;
}

/* ---- keys and values ---- */

/* Where the value of the key at `text` goes, NULL when that is no key; *length is the key's. */
static int64_t *find_key(problem *p, const char *text, size_t *length)
{
    const struct {
        const char *name;
        int64_t *value;
    } others[] = {{"g", &p->groups}, {"mb", &p->images}, {"ic", &p->in_channels}, {"oc", &p->out_channels}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        *length = strlen(others[i].name);
        if (strncmp(text, others[i].name, *length) == 0) {
            return others[i].value;
        }
    }
    const char *quantity = text[0] == '\0' ? NULL : strchr(quantity_letters, text[0]);
    const char *axis = quantity == NULL || text[1] == '\0' ? NULL : strchr(axis_letters, text[1]);
    *length = 2;
    return axis == NULL ? NULL : &p->axis[axis - axis_letters][quantity - quantity_letters];
}

static bool names_operator(const char *text)
{
    char name[40] = "";
    const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (length < sizeof name) {
        memcpy(name, text, length);
    }
    return aic_op_parse(name) != AIC_OP_NONE;
}

bool benchline_recognise(const char *text)
{
    problem scratch;
    size_t length;
    if (is_option(text, part_length(text)) || (find_key(&scratch, text, &length) != NULL && is_digit(text[length]))) {
        return true;
    }
    /* A wrong key is distinguished from an operator by the name, and by the parenthesis where the name is wrong. */
    for (length = 0; is_letter(text[length]); length++) {
    }
    return !names_operator(text) && length > 0 && is_digit(text[length]) && strchr(text, '(') == NULL;
}

/* Reads the key and the number at *at. */
static int read_value(const char *text, const char **at, problem *p)
{
    size_t length;
    const char *key = *at;
    int64_t *value = find_key(p, key, &length);
    if (value == NULL || !is_digit(key[length])) {
        return cli_fail(CLI_WRONG, "column %zu: \"%.20s\" is no key of benchdnn's format with a number",
                        (size_t)(key - text) + 1, key);
    }
    *value = 0;
    for (*at = key + length; is_digit(**at) && *value <= VALUE_MAX; (*at)++) {
        *value = *value * 10 + (**at - '0');
    }
    if (*value > VALUE_MAX) {
        return cli_fail(CLI_WRONG, "%.*s = %.*s is outside 0..%d", (int)length, key,
                        (int)(strspn(key + length, "0123456789") % 100), key + length, VALUE_MAX);
    }
    return CLI_DONE;
}

static int read_values(const char *text, problem *p)
{
    *p = (problem){.groups = 1, .images = 1};
    for (int axis = 0; axis < AXES; axis++) {
        p->axis[axis][STRIDE] = 1;
        p->axis[axis][PAD] = UNSET;
    }
    int status = CLI_DONE;
    for (const char *at = text; status == CLI_DONE && *at != '\0' && *at != 'n';) { /* the name is the rest */
        if (*at == '_') {                                                           /* the format's separator */
            at++;
        } else {
            status = read_value(text, &at, p);
        }
    }
    return status;
}

/* ---- what they mean ---- */

/* "oh" */
typedef struct key_name {
    char text[3];
} key_name;

static key_name name_of(int quantity, int axis)
{
    return (key_name){{quantity_letters[quantity], axis_letters[axis], '\0'}};
}

/* Whether the line says nothing about an axis: what it has are defaults. */
static bool is_absent(const problem *p, int axis)
{
    const int64_t *a = p->axis[axis];
    return a[IN] == 0 && a[OUT] == 0 && a[KERNEL] == 0 && a[DILATION] == 0 && a[STRIDE] == 1 && a[PAD] < 1;
}

/* Refuses a value outside low .. high. */
static int check_value(const char *name, int64_t value, int64_t low, int64_t high)
{
    if (value < low || value > high) {
        return cli_fail(CLI_WRONG, "%s = %" PRId64 " is outside %" PRId64 "..%" PRId64 " for a conv2d", name, value,
                        low, high);
    }
    return CLI_DONE;
}

static int require(const char *name, int64_t value)
{
    return value > 0 ? CLI_DONE : cli_fail(CLI_WRONG, "%s is missing or 0", name);
}

/* Completes an axis that is given. The output covers (out - 1) * stride + extent of the padded input, so that the
 * padding at both ends is that less the input; where it is negative the end of the input takes no part. */
static int complete_axis(problem *p, int axis)
{
    int64_t *a = p->axis[axis];
    int status = check_value(name_of(STRIDE, axis).text, a[STRIDE], 1, VALUE_MAX);
    status = status == CLI_DONE ? require(name_of(IN, axis).text, a[IN]) : status;
    status = status == CLI_DONE ? require(name_of(KERNEL, axis).text, a[KERNEL]) : status;
    if (status != CLI_DONE) {
        return status;
    }
    const int64_t extent = (a[KERNEL] - 1) * (a[DILATION] + 1) + 1;
    const bool out_given = a[OUT] != 0;
    const int64_t before = a[PAD] == UNSET ? 0 : a[PAD];
    const int64_t follows = (a[IN] - extent + 2 * before) / a[STRIDE] + 1;
    a[OUT] = out_given ? a[OUT] : follows;
    if (a[OUT] < 1) {
        return cli_fail(CLI_WRONG, "%s = %" PRId64 ", which follows from the other sizes, is less than 1",
                        name_of(OUT, axis).text, a[OUT]);
    }
    const int64_t both = (a[OUT] - 1) * a[STRIDE] + extent - a[IN];
    a[PAD] = out_given && a[PAD] == UNSET ? both / 2 : before;
    if (a[PAD] < 0) {
        return cli_fail(CLI_WRONG, "%s = %" PRId64 ", which follows from %s = %" PRId64 ", is outside 0..255",
                        name_of(PAD, axis).text, a[PAD], name_of(OUT, axis).text, a[OUT]);
    }
    if (both - a[PAD] <= -a[STRIDE]) {
        return cli_fail(CLI_WRONG, "%s = %" PRId64 " does not follow from the other sizes, that gives %" PRId64,
                        name_of(OUT, axis).text, a[OUT], follows);
    }
    p->pad_end[axis] = both > a[PAD] ? both - a[PAD] : 0;
    return CLI_DONE;
}

static int complete_axes(problem *p)
{
    int status = CLI_DONE;
    for (int axis = 0; status == CLI_DONE && axis < AXES; axis++) {
        status = is_absent(p, axis) ? CLI_DONE : complete_axis(p, axis);
    }
    return status;
}

/* A depth that makes no difference: one plane, without padding. */
static int check_depth(const problem *p)
{
    static const int sizes[] = {IN, OUT, KERNEL};
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < sizeof sizes / sizeof sizes[0]; i++) {
        status = check_value(name_of(sizes[i], DEPTH).text, p->axis[DEPTH][sizes[i]], 0, 1);
    }
    return status == CLI_DONE && p->axis[DEPTH][PAD] != UNSET ? check_value("pd", p->axis[DEPTH][PAD], 0, 0) : status;
}

static void copy_axis(problem *p, int to, int from)
{
    memcpy(p->axis[to], p->axis[from], sizeof p->axis[to]);
    p->pad_end[to] = p->pad_end[from];
}

/* Gives the axes that the line does not mention their values. */
static int fill_in_axes(problem *p)
{
    const bool depth = !is_absent(p, DEPTH), height = !is_absent(p, HEIGHT), width = !is_absent(p, WIDTH);
    int status = check_depth(p);
    status = status == CLI_DONE ? complete_axes(p) : status;
    if (status != CLI_DONE) {
        return status;
    }
    if (!depth && !height && !width) {
        return cli_fail(CLI_WRONG, "ih and iw are missing");
    }
    if (depth && height != width) {
        return cli_fail(CLI_WRONG, "%s is missing: of a problem with a depth both ih and iw are given or neither",
                        height ? "iw" : "ih");
    }
    if (depth && !height) {
        copy_axis(p, HEIGHT, DEPTH);
        copy_axis(p, WIDTH, DEPTH);
    } else if (!width) {
        copy_axis(p, WIDTH, HEIGHT);
    } else if (!height) {
        static const int64_t one_dimensional[QUANTITIES] = {[IN] = 1, [OUT] = 1, [KERNEL] = 1, [STRIDE] = 1};
        memcpy(p->axis[HEIGHT], one_dimensional, sizeof one_dimensional);
    }
    return CLI_DONE;
}

static int64_t round_up(int64_t value, int64_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

static aic_status make_spec(const problem *p, aic_dtype dtype, aic_spec **spec)
{
    const int64_t *h = p->axis[HEIGHT], *w = p->axis[WIDTH];
    const int64_t c0 = dtype == AIC_INT8 ? 32 : 16, c1 = round_up(p->in_channels, c0) / c0;
    aic_conv2d_desc desc = aic_conv2d_desc_init();
    desc.dtype = dtype;
    memcpy(desc.fm_shape, (int64_t[]){c1, h[IN], w[IN], c0}, sizeof desc.fm_shape);
    memcpy(desc.kernel_shape, (int64_t[]){c1, h[KERNEL], w[KERNEL], round_up(p->out_channels, 16), c0},
           sizeof desc.kernel_shape);
    memcpy(desc.stride, (int64_t[]){h[STRIDE], w[STRIDE]}, sizeof desc.stride);
    memcpy(desc.pad, (int64_t[]){w[PAD], p->pad_end[WIDTH], h[PAD], p->pad_end[HEIGHT]}, sizeof desc.pad);
    memcpy(desc.dilation, (int64_t[]){h[DILATION] + 1, w[DILATION] + 1}, sizeof desc.dilation);
    return aic_spec_create_conv2d(&desc, spec);
}

int benchline_parse(const char *text, aic_dtype dtype, aic_spec **spec)
{
    problem p;
    int status = read_values(text, &p);
    status = status == CLI_DONE ? check_value("g", p.groups, 1, 1) : status;
    status = status == CLI_DONE ? check_value("mb", p.images, 1, 1) : status;
    status = status == CLI_DONE ? require("ic", p.in_channels) : status;
    status = status == CLI_DONE ? require("oc", p.out_channels) : status;
    status = status == CLI_DONE ? fill_in_axes(&p) : status;
    const aic_status failed = status == CLI_DONE ? make_spec(&p, dtype, spec) : AIC_OK;
    return failed == AIC_OK ? status : cli_status(NULL, failed);
}

void benchline_name(const char *text, char name[BENCHLINE_NAME_MAX])
{
    const char *begin = strstr(text, "n\"");
    size_t length = 0;
    for (const char *at = begin == NULL ? "" : begin + 2; *at != '\0' && *at != '"'; at++) {
        if (length + 1 < BENCHLINE_NAME_MAX) {
            name[length++] = (unsigned char)*at < 0x20 || *at == 0x7f ? '?' : *at;
        }
    }
    name[length] = '\0';
}
