/* The phase that fills the table of column parameters: see epilogue.h. */
#include "codegen/llvm/notes.h"
#include "codegen/parts.h"
#include "codegen/parts/epilogue.h"

/* Operand number `number` of the body, NULL for 0. */
static LLVMValueRef operand(aic_emit *e, int64_t number)
{
    return number == 0 ? LLVMConstNull(e->ptr) : aic_emit_param(e, (unsigned)number);
}

LLVMValueRef aic_emit_part_table_phase(aic_emit *e, const void *of, const char *name)
{
    const aic_table_phase_key *key = of;
    aic_emit_body(e, AIC_EMIT_FRAME, name, (unsigned)key->operands);
    aic_note_function(e, "phase: the parameters of the columns");
    LLVMValueRef function = e->function, shared = aic_emit_param(e, (unsigned)key->operands);
    LLVMValueRef args[] = {shared, operand(e, key->parameters), operand(e, key->bias)};
    aic_emit_call(e, aic_callee(e, "table", 3, 0), args, 3);
    aic_emit_function_end(e);
    return function;
}
