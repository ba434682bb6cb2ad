/* What does not depend on how the files are written. */
#include "tools/superres/network.h"

#include "tools/harness/fail.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int read_whole_file(const char *path, size_t limit, char **bytes, size_t *size)
{
    FILE *file = fopen(path, "rb");
    *bytes = NULL;
    if (file == NULL) {
        return cli_fail(CLI_WRONG, "\"%s\": %s", path, strerror(errno));
    }
    char *all = malloc(limit + 1);
    *size = all == NULL ? 0 : fread(all, 1, limit + 1, file);
    const bool broken = ferror(file) != 0;
    const int error = errno;
    (void)fclose(file);
    int status = CLI_DONE;
    if (all == NULL) {
        status = cli_fail_memory(path, limit);
    } else if (broken) { /* a folder, for one */
        status = cli_fail(CLI_WRONG, "\"%s\": %s", path, strerror(error));
    } else if (*size > limit) {
        status = cli_fail(CLI_WRONG, "\"%s\": more than %zu bytes, which no network of this kind has", path, limit);
    }
    if (status != CLI_DONE) {
        free(all);
        return status;
    }
    all[*size] = '\0';
    *bytes = all;
    return CLI_DONE;
}

int network_load(network *n, const char *param, const char *bin)
{
    int status = network_read_param(n, param);
    status = status == CLI_DONE ? network_read_bin(n, bin) : status;
    if (status != CLI_DONE) {
        network_free(n);
    }
    return status;
}

void network_free(network *n)
{
    for (int i = 0; i < n->count; i++) {
        free(n->layer[i].weights);
        free(n->layer[i].bias);
        free(n->layer[i].slope);
    }
    *n = (network){0};
}

static void turn_channel(network_layer *own, network_layer *next, int channel)
{
    float *row = own->weights + (size_t)channel * (size_t)own->in * NETWORK_TAPS;
    for (int i = 0; i < own->in * NETWORK_TAPS; i++) {
        row[i] = -row[i];
    }
    own->bias[channel] = -own->bias[channel];
    for (int o = 0; o < next->out; o++) {
        float *column = next->weights + ((size_t)o * (size_t)next->in + (size_t)channel) * NETWORK_TAPS;
        for (int tap = 0; tap < NETWORK_TAPS; tap++) {
            column[tap] = -column[tap];
        }
    }
}

void network_turn_signs(network *n)
{
    for (int i = 0; i + 1 < n->count; i++) {
        for (int c = 0; c < n->layer[i].out; c++) {
            if (n->layer[i].slope[c] > 1) {
                turn_channel(&n->layer[i], &n->layer[i + 1], c);
            }
        }
    }
}

void network_take_256ths(network *n)
{
    for (int i = 0; i < n->count; i++) {
        for (int c = 0; c < n->layer[i].out; c++) {
            n->layer[i].bias[c] *= NETWORK_SHRINK;
        }
    }
}

double network_macs(const network *n, int first, int count)
{
    double macs = 0;
    for (int i = first; i < first + count; i++) {
        macs += (double)n->layer[i].in * n->layer[i].out * NETWORK_TAPS;
    }
    return macs;
}
