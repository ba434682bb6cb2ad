/* Fused chains against the same two kernels run in turn, in one run: what it saves not to write the accumulators and
 * read them again. The results of both ways are compared first, every byte.
 *
 *     fused [--isa LEVEL] [--layer PART_OF_NAME] [--time SECONDS] */
#include "tests/bench/common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DST, INPUT, WEIGHT, PARAMETERS, SRC = 1, WORDS = 2 }; /* of the chain and of fixpipe */

static const double TARGET = 1.3;

/* channels, size, cout, kernel: of a convolution; or m, n, k of an mmad when kernel is 0. */
static const struct row {
    const char *name;
    int channels, size, cout, kernel;
    aic_dtype dtype;
    aic_accumulate accumulate;
    aic_dtype dst;
    aic_quant_pre mode;
    aic_fixpipe_format format;
    bool target;
} rows[] = {
    {"1x1 64-256 @56 VREQ8 NZ", 64, 56, 256, 1, AIC_INT8, AIC_ACCUMULATE_CUBE, AIC_INT8, AIC_QUANT_VREQ8, AIC_FORMAT_NZ,
     true},
    {"1x1 64-256 @56 REQ8 NZ", 64, 56, 256, 1, AIC_INT8, AIC_ACCUMULATE_CUBE, AIC_INT8, AIC_QUANT_REQ8, AIC_FORMAT_NZ,
     true},
    {"1x1 64-256 @56 VREQ8 ND", 64, 56, 256, 1, AIC_INT8, AIC_ACCUMULATE_CUBE, AIC_INT8, AIC_QUANT_VREQ8,
     AIC_FORMAT_ROW_MAJOR, true},
    {"1x1 64-256 @56 VDEQF16 NZ", 64, 56, 256, 1, AIC_INT8, AIC_ACCUMULATE_CUBE, AIC_FLOAT16, AIC_QUANT_VDEQF16,
     AIC_FORMAT_NZ, false},
    {"1x1 64-256 @56 NoQuant NZ", 64, 56, 256, 1, AIC_INT8, AIC_ACCUMULATE_CUBE, AIC_INT32, AIC_QUANT_NO_QUANT,
     AIC_FORMAT_NZ, false},
    {"3x3 64-64 @56 VREQ8 NZ", 64, 56, 64, 3, AIC_INT8, AIC_ACCUMULATE_CUBE, AIC_INT8, AIC_QUANT_VREQ8, AIC_FORMAT_NZ,
     false},
    {"1x1 256-64 @56 VREQ8 NZ", 256, 56, 64, 1, AIC_INT8, AIC_ACCUMULATE_CUBE, AIC_INT8, AIC_QUANT_VREQ8, AIC_FORMAT_NZ,
     false},
    {"1x1 256-1024 @14 VREQ8 NZ", 256, 14, 1024, 1, AIC_INT8, AIC_ACCUMULATE_CUBE, AIC_INT8, AIC_QUANT_VREQ8,
     AIC_FORMAT_NZ, false},
    {"1x1 64-256 @56 F322F16 fast", 64, 56, 256, 1, AIC_FLOAT16, AIC_ACCUMULATE_FAST, AIC_FLOAT16, AIC_QUANT_F322F16,
     AIC_FORMAT_NZ, false},
    {"1x1 64-256 @56 F322F16 cube", 64, 56, 256, 1, AIC_FLOAT16, AIC_ACCUMULATE_CUBE, AIC_FLOAT16, AIC_QUANT_F322F16,
     AIC_FORMAT_NZ, false},
    {"1x1 64-256 @56 VQF322B8 fast", 64, 56, 256, 1, AIC_FLOAT16, AIC_ACCUMULATE_FAST, AIC_INT8, AIC_QUANT_VQF322B8_PRE,
     AIC_FORMAT_NZ, false},
    {"mmad 1024x1024x64 VREQ8 ND", 1024, 1024, 64, 0, AIC_INT8, AIC_ACCUMULATE_CUBE, AIC_INT8, AIC_QUANT_VREQ8,
     AIC_FORMAT_ROW_MAJOR, false},
    {"mmad 512x512x512 VREQ8 ND", 512, 512, 512, 0, AIC_INT8, AIC_ACCUMULATE_CUBE, AIC_INT8, AIC_QUANT_VREQ8,
     AIC_FORMAT_ROW_MAJOR, false},
    {"mmad 1024x1024x64 F322F16 fast", 1024, 1024, 64, 0, AIC_FLOAT16, AIC_ACCUMULATE_FAST, AIC_FLOAT16,
     AIC_QUANT_F322F16, AIC_FORMAT_ROW_MAJOR, false},
};

static aic_spec *made(aic_status status, aic_spec *spec)
{
    if (status != AIC_OK) {
        bench_die("specification");
    }
    return spec;
}

static aic_spec *producer_of(const struct row *row)
{
    if (row->kernel == 0) {
        aic_mmad_desc d = aic_mmad_desc_init();
        aic_spec *spec = NULL;
        d.dtype = row->dtype;
        d.accumulate = row->accumulate;
        d.m = row->channels;
        d.n = row->size;
        d.k = row->cout;
        d.c_format = AIC_LAYOUT_NZ; /* what fixpipe reads */
        const aic_status status = aic_spec_create_mmad(&d, &spec);
        return made(status, spec);
    }
    const bench_kind kind = {.dtype = row->dtype, .accumulate = row->accumulate};
    const bench_layer layer = {.channels = row->channels,
                               .size = row->size,
                               .cout = row->cout,
                               .kernel = row->kernel,
                               .stride = 1,
                               .pad = row->kernel / 2,
                               .dilation = 1};
    return bench_spec(&layer, &kind);
}

/* The fixpipe of the producer's whole result, densely. */
static aic_spec *consumer_of(const struct row *row, const bench_data *producer)
{
    aic_fixpipe_desc d = aic_fixpipe_desc_init();
    aic_spec *spec = NULL;
    bool blocks_of_32 = row->dst == AIC_INT8;
    d.src = producer->operand[DST].dtype;
    d.dst = row->dst;
    d.format = row->format;
    d.quantPre = row->mode;
    d.nSize = row->kernel == 0 ? row->size : row->cout;
    d.mSize = row->kernel == 0 ? row->channels : (int64_t)row->size * row->size;
    d.srcStride = producer->operand[DST].elements / ((d.nSize + 15) / 16 * 16);
    d.dstStride = row->format == AIC_FORMAT_ROW_MAJOR
                      ? d.nSize
                      : (d.mSize * (blocks_of_32 ? 32 : 16) * (int64_t)aic_dtype_size(row->dst) + 31) / 32;
    d.deqScalar = UINT64_C(0x40003B800000);
    d.reluEn = true;
    const aic_status status = aic_spec_create_fixpipe(&d, &spec);
    return made(status, spec);
}

/* A kernel with its operands; the weight is packed. */
typedef struct stage {
    aic_kernel *kernel;
    void *operand[AIC_OPERANDS_MAX];
    void *packed;
    size_t count;
} stage;

static void stage_open(stage *s, aic_context *context, const aic_spec *spec, void *const operands[])
{
    aic_operand operand[AIC_OPERANDS_MAX];
    *s = (stage){.kernel = NULL};
    if (aic_kernel_create(context, spec, NULL, &s->kernel) != AIC_OK ||
        aic_spec_operands(spec, NULL, operand, &s->count) != AIC_OK) {
        bench_die("kernel");
    }
    memcpy(s->operand, operands, s->count * sizeof *operands);
    size_t size = 0;
    if (aic_kernel_packed_size(s->kernel, WEIGHT, &size) == AIC_OK && size > 0) {
        s->packed = bench_memory(size);
        if (aic_kernel_pack(s->kernel, WEIGHT, s->packed, operands[WEIGHT]) != AIC_OK) {
            bench_die("pack");
        }
        s->operand[WEIGHT] = s->packed;
    }
}

static void stage_close(stage *s)
{
    aic_kernel_destroy(s->kernel);
    free(s->packed);
}

static void run_stage(void *argument)
{
    stage *s = argument;
    if (aic_kernel_call_packed(s->kernel, s->operand, s->count) != AIC_OK) {
        bench_die("call");
    }
}

/* Producer, consumer. */
static void run_in_turn(void *argument)
{
    stage *s = argument;
    run_stage(&s[0]);
    run_stage(&s[1]);
}

/* Scales of some 2^-8, a different one each, signed results. */
static uint64_t *quantisation_words(int64_t count)
{
    uint64_t *words = bench_memory((size_t)count * sizeof *words);
    for (int64_t i = 0; i < count; i++) {
        words[i] = UINT64_C(0x40003B800000) + ((uint64_t)(i % 61) << 13);
    }
    return words;
}

static void compare(const struct row *row, const stage *fused, const stage *consumer, size_t bytes)
{
    if (memcmp(fused->operand[DST], consumer->operand[DST], bytes) != 0) {
        fprintf(stderr, "bench: %s: fused and in turn give different results\n", row->name);
        exit(1);
    }
}

static void measure(const bench_options *options, const struct row *row, aic_context *context)
{
    bench_data producer, consumer;
    stage two[2], fused;
    aic_spec *chain = NULL;
    aic_fixpipe_desc fixpipe = aic_fixpipe_desc_init();
    bench_data_open(&producer, producer_of(row));
    bench_data_open(&consumer, consumer_of(row, &producer));
    if (aic_spec_get_fixpipe(consumer.spec, 0, &fixpipe) != AIC_OK ||
        aic_spec_chain((const aic_spec *const[]){producer.spec, consumer.spec}, 2, &chain) != AIC_OK) {
        bench_die("chain");
    }
    const int64_t columns = fixpipe.nSize;
    void *dst = bench_memory((size_t)consumer.operand[DST].bytes);
    uint64_t *words = consumer.operand[WORDS].direction == AIC_DIRECTION_UNUSED ? NULL : quantisation_words(columns);
    void *const chain_operands[] = {dst, producer.pointer[INPUT], producer.pointer[WEIGHT], words};
    void *const consumer_operands[] = {consumer.pointer[DST], producer.pointer[DST], words};
    stage_open(&two[0], context, producer.spec, producer.pointer);
    stage_open(&two[1], context, consumer.spec, consumer_operands);
    stage_open(&fused, context, chain, chain_operands);
    run_in_turn(two);
    run_stage(&fused);
    compare(row, &fused, &two[1], (size_t)consumer.operand[DST].bytes);

    bench_body body[] = {{run_in_turn, two, 0}, {run_stage, &fused, 0}, {run_stage, &two[0], 0}};
    bench_time(body, 3, options->seconds);
    const double ratio = body[0].ns / body[1].ns;
    printf("%-32s %9.1f %9.1f %9.1f %7.2f %8.1f %8.2f %s\n", row->name, body[2].ns * 1e-3, body[0].ns * 1e-3,
           body[1].ns * 1e-3, ratio, (double)producer.macs / body[1].ns, bench_compile_ms(options->isa, chain),
           !row->target      ? ""
           : ratio >= TARGET ? "target 1.30: met"
                             : "target 1.30: missed");
    (void)fflush(stdout);
    stage_close(&two[0]);
    stage_close(&two[1]);
    stage_close(&fused);
    aic_spec_destroy(chain);
    free(words);
    free(dst);
    bench_data_close(&consumer);
    bench_data_close(&producer);
}

int main(int argc, char **argv)
{
    bench_options options = bench_parse(argc, argv, NULL);
    aic_context *context = bench_context(options.isa);
    printf("fused chains at level %s, weights packed\n", aic_context_isa(context));
    printf("%-32s %9s %9s %9s %7s %8s %8s\n", "", "producer", "in turn", "fused", "in turn", "GMAC/s", "compile");
    printf("%-32s %9s %9s %9s %7s %8s %8s\n", "chain", "us", "us", "us", "/ fused", "fused", "ms");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (options.layer == NULL || strstr(rows[i].name, options.layer) != NULL) {
            measure(&options, &rows[i], context);
        }
    }
    aic_context_destroy(context);
    return 0;
}
