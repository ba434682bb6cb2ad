/* A picture of any size through a plan of one size: in tiles that overlap by what the network sees around a pixel, so
 * that the result does not depend on them, bit for bit but for float16 fast, whose sums may have another order in
 * kernels of another size. */
#ifndef AIC_SUPERRES_ENLARGE_H
#define AIC_SUPERRES_ENLARGE_H

#include "tools/demo/picture.h"
#include "tools/superres/plan.h"

/* Tiles of one size; `across` times `down` of them. */
typedef struct tiling {
    int across, down, width, height;
    int margin; /* pixels at an inner edge of a tile that are not used */
} tiling;

/* The least work for a picture of this size in tiles of at most `pixels` pixels, for a network of that many layers. An
 * exit status with a message when the picture is too large, or `pixels` too few. */
int choose_tiles(tiling *t, int width, int height, int layers, int64_t pixels);

/* Called on the way; both may be NULL. */
typedef struct enlarge_hooks {
    bool (*step)(void);                                                  /* a layer is done; false: stop */
    void (*layer)(void *data, const plan *p, int i, const region *used); /* layer i has a result */
    void *data;
} enlarge_hooks;

/* The picture through the plan, into `out`, four times as wide and high, or, of a plan as_float, into `values`, float32
 * [4*height, 4*width, 3] in 255ths of the picture's scale: 1 is white. An exit status with a message. */
int enlarge(plan *p, const tiling *t, const picture *in, picture *out, float *values, const enlarge_hooks *hooks);

#endif
