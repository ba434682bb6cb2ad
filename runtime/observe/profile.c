/* The list of kernels that profilers and debuggers know; see profile.h. */
#include "runtime/observe/profile.h"
#include "frontend/core/diag.h"
#include "frontend/core/op.h"
#include "runtime/code/code.h"
#include "runtime/observe/profile_kinds.h"
#include "runtime/system/fork.h"
#include "runtime/system/open_file.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned kind;
    int (*start)(const char **problem); /* NULL: there is nothing to open */
} kinds_table[] = {{"perf", AIC_PROFILE_PERF, aic_profile_perf_start},
                   {"jitdump", AIC_PROFILE_JITDUMP, aic_profile_jitdump_start},
                   {"gdb", AIC_PROFILE_GDB, NULL}};

enum { KINDS = sizeof kinds_table / sizeof kinds_table[0] };

struct aic_profile_entry {
    aic_profile_entry *previous, *next;
    unsigned kinds;
    aic_profile_code code;
    aic_profile_gdb *gdb; /* NULL: not of that kind */
    aic_profile_part part[AIC_PARTS_MAX];
    char labels[]; /* of all parts, each with a closing zero */
};

static struct {
    pthread_mutex_t lock;
    aic_profile_entry *first;
    bool inherited; /* jitdump's file must get the kernels that the parent made */
} profile = {.lock = PTHREAD_MUTEX_INITIALIZER};

aic_status aic_profile_parse(const char *name, const char *text, unsigned *kinds)
{
    *kinds = 0;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        size_t i = 0;
        while (i < KINDS && (strlen(kinds_table[i].name) != length || memcmp(kinds_table[i].name, at, length) != 0)) {
            i++;
        }
        if (i == KINDS) {
            return aic_fail(AIC_INVALID_ARGUMENT, name, "\"%.80s\" is no list of perf, jitdump, gdb", text);
        }
        *kinds |= kinds_table[i].kind;
        at += length;
        if (*at == '\0') {
            return AIC_OK;
        }
    }
}

/* ---- fork ---- */

/* The child's map has another name, and the kernels that it has from its parent. */
static void in_child(void)
{
    for (const aic_profile_entry *entry = profile.first; entry != NULL; entry = entry->next) {
        if ((entry->kinds & AIC_PROFILE_PERF) != 0) {
            aic_profile_perf_add(&entry->code);
        }
    }
    aic_profile_jitdump_forget();
    profile.inherited = true;
}

const aic_fork_lock aic_profile_fork = {&profile.lock, &(const aic_fork_part){.in_child = in_child}};

aic_status aic_profile_start(unsigned kinds)
{
    aic_status status = AIC_OK;
    pthread_mutex_lock(&profile.lock);
    for (size_t i = 0; i < KINDS && status == AIC_OK; i++) {
        const bool wanted = (kinds & kinds_table[i].kind) != 0 && kinds_table[i].start != NULL;
        const char *problem = NULL;
        const int error = wanted ? kinds_table[i].start(&problem) : 0;
        if (error != 0) {
            status = aic_fail(aic_file_status(error), "profile", "the file of \"%s\" cannot be written: %s",
                              kinds_table[i].name, problem != NULL ? problem : strerror(error));
        }
    }
    pthread_mutex_unlock(&profile.lock);
    return status;
}

/* ---- entries ---- */

enum { SHAPE_MAX = 64, NAME_MAX_BYTES = AIC_SYMBOL_MAX + SHAPE_MAX };

/* What tells operators of a name apart for people: of the first one what must be given, and integers other than 0 that
 * are 0 where they are left out: "_int8_1x14x14x32_1x3x3x64x32". What does not fit any more is left out. */
static void write_shape(char shape[SHAPE_MAX], const aic_stage *stage)
{
    const aic_record *record = &aic_op_get(stage->op)->record;
    size_t used = 0;
    shape[0] = '\0';
    for (size_t f = 0; f < record->count; f++) {
        const aic_field *field = &record->fields[f];
        const bool number = field->kind == AIC_KIND_INT || field->kind == AIC_KIND_DIMS;
        const uint32_t shown = aic_field_shown(field, &stage->desc);
        char text[SHAPE_MAX] = "";
        size_t length = 0;
        uint64_t any = 0;
        for (uint32_t i = 0; i < shown && length < sizeof text; i++) {
            const uint64_t word = aic_field_word(field, &stage->desc, i);
            const char *value = number ? NULL : aic_enum_word(field->kind, word);
            length += (size_t)(value != NULL ? snprintf(text + length, sizeof text - length, "_%s", value)
                                             : snprintf(text + length, sizeof text - length, "%c%" PRId64,
                                                        i > 0 ? 'x' : '_', (int64_t)word));
            any |= word;
        }
        const bool wanted = field->required || (number && field->fallback == 0 && any != 0);
        if (wanted && used + length < SHAPE_MAX) {
            memcpy(shape + used, text, length + 1);
            used += length;
        }
    }
}

/* "conv2d_int8_1x14x14x32_1x3x3x64x32_9bdc1a3e05f1d2c4": the kernel's symbol, which lines and dumps have next to the
 * operator text, with the shape in front of its number. */
static void write_name(char name[NAME_MAX_BYTES], const aic_code *code)
{
    static const char PREFIX[] = "aic_";
    const char *symbol = code->symbol + (strncmp(code->symbol, PREFIX, strlen(PREFIX)) == 0 ? strlen(PREFIX) : 0);
    const char *number = strrchr(symbol, '_');
    char shape[SHAPE_MAX];
    write_shape(shape, &code->spec.stage[0]);
    number = number != NULL ? number : symbol + strlen(symbol);
    (void)snprintf(name, NAME_MAX_BYTES, "%.*s%s%s", (int)(number - symbol), symbol, shape, number);
}

/* Writes the label of a function, "TEXT" or "TEXT [NAME]"; a name is written without the underscore that begins it. */
static size_t write_label(char *label, size_t capacity, const char *text, const char *name)
{
    if (name[0] == '\0') {
        return (size_t)snprintf(label, capacity, "%s", text) + 1;
    }
    return (size_t)snprintf(label, capacity, "%s [%s]", text, name + (name[0] == '_')) + 1;
}

/* Describes the code by its functions, or as a whole where they are not known. NULL without memory. */
static aic_profile_entry *make_entry(const aic_code *code, const aic_object *object)
{
    enum { BRACKETS = 4 };
    aic_image_part part[AIC_PARTS_MAX] = {{.size = object->image.size}};
    size_t count = aic_image_parts(object->bytes, object->size, code->symbol, part);
    count += count == 0;
    char name[NAME_MAX_BYTES];
    write_name(name, code);
    const size_t capacity = count * (strlen(name) + AIC_PART_NAME_MAX + BRACKETS);
    aic_profile_entry *made = calloc(1, sizeof *made + capacity);
    size_t used = 0;
    for (size_t i = 0; i < count && made != NULL; i++) {
        made->part[i] = (aic_profile_part){.address = (uint64_t)(uintptr_t)code->memory.base + part[i].offset,
                                           .size = part[i].size,
                                           .label = made->labels + used};
        used += write_label(made->labels + used, capacity - used, name, part[i].name);
    }
    if (made != NULL) {
        made->code = (aic_profile_code){.base = code->memory.base,
                                        .size = object->image.size,
                                        .frames = object->image.frames,
                                        .frames_size = object->image.frames_size,
                                        .count = count,
                                        .part = made->part};
    }
    return made;
}

static void announce_to_jitdump(const aic_profile_entry *entry)
{
    const char *problem;
    if (aic_profile_jitdump_start(&problem) != 0) {
        return;
    }
    for (const aic_profile_entry *other = entry->next; profile.inherited && other != NULL; other = other->next) {
        if ((other->kinds & AIC_PROFILE_JITDUMP) != 0) {
            aic_profile_jitdump_add(&other->code);
        }
    }
    profile.inherited = false;
    aic_profile_jitdump_add(&entry->code);
}

void aic_profile_add(unsigned kinds, aic_code *code, const aic_object *object)
{
    aic_profile_entry *entry = make_entry(code, object);
    if (entry == NULL) {
        return;
    }
    entry->kinds = kinds;
    pthread_mutex_lock(&profile.lock);
    entry->next = profile.first;
    if (profile.first != NULL) {
        profile.first->previous = entry;
    }
    profile.first = entry;
    if ((kinds & AIC_PROFILE_PERF) != 0) {
        aic_profile_perf_add(&entry->code);
    }
    if ((kinds & AIC_PROFILE_JITDUMP) != 0) {
        announce_to_jitdump(entry);
    }
    if ((kinds & AIC_PROFILE_GDB) != 0) {
        entry->gdb = aic_profile_gdb_add(&entry->code);
    }
    pthread_mutex_unlock(&profile.lock);
    code->profile = entry;
}

void aic_profile_remove(aic_profile_entry *entry)
{
    if (entry == NULL) {
        return;
    }
    pthread_mutex_lock(&profile.lock);
    if (entry->previous != NULL) {
        entry->previous->next = entry->next;
    } else {
        profile.first = entry->next;
    }
    if (entry->next != NULL) {
        entry->next->previous = entry->previous;
    }
    aic_profile_gdb_remove(entry->gdb);
    pthread_mutex_unlock(&profile.lock);
    free(entry);
}
