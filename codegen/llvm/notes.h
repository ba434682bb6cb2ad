/* What explains the IR to its reader: names of values and blocks, and notes, which become comments of the printed text,
 * as LLVM's printer has none. Only dumps have notes; without them every function here returns at once, and values have
 * no names. */
#ifndef AIC_NOTES_H
#define AIC_NOTES_H

#include "codegen/llvm/emit.h"

#include <stdio.h>

/* A comment before a function, or before one of its blocks. */
typedef struct aic_note {
    char *function, *label; /* malloc'ed; label NULL: it is about the function */
    char *text;
} aic_note;

/* Zeros: none. */
typedef struct aic_notes {
    aic_note *note;
    size_t count, capacity;
    bool failed; /* memory ran out: some are missing */
} aic_notes;

void aic_notes_free(aic_notes *notes);

/* Names a value or, as a value, a block; "NAME.2" and so on where the function has the name already. A value that has a
 * name keeps it, a constant gets none. */
void aic_name(aic_emit *e, LLVMValueRef value, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Names what the body of a loop sees of carried value `i`, and the loop's own value of it. No loop, no name. */
void aic_name_carried(aic_emit *e, const aic_loop *loop, unsigned i, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Tells what the function being emitted does. */
void aic_note_function(aic_emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Tells what a loop, which `text` names and describes ("tap: taps of the kernel"), runs over and how often. */
void aic_note_loop(aic_emit *e, const aic_loop *loop, const char *text, LLVMValueRef first);

/* Writes the printed module with the notes, which have not failed, where they belong. */
void aic_notes_print(const aic_notes *notes, const char *module, FILE *out);

#endif
