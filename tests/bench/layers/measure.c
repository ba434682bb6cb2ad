/* One layer: our kernel, checked against the reference; the peers, checked against ours; all timed in turns. */
#include "tests/bench/layers/layers.h"

#include "tests/bench/layers/values.h"
#include "tools/harness/timer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DST, FEATURE_MAP, WEIGHT, WORDS };

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
    size_t batch, stride[AIC_OPERANDS_MAX];
} ours;

static void need_call(aic_status status)
{
    if (status != AIC_OK) {
        bench_die("call");
    }
}

static void run_packed(void *argument)
{
    const ours *o = argument;
    need_call(o->batch > 1 ? aic_kernel_call_batch_packed(o->kernel, o->operand, o->stride, o->batch)
                           : aic_kernel_call_packed(o->kernel, o->operand, o->data->count));
}

static void run_plain(void *argument)
{
    const ours *o = argument;
    need_call(o->batch > 1 ? aic_kernel_call_batch(o->kernel, o->data->pointer, o->stride, o->batch)
                           : aic_kernel_call(o->kernel, o->data->pointer, o->data->count));
}

/* Each image of a batch by itself. */
static void run_singly(void *argument)
{
    const ours *o = argument;
    void *operand[AIC_OPERANDS_MAX];
    memcpy(operand, o->operand, sizeof operand);
    for (size_t i = 0; i < o->batch; i++) {
        for (size_t k = DST; k <= FEATURE_MAP; k++) {
            operand[k] = (unsigned char *)o->operand[k] + i * o->stride[k];
        }
        need_call(aic_kernel_call_packed(o->kernel, operand, o->data->count));
    }
}

/* As programs call it that hold no kernel. */
static void run_jit(void *argument)
{
    const ours *o = argument;
    void *const *p = o->data->pointer;
    need_call(o->alone ? aic_jit_conv2d(o->context, &o->desc, p[DST], p[FEATURE_MAP], p[WEIGHT])
                       : aic_jit_spec(o->context, o->data->spec, p, o->data->count));
}

static void ours_open(ours *o, aic_context *context, const bench_data *data, int batch)
{
    *o = (ours){.data = data,
                .context = context,
                .info = aic_kernel_info_init(),
                .desc = aic_conv2d_desc_init(),
                .batch = (size_t)batch,
                .stride = {values_stride(data, DST), values_stride(data, FEATURE_MAP)}};
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

/* Runs the ways, each with an output that was not there before. The first is compared with the reference, the others
 * with the first, every byte. */
static void check(const ours *o, void (*const way[])(void *), size_t ways)
{
    const bench_data *data = o->data;
    const size_t bytes = o->stride[DST] * o->batch;
    void *copy = bench_memory(bytes);
    for (size_t i = 0; i < ways; i++) {
        memset(data->pointer[DST], 0xA5, bytes);
        way[i]((void *)(uintptr_t)o);
        if (i == 0) {
            bench_check_pixels(data, "plain");
            memcpy(copy, data->pointer[DST], bytes);
        } else if (memcmp(copy, data->pointer[DST], bytes) != 0) {
            fprintf(stderr, "bench: two ways to call the kernel give different results\n");
            exit(1);
        }
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

static bool calls_by_jit(const layer_row *row, const results *r)
{
    return row->set->by_jit && r->batch == 1;
}

/* All in turns. With threads the peers have a race of their own: theirs wait busily for a while after each call, and
 * would take the processors from ours. */
static void race_all(layer_row *row, const results *r, ours *mine, ours *single, peer_convolution *const peer[],
                     double seconds)
{
    enum { OURS = 3 };
    const bool jit = calls_by_jit(row, r), threads = r->threads > 1;
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
static void open_peers(layer_row *row, int batch, const bench_data *data, const float *scale,
                       peer_convolution *peer[PEERS_MAX])
{
    for (size_t i = 0; i < PEERS_MAX; i++) {
        const peer_types types = row->kind->peer[i];
        peer[i] = types == PEER_NONE ? NULL : values_open_peer(data, &row->layer, batch, types, scale);
        if (peer[i] != NULL) {
            peer_run(peer[i]);
            row->peer[i].same = values_same(data, &row->layer, batch, types, peer[i]);
            (void)snprintf(row->peer[i].implementation, sizeof row->peer[i].implementation, "%s",
                           peer_implementation(peer[i]));
        }
    }
}

static double limit_of_row(const layer_row *row, const char *isa)
{
    return layer_is_depthwise(&row->layer) ? limit_depthwise(row, isa) : limit_now(limit_of(row->kind, isa), isa);
}

/* Products and bytes of all images; weights are shared. */
static void count_work(layer_row *row, const bench_data *data, int batch)
{
    if (aic_spec_work(data->spec, NULL, &row->macs, &row->bytes) != AIC_OK) {
        bench_die("work");
    }
    row->macs *= batch;
    row->bytes *= batch;
    for (size_t i = WEIGHT; i < data->count; i++) {
        row->bytes -= data->pointer[i] != NULL ? data->operand[i].bytes * (batch - 1) : 0;
    }
}

static void measure_making(layer_row *row, const results *r, const aic_spec *spec)
{
    if (row->set->network && r->batch == 1) {
        row->fixed_ms = fixed_job_ms();
        row->compile_ms = bench_compile_ms(r->isa, spec);
    }
}

void measure_layer(layer_row *row, const results *r, const layer_contexts *contexts, double seconds)
{
    bench_data data;
    ours mine, single;
    peer_convolution *peer[PEERS_MAX];
    void (*const ways[])(void *) = {run_plain, calls_by_jit(row, r) ? run_jit : run_packed, run_singly};
    bench_data_open(&data, layer_spec(&row->layer, row->kind));
    float *scale = values_prepare(&data, &row->layer, r->batch);
    count_work(row, &data, r->batch);
    ours_open(&mine, contexts->shared, &data, r->batch);
    ours_open(&single, contexts->single, &data, r->batch);
    check(&mine, ways, sizeof ways / sizeof ways[0]);
    open_peers(row, r->batch, &data, scale, peer);
    const double before = limit_of_row(row, r->isa);
    race_all(row, r, &mine, &single, peer, seconds);
    row->limit = (before + limit_of_row(row, r->isa)) / 2;
    measure_making(row, r, data.spec);
    (void)snprintf(row->schedule, sizeof row->schedule, "%s", mine.info.schedule);
    for (size_t i = 0; i < PEERS_MAX; i++) {
        peer_close(peer[i]);
    }
    ours_close(&single);
    ours_close(&mine);
    free(scale);
    bench_data_close(&data);
}
