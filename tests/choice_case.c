#include "tests/choice_case.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

aic_semantics choice_made(const char *key, const char *value)
{
    aic_semantics semantics = aic_semantics_init();
    ck_assert_int_eq(aic_semantics_choose(&semantics, key, value), AIC_OK);
    return semantics;
}

void *choice_result(const verify_case *c, const aic_semantics *semantics)
{
    void *pointers[AIC_OPERANDS_MAX];
    const size_t bytes = (size_t)c->operand[c->output].bytes;
    unsigned char *result = malloc(bytes + 1);
    for (size_t i = 0; i < c->count; i++) {
        pointers[i] = c->content[i].data;
    }
    memcpy(result, c->content[c->output].data, bytes);
    pointers[c->output] = result;
    ck_assert_msg(aic_reference(c->spec, semantics, pointers, c->count) == AIC_OK, "%s", aic_last_error());
    return result;
}

bool choice_in_kernels(const char *key)
{
    static const char *const refused[] = {"sum", "n_field", "shift", "relu_zero", "mat_valid"};
    size_t i = 0;
    while (i < sizeof refused / sizeof refused[0] && strcmp(refused[i], key) != 0) {
        i++;
    }
    return i == sizeof refused / sizeof refused[0];
}
