/* What a compiled kernel is, as plain data: the functions it has, the memory a call must provide, the phases in which
 * it can be run. The generator fills it in, the runtime calls by it, and bytes keep it. */
#pragma once

#include "frontend/core/bytes.h"
#include "frontend/core/stage.h"

/* The two forms of a call: operands as the documents shape them, or packed images in place of the packable ones. */
enum { AIC_PLAIN, AIC_PACKED, AIC_FORMS };

/* What a worker's state must be while it runs bodies; the entry points set it and put the caller's back. */
enum {
    AIC_NEEDS_FLOAT = 1u << 0, /* the default floating-point control word */
    AIC_NEEDS_TILES = 1u << 1, /* tile registers, configured */
};

enum { AIC_FORM_WORDS = 4 };

/* The operand that can be packed once and used many times. */
typedef struct aic_packing {
    uint32_t operand; /* its number; 0, the output's: there is none */
    int64_t items;    /* parts that can be packed independently of each other */
    int64_t bytes;    /* of the packed image with its head (packed.h), aligned to 64 bytes; a multiple of 64 */
    bool floats;      /* packing wants the default floating-point control word; for the generator, not kept on disk */
    uint64_t form[AIC_FORM_WORDS]; /* of a kernel's; not of a plan's (aic_kernel_requirements) */
} aic_packing;

/* A part of the work: `items` independent items, all of which must be done before the next phase begins. */
typedef struct aic_phase {
    char name[16];
    int64_t items;
} aic_phase;

enum { AIC_PHASES_MAX = 32 }; /* of a group; a specification alone has few */

/* The number by which PHASE knows the packing of the operand, which comes before the phases of a plain call. */
enum { AIC_PHASE_PACK = -1 };

/* What a caller of a kernel must know. */
typedef struct aic_requirements {
    uint32_t needs; /* AIC_NEEDS_... */
    aic_packing pack;
    uint32_t phases; /* of a kernel: 0 when it has no PHASE function */
    aic_phase phase[AIC_PHASES_MAX];
    int64_t shared_bytes;  /* scratch memory of a call, one for all workers; a multiple of 64 */
    int64_t private_bytes; /* and of each worker; a multiple of 64 */
} aic_requirements;

/* Scratch memory of a call by one worker: what is shared, what is its own and, of a plain call, the image that it packs
 * first. */
static inline int64_t aic_workspace_bytes(const aic_requirements *r, int form)
{
    return r->shared_bytes + r->private_bytes + (form == AIC_PLAIN ? r->pack.bytes : 0);
}

/* The functions of a kernel. None refers to another symbol or contains an absolute address.
 *
 *     ENTRY   SYMBOL         void (operands..., void *workspace)      operands as the documents shape them
 *     PACKED  SYMBOL_packed  the same with the packed image in place of its operand; where there is one
 *     PACK    SYMBOL_pack    void (void *packed, const void *source)  likewise; writes the head, too
 *     PHASE   SYMBOL_phase   void (void *const *operands, void *shared, void *private,
 *                                  int64_t phase, int64_t first, int64_t last)
 *                            items first .. last-1 of a phase by one worker, operands as for PACKED; of kernels
 *                            that have enough to do for more than one worker. AIC_PHASE_PACK: items of the
 *                            packing, from operands as for ENTRY into the packed image that `shared` is, which
 *                            gets no head
 *     CHECK   SYMBOL_packed_check  void (const void *packed, int *fits)  whether the image has the head that PACK
 *                            writes; of exported kernels only
 *
 * Workspaces are aligned to 64 bytes; that of ENTRY and PACKED is the shared memory, then one worker's own. The
 * functions of a group have one operand, the table of the operands of its specifications, one after the other. A group
 * in which an operand is packed has no phases. */
typedef enum aic_function_role {
    AIC_FUNCTION_ENTRY,
    AIC_FUNCTION_PACKED,
    AIC_FUNCTION_PACK,
    AIC_FUNCTION_PHASE,
    AIC_FUNCTION_CHECK,
    AIC_FUNCTIONS
} aic_function_role;

/* What is behind SYMBOL in the function's name. */
extern const char *const aic_function_suffix[AIC_FUNCTIONS];

#define AIC_NO_FUNCTION SIZE_MAX

/* Enough for the text of any schedule. */
#define AIC_SCHEDULE_TEXT_MAX 160

/* All that is known of a kernel beside its identity and the bytes of its image. */
typedef struct aic_kernel_record {
    aic_requirements requirements;
    char schedule[AIC_SCHEDULE_TEXT_MAX]; /* of its first specification, canonical */
    size_t image_size, image_alignment;   /* see aic_image */
    uint64_t image_hash;                  /* aic_checksum() of the image */
    size_t function[AIC_FUNCTIONS];       /* where in the image; AIC_NO_FUNCTION: the kernel has none */
} aic_kernel_record;

/* Writes a record as bytes: "AICR", AIC_RECORD_VERSION in 4 bytes, then sections (frontend/core/bytes.h):
 *
 *     NEED  needs in 4 bytes
 *     PACK  operand in 4 bytes; items, bytes, the words of the form in 8
 *     PHAS  number of phases in 4 bytes; for each its name as a text and its items in 8 bytes
 *     WORK  shared_bytes, private_bytes in 8 bytes
 *     IMAG  size, alignment, hash in 8 bytes; the offset of each function in 8, all bits set: there is none
 *     SCHD  the schedule as a text
 *     HASH  that of all bytes before, in 8 bytes */
enum { AIC_RECORD_VERSION = 3 };
void aic_kernel_record_write(const aic_kernel_record *record, aic_writer *out);

/* Reads such bytes, all of them. AIC_INVALID_ARGUMENT for any that are not a record of this version: a hash that
 * differs, or contents that no kernel has, so that what is read can be relied on. */
aic_status aic_kernel_record_read(const void *bytes, size_t size, aic_kernel_record *record);
