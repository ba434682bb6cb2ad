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

/* How far the threads are that take a program's parts: each takes the next one that nobody has claimed. Of failures the
 * first part's counts. */
typedef struct progress {
    atomic_size_t next;
    atomic_bool *claimed; /* by routine */
    atomic_bool asked;    /* for helpers */
    atomic_bool shared;   /* there are some */
    atomic_bool alone;    /* several parts could not be made together: from now on none are */
    void *helpers;        /* NULL: none */
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

static aic_status help(void *argument);

/* Once LLVM is needed: it takes so long that another thread is worth while. */
static aic_status ask_for_helpers(linking *l)
{
    const aic_part_helpers *helpers = &l->sources->helpers;
    const size_t next = atomic_load(&l->progress.next), parts = l->program->parts;
    if (helpers->begin == NULL || next >= parts || atomic_exchange(&l->progress.asked, true)) {
        return AIC_OK;
    }
    const aic_status status = helpers->begin(helpers->user, parts - next, help, l, &l->progress.helpers);
    if (l->progress.helpers != NULL) {
        atomic_store(&l->progress.shared, true);
    }
    return status;
}

/* ---- batches ---- */

/* Parts that one thread has claimed: one to be made, and others behind it that are made with it. They are taken by
 * their turn, and have their pieces by then, if all went well. */
enum { BATCH_MAX = 16 };
typedef struct batch {
    size_t count;  /* 0: the first is not to be made, so far */
    bool together; /* they were made */
    size_t index[BATCH_MAX];
    aic_part_order order[BATCH_MAX];
    uint64_t hash[BATCH_MAX]; /* of identities, where a source keeps parts */
} batch;

/* Whether it is compiled fast. */
static bool is_fast(const linking *l, size_t index)
{
    const aic_program_part *part = &l->program->part[index];
    return !part->own && aic_part_is_fast(part->kind, aic_program_key(l->program, part));
}

/* Whether the source lacks a part, and the batch has not its like: what the source then keeps serves both. */
static bool is_wanted(batch *b, aic_part_source *source, const aic_part_identity *identity)
{
    size_t i = 0;
    b->hash[b->count] = aic_hash_bytes(identity->bytes, identity->size);
    while (b->hash[i] != b->hash[b->count]) {
        i++;
    }
    return i == b->count && (i == 0 || source->lacks(source, identity)); /* the first one has been looked for */
}

/* Adds a part if it is wanted. */
static bool add_to(batch *b, const linking *l, size_t index)
{
    const aic_program_part *part = &l->program->part[index];
    const void *key = aic_program_key(l->program, part);
    aic_part_source *source = l->sources->parts;
    aic_part_identity identity;
    if (source != NULL && (source->lacks == NULL ||
                           aic_part_identify(part->kind, key, l->sources->target, l->features, &identity) != AIC_OK ||
                           !is_wanted(b, source, &identity))) {
        return false;
    }
    b->index[b->count] = index;
    b->order[b->count++] = (aic_part_order){.kind = part->kind, .key = key};
    return true;
}

/* Finds what is made with a part that is missing: all others that are compiled fast and missing, half of them where
 * other threads want something to do. */
static void gather(linking *l, batch *b, size_t index)
{
    progress *p = &l->progress;
    size_t left = 1;
    if (l->sources->make_several == NULL || atomic_load(&p->alone) || !is_fast(l, index) || !add_to(b, l, index)) {
        return;
    }
    for (size_t i = index + 1; i < l->program->parts; i++) {
        left += !atomic_load(&p->claimed[i]) && is_fast(l, i);
    }
    const size_t wanted = atomic_load(&p->shared) ? (left + 1) / 2 : left;
    for (size_t i = index + 1; i < l->program->parts && b->count < wanted && b->count < BATCH_MAX; i++) {
        if (is_fast(l, i) && !atomic_load(&p->claimed[i]) && add_to(b, l, i)) {
            b->count -= atomic_exchange(&p->claimed[i], true); /* somebody was quicker */
        }
    }
}

/* ---- taking ---- */

/* A part to be made. */
typedef struct making {
    linking *l;
    size_t index;
    batch *batch;
    aic_piece *piece;
} making;

/* The piece of a part that was made ahead. */
static bool find_ahead(batch *b, size_t index, aic_piece *piece)
{
    for (size_t i = 0; i < b->count; i++) {
        if (b->index[i] == index && b->order[i].piece.bytes != NULL) {
            *piece = b->order[i].piece;
            b->order[i].piece = (aic_piece){NULL, 0};
            return true;
        }
    }
    return false;
}

/* Where several parts cannot be made together, each is made alone: the message is then about the one that it is for. */
static aic_status run_make(void *argument)
{
    const making *m = argument;
    const aic_program_sources *sources = m->l->sources;
    const aic_program_part *part = &m->l->program->part[m->index];
    if (m->batch->count > 1 && !atomic_load(&m->l->progress.alone)) {
        const aic_status status = sources->make_several(m->batch->order, m->batch->count, sources->target);
        if (status == AIC_OK || status == AIC_OUT_OF_MEMORY) {
            m->batch->together = status == AIC_OK;
            if (status == AIC_OK) {
                (void)find_ahead(m->batch, m->index, m->piece);
            }
            return status;
        }
        atomic_store(&m->l->progress.alone, true);
    }
    return sources->make(part->kind, aic_program_key(m->l->program, part), sources->target, m->piece);
}

static aic_status make(void *argument, aic_piece *piece)
{
    making *m = argument;
    if (find_ahead(m->batch, m->index, piece)) {
        return AIC_OK;
    }
    const aic_status status = ask_for_helpers(m->l);
    if (status != AIC_OK) {
        return status;
    }
    if (m->batch->count == 0) {
        gather(m->l, m->batch, m->index);
    }
    m->piece = piece;
    return m->l->sources->apart != NULL ? m->l->sources->apart(run_make, m) : run_make(m);
}

static aic_status take(linking *l, size_t index, batch *b)
{
    aic_program_part *part = &l->program->part[index];
    aic_part_source *source = l->sources->parts;
    making m = {.l = l, .index = index, .batch = b};
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

/* Parts that were made together have equal shares of the time: nobody knows which took how long. */
static void share_time(const linking *l, const batch *b)
{
    uint64_t ns = 0;
    for (size_t i = 0; i < b->count; i++) {
        ns += l->program->part[b->index[i]].ns;
    }
    for (size_t i = 0; i < b->count; i++) {
        l->program->part[b->index[i]].ns = ns / b->count;
    }
}

/* Takes a part, and those that were claimed to be made with it. */
static aic_status take_batch(linking *l, size_t index)
{
    batch b = {.count = 0};
    aic_status status = take(l, index, &b);
    for (size_t i = 1; i < b.count && status == AIC_OK; i++) {
        index = b.index[i];
        status = take(l, index, &b);
    }
    if (status != AIC_OK) {
        note_failure(l, index, status);
    } else if (b.together) {
        share_time(l, &b);
    }
    for (size_t i = 0; i < b.count; i++) {
        aic_piece_free(&b.order[i].piece); /* one that another thread has made meanwhile */
    }
    return status;
}

/* Takes the next part that is no own code. False: there is none. */
static bool take_next(linking *l, size_t *index, aic_status *status)
{
    size_t i = atomic_fetch_add(&l->progress.next, 1);
    while (i < l->program->parts && (l->program->part[i].own || atomic_exchange(&l->progress.claimed[i], true))) {
        i = atomic_fetch_add(&l->progress.next, 1);
    }
    if (i >= l->program->parts) {
        return false;
    }
    *index = i;
    *status = take_batch(l, i);
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

static aic_status help(void *argument)
{
    linking *l = argument;
    atomic_store(&l->progress.shared, true);
    return take_some(l);
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
    free(l->progress.claimed);
    free(l->made);
    free(l->item_of);
    free(l->item);
    free(l->binding);
    free(l->name);
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
                                                .function = aic_program_function(program, (aic_routine)i + 1),
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
    l->progress.claimed = calloc(parts, sizeof *l->progress.claimed);
    l->made = calloc(parts, sizeof *l->made);
    l->item_of = calloc(parts, sizeof *l->item_of);
    l->item = calloc(parts + l->sources->count, sizeof *l->item);
    l->binding = calloc(l->program->roles + 1, sizeof *l->binding);
    l->name = l->sources->count > 0 ? calloc(parts, sizeof *l->name) : NULL;
    return l->taken != NULL && l->progress.claimed != NULL && l->made != NULL && l->item_of != NULL &&
           l->item != NULL && l->binding != NULL && (l->name != NULL || l->sources->count == 0);
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

aic_status aic_program_link(aic_program *program, const aic_program_sources *sources, const char *symbol,
                            aic_image *image)
{
    linking l = {.program = program,
                 .sources = sources,
                 .symbol = symbol,
                 .features = aic_part_features(sources->target),
                 .progress.mutex = PTHREAD_MUTEX_INITIALIZER};
    aic_status status = take_all(&l);
    if (status == AIC_OK && image != NULL) {
        status = aic_image_link(l.item, list_items(&l), symbol, image);
    }
    give_back(&l);
    return status;
}

aic_status aic_program_take(aic_program *program, const aic_program_sources *sources)
{
    return aic_program_link(program, sources, NULL, NULL);
}
