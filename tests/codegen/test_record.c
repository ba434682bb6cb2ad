/* Records of kernels as bytes: what is written is read, what is damaged is refused, and what was kept runs. */
#include "codegen/codegen.h"
#include "codegen/target/host.h"
#include "frontend/core/spec.h"
#include "frontend/random/rng.h"
#include "runtime/code/code_memory.h"
#include "runtime/request/context.h"
#include "tests/claims.h"
#include "tests/specs.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_record(void);

enum { BYTES_MAX = 2048 };

typedef struct written {
    unsigned char bytes[BYTES_MAX];
    size_t size;
} written;

static void write_record(const aic_kernel_record *record, written *w)
{
    aic_writer measure = {NULL, 0, 0}, out = {w->bytes, BYTES_MAX, 0};
    aic_kernel_record_write(record, &measure);
    aic_kernel_record_write(record, &out);
    ck_assert_uint_le(out.size, BYTES_MAX);
    ck_assert_uint_eq(measure.size, out.size);
    w->size = out.size;
}

/* Puts the right hash at the end of bytes that were changed. */
static void hash_again(written *w)
{
    enum { SECTION = 16 };
    const uint64_t hash = aic_hash_bytes(w->bytes, w->size - SECTION);
    aic_writer out = {w->bytes, w->size, w->size - 8};
    aic_write_number(&out, hash, 8);
}

static void make_object(const aic_spec *canonical, const aic_target *target, aic_object *object)
{
    const aic_semantics semantics = aic_semantics_init();
    const aic_codegen_request request = {.count = 1,
                                         .spec = canonical,
                                         .semantics = &semantics,
                                         .target = target,
                                         .machine = aic_machine_of(AIC_CORE_ZEN4),
                                         .triple = aic_target_triple(target->arch),
                                         .symbol = "kernel"};
    ck_assert_msg(aic_generator_linked()->object(&request, object) == AIC_OK, "%s", aic_last_error());
}

/* What a caller relies on when it reads a record, put another way than the reader does. */
static void check_reliable(const aic_kernel_record *r)
{
    const aic_requirements *q = &r->requirements;
    ck_assert_uint_lt(r->function[AIC_FUNCTION_ENTRY], r->image_size);
    for (int f = 0; f < AIC_FUNCTIONS; f++) {
        ck_assert(r->function[f] < r->image_size || r->function[f] == AIC_NO_FUNCTION);
    }
    ck_assert(r->image_alignment == 1 || r->image_alignment % 2 == 0);
    ck_assert_uint_le(r->image_alignment, 4096);
    ck_assert_uint_lt(q->pack.operand, AIC_OPERANDS_MAX);
    ck_assert_int_ge(aic_workspace_bytes(q, AIC_PLAIN), aic_workspace_bytes(q, AIC_PACKED));
    ck_assert_int_eq(aic_workspace_bytes(q, AIC_PLAIN) % 64, 0);
    ck_assert_int_ge(q->shared_bytes, 0);
    ck_assert_int_ge(q->private_bytes, 0);
    ck_assert_uint_le(q->phases, AIC_PHASES_MAX);
    ck_assert_uint_le(strlen(r->schedule), AIC_SCHEDULE_TEXT_MAX - 1);
    for (uint32_t i = 0; i < q->phases; i++) {
        ck_assert_uint_lt(strlen(q->phase[i].name), sizeof q->phase[i].name);
        ck_assert_int_ge(q->phase[i].items, 0);
    }
}

static void check_same(const written *w, const aic_kernel_record *record)
{
    written again;
    write_record(record, &again);
    ck_assert_uint_eq(w->size, again.size);
    ck_assert_mem_eq(w->bytes, again.bytes, w->size);
}

/* ---- kernels as they come ---- */

/* Every operator at every level of both architectures. */
START_TEST(what_is_written_is_read)
{
    const aic_arch arch = _i % 2 == 0 ? AIC_ARCH_X86_64 : AIC_ARCH_AARCH64;
    const aic_op op = (aic_op)(_i / 2 + 1);
    const aic_target *target;
    for (size_t level = 0; (target = aic_target_at(arch, level)) != NULL; level++) {
        aic_spec spec, canonical;
        aic_object object;
        aic_kernel_record record, back;
        written w;
        ck_assert_int_eq(aic_spec_draw(op, NULL, level, &spec), AIC_OK);
        ck_assert_int_eq(aic_spec_resolve_kernel(&spec, NULL, &canonical), AIC_OK);
        make_object(&canonical, target, &object);
        aic_object_record(&object, &record);
        write_record(&record, &w);
        ck_assert_msg(aic_kernel_record_read(w.bytes, w.size, &back) == AIC_OK, "%s", aic_last_error());
        check_reliable(&back);
        check_same(&w, &back);
        ck_assert_str_eq(back.schedule, object.schedule);
        ck_assert_mem_eq(back.function, object.image.function, sizeof back.function);
        ck_assert_uint_eq(back.requirements.needs, object.requirements.needs);
        ck_assert_uint_eq(back.requirements.phases, object.requirements.phases);
        ck_assert_int_eq(aic_workspace_bytes(&back.requirements, AIC_PLAIN),
                         aic_workspace_bytes(&object.requirements, AIC_PLAIN));
        aic_object_free(&object);
    }
}
END_TEST

/* A kernel runs from a record and an image that were kept as bytes. */
START_TEST(what_is_kept_runs)
{
    enum { ELEMENTS = 60 };
    const aic_spec spec = spec_of("tensor_arithmetic(shape=[1,3,4,5], op=BM_SUB)");
    static _Alignas(64) uint32_t output[ELEMENTS], expected[ELEMENTS], input[2][ELEMENTS];
    aic_spec canonical;
    aic_object object;
    aic_kernel_record record;
    aic_image image;
    aic_context *context;
    aic_code_memory memory = {.base = NULL};
    written w;
    ck_assert_int_eq(aic_spec_resolve_kernel(&spec, NULL, &canonical), AIC_OK);
    ck_assert_int_eq(aic_context_default(&context), AIC_OK);
    make_object(&canonical, context->target, &object);
    aic_object_record(&object, &record);
    write_record(&record, &w);
    const size_t size = object.image.size;
    unsigned char *bytes = malloc(size);
    ck_assert_ptr_nonnull(bytes);
    memcpy(bytes, object.image.bytes, size);
    aic_object_free(&object);
    memset(&record, 0, sizeof record);

    ck_assert_int_eq(aic_kernel_record_read(w.bytes, w.size, &record), AIC_OK);
    ck_assert_int_eq(aic_record_image(&record, bytes, size - 1, &image), AIC_INVALID_ARGUMENT);
    bytes[size / 2] ^= 1;
    ck_assert_int_eq(aic_record_image(&record, bytes, size, &image), AIC_INVALID_ARGUMENT);
    bytes[size / 2] ^= 1;
    ck_assert_int_eq(aic_record_image(&record, bytes, size, &image), AIC_OK);
    ck_assert_int_eq(aic_code_memory_place(&image, &memory), AIC_OK);
    ck_assert_int_eq(aic_workspace_bytes(&record.requirements, AIC_PLAIN), 0);
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        const float numbers[] = {(float)i, (float)(i * i)};
        memcpy(&input[0][i], &numbers[0], sizeof numbers[0]);
        memcpy(&input[1][i], &numbers[1], sizeof numbers[1]);
    }
    run_reference(&spec, NULL, (void *[]){expected, input[0], input[1]}, 3);
    typedef void entry(void *, const void *, const void *, void *);
    entry *call = (entry *)(uintptr_t)(memory.base + image.function[AIC_FUNCTION_ENTRY]);
    call(output, input[0], input[1], NULL);
    ck_assert_mem_eq(output, expected, sizeof expected);
    aic_code_memory_release(&memory);
    free(bytes);
}
END_TEST

/* ---- damage ---- */

/* A record that has something of everything. */
static aic_kernel_record whole_record(void)
{
    aic_kernel_record r = {
        .requirements = {.needs = AIC_NEEDS_FLOAT,
                         .pack = {.operand = 2, .items = 5, .bytes = 640, .form = {1, 2, 3, 4}},
                         .phases = 2,
                         .phase = {{"pack", 3}, {"tiles", 7}},
                         .shared_bytes = 1024,
                         .private_bytes = 64},
        .schedule = "schedule(rows=1, cols=14)",
        .image_size = 4096,
        .image_alignment = 64,
        .image_hash = 12345,
        .function = {0, 512, 1024, 2048, AIC_NO_FUNCTION},
    };
    return r;
}

static void check_refused(const void *bytes, size_t size)
{
    aic_kernel_record record;
    ck_assert_int_eq(aic_kernel_record_read(bytes, size, &record), AIC_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(aic_last_error(), "record: "));
}

/* From memory of its own size, so that a sanitizer sees reads behind it. */
START_TEST(wrong_lengths_are_refused)
{
    const aic_kernel_record whole = whole_record();
    aic_kernel_record back;
    written w;
    write_record(&whole, &w);
    ck_assert_int_eq(aic_kernel_record_read(w.bytes, w.size, &back), AIC_OK);
    for (size_t size = 0; size < w.size; size++) {
        unsigned char *part = malloc(size + 1);
        ck_assert_ptr_nonnull(part);
        memcpy(part + 1, w.bytes, size);
        check_refused(part + 1, size);
        free(part);
    }
    w.bytes[w.size] = 0;
    check_refused(w.bytes, w.size + 1);
}
END_TEST

START_TEST(flipped_bits_are_refused)
{
    const aic_kernel_record whole = whole_record();
    written w;
    write_record(&whole, &w);
    for (size_t i = 0; i < 8 * w.size; i++) {
        w.bytes[i / 8] ^= (unsigned char)(1 << i % 8);
        check_refused(w.bytes, w.size);
        w.bytes[i / 8] ^= (unsigned char)(1 << i % 8);
    }
}
END_TEST

/* Damage, or malice, that has the right hash: refused, or a record that can be relied on and is written the same. */
START_TEST(any_contents_are_judged)
{
    const aic_kernel_record whole = whole_record();
    uint64_t state = claims_seed(1);
    written w;
    int accepted = 0;
    for (int i = 0; i < 100000; i++) {
        aic_kernel_record back;
        write_record(&whole, &w);
        for (int64_t changes = aic_rng_range(&state, 1, 3); changes > 0; changes--) {
            const size_t at = (size_t)aic_rng_range(&state, 0, (int64_t)w.size - 1);
            w.bytes[at] = (unsigned char)AIC_RNG_PICK(&state, 0, 1, 0xFF, 0x80, aic_rng_range(&state, 0, 255));
        }
        hash_again(&w);
        if (aic_kernel_record_read(w.bytes, w.size, &back) == AIC_OK) {
            check_reliable(&back);
            check_same(&w, &back);
            accepted++;
        }
    }
    ck_assert_int_gt(accepted, 100);
}
END_TEST

/* Contents that no kernel has, each in turn in a record that is good otherwise. */
static const struct {
    size_t offset, size;
    uint64_t value;
} nonsense[] = {
#define AT(member, value) {offsetof(aic_kernel_record, member), sizeof(((aic_kernel_record *)0)->member), (value)}
    AT(requirements.needs, 4),
    AT(requirements.pack.operand, AIC_OPERANDS_MAX),
    AT(requirements.pack.operand, 0),
    AT(requirements.pack.items, 0),
    AT(requirements.pack.bytes, 0),
    AT(requirements.pack.bytes, 32),
    AT(requirements.pack.bytes, 64), /* a head and nothing behind it */
    AT(requirements.shared_bytes, (uint64_t)-64),
    AT(requirements.shared_bytes, INT64_MAX - 63), /* more than can be added up */
    AT(requirements.private_bytes, 63),
    AT(requirements.phases, 0),
    AT(requirements.phase[1].items, (uint64_t)-1),
    AT(requirements.phase[0].name[2], 0x7F),
    AT(schedule[4], '\n'),
    AT(image_size, 2048), /* where the last function begins */
    AT(image_alignment, 0),
    AT(image_alignment, 48),
    AT(image_alignment, 8192),
    AT(function[AIC_FUNCTION_ENTRY], AIC_NO_FUNCTION),
    AT(function[AIC_FUNCTION_PACKED], 4096),
    AT(function[AIC_FUNCTION_PACKED], AIC_NO_FUNCTION),
    AT(function[AIC_FUNCTION_PACK], AIC_NO_FUNCTION),
    AT(function[AIC_FUNCTION_PHASE], AIC_NO_FUNCTION),
#undef AT
};

enum { WAYS = sizeof nonsense / sizeof nonsense[0] };

/* The same of a record without packing: something of it is there alone. */
static const struct {
    size_t offset, size;
    uint64_t value;
} unpacked_nonsense[] = {
#define AT(member, value) {offsetof(aic_kernel_record, member), sizeof(((aic_kernel_record *)0)->member), (value)}
    AT(requirements.pack.items, 5),         AT(requirements.pack.bytes, 640),
    AT(requirements.pack.form[0], 1),       AT(requirements.pack.form[AIC_FORM_WORDS - 1], 1),
    AT(function[AIC_FUNCTION_PACKED], 512), AT(function[AIC_FUNCTION_PACK], 1024),
#undef AT
};

enum { UNPACKED_WAYS = sizeof unpacked_nonsense / sizeof unpacked_nonsense[0] };

START_TEST(packing_of_nothing_is_refused)
{
    aic_kernel_record r = whole_record(), back;
    written w;
    r.requirements.pack = (aic_packing){.operand = 0};
    r.function[AIC_FUNCTION_PACKED] = r.function[AIC_FUNCTION_PACK] = AIC_NO_FUNCTION;
    write_record(&r, &w);
    ck_assert_int_eq(aic_kernel_record_read(w.bytes, w.size, &back), AIC_OK);
    memcpy((unsigned char *)&r + unpacked_nonsense[_i].offset, &unpacked_nonsense[_i].value,
           unpacked_nonsense[_i].size);
    write_record(&r, &w);
    check_refused(w.bytes, w.size);
}
END_TEST

START_TEST(nonsense_is_refused)
{
    aic_kernel_record r = whole_record(), back;
    written w;
    write_record(&r, &w);
    ck_assert_int_eq(aic_kernel_record_read(w.bytes, w.size, &back), AIC_OK);
    memcpy((unsigned char *)&r + nonsense[_i].offset, &nonsense[_i].value, nonsense[_i].size); /* lowest byte first */
    write_record(&r, &w);
    check_refused(w.bytes, w.size);
}
END_TEST

Suite *suite_record(void)
{
    Suite *suite = suite_create("record");
    TCase *tcase = tcase_create("record");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, what_is_written_is_read, 0, 2 * (AIC_OP_END - 1));
    tcase_add_test(tcase, what_is_kept_runs);
    tcase_add_test(tcase, wrong_lengths_are_refused);
    tcase_add_test(tcase, flipped_bits_are_refused);
    tcase_add_test(tcase, any_contents_are_judged);
    tcase_add_loop_test(tcase, nonsense_is_refused, 0, WAYS);
    tcase_add_loop_test(tcase, packing_of_nothing_is_refused, 0, UNPACKED_WAYS);
    suite_add_tcase(suite, tcase);
    return suite;
}
