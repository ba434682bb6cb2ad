/* Timing networks: as a whole, and kernel by kernel inside of it. */
#ifndef AIC_TOOLS_NETWORK_BENCH_H
#define AIC_TOOLS_NETWORK_BENCH_H

#include <aic/aic.h>

/* What the network's steps are noted in: user and step of its options. */
typedef struct network_clock network_clock;

/* NULL: memory ran out. */
network_clock *network_clock_new(void);
void network_clock_free(network_clock *clock);
void network_clock_step(void *user, size_t kernel);

/* Measures calls on these tensors for about `seconds`, and prints a line a kernel and the sums; json: one object.
 * Returns an exit status. */
int network_bench(const aic_network *network, network_clock *clock, void *const tensors[], double seconds, bool json);

#endif
