/* PTO tiles (data layouts, section 8): which storage element holds element (r, c), and the static rules of a tile. */
#ifndef AIC_TILE_H
#define AIC_TILE_H

#include <aic/spec.h>

typedef struct aic_tile {
    int64_t rows, cols;
    int64_t inner_rows, inner_cols; /* of a box; 1 without boxes */
    aic_blayout blayout;
    aic_slayout slayout;
} aic_tile;

/* Of a descriptor whose dtype and layouts are legal. */
aic_tile aic_tile_of(const aic_texpands_desc *desc);

int64_t aic_tile_index(const aic_tile *tile, int64_t row, int64_t col);

/* The static rules of slayout, fractal, and how they divide rows and cols; the fields before them are legal. `op` opens
 * the message. */
aic_status aic_tile_check(const char *op, const aic_texpands_desc *desc);

/* Bytes of the memory that tiles of this location lie in, the unified buffer or L1: those that the semantics name, else
 * those of the architecture. loc is vec or mat. */
int64_t aic_tile_capacity(const aic_semantics *semantics, aic_chip arch, aic_loc loc);

/* Addresses in it are multiples of this. */
#define AIC_TILE_ALIGNMENT 32

#endif
