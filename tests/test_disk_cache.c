/* The disk cache: kernels come back, files that are not as they should be do not, processes that end anywhere, folders
 * that others may write to, quota and clocks. */
#include "frontend/core/diag.h"
#include "runtime/build.h"
#include "runtime/disk_file.h"
#include "tests/child.h"
#include "tests/conv_case.h"
#include <aic/aic.h>

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

Suite *suite_disk_cache(void);

/* ---- a folder for each test ---- */

static char folder[64];

static void open_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/aicjit-disk-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_tree(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static aic_context *context_of(const char *mode)
{
    aic_context_options options = aic_context_options_init();
    options.cache = mode;
    options.cache_dir = folder;
    aic_context *context;
    ck_assert_msg(aic_context_create(&options, &context) == AIC_OK, "%s", aic_last_error());
    return context;
}

static aic_cache_stats stats_of(aic_context *context)
{
    aic_cache_stats stats;
    ck_assert_int_eq(aic_context_cache_stats(context, &stats), AIC_OK);
    return stats;
}

static aic_disk_cache_info info_of(void)
{
    aic_context *context = context_of("rw");
    aic_disk_cache_info info;
    ck_assert_msg(aic_disk_cache_verify(context, NULL, NULL, &info) == AIC_OK, "%s", aic_last_error());
    info.folder = NULL;
    aic_context_destroy(context);
    return info;
}

/* "FOLDER/NAME" of the only kernel there. */
static const char *only_file(void)
{
    static char path[512];
    DIR *names = opendir(folder);
    ck_assert_ptr_nonnull(names);
    const struct dirent *found;
    int count = 0;
    while ((found = readdir(names)) != NULL) {
        if (strncmp(found->d_name, "aic_", 4) == 0) {
            snprintf(path, sizeof path, "%s/%s", folder, found->d_name);
            count++;
        }
    }
    closedir(names);
    ck_assert_int_eq(count, 1);
    return path;
}

static unsigned char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size + 1);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_uint_eq(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/* ---- a kernel, by a context of its own ---- */

/* What a context did. */
typedef struct deed {
    aic_cache_stats stats;
    char warning[AIC_MESSAGE_MAX];
} deed;

/* Calls the case in a new context, and checks the result. */
static deed call_anew(conv_case *c, const char *mode)
{
    aic_context *context = context_of(mode);
    conv_case_reset(c);
    (void)aic_take_warning();
    ck_assert_msg(aic_jit_conv2d(context, &c->desc, c->buffer[0], c->buffer[1], c->buffer[2]) == AIC_OK, "%s",
                  aic_last_error());
    conv_case_check_done(c, c->buffer[0]);
    deed d = {.stats = stats_of(context)};
    const char *warning = aic_take_warning();
    snprintf(d.warning, sizeof d.warning, "%s", warning != NULL ? warning : "");
    aic_context_destroy(context);
    return d;
}

static void check_deed(const deed *d, uint64_t compiles, uint64_t loads, uint64_t stores)
{
    ck_assert_uint_eq(d->stats.compiles, compiles);
    ck_assert_uint_eq(d->stats.loads, loads);
    ck_assert_uint_eq(d->stats.stores, stores);
}

static conv_case *small_case(void)
{
    const aic_conv2d_desc desc = conv_desc(AIC_INT8, 6);
    return conv_case_new(&desc);
}

/* ---- kernels come back ---- */

static const char *const SPECS[] = {
    "conv2d(dtype=int8, fm_shape=[1,6,6,32], kernel_shape=[1,3,3,32,32])",
    "conv2d(dtype=float16, fm_shape=[2,9,9,16], kernel_shape=[2,3,3,48,16], accumulate=fast)",
    "conv2d(dtype=int8, fm_shape=[2,56,56,32], kernel_shape=[2,1,1,256,32])",
    "mmad(dtype=int8, m=48, n=32, k=64)",
    "mmad(dtype=int8, m=32, n=32, k=32) | fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ)",
    "transdata(dtype=int8, src=NCHW, dst=NC1HWC0, shape=[1,64,9,9])",
    "tensor_arithmetic(op=BM_ADD, shape=[1,3,20,20])",
    "texpands(arch=A5, loc=vec, dtype=float32, rows=16, cols=16, v_row=3, v_col=5)",
};

enum { SPECS_COUNT = sizeof SPECS / sizeof SPECS[0] };

static aic_kernel *kernel_of(aic_context *context, const char *text, aic_kernel_info *info)
{
    aic_spec spec;
    aic_kernel *kernel;
    ck_assert_msg(aic_spec_parse(text, &spec) == AIC_OK, "%s", aic_last_error());
    ck_assert_msg(aic_kernel_create(context, &spec, NULL, &kernel) == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(aic_kernel_get_info(kernel, info), AIC_OK);
    return kernel;
}

/* A kernel from the disk is what a compiled one is: by its name, its facts and the bytes of its code. */
START_TEST(comes_back)
{
    aic_context *first = context_of("rw"), *second = context_of("rw");
    aic_kernel_info made, loaded;
    aic_kernel *a = kernel_of(first, SPECS[_i], &made), *b = kernel_of(second, SPECS[_i], &loaded);
    ck_assert(made.compiled && !made.loaded && !loaded.compiled && loaded.loaded);
    ck_assert_uint_eq(stats_of(first).compiles, 1);
    ck_assert_uint_eq(stats_of(second).compiles, 0);
    ck_assert_uint_eq(stats_of(second).loads, 1);
    ck_assert_str_eq(made.name, loaded.name);
    ck_assert_str_eq(made.schedule, loaded.schedule);
    ck_assert_str_eq(made.origin, loaded.origin);
    ck_assert_uint_eq(made.code_bytes, loaded.code_bytes);
    ck_assert_int_eq(made.threads, loaded.threads);
    ck_assert_uint_eq(loaded.emit_ns + loaded.codegen_ns, 0);
    ck_assert_uint_eq(aic_kernel_workspace_size(a), aic_kernel_workspace_size(b));
    ck_assert_uint_eq(aic_kernel_packed_workspace_size(a), aic_kernel_packed_workspace_size(b));
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        ck_assert_uint_eq(aic_kernel_packed_size(a, i), aic_kernel_packed_size(b, i));
    }
    aic_kernel_release(a);
    aic_kernel_release(b);
    aic_context_destroy(first);
    aic_context_destroy(second);
}
END_TEST

START_TEST(results_are_equal)
{
    static const aic_dtype types[] = {AIC_INT8, AIC_FLOAT16};
    const aic_conv2d_desc desc = conv_desc(types[_i], 11);
    conv_case *c = conv_case_new(&desc);
    const deed made = call_anew(c, "rw"), loaded = call_anew(c, "rw");
    check_deed(&made, 1, 0, 1);
    check_deed(&loaded, 0, 1, 0);
    conv_case_free(c);
}
END_TEST

START_TEST(each_mode)
{
    conv_case *c = small_case();
    deed d = call_anew(c, "off");
    check_deed(&d, 1, 0, 0);
    d = call_anew(c, "ro");
    check_deed(&d, 1, 0, 0);
    d = call_anew(c, "rw");
    check_deed(&d, 1, 0, 1);
    d = call_anew(c, "ro");
    check_deed(&d, 0, 1, 0);
    d = call_anew(c, "off");
    check_deed(&d, 1, 0, 0);
    conv_case_free(c);
}
END_TEST

/* Whoever wants dumps gets those of the generator. */
START_TEST(dumps_are_made)
{
    char dumps[96];
    snprintf(dumps, sizeof dumps, "%s/dumps", folder);
    for (int round = 0; round < 2; round++) {
        aic_context_options options = aic_context_options_init();
        options.cache = "rw", options.cache_dir = folder, options.dump_dir = dumps;
        aic_context *context;
        aic_kernel_info info;
        ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
        aic_kernel_release(kernel_of(context, SPECS[0], &info));
        ck_assert_uint_eq(stats_of(context).compiles, 1);
        aic_context_destroy(context);
    }
}
END_TEST

/* ---- files that are not as they should be ---- */

/* The identity and the bytes of a kernel. */
typedef struct sample {
    aic_build build;
    unsigned char *bytes;
    size_t size;
} sample;

static sample *sample_new(aic_context *context)
{
    static aic_stage_view stage[AIC_STAGES_MAX];
    static aic_request request;
    static aic_spec spec;
    sample *s = calloc(1, sizeof *s);
    ck_assert_ptr_nonnull(s);
    ck_assert_int_eq(aic_spec_parse(SPECS[7], &spec), AIC_OK);
    request = (aic_request){.specs = 1, .count = aic_stage_views(&spec, stage), .stage = stage};
    aic_build_begin(&s->build, context, &request);
    ck_assert_int_eq(aic_build_validate(&s->build), AIC_OK);
    ck_assert_int_eq(aic_build_identify(&s->build), AIC_OK);
    ck_assert_int_eq(aic_build_describe(&s->build), AIC_OK);
    ck_assert_msg(aic_build_object(&s->build) == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(aic_disk_file_write(&s->build.identity, &s->build.object, &s->bytes, &s->size), AIC_OK);
    return s;
}

static void sample_free(sample *s)
{
    free(s->bytes);
    aic_build_end(&s->build);
    free(s);
}

static const char *read_sample(const sample *s, size_t size)
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
    aic_context *context = context_of("off");
    sample *s = sample_new(context);
    ck_assert_ptr_null(read_sample(s, s->size));
    for (size_t i = 0; i < s->size; i++) {
        for (int bit = 0; bit < 8; bit += i % 7 == 0 ? 1 : 5) {
            s->bytes[i] ^= (unsigned char)(1 << bit);
            ck_assert_msg(read_sample(s, s->size) != NULL, "byte %zu, bit %d", i, bit);
            s->bytes[i] ^= (unsigned char)(1 << bit);
        }
    }
    ck_assert_ptr_null(read_sample(s, s->size));
    sample_free(s);
    aic_context_destroy(context);
}
END_TEST

START_TEST(every_length)
{
    aic_context *context = context_of("off");
    sample *s = sample_new(context);
    for (size_t size = 0; size < s->size; size++) {
        unsigned char *part = malloc(size + 1); /* so that a sanitizer sees the end */
        ck_assert_ptr_nonnull(part);
        memcpy(part, s->bytes, size);
        aic_object object;
        ck_assert_ptr_nonnull(aic_disk_file_object(part, size, &s->build.identity, &object));
        free(part);
    }
    sample_free(s);
    aic_context_destroy(context);
}
END_TEST

/* Bytes with a good checksum that are another kernel's, or another build's. */
START_TEST(foreign_bytes)
{
    aic_context *context = context_of("off");
    sample *s = sample_new(context);
    s->build.identity.bytes[s->build.identity.size - 1] ^= 1;
    ck_assert_str_eq(read_sample(s, s->size), "it is another kernel");
    s->build.identity.bytes[s->build.identity.size - 1] ^= 1;
    s->bytes[16 + 4] ^= 1; /* in the build's name */
    aic_writer out = {s->bytes, s->size, s->size - 8};
    aic_write_number(&out, aic_checksum(s->bytes, s->size - 16), 8);
    ck_assert_str_eq(read_sample(s, s->size), "it is of another build");
    sample_free(s);
    aic_context_destroy(context);
}
END_TEST

/* In the folder: what makes a file one that is refused. */
static void spoil_byte(const char *path)
{
    size_t size;
    unsigned char *bytes = read_file(path, &size);
    bytes[size / 2] ^= 4;
    write_file(path, bytes, size);
    free(bytes);
}

static void spoil_length(const char *path)
{
    ck_assert_int_eq(truncate(path, 100), 0);
}

static void spoil_empty(const char *path)
{
    ck_assert_int_eq(truncate(path, 0), 0);
}

static void spoil_text(const char *path)
{
    write_file(path, "This is no kernel.\n", 19);
}

static void spoil_mode(const char *path)
{
    ck_assert_int_eq(chmod(path, 0620), 0);
}

static void spoil_mode_of_all(const char *path)
{
    ck_assert_int_eq(chmod(path, 0602), 0);
}

static void spoil_link(const char *path)
{
    char other[600];
    snprintf(other, sizeof other, "%s/other", folder);
    ck_assert_int_eq(rename(path, other), 0);
    ck_assert_int_eq(symlink(other, path), 0);
}

static void spoil_pipe(const char *path)
{
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
}

static void spoil_owner(const char *path)
{
    if (chown(path, 65534, 65534) != 0) { /* only root may; anyone else takes another way to be refused */
        spoil_mode(path);
    }
}

static const struct {
    void (*spoil)(const char *path);
    const char *message;
} SPOILED[] = {
    {spoil_byte, "it is damaged"},   {spoil_length, "it is damaged"},  {spoil_empty, "it is no kernel"},
    {spoil_text, "it is no kernel"}, {spoil_mode, "others may write"}, {spoil_mode_of_all, "others may write"},
    {spoil_link, "it is a link"},    {spoil_pipe, "it is no file"},    {spoil_owner, ""},
};

enum { SPOILED_COUNT = sizeof SPOILED / sizeof SPOILED[0] };

/* Refused, reported and replaced. */
START_TEST(spoiled_files)
{
    conv_case *c = small_case();
    (void)call_anew(c, "rw");
    SPOILED[_i].spoil(only_file());
    deed d = call_anew(c, "rw");
    check_deed(&d, 1, 0, 1);
    ck_assert_msg(strstr(d.warning, SPOILED[_i].message) != NULL && d.warning[0] != '\0', "\"%s\"", d.warning);
    d = call_anew(c, "ro");
    check_deed(&d, 0, 1, 0);
    ck_assert_str_eq(d.warning, "");
    struct stat info;
    ck_assert_int_eq(lstat(only_file(), &info), 0);
    ck_assert_uint_eq(info.st_mode, S_IFREG | 0600);
    conv_case_free(c);
}
END_TEST

/* A folder stays where it is; the call goes on. */
START_TEST(folder_in_the_way)
{
    conv_case *c = small_case();
    (void)call_anew(c, "rw");
    char path[512];
    snprintf(path, sizeof path, "%s", only_file());
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    const deed d = call_anew(c, "rw");
    check_deed(&d, 1, 0, 0);
    conv_case_free(c);
}
END_TEST

/* ---- folders ---- */

START_TEST(open_folders)
{
    conv_case *c = small_case();
    (void)call_anew(c, "rw");
    static const mode_t modes[] = {0770, 0707, 0777, 01777};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        ck_assert_int_eq(chmod(folder, modes[i]), 0);
        const deed d = call_anew(c, "rw");
        check_deed(&d, 1, 0, 0);
        ck_assert_ptr_nonnull(strstr(d.warning, "others may write to it"));
    }
    ck_assert_int_eq(chmod(folder, 0755), 0); /* to read is no harm */
    deed d = call_anew(c, "rw");
    check_deed(&d, 0, 1, 0);
    if (geteuid() == 0) {
        ck_assert_int_eq(chown(folder, 65534, 65534), 0);
        d = call_anew(c, "rw");
        check_deed(&d, 1, 0, 0);
        ck_assert_ptr_nonnull(strstr(d.warning, "another user"));
        ck_assert_int_eq(chown(folder, 0, 0), 0);
    }
    conv_case_free(c);
}
END_TEST

static void use_folder(const char *name)
{
    remove_tree();
    snprintf(folder + strlen(folder), 16, "%s", name);
}

/* A folder that is not there is made, for the user alone, and those above it. */
START_TEST(folder_is_made)
{
    char above[64];
    snprintf(above, sizeof above, "%s", folder);
    conv_case *c = small_case();
    use_folder("/a/b/c");
    deed d = call_anew(c, "ro");
    check_deed(&d, 1, 0, 0);
    ck_assert_int_ne(access(folder, F_OK), 0);
    d = call_anew(c, "rw");
    check_deed(&d, 1, 0, 1);
    struct stat info;
    ck_assert_int_eq(stat(folder, &info), 0);
    ck_assert_uint_eq(info.st_mode, S_IFDIR | 0700);
    d = call_anew(c, "rw");
    check_deed(&d, 0, 1, 0);
    snprintf(folder, sizeof folder, "%s", above);
    conv_case_free(c);
}
END_TEST

/* It goes while the context is in use, and comes back with the next kernel. */
START_TEST(folder_is_removed)
{
    aic_context *context = context_of("rw");
    aic_kernel_info info;
    aic_kernel_release(kernel_of(context, SPECS[0], &info));
    remove_tree();
    aic_kernel_release(kernel_of(context, SPECS[3], &info));
    ck_assert(info.compiled);
    ck_assert_uint_eq(stats_of(context).stores, 2);
    ck_assert_uint_eq(info_of().files, 1);
    aic_context_destroy(context);
}
END_TEST

/* Folders that nobody can make, and files in the place of one. */
START_TEST(no_folder)
{
    static const char *const names[] = {"/proc/aicjit-none", "/dev/null", "/dev/null/aicjit"};
    conv_case *c = small_case();
    char own[64];
    snprintf(own, sizeof own, "%s", folder);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(folder, sizeof folder, "%s", names[i]);
        const deed d = call_anew(c, "rw");
        check_deed(&d, 1, 0, 0);
    }
    snprintf(folder, sizeof folder, "%s", own);
    conv_case_free(c);
}
END_TEST

/* ---- configuration ---- */

static void configure_from(const char *variables[][2], aic_disk *disk, aic_status expected)
{
    static const char *const all[] = {"AIC_CACHE", "AIC_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        unsetenv(all[i]);
    }
    for (size_t i = 0; variables[i][0] != NULL; i++) {
        setenv(variables[i][0], variables[i][1], 1);
    }
    const aic_context_options options = aic_context_options_init();
    child_expect(aic_disk_configure(disk, &options) == expected, "status");
}

static void check_folder(const char *variables[][2], aic_disk_mode mode, const char *expected)
{
    aic_disk disk;
    configure_from(variables, &disk, AIC_OK);
    child_expect(disk.mode == mode, aic_disk_mode_name(disk.mode));
    child_expect(expected == NULL ? disk.folder == NULL : strcmp(disk.folder, expected) == 0, expected);
    aic_disk_free(&disk);
}

static void configure_all(void *unused)
{
    (void)unused;
    aic_disk disk;
    check_folder((const char *[][2]){{"HOME", "/h"}, {NULL, NULL}}, AIC_DISK_RW, "/h/.cache/aicjit");
    check_folder((const char *[][2]){{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}, {NULL, NULL}}, AIC_DISK_RW, "/x/aicjit");
    check_folder((const char *[][2]){{"HOME", "/h"}, {"XDG_CACHE_HOME", "x"}, {NULL, NULL}}, AIC_DISK_RW,
                 "/h/.cache/aicjit");
    check_folder((const char *[][2]){{"HOME", "/h"}, {"AIC_CACHE_DIR", "/c"}, {"AIC_CACHE", "ro"}, {NULL, NULL}},
                 AIC_DISK_RO, "/c");
    check_folder((const char *[][2]){{"HOME", "/h"}, {"AIC_CACHE", "off"}, {NULL, NULL}}, AIC_DISK_OFF, NULL);
    check_folder((const char *[][2]){{"HOME", ""}, {NULL, NULL}}, AIC_DISK_OFF, NULL);
    check_folder((const char *[][2]){{NULL, NULL}}, AIC_DISK_OFF, NULL);
    child_expect(chdir("/usr") == 0, "chdir");
    check_folder((const char *[][2]){{"AIC_CACHE_DIR", "kernels"}, {NULL, NULL}}, AIC_DISK_RW, "/usr/kernels");
    configure_from((const char *[][2]){{"AIC_CACHE", "on"}, {NULL, NULL}}, &disk, AIC_INVALID_ARGUMENT);
    child_expect(strcmp(aic_last_error(), "AIC_CACHE: \"on\" is none of off, ro, rw") == 0, aic_last_error());
}

START_TEST(environment)
{
    ck_assert_str_eq(child_run(configure_all, NULL), "");
}
END_TEST

/* ---- quota and clock ---- */

/* Sets a file's time to `age` seconds ago. */
static void set_age(const char *name, long age)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time(NULL) - age}};
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

static void put_file(const char *name, size_t size, long age)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    void *bytes = calloc(1, size + 1);
    ck_assert_ptr_nonnull(bytes);
    write_file(path, bytes, size);
    free(bytes);
    set_age(name, age);
}

static bool is_there(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void trim_to(uint64_t limit)
{
    const int open_one = open(folder, O_RDONLY | O_DIRECTORY);
    ck_assert_int_ge(open_one, 0);
    aic_disk_trim(open_one, limit);
    close(open_one);
}

START_TEST(least_recently_used)
{
    put_file("aic_a.kernel", 1000, 40000);
    put_file("aic_b.kernel", 1000, 20000);
    put_file("aic_c.kernel", 1000, 30000);
    put_file("aic_d.kernel", 1000, -3600 * 24 * 30); /* used in a month: nobody knows when */
    put_file("other", 5000, 90000);
    trim_to(4000);
    ck_assert(is_there("aic_a.kernel") && is_there("aic_b.kernel") && is_there("aic_c.kernel") &&
              is_there("aic_d.kernel"));
    trim_to(3500);
    ck_assert(!is_there("aic_d.kernel") && is_there("aic_a.kernel"));
    trim_to(2500);
    ck_assert(!is_there("aic_a.kernel") && is_there("aic_c.kernel"));
    trim_to(1200);
    ck_assert(!is_there("aic_c.kernel") && is_there("aic_b.kernel") && is_there("other"));
}
END_TEST

START_TEST(unfinished_files)
{
    put_file(".aic_a.kernel.1.2", 1000, 7200);
    put_file(".aic_b.kernel.1.2", 1000, 60);
    put_file(".other", 1000, 90000);
    trim_to(1 << 20);
    ck_assert(!is_there(".aic_a.kernel.1.2") && is_there(".aic_b.kernel.1.2") && is_there(".other"));
}
END_TEST

/* A hit is a use, also when the clock was ahead once. */
START_TEST(time_of_use)
{
    static const long ages[] = {100000, -100000};
    conv_case *c = small_case();
    (void)call_anew(c, "rw");
    for (int i = 0; i < 2; i++) {
        struct stat info;
        set_age(only_file() + strlen(folder) + 1, ages[i]);
        deed d = call_anew(c, "ro"); /* which changes nothing */
        check_deed(&d, 0, 1, 0);
        ck_assert_int_eq(stat(only_file(), &info), 0);
        ck_assert_int_gt(labs((long)(time(NULL) - info.st_mtime)), 50000);
        d = call_anew(c, "rw");
        check_deed(&d, 0, 1, 0);
        ck_assert_int_eq(stat(only_file(), &info), 0);
        ck_assert_int_lt(labs((long)(time(NULL) - info.st_mtime)), 60);
    }
    conv_case_free(c);
}
END_TEST

START_TEST(quota_of_a_context)
{
    enum { LIMIT = 40000, KERNELS = 40 };
    aic_context_options options = aic_context_options_init();
    options.cache = "rw", options.cache_dir = folder, options.cache_disk_bytes = LIMIT;
    aic_context *context;
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    for (int i = 0; i < KERNELS; i++) {
        char text[128];
        aic_kernel_info info;
        snprintf(text, sizeof text, "transdata(dtype=int8, src=ND, dst=ND, shape=[16,%d])", 32 * (i + 1));
        aic_kernel_release(kernel_of(context, text, &info));
        aic_disk_cache_info disk;
        ck_assert_int_eq(aic_disk_cache_stat(context, &disk), AIC_OK);
        ck_assert_uint_le(disk.bytes, LIMIT);
        ck_assert_uint_eq(disk.limit, LIMIT);
        ck_assert_uint_ge(disk.files, 1);
    }
    ck_assert_uint_eq(stats_of(context).stores, KERNELS);
    aic_context_destroy(context);
}
END_TEST

/* ---- processes ---- */

/* Makes one kernel, with others at the same time. */
static void make_one(void *argument)
{
    const int start = *(const int *)argument;
    char byte;
    (void)!read(start, &byte, 1); /* returns when the parent closes its end */
    aic_context_options options = aic_context_options_init();
    options.cache = "rw", options.cache_dir = folder;
    aic_context *context;
    aic_spec spec;
    aic_kernel *kernel;
    child_expect(aic_context_create(&options, &context) == AIC_OK, "context");
    child_expect(aic_spec_parse(SPECS[0], &spec) == AIC_OK, "text");
    child_expect(aic_kernel_create(context, &spec, NULL, &kernel) == AIC_OK, "kernel");
    aic_kernel_release(kernel);
    aic_context_destroy(context);
}

START_TEST(same_kernel_in_processes)
{
    enum { PROCESSES = 6 };
    pid_t child[PROCESSES];
    int start[2];
    ck_assert_int_eq(pipe(start), 0);
    for (int i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        ck_assert_int_ge(child[i], 0);
        if (child[i] == 0) {
            close(start[1]);
            make_one(&start[0]);
            _exit(0);
        }
    }
    close(start[0]);
    close(start[1]);
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        ck_assert_int_eq(waitpid(child[i], &status, 0), child[i]);
        ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    const aic_disk_cache_info info = info_of();
    ck_assert_uint_eq(info.files, 1);
    ck_assert_uint_eq(info.refused, 0);
}
END_TEST

/* Writes kernels of many names until it is killed; *count is shared with the parent. */
static void write_for_ever(sample *s, aic_disk *disk, atomic_uint *count)
{
    for (unsigned i = 0;; i++) {
        snprintf(s->build.identity.symbol, sizeof s->build.identity.symbol, "aic_killed_%016x", i % 8);
        if (!aic_disk_store(disk, &s->build.identity, &s->build.object)) {
            _exit(1);
        }
        atomic_fetch_add(count, 1);
    }
}

/* A writer that is killed anywhere leaves whole files, and perhaps one with a name that nobody reads. */
START_TEST(killed_writers)
{
    enum { WRITERS = 60, WRITES = 500 };
    aic_context *context = context_of("rw");
    sample *s = sample_new(context); /* writes a file, too */
    atomic_uint *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(count, MAP_FAILED);
    for (unsigned round = 0; round < WRITERS || atomic_load(count) < WRITES; round++) {
        const pid_t child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0) {
            write_for_ever(s, &context->disk, count);
        }
        usleep(300 + round * 7919 % 3000);
        ck_assert_int_eq(kill(child, SIGKILL), 0);
        int status;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFSIGNALED(status));
        if (round % 10 == 0) {
            ck_assert_uint_eq(info_of().refused, 0);
        }
    }
    const aic_disk_cache_info info = info_of();
    ck_assert_uint_eq(info.refused, 0);
    ck_assert_uint_ge(info.files, 2);
    ck_assert_uint_le(info.files, 9);
    munmap(count, 4096);
    sample_free(s);
    aic_context_destroy(context);
}
END_TEST

/* Readers of files that are replaced all the time see whole ones. */
START_TEST(readers_and_a_writer)
{
    aic_context *context = context_of("rw");
    sample *s = sample_new(context);
    atomic_uint *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(count, MAP_FAILED);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        write_for_ever(s, &context->disk, count);
    }
    while (atomic_load(count) < 10) {
        usleep(1000);
    }
    for (int i = 0; i < 2000; i++) {
        aic_object object;
        snprintf(s->build.identity.symbol, sizeof s->build.identity.symbol, "aic_killed_%016x", i % 8);
        ck_assert_msg(aic_disk_load(&context->disk, &s->build.identity, &object), "%s", aic_take_warning());
        aic_object_free(&object);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    munmap(count, 4096);
    sample_free(s);
    aic_context_destroy(context);
}
END_TEST

/* ---- threads ---- */

enum { THREADS = 16, SHAPES = 60 };

typedef struct crowd {
    aic_context *context;
    atomic_int number, wrong;
} crowd;

static void *ask_for_all(void *argument)
{
    crowd *all = argument;
    unsigned state = (unsigned)atomic_fetch_add(&all->number, 1) * 2654435761u + 1;
    for (int i = 0; i < 3 * SHAPES; i++) {
        state = state * 1664525u + 1013904223u;
        char text[128];
        snprintf(text, sizeof text, "transdata(dtype=int8, src=ND, dst=ND, shape=[16,%u])",
                 32 * (state >> 16) % SHAPES + 1);
        aic_spec spec;
        aic_kernel *kernel;
        if (aic_spec_parse(text, &spec) != AIC_OK || aic_kernel_create(all->context, &spec, NULL, &kernel) != AIC_OK) {
            atomic_fetch_add(&all->wrong, 1);
        } else {
            aic_kernel_release(kernel);
        }
    }
    return NULL;
}

/* What one crowd has made, the next one reads, once each. */
START_TEST(crowds)
{
    aic_cache_stats stats[2];
    for (int round = 0; round < 2; round++) {
        crowd all = {.context = context_of("rw")};
        pthread_t thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            ck_assert_int_eq(pthread_create(&thread[i], NULL, ask_for_all, &all), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(thread[i], NULL);
        }
        ck_assert_int_eq(atomic_load(&all.wrong), 0);
        stats[round] = stats_of(all.context);
        aic_context_destroy(all.context);
    }
    ck_assert_uint_eq(stats[0].compiles, stats[0].kernels);
    ck_assert_uint_eq(stats[0].loads, 0);
    ck_assert_uint_eq(stats[1].compiles, 0);
    ck_assert_uint_eq(stats[1].loads, stats[0].kernels);
}
END_TEST

/* ---- the whole folder ---- */

static void count_problems(void *user, const char *file, const char *what, const char *problem)
{
    int *counts = user;
    ck_assert_ptr_nonnull(strstr(file, ".kernel"));
    counts[problem != NULL]++;
    ck_assert((problem != NULL) == (what[0] == '\0'));
    ck_assert(problem != NULL || strstr(what, "target ") != NULL);
}

START_TEST(verify_and_clear)
{
    conv_case *c = small_case();
    (void)call_anew(c, "rw");
    char path[512];
    snprintf(path, sizeof path, "%s", only_file());
    aic_context *context = context_of("rw"), *reader = context_of("ro");
    aic_kernel_info made;
    aic_kernel_release(kernel_of(context, SPECS[3], &made));
    spoil_byte(path);
    put_file("aic_old-0.0.9-0123.kernel", 100, 5);
    put_file("notes.txt", 100, 5);
    put_file(".aic_a.kernel.1.2", 100, 5);

    aic_disk_cache_info info;
    int counts[2] = {0, 0};
    ck_assert_int_eq(aic_disk_cache_verify(reader, count_problems, counts, &info), AIC_OK);
    ck_assert_int_eq(counts[0], 1);
    ck_assert_int_eq(counts[1], 2);
    ck_assert_uint_eq(info.files, 3);
    ck_assert_uint_eq(info.current, 2);
    ck_assert_uint_eq(info.refused, 2);
    ck_assert_str_eq(info.folder, folder);
    ck_assert_str_eq(info.mode, "ro");

    uint64_t removed;
    ck_assert_int_eq(aic_disk_cache_clear(reader, &removed), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_disk_cache_clear(context, &removed), AIC_OK);
    ck_assert_uint_eq(removed, 3);
    ck_assert(is_there("notes.txt") && !is_there(".aic_a.kernel.1.2"));
    ck_assert_int_eq(aic_disk_cache_stat(context, &info), AIC_OK);
    ck_assert_uint_eq(info.files + info.bytes, 0);
    ck_assert_int_eq(chmod(folder, 0777), 0);
    ck_assert_int_eq(aic_disk_cache_stat(context, &info), AIC_IO);
    aic_context_destroy(reader);
    aic_context_destroy(context);
    conv_case_free(c);
}
END_TEST

Suite *suite_disk_cache(void)
{
    Suite *suite = suite_create("disk cache");
    TCase *tcase = tcase_create("disk cache");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, open_folder, remove_tree);
    tcase_add_loop_test(tcase, comes_back, 0, SPECS_COUNT);
    tcase_add_loop_test(tcase, results_are_equal, 0, 2);
    tcase_add_test(tcase, each_mode);
    tcase_add_test(tcase, dumps_are_made);
    tcase_add_test(tcase, every_byte_flipped);
    tcase_add_test(tcase, every_length);
    tcase_add_test(tcase, foreign_bytes);
    tcase_add_loop_test(tcase, spoiled_files, 0, SPOILED_COUNT);
    tcase_add_test(tcase, folder_in_the_way);
    tcase_add_test(tcase, open_folders);
    tcase_add_test(tcase, folder_is_made);
    tcase_add_test(tcase, folder_is_removed);
    tcase_add_test(tcase, no_folder);
    tcase_add_test(tcase, environment);
    tcase_add_test(tcase, least_recently_used);
    tcase_add_test(tcase, unfinished_files);
    tcase_add_test(tcase, time_of_use);
    tcase_add_test(tcase, quota_of_a_context);
    tcase_add_test(tcase, same_kernel_in_processes);
    tcase_add_test(tcase, killed_writers);
    tcase_add_test(tcase, readers_and_a_writer);
    tcase_add_test(tcase, crowds);
    tcase_add_test(tcase, verify_and_clear);
    suite_add_tcase(suite, tcase);
    return suite;
}
