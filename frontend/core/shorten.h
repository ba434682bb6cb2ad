/* Messages that are too long: what they quote, such as paths, is shortened, and what they say of it stays. */
#pragma once

#include <stddef.h>

/* Makes the text fit into so many bytes with its closing zero: leaves out the middle of the longest quoted parts, for
 * which
 * "..." stands, or where that is not enough the end of the text. */
void aic_shorten(char *text, size_t capacity);
