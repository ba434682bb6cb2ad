/* Lists of specifications: from the command line and from batch files. */
#ifndef AIC_TOOLS_SPECS_H
#define AIC_TOOLS_SPECS_H

#include "tools/session.h"

typedef struct spec_list {
    aic_spec *items;
    size_t count;
} spec_list;

/* Reads and validates every text of `texts`, then every line of the file `batch` (may be NULL): operator text, '#'
 * comments, blank lines, and lines of the convolution benchmark format (benchline.h) read as element type `dt`
 * (NULL: such lines are refused). Returns an exit status; messages about a file begin with its name and line. On
 * failure the list is empty. */
int spec_list_read(const cli_session *session, const args_list *texts, const char *batch, const char *dt,
                   spec_list *list);

void spec_list_free(spec_list *list);

#endif
