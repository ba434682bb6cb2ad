/* Files of the disk cache as bytes; see disk_file.h. */
#include "runtime/disk_file.h"
#include "codegen/build_name.h"
#include "frontend/core/bytes.h"
#include "frontend/core/diag.h"

#include <stdlib.h>
#include <string.h>

static const char MAGIC[] = "AICF";

enum { WORD = 8, NUMBER = 4, MAGIC_BYTES = 4, HASH_BYTES = 4 + NUMBER + WORD /* tag, length, sum */ };

/* ---- writing ---- */

static void write_section(aic_writer *out, const char *tag, const void *bytes, size_t size)
{
    const size_t section = aic_write_begin(out, tag);
    aic_write_bytes(out, bytes, size);
    aic_write_end(out, section);
}

static void write_file(aic_writer *out, const aic_identity *identity, const char *what, const aic_object *object)
{
    aic_kernel_record record;
    aic_object_record(object, &record);
    aic_write_bytes(out, MAGIC, MAGIC_BYTES);
    aic_write_number(out, AIC_DISK_VERSION, NUMBER);
    size_t section = aic_write_begin(out, "BILD");
    aic_write_text(out, aic_build_name);
    aic_write_text(out, aic_build_llvm);
    aic_write_end(out, section);
    write_section(out, "WHAT", what, strlen(what));
    write_section(out, "IDEN", identity->bytes, identity->size);
    section = aic_write_begin(out, "RECD");
    aic_kernel_record_write(&record, out);
    aic_write_end(out, section);
    section = aic_write_begin(out, "SIZE");
    aic_write_number(out, object->size, WORD);
    aic_write_end(out, section);
    write_section(out, "IMAG", object->image.bytes, object->image.size);
    const uint64_t sum = out->size <= out->capacity ? aic_checksum(out->bytes, out->size) : 0;
    section = aic_write_begin(out, "HASH");
    aic_write_number(out, sum, WORD);
    aic_write_end(out, section);
}

aic_status aic_disk_file_write(const aic_identity *identity, const aic_object *object, unsigned char **bytes,
                               size_t *size)
{
    char *what;
    aic_status status = aic_identity_print(identity->bytes, identity->size, &what);
    if (status != AIC_OK) {
        return status;
    }
    aic_writer measure = {NULL, 0, 0};
    write_file(&measure, identity, what, object);
    aic_writer out = {malloc(measure.size), measure.size, 0};
    if (out.bytes != NULL) {
        write_file(&out, identity, what, object);
        *bytes = out.bytes;
        *size = out.size;
    } else {
        status = aic_fail_memory("disk cache", measure.size);
    }
    free(what);
    return status;
}

/* ---- reading ---- */

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
    return aic_read_done(&section) && aic_read_done(&end) && sum == aic_checksum(bytes, size - HASH_BYTES);
}

const char *aic_disk_file_read(const unsigned char *bytes, size_t size, aic_disk_file *file)
{
    aic_reader in = {.at = bytes, .left = size};
    const unsigned char *magic = aic_read_bytes(&in, MAGIC_BYTES);
    if (magic == NULL || memcmp(magic, MAGIC, MAGIC_BYTES) != 0) {
        return "it is no kernel";
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
    const aic_slice record = read_section(&in, "RECD");
    section = aic_read_section(&in, "SIZE");
    file->object_size = aic_read_number(&section, WORD);
    const aic_slice image = read_section(&in, "IMAG");
    file->image = (const unsigned char *)image.text;
    const bool good = aic_read_done(&in) && aic_read_done(&section) &&
                      aic_kernel_record_read(record.text, record.length, &file->record) == AIC_OK &&
                      file->record.image_size == image.length;
    return good ? NULL : "it is not what a kernel is";
}

static bool slice_is(aic_slice slice, const void *bytes, size_t size)
{
    return slice.length == size && memcmp(slice.text, bytes, size) == 0;
}

const char *aic_disk_file_object(const unsigned char *bytes, size_t size, const aic_identity *identity,
                                 aic_object *object)
{
    aic_disk_file file;
    const char *problem = aic_disk_file_read(bytes, size, &file);
    if (problem != NULL) {
        return problem;
    }
    if (!slice_is(file.build, aic_build_name, strlen(aic_build_name))) {
        return "it is of another build";
    }
    if (!slice_is(file.identity, identity->bytes, identity->size)) {
        return "it is another kernel";
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
