/* The typed entry points of every operator, aic_jit_OP() and the kernels' C functions, called with operands from an
 * array. Both tables are expanded from ops.def: a new operator needs no line here. */
#include "tools/harness/entry.h"
#include "tools/harness/stages.h"

/* operand[0], operand[1], ...: as many as there are arguments. An operator with more than four does not compile: PASS
 * becomes the name of its fifth one. */
#define PASS_1 operand[0]
#define PASS_2 PASS_1, operand[1]
#define PASS_3 PASS_2, operand[2]
#define PASS_4 PASS_3, operand[3]
#define CHOOSE(a, b, c, d, chosen, ...) chosen
#define PASS(...) CHOOSE(__VA_ARGS__, PASS_4, PASS_3, PASS_2, PASS_1, PASS_0)
#define COUNT(...) CHOOSE(__VA_ARGS__, 4, 3, 2, 1, 0)

#define AIC_OPERANDS(...) __VA_ARGS__
#define AIC_OP(ENUM, name, count, params, args)                                                                        \
    static aic_status jit_##name(aic_context *context, const stage_desc *stage, void *const operand[])                 \
    {                                                                                                                  \
        return aic_jit_##name(context, &stage->desc.name, PASS(args));                                                 \
    }                                                                                                                  \
    static bool direct_##name(const aic_kernel *kernel, bool packed, void *const operand[], void *workspace)           \
    {                                                                                                                  \
        const aic_##name##_fn function = packed ? aic_kernel_##name##_packed(kernel) : aic_kernel_##name(kernel);      \
        if (function != NULL) {                                                                                        \
            function(PASS(args), workspace);                                                                           \
        }                                                                                                              \
        return function != NULL;                                                                                       \
    }
#include <aic/ops.def>
#undef AIC_OP
#undef AIC_OPERANDS

static const struct {
    aic_status (*jit)(aic_context *context, const stage_desc *stage, void *const operand[]);
    bool (*direct)(const aic_kernel *kernel, bool packed, void *const operand[], void *workspace);
    size_t parameters; /* operands in its signature */
} entries[AIC_OP_END] = {
#define AIC_OP(ENUM, name, count, params, args) [AIC_OP_##ENUM] = {jit_##name, direct_##name, COUNT(args)},
#define AIC_OPERANDS(...) __VA_ARGS__
#include <aic/ops.def>
#undef AIC_OPERANDS
#undef AIC_OP
};

/* Whether the descriptor has operands that the operator's signature lacks. */
static bool has_more_operands(const aic_spec *spec)
{
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count = 0;
    return aic_spec_operands(spec, NULL, operand, &count) == AIC_OK &&
           count > entries[aic_spec_stage_op(spec, 0)].parameters;
}

aic_status entry_jit(aic_context *context, const aic_spec *spec, void *const operand[], size_t count)
{
    const stage_desc first = stage_of(spec, 0);
    return aic_spec_stages(spec) == 1 && !has_more_operands(spec) ? entries[first.op].jit(context, &first, operand)
                                                                  : aic_jit_spec(context, spec, operand, count);
}

bool entry_direct(const aic_spec *spec, const aic_kernel *kernel, bool packed, void *const operand[], void *workspace)
{
    return aic_spec_stages(spec) == 1 && entries[aic_spec_stage_op(spec, 0)].direct(kernel, packed, operand, workspace);
}
