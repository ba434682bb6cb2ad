/* Operands on the command line: --in, --fill, --out, --expect, --quantise. */
#pragma once

#include "tools/args.h"
#include "tools/harness/guard.h"
#include "tools/harness/outfile.h"

#include <aic/aic.h>

/* One operand: where it comes from and goes to. */
typedef struct cli_operand {
    aic_operand operand;
    aic_coordinates coordinates;
    const char *in, *fill, *out, *expect; /* NULL: not given */
    bool quantise;                        /* the file holds scales */
    guard_buffer buffer;
    guard_buffer again, skip; /* of run: a second result, and which elements are not written */
    outfile file;
} cli_operand;

/* Options that give something to an operand, "NAME=VALUE". */
typedef enum pair_kind { PAIR_IN, PAIR_FILL, PAIR_OUT, PAIR_EXPECT, PAIR_KINDS } pair_kind;

typedef struct cli_operands {
    const char *command; /* opens messages */
    args_list pairs[PAIR_KINDS];
    args_list scales;     /* of --quantise */
    bool inputs_optional; /* the command fills what no option gives */
    size_t count;
    cli_operand *items;
    void **pointers; /* to their contents, as calls take them; NULL: it is not used, or not loaded */
} cli_operands;

/* Rows of an option table; `set` is the command's cli_operands. */
#define CLI_OPTIONS_INPUTS(set)                                                                                        \
    option_list("--in", "NAME=FILE", "operand from a .npy or .bin file; a scalar: NAME=VALUE", &(set).pairs[PAIR_IN]), \
        option_list("--fill", "NAME=zeros|const:V|random:SEED|at:I=V,...", "operand without a file",                   \
                    &(set).pairs[PAIR_FILL]),                                                                          \
        option_list("--quantise", "NAME",                                                                              \
                    "the file of this operand holds float32 scales: take their quantisation words", &(set).scales)

/* Lists the operands of the specification, or the arguments of the program where it is not NULL. Each function returns
 * an exit status. */
int operands_list(cli_operands *set, const aic_spec *spec, const aic_semantics *semantics,
                  const aic_pto_program *program);

/* Lists such tensors. */
int operands_of_tensors(cli_operands *set, const aic_network_tensor *tensor, const aic_direction *direction,
                        size_t count);

/* Lists the inputs and outputs of a network. */
int operands_of_network(cli_operands *set, const aic_network_facts *facts);

/* Gives each operand what the options say of it; every input must have something. */
int operands_bind(cli_operands *set);

/* Makes memory and contents of every operand that is used; outputs start as zeros unless given. */
int operands_load(cli_operands *set);

/* Number of the operand that is written; of a program's arguments the first. */
size_t operands_written(const cli_operands *set);

/* Frees the operands, files that are not committed included; the options stay. */
void operands_release(cli_operands *set);

/* Frees everything, files that are not committed and the options included. */
void operands_close(cli_operands *set);
