/* Cache keys: the signature of a kernel as words, their hash and equality. All of it is on the path of every call. */
#include "frontend/core/op.h"

void aic_key_add_stage(aic_key *key, aic_op op, const void *desc)
{
    const aic_op_info *info = aic_op_get(op);
    const uint32_t count = info ? info->key(desc, key->word + key->count + 1) : 0;
    aic_key_add(key, (uint64_t)op << 32 | count);
    key->count += count;
}

void aic_key_add_spec(aic_key *key, const aic_spec *spec)
{
    aic_key_add(key, (uint64_t)spec->count);
    for (int32_t i = 0; i < spec->count; i++) {
        aic_key_add_stage(key, spec->stage[i].op, &spec->stage[i].desc);
    }
}

__extension__ typedef unsigned __int128 uint128;

/* Both halves of the product: a change in any bit of a factor shows, also in the highest, where reals differ. */
static inline uint64_t fold_multiply(uint64_t a, uint64_t b)
{
    const uint128 product = (uint128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* A sum over pairs of words of folded products, each word first offset by a constant of its place. No product waits
 * for another. Equal hashes of different keys cost time only: keys are compared whole. */
uint64_t aic_key_hash(const aic_key *key)
{
    const uint64_t step_a = UINT64_C(0x9E3779B97F4A7C15);
    const uint64_t step_b = UINT64_C(0xD1B54A32D192ED03);
    const uint64_t *word = key->word;
    uint64_t a = UINT64_C(0x8CB92BA72F3D8DD7);
    uint64_t b = UINT64_C(0xABC98388FB8FAC03);
    uint64_t sums[2] = {key->count, 0};
    for (uint32_t left = key->count / 4; left > 0; left--, word += 4) {
        sums[0] += fold_multiply(word[0] + a, word[1] + b);
        sums[1] += fold_multiply(word[2] + b, word[3] + a);
        a += step_a;
        b += step_b;
    }
    for (; word < key->word + key->count; word++) {
        sums[0] += fold_multiply(*word + a, b);
        a += step_a;
    }
    return fold_multiply(sums[0] ^ step_a, sums[1] ^ step_b);
}

bool aic_key_equal(const aic_key *a, const aic_key *b)
{
    return a->count == b->count && memcmp(a->word, b->word, a->count * sizeof a->word[0]) == 0;
}

static bool stages_equal(const aic_stage *a, const aic_stage *b)
{
    const aic_op_info *op = aic_op_get(a->op);
    if (a->op != b->op || !op) {
        return a->op == b->op;
    }
    aic_stage settled[] = {*a, *b};
    for (int i = 0; i < 2 && op->settle; i++) {
        op->settle(&settled[i].desc);
    }
    bool equal = true;
    for (size_t f = 0; f < op->record.count; f++) {
        const aic_field *field = &op->record.fields[f];
        for (uint32_t i = 0; i < field->count; i++) {
            equal = equal && aic_field_word(field, &settled[0].desc, i) == aic_field_word(field, &settled[1].desc, i);
        }
    }
    return equal;
}

/* Whether the stages that count are equal; a count out of range leaves none or all of the stages there are. */
bool aic_spec_equal(const aic_spec *a, const aic_spec *b)
{
    if (!a || !b || a->count != b->count) {
        return a == b;
    }
    bool equal = true;
    for (int32_t i = 0; i < a->count && i < AIC_STAGES_MAX; i++) {
        equal = equal && stages_equal(&a->stage[i], &b->stage[i]);
    }
    return equal;
}
