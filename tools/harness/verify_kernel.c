/* Running kernels on a verify_case, every way that callers have. */
#include "tools/harness/entry.h"
#include "tools/harness/memory.h"
#include "tools/harness/verify.h"

#include <string.h>

typedef enum entry_point {
    ENTRY_DIRECT,   /* the typed function pointer; of a chain, which has none, as ENTRY_FUNCTION */
    ENTRY_FUNCTION, /* aic_kernel_function */
    ENTRY_GENERIC,  /* aic_kernel_call */
    ENTRY_JIT,      /* aic_jit_OP, which knows the default schedule only; of a chain as ENTRY_SPEC */
    ENTRY_SPEC      /* aic_jit_spec, likewise */
} entry_point;

/* A way to call a kernel. */
typedef struct way_row {
    const char *name;
    guard_side side;
    bool packed; /* constant operands as packed images */
    entry_point entry;
} way_row;

static bool is_function(const way_row *way)
{
    return way->entry == ENTRY_DIRECT || way->entry == ENTRY_FUNCTION;
}

static const way_row ways[] = {
    {"plain, direct, guard behind", GUARD_AFTER, false, ENTRY_DIRECT},
    {"packed, direct, guard behind", GUARD_AFTER, true, ENTRY_DIRECT},
    {"plain, generic call, guard before", GUARD_BEFORE, false, ENTRY_GENERIC},
    {"packed, generic call, guard before", GUARD_BEFORE, true, ENTRY_GENERIC},
    {"plain, function of a table, odd address", GUARD_SHIFTED, false, ENTRY_FUNCTION},
    {"packed, function of a table, odd address", GUARD_SHIFTED, true, ENTRY_FUNCTION},
    {"aic_jit, guard behind", GUARD_AFTER, false, ENTRY_JIT},
    {"aic_jit_spec, guard before", GUARD_BEFORE, false, ENTRY_SPEC},
};

enum { VECTOR_ALIGNMENT = 64 }; /* of workspace and packed images */

/* The buffers of one call. */
typedef struct call_state {
    guard_buffer operand[AIC_OPERANDS_MAX], packed[AIC_OPERANDS_MAX], workspace;
    void *pointer[AIC_OPERANDS_MAX]; /* what the kernel gets */
} call_state;

static void close_call(call_state *s)
{
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        guard_close(&s->operand[i]);
        guard_close(&s->packed[i]);
    }
    guard_close(&s->workspace);
}

static size_t workspace_size(const aic_kernel *kernel, const way_row *way)
{
    return way->packed ? aic_kernel_packed_workspace_size(kernel) : aic_kernel_workspace_size(kernel);
}

/* A buffer that a kernel must write before it reads it: what it has not written is -1 or NaN. */
static bool open_unset(guard_buffer *buffer, size_t size, guard_side side)
{
    enum { UNSET_BYTE = 0xFF };
    if (!guard_open(buffer, size, VECTOR_ALIGNMENT, side)) {
        return false;
    }
    memset(buffer->data, UNSET_BYTE, size);
    return true;
}

static verify_verdict open_call(const verify_case *c, const aic_kernel *kernel, const way_row *way, call_state *s,
                                verify_report *report)
{
    *s = (call_state){0};
    for (size_t i = 0; i < c->count; i++) {
        const aic_operand *operand = &c->operand[i];
        if (operand->direction == AIC_DIRECTION_UNUSED) {
            continue; /* NULL is passed */
        }
        if (verify_memory(&s->operand[i], operand, way->side, report) != VERIFY_PASSED) {
            return report->verdict;
        }
        memcpy(s->operand[i].data, c->content[i].data, (size_t)operand->bytes);
        guard_writable(&s->operand[i], i == c->output);
        s->pointer[i] = s->operand[i].data;
    }
    const size_t workspace = workspace_size(kernel, way);
    if (!open_unset(&s->workspace, workspace, way->side)) {
        return verify_say(report, VERIFY_UNDECIDED, "workspace: %zu bytes of memory cannot be had", workspace);
    }
    return VERIFY_PASSED;
}

/* Replaces every packable operand by its packed image. */
static verify_verdict pack_operands(const verify_case *c, const aic_kernel *kernel, const way_row *way, call_state *s,
                                    verify_report *report)
{
    for (size_t i = 0; i < c->count; i++) {
        size_t size = 0;
        if (aic_kernel_packed_size(kernel, i, &size) != AIC_OK || size == 0) {
            continue;
        }
        if (!open_unset(&s->packed[i], size, way->side)) {
            return verify_say(report, VERIFY_UNDECIDED, "packed %s: %zu bytes of memory cannot be had",
                              c->operand[i].name, size);
        }
        aic_status status = aic_kernel_pack(kernel, i, s->packed[i].data, s->operand[i].data);
        if (status != AIC_OK) {
            return verify_say_status(report, status, way->name);
        }
        guard_writable(&s->packed[i], false);
        s->pointer[i] = s->packed[i].data;
    }
    return VERIFY_PASSED;
}

static aic_status call_function(const aic_kernel *kernel, const way_row *way, call_state *s)
{
    const aic_kernel_fn function = aic_kernel_function(kernel, way->packed);
    if (function == NULL) {
        return AIC_OUT_OF_MEMORY;
    }
    function(s->pointer, s->workspace.data);
    return AIC_OK;
}

static aic_status call_kernel(const verify_case *c, aic_context *context, const aic_kernel *kernel, const way_row *way,
                              call_state *s)
{
    if (way->entry == ENTRY_JIT) {
        return entry_jit(context, c->spec, s->pointer, c->count);
    }
    if (way->entry == ENTRY_SPEC) {
        return aic_jit_spec(context, c->spec, s->pointer, c->count);
    }
    if (way->entry == ENTRY_DIRECT && entry_direct(c->spec, kernel, way->packed, s->pointer, s->workspace.data)) {
        return AIC_OK;
    }
    if (way->entry != ENTRY_GENERIC) {
        return call_function(kernel, way, s);
    }
    return way->packed ? aic_kernel_call_packed(kernel, s->pointer, c->count)
                       : aic_kernel_call(kernel, s->pointer, c->count);
}

/* Calls through the library warn as the reference does. */
static verify_verdict check_warning(const verify_case *c, const way_row *way, verify_report *report)
{
    const char *warning = verify_warning();
    const bool direct = is_function(way); /* no call of the library */
    if (strncmp(warning, direct ? "" : c->warning, sizeof c->warning - 1) != 0) {
        return verify_say(report, VERIFY_FAILED, "%s: the warning is \"%s\", not \"%s\"", way->name, warning,
                          direct ? "" : c->warning);
    }
    return VERIFY_PASSED;
}

static verify_verdict check_slack(const verify_case *c, const way_row *way, const call_state *s, verify_report *report)
{
    for (size_t i = 0; i < c->count; i++) {
        if (!guard_intact(&s->operand[i]) || !guard_intact(&s->packed[i])) {
            return verify_say(report, VERIFY_FAILED, "%s: bytes next to %s were written", way->name,
                              c->operand[i].name);
        }
    }
    if (!guard_intact(&s->workspace)) {
        return verify_say(report, VERIFY_FAILED, "%s: bytes next to the workspace were written", way->name);
    }
    return VERIFY_PASSED;
}

static verify_verdict attempt(const verify_case *c, aic_context *context, const aic_kernel *kernel, const way_row *way,
                              verify_report *report)
{
    call_state s;
    verify_verdict verdict = open_call(c, kernel, way, &s, report);
    if (verdict == VERIFY_PASSED && !is_function(way) && workspace_size(kernel, way) > memory_left()) {
        /* these allocate a workspace of their own */
        verdict = verify_say(report, VERIFY_UNDECIDED, "workspace: %zu bytes of memory cannot be had",
                             workspace_size(kernel, way));
    }
    if (verdict == VERIFY_PASSED && way->packed) {
        verdict = pack_operands(c, kernel, way, &s, report);
    }
    if (verdict == VERIFY_PASSED) {
        aic_status status = call_kernel(c, context, kernel, way, &s);
        verdict = status == AIC_OK ? check_warning(c, way, report) : verify_say_status(report, status, way->name);
    }
    if (verdict == VERIFY_PASSED) {
        verdict = verify_compare(c, s.operand[c->output].data, way->name, report);
    }
    if (verdict == VERIFY_PASSED) {
        verdict = check_slack(c, way, &s, report);
    }
    close_call(&s);
    return verdict;
}

verify_verdict verify_kernel(const verify_case *c, aic_context *context, const char *schedule, verify_report *report)
{
    *report = (verify_report){.verdict = VERIFY_PASSED};
    aic_kernel *kernel = NULL;
    aic_status status = aic_kernel_create(context, c->spec, schedule, &kernel);
    if (status != AIC_OK) {
        return verify_say_status(report, status, "kernel");
    }
    verify_keep_warning(report);
    verify_verdict verdict = VERIFY_PASSED;
    for (size_t i = 0; verdict == VERIFY_PASSED && i < sizeof ways / sizeof ways[0]; i++) {
        if ((ways[i].entry != ENTRY_JIT && ways[i].entry != ENTRY_SPEC) || schedule == NULL) {
            verdict = attempt(c, context, kernel, &ways[i], report);
        }
    }
    if (verdict == VERIFY_PASSED) {
        verdict = verify_in_place(c, kernel, report);
    }
    if (verdict == VERIFY_PASSED && schedule == NULL) {
        verdict = verify_call_refused(c, context, kernel, report);
    }
    aic_kernel_destroy(kernel);
    return verdict;
}
