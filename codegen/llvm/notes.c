/* Names and notes of the IR; see notes.h. */
#include "codegen/llvm/notes.h"
#include "frontend/core/list.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 96, TEXT_BYTES = 400 };

/* ---- keeping notes ---- */

void aic_notes_free(aic_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++) {
        free(notes->note[i].function);
        free(notes->note[i].label);
        free(notes->note[i].text);
    }
    free(notes->note);
    *notes = (aic_notes){.count = 0};
}

/* Adds a note about a block of the function being emitted; block NULL: about the function. */
static void add(aic_emit *e, LLVMBasicBlockRef block, const char *text)
{
    aic_notes *notes = e->notes;
    size_t length;
    if (!aic_list_grow(&notes->note, notes->count, sizeof *notes->note)) {
        notes->failed = true;
        return;
    }
    aic_note note = {strdup(LLVMGetValueName2(e->function, &length)), NULL, strdup(text)};
    if (block != NULL) {
        note.label = strdup(LLVMGetBasicBlockName(block));
    }
    notes->failed |= note.function == NULL || note.text == NULL || (block != NULL && note.label == NULL);
    notes->note[notes->count++] = note;
}

void aic_note_function(aic_emit *e, const char *format, ...)
{
    if (e->notes == NULL) {
        return;
    }
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add(e, NULL, text);
}

/* ---- names ---- */

/* Whether the value got the name: LLVM changes one that the function has already. */
static bool try_name(LLVMValueRef value, const char *name)
{
    size_t length;
    LLVMSetValueName2(value, name, strlen(name));
    const char *got = LLVMGetValueName2(value, &length);
    return length == strlen(name) && memcmp(got, name, length) == 0;
}

/* LLVM itself would append a number without a point, so that "acc.p1.v1" could become "acc.p1.v12". */
static void set_name(LLVMValueRef value, const char *name)
{
    enum { TRIES = 10000 };
    char numbered[NAME_BYTES + 12];
    size_t length;
    (void)LLVMGetValueName2(value, &length);
    if (LLVMIsConstant(value) || length > 0 || try_name(value, name)) {
        return;
    }
    for (unsigned i = 2; i < TRIES; i++) {
        snprintf(numbered, sizeof numbered, "%s.%u", name, i);
        if (try_name(value, numbered)) {
            return;
        }
    }
}

void aic_name(aic_emit *e, LLVMValueRef value, const char *format, ...)
{
    if (e->notes == NULL) {
        return;
    }
    char name[NAME_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    set_name(value, name);
}

void aic_name_carried(aic_emit *e, const aic_loop *loop, unsigned i, const char *format, ...)
{
    if (e->notes == NULL || loop->header == NULL) {
        return;
    }
    char name[NAME_BYTES], own[NAME_BYTES + 8];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    snprintf(own, sizeof own, "%s.phi", name);
    set_name(loop->kept[i], loop->carried[i] == loop->kept[i] ? name : own);
    set_name(loop->carried[i], name);
}

/* ---- loops ---- */

/* A bound as the text shows it: a number, or the value's name. */
static const char *bound_text(LLVMValueRef value, char buffer[NAME_BYTES])
{
    size_t length;
    if (LLVMIsAConstantInt(value) != NULL) {
        snprintf(buffer, NAME_BYTES, "%lld", LLVMConstIntGetSExtValue(value));
    } else {
        const char *name = LLVMGetValueName2(value, &length);
        snprintf(buffer, NAME_BYTES, "%%%s", name);
    }
    return buffer;
}

void aic_note_loop(aic_emit *e, const aic_loop *loop, const char *text, LLVMValueRef first)
{
    if (e->notes == NULL) {
        return;
    }
    char note[TEXT_BYTES], low[NAME_BYTES], high[NAME_BYTES], steps[NAME_BYTES + 16] = "";
    const int name = (int)strcspn(text, ":");
    aic_name(e, first, "%.*s.first", name, text);
    aic_name(e, loop->limit, "%.*s.limit", name, text);
    if (loop->by != NULL) {
        snprintf(steps, sizeof steps, " in steps of %s", bound_text(loop->by, low));
    } else if (loop->step != 1) {
        snprintf(steps, sizeof steps, " in steps of %" PRId64, loop->step);
    }
    if (loop->tested || loop->by != NULL || LLVMIsAConstantInt(loop->limit) == NULL) {
        snprintf(note, sizeof note, "loop %s; from %s to below %s%s", text, bound_text(first, low),
                 bound_text(loop->limit, high), steps);
    } else {
        const int64_t extent = LLVMConstIntGetSExtValue(loop->limit) - LLVMConstIntGetSExtValue(first);
        const int64_t times = (extent + loop->step - 1) / loop->step;
        snprintf(note, sizeof note, "loop %s; %" PRId64 " times%s", text, times, steps);
    }
    add(e, loop->header, note);
}

/* ---- printing ---- */

static const char *const LAUNDER = "; launder.invariant.group gives the same pointer, but one whose history LLVM does "
                                   "not see. Loops pass their index and\n"
                                   "; their pointers through it: the emitter has chosen how addresses are formed, and "
                                   "LLVM trying every other way would\n"
                                   "; take a third of the compile time. It is gone before instructions are selected.\n";

/* The name behind `mark` in a line, up to a character of `end`, unquoted; "" when there is none. */
static void word_behind(const char *line, size_t length, char mark, const char *end, char word[NAME_BYTES * 2])
{
    const char *from = memchr(line, mark, length);
    size_t used = 0;
    for (from = from == NULL ? line + length : from + 1; from < line + length && strchr(end, *from) == NULL; from++) {
        if (*from != '"' && used + 1 < (size_t)NAME_BYTES * 2) {
            word[used++] = *from;
        }
    }
    word[used] = '\0';
}

static void print_notes(const aic_notes *notes, const char *function, const char *label, const char *before, FILE *out)
{
    for (size_t i = 0; i < notes->count; i++) {
        const aic_note *note = &notes->note[i];
        const bool about = label == NULL ? note->label == NULL : note->label != NULL && strcmp(note->label, label) == 0;
        if (about && strcmp(note->function, function) == 0) {
            fprintf(out, "%s%s\n", before, note->text);
        }
    }
}

/* Whether the line is the head of a block: a label in the first column. */
static bool is_label(const char *line, size_t length)
{
    const char *colon = memchr(line, ':', length);
    return colon != NULL && line[0] != ';' && memchr(line, ' ', (size_t)(colon - line)) == NULL;
}

static bool begins(const char *line, size_t length, const char *with)
{
    return length >= strlen(with) && memcmp(line, with, strlen(with)) == 0;
}

void aic_notes_print(const aic_notes *notes, const char *module, FILE *out)
{
    char function[NAME_BYTES * 2] = "", label[NAME_BYTES * 2];
    for (size_t length; *module != '\0'; module += length) {
        length = strcspn(module, "\n");
        length += module[length] == '\n';
        if (begins(module, length, "define ")) {
            word_behind(module, length, '@', "(", function);
            print_notes(notes, function, NULL, "; ", out);
        } else if (begins(module, length, "declare ptr @llvm.launder.invariant.group")) {
            fputs(LAUNDER, out);
        } else if (is_label(module, length)) {
            snprintf(label, sizeof label, "%.*s", (int)strcspn(module, ":"), module);
            print_notes(notes, function, label, "; ", out);
        }
        fwrite(module, 1, length, out);
    }
}
