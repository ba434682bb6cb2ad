/* What the library says of a level, as words. */
#include "tools/harness/levels.h"

#include <aic/aic.h>

const char *level_way(const char *name)
{
    if (aic_isa_check(name) != AIC_OK) {
        return "not run, this host lacks it";
    }
    return aic_isa_emulated(name) ? "emulated" : "native";
}
