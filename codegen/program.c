/* Composing programs; see program.h. */
#include "codegen/program.h"
#include "frontend/core/diag.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define SUBJECT "program"

/* ---- filling in a use ---- */

/* The room of a use that has ended, or a new one. */
static aic_use_room *take_room(aic_program *p)
{
    aic_use_room *room = p->spare;
    if (room != NULL) {
        p->spare = room->next;
        return room;
    }
    room = malloc(sizeof *room);
    if (room == NULL && p->status == AIC_OK) {
        p->status = aic_fail_memory(SUBJECT, sizeof *room);
    }
    return room;
}

static void give_room(aic_program *p, aic_use_room *room)
{
    if (room != NULL) {
        room->next = p->spare;
        p->spare = room;
    }
}

void aic_use_begin(aic_use *use, aic_program *program, const aic_part_kind *kind, const void *key)
{
    use->room = take_room(program);
    use->kind = kind;
    use->key = key;
    use->own = kind->record == NULL;
    use->exceeds = NULL;
    use->numbers = use->roles = 0;
}

static void give(aic_use *use, const char *name, int64_t value)
{
    if (use->numbers == AIC_NUMBERS_MAX || strlen(name) >= AIC_NUMBER_NAME_MAX) {
        use->exceeds = use->numbers == AIC_NUMBERS_MAX ? "numbers of a part" : "letters of a number's name";
        return;
    }
    if (use->room == NULL) {
        return;
    }
    aic_number_value *number = &use->room->number[use->numbers++];
    number->value = value;
    memcpy(number->name, name, strlen(name) + 1);
}

void aic_use_number(aic_use *use, int64_t value, const char *format, ...)
{
    char name[2 * AIC_NUMBER_NAME_MAX];
    const bool plain = strchr(format, '%') == NULL; /* most are: printing takes long */
    va_list arguments;
    va_start(arguments, format);
    if (!plain) {
        (void)vsnprintf(name, sizeof name, format, arguments);
    }
    va_end(arguments);
    give(use, plain ? format : name, value);
    use->own |= value < 0 || value > AIC_NUMBER_MAX;
}

void aic_use_trips(aic_use *use, int64_t value, const char *name)
{
    give(use, name, value);
    use->own |= value < 1 || value > AIC_NUMBER_MAX;
}

void aic_use_call(aic_use *use, aic_routine routine, const char *format, ...)
{
    va_list arguments;
    if (use->room == NULL || use->roles == AIC_ROLES_MAX) {
        use->exceeds = "roles of a part";
        return;
    }
    aic_role *role = &use->room->role[use->roles++];
    role->routine = routine;
    va_start(arguments, format);
    const int length = vsnprintf(role->name, sizeof role->name, format, arguments);
    va_end(arguments);
    use->exceeds = length >= (int)sizeof role->name ? "letters of a role's name" : use->exceeds;
}

/* ---- programs ---- */

/* Makes room for `more` elements behind `count` of them. */
static bool grow(void *array, size_t size, size_t *room, size_t count, size_t more)
{
    enum { FIRST = 32 };
    void *old;
    memcpy(&old, array, sizeof old);
    if (*room > 0 && count + more <= *room) { /* even of nothing: what is copied there has an address */
        return true;
    }
    size_t wanted = *room == 0 ? FIRST : *room;
    while (wanted < count + more) {
        wanted *= 2;
    }
    void *made = realloc(old, wanted * size);
    if (made == NULL) {
        return false;
    }
    memcpy(array, &made, sizeof made);
    *room = wanted;
    return true;
}

static size_t rounded(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

static bool has_room(aic_program *p, const aic_use *use)
{
    return grow(&p->part, sizeof *p->part, &p->room_parts, p->parts, 1) &&
           grow(&p->number, sizeof *p->number, &p->room_numbers, p->numbers, use->numbers) &&
           grow(&p->role, sizeof *p->role, &p->room_roles, p->roles, use->roles) &&
           grow(&p->keys, 1, &p->room_keys, p->key_bytes, rounded(use->kind->key_bytes));
}

/* What is wrong with a use; NULL: nothing. */
static const char *fault_of(const aic_program *p, const aic_use *use, int length)
{
    for (size_t i = 0; i < use->roles; i++) {
        if (use->room->role[i].routine == 0 || use->room->role[i].routine > p->parts) {
            return "a role without a function";
        }
    }
    return use->exceeds != NULL                      ? use->exceeds
           : length >= AIC_USE_NAME_MAX              ? "letters of a function's name"
           : use->kind->key_bytes > AIC_PART_KEY_MAX ? "bytes of a part's key"
                                                     : NULL;
}

/* Notes a use; there is room. */
static aic_program_part *append(aic_program *p, const aic_use *use)
{
    aic_program_part *part = &p->part[p->parts++];
    *part = (aic_program_part){.kind = use->kind,
                               .key = p->key_bytes,
                               .own = use->own,
                               .numbers = use->numbers,
                               .first_number = p->numbers,
                               .roles = use->roles,
                               .first_role = p->roles};
    memcpy(p->keys + p->key_bytes, use->key, use->kind->key_bytes);
    memcpy(p->number + p->numbers, use->room->number, use->numbers * sizeof use->room->number[0]);
    memcpy(p->role + p->roles, use->room->role, use->roles * sizeof use->room->role[0]);
    p->key_bytes += rounded(use->kind->key_bytes);
    p->numbers += use->numbers;
    p->roles += use->roles;
    return part;
}

static bool has_numbers(const aic_number_value *a, const aic_number_value *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (a[i].value != b[i].value || strcmp(a[i].name, b[i].name) != 0) {
            return false;
        }
    }
    return true;
}

static bool has_roles(const aic_role *a, const aic_role *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (a[i].routine != b[i].routine || strcmp(a[i].name, b[i].name) != 0) {
            return false;
        }
    }
    return true;
}

/* The use of a part that is equal to this one; 0: there is none. */
static aic_routine find_equal(const aic_program *p, const aic_use *use)
{
    for (size_t i = 0; i < p->parts && !use->own; i++) {
        const aic_program_part *part = &p->part[i];
        if (part->kind == use->kind && part->numbers == use->numbers && part->roles == use->roles &&
            aic_record_equal(use->kind->record, aic_program_key(p, part), use->key) &&
            has_numbers(p->number + part->first_number, use->room->number, use->numbers) &&
            has_roles(p->role + part->first_role, use->room->role, use->roles)) {
            return (aic_routine)i + 1;
        }
    }
    return 0;
}

/* Adds a use, if it has room and is no fault of its composer. */
static aic_routine add(aic_program *p, const aic_use *use, const char *name, int length)
{
    const char *fault = fault_of(p, use, length);
    if (fault != NULL) {
        p->status = aic_fail(AIC_INTERNAL, SUBJECT, "%s, a use of %s: %s", name, use->kind->name, fault);
        return 0;
    }
    const aic_routine equal = find_equal(p, use);
    if (equal != 0) {
        return equal;
    }
    if (!has_room(p, use)) {
        p->status = aic_fail_memory(SUBJECT, sizeof *p->part);
        return 0;
    }
    memcpy(append(p, use)->name, name, (size_t)length + 1);
    return (aic_routine)p->parts;
}

aic_routine aic_program_add(aic_program *p, aic_use *use, const char *format, ...)
{
    char name[2 * AIC_USE_NAME_MAX];
    va_list arguments;
    const int before = (int)strlen(p->prefix);
    memcpy(name, p->prefix, (size_t)before);
    va_start(arguments, format);
    const int length = before + vsnprintf(name + before, sizeof name - (size_t)before, format, arguments);
    va_end(arguments);
    const aic_routine routine = p->status == AIC_OK ? add(p, use, name, length) : 0;
    give_room(p, use->room);
    use->room = NULL;
    return routine;
}

void aic_program_free(aic_program *p)
{
    while (p->spare != NULL) {
        aic_use_room *room = p->spare;
        p->spare = room->next;
        free(room);
    }
    free(p->part);
    free(p->number);
    free(p->role);
    free(p->keys);
    *p = (aic_program){.status = AIC_OK};
}

bool aic_program_has_own(const aic_program *p)
{
    for (size_t i = 0; i < p->parts; i++) {
        if (p->part[i].own) {
            return true;
        }
    }
    return false;
}

aic_function_role aic_program_function(const aic_program *p, aic_routine routine)
{
    int f = 0;
    while (f < AIC_FUNCTIONS && p->function[f] != routine) {
        f++;
    }
    return (aic_function_role)f;
}

void aic_program_name(const aic_program *p, aic_routine routine, const char *symbol, char name[AIC_PROGRAM_NAME_MAX])
{
    const aic_function_role function = aic_program_function(p, routine);
    const bool none = function == AIC_FUNCTIONS;
    (void)snprintf(name, AIC_PROGRAM_NAME_MAX, "%s%s%s", symbol, none ? "_" : "",
                   none ? aic_program_at(p, routine)->name : aic_function_suffix[function]);
}
