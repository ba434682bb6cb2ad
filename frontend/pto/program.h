/* Programs of PTO-AS: what names stand for, statements with their operands, which of them depend on each other. */
#pragma once

#include "frontend/core/argument.h"
#include "frontend/pto/as.h"
#include <aic/pto.h>

typedef enum aic_pto_name_kind {
    AIC_PTO_NAME_FREE,  /* used as a scalar, defined nowhere; only with free_names */
    AIC_PTO_NAME_BOUND, /* by pto.tassign; the tile is yet to come */
    AIC_PTO_NAME_SCALAR,
    AIC_PTO_NAME_CONSTANT,
    AIC_PTO_NAME_TILE
} aic_pto_name_kind;

typedef struct aic_pto_name {
    aic_pto_name_kind kind;
    char *text;        /* owned */
    char *sizes[2];    /* TILE with dynamic sizes: "NAME:v_row", "NAME:v_col", owned; else NULL */
    const char *where; /* in the text, while it is read */
    int type;          /* SCALAR, CONSTANT */
    uint64_t bits;     /* CONSTANT */
    aic_pto_tile tile; /* TILE */
    bool made;         /* TILE: by the first statement that fills it, not by .arg */
    int64_t address;   /* AIC_NOT_GIVEN: not bound */
    size_t argument;   /* SCALAR, TILE */
    size_t size_argument[2];
} aic_pto_name;

typedef struct aic_pto_item {
    aic_pto_kind kind;
    size_t name;      /* what it defines, binds or fills */
    size_t statement; /* TEXPANDS */
} aic_pto_item;

typedef struct aic_pto_code {
    aic_pto_statement public; /* but for its specification */
    aic_spec spec;
    aic_texpands_desc desc; /* that of its kernel, which is the same wherever the tile is placed */
    size_t tile;            /* name */
    size_t scalar;          /* name, or AIC_PTO_NONE for a literal */
    uint64_t bits;          /* of a literal */
} aic_pto_code;

struct aic_pto_program {
    aic_pto_options options;
    bool manual;
    bool shares_memory; /* tiles lie over each other */
    aic_pto_name *names;
    size_t name_count;
    aic_pto_item *items; /* lines in order */
    size_t item_count;
    aic_pto_code *code;
    size_t code_count;
    size_t tassign_line; /* of the first pto.tassign, 0 without one */
    size_t argument_count;
    aic_operand *arguments;
    aic_argument *addresses; /* what a call must pass for each of them */
    size_t *owners;          /* the name that each of them, a valid size too, belongs to */
};

/* Rules of the operator, of all statements and of a tile that no statement may fill; they need to know the placement.
 * The message of the first has the statement's line and column, that of the second has none. */
aic_status aic_pto_check_statements(const aic_pto_program *program, const aic_semantics *semantics);
aic_status aic_pto_check_tile(const aic_pto_program *program, const aic_pto_name *name, const aic_semantics *semantics);

/* Fills in arguments, addresses and owners. AIC_OUT_OF_MEMORY. */
aic_status aic_pto_list_arguments(aic_pto_program *program);

/* The number of the statement behind the group that begins with statement `first`. */
size_t aic_pto_group_end(const aic_pto_program *program, size_t first);

/* Bytes that a tile of the program has. */
int64_t aic_pto_tile_bytes(const aic_pto_name *tile);

/* ---- running it, by whatever runs its groups of statements ---- */

/* A group: statements first .. first+count-1, count at most AIC_GROUP_MAX. The operands of statement first+i, in
 * calling order, begin at entry i*AIC_OPERANDS_MAX. */
typedef aic_status (*aic_pto_step)(void *user, size_t first, size_t count, void *const operands[]);

/* Whether the program can be run with these arguments: count, NULL, alignment, overlap, the valid sizes. */
aic_status aic_pto_check(const aic_pto_program *program, void *const arguments[], size_t count);

/* Whether every statement and every tile is legal under these semantics, too, not only those it was read with. */
aic_status aic_pto_check_rules(const aic_pto_program *program, const aic_semantics *semantics);

/* Runs checked arguments through the steps, the groups in their order. Tiles that share memory are gathered in an image
 * of it, and handed out to the arguments at the end. The first failure ends it: the arguments are as they were where
 * tiles share memory, else as the steps left them. */
aic_status aic_pto_execute(const aic_pto_program *program, void *const arguments[], aic_pto_step step, void *user);
