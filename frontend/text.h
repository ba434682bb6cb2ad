/* Parts of the operator text shared by its reader and its printer. */
#ifndef AIC_TEXT_H
#define AIC_TEXT_H

#include <aic/types.h>

/* Words of the accumulate key, by value; NULL past the last. */
const char *aic_accumulate_name(aic_accumulate accumulate);

#endif
