/* Command lines: a table of options a subcommand; everything else is a positional argument. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum args_kind {
    ARGS_FLAG,    /* bool *: present or not */
    ARGS_TEXT,    /* const char **: once */
    ARGS_INTEGER, /* int64_t *: once, within low .. high */
    ARGS_REAL,    /* double *: once, finite, within low .. high */
    ARGS_LIST,    /* args_list *: any number of times, in order */
    ARGS_EACH     /* args_each *: the same, each is handed to a function */
} args_kind;

/* Texts that point into argv; `items` belongs to the list, but for those of args_parse(). */
typedef struct args_list {
    const char **items;
    size_t count;
} args_list;

void args_list_free(args_list *list);

/* Takes a value, or fails with an exit status. */
typedef struct args_each {
    int (*take)(void *to, const char *command, const char *value);
    void *to;
} args_each;

typedef struct args_option {
    const char *name;  /* "--isa", "-o" */
    const char *value; /* what it takes, for the help and for messages: "LEVEL"; "a|b|c" names all choices */
    const char *help;
    args_kind kind;
    void *target;
    int64_t low, high; /* limits of ARGS_INTEGER and ARGS_REAL, of which INT64_MAX is none */
} args_option;

/* Options, by kind: what takes their value has the type that it must have. */
static inline args_option option_flag(const char *name, const char *help, bool *target)
{
    return (args_option){name, NULL, help, ARGS_FLAG, target, 0, 0};
}

static inline args_option option_text(const char *name, const char *value, const char *help, const char **target)
{
    return (args_option){name, value, help, ARGS_TEXT, target, 0, 0};
}

static inline args_option option_list(const char *name, const char *value, const char *help, args_list *target)
{
    return (args_option){name, value, help, ARGS_LIST, target, 0, 0};
}

static inline args_option option_integer(const char *name, const char *value, const char *help, int64_t *target,
                                         int64_t low, int64_t high)
{
    return (args_option){name, value, help, ARGS_INTEGER, target, low, high};
}

static inline args_option option_real(const char *name, const char *value, const char *help, double *target,
                                      int64_t low, int64_t high)
{
    return (args_option){name, value, help, ARGS_REAL, target, low, high};
}

enum { ARGS_OPTIONS_MAX = 32 };

typedef struct args_command {
    const char *name;      /* "run" */
    const char *arguments; /* "SPEC [OPTION]..." */
    const char *summary;
    const args_option *options;
    size_t option_count;
    const args_option *shared; /* more options: those that several commands have */
    size_t shared_count;       /* both together at most ARGS_OPTIONS_MAX */
} args_command;

/* Two members of a command: its own options, an array. */
#define ARGS_OPTIONS(array) .options = (array), .option_count = sizeof(array) / sizeof(array)[0]

/* Reads argv[1] .. argv[argc-1]. "--name VALUE" and "--name=VALUE" are the same, "--" ends the options. Returns an
 * exit status; ARGS_HELP_SHOWN when --help was there and the help went to standard output. Positional arguments are
 * moved to the front of argv, and listed there; one more than `most` is an error. */
enum { ARGS_HELP_SHOWN = -1 };
int args_parse(const args_command *command, int argc, char **argv, size_t most, args_list *positional);

/* Option number `index` of a command, its own and then the shared ones; NULL past the last. */
const args_option *args_option_at(const args_command *command, size_t index);

/* What --help does from now on: hands the command to `presenter`; NULL: prints it. */
typedef void args_presenter(const args_command *command);
void args_present(args_presenter *presenter);

/* What a command refuses, and the message: options that contradict each other, or that are missing. */
typedef struct args_refusal {
    bool found;
    const char *message; /* behind "COMMAND: " */
} args_refusal;

/* Fails for the first that was found. Returns an exit status. */
int args_refuse(const char *command, const args_refusal *refusals, size_t count);
#define ARGS_REFUSE(command, array) args_refuse((command), (array), sizeof(array) / sizeof(array)[0])

/* "NAME=VALUE" cut at the first '='; false without one or with an empty name. *name_length is the name's. */
bool args_split(const char *pair, size_t *name_length, const char **value);
