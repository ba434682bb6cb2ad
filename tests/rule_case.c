/* What the tests of every operator's rules have in common; see rule_case.h. */
#include "tests/rule_case.h"
#include "tests/claims.h"

#include "frontend/core/op.h"
#include "frontend/random/rng.h"
#include "tests/specs.h"

#include <check.h>
#include <inttypes.h>
#include <string.h>

static void set(aic_spec *spec, const char *field, int64_t value)
{
    set_field(spec->stage[0].op, &spec->stage[0].desc, field, 0, (uint64_t)value);
}

void rule_case_check(const rule_case *row)
{
    aic_spec spec = spec_of(row->text);
    if (row->field) {
        set(&spec, row->field, row->value);
    }
    check_rules(&spec, row->message);
}

void rule_check_any_words(const char *legal)
{
    static const int64_t words[] = {INT64_MIN, INT64_MAX, -1,  0,    1,     2,     4,
                                    7,         16,        255, 4095, 16384, 65535, INT64_C(1) << 62};
    enum { WORDS = sizeof words / sizeof words[0], CASES = 20000 };
    const aic_spec base = spec_of(legal);
    const aic_record *record = &aic_op_get(base.stage[0].op)->record;
    uint64_t state = claims_seed(1);
    int refused = 0;
    for (int n = 0; n < CASES; n++) {
        aic_spec spec = base;
        for (int change = 0; change < 1 + n % 4; change++) {
            const aic_field *field = &record->fields[aic_rng_range(&state, 0, (int64_t)record->count - 1)];
            const uint32_t index = (uint32_t)aic_rng_range(&state, 0, field->count - 1);
            aic_field_set_word(field, &spec.stage[0].desc, index, (uint64_t)words[aic_rng_range(&state, 0, WORDS - 1)]);
        }
        aic_operand operands[AIC_OPERANDS_MAX];
        size_t count;
        const aic_status status = aic_spec_operands(&spec, NULL, operands, &count);
        ck_assert(status == AIC_OK || status == AIC_INVALID_ARGUMENT);
        refused += status != AIC_OK;
        for (size_t i = 0; status == AIC_OK && i < count; i++) {
            ck_assert_int_ge(operands[i].bytes, 0);
        }
    }
    ck_assert_int_gt(refused, CASES / 5);
    ck_assert_int_lt(refused, CASES);
}

void rule_check_order(const rule_case *mends, size_t count)
{
    aic_spec spec = spec_of(mends[0].text);
    memset(&spec.stage[0].desc, 0x99, aic_op_get(spec.stage[0].op)->desc_size);
    for (size_t i = 0; i < count; i++) {
        ck_assert_int_eq(aic_spec_validate(&spec, NULL), AIC_INVALID_ARGUMENT);
        ck_assert_msg(strncmp(aic_last_error(), mends[i].message, strlen(mends[i].message)) == 0, "%s, not %s",
                      aic_last_error(), mends[i].message);
        set(&spec, mends[i].field, mends[i].value);
    }
    ck_assert_msg(aic_spec_validate(&spec, NULL) == AIC_OK, "%s", aic_last_error());
}

/* What all operands hold together. */
static int64_t operand_bytes(const aic_spec *spec)
{
    aic_operand operands[AIC_OPERANDS_MAX];
    size_t count;
    int64_t bytes = 0;
    ck_assert_int_eq(aic_spec_operands(spec, NULL, operands, &count), AIC_OK);
    for (size_t i = 0; i < count; i++) {
        bytes += operands[i].bytes;
    }
    return bytes;
}

/* A pseudo-random specification, which must be legal and come again. */
static aic_spec draw(aic_op op, const aic_semantics *semantics, uint64_t seed)
{
    aic_spec spec, again;
    ck_assert_int_eq(aic_spec_draw(op, semantics, seed, &spec), AIC_OK);
    ck_assert_msg(aic_spec_validate(&spec, semantics) == AIC_OK, "seed %" PRIu64 ": %s", seed, aic_last_error());
    ck_assert_int_eq(aic_spec_draw(op, semantics, seed, &again), AIC_OK);
    ck_assert(aic_spec_equal(&spec, &again));
    return spec;
}

void rule_check_random(aic_op op, int64_t macs_most, int64_t bytes_most)
{
    for (uint64_t seed = 0; seed < 5000; seed++) {
        const aic_spec spec = draw(op, NULL, seed);
        int64_t macs, moved;
        ck_assert_int_eq(aic_spec_work(&spec, NULL, &macs, &moved), AIC_OK);
        const int64_t bytes = operand_bytes(&spec);
        ck_assert_int_le(macs, macs_most);
        ck_assert_int_le(bytes, bytes_most);
        ck_assert(moved >= 0 && moved <= 2 * bytes);
    }
}

/* Whether the message is "OPERATOR: FIELD: ..." or, of a relation between two, "OPERATOR: FIELD / FIELD: ...". */
static bool names_field(const aic_record *record, const char *message)
{
    const size_t name = strlen(record->name) + strlen(": ");
    for (size_t f = 0; f < record->count && strlen(message) > name; f++) {
        const size_t length = strlen(record->fields[f].name);
        const char *after = message + name + length;
        if (strncmp(message + name, record->fields[f].name, length) == 0 &&
            (strncmp(after, ": ", 2) == 0 || strncmp(after, " / ", 3) == 0)) {
            return true;
        }
    }
    return false;
}

/* A rule that few descriptors break takes more draws with some seeds than with others. */
void rule_check_random_illegal(aic_op op, const char *const *rules, size_t count)
{
    enum { RULES_MAX = 40, DRAWS = 10000, DRAWS_MOST = 50 * DRAWS };
    bool seen[RULES_MAX] = {false};
    size_t rules_seen = 0;
    uint64_t seed = 0, single = 0;
    ck_assert_uint_le(count, RULES_MAX);
    for (; seed < DRAWS || (rules_seen < count && seed < DRAWS_MOST); seed++) {
        aic_spec spec;
        ck_assert_int_eq(aic_spec_draw_illegal(op, NULL, seed, &spec), AIC_OK);
        ck_assert_msg(aic_spec_validate(&spec, NULL) == AIC_INVALID_ARGUMENT, "seed %" PRIu64 " is legal", seed);
        ck_assert_msg(names_field(&aic_op_get(op)->record, aic_last_error()), "seed %" PRIu64 ": %s", seed,
                      aic_last_error());
        single += aic_last_error_at(1) == NULL;
        for (size_t r = 0; r < count; r++) {
            if (!seen[r] && strstr(aic_last_error(), rules[r]) != NULL) {
                seen[r] = true;
                rules_seen++;
            }
        }
    }
    for (size_t r = 0; r < count; r++) {
        ck_assert_msg(seen[r], "no descriptor broke the rule \"%s\"", rules[r]);
    }
    ck_assert_uint_ge(single, seed / 5 * 4); /* one value seldom breaks several rules */
}

int rule_check_random_under(aic_op op, const aic_semantics *semantics, const aic_semantics *other, uint64_t seeds)
{
    int refused = 0;
    for (uint64_t seed = 0; seed < seeds; seed++) {
        aic_spec spec = draw(op, semantics, seed);
        refused += aic_spec_validate(&spec, other) != AIC_OK;
        ck_assert_int_eq(aic_spec_draw_illegal(op, semantics, seed, &spec), AIC_OK);
        ck_assert_msg(aic_spec_validate(&spec, semantics) == AIC_INVALID_ARGUMENT, "seed %" PRIu64 " is legal", seed);
    }
    return refused;
}
