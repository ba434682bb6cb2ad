/* Targets: what differs between instruction sets. A row of targets.def each; operators see only this table. */
#pragma once

#include "codegen/target/feature.h"

#include <aic/types.h>

typedef enum aic_arch { AIC_ARCH_X86_64, AIC_ARCH_AARCH64 } aic_arch;

typedef struct aic_target {
    const char *name; /* the ISA level's name */
    aic_arch arch;
    uint32_t needs;       /* AIC_CPU_...: a host that has all of them runs the level's code */
    const char *features; /* LLVM's -mattr string, all of them, independent of the host */
    int vector_bits;      /* width of the vectors the emitter uses */
    int vector_registers; /* architectural vector registers */
    uint32_t has;         /* AIC_HAS_... */
} aic_target;

enum {
    AIC_HAS_FMA = 1u << 0,         /* fused multiply-add in float32 and float64 */
    AIC_HAS_HALF = 1u << 1,        /* conversion of half to float */
    AIC_HAS_BROADCAST = 1u << 2,   /* multiplications that broadcast their memory operand */
    AIC_HAS_TILES = 1u << 3,       /* tile registers of up to 16 rows of 64 bytes: configured, loaded, stored */
    AIC_HAS_TILES_INT8 = 1u << 4,  /* products of tiles of 8-bit integers, signed or not, added to tiles of int32 */
    AIC_HAS_TILES_BF16 = 1u << 5,  /* products of tiles of bfloat16, added to tiles of float32 */
    AIC_HAS_MATRIX_INT8 = 1u << 6, /* products of 2x8 by 8x2 signed bytes in vector registers, added to 2x2 int32 */
    AIC_HAS_PERMUTE = 1u << 7,     /* the bytes of 16 in any order, in one instruction */
    AIC_HAS_MASKS = 1u << 8,       /* loads and stores of the lanes that a register says, as cheap as those of all */
};

/* Vectors are no wider on any level; arrays of lanes, registers and bytes are made for it. */
#define AIC_VECTOR_BITS_MAX 512

static inline bool aic_has_masks(const aic_target *target)
{
    return (target->has & AIC_HAS_MASKS) != 0;
}

/* The CPU name LLVM gets: the architecture's baseline, so that objects do not depend on the host. */
const char *aic_target_cpu(const aic_target *target);

/* The triple generated for when the caller names none. */
const char *aic_target_triple(aic_arch arch);

/* Levels of an architecture in ascending order; NULL past the last. */
const aic_target *aic_target_at(aic_arch arch, size_t index);

/* The level with this name on `arch`, or NULL. */
const aic_target *aic_target_find(aic_arch arch, const char *name);

/* Architecture of a triple of 64-bit Linux, ARCH[-VENDOR]-linux[-gnu|-musl|-android]; AIC_INVALID_ARGUMENT for any
 * other: LLVM knows many, for some of which it ends the process. */
aic_status aic_target_arch(const char *triple, aic_arch *arch);
