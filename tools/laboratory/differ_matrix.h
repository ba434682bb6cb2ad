/* aicjit differ --matrix: of every operator which readings part its results. */
#ifndef AIC_TOOLS_DIFFER_MATRIX_H
#define AIC_TOOLS_DIFFER_MATRIX_H

#include <stdbool.h>

/* Prints the table, as Markdown or as one object of JSON. Returns an exit status. */
int differ_matrix(bool json);

#endif
