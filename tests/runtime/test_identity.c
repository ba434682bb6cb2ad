/* Identities of kernels: every part of what code depends on is in them, and a text says what they consist of. */
#include "codegen/machine.h"
#include "codegen/target/host.h"
#include "frontend/core/bytes.h"
#include "frontend/core/spec.h"
#include "frontend/text/text.h"
#include "runtime/request/context.h"
#include "runtime/request/identity.h"
#include "tests/specs.h"

#include <aic/tool.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_identity(void);

#define CONV "conv2d(dtype=float16, fm_shape=[1,7,7,16], kernel_shape=[1,3,3,16,16], pad=[1,1,1,1], pad_value=0.5)"
#define MMAD "mmad(dtype=int8, m=3, n=5, k=7)"
#define CHAIN MMAD " | fixpipe(dst=int32, src=int32)"
#define SCHEDULE "schedule(kernel=vector, rows=1, cols=2)"

static aic_spec specs[3];
static aic_semantics semantics;
static aic_machine machine;
static aic_codegen_request base; /* of the first specification */

static void set_up(void)
{
    static const char *const texts[] = {CONV, MMAD, CHAIN};
    semantics = aic_semantics_init();
    machine = *aic_machine_of(AIC_CORE_ZEN4);
    for (int i = 0; i < 3; i++) {
        const aic_spec spec = spec_of(texts[i]);
        ck_assert_int_eq(aic_spec_resolve_kernel(&spec, NULL, &specs[i]), AIC_OK);
    }
    base = (aic_codegen_request){.count = 1,
                                 .spec = specs,
                                 .semantics = &semantics,
                                 .target = aic_target_find(AIC_ARCH_X86_64, "avx2"),
                                 .machine = &machine};
}

/* An identity, and what dumps say of it. */
typedef struct known {
    aic_identity identity;
    char *text;
} known;

static char *text_of(const aic_codegen_request *request)
{
    char *text = NULL;
    ck_assert_msg(aic_identity_print(request, &text) == AIC_OK, "%s", aic_last_error());
    return text;
}

static known known_of(const aic_codegen_request *request)
{
    known made = {.text = text_of(request)};
    ck_assert_int_eq(aic_identity_create(request, &made.identity), AIC_OK);
    return made;
}

static void forget(known *k)
{
    aic_identity_free(&k->identity);
    free(k->text);
}

/* Whether their bytes are equal: then, and only then, so are their texts, which are made of the requests. */
static bool is_same(const known *a, const known *b)
{
    const bool same =
        a->identity.size == b->identity.size && memcmp(a->identity.bytes, b->identity.bytes, a->identity.size) == 0;
    ck_assert_msg(same == (strcmp(a->text, b->text) == 0), "%s bytes, but texts are\n%sand\n%s",
                  same ? "equal" : "other", a->text, b->text);
    return same;
}

/* ---- what is in them ---- */

/* Another request is another kernel in every respect. */
static void check_other(const known *a, const aic_codegen_request *request, const char *what)
{
    known b = known_of(request);
    ck_assert_msg(!is_same(a, &b), "%s makes no other identity", what);
    ck_assert_msg(a->identity.hash != b.identity.hash, "%s", what);
    ck_assert_msg(strcmp(a->identity.symbol, b.identity.symbol) != 0, "%s", what);
    forget(&b);
}

START_TEST(every_part_counts)
{
    known a = known_of(&base), again = known_of(&base);
    ck_assert(is_same(&a, &again));
    ck_assert_str_eq(a.identity.symbol, again.identity.symbol);
    ck_assert_uint_eq(a.identity.hash, aic_hash_bytes(a.identity.bytes, a.identity.size));
    aic_codegen_request other = base;
    other.target = aic_target_find(AIC_ARCH_X86_64, "avx512");
    check_other(&a, &other, "the level");
    other.target = aic_target_find(AIC_ARCH_AARCH64, "neon");
    check_other(&a, &other, "the architecture");
    other = base;
    other.passes = "instcombine";
    check_other(&a, &other, "passes");
    other.passes = "";
    known none = known_of(&other);
    ck_assert(is_same(&a, &none));
    other = base;
    other.schedule = SCHEDULE;
    check_other(&a, &other, "a schedule");
    known scheduled = known_of(&other);
    other.schedule = "schedule(kernel=vector, rows=1, cols=3)";
    check_other(&scheduled, &other, "another schedule");
    other = base;
    other.triple = "aarch64-linux-musl", other.symbol = "name"; /* are not looked at */
    known elsewhere = known_of(&other);
    ck_assert(is_same(&a, &elsewhere));
    known *const made[] = {&a, &again, &none, &scheduled, &elsewhere};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        forget(made[i]);
    }
}
END_TEST

/* Every entry of every list: semantics, what is supposed of the machine, and the fields of a stage. */
START_TEST(every_entry_counts)
{
    known a = known_of(&base);
    const aic_op_info *op = aic_op_get(specs[0].stage[0].op);
    const struct {
        const aic_record *record;
        void *fields;
    } lists[] = {
        {&aic_semantics_record, &semantics}, {&aic_machine_record, &machine}, {&op->record, &specs[0].stage[0].desc}};
    for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++) {
        for (size_t f = 0; f < lists[l].record->count; f++) {
            const aic_field *field = &lists[l].record->fields[f];
            for (uint32_t i = 0; i < field->count; i++) {
                const uint64_t word = aic_field_word(field, lists[l].fields, i);
                aic_field_set_word(field, lists[l].fields, i, word ^ 1);
                check_other(&a, &base, field->name);
                aic_field_set_word(field, lists[l].fields, i, word);
            }
        }
    }
    known again = known_of(&base);
    ck_assert(is_same(&a, &again));
    forget(&a);
    forget(&again);
}
END_TEST

/* Every entry of every operator, and every level of every architecture. */
START_TEST(every_operator_counts)
{
    static const uint64_t FLIPPED[] = {1, 2, UINT64_C(1) << 31};
    aic_spec *drawn, made;
    ck_assert_int_eq(aic_spec_random((aic_op)_i, NULL, 5, &drawn), AIC_OK);
    ck_assert_int_eq(aic_spec_resolve_kernel(drawn, NULL, &made), AIC_OK);
    aic_spec_destroy(drawn);
    aic_codegen_request request = base;
    request.spec = &made;
    known a = known_of(&request);
    const aic_record *record = &aic_op_get((aic_op)_i)->record;
    for (size_t f = 0; f < record->count; f++) {
        for (size_t i = 0; i < record->fields[f].count * sizeof FLIPPED / sizeof FLIPPED[0]; i++) {
            const aic_field *field = &record->fields[f];
            const uint32_t entry = (uint32_t)i % field->count;
            const uint64_t word = aic_field_word(field, &made.stage[0].desc, entry);
            aic_field_set_word(field, &made.stage[0].desc, entry, word ^ FLIPPED[i / field->count]);
            known b = known_of(&request);
            ck_assert(is_same(&a, &b) == (aic_field_word(field, &made.stage[0].desc, entry) == word));
            forget(&b);
            aic_field_set_word(field, &made.stage[0].desc, entry, word);
        }
    }
    forget(&a);
}
END_TEST

START_TEST(every_level_counts)
{
    const aic_target *target;
    known last = {.text = NULL};
    for (int arch = AIC_ARCH_X86_64; arch <= AIC_ARCH_AARCH64; arch++) {
        for (size_t i = 0; (target = aic_target_at((aic_arch)arch, i)) != NULL; i++) {
            aic_codegen_request request = base;
            request.target = target;
            known k = known_of(&request);
            ck_assert(last.text == NULL || !is_same(&last, &k));
            if (last.text != NULL) {
                forget(&last);
            }
            last = k;
        }
    }
    forget(&last);
}
END_TEST

/* Stages and specifications are distinguished however they follow one another, and symbols name what there is. */
START_TEST(forms_differ)
{
    const aic_spec pair[] = {specs[1], specs[0]}, reversed[] = {specs[0], specs[1]}, twice[] = {specs[1], specs[1]};
    const struct {
        size_t count;
        const aic_spec *spec;
        const char *symbol;
    } forms[] = {{1, &specs[0], "aic_conv2d_"}, {1, &specs[1], "aic_mmad_"}, {1, &specs[2], "aic_mmad_fixpipe_"},
                 {2, pair, "aic_mmad_x2_"},     {2, twice, "aic_mmad_x2_"},  {2, reversed, "aic_conv2d_x2_"}};
    enum { FORMS = sizeof forms / sizeof forms[0] };
    for (size_t i = 0; i < FORMS; i++) {
        aic_codegen_request request = base;
        request.count = forms[i].count, request.spec = forms[i].spec;
        known a = known_of(&request);
        ck_assert_msg(strncmp(a.identity.symbol, forms[i].symbol, strlen(forms[i].symbol)) == 0, "%s",
                      a.identity.symbol);
        for (size_t k = 0; k < i; k++) {
            request.count = forms[k].count, request.spec = forms[k].spec;
            check_other(&a, &request, forms[i].symbol);
        }
        forget(&a);
    }
}
END_TEST

/* A tuned kernel and the default one of a problem begin with the same bytes, and no other problem does. */
START_TEST(schedules_come_last)
{
    aic_codegen_request request = base;
    known plain = known_of(&request);
    request.schedule = SCHEDULE;
    known tuned = known_of(&request);
    request.spec = &specs[1];
    known other = known_of(&request);
    ck_assert_uint_eq(plain.identity.problem, tuned.identity.problem);
    ck_assert_mem_eq(plain.identity.bytes, tuned.identity.bytes, plain.identity.problem);
    ck_assert(other.identity.problem != plain.identity.problem ||
              memcmp(other.identity.bytes, plain.identity.bytes, plain.identity.problem) != 0);
    forget(&plain);
    forget(&tuned);
    forget(&other);
}
END_TEST

/* ---- what they say ---- */

/* The line that begins here is `expected`; returns where the next one begins. */
static const char *check_line(const char *text, const char *expected)
{
    const size_t length = strlen(expected);
    ck_assert_msg(strncmp(text, expected, length) == 0 && text[length] == '\n', "%s is not first of %s", expected,
                  text);
    return text + length + 1;
}

START_TEST(readable_text)
{
    char line[4096];
    aic_codegen_request request = base;
    request.count = 2, request.spec = specs + 1, request.passes = "instcombine,dce";
    char *whole = text_of(&request);
    const char *at = whole;
    for (int i = 1; i <= 2; i++) {
        ck_assert_int_eq(aic_spec_print(&specs[i], line, sizeof line, NULL), AIC_OK);
        at = check_line(at, line);
    }
    ck_assert_int_eq(aic_record_print(&aic_semantics_record, &semantics, line, sizeof line, NULL), AIC_OK);
    at = check_line(at, line);
    snprintf(line, sizeof line,
             "target avx2: architecture 0, CPU x86-64, %s, has 0x%x, %d vector registers of 256 bits",
             base.target->features, (unsigned)base.target->has, base.target->vector_registers);
    at = check_line(at, line);
    at = check_line(at, "passes \"instcombine,dce\"");
    ck_assert_int_eq(aic_record_print(&aic_machine_record, &machine, line, sizeof line, NULL), AIC_OK);
    at = check_line(at, line);
    snprintf(line, sizeof line, "schedule of the default rule, version %d", AIC_SCHEDULE_RULE);
    at = check_line(at, line);
    ck_assert_str_eq(at, "");
    free(whole);
}
END_TEST

/* The last part is the schedule as it was given; whole fields are read back. */
START_TEST(text_of_a_schedule)
{
    aic_codegen_request request = base;
    request.spec = &specs[2], request.schedule = SCHEDULE, request.passes = "dce";
    char *whole = text_of(&request);
    ck_assert_ptr_nonnull(strstr(whole, "\n" SCHEDULE "\n"));
    aic_spec back;
    whole[strcspn(whole, "\n")] = '\0';
    ck_assert_msg(aic_spec_read(whole, &back) == AIC_OK, "%s", aic_last_error());
    ck_assert(aic_spec_equal(&back, &specs[2]));
    free(whole);
}
END_TEST

/* Every operator's fields are read back, those too that are left out where they have their fallback. */
START_TEST(every_operator_reads_back)
{
    enum { SEEDS = 60 };
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        aic_spec *spec, made, back;
        ck_assert_int_eq(aic_spec_random((aic_op)_i, NULL, seed, &spec), AIC_OK);
        ck_assert_int_eq(aic_spec_resolve_kernel(spec, NULL, &made), AIC_OK);
        aic_codegen_request request = base;
        request.spec = &made;
        char *whole = text_of(&request);
        whole[strcspn(whole, "\n")] = '\0';
        ck_assert_msg(aic_spec_read(whole, &back) == AIC_OK, "%s", aic_last_error());
        ck_assert_msg(aic_spec_equal(&back, &made), "%s", whole);
        aic_spec_destroy(spec);
        free(whole);
    }
}
END_TEST

/* ---- kernels ---- */

/* The text of a schedule in another spelling. */
static void respell(const char *text, char *other)
{
    for (; *text != '\0'; text++) {
        *other++ = *text;
        if (*text == '(' || *text == ',') {
            *other++ = ' ';
            *other++ = ' ';
        }
    }
    *other = '\0';
}

/* A dump bears the name of the kernel that the same words make. Number 0 is what the default rule takes. */
START_TEST(dumps_have_names_of_kernels)
{
    const aic_spec spec = spec_of(CONV);
    char schedule[256], respelled[512], *ir;
    size_t size;
    aic_context *context;
    aic_kernel *kernel;
    aic_kernel_info info = aic_kernel_info_init();
    ck_assert_int_eq(aic_context_create(NULL, &context), AIC_OK);
    ck_assert_int_eq(aic_schedule_candidate(context, &spec, (size_t)_i, schedule, sizeof schedule), AIC_OK);
    respell(schedule, respelled);
    ck_assert_msg(aic_kernel_create(context, &spec, respelled, &kernel) == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(aic_kernel_get_info(kernel, &info), AIC_OK);
    ck_assert_str_eq(info.schedule, schedule);
    ck_assert_int_eq(aic_dump(context, &spec, respelled, AIC_DUMP_IR, NULL, NULL, &ir, &size), AIC_OK);
    ck_assert_msg(strstr(ir, info.name) != NULL, "%s is not in the dump", info.name);
    aic_codegen_request request = base;
    request.target = context->target;
    request.machine = context->machine;
    request.schedule = _i == 0 ? NULL : schedule;
    known k = known_of(&request);
    ck_assert_str_eq(k.identity.symbol, info.name);
    forget(&k);
    aic_free(ir);
    aic_kernel_destroy(kernel);
    aic_context_destroy(context);
}
END_TEST

Suite *suite_identity(void)
{
    Suite *suite = suite_create("identity");
    TCase *tcase = tcase_create("identity");
    tcase_add_checked_fixture(tcase, set_up, NULL);
    tcase_add_test(tcase, every_part_counts);
    tcase_add_test(tcase, every_entry_counts);
    tcase_add_loop_test(tcase, every_operator_counts, AIC_OP_NONE + 1, AIC_OP_END);
    tcase_add_test(tcase, every_level_counts);
    tcase_add_test(tcase, forms_differ);
    tcase_add_test(tcase, schedules_come_last);
    tcase_add_test(tcase, readable_text);
    tcase_add_test(tcase, text_of_a_schedule);
    tcase_add_loop_test(tcase, every_operator_reads_back, AIC_OP_NONE + 1, AIC_OP_END);
    tcase_add_loop_test(tcase, dumps_have_names_of_kernels, 0, 2);
    suite_add_tcase(suite, tcase);
    return suite;
}
