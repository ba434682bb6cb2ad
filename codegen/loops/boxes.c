/* What moves and element-wise kernels have in common; see boxes.h. */
#include "codegen/loops/boxes.h"
#include "codegen/integer.h"

aic_division aic_divide(const int64_t *iterations, int loops)
{
    enum { ENOUGH = 256 };
    aic_division most = {.loop = -1, .count = 1};
    for (int i = 0; i < loops && most.count < ENOUGH; i++) {
        if (iterations[i] > most.count) {
            most = (aic_division){i, iterations[i]};
        }
    }
    return most;
}

/* Gives the number of iterations of one function of a box, and says how items become iterations. */
static void give_count(aic_use *use, aic_boxes_key *key, unsigned box, bool past, int64_t count, int64_t items)
{
    const uint64_t bit = aic_boxes_bit(box, past);
    if (count == items) {
        key->whole |= bit;
        return;
    }
    key->single |= count == 1 ? bit : 0;
    aic_use_number(use, aic_parts(count << AIC_BOXES_SHARE_BITS, items), past ? "past.share.%u" : "share.%u", box);
}

void aic_compose_boxes(aic_program *program, const aic_plan *plan, const aic_box_use *box, unsigned boxes,
                       unsigned pointers, aic_bodies *bodies)
{
    const int64_t items = plan->requirements.phase[0].items;
    aic_boxes_key key = {
        .fast = !aic_plan_is_short(plan), .operands = (int64_t)plan->operands, .pointers = pointers, .boxes = boxes};
    aic_use use;
    aic_use_begin(&use, program, &aic_part_boxes, &key);
    for (unsigned i = 0; i < boxes; i++) {
        give_count(&use, &key, i, false, box[i].plain.count, items);
        aic_use_call(&use, box[i].plain.routine, "box.%u", i);
        if (box[i].past.routine != 0) {
            key.past |= aic_boxes_bit(i, false);
            give_count(&use, &key, i, true, box[i].past.count, items);
            aic_use_call(&use, box[i].past.routine, "past.%u", i);
        }
    }
    bodies->phase[0] = aic_program_add(program, &use, "boxes");
}
