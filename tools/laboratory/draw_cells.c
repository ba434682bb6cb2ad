/* What the cells of a picture are: padding, and what one result is made from. */
#include "tools/harness/stages.h"
#include "tools/laboratory/draw.h"

#include "tools/harness/operand_text.h"

#include <string.h>

/* ---- indices by name ---- */

/* An index that one axis has, or two: blocks and the index in a block. */
typedef struct named {
    const char *outer, *inner; /* outer NULL: one axis */
} named;

/* The index, -1 where the operand has none of these. */
static int64_t index_of(const aic_coordinates *c, const int64_t *at, const named *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const int32_t inner = coordinates_axis(c, names[i].inner);
        const int32_t outer = names[i].outer == NULL ? -1 : coordinates_axis(c, names[i].outer);
        if (inner >= 0 && names[i].outer == NULL) {
            return at[inner];
        }
        if (inner >= 0 && outer >= 0) {
            return at[outer] * c->axis[inner].size + at[inner];
        }
    }
    return -1;
}

#define INDEX_OF(c, at, ...)                                                                                           \
    index_of(c, at, (const named[]){__VA_ARGS__}, sizeof((const named[]){__VA_ARGS__}) / sizeof(named))

/* ---- padding ---- */

static bool is_outside(const aic_coordinates *c, const int64_t *at, const char *outer, const char *inner, int64_t size)
{
    return INDEX_OF(c, at, {outer, inner}) >= size;
}

static bool is_padding_of_mmad(const aic_mmad_desc *desc, const aic_coordinates *c, const int64_t *at)
{
    return is_outside(c, at, "M1", "m0", desc->m) || is_outside(c, at, "K1", "k0", desc->k) ||
           is_outside(c, at, "N1", "n0", desc->n);
}

/* The letters of transdata's shape: those of the operand without blocks, else the tensor's own. */
static const char *letters_of(const aic_transdata_desc *desc)
{
    static const char *const plain[] = {
        [AIC_LAYOUT_ND] = "RC",     [AIC_LAYOUT_NCHW] = "NCHW", [AIC_LAYOUT_NHWC] = "NHWC",
        [AIC_LAYOUT_OIHW] = "OIHW", [AIC_LAYOUT_HWIO] = "HWIO",
    };
    static const char *const own[] = {
        [AIC_LAYOUT_NZ] = "RC",   [AIC_LAYOUT_ZZ] = "RC",        [AIC_LAYOUT_ZN] = "RC",
        [AIC_LAYOUT_NN] = "RC",   [AIC_LAYOUT_NC1HWC0] = "NCHW", [AIC_LAYOUT_FRACTAL_Z] = "OIHW",
        [AIC_LAYOUT_4N] = "NCHW", [AIC_LAYOUT_2N] = "NCHW",
    };
    const size_t plains = sizeof plain / sizeof plain[0], src = (size_t)desc->src, dst = (size_t)desc->dst;
    if (src < plains && plain[src] != NULL) {
        return plain[src];
    }
    return dst < plains && plain[dst] != NULL ? plain[dst] : own[src];
}

static bool is_padding_of_transdata(const aic_transdata_desc *desc, const aic_coordinates *c, const int64_t *at)
{
    static const struct {
        char letter;
        named index;
    } blocked[] = {{'R', {"R1", "r0"}},   {'C', {"C1", "c0"}},   {'C', {"C1", "C0"}},  {'I', {"C1", "C0"}},
                   {'O', {NULL, "Cout"}}, {'N', {"N/4", "N%4"}}, {'N', {"N/2", "N%2"}}};
    const char *letters = letters_of(desc);
    for (size_t i = 0; i < sizeof blocked / sizeof blocked[0]; i++) {
        const char *letter = strchr(letters, blocked[i].letter);
        if (letter != NULL && index_of(c, at, &blocked[i].index, 1) >= desc->shape[letter - letters]) {
            return true;
        }
    }
    return false;
}

bool draw_is_padding(const drawing *d, size_t operand, const int64_t *at, int64_t element)
{
    const aic_coordinates *c = &d->operands->items[operand].coordinates;
    const stage_desc stage = stage_of(d->spec, 0), *first = &stage;
    if (operand == d->result && d->findings != NULL && (d->findings[element].events >> AIC_EVENT_UNWRITTEN & 1) != 0) {
        return true;
    }
    if (first->op == AIC_OP_MMAD && (operand != d->result || aic_spec_stages(d->spec) == 1)) {
        return is_padding_of_mmad(&first->desc.mmad, c, at);
    }
    return first->op == AIC_OP_TRANSDATA && is_padding_of_transdata(&first->desc.transdata, c, at);
}

/* ---- what one result is made from ---- */

bool draw_is_used(const drawing *d, size_t operand, int64_t element)
{
    const bool chosen = operand == d->result && element == d->element;
    return chosen || (d->reads[operand] != NULL && d->reads[operand][element] != 0);
}
