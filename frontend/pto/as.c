/* Statements of PTO-AS; see pto_as.h. One pass, no recursion, no allocation. */
#include "frontend/pto/as.h"

#include "frontend/text/scalar.h"
#include <aic/pto.h>

#include <stdio.h>
#include <string.h>

/* ---- parts ---- */

static void read_type(aic_pto_reader *in, aic_pto_line *line)
{
    const aic_pto_word word = aic_pto_read_word(in, AIC_PTO_NAME, "a type");
    line->type = aic_pto_type(in, word, "");
    line->type_where = word.start;
}

static aic_pto_word read_literal(aic_pto_reader *in)
{
    const aic_pto_word word = aic_pto_read_word(in, AIC_PTO_LITERAL, "a value or a literal");
    if (!aic_pto_is_integer(word) && !aic_pto_is_float(word)) {
        aic_pto_fail_word(in, word, "", "a literal");
    }
    return word;
}

/* A literal of the line's type. */
static void convert_literal(aic_pto_reader *in, aic_pto_word word, aic_pto_line *line)
{
    const aic_dtype dtype = aic_pto_type_dtype(line->type);
    char limits[AIC_SCALAR_LIMITS_MAX], expected[AIC_SCALAR_LIMITS_MAX + 40];
    switch (aic_scalar_read(dtype, word.start, word.length, &line->bits)) {
    case AIC_SCALAR_OK:
        break;
    case AIC_SCALAR_RANGE:
        aic_scalar_limits(dtype, limits);
        snprintf(expected, sizeof expected, "representable in %s (%s)", aic_pto_type_name(line->type), limits);
        aic_pto_fail_word(in, word, "scalar", expected);
        break;
    default:
        aic_pto_fail_word(in, word, "scalar",
                          aic_pto_is_float(word) ? "an integer, as the type is" : "a literal of this type");
        break;
    }
}

/* literal ":" dtype */
static void read_typed_literal(aic_pto_reader *in, aic_pto_line *line)
{
    const aic_pto_word literal = read_literal(in);
    aic_pto_expect(in, ':');
    read_type(in, line);
    convert_literal(in, literal, line);
}

/* value ":" dtype */
static void read_scalar(aic_pto_reader *in, aic_pto_line *line)
{
    if (!aic_pto_comes(in, '%')) {
        read_typed_literal(in, line);
        return;
    }
    line->value = aic_pto_read_ssa(in);
    aic_pto_expect(in, ':');
    read_type(in, line);
}

/* The tile's type, whose elements must be the scalar's. */
static void read_target(aic_pto_reader *in, aic_pto_line *line)
{
    aic_pto_read_tile(in, &line->tile);
    if (line->tile.type != line->type) {
        (void)aic_pto_fail(in, line->type_where, "dtype: the scalar is %s, the tile's elements are %s",
                           aic_pto_type_name(line->type), aic_pto_type_name(line->tile.type));
    }
    if (line->value.length == 0) {
        line->tile.desc.literal = (int64_t)line->bits;
    }
}

/* ---- statements ---- */

/* ssa "=" has been read. */
static void read_result(aic_pto_reader *in, aic_pto_line *line)
{
    line->kind = AIC_PTO_TEXPANDS;
    line->defines = true;
    const aic_pto_word word = aic_pto_read_word(in, AIC_PTO_NAME, "texpands");
    const bool level1 = aic_pto_word_is(word, "pto.texpands");
    if (!level1 && !aic_pto_word_is(word, "texpands")) {
        aic_pto_fail_word(in, word, "", "texpands or pto.texpands");
    }
    read_scalar(in, line);
    if (!level1 || !aic_pto_take(in, '-')) {
        aic_pto_expect(in, ',');
    } else if (in->at < in->end && *in->at == '>') {
        in->at++;
    } else {
        (void)aic_pto_fail(in, in->at - 1, "expected '->' or ','");
    }
    read_target(in, line);
}

static void expect_word(aic_pto_reader *in, const char *expected)
{
    const aic_pto_word word = aic_pto_read_word(in, AIC_PTO_NAME, expected);
    if (!aic_pto_word_is(word, expected)) {
        aic_pto_fail_word(in, word, "", expected);
    }
}

/* "ins" "(" value ":" dtype ")" "outs" "(" ssa ":" tile_type ")", over line ends */
static void read_level2(aic_pto_reader *in, aic_pto_line *line)
{
    line->kind = AIC_PTO_TEXPANDS;
    in->spans_lines = true;
    expect_word(in, "ins");
    aic_pto_expect(in, '(');
    read_scalar(in, line);
    aic_pto_expect(in, ')');
    expect_word(in, "outs");
    aic_pto_expect(in, '(');
    line->name = aic_pto_read_ssa(in);
    aic_pto_expect(in, ':');
    read_target(in, line);
    aic_pto_expect(in, ')');
    in->spans_lines = false;
}

/* ssa "," "@tile" "(" integer ")". Whether the address is legal depends on the placement and is judged at the end. */
static void read_tassign(aic_pto_reader *in, aic_pto_line *line)
{
    line->kind = AIC_PTO_TASSIGN;
    line->name = aic_pto_read_ssa(in);
    aic_pto_expect(in, ',');
    aic_pto_expect(in, '@');
    expect_word(in, "tile");
    aic_pto_expect(in, '(');
    const aic_pto_word word = aic_pto_read_word(in, AIC_PTO_LITERAL, "an address");
    line->address = aic_pto_integer(in, word, "address");
    if (line->address <= AIC_DYNAMIC) { /* stands for no address */
        aic_pto_fail_word(in, word, "address", "above -9223372036854775807");
    }
    aic_pto_expect(in, ')');
}

/* ssa ":" ( dtype | tile_type ) */
static void read_arg(aic_pto_reader *in, aic_pto_line *line)
{
    line->name = aic_pto_read_ssa(in);
    aic_pto_expect(in, ':');
    if (aic_pto_comes(in, '!')) {
        line->kind = AIC_PTO_ARG_TILE;
        aic_pto_read_tile(in, &line->tile);
    } else {
        line->kind = AIC_PTO_ARG_SCALAR;
        read_type(in, line);
    }
}

/* ssa "=" literal ":" dtype */
static void read_const(aic_pto_reader *in, aic_pto_line *line)
{
    line->kind = AIC_PTO_CONST;
    line->name = aic_pto_read_ssa(in);
    aic_pto_expect(in, '=');
    read_typed_literal(in, line);
}

static const struct {
    const char *word;
    void (*read)(aic_pto_reader *in, aic_pto_line *line);
} statements[] = {
    {"pto.texpands", read_level2}, {"pto.tassign", read_tassign}, {".arg", read_arg}, {".const", read_const}};

enum { STATEMENTS = sizeof statements / sizeof statements[0] };

static void read_statement(aic_pto_reader *in, aic_pto_line *line)
{
    line->where = in->at;
    if (aic_pto_comes(in, '%')) {
        line->name = aic_pto_read_ssa(in);
        aic_pto_expect(in, '=');
        read_result(in, line);
        return;
    }
    const aic_pto_word word = aic_pto_read_word(in, AIC_PTO_NAME, "a statement");
    for (size_t i = 0; i < STATEMENTS; i++) {
        if (aic_pto_word_is(word, statements[i].word)) {
            statements[i].read(in, line);
            return;
        }
    }
    aic_pto_fail_word(in, word, "", "a statement (pto.texpands, pto.tassign, .arg, .const)");
}

/* Attributes in braces behind a statement mean nothing here: they are read as far as brackets and quotes pair up,
 * within the line, and dropped. */
static void drop_attributes(aic_pto_reader *in)
{
    if (!aic_pto_comes(in, '{')) {
        return;
    }
    const char *open = in->at, *quote = NULL;
    for (size_t depth = 0; in->at < in->end && *in->at != '\n'; in->at++) {
        if (quote != NULL) {
            const bool escaped = *in->at == '\\' && in->end - in->at > 1 && in->at[1] != '\n';
            in->at += escaped;
            quote = !escaped && *in->at == '"' ? NULL : quote;
        } else if (*in->at == '"') {
            quote = in->at;
        } else if (*in->at == '{') {
            depth++;
        } else if (*in->at == '}' && --depth == 0) {
            in->at++;
            return;
        }
    }
    (void)(quote != NULL ? aic_pto_fail(in, quote, "attributes: this '\"' is not closed on its line")
                         : aic_pto_fail(in, open, "attributes: this '{' is not closed on its line"));
}

aic_status aic_pto_read_line(aic_pto_reader *in, aic_pto_line *line)
{
    *line = (aic_pto_line){.kind = AIC_PTO_EMPTY};
    if (aic_pto_comes(in, ';')) { /* a comment, too, where a line begins */
        const char *end = memchr(in->at, '\n', (size_t)(in->end - in->at));
        in->at = end ? end : in->end;
    } else if (!aic_pto_line_ends(in)) {
        read_statement(in, line);
        drop_attributes(in);
        (void)aic_pto_take(in, ';');
    }
    aic_pto_expect_line_end(in);
    in->at += in->at < in->end;
    return in->status;
}

/* ---- operator text ---- */

bool aic_pto_recognise(const char *text)
{
    static const char prefix[] = "pto.";
    if (text == NULL) {
        return false;
    }
    text += strspn(text, " \t\r\n\v\f");
    return *text == '%' || strncmp(text, prefix, sizeof prefix - 1) == 0;
}

aic_status aic_pto_read_spec(const char *text, aic_spec *spec)
{
    aic_pto_reader in = {.text = text, .end = text + strlen(text), .at = text};
    aic_pto_line line = {.kind = AIC_PTO_EMPTY}, more = {.kind = AIC_PTO_EMPTY};
    while (in.status == AIC_OK && line.kind == AIC_PTO_EMPTY) { /* there is a statement: it was recognised */
        (void)aic_pto_read_line(&in, &line);
    }
    if (line.kind != AIC_PTO_TEXPANDS) {
        (void)aic_pto_fail(&in, line.where, "expected a texpands statement; others belong to a program");
    }
    while (in.status == AIC_OK && more.kind == AIC_PTO_EMPTY && in.at < in.end) {
        (void)aic_pto_read_line(&in, &more);
    }
    if (more.kind != AIC_PTO_EMPTY) {
        (void)aic_pto_fail(&in, more.where, "expected the end of the text: it is one statement, no program");
    }
    if (in.status == AIC_OK) {
        *spec = aic_spec_of(AIC_OP_TEXPANDS, &line.tile.desc);
    }
    return in.status;
}
