/* Pass pipelines: pass, pass(pipeline), ... A pipeline has a level, and what stands in it must be of that level, or an
 * adaptor to another one. LLVM takes the level of the whole from its first element. */
#include "codegen/passes.h"
#include "frontend/core/diag.h"
#include <aic/tool.h>

#include <string.h>

enum { M = 1 << 0, C = 1 << 1, F = 1 << 2, L = 1 << 3, S = 1 << 4, ANY = M | C | F | L | S };

enum { DEPTH_MAX = 8, PASSES_MAX = 100 };

typedef struct pass_row {
    const char *name;
    int levels; /* of pipelines that it may stand in */
    int inner;  /* the level of an adaptor's pipeline, 0 for a pass */
} pass_row;

static const pass_row passes[] = {
#define AIC_PASS(levels, name) {name, levels, 0},
#define AIC_ADAPTOR(levels, name, level) {name, levels, level},
#include "codegen/passes.def"
#undef AIC_PASS
#undef AIC_ADAPTOR
};

enum { ROWS = sizeof passes / sizeof passes[0] };

const char *aic_pass_name(size_t index)
{
    return index < ROWS ? passes[index].name : NULL;
}

static const pass_row *find_pass(const char *name, size_t length)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (strlen(passes[i].name) == length && memcmp(passes[i].name, name, length) == 0) {
            return &passes[i];
        }
    }
    return NULL;
}

/* Where reading stands. */
typedef struct pipeline_reader {
    const char *at;
    size_t count;         /* passes and adaptors so far */
    int level[DEPTH_MAX]; /* of the pipelines around this pass, the outermost first */
    size_t depth;
} pipeline_reader;

static aic_status fail_name(const char *name, size_t length, const char *why)
{
    return aic_fail(AIC_INVALID_ARGUMENT, "passes", "\"%.*s\" %s; aic_pass_name() lists those that are accepted",
                    (int)(length < 80 ? length : 80), name, why);
}

/* The level that the first element gives a pipeline of unknown level: the outermost one that it may stand in. */
static int outermost(int levels)
{
    return levels & -levels;
}

/* Reads a name and enters an adaptor's pipeline. */
static aic_status read_element(pipeline_reader *in)
{
    const char *name = in->at;
    const size_t length = strcspn(name, ",()");
    const pass_row *pass = find_pass(name, length);
    int *level = &in->level[in->depth - 1];
    in->at += length;
    if (pass == NULL) {
        return fail_name(name, length, "is no pass that is accepted");
    }
    if (++in->count > PASSES_MAX) {
        return aic_fail(AIC_INVALID_ARGUMENT, "passes", "more than %d passes", PASSES_MAX);
    }
    if (*level == ANY) {
        *level = outermost(pass->levels);
    }
    if ((pass->levels & *level) == 0) {
        return fail_name(name, length, "may not stand here, in a pipeline of another level");
    }
    if ((*in->at == '(') != (pass->inner != 0)) {
        return fail_name(name, length, pass->inner != 0 ? "wants a pipeline in parentheses" : "takes no pipeline");
    }
    if (*in->at == '(') {
        if (in->depth == DEPTH_MAX) {
            return aic_fail(AIC_INVALID_ARGUMENT, "passes", "pipelines are nested deeper than %d", DEPTH_MAX);
        }
        in->level[in->depth++] = pass->inner;
        in->at++;
        return read_element(in); /* at most DEPTH_MAX deep */
    }
    return AIC_OK;
}

aic_status aic_passes_check(const char *text)
{
    if (text == NULL || text[0] == '\0') {
        return AIC_OK;
    }
    pipeline_reader in = {.at = text, .level = {ANY}, .depth = 1};
    aic_status status = read_element(&in);
    while (status == AIC_OK && *in.at != '\0') {
        const char next = *in.at++;
        if (next == ')' && in.depth > 1) {
            in.depth--;
        } else if (next == ',') {
            status = read_element(&in);
        } else {
            return aic_fail(AIC_INVALID_ARGUMENT, "passes", "column %td: ',' or the end expected at \"%.20s\"",
                            in.at - text, in.at - 1);
        }
    }
    if (status == AIC_OK && in.depth > 1) {
        return aic_fail(AIC_INVALID_ARGUMENT, "passes", "a closing parenthesis is missing");
    }
    return status;
}
