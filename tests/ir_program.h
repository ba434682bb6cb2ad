/* What the IR of a function is decoded into (ir_program.c), and is run from (ir_run.c). */
#pragma once

#include "tests/ir_run.h"

#include <check.h>

/* A frame holds the constants, parameters and results of a function as bytes: elements one after the other, those of
 * one bit as a byte, pointers as they are in this process. */
enum { ARGS_MAX = 12, POISON = 0xA5 };

/* Intrinsics that are no functions of integers: nothing is computed; or some lanes are loaded, the other ones anything
 * or those of the last operand; or some lanes are stored. */
enum { INTRINSIC_NOTHING = 4, INTRINSIC_LOAD, INTRINSIC_LOAD_OR, INTRINSIC_STORE };

typedef struct shape {
    unsigned lanes, bytes; /* of a value: elements, and bytes of one */
} shape;

typedef struct op {
    LLVMOpcode code;
    unsigned detail;             /* predicate, alignment, or which intrinsic */
    unsigned to, from[ARGS_MAX]; /* offsets in the frame */
    unsigned args;               /* of a call */
    shape type, source;          /* of the result (of Store: the value), and of operand 0 */
    int *mask;                   /* of ShuffleVector */
    unsigned block[2];           /* of Br, and per incoming value of PHI: see `edges` */
    unsigned *edges;             /* of PHI: block, offset, block, offset, ... */
    unsigned edge_count;
    const struct function *callee; /* NULL: an intrinsic, or none */
} op;

typedef struct function {
    LLVMValueRef value;
    op *ops;
    unsigned count, capacity;
    unsigned *block_start, blocks;
    unsigned params, param[ARGS_MAX];
    unsigned char *image; /* the frame at the start */
    unsigned frame, frame_capacity;
} function;

enum { FUNCTIONS_MAX = 40 };

struct ir_program {
    function functions[FUNCTIONS_MAX];
    unsigned count;
};

/* An assertion of the framework writes a file even where it holds, which takes longer than running an instruction. */
static inline void require(bool condition, const char *message)
{
    if (!condition) {
        ck_abort_msg("%s", message);
    }
}
