/* Checking golden data; see golden.h. */
#include "tools/laboratory/golden.h"

#include "tools/harness/fail.h"
#include "tools/harness/operand_file.h"
#include "tools/harness/sha256.h"
#include "tools/harness/stages.h"
#include "tools/harness/verify.h"
#include "tools/json.h"
#include "tools/kinds.h"
#include "tools/textfile.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 1200 };

int golden_hash(const char *path, char text[SHA256_TEXT])
{
    struct stat state;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe would wait for a writer */
    FILE *file = fd != -1 && fstat(fd, &state) == 0 && S_ISREG(state.st_mode) ? fdopen(fd, "rb") : NULL;
    if (file == NULL) {
        (void)(fd != -1 && close(fd));
        return cli_fail(CLI_MISMATCH, "\"%s\" is missing, or no regular file", path);
    }
    const size_t size = (size_t)state.st_size;
    unsigned char *bytes = malloc(size + 1);
    const bool read = bytes != NULL && fread(bytes, 1, size, file) == size;
    (void)fclose(file);
    if (read) {
        sha256_text(bytes, size, text);
    }
    free(bytes);
    return read ? CLI_DONE : cli_fail(CLI_SYSTEM, "\"%s\" cannot be read", path);
}

int golden_allowed(const aic_spec *spec, const aic_semantics *semantics, void *const operands[], size_t count,
                   const aic_operand *output, guard_buffer *allowed)
{
    const int status = cli_memory(allowed, output->name, (uint64_t)output->elements * sizeof(aic_allowed));
    if (status != CLI_DONE) {
        return status;
    }
    const aic_allowed *right = allowed->data;
    const aic_status failed = aic_reference_allowed(spec, semantics, operands, count, allowed->data);
    (void)aic_take_warning();
    for (int64_t i = 0; failed == AIC_OK && i < output->elements; i++) {
        if (right[i].others > 0) {
            return cli_fail(CLI_WRONG,
                            "golden: accumulate: %s allows every order of summation, and some lead to infinities for "
                            "element %" PRId64 " of %s, which bounds do not hold; give operands whose sums do not "
                            "overflow on the way",
                            aic_word("accumulate", (int)stage_accumulate(spec)), i, output->name);
        }
    }
    return cli_status("golden", failed);
}

/* A line of the manifest: a case, a file, or the semantics. Texts point into the manifest. */
typedef struct golden_line {
    double cases, files; /* of the line that counts them; 0: another one */
    const char *folder, *operator_text, *operand, *role, *file, *hash;
    aic_semantics semantics;
    bool wrong; /* a member of the semantics that is none, or has a value that is none */
} golden_line;

static void see_line(void *user, const char *key, const char *text, double number)
{
    golden_line *line = user;
    const struct {
        const char *key;
        const char **to;
    } members[] = {{"case", &line->folder},     {"operator", &line->operator_text},
                   {"operand", &line->operand}, {"role", &line->role},
                   {"file", &line->file},       {"sha256", &line->hash}};
    line->cases = strcmp(key, "cases") == 0 ? number : line->cases;
    line->files = strcmp(key, "files") == 0 ? number : line->files;
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (strcmp(members[i].key, key) == 0) {
            *members[i].to = text;
        }
    }
}

static void see_semantics(void *user, const char *key, const char *text, double number)
{
    golden_line *line = user;
    bool known = false;
#define AIC_FIELD(kind, name, count, need, fallback)                                                                   \
    if (strcmp(key, #name) == 0) {                                                                                     \
        int64_t value = (int64_t)number;                                                                               \
        known = KIND_##kind == KIND_INT ? text == NULL && !isnan(number)                                               \
                                        : text != NULL && kind_value(KIND_##kind, text, &value);                       \
        line->semantics.name = known ? (AIC_CTYPE_##kind)value : line->semantics.name;                                 \
    }
#include <aic/choices.def>
#include <aic/semantics.def>
#undef AIC_FIELD
    line->wrong = line->wrong || !known;
}

/* The manifest, read. */
typedef struct golden_set {
    const char *folder;
    char *text;
    golden_line *cases, *files;
    size_t case_count, file_count;
    double cases_named, files_named; /* how many the manifest says there are */
    aic_semantics semantics;
    golden_sums *sums;
    size_t line; /* of the manifest, that is read */
} golden_set;

static int fail_manifest(const golden_set *set, const char *what)
{
    return cli_fail(CLI_WRONG, "verify: \"%s/" GOLDEN_MANIFEST "\" %s", set->folder, what);
}

static bool add_line(golden_line **lines, size_t *count, const golden_line *line)
{
    if ((*count & (*count - 1)) == 0) { /* it grows by doubling */
        golden_line *more = realloc(*lines, (*count == 0 ? 1 : 2 * *count) * sizeof *more);
        if (more == NULL) {
            return false;
        }
        *lines = more;
    }
    (*lines)[(*count)++] = *line;
    return true;
}

/* Names of files stay in the folder. */
static bool is_inside(const char *name)
{
    return name[0] != '/' && strstr(name, "..") == NULL && strlen(name) < 300;
}

static int take_line(golden_set *set, char *text, bool is_semantics)
{
    golden_line line = {.semantics = aic_semantics_init()};
    const size_t length = strlen(text);
    if (length > 0 && text[length - 1] == ',') {
        text[length - 1] = '\0';
    }
    if (!json_read_object(text, is_semantics ? see_semantics : see_line, &line) || line.wrong) {
        char what[80];
        (void)snprintf(what, sizeof what, "has a line that golden does not write: number %zu", set->line);
        return fail_manifest(set, what);
    }
    if (is_semantics) {
        set->semantics = line.semantics;
        return CLI_DONE;
    }
    bool added = true;
    if (line.cases > 0) {
        set->cases_named = line.cases;
        set->files_named = line.files;
    } else if (line.operator_text != NULL && line.folder != NULL) {
        added = add_line(&set->cases, &set->case_count, &line);
    } else if (line.file != NULL) {
        const bool script = strcmp(line.file, GOLDEN_SCRIPT) == 0;
        if (!line.hash || !is_inside(line.file) || (!script && (!line.role || !line.operand || !line.folder))) {
            return fail_manifest(set, "has a file that golden does not write");
        }
        added = add_line(&set->files, &set->file_count, &line);
    }
    return added ? CLI_DONE : cli_fail(CLI_SYSTEM, "verify: memory ran out");
}

static int read_manifest(golden_set *set)
{
    char path[PATH_BYTES];
    size_t length = 0;
    bool formatted = false, semantics = false;
    if (snprintf(path, sizeof path, "%s/" GOLDEN_MANIFEST, set->folder) >= PATH_BYTES) {
        return cli_fail(CLI_WRONG, "verify: the folder's name is longer than %d bytes", PATH_BYTES - 16);
    }
    int status = textfile_read("verify", path, GOLDEN_MANIFEST_MAX, &set->text, &length);
    char *end = status == CLI_DONE ? set->text + length : NULL;
    for (char *line = set->text; status == CLI_DONE && line < end;) {
        char *next = memchr(line, '\n', (size_t)(end - line));
        if (next == NULL) {
            status = fail_manifest(set, "ends within a line");
            break;
        }
        *next = '\0';
        set->line++;
        formatted = formatted || strcmp(line, "\"format\": \"" GOLDEN_FORMAT "\",") == 0;
        if (line[0] == '{' && line[1] != '\0') {
            const bool first = !semantics;
            semantics = true;
            status = take_line(set, line, first);
        }
        line = next + 1;
    }
    if (status == CLI_DONE && (!formatted || !semantics || set->case_count == 0)) {
        status = fail_manifest(set, "is not of this format (" GOLDEN_FORMAT ")");
    }
    /* The script is a file, too. */
    if (status == CLI_DONE &&
        (set->cases_named != (double)set->case_count || set->files_named + 1 != (double)set->file_count)) {
        status = fail_manifest(set, "lists other cases or files than it says there are");
    }
    return status;
}

/* ---- files ---- */

static void report(golden_set *set, bool good, const char *name, const char *what)
{
    if (good) {
        set->sums->passed++;
    } else {
        set->sums->failed++;
        printf("FAILED %s: %s\n", name, what);
    }
}

static void check_files(golden_set *set)
{
    for (size_t i = 0; i < set->file_count; i++) {
        char path[PATH_BYTES + 300], hash[SHA256_TEXT] = "";
        (void)snprintf(path, sizeof path, "%s/%s", set->folder, set->files[i].file);
        const int status = golden_hash(path, hash);
        cli_fail_clear(); /* it is reported */
        report(set, status == CLI_DONE && strcmp(hash, set->files[i].hash) == 0, set->files[i].file,
               status != CLI_DONE ? "is missing or cannot be read" : "was changed: its SHA-256 is another");
    }
}

static bool is_listed(const golden_set *set, const char *name)
{
    size_t i = 0;
    while (i < set->file_count && strcmp(set->files[i].file, name) != 0) {
        i++;
    }
    return i < set->file_count || strcmp(name, GOLDEN_MANIFEST) == 0;
}

/* Reports files of the folder, and of the folders in it, that the manifest does not list. `below`: such a folder, "".
 */
static void check_others(golden_set *set, const char *below)
{
    char path[PATH_BYTES + 300], name[300];
    (void)snprintf(path, sizeof path, "%s/%s", set->folder, below);
    DIR *dir = opendir(path);
    const struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        struct stat state;
        (void)snprintf(name, sizeof name, "%.30s%s%.255s", below, below[0] == '\0' ? "" : "/", entry->d_name);
        (void)snprintf(path, sizeof path, "%s/%s", set->folder, name);
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || lstat(path, &state) != 0) {
            continue;
        }
        if (S_ISDIR(state.st_mode) && below[0] == '\0' && strlen(entry->d_name) < 30) {
            check_others(set, entry->d_name);
        } else if (!is_listed(set, name)) {
            report(set, false, name, "is not in the manifest");
        }
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
}

/* ---- results ---- */

static const char *file_of(const golden_set *set, const char *folder, const char *operand, const char *role)
{
    for (size_t i = 0; i < set->file_count; i++) {
        const golden_line *f = &set->files[i];
        if (f->folder != NULL && strcmp(f->folder, folder) == 0 && strcmp(f->operand, operand) == 0 &&
            strcmp(f->role, role) == 0) {
            return f->file;
        }
    }
    return NULL;
}

static int load(const golden_set *set, const char *folder, const aic_operand *operand, const char *role,
                guard_buffer *buffer)
{
    char path[PATH_BYTES + 300];
    const char *file = file_of(set, folder, operand->name, role);
    if (file == NULL) {
        return cli_fail(CLI_WRONG, "verify: case %.20s has no %s of %s", folder, role, operand->name);
    }
    (void)snprintf(path, sizeof path, "%s/%s", set->folder, file);
    const int status = cli_memory(buffer, operand->name, (uint64_t)operand->bytes);
    return status == CLI_DONE ? operand_read(operand, path, buffer->data) : status;
}

/* A case from its files, but for what is allowed; an old content that it does not have is 0. */
static int open_case(const golden_set *set, const golden_line *line, verify_case *c)
{
    c->semantics = set->semantics;
    aic_status failed = aic_spec_parse(line->operator_text, &c->spec);
    failed = failed == AIC_OK ? aic_spec_operands(c->spec, &set->semantics, c->operand, &c->count) : failed;
    int status = cli_status("verify", failed);
    for (size_t i = 0; status == CLI_DONE && i < c->count; i++) {
        const aic_operand *o = &c->operand[i];
        if (o->direction & AIC_DIRECTION_IN) {
            status = load(set, line->folder, o, "input", &c->content[i]);
        } else if (o->direction == AIC_DIRECTION_OUT) {
            status = cli_memory(&c->content[i], o->name, (uint64_t)o->bytes);
        }
        if (status == CLI_DONE && (o->direction & AIC_DIRECTION_OUT)) {
            c->output = i;
            status = load(set, line->folder, o, "expected", &c->expected);
        }
    }
    return status;
}

/* Whether a file of bounds holds these; of both forms of files the doubles are the end. */
static bool has_bounds(const golden_set *set, const verify_case *c, const golden_line *line, const char *role)
{
    const aic_operand *output = &c->operand[c->output];
    const aic_allowed *allowed = c->allowed.data;
    const int64_t elements = output->elements;
    const char *name = file_of(set, line->folder, output->name, role);
    char path[PATH_BYTES + 300];
    (void)snprintf(path, sizeof path, "%s/%s", set->folder, name != NULL ? name : "");
    FILE *file = name != NULL ? fopen(path, "rb") : NULL; /* check_files() has seen that it is a regular one */
    double *bounds = calloc((size_t)elements + 1, sizeof *bounds);
    bool same = file != NULL && bounds != NULL &&
                fseek(file, -(long)(elements * (int64_t)sizeof *bounds), SEEK_END) == 0 &&
                fread(bounds, sizeof *bounds, (size_t)elements, file) == (size_t)elements;
    for (int64_t i = 0; same && i < elements; i++) {
        const double bound = role[0] == 'l' ? allowed[i].low : allowed[i].high;
        same = bounds[i] == bound || (isnan(bounds[i]) && isnan(bound));
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    free(bounds);
    return same;
}

/* Reports a failure with a message. CLI_SYSTEM: the system's, which says nothing about the case. */
static int report_failed(golden_set *set, int status, const char *folder)
{
    if (status == CLI_SYSTEM) {
        return CLI_SYSTEM;
    }
    report(set, false, folder, cli_fail_message());
    cli_fail_clear();
    return CLI_DONE;
}

/* The same of a call of the library. */
static int report_status(golden_set *set, aic_status status, const char *folder)
{
    if (status == AIC_OUT_OF_MEMORY || status == AIC_IO) {
        return cli_status("verify", status);
    }
    report(set, false, folder, aic_last_error());
    return CLI_DONE;
}

/* Of accumulate=fast: what is right, which the files must say, too. */
static int bound_case(golden_set *set, verify_case *c, const golden_line *line)
{
    void *pointers[AIC_OPERANDS_MAX];
    verify_contents(c, pointers);
    const int status =
        golden_allowed(c->spec, &set->semantics, pointers, c->count, &c->operand[c->output], &c->allowed);
    if (status != CLI_DONE) {
        return report_failed(set, status, line->folder);
    }
    const bool same = has_bounds(set, c, line, "low") && has_bounds(set, c, line, "high");
    report(set, same, line->folder, "the bounds are others");
    return CLI_DONE;
}

/* Runs the reference (kernel NULL) or the kernel, and reports whether the result is the expected one. */
static int run_case(golden_set *set, const verify_case *c, aic_kernel *kernel, const char *folder)
{
    void *pointers[AIC_OPERANDS_MAX];
    guard_buffer result = {.data = NULL};
    verify_report wrong;
    const aic_operand *output = &c->operand[c->output];
    int status = cli_memory(&result, output->name, (uint64_t)output->bytes);
    if (status != CLI_DONE) {
        return status;
    }
    verify_contents(c, pointers);
    memcpy(result.data, pointers[c->output], (size_t)output->bytes);
    pointers[c->output] = result.data;
    const aic_status failed = kernel != NULL ? aic_kernel_call(kernel, pointers, c->count)
                                             : aic_reference(c->spec, &set->semantics, pointers, c->count);
    (void)aic_take_warning();
    if (failed == AIC_OK) {
        report(set, verify_compare(c, result.data, "", &wrong) == VERIFY_PASSED, folder,
               kernel != NULL ? "the kernel gives another result" : "the reference gives another result");
    } else {
        status = report_status(set, failed, folder);
    }
    guard_close(&result);
    return status;
}

static int run_kernel(golden_set *set, const verify_case *c, aic_context *context, const char *folder)
{
    aic_kernel *kernel = NULL;
    const aic_status made = aic_kernel_create(context, c->spec, NULL, &kernel);
    cli_show_warning(); /* of a cache or a tuning file that is not used */
    const int status = made == AIC_OK ? run_case(set, c, kernel, folder) : report_status(set, made, folder);
    aic_kernel_destroy(kernel);
    return status;
}

/* CLI_DONE: it is reported; CLI_SYSTEM: it cannot be. */
static int check_case(golden_set *set, const golden_line *line, aic_context *context)
{
    verify_case c = {.spec = NULL};
    int status = open_case(set, line, &c);
    if (status != CLI_DONE) {
        status = report_failed(set, status, line->folder);
    } else {
        status = run_case(set, &c, NULL, line->folder);
        if (status == CLI_DONE && !aic_spec_exact(c.spec)) {
            status = bound_case(set, &c, line);
        }
        if (status == CLI_DONE && aic_spec_check_choices(c.spec, &set->semantics) == AIC_OK) {
            status = run_kernel(set, &c, context, line->folder);
        }
    }
    verify_close(&c);
    return status;
}

int golden_verify(const char *folder, golden_sums *sums)
{
    golden_set set = {.folder = folder, .sums = sums};
    aic_context *context = NULL;
    int status = read_manifest(&set);
    if (status == CLI_DONE) {
        aic_context_options options = aic_context_options_init();
        options.semantics = set.semantics;
        status = cli_status("verify", aic_context_create(&options, &context));
    }
    if (status == CLI_DONE) {
        check_files(&set);
        check_others(&set, "");
        for (size_t i = 0; status == CLI_DONE && i < set.case_count && sums->failed == 0 && !interrupt_requested();
             i++) {
            status = check_case(&set, &set.cases[i], context);
        }
        status = status == CLI_DONE && sums->failed != 0 ? CLI_MISMATCH : status;
    }
    aic_context_destroy(context);
    free(set.cases);
    free(set.files);
    free(set.text);
    return status;
}
