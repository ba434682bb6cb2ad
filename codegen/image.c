/* From pieces to an image; see image.h. */
#include "codegen/image.h"
#include "codegen/relocation.h"
#include "frontend/core/diag.h"

#include <stdlib.h>
#include <string.h>

#define SUBJECT "image"

/* A piece on its way into the image. */
typedef struct placed_piece {
    const aic_image_item *item;
    aic_piece_view view;
    size_t offset; /* in the image */
    size_t part;   /* of a part: where in the image its function is; AIC_NO_FUNCTION: it has none */
} placed_piece;

/* What a symbol of the current piece was found to be. */
typedef struct symbol_value {
    bool known, number;
    uint64_t value;
} symbol_value;

typedef struct linking {
    const char *symbol; /* of the kernel */
    aic_image *image;
    placed_piece *piece;
    size_t count;
    symbol_value *found; /* of the symbols of the current piece: room for all that a piece has */
} linking;

/* ---- symbols ---- */

/* Which of the kernel's functions has this name; AIC_FUNCTIONS: none. */
static int function_named(const linking *l, const char *name)
{
    const size_t length = strlen(l->symbol);
    int f = strncmp(name, l->symbol, length) == 0 ? 0 : AIC_FUNCTIONS;
    while (f < AIC_FUNCTIONS && strcmp(name + length, aic_function_suffix[f]) != 0) {
        f++;
    }
    return f;
}

/* The kernel's functions that a piece defines. */
static void find_functions(const linking *l, const placed_piece *p)
{
    const aic_image_item *item = p->item;
    if (item->is_part) {
        if (item->function < AIC_FUNCTIONS) {
            l->image->function[item->function] = p->part;
        }
        return;
    }
    for (uint32_t i = 0; i < p->view.head.symbols; i++) {
        const aic_piece_symbol symbol = aic_piece_symbol_at(&p->view, i);
        const int f = function_named(l, aic_piece_name(&p->view, &symbol));
        if ((symbol.flags & AIC_PIECE_FUNCTION) != 0 && f < AIC_FUNCTIONS) {
            l->image->function[f] = p->offset + symbol.offset;
        }
    }
}

/* Where a name that a piece defines lies in the image. */
static bool find_defined(const placed_piece *p, const char *name, uint64_t *offset)
{
    for (uint32_t i = 0; i < p->view.head.symbols; i++) {
        const aic_piece_symbol symbol = aic_piece_symbol_at(&p->view, i);
        if ((symbol.flags & AIC_PIECE_DEFINED) != 0 && strcmp(aic_piece_name(&p->view, &symbol), name) == 0) {
            *offset = p->offset + symbol.offset;
            return true;
        }
    }
    return false;
}

/* What takes a role of a piece; NULL: it has no such role. */
static const aic_binding *bound(const aic_image_item *item, const char *name)
{
    for (size_t i = 0; i < item->bindings; i++) {
        if (strcmp(item->binding[i].role, name) == 0) {
            return &item->binding[i];
        }
    }
    return NULL;
}

/* The same of a name that a piece uses and another one defines. */
static bool find_elsewhere(const linking *l, const placed_piece *from, const char *name, uint64_t *offset)
{
    const aic_binding *binding = bound(from->item, name);
    if (binding != NULL && binding->item != AIC_NO_ITEM) {
        const bool found = binding->item < l->count && l->piece[binding->item].part != AIC_NO_FUNCTION;
        *offset = found ? l->piece[binding->item].part : 0;
        return found;
    }
    const char *wanted = binding != NULL ? binding->symbol : name;
    for (size_t i = 0; i < l->count; i++) {
        const placed_piece *other = &l->piece[i];
        const char *own = other->item->symbol;
        if (own != NULL && strcmp(own, wanted) == 0) {
            *offset = other->part;
            return other->part != AIC_NO_FUNCTION;
        }
        if (!other->item->is_part && other != from && find_defined(other, wanted, offset)) {
            return true;
        }
    }
    return false;
}

/* ---- placing ---- */

/* Opens a piece and finds its place behind the others. */
static aic_status place(linking *l, const aic_image_item *item)
{
    aic_image *image = l->image;
    placed_piece *p = &l->piece[l->count];
    if (!aic_piece_open(item->piece, &p->view)) {
        return aic_fail(AIC_COMPILE, SUBJECT, "%s: piece %s is damaged", l->symbol, item->name);
    }
    const aic_piece_head *head = &p->view.head;
    if (head->machine != l->piece[0].view.head.machine) {
        return aic_fail(AIC_COMPILE, SUBJECT, "%s: piece %s is of another machine", l->symbol, item->name);
    }
    uint64_t part;
    p->item = item;
    p->offset = (image->size + head->alignment - 1) / head->alignment * head->alignment;
    p->part = item->is_part && find_defined(p, AIC_PART_SYMBOL, &part) ? (size_t)part : AIC_NO_FUNCTION;
    image->size = p->offset + head->code_bytes;
    image->alignment = head->alignment > image->alignment ? head->alignment : image->alignment;
    if (head->frames_bytes > 0) {
        image->frames = p->offset + head->frames;
        image->frames_size = head->frames_bytes;
    }
    l->count++;
    return AIC_OK;
}

/* ---- filling in ---- */

/* Most names differ in their first letter, and a comparison takes longer than a look at it. */
static const aic_number_value *number_named(const aic_image_item *item, const char *name)
{
    for (size_t i = 0; i < item->numbers; i++) {
        if (item->number[i].name[0] == name[0] && strcmp(item->number[i].name, name) == 0) {
            return &item->number[i];
        }
    }
    return NULL;
}

/* What a patch refers to: an offset in the image, or a number. */
static aic_status find_target(const linking *l, const placed_piece *p, const aic_relocation *row,
                              const aic_piece_symbol *symbol, uint64_t *target)
{
    const char *name = aic_piece_name(&p->view, symbol);
    if (!aic_relocation_takes_number(row) && (symbol->flags & AIC_PIECE_DEFINED) != 0) {
        *target = p->offset + symbol->offset;
        return AIC_OK;
    }
    if (!aic_relocation_takes_number(row)) {
        return find_elsewhere(l, p, name, target)
                   ? AIC_OK
                   : aic_fail(AIC_COMPILE, SUBJECT, "%s refers to %s, which is not part of it", p->item->name, name);
    }
    const aic_number_value *number = number_named(p->item, name);
    if (number == NULL) {
        return aic_fail(AIC_COMPILE, SUBJECT, "%s: the number %s is not given", p->item->name, name);
    }
    *target = (uint64_t)number->value;
    return AIC_OK;
}

/* The same, looked for once for each symbol. */
static aic_status find_target_once(const linking *l, const placed_piece *p, const aic_relocation *row, uint32_t index,
                                   const aic_piece_symbol *symbol, uint64_t *value)
{
    symbol_value *t = &l->found[index];
    if (!t->known || t->number != aic_relocation_takes_number(row)) {
        aic_status status = find_target(l, p, row, symbol, &t->value);
        if (status != AIC_OK) {
            return status;
        }
        t->known = true;
        t->number = aic_relocation_takes_number(row);
    }
    *value = t->value;
    return AIC_OK;
}

static aic_status apply_patch(const linking *l, const placed_piece *p, const aic_piece_patch *patch)
{
    const aic_piece_head *head = &p->view.head;
    const aic_relocation *row = aic_relocation_find(head->machine, patch->type);
    if (row == NULL || row->kind == AIC_RELOCATION_REFUSED || patch->symbol >= head->symbols ||
        head->code_bytes < aic_relocation_width(row) || patch->at > head->code_bytes - aic_relocation_width(row)) {
        return aic_fail(AIC_COMPILE, SUBJECT, "%s: a patch is not inside", p->item->name);
    }
    const aic_piece_symbol symbol = aic_piece_symbol_at(&p->view, patch->symbol);
    uint64_t value = 0;
    aic_status status = find_target_once(l, p, row, patch->symbol, &symbol, &value);
    if (status != AIC_OK) {
        return status;
    }
    if (!aic_relocation_apply(row, l->image->bytes, p->offset + patch->at, value + (uint64_t)patch->addend)) {
        return aic_relocation_takes_number(row)
                   ? aic_fail(AIC_COMPILE, SUBJECT, "%s: the number %s = %lld is out of range for relocation %s",
                              p->item->name, aic_piece_name(&p->view, &symbol), (long long)value, row->name)
                   : aic_fail(AIC_COMPILE, SUBJECT, "%s: relocation %s is out of range", p->item->name, row->name);
    }
    if (aic_relocation_needs_page(row)) {
        l->image->alignment = AIC_RELOCATION_PAGE;
    }
    return AIC_OK;
}

static aic_status fill_in(const linking *l, const placed_piece *p)
{
    aic_status status = AIC_OK;
    memcpy(l->image->bytes + p->offset, p->view.code, p->view.head.code_bytes);
    memset(l->found, 0, p->view.head.symbols * sizeof l->found[0]);
    for (uint32_t i = 0; i < p->view.head.patches && status == AIC_OK; i++) {
        const aic_piece_patch patch = aic_piece_patch_at(&p->view, i);
        status = apply_patch(l, p, &patch);
    }
    find_functions(l, p);
    return status;
}

static aic_status link_all(linking *l, const aic_image_item *item, size_t count)
{
    aic_image *image = l->image;
    aic_status status = AIC_OK;
    size_t symbols = 1;
    for (size_t i = 0; i < count && status == AIC_OK; i++) {
        status = place(l, &item[i]);
        const size_t own = status == AIC_OK ? l->piece[i].view.head.symbols : 0;
        symbols = own > symbols ? own : symbols;
    }
    if (status == AIC_OK) {
        image->bytes = calloc(1, image->size + 1);
        l->found = malloc(symbols * sizeof l->found[0]);
        status = image->bytes != NULL && l->found != NULL ? AIC_OK : aic_fail_memory(SUBJECT, image->size);
    }
    for (size_t i = 0; i < count && status == AIC_OK; i++) {
        status = fill_in(l, &l->piece[i]);
    }
    if (status == AIC_OK && image->function[AIC_FUNCTION_ENTRY] == AIC_NO_FUNCTION) {
        status = aic_fail(AIC_COMPILE, SUBJECT, "the object defines no function %s", l->symbol);
    }
    return status;
}

aic_status aic_image_link(const aic_image_item *item, size_t count, const char *symbol, aic_image *image)
{
    aic_image made = {.alignment = AIC_PIECE_SPACING};
    if (count == 0 || count > AIC_IMAGE_ITEMS_MAX) {
        return aic_fail(AIC_INTERNAL, SUBJECT, "%s has %zu pieces, not 1 to %d", symbol, count, AIC_IMAGE_ITEMS_MAX);
    }
    linking l = {.symbol = symbol, .image = &made, .piece = calloc(count, sizeof *l.piece)};
    for (int f = 0; f < AIC_FUNCTIONS; f++) {
        made.function[f] = AIC_NO_FUNCTION;
    }
    const aic_status status =
        l.piece != NULL ? link_all(&l, item, count) : aic_fail_memory(SUBJECT, count * sizeof *l.piece);
    free(l.piece);
    free(l.found);
    if (status == AIC_OK) {
        *image = made;
    } else {
        aic_image_free(&made);
    }
    return status;
}

aic_status aic_image_create(const aic_elf *object, size_t count, const char *symbol, aic_image *image)
{
    aic_piece piece[AIC_IMAGE_OBJECTS_MAX] = {{NULL, 0}};
    aic_image_item item[AIC_IMAGE_OBJECTS_MAX] = {{.piece = NULL}};
    aic_status status = AIC_OK;
    for (size_t i = 0; i < count && status == AIC_OK; i++) {
        item[i] = (aic_image_item){.piece = &piece[i], .name = symbol};
        status = aic_piece_create(&object[i], symbol, &piece[i]);
    }
    if (status == AIC_OK) {
        status = aic_image_link(item, count, symbol, image);
    }
    for (size_t i = 0; i < count; i++) {
        aic_piece_free(&piece[i]);
    }
    return status;
}

void aic_image_free(aic_image *image)
{
    free(image->bytes);
    image->bytes = NULL;
}
