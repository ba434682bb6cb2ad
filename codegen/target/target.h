/* Targets: what differs between instruction sets. A row of targets.def each; operators see only this table. */
#ifndef AIC_TARGET_H
#define AIC_TARGET_H

#include <aic/types.h>

typedef enum aic_arch { AIC_ARCH_X86_64, AIC_ARCH_AARCH64 } aic_arch;

struct aic_family;

typedef struct aic_target {
    const char *name; /* the ISA level's name */
    aic_arch arch;
    const char *features;            /* LLVM's -mattr string, all of them, independent of the host */
    int vector_bits;                 /* width of the vectors the emitter uses */
    int vector_registers;            /* architectural vector registers */
    uint32_t has;                    /* AIC_HAS_... */
    const struct aic_family *family; /* the instructions that have no portable IR form (family.h) */
} aic_target;

enum {
    AIC_HAS_FMA = 1u << 0,       /* fused multiply-add in float32 and float64 */
    AIC_HAS_HALF = 1u << 1,      /* conversion of half to float */
    AIC_HAS_BROADCAST = 1u << 2, /* multiplications that broadcast their memory operand */
};

/* Vectors are no wider on any level; arrays of lanes, registers and bytes are made for it. */
#define AIC_VECTOR_BITS_MAX 512

/* The CPU name LLVM gets: the architecture's baseline, so that objects do not depend on the host. */
const char *aic_target_cpu(const aic_target *target);

/* The triple generated for when the caller names none. */
const char *aic_target_triple(aic_arch arch);

/* Levels of an architecture in ascending order; NULL past the last. */
const aic_target *aic_target_at(aic_arch arch, size_t index);

/* The level with this name on `arch`, or NULL. */
const aic_target *aic_target_find(aic_arch arch, const char *name);

/* Architecture of a triple ("aarch64-linux-gnu"); AIC_INVALID_ARGUMENT for one without a generator. */
aic_status aic_target_arch(const char *triple, aic_arch *arch);

aic_arch aic_target_host_arch(void);

/* The best level this host runs, and whether it runs `target`. */
const aic_target *aic_target_host(void);
bool aic_target_host_runs(const aic_target *target);

#endif
