/* See memory_limit.h. */
#include "tests/memory_limit.h"

#include <check.h>
#include <stdio.h>
#include <unistd.h>

/* Bytes of address space in use. */
static rlim_t address_space(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

struct rlimit memory_limit_to(rlim_t more)
{
    struct rlimit old;
    ck_assert_int_eq(getrlimit(RLIMIT_AS, &old), 0);
    struct rlimit tight = {.rlim_cur = address_space() + more, .rlim_max = old.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &tight), 0);
    return old;
}
