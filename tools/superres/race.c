/* A round is one run of everything, so that what slows the machine down for a while slows all of them down. */
#include "tools/superres/race.h"

#include "tools/harness/fail.h"
#include "tools/harness/interrupt.h"
#include "tools/harness/timer.h"

#include <stdlib.h>

const char *const race_mode_name[PLAN_MODES] = {"float16 cube", "float16 fast", "int8"};
const char *const race_peer_name[RACE_PEERS] = {"ncnn", "onnxruntime", "ncnn-direct"};

/* One entrant's times, a round each. */
typedef struct samples {
    double mode[PLAN_MODES][RACE_THREADS][RACE_ROUNDS_MAX], peer[RACE_PEERS][RACE_THREADS][RACE_ROUNDS_MAX];
    double layer[PLAN_MODES][NETWORK_LAYERS_MAX + 1][RACE_ROUNDS_MAX];
} samples;

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *sample, int count)
{
    if (count == 0) {
        return 0;
    }
    qsort(sample, (size_t)count, sizeof *sample, ascending);
    return (sample[(count - 1) / 2] + sample[count / 2]) / 2;
}

static int tiles_of(const race *r)
{
    return r->tiles->across * r->tiles->down;
}

size_t race_steps(const race *r)
{
    size_t plans = 0;
    for (int i = 0; i < PLAN_MODES * RACE_THREADS; i++) {
        plans += r->plan[i / RACE_THREADS][i % RACE_THREADS] != NULL;
    }
    return plans * (size_t)tiles_of(r) * (size_t)r->layers * (size_t)(r->rounds + r->warm_up);
}

/* The layers' times of a picture are the sums over its tiles, which are all alike: the last one stands for them. */
static void take_layers(const race *r, const plan *p, samples *s, int mode, int round)
{
    for (int i = 0; i <= r->layers; i++) {
        s->layer[mode][i][round] = (double)plan_layer_ns(p, i) * tiles_of(r);
    }
}

/* round -1: a run to warm up. */
static int run_round(const race *r, samples *s, int round, const race_times *times)
{
    const enlarge_hooks hooks = {.step = r->step};
    int status = CLI_DONE;
    for (int i = 0; status == CLI_DONE && !interrupt_requested() && i < PLAN_MODES * RACE_THREADS; i++) {
        const int mode = i / RACE_THREADS, threads = i % RACE_THREADS;
        plan *p = r->plan[mode][threads];
        if (p == NULL) {
            continue;
        }
        uint64_t (*const now)(void) = threads == 0 ? timer_thread_now : timer_now;
        const uint64_t start = now();
        status = enlarge(p, r->tiles, r->in, r->out[mode], NULL, &hooks);
        if (round >= 0) {
            s->mode[mode][threads][round] = (double)(now() - start);
        }
        if (round >= 0 && threads == 0) {
            take_layers(r, p, s, mode, round);
        }
    }
    const int runs = r->peers->process > 0 && round >= 0 ? RACE_PEERS * RACE_THREADS : 0;
    for (int i = 0; status == CLI_DONE && !interrupt_requested() && i < runs; i++) {
        const int peer = i / RACE_THREADS, threads = i % RACE_THREADS;
        status = peers_time(r->peers, race_peer_name[peer], times->threads[threads], &s->peer[peer][threads][round]);
    }
    return status;
}

int race_run(const race *r, race_times *times)
{
    samples *s = calloc(1, sizeof *s);
    int status = s != NULL ? CLI_DONE : cli_fail_memory("times", sizeof *s);
    for (int round = r->warm_up ? -1 : 0; status == CLI_DONE && !interrupt_requested() && round < r->rounds; round++) {
        status = run_round(r, s, round, times);
    }
    for (int t = 0; status == CLI_DONE && t < RACE_THREADS; t++) {
        for (int mode = 0; mode < PLAN_MODES; mode++) {
            times->mode[mode][t] = median(s->mode[mode][t], r->rounds);
        }
        for (int peer = 0; peer < RACE_PEERS; peer++) {
            times->peer[peer][t] = median(s->peer[peer][t], r->rounds);
        }
    }
    for (int i = 0; status == CLI_DONE && i < PLAN_MODES * (r->layers + 1); i++) {
        const int mode = i / (r->layers + 1), layer = i % (r->layers + 1);
        times->layer[mode][layer] = median(s->layer[mode][layer], r->rounds);
    }
    free(s);
    return status;
}
