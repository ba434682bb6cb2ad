/* Reads programs of PTO-AS; see pto_program.h. Memory grows with the text, up to the limits of pto.h. */
#include "frontend/pto/program.h"
#include "frontend/core/key.h"

#include "frontend/core/diag.h"
#include "frontend/core/list.h"
#include "frontend/core/rule.h"
#include "frontend/ops/texpands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program in the making. */
typedef struct maker {
    aic_pto_reader in;
    aic_pto_program *program;
    /* The last character whose line is known; they are located in order. */
    const char *known, *line_start;
    size_t line;
} maker;

void aic_pto_destroy(aic_pto_program *program)
{
    if (program == NULL) {
        return;
    }
    for (size_t i = 0; i < program->name_count; i++) {
        free(program->names[i].text);
        free(program->names[i].sizes[0]);
        free(program->names[i].sizes[1]);
    }
    free(program->names);
    free(program->items);
    free(program->code);
    free(program->arguments);
    free(program->addresses);
    free(program->owners);
    free(program);
}

/* ---- names ---- */

static size_t find(const aic_pto_program *program, aic_pto_word word)
{
    for (size_t i = 0; i < program->name_count; i++) {
        if (aic_pto_word_is(word, program->names[i].text)) {
            return i;
        }
    }
    return AIC_PTO_NONE;
}

/* "NAME" or "NAME:v_row"; NULL when memory ran out. */
static char *copy_name(aic_pto_word word, const char *suffix)
{
    const size_t tail = strlen(suffix) + 1;
    char *copy = malloc(word.length + tail);
    if (copy != NULL) {
        memcpy(copy, word.start, word.length);
        memcpy(copy + word.length, suffix, tail);
    }
    return copy;
}

/* A name that is not there yet. */
static aic_status add_name(maker *m, aic_pto_name_kind kind, aic_pto_word word, size_t *index)
{
    aic_pto_program *p = m->program;
    if (p->name_count == AIC_PTO_NAMES_MAX) {
        m->in.about = aic_request_rule(AIC_REQUEST_program);
        return aic_pto_fail(&m->in, word.start, "more than %d names", AIC_PTO_NAMES_MAX);
    }
    char *text = aic_list_grow(&p->names, p->name_count, sizeof *p->names) ? copy_name(word, "") : NULL;
    if (text == NULL) {
        return aic_fail_memory("texpands", word.length);
    }
    *index = p->name_count++;
    p->names[*index] = (aic_pto_name){.kind = kind,
                                      .text = text,
                                      .where = word.start,
                                      .type = -1,
                                      .address = AIC_NOT_GIVEN,
                                      .argument = AIC_PTO_NONE,
                                      .size_argument = {AIC_PTO_NONE, AIC_PTO_NONE}};
    return AIC_OK;
}

static aic_status fail_name(maker *m, aic_pto_word name, const char *what)
{
    return aic_pto_fail(&m->in, name.start - 1, "%%%.*s %s", (int)name.length, name.start, what);
}

/* Line and column of a character behind all that were located before. */
static void locate(maker *m, const char *where, size_t *line, size_t *column)
{
    for (; m->known < where; m->known++) {
        if (*m->known == '\n') {
            m->line++;
            m->line_start = m->known + 1;
        }
    }
    *line = m->line;
    *column = (size_t)(where - m->line_start) + 1;
}

/* ---- definitions ---- */

/* A name that gets its meaning here: new, or a tile that was bound before. */
static aic_status define(maker *m, aic_pto_word word, aic_pto_name_kind kind, size_t *index)
{
    *index = find(m->program, word);
    if (*index == AIC_PTO_NONE) {
        return add_name(m, kind, word, index);
    }
    aic_pto_name *name = &m->program->names[*index];
    if (name->kind == AIC_PTO_NAME_BOUND && kind == AIC_PTO_NAME_TILE) {
        name->kind = kind;
        return AIC_OK;
    }
    return fail_name(m, word, name->kind == AIC_PTO_NAME_BOUND ? "is bound as a tile" : "is defined twice");
}

/* The sizes that calls give are arguments of their own. */
static aic_status add_sizes(maker *m, aic_pto_word word, aic_pto_name *name)
{
    static const char *const suffixes[] = {":v_row", ":v_col"};
    const aic_texpands_desc *desc = &name->tile.desc;
    const int64_t sizes[] = {desc->v_row, desc->v_col};
    for (size_t i = 0; i < 2 && aic_texpands_has_region(desc); i++) {
        if (sizes[i] == AIC_DYNAMIC) {
            name->sizes[i] = copy_name(word, suffixes[i]);
            if (name->sizes[i] == NULL) {
                return aic_fail_memory("texpands", word.length);
            }
            name->size_argument[i] = m->program->argument_count++;
        }
    }
    return AIC_OK;
}

static aic_status define_tile(maker *m, const aic_pto_line *line, bool made, size_t *index)
{
    aic_status status = define(m, line->name, AIC_PTO_NAME_TILE, index);
    if (status != AIC_OK) {
        return status;
    }
    aic_pto_name *name = &m->program->names[*index];
    name->tile = line->tile;
    name->tile.desc.literal = AIC_NOT_GIVEN;
    name->tile.desc.arch = m->program->options.arch;
    name->made = made;
    name->argument = m->program->argument_count++;
    return add_sizes(m, line->name, name);
}

static aic_status add_scalar(maker *m, const aic_pto_line *line, size_t *index)
{
    const bool constant = line->kind == AIC_PTO_CONST;
    aic_status status = define(m, line->name, constant ? AIC_PTO_NAME_CONSTANT : AIC_PTO_NAME_SCALAR, index);
    if (status == AIC_OK) {
        aic_pto_name *name = &m->program->names[*index];
        name->type = line->type;
        name->bits = line->bits;
        name->argument = constant ? AIC_PTO_NONE : m->program->argument_count++;
    }
    return status;
}

/* A pto.tassign makes the placement manual, unless the options say otherwise. */
static void note_tassign(maker *m, const aic_pto_line *line)
{
    size_t at, column;
    locate(m, line->where, &at, &column);
    m->program->manual = true;
    m->program->tassign_line = m->program->tassign_line == 0 ? at : m->program->tassign_line;
}

static aic_status bind(maker *m, const aic_pto_line *line, size_t *index)
{
    aic_status status = AIC_OK;
    *index = find(m->program, line->name);
    if (*index == AIC_PTO_NONE) {
        status = add_name(m, AIC_PTO_NAME_BOUND, line->name, index);
    }
    if (status != AIC_OK) {
        return status;
    }
    aic_pto_name *name = &m->program->names[*index];
    if (name->kind != AIC_PTO_NAME_TILE && name->kind != AIC_PTO_NAME_BOUND) {
        return fail_name(m, line->name, "is no tile");
    }
    if (name->address != AIC_NOT_GIVEN) {
        return fail_name(m, line->name, "is bound twice");
    }
    name->address = line->address;
    return AIC_OK;
}

/* ---- texpands ---- */

/* The scalar that the statement names. */
static aic_status use_scalar(maker *m, const aic_pto_line *line, size_t *index)
{
    aic_status status = AIC_OK;
    *index = find(m->program, line->value);
    if (*index == AIC_PTO_NONE && m->program->options.free_names) {
        status = add_name(m, AIC_PTO_NAME_FREE, line->value, index);
        if (status == AIC_OK) {
            m->program->names[*index].type = line->type;
        }
        return status;
    }
    if (*index == AIC_PTO_NONE) {
        return fail_name(m, line->value, "is not defined; .arg and .const define scalars");
    }
    const aic_pto_name *name = &m->program->names[*index];
    if (name->kind == AIC_PTO_NAME_TILE || name->kind == AIC_PTO_NAME_BOUND) {
        return fail_name(m, line->value, "is a tile, not a scalar");
    }
    if (name->type != line->type) {
        return aic_pto_fail(&m->in, line->type_where, "%%%s is %s, not %s", name->text, aic_pto_type_name(name->type),
                            aic_pto_type_name(line->type));
    }
    return AIC_OK;
}

/* Two types of one tile: the same but for the scalar. */
static bool same_tile(const aic_pto_tile *a, const aic_pto_tile *b)
{
    aic_texpands_desc other = b->desc;
    other.literal = a->desc.literal;
    other.arch = a->desc.arch;
    const aic_spec left = aic_spec_of(AIC_OP_TEXPANDS, &a->desc), right = aic_spec_of(AIC_OP_TEXPANDS, &other);
    return a->type == b->type && aic_spec_equal(&left, &right);
}

/* The tile that the statement fills. */
static aic_status use_tile(maker *m, const aic_pto_line *line, size_t *index)
{
    *index = find(m->program, line->name);
    if (*index == AIC_PTO_NONE || line->defines || m->program->names[*index].kind == AIC_PTO_NAME_BOUND) {
        return define_tile(m, line, true, index);
    }
    const aic_pto_name *name = &m->program->names[*index];
    if (name->kind != AIC_PTO_NAME_TILE) {
        return fail_name(m, line->name, "is no tile");
    }
    return same_tile(&name->tile, &line->tile) ? AIC_OK : fail_name(m, line->name, "has another type");
}

/* Operands of the statement as arguments of the program. */
static void set_arguments(const aic_pto_program *p, aic_pto_code *code)
{
    const aic_pto_name *tile = &p->names[code->tile];
    const aic_pto_name *scalar = code->scalar == AIC_PTO_NONE ? NULL : &p->names[code->scalar];
    aic_pto_statement *s = &code->public;
    const bool dynamic = aic_texpands_is_dynamic(&tile->tile.desc);
    s->operands = dynamic ? AIC_TEXPANDS_V_COL + 1 : AIC_TEXPANDS_V_ROW;
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        s->argument[i] = AIC_PTO_NONE;
    }
    s->argument[AIC_TEXPANDS_DST] = tile->argument;
    s->argument[AIC_TEXPANDS_SCALAR] = scalar != NULL ? scalar->argument : AIC_PTO_NONE;
    s->argument[AIC_TEXPANDS_V_ROW] = tile->size_argument[0];
    s->argument[AIC_TEXPANDS_V_COL] = tile->size_argument[1];
}

static aic_status add_statement(maker *m, const aic_pto_line *line, size_t *index)
{
    aic_pto_program *p = m->program;
    size_t scalar = AIC_PTO_NONE;
    aic_status status = line->value.length == 0 ? AIC_OK : use_scalar(m, line, &scalar);
    if (status == AIC_OK) {
        status = use_tile(m, line, index);
    }
    if (status == AIC_OK && p->code_count == AIC_PTO_STATEMENTS_MAX) {
        m->in.about = aic_request_rule(AIC_REQUEST_program);
        status = aic_pto_fail(&m->in, line->where, "more than %d statements", AIC_PTO_STATEMENTS_MAX);
    }
    if (status != AIC_OK) {
        return status;
    }
    if (!aic_list_grow(&p->code, p->code_count, sizeof *p->code)) {
        return aic_fail_memory("texpands", 2 * p->code_count * sizeof *p->code);
    }
    aic_pto_code *code = &p->code[p->code_count++];
    const aic_pto_name *name = &p->names[*index];
    aic_texpands_desc desc = name->tile.desc;
    *code = (aic_pto_code){.tile = *index, .scalar = scalar, .bits = line->bits};
    if (scalar == AIC_PTO_NONE) {
        desc.literal = (int64_t)line->bits;
    } else if (p->names[scalar].kind == AIC_PTO_NAME_CONSTANT) {
        desc.literal = (int64_t)p->names[scalar].bits;
    }
    code->spec = aic_spec_of(AIC_OP_TEXPANDS, &desc);
    code->public.address = name->address;
    locate(m, line->where, &code->public.line, &code->public.column);
    set_arguments(p, code);
    return AIC_OK;
}

/* ---- lines ---- */

static aic_status add_line(maker *m, const aic_pto_line *line)
{
    aic_pto_program *p = m->program;
    aic_pto_item item = {.kind = line->kind, .statement = p->code_count};
    if (!aic_list_grow(&p->items, p->item_count, sizeof item)) {
        return aic_fail_memory("texpands", 2 * p->item_count * sizeof item);
    }
    aic_status status = AIC_OK;
    switch (line->kind) {
    case AIC_PTO_EMPTY:
        return AIC_OK;
    case AIC_PTO_ARG_TILE:
        status = define_tile(m, line, false, &item.name);
        break;
    case AIC_PTO_ARG_SCALAR:
    case AIC_PTO_CONST:
        status = add_scalar(m, line, &item.name);
        break;
    case AIC_PTO_TASSIGN:
        note_tassign(m, line);
        status = bind(m, line, &item.name);
        break;
    case AIC_PTO_TEXPANDS:
        status = add_statement(m, line, &item.name);
        break;
    }
    if (status == AIC_OK) {
        p->items[p->item_count++] = item;
    }
    return status;
}

/* ---- what is known at the end ---- */

int64_t aic_pto_tile_bytes(const aic_pto_name *tile)
{
    return aic_texpands_storage(&tile->tile.desc) * (int64_t)aic_dtype_size(tile->tile.desc.dtype);
}

/* Whether two tiles that statements fill, which with manual placement are bound, have a byte in common. */
static bool tiles_overlap(const aic_pto_program *program, size_t a, size_t b)
{
    const aic_pto_name *x = &program->names[a], *y = &program->names[b];
    if (a == b || !program->manual || x->tile.desc.loc != y->tile.desc.loc) {
        return a == b;
    }
    return x->address < y->address + aic_pto_tile_bytes(y) && y->address < x->address + aic_pto_tile_bytes(x);
}

static void place_statements(aic_pto_program *p)
{
    for (size_t i = 0; i < p->code_count; i++) {
        aic_pto_statement *s = &p->code[i].public;
        aic_texpands_desc *desc = &p->code[i].spec.stage[0].desc.texpands;
        desc->manual = p->manual;
        s->address = p->manual ? s->address : AIC_NOT_GIVEN;
        desc->address = s->address;
        p->code[i].desc = *desc;
        aic_texpands_unplace(&p->code[i].desc);
    }
}

static aic_status fail_unbound(const aic_pto_program *program, const aic_pto_code *code)
{
    const char *name = program->names[code->tile].text;
    aic_verdict v = aic_request_verdict("texpands");
    if (program->options.placement == AIC_PTO_PLACEMENT_MANUAL) {
        aic_break(&v, AIC_REQUEST_placement,
                  "address: %%%s is not bound here; with manual placement a pto.tassign binds a tile first", name);
    } else {
        aic_break(&v, AIC_REQUEST_placement,
                  "address: %%%s is not bound here; placement is manual because of the pto.tassign in line %zu", name,
                  program->tassign_line);
    }
    return v.status;
}

/* Every rule; the one that a tile must be bound last, so that it can name the tile. */
static aic_status check_statement(const aic_pto_program *program, const aic_pto_code *code,
                                  const aic_semantics *semantics)
{
    const bool unbound = program->manual && code->public.address == AIC_NOT_GIVEN;
    aic_spec spec = code->spec;
    spec.stage[0].desc.texpands.manual = program->manual && !unbound;
    aic_status status = aic_spec_validate(&spec, semantics);
    return status == AIC_OK && unbound ? fail_unbound(program, code) : status;
}

aic_status aic_pto_check_statements(const aic_pto_program *program, const aic_semantics *semantics)
{
    for (size_t i = 0; i < program->code_count; i++) {
        const aic_pto_statement *s = &program->code[i].public;
        if (check_statement(program, &program->code[i], semantics) != AIC_OK) {
            return aic_fail_where(AIC_INVALID_ARGUMENT, " (line %zu, column %zu)", s->line, s->column);
        }
    }
    return AIC_OK;
}

aic_status aic_pto_check_tile(const aic_pto_program *program, const aic_pto_name *name, const aic_semantics *semantics)
{
    aic_texpands_desc desc = name->tile.desc;
    desc.manual = program->manual && name->address != AIC_NOT_GIVEN;
    desc.address = desc.manual ? name->address : AIC_NOT_GIVEN;
    const aic_spec spec = aic_spec_of(AIC_OP_TEXPANDS, &desc);
    return aic_spec_validate(&spec, semantics);
}

/* Tiles and bindings that no statement uses. */
static aic_status check_names(maker *m)
{
    const aic_pto_program *p = m->program;
    for (size_t i = 0; i < p->name_count; i++) {
        const aic_pto_name *name = &p->names[i];
        if (name->kind == AIC_PTO_NAME_BOUND) {
            return aic_pto_fail(&m->in, name->where - 1, "%%%s is bound but not defined", name->text);
        }
        if (name->kind == AIC_PTO_NAME_TILE && aic_pto_check_tile(p, name, &p->options.semantics) != AIC_OK) {
            size_t line, column;
            aic_pto_locate(&m->in, name->where - 1, &line, &column);
            return aic_fail_where(AIC_INVALID_ARGUMENT, " (line %zu, column %zu)", line, column);
        }
    }
    return AIC_OK;
}

/* Statements depend on each other where they write to the same memory: none reads what another writes. */
static void find_dependencies(aic_pto_program *p)
{
    size_t first = 0, group = 0; /* of the group */
    for (size_t i = 0; i < p->code_count; i++) {
        aic_pto_statement *s = &p->code[i].public;
        s->after = AIC_PTO_NONE;
        for (size_t j = i; j-- > 0 && s->after == AIC_PTO_NONE;) {
            if (tiles_overlap(p, p->code[i].tile, p->code[j].tile)) {
                s->after = j;
            }
        }
        if (i > 0 && ((s->after != AIC_PTO_NONE && s->after >= first) || i - first == AIC_GROUP_MAX)) {
            first = i;
            group++;
        }
        s->group = group;
    }
}

size_t aic_pto_group_end(const aic_pto_program *program, size_t first)
{
    size_t end = first;
    while (end < program->code_count && program->code[end].public.group == program->code[first].public.group) {
        end++;
    }
    return end;
}

/* Tiles over each other, whether or not statements fill them: of one, the caller sees what is stored to the other. */
static void find_sharing(aic_pto_program *p)
{
    for (size_t i = 0; i < p->name_count && !p->shares_memory; i++) {
        for (size_t j = 0; j < i && !p->shares_memory; j++) {
            p->shares_memory = p->names[i].kind == AIC_PTO_NAME_TILE && p->names[j].kind == AIC_PTO_NAME_TILE &&
                               tiles_overlap(p, i, j);
        }
    }
}

static aic_status finish(maker *m)
{
    aic_pto_program *p = m->program;
    switch (p->options.placement) {
    case AIC_PTO_PLACEMENT_AUTO:
        p->manual = false;
        break;
    case AIC_PTO_PLACEMENT_MANUAL:
        p->manual = true;
        break;
    case AIC_PTO_PLACEMENT_TEXT:
        break;
    }
    place_statements(p);
    aic_status status = aic_pto_check_statements(p, &p->options.semantics);
    if (status == AIC_OK) {
        status = check_names(m);
    }
    if (status == AIC_OK) {
        find_dependencies(p);
        find_sharing(p);
        status = aic_pto_list_arguments(p);
    }
    return status;
}

static aic_status check_options(const aic_pto_options *options)
{
    aic_verdict v = aic_request_verdict("texpands");
    aic_rule_enum(&v, AIC_REQUEST_arch, "arch", AIC_KIND_ARCH, options->arch);
    if ((unsigned)options->placement > AIC_PTO_PLACEMENT_MANUAL) {
        aic_break(&v, AIC_REQUEST_placement, "placement: value %u is not text, auto or manual",
                  (unsigned)options->placement);
    }
    return v.status;
}

aic_status aic_pto_parse(const char *text, size_t length, const aic_pto_options *options, aic_pto_program **program)
{
    if (text == NULL || program == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, "texpands", "the %s is NULL", text == NULL ? "text" : "program");
    }
    if (length > AIC_PTO_BYTES_MAX) {
        (void)aic_fail(AIC_INVALID_ARGUMENT, "texpands", "the text has %zu bytes, more than %d", length,
                       AIC_PTO_BYTES_MAX);
        return aic_fail_source(AIC_INVALID_ARGUMENT, aic_request_rule(AIC_REQUEST_program));
    }
    aic_pto_options chosen = aic_pto_options_init();
    aic_status status = options != NULL ? aic_structure_take("options", options, &chosen, sizeof chosen) : AIC_OK;
    status = status == AIC_OK ? aic_semantics_settle(chosen.semantics_room) : status;
    status = status == AIC_OK ? check_options(&chosen) : status;
    if (status != AIC_OK) {
        return status;
    }
    aic_pto_program *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return aic_fail_memory("texpands", sizeof *made);
    }
    made->options = chosen;
    maker m = {{.text = text, .end = text + length, .at = text}, made, text, text, 1};
    while (status == AIC_OK && m.in.at < m.in.end) {
        aic_pto_line line;
        m.in.about = NULL;
        status = aic_pto_read_line(&m.in, &line);
        m.in.about = aic_request_rule(AIC_REQUEST_names);
        if (status == AIC_OK) {
            status = add_line(&m, &line);
        }
    }
    if (status == AIC_OK) {
        status = finish(&m);
    }
    if (status != AIC_OK) {
        aic_pto_destroy(made);
        return status;
    }
    *program = made;
    return AIC_OK;
}
