/* The table of micro-kernels. */
#include "codegen/contraction/microkernel.h"
#include "frontend/text/sink.h"

static const aic_microkernel *const MICROKERNELS[] = {
    &aic_microkernel_vector,   &aic_microkernel_amx,   &aic_microkernel_mmla,
    &aic_microkernel_winograd, &aic_microkernel_depth,
};

enum { COUNT = sizeof MICROKERNELS / sizeof *MICROKERNELS };

const aic_microkernel *aic_microkernel_at(size_t index)
{
    return index < COUNT ? MICROKERNELS[index] : NULL;
}

const aic_microkernel *aic_microkernel_find(uint64_t tag)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (tag == 0 || tag == aic_tag(MICROKERNELS[i]->name)) {
            return MICROKERNELS[i];
        }
    }
    return NULL;
}

void aic_microkernel_list(char *buffer, size_t capacity)
{
    buffer[0] = '\0';
    for (size_t i = 0; i < COUNT; i++) {
        aic_text_join(buffer, capacity, ", ", MICROKERNELS[i]->name);
    }
}
