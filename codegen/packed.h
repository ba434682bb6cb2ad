/* The head of a packed image: the first cache line says what the rest is, so that a call can tell an image that its
 * kernel can read from any other memory.
 *
 *     word 0     "AICPACK" and the version of the head
 *     word 1     bytes of the image, the head among them
 *     word 2..5  the form: a hash of all that decides the bytes behind the head beside the source's contents
 *     word 6     0
 *     word 7     a hash of the words before
 *
 * Kernels with equal forms read each other's images. */
#pragma once

#include "codegen/record.h"

enum { AIC_HEAD_WORDS = 8, AIC_HEAD_BYTES = AIC_HEAD_WORDS * 8 };

/* What aic_packed_text() writes, with the closing zero. */
enum { AIC_FORM_TEXT = AIC_FORM_WORDS * 16 + 1 };

typedef struct aic_packed_head {
    uint64_t word[AIC_HEAD_WORDS];
} aic_packed_head;

/* Sets the form from numbers that decide the bytes of the images. */
void aic_packed_form(const int64_t *number, size_t count, uint64_t form[AIC_FORM_WORDS]);

/* The head of images that are packed so. */
void aic_packed_head_make(const aic_packing *pack, aic_packed_head *head);

/* Whether the memory, aligned to 64 bytes, begins with this head. */
static inline bool aic_packed_begins(const void *image, const aic_packed_head *head)
{
    const uint64_t *word = image;
    uint64_t different = 0;
    for (int i = 0; i < AIC_HEAD_WORDS; i++) {
        different |= word[i] ^ head->word[i];
    }
    return different == 0;
}

/* Whether the memory begins with any head of this version that is whole. */
bool aic_packed_is_head(const void *image);

/* The form of a head in hexadecimal digits. */
void aic_packed_text(const aic_packed_head *head, char text[AIC_FORM_TEXT]);
