/* Sums over shapes and rounds, and the goals. */
#include "tests/bench/making/making.h"
#include "tools/harness/timer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double making_ms(const making *m, state s, size_t index)
{
    double ms[ROUNDS_MAX];
    size_t count = 0;
    for (size_t round = 0; round < m->rounds; round++) {
        const sample *at = sample_at(m, s, index, round);
        if (at->known) {
            ms[count++] = at->ms;
        }
    }
    return count > 0 ? timer_median(ms, count) : -1;
}

bool making_needs_llvm(const making *m, state s, size_t index)
{
    const sample *at = sample_at(m, s, index, 0);
    const bool made = s == STATE_LITERAL || m->row[index].own || at->made > 0;
    return at->known && s != STATE_KERNEL && s != STATE_PEER && made;
}

/* A list of as many numbers as the sets have shapes. */
static double *numbers(size_t count)
{
    double *list = malloc((count + 1) * sizeof *list);
    if (list == NULL) {
        bench_die("memory for a list of numbers cannot be had");
    }
    return list;
}

summary making_summary(const making *m, state s)
{
    summary sum = {.kernels = 0};
    double *ms = numbers(m->set->count);
    for (size_t i = 0; i < m->set->count; i++) {
        const double one = making_ms(m, s, i);
        if (one < 0) {
            continue;
        }
        const sample *at = sample_at(m, s, i, 0);
        sum.first = sum.kernels == 0 ? one : sum.first;
        sum.worst = sum.kernels > 0 ? fmax(sum.worst, one) : 0;
        sum.all += one;
        sum.ready += at->ready;
        sum.loaded += at->loaded;
        sum.made += at->made;
        sum.llvm += making_needs_llvm(m, s, i);
        ms[sum.kernels++] = one;
    }
    sum.median = sum.kernels > 0 ? timer_median(ms, sum.kernels) : 0;
    free(ms);
    return sum;
}

/* Times of kernels that come without LLVM, but for the first of a process. */
static void collect_ready(verdicts *v, const making *m, double *ms, size_t *count)
{
    size_t measured = 0;
    for (size_t i = 0; i < m->set->count; i++) {
        const double one = making_ms(m, STATE_READY, i);
        if (one < 0) {
            continue;
        }
        const bool llvm = making_needs_llvm(m, STATE_READY, i);
        if (measured++ > 0 && !llvm) {
            ms[(*count)++] = one;
        }
        v->kernels++;
        v->without_llvm += !llvm;
    }
}

static void collect_speeds(verdicts *v, const making *m)
{
    for (size_t i = 0; i < m->set->count; i++) {
        if (m->row[i].parts_ns > 0) {
            const double ratio = m->row[i].literal_ns / m->row[i].parts_ns;
            v->mean += log(ratio);
            v->worst = v->speeds == 0 ? ratio : fmin(v->worst, ratio);
            v->speeds++;
        }
    }
}

verdicts making_judge(const making *all, size_t count)
{
    enum { RESNET50 = 23 }; /* its different convolutions */
    verdicts v = {.kernels = 0};
    size_t shapes = 0, ready = 0;
    for (size_t i = 0; i < count; i++) {
        shapes += all[i].set->count;
    }
    double *ms = numbers(shapes);
    for (size_t i = 0; i < count; i++) {
        const making *m = &all[i];
        const summary nothing = making_summary(m, STATE_NOTHING);
        if (nothing.kernels == RESNET50 && strcmp(m->set->name, "int8") == 0) {
            v.int8 = nothing.all;
            v.first = nothing.first;
        } else if (nothing.kernels == RESNET50 && strcmp(m->set->name, "fused") == 0) {
            v.fused = nothing.all;
        }
        collect_ready(&v, m, ms, &ready);
        collect_speeds(&v, m);
    }
    v.held_out = ready > 0 ? timer_median(ms, ready) : 0;
    v.mean = v.speeds > 0 ? exp(v.mean / (double)v.speeds) : 0;
    free(ms);
    return v;
}
