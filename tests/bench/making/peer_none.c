/* No peer was there when this was built. */
#include "tests/bench/making/peer.h"

const char *making_peer_name(void)
{
    return NULL;
}

bool making_peer_make(const aic_spec *spec, double (*now_ms)(void), double *ms, char *what, size_t capacity)
{
    (void)spec;
    (void)now_ms;
    (void)ms;
    (void)what;
    (void)capacity;
    return false;
}
