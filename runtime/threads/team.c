/* Dividing items among workers; see team.h. */
#include "runtime/threads/team.h"
#include "frontend/core/diag.h"
#include "frontend/random/rng.h"
#include "runtime/generator/worker.h"
#include "runtime/observe/log.h"
#include "runtime/system/fork.h"

#include <stdatomic.h>
#include <time.h>

/* ---- the caller's own parallel loop ---- */

/* Nothing is taken for granted of it. */

enum { WORD_BITS = 64, IN_USE_WORDS = AIC_THREADS_MAX / WORD_BITS };

typedef struct loop {
    aic_team_body body;
    void *data;
    int workers;
    int64_t items;
    atomic_bool misused;
    atomic_uint_fast64_t covered;              /* what ranges add up to; see weigh() */
    atomic_uint_fast64_t in_use[IN_USE_WORDS]; /* numbers of workers that run, a bit each */
} loop;

/* ---- what was done ---- */

/* A number without order for each end of a range. Ranges add that of their end and take away that of their beginning:
 * where they cover all items once everything cancels but the last end and the first beginning, and where they do not
 * something is left, but for one case of 2^64. */
static uint64_t weigh(int64_t item)
{
    uint64_t state = (uint64_t)item;
    return aic_rng_next(&state);
}

/* Takes a worker's number; false when it is none, or in use. */
static bool take_number(loop *l, int worker)
{
    if (worker < 0 || worker >= l->workers) {
        return false;
    }
    const uint_fast64_t bit = UINT64_C(1) << (worker % WORD_BITS);
    /* acquire: pairs with the release of the body that had the number before, whose memory this one uses. */
    return (atomic_fetch_or_explicit(&l->in_use[worker / WORD_BITS], bit, memory_order_acquire) & bit) == 0;
}

static void give_number(loop *l, int worker)
{
    const uint_fast64_t bit = UINT64_C(1) << (worker % WORD_BITS);
    atomic_fetch_and_explicit(&l->in_use[worker / WORD_BITS], ~bit, memory_order_release);
}

static void do_range(loop *l, int64_t begin, int64_t end, int worker)
{
    if (begin < 0 || begin > end || end > l->items || !take_number(l, worker)) {
        atomic_store_explicit(&l->misused, true, memory_order_relaxed);
        return;
    }
    if (begin < end) {
        l->body(l->data, begin, end, worker);
    }
    give_number(l, worker);
    /* relaxed: a sum; leaving the door orders it. */
    atomic_fetch_add_explicit(&l->covered, weigh(end) - weigh(begin), memory_order_relaxed);
}

/* ---- doors ---- */

/* Loops lie on stacks, and their bodies may be called when these are gone. So bodies do not get a loop's address but
 * the number of a door and of the use that is made of it: they find it closed when the loop is over. */
enum { DOORS = 256, LINE_BYTES = 64 };

#define USE UINT64_C(0x100000000)

typedef struct door {
    atomic_uint_fast64_t state; /* bodies inside, and USE for each opening and closing: open where it is odd */
    atomic_bool taken;
    const aic_thread *owner;
    loop *behind;
    char apart[LINE_BYTES - 32];
} door;

_Static_assert(sizeof(door) == LINE_BYTES, "doors do not share cache lines");

static door doors[DOORS];

static uint64_t bodies_inside(const door *d)
{
    /* acquire: pairs with the release of bodies that leave. */
    return atomic_load_explicit(&d->state, memory_order_acquire) % USE;
}

/* NULL: all are in use. */
static door *take_door(const aic_thread *thread)
{
    const size_t first = (uintptr_t)thread / LINE_BYTES;
    for (size_t i = 0; i < DOORS; i++) {
        door *d = &doors[(first + i) % DOORS];
        if (!atomic_exchange_explicit(&d->taken, true, memory_order_acquire)) {
            return d;
        }
    }
    return NULL;
}

/* What bodies get. */
static void *open_door(door *d, loop *behind, const aic_thread *owner)
{
    d->behind = behind;
    d->owner = owner;
    /* release: who sees the door open sees what is behind it. */
    const uint64_t use = (uint32_t)(atomic_fetch_add_explicit(&d->state, USE, memory_order_release) / USE + 1);
    return (void *)(uintptr_t)(use * DOORS + (uint64_t)(d - doors)); /* no address */
}

/* Bodies that are still inside use memory of the call: the door is closed behind them. */
static void close_door(door *d)
{
    static const struct timespec PAUSE = {.tv_nsec = 50 * 1000};
    atomic_fetch_add_explicit(&d->state, USE, memory_order_acq_rel);
    while (bodies_inside(d) > 0) {
        (void)nanosleep(&PAUSE, NULL);
    }
    atomic_store_explicit(&d->taken, false, memory_order_release);
}

static void loop_body(void *data, int64_t begin, int64_t end, int worker)
{
    const uint64_t number = (uintptr_t)data, use = number / DOORS;
    door *d = &doors[number % DOORS];
    /* acquire: pairs with the release of open_door(). */
    const uint64_t now = atomic_fetch_add_explicit(&d->state, 1, memory_order_acquire) / USE;
    if (now % 2 == 1 && now == use) {
        do_range(d->behind, begin, end, worker);
    }
    atomic_fetch_sub_explicit(&d->state, 1, memory_order_release);
}

/* ---- a loop ---- */

static aic_status judge(const loop *l, const char *subject)
{
    const long long last = (long long)l->items - 1;
    if (atomic_load_explicit(&l->misused, memory_order_relaxed)) {
        return aic_fail(AIC_INVALID_ARGUMENT, subject,
                        "parallel_for: called its body with items outside 0..%lld, or with a worker's number outside "
                        "0..%d or in use",
                        last, l->workers - 1);
    }
    return atomic_load_explicit(&l->covered, memory_order_relaxed) == weigh(l->items) - weigh(0)
               ? AIC_OK
               : aic_fail(
                     AIC_INVALID_ARGUMENT, subject,
                     "parallel_for: did not do each of the items 0..%lld once: it left some out, or did them twice",
                     last);
}

/* Has parallel_for do every item 0 .. items-1 by at most `workers` workers. AIC_INVALID_ARGUMENT when it did not do
 * each item once, or called its body with what it must not; a body that is called when the loop has returned does
 * nothing. */
static aic_status loop_run(const aic_team *team, int workers, int64_t items, aic_team_body body, void *data)
{
    const aic_share *share = team->share;
    door *d = take_door(team->thread);
    if (d == NULL) {
        body(data, 0, items, 0);
        return AIC_OK;
    }
    loop l = {.body = body, .data = data, .workers = workers, .items = items};
    void *number = open_door(d, &l, team->thread);
    team->thread->sharing = true;
    share->parallel_for(share->parallel_for_data, items, workers, loop_body, number);
    team->thread->sharing = false;
    close_door(d);
    return judge(&l, team->subject);
}

/* ---- fork ---- */

/* Bodies that other threads were in are not here, nor are the loops of other threads. */
static void after_fork_in_child(void)
{
    const aic_thread *thread = aic_thread_peek();
    for (size_t i = 0; i < DOORS; i++) {
        door *d = &doors[i];
        const bool open = atomic_load(&d->state) / USE % 2 == 1, own = open && d->owner == thread;
        if (atomic_load(&d->taken) && !own) {
            atomic_store(&d->state, (atomic_load(&d->state) / USE + open) * USE);
            atomic_store(&d->taken, false);
        } else if (own) {
            atomic_store(&d->state, atomic_load(&d->state) / USE * USE);
        }
    }
}

const aic_fork_lock aic_loop_fork = {NULL, &(const aic_fork_part){.in_child = after_fork_in_child}};

typedef struct division {
    const aic_team *team;
    aic_team_body body;
    void *data;
    int workers;
    int64_t items, chunk;
    /* What changes while workers read the rest is in another cache line. */
    char apart[LINE_BYTES];
    atomic_int_fast64_t next; /* the first item that no worker has taken */
    atomic_int done;          /* workers that have returned */
    uint64_t ran_out;         /* when worker 0 found no item left */
} division;

/* ---- by the pool ---- */

/* What a worker does: takes chunks as long as there are any. */
static void work(void *data, size_t worker)
{
    division *d = data;
    /* acquire: pairs with the release in run_by_pool(). The pool orders this, too, in a way that tools do not see. */
    (void)atomic_load_explicit(&d->next, memory_order_acquire);
    int64_t first = atomic_fetch_add_explicit(&d->next, d->chunk, memory_order_relaxed);
    while (first < d->items) {
        const int64_t last = first + d->chunk;
        d->body(d->data, first, last < d->items ? last : d->items, (int)worker);
        if (aic_pool_is_crowded(worker, d->team->share->threads)) {
            break;
        }
        first = atomic_fetch_add_explicit(&d->next, d->chunk, memory_order_relaxed);
    }
    if (worker == 0) {
        d->ran_out = aic_log_now();
    }
    /* release: pairs with the acquire in run_by_pool(), for the same reason. */
    atomic_fetch_add_explicit(&d->done, 1, memory_order_release);
}

static void run_by_pool(division *d)
{
    /* Chunks that are small enough for workers that begin late or are held up, large enough to cost nothing. */
    enum { CHUNKS = 4 };
    const int workers = d->items < d->workers ? (int)d->items : d->workers;
    d->chunk = 1 + (d->items - 1) / ((int64_t)workers * CHUNKS);
    atomic_store_explicit(&d->next, 0, memory_order_release);
    const uint64_t began = aic_log_now();
    aic_pool_run(&d->team->turn, workers, work, d);
    (void)atomic_load_explicit(&d->done, memory_order_acquire);
    aic_pool_report(workers, began, d->ran_out);
}

/* ---- the team ---- */

void aic_team_enter(aic_team *team, const aic_share *share, const char *subject, aic_thread *thread, int wanted)
{
    *team = (aic_team){.share = share, .subject = subject, .thread = thread, .workers = 1};
    team->cancellation = aic_cancellation_disable();
    if (thread->sharing) {
        return;
    }
    if (share->parallel_for != NULL) {
        team->workers = wanted;
        return;
    }
    const aic_pool_wish wish = {.threads = share->threads, .log = share->log, .processors = &share->processors};
    aic_pool_enter(&team->turn, &wish);
    team->pooled = true;
    team->workers = team->turn.workers < wanted ? team->turn.workers : wanted;
}

void aic_team_leave(const aic_team *team)
{
    if (team->pooled) {
        aic_pool_leave(&team->turn);
    }
    aic_cancellation_restore(team->cancellation);
}

aic_status aic_team_run(const aic_team *team, int workers, int64_t items, aic_team_body body, void *data)
{
    if (items <= 1 || workers <= 1) {
        body(data, 0, items, 0);
        return AIC_OK;
    }
    if (!team->pooled) {
        return loop_run(team, workers, items, body, data);
    }
    division d = {.team = team, .body = body, .data = data, .workers = workers, .items = items};
    run_by_pool(&d);
    return AIC_OK;
}
