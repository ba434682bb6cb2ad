/* The registers of AMX and its instructions on them, in plain C: palette 1, which has eight tiles of up to 16 rows of
 * 64 bytes. After Intel's Software Developer's Manual: the chapter on AMX of volume 1, the operations of
 * volume 2. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { TILES = 8, TILE_ROWS = 16, TILE_ROW_BYTES = 64, TILE_CONFIG_BYTES = 64 };

typedef struct tile_state {
    uint8_t palette;                                  /* 0: not configured, 1 */
    uint8_t start_row;                                /* where a load or store begins */
    uint8_t rows[TILES];                              /* 0: the tile is not used */
    uint16_t colsb[TILES];                            /* bytes of a row */
    int16_t planes[TILE_ROWS][4][TILE_ROW_BYTES / 4]; /* scratch of a multiplication: signal stacks are small */
    _Alignas(64) uint8_t tile[TILES][TILE_ROWS][TILE_ROW_BYTES];
} tile_state;

/* What an instruction came to: done, or the exception that it raises. */
typedef enum tile_exception {
    TILE_DONE,
    TILE_UNDEFINED, /* #UD, which Linux reports as SIGILL */
    TILE_PROTECTION /* #GP, which Linux reports as SIGSEGV */
} tile_exception;

typedef struct tile_result {
    tile_exception exception;
    const char *reason; /* of an exception, static */
    int tile;           /* that it is about; -1: none */
} tile_result;

/* LDTILECFG of 64 bytes at `config`. A configuration that is refused leaves the state as it was. */
tile_result tile_configure(tile_state *state, const uint8_t *config);

/* STTILECFG: 64 bytes to `config`, all zero where nothing is configured. */
void tile_describe(const tile_state *state, uint8_t *config);

/* TILERELEASE. */
void tile_release(tile_state *state);

tile_result tile_zero(tile_state *state, unsigned tile);

/* Rows are `stride` bytes apart. After a page fault in between the same call goes on, or nobody sees the state again.
 */
tile_result tile_load(tile_state *state, unsigned tile, uint64_t base, uint64_t stride);
tile_result tile_store(tile_state *state, unsigned tile, uint64_t base, uint64_t stride);

/* C += A B, where each 32-bit element of A and B holds four integers of 8 bits; sums wrap around. */
tile_result tile_multiply_bytes(tile_state *state, unsigned c, unsigned a, unsigned b, bool a_signed, bool b_signed);

/* C += A B, where each 32-bit element of A and B holds two bfloat16. The processor must have AVX2 and FMA. */
tile_result tile_multiply_bf16(tile_state *state, unsigned c, unsigned a, unsigned b);
