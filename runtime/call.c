/* Calling machine code: the checks that every call makes, the direct call and the one through libffi. */
#include "frontend/diag.h"
#include "runtime/code.h"
#include "runtime/scratch.h"

/* The slow side of aic_call_check(): which rule was broken, in the order of the operands. */
__attribute__((cold, noinline)) static aic_status report(const char *subject, const aic_argument *argument,
                                                         size_t count, const void *const operands[])
{
    for (size_t i = 0; i < count; i++) {
        if (operands[i] == NULL) {
            return aic_fail(AIC_INVALID_ARGUMENT, subject, "%s: is NULL", argument[i].name);
        }
        if (((uintptr_t)operands[i] & argument[i].misalignment) != 0) {
            return aic_fail(AIC_INVALID_ARGUMENT, subject, "%s: address %p is not a multiple of %zu", argument[i].name,
                            operands[i], (size_t)argument[i].misalignment + 1);
        }
    }
    for (size_t i = 1; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            uintptr_t a = (uintptr_t)operands[i], b = (uintptr_t)operands[j];
            if (a - b < argument[j].bytes || b - a < argument[i].bytes) {
                return aic_fail(AIC_INVALID_ARGUMENT, subject, "%s: overlaps %s", argument[i].name, argument[j].name);
            }
        }
    }
    return aic_fail(AIC_INTERNAL, subject, "a refused call breaks no rule");
}

static inline bool acceptable(const aic_argument *argument, size_t count, const void *const operands[])
{
    bool bad = false;
    for (size_t i = 0; i < count; i++) {
        uintptr_t a = (uintptr_t)operands[i];
        bad |= a == 0 || (a & argument[i].misalignment) != 0;
        for (size_t j = 0; j < i; j++) {
            /* Unsigned distances: also right for blocks at the end of the address space. */
            uintptr_t b = (uintptr_t)operands[j];
            bad |= a - b < argument[j].bytes || b - a < argument[i].bytes;
        }
    }
    return !bad;
}

aic_status aic_call_check(const char *subject, const aic_argument *argument, size_t count, const void *const operands[])
{
    return acceptable(argument, count, operands) ? AIC_OK : report(subject, argument, count, operands);
}

/* Checks the operands and gets scratch memory. */
static inline aic_status prepare(const aic_code *code, int form, const void *const operands[], void **workspace)
{
    if (!acceptable(code->argument[form], code->operand_count, operands)) {
        return report(code->subject, code->argument[form], code->operand_count, operands);
    }
    return aic_scratch_get(code->workspace_bytes, workspace);
}

/* Operands are passed as the kernel's C signature says; constness is the caller's matter. */
typedef void (*call_1)(const void *, void *);
typedef void (*call_2)(const void *, const void *, void *);
typedef void (*call_3)(const void *, const void *, const void *, void *);
typedef void (*call_4)(const void *, const void *, const void *, const void *, void *);

_Static_assert(AIC_OPERANDS_MAX == 4, "call_direct needs a row for every number of operands");

static inline void call_direct(aic_function function, size_t count, const void *const operands[], void *workspace)
{
    switch (count) {
    case 1:
        ((call_1)function)(operands[0], workspace);
        break;
    case 2:
        ((call_2)function)(operands[0], operands[1], workspace);
        break;
    case 3:
        ((call_3)function)(operands[0], operands[1], operands[2], workspace);
        break;
    default:
        ((call_4)function)(operands[0], operands[1], operands[2], operands[3], workspace);
        break;
    }
}

aic_status aic_call(const aic_code *code, int form, const void *const operands[])
{
    void *workspace = NULL;
    aic_status status = prepare(code, form, operands, &workspace);
    if (status == AIC_OK) {
        call_direct(code->image.kernel[form], code->operand_count, operands, workspace);
    }
    return status;
}

aic_status aic_call_generic(const aic_code *code, int form, const void *const operands[])
{
    void *workspace = NULL;
    aic_status status = prepare(code, form, operands, &workspace);
    if (status != AIC_OK) {
        return status;
    }
    /* libffi wants the address of every argument, each argument being an address; it does not write to them. */
    const void *value[AIC_OPERANDS_MAX + 1];
    void *address[AIC_OPERANDS_MAX + 1];
    for (size_t i = 0; i < code->operand_count; i++) {
        value[i] = operands[i];
        address[i] = &value[i];
    }
    value[code->operand_count] = workspace;
    address[code->operand_count] = &value[code->operand_count];
    ffi_cif cif = code->cif; /* ffi_call takes it unqualified */
    ffi_call(&cif, code->image.kernel[form], NULL, address);
    return AIC_OK;
}
