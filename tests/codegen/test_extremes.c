/* Any number in any field of a descriptor gets an answer: rules come before arithmetic with what they bound. A build
 * with the sanitizer of undefined behaviour, which the second compiler makes, ends where a sum or a product overflows
 * or an enumeration is none. */
#include "frontend/core/op.h"
#include "frontend/random/rng.h"
#include "tests/claims.h"
#include "tests/levels.h"

#include <check.h>
#include <stdint.h>
#include <string.h>

Suite *suite_extremes(void);

enum { DRAWS = 20, TEXT_MAX = 4096 };

/* Words that are the largest and smallest of their type, or close to it, or whose double or square is. */
static uint64_t extreme_word(uint64_t *state)
{
    return (uint64_t)AIC_RNG_PICK(state, INT64_MIN, INT64_MIN + 1, INT64_MAX, INT64_MAX - 1, INT64_MAX / 2 + 1,
                                  INT64_MIN / 2 - 1, INT32_MIN, INT32_MAX, INT64_C(1) << 32, UINT32_MAX,
                                  INT64_C(1) << 62, INT64_C(3037000500), -INT64_C(3037000500), -1, 0);
}

static void spoil_entry(uint64_t *state, aic_spec *spec)
{
    aic_stage *stage = &spec->stage[aic_rng_range(state, 0, spec->count - 1)];
    const aic_record *record = &aic_op_get(stage->op)->record;
    const aic_field *field = &record->fields[aic_rng_range(state, 0, (int64_t)record->count - 1)];
    aic_field_set_word(field, &stage->desc, (uint32_t)aic_rng_range(state, 0, field->count - 1), extreme_word(state));
}

/* Whatever is asked about a descriptor: all of it answers, or refuses and says why. */
static void ask(const aic_spec *spec, const aic_semantics *semantics)
{
    char text[TEXT_MAX];
    aic_operand operands[AIC_OPERANDS_MAX];
    size_t length;
    int64_t macs, bytes;
    (void)aic_spec_print(spec, text, sizeof text, &length);
    const aic_status status = aic_spec_validate(spec, semantics);
    ck_assert_msg(status == AIC_OK || status == AIC_INVALID_ARGUMENT || status == AIC_UNSUPPORTED, "%d: %s", status,
                  aic_last_error());
    if (status != AIC_OK) {
        ck_assert_msg(strstr(aic_last_error(), ": ") != NULL, "\"%s\" names no field", aic_last_error());
    }
    ck_assert_int_eq(aic_spec_operands(spec, semantics, operands, &length), status);
    ck_assert_int_eq(aic_spec_work(spec, semantics, &macs, &bytes), status);
}

static void ask_about_spoilt(aic_spec spec, const aic_semantics *semantics, uint64_t *state)
{
    for (int64_t i = aic_rng_range(state, 1, 3); i > 0; i--) {
        spoil_entry(state, &spec);
    }
    ask(&spec, semantics);
}

static aic_semantics draw_semantics(uint64_t *state)
{
    aic_semantics semantics = aic_semantics_init();
    semantics.limits = aic_rng_once_in(state, 2) ? AIC_LIMITS_HOST : AIC_LIMITS_DOCUMENT;
    return semantics;
}

START_TEST(single_operators)
{
    const aic_op op = (aic_op)(_i + 1);
    uint64_t state = claims_seed((uint64_t)_i);
    for (uint64_t seed = 0; seed < DRAWS * (1 + levels_campaign()); seed++) {
        aic_spec spec;
        const aic_semantics semantics = draw_semantics(&state);
        ck_assert_int_eq(aic_spec_draw(op, &semantics, seed, &spec), AIC_OK);
        for (int i = 0; i < 200; i++) {
            ask_about_spoilt(spec, &semantics, &state);
        }
    }
}
END_TEST

START_TEST(chains)
{
    uint64_t state = claims_seed(1);
    for (uint64_t seed = 0; seed < 10 * DRAWS * (1 + levels_campaign()); seed++) {
        aic_spec spec;
        const aic_semantics semantics = draw_semantics(&state);
        ck_assert_int_eq(aic_spec_draw_chain(AIC_OP_NONE, AIC_OP_NONE, &semantics, seed, &spec), AIC_OK);
        for (int i = 0; i < 200; i++) {
            ask_about_spoilt(spec, &semantics, &state);
        }
    }
}
END_TEST

Suite *suite_extremes(void)
{
    Suite *suite = suite_create("extremes");
    TCase *cases = tcase_create("extremes");
    tcase_set_timeout(cases, 300);
    tcase_add_loop_test(cases, single_operators, 0, AIC_OP_END - 1);
    tcase_add_test(cases, chains);
    suite_add_tcase(suite, cases);
    return suite;
}
