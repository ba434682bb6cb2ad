/* Tunes an operator, then uses what was found: the same result by another schedule, or by the default where none beats
 * it.
 *
 *     tuned SPEC TUNING_FILE [SECONDS]
 *
 * A program names the file by aic_context_options.tuning_db, or AIC_TUNING_DB in the environment does.
 *
 *     cc tuned.c $(pkg-config --cflags --libs aicjit)
 */
#include <aic/aic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *what, const char *why)
{
    (void)fprintf(stderr, "tuned: %s: %s\n", what, why);
    return 1;
}

/* Runs the operator with numbers of its own and returns the result, which the caller frees; NULL when something fails.
 */
static void *run(const char *tuning_db, const aic_spec *spec, size_t *bytes)
{
    aic_operand table[AIC_OPERANDS_MAX];
    void *operand[AIC_OPERANDS_MAX] = {NULL};
    size_t count = 0;
    aic_context *context = NULL;
    aic_kernel *kernel = NULL;
    aic_kernel_info info = aic_kernel_info_init();
    aic_context_options options = aic_context_options_init();
    options.tuning_db = tuning_db;
    aic_status status = aic_context_create(&options, &context);
    status = status == AIC_OK ? aic_spec_operands(spec, NULL, table, &count) : status;
    for (size_t i = 0; status == AIC_OK && i < count; i++) {
        if (table[i].direction != AIC_DIRECTION_UNUSED) {
            operand[i] = calloc(1, (size_t)table[i].bytes + 1);
            status = operand[i] != NULL ? AIC_OK : AIC_OUT_OF_MEMORY;
        }
        for (int64_t k = 0; i > 0 && operand[i] != NULL && k < table[i].bytes; k++) {
            ((unsigned char *)operand[i])[k] = (unsigned char)(k * 29 % 59); /* small numbers in every type */
        }
    }
    status = status == AIC_OK ? aic_kernel_create(context, spec, NULL, &kernel) : status;
    status = status == AIC_OK ? aic_kernel_get_info(kernel, &info) : status;
    status = status == AIC_OK ? aic_kernel_call(kernel, operand, count) : status;
    if (status == AIC_OK) {
        printf("%-8s %s\n", info.origin, info.schedule);
        *bytes = (size_t)table[0].bytes;
    }
    for (size_t i = status == AIC_OK ? 1 : 0; i < count; i++) {
        free(operand[i]);
    }
    aic_kernel_destroy(kernel);
    aic_context_destroy(context);
    return status == AIC_OK ? operand[0] : NULL;
}

int main(int argc, char **argv)
{
    aic_spec *spec = NULL;
    aic_tune_result result = aic_tune_result_init();
    aic_tune_options options = aic_tune_options_init();
    size_t bytes = 0;
    if (argc < 3) {
        return fail("usage", "tuned SPEC TUNING_FILE [SECONDS]");
    }
    options.db = argv[2];
    options.budget = argc > 3 ? strtod(argv[3], NULL) : options.budget;
    if (aic_spec_parse(argv[1], &spec) != AIC_OK || aic_tune(NULL, spec, &options, &result) != AIC_OK) {
        return fail("tuning", aic_last_error());
    }
    printf("%zu of %zu schedules measured, the best %.3f times as fast as the default\n", result.measured, result.legal,
           result.gain);
    aic_tune_result_destroy(&result);
    void *usual = run("", spec, &bytes), *tuned = run(argv[2], spec, &bytes);
    int status = usual == NULL || tuned == NULL ? fail("running", aic_last_error()) : 0;
    if (status == 0) {
        const bool same = memcmp(usual, tuned, bytes) == 0;
        printf("%zu bytes, %s\n", bytes, same ? "the same" : "DIFFERENT");
        status = !same;
    }
    aic_spec_destroy(spec);
    free(usual);
    free(tuned);
    return status;
}
