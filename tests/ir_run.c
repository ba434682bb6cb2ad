#include "tests/ir_run.h"

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A frame holds the constants, parameters and results of a function as bytes: elements one after the other, those of
 * one bit as a byte, pointers as they are in this process. */
enum { ARGS_MAX = 12, OPERANDS_MAX = 4, REGIONS_MAX = 24, STEPS_MAX = 1 << 30, POISON = 0xA5 };

typedef struct shape {
    unsigned lanes, bytes; /* of a value: elements, and bytes of one */
} shape;

typedef struct op {
    LLVMOpcode code;
    unsigned detail;             /* predicate, alignment, or which intrinsic */
    unsigned to, from[ARGS_MAX]; /* offsets in the frame */
    unsigned args;               /* of a call */
    shape type, source;          /* of the result (of Store: the value), and of operand 0 */
    int *mask;                   /* of ShuffleVector */
    unsigned block[2];           /* of Br, and per incoming value of PHI: see `edges` */
    unsigned *edges;             /* of PHI: block, offset, block, offset, ... */
    unsigned edge_count;
    const struct function *callee; /* NULL: an intrinsic, or none */
} op;

typedef struct function {
    LLVMValueRef value;
    op *ops;
    unsigned count, capacity;
    unsigned *block_start, blocks;
    unsigned params, param[ARGS_MAX];
    unsigned char *image; /* the frame at the start */
    unsigned frame, frame_capacity;
} function;

enum { FUNCTIONS_MAX = 40 };

struct ir_program {
    function functions[FUNCTIONS_MAX];
    unsigned count;
};

/* An assertion of the framework writes a file even where it holds, which takes longer than running an instruction. */
static void require(bool condition, const char *message)
{
    if (!condition) {
        ck_abort_msg("%s", message);
    }
}

/* ---- decoding ---- */

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

/* Intrinsics that are functions of integers, and one that has no result, of which nothing is computed. */
static const struct {
    const char *prefix;
    unsigned number;
} INTRINSICS[] = {{"llvm.smin.", 0}, {"llvm.smax.", 1},    {"llvm.umin.", 2},
                  {"llvm.umax.", 3}, {"llvm.launder.", 4}, {"llvm.prefetch.", 4}};

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

/* ---- running ---- */

typedef struct run {
    ir_operand region[REGIONS_MAX]; /* operands, then what functions allocate */
    unsigned regions, operands;
    int64_t steps;
    char *message;
} run;

static bool refuse(run *r, const char *what, const op *o, const unsigned char *address)
{
    unsigned nearest = 0;
    for (unsigned i = 1; i < r->operands; i++) {
        if (address >= r->region[i].base && address <= r->region[i].base + r->region[i].bytes) {
            nearest = i;
        }
    }
    (void)snprintf(r->message, IR_MESSAGE_MAX, "%s of %u x %u bytes %s: byte %lld of operand %u, which has %zu",
                   o->code == LLVMLoad ? "a load" : "a store", o->type.lanes, o->type.bytes, what,
                   (long long)(address - r->region[nearest].base), nearest, r->region[nearest].bytes);
    return false;
}

static bool access_memory(run *r, const op *o, unsigned char *frame)
{
    unsigned char *address;
    const bool store = o->code == LLVMStore;
    const size_t bytes = (size_t)o->type.lanes * o->type.bytes;
    memcpy(&address, frame + o->from[store ? 1 : 0], sizeof address);
    if ((uintptr_t)address % o->detail != 0) {
        return refuse(r, "at an address that is not aligned", o, address);
    }
    for (unsigned i = 0; i < r->regions; i++) {
        const ir_operand *region = &r->region[i];
        if (address >= region->base && address + bytes <= region->base + region->bytes) {
            if (store && !region->writable) {
                return refuse(r, "to an input", o, address);
            }
            store ? memcpy(address, frame + o->from[0], bytes) : memcpy(frame + o->to, address, bytes);
            return true;
        }
    }
    return refuse(r, "outside of every operand", o, address);
}

static uint64_t read_element(const unsigned char *from, unsigned bytes)
{
    uint64_t bits = 0;
    if (bytes == sizeof bits) {
        memcpy(&bits, from, sizeof bits);
    } else {
        memcpy(&bits, from, bytes);
    }
    return bits;
}

static int64_t with_sign(uint64_t bits, unsigned bytes)
{
    const unsigned above = 64 - 8 * bytes;
    return (int64_t)(bits << above) >> above;
}

static uint64_t compute(LLVMOpcode code, uint64_t a, uint64_t b, unsigned bytes)
{
    switch ((int)code) {
    case LLVMAdd:
        return a + b;
    case LLVMSub:
        return a - b;
    case LLVMMul:
        return a * b;
    case LLVMUDiv:
        return a / b;
    case LLVMURem:
        return a % b;
    case LLVMAnd:
        return a & b;
    case LLVMOr:
        return a | b;
    case LLVMXor:
        return a ^ b;
    case LLVMShl:
        return a << b;
    case LLVMLShr:
        return a >> b;
    case LLVMAShr:
        return (uint64_t)(with_sign(a, bytes) >> b);
    case LLVMTrunc:
    case LLVMZExt:
        return a;
    case LLVMSExt:
        return (uint64_t)with_sign(a, bytes);
    default:
        ck_abort_msg("IR with instruction %d", (int)code);
        return 0;
    }
}

static uint64_t call_intrinsic(unsigned number, uint64_t a, uint64_t b, unsigned bytes)
{
    const int64_t x = with_sign(a, bytes), y = with_sign(b, bytes);
    const uint64_t results[] = {x < y ? a : b, x > y ? a : b, a < b ? a : b, a > b ? a : b, a};
    return results[number];
}

static bool compare(unsigned predicate, uint64_t a, uint64_t b, unsigned bytes)
{
    const int64_t x = with_sign(a, bytes), y = with_sign(b, bytes);
    switch (predicate) {
    case LLVMIntEQ:
        return a == b;
    case LLVMIntNE:
        return a != b;
    case LLVMIntUGT:
        return a > b;
    case LLVMIntUGE:
        return a >= b;
    case LLVMIntULT:
        return a < b;
    case LLVMIntULE:
        return a <= b;
    case LLVMIntSGT:
        return x > y;
    case LLVMIntSGE:
        return x >= y;
    case LLVMIntSLT:
        return x < y;
    default:
        return x <= y;
    }
}

/* Element by element, from operands 0 and 1. */
static void run_elements(const op *o, unsigned char *frame)
{
    const bool unary = o->code == LLVMTrunc || o->code == LLVMZExt || o->code == LLVMSExt;
    const shape source = o->code == LLVMCall ? o->type : o->source;
    for (unsigned i = 0; i < o->type.lanes; i++) {
        const uint64_t a = read_element(frame + o->from[0] + i * source.bytes, source.bytes);
        const uint64_t b = unary || (o->code == LLVMCall && o->args < 2)
                               ? 0
                               : read_element(frame + o->from[1] + i * source.bytes, source.bytes);
        uint64_t result = 0;
        if (o->code == LLVMICmp) {
            result = compare(o->detail, a, b, source.bytes);
        } else if (o->code == LLVMCall) {
            result = call_intrinsic(o->detail, a, b, source.bytes);
        } else {
            result = compute(o->code, a, b, source.bytes);
        }
        memcpy(frame + o->to + i * o->type.bytes, &result, o->type.bytes);
    }
}

static void run_shuffle(const op *o, unsigned char *frame)
{
    const unsigned lanes = o->source.lanes, bytes = o->type.bytes;
    for (unsigned i = 0; i < o->type.lanes; i++) {
        const int from = o->mask[i];
        unsigned char *to = frame + o->to + i * bytes;
        if (from < 0) {
            memset(to, POISON, bytes);
        } else {
            const unsigned lane = (unsigned)from % lanes;
            memcpy(to, frame + o->from[(unsigned)from / lanes] + lane * bytes, bytes);
        }
    }
}

static void run_select(const op *o, unsigned char *frame)
{
    const size_t bytes = o->type.bytes;
    for (unsigned i = 0; i < o->type.lanes; i++) {
        const bool first = frame[o->from[0] + (o->source.lanes > 1 ? i : 0)] != 0;
        memcpy(frame + o->to + i * bytes, frame + o->from[first ? 1 : 2] + i * bytes, bytes);
    }
}

/* Instructions that only change the frame. */
static void run_plain(const op *o, unsigned char *frame)
{
    const size_t bytes = o->type.bytes, all = bytes * o->type.lanes;
    uint64_t index;
    switch ((int)o->code) {
    case LLVMBitCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
        memcpy(frame + o->to, frame + o->from[0], all);
        return;
    case LLVMGetElementPtr:
        index = read_element(frame + o->from[0], 8) + read_element(frame + o->from[1], 8);
        memcpy(frame + o->to, &index, sizeof index);
        return;
    case LLVMShuffleVector:
        run_shuffle(o, frame);
        return;
    case LLVMInsertElement:
        index = read_element(frame + o->from[2], 4);
        memmove(frame + o->to, frame + o->from[0], all);
        memcpy(frame + o->to + index * bytes, frame + o->from[1], bytes);
        return;
    case LLVMExtractElement:
        index = read_element(frame + o->from[1], 4);
        memcpy(frame + o->to, frame + o->from[0] + index * bytes, bytes);
        return;
    case LLVMSelect:
        run_select(o, frame);
        return;
    case LLVMFence:
        return;
    default:
        run_elements(o, frame);
    }
}

/* Enters a block: all its values of PHI change at once. */
static unsigned enter(const function *f, unsigned char *frame, unsigned from, unsigned block)
{
    enum { PHIS_MAX = 64 };
    uint64_t values[PHIS_MAX];
    unsigned first = f->block_start[block], count = 0;
    for (const op *o = &f->ops[first]; o->code == LLVMPHI; o++) {
        unsigned edge = 0;
        require(count < PHIS_MAX && o->type.lanes == 1 && o->type.bytes <= 8, "IR with PHI that is not run here");
        while (o->edges[2 * edge] != from) {
            edge++;
        }
        memcpy(&values[count++], frame + o->edges[2 * edge + 1], o->type.bytes);
    }
    for (unsigned i = 0; i < count; i++) {
        memcpy(frame + f->ops[first + i].to, &values[i], f->ops[first + i].type.bytes);
    }
    return first + count;
}

static bool run_function(run *r, const function *f, const uint64_t *args, unsigned count);

static bool run_call(run *r, const op *o, unsigned char *frame)
{
    uint64_t args[ARGS_MAX];
    if (o->callee == NULL) {
        run_elements(o, frame);
        return true;
    }
    for (unsigned i = 0; i < o->args; i++) {
        args[i] = read_element(frame + o->from[i], sizeof args[i]);
    }
    return run_function(r, o->callee, args, o->args);
}

static void run_alloca(run *r, const op *o, unsigned char *frame)
{
    const size_t align = o->detail, bytes = (size_t)o->source.lanes * o->source.bytes;
    unsigned char *memory = aligned_alloc(align, (bytes + align - 1) / align * align);
    require(memory != NULL && r->regions < REGIONS_MAX, "memory ran out");
    memset(memory, POISON, bytes);
    r->region[r->regions++] = (ir_operand){memory, bytes, true};
    memcpy(frame + o->to, &memory, sizeof memory);
}

static bool run_ops(run *r, const function *f, unsigned char *frame)
{
    unsigned block = 0, at = 0, next;
    for (;; at++) {
        const op *o = &f->ops[at];
        bool good = true;
        require(r->steps-- > 0, "IR that does not end");
        switch ((int)o->code) {
        case LLVMRet:
            return true;
        case LLVMBr:
            next = o->block[o->detail == 1 && frame[o->from[0]] == 0 ? 1 : 0];
            at = enter(f, frame, block, next) - 1;
            block = next;
            break;
        case LLVMLoad:
        case LLVMStore:
            good = access_memory(r, o, frame);
            break;
        case LLVMCall:
            good = run_call(r, o, frame);
            break;
        case LLVMAlloca:
            run_alloca(r, o, frame);
            break;
        default:
            run_plain(o, frame);
        }
        if (!good) {
            return false;
        }
    }
}

static bool run_function(run *r, const function *f, const uint64_t *args, unsigned count)
{
    const unsigned regions = r->regions;
    unsigned char *frame = malloc(f->frame);
    require(frame != NULL, "memory ran out");
    memcpy(frame, f->image, f->frame);
    for (unsigned i = 0; i < f->params; i++) {
        const uint64_t value = i < count ? args[i] : 0;
        memcpy(frame + f->param[i], &value, sizeof value);
    }
    const bool good = run_ops(r, f, frame);
    for (; r->regions > regions; r->regions--) {
        free(r->region[r->regions - 1].base);
    }
    free(frame);
    return good;
}

bool ir_program_run(const ir_program *program, const ir_operand *operands, unsigned count, char message[IR_MESSAGE_MAX])
{
    run r = {.regions = count, .operands = count, .steps = STEPS_MAX, .message = message};
    uint64_t args[ARGS_MAX];
    require(count <= ARGS_MAX, "too many operands");
    for (unsigned i = 0; i < count; i++) {
        r.region[i] = operands[i];
        args[i] = (uint64_t)(uintptr_t)operands[i].base;
    }
    return run_function(&r, &program->functions[0], args, count);
}
