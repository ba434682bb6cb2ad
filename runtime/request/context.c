/* Contexts: options, environment, the default context. */
#include "runtime/request/context.h"
#include "codegen/build_name.h"
#include "codegen/machine.h"
#include "codegen/passes.h"
#include "codegen/target/host.h"
#include "frontend/core/diag.h"
#include "frontend/core/memory.h"
#include "frontend/core/spec.h"
#include "frontend/core/structure.h"
#include "frontend/text/sink.h"
#include "runtime/cache/evict.h"
#include "runtime/code/code.h"
#include "runtime/generator/worker.h"
#include "runtime/observe/log.h"
#include "runtime/observe/profile.h"
#include "runtime/request/isa.h"
#include "runtime/system/environment.h"
#include "runtime/threads/pool.h"
#include "runtime/tuning/tuning.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static aic_status choose_target(const char *isa, const aic_target **target)
{
    if (isa != NULL) {
        return aic_isa_find_runnable("isa", isa, target);
    }
    const char *max = aic_environment("AIC_MAX_ISA");
    if (max != NULL) {
        return aic_isa_find_runnable("AIC_MAX_ISA", max, target);
    }
    *target = aic_host_best(aic_host_this(), aic_host_arch());
    return AIC_OK;
}

/* The type of core that schedules are made for. */
static aic_status choose_machine(const char *option, aic_context *context)
{
    const char *name = option != NULL ? option : aic_environment("AIC_MACHINE");
    const aic_core core = name != NULL ? aic_core_find(name) : aic_host_this()->core;
    if (core == AIC_CORES) {
        char list[128] = "";
        for (int i = 0; i < AIC_CORES; i++) {
            aic_text_join(list, sizeof list, ", ", aic_core_name(i));
        }
        return aic_fail(AIC_INVALID_ARGUMENT, option != NULL ? "machine" : "AIC_MACHINE",
                        "\"%.40s\" is no type of core; types: %s", name, list);
    }
    context->machine = aic_machine_of(core);
    context->machine_chosen = name != NULL;
    return AIC_OK;
}

static aic_status choose_verbose(int option, aic_context *context)
{
    if (option == -1) {
        const char *value = aic_environment("AIC_VERBOSE");
        return value != NULL ? aic_log_parse(value, &context->verbose, &context->log) : AIC_OK;
    }
    if (option > 2 && (option & ~AIC_VERBOSE_ALL) == 0) {
        context->log = (unsigned)option;
        return AIC_OK;
    }
    context->verbose = option;
    return option >= 0 && option <= 2
               ? AIC_OK
               : aic_fail(AIC_INVALID_ARGUMENT, "verbose", "%d is outside -1..2 and no sum of AIC_VERBOSE_...", option);
}

/* Where the default level is lower than the processor's, as the kernel does not let tiles be used. */
static void tell_refusal(const aic_context *context)
{
    char reason[256];
    if (context->verbose >= 1 && aic_host_refusal(aic_host_this(), reason, sizeof reason)) {
        aic_log(1, "%s; the level is %s", reason, context->target->name);
    }
}

/* The tools that learn where kernels lie. */
static aic_status choose_profile(const char *option, unsigned *kinds)
{
    const char *value = option != NULL ? option : aic_environment("AIC_PROFILE");
    aic_status status = AIC_OK;
    *kinds = 0;
    if (value != NULL && value[0] != '\0') {
        status = aic_profile_parse(option != NULL ? "profile" : "AIC_PROFILE", value, kinds);
    }
    return status == AIC_OK && *kinds != 0 ? aic_profile_start(*kinds) : status;
}

/* A copy of an optional text; "" counts as none. */
static aic_status copy_text(const char *text, char **copy)
{
    *copy = NULL;
    if (text == NULL || text[0] == '\0') {
        return AIC_OK;
    }
    *copy = strdup(text);
    return *copy != NULL ? AIC_OK : aic_fail_memory("context", strlen(text) + 1);
}

/* Makes the folder where it is not there; 0, or why it is none to write to. */
static int make_folder(const char *folder)
{
    struct stat info;
    if ((mkdir(folder, 0777) != 0 && errno != EEXIST) || stat(folder, &info) != 0) {
        return errno;
    }
    return !S_ISDIR(info.st_mode) ? ENOTDIR : access(folder, W_OK | X_OK) != 0 ? errno : 0;
}

static aic_status make_dump_dir(const char *name, const char *folder)
{
    const int error = folder != NULL ? make_folder(folder) : 0;
    return error == 0 ? AIC_OK
                      : aic_fail(AIC_INVALID_ARGUMENT, name, "\"%s\" is no folder to write to, nor can it be made: %s",
                                 folder, strerror(error));
}

static aic_hooks hooks_of(const aic_context_options *options)
{
    return (aic_hooks){options->log, options->log_data, options->allocate, options->deallocate, options->allocate_data};
}

/* Fills in what the options and the environment decide. */
static aic_status configure(aic_context *context, const aic_context_options *options)
{
    const char *dump_dir = options->dump_dir != NULL ? options->dump_dir : aic_environment("AIC_DUMP_DIR");
    const char *tuning_db = options->tuning_db != NULL ? options->tuning_db : aic_environment("AIC_TUNING_DB");
    context->hooks = hooks_of(options);
    context->semantics = options->semantics;
    aic_status status = aic_semantics_check(&options->semantics);
    status = status == AIC_OK ? choose_verbose(options->verbose, context) : status;
    status = status == AIC_OK ? choose_machine(options->machine, context) : status;
    status = status == AIC_OK ? choose_target(options->isa, &context->target) : status;
    if (status == AIC_OK) {
        tell_refusal(context);
    }
    if (status == AIC_OK) {
        status = aic_share_configure(&context->share, options, aic_environment("AIC_NUM_THREADS"));
        atomic_init(&context->quota, AIC_QUOTA_UNKNOWN);
        context->share.log = context->verbose >= 1;
    }
    status = status == AIC_OK ? aic_passes_check(options->passes) : status;
    status = status == AIC_OK ? copy_text(options->passes, &context->passes) : status;
    status = status == AIC_OK ? copy_text(dump_dir, &context->dump_dir) : status;
    if (status == AIC_OK) {
        status = make_dump_dir(options->dump_dir != NULL ? "dump_dir" : "AIC_DUMP_DIR", context->dump_dir);
    }
    status = status == AIC_OK ? choose_profile(options->profile, &context->profile) : status;
    status = status == AIC_OK ? aic_tuning_open(tuning_db, context->machine, &context->tuning) : status;
    if (status == AIC_OK) {
        status = aic_disk_configure(&context->disk, options);
        context->disk.verbose = context->verbose >= 1;
    }
    return status;
}

/* Parts may take so much of what kernels may, besides. */
enum { PARTS_SHARE = 8 };

/* By default: a quarter of a gigabyte of code, and as many kernels. */
static void choose_limits(aic_context *context, const aic_context_options *options)
{
    context->cache_bytes = options->cache_bytes != 0 ? options->cache_bytes : UINT64_C(1) << 28;
    context->cache_kernels = options->cache_kernels != 0 ? options->cache_kernels : UINT64_C(1) << 16;
}

static void release_code(void *code)
{
    aic_code_release(code);
}

static void free_parts(aic_context *context)
{
    aic_cache_destroy(&context->by_request, release_code);
    aic_cache_destroy(&context->kernels, release_code);
    aic_part_cache_destroy(&context->parts);
    aic_reclaim();
    free(context->passes);
    free(context->dump_dir);
    aic_tuning_free(context->tuning);
    aic_disk_free(&context->disk);
    aic_memory_free(context);
}

static aic_status create(const aic_context_options *options, aic_context **context)
{
    aic_context *made = aic_memory_zeros(sizeof *made);
    if (made == NULL) {
        return aic_fail_memory("context", sizeof *made);
    }
    choose_limits(made, options);
    aic_status status = configure(made, options);
    status = status == AIC_OK ? aic_cache_init(&made->by_request) : status;
    status = status == AIC_OK ? aic_cache_init(&made->kernels) : status;
    status = status == AIC_OK
                 ? aic_part_cache_init(&made->parts, made->cache_bytes / PARTS_SHARE, made->target->name, &made->disk)
                 : status;
    if (status != AIC_OK) {
        free_parts(made);
        return status;
    }
    aic_evict_prepare(made);
    atomic_init(&made->compiles, 0);
    atomic_init(&made->evictions, 0);
    atomic_init(&made->loads, 0);
    atomic_init(&made->stores, 0);
    atomic_init(&made->code_bytes, 0);
    *context = made;
    return AIC_OK;
}

aic_status aic_context_create(const aic_context_options *options, aic_context **context)
{
    if (context == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, "context", "is NULL");
    }
    aic_context_options taken = aic_context_options_init();
    aic_status status = options != NULL ? aic_structure_take("options", options, &taken, sizeof taken) : AIC_OK;
    status = status == AIC_OK ? aic_semantics_settle(taken.semantics_room) : status;
    if (status != AIC_OK) {
        return status;
    }
    if ((taken.allocate == NULL) != (taken.deallocate == NULL)) {
        return aic_fail(AIC_INVALID_ARGUMENT, taken.allocate == NULL ? "allocate" : "deallocate",
                        "is NULL, and %s is not", taken.allocate == NULL ? "deallocate" : "allocate");
    }
    const aic_hooks hooks = hooks_of(&taken);
    const int cancellation = aic_cancellation_disable(); /* files are open and locks held meanwhile */
    const aic_hooks *before = aic_thread_use(&hooks);
    status = create(&taken, context);
    (void)aic_thread_use(before);
    aic_cancellation_restore(cancellation);
    return status;
}

_Atomic(aic_context *) aic_context_of_process;

/* The one that the library made of the environment; NULL: none yet. It is never destroyed. */
static _Atomic(aic_context *) made_context;

void aic_context_destroy(aic_context *context)
{
    aic_context *set = context;
    if (context != NULL) {
        /* The default is the library's own again, if this one was set. */
        (void)atomic_compare_exchange_strong_explicit(&aic_context_of_process, &set, NULL, memory_order_acq_rel,
                                                      memory_order_relaxed);
        free_parts(context);
    }
}

/* Threads that come first together each make one, and all but one of those go again: no lock is held that a fork could
 * leave behind. */
static aic_status make_default(aic_context **context)
{
    aic_context *made = NULL, *first = NULL;
    /* A failure (a bad environment value) is not kept: the next call looks again. */
    aic_status status = aic_context_create(NULL, &made);
    if (status != AIC_OK) {
        return status;
    }
    if (!atomic_compare_exchange_strong_explicit(&made_context, &first, made, memory_order_release,
                                                 memory_order_acquire)) {
        aic_context_destroy(made);
        made = first;
    }
    *context = made;
    return AIC_OK;
}

aic_status aic_context_default(aic_context **context)
{
    /* acquire: pairs with the release in make_default() and below, the context's content comes with its address. */
    *context = atomic_load_explicit(&aic_context_of_process, memory_order_acquire);
    if (*context != NULL) {
        return AIC_OK;
    }
    aic_context *made = atomic_load_explicit(&made_context, memory_order_acquire), *set = NULL;
    aic_status status = made != NULL ? AIC_OK : make_default(&made);
    if (status != AIC_OK) {
        return status;
    }
    /* Where a program has set one meanwhile, that is it. */
    const bool first = atomic_compare_exchange_strong_explicit(&aic_context_of_process, &set, made,
                                                               memory_order_release, memory_order_acquire);
    *context = first ? made : set;
    return AIC_OK;
}

aic_status aic_context_set_default(aic_context *context)
{
    atomic_store_explicit(&aic_context_of_process, context, memory_order_release);
    return AIC_OK;
}

aic_status aic_context_cache_stats(aic_context *context, aic_cache_stats *stats)
{
    aic_status status = aic_structure_check("stats", stats, sizeof *stats);
    status = status == AIC_OK ? aic_context_resolve(&context) : status;
    if (status == AIC_OK) {
        /* relaxed: counters, each right by itself; they order nothing. */
        const aic_cache_stats made = {
            .size = sizeof made,
            .kernels = atomic_load_explicit(&context->kernels.entries, memory_order_relaxed),
            .compiles = atomic_load_explicit(&context->compiles, memory_order_relaxed),
            .code_bytes = atomic_load_explicit(&context->code_bytes, memory_order_relaxed),
            .evictions = atomic_load_explicit(&context->evictions, memory_order_relaxed),
            .mapped_bytes = atomic_load_explicit(&context->kernels.weight, memory_order_relaxed),
            .loads = atomic_load_explicit(&context->loads, memory_order_relaxed),
            .stores = atomic_load_explicit(&context->stores, memory_order_relaxed),
        };
        status = aic_structure_give("stats", stats, &made, sizeof made);
    }
    return status;
}

aic_status aic_context_get_statistics(aic_context *context, aic_context_statistics *statistics)
{
    aic_status status = aic_structure_check("statistics", statistics, sizeof *statistics);
    status = status == AIC_OK ? aic_context_resolve(&context) : status;
    if (status == AIC_OK) {
        const aic_counters *c = &context->counters;
        const aic_context_statistics made = {
            .size = sizeof made,
            .requests = aic_counted(&c->requests),
            .compiled = aic_counted(&c->compiled),
            .loaded = aic_counted(&c->loaded),
            .failed = aic_counted(&c->failed),
            .check_ns = aic_counted(&c->check_ns),
            .identify_ns = aic_counted(&c->identify_ns),
            .emit_ns = aic_counted(&c->emit_ns),
            .codegen_ns = aic_counted(&c->codegen_ns),
            .link_ns = aic_counted(&c->link_ns),
            .publish_ns = aic_counted(&c->publish_ns),
        };
        status = aic_structure_give("statistics", statistics, &made, sizeof made);
    }
    return status;
}

const char *aic_context_isa(aic_context *context)
{
    return aic_context_resolve(&context) == AIC_OK ? context->target->name : NULL;
}

const char *aic_context_machine(aic_context *context, bool *chosen)
{
    if (aic_context_resolve(&context) != AIC_OK) {
        return NULL;
    }
    if (chosen != NULL) {
        *chosen = context->machine_chosen;
    }
    return aic_core_name(context->machine->core);
}

int aic_context_threads(aic_context *context)
{
    if (aic_context_resolve(&context) != AIC_OK) {
        return 0;
    }
    aic_share share = context->share;
    if (share.threads > 1) {
        const int cancellation = aic_cancellation_disable();
        aic_share_limit(&share, &context->quota);
        aic_cancellation_restore(cancellation);
    }
    return share.threads == 1 || share.parallel_for != NULL || aic_pool_exists() ? share.threads : 1;
}

const char *aic_llvm_version(void)
{
    return aic_build_llvm;
}
