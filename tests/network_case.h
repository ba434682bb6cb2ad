/* Networks in tests: a folder of their own with network.txt and .npy files. Everything is asserted. */
#pragma once

#include <aic/aic.h>

enum { NETWORK_CASE_PATH = 96 };

typedef struct network_case {
    char folder[NETWORK_CASE_PATH];
} network_case;

void network_case_open(network_case *c);
void network_case_close(const network_case *c); /* removes the folder with its files */

/* The path of a file of the folder, in static storage. */
const char *network_case_path(const network_case *c, const char *name);

/* Writes network.txt: the first line, and these. And any bytes. */
void network_case_text(const network_case *c, const char *lines);
void network_case_file(const network_case *c, const char *name, const void *bytes, size_t size);

/* Writes a .npy file of `count` elements, pseudo-random ones when data is NULL: small integers, or floats between -1
 * and 1. Returns them, malloc'ed with 64-byte alignment. */
void *network_case_npy(const network_case *c, const char *name, aic_dtype dtype, int64_t count, const void *data);

/* Pseudo-random elements of that kind. */
void *network_case_values(aic_dtype dtype, int64_t count, uint64_t seed);

/* Opens the folder's network; and with a message that fails the test. */
aic_network *network_case_network(const network_case *c, aic_context *context, const aic_network_options *options);

/* A context with so many threads, for the level isa; NULL: the best one. */
aic_context *network_case_context(int threads, const char *isa);

/* Calls a network of one input and one output. */
aic_status network_case_call(const aic_network *network, const void *x, void *y);
