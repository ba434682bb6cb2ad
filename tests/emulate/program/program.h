/* What the tests of the emulator share. */
#pragma once

#include "tests/emulate/program/model.h"
#include "tests/emulate/program/snippets.h"

#include <check.h>
#include <signal.h>

typedef struct tile {
    uint8_t byte[ROWS][ROW_BYTES];
} tile;

/* Pseudo-random; one sequence a thread's variable. */
uint64_t next_random(uint64_t *state);
void fill_random(void *bytes, size_t size, uint64_t *state);

/* Tile `number` of `table` with address and stride; the address points into what the instruction is to see. */
void on_tile(const char *table, unsigned number, const void *address, int64_t stride);

/* The product of a table: tile c += tile a * tile b. */
void multiply(const char *table, unsigned c, unsigned a, unsigned b);

/* A configuration with all tiles of rows x colsb. */
tile_config config_of(unsigned rows, unsigned colsb);

/* Products of random tiles, each against the model; the number of wrong ones. No assertions: threads and handlers run
 * it. Leaves the tiles released. */
int wrong_products(uint64_t state, int count);

/* ---- exceptions ---- */

/* The signal that the last call of a snippet raised; number 0: none. */
typedef struct fault {
    int number, code;
    const void *address, *instruction;
} fault;

/* From here on signals SIGILL and SIGSEGV are noted, and the snippet is left as if its instruction did nothing. */
void catch_faults(void);

/* The one since the last call. */
fault take_fault(void);

/* The suites, one a file. */
TCase *tests_of_products(void);
TCase *tests_of_addresses(void);
TCase *tests_of_exceptions(void);
TCase *tests_of_processes(void);
