/* Operand files: .npy headers good and hostile, sizes, replacement of old files. */
#include "tools/harness/fail.h"
#include "tools/harness/operand_file.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *suite_npy(void);

static const aic_operand halves = {.size = sizeof halves,
                                   .name = "feature_map",
                                   .direction = AIC_DIRECTION_INOUT,
                                   .dtype = AIC_FLOAT16,
                                   .rank = 3,
                                   .shape = {2, 3, 4},
                                   .elements = 24,
                                   .bytes = 48};

/* A header of version `major`.0 around `text`, in `bytes`; returns its size. */
static size_t make_header(unsigned char *bytes, int major, const char *text)
{
    size_t length = strlen(text), prefix = major == 1 ? 10 : 12;
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (unsigned char)major;
    bytes[7] = 0;
    for (size_t i = 8; i < prefix; i++) {
        bytes[i] = (unsigned char)(length >> 8 * (i - 8));
    }
    memcpy(bytes + prefix, text, length);
    return prefix + length;
}

static aic_status parse(int major, const char *text, aic_npy_header *header)
{
    unsigned char bytes[1024];
    return aic_npy_parse("f.npy", bytes, make_header(bytes, major, text), header);
}

START_TEST(every_version_is_read)
{
    for (int major = 1; major <= 3; major++) {
        aic_npy_header header = aic_npy_header_init();
        aic_status status =
            parse(major, "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3, 4), }     \n", &header);
        ck_assert_int_eq(status, AIC_OK);
        ck_assert_int_eq(header.dtype, AIC_FLOAT16);
        ck_assert_int_eq(header.rank, 3);
        ck_assert_int_eq(header.shape[2], 4);
        ck_assert_int_eq(header.elements, 24);
    }
}
END_TEST

static const struct {
    const char *text;
    aic_dtype dtype;
    int32_t rank;
    int64_t elements;
} good[] = {
    {"{'shape': (5,), 'fortran_order': False, 'descr': '|i1'}", AIC_INT8, 1, 5},
    {"{\"descr\": \"<i4\", \"fortran_order\": False, \"shape\": (0, 7)}", AIC_INT32, 2, 0},
    {"{'descr':'<i1','fortran_order':False,'shape':()}", AIC_INT8, 0, 1},
    {"{'descr': '<u2', 'fortran_order': False, 'shape': (1, 2, 3, 4, 5, 6), }\n", AIC_UINT16, 6, 720},
};

START_TEST(spellings_are_read)
{
    aic_npy_header header = aic_npy_header_init();
    ck_assert_int_eq(parse(1, good[_i].text, &header), AIC_OK);
    ck_assert_int_eq(header.dtype, good[_i].dtype);
    ck_assert_int_eq(header.rank, good[_i].rank);
    ck_assert_int_eq(header.elements, good[_i].elements);
}
END_TEST

static const struct {
    const char *text, *message; /* the message contains it */
} hostile[] = {
    {"", "\"{\" is missing"},
    {"{", "quoted string"},
    {"{}", "is missing"},
    {"{'descr", "quoted string"},
    {"{'descr': }", "quoted string"},
    {"{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3", "shape"},
    {"{'descr': '<f2', 'fortran_order': False, 'shape': (5)}", "tuple"},
    {"{'descr': '<f2', 'fortran_order': False, 'shape': (2 3)}", "tuple"},
    {"{'descr': '<f2', 'fortran_order': False, 'shape': (-1,)}", "not a number"},
    {"{'descr': '<f2', 'fortran_order': False, 'shape': (99999999999999999999,)}", "too large"},
    {"{'descr': '<f2', 'fortran_order': False, 'shape': (9223372036854775808,)}", "too large"},
    {"{'descr': '<f2', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "too many elements"},
    {"{'descr': '<f2', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1)}", "too many axes"},
    {"{'descr': '<f2', 'fortran_order': False, 'shape': [2]}", "\"(\" is missing"},
    {"{'descr': '<f2', 'fortran_order': True, 'shape': (2,)}", "fortran_order is True"},
    {"{'descr': '<f2', 'fortran_order': 0, 'shape': (2,)}", "\"False\" is missing"},
    {"{'descr': '>f2', 'fortran_order': False, 'shape': (2,)}", "'>f2'"},
    {"{'descr': '|O', 'fortran_order': False, 'shape': (2,)}", "'|O'"},
    {"{'descr': [('a', '<f2')], 'fortran_order': False, 'shape': (2,)}", "quoted string"},
    {"{'descr': '<f2', 'fortran_order': False, 'shape': (2,)} x", "text follows"},
    {"{'descr': '<f2', 'descr': '<f2', 'fortran_order': False, 'shape': (2,)}", "repeated"},
    {"{'descr': '<f2', 'order': False, 'shape': (2,)}", "a key besides"},
    {"{'descr': '<f2' 'fortran_order': False, 'shape': (2,)}", "\",\" or \"}\""},
    {"{'descr': '<f2', 'fortran_order': False}", "is missing"},
    {"{'descr': '<f2', 'fortran_order': False, 'shape': (2,)", "\",\" or \"}\""},
};

START_TEST(hostile_headers_are_refused)
{
    aic_npy_header header = aic_npy_header_init();
    ck_assert_int_eq(parse(1 + _i % 3, hostile[_i].text, &header), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), hostile[_i].message) != NULL, "\"%s\" lacks \"%s\"", aic_last_error(),
                  hostile[_i].message);
    ck_assert_ptr_eq(strstr(aic_last_error(), "f.npy: "), aic_last_error());
}
END_TEST

/* Every prefix of a good file and every single damaged byte: an answer, never an access outside (the sanitizers
 * watch the heap block). */
START_TEST(cut_and_damaged_headers_are_safe)
{
    unsigned char whole[256];
    size_t size = make_header(whole, 2, "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3, 4), }  \n");
    aic_npy_header header = aic_npy_header_init();
    for (size_t length = 0; length < size; length++) {
        unsigned char *part = malloc(length + 1);
        ck_assert_ptr_nonnull(part);
        memcpy(part, whole, length);
        part = realloc(part, length > 0 ? length : 1);
        ck_assert_int_eq(aic_npy_parse("f.npy", part, length, &header), AIC_INVALID_ARGUMENT);
        free(part);
    }
    for (size_t at = 0; at < size; at++) {
        for (int value = 0; value < 256; value++) {
            unsigned char *damaged = malloc(size);
            ck_assert_ptr_nonnull(damaged);
            memcpy(damaged, whole, size);
            damaged[at] = (unsigned char)value;
            aic_status status = aic_npy_parse("f.npy", damaged, size, &header);
            ck_assert(status == AIC_INVALID_ARGUMENT || (status == AIC_OK && header.rank <= AIC_RANK_MAX));
            free(damaged);
        }
    }
}
END_TEST

START_TEST(versions_and_lengths_are_checked)
{
    unsigned char bytes[64];
    aic_npy_header header = aic_npy_header_init();
    static const struct {
        unsigned char major, minor;
    } versions[] = {{0, 0}, {4, 0}, {1, 1}, {255, 255}};
    for (size_t i = 0; i < 4; i++) {
        size_t size = make_header(bytes, 1, "{}");
        bytes[6] = versions[i].major;
        bytes[7] = versions[i].minor;
        ck_assert_int_eq(aic_npy_parse("f", bytes, size, &header), AIC_INVALID_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(aic_last_error(), "version"));
    }
    size_t size = make_header(bytes, 3, "{}");
    memset(bytes + 8, 0xFF, 4); /* 4 GiB of header */
    ck_assert_int_eq(aic_npy_parse("f", bytes, size, &header), AIC_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(aic_last_error(), "length 4294967295"));
}
END_TEST

START_TEST(what_is_no_tensor)
{
    static const aic_operand operands[] = {
        {.size = sizeof operands[0], .dtype = AIC_DTYPE_NONE, .rank = 1, .shape = {1}},
        {.size = sizeof operands[0], .dtype = AIC_INT8, .rank = -1},
        {.size = sizeof operands[0], .dtype = AIC_INT8, .rank = AIC_RANK_MAX + 1}};
    char header[AIC_NPY_WRITTEN_MAX];
    size_t size;
    for (size_t i = 0; i < sizeof operands / sizeof operands[0]; i++) {
        ck_assert_int_eq(aic_npy_format(&operands[i], header, &size), AIC_INVALID_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(aic_last_error(), "are no tensor's"));
    }
}
END_TEST

START_TEST(what_is_written_is_read)
{
    for (int32_t rank = 1; rank <= 3; rank++) {
        aic_operand operand = halves;
        operand.rank = rank;
        char text[256];
        size_t size = 0;
        ck_assert_int_eq(aic_npy_format(&operand, text, &size), AIC_OK);
        ck_assert_uint_eq(size % 64, 0);
        aic_npy_header header = aic_npy_header_init();
        ck_assert_int_eq(aic_npy_parse("f", (const unsigned char *)text, size, &header), AIC_OK);
        ck_assert_uint_eq(header.data_offset, size);
        ck_assert_int_eq(header.rank, rank);
        ck_assert_mem_eq(header.shape, operand.shape, (size_t)rank * sizeof(int64_t));
    }
}
END_TEST

/* ---- files ---- */

static char folder[64];

static void open_folder(void)
{
    (void)strcpy(folder, "/tmp/aicjit-npy-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    cli_fail_clear();
}

static const char *in_folder(const char *name)
{
    static char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void close_folder(void)
{
    static const char *const names[] = {"a.npy", "a.bin"};
    for (size_t i = 0; i < 2; i++) {
        (void)unlink(in_folder(names[i]));
    }
    ck_assert_int_eq(rmdir(folder), 0); /* no temporary file is left */
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(operands_round_trip)
{
    static const char *const names[] = {"a.npy", "a.bin"};
    uint16_t data[24], back[24] = {0};
    for (uint16_t i = 0; i < 24; i++) {
        data[i] = (uint16_t)(i * 2711);
    }
    const char *path = in_folder(names[_i]);
    outfile file;
    ck_assert_int_eq(outfile_open(&file, "o", path), CLI_DONE);
    ck_assert_int_eq(operand_write(&halves, path, data, &file), CLI_DONE);
    ck_assert_int_ne(access(path, F_OK), 0); /* not before it is complete */
    ck_assert_int_eq(outfile_commit(&file, "o"), CLI_DONE);
    outfile_close(&file);
    ck_assert_int_eq(operand_read(&halves, path, back), CLI_DONE);
    ck_assert_mem_eq(back, data, sizeof data);

    aic_operand wrong = halves; /* another shape with as many elements */
    wrong.shape[0] = 3;
    wrong.shape[1] = 2;
    ck_assert_int_eq(operand_read(&wrong, path, back), _i == 0 ? CLI_WRONG : CLI_DONE);
    aic_operand flat = halves;
    flat.rank = 1;
    flat.shape[0] = 24;
    cli_fail_clear();
    ck_assert_int_eq(operand_read(&flat, path, back), _i == 0 ? CLI_WRONG : CLI_DONE);
}
END_TEST

START_TEST(one_dimensional_files_serve_any_shape)
{
    unsigned char bytes[256] = {0};
    size_t size = make_header(bytes, 1, "{'descr': '<f2', 'fortran_order': False, 'shape': (24,), }");
    uint16_t back[24];
    write_file(in_folder("a.npy"), bytes, size + 48);
    ck_assert_int_eq(operand_read(&halves, in_folder("a.npy"), back), CLI_DONE);
}
END_TEST

/* data bytes behind a header of 24 halves: one too few, one too many, none. */
START_TEST(sizes_are_exact)
{
    static const size_t sizes[] = {47, 49, 0};
    unsigned char bytes[256] = {0};
    uint16_t back[24];
    size_t header = make_header(bytes, 1, "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3, 4), }");
    write_file(in_folder("a.npy"), bytes, header + sizes[_i]);
    ck_assert_int_eq(operand_read(&halves, in_folder("a.npy"), back), CLI_WRONG);
    ck_assert_ptr_nonnull(strstr(cli_fail_message(), "the operand wants 48"));
    cli_fail_clear();
    write_file(in_folder("a.bin"), bytes, sizes[_i]);
    ck_assert_int_eq(operand_read(&halves, in_folder("a.bin"), back), CLI_WRONG);
    ck_assert_ptr_nonnull(strstr(cli_fail_message(), "the operand wants 48"));
}
END_TEST

START_TEST(other_types_are_refused)
{
    unsigned char bytes[256] = {0};
    uint16_t back[24];
    size_t header = make_header(bytes, 1, "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3, 4), }");
    write_file(in_folder("a.npy"), bytes, header + 48);
    ck_assert_int_eq(operand_read(&halves, in_folder("a.npy"), back), CLI_WRONG);
    ck_assert_ptr_nonnull(strstr(cli_fail_message(), "int16, the operand wants float16"));
}
END_TEST

START_TEST(words_take_any_type_of_their_size)
{
    static const char *const descr[] = {"<u4", "<i4", "<f4", "<f2", "<u8"};
    const aic_operand words = {.size = sizeof words,
                               .name = "output",
                               .dtype = AIC_UINT32,
                               .rank = 1,
                               .shape = {6},
                               .elements = 6,
                               .bytes = 24,
                               .words = true};
    unsigned char bytes[256] = {0};
    char text[80];
    uint32_t back[6];
    snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (6,), }", descr[_i]);
    size_t header = make_header(bytes, 1, text);
    write_file(in_folder("a.npy"), bytes, header + 24);
    ck_assert_int_eq(operand_read(&words, in_folder("a.npy"), back), _i < 3 ? CLI_DONE : CLI_WRONG);
}
END_TEST

START_TEST(what_is_no_file_is_refused)
{
    static const char *const paths[] = {"/tmp", "/dev/zero", "/nonexistent/a.npy", "/dev/null/a.npy", "a.txt"};
    uint16_t back[24];
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        cli_fail_clear();
        ck_assert_int_eq(operand_read(&halves, paths[i], back), CLI_WRONG);
        ck_assert_ptr_nonnull(strstr(cli_fail_message(), "feature_map"));
    }
}
END_TEST

/* A run that fails after it opened its output leaves the old file, and nothing else. */
START_TEST(an_abandoned_file_leaves_the_old_one)
{
    write_file(in_folder("a.bin"), "old", 3);
    outfile file;
    ck_assert_int_eq(outfile_open(&file, "o", in_folder("a.bin")), CLI_DONE);
    ck_assert_int_eq(outfile_write(&file, "o", "new content", 11), CLI_DONE);
    outfile_close(&file);
    struct stat info;
    ck_assert_int_eq(stat(in_folder("a.bin"), &info), 0);
    ck_assert_int_eq(info.st_size, 3);
}
END_TEST

Suite *suite_npy(void)
{
    Suite *suite = suite_create("npy");
    TCase *headers = tcase_create("headers");
    tcase_add_test(headers, every_version_is_read);
    tcase_add_loop_test(headers, spellings_are_read, 0, sizeof good / sizeof good[0]);
    tcase_add_loop_test(headers, hostile_headers_are_refused, 0, sizeof hostile / sizeof hostile[0]);
    tcase_add_test(headers, cut_and_damaged_headers_are_safe);
    tcase_add_test(headers, versions_and_lengths_are_checked);
    tcase_add_test(headers, what_is_no_tensor);
    tcase_add_test(headers, what_is_written_is_read);
    suite_add_tcase(suite, headers);
    TCase *files = tcase_create("files");
    tcase_add_checked_fixture(files, open_folder, close_folder);
    tcase_add_loop_test(files, operands_round_trip, 0, 2);
    tcase_add_test(files, one_dimensional_files_serve_any_shape);
    tcase_add_loop_test(files, sizes_are_exact, 0, 3);
    tcase_add_test(files, other_types_are_refused);
    tcase_add_loop_test(files, words_take_any_type_of_their_size, 0, 5);
    tcase_add_test(files, what_is_no_file_is_refused);
    tcase_add_test(files, an_abandoned_file_leaves_the_old_one);
    suite_add_tcase(suite, files);
    return suite;
}
