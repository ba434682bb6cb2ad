/* Programs for people: which parts a kernel has, their keys, and the numbers that are filled in. */
#include "codegen/program.h"

#include <inttypes.h>

enum { WIDTH = 118 };

/* Words of a paragraph, in lines that begin with `begin`. */
typedef struct paragraph {
    FILE *out;
    const char *begin;
    int column; /* 0: a line begins */
} paragraph;

static void put_word(paragraph *p, const char *word)
{
    const int length = (int)strlen(word);
    if (p->column > 0 && p->column + 1 + length > WIDTH) {
        fputc('\n', p->out);
        p->column = 0;
    }
    p->column += fprintf(p->out, "%s%s", p->column == 0 ? p->begin : " ", word);
}

static void end_paragraph(paragraph *p)
{
    if (p->column > 0) {
        fputc('\n', p->out);
    }
}

/* A field and its entries, those that are 0 behind the last other one left out. */
static void put_field(paragraph *p, const aic_field *field, const void *key)
{
    char word[160];
    uint32_t count = field->count;
    while (count > 0 && aic_field_word(field, key, count - 1) == 0) {
        count--;
    }
    size_t length = (size_t)snprintf(word, sizeof word, "%s=", field->name);
    for (uint32_t i = 0; i < count && length < sizeof word; i++) {
        const uint64_t value = aic_field_word(field, key, i);
        double real;
        memcpy(&real, &value, sizeof real);
        const char *before = i > 0 ? "," : "";
        length += (size_t)(field->kind == AIC_KIND_REAL
                               ? snprintf(word + length, sizeof word - length, "%s%g", before, real)
                               : snprintf(word + length, sizeof word - length, "%s%" PRId64, before, (int64_t)value));
    }
    if (count > 0) { /* a key has many fields that are off */
        put_word(p, word);
    }
}

static void put_key(paragraph *p, const aic_program_part *part, const void *key)
{
    for (size_t f = 0; f < part->kind->record->count; f++) {
        put_field(p, &part->kind->record->fields[f], key);
    }
}

static void put_numbers(paragraph *p, const aic_program *program, const aic_program_part *part)
{
    char word[96];
    for (size_t i = 0; i < part->numbers; i++) {
        const aic_number_value *number = &program->number[part->first_number + i];
        (void)snprintf(word, sizeof word, "%s = %" PRId64 "%s", number->name, number->value,
                       i + 1 < part->numbers ? "," : "");
        put_word(p, word);
    }
}

static void put_roles(paragraph *p, const aic_program *program, const aic_program_part *part, const char *symbol)
{
    for (size_t i = 0; i < part->roles; i++) {
        const aic_role *role = &program->role[part->first_role + i];
        char word[AIC_ROLE_NAME_MAX + AIC_PROGRAM_NAME_MAX + 8], name[AIC_PROGRAM_NAME_MAX];
        aic_program_name(program, role->routine, symbol, name);
        (void)snprintf(word, sizeof word, "%s is %s", role->name, name);
        put_word(p, word);
    }
}

static void put_part(FILE *out, const aic_program *program, size_t index, const char *symbol, const char *before)
{
    const aic_program_part *part = &program->part[index];
    char begin[16], name[AIC_PROGRAM_NAME_MAX];
    (void)snprintf(begin, sizeof begin, "%s    ", before);
    aic_program_name(program, (aic_routine)index + 1, symbol, name);
    fprintf(out, "%s  %s: %s%s\n", before, name, part->kind->name,
            !part->own                   ? ""
            : part->kind->record == NULL ? ", compiled with the kernel"
                                         : ", compiled with the kernel, as a number is too large");
    paragraph key = {.out = out, .begin = begin}, numbers = key, roles = key;
    if (part->kind->record != NULL) {
        put_key(&key, part, aic_program_key(program, part));
    }
    end_paragraph(&key);
    put_numbers(&numbers, program, part);
    end_paragraph(&numbers);
    put_roles(&roles, program, part, symbol);
    end_paragraph(&roles);
}

void aic_program_print(FILE *out, const aic_program *program, const char *symbol, const char *before)
{
    fprintf(out, "%sparts, which kernels have in common: key, numbers of this kernel, who takes which role\n", before);
    for (size_t i = 0; i < program->parts; i++) {
        put_part(out, program, i, symbol, before);
    }
}
