/* One layer: our kernel, checked against the reference; the peers, checked against ours; all timed in turns. */
#include "tests/bench/layers/layers.h"

#include "tests/bench/layers/values.h"
#include "tools/harness/timer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DST, FEATURE_MAP, WEIGHT, WORDS };

static aic_spec *spec_of(const layer *l, const layer_kind *kind)
{
    aic_conv2d_desc d = aic_conv2d_desc_init();
    const int64_t c0 = l->channels == 3 ? 4 : 32 / (int64_t)aic_dtype_size(kind->dtype);
    const int64_t c1 = (l->channels + c0 - 1) / c0;
    const int64_t fm_shape[] = {c1, l->height, l->width, c0};
    const bool grouped = l->groups > 1;
    const int64_t kernel_shape[] = {grouped ? 1 : c1, l->kernel_h, l->kernel_w, grouped ? c1 * c0 : l->cout,
                                    grouped ? 1 : c0};
    const int64_t pad[] = {l->pad_w, l->pad_w, l->pad_h, l->pad_h};
    memcpy(d.fm_shape, fm_shape, sizeof fm_shape);
    memcpy(d.kernel_shape, kernel_shape, sizeof kernel_shape);
    memcpy(d.pad, pad, sizeof pad);
    d.stride[0] = d.stride[1] = l->stride;
    d.dilation[0] = d.dilation[1] = l->dilation;
    d.groups = grouped ? c1 * c0 : 1;
    d.dtype = kind->dtype;
    d.accumulate = kind->accumulate;
    aic_fixpipe_desc f = aic_fixpipe_desc_init();
    f.src = AIC_INT32;
    f.dst = AIC_INT8;
    f.format = AIC_FORMAT_NZ;
    f.quantPre = AIC_QUANT_VREQ8;
    f.reluEn = true;
    aic_spec *stages[2] = {NULL, NULL}, *spec = NULL;
    if (aic_spec_create_conv2d(&d, &stages[0]) != AIC_OK || aic_spec_create_fixpipe(&f, &stages[1]) != AIC_OK ||
        aic_spec_chain((const aic_spec *const *)stages, kind->fused ? 2 : 1, &spec) != AIC_OK) {
        bench_die("specification");
    }
    aic_spec_destroy(stages[0]);
    aic_spec_destroy(stages[1]);
    return spec;
}

/* ---- ours ---- */

/* A kernel with the operands of its calls. */
typedef struct ours {
    const bench_data *data;
    aic_context *context;
    aic_kernel *kernel;
    aic_kernel_info info;
    bool alone; /* no chain, and */
    aic_conv2d_desc desc;
    void *packed;
    void *operand[AIC_OPERANDS_MAX]; /* with packed weights */
} ours;

static void run_packed(void *argument)
{
    const ours *o = argument;
    if (aic_kernel_call_packed(o->kernel, o->operand, o->data->count) != AIC_OK) {
        bench_die("call");
    }
}

static void run_plain(void *argument)
{
    const ours *o = argument;
    if (aic_kernel_call(o->kernel, o->data->pointer, o->data->count) != AIC_OK) {
        bench_die("call");
    }
}

/* As programs call it that hold no kernel. */
static void run_jit(void *argument)
{
    const ours *o = argument;
    void *const *p = o->data->pointer;
    const aic_status status = o->alone ? aic_jit_conv2d(o->context, &o->desc, p[DST], p[FEATURE_MAP], p[WEIGHT])
                                       : aic_jit_spec(o->context, o->data->spec, p, o->data->count);
    if (status != AIC_OK) {
        bench_die("call");
    }
}

static void ours_open(ours *o, aic_context *context, const bench_data *data)
{
    *o = (ours){.data = data, .context = context, .info = aic_kernel_info_init(), .desc = aic_conv2d_desc_init()};
    o->alone = aic_spec_stages(data->spec) == 1;
    if (aic_spec_get_conv2d(data->spec, 0, &o->desc) != AIC_OK ||
        aic_kernel_create(context, data->spec, NULL, &o->kernel) != AIC_OK ||
        aic_kernel_get_info(o->kernel, &o->info) != AIC_OK) {
        bench_die("kernel");
    }
    memcpy(o->operand, data->pointer, sizeof o->operand);
    size_t bytes = 0;
    if (aic_kernel_packed_size(o->kernel, WEIGHT, &bytes) == AIC_OK && bytes > 0) {
        o->packed = o->operand[WEIGHT] = bench_memory(bytes);
        if (aic_kernel_pack(o->kernel, WEIGHT, o->packed, data->pointer[WEIGHT]) != AIC_OK) {
            bench_die("pack");
        }
    }
}

static void ours_close(ours *o)
{
    aic_kernel_destroy(o->kernel);
    free(o->packed);
}

/* Runs both ways, each with an output that was not there before. The first is compared with the reference, the second
 * with the first, every byte. */
static void check(const ours *o, void (*plain)(void *), void (*packed)(void *))
{
    const bench_data *data = o->data;
    const size_t bytes = (size_t)data->operand[DST].bytes;
    void *copy = bench_memory(bytes);
    memset(data->pointer[DST], 0xA5, bytes);
    plain((void *)(uintptr_t)o);
    bench_check_pixels(data, "plain");
    memcpy(copy, data->pointer[DST], bytes);
    memset(data->pointer[DST], 0xA5, bytes);
    packed((void *)(uintptr_t)o);
    if (memcmp(copy, data->pointer[DST], bytes) != 0) {
        fprintf(stderr, "bench: two ways to call the kernel give different results\n");
        exit(1);
    }
    free(copy);
}

/* ---- the race ---- */

/* A way to compute the layer, and where its time belongs. */
typedef struct way {
    void (*run)(void *); /* NULL: there is none */
    void *argument;
    double *ns;
} way;

static void race(const way *ways, size_t count, timer_clock clock, double seconds)
{
    static timer_entrant entrant[TIMER_ENTRANTS_MAX];
    double *ns[TIMER_ENTRANTS_MAX];
    size_t entrants = 0;
    for (size_t i = 0; i < count; i++) {
        if (ways[i].run != NULL) {
            entrant[entrants] = (timer_entrant){.body = ways[i].run, .argument = ways[i].argument};
            ns[entrants++] = ways[i].ns;
        }
    }
    timer_race(entrant, entrants, clock, seconds, NULL);
    for (size_t i = 0; i < entrants; i++) {
        *ns[i] = entrant[i].result.median_ns;
    }
}

/* All in turns. With threads the peers have a race of their own: theirs wait busily for a while after each call, and
 * would take the processors from ours. */
static void race_all(layer_row *row, const results *r, ours *mine, ours *single, peer_convolution *const peer[],
                     double seconds)
{
    enum { OURS = 3 };
    const bool jit = row->set->by_jit, threads = r->threads > 1;
    const way ways[OURS + PEERS_MAX] = {
        {jit ? run_jit : run_packed, mine, &row->ns},
        {jit ? NULL : run_plain, mine, &row->plain_ns},
        {threads ? run_packed : NULL, single, &row->one_ns},
        {peer[0] != NULL ? peer_run : NULL, peer[0], &row->peer[0].ns},
        {peer[1] != NULL ? peer_run : NULL, peer[1], &row->peer[1].ns},
    };
    if (threads) {
        race(ways, OURS, TIMER_WALL, seconds);
        race(ways + OURS, PEERS_MAX, TIMER_WALL, seconds);
    } else {
        race(ways, OURS + PEERS_MAX, TIMER_PROCESSOR, seconds);
    }
}

/* Opens the peers that have this convolution, each with its results compared with ours, which are there. */
static void open_peers(layer_row *row, const bench_data *data, const float *scale, peer_convolution *peer[PEERS_MAX])
{
    for (size_t i = 0; i < PEERS_MAX; i++) {
        const peer_types types = row->kind->peer[i];
        peer[i] = types == PEER_NONE ? NULL : values_open_peer(data, &row->layer, types, scale);
        if (peer[i] != NULL) {
            peer_run(peer[i]);
            row->peer[i].same = values_same(data, &row->layer, types, peer[i]);
            (void)snprintf(row->peer[i].implementation, sizeof row->peer[i].implementation, "%s",
                           peer_implementation(peer[i]));
        }
    }
}

static double limit_of_row(const layer_row *row, const char *isa)
{
    return row->layer.groups > 1 ? limit_depthwise(row, isa) : limit_now(limit_of(row->kind, isa), isa);
}

void measure_layer(layer_row *row, const results *r, const layer_contexts *contexts, double seconds)
{
    bench_data data;
    ours mine, single;
    peer_convolution *peer[PEERS_MAX];
    bench_data_open(&data, spec_of(&row->layer, row->kind));
    float *scale = values_prepare(&data, &row->layer);
    if (aic_spec_work(data.spec, NULL, &row->macs, &row->bytes) != AIC_OK) {
        bench_die("work");
    }
    ours_open(&mine, contexts->shared, &data);
    ours_open(&single, contexts->single, &data);
    check(&mine, run_plain, row->set->by_jit ? run_jit : run_packed);
    open_peers(row, &data, scale, peer);
    const double before = limit_of_row(row, r->isa);
    race_all(row, r, &mine, &single, peer, seconds);
    row->limit = (before + limit_of_row(row, r->isa)) / 2;
    row->compile_ms = row->set->network ? bench_compile_ms(r->isa, data.spec) : 0;
    (void)snprintf(row->schedule, sizeof row->schedule, "%s", mine.info.schedule);
    for (size_t i = 0; i < PEERS_MAX; i++) {
        peer_close(peer[i]);
    }
    ours_close(&single);
    ours_close(&mine);
    free(scale);
    bench_data_close(&data);
}
