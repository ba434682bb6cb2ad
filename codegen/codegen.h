/* The door to the generator: all that the runtime knows of it. No LLVM type crosses this line, nothing is kept between
 * calls, any thread may call. Schedules cross it as text. LLVM is loaded when something is to be compiled
 * (codegen/llvm/api.h): plans are made without it, and kernels whose parts are at hand. */
#pragma once

#include "codegen/image.h"
#include "codegen/machine.h"
#include "codegen/part_source.h"
#include "codegen/record.h"
#include "codegen/target/target.h"
#include <aic/explain.h>
#include <aic/kernel.h>
#include <stdlib.h>

/* Version of the rule that chooses schedules, which names of kernels tell: raise it when the rule may choose another
 * schedule for some specification. */
enum { AIC_SCHEDULE_RULE = 19 };

/* One specification for one target and one machine. */
typedef struct aic_problem {
    const aic_spec *spec; /* canonical (aic_spec_resolve_kernel) */
    const aic_semantics *semantics;
    const aic_target *target;
    const aic_machine *machine;
} aic_problem;

/* What a kernel computes: one specification, or a group of independent ones that it runs in their order. */
typedef struct aic_codegen_request {
    size_t count;         /* specifications, 1 .. AIC_GROUP_MAX */
    const aic_spec *spec; /* canonical (aic_spec_resolve_kernel) */
    const char *schedule; /* of a single specification; NULL: the default rule chooses, as it does for groups */
    const aic_semantics *semantics;
    const aic_target *target;
    const aic_machine *machine;
    const char *triple; /* NULL: the host's */
    const char *passes; /* NULL: none */
    const char *symbol; /* what the names of the kernel's functions begin with */
    bool unwind;        /* the object gets an unwind table, for debuggers; the instructions are the same */
    bool divided; /* may be compiled in several parts, if it is sooner and no passes are run: those of parts.h each
                     by itself, of the rest frames fast and what is hot well. The result is the same; there is an
                     image then and no object */
    aic_part_source *parts;   /* keeps parts; NULL: each is made anew */
    aic_part_helpers helpers; /* where several parts have to be made */
    /* Calls body(argument) where there is stack for LLVM: object() does all else where it is called. NULL: it enters
     * LLVM there, too. */
    aic_status (*apart)(aic_status (*body)(void *argument), void *argument);
} aic_codegen_request;

/* The problem of a request's specification number `index`. */
static inline aic_problem aic_codegen_problem(const aic_codegen_request *request, size_t index)
{
    return (aic_problem){&request->spec[index], request->semantics, request->target, request->machine};
}

/* A part of a kernel: its kind, how the kernel came by it, and how long that took. */
typedef struct aic_object_part {
    const char *name;
    aic_part_origin origin;
    uint64_t ns;
} aic_object_part;

/* A finished object and its image; free with aic_object_free(). */
typedef struct aic_object {
    char *bytes; /* ELF relocatable; NULL where it was compiled in several parts */
    size_t size; /* of it, or of all parts together */
    aic_image image;
    aic_requirements requirements;
    char schedule[AIC_SCHEDULE_TEXT_MAX]; /* of its first specification, canonical */
    uint64_t emit_ns, codegen_ns;         /* in codegen_ns: coming by parts */
    size_t parts;                         /* that others may use, too */
    aic_object_part *part;
} aic_object;

void aic_object_free(aic_object *object);

/* The record of the kernel in an object. */
void aic_object_record(const aic_object *object, aic_kernel_record *record);

/* The image that a record describes, of bytes that were kept; they stay the caller's, the image is not to be freed.
 * AIC_INVALID_ARGUMENT when they are not those of the record. */
aic_status aic_record_image(const aic_kernel_record *record, unsigned char *bytes, size_t size, aic_image *image);

/* ---- kernels for programs without this library ---- */

/* A kernel under a name that its caller chose. */
typedef struct aic_bundle_kernel {
    const aic_spec *spec;        /* canonical */
    const char *const *schedule; /* one a level; an entry that is NULL: the default rule chooses */
    const char *name;            /* a C identifier; what it and the names of its roles are is nobody else's */
} aic_bundle_kernel;

/* Bytes that the object has with it; NULL: there are none. */
typedef struct aic_bundle_constant {
    const void *bytes;
    size_t size;
} aic_bundle_constant;

/* An operand of a step: a constant, or so many bytes behind a root: 0 is the arena, others are parameters in order. */
typedef struct aic_bundle_operand {
    bool taken;
    aic_bundle_constant constant;
    size_t root;
    int64_t offset;
} aic_bundle_operand;

/* The packed image of an operand, in its place; without bytes the kernel is called with plain operands. */
typedef struct aic_bundle_image {
    size_t operand;
    aic_bundle_constant constant;
} aic_bundle_image;

/* A call of a kernel. */
typedef struct aic_bundle_step {
    size_t kernel, count;
    aic_bundle_operand operand[AIC_OPERANDS_MAX];
    const aic_bundle_image *image; /* one a level */
} aic_bundle_step;

/* One function that calls kernels in this order: NAME(parameters..., workspace). The workspace begins with the arena.
 */
typedef struct aic_bundle_network {
    const char *name;
    size_t parameters, steps;
    const char *const *parameter; /* names */
    const aic_bundle_step *step;
    int64_t arena_bytes; /* a multiple of 64 */
} aic_bundle_network;

enum { AIC_BUNDLE_PARAMETERS_MAX = 23 }; /* of a network */

/* Kernels in one object: NAME, and NAME_packed, NAME_pack and NAME_packed_check where an operand is packed (record.h).
 * With several levels these are functions that run those of the highest level that the processor has. They find it out
 * by themselves, from CPUID and XGETBV or from the identification registers of AArch64, which Linux lets every process
 * read from version 4.11 on, when the first of them is called, and keep it in the object's only variable. */
typedef struct aic_bundle_request {
    size_t count; /* kernels */
    const aic_bundle_kernel *kernel;
    size_t levels;
    const aic_target *const *target; /* ascending, of one architecture; the first is taken for granted */
    const aic_semantics *semantics;
    const aic_machine *machine;        /* of all levels */
    const char *triple;                /* NULL: the architecture's own */
    const char *passes;                /* NULL: none */
    const aic_bundle_network *network; /* NULL: none. Else the only function that is seen outside */
} aic_bundle_request;

/* A kernel of a bundle at a level. */
typedef struct aic_bundle_part {
    aic_requirements requirements; /* without phases: one worker runs all */
    char schedule[AIC_SCHEDULE_TEXT_MAX];
} aic_bundle_part;

/* The object, and the parts of its kernels, those of the first kernel first, its levels ascending. */
typedef struct aic_bundle {
    char *bytes; /* ELF relocatable; it refers to nothing outside */
    size_t size;
    aic_bundle_part *part;
} aic_bundle;

static inline void aic_bundle_free(aic_bundle *bundle)
{
    free(bundle->bytes);
    free(bundle->part);
    *bundle = (aic_bundle){.bytes = NULL};
}

/* What packs an operand of a kernel, as a function of this host: (packed, source). Without a packed operand there is no
 * image. */
typedef struct aic_packer {
    aic_packing packing; /* with its form */
    aic_image image;     /* its entry packs; free with aic_image_free() */
} aic_packer;

/* What a schedule amounts to. */
typedef struct aic_schedule_info {
    char text[AIC_SCHEDULE_TEXT_MAX]; /* canonical */
    bool is_default;                  /* the default rule would choose it */
    double cost, bound;               /* predicted; what no schedule can save: in vector operations */
} aic_schedule_info;

/* A legal schedule; see aic_space_list. Schedules of one tile differ in its loops only: in the fields unroll, band and
 * ahead. */
enum { AIC_SPACE_FIELDS_MAX = 12 };
typedef struct aic_space_entry {
    double cost;     /* predicted */
    bool usual;      /* the default rule looks at it */
    bool represents; /* its tile: the cheapest usual schedule of it, or the cheapest of all where none is usual */
    uint32_t tile;   /* number of its tile */
    uint64_t field[AIC_SPACE_FIELDS_MAX];
    char text[AIC_SCHEDULE_TEXT_MAX]; /* canonical */
} aic_space_entry;

/* All legal schedules of a problem, or as many as AIC_SPACE_MAX; the usual ones come first. */
enum { AIC_SPACE_MAX = 1 << 16 };
typedef struct aic_space_list {
    aic_space_entry *entry; /* malloc'ed */
    size_t count, usual, tiles;
    size_t fields; /* of each schedule */
} aic_space_list;

typedef struct aic_generator_api {
    /* Checks the schedule's text (NULL: chooses one); fields that it leaves out follow the default rule, given the
     * others. AIC_INVALID_ARGUMENT when it does not fit. */
    aic_status (*plan)(const aic_problem *problem, const char *schedule, aic_schedule_info *info);

    /* Candidate number `index`, lowest predicted cost first; AIC_INVALID_ARGUMENT past the last. */
    aic_status (*candidate)(const aic_problem *problem, size_t index, char text[AIC_SCHEDULE_TEXT_MAX]);

    /* Emits IR, optimises it and generates machine code. */
    aic_status (*object)(const aic_codegen_request *request, aic_object *object);

    /* Text (IR, OPT, ASM) or bytes (OBJ) of a stage, malloc'ed with a closing zero. */
    aic_status (*dump)(const aic_codegen_request *request, aic_dump_stage stage, char **bytes, size_t *size);

    /* The report of `aicjit explain` on this schedule (NULL: the default rule's), malloc'ed. */
    aic_status (*explain)(const aic_problem *problem, const char *schedule, char **text);

    /* What this schedule (NULL: the default rule's) amounts to: all but origin and text. */
    aic_status (*facts)(const aic_problem *problem, const char *schedule, aic_explanation *facts);

    /* Lists the schedules that a tuner may try. */
    aic_status (*space)(const aic_problem *problem, aic_space_list *list);

    /* What packs for the kernel of a target, which need not be one that this host runs. */
    aic_status (*packer)(const aic_problem *problem, const char *schedule, aic_packer *packer);

    /* Kernels for programs without this library. */
    aic_status (*bundle)(const aic_bundle_request *request, aic_bundle *bundle);
} aic_generator_api;

/* The generator itself. The runtime comes to it by runtime/generator/generator.h. */
const aic_generator_api *aic_generator_linked(void);

/* Asks the request's source for all parts of its kernel, of which no code of its own is made. */
aic_status aic_codegen_take_parts(const aic_codegen_request *request);
