/* The entry points of a kernel (record.h), which set a worker's state, divide the memory of a call and call the bodies:
 * what packs, void (packed, source; first, last), and the phases, void (operands..., shared, private; first, last).
 *
 *     direct   void (operands..., workspace)    all phases; a packed operand has a head
 *     plain    the same                         packs the operand, then calls the role `direct`
 *     pack     void (packed, source)            writes the head, packs
 *     check    void (packed, fits)              whether the memory begins with the head
 *     member   void (table, workspace)          one specification of a group: packs, then all phases
 *     phase    void (table, shared, private; phase, first, last)       items of the packing or of a phase, if the phase
 *                                               is one of this specification
 *
 *       private.at, packed.at      offsets in the workspace: of the worker's memory, of the packed operand
 *       items.P                    of phase P
 *       pack.items                 of the packing
 *       table.at                   where the specification's operands begin in the table
 *       number.P                   the number of phase P among those of the kernel
 *       head.W.P                   30 bits of word W of the head, from bit 30*P on
 *     roles `pack`, `phase.P`, `direct`; `enter`, `leave`, which set up and release tile registers
 *
 *     void both(...)             calls the roles `first` and `second` with its parameters */
#pragma once

#include "codegen/parts/keys.h"
#include "codegen/program.h"

typedef enum aic_entry_form {
    AIC_ENTRY_DIRECT,
    AIC_ENTRY_PLAIN,
    AIC_ENTRY_PACK,
    AIC_ENTRY_CHECK,
    AIC_ENTRY_MEMBER,
    AIC_ENTRY_PHASE
} aic_entry_form;

/* A word of 64 bits in numbers of 30. */
enum { AIC_ENTRY_WORD_NUMBERS = 3, AIC_ENTRY_WORD_BITS = 30 };
