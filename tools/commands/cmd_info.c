/* aicjit info: the processor, what can be used of it, and its limits, measured. */
#include "tools/command.h"
#include "tools/harness/fail.h"
#include "tools/harness/memory.h"
#include "tools/harness/peak.h"
#include "tools/harness/processor.h"
#include "tools/json_write.h"
#include "tools/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* All levels in one line; then, one a line, why some are not there. */
static void print_levels(void)
{
    printf("instruction set levels:");
    const char *level;
    for (size_t i = 0; (level = aic_isa_name(i)) != NULL; i++) {
        const bool runs = aic_isa_check(level) == AIC_OK;
        printf(" %s%s", level, !runs ? " (not on this host)" : aic_isa_emulated(level) ? " (emulated)" : "");
    }
    printf("\n");
    for (size_t i = 0; (level = aic_isa_name(i)) != NULL; i++) {
        if (aic_isa_check(level) != AIC_OK) {
            printf("%-20s %s\n", level, aic_last_error());
        }
    }
}

static void print_machine(aic_context *context)
{
    bool chosen;
    const char *name = aic_context_machine(context, &chosen);
    printf("%-20s %s, %s\n", "schedules are for", name, chosen ? "as AIC_MACHINE says" : "by the processor's features");
}

static void print_environment(void)
{
    const command_variable *variable;
    for (size_t i = 0; (variable = command_variable_at(i)) != NULL; i++) {
        const char *value = getenv(variable->name);
        printf("%-20s %s\n", variable->name, value == NULL ? "not set" : value);
    }
}

/* What of the tuning file applies here. */
static void print_tuning(aic_context *context)
{
    aic_tuning_info info = aic_tuning_info_init();
    if (aic_context_tuning(context, &info) != AIC_OK || info.path == NULL) {
        printf("%-20s none\n", "tuning file");
        return;
    }
    printf("%-20s %s: %zu records, %zu of this machine and version", "tuning file", info.path, info.records,
           info.usable);
    if (info.damaged > 0) {
        printf("; %zu damaged lines, none is used", info.damaged);
    }
    printf("\n");
}

static void print_cache(aic_context *context)
{
    aic_disk_cache_info info = aic_disk_cache_info_init();
    if (aic_disk_cache_stat(context, &info) != AIC_OK) {
        printf("%-20s %s\n", "disk cache", aic_last_error());
    } else if (info.folder == NULL) {
        printf("%-20s none\n", "disk cache");
    } else {
        printf("%-20s %s (%s): %" PRIu64 " kernels, %" PRIu64 " of this build, %.1f of %.1f MiB\n", "disk cache",
               info.folder, info.mode, info.files, info.current, (double)info.bytes / (1 << 20),
               (double)info.limit / (1 << 20));
    }
}

static int print_info(cli_session *session)
{
    int status = cli_session_open(session);
    if (status != CLI_DONE) {
        return status;
    }
    char name[256];
    processor_name(name, sizeof name);
    printf("%-20s %s\n", "aicjit", aic_version());
    printf("%-20s %s\n", "LLVM", aic_llvm_version());
    printf("%-20s %s, %ld online\n", "processor", name, sysconf(_SC_NPROCESSORS_ONLN));
    printf("%-20s %.1f GiB available\n", "memory", (double)memory_limit() / (double)(1 << 30));
    print_levels();
    printf("%-20s %d share a call by default\n", "threads", aic_context_threads(session->context));
    printf("%-20s %s\n", "used by default", aic_context_isa(session->context));
    print_machine(session->context);
    print_environment();
    print_tuning(session->context);
    print_cache(session->context);
    printf("%-20s %.1f GMAC/s\n", "float32 peak", aic_peak_fma_f32());
    printf("%-20s %.1f GMAC/s\n", "float64 peak", aic_peak_fma_f64());
    printf("%-20s %.1f GB/s read and written\n", "memory copy", aic_peak_copy_of(AIC_PEAK_COPY_MAX));
    cli_session_close(session);
    return CLI_DONE;
}

/* ---- JSON ---- */

static void put_levels(void)
{
    const char *level;
    json_array("levels");
    for (size_t i = 0; (level = aic_isa_name(i)) != NULL; i++) {
        const bool runs = aic_isa_check(level) == AIC_OK;
        json_object(NULL);
        json_text("name", level);
        json_bool("runs", runs);
        json_bool("emulated", runs && aic_isa_emulated(level));
        json_text("reason", runs ? NULL : aic_last_error());
        json_end();
    }
    json_end();
}

static void put_environment(void)
{
    const command_variable *variable;
    json_object("environment");
    for (size_t i = 0; (variable = command_variable_at(i)) != NULL; i++) {
        json_text(variable->name, getenv(variable->name));
    }
    json_end();
}

static void put_tuning(aic_context *context)
{
    aic_tuning_info info = aic_tuning_info_init();
    const bool has_file = aic_context_tuning(context, &info) == AIC_OK && info.path != NULL;
    json_object("tuning");
    json_text("file", has_file ? info.path : NULL);
    if (has_file) {
        json_integer("records", (int64_t)info.records);
        json_integer("usable", (int64_t)info.usable);
        json_integer("damaged", (int64_t)info.damaged);
    }
    json_end();
}

static void put_cache(aic_context *context)
{
    aic_disk_cache_info info = aic_disk_cache_info_init();
    const bool works = aic_disk_cache_stat(context, &info) == AIC_OK;
    json_object("cache");
    json_text("folder", works ? info.folder : NULL);
    if (!works) {
        json_text("error", aic_last_error());
    } else if (info.folder != NULL) {
        json_text("mode", info.mode);
        json_integer("kernels", (int64_t)info.files);
        json_integer("current", (int64_t)info.current);
        json_integer("bytes", (int64_t)info.bytes);
        json_integer("limit", (int64_t)info.limit);
    }
    json_end();
}

static void put_peaks(void)
{
    json_object("peaks");
    json_real("fp32_gmacs_per_s", aic_peak_fma_f32());
    json_real("fp64_gmacs_per_s", aic_peak_fma_f64());
    json_real("copy_gbytes_per_s", aic_peak_copy_of(AIC_PEAK_COPY_MAX));
    json_end();
}

static int put_info(cli_session *session)
{
    const int status = cli_session_open(session);
    if (status != CLI_DONE) {
        return status;
    }
    char name[256];
    bool chosen;
    processor_name(name, sizeof name);
    json_object(NULL);
    json_text("version", aic_version());
    json_text("llvm", aic_llvm_version());
    json_text("processor", name);
    json_integer("processors_online", sysconf(_SC_NPROCESSORS_ONLN));
    json_integer("memory_bytes", (int64_t)memory_limit());
    put_levels();
    json_text("isa", aic_context_isa(session->context));
    json_integer("threads", aic_context_threads(session->context));
    json_text("machine", aic_context_machine(session->context, &chosen));
    json_bool("machine_chosen", chosen);
    put_environment();
    put_tuning(session->context);
    put_cache(session->context);
    put_peaks();
    json_end();
    cli_session_close(session);
    return CLI_DONE;
}

int cmd_info(int argc, char **argv)
{
    cli_session session = {0};
    args_list positional = {0};
    bool json = false;
    const args_option options[] = {
        CLI_OPTION_ISA(session, "LEVEL"),
        option_flag("--json", "one object, see tools/json.md", &json),
    };
    const args_command command = {
        .name = "info",
        .arguments = "[OPTION]...",
        .summary = "Shows the processor and its limits, measured on one thread.",
        ARGS_OPTIONS(options),
    };
    int status = cli_parse(&session, &command, argc, argv, 0, &positional);
    return status != CLI_DONE ? status : json ? put_info(&session) : print_info(&session);
}
