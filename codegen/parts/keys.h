/* The keys of parts: a structure aic_NAME_key for each list of keys.def. The headers of the parts say what these are;
 * kinds may share a key. */
#pragma once

#include <aic/field.h>

#define AIC_PART_KEY(key) typedef struct aic_##key##_key {
#define AIC_PART_FIELD(key, kind, name, count) AIC_CTYPE_##kind name AIC_EXTENT_##count;
#define AIC_PART_KEY_END(key)                                                                                          \
    }                                                                                                                  \
    aic_##key##_key;
#include "codegen/parts/keys.def"
#undef AIC_PART_KEY
#undef AIC_PART_FIELD
#undef AIC_PART_KEY_END
