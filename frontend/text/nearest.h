/* "Did you mean ...?": the word of a list that is most like another. */
#pragma once

#include <aic/spec.h>

/* A search; start with `best` NULL and the word given. */
typedef struct aic_nearest {
    const char *word;
    size_t length;
    const char *best; /* NULL: none is near enough */
    size_t distance;  /* of the best */
} aic_nearest;

/* Looks at one more candidate. Near is what changes to a third of the word's letters turn into the candidate: a letter
 * changed, left out, put in or exchanged with its neighbour. Capital letters are like small ones. */
void aic_nearest_try(aic_nearest *search, const char *candidate);
