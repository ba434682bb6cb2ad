/* A network of four layers for tests; see layers_case.h. */
#include "tests/layers_case.h"
#include "frontend/core/stage.h"
#include "tests/specs.h"

#include <aic/aic.h>
#include <stdlib.h>
#include <string.h>

#define RUN(out, in, w) "kernel " LAYERS_SPEC " : dst=" #out " feature_map=" #in " weight=" #w "\n"

static const char LAYERS[] = "input x int8 [1,6,6,32]\n\n"
                             "constant w w.npy\nconstant v v.npy\n"
                             "  # three layers share two buffers\n" LAYERS_BUFFER(a) LAYERS_BUFFER(b) LAYERS_BUFFER(c)
                                 LAYERS_BUFFER(y) RUN(a, x, w) RUN(b, a, v) RUN(c, b, w) RUN(y, c, v) "output y\n";

void layers_open(network_case *c, void *weights[2])
{
    network_case_open(c);
    weights[0] = network_case_npy(c, "w.npy", AIC_INT8, LAYERS_WEIGHTS, NULL);
    weights[1] = network_case_npy(c, "v.npy", AIC_INT8, LAYERS_WEIGHTS, NULL);
    network_case_text(c, LAYERS);
}

void layers_close(network_case *c, void *weights[2])
{
    network_case_close(c);
    free(weights[0]);
    free(weights[1]);
}

void layers_expect(const void *x, void *const weights[2], int8_t y[LAYERS_PLANE])
{
    const aic_spec spec = spec_of(LAYERS_SPEC);
    static _Alignas(64) int8_t plane[2][LAYERS_PLANE];
    memcpy(plane[0], x, LAYERS_PLANE);
    for (int layer = 0; layer < 4; layer++) {
        void *const operands[] = {plane[(layer + 1) % 2], plane[layer % 2], weights[layer % 2], NULL};
        run_reference(&spec, NULL, operands, 4);
    }
    memcpy(y, plane[0], LAYERS_PLANE);
}
