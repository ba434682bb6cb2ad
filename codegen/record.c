/* Records of kernels: names of functions, and records as bytes. */
#include "codegen/codegen.h"
#include "codegen/packed.h"
#include "frontend/core/diag.h"
#include "frontend/core/size.h"

#include <stdlib.h>
#include <string.h>

const char *const aic_function_suffix[AIC_FUNCTIONS] = {
    [AIC_FUNCTION_ENTRY] = "",       [AIC_FUNCTION_PACKED] = "_packed",      [AIC_FUNCTION_PACK] = "_pack",
    [AIC_FUNCTION_PHASE] = "_phase", [AIC_FUNCTION_CHECK] = "_packed_check",
};

static const char MAGIC[] = "AICR";

_Static_assert(AIC_NO_FUNCTION == UINT64_MAX, "sizes have 64 bits, in bytes and in memory");

enum { WORD = 8, NUMBER = 4, MAGIC_BYTES = 4, MULTIPLE = 64, ALIGNMENT_MAX = 4096 };

/* ---- writing ---- */

static void write_pack(aic_writer *out, const aic_packing *pack)
{
    const size_t section = aic_write_begin(out, "PACK");
    aic_write_number(out, pack->operand, NUMBER);
    aic_write_number(out, (uint64_t)pack->items, WORD);
    aic_write_number(out, (uint64_t)pack->bytes, WORD);
    for (int i = 0; i < AIC_FORM_WORDS; i++) {
        aic_write_number(out, pack->form[i], WORD);
    }
    aic_write_end(out, section);
}

static void write_phases(aic_writer *out, const aic_requirements *r)
{
    const size_t section = aic_write_begin(out, "PHAS");
    aic_write_number(out, r->phases, NUMBER);
    for (uint32_t i = 0; i < r->phases; i++) {
        aic_write_text(out, r->phase[i].name);
        aic_write_number(out, (uint64_t)r->phase[i].items, WORD);
    }
    aic_write_end(out, section);
}

static void write_image(aic_writer *out, const aic_kernel_record *record)
{
    const size_t section = aic_write_begin(out, "IMAG");
    aic_write_number(out, record->image_size, WORD);
    aic_write_number(out, record->image_alignment, WORD);
    aic_write_number(out, record->image_hash, WORD);
    for (int f = 0; f < AIC_FUNCTIONS; f++) {
        aic_write_number(out, record->function[f], WORD);
    }
    aic_write_end(out, section);
}

void aic_kernel_record_write(const aic_kernel_record *record, aic_writer *out)
{
    const aic_requirements *r = &record->requirements;
    const size_t begin = out->size;
    aic_write_bytes(out, MAGIC, MAGIC_BYTES);
    aic_write_number(out, AIC_RECORD_VERSION, NUMBER);
    size_t section = aic_write_begin(out, "NEED");
    aic_write_number(out, r->needs, NUMBER);
    aic_write_end(out, section);
    write_pack(out, &r->pack);
    write_phases(out, r);
    section = aic_write_begin(out, "WORK");
    aic_write_number(out, (uint64_t)r->shared_bytes, WORD);
    aic_write_number(out, (uint64_t)r->private_bytes, WORD);
    aic_write_end(out, section);
    write_image(out, record);
    section = aic_write_begin(out, "SCHD");
    aic_write_text(out, record->schedule);
    aic_write_end(out, section);
    const uint64_t hash = out->size <= out->capacity ? aic_hash_bytes(out->bytes + begin, out->size - begin) : 0;
    section = aic_write_begin(out, "HASH");
    aic_write_number(out, hash, WORD);
    aic_write_end(out, section);
}

/* ---- reading ---- */

/* The content of a section that must be read to its end. */
static void end_section(aic_reader *in, const aic_reader *section)
{
    in->bad = in->bad || !aic_read_done(section);
}

static void read_pack(aic_reader *in, aic_packing *pack)
{
    aic_reader section = aic_read_section(in, "PACK");
    pack->operand = (uint32_t)aic_read_number(&section, NUMBER);
    pack->items = (int64_t)aic_read_number(&section, WORD);
    pack->bytes = (int64_t)aic_read_number(&section, WORD);
    for (int i = 0; i < AIC_FORM_WORDS; i++) {
        pack->form[i] = aic_read_number(&section, WORD);
    }
    end_section(in, &section);
}

static void read_phases(aic_reader *in, aic_requirements *r)
{
    aic_reader section = aic_read_section(in, "PHAS");
    r->phases = (uint32_t)aic_read_number(&section, NUMBER);
    section.bad = section.bad || r->phases > AIC_PHASES_MAX;
    for (uint32_t i = 0; i < r->phases && !section.bad; i++) {
        aic_read_text_into(&section, r->phase[i].name, sizeof r->phase[i].name);
        r->phase[i].items = (int64_t)aic_read_number(&section, WORD);
    }
    end_section(in, &section);
}

static void read_image(aic_reader *in, aic_kernel_record *record)
{
    aic_reader section = aic_read_section(in, "IMAG");
    record->image_size = (size_t)aic_read_number(&section, WORD);
    record->image_alignment = (size_t)aic_read_number(&section, WORD);
    record->image_hash = aic_read_number(&section, WORD);
    for (int f = 0; f < AIC_FUNCTIONS; f++) {
        record->function[f] = (size_t)aic_read_number(&section, WORD);
    }
    end_section(in, &section);
}

static void read_hash(aic_reader *in, const unsigned char *bytes)
{
    const uint64_t hash = in->bad ? 0 : aic_hash_bytes(bytes, (size_t)(in->at - bytes));
    aic_reader section = aic_read_section(in, "HASH");
    section.bad = aic_read_number(&section, WORD) != hash || section.bad;
    end_section(in, &section);
}

/* ---- what kernels have ---- */

static bool is_memory(int64_t bytes)
{
    return bytes >= 0 && bytes % MULTIPLE == 0;
}

/* A packed operand, its packed image, and the functions that have to do with it, are there or not together. */
static bool packing_is_good(const aic_kernel_record *record)
{
    const aic_packing *pack = &record->requirements.pack;
    const bool packed = record->function[AIC_FUNCTION_PACKED] != AIC_NO_FUNCTION;
    const bool packs = record->function[AIC_FUNCTION_PACK] != AIC_NO_FUNCTION;
    if (pack->operand == 0) {
        bool form = false;
        for (int i = 0; i < AIC_FORM_WORDS; i++) {
            form = form || pack->form[i] != 0;
        }
        return !packed && !packs && pack->items == 0 && pack->bytes == 0 && !form;
    }
    return packed && packs && pack->operand < AIC_OPERANDS_MAX && pack->items > 0 && pack->bytes > AIC_HEAD_BYTES;
}

static bool needs_are_good(const aic_kernel_record *record)
{
    const aic_requirements *r = &record->requirements;
    const bool memory = is_memory(r->shared_bytes) && is_memory(r->private_bytes) && is_memory(r->pack.bytes);
    bool good = memory && (r->needs & ~(uint32_t)(AIC_NEEDS_FLOAT | AIC_NEEDS_TILES)) == 0;
    good = good && aic_size_add(aic_size_add(r->shared_bytes, r->private_bytes), r->pack.bytes) < INT64_MAX;
    good = good && (r->phases > 0) == (record->function[AIC_FUNCTION_PHASE] != AIC_NO_FUNCTION);
    for (uint32_t i = 0; i < r->phases; i++) {
        good = good && r->phase[i].items >= 0;
    }
    return good;
}

static bool image_is_good(const aic_kernel_record *record)
{
    const size_t alignment = record->image_alignment;
    bool good = alignment > 0 && alignment <= ALIGNMENT_MAX && (alignment & (alignment - 1)) == 0 &&
                record->function[AIC_FUNCTION_ENTRY] != AIC_NO_FUNCTION;
    for (int f = 0; f < AIC_FUNCTIONS; f++) {
        good = good && (record->function[f] == AIC_NO_FUNCTION || record->function[f] < record->image_size);
    }
    return good;
}

aic_status aic_kernel_record_read(const void *bytes, size_t size, aic_kernel_record *record)
{
    aic_reader in = {.at = bytes, .left = size};
    const unsigned char *magic = aic_read_bytes(&in, MAGIC_BYTES);
    memset(record, 0, sizeof *record);
    in.bad = in.bad || memcmp(magic, MAGIC, MAGIC_BYTES) != 0;
    in.bad = in.bad || aic_read_number(&in, NUMBER) != AIC_RECORD_VERSION;
    aic_reader section = aic_read_section(&in, "NEED");
    record->requirements.needs = (uint32_t)aic_read_number(&section, NUMBER);
    end_section(&in, &section);
    read_pack(&in, &record->requirements.pack);
    read_phases(&in, &record->requirements);
    section = aic_read_section(&in, "WORK");
    record->requirements.shared_bytes = (int64_t)aic_read_number(&section, WORD);
    record->requirements.private_bytes = (int64_t)aic_read_number(&section, WORD);
    end_section(&in, &section);
    read_image(&in, record);
    section = aic_read_section(&in, "SCHD");
    aic_read_text_into(&section, record->schedule, sizeof record->schedule);
    end_section(&in, &section);
    read_hash(&in, bytes);
    const bool good = aic_read_done(&in) && packing_is_good(record) && needs_are_good(record) && image_is_good(record);
    return good
               ? AIC_OK
               : aic_fail(AIC_INVALID_ARGUMENT, "record", "%zu bytes are none of version %d", size, AIC_RECORD_VERSION);
}

/* ---- of objects, and for images ---- */

void aic_object_free(aic_object *object)
{
    aic_image_free(&object->image);
    free(object->bytes);
    free(object->part);
    object->bytes = NULL;
    object->part = NULL;
}

void aic_object_record(const aic_object *object, aic_kernel_record *record)
{
    const aic_image *image = &object->image;
    *record = (aic_kernel_record){.requirements = object->requirements,
                                  .image_size = image->size,
                                  .image_alignment = image->alignment,
                                  .image_hash = aic_checksum(image->bytes, image->size)};
    memcpy(record->schedule, object->schedule, sizeof record->schedule);
    memcpy(record->function, image->function, sizeof record->function);
}

aic_status aic_record_image(const aic_kernel_record *record, unsigned char *bytes, size_t size, aic_image *image)
{
    if (size != record->image_size || aic_checksum(bytes, size) != record->image_hash) {
        return aic_fail(AIC_INVALID_ARGUMENT, "image", "%zu bytes are not the %zu of the record", size,
                        record->image_size);
    }
    *image = (aic_image){.bytes = bytes, .size = size, .alignment = record->image_alignment};
    memcpy(image->function, record->function, sizeof image->function);
    return AIC_OK;
}
