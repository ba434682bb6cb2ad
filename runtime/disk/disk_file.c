/* Files of the disk cache as bytes; see disk_file.h. */
#include "runtime/disk/disk_file.h"
#include "codegen/build_name.h"
#include "frontend/core/bytes.h"
#include "frontend/core/diag.h"
#include "frontend/text/sink.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char MAGIC_OF_KERNEL[] = "AICF", MAGIC_OF_PART[] = "AICP";

enum { WORD = 8, NUMBER = 4, MAGIC_BYTES = 4, HASH_BYTES = 4 + NUMBER + WORD /* tag, length, sum */ };

/* ---- writing ---- */

/* What is to be written: a kernel or a part. */
typedef struct contents {
    const char *magic, *what;
    const void *identity;
    size_t identity_bytes;
    const aic_object *object; /* NULL: a part */
    const aic_piece *piece;
} contents;

static void write_section(aic_writer *out, const char *tag, const void *bytes, size_t size)
{
    const size_t section = aic_write_begin(out, tag);
    aic_write_bytes(out, bytes, size);
    aic_write_end(out, section);
}

static void write_number_section(aic_writer *out, const char *tag, uint64_t number)
{
    const size_t section = aic_write_begin(out, tag);
    aic_write_number(out, number, WORD);
    aic_write_end(out, section);
}

static void write_object(aic_writer *out, const aic_object *object)
{
    aic_kernel_record record;
    aic_object_record(object, &record);
    const size_t section = aic_write_begin(out, "RECD");
    aic_kernel_record_write(&record, out);
    aic_write_end(out, section);
    write_number_section(out, "SIZE", object->size);
    write_section(out, "IMAG", object->image.bytes, object->image.size);
}

static void write_file(aic_writer *out, const contents *c)
{
    aic_write_bytes(out, c->magic, MAGIC_BYTES);
    aic_write_number(out, AIC_DISK_VERSION, NUMBER);
    const size_t section = aic_write_begin(out, "BILD");
    aic_write_text(out, aic_build_name);
    aic_write_text(out, aic_build_llvm);
    aic_write_end(out, section);
    write_section(out, "WHAT", c->what, strlen(c->what));
    write_section(out, "IDEN", c->identity, c->identity_bytes);
    if (c->object != NULL) {
        write_object(out, c->object);
    } else {
        write_section(out, "PIEC", c->piece->bytes, c->piece->size);
    }
    write_number_section(out, "HASH", out->size <= out->capacity ? aic_checksum(out->bytes, out->size) : 0);
}

static aic_status write_all(const contents *c, unsigned char **bytes, size_t *size)
{
    aic_writer measure = {NULL, 0, 0};
    write_file(&measure, c);
    aic_writer out = {malloc(measure.size), measure.size, 0};
    if (out.bytes == NULL) {
        return aic_fail_memory("disk cache", measure.size);
    }
    write_file(&out, c);
    *bytes = out.bytes;
    *size = out.size;
    return AIC_OK;
}

aic_status aic_disk_file_write(const aic_codegen_request *request, const aic_identity *identity,
                               const aic_object *object, unsigned char **bytes, size_t *size)
{
    char *what;
    aic_status status = aic_identity_print(request, &what);
    if (status == AIC_OK) {
        const contents c = {MAGIC_OF_KERNEL, what, identity->bytes, identity->size, object, NULL};
        status = write_all(&c, bytes, size);
        free(what);
    }
    return status;
}

static void print_part(FILE *text, aic_reader *in)
{
    (void)aic_read_text(in); /* build and LLVM, which have a section of their own */
    (void)aic_read_text(in);
    const aic_slice level = aic_read_text(in);
    const uint64_t features = aic_read_number(in, WORD);
    const aic_slice kind = aic_read_text(in);
    const uint64_t fields = aic_read_number(in, WORD);
    fprintf(text, "part %.*s, fields %016" PRIx64 ", key", (int)kind.length, kind.text, fields);
    while (in->left > 0 && !in->bad) {
        fprintf(text, " %" PRIu64, aic_read_short(in));
    }
    fprintf(text, "\ntarget %.*s, features %016" PRIx64 "\n", (int)level.length, level.text, features);
}

/* What a part is, malloc'ed lines; NULL: memory runs out, or the bytes are no identity of this version. */
static char *print_identity(const aic_part_identity *identity)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    aic_reader in = {.at = identity->bytes, .left = identity->size};
    if (out == NULL) {
        return NULL;
    }
    print_part(out, &in);
    if (aic_stream_end(out, &text) && in.bad) {
        free(text);
        text = NULL;
    }
    return text;
}

aic_status aic_disk_part_write(const aic_part_identity *identity, const aic_piece *piece, unsigned char **bytes,
                               size_t *size)
{
    char *what = print_identity(identity);
    if (what == NULL) {
        return aic_fail_memory("disk cache", identity->size);
    }
    const contents c = {MAGIC_OF_PART, what, identity->bytes, identity->size, NULL, piece};
    const aic_status status = write_all(&c, bytes, size);
    free(what);
    return status;
}

/* ---- reading ---- */

static const char STRANGE[] = "it is not what it says it is";

static aic_slice read_section(aic_reader *in, const char *tag)
{
    const aic_reader section = aic_read_section(in, tag);
    return (aic_slice){(const char *)section.at, section.left};
}

/* Whether the sum at the end is that of what comes before. */
static bool sum_is_good(const unsigned char *bytes, size_t size)
{
    aic_reader end = {.at = bytes + size - HASH_BYTES, .left = HASH_BYTES};
    aic_reader section = aic_read_section(&end, "HASH");
    const uint64_t sum = aic_read_number(&section, WORD);
    return aic_read_done(&section) && sum == aic_checksum(bytes, size - HASH_BYTES);
}

/* The sections of a kernel, those of a part. */
static const char *read_kernel(aic_reader *in, aic_disk_file *file)
{
    const aic_slice record = read_section(in, "RECD");
    aic_reader section = aic_read_section(in, "SIZE");
    file->object_size = aic_read_number(&section, WORD);
    const aic_slice image = read_section(in, "IMAG");
    file->image = (const unsigned char *)image.text;
    const bool good = aic_read_done(in) && aic_read_done(&section) &&
                      aic_kernel_record_read(record.text, record.length, &file->record) == AIC_OK &&
                      file->record.image_size == image.length;
    return good ? NULL : STRANGE;
}

static const char *read_part(aic_reader *in, aic_disk_file *file)
{
    const aic_reader piece = aic_read_section(in, "PIEC");
    file->piece = (aic_piece){(unsigned char *)(uintptr_t)piece.at, piece.left};
    return aic_read_done(in) ? aic_piece_check(&file->piece) : STRANGE;
}

const char *aic_disk_file_read(const unsigned char *bytes, size_t size, aic_disk_file *file)
{
    aic_reader in = {.at = bytes, .left = size};
    const unsigned char *magic = aic_read_bytes(&in, MAGIC_BYTES);
    file->part = magic != NULL && memcmp(magic, MAGIC_OF_PART, MAGIC_BYTES) == 0;
    if (magic == NULL || (!file->part && memcmp(magic, MAGIC_OF_KERNEL, MAGIC_BYTES) != 0)) {
        return "it is no kernel and no part of one";
    }
    if (aic_read_number(&in, NUMBER) != AIC_DISK_VERSION) {
        return "it is of another version";
    }
    if (in.left < HASH_BYTES || !sum_is_good(bytes, size)) {
        return "it is damaged";
    }
    in.left -= HASH_BYTES;
    aic_reader section = aic_read_section(&in, "BILD");
    file->build = aic_read_text(&section);
    file->llvm = aic_read_text(&section);
    file->what = read_section(&in, "WHAT");
    file->identity = read_section(&in, "IDEN");
    if (!aic_read_done(&section)) {
        return STRANGE;
    }
    return file->part ? read_part(&in, file) : read_kernel(&in, file);
}

static bool slice_is(aic_slice slice, const void *bytes, size_t size)
{
    return slice.length == size && memcmp(slice.text, bytes, size) == 0;
}

/* Reads bytes that should be a kernel or a part of this build and identity. */
static const char *read_own(const unsigned char *bytes, size_t size, bool part, const void *identity,
                            size_t identity_bytes, aic_disk_file *file)
{
    const char *problem = aic_disk_file_read(bytes, size, file);
    if (problem != NULL) {
        return problem;
    }
    if (!slice_is(file->build, aic_build_name, strlen(aic_build_name))) {
        return "it is of another build";
    }
    if (file->part != part || !slice_is(file->identity, identity, identity_bytes)) {
        return part ? "it is another part" : "it is another kernel";
    }
    return NULL;
}

const char *aic_disk_file_object(const unsigned char *bytes, size_t size, const aic_identity *identity,
                                 aic_object *object)
{
    aic_disk_file file;
    const char *problem = read_own(bytes, size, false, identity->bytes, identity->size, &file);
    if (problem != NULL) {
        return problem;
    }
    aic_object made = {.size = file.object_size, .requirements = file.record.requirements};
    memcpy(made.schedule, file.record.schedule, sizeof made.schedule);
    unsigned char *image = malloc(file.record.image_size);
    if (image == NULL) {
        return "there is no memory for it";
    }
    memcpy(image, file.image, file.record.image_size);
    if (aic_record_image(&file.record, image, file.record.image_size, &made.image) != AIC_OK) {
        free(image);
        return "it is damaged";
    }
    *object = made;
    return NULL;
}

const char *aic_disk_file_piece(const unsigned char *bytes, size_t size, const aic_part_identity *identity,
                                aic_piece *piece)
{
    aic_disk_file file;
    const char *problem = read_own(bytes, size, true, identity->bytes, identity->size, &file);
    if (problem != NULL) {
        return problem;
    }
    unsigned char *copy = malloc(file.piece.size);
    if (copy == NULL) {
        return "there is no memory for it";
    }
    memcpy(copy, file.piece.bytes, file.piece.size);
    *piece = (aic_piece){copy, file.piece.size};
    return NULL;
}
