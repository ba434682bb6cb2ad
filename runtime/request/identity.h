/* What a kernel is, as bytes: two kernels are the same when, and only when, their identities are. From it come the key
 * of the memory cache, the kernel's symbol and, on disk and in a tuning file, its name.
 *
 *     "AICK", AIC_IDENTITY_VERSION in 4 bytes, then sections (frontend/core/bytes.h):
 *     SPEC  for each specification; in it FLDS for each stage, whose list is the operator
 *     FLDS  the list "semantics"
 *     TRGT  the level: its name, LLVM's CPU and its features as texts; architecture, vector bits, vector registers and
 *           AIC_HAS_... in 4 bytes each
 *     PASS  the context's passes as a text
 *     FLDS  the list "machine": what the generator supposes of it
 *     SCHD  the schedule as a text: a kernel that was requested with one; or
 *     RULE  the version of the default rule in 4 bytes
 *
 * FLDS: the list's name as a text, its signature (aic_record_signature) in 8 bytes, and 8 bytes for each entry of each
 * field. Every part has its length in it, so that none can be taken for another. Nothing depends on the host. */
#pragma once

#include "codegen/codegen.h"

/* Of the bytes' form; what goes in by field lists has signatures of its own. */
enum { AIC_IDENTITY_VERSION = 1 };

#define AIC_SYMBOL_MAX 84

typedef struct aic_identity {
    unsigned char *bytes;
    size_t size;
    size_t problem; /* bytes before the schedule or rule: kernels that differ in nothing else begin with the same */
    uint64_t hash;  /* of all */
    char symbol[AIC_SYMBOL_MAX]; /* operators, number of specifications if there are several, hash */
} aic_identity;

/* The identity of the kernel that a request's fields other than triple and symbol describe; its specifications are
 * canonical, and so is its schedule, NULL where the default rule would choose the same. Free with aic_identity_free().
 */
aic_status aic_identity_create(const aic_codegen_request *request, aic_identity *identity);
void aic_identity_free(aic_identity *identity);

/* What is in the identity of such a request, malloc'ed: a line for each specification and each of the other parts. */
aic_status aic_identity_print(const aic_codegen_request *request, char **text);
