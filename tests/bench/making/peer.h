/* The peer: a library that makes code for shapes, too. Without one installed nothing is measured. */
#pragma once

#include <aic/aic.h>
#include <stddef.h>

/* "oneDNN 3.6.2"; NULL without a peer. */
const char *making_peer_name(void);

/* Has the peer make what computes the same from operands in the layouts that it likes best, without its cache, and says
 * what that is. False where it has no such thing; a failure ends the program. */
bool making_peer_make(const aic_spec *spec, double (*now_ms)(void), double *ms, char *what, size_t capacity);
