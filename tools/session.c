/* Contexts and specifications from command line options. */
#include "tools/session.h"

#include "tools/benchline.h"
#include "tools/harness/fail.h"
#include "tools/kinds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- semantics ---- */

enum { VALUES_TEXT_MAX = 64 };

/* The value that option parsing has accepted, or the fallback. */
static int64_t value_of(field_kind kind, cli_choice choice, int64_t fallback)
{
    int64_t value = fallback;
    if (kind == KIND_INT) {
        return choice.number != 0 ? choice.number : fallback;
    }
    return kind_value(kind, choice.word, &value) ? value : fallback;
}

#define INDEX_OF(name) (offsetof(cli_choices, name) / sizeof(cli_choice))

void cli_semantics_options(cli_session *session, args_option options[CLI_CHOICES])
{
    static char values[CLI_CHOICES][VALUES_TEXT_MAX];
    static const char *const meanings[CLI_CHOICES] = {
#define AIC_MEANING(name, meaning) [INDEX_OF(name)] = meaning,
#include <aic/semantics.def>
#undef AIC_MEANING
    };
    static const int64_t ranges[CLI_CHOICES][2] = {
#define AIC_RANGE(name, low, high, step) [INDEX_OF(name)] = {low, high},
#include <aic/semantics.def>
#undef AIC_RANGE
    };
    size_t i = 0;
#define AIC_FIELD(KIND, field, count, need, fallback)                                                                  \
    kind_list(KIND_##KIND, "N", values[i], VALUES_TEXT_MAX);                                                           \
    options[i] = (args_option){.name = "--" #field,                                                                    \
                               .value = values[i],                                                                     \
                               .help = meanings[i],                                                                    \
                               .kind = KIND_##KIND == KIND_INT ? ARGS_INTEGER : ARGS_TEXT,                             \
                               .target = &session->choices.field,                                                      \
                               .low = ranges[i][0],                                                                    \
                               .high = ranges[i][1]};                                                                  \
    i++;
#include <aic/semantics.def>
#undef AIC_FIELD
}

/* " --overflow ieee" */
static size_t put_option(char *text, size_t capacity, const char *name, field_kind kind, int64_t value)
{
    const int written = kind == KIND_INT ? snprintf(text, capacity, " --%s %" PRId64, name, value)
                                         : snprintf(text, capacity, " --%s %s", name, kind_word(kind, value));
    return (size_t)written;
}

void cli_semantics_text(const cli_session *session, char text[CLI_SEMANTICS_TEXT_MAX])
{
    const aic_semantics defaults = aic_semantics_init();
    size_t used = 0;
    text[0] = '\0';
#define AIC_FIELD(kind, name, count, need, fallback)                                                                   \
    if (session->semantics.name != defaults.name && used < CLI_SEMANTICS_TEXT_MAX) {                                   \
        used += put_option(text + used, CLI_SEMANTICS_TEXT_MAX - used, #name, KIND_##kind, session->semantics.name);   \
    }
#include <aic/semantics.def>
#undef AIC_FIELD
}

void cli_session_semantics(cli_session *session)
{
    session->semantics = aic_semantics_init();
#define AIC_FIELD(kind, name, count, need, fallback)                                                                   \
    session->semantics.name = (AIC_CTYPE_##kind)value_of(KIND_##kind, session->choices.name, session->semantics.name);
#include <aic/semantics.def>
#undef AIC_FIELD
}

/* ---- sessions ---- */

int cli_session_open(cli_session *session)
{
    cli_session_semantics(session);
    aic_context_options options = aic_context_options_init();
    options.isa = session->isa;
    options.passes = session->passes;
    options.threads = (int)session->threads;
    options.semantics = session->semantics;
    options.tuning_db = session->tuning_db;
    aic_status status = aic_context_create(&options, &session->context);
    cli_show_warning(); /* of a tuning file that is not used */
    return status == AIC_OK ? CLI_DONE : cli_fail_library(NULL, status);
}

void cli_session_close(cli_session *session)
{
    aic_context_destroy(session->context);
    session->context = NULL;
}

aic_chip cli_arch(const cli_session *session)
{
    return session->arch != NULL && strcmp(session->arch, "A2A3") == 0 ? AIC_A2A3 : AIC_A5;
}

/* Refuses --arch with text that is no PTO-AS: such text names its architecture itself. */
static int check_arch(const cli_session *session, const char *text)
{
    if (session->arch == NULL || aic_pto_recognise(text)) {
        return CLI_DONE;
    }
    return cli_fail(CLI_WRONG, "--arch: has no effect on \"%.60s%s\", which is no PTO-AS", text,
                    strlen(text) > 60 ? "..." : "");
}

static int read_problem(const cli_session *session, const char *text, aic_spec *spec)
{
    if (session->dt == NULL) {
        return cli_fail(
            CLI_WRONG, "--dt: is missing: a convolution in benchdnn's format names no element type, legal are int8 and "
                       "float16");
    }
    return benchline_parse(text, aic_dtype_parse(session->dt), spec);
}

int cli_read_spec(const cli_session *session, const char *text, aic_spec *spec)
{
    const int refused = check_arch(session, text);
    if (refused != CLI_DONE) {
        return refused;
    }
    if (benchline_recognise(text)) {
        return read_problem(session, text, spec);
    }
    const aic_status status = aic_spec_parse(text, spec);
    if (status == AIC_OK && aic_pto_recognise(text)) {
        spec->stage[0].desc.texpands.arch = cli_arch(session);
    }
    return status == AIC_OK ? CLI_DONE : cli_fail_library(NULL, status);
}

int cli_parse_spec(const cli_session *session, const char *text, aic_spec *spec)
{
    const int status = cli_read_spec(session, text, spec);
    if (status != CLI_DONE) {
        return status;
    }
    const aic_status failed = aic_spec_validate(spec, &session->semantics);
    return failed == AIC_OK ? CLI_DONE : cli_fail_library(NULL, failed);
}

char *cli_spec_text(const aic_spec *spec)
{
    size_t length = 0;
    if (aic_spec_print(spec, NULL, 0, &length) != AIC_OK) {
        return NULL;
    }
    char *text = malloc(length + 1);
    if (text != NULL && aic_spec_print(spec, text, length + 1, NULL) != AIC_OK) {
        free(text);
        text = NULL;
    }
    return text;
}
