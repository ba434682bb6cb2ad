/* Folders that are damaged or foreign: an error that names the line, whatever is wrong, and nothing is left behind. */
#include "codegen/target/host.h"
#include "tests/network_case.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *suite_network_files(void);

#define MUL "tensor_arithmetic(op=BM_MUL, shape=[1,1,4,4])"

/* Lines 2 to 8 of a network that is right; a row of `broken` has others in their place. */
static const char *const RIGHT[] = {
    "input x float32 [4,4]",
    "constant w w.npy",
    "buffer m float32 [16]",
    "buffer y float32 [4,4]",
    "kernel " MUL " : output=m input0=x input1=w",
    "kernel " MUL " : output=y input0=m input1=w",
    "output y",
};
enum { LINES = sizeof RIGHT / sizeof RIGHT[0], FIRST = 2 };

#define COPY "tensor_arithmetic(op=BM_CPY, shape=[1,1,1,4])"
#define MOVE "transdata(dtype=bfloat16, src=ND, dst=Nz, shape=[16,16])"
#define NARROW8                                                                                                        \
    "tensor_arithmetic_quantized(op=BM_ADD, shape=[4,1,1,4], input0_8bit=true, input1_8bit=true, output_8bit=true)"
#define NARROW16                                                                                                       \
    "tensor_arithmetic_quantized(op=BM_ADD, shape=[2,1,1,4], input0_8bit=false, input1_8bit=false, output_8bit=false)"

static void write_lines(const network_case *c, size_t replaced, const char *by)
{
    char text[4096];
    int length = 0;
    for (size_t i = 0; i < LINES; i++) {
        length += snprintf(text + length, sizeof text - (size_t)length, "%s\n", i + FIRST == replaced ? by : RIGHT[i]);
        ck_assert_int_lt(length, (int)sizeof text);
    }
    network_case_text(c, text);
}

static void open_right(network_case *c)
{
    network_case_open(c);
    free(network_case_npy(c, "w.npy", AIC_FLOAT32, 16, NULL));
    write_lines(c, 0, NULL);
}

/* The folder is refused with this in the message, and `status`. */
static void refuse(const network_case *c, aic_status status, const char *message)
{
    aic_network *network = NULL;
    const aic_status got = aic_network_open(NULL, c->folder, NULL, &network);
    ck_assert_msg(got == status, "%s instead of %s: \"%s\"", aic_status_name(got), aic_status_name(status),
                  got == AIC_OK ? "opened" : aic_last_error());
    ck_assert_msg(strstr(aic_last_error(), message) != NULL, "\"%s\" lacks \"%s\"", aic_last_error(), message);
    ck_assert_ptr_null(network);
}

START_TEST(what_is_right_is_opened)
{
    network_case c;
    open_right(&c);
    aic_network_destroy(network_case_network(&c, NULL, NULL));
    network_case_close(&c);
}
END_TEST

#define LONG_NAME "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggg"

static const struct {
    size_t line;
    const char *by, *message;
} broken[] = {
    /* statements */
    {2, "inputs x float32 [4,4]", "line 2: \"inputs\" is none of input, constant"},
    {2, "x", "line 2: \"x\" is none of"},
    {2, "#", "line 6: \"x\" is not declared on a line before"},
    /* names */
    {2, "input", "line 2: name \"\": is no C identifier"},
    {2, "input 4x float32 [4,4]", "line 2: name \"4x\""},
    {2, "input x-y float32 [4,4]", "line 2: name \"x-y\""},
    {2, "input " LONG_NAME " float32 [4,4]", "line 2: name \"" LONG_NAME "\": is no C identifier of at most 63"},
    {4, "buffer x float32 [16]", "line 4: \"x\" is declared on line 2 already"},
    {4, "view w x float32 [16] at 0", "line 4: \"w\" is declared on line 3 already"},
    /* types and shapes */
    {2, "input x", "line 2: x: type \"\" is not known"},
    {2, "input x float33 [4,4]", "line 2: x: type \"float33\" is not known"},
    {2, "input x none [4,4]", "line 2: x: type \"none\" is not known"},
    {2, "input x float32", "line 2: x: shape: is not written"},
    {2, "input x float32 [4,4", "line 2: x: shape: is not written"},
    {2, "input x float32 [4 4]", "line 2: x: shape: is not written"},
    {2, "input x float32 []", "line 2: x: shape: axis 1 is not"},
    {2, "input x float32 [4,0]", "line 2: x: shape: axis 2 is not"},
    {2, "input x float32 [4,-4]", "line 2: x: shape: axis 2 is not"},
    {2, "input x float32 [99999999999999999999]", "line 2: x: shape: axis 1 is not"},
    {2, "input x float32 [1,1,1,1,1,4,4]", "line 2: x: shape: axis 7 is not a number from 1 on, of at most 6"},
    {2, "input x float32 [9000000000000,9000000000000]", "line 2: x: more than 4294967296 bytes"},
    {2, "input x float32 [1073741825]", "line 2: x: more than 4294967296 bytes"},
    {2, "input x float32 [4,4] [4]", "line 2: \"[4]\" is more than the line takes"},
    {4, "buffer m float32 [16] 3", "line 4: \"3\" is more than the line takes"},
    /* sizes that kernels refuse */
    {2, "input x float32 [4,3]", "line 6: input0: \"x\" has 48 bytes, the operand wants 64"},
    {2, "input x float16 [4,8]", "line 6: input0: \"x\" is float16, the operand wants"},
    {4, "buffer m float32 [15]", "line 6: output: \"m\" has 60 bytes, the operand wants 64"},
    {4, "buffer m int8 [64]", "line 6: output: \"m\" is int8"},
    /* constants */
    {3, "constant", "line 3: name \"\""},
    {3, "constant w", "line 3: w: \"\" is no name of a .npy file"},
    {3, "constant w w.bin", "line 3: w: \"w.bin\" is no name of a .npy file"},
    {3, "constant w .npy", "line 3: w: \".npy\" is no name"},
    {3, "constant w ../w.npy", "line 3: w: \"../w.npy\" is no name of a .npy file of the folder"},
    {3, "constant w /tmp/w.npy", "line 3: w: \"/tmp/w.npy\" is no name"},
    {3, "constant w sub/w.npy", "line 3: w: \"sub/w.npy\" is no name"},
    {3, "constant w none.npy", "line 3: none.npy: No such file"},
    {3, "constant w w.npy w.npy", "line 3: \"w.npy\" is more than the line takes"},
    /* views */
    {4, "view", "line 4: name \"\""},
    {4, "view m", "line 4: a name is missing"},
    {4, "view m y float32 [16] at 0", "line 4: \"y\" is not declared on a line before"},
    {4, "view m m float32 [16] at 0", "line 4: \"m\" is not declared"},
    {4, "view m x float32 [16]", "line 4: m: \"at BYTE\" is missing"},
    {4, "view m x float32 [16] to 0", "line 4: m: \"at BYTE\" is missing"},
    {4, "view m x float32 [16] at", "line 4: m: \"at BYTE\" is missing"},
    {4, "view m x float32 [16] at -4", "line 4: m: \"at BYTE\" is missing"},
    {4, "view m x float32 [15] at 2", "line 4: m: byte 2 is no multiple of the 4 bytes"},
    {4, "view m x float32 [16] at 4", "line 4: m: bytes 4 to 68 are beyond the 64 of \"x\""},
    {4, "view m x float32 [16] at 9223372036854775804", "line 4: m: bytes 9223372036854775804 to 9223372036854775807"},
    {4, "view m x float32 [16] at 9223372036854775808", "line 4: m: \"at BYTE\" is missing"},
    {4, "view m x float32 [16] at 0 0", "line 4: \"0\" is more than the line takes"},
    {4, "view m x float32 [16] at 0", "line 6: output: \"m\" is no buffer and cannot be written"},
    {4, "view m w float32 [16] at 0", "line 6: output: \"m\" is no buffer and cannot be written"},
    /* operators */
    {6, "kernel " MUL, "line 6: \" : OPERAND=NAME ...\" is missing"},
    {6, "kernel", "line 6: \" : OPERAND=NAME ...\" is missing"},
    {6, "kernel tensor(op=BM_MUL) : output=m", "line 6: "},
    {6, "kernel tensor_arithmetic(op=BM_MUL, shape=[1,1,4]) : output=m input0=x input1=w", "line 6: "},
    {6, "kernel tensor_arithmetic(op=BM_NUL, shape=[1,1,4,4]) : output=m input0=x input1=w", "BM_NUL"},
    {6, "kernel tensor_arithmetic(op=BM_MUL, shape=[1,1,4,0]) : output=m input0=x input1=w",
     "line 6: tensor_arithmetic"},
    {6, "kernel " MUL " | " MUL " : output=m input0=x input1=w", "line 6: "},
    /* operands */
    {6, "kernel " MUL " : output=m input0=x", "line 6: operand input1 is missing"},
    {6, "kernel " MUL " : input0=x input1=w", "line 6: operand output is missing"},
    {6, "kernel " MUL " : output=m input0=x input1=w input2=w",
     "line 6: input2: the kernel has no operand of this name"},
    {6, "kernel " MUL " : output=m input0=x input1=w input0=x", "line 6: input0: is given twice"},
    {6, "kernel " MUL " : output=m input0=x input1", "line 6: \"input1\" is not written as OPERAND=NAME"},
    {6, "kernel " MUL " : output=m input0=x input1=", "line 6: \"\" is not declared"},
    {6, "kernel " MUL " : output=m input0=x input1=v", "line 6: \"v\" is not declared on a line before"},
    {6, "kernel tensor_arithmetic(op=BM_CPY, shape=[1,1,4,4]) : output=m input0=x input1=w",
     "line 6: input1: the kernel does not take this operand"},
    {6, "kernel " MUL " : output=x input0=x input1=w", "line 6: output: \"x\" is no buffer"},
    {6, "kernel " MUL " : output=w input0=x input1=w", "line 6: output: \"w\" is no buffer"},
    {6, "kernel transdata(dtype=float32, src=NCHW, dst=NHWC, shape=[1,2,2,4]) : dst=m src=m", "line 6: "},
    /* order */
    {6, "kernel " MUL " : output=m input0=y input1=w", "line 6: input0: byte 0 of \"y\" is read and was not written"},
    {6, "", "line 7: input0: byte 0 of \"m\" is read and was not written"},
    {7, "", "line 5: output: byte 0 of \"y\" is read and was not written"},
    {7, "view z y float32 [12] at 4\nkernel tensor_arithmetic(op=BM_MUL, shape=[1,1,3,4]) : output=z input0=z input1=z",
     "line 8: input0: byte 0 of \"z\""},
    {7, "view z y float32 [12] at 0\nkernel tensor_arithmetic(op=BM_CPY, shape=[1,1,3,4]) : output=z input0=x",
     "line 5: output: byte 48 of \"y\" is read and was not written"},
    {6,
     "kernel tensor_arithmetic(op=BM_MUL, shape=[1,1,4,4]) : output=m input0=x input1=w\n"
     "buffer f float32 [12]\nview f0 f float32 [4] at 0\nview f1 f float32 [4] at 16\nview f2 f float32 [4] at 32\n"
     "kernel " COPY " : output=f2 input0=x\nkernel " COPY " : output=f0 input0=f2\n"
     "kernel " COPY " : output=f2 input0=f0\nkernel " COPY " : output=f0 input0=f1",
     "line 14: input0: byte 0 of \"f1\" is read and was not written"},
    /* outputs */
    {8, "", "there is no output"},
    {8, "output", "line 8: a name is missing"},
    {8, "output z", "line 8: \"z\" is not declared"},
    {8, "output x", "line 8: \"x\" is no buffer: an output must be one"},
    {8, "output w", "line 8: \"w\" is no buffer"},
    {8, "view z y float32 [16] at 0\noutput z", "line 9: \"z\" is no buffer"},
    {8, "output y\noutput y", "line 9: \"y\" is an output already"},
    {8, "output y y", "line 8: \"y\" is more than the line takes"},
    {8, "output m y", "line 8: \"y\" is more"},
};

START_TEST(every_broken_line_is_refused)
{
    network_case c;
    open_right(&c);
    write_lines(&c, broken[_i].line, broken[_i].by);
    refuse(&c, AIC_INVALID_ARGUMENT, broken[_i].message);
    network_case_close(&c);
}
END_TEST

/* Every prefix of a network, every line left out, every byte another one: an answer, never an access outside. */
START_TEST(cut_and_damaged_texts_are_safe)
{
    network_case c;
    char text[2048];
    open_right(&c);
    FILE *file = fopen(network_case_path(&c, "network.txt"), "rb");
    ck_assert_ptr_nonnull(file);
    const size_t size = fread(text, 1, sizeof text, file);
    ck_assert_int_eq(fclose(file), 0);
    for (size_t length = 0; length < size - 1; length++) {
        network_case_file(&c, "network.txt", text, length);
        refuse(&c, AIC_INVALID_ARGUMENT, c.folder);
    }
    aic_network_options options = aic_network_options_init();
    options.reference = true;
    for (size_t at = 0; at < size; at++) {
        static const char OTHERS[] = {0, '\n', ' ', '9', 'x', '=', ':', '[', (char)0xFF};
        const char old = text[at];
        text[at] = OTHERS[at % sizeof OTHERS];
        network_case_file(&c, "network.txt", text, size);
        aic_network *network = NULL;
        const aic_status status = aic_network_open(NULL, c.folder, &options, &network);
        ck_assert(status == AIC_OK || status == AIC_INVALID_ARGUMENT || status == AIC_UNSUPPORTED);
        aic_network_destroy(network);
        text[at] = old;
    }
    network_case_close(&c);
}
END_TEST

/* Which types of a tensor may stand for an operand's: the same, uint16 for bfloat16, for words any type of their size,
 * and for words that hold smaller integers those, with or without sign. */
static const struct {
    const char *kernel, *type;
    int count; /* elements */
    bool fits;
    const char *output; /* NULL: four words */
} TYPES[] = {
    {MOVE " : dst=y src=x", "bfloat16", 256, true, "bfloat16 [256]"},
    {MOVE " : dst=y src=x", "uint16", 256, true, "uint16 [256]"},
    {MOVE " : dst=y src=x", "int16", 256, false, "uint16 [256]"},
    {COPY " : output=y input0=x", "uint32", 4, true, NULL},
    {COPY " : output=y input0=x", "int32", 4, true, NULL},
    {COPY " : output=y input0=x", "int8", 16, false, NULL},
    {COPY " : output=y input0=x", "int16", 8, false, NULL},
    {NARROW8 " : output=y input0=x input1=x", "int8", 16, true, NULL},
    {NARROW8 " : output=y input0=x input1=x", "uint8", 16, true, NULL},
    {NARROW8 " : output=y input0=x input1=x", "int16", 8, false, NULL},
    {NARROW8 " : output=y input0=x input1=x", "int32", 4, true, NULL},
    {NARROW16 " : output=y input0=x input1=x", "int16", 8, true, NULL},
    {NARROW16 " : output=y input0=x input1=x", "uint16", 8, true, NULL},
    {NARROW16 " : output=y input0=x input1=x", "int8", 16, false, NULL},
};

START_TEST(types_that_stand_for_others)
{
    network_case c;
    char text[512];
    aic_network *network = NULL;
    aic_network_options options = aic_network_options_init();
    options.reference = true;
    network_case_open(&c);
    (void)snprintf(text, sizeof text, "input x %s [%d]\nbuffer y %s\nkernel %s\noutput y\n", TYPES[_i].type,
                   TYPES[_i].count, TYPES[_i].output != NULL ? TYPES[_i].output : "uint32 [4]", TYPES[_i].kernel);
    network_case_text(&c, text);
    const aic_status status = aic_network_open(NULL, c.folder, &options, &network);
    ck_assert_msg(status == (TYPES[_i].fits ? AIC_OK : AIC_INVALID_ARGUMENT), "%s", aic_last_error());
    ck_assert(TYPES[_i].fits || strstr(aic_last_error(), ": \"x\" is ") != NULL);
    aic_network_destroy(network);
    network_case_close(&c);
}
END_TEST

/* ---- exports ---- */

static void refuse_export(const network_case *c, const char *isa, const char *message)
{
    aic_exported made = aic_exported_init();
    ck_assert_int_eq(aic_network_export(NULL, c->folder, "net", isa, "x86_64-linux-gnu", &made), AIC_UNSUPPORTED);
    ck_assert_str_eq(aic_last_error(), message);
    ck_assert(made.object == NULL && made.header == NULL);
}

/* A function has so many parameters, an object so many kernels. */
START_TEST(exports_are_limited)
{
    network_case c;
    char text[16384];
    int length = 0;
    network_case_open(&c);
    for (int i = 0; i < 23; i++) {
        length += snprintf(text + length, sizeof text - (size_t)length, "input x%d float32 [129]\n", i);
    }
    (void)snprintf(text + length, sizeof text - (size_t)length,
                   "buffer y float32 [4]\nkernel " COPY " : output=y input0=x0\noutput y\n");
    network_case_text(&c, text);
    refuse_export(&c, "sse2", "network: 24 inputs and outputs are more than 23");
    length = snprintf(text, sizeof text, "input x float32 [129]\nbuffer y float32 [129]\n");
    for (int i = 1; i <= 129; i++) {
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "view y%d y float32 [%d] at 0\nkernel tensor_arithmetic(op=BM_CPY, shape=[1,1,1,%d]) : "
                           "output=y%d input0=x\n",
                           i, i, i, i);
    }
    ck_assert_int_lt(length, (int)sizeof text - 16);
    (void)snprintf(text + length, sizeof text - (size_t)length, "output y\n");
    network_case_text(&c, text);
    refuse_export(&c, "sse2,avx2", "network: 129 different kernels for 2 levels are more than 256");
    network_case_close(&c);
}
END_TEST

/* For the architecture that this processor is not of; a result of the wrong size is refused. */
START_TEST(exports_for_others)
{
    network_case c;
    const char *other = aic_host_arch() == AIC_ARCH_X86_64 ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
    aic_exported made = aic_exported_init();
    open_right(&c);
    ck_assert_msg(aic_network_export(NULL, c.folder, "net", NULL, other, &made) == AIC_OK, "%s", aic_last_error());
    ck_assert(made.object_size > 0 && strstr(made.header, "net(") != NULL);
    aic_exported_destroy(&made);
    made.size = 1;
    ck_assert_int_eq(aic_network_export(NULL, c.folder, "net", NULL, NULL, &made), AIC_INVALID_ARGUMENT);
    network_case_close(&c);
}
END_TEST

/* ---- files ---- */

static void put_pipe(const char *path)
{
    ck_assert_int_eq(mkfifo(path, 0600), 0);
}

static void put_folder(const char *path)
{
    ck_assert_int_eq(mkdir(path, 0700), 0);
}

static void put_link(const char *path)
{
    char other[400];
    (void)snprintf(other, sizeof other, "%s.other", path);
    ck_assert_int_eq(rename(path, other), 0);
    ck_assert_int_eq(symlink(other, path), 0);
}

static void put_nothing(const char *path)
{
    (void)path;
}

static const struct {
    void (*put)(const char *path);
    bool keeps;
    const char *message;
} OBSTACLES[] = {{put_pipe, false, "it is no file"},
                 {put_folder, false, "it is no file"},
                 {put_link, true, "it is a link"},
                 {put_nothing, false, "No such file"}};

START_TEST(only_regular_files_of_the_folder_are_read)
{
    static const char *const NAMES[] = {"network.txt", "w.npy"};
    network_case c;
    open_right(&c);
    const char *path = network_case_path(&c, NAMES[_i % 2]);
    if (!OBSTACLES[_i / 2].keeps) {
        ck_assert_int_eq(unlink(path), 0);
    }
    OBSTACLES[_i / 2].put(path);
    refuse(&c, AIC_INVALID_ARGUMENT, OBSTACLES[_i / 2].message);
    refuse(&c, AIC_INVALID_ARGUMENT, _i % 2 == 1 ? "line 3: w.npy: " : "network.txt\": ");
    network_case_close(&c);
}
END_TEST

static void expect_no_folder(const char *folder, const char *message)
{
    aic_network *network = NULL;
    ck_assert_int_eq(aic_network_open(NULL, folder, NULL, &network), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), message) != NULL, "%s", aic_last_error());
}

START_TEST(folders_that_are_none)
{
    network_case c;
    open_right(&c);
    expect_no_folder(network_case_path(&c, "w.npy"), "Not a directory");
    expect_no_folder(network_case_path(&c, "none"), "No such file");
    expect_no_folder("", "No such file");
    network_case_close(&c);
}
END_TEST

static const struct {
    const char *header;
    size_t data;
    const char *message;
} CONSTANTS[] = {
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4)}", 64, NULL},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4)}", 63, "holds 63 bytes of data, not 16 elements"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4)}", 65, "holds 65 bytes of data, not 16 elements"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4)}", 0, "holds 0 bytes"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 5)}", 80, NULL},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4)}", 0, "holds 0 bytes of data, not 0 elements"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 1)}", 0, "holds 0 bytes"},
    {"{'descr': '<f2', 'fortran_order': False, 'shape': (4, 8)}", 64, "line 6: input1: \"w\" is float16"},
    {"{'descr': '>f4', 'fortran_order': False, 'shape': (4, 4)}", 64, "line 3: w.npy: .npy header: descr '>f4'"},
    {"{'descr': '<f4', 'fortran_order': True, 'shape': (4, 4)}", 64, "line 3: w.npy: .npy header: fortran_order"},
    {"{'descr': '|O', 'fortran_order': False, 'shape': (4, 4)}", 64, "line 3: w.npy: .npy header: descr '|O'"},
};

START_TEST(constants_are_what_their_headers_say)
{
    network_case c;
    char file[512] = "\x93NUMPY\x01";
    const size_t length = strlen(CONSTANTS[_i].header);
    open_right(&c);
    file[8] = (char)length;
    memcpy(file + 10, CONSTANTS[_i].header, length);
    network_case_file(&c, "w.npy", file, 10 + length + CONSTANTS[_i].data);
    if (CONSTANTS[_i].message == NULL) {
        aic_network_destroy(network_case_network(&c, NULL, NULL));
    } else {
        refuse(&c, AIC_INVALID_ARGUMENT, CONSTANTS[_i].message);
    }
    network_case_file(&c, "w.npy", file, 9);
    refuse(&c, AIC_INVALID_ARGUMENT, "line 3: w.npy: this is no .npy file");
    network_case_close(&c);
}
END_TEST

/* ---- limits ---- */

static void put_text(const network_case *c, const char *text)
{
    network_case_file(c, "network.txt", text, strlen(text));
}

START_TEST(other_files_are_told_apart)
{
    network_case c;
    open_right(&c);
    put_text(&c, "");
    refuse(&c, AIC_INVALID_ARGUMENT, "line 1: is not \"# aicjit network, version 1\": this is no network");
    put_text(&c, "\n# aicjit network, version 1\n");
    refuse(&c, AIC_INVALID_ARGUMENT, "line 1: is not");
    put_text(&c, "# aicjit network, version 2\n");
    refuse(&c, AIC_INVALID_ARGUMENT, "line 1: is of version 2; this library knows version 1");
    put_text(&c, "# aicjit network, version 10\n");
    refuse(&c, AIC_INVALID_ARGUMENT, "line 1: is of version 10; this library knows version 1");
    put_text(&c, "# aicjit network, version 1\n");
    refuse(&c, AIC_INVALID_ARGUMENT, "there is no input");
    put_text(&c, "# aicjit network, version 1 \r\n"); /* as editors of other systems end lines */
    refuse(&c, AIC_INVALID_ARGUMENT, "there is no input");
    network_case_file(&c, "network.txt", "# aicjit network, version 1\ninput\0x", 36);
    refuse(&c, AIC_INVALID_ARGUMENT, "line 2: byte 6 is 0: this is no text");
    network_case_close(&c);
}
END_TEST

/* A text of so many declarations, each with a line behind it that begins with `then`, unless that is NULL. */
static void refuse_many(const network_case *c, const char *kind, const char *then, int count, const char *message)
{
    enum { LINE_BYTES = 64 };
    char *text = malloc((size_t)(count + 1) * LINE_BYTES);
    ck_assert_ptr_nonnull(text);
    int length = sprintf(text, "# aicjit network, version 1\n");
    for (int i = 0; i < count; i++) {
        length += sprintf(text + length, "%s b%d int8 [1]\n", kind, i);
        length += then != NULL ? sprintf(text + length, "%s b%d\n", then, i) : 0;
    }
    put_text(c, text);
    refuse(c, AIC_INVALID_ARGUMENT, message);
    free(text);
}

/* One kernel more than a network may have. */
static void refuse_kernels(const network_case *c)
{
    enum { KERNELS = 8193, ROOM = 128 };
    static const char LINE[] = "kernel " COPY " : output=y input0=x\n";
    char *text = malloc(KERNELS * sizeof LINE + ROOM);
    ck_assert_ptr_nonnull(text);
    int length = sprintf(text, "# aicjit network, version 1\ninput x float32 [4]\nbuffer y float32 [4]\n");
    for (int i = 0; i < KERNELS; i++) {
        length += sprintf(text + length, "%s", LINE);
    }
    put_text(c, text);
    refuse(c, AIC_INVALID_ARGUMENT, "line 8196: there are more than 8192 kernels");
    free(text);
}

START_TEST(numbers_are_limited)
{
    network_case c;
    open_right(&c);
    refuse_many(&c, "buffer", NULL, 8193, "line 8194: there are more than 8192 names");
    refuse_many(&c, "input", NULL, 1025, "line 1026: there are more than 1024 inputs");
    refuse_many(&c, "buffer", "output", 1025, "line 2051: there are more than 1024 outputs");
    refuse_kernels(&c);
    char *line = malloc(20000);
    ck_assert_ptr_nonnull(line);
    memset(line, 'x', 19999);
    line[19999] = '\0';
    memcpy(line, "# aicjit network, version 1\n", 28);
    put_text(&c, line);
    refuse(&c, AIC_INVALID_ARGUMENT, "line 2: has more than 16383 bytes");
    free(line);
    ck_assert_int_eq(truncate(network_case_path(&c, "network.txt"), (16 << 20) + 1), 0);
    refuse(&c, AIC_INVALID_ARGUMENT, "it has more bytes than such a file may have");
    network_case_close(&c);
}
END_TEST

/* Four buffers of 4 GiB each are as much as may live at a time; five are more. Nothing of that size is allocated. */
START_TEST(the_arena_is_limited)
{
    network_case c;
    char text[4096] = "";
    network_case_open(&c);
    int length = sprintf(text, "input x float32 [4]\nbuffer y float32 [4]\n");
    for (int i = 0; i < 5; i++) {
        length += sprintf(text + length,
                          "buffer b%d float32 [1073741824]\nview v%d b%d float32 [4] at 0\nkernel "
                          "tensor_arithmetic(op=BM_CPY, shape=[1,1,1,4]) : output=v%d input0=x\n",
                          i, i, i, i);
    }
    for (int i = 0; i < 5; i++) {
        length += sprintf(text + length,
                          "kernel tensor_arithmetic(op=BM_ADD, shape=[1,1,1,4]) : output=y input0=x input1=v%d\n", i);
    }
    (void)sprintf(text + length, "output y\n");
    network_case_text(&c, text);
    refuse(&c, AIC_INVALID_ARGUMENT, "the buffers need 21474836480 bytes at a time, more than 17179869184");
    network_case_close(&c);
}
END_TEST

Suite *suite_network_files(void)
{
    Suite *suite = suite_create("network_files");
    TCase *tcase = tcase_create("text");
    tcase_add_test(tcase, what_is_right_is_opened);
    tcase_add_loop_test(tcase, every_broken_line_is_refused, 0, sizeof broken / sizeof broken[0]);
    tcase_add_test(tcase, cut_and_damaged_texts_are_safe);
    tcase_add_loop_test(tcase, types_that_stand_for_others, 0, sizeof TYPES / sizeof TYPES[0]);
    tcase_add_test(tcase, other_files_are_told_apart);
    tcase_add_test(tcase, numbers_are_limited);
    tcase_add_test(tcase, the_arena_is_limited);
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("exports");
    tcase_add_test(tcase, exports_are_limited);
    tcase_add_test(tcase, exports_for_others);
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("files");
    tcase_add_loop_test(tcase, only_regular_files_of_the_folder_are_read, 0, 8);
    tcase_add_test(tcase, folders_that_are_none);
    tcase_add_loop_test(tcase, constants_are_what_their_headers_say, 0, sizeof CONSTANTS / sizeof CONSTANTS[0]);
    suite_add_tcase(suite, tcase);
    return suite;
}
