/* Programs of PTO-AS: what names stand for, arguments, dependencies, placement, running, printing, large texts. */
#include "tests/growth.h"
#include "tests/specs.h"

#include <aic/aic.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_pto_program(void);

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
    } arguments[] = {{"s", AIC_DIRECTION_IN, AIC_FLOAT32, 1},
                     {"t", AIC_DIRECTION_INOUT, AIC_FLOAT32, 64},
                     {"u", AIC_DIRECTION_OUT, AIC_FLOAT32, 64},
                     {"v", AIC_DIRECTION_OUT, AIC_FLOAT32, 64},
                     {"v:v_row", AIC_DIRECTION_IN, AIC_INT32, 1}};
    static const struct {
        size_t argument[4], after, group, line;
    } statements[] = {{{2, 0, AIC_PTO_NONE, AIC_PTO_NONE}, AIC_PTO_NONE, 0, 6},
                      {{1, AIC_PTO_NONE, AIC_PTO_NONE, AIC_PTO_NONE}, AIC_PTO_NONE, 0, 7},
                      {{3, AIC_PTO_NONE, 4, AIC_PTO_NONE}, AIC_PTO_NONE, 0, 9},
                      {{1, 0, AIC_PTO_NONE, AIC_PTO_NONE}, 1, 1, 10}};
    aic_pto_program *program = program_of(EXAMPLE, AIC_PTO_PLACEMENT_TEXT);
    ck_assert_uint_eq(aic_pto_argument_count(program), 5);
    for (size_t i = 0; i < 5; i++) {
        aic_operand argument = aic_operand_init();
        ck_assert_int_eq(aic_pto_argument(program, i, &argument), AIC_OK);
        ck_assert_str_eq(argument.name, arguments[i].name);
        ck_assert_int_eq(argument.direction, arguments[i].direction);
        ck_assert_int_eq(argument.dtype, arguments[i].dtype);
        ck_assert_int_eq(argument.elements, arguments[i].elements);
    }
    ck_assert_uint_eq(aic_pto_statement_count(program), 4);
    for (size_t i = 0; i < 4; i++) {
        aic_pto_statement s = aic_pto_statement_init();
        ck_assert_int_eq(aic_pto_get_statement(program, i, &s), AIC_OK);
        for (size_t k = 0; k < AIC_OPERANDS_MAX; k++) {
            ck_assert_uint_eq(s.argument[k], k < 4 ? statements[i].argument[k] : AIC_PTO_NONE);
        }
        ck_assert_uint_eq(s.after, statements[i].after);
        ck_assert_uint_eq(s.group, statements[i].group);
        ck_assert_uint_eq(s.line, statements[i].line);
        ck_assert_uint_eq(s.column, 1);
        ck_assert_int_eq(s.address, AIC_NOT_GIVEN);
    }
    aic_operand argument = aic_operand_init();
    aic_pto_statement s = aic_pto_statement_init();
    ck_assert_int_eq(aic_pto_argument(program, 5, &argument), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_pto_get_statement(program, 4, &s), AIC_INVALID_ARGUMENT);
    aic_pto_destroy(program);
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
    aic_pto_destroy(program);
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
    check_error("texpands: v_row: valid_row = 9 is outside 0..8 (line 9, column 1)");
    ck_assert(t[0] == -1);
    ck_assert_int_eq(aic_pto_reference(program, arguments, 4), AIC_INVALID_ARGUMENT);
    check_error("texpands: arguments: 4 given, 5 needed");
    void *const missing[] = {&s, t, NULL, v, &rows};
    ck_assert_int_eq(aic_pto_reference(program, missing, 5), AIC_INVALID_ARGUMENT);
    check_error("texpands: u: is NULL");
    void *const twice[] = {&s, t, t + 1, v, &rows};
    ck_assert_int_eq(aic_pto_reference(program, twice, 5), AIC_INVALID_ARGUMENT);
    aic_pto_destroy(program);
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
        aic_pto_statement s = aic_pto_statement_init();
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
        aic_pto_destroy(program);
    }
}
END_TEST

/* Elements 0..63 of the memory are of %a and hold 1, 32..95 are of %b, defined later, and hold 2; %u, at 64..127, is
 * made by the program and holds 3, %v, at 0..63, too, and holds 4; %x has no place and no use. Bindings come in another
 * order. */
static const char CONTENT[] = "pto.tassign %u, @tile(256)\n"
                              "pto.tassign %b, @tile(128)\n"
                              ".arg %a : " SMALL "\n"
                              "%u = texpands 9.0 : f32, !pto.tile<vec, 8x8xf32, valid=1x2>\n"
                              "pto.tassign %a, @tile(0)\n"
                              ".arg %b : " SMALL "\n"
                              "pto.tassign %v, @tile(0)\n"
                              ".arg %x : " SMALL "\n"
                              "%v = texpands 8.0 : f32, !pto.tile<vec, 8x8xf32, valid=2x3>\n";

static float content(size_t at)
{
    if (at < 64 && at / 8 < 2 && at % 8 < 3) {
        return 8; /* filled through %v */
    }
    if (at == 64 || at == 65) {
        return 9; /* filled through %u */
    }
    return at < 32 ? 1.0F : at < 96 ? 2.0F : at < 1000 ? 3.0F : 5.0F;
}

START_TEST(arguments_define_shared_memory)
{
    aic_pto_program *program = program_of(CONTENT, AIC_PTO_PLACEMENT_TEXT);
    static const char *const names[] = {"a", "u", "b", "x", "v"};
    static const size_t at[] = {0, 64, 32, 1000, 0};
    float tile[5][64];
    void *const arguments[] = {tile[0], tile[1], tile[2], tile[3], tile[4]};
    for (size_t t = 0; t < 5; t++) {
        aic_operand argument = aic_operand_init();
        ck_assert_int_eq(aic_pto_argument(program, t, &argument), AIC_OK);
        ck_assert_str_eq(argument.name, names[t]);
        ck_assert_int_eq(argument.direction, AIC_DIRECTION_INOUT);
    }
    for (int kernels = 0; kernels < 2; kernels++) {
        static const float before[] = {1, 3, 2, 5, 4};
        for (size_t i = 0; i < 64; i++) {
            for (size_t t = 0; t < 5; t++) {
                tile[t][i] = before[t];
            }
        }
        const aic_status status =
            kernels ? aic_pto_run(NULL, program, arguments, 5) : aic_pto_reference(program, arguments, 5);
        ck_assert_msg(status == AIC_OK, "%s", aic_last_error());
        for (size_t t = 0; t < 5; t++) {
            for (size_t i = 0; i < 64; i++) {
                ck_assert_msg(tile[t][i] == content(at[t] + i), "%s[%zu] = %g", names[t], i, (double)tile[t][i]);
            }
        }
    }
    aic_pto_destroy(program);
}
END_TEST

/* Tiles at the end of the buffer, %b not filled: legal where a program is read and where it runs, or refused there. */
START_TEST(capacities_of_contexts)
{
    static const char text[] = ".arg %b : " SMALL "\n"
                               "pto.tassign %b, @tile(768)\n"
                               "pto.tassign %t, @tile(512)\n"
                               "%t = texpands 4.0 : f32, " SMALL "\n"
                               ".const %c = 4.0 : f32";
    static const struct {
        int64_t read, run; /* ub_bytes */
        const char *message;
    } rows[] = {
        {0, 0, NULL},
        {1024, 1024, NULL},
        {0, 1024, NULL},
        {1024, 0, NULL},
        {1024, 992, "texpands: address: 768 and 256 bytes are beyond the 992 of vec (ub_bytes) (%b)"},
        {0, 736, "texpands: address: 512 and 256 bytes are beyond the 736 of vec (ub_bytes) (line 4, column 1)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        aic_pto_options read = aic_pto_options_init();
        aic_context_options run = aic_context_options_init();
        aic_pto_program *program = NULL;
        aic_context *context = NULL;
        read.semantics.ub_bytes = rows[i].read;
        run.semantics.ub_bytes = rows[i].run;
        ck_assert_int_eq(aic_context_create(&run, &context), AIC_OK);
        ck_assert_msg(aic_pto_parse(text, strlen(text), &read, &program) == AIC_OK, "%s", aic_last_error());
        float b[64] = {0}, t[64] = {0};
        void *const arguments[] = {b, t};
        const aic_status status = aic_pto_run(context, program, arguments, 2);
        ck_assert_int_eq(status, rows[i].message == NULL ? AIC_OK : AIC_INVALID_ARGUMENT);
        for (size_t e = 0; e < 64; e++) {
            ck_assert(b[e] == 0 && t[e] == (status == AIC_OK ? 4.0F : 0));
        }
        if (status != AIC_OK) {
            check_error(rows[i].message);
        }
        aic_pto_destroy(program);
        aic_context_destroy(context);
    }
    aic_pto_options read = aic_pto_options_init();
    aic_pto_program *program = NULL;
    read.semantics.ub_bytes = 992;
    ck_assert_int_eq(aic_pto_parse(text, strlen(text), &read, &program), AIC_INVALID_ARGUMENT);
    check_error("texpands: address: 768 and 256 bytes are beyond the 992 of vec (ub_bytes) (line 1, column 6)");
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
    {"pto.tassign %t, @tile(-32)\n%t = texpands 1.0 : f32, " SMALL,
     "texpands: address: -32 is negative (line 2, column 1)"},
    {"pto.tassign %t, @tile(-33)\n%t = texpands 1.0 : f32, " SMALL,
     "texpands: address: -33 is not a multiple of 32 (line 2, column 1)"},
    {"pto.tassign %t, @tile(-33)\n%t = texpands 1.0 : f32, !pto.tile<256x512xf32>",
     "texpands: address: the tile's 524288 bytes are more than the 262144 of vec of A5 (line 2, column 1)"},
    {"pto.tassign %t, @tile(-9223372036854775807)",
     "texpands: address: -9223372036854775807 is not above -9223372036854775807 (line 1, column 23)"},
    {"pto.tassign %t, @tile(1.0)", "texpands: address: 1.0 is not an integer (line 1, column 23)"},
    {"pto.tassign %t, @mat(0)", "texpands: mat is not tile (line 1, column 18)"},
    {"pto.tassign %t @tile(0)", "texpands: expected ',' instead of '@' (line 1, column 16)"},
    {"pto.tassign %t, @tile(16)\n\n  %t = texpands 1.0 : f32, " SMALL,
     "texpands: address: 16 is not a multiple of 32 (line 3, column 3)"},
    {"pto.tassign %t, @tile(0x3FF20)\n%t = texpands 1.0 : f32, " SMALL,
     "texpands: address: 261920 and 256 bytes are beyond the 262144 of vec of A5 (line 2, column 1)"},
    {"pto.tassign %t, @tile(0)\n%t = texpands 1.0 : f32, " SMALL "\n%u = texpands 1.0 : f32, " SMALL,
     "texpands: address: %u is not bound here; placement is manual because of the pto.tassign in line 1 (line 3, "
     "column 1)"},
    {".arg %t : " SMALL "\n.arg %s : f32\n" USE "\npto.tassign %t, @tile(0)",
     "texpands: address: %t is not bound here; placement is manual because of the pto.tassign in line 4 (line 3, "
     "column 1)"},
    {"%t = texpands 1.0 : bf16, !pto.tile<mat, 16x16xbf16>",
     "texpands: dtype: bfloat16 is not int8, uint8, int16, uint16, int32, uint32, float16 or float32 (loc=mat, "
     "arch=A5) (line 1, column 1)"},
    {".arg %t : !pto.tile<left, 16x16xf16>", "texpands: loc: left is not vec or mat (line 1, column 6)"},
    {".arg s : f32", "texpands: expected '%' instead of 's' (line 1, column 6)"},
    {".arg %s f32", "texpands: expected ':' instead of 'f' (line 1, column 9)"},
    {".arg %s : f32, f32", "texpands: expected the end of the line instead of ',' (line 1, column 14)"},
    {".const %s = 1.0", "texpands: expected ':' instead of the end of the text (line 1, column 16)"},
    {".const %s = %t : f32", "texpands: expected a value or a literal instead of '%' (line 1, column 13)"},
    {".const %s = 300 : i8", "texpands: scalar: 300 is not representable in i8 (-128..127) (line 1, column 13)"},
    {".var %s", "texpands: .var is not a statement (pto.texpands, pto.tassign, .arg, .const) (line 1, column 1)"},
    {"\x01", "texpands: expected a statement instead of byte 0x01 (line 1, column 1)"},
    {"%t = texpands 1.0 : f32, !pto.tile<loc=vec, dtype=f32, layout=NC1HWC0, shape=[1,1,1,1,8]>",
     "texpands: loc: vec is not mat, where ConvTiles are (line 1, column 1)"},
    {"/ comment", "texpands: expected a statement instead of '/' (line 1, column 1)"},
};

START_TEST(bad_program)
{
    aic_pto_program *program = NULL;
    ck_assert_int_eq(aic_pto_parse(bad_programs[_i].text, strlen(bad_programs[_i].text), NULL, &program),
                     AIC_INVALID_ARGUMENT);
    check_error(bad_programs[_i].message);
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
    check_error("texpands: a program with free names cannot be run");
    aic_pto_destroy(program);

    static const char bf16[] = "%t = texpands 1.0 : bf16, !pto.tile<mat, 16x16xbf16>";
    o.arch = AIC_CHIP_A2A3;
    ck_assert_int_eq(aic_pto_parse(bf16, strlen(bf16), &o, &program), AIC_OK);
    aic_pto_destroy(program);
    o.placement = AIC_PTO_PLACEMENT_MANUAL;
    ck_assert_int_eq(aic_pto_parse(bf16, strlen(bf16), &o, &program), AIC_INVALID_ARGUMENT);
    check_error("texpands: address: %t is not bound here; with manual placement a pto.tassign "
                "binds a tile first (line 1, column 1)");
    aic_pto_destroy(NULL);
    ck_assert_int_eq(aic_pto_parse(NULL, 0, NULL, &program), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_pto_parse("", 0, NULL, NULL), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_pto_print(NULL, NULL, 0, NULL), AIC_INVALID_ARGUMENT);
}
END_TEST

START_TEST(options_that_are_none)
{
    aic_pto_program *program = NULL;
    aic_pto_options o = aic_pto_options_init();
    o.placement = (aic_pto_placement)9;
    ck_assert_int_eq(aic_pto_parse("", 0, &o, &program), AIC_INVALID_ARGUMENT);
    check_error("texpands: placement: value 9 is not text, auto or manual");
    o = aic_pto_options_init();
    o.arch = (aic_chip)9;
    ck_assert_int_eq(aic_pto_parse("", 0, &o, &program), AIC_INVALID_ARGUMENT);
    check_error("texpands: arch: value 9 is not A2A3 or A5");
}
END_TEST

START_TEST(answers_need_memory)
{
    aic_pto_program *program = program_of(EXAMPLE, AIC_PTO_PLACEMENT_TEXT);
    aic_operand argument = aic_operand_init();
    aic_pto_statement s = aic_pto_statement_init();
    ck_assert_int_eq(aic_pto_argument(program, 0, NULL), AIC_INVALID_ARGUMENT);
    check_error("texpands: the argument is NULL");
    ck_assert_int_eq(aic_pto_get_statement(program, 0, NULL), AIC_INVALID_ARGUMENT);
    check_error("texpands: the statement is NULL");
    ck_assert_int_eq(aic_pto_argument(NULL, 0, &argument), AIC_INVALID_ARGUMENT);
    check_error("texpands: the program is NULL");
    ck_assert_int_eq(aic_pto_get_statement(NULL, 0, &s), AIC_INVALID_ARGUMENT);
    check_error("texpands: the program is NULL");
    ck_assert_int_eq(aic_pto_argument(program, 5, &argument), AIC_INVALID_ARGUMENT);
    check_error("texpands: argument 5 is none of the program's 5");
    aic_pto_destroy(program);
}
END_TEST

/* Without effect an address need not be legal; it is printed as it was read. */
START_TEST(automatic_placement_takes_any_address)
{
    static const char *const addresses[] = {"-32", "16", "9223372036854775807", "-9223372036854775806"};
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        char text[200], printed[1000], binding[60];
        snprintf(text, sizeof text, "pto.tassign %%t, @tile(%s)\n%%t = texpands 1.0 : f32, " SMALL, addresses[i]);
        snprintf(binding, sizeof binding, "@tile(%s)\n", addresses[i]);
        aic_pto_program *program = program_of(text, AIC_PTO_PLACEMENT_AUTO);
        float t[64] = {0};
        void *const arguments[] = {t};
        ck_assert_int_eq(aic_pto_run(NULL, program, arguments, 1), AIC_OK);
        ck_assert(t[0] == 1 && t[63] == 1);
        ck_assert_int_eq(aic_pto_print(program, printed, sizeof printed, NULL), AIC_OK);
        ck_assert_ptr_nonnull(strstr(printed, binding));
        aic_pto_destroy(program);
    }
}
END_TEST

START_TEST(blank_texts)
{
    static const char *const texts[] = {"", "  ", "\n ", "; a comment", "\t; a comment\n  ", " \n\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        aic_pto_program *program = program_of(texts[i], AIC_PTO_PLACEMENT_TEXT);
        ck_assert_uint_eq(aic_pto_statement_count(program), 0);
        aic_pto_destroy(program);
    }
}
END_TEST

/* ---- size ---- */

typedef struct large {
    const char *text, *pattern, *message;
} large;

static void read_large(void *data, size_t size)
{
    const large *l = data;
    aic_pto_program *program = NULL;
    const aic_status status = aic_pto_parse(l->text, size, NULL, &program);
    ck_assert_msg((status == AIC_OK) == (l->message == NULL), "%s: %s", l->pattern, aic_last_error());
    ck_assert_msg(l->message == NULL || strstr(aic_last_error(), l->message), "%s: %s", l->pattern, aic_last_error());
    aic_pto_destroy(program);
}

/* `pattern` again and again: refused, or read, in time that grows with the text and no faster. */
static void check_large(const char *pattern, const char *message)
{
    const size_t step = strlen(pattern);
    char *text = malloc(AIC_PTO_BYTES_MAX);
    size_t at = 0;
    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; at + step + 16 < AIC_PTO_BYTES_MAX; i++) {
        char number[16];
        const char *mark = strchr(pattern, '@');
        const size_t before = mark ? (size_t)(mark - pattern) : step;
        snprintf(number, sizeof number, "%zu", i);
        memcpy(text + at, pattern, before);
        at += before;
        if (mark) {
            memcpy(text + at, number, strlen(number));
            at += strlen(number);
            memcpy(text + at, mark + 1, step - before - 1);
            at += step - before - 1;
        }
    }
    growth_is_linear(pattern, read_large, &(large){text, pattern, message}, at);
    free(text);
}

START_TEST(large_texts_take_linear_time)
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
    check_error("texpands: the text has 1048577 bytes, more than 1048576");
    ck_assert_int_eq(aic_pto_parse(zeros, 100, NULL, &program), AIC_INVALID_ARGUMENT);
    check_error("texpands: expected a statement instead of byte 0x00 (line 1, column 1)");
}
END_TEST

Suite *suite_pto_program(void)
{
    Suite *suite = suite_create("pto_program");
    TCase *tcase = tcase_create("pto_program");
    tcase_add_test(tcase, program_is_read);
    tcase_add_test(tcase, program_is_printed);
    tcase_add_test(tcase, program_runs);
    tcase_add_test(tcase, tiles_share_memory);
    tcase_add_test(tcase, arguments_define_shared_memory);
    tcase_add_test(tcase, capacities_of_contexts);
    tcase_add_loop_test(tcase, bad_program, 0, (int)(sizeof bad_programs / sizeof bad_programs[0]));
    tcase_add_test(tcase, options);
    tcase_add_test(tcase, options_that_are_none);
    tcase_add_test(tcase, answers_need_memory);
    tcase_add_test(tcase, automatic_placement_takes_any_address);
    tcase_add_test(tcase, blank_texts);
    tcase_add_test(tcase, large_texts_take_linear_time);
    tcase_set_timeout(tcase, 120);
    suite_add_tcase(suite, tcase);
    return suite;
}
