/* Contexts and specifications from command line options. */
#include "tools/session.h"

#include "tools/bench/benchline.h"
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

/* --profile */
static int take_profile(void *to, const char *command, const char *value)
{
    aic_semantics scratch = aic_semantics_init();
    cli_readings *readings = to;
    if (readings->profile != NULL) {
        return cli_fail(CLI_WRONG, "%s: --profile is given twice", command);
    }
    readings->profile = value;
    return cli_status(command, aic_semantics_apply_profile(&scratch, value));
}

/* Sets one choice, "KEY=VALUE". */
static aic_status choose(aic_semantics *semantics, const char *pair)
{
    size_t length;
    const char *value;
    char key[32];
    if (!args_split(pair, &length, &value) || length >= sizeof key) {
        return AIC_INVALID_ARGUMENT;
    }
    memcpy(key, pair, length);
    key[length] = '\0';
    return aic_semantics_choose(semantics, key, value);
}

/* --choice */
static int take_choice(void *to, const char *command, const char *pair)
{
    aic_semantics scratch = aic_semantics_init();
    cli_readings *readings = to;
    size_t length, other;
    const char *value;
    if (!args_split(pair, &length, &value) || length >= 32) {
        return cli_fail(CLI_WRONG, "%s: --choice: \"%.60s\" is not KEY=VALUE; help choices lists them", command, pair);
    }
    const aic_status status = choose(&scratch, pair);
    if (status != AIC_OK) {
        return cli_status(command, status);
    }
    for (size_t i = 0; i < readings->count; i++) {
        if (args_split(readings->choice[i], &other, &value) && other == length &&
            memcmp(readings->choice[i], pair, length) == 0) {
            return cli_fail(CLI_WRONG, "%s: --choice: %.*s is given twice", command, (int)length, pair);
        }
    }
    readings->choice[readings->count++] = pair; /* there are no more keys than entries */
    return CLI_DONE;
}

static void make_options(cli_session *session, args_option options[CLI_SHARED])
{
    static char values[CLI_CHOICES][VALUES_TEXT_MAX];
    static const char *const meanings[CLI_CHOICES] = {
#define AIC_MEANING(name, meaning, origin, source) [INDEX_OF(name)] = (meaning),
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
    session->take_profile = (args_each){take_profile, &session->readings};
    session->take_choice = (args_each){take_choice, &session->readings};
    options[i++] = (args_option){"--profile",
                                 "NAME",
                                 "whose readings of what the documents leave open; help choices lists them",
                                 ARGS_EACH,
                                 &session->take_profile,
                                 0,
                                 0};
    options[i++] = (args_option){
        "--choice", "KEY=VALUE", "one such reading; after --profile", ARGS_EACH, &session->take_choice, 0, 0};
}

int cli_parse(cli_session *session, const args_command *command, int argc, char **argv, size_t most,
              args_list *positional)
{
    args_option shared[CLI_SHARED];
    args_command whole = *command;
    make_options(session, shared);
    whole.shared = shared;
    whole.shared_count = CLI_SHARED;
    return args_parse(&whole, argc, argv, most, positional);
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
#define AIC_FIELD(kind, name, count, need, fallback)                                                                   \
    if (session->semantics.name != defaults.name && used < CLI_SEMANTICS_TEXT_MAX) {                                   \
        used += (size_t)snprintf(text + used, CLI_SEMANTICS_TEXT_MAX - used, " --choice %s=%s", #name,                 \
                                 kind_word(KIND_##kind, session->semantics.name));                                     \
    }
#include <aic/choices.def>
#undef AIC_FIELD
}

void cli_choices_text(const aic_semantics *semantics, char text[CLI_SEMANTICS_TEXT_MAX])
{
    if (aic_semantics_print_choices(semantics, text, CLI_SEMANTICS_TEXT_MAX, NULL) != AIC_OK) {
        text[0] = '\0';
    }
}

void cli_show_choices(const aic_semantics *semantics)
{
    char text[CLI_SEMANTICS_TEXT_MAX];
    cli_choices_text(semantics, text);
    if (text[0] != '\0') {
        printf("choices: %s\n", text);
    }
}

void cli_session_semantics(cli_session *session)
{
    session->semantics = aic_semantics_init();
    if (session->readings.profile != NULL) { /* legal, as take_profile() has seen */
        (void)aic_semantics_apply_profile(&session->semantics, session->readings.profile);
    }
#define AIC_FIELD(kind, name, count, need, fallback)                                                                   \
    session->semantics.name = (AIC_CTYPE_##kind)value_of(KIND_##kind, session->choices.name, session->semantics.name);
#include <aic/semantics.def>
#undef AIC_FIELD
    for (size_t i = 0; i < session->readings.count; i++) {
        (void)choose(&session->semantics, session->readings.choice[i]);
    }
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
    return cli_status(NULL, status);
}

void cli_session_close(cli_session *session)
{
    aic_context_destroy(session->context);
    session->context = NULL;
}

bool cli_wants_all_levels(const cli_session *session)
{
    return session->isa != NULL && strcmp(session->isa, "all") == 0;
}

static int open_level(cli_levels *levels, const cli_session *session, const char *isa)
{
    if (levels->count == CLI_LEVELS_MAX) {
        return cli_fail(CLI_SYSTEM, "more than %d instruction set levels", CLI_LEVELS_MAX);
    }
    cli_session *level = &levels->item[levels->count++];
    *level = *session;
    level->isa = isa;
    return cli_session_open(level);
}

int cli_levels_open(cli_levels *levels, const cli_session *session, bool (*is_wanted)(const char *isa))
{
    int status = CLI_DONE;
    const char *name;
    if (!cli_wants_all_levels(session)) {
        return open_level(levels, session, session->isa);
    }
    for (size_t i = 0; status == CLI_DONE && (name = aic_isa_name(i)) != NULL; i++) {
        status = is_wanted(name) ? open_level(levels, session, name) : CLI_DONE;
    }
    return status;
}

void cli_levels_close(cli_levels *levels)
{
    for (size_t i = 0; i < levels->count; i++) {
        cli_session_close(&levels->item[i]);
    }
}

aic_chip cli_arch(const cli_session *session)
{
    return session->arch != NULL && strcmp(session->arch, "A2A3") == 0 ? AIC_CHIP_A2A3 : AIC_CHIP_A5;
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

static int read_problem(const cli_session *session, const char *text, aic_spec **spec)
{
    if (session->dt == NULL) {
        return cli_fail(
            CLI_WRONG, "--dt: is missing: a convolution in benchdnn's format names no element type, legal are int8 and "
                       "float16");
    }
    return benchline_parse(text, aic_dtype_parse(session->dt), spec);
}

/* The same statement of another architecture in the place of `read`, which is freed. */
static aic_status set_arch(aic_spec *read, aic_chip arch, aic_spec **spec)
{
    aic_texpands_desc desc = aic_texpands_desc_init();
    aic_status status = aic_spec_get_texpands(read, 0, &desc);
    desc.arch = arch;
    status = status == AIC_OK ? aic_spec_create_texpands(&desc, spec) : status;
    aic_spec_destroy(read);
    return status;
}

int cli_read_spec(const cli_session *session, const char *text, aic_spec **spec)
{
    const int refused = check_arch(session, text);
    if (refused != CLI_DONE) {
        return refused;
    }
    if (benchline_recognise(text)) {
        return read_problem(session, text, spec);
    }
    aic_status status = aic_spec_parse(text, spec);
    if (status == AIC_OK && aic_pto_recognise(text)) {
        status = set_arch(*spec, cli_arch(session), spec);
    }
    return cli_status(NULL, status);
}

int cli_parse_spec(const cli_session *session, const char *text, aic_spec **spec)
{
    int status = cli_read_spec(session, text, spec);
    if (status == CLI_DONE) {
        status = cli_status(NULL, aic_spec_validate(*spec, &session->semantics));
        if (status != CLI_DONE) {
            aic_spec_destroy(*spec);
            *spec = NULL;
        }
    }
    return status;
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

/* Whether text reads as a specification whose canonical text is `canonical`. */
static bool reads_as(const char *text, const char *canonical)
{
    aic_spec *spec = NULL;
    char *own = aic_spec_parse(text, &spec) == AIC_OK ? cli_spec_text(spec) : NULL;
    const bool same = own != NULL && strcmp(own, canonical) == 0;
    aic_spec_destroy(spec);
    free(own);
    return same;
}

/* The end of "key=value" in operator text: the ',' or ')' behind it. */
static const char *end_of_pair(const char *at)
{
    for (int depth = 0; depth > 0 || (*at != ',' && *at != ')'); at++) {
        if (*at == '\0') {
            return NULL;
        }
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
    }
    return at;
}

char *cli_spec_short_text(const aic_spec *spec)
{
    char *canonical = cli_spec_text(spec), *text = cli_spec_text(spec);
    const size_t size = canonical != NULL ? strlen(canonical) + 1 : 0;
    char *shorter = malloc(size + 1);
    for (size_t at = 0; text != NULL && shorter != NULL && text[at] != '\0';) {
        const char *end = at > 0 && (text[at - 1] == '(' || text[at - 1] == ' ') ? end_of_pair(text + at) : NULL;
        const size_t length = end != NULL ? strcspn(text + at, "=|(") : 0;
        if (end == NULL || text[at + length] != '=' || text + at + length > end) {
            at++;
            continue;
        }
        const char *rest = *end == ',' ? end + 1 + (end[1] == ' ') : end;
        /* The last pair takes the comma in front of it along. */
        const size_t before = *end == ',' || text[at - 1] == '(' ? at : at - strlen(", ");
        (void)snprintf(shorter, size, "%.*s%s", (int)before, text, rest);
        if (reads_as(shorter, canonical)) {
            memcpy(text, shorter, strlen(shorter) + 1);
            at = before;
        } else {
            at = (size_t)(rest - text);
        }
    }
    free(shorter);
    if (canonical == NULL || !reads_as(text != NULL ? text : "", canonical)) {
        free(text);
        text = NULL;
    }
    free(canonical);
    return text;
}
