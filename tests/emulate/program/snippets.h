/* The instructions under test as functions, and a plain model of them. snippets.S has the code. */
#pragma once

#include <stdint.h>

void amx_ldtilecfg(const void *config);
void amx_sttilecfg(void *config);
void amx_tilerelease(void);
void amx_ud2(void);

/* Zeroes tile 0, loads tile 1, zeroes tile 7, by the instruction at amx_sequence_third, then tile 2. */
void amx_sequence(const void *address, int64_t stride);
extern const char amx_sequence_third[];

/* Sends the thread a signal that interrupts it where the next instruction is to zero tile 0. */
long amx_send_then_tilezero(int process, int thread, int signal);

/* Tables of functions, STEP bytes apart. */
enum { AMX_STEP = 16, AMX_SNIPPET_STEP = 32, AMX_INVALID = 11 };
extern const char amx_tilezero_table[], amx_tileloadd_table[], amx_tileloaddt1_table[], amx_tilestored_table[];
extern const char amx_tdpbssd_table[], amx_tdpbsud_table[], amx_tdpbusd_table[], amx_tdpbuud_table[];
extern const char amx_tdpbf16ps_table[], amx_invalid_table[];

/* A `ret` that a handler can go on at, in place of an instruction that a function begins with. */
extern const char amx_return[];

/* Code that amx_run_snippet() enters with all 16 general registers, and that gives them back. The snippets of an
 * address table: for each base, for each displacement 0, -128, 0x12340: no index, then every index but rsp with scales
 * 1, 2, 4, 8. */
extern const char amx_load_snippets[], amx_describe_snippets[], amx_special_snippets[];
extern char amx_near_config[128];
void amx_run_snippet(const void *snippet, uint64_t registers[16]);
