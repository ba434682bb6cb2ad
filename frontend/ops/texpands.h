/* What the parts of texpands share: what a descriptor fills, its reference, its pseudo-random descriptors. */
#pragma once

#include "frontend/core/op.h"

/* A ConvTile, not a Tile. */
bool aic_texpands_is_conv(const aic_texpands_desc *desc);

/* Whether only part of the tile may be filled, and whether the call says which part. */
bool aic_texpands_has_region(const aic_texpands_desc *desc);
bool aic_texpands_is_dynamic(const aic_texpands_desc *desc);

/* Of a valid descriptor with everything filled in: elements of the storage, and of those that are filled from its start
 * where there is no region. */
int64_t aic_texpands_storage(const aic_texpands_desc *desc);
int64_t aic_texpands_filled(const aic_texpands_desc *desc);

/* Forgets where a tile is placed and its padding, which no kernel depends on; a legal descriptor stays legal. */
void aic_texpands_unplace(aic_texpands_desc *desc);

void aic_texpands_fill_in(void *desc);
void aic_texpands_canonicalise(void *desc, const aic_semantics *semantics);
void aic_texpands_random(uint64_t *state, const aic_semantics *semantics, void *desc);

/* The types that tiles may have, in the order of the document's table; returns how many. arch and loc are legal. */
size_t aic_texpands_dtypes(aic_chip arch, aic_loc loc, aic_dtype dtypes[10]);

/* The layouts that ConvTiles of an architecture may have, in the order of the document's table; returns how many. A5
 * has all that there are. */
enum { AIC_TEXPANDS_LAYOUTS = 4 };
size_t aic_texpands_layouts(aic_chip arch, aic_layout layouts[AIC_TEXPANDS_LAYOUTS]);
