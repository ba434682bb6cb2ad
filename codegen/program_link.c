/* From a program to an image: parts are taken from where they are kept, or made, and linked with own code. */
#include "codegen/build_name.h"
#include "codegen/program.h"
#include "frontend/core/bytes.h"
#include "frontend/core/diag.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SUBJECT "part"

enum { WORD = 8 };

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- identities ---- */

/* The signature of a kind's fields. That of a kind of parts.def is made once: it takes as long as all the rest. */
static uint64_t signature_of(const aic_part_kind *kind)
{
    static atomic_uint_fast64_t known[AIC_PART_KINDS]; /* 0: not yet */
    size_t index = 0;
    while (index < AIC_PART_KINDS && aic_part_kind_at(index) != kind) {
        index++;
    }
    if (index == AIC_PART_KINDS) {
        return aic_record_signature(kind->record);
    }
    /* relaxed: whoever makes it makes the same. */
    uint64_t signature = atomic_load_explicit(&known[index], memory_order_relaxed);
    if (signature == 0) {
        signature = aic_record_signature(kind->record);
        atomic_store_explicit(&known[index], signature, memory_order_relaxed);
    }
    return signature;
}

uint64_t aic_part_features(const aic_target *target)
{
    const char *cpu = aic_target_cpu(target);
    return aic_hash_end(
        aic_hash_more(aic_hash_more(AIC_HASH_BEGIN, cpu, strlen(cpu) + 1), target->features, strlen(target->features)));
}

aic_status aic_part_identify(const aic_part_kind *kind, const void *key, const aic_target *target, uint64_t features,
                             aic_part_identity *identity)
{
    aic_writer out = {identity->bytes, sizeof identity->bytes, 0};
    aic_write_text(&out, aic_build_name);
    aic_write_text(&out, aic_build_llvm);
    aic_write_text(&out, target->name);
    aic_write_number(&out, features, WORD);
    aic_write_text(&out, kind->name);
    aic_write_number(&out, signature_of(kind), WORD);
    for (size_t f = 0; f < kind->record->count; f++) {
        for (uint32_t i = 0; i < kind->record->fields[f].count; i++) {
            aic_write_short(&out, aic_field_word(&kind->record->fields[f], key, i));
        }
    }
    identity->size = out.size;
    return out.size <= sizeof identity->bytes
               ? AIC_OK
               : aic_fail(AIC_INTERNAL, SUBJECT, "the identity of %s has %zu bytes, and room for %zu", kind->name,
                          out.size, sizeof identity->bytes);
}

/* ---- linking ---- */

/* How far the threads are that take a program's parts: each takes the next one. Of failures the first part's counts. */
typedef struct progress {
    atomic_size_t next;
    atomic_bool asked; /* for helpers */
    void *helpers;     /* NULL: none */
    pthread_mutex_t mutex;
    size_t failed; /* the part's number, where status is not AIC_OK */
    aic_status status;
    aic_messages messages;
} progress;

/* A program being linked. */
typedef struct linking {
    aic_program *program;
    const aic_program_sources *sources;
    const char *symbol;
    uint64_t features;       /* of the target */
    const aic_piece **taken; /* by routine; NULL: own code */
    aic_piece *made;         /* where no source keeps them */
    size_t *item_of;         /* by routine: its item */
    aic_image_item *item;
    aic_binding *binding;
    char (*name)[AIC_PROGRAM_NAME_MAX]; /* of the functions, where there is own code */
    progress progress;
} linking;

static aic_status take_some(void *argument);

/* Once LLVM is needed: it takes so long that another thread is worth while. */
static aic_status ask_for_helpers(linking *l)
{
    const aic_part_helpers *helpers = &l->sources->helpers;
    const size_t next = atomic_load(&l->progress.next), parts = l->program->parts;
    if (helpers->begin == NULL || next >= parts || atomic_exchange(&l->progress.asked, true)) {
        return AIC_OK;
    }
    return helpers->begin(helpers->user, parts - next, take_some, l, &l->progress.helpers);
}

/* A part to be made. */
typedef struct making {
    linking *l;
    const aic_program_part *part;
    aic_piece *piece;
} making;

static aic_status run_make(void *argument)
{
    const making *m = argument;
    return m->l->sources->make(m->part->kind, aic_program_key(m->l->program, m->part), m->l->sources->target, m->piece);
}

static aic_status make(void *argument, aic_piece *piece)
{
    making *m = argument;
    const aic_status status = ask_for_helpers(m->l);
    if (status != AIC_OK) {
        return status;
    }
    m->piece = piece;
    return m->l->sources->apart != NULL ? m->l->sources->apart(run_make, m) : run_make(m);
}

static aic_status take(linking *l, size_t index)
{
    aic_program_part *part = &l->program->part[index];
    aic_part_source *source = l->sources->parts;
    making m = {.l = l, .part = part};
    const uint64_t start = now();
    aic_part_identity identity;
    aic_status status;
    if (source == NULL) {
        part->origin = AIC_PART_MADE;
        status = make(&m, &l->made[index]);
        l->taken[index] = status == AIC_OK ? &l->made[index] : NULL;
    } else {
        status = aic_part_identify(part->kind, aic_program_key(l->program, part), l->sources->target, l->features,
                                   &identity);
        if (status == AIC_OK) {
            status = source->take(source, &identity, make, &m, &l->taken[index], &part->origin);
        }
        l->taken[index] = status == AIC_OK ? l->taken[index] : NULL;
    }
    part->ns = now() - start;
    part->bytes = status == AIC_OK ? l->taken[index]->size : 0;
    return status;
}

/* No thread begins another part. */
static void note_failure(linking *l, size_t index, aic_status status)
{
    progress *p = &l->progress;
    pthread_mutex_lock(&p->mutex);
    if (p->status == AIC_OK || index < p->failed) {
        p->failed = index;
        p->status = status;
        aic_messages_get(&p->messages);
    }
    pthread_mutex_unlock(&p->mutex);
    atomic_store(&p->next, l->program->parts);
}

/* Takes the next part that is no own code. False: there is none. */
static bool take_next(linking *l, size_t *index, aic_status *status)
{
    size_t i = atomic_fetch_add(&l->progress.next, 1);
    while (i < l->program->parts && l->program->part[i].own) {
        i = atomic_fetch_add(&l->progress.next, 1);
    }
    if (i >= l->program->parts) {
        return false;
    }
    *index = i;
    *status = take(l, i);
    if (*status != AIC_OK) {
        note_failure(l, i, *status);
    }
    return true;
}

static aic_status take_some(void *argument)
{
    size_t index;
    aic_status status = AIC_OK;
    while (status == AIC_OK && take_next(argument, &index, &status)) {
    }
    return status;
}

/* As the thread does that makes the kernel. Once a part was made apart from it, the rest is taken there: to start
 * another thread for each takes a tenth of the time that LLVM takes. */
static aic_status take_here(linking *l)
{
    size_t index;
    aic_status status = AIC_OK;
    while (status == AIC_OK && take_next(l, &index, &status)) {
        if (l->sources->apart != NULL && l->program->part[index].origin == AIC_PART_MADE) {
            return status == AIC_OK ? l->sources->apart(take_some, l) : status;
        }
    }
    return status;
}

static void give_back(linking *l)
{
    for (size_t i = 0; l->taken != NULL && i < l->program->parts; i++) {
        if (l->taken[i] != NULL && l->sources->parts != NULL) {
            l->sources->parts->give_back(l->sources->parts, l->taken[i]);
        } else if (l->taken[i] != NULL) {
            aic_piece_free(&l->made[i]);
        }
    }
    free(l->taken);
    free(l->made);
    free(l->item_of);
    free(l->item);
    free(l->binding);
    free(l->name);
}

static aic_function_role function_of(const aic_program *program, size_t index)
{
    int f = 0;
    while (f < AIC_FUNCTIONS && program->function[f] != index + 1) {
        f++;
    }
    return (aic_function_role)f;
}

/* Own code comes first, then the parts in their order. */
static size_t list_items(linking *l)
{
    const aic_program *program = l->program;
    size_t count = 0;
    for (; count < l->sources->count; count++) {
        l->item[count] = (aic_image_item){.piece = &l->sources->own[count], .name = l->symbol};
    }
    for (size_t i = 0; i < program->parts; i++) {
        const aic_program_part *part = &program->part[i];
        l->item_of[i] = part->own ? AIC_NO_ITEM : count;
        if (l->name != NULL) {
            aic_program_name(program, (aic_routine)i + 1, l->symbol, l->name[i]);
        }
        if (!part->own) {
            l->item[count++] = (aic_image_item){.piece = l->taken[i],
                                                .is_part = true,
                                                .symbol = l->name != NULL ? l->name[i] : NULL,
                                                .function = function_of(program, i),
                                                .name = part->kind->name,
                                                .number = program->number + part->first_number,
                                                .numbers = part->numbers,
                                                .binding = l->binding + part->first_role,
                                                .bindings = part->roles};
        }
    }
    for (size_t i = 0; i < program->roles; i++) {
        const size_t callee = program->role[i].routine - 1;
        l->binding[i] = (aic_binding){.role = program->role[i].name,
                                      .item = l->item_of[callee],
                                      .symbol = l->name != NULL ? l->name[callee] : NULL};
    }
    return count;
}

static bool make_room(linking *l)
{
    const size_t parts = l->program->parts + 1;
    l->taken = calloc(parts, sizeof *l->taken);
    l->made = calloc(parts, sizeof *l->made);
    l->item_of = calloc(parts, sizeof *l->item_of);
    l->item = calloc(parts + l->sources->count, sizeof *l->item);
    l->binding = calloc(l->program->roles + 1, sizeof *l->binding);
    l->name = l->sources->count > 0 ? calloc(parts, sizeof *l->name) : NULL;
    return l->taken != NULL && l->made != NULL && l->item_of != NULL && l->item != NULL && l->binding != NULL &&
           (l->name != NULL || l->sources->count == 0);
}

static aic_status take_all(linking *l)
{
    progress *p = &l->progress;
    if (!make_room(l)) {
        return aic_fail_memory(SUBJECT, l->program->parts * sizeof *l->item);
    }
    aic_status status = take_here(l);
    const aic_status others = p->helpers != NULL ? l->sources->helpers.end(p->helpers) : AIC_OK;
    status = status == AIC_OK ? others : status;
    pthread_mutex_destroy(&p->mutex);
    aic_messages_put(&p->messages, p->status);
    return p->status != AIC_OK ? p->status : status;
}

aic_status aic_program_take(aic_program *program, const aic_program_sources *sources)
{
    linking l = {.program = program,
                 .sources = sources,
                 .features = aic_part_features(sources->target),
                 .progress.mutex = PTHREAD_MUTEX_INITIALIZER};
    aic_status status = take_all(&l);
    give_back(&l);
    return status;
}

aic_status aic_program_link(aic_program *program, const aic_program_sources *sources, const char *symbol,
                            aic_image *image)
{
    linking l = {.program = program,
                 .sources = sources,
                 .symbol = symbol,
                 .features = aic_part_features(sources->target),
                 .progress.mutex = PTHREAD_MUTEX_INITIALIZER};
    aic_status status = take_all(&l);
    if (status == AIC_OK) {
        status = aic_image_link(l.item, list_items(&l), symbol, image);
    }
    give_back(&l);
    return status;
}
