/* That something takes time in proportion to its size, whatever the machine's speed and load: of the same thing four
 * times as large, the least processor time of several runs is less than nine times as long. What takes the square of
 * the size would take sixteen times as long. */
#pragma once

#include <stddef.h>

/* run(data, size) is what is measured, for `size` and a quarter of it; fails the test, naming `what`. */
void growth_is_linear(const char *what, void (*run)(void *data, size_t size), void *data, size_t size);
