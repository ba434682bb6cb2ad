/* Features of processors as bits of a word: what a level needs, what a host has. */
#pragma once

#include <stdint.h>

enum {
#define AIC_FEATURE(bit, NAME, name) AIC_CPU_##NAME = 1u << (bit),
#include "codegen/target/feature.def"
#undef AIC_FEATURE
};

/* All that AMX kernels use; the kernel saves the state of all three by one permission. */
#define AIC_CPU_AMX (AIC_CPU_TILES | AIC_CPU_TILES_INT8 | AIC_CPU_TILES_BF16)

/* The features whose instructions an emulator executes. The library has no definition: an emulator that is loaded into
 * the process, or linked with it, brings one (tests/emulate). It is called once. */
uint32_t aic_emulated_features(void);
