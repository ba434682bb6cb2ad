/* Heads of packed images; see packed.h. */
#include "codegen/packed.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAGIC = 0, BYTES = 1, FORM = 2, UNUSED = FORM + AIC_FORM_WORDS, HASH = UNUSED + 1 };

_Static_assert(HASH + 1 == AIC_HEAD_WORDS, "a head is one cache line");

static const char MAGIC_TEXT[8] = {'A', 'I', 'C', 'P', 'A', 'C', 'K', '1'};

static uint64_t hash_of(const aic_packed_head *head)
{
    return aic_hash_bytes(head->word, HASH * sizeof head->word[0]);
}

/* Each word of the form is a hash of its own number and all numbers. */
void aic_packed_form(const int64_t *number, size_t count, uint64_t form[AIC_FORM_WORDS])
{
    for (uint64_t i = 0; i < AIC_FORM_WORDS; i++) {
        const uint64_t begun = aic_hash_more(AIC_HASH_BEGIN, &i, sizeof i);
        form[i] = aic_hash_end(aic_hash_more(begun, number, count * sizeof number[0]));
    }
}

void aic_packed_head_make(const aic_packing *pack, aic_packed_head *head)
{
    memset(head, 0, sizeof *head);
    memcpy(&head->word[MAGIC], MAGIC_TEXT, sizeof MAGIC_TEXT);
    head->word[BYTES] = (uint64_t)pack->bytes;
    memcpy(&head->word[FORM], pack->form, sizeof pack->form);
    head->word[HASH] = hash_of(head);
}

bool aic_packed_is_head(const void *image)
{
    aic_packed_head head;
    memcpy(&head, image, sizeof head);
    return memcmp(&head.word[MAGIC], MAGIC_TEXT, sizeof MAGIC_TEXT) == 0 && head.word[HASH] == hash_of(&head);
}

void aic_packed_text(const aic_packed_head *head, char text[AIC_FORM_TEXT])
{
    for (int i = 0; i < AIC_FORM_WORDS; i++) {
        snprintf(text + (ptrdiff_t)i * 16, 17, "%016" PRIx64, head->word[FORM + i]);
    }
}
