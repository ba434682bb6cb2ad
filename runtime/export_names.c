/* Names of exported kernels; see export_names.h. Macros are the names in capitals, so names that differ in case only
 * are the same here. */
#include "runtime/export_names.h"
#include "codegen/record.h"
#include "frontend/core/diag.h"
#include "frontend/core/spec.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define SUBJECT "name"

static const char *const KEYWORDS[] = {
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
};

static aic_status check_name(const char *name)
{
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char REST[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const size_t length = strlen(name);
    if (length == 0 || strspn(name, LETTERS) == 0 || strspn(name, REST) != length) {
        return aic_fail(AIC_INVALID_ARGUMENT, SUBJECT,
                        "\"%.100s\" is no C identifier of letters, digits and underscores that begins with a letter",
                        name);
    }
    if (length > AIC_EXPORT_NAME_MAX) {
        return aic_fail(AIC_INVALID_ARGUMENT, SUBJECT, "\"%.100s\" is longer than %d characters", name,
                        AIC_EXPORT_NAME_MAX);
    }
    for (size_t i = 0; i < sizeof KEYWORDS / sizeof KEYWORDS[0]; i++) {
        if (strcmp(name, KEYWORDS[i]) == 0) {
            return aic_fail(AIC_INVALID_ARGUMENT, SUBJECT, "\"%s\" is a keyword", name);
        }
    }
    return AIC_OK;
}

/* Whether `name` is `base`, or what one of base's roles is called. */
static bool is_role_of(const char *base, const char *name)
{
    const size_t length = strlen(base);
    if (strncasecmp(base, name, length) != 0) {
        return false;
    }
    bool is = false;
    for (int f = 0; f < AIC_FUNCTIONS; f++) {
        is |= strcasecmp(name + length, aic_function_suffix[f]) == 0;
    }
    return is;
}

static bool collide(const char *a, const char *b)
{
    return is_role_of(a, b) || is_role_of(b, a);
}

/* Number of the first name of `name` that the text collides with, those without a text left out; `count`: none. */
static size_t collision(const aic_export_name *name, size_t count, const char *text)
{
    size_t i = 0;
    while (i < count && (name[i].text[0] == '\0' || !collide(name[i].text, text))) {
        i++;
    }
    return i;
}

static aic_status take_given(const aic_export_kernel *kernels, size_t count, aic_export_name *name)
{
    for (size_t i = 0; i < count; i++) {
        name[i].text[0] = '\0';
        if (kernels[i].name == NULL) {
            continue;
        }
        aic_status status = check_name(kernels[i].name);
        if (status != AIC_OK) {
            return status;
        }
        const size_t other = collision(name, i, kernels[i].name);
        if (other < i) {
            return aic_fail(AIC_INVALID_ARGUMENT, SUBJECT,
                            "\"%s\" and \"%s\" would share a function or a macro in capitals", name[other].text,
                            kernels[i].name);
        }
        snprintf(name[i].text, sizeof name[i].text, "%s", kernels[i].name);
    }
    return AIC_OK;
}

/* "conv2d_fixpipe", "conv2d_fixpipe_2", ...: the first that is free. */
static void make_name(const aic_spec *spec, size_t count, aic_export_name *all, aic_export_name *name)
{
    char subject[64], text[AIC_EXPORT_NAME_MAX + 1]; /* that of a long chain is cut */
    aic_spec_subject(spec, "_", subject, sizeof subject);
    snprintf(text, sizeof text, "%s", subject);
    for (unsigned number = 2; collision(all, count, text) < count; number++) {
        snprintf(text, sizeof text, "%s_%u", subject, number);
    }
    *name = (aic_export_name){""};
    memcpy(name->text, text, sizeof text);
}

aic_status aic_export_names(const aic_export_kernel *kernels, size_t count, aic_export_name *name)
{
    aic_status status = take_given(kernels, count, name);
    for (size_t i = 0; i < count && status == AIC_OK; i++) {
        if (name[i].text[0] == '\0') {
            make_name(kernels[i].spec, count, name, &name[i]);
        }
    }
    return status;
}
