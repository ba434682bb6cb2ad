/* What people want to know of an operator: its keys with their meaning, defaults and limits, its operands, an example.
 * All of it comes from the operator's list, aic/OP.def. */
#pragma once

#include "tools/kinds.h"

typedef struct sheet_key {
    const char *name;
    field_kind kind;
    unsigned count; /* entries; 1: no list */
    size_t offset;  /* in the descriptor */
    bool required;
    double fallback;
} sheet_key;

/* A key's entry (AIC_EVERY: all) is within low..high. */
typedef struct sheet_limit {
    const char *key;
    int entry;
    int64_t low, high;
} sheet_limit;

typedef struct sheet_role {
    const char *name, *shape, *meaning;
} sheet_role;

typedef struct op_sheet {
    const char *name, *about, *example;
    const sheet_key *keys;
    size_t key_count;
    const char *const *meanings; /* one a key */
    const char *const *values;   /* one a key: "cube|fast"; NULL: they are no words of a list */
    const sheet_limit *limits;   /* the last one's key is NULL */
    const sheet_role *roles;     /* operands in calling order */
    size_t role_count;
    const sheet_role *chain_roles; /* operands that only chains have; the last one has no name */
} op_sheet;

/* The sheet of an operator, NULL for values that are none. */
const op_sheet *sheet_of(aic_op op);

/* What the value of key number `index` looks like: "[4 integers]", "cube|fast". */
void sheet_type(const op_sheet *sheet, size_t index, char *text, size_t capacity);

/* What a key is when it is left out: "[1,1]"; "" for a required one. */
void sheet_default(const sheet_key *key, char *text, size_t capacity);

/* The limits of key number `index`, entry by entry where they differ: "[1..256, 1..4096, 1..4096, any]"; "" where it
 * has none. */
void sheet_limits(const op_sheet *sheet, size_t index, char *text, size_t capacity);

/* Where an entry of the operator's rules comes from, as aic/rules.h has it; NULL where there is none. */
const char *sheet_source(const char *op, const char *kind, const char *id);
