/* What a context tells: statistics, categories of lines, and what profilers and debuggers find. The real tools are
 * tried by tests/cli/observe.sh. */
#include "codegen/codegen.h"
#include "frontend/core/spec.h"
#include "runtime/code/code.h"
#include "runtime/observe/profile.h"
#include "tests/child.h"
#include "tests/conv_case.h"

#include <check.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

Suite *suite_observe(void);

static aic_context *open_context(int verbose, const char *profile)
{
    aic_context_options options = aic_context_options_init();
    aic_context *context = NULL;
    options.verbose = verbose;
    options.profile = profile;
    ck_assert_msg(aic_context_create(&options, &context) == AIC_OK, "%s", aic_last_error());
    return context;
}

static aic_context_statistics statistics_of(aic_context *context)
{
    aic_context_statistics s = aic_context_statistics_init();
    ck_assert_int_eq(aic_context_get_statistics(context, &s), AIC_OK);
    return s;
}

static aic_status call(aic_context *context, conv_case *c)
{
    return aic_jit_conv2d(context, &c->desc, c->buffer[0], c->buffer[1], c->buffer[2]);
}

static void request(aic_context *context, const char *text)
{
    aic_spec spec;
    aic_kernel *kernel;
    ck_assert_int_eq(aic_spec_read(text, &spec), AIC_OK);
    ck_assert_msg(aic_kernel_create(context, &spec, NULL, &kernel) == AIC_OK, "%s", aic_last_error());
    aic_kernel_destroy(kernel);
}

/* ---- statistics ---- */

/* Requests are counted once each, whatever comes of them, and every stage that was run has taken time. */
START_TEST(statistics)
{
    aic_context *context = open_context(0, "");
    aic_conv2d_desc desc = conv_desc(AIC_INT8, 6);
    conv_case *c = conv_case_new(&desc);
    aic_context_statistics s = statistics_of(context);
    ck_assert_uint_eq(s.requests + s.compiled + s.failed + s.check_ns + s.emit_ns, 0);

    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(call(context, c), AIC_OK);
    }
    s = statistics_of(context);
    ck_assert_uint_eq(s.requests, 1);
    ck_assert_uint_eq(s.compiled, 1);
    ck_assert_uint_eq(s.failed, 0);
    ck_assert_uint_gt(s.check_ns, 0);
    ck_assert_uint_gt(s.identify_ns, 0);
    ck_assert_uint_gt(s.emit_ns, 0);
    ck_assert_uint_gt(s.codegen_ns, s.emit_ns / 1000);
    ck_assert_uint_gt(s.link_ns, 0);

    c->desc.stride[0] = -1;
    ck_assert_int_eq(call(context, c), AIC_INVALID_ARGUMENT);
    s = statistics_of(context);
    ck_assert_uint_eq(s.requests, 2);
    ck_assert_uint_eq(s.failed, 1);
    ck_assert_uint_eq(s.compiled, 1);

    /* Two spellings of one chain. */
    request(context, "mmad(dtype=int8, m=5, n=16, k=32) | fixpipe(src=int32, dst=float16, quantPre=DEQF16)");
    s = statistics_of(context);
    request(context, "mmad(dtype=int8, m=5, n=16, k=32) | fixpipe(src=int32, dst=float16, quantPre=DEQF16, nSize=16)");
    const aic_context_statistics shared = statistics_of(context);
    ck_assert_uint_eq(s.compiled, 2);
    ck_assert_uint_eq(shared.requests, 4);
    ck_assert_uint_eq(shared.compiled, 2);
    ck_assert_uint_eq(shared.codegen_ns, s.codegen_ns);
    c->desc = desc;
    conv_case_free(c);
    aic_context_destroy(context);
}
END_TEST

/* ---- options ---- */

START_TEST(option_values)
{
    static const struct {
        int verbose;
        const char *profile;
        bool legal;
    } rows[] = {
        {AIC_VERBOSE_CREATE, "", true},
        {AIC_VERBOSE_CREATE | AIC_VERBOSE_DISPATCH, "gdb", true},
        {AIC_VERBOSE_CREATE | 1, "", false},
        {256, "", false},
        {AIC_VERBOSE_EXEC, "gdb,", false},
        {0, "gdb,gdb", true},
        {0, "GDB", false},
        {0, ",", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        aic_context_options options = aic_context_options_init();
        aic_context *context = NULL;
        options.verbose = rows[i].verbose;
        options.profile = rows[i].profile;
        const aic_status status = aic_context_create(&options, &context);
        ck_assert_msg(status == (rows[i].legal ? AIC_OK : AIC_INVALID_ARGUMENT), "row %zu: %d", i, (int)status);
        ck_assert((context != NULL) == rows[i].legal);
        aic_context_destroy(context);
    }
}
END_TEST

/* ---- unwind tables ---- */

/* Whether a word of 4 bytes at `at`, taken as a distance from there, is one of the functions of an image. */
static bool leads_to_function(const aic_image *image, size_t at)
{
    int32_t distance;
    memcpy(&distance, image->bytes + at, sizeof distance);
    for (int f = 0; f < AIC_FUNCTIONS; f++) {
        if (image->function[f] != AIC_NO_FUNCTION && at + (size_t)(int64_t)distance == image->function[f]) {
            return true;
        }
    }
    return false;
}

/* With a table the image has the same functions at the same offsets: what is debugged is what runs otherwise, but for
 * the order of what a function saves at its begin. The table leads to the entry points. */
static void check_unwind(aic_arch arch, const char *level, const aic_spec *spec)
{
    const aic_semantics semantics = aic_semantics_init();
    aic_spec canonical;
    ck_assert_int_eq(aic_spec_resolve_kernel(spec, &semantics, &canonical), AIC_OK);
    aic_codegen_request request = {.count = 1,
                                   .spec = &canonical,
                                   .semantics = &semantics,
                                   .target = aic_target_find(arch, level),
                                   .machine = aic_machine_of(AIC_CORE_ZEN4),
                                   .triple = aic_target_triple(arch),
                                   .symbol = "kernel"};
    aic_object plain, unwound;
    ck_assert_int_eq(aic_generator_linked()->object(&request, &plain), AIC_OK);
    request.unwind = true;
    ck_assert_int_eq(aic_generator_linked()->object(&request, &unwound), AIC_OK);
    const aic_image *image = &unwound.image;
    ck_assert_uint_eq(plain.image.frames_size, 0);
    ck_assert_uint_gt(image->frames_size, 0);
    ck_assert_uint_le(image->frames + image->frames_size, image->size);
    ck_assert_mem_eq(image->function, plain.image.function, sizeof image->function);
    ck_assert_uint_ge(image->frames, plain.image.size);
    size_t found = 0;
    for (size_t at = image->frames; at + 4 <= image->frames + image->frames_size; at += 4) {
        found += leads_to_function(image, at);
    }
    ck_assert_uint_ge(found, 3); /* entry, packed, pack */

    aic_image_part part[AIC_PARTS_MAX];
    const size_t parts = aic_image_parts(unwound.bytes, unwound.size, "kernel", part);
    size_t entries = 0;
    for (size_t i = 0; i < parts; i++) {
        ck_assert_uint_gt(part[i].size, 0);
        ck_assert_uint_le(part[i].offset + part[i].size, image->size);
        entries += strcmp(part[i].name, "") == 0 && part[i].offset == image->function[AIC_FUNCTION_ENTRY];
        entries += strcmp(part[i].name, "_pack") == 0 && part[i].offset == image->function[AIC_FUNCTION_PACK];
    }
    ck_assert_uint_eq(entries, 2);
    ck_assert_uint_gt(parts, 3); /* internal ones, too */
    ck_assert_uint_eq(aic_image_parts(unwound.bytes, unwound.size / 2, "kernel", part), 0);
    aic_object_free(&plain);
    aic_object_free(&unwound);
}

START_TEST(unwind)
{
    const aic_conv2d_desc desc = conv_desc(AIC_INT8, 20);
    const aic_spec spec = aic_spec_of(AIC_OP_CONV2D, &desc);
    check_unwind(AIC_ARCH_X86_64, "sse2", &spec);
    check_unwind(AIC_ARCH_X86_64, "avx512", &spec);
    check_unwind(AIC_ARCH_AARCH64, "neon", &spec);
}
END_TEST

/* ---- perf's map and jitdump's file ---- */

/* Lines of a map that have this address at their begin, and whose name begins like this; -1: there is no map. */
static int lines_of(long process, const void *address, const char *name)
{
    char path[64], line[2048], begin[32];
    int count = 0;
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", process);
    snprintf(begin, sizeof begin, "%lx ", (unsigned long)(uintptr_t)address);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return -1;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        const char *text = strchr(line, ' ');
        text = text != NULL ? strchr(text + 1, ' ') : NULL;
        count += text != NULL && strncmp(line, begin, strlen(begin)) == 0 && strncmp(text + 1, name, strlen(name)) == 0;
    }
    fclose(file);
    return count;
}

typedef struct family {
    aic_conv2d_fn known; /* of a kernel that the parent made */
} family;

static void look_in_child(void *argument)
{
    const family *f = argument;
    char path[64];
    const int count = lines_of((long)getpid(), (const void *)(uintptr_t)f->known, "conv2d_int8_");
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    (void)unlink(path);
    child_expect(count == 1, "the child's map has the parent's kernel once");
}

/* A child has the kernels that its parent made, under its own number. */
START_TEST(map_of_child)
{
    aic_context *context = open_context(0, "perf");
    const aic_conv2d_desc desc = conv_desc(AIC_INT8, 7);
    const aic_spec spec = aic_spec_of(AIC_OP_CONV2D, &desc);
    aic_kernel *kernel;
    char path[64];
    ck_assert_int_eq(aic_kernel_create(context, &spec, NULL, &kernel), AIC_OK);
    family f = {aic_kernel_conv2d(kernel)};
    ck_assert_int_eq(lines_of((long)getpid(), (const void *)(uintptr_t)f.known, "conv2d_int8_"), 1);
    ck_assert_str_eq(child_run(look_in_child, &f), "");
    aic_kernel_destroy(kernel);
    aic_context_destroy(context);
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    ck_assert_int_eq(unlink(path), 0);
}
END_TEST

/* A link in the place of the map is not followed: the folder is everybody's. */
static void start_over_link(void *argument)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    child_expect(symlink(argument, path) == 0, "symlink");
    aic_context_options options = aic_context_options_init();
    aic_context *context = NULL;
    options.profile = "perf";
    const aic_status status = aic_context_create(&options, &context);
    (void)unlink(path);
    child_expect(status == AIC_INVALID_ARGUMENT && strstr(aic_last_error(), "\"perf\"") != NULL, "refused");
    child_expect(access(argument, F_OK) != 0, "not written");
}

START_TEST(link_in_the_way)
{
    char target[64];
    snprintf(target, sizeof target, "/tmp/aicjit-link-%ld", (long)getpid());
    ck_assert_str_eq(child_run(start_over_link, target), "");
}
END_TEST

/* Bytes of a map that had 6 before the process requests one, written at this time; then it is removed. */
static long size_after_start(time_t written)
{
    char path[64];
    struct stat info = {.st_size = -1};
    const struct timespec times[2] = {{.tv_sec = written}, {.tv_sec = written}};
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    FILE *file = fopen(path, "w");
    child_expect(file != NULL && fputs("1 2 x\n", file) >= 0 && fclose(file) == 0, "map");
    child_expect(utimensat(AT_FDCWD, path, times, 0) == 0, "time");
    child_expect(aic_profile_start(AIC_PROFILE_PERF) == AIC_OK, "start");
    child_expect(stat(path, &info) == 0 && unlink(path) == 0, "size");
    return (long)info.st_size;
}

/* What a process of the same number left long ago goes; what another compiler of this process has written stays. */
static void start_over_maps(void *unused)
{
    (void)unused;
    child_expect(size_after_start(1000000000) == 0, "the old map is cut");
    child_expect(size_after_start(time(NULL)) == 6, "the new one is not");
}

START_TEST(map_of_earlier_process)
{
    ck_assert_str_eq(child_run(start_over_maps, NULL), "");
}
END_TEST

/* The file begins as the specification says, and is a chain of records to its end: every function of every kernel, with
 * its code. A child that makes a kernel has a file of its own with its parent's kernels in it. */
static int records_of(const char *folder, long process, const void *code, size_t *functions)
{
    char path[128];
    unsigned char *bytes = malloc(1 << 20);
    snprintf(path, sizeof path, "%s/jit-%ld.dump", folder, process);
    FILE *file = fopen(path, "rb");
    const size_t size = file != NULL && bytes != NULL ? fread(bytes, 1, 1 << 20, file) : 0;
    int found = 0;
    uint32_t head[4] = {0}, record[2];
    uint64_t field[4];
    *functions = 0;
    size_t at = 40;
    if (size >= at) {
        memcpy(head, bytes, sizeof head);
    }
    while (head[0] == 0x4A695444 && head[1] == 1 && head[2] == 40 && at + 56 <= size) {
        memcpy(record, bytes + at, sizeof record);
        memcpy(field, bytes + at + 24, sizeof field);
        const char *name = (const char *)bytes + at + 56;
        const unsigned char *copy = bytes + at + 56 + strlen(name) + 1;
        if (record[0] != 0 || record[1] > size - at || copy + field[2] != bytes + at + record[1] ||
            strncmp(name, "conv2d_int8_", strlen("conv2d_int8_")) != 0) {
            break;
        }
        found += field[0] == (uint64_t)(uintptr_t)code && memcmp(copy, code, (size_t)field[2]) == 0;
        at += record[1];
        *functions += 1;
    }
    if (file != NULL) {
        fclose(file);
        (void)unlink(path);
    }
    free(bytes);
    return at == size ? found : -1;
}

typedef struct dump_case {
    char folder[32];
    aic_context *context;
    aic_conv2d_fn known;
} dump_case;

static aic_conv2d_fn make(aic_context *context, int64_t width)
{
    const aic_conv2d_desc desc = conv_desc(AIC_INT8, width);
    const aic_spec spec = aic_spec_of(AIC_OP_CONV2D, &desc);
    aic_kernel *kernel = NULL;
    if (aic_kernel_create(context, &spec, NULL, &kernel) != AIC_OK) {
        return NULL;
    }
    const aic_conv2d_fn function = aic_kernel_conv2d(kernel);
    aic_kernel_destroy(kernel); /* the context keeps it */
    return function;
}

#if !defined(AIC_SANITIZED) /* their children may not start threads */
static void dump_in_child(void *argument)
{
    const dump_case *d = argument;
    size_t functions;
    child_expect(make(d->context, 12) != NULL, "kernel");
    child_expect(records_of(d->folder, (long)getpid(), (const void *)(uintptr_t)d->known, &functions) == 1, "records");
    child_expect(functions > 6, "functions of both kernels");
}
#endif

START_TEST(jitdump)
{
    dump_case d = {.folder = "/tmp/aicjit-test-XXXXXX"};
    size_t functions;
    ck_assert_ptr_nonnull(mkdtemp(d.folder));
    setenv("JITDUMPDIR", d.folder, 1);
    d.context = open_context(0, "jitdump");
    d.known = make(d.context, 11);
    ck_assert_ptr_nonnull((void *)(uintptr_t)d.known);
#if !defined(AIC_SANITIZED)
    ck_assert_str_eq(child_run(dump_in_child, &d), "");
#endif
    ck_assert_int_eq(records_of(d.folder, (long)getpid(), (const void *)(uintptr_t)d.known, &functions), 1);
    ck_assert_uint_gt(functions, 3);
    aic_context_destroy(d.context);
    unsetenv("JITDUMPDIR");
    ck_assert_int_eq(rmdir(d.folder), 0);
}
END_TEST

/* ---- the list ---- */

enum { THREADS = 4, ROUNDS = 6 };

static void *come_and_go(void *argument)
{
    const int64_t number = *(const int64_t *)argument;
    for (int64_t round = 0; round < ROUNDS; round++) {
        aic_context_options options = aic_context_options_init();
        aic_context *context = NULL;
        options.profile = "gdb";
        if (aic_context_create(&options, &context) != AIC_OK || make(context, 20 + number + round) == NULL) {
            return argument;
        }
        aic_context_destroy(context);
    }
    return NULL;
}

/* Kernels of several threads come and go, and the list of what debuggers know is whole in between and at the end. */
START_TEST(many_threads)
{
    pthread_t thread[THREADS];
    int64_t number[THREADS];
    for (int64_t i = 0; i < THREADS; i++) {
        number[i] = i;
        ck_assert_int_eq(pthread_create(&thread[i], NULL, come_and_go, &number[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *result = NULL;
        ck_assert_int_eq(pthread_join(thread[i], &result), 0);
        ck_assert_ptr_null(result);
    }
    aic_context *context = open_context(0, "gdb");
    ck_assert_ptr_nonnull((void *)(uintptr_t)make(context, 9));
    aic_context_destroy(context);
}
END_TEST

Suite *suite_observe(void)
{
    Suite *suite = suite_create("observe");
    TCase *tcase = tcase_create("observe");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, statistics);
    tcase_add_test(tcase, option_values);
    tcase_add_test(tcase, unwind);
    tcase_add_test(tcase, map_of_child);
    tcase_add_test(tcase, link_in_the_way);
    tcase_add_test(tcase, map_of_earlier_process);
    tcase_add_test(tcase, jitdump);
    tcase_add_test(tcase, many_threads);
    suite_add_tcase(suite, tcase);
    return suite;
}
