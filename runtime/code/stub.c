/* Stubs; see stub.h. A stub that fills registers alone jumps to its target; one that has parameters for the stack
 * calls it. */
#include "runtime/code/stub.h"

#include <string.h>

/* Code as far as it is written. */
typedef struct writer {
    unsigned char *code;
    size_t size;
} writer;

static void put(writer *w, const void *bytes, size_t size)
{
    memcpy(w->code + w->size, bytes, size);
    w->size += size;
}

#if defined(__x86_64__)

/* ---- x86-64, System V: rdi, rsi, rdx, rcx, r8, r9, then the stack ---- */

enum { REGISTERS = 6, RAX = 0, RSP = 4, RSI = 6, RDI = 7, R10 = 10, R11 = 11 };

static const int registers[REGISTERS] = {RDI, RSI, 2, 1, 8, 9};

/* An instruction with REX.W, an operand `reg` and one `rm` by mode: 3, a register; 2, memory at it and an offset. */
static void put_modrm(writer *w, int opcode, int mode, int reg, int rm)
{
    const unsigned char bytes[] = {(unsigned char)(0x48 | reg >> 3 << 2 | rm >> 3), (unsigned char)opcode,
                                   (unsigned char)(mode << 6 | (reg & 7) << 3 | (rm & 7))};
    put(w, bytes, sizeof bytes);
}

static void put_offset(writer *w, size_t offset)
{
    const uint32_t value = (uint32_t)offset;
    put(w, &value, sizeof value);
}

static void move(writer *w, int to, int from)
{
    put_modrm(w, 0x89, 3, from, to);
}

static void load(writer *w, int to, int base, size_t offset)
{
    put_modrm(w, 0x8B, 2, to, base);
    put_offset(w, offset);
}

static void store_on_stack(writer *w, int from, size_t offset)
{
    static const unsigned char NO_INDEX = 0x24;
    put_modrm(w, 0x89, 2, from, RSP);
    put(w, &NO_INDEX, 1);
    put_offset(w, offset);
}

static void set(writer *w, int to, uintptr_t value)
{
    const unsigned char bytes[] = {(unsigned char)(0x48 | to >> 3), (unsigned char)(0xB8 | (to & 7))};
    put(w, bytes, sizeof bytes);
    put(w, &value, sizeof value);
}

enum { TABLE = RAX, WORKSPACE = R10, OTHER = R11 };

/* Begins with the landing pad of indirect branches. */
static void begin(writer *w)
{
    put(w, "\xF3\x0F\x1E\xFA", 4);
}

static void take_arguments(writer *w)
{
    move(w, TABLE, RDI);
    move(w, WORKSPACE, RSI);
}

static void jump(writer *w, uintptr_t target)
{
    set(w, OTHER, target);
    put(w, "\x41\xFF\xE3", 3);
}

/* Room for so many parameters; with the return address it is a multiple of 16 bytes. */
static size_t room(size_t parameters)
{
    return (parameters | 1) * sizeof(void *);
}

static void open_frame(writer *w, size_t parameters)
{
    put(w, "\x48\x81\xEC", 3);
    put_offset(w, room(parameters));
}

static void call_and_return(writer *w, uintptr_t target, size_t parameters)
{
    set(w, OTHER, target);
    put(w, "\x41\xFF\xD3\x48\x81\xC4", 6);
    put_offset(w, room(parameters));
    put(w, "\xC3", 1);
}

#elif defined(__aarch64__)

/* ---- AArch64: x0 .. x7, then the stack ---- */

enum { REGISTERS = 8, SP = 31, TABLE = 9, WORKSPACE = 10, OTHER = 11, TARGET = 16 };

static const int registers[REGISTERS] = {0, 1, 2, 3, 4, 5, 6, 7};

static void put_word(writer *w, uint32_t instruction)
{
    put(w, &instruction, sizeof instruction);
}

static void move(writer *w, int to, int from)
{
    put_word(w, 0xAA0003E0U | (uint32_t)from << 16 | (uint32_t)to);
}

/* Offsets are scaled by 8. */
static void load(writer *w, int to, int base, size_t offset)
{
    put_word(w, 0xF9400000U | (uint32_t)(offset / sizeof(void *)) << 10 | (uint32_t)base << 5 | (uint32_t)to);
}

static void store_on_stack(writer *w, int from, size_t offset)
{
    put_word(w, 0xF9000000U | (uint32_t)(offset / sizeof(void *)) << 10 | (uint32_t)SP << 5 | (uint32_t)from);
}

/* Four pieces of 16 bits: movz, then movk. */
static void set(writer *w, int to, uintptr_t value)
{
    for (uint32_t piece = 0; piece < 4; piece++) {
        const uint32_t bits = (uint32_t)(value >> (16 * piece)) & 0xFFFFU;
        put_word(w, (piece == 0 ? 0xD2800000U : 0xF2800000U) | piece << 21 | bits << 5 | (uint32_t)to);
    }
}

/* Begins with the landing pad of indirect branches. */
static void begin(writer *w)
{
    put_word(w, 0xD503245FU);
}

static void take_arguments(writer *w)
{
    move(w, TABLE, 0);
    move(w, WORKSPACE, 1);
}

static void jump(writer *w, uintptr_t target)
{
    set(w, TARGET, target);
    put_word(w, 0xD61F0200U);
}

/* Room for so many parameters, a multiple of 16 bytes. */
static uint32_t room(size_t parameters)
{
    return (uint32_t)((parameters + 1) / 2 * 16);
}

/* Saves the frame pointer and the return address, then makes room. */
static void open_frame(writer *w, size_t parameters)
{
    put_word(w, 0xA9BF7BFDU);
    put_word(w, 0x910003FDU);
    put_word(w, 0xD10003FFU | room(parameters) << 10);
}

static void call_and_return(writer *w, uintptr_t target, size_t parameters)
{
    set(w, TARGET, target);
    put_word(w, 0xD63F0200U);
    put_word(w, 0x910003FFU | room(parameters) << 10);
    put_word(w, 0xA8C17BFDU);
    put_word(w, 0xD65F03C0U);
}

#else
#error "stubs are written for x86-64 and AArch64"
#endif

/* ---- both ---- */

/* Gets parameter number `i` into a register, and returns which: this one, or the one where it is already. */
static int get(writer *w, const aic_stub *stub, size_t i, int to)
{
    if (i == stub->count) {
        return WORKSPACE;
    }
    if (stub->fixed[i] != NULL) {
        set(w, to, (uintptr_t)stub->fixed[i]);
    } else {
        load(w, to, TABLE, i * sizeof(void *));
    }
    return to;
}

static void write_table(writer *w, const aic_stub *stub)
{
    const size_t parameters = stub->count + 1;
    const size_t on_stack = parameters > REGISTERS ? parameters - REGISTERS : 0;
    take_arguments(w);
    if (on_stack > 0) {
        open_frame(w, on_stack);
    }
    for (size_t i = 0; i < on_stack; i++) {
        store_on_stack(w, get(w, stub, REGISTERS + i, OTHER), i * sizeof(void *));
    }
    for (size_t i = 0; i < parameters && i < REGISTERS; i++) {
        const int from = get(w, stub, i, registers[i]);
        if (from != registers[i]) {
            move(w, registers[i], from);
        }
    }
    if (on_stack > 0) {
        call_and_return(w, stub->target, on_stack);
    } else {
        jump(w, stub->target);
    }
}

static void write_direct(writer *w, const aic_stub *stub)
{
    for (size_t i = 0; i < stub->count && i < AIC_STUB_FIXED_MAX; i++) {
        if (stub->fixed[i] != NULL) {
            set(w, registers[i], (uintptr_t)stub->fixed[i]);
        }
    }
    jump(w, stub->target);
}

size_t aic_stub_write(const aic_stub *stub, unsigned char code[AIC_STUB_BYTES_MAX])
{
    writer w = {.code = code};
    begin(&w);
    if (stub->table) {
        write_table(&w, stub);
    } else {
        write_direct(&w, stub);
    }
    return w.size;
}
