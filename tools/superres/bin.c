/* NAME.bin: for each convolution its weights, which a tag of four bytes announces, and its bias; for each PReLU its
 * slopes. Numbers are little-endian; bias and slopes are float32 without a tag. */
#include "tools/harness/element.h"
#include "tools/harness/fail.h"
#include "tools/superres/network.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BIN_BYTES_MAX = 64 << 20, TAG_BYTES = 4 };

/* What weights can be stored as. */
static const struct {
    uint32_t tag;
    aic_dtype type; /* AIC_DTYPE_NONE: not read here */
    const char *what;
} TAG[] = {
    {0x01306B47, AIC_FLOAT16, "float16"},
    {0, AIC_FLOAT32, "float32"},
    {0x000D4B38, AIC_DTYPE_NONE, "int8"},
    {0x0002C056, AIC_DTYPE_NONE, "float32 with scales"},
};

enum { TAGS = sizeof TAG / sizeof *TAG };

typedef struct reader {
    const char *path, *bytes;
    size_t size, at;
} reader;

/* `count` numbers of a layer; padded: to a multiple of four bytes. */
static int read_numbers(reader *r, const char *layer, const char *what, aic_dtype type, size_t count, float **numbers)
{
    const size_t each = aic_dtype_size(type), start = r->at, bytes = (count * each + 3) / 4 * 4;
    if (r->size - start < bytes) {
        return cli_fail(CLI_WRONG, "\"%s\", byte %zu: %s of %s take %zu bytes, and the file ends after %zu", r->path,
                        start, what, layer, bytes, r->size - start);
    }
    *numbers = malloc(count * sizeof **numbers);
    if (*numbers == NULL) {
        return cli_fail_memory(layer, count * sizeof **numbers);
    }
    for (size_t i = 0; i < count; i++) {
        (*numbers)[i] = (float)element_to_double(type, r->bytes + start + i * each);
        if (!isfinite((*numbers)[i])) {
            return cli_fail(CLI_WRONG, "\"%s\", byte %zu: %s of %s: number %zu of %zu is not finite", r->path,
                            start + i * each, what, layer, i, count);
        }
    }
    r->at += bytes;
    return CLI_DONE;
}

static int read_tag(reader *r, const char *layer, aic_dtype *type)
{
    uint32_t tag = 0;
    if (r->size - r->at < TAG_BYTES) {
        return cli_fail(CLI_WRONG, "\"%s\", byte %zu: the file ends before the weights of %s", r->path, r->at, layer);
    }
    memcpy(&tag, r->bytes + r->at, sizeof tag); /* hosts are little-endian */
    for (int i = 0; i < TAGS; i++) {
        if (TAG[i].tag == tag && TAG[i].type != AIC_DTYPE_NONE) {
            *type = TAG[i].type;
            r->at += TAG_BYTES;
            return CLI_DONE;
        }
        if (TAG[i].tag == tag) {
            return cli_fail(CLI_WRONG, "\"%s\", byte %zu: weights of %s are %s; float16 and float32 are read", r->path,
                            r->at, layer, TAG[i].what);
        }
    }
    return cli_fail(CLI_WRONG, "\"%s\", byte %zu: 0x%08x is no tag in front of the weights of %s", r->path, r->at, tag,
                    layer);
}

static int read_layer(reader *r, network_layer *l)
{
    aic_dtype type = AIC_DTYPE_NONE;
    const size_t out = (size_t)l->out;
    int status = read_tag(r, l->name, &type);
    if (status == CLI_DONE) {
        status = read_numbers(r, l->name, "weights", type, out * (size_t)l->in * NETWORK_TAPS, &l->weights);
    }
    status = status == CLI_DONE ? read_numbers(r, l->name, "biases", AIC_FLOAT32, out, &l->bias) : status;
    if (status == CLI_DONE && l->prelu[0] != '\0') {
        status = read_numbers(r, l->prelu, "slopes", AIC_FLOAT32, out, &l->slope);
    }
    return status;
}

int network_read_bin(network *n, const char *path)
{
    reader r = {.path = path};
    char *bytes = NULL;
    int status = read_whole_file(path, BIN_BYTES_MAX, &bytes, &r.size);
    r.bytes = bytes;
    for (int i = 0; status == CLI_DONE && i < n->count; i++) {
        status = read_layer(&r, &n->layer[i]);
    }
    if (status == CLI_DONE && r.at != r.size) {
        status = cli_fail(CLI_WRONG, "\"%s\", byte %zu: %zu bytes behind the last layer", path, r.at, r.size - r.at);
    }
    free(bytes);
    return status;
}
