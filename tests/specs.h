/* Specifications in tests: from text, by field, their rules and their references. Everything is asserted. */
#pragma once

#include <aic/aic.h>

/* Reads operator text. */
aic_spec spec_of(const char *text);

/* Sets entry `index` of the field named `name` to a 64-bit pattern, see aic_field_set_word(). */
void set_field(aic_op op, void *desc, const char *name, uint32_t index, uint64_t word);

/* Whether the thread's last error is this message. Where a broken rule left it, the source is part of the error and not
 * of `message`; which source belongs to which rule, tests/frontend/test_rules.c says. */
void check_error(const char *message);

/* Whether the specification is legal (message NULL), or refused with just this message. */
void check_rules(const aic_spec *spec, const char *message);

/* aic_reference() with the operands in calling order; semantics NULL: the defaults. */
void run_reference(const aic_spec *spec, const aic_semantics *semantics, void *const operands[], size_t count);
