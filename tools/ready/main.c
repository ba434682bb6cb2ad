/* Makes the ready-made parts of a level (codegen/ready_file.h), when the library is built:
 *
 *     aicjit-ready SHAPES LEVEL MODULE
 *
 * SHAPES has an operator text a line; {a,b} in it stands for a line with a and one with b, <a,b> and <c,d> together for
 * one with a and c and one with b and d. The kernel of each line is planned, and all parts that it asks for are written
 * to the file beside MODULE; its own code is not made.
 * LEVEL may be "host": the highest that this machine has. */
#include "codegen/codegen.h"
#include "codegen/ready_file.h"
#include "codegen/target/host.h"
#include "frontend/core/bytes.h"
#include "frontend/core/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1280, PARTS_MAX = 16384 };

/* What is made. */
typedef struct making {
    aic_part_source source; /* the first member */
    const aic_target *target;
    size_t kernels, count;
    uint64_t hash[PARTS_MAX]; /* of the parts' identities */
    aic_ready_part part[PARTS_MAX];
} making;

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "aicjit-ready: %s: %s\n", what, why);
    return EXIT_FAILURE;
}

/* ---- parts ---- */

static aic_status take(aic_part_source *source, const aic_part_identity *identity,
                       aic_status (*make)(void *what, aic_piece *piece), void *what, const aic_piece **piece,
                       aic_part_origin *origin)
{
    making *m = (making *)source;
    const uint64_t hash = aic_hash_bytes(identity->bytes, identity->size);
    size_t i = 0;
    while (i < m->count && (m->hash[i] != hash || m->part[i].identity.size != identity->size ||
                            memcmp(m->part[i].identity.bytes, identity->bytes, identity->size) != 0)) {
        i++;
    }
    *origin = i < m->count ? AIC_PART_READY : AIC_PART_MADE;
    aic_status status = AIC_OK;
    if (i == m->count) {
        status = i < PARTS_MAX ? make(what, &m->part[i].piece) : AIC_UNSUPPORTED;
        m->part[i].identity = *identity;
        m->hash[i] = hash;
        m->count += status == AIC_OK;
    }
    *piece = &m->part[i].piece;
    return status;
}

static void give_back(aic_part_source *source, const aic_piece *piece)
{
    (void)source, (void)piece;
}

/* ---- kernels ---- */

/* Whether cores of a type can run the level. */
static bool can_run(aic_core core, const aic_target *target)
{
    return core == AIC_CORE_GOLDEN_COVE || (target->needs & (AIC_CPU_FP16 | AIC_CPU_TILES)) == 0;
}

/* Kernels that are planned for another type of core take other parts: those for each that can run the level. */
static aic_status take_parts(making *m, const aic_spec *canonical, const aic_semantics *semantics)
{
    aic_status status = AIC_OK;
    for (int core = 0; core < AIC_CORES && status == AIC_OK; core++) {
        const aic_codegen_request request = {.count = 1,
                                             .spec = canonical,
                                             .semantics = semantics,
                                             .target = m->target,
                                             .machine = aic_machine_of((aic_core)core),
                                             .parts = &m->source};
        status = can_run((aic_core)core, m->target) ? aic_codegen_take_parts(&request) : AIC_OK;
    }
    return status;
}

static aic_status make_kernel(making *m, const char *text)
{
    const aic_semantics semantics = aic_semantics_init();
    aic_spec spec, canonical;
    aic_words words;
    aic_status status = aic_spec_read(text, &spec);
    if (status == AIC_OK) {
        status = aic_spec_resolve_kernel(&spec, &semantics, &canonical);
    }
    if (status == AIC_OK) {
        aic_spec_take_words(&canonical, &semantics, &words);
        status = take_parts(m, &canonical, &semantics);
    }
    m->kernels += status == AIC_OK;
    return status;
}

/* Puts the alternatives of this number, from 0 on, in place of those in angle brackets; false: there is none. */
static bool take_together(const char *line, size_t number, char other[LINE])
{
    size_t length = 0;
    for (; *line != '\0' && length + 1 < LINE; line++) {
        const char *close = *line == '<' ? strchr(line, '>') : NULL;
        for (size_t i = 0; close != NULL && i < number; i++) {
            line += 1 + strcspn(line + 1, ",>");
            if (line == close) {
                return false;
            }
        }
        const size_t taken = close != NULL ? strcspn(line + 1, ",>") : 1;
        const char *from = close != NULL ? line + 1 : line;
        for (size_t i = 0; i < taken && length + 1 < LINE; i++) {
            other[length++] = from[i];
        }
        line = close != NULL ? close : line;
    }
    other[length] = '\0';
    return true;
}

/* Makes the kernels of a line without braces. */
static aic_status make_together(making *m, const char *line)
{
    char other[LINE];
    if (strchr(line, '<') == NULL) {
        return make_kernel(m, line);
    }
    aic_status status = AIC_OK;
    for (size_t i = 0; status == AIC_OK && take_together(line, i, other); i++) {
        status = make_kernel(m, other);
    }
    return status;
}

/* Makes the kernels of a line, all that its braces stand for: the first alternatives are put in, and the rest of the
 * line is looked at again. */
static aic_status make_all(making *m, const char *line)
{
    const char *open = strchr(line, '{'), *close = open != NULL ? strchr(open, '}') : NULL;
    if (close == NULL) {
        return make_together(m, line);
    }
    aic_status status = AIC_OK;
    for (const char *at = open + 1; at <= close && status == AIC_OK;) {
        char other[LINE];
        const size_t length = strcspn(at, ",}");
        snprintf(other, sizeof other, "%.*s%.*s%s", (int)(open - line), line, (int)length, at, close + 1);
        status = make_all(m, other);
        at += length + 1;
    }
    return status;
}

static int make_shapes(making *m, FILE *shapes)
{
    char line[LINE];
    while (fgets(line, sizeof line, shapes) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '#' && line[0] != '\0' && make_all(m, line) != AIC_OK) {
            return fail(line, aic_last_error());
        }
    }
    return ferror(shapes) != 0 ? fail("the list of shapes", "cannot be read") : EXIT_SUCCESS;
}

/* ---- files ---- */

static int write_file(making *m, const char *module)
{
    char path[4096];
    unsigned char *bytes;
    size_t size;
    if (snprintf(path, sizeof path, "%s.%s" AIC_READY_SUFFIX, module, m->target->name) >= (int)sizeof path) {
        return fail(module, "this path is too long");
    }
    if (aic_ready_file_write(m->target->name, m->part, m->count, &bytes, &size) != AIC_OK) {
        return fail(path, aic_last_error());
    }
    FILE *file = fopen(path, "wb");
    bool good = file != NULL && fwrite(bytes, 1, size, file) == size;
    good = (file == NULL || fclose(file) == 0) && good;
    free(bytes);
    if (!good) {
        (void)remove(path);
        return fail(path, "cannot be written");
    }
    printf("%s: %zu parts of %zu kernels, %zu bytes\n", m->target->name, m->count, m->kernels, size);
    return EXIT_SUCCESS;
}

static const aic_target *find_level(const char *name)
{
    return strcmp(name, "host") == 0 ? aic_host_best(aic_host_this(), aic_host_arch())
                                     : aic_target_find(AIC_ARCH_X86_64, name);
}

int main(int count, char **argument)
{
    static making m = {.source = {.take = take, .give_back = give_back}};
    if (count != 4) {
        return fail("usage", "aicjit-ready SHAPES LEVEL MODULE");
    }
    m.target = find_level(argument[2]);
    FILE *shapes = fopen(argument[1], "r");
    if (m.target == NULL || shapes == NULL) {
        return m.target == NULL ? fail(argument[2], "there is no such level") : fail(argument[1], "cannot be read");
    }
    int status = make_shapes(&m, shapes);
    (void)fclose(shapes);
    if (status == EXIT_SUCCESS) {
        status = write_file(&m, argument[3]);
    }
    for (size_t i = 0; i < m.count; i++) {
        aic_piece_free(&m.part[i].piece);
    }
    return status;
}
