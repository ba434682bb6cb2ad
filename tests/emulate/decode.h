/* Instructions of AMX and AVX-VNNI from their bytes: VEX encodings, with every form of address that they have. */
#pragma once

#include <stdint.h>

/* By mnemonic: AMX_LDTILECFG, ... */
typedef enum amx_kind {
#define AMX_INSTRUCTION(KIND, mnemonic, prefix, opcode, form) AMX_##KIND,
#include "tests/emulate/instructions.def"
#undef AMX_INSTRUCTION
    AMX_KINDS,
    AMX_NONE = AMX_KINDS
} amx_kind;

extern const char *const amx_mnemonics[AMX_KINDS];

/* In place of the number of a vector register. */
enum { AMX_IN_MEMORY = 16 };

typedef struct amx_instruction {
    amx_kind kind;
    unsigned length;  /* bytes */
    unsigned tile[3]; /* destination or source of memory; the factors. Vectors: by number, 16 is memory at `address` */
    unsigned bytes;   /* of a vector: 16 or 32 */
    uint64_t address; /* of a configuration, or of a tile's first row */
    uint64_t stride;  /* of a tile's rows */
} amx_instruction;

/* Where an address comes from besides the instruction. */
typedef struct amx_registers {
    uint64_t general[16];                 /* by number: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15 */
    uint64_t (*segment)(unsigned prefix); /* the base of FS (prefix 0x64) or GS (0x65) */
} amx_registers;

/* Decodes what stands at `code`, which is also its address. kind is AMX_NONE where it is none of these instructions or
 * a form that raises #UD by its bytes alone; the rest is then unspecified. The prefix for addresses of 32 bits (0x67)
 * is taken for such a form, which no compiler makes. */
amx_instruction amx_decode(const uint8_t *code, const amx_registers *registers);
