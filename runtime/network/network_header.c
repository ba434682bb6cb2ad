/* The header of an exported network. It includes nothing, as that of exported kernels. */
#include "codegen/build_name.h"
#include "frontend/core/diag.h"
#include "frontend/text/sink.h"
#include "runtime/call/scratch.h"
#include "runtime/export/export_names.h"
#include "runtime/network/network.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const SIDES[] = {"in", "out"};

static const aic_net_tensor *tensor_of(const aic_network *net, int side, size_t i)
{
    return &net->tensor[net->ends[side][i]];
}

/* NAME_in_TENSOR_BYTES, in capitals. */
static void macro_of(const aic_net_header *h, int side, size_t i, char macro[AIC_EXPORT_MACRO_MAX])
{
    char what[AIC_NETWORK_NAME_MAX + 8];
    snprintf(what, sizeof what, "%s_%.56s", SIDES[side], tensor_of(h->net, side, i)->name);
    aic_export_macro(h->name, what, macro);
}

/* Tensors whose names differ in capitals only, or only at their ends, would share a macro. */
static aic_status check_macros(const aic_net_header *h)
{
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < aic_net_ends(h->net, side); i++) {
            for (size_t k = 0; k < i; k++) {
                char a[AIC_EXPORT_MACRO_MAX], b[AIC_EXPORT_MACRO_MAX];
                macro_of(h, side, i, a);
                macro_of(h, side, k, b);
                if (strcmp(a, b) == 0) {
                    return aic_fail(AIC_INVALID_ARGUMENT, AIC_NETWORK_SUBJECT,
                                    "\"%s\" and \"%s\" would share the macro %s", tensor_of(h->net, side, i)->name,
                                    tensor_of(h->net, side, k)->name, a);
                }
            }
        }
    }
    return AIC_OK;
}

static void put_comment(FILE *out, const aic_net_header *h)
{
    fprintf(out, "/* A network of %zu kernels, made by aicjit %s with LLVM %s for %s, instruction set level",
            h->net->kernels, aic_version(), aic_build_llvm, h->to->triple);
    for (size_t l = 0; l < h->to->count; l++) {
        fprintf(out, "%s%s", l == 0 ? (h->to->count > 1 ? "s " : " ") : ", ", h->to->target[l]->name);
    }
    fprintf(out, ".\n");
    if (h->to->count > 1) {
        fprintf(out, " * The function chooses the highest of these that the processor has; %s is taken for granted.\n",
                h->to->target[0]->name);
    }
    fprintf(out, " *\n");
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < aic_net_ends(h->net, side); i++) {
            const aic_net_tensor *t = tensor_of(h->net, side, i);
            fprintf(out, " *     %s_%s: %s [", SIDES[side], t->name, aic_dtype_name(t->dtype));
            for (int32_t d = 0; d < t->rank; d++) {
                fprintf(out, "%s%" PRId64, d > 0 ? "," : "", t->shape[d]);
            }
            fprintf(out, "], %" PRId64 " bytes, at a multiple of %zu, %s\n", t->bytes, t->alignment,
                    side == 0 ? "read" : "written");
        }
    }
    fprintf(
        out,
        " *\n * It needs nothing but its object, and checks and allocates nothing. Tensors are apart from each other;\n"
        " * workspaces are aligned to %d bytes. Calls that run at the same time have workspaces of their own. */\n",
        AIC_SCRATCH_ALIGNMENT);
}

static void put_declarations(FILE *out, const aic_net_header *h)
{
    char macro[AIC_EXPORT_MACRO_MAX];
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < aic_net_ends(h->net, side); i++) {
            macro_of(h, side, i, macro);
            fprintf(out, "#define %s %" PRId64 "\n", macro, tensor_of(h->net, side, i)->bytes);
        }
    }
    aic_export_macro(h->name, "workspace", macro);
    fprintf(out, "#define %s %" PRId64 "\n\nvoid %s(", macro, h->workspace_bytes, h->name);
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < aic_net_ends(h->net, side); i++) {
            fprintf(out, "%svoid *%s_%s, ", side == 0 ? "const " : "", SIDES[side], tensor_of(h->net, side, i)->name);
        }
    }
    fprintf(out, "void *workspace);\n");
}

aic_status aic_net_write_header(const aic_net_header *header, char **text, size_t *size)
{
    char guard[AIC_EXPORT_MACRO_MAX];
    const aic_status status = check_macros(header);
    *text = NULL;
    FILE *out = status == AIC_OK ? open_memstream(text, size) : NULL;
    if (out == NULL) {
        return status == AIC_OK ? aic_fail_memory(AIC_NETWORK_SUBJECT, 0) : status;
    }
    aic_export_guard(header->name, guard);
    put_comment(out, header);
    fprintf(out, "#ifndef %s\n#define %s\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n", guard, guard);
    put_declarations(out, header);
    fprintf(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    return aic_stream_end(out, text) ? AIC_OK : aic_fail_memory(AIC_NETWORK_SUBJECT, 0);
}
