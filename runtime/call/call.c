/* Calling machine code, after the checks that every call makes. */
#include "frontend/core/diag.h"
#include "frontend/core/spec.h"
#include "runtime/call/scratch.h"
#include "runtime/code/code.h"
#include "runtime/observe/log.h"

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

/* Operands are passed as the kernel's C signature says; constness is the caller's matter. */
typedef const void *in;
typedef void (*call_1)(in, void *);
typedef void (*call_2)(in, in, void *);
typedef void (*call_3)(in, in, in, void *);
typedef void (*call_4)(in, in, in, in, void *);
typedef void (*call_5)(in, in, in, in, in, void *);
typedef void (*call_6)(in, in, in, in, in, in, void *);
typedef void (*call_7)(in, in, in, in, in, in, in, void *);
typedef void (*call_8)(in, in, in, in, in, in, in, in, void *);
typedef void (*call_9)(in, in, in, in, in, in, in, in, in, void *);
typedef void (*call_10)(in, in, in, in, in, in, in, in, in, in, void *);
typedef void (*call_11)(in, in, in, in, in, in, in, in, in, in, in, void *);
typedef void (*call_12)(in, in, in, in, in, in, in, in, in, in, in, in, void *);

/* A case of a switch over the number of operands. */
#define CALL(count, ...)                                                                                               \
    case count:                                                                                                        \
        ((call_##count)f)(__VA_ARGS__, workspace);                                                                     \
        break

_Static_assert(AIC_OPERANDS_MAX == 12, "call_many() calls every kernel that has more than four operands");

/* Chains with many operands. */
static __attribute__((noinline)) void call_many(aic_function f, size_t count, const void *const *o, void *workspace)
{
    switch (count) {
        CALL(5, o[0], o[1], o[2], o[3], o[4]);
        CALL(6, o[0], o[1], o[2], o[3], o[4], o[5]);
        CALL(7, o[0], o[1], o[2], o[3], o[4], o[5], o[6]);
        CALL(8, o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7]);
        CALL(9, o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7], o[8]);
        CALL(10, o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7], o[8], o[9]);
        CALL(11, o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7], o[8], o[9], o[10]);
    default:
        ((call_12)f)(o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7], o[8], o[9], o[10], o[11], workspace);
        break;
    }
}

static inline void call_function(aic_function f, size_t count, const void *const *o, void *workspace)
{
    switch (count) {
        CALL(1, o[0]);
        CALL(2, o[0], o[1]);
        CALL(3, o[0], o[1], o[2]);
        CALL(4, o[0], o[1], o[2], o[3]);
    default:
        call_many(f, count, o, workspace);
        break;
    }
}

void aic_call_alone(const aic_code *code, int form, const void *const operands[], void *workspace)
{
    call_function(code->entry[form], code->passed_count, operands, workspace);
}

/* The call on the calling thread, of operands that have been checked, as the machine code takes them. */
static inline aic_status run_here(aic_thread *thread, const aic_code *code, int form, const void *const operands[])
{
    void *workspace = NULL;
    aic_status status = aic_scratch_get_as(thread, code->workspace[form], &workspace);
    if (status == AIC_OK) {
        call_function(code->entry[form], code->passed_count, operands, workspace);
    }
    return status;
}

/* A call that checks data, passes words or is shared. */
static aic_status run_special(aic_thread *thread, const aic_code *code, int form, const void *const operands[])
{
    const void *own[AIC_OPERANDS_MAX];
    aic_status status = prepare(code, form, operands);
    if (status != AIC_OK) {
        return status;
    }
    operands = aic_code_operands(code, operands, own);
    return code->workers > 1 ? aic_share_call(code, form, operands) : run_here(thread, code, form, operands);
}

/* The call, and a line that says how long it took. */
static aic_status run_logged(aic_thread *thread, const aic_code *code, int form, const void *const operands[])
{
    const uint64_t start = aic_log_now();
    aic_status status = run_special(thread, code, form, operands);
    const uint64_t end = aic_log_now();
    const char *outcome = status != AIC_OK ? aic_status_name(status) : form == AIC_PACKED ? "packed" : "plain";
    aic_log_csv(code, &(aic_log_event){.category = AIC_VERBOSE_EXEC, .outcome = outcome, .exec_ns = end - start});
    return status;
}

/* With the functions of the context: calls leave warnings, may start threads, and need memory. */
static aic_status run_with_hooks(const aic_code *code, int form, const void *const operands[])
{
    const aic_hooks *before = aic_thread_use(&code->hooks);
    aic_thread *thread = aic_thread_peek();
    aic_status status =
        code->logged ? run_logged(thread, code, form, operands) : run_special(thread, code, form, operands);
    (void)aic_thread_use(before);
    return status;
}

static __attribute__((noinline)) aic_status call_special(aic_thread *thread, const aic_code *code, int form,
                                                         const void *const operands[])
{
    if (aic_hooks_any(&code->hooks)) {
        return run_with_hooks(code, form, operands);
    }
    return code->logged ? run_logged(thread, code, form, operands) : run_special(thread, code, form, operands);
}

aic_status aic_call_as(aic_thread *thread, const aic_code *code, int form, const void *const operands[])
{
    if (code->special) {
        return call_special(thread, code, form, operands);
    }
    aic_status status = prepare(code, form, operands);
    return status == AIC_OK ? run_here(thread, code, form, operands) : status;
}

aic_status aic_call(const aic_code *code, int form, const void *const operands[])
{
    return aic_call_as(aic_thread_peek(), code, form, operands);
}
