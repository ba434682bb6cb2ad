/* The manual page and the completions of shells, made from the tables of the commands and the operators' lists. */
#pragma once

#include "tools/args.h"

/* Write to standard output; return an exit status. */
int manual_page(void);
int completion_bash(void);
int completion_zsh(void);
int completion_fish(void);

/* Has every command, help and list among them, hand its table to `presenter`. */
int manual_present_all(args_presenter *presenter);
