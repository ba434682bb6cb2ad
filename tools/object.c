/* Functions of exported objects. Their signatures are known when the tool runs, so they are called through libffi. */
#include "tools/object.h"
#include "tools/harness/fail.h"
#include "tools/harness/guard.h"
#include "tools/textfile.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <ffi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_BYTES_MAX = 1 << 24 };

int object_check(const cli_object *o, size_t texts)
{
    const bool object = o->file != NULL;
    const args_refusal refusals[] = {
        {!object && o->header != NULL, "--header: has no effect without --object"},
        {!object && o->name != NULL, "--name: has no effect without --object"},
        {object && texts > 0, "--object: there is an operator text, too; give one of both"},
        {object && o->header == NULL, "--object: --header is missing"},
        {object && o->name == NULL, "--object: --name is missing"},
    };
    return ARGS_REFUSE("run", refusals);
}

static int wrong_header(const cli_object *o, const char *what)
{
    return cli_fail(CLI_WRONG, "run: --header: \"%s\" %s; aicjit export writes such headers", o->header, what);
}

/* ---- what the header says ---- */

/* The last place in text .. end where this is; NULL: nowhere. */
static const char *find_last(const char *text, const char *end, const char *what)
{
    const char *found = NULL;
    for (const char *at = strstr(text, what); at != NULL && at < end; at = strstr(at + 1, what)) {
        found = at;
    }
    return found;
}

/* Reads decimal digits, and moves behind them. */
static bool read_count(const char **at, int64_t *count)
{
    char *end;
    if (!isdigit((unsigned char)**at)) {
        return false;
    }
    errno = 0;
    *count = strtoll(*at, &end, 10);
    *at = end;
    return errno == 0;
}

/* Moves behind `text`, which must be there. */
static bool read_word(const char **at, const char *text)
{
    const size_t length = strlen(text);
    const bool there = strncmp(*at, text, length) == 0;
    *at += there ? length : 0;
    return there;
}

/* " *     dst: int8 [1,4,4,32], 512 bytes, written". Reads what is behind the name. */
static bool read_tensor(const char *at, aic_network_tensor *t, aic_direction *direction)
{
    char type[16];
    int length = 0;
    if (sscanf(at, " %15[a-z0-9] [%n", type, &length) != 1 || length == 0) {
        return false;
    }
    t->dtype = aic_dtype_parse(type);
    at += length;
    t->elements = 1;
    do {
        if (t->rank == AIC_RANK_MAX || !read_count(&at, &t->shape[t->rank]) ||
            __builtin_mul_overflow(t->elements, t->shape[t->rank], &t->elements)) {
            return false;
        }
        t->rank++;
    } while (read_word(&at, ","));
    if (!read_word(&at, "], ") || !read_count(&at, &t->bytes) || !read_word(&at, " bytes")) {
        return false;
    }
    const char *end = strchr(at, '\n');
    const bool reads = end != NULL && find_last(at, end, ", read") != NULL;
    const bool writes = end != NULL && find_last(at, end, "written") != NULL;
    *direction = reads && writes ? AIC_DIRECTION_INOUT : writes ? AIC_DIRECTION_OUT : AIC_DIRECTION_IN;
    return t->dtype != AIC_DTYPE_NONE && (reads || writes) &&
           t->bytes == t->elements * (int64_t)aic_dtype_size(t->dtype);
}

/* The parameter that ends at `end`, whose name begins at `name`; what the comment before the declaration says of it. */
static int add_parameter(cli_object *o, const char *declaration, char *name)
{
    char line[256];
    aic_network_tensor *t = &o->tensor[o->count];
    snprintf(line, sizeof line, "\n *     %.200s:", name);
    const char *at = find_last(o->text, declaration, line);
    *t = (aic_network_tensor){.name = name};
    if (at == NULL || !read_tensor(at + strlen(line), t, &o->direction[o->count])) {
        return cli_fail(CLI_WRONG, "run: --header: \"%s\" does not say what \"%.200s\" of %.200s is", o->header, name,
                        o->name);
    }
    o->count++;
    return CLI_DONE;
}

/* Reads "TYPE *name, TYPE *name, void *workspace);", and cuts the names off. */
static int read_parameters(cli_object *o, const char *declaration, char *at)
{
    for (;;) {
        char *star = strpbrk(at, "*;"), *end = star != NULL ? strpbrk(star, ",)") : NULL;
        if (star == NULL || *star == ';' || end == NULL) {
            return wrong_header(o, "has a declaration that does not end with a workspace");
        }
        const char close = *end;
        *end = '\0';
        if (close == ')') {
            return strcmp(star + 1, "workspace") == 0
                       ? CLI_DONE
                       : wrong_header(o, "has a declaration that does not end with a workspace");
        }
        if (o->count == OBJECT_PARAMETERS_MAX) {
            return wrong_header(o, "has a function of too many parameters");
        }
        const int status = add_parameter(o, declaration, star + 1);
        if (status != CLI_DONE) {
            return status;
        }
        at = end + 1;
    }
}

/* "#define NAME_WORKSPACE_BYTES 4096" */
static int read_workspace(cli_object *o)
{
    char macro[320];
    int length = snprintf(macro, sizeof macro, "#define %.200s_WORKSPACE_BYTES ", o->name);
    for (int i = (int)strlen("#define "); i < length; i++) {
        macro[i] = (char)toupper((unsigned char)macro[i]);
    }
    const char *at = strstr(o->text, macro);
    int64_t bytes = 0;
    at = at != NULL ? at + length : "";
    if (!read_count(&at, &bytes)) {
        return wrong_header(o, "does not say how large the workspace is");
    }
    o->workspace = (size_t)bytes;
    return CLI_DONE;
}

/* The level that the functions take for granted is the first one; this machine must have it. */
static int check_level(const cli_object *o)
{
    static const char BEFORE[] = "instruction set level";
    char name[32];
    const char *at = strstr(o->text, BEFORE);
    if (at == NULL || sscanf(at + sizeof BEFORE - 1 + (at[sizeof BEFORE - 1] == 's'), " %31[a-z0-9]", name) != 1) {
        return wrong_header(o, "does not say for which instruction set it is");
    }
    return cli_status("run: --object", aic_isa_check(name));
}

static int read_header(cli_object *o)
{
    char start[256];
    size_t length;
    int status = textfile_read("run: --header", o->header, HEADER_BYTES_MAX, &o->text, &length);
    if (status != CLI_DONE) {
        return status;
    }
    const int size = snprintf(start, sizeof start, "\nvoid %.200s(", o->name);
    char *declaration = strlen(o->text) == length ? strstr(o->text, start) : NULL;
    if (declaration == NULL) {
        return cli_fail(CLI_WRONG, "run: --name: \"%s\" declares no function \"%.200s\"", o->header, o->name);
    }
    status = check_level(o);
    status = status == CLI_DONE ? read_workspace(o) : status;
    return status == CLI_DONE ? read_parameters(o, declaration, declaration + size) : status;
}

/* ---- the object ---- */

static int load(cli_object *o)
{
    char path[4096];
    const bool plain = strchr(o->file, '/') == NULL; /* the loader looks for such names elsewhere */
    if (snprintf(path, sizeof path, "%s%s", plain ? "./" : "", o->file) >= (int)sizeof path) {
        return cli_fail(CLI_WRONG, "run: --object: the file's name is too long");
    }
    o->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (o->library == NULL) {
        return cli_fail(CLI_WRONG, "run: --object: %s (cc -shared -o FILE.so FILE.o makes one of an exported object)",
                        dlerror());
    }
    void *address = dlsym(o->library, o->name);
    if (address == NULL) {
        return cli_fail(CLI_WRONG, "run: --name: \"%s\" has no function \"%.200s\"", o->file, o->name);
    }
    memcpy(&o->function, &address, sizeof address);
    return CLI_DONE;
}

int object_open(cli_object *o)
{
    const int status = read_header(o);
    return status == CLI_DONE ? load(o) : status;
}

void object_close(cli_object *o)
{
    if (o->library != NULL) {
        dlclose(o->library);
    }
    free(o->text);
    o->library = NULL;
    o->text = NULL;
}

static sigjmp_buf landing;

static void land(int signal)
{
    siglongjmp(landing, signal);
}

/* Calls the function; the signal that it ends by, 0 for none: a header that was not written with the object tells the
 * wrong sizes. Nothing that it has written counts then. */
static int call_guarded(ffi_cif *cif, const cli_object *o, void **address)
{
    static const int SIGNALS[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
    enum { COUNT = sizeof SIGNALS / sizeof *SIGNALS };
    struct sigaction before[COUNT], ours = {.sa_handler = land, .sa_flags = SA_NODEFER};
    for (size_t i = 0; i < COUNT; i++) {
        (void)sigaction(SIGNALS[i], &ours, &before[i]);
    }
    const int signal = sigsetjmp(landing, 1);
    if (signal == 0) {
        ffi_call(cif, o->function, NULL, address);
    }
    for (size_t i = 0; i < COUNT; i++) {
        (void)sigaction(SIGNALS[i], &before[i], NULL);
    }
    return signal;
}

int object_call(const cli_object *o, void *const pointers[])
{
    ffi_cif cif;
    ffi_type *types[OBJECT_PARAMETERS_MAX + 1];
    void *value[OBJECT_PARAMETERS_MAX + 1], *address[OBJECT_PARAMETERS_MAX + 1];
    guard_buffer workspace;
    int status = cli_memory(&workspace, "workspace", o->workspace);
    if (status != CLI_DONE) {
        return status;
    }
    for (size_t i = 0; i <= o->count; i++) {
        types[i] = &ffi_type_pointer;
        value[i] = i < o->count ? pointers[i] : workspace.data;
        address[i] = &value[i];
    }
    if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, (unsigned)o->count + 1, &ffi_type_void, types) == FFI_OK) {
        const int signal = call_guarded(&cif, o, address);
        status = signal == 0 ? CLI_DONE
                             : cli_fail(CLI_WRONG,
                                        "run: --object: \"%.200s\" of \"%s\" failed with signal %d; was the header "
                                        "written with it?",
                                        o->name, o->file, signal);
    } else {
        status = cli_fail(CLI_SYSTEM, "run: --object: libffi has no call of %zu addresses", o->count + 1);
    }
    guard_close(&workspace);
    return status;
}
