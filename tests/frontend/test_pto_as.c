/* PTO-AS, a statement at a time: every spelling of the grammar, what is refused and where, the canonical form. */
#include "frontend/core/stage.h"
#include "tests/specs.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

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
#define CONV(type, rest)                                                                                               \
    "pto.texpands ins(%scalar : " type ") outs(%dst : !pto.tile_buf<loc=mat, dtype=" type ", " rest ">)"
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
    /* the plain body, types as C spells them, attributes */
    {OF("f32", "f32, 16, 16"), CANONICAL},
    {OF("f32", "f32,0x10,16"), CANONICAL},
    {OF("float", "float, 16, 16"), CANONICAL},
    {OF("float32", "16x16xfloat"), CANONICAL},
    {OF("uint16", "vec, 16x16xuint16"),
     PRINTED("vec", "ui16", "16", "16", "16", "16", "row_major", "none_box", "512", "0")},
    {OF("half", "loc=vec, dtype=float16, rows=16, cols=32"),
     PRINTED("vec", "f16", "16", "32", "16", "32", "row_major", "none_box", "512", "0")},
    {OF("i8", "int8, 16, 32"), PRINTED("vec", "i8", "16", "32", "16", "32", "row_major", "none_box", "512", "0")},
    {OF("bfloat16", "mat, 16x16xbf16"),
     PRINTED("mat", "bf16", "16", "16", "16", "16", "row_major", "none_box", "512", "0")},
    {OF("f32", "16x16xf32") " {}", CANONICAL},
    {OF("f32", "16x16xf32") "{a = 1 : i32, b = {c = #pto.loc<vec>, d = \"}{\\\"\"}};// and a comment", CANONICAL},
    {"pto.texpands ins(%s : f32) outs(%t : " TILE("") ")\t{ pto.stage = 2 } # more", CANONICAL},
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
    /* ConvTiles: the body of our own, in any order */
    {OF("f16", "loc=mat, dtype=f16, layout=NC1HWC0, shape=[1,16,7,7,16]"),
     CONV("f16", "layout=NC1HWC0, shape=[1,16,7,7,16]")},
    {CONV("f16", "layout=NC1HWC0, shape=[1,16,7,7,16]"), CONV("f16", "layout=NC1HWC0, shape=[1,16,7,7,16]")},
    {OF("half", "shape = [ 0x1 , 16,7,7 ,16 ],layout=NC1HWC0,dtype=half,loc=Mat"),
     CONV("f16", "layout=NC1HWC0, shape=[1,16,7,7,16]")},
    {"pto.texpands ins(%s : si8) outs(%t : !pto.tile<layout=FRACTAL_Z, # weights\n shape=[3,\n2,16,32], "
     "loc=mat, dtype=si8>)",
     CONV("i8", "layout=FRACTAL_Z, shape=[3,2,16,32]")},
    {OF("i32", "loc=mat, dtype=i32, layout=NDC1HWC0, shape=[2,2,3,2,1,8], buffer_size=200"),
     CONV("i32", "layout=NDC1HWC0, shape=[2,2,3,2,1,8], buffer_size=200")},
    {OF("i32", "loc=mat, dtype=i32, layout=NDC1HWC0, shape=[2,2,3,2,1,8], buffer_size=192"),
     CONV("i32", "layout=NDC1HWC0, shape=[2,2,3,2,1,8]")},
    {OF("ui16", "loc=mat, dtype=ui16, layout=FRACTAL_Z_3D, shape=[2,1,3,3,16,16]"),
     CONV("ui16", "layout=FRACTAL_Z_3D, shape=[2,1,3,3,16,16]")},
    {OF("bf16", "loc=mat, dtype=bf16, layout=FRACTAL_Z, shape=[1,1,1,16,16]"),
     CONV("bf16", "layout=FRACTAL_Z, shape=[1,1,1,16,16]")},
};

START_TEST(reads_and_prints)
{
    aic_spec spec, back;
    char text[1024];
    ck_assert_msg(aic_spec_read(good[_i].text, &spec) == AIC_OK, "%s: %s", good[_i].text, aic_last_error());
    if (aic_spec_validate(&spec, NULL) != AIC_OK) { /* legal on A2A3 */
        spec.stage[0].desc.texpands.arch = AIC_CHIP_A2A3;
        ck_assert_msg(aic_pto_print_spec(&spec, text, sizeof text, NULL) == AIC_INVALID_ARGUMENT ||
                          aic_spec_validate(&spec, NULL) == AIC_OK,
                      "%s: %s", good[_i].text, aic_last_error());
    }
    ck_assert_msg(aic_pto_print_spec(&spec, text, sizeof text, NULL) == AIC_OK, "%s: %s", good[_i].text,
                  aic_last_error());
    ck_assert_str_eq(text, good[_i].canonical);
    ck_assert_int_eq(aic_spec_read(text, &back), AIC_OK);
    back.stage[0].desc.texpands.arch = spec.stage[0].desc.texpands.arch;
    ck_assert(aic_spec_equal(&spec, &back));
}
END_TEST

#define LETTERS64 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl"

static const struct {
    const char *text, *message;
} bad[] = {
    {"%" LETTERS64 LETTERS64 LETTERS64 LETTERS64,
     "texpands: a name of 256 characters is longer than 255 (line 1, column 2)"},
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
    {OF("f32", "f32, 16"), "texpands: expected ',' instead of '>' (line 1, column 49)"},
    {OF("f32", "f32, 16, 16, 16"), "texpands: expected '>' instead of ',' (line 1, column 53)"},
    {OF("f32", "f32, 0, 16"), "texpands: rows: 0 is not positive (line 1, column 47)"},
    {OF("f32", "f32, 16, x"), "texpands: cols: x is not an integer (line 1, column 51)"},
    {OF("ui8", "uint32, 16, 16"),
     "texpands: dtype: the scalar is ui8, the tile's elements are ui32 (line 1, column 27)"},
    {OF("si8", "int8, 16, 32"), "texpands: dtype: the scalar is si8, the tile's elements are i8 (line 1, column 27)"},
    {OF("f32", "..."), "texpands: \"...\" stands for a tile type that is left out; write it, e.g. "
                       "!pto.tile<16x16xf32> (line 1, column 42)"},
    {OF("f32", "16x16xf32") " {a = 1", "texpands: attributes: this '{' is not closed on its line (line 1, column 53)"},
    {OF("f32", "16x16xf32") " {a = {}\n}",
     "texpands: attributes: this '{' is not closed on its line (line 1, column 53)"},
    {OF("f32", "16x16xf32") " {\"a}", "texpands: attributes: this '\"' is not closed on its line (line 1, column 54)"},
    {OF("f32", "16x16xf32") " {\"a\\\n\"}",
     "texpands: attributes: this '\"' is not closed on its line (line 1, column 54)"},
    {OF("f32", "16x16xf32") " {} {}", "texpands: expected the end of the line instead of '{' (line 1, column 56)"},
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
     "compact; of a ConvTile loc, dtype, layout, shape, buffer_size) (line 1, column 42)"},
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
     "compact; of a ConvTile loc, dtype, layout, shape, buffer_size) (line 1, column 53)"},
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
    {OF("f32", "loc=mat, dtype=f32, layout=NC1HWC0, shape=[1,1,1,1,8], rows=16"),
     "texpands: rows: 16 is given to a ConvTile (layout, shape), which has no rows (line 1, column 102)"},
    {OF("f32", "loc=mat, dtype=f32, layout=NC1HWC0, shape=[1,1,1,1,8], cols=16"),
     "texpands: cols: 16 is given to a ConvTile (layout, shape), which has no cols (line 1, column 102)"},
    {OF("f32", "loc=mat, dtype=f32, layout=NC1HWC0, shape=[1,1,1,1,8], v_row=1"),
     "texpands: v_row: 1 is given to a ConvTile (layout, shape), which has no v_row (line 1, column 103)"},
    {OF("f32", "loc=mat, dtype=f32, layout=NC1HWC0, shape=[1,1,1,1,8], v_col=?"),
     "texpands: v_col: ? is given to a ConvTile (layout, shape), which has no v_col (line 1, column 103)"},
    {OF("f32", "loc=mat, dtype=f32, layout=NC1HWC0, shape=[1,1,1,1,8], valid=1x1"),
     "texpands: valid: 1x1 is given to a ConvTile (layout, shape), which has no valid (line 1, column 103)"},
    {OF("f32", "loc=mat, dtype=f32, layout=NC1HWC0, shape=[1,1,1,1,8], blayout=row_major"),
     "texpands: blayout: row_major is given to a ConvTile (layout, shape), which has no blayout (line 1, column 105)"},
    {OF("f32", "loc=mat, dtype=f32, layout=NC1HWC0, shape=[1,1,1,1,8], slayout=none_box"),
     "texpands: slayout: none_box is given to a ConvTile (layout, shape), which has no slayout (line 1, column 105)"},
    {OF("f32", "loc=mat, dtype=f32, layout=NC1HWC0, shape=[1,1,1,1,8], fractal=512"),
     "texpands: fractal: 512 is given to a ConvTile (layout, shape), which has no fractal (line 1, column 105)"},
    {OF("f32", "loc=mat, dtype=f32, layout=NC1HWC0, shape=[1,1,1,1,8], pad=0"),
     "texpands: pad: 0 is given to a ConvTile (layout, shape), which has no pad (line 1, column 101)"},
    {OF("f32", "loc=mat, dtype=f32, layout=NC1HWC0, shape=[1,1,1,1,8], compact=0"),
     "texpands: compact: 0 is given to a ConvTile (layout, shape), which has no compact (line 1, column 105)"},
    {OF("f32", "dtype=f32, rows=16, cols=16, layout=NC1HWC0"),
     "texpands: layout: NC1HWC0 is given to a tile of rows and columns, which has no layout (line 1, column "
     "78)"},
    {OF("f32", "dtype=f32, rows=16, cols=16, shape=[1,1,1,1,8]"),
     "texpands: shape: [1,1,1,1,8] is given to a tile of rows and columns, which has no shape (line 1, "
     "column 77)"},
    {OF("f32", "dtype=f32, rows=16, cols=16, buffer_size=64"),
     "texpands: buffer_size: 64 is given to a tile of rows and columns, which has no buffer_size (line 1, "
     "column 83)"},
    {OF("f32", "loc=mat, dtype=f32, layout=ND, shape=[1,1,1,1,8]"),
     "texpands: layout: ND is not NC1HWC0, FRACTAL_Z, NDC1HWC0 or FRACTAL_Z_3D (line 1, column 69)"},
    {OF("f32", "loc=mat, dtype=f32, layout=Nz, shape=[1,1,1,1,8]"),
     "texpands: layout: Nz is not NC1HWC0, FRACTAL_Z, NDC1HWC0 or FRACTAL_Z_3D (line 1, column 69)"},
    {OF("f32", "loc=mat, dtype=f32, layout=OIHW, shape=[1,1,1,1,8]"),
     "texpands: layout: OIHW is not NC1HWC0, FRACTAL_Z, NDC1HWC0 or FRACTAL_Z_3D (line 1, column 69)"},
    {OF("f32", "loc=mat, dtype=f32, layout=nc1hwc0, shape=[1,1,1,1,8]"),
     "texpands: layout: nc1hwc0 is not NC1HWC0, FRACTAL_Z, NDC1HWC0 or FRACTAL_Z_3D (line 1, column 69)"},
    {OF("f32", "loc=mat, dtype=f32, layout=5HD, shape=[1,1,1,1,8]"),
     "texpands: layout: 5HD is not NC1HWC0, FRACTAL_Z, NDC1HWC0 or FRACTAL_Z_3D (line 1, column 69)"},
    {OF("f32", "loc=mat, dtype=f32, layout=NC1HWC0"),
     "texpands: shape: this key is required and missing (line 1, column 76)"},
    {OF("f32", "loc=mat, dtype=f32, shape=[1,1,1,1,8]"),
     "texpands: layout: this key is required and missing (line 1, column 79)"},
    {OF("f32", "loc=mat, layout=NC1HWC0, shape=[1,1,1,1,8]"),
     "texpands: dtype: this key is required and missing (line 1, column 84)"},
    {OF("f32", "shape=1x2"), "texpands: expected '[' instead of '1' (line 1, column 48)"},
    {OF("f32", "shape=[]"), "texpands: expected a dimension instead of ']' (line 1, column 49)"},
    {OF("f32", "shape=[1,]"), "texpands: expected a dimension instead of ']' (line 1, column 51)"},
    {OF("f32", "shape=[1 2]"), "texpands: expected ']' instead of '2' (line 1, column 51)"},
    {OF("f32", "shape=[1,0,1]"), "texpands: shape: 0 is not positive (line 1, column 51)"},
    {OF("f32", "shape=[1,?,1]"), "texpands: shape: ? is not an integer (line 1, column 51)"},
    {OF("f32", "shape=[1,-3]"), "texpands: shape: -3 is not positive (line 1, column 51)"},
    {OF("f32", "shape=[99999999999999999999]"),
     "texpands: shape: 99999999999999999999 is not an integer of 64 bits (line 1, column 49)"},
    {OF("f32", "shape=[1,1,1,1,1,1,8]"), "texpands: shape: more than 6 dimensions (line 1, column 61)"},
    {OF("f32", "shape=[1], shape=[1]"), "texpands: shape: given twice (line 1, column 53)"},
    {OF("f32", "buffer_size=0"), "texpands: buffer_size: 0 is not positive (line 1, column 54)"},
    {OF("f32", "blayout=" LETTERS64), "texpands: blayout: abcdefghijklmnopqrstuvwxyzabcdefghijklmn... is not row_major "
                                      "or col_major (line 1, column 50)"},
    {OF("f32", "rows=16, shape=[1,                                        1]"),
     "texpands: shape: [1,                                     ... is given to a tile of rows and columns, which has "
     "no shape (line 1, column 57)"},
    {OF("f32", "shape=[1], rows=00000000000000000000000000000000000000000016"),
     "texpands: rows: 0000000000000000000000000000000000000000... is given to a ConvTile (layout, shape), which has no "
     "rows (line 1, column 58)"},
    {OF("f32", "16x16xf32") " {\"a\\", "texpands: attributes: this '\"' is not closed on its line (line 1, column 54)"},
    {"%\xC3\xA9 = texpands", "texpands: expected a name behind '%' instead of byte 0xC3 (line 1, column 2)"},
};

START_TEST(refuses_with_position)
{
    aic_spec spec, before;
    memset(&spec, 0x5A, sizeof spec);
    memcpy(&before, &spec, sizeof spec);
    ck_assert_int_eq(aic_spec_read(bad[_i].text, &spec), AIC_INVALID_ARGUMENT);
    check_error(bad[_i].message);
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
        ck_assert_int_eq(aic_spec_read(text, &spec), AIC_OK);
        ck_assert_int_eq(aic_spec_validate(&spec, NULL), AIC_INVALID_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(aic_last_error(), "texpands: loc: "));
    }
}
END_TEST

START_TEST(others_have_no_form)
{
    const aic_spec other = spec_of("mmad(dtype=int8, m=1, n=1, k=1)");
    char text[512];
    ck_assert_int_eq(aic_pto_print_spec(&other, text, sizeof text, NULL), AIC_INVALID_ARGUMENT);
    check_error("mmad: only texpands has a form in PTO-AS");
}
END_TEST

/* The statement of any descriptor is that descriptor again, but for what a statement does not say. */
START_TEST(every_descriptor_has_a_form)
{
    size_t convs = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        char text[1024];
        aic_spec spec, back;
        ck_assert_int_eq(aic_spec_draw(AIC_OP_TEXPANDS, NULL, seed, &spec), AIC_OK);
        aic_texpands_desc *desc = &spec.stage[0].desc.texpands;
        desc->manual = false;
        desc->address = AIC_NOT_GIVEN;
        convs += desc->layout != AIC_LAYOUT_ND;
        ck_assert_msg(aic_pto_print_spec(&spec, text, sizeof text, NULL) == AIC_OK, "%s", aic_last_error());
        ck_assert_msg(aic_spec_read(text, &back) == AIC_OK, "%s: %s", text, aic_last_error());
        back.stage[0].desc.texpands.arch = desc->arch;
        ck_assert_msg(aic_spec_equal(&spec, &back), "%s", text);
    }
    ck_assert_uint_gt(convs, 60);
}
END_TEST

/* Rules of ConvTiles hold for a statement as for operator text. */
START_TEST(conv_tiles_keep_the_rules)
{
    static const struct {
        const char *tile, *message;
    } rows[] = {
        {"dtype=f16, layout=NC1HWC0, shape=[1,16,7,7,16]", "texpands: loc: vec is not mat, where ConvTiles are"},
        {"loc=mat, dtype=f16, layout=NC1HWC0, shape=[1,2,128,128,16]",
         "texpands: shape: the product without c0 = 32768 is outside 1..32767"},
        {"loc=mat, dtype=f16, layout=NC1HWC0, shape=[16,7,7,16]",
         "texpands: shape: 4 dimensions are not the 5 of NC1HWC0"},
        {"loc=mat, dtype=f16, layout=FRACTAL_Z, shape=[3,2,15,16]",
         "texpands: shape: entry 2 = 15 is not 16, as in the form of 4 dimensions"},
        {"loc=mat, dtype=f16, layout=NC1HWC0, shape=[1,1,1,3,8]",
         "texpands: shape: c0 = 8 makes 24 elements of float16, not a multiple of 32 bytes"},
        {"loc=mat, dtype=f16, layout=NC1HWC0, shape=[1,1,1,2,16], buffer_size=31",
         "texpands: buffer_size: 31 is outside 32..9223372036854775807"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        aic_spec spec;
        snprintf(text, sizeof text, "%%d = texpands %%s : f16, !pto.tile<%s>", rows[i].tile);
        ck_assert_msg(aic_spec_read(text, &spec) == AIC_OK, "%s", aic_last_error());
        ck_assert_int_eq(aic_spec_validate(&spec, NULL), AIC_INVALID_ARGUMENT);
        check_error(rows[i].message);
    }
}
END_TEST

Suite *suite_pto_as(void)
{
    Suite *suite = suite_create("pto_as");
    TCase *tcase = tcase_create("pto_as");
    tcase_add_loop_test(tcase, reads_and_prints, 0, (int)(sizeof good / sizeof good[0]));
    tcase_add_loop_test(tcase, refuses_with_position, 0, (int)(sizeof bad / sizeof bad[0]));
    tcase_add_test(tcase, locations_reach_the_rules);
    tcase_add_test(tcase, others_have_no_form);
    tcase_add_test(tcase, every_descriptor_has_a_form);
    tcase_add_test(tcase, conv_tiles_keep_the_rules);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    return suite;
}
