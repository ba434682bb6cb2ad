/* Types of PTO-AS: elements, and the five bodies of a tile type.
 *
 *     short    16x16xf32
 *     keyed    loc=vec, dtype=f32, rows=16, cols=16, ...
 *     posit    loc=vec, f32, 16, 16, RowMajor, NoneBox, None, Zero
 *     compact  vec, 16x16xf32, valid=3x5, ...
 *     plain    f32, 16, 16
 *
 * and of a keyed body for a ConvTile, which is our own:
 *
 *     loc=mat, dtype=f16, layout=NC1HWC0, shape=[1,16,7,7,16] */
#include "frontend/core/field.h"
#include "frontend/ops/texpands.h"
#include "frontend/pto/as.h"

#include <stdio.h>
#include <string.h>

/* ---- element types ---- */

static const struct {
    const char *name;
    aic_dtype dtype;
} types[] = {
    {"f16", AIC_FLOAT16}, {"f32", AIC_FLOAT32}, {"bf16", AIC_BFLOAT16}, {"i8", AIC_INT8},
    {"i16", AIC_INT16},   {"i32", AIC_INT32},   {"ui8", AIC_UINT8},     {"ui16", AIC_UINT16},
    {"ui32", AIC_UINT32}, {"si8", AIC_INT8},    {"si16", AIC_INT16},    {"si32", AIC_INT32},
};

enum { TYPES = sizeof types / sizeof types[0] };

/* Spellings of C, read as the row of this name; iN is the signed type. */
static const struct {
    const char *name, *type;
} spellings[] = {
    {"half", "f16"},  {"float16", "f16"}, {"float", "f32"}, {"float32", "f32"}, {"bfloat16", "bf16"}, {"int8", "i8"},
    {"int16", "i16"}, {"int32", "i32"},   {"uint8", "ui8"}, {"uint16", "ui16"}, {"uint32", "ui32"},
};

enum { SPELLINGS = sizeof spellings / sizeof spellings[0] };

/* -1: none. */
static int find_type(aic_pto_word word)
{
    for (size_t i = 0; i < SPELLINGS; i++) {
        if (aic_pto_word_is(word, spellings[i].name)) {
            word = (aic_pto_word){spellings[i].type, strlen(spellings[i].type)};
        }
    }
    int type = TYPES - 1;
    while (type >= 0 && !aic_pto_word_is(word, types[type].name)) {
        type--;
    }
    return type;
}

int aic_pto_type(aic_pto_reader *in, aic_pto_word word, const char *key)
{
    const int type = find_type(word);
    if (type < 0) {
        aic_pto_fail_word(in, word, key, "a type (f16, f32, bf16, i8, i16, i32, ui8, ui16, ui32, si8, si16, si32)");
        return 0;
    }
    return type;
}

aic_dtype aic_pto_type_dtype(int type)
{
    return types[type].dtype;
}

const char *aic_pto_type_name(int type)
{
    return types[type].name;
}

int aic_pto_type_of(aic_dtype dtype)
{
    int type = 0;
    while (types[type].dtype != dtype) {
        type++;
    }
    return type;
}

/* ---- values of keys ---- */

typedef struct body {
    aic_pto_reader *in;
    aic_pto_tile *tile;
    unsigned seen; /* a bit a key */
} body;

typedef struct key_row key_row;
typedef void (*value_reader)(const body *b, const key_row *key, aic_pto_word word);

struct key_row {
    const char *name;
    value_reader read;
    size_t offset; /* in the descriptor */
    aic_field_kind kind;
    unsigned bits; /* of `seen` */
    bool compact;  /* a compact body may have it */
};

enum {
    LOC = 1,
    DTYPE = 2,
    ROWS = 4,
    COLS = 8,
    V_ROW = 16,
    V_COL = 32,
    BLAYOUT = 64,
    SLAYOUT = 128,
    FRACTAL = 256,
    PAD = 512,
    COMPACT = 1024,
    LAYOUT = 2048,
    SHAPE = 4096,
    BUFFER_SIZE = 8192,
    OF_CONV = LAYOUT | SHAPE | BUFFER_SIZE, /* keys of ConvTiles only, and those of all other tiles */
    OF_TILE = ROWS | COLS | V_ROW | V_COL | BLAYOUT | SLAYOUT | FRACTAL | PAD | COMPACT
};

static void *field_at(const body *b, const key_row *key)
{
    return (unsigned char *)&b->tile->desc + key->offset;
}

static void read_enum(const body *b, const key_row *key, aic_pto_word word)
{
    uint64_t value = 0;
    if (!aic_enum_value(key->kind, word.start, word.length, &value)) {
        aic_pto_fail_word(b->in, word, key->name, aic_enum_expected(key->kind));
    }
    const uint32_t narrow = (uint32_t)value;
    memcpy(field_at(b, key), &narrow, sizeof narrow);
}

static void read_dtype(const body *b, const key_row *key, aic_pto_word word)
{
    b->tile->type = aic_pto_type(b->in, word, key->name);
    b->tile->desc.dtype = aic_pto_type_dtype(b->tile->type);
}

/* An integer, which is stored and answered. */
static int64_t read_integer(const body *b, const key_row *key, aic_pto_word word)
{
    const int64_t value = aic_pto_integer(b->in, word, key->name);
    memcpy(field_at(b, key), &value, sizeof value);
    return value;
}

static void read_positive(const body *b, const key_row *key, aic_pto_word word)
{
    if (read_integer(b, key, word) <= 0) {
        aic_pto_fail_word(b->in, word, key->name, "positive");
    }
}

/* What the rules of the operator would refuse, refused here: with line and column. */
static void read_fractal(const body *b, const key_row *key, aic_pto_word word)
{
    const int64_t value = read_integer(b, key, word);
    if (value != 512 && value != 1024) {
        aic_pto_fail_word(b->in, word, key->name, "512 or 1024");
    }
}

static void read_compact(const body *b, const key_row *key, aic_pto_word word)
{
    if (read_integer(b, key, word) != 0) {
        aic_pto_fail_word(b->in, word, key->name, "0");
    }
}

static bool is_dynamic(aic_pto_word word)
{
    return aic_pto_word_is(word, "?") || aic_pto_word_is(word, "dyn");
}

static void read_size(const body *b, const key_row *key, aic_pto_word word)
{
    const int64_t dynamic = AIC_DYNAMIC;
    if (is_dynamic(word)) {
        memcpy(field_at(b, key), &dynamic, sizeof dynamic);
    } else if (read_integer(b, key, word) < 0) {
        aic_pto_fail_word(b->in, word, key->name, "0 or more");
    }
}

/* "3x5", "?x?": cut at the x; a size has none. */
static void read_valid(const body *b, const key_row *key, aic_pto_word word)
{
    static const key_row row = {"valid", NULL, offsetof(aic_texpands_desc, v_row), AIC_KIND_SIZE, 0, true};
    static const key_row col = {"valid", NULL, offsetof(aic_texpands_desc, v_col), AIC_KIND_SIZE, 0, true};
    const char *x = memchr(word.start, 'x', word.length);
    if (x == NULL || x == word.start || x + 1 == word.start + word.length) {
        aic_pto_fail_word(b->in, word, key->name, "ROWSxCOLS");
        return;
    }
    const aic_pto_word left = {word.start, (size_t)(x - word.start)};
    const aic_pto_word right = {x + 1, word.length - left.length - 1};
    read_size(b, &row, left);
    read_size(b, &col, right);
}

/* ---- ConvTiles ---- */

/* Only the layouts that ConvTiles have: ND, say, would make it another tile. */
static void read_layout(const body *b, const key_row *key, aic_pto_word word)
{
    aic_layout layouts[AIC_TEXPANDS_LAYOUTS];
    const size_t count = aic_texpands_layouts(AIC_CHIP_A5, layouts);
    uint64_t value;
    const bool known = aic_enum_value(AIC_KIND_LAYOUT, word.start, word.length, &value);
    for (size_t i = 0; known && i < count; i++) {
        if (value == (uint64_t)layouts[i]) {
            b->tile->desc.layout = layouts[i];
            return;
        }
    }
    aic_pto_fail_word(b->in, word, key->name, "NC1HWC0, FRACTAL_Z, NDC1HWC0 or FRACTAL_Z_3D");
}

/* "[1,16,7,7,16]"; the word is empty. */
static void read_shape(const body *b, const key_row *key, aic_pto_word word)
{
    enum { DIMS_MAX = sizeof b->tile->desc.shape / sizeof b->tile->desc.shape[0] };
    size_t count = 0;
    aic_pto_expect(b->in, '[');
    do {
        word = aic_pto_read_word(b->in, AIC_PTO_LITERAL, "a dimension");
        if (count == DIMS_MAX) {
            (void)aic_pto_fail(b->in, word.start, "%s: more than %d dimensions", key->name, (int)DIMS_MAX);
            return;
        }
        const int64_t value = aic_pto_integer(b->in, word, key->name);
        if (value <= 0) {
            aic_pto_fail_word(b->in, word, key->name, "positive");
        }
        b->tile->desc.shape[count++] = value;
    } while (aic_pto_take(b->in, ','));
    aic_pto_expect(b->in, ']');
}

#define AT(field) offsetof(aic_texpands_desc, field)

static const key_row keys[] = {
    {"loc", read_enum, AT(loc), AIC_KIND_LOC, LOC, false},
    {"dtype", read_dtype, AT(dtype), AIC_KIND_DTYPE, DTYPE, false},
    {"rows", read_positive, AT(rows), AIC_KIND_INT, ROWS, false},
    {"cols", read_positive, AT(cols), AIC_KIND_INT, COLS, false},
    {"v_row", read_size, AT(v_row), AIC_KIND_SIZE, V_ROW, false},
    {"v_col", read_size, AT(v_col), AIC_KIND_SIZE, V_COL, false},
    {"valid", read_valid, 0, AIC_KIND_SIZE, V_ROW | V_COL, true},
    {"blayout", read_enum, AT(blayout), AIC_KIND_BLAYOUT, BLAYOUT, true},
    {"slayout", read_enum, AT(slayout), AIC_KIND_SLAYOUT, SLAYOUT, true},
    {"fractal", read_fractal, AT(fractal), AIC_KIND_INT, FRACTAL, true},
    {"pad", read_enum, AT(pad), AIC_KIND_PAD, PAD, true},
    {"compact", read_compact, AT(compact), AIC_KIND_INT, COMPACT, true},
    {"layout", read_layout, AT(layout), AIC_KIND_LAYOUT, LAYOUT, false},
    {"shape", read_shape, AT(shape), AIC_KIND_DIMS, SHAPE, false},
    {"buffer_size", read_positive, AT(buffer_size), AIC_KIND_INT, BUFFER_SIZE, false},
};

enum { KEYS = sizeof keys / sizeof keys[0] };

static const key_row *find_key(const char *name)
{
    const key_row *row = keys;
    while (strcmp(row->name, name) != 0) {
        row++;
    }
    return row;
}

/* ---- bodies ---- */

/* A key that the tile has no use for; its value has been read. */
static void fail_kind(const body *b, const key_row *key, const char *value)
{
    enum { SHOWN_MAX = 40 };
    const int length = (int)(b->in->at - value);
    const bool cut = length > SHOWN_MAX;
    (void)aic_pto_fail(b->in, value, "%s: %.*s%s is given to a %s, which has no %s", key->name,
                       cut ? SHOWN_MAX : length, value, cut ? "..." : "",
                       key->bits & OF_TILE ? "ConvTile (layout, shape)" : "tile of rows and columns", key->name);
}

/* "key=" has been read as far as the key. */
static void read_pair(body *b, aic_pto_word name, bool compact)
{
    size_t k = 0;
    while (k < KEYS && !(aic_pto_word_is(name, keys[k].name) && (keys[k].compact || !compact))) {
        k++;
    }
    if (k == KEYS) {
        aic_pto_fail_word(b->in, name, "",
                          compact ? "a key (valid, blayout, slayout, fractal, pad, compact)"
                                  : "a key (loc, dtype, rows, cols, v_row, v_col, valid, blayout, slayout, "
                                    "fractal, pad, compact; of a ConvTile loc, dtype, layout, shape, "
                                    "buffer_size)");
        return;
    }
    if (b->seen & keys[k].bits) {
        (void)aic_pto_fail(b->in, name.start, "%s: given twice", keys[k].name);
    }
    b->seen |= keys[k].bits;
    aic_pto_expect(b->in, '=');
    aic_pto_skip(b->in);
    const char *start = b->in->at;
    const bool word = keys[k].bits != SHAPE;
    keys[k].read(b, &keys[k], word ? aic_pto_read_word(b->in, AIC_PTO_LITERAL, "a value") : (aic_pto_word){"", 0});
    if ((b->seen & OF_CONV) && (b->seen & OF_TILE)) {
        fail_kind(b, &keys[k], start);
    }
}

/* Digits, up to the x that must follow. */
static void read_extent(body *b, const char *key)
{
    aic_pto_reader *in = b->in;
    aic_pto_skip(in);
    aic_pto_word digits = {in->at, 0};
    while (in->at < in->end && *in->at >= '0' && *in->at <= '9') {
        in->at++;
    }
    digits.length = (size_t)(in->at - digits.start);
    if (digits.length == 0) {
        (void)aic_pto_fail(in, in->at, "%s: expected a number", key);
        return;
    }
    read_positive(b, find_key(key), digits);
    aic_pto_expect(in, 'x');
}

/* ROWSxCOLSxTYPE */
static void read_short(body *b)
{
    b->seen |= ROWS | COLS | DTYPE;
    read_extent(b, "rows");
    read_extent(b, "cols");
    read_dtype(b, find_key("dtype"), aic_pto_read_word(b->in, AIC_PTO_NAME, "a type"));
}

/* Values of these keys, in this order; the first word has been read. */
static void read_values(body *b, const char *const *order, size_t count, aic_pto_word word)
{
    for (size_t i = 0; i < count; i++) {
        const key_row *key = find_key(order[i]);
        if (i > 0) {
            aic_pto_expect(b->in, ',');
            word = aic_pto_read_word(b->in, AIC_PTO_LITERAL, order[i]);
        }
        b->seen |= key->bits;
        if (key->bits != FRACTAL || !aic_pto_word_is(word, "None")) {
            key->read(b, key, word);
        }
    }
}

/* Behind "loc=LOC,": the first word has been read. */
static void read_positional(body *b, aic_pto_word word)
{
    static const char *const order[] = {"dtype", "rows", "cols", "blayout", "slayout", "fractal", "pad"};
    read_values(b, order, sizeof order / sizeof order[0], word);
}

/* Behind "TYPE,": rows and columns. */
static void read_plain(body *b, aic_pto_word type)
{
    static const char *const order[] = {"rows", "cols"};
    read_dtype(b, find_key("dtype"), type);
    b->seen |= DTYPE;
    read_values(b, order, sizeof order / sizeof order[0], aic_pto_read_word(b->in, AIC_PTO_LITERAL, order[0]));
}

/* The rest of a keyed body, whose first pair has been read. */
static void read_keyed(body *b)
{
    for (bool second = b->seen == LOC; aic_pto_take(b->in, ','); second = false) {
        const aic_pto_word word = aic_pto_read_word(b->in, AIC_PTO_LITERAL, "a key");
        if (second && !aic_pto_comes(b->in, '=')) {
            read_positional(b, word);
            return;
        }
        read_pair(b, word, false);
    }
}

/* Behind "LOC,". */
static void read_compact_body(body *b, aic_pto_word loc)
{
    b->seen |= LOC;
    read_enum(b, find_key("loc"), loc);
    read_short(b);
    while (aic_pto_take(b->in, ',')) {
        read_pair(b, aic_pto_read_word(b->in, AIC_PTO_NAME, "a key"), true);
    }
}

static void read_body(body *b)
{
    aic_pto_reader *in = b->in;
    aic_pto_skip(in);
    if (in->at < in->end && *in->at >= '0' && *in->at <= '9') {
        read_short(b);
        return;
    }
    const aic_pto_word word = aic_pto_read_word(in, AIC_PTO_NAME, "a tile type");
    if (aic_pto_word_is(word, "...")) {
        (void)aic_pto_fail(in, word.start,
                           "\"...\" stands for a tile type that is left out; write it, e.g. "
                           "!pto.tile<16x16xf32>");
    } else if (!aic_pto_take(in, ',')) {
        read_pair(b, word, false);
        read_keyed(b);
    } else if (find_type(word) >= 0) {
        read_plain(b, word);
    } else {
        read_compact_body(b, word);
    }
}

static void check_required(const body *b)
{
    enum { REQUIRED = 3 };
    static const char *const of_tile[REQUIRED] = {"dtype", "rows", "cols"};
    static const char *const of_conv[REQUIRED] = {"dtype", "layout", "shape"};
    const char *const *required = b->seen & OF_CONV ? of_conv : of_tile;
    for (size_t i = 0; i < REQUIRED; i++) {
        if (!(b->seen & find_key(required[i])->bits)) {
            (void)aic_pto_fail(b->in, b->in->at - 1, "%s: this key is required and missing", required[i]);
        }
    }
}

void aic_pto_read_tile(aic_pto_reader *in, aic_pto_tile *tile)
{
    body b = {in, tile, 0};
    *tile = (aic_pto_tile){.desc = aic_texpands_desc_init()};
    aic_pto_expect(in, '!');
    const aic_pto_word name = aic_pto_read_word(in, AIC_PTO_NAME, "pto.tile or pto.tile_buf");
    if (!aic_pto_word_is(name, "pto.tile") && !aic_pto_word_is(name, "pto.tile_buf")) {
        aic_pto_fail_word(in, name, "", "pto.tile or pto.tile_buf");
    }
    aic_pto_expect(in, '<');
    const aic_rule *before = in->about;
    in->about = aic_request_rule(AIC_REQUEST_tile);
    read_body(&b);
    aic_pto_expect(in, '>');
    check_required(&b);
    in->about = before;
    aic_texpands_fill_in(&tile->desc);
}
