/* The lists of rules, held against what validation does: each rule can be broken, its message names its field and ends
 * with its source, and there is no message without a rule. All broken rules of a request are told. */
#include "frontend/core/op.h"
#include "frontend/random/rng.h"
#include "tests/specs.h"

#include <aic/aic.h>
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

Suite *suite_rules(void);

enum { SEEDS = 3000, RULES_MAX = 1024 };

static bool seen[RULES_MAX]; /* of the entries of the lists; each test has a process of its own */

static size_t index_of(const aic_rule *rule)
{
    const aic_rule *other;
    size_t i = 0;
    while ((other = aic_rule_at(i)) != rule) {
        ck_assert_ptr_nonnull(other);
        i++;
    }
    ck_assert_uint_lt(i, RULES_MAX);
    return i;
}

/* Whether the message is "SUBJECT: FIELD: ..." or "FIELD: ...", of one of the rule's fields, or of two that a relation
 * has, "FIELD / FIELD: ...". Options have the words of choices, too. */
static bool names_field(const aic_rule *rule, const char *message)
{
    const char *subject = strncmp(message, rule->op, strlen(rule->op)) == 0 ? message + strlen(rule->op) + 2 : message;
    const size_t length = strcspn(subject, ":");
    char field[200], fields[400];
    snprintf(field, sizeof field, " %.*s ", (int)length, subject);
    snprintf(fields, sizeof fields, " %s ", rule->field);
    return strstr(fields, field) != NULL || strcmp(rule->op, "semantics") == 0 || strcmp(rule->op, "request") == 0;
}

static bool ends_with(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

/* Every message of the last failure has its rule, which is noted. */
static void note_messages(void)
{
    const char *message;
    for (size_t i = 0; (message = aic_last_error_at(i)) != NULL; i++) {
        const aic_rule *rule = aic_last_error_rule(i);
        char source[400];
        ck_assert_msg(rule != NULL && (strcmp(rule->kind, "rule") == 0 || strcmp(rule->kind, "field") == 0),
                      "no rule: %s", message);
        snprintf(source, sizeof source, " [%s]", rule->source);
        ck_assert_msg(ends_with(message, source), "%s: not%s", message, source);
        ck_assert_msg(names_field(rule, message), "%s: no field of %s", message, rule->field);
        seen[index_of(rule)] = true;
    }
    ck_assert_ptr_null(aic_last_error_rule(AIC_STAGES_MAX * 64));
}

static void note(const aic_spec *spec, const aic_semantics *semantics)
{
    if (aic_spec_validate(spec, semantics) != AIC_OK) {
        note_messages();
    }
}

/* Legal descriptors with some entries set to other words. */
static void note_words(uint64_t *state, aic_op op)
{
    static const int64_t words[] = {INT64_MIN,        -1,       0, 1, 2, 3, 7, 24, 99, 255, 4096, 65536,
                                    INT64_C(1) << 40, INT64_MAX};
    enum { WORDS = sizeof words / sizeof words[0] };
    const aic_op_info *info = aic_op_get(op);
    aic_spec spec;
    ck_assert_int_eq(aic_spec_draw(op, NULL, aic_rng_next(state), &spec), AIC_OK);
    for (int64_t change = aic_rng_range(state, 1, 3); change > 0; change--) {
        const aic_field *field = &info->record.fields[aic_rng_range(state, 0, (int64_t)info->record.count - 1)];
        const uint32_t entry = (uint32_t)aic_rng_range(state, 0, field->count - 1);
        aic_field_set_word(field, &spec.stage[0].desc, entry, (uint64_t)words[aic_rng_range(state, 0, WORDS - 1)]);
    }
    note(&spec, NULL);
}

/* Illegal requests of all operators and chains. */
static void note_random(void)
{
    uint64_t state = 5;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        aic_spec spec;
        for (int op = AIC_OP_NONE + 1; op < AIC_OP_END; op++) {
            ck_assert_int_eq(aic_spec_draw_illegal((aic_op)op, NULL, seed, &spec), AIC_OK);
            note(&spec, NULL);
            note_words(&state, (aic_op)op);
        }
        ck_assert_int_eq(aic_spec_draw_chain_illegal(AIC_OP_NONE, AIC_OP_NONE, NULL, seed, &spec), AIC_OK);
        note(&spec, NULL);
    }
}

/* Requests for the rules that random ones do not break. */
static const struct {
    const char *spec;
    const char *field; /* of the last stage, set to a value that text may not have; NULL: none */
    int64_t value;
} requests[] = {
    {"conv2d(dtype=int8, fm_shape=[1,20,9,32], kernel_shape=[1,3,3,32,32]) | tik_fixpipe(src=int32, dst=int32, "
     "burst_len=32)",
     NULL, 0},
    {"conv2d(dtype=float16, fm_shape=[1,8,9,16], kernel_shape=[1,3,3,16,16]) | tensor_arithmetic(op=BM_ADD, "
     "input1_is_const=true, input1_stage=1)",
     NULL, 0},
};

/* Data of calls. */
static void note_data(void)
{
    const aic_spec words =
        spec_of("fixpipe(src=int32, dst=float16, nSize=2, mSize=1, srcStride=1, dstStride=2, quantPre=VDEQF16)");
    uint64_t workspace[2] = {0x3F800000, 0x7F800000};
    int32_t src[32] = {0};
    uint16_t dst[2];
    ck_assert_int_eq(aic_reference(&words, NULL, (void *[]){dst, src, workspace}, 3), AIC_INVALID_ARGUMENT);
    note_messages();
}

/* Lengths of a call. */
static void note_lengths(const aic_spec *spec, void *const operands[])
{
    aic_kernel *kernel;
    ck_assert_msg(aic_kernel_create(NULL, spec, NULL, &kernel) == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(aic_kernel_call_sized(kernel, operands, (size_t[]){1, 1, 0}, 3), AIC_INVALID_ARGUMENT);
    note_messages();
    aic_kernel_destroy(kernel);
}

/* Addresses of calls, and an order of operators. */
static void note_requests(void)
{
    const aic_spec spec =
        spec_of("fixpipe(src=int32, dst=float16, nSize=2, mSize=1, srcStride=1, dstStride=2, quantPre=DEQF16, "
                "deqScalar=quant(1))");
    const aic_spec wrong = spec_of("mmad(dtype=int8, m=1, n=1, k=1) | mmad(dtype=int8, m=1, n=1, k=1)");
    int32_t src[32] = {0};
    uint64_t words[2] = {0};
    uint16_t dst[2];
    void *const calls[][3] = {{NULL, src, NULL}, {(char *)dst + 1, src, NULL}, {dst, src, words}, {src, src, NULL}};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        ck_assert_int_eq(aic_reference(&spec, NULL, calls[i], 3), AIC_INVALID_ARGUMENT);
        note_messages();
    }
    note_lengths(&spec, (void *[]){dst, src, NULL});
    ck_assert_int_eq(aic_spec_validate(&wrong, NULL), AIC_INVALID_ARGUMENT);
    note_messages();
}

static void note_semantics(void)
{
    const aic_spec spec = spec_of("mmad(dtype=int8, m=1, n=1, k=1)");
    for (int option = 0; option < 5; option++) {
        aic_semantics semantics = aic_semantics_init();
        int64_t *const numbers[] = {&semantics.lanes, &semantics.lane_bytes, &semantics.ub_bytes, &semantics.l1_bytes};
        if (option < 4) {
            *numbers[option] = -1;
        } else {
            memset(&semantics.relu, 0x77, sizeof semantics.relu);
        }
        ck_assert_int_eq(aic_spec_validate(&spec, &semantics), AIC_INVALID_ARGUMENT);
        note_messages();
    }
    aic_semantics semantics = aic_semantics_init();
    semantics.mat_valid = AIC_MAT_VALID_VALID; /* which reads the valid region in mat */
    const aic_spec tile = spec_of("texpands(loc=mat, dtype=int32, rows=8, cols=8, v_row=dyn)");
    ck_assert_int_eq(aic_spec_validate(&tile, &semantics), AIC_UNSUPPORTED);
    note_messages();
}

/* Texts, numbers of words, and packing. */
static void note_texts(void)
{
    static const char *const texts[] = {"conv2d(dtype=int8", "conv2d(none=1)", "texpands(dtype=float32, rows=16x)",
                                        "%d = pto.texpands 1 : f32 ->",
                                        "%d = pto.texpands 1 : f32 -> !pto.tile<8x8xf3>"};
    aic_spec spec;
    uint64_t word;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ck_assert_int_eq(aic_spec_read(texts[i], &spec), AIC_INVALID_ARGUMENT);
        note_messages();
    }
    ck_assert_int_eq(aic_quant_word(-1, 256, true, &word), AIC_INVALID_ARGUMENT);
    note_messages();
    static const int64_t shapes[][4] = {{0, 1, 1, 1}, {1, 1, 1, 5}, {INT32_MAX, INT32_MAX, INT32_MAX, 4}};
    uint8_t pixel = 0;
    int8_t packed[4];
    size_t bytes;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        ck_assert_int_eq(aic_pack_picture_bytes(shapes[i], 4, &bytes), AIC_INVALID_ARGUMENT);
        note_messages();
    }
    ck_assert_int_eq(aic_pack_picture_bytes(shapes[1], 5, &bytes), AIC_INVALID_ARGUMENT);
    note_messages();
    ck_assert_int_eq(aic_pack_picture(&pixel, (int64_t[]){1, 1, 1, 1}, 4, 256, packed), AIC_INVALID_ARGUMENT);
    note_messages();
    ck_assert_int_eq(aic_pack_weights_bytes(AIC_FLOAT32, shapes[1], 4, &bytes), AIC_INVALID_ARGUMENT);
    note_messages();
}

/* Programs of PTO-AS. */
static void note_program(const char *text, size_t length, const aic_pto_options *options)
{
    aic_pto_program *program = NULL;
    ck_assert_int_eq(aic_pto_parse(text, length, options, &program), AIC_INVALID_ARGUMENT);
    note_messages();
}

static void note_programs(void)
{
    static const char unknown[] = "%d = pto.texpands %s : f32 -> !pto.tile<8x8xf32>\n";
    aic_pto_options options = aic_pto_options_init();
    aic_pto_program *program = NULL;
    note_program(unknown, strlen(unknown), NULL);
    note_program(unknown, (size_t)AIC_PTO_BYTES_MAX + 1, NULL);
    options.arch = (aic_chip)7;
    options.placement = (aic_pto_placement)9;
    note_program(unknown, strlen(unknown), &options);
    options = aic_pto_options_init();
    options.free_names = true;
    ck_assert_int_eq(aic_pto_parse(unknown, strlen(unknown), &options, &program), AIC_OK);
    ck_assert_int_eq(aic_pto_run(NULL, program, (void *[]){NULL}, 1), AIC_INVALID_ARGUMENT);
    note_messages();
    aic_pto_destroy(program);
}

START_TEST(every_rule_can_be_broken)
{
    note_texts();
    note_programs();
    note_random();
    note_data();
    note_semantics();
    note_requests();
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        aic_spec spec = spec_of(requests[i].spec);
        aic_stage *last = &spec.stage[spec.count - 1];
        if (requests[i].field != NULL) {
            set_field(last->op, &last->desc, requests[i].field, 0, (uint64_t)requests[i].value);
        }
        note(&spec, NULL);
    }
    const aic_rule *rule;
    int unbroken = 0;
    for (size_t i = 0; (rule = aic_rule_at(i)) != NULL; i++) {
        if (strcmp(rule->kind, "rule") == 0 && !seen[i]) {
            fprintf(stderr, "nothing breaks the rule %s of %s\n", rule->id, rule->op);
            unbroken++;
        }
    }
    ck_assert_int_eq(unbroken, 0);
}
END_TEST

/* ---- all of them ---- */

static void expect_messages(const char *const *messages)
{
    for (size_t i = 0; messages[i] != NULL; i++) {
        ck_assert_ptr_nonnull(aic_last_error_at(i));
        ck_assert_str_eq(aic_last_error_at(i), messages[i]);
        ck_assert(messages[i + 1] != NULL || aic_last_error_at(i + 1) == NULL);
    }
}

static const char *const SEVERAL = "conv2d(dtype=int8, fm_shape=[1,8,9,32], kernel_shape=[1,3,3,24,32], stride=[64,0], "
                                   "pad=[999,0,0,0])";
static const char *const SEVERAL_MESSAGES[] = {
    "conv2d: kernel_shape: Cout = 24 is not a multiple of 16 in 16..4096 [TIK conv2d, parameter kernel_shape]",
    "conv2d: stride: stride_h = 64 is outside 1..63 [TIK conv2d, parameter stride]",
    "conv2d: stride: stride_w = 0 is outside 1..63 [TIK conv2d, parameter stride]",
    "conv2d: pad: pad_left = 999 is outside 0..255 [TIK conv2d, parameter pad]",
    NULL,
};

START_TEST(all_broken_rules_are_told)
{
    aic_spec spec = spec_of(SEVERAL);
    aic_kernel *kernel = NULL;
    ck_assert_int_eq(aic_spec_validate(&spec, NULL), AIC_INVALID_ARGUMENT);
    expect_messages(SEVERAL_MESSAGES);
    ck_assert_int_eq(aic_kernel_create(NULL, &spec, NULL, &kernel), AIC_INVALID_ARGUMENT);
    expect_messages(SEVERAL_MESSAGES);
    ck_assert_int_eq(aic_reference(&spec, NULL, (void *[]){NULL, NULL, NULL}, 3), AIC_INVALID_ARGUMENT);
    expect_messages(SEVERAL_MESSAGES);
    const aic_spec legal = spec_of("mmad(dtype=int8, m=1, n=1, k=1)");
    ck_assert_int_eq(aic_reference(&legal, NULL, (void *[]){NULL, NULL, NULL}, 3), AIC_INVALID_ARGUMENT);
    ck_assert(aic_last_error_at(2) != NULL && aic_last_error_at(3) == NULL); /* c, a, b */
    ck_assert_int_eq(aic_spec_read("nothing", &spec), AIC_INVALID_ARGUMENT);
    ck_assert_ptr_null(aic_last_error_at(1));
    ck_assert_ptr_null(aic_last_error_rule(1));
}
END_TEST

/* Messages of the last failure that begin with this operator's name. */
static size_t count_of(const char *name)
{
    size_t count = 0;
    const char *message;
    for (size_t i = 0; (message = aic_last_error_at(i)) != NULL; i++) {
        count += strncmp(message, name, strlen(name)) == 0 && message[strlen(name)] == ':';
    }
    return count;
}

static size_t all_messages(void)
{
    size_t count = 0;
    while (aic_last_error_at(count) != NULL) {
        count++;
    }
    return count;
}

/* Breaks one rule of a legal stage, in a field that nothing else is judged by. */
static void break_stage(aic_stage *stage)
{
    switch (stage->op) {
    case AIC_OP_CONV2D:
        stage->desc.conv2d.pad[0] = 256;
        break;
    case AIC_OP_MMAD:
        stage->desc.mmad.n = 4096;
        break;
    case AIC_OP_FIXPIPE:
        stage->desc.fixpipe.unitFlag = 1;
        break;
    case AIC_OP_TIK_FIXPIPE:
        stage->desc.tik_fixpipe.src_stride = 1;
        break;
    default:
        ck_assert_int_eq(stage->op, AIC_OP_TENSOR_ARITHMETIC);
        stage->desc.tensor_arithmetic.memory = AIC_MEMORY_LOCAL;
    }
}

/* Of a chain whose first stage is illegal the others are judged: nothing is said of legal ones, and all that is
 * illegal is said of the others. */
START_TEST(every_stage_is_judged)
{
    int chains = 0, longer = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        aic_spec spec;
        ck_assert_int_eq(aic_spec_draw_chain(AIC_OP_NONE, AIC_OP_NONE, NULL, seed, &spec), AIC_OK);
        const char *const first = aic_op_name(spec.stage[0].op), *const last = aic_op_name(spec.stage[1].op);
        break_stage(&spec.stage[0]);
        ck_assert_int_eq(aic_spec_validate(&spec, NULL), AIC_INVALID_ARGUMENT);
        ck_assert_msg(count_of(first) == all_messages(), "seed %" PRIu64 ": %s", seed, aic_last_error_at(1));
        const size_t before = all_messages();
        for (int32_t s = 1; s < spec.count; s++) {
            break_stage(&spec.stage[s]);
        }
        ck_assert_int_eq(aic_spec_validate(&spec, NULL), AIC_INVALID_ARGUMENT);
        ck_assert_msg(all_messages() == before + (size_t)spec.count - 1, "seed %" PRIu64 ": %zu messages", seed,
                      all_messages());
        ck_assert_uint_ge(count_of(last), 1);
        note_messages();
        chains += spec.count == 2;
        longer += spec.count > 2;
    }
    ck_assert(chains > 100 && longer > 100);
}
END_TEST

/* Every word is wrong: what can be judged is told, and there is room for it. */
START_TEST(there_is_room_for_all)
{
    aic_spec spec;
    memset(&spec, 0x99, sizeof spec);
    spec.count = 1;
    for (int op = AIC_OP_NONE + 1; op < AIC_OP_END; op++) {
        spec.stage[0].op = (aic_op)op;
        ck_assert_int_eq(aic_spec_validate(&spec, NULL), AIC_INVALID_ARGUMENT);
        note_messages();
        const bool alone = op == AIC_OP_TRANSDATA; /* without a type there are no layouts, without layouts no shape */
        ck_assert((aic_last_error_at(1) == NULL) == alone);
    }
}
END_TEST

/* ---- the lists ---- */

static bool is_choice(const char *key)
{
    const aic_choice *choice;
    for (size_t i = 0; (choice = aic_choice_at(i)) != NULL; i++) {
        if (strcmp(choice->key, key) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether an operator's list has an entry of this kind and id. */
static bool has_entry(const char *op, const char *kind, const char *id)
{
    const aic_rule *rule;
    int found = 0;
    for (size_t i = 0; (rule = aic_rule_at(i)) != NULL; i++) {
        found += strcmp(rule->op, op) == 0 && strcmp(rule->kind, kind) == 0 && strcmp(rule->id, id) == 0;
    }
    ck_assert_int_le(found, 1); /* ids are unique */
    return found == 1;
}

START_TEST(every_field_has_a_source)
{
    for (int op = AIC_OP_NONE + 1; op < AIC_OP_END; op++) {
        const aic_record *record = &aic_op_get((aic_op)op)->record;
        for (size_t f = 0; f < record->count; f++) {
            const aic_field *field = &record->fields[f];
            ck_assert_msg(has_entry(record->name, "field", field->name), "%s: %s", record->name, field->name);
            ck_assert_msg(has_entry(record->name, "default", field->name) == !field->required, "default of %s: %s",
                          record->name, field->name);
        }
    }
}
END_TEST

START_TEST(entries_are_complete)
{
    static const char *const origins[][2] = {{"documented", ""},
                                             {"vendor", "public vendor source: "},
                                             {"inferred", "inferred: "},
                                             {"chosen", "our choice: "}};
    const aic_rule *rule;
    for (size_t i = 0; (rule = aic_rule_at(i)) != NULL; i++) {
        size_t o = 0;
        while (strcmp(origins[o][0], rule->origin) != 0) {
            ck_assert_uint_lt(++o, sizeof origins / sizeof origins[0]);
        }
        ck_assert_msg(strncmp(rule->source, origins[o][1], strlen(origins[o][1])) == 0, "%s", rule->source);
        ck_assert_uint_gt(strlen(rule->source), strlen(origins[o][1]) + 3);
        ck_assert_msg(strstr(rule->source, "section") == NULL, "%s", rule->source); /* documents have no numbers */
        ck_assert_uint_lt(strlen(rule->source), 200);                               /* messages have room for it */
        ck_assert(has_entry(rule->op, rule->kind, rule->id));
        ck_assert((rule->text[0] == '\0') == (strcmp(rule->kind, "default") == 0));
        const bool step = strcmp(rule->kind, "step") == 0;
        ck_assert_msg(!step || rule->field[0] == '\0' || is_choice(rule->field), "%s", rule->field);
    }
}
END_TEST

/* A choice decides a step, else nobody knew what it changes. */
START_TEST(every_choice_decides_a_step)
{
    const aic_choice *choice;
    for (size_t c = 0; (choice = aic_choice_at(c)) != NULL; c++) {
        const aic_rule *rule;
        bool decides = false;
        for (size_t i = 0; (rule = aic_rule_at(i)) != NULL; i++) {
            decides |= strcmp(rule->kind, "step") == 0 && strcmp(rule->field, choice->key) == 0;
        }
        ck_assert_msg(decides, "%s", choice->key);
    }
}
END_TEST

Suite *suite_rules(void)
{
    Suite *suite = suite_create("rules");
    TCase *rules = tcase_create("rules");
    tcase_set_timeout(rules, 120);
    tcase_add_test(rules, every_rule_can_be_broken);
    tcase_add_test(rules, all_broken_rules_are_told);
    tcase_add_test(rules, every_stage_is_judged);
    tcase_add_test(rules, there_is_room_for_all);
    tcase_add_test(rules, every_field_has_a_source);
    tcase_add_test(rules, entries_are_complete);
    tcase_add_test(rules, every_choice_decides_a_step);
    suite_add_tcase(suite, rules);
    return suite;
}
