/* Images of objects as the generator makes them: with bits flipped, and as code, at several addresses and where there
 * is no memory for it. */
#include "codegen/image.h"
#include "frontend/random/rng.h"
#include "runtime/code/code_memory.h"
#include "tests/claims.h"
#include "tests/conv_case.h"
#include "tests/memory_limit.h"

#include <aic/kernel.h>
#include <check.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_image_code(void);

static conv_case *example;
static char symbol[128];
static char *real;
static size_t real_size;

/* The object of an example, as the generator makes it. */
static void set_up(void)
{
    aic_conv2d_desc desc = conv_desc(AIC_INT8, 6);
    example = conv_case_new(&desc);
    aic_kernel *kernel;
    aic_kernel_info info = aic_kernel_info_init();
    ck_assert_int_eq(aic_kernel_create(NULL, &example->spec, NULL, &kernel), AIC_OK);
    ck_assert_int_eq(aic_kernel_get_info(kernel, &info), AIC_OK);
    snprintf(symbol, sizeof symbol, "%s", info.name);
    aic_kernel_destroy(kernel);
    ck_assert_int_eq(aic_dump(NULL, &example->spec, NULL, AIC_DUMP_OBJ, NULL, NULL, &real, &real_size), AIC_OK);
}

static void tear_down(void)
{
    aic_free(real);
    conv_case_free(example);
}

/* Puts the object of another architecture in the place of the host's. */
static void take_object_of(const char *triple)
{
    char *text;
    size_t size;
    aic_free(real);
    ck_assert_int_eq(aic_dump(NULL, &example->spec, NULL, AIC_DUMP_OBJ, NULL, triple, &real, &real_size), AIC_OK);
    ck_assert_int_eq(aic_dump(NULL, &example->spec, NULL, AIC_DUMP_ASM, NULL, triple, &text, &size), AIC_OK);
    const char *line = strstr(text, "\t.globl\taic_conv2d_");
    ck_assert_ptr_nonnull(line);
    ck_assert_int_eq(sscanf(line, " .globl %127[a-z0-9_]", symbol), 1);
    aic_free(text);
}

/* Objects with some bits flipped, mostly in what describes them: a status or an image, and no byte read or written
 * outside, which the address sanitizer watches. */
START_TEST(flipped_bits)
{
    enum { ROUNDS = 20000 };
    Elf64_Ehdr header;
    uint64_t state = claims_seed((uint64_t)_i);
    size_t images = 0;
    take_object_of(_i % 2 == 0 ? "x86_64-linux-gnu" : "aarch64-linux-gnu");
    memcpy(&header, real, sizeof header);
    char *copy = malloc(real_size);
    ck_assert_ptr_nonnull(copy);
    for (int round = 0; round < ROUNDS; round++) {
        memcpy(copy, real, real_size);
        for (uint64_t flips = 1 + aic_rng_next(&state) % 4; flips > 0; flips--) {
            const size_t from = aic_rng_next(&state) % 4 == 0 ? 0 : header.e_shoff;
            const size_t at = from + aic_rng_next(&state) % (real_size - from);
            copy[at] = (char)(copy[at] ^ 1 << aic_rng_next(&state) % 8);
        }
        aic_image image;
        aic_status status = aic_image_create(&(aic_elf){copy, real_size}, 1, symbol, &image);
        ck_assert(status == AIC_OK || status == AIC_COMPILE || status == AIC_OUT_OF_MEMORY);
        if (status == AIC_OK) {
            images++;
            ck_assert_uint_lt(image.function[AIC_FUNCTION_ENTRY], image.size);
            ck_assert_uint_le(image.size, real_size + (size_t)header.e_shnum * 4096);
            aic_image_free(&image);
        }
    }
    ck_assert_uint_gt(images, 0);
    ck_assert_uint_lt(images, ROUNDS);
    free(copy);
}
END_TEST

/* ---- images as code ---- */

static void check_runs(const aic_code_memory *memory, const aic_image *image)
{
    void *workspace = aligned_block(1 << 20);
    conv_case_reset(example);
    ((aic_conv2d_fn)(uintptr_t)(memory->base + image->function[AIC_FUNCTION_ENTRY]))(
        example->buffer[0], example->buffer[1], example->buffer[2], workspace);
    conv_case_check_done(example, example->buffer[0]);
    free(workspace);
}

/* The permissions of the mapping that an address lies in, as "r-xp". */
static void permissions_of(const void *address, char text[5])
{
    unsigned long from, to;
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    ck_assert_ptr_nonnull(maps);
    text[0] = '\0';
    while (text[0] == '\0' && fgets(line, sizeof line, maps) != NULL) {
        if (sscanf(line, "%lx-%lx %4s", &from, &to, text) != 3 || (uintptr_t)address < from ||
            (uintptr_t)address >= to) {
            text[0] = '\0';
        }
    }
    fclose(maps);
}

/* The same image at several addresses at once, each of its own and not writable; its name is taken by none of them. */
START_TEST(placed_twice)
{
    aic_image image;
    aic_code_memory memory[3];
    char permissions[5];
    ck_assert_msg(aic_image_create(&(aic_elf){real, real_size}, 1, symbol, &image) == AIC_OK, "%s", aic_last_error());
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(aic_code_memory_place(&image, &memory[i]), AIC_OK);
        ck_assert_uint_eq((uintptr_t)memory[i].base % image.alignment, 0);
        permissions_of(memory[i].base, permissions);
        ck_assert_str_eq(permissions, "r-xp");
    }
    for (int i = 0; i < 3; i++) {
        check_runs(&memory[i], &image);
        aic_code_memory_release(&memory[i]);
        ck_assert_ptr_null(memory[i].base);
        aic_code_memory_release(&memory[i]); /* nothing to do */
    }
    image.alignment = 1 << 20;
    ck_assert_int_eq(aic_code_memory_place(&image, &memory[0]), AIC_INTERNAL);
    aic_image_free(&image);
}
END_TEST

#ifndef AIC_SANITIZED /* sanitizers reserve more address space than any limit leaves */

/* Until the region that there is has no room. */
START_TEST(no_memory_for_code)
{
    enum { IMAGES = 300 };
    static aic_code_memory memory[IMAGES];
    aic_image image;
    aic_status status = AIC_OK;
    int count = 0;
    ck_assert_int_eq(aic_image_create(&(aic_elf){real, real_size}, 1, symbol, &image), AIC_OK);
    struct rlimit old = memory_limit_to(0);
    while (count < IMAGES && status == AIC_OK) {
        status = aic_code_memory_place(&image, &memory[count++]);
    }
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &old), 0);
    ck_assert_int_eq(status, AIC_OUT_OF_MEMORY);
    ck_assert_ptr_null(memory[count - 1].base);
    ck_assert_int_eq(aic_code_memory_place(&image, &memory[count - 1]), AIC_OK);
    check_runs(&memory[count - 1], &image);
    while (count > 0) {
        aic_code_memory_release(&memory[--count]);
    }
    aic_image_free(&image);
}
END_TEST

#endif

Suite *suite_image_code(void)
{
    Suite *suite = suite_create("image_code");
    TCase *code = tcase_create("code");
    tcase_set_timeout(code, 60);
    tcase_add_checked_fixture(code, set_up, tear_down);
    tcase_add_loop_test(code, flipped_bits, 0, 4);
    tcase_add_test(code, placed_twice);
#ifndef AIC_SANITIZED
    tcase_add_test(code, no_memory_for_code);
#endif
    suite_add_tcase(suite, code);
    return suite;
}
