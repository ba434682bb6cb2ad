/* What the tests of every operator's rules have in common. */
#pragma once

#include <aic/aic.h>

/* A specification in operator text, one scalar field of it set to a word that text may not have, and what validation
 * says then. */
typedef struct rule_case {
    const char *text;
    const char *field; /* NULL: the text as it is */
    int64_t value;
    const char *message; /* NULL: it is legal */
} rule_case;

void rule_case_check(const rule_case *row);

/* Fields set to extreme words: an answer, no undefined behaviour; some are refused, not all. */
void rule_check_any_words(const char *legal);

/* Every word of the descriptor is wrong; as its fields get legal values one by one, in their order, the message is
 * about the next. */
void rule_check_order(const rule_case *mends, size_t count);

/* Pseudo-random descriptors are legal, repeatable and cheap to check. */
void rule_check_random(aic_op op, int64_t macs_most, int64_t bytes_most);

/* Illegal ones are refused, with messages that name a field, most of them with one alone; each of these parts of
 * messages comes up. */
void rule_check_random_illegal(aic_op op, const char *const *rules, size_t count);

/* The same of so many legal and illegal ones drawn under semantics that are not the defaults; returns how many of the
 * legal ones are not legal under `other`. */
int rule_check_random_under(aic_op op, const aic_semantics *semantics, const aic_semantics *other, uint64_t seeds);
