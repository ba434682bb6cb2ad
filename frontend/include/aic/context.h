/* Contexts: what kernels are generated for, and the cache they live in.
 *
 * Compiling happens on threads of the library's own while the caller waits: it needs nothing of the calling thread, not
 * its stack (32 KiB are enough; where 128 are free, kernels whose parts are at hand are made there), signal mask,
 * floating-point environment, locale or cancellation. Memory for a compilation is looked for first, 72 MiB of address
 * space for each thread, and AIC_OUT_OF_MEMORY returned when there is none; should it run out inside LLVM all the same,
 * every later compilation of the process is AIC_COMPILE. Kernels that were made before go on working.
 *
 * fork() waits for compilations that other threads are in the middle of; parent and child both go on. exit() waits,
 * too, and from then on a compilation is AIC_COMPILE, while kernels can be called to the end. Where a thread that did
 * not load the library calls exit() in the middle of the process's first compilation, LLVM's own exit handlers may come
 * first; let such threads finish compiling. The library is never unloaded.
 *
 * While a compilation runs, and only then, the library has handlers of its own in the place of std::set_new_handler()'s
 * and of LLVM's for fatal errors and failed allocations. They hand what happens on other threads to the handler of
 * std::set_new_handler() that was there before, and it is put back. LLVM does not say which handlers it had: a host
 * that uses the same LLVM itself finds none set after a compilation and has to install its own again; what LLVM reports
 * to them meanwhile ends the process with LLVM's own message.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_CONTEXT_H
#define AIC_CONTEXT_H

#include <aic/spec.h>

AIC_EXTERN_C_BEGIN

/* A part of a call that threads share: computes the items begin .. end-1 of those that the parallel loop was given.
 * `worker` is one of 0 .. workers-1, and no two bodies that run at the same time have the same number. */
typedef void (*aic_parallel_body)(void *data, int64_t begin, int64_t end, int worker);

/* A caller's own parallel loop: calls body(data, begin, end, worker) so that every item 0 .. items-1 is done once, in
 * any ranges and order, on any threads, and returns when all bodies have returned. A call may use it several times, one
 * after the other; concurrent calls use it at the same time. Calls to this library that it makes itself are not shared
 * once more. The call fails with AIC_INVALID_ARGUMENT, and its output is undefined, where a range or a worker's number
 * is outside of these limits, two bodies have the same worker at a time, or items were left out or done twice. A body
 * that is called when the loop has returned does nothing. `user` is parallel_for_data of the options. */
typedef void (*aic_parallel_for)(void *user, int64_t items, int workers, aic_parallel_body body, void *data);

/* What a context can write to standard error, as lines of CSV (tools/observing.md lists the columns): every kernel that
 * is made, every call, every lookup, and what every operator text came to. */
typedef enum aic_verbose_category {
    AIC_VERBOSE_CREATE = 1 << 4,
    AIC_VERBOSE_EXEC = 1 << 5,
    AIC_VERBOSE_CACHE = 1 << 6,
    AIC_VERBOSE_DISPATCH = 1 << 7
} aic_verbose_category;

/* The most threads that a context may have. */
#define AIC_THREADS_MAX 1024

typedef struct aic_context_options {
    size_t size; /* of this structure */
    /* Highest instruction set level to use, e.g. "avx2"; NULL: the environment's AIC_MAX_ISA, else the best
     * of the host. A level the host lacks is AIC_UNSUPPORTED. */
    const char *isa;
    /* LLVM pass pipeline run on the emitted IR, in the syntax of `opt -passes`, e.g. "default<O2>", "instcombine,gvn"
     * or "function(loop-mssa(licm),dse)"; NULL or "": none, the default: the emitter has unrolled and vectorised
     * already. The passes that aic_pass_name() lists are accepted, nothing else is: AIC_INVALID_ARGUMENT. */
    const char *passes;
    /* Folder for the IR, assembly and object of every kernel made, and a text of all that it was made from; NULL: the
     * environment's AIC_DUMP_DIR. It is made where it is not there, but not the folder that it is in;
     * AIC_INVALID_ARGUMENT when it cannot be written to. A file that cannot be written later, on a full disk, say, is
     * AIC_IO, and there is no kernel. */
    const char *dump_dir;
    /* 1: one line on standard error for every kernel made; 2: and for every lookup; or a sum of AIC_VERBOSE_...: the
     * lines of these categories; -1: the environment's AIC_VERBOSE, which is 0, 1, 2 or names of categories separated
     * by commas, "create,exec". The library prints nothing else, and nothing by default. */
    int verbose;
    /* Threads that share one call, its caller among them: 1 .. AIC_THREADS_MAX; 0: the environment's AIC_NUM_THREADS,
     * else the effective processors: those of the calling thread's affinity mask, at most as many as the quota of a
     * control group pays for, rounded down. Results do not depend on it, bit for bit. Calls too small for it, and those
     * through a kernel's C function, stay on the calling thread. More than 1 without parallel_for is AIC_UNSUPPORTED
     * where the library pthreadpool is not installed; by default calls then stay on the calling thread.
     *
     * The threads are those of one pool for the process, started with the first call that is shared. As long as it is
     * in use other callers work alone and its threads are so many fewer. A child after fork() gets a pool of its own.
     *
     * As many threads, at most four, and one with parallel_for, compile the parts of a kernel that are not at hand. */
    int threads;
    aic_parallel_for parallel_for; /* NULL: the pool; else what shares calls among at most `threads` threads */
    void *parallel_for_data;
    union {
        aic_semantics semantics; /* what the documents leave to the machine */
        char semantics_room[AIC_SEMANTICS_ROOM];
    };
    /* File of tuned schedules, which kernels without a given schedule use (aic/tune.h); NULL: the environment's
     * AIC_TUNING_DB; "": none. A file that cannot be read or is damaged costs speed and leaves a warning. */
    const char *tuning_db;
    /* The disk cache: kernels that any process of the user has made, one file each (aic/cache.h). cache: "off", "ro" or
     * "rw"; NULL: the environment's AIC_CACHE, else "rw". cache_dir: its folder, made where it is not there; NULL: the
     * environment's AIC_CACHE_DIR, else "aicjit" in the user's cache directory (XDG_CACHE_HOME, else .cache in HOME);
     * "": none. The folder must belong to the user and not be writable by others; else it is not used. What goes wrong
     * with it fails nothing: a file that was refused leaves a warning. A context with a dump_dir reads no kernel from
     * it. Set-user-id programs have one by these options only: there the environment does not count. */
    const char *cache, *cache_dir;
    /* Limits of the memory cache: bytes, of code memory and of some 5 KiB a kernel besides, 0: 256 MiB, and kernels, 0:
     * 65536. Where one is exceeded, kernels that were not used for longest are given up until a sixteenth is free;
     * those that an aic_kernel holds stay, and count. One that is requested again is made or loaded again. */
    uint64_t cache_bytes, cache_kernels;
    uint64_t
        cache_disk_bytes; /* limit of the disk cache's files together; 0: 512 MiB. The least recently used go first */
    /* The tools that learn where kernels lie and what operators they are, separated by commas: "perf", a map for `perf
     * report`; "jitdump", a file for `perf inject --jit`; "gdb", symbols and unwind tables for a debugger. NULL: the
     * environment's AIC_PROFILE; "": nobody. AIC_INVALID_ARGUMENT for any other word, and when a file cannot be
     * written; AIC_IO where the system has no room for it. tools/observing.md says where the files are. */
    const char *profile;
    /* The type of core that schedules are chosen for, e.g. "golden-cove"; NULL: the environment's AIC_MACHINE, else the
     * host's, told from its features. It changes speed and no result. AIC_INVALID_ARGUMENT for any other name; the
     * message lists them. */
    const char *machine;
    /* Takes every line that `verbose` asks for, in the place of standard error, and every warning when it comes about.
     * `level` is 0 for a warning, 1 or 2 for a line of that level of verbose, an AIC_VERBOSE_... for a line of CSV; the
     * line has no newline and is gone when the function returns. It is called on any thread, also by several at once,
     * and may call this library, about which nothing is told meanwhile, but not ask for the kernel that the line is
     * about, which would wait for itself. NULL: standard error; warnings are where aic_take_warning() finds them in any
     * case. Function and data must be there as long as the context and its kernels.
     */
    void (*log)(void *log_data, int level, const char *line);
    void *log_data;
    /* Where the memory comes from that the context keeps, its caches, kernels and handles, and the scratch memory that
     * calls of its kernels need, which stays with the thread (aic_thread_trim()): a block of so many bytes at a
     * multiple of `alignment`, a power of two, or NULL, which is AIC_OUT_OF_MEMORY; and back with the same number of
     * bytes. NULL, both of them: malloc(). Machine code is in pages of its own, and making kernels needs more for a
     * while, of malloc(). They are called on any thread, also by several at once, must not call this library, and must
     * be there as long as the context, its kernels, and threads that have called them and have not trimmed since. */
    void *(*allocate)(void *allocate_data, size_t bytes, size_t alignment);
    void (*deallocate)(void *allocate_data, void *memory, size_t bytes);
    void *allocate_data;
} aic_context_options;

static inline aic_context_options aic_context_options_init(void)
{
    aic_context_options made;
    memset(&made, 0, sizeof made);
    made.size = sizeof made;
    made.verbose = -1;
    made.semantics = aic_semantics_init();
    return made;
}

/* Makes a context; options NULL: the defaults. The caller owns it. AIC_UNSUPPORTED (isa), AIC_INVALID_ARGUMENT,
 * AIC_OUT_OF_MEMORY. Nothing is compiled and LLVM is not started here. */
AIC_API aic_status aic_context_create(const aic_context_options *options, aic_context **context);

/* Gives up the caller's hold. Kernels still held stay usable; no call may be in progress through `context`.
 * NULL does nothing. Where it is the default context, by aic_context_set_default(), the library's own is that again. */
AIC_API void aic_context_destroy(aic_context *context);

/* Makes `context` the one that NULL stands for everywhere, with the options that a program has set in code. NULL: the
 * library's own again, which has the options of the environment. The caller still owns it; no call may be in progress
 * through it as the default when it is destroyed. */
AIC_API aic_status aic_context_set_default(aic_context *context);

/* Gives back the scratch memory that the calling thread keeps for its next calls. It gets some again when a call needs
 * it. */
AIC_API void aic_thread_trim(void);

/* What the context's cache holds and did. */
typedef struct aic_cache_stats {
    size_t size;       /* of this structure */
    uint64_t kernels;  /* kernels held */
    uint64_t compiles; /* kernels compiled so far */
    uint64_t code_bytes;
    uint64_t loads;        /* kernels read from the disk cache so far; they are none of the compiled ones */
    uint64_t stores;       /* and written to it */
    uint64_t evictions;    /* kernels given up for the limits so far */
    uint64_t mapped_bytes; /* code memory of the kernels held; code_bytes is the objects of all that there were */
} aic_cache_stats;

AIC_SIZED(aic_cache_stats)

AIC_API aic_status aic_context_cache_stats(aic_context *context, aic_cache_stats *stats);

/* What the context's requests came to so far and where the time went: sums over its threads. Lookups that find what
 * they want are not counted, since counting would slow down threads that share the counters. */
typedef struct aic_context_statistics {
    size_t size;          /* of this structure */
    uint64_t requests;    /* for the first time: operator texts, chains, groups that the context had not seen before */
    uint64_t compiled;    /* of these, those whose kernel was made; the others had one of another request, or failed */
    uint64_t loaded;      /* and those whose kernel was read from the disk cache */
    uint64_t failed;      /* of these, those that were refused or could not be made */
    uint64_t check_ns;    /* reading the rules of the documents, filling in what a chain leaves out */
    uint64_t identify_ns; /* tuning records, and what the kernel is */
    uint64_t emit_ns;     /* plans, and LLVM IR of what is no part */
    uint64_t codegen_ns;  /* LLVM's passes and machine code */
    uint64_t link_ns;     /* to code that can be called */
    uint64_t publish_ns;  /* log lines, dumps, profilers */
} aic_context_statistics;

AIC_SIZED(aic_context_statistics)

AIC_API aic_status aic_context_get_statistics(aic_context *context, aic_context_statistics *statistics);

/* The instruction set level the context generates for. Static storage; NULL, with a message, when context is NULL and
 * no default context can be made. */
AIC_API const char *aic_context_isa(aic_context *context);

/* The type of core that the context's schedules are chosen for, as "golden-cove". *chosen, where chosen is not NULL:
 * whether an option or the environment named it; else it is the host's. Static storage; NULL, with a message, when
 * context is NULL and no default context can be made; *chosen stays as it is then. */
AIC_API const char *aic_context_machine(aic_context *context, bool *chosen);

/* The number of threads that share the context's calls; 1 where there is no pool. 0, with a message, when context is
 * NULL and no default context can be made. */
AIC_API int aic_context_threads(aic_context *context);

/* Instruction set levels of this architecture in ascending order; NULL past the last. Static storage. */
AIC_API const char *aic_isa_name(size_t index);

/* Whether this host can run the level: AIC_OK, AIC_UNSUPPORTED (known, but the host lacks it; the message says what) or
 * AIC_INVALID_ARGUMENT (no such level; the message lists the levels).
 *
 * On a processor with AMX the first of this call, aic_isa_emulated and aic_context_create asks Linux to save tile
 * registers for the whole process. From then on sigaltstack() refuses stacks that are too small for them; a process
 * that has such a stack already lacks the level. */
AIC_API aic_status aic_isa_check(const char *name);

/* Whether the level runs only because an emulator was loaded into the process that executes instructions the host
 * lacks. Such a level is never the default. False for NULL and for a name that is no level. */
AIC_API bool aic_isa_emulated(const char *name);

/* The LLVM that the library was built for, e.g. "22.1.8". It is not loaded for this. */
AIC_API const char *aic_llvm_version(void);

AIC_EXTERN_C_END

#endif
