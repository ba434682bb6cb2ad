/* Programs with arguments; see pto_case.h. */
#include "tests/pto_case.h"
#include "frontend/core/stage.h"
#include "frontend/random/rng.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

aic_pto_program *pto_program_of(const char *text)
{
    aic_pto_program *program = NULL;
    ck_assert_msg(aic_pto_parse(text, strlen(text), NULL, &program) == AIC_OK, "%s\n%s", aic_last_error(), text);
    return program;
}

/* The largest valid size that argument number `index` may have; 0: it is none. */
static int64_t largest(const aic_pto_program *program, size_t index)
{
    for (size_t i = 0; i < aic_pto_statement_count(program); i++) {
        aic_pto_statement s = aic_pto_statement_init();
        ck_assert_int_eq(aic_pto_get_statement(program, i, &s), AIC_OK);
        const aic_texpands_desc *desc = &s.spec->stage[0].desc.texpands;
        if (s.argument[2] == index || s.argument[3] == index) {
            return s.argument[2] == index ? desc->rows : desc->cols;
        }
    }
    return 0;
}

static void fill(const aic_pto_program *program, size_t index, struct pto_argument *argument, uint64_t *state)
{
    const int64_t limit = largest(program, index);
    for (int64_t i = 0; i < argument->operand.bytes; i++) {
        argument->before[i] = (unsigned char)aic_rng_next(state);
    }
    if (limit > 0) {
        const int32_t size = (int32_t)aic_rng_range(state, 0, limit);
        memcpy(argument->before, &size, sizeof size);
    }
}

static void expect(pto_case *c)
{
    void **pointers = calloc(c->count + 1, sizeof *pointers);
    ck_assert_ptr_nonnull(pointers);
    for (size_t i = 0; i < c->count; i++) {
        memcpy(c->argument[i].expected, c->argument[i].before, (size_t)c->argument[i].operand.bytes);
        pointers[i] = c->argument[i].expected;
    }
    ck_assert_msg(aic_pto_reference(c->program, pointers, c->count) == AIC_OK, "%s", aic_last_error());
    free(pointers);
}

pto_case *pto_case_new(const aic_pto_program *program, guard_side side, uint64_t seed)
{
    pto_case *c = calloc(1, sizeof *c);
    ck_assert_ptr_nonnull(c);
    c->program = program;
    c->count = aic_pto_argument_count(program);
    c->argument = calloc(c->count + 1, sizeof *c->argument);
    c->pointers = calloc(c->count + 1, sizeof *c->pointers);
    ck_assert(c->argument != NULL && c->pointers != NULL);
    for (size_t i = 0; i < c->count; i++) {
        struct pto_argument *a = &c->argument[i];
        a->operand = aic_operand_init();
        ck_assert_int_eq(aic_pto_argument(program, i, &a->operand), AIC_OK);
        const size_t bytes = (size_t)a->operand.bytes;
        ck_assert(guard_open(&a->buffer, bytes, aic_dtype_size(a->operand.dtype), side));
        a->before = malloc(bytes);
        a->expected = malloc(bytes);
        ck_assert(a->before != NULL && a->expected != NULL);
        fill(program, i, a, &seed);
        c->pointers[i] = a->buffer.data;
    }
    expect(c);
    pto_case_reset(c);
    return c;
}

void pto_case_free(pto_case *c)
{
    for (size_t i = 0; i < c->count; i++) {
        guard_close(&c->argument[i].buffer);
        free(c->argument[i].before);
        free(c->argument[i].expected);
    }
    free(c->argument);
    free(c->pointers);
    free(c);
}

void pto_case_reset(pto_case *c)
{
    for (size_t i = 0; i < c->count; i++) {
        memcpy(c->argument[i].buffer.data, c->argument[i].before, (size_t)c->argument[i].operand.bytes);
    }
}

bool pto_case_done(const pto_case *c)
{
    bool done = true;
    for (size_t i = 0; i < c->count; i++) {
        const struct pto_argument *a = &c->argument[i];
        done = done && memcmp(a->buffer.data, a->expected, (size_t)a->operand.bytes) == 0 && guard_intact(&a->buffer);
    }
    return done;
}

bool pto_case_untouched(const pto_case *c)
{
    bool untouched = true;
    for (size_t i = 0; i < c->count; i++) {
        const struct pto_argument *a = &c->argument[i];
        untouched = untouched && memcmp(a->buffer.data, a->before, (size_t)a->operand.bytes) == 0;
    }
    return untouched;
}
