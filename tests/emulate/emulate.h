/* An emulator of AMX, and of AVX-VNNI, for tests: a library to preload (libaicjit-emulate.so), or linked into a
 * program. On a host without AMX its instructions raise SIGILL; the emulator executes them there. Nearly all of its
 * time goes into the signals, of which instructions in a row share one.
 *
 * It reports level amx to aicjit by aic_emulated_features(). It does nothing where the processor has AMX and the
 * operating system saves its registers, nor where AVX2 or FMA are missing. Environment:
 *
 * AIC_EMULATE=off: does nothing anywhere.
 *
 * AIC_EMULATE=avxvnni: executes the dot products of AVX-VNNI, too, where the processor has them with AVX-512 only, or
 * not at all, and reports that level. One costs microseconds: it is for small operators.
 *
 * AIC_EMULATE=force: executes tile instructions also where the processor has AMX, as long as nobody in the process
 * requests the permission from the kernel: until then they raise SIGILL there, too. Configurations are the processor's
 * own then, and are read from the frames of the signals: they are not counted, tiles keep what they have where the same
 * one is loaded again, and start rows of loads that were interrupted are not in them.
 *
 * AIC_EMULATE_COUNTS=1: prints at exit how many instructions of each kind were executed, those of forked children, too.
 *
 * Differences from a processor with Linux: a thread starts with initialised tiles, where Linux copies the configuration
 * of the thread that made it; the context of a signal has no tile registers; after a page fault the context lies in the
 * emulator; SIGILL is never blocked; NaNs of products may have other payloads. */
#pragma once

#include "tests/emulate/decode.h"

#include <stdbool.h>

/* Whether the emulator executes instructions in this process. */
bool emulate_active(void);

/* Whether it executes configurations, too; else the processor does, and nobody counts them. */
bool emulate_counts_all(void);

/* Instructions executed so far by this process, its forked children and their children. */
uint64_t emulate_count(amx_kind kind);

/* Rows of the tiles that these wrote or stored; 0 for those of the configuration. */
uint64_t emulate_rows(amx_kind kind);

/* Lines that tiles loaded so far in this process, by where a model of caches had them (cache.h). */
uint64_t emulate_lines(int level);
