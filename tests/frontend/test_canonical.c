/* One kernel for all specifications that come to the same: fields that code ignores make no other. */
#include "codegen/codegen.h"
#include "frontend/core/chain.h"
#include "frontend/random/rng.h"
#include "runtime/request/context.h"
#include "tests/claims.h"
#include "tests/levels.h"
#include "tests/specs.h"
#include "tools/harness/testdata.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_canonical(void);

enum { TEXT_MAX = 4096, FIELDS_MAX = 32 };

/* ---- pairs of specifications that differ in one entry of one field ---- */

/* Single operators, then chains. */
typedef struct kind {
    aic_op op, consumer;
} kind;

static const kind chains[] = {{AIC_OP_CONV2D, AIC_OP_FIXPIPE}, {AIC_OP_MMAD, AIC_OP_FIXPIPE}};

enum { OPS = AIC_OP_END - 1, KINDS = OPS + sizeof chains / sizeof chains[0] };

static kind kind_of(int number)
{
    return number < OPS ? (kind){(aic_op)(number + 1), AIC_OP_NONE} : chains[number - OPS];
}

static aic_spec draw_spec(kind which, const aic_semantics *semantics, uint64_t seed)
{
    aic_spec spec;
    const aic_status status = which.consumer == AIC_OP_NONE
                                  ? aic_spec_draw(which.op, semantics, seed, &spec)
                                  : aic_spec_draw_chain(which.op, which.consumer, semantics, seed, &spec);
    ck_assert_msg(status == AIC_OK, "%s", aic_last_error());
    return spec;
}

typedef struct pair {
    aic_semantics semantics;
    aic_spec spec[2];       /* resolved */
    aic_spec canonical[2];  /* what their kernels are made of */
    const char *op, *field; /* where they differ */
    uint32_t entry;
} pair;

/* Another value of an entry: a near one, what another descriptor has there, or any bits. */
static uint64_t other_word(uint64_t *state, const aic_field *field, uint64_t word, uint64_t another)
{
    switch (field->kind) {
    case AIC_KIND_BOOL:
        return word ^ 1;
    case AIC_KIND_REAL:
    case AIC_KIND_FLOAT32:
    case AIC_KIND_BITS:
        return AIC_RNG_PICK(state, another, word ^ UINT64_C(1) << aic_rng_range(state, 0, 63), word ^ 64,
                            aic_rng_next(state));
    case AIC_KIND_INT:
    case AIC_KIND_DIMS:
    case AIC_KIND_SIZE:
        /* Unsigned, as the smallest number may be drawn. */
        return AIC_RNG_PICK(state, word + 1, word - 1, word + 1, word + 16, 2 * word, 0, 1, UINT64_MAX, another,
                            another, (uint64_t)aic_rng_range(state, 0, 70));
    default: /* an enumeration */
        return aic_rng_once_in(state, 2) ? another : (uint64_t)aic_rng_range(state, 0, 20);
    }
}

/* Changes an entry of a stage of the first specification. */
static void change_entry(uint64_t *state, const aic_spec *donor, int64_t s, const aic_field *field, uint32_t entry,
                         pair *p)
{
    void *desc = &p->spec[1].stage[s].desc;
    p->spec[1] = p->spec[0];
    p->op = aic_op_name(p->spec[0].stage[s].op);
    p->field = field->name;
    p->entry = entry;
    const uint64_t word = aic_field_word(field, desc, entry);
    const uint64_t another = aic_field_word(field, &donor->stage[s].desc, entry);
    aic_field_set_word(field, desc, entry, other_word(state, field, word, another));
}

/* The same of any stage and entry. */
static void change(uint64_t *state, const aic_spec *donor, pair *p)
{
    const int64_t s = aic_rng_range(state, 0, p->spec[0].count - 1);
    const aic_record *record = &aic_op_get(p->spec[0].stage[s].op)->record;
    const aic_field *field = &record->fields[aic_rng_range(state, 0, (int64_t)record->count - 1)];
    change_entry(state, donor, s, field, (uint32_t)aic_rng_range(state, 0, field->count - 1), p);
}

/* Whether the second specification is another one, and legal; if so it is resolved, and both are canonicalised. */
static bool is_pair(pair *p)
{
    aic_spec resolved;
    if (aic_spec_equal(&p->spec[0], &p->spec[1]) || aic_spec_resolve(&p->spec[1], &p->semantics, &resolved) != AIC_OK) {
        return false;
    }
    p->spec[1] = resolved;
    for (int i = 0; i < 2; i++) {
        p->canonical[i] = p->spec[i];
        aic_spec_canonicalise(&p->canonical[i], &p->semantics);
    }
    return true;
}

/* What results depend on beside the specification; the memory that some are drawn for is the documents'. */
static aic_semantics draw_semantics(uint64_t *state)
{
    aic_semantics semantics = aic_semantics_init();
    semantics.rounding = aic_rng_once_in(state, 2) ? AIC_ROUNDING_HALF_UP : AIC_ROUNDING_FLOOR;
    semantics.overflow = aic_rng_once_in(state, 2) ? AIC_OVERFLOW_IEEE : AIC_OVERFLOW_SATURATE;
    semantics.limits = aic_rng_once_in(state, 2) ? AIC_LIMITS_HOST : AIC_LIMITS_DOCUMENT;
    return semantics;
}

/* Of legal specifications; false when luck fails. */
static bool draw_pair(kind which, uint64_t seed, pair *p)
{
    uint64_t state = claims_seed(seed * 2 + 1);
    p->semantics = draw_semantics(&state);
    const aic_spec given = draw_spec(which, &p->semantics, seed), donor = draw_spec(which, &p->semantics, seed + 1);
    ck_assert_int_eq(aic_spec_resolve(&given, &p->semantics, &p->spec[0]), AIC_OK);
    for (int tries = 0; tries < 40; tries++) {
        change(&state, &donor, p);
        if (is_pair(p)) {
            return true;
        }
    }
    return false;
}

/* ---- what must not differ, or must ---- */

static bool same_operand(const aic_operand *a, const aic_operand *b, bool types)
{
    bool same = strcmp(a->name, b->name) == 0 && a->direction == b->direction && a->rank == b->rank &&
                a->bytes == b->bytes && a->words == b->words && a->overlaps == b->overlaps &&
                a->coincides == b->coincides && aic_dtype_size(a->dtype) == aic_dtype_size(b->dtype);
    for (int32_t d = 0; d < a->rank && d < AIC_RANK_MAX; d++) {
        same = same && a->shape[d] == b->shape[d];
    }
    return same && (!types || a->dtype == b->dtype);
}

/* types: elements of one size may still be of different types. */
static bool same_operands(const aic_spec *a, const aic_spec *b, const aic_semantics *semantics, bool types)
{
    aic_operand of_a[AIC_OPERANDS_MAX], of_b[AIC_OPERANDS_MAX];
    const size_t count = aic_spec_operands_of(a, semantics, of_a);
    bool same = count == aic_spec_operands_of(b, semantics, of_b);
    for (size_t i = 0; i < count && same; i++) {
        same = same_operand(&of_a[i], &of_b[i], types);
    }
    return same;
}

/* The IR that is made of a specification, the kernel's name left out. */
static char *ir_of(const aic_spec *spec, const aic_semantics *semantics)
{
    aic_context *context;
    char *text;
    size_t size;
    ck_assert_int_eq(aic_context_default(&context), AIC_OK);
    const aic_codegen_request request = {.count = 1,
                                         .spec = spec,
                                         .semantics = semantics,
                                         .target = context->target,
                                         .machine = context->machine,
                                         .symbol = "kernel"};
    ck_assert_msg(aic_generator_linked()->dump(&request, AIC_DUMP_IR, &text, &size) == AIC_OK, "%s", aic_last_error());
    return text;
}

/* Where the code begins, behind the comment that shows the specification. */
static const char *code_in(const char *ir)
{
    const char *code = strstr(ir, "\n; ModuleID");
    ck_assert_ptr_nonnull(code);
    return code;
}

static bool same_code(const aic_spec *a, const aic_spec *b, const aic_semantics *semantics)
{
    char *of_a = ir_of(a, semantics), *of_b = ir_of(b, semantics);
    const bool same = strcmp(code_in(of_a), code_in(of_b)) == 0;
    free(of_a);
    free(of_b);
    return same;
}

static void print_pair(const pair *p, const char *what)
{
    char text[TEXT_MAX];
    printf("%s: %s[%u]: %s\n", p->op, p->field, p->entry, what);
    for (int i = 0; i < 2; i++) {
        (void)aic_spec_print(&p->spec[i], text, sizeof text, NULL);
        printf("    %s\n", text);
    }
}

static bool is_cube(const aic_stage *stage)
{
    return (stage->op == AIC_OP_CONV2D ? stage->desc.conv2d.accumulate : stage->desc.mmad.accumulate) ==
           AIC_ACCUMULATE_CUBE;
}

/* Whether a chain ends in a fixpipe of no matrices: its code is none, whatever the stages before are. */
static bool is_empty_chain(const aic_spec *spec)
{
    const aic_stage *last = &spec->stage[spec->count - 1];
    return spec->count > 1 && last->op == AIC_OP_FIXPIPE && last->desc.fixpipe.ndNum == 0;
}

/* Pairs whose code may be equal by chance: the results of two constants are computed when the code is made, a target
 * without FMA adds float32 up in one way, Winograd's method is taken only where it is cheaper than direct sums, and
 * there are chains without code. */
static bool may_be_equal(const pair *p)
{
    const aic_stage *stage = &p->spec[0].stage[0];
    const aic_tensor_arithmetic_desc *words = &stage->desc.tensor_arithmetic;
    const aic_tensor_arithmetic_quantized_desc *integers = &stage->desc.tensor_arithmetic_quantized;
    aic_context *context;
    ck_assert_int_eq(aic_context_default(&context), AIC_OK);
    const bool fused = (context->target->has & AIC_HAS_FMA) != 0;
    return (stage->op == AIC_OP_TENSOR_ARITHMETIC && words->input0_is_const && words->input1_is_const) ||
           (stage->op == AIC_OP_TENSOR_ARITHMETIC_QUANTIZED && integers->input0_is_const &&
            integers->input1_is_const) ||
           is_empty_chain(&p->spec[0]) ||
           (strcmp(p->field, "accumulate") == 0 &&
            (!fused || (!is_cube(&p->spec[0].stage[0]) && !is_cube(&p->spec[1].stage[0]))));
}

/* Draws of each kind; N times as many in a campaign. */
static uint64_t draws(uint64_t usual)
{
    return usual * (1 + levels_campaign());
}

/* A field that code does not depend on makes no other kernel. */
START_TEST(equal_code_is_one_kernel)
{
    const kind which = kind_of(_i);
    int failed = 0;
    for (uint64_t seed = 0; seed < draws(200); seed++) {
        pair p;
        if (draw_pair(which, seed, &p) && !aic_spec_equal(&p.canonical[0], &p.canonical[1]) &&
            same_operands(&p.spec[0], &p.spec[1], &p.semantics, true) && !may_be_equal(&p) &&
            same_code(&p.canonical[0], &p.canonical[1], &p.semantics)) {
            print_pair(&p, "makes another kernel of the same code");
            failed++;
        }
    }
    ck_assert_int_eq(failed, 0);
}
END_TEST

/* ---- every entry of every field ---- */

/* What changing an entry was seen to do. */
typedef struct seen {
    bool same, other; /* the kernel stays, another one is made */
} seen;

/* Changes each entry of some specifications of an operator. round: 0 .., others each. */
static void see(aic_op op, const aic_record *record, uint64_t round, seen entries[][AIC_RANK_MAX])
{
    const uint64_t count = draws(1000);
    for (uint64_t seed = round * count; seed < (round + 1) * count; seed++) {
        pair p;
        uint64_t state = claims_seed(seed * 2 + 1);
        const kind which = {op, AIC_OP_NONE};
        p.semantics = draw_semantics(&state);
        const aic_spec given = draw_spec(which, &p.semantics, seed), donor = draw_spec(which, &p.semantics, seed + 1);
        ck_assert_int_eq(aic_spec_resolve(&given, &p.semantics, &p.spec[0]), AIC_OK);
        for (size_t f = 0; f < record->count; f++) {
            for (uint32_t i = 0; i < record->fields[f].count; i++) {
                change_entry(&state, &donor, 0, &record->fields[f], i, &p);
                if (is_pair(&p)) {
                    const bool same = aic_spec_equal(&p.canonical[0], &p.canonical[1]);
                    entries[f][i].same |= same;
                    entries[f][i].other |= !same;
                }
            }
        }
    }
}

/* For each field, what changing it alone, from one legal descriptor to another, is seen to do, a letter an entry:
 *
 *     o  another kernel    s  the same kernel    b  one or the other, as other fields are    .  rules forbid it
 *
 * A field that is new has to be put in here; one that loses its `o` or `b` is forgotten by the code, one that loses its
 * `s` or `b` makes kernels that are not needed. */
static const char *const expected_entries[AIC_OP_END] = {
    [AIC_OP_CONV2D] =
        ("dtype=o fm_shape=.oo. kernel_shape=.ooo. stride=bb pad=bbbb dilation=bb pad_value=b init_l1out=o "
         "accumulate=b l1out=. groups=."),
    [AIC_OP_MMAD] = "dtype=o m=b n=b k=b a_format=o b_format=o c_format=o init_c=o accumulate=b l1out=.",
    [AIC_OP_FIXPIPE] = ("dst=s src=. format=b nSize=o mSize=o srcStride=b dstStride=b quantPre=o deqScalar=b ndNum=b "
                        "srcNdStride=b dstNdStride=b reluEn=b unitFlag=. isChannelSplit=o fill_block=b"),
    [AIC_OP_TIK_FIXPIPE] = ("dst=. src=. cburst_num=o burst_len=o dst_stride=b src_stride=. bias=o quantize_params=. "
                            "mode_param=b mode_param_tensor=o relu=o"),
    [AIC_OP_ND2NZ] =
        ("dtype=b ndNum=b nValue=b dValue=b srcNdMatrixStride=b srcDValue=b dstNzC0Stride=b dstNzNStride=b "
         "dstNzMatrixStride=b"),
    [AIC_OP_LOAD_DATA] = "dtype=b startIndex=b repeatTimes=o srcStride=b dstGap=b ifTranspose=b addrMode=.",
    [AIC_OP_LOAD_DATA_TRANSPOSE] = "dtype=b startIndex=b repeatTimes=o srcStride=b dstGap=b dstFracGap=b addrMode=.",
    [AIC_OP_TRANSDATA] = "dtype=b src=b dst=b shape=oooo",
    [AIC_OP_TENSOR_ARITHMETIC] =
        ("memory=o input0_addr=b input1_addr=b output_addr=o shape=oooo input0_stride=bbbb "
         "input1_stride=bbbb output_stride=bbbb op=o input0_is_const=o input1_is_const=b input0_const=b "
         "input1_const=b select_value=b shift_type=b input1_stage=s"),
    [AIC_OP_TENSOR_ARITHMETIC_QUANTIZED] =
        ("memory=o input0_addr=o input1_addr=b output_addr=o shape=oooo input0_stride=bbbb "
         "input1_stride=bbbb output_stride=bbbb op=o input0_is_const=o input1_is_const=b rshift_bit=b "
         "lshift_bit=b shift_type=b input0_sign=b input1_sign=b output_sign=b input0_8bit=. input1_8bit=s "
         "output_8bit=o input1_n_is1=b input1_h_is1=b input1_w_is1=b"),
    [AIC_OP_TEXPANDS] =
        ("arch=s loc=b dtype=b rows=o cols=o v_row=b v_col=b blayout=s slayout=b fractal=b pad=s compact=s "
         "layout=s shape=oooobo buffer_size=o manual=s address=s literal=b"),
};

static char letter_of(seen entry)
{
    return entry.same ? (entry.other ? 'b' : 's') : entry.other ? 'o' : '.';
}

static void print_entries(const aic_record *record, seen entries[][AIC_RANK_MAX], char text[TEXT_MAX])
{
    size_t length = 0;
    for (size_t f = 0; f < record->count; f++) {
        length += (size_t)snprintf(text + length, TEXT_MAX - length, "%s%s=", f > 0 ? " " : "", record->fields[f].name);
        for (uint32_t i = 0; i < record->fields[f].count; i++) {
            text[length++] = letter_of(entries[f][i]);
        }
        text[length] = '\0';
    }
}

/* The letters are those of the usual draws. Other ones may see both where these do not: what is very rare. */
static bool is_expected(const char *text, const char *expected)
{
    const bool usual = claims_seed(1) == 1;
    bool same = strlen(text) == strlen(expected);
    for (size_t i = 0; same && text[i] != '\0'; i++) {
        same = text[i] == expected[i] || (!usual && text[i] == 'b' && strchr("os", expected[i]) != NULL);
    }
    return same;
}

/* What is rare may not be among the first draws: they go on until all has been seen. More draws add what is seen, and
 * take nothing away. */
START_TEST(every_entry)
{
    enum { ROUNDS = 15 };
    const aic_op op = (aic_op)(_i + 1);
    const aic_record *record = &aic_op_get(op)->record;
    static seen entries[FIELDS_MAX][AIC_RANK_MAX];
    char text[TEXT_MAX] = "";
    ck_assert_uint_le(record->count, FIELDS_MAX);
    memset(entries, 0, sizeof entries);
    for (uint64_t round = 0; round < ROUNDS && !is_expected(text, expected_entries[op]); round++) {
        see(op, record, round, entries);
        print_entries(record, entries, text);
    }
    ck_assert_msg(is_expected(text, expected_entries[op]), "%s\n  is seen, not\n%s", text, expected_entries[op]);
}
END_TEST

/* ---- what a kernel does is what each of its specifications says ---- */

typedef struct operands {
    size_t count;
    aic_operand operand[AIC_OPERANDS_MAX];
    void *data[AIC_OPERANDS_MAX];
    void *old; /* a copy of the output's content */
} operands;

static void open_operands(const aic_spec *spec, const aic_semantics *semantics, uint64_t seed, operands *o)
{
    *o = (operands){.count = aic_spec_operands_of(spec, semantics, o->operand)};
    (void)aic_spec_operands_of(spec, semantics, o->operand);
    for (size_t i = 0; i < o->count; i++) {
        if (o->operand[i].direction != AIC_DIRECTION_UNUSED) {
            o->data[i] = malloc((size_t)o->operand[i].bytes + 1);
            ck_assert_ptr_nonnull(o->data[i]);
            testdata_fill_for(spec, &o->operand[i], seed + i, o->data[i]);
        }
    }
    o->old = malloc((size_t)o->operand[0].bytes + 1);
    ck_assert_ptr_nonnull(o->old);
    memcpy(o->old, o->data[0], (size_t)o->operand[0].bytes);
}

static void close_operands(operands *o)
{
    free(o->old);
    for (size_t i = 0; i < o->count; i++) {
        free(o->data[i]);
    }
}

/* The formulas on a specification that need not be valid; the result is in the first operand. */
static void run(const aic_spec *spec, const aic_semantics *semantics, const operands *o)
{
    const aic_stage *first = &spec->stage[0];
    memcpy(o->data[0], o->old, (size_t)o->operand[0].bytes);
    ck_assert_int_eq(spec->count > 1 ? aic_chain_reference(spec, semantics, o->data)
                                     : aic_op_get(first->op)->reference(&first->desc, semantics, o->data),
                     AIC_OK);
}

static void check_result(const aic_spec *spec, const aic_spec *canonical, const aic_semantics *semantics, uint64_t seed)
{
    operands o;
    char text[TEXT_MAX];
    open_operands(spec, semantics, seed, &o);
    (void)aic_spec_print(spec, text, sizeof text, NULL);
    const size_t bytes = (size_t)o.operand[0].bytes;
    void *expected = malloc(bytes + 1);
    ck_assert_ptr_nonnull(expected);
    run(spec, semantics, &o);
    memcpy(expected, o.data[0], bytes);
    run(canonical, semantics, &o);
    ck_assert_msg(memcmp(expected, o.data[0], bytes) == 0, "%s: the kernel's result is another one", text);
    free(expected);
    close_operands(&o);
}

/* What is wrong with data, "" for nothing. */
static const char *judge(const aic_spec *spec, const operands *o)
{
    const void *const *data = (const void *const *)o->data;
    return aic_spec_check_data(spec, data) == AIC_OK ? "" : aic_last_error();
}

static void check_data(const aic_spec *spec, const aic_spec *canonical, const aic_semantics *semantics, uint64_t seed)
{
    operands o;
    char warning[200];
    open_operands(spec, semantics, seed, &o);
    for (size_t i = 0; i <= o.count; i++) {
        if (i > 0 && o.data[i - 1]) {
            (void)testdata_spoil(&o.operand[i - 1], seed, o.data[i - 1]);
        }
        char expected[TEXT_MAX];
        snprintf(expected, sizeof expected, "%s", judge(spec, &o));
        const char *given = aic_take_warning();
        snprintf(warning, sizeof warning, "%s", given ? given : "");
        ck_assert_str_eq(judge(canonical, &o), expected);
        given = aic_take_warning();
        ck_assert_str_eq(given ? given : "", warning);
    }
    close_operands(&o);
}

START_TEST(a_kernel_does_what_is_asked)
{
    const kind which = kind_of(_i);
    for (uint64_t seed = 0; seed < draws(30); seed++) {
        uint64_t state = claims_seed(seed);
        const aic_semantics semantics = draw_semantics(&state);
        const aic_spec spec = draw_spec(which, &semantics, seed);
        aic_spec resolved, canonical, twice;
        ck_assert_int_eq(aic_spec_resolve(&spec, &semantics, &resolved), AIC_OK);
        ck_assert_int_eq(aic_spec_resolve_kernel(&spec, &semantics, &canonical), AIC_OK);
        twice = canonical;
        aic_spec_canonicalise(&twice, &semantics);
        ck_assert_msg(aic_spec_equal(&twice, &canonical), "%s %d: canonicalised twice", aic_op_name(which.op),
                      (int)seed);
        ck_assert_msg(same_operands(&resolved, &canonical, &semantics, false), "%s %d: other operands",
                      aic_op_name(which.op), (int)seed);
        check_data(&resolved, &canonical, &semantics, seed);
        check_result(&resolved, &canonical, &semantics, seed);
    }
}
END_TEST

/* Where nothing is taken of a convolution, only what its operands are counts; the shape of old sums follows from all.
 */
START_TEST(nothing_is_taken)
{
    static const struct {
        const char *start;
        bool same;
    } rows[] = {{"", true}, {", init_l1out=false, l1out=channel", true}, {", init_l1out=false, l1out=tensor", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        aic_spec canonical[2];
        for (int s = 0; s < 2; s++) {
            char text[TEXT_MAX];
            snprintf(text, sizeof text,
                     "conv2d(dtype=int8, fm_shape=[1,5,5,32], kernel_shape=[1,1,1,16,32], pad=%s%s) | "
                     "fixpipe(src=int32, dst=int32, ndNum=0)",
                     s == 0 ? "[1,1,0,0]" : "[0,0,1,1]", rows[i].start);
            const aic_spec spec = spec_of(text);
            ck_assert_msg(aic_spec_resolve_kernel(&spec, NULL, &canonical[s]) == AIC_OK, "%s", aic_last_error());
        }
        ck_assert_msg(aic_spec_equal(&canonical[0], &canonical[1]) == rows[i].same, "%s", rows[i].start);
    }
}
END_TEST

Suite *suite_canonical(void)
{
    Suite *suite = suite_create("canonical");
    TCase *tcase = tcase_create("canonical");
    tcase_set_timeout(tcase, levels_campaign() > 0 ? 0 : 300);
    tcase_add_loop_test(tcase, equal_code_is_one_kernel, 0, KINDS);
    tcase_add_loop_test(tcase, a_kernel_does_what_is_asked, 0, KINDS);
    tcase_add_test(tcase, nothing_is_taken);
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("entries");
    tcase_set_timeout(tcase, levels_campaign() > 0 ? 0 : 60);
    tcase_add_loop_test(tcase, every_entry, 0, OPS);
    suite_add_tcase(suite, tcase);
    return suite;
}
