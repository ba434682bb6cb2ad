/* Kernels as C functions of (operands, workspace), and the stubs that they are made of. The harness calls every kernel
 * that it verifies by such a function, too. */
#include "frontend/core/stage.h"
#include "runtime/code/code_memory.h"
#include "runtime/code/stub.h"
#include "tests/disk_case.h"
#include "tests/specs.h"
#include "tools/harness/verify.h"

#include <check.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_functions(void);

/* ---- stubs ---- */

enum { PARAMETERS_MAX = AIC_STUB_OPERANDS_MAX + 1 };

/* What the target was called with. */
static struct {
    uintptr_t parameter[PARAMETERS_MAX];
    uintptr_t frame;
} seen;

#define P uintptr_t

/* Reads as many parameters as the longest kernel has; those that a stub does not pass are anything. */
static __attribute__((noinline, no_sanitize("address", "undefined"))) void target(P a, P b, P c, P d, P e, P f, P g,
                                                                                  P h, P i, P j, P k, P l, P m)
{
    const uintptr_t parameter[] = {a, b, c, d, e, f, g, h, i, j, k, l, m};
    memcpy(seen.parameter, parameter, sizeof parameter);
    seen.frame = (uintptr_t)__builtin_frame_address(0);
}

static aic_code_memory place_stub(const aic_stub *stub)
{
    unsigned char code[AIC_STUB_BYTES_MAX];
    aic_code_memory memory;
    const aic_image image = {.bytes = code, .size = aic_stub_write(stub, code), .alignment = 16};
    ck_assert_uint_le(image.size, sizeof code);
    ck_assert_int_eq(aic_code_memory_place(&image, &memory), AIC_OK);
    return memory;
}

/* A stub of so many operands, of which every third is fixed, or none. */
static void check_table(size_t count, bool fixes)
{
    static char word[AIC_STUB_OPERANDS_MAX], given[AIC_STUB_OPERANDS_MAX], workspace;
    const void *fixed[AIC_STUB_OPERANDS_MAX] = {NULL};
    void *operands[AIC_STUB_OPERANDS_MAX];
    for (size_t i = 0; i < count; i++) {
        fixed[i] = fixes && i % 3 == 2 ? &word[i] : NULL;
        operands[i] = fixed[i] != NULL ? NULL : &given[i];
    }
    const aic_stub stub = {.target = (uintptr_t)target, .count = count, .fixed = fixed, .table = true};
    aic_code_memory memory = place_stub(&stub);
    memset(&seen, 0, sizeof seen);
    ((aic_kernel_fn)(uintptr_t)memory.base)(operands, &workspace);
    for (size_t i = 0; i < count; i++) {
        const void *expected = fixed[i] != NULL ? fixed[i] : operands[i];
        ck_assert_msg(seen.parameter[i] == (uintptr_t)expected, "parameter %zu of %zu", i, count);
    }
    ck_assert_msg(seen.parameter[count] == (uintptr_t)&workspace, "workspace behind %zu", count);
    ck_assert_msg(seen.frame % 16 == 0, "a stack out of line behind %zu", count);
    aic_code_memory_release(&memory);
}

START_TEST(stubs_of_tables)
{
    for (size_t count = 1; count <= AIC_STUB_OPERANDS_MAX; count++) {
        check_table(count, _i == 1);
    }
}
END_TEST

START_TEST(stubs_that_fix_parameters)
{
    static char word, given[4];
    for (size_t at = 0; at < AIC_STUB_FIXED_MAX; at++) {
        const void *fixed[AIC_STUB_OPERANDS_MAX] = {NULL};
        fixed[at] = &word;
        const aic_stub stub = {.target = (uintptr_t)target, .count = AIC_STUB_FIXED_MAX, .fixed = fixed};
        aic_code_memory memory = place_stub(&stub);
        ((void (*)(P, P, P, P, P, P, P, P))(uintptr_t)memory.base)((P)&given[0], (P)&given[1], (P)&given[2], 3, 4, 5, 6,
                                                                   7);
        const P expected[] = {(P)&given[0], (P)&given[1], (P)&given[2], 3, 4, 5, 6, 7};
        for (size_t i = 0; i < 8; i++) {
            ck_assert_uint_eq(seen.parameter[i], i == at ? (P)&word : expected[i]);
        }
        aic_code_memory_release(&memory);
    }
}
END_TEST

#undef P

/* ---- functions of kernels ---- */

#define CHAIN                                                                                                          \
    "conv2d(dtype=int8, fm_shape=[1,5,6,32], kernel_shape=[1,2,2,48,32]) | fixpipe(src=int32, dst=int8, "              \
    "quantPre=REQ8, deqScalar="

static aic_kernel *kernel_of(aic_context *context, const char *text)
{
    const aic_spec spec = spec_of(text);
    aic_kernel *kernel;
    ck_assert_msg(aic_kernel_create(context, &spec, NULL, &kernel) == AIC_OK, "%s", aic_last_error());
    return kernel;
}

typedef struct asker {
    pthread_t thread;
    const aic_kernel *kernel;
    aic_kernel_fn function[2];
} asker;

static void *ask(void *data)
{
    asker *a = data;
    a->function[0] = aic_kernel_function(a->kernel, false);
    a->function[1] = aic_kernel_function(a->kernel, true);
    return NULL;
}

/* Threads that ask together get the same functions, and so does whoever asks later. */
START_TEST(one_function_for_all)
{
    enum { ASKERS = 8 };
    asker a[ASKERS];
    aic_kernel *kernel = kernel_of(NULL, CHAIN "quant(0.01))");
    for (int i = 0; i < ASKERS; i++) {
        a[i] = (asker){.kernel = kernel};
        ck_assert_int_eq(pthread_create(&a[i].thread, NULL, ask, &a[i]), 0);
    }
    for (int i = 0; i < ASKERS; i++) {
        pthread_join(a[i].thread, NULL);
        ck_assert(a[i].function[0] != NULL && a[i].function[1] != NULL && a[i].function[0] != a[i].function[1]);
        ck_assert(a[i].function[0] == a[0].function[0] && a[i].function[1] == a[0].function[1]);
    }
    ck_assert(aic_kernel_function(kernel, false) == a[0].function[0]);
    aic_kernel_destroy(kernel);
}
END_TEST

/* Kernels of equal code and different words: each function computes with its own, also when the context has gone. */
START_TEST(functions_have_their_own_words)
{
    static const char *const texts[] = {CHAIN "quant(0.001))", CHAIN "quant(0.0123))"};
    const aic_semantics usual = aic_semantics_init();
    verify_case c[2];
    verify_report report;
    aic_kernel *kernel[2];
    aic_context *context;
    ck_assert_int_eq(aic_context_create(NULL, &context), AIC_OK);
    for (int i = 0; i < 2; i++) {
        const aic_spec spec = spec_of(texts[i]);
        ck_assert_int_eq(verify_open(&c[i], &spec, &usual, 7, &report), VERIFY_PASSED);
        kernel[i] = kernel_of(context, texts[i]);
    }
    ck_assert_uint_eq(disk_stats(context).compiles, 1);
    ck_assert(memcmp(c[0].expected.data, c[1].expected.data, c[0].expected.size) != 0);
    aic_context_destroy(context);
    void *workspace = aligned_block(aic_kernel_workspace_size(kernel[0]));
    for (int turn = 0; turn < 4; turn++) {
        const int i = turn % 2;
        void *pointer[AIC_OPERANDS_MAX] = {NULL};
        for (size_t k = 0; k < c[i].count; k++) {
            pointer[k] = c[i].operand[k].direction == AIC_DIRECTION_UNUSED ? NULL : c[i].content[k].data;
        }
        unsigned char *output = aligned_block(c[i].expected.size);
        memcpy(output, c[i].content[0].data, c[i].expected.size);
        pointer[0] = output;
        aic_kernel_function(kernel[i], false)(pointer, workspace);
        ck_assert_msg(memcmp(output, c[i].expected.data, c[i].expected.size) == 0, "turn %d", turn);
        free(output);
    }
    free(workspace);
    for (int i = 0; i < 2; i++) {
        verify_close(&c[i]);
        aic_kernel_destroy(kernel[i]);
    }
}
END_TEST

/* ---- lengths ---- */

/* What is too short is refused by name, one byte less than needed too, and nothing is written; more is no matter. */
START_TEST(lengths_are_checked)
{
    enum { COUNT = 4 };
    const aic_spec spec = spec_of(CHAIN "quant(0.01))");
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count, bytes[COUNT];
    void *memory[COUNT] = {NULL};
    aic_kernel *kernel = kernel_of(NULL, CHAIN "quant(0.01))");
    ck_assert_int_eq(aic_spec_operands(&spec, NULL, operand, &count), AIC_OK);
    ck_assert_uint_eq(count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        bytes[i] = (size_t)operand[i].bytes;
        memory[i] = operand[i].direction != AIC_DIRECTION_UNUSED ? aligned_block(bytes[i]) : NULL;
    }
    ck_assert_int_eq(aic_kernel_call_sized(kernel, memory, bytes, COUNT), AIC_OK);
    bytes[1]++;
    ck_assert_int_eq(aic_kernel_call_sized(kernel, memory, bytes, COUNT), AIC_OK);
    ck_assert_int_eq(aic_kernel_call_sized(kernel, memory, bytes, COUNT - 1), AIC_INVALID_ARGUMENT);
    memset(memory[0], 85, bytes[0]);
    for (size_t i = 0; i < COUNT; i++) {
        const size_t right = bytes[i];
        if (operand[i].direction == AIC_DIRECTION_UNUSED) {
            continue;
        }
        bytes[i] = (size_t)operand[i].bytes - 1;
        ck_assert_int_eq(aic_kernel_call_sized(kernel, memory, bytes, COUNT), AIC_INVALID_ARGUMENT);
        ck_assert_msg(strstr(aic_last_error(), operand[i].name) != NULL, "%s", aic_last_error());
        bytes[i] = right;
    }
    for (size_t i = 0; i < bytes[0]; i++) {
        ck_assert_int_eq(((const char *)memory[0])[i], 85);
    }
    for (size_t i = 0; i < COUNT; i++) {
        free(memory[i]);
    }
    aic_kernel_destroy(kernel);
}
END_TEST

Suite *suite_functions(void)
{
    Suite *suite = suite_create("functions");
    TCase *tcase = tcase_create("functions");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, stubs_of_tables, 0, 2);
    tcase_add_test(tcase, stubs_that_fix_parameters);
    tcase_add_test(tcase, one_function_for_all);
    tcase_add_test(tcase, functions_have_their_own_words);
    tcase_add_test(tcase, lengths_are_checked);
    suite_add_tcase(suite, tcase);
    return suite;
}
