/* Linking: from an object in memory to functions that can be called. jit.c is the only file of runtime/ that knows
 * LLVM; what crosses this line are bytes and addresses. */
#ifndef AIC_RUNTIME_JIT_H
#define AIC_RUNTIME_JIT_H

#include "codegen/record.h"

typedef void (*aic_function)(void);

/* One per context: makes the LLJIT session on the first link, and a new one after a session failed fatally. */
typedef struct aic_linker aic_linker;

/* An LLJIT instance, counted: the linker holds its current one, every image the one it lives in. */
typedef struct aic_session aic_session;

/* Machine code in executable memory. */
typedef struct aic_image {
    aic_session *session;
    void *tracker;                        /* LLVM's handle of the memory */
    aic_function function[AIC_FUNCTIONS]; /* by role; NULL: the kernel has none */
} aic_image;

aic_status aic_linker_create(aic_linker **linker);
void aic_linker_destroy(aic_linker *linker); /* images stay usable */

/* Links the object and looks up its functions, bits 1 << aic_function_role. The object's bytes are copied. Any thread
 * may call; links of one context run one after the other. image is written on success only; else AIC_COMPILE or
 * AIC_OUT_OF_MEMORY. */
aic_status aic_linker_link(aic_linker *linker, const char *symbol, const char *object, size_t size, unsigned functions,
                           aic_image *image);

/* Frees the code. Nobody may be executing it. */
void aic_image_release(aic_image *image);

#endif
