/* The check of a call's addresses: what is accepted by comparing all pairs is by sorting, too, and in little time. */
#include "frontend/core/argument.h"
#include "tests/claims.h"
#include "tests/growth.h"
#include "tools/harness/rng.h"

#include <aic/aic.h>
#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_arguments(void);

enum { MOST = 4096 };

typedef struct list {
    size_t count;
    aic_argument argument[MOST];
    const void *address[MOST];
} list;

static list *make_list(size_t count)
{
    list *l = calloc(1, sizeof *l);
    ck_assert_ptr_nonnull(l);
    l->count = count;
    for (size_t i = 0; i < count; i++) {
        l->argument[i] = (aic_argument){.name = "a", .least = 1, .misalignment = 3};
    }
    return l;
}

static bool accepted(const list *l)
{
    return aic_arguments_accepted_many(l->argument, l->count, l->address);
}

static bool is_ok(const list *l)
{
    return aic_arguments_check("test", l->argument, l->count, l->address) == AIC_OK;
}

/* Sizes and addresses such that some lists are apart and some are not, some of them at the end of the address space. */
START_TEST(sorted_as_by_pairs)
{
    uint64_t state = claims_seed((uint64_t)_i);
    int kinds[2] = {0, 0};
    for (int round = 0; round < 300; round++) {
        list *l = make_list((size_t)rng_range(&state, 2, 90));
        uintptr_t at = rng_range(&state, 0, 2) == 0 ? UINTPTR_MAX - 255 : 4096;
        const int64_t gap = rng_range(&state, 0, 1) * 4, widest = rng_range(&state, 1, 4) * 4;
        for (size_t i = 0; i < l->count; i++) {
            l->argument[i].bytes = (uintptr_t)rng_range(&state, 0, widest / 4) * 4;
            l->address[i] = (const void *)at;
            at += (uintptr_t)(rng_range(&state, 0, 60) == 0 ? rng_range(&state, 0, 2) * 4 : widest + gap);
            at += at == 0 ? 4 : 0; /* round the end, but not NULL */
        }
        for (size_t i = l->count; i > 1; i--) { /* in any order */
            const size_t j = (size_t)rng_range(&state, 0, (int64_t)i - 1);
            const void *address = l->address[i - 1];
            l->address[i - 1] = l->address[j];
            l->address[j] = address;
            const aic_argument argument = l->argument[i - 1];
            l->argument[i - 1] = l->argument[j];
            l->argument[j] = argument;
        }
        if (l->count > AIC_ARGUMENTS_FEW) {
            ck_assert_int_eq(accepted(l), is_ok(l));
            kinds[is_ok(l)]++;
        } else if (accepted(l)) { /* stricter: an empty one inside another is left to the check */
            ck_assert(is_ok(l));
        }
        free(l);
    }
    ck_assert_int_gt(kinds[0], 10);
    ck_assert_int_gt(kinds[1], 10);
}
END_TEST

START_TEST(single_addresses)
{
    static unsigned char memory[MOST * 8];
    list *l = make_list(MOST);
    for (size_t i = 0; i < MOST; i++) {
        l->argument[i].bytes = 4;
        l->address[i] = memory + 8 * ((i * 37) % MOST) + 4 - (uintptr_t)memory % 4;
    }
    ck_assert(accepted(l));
    for (size_t i = 0; i < MOST; i += 511) {
        const void *right = l->address[i];
        const void *const wrong[] = {NULL, (const unsigned char *)right + 2, l->address[(i + 1) % MOST]};
        for (size_t k = 0; k < 3; k++) {
            l->address[i] = wrong[k];
            ck_assert(!accepted(l));
            ck_assert(!is_ok(l));
        }
        l->address[i] = right;
    }
    ck_assert(accepted(l));
    free(l);
}
END_TEST

/* Blocks that hold something are compared, be it none, one, or two of which the last goes round the end to the first.
 */
START_TEST(few_blocks_of_many)
{
    static const struct {
        size_t blocks;
        uintptr_t start[2], bytes[2];
        bool apart;
    } rows[] = {
        {0, {0, 0}, {0, 0}, true},
        {1, {4096, 0}, {64, 0}, true},
        {1, {UINTPTR_MAX - 63, 0}, {4096, 0}, true},
        {2, {4096, UINTPTR_MAX - 63}, {64, 64 + 4096}, true},
        {2, {4096, UINTPTR_MAX - 63}, {64, 64 + 4100}, false},
        {2, {UINTPTR_MAX - 63, 4096}, {64 + 4100, 64}, false},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        list *l = make_list(AIC_ARGUMENTS_FEW + 8);
        for (size_t i = 0; i < l->count; i++) {
            l->address[i] = (const void *)(uintptr_t)8;
        }
        for (size_t i = 0; i < rows[r].blocks; i++) {
            l->address[7 + i] = (const void *)rows[r].start[i];
            l->argument[7 + i].bytes = rows[r].bytes[i];
        }
        ck_assert_msg(accepted(l) == rows[r].apart, "row %zu", r);
        ck_assert_msg(is_ok(l) == rows[r].apart, "row %zu: %s", r, aic_last_error());
        free(l);
    }
}
END_TEST

static void check_first(void *data, size_t count)
{
    list *l = data;
    l->count = count;
    ck_assert(accepted(l));
}

/* Not all pairs of them. */
START_TEST(many_take_little_time)
{
    list *l = make_list(MOST);
    for (size_t i = 0; i < MOST; i++) {
        l->argument[i].bytes = 64;
        l->address[i] = (const void *)(uintptr_t)(4096 + 64 * ((i * 2741) % MOST));
    }
    growth_is_linear("arguments", check_first, l, MOST);
    free(l);
}
END_TEST

Suite *suite_arguments(void)
{
    Suite *suite = suite_create("arguments");
    TCase *tcase = tcase_create("arguments");
    tcase_add_loop_test(tcase, sorted_as_by_pairs, 0, 8);
    tcase_add_test(tcase, single_addresses);
    tcase_add_test(tcase, few_blocks_of_many);
    tcase_add_test(tcase, many_take_little_time);
    suite_add_tcase(suite, tcase);
    return suite;
}
