/* Names of values and blocks, and notes, which explain dumped IR to its reader. Notes become comments of the printed
 * text; LLVM's printer has no comments. Only dumps have names and notes: elsewhere every function here returns at once.
 */
#pragma once

#include "codegen/llvm/emit.h"

#include <stdio.h>

/* A comment before a function, or before one of its blocks. */
typedef struct aic_note {
    char *function, *label; /* malloc'ed; label NULL: it is about the function */
    char *text;
} aic_note;

/* The notes of a module; all zeros: there are none. */
typedef struct aic_notes {
    aic_note *note;
    size_t count;
    bool failed; /* memory ran out: some are missing */
} aic_notes;

void aic_notes_free(aic_notes *notes);

/* Names a value or, as a value, a block; "NAME.2" and so on where the function has the name already. A value that has a
 * name keeps it, a constant gets none. */
void aic_name(aic_emit *e, LLVMValueRef value, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Names carried value `i` of a loop, as the body sees it and as the loop leaves it. Nothing is named where no loop is
 * emitted, as there is one iteration. */
void aic_name_carried(aic_emit *e, const aic_loop *loop, unsigned i, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Notes what the function being emitted does. */
void aic_note_function(aic_emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Notes what a loop runs over and how often. `text` names and describes it: "tap: taps of the kernel". */
void aic_note_loop(aic_emit *e, const aic_loop *loop, const char *text, LLVMValueRef first);

/* Writes the printed module with the notes where they belong. `failed` of the notes must not be true. */
void aic_notes_print(const aic_notes *notes, const char *module, FILE *out);
