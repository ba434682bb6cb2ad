/* The page of `aicjit compare --report`. */
#ifndef AIC_TOOLS_SPREAD_PAGE_H
#define AIC_TOOLS_SPREAD_PAGE_H

#include "tools/harness/compare.h"
#include "tools/harness/element.h"
#include "tools/laboratory/spread.h"

#include <stdio.h>

typedef struct spread_page {
    const spread *spread;
    const compare_report *report;
    const char *files[2];
    const char *operator_text; /* as given; NULL: none is */
    const char *trace;         /* of the first difference; NULL: there is none */
} spread_page;

/* For page_write(); from is a spread_page. */
void spread_page_write(FILE *out, const void *from);

#endif
