/* A network for pictures of one size: every kernel made, every weight packed, every buffer there. */
#ifndef AIC_SUPERRES_PLAN_H
#define AIC_SUPERRES_PLAN_H

#include "tools/superres/forms.h"
#include "tools/superres/quantise.h"

#include <aic/aic.h>

typedef enum plan_mode { PLAN_CUBE, PLAN_FAST, PLAN_INT8, PLAN_MODES } plan_mode;

typedef struct plan_request {
    aic_context *context;
    const network *network; /* signs turned, pictures in 256ths */
    const quantised *int8;  /* for PLAN_INT8; else not looked at */
    plan_mode mode;
    form_style style;
    int height, width;
    bool as_float; /* the result as numbers, not as a picture */
} plan_request;

/* The most pixels of a plan, for the sake of memory, 420 bytes a pixel; of one without chains, as fixpipe alone stores
 * at most 8192 rows of accumulators row by row. */
enum { PLAN_PIXELS_MAX = 1 << 18, PLAN_PIXELS_MAX_SEPARATE = 8192 };

typedef struct plan plan;

/* An exit status with a message. The network and the quantised one must outlive the plan. */
int plan_create(plan **made, const plan_request *request);
void plan_free(plan *p); /* NULL does nothing */

/* Where the picture goes before plan_run(): uint8 [height, width, 3]. */
uint8_t *plan_input(plan *p);

/* Computes. `on_layer` (may be NULL) is called before the first layer and after each: false makes the rest stay undone,
 * which is no error. An exit status with a message. */
int plan_run(plan *p, bool (*on_layer)(void *data, int layers), void *data);

/* After plan_run(): the picture, uint8 [4*height, 4*width, 3]; or, as_float, the sums [height*width, 48] in 256ths. */
const uint8_t *plan_picture(const plan *p);
const float *plan_values(const plan *p);

/* A part of a plan's picture, without its right and bottom. */
typedef struct region {
    int left, right, top, bottom;
} region;

/* Adds to the peaks what a layer's result, float16, has there: for `on_layer`, of a plan of float16. */
void plan_add_peaks(const plan *p, int i, const region *where, peaks *found);

/* Of the last run: nanoseconds of the calling thread in a layer; of the picture's way in and out (i = the number of
 * layers). */
uint64_t plan_layer_ns(const plan *p, int i);

/* What a layer's convolution would take at the rate of the vector unit; 0 where that is not known. */
double plan_layer_bound_ns(const plan *p, int i);

/* The schedule of the layer's convolution, and its operators as a short list: "conv2d | BM_MUL | fixpipe". */
const char *plan_layer_schedule(const plan *p, int i);
void plan_layer_operators(const plan *p, int i, char *text, size_t size);

#endif
