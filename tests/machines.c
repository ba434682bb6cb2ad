#include "tests/machines.h"

const aic_machine tiny_machines[TINY_MACHINES] = {
    {.line_bytes = 64,
     .l1_bytes = 1 << 10,
     .l1_ways = 2,
     .l2_bytes = 2 << 10,
     .l3_bytes = 4 << 10,
     .path_bytes = 16,
     .burst_bytes = 128,
     .past_bytes = 2 << 10},
    {.line_bytes = 128, /* whatever the lines */
     .l1_bytes = 4 << 10,
     .l1_ways = 4,
     .l2_bytes = 4 << 10,
     .l3_bytes = 4 << 10,
     .path_bytes = 32,
     .burst_bytes = 256,
     .past_bytes = 256},
};
