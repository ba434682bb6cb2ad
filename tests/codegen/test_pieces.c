/* Linking pieces: what is filled in, what is refused, and pieces whose bytes are anything. How objects become pieces is
 * in test_image.c. */
#include "codegen/image.h"
#include "frontend/random/rng.h"
#include "tests/claims.h"

#include <aic/kernel.h>
#include <check.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_pieces(void);

enum { CODE = 64, SYMBOLS = 3, PATCHES = 2, NAMES = 36 };
enum { NUMBER_AT = 16, CALL_AT = 24, PART_AT = 4, ADDEND = 5, CALL_ADDEND = -4 };

/* A piece as it lies in memory. */
typedef struct hand_made {
    aic_piece_head head;
    unsigned char code[CODE];
    aic_piece_symbol symbol[SYMBOLS];
    aic_piece_patch patch[PATCHES];
    char names[NAMES];
} hand_made;

_Static_assert(sizeof(hand_made) == sizeof(aic_piece_head) + CODE + SYMBOLS * sizeof(aic_piece_symbol) +
                                        PATCHES * sizeof(aic_piece_patch) + NAMES,
               "without holes");

/* Copies a name, with its closing zero. */
static void put(char *to, const char *name)
{
    memcpy(to, name, strlen(name) + 1);
}

/* One that defines `own`, takes the number `pitch` and calls `next`. */
static hand_made piece_of(const char *own, const char *next)
{
    hand_made p = {.head = {.magic = "AICPART",
                            .machine = EM_X86_64,
                            .alignment = AIC_PIECE_SPACING,
                            .code_bytes = CODE,
                            .symbols = SYMBOLS,
                            .patches = PATCHES,
                            .name_bytes = NAMES},
                   .symbol = {{PART_AT, 0, AIC_PIECE_DEFINED | AIC_PIECE_FUNCTION}, {0, 12, 0}, {0, 20, 0}},
                   .patch = {{NUMBER_AT, ADDEND, R_X86_64_32S, 1}, {CALL_AT, CALL_ADDEND, R_X86_64_PLT32, 2}}};
    put(p.names, own);
    put(p.names + 12, "pitch");
    put(p.names + 20, next);
    memset(p.code, 0x90, sizeof p.code);
    return p;
}

/* A kernel of a piece of its own, which calls `kernel_x`, and of a part in this role, which calls its role `next`: the
 * kernel's function. */
typedef struct program {
    hand_made piece[2];
    size_t size[2];
    aic_number_value number[2];
    aic_binding binding;
    aic_function_role function; /* of the kernel, that the part is */
} program;

static program program_of(void)
{
    return (program){.piece = {piece_of("kernel", "kernel_x"), piece_of(AIC_PART_SYMBOL, "next")},
                     .size = {sizeof(hand_made), sizeof(hand_made)},
                     .number = {{"pitch", 1000}, {"pitch", 70000}},
                     .binding = {"next", AIC_NO_ITEM, "kernel"},
                     .function = AIC_FUNCTIONS};
}

/* From blocks of just their sizes, so that the address sanitizer sees what is read behind them. */
static aic_status link_program(const program *p, aic_image *image)
{
    aic_piece piece[2];
    for (int i = 0; i < 2; i++) {
        piece[i] = (aic_piece){malloc(p->size[i]), p->size[i]};
        ck_assert_ptr_nonnull(piece[i].bytes);
        memcpy(piece[i].bytes, &p->piece[i], p->size[i]);
    }
    const aic_image_item item[] = {
        {.piece = &piece[0], .name = "kernel", .number = &p->number[0], .numbers = 1},
        {.piece = &piece[1],
         .symbol = "kernel_x",
         .name = "tile",
         .is_part = true,
         .function = p->function,
         .number = &p->number[1],
         .numbers = 1,
         .binding = &p->binding,
         .bindings = 1},
    };
    const aic_status status = aic_image_link(item, 2, "kernel", image);
    aic_piece_free(&piece[0]);
    aic_piece_free(&piece[1]);
    return status;
}

static int32_t word_at(const aic_image *image, size_t at)
{
    int32_t word;
    memcpy(&word, image->bytes + at, sizeof word);
    return word;
}

/* A part may be one of the kernel's functions, and take roles by its item. */
START_TEST(bound_by_item)
{
    program p = program_of();
    aic_image image;
    p.binding = (aic_binding){"next", 1, NULL}; /* itself */
    p.function = AIC_FUNCTION_PACKED;
    ck_assert_msg(link_program(&p, &image) == AIC_OK, "%s", aic_last_error());
    ck_assert_uint_eq(image.function[AIC_FUNCTION_ENTRY], PART_AT);
    ck_assert_uint_eq(image.function[AIC_FUNCTION_PACKED], CODE + PART_AT);
    ck_assert_int_eq(word_at(&image, CODE + CALL_AT), PART_AT - CALL_AT + CALL_ADDEND);
    aic_image_free(&image);
}
END_TEST

START_TEST(filled_in)
{
    const program p = program_of();
    aic_image image;
    ck_assert_msg(link_program(&p, &image) == AIC_OK, "%s", aic_last_error());
    ck_assert_uint_eq(image.size, (size_t)2 * CODE);
    ck_assert_uint_eq(image.function[AIC_FUNCTION_ENTRY], PART_AT);
    ck_assert_int_eq(word_at(&image, NUMBER_AT), 1000 + ADDEND);
    ck_assert_int_eq(word_at(&image, CODE + NUMBER_AT), 70000 + ADDEND);
    ck_assert_int_eq(word_at(&image, CALL_AT), CODE + PART_AT - CALL_AT + CALL_ADDEND);
    ck_assert_int_eq(word_at(&image, CODE + CALL_AT), PART_AT - (CODE + CALL_AT) + CALL_ADDEND);
    for (size_t i = 0; i < image.size; i++) {
        const size_t in_piece = i % CODE;
        const bool patched =
            (in_piece >= NUMBER_AT && in_piece < NUMBER_AT + 4) || (in_piece >= CALL_AT && in_piece < CALL_AT + 4);
        ck_assert_int_eq(patched || image.bytes[i] == 0x90, true);
    }
    aic_image_free(&image);
}
END_TEST

/* The last place in the code, and the largest and least values that fit. */
START_TEST(limits)
{
    static const struct {
        uint16_t type;
        int64_t value;
        bool fits;
    } CASES[] = {
        {R_X86_64_32S, INT32_MAX - ADDEND, true},
        {R_X86_64_32S, INT64_C(1) + INT32_MAX - ADDEND, false},
        {R_X86_64_32S, INT32_MIN - INT64_C(5), true},
        {R_X86_64_32S, INT32_MIN - INT64_C(6), false},
        {R_X86_64_32, UINT32_MAX - INT64_C(5), true},
        {R_X86_64_32, UINT32_MAX - INT64_C(4), false},
        {R_X86_64_32, -ADDEND, true},
        {R_X86_64_32, -ADDEND - 1, false},
        {R_X86_64_32S, INT64_MAX, false},
        {R_X86_64_32, INT64_MIN, false},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        program p = program_of();
        aic_image image;
        p.piece[1].patch[0].type = CASES[i].type;
        p.piece[1].patch[0].at = CODE - 4;
        p.number[1].value = CASES[i].value;
        const aic_status status = link_program(&p, &image);
        ck_assert_int_eq(status, CASES[i].fits ? AIC_OK : AIC_COMPILE);
        if (CASES[i].fits) {
            ck_assert_uint_eq((uint32_t)word_at(&image, 2 * CODE - 4), (uint32_t)(CASES[i].value + ADDEND));
            aic_image_free(&image);
        } else {
            ck_assert_ptr_nonnull(strstr(aic_last_error(), "image: tile: the number pitch = "));
        }
    }
}
END_TEST

typedef void (*change)(program *p);
static void cut_off(program *p)
{
    p->size[1]--;
}
static void no_head(program *p)
{
    p->size[1] = sizeof(aic_piece_head) - 1;
}
static void other_magic(program *p)
{
    p->piece[1].head.magic[6] = 'S';
}
static void more_code(program *p)
{
    p->piece[1].head.code_bytes = UINT64_MAX - 6;
}
static void more_symbols(program *p)
{
    p->piece[1].head.symbols++;
}
static void odd_alignment(program *p)
{
    p->piece[1].head.alignment = 96;
}
static void huge_alignment(program *p)
{
    p->piece[1].head.alignment = 8192;
}
static void other_machine(program *p)
{
    p->piece[1].head.machine = EM_AARCH64;
}
static void name_outside(program *p)
{
    p->piece[1].symbol[1].name = NAMES;
}
static void names_without_end(program *p)
{
    p->piece[1].names[NAMES - 1] = 'x';
}
static void symbol_outside(program *p)
{
    p->piece[1].symbol[0].offset = CODE + 1;
}
static void function_at_end(program *p)
{
    p->piece[1].symbol[0].offset = CODE;
}
static void frames_outside(program *p)
{
    p->piece[1].head.frames = CODE - 1;
    p->piece[1].head.frames_bytes = 2;
}
static void patch_outside(program *p)
{
    p->piece[1].patch[0].at = CODE - 3;
}
static void patch_far_outside(program *p)
{
    p->piece[1].patch[0].at = UINT32_MAX - 1;
}
static void patch_of_nothing(program *p)
{
    p->piece[1].patch[0].symbol = SYMBOLS;
}
static void patch_of_no_kind(program *p)
{
    p->piece[1].patch[0].type = R_X86_64_64;
}
static void patch_of_another_machine(program *p)
{
    p->piece[1].patch[0].type = R_AARCH64_CALL26;
}
/* Code that is shorter than what a patch changes. */
static void little_code(program *p)
{
    hand_made *piece = &p->piece[1];
    enum { LITTLE = 3, ROUNDED = 8 };
    piece->head.code_bytes = LITTLE;
    piece->symbol[0].offset = 0;
    piece->patch[0].at = 0;
    memmove(piece->code + ROUNDED, piece->symbol, sizeof *piece - offsetof(hand_made, symbol));
    p->size[1] -= CODE - ROUNDED;
}
static void no_names(program *p)
{
    p->piece[1].head.name_bytes = 0;
    p->size[1] -= NAMES;
}
static void number_and_function(program *p)
{
    p->piece[1].patch[1].symbol = 1;
}
static void swapped_name(program *p)
{
    put(p->number[1].name, "pixel");
}
static void no_role(program *p)
{
    p->binding.role = "other";
}
static void role_of_nobody(program *p)
{
    p->binding.symbol = "kernel_y";
}
static void role_of_no_item(program *p)
{
    p->binding.item = 2;
}
static void role_of_no_part(program *p)
{
    p->binding.item = 0;
}
static void number_as_function(program *p)
{
    p->piece[1].patch[0].type = R_X86_64_PC32;
}
static void function_as_number(program *p)
{
    p->piece[1].patch[1].type = R_X86_64_32;
}
static void no_part(program *p)
{
    put(p->piece[1].names, "pert");
}
static void no_kernel(program *p)
{
    p->piece[0].symbol[0].flags = AIC_PIECE_DEFINED;
}

#define DAMAGED "image: kernel: piece tile is damaged"
#define NOT_INSIDE "image: tile: a patch is not inside"

START_TEST(refused)
{
    static const struct {
        change change;
        const char *message;
    } CASES[] = {
        {cut_off, DAMAGED},
        {no_head, DAMAGED},
        {other_magic, DAMAGED},
        {more_code, DAMAGED},
        {more_symbols, DAMAGED},
        {odd_alignment, DAMAGED},
        {huge_alignment, DAMAGED},
        {name_outside, DAMAGED},
        {names_without_end, DAMAGED},
        {symbol_outside, DAMAGED},
        {function_at_end, DAMAGED},
        {frames_outside, DAMAGED},
        {no_names, DAMAGED},
        {other_machine, "image: kernel: piece tile is of another machine"},
        {patch_outside, NOT_INSIDE},
        {patch_far_outside, NOT_INSIDE},
        {patch_of_nothing, NOT_INSIDE},
        {patch_of_no_kind, NOT_INSIDE},
        {patch_of_another_machine, NOT_INSIDE},
        {little_code, NOT_INSIDE},
        {swapped_name, "image: tile: the number pitch is not given"},
        {no_role, "image: tile refers to next, which is not part of it"},
        {role_of_nobody, "image: tile refers to next, which is not part of it"},
        {role_of_no_item, "image: tile refers to next, which is not part of it"},
        {role_of_no_part, "image: tile refers to next, which is not part of it"},
        {number_as_function, "image: tile refers to pitch, which is not part of it"},
        {number_and_function, "image: tile refers to pitch, which is not part of it"},
        {function_as_number, "image: tile: the number next is not given"},
        {no_part, "image: kernel refers to kernel_x, which is not part of it"},
        {no_kernel, "image: the object defines no function kernel"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        program p = program_of();
        aic_image image = {.size = 77};
        CASES[i].change(&p);
        ck_assert_msg(link_program(&p, &image) == AIC_COMPILE, "case %zu", i);
        ck_assert_str_eq(aic_last_error(), CASES[i].message);
        ck_assert_uint_eq(image.size, 77);
    }
}
END_TEST

/* ---- pieces from outside of the process ---- */

static const char *check_part(const program *p)
{
    const aic_piece piece = {malloc(p->size[1]), p->size[1]};
    ck_assert_ptr_nonnull(piece.bytes);
    memcpy(piece.bytes, &p->piece[1], p->size[1]);
    const char *problem = aic_piece_check(&piece);
    free(piece.bytes);
    return problem;
}

static void patch_over_another(program *p)
{
    p->piece[1].patch[1].at = NUMBER_AT + 3;
}
static void patches_out_of_order(program *p)
{
    p->piece[1].patch[1].at = NUMBER_AT - 8;
}
static void many_patches(program *p)
{
    p->piece[1].head.patches = UINT32_MAX;
}
static void many_symbols(program *p)
{
    p->piece[1].head.symbols = UINT32_MAX;
}
static void many_names(program *p)
{
    p->piece[1].head.name_bytes = UINT64_MAX;
}
static void number_that_is_defined(program *p)
{
    p->piece[1].patch[0].symbol = 0;
}
static void number_without_name(program *p)
{
    p->piece[1].symbol[1].name = NAMES - 1;
}
static void long_name(program *p)
{
    memset(p->piece[1].names + 5, 'x', AIC_NUMBER_NAME_MAX);
    p->piece[1].symbol[1].name = 5;
}
static void two_functions(program *p)
{
    p->piece[1].symbol[2] = p->piece[1].symbol[0];
}
static void function_not_defined(program *p)
{
    p->piece[1].symbol[0].flags = AIC_PIECE_FUNCTION;
}
static void with_frames(program *p)
{
    p->piece[1].head.frames_bytes = 8;
}

/* What would be refused in linking, whatever the kernel is, and what would change the code twice. */
START_TEST(from_outside)
{
    static const change CASES[] = {
        cut_off,
        no_head,
        other_magic,
        more_code,
        more_symbols,
        odd_alignment,
        huge_alignment,
        other_machine,
        name_outside,
        names_without_end,
        symbol_outside,
        function_at_end,
        frames_outside,
        patch_outside,
        patch_far_outside,
        patch_of_nothing,
        patch_of_no_kind,
        patch_of_another_machine,
        little_code,
        no_names,
        no_part,
        patch_over_another,
        patches_out_of_order,
        many_patches,
        many_symbols,
        many_names,
        number_that_is_defined,
        number_without_name,
        long_name,
        two_functions,
        function_not_defined,
        with_frames,
    };
#if defined(__x86_64__)
    program good = program_of();
    ck_assert_ptr_null(check_part(&good));
    good.piece[1].patch[1].at = NUMBER_AT + 4;
    ck_assert_ptr_null(check_part(&good));
#endif
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        program p = program_of();
        CASES[i](&p);
        ck_assert_msg(check_part(&p) != NULL, "case %zu", i);
    }
}
END_TEST

START_TEST(too_many)
{
    static aic_image_item item[AIC_IMAGE_ITEMS_MAX + 1];
    aic_image image;
    ck_assert_int_eq(aic_image_link(item, AIC_IMAGE_ITEMS_MAX + 1, "kernel", &image), AIC_INTERNAL);
    ck_assert_int_eq(aic_image_link(item, 0, "kernel", &image), AIC_INTERNAL);
}
END_TEST

/* Pieces with some bits flipped, mostly in their heads and tables: a status or an image, and no byte read or written
 * outside, which the address sanitizer watches. */
START_TEST(flipped_bits)
{
    enum { ROUNDS = 40000 };
    uint64_t state = claims_seed((uint64_t)_i);
    size_t images = 0;
    for (int round = 0; round < ROUNDS; round++) {
        program p = program_of();
        unsigned char *bytes = (unsigned char *)&p.piece[aic_rng_next(&state) % 2];
        for (uint64_t flips = 1 + aic_rng_next(&state) % 4; flips > 0; flips--) {
            bytes[aic_rng_next(&state) % sizeof(hand_made)] ^= (unsigned char)(1 << aic_rng_next(&state) % 8);
        }
        aic_image image;
        const aic_status status = link_program(&p, &image);
        ck_assert(status == AIC_OK || status == AIC_COMPILE);
        if (status == AIC_OK) {
            images++;
            ck_assert_uint_lt(image.function[AIC_FUNCTION_ENTRY], image.size);
            aic_image_free(&image);
        }
    }
    ck_assert_uint_gt(images, 0);
    ck_assert_uint_lt(images, ROUNDS);
}
END_TEST

Suite *suite_pieces(void)
{
    Suite *suite = suite_create("pieces");
    TCase *all = tcase_create("all");
    tcase_add_test(all, filled_in);
    tcase_add_test(all, bound_by_item);
    tcase_add_test(all, limits);
    tcase_add_test(all, refused);
    tcase_add_test(all, from_outside);
    tcase_add_test(all, too_many);
    tcase_add_loop_test(all, flipped_bits, 0, 4);
    suite_add_tcase(suite, all);
    return suite;
}
