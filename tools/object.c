/* Functions of exported objects. Their signatures are known when the tool runs, so they are called through libffi. */
#include "tools/object.h"
#include "tools/harness/child.h"
#include "tools/harness/fail.h"
#include "tools/harness/guard.h"
#include "tools/textfile.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <ffi.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* ---- the object, in a process of its own ---- */

/* A file that is damaged, or a header of another object, may do anything when it is loaded and called: a process of its
 * own does that, and what it leaves is in memory that both have. */
typedef enum stage { LOADING, CALLING, DONE } stage;

typedef struct report {
    stage stage;
    int status;                          /* DONE: the exit status, */
    char said[2 * PATH_MAX];             /* with a message unless it is CLI_DONE */
    _Alignas(max_align_t) char result[]; /* what the call has written, one operand behind the other */
} report;

static bool is_written(const cli_object *o, size_t i)
{
    return o->direction[i] != AIC_DIRECTION_IN;
}

static int load(const cli_object *o, void (**function)(void))
{
    char path[PATH_MAX];
    const bool plain = strchr(o->file, '/') == NULL; /* the loader looks for such names elsewhere */
    if (snprintf(path, sizeof path, "%s%s", plain ? "./" : "", o->file) >= (int)sizeof path) {
        return cli_fail(CLI_WRONG, "run: --object: the file's name is too long");
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        return cli_fail(CLI_WRONG, "run: --object: %s (cc -shared -o FILE.so FILE.o makes one of an exported object)",
                        dlerror());
    }
    void *address = dlsym(library, o->name);
    if (address == NULL) {
        return cli_fail(CLI_WRONG, "run: --name: \"%s\" has no function \"%.200s\"", o->file, o->name);
    }
    memcpy(function, &address, sizeof address);
    return CLI_DONE;
}

static int call(const cli_object *o, void (*function)(void), void *const pointers[], void *workspace)
{
    ffi_cif cif;
    ffi_type *types[OBJECT_PARAMETERS_MAX + 1];
    void *value[OBJECT_PARAMETERS_MAX + 1], *address[OBJECT_PARAMETERS_MAX + 1];
    for (size_t i = 0; i <= o->count; i++) {
        types[i] = &ffi_type_pointer;
        value[i] = i < o->count ? pointers[i] : workspace;
        address[i] = &value[i];
    }
    if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, (unsigned)o->count + 1, &ffi_type_void, types) != FFI_OK) {
        return cli_fail(CLI_SYSTEM, "run: --object: libffi has no call of %zu addresses", o->count + 1);
    }
    ffi_call(&cif, function, NULL, address);
    return CLI_DONE;
}

/* What the other process does. It ends with this one, leaves no file, and signals that end work are its end. */
static _Noreturn void work(const cli_object *o, void *const pointers[], void *workspace, report *r, pid_t parent)
{
    static const int FAILING[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    const struct rlimit none = {0, 0};
    void (*function)(void) = NULL;
    sigset_t all;
    if (!child_follow(parent, true)) {
        _exit(0);
    }
    for (size_t i = 0; i < sizeof FAILING / sizeof FAILING[0]; i++) {
        (void)signal(FAILING[i], SIG_DFL); /* whoever handles them, such as a sanitizer: this process tells of them */
    }
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)sigemptyset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    int status = load(o, &function);
    if (status == CLI_DONE && pointers != NULL) {
        r->stage = CALLING;
        status = call(o, function, pointers, workspace);
        char *to = r->result;
        for (size_t i = 0; i < o->count && status == CLI_DONE; i++) {
            if (is_written(o, i)) {
                memcpy(to, pointers[i], (size_t)o->tensor[i].bytes);
                to += o->tensor[i].bytes;
            }
        }
    }
    r->status = status;
    (void)snprintf(r->said, sizeof r->said, "%s", cli_fail_message());
    r->stage = DONE;
    _exit(0);
}

/* The exit status of a process that ended without a report. */
static int blame(const cli_object *o, stage at, int ended)
{
    const bool by_signal = WIFSIGNALED(ended);
    const int number = by_signal ? WTERMSIG(ended) : WEXITSTATUS(ended);
    const char *how = by_signal ? "signal" : "status";
    if (by_signal && (number == SIGINT || number == SIGTERM || number == SIGHUP)) {
        return cli_fail(CLI_MISMATCH, "run: --object: ended by signal %d", number);
    }
    return at == LOADING
               ? cli_fail(CLI_WRONG, "run: --object: \"%s\" is damaged: loading it ended with %s %d", o->file, how,
                          number)
               : cli_fail(CLI_WRONG,
                          "run: --object: \"%.200s\" of \"%s\" failed with %s %d; was the header written with it?",
                          o->name, o->file, how, number);
}

/* Lets another process load the object, and call the function unless there are no operands; what that wrote is here
 * then. */
static int work_apart(const cli_object *o, void *const pointers[], void *workspace)
{
    size_t size = sizeof(report);
    for (size_t i = 0; pointers != NULL && i < o->count; i++) {
        size += is_written(o, i) ? (size_t)o->tensor[i].bytes : 0;
    }
    report *r = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (r == MAP_FAILED) {
        return cli_fail_memory("run: --object", size);
    }
    sigset_t all, before;
    int ended = 0, status;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &before); /* no handler of this process runs in the other one */
    const pid_t self = getpid(), child = fork();
    if (child == 0) {
        work(o, pointers, workspace, r, self);
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    while (child > 0 && waitpid(child, &ended, 0) < 0 && errno == EINTR) {
    }
    if (child < 0) {
        status = cli_fail(CLI_SYSTEM, "run: --object: a process: %s", strerror(errno));
    } else if (r->stage != DONE) {
        status = blame(o, r->stage, ended);
    } else {
        status = r->status == CLI_DONE ? CLI_DONE : cli_fail(r->status, "%s", r->said);
    }
    const char *from = r->result;
    for (size_t i = 0; status == CLI_DONE && pointers != NULL && i < o->count; i++) {
        if (is_written(o, i)) {
            memcpy(pointers[i], from, (size_t)o->tensor[i].bytes);
            from += o->tensor[i].bytes;
        }
    }
    (void)munmap(r, size);
    return status;
}

int object_open(cli_object *o)
{
    const int status = read_header(o);
    return status == CLI_DONE ? work_apart(o, NULL, NULL) : status;
}

void object_close(cli_object *o)
{
    free(o->text);
    o->text = NULL;
}

int object_call(const cli_object *o, void *const pointers[])
{
    guard_buffer workspace;
    int status = cli_memory(&workspace, "workspace", o->workspace);
    if (status == CLI_DONE) {
        status = work_apart(o, pointers, workspace.data);
        guard_close(&workspace);
    }
    return status;
}
