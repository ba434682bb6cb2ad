/* Calling machine code: directly and through libffi, after the checks that every call makes. */
#include "frontend/core/diag.h"
#include "frontend/core/spec.h"
#include "runtime/code.h"
#include "runtime/log.h"
#include "runtime/scratch.h"

/* Why the call of `image` was refused. */
static __attribute__((noinline)) aic_status refuse_image(const aic_code *code, const void *image)
{
    const char *name = code->argument[AIC_PACKED][code->packed].name;
    if (!aic_packed_is_head(image)) {
        return aic_fail(AIC_INVALID_ARGUMENT, code->subject,
                        "%s: is no packed image: aic_kernel_pack() makes them, of this version of the library", name);
    }
    char given[AIC_FORM_TEXT], wanted[AIC_FORM_TEXT];
    aic_packed_text(image, given);
    aic_packed_text(&code->head, wanted);
    return aic_fail(
        AIC_INVALID_ARGUMENT, code->subject,
        "%s: was packed in the form %.16s... for weights of another shape or type, or for another schedule; "
        "this kernel reads the form %.16s...",
        name, given, wanted);
}

aic_status aic_call_check_image(const aic_code *code, const void *image)
{
    return aic_packed_begins(image, &code->head) ? AIC_OK : refuse_image(code, image);
}

/* Whether the packed operand, if there is one, is an image that the code reads. */
static inline aic_status check_form(const aic_code *code, int form, const void *const operands[])
{
    return form == AIC_PACKED && code->packed != 0 ? aic_call_check_image(code, operands[code->packed]) : AIC_OK;
}

/* Whether every operand has an address that it may have. */
static bool all_fit(const aic_code *code, int form, const void *const operands[])
{
    size_t i = 0;
    while (i < code->operand_count && aic_argument_fits(code->argument[form], i, operands)) {
        i++;
    }
    return i == code->operand_count;
}

/* The full check, with messages: of addresses that prepare() did not accept, and of data that have rules. An image of
 * another form may be shorter than this kernel's, so that what lies behind it seems to overlap it: the form is told
 * first. */
static __attribute__((noinline)) aic_status check(const aic_code *code, int form, const void *const operands[])
{
    if (all_fit(code, form, operands) && check_form(code, form, operands) != AIC_OK) {
        return AIC_INVALID_ARGUMENT;
    }
    aic_status status = aic_arguments_check(code->subject, code->argument[form], code->operand_count, operands);
    status = status == AIC_OK ? aic_data_check_run(&code->data_check, operands) : status;
    return status;
}

/* Whether the call may be made. The usual case needs no call of a function. */
static inline aic_status prepare(const aic_code *code, int form, const void *const operands[])
{
    if (code->data_check.check != NULL ||
        !aic_arguments_accepted(code->argument[form], code->operand_count, operands)) {
        return check(code, form, operands);
    }
    return check_form(code, form, operands);
}

aic_status aic_call_check(const aic_code *code, int form, const void *const operands[])
{
    return prepare(code, form, operands);
}

static inline aic_status get_workspace(aic_thread *thread, const aic_code *code, int form, void **workspace)
{
    return aic_scratch_get_as(thread, (size_t)aic_workspace_bytes(&code->requirements, form), workspace);
}

/* Operands are passed as the kernel's C signature says; constness is the caller's matter. */
typedef void (*call_1)(const void *, void *);
typedef void (*call_2)(const void *, const void *, void *);
typedef void (*call_3)(const void *, const void *, const void *, void *);
typedef void (*call_4)(const void *, const void *, const void *, const void *, void *);

enum { DIRECT_MAX = 4 }; /* operands; kernels with more are called through libffi */

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

/* Through libffi, which takes the address of every argument; the arguments are addresses themselves. */
static void call_generic(const aic_code *code, int form, const void *const operands[], void *workspace)
{
    const void *value[AIC_OPERANDS_MAX + 1];
    void *address[AIC_OPERANDS_MAX + 1];
    for (size_t i = 0; i < code->operand_count; i++) {
        value[i] = operands[i];
        address[i] = &value[i];
    }
    value[code->operand_count] = workspace;
    address[code->operand_count] = &value[code->operand_count];
    ffi_cif cif = code->cif; /* ffi_call takes it unqualified */
    ffi_call(&cif, code->entry[form], NULL, address);
}

void aic_call_alone(const aic_code *code, int form, const void *const operands[], void *workspace)
{
    if (code->operand_count <= DIRECT_MAX) {
        call_direct(code->entry[form], code->operand_count, operands, workspace);
    } else {
        call_generic(code, form, operands, workspace);
    }
}

static aic_status run_generic(aic_thread *thread, const aic_code *code, int form, const void *const operands[])
{
    void *workspace = NULL;
    const void *own[AIC_OPERANDS_MAX];
    aic_status status = prepare(code, form, operands);
    if (status != AIC_OK) {
        return status;
    }
    operands = aic_code_operands(code, operands, own);
    if (code->workers > 1) {
        return aic_share_call(code, form, operands);
    }
    status = get_workspace(thread, code, form, &workspace);
    if (status == AIC_OK) {
        call_generic(code, form, operands, workspace);
    }
    return status;
}

static inline aic_status run_direct(aic_thread *thread, const aic_code *code, int form, const void *const operands[])
{
    void *workspace = NULL;
    const void *own[AIC_OPERANDS_MAX];
    if (code->operand_count > DIRECT_MAX) {
        return run_generic(thread, code, form, operands);
    }
    aic_status status = prepare(code, form, operands);
    if (status != AIC_OK) {
        return status;
    }
    operands = aic_code_operands(code, operands, own);
    if (code->workers > 1) {
        return aic_share_call(code, form, operands);
    }
    status = get_workspace(thread, code, form, &workspace);
    if (status == AIC_OK) {
        call_direct(code->entry[form], code->operand_count, operands, workspace);
    }
    return status;
}

/* The call, and a line that says how long it took. */
static __attribute__((noinline)) aic_status run_logged(aic_thread *thread, const aic_code *code, int form,
                                                       const void *const operands[])
{
    const uint64_t start = aic_log_now();
    aic_status status = run_direct(thread, code, form, operands);
    const uint64_t end = aic_log_now();
    const char *outcome = status != AIC_OK ? aic_status_name(status) : form == AIC_PACKED ? "packed" : "plain";
    aic_log_csv(code, &(aic_log_event){.category = AIC_VERBOSE_EXEC, .outcome = outcome, .exec_ns = end - start});
    return status;
}

aic_status aic_call_as(aic_thread *thread, const aic_code *code, int form, const void *const operands[])
{
    return code->logged ? run_logged(thread, code, form, operands) : run_direct(thread, code, form, operands);
}

aic_status aic_call(const aic_code *code, int form, const void *const operands[])
{
    return aic_call_as(aic_thread_peek(), code, form, operands);
}

aic_status aic_call_generic(const aic_code *code, int form, const void *const operands[])
{
    aic_thread *thread = aic_thread_peek();
    return code->logged ? run_logged(thread, code, form, operands) : run_generic(thread, code, form, operands);
}
