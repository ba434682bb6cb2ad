/* Structures of programs that were compiled with other headers: smaller ones have the defaults for what they lack,
 * larger ones are taken where what the library does not know is zero, and a size that nobody has set is refused. */
#include "frontend/core/op.h"

#include <aic/aic.h>
#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_structure(void);

enum { MORE = 24, ROOM = 1024 };

/* A structure with room behind it. */
typedef union roomy {
    size_t size;
    unsigned char bytes[ROOM];
    aic_conv2d_desc conv2d;
    aic_semantics semantics;
    aic_context_options options;
    aic_kernel_info info;
    aic_stage stage;
} roomy;

static void check_message(const char *part)
{
    ck_assert_msg(strstr(aic_last_error(), part) != NULL, "\"%s\" has no \"%s\"", aic_last_error(), part);
}

static void valid_desc(aic_op op, roomy *desc)
{
    aic_spec spec;
    ck_assert_int_eq(aic_spec_draw(op, NULL, 1, &spec), AIC_OK);
    memset(desc, 0, sizeof *desc);
    memcpy(desc, &spec.stage[0].desc, aic_op_get(op)->desc_size);
}

/* The descriptor of every operator, by the function that all others are made of. */
START_TEST(descriptors)
{
    const aic_op op = (aic_op)_i;
    const size_t own = aic_op_get(op)->desc_size;
    roomy desc;
    aic_spec *spec = NULL, *larger = NULL;
    valid_desc(op, &desc);
    ck_assert_uint_eq(desc.size, own);
    ck_assert_int_eq(aic_spec_create(op, &desc, &spec), AIC_OK);

    desc.size = own + MORE;
    ck_assert_int_eq(aic_spec_create(op, &desc, &larger), AIC_OK);
    ck_assert(aic_spec_equal(spec, larger));
    aic_spec_destroy(larger);
    desc.bytes[own + MORE - 1] = 1;
    larger = NULL;
    ck_assert_int_eq(aic_spec_create(op, &desc, &larger), AIC_UNSUPPORTED);
    check_message("is not zero");
    check_message(aic_op_name(op));
    ck_assert_ptr_null(larger);
    desc.bytes[own + MORE - 1] = 0;

    const size_t sizes[] = {0, sizeof(size_t) - 1, SIZE_MAX, (size_t)1 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const void *const operands[AIC_OPERANDS_MAX] = {&desc, &desc, &desc};
        desc.size = sizes[i];
        ck_assert_int_eq(aic_spec_create(op, &desc, &larger), AIC_INVALID_ARGUMENT);
        check_message("_init()");
        ck_assert_int_eq(aic_jit_operator(NULL, op, &desc, operands, 2), AIC_INVALID_ARGUMENT);
        check_message("_init()");
    }
    /* A program of a time when there were no fields at all: every field is the default, which init() gives. */
    roomy defaults, read;
    memset(&read, 0, sizeof read);
    aic_op_get(op)->init(&defaults);
    desc.size = sizeof desc.size;
    aic_spec_destroy(spec);
    ck_assert_int_eq(aic_spec_create(op, &desc, &spec), AIC_OK);
    read.size = own;
    ck_assert_int_eq(aic_spec_get(spec, 0, op, &read), AIC_OK);
    ck_assert_mem_eq(&read, &defaults, own);
    aic_spec_destroy(spec);
}
END_TEST

/* aic_jit_OP() computes the same whatever the size is. */
START_TEST(calls)
{
    static const int8_t image[32] = {3}, weights[16 * 32] = {5};
    int32_t dst[16 * 16];
    roomy desc;
    memset(&desc, 0, sizeof desc);
    desc.conv2d = aic_conv2d_desc_init();
    desc.conv2d.dtype = AIC_INT8;
    memcpy(desc.conv2d.fm_shape, (const int64_t[]){1, 1, 1, 32}, sizeof desc.conv2d.fm_shape);
    memcpy(desc.conv2d.kernel_shape, (const int64_t[]){1, 1, 1, 16, 32}, sizeof desc.conv2d.kernel_shape);
    const size_t sizes[] = {sizeof desc.conv2d, sizeof desc.conv2d + MORE, offsetof(aic_conv2d_desc, accumulate)};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        memset(dst, 0, sizeof dst);
        desc.size = sizes[i];
        ck_assert_msg(aic_jit_conv2d(NULL, &desc.conv2d, dst, image, weights) == AIC_OK, "%s", aic_last_error());
        ck_assert_int_eq(dst[0], 15);
    }
}
END_TEST

/* Options, and the semantics inside of them, which have a size of their own. */
START_TEST(options)
{
    aic_context *context = NULL;
    roomy given;
    memset(&given, 0, sizeof given);
    given.options = aic_context_options_init();
    const size_t sizes[] = {sizeof given.options + MORE, offsetof(aic_context_options, tuning_db), sizeof(size_t)};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        given.size = sizes[i];
        ck_assert_msg(aic_context_create(&given.options, &context) == AIC_OK, "%s", aic_last_error());
        aic_context_destroy(context);
    }
    given.size = sizeof given.options + MORE;
    given.bytes[sizeof given.options] = 1;
    ck_assert_int_eq(aic_context_create(&given.options, &context), AIC_UNSUPPORTED);
    given.bytes[sizeof given.options] = 0;
    given.options.semantics.size = sizeof(aic_semantics) + MORE;
    ck_assert_int_eq(aic_context_create(&given.options, &context), AIC_OK);
    aic_context_destroy(context);
    given.options.semantics_room[sizeof(aic_semantics) + 1] = 1;
    ck_assert_int_eq(aic_context_create(&given.options, &context), AIC_UNSUPPORTED);
    given.options.semantics.size = 0;
    ck_assert_int_eq(aic_context_create(&given.options, &context), AIC_INVALID_ARGUMENT);
    given.options.semantics.size = AIC_SEMANTICS_ROOM + 1;
    ck_assert_int_eq(aic_context_create(&given.options, &context), AIC_INVALID_ARGUMENT);
    given.size = 0;
    ck_assert_int_eq(aic_context_create(&given.options, &context), AIC_INVALID_ARGUMENT);
}
END_TEST

/* Semantics that functions of specifications take. */
START_TEST(semantics)
{
    roomy given;
    memset(&given, 0, sizeof given);
    given.semantics = aic_semantics_init();
    aic_spec *spec = NULL;
    ck_assert_int_eq(aic_spec_parse("mmad(dtype=int8, m=3, n=5, k=7)", &spec), AIC_OK);
    const aic_status usual = aic_spec_validate(spec, NULL);
    const size_t sizes[] = {sizeof given.semantics, sizeof given.semantics + MORE, sizeof(size_t)};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        given.size = sizes[i];
        ck_assert_int_eq(aic_spec_validate(spec, &given.semantics), usual);
        ck_assert_int_eq(aic_semantics_choose(&given.semantics, "sum", "exact"), AIC_OK);
        ck_assert_uint_eq(given.size, sizes[i]);
    }
    given.size = sizeof given.semantics + MORE;
    given.bytes[sizeof given.semantics + 3] = 1;
    ck_assert_int_eq(aic_spec_validate(spec, &given.semantics), AIC_UNSUPPORTED);
    given.size = 0;
    ck_assert_int_eq(aic_spec_validate(spec, &given.semantics), AIC_INVALID_ARGUMENT);
    check_message("semantics");
    aic_spec_destroy(spec);
}
END_TEST

/* What is filled in: no byte beyond the size, what the library does not know is zeroed, and the size stays. */
START_TEST(answers)
{
    aic_spec *spec = NULL;
    aic_kernel *kernel = NULL;
    roomy given;
    ck_assert_int_eq(aic_spec_parse("texpands(dtype=float32, rows=2, cols=8)", &spec), AIC_OK);
    ck_assert_msg(aic_kernel_create(NULL, spec, NULL, &kernel) == AIC_OK, "%s", aic_last_error());
    const size_t sizes[] = {sizeof given.info, sizeof given.info + MORE, offsetof(aic_kernel_info, isa),
                            sizeof(size_t)};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        memset(&given, 0xA5, sizeof given);
        given.size = sizes[i];
        ck_assert_int_eq(aic_kernel_get_info(kernel, &given.info), AIC_OK);
        ck_assert_uint_eq(given.size, sizes[i]);
        for (size_t b = sizeof given.info; b < sizes[i]; b++) {
            ck_assert_uint_eq(given.bytes[b], 0);
        }
        for (size_t b = sizes[i]; b < sizeof given; b++) {
            ck_assert_uint_eq(given.bytes[b], 0xA5);
        }
    }
    ck_assert_int_eq(aic_kernel_get_info(kernel, &(aic_kernel_info){.size = 0}), AIC_INVALID_ARGUMENT);
    aic_kernel_destroy(kernel);

    /* Operands of a program with smaller and larger entries. */
    unsigned char entries[4 * ROOM];
    const size_t entry_sizes[] = {offsetof(aic_operand, shape), sizeof(aic_operand) + MORE};
    for (size_t i = 0; i < 2; i++) {
        size_t count = 0;
        memset(entries, 0xA5, sizeof entries);
        ck_assert_int_eq(aic_spec_get_operands(spec, NULL, (aic_operand *)(void *)entries, entry_sizes[i], 4, &count),
                         AIC_OK);
        ck_assert_uint_eq(count, 2);
        const char *name;
        memcpy(&name, entries + entry_sizes[i] + offsetof(aic_operand, name), sizeof name);
        ck_assert_str_eq(name, "scalar");
        ck_assert_uint_eq(entries[2 * entry_sizes[i]], 0xA5);
        ck_assert_int_eq(aic_spec_get_operands(spec, NULL, (aic_operand *)(void *)entries, entry_sizes[i], 1, &count),
                         AIC_UNSUPPORTED);
    }
    size_t count = 0; /* entries that cannot even hold their size */
    ck_assert_int_eq(aic_spec_get_operands(spec, NULL, (aic_operand *)(void *)entries, 4, 4, &count),
                     AIC_INVALID_ARGUMENT);
    check_message("operands: size: is 4");
    aic_spec_destroy(spec);
}
END_TEST

/* Chains, their parts, and words of enumerations. */
START_TEST(specifications)
{
    aic_spec *conv = NULL, *chain = NULL, *read = NULL;
    aic_fixpipe_desc fixpipe = aic_fixpipe_desc_init(), got = aic_fixpipe_desc_init();
    aic_spec *last = NULL;
    fixpipe.src = AIC_INT32, fixpipe.dst = AIC_INT8, fixpipe.quantPre = AIC_QUANT_VREQ8;
    ck_assert_int_eq(aic_spec_parse("conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,32,32])", &conv),
                     AIC_OK);
    ck_assert_int_eq(aic_spec_create_fixpipe(&fixpipe, &last), AIC_OK);
    ck_assert_int_eq(aic_spec_chain((const aic_spec *const[]){conv, last}, 2, &chain), AIC_OK);
    ck_assert_uint_eq(aic_spec_stages(chain), 2);
    ck_assert_int_eq(aic_spec_stage_op(chain, 1), AIC_OP_FIXPIPE);
    ck_assert_int_eq(aic_spec_stage_op(chain, 2), AIC_OP_NONE);
    ck_assert_int_eq(aic_spec_get_fixpipe(chain, 1, &got), AIC_OK);
    ck_assert_int_eq(got.quantPre, AIC_QUANT_VREQ8);
    ck_assert_int_eq(aic_spec_get_fixpipe(chain, 0, &got), AIC_INVALID_ARGUMENT);
    check_message("conv2d");
    ck_assert_int_eq(aic_spec_get_fixpipe(chain, 2, &got), AIC_INVALID_ARGUMENT);
    check_message("stage: number 2 is no operator, not fixpipe");
    ck_assert_int_eq(aic_spec_get(chain, 0, (aic_op)99, &got), AIC_INVALID_ARGUMENT);
    check_message("stage: number 0 is conv2d, not an operator");
    ck_assert_int_eq(aic_spec_chain((const aic_spec *const[]){conv, NULL}, 2, &read), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_spec_chain((const aic_spec *const[]){chain, chain, chain, chain}, 4, &read),
                     AIC_INVALID_ARGUMENT);
    check_message("8 operators are outside 1..6");
    ck_assert_int_eq(aic_spec_chain(&(const aic_spec *){conv}, SIZE_MAX, &read), AIC_INVALID_ARGUMENT);
    check_message("18446744073709551615 specifications are outside 1..6"); /* none behind the first was looked at */
    ck_assert_int_eq(aic_spec_chain(&(const aic_spec *){conv}, 0, &read), AIC_INVALID_ARGUMENT);
    ck_assert_ptr_null(read);
    aic_spec_destroy(conv);
    aic_spec_destroy(last);
    aic_spec_destroy(chain);
    int value = -1;
    ck_assert_str_eq(aic_word("quant_pre", AIC_QUANT_VREQ8), "VREQ8");
    ck_assert_str_eq(aic_word("dtype", AIC_DTYPE_INT8), "int8");
    ck_assert_ptr_null(aic_word("quant_pre", 77));
    ck_assert_int_eq(aic_value("atomic_op", "BM_ADD", &value), AIC_OK);
    ck_assert_int_eq(value, AIC_ATOMIC_BM_ADD);
    ck_assert_int_eq(aic_value("colour", "red", &value), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_value("layout", "red", &value), AIC_INVALID_ARGUMENT);
    check_message("FRACTAL_Z");
    ck_assert_int_eq(aic_version_number(), AIC_VERSION_NUMBER(0, 2, 0));
}
END_TEST

Suite *suite_structure(void)
{
    Suite *suite = suite_create("structures that cross the interface");
    TCase *tests = tcase_create("structures");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, descriptors, AIC_OP_NONE + 1, AIC_OP_END);
    tcase_add_test(tests, calls);
    tcase_add_test(tests, options);
    tcase_add_test(tests, semantics);
    tcase_add_test(tests, answers);
    tcase_add_test(tests, specifications);
    suite_add_tcase(suite, tests);
    return suite;
}
