#include "codegen/relocation.h"

#include <elf.h>
#include <string.h>

#define ROW(machine, name, kind, shift) {machine, name, #name, AIC_RELOCATION_##kind, shift}
static const aic_relocation RELOCATIONS[] = {
    ROW(EM_X86_64, R_X86_64_PC32, REL32, 0),
    ROW(EM_X86_64, R_X86_64_PLT32, REL32, 0), /* of a function in the image: no table is needed */
    ROW(EM_X86_64, R_X86_64_PC64, REL64, 0),
    ROW(EM_X86_64, R_X86_64_32, NUMBER, 0),
    ROW(EM_X86_64, R_X86_64_32S, NUMBER_S, 0),
    ROW(EM_X86_64, R_X86_64_64, REFUSED, 0),
    ROW(EM_X86_64, R_X86_64_GOTPCREL, REFUSED, 0),
    ROW(EM_X86_64, R_X86_64_GOTPCRELX, REFUSED, 0),
    ROW(EM_X86_64, R_X86_64_REX_GOTPCRELX, REFUSED, 0),
    ROW(EM_X86_64, R_X86_64_GOTOFF64, REFUSED, 0),
    ROW(EM_X86_64, R_X86_64_TLSGD, REFUSED, 0),
    ROW(EM_X86_64, R_X86_64_GOTTPOFF, REFUSED, 0),
    ROW(EM_X86_64, R_X86_64_TPOFF32, REFUSED, 0),
    ROW(EM_AARCH64, R_AARCH64_PREL32, REL32, 0),
    ROW(EM_AARCH64, R_AARCH64_PREL64, REL64, 0),
    ROW(EM_AARCH64, R_AARCH64_CALL26, BRANCH26, 0),
    ROW(EM_AARCH64, R_AARCH64_JUMP26, BRANCH26, 0),
    ROW(EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, PAGE21, 0),
    ROW(EM_AARCH64, R_AARCH64_ADD_ABS_LO12_NC, LOW12, 0),
    ROW(EM_AARCH64, R_AARCH64_LDST8_ABS_LO12_NC, LOW12, 0),
    ROW(EM_AARCH64, R_AARCH64_LDST16_ABS_LO12_NC, LOW12, 1),
    ROW(EM_AARCH64, R_AARCH64_LDST32_ABS_LO12_NC, LOW12, 2),
    ROW(EM_AARCH64, R_AARCH64_LDST64_ABS_LO12_NC, LOW12, 3),
    ROW(EM_AARCH64, R_AARCH64_LDST128_ABS_LO12_NC, LOW12, 4),
    ROW(EM_AARCH64, R_AARCH64_ABS64, REFUSED, 0),
    ROW(EM_AARCH64, R_AARCH64_ABS32, REFUSED, 0),
    ROW(EM_AARCH64, R_AARCH64_ADR_GOT_PAGE, REFUSED, 0),
    ROW(EM_AARCH64, R_AARCH64_LD64_GOT_LO12_NC, REFUSED, 0),
    ROW(EM_AARCH64, R_AARCH64_MOVW_UABS_G0, REFUSED, 0),
};
#undef ROW

const aic_relocation *aic_relocation_find(unsigned machine, unsigned type)
{
    for (size_t i = 0; i < sizeof RELOCATIONS / sizeof RELOCATIONS[0]; i++) {
        if (RELOCATIONS[i].machine == machine && RELOCATIONS[i].type == type) {
            return &RELOCATIONS[i];
        }
    }
    return NULL;
}

size_t aic_relocation_width(const aic_relocation *row)
{
    return row->kind == AIC_RELOCATION_REL64 ? 8 : 4;
}

static bool fits(int64_t value, unsigned bits)
{
    const int64_t limit = (int64_t)1 << (bits - 1);
    return value >= -limit && value < limit;
}

/* Puts `bits`, which lie in `mask`, into the instruction at `at`. */
static void put_bits(unsigned char *at, uint32_t mask, uint32_t bits)
{
    uint32_t instruction;
    memcpy(&instruction, at, sizeof instruction);
    instruction = (instruction & ~mask) | (bits & mask);
    memcpy(at, &instruction, sizeof instruction);
}

static void put_word(unsigned char *at, uint64_t value)
{
    const uint32_t narrow = (uint32_t)value;
    memcpy(at, &narrow, sizeof narrow);
}

bool aic_relocation_apply(const aic_relocation *row, unsigned char *bytes, uint64_t from, uint64_t target)
{
    unsigned char *at = bytes + from;
    const int64_t distance = (int64_t)(target - from);
    switch (row->kind) {
    case AIC_RELOCATION_NUMBER:
        put_word(at, target);
        return target <= UINT32_MAX;
    case AIC_RELOCATION_NUMBER_S:
        put_word(at, target);
        return fits((int64_t)target, 32);
    case AIC_RELOCATION_REL32:
        put_word(at, (uint64_t)distance);
        return fits(distance, 32);
    case AIC_RELOCATION_REL64:
        memcpy(at, &distance, sizeof distance);
        return true;
    case AIC_RELOCATION_BRANCH26:
        put_bits(at, 0x03FFFFFF, (uint32_t)((uint64_t)distance >> 2));
        return distance % 4 == 0 && fits(distance, 28);
    case AIC_RELOCATION_PAGE21: {
        const int64_t pages = ((int64_t)target >> 12) - ((int64_t)from >> 12);
        const uint32_t bits = (uint32_t)pages;
        put_bits(at, 0x60FFFFE0, (bits & 3) << 29 | (bits >> 2 & 0x7FFFF) << 5);
        return fits(pages, 21);
    }
    case AIC_RELOCATION_LOW12: {
        const uint32_t offset = (uint32_t)target % AIC_RELOCATION_PAGE;
        put_bits(at, 0x003FFC00, offset >> row->shift << 10);
        return offset % (1u << row->shift) == 0;
    }
    case AIC_RELOCATION_REFUSED:
        break;
    }
    return false;
}
