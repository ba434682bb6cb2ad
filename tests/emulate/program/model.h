/* What the instructions should do, computed another way: tiles as matrices of numbers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { ROWS = 16, ROW_BYTES = 64, TILES = 8 };

/* A configuration as LDTILECFG reads it. */
typedef struct tile_config {
    uint8_t palette, start_row, reserved[14];
    uint16_t colsb[TILES], reserved_colsb[8];
    uint8_t rows[TILES], reserved_rows[8];
} tile_config;

/* c += a b: c has m rows of n 32-bit elements, a m rows of k, b k rows of n; all with rows of 64 bytes. */
void model_bytes(uint8_t *c, const uint8_t *a, const uint8_t *b, int m, int n, int k, bool a_signed, bool b_signed);
void model_bf16(uint8_t *c, const uint8_t *a, const uint8_t *b, int m, int n, int k);

/* a b + c and a + b as float32 to nearest even, where operands and results below the least normal number are zeros. */
float model_fma(float a, float b, float c);
