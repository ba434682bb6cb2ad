/* The kinds of parts: the fields of their keys, and how they are compiled. */
#include "codegen/parts/amx.h"
#include "codegen/parts/bands.h"
#include "codegen/parts/boxes.h"
#include "codegen/parts/depth.h"
#include "codegen/parts/entry.h"
#include "codegen/parts/image.h"
#include "codegen/parts/lean.h"
#include "codegen/parts/move.h"
#include "codegen/parts/staging.h"
#include "codegen/parts/tile.h"
#include "codegen/parts/weights.h"
#include "codegen/parts/winograd.h"

#define AIC_PART_KEY(key) static const aic_field key##_fields[] = {
#define AIC_PART_FIELD(key, kind, name, count) AIC_FIELD_ROW(aic_##key##_key, kind, name, count, REQUIRED, 0)
#define AIC_PART_KEY_END(key)                                                                                          \
    }                                                                                                                  \
    ;
#include "codegen/parts/keys.def"
#undef AIC_PART_KEY
#undef AIC_PART_FIELD
#undef AIC_PART_KEY_END

static const aic_field columns_fields[] = {
#define AIC_FIELD(...) AIC_SCALING_ROW(aic_columns_key, __VA_ARGS__)
#include "codegen/parts/scaling.def"
#undef AIC_FIELD
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_columns_key, __VA_ARGS__)
#include "codegen/parts/columns.def"
#undef AIC_FIELD
};

static const aic_field strip_fields[] = {
#define AIC_FIELD(...) AIC_SCALING_ROW(aic_strip_key, __VA_ARGS__)
#include "codegen/parts/scaling.def"
#undef AIC_FIELD
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_strip_key, __VA_ARGS__)
#include "codegen/parts/strip.def"
#undef AIC_FIELD
};

#define AIC_PART(name, key, speed)                                                                                     \
    static const aic_record name##_record = {#name, key##_fields, sizeof key##_fields / sizeof key##_fields[0]};       \
    const aic_part_kind aic_part_##name = {#name, &name##_record, sizeof(aic_##key##_key), AIC_PART_##speed, NULL};
#include "codegen/parts/parts.def"
#undef AIC_PART

const char *const aic_elementwise_pointer[AIC_ELEMENTWISE_POINTERS] = {
    "out",
    [1 + AIC_ELEMENTWISE_A] = "a",
    [1 + AIC_ELEMENTWISE_A_NEXT] = "a.next",
    [1 + AIC_ELEMENTWISE_B] = "b",
    [1 + AIC_ELEMENTWISE_B_NEXT] = "b.next",
    [1 + AIC_ELEMENTWISE_OLD] = "old",
    [1 + AIC_ELEMENTWISE_OLD_NEXT] = "old.next",
};

const aic_part_kind aic_part_own = {"own", NULL, sizeof(aic_own_key), AIC_PART_WELL, NULL};

static const aic_part_kind *const KINDS[] = {
#define AIC_PART(name, key, speed) &aic_part_##name,
#include "codegen/parts/parts.def"
#undef AIC_PART
};

const aic_part_kind *aic_part_kind_at(size_t index)
{
    return index < sizeof KINDS / sizeof KINDS[0] ? KINDS[index] : NULL;
}

bool aic_part_is_fast(const aic_part_kind *kind, const void *key)
{
    if (kind->speed != AIC_PART_BY_KEY) {
        return kind->speed == AIC_PART_FAST;
    }
    size_t f = 0;
    while (f < kind->record->count && strcmp(kind->record->fields[f].name, "fast") != 0) {
        f++;
    }
    return f < kind->record->count && aic_field_word(&kind->record->fields[f], key, 0) != 0;
}
