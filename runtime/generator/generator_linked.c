/* The generator is linked in. */
#include "runtime/generator/generator.h"

aic_status aic_generator_open(const aic_generator_api **api)
{
    *api = aic_generator_linked();
    return AIC_OK;
}

bool aic_generator_path(char path[AIC_GENERATOR_PATH_MAX])
{
    path[0] = '\0';
    return false;
}
