/* Golden data: a folder with the inputs and the expected results of operators, and a manifest that says what each file
 * is, under which choices the results were computed, and their hashes.
 *
 * DIR/manifest.json is one JSON object, its members on lines of their own:
 *
 *     "format", "aicjit"                what wrote it
 *     "semantics": {...}                every option of aic_semantics, by name
 *     "choices": [{...}, ...]           each choice: its value, whose reading that is, the row of the decision
 *     "script": [{...}]                 verify.py, its SHA-256
 *     "counts": [{...}]                 how many cases and files there are
 *     "cases": [{...}, ...]             each case: its folder, the operator's text, what that is and of which document,
 *                                       the choices on which its results depend, the seed
 *     "files": [{...}, ...]             each file: its case, operand, role, type, shape, name, SHA-256
 *
 * The elements of arrays are flat objects, one a line. Roles: "input" (also the old content of an output that is read),
 * "expected"; with accumulate=fast also "low" and "high", the numbers within which every result is right, as float64.
 * A result of 8 bits is right where a number with the same low 8 bits is. The entry of the expected file names these
 * two as "low" and "high". */
#pragma once

#include "tools/harness/sha256.h"
#include "tools/operands.h"
#include "tools/specs.h"

#define GOLDEN_FORMAT "aicjit golden 1"
#define GOLDEN_MANIFEST "manifest.json"
#define GOLDEN_SCRIPT "verify.py"

enum { GOLDEN_CASES_MAX = 100000, GOLDEN_MANIFEST_MAX = 64 << 20 };

typedef struct golden_request {
    cli_session *session;
    cli_operands *operands; /* what the options give; of every case */
    const spec_list *list;
    const char *folder; /* must not exist, or be empty */
    int64_t count;      /* cases of each operator */
    int64_t seed;       /* of the first */
    bool raw;           /* .bin files in place of .npy */
} golden_request;

/* Writes the folder; on failure there is none. Returns an exit status. */
int golden_write(const golden_request *request);

/* Where the operator is not exact (accumulate=fast): what is right for each element of the output, an aic_allowed each.
 * `operands` as before a call. CLI_WRONG where sums may overflow on the way, which leads to values apart from the
 * others. */
int golden_allowed(const aic_spec *spec, const aic_semantics *semantics, void *const operands[], size_t count,
                   const aic_operand *output, guard_buffer *allowed);

/* The SHA-256 of a regular file. */
int golden_hash(const char *path, char text[SHA256_TEXT]);

typedef struct golden_sums {
    uint64_t passed, failed;
} golden_sums;

/* Checks that every file is there and as it was, that there are no others, and that the reference, and kernels where
 * they compute the choices, give the expected results. Prints each failure; CLI_MISMATCH where there is one. */
int golden_verify(const char *folder, golden_sums *sums);
