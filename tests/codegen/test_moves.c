/* Kernels that move data: every pair of layouts over small shapes and over shapes around the widths at which the code
 * changes, and pseudo-random operators, by running their IR; some of them as machine code, too.
 * A campaign (tests/levels.h) tries more operators, and all shapes of the tables on tiny machines (machines.h), too. */
#include "frontend/core/op.h"
#include "frontend/layout/layout.h"
#include "frontend/random/rng.h"
#include "tests/claims.h"
#include "tests/ir_case.h"
#include "tests/levels.h"
#include "tests/machines.h"
#include "tests/specs.h"
#include "tools/harness/verify.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_moves(void);

/* ---- machine code ---- */

/* Of every so many specifications one is compiled, too, for the narrowest and the widest level of this host. */
enum { COMPILED_OF = 1500, LEVELS = 2 };

static aic_context *contexts[LEVELS];

/* machine NULL: that which contexts have. */
static void open_contexts(const aic_machine *machine)
{
    const char *const names[LEVELS] = {aic_isa_name(0), NULL};
    for (int i = 0; i < LEVELS; i++) {
        aic_context_options options = aic_context_options_init();
        options.isa = names[i];
        ck_assert_msg(aic_context_create(&options, &contexts[i]) == AIC_OK, "%s", aic_last_error());
        machine_suppose(contexts[i], machine != NULL ? machine : machine_of(contexts[i]));
    }
}

static void close_contexts(void)
{
    for (int i = 0; i < LEVELS; i++) {
        aic_context_destroy(contexts[i]);
    }
}

static void check_compiled(const aic_spec *spec, uint64_t seed)
{
    const aic_semantics semantics = aic_semantics_init();
    char text[1024];
    for (int i = 0; i < LEVELS; i++) {
        verify_report report;
        const verify_verdict verdict = verify_spec(spec, &semantics, seed, contexts[i], NULL, &report);
        ck_assert_int_eq(aic_spec_print(spec, text, sizeof text, NULL), AIC_OK);
        ck_assert_msg(verdict == VERIFY_PASSED, "%s %s: %s", aic_context_isa(contexts[i]), text, report.text);
    }
}

static void check(const aic_spec *spec, uint64_t *number)
{
    const uint64_t seed = ++*number;
    ir_case_check_all(spec, seed);
    if (seed % COMPILED_OF == 1) {
        check_compiled(spec, seed);
    }
}

/* ---- transdata: all pairs of layouts ---- */

/* Sizes of a dimension: small ones, and those around blocks and vectors. */
typedef struct sizes {
    const char *letters;
    int64_t value[24]; /* up to a 0 */
} sizes;

static const sizes SIZES[] = {
    {"RC", {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 37, 63, 64, 65, 128, 0}},
    {"NO", {1, 2, 3, 4, 5, 8, 15, 16, 17, 33, 0}},
    {"CI", {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 37, 64, 65, 0}},
    {"H", {1, 2, 3, 5, 16, 0}},
    {"W", {1, 2, 3, 4, 5, 7, 17, 33, 0}},
};

static const int64_t *sizes_of(char letter)
{
    size_t i = 0;
    while (strchr(SIZES[i].letters, letter) == NULL) {
        i++;
    }
    return SIZES[i].value;
}

/* Shapes of more elements than SMALL are many, and alike: one of OTHERS is taken. Those of more than LARGE only repeat
 * what others do. */
enum { SMALL = 32, OTHERS = 89, LARGE = 5000 };

static bool is_taken(const aic_transdata_desc *d, uint64_t number)
{
    int64_t elements = 1;
    for (int i = 0; i < AIC_TENSOR_RANK_MAX; i++) {
        elements *= d->shape[i] == 0 ? 1 : d->shape[i];
    }
    uint64_t state = claims_seed(number);
    return elements <= LARGE && (elements <= SMALL || levels_campaign() > 0 || aic_rng_next(&state) % OTHERS == 0);
}

/* All shapes of the table, dimension by dimension. */
static void check_shapes(aic_spec *spec, const char *letters, size_t dim, uint64_t *shapes, uint64_t *number)
{
    aic_transdata_desc *d = &spec->stage[0].desc.transdata;
    if (letters[dim] == '\0') {
        if (is_taken(d, ++*shapes)) {
            check(spec, number);
        }
        return;
    }
    for (const int64_t *size = sizes_of(letters[dim]); *size != 0; size++) {
        d->shape[dim] = *size;
        check_shapes(spec, letters, dim + 1, shapes, number);
    }
}

typedef struct pair {
    aic_layout src, dst;
} pair;

enum { PAIRS = 49 };

/* Pair number `index` of those that transdata joins; false past the last. */
static bool pair_at(int index, pair *p)
{
    for (p->src = AIC_LAYOUT_ND; p->src <= AIC_LAYOUT_2N; p->src++) {
        for (p->dst = AIC_LAYOUT_ND; p->dst <= AIC_LAYOUT_2N; p->dst++) {
            if (aic_layout_get(p->src) && aic_layout_get(p->dst) && aic_layout_pair(p->src, p->dst) && index-- == 0) {
                return true;
            }
        }
    }
    return false;
}

START_TEST(layouts)
{
    static const aic_dtype TYPES[] = {AIC_INT8, AIC_FLOAT16, AIC_FLOAT32};
    const int machine = _i / PAIRS;
    uint64_t shapes = 0, number = (uint64_t)_i;
    pair p;
    ck_assert(pair_at(_i % PAIRS, &p));
    open_contexts(machine == 0 ? NULL : &tiny_machines[machine - 1]);
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++) {
        aic_transdata_desc d = aic_transdata_desc_init();
        d.dtype = TYPES[i];
        d.src = p.src;
        d.dst = p.dst;
        aic_spec spec = aic_spec_of(AIC_OP_TRANSDATA, &d);
        if (aic_layout_takes(p.src, d.dtype) && aic_layout_takes(p.dst, d.dtype)) {
            check_shapes(&spec, aic_layout_shape_letters(p.src, p.dst), 0, &shapes, &number);
        }
    }
    close_contexts();
    ck_assert_uint_gt(number, (uint64_t)_i);
}
END_TEST

/* The table above says how many pairs there are. */
START_TEST(all_pairs)
{
    pair p;
    ck_assert(pair_at(PAIRS - 1, &p) && !pair_at(PAIRS, &p));
}
END_TEST

/* ---- pseudo-random operators ---- */

/* Running more than this takes longer than it is worth. */
enum { BYTES_MAX = 20000 };

static bool is_large(const aic_spec *spec)
{
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count;
    if (aic_spec_operands(spec, NULL, operand, &count) != AIC_OK) {
        ck_abort_msg("%s", aic_last_error());
    }
    return levels_campaign() == 0 && operand[0].bytes > BYTES_MAX;
}

/* Whether nothing but bits and addresses is computed. */
static bool moves_only(const aic_spec *spec)
{
    switch (spec->stage[0].op) {
    case AIC_OP_TENSOR_ARITHMETIC:
        return spec->stage[0].desc.tensor_arithmetic.memory == AIC_MEMORY_FLAT;
    case AIC_OP_TENSOR_ARITHMETIC_QUANTIZED:
        return spec->stage[0].desc.tensor_arithmetic_quantized.memory == AIC_MEMORY_FLAT;
    default:
        return true;
    }
}

/* Operations on words that only use bits. */
static aic_atomic_op draw_bitwise(uint64_t *state)
{
    return (aic_atomic_op)AIC_RNG_PICK(state, AIC_ATOMIC_BM_AND, AIC_ATOMIC_BM_OR, AIC_ATOMIC_BM_XOR,
                                       AIC_ATOMIC_BM_CPY);
}

static const struct {
    aic_op op;
    uint64_t count;
} RANDOM[] = {
    {AIC_OP_TRANSDATA, 600},           {AIC_OP_ND2NZ, 600},    {AIC_OP_LOAD_DATA, 150},
    {AIC_OP_LOAD_DATA_TRANSPOSE, 150}, {AIC_OP_TEXPANDS, 500}, {AIC_OP_TENSOR_ARITHMETIC, 500},
};

enum { RANDOMS = sizeof RANDOM / sizeof RANDOM[0] };

/* `count` of an operator. */
static void check_random(aic_op op, const aic_machine *machine, uint64_t first_seed, uint64_t count)
{
    uint64_t number = 0;
    open_contexts(machine);
    for (uint64_t seed = first_seed; number < count; seed++) {
        aic_spec spec;
        uint64_t state = claims_seed(seed);
        if (aic_spec_draw(op, NULL, seed, &spec) != AIC_OK) {
            ck_abort_msg("%s", aic_last_error());
        }
        if (op == AIC_OP_TENSOR_ARITHMETIC) {
            spec.stage[0].desc.tensor_arithmetic.op = draw_bitwise(&state);
        }
        if (moves_only(&spec) && aic_spec_validate(&spec, NULL) == AIC_OK && !is_large(&spec)) {
            check(&spec, &number);
        }
    }
    close_contexts();
}

static uint64_t times(void)
{
    return levels_campaign() == 0 ? 1 : levels_campaign();
}

START_TEST(pseudo_random)
{
    check_random(RANDOM[_i].op, NULL, 1, RANDOM[_i].count * times());
}
END_TEST

/* Stores past the caches, lines copied aside and all that comes with large outputs, on small ones. */
START_TEST(tiny_machine)
{
    const int row = _i / TINY_MACHINES;
    check_random(RANDOM[row].op, &tiny_machines[_i % TINY_MACHINES], UINT64_C(1) << 32,
                 RANDOM[row].count / 4 * times());
}
END_TEST

Suite *suite_moves(void)
{
    Suite *suite = suite_create("moves");
    TCase *pairs = tcase_create("layouts"), *others = tcase_create("operators");
    const double seconds = levels_campaign() > 0 ? 100000 : 600; /* sanitizers are slow */
    tcase_set_timeout(pairs, seconds);
    tcase_set_timeout(others, seconds);
    tcase_add_test(pairs, all_pairs);
    tcase_add_loop_test(pairs, layouts, 0, levels_campaign() == 0 ? PAIRS : PAIRS * (1 + TINY_MACHINES));
    tcase_add_loop_test(others, pseudo_random, 0, RANDOMS);
    tcase_add_loop_test(others, tiny_machine, 0, RANDOMS * TINY_MACHINES);
    suite_add_tcase(suite, pairs);
    suite_add_tcase(suite, others);
    return suite;
}
