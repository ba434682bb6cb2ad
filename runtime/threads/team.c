/* Dividing items among workers; see team.h. */
#include "runtime/threads/team.h"
#include "runtime/generator/worker.h"
#include "runtime/observe/log.h"
#include "runtime/threads/loop.h"

#include <stdatomic.h>

enum { LINE_BYTES = 64 };

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
        return aic_loop_run(team, workers, items, body, data);
    }
    division d = {.team = team, .body = body, .data = data, .workers = workers, .items = items};
    run_by_pool(&d);
    return AIC_OK;
}
