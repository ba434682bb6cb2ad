/* Names of exported kernels; see export_names.h. */
#include "runtime/export/export_names.h"
#include "codegen/record.h"
#include "codegen/target/host.h"
#include "frontend/core/diag.h"
#include "frontend/core/spec.h"
#include "runtime/request/isa.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUBJECT "name"

static void append_capitals(const char *text, char *to, size_t capacity)
{
    size_t i = strlen(to);
    for (; *text != '\0' && i + 1 < capacity; text++) {
        to[i++] = (char)toupper((unsigned char)*text);
    }
    to[i] = '\0';
}

void aic_export_macro(const char *name, const char *what, char macro[AIC_EXPORT_MACRO_MAX])
{
    macro[0] = '\0';
    append_capitals(name, macro, AIC_EXPORT_MACRO_MAX);
    append_capitals("_", macro, AIC_EXPORT_MACRO_MAX);
    append_capitals(what, macro, AIC_EXPORT_MACRO_MAX);
    append_capitals("_BYTES", macro, AIC_EXPORT_MACRO_MAX);
}

void aic_export_guard(const char *name, char macro[AIC_EXPORT_MACRO_MAX])
{
    snprintf(macro, AIC_EXPORT_MACRO_MAX, "AICJIT_");
    append_capitals(name, macro, AIC_EXPORT_MACRO_MAX);
    append_capitals("_KERNELS_H", macro, AIC_EXPORT_MACRO_MAX);
}

static aic_status check_name(const char *name)
{
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char REST[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const size_t length = strlen(name);
    if (length == 0 || strspn(name, LETTERS) == 0 || strspn(name, REST) != length) {
        return aic_fail(AIC_INVALID_ARGUMENT, SUBJECT,
                        "\"%.100s\" is no C identifier of letters, digits and underscores that begins with a letter",
                        name);
    }
    if (length > AIC_EXPORT_NAME_MAX) {
        return aic_fail(AIC_INVALID_ARGUMENT, SUBJECT, "\"%.100s\" is longer than %d characters", name,
                        AIC_EXPORT_NAME_MAX);
    }
    return AIC_OK;
}

/* ---- what a header declares ---- */

enum { DECLARED_MAX = AIC_FUNCTIONS + AIC_OPERANDS_MAX + 4 };

/* What a kernel may declare under a name, also where it has nothing to pack: its functions, then its macros. */
typedef struct declarations {
    size_t count;
    char text[DECLARED_MAX][AIC_EXPORT_MACRO_MAX];
} declarations;

static void declare(const char *name, const aic_operand *operands, size_t count, declarations *d)
{
    static const char *const WHAT[] = {"workspace", "packed", "packed_workspace"};
    d->count = 0;
    for (int f = 0; f < AIC_FUNCTIONS; f++) {
        snprintf(d->text[d->count++], AIC_EXPORT_MACRO_MAX, "%s%s", name, aic_function_suffix[f]);
    }
    for (size_t i = 0; i < count; i++) {
        aic_export_macro(name, operands[i].name, d->text[d->count++]);
    }
    for (size_t i = 0; i < sizeof WHAT / sizeof WHAT[0]; i++) {
        aic_export_macro(name, WHAT[i], d->text[d->count++]);
    }
    aic_export_guard(name, d->text[d->count++]);
}

/* What is declared so far: a hash table with room to spare. */
typedef struct scope {
    const aic_export_request *request;
    size_t capacity; /* a power of two */
    struct declared {
        char text[AIC_EXPORT_MACRO_MAX]; /* "": the place is free */
        const char *owner;               /* the name that it is of */
    } *place;
    declarations now; /* of one name */
} scope;

static struct declared *find(const scope *s, const char *text)
{
    size_t at = 0;
    for (const char *c = text; *c != '\0'; c++) {
        at = at * 31 + (unsigned char)*c;
    }
    for (at &= s->capacity - 1; s->place[at].text[0] != '\0' && strcmp(s->place[at].text, text) != 0;) {
        at = (at + 1) & (s->capacity - 1);
    }
    return &s->place[at];
}

/* Finds out what kernel `number` declares under a name, and returns what of it there is already; NULL: nothing is. */
static const struct declared *meet(scope *s, size_t number, const char *name)
{
    aic_operand operand[AIC_OPERANDS_MAX];
    const size_t count = aic_spec_operands_of(&s->request->shown[number], s->request->semantics, operand);
    declare(name, operand, count, &s->now);
    for (size_t i = 0; i < s->now.count; i++) {
        const struct declared *there = find(s, s->now.text[i]);
        if (there->text[0] != '\0') {
            return there;
        }
    }
    return NULL;
}

/* Adds what meet() has found out. */
static void enter(scope *s, const char *owner)
{
    for (size_t i = 0; i < s->now.count; i++) {
        struct declared *place = find(s, s->now.text[i]);
        memcpy(place->text, s->now.text[i], sizeof place->text);
        place->owner = owner;
    }
}

/* ---- names ---- */

/* Whether all functions of that name may be declared in a program. */
static aic_status check_reserved(const declarations *d)
{
    for (int f = 0; f < AIC_FUNCTIONS; f++) {
        const char *why = aic_export_reserved(d->text[f]);
        if (why != NULL) {
            return aic_fail(AIC_INVALID_ARGUMENT, SUBJECT, "\"%s\" %s", d->text[f], why);
        }
    }
    return AIC_OK;
}

static aic_status take_given(scope *s, aic_export_name *name)
{
    aic_status status = AIC_OK;
    for (size_t i = 0; i < s->request->count && status == AIC_OK; i++) {
        const char *given = s->request->kernels[i].name;
        name[i].text[0] = '\0';
        if (given == NULL) {
            continue;
        }
        status = check_name(given);
        const struct declared *there = status == AIC_OK ? meet(s, i, given) : NULL;
        status = status == AIC_OK ? check_reserved(&s->now) : status;
        if (status == AIC_OK && there != NULL) {
            status = aic_fail(AIC_INVALID_ARGUMENT, SUBJECT, "\"%s\" and \"%s\" would share a function or a macro, %s",
                              there->owner, given, there->text);
        }
        if (status == AIC_OK) {
            snprintf(name[i].text, sizeof name[i].text, "%s", given);
            enter(s, name[i].text);
        }
    }
    return status;
}

/* "conv2d_fixpipe", "conv2d_fixpipe_2", ...: the first that is free. */
static void make_name(scope *s, size_t i, aic_export_name *name)
{
    char subject[64], text[AIC_EXPORT_NAME_MAX + 1]; /* that of a long chain is cut */
    aic_spec_subject(s->request->kernels[i].spec, "_", subject, sizeof subject);
    snprintf(text, sizeof text, "%s", subject);
    for (unsigned number = 2; meet(s, i, text) != NULL; number++) {
        snprintf(text, sizeof text, "%s_%u", subject, number);
    }
    *name = (aic_export_name){""};
    memcpy(name->text, text, sizeof text);
    enter(s, name->text);
}

aic_status aic_export_names(const aic_export_request *request, aic_export_name *name)
{
    scope *s = calloc(1, sizeof *s);
    size_t capacity = 1;
    while (capacity < 2 * request->count * DECLARED_MAX) {
        capacity *= 2;
    }
    struct declared *place = s != NULL ? calloc(capacity, sizeof *place) : NULL;
    if (place == NULL) {
        free(s);
        return aic_fail_memory("export", capacity * sizeof *place);
    }
    s->request = request;
    s->capacity = capacity;
    s->place = place;
    aic_status status = take_given(s, name);
    for (size_t i = 0; i < request->count && status == AIC_OK; i++) {
        if (name[i].text[0] == '\0') {
            make_name(s, i, &name[i]);
        }
    }
    free(place);
    free(s);
    return status;
}

aic_status aic_export_check_name(const char *name)
{
    const aic_status status = check_name(name);
    const char *why = status == AIC_OK ? aic_export_reserved(name) : NULL;
    return why != NULL ? aic_fail(AIC_INVALID_ARGUMENT, SUBJECT, "\"%s\" %s", name, why) : status;
}

/* ---- levels ---- */

/* Number of a level among those of its architecture. */
static size_t level_number(const aic_target *target)
{
    size_t i = 0;
    while (aic_target_at(target->arch, i) != target) {
        i++;
    }
    return i;
}

/* Puts the level among the others, ascending. */
static aic_status insert_level(aic_export_levels *to, const aic_target *target)
{
    const size_t number = level_number(target);
    size_t at = 0;
    while (at < to->count && level_number(to->target[at]) < number) {
        at++;
    }
    if (at < to->count && to->target[at] == target) {
        return aic_fail(AIC_INVALID_ARGUMENT, "isa", "level %s is named twice", target->name);
    }
    memmove(&to->target[at + 1], &to->target[at], (to->count - at) * sizeof to->target[0]);
    to->target[at] = target;
    to->count++;
    return AIC_OK;
}

/* Reads "sse2,avx2". */
static aic_status read_levels(aic_export_levels *to, const char *isa, aic_arch arch)
{
    enum { LEVEL_NAME_MAX = 32 };
    aic_status status = AIC_OK;
    const char *at = isa;
    do {
        const size_t length = strcspn(at, ",");
        char name[LEVEL_NAME_MAX + 1];
        const aic_target *target;
        snprintf(name, sizeof name, "%.*s", (int)(length < LEVEL_NAME_MAX ? length : LEVEL_NAME_MAX), at);
        status = aic_isa_find("isa", arch, name, &target);
        if (status == AIC_OK) {
            status = insert_level(to, target);
        }
        at += length;
    } while (status == AIC_OK && *at++ == ',');
    return status;
}

aic_status aic_export_choose_levels(const aic_context *context, const char *isa, aic_export_levels *to)
{
    aic_arch arch = aic_host_arch();
    aic_status status = to->triple != NULL ? aic_target_arch(to->triple, &arch) : AIC_OK;
    if (status != AIC_OK) {
        return status;
    }
    to->triple = to->triple != NULL ? to->triple : aic_target_triple(arch);
    if (isa == NULL) {
        to->target[0] = arch == context->target->arch ? context->target : aic_target_at(arch, 0);
        to->count = 1;
        return AIC_OK;
    }
    status = read_levels(to, isa, arch);
    for (size_t i = 0; i < to->count && to->count > 1 && status == AIC_OK; i++) {
        if ((to->target[i]->has & AIC_HAS_TILES) != 0) {
            status = aic_fail(AIC_INVALID_ARGUMENT, "isa",
                              "level %s cannot be one of several: whether a process may use tiles is not the "
                              "processor's to say",
                              to->target[i]->name);
        }
    }
    return status;
}
