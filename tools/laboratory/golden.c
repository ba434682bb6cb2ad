/* Writing golden data; see golden.h. Everything is written into a folder of another name beside the wanted one, which
 * is renamed when it is complete. */
#include "tools/laboratory/golden.h"

#include "tools/harness/fail.h"
#include "tools/harness/fill.h"
#include "tools/harness/operand_file.h"
#include "tools/harness/operand_text.h"
#include "tools/harness/sha256.h"
#include "tools/harness/testdata.h"
#include "tools/json.h"
#include "tools/sheet.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 1200, NAME_BYTES = 100 };

static const char SCRIPT[] =
    "#!/usr/bin/env python3\n"
    "\"\"\"verify.py [RESULTS] checks these golden data, or with them a device's results: files of the same names in "
    "RESULTS.\"\"\"\n"
    "import hashlib, json, pathlib, sys\n"
    "\n"
    "import numpy as np\n"
    "\n"
    "here = pathlib.Path(__file__).resolve().parent\n"
    "raw = {\"half\": \"<f2\", \"float\": \"<f4\", \"bfloat16\": \"<u2\"}\n"
    "\n"
    "def load(path, dtype):\n"
    "    return (np.load(path) if path.suffix == \".npy\" else np.fromfile(path, raw.get(dtype, dtype))).reshape(-1)\n"
    "\n"
    "def check(entry):\n"
    "    path, dtype = here / entry[\"file\"], entry[\"dtype\"]\n"
    "    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != entry[\"sha256\"]:\n"
    "        return False\n"
    "    result = pathlib.Path(sys.argv[-1]) / entry[\"file\"]\n"
    "    if len(sys.argv) == 1 or entry[\"role\"] != \"expected\":\n"
    "        return True\n"
    "    got, want = load(result, dtype) if result.is_file() else np.zeros(0), load(path, dtype)\n"
    "    if got.dtype != want.dtype or got.shape != want.shape:\n"
    "        return False\n"
    "    x, y = ((a.astype(\"<u4\") << 16).view(\"<f4\") if dtype == \"bfloat16\" else a for a in (got, want))\n"
    "    good = (got.view(\"u%d\" % got.itemsize) == want.view(\"u%d\" % want.itemsize)) | ((x != x) & (y != y))\n"
    "    if \"low\" in entry:  # accumulate=fast: every order of summation is right; bytes count modulo 256\n"
    "        low, high = (load(here / entry[end], \"<f8\") for end in (\"low\", \"high\"))\n"
    "        for shift in (-256, 0, 256) if got.itemsize == 1 else (0,):\n"
    "            good |= (low <= x.astype(\"<f8\") + shift) & (x.astype(\"<f8\") + shift <= high)\n"
    "    return bool(good.all())\n"
    "\n"
    "files = json.loads((here / \"manifest.json\").read_text())[\"files\"]\n"
    "failed = [entry[\"file\"] for entry in files if not check(entry)]\n"
    "print(\"\".join(\"FAILED %s\\n\" % name for name in failed) + \"%d passed, %d failed\" % (len(files) - "
    "len(failed), len(failed)))\n"
    "sys.exit(bool(failed))\n";

/* ---- the folder ---- */

typedef struct golden_writer {
    const golden_request *request;
    char folder[PATH_BYTES]; /* the temporary one; "" before it is made */
    FILE *cases, *files;     /* parts of the manifest */
    char *cases_text, *files_text;
    size_t cases_size, files_size;
    uint64_t number, files_written; /* cases and files */
} golden_writer;

static int make_folder(golden_writer *w)
{
    const char *folder = w->request->folder;
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') {
        length--;
    }
    if (length == 0 || length > PATH_BYTES - NAME_BYTES) {
        return cli_fail(CLI_WRONG, "golden: -o: a folder's name has 1 to %d bytes", PATH_BYTES - NAME_BYTES);
    }
    (void)snprintf(w->folder, sizeof w->folder, "%.*s.XXXXXX", (int)length, folder);
    if (mkdtemp(w->folder) == NULL) {
        w->folder[0] = '\0';
        return cli_fail(CLI_WRONG, "golden: -o: \"%s\" cannot be made: %s", folder, strerror(errno));
    }
    (void)chmod(w->folder, 0755);
    return CLI_DONE;
}

/* Whether the wanted folder is in the way: it holds something. */
static int check_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    int entries = 0;
    if (dir == NULL) {
        return errno == ENOENT ? CLI_DONE : cli_fail(CLI_WRONG, "golden: -o: \"%s\": %s", folder, strerror(errno));
    }
    while (entries <= 2 && readdir(dir) != NULL) {
        entries++;
    }
    (void)closedir(dir);
    return entries <= 2 ? CLI_DONE : cli_fail(CLI_WRONG, "golden: -o: \"%s\" is not empty", folder);
}

/* Removes what was written: folders of cases with files, and files. */
static void remove_folder(const char *folder, int depth)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        char path[PATH_BYTES];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path) {
            continue;
        }
        if (unlink(path) != 0 && depth > 0) {
            remove_folder(path, depth - 1);
        }
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
    (void)rmdir(folder);
}

static int write_text(const golden_writer *w, const char *name, const char *text, size_t size)
{
    char path[PATH_BYTES + NAME_BYTES];
    outfile file = {.fd = -1};
    (void)snprintf(path, sizeof path, "%s/%s", w->folder, name);
    int status = outfile_open(&file, "golden", path);
    status = status == CLI_DONE ? outfile_write(&file, "golden", text, size) : status;
    status = status == CLI_DONE ? outfile_commit(&file, "golden") : status;
    outfile_close(&file);
    return status;
}

/* ---- one case ---- */

static void put_member(FILE *out, const char *key, const char *text)
{
    json_put_string(out, key);
    (void)fputs(": ", out);
    json_put_string(out, text);
}

/* An object in a line of its own, but for its end. */
static void put_line(FILE *out, bool first, const char *const members[][2], size_t count)
{
    (void)fputs(first ? "{" : ",\n{", out);
    for (size_t i = 0; i < count; i++) {
        (void)fputs(i == 0 ? "" : ", ", out);
        put_member(out, members[i][0], members[i][1]);
    }
}

/* What is written as "CASE/OPERAND[.ROLE].npy": the operand's elements, or of the roles "low" and "high" doubles. */
typedef struct golden_item {
    const char *case_name, *role;
    const aic_operand *operand;
    const void *data;
    bool bounded; /* a file of each of these roles is beside it */
} golden_item;

/* Doubles of the operand's shape: a header of 8 bytes an element says so but for the letter of the type. */
static int write_doubles(const golden_item *item, const char *path, outfile *file)
{
    aic_operand doubles = *item->operand;
    char header[AIC_NPY_WRITTEN_MAX + 1] = {0};
    size_t size, type = 0;
    doubles.dtype = AIC_UINT64;
    const aic_status failed = aic_npy_format(&doubles, header, &size);
    if (failed != AIC_OK) {
        return cli_status("golden", failed);
    }
    while (memcmp(header + type, "<u8", strlen("<u8")) != 0) {
        type++;
    }
    header[type + 1] = 'f';
    const bool raw = outfile_ends(path, ".bin");
    const int status = raw ? CLI_DONE : outfile_write(file, doubles.name, header, size);
    return status == CLI_DONE ? outfile_write(file, doubles.name, item->data, (size_t)doubles.elements * sizeof(double))
                              : status;
}

static bool is_bound(const golden_item *item)
{
    return strcmp(item->role, "low") == 0 || strcmp(item->role, "high") == 0;
}

static void name_file(const golden_writer *w, const golden_item *item, const char *role, char name[NAME_BYTES])
{
    const bool input = strcmp(role, "input") == 0;
    (void)snprintf(name, NAME_BYTES, "%s/%s%s%s%s", item->case_name, item->operand->name, input ? "" : ".",
                   input ? "" : role, w->request->raw ? ".bin" : ".npy");
}

/* Writes the file and its line of the manifest. */
static int write_item(golden_writer *w, const golden_item *item)
{
    char name[NAME_BYTES], low[NAME_BYTES], high[NAME_BYTES], path[PATH_BYTES + 2 * NAME_BYTES];
    char shape[OPERAND_TEXT_MAX], hash[SHA256_TEXT];
    const aic_operand *o = item->operand;
    outfile file = {.fd = -1};
    name_file(w, item, item->role, name);
    name_file(w, item, "low", low);
    name_file(w, item, "high", high);
    (void)snprintf(path, sizeof path, "%s/%s", w->folder, name);
    int status = outfile_open(&file, o->name, path);
    if (status == CLI_DONE) {
        status = is_bound(item) ? write_doubles(item, path, &file) : operand_write(o, path, item->data, &file);
    }
    status = status == CLI_DONE ? outfile_commit(&file, o->name) : status;
    outfile_close(&file);
    status = status == CLI_DONE ? golden_hash(path, hash) : status;
    if (status != CLI_DONE) {
        return status;
    }
    shape_text(o->rank, o->shape, shape);
    const char *const members[][2] = {{"case", item->case_name},
                                      {"operand", o->name},
                                      {"role", item->role},
                                      {"dtype", is_bound(item) ? "float64" : aic_dtype_name(o->dtype)},
                                      {"shape", shape},
                                      {"file", name},
                                      {"sha256", hash},
                                      {"low", low},
                                      {"high", high}};
    put_line(w->files, w->files_written++ == 0, members, sizeof members / sizeof members[0] - (item->bounded ? 0 : 2));
    (void)fputs("}", w->files);
    return CLI_DONE;
}

/* Whether corners of an operand make sums overflow on the way, of which the bounds of accumulate=fast say nothing. */
static bool overflows(const aic_spec *spec, const aic_operand *o)
{
    return !aic_spec_exact(spec) && (o->dtype == AIC_FLOAT32 || o->dtype == AIC_BFLOAT16);
}

static int fill_random(cli_operand *o, uint64_t seed)
{
    char how[48];
    (void)snprintf(how, sizeof how, "random:%" PRIu64, seed);
    return fill_operand(&o->operand, how, o->buffer.data);
}

/* Contents of every operand that no option gives; of "random:SEED" in a later case those of the next seeds. */
static int fill_case(const golden_request *r, const aic_spec *spec, cli_operands *set, int64_t number)
{
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < set->count; i++) {
        cli_operand *o = &set->items[i];
        static const char random[] = "random:";
        const uint64_t seed = (uint64_t)(r->seed + number) + i;
        if (o->operand.direction == AIC_DIRECTION_UNUSED || o->in != NULL) {
            continue;
        }
        if (o->fill == NULL && overflows(spec, &o->operand)) {
            status = fill_random(o, seed);
        } else if (o->fill == NULL) {
            testdata_fill_for(spec, &o->operand, seed, o->buffer.data);
        } else if (number > 0 && strncmp(o->fill, random, sizeof random - 1) == 0) {
            status = fill_random(o, (uint64_t)strtoull(o->fill + sizeof random - 1, NULL, 10) + (uint64_t)number);
        }
    }
    return status;
}

static int write_inputs(golden_writer *w, const cli_operands *set, const char *folder)
{
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < set->count; i++) {
        const cli_operand *o = &set->items[i];
        if (o->operand.direction == AIC_DIRECTION_IN || o->operand.direction == AIC_DIRECTION_INOUT) {
            status = write_item(w, &(golden_item){folder, "input", &o->operand, o->buffer.data, false});
        }
    }
    return status;
}

/* The least and the largest number that is right for each element. */
static int write_bounds(golden_writer *w, const aic_spec *spec, const cli_operands *set, const cli_operand *o,
                        const char *folder)
{
    guard_buffer allowed = {.data = NULL};
    double *bounds[2] = {NULL, NULL};
    int status =
        golden_allowed(spec, &w->request->session->semantics, set->pointers, set->count, &o->operand, &allowed);
    for (size_t end = 0; end < 2 && status == CLI_DONE; end++) {
        bounds[end] = calloc((size_t)o->operand.elements + 1, sizeof(double));
        status = bounds[end] != NULL ? CLI_DONE : cli_fail(CLI_SYSTEM, "golden: memory ran out");
    }
    const aic_allowed *right = allowed.data;
    for (int64_t i = 0; status == CLI_DONE && i < o->operand.elements; i++) {
        bounds[0][i] = right[i].low;
        bounds[1][i] = right[i].high;
    }
    for (size_t end = 0; end < 2 && status == CLI_DONE; end++) {
        status = write_item(w, &(golden_item){folder, end == 0 ? "low" : "high", &o->operand, bounds[end], false});
    }
    guard_close(&allowed);
    free(bounds[0]);
    free(bounds[1]);
    return status;
}

static int write_expected(golden_writer *w, const aic_spec *spec, const cli_operands *set, const char *folder)
{
    const bool exact = aic_spec_exact(spec);
    const cli_operand *o = &set->items[operands_written(set)];
    if (o->operand.direction == AIC_DIRECTION_OUT) { /* what is not written is 0 */
        memset(o->buffer.data, 0, (size_t)o->operand.bytes);
    }
    /* The bounds come before an old content is gone. */
    int status = exact ? CLI_DONE : write_bounds(w, spec, set, o, folder);
    if (status == CLI_DONE) {
        status = cli_status("golden", aic_reference(spec, &w->request->session->semantics, set->pointers, set->count));
        (void)aic_take_warning();
    }
    const golden_item expected = {folder, "expected", &o->operand, o->buffer.data, !exact};
    return status == CLI_DONE ? write_item(w, &expected) : status;
}

/* Adds `text` behind what is there already. */
static void add_text(char *list, size_t capacity, const char *separator, const char *text)
{
    const size_t used = strlen(list);
    (void)snprintf(list + used, capacity - used, "%s%s", used == 0 ? "" : separator, text);
}

/* The line of a case but for its end: what it is, and on which choices its results depend. */
static void put_case(const golden_writer *w, const aic_spec *spec, const char *folder, const char *text)
{
    enum { LIST_MAX = 1024 };
    char about[LIST_MAX] = "", depends[LIST_MAX] = "";
    const aic_choice *choice;
    for (size_t s = 0; s < aic_spec_stages(spec); s++) {
        add_text(about, LIST_MAX, " | ", sheet_of(aic_spec_stage_op(spec, s))->about);
    }
    for (size_t c = 0; (choice = aic_choice_at(c)) != NULL; c++) {
        bool matters = false;
        const aic_semantics *semantics = &w->request->session->semantics;
        if (aic_spec_choice_matters(spec, semantics, choice->key, &matters) == AIC_OK && matters) {
            add_text(depends, LIST_MAX, ", ", choice->key);
        }
    }
    const char *const members[][2] = {{"case", folder}, {"operator", text}, {"about", about}, {"depends_on", depends}};
    put_line(w->cases, w->number == 1, members, sizeof members / sizeof members[0]);
}

static int write_case(golden_writer *w, const aic_spec *spec, const char *text, int64_t number)
{
    cli_operands set = *w->request->operands;
    char folder[32], path[PATH_BYTES + 32];
    (void)snprintf(folder, sizeof folder, "%06" PRIu64, ++w->number);
    (void)snprintf(path, sizeof path, "%s/%s", w->folder, folder);
    int status = operands_list(&set, spec, &w->request->session->semantics, NULL);
    set.inputs_optional = true;
    status = status == CLI_DONE ? operands_bind(&set) : status;
    status = status == CLI_DONE ? operands_load(&set) : status;
    status = status == CLI_DONE ? fill_case(w->request, spec, &set, number) : status;
    if (status == CLI_DONE && mkdir(path, 0755) != 0) {
        status = cli_fail(CLI_SYSTEM, "golden: \"%s\": %s", path, strerror(errno));
    }
    status = status == CLI_DONE ? write_inputs(w, &set, folder) : status;
    status = status == CLI_DONE ? write_expected(w, spec, &set, folder) : status;
    if (status == CLI_DONE) {
        put_case(w, spec, folder, text);
        (void)fprintf(w->cases, ", \"seed\": %" PRId64 "}", w->request->seed + number);
    }
    operands_release(&set);
    return status;
}

static int write_cases(golden_writer *w, const aic_spec *spec)
{
    char *text = cli_spec_text(spec);
    int status = text != NULL ? CLI_DONE : cli_fail(CLI_SYSTEM, "golden: memory ran out");
    for (int64_t i = 0; status == CLI_DONE && i < w->request->count; i++) {
        status = interrupt_requested() ? cli_fail(CLI_MISMATCH, "golden: interrupted") : write_case(w, spec, text, i);
    }
    free(text);
    return status;
}

/* ---- the manifest ---- */

static void put_semantics(FILE *out, const aic_semantics *semantics)
{
    const struct {
        const char *name;
        field_kind kind;
        int64_t value;
    } options[] = {
#define AIC_FIELD(kind, name, count, need, fallback) {#name, KIND_##kind, (int64_t)semantics->name},
#include <aic/choices.def>
#include <aic/semantics.def>
#undef AIC_FIELD
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        (void)fputs(i == 0 ? "" : ", ", out);
        if (options[i].kind == KIND_INT) {
            (void)fprintf(out, "\"%s\": %" PRId64, options[i].name, options[i].value);
        } else {
            put_member(out, options[i].name, kind_word(options[i].kind, options[i].value));
        }
    }
}

static void put_choices(FILE *out, const aic_semantics *semantics)
{
    const aic_choice *choice;
    const aic_reading *reading;
    for (size_t c = 0; (choice = aic_choice_at(c)) != NULL; c++) {
        size_t r = 0;
        const char *value = aic_semantics_choice(semantics, choice->key);
        while ((reading = aic_reading_at(r)) != NULL &&
               (strcmp(reading->key, choice->key) != 0 || strcmp(reading->value, value) != 0)) {
            r++;
        }
        const char *const members[][2] = {{"key", choice->key},
                                          {"value", value},
                                          {"origin", reading->origin},
                                          {"row", choice->row},
                                          {"meaning", reading->meaning}};
        put_line(out, c == 0, members, sizeof members / sizeof members[0]);
        (void)fputs("}", out);
    }
}

static int write_manifest(golden_writer *w)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL || fflush(w->cases) != 0 || fflush(w->files) != 0) {
        return cli_fail(CLI_SYSTEM, "golden: memory ran out");
    }
    (void)fputs("{\n", out);
    put_member(out, "format", GOLDEN_FORMAT);
    (void)fputs(",\n", out);
    put_member(out, "aicjit", aic_version());
    (void)fputs(",\n\"semantics\":\n{", out);
    put_semantics(out, &w->request->session->semantics);
    (void)fputs("},\n\"choices\": [\n", out);
    put_choices(out, &w->request->session->semantics);
    char hash[SHA256_TEXT];
    sha256_text((const unsigned char *)SCRIPT, sizeof SCRIPT - 1, hash);
    (void)fprintf(out, "\n],\n\"script\": [\n{\"file\": \"" GOLDEN_SCRIPT "\", \"sha256\": \"%s\"}\n]", hash);
    (void)fprintf(out, ",\n\"counts\": [\n{\"cases\": %" PRIu64 ", \"files\": %" PRIu64 "}", w->number,
                  w->files_written);
    (void)fprintf(out, "\n],\n\"cases\": [\n%s\n],\n\"files\": [\n%s\n]\n}\n", w->cases_text, w->files_text);
    const bool incomplete = ferror(out) != 0;
    int status = fclose(out) != 0 || incomplete ? cli_fail(CLI_SYSTEM, "golden: memory ran out") : CLI_DONE;
    if (status == CLI_DONE && size > GOLDEN_MANIFEST_MAX) {
        status =
            cli_fail(CLI_WRONG, "golden: the manifest would have %zu bytes, more than %d", size, GOLDEN_MANIFEST_MAX);
    }
    status = status == CLI_DONE ? write_text(w, GOLDEN_MANIFEST, text, size) : status;
    free(text);
    return status;
}

/* ---- all of it ---- */

static int publish(golden_writer *w)
{
    if (rename(w->folder, w->request->folder) != 0) {
        return cli_fail(CLI_WRONG, "golden: -o: \"%s\": %s", w->request->folder, strerror(errno));
    }
    w->folder[0] = '\0';
    return CLI_DONE;
}

int golden_write(const golden_request *request)
{
    golden_writer w = {.request = request};
    w.cases = open_memstream(&w.cases_text, &w.cases_size);
    w.files = open_memstream(&w.files_text, &w.files_size);
    int status = w.cases != NULL && w.files != NULL ? CLI_DONE : cli_fail(CLI_SYSTEM, "golden: memory ran out");
    status = status == CLI_DONE ? check_folder(request->folder) : status;
    status = status == CLI_DONE ? make_folder(&w) : status;
    for (size_t i = 0; status == CLI_DONE && i < request->list->count; i++) {
        status = write_cases(&w, request->list->items[i]);
    }
    status = status == CLI_DONE ? write_manifest(&w) : status;
    status = status == CLI_DONE ? write_text(&w, GOLDEN_SCRIPT, SCRIPT, sizeof SCRIPT - 1) : status;
    status = status == CLI_DONE ? publish(&w) : status;
    if (w.folder[0] != '\0') {
        remove_folder(w.folder, 1);
    }
    if (status == CLI_DONE) {
        printf("%" PRIu64 " cases in %s\n", w.number, request->folder);
    }
    FILE *const streams[] = {w.cases, w.files};
    for (size_t i = 0; i < 2; i++) {
        if (streams[i] != NULL) {
            (void)fclose(streams[i]);
        }
    }
    free(w.cases_text);
    free(w.files_text);
    return status;
}
