/* Parts of kernels in the disk cache: who finds them, files that are not as they should be, the whole folder. */
#define _GNU_SOURCE /* memmem() */
#include "frontend/core/bytes.h"
#include "runtime/disk/disk_file.h"
#include "tests/child.h"
#include "tests/disk_case.h"

#include <check.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *suite_disk_parts(void);

/* Makes the kernel of a width in a new context. */
static aic_kernel_info make_anew(const char *mode, int64_t width)
{
    aic_context *context = disk_context(mode);
    const aic_kernel_info info = conv_kernel_info(context, width);
    aic_context_destroy(context);
    return info;
}

static void remove_files(const char *prefix)
{
    char path[DISK_FILES_MAX][DISK_PATH];
    for (size_t i = disk_files(prefix, path); i > 0; i--) {
        ck_assert_int_eq(unlink(path[i - 1]), 0);
    }
}

START_TEST(found_by_others)
{
    const aic_kernel_info made = make_anew("rw", 16), loaded = make_anew("rw", 24);
    ck_assert_uint_gt(made.parts_made, 0);
    ck_assert_uint_eq(made.parts_ready + made.parts_loaded, 0);
    ck_assert(loaded.compiled);
    ck_assert_uint_eq(loaded.parts_loaded, made.parts_made);
    ck_assert_uint_eq(loaded.parts_ready + loaded.parts_made, 0);
    ck_assert_uint_eq(disk_info().parts, made.parts_made);
}
END_TEST

START_TEST(each_mode)
{
    const uint32_t parts = make_anew("off", 16).parts_made;
    ck_assert_uint_gt(parts, 0);
    ck_assert_uint_eq(make_anew("ro", 16).parts_made, parts);
    ck_assert_uint_eq(disk_info().parts, 0);
    ck_assert_uint_eq(make_anew("rw", 16).parts_made, parts);
    ck_assert_uint_eq(make_anew("ro", 24).parts_loaded, parts);
    ck_assert_uint_eq(make_anew("off", 24).parts_made, parts);
}
END_TEST

/* Kernels of parts from the disk compute what the reference does. */
START_TEST(results_are_equal)
{
    static const aic_dtype types[] = {AIC_INT8, AIC_FLOAT16};
    for (int64_t width = 6; width < 30; width += 5) {
        const aic_conv2d_desc desc = conv_desc(types[_i], width);
        conv_case *c = conv_case_new(&desc);
        for (int round = 0; round < 2; round++) {
            const disk_deed d = disk_call_anew(c, "rw");
            disk_check_deed(&d, 1, 0, 1);
            ck_assert_str_eq(d.warning, "");
            remove_files("aic_");
        }
        conv_case_free(c);
    }
}
END_TEST

/* ---- files ---- */

/* A file with the identity that it says. */
typedef struct part_file {
    unsigned char *bytes;
    size_t size;
    aic_part_identity identity;
    aic_disk_file contents;
} part_file;

static part_file read_part(const char *path)
{
    part_file f;
    memset(&f, 0, sizeof f);
    f.bytes = disk_read_file(path, &f.size);
    ck_assert_ptr_null(aic_disk_file_read(f.bytes, f.size, &f.contents));
    ck_assert(f.contents.part);
    f.identity.size = f.contents.identity.length;
    ck_assert_uint_le(f.identity.size, sizeof f.identity.bytes);
    memcpy(f.identity.bytes, f.contents.identity.text, f.identity.size);
    return f;
}

static const char *piece_of(const unsigned char *bytes, size_t size, const aic_part_identity *identity)
{
    aic_piece piece;
    const char *problem = aic_disk_file_piece(bytes, size, identity, &piece);
    if (problem == NULL) {
        aic_piece_free(&piece);
    }
    return problem;
}

/* All parts of a kernel: no bit of a file may differ, and none may be missing. */
START_TEST(every_byte)
{
    char path[DISK_FILES_MAX][DISK_PATH];
    (void)make_anew("rw", 16);
    const size_t files = disk_files("part_", path);
    ck_assert_uint_ge(files, 2);
    for (size_t n = 0; n < files; n++) {
        part_file f = read_part(path[n]);
        ck_assert_ptr_null(piece_of(f.bytes, f.size, &f.identity));
        for (size_t i = 0; i < f.size; i++) {
            f.bytes[i] ^= (unsigned char)(1 << i % 8);
            ck_assert_msg(piece_of(f.bytes, f.size, &f.identity) != NULL, "byte %zu", i);
            f.bytes[i] ^= (unsigned char)(1 << i % 8);
        }
        for (size_t size = 0; size < f.size; size += size < 200 ? 1 : 37) {
            unsigned char *part = malloc(size + 1); /* so that a sanitizer sees the end */
            ck_assert_ptr_nonnull(part);
            memcpy(part, f.bytes, size);
            ck_assert_ptr_nonnull(piece_of(part, size, &f.identity));
            free(part);
        }
        free(f.bytes);
    }
}
END_TEST

/* Gives bytes a good checksum. */
static void sign(part_file *f)
{
    aic_writer out = {f->bytes, f->size, f->size - 8};
    aic_write_number(&out, aic_checksum(f->bytes, f->size - 16), 8);
}

/* Behind a good checksum every byte is looked at: what is read is within the bytes, and lengths and tags are refused.
 */
START_TEST(every_byte_signed)
{
    static const unsigned char change[] = {1, 0x20, 0x80, 0xFF};
    char path[DISK_FILES_MAX][DISK_PATH];
    (void)make_anew("rw", 16);
    ck_assert_uint_ge(disk_files("part_", path), 2);
    part_file f = read_part(path[0]);
    size_t refused = 0;
    for (size_t i = 0; i < f.size - 16; i++) {
        for (size_t c = 0; c < sizeof change; c++) {
            f.bytes[i] ^= change[c];
            sign(&f);
            refused += piece_of(f.bytes, f.size, &f.identity) != NULL;
            f.bytes[i] ^= change[c];
        }
    }
    ck_assert_uint_gt(refused, 4 * f.identity.size);
    sign(&f);
    ck_assert_ptr_null(piece_of(f.bytes, f.size, &f.identity));
    free(f.bytes);
}
END_TEST

START_TEST(foreign)
{
    char path[DISK_FILES_MAX][DISK_PATH];
    (void)make_anew("rw", 16);
    ck_assert_uint_ge(disk_files("part_", path), 2);
    part_file f = read_part(path[0]), other = read_part(path[1]);
    ck_assert_str_eq(piece_of(f.bytes, f.size, &other.identity), "it is another part");
    f.bytes[16 + 4] ^= 1; /* in the build's name */
    sign(&f);
    ck_assert_str_eq(piece_of(f.bytes, f.size, &f.identity), "it is of another build");
    f.bytes[16 + 4] ^= 1;
    unsigned char *head = f.bytes + (f.contents.piece.bytes - f.bytes);
    head[offsetof(aic_piece_head, machine)] ^= 1;
    sign(&f);
    ck_assert_str_eq(piece_of(f.bytes, f.size, &f.identity), "it is of another machine");
    free(f.bytes);
    free(other.bytes);
}
END_TEST

/* Refused, reported and replaced; the kernel is right all the same. */
START_TEST(spoiled_files)
{
    const disk_spoiling *way = &DISK_SPOILINGS[_i];
    char path[DISK_FILES_MAX][DISK_PATH];
    conv_case *c = disk_small_case();
    (void)disk_call_anew(c, "rw");
    ck_assert_uint_ge(disk_files("part_", path), 2);
    for (size_t i = 0; i < 2; i++) {
        way->spoil(path[i]);
        remove_files("aic_");
        disk_deed d = disk_call_anew(c, "rw");
        disk_check_deed(&d, 1, 0, 1);
        ck_assert_msg(strstr(d.warning, way->message) != NULL && d.warning[0] != '\0', "\"%s\"", d.warning);
        remove_files("aic_");
        d = disk_call_anew(c, "ro");
        ck_assert_str_eq(d.warning, "");
        struct stat info;
        ck_assert_int_eq(lstat(path[i], &info), 0);
        ck_assert_uint_eq(info.st_mode, S_IFREG | 0600);
    }
    conv_case_free(c);
}
END_TEST

/* A name of a number that no kernel gives, in a file with a good checksum: linking refuses it, and all parts are made.
 */
START_TEST(swapped_name)
{
    char path[DISK_FILES_MAX][DISK_PATH];
    conv_case *c = disk_small_case();
    (void)disk_call_anew(c, "rw");
    size_t changed = 0;
    for (size_t i = disk_files("part_", path); i > 0; i--) {
        part_file f = read_part(path[i - 1]);
        unsigned char *name = memmem(f.bytes, f.size, "kpacks", sizeof "kpacks");
        if (name != NULL) {
            name[0] = 'x';
            sign(&f);
            disk_write_file(path[i - 1], f.bytes, f.size);
            changed++;
        }
        free(f.bytes);
    }
    ck_assert_uint_gt(changed, 0);
    remove_files("aic_");
    disk_deed d = disk_call_anew(c, "rw");
    disk_check_deed(&d, 1, 0, 1);
    ck_assert_msg(strstr(d.warning, "parts: those from files are not used: ") != NULL &&
                      strstr(d.warning, "xpacks") != NULL,
                  "\"%s\"", d.warning);
    remove_files("aic_");
    d = disk_call_anew(c, "rw"); /* they were replaced */
    ck_assert_str_eq(d.warning, "");
    conv_case_free(c);
}
END_TEST

/* One part's file under the name of another. */
START_TEST(swapped_files)
{
    char path[DISK_FILES_MAX][DISK_PATH], spare[DISK_PATH + 8];
    conv_case *c = disk_small_case();
    (void)disk_call_anew(c, "rw");
    ck_assert_uint_ge(disk_files("part_", path), 2);
    snprintf(spare, sizeof spare, "%s.spare", path[0]);
    ck_assert_int_eq(rename(path[0], spare) | rename(path[1], path[0]) | rename(spare, path[1]), 0);
    remove_files("aic_");
    const disk_deed d = disk_call_anew(c, "rw");
    ck_assert_ptr_nonnull(strstr(d.warning, "it is another part"));
    conv_case_free(c);
}
END_TEST

/* ---- the whole folder ---- */

static void count_parts(void *user, const char *file, const char *what, const char *problem)
{
    int *counts = user;
    counts[problem != NULL] += strncmp(file, "part_", 5) == 0;
    ck_assert(problem != NULL || strstr(what, "target ") != NULL);
}

START_TEST(verify_and_clear)
{
    char path[DISK_FILES_MAX][DISK_PATH];
    const int parts = (int)make_anew("rw", 16).parts_made;
    disk_put_file("part_old-0.0.9-0123.part", 100, 5);
    disk_put_file(".part_a.part.1.2", 100, 5);
    disk_put_file("part_of.txt", 100, 5);
    ck_assert_int_eq((int)disk_files("part_", path), parts + 2);
    char twin[DISK_PATH];
    snprintf(twin, sizeof twin, "%s/part_twin.part", disk_folder); /* a kernel under the name of a part */
    ck_assert_int_eq(link(disk_only_file(), twin), 0);
    aic_context *context = disk_context("rw");
    aic_disk_cache_info info = aic_disk_cache_info_init();
    int counts[2] = {0, 0};
    ck_assert_int_eq(aic_disk_cache_verify(context, count_parts, counts, &info), AIC_OK);
    ck_assert_int_eq(counts[0], parts);
    ck_assert_int_eq(counts[1], 2);
    ck_assert_uint_eq(info.parts, (unsigned)parts + 2);
    ck_assert_uint_eq(info.current_parts, (unsigned)parts);
    ck_assert_uint_eq(info.files, 1);
    ck_assert_uint_eq(info.refused, 2);
    uint64_t removed;
    ck_assert_int_eq(aic_disk_cache_clear(context, &removed), AIC_OK);
    ck_assert_uint_eq(removed, (unsigned)parts + 3);
    ck_assert(disk_is_there("part_of.txt") && !disk_is_there(".part_a.part.1.2"));
    aic_context_destroy(context);
}
END_TEST

/* Parts go after the kernels of the same hour. */
START_TEST(least_recently_used)
{
    static const char *const ORDER[] = {"part_c.part", "aic_b.kernel", "aic_d.kernel", "part_a.part"};
    enum { FILES = sizeof ORDER / sizeof ORDER[0], BYTES = 1000 };
    disk_put_file("part_a.part", BYTES, 3000);
    disk_put_file("aic_b.kernel", BYTES, 2000);
    disk_put_file("part_c.part", BYTES, 20000);
    disk_put_file("aic_d.kernel", BYTES, 10);
    aic_context *context = disk_context("rw");
    for (int left = FILES - 1; left >= 0; left--) {
        const char *problem;
        const int folder = aic_disk_open_folder(&context->disk, &problem);
        ck_assert_int_ge(folder, 0);
        aic_disk_trim(folder, (uint64_t)left * BYTES * 8 / 7 + 10);
        close(folder);
        for (int i = 0; i < FILES; i++) {
            ck_assert_msg(disk_is_there(ORDER[i]) == (i >= FILES - left), "%s with %d left", ORDER[i], left);
        }
    }
    aic_context_destroy(context);
}
END_TEST

/* A cache with hardly any room: files come and go under it. */
START_TEST(evicted_all_the_time)
{
    aic_context_options options = aic_context_options_init();
    options.cache = "rw", options.cache_dir = disk_folder, options.cache_disk_bytes = 6000;
    for (int64_t width = 16; width < 40; width += 4) {
        aic_context *context;
        ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
        const aic_kernel_info info = conv_kernel_info(context, width);
        ck_assert_uint_gt(info.parts_made + info.parts_loaded, 0);
        aic_disk_cache_info disk = aic_disk_cache_info_init();
        ck_assert_int_eq(aic_disk_cache_stat(context, &disk), AIC_OK);
        ck_assert_uint_le(disk.bytes, options.cache_disk_bytes);
        aic_context_destroy(context);
    }
    ck_assert_uint_eq(disk_info().refused, 0);
}
END_TEST

/* ---- processes ---- */

static void store_for_ever(aic_disk *disk, part_file *f)
{
    enum { LETTER = 4 }; /* of the text that an identity begins with, behind its length */
    for (unsigned i = 0;; i++) {
        f->identity.bytes[LETTER] = (unsigned char)('a' + i % 8);
        if (!aic_disk_store_part(disk, &f->identity, &f->contents.piece)) {
            _exit(1);
        }
    }
}

/* Writers that are killed anywhere leave whole files, and perhaps one with a name that nobody reads. */
START_TEST(killed_writers)
{
    enum { WRITERS = 40 };
    char path[DISK_FILES_MAX][DISK_PATH];
    (void)make_anew("rw", 16);
    ck_assert_uint_ge(disk_files("part_", path), 2);
    part_file f = read_part(path[0]);
    aic_context *context = disk_context("rw");
    for (unsigned round = 0; round < WRITERS; round++) {
        const pid_t child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0) {
            store_for_ever(&context->disk, &f);
        }
        usleep(300 + round * 7919 % 3000);
        ck_assert_int_eq(kill(child, SIGKILL), 0);
        int status;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFSIGNALED(status));
    }
    ck_assert_uint_eq(disk_info().refused, 0);
    free(f.bytes);
    aic_context_destroy(context);
}
END_TEST

static void load_in_child(void *context)
{
    const aic_kernel_info info = conv_kernel_info(context, 24);
    child_expect(info.parts_loaded > 0 && info.parts_made == 0, "parts that are on disk");
}

START_TEST(after_a_fork)
{
    (void)make_anew("rw", 16);
    aic_context *context = disk_context("ro");
    ck_assert_str_eq(child_run(load_in_child, context), "");
    aic_context_destroy(context);
}
END_TEST

Suite *suite_disk_parts(void)
{
    Suite *suite = suite_create("parts in the disk cache");
    TCase *tcase = tcase_create("parts in the disk cache");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, disk_open, disk_close);
#if defined(__x86_64__) /* elsewhere kernels have no parts */
    tcase_add_test(tcase, found_by_others);
    tcase_add_test(tcase, each_mode);
    tcase_add_loop_test(tcase, results_are_equal, 0, 2);
    tcase_add_test(tcase, every_byte);
    tcase_add_test(tcase, every_byte_signed);
    tcase_add_test(tcase, foreign);
    tcase_add_loop_test(tcase, spoiled_files, 0, DISK_SPOILINGS_COUNT);
    tcase_add_test(tcase, swapped_files);
    tcase_add_test(tcase, swapped_name);
    tcase_add_test(tcase, verify_and_clear);
    tcase_add_test(tcase, evicted_all_the_time);
    tcase_add_test(tcase, killed_writers);
    tcase_add_test(tcase, after_a_fork);
#endif
    tcase_add_test(tcase, least_recently_used);
    suite_add_tcase(suite, tcase);
    return suite;
}
