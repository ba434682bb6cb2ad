/* NAME.param: a magic number, the numbers of layers and of blobs (what flows between them), then a line a layer:
 *
 *     TYPE NAME INPUTS OUTPUTS INPUT_BLOB... OUTPUT_BLOB... KEY=VALUE...
 *
 * The lines of a network of this kind follow each other in one order, and each takes what the one before made; every
 * key has the value that the table below names. All else is another network. */
#include "tools/harness/fail.h"
#include "tools/superres/network.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARAM_BYTES_MAX = 1 << 20, PARAM_MAGIC = 7767517, BLOBS_MAX = 3, WORD = NETWORK_NAME };

typedef enum kind { INPUT, SPLIT, CONVOLUTION, PRELU, PIXEL_SHUFFLE, INTERP, BINARY_OP, KINDS } kind;

static const struct {
    const char *type;
    int inputs, outputs;
} KIND[KINDS] = {
    [INPUT] = {"Input", 0, 1},
    [SPLIT] = {"Split", 1, 2},
    [CONVOLUTION] = {"Convolution", 1, 1},
    [PRELU] = {"PReLU", 1, 1},
    [PIXEL_SHUFFLE] = {"PixelShuffle", 1, 1},
    [INTERP] = {"Interp", 1, 1},
    [BINARY_OP] = {"BinaryOp", 2, 1},
};

/* Keys that a line has or may have, and the one value that is meant here; ANY: a count that is looked at later. */
enum { ANY = -1, KEYS_MAX = 7 };

static const struct {
    kind kind;
    int key;
    const char *what;
    double value;
    bool required;
} KEY[] = {
    {CONVOLUTION, 0, "outputs", ANY, true},
    {CONVOLUTION, 1, "kernel", NETWORK_SIDE, true},
    {CONVOLUTION, 2, "dilation", 1, false},
    {CONVOLUTION, 3, "stride", 1, false},
    {CONVOLUTION, 4, "pad", 1, true},
    {CONVOLUTION, 5, "bias", 1, true},
    {CONVOLUTION, 6, "weights", ANY, true},
    {PRELU, 0, "slopes", ANY, true},
    {PIXEL_SHUFFLE, 0, "factor", NETWORK_SCALE, true},
    {PIXEL_SHUFFLE, 1, "mode", 0, false},
    {INTERP, 0, "type", 1, true},
    {INTERP, 1, "height factor", NETWORK_SCALE, true},
    {INTERP, 2, "width factor", NETWORK_SCALE, true},
    {BINARY_OP, 0, "operation", 0, false},
};

enum { KEY_ROWS = sizeof KEY / sizeof *KEY };

/* A line, read. */
typedef struct line {
    kind kind;
    char name[WORD], blob[BLOBS_MAX][WORD]; /* inputs, then outputs */
    int count[KEYS_MAX];                    /* values of the keys of ANY */
} line;

/* Where the reader is, and what the lines so far have made. */
typedef struct reader {
    const char *path;
    char *rest; /* of the text */
    int number; /* of the line, from 1 */
    int layers, blobs;
    char current[WORD], picture[WORD], enlarged[WORD], subpixels[WORD];
} reader;

static int refuse(const reader *r, const char *what, const char *value)
{
    return cli_fail(CLI_WRONG, "\"%s\", line %d: %s%s%s%s", r->path, r->number, what, *value != '\0' ? " \"" : "",
                    value, *value != '\0' ? "\"" : "");
}

/* The next line without its end, NULL behind the last. */
static char *next_line(reader *r)
{
    char *start = r->rest;
    if (*start == '\0') {
        return NULL;
    }
    char *end = start + strcspn(start, "\n");
    r->rest = *end == '\0' ? end : end + 1;
    *end = '\0';
    r->number++;
    return start;
}

/* The next word of a line, "" behind the last. */
static char *next_word(char **rest)
{
    char *word = *rest + strspn(*rest, " \t\r");
    char *end = word + strcspn(word, " \t\r");
    *rest = *end == '\0' ? end : end + 1;
    *end = '\0';
    return word;
}

static bool copy_word(char to[WORD], const char *word)
{
    const size_t length = strlen(word);
    if (length == 0 || length >= WORD) {
        return false;
    }
    memcpy(to, word, length + 1);
    return true;
}

/* A whole number of 0 .. 2^30, or -1. */
static int to_count(const char *word)
{
    char *end = NULL;
    const long value = strtol(word, &end, 10);
    return *word >= '0' && *word <= '9' && *end == '\0' && value <= 1 << 30 ? (int)value : -1;
}

static int read_key(const reader *r, line *l, char *word, unsigned *seen)
{
    char *equals = strchr(word, '=');
    char *end = NULL;
    if (equals == NULL) {
        return refuse(r, "not of the form KEY=VALUE:", word);
    }
    *equals = '\0';
    const int key = to_count(word);
    const double value = strtod(equals + 1, &end);
    const unsigned bit = 1U << (key & 31); /* keys of the table are small */
    for (int i = 0; i < KEY_ROWS; i++) {
        if (KEY[i].kind != l->kind || KEY[i].key != key) {
            continue;
        }
        if (end == equals + 1 || *end != '\0' || (*seen & bit) != 0) {
            return cli_fail(CLI_WRONG, "\"%s\", line %d: %s: key %d (%s) is no single number", r->path, r->number,
                            l->name, key, KEY[i].what);
        }
        const bool counts = KEY[i].value == ANY;
        if (counts) {
            l->count[key] = to_count(equals + 1);
        }
        if (counts ? l->count[key] < 1 : value != KEY[i].value) {
            return cli_fail(CLI_WRONG, "\"%s\", line %d: %s: key %d (%s) = %s does not belong to such a network",
                            r->path, r->number, l->name, key, KEY[i].what, equals + 1);
        }
        *seen |= bit;
        return CLI_DONE;
    }
    return cli_fail(CLI_WRONG, "\"%s\", line %d: %s: key \"%s\" is not known of %s", r->path, r->number, l->name, word,
                    KIND[l->kind].type);
}

static int read_keys(const reader *r, line *l, char *rest)
{
    unsigned seen = 0;
    int status = CLI_DONE;
    for (char *word = next_word(&rest); status == CLI_DONE && *word != '\0'; word = next_word(&rest)) {
        status = read_key(r, l, word, &seen);
    }
    for (int i = 0; status == CLI_DONE && i < KEY_ROWS; i++) {
        if (KEY[i].kind == l->kind && KEY[i].required && (seen >> KEY[i].key & 1U) == 0) {
            status = cli_fail(CLI_WRONG, "\"%s\", line %d: %s: key %d (%s) is missing", r->path, r->number, l->name,
                              KEY[i].key, KEY[i].what);
        }
    }
    return status;
}

/* The next line as one of `first` or `second`. */
static int read_line(reader *r, line *l, kind first, kind second)
{
    char *rest = next_line(r);
    *l = (line){.kind = first};
    if (rest == NULL) {
        r->number++;
        return refuse(r, "the file ends where there should be a layer", KIND[first].type);
    }
    const char *type = next_word(&rest);
    if (strcmp(type, KIND[first].type) != 0 && strcmp(type, KIND[second].type) == 0) {
        l->kind = second;
    } else if (strcmp(type, KIND[first].type) != 0) {
        return cli_fail(CLI_WRONG, "\"%s\", line %d: layer \"%s\" where networks of this kind have %s%s%s", r->path,
                        r->number, type, KIND[first].type, first == second ? "" : " or ",
                        first == second ? "" : KIND[second].type);
    }
    if (!copy_word(l->name, next_word(&rest))) {
        return refuse(r, "a layer without a name, or with one that is too long", "");
    }
    if (to_count(next_word(&rest)) != KIND[l->kind].inputs || to_count(next_word(&rest)) != KIND[l->kind].outputs) {
        return cli_fail(CLI_WRONG, "\"%s\", line %d: %s: %s has %d inputs and %d outputs", r->path, r->number, l->name,
                        KIND[l->kind].type, KIND[l->kind].inputs, KIND[l->kind].outputs);
    }
    for (int i = 0; i < KIND[l->kind].inputs + KIND[l->kind].outputs; i++) {
        if (!copy_word(l->blob[i], next_word(&rest))) {
            return refuse(r, "a blob is missing, or its name is too long", "");
        }
    }
    r->blobs += KIND[l->kind].outputs;
    r->layers++;
    return read_keys(r, l, rest);
}

/* Whether the line's input number `input` is that blob. */
static int takes(const reader *r, const line *l, int input, const char *blob)
{
    return strcmp(l->blob[input], blob) == 0 ? CLI_DONE
                                             : cli_fail(CLI_WRONG, "\"%s\", line %d: %s takes \"%s\", not \"%s\"",
                                                        r->path, r->number, l->name, l->blob[input], blob);
}

/* ---- the parts of a network ---- */

static int read_head(reader *r, int *layers, int *blobs)
{
    char *rest = next_line(r);
    if (rest == NULL || to_count(next_word(&rest)) != PARAM_MAGIC) {
        r->number = 1;
        return refuse(r, "ncnn's text format begins with the number 7767517", "");
    }
    rest = next_line(r);
    *layers = rest == NULL ? -1 : to_count(next_word(&rest));
    *blobs = rest == NULL ? -1 : to_count(next_word(&rest));
    return *layers > 0 && *blobs > 0 ? CLI_DONE : refuse(r, "no numbers of layers and blobs", "");
}

static int read_start(reader *r)
{
    line l;
    int status = read_line(r, &l, INPUT, INPUT);
    (void)copy_word(r->current, l.blob[0]);
    status = status == CLI_DONE ? read_line(r, &l, SPLIT, SPLIT) : status;
    status = status == CLI_DONE ? takes(r, &l, 0, r->current) : status;
    if (status == CLI_DONE) {
        /* One goes through the network, the other is added to the result: the first convolution decides which. */
        (void)copy_word(r->picture, l.blob[1]);
        (void)copy_word(r->current, l.blob[2]);
    }
    return status;
}

static int add_convolution(const reader *r, network *n, const line *l)
{
    const int in = n->count == 0 ? NETWORK_COLOURS : n->layer[n->count - 1].out, out = l->count[0];
    if (n->count == NETWORK_LAYERS_MAX) {
        return refuse(r, "more convolutions than the 64 that there is room for", "");
    }
    if (out > NETWORK_CHANNELS_MAX) {
        return cli_fail(CLI_WRONG, "\"%s\", line %d: %s: %d channels are more than %d", r->path, r->number, l->name,
                        out, NETWORK_CHANNELS_MAX);
    }
    if (l->count[6] != in * out * NETWORK_TAPS) {
        return cli_fail(CLI_WRONG, "\"%s\", line %d: %s: %d weights, but %d inputs and %d outputs have %d", r->path,
                        r->number, l->name, l->count[6], in, out, in * out * NETWORK_TAPS);
    }
    network_layer *layer = &n->layer[n->count++];
    *layer = (network_layer){.in = in, .out = out};
    memcpy(layer->name, l->name, sizeof layer->name);
    return CLI_DONE;
}

static int add_prelu(const reader *r, network *n, const line *l)
{
    network_layer *layer = &n->layer[n->count - 1];
    memcpy(layer->prelu, l->name, sizeof layer->prelu);
    return l->count[0] == layer->out ? CLI_DONE
                                     : cli_fail(CLI_WRONG, "\"%s\", line %d: %s: %d slopes for %d channels", r->path,
                                                r->number, l->name, l->count[0], layer->out);
}

/* Convolution, PReLU, ..., Convolution, up to the PixelShuffle, which is read into *last. */
static int read_convolutions(reader *r, network *n, line *last)
{
    line l;
    int status = read_line(r, &l, CONVOLUTION, CONVOLUTION);
    if (status == CLI_DONE && strcmp(l.blob[0], r->picture) == 0) {
        memcpy(r->picture, r->current, sizeof r->picture);
        memcpy(r->current, l.blob[0], sizeof r->current);
    }
    while (status == CLI_DONE && l.kind != PIXEL_SHUFFLE) {
        status = takes(r, &l, 0, r->current);
        status = status != CLI_DONE ? status : l.kind == CONVOLUTION ? add_convolution(r, n, &l) : add_prelu(r, n, &l);
        (void)copy_word(r->current, l.blob[1]);
        if (status == CLI_DONE) {
            status = l.kind == CONVOLUTION ? read_line(r, &l, PRELU, PIXEL_SHUFFLE)
                                           : read_line(r, &l, CONVOLUTION, CONVOLUTION);
        }
    }
    *last = l;
    if (status == CLI_DONE && n->layer[n->count - 1].out != NETWORK_OUT) {
        status = cli_fail(CLI_WRONG, "\"%s\", line %d: %s gets %d channels, not the %d of 4x4 pixels in three colours",
                          r->path, r->number, l.name, n->layer[n->count - 1].out, NETWORK_OUT);
    }
    return status;
}

static int read_end(reader *r, const line *shuffle)
{
    line l;
    int status = takes(r, shuffle, 0, r->current);
    (void)copy_word(r->subpixels, shuffle->blob[1]);
    status = status == CLI_DONE ? read_line(r, &l, INTERP, INTERP) : status;
    status = status == CLI_DONE ? takes(r, &l, 0, r->picture) : status;
    if (status == CLI_DONE) {
        (void)copy_word(r->enlarged, l.blob[1]);
        status = read_line(r, &l, BINARY_OP, BINARY_OP);
    }
    if (status == CLI_DONE) {
        const int first = strcmp(l.blob[0], r->enlarged) == 0 ? 1 : 0; /* a sum, in either order */
        status = takes(r, &l, first, r->subpixels);
        status = status == CLI_DONE ? takes(r, &l, 1 - first, r->enlarged) : status;
    }
    return status;
}

static int read_network(reader *r, network *n)
{
    int layers = 0, blobs = 0;
    line last;
    int status = read_head(r, &layers, &blobs);
    status = status == CLI_DONE ? read_start(r) : status;
    status = status == CLI_DONE ? read_convolutions(r, n, &last) : status;
    status = status == CLI_DONE ? read_end(r, &last) : status;
    if (status == CLI_DONE && r->rest[strspn(r->rest, " \t\r\n")] != '\0') {
        r->number++;
        status = refuse(r, "more layers than networks of this kind have", "");
    }
    if (status == CLI_DONE && (r->layers != layers || r->blobs != blobs)) {
        status = cli_fail(CLI_WRONG, "\"%s\", line 2: %d layers and %d blobs, but there are %d and %d", r->path, layers,
                          blobs, r->layers, r->blobs);
    }
    return status;
}

int network_read_param(network *n, const char *path)
{
    reader r = {.path = path};
    char *text = NULL;
    size_t size = 0;
    *n = (network){0};
    int status = read_whole_file(path, PARAM_BYTES_MAX, &text, &size);
    if (status == CLI_DONE) {
        r.rest = text;
        status = strlen(text) == size ? read_network(&r, n)
                                      : cli_fail(CLI_WRONG, "\"%s\", byte %zu: not text", path, strlen(text));
    }
    free(text);
    return status;
}
