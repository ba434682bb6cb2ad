/* PTO-AS: texpands as assembly text, and programs of several statements (PTO ISA TEXPANDS, assembly syntax).
 *
 *     .arg %scale : f32                                          a scalar that the caller gives
 *     .arg %t : !pto.tile_buf<loc=vec, dtype=f32, rows=16, cols=16>      a tile that the caller owns
 *     .const %one = 1.0 : f32
 *     pto.tassign %t, @tile(0x1000)                              manual placement
 *     pto.texpands ins(%scale : f32) outs(%t : !pto.tile_buf<loc=vec, dtype=f32, rows=16, cols=16>)
 *     %u = texpands %one : f32, !pto.tile<8x8xf32>               a new tile
 *
 * ConvTiles have a keyed body of our own, as the public grammar has none:
 *
 *     !pto.tile_buf<loc=mat, dtype=f16, layout=NC1HWC0, shape=[1,16,7,7,16]>      and buffer_size=N where it is larger
 *
 * outs(%NAME) of a name that is new makes a new tile, too: the three spellings of texpands have one meaning.
 *
 * Arguments of a program, in the order in which the text names them: every scalar of .arg, every tile, and behind a
 * tile in vec with a valid size `?` the sizes that the caller gives, named "TILE:v_row" and "TILE:v_col" (int32). Tiles
 * are one-dimensional: rows*cols elements, of a ConvTile its buffer_size.
 *
 * A program that has a pto.tassign is placed manually: every tile must be bound to an address before it is used. Tiles
 * that are bound to overlapping addresses share memory, and a store to one changes the other. Before the first
 * statement the memory holds the contents of the tiles of .arg; where several overlap, those of the last in the order
 * of the arguments. Bytes outside these tiles hold the contents of the bound tiles that the program makes, which are
 * AIC_DIRECTION_INOUT for this reason.
 *
 * Text may be any bytes; errors name line and column.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_PTO_H
#define AIC_PTO_H

#include <aic/spec.h>

AIC_EXTERN_C_BEGIN

struct aic_context;

typedef struct aic_pto_program aic_pto_program;

/* The most a program may have. */
#define AIC_PTO_BYTES_MAX (1 << 20)
#define AIC_PTO_NAMES_MAX 4096
#define AIC_PTO_STATEMENTS_MAX 4096

typedef enum aic_pto_placement {
    AIC_PTO_PLACEMENT_TEXT = 0, /* manual when the program has a pto.tassign, else automatic */
    AIC_PTO_PLACEMENT_AUTO,     /* pto.tassign has no effect */
    AIC_PTO_PLACEMENT_MANUAL    /* a tile that is not bound is an error */
} aic_pto_placement;

typedef struct aic_pto_options {
    size_t size; /* of this structure */
    aic_chip arch;
    aic_pto_placement placement;
    union {
        aic_semantics semantics; /* a program keeps their rules, and those of the context that it runs in */
        char semantics_room[AIC_SEMANTICS_ROOM];
    };
    bool free_names; /* values need no definition, as in a single statement; such a program cannot be run */
} aic_pto_options;

/* A5, placement as the text has it, the documents' semantics, every value defined. */
static inline aic_pto_options aic_pto_options_init(void)
{
    aic_pto_options made;
    memset(&made, 0, sizeof made);
    made.size = sizeof made;
    made.arch = AIC_CHIP_A5;
    made.semantics = aic_semantics_init();
    return made;
}

/* Reads a program and checks every rule of its statements. options NULL: the defaults. The caller owns *program.
 * AIC_INVALID_ARGUMENT, AIC_OUT_OF_MEMORY. */
AIC_API aic_status aic_pto_parse(const char *text, size_t length, const aic_pto_options *options,
                                 aic_pto_program **program);
AIC_API void aic_pto_destroy(aic_pto_program *program); /* NULL does nothing */

/* Writes the canonical form, a line a statement, texpands as pto.texpands ins(...) outs(...); comments are left out.
 * buffer, capacity and length as aic_spec_print() has them. */
AIC_API aic_status aic_pto_print(const aic_pto_program *program, char *buffer, size_t capacity, size_t *length);

/* The same of one texpands specification, with the names %scalar and %dst. */
AIC_API aic_status aic_pto_print_spec(const aic_spec *spec, char *buffer, size_t capacity, size_t *length);

/* Whether aic_spec_parse() reads this operator text as a statement of PTO-AS: it begins with a name (%dst) or with
 * "pto.". Such a statement is of A5; its specification is that of another architecture when desc.arch says so. */
AIC_API bool aic_pto_recognise(const char *text);

AIC_API size_t aic_pto_argument_count(const aic_pto_program *program);

/* Argument number `index`; its name lives as long as the program. AIC_DIRECTION_IN: a scalar or a valid size;
 * AIC_DIRECTION_OUT: a tile that the program makes and does not place: what it does not fill is left as it is;
 * AIC_DIRECTION_INOUT: a tile of .arg, and one that the program makes at an address of a pto.tassign. */
AIC_API aic_status aic_pto_argument(const aic_pto_program *program, size_t index, aic_operand *argument);

/* No argument: a literal, a constant, a valid size that is known. */
#define AIC_PTO_NONE ((size_t)-1)

typedef struct aic_pto_statement {
    size_t size;                       /* of this structure */
    const aic_spec *spec;              /* lives as long as the program */
    size_t operands;                   /* of spec, in calling order */
    size_t argument[AIC_OPERANDS_MAX]; /* which argument each of them is, or AIC_PTO_NONE */
    int64_t address;                   /* of its tile in the memory of its location, AIC_NOT_GIVEN without one */
    size_t after;        /* the last statement before it that writes to the same memory, or AIC_PTO_NONE */
    size_t group;        /* statements of one group follow each other, at most 16, and are independent: one kernel */
    size_t line, column; /* where it begins, counted from 1 */
} aic_pto_statement;

AIC_SIZED(aic_pto_statement)

AIC_API size_t aic_pto_statement_count(const aic_pto_program *program);
AIC_API aic_status aic_pto_get_statement(const aic_pto_program *program, size_t index, aic_pto_statement *statement);

/* Runs the program: all operands are checked, the kernels of all groups are found or made, and then they run in their
 * order. A group of several statements is one kernel of the context, the same for every program with such statements,
 * wherever their tiles are placed; a single statement has the kernel of its specification without placement. arguments:
 * as many as aic_pto_argument_count(), none NULL, none overlapping another; count is checked. The rules are checked
 * again under the context's semantics, which may have smaller memories than those the program was read with. On failure
 * nothing is written. context NULL: the default context. */
AIC_API aic_status aic_pto_run(struct aic_context *context, const aic_pto_program *program, void *const arguments[],
                               size_t count);

/* The same by the plain-C reference, under the semantics that the program was read with. */
AIC_API aic_status aic_pto_reference(const aic_pto_program *program, void *const arguments[], size_t count);

AIC_EXTERN_C_END

#endif
