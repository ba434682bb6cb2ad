/* Specifications in tests. */
#include "tests/specs.h"

#include "frontend/core/op.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

aic_spec spec_of(const char *text)
{
    aic_spec spec;
    ck_assert_msg(aic_spec_read(text, &spec) == AIC_OK, "%s: %s", text, aic_last_error());
    return spec;
}

void set_field(aic_op op, void *desc, const char *name, uint32_t index, uint64_t word)
{
    const aic_record *record = &aic_op_get(op)->record;
    size_t f = 0;
    while (strcmp(record->fields[f].name, name) != 0) {
        ck_assert_uint_lt(++f, record->count);
    }
    aic_field_set_word(&record->fields[f], desc, index, word);
}

/* Takes the source of a rule out of a message. */
static void drop_source(char *text)
{
    const aic_rule *rule;
    for (size_t i = 0; (rule = aic_rule_at(i)) != NULL; i++) {
        char bracket[512];
        snprintf(bracket, sizeof bracket, " [%s]", rule->source);
        char *at = strstr(text, bracket);
        if (at != NULL) {
            memmove(at, at + strlen(bracket), strlen(at + strlen(bracket)) + 1);
            return;
        }
    }
}

void check_error(const char *message)
{
    char text[1024];
    snprintf(text, sizeof text, "%s", aic_last_error());
    drop_source(text);
    ck_assert_str_eq(text, message);
}

void check_rules(const aic_spec *spec, const char *message)
{
    const aic_status status = aic_spec_validate(spec, NULL);
    if (message) {
        ck_assert_msg(status == AIC_INVALID_ARGUMENT, "legal, but expected: %s", message);
        check_error(message);
    } else {
        ck_assert_msg(status == AIC_OK, "%s", aic_last_error());
    }
}

void run_reference(const aic_spec *spec, const aic_semantics *semantics, void *const operands[], size_t count)
{
    ck_assert_msg(aic_reference(spec, semantics, operands, count) == AIC_OK, "%s", aic_last_error());
}
