/* What kernels demand of their tensors: type, size, a place that is not another operand's; and that everything is
 * written before it is read. */
#include "frontend/core/diag.h"
#include "frontend/core/list.h"
#include "frontend/core/spec.h"
#include "runtime/network/network.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- an operand and its tensor ---- */

/* Whether the elements of a tensor may stand for the operand's, as for operands in files: bfloat16 as uint16, for words
 * any type of their size, and for words that hold elements of 8 or 16 bits those, with or without sign. */
static bool type_fits(const aic_operand *operand, aic_dtype got)
{
    const aic_dtype wanted = operand->dtype, parts = operand->sub_words;
    return got == wanted || (wanted == AIC_BFLOAT16 && got == AIC_UINT16) ||
           (operand->words && aic_dtype_size(got) == aic_dtype_size(wanted)) ||
           (parts == AIC_INT8 && (got == AIC_INT8 || got == AIC_UINT8)) ||
           (parts == AIC_INT16 && (got == AIC_INT16 || got == AIC_UINT16));
}

static aic_status check_operand(const aic_network *net, const aic_net_kernel *kernel, const aic_operand *operand,
                                const aic_net_tensor *tensor)
{
    const bool more = operand->direction == AIC_DIRECTION_IN && (operand->strided || operand->fractals);
    if (!type_fits(operand, tensor->dtype)) {
        return aic_net_fail(net, kernel->line, "%s: \"%s\" is %s, the operand wants %s", operand->name, tensor->name,
                            aic_dtype_name(tensor->dtype), aic_dtype_name(operand->dtype));
    }
    if (tensor->bytes != operand->bytes && !(more && tensor->bytes > operand->bytes)) {
        return aic_net_fail(net, kernel->line, "%s: \"%s\" has %" PRId64 " bytes, the operand wants %" PRId64 "%s",
                            operand->name, tensor->name, tensor->bytes, operand->bytes, more ? " or more" : "");
    }
    if ((operand->direction & AIC_DIRECTION_OUT) != 0 && tensor->kind != AIC_NET_BUFFER) {
        return aic_net_fail(net, kernel->line, "%s: \"%s\" is no buffer and cannot be written", operand->name,
                            tensor->name);
    }
    return AIC_OK;
}

/* Whether the operands lie as calls demand, at addresses where what has memory is far apart. */
static aic_status check_places(const aic_network *net, const aic_net_kernel *kernel, const aic_operand *operands)
{
    enum { APART_BITS = 40 };
    aic_argument arguments[AIC_OPERANDS_MAX];
    const void *address[AIC_OPERANDS_MAX];
    for (size_t i = 0; i < kernel->count; i++) {
        const size_t number = kernel->operand[i].tensor;
        arguments[i] = aic_operand_argument(&operands[i]);
        address[i] = NULL;
        if (number != AIC_NET_NONE) {
            const aic_net_tensor *tensor = &net->tensor[number];
            address[i] = (const void *)(((uintptr_t)tensor->base + 1) << APART_BITS | (uintptr_t)tensor->offset);
        }
    }
    const aic_status status = aic_arguments_check(AIC_NETWORK_SUBJECT, arguments, kernel->count, address);
    return status == AIC_OK ? AIC_OK : aic_net_blame(net, kernel->line, status);
}

aic_status aic_net_check_kernel(aic_network *net, aic_net_kernel *kernel)
{
    aic_operand operands[AIC_OPERANDS_MAX];
    aic_status status = AIC_OK;
    aic_spec_operands_of(&kernel->spec, &net->semantics, operands);
    for (size_t i = 0; i < kernel->count && status == AIC_OK; i++) {
        const size_t number = kernel->operand[i].tensor;
        if (number == AIC_NET_NONE) {
            continue;
        }
        aic_net_tensor *base = &net->tensor[net->tensor[number].base];
        const size_t alignment = aic_dtype_size(operands[i].dtype);
        status = check_operand(net, kernel, &operands[i], &net->tensor[number]);
        base->alignment = base->alignment > alignment ? base->alignment : alignment;
    }
    return status == AIC_OK ? check_places(net, kernel, operands) : status;
}

/* ---- order ---- */

/* The bytes of a tensor that have been written, as ranges that do not touch each other. */
typedef struct range {
    int64_t begin, end;
} range;
typedef struct ranges {
    range *item;
    size_t count;
} ranges;

/* Adds a range; those that it touches become part of it. */
static bool add_range(ranges *list, range added)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        const range other = list->item[i];
        if (other.begin > added.end || other.end < added.begin) {
            list->item[kept++] = other;
        } else {
            added.begin = other.begin < added.begin ? other.begin : added.begin;
            added.end = other.end > added.end ? other.end : added.end;
        }
    }
    if (kept == list->count && !aic_list_grow(&list->item, kept, sizeof added)) {
        return false;
    }
    list->item[kept] = added;
    list->count = kept + 1;
    return true;
}

/* The first byte of the range that was not written; its end: there is none. */
static int64_t find_gap(const ranges *list, range wanted)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->item[i].begin <= wanted.begin && wanted.begin < list->item[i].end) {
            return list->item[i].end < wanted.end ? list->item[i].end : wanted.end;
        }
    }
    return wanted.begin;
}

static aic_status check_read(const aic_network *net, size_t line, const char *operand, const aic_net_tensor *tensor,
                             const ranges *list, int64_t bytes)
{
    const range wanted = {tensor->offset, tensor->offset + bytes};
    const int64_t gap = find_gap(list, wanted);
    return gap == wanted.end ? AIC_OK
                             : aic_net_fail(net, line, "%s: byte %" PRId64 " of \"%s\" is read and was not written",
                                            operand, gap - tensor->offset, tensor->name);
}

/* Reads come before writes. */
static aic_status run_kernel(aic_network *net, size_t number, ranges *written)
{
    const aic_net_kernel *kernel = &net->kernel[number];
    aic_operand operands[AIC_OPERANDS_MAX];
    aic_status status = AIC_OK;
    aic_spec_operands_of(&kernel->spec, &net->semantics, operands);
    for (int pass = AIC_DIRECTION_IN; pass <= AIC_DIRECTION_OUT; pass++) {
        for (size_t i = 0; i < kernel->count && status == AIC_OK; i++) {
            const size_t at = kernel->operand[i].tensor;
            if (at == AIC_NET_NONE || net->tensor[at].kind != AIC_NET_BUFFER || (operands[i].direction & pass) == 0) {
                continue;
            }
            const aic_net_tensor *tensor = &net->tensor[at];
            aic_net_tensor *base = &net->tensor[tensor->base];
            base->first = base->first < number ? base->first : number;
            base->last = number;
            if (pass == AIC_DIRECTION_IN) {
                status =
                    check_read(net, kernel->line, operands[i].name, tensor, &written[tensor->base], operands[i].bytes);
            } else if (!add_range(&written[tensor->base],
                                  (range){tensor->offset, tensor->offset + operands[i].bytes})) {
                status = aic_fail_memory(AIC_NETWORK_SUBJECT, sizeof(range));
            }
        }
    }
    return status;
}

aic_status aic_net_check_order(aic_network *net)
{
    ranges *written = calloc(net->tensors, sizeof *written);
    if (written == NULL) {
        return aic_fail_memory(AIC_NETWORK_SUBJECT, net->tensors * sizeof *written);
    }
    aic_status status = AIC_OK;
    for (size_t i = 0; i < net->kernels && status == AIC_OK; i++) {
        status = run_kernel(net, i, written);
    }
    for (size_t i = 0; i < net->outputs && status == AIC_OK; i++) {
        const aic_net_tensor *tensor = &net->tensor[net->ends[1][i]];
        status = check_read(net, tensor->line, "output", tensor, &written[net->ends[1][i]], tensor->bytes);
    }
    for (size_t i = 0; i < net->tensors; i++) {
        free(written[i].item);
    }
    free(written);
    return status;
}
