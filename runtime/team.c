/* Dividing items among workers; see team.h. */
#include "runtime/team.h"
#include "frontend/core/diag.h"
#include "runtime/log.h"
#include "runtime/worker.h"

#include <stdatomic.h>

enum { LINE_BYTES = 64, WORD_BITS = 64, IN_USE_WORDS = AIC_THREADS_MAX / WORD_BITS };

typedef struct division {
    const aic_team *team;
    aic_team_body body;
    void *data;
    int workers;
    int64_t items, chunk;
    /* What changes while workers read the rest is in another cache line. */
    char apart[LINE_BYTES];
    atomic_int_fast64_t next;                  /* the first item that no worker of the pool has taken */
    atomic_int_fast64_t done;                  /* workers that have returned, or items of a parallel_for */
    uint64_t ran_out;                          /* when worker 0 found no item left */
    atomic_bool misused;                       /* by parallel_for */
    atomic_uint_fast64_t in_use[IN_USE_WORDS]; /* numbers of its workers that run, a bit each */
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

/* ---- by the caller's loop ---- */

/* Takes a worker's number; false when it is none, or in use. */
static bool take_number(division *d, int worker)
{
    if (worker < 0 || worker >= d->workers) {
        return false;
    }
    const uint_fast64_t bit = UINT64_C(1) << (worker % WORD_BITS);
    /* acquire: pairs with the release of the body that had the number before, whose memory this one uses. */
    return (atomic_fetch_or_explicit(&d->in_use[worker / WORD_BITS], bit, memory_order_acquire) & bit) == 0;
}

static void give_number(division *d, int worker)
{
    const uint_fast64_t bit = UINT64_C(1) << (worker % WORD_BITS);
    atomic_fetch_and_explicit(&d->in_use[worker / WORD_BITS], ~bit, memory_order_release);
}

static void loop_body(void *data, int64_t begin, int64_t end, int worker)
{
    division *d = data;
    if (begin < 0 || begin > end || end > d->items || !take_number(d, worker)) {
        atomic_store_explicit(&d->misused, true, memory_order_relaxed);
        return;
    }
    if (begin < end) {
        d->body(d->data, begin, end, worker);
    }
    give_number(d, worker);
    atomic_fetch_add_explicit(&d->done, end - begin, memory_order_release);
}

static aic_status run_by_loop(division *d)
{
    const aic_share *share = d->team->share;
    d->team->thread->sharing = true;
    share->parallel_for(share->parallel_for_data, d->items, d->workers, loop_body, d);
    d->team->thread->sharing = false;
    const int64_t done = atomic_load_explicit(&d->done, memory_order_acquire);
    if (atomic_load_explicit(&d->misused, memory_order_relaxed)) {
        return aic_fail(AIC_INVALID_ARGUMENT, d->team->subject,
                        "parallel_for: called its body with items outside 0..%lld, or with a worker's number outside "
                        "0..%d or in use",
                        (long long)d->items - 1, d->workers - 1);
    }
    return done == d->items ? AIC_OK
                            : aic_fail(AIC_INVALID_ARGUMENT, d->team->subject, "parallel_for: did %lld of %lld items",
                                       (long long)done, (long long)d->items);
}

/* ---- the team ---- */

void aic_team_enter(aic_team *team, const aic_share *share, const char *subject, aic_thread *thread, int wanted)
{
    *team = (aic_team){.share = share, .subject = subject, .thread = thread, .workers = 1};
    team->cancellation = aic_cancellation_disable();
    if (wanted <= 1 || thread->sharing) {
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
    division d = {.team = team, .body = body, .data = data, .workers = workers, .items = items};
    if (!team->pooled) {
        return run_by_loop(&d);
    }
    run_by_pool(&d);
    return AIC_OK;
}
