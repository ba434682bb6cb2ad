/* The subcommands of aicjit, one file each. */
#ifndef AIC_TOOLS_COMMAND_H
#define AIC_TOOLS_COMMAND_H

/* Each takes its own name as argv[0], returns an exit status and leaves the message of a failure with cli_fail. */
int cmd_bench(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_fmt(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_tune(int argc, char **argv);

#endif
