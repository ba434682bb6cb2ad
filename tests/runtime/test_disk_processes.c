/* One folder of the disk cache, many processes and threads: writers that are killed anywhere, readers meanwhile. */
#include "frontend/core/stage.h"
#include "tests/child.h"
#include "tests/disk_case.h"

#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *suite_disk_processes(void);

/* ---- processes ---- */

/* Makes one kernel, with others at the same time. */
static void make_one(void *argument)
{
    const int start = *(const int *)argument;
    char byte;
    (void)!read(start, &byte, 1); /* returns when the parent closes its end */
    aic_context_options options = aic_context_options_init();
    options.cache = "rw", options.cache_dir = disk_folder;
    aic_context *context;
    aic_spec spec;
    aic_kernel *kernel;
    child_expect(aic_context_create(&options, &context) == AIC_OK, "context");
    child_expect(aic_spec_read(DISK_SPEC[0], &spec) == AIC_OK, "text");
    child_expect(aic_kernel_create(context, &spec, NULL, &kernel) == AIC_OK, "kernel");
    aic_kernel_destroy(kernel);
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
    const aic_disk_cache_info info = disk_info();
    ck_assert_uint_eq(info.files, 1);
    ck_assert_uint_eq(info.refused, 0);
}
END_TEST

/* Writes kernels of many names until it is killed; *count is shared with the parent. */
static void write_for_ever(disk_sample *s, aic_disk *disk, atomic_uint *count)
{
    for (unsigned i = 0;; i++) {
        snprintf(s->build.identity.symbol, sizeof s->build.identity.symbol, "aic_killed_%016x", i % 8);
        if (!aic_disk_store(disk, &s->request, &s->build.identity, &s->build.object)) {
            _exit(1);
        }
        atomic_fetch_add(count, 1);
    }
}

/* A writer that is killed anywhere leaves whole files, and perhaps one with a name that nobody reads. */
START_TEST(killed_writers)
{
    enum { WRITERS = 60, WRITES = 500 };
    aic_context *context = disk_context("rw");
    disk_sample *s = disk_sample_new(context); /* writes a file, too */
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
            ck_assert_uint_eq(disk_info().refused, 0);
        }
    }
    const aic_disk_cache_info info = disk_info();
    ck_assert_uint_eq(info.refused, 0);
    ck_assert_uint_ge(info.files, 2);
    ck_assert_uint_le(info.files, 9);
    munmap(count, 4096);
    disk_sample_free(s);
    aic_context_destroy(context);
}
END_TEST

/* Readers of files that are replaced all the time see whole ones. */
START_TEST(readers_and_a_writer)
{
    aic_context *context = disk_context("rw");
    disk_sample *s = disk_sample_new(context);
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
    disk_sample_free(s);
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
        if (aic_spec_read(text, &spec) != AIC_OK || aic_kernel_create(all->context, &spec, NULL, &kernel) != AIC_OK) {
            atomic_fetch_add(&all->wrong, 1);
        } else {
            aic_kernel_destroy(kernel);
        }
    }
    return NULL;
}

/* What one crowd has made, the next one reads, once each. */
START_TEST(crowds)
{
    aic_cache_stats stats[2];
    for (int round = 0; round < 2; round++) {
        crowd all = {.context = disk_context("rw")};
        pthread_t thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            ck_assert_int_eq(pthread_create(&thread[i], NULL, ask_for_all, &all), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(thread[i], NULL);
        }
        ck_assert_int_eq(atomic_load(&all.wrong), 0);
        stats[round] = disk_stats(all.context);
        aic_context_destroy(all.context);
    }
    ck_assert_uint_eq(stats[0].compiles, stats[0].kernels);
    ck_assert_uint_eq(stats[0].loads, 0);
    ck_assert_uint_eq(stats[1].compiles, 0);
    ck_assert_uint_eq(stats[1].loads, stats[0].kernels);
}
END_TEST

Suite *suite_disk_processes(void)
{
    Suite *suite = suite_create("processes with a disk cache");
    TCase *tcase = tcase_create("processes with a disk cache");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, disk_open, disk_close);
    tcase_add_test(tcase, same_kernel_in_processes);
    tcase_add_test(tcase, killed_writers);
    tcase_add_test(tcase, readers_and_a_writer);
    tcase_add_test(tcase, crowds);
    suite_add_tcase(suite, tcase);
    return suite;
}
