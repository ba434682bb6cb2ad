/* Where Linux keeps the tile configuration and the vectors of an interrupted program. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The 64 bytes of TILECFG in the register state of a signal frame (uc_mcontext.fpregs), at `offset` of it, which CPUID
 * tells (leaf 0xd, component 17). NULL where the frame has none: tiles were not configured. */
const uint8_t *frame_tile_config(const void *fpregs, uint32_t offset);

/* Whether the frame has room for vectors of 32 bytes. */
bool frame_has_vectors(const void *fpregs);
