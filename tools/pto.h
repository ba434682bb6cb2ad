/* Programs of PTO-AS on the command line. */
#ifndef AIC_TOOLS_PTO_H
#define AIC_TOOLS_PTO_H

#include "tools/args.h"

#include <aic/aic.h>

/* What the options say of a program. */
typedef struct cli_pto {
    const char *path;      /* --pto */
    const char *arch;      /* --arch, NULL: A5 */
    const char *placement; /* --placement, NULL: text */
} cli_pto;

/* Rows of an option table; `p` is the command's cli_pto. */
#define CLI_OPTIONS_PTO(p)                                                                                             \
    {.name = "--pto", .value = "FILE", .help = "a program of PTO-AS", .kind = ARGS_TEXT, .target = &(p).path},         \
        {.name = "--arch",                                                                                             \
         .value = "A2A3|A5",                                                                                           \
         .help = "whose rules a program keeps (default A5)",                                                           \
         .kind = ARGS_TEXT,                                                                                            \
         .target = &(p).arch},                                                                                         \
    {                                                                                                                  \
        .name = "--placement", .value = "text|auto|manual",                                                            \
        .help = "of tiles; text: manual when the program has a pto.tassign", .kind = ARGS_TEXT,                        \
        .target = &(p).placement                                                                                       \
    }

/* Reads `length` bytes as a program; free_names as in aic_pto_options. Messages begin with `where` (may be NULL).
 * Returns an exit status. */
int cli_pto_parse(const cli_pto *pto, const aic_semantics *semantics, const char *where, const char *text,
                  size_t length, bool free_names, aic_pto_program **program);

/* Reads the file of --pto. */
int cli_pto_read(const cli_pto *pto, const aic_semantics *semantics, aic_pto_program **program);

#endif
