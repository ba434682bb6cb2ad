/* Parts that are made together: the same bytes as alone, each alone where they cannot be, which parts these are, and
 * what a program notes of them. */
#include "codegen/parts.h"
#include "frontend/core/diag.h"
#include "tests/guard_case.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_part_batches(void);

/* ---- parts of the test's own ---- */

/* void small(out): stores a number, perhaps a constant vector and a word of a table, and calls a role. */
typedef struct small_key {
    int64_t add;
    bool pointers;    /* that the role takes: two or one */
    bool trips;       /* the number is at least 1 */
    int64_t constant; /* words of the vector */
    bool table, lost;
} small_key;

static const aic_field FIELDS[] = {
    AIC_FIELD_ROW(small_key, INT, add, 1, REQUIRED, 0) AIC_FIELD_ROW(small_key, BOOL, pointers, 1, REQUIRED, 0)
        AIC_FIELD_ROW(small_key, BOOL, trips, 1, REQUIRED, 0) AIC_FIELD_ROW(small_key, INT, constant, 1, REQUIRED, 0)
            AIC_FIELD_ROW(small_key, BOOL, table, 1, REQUIRED, 0) AIC_FIELD_ROW(small_key, BOOL, lost, 1, REQUIRED, 0)};
static const aic_record RECORD = {"small", FIELDS, 6};

enum { CONSTANT_MAX = 16 };

static void store_constant(aic_emit *e, const small_key *key, LLVMValueRef out)
{
    LLVMValueRef word[CONSTANT_MAX];
    for (int64_t i = 0; i < key->constant; i++) {
        word[i] = LLVMConstInt(e->i32, (unsigned long long)(key->add + 17 * i), false);
    }
    LLVMBuildStore(e->builder, LLVMConstVector(word, (unsigned)key->constant), out);
}

/* A word of a constant of five words, which no vector has. */
static void store_from_table(aic_emit *e, LLVMValueRef number, LLVMValueRef out)
{
    enum { WORDS = 5 };
    LLVMValueRef word[WORDS], index[] = {aic_int(e, 0), number};
    for (unsigned i = 0; i < WORDS; i++) {
        word[i] = LLVMConstInt(e->i32, 17 * i, false);
    }
    LLVMValueRef table = LLVMAddGlobal(e->module, LLVMArrayType2(e->i32, WORDS), "");
    LLVMSetInitializer(table, LLVMConstArray2(e->i32, word, WORDS));
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(table, true);
    LLVMValueRef at = LLVMBuildGEP2(e->builder, LLVMArrayType2(e->i32, WORDS), table, index, 2, "");
    LLVMBuildStore(e->builder, LLVMBuildLoad2(e->builder, e->i32, at, ""), out);
}

static LLVMValueRef emit_small(aic_emit *e, const void *of, const char *name)
{
    const small_key *key = of;
    aic_emit_function(e, name, AIC_EMIT_FRAME, (const char *const[]){"out"}, 1, 0);
    LLVMValueRef function = e->function, out = aic_emit_param(e, 0);
    LLVMValueRef number = key->trips ? aic_trips(e, "number") : aic_number(e, "number");
    LLVMBuildStore(e->builder, aic_add(e, number, aic_int(e, key->add)), out);
    if (key->constant > 0) {
        store_constant(e, key, out);
    }
    if (key->table) {
        store_from_table(e, number, out);
    }
    if (key->lost) {
        aic_guard_missing("number", "lost");
    }
    const unsigned pointers = key->pointers ? 2 : 1;
    aic_call_role(e, (LLVMValueRef[]){out, out}, pointers, 0, "next");
    aic_emit_function_end(e);
    return function;
}

static const aic_part_emitter EMITTER = {emit_small};
static const aic_part_kind SMALL = {
    .name = "small", .record = &RECORD, .key_bytes = sizeof(small_key), .speed = AIC_PART_FAST, .emitter = &EMITTER};
static const aic_part_kind WELL = {
    .name = "well", .record = &RECORD, .key_bytes = sizeof(small_key), .emitter = &EMITTER};

static const aic_target *target(void)
{
    return aic_target_find(AIC_ARCH_X86_64, "avx2");
}

enum { PARTS = 7 };

static void check_like_alone(const aic_part_order *order, const aic_target *of)
{
    aic_piece alone;
    ck_assert_msg(aic_part_make(order->kind, order->key, of, &alone) == AIC_OK, "%s", aic_last_error());
    ck_assert_uint_eq(order->piece.size, alone.size);
    ck_assert_mem_eq(order->piece.bytes, alone.bytes, alone.size);
    aic_piece_free(&alone);
}

/* They differ in what a name means: a number's least, the parameters of a role. */
START_TEST(equal_bytes)
{
    enum { COUNT = 12 };
    small_key key[COUNT];
    aic_part_order order[COUNT];
    memset(key, 0, sizeof key);
    for (int i = 0; i < COUNT; i++) {
        key[i] = (small_key){.add = i / 2, .pointers = i % 2 == 1, .trips = i % 3 == 1};
        order[i] = (aic_part_order){.kind = &SMALL, .key = &key[i]};
    }
    ck_assert_msg(aic_parts_make(order, COUNT, target()) == AIC_OK, "%s", aic_last_error());
    for (int i = 0; i < COUNT; i++) {
        check_like_alone(&order[i], target());
        aic_piece_free(&order[i].piece);
    }
}
END_TEST

/* Constants of 16, 32 and 64 bytes are in sections of all parts: their own share of each is that of a part, several
 * constants and equal ones of two parts among them, in an order that is not the sections'. */
START_TEST(constants)
{
    static const char *const LEVELS[] = {"avx512", "avx2", "sse2"};
    static const int64_t WORDS[] = {0, 16, 4, 0, 8, 4, 4, 16, 16, 0, 8, 0};
    enum { COUNT = sizeof WORDS / sizeof WORDS[0] };
    small_key key[COUNT];
    aic_part_order order[COUNT];
    memset(key, 0, sizeof key);
    for (size_t l = 0; l < sizeof LEVELS / sizeof LEVELS[0]; l++) {
        const aic_target *of = aic_target_find(AIC_ARCH_X86_64, LEVELS[l]);
        for (int i = 0; i < COUNT; i++) {
            key[i] = (small_key){.add = i == 6 ? 5 : i, .constant = WORDS[i]};
            order[i] = (aic_part_order){.kind = &SMALL, .key = &key[i]};
        }
        ck_assert_msg(aic_parts_make(order, COUNT, of) == AIC_OK, "%s", aic_last_error());
        for (int i = 0; i < COUNT; i++) {
            check_like_alone(&order[i], of);
            aic_piece_free(&order[i].piece);
        }
    }
}
END_TEST

/* Of another constant nobody knows where it ends. */
START_TEST(tables)
{
    small_key key[3] = {{.add = 1}, {.add = 2, .table = true}, {.add = 3}};
    aic_part_order order[3] = {
        {.kind = &SMALL, .key = &key[0]}, {.kind = &SMALL, .key = &key[1]}, {.kind = &SMALL, .key = &key[2]}};
    ck_assert_int_eq(aic_parts_make(order, 3, target()), AIC_COMPILE);
    ck_assert_msg(strstr(aic_last_error(), "is of no part") != NULL, "%s", aic_last_error());
    for (int i = 0; i < 3; i++) {
        ck_assert_ptr_null(order[i].piece.bytes);
    }
}
END_TEST

/* ---- programs ---- */

/* What a program asked for, and how that goes. */
static struct {
    int alone[PARTS], together[PARTS]; /* by part */
    size_t batch[PARTS];               /* sizes, in their order */
    size_t batches;
    aic_status fails; /* of several */
} asked;

static aic_status make(const aic_part_kind *kind, const void *key, const aic_target *of, aic_piece *piece)
{
    asked.alone[((const small_key *)key)->add]++;
    return aic_part_make(kind, key, of, piece);
}

static aic_status make_several(aic_part_order *order, size_t count, const aic_target *of)
{
    asked.batch[asked.batches++] = count;
    for (size_t i = 0; i < count; i++) {
        asked.together[((const small_key *)order[i].key)->add]++;
    }
    return asked.fails == AIC_OK ? aic_parts_make(order, count, of) : aic_fail(asked.fails, "part", "several");
}

static void compose(aic_program *program, const aic_part_kind *kind, const small_key *key, size_t count)
{
    *program = (aic_program){.status = AIC_OK};
    for (size_t i = 0; i < count; i++) {
        aic_use use;
        aic_use_begin(&use, program, kind, &key[i]);
        aic_use_number(&use, (int64_t)i, "number");
        (void)aic_program_add(program, &use, "small_%zu", i);
    }
    ck_assert_int_eq(program->status, AIC_OK);
}

static aic_status take_with(aic_program *program, aic_part_source *parts, aic_part_helpers helpers)
{
    const aic_program_sources sources = {
        .target = target(), .parts = parts, .make = make, .make_several = make_several, .helpers = helpers};
    const aic_status fails = asked.fails;
    memset(&asked, 0, sizeof asked);
    asked.fails = fails;
    return aic_program_take(program, &sources);
}

static void set_up(small_key key[PARTS])
{
    memset(key, 0, PARTS * sizeof *key);
    for (int i = 0; i < PARTS; i++) {
        key[i].add = i;
    }
    asked.fails = AIC_OK;
}

/* All in one, with equal shares of the time; none with others where its kind is compiled well. */
START_TEST(one_batch)
{
    small_key key[PARTS];
    aic_program program;
    set_up(key);
    compose(&program, &SMALL, key, PARTS);
    ck_assert_int_eq(take_with(&program, NULL, (aic_part_helpers){.begin = NULL}), AIC_OK);
    ck_assert_uint_eq(asked.batches, 1);
    ck_assert_uint_eq(asked.batch[0], PARTS);
    for (int i = 0; i < PARTS; i++) {
        ck_assert_int_eq(asked.alone[i], 0);
        ck_assert_int_eq(program.part[i].origin, AIC_PART_MADE);
        ck_assert_uint_eq(program.part[i].ns, program.part[0].ns);
        ck_assert_uint_gt(program.part[i].bytes, 0);
    }
    aic_program_free(&program);
    compose(&program, &WELL, key, 1);
    ck_assert_int_eq(take_with(&program, NULL, (aic_part_helpers){.begin = NULL}), AIC_INTERNAL); /* a frame */
    ck_assert_uint_eq(asked.batches, 0);
    aic_program_free(&program);
}
END_TEST

/* After one attempt. Where there is no memory, none is tried again. */
START_TEST(made_alone)
{
    small_key key[PARTS];
    aic_program program;
    set_up(key);
    key[4].table = true;
    compose(&program, &SMALL, key, PARTS);
    ck_assert_msg(take_with(&program, NULL, (aic_part_helpers){.begin = NULL}) == AIC_OK, "%s", aic_last_error());
    ck_assert_uint_eq(asked.batches, 1);
    for (int i = 0; i < PARTS; i++) {
        ck_assert_int_eq(asked.alone[i], 1);
    }
    asked.fails = AIC_OUT_OF_MEMORY;
    ck_assert_int_eq(take_with(&program, NULL, (aic_part_helpers){.begin = NULL}), AIC_OUT_OF_MEMORY);
    ck_assert_uint_eq(asked.batches, 1);
    ck_assert_int_eq(asked.alone[0], 0);
    aic_program_free(&program);
}
END_TEST

/* Where LLVM gives up, too, so that the message is about the part that it gives up. */
START_TEST(given_up)
{
    small_key key[PARTS];
    aic_program program;
    set_up(key);
    key[5].lost = true;
    compose(&program, &SMALL, key, PARTS);
    guard_loses(true);
    ck_assert_int_eq(take_with(&program, NULL, (aic_part_helpers){.begin = NULL}), AIC_INTERNAL);
    guard_loses(false);
    ck_assert_str_eq(aic_last_error(), "LLVM: the number lost is not given");
    ck_assert_uint_eq(asked.batches, 1);
    ck_assert_int_eq(asked.alone[4], 1);
    ck_assert_int_eq(asked.alone[5], 1);
    ck_assert_int_eq(asked.alone[6], 0);
    aic_program_free(&program);
}
END_TEST

/* Another thread, which comes late. */
static aic_status begin(void *user, size_t most, aic_status (*body)(void *), void *argument, void **of)
{
    (void)most, (void)body, (void)argument;
    *of = user;
    return AIC_OK;
}

static aic_status end(void *of)
{
    (void)of;
    return AIC_OK;
}

/* Half of what is left, so that others have something to do. */
START_TEST(shared_work)
{
    static const size_t SIZES[] = {4, 2};
    small_key key[PARTS];
    aic_program program;
    int other;
    set_up(key);
    compose(&program, &SMALL, key, PARTS);
    ck_assert_int_eq(take_with(&program, NULL, (aic_part_helpers){begin, end, &other}), AIC_OK);
    ck_assert_uint_eq(asked.batches, 2);
    ck_assert_mem_eq(asked.batch, SIZES, sizeof SIZES);
    for (int i = 0; i < PARTS; i++) {
        ck_assert_int_eq(asked.alone[i] + asked.together[i], 1);
    }
    aic_program_free(&program);
}
END_TEST

/* A source that has the pieces of some identities, and keeps what is made. */
typedef struct keeping_source {
    aic_part_source source;
    size_t count, kept, lent;
    struct {
        aic_part_identity identity;
        aic_piece piece;
    } part[PARTS];
} keeping_source;

static size_t find(const keeping_source *k, const aic_part_identity *identity)
{
    size_t i = 0;
    while (i < k->count && (k->part[i].identity.size != identity->size ||
                            memcmp(k->part[i].identity.bytes, identity->bytes, identity->size) != 0)) {
        i++;
    }
    return i;
}

static aic_status take_kept(aic_part_source *source, const aic_part_identity *identity,
                            aic_status (*make_it)(void *what, aic_piece *piece), void *what, const aic_piece **piece,
                            aic_part_origin *origin)
{
    keeping_source *k = (keeping_source *)source;
    const size_t i = find(k, identity);
    *origin = i < k->count ? AIC_PART_READY : AIC_PART_MADE;
    if (i == k->count) {
        ck_assert_int_eq(make_it(what, &k->part[i].piece), AIC_OK);
        k->part[i].identity = *identity;
        k->count++;
    }
    k->lent++;
    *piece = &k->part[i].piece;
    return AIC_OK;
}

static void give_back_kept(aic_part_source *source, const aic_piece *piece)
{
    (void)piece;
    ((keeping_source *)source)->lent--;
}

static bool lacks(aic_part_source *source, const aic_part_identity *identity)
{
    const keeping_source *k = (keeping_source *)source;
    return find(k, identity) == k->count;
}

/* What the source has is not made, equal parts of a program are made once, and a source that does not say what it has
 * gets each alone. */
START_TEST(sources)
{
    small_key key[PARTS];
    aic_program program;
    set_up(key);
    key[5] = key[3];
    for (int says = 0; says < 2; says++) {
        static keeping_source k;
        k = (keeping_source){.source = {.take = take_kept, .give_back = give_back_kept, .lacks = says ? lacks : NULL}};
        compose(&program, &SMALL, &key[1], 1);
        ck_assert_int_eq(take_with(&program, &k.source, (aic_part_helpers){.begin = NULL}), AIC_OK);
        ck_assert_int_eq(asked.alone[1], 1);
        aic_program_free(&program);
        compose(&program, &SMALL, key, PARTS);
        ck_assert_int_eq(take_with(&program, &k.source, (aic_part_helpers){.begin = NULL}), AIC_OK);
        ck_assert_uint_eq(asked.batches, (size_t)says);
        for (int i = 0; i < PARTS; i++) {
            ck_assert_int_eq(asked.together[i], says && i != 1 && i != 5);
            ck_assert_int_eq(asked.alone[i], !says && i != 1 && i != 5);
        }
        ck_assert_int_eq(program.part[1].origin, AIC_PART_READY);
        ck_assert_int_eq(program.part[5].origin, AIC_PART_READY);
        ck_assert_uint_eq(k.lent, 0);
        aic_program_free(&program);
        for (size_t i = 0; i < k.count; i++) {
            aic_piece_free(&k.part[i].piece);
        }
    }
}
END_TEST

Suite *suite_part_batches(void)
{
    Suite *suite = suite_create("part_batches");
    TCase *batches = tcase_create("batches");
    tcase_add_test(batches, equal_bytes);
    tcase_add_test(batches, constants);
    tcase_add_test(batches, tables);
    tcase_add_test(batches, one_batch);
    tcase_add_test(batches, made_alone);
    tcase_add_test(batches, given_up);
    tcase_add_test(batches, shared_work);
    tcase_add_test(batches, sources);
    suite_add_tcase(suite, batches);
    return suite;
}
