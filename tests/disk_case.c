/* The disk cache in tests; see disk_case.h. */
#include "tests/disk_case.h"
#include "frontend/core/stage.h"
#include "runtime/disk/disk_file.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

char disk_folder[64];

void disk_open(void)
{
    snprintf(disk_folder, sizeof disk_folder, "/tmp/aicjit-disk-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(disk_folder));
}

void disk_close(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", disk_folder);
    ck_assert_int_eq(system(command), 0);
}

aic_context *disk_context(const char *mode)
{
    aic_context_options options = aic_context_options_init();
    options.cache = mode;
    options.cache_dir = disk_folder;
    aic_context *context;
    ck_assert_msg(aic_context_create(&options, &context) == AIC_OK, "%s", aic_last_error());
    return context;
}

aic_cache_stats disk_stats(aic_context *context)
{
    aic_cache_stats stats = aic_cache_stats_init();
    ck_assert_int_eq(aic_context_cache_stats(context, &stats), AIC_OK);
    return stats;
}

aic_disk_cache_info disk_info(void)
{
    aic_context *context = disk_context("rw");
    aic_disk_cache_info info = aic_disk_cache_info_init();
    ck_assert_msg(aic_disk_cache_verify(context, NULL, NULL, &info) == AIC_OK, "%s", aic_last_error());
    info.folder = NULL;
    aic_context_destroy(context);
    return info;
}

size_t disk_files(const char *prefix, char path[DISK_FILES_MAX][DISK_PATH])
{
    DIR *names = opendir(disk_folder);
    ck_assert_ptr_nonnull(names);
    const struct dirent *found;
    size_t count = 0;
    while ((found = readdir(names)) != NULL) {
        if (strncmp(found->d_name, prefix, strlen(prefix)) == 0) {
            ck_assert_uint_lt(count, DISK_FILES_MAX);
            snprintf(path[count++], DISK_PATH, "%s/%s", disk_folder, found->d_name);
        }
    }
    closedir(names);
    return count;
}

const char *disk_only_file(void)
{
    static char path[DISK_FILES_MAX][DISK_PATH];
    ck_assert_uint_eq(disk_files("aic_", path), 1);
    return path[0];
}

unsigned char *disk_read_file(const char *path, size_t *size)
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

void disk_write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

disk_deed disk_call_anew(conv_case *c, const char *mode)
{
    aic_context *context = disk_context(mode);
    conv_case_reset(c);
    (void)aic_take_warning();
    ck_assert_msg(aic_jit_conv2d(context, &c->desc, c->buffer[0], c->buffer[1], c->buffer[2]) == AIC_OK, "%s",
                  aic_last_error());
    conv_case_check_done(c, c->buffer[0]);
    disk_deed d = {.stats = disk_stats(context)};
    const char *warning = aic_take_warning();
    snprintf(d.warning, sizeof d.warning, "%s", warning != NULL ? warning : "");
    aic_context_destroy(context);
    return d;
}

void disk_check_deed(const disk_deed *d, uint64_t compiles, uint64_t loads, uint64_t stores)
{
    ck_assert_uint_eq(d->stats.compiles, compiles);
    ck_assert_uint_eq(d->stats.loads, loads);
    ck_assert_uint_eq(d->stats.stores, stores);
}

conv_case *disk_small_case(void)
{
    const aic_conv2d_desc desc = conv_desc(AIC_INT8, 6);
    return conv_case_new(&desc);
}

const char *const DISK_SPEC[DISK_SPECS] = {
    "conv2d(dtype=int8, fm_shape=[1,6,6,32], kernel_shape=[1,3,3,32,32])",
    "conv2d(dtype=float16, fm_shape=[2,9,9,16], kernel_shape=[2,3,3,48,16], accumulate=fast)",
    "conv2d(dtype=int8, fm_shape=[2,56,56,32], kernel_shape=[2,1,1,256,32])",
    "mmad(dtype=int8, m=48, n=32, k=64)",
    "mmad(dtype=int8, m=32, n=32, k=32) | fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ)",
    "transdata(dtype=int8, src=NCHW, dst=NC1HWC0, shape=[1,64,9,9])",
    "tensor_arithmetic(op=BM_ADD, shape=[1,3,20,20])",
    "texpands(arch=A5, loc=vec, dtype=float32, rows=16, cols=16, v_row=3, v_col=5)",
};

aic_kernel *disk_kernel(aic_context *context, const char *text, aic_kernel_info *info)
{
    aic_spec spec;
    aic_kernel *kernel;
    ck_assert_msg(aic_spec_read(text, &spec) == AIC_OK, "%s", aic_last_error());
    ck_assert_msg(aic_kernel_create(context, &spec, NULL, &kernel) == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(aic_kernel_get_info(kernel, info), AIC_OK);
    return kernel;
}

disk_sample *disk_sample_new(aic_context *context)
{
    static aic_stage_view stage[AIC_STAGES_MAX];
    static aic_request request;
    static aic_spec spec;
    disk_sample *s = calloc(1, sizeof *s);
    ck_assert_ptr_nonnull(s);
    ck_assert_int_eq(aic_spec_read(DISK_SPEC[7], &spec), AIC_OK);
    request = (aic_request){.specs = 1, .count = aic_stage_views(&spec, stage), .stage = stage};
    aic_build_begin(&s->build, context, &request);
    ck_assert_int_eq(aic_build_validate(&s->build), AIC_OK);
    ck_assert_int_eq(aic_build_identify(&s->build), AIC_OK);
    ck_assert_int_eq(aic_build_describe(&s->build), AIC_OK);
    ck_assert_msg(aic_build_object(&s->build) == AIC_OK, "%s", aic_last_error());
    s->request = aic_build_request(&s->build);
    ck_assert_int_eq(aic_disk_file_write(&s->request, &s->build.identity, &s->build.object, &s->bytes, &s->size),
                     AIC_OK);
    return s;
}

void disk_sample_free(disk_sample *s)
{
    free(s->bytes);
    aic_build_end(&s->build);
    free(s);
}

void disk_spoil_byte(const char *path)
{
    size_t size;
    unsigned char *bytes = disk_read_file(path, &size);
    bytes[size / 2] ^= 4;
    disk_write_file(path, bytes, size);
    free(bytes);
}

void disk_set_age(const char *name, long age)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", disk_folder, name);
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time(NULL) - age}};
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

void disk_put_file(const char *name, size_t size, long age)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", disk_folder, name);
    void *bytes = calloc(1, size + 1);
    ck_assert_ptr_nonnull(bytes);
    disk_write_file(path, bytes, size);
    free(bytes);
    disk_set_age(name, age);
}

bool disk_is_there(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", disk_folder, name);
    return access(path, F_OK) == 0;
}

/* ---- spoiling files ---- */

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
    disk_write_file(path, "This is no kernel.\n", 19);
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
    snprintf(other, sizeof other, "%s/other", disk_folder);
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
    if (chown(path, geteuid() + 1, getegid()) != 0) { /* only root may; anyone else takes another way to be refused */
        spoil_mode(path);
    }
}

const disk_spoiling DISK_SPOILINGS[] = {
    {disk_spoil_byte, "it is damaged"}, {spoil_length, "it is damaged"},  {spoil_empty, "it is no kernel"},
    {spoil_text, "it is no kernel"},    {spoil_mode, "others may write"}, {spoil_mode_of_all, "others may write"},
    {spoil_link, "it is a link"},       {spoil_pipe, "it is no file"},    {spoil_owner, ""},
};

const int DISK_SPOILINGS_COUNT = sizeof DISK_SPOILINGS / sizeof DISK_SPOILINGS[0];
