/* All legal schedules of a problem as a list, to be measured. */
#ifndef AIC_SPACE_H
#define AIC_SPACE_H

#include "codegen/codegen.h"

/* Lists them; see aic_generator_api.space. */
aic_status aic_space_list_all(const aic_problem *problem, aic_space_list *list);

#endif
