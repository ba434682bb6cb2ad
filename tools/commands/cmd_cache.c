/* aicjit cache: what the disk cache holds, whether it is in order, removing it, and filling it beforehand. */
#include "tools/command.h"
#include "tools/harness/fail.h"
#include "tools/harness/interrupt.h"
#include "tools/specs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct cache_options {
    cli_session session;
    spec_source source;
    args_list texts; /* what follows the action */
} cache_options;

static void print_sums(const aic_disk_cache_info *info)
{
    printf("%-10s %s\n", "mode", info->mode);
    printf("%-10s %s\n", "folder", info->folder != NULL ? info->folder : "none");
    printf("%-10s %" PRIu64 ", %" PRIu64 " of this build\n", "kernels", info->files, info->current);
    printf("%-10s %" PRIu64 ", %" PRIu64 " of this build\n", "parts", info->parts, info->current_parts);
    printf("%-10s %" PRIu64 " of %" PRIu64 "\n", "bytes", info->bytes, info->limit);
}

static int stat_cache(cache_options *o)
{
    aic_disk_cache_info info = aic_disk_cache_info_init();
    const aic_status status = aic_disk_cache_stat(o->session.context, &info);
    if (status == AIC_OK) {
        print_sums(&info);
    }
    return cli_status("cache", status);
}

static void print_problem(void *user, const char *file, const char *what, const char *problem)
{
    (void)user, (void)what;
    if (problem != NULL) {
        printf("FAILED %s: %s\n", file, problem);
    }
}

static int verify_cache(cache_options *o)
{
    aic_disk_cache_info info = aic_disk_cache_info_init();
    const aic_status status = aic_disk_cache_verify(o->session.context, print_problem, NULL, &info);
    if (status != AIC_OK) {
        return cli_status("cache", status);
    }
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", info.files + info.parts - info.refused, info.refused);
    return info.refused == 0 ? CLI_DONE : CLI_MISMATCH;
}

static int clear_cache(cache_options *o)
{
    uint64_t removed;
    const aic_status status = aic_disk_cache_clear(o->session.context, &removed);
    if (status == AIC_OK) {
        printf("%" PRIu64 " kernels and parts removed\n", removed);
    }
    return cli_status("cache", status);
}

/* ---- warm ---- */

/* Makes one kernel. */
static int warm_one(cache_options *o, const aic_spec *spec)
{
    aic_kernel *kernel;
    const aic_status status = aic_kernel_create(o->session.context, spec, NULL, &kernel);
    cli_show_warning();
    if (status == AIC_OK) {
        aic_kernel_destroy(kernel);
    }
    return cli_status("cache", status);
}

/* Makes all, as long as nobody ends it. */
static int warm_all(cache_options *o, const spec_list *list)
{
    int status = CLI_DONE;
    size_t done = 0;
    interrupt_polled(true);
    for (; done < list->count && status == CLI_DONE && !interrupt_requested(); done++) {
        status = warm_one(o, list->items[done]);
    }
    const bool interrupted = interrupt_requested();
    interrupt_polled(false);
    aic_cache_stats stats = aic_cache_stats_init();
    if (status == CLI_DONE) {
        status = cli_status("cache", aic_context_cache_stats(o->session.context, &stats));
    }
    if (status != CLI_DONE) {
        return status;
    }
    printf("%" PRIu64 " kernels made, %" PRIu64 " were there\n", stats.compiles, stats.loads);
    if (stats.stores < stats.compiles) {
        return cli_fail(CLI_SYSTEM, "cache: warm: %" PRIu64 " kernels could not be written (AIC_VERBOSE=1 shows why)",
                        stats.compiles - stats.stores);
    }
    return interrupted ? cli_fail(CLI_MISMATCH, "cache: warm: interrupted after %zu of %zu", done, list->count)
                       : CLI_DONE;
}

static int warm_cache(cache_options *o)
{
    spec_list list = {0};
    o->source.texts = &o->texts;
    aic_disk_cache_info info = aic_disk_cache_info_init();
    int status = cli_status("cache", aic_disk_cache_stat(o->session.context, &info));
    if (status == CLI_DONE && strcmp(info.mode, "rw") != 0) {
        status = cli_fail(CLI_WRONG, "cache: warm: the disk cache is %s and cannot be filled", info.mode);
    }
    if (status == CLI_DONE) {
        status = spec_list_read(&o->session, &o->source, &list);
    }
    if (status == CLI_DONE && spec_list_empty(&list, &o->source)) {
        status = cli_fail(CLI_WRONG, "cache: warm: neither an operator text SPEC nor --batch FILE is given");
    }
    if (status == CLI_DONE) {
        status = warm_all(o, &list);
        spec_list_report(&list, &o->source, stdout);
        status = spec_list_status(&list, &o->source, status);
    }
    spec_list_free(&list);
    return status;
}

/* ---- the command line ---- */

static const struct {
    const char *name;
    int (*run)(cache_options *o);
    bool specs; /* takes operators */
} actions[] = {
    {"stat", stat_cache, false},
    {"verify", verify_cache, false},
    {"clear", clear_cache, false},
    {"warm", warm_cache, true},
};

enum { ACTIONS = sizeof actions / sizeof actions[0] };

static int run_action(cache_options *o, const char *name)
{
    size_t i = 0;
    while (i < ACTIONS && strcmp(actions[i].name, name) != 0) {
        i++;
    }
    if (i == ACTIONS) {
        return cli_fail(CLI_WRONG, "cache: \"%.100s\" is none of stat, verify, clear, warm", name);
    }
    if (!actions[i].specs && (o->texts.count > 0 || o->source.batch != NULL)) {
        return cli_fail(CLI_WRONG, "cache: %s takes no operators", name);
    }
    int status = cli_session_open(&o->session);
    if (status == CLI_DONE) {
        status = actions[i].run(o);
        cli_session_close(&o->session);
    }
    return status;
}

int cmd_cache(int argc, char **argv)
{
    cache_options o = {0};
    args_list positional = {0};
    const args_option options[] = {
        SPEC_OPTIONS(o.source),
        CLI_OPTION_DT(o.session),
        CLI_OPTION_ARCH(o.session),
        CLI_OPTION_ISA(o.session, "LEVEL"),
    };
    const args_command command = {
        .name = "cache",
        .arguments = "stat | verify | clear | warm SPEC... [--batch FILE]",
        .summary = "Tells what the disk cache holds, checks all of it, removes all of it, or puts kernels into it.",
        ARGS_OPTIONS(options),
    };
    int status = cli_parse(&o.session, &command, argc, argv, SIZE_MAX, &positional);
    if (status == CLI_DONE && positional.count == 0) {
        status = cli_fail(CLI_WRONG, "cache: say what to do: stat, verify, clear or warm");
    }
    if (status == CLI_DONE) {
        o.texts = (args_list){positional.items + 1, positional.count - 1};
        status = run_action(&o, positional.items[0]);
    }
    return status;
}
