/* Calls on a thread whose stack is measured. */
#pragma once

#include <stddef.h>

/* What every function of the library must do with (aic/context.h). The frames of sanitized code are several times as
 * large, and the thread sanitizer keeps 780 KiB of its own on each stack. */
#ifdef AIC_SANITIZED
#define LITTLE_STACK ((size_t)1 << 20)
#else
#define LITTLE_STACK ((size_t)32 << 10)
#endif

/* Calls body(argument) on a thread with this much stack, of whole pages, and returns how much of it that has used, with
 * what the C library itself has put there. The thread is cancelled before: at the first point of the body that may be
 * cancelled, it would end. *finished: it did not. */
enum { PLENTY_OF_STACK = 4 << 20 };
size_t stack_used_by(void (*body)(void *), void *argument, size_t stack_bytes, _Bool *finished);
