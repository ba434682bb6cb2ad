/* What every subcommand has in common: the options that choose a target, and the context made from them. */
#ifndef AIC_TOOLS_SESSION_H
#define AIC_TOOLS_SESSION_H

#include "tools/args.h"

#include <aic/aic.h>

typedef struct cli_session {
    const char *isa;    /* --isa, NULL: the default */
    const char *limits; /* --limits, NULL: document */
    const char *passes; /* --passes, NULL: none */
    int64_t threads;    /* --threads; one thread is all that kernels use */
    aic_semantics semantics;
    aic_context *context;
} cli_session;

/* Rows of an option table; `s` is the command's cli_session. */
#define CLI_OPTION_ISA(s, values)                                                                                      \
    {                                                                                                                  \
        .name = "--isa", .value = values, .help = "instruction set level, at most this", .kind = ARGS_TEXT,            \
        .target = &(s).isa                                                                                             \
    }
#define CLI_OPTION_LIMITS(s)                                                                                           \
    {                                                                                                                  \
        .name = "--limits", .value = "document|host",                                                                  \
        .help = "host computes W == Kw with H > Kh too (default document)", .kind = ARGS_TEXT, .target = &(s).limits   \
    }
#define CLI_OPTION_THREADS(s)                                                                                          \
    {                                                                                                                  \
        .name = "--threads", .value = "N", .help = "threads of a call (at most 1)", .kind = ARGS_INTEGER,              \
        .target = &(s).threads, .low = 1, .high = 1                                                                    \
    }

/* Derives semantics from --limits; the context is not made. */
void cli_session_semantics(cli_session *session);

/* Derives semantics and makes the context. Returns an exit status. */
int cli_session_open(cli_session *session);
void cli_session_close(cli_session *session);

/* Reads and validates one operator text under the session's limits. Returns an exit status. */
int cli_parse_spec(const cli_session *session, const char *text, aic_spec *spec);

/* The canonical text, malloc'ed; NULL when memory ran out. */
char *cli_spec_text(const aic_spec *spec);

#endif
