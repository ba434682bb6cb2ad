/* Tile state and what instructions do to it. The multiplications are loops over whole rows of 16 elements, which the
 * compiler vectorises; elements beyond the columns of a tile are computed, too, and thrown away. */
#include "tests/emulate/tiles.h"

#include <string.h>

enum { LANES = TILE_ROW_BYTES / 4 };

static const tile_result DONE = {TILE_DONE, NULL, -1};

static tile_result undefined(const char *reason, int tile)
{
    return (tile_result){TILE_UNDEFINED, reason, tile};
}

static tile_result refused(const char *reason, int tile)
{
    return (tile_result){TILE_PROTECTION, reason, tile};
}

/* ---- configuration ---- */

/* Offsets in the 64 bytes of a configuration. */
enum { PALETTE = 0, START_ROW = 1, RESERVED = 2, COLSB = 16, COLSB_END = 32, ROWS = 48, ROWS_END = 56 };

static bool is_zero(const uint8_t *bytes, int begin, int end)
{
    uint8_t any = 0;
    for (int i = begin; i < end; i++) {
        any |= bytes[i];
    }
    return any == 0;
}

static unsigned colsb_of(const uint8_t *config, int tile)
{
    return config[COLSB + 2 * tile] | (unsigned)config[COLSB + 2 * tile + 1] << 8;
}

static tile_result check_config(const uint8_t *config)
{
    if (config[PALETTE] > 1) {
        return refused("there is no palette above 1", -1);
    }
    if (config[PALETTE] == 0) {
        return DONE; /* the rest has no meaning */
    }
    if (!is_zero(config, RESERVED, COLSB) || !is_zero(config, COLSB_END, ROWS) ||
        !is_zero(config, ROWS_END, TILE_CONFIG_BYTES)) {
        return refused("reserved bytes are not zero", -1);
    }
    for (int tile = 0; tile < TILES; tile++) {
        const unsigned colsb = colsb_of(config, tile), rows = config[ROWS + tile];
        if (colsb > TILE_ROW_BYTES) {
            return refused("a row has more than 64 bytes", tile);
        }
        if (rows > TILE_ROWS) {
            return refused("there are more than 16 rows", tile);
        }
        if ((colsb == 0) != (rows == 0)) {
            return refused("there are rows of no bytes, or bytes in no row", tile);
        }
    }
    return DONE;
}

tile_result tile_configure(tile_state *state, const uint8_t *config)
{
    uint8_t copy[TILE_CONFIG_BYTES];
    memcpy(copy, config, sizeof copy);
    const tile_result result = check_config(copy);
    if (result.exception != TILE_DONE) {
        return result;
    }
    tile_release(state);
    if (copy[PALETTE] == 0) {
        return DONE;
    }
    state->palette = copy[PALETTE];
    state->start_row = copy[START_ROW];
    for (int tile = 0; tile < TILES; tile++) {
        state->colsb[tile] = (uint16_t)colsb_of(copy, tile);
        state->rows[tile] = copy[ROWS + tile];
    }
    return DONE;
}

void tile_describe(const tile_state *state, uint8_t *config)
{
    uint8_t made[TILE_CONFIG_BYTES] = {state->palette, state->start_row};
    for (int tile = 0; tile < TILES; tile++) {
        made[COLSB + 2 * tile] = (uint8_t)state->colsb[tile];
        made[COLSB + 2 * tile + 1] = (uint8_t)(state->colsb[tile] >> 8);
        made[ROWS + tile] = state->rows[tile];
    }
    memcpy(config, made, sizeof made);
}

void tile_release(tile_state *state)
{
    memset(state, 0, sizeof *state);
}

/* ---- rows ---- */

static tile_result check_tile(const tile_state *state, unsigned tile)
{
    if (state->palette == 0) {
        return undefined("no tiles are configured", -1);
    }
    if (tile >= TILES) {
        return undefined("there is no such tile", (int)tile);
    }
    if (state->rows[tile] == 0) {
        return undefined("the tile is not configured", (int)tile);
    }
    return DONE;
}

/* Of an instruction that takes the rows apart. */
static tile_result check_elements(const tile_state *state, unsigned tile)
{
    const tile_result result = check_tile(state, tile);
    if (result.exception == TILE_DONE && state->colsb[tile] % 4 != 0) {
        return undefined("the bytes of a row are no multiple of 4", (int)tile);
    }
    return result;
}

static tile_result check_memory(const tile_state *state, unsigned tile)
{
    const tile_result result = check_elements(state, tile);
    if (result.exception == TILE_DONE && state->start_row >= state->rows[tile]) {
        return undefined("start_row is not within the rows", (int)tile);
    }
    return result;
}

tile_result tile_zero(tile_state *state, unsigned tile)
{
    const tile_result result = check_tile(state, tile);
    if (result.exception == TILE_DONE) {
        memset(state->tile[tile], 0, sizeof state->tile[tile]);
        state->start_row = 0;
    }
    return result;
}

tile_result tile_load(tile_state *state, unsigned tile, uint64_t base, uint64_t stride)
{
    const tile_result result = check_memory(state, tile);
    if (result.exception != TILE_DONE) {
        return result;
    }
    const unsigned rows = state->rows[tile], bytes = state->colsb[tile];
    memset(state->tile[tile][state->start_row], 0, (size_t)(TILE_ROWS - state->start_row) * TILE_ROW_BYTES);
    for (unsigned row = state->start_row; row < rows; row++) {
        memcpy(state->tile[tile][row], (const void *)(uintptr_t)(base + row * stride), bytes);
    }
    state->start_row = 0;
    return result;
}

tile_result tile_store(tile_state *state, unsigned tile, uint64_t base, uint64_t stride)
{
    const tile_result result = check_memory(state, tile);
    if (result.exception != TILE_DONE) {
        return result;
    }
    const unsigned rows = state->rows[tile], bytes = state->colsb[tile];
    for (unsigned row = state->start_row; row < rows; row++) {
        memcpy((void *)(uintptr_t)(base + row * stride), state->tile[tile][row], bytes);
    }
    state->start_row = 0;
    return result;
}

/* ---- multiplications ---- */

/* C is m x n elements, A m x k, B k x n. */
static tile_result check_product(const tile_state *state, unsigned c, unsigned a, unsigned b)
{
    const unsigned tiles[] = {c, a, b};
    if (c == a || c == b || a == b) {
        return undefined("the three tiles of a product are not different ones", (int)c);
    }
    for (int i = 0; i < 3; i++) {
        const tile_result result = check_elements(state, tiles[i]);
        if (result.exception != TILE_DONE) {
            return result;
        }
    }
    if (state->colsb[c] != state->colsb[b]) {
        return undefined("the result has not as many columns as the second factor", (int)c);
    }
    if (state->rows[c] != state->rows[a]) {
        return undefined("the result has not as many rows as the first factor", (int)c);
    }
    if (state->colsb[a] / 4 != state->rows[b]) {
        return undefined("the first factor has not as many columns as the second has rows", (int)a);
    }
    return DONE;
}

/* Writes row m of C, of which only the columns that it has count, and zeros after them. */
static void write_row(tile_state *state, unsigned c, unsigned m, const void *elements)
{
    const unsigned bytes = state->colsb[c];
    memcpy(state->tile[c][m], elements, bytes);
    memset(state->tile[c][m] + bytes, 0, TILE_ROW_BYTES - bytes);
}

static void finish_product(tile_state *state, unsigned c)
{
    memset(state->tile[c][state->rows[c]], 0, (size_t)(TILE_ROWS - state->rows[c]) * TILE_ROW_BYTES);
    state->start_row = 0;
}

static int16_t widen(uint8_t byte, bool is_signed)
{
    return is_signed ? (int8_t)byte : byte;
}

#define VECTORS __attribute__((target("avx2,fma")))

VECTORS static void multiply_row(const tile_state *state, uint32_t sum[LANES], const uint8_t *a, unsigned depth,
                                 bool a_signed)
{
    for (unsigned k = 0; k < depth; k++) {
        for (unsigned i = 0; i < 4; i++) {
            const int32_t factor = widen(a[4 * k + i], a_signed);
            for (unsigned n = 0; n < LANES; n++) {
                sum[n] += (uint32_t)(factor * state->planes[k][i][n]);
            }
        }
    }
}

tile_result tile_multiply_bytes(tile_state *state, unsigned c, unsigned a, unsigned b, bool a_signed, bool b_signed)
{
    const tile_result result = check_product(state, c, a, b);
    if (result.exception != TILE_DONE) {
        return result;
    }
    const unsigned depth = state->rows[b];
    for (unsigned k = 0; k < depth; k++) {
        for (unsigned n = 0; n < LANES; n++) {
            for (unsigned i = 0; i < 4; i++) {
                state->planes[k][i][n] = widen(state->tile[b][k][4 * n + i], b_signed);
            }
        }
    }
    for (unsigned m = 0; m < state->rows[c]; m++) {
        uint32_t sum[LANES];
        memcpy(sum, state->tile[c][m], sizeof sum);
        multiply_row(state, sum, state->tile[a][m], depth, a_signed);
        write_row(state, c, m, sum);
    }
    finish_product(state, c);
    return result;
}

/* The first or the second bfloat16 of each element, as float32. */
static float wide_bf16(uint32_t element, unsigned half)
{
    const uint32_t bits = half == 0 ? element << 16 : element & 0xffff0000u;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Row m: the products of first halves and those of second halves are summed apart, with one rounding each, then added
 * up, and the sum is added to C. */
VECTORS __attribute__((noinline)) static void multiply_row_bf16(tile_state *state, unsigned c, unsigned a, unsigned b,
                                                                unsigned m)
{
    float even[LANES] = {0}, odd[LANES] = {0}, sum[LANES];
    for (unsigned k = 0; k < state->rows[b]; k++) {
        uint32_t left, right[LANES];
        memcpy(&left, &state->tile[a][m][4 * k], sizeof left);
        memcpy(right, state->tile[b][k], sizeof right);
        for (unsigned n = 0; n < LANES; n++) {
            even[n] = __builtin_fmaf(wide_bf16(left, 0), wide_bf16(right[n], 0), even[n]);
            odd[n] = __builtin_fmaf(wide_bf16(left, 1), wide_bf16(right[n], 1), odd[n]);
        }
    }
    memcpy(sum, state->tile[c][m], sizeof sum);
    for (unsigned n = 0; n < LANES; n++) {
        sum[n] += even[n] + odd[n];
    }
    write_row(state, c, m, sum);
}

tile_result tile_multiply_bf16(tile_state *state, unsigned c, unsigned a, unsigned b)
{
    /* To nearest even, subnormal operands and results are zeros, no traps: whatever the program's own control is. */
    const unsigned control = 0x9fc0;
    const tile_result result = check_product(state, c, a, b);
    if (result.exception != TILE_DONE) {
        return result;
    }
    const unsigned usual = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(control);
    for (unsigned m = 0; m < state->rows[c]; m++) {
        multiply_row_bf16(state, c, a, b, m); /* not inlined: no operation moves across the change of the control */
    }
    __builtin_ia32_ldmxcsr(usual);
    finish_product(state, c);
    return result;
}
