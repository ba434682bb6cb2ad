/* Calls whose output is one of their inputs, where the operands say that it may be. */
#include "tools/harness/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool may_coincide(const verify_case *c, size_t i)
{
    return i > c->output && c->operand[i].direction == AIC_DIRECTION_IN &&
           (c->operand[i].coincides >> c->output & 1) != 0;
}

/* A buffer with the input's content, for the output and those inputs. */
static verify_verdict open_shared(const verify_case *c, uint32_t inputs, guard_buffer *shared, void *pointer[],
                                  verify_report *report)
{
    const aic_operand *output = &c->operand[c->output];
    if (verify_memory(shared, output, GUARD_AFTER, report) != VERIFY_PASSED) {
        return VERIFY_UNDECIDED;
    }
    verify_contents(c, pointer);
    for (size_t i = 0; i < c->count; i++) {
        if (inputs >> i & 1) {
            memcpy(shared->data, c->content[i].data, (size_t)output->bytes);
            pointer[i] = shared->data;
        }
    }
    pointer[c->output] = shared->data;
    return VERIFY_PASSED;
}

/* Reference and kernel on such buffers of their own. inputs: bit i, operand i is the output. */
static verify_verdict attempt(const verify_case *c, const aic_kernel *kernel, uint32_t inputs, verify_report *report)
{
    guard_buffer got = {0};
    void *pointer[AIC_OPERANDS_MAX];
    verify_case shared = *c;
    shared.expected = (guard_buffer){0};
    char how[64];
    (void)snprintf(how, sizeof how, "in place (operands 0x%" PRIx32 " are the output)", inputs);
    verify_verdict verdict = open_shared(c, inputs, &shared.expected, pointer, report);
    if (verdict == VERIFY_PASSED) {
        aic_status status = aic_reference(c->spec, &c->semantics, pointer, c->count);
        verdict = status == AIC_OK ? VERIFY_PASSED : verify_say_status(report, status, how);
    }
    verdict = verdict == VERIFY_PASSED ? open_shared(c, inputs, &got, pointer, report) : verdict;
    if (verdict == VERIFY_PASSED) {
        aic_status status = aic_kernel_call(kernel, pointer, c->count);
        verdict =
            status == AIC_OK ? verify_compare(&shared, got.data, how, report) : verify_say_status(report, status, how);
    }
    guard_close(&got);
    guard_close(&shared.expected);
    return verdict;
}

verify_verdict verify_in_place(const verify_case *c, const aic_kernel *kernel, verify_report *report)
{
    uint32_t all = 0;
    verify_verdict verdict = VERIFY_PASSED;
    for (size_t i = 0; i < c->count && verdict == VERIFY_PASSED; i++) {
        if (may_coincide(c, i)) {
            verdict = attempt(c, kernel, UINT32_C(1) << i, report);
            all |= UINT32_C(1) << i;
        }
    }
    const bool several = (all & (all - 1)) != 0;
    return verdict == VERIFY_PASSED && several ? attempt(c, kernel, all, report) : verdict;
}
