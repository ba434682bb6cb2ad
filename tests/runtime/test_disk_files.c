/* Files and folders of the disk cache that are not as they should be, or that others may write to. */
#include "runtime/disk/disk_file.h"
#include "tests/disk_case.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *suite_disk_files(void);

/* ---- bytes ---- */

static const char *disk_sample_read(const disk_sample *s, size_t size)
{
    aic_object object;
    const char *problem = aic_disk_file_object(s->bytes, size, &s->build.identity, &object);
    if (problem == NULL) {
        aic_object_free(&object);
    }
    return problem;
}

START_TEST(every_byte_flipped)
{
    aic_context *context = disk_context("off");
    disk_sample *s = disk_sample_new(context);
    ck_assert_ptr_null(disk_sample_read(s, s->size));
    for (size_t i = 0; i < s->size; i++) {
        for (int bit = 0; bit < 8; bit += i % 7 == 0 ? 1 : 5) {
            s->bytes[i] ^= (unsigned char)(1 << bit);
            ck_assert_msg(disk_sample_read(s, s->size) != NULL, "byte %zu, bit %d", i, bit);
            s->bytes[i] ^= (unsigned char)(1 << bit);
        }
    }
    ck_assert_ptr_null(disk_sample_read(s, s->size));
    disk_sample_free(s);
    aic_context_destroy(context);
}
END_TEST

START_TEST(every_length)
{
    aic_context *context = disk_context("off");
    disk_sample *s = disk_sample_new(context);
    for (size_t size = 0; size < s->size; size++) {
        unsigned char *part = malloc(size + 1); /* so that a sanitizer sees the end */
        ck_assert_ptr_nonnull(part);
        memcpy(part, s->bytes, size);
        aic_object object;
        ck_assert_ptr_nonnull(aic_disk_file_object(part, size, &s->build.identity, &object));
        free(part);
    }
    disk_sample_free(s);
    aic_context_destroy(context);
}
END_TEST

/* Gives bytes a good checksum. */
static void sign(disk_sample *s)
{
    aic_writer out = {s->bytes, s->size, s->size - 8};
    aic_write_number(&out, aic_checksum(s->bytes, s->size - 16), 8);
}

/* Behind a good checksum every byte is looked at: what is read is within the bytes, and lengths and tags are refused.
 */
START_TEST(every_byte_signed)
{
    static const unsigned char change[] = {1, 0x20, 0x80, 0xFF};
    aic_context *context = disk_context("off");
    disk_sample *s = disk_sample_new(context);
    size_t refused = 0;
    for (size_t i = 0; i < s->size - 16; i++) {
        for (size_t c = 0; c < sizeof change; c++) {
            s->bytes[i] ^= change[c];
            sign(s);
            refused += disk_sample_read(s, s->size) != NULL;
            s->bytes[i] ^= change[c];
        }
    }
    ck_assert_uint_gt(refused, 4 * s->build.identity.size);
    sign(s);
    ck_assert_ptr_null(disk_sample_read(s, s->size));
    disk_sample_free(s);
    aic_context_destroy(context);
}
END_TEST

/* Bytes with a good checksum that are another kernel's, another build's, or a kernel in the place of a part. */
START_TEST(foreign_bytes)
{
    aic_context *context = disk_context("off");
    disk_sample *s = disk_sample_new(context);
    aic_part_identity part = {.size = s->build.identity.size};
    aic_piece piece = {NULL, 0};
    memcpy(part.bytes, s->build.identity.bytes, part.size);
    ck_assert_str_eq(aic_disk_file_piece(s->bytes, s->size, &part, &piece), "it is another part");
    ck_assert_ptr_null(piece.bytes);
    s->build.identity.bytes[s->build.identity.size - 1] ^= 1;
    ck_assert_str_eq(disk_sample_read(s, s->size), "it is another kernel");
    s->build.identity.bytes[s->build.identity.size - 1] ^= 1;
    s->bytes[16 + 4] ^= 1; /* in the build's name */
    sign(s);
    ck_assert_str_eq(disk_sample_read(s, s->size), "it is of another build");
    disk_sample_free(s);
    aic_context_destroy(context);
}
END_TEST

/* ---- files in the folder ---- */

/* Refused, reported and replaced. */
START_TEST(spoiled_files)
{
    conv_case *c = disk_small_case();
    (void)disk_call_anew(c, "rw");
    DISK_SPOILINGS[_i].spoil(disk_only_file());
    disk_deed d = disk_call_anew(c, "rw");
    disk_check_deed(&d, 1, 0, 1);
    ck_assert_msg(strstr(d.warning, DISK_SPOILINGS[_i].message) != NULL && d.warning[0] != '\0', "\"%s\"", d.warning);
    d = disk_call_anew(c, "ro");
    disk_check_deed(&d, 0, 1, 0);
    ck_assert_str_eq(d.warning, "");
    struct stat info;
    ck_assert_int_eq(lstat(disk_only_file(), &info), 0);
    ck_assert_uint_eq(info.st_mode, S_IFREG | 0600);
    conv_case_free(c);
}
END_TEST

/* A folder stays where it is; the call goes on. */
START_TEST(folder_in_the_way)
{
    conv_case *c = disk_small_case();
    (void)disk_call_anew(c, "rw");
    char path[512];
    snprintf(path, sizeof path, "%s", disk_only_file());
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    const disk_deed d = disk_call_anew(c, "rw");
    disk_check_deed(&d, 1, 0, 0);
    conv_case_free(c);
}
END_TEST

/* ---- folders ---- */

START_TEST(open_folders)
{
    conv_case *c = disk_small_case();
    (void)disk_call_anew(c, "rw");
    static const mode_t modes[] = {0770, 0707, 0777, 01777};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        ck_assert_int_eq(chmod(disk_folder, modes[i]), 0);
        const disk_deed d = disk_call_anew(c, "rw");
        disk_check_deed(&d, 1, 0, 0);
        ck_assert_ptr_nonnull(strstr(d.warning, "others may write to it"));
    }
    ck_assert_int_eq(chmod(disk_folder, 0755), 0); /* to read is no harm */
    disk_deed d = disk_call_anew(c, "rw");
    disk_check_deed(&d, 0, 1, 0);
    if (geteuid() == 0) {
        ck_assert_int_eq(chown(disk_folder, 65534, 65534), 0);
        d = disk_call_anew(c, "rw");
        disk_check_deed(&d, 1, 0, 0);
        ck_assert_ptr_nonnull(strstr(d.warning, "another user"));
        ck_assert_int_eq(chown(disk_folder, 0, 0), 0);
    }
    conv_case_free(c);
}
END_TEST

static void use_folder(const char *name)
{
    disk_close();
    snprintf(disk_folder + strlen(disk_folder), 16, "%s", name);
}

/* A folder that is not there is made, for the user alone, and those above it. */
START_TEST(folder_is_made)
{
    char above[64];
    snprintf(above, sizeof above, "%s", disk_folder);
    conv_case *c = disk_small_case();
    use_folder("/a/b/c");
    disk_deed d = disk_call_anew(c, "ro");
    disk_check_deed(&d, 1, 0, 0);
    ck_assert_int_ne(access(disk_folder, F_OK), 0);
    d = disk_call_anew(c, "rw");
    disk_check_deed(&d, 1, 0, 1);
    struct stat info;
    ck_assert_int_eq(stat(disk_folder, &info), 0);
    ck_assert_uint_eq(info.st_mode, S_IFDIR | 0700);
    d = disk_call_anew(c, "rw");
    disk_check_deed(&d, 0, 1, 0);
    snprintf(disk_folder, sizeof disk_folder, "%s", above);
    conv_case_free(c);
}
END_TEST

/* It goes while the context is in use, and comes back with the next kernel. */
START_TEST(folder_is_removed)
{
    aic_context *context = disk_context("rw");
    aic_kernel_info info = aic_kernel_info_init();
    aic_kernel_destroy(disk_kernel(context, DISK_SPEC[0], &info));
    disk_close();
    aic_kernel_destroy(disk_kernel(context, DISK_SPEC[3], &info));
    ck_assert(info.compiled);
    ck_assert_uint_eq(disk_stats(context).stores, 2);
    ck_assert_uint_eq(disk_info().files, 1);
    aic_context_destroy(context);
}
END_TEST

/* Folders that nobody can make, and files in the place of one. */
START_TEST(no_folder)
{
    static const char *const names[] = {"/proc/aicjit-none", "/dev/null", "/dev/null/aicjit"};
    conv_case *c = disk_small_case();
    char own[64];
    snprintf(own, sizeof own, "%s", disk_folder);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(disk_folder, sizeof disk_folder, "%s", names[i]);
        const disk_deed d = disk_call_anew(c, "rw");
        disk_check_deed(&d, 1, 0, 0);
    }
    snprintf(disk_folder, sizeof disk_folder, "%s", own);
    conv_case_free(c);
}
END_TEST

Suite *suite_disk_files(void)
{
    Suite *suite = suite_create("files of the disk cache");
    TCase *tcase = tcase_create("files of the disk cache");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, disk_open, disk_close);
    tcase_add_test(tcase, every_byte_flipped);
    tcase_add_test(tcase, every_length);
    tcase_add_test(tcase, every_byte_signed);
    tcase_add_test(tcase, foreign_bytes);
    tcase_add_loop_test(tcase, spoiled_files, 0, DISK_SPOILINGS_COUNT);
    tcase_add_test(tcase, folder_in_the_way);
    tcase_add_test(tcase, open_folders);
    tcase_add_test(tcase, folder_is_made);
    tcase_add_test(tcase, folder_is_removed);
    tcase_add_test(tcase, no_folder);
    suite_add_tcase(suite, tcase);
    return suite;
}
