/* The table of operators: what the generic code (text, keys, tools) needs to know of each. An operator fills one
 * aic_op_info in its op_NAME.c; ops.def names them all. */
#ifndef AIC_OP_H
#define AIC_OP_H

#include "frontend/field.h"
#include <aic/spec.h>

/* A descriptor of any operator: the union member of an aic_stage. */
typedef struct aic_op_info {
    aic_record record; /* name of the operator, fields in the order of the .def list */
    size_t desc_size;
    void (*init)(void *desc);
    /* Writes every field of the descriptor as 64-bit words (AIC_KEY_FIELD in field.h), returns how many. On the
     * path of every call: expanded from the list at compile time, not walked at run time. */
    uint32_t (*key)(const void *desc, uint64_t *words);

    /* Every rule of the document in the order of its table; sets the message of the first broken one. */
    aic_status (*validate)(const void *desc, const aic_semantics *semantics);

    /* Operands in calling order; the descriptor is valid. Sizes fit in int64_t. */
    size_t (*operands)(const void *desc, aic_operand operands[AIC_OPERANDS_MAX]);
    int64_t (*macs)(const void *desc); /* saturated at INT64_MAX */
    bool (*exact)(const void *desc);

    /* The formulas; the descriptor is valid, operands are in calling order and do not overlap. Runs in the
     * default floating-point environment (the caller sees to it). May return AIC_OUT_OF_MEMORY. */
    aic_status (*reference)(const void *desc, void *const operands[]);
    /* NULL for operators that are always exact; arrays as in aic_reference_bound(). */
    aic_status (*reference_bound)(const void *desc, void *const operands[], double *exact, double *bound);

    /* Pseudo-random descriptors for the checks. */
    void (*random)(uint64_t *state, void *desc);
    void (*random_illegal)(uint64_t *state, void *desc);
} aic_op_info;

/* Facts of an operator; NULL for AIC_OP_NONE and values out of range. */
const aic_op_info *aic_op_get(aic_op op);

#define AIC_OP(ENUM, name, params, args) extern const aic_op_info aic_op_##name;
#include <aic/ops.def>
#undef AIC_OP

/* The part of every entry point that takes a specification: stage count, operators, rules of each stage. */
aic_status aic_spec_check(const aic_spec *spec, const aic_semantics *semantics);

/* ---- cache keys ---- */

/* The signature of a kernel as 64-bit words: every field of every stage, then whatever the caller appends. */
#define AIC_KEY_WORDS_MAX 96
typedef struct aic_key {
    uint32_t count;
    uint64_t word[AIC_KEY_WORDS_MAX];
} aic_key;

static inline void aic_key_add(aic_key *key, uint64_t word)
{
    key->word[key->count++] = word;
}

/* Appends the operator and every field of its descriptor. */
void aic_key_add_stage(aic_key *key, aic_op op, const void *desc);
uint64_t aic_key_hash(const aic_key *key);
bool aic_key_equal(const aic_key *a, const aic_key *b);

#endif
