/* Programs: what a kernel is made of, composed from its plan without LLVM.
 *
 *     part      a kind, a key, and code. The key says what was chosen: types, arithmetic, the size of a tile, modes.
 *               Equal keys give equal bytes
 *     numbers   what only the shape decides, by name: pitches, trip counts, sizes, offsets of a tile's pixels. They are
 *               no part of the code but filled in when a kernel is linked, as immediates and displacements
 *     roles     functions that a part calls, by the names that it has for them
 *     use       a part as a kernel uses it: with its numbers, and who takes which role
 *     program   the uses of a kernel, callees before callers, and which of them are the kernel's functions
 *
 * What is no part is `own` code: a use whose key points into the plan. It is compiled with the kernel, as is a part
 * with a number that fits no immediate.
 *
 * How to make a part of a function that own.def lists, by example of codegen/contraction/bands.c (composes) and
 * codegen/parts/bands.c (emits):
 *
 *     1  List the fields of its key in codegen/parts/keys.def. A field is what the code differs by. A value that only
 *        the shape decides is none, unless a loop of one iteration, a remainder or a multiplication by one is worth
 * code of its own: then a BOOL says so. Say in a header what the function is, its numbers and roles 2  Add a row to
 * codegen/parts/parts.def. Write its emitter (parts.h) 3  Where the program is composed: aic_use_begin(),
 * aic_use_number() and aic_use_trips() for each number that the emitter asks for, aic_use_call() for each role,
 * aic_program_add()
 *
 * Files that compose include nothing of LLVM and call nothing that emits: a process whose parts are at hand never loads
 * it. */
#pragma once

#include "codegen/image.h"
#include "codegen/part_source.h"
#include "codegen/target/target.h"
#include "frontend/core/field.h"

#include <stdio.h>

/* ---- kinds ---- */

/* How a part is compiled: well; fast, as loops around calls are; as the field `fast` of its key says. */
typedef enum aic_part_speed { AIC_PART_WELL, AIC_PART_FAST, AIC_PART_BY_KEY } aic_part_speed;

struct aic_part_emitter;

typedef struct aic_part_kind {
    const char *name;         /* "tile" */
    const aic_record *record; /* the fields of its key; NULL: own code */
    size_t key_bytes;         /* of the key's structure */
    aic_part_speed speed;
    const struct aic_part_emitter *emitter; /* of kinds that parts.def does not list; NULL: it does */
} aic_part_kind;

bool aic_part_is_fast(const aic_part_kind *kind, const void *key);

#define AIC_PART(name, key, speed) extern const aic_part_kind aic_part_##name;
#include "codegen/parts/parts.def"
#undef AIC_PART

enum {
#define AIC_PART(name, key, speed) AIC_PART_NUMBER_##name,
#include "codegen/parts/parts.def"
#undef AIC_PART
    AIC_PART_KINDS
};

/* The kinds of parts.def by number; NULL: there is none. */
const aic_part_kind *aic_part_kind_at(size_t index);

/* ---- uses ---- */

enum { AIC_NUMBERS_MAX = 320, AIC_ROLES_MAX = 64, AIC_PART_KEY_MAX = 4096, AIC_USE_NAME_MAX = 64 };

/* Numbers are at most this, so that with an offset of some bytes they fit an immediate. */
#define AIC_NUMBER_MAX ((int64_t)1 << 30)

/* A function of a program: the number of its use, counted from 1; 0: none. */
typedef unsigned aic_routine;

typedef struct aic_role {
    char name[AIC_ROLE_NAME_MAX];
    aic_routine routine;
} aic_role;

/* Where numbers and roles of a use are while it is filled in: more than a caller's stack has room for. */
typedef struct aic_use_room {
    struct aic_use_room *next;
    aic_number_value number[AIC_NUMBERS_MAX];
    aic_role role[AIC_ROLES_MAX];
} aic_use_room;

/* A part as a kernel uses it, being filled in. */
typedef struct aic_use {
    const aic_part_kind *kind;
    const void *key;
    bool own;            /* the kind is, or some number does not fit */
    const char *exceeds; /* what there are too many of; NULL: nothing */
    size_t numbers, roles;
    aic_use_room *room; /* NULL: there is no memory, which the program knows */
} aic_use;

struct aic_program;

/* Starts a use of a kind of part, which ends with aic_program_add() to this program; `key` must stay until then. */
void aic_use_begin(aic_use *use, struct aic_program *program, const aic_part_kind *kind, const void *key);

/* Gives a number of this name; one that a loop runs to, which is at least 1. */
void aic_use_number(aic_use *use, int64_t value, const char *format, ...) __attribute__((format(printf, 3, 4)));
void aic_use_trips(aic_use *use, int64_t value, const char *name);

/* Says which function the part calls in a role. */
void aic_use_call(aic_use *use, aic_routine routine, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- own code ---- */

struct aic_plan;

/* Which code: a row of own.def. */
typedef enum aic_own {
#define AIC_OWN(name) AIC_OWN_##name,
#include "codegen/own.def"
#undef AIC_OWN
    AIC_OWNS
} aic_own;

/* The key of own code; it lives as long as the plan. */
enum { AIC_OWN_ARGUMENTS = 2 };
typedef struct aic_own_key {
    aic_own code;
    const struct aic_plan *plan;
    int64_t argument[AIC_OWN_ARGUMENTS]; /* what they mean the code knows */
} aic_own_key;

extern const aic_part_kind aic_part_own; /* its keys are aic_own_key */

/* ---- programs ---- */

typedef struct aic_program_part {
    const aic_part_kind *kind;
    size_t key; /* where it is among the keys */
    bool own;   /* it is compiled with the kernel */
    size_t numbers, first_number, roles, first_role;
    char name[AIC_USE_NAME_MAX]; /* what is behind "SYMBOL_" in listings */
    /* Where it was linked: how it was come by, how long that took (of parts made together an equal share), its bytes.
     */
    aic_part_origin origin;
    uint64_t ns;
    size_t bytes;
} aic_program_part;

typedef struct aic_program {
    aic_status status;                   /* of composing it; the message is the thread's last */
    char prefix[32];                     /* of the names of further uses: "0_" of the first specification of a group */
    aic_routine function[AIC_FUNCTIONS]; /* 0: the kernel has none */
    size_t parts, numbers, roles, key_bytes;
    size_t room_parts, room_numbers, room_roles, room_keys;
    aic_program_part *part;
    aic_number_value *number;
    aic_role *role;
    unsigned char *keys;
    aic_use_room *spare; /* of uses that have ended */
} aic_program;

/* Adds the use; its function is called by the name that `format` gives, unless there is an equal use. */
aic_routine aic_program_add(aic_program *program, aic_use *use, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* An empty program is all zeros. */
void aic_program_free(aic_program *program);

static inline const aic_program_part *aic_program_at(const aic_program *program, aic_routine routine)
{
    return &program->part[routine - 1];
}

static inline const void *aic_program_key(const aic_program *program, const aic_program_part *part)
{
    return program->keys + part->key;
}

/* Whether some use is compiled with the kernel. */
bool aic_program_has_own(const aic_program *program);

/* Which of the kernel's functions a routine is; AIC_FUNCTIONS: none. */
aic_function_role aic_program_function(const aic_program *program, aic_routine routine);

/* The name of a function in the kernel SYMBOL. */
enum { AIC_PROGRAM_NAME_MAX = 192 };
void aic_program_name(const aic_program *program, aic_routine routine, const char *symbol,
                      char name[AIC_PROGRAM_NAME_MAX]);

/* Lists the parts with their keys, numbers and roles, in lines that begin with `before`. */
void aic_program_print(FILE *out, const aic_program *program, const char *symbol, const char *before);

/* ---- linking ---- */

/* The processor and the features that LLVM compiles a level for, hashed: long texts, which would be most of an
 * identity. */
uint64_t aic_part_features(const aic_target *target);

/* All that the code of a part depends on, as bytes; `features` are the target's. */
aic_status aic_part_identify(const aic_part_kind *kind, const void *key, const aic_target *target, uint64_t features,
                             aic_part_identity *identity);

/* Makes the piece of a part by LLVM. */
typedef aic_status (*aic_part_maker)(const aic_part_kind *kind, const void *key, const aic_target *target,
                                     aic_piece *piece);

/* A part to be made, and its piece. */
typedef struct aic_part_order {
    const aic_part_kind *kind;
    const void *key;
    aic_piece piece;
} aic_part_order;

/* Makes the pieces of several parts that are compiled fast, or none. */
typedef aic_status (*aic_parts_maker)(aic_part_order *order, size_t count, const aic_target *target);

/* Where the pieces of a program come from. */
typedef struct aic_program_sources {
    const aic_target *target;
    aic_part_source *parts; /* NULL: each is made */
    aic_part_maker make;
    aic_parts_maker make_several; /* NULL: each is made alone */
    aic_part_helpers helpers;
    aic_status (*apart)(aic_status (*body)(void *), void *argument); /* calls make(); aic_codegen_request has it */
    const aic_piece *own; /* of own code, which knows functions by their names */
    size_t count;
} aic_program_sources;

/* Links the program's parts, and notes in it where they came from. */
aic_status aic_program_link(aic_program *program, const aic_program_sources *sources, const char *symbol,
                            aic_image *image);

/* Takes all parts from their source, which makes those that it has not, and gives them back: nothing is linked. */
aic_status aic_program_take(aic_program *program, const aic_program_sources *sources);
