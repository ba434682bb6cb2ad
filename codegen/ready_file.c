/* Files of ready-made parts; see ready_file.h. */
#include "codegen/ready_file.h"
#include "codegen/build_name.h"
#include "frontend/core/bytes.h"
#include "frontend/core/diag.h"

#include <stdlib.h>
#include <string.h>

static const char MAGIC[] = "AICS";

enum { WORD = 8, NUMBER = 4, MAGIC_BYTES = 4, FIXED = MAGIC_BYTES + 2 * NUMBER };

/* A row of the head. */
enum { ROW_HASH, ROW_OFFSET, ROW_BYTES, ROW_SUM, ROW_WORDS };
enum { ROW = ROW_WORDS * WORD };

static uint64_t hash_of(const aic_part_identity *identity)
{
    return aic_hash_bytes(identity->bytes, identity->size);
}

/* ---- writing ---- */

static int compare_hashes(const void *a, const void *b)
{
    const aic_ready_part *left = a, *right = b;
    const uint64_t x = hash_of(&left->identity), y = hash_of(&right->identity);
    return (x > y) - (x < y);
}

static void write_part(aic_writer *out, const aic_ready_part *part)
{
    aic_write_number(out, part->identity.size, NUMBER);
    aic_write_bytes(out, part->identity.bytes, part->identity.size);
    aic_write_bytes(out, part->piece.bytes, part->piece.size);
}

static size_t part_bytes(const aic_ready_part *part)
{
    return NUMBER + part->identity.size + part->piece.size;
}

/* The rows, and the parts themselves behind the head of `head` bytes, which have room in `bytes`. */
static void write_rows(aic_writer *out, const aic_ready_part *part, size_t count, size_t head)
{
    size_t at = head;
    for (size_t i = 0; i < count; i++) {
        const size_t size = part_bytes(&part[i]);
        aic_writer entry = {out->bytes != NULL ? out->bytes + at : NULL, out->bytes != NULL ? size : 0, 0};
        write_part(&entry, &part[i]);
        aic_write_number(out, hash_of(&part[i].identity), WORD);
        aic_write_number(out, at, WORD);
        aic_write_number(out, size, WORD);
        aic_write_number(out, out->bytes != NULL ? aic_checksum(entry.bytes, size) : 0, WORD);
        at += size;
    }
}

static void write_head(aic_writer *out, const char *level, const aic_ready_part *part, size_t count, size_t head)
{
    aic_write_bytes(out, MAGIC, MAGIC_BYTES);
    aic_write_number(out, AIC_READY_VERSION, NUMBER);
    aic_write_number(out, head, NUMBER);
    aic_write_text(out, aic_build_name);
    aic_write_text(out, level);
    aic_write_number(out, count, NUMBER);
    write_rows(out, part, count, head);
    aic_write_number(out, out->bytes != NULL ? aic_checksum(out->bytes, out->size) : 0, WORD);
}

aic_status aic_ready_file_write(const char *level, aic_ready_part *part, size_t count, unsigned char **bytes,
                                size_t *size)
{
    aic_writer measure = {NULL, 0, 0};
    write_head(&measure, level, part, count, 0);
    size_t all = measure.size;
    for (size_t i = 0; i < count; i++) {
        all += part_bytes(&part[i]);
    }
    aic_writer out = {calloc(1, all), measure.size, 0};
    if (out.bytes == NULL) {
        return aic_fail_memory("parts", all);
    }
    if (count > 0) {
        qsort(part, count, sizeof *part, compare_hashes);
    }
    write_head(&out, level, part, count, measure.size);
    *bytes = out.bytes;
    *size = all;
    return AIC_OK;
}

/* ---- reading ---- */

static uint64_t row_word(const aic_ready_file *file, size_t row, int word)
{
    aic_reader in = {.at = file->rows + row * ROW + (size_t)word * WORD, .left = WORD};
    return aic_read_number(&in, WORD);
}

static bool text_is(aic_slice slice, const char *text)
{
    return slice.length == strlen(text) && memcmp(slice.text, text, slice.length) == 0;
}

/* Whether the rows ascend, and what they name lies behind the head. */
static bool rows_are_good(const aic_ready_file *file, uint64_t head)
{
    for (size_t i = 0; i < file->count; i++) {
        const uint64_t offset = row_word(file, i, ROW_OFFSET), bytes = row_word(file, i, ROW_BYTES);
        if (offset < head || offset > file->size || bytes > file->size - offset ||
            (i > 0 && row_word(file, i, ROW_HASH) < row_word(file, i - 1, ROW_HASH))) {
            return false;
        }
    }
    return true;
}

const char *aic_ready_file_open(const unsigned char *bytes, size_t size, const char *level, aic_ready_file *file)
{
    aic_reader in = {.at = bytes, .left = size};
    const unsigned char *magic = aic_read_bytes(&in, MAGIC_BYTES);
    if (magic == NULL || memcmp(magic, MAGIC, MAGIC_BYTES) != 0 || aic_read_number(&in, NUMBER) != AIC_READY_VERSION) {
        return "it holds no parts of this version";
    }
    const uint64_t head = aic_read_number(&in, NUMBER);
    if (in.bad || head < FIXED + WORD || head > size) {
        return "it is cut off";
    }
    aic_reader end = {.at = bytes + head - WORD, .left = WORD};
    if (aic_read_number(&end, WORD) != aic_checksum(bytes, head - WORD)) {
        return "it is damaged";
    }
    in.left = head - FIXED - WORD;
    const aic_slice build = aic_read_text(&in), name = aic_read_text(&in);
    const uint64_t count = aic_read_number(&in, NUMBER);
    if (in.bad || !text_is(build, aic_build_name)) {
        return "it is of another build";
    }
    if (!text_is(name, level)) {
        return "it is of another level";
    }
    *file = (aic_ready_file){bytes, in.at, size, count};
    return in.left == count * ROW && rows_are_good(file, head) ? NULL : "it is damaged";
}

/* The first row of a hash, or the one behind where it would be. */
static size_t find_row(const aic_ready_file *file, uint64_t hash)
{
    size_t low = 0, high = file->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (row_word(file, middle, ROW_HASH) < hash) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Reads a copy of a row's bytes: NULL; "" when they are another part's. */
static const char *read_copy(unsigned char *copy, size_t size, uint64_t sum, const aic_part_identity *identity,
                             aic_piece *piece)
{
    if (aic_checksum(copy, size) != sum) {
        return "it is damaged";
    }
    aic_reader in = {.at = copy, .left = size};
    const size_t length = aic_read_number(&in, NUMBER);
    const unsigned char *own = aic_read_bytes(&in, length);
    if (own == NULL || length != identity->size || memcmp(own, identity->bytes, length) != 0) {
        return "";
    }
    *piece = (aic_piece){copy, in.left};
    memmove(copy, in.at, in.left);
    return aic_piece_check(piece);
}

const char *aic_ready_file_find(const aic_ready_file *file, const aic_part_identity *identity, aic_piece *piece)
{
    const uint64_t hash = hash_of(identity);
    for (size_t i = find_row(file, hash); i < file->count && row_word(file, i, ROW_HASH) == hash; i++) {
        const size_t size = row_word(file, i, ROW_BYTES);
        unsigned char *copy = malloc(size + 1);
        if (copy == NULL) {
            return "there is no memory for it";
        }
        memcpy(copy, file->bytes + row_word(file, i, ROW_OFFSET), size);
        const char *problem = read_copy(copy, size, row_word(file, i, ROW_SUM), identity, piece);
        if (problem == NULL) {
            return NULL;
        }
        free(copy);
        if (problem[0] != '\0') {
            return problem;
        }
    }
    return "";
}
