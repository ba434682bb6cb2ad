/* The lexical part of PTO-AS: a cursor over bytes that may be anything, words, and messages with line and column. The
 * first failure is the one that is told: behind it nothing is read, words are empty and numbers 0, so that readers ask
 * for the status once, at the end. */
#pragma once

#include "frontend/core/rule.h"
#include <aic/texpands.h>

typedef struct aic_pto_reader {
    const char *text, *end; /* need no closing zero */
    const char *at;
    aic_status status;     /* of the first failure */
    bool spans_lines;      /* line ends and comments are white space: inside a level 2 statement */
    const aic_rule *about; /* what messages are about; NULL: the grammar of statements */
} aic_pto_reader;

/* A part of the text. */
typedef struct aic_pto_word {
    const char *start;
    size_t length;
} aic_pto_word;

/* Line and column of a character, from 1. */
void aic_pto_locate(const aic_pto_reader *in, const char *where, size_t *line, size_t *column);

/* Fails with "texpands: message (line L, column C) [SOURCE]", unless the reader has failed. */
aic_status aic_pto_fail(aic_pto_reader *in, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a word: "texpands: KEY: WORD is not EXPECTED"; key "": without. Long words are cut. */
void aic_pto_fail_word(aic_pto_reader *in, aic_pto_word word, const char *key, const char *expected);

bool aic_pto_word_is(aic_pto_word word, const char *text);

/* Skips blanks; line ends and comments only where they are white space. */
void aic_pto_skip(aic_pto_reader *in);

/* Whether nothing but a comment is left of the line; skips it, up to the line end. */
bool aic_pto_line_ends(aic_pto_reader *in);
void aic_pto_expect_line_end(aic_pto_reader *in);

/* Whether the sign comes next, behind blanks; takes it if it does; fails if it does not. */
bool aic_pto_comes(aic_pto_reader *in, char sign);
bool aic_pto_take(aic_pto_reader *in, char sign);
void aic_pto_expect(aic_pto_reader *in, char sign);

/* A word of the characters that words of this kind have; `what` names it in the message. */
typedef enum aic_pto_words {
    AIC_PTO_NAME,   /* letters, digits, _ and . */
    AIC_PTO_LITERAL /* letters, digits, _ . ? + - */
} aic_pto_words;

aic_pto_word aic_pto_read_word(aic_pto_reader *in, aic_pto_words kind, const char *what);

/* "%" and an identifier; the word is the identifier. */
aic_pto_word aic_pto_read_ssa(aic_pto_reader *in);

/* Whether the word is an integer or a float of the grammar. */
bool aic_pto_is_integer(aic_pto_word word);
bool aic_pto_is_float(aic_pto_word word);

/* An integer of the grammar in 64 bits. */
int64_t aic_pto_integer(aic_pto_reader *in, aic_pto_word word, const char *key);
