/* Scales from the largest values of the calibration; nothing is clamped there. */
#include "tools/superres/quantise.h"

#include "tools/harness/fail.h"
#include "tools/harness/outfile.h"

#include <aic/aic.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WEIGHT_MAX = 127, RESULT_MAX = 127, INPUT_MAX = 128, PIXEL_MAX = 255, TABLE_LINE = 160 };

static void free_layer(quantised_layer *l)
{
    free(l->weights);
    free(l->start);
    free(l->word);
    free(l->factor);
    free(l->unit);
    free(l->peak);
}

void quantised_free(quantised *q)
{
    for (int i = 0; i < q->count; i++) {
        free_layer(&q->layer[i]);
    }
    *q = (quantised){0};
}

static int open_layer(quantised_layer *q, const network_layer *l)
{
    const size_t out = (size_t)l->out, weights = out * (size_t)l->in * NETWORK_TAPS;
    *q = (quantised_layer){
        .weights = malloc(weights), .start = malloc(out * sizeof *q->start), .factor = malloc(out * sizeof *q->factor)};
    bool complete = q->weights != NULL && q->start != NULL && q->factor != NULL;
    if (l->slope != NULL) {
        q->word = malloc(out * sizeof *q->word);
        q->unit = malloc(out * sizeof *q->unit);
        q->peak = malloc(out * sizeof *q->peak);
        complete = complete && q->word != NULL && q->unit != NULL && q->peak != NULL;
    }
    return complete ? CLI_DONE : cli_fail_memory(l->name, weights);
}

/* One output channel's weights in units of `factor`; returns the largest |sum| that they and the bias can make. */
static double round_weights(quantised_layer *q, const network_layer *l, int o, const float *unit, bool first)
{
    const float factor = q->factor[o];
    const double each = first ? PIXEL_MAX : INPUT_MAX;
    double most = 0, sum = 0;
    for (int i = 0; i < l->in * NETWORK_TAPS; i++) {
        const size_t at = (size_t)o * (size_t)l->in * NETWORK_TAPS + (size_t)i;
        const float w = roundf(l->weights[at] * unit[i / NETWORK_TAPS] / factor);
        q->weights[at] = (int8_t)(w > WEIGHT_MAX ? WEIGHT_MAX : w < -WEIGHT_MAX ? -WEIGHT_MAX : w);
        most += abs(q->weights[at]) * each;
        sum += q->weights[at];
    }
    const double bias = rint((double)l->bias[o] / (double)factor);
    most += fabs(bias);
    const double start = SUM_OFFSET + bias + (first ? PIXEL_ZERO * sum : 0);
    q->start[o] = most < SUM_MOST ? (int32_t)start : 0;
    return most;
}

/* The weights with the finest unit that keeps every sum in its range. */
static int quantise_channel(quantised_layer *q, const network_layer *l, int o, const float *unit, bool first)
{
    float largest = 0;
    for (int i = 0; i < l->in * NETWORK_TAPS; i++) {
        const float w = l->weights[(size_t)o * (size_t)l->in * NETWORK_TAPS + (size_t)i] * unit[i / NETWORK_TAPS];
        largest = fmaxf(largest, fabsf(w));
    }
    /* Without weights the bias is all: a channel that is constant. */
    largest = fmaxf(largest, fabsf(l->bias[o]) / 1024);
    q->factor[o] = largest > 0 ? largest / WEIGHT_MAX : 1;
    for (int doubled = 0; round_weights(q, l, o, unit, first) >= SUM_MOST; doubled++) {
        if (doubled == 16 || !isfinite(q->factor[o])) {
            return cli_fail(CLI_WRONG, "%s: channel %d: its weights are too large for int8", l->name, o);
        }
        q->factor[o] *= 2;
    }
    return CLI_DONE;
}

/* The word that takes a sum to int8: its scale has 10 bits behind the point, and the unit of the result is what that
 * scale makes it, so that the rounding costs nothing. */
static int choose_word(quantised_layer *q, int o, float peak)
{
    const float wanted = peak > 0 ? peak / RESULT_MAX : q->factor[o];
    const aic_status failed = aic_quant_word(q->factor[o] / wanted, 0, true, &q->word[o]);
    if (failed != AIC_OK) {
        return cli_fail_library("the scale of a channel", failed);
    }
    q->unit[o] = q->factor[o] / aic_quant_parts(q->word[o]).scale;
    q->peak[o] = peak;
    return CLI_DONE;
}

int quantise(quantised *q, const network *n, const peaks *found)
{
    float pixel[NETWORK_COLOURS];
    *q = (quantised){.count = n->count};
    for (int c = 0; c < NETWORK_COLOURS; c++) {
        pixel[c] = 1.0F / 256;
    }
    int status = CLI_DONE;
    for (int i = 0; status == CLI_DONE && i < n->count; i++) {
        const network_layer *l = &n->layer[i];
        status = open_layer(&q->layer[i], l);
        for (int o = 0; status == CLI_DONE && o < l->out; o++) {
            status = quantise_channel(&q->layer[i], l, o, i == 0 ? pixel : q->layer[i - 1].unit, i == 0);
            if (status == CLI_DONE && l->slope != NULL) {
                status = choose_word(&q->layer[i], o, found->value[i][o]);
            }
        }
    }
    if (status != CLI_DONE) {
        quantised_free(q);
    }
    return status;
}

/* ---- the table ---- */

static int put_channel(outfile *file, const char *path, const network_layer *l, const quantised_layer *q, int o)
{
    char line[TABLE_LINE];
    int length = 0;
    if (q->word != NULL) {
        const aic_quant word = aic_quant_parts(q->word[o]);
        length = snprintf(line, sizeof line, "%-12s %7d %12d %13.6g %12.6g %12.6g 0x%016" PRIx64 " %13.6g %13.6g\n",
                          l->name, o, q->start[o] - SUM_OFFSET, (double)q->factor[o], (double)l->slope[o],
                          (double)q->peak[o], q->word[o], (double)word.scale, (double)q->unit[o]);
    } else {
        length = snprintf(line, sizeof line, "%-12s %7d %12d %13.6g\n", l->name, o, q->start[o] - SUM_OFFSET,
                          (double)q->factor[o]);
    }
    return outfile_write(file, path, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

int quantised_save(const quantised *q, const network *n, const char *path)
{
    static const char HEAD[] =
        "# int8: sum = bias + weights * inputs; result = max(sum, slope * sum) * scale, rounded and clamped to int8.\n"
        "# A sum counts factors, a result counts units; peak is the largest |result| of the calibration. The first\n"
        "# layer's inputs are pixels less 128, and its biases have 128 times the sum of the weights in them.\n"
        "# The word is fixpipe's: the scale, and bit 46 for int8.\n"
        "#layer       channel         bias        factor        slope         peak               word         scale"
        "          unit\n";
    outfile file = {.fd = -1};
    int status = outfile_open(&file, path, path);
    status = status == CLI_DONE ? outfile_write(&file, path, HEAD, sizeof HEAD - 1) : status;
    for (int i = 0; status == CLI_DONE && i < q->count; i++) {
        for (int o = 0; status == CLI_DONE && o < n->layer[i].out; o++) {
            status = put_channel(&file, path, &n->layer[i], &q->layer[i], o);
        }
    }
    status = status == CLI_DONE ? outfile_commit(&file, path) : status;
    outfile_close(&file);
    return status;
}
