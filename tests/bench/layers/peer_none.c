/* No peer was there when this was built. */
#include "tests/bench/layers/peer.h"

#include <stddef.h>

const char *peer_name(void)
{
    return NULL;
}

int peer_major(void)
{
    return 0;
}

peer_convolution *peer_open(const peer_problem *problem)
{
    (void)problem;
    return NULL;
}

void peer_close(peer_convolution *c)
{
    (void)c;
}

void peer_run(void *convolution)
{
    (void)convolution;
}

void peer_result(peer_convolution *c, void *values)
{
    (void)c;
    (void)values;
}

const char *peer_implementation(const peer_convolution *c)
{
    (void)c;
    return "";
}
