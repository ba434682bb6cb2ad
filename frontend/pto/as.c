/* Statements of PTO-AS; see pto_as.h. One pass, no recursion, no allocation. */
#include "frontend/pto/as.h"

#include "frontend/text/scalar.h"
#include <aic/pto.h>

#include <stdio.h>
#include <string.h>

/* ---- parts ---- */

static aic_status read_type(aic_pto_reader *in, aic_pto_line *line)
{
    aic_pto_word word;
    aic_status status = aic_pto_read_word(in, AIC_PTO_NAME, "a type", &word);
    if (status != AIC_OK) {
        return status;
    }
    line->type = aic_pto_type_find(word);
    line->type_where = word.start;
    return line->type >= 0
               ? AIC_OK
               : aic_pto_fail_word(in, word, "",
                                   "a type (f16, f32, bf16, i8, i16, i32, ui8, ui16, ui32, si8, si16, si32)");
}

static aic_status read_literal(aic_pto_reader *in, aic_pto_word *word)
{
    aic_status status = aic_pto_read_word(in, AIC_PTO_LITERAL, "a value or a literal", word);
    if (status == AIC_OK && !aic_pto_is_integer(*word) && !aic_pto_is_float(*word)) {
        status = aic_pto_fail_word(in, *word, "", "a literal");
    }
    return status;
}

/* A literal of the line's type. */
static aic_status convert_literal(const aic_pto_reader *in, aic_pto_word word, aic_pto_line *line)
{
    const aic_dtype dtype = aic_pto_type_dtype(line->type);
    char limits[AIC_SCALAR_LIMITS_MAX], expected[AIC_SCALAR_LIMITS_MAX + 40];
    switch (aic_scalar_read(dtype, word.start, word.length, &line->bits)) {
    case AIC_SCALAR_OK:
        return AIC_OK;
    case AIC_SCALAR_RANGE:
        aic_scalar_limits(dtype, limits);
        snprintf(expected, sizeof expected, "representable in %s (%s)", aic_pto_type_name(line->type), limits);
        return aic_pto_fail_word(in, word, "scalar", expected);
    default:
        return aic_pto_fail_word(in, word, "scalar",
                                 aic_pto_is_float(word) ? "an integer, as the type is" : "a literal of this type");
    }
}

/* value ":" dtype */
static aic_status read_scalar(aic_pto_reader *in, aic_pto_line *line)
{
    aic_pto_word literal = {NULL, 0};
    aic_pto_skip(in);
    aic_status status =
        in->at < in->end && *in->at == '%' ? aic_pto_read_ssa(in, &line->value) : read_literal(in, &literal);
    status = status == AIC_OK ? aic_pto_expect(in, ':') : status;
    status = status == AIC_OK ? read_type(in, line) : status;
    return status == AIC_OK && literal.length > 0 ? convert_literal(in, literal, line) : status;
}

/* The tile's type, whose elements must be the scalar's. */
static aic_status read_target(aic_pto_reader *in, aic_pto_line *line)
{
    aic_status status = aic_pto_read_tile(in, &line->tile);
    if (status == AIC_OK && line->tile.type != line->type) {
        status = aic_pto_fail(in, line->type_where, "dtype: the scalar is %s, the tile's elements are %s",
                              aic_pto_type_name(line->type), aic_pto_type_name(line->tile.type));
    }
    if (status == AIC_OK && line->value.length == 0) {
        line->tile.desc.literal = (int64_t)line->bits;
    }
    return status;
}

/* ---- statements ---- */

/* ssa "=" has been read. */
static aic_status read_result(aic_pto_reader *in, aic_pto_line *line)
{
    aic_pto_word word;
    line->kind = AIC_PTO_TEXPANDS;
    line->defines = true;
    aic_status status = aic_pto_read_word(in, AIC_PTO_NAME, "texpands", &word);
    const bool level1 = status == AIC_OK && aic_pto_word_is(word, "pto.texpands");
    if (status == AIC_OK && !level1 && !aic_pto_word_is(word, "texpands")) {
        status = aic_pto_fail_word(in, word, "", "texpands or pto.texpands");
    }
    if (status == AIC_OK) {
        status = read_scalar(in, line);
    }
    if (status == AIC_OK && level1 && aic_pto_take(in, '-')) {
        status = in->at < in->end && *in->at == '>' ? aic_pto_expect(in, '>')
                                                    : aic_pto_fail(in, in->at - 1, "expected '->' or ','");
    } else if (status == AIC_OK) {
        status = aic_pto_expect(in, ',');
    }
    return status == AIC_OK ? read_target(in, line) : status;
}

static aic_status expect_word(aic_pto_reader *in, const char *expected)
{
    aic_pto_word word;
    aic_status status = aic_pto_read_word(in, AIC_PTO_NAME, expected, &word);
    return status != AIC_OK || aic_pto_word_is(word, expected) ? status : aic_pto_fail_word(in, word, "", expected);
}

/* "ins" "(" value ":" dtype ")" "outs" "(" ssa ":" tile_type ")", over line ends */
static aic_status read_level2(aic_pto_reader *in, aic_pto_line *line)
{
    line->kind = AIC_PTO_TEXPANDS;
    in->spans_lines = true;
    aic_status status = expect_word(in, "ins");
    status = status == AIC_OK ? aic_pto_expect(in, '(') : status;
    status = status == AIC_OK ? read_scalar(in, line) : status;
    status = status == AIC_OK ? aic_pto_expect(in, ')') : status;
    status = status == AIC_OK ? expect_word(in, "outs") : status;
    status = status == AIC_OK ? aic_pto_expect(in, '(') : status;
    status = status == AIC_OK ? aic_pto_read_ssa(in, &line->name) : status;
    status = status == AIC_OK ? aic_pto_expect(in, ':') : status;
    status = status == AIC_OK ? read_target(in, line) : status;
    status = status == AIC_OK ? aic_pto_expect(in, ')') : status;
    in->spans_lines = false;
    return status;
}

/* ssa "," "@tile" "(" integer ")". Whether the address is legal depends on the placement and is judged at the end. */
static aic_status read_tassign(aic_pto_reader *in, aic_pto_line *line)
{
    aic_pto_word word;
    line->kind = AIC_PTO_TASSIGN;
    aic_status status = aic_pto_read_ssa(in, &line->name);
    status = status == AIC_OK ? aic_pto_expect(in, ',') : status;
    status = status == AIC_OK ? aic_pto_expect(in, '@') : status;
    status = status == AIC_OK ? expect_word(in, "tile") : status;
    status = status == AIC_OK ? aic_pto_expect(in, '(') : status;
    status = status == AIC_OK ? aic_pto_read_word(in, AIC_PTO_LITERAL, "an address", &word) : status;
    status = status == AIC_OK ? aic_pto_integer(in, word, "address", &line->address) : status;
    if (status == AIC_OK && line->address <= AIC_DYNAMIC) { /* stands for no address */
        status = aic_pto_fail_word(in, word, "address", "above -9223372036854775807");
    }
    return status == AIC_OK ? aic_pto_expect(in, ')') : status;
}

/* ssa ":" ( dtype | tile_type ) */
static aic_status read_arg(aic_pto_reader *in, aic_pto_line *line)
{
    aic_status status = aic_pto_read_ssa(in, &line->name);
    if (status == AIC_OK) {
        status = aic_pto_expect(in, ':');
    }
    aic_pto_skip(in);
    const bool tile = in->at < in->end && *in->at == '!';
    line->kind = tile ? AIC_PTO_ARG_TILE : AIC_PTO_ARG_SCALAR;
    if (status == AIC_OK) {
        status = tile ? aic_pto_read_tile(in, &line->tile) : read_type(in, line);
    }
    return status;
}

/* ssa "=" literal ":" dtype */
static aic_status read_const(aic_pto_reader *in, aic_pto_line *line)
{
    aic_pto_word literal;
    line->kind = AIC_PTO_CONST;
    aic_status status = aic_pto_read_ssa(in, &line->name);
    status = status == AIC_OK ? aic_pto_expect(in, '=') : status;
    status = status == AIC_OK ? read_literal(in, &literal) : status;
    status = status == AIC_OK ? aic_pto_expect(in, ':') : status;
    status = status == AIC_OK ? read_type(in, line) : status;
    return status == AIC_OK ? convert_literal(in, literal, line) : status;
}

static const struct {
    const char *word;
    aic_status (*read)(aic_pto_reader *in, aic_pto_line *line);
} statements[] = {
    {"pto.texpands", read_level2}, {"pto.tassign", read_tassign}, {".arg", read_arg}, {".const", read_const}};

enum { STATEMENTS = sizeof statements / sizeof statements[0] };

static aic_status read_statement(aic_pto_reader *in, aic_pto_line *line)
{
    aic_pto_word word;
    line->where = in->at;
    if (*in->at == '%') {
        aic_status status = aic_pto_read_ssa(in, &line->name);
        status = status == AIC_OK ? aic_pto_expect(in, '=') : status;
        return status == AIC_OK ? read_result(in, line) : status;
    }
    aic_status status = aic_pto_read_word(in, AIC_PTO_NAME, "a statement", &word);
    if (status != AIC_OK) {
        return status;
    }
    for (size_t i = 0; i < STATEMENTS; i++) {
        if (aic_pto_word_is(word, statements[i].word)) {
            return statements[i].read(in, line);
        }
    }
    return aic_pto_fail_word(in, word, "", "a statement (pto.texpands, pto.tassign, .arg, .const)");
}

/* Attributes in braces behind a statement mean nothing here: they are read as far as brackets and quotes pair up,
 * within the line, and dropped. */
static aic_status drop_attributes(aic_pto_reader *in)
{
    aic_pto_skip(in);
    const char *open = in->at, *quote = NULL;
    if (in->at == in->end || *in->at != '{') {
        return AIC_OK;
    }
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
            return AIC_OK;
        }
    }
    return quote != NULL ? aic_pto_fail(in, quote, "attributes: this '\"' is not closed on its line")
                         : aic_pto_fail(in, open, "attributes: this '{' is not closed on its line");
}

aic_status aic_pto_read_line(aic_pto_reader *in, aic_pto_line *line)
{
    *line = (aic_pto_line){.kind = AIC_PTO_EMPTY, .type = -1};
    aic_status status = AIC_OK;
    aic_pto_skip(in);
    if (in->at < in->end && *in->at == ';') { /* a comment, too, where a line begins */
        const char *end = memchr(in->at, '\n', (size_t)(in->end - in->at));
        in->at = end ? end : in->end;
    } else if (!aic_pto_line_ends(in)) {
        status = read_statement(in, line);
        status = status == AIC_OK ? drop_attributes(in) : status;
        (void)(status == AIC_OK && aic_pto_take(in, ';'));
    }
    if (status == AIC_OK) {
        status = aic_pto_expect_line_end(in);
    }
    in->at += status == AIC_OK && in->at < in->end;
    return status;
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
    aic_status status = AIC_OK;
    while (status == AIC_OK && line.kind == AIC_PTO_EMPTY) { /* there is a statement: it was recognised */
        status = aic_pto_read_line(&in, &line);
    }
    if (status == AIC_OK && line.kind != AIC_PTO_TEXPANDS) {
        status = aic_pto_fail(&in, line.where, "expected a texpands statement; others belong to a program");
    }
    while (status == AIC_OK && more.kind == AIC_PTO_EMPTY && in.at < in.end) {
        status = aic_pto_read_line(&in, &more);
    }
    if (status == AIC_OK && more.kind != AIC_PTO_EMPTY) {
        status = aic_pto_fail(&in, more.where, "expected the end of the text: it is one statement, no program");
    }
    if (status == AIC_OK) {
        *spec = aic_spec_of(AIC_OP_TEXPANDS, &line.tile.desc);
    }
    return status;
}
