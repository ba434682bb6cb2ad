/* What the generator supposes of the machine besides its instruction set: caches, and from which sizes on it is worth
 * going past them. The facts need not be the host's, as a schedule must not depend on where it was made. */
#ifndef AIC_MACHINE_H
#define AIC_MACHINE_H

#include <stdint.h>

typedef struct aic_machine {
    int64_t line_bytes;        /* of a cache line; a power of two, no less than the widest vector */
    int64_t l1_bytes, l1_ways; /* the first-level cache of data; lines that fall into the same set */
    int64_t l2_bytes;          /* the second-level cache of a core */
    int64_t l3_bytes;          /* what a core may count on of the third-level cache */
    int64_t path_bytes;        /* that the second-level cache gives or takes in a cycle */
    int64_t burst_bytes;       /* of an input that are read in short steps before a long one */
    int64_t share_cost;        /* predicted vector operations from which on workers may share a call */
    int64_t past_bytes; /* outputs from here on are in no cache when they are read next: stores go past the caches */
} aic_machine;

const aic_machine *aic_machine_facts(void);

/* For tests: supposes another machine from now on, on which small data run code that is made for large ones; NULL: the
 * usual one. `machine` must stay. Kernels that a context has already are not made anew. */
void aic_machine_suppose(const aic_machine *machine);

#endif
