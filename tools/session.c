/* Contexts and specifications from command line options. */
#include "tools/session.h"

#include "tools/harness/fail.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- semantics ---- */

/* Kinds of options by name, and all words of enumerations. */
enum {
    KIND_INT,
#define AIC_ENUM(KIND, type, expected) KIND_##KIND,
#include <aic/enum.def>
#undef AIC_ENUM
};

static const struct {
    int kind;
    uint32_t value;
    const char *word;
} words[] = {
#define AIC_WORD(KIND, value, word) {KIND_##KIND, value, word},
#include <aic/enum.def>
#undef AIC_WORD
};

enum { WORDS = sizeof words / sizeof words[0], VALUES_TEXT_MAX = 64 };

/* The word that is printed for a value. */
static const char *word_of(int kind, int64_t value)
{
    size_t i = 0;
    while (i < WORDS && (words[i].kind != kind || words[i].value != value)) {
        i++;
    }
    return i < WORDS ? words[i].word : "?";
}

/* The value that option parsing has accepted, or the fallback. */
static int64_t value_of(int kind, cli_choice choice, int64_t fallback)
{
    if (kind == KIND_INT) {
        return choice.number != 0 ? choice.number : fallback;
    }
    for (size_t i = 0; choice.word != NULL && i < WORDS; i++) {
        if (words[i].kind == kind && strcmp(words[i].word, choice.word) == 0) {
            return words[i].value;
        }
    }
    return fallback;
}

/* "document|host", or "N". */
static void list_values(int kind, char text[VALUES_TEXT_MAX])
{
    size_t used = (size_t)snprintf(text, VALUES_TEXT_MAX, "%s", kind == KIND_INT ? "N" : "");
    for (size_t i = 0; i < WORDS && used < VALUES_TEXT_MAX; i++) {
        if (words[i].kind == kind && word_of(kind, words[i].value) == words[i].word) {
            used += (size_t)snprintf(text + used, VALUES_TEXT_MAX - used, "%s%s", used > 0 ? "|" : "", words[i].word);
        }
    }
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
    list_values(KIND_##KIND, values[i]);                                                                               \
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
static size_t put_option(char *text, size_t capacity, const char *name, int kind, int64_t value)
{
    const int written = kind == KIND_INT ? snprintf(text, capacity, " --%s %" PRId64, name, value)
                                         : snprintf(text, capacity, " --%s %s", name, word_of(kind, value));
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

int cli_check_arch(const cli_session *session, const char *text)
{
    if (session->arch == NULL || aic_pto_recognise(text)) {
        return CLI_DONE;
    }
    return cli_fail(CLI_WRONG, "--arch: has no effect on \"%.60s%s\", which is no PTO-AS", text,
                    strlen(text) > 60 ? "..." : "");
}

int cli_parse_spec(const cli_session *session, const char *text, aic_spec *spec)
{
    int refused = cli_check_arch(session, text);
    if (refused != CLI_DONE) {
        return refused;
    }
    aic_status status = aic_spec_parse(text, spec);
    if (status == AIC_OK && aic_pto_recognise(text)) {
        spec->stage[0].desc.texpands.arch = cli_arch(session);
    }
    if (status == AIC_OK) {
        status = aic_spec_validate(spec, &session->semantics);
    }
    return status == AIC_OK ? CLI_DONE : cli_fail_library(NULL, status);
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
