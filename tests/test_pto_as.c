/* PTO-AS: every spelling of the grammar, what is refused and where, programs, and text that a grammar draws and spoils.
 * AIC_FUZZ in the environment: how many such texts, default 20000. */
#include "frontend/pto_as.h"
#include "frontend/rng.h"
#include "tests/specs.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

Suite *suite_pto_as(void);

#define FULL                                                                                                           \
    "!pto.tile_buf<loc=vec, dtype=f32, rows=16, cols=16, v_row=16, v_col=16, blayout=row_major, slayout=none_box, "    \
    "fractal=512, pad=0>"
#define CANONICAL "pto.texpands ins(%scalar : f32) outs(%dst : " FULL ")"
#define TILE(rest) "!pto.tile<loc=vec, dtype=f32, rows=16, cols=16" rest ">"
#define OF(type, tile) "%dst = texpands %scalar : " type ", !pto.tile<" tile ">"
#define PRINTED(loc, type, rows, cols, v_row, v_col, blayout, slayout, fractal, pad)                                   \
    "pto.texpands ins(%scalar : " type ") outs(%dst : !pto.tile_buf<loc=" loc ", dtype=" type ", rows=" rows           \
    ", cols=" cols ", v_row=" v_row ", v_col=" v_col ", blayout=" blayout ", slayout=" slayout ", fractal=" fractal    \
    ", pad=" pad ">)"
#define LITERAL(value, type)                                                                                           \
    "pto.texpands ins(" value " : " type ") outs(%dst : !pto.tile_buf<loc=vec, dtype=" type                            \
    ", rows=32, cols=32, v_row=32, v_col=32, blayout=row_major, slayout=none_box, fractal=512, pad=0>)"
#define SET(value, type) "%dst = texpands " value " : " type ", !pto.tile<32x32x" type ">"

/* ---- one statement, wherever operator text is ---- */

static const struct {
    const char *text, *canonical;
} good[] = {
    {CANONICAL, CANONICAL},
    {"%dst = texpands %scalar : f32, " TILE(""), CANONICAL},
    {"%dst = pto.texpands %scalar : f32, " TILE(""), CANONICAL},
    {"%dst = pto.texpands %scalar : f32 -> " TILE(""), CANONICAL},
    {"%dst=pto.texpands%scalar:f32->!pto.tile_buf<16x16xf32>;", CANONICAL},
    {"pto.texpands ins(%scalar : f32) outs(%dst : " TILE("") ") ; # done", CANONICAL},
    {"pto.texpands\n  ins(%scalar # the value\n : f32)\n\n outs(%dst : // and where to\n " TILE("") "\r\n)\n",
     CANONICAL},
    {"\n \t\r\npto.texpands ins(%9a.$-_ : f32) outs(%_ : " TILE("") ")\n# and\n// no\n; more", CANONICAL},
    {OF("f32", "16x16xf32"), CANONICAL},
    {OF("f32", " 16 x 16 x f32 "), CANONICAL},
    {OF("f32", "vec, 16x16xf32"), CANONICAL},
    {OF("f32", "Vec,16x16xf32,pad=null,compact=0"), CANONICAL},
    {OF("f32", "cols=16,dtype=f32,rows=16"), CANONICAL},
    {OF("f32", "rows=0x10, cols=16, dtype=f32, valid=16x16"), CANONICAL},
    {OF("f32", "loc=vec, f32, 16, 16, RowMajor, NoneBox, None, Null"), CANONICAL},
    {OF("f32", "loc=vec, f32, 16, 16, RowMajor, NoneBox, None, Zero"),
     PRINTED("vec", "f32", "16", "16", "16", "16", "row_major", "none_box", "512", "1")},
    {OF("f16", "loc=mat, f16, 16, 32, ColMajor, RowMajor, 1024, Max"),
     PRINTED("mat", "f16", "16", "32", "16", "32", "col_major", "row_major", "1024", "2")},
    {OF("f16", "Mat, 16x32xf16, valid=3x?, blayout=col_major, slayout=col_major, fractal=1024, pad=min"),
     PRINTED("mat", "f16", "16", "32", "3", "?", "col_major", "col_major", "1024", "3")},
    {OF("bf16", "loc=Mat, dtype=bf16, rows=16, cols=16, v_row=dyn, v_col=?, pad=3"),
     PRINTED("mat", "bf16", "16", "16", "?", "?", "row_major", "none_box", "512", "3")},
    {OF("i8", "vec, 16x32xi8, valid=dynx0"),
     PRINTED("vec", "i8", "16", "32", "?", "0", "row_major", "none_box", "512", "0")},
    {OF("si8", "16x32xsi8"), PRINTED("vec", "i8", "16", "32", "16", "32", "row_major", "none_box", "512", "0")},
    {OF("ui16", "16x16xui16"), PRINTED("vec", "ui16", "16", "16", "16", "16", "row_major", "none_box", "512", "0")},
    {SET("-2", "i8"), LITERAL("-2", "i8")},
    {SET("255", "ui8"), LITERAL("255", "ui8")},
    {SET("0x7fff", "i16"), LITERAL("32767", "i16")},
    {SET("-0x8000", "i16"), LITERAL("-32768", "i16")},
    {SET("0xFFFFFFFF", "ui32"), LITERAL("4294967295", "ui32")},
    {SET("0x3F800000", "f32"), LITERAL("1.0", "f32")},
    {SET("1", "f32"), LITERAL("1.0", "f32")},
    {SET("-0.0", "f32"), LITERAL("-0.0", "f32")},
    {SET("1.5e-3", "f16"), LITERAL("0.0015", "f16")},
    {SET("1.0E+20", "f32"), LITERAL("1.0e+20", "f32")},
    {SET("0.1", "f32"), LITERAL("0.1", "f32")},
    {SET("1000.0", "f32"), LITERAL("1000.0", "f32")},
    {SET("0x00000001", "f32"), LITERAL("1.0e-45", "f32")},
    {SET("0.3333333333333333", "f32"), LITERAL("0.33333334", "f32")},
    {SET("0x7FC00001", "f32"), LITERAL("0x7FC00001", "f32")},
    {SET("0xFC00", "f16"), LITERAL("0xFC00", "f16")},
};

START_TEST(reads_and_prints)
{
    aic_spec spec, back;
    char text[1024];
    ck_assert_msg(aic_spec_parse(good[_i].text, &spec) == AIC_OK, "%s: %s", good[_i].text, aic_last_error());
    if (aic_spec_validate(&spec, NULL) != AIC_OK) { /* legal on A2A3 */
        spec.stage[0].desc.texpands.arch = AIC_A2A3;
        ck_assert_msg(aic_pto_print_spec(&spec, text, sizeof text, NULL) == AIC_INVALID_ARGUMENT ||
                          aic_spec_validate(&spec, NULL) == AIC_OK,
                      "%s: %s", good[_i].text, aic_last_error());
    }
    ck_assert_msg(aic_pto_print_spec(&spec, text, sizeof text, NULL) == AIC_OK, "%s: %s", good[_i].text,
                  aic_last_error());
    ck_assert_str_eq(text, good[_i].canonical);
    ck_assert_int_eq(aic_spec_parse(text, &back), AIC_OK);
    back.stage[0].desc.texpands.arch = spec.stage[0].desc.texpands.arch;
    ck_assert(aic_spec_equal(&spec, &back));
}
END_TEST

static const struct {
    const char *text, *message;
} bad[] = {
    {"%", "texpands: expected a name behind '%' instead of the end of the text (line 1, column 2)"},
    {"%-a", "texpands: expected a name behind '%' instead of '-' (line 1, column 2)"},
    {"%dst", "texpands: expected '=' instead of the end of the text (line 1, column 5)"},
    {"%dst =\n", "texpands: expected texpands instead of the end of the line (line 1, column 7)"},
    {"%dst = texpand %s", "texpands: texpand is not texpands or pto.texpands (line 1, column 8)"},
    {"%dst = texpands", "texpands: expected a value or a literal instead of the end of the text (line 1, column 16)"},
    {"%dst = texpands %s", "texpands: expected ':' instead of the end of the text (line 1, column 19)"},
    {"%dst = texpands %s :\nf32", "texpands: expected a type instead of the end of the line (line 1, column 21)"},
    {"%dst = texpands %s : f64, " TILE(""), "texpands: f64 is not a type (f16, f32, bf16, i8, i16, i32, ui8, ui16, "
                                            "ui32, si8, si16, si32) (line 1, column 22)"},
    {"%dst = texpands %s : f32 -> " TILE(""), "texpands: expected ',' instead of '-' (line 1, column 26)"},
    {"%dst = pto.texpands %s : f32 - " TILE(""), "texpands: expected '->' or ',' (line 1, column 30)"},
    {"%dst = texpands %s : f16, " TILE(""),
     "texpands: dtype: the scalar is f16, the tile's elements are f32 (line 1, column 22)"},
    {"%dst = texpands %s : i8, !pto.tile<16x32xsi8>",
     "texpands: dtype: the scalar is i8, the tile's elements are si8 (line 1, column 22)"},
    {"%dst = texpands x : f32, " TILE(""), "texpands: x is not a literal (line 1, column 17)"},
    {"%dst = texpands 1e5 : f32, " TILE(""), "texpands: 1e5 is not a literal (line 1, column 17)"},
    {"%dst = texpands +1.0 : f32, " TILE(""), "texpands: +1.0 is not a literal (line 1, column 17)"},
    {"%dst = texpands 1. : f32, " TILE(""), "texpands: 1. is not a literal (line 1, column 17)"},
    {"%dst = texpands 1.0e : f32, " TILE(""), "texpands: 1.0e is not a literal (line 1, column 17)"},
    {"%dst = texpands 0x : f32, " TILE(""), "texpands: 0x is not a literal (line 1, column 17)"},
    {"%dst = texpands - : f32, " TILE(""), "texpands: - is not a literal (line 1, column 17)"},
    {SET("128", "i8"), "texpands: scalar: 128 is not representable in i8 (-128..127) (line 1, column 17)"},
    {SET("-1", "ui8"), "texpands: scalar: -1 is not representable in ui8 (0..255) (line 1, column 17)"},
    {SET("1.0", "i32"), "texpands: scalar: 1.0 is not an integer, as the type is (line 1, column 17)"},
    {SET("65520.0", "f16"), "texpands: scalar: 65520.0 is not representable in f16 (float16) (line 1, column 17)"},
    {SET("0x10000", "f16"), "texpands: scalar: 0x10000 is not representable in f16 (float16) (line 1, column 17)"},
    {SET("-0x1", "f16"), "texpands: scalar: -0x1 is not a literal of this type (line 1, column 17)"},
    {OF("f32", ""), "texpands: expected a tile type instead of '>' (line 1, column 42)"},
    {OF("f32", "16"), "texpands: expected 'x' instead of '>' (line 1, column 44)"},
    {OF("f32", "16x"), "texpands: cols: expected a number (line 1, column 45)"},
    {OF("f32", "16x16"), "texpands: expected 'x' instead of '>' (line 1, column 47)"},
    {OF("f32", "0x16xf32"), "texpands: rows: 0 is not positive (line 1, column 42)"},
    {OF("f32", "16x16xf33"),
     "texpands: dtype: f33 is not a type (f16, f32, bf16, i8, i16, i32, ui8, ui16, ui32, si8, si16, si32) (line 1, "
     "column 48)"},
    {OF("f32", "16x16xf32, pad=0"), "texpands: expected '>' instead of ',' (line 1, column 51)"},
    {OF("f32", "99999999999999999999x16xf32"),
     "texpands: rows: 99999999999999999999 is not an integer of 64 bits (line 1, column 42)"},
    {OF("f32", "colour=red, rows=1"),
     "texpands: colour is not a key (loc, dtype, rows, cols, v_row, v_col, valid, blayout, slayout, fractal, pad, "
     "compact) (line 1, column 42)"},
    {OF("f32", "rows=16, rows=16"), "texpands: rows: given twice (line 1, column 51)"},
    {OF("f32", "valid=1x1, v_col=2"), "texpands: v_col: given twice (line 1, column 53)"},
    {OF("f32", "rows=16, cols=16"), "texpands: dtype: this key is required and missing (line 1, column 58)"},
    {OF("f32", "dtype=f32, cols=16"), "texpands: rows: this key is required and missing (line 1, column 60)"},
    {OF("f32", "dtype=f32, rows=16"), "texpands: cols: this key is required and missing (line 1, column 60)"},
    {OF("f32", "dtype=f32, rows=16,"), "texpands: expected a key instead of '>' (line 1, column 61)"},
    {OF("f32", "dtype=f32, rows 16"), "texpands: expected '=' instead of '1' (line 1, column 58)"},
    {OF("f32", "dtype=f32, rows="), "texpands: expected a value instead of '>' (line 1, column 58)"},
    {OF("f32", "rows=-16"), "texpands: rows: -16 is not positive (line 1, column 47)"},
    {OF("f32", "rows=1.5"), "texpands: rows: 1.5 is not an integer (line 1, column 47)"},
    {OF("f32", "v_row=-1"), "texpands: v_row: -1 is not 0 or more (line 1, column 48)"},
    {OF("f32", "valid=3"), "texpands: valid: 3 is not ROWSxCOLS (line 1, column 48)"},
    {OF("f32", "valid=3x"), "texpands: valid: 3x is not ROWSxCOLS (line 1, column 48)"},
    {OF("f32", "valid=3xy"), "texpands: valid: y is not an integer (line 1, column 50)"},
    {OF("f32", "loc=top"),
     "texpands: loc: top is not a location (vec, mat, left, right, acc, bias, scaling) (line 1, column 46)"},
    {OF("f32", "loc=VEC"),
     "texpands: loc: VEC is not a location (vec, mat, left, right, acc, bias, scaling) (line 1, column 46)"},
    {OF("f32", "blayout=rows"), "texpands: blayout: rows is not row_major or col_major (line 1, column 50)"},
    {OF("f32", "slayout=rows"), "texpands: slayout: rows is not none_box, row_major or col_major (line 1, column 50)"},
    {OF("f32", "fractal=256"), "texpands: fractal: 256 is not 512 or 1024 (line 1, column 50)"},
    {OF("f32", "fractal=None"), "texpands: fractal: None is not an integer (line 1, column 50)"},
    {OF("f32", "pad=4"), "texpands: pad: 4 is not 0 (null), 1 (zero), 2 (max) or 3 (min) (line 1, column 46)"},
    {OF("f32", "compact=1"), "texpands: compact: 1 is not 0 (line 1, column 50)"},
    {OF("f32", "vec, 16x16xf32, v_row=3"),
     "texpands: v_row is not a key (valid, blayout, slayout, fractal, pad, compact) (line 1, column 58)"},
    {OF("f32", "loc=vec, f32, 16, 16, RowMajor, NoneBox, None"),
     "texpands: expected ',' instead of '>' (line 1, column 87)"},
    {OF("f32", "dtype=f32, f32"),
     "texpands: f32 is not a key (loc, dtype, rows, cols, v_row, v_col, valid, blayout, slayout, fractal, pad, "
     "compact) (line 1, column 53)"},
    {"%dst = texpands %s : f32, !pto.tiles<16x16xf32>",
     "texpands: pto.tiles is not pto.tile or pto.tile_buf (line 1, column 28)"},
    {"%dst = texpands %s : f32, pto.tile<16x16xf32>", "texpands: expected '!' instead of 'p' (line 1, column 27)"},
    {"%dst = texpands %s : f32, !pto.tile",
     "texpands: expected '<' instead of the end of the text (line 1, column 36)"},
    {"%dst = texpands %s : f32, !pto.tile<16x16xf32",
     "texpands: expected '>' instead of the end of the text (line 1, column 46)"},
    {"%dst = texpands %s : f32,\n" TILE(""),
     "texpands: expected '!' instead of the end of the line (line 1, column 26)"},
    {"pto.texpands\n(", "texpands: expected ins instead of '(' (line 2, column 1)"},
    {"pto.texpands\n in(", "texpands: in is not ins (line 2, column 2)"},
    {"pto.texpands ins(%s : f32\n, %t)", "texpands: expected ')' instead of ',' (line 2, column 1)"},
    {"pto.texpands ins(%s : f32) outs(\n\n  1", "texpands: expected '%' instead of '1' (line 3, column 3)"},
    {"pto.texpands ins(%s : f32) outs(%t : " TILE("") " # )",
     "texpands: expected ')' instead of the end of the text (line 1, column 89)"},
    {"\n\n " OF("f32", "16x16xf32") " x", "texpands: expected the end of the line instead of 'x' (line 3, column 54)"},
    {OF("f32", "16x16xf32") ";;", "texpands: expected the end of the line instead of ';' (line 1, column 53)"},
    {OF("f32", "16x16xf32") "\n" OF("f32", "16x16xf32"),
     "texpands: expected the end of the text: it is one statement, no program (line 2, column 1)"},
    {"pto.tassign %t, @tile(0)",
     "texpands: expected a texpands statement; others belong to a program (line 1, column 1)"},
    {"pto.tadd %t",
     "texpands: pto.tadd is not a statement (pto.texpands, pto.tassign, .arg, .const) (line 1, column 1)"},
    {"%\xC3\xA9 = texpands", "texpands: expected a name behind '%' instead of byte 0xC3 (line 1, column 2)"},
};

START_TEST(refuses_with_place)
{
    aic_spec spec, before;
    memset(&spec, 0x5A, sizeof spec);
    memcpy(&before, &spec, sizeof spec);
    ck_assert_int_eq(aic_spec_parse(bad[_i].text, &spec), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_last_error(), bad[_i].message);
    ck_assert_mem_eq(&spec, &before, sizeof spec);
}
END_TEST

/* Locations that are read and then refused by the rules. */
START_TEST(locations_reach_the_rules)
{
    static const char *const words[] = {"left", "Left", "right", "Right", "acc", "Acc", "bias", "Bias", "scaling"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char text[256];
        aic_spec spec;
        snprintf(text, sizeof text, "%%d = texpands %%s : f32, !pto.tile<%s, 16x16xf32>", words[i]);
        ck_assert_int_eq(aic_spec_parse(text, &spec), AIC_OK);
        ck_assert_int_eq(aic_spec_validate(&spec, NULL), AIC_INVALID_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(aic_last_error(), "texpands: loc: "));
    }
}
END_TEST

START_TEST(conv_tiles_have_no_form)
{
    const aic_spec conv = spec_of("texpands(loc=mat, dtype=half, layout=NC1HWC0, shape=[1,1,1,1,16])");
    const aic_spec other = spec_of("mmad(dtype=int8, m=1, n=1, k=1)");
    char text[512];
    ck_assert_int_eq(aic_pto_print_spec(&conv, text, sizeof text, NULL), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_last_error(), "texpands: layout: NC1HWC0: ConvTiles have no form in PTO-AS");
    ck_assert_int_eq(aic_pto_print_spec(&other, text, sizeof text, NULL), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_last_error(), "mmad: only texpands has a form in PTO-AS");
}
END_TEST

/* ---- programs ---- */

#define SMALL "!pto.tile_buf<vec, 8x8xf32>"
#define SMALL_FULL                                                                                                     \
    "!pto.tile_buf<loc=vec, dtype=f32, rows=8, cols=8, v_row=8, v_col=8, blayout=row_major, slayout=none_box, "        \
    "fractal=512, pad=0>"

/* The program, or a failed test. */
static aic_pto_program *program_of(const char *text, aic_pto_placement placement)
{
    aic_pto_options options = aic_pto_options_init();
    aic_pto_program *program = NULL;
    options.placement = placement;
    ck_assert_msg(aic_pto_parse(text, strlen(text), &options, &program) == AIC_OK, "%s", aic_last_error());
    return program;
}

static const char EXAMPLE[] = "# a program\n"
                              ".arg %s : f32\n"
                              ".const %one = 1 : f32 ; // one\n"
                              ".arg %t : " SMALL "\n"
                              "\n"
                              "%u = texpands %s : f32, !pto.tile<8x8xf32>\n"
                              "pto.texpands ins(%one : f32)\n"
                              "  outs(%t : " SMALL ")\n"
                              "%v = pto.texpands 2.5 : f32 -> !pto.tile<vec, 8x8xf32, valid=?x3>\n"
                              "pto.texpands ins(%s : f32) outs(%t : " SMALL_FULL ")";

static const char EXAMPLE_CANONICAL[] =
    ".arg %s : f32\n"
    ".const %one = 1.0 : f32\n"
    ".arg %t : " SMALL_FULL "\n"
    "pto.texpands ins(%s : f32) outs(%u : " SMALL_FULL ")\n"
    "pto.texpands ins(%one : f32) outs(%t : " SMALL_FULL ")\n"
    "pto.texpands ins(2.5 : f32) outs(%v : !pto.tile_buf<loc=vec, dtype=f32, rows=8, cols=8, v_row=?, v_col=3, "
    "blayout=row_major, slayout=none_box, fractal=512, pad=0>)\n"
    "pto.texpands ins(%s : f32) outs(%t : " SMALL_FULL ")\n";

START_TEST(program_is_read)
{
    static const struct {
        const char *name;
        aic_direction direction;
        aic_dtype dtype;
        int64_t elements;
    } arguments[] = {{"s", AIC_IN, AIC_FLOAT32, 1},
                     {"t", AIC_INOUT, AIC_FLOAT32, 64},
                     {"u", AIC_OUT, AIC_FLOAT32, 64},
                     {"v", AIC_OUT, AIC_FLOAT32, 64},
                     {"v:v_row", AIC_IN, AIC_INT32, 1}};
    static const struct {
        size_t argument[4], after, group, line;
    } statements[] = {{{2, 0, AIC_PTO_NONE, AIC_PTO_NONE}, AIC_PTO_NONE, 0, 6},
                      {{1, AIC_PTO_NONE, AIC_PTO_NONE, AIC_PTO_NONE}, AIC_PTO_NONE, 0, 7},
                      {{3, AIC_PTO_NONE, 4, AIC_PTO_NONE}, AIC_PTO_NONE, 0, 9},
                      {{1, 0, AIC_PTO_NONE, AIC_PTO_NONE}, 1, 1, 10}};
    aic_pto_program *program = program_of(EXAMPLE, AIC_PTO_PLACEMENT_TEXT);
    ck_assert_uint_eq(aic_pto_argument_count(program), 5);
    for (size_t i = 0; i < 5; i++) {
        aic_operand argument;
        ck_assert_int_eq(aic_pto_argument(program, i, &argument), AIC_OK);
        ck_assert_str_eq(argument.name, arguments[i].name);
        ck_assert_int_eq(argument.direction, arguments[i].direction);
        ck_assert_int_eq(argument.dtype, arguments[i].dtype);
        ck_assert_int_eq(argument.elements, arguments[i].elements);
    }
    ck_assert_uint_eq(aic_pto_statement_count(program), 4);
    for (size_t i = 0; i < 4; i++) {
        aic_pto_statement s;
        ck_assert_int_eq(aic_pto_get_statement(program, i, &s), AIC_OK);
        ck_assert_mem_eq(s.argument, statements[i].argument, sizeof s.argument);
        ck_assert_uint_eq(s.after, statements[i].after);
        ck_assert_uint_eq(s.group, statements[i].group);
        ck_assert_uint_eq(s.line, statements[i].line);
        ck_assert_uint_eq(s.column, 1);
        ck_assert_int_eq(s.address, AIC_NOT_GIVEN);
    }
    aic_operand argument;
    aic_pto_statement s;
    ck_assert_int_eq(aic_pto_argument(program, 5, &argument), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_pto_get_statement(program, 4, &s), AIC_INVALID_ARGUMENT);
    aic_pto_free(program);
}
END_TEST

static void check_printed(const char *text, const char *canonical)
{
    aic_pto_program *program = program_of(text, AIC_PTO_PLACEMENT_TEXT);
    char printed[4096];
    size_t length = 0;
    ck_assert_int_eq(aic_pto_print(program, printed, sizeof printed, &length), AIC_OK);
    ck_assert_str_eq(printed, canonical);
    ck_assert_uint_eq(length, strlen(canonical));
    if (length > 0) {
        ck_assert_int_eq(aic_pto_print(program, printed, length, NULL), AIC_INVALID_ARGUMENT);
    }
    aic_pto_free(program);
}

START_TEST(program_is_printed)
{
    check_printed(EXAMPLE, EXAMPLE_CANONICAL);
    check_printed(EXAMPLE_CANONICAL, EXAMPLE_CANONICAL);
    check_printed("", "");
    check_printed(
        "pto.tassign %t , @tile ( 0x1000 )\n%t = texpands -1 : si16, !pto.tile<2x16xsi16>",
        "pto.tassign %t, @tile(4096)\npto.texpands ins(-1 : si16) outs(%t : !pto.tile_buf<loc=vec, dtype=si16, "
        "rows=2, cols=16, v_row=2, v_col=16, blayout=row_major, slayout=none_box, fractal=512, pad=0>)\n");
}
END_TEST

START_TEST(program_runs)
{
    aic_pto_program *program = program_of(EXAMPLE, AIC_PTO_PLACEMENT_TEXT);
    float s = 7, t[64], u[64], v[64];
    int32_t rows = 2;
    void *const arguments[] = {&s, t, u, v, &rows};
    for (size_t i = 0; i < 64; i++) {
        t[i] = u[i] = v[i] = -1;
    }
    ck_assert_msg(aic_pto_reference(program, arguments, 5) == AIC_OK, "%s", aic_last_error());
    for (size_t i = 0; i < 64; i++) {
        ck_assert(t[i] == 7 && u[i] == 7);
        ck_assert(v[i] == (i / 8 < 2 && i % 8 < 3 ? 2.5F : -1));
    }
    rows = 9;
    t[0] = -1;
    ck_assert_int_eq(aic_pto_reference(program, arguments, 5), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_last_error(), "texpands: v_row: valid_row = 9 is outside 0..8 (line 9, column 1)");
    ck_assert(t[0] == -1);
    ck_assert_int_eq(aic_pto_reference(program, arguments, 4), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_last_error(), "texpands: arguments: 4 given, 5 needed");
    void *const missing[] = {&s, t, NULL, v, &rows};
    ck_assert_int_eq(aic_pto_reference(program, missing, 5), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_last_error(), "texpands: u: is NULL");
    void *const twice[] = {&s, t, t + 1, v, &rows};
    ck_assert_int_eq(aic_pto_reference(program, twice, 5), AIC_INVALID_ARGUMENT);
    aic_pto_free(program);
}
END_TEST

/* Two tiles, the second over the second half of the first: in manual mode a store to one changes the other. */
static const char SHARED[] = "pto.tassign %a, @tile(64)\n"
                             "pto.tassign %b, @tile(192)\n"
                             "pto.tassign %c, @tile(0x8000)\n"
                             "pto.tassign %d, @tile(64)\n"
                             "%a = texpands 1.0 : f32, !pto.tile<8x8xf32>\n"
                             "%b = texpands 2.0 : f32, !pto.tile<vec, 8x8xf32, valid=8x4>\n"
                             "%c = texpands 3.0 : f32, !pto.tile<8x8xf32>\n"
                             "%d = texpands 4.0 : f32, !pto.tile<mat, 8x8xf32>\n";

START_TEST(tiles_share_memory)
{
    for (int automatic = 0; automatic < 2; automatic++) {
        aic_pto_program *program = program_of(SHARED, automatic ? AIC_PTO_PLACEMENT_AUTO : AIC_PTO_PLACEMENT_TEXT);
        float a[64], b[64], c[64], d[64];
        void *const arguments[] = {a, b, c, d};
        aic_pto_statement s;
        for (size_t i = 0; i < 64; i++) {
            a[i] = b[i] = c[i] = d[i] = -(float)i;
        }
        ck_assert_msg(aic_pto_reference(program, arguments, 4) == AIC_OK, "%s", aic_last_error());
        for (size_t i = 0; i < 64; i++) {
            const bool shared = !automatic && i >= 32 && i % 8 < 4;
            ck_assert(a[i] == (shared ? 2.0F : 1.0F));
            const float kept = automatic || i >= 32 ? -(float)i : 1.0F; /* the last 32 are of b alone */
            ck_assert_msg(b[i] == (i % 8 < 4 ? 2.0F : kept), "b[%zu] = %g", i, (double)b[i]);
            ck_assert(c[i] == 3 && d[i] == 4);
        }
        ck_assert_int_eq(aic_pto_get_statement(program, 1, &s), AIC_OK);
        ck_assert_int_eq(s.address, automatic ? AIC_NOT_GIVEN : 192);
        ck_assert_uint_eq(s.after, automatic ? AIC_PTO_NONE : 0);
        ck_assert_uint_eq(s.group, automatic ? 0 : 1);
        ck_assert_int_eq(aic_pto_get_statement(program, 3, &s), AIC_OK);
        ck_assert_uint_eq(s.group, automatic ? 0 : 1);
        aic_pto_free(program);
    }
}
END_TEST

#define USE "pto.texpands ins(%s : f32) outs(%t : " SMALL ")"

static const struct {
    const char *text, *message;
} bad_programs[] = {
    {USE, "texpands: %s is not defined; .arg and .const define scalars (line 1, column 18)"},
    {".arg %s : f32\n.arg %s : f16", "texpands: %s is defined twice (line 2, column 6)"},
    {".arg %s : f32\n.const %s = 1.0 : f32", "texpands: %s is defined twice (line 2, column 8)"},
    {"%t = texpands 1.0 : f32, " SMALL "\n %t = texpands 1.0 : f32, " SMALL,
     "texpands: %t is defined twice (line 2, column 2)"},
    {".arg %t : " SMALL "\n%t = texpands 1.0 : f32, " SMALL, "texpands: %t is defined twice (line 2, column 1)"},
    {".arg %s : f16\n" USE, "texpands: %s is f16, not f32 (line 2, column 23)"},
    {".arg %s : " SMALL "\n" USE, "texpands: %s is a tile, not a scalar (line 2, column 18)"},
    {".arg %s : f32\npto.texpands ins(%s : f32) outs(%s : " SMALL ")", "texpands: %s is no tile (line 2, column 33)"},
    {".arg %s : f32\n.arg %t : !pto.tile<8x16xf32>\n" USE, "texpands: %t has another type (line 3, column 33)"},
    {".arg %s : f32\n.arg %t : !pto.tile<loc=vec, dtype=f32, rows=8, cols=8, pad=1>\n" USE,
     "texpands: %t has another type (line 3, column 33)"},
    {".arg %s : f32\npto.tassign %s, @tile(0)", "texpands: %s is no tile (line 2, column 13)"},
    {"pto.tassign %t, @tile(0)\n.arg %t : f32", "texpands: %t is bound as a tile (line 2, column 6)"},
    {"pto.tassign %t, @tile(0)\npto.tassign %t, @tile(32)", "texpands: %t is bound twice (line 2, column 13)"},
    {"\npto.tassign %t, @tile(0)", "texpands: %t is bound but not defined (line 2, column 13)"},
    {"pto.tassign %t, @tile(-32)", "texpands: address: -32 is not 0 or more (line 1, column 23)"},
    {"pto.tassign %t, @tile(1.0)", "texpands: address: 1.0 is not an integer (line 1, column 23)"},
    {"pto.tassign %t, @mat(0)", "texpands: mat is not tile (line 1, column 18)"},
    {"pto.tassign %t @tile(0)", "texpands: expected ',' instead of '@' (line 1, column 16)"},
    {"pto.tassign %t, @tile(16)\n\n  %t = texpands 1.0 : f32, " SMALL,
     "texpands: address: 16 is not a multiple of 32 (line 3, column 3)"},
    {"pto.tassign %t, @tile(0x3FF20)\n%t = texpands 1.0 : f32, " SMALL,
     "texpands: address: 261920 and 256 bytes are beyond the 262144 of vec of A5 (line 2, column 1)"},
    {"pto.tassign %t, @tile(0)\n%t = texpands 1.0 : f32, " SMALL "\n%u = texpands 1.0 : f32, " SMALL,
     "texpands: address: none is given; with manual placement TASSIGN binds a tile first (line 3, column 1)"},
    {".arg %t : " SMALL "\n.arg %s : f32\n" USE "\npto.tassign %t, @tile(0)",
     "texpands: address: none is given; with manual placement TASSIGN binds a tile first (line 3, column 1)"},
    {"%t = texpands 1.0 : bf16, !pto.tile<mat, 16x16xbf16>",
     "texpands: dtype: bfloat16 is not int8, uint8, int16, uint16, int32, uint32, float16 or float32 (line 1, column "
     "1)"},
    {".arg %t : !pto.tile<left, 16x16xf16>", "texpands: loc: left is not vec or mat (line 1, column 6)"},
    {".arg s : f32", "texpands: expected '%' instead of 's' (line 1, column 6)"},
    {".arg %s f32", "texpands: expected ':' instead of 'f' (line 1, column 9)"},
    {".arg %s : f32, f32", "texpands: expected the end of the line instead of ',' (line 1, column 14)"},
    {".const %s = 1.0", "texpands: expected ':' instead of the end of the text (line 1, column 16)"},
    {".const %s = %t : f32", "texpands: expected a value or a literal instead of '%' (line 1, column 13)"},
    {".const %s = 300 : i8", "texpands: scalar: 300 is not representable in i8 (-128..127) (line 1, column 13)"},
    {".var %s", "texpands: .var is not a statement (pto.texpands, pto.tassign, .arg, .const) (line 1, column 1)"},
    {"\x01", "texpands: expected a statement instead of byte 0x01 (line 1, column 1)"},
    {"/ comment", "texpands: expected a statement instead of '/' (line 1, column 1)"},
};

START_TEST(bad_program)
{
    aic_pto_program *program = NULL;
    ck_assert_int_eq(aic_pto_parse(bad_programs[_i].text, strlen(bad_programs[_i].text), NULL, &program),
                     AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_last_error(), bad_programs[_i].message);
    ck_assert_ptr_null(program);
}
END_TEST

START_TEST(options)
{
    aic_pto_options o = aic_pto_options_init();
    aic_pto_program *program = NULL;
    char text[1024];
    o.free_names = true;
    ck_assert_int_eq(aic_pto_parse(USE, strlen(USE), &o, &program), AIC_OK);
    ck_assert_int_eq(aic_pto_print(program, text, sizeof text, NULL), AIC_OK);
    ck_assert_str_eq(text, "pto.texpands ins(%s : f32) outs(%t : " SMALL_FULL ")\n");
    float t[64];
    void *const arguments[] = {t};
    ck_assert_int_eq(aic_pto_reference(program, arguments, 1), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_last_error(), "texpands: a program with free names cannot be run");
    aic_pto_free(program);

    static const char bf16[] = "%t = texpands 1.0 : bf16, !pto.tile<mat, 16x16xbf16>";
    o.arch = AIC_A2A3;
    ck_assert_int_eq(aic_pto_parse(bf16, strlen(bf16), &o, &program), AIC_OK);
    aic_pto_free(program);
    o.placement = AIC_PTO_PLACEMENT_MANUAL;
    ck_assert_int_eq(aic_pto_parse(bf16, strlen(bf16), &o, &program), AIC_INVALID_ARGUMENT);
    aic_pto_free(NULL);
    ck_assert_int_eq(aic_pto_parse(NULL, 0, NULL, &program), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_pto_parse("", 0, NULL, NULL), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_pto_print(NULL, NULL, 0, NULL), AIC_INVALID_ARGUMENT);
}
END_TEST

/* ---- size ---- */

/* `unit` again and again: refused, or read, at once. */
static void check_large(const char *unit, const char *message)
{
    const size_t step = strlen(unit);
    char *text = malloc(AIC_PTO_BYTES_MAX);
    size_t at = 0;
    struct timespec start, end;
    aic_pto_program *program = NULL;
    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; at + step + 16 < AIC_PTO_BYTES_MAX; i++) {
        char number[16];
        const char *mark = strchr(unit, '@');
        const size_t before = mark ? (size_t)(mark - unit) : step;
        snprintf(number, sizeof number, "%zu", i);
        memcpy(text + at, unit, before);
        at += before;
        if (mark) {
            memcpy(text + at, number, strlen(number));
            at += strlen(number);
            memcpy(text + at, mark + 1, step - before - 1);
            at += step - before - 1;
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &start);
    const aic_status status = aic_pto_parse(text, at, NULL, &program);
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double seconds = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
    ck_assert_msg((status == AIC_OK) == (message == NULL), "%s: %s", unit, aic_last_error());
    ck_assert_msg(message == NULL || strstr(aic_last_error(), message), "%s: %s", unit, aic_last_error());
    ck_assert_msg(seconds < 2, "%s...: %g s", unit, seconds);
    aic_pto_free(program);
    free(text);
}

START_TEST(large_texts_end_quickly)
{
    check_large("\n", NULL);
    check_large("; a comment\n", NULL);
    check_large("%t@ = texpands 1.0 : f32, !pto.tile<8x8xf32>\n", "more than 4096 names");
    check_large(".arg %t@ : !pto.tile<8x8xf32>\n", "more than 4096 names");
    check_large("pto.texpands ins(1.0:f32) outs(%t:!pto.tile<8x8xf32>)\n", "more than 4096 statements");
    check_large("pto.texpands ins(\n", "column");
    check_large("pto.texpands\n", "column");
    check_large("%t", "column");
    check_large("(", "column 1");
    check_large("<<", "column 1");
    static char zeros[AIC_PTO_BYTES_MAX + 1];
    aic_pto_program *program = NULL;
    ck_assert_int_eq(aic_pto_parse(zeros, sizeof zeros, NULL, &program), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_last_error(), "texpands: the text has 1048577 bytes, more than 1048576");
    ck_assert_int_eq(aic_pto_parse(zeros, 100, NULL, &program), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_last_error(), "texpands: expected a statement instead of byte 0x00 (line 1, column 1)");
}
END_TEST

/* ---- text that a grammar draws ---- */

enum { DRAWN_MAX = 4096 };

typedef struct drawn {
    char text[DRAWN_MAX];
    size_t length;
    uint64_t state;
} drawn;

static void put(drawn *d, const char *text)
{
    const size_t length = strlen(text), room = DRAWN_MAX - d->length;
    memcpy(d->text + d->length, text, length < room ? length : room);
    d->length += length < room ? length : room;
}

/* One of the words of a list separated by blanks. */
static void put_one(drawn *d, const char *words)
{
    size_t count = 1;
    for (const char *c = words; *c != '\0'; c++) {
        count += *c == ' ';
    }
    for (int64_t skip = aic_rng_range(&d->state, 0, (int64_t)count - 1); skip > 0; skip--) {
        words = strchr(words, ' ') + 1;
    }
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(words, " "), words);
    put(d, word);
}

#define DTYPES "f32 f32 f32 f16 bf16 i8 i16 i32 ui8 ui16 ui32 si8 si16 si32"

static void put_space(drawn *d)
{
    static const char *const spaces[] = {"", "", "", " ", "  ", "\t", "\n", " # x\n"};
    put(d, spaces[aic_rng_range(&d->state, 0, aic_rng_once_in(&d->state, 9) ? 7 : 4)]);
}

static void put_tile_body(drawn *d, const char *dtype)
{
    switch (aic_rng_range(&d->state, 0, 3)) {
    case 0:
        put_one(d, "16x16x 8x32x 1x64x 0x0x");
        put(d, dtype);
        break;
    case 1:
        put_one(d, "rows=16,cols=32,dtype= dtype=f32,rows=64,cols= loc=vec,rows=32,cols=64,v_row=?,dtype= "
                   "loc=mat,cols=64,rows=64,pad=max,dtype=");
        put(d, dtype);
        put_one(d, ",v_col=3 ,valid=3x? ,slayout=row_major ,fractal=1024 ,blayout=ColMajor ,compact=0 ,rows=2");
        break;
    case 2:
        put(d, "loc=");
        put_one(d, "vec mat Left");
        put(d, ", ");
        put(d, dtype);
        put_one(d, ",16,64,RowMajor,NoneBox,None,Zero ,32,32,ColMajor,RowMajor,512,Min ,1,1");
        break;
    default:
        put_one(d, "vec mat acc");
        put(d, ",32x64x");
        put(d, dtype);
        put_one(d, ",valid=1x2 ,valid=?x? ,pad=zero ,slayout=col_major ,fractal=512 ");
        break;
    }
}

static void put_tile(drawn *d, const char *dtype)
{
    put_one(d, "!pto.tile< !pto.tile_buf<");
    put_space(d);
    put_tile_body(d, dtype);
    put_space(d);
    put(d, ">");
}

static void put_statement(drawn *d)
{
    char dtype[8];
    const size_t before = d->length;
    put_one(d, DTYPES);
    snprintf(dtype, sizeof dtype, "%.*s", (int)(d->length - before), d->text + before);
    d->length = before;
    switch (aic_rng_range(&d->state, 0, 6)) {
    case 0:
        put_one(d, ".arg%a .arg%s .arg%t");
        put(d, " : ");
        if (aic_rng_once_in(&d->state, 2)) {
            put(d, dtype);
        } else {
            put_tile(d, dtype);
        }
        break;
    case 1:
        put_one(d, ".const%b=1.5: .const%c=-2: .const%c=0x7F:");
        put(d, dtype);
        break;
    case 2:
        put_one(d, "pto.tassign%t, pto.tassign%u,");
        put_one(d, "@tile(0) @tile(0x1000) @tile(48) @tile(-1) @tile(99999999999999999999)");
        break;
    case 3:
    case 4:
        put_one(d, "%t= %u= %v= %w=");
        put_one(d, "texpands pto.texpands");
        put_one(d, "%a %b 1 1.5 -3 0x7F 1.0e+9 %s 1.5 2");
        put(d, ":");
        put(d, dtype);
        put_one(d, ", -> ,");
        put_tile(d, dtype);
        break;
    default:
        put(d, "pto.texpands");
        put_space(d);
        put(d, "ins(");
        put_one(d, "%a %b 1 1.5 -3 0x7F 1.0e+9 %s 1.5 2");
        put_space(d);
        put(d, ":");
        put(d, dtype);
        put(d, ")");
        put_space(d);
        put_one(d, "outs(%t: outs(%u: outs(%v: outs(%x:");
        put_tile(d, dtype);
        put_space(d);
        put(d, ")");
        break;
    }
    put_one(d, "; \n \n # \n");
    put(d, "\n");
}

/* Changes, drops, repeats or inserts a few bytes. */
static void spoil(drawn *d)
{
    static const char bytes[] = "%<>(),:;=.-x0?!@#/\n\r\t \x7F\xC3\"";
    for (int64_t n = aic_rng_range(&d->state, 1, 4); n > 0 && d->length > 1; n--) {
        const size_t at = (size_t)aic_rng_range(&d->state, 0, (int64_t)d->length - 1);
        const size_t run = (size_t)aic_rng_range(&d->state, 1, 9), rest = d->length - at;
        const size_t some = run < rest ? run : rest;
        switch (aic_rng_range(&d->state, 0, 3)) {
        case 0:
            d->text[at] = bytes[aic_rng_range(&d->state, 0, (int64_t)sizeof bytes - 1)]; /* the closing zero, too */
            break;
        case 1:
            memmove(d->text + at, d->text + at + some, rest - some);
            d->length -= some;
            break;
        case 2:
            if (d->length + some <= DRAWN_MAX) {
                memmove(d->text + at + some, d->text + at, rest);
                d->length += some;
            }
            break;
        default:
            d->length = at + 1;
            break;
        }
    }
}

/* The text in a block of its own, so that reading past its end is seen. Returns whether it was accepted. */
static bool read_drawn(const drawn *d)
{
    char *exact = malloc(d->length + (d->length == 0));
    aic_pto_program *program = NULL, *again = NULL;
    char printed[4 * DRAWN_MAX], reprinted[4 * DRAWN_MAX];
    size_t length = 0;
    ck_assert_ptr_nonnull(exact);
    memcpy(exact, d->text, d->length);
    const aic_status status = aic_pto_parse(exact, d->length, NULL, &program);
    free(exact);
    if (status != AIC_OK) {
        ck_assert_int_eq(status, AIC_INVALID_ARGUMENT);
        ck_assert_msg(strstr(aic_last_error(), "(line ") != NULL, "%s", aic_last_error());
        return false;
    }
    ck_assert_int_eq(aic_pto_print(program, printed, sizeof printed, &length), AIC_OK);
    ck_assert_msg(aic_pto_parse(printed, length, NULL, &again) == AIC_OK, "%s\n%s", printed, aic_last_error());
    ck_assert_int_eq(aic_pto_print(again, reprinted, sizeof reprinted, NULL), AIC_OK);
    ck_assert_str_eq(printed, reprinted);
    ck_assert_uint_eq(aic_pto_argument_count(program), aic_pto_argument_count(again));
    aic_pto_free(program);
    aic_pto_free(again);
    return true;
}

START_TEST(drawn_texts_are_answered)
{
    const char *given = getenv("AIC_FUZZ");
    const int64_t most = given != NULL ? strtoll(given, NULL, 10) : 20000;
    int64_t accepted = 0;
    for (int64_t i = 0; i < most; i++) {
        drawn d = {.length = 0, .state = (uint64_t)i};
        for (int64_t n = aic_rng_range(&d.state, 1, 4); n > 0; n--) {
            put_statement(&d);
        }
        if (i % 2 == 1) {
            spoil(&d);
        }
        accepted += read_drawn(&d);
        char text[DRAWN_MAX + 1]; /* and as operator text */
        aic_spec spec;
        memcpy(text, d.text, d.length);
        text[d.length] = '\0';
        (void)aic_spec_parse(text, &spec);
    }
    ck_assert_msg(accepted > most / 100, "%" PRId64 " of %" PRId64 " accepted", accepted, most);
    ck_assert_int_lt(accepted, most);
}
END_TEST

Suite *suite_pto_as(void)
{
    Suite *suite = suite_create("pto_as");
    TCase *tcase = tcase_create("pto_as");
    tcase_add_loop_test(tcase, reads_and_prints, 0, (int)(sizeof good / sizeof good[0]));
    tcase_add_loop_test(tcase, refuses_with_place, 0, (int)(sizeof bad / sizeof bad[0]));
    tcase_add_test(tcase, locations_reach_the_rules);
    tcase_add_test(tcase, conv_tiles_have_no_form);
    tcase_add_test(tcase, program_is_read);
    tcase_add_test(tcase, program_is_printed);
    tcase_add_test(tcase, program_runs);
    tcase_add_test(tcase, tiles_share_memory);
    tcase_add_loop_test(tcase, bad_program, 0, (int)(sizeof bad_programs / sizeof bad_programs[0]));
    tcase_add_test(tcase, options);
    tcase_add_test(tcase, large_texts_end_quickly);
    tcase_add_test(tcase, drawn_texts_are_answered);
    tcase_set_timeout(tcase, 120);
    suite_add_tcase(suite, tcase);
    return suite;
}
