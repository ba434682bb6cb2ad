/* A plan is a list of steps a layer, each a kernel and its operands. Feature maps alternate between two buffers; what
 * leads in and out of the layers is the picture's part. */
#include "tools/superres/plan.h"

#include "tools/harness/element.h"
#include "tools/harness/fail.h"
#include "tools/harness/memory.h"
#include "tools/harness/peak.h"
#include "tools/harness/timer.h"
#include "tools/superres/constants.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 8, BLOCK = 16, GREYS = 256, PACKED_ALIGNMENT = 64 };

typedef struct step {
    aic_kernel *kernel;
    void *operands[FORM_OPERANDS];
    size_t count;
    void *packed; /* the weights' image, owned; NULL: the kernel takes them as they are */
    aic_op op;    /* its first operator */
    double bound_ns;
} step;

typedef struct layer {
    constants constants;
    step step[STEPS_MAX];
    const form *forms;
    int steps;
    uint64_t ns;
} layer;

typedef struct memory {
    void *at;
    size_t size;
} memory;

struct plan {
    plan_request request;
    layer layer[NETWORK_LAYERS_MAX + 1]; /* the one behind the last: the picture's way out */
    memory map[2];                       /* feature maps by turns */
    memory pixels, first, sums, scaled, values, planes, picture, input;
    uint64_t in_ns;
    uint16_t half[GREYS]; /* pixels / 256 */
};

/* ---- buffers ---- */

static int open_memory(memory *m, size_t size)
{
    *m = (memory){.at = memory_map(size), .size = size};
    return m->at != NULL ? CLI_DONE : cli_fail_memory("a buffer of the network", size);
}

static void close_memory(memory *m)
{
    if (m->at != NULL) {
        memory_unmap(m->at, m->size);
    }
    *m = (memory){0};
}

static int open_buffers(plan *p)
{
    const plan_request *r = &p->request;
    const size_t howo = (size_t)r->height * (size_t)r->width, rows = (howo + 15) / 16 * 16;
    const size_t each = r->mode == PLAN_INT8 ? 1 : 2;
    size_t most = 0;
    for (int i = 0; i < r->network->count; i++) {
        const size_t cout = (size_t)constants_sizes(r, i).cout;
        most = cout > most ? cout : most;
    }
    const struct {
        memory *memory;
        size_t size;
    } wanted[] = {
        {&p->map[0], howo * most * each},
        {&p->map[1], howo * most * each},
        {&p->first, howo * 4 * each},
        {&p->pixels, (howo * 3 + 16) * sizeof(float)}, /* the last block's rows are rounded up */
        {&p->sums, r->style == FORM_SEPARATE ? rows * most * 4 : 1},
        {&p->scaled, r->style == FORM_SEPARATE ? rows * most * 4 : 1},
        {&p->values, howo * NETWORK_OUT * (r->as_float ? sizeof(float) : 1)},
        {&p->planes, howo * NETWORK_OUT},
        {&p->picture, howo * NETWORK_OUT},
        {&p->input, howo * NETWORK_COLOURS},
    };
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < sizeof wanted / sizeof *wanted; i++) {
        status = open_memory(wanted[i].memory, wanted[i].size);
    }
    return status;
}

static void *buffer_of(plan *p, int i, buffer which)
{
    constants *c = &p->layer[i].constants;
    void *const at[BUFFER_KINDS] = {
        [BUFFER_IN] = i == 0 ? p->first.at : p->map[(i + 1) % 2].at,
        [BUFFER_OUT] = p->map[i % 2].at,
        [BUFFER_SUMS] = p->sums.at,
        [BUFFER_SCALED] = p->scaled.at,
        [BUFFER_WEIGHTS] = c->weights,
        [BUFFER_START] = c->start,
        [BUFFER_SLOPE] = c->slope,
        [BUFFER_FACTOR] = c->factor,
        [BUFFER_WORDS] = c->words,
        [BUFFER_PIXELS] = p->pixels.at,
        [BUFFER_VALUES] = p->values.at,
        [BUFFER_PLANES] = p->planes.at,
        [BUFFER_PICTURE] = p->picture.at,
    };
    return at[which];
}

/* ---- steps ---- */

/* Packs what the kernel wants packed, the weights or nothing. */
static aic_status pack(step *s)
{
    aic_status status = AIC_OK;
    for (size_t i = 0; i < s->count && status == AIC_OK; i++) {
        size_t size = 0;
        status = aic_kernel_packed_size(s->kernel, i, &size);
        if (status != AIC_OK || size == 0) {
            continue;
        }
        s->packed =
            aligned_alloc(PACKED_ALIGNMENT, (size + PACKED_ALIGNMENT - 1) / PACKED_ALIGNMENT * PACKED_ALIGNMENT);
        status = s->packed == NULL ? AIC_OUT_OF_MEMORY : aic_kernel_pack(s->kernel, i, s->packed, s->operands[i]);
        s->operands[i] = s->packed;
    }
    return status;
}

static double bound_of(const plan *p, const aic_spec *spec, const aic_kernel_info *info)
{
    aic_prediction predicted;
    if (aic_schedule_predict(p->request.context, spec, info->schedule, &predicted) != AIC_OK) {
        return 0;
    }
    static int bits = 0;
    static double rate = 0; /* measured once: it takes tens of milliseconds */
    if (bits != predicted.vector_bits) {
        bits = predicted.vector_bits;
        rate = aic_peak_vector_operations(bits);
    }
    return rate > 0 ? predicted.bound / (rate * info->threads) : 0;
}

static int open_step(plan *p, int i, step *s, const form *f, const form_sizes *sizes)
{
    char text[FORM_TEXT];
    aic_spec spec;
    aic_kernel_info info;
    if (!form_expand(text, f->text, sizes)) {
        return cli_fail(CLI_SYSTEM, "an operator's text is longer than %d bytes", FORM_TEXT);
    }
    aic_status status = aic_spec_parse(text, &spec);
    status = status == AIC_OK ? aic_kernel_create(p->request.context, &spec, NULL, &s->kernel) : status;
    status = status == AIC_OK ? aic_kernel_get_info(s->kernel, &info) : status;
    if (status == AIC_OK) {
        s->count = (size_t)f->operands;
        s->op = spec.stage[0].op;
        s->bound_ns = bound_of(p, &spec, &info);
        for (size_t k = 0; k < s->count; k++) {
            s->operands[k] = buffer_of(p, i, f->operand[k]);
        }
        status = pack(s);
    }
    return status == AIC_OK ? CLI_DONE : cli_fail_library(p->request.network->layer[i].name, status);
}

static int open_layer(plan *p, int i)
{
    const plan_request *r = &p->request;
    layer *l = &p->layer[i];
    const bool behind = i == r->network->count;
    const form_sizes sizes = behind ? (form_sizes){.h = r->height, .w = r->width} : constants_sizes(r, i);
    int status = behind ? CLI_DONE : constants_open(&l->constants, r, i);
    l->forms = behind ? forms_of_picture()
                      : forms_of_layer(r->mode == PLAN_INT8, i + 1 == r->network->count, r->as_float, r->style);
    for (const form *f = l->forms; status == CLI_DONE && f->text != NULL; f++) {
        status = open_step(p, i, &l->step[l->steps++], f, &sizes);
    }
    return status;
}

int plan_create(plan **made, const plan_request *request)
{
    plan *p = calloc(1, sizeof *p);
    *made = NULL;
    if (p == NULL) {
        return cli_fail_memory("a plan", sizeof *p);
    }
    p->request = *request;
    for (int grey = 0; grey < GREYS; grey++) {
        p->half[grey] = element_half(grey / 256.0);
    }
    int status = open_buffers(p);
    const int layers = request->network->count + (request->as_float ? 0 : 1);
    for (int i = 0; status == CLI_DONE && i < layers; i++) {
        status = open_layer(p, i);
    }
    if (status != CLI_DONE) {
        plan_free(p);
        return status;
    }
    *made = p;
    return CLI_DONE;
}

void plan_free(plan *p)
{
    for (int i = 0; p != NULL && i <= p->request.network->count; i++) {
        for (int k = 0; k < p->layer[i].steps; k++) {
            aic_kernel_release(p->layer[i].step[k].kernel);
            free(p->layer[i].step[k].packed);
        }
        constants_close(&p->layer[i].constants);
    }
    if (p != NULL) {
        memory *const all[] = {&p->map[0], &p->map[1], &p->first,  &p->pixels,  &p->sums,
                               &p->scaled, &p->values, &p->planes, &p->picture, &p->input};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            close_memory(all[i]);
        }
    }
    free(p);
}

/* ---- running ---- */

uint8_t *plan_input(plan *p)
{
    return p->input.at;
}

/* Plain C, as no document widens bytes to floats: the picture as float32 planes, which the last layer adds, and as the
 * first layer's feature map in float16. int8 has a function of the library. */
static int bring_in(plan *p)
{
    const plan_request *r = &p->request;
    const size_t howo = (size_t)r->height * (size_t)r->width;
    const uint8_t *rgb = p->input.at;
    float *planes = p->pixels.at;
    for (size_t i = 0; i < howo; i++) {
        for (size_t c = 0; c < NETWORK_COLOURS; c++) {
            planes[c * howo + i] = (float)rgb[i * NETWORK_COLOURS + c] * (1.0F / GREYS);
        }
    }
    if (r->mode == PLAN_INT8) {
        const int64_t shape[] = {1, r->height, r->width, NETWORK_COLOURS};
        const aic_status status = aic_pack_picture(rgb, shape, 4, PIXEL_ZERO, p->first.at);
        return status == AIC_OK ? CLI_DONE : cli_fail_library("picture", status);
    }
    uint16_t *first = p->first.at; /* the fourth channel stays 0 */
    for (size_t i = 0; i < howo * NETWORK_COLOURS; i++) {
        first[i / NETWORK_COLOURS * 4 + i % NETWORK_COLOURS] = p->half[rgb[i]];
    }
    return CLI_DONE;
}

static int run_layer(plan *p, int i)
{
    layer *l = &p->layer[i];
    const uint64_t start = timer_thread_now();
    aic_status status = AIC_OK;
    for (int k = 0; k < l->steps && status == AIC_OK; k++) {
        const step *s = &l->step[k];
        status = s->packed != NULL ? aic_kernel_call_packed(s->kernel, s->operands, s->count)
                                   : aic_kernel_call(s->kernel, s->operands, s->count);
    }
    l->ns = timer_thread_now() - start;
    return status == AIC_OK ? CLI_DONE : cli_fail_library(p->request.network->layer[i].name, status);
}

int plan_run(plan *p, bool (*on_layer)(void *data, int layers), void *data)
{
    const int layers = p->request.network->count;
    const uint64_t start = timer_thread_now();
    int status = bring_in(p);
    p->in_ns = timer_thread_now() - start;
    bool more = on_layer == NULL || on_layer(data, 0);
    for (int i = 0; status == CLI_DONE && more && i < layers; i++) {
        status = run_layer(p, i);
        more = on_layer == NULL || status != CLI_DONE || on_layer(data, i + 1);
    }
    if (status == CLI_DONE && more && !p->request.as_float) {
        status = run_layer(p, layers);
    }
    return status;
}

const uint8_t *plan_picture(const plan *p)
{
    return p->picture.at;
}

const float *plan_values(const plan *p)
{
    return p->values.at;
}

/* ---- what there is to know ---- */

/* The largest magnitude of a block's channels, as the bits of a half: of finite ones these are in order. */
static void block_peaks(const uint16_t *block, int width, const region *where, uint16_t largest[BLOCK])
{
    for (int y = where->top; y < where->bottom; y++) {
        const uint16_t *row = block + (size_t)y * (size_t)width * BLOCK;
        for (int k = where->left * BLOCK; k < where->right * BLOCK; k++) {
            const uint16_t magnitude = row[k] & 0x7FFF;
            largest[k % BLOCK] = magnitude > largest[k % BLOCK] ? magnitude : largest[k % BLOCK];
        }
    }
}

void plan_add_peaks(const plan *p, int i, const region *where, peaks *found)
{
    const plan_request *r = &p->request;
    const size_t howo = (size_t)r->height * (size_t)r->width;
    const uint16_t *map = p->map[i % 2].at; /* [cout/16, howo, 16] */
    for (int b = 0; b < (r->network->layer[i].out + BLOCK - 1) / BLOCK; b++) {
        uint16_t largest[BLOCK] = {0};
        block_peaks(map + (size_t)b * howo * BLOCK, r->width, where, largest);
        for (int c = 0; c < BLOCK && b * BLOCK + c < r->network->layer[i].out; c++) {
            float *peak = &found->value[i][b * BLOCK + c];
            *peak = fmaxf(*peak, (float)element_to_double(AIC_FLOAT16, &largest[c]));
        }
    }
}

uint64_t plan_layer_ns(const plan *p, int i)
{
    return p->layer[i].ns + (i == p->request.network->count ? p->in_ns : 0);
}

static const step *convolution_of(const plan *p, int i)
{
    for (int k = 0; k < p->layer[i].steps; k++) {
        if (p->layer[i].step[k].op == AIC_OP_CONV2D) {
            return &p->layer[i].step[k];
        }
    }
    return NULL;
}

double plan_layer_bound_ns(const plan *p, int i)
{
    const step *s = convolution_of(p, i);
    return s != NULL ? s->bound_ns : 0;
}

const char *plan_layer_schedule(const plan *p, int i)
{
    const step *s = convolution_of(p, i);
    aic_kernel_info info;
    return s != NULL && aic_kernel_get_info(s->kernel, &info) == AIC_OK ? info.schedule : "";
}

void plan_layer_operators(const plan *p, int i, char *text, size_t size)
{
    size_t at = 0;
    text[0] = '\0';
    for (const form *f = p->layer[i].forms; f != NULL && f->text != NULL; f++) {
        for (const char *stage = f->text; stage != NULL && at < size; stage = strstr(stage, " | ")) {
            stage += stage == f->text ? 0 : strlen(" | ");
            const char *op = strstr(stage, "(op="), *end = strchr(stage, '(');
            const bool arithmetic = op != NULL && op == end;
            const char *name = arithmetic ? op + strlen("(op=") : stage;
            const int length = (int)(arithmetic ? strcspn(name, ",)") : (size_t)(end - stage));
            const char *between = at == 0 ? "" : stage == f->text ? ", " : " | ";
            at += (size_t)snprintf(text + at, size - at, "%s%.*s", between, length, name);
        }
    }
}
