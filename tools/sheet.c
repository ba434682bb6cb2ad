/* Sheets of operators, from their lists. */
#include "tools/sheet.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NEED_REQUIRED true
#define NEED_OPTIONAL false
#define NEED_ADDED false

/* One an operator; the table below misses one that is forgotten here. */
#define SHEET conv2d
#include "tools/sheet.inc"
#define SHEET mmad
#include "tools/sheet.inc"
#define SHEET fixpipe
#include "tools/sheet.inc"
#define SHEET tik_fixpipe
#include "tools/sheet.inc"
#define SHEET nd2nz
#include "tools/sheet.inc"
#define SHEET load_data
#include "tools/sheet.inc"
#define SHEET load_data_transpose
#include "tools/sheet.inc"
#define SHEET transdata
#include "tools/sheet.inc"
#define SHEET tensor_arithmetic
#include "tools/sheet.inc"
#define SHEET tensor_arithmetic_quantized
#include "tools/sheet.inc"
#define SHEET texpands
#include "tools/sheet.inc"

const op_sheet *sheet_of(aic_op op)
{
    static const op_sheet *const table[AIC_OP_END] = {
#define AIC_OP(ENUM, name, count, params, args) [AIC_OP_##ENUM] = &sheet_##name,
#include <aic/ops.def>
#undef AIC_OP
    };
    return (unsigned)op < AIC_OP_END ? table[op] : NULL;
}

/* ---- text ---- */

void sheet_type(const op_sheet *sheet, size_t index, char *text, size_t capacity)
{
    /* Of the other kinds the sheet lists the values. */
    static const char *const names[] = {
        [KIND_INT] = "integer",
        [KIND_REAL] = "number",
        [KIND_FLOAT32] = "float32",
        [KIND_BOOL] = "true|false",
        [KIND_BITS] = "64 bits or quant(SCALE, OFFSET, int8|uint8)",
        [KIND_DIMS] = "integer",
        [KIND_SIZE] = "integer|none|dyn",
        [KIND_TAG] = "name",
    };
    const sheet_key *key = &sheet->keys[index];
    const char *name = (size_t)key->kind < sizeof names / sizeof names[0] ? names[key->kind] : NULL;
    name = sheet->values[index] != NULL ? sheet->values[index] : name != NULL ? name : "word";
    if (key->kind == KIND_DIMS) {
        (void)snprintf(text, capacity, "[at most %u %ss]", key->count, name);
    } else if (key->count > 1) {
        (void)snprintf(text, capacity, "[%u %ss]", key->count, name);
    } else {
        (void)snprintf(text, capacity, "%s", name);
    }
}

/* One entry of a fallback. */
static void entry_text(const sheet_key *key, char *text, size_t capacity)
{
    const double value = key->fallback;
    switch (key->kind) {
    case KIND_BOOL:
        (void)snprintf(text, capacity, "%s", value != 0 ? "true" : "false");
        return;
    case KIND_DTYPE:
        (void)snprintf(text, capacity, "%s", aic_dtype_name((aic_dtype)value));
        return;
    case KIND_SIZE:
        if (value == (double)AIC_NOT_GIVEN) {
            (void)snprintf(text, capacity, "none");
            return;
        }
        break;
    case KIND_INT:
    case KIND_REAL:
    case KIND_FLOAT32:
    case KIND_BITS:
    case KIND_DIMS:
    case KIND_TAG:
        break;
    default:
        (void)snprintf(text, capacity, "%s", kind_word(key->kind, (int64_t)value));
        return;
    }
    (void)snprintf(text, capacity, "%g", value);
}

void sheet_default(const sheet_key *key, char *text, size_t capacity)
{
    char entry[64];
    text[0] = '\0';
    if (key->required) {
        return;
    }
    entry_text(key, entry, sizeof entry);
    if (key->count == 1) {
        (void)snprintf(text, capacity, "%s", entry);
        return;
    }
    size_t used = (size_t)snprintf(text, capacity, "[");
    const unsigned shown = key->kind == KIND_DIMS ? 0 : key->count;
    for (unsigned i = 0; i < shown && used < capacity; i++) {
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", i == 0 ? "" : ",", entry);
    }
    if (used < capacity) {
        (void)snprintf(text + used, capacity - used, "]");
    }
}

/* The limit of an entry, NULL where there is none. */
static const sheet_limit *find_limit(const op_sheet *sheet, const char *key, int entry)
{
    for (const sheet_limit *l = sheet->limits; l->key != NULL; l++) {
        if (strcmp(l->key, key) == 0 && (l->entry == AIC_EVERY || l->entry == entry)) {
            return l;
        }
    }
    return NULL;
}

static size_t put_limit(const sheet_limit *limit, char *text, size_t capacity)
{
    if (limit == NULL) {
        return (size_t)snprintf(text, capacity, "any");
    }
    return limit->low == limit->high
               ? (size_t)snprintf(text, capacity, "%" PRId64, limit->low)
               : (size_t)snprintf(text, capacity, "%" PRId64 "..%" PRId64, limit->low, limit->high);
}

void sheet_limits(const op_sheet *sheet, size_t index, char *text, size_t capacity)
{
    const sheet_key *key = &sheet->keys[index];
    const sheet_limit *first = find_limit(sheet, key->name, 0);
    bool alike = true, any = false;
    for (int i = 0; i < (int)key->count; i++) {
        const sheet_limit *limit = find_limit(sheet, key->name, i);
        alike = alike && limit == first;
        any = any || limit != NULL;
    }
    text[0] = '\0';
    if (!any) {
        return;
    }
    if (alike) {
        (void)put_limit(first, text, capacity);
        return;
    }
    size_t used = (size_t)snprintf(text, capacity, "[");
    for (int i = 0; i < (int)key->count && used < capacity; i++) {
        used += (size_t)snprintf(text + used, capacity - used, "%s", i == 0 ? "" : ", ");
        used += used < capacity ? put_limit(find_limit(sheet, key->name, i), text + used, capacity - used) : 0;
    }
    if (used < capacity) {
        (void)snprintf(text + used, capacity - used, "]");
    }
}

const char *sheet_source(const char *op, const char *kind, const char *id)
{
    const aic_rule *rule;
    for (size_t i = 0; (rule = aic_rule_at(i)) != NULL; i++) {
        if (strcmp(rule->op, op) == 0 && strcmp(rule->kind, kind) == 0 && strcmp(rule->id, id) == 0) {
            return rule->source;
        }
    }
    return NULL;
}
