/* The canonical form of PTO-AS: a line a statement, one spelling (PTO ISA TEXPANDS). */
#include "frontend/core/diag.h"
#include "frontend/ops/texpands.h"
#include "frontend/pto/program.h"
#include "frontend/text/scalar.h"
#include "frontend/text/sink.h"

#include <inttypes.h>
#include <stdio.h>

static void put_key(aic_sink *out, const char *before, const char *value)
{
    aic_sink_put(out, before);
    aic_sink_put(out, value);
}

static void put_size(aic_sink *out, const char *before, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    put_key(out, before, value == AIC_DYNAMIC ? "?" : text);
}

/* What a ConvTile has in place of rows and the rest. */
static void put_conv(aic_sink *out, const aic_texpands_desc *desc)
{
    enum { DIMS_MAX = sizeof desc->shape / sizeof desc->shape[0] };
    put_key(out, ", layout=", aic_enum_word(AIC_KIND_LAYOUT, desc->layout));
    for (size_t i = 0; i < DIMS_MAX && desc->shape[i] != 0; i++) {
        put_size(out, i == 0 ? ", shape=[" : ",", desc->shape[i]);
    }
    aic_sink_put(out, "]");
    if (desc->buffer_size != aic_texpands_filled(desc)) {
        put_size(out, ", buffer_size=", desc->buffer_size);
    }
    aic_sink_put(out, ">");
}

static void put_tile(aic_sink *out, const aic_texpands_desc *desc, const char *type)
{
    put_key(out, "!pto.tile_buf<loc=", aic_enum_word(AIC_KIND_LOC, desc->loc));
    put_key(out, ", dtype=", type);
    if (aic_texpands_is_conv(desc)) {
        put_conv(out, desc);
        return;
    }
    put_size(out, ", rows=", desc->rows);
    put_size(out, ", cols=", desc->cols);
    put_size(out, ", v_row=", desc->v_row);
    put_size(out, ", v_col=", desc->v_col);
    put_key(out, ", blayout=", aic_enum_word(AIC_KIND_BLAYOUT, desc->blayout));
    put_key(out, ", slayout=", aic_enum_word(AIC_KIND_SLAYOUT, desc->slayout));
    put_size(out, ", fractal=", desc->fractal);
    put_key(out, ", pad=", aic_enum_word(AIC_KIND_PAD, desc->pad));
    aic_sink_put(out, ">");
}

static void put_literal(aic_sink *out, aic_dtype dtype, uint64_t bits)
{
    char text[AIC_SCALAR_TEXT_MAX];
    aic_scalar_print(dtype, bits, text);
    aic_sink_put(out, text);
}

/* scalar NULL: the literal `bits`. */
static void put_texpands(aic_sink *out, const char *scalar, uint64_t bits, const char *dst,
                         const aic_texpands_desc *desc, const char *type)
{
    aic_sink_put(out, "pto.texpands ins(");
    if (scalar != NULL) {
        put_key(out, "%", scalar);
    } else {
        put_literal(out, desc->dtype, bits);
    }
    put_key(out, " : ", type);
    put_key(out, ") outs(%", dst);
    aic_sink_put(out, " : ");
    put_tile(out, desc, type);
    aic_sink_put(out, ")");
}

static void put_code(aic_sink *out, const aic_pto_program *p, const aic_pto_code *code)
{
    const char *scalar = code->scalar == AIC_PTO_NONE ? NULL : p->names[code->scalar].text;
    const aic_pto_name *tile = &p->names[code->tile];
    put_texpands(out, scalar, code->bits, tile->text, &tile->tile.desc, aic_pto_type_name(tile->tile.type));
}

/* Types have the names that they have in the text, so that they match where they must. */
static void put_item(aic_sink *out, const aic_pto_program *p, const aic_pto_item *item)
{
    const aic_pto_name *name = &p->names[item->name];
    switch (item->kind) {
    case AIC_PTO_EMPTY:
        return;
    case AIC_PTO_ARG_SCALAR:
        put_key(out, ".arg %", name->text);
        put_key(out, " : ", aic_pto_type_name(name->type));
        break;
    case AIC_PTO_ARG_TILE:
        put_key(out, ".arg %", name->text);
        aic_sink_put(out, " : ");
        put_tile(out, &name->tile.desc, aic_pto_type_name(name->tile.type));
        break;
    case AIC_PTO_CONST:
        put_key(out, ".const %", name->text);
        aic_sink_put(out, " = ");
        put_literal(out, aic_pto_type_dtype(name->type), name->bits);
        put_key(out, " : ", aic_pto_type_name(name->type));
        break;
    case AIC_PTO_TASSIGN:
        put_key(out, "pto.tassign %", name->text);
        put_size(out, ", @tile(", name->address);
        aic_sink_put(out, ")");
        break;
    case AIC_PTO_TEXPANDS:
        put_code(out, p, &p->code[item->statement]);
        break;
    }
    aic_sink_put(out, "\n");
}

static void put_program(aic_sink *out, const void *from)
{
    const aic_pto_program *p = from;
    for (size_t i = 0; i < p->item_count; i++) {
        put_item(out, p, &p->items[i]);
    }
}

aic_status aic_pto_print(const aic_pto_program *program, char *buffer, size_t capacity, size_t *length)
{
    if (program == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, "texpands", "the program is NULL");
    }
    return aic_sink_write(put_program, program, buffer, capacity, length);
}

static void put_desc(aic_sink *out, const void *from)
{
    const aic_texpands_desc *desc = from;
    const bool literal = desc->literal != AIC_NOT_GIVEN;
    put_texpands(out, literal ? NULL : "scalar", (uint64_t)desc->literal, "dst", desc,
                 aic_pto_type_name(aic_pto_type_of(desc->dtype)));
}

aic_status aic_pto_print_spec(const aic_spec *spec, char *buffer, size_t capacity, size_t *length)
{
    aic_status status = aic_spec_validate(spec, NULL);
    if (status != AIC_OK) {
        return status;
    }
    if (spec->stage[0].op != AIC_OP_TEXPANDS) {
        return aic_fail(AIC_INVALID_ARGUMENT, aic_op_name(spec->stage[0].op), "only texpands has a form in PTO-AS");
    }
    aic_texpands_desc desc = spec->stage[0].desc.texpands;
    aic_texpands_fill_in(&desc);
    return aic_sink_write(put_desc, &desc, buffer, capacity, length);
}
