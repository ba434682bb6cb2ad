/* The parts of a kernel that has two forms (contraction/lean.h): the whole one, and the lean one, which leaves out
 * channels at the end of the last block if they have no weights. Packing finds out and notes it behind the panels.
 *
 *     void lean_weights(packed, weight; first, last)      packs in either form
 *       note.at                    offset of the note in the packed weights, an int64: 1 for the lean form, 0
 *       weights.at, tap.bytes      of the weights that are looked at: offset of the first one, bytes from tap to tap
 *       taps, columns              of the kernel; output channels in a tap, a multiple of 16: loops
 *     void lean_bands(operands..., shared, private; first, last)      the phase, in the form that the weights have
 *       note.at                    the same
 *     roles `whole` and `lean`, with the parameters of the part; with tiles
 *     `enter`, which sets up tile registers for the lean form */
#pragma once

#include "codegen/parts/keys.h"
#include "codegen/program.h"
