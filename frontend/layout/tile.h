/* PTO tiles (data layouts): which storage element holds element (r, c), and the static rules of a tile. */
#pragma once

#include "frontend/core/rule.h"
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

/* The numbers of the rules of tiles in the list of an operator. */
typedef struct aic_tile_rules {
    int slayout, fractal, line, box;
} aic_tile_rules;

/* The rules of slayout and fractal; where `sized` says that type, sizes and blayout are legal, those of rows and cols
 * that follow from them. */
void aic_tile_check(aic_verdict *verdict, const aic_tile_rules *rules, const aic_texpands_desc *desc, bool sized);

/* Bytes of the memory that tiles of this location lie in, the unified buffer or L1: those that the semantics name, else
 * those of the architecture. loc is vec or mat. */
int64_t aic_tile_capacity(const aic_semantics *semantics, aic_chip arch, aic_loc loc);

/* Addresses in it are multiples of this. */
#define AIC_TILE_ALIGNMENT 32
