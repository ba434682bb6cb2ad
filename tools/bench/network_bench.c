/* Timing networks; see network_bench.h. */
#include "tools/bench/network_bench.h"

#include "tools/harness/fail.h"
#include "tools/harness/interrupt.h"
#include "tools/harness/timer.h"
#include "tools/json_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 1024 }; /* of a kernel: the last ones */

struct network_clock {
    size_t kernels, calls;
    double *sample; /* [kernel][SAMPLES], nanoseconds */
    uint64_t last;
};

network_clock *network_clock_new(void)
{
    return calloc(1, sizeof(network_clock));
}

void network_clock_free(network_clock *clock)
{
    if (clock != NULL) {
        free(clock->sample);
        free(clock);
    }
}

void network_clock_step(void *user, size_t kernel)
{
    network_clock *clock = user;
    const uint64_t now = timer_now();
    if (clock->sample != NULL) {
        clock->sample[kernel * SAMPLES + clock->calls % SAMPLES] = (double)(now - clock->last);
    }
    clock->last = now;
}

typedef struct bench_call {
    const aic_network *network;
    const aic_network_facts *facts;
    network_clock *clock;
    void *const *tensors;
    aic_status status;
} bench_call;

static void call(void *argument)
{
    bench_call *c = argument;
    c->clock->last = timer_now();
    const aic_status status = aic_network_call(c->network, (const void *const *)c->tensors, c->facts->inputs,
                                               c->tensors + c->facts->inputs, c->facts->outputs);
    c->clock->calls++;
    c->status = c->status == AIC_OK ? status : c->status;
}

/* Sorts the samples of a kernel. */
static double median_of(network_clock *clock, size_t kernel)
{
    const size_t count = clock->calls < SAMPLES ? clock->calls : SAMPLES;
    return count > 0 ? timer_median(clock->sample + kernel * SAMPLES, count) : 0;
}

static int threads_of(const aic_network_facts *facts)
{
    int threads = 1;
    for (size_t i = 0; i < facts->kernels; i++) {
        threads = facts->kernel[i].threads > threads ? facts->kernel[i].threads : threads;
    }
    return threads;
}

static void print_table(const bench_call *c, const timer_result *time)
{
    const aic_network_facts *facts = c->facts;
    int64_t macs = 0;
    printf("   us   share  GMAC/s  threads  line  writes, kernel\n");
    for (size_t i = 0; i < facts->kernels; i++) {
        const aic_network_kernel *k = &facts->kernel[i];
        const double ns = median_of(c->clock, i);
        macs += k->macs;
        printf("%7.1f %5.1f%% %7.1f %8d %5zu  %s, %.60s\n", ns / 1e3, 100 * ns / time->median_ns,
               ns > 0 ? (double)k->macs / ns : 0, k->threads, k->line, k->output, k->text);
    }
    printf("%s, %d threads: median %.1f us, least %.1f us, %.1f calls/s, %.1f GMAC/s\n", facts->isa, threads_of(facts),
           time->median_ns / 1e3, time->min_ns / 1e3, 1e9 / time->median_ns, (double)macs / time->median_ns);
    printf("arena %" PRId64 " bytes, constants %" PRId64 " bytes\n", facts->arena_bytes, facts->constant_bytes);
}

static void print_json(const bench_call *c, const timer_result *time)
{
    const aic_network_facts *facts = c->facts;
    json_compact();
    json_object(NULL);
    json_text("isa", facts->isa);
    json_integer("threads", threads_of(facts));
    json_fixed("median_ns", time->median_ns, 1);
    json_fixed("min_ns", time->min_ns, 1);
    json_fixed("p90_ns", time->p90_ns, 1);
    json_integer("arena_bytes", facts->arena_bytes);
    json_integer("constant_bytes", facts->constant_bytes);
    json_array("kernels");
    for (size_t i = 0; i < facts->kernels; i++) {
        const aic_network_kernel *k = &facts->kernel[i];
        json_object(NULL);
        json_integer("line", (int64_t)k->line);
        json_text("output", k->output);
        json_text("spec", k->text);
        json_integer("macs", k->macs);
        json_integer("bytes", k->bytes);
        json_fixed("median_ns", median_of(c->clock, i), 1);
        json_end();
    }
    json_end();
    json_end();
}

int network_bench(const aic_network *network, network_clock *clock, void *const tensors[], double seconds, bool json)
{
    aic_network_facts facts = aic_network_facts_init();
    bench_call c = {network, &facts, clock, tensors, aic_network_info(network, &facts)};
    clock->kernels = facts.kernels;
    clock->sample = calloc(facts.kernels * SAMPLES + 1, sizeof *clock->sample);
    if (clock->sample == NULL) {
        return cli_fail_memory("bench", facts.kernels * SAMPLES * sizeof *clock->sample);
    }
    const timer_result time = timer_measure(call, &c, seconds, interrupt_requested);
    if (c.status != AIC_OK) {
        return cli_status(NULL, c.status);
    }
    if (json) {
        print_json(&c, &time);
    } else {
        print_table(&c, &time);
    }
    return CLI_DONE;
}
