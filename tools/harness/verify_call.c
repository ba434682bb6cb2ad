/* Calls that every entry point must refuse: the descriptor is right, an operand is not. */
#include "tools/harness/entry.h"
#include "tools/harness/testdata.h"
#include "tools/harness/verify.h"

#include <string.h>

/* Operands that no call may write to, one of which is wrong. */
typedef struct wrong_call {
    const verify_case *c;
    aic_context *context;
    const aic_kernel *kernel;
    verify_report *report;
    void *pointer[AIC_OPERANDS_MAX];
    const char *what;    /* is wrong with it */
    const char *operand; /* name of the wrong one */
} wrong_call;

/* ---- entry points ---- */

static aic_status by_kernel(wrong_call *call)
{
    return aic_kernel_call(call->kernel, call->pointer, call->c->count);
}

static aic_status by_jit(wrong_call *call)
{
    return entry_jit(call->context, call->c->spec, call->pointer, call->c->count);
}

static aic_status by_jit_spec(wrong_call *call)
{
    return aic_jit_spec(call->context, call->c->spec, call->pointer, call->c->count);
}

static aic_status by_reference(wrong_call *call)
{
    return aic_reference(call->c->spec, &call->c->semantics, call->pointer, call->c->count);
}

static const struct {
    const char *name;
    aic_status (*call)(wrong_call *call);
} entries[] = {{"aic_kernel_call", by_kernel},
               {"aic_jit", by_jit},
               {"aic_jit_spec", by_jit_spec},
               {"aic_reference", by_reference}};

/* "OPERATOR: NAME: ..." with the name of the wrong operand. */
static bool names_operand(const char *message, const char *operand)
{
    const char *at = strstr(message, ": ");
    size_t length = strlen(operand);
    return at != NULL && strncmp(at + 2, operand, length) == 0 && at[2 + length] == ':';
}

static verify_verdict try_entries(wrong_call *call)
{
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        aic_status status = entries[i].call(call);
        if (status != AIC_INVALID_ARGUMENT) {
            return verify_say(call->report, VERIFY_FAILED, "%s: %s %s: the answer is %s, not AIC_INVALID_ARGUMENT",
                              entries[i].name, call->operand, call->what, aic_status_name(status));
        }
        if (!names_operand(aic_last_error(), call->operand)) {
            return verify_say(call->report, VERIFY_FAILED, "%s: %s %s: the message does not name it: \"%s\"",
                              entries[i].name, call->operand, call->what, aic_last_error());
        }
    }
    return VERIFY_PASSED;
}

/* ---- what can be wrong ---- */

/* An operand that is missing, or one that must be. */
static verify_verdict try_presence(wrong_call *call)
{
    verify_verdict verdict = VERIFY_PASSED;
    _Alignas(8) unsigned char elsewhere[64] = {0};
    for (size_t i = 0; verdict == VERIFY_PASSED && i < call->c->count; i++) {
        const bool unused = call->c->operand[i].direction == AIC_DIRECTION_UNUSED;
        void *right = call->pointer[i];
        call->operand = call->c->operand[i].name;
        call->what = unused ? "given though not taken" : "NULL";
        call->pointer[i] = unused ? elsewhere : NULL;
        verdict = try_entries(call);
        call->pointer[i] = right;
    }
    return verdict;
}

static verify_verdict try_data(wrong_call *call)
{
    verify_verdict verdict = VERIFY_PASSED;
    for (size_t i = 0; verdict == VERIFY_PASSED && i < call->c->count; i++) {
        const aic_operand *operand = &call->c->operand[i];
        guard_buffer spoiled;
        void *right = call->pointer[i];
        if (operand->direction != AIC_DIRECTION_IN) {
            continue;
        }
        if (verify_memory(&spoiled, operand, GUARD_AFTER, call->report) != VERIFY_PASSED) {
            return VERIFY_UNDECIDED;
        }
        memcpy(spoiled.data, right, (size_t)operand->bytes);
        if (testdata_spoil(operand, (uint64_t)operand->elements, spoiled.data)) {
            call->operand = operand->name;
            call->what = "with illegal data";
            call->pointer[i] = spoiled.data;
            verdict = try_entries(call);
            call->pointer[i] = right;
        }
        guard_close(&spoiled);
    }
    return verdict;
}

verify_verdict verify_call_refused(const verify_case *c, aic_context *context, const aic_kernel *kernel,
                                   verify_report *report)
{
    wrong_call call = {.c = c, .context = context, .kernel = kernel, .report = report};
    const aic_operand *output = &c->operand[c->output];
    guard_buffer stored;
    if (verify_memory(&stored, output, GUARD_AFTER, report) != VERIFY_PASSED) {
        return VERIFY_UNDECIDED;
    }
    memcpy(stored.data, c->content[c->output].data, (size_t)output->bytes);
    verify_contents(c, call.pointer);
    call.pointer[c->output] = stored.data;
    verify_verdict verdict = try_presence(&call);
    verdict = verdict == VERIFY_PASSED ? try_data(&call) : verdict;
    if (verdict == VERIFY_PASSED && memcmp(stored.data, c->content[c->output].data, (size_t)output->bytes) != 0) {
        verdict = verify_say(report, VERIFY_FAILED, "%s was written although the call was refused", output->name);
    }
    guard_close(&stored);
    return verdict;
}
