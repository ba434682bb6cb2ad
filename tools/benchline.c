/* The convolution benchmark format. One table of keys; the defaults are worked out per axis. */
#include "tools/benchline.h"

#include "tools/harness/fail.h"

#include <inttypes.h>
#include <string.h>

/* Keys by letters; one slot a key. Axis keys come as height, width. */
enum { G, MB, IC, OC, ID, OD, KD, SD, PD, DD, IH, IW, OH, OW, KH, KW, SH, SW, PH, PW, DH, DW, KEY_COUNT };

enum { UNSET = -1, VALUE_MAX = 1 << 20 };

typedef struct key_row {
    const char *name;
    int64_t only; /* the one value that a two-dimensional convolution of one image has; UNSET: any */
} key_row;

static const key_row keys[KEY_COUNT] = {
    [G] = {"g", 1},       [MB] = {"mb", 1},     [IC] = {"ic", UNSET}, [OC] = {"oc", UNSET}, [ID] = {"id", 1},
    [OD] = {"od", 1},     [KD] = {"kd", 1},     [SD] = {"sd", 1},     [PD] = {"pd", 0},     [DD] = {"dd", 0},
    [IH] = {"ih", UNSET}, [IW] = {"iw", UNSET}, [OH] = {"oh", UNSET}, [OW] = {"ow", UNSET}, [KH] = {"kh", UNSET},
    [KW] = {"kw", UNSET}, [SH] = {"sh", UNSET}, [SW] = {"sw", UNSET}, [PH] = {"ph", UNSET}, [PW] = {"pw", UNSET},
    [DH] = {"dh", UNSET}, [DW] = {"dw", UNSET},
};

static bool is_letter(char c)
{
    return c >= 'a' && c <= 'z';
}
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool benchline_recognise(const char *text)
{
    const char *at = text;
    while (is_letter(*at)) {
        at++;
    }
    /* Operators have digits in their names, too ("conv2d"), but a parenthesis before any quote. */
    return at > text && is_digit(*at) && text[strcspn(text, "(\"")] != '(';
}

static int64_t round_up(int64_t value, int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Reads "letters digits" at *at into its slot. */
static int read_pair(const char *text, const char **at, int64_t value[KEY_COUNT])
{
    const char *name = *at;
    while (is_letter(**at)) {
        (*at)++;
    }
    size_t length = (size_t)(*at - name);
    for (int key = 0; key < KEY_COUNT; key++) {
        if (strlen(keys[key].name) != length || memcmp(keys[key].name, name, length) != 0 || !is_digit(**at)) {
            continue;
        }
        int64_t number = 0;
        for (; is_digit(**at) && number <= VALUE_MAX; (*at)++) {
            number = number * 10 + (**at - '0');
        }
        if (number > VALUE_MAX || (keys[key].only != UNSET && number != keys[key].only)) {
            return cli_fail(CLI_WRONG, "%s = %" PRId64 " is outside %" PRId64 "..%" PRId64 " for a conv2d",
                            keys[key].name, number, keys[key].only == UNSET ? 0 : keys[key].only,
                            keys[key].only == UNSET ? (int64_t)VALUE_MAX : keys[key].only);
        }
        if (value[key] != UNSET) {
            return cli_fail(CLI_WRONG, "%s is given twice", keys[key].name);
        }
        value[key] = number;
        return CLI_DONE;
    }
    return cli_fail(CLI_WRONG, "column %zu: \"%.20s\" is no key of the benchmark format with a number",
                    (size_t)(name - text) + 1, name);
}

static int read_pairs(const char *text, int64_t value[KEY_COUNT])
{
    for (int i = 0; i < KEY_COUNT; i++) {
        value[i] = UNSET;
    }
    const char *at = text;
    while (*at != '\0') {
        if (at[0] == 'n' && at[1] == '"') { /* the name: the rest of the line */
            const char *close = strchr(at + 2, '"');
            if (close == NULL || close[1] != '\0') {
                return cli_fail(CLI_WRONG, "column %zu: the name does not end the line with '\"'",
                                (size_t)(at - text) + 1);
            }
            return CLI_DONE;
        }
        if (*at == '_') { /* the format's separator */
            at++;
            continue;
        }
        int status = read_pair(text, &at, value);
        if (status != CLI_DONE) {
            return status;
        }
    }
    return CLI_DONE;
}

/* One axis of a convolution, every value known. */
typedef struct axis {
    int64_t in, kernel, stride, dilation, before, after;
} axis;

static int64_t or_else(int64_t value, int64_t fallback)
{
    return value == UNSET ? fallback : value;
}

/* Completes an axis; `o` and `p` are output size and padding as given or UNSET. */
static int complete_axis(axis *a, const char *letter, int64_t o, int64_t p)
{
    int64_t extent = a->dilation * (a->kernel - 1) + 1;
    if (a->stride < 1) {
        return cli_fail(CLI_WRONG, "s%s = %" PRId64 " is outside 1..63", letter, a->stride);
    }
    a->before = or_else(p, 0);
    a->after = a->before;
    if (o == UNSET) {
        return CLI_DONE;
    }
    if (o < 1) {
        return cli_fail(CLI_WRONG, "o%s = %" PRId64 " is outside 1..4096", letter, o);
    }
    int64_t total = (o - 1) * a->stride + extent - a->in; /* padding at both ends; negative: input left over */
    if (p == UNSET) {
        a->before = total > 0 ? total / 2 : 0;
    }
    a->after = total - a->before;
    if (a->after < 0) { /* the last columns of the input take no part: fewer than a stride */
        if (-a->after >= a->stride) {
            return cli_fail(CLI_WRONG, "o%s = %" PRId64 " does not follow from the other sizes, that gives %" PRId64,
                            letter, o, (a->in + a->before - extent) / a->stride + 1);
        }
        a->after = 0;
    }
    return CLI_DONE;
}

/* A pair of height and width, each taken from the other when left out. */
static void mirror(int64_t value[KEY_COUNT], int height, int width)
{
    value[width] = or_else(value[width], value[height]);
    value[height] = or_else(value[height], value[width]);
}

static int require(const int64_t value[KEY_COUNT], int key)
{
    if (value[key] == UNSET || value[key] == 0) {
        return cli_fail(CLI_WRONG, "%s is missing or 0", keys[key].name);
    }
    return CLI_DONE;
}

int benchline_parse(const char *text, aic_dtype dtype, aic_spec *spec)
{
    int64_t value[KEY_COUNT];
    int status = read_pairs(text, value);
    static const int pairs[] = {IH, OH, KH, SH, PH, DH};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        mirror(value, pairs[i], pairs[i] + 1);
    }
    static const int needed[] = {IC, OC, IH, KH};
    for (size_t i = 0; status == CLI_DONE && i < sizeof needed / sizeof needed[0]; i++) {
        status = require(value, needed[i]);
    }
    axis h = {value[IH], value[KH], or_else(value[SH], 1), or_else(value[DH], 0) + 1, 0, 0};
    axis w = {value[IW], value[KW], or_else(value[SW], 1), or_else(value[DW], 0) + 1, 0, 0};
    status = status == CLI_DONE ? complete_axis(&h, "h", value[OH], value[PH]) : status;
    status = status == CLI_DONE ? complete_axis(&w, "w", value[OW], value[PW]) : status;
    if (status != CLI_DONE) {
        return status;
    }
    int64_t c0 = dtype == AIC_INT8 ? 32 : 16;
    int64_t c1 = round_up(value[IC], c0) / c0;
    aic_conv2d_desc desc = aic_conv2d_desc_init();
    desc.dtype = dtype;
    memcpy(desc.fm_shape, (int64_t[]){c1, h.in, w.in, c0}, sizeof desc.fm_shape);
    memcpy(desc.kernel_shape, (int64_t[]){c1, h.kernel, w.kernel, round_up(value[OC], 16), c0},
           sizeof desc.kernel_shape);
    memcpy(desc.stride, (int64_t[]){h.stride, w.stride}, sizeof desc.stride);
    memcpy(desc.pad, (int64_t[]){w.before, w.after, h.before, h.after}, sizeof desc.pad);
    memcpy(desc.dilation, (int64_t[]){h.dilation, w.dilation}, sizeof desc.dilation);
    *spec = aic_spec_conv2d(&desc);
    return CLI_DONE;
}
