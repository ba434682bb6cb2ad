/* Runs decoded IR; see ir_run.h. */
#include "tests/ir_program.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGIONS_MAX = 24, STEPS_MAX = 1 << 30 };

typedef struct run {
    ir_operand region[REGIONS_MAX]; /* operands, then what functions allocate */
    unsigned regions, operands;
    int64_t steps;
    char *message;
} run;

static bool is_load(const op *o)
{
    return o->code == LLVMLoad || o->detail == INTRINSIC_LOAD || o->detail == INTRINSIC_LOAD_OR;
}

static bool refuse(run *r, const char *what, const op *o, const unsigned char *address)
{
    unsigned nearest = 0;
    for (unsigned i = 1; i < r->operands; i++) {
        if (address >= r->region[i].base && address <= r->region[i].base + r->region[i].bytes) {
            nearest = i;
        }
    }
    (void)snprintf(r->message, IR_MESSAGE_MAX, "%s of %u x %u bytes %s: byte %lld of operand %u, which has %zu",
                   is_load(o) ? "a load" : "a store", o->type.lanes, o->type.bytes, what,
                   (long long)(address - r->region[nearest].base), nearest, r->region[nearest].bytes);
    return false;
}

/* Loads or stores the bytes `value` in a frame; `pointer` is there, too. */
static bool access_bytes(run *r, const op *o, bool store, const unsigned char *pointer, size_t offset,
                         unsigned char *value, size_t bytes)
{
    unsigned char *address;
    memcpy(&address, pointer, sizeof address);
    address += offset;
    for (unsigned i = 0; i < r->regions; i++) {
        const ir_operand *region = &r->region[i];
        if (address >= region->base && address + bytes <= region->base + region->bytes) {
            if (store && !region->writable) {
                return refuse(r, "to an input", o, address);
            }
            store ? memcpy(address, value, bytes) : memcpy(value, address, bytes);
            return true;
        }
    }
    return refuse(r, "outside of every operand", o, address);
}

static bool access_memory(run *r, const op *o, unsigned char *frame)
{
    const unsigned char *address;
    const bool store = o->code == LLVMStore;
    const unsigned pointer = o->from[store ? 1 : 0];
    memcpy(&address, frame + pointer, sizeof address);
    if ((uintptr_t)address % o->detail != 0) {
        return refuse(r, "at an address that is not aligned", o, address);
    }
    return access_bytes(r, o, store, frame + pointer, 0, frame + (store ? o->from[0] : o->to),
                        (size_t)o->type.lanes * o->type.bytes);
}

/* The operand that is the mask: of a load with other lanes the one before these, of a store behind the address. */
static unsigned mask_of(const op *o)
{
    return o->from[o->detail == INTRINSIC_LOAD_OR ? o->args - 2 : o->detail == INTRINSIC_STORE ? 2 : 1];
}

/* The lanes of a vector that a mask says. */
static bool access_lanes(run *r, const op *o, unsigned char *frame)
{
    const bool store = o->detail == INTRINSIC_STORE;
    const unsigned bytes = o->type.bytes, pointer = o->from[store ? 1 : 0], mask = mask_of(o);
    for (unsigned i = 0; i < o->type.lanes; i++) {
        const unsigned value = (store ? o->from[0] : o->to) + i * bytes;
        if (frame[mask + i] != 0 && !access_bytes(r, o, store, frame + pointer, i * bytes, frame + value, bytes)) {
            return false;
        }
        if (frame[mask + i] == 0 && o->detail == INTRINSIC_LOAD_OR) {
            memcpy(frame + value, frame + o->from[o->args - 1] + i * bytes, bytes);
        }
    }
    return true;
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
    if (o->callee == NULL && o->detail > INTRINSIC_NOTHING) {
        return access_lanes(r, o, frame);
    }
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
