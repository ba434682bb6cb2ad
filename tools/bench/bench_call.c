/* Operands and kernels that are measured. */
#include "tools/bench/bench_call.h"

#include "tools/harness/entry.h"
#include "tools/harness/fail.h"

#include <string.h>

int bench_operands_open(cli_operands *operands, const aic_spec *spec, const aic_semantics *semantics)
{
    const int status = operands_list(operands, spec, semantics, NULL);
    for (size_t i = 0; i < operands->count; i++) {
        cli_operand *o = &operands->items[i];
        o->fill = o->operand.direction == AIC_DIRECTION_IN ? "random:1" : NULL;
    }
    return status == CLI_DONE ? operands_load(operands) : status;
}

/* Packs the operands that the kernel packs. */
static int pack_operands(bench_call *call)
{
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < call->count; i++) {
        size_t size = 0;
        if (aic_kernel_packed_size(call->kernel, i, &size) != AIC_OK || size == 0) {
            continue;
        }
        status = cli_memory(&call->packed[i], "packed operand", size);
        if (status == CLI_DONE) {
            status = cli_status(NULL, aic_kernel_pack(call->kernel, i, call->packed[i].data, call->pointer[i]));
        }
        call->pointer[i] = call->packed[i].data;
    }
    return status;
}

static aic_status call_kernel(const bench_call *call)
{
    return (call->use_packed ? aic_kernel_call_packed : aic_kernel_call)(call->kernel, call->pointer, call->count);
}

void bench_call_run(void *argument)
{
    const bench_call *call = argument;
    if (call->shared ||
        !entry_direct(call->spec, call->kernel, call->use_packed, call->pointer, call->workspace.data)) {
        (void)call_kernel(call);
    }
}

int bench_call_open(bench_call *call, const cli_operands *operands, const aic_spec *spec, aic_context *context,
                    const char *schedule, bool use_packed)
{
    *call =
        (bench_call){.spec = spec, .count = operands->count, .use_packed = use_packed, .info = aic_kernel_info_init()};
    memcpy(call->pointer, operands->pointers, operands->count * sizeof *operands->pointers);
    aic_status failed = aic_kernel_create(context, spec, schedule, &call->kernel);
    failed = failed == AIC_OK ? aic_kernel_get_info(call->kernel, &call->info) : failed;
    if (failed != AIC_OK) {
        return cli_status(NULL, failed);
    }
    call->shared = call->info.threads > 1;
    int status = cli_memory(&call->workspace, "workspace", aic_kernel_workspace_size(call->kernel));
    status = status == CLI_DONE && use_packed ? pack_operands(call) : status;
    if (status != CLI_DONE) {
        return status;
    }
    /* This call checks its operands and may leave a warning; those that are measured do neither. */
    failed = call_kernel(call);
    if (failed == AIC_OK) {
        cli_show_warning_of_request();
    }
    return cli_status(NULL, failed);
}

void bench_call_close(bench_call *call)
{
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        guard_close(&call->packed[i]);
    }
    guard_close(&call->workspace);
    aic_kernel_destroy(call->kernel);
}
