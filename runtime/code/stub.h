/* Stubs: a few instructions in front of a kernel's functions, written by hand for each architecture, that turn a table
 * of operands into parameters and pass words that are no operands of the caller. So every kernel is one C function of
 * (operands, workspace), and what it computes with needs no argument of its own. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a stub calls: a function of so many pointers. */
typedef struct aic_stub {
    uintptr_t target;
    size_t count;             /* parameters, the workspace not among them; up to AIC_STUB_OPERANDS_MAX */
    const void *const *fixed; /* of each the address that is always passed, NULL: what the caller gives */
    bool table; /* called as (void *const operands[], void *workspace); else as the target is, and the fixed parameters
                   are in registers: among the first AIC_STUB_FIXED_MAX */
} aic_stub;

enum { AIC_STUB_OPERANDS_MAX = 12, AIC_STUB_FIXED_MAX = 6, AIC_STUB_BYTES_MAX = 512 };

/* Writes the machine code of a stub, which runs wherever it lies; returns its bytes. */
size_t aic_stub_write(const aic_stub *stub, unsigned char code[AIC_STUB_BYTES_MAX]);
