/* A function of an exported object: what its header says of it, and the call. */
#pragma once

#include "tools/args.h"

#include <aic/aic.h>

/* Parameters that a function may have: those of a network with the most tensors, and some. */
enum { OBJECT_PARAMETERS_MAX = 64 };

typedef struct cli_object {
    const char *file, *header, *name; /* the options' values; NULL: not given */
    /* From the header, in the order of the declaration, without the workspace. */
    char *text;
    size_t count, workspace;
    aic_network_tensor tensor[OBJECT_PARAMETERS_MAX];
    aic_direction direction[OBJECT_PARAMETERS_MAX];
} cli_object;

/* Rows of an option table; `o` is the command's cli_object. */
#define CLI_OPTIONS_OBJECT(o)                                                                                          \
    option_text("--object", "FILE.so", "instead of SPEC: a shared object made of what aicjit export wrote",            \
                &(o).file),                                                                                            \
        option_text("--header", "FILE.h", "of --object: the header that was written with it", &(o).header),            \
        option_text("--name", "NAME", "of --object: the function to run", &(o).name)

/* Whether the options and the number of operator texts agree. Each function returns an exit status. */
int object_check(const cli_object *object, size_t texts);

/* Reads the header, and finds out whether the object can be loaded and has the function: that, and the call, are done
 * in a process of its own, which may end in any way. */
int object_open(cli_object *object);

/* Calls the function with an address for each of its operands. */
int object_call(const cli_object *object, void *const pointers[]);

void object_close(cli_object *object);
