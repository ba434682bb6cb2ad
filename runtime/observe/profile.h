/* What profilers and debuggers get to know of kernels: where their code lies and which operator it is, by a short name:
 * the operators, the shape of the first, and the number that ends the kernel's symbol. One list for the process, as the
 * files and the debugger's interface are the process's, too.
 *
 *     perf      /tmp/perf-PID.map: a line "ADDRESS SIZE NAME" for each function, which `perf report` reads
 *     jitdump   jit-PID.dump in $JITDUMPDIR or the current folder: the code itself, with times, for `perf inject --jit`
 *     gdb       an ELF file in memory with symbols and the unwind table, by the interface that GDB calls JIT
 * compilation interface */
#pragma once

#include "codegen/codegen.h"

enum {
    AIC_PROFILE_PERF = 1u << 0,
    AIC_PROFILE_JITDUMP = 1u << 1,
    AIC_PROFILE_GDB = 1u << 2,
};

/* Reads words separated by commas; `name` is the option's, for the message. */
aic_status aic_profile_parse(const char *name, const char *text, unsigned *kinds);

/* Opens the files of these kinds where they are not open yet. AIC_INVALID_ARGUMENT when one cannot be written, AIC_IO
 * when the system has no room for it. */
aic_status aic_profile_start(unsigned kinds);

/* A kernel that was announced. */
typedef struct aic_profile_entry aic_profile_entry;

struct aic_code;

/* Announces code in its memory, made of this object. code->profile is its entry then; without memory it stays NULL. */
void aic_profile_add(unsigned kinds, struct aic_code *code, const aic_object *object);

/* Takes it back, before the code goes: the debugger forgets it; perf's files keep it. NULL does nothing. */
void aic_profile_remove(aic_profile_entry *entry);
