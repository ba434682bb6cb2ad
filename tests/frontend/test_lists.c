/* What the operators' lists tell people, held against what the library does: limits against the rules, roles against
 * the operands, examples against everything. */
#include "frontend/core/op.h"

#include <aic/aic.h>
#include <aic/tool.h>
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

Suite *suite_lists(void);

enum { DRAWS = 200, FIELDS_MAX = 64 };

static const struct {
    aic_op op;
    const char *field;
    int entry;
    int64_t low, high;
} limits[] = {
#define AIC_LIMIT(field, entry, low, high) {ROW_OP, #field, entry, low, high},
#include "tests/field_rows.inc"
#undef AIC_LIMIT
};

static const struct {
    aic_op op;
    const char *text;
} examples[] = {
#define AIC_EXAMPLE(text) {ROW_OP, text},
#include "tests/field_rows.inc"
#undef AIC_EXAMPLE
};

static const struct {
    aic_op op;
    const char *name;
} roles[] = {
#define AIC_ROLE(name, shape, text) {ROW_OP, #name},
#include "tests/field_rows.inc"
#undef AIC_ROLE
};

static const struct {
    aic_op op;
    const char *name;
    int number;
    const char *constant;
} numbers[] = {
#define AIC_OPERAND(OP, NAME, op, name, number) {AIC_OP_##OP, #name, AIC_##OP##_##NAME, #NAME},
#include <aic/operands.def>
#undef AIC_OPERAND
};

static const struct {
    aic_op op;
    const char *field, *text;
} meanings[] = {
#define AIC_MEANING(field, text, origin, source) {ROW_OP, #field, text},
#include "tests/field_rows.inc"
#undef AIC_MEANING
};

static const struct {
    aic_op op;
    const char *field, *text;
} values[] = {
#define AIC_VALUES(field, text) {ROW_OP, #field, text},
#include "tests/field_rows.inc"
#undef AIC_VALUES
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const aic_field *field_of(aic_op op, const char *name)
{
    const aic_record *record = &aic_op_get(op)->record;
    for (size_t f = 0; f < record->count; f++) {
        if (strcmp(record->fields[f].name, name) == 0) {
            return &record->fields[f];
        }
    }
    ck_abort_msg("%s has no field %s", record->name, name);
}

static void check_legal(size_t row, const aic_spec *spec, const aic_field *field, uint32_t entry)
{
    const int64_t value = (int64_t)aic_field_word(field, &spec->stage[0].desc, entry);
    ck_assert_msg(value >= limits[row].low && value <= limits[row].high,
                  "%s: %s[%u] = %" PRId64 " is legal, but outside the limit", aic_op_name(limits[row].op), field->name,
                  entry, value);
}

static void check_refused(size_t row, const aic_spec *legal, const aic_field *field, uint32_t entry, int64_t value)
{
    aic_spec spec = *legal;
    aic_field_set_word(field, &spec.stage[0].desc, entry, (uint64_t)value);
    ck_assert_msg(aic_spec_validate(&spec, NULL) == AIC_INVALID_ARGUMENT, "%s: %s[%u] = %" PRId64 " is not refused",
                  aic_op_name(limits[row].op), field->name, entry, value);
}

/* Legal values are within the limits, and what is next to them is refused whatever the other fields are. */
START_TEST(limits_are_the_rules)
{
    const size_t row = (size_t)_i;
    const aic_field *field = field_of(limits[row].op, limits[row].field);
    const bool every = limits[row].entry == AIC_EVERY;
    ck_assert_msg(every || limits[row].entry < (int)field->count, "%s has no entry %d", field->name, limits[row].entry);
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        aic_spec spec;
        ck_assert_int_eq(aic_spec_draw(limits[row].op, NULL, seed, &spec), AIC_OK);
        for (uint32_t e = every ? 0 : (uint32_t)limits[row].entry;
             e < (every ? field->count : (uint32_t)limits[row].entry + 1); e++) {
            check_legal(row, &spec, field, e);
            check_refused(row, &spec, field, e, limits[row].low - 1);
            check_refused(row, &spec, field, e, limits[row].high + 1);
        }
    }
}
END_TEST

/* ---- values of types and enumerations ---- */

enum { VALUES_MAX = 64, SEEDS = 4000 };

static bool has_words(const aic_field *field)
{
    return field->kind == AIC_KIND_DTYPE || aic_enum_listed(field->kind, 0) != NULL;
}

static const char *word_of(const aic_field *field, uint64_t value)
{
    const char *word =
        field->kind == AIC_KIND_DTYPE ? aic_dtype_name((aic_dtype)value) : aic_enum_word(field->kind, value);
    return word != NULL && strcmp(word, "none") == 0 && field->kind == AIC_KIND_DTYPE ? NULL : word;
}

/* Notes the values of this operator's field that a legal specification has; of chains every stage. */
static void note_values(const aic_spec *spec, aic_op op, const aic_field *field, bool seen[VALUES_MAX])
{
    for (int32_t s = 0; s < spec->count; s++) {
        if (spec->stage[s].op == op) {
            const uint64_t value = aic_field_word(field, &spec->stage[s].desc, 0);
            ck_assert_uint_lt(value, VALUES_MAX);
            seen[value] = true;
        }
    }
}

/* Those of random operators and chains, which are legal. */
static void draw_values(aic_op op, const aic_field *field, bool seen[VALUES_MAX])
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        aic_spec spec;
        ck_assert_int_eq(aic_spec_draw(op, NULL, seed, &spec), AIC_OK);
        note_values(&spec, op, field, seen);
        if (seed < SEEDS / 10 && aic_spec_draw_chain(op, AIC_OP_NONE, NULL, seed, &spec) == AIC_OK) {
            note_values(&spec, op, field, seen);
        }
    }
}

/* Whether a legal operator with another value of the field stays legal. */
static bool is_accepted(aic_op op, const aic_field *field, uint64_t value)
{
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        aic_spec spec;
        ck_assert_int_eq(aic_spec_draw(op, NULL, seed, &spec), AIC_OK);
        aic_field_set_word(field, &spec.stage[0].desc, 0, value);
        if (aic_spec_validate(&spec, NULL) == AIC_OK) {
            return true;
        }
    }
    return false;
}

/* What help lists of a key is what rules accept: a legal descriptor has each of these values, and none has another. */
START_TEST(values_are_the_rules)
{
    const aic_field *field = field_of(values[_i].op, values[_i].field);
    bool seen[VALUES_MAX] = {false};
    char text[1024] = "";
    draw_values(values[_i].op, field, seen);
    for (uint64_t value = 0; value < VALUES_MAX; value++) {
        const char *word = word_of(field, value);
        const size_t used = strlen(text);
        if (word != NULL && (seen[value] || is_accepted(values[_i].op, field, value))) {
            snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? "|" : "", word);
        }
    }
    ck_assert_str_eq(values[_i].text, text);
}
END_TEST

START_TEST(every_enumeration_lists_its_values)
{
    size_t fields = 0;
    for (int op = AIC_OP_NONE + 1; op < AIC_OP_END; op++) {
        const aic_record *record = &aic_op_get((aic_op)op)->record;
        for (size_t f = 0; f < record->count; f++) {
            fields += has_words(&record->fields[f]);
        }
    }
    ck_assert_uint_eq(fields, COUNT(values)); /* a row of none is caught by field_of() */
    for (size_t i = 0; i < COUNT(values); i++) {
        ck_assert_msg(has_words(field_of(values[i].op, values[i].field)), "%s has no words", values[i].field);
    }
}
END_TEST

/* Every field has one meaning, which says something. */
START_TEST(every_field_has_a_meaning)
{
    for (int op = AIC_OP_NONE + 1; op < AIC_OP_END; op++) {
        const aic_record *record = &aic_op_get((aic_op)op)->record;
        for (size_t f = 0; f < record->count; f++) {
            size_t found = 0;
            for (size_t i = 0; i < COUNT(meanings); i++) {
                if ((int)meanings[i].op == op && strcmp(meanings[i].field, record->fields[f].name) == 0) {
                    found += strlen(meanings[i].text) > 3;
                }
            }
            ck_assert_msg(found == 1, "%s: %s has %zu meanings", record->name, record->fields[f].name, found);
        }
    }
}
END_TEST

/* Every role has a number, its place among the roles of its operator, and a name that is the operand's in capitals. */
START_TEST(operands_are_numbered)
{
    ck_assert_uint_eq(COUNT(numbers), COUNT(roles));
    int place = 0;
    for (size_t i = 0; i < COUNT(roles); i++) {
        place = i > 0 && roles[i].op == roles[i - 1].op ? place + 1 : 0;
        ck_assert_int_eq(numbers[i].op, roles[i].op);
        ck_assert_str_eq(numbers[i].name, roles[i].name);
        ck_assert_int_eq(numbers[i].number, place);
        ck_assert_int_eq(strcasecmp(numbers[i].constant, roles[i].name), 0);
    }
}
END_TEST

/* The example of an operator is a legal one of it, and the roles are its operands in calling order. */
START_TEST(examples_are_legal)
{
    for (int op = AIC_OP_NONE + 1; op < AIC_OP_END; op++) {
        size_t e = 0;
        while (e < COUNT(examples) && (int)examples[e].op != op) {
            e++;
        }
        ck_assert_msg(e < COUNT(examples), "%s has no example", aic_op_name((aic_op)op));
        aic_spec spec;
        aic_operand operands[AIC_OPERANDS_MAX];
        size_t count = 0, role = 0;
        ck_assert_msg(aic_spec_read(examples[e].text, &spec) == AIC_OK, "%s", aic_last_error());
        ck_assert_int_eq(spec.stage[0].op, op);
        ck_assert_msg(aic_spec_operands(&spec, NULL, operands, &count) == AIC_OK, "%s", aic_last_error());
        for (size_t i = 0; i < COUNT(roles); i++) {
            if ((int)roles[i].op == op) {
                /* Where the valid region is known texpands takes no v_row and v_col. */
                ck_assert_msg(role < count || op == AIC_OP_TEXPANDS, "%s: too many roles", aic_op_name((aic_op)op));
                if (role < count) {
                    ck_assert_str_eq(roles[i].name, operands[role].name);
                }
                role++;
            }
        }
        ck_assert_uint_ge(role, count);
    }
}
END_TEST

static const struct {
    const char *word;
    const char *near;
} words[] = {
    {"conv2", "conv2d"}, {"mmda", "mmad"}, {"CONV2D", "conv2d"},    {"fixpip", "fixpipe"},     {"zzz", NULL},
    {"", NULL},          {"x", NULL},      {"texpand", "texpands"}, {"transdat", "transdata"}, {"nd2zn", "nd2nz"},
    {"nd", NULL},
};

START_TEST(near_words)
{
    const char *names[AIC_OP_END];
    for (int op = 0; op < AIC_OP_END; op++) {
        names[op] = aic_op_name((aic_op)op); /* number 0 is NULL */
    }
    const char *near = aic_nearest_word(words[_i].word, names, AIC_OP_END);
    if (words[_i].near == NULL) {
        ck_assert_msg(near == NULL, "%s is not near %s", words[_i].word, near);
    } else {
        ck_assert_msg(near != NULL && strcmp(near, words[_i].near) == 0, "%s: %s", words[_i].word,
                      near ? near : "none");
    }
    ck_assert_ptr_null(aic_nearest_word(NULL, names, AIC_OP_END));
    static const char LONG[] = "transdata_transdata_transdata_transdata_transdata", *const long_ones[] = {LONG};
    ck_assert_ptr_null(aic_nearest_word(LONG + 1, long_ones, 1)); /* of 48 letters, for one of 49 */
    ck_assert_ptr_null(aic_nearest_word(words[_i].word, NULL, 3));
    static const char *const equally_near[] = {"stripe", "stride"};
    ck_assert_ptr_eq(aic_nearest_word("strixe", equally_near, 2), equally_near[0]);
    ck_assert_ptr_eq(aic_nearest_word("strixd", (const char *const[]){"stripe", "strid"}, 2), "strid");
}
END_TEST

Suite *suite_lists(void)
{
    Suite *suite = suite_create("lists");
    TCase *tests = tcase_create("lists");
    tcase_add_loop_test(tests, limits_are_the_rules, 0, COUNT(limits));
    tcase_add_loop_test(tests, values_are_the_rules, 0, COUNT(values));
    tcase_add_test(tests, every_enumeration_lists_its_values);
    tcase_add_test(tests, every_field_has_a_meaning);
    tcase_add_test(tests, operands_are_numbered);
    tcase_add_test(tests, examples_are_legal);
    tcase_add_loop_test(tests, near_words, 0, COUNT(words));
    suite_add_tcase(suite, tests);
    return suite;
}
