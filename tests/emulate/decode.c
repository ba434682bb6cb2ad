/* The decoder. Bytes are read one by one and no further than the instruction goes: the page after it may not be there.
 */
#include "tests/emulate/decode.h"

#include <stdbool.h>
#include <stddef.h>

/* What follows the opcode. */
typedef enum form {
    CONFIG,  /* address of a configuration; ModRM.reg is 0 */
    NOTHING, /* ModRM is 0xc0 */
    TILE,    /* a tile in ModRM.reg; ModRM.rm is 0 */
    MEMORY,  /* a tile in ModRM.reg; address with a SIB byte, whose index is the stride */
    PRODUCT, /* three tiles: ModRM.reg, ModRM.rm, VEX.vvvv */
    VECTORS, /* three vectors: ModRM.reg, VEX.vvvv, ModRM.rm, which may be memory */
} form;

const char *const amx_mnemonics[AMX_KINDS] = {
#define AMX_INSTRUCTION(KIND, mnemonic, prefix, opcode, form) mnemonic,
#include "tests/emulate/instructions.def"
#undef AMX_INSTRUCTION
};

static const struct row {
    uint8_t prefix, opcode, form;
} ROWS[AMX_KINDS] = {
#define AMX_INSTRUCTION(KIND, mnemonic, prefix, opcode, form) {prefix, opcode, form},
#include "tests/emulate/instructions.def"
#undef AMX_INSTRUCTION
};

/* The fields of an instruction before its address. */
typedef struct fields {
    const uint8_t *code;
    unsigned at;            /* bytes read */
    unsigned segment;       /* prefix 0x64 or 0x65; 0: none */
    unsigned r, x, b, vvvv; /* of VEX, not inverted */
    unsigned w, l, prefix;
    unsigned mod, reg, rm; /* of ModRM, not extended */
} fields;

static unsigned next(fields *f)
{
    return f->code[f->at++];
}

static int64_t next_signed(fields *f, unsigned bytes)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes; i++) {
        value |= (uint32_t)next(f) << (8 * i);
    }
    return bytes == 1 ? (int8_t)value : (int32_t)value;
}

/* Segments other than FS and GS begin at 0. No instruction is longer than 15 bytes: of more prefixes none is left. */
static unsigned skip_prefixes(fields *f)
{
    for (;;) {
        const unsigned byte = f->at < 15 ? next(f) : 0;
        switch (byte) {
        case 0x64:
        case 0x65:
            f->segment = byte;
            break;
        case 0x26:
        case 0x2e:
        case 0x36:
        case 0x3e:
            break;
        default:
            return byte;
        }
    }
}

/* Reads up to ModRM; false where that is no VEX encoding of the map 0F38. */
static bool read_fields(fields *f, unsigned *opcode)
{
    enum { VEX3 = 0xc4, MAP_0F38 = 2 };
    if (skip_prefixes(f) != VEX3) {
        return false;
    }
    const unsigned first = next(f);
    if ((first & 0x1f) != MAP_0F38) {
        return false;
    }
    const unsigned second = next(f);
    f->r = ~first >> 7 & 1, f->x = ~first >> 6 & 1, f->b = ~first >> 5 & 1;
    f->w = second >> 7, f->vvvv = ~second >> 3 & 15, f->l = second >> 2 & 1, f->prefix = second & 3;
    *opcode = next(f);
    const bool is_dot = *opcode == 0x50 || *opcode == 0x52;
    if (!is_dot && *opcode != 0x49 && *opcode != 0x4b && *opcode != 0x5c && *opcode != 0x5e) {
        return false;
    }
    const unsigned modrm = next(f);
    f->mod = modrm >> 6, f->reg = modrm >> 3 & 7, f->rm = modrm & 7;
    return f->w == 0 && (is_dot || f->l == 0);
}

static bool fits(form wanted, const fields *f)
{
    const bool memory = f->mod != 3, no_vvvv = f->vvvv == 0;
    switch (wanted) {
    case CONFIG:
        return memory && no_vvvv && f->reg == 0 && f->r == 0;
    case NOTHING:
        return !memory && no_vvvv && f->reg == 0 && f->rm == 0 && f->r == 0 && f->b == 0;
    case TILE:
        return !memory && no_vvvv && f->rm == 0 && f->r == 0 && f->b == 0;
    case MEMORY:
        return memory && no_vvvv && f->rm == 4 && f->r == 0;
    case VECTORS:
        return true;
    case PRODUCT:
        break;
    }
    return !memory && f->vvvv < 8 && f->r == 0 && f->b == 0;
}

/* Reads SIB and displacement. The index is added for a configuration and kept apart for a tile. */
static void read_address(fields *f, const amx_registers *registers, bool is_tile, amx_instruction *made)
{
    uint64_t base = 0, index = 0;
    unsigned displacement = f->mod == 1 ? 1 : f->mod == 2 ? 4 : 0;
    bool relative = false;
    if (f->rm == 4) {
        const unsigned sib = next(f), index_number = (sib >> 3 & 7) | f->x << 3, base_number = sib & 7;
        index = index_number != 4 ? registers->general[index_number] << (sib >> 6) : 0;
        if (base_number == 5 && f->mod == 0) {
            displacement = 4;
        } else {
            base = registers->general[base_number | f->b << 3];
        }
    } else if (f->rm == 5 && f->mod == 0) {
        displacement = 4;
        relative = true;
    } else {
        base = registers->general[f->rm | f->b << 3];
    }
    base += displacement != 0 ? (uint64_t)next_signed(f, displacement) : 0;
    base += relative ? (uint64_t)(uintptr_t)f->code + f->at : 0;
    base += f->segment != 0 ? registers->segment(f->segment) : 0;
    made->address = is_tile ? base : base + index;
    made->stride = is_tile ? index : 0;
}

amx_instruction amx_decode(const uint8_t *code, const amx_registers *registers)
{
    amx_instruction made = {.kind = AMX_NONE};
    fields f = {.code = code};
    unsigned opcode;
    if (!read_fields(&f, &opcode)) {
        return made;
    }
    for (unsigned kind = 0; kind < AMX_KINDS; kind++) {
        const struct row *row = &ROWS[kind];
        if (row->opcode == opcode && row->prefix == f.prefix && fits((form)row->form, &f)) {
            made.kind = (amx_kind)kind;
        }
    }
    if (made.kind == AMX_NONE) {
        return made;
    }
    made.tile[0] = f.reg, made.tile[1] = f.rm, made.tile[2] = f.vvvv;
    if (ROWS[made.kind].form == VECTORS) {
        made.tile[0] = f.reg | f.r << 3, made.tile[1] = f.vvvv;
        made.tile[2] = f.mod == 3 ? f.rm | f.b << 3 : AMX_IN_MEMORY;
        made.bytes = f.l != 0 ? 32 : 16;
    }
    if (f.mod != 3) {
        read_address(&f, registers, ROWS[made.kind].form == MEMORY, &made);
    }
    made.length = f.at;
    return made;
}
