/* The header of exported kernels; see export_header.h. It includes nothing, so that it suits programs without a C
 * library. */
#include "runtime/export/export_header.h"
#include "codegen/build_name.h"
#include "frontend/core/choice.h"
#include "frontend/core/diag.h"
#include "frontend/core/spec.h"
#include "frontend/text/sink.h"
#include "frontend/text/text.h"
#include "runtime/call/scratch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A kernel of the header: what all its levels need. */
typedef struct exported_kernel {
    const char *name;
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count;
    uint32_t packed; /* number of the operand that can be packed; 0: none */
    int64_t workspace[AIC_FORMS], packed_bytes;
} exported_kernel;

static void describe(const aic_export_contents *c, size_t number, exported_kernel *k)
{
    const size_t levels = c->request->levels;
    const aic_bundle_part *part = &c->bundle->part[number * levels];
    *k = (exported_kernel){.name = c->request->kernel[number].name, .packed = part->requirements.pack.operand};
    k->count = aic_spec_operands_of(&c->shown[number], c->request->semantics, k->operand);
    for (size_t l = 0; l < levels; l++) {
        for (int form = 0; form < AIC_FORMS; form++) {
            const int64_t bytes = aic_workspace_bytes(&part[l].requirements, form);
            k->workspace[form] = bytes > k->workspace[form] ? bytes : k->workspace[form];
        }
        const int64_t bytes = part[l].requirements.pack.bytes;
        k->packed_bytes = bytes > k->packed_bytes ? bytes : k->packed_bytes;
    }
}

/* ---- comments ---- */

static const char *const direction_text[] = {
    [AIC_DIRECTION_IN] = "read", [AIC_DIRECTION_OUT] = "written", [AIC_DIRECTION_INOUT] = "read and written"};

/* " *     dst: int32 [2,16,16], 2048 bytes, written" */
static void put_operand(FILE *out, const aic_operand *operand)
{
    if (operand->direction == AIC_DIRECTION_UNUSED) {
        return; /* it is no parameter */
    }
    fprintf(out, " *     %s: %s [", operand->name, aic_dtype_name(operand->dtype));
    for (int32_t i = 0; i < operand->rank; i++) {
        fprintf(out, "%s%" PRId64, i > 0 ? "," : "", operand->shape[i]);
    }
    fprintf(out, "], %" PRId64 " bytes, %s", operand->bytes, direction_text[operand->direction]);
    fprintf(out, "%s\n",
            operand->overlaps != 0 || operand->coincides != 0 ? "; may be where an operand before it is" : "");
}

/* Operator text in lines that end behind a comma where they get long. */
static void put_text(FILE *out, const char *text)
{
    enum { COLUMNS = 110 };
    size_t column = 0;
    fprintf(out, "/* ");
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == ' ' && column > COLUMNS) {
            fprintf(out, "\n * ");
            column = 0;
            continue;
        }
        fputc(*at, out);
        column++;
    }
    fprintf(out, "\n *\n");
}

/* ---- declarations ---- */

/* The operands that are taken, the packed one by another name. */
static void put_parameters(FILE *out, const exported_kernel *k, bool packed)
{
    for (size_t i = 0; i < k->count; i++) {
        const bool written = (k->operand[i].direction & AIC_DIRECTION_OUT) != 0;
        if (k->operand[i].direction == AIC_DIRECTION_UNUSED) {
            continue;
        }
        const char *suffix = packed && i == k->packed ? "_packed" : "";
        fprintf(out, "%svoid *%s%s, ", written ? "" : "const ", k->operand[i].name, suffix);
    }
    fprintf(out, "void *workspace);\n");
}

static void put_macro(FILE *out, const exported_kernel *k, const char *what, int64_t bytes)
{
    char macro[AIC_EXPORT_MACRO_MAX];
    aic_export_macro(k->name, what, macro);
    fprintf(out, "#define %s %" PRId64 "\n", macro, bytes);
}

static void put_macros(FILE *out, const exported_kernel *k)
{
    for (size_t i = 0; i < k->count; i++) {
        if (k->operand[i].direction != AIC_DIRECTION_UNUSED) {
            put_macro(out, k, k->operand[i].name, k->operand[i].bytes);
        }
    }
    put_macro(out, k, "workspace", k->workspace[AIC_PLAIN]);
    if (k->packed != 0) {
        put_macro(out, k, "packed", k->packed_bytes);
        put_macro(out, k, "packed_workspace", k->workspace[AIC_PACKED]);
    }
}

static void put_functions(FILE *out, const exported_kernel *k)
{
    fprintf(out, "void %s(", k->name);
    put_parameters(out, k, false);
    if (k->packed == 0) {
        return;
    }
    const char *operand = k->operand[k->packed].name;
    char macro[AIC_EXPORT_MACRO_MAX];
    aic_export_macro(k->name, "packed", macro);
    fprintf(out, "\n/* %s once, for many calls: writes its image, %s bytes. Calls with it do not pack. */\n", operand,
            macro);
    fprintf(out, "void %s_pack(void *%s_packed, const void *%s);\n", k->name, operand, operand);
    fprintf(out, "void %s_packed(", k->name);
    put_parameters(out, k, true);
    fprintf(out,
            "\n/* Sets *fits to 1 for an image that %s_packed() reads on this processor, to 0 for other memory of 64 "
            "bytes or\n * more. %s_packed() itself does not look. */\n",
            k->name, k->name);
    fprintf(out, "void %s_packed_check(const void *%s_packed, int *fits);\n", k->name, operand);
}

/* Whose readings the kernel computes, where they are not the documents'. */
static void put_choices(FILE *out, const aic_semantics *semantics)
{
    char text[AIC_CHOICES_TEXT_MAX];
    if (aic_semantics_print_choices(semantics, text, sizeof text, NULL) == AIC_OK && text[0] != '\0') {
        fprintf(out, " *     choices: %s\n", text);
    }
}

static aic_status put_kernel(FILE *out, const aic_export_contents *c, size_t number)
{
    exported_kernel k;
    char *text;
    const aic_status status = aic_spec_print_new(&c->shown[number], &text);
    if (status != AIC_OK) {
        return status;
    }
    describe(c, number, &k);
    fprintf(out, "\n");
    put_text(out, text);
    free(text);
    for (size_t i = 0; i < k.count; i++) {
        put_operand(out, &k.operand[i]);
    }
    put_choices(out, c->request->semantics);
    fprintf(out, " *\n");
    for (size_t l = 0; l < c->request->levels; l++) {
        fprintf(out, " * %s: %s\n", c->request->target[l]->name,
                c->bundle->part[number * c->request->levels + l].schedule);
    }
    fprintf(out, " */\n");
    put_macros(out, &k);
    put_functions(out, &k);
    return AIC_OK;
}

/* ---- the whole ---- */

static void put_begin(FILE *out, const aic_export_contents *c, const char *guard)
{
    const size_t levels = c->request->levels;
    fprintf(out, "/* Kernels made by aicjit %s with LLVM %s for %s, instruction set level", aic_version(),
            aic_build_llvm, c->triple);
    for (size_t l = 0; l < levels; l++) {
        fprintf(out, "%s%s", l == 0 ? (levels > 1 ? "s " : " ") : ", ", c->request->target[l]->name);
    }
    fprintf(out, ".\n");
    if (levels > 1) {
        fprintf(out, " * The functions choose the highest of these that the processor has; %s is taken for granted.\n",
                c->request->target[0]->name);
    }
    if ((c->request->target[levels - 1]->has & AIC_HAS_TILES) != 0) {
        fprintf(out,
                " * The process must have the system's permission to use tiles (arch_prctl, ARCH_REQ_XCOMP_PERM).\n");
    }
    fprintf(out,
            " *\n"
            " * The functions need nothing but their object. They check and allocate nothing. Operands are apart from "
            "each\n"
            " * other unless it says otherwise, and aligned to the size of their elements; workspaces and packed "
            "images are\n"
            " * aligned to %d bytes. Calls that run at the same time have workspaces of their own. */\n"
            "#ifndef %s\n#define %s\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n",
            AIC_SCRATCH_ALIGNMENT, guard, guard);
}

aic_status aic_export_header(const aic_export_contents *contents, char **text, size_t *size)
{
    char guard[AIC_EXPORT_MACRO_MAX];
    *text = NULL;
    FILE *out = open_memstream(text, size);
    if (out == NULL) {
        return aic_fail_memory("export", 0);
    }
    aic_export_guard(contents->request->kernel[0].name, guard);
    put_begin(out, contents, guard);
    aic_status status = AIC_OK;
    for (size_t i = 0; i < contents->request->count && status == AIC_OK; i++) {
        status = put_kernel(out, contents, i);
    }
    fprintf(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    if (!aic_stream_end(out, text) && status == AIC_OK) {
        status = aic_fail_memory("export", 0);
    }
    if (status != AIC_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}
