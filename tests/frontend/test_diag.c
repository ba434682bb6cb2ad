/* Messages of failures and warnings at their limits: how many, how long, and memory that there cannot be. */
#include "frontend/core/diag.h"
#include "frontend/core/memory.h"
#include "frontend/core/rule.h"
#include "frontend/core/thread.h"

#include <aic/aic.h>
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

Suite *suite_diag(void);

static const aic_rule rule = {.source = "a page"};

/* Of more rules than there is room for, which short messages reach, the first ones are told. */
START_TEST(many_short_messages)
{
    (void)aic_fail(AIC_INVALID_ARGUMENT, NULL, "the first");
    aic_fail_rule(&rule, 0);
    for (int i = 1; i < 2 * AIC_ALSO_RULES; i++) {
        aic_fail_also("x", &rule);
    }
    ck_assert_str_eq(aic_last_error_at(2 * AIC_ALSO_RULES - 1), "x");
    ck_assert_ptr_null(aic_last_error_at(2 * AIC_ALSO_RULES));
    ck_assert_ptr_eq(aic_last_error_rule(AIC_ALSO_RULES - 1), &rule);
    ck_assert_ptr_null(aic_last_error_rule(AIC_ALSO_RULES));
}
END_TEST

/* Of more text than there is room for the last message says that there are others, which are about no rule. */
START_TEST(many_long_messages)
{
    char message[AIC_MESSAGE_MAX];
    memset(message, 'm', sizeof message - 1);
    message[sizeof message - 1] = '\0';
    (void)aic_fail(AIC_INVALID_ARGUMENT, NULL, "the first");
    aic_fail_rule(&rule, 0);
    for (int i = 0; i < 2 * AIC_ALSO_MAX / AIC_MESSAGE_MAX; i++) {
        aic_fail_also(message, &rule);
    }
    size_t last = 1;
    while (aic_last_error_at(last + 1) != NULL) {
        ck_assert_str_eq(aic_last_error_at(last), message);
        ck_assert_ptr_eq(aic_last_error_rule(last), &rule);
        last++;
    }
    ck_assert_uint_ge(last, AIC_ALSO_MAX / AIC_MESSAGE_MAX - 1);
    ck_assert_str_eq(aic_last_error_at(last), "and more rules are broken");
    ck_assert_ptr_null(aic_last_error_rule(last));
    (void)aic_fail(AIC_INVALID_ARGUMENT, NULL, "another");
    aic_fail_also("has room again", &rule);
    ck_assert_str_eq(aic_last_error_at(1), "has room again");
}
END_TEST

/* A broken rule's message is cut before its source. */
START_TEST(long_message_of_a_rule)
{
    char word[2 * AIC_MESSAGE_MAX], end[AIC_MESSAGE_MAX];
    memset(word, 'w', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    aic_verdict v = aic_request_verdict("subject");
    ck_assert(!aic_break(&v, AIC_REQUEST_chain, "%s", word));
    const size_t length = (size_t)snprintf(end, sizeof end, "w... [%s]", aic_request_rule(AIC_REQUEST_chain)->source);
    ck_assert_uint_eq(strlen(aic_last_error()), AIC_MESSAGE_MAX - 1);
    ck_assert_str_eq(aic_last_error() + AIC_MESSAGE_MAX - 1 - length, end);
    ck_assert(!aic_break(&v, AIC_REQUEST_apart, "%s", word));
    ck_assert_uint_eq(strlen(aic_last_error_at(1)), AIC_MESSAGE_MAX - 1);
}
END_TEST

/* Of what is quoted the middle is left out, of the longest first, so that what is wrong stays. */
START_TEST(long_quotations)
{
    char path[4096];
    memset(path, 'p', sizeof path - 1);
    strcpy(path + sizeof path - sizeof "/name.npy", "/name.npy");
    for (size_t length = 1; length < sizeof path; length++) {
        const char *tail = path + sizeof path - 1 - length;
        (void)aic_fail(AIC_IO, "subject", "\"%s\" is not \"short\": No such file", tail);
        const char *said = aic_last_error();
        const bool whole = length + strlen("subject: \"\" is not \"short\": No such file") < AIC_MESSAGE_MAX;
        ck_assert_uint_lt(strlen(said), AIC_MESSAGE_MAX);
        ck_assert_msg(strstr(said, "\" is not \"short\": No such file") != NULL, "%s", said);
        ck_assert_int_eq(strstr(said, "...") == NULL, whole);
        ck_assert(length < sizeof "/name.npy" || strstr(said, "/name.npy\"") != NULL);
        (void)aic_fail(AIC_IO, NULL, "\"%.1000s\" to \"%s\": Is a directory", tail, path);
        ck_assert_msg(strstr(aic_last_error(), "/name.npy\": Is a directory") != NULL, "%s", aic_last_error());
    }
}
END_TEST

/* Characters are not cut, neither in the middle nor at the end. */
START_TEST(long_characters)
{
    static const char WIDE[] = "\xE2\x82\xAC"; /* a euro sign */
    enum { MANY = 400 };
    char text[2 * AIC_MESSAGE_MAX * sizeof WIDE];
    for (int before = 0; before < 3; before++) {
        size_t used = (size_t)snprintf(text, sizeof text, "\"%.*s", before, "xx");
        for (int i = 0; i < MANY; i++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", WIDE);
        }
        (void)snprintf(text + used, sizeof text - used, "\" is wrong");
        (void)aic_fail(AIC_IO, NULL, "%s", text);
        const char *said = aic_last_error(), *gap = strstr(said, "...");
        ck_assert_ptr_nonnull(gap);
        ck_assert_mem_eq(gap - 3, WIDE, 3);
        ck_assert_mem_eq(gap + 3, WIDE, 3);
        ck_assert_ptr_nonnull(strstr(said, "\xAC\" is wrong"));
        (void)aic_fail(AIC_IO, NULL, "%s", text + 1);
        ck_assert_str_eq(aic_last_error() + strlen(aic_last_error()) - 6, "\xE2\x82\xAC...");
    }
}
END_TEST

/* Messages that are too long end in "...", and keep the source of their rule and the place behind it. */
START_TEST(long_messages)
{
    char subject[2 * AIC_MESSAGE_MAX], whole[AIC_MESSAGE_MAX];
    memset(subject, 's', sizeof subject - 1);
    subject[sizeof subject - 1] = '\0';
    (void)aic_fail(AIC_INTERNAL, subject, "unseen");
    ck_assert_uint_eq(strlen(aic_last_error()), AIC_MESSAGE_MAX - 1);
    ck_assert_str_eq(aic_last_error() + AIC_MESSAGE_MAX - 4, "...");
    (void)aic_fail(AIC_INTERNAL, "subject", "%0*d", AIC_MESSAGE_MAX, 1);
    ck_assert_str_eq(aic_last_error() + AIC_MESSAGE_MAX - 4, "...");
    (void)aic_fail_source(AIC_INTERNAL, &rule);
    ck_assert_str_eq(aic_last_error() + AIC_MESSAGE_MAX - 1 - strlen("... [a page]"), "... [a page]");
    ck_assert_ptr_eq(aic_last_error_rule(0), &rule);
    strcpy(whole, aic_last_error());
    (void)aic_fail_where(AIC_INTERNAL, " (line %d)", 1);
    ck_assert_str_eq(aic_last_error(), whole); /* there is no room for a place */
    (void)aic_fail(AIC_INTERNAL, "subject", "wrong");
    (void)aic_fail_source(AIC_INTERNAL, &rule);
    (void)aic_fail_where(AIC_INTERNAL, " (line %d)", 1);
    ck_assert_str_eq(aic_last_error(), "subject: wrong (line 1) [a page]");
}
END_TEST

/* A thread that has called nothing has no messages. */
static void *ask_for_messages(void *answers)
{
    bool *empty = answers;
    *empty = aic_last_error()[0] == '\0' && aic_last_error_at(0)[0] == '\0' && aic_last_error_at(1) == NULL &&
             aic_last_error_rule(0) == NULL && aic_take_warning() == NULL;
    return NULL;
}

START_TEST(messages_of_a_new_thread)
{
    pthread_t thread;
    bool empty = false;
    ck_assert_int_eq(pthread_create(&thread, NULL, ask_for_messages, &empty), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert(empty);
}
END_TEST

/* There is room for a message before every source. */
START_TEST(sources_are_short)
{
    const aic_rule *at;
    for (size_t i = 0; (at = aic_rule_at(i)) != NULL; i++) {
        ck_assert_uint_lt(strlen(at->source), AIC_MESSAGE_MAX / 2);
    }
}
END_TEST

static void *refuse(void *data, size_t bytes, size_t alignment)
{
    (void)data, (void)bytes, (void)alignment;
    return NULL;
}

static void note(void *data, int level, const char *line)
{
    ck_assert_int_eq(level, 0);
    *(char *)data = line[0];
}

/* A warning goes to the log of the context that the thread works for, where that has one, and waits in any case. */
START_TEST(warnings_without_a_log)
{
    char seen = '-';
    const aic_hooks memory = {.allocate = refuse}, log = {.log = note, .log_data = &seen};
    const aic_hooks *const all[] = {NULL, &memory, &log};
    for (size_t i = 0; i < 3; i++) {
        const aic_hooks *before = aic_thread_use(all[i]);
        aic_warn(NULL, "%zu", i);
        (void)aic_thread_use(before);
        const char text[] = {(char)('0' + i), '\0'};
        ck_assert_str_eq(aic_take_warning(), text);
        ck_assert_int_eq(seen, all[i] == &log ? '2' : '-');
    }
}
END_TEST

/* More than there is are no few bytes, whatever is kept in front of them. */
START_TEST(sizes_that_overflow)
{
    void *(*const get[])(size_t bytes) = {aic_memory_new, aic_memory_zeros, aic_memory_lines};
    for (size_t i = 0; i < 3; i++) {
        ck_assert_ptr_null(get[i](SIZE_MAX));
        ck_assert_ptr_null(get[i](SIZE_MAX - 8));
    }
}
END_TEST

Suite *suite_diag(void)
{
    Suite *suite = suite_create("diag");
    TCase *tests = tcase_create("diag");
    tcase_add_test(tests, many_short_messages);
    tcase_add_test(tests, many_long_messages);
    tcase_add_test(tests, long_message_of_a_rule);
    tcase_add_test(tests, long_quotations);
    tcase_add_test(tests, long_characters);
    tcase_add_test(tests, long_messages);
    tcase_add_test(tests, messages_of_a_new_thread);
    tcase_add_test(tests, sources_are_short);
    tcase_add_test(tests, warnings_without_a_log);
    tcase_add_test(tests, sizes_that_overflow);
    suite_add_tcase(suite, tests);
    return suite;
}
