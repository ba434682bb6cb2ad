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

/* A kind whose keys have the fields of this name, which several kinds may share. */
#define KIND_OF(fields, name, how)                                                                                     \
    static const aic_record name##_record = {#name, fields##_fields,                                                   \
                                             sizeof fields##_fields / sizeof fields##_fields[0]};                      \
    const aic_part_kind aic_part_##name = {#name, &name##_record, sizeof(aic_##fields##_key), how, NULL}
#define KIND(name, how) KIND_OF(name, name, how)

static const aic_field tile_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_tile_key, __VA_ARGS__)
#include "codegen/parts/tile.def"
#undef AIC_FIELD
};
KIND(tile, AIC_PART_WELL);

static const aic_field weights_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_weights_key, __VA_ARGS__)
#include "codegen/parts/weights.def"
#undef AIC_FIELD
};
KIND(weights, AIC_PART_BY_KEY);
KIND_OF(weights, weights_rows, AIC_PART_BY_KEY);

static const aic_field starts_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_starts_key, __VA_ARGS__)
#include "codegen/parts/starts.def"
#undef AIC_FIELD
};
KIND(starts, AIC_PART_BY_KEY);

static const aic_field panels_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_panels_key, __VA_ARGS__)
#include "codegen/parts/panels.def"
#undef AIC_FIELD
};
KIND(panels, AIC_PART_FAST);

static const aic_field row_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_row_key, __VA_ARGS__)
#include "codegen/parts/row.def"
#undef AIC_FIELD
};
KIND(row, AIC_PART_BY_KEY);

static const aic_field rows_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_rows_key, __VA_ARGS__)
#include "codegen/parts/rows.def"
#undef AIC_FIELD
};
KIND(rows, AIC_PART_FAST);

static const aic_field bands_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_bands_key, __VA_ARGS__)
#include "codegen/parts/bands.def"
#undef AIC_FIELD
};
KIND(bands, AIC_PART_FAST);

static const aic_field finite_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_finite_key, __VA_ARGS__)
#include "codegen/parts/finite.def"
#undef AIC_FIELD
};
KIND(finite, AIC_PART_WELL);

static const aic_field lean_weights_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_lean_weights_key, __VA_ARGS__)
#include "codegen/parts/lean_weights.def"
#undef AIC_FIELD
};
KIND(lean_weights, AIC_PART_FAST);

static const aic_field lean_bands_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_lean_bands_key, __VA_ARGS__)
#include "codegen/parts/lean_bands.def"
#undef AIC_FIELD
};
KIND(lean_bands, AIC_PART_FAST);

static const aic_field entry_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_entry_key, __VA_ARGS__)
#include "codegen/parts/entry.def"
#undef AIC_FIELD
};
KIND(entry, AIC_PART_BY_KEY);

static const aic_field both_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_both_key, __VA_ARGS__)
#include "codegen/parts/both.def"
#undef AIC_FIELD
};
KIND(both, AIC_PART_FAST);

static const aic_field columns_fields[] = {
#define AIC_FIELD(...) AIC_SCALING_ROW(aic_columns_key, __VA_ARGS__)
#include "codegen/parts/scaling.def"
#undef AIC_FIELD
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_columns_key, __VA_ARGS__)
#include "codegen/parts/columns.def"
#undef AIC_FIELD
};
KIND(columns, AIC_PART_BY_KEY);

static const aic_field parameters_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_parameters_key, __VA_ARGS__)
#include "codegen/parts/parameters.def"
#undef AIC_FIELD
};
KIND(parameters, AIC_PART_FAST);

static const aic_field strip_fields[] = {
#define AIC_FIELD(...) AIC_SCALING_ROW(aic_strip_key, __VA_ARGS__)
#include "codegen/parts/scaling.def"
#undef AIC_FIELD
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_strip_key, __VA_ARGS__)
#include "codegen/parts/strip.def"
#undef AIC_FIELD
};
KIND(strip, AIC_PART_BY_KEY);

static const aic_field strips_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_strips_key, __VA_ARGS__)
#include "codegen/parts/strips.def"
#undef AIC_FIELD
};
KIND(strips, AIC_PART_BY_KEY);

static const aic_field load_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_load_key, __VA_ARGS__)
#include "codegen/parts/load.def"
#undef AIC_FIELD
};
KIND(load, AIC_PART_WELL);

static const aic_field leave_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_leave_key, __VA_ARGS__)
#include "codegen/parts/leave.def"
#undef AIC_FIELD
};
KIND(leave, AIC_PART_FAST);

static const aic_field winograd_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_winograd_key, __VA_ARGS__)
#include "codegen/parts/winograd.def"
#undef AIC_FIELD
};

KIND_OF(winograd, winograd_image, AIC_PART_FAST);
KIND_OF(winograd, winograd_input, AIC_PART_WELL);
KIND_OF(winograd, winograd_tile, AIC_PART_FAST);
KIND_OF(winograd, winograd_output, AIC_PART_WELL);
KIND_OF(winograd, winograd_weights, AIC_PART_WELL);

static const aic_field depth_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_depth_key, __VA_ARGS__)
#include "codegen/parts/depth.def"
#undef AIC_FIELD
};

KIND_OF(depth, depth_tile, AIC_PART_WELL);
KIND_OF(depth, depth_image, AIC_PART_WELL);
KIND_OF(depth, depth_weights, AIC_PART_FAST);

static const aic_field amx_tile_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_amx_tile_key, __VA_ARGS__)
#include "codegen/parts/amx_tile.def"
#undef AIC_FIELD
};
KIND(amx_tile, AIC_PART_WELL);
KIND_OF(amx_tile, amx_special, AIC_PART_WELL);

static const aic_field amx_state_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_amx_state_key, __VA_ARGS__)
#include "codegen/parts/amx_state.def"
#undef AIC_FIELD
};
KIND(amx_state, AIC_PART_FAST);

static const aic_field boxes_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_boxes_key, __VA_ARGS__)
#include "codegen/parts/boxes.def"
#undef AIC_FIELD
};
KIND(boxes, AIC_PART_BY_KEY);

static const aic_field move_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_move_key, __VA_ARGS__)
#include "codegen/parts/move.def"
#undef AIC_FIELD
};
KIND(move, AIC_PART_WELL);

static const aic_field elementwise_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_elementwise_key, __VA_ARGS__)
#include "codegen/parts/elementwise.def"
#undef AIC_FIELD
};
KIND(elementwise, AIC_PART_WELL);

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
#define AIC_PART(name) &aic_part_##name,
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
