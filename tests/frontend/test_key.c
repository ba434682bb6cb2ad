/* Text and equality of descriptors see every entry of every field, keys every one that is looked at. Generic: operators
 * added to ops.def are covered without a change here. */
#include "frontend/core/key.h"
#include "frontend/core/spec.h"
#include "frontend/random/rng.h"
#include "tests/claims.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_key(void);

#define TEXT_MAX 2048

/* Appends a specification, of the first one's request the number of them. */
static void add_spec(aic_key *key, size_t specs, const aic_spec *spec)
{
    for (int32_t i = 0; i < spec->count; i++) {
        aic_key_add_stage(key, i == 0 ? specs : 0, i == 0 ? (size_t)spec->count : 0, spec->stage[i].op,
                          &spec->stage[i].desc);
    }
}

static bool keys_equal(const aic_key *a, const aic_key *b)
{
    return a->count == b->count && memcmp(a->word, b->word, a->count * sizeof a->word[0]) == 0;
}

static aic_key key_of(const aic_spec *spec)
{
    aic_key key = {.count = 0};
    add_spec(&key, 1, spec);
    return key;
}

/* What a key says of a specification: values filled in, what nothing looks at cleared. */
static aic_spec cleared(const aic_spec *spec)
{
    aic_spec result = *spec;
    const aic_op_info *op = aic_op_get(spec->stage[0].op);
    if (op->fill_in) {
        op->fill_in(&result.stage[0].desc);
    }
    if (op->clear_ignored) {
        op->clear_ignored(&result.stage[0].desc);
    }
    return result;
}

/* Another word that an entry of this kind can hold. */
static uint64_t other_word(const aic_field *field, uint64_t word)
{
    switch (field->kind) {
    case AIC_KIND_REAL:
        return word ^ UINT64_C(1) << 63; /* 0.0 and -0.0 are different specifications */
    case AIC_KIND_FLOAT32:
        return word ^ UINT64_C(1) << 31;
    case AIC_KIND_BOOL:
        return word ^ 1;
    case AIC_KIND_DTYPE:
        return word == AIC_INT8 ? AIC_FLOAT16 : AIC_INT8;
    case AIC_KIND_INT:
    case AIC_KIND_BITS:
    case AIC_KIND_DIMS:
    case AIC_KIND_SIZE:
        return word + 1;
    default:
        break;
    }
    uint64_t value = 0; /* the first other value of the enumeration */
    while (value == word || aic_enum_word(field->kind, value) == NULL) {
        value++;
    }
    return value;
}

/* What is found without making the key is what has that key, neither more nor less; nor is a part of one enough. */
static void check_comparison(const aic_spec *spec, const aic_key *key, bool equal)
{
    const aic_stage *stage = &spec->stage[0];
    const size_t words = aic_key_begins_with(key->word, key->count, 1, 1, stage->op, &stage->desc);
    ck_assert_uint_eq(words, equal ? key->count : 0);
    ck_assert_uint_eq(aic_key_begins_with(key->word, 0, 1, 1, stage->op, &stage->desc), 0);
    ck_assert_uint_eq(aic_key_begins_with(key->word, key->count, 2, 1, stage->op, &stage->desc), 0);
    ck_assert_uint_eq(aic_key_begins_with(key->word, key->count, 1, 2, stage->op, &stage->desc), 0);
    for (int op = AIC_OP_NONE; op < AIC_OP_END; op++) {
        ck_assert((aic_op)op == stage->op ||
                  aic_key_begins_with(key->word, key->count, 1, 1, (aic_op)op, &stage->desc) == 0);
    }
}

static void check_different(const aic_spec *base, const aic_spec *changed, const aic_field *field, uint32_t index)
{
    const aic_key base_key = key_of(base), changed_key = key_of(changed);
    const aic_spec base_cleared = cleared(base), changed_cleared = cleared(changed);
    const bool ignored = aic_spec_equal(&base_cleared, &changed_cleared);
    char base_text[TEXT_MAX];
    char changed_text[TEXT_MAX];
    aic_spec back;
    ck_assert_msg(keys_equal(&base_key, &changed_key) == ignored, "%s[%u] is %sin the key", field->name, index,
                  ignored ? "" : "not ");
    ck_assert((aic_key_hash(&base_key) == aic_key_hash(&changed_key)) == ignored);
    check_comparison(base, &base_key, true);
    check_comparison(changed, &base_key, ignored);
    check_comparison(base, &changed_key, ignored);
    ck_assert_msg(!aic_spec_equal(base, changed), "%s[%u] is not compared", field->name, index);
    ck_assert_int_eq(aic_spec_print(base, base_text, sizeof base_text, NULL), AIC_OK);
    ck_assert_int_eq(aic_spec_print(changed, changed_text, sizeof changed_text, NULL), AIC_OK);
    ck_assert_msg(strcmp(base_text, changed_text) != 0, "%s[%u] is not in the text", field->name, index);
    if (field->kind == AIC_KIND_DIMS && index > aic_field_shown(field, &base->stage[0].desc)) {
        return; /* a size after one that is 0: nothing that text may say */
    }
    ck_assert_msg(aic_spec_read(changed_text, &back) == AIC_OK, "%s", aic_last_error());
    ck_assert_msg(aic_spec_equal(&back, changed), "%s does not read back", changed_text);
}

/* Entries that text can have: a list ends at the first 0. */
static uint32_t entries(const aic_field *field, const void *desc)
{
    const uint32_t shown = aic_field_shown(field, desc);
    return shown < field->count ? shown + 1 : field->count;
}

static void perturb(const aic_spec *base)
{
    const aic_op_info *op = aic_op_get(base->stage[0].op);
    for (size_t f = 0; f < op->record.count; f++) {
        const aic_field *field = &op->record.fields[f];
        for (uint32_t i = 0; i < entries(field, &base->stage[0].desc); i++) {
            aic_spec changed = *base;
            const uint64_t word = aic_field_word(field, &base->stage[0].desc, i);
            aic_field_set_word(field, &changed.stage[0].desc, i, other_word(field, word));
            check_different(base, &changed, field, i);
            aic_field_set_word(field, &changed.stage[0].desc, i, word);
            ck_assert(aic_spec_equal(base, &changed));
        }
    }
}

START_TEST(every_entry_counts)
{
    for (int op = AIC_OP_NONE + 1; op < AIC_OP_END; op++) {
        for (uint64_t seed = 0; seed < 50; seed++) {
            aic_spec base;
            ck_assert_int_eq(aic_spec_draw((aic_op)op, NULL, seed, &base), AIC_OK);
            perturb(&base);
        }
    }
}
END_TEST

/* The words of the key are those that op.h says; no stage has more than promised. */
START_TEST(key_is_the_field_list)
{
    for (int op = AIC_OP_NONE + 1; op < AIC_OP_END; op++) {
        const aic_op_info *info = aic_op_get((aic_op)op);
        aic_spec spec;
        ck_assert_int_eq(aic_spec_draw((aic_op)op, NULL, 7, &spec), AIC_OK);
        const aic_key key = key_of(&spec);
        const aic_spec said = cleared(&spec);
        uint32_t n = 0;
        ck_assert_uint_eq(key.word[n++],
                          UINT64_C(1) << 48 | UINT64_C(1) << 32 | (uint64_t)(key.count - 1) << 16 | (uint64_t)op);
        for (size_t f = 0; f < info->record.count; f++) {
            for (uint32_t i = 0; i < info->record.fields[f].count; i++) {
                ck_assert_uint_eq(key.word[n++], aic_field_word(&info->record.fields[f], &said.stage[0].desc, i));
            }
        }
        ck_assert_uint_eq(n, key.count);
        ck_assert_uint_le(n, AIC_STAGE_WORDS_MAX);
    }
}
END_TEST

/* A key tells where its parts end: requests of different form never have the same one. */
START_TEST(keys_delimit_themselves)
{
    enum { FORMS = 5 };
    aic_key key[FORMS];
    aic_spec conv, fix;
    ck_assert_int_eq(aic_spec_draw(AIC_OP_CONV2D, NULL, 1, &conv), AIC_OK);
    ck_assert_int_eq(aic_spec_draw(AIC_OP_FIXPIPE, NULL, 1, &fix), AIC_OK);
    const aic_spec chain = aic_spec_fuse(&conv, &fix);
    const struct {
        size_t count;
        const aic_spec *spec[2];
        const char *text;
    } forms[FORMS] = {
        {1, {&conv}, NULL}, {1, {&chain}, NULL}, {2, {&conv, &fix}, NULL}, {1, {&conv}, ""}, {2, {&fix, &conv}, NULL},
    };
    for (int i = 0; i < FORMS; i++) {
        key[i].count = 0;
        for (size_t s = 0; s < forms[i].count; s++) {
            add_spec(&key[i], s == 0 ? forms[i].count : 0, forms[i].spec[s]);
        }
        if (forms[i].text) {
            aic_key_add_text(&key[i], forms[i].text);
        }
        for (int other = 0; other < i; other++) {
            const uint32_t shorter = key[i].count < key[other].count ? key[i].count : key[other].count;
            ck_assert(!keys_equal(&key[i], &key[other]));
            /* Only a text goes on where another key ends. */
            ck_assert((memcmp(key[i].word, key[other].word, shorter * sizeof key[i].word[0]) == 0) ==
                      (forms[i].text && other == 0));
        }
    }
}
END_TEST

/* ---- fields that nothing looks at ---- */

/* The operator and the field that a message names. */
static size_t named(const char *message)
{
    const char *first = strchr(message, ':');
    return first && strchr(first + 1, ':') ? (size_t)(strchr(first + 1, ':') - message) : strlen(message);
}

/* Clearing what is ignored mends no rule and breaks none, and makes no other kernel. */
static void check_cleared(const aic_spec *spec, const aic_semantics *semantics)
{
    const aic_spec other = cleared(spec), twice = cleared(&other);
    const aic_key key = key_of(spec), other_key = key_of(&other);
    char message[512];
    aic_spec canonical, other_canonical;
    ck_assert(aic_spec_equal(&other, &twice));
    ck_assert(keys_equal(&key, &other_key));
    check_comparison(spec, &key, true);
    const aic_status status = aic_spec_resolve_kernel(spec, semantics, &canonical);
    snprintf(message, sizeof message, "%s", status == AIC_OK ? "" : aic_last_error());
    ck_assert_int_eq(aic_spec_resolve_kernel(&other, semantics, &other_canonical), status);
    if (status == AIC_OK) {
        ck_assert(aic_spec_equal(&canonical, &other_canonical));
    } else {
        ck_assert_msg(strncmp(message, aic_last_error(), named(message)) == 0, "%s, then %s", message,
                      aic_last_error());
    }
}

/* Of legal descriptors, of illegal ones, and with anything in any entry. */
START_TEST(ignored_is_not_looked_at)
{
    const aic_op_info *op = aic_op_get((aic_op)_i);
    uint64_t state = claims_seed(1);
    for (uint64_t seed = 0; seed < 3000; seed++) {
        aic_spec spec, illegal;
        ck_assert_int_eq(aic_spec_draw((aic_op)_i, NULL, seed, &spec), AIC_OK);
        check_cleared(&spec, NULL);
        for (int64_t more = aic_rng_range(&state, 1, 3); more > 0; more--) {
            const aic_field *field = &op->record.fields[aic_rng_range(&state, 0, (int64_t)op->record.count - 1)];
            const uint32_t entry = (uint32_t)aic_rng_range(&state, 0, field->count - 1);
            const uint64_t near = aic_field_word(field, &spec.stage[0].desc, entry) + 1;
            const uint64_t word =
                (uint64_t)AIC_RNG_PICK(&state, 0, 1, 2, -1, (int64_t)near, (int64_t)aic_rng_next(&state));
            aic_field_set_word(field, &spec.stage[0].desc, entry, word);
            check_cleared(&spec, NULL);
        }
        ck_assert_int_eq(aic_spec_draw_illegal((aic_op)_i, NULL, seed, &illegal), AIC_OK);
        check_cleared(&illegal, NULL);
    }
}
END_TEST

static int compare_words(const void *a, const void *b)
{
    const uint64_t *left = a;
    const uint64_t *right = b;
    return (*left > *right) - (*left < *right);
}

/* Unlike values of equal sums, swapped neighbours, a longer key of zeros: none may share a hash, nor crowd the low
 * bits that pick a slot. */
START_TEST(hashes_spread)
{
    enum { KEYS = 4096, SLOTS = 1024 };
    static uint64_t hashes[KEYS];
    static unsigned load[SLOTS];
    unsigned fullest = 0;
    for (uint32_t k = 0; k < KEYS; k++) {
        aic_key key = {.count = 22};
        for (uint32_t i = 0; i < key.count; i++) {
            key.word[i] = 1;
        }
        key.word[k % 22] = k / 22 + 2;
        hashes[k] = aic_key_hash(&key);
        const unsigned slot = hashes[k] % SLOTS;
        fullest = ++load[slot] > fullest ? load[slot] : fullest;
    }
    qsort(hashes, KEYS, sizeof hashes[0], compare_words);
    for (uint32_t k = 1; k < KEYS; k++) {
        ck_assert_uint_ne(hashes[k - 1], hashes[k]);
    }
    ck_assert_uint_le(fullest, 20); /* 4 on average */
    for (uint32_t i = 0; i + 1 < 25; i++) {
        aic_key a = {.count = 25};
        aic_key b = {.count = 25};
        a.word[i] = 1;
        b.word[i + 1] = 1;
        ck_assert_uint_ne(aic_key_hash(&a), aic_key_hash(&b));
    }
    aic_key short_key = {.count = 8};
    aic_key long_key = {.count = 9};
    ck_assert(!keys_equal(&short_key, &long_key));
    ck_assert_uint_ne(aic_key_hash(&short_key), aic_key_hash(&long_key));
}
END_TEST

/* A caller's bool may hold any byte; the key and the comparison must cope. */
START_TEST(odd_booleans_are_read_as_bytes)
{
    aic_conv2d_desc desc = aic_conv2d_desc_init();
    aic_spec one = aic_spec_of(AIC_OP_CONV2D, &desc);
    memset(&desc.init_l1out, 2, 1);
    aic_spec two = aic_spec_of(AIC_OP_CONV2D, &desc);
    ck_assert(!aic_spec_equal(&one, &two));
    ck_assert(aic_spec_equal(&two, &two));
}
END_TEST

START_TEST(operators_by_name)
{
    ck_assert_str_eq(aic_op_name(AIC_OP_CONV2D), "conv2d");
    ck_assert_ptr_null(aic_op_name(AIC_OP_NONE));
    ck_assert_ptr_null(aic_op_name((aic_op)12345));
    ck_assert_int_eq(aic_op_parse("conv2d"), AIC_OP_CONV2D);
    ck_assert_int_eq(aic_op_parse("conv"), AIC_OP_NONE);
    ck_assert_int_eq(aic_op_parse(NULL), AIC_OP_NONE);
}
END_TEST

/* Of an operator that there is not the key is its number, and it is equal to itself and nothing else. */
START_TEST(no_such_operator)
{
    aic_spec spec[2] = {{.count = 1}, {.count = 1}};
    aic_key key[2] = {{.count = 0}, {.count = 0}};
    for (int i = 0; i < 2; i++) {
        spec[i].stage[0].op = (aic_op)(AIC_OP_END + i);
        add_spec(&key[i], 1, &spec[i]);
        ck_assert_uint_eq(key[i].count, 1);
        ck_assert(!aic_spec_exact(&spec[i]));
    }
    ck_assert(!keys_equal(&key[0], &key[1]));
    ck_assert_uint_ne(aic_key_hash(&key[0]), aic_key_hash(&key[1]));
    ck_assert(aic_spec_equal(&spec[0], &spec[0]));
    ck_assert(!aic_spec_equal(&spec[0], &spec[1]));
}
END_TEST

Suite *suite_key(void)
{
    Suite *suite = suite_create("key");
    TCase *tcase = tcase_create("key");
    tcase_add_test(tcase, every_entry_counts);
    tcase_add_test(tcase, key_is_the_field_list);
    tcase_add_test(tcase, keys_delimit_themselves);
    tcase_add_loop_test(tcase, ignored_is_not_looked_at, AIC_OP_NONE + 1, AIC_OP_END);
    tcase_add_test(tcase, hashes_spread);
    tcase_add_test(tcase, odd_booleans_are_read_as_bytes);
    tcase_add_test(tcase, operators_by_name);
    tcase_add_test(tcase, no_such_operator);
    suite_add_tcase(suite, tcase);
    return suite;
}
