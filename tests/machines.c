#include "tests/machines.h"
#include "runtime/request/context.h"

#include <check.h>

const aic_machine tiny_machines[TINY_MACHINES] = {
    {.tiles = true,
     .line_bytes = 64,
     .l1_bytes = 1 << 10,
     .l1_ways = 2,
     .l2_bytes = 2 << 10,
     .l2_ways = 2,
     .l3_bytes = 4 << 10,
     .path_bytes = 16,
     .burst_bytes = 128,
     .past_bytes = 2 << 10,
     .multiplies = 1,
     .multiply_bits = 128,
     .loads = 1,
     .load_bits = 128,
     .issue = 2,
     .latency = 5,
     .near_line = 4,
     .far_line = 40,
     .far_image = 40,
     .together = 100,
     .band_tiles = 2,
     .run_lines = 2},
    {.tiles = true,
     .line_bytes = 128, /* whatever the lines */
     .l1_bytes = 4 << 10,
     .l1_ways = 4,
     .l2_bytes = 4 << 10,
     .l2_ways = 4,
     .l3_bytes = 4 << 10,
     .path_bytes = 32,
     .burst_bytes = 256,
     .past_bytes = 256,
     .multiplies = 4,
     .multiply_bits = 4096,
     .loads = 4,
     .load_bits = 4096,
     .issue = 8,
     .latency = 3,
     .conversion = 3,
     .band_tiles = 3,
     .run_lines = 4},
};

const aic_machine *machine_of(aic_context *context)
{
    ck_assert_msg(aic_context_resolve(&context) == AIC_OK, "%s", aic_last_error());
    return context->machine;
}

void machine_suppose(aic_context *context, const aic_machine *machine)
{
    context->machine = machine;
}

void machine_share_from(aic_context *context, int64_t cost)
{
    static aic_machine machine;
    machine = *context->machine;
    machine.share_cost = cost;
    context->machine = &machine;
}
