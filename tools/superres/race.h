/* What is measured: the network in each mode and on each number of threads, and the peers, in turns. */
#ifndef AIC_SUPERRES_RACE_H
#define AIC_SUPERRES_RACE_H

#include "tools/superres/enlarge.h"
#include "tools/superres/peers.h"

enum { RACE_THREADS = 2, RACE_PEERS = 3, RACE_ROUNDS_MAX = 64 };

/* ncnn-direct: without Winograd's convolutions, which take fewer multiplications and are not what a direct sum gives.
 */
extern const char *const race_mode_name[PLAN_MODES], *const race_peer_name[RACE_PEERS];

/* Medians, in nanoseconds; 0: not measured. The second index: one thread, all threads. What one thread takes is its
 * processor time, so that it does not contain what other programs take. */
typedef struct race_times {
    int threads[RACE_THREADS]; /* how many; equal where there is one */
    double mode[PLAN_MODES][RACE_THREADS], peer[RACE_PEERS][RACE_THREADS];
    double layer[PLAN_MODES][NETWORK_LAYERS_MAX + 1]; /* on one thread */
} race_times;

typedef struct race {
    plan *plan[PLAN_MODES][RACE_THREADS]; /* the second NULL where there is one thread */
    const tiling *tiles;
    const picture *in;
    picture *out[PLAN_MODES]; /* the pictures, when it is over */
    int layers, rounds;
    bool warm_up; /* a round that is not counted comes first */
    peers *peers; /* process 0: none */
    bool (*step)(void);
} race;

/* How often `step` will be called. */
size_t race_steps(const race *r);

/* An exit status with a message. `step` may end it early; then the times are those so far. */
int race_run(const race *r, race_times *times);

#endif
