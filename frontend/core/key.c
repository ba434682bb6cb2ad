/* Cache keys, their hash and equality. Every call runs this code. */
#include "frontend/core/key.h"
#include "frontend/core/op.h"

/* The word before those of a stage, which are `count`. */
static inline uint64_t head(size_t specs, size_t stages, size_t count, aic_op op)
{
    return (uint64_t)specs << 48 | (uint64_t)stages << 32 | (uint64_t)count << 16 | op;
}

void aic_key_add_stage(aic_key *key, size_t specs, size_t stages, aic_op op, const void *desc)
{
    const aic_op_info *info = aic_op_get(op);
    const uint32_t count = info ? info->key(desc, key->word + key->count + 1) : 0;
    aic_key_add(key, head(specs, stages, count, op));
    key->count += count;
}

/* A head with the same operator has the same number of words behind it, which then are there. */
size_t aic_key_begins_with(const uint64_t *word, size_t count, size_t specs, size_t stages, aic_op op, const void *desc)
{
    const uint64_t number = UINT64_C(0xFFFF) << 16; /* of the words */
    const aic_op_info *info = aic_op_get(op);
    if (!info || count == 0 || (word[0] & ~number) != head(specs, stages, 0, op)) {
        return 0;
    }
    const uint32_t equal = info->has_key(desc, word + 1);
    return equal != 0 ? 1 + (size_t)equal : 0;
}

void aic_key_add_text(aic_key *key, const char *text)
{
    const size_t length = strlen(text);
    aic_key_add(key, length);
    for (size_t at = 0; at < length; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, text + at, length - at < sizeof word ? length - at : sizeof word);
        aic_key_add(key, word);
    }
}

__extension__ typedef unsigned __int128 uint128;

/* Both halves of the product: a change in any bit of a factor shows, also in the highest, where reals differ. */
static inline uint64_t fold_multiply(uint64_t a, uint64_t b)
{
    const uint128 product = (uint128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Two chains of folded products, of two words each, the first word offset by the chain so far, the second by a
 * constant, since most words are 0. The last step takes the last four words, some of them for the second time. Equal
 * hashes of different keys cost time only: keys are compared whole. */
uint64_t aic_key_hash(const aic_key *key)
{
    enum { STEP = 4 };
    const uint64_t offset_a = UINT64_C(0x9E3779B97F4A7C15), offset_b = UINT64_C(0xD1B54A32D192ED03);
    uint64_t a = UINT64_C(0x8CB92BA72F3D8DD7) ^ key->count, b = UINT64_C(0xABC98388FB8FAC03);
    uint64_t few[STEP] = {0};
    const uint64_t *word = key->word, *last = few;
    if (key->count >= STEP) {
        for (last = word + key->count - STEP; word < last; word += STEP) {
            a = fold_multiply(word[0] ^ a, word[1] ^ offset_a);
            b = fold_multiply(word[2] ^ b, word[3] ^ offset_b);
        }
    } else {
        memcpy(few, word, key->count * sizeof few[0]);
    }
    a = fold_multiply(last[0] ^ a, last[1] ^ offset_a);
    b = fold_multiply(last[2] ^ b, last[3] ^ offset_b);
    return fold_multiply(a ^ offset_b, b ^ offset_a);
}

static bool stages_equal(const aic_stage *a, const aic_stage *b)
{
    const aic_op_info *op = aic_op_get(a->op);
    if (a->op != b->op || !op) {
        return a->op == b->op;
    }
    aic_stage filled[] = {*a, *b};
    for (int i = 0; i < 2 && op->fill_in; i++) {
        op->fill_in(&filled[i].desc);
    }
    bool equal = true;
    for (size_t f = 0; f < op->record.count; f++) {
        const aic_field *field = &op->record.fields[f];
        for (uint32_t i = 0; i < field->count; i++) {
            equal = equal && aic_field_word(field, &filled[0].desc, i) == aic_field_word(field, &filled[1].desc, i);
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
