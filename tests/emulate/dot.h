/* The dot products of AVX-VNNI on the vector registers in a signal frame. */
#pragma once

#include "tests/emulate/decode.h"

#include <stdbool.h>

/* Executes one of AMX_VPDP... on the register state of a frame (uc_mcontext.fpregs). false: the frame has no room for
 * vectors of 32 bytes, nothing is done. Bits from 256 on of the result's register keep what they have, which a
 * processor clears. */
bool dot_execute(const amx_instruction *i, void *fpregs);

/* Whether the processor has these instructions itself. */
bool dot_is_native(void);
