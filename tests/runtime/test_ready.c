/* Files of ready-made parts: what is found in them, and bytes that are anything. tests/cli/ready.sh has kernels of such
 * parts. */
#include "codegen/image.h"
#include "codegen/ready_file.h"
#include "frontend/core/bytes.h"
#include "runtime/disk/ready_parts.h"
#include "tests/disk_case.h"

#include <check.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *suite_ready(void);

enum { PARTS = 5, CODE = 64 };

/* A piece without patches. */
typedef struct hand_made {
    aic_piece_head head;
    unsigned char code[CODE];
    aic_piece_symbol symbol;
    char names[12];
} hand_made;

_Static_assert(sizeof(hand_made) == sizeof(aic_piece_head) + CODE + sizeof(aic_piece_symbol) + 12, "without holes");

typedef struct ready_case {
    aic_ready_part part[PARTS]; /* as they were written */
    unsigned char *bytes;
    size_t size;
} ready_case;

static ready_case ready_open(void)
{
    ready_case c;
    memset(&c, 0, sizeof c);
    for (int i = 0; i < PARTS; i++) {
        hand_made p = {.head = {.magic = "AICPART",
#if defined(__x86_64__)
                                .machine = EM_X86_64,
#else
                                .machine = EM_AARCH64,
#endif
                                .alignment = AIC_PIECE_SPACING,
                                .code_bytes = CODE,
                                .symbols = 1,
                                .name_bytes = sizeof p.names},
                       .symbol = {0, 0, AIC_PIECE_DEFINED | AIC_PIECE_FUNCTION},
                       .names = AIC_PART_SYMBOL};
        memset(p.code, i, sizeof p.code);
        c.part[i].piece = (aic_piece){malloc(sizeof p), sizeof p};
        ck_assert_ptr_nonnull(c.part[i].piece.bytes);
        memcpy(c.part[i].piece.bytes, &p, sizeof p);
        c.part[i].identity.size = (size_t)(20 + i);
        memset(c.part[i].identity.bytes, 'a' + i, (size_t)(20 + i));
    }
    ck_assert_int_eq(aic_ready_file_write("avx2", c.part, PARTS, &c.bytes, &c.size), AIC_OK);
    return c;
}

static void ready_close(ready_case *c)
{
    for (int i = 0; i < PARTS; i++) {
        aic_piece_free(&c->part[i].piece);
    }
    free(c->bytes);
}

/* How many parts are found in a block of just these bytes; each as it was written. */
static int count_found(const ready_case *c, size_t size)
{
    unsigned char *block = malloc(size + (size == 0));
    ck_assert_ptr_nonnull(block);
    memcpy(block, c->bytes, size);
    aic_ready_file file;
    int found = 0;
    if (aic_ready_file_open(block, size, "avx2", &file) == NULL) {
        for (int i = 0; i < PARTS; i++) {
            aic_piece piece;
            if (aic_ready_file_find(&file, &c->part[i].identity, &piece) == NULL) {
                ck_assert_uint_eq(piece.size, c->part[i].piece.size);
                ck_assert_mem_eq(piece.bytes, c->part[i].piece.bytes, piece.size);
                aic_piece_free(&piece);
                found++;
            }
        }
    }
    free(block);
    return found;
}

START_TEST(found)
{
    ready_case c = ready_open();
    ck_assert_int_eq(count_found(&c, c.size), PARTS);
    aic_ready_file file;
    aic_piece piece;
    ck_assert_ptr_null(aic_ready_file_open(c.bytes, c.size, "avx2", &file));
    ck_assert_str_eq(aic_ready_file_open(c.bytes, c.size, "avx512", &file), "it is of another level");
    aic_part_identity other = c.part[0].identity;
    other.bytes[3] ^= 1;
    ck_assert_str_eq(aic_ready_file_find(&file, &other, &piece), "");
    other = c.part[0].identity;
    other.size--;
    ck_assert_str_eq(aic_ready_file_find(&file, &other, &piece), "");
    ready_close(&c);
}
END_TEST

START_TEST(nothing_in_it)
{
    unsigned char *bytes;
    size_t size;
    aic_ready_file file;
    aic_piece piece;
    aic_part_identity identity = {.size = 1};
    ck_assert_int_eq(aic_ready_file_write("amx", NULL, 0, &bytes, &size), AIC_OK);
    ck_assert_ptr_null(aic_ready_file_open(bytes, size, "amx", &file));
    ck_assert_str_eq(aic_ready_file_find(&file, &identity, &piece), "");
    free(bytes);
}
END_TEST

/* No bit may differ: of the head then nothing is used, else all parts but one. */
START_TEST(every_byte)
{
    ready_case c = ready_open();
    int heads = 0, others = 0;
    for (size_t i = 0; i < c.size; i++) {
        for (int bit = 0; bit < 8; bit++) {
            c.bytes[i] ^= (unsigned char)(1 << bit);
            const int count = count_found(&c, c.size);
            ck_assert_msg(count == 0 || count == PARTS - 1, "byte %zu, bit %d: %d", i, bit, count);
            heads += count == 0;
            others += count != 0;
            c.bytes[i] ^= (unsigned char)(1 << bit);
        }
    }
    ck_assert_int_gt(heads, 1000);
    ck_assert_int_gt(others, 1000);
    for (size_t size = 0; size < c.size; size++) {
        ck_assert_int_eq(count_found(&c, size), 0);
    }
    ready_close(&c);
}
END_TEST

/* ---- heads with a good checksum ---- */

enum { WORD = 8, ROW = 32 };

static size_t head_of(const ready_case *c)
{
    aic_reader in = {.at = c->bytes + 8, .left = 4};
    return aic_read_number(&in, 4);
}

/* Puts a number of `bytes` bytes at a place of the head. */
static void put(ready_case *c, size_t at, uint64_t value, size_t bytes)
{
    const size_t head = head_of(c);
    aic_writer out = {c->bytes, c->size, at};
    aic_write_number(&out, value, bytes);
    aic_writer end = {c->bytes, c->size, head - WORD};
    aic_write_number(&end, aic_checksum(c->bytes, head - WORD), WORD);
}

/* A word of a row. */
static size_t word_at(const ready_case *c, int row, int word)
{
    return head_of(c) - WORD - (size_t)(PARTS - row) * ROW + (size_t)word * WORD;
}

START_TEST(hostile)
{
    ready_case c = ready_open();
    const size_t head = head_of(&c), count_at = word_at(&c, 0, 0) - 4;
    const struct {
        size_t at, bytes;
        uint64_t value;
    } CASES[] = {
        {word_at(&c, 1, 1), WORD, 0},
        {word_at(&c, 1, 1), WORD, head - 1},
        {word_at(&c, 1, 1), WORD, c.size + 1},
        {word_at(&c, 1, 1), WORD, UINT64_MAX},
        {word_at(&c, 1, 2), WORD, c.size},
        {word_at(&c, 1, 2), WORD, UINT64_MAX},
        {word_at(&c, 1, 0), WORD, 0},
        {word_at(&c, 1, 0), WORD, UINT64_MAX},
        {count_at, 4, PARTS + 1},
        {count_at, 4, PARTS - 1},
        {count_at, 4, UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        ready_case other = c;
        other.bytes = malloc(c.size);
        ck_assert_ptr_nonnull(other.bytes);
        memcpy(other.bytes, c.bytes, c.size);
        put(&other, CASES[i].at, CASES[i].value, CASES[i].bytes);
        ck_assert_msg(count_found(&other, c.size) == 0, "case %zu", i);
        free(other.bytes);
    }
    /* Two rows that name each other's parts: what a part says it is counts. */
    ready_case swapped = c;
    swapped.bytes = malloc(c.size);
    ck_assert_ptr_nonnull(swapped.bytes);
    memcpy(swapped.bytes, c.bytes, c.size);
    for (int word = 1; word < ROW / WORD; word++) {
        for (int row = 0; row < 2; row++) {
            aic_reader in = {.at = c.bytes + word_at(&c, 1 - row, word), .left = WORD};
            put(&swapped, word_at(&c, row, word), aic_read_number(&in, WORD), WORD);
        }
    }
    ck_assert_int_eq(count_found(&swapped, c.size), PARTS - 2);
    free(swapped.bytes);
    /* Rows that lie over each other: the checksum of each says what it is. */
    put(&c, word_at(&c, 1, 1), head, WORD);
    ck_assert_int_eq(count_found(&c, c.size), PARTS - 1);
    ready_close(&c);
}
END_TEST

/* A head that ends before the number of rows, which are none then. */
START_TEST(no_count)
{
    ready_case c = ready_open();
    aic_ready_file file;
    const size_t count_at = word_at(&c, 0, 0) - 4;
    aic_writer head = {c.bytes, c.size, 8};
    aic_write_number(&head, count_at + WORD, 4);
    ck_assert_uint_eq(head_of(&c), count_at + WORD);
    aic_writer end = {c.bytes, c.size, count_at};
    aic_write_number(&end, aic_checksum(c.bytes, count_at), WORD);
    ck_assert_ptr_nonnull(aic_ready_file_open(c.bytes, c.size, "avx2", &file));
    ready_close(&c);
}
END_TEST

/* A row that names less than the length of an identity. */
START_TEST(no_identity)
{
    enum { LITTLE = 3 };
    ready_case c = ready_open();
    aic_reader offset = {.at = c.bytes + word_at(&c, 1, 1), .left = WORD};
    const size_t at = aic_read_number(&offset, WORD);
    put(&c, word_at(&c, 1, 2), LITTLE, WORD);
    put(&c, word_at(&c, 1, 3), aic_checksum(c.bytes + at, LITTLE), WORD);
    ck_assert_int_eq(count_found(&c, c.size), PARTS - 1);
    ready_close(&c);
}
END_TEST

/* Looks for an identity as long as that of the first row, under its hash: what the part says it is counts. */
START_TEST(equal_hashes)
{
    ready_case c = ready_open();
    aic_ready_file file;
    aic_piece piece;
    aic_part_identity other = c.part[0].identity;
    aic_reader next = {.at = c.bytes + word_at(&c, 1, 0), .left = WORD};
    const uint64_t most = aic_read_number(&next, WORD);
    do {
        other.bytes[3]++;
    } while (aic_hash_bytes(other.bytes, other.size) > most && other.bytes[3] != c.part[0].identity.bytes[3]);
    ck_assert_mem_ne(other.bytes, c.part[0].identity.bytes, other.size);
    put(&c, word_at(&c, 0, 0), aic_hash_bytes(other.bytes, other.size), WORD);
    ck_assert_ptr_null(aic_ready_file_open(c.bytes, c.size, "avx2", &file));
    ck_assert_str_eq(aic_ready_file_find(&file, &other, &piece), "");
    ready_close(&c);
}
END_TEST

START_TEST(another_build)
{
    ready_case c = ready_open();
    aic_ready_file file;
    put(&c, 16, 'x', 1);
    ck_assert_str_eq(aic_ready_file_open(c.bytes, c.size, "avx2", &file), "it is of another build");
    ready_close(&c);
}
END_TEST

/* ---- files ---- */

static void check_file(const char *path, const char *warning)
{
    (void)aic_take_warning();
    ck_assert_ptr_null(aic_ready_parts_open_file(path, "avx2"));
    const char *told = aic_take_warning();
    ck_assert_msg(warning == NULL ? told == NULL : told != NULL && strstr(told, warning) != NULL, "\"%s\"",
                  told != NULL ? told : "");
}

START_TEST(files)
{
    char path[DISK_PATH];
    snprintf(path, sizeof path, "%s/module.avx2" AIC_READY_SUFFIX, disk_folder);
    ready_case c = ready_open();
    check_file(path, NULL); /* need not be there */
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    check_file(path, "it is no file");
    ck_assert_int_eq(unlink(path), 0);
    disk_write_file(path, "", 0);
    check_file(path, "it is empty");
    disk_write_file(path, "This holds no part.\n", 20);
    check_file(path, "it holds no parts of this version");
    disk_write_file(path, c.bytes, 100);
    check_file(path, "it is cut off");
    disk_write_file(path, c.bytes, c.size);
    aic_ready_parts *ready = aic_ready_parts_open_file(path, "avx2");
    ck_assert_ptr_nonnull(ready);
    for (int i = 0; i < PARTS; i++) {
        aic_piece piece;
        ck_assert(aic_ready_parts_find(ready, &c.part[i].identity, &piece));
        aic_piece_free(&piece);
    }
    aic_ready_parts_close(ready);
    c.bytes[c.size - 1] ^= 1;
    disk_write_file(path, c.bytes, c.size);
    ready = aic_ready_parts_open_file(path, "avx2");
    ck_assert_ptr_nonnull(ready);
    int refused = 0;
    for (int i = 0; i < PARTS; i++) {
        aic_piece piece = {NULL, 0};
        refused += !aic_ready_parts_find(ready, &c.part[i].identity, &piece);
        aic_piece_free(&piece);
    }
    ck_assert_int_eq(refused, 1);
    ck_assert_ptr_nonnull(strstr(aic_take_warning(), "ready-made parts: one is not used: it is damaged"));
    aic_ready_parts_close(ready);
    ready_close(&c);
}
END_TEST

Suite *suite_ready(void)
{
    Suite *suite = suite_create("ready-made parts");
    TCase *tcase = tcase_create("ready-made parts");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, disk_open, disk_close);
    tcase_add_test(tcase, found);
    tcase_add_test(tcase, nothing_in_it);
    tcase_add_test(tcase, every_byte);
    tcase_add_test(tcase, hostile);
    tcase_add_test(tcase, another_build);
    tcase_add_test(tcase, no_count);
    tcase_add_test(tcase, no_identity);
    tcase_add_test(tcase, equal_hashes);
    tcase_add_test(tcase, files);
    suite_add_tcase(suite, tcase);
    return suite;
}
