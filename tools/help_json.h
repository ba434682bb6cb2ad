/* What help and list show, as JSON; tools/json.md has the members. */
#ifndef AIC_TOOLS_HELP_JSON_H
#define AIC_TOOLS_HELP_JSON_H

#include "tools/command.h"

#include <aic/aic.h>

/* One object each, on a line. They return an exit status. */
int help_json_operator(aic_op op);
int help_json_command(const command_row *command);
int help_json_choices(void);
int help_json_all(void);   /* every command with its options, operators by name, the environment */
int help_json_names(void); /* operators and commands */

#endif
