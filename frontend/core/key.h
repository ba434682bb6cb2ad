/* Cache keys: what a caller requests, as words. */
#pragma once

#include "frontend/core/op.h"

/* A group: at most that many independent specifications that become one kernel. Each has one stage, whose key has at
 * most that many words. */
#define AIC_GROUP_MAX 16
#define AIC_GROUP_WORDS_MAX 24

/* What a caller requests, as 64-bit words: for each stage a head and the words of its fields; then the schedule's text,
 * if there is one: its length in bytes, and its bytes. The bits of a head:
 *
 *      0..15  the operator
 *     16..31  the number of words of the fields, which follow
 *     32..47  the number of stages of the specification that begins here; 0: this is a later stage
 *     48..63  in the first head the number of specifications; 0 in the others
 *
 * Every part begins with its length, so no key is a prefix of another one. There is room for chains of any operators
 * and for groups, with 8 words for every specification besides those of its stages. Keys are used within one process;
 * kernels on disk have an identity (runtime/request/identity.h). */
#define AIC_STAGE_WORDS_MAX 48
#define AIC_KEY_WORDS_MAX (AIC_GROUP_MAX * (AIC_GROUP_WORDS_MAX + 8))
typedef struct aic_key {
    uint32_t count;
    uint64_t word[AIC_KEY_WORDS_MAX];
} aic_key;

static inline void aic_key_add(aic_key *key, uint64_t word)
{
    key->word[key->count++] = word;
}

/* Appends the operator and every field of its descriptor. specs, stages: as the head has them. */
void aic_key_add_stage(aic_key *key, size_t specs, size_t stages, aic_op op, const void *desc);

/* Whether these words, the rest of a key that was made, begin with what aic_key_add_stage() would append: how many
 * words that is, or 0. `count` words are there. */
size_t aic_key_begins_with(const uint64_t *word, size_t count, size_t specs, size_t stages, aic_op op,
                           const void *desc);

/* Appends a text of no more than 255 bytes. */
void aic_key_add_text(aic_key *key, const char *text);

uint64_t aic_key_hash(const aic_key *key);
