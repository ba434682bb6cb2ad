/* Code memory: many images in few mappings, pages that come back, systems that refuse anonymous memory, forks. */
#include "runtime/code/code_memory.h"
#include "tests/child.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *suite_code_memory(void);

/* An image of `size` bytes, in which a function returns the number. */
static aic_image image_of(uint32_t number, size_t size)
{
    aic_image image = {.bytes = calloc(1, size), .size = size, .alignment = 64};
    child_expect(image.bytes != NULL, "memory");
#if defined(__x86_64__)
    const unsigned char code[] = {0xB8, 0, 0, 0, 0, 0xC3}; /* mov $number, %eax; ret */
    memcpy(image.bytes, code, sizeof code);
    memcpy(image.bytes + 1, &number, sizeof number);
#elif defined(__aarch64__)
    const uint32_t code[] = {0x52800000 | (number & 0xFFFF) << 5, 0x72A00000 | (number >> 16) << 5, 0xD65F03C0};
    memcpy(image.bytes, code, sizeof code); /* movz w0; movk w0; ret */
#endif
    return image;
}

static uint32_t call(const aic_code_memory *memory)
{
    return ((uint32_t (*)(void))(uintptr_t)memory->base)();
}

static aic_code_memory place(uint32_t number, size_t size)
{
    aic_image image = image_of(number, size);
    aic_code_memory memory = {.base = NULL};
    child_expect(aic_code_memory_place(&image, &memory) == AIC_OK, "place");
    free(image.bytes);
    return memory;
}

/* Mappings of the process, 0 under a sanitizer, which has more of its own; *bad counts those that are writable and
 * executable. */
static size_t mappings(size_t *bad)
{
    char line[512], permissions[8];
    size_t count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    child_expect(maps != NULL, "maps");
    while (fgets(line, sizeof line, maps) != NULL) {
        count++;
        if (sscanf(line, "%*s %7s", permissions) == 1) {
            *bad += permissions[1] == 'w' && permissions[2] == 'x';
        }
    }
    fclose(maps);
#ifdef AIC_SANITIZED
    count = 0;
#endif
    return count;
}

/* ---- many ---- */

enum { MANY = 100000 };

static void place_many(void *unused)
{
    (void)unused;
    aic_code_memory *memory = malloc(MANY * sizeof *memory);
    child_expect(memory != NULL, "memory");
    size_t bad = 0;
    const size_t before = mappings(&bad);
    for (uint32_t i = 0; i < MANY; i++) {
        memory[i] = place(i, 100 + i % 3 * 4000);
    }
    const size_t with = mappings(&bad);
    child_expect(with < before + 2000, "few mappings");
    for (uint32_t i = 0; i < MANY; i += 2) { /* holes */
        aic_code_memory_release(&memory[i]);
    }
    child_expect(mappings(&bad) <= with + 10, "holes make no mappings");
    for (uint32_t i = 0; i < MANY; i += 4) {
        memory[i] = place(i + 7, 100);
    }
    child_expect(mappings(&bad) <= with + 10, "nor do images in them");
    child_expect(bad == 0, "nothing is writable and executable");
    for (uint32_t i = 0; i < MANY; i++) {
        child_expect(i % 4 == 2 || call(&memory[i]) == i + (i % 4 == 0 ? 7 : 0), "the right code");
    }
    for (uint32_t i = 0; i < MANY; i++) {
        aic_code_memory_release(&memory[i]);
    }
    child_expect(aic_code_memory_regions() <= 1, "regions are given back");
    free(memory);
}

START_TEST(hundred_thousand)
{
    ck_assert_str_eq(child_run(place_many, NULL), "");
}
END_TEST

/* Pages that were given back hold nothing of what was there, and are used again. */
static void reuse(void *unused)
{
    (void)unused;
    aic_code_memory keep = place(1, 100);
    for (uint32_t i = 0; i < 1000; i++) {
        aic_code_memory a = place(i, 300000);
        child_expect(call(&a) == i && a.base[200000] == 0, "its own code");
        aic_code_memory_release(&a);
    }
    aic_code_memory large = place(5, (size_t)5 << 20);
    child_expect(call(&large) == 5 && call(&keep) == 1, "large");
    aic_code_memory_release(&large);
    child_expect(aic_code_memory_regions() <= 2, "regions");
    aic_code_memory_release(&keep);
}

START_TEST(pages_come_back)
{
    ck_assert_str_eq(child_run(reuse, NULL), "");
}
END_TEST

/* A region has pages enough for an image, but not in a row: the image gets another one. */
static void fill_with_holes(void *unused)
{
    (void)unused;
    enum { COUNT = 1 << 14, PAGE = 4096 };
    static aic_code_memory memory[COUNT];
    uint32_t count = 0;
    while (count < COUNT && aic_code_memory_regions() <= 1) {
        memory[count] = place(count, PAGE);
        count++;
    }
    child_expect(aic_code_memory_regions() == 2, "a second region");
    aic_code_memory_release(&memory[--count]); /* which goes with it */
    child_expect(aic_code_memory_regions() == 1, "the first region is full");
    for (uint32_t i = 0; i < count; i += 2) {
        aic_code_memory_release(&memory[i]);
    }
    aic_code_memory large = place(4711, 2 * (size_t)sysconf(_SC_PAGESIZE));
    child_expect(aic_code_memory_regions() == 2, "no hole is large enough");
    child_expect(call(&large) == 4711, "the right code");
    for (uint32_t i = 1; i < count; i += 2) {
        child_expect(call(&memory[i]) == i, "the code between holes");
        aic_code_memory_release(&memory[i]);
    }
    aic_code_memory_release(&large);
}

START_TEST(holes_that_are_too_small)
{
    ck_assert_str_eq(child_run(fill_with_holes, NULL), "");
}
END_TEST

/* ---- refused ---- */

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

/* From here on the kernel refuses to make memory executable that was not. */
static bool refuse_gain(void)
{
    return prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) == 0;
}

static int wait_for(pid_t child)
{
    int status;
    child_expect(waitpid(child, &status, 0) == child, "wait");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Parent and child share the memory of files: neither may write to what the other calls. */
static void fork_with_files(aic_code_memory *memory, uint32_t count)
{
    int turn[2];
    child_expect(pipe(turn) == 0, "pipe");
    const pid_t child = fork();
    child_expect(child >= 0, "fork");
    if (child == 0) {
        char byte;
        close(turn[1]);
        (void)!read(turn[0], &byte, 1); /* until the parent has put other code in place of its own */
        for (uint32_t i = 0; i < count; i++) {
            child_expect(call(&memory[i]) == i, "the child's code");
        }
        aic_code_memory own = place(4711, 100);
        child_expect(call(&own) == 4711, "new code of the child");
        _exit(0);
    }
    close(turn[0]);
    for (uint32_t i = 0; i < count; i += 2) {
        aic_code_memory_release(&memory[i]);
    }
    for (uint32_t i = 0; i < count; i += 2) {
        memory[i] = place(i + 1000, 100);
    }
    close(turn[1]);
    child_expect(wait_for(child) == 0, "the child");
    for (uint32_t i = 0; i < count; i++) {
        child_expect(call(&memory[i]) == i + (i % 2 == 0 ? 1000 : 0), "the parent's code");
    }
}

static void place_in_files(void *unused)
{
    (void)unused;
    enum { COUNT = 700 };
    static aic_code_memory memory[COUNT];
    size_t bad = 0;
    aic_code_memory earlier = place(42, 100);
    child_expect(refuse_gain(), "prctl");
    for (uint32_t i = 0; i < COUNT; i++) {
        memory[i] = place(i, 100 + i % 3 * 4000);
        child_expect(call(&memory[i]) == i, "code in a file");
    }
    child_expect(call(&earlier) == 42, "code of earlier");
    (void)mappings(&bad);
    child_expect(bad == 0, "nothing is writable and executable");
    fork_with_files(memory, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        aic_code_memory_release(&memory[i]);
    }
    aic_code_memory_release(&earlier);
    child_expect(aic_code_memory_regions() <= 1, "regions are given back");
}

static void try_refusal(void *unused)
{
    (void)unused;
    _exit(refuse_gain() ? 0 : 1);
}

START_TEST(files_where_memory_is_refused)
{
    if (child_run(try_refusal, NULL)[0] != '\0') {
        printf("not run: this kernel cannot refuse executable memory (PR_SET_MDWE)\n");
        return;
    }
    ck_assert_str_eq(child_run(place_in_files, NULL), "");
}
END_TEST

/* ---- fork ---- */

static void go_on_after_fork(void *unused)
{
    (void)unused;
    aic_code_memory memory[50];
    for (uint32_t i = 0; i < 50; i++) {
        memory[i] = place(i, 100);
    }
    const pid_t child = fork();
    child_expect(child >= 0, "fork");
    for (uint32_t i = 0; i < 50; i += 2) { /* both, in memory of their own */
        aic_code_memory_release(&memory[i]);
        memory[i] = place(i + (child == 0 ? 100 : 200), 100);
    }
    for (uint32_t i = 0; i < 50; i++) {
        child_expect(call(&memory[i]) == i + (i % 2 != 0 ? 0 : child == 0 ? 100 : 200), "the right code");
    }
    if (child == 0) {
        _exit(0);
    }
    child_expect(wait_for(child) == 0, "the child");
}

START_TEST(fork_shares_nothing)
{
    ck_assert_str_eq(child_run(go_on_after_fork, NULL), "");
}
END_TEST

Suite *suite_code_memory(void)
{
    Suite *suite = suite_create("code memory");
    TCase *tcase = tcase_create("code memory");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, hundred_thousand);
    tcase_add_test(tcase, pages_come_back);
    tcase_add_test(tcase, holes_that_are_too_small);
    tcase_add_test(tcase, files_where_memory_is_refused);
    tcase_add_test(tcase, fork_shares_nothing);
    suite_add_tcase(suite, tcase);
    return suite;
}
