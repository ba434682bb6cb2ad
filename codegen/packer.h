/* What packs for kernels of any target; see codegen.h. */
#ifndef AIC_PACKER_H
#define AIC_PACKER_H

#include "codegen/codegen.h"

aic_status aic_packer_create(const aic_problem *problem, const char *schedule, aic_packer *packer);

#endif
