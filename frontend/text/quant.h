/* quant(SCALE, OFFSET, int8|uint8) and quant(SCALE): quantisation words as text. */
#pragma once

#include <aic/types.h>

/* What is wrong with a text; AIC_QUANT_NONE: it does not begin with "quant(", blanks allowed. */
typedef enum aic_quant_result {
    AIC_QUANT_OK,
    AIC_QUANT_NONE,
    AIC_QUANT_SYNTAX,
    AIC_QUANT_SCALE,  /* not a number of single precision */
    AIC_QUANT_RANGE,  /* a scale that no word is made of, see aic_quant_word() */
    AIC_QUANT_OFFSET, /* not an integer in -256..255 */
    AIC_QUANT_TYPE    /* neither int8 nor uint8 */
} aic_quant_result;

/* Reads the call at *at; *at is moved behind it, or to what is wrong. quant(SCALE) leaves all other bits 0. */
aic_quant_result aic_quant_read(const char **at, uint64_t *word);

typedef struct aic_quant_fault_text {
    char text[144];
} aic_quant_fault_text;

/* What is wrong at `at`, where aic_quant_read() stopped, for messages. */
aic_quant_fault_text aic_quant_fault(aic_quant_result result, const char *at);
