/* aicjit-demo INPUT.png OUTPUT_DIR [--isa LEVEL]: a photograph through a bank of 16 filters, and the example that the
 * operator's document prints. Exit status as for aicjit; 1 when the example differs. */
#include "tools/demo/convolve.h"
#include "tools/demo/show.h"
#include "tools/demo/vendor_example.h"
#include "tools/harness/fail.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096 };

static const demo_job jobs[] = {
    {"int8", AIC_INT8, AIC_ACCUMULATE_CUBE},
    {"float16", AIC_FLOAT16, AIC_ACCUMULATE_CUBE},
    {"float16-fast", AIC_FLOAT16, AIC_ACCUMULATE_FAST},
};

enum { JOB_COUNT = sizeof jobs / sizeof jobs[0] };

/* "DIR/NAME" into `path`; DIR/NAME becomes a folder where make_folder says so. */
static int make_path(char path[PATH_BYTES], const char *folder, const char *name, bool make_folder)
{
    int length = snprintf(path, PATH_BYTES, "%s%s%s", folder, name[0] == '\0' ? "" : "/", name);
    if (length >= PATH_BYTES) {
        return cli_fail(CLI_WRONG, "the path of the output folder is longer than %d bytes", PATH_BYTES);
    }
    if (make_folder && mkdir(path, 0777) != 0 && errno != EEXIST) {
        return cli_fail(CLI_WRONG, "\"%s\" cannot be made: %s", path, strerror(errno));
    }
    return CLI_DONE;
}

static void print_result(const demo_job *job, const demo_result *r, const char *folder)
{
    printf("\n%s\n", job->name);
    printf("  compiled     %s\n", r->spec);
    printf("  for          %s, %s, %llu bytes of code\n", r->info.isa, r->info.schedule,
           (unsigned long long)r->info.code_bytes);
    printf("  compilation  %.2f ms: IR %.2f, machine code %.2f, link %.2f\n",
           (double)(r->info.emit_ns + r->info.codegen_ns + r->info.link_ns) * 1e-6, (double)r->info.emit_ns * 1e-6,
           (double)r->info.codegen_ns * 1e-6, (double)r->info.link_ns * 1e-6);
    printf("  first call   %.2f ms, compilation included\n", r->first_call_ns * 1e-6);
    printf("  later calls  %.3f ms (median), %.1f GMAC/s\n", r->median_ns * 1e-6, r->gmacs);
    printf("  IR           %s/ir/%s.ll\n", folder, r->info.name);
}

/* A picture a filter in FOLDER/JOB. */
static int save_pictures(const demo_job *job, const demo_result *result, const picture *in, const char *folder)
{
    char path[PATH_BYTES], name[64];
    picture out = {0};
    int status = make_path(path, folder, job->name, true);
    status = status == CLI_DONE ? picture_new(&out, in->width, in->height) : status;
    for (int f = 0; status == CLI_DONE && f < FILTER_COUNT; f++) {
        (void)snprintf(name, sizeof name, "%s/%02d-%s.png", job->name, f + 1, filters[f].name);
        status = make_path(path, folder, name, false);
        status = status == CLI_DONE ? show_filter(result, f, &out) : status;
        status = status == CLI_DONE ? picture_save(&out, path) : status;
    }
    if (status == CLI_DONE) {
        printf("  pictures     %s/%s/\n", folder, job->name);
    }
    picture_free(&out);
    return status;
}

/* The largest difference of two results in units of a grey level. */
static double difference(const demo_result *a, const demo_result *b, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        double d = fabs((double)a->value[i] - (double)b->value[i]);
        largest = d > largest ? d : largest;
    }
    return largest;
}

/* FOLDER/sheet.png with everything on it. */
static int save_sheet(const demo_result *results, const picture *in, double largest, const char *folder)
{
    char path[PATH_BYTES];
    picture sheet = {0};
    int status = make_path(path, folder, "sheet.png", false);
    status = status == CLI_DONE ? show_sheet(jobs, results, JOB_COUNT, in, largest, &sheet) : status;
    status = status == CLI_DONE ? picture_save(&sheet, path) : status;
    if (status == CLI_DONE) {
        printf("all of them, with their times: %s\n", path);
    }
    picture_free(&sheet);
    return status;
}

static int filter_picture(aic_context *context, const picture *in, const char *folder)
{
    demo_result results[JOB_COUNT] = {0};
    size_t values = (size_t)in->width * (size_t)in->height * FILTER_COUNT;
    int status = CLI_DONE;
    for (int i = 0; status == CLI_DONE && i < JOB_COUNT; i++) {
        status = demo_convolve(context, &jobs[i], in, &results[i]);
        if (status == CLI_DONE) {
            print_result(&jobs[i], &results[i], folder);
            status = save_pictures(&jobs[i], &results[i], in, folder);
        }
    }
    for (int i = 1; status == CLI_DONE && i < JOB_COUNT; i++) {
        printf("%s%s differs from int8 by at most %.3f of 255 grey levels\n", i == 1 ? "\n" : "", jobs[i].name,
               difference(&results[0], &results[i], values));
    }
    if (status == CLI_DONE) {
        status = save_sheet(results, in, difference(&results[0], &results[1], values), folder);
    }
    for (int i = 0; i < JOB_COUNT; i++) {
        demo_result_free(&results[i]);
    }
    return status;
}

static int repeat_example(aic_context *context)
{
    int equal = vendor_example(context);
    if (equal < 0) {
        return cli_fail_library("vendor example", AIC_INTERNAL);
    }
    printf("vendor example: %d of %d values bit for bit\n", equal, VENDOR_VALUES);
    return equal == VENDOR_VALUES ? CLI_DONE : CLI_MISMATCH;
}

static int demo(const char *input, const char *folder, const char *isa)
{
    char ir[PATH_BYTES], path[PATH_BYTES];
    picture in = {0};
    aic_context *context = NULL;
    aic_context_options options = aic_context_options_init();
    options.isa = isa;
    options.dump_dir = ir;
    options.semantics.limits = AIC_LIMITS_HOST; /* pictures as wide as a filter, too */
    int status = picture_load(&in, input);
    status = status == CLI_DONE ? make_path(path, folder, "", true) : status;
    status = status == CLI_DONE ? make_path(ir, folder, "ir", true) : status;
    if (status == CLI_DONE) {
        aic_status failed = aic_context_create(&options, &context);
        status = failed == AIC_OK ? CLI_DONE : cli_fail_library(NULL, failed);
    }
    if (status == CLI_DONE) {
        printf("%s: %d x %d pixels, %d filters of %dx%d, LLVM %s\n", input, in.width, in.height, FILTER_COUNT,
               FILTER_SIZE, FILTER_SIZE, aic_llvm_version());
        status = filter_picture(context, &in, folder);
    }
    status = status == CLI_DONE ? repeat_example(context) : status;
    aic_context_destroy(context);
    picture_free(&in);
    return status;
}

int main(int argc, char **argv)
{
    const char *isa = NULL;
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
    int status;
    if (argc == 5 && strcmp(argv[3], "--isa") == 0) {
        isa = argv[4];
    }
    if (argc == 3 || isa != NULL) {
        status = demo(argv[1], argv[2], isa);
    } else {
        status = cli_fail(CLI_WRONG, "usage: aicjit-demo INPUT.png OUTPUT_DIR [--isa LEVEL]");
    }
    int flushed = cli_flush_output();
    status = flushed > status ? flushed : status;
    cli_show_failure("aicjit-demo");
    return status;
}
