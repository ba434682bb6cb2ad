/* Parts: the functions of a kernel that are compiled once and used by many kernels.
 *
 *     part      a kind, a key, and code. The key says what was chosen: types, arithmetic, the size of a tile, modes.
 *               Equal keys give equal bytes
 *     numbers   what only the shape decides, by name: pitches, trip counts, sizes, offsets of a tile's pixels. They are
 *               no part of the code but filled in when a kernel is linked, as immediates and displacements
 *     roles     functions that a part calls, by the names that it has for them
 *     program   what a kernel is made of: uses of parts, each with its numbers and who takes which role
 *
 * The emitter of a part sees its key and the names of its numbers and roles, nothing of the kernel. It is written once
 * for two forms:
 *
 *     named     in a module of its own. A number is a symbol, which on x86-64 becomes an immediate of 32 bits
 *     literal   in the module of a kernel, as a function under the name that the kernel gives. A number is a constant.
 *               For AArch64, numbers beyond 30 bits, dumps and exported objects
 *
 * How to make a part of a function, by example of codegen/contraction/tile.c:
 *
 *     1  List the fields of its key in a .def file, of kinds INT and BOOL, and make the struct and a table of them. A
 *        field is what the code differs by. A value that only the shape decides is none, unless a loop of one
 *        iteration, a remainder or a multiplication by one is worth code of its own: then a BOOL says so
 *     2  Write emit(e, key, name): a function named `name`. What the shape decides is aic_number(e, "row.pitch"), trip
 *        counts of loops aic_trips(e, "kpacks"). Products of numbers are numbers with a name of their own; no role has
 * the name of a number 3  Fill in an aic_use where the function was emitted before: the key, aic_use_number() and
 * aic_use_trips() for each number that the emitter asks for, aic_use_call() for each role; and call aic_emit_use()
 *
 * tests/test_parts.c compares both forms, and the bytes of parts that have equal keys. */
#ifndef AIC_PARTS_H
#define AIC_PARTS_H

#include "codegen/image.h"
#include "codegen/llvm/emit.h"
#include "codegen/part_source.h"
#include "frontend/core/field.h"

#include <stdio.h>

/* ---- kinds ---- */

typedef struct aic_part_kind {
    const char *name;              /* "tile" */
    const aic_record *record;      /* the fields of its key */
    size_t key_bytes;              /* of the key's structure */
    bool (*fast)(const void *key); /* whether it is compiled fast, as loops around calls are; NULL: it never is */
    /* Emits void name(pointers..., integers...); returns it. */
    LLVMValueRef (*emit)(aic_emit *e, const void *key, const char *name);
} aic_part_kind;

/* ---- uses ---- */

enum { AIC_NUMBERS_MAX = 160, AIC_ROLES_MAX = 16, AIC_PART_KEY_MAX = 768 };

/* Numbers are at most this, so that with an offset of some bytes they fit an immediate. */
#define AIC_NUMBER_MAX ((int64_t)1 << 30)

/* A part as a kernel uses it. */
typedef struct aic_use {
    const aic_part_kind *kind;
    const void *key;
    unsigned pointers, integers; /* parameters of its function */
    bool literal;                /* some number does not fit: the part is emitted into the kernel */
    size_t numbers, roles;
    aic_number_value number[AIC_NUMBERS_MAX];
    struct {
        char name[AIC_ROLE_NAME_MAX];
        LLVMValueRef function;
    } role[AIC_ROLES_MAX];
} aic_use;

/* Starts a use; `key` must stay until aic_emit_use(). */
void aic_use_begin(aic_use *use, const aic_part_kind *kind, const void *key, unsigned pointers, unsigned integers);

/* Gives a number of this name; one that a loop runs to, which is at least 1. */
void aic_use_number(aic_use *use, int64_t value, const char *format, ...) __attribute__((format(printf, 3, 4)));
void aic_use_trips(aic_use *use, int64_t value, const char *name);

/* Says which function the part calls in a role. */
void aic_use_call(aic_use *use, const char *role, LLVMValueRef function);

/* The function of a part as the kernel being emitted can call it. Literal: emits it under this name. */
LLVMValueRef aic_emit_use(aic_emit *e, const aic_use *use, const char *name);

/* ---- for emitters of parts ---- */

/* A number by its name, an i64; one that a loop runs to. AIC_INTERNAL where the use gives none. */
LLVMValueRef aic_number(aic_emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
LLVMValueRef aic_trips(aic_emit *e, const char *name);

/* The function that takes a role, with so many parameters of either kind. */
LLVMValueRef aic_callee(aic_emit *e, const char *role, unsigned pointers, unsigned integers);

/* ---- programs ---- */

enum { AIC_PROGRAM_PARTS_MAX = AIC_IMAGE_ITEMS_MAX - 2, AIC_PROGRAM_NUMBERS_MAX = 1024, AIC_PROGRAM_ROLES_MAX = 128 };
enum { AIC_PROGRAM_NAME_MAX = 160 };

typedef struct aic_program_part {
    const aic_part_kind *kind;
    unsigned char key[AIC_PART_KEY_MAX]; /* its structure */
    size_t numbers, first_number, roles, first_role;
    char symbol[AIC_PROGRAM_NAME_MAX]; /* what the kernel calls it */
    /* Where it was linked: how it was come by, how long that took, its bytes. */
    aic_part_origin origin;
    uint64_t ns;
    size_t bytes;
} aic_program_part;

typedef struct aic_program {
    bool linked; /* parts are linked to what is emitted; false: emitted with it, in the literal form, and only listed */
    size_t parts, numbers, roles;
    aic_program_part part[AIC_PROGRAM_PARTS_MAX];
    aic_number_value number[AIC_PROGRAM_NUMBERS_MAX];
    aic_binding binding[AIC_PROGRAM_ROLES_MAX];
    char symbol[AIC_PROGRAM_ROLES_MAX][AIC_PROGRAM_NAME_MAX]; /* of the bindings */
} aic_program;

/* Lists the parts with their keys, numbers and roles, in lines that begin with `before`. */
void aic_program_print(FILE *out, const aic_program *program, const char *before);

/* ---- making ---- */

/* Makes the piece of a part: emits the named form and compiles it. Calls may not be nested in another run of LLVM. */
aic_status aic_part_make(const aic_part_kind *kind, const void *key, const aic_target *target, aic_piece *piece);

/* All that the code of a part depends on, as bytes. */
aic_status aic_part_identify(const aic_part_kind *kind, const void *key, const aic_target *target,
                             aic_part_identity *identity);

/* Links pieces of what is no part, which together define the kernel's functions, with the program's parts, which come
 * from `source` (NULL: each is made). Notes in the program where they came from. */
aic_status aic_program_link(aic_program *program, const aic_target *target, aic_part_source *source,
                            const aic_piece *rest, size_t count, const char *symbol, aic_image *image);

#endif
