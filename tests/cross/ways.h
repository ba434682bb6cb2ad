/* The ways in which the cross test calls a kernel; both its programs read this table. */
#pragma once

#include "tools/harness/guard.h"

typedef struct cross_way {
    const char *name;
    guard_side side;
    bool packed;  /* kernel_pack and kernel_packed */
    bool hostile; /* with a floating-point control register that would change every result */
} cross_way;

static const cross_way cross_ways[] = {
    {"plain, guard behind", GUARD_AFTER, false, false},
    {"packed, guard before", GUARD_BEFORE, true, false},
    {"plain, odd address, hostile FPCR", GUARD_SHIFTED, false, true},
    {"packed, guard behind, hostile FPCR", GUARD_AFTER, true, true},
};

enum { CROSS_WAYS = sizeof cross_ways / sizeof cross_ways[0] };
