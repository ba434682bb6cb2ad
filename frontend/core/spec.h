/* Specifications, one operator or a fused chain: rules, canonical form, operands, checks of a call. */
#pragma once

#include "frontend/core/op.h"
#include "frontend/core/rule.h"

/* Whether it is one at all: it has stages, and each is an operator. */
aic_status aic_spec_check_stages(const aic_spec *spec);

/* Checks a specification, as every entry point that takes one does: stage count, operators, rules of each stage and of
 * their fusion. *resolved (may be NULL) gets the specification with the fields filled in that follow from other stages;
 * operands, reference and generator take that one. semantics NULL: the defaults. */
aic_status aic_spec_resolve(const aic_spec *spec, const aic_semantics *semantics, aic_spec *resolved);

/* Brings a resolved specification into the form that all specifications of the same kernel share: see clear_ignored and
 * canonicalise of aic_op_info. */
void aic_spec_canonicalise(aic_spec *resolved, const aic_semantics *semantics);

/* Resolves and canonicalises: the result is what a kernel is made from. It must not be validated again, nor shown to
 * users as their request. */
aic_status aic_spec_resolve_kernel(const aic_spec *spec, const aic_semantics *semantics, aic_spec *canonical);

/* Numbers that code gets by their addresses: the operands in the place of which calls pass them. `hidden` of these
 * operands are none of the caller's, but come behind them. */
typedef struct aic_words {
    size_t count, hidden;
    size_t operand[AIC_STAGES_MAX];
    uint64_t word[AIC_STAGES_MAX];
} aic_words;

/* Takes such numbers out of a canonical specification (take_word of aic_op_info). */
void aic_spec_take_words(aic_spec *canonical, const aic_semantics *semantics, aic_words *words);

/* How the data of calls are checked, prepared once for all calls of a kernel: the hook of the last stage, NULL for
 * none, and the index of each operand of that stage among the call's (AIC_ACCUMULATED: it is not among them). */
enum { AIC_ACCUMULATED = -1 };
typedef struct aic_data_check {
    aic_status (*check)(const void *desc, const void *const operands[]);
    const void *desc;
    int from[AIC_OPERANDS_MAX];
} aic_data_check;

/* `check` refers to the specification, which must outlive it. */
void aic_data_check_of(const aic_spec *resolved, const aic_semantics *semantics, aic_data_check *check);
aic_status aic_data_check_run(const aic_data_check *check, const void *const operands[]);

/* Prepares and runs the check, for a single call. */
aic_status aic_spec_check_data(const aic_spec *resolved, const void *const operands[]);

/* All checks of a call of the reference or of a trace: rules, the number of operands, their addresses and data.
 * *resolved: as aic_spec_resolve() gives it. */
aic_status aic_spec_check_call(const aic_spec *spec, const aic_semantics *semantics, void *const pointers[],
                               size_t count, aic_spec *resolved);

/* The operands of a resolved specification in calling order. */
size_t aic_spec_operands_of(const aic_spec *resolved, const aic_semantics *semantics,
                            aic_operand operands[AIC_OPERANDS_MAX]);

/* The coordinates of operand number `index` of a resolved specification; `operand` is what aic_spec_operands_of() says
 * of it. */
void aic_spec_coordinates_of(const aic_spec *resolved, const aic_semantics *semantics, const aic_operand *operand,
                             int index, aic_coordinates *coordinates);

/* What a call must pass for an operand. */
aic_argument aic_operand_argument(const aic_operand *operand);

/* The operators' names joined: "conv2d", "conv2d | fixpipe"; opens messages. */
#define AIC_SUBJECT_MAX 160
void aic_spec_subject(const aic_spec *spec, const char *separator, char *buffer, size_t capacity);

extern const aic_record aic_semantics_record;
extern const aic_rule_list aic_semantics_rules;

/* Whether every value is one of its enumeration or in its range; the message names the option. */
aic_status aic_semantics_check(const aic_semantics *semantics);
