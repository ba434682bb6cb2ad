/* Kernels as C functions: what the machine code has itself, and stubs (stub.h) in front of it. */
#pragma once

#include "runtime/code/code.h"

/* The code as a function of (void *const operands[], void *workspace), of this form; NULL with a message when it cannot
 * be made. Valid while the code is held. */
aic_function aic_function_of_table(const aic_code *code, int form);

/* The code as a function of (operands..., workspace), at most AIC_STUB_FIXED_MAX operands where it passes words;
 * likewise. */
aic_function aic_function_of_operands(const aic_code *code, int form);

/* Frees what was made. */
void aic_functions_free(aic_code *code);
