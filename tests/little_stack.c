/* See little_stack.h. */
#include "tests/little_stack.h"

#include <check.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE_BYTES = 4096, PATTERN = 0xA5 };

typedef struct visit {
    void (*body)(void *);
    void *argument;
    bool finished;
} visit;

static void *run_visit(void *argument)
{
    visit *v = argument;
    pthread_cancel(pthread_self());
    v->body(v->argument);
    v->finished = true;
    return NULL;
}

size_t stack_used_by(void (*body)(void *), void *argument, size_t stack_bytes, _Bool *finished)
{
    pthread_t thread;
    pthread_attr_t attributes;
    visit v = {body, argument, false};
    unsigned char untouched_page[PAGE_BYTES];
    unsigned char *stack = mmap(NULL, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(stack, MAP_FAILED);
    memset(stack, PATTERN, stack_bytes);
    memset(untouched_page, PATTERN, PAGE_BYTES);
    ck_assert_int_eq(pthread_attr_init(&attributes), 0);
    ck_assert_int_eq(pthread_attr_setstack(&attributes, stack, stack_bytes), 0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, run_visit, &v), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    size_t untouched = 0;
    while (untouched < stack_bytes && memcmp(stack + untouched, untouched_page, PAGE_BYTES) == 0) {
        untouched += PAGE_BYTES;
    }
    while (untouched < stack_bytes && stack[untouched] == PATTERN) {
        untouched++;
    }
    munmap(stack, stack_bytes);
    *finished = v.finished;
    return stack_bytes - untouched;
}
