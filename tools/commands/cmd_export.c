/* aicjit export: kernels as an object file and a header, for programs without this library. */
#include "tools/command.h"
#include "tools/harness/fail.h"
#include "tools/harness/outfile.h"
#include "tools/specs.h"

#include <stdlib.h>

typedef struct export_state {
    cli_session session;
    spec_source source;
    args_list names;
    const char *isa, *target, *schedule, *object, *header;
} export_state;

static int export_list(const export_state *x, const spec_list *list)
{
    if (x->names.count > list->count) {
        return cli_fail(CLI_WRONG, "export: --name is given %zu times for %zu operators", x->names.count, list->count);
    }
    aic_export_kernel *kernels = calloc(list->count, sizeof *kernels);
    if (kernels == NULL) {
        return cli_fail(CLI_SYSTEM, "export: memory ran out");
    }
    for (size_t i = 0; i < list->count; i++) {
        kernels[i] = (aic_export_kernel){.size = sizeof kernels[i],
                                         .spec = list->items[i],
                                         .name = i < x->names.count ? x->names.items[i] : NULL,
                                         .schedule = x->schedule};
    }
    aic_exported made = aic_exported_init();
    int status = cli_status(NULL, aic_export(x->session.context, kernels, list->count, x->isa, x->target, &made));
    if (status == CLI_DONE) {
        status = export_files_write(x->object, x->header, &made);
        aic_exported_destroy(&made);
    }
    free(kernels);
    return status;
}

static int export_request(export_state *x)
{
    spec_list list = {0};
    if (x->object == NULL || x->header == NULL) {
        return cli_fail(CLI_WRONG, "export: %s is missing", x->object == NULL ? "-o FILE" : "--header FILE");
    }
    int status = cli_session_open(&x->session);
    status = status == CLI_DONE ? spec_list_read(&x->session, &x->source, &list) : status;
    if (status == CLI_DONE && list.count == 0) {
        status = spec_list_empty(&list, &x->source)
                     ? cli_fail(CLI_WRONG, "export: nothing to export: give SPEC or --batch FILE with operators")
                     : CLI_DONE;
    } else if (status == CLI_DONE) {
        status = export_list(x, &list);
    }
    status = spec_list_status(&list, &x->source, status);
    spec_list_free(&list);
    cli_session_close(&x->session);
    return status;
}

static int parse(export_state *x, int argc, char **argv, args_list *positional)
{
    const args_option options[] = {
        option_text("-o", "FILE", "the object file", &x->object),
        option_text("--header", "FILE", "its header: prototypes, sizes, what the operands are", &x->header),
        option_list("--name", "NAME",
                    "the function's name; once for each operator in turn (default: the operators' names)", &x->names),
        option_text(
            "--isa", "LEVEL[,LEVEL]...",
            "instruction set level, also one that this host lacks; of several the functions choose by the processor",
            &x->isa),
        option_text("--target", "TRIPLE", "e.g. aarch64-linux-gnu (default: the host's)", &x->target),
        option_text("--passes", "TEXT", "LLVM pass pipeline before code generation (default none)", &x->session.passes),
        option_text("--schedule", "TEXT", "schedule of all operators, as dump --stage plan prints it", &x->schedule),
        SPEC_OPTIONS(x->source),
        CLI_OPTION_DT(x->session),
        CLI_OPTION_ARCH(x->session),
    };
    const args_command command = {
        .name = "export",
        .arguments = "SPEC... -o FILE --header FILE [OPTION]...",
        .summary = "Writes kernels as an object file and a header, for programs that have neither this library nor\n"
                   "LLVM: NAME(out, in..., workspace), and NAME_pack and NAME_packed where weights can be packed.",
        ARGS_OPTIONS(options),
    };
    return cli_parse(&x->session, &command, argc, argv, SIZE_MAX, positional);
}

int cmd_export(int argc, char **argv)
{
    export_state x = {.isa = NULL};
    args_list positional = {0};
    int status = parse(&x, argc, argv, &positional);
    x.source.texts = &positional;
    status = status == CLI_DONE ? export_request(&x) : status;
    args_list_free(&x.names);
    return status;
}
