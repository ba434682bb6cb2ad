/* SIGILL: decodes the instruction, executes it on the thread's tiles, goes on behind it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* names of registers */
#endif
#include "codegen/target/feature.h"
#include "tests/emulate/cache.h"
#include "tests/emulate/dot.h"
#include "tests/emulate/emulate.h"
#include "tests/emulate/frame.h"
#include "tests/emulate/signals.h"
#include "tests/emulate/threads.h"

#include <cpuid.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static struct {
    bool active;
    bool configured_by_processor; /* LDTILECFG does not trap */
    uint32_t config_offset;       /* of TILECFG in signal frames */
    pid_t process;                /* that prints the counts */
    _Atomic uint64_t *count;      /* by kind, shared with forked children; behind them the rows of their first tiles */
} emulator;

/* ---- one instruction ---- */

static tile_result execute_dot(const amx_instruction *i, ucontext_t *context)
{
    return dot_execute(i, context->uc_mcontext.fpregs)
               ? (tile_result){TILE_DONE, NULL, -1}
               : (tile_result){TILE_UNDEFINED, "the signal's frame has no vectors of 32 bytes", -1};
}

static tile_result execute(const amx_instruction *i)
{
    tile_state *tiles = threads_tiles();
    if (tiles == NULL) {
        return (tile_result){TILE_PROTECTION, "memory for tiles ran out", -1};
    }
    switch (i->kind) {
    case AMX_LDTILECFG:
        return tile_configure(tiles, (const uint8_t *)(uintptr_t)i->address);
    case AMX_STTILECFG:
        tile_describe(tiles, (uint8_t *)(uintptr_t)i->address);
        break;
    case AMX_TILERELEASE:
        tile_release(tiles);
        break;
    case AMX_TILEZERO:
        return tile_zero(tiles, i->tile[0]);
    case AMX_TILELOADD:
    case AMX_TILELOADDT1:
        return tile_load(tiles, i->tile[0], i->address, i->stride);
    case AMX_TILESTORED:
        return tile_store(tiles, i->tile[0], i->address, i->stride);
    case AMX_TDPBSSD:
    case AMX_TDPBSUD:
    case AMX_TDPBUSD:
    case AMX_TDPBUUD:
        return tile_multiply_bytes(tiles, i->tile[0], i->tile[1], i->tile[2],
                                   i->kind == AMX_TDPBSSD || i->kind == AMX_TDPBSUD,
                                   i->kind == AMX_TDPBSSD || i->kind == AMX_TDPBUSD);
    case AMX_TDPBF16PS:
        return tile_multiply_bf16(tiles, i->tile[0], i->tile[1], i->tile[2]);
    case AMX_VPDPBUSD:
    case AMX_VPDPWSSD:
    case AMX_KINDS:
        break;
    }
    return (tile_result){TILE_DONE, NULL, -1};
}

/* The base of FS or GS, as in the interrupted program: the kernel leaves them alone. */
static uint64_t segment_base(unsigned prefix)
{
    enum { GET_FS = 0x1003, GET_GS = 0x1004 };
    uint64_t base = 0;
    (void)syscall(SYS_arch_prctl, prefix == 0x64 ? GET_FS : GET_GS, &base);
    return base;
}

static amx_registers registers_of(const ucontext_t *context)
{
    static const uint8_t names[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                      REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    amx_registers registers = {.segment = segment_base};
    for (int i = 0; i < 16; i++) {
        registers.general[i] = (uint64_t)context->uc_mcontext.gregs[names[i]];
    }
    return registers;
}

/* One line on standard error: what the processor would refuse, and why. */
static void report(const amx_instruction *i, const tile_result *result, const void *code)
{
    char line[256], tile[32] = "";
    if (result->tile >= 0) {
        (void)snprintf(tile, sizeof tile, " (tile %d)", result->tile);
    }
    int length = snprintf(line, sizeof line, "aicjit-emulate: %s at %p raises %s: %s%s\n", amx_mnemonics[i->kind], code,
                          result->exception == TILE_UNDEFINED ? "#UD" : "#GP", result->reason, tile);
    if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0) {
        return; /* nothing else can be done about it */
    }
}

/* An exception becomes the signal that Linux makes of it. */
static void raise_exception(tile_exception exception, siginfo_t *info, ucontext_t *context)
{
    enum { TRAP_GP = 13 };
    if (exception == TILE_UNDEFINED) {
        signals_deliver(SIGILL, info, context);
        return;
    }
    siginfo_t segv;
    memset(&segv, 0, sizeof segv);
    segv.si_signo = SIGSEGV;
    segv.si_code = SI_KERNEL;
    context->uc_mcontext.gregs[REG_TRAPNO] = TRAP_GP;
    context->uc_mcontext.gregs[REG_ERR] = 0;
    signals_deliver(SIGSEGV, &segv, context);
}

/* Where LDTILECFG is the processor's own: takes over a configuration that is not the one known. Its tiles are zero. */
static void follow_processor(const ucontext_t *context)
{
    static const uint8_t none[TILE_CONFIG_BYTES];
    const uint8_t *config = frame_tile_config(context->uc_mcontext.fpregs, emulator.config_offset);
    tile_state *tiles = threads_tiles();
    uint8_t known[TILE_CONFIG_BYTES];
    if (tiles != NULL) {
        tile_describe(tiles, known);
        config = config != NULL ? config : none;
        if (memcmp(known, config, sizeof known) != 0) {
            (void)tile_configure(tiles, config);
        }
    }
}

/* Whether the emulator executes this one: where the processor configures tiles itself it goes on doing so. */
static bool is_ours(const amx_instruction *i)
{
    return i->kind > AMX_TILERELEASE || !emulator.configured_by_processor;
}

static void count(const amx_instruction *i)
{
    atomic_fetch_add_explicit(&emulator.count[i->kind], 1, memory_order_relaxed);
    if (i->kind > AMX_TILERELEASE && i->kind < AMX_VPDPBUSD) {
        atomic_fetch_add_explicit(&emulator.count[AMX_KINDS + i->kind], threads_tiles()->rows[i->tile[0]],
                                  memory_order_relaxed);
    }
}

/* What an instruction that was executed does to the caches. */
static void follow_caches(const amx_instruction *i)
{
    const bool stores = i->kind == AMX_TILESTORED;
    if (!stores && i->kind != AMX_TILELOADD && i->kind != AMX_TILELOADDT1) {
        return;
    }
    const tile_state *tiles = threads_tiles();
    for (unsigned row = 0; row < tiles->rows[i->tile[0]]; row++) {
        const uint64_t address = i->address + row * i->stride;
        if (stores) {
            cache_store(address, tiles->colsb[i->tile[0]]);
        } else {
            cache_load(address, tiles->colsb[i->tile[0]], i->kind == AMX_TILELOADD);
        }
    }
}

/* Executes the instructions that follow each other at the context, of which the first is decoded: signals cost more
 * than they do. None of them changes a general register. */
static void execute_all(amx_instruction *i, const amx_registers *registers, siginfo_t *info, ucontext_t *context)
{
    do {
        greg_t *at = &context->uc_mcontext.gregs[REG_RIP];
        const tile_result result = i->kind >= AMX_VPDPBUSD ? execute_dot(i, context) : execute(i);
        if (result.exception != TILE_DONE) {
            info->si_addr = (void *)(uintptr_t)*at;
            report(i, &result, info->si_addr);
            raise_exception(result.exception, info, context);
            return;
        }
        count(i);
        follow_caches(i);
        *at += i->length;
        *i = amx_decode((const uint8_t *)(uintptr_t)*at, registers);
    } while (i->kind != AMX_NONE && is_ours(i));
}

static void on_sigill(int number, siginfo_t *info, void *context_pointer)
{
    const int usual_errno = errno;
    ucontext_t *context = context_pointer;
    const amx_registers registers = registers_of(context);
    amx_instruction instruction = {.kind = AMX_NONE};
    if (info->si_code > 0) { /* else somebody sent the signal */
        instruction = amx_decode((const uint8_t *)(uintptr_t)context->uc_mcontext.gregs[REG_RIP], &registers);
    }
    if (instruction.kind == AMX_NONE) {
        signals_deliver(number, info, context);
    } else {
        if (emulator.configured_by_processor) {
            follow_processor(context);
        }
        execute_all(&instruction, &registers, info, context);
    }
    errno = usual_errno;
}

uint64_t emulate_lines(int level)
{
    return cache_lines(level);
}

/* ---- the process ---- */

/* Whether the processor has AMX and the operating system saves its registers. */
static bool host_has_amx(void)
{
    const uint32_t flags = 1u << 22 | 1u << 24 | 1u << 25, tile_state_bits = 0x60000;
    uint32_t a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & bit_OSXSAVE) == 0 || !__get_cpuid_count(7, 0, &a, &b, &c, &d) ||
        (d & flags) != flags) {
        return false;
    }
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & tile_state_bits) == tile_state_bits;
}

/* Whether the environment and the host want an emulator. */
static bool is_wanted(bool has_amx)
{
    const char *choice = getenv("AIC_EMULATE");
    if (choice != NULL && strcmp(choice, "off") == 0) {
        return false;
    }
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
        return false; /* what executes the multiplications */
    }
    return !has_amx || (choice != NULL && strcmp(choice, "force") == 0);
}

static void start(void)
{
    static _Atomic uint64_t own_counts[2 * AMX_KINDS];
    const bool has_amx = host_has_amx();
    uint32_t b, c, d, size;
    void *shared = mmap(NULL, sizeof own_counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    emulator.count = shared != MAP_FAILED ? shared : own_counts;
    emulator.process = getpid();
    if (!is_wanted(has_amx)) {
        return;
    }
    emulator.configured_by_processor = has_amx;
    if (has_amx && __get_cpuid_count(0xd, 17, &size, &b, &c, &d)) {
        emulator.config_offset = b;
    }
    emulator.active = threads_start() && signals_start(on_sigill);
}

__attribute__((constructor)) static void start_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, start);
}

bool emulate_active(void)
{
    start_once();
    return emulator.active;
}

bool emulate_counts_all(void)
{
    return emulate_active() && !emulator.configured_by_processor;
}

uint64_t emulate_count(amx_kind kind)
{
    start_once();
    return atomic_load_explicit(&emulator.count[kind], memory_order_relaxed);
}

uint64_t emulate_rows(amx_kind kind)
{
    start_once();
    return atomic_load_explicit(&emulator.count[AMX_KINDS + kind], memory_order_relaxed);
}

static bool wants_dots(void)
{
    const char *choice = getenv("AIC_EMULATE");
    return choice != NULL && strcmp(choice, "avxvnni") == 0 && !dot_is_native();
}

__attribute__((visibility("default"))) uint32_t aic_emulated_features(void)
{
    return emulate_active() ? AIC_CPU_AMX | (wants_dots() ? (uint32_t)AIC_CPU_AVXVNNI : 0u) : 0;
}

__attribute__((destructor)) static void print_counts(void)
{
    const char *choice = getenv("AIC_EMULATE_COUNTS");
    if (choice == NULL || strcmp(choice, "1") != 0 || !emulator.active || getpid() != emulator.process) {
        return;
    }
    (void)fprintf(stderr, "aicjit-emulate:");
    for (int kind = 0; kind < AMX_KINDS; kind++) {
        (void)fprintf(stderr, "%s %s %llu", kind > 0 ? "," : "", amx_mnemonics[kind],
                      (unsigned long long)emulate_count((amx_kind)kind));
    }
    (void)fprintf(stderr, "\n");
}
