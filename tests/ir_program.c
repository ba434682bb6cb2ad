/* Decodes the IR of functions; see ir_program.h. */
#include "tests/ir_program.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { OPERANDS_MAX = 4 };

/* Offsets of values in the frame, by pointer. */
typedef struct offset_map {
    LLVMValueRef *key;
    unsigned *offset, capacity, used;
} offset_map;

typedef struct decoder {
    ir_program *program;
    function *f;
    offset_map offsets;
    LLVMBasicBlockRef *blocks;
} decoder;

static void *grown(void *memory, size_t bytes)
{
    void *result = realloc(memory, bytes);
    require(result != NULL, "memory ran out");
    return result;
}

static unsigned slot_of(const offset_map *map, LLVMValueRef key)
{
    unsigned at = (unsigned)((uintptr_t)key / 8 * 2654435761u) & (map->capacity - 1);
    while (map->key[at] != NULL && map->key[at] != key) {
        at = (at + 1) & (map->capacity - 1);
    }
    return at;
}

static void put_offset(offset_map *map, LLVMValueRef key, unsigned offset)
{
    if (2 * (map->used + 1) > map->capacity) {
        offset_map larger = {.capacity = map->capacity == 0 ? 256 : 2 * map->capacity};
        larger.key = calloc(larger.capacity, sizeof *larger.key);
        larger.offset = calloc(larger.capacity, sizeof *larger.offset);
        require(larger.key != NULL && larger.offset != NULL, "memory ran out");
        for (unsigned i = 0; i < map->capacity; i++) {
            if (map->key[i] != NULL) {
                put_offset(&larger, map->key[i], map->offset[i]);
            }
        }
        free(map->key);
        free(map->offset);
        *map = larger;
    }
    const unsigned at = slot_of(map, key);
    map->used += map->key[at] == NULL;
    map->key[at] = key;
    map->offset[at] = offset;
}

static unsigned element_bytes(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
        return sizeof(void *);
    }
    require(LLVMGetTypeKind(type) == LLVMIntegerTypeKind, "IR with a type that is not run here");
    return (LLVMGetIntTypeWidth(type) + 7) / 8;
}

static shape shape_of(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        return (shape){LLVMGetVectorSize(type), element_bytes(LLVMGetElementType(type))};
    }
    return (shape){1, element_bytes(type)};
}

/* Room in the frame. */
static unsigned reserve(function *f, shape type)
{
    const unsigned at = f->frame, bytes = (type.lanes * type.bytes + 7) / 8 * 8;
    if (at + bytes > f->frame_capacity) {
        f->frame_capacity = 2 * (at + bytes) + 4096;
        f->image = grown(f->image, f->frame_capacity);
    }
    memset(f->image + at, POISON, bytes);
    f->frame = at + bytes;
    return at;
}

static void write_constant(LLVMValueRef value, shape type, unsigned char *to)
{
    if (LLVMIsPoison(value) || LLVMIsUndef(value)) {
        return;
    }
    if (LLVMIsNull(value)) {
        memset(to, 0, type.lanes * (size_t)type.bytes);
        return;
    }
    if (type.lanes > 1 || LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind) {
        for (unsigned i = 0; i < type.lanes; i++) {
            write_constant(LLVMGetAggregateElement(value, i), (shape){1, type.bytes}, to + i * type.bytes);
        }
        return;
    }
    require(LLVMIsAConstantInt(value) != NULL && type.bytes <= 8, "IR with a constant that is not run here");
    const uint64_t bits = LLVMConstIntGetZExtValue(value);
    memcpy(to, &bits, type.bytes);
}

static unsigned offset_of(decoder *d, LLVMValueRef value)
{
    const offset_map *map = &d->offsets;
    if (map->capacity > 0) {
        const unsigned at = slot_of(map, value);
        if (map->key[at] != NULL) {
            return map->offset[at];
        }
    }
    const shape type = shape_of(LLVMTypeOf(value));
    const unsigned offset = reserve(d->f, type);
    if (LLVMIsConstant(value)) {
        write_constant(value, type, d->f->image + offset);
    }
    put_offset(&d->offsets, value, offset);
    return offset;
}

static unsigned block_of(const decoder *d, LLVMBasicBlockRef block)
{
    unsigned at = 0;
    while (d->blocks[at] != block) {
        at++;
    }
    return at;
}

static const function *function_of(ir_program *program, LLVMValueRef value);

/* Functions of integers, and others. */
static const struct {
    const char *prefix;
    unsigned number;
} INTRINSICS[] = {{"llvm.smin.", 0},
                  {"llvm.smax.", 1},
                  {"llvm.umin.", 2},
                  {"llvm.umax.", 3},
                  {"llvm.launder.", INTRINSIC_NOTHING},
                  {"llvm.prefetch.", INTRINSIC_NOTHING},
                  {"llvm.vp.load.", INTRINSIC_LOAD},
                  {"llvm.masked.load.", INTRINSIC_LOAD_OR},
                  {"llvm.vp.store.", INTRINSIC_STORE}};

static void decode_call(decoder *d, LLVMValueRef call, op *o)
{
    size_t length;
    LLVMValueRef callee = LLVMGetCalledValue(call);
    const char *name = LLVMGetValueName2(callee, &length);
    o->args = LLVMGetNumArgOperands(call);
    require(o->args <= ARGS_MAX, "a call with too many arguments");
    for (unsigned i = 0; i < o->args; i++) {
        o->from[i] = offset_of(d, LLVMGetOperand(call, i));
    }
    if (LLVMCountBasicBlocks(callee) > 0) {
        o->callee = function_of(d->program, callee);
        return;
    }
    for (size_t i = 0; i < sizeof INTRINSICS / sizeof INTRINSICS[0]; i++) {
        if (strncmp(name, INTRINSICS[i].prefix, strlen(INTRINSICS[i].prefix)) == 0) {
            o->detail = INTRINSICS[i].number;
            o->type = o->detail == INTRINSIC_STORE ? shape_of(LLVMTypeOf(LLVMGetOperand(call, 0))) : o->type;
            return;
        }
    }
    ck_abort_msg("IR that calls %s", name);
}

static void decode_phi(decoder *d, LLVMValueRef phi, op *o)
{
    o->edge_count = LLVMCountIncoming(phi);
    o->edges = grown(NULL, 2 * o->edge_count * sizeof *o->edges);
    for (unsigned i = 0; i < o->edge_count; i++) {
        o->edges[2 * i] = block_of(d, LLVMGetIncomingBlock(phi, i));
        o->edges[2 * i + 1] = offset_of(d, LLVMGetIncomingValue(phi, i));
    }
}

static void decode_branch(decoder *d, LLVMValueRef branch, op *o)
{
    const unsigned targets = LLVMGetNumSuccessors(branch);
    o->detail = targets == 2;
    if (targets == 2) {
        o->from[0] = offset_of(d, LLVMGetCondition(branch));
    }
    for (unsigned i = 0; i < targets; i++) {
        o->block[i] = block_of(d, LLVMGetSuccessor(branch, i));
    }
}

static void decode_shuffle(LLVMValueRef shuffle, op *o)
{
    o->mask = grown(NULL, o->type.lanes * sizeof *o->mask);
    for (unsigned i = 0; i < o->type.lanes; i++) {
        o->mask[i] = LLVMGetMaskValue(shuffle, i);
    }
}

static void decode_operands(decoder *d, LLVMValueRef instruction, op *o)
{
    const int count = LLVMGetNumOperands(instruction);
    require(count <= OPERANDS_MAX, "IR with an instruction of many operands");
    for (int i = 0; i < count; i++) {
        o->from[i] = offset_of(d, LLVMGetOperand(instruction, (unsigned)i));
    }
    if (count > 0) {
        o->source = shape_of(LLVMTypeOf(LLVMGetOperand(instruction, 0)));
    }
}

static void decode_alloca(LLVMValueRef instruction, op *o)
{
    LLVMTypeRef type = LLVMGetAllocatedType(instruction);
    require(LLVMGetTypeKind(type) == LLVMArrayTypeKind, "IR that allocates no array");
    o->source = (shape){(unsigned)LLVMGetArrayLength2(type), element_bytes(LLVMGetElementType(type))};
    o->detail = LLVMGetAlignment(instruction);
}

static void decode(decoder *d, LLVMValueRef instruction, op *o)
{
    *o = (op){.code = LLVMGetInstructionOpcode(instruction)};
    if (LLVMGetTypeKind(LLVMTypeOf(instruction)) != LLVMVoidTypeKind) {
        o->type = shape_of(LLVMTypeOf(instruction));
        o->to = offset_of(d, instruction);
    }
    switch ((int)o->code) {
    case LLVMPHI:
        decode_phi(d, instruction, o);
        return;
    case LLVMBr:
        decode_branch(d, instruction, o);
        return;
    case LLVMCall:
        decode_call(d, instruction, o);
        return;
    case LLVMAlloca:
        decode_alloca(instruction, o);
        return;
    case LLVMShuffleVector:
        decode_shuffle(instruction, o);
        break;
    case LLVMICmp:
        o->detail = LLVMGetICmpPredicate(instruction);
        break;
    case LLVMLoad:
    case LLVMStore:
        o->detail = LLVMGetAlignment(instruction);
        break;
    case LLVMGetElementPtr:
        require(element_bytes(LLVMGetGEPSourceElementType(instruction)) == 1,
                "IR with addresses that are not of bytes");
        break;
    default:
        break;
    }
    decode_operands(d, instruction, o);
    o->type = o->code == LLVMStore ? o->source : o->type;
}

static op *new_op(function *f)
{
    if (f->count == f->capacity) {
        f->capacity = 2 * f->capacity + 64;
        f->ops = grown(f->ops, f->capacity * sizeof *f->ops);
    }
    return &f->ops[f->count++];
}

static void decode_function(ir_program *program, function *f)
{
    decoder d = {.program = program, .f = f};
    f->params = LLVMCountParams(f->value);
    f->blocks = LLVMCountBasicBlocks(f->value);
    require(f->params <= ARGS_MAX, "a function with too many parameters");
    d.blocks = grown(NULL, f->blocks * sizeof(LLVMBasicBlockRef));
    f->block_start = grown(NULL, f->blocks * sizeof *f->block_start);
    LLVMGetBasicBlocks(f->value, d.blocks);
    reserve(f, (shape){1, 8}); /* no frame is empty */
    for (unsigned i = 0; i < f->params; i++) {
        f->param[i] = offset_of(&d, LLVMGetParam(f->value, i));
    }
    for (unsigned b = 0; b < f->blocks; b++) {
        f->block_start[b] = f->count;
        for (LLVMValueRef i = LLVMGetFirstInstruction(d.blocks[b]); i != NULL; i = LLVMGetNextInstruction(i)) {
            op decoded;
            decode(&d, i, &decoded);
            *new_op(f) = decoded;
        }
    }
    free(d.blocks);
    free(d.offsets.key);
    free(d.offsets.offset);
}

static const function *function_of(ir_program *program, LLVMValueRef value)
{
    for (unsigned i = 0; i < program->count; i++) {
        if (program->functions[i].value == value) {
            return &program->functions[i];
        }
    }
    require(program->count < FUNCTIONS_MAX, "IR with too many functions");
    function *f = &program->functions[program->count++];
    f->value = value;
    decode_function(program, f);
    return f;
}

ir_program *ir_program_new(LLVMModuleRef module, const char *name)
{
    ir_program *program = calloc(1, sizeof *program);
    LLVMValueRef value = LLVMGetNamedFunction(module, name);
    require(program != NULL && value != NULL, "no such function");
    function_of(program, value);
    return program;
}

void ir_program_free(ir_program *program)
{
    for (unsigned i = 0; i < program->count; i++) {
        function *f = &program->functions[i];
        for (unsigned k = 0; k < f->count; k++) {
            free(f->ops[k].mask);
            free(f->ops[k].edges);
        }
        free(f->ops);
        free(f->block_start);
        free(f->image);
    }
    free(program);
}
