#include "frontend/core/bytes.h"

#include <endian.h>
#include <string.h>

enum { TAG_BYTES = 4, LENGTH_BYTES = 4 };

/* ---- writing ---- */

void aic_write_bytes(aic_writer *out, const void *bytes, size_t size)
{
    if (out->size < out->capacity) {
        const size_t room = out->capacity - out->size;
        memcpy(out->bytes + out->size, bytes, size < room ? size : room);
    }
    out->size += size;
}

void aic_write_number(aic_writer *out, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const unsigned char byte = (unsigned char)(number >> (8 * i));
        aic_write_bytes(out, &byte, 1);
    }
}

void aic_write_short(aic_writer *out, uint64_t number)
{
    unsigned char bytes[1 + sizeof number];
    size_t size = 0;
    for (; number != 0; number >>= 8) {
        bytes[++size] = (unsigned char)number;
    }
    bytes[0] = (unsigned char)size;
    aic_write_bytes(out, bytes, 1 + size);
}

void aic_write_text(aic_writer *out, const char *text)
{
    const size_t length = strlen(text);
    aic_write_number(out, length, LENGTH_BYTES);
    aic_write_bytes(out, text, length);
}

size_t aic_write_begin(aic_writer *out, const char *tag)
{
    aic_write_bytes(out, tag, TAG_BYTES);
    aic_write_number(out, 0, LENGTH_BYTES); /* aic_write_end() knows it */
    return out->size;
}

void aic_write_end(aic_writer *out, size_t begin)
{
    aic_writer length = {out->bytes, out->capacity, begin - LENGTH_BYTES};
    aic_write_number(&length, out->size - begin, LENGTH_BYTES);
}

/* ---- reading ---- */

const unsigned char *aic_read_bytes(aic_reader *in, size_t size)
{
    const unsigned char *bytes = in->at;
    in->bad = in->bad || size > in->left;
    if (in->bad) {
        return NULL;
    }
    in->at += size;
    in->left -= size;
    return bytes;
}

uint64_t aic_read_number(aic_reader *in, size_t size)
{
    const unsigned char *bytes = aic_read_bytes(in, size);
    uint64_t number = 0;
    for (size_t i = 0; bytes && i < size; i++) {
        number |= (uint64_t)bytes[i] << (8 * i);
    }
    return number;
}

uint64_t aic_read_short(aic_reader *in)
{
    const uint64_t size = aic_read_number(in, 1);
    in->bad = in->bad || size > sizeof(uint64_t);
    return aic_read_number(in, size);
}

aic_slice aic_read_text(aic_reader *in)
{
    const size_t length = (size_t)aic_read_number(in, LENGTH_BYTES);
    const unsigned char *bytes = aic_read_bytes(in, length);
    for (size_t i = 0; bytes && i < length; i++) {
        in->bad = in->bad || bytes[i] < ' ' || bytes[i] == 0x7F;
    }
    return in->bad ? (aic_slice){"", 0} : (aic_slice){(const char *)bytes, length};
}

void aic_read_text_into(aic_reader *in, char *buffer, size_t capacity)
{
    aic_slice slice = aic_read_text(in);
    if (slice.length >= capacity) {
        in->bad = true;
        slice.length = 0;
    }
    memcpy(buffer, slice.text, slice.length);
    buffer[slice.length] = '\0';
}

/* Whether the next section has this tag. */
static bool is_next(const aic_reader *in, const char *tag)
{
    return !in->bad && in->left >= TAG_BYTES && memcmp(in->at, tag, TAG_BYTES) == 0;
}

aic_reader aic_read_section(aic_reader *in, const char *tag)
{
    in->bad = !is_next(in, tag);
    (void)aic_read_bytes(in, TAG_BYTES);
    const size_t length = (size_t)aic_read_number(in, LENGTH_BYTES);
    const unsigned char *content = aic_read_bytes(in, length);
    return content ? (aic_reader){.at = content, .left = length} : (aic_reader){.bad = true};
}

bool aic_read_done(const aic_reader *in)
{
    return !in->bad && in->left == 0;
}

/* ---- hashes ---- */

uint64_t aic_hash_more(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ at[i]) * UINT64_C(0x100000001B3);
    }
    return hash;
}

/* The finaliser of MurmurHash3: every bit of the hash depends on all. */
uint64_t aic_hash_end(uint64_t hash)
{
    hash = (hash ^ hash >> 33) * UINT64_C(0xFF51AFD7ED558CCD);
    hash = (hash ^ hash >> 33) * UINT64_C(0xC4CEB9FE1A85EC53);
    return hash ^ hash >> 33;
}

uint64_t aic_hash_bytes(const void *bytes, size_t size)
{
    return aic_hash_end(aic_hash_more(AIC_HASH_BEGIN, bytes, size));
}

/* Each step maps different sums to different ones, and so it does with words: it is an exclusive or, a multiplication
 * by an odd number and another exclusive or with the upper half, each of which can be undone. */
static uint64_t add_word(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return sum ^ (sum >> 32);
}

uint64_t aic_checksum(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t sum = add_word(AIC_HASH_BEGIN, size);
    for (; size >= sizeof sum; at += sizeof sum, size -= sizeof sum) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        sum = add_word(sum, le64toh(word));
    }
    uint64_t rest = 0;
    for (size_t i = 0; i < size; i++) {
        rest |= (uint64_t)at[i] << (8 * i);
    }
    return aic_hash_end(add_word(sum, rest));
}
