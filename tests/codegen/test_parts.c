/* Parts of kernels: numbers, trip counts and roles in both forms; what code compiled fast may do; keys and identities;
 * equal keys, equal bytes; kernels of both forms against the reference. What linking refuses is in test_pieces.c, the
 * cache of parts in test_part_cache.c. */
#include "codegen/codegen.h"
#include "codegen/llvm/load.h"
#include "codegen/llvm/vec.h"
#include "codegen/parts.h"
#include "codegen/run.h"
#include "frontend/core/bytes.h"
#include "frontend/core/spec.h"
#include "runtime/code/code_memory.h"
#include "tests/context_case.h"
#include "tests/levels.h"
#include "tests/machines.h"
#include "tests/specs.h"
#include "tools/harness/verify.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_parts(void);

/* ---- a part of the test's own ---- */

/* void sum(out, in): out[place] = the least of `most` and `times` times the sum of `count` words `pitch` bytes apart,
 * and then whatever the role `next` does with out. */
typedef struct sum_key {
    int64_t times;
    bool calls;
    int64_t kind; /* aic_emit_kind */
} sum_key;

static const aic_field SUM_FIELDS[] = {AIC_FIELD_ROW(sum_key, INT, times, 1, REQUIRED, 0) AIC_FIELD_ROW(
    sum_key, BOOL, calls, 1, REQUIRED, 0) AIC_FIELD_ROW(sum_key, INT, kind, 1, REQUIRED, 0)};
static const aic_record SUM_RECORD = {"sum", SUM_FIELDS, 3};

/* Numbers that the last emitted sum had as instructions of its first block, and how often it asked for one. */
static int held, asked;

static LLVMValueRef count_held(aic_emit *e, LLVMValueRef number)
{
    asked++;
    held +=
        LLVMIsAFreezeInst(number) != NULL && LLVMGetInstructionParent(number) == LLVMGetEntryBasicBlock(e->function);
    return number;
}

static LLVMValueRef emit_sum(aic_emit *e, const void *of, const char *name)
{
    const sum_key *key = of;
    LLVMValueRef carried[] = {aic_int(e, 0)};
    aic_loop loop;
    held = asked = 0;
    aic_emit_function(e, name, (aic_emit_kind)key->kind, (const char *const[]){"out", "in"}, 2, 0);
    LLVMValueRef function = e->function, out = aic_emit_param(e, 0), in = aic_emit_param(e, 1);
    aic_loop_begin(e, &loop, "word: words", aic_int(e, 0), aic_trips(e, "count"), 1, carried, 1);
    LLVMValueRef at = aic_at(e, in, aic_times(e, loop.index, count_held(e, aic_number(e, "pitch"))));
    carried[0] = aic_add(e, carried[0], aic_load(e, e->i64, at, 0, 8));
    aic_loop_end(e, &loop);
    LLVMValueRef sum = aic_min(e, aic_mul(e, carried[0], key->times), aic_number(e, "most"));
    aic_store(e, sum, aic_at(e, out, count_held(e, aic_number(e, "%s", "place"))), 0, 8);
    if (key->calls) {
        aic_call_role(e, (LLVMValueRef[]){out, in}, 2, 0, "next");
    }
    aic_emit_function_end(e);
    return function;
}

static const aic_part_emitter SUM_EMITTER = {emit_sum};
static const aic_part_kind SUM = {
    .name = "sum", .record = &SUM_RECORD, .key_bytes = sizeof(sum_key), .emitter = &SUM_EMITTER};
static const aic_part_kind FAST_SUM = {.name = "sum",
                                       .record = &SUM_RECORD,
                                       .key_bytes = sizeof(sum_key),
                                       .speed = AIC_PART_FAST,
                                       .emitter = &SUM_EMITTER};

/* Numbers of a use. */
typedef struct sum_numbers {
    int64_t count, pitch, most, place;
} sum_numbers;

static aic_routine use_sum(aic_program *program, const aic_part_kind *kind, const sum_key *key, const sum_numbers *n,
                           aic_routine next, const char *name)
{
    aic_use use;
    aic_use_begin(&use, program, kind, key);
    aic_use_trips(&use, n->count, "count");
    aic_use_number(&use, n->pitch, "pitch");
    aic_use_number(&use, n->most, "%s", "most");
    aic_use_number(&use, n->place, "place");
    if (next != 0) {
        aic_use_call(&use, next, "next");
    }
    return aic_program_add(program, &use, "%s", name);
}

/* A kernel of two sums, the second of which calls the first. */
typedef struct sums {
    const aic_target *target;
    const aic_part_kind *kind;
    aic_program program;
    bool linked;
    sum_key key[2];
    sum_numbers numbers[2];
} sums;

static void emit_sums(void *user, LLVMContextRef context, LLVMModuleRef module)
{
    sums *s = user;
    aic_emit e;
    LLVMValueRef function[3];
    aic_emission emission = {.program = &s->program, .symbol = "kernel", .linked = s->linked, .function = function};
    aic_emit_open(&e, context, module, s->target, NULL);
    e.own_machine = true;
    aic_program_emit(&e, &emission);
    aic_emit_close(&e);
}

enum { WORDS = 64 };

/* Makes the kernel, with parts of their own or not, and runs it. */
static void run_sums(sums *s, bool linked, size_t parts, int64_t out[WORDS])
{
    int64_t in[WORDS];
    aic_piece piece;
    aic_image image;
    aic_code_memory memory;
    char *bytes;
    size_t size;
    const aic_codegen_request request = {.target = s->target, .symbol = "kernel"};
    s->program = (aic_program){.status = AIC_OK};
    const aic_routine first = use_sum(&s->program, s->kind, &s->key[0], &s->numbers[0], 0, "first");
    s->program.function[AIC_FUNCTION_ENTRY] =
        use_sum(&s->program, s->kind, &s->key[1], &s->numbers[1], first, "second");
    ck_assert_msg(s->program.status == AIC_OK, "%s", aic_last_error());
    ck_assert_uint_eq(!s->program.part[0].own + !s->program.part[1].own, parts);
    for (int i = 0; i < 2; i++) {
        s->program.part[i].own |= !linked;
    }
    s->linked = linked;
    ck_assert_msg(aic_codegen_run(&request, emit_sums, s, &bytes, &size) == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(aic_piece_create(&(aic_elf){bytes, size}, "kernel", &piece), AIC_OK);
    const aic_program_sources sources = {.target = s->target, .make = aic_part_make, .own = &piece, .count = 1};
    ck_assert_msg(aic_program_link(&s->program, &sources, "kernel", &image) == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(aic_code_memory_place(&image, &memory), AIC_OK);
    for (int i = 0; i < WORDS; i++) {
        in[i] = 1000 * i + 1;
        out[i] = -1;
    }
    ((void (*)(int64_t *, const int64_t *))(uintptr_t)(memory.base + image.function[AIC_FUNCTION_ENTRY]))(out, in);
    aic_code_memory_release(&memory);
    aic_image_free(&image);
    aic_piece_free(&piece);
    free(bytes);
    aic_program_free(&s->program);
}

static int64_t expected(const sum_key *key, const sum_numbers *n)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < n->count; i++) {
        sum += 1000 * (i * n->pitch / 8) + 1;
    }
    return sum * key->times < n->most ? sum * key->times : n->most;
}

static const aic_target *host_target(int number)
{
    return aic_target_find(AIC_ARCH_X86_64, levels_name(number));
}

#if defined(__x86_64__)

/* One iteration, none of a distance, the largest number; as parts, and in the module; negative and larger ones in the
 * module only. */
START_TEST(numbers)
{
    static const struct {
        sum_numbers numbers[2];
        size_t parts;
    } CASES[] = {
        {{{1, 8, 5000, 0}, {7, 16, AIC_NUMBER_MAX, 64}}, 2},
        {{{3, 0, 2, 8}, {64, 8, AIC_NUMBER_MAX - 1, 504}}, 2},
        {{{3, 8, -2, 8}, {2, 8, AIC_NUMBER_MAX, 504}}, 1},
        {{{3, 8, AIC_NUMBER_MAX, 8}, {2, 8, AIC_NUMBER_MAX + 1, 504}}, 1},
        {{{3, 8, AIC_NUMBER_MAX + 1, 8}, {2, 8, INT64_C(1) << 40, 0}}, 0},
        {{{0, 8, 77, 8}, {2, 8, 2000, 0}}, 1},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        for (int form = 0; form < 3; form++) {
            const int64_t kind = form < 2 ? AIC_EMIT_HOT : AIC_EMIT_FRAME;
            sums s = {.target = host_target(_i),
                      .kind = form < 2 ? &SUM : &FAST_SUM,
                      .key = {{1, false, kind}, {3, true, kind}}};
            int64_t out[WORDS];
            memcpy(s.numbers, CASES[i].numbers, sizeof s.numbers);
            run_sums(&s, form > 0, CASES[i].parts, out);
            if (CASES[i].parts == 2) {
                ck_assert_int_gt(asked, 0);
                ck_assert_int_eq(held, form == 2 ? asked : 0);
            }
            for (int n = 0; n < WORDS; n++) {
                const bool first = n == s.numbers[0].place / 8, second = n == s.numbers[1].place / 8;
                const int64_t want = first    ? expected(&s.key[0], &s.numbers[0])
                                     : second ? expected(&s.key[1], &s.numbers[1])
                                              : -1;
                ck_assert_msg(out[n] == want, "case %zu, form %d: word %d is %lld, not %lld", i, form, n,
                              (long long)out[n], (long long)want);
            }
        }
    }
}
END_TEST

#endif

/* A kernel of the largest extents: its loops have numbers that are too large for parts, the tiles in them have not, and
 * are parts that they call. */
START_TEST(large_numbers)
{
    const aic_spec spec = spec_of("conv2d(dtype=float16, fm_shape=[256,4096,4096,16], "
                                  "kernel_shape=[256,255,255,4096,16], pad=[254,254,254,254])");
    const aic_semantics semantics = aic_semantics_init();
    aic_spec canonical;
    aic_object object;
    size_t tiles = 0, bands = 0;
    ck_assert_int_eq(aic_spec_resolve_kernel(&spec, &semantics, &canonical), AIC_OK);
    const aic_codegen_request request = {.count = 1,
                                         .spec = &canonical,
                                         .semantics = &semantics,
                                         .target = aic_target_find(AIC_ARCH_X86_64, "avx2"),
                                         .machine = aic_machine_of(AIC_CORE_ZEN4),
                                         .symbol = "kernel",
                                         .divided = true};
    ck_assert_msg(aic_generator_linked()->object(&request, &object) == AIC_OK, "%s", aic_last_error());
    for (size_t i = 0; i < object.parts; i++) {
        tiles += strcmp(object.part[i].name, "tile") == 0;
        bands += strcmp(object.part[i].name, "bands") == 0;
    }
    ck_assert_uint_gt(tiles, 0);
    ck_assert_uint_eq(bands, 0);
    ck_assert_uint_lt(object.image.function[AIC_FUNCTION_ENTRY], object.image.size);
    aic_object_free(&object);
}
END_TEST

/* ---- code that is compiled fast ---- */

static aic_status make_sum(const aic_part_kind *kind, aic_emit_kind emitted)
{
    const sum_key key = {1, false, emitted};
    aic_piece piece = {NULL, 0};
    const aic_status status = aic_part_make(kind, &key, aic_target_find(AIC_ARCH_X86_64, "sse2"), &piece);
    aic_piece_free(&piece);
    return status;
}

/* A part's module is compiled as its kind says; its function is to be emitted for that. */
START_TEST(speeds_of_kinds)
{
    ck_assert_int_eq(make_sum(&SUM, AIC_EMIT_HOT), AIC_OK);
    ck_assert_int_eq(make_sum(&FAST_SUM, AIC_EMIT_FRAME), AIC_OK);
    ck_assert_int_eq(make_sum(&SUM, AIC_EMIT_FRAME), AIC_INTERNAL);
    ck_assert_msg(strstr(aic_last_error(), "sum is compiled well, but not its function") != NULL, "%s",
                  aic_last_error());
    ck_assert_int_eq(make_sum(&FAST_SUM, AIC_EMIT_HOT), AIC_INTERNAL);
    ck_assert_msg(strstr(aic_last_error(), "sum is compiled fast, but not its function") != NULL, "%s",
                  aic_last_error());
    aic_llvm_verify_modules(false);
    ck_assert_int_eq(make_sum(&SUM, AIC_EMIT_FRAME), AIC_OK);
    aic_llvm_verify_modules(true);
}
END_TEST

/* ---- identities ---- */

/* Uses that agree in fields and numbers are one, whatever lies between and behind the fields of their keys; each other
 * field or number makes another. */
START_TEST(equal_uses)
{
    enum { USES = 4, DIFFERENT = 3 };
    aic_program program = {.status = AIC_OK};
    aic_routine routine[USES];
    for (int i = 0; i < USES; i++) {
        sum_key key;
        const sum_numbers n = {3, 8, 5000, i == 3 ? 8 : 0};
        memset(&key, 0x11 * i, sizeof key);
        key.times = i == 2 ? 7 : 1;
        key.calls = false;
        key.kind = AIC_EMIT_HOT;
        routine[i] = use_sum(&program, &SUM, &key, &n, 0, "sum");
    }
    ck_assert_int_eq(program.status, AIC_OK);
    ck_assert_uint_eq(routine[0], routine[1]);
    ck_assert_uint_eq(program.parts, DIFFERENT);
    ck_assert(routine[2] != routine[0] && routine[3] != routine[0] && routine[3] != routine[2]);
    aic_program_free(&program);
}
END_TEST

#define LETTERS_16 "abcdefghijklmnop"
#define LETTERS_64 LETTERS_16 LETTERS_16 LETTERS_16 LETTERS_16

static void too_many_numbers(aic_use *use)
{
    for (int i = 0; i <= AIC_NUMBERS_MAX; i++) {
        aic_use_number(use, i, "number.%d", i);
    }
}

static void long_number(aic_use *use)
{
    aic_use_trips(use, 1, LETTERS_64);
}

static void too_many_roles(aic_use *use)
{
    for (int i = 0; i <= AIC_ROLES_MAX; i++) {
        aic_use_call(use, 1, "role.%d", i);
    }
}

static void long_role(aic_use *use)
{
    aic_use_call(use, 1, "%s", LETTERS_64);
}

static void role_of_nothing(aic_use *use)
{
    aic_use_call(use, 0, "next");
}

static void role_of_later(aic_use *use)
{
    aic_use_call(use, 2, "next");
}

static void nothing_wrong(aic_use *use)
{
    aic_use_call(use, 1, "next");
}

/* A use that breaks a rule of programs makes the whole of them useless, with the reason. */
START_TEST(faulty_uses)
{
    static const aic_part_kind LARGE = {
        .name = "large", .record = &SUM_RECORD, .key_bytes = AIC_PART_KEY_MAX + 1, .emitter = &SUM_EMITTER};
    static const struct {
        void (*use)(aic_use *use);
        const aic_part_kind *kind;
        const char *name, *message; /* NULL: there is none */
    } CASES[] = {
        {nothing_wrong, &SUM, "second", NULL},
        {too_many_numbers, &SUM, "second", "second, a use of sum: numbers of a part"},
        {long_number, &SUM, "second", "second, a use of sum: letters of a number's name"},
        {too_many_roles, &SUM, "second", "second, a use of sum: roles of a part"},
        {long_role, &SUM, "second", "second, a use of sum: letters of a role's name"},
        {role_of_nothing, &SUM, "second", "second, a use of sum: a role without a function"},
        {role_of_later, &SUM, "second", "second, a use of sum: a role without a function"},
        {nothing_wrong, &SUM, LETTERS_64, LETTERS_64 ", a use of sum: letters of a function's name"},
        {nothing_wrong, &LARGE, "second", "second, a use of large: bytes of a part's key"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        static const union {
            sum_key key;
            unsigned char bytes[AIC_PART_KEY_MAX + 1];
        } KEY = {.key = {.times = 2}};
        const sum_numbers n = {3, 8, 5000, 0};
        const sum_key first = {.times = 1};
        aic_program program = {.status = AIC_OK};
        aic_use use;
        ck_assert_uint_eq(use_sum(&program, &SUM, &first, &n, 0, "first"), 1);
        aic_use_begin(&use, &program, CASES[i].kind, &KEY);
        CASES[i].use(&use);
        ck_assert_uint_eq(aic_program_add(&program, &use, "%s", CASES[i].name), CASES[i].message == NULL ? 2 : 0);
        ck_assert_int_eq(program.status, CASES[i].message == NULL ? AIC_OK : AIC_INTERNAL);
        if (CASES[i].message != NULL) {
            ck_assert_msg(strstr(aic_last_error(), CASES[i].message) != NULL, "%s", aic_last_error());
            ck_assert_uint_eq(use_sum(&program, &SUM, &first, &n, 0, "third"), 0);
        }
        aic_program_free(&program);
    }
}
END_TEST

static void identify(const aic_part_kind *kind, const void *key, const aic_target *target, aic_part_identity *identity)
{
    memset(identity, 0, sizeof *identity);
    ck_assert_int_eq(aic_part_identify(kind, key, target, aic_part_features(target), identity), AIC_OK);
}

/* Every field of every key counts, every bit of it, and what the code is for. */
START_TEST(identities)
{
    const aic_target *target = aic_target_find(AIC_ARCH_X86_64, "avx2"),
                     *other = aic_target_find(AIC_ARCH_X86_64, "avx512");
    const aic_part_kind *kind;
    for (size_t k = 0; (kind = k == 0 ? &SUM : aic_part_kind_at(k - 1)) != NULL; k++) {
        unsigned char key[AIC_PART_KEY_MAX] = {0};
        aic_part_identity zero, changed;
        ck_assert_ptr_nonnull(aic_part_emitter_of(kind));
        for (size_t i = 0; i + 1 < k; i++) {
            ck_assert_str_ne(aic_part_kind_at(i)->name, kind->name);
        }
        identify(kind, key, target, &zero);
        identify(kind, key, other, &changed);
        ck_assert(zero.size != changed.size || memcmp(zero.bytes, changed.bytes, zero.size) != 0);
        for (size_t f = 0; f < kind->record->count; f++) {
            const aic_field *field = &kind->record->fields[f];
            const uint32_t bits = field->kind == AIC_KIND_BOOL ? 1 : 64;
            for (uint32_t bit = 0; bit < bits * field->count; bit++) {
                aic_field_set_word(field, key, bit / bits, UINT64_C(1) << bit % bits);
                identify(kind, key, target, &changed);
                ck_assert_msg(zero.size != changed.size || memcmp(zero.bytes, changed.bytes, zero.size) != 0, "%s",
                              field->name);
                aic_field_set_word(field, key, bit / bits, 0);
            }
        }
    }
}
END_TEST

/* ---- kernels of a corpus ---- */

/* A source that makes every part anew and compares it with what was made for its identity before. */
enum { KNOWN_MAX = 512 };
typedef struct checking_source {
    aic_part_source source;
    size_t count, again, held; /* parts, those made again, those that are taken and not given back */
    struct {
        uint64_t identity;
        aic_piece piece;
    } known[KNOWN_MAX];
} checking_source;

static aic_status take_checked(aic_part_source *source, const aic_part_identity *identity,
                               aic_status (*make)(void *what, aic_piece *piece), void *what, const aic_piece **piece,
                               aic_part_origin *origin)
{
    checking_source *c = (checking_source *)source;
    const uint64_t hash = aic_hash_bytes(identity->bytes, identity->size);
    aic_piece made;
    size_t i = 0;
    *origin = AIC_PART_MADE;
    ck_assert_msg(make(what, &made) == AIC_OK, "%s", aic_last_error());
    while (i < c->count && c->known[i].identity != hash) {
        i++;
    }
    ck_assert_uint_lt(i, KNOWN_MAX);
    if (i < c->count) {
        ck_assert_uint_eq(made.size, c->known[i].piece.size);
        ck_assert_mem_eq(made.bytes, c->known[i].piece.bytes, made.size);
        aic_piece_free(&made);
        c->again++;
    } else {
        c->known[i].identity = hash;
        c->known[i].piece = made;
        c->count++;
    }
    *piece = &c->known[i].piece;
    c->held++;
    return AIC_OK;
}

static bool lacks_all(aic_part_source *source, const aic_part_identity *identity)
{
    (void)source, (void)identity;
    return true;
}

static void give_back_checked(aic_part_source *source, const aic_piece *piece)
{
    ck_assert_ptr_nonnull(piece->bytes);
    ((checking_source *)source)->held--;
}

/* Operators and chains of the corpus; second: 0 for an operator alone. */
static const struct {
    aic_op first, second;
} CORPUS_OF[] = {{AIC_OP_CONV2D, 0},
                 {AIC_OP_MMAD, 0},
                 {AIC_OP_FIXPIPE, 0},
                 {AIC_OP_TIK_FIXPIPE, 0},
                 {AIC_OP_TENSOR_ARITHMETIC, 0},
                 {AIC_OP_TENSOR_ARITHMETIC_QUANTIZED, 0},
                 {AIC_OP_TRANSDATA, 0},
                 {AIC_OP_CONV2D, AIC_OP_FIXPIPE},
                 {AIC_OP_CONV2D, AIC_OP_TIK_FIXPIPE},
                 {AIC_OP_MMAD, AIC_OP_FIXPIPE},
                 {AIC_OP_CONV2D, AIC_OP_TENSOR_ARITHMETIC}};
enum { CORPUS_KINDS = sizeof CORPUS_OF / sizeof CORPUS_OF[0], CORPUS = 8, EQUAL_KEYS = 4, FORMS_STEP = 6 };

static void draw_spec(uint64_t seed, const aic_semantics *semantics, aic_spec *spec)
{
    const aic_op first = CORPUS_OF[seed % CORPUS_KINDS].first, second = CORPUS_OF[seed % CORPUS_KINDS].second;
    ck_assert_int_eq(second == 0 ? aic_spec_draw(first, semantics, seed, spec)
                                 : aic_spec_draw_chain(first, second, semantics, seed, spec),
                     AIC_OK);
}

/* Equal keys give equal bytes, whatever the kernel is that asks for the part, made alone or together with others. */
START_TEST(equal_keys)
{
    static checking_source c;
    size_t together = 0;
    const aic_semantics semantics = aic_semantics_init();
    c = (checking_source){.source = {.take = take_checked, .give_back = give_back_checked}};
    for (uint64_t seed = 0; seed < (levels_campaign() > 0 ? CORPUS : EQUAL_KEYS) * CORPUS_KINDS; seed++) {
        aic_spec spec;
        aic_object object;
        draw_spec(seed, &semantics, &spec);
        ck_assert_int_eq(aic_spec_resolve_kernel(&spec, &semantics, &spec), AIC_OK);
        const aic_codegen_request request = {.count = 1,
                                             .spec = &spec,
                                             .semantics = &semantics,
                                             .target = aic_target_find(AIC_ARCH_X86_64, "avx512"),
                                             .machine = machine_of(NULL),
                                             .symbol = "kernel",
                                             .divided = true,
                                             .parts = &c.source};
        for (int i = 0; i < 2; i++) {
            c.source.lacks = i == 1 ? lacks_all : NULL;
            ck_assert_msg(aic_generator_linked()->object(&request, &object) == AIC_OK, "%s", aic_last_error());
            for (size_t p = 1; i == 1 && p < object.parts; p++) { /* they have equal shares of the time */
                together += object.part[p].ns == object.part[p - 1].ns;
            }
            aic_object_free(&object);
        }
    }
    ck_assert_uint_gt(together, 20);
    ck_assert_uint_gt(c.count, 2);
    ck_assert_uint_gt(c.again, 0);
    ck_assert_uint_eq(c.held, 0);
    for (size_t i = 0; i < c.count; i++) {
        aic_piece_free(&c.known[i].piece);
    }
}
END_TEST

/* profile: NULL, or "gdb", which wants whole objects, so that kernels are in the literal form. */
static aic_context *open_context(int level, const char *profile)
{
    aic_context_options options = aic_context_options_init();
    options.isa = levels_name(level);
    options.profile = profile;
    return context_new(&options);
}

/* Kernels of either form give what the reference gives; parts of one kernel are in the next one with other numbers. A
 * level sees every FORMS_STEP-th of them, beginning with another one from level to level, and so some of every kind. */
START_TEST(both_forms)
{
    aic_context *context[] = {open_context(_i, NULL), open_context(_i, "gdb")};
    const aic_semantics semantics = aic_semantics_init();
    for (uint64_t seed = 0; seed < CORPUS * CORPUS_KINDS; seed++) {
        aic_spec spec;
        verify_report report;
        verify_case c;
        if ((seed + (uint64_t)_i) % FORMS_STEP != 0 && levels_campaign() == 0) {
            continue;
        }
        draw_spec(1000 + seed, &semantics, &spec);
        if (verify_open(&c, &spec, &semantics, seed, &report) != VERIFY_PASSED) {
            continue; /* memory */
        }
        for (size_t form = 0; form < sizeof context / sizeof context[0]; form++) {
            const verify_verdict verdict = verify_kernel(&c, context[form], NULL, &report);
            ck_assert_msg(verdict != VERIFY_FAILED, "form %zu: %s", form, report.text);
        }
        verify_close(&c);
    }
    aic_context_destroy(context[0]);
    aic_context_destroy(context[1]);
}
END_TEST

Suite *suite_parts(void)
{
    Suite *suite = suite_create("parts");
    TCase *forms = tcase_create("forms");
    tcase_set_timeout(forms, 120);
#if defined(__x86_64__)
    tcase_add_loop_test(forms, numbers, 0, levels_count());
#endif
    tcase_add_test(forms, speeds_of_kinds);
    tcase_add_test(forms, equal_uses);
    tcase_add_test(forms, faulty_uses);
    tcase_add_test(forms, large_numbers);
    tcase_add_test(forms, identities);
    tcase_add_test(forms, equal_keys);
    tcase_add_loop_test(forms, both_forms, 0, levels_count());
    suite_add_tcase(suite, forms);
    return suite;
}
