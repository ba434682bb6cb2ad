/* What every subcommand has in common: the options that choose a target, and the context made from them. */
#pragma once

#include "tools/args.h"

#include <aic/aic.h>

/* A value as given: the word of an enumeration, or a number. All bits 0: the default, which 0 itself is where it is a
 * legal number. */
typedef union cli_choice {
    const char *word;
    int64_t number;
} cli_choice;

/* The values of --limits, --overflow, ... (aic/semantics.def). */
typedef struct cli_choices {
#define AIC_FIELD(kind, name, count, need, fallback) cli_choice name;
#include <aic/semantics.def>
#undef AIC_FIELD
} cli_choices;

/* The options that are made of these, and --profile and --choice. */
enum { CLI_CHOICES = sizeof(cli_choices) / sizeof(cli_choice), CLI_SHARED = CLI_CHOICES + 2 };

/* What --profile and --choice give, which are legal. */
typedef struct cli_readings {
    const char *profile;    /* NULL: none */
    const char *choice[16]; /* "KEY=VALUE", each key once at most */
    size_t count;
} cli_readings;

typedef struct cli_session {
    const char *isa;       /* --isa, NULL: the default */
    const char *passes;    /* --passes, NULL: none */
    const char *arch;      /* --arch, NULL: A5 */
    const char *dt;        /* --dt: element type of lines of benchdnn's format, NULL: not given */
    const char *tuning_db; /* NULL: AIC_TUNING_DB; "": none */
    int64_t threads;       /* --threads, 0: the default */
    cli_choices choices;   /* what semantics are made of */
    cli_readings readings;
    args_each take_profile, take_choice; /* into `readings` */
    aic_semantics semantics;
    aic_context *context;
} cli_session;

/* Rows of an option table; `s` is the command's cli_session. */
#define CLI_OPTION_ISA(s, values)                                                                                      \
    option_text("--isa", values, "highest instruction set level to use; aicjit info lists them", &(s).isa)
#define CLI_OPTION_ARCH(s) option_text("--arch", "A2A3|A5", "whose rules PTO-AS keeps (default A5)", &(s).arch)
#define CLI_OPTION_DT(s)                                                                                               \
    option_text("--dt", "int8|float16", "element type of convolutions in the format of oneDNN's benchdnn", &(s).dt)
#define CLI_OPTION_THREADS(s, fallback)                                                                                \
    option_integer("--threads", "N", "threads that share a call (default " fallback ")", &(s).threads, 1,              \
                   AIC_THREADS_MAX)

/* args_parse() with the options that every command on operators has, beside those of the command: one a row of
 * aic/semantics.def, --profile and --choice. */
int cli_parse(cli_session *session, const args_command *command, int argc, char **argv, size_t most,
              args_list *positional);

/* The options that give the session's semantics where they are not the defaults, " --overflow ieee --choice mac=fused";
 * "" for none. */
enum { CLI_SEMANTICS_TEXT_MAX = 768 };
void cli_semantics_text(const cli_session *session, char text[CLI_SEMANTICS_TEXT_MAX]);

/* The choices that differ from the default, "relu=after, mac=fused"; "" for none. */
void cli_choices_text(const aic_semantics *semantics, char text[CLI_SEMANTICS_TEXT_MAX]);

/* Prints them as a line "choices: ...", where there are any: what is made under them says so. */
void cli_show_choices(const aic_semantics *semantics);

/* Derives semantics from the options; the context is not made. */
void cli_session_semantics(cli_session *session);

/* Derives semantics and makes the context. Returns an exit status. */
int cli_session_open(cli_session *session);
void cli_session_close(cli_session *session);

/* Sessions that differ in their instruction set levels, in ascending order. */
enum { CLI_LEVELS_MAX = 16 };
typedef struct cli_levels {
    size_t count;
    cli_session item[CLI_LEVELS_MAX];
} cli_levels;

/* Whether --isa says "all". */
bool cli_wants_all_levels(const cli_session *session);

/* Opens the session's level, or where it says "all" each of which `is_wanted` holds. Returns an exit status. */
int cli_levels_open(cli_levels *levels, const cli_session *session, bool (*is_wanted)(const char *isa));
void cli_levels_close(cli_levels *levels);

/* What --arch says. */
aic_chip cli_arch(const cli_session *session);

/* Reads one operator text, PTO-AS of the session's architecture, or a line in benchdnn's format (benchline.h) of its
 * type; cli_parse_spec() validates it, too, under the session's semantics. Each returns an exit status. */
int cli_read_spec(const cli_session *session, const char *text, aic_spec **spec);
int cli_parse_spec(const cli_session *session, const char *text, aic_spec **spec);

/* The canonical text, malloc'ed; NULL when memory ran out. */
char *cli_spec_text(const aic_spec *spec);

/* The same without the keys whose defaults say as much. */
char *cli_spec_short_text(const aic_spec *spec);
