/* Cases and comparison; verify_kernel.c runs the kernels. */
#include "tools/harness/verify.h"

#include "tools/harness/compare.h"
#include "tools/harness/testdata.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

verify_verdict verify_say(verify_report *report, verify_verdict verdict, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(report->text, sizeof report->text, format, arguments);
    va_end(arguments);
    return report->verdict = verdict;
}

verify_verdict verify_say_status(verify_report *report, aic_status status, const char *how)
{
    const bool system = status == AIC_OUT_OF_MEMORY || status == AIC_IO;
    report->status = status;
    return verify_say(report, system ? VERIFY_UNDECIDED : VERIFY_FAILED, "%s: %s: %s", how, aic_status_name(status),
                      aic_last_error());
}

verify_verdict verify_memory(guard_buffer *buffer, const aic_operand *operand, guard_side side, verify_report *report)
{
    return guard_open(buffer, (size_t)operand->bytes, aic_dtype_size(operand->dtype), side)
               ? VERIFY_PASSED
               : verify_say(report, VERIFY_UNDECIDED, "%s: %" PRId64 " bytes of memory cannot be had", operand->name,
                            operand->bytes);
}

const char *verify_warning(void)
{
    const char *warning = aic_take_warning();
    return warning == NULL ? "" : warning;
}

void verify_keep_warning(verify_report *report)
{
    (void)snprintf(report->warning, sizeof report->warning, "%s", verify_warning());
}

static verify_verdict open_contents(verify_case *c, uint64_t seed, verify_report *report)
{
    for (size_t i = 0; i < c->count; i++) {
        const aic_operand *operand = &c->operand[i];
        if (operand->direction == AIC_DIRECTION_UNUSED) {
            continue; /* NULL is passed */
        }
        if (verify_memory(&c->content[i], operand, GUARD_AFTER, report) != VERIFY_PASSED) {
            return report->verdict;
        }
        testdata_fill_for(c->spec, operand, seed, c->content[i].data);
        c->output = operand->direction & AIC_DIRECTION_OUT ? i : c->output;
    }
    return VERIFY_PASSED;
}

void verify_contents(const verify_case *c, void *pointer[AIC_OPERANDS_MAX])
{
    for (size_t i = 0; i < c->count; i++) {
        pointer[i] = c->content[i].data;
    }
}

/* The reference's result in `expected`, and what is allowed where it is not the only right one. */
static verify_verdict open_expected(verify_case *c, verify_report *report)
{
    const aic_operand *output = &c->operand[c->output];
    bool exact = aic_spec_exact(c->spec);
    size_t allowed = exact ? 0 : (size_t)output->elements * sizeof(aic_allowed);
    if (!guard_open(&c->expected, (size_t)output->bytes, sizeof(double), GUARD_AFTER) ||
        !guard_open(&c->allowed, allowed, sizeof(double), GUARD_AFTER)) {
        return verify_say(report, VERIFY_UNDECIDED, "expected %s: %" PRId64 " bytes of memory cannot be had",
                          output->name, output->bytes);
    }
    void *pointers[AIC_OPERANDS_MAX];
    verify_contents(c, pointers);
    aic_status status = AIC_OK;
    if (!exact) {
        status = aic_reference_allowed(c->spec, &c->semantics, pointers, c->count, c->allowed.data);
    }
    memcpy(c->expected.data, c->content[c->output].data, (size_t)output->bytes);
    pointers[c->output] = c->expected.data;
    (void)aic_take_warning();
    if (status == AIC_OK) {
        status = aic_reference(c->spec, &c->semantics, pointers, c->count);
    }
    (void)snprintf(c->warning, sizeof c->warning, "%s", verify_warning());
    return status == AIC_OK ? VERIFY_PASSED : verify_say_status(report, status, "reference");
}

verify_verdict verify_open(verify_case *c, const aic_spec *spec, const aic_semantics *semantics, uint64_t seed,
                           verify_report *report)
{
    *c = (verify_case){.semantics = *semantics};
    *report = (verify_report){.verdict = VERIFY_PASSED};
    aic_status status = aic_spec_validate(spec, semantics);
    if (status == AIC_OK) {
        status = aic_spec_operands(spec, semantics, c->operand, &c->count);
    }
    status = status == AIC_OK ? aic_spec_chain(&spec, 1, &c->spec) : status;
    if (status != AIC_OK) {
        return verify_say_status(report, status, "specification");
    }
    verify_verdict verdict = open_contents(c, seed, report);
    return verdict == VERIFY_PASSED ? open_expected(c, report) : verdict;
}

void verify_close(verify_case *c)
{
    for (size_t i = 0; i < c->count; i++) {
        guard_close(&c->content[i]);
    }
    guard_close(&c->expected);
    guard_close(&c->allowed);
    aic_spec_destroy(c->spec);
    c->spec = NULL;
}

verify_verdict verify_compare(const verify_case *c, const void *output, const char *how, verify_report *report)
{
    const aic_operand *operand = &c->operand[c->output];
    size_t size = aic_dtype_size(operand->dtype);
    const unsigned char *got = output, *expected = c->expected.data;
    int64_t wrong = 0, first = 0;
    if (memcmp(got, expected, (size_t)operand->bytes) == 0) {
        return VERIFY_PASSED;
    }
    for (int64_t i = 0; i < operand->elements; i++, got += size, expected += size) {
        bool right = element_equal(operand->dtype, got, expected);
        if (!right && c->allowed.size != 0) {
            right = aic_is_allowed((const aic_allowed *)c->allowed.data + i, element_to_double(operand->dtype, got));
        }
        if (!right && wrong++ == 0) {
            first = i;
        }
    }
    if (wrong == 0) {
        return VERIFY_PASSED;
    }
    aic_coordinates coordinates = coordinates_of_tensor(operand);
    (void)aic_spec_coordinates(c->spec, &c->semantics, c->output, &coordinates);
    const compare_element e = compare_element_at(operand, &coordinates, output, c->expected.data, first);
    return verify_say(report, VERIFY_FAILED,
                      "%s: %s: %" PRId64 " of %" PRId64 " elements are wrong, the first is %s%s: expected %s, got %s",
                      how, operand->name, wrong, operand->elements, operand->name, e.where, e.b, e.a);
}

verify_verdict verify_spec(const aic_spec *spec, const aic_semantics *semantics, uint64_t seed, aic_context *context,
                           const char *schedule, verify_report *report)
{
    verify_case c;
    verify_verdict verdict = verify_open(&c, spec, semantics, seed, report);
    if (verdict == VERIFY_PASSED) {
        verdict = verify_kernel(&c, context, schedule, report);
    }
    verify_close(&c);
    return verdict;
}
