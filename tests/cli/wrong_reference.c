/* Preloaded in front of the library: a reference whose result has one bit flipped, in element 5 of an output of 32-bit
 * elements, or in the last byte of one that is smaller. Shows that the command line notices and reports. */
#define _GNU_SOURCE
#include <aic/aic.h>

#include <dlfcn.h>
#include <string.h>

typedef aic_status (*reference_fn)(const aic_spec *, const aic_semantics *, void *const *, size_t);

AIC_API aic_status aic_reference(const aic_spec *spec, const aic_semantics *semantics, void *const operands[],
                                 size_t count)
{
    reference_fn right;
    void *symbol = dlsym(RTLD_NEXT, "aic_reference");
    memcpy(&right, &symbol, sizeof right);
    aic_status status = right(spec, semantics, operands, count);
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t taken = 0;
    if (status == AIC_OK && aic_spec_operands(spec, semantics, operand, &taken) == AIC_OK && operand[0].bytes > 0) {
        const int64_t at = 5 * 4 + 2, last = operand[0].bytes - 1;
        ((unsigned char *)operands[0])[at < last ? at : last] ^= 0x40;
    }
    return status;
}
