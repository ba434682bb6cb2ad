/* Data as bytes that mean the same on every host: numbers from the lowest byte on; what may have any length after its
 * length. A section is four letters, the length of what follows, and that. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Keeps the bytes that fit and counts all, so that a first run without memory finds how many there are. */
typedef struct aic_writer {
    unsigned char *bytes; /* NULL where capacity is 0 */
    size_t capacity, size;
} aic_writer;

void aic_write_bytes(aic_writer *out, const void *bytes, size_t size);
void aic_write_number(aic_writer *out, uint64_t number, size_t size); /* in `size` bytes, at most 8 */
void aic_write_text(aic_writer *out, const char *text);               /* its length in 4 bytes, then its letters */

/* A number in as few bytes as it has: how many, 0 to 8, in one byte, and those. */
void aic_write_short(aic_writer *out, uint64_t number);

/* Begins a section; what is written before aic_write_end() of the result is its content. */
size_t aic_write_begin(aic_writer *out, const char *tag);
void aic_write_end(aic_writer *out, size_t begin);

/* Bytes that are left to read. What is not there, or not as it should be, makes it bad for good; it then gives 0. */
typedef struct aic_reader {
    const unsigned char *at;
    size_t left;
    bool bad;
} aic_reader;

/* Letters within the bytes, none of them a control character. */
typedef struct aic_slice {
    const char *text;
    size_t length;
} aic_slice;

const unsigned char *aic_read_bytes(aic_reader *in, size_t size); /* NULL when there are not so many */
uint64_t aic_read_number(aic_reader *in, size_t size);
uint64_t aic_read_short(aic_reader *in);
aic_slice aic_read_text(aic_reader *in);

/* Copies a text into a buffer; a longer one is bad. */
void aic_read_text_into(aic_reader *in, char *buffer, size_t capacity);

/* The content of the next section, which must have this tag. */
aic_reader aic_read_section(aic_reader *in, const char *tag);

/* Whether all was as it should be, and nothing is left. */
bool aic_read_done(const aic_reader *in);

/* FNV-1a with its bits mixed at the end. Begin with AIC_HASH_BEGIN and go on with as many parts as there are. Each step
 * maps different hashes to different ones, so bytes that differ at a single position never have the same hash. */
#define AIC_HASH_BEGIN UINT64_C(0xCBF29CE484222325)
uint64_t aic_hash_more(uint64_t hash, const void *bytes, size_t size);
uint64_t aic_hash_end(uint64_t hash);
uint64_t aic_hash_bytes(const void *bytes, size_t size);

/* A checksum, eight bytes at a time, for what is as long as a file. Bytes of one length that differ within one of its
 * eights never have the same. */
uint64_t aic_checksum(const void *bytes, size_t size);
