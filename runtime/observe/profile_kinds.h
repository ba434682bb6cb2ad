/* The parts of profile.c, one file a kind. All are called with its lock held, or by a child after fork. */
#pragma once

#include "codegen/image.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What files call the architecture. */
#if defined(__x86_64__)
enum { AIC_PROFILE_MACHINE = EM_X86_64 };
#else
enum { AIC_PROFILE_MACHINE = EM_AARCH64 };
#endif

/* A function of a kernel. */
typedef struct aic_profile_part {
    uint64_t address, size;
    const char *label; /* operator, shape and number; "[bands]" behind them for an internal function or another role */
} aic_profile_part;

/* A kernel. */
typedef struct aic_profile_code {
    const unsigned char *base; /* of its image */
    size_t size;
    size_t frames, frames_size; /* as in aic_image */
    size_t count;
    const aic_profile_part *part;
} aic_profile_code;

/* Opens or makes the process's map, of which an earlier process of the same number may have left one. 0 or an errno,
 * which *problem says in words where it is not NULL. */
int aic_profile_perf_start(const char **problem);
/* Appends the kernel. Calls nothing that a child after fork may not. */
void aic_profile_perf_add(const aic_profile_code *code);

/* Makes the process's file and marks it for perf; does nothing where it is open. The same. */
int aic_profile_jitdump_start(const char **problem);
void aic_profile_jitdump_add(const aic_profile_code *code);
/* In a child: gives up the parent's file. The next start makes one of its own. */
void aic_profile_jitdump_forget(void);

/* What the debugger knows of a kernel; NULL when memory runs out. */
typedef struct aic_profile_gdb aic_profile_gdb;
aic_profile_gdb *aic_profile_gdb_add(const aic_profile_code *code);
void aic_profile_gdb_remove(aic_profile_gdb *entry); /* NULL does nothing */
