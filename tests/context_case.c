/* Contexts of tests; see context_case.h. */
#include "tests/context_case.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

aic_context *context_new(const aic_context_options *options)
{
    aic_context *context;
    ck_assert_msg(aic_context_create(options, &context) == AIC_OK, "%s", aic_last_error());
    return context;
}

void run_in(aic_context *context, conv_case *c)
{
    conv_case_reset(c);
    aic_status status = aic_jit_conv2d(context, &c->desc, c->buffer[0], c->buffer[1], c->buffer[2]);
    ck_assert_msg(status == AIC_OK, "%s", aic_last_error());
    conv_case_check_done(c, c->buffer[0]);
}

static char *saved[3];
static const char *const variables[3] = {"AIC_MAX_ISA", "AIC_VERBOSE", "AIC_DUMP_DIR"};

void save_environment(void)
{
    for (int i = 0; i < 3; i++) {
        const char *value = getenv(variables[i]);
        saved[i] = value != NULL ? strdup(value) : NULL;
    }
}

void restore_environment(void)
{
    for (int i = 0; i < 3; i++) {
        if (saved[i] != NULL) {
            setenv(variables[i], saved[i], 1);
            free(saved[i]);
        } else {
            unsetenv(variables[i]);
        }
    }
}
