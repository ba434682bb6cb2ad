/* aicjit-superres NAME.param NAME.bin PICTURE.png DIR: a picture four times as large by a published network, each layer
 * an operator of the documents, in float16 and in int8. README.md next to this file says what is measured. */
#include "tools/harness/fail.h"
#include "tools/harness/interrupt.h"
#include "tools/progress.h"
#include "tools/superres/options.h"
#include "tools/superres/plain.h"
#include "tools/superres/report.h"
#include "tools/superres/resample.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The most pixels of a picture, and of one that others enlarge, too. */
enum { PIXELS_MAX = 1 << 22, COMPARED_MAX = 1 << 18, PATH_BYTES = 4096 };

/* Rounds of a small picture, and how large one of them is: seconds a round. */
enum { ROUNDS = 5, SMALL = 1 << 16 };

typedef struct session {
    options options;
    picture in, out[PLAN_MODES];
    network given, network; /* as the files have it; signs turned and for pictures in 256ths */
    quantised int8;
    aic_context *context[RACE_THREADS]; /* one thread; all, NULL where that is one */
    tiling tiles;
    race_times times;
    peers peers;
    float *expected, *values; /* of ncnn or of plain C; of a mode; NULL for a picture that is too large for that */
    double decibels[PLAN_MODES];
} session;

/* ---- what it begins with ---- */

static int load_picture(session *s)
{
    const options *o = &s->options;
    int status = picture_load(&s->in, o->picture);
    if (status == CLI_DONE && o->fit_width > 0) {
        picture fitted = {0};
        status = resample_fit(&fitted, &s->in, o->fit_width, o->fit_height);
        picture_free(&s->in);
        s->in = fitted;
    }
    if (status == CLI_DONE && (int64_t)s->in.width * s->in.height > PIXELS_MAX) {
        status = cli_fail(CLI_WRONG, "\"%s\": %d x %d pixels are more than %d", o->picture, s->in.width, s->in.height,
                          PIXELS_MAX);
    }
    return status;
}

static int load_network(session *s)
{
    int status = network_load(&s->given, s->options.param, s->options.bin);
    status = status == CLI_DONE ? network_load(&s->network, s->options.param, s->options.bin) : status;
    if (status == CLI_DONE) {
        network_turn_signs(&s->network);
        network_take_256ths(&s->network);
    }
    return status;
}

static int open_context(session *s, int which, int threads)
{
    aic_context_options wanted = aic_context_options_init();
    wanted.isa = s->options.isa;
    wanted.threads = threads;
    wanted.semantics.limits = AIC_LIMITS_HOST; /* pictures that are as wide as a kernel, too */
    const aic_status status = aic_context_create(&wanted, &s->context[which]);
    return status == AIC_OK ? CLI_DONE : cli_fail_library(NULL, status);
}

static int open_contexts(session *s)
{
    int status = open_context(s, 0, 1);
    status = status == CLI_DONE ? open_context(s, 1, s->options.threads) : status;
    if (status == CLI_DONE) {
        s->times.threads[0] = 1;
        s->times.threads[1] = aic_context_threads(s->context[1]);
    }
    if (status == CLI_DONE && s->times.threads[1] <= 1) {
        aic_context_destroy(s->context[1]);
        s->context[1] = NULL;
        s->times.threads[1] = 1;
    }
    return status;
}

static int make_folder(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST
               ? CLI_DONE
               : cli_fail(CLI_WRONG, "\"%s\" cannot be made: %s", path, strerror(errno));
}

/* "DIR/NAME" */
static int make_path(const session *s, char path[PATH_BYTES], const char *name)
{
    return snprintf(path, PATH_BYTES, "%s/%s", s->options.folder, name) < PATH_BYTES
               ? CLI_DONE
               : cli_fail(CLI_WRONG, "the path of the output folder is longer than %d bytes", PATH_BYTES);
}

static int open_session(session *s)
{
    int status = load_picture(s);
    status = status == CLI_DONE ? load_network(s) : status;
    if (status == CLI_DONE) {
        const int64_t most = s->options.style == FORM_SEPARATE ? PLAN_PIXELS_MAX_SEPARATE : PLAN_PIXELS_MAX;
        const int64_t pixels = s->options.tile < most ? s->options.tile : most;
        status = choose_tiles(&s->tiles, s->in.width, s->in.height, s->network.count, pixels);
    }
    status = status == CLI_DONE ? make_folder(s->options.folder) : status;
    status = status == CLI_DONE ? open_contexts(s) : status;
    const size_t count = (size_t)s->in.width * (size_t)s->in.height * NETWORK_OUT;
    for (int mode = 0; status == CLI_DONE && mode < PLAN_MODES; mode++) {
        status = picture_new(&s->out[mode], s->in.width * NETWORK_SCALE, s->in.height * NETWORK_SCALE);
    }
    if (status == CLI_DONE && count <= (size_t)COMPARED_MAX * NETWORK_OUT) {
        s->expected = calloc(count, sizeof *s->expected);
        s->values = calloc(count, sizeof *s->values);
        if (s->expected == NULL || s->values == NULL) {
            status = cli_fail_memory("results to compare", count * sizeof *s->values);
        }
    }
    return status;
}

static void close_session(session *s)
{
    peers_close(&s->peers);
    quantised_free(&s->int8);
    network_free(&s->network);
    network_free(&s->given);
    for (int i = 0; i < RACE_THREADS; i++) {
        aic_context_destroy(s->context[i]);
    }
    for (int i = 0; i < PLAN_MODES; i++) {
        picture_free(&s->out[i]);
    }
    picture_free(&s->in);
    free(s->expected);
    free(s->values);
}

/* ---- numbers ---- */

static plan_request request_of(const session *s, int mode, int threads, bool as_float)
{
    return (plan_request){.context = s->context[threads],
                          .network = &s->network,
                          .int8 = &s->int8,
                          .mode = (plan_mode)mode,
                          .style = s->options.style,
                          .height = s->tiles.height,
                          .width = s->tiles.width,
                          .as_float = as_float};
}

/* Runs the network in one mode for its numbers, which go to s->values, and compares these. */
static int compute_values(session *s, int mode, const enlarge_hooks *hooks)
{
    plan *p = NULL;
    const plan_request request = request_of(s, mode, 0, true);
    int status = plan_create(&p, &request);
    status = status == CLI_DONE ? enlarge(p, &s->tiles, &s->in, NULL, s->values, hooks) : status;
    plan_free(p);
    if (status == CLI_DONE && s->values != NULL) {
        s->decibels[mode] = psnr(s->values, s->expected, (size_t)s->in.width * (size_t)s->in.height * NETWORK_OUT);
    }
    return status;
}

/* What the calibration looks for, and how many layers have results in float16. */
typedef struct calibration {
    peaks *found;
    int layers;
} calibration;

static void add_peaks(void *data, const plan *p, int layer, const region *used)
{
    const calibration *c = data;
    if (layer < c->layers) {
        plan_add_peaks(p, layer, used, c->found);
    }
}

/* float16, which also finds the largest values of each channel; then int8 by these. */
static int compute_all(session *s)
{
    char path[PATH_BYTES];
    peaks *found = calloc(1, sizeof *found);
    calibration c = {found, s->network.count - 1};
    const enlarge_hooks plain = {.step = progress_step};
    const enlarge_hooks calibrate = {.step = progress_step, .layer = add_peaks, .data = &c};
    int status = found != NULL ? CLI_DONE : cli_fail_memory("calibration", sizeof *found);
    status = status == CLI_DONE ? compute_values(s, PLAN_CUBE, &plain) : status;
    status = status == CLI_DONE ? compute_values(s, PLAN_FAST, &calibrate) : status;
    status = status == CLI_DONE ? quantise(&s->int8, &s->network, found) : status;
    status = status == CLI_DONE ? compute_values(s, PLAN_INT8, &plain) : status;
    status = status == CLI_DONE ? make_path(s, path, "int8.txt") : status;
    status = status == CLI_DONE ? quantised_save(&s->int8, &s->network, path) : status;
    free(found);
    return status;
}

/* What the results are compared with: ncnn's, or where there is none those of plain C. */
static int compute_expected(session *s)
{
    const options *o = &s->options;
    if (s->expected == NULL) {
        return CLI_DONE;
    }
    return o->python != NULL
               ? peers_open(&s->peers, o->python, o->script, o->param, o->bin, &s->in, o->folder, s->expected)
               : plain_enlarge(&s->given, &s->in, s->expected);
}

/* ---- times and pictures ---- */

static int save_pictures(session *s)
{
    static const char *const NAME[PLAN_MODES] = {"float16-cube.png", "float16-fast.png", "int8.png"};
    char path[PATH_BYTES];
    int status = CLI_DONE;
    printf("\n");
    for (int mode = 0; status == CLI_DONE && mode < PLAN_MODES; mode++) {
        status = make_path(s, path, NAME[mode]);
        status = status == CLI_DONE ? picture_save(&s->out[mode], path) : status;
        if (status == CLI_DONE) {
            printf("%-14s %s\n", race_mode_name[mode], path);
        }
    }
    picture *const out[PLAN_MODES] = {&s->out[0], &s->out[1], &s->out[2]};
    status = status == CLI_DONE ? make_path(s, path, "sheet.png") : status;
    status = status == CLI_DONE ? report_sheet(&s->in, out, path) : status;
    if (status == CLI_DONE) {
        printf("%-14s %s\n", "side by side", path);
        status = make_path(s, path, "int8.txt");
        printf("%-14s %s\n", "int8's scales", path);
    }
    return status;
}

static void report(session *s, const race *r)
{
    progress_clear();
    for (int mode = 0; mode < PLAN_MODES; mode++) {
        report_layers(r, &s->times, &s->given, (plan_mode)mode);
    }
    if (s->peers.process > 0) {
        printf("\n%s", s->peers.versions);
    } else {
        printf("\nncnn and onnxruntime are left out%s", s->expected == NULL ? ": the picture is large" : "");
    }
    printf("; medians of %d rounds\n", r->rounds);
    report_totals(&s->times, s->decibels, s->expected == NULL ? "nothing" : s->peers.process > 0 ? "ncnn" : "plain C");
}

static int run_race(session *s)
{
    const bool small = s->in.width * s->in.height <= SMALL;
    race r = {.tiles = &s->tiles,
              .in = &s->in,
              .layers = s->network.count,
              .rounds = s->options.rounds > 0 ? s->options.rounds
                        : small               ? ROUNDS
                                              : 1,
              .warm_up = small,
              .peers = &s->peers,
              .step = progress_step};
    int status = CLI_DONE;
    for (int i = 0; status == CLI_DONE && i < PLAN_MODES * RACE_THREADS; i++) {
        const int mode = i / RACE_THREADS, threads = i % RACE_THREADS;
        const plan_request request = request_of(s, mode, threads, false);
        r.out[mode] = &s->out[mode];
        status = request.context != NULL ? plan_create(&r.plan[mode][threads], &request) : CLI_DONE;
    }
    if (status == CLI_DONE) {
        progress_start("network", race_steps(&r));
        status = race_run(&r, &s->times);
        const int ended = progress_end();
        status = status == CLI_DONE ? ended : status;
    }
    if (status == CLI_DONE) {
        report(s, &r);
    }
    for (int i = 0; i < PLAN_MODES * RACE_THREADS; i++) {
        plan_free(r.plan[i / RACE_THREADS][i % RACE_THREADS]);
    }
    return status;
}

static int superres(session *s)
{
    int status = open_session(s);
    if (status == CLI_DONE) {
        printf("%s: %d x %d pixels; %d convolutions, %.2f 10^9 multiply-accumulates; %d x %d tiles of %d x %d\n",
               s->options.picture, s->in.width, s->in.height, s->network.count,
               network_macs(&s->network, 0, s->network.count) * s->in.width * s->in.height * 1e-9, s->tiles.across,
               s->tiles.down, s->tiles.width, s->tiles.height);
        status = compute_expected(s);
    }
    if (status == CLI_DONE) {
        progress_start("calibration", (size_t)(PLAN_MODES * s->network.count * s->tiles.across * s->tiles.down));
        status = compute_all(s);
        const int ended = progress_end();
        status = status == CLI_DONE ? ended : status;
    }
    status = status == CLI_DONE ? run_race(s) : status;
    return status == CLI_DONE ? save_pictures(s) : status;
}

int main(int argc, char **argv)
{
    static session s;
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
    interrupt_install();
    for (int mode = 0; mode < PLAN_MODES; mode++) {
        s.decibels[mode] = (double)NAN;
    }
    int status = options_read(&s.options, argc, argv);
    status = status == CLI_DONE ? superres(&s) : status;
    close_session(&s);
    const int flushed = cli_flush_output();
    status = flushed > status ? flushed : status;
    cli_show_failure("aicjit-superres");
    return status;
}
