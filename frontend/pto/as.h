/* PTO-AS, a statement at a time (PTO ISA TEXPANDS). What names stand for is the program's matter
 * (pto_program.h). */
#pragma once

#include "frontend/pto/reader.h"

#include "frontend/core/stage.h"

/* Element types as the text spells them: signless, signed and unsigned ones are different words. Index into the table;
 * fails if the word, which KEY is given, is none. */
int aic_pto_type(aic_pto_reader *in, aic_pto_word word, const char *key);
aic_dtype aic_pto_type_dtype(int type);
const char *aic_pto_type_name(int type);
int aic_pto_type_of(aic_dtype dtype); /* the one that is printed */

/* A tile type: what a descriptor says of a tile, everything filled in. */
typedef struct aic_pto_tile {
    int type;
    aic_texpands_desc desc;
} aic_pto_tile;

/* Reads "!pto.tile<...>" or "!pto.tile_buf<...>". */
void aic_pto_read_tile(aic_pto_reader *in, aic_pto_tile *tile);

typedef enum aic_pto_kind {
    AIC_PTO_EMPTY, /* a comment, or nothing */
    AIC_PTO_ARG_SCALAR,
    AIC_PTO_ARG_TILE,
    AIC_PTO_CONST,
    AIC_PTO_TASSIGN,
    AIC_PTO_TEXPANDS
} aic_pto_kind;

/* A line of the grammar. */
typedef struct aic_pto_line {
    aic_pto_kind kind;
    const char *where; /* where it begins */
    aic_pto_word name; /* what it defines, binds or fills */
    bool defines;      /* TEXPANDS: name is a new value (PTO-AS and level 1) */
    int type;          /* of a scalar */
    const char *type_where;
    aic_pto_word value; /* TEXPANDS: the name of the scalar, length 0 when it is a literal */
    uint64_t bits;      /* of a literal, CONST: of the constant */
    aic_pto_tile tile;
    int64_t address;
} aic_pto_line;

/* Reads one line, with the line end. At the end of the text nothing is read: in->at == in->end. */
aic_status aic_pto_read_line(aic_pto_reader *in, aic_pto_line *line);

/* Reads operator text that aic_pto_recognise() recognises: one texpands statement. Its scalar and its tile are the
 * operands of the specification, whatever their names are; the architecture is A5. */
aic_status aic_pto_read_spec(const char *text, aic_spec *spec);
