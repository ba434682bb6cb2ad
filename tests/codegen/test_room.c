/* More than the generator's own arrays have room for, which nothing that can be asked for comes to: a status that says
 * so, and the next request works. */
#include "codegen/llvm/shim.h"
#include "codegen/llvm/vec.h"
#include "codegen/loops/move.h"
#include "tests/guard_case.h"

#include <aic/aic.h>
#include <check.h>
#include <string.h>

Suite *suite_room(void);

enum { MANY = 4 * AIC_LANES_MAX };

static LLVMValueRef long_vector(aic_emit *e)
{
    return aic_zero(aic_vector(e->i8, MANY));
}

static void want_constant(aic_emit *e)
{
    aic_const_int(aic_vector(e->i8, MANY), 7);
}

static void want_lanes(aic_emit *e)
{
    aic_lanes_of(e, long_vector(e), 0, 1, MANY);
}

static void want_permutation(aic_emit *e)
{
    static const unsigned FROM[MANY] = {0};
    aic_permute(e, long_vector(e), FROM, MANY);
}

static void want_concatenation(aic_emit *e)
{
    LLVMValueRef vectors[] = {long_vector(e), long_vector(e)};
    aic_concat(e, vectors, 2);
}

static void want_part(aic_emit *e)
{
    aic_load_part(e, e->i8, MANY, MANY - 1, aic_emit_param(e, 0), 0);
}

static void want_stored_part(aic_emit *e)
{
    aic_store_part(e, long_vector(e), MANY / 2 + 1, aic_emit_param(e, 0), 0);
}

static void want_transposition(aic_emit *e)
{
    LLVMValueRef vectors[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        vectors[i] = aic_zero(aic_vector(e->i8, 4));
    }
    aic_transpose(e, vectors, MANY, 4);
}

static void want_long_transposition(aic_emit *e)
{
    LLVMValueRef vectors[] = {long_vector(e), long_vector(e)};
    aic_transpose(e, vectors, 2, 2);
}

static void want_bfloat16(aic_emit *e)
{
    const LLVMValueRef vector = aic_zero(aic_vector(e->f32, 4)), vectors[] = {vector, vector, vector};
    aic_float_to_bfloat16(e, vectors, 3, false);
}

static void want_parameters(aic_emit *e)
{
    static const char *const NAMES[AIC_PARAMS_MAX + 1] = {"a"};
    aic_emit_function(e, "wide", AIC_EMIT_HOT, NAMES, AIC_PARAMS_MAX, 1);
}

static void want_carried(aic_emit *e)
{
    LLVMValueRef carried[AIC_CARRIED_MAX + 1];
    aic_loop loop;
    for (unsigned i = 0; i <= AIC_CARRIED_MAX; i++) {
        carried[i] = aic_emit_param(e, 0);
    }
    aic_loop_begin(e, &loop, "loop", aic_int(e, 0), aic_int(e, 9), 1, carried, AIC_CARRIED_MAX + 1);
}

static void want_wide_pack(aic_emit *e)
{
    LLVMValueRef wide = aic_zero(aic_vector(e->i32, 2 * AIC_VECTOR_BITS_MAX / 32));
    aic_pack(e, wide, wide, false);
}

/* Tiles of transpositions that no schedule gives. */
static void want_tile(aic_emit *e, int64_t rows, int64_t cols, int64_t vector)
{
    const aic_move_key key = {
        .size = 1, .transposes = true, .rows = rows, .valid = rows, .cols = cols, .vector = vector};
    aic_emit_transpose(e, &key, 0, aic_emit_param(e, 0), aic_emit_param(e, 0), 0);
}

static void want_wide_tile(aic_emit *e)
{
    want_tile(e, 128, 16, 128);
}

static void want_high_tile(aic_emit *e)
{
    want_tile(e, 1024, 16, 16);
}

static void want_odd_tile(aic_emit *e)
{
    want_tile(e, 16, 17, 16);
}

static const struct {
    void (*emit)(aic_emit *e);
    const char *message;
} EXCEEDED[] = {
    {want_constant, "512 lanes of a constant, and room for 128"},
    {want_lanes, "512 lanes of a shuffle, and room for 128"},
    {want_permutation, "512 lanes of a shuffle"},
    {want_concatenation, "1024 lanes of a shuffle"},
    {want_part, "512 lanes of a vector of parts"},
    {want_stored_part, "256 lanes of a shuffle"},
    {want_transposition, "512 vectors of a transposition"},
    {want_long_transposition, "512 lanes of a transposition"},
    {want_bfloat16, "3 vectors that become bfloat16, and room for 2"},
    {want_parameters, "25 parameters of a function, and room for 24"},
    {want_carried, "129 values that a loop carries, and room for 128"},
    {want_wide_pack, "1024 bits of a vector, and room for 512"},
    {want_wide_tile, "8 lanes of a register, and room for 4"},
    {want_high_tile, "64 lane blocks of a tile, and room for 16"},
    {want_odd_tile, "1 columns of a tile behind its lane blocks, and room for 0"},
};

static aic_status want_too_much(void *argument)
{
    bool failed;
    aic_emit e;
    LLVMContextRef context = aic_llvm_context(&failed);
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("too_much", context);
    aic_emit_open(&e, context, module, aic_target_find(AIC_ARCH_X86_64, "avx512"), NULL);
    aic_emit_function(&e, "too_much", AIC_EMIT_ENTRY, (const char *const[]){"p"}, 1, 0);
    EXCEEDED[*(int *)argument].emit(&e);
    return AIC_OK;
}

START_TEST(more_than_there_is_room_for)
{
    ck_assert_int_eq(guard_run_losing(want_too_much, &_i), AIC_INTERNAL);
    ck_assert_msg(strstr(aic_last_error(), EXCEEDED[_i].message) != NULL, "%s", aic_last_error());
    ck_assert_int_eq(guard_dump(), AIC_OK);
}
END_TEST

/* Four dimensions with other blocks on both sides make more boxes than a nest has. */
START_TEST(more_boxes_than_there_is_room_for)
{
    const aic_move_axis dim = {100, {16, 1 << 20, 1}, {4, 1 << 20, 1}, false};
    const aic_move_axis dims[] = {dim, dim, dim, dim, dim, dim, dim};
    for (unsigned count = 1; count <= sizeof dims / sizeof dims[0]; count++) {
        aic_move nest;
        aic_move_describe(&nest, 1, dims, count);
        ck_assert_int_eq(aic_move_check_room(nest.incomplete), count <= 2 ? AIC_OK : AIC_INTERNAL);
    }
    ck_assert_ptr_nonnull(strstr(aic_last_error(), "more than 32 boxes"));
}
END_TEST

/* What has no room for all of its boxes has no schedule. */
START_TEST(no_schedule_of_what_is_incomplete)
{
    aic_spec spec;
    const aic_semantics semantics = aic_semantics_init();
    const aic_problem problem = {&spec, &semantics, aic_target_find(AIC_ARCH_X86_64, "avx2"),
                                 aic_machine_of(AIC_CORE_ZEN4)};
    aic_plan *plan;
    ck_assert_int_eq(aic_spec_read("transdata(dtype=int8, src=ND, dst=Nz, shape=[37,100])", &spec), AIC_OK);
    ck_assert_int_eq(aic_plan_create(&problem, &plan), AIC_OK);
    ck_assert_int_eq(aic_plan_choose(plan), AIC_OK);
    aic_move *move = (aic_move *)(void *)plan->work.part;
    move->incomplete = true;
    ck_assert_int_eq(aic_plan_choose(plan), AIC_INTERNAL);
    ck_assert_msg(strstr(aic_last_error(), "offers none for this specification") != NULL, "%s", aic_last_error());
    aic_plan_free(plan);
}
END_TEST

Suite *suite_room(void)
{
    Suite *suite = suite_create("room");
    TCase *arrays = tcase_create("arrays");
    tcase_set_timeout(arrays, 60);
    tcase_add_checked_fixture(arrays, guard_setup, NULL);
    tcase_add_loop_test(arrays, more_than_there_is_room_for, 0, (int)(sizeof EXCEEDED / sizeof EXCEEDED[0]));
    tcase_add_test(arrays, more_boxes_than_there_is_room_for);
    tcase_add_test(arrays, no_schedule_of_what_is_incomplete);
    suite_add_tcase(suite, arrays);
    return suite;
}
