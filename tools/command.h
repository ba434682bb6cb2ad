/* The subcommands of aicjit, one file each. */
#pragma once

#include <stddef.h>

/* Each takes its own name as argv[0], returns an exit status, or ARGS_HELP_SHOWN, and leaves the message of a failure
 * with cli_fail. */
#define COMMAND(name, summary) int cmd_##name(int argc, char **argv);
#include "tools/commands.def"
#undef COMMAND

typedef struct command_row {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} command_row;

/* Command number `index`, NULL past the last; and by its name, NULL for none, which leaves a message. */
const command_row *command_at(size_t index);
const command_row *command_find(const char *name);

/* Runs it. */
int command_run(const command_row *command, int argc, char **argv);

/* Has a command show its options, as args_present() says. Returns an exit status. */
int command_help(const command_row *command);

/* Environment variables, in the order of importance; NULL past the last. */
typedef struct command_variable {
    const char *name, *meaning;
} command_variable;
const command_variable *command_variable_at(size_t index);

/* What a bare --help prints. */
void command_usage(void);
