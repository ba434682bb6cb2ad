/* Kernels as C functions; see function.h. Stubs are made when they are first asked for, all of a code in one image. */
#include "runtime/call/function.h"
#include "frontend/core/diag.h"
#include "frontend/core/memory.h"
#include "runtime/code/stub.h"
#include "runtime/generator/worker.h"

#include <stdlib.h>

_Static_assert((int)AIC_STUB_OPERANDS_MAX == (int)AIC_OPERANDS_MAX, "stubs pass as many operands as kernels have");

/* The kinds of stubs. Those with parameters are only of codes that pass words, and have few operands. */
enum { OF_TABLE, OF_OPERANDS, KINDS };

struct aic_functions {
    aic_code_memory memory;
    aic_function function[KINDS][AIC_FORMS]; /* NULL: there is none */
};

enum { ALIGNMENT = 16 };

static size_t write_all(const aic_code *code, unsigned char *bytes, size_t at[KINDS][AIC_FORMS])
{
    const void *fixed[AIC_OPERANDS_MAX] = {NULL};
    size_t size = 0;
    aic_code_pass_words(code, fixed);
    for (int kind = 0; kind < KINDS; kind++) {
        for (int form = 0; form < AIC_FORMS; form++) {
            const aic_stub stub = {.target = (uintptr_t)code->entry[form],
                                   .count = code->passed_count,
                                   .fixed = fixed,
                                   .table = kind == OF_TABLE};
            at[kind][form] = size;
            size += aic_stub_write(&stub, bytes + size);
            size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        }
    }
    return size;
}

static aic_status place(const aic_code *code, aic_functions *made)
{
    size_t at[KINDS][AIC_FORMS];
    unsigned char *bytes = calloc((size_t)KINDS * AIC_FORMS, AIC_STUB_BYTES_MAX);
    if (bytes == NULL) {
        return aic_fail_memory(code->subject, (size_t)KINDS * AIC_FORMS * AIC_STUB_BYTES_MAX);
    }
    const aic_image image = {.bytes = bytes, .size = write_all(code, bytes, at), .alignment = ALIGNMENT};
    aic_status status = aic_code_memory_place(&image, &made->memory);
    free(bytes);
    for (int i = 0; status == AIC_OK && i < KINDS * AIC_FORMS; i++) {
        const size_t offset = at[i / AIC_FORMS][i % AIC_FORMS];
        made->function[i / AIC_FORMS][i % AIC_FORMS] = (aic_function)(uintptr_t)(made->memory.base + offset);
    }
    return status;
}

static void drop(aic_functions *functions)
{
    if (functions != NULL) {
        aic_code_memory_release(&functions->memory);
        aic_memory_free(functions);
    }
}

/* Makes the stubs. Of threads that come first together each makes them, and all but one drop theirs again. */
static const aic_functions *make(aic_code *code)
{
    aic_functions *made = aic_memory_zeros(sizeof *made), *first = NULL;
    if (made == NULL) {
        (void)aic_fail_memory(code->subject, sizeof *made);
        return NULL;
    }
    if (place(code, made) != AIC_OK) {
        aic_memory_free(made);
        return NULL;
    }
    /* release, acquire: what the stubs are comes with their address. */
    if (!atomic_compare_exchange_strong_explicit(&code->functions, &first, made, memory_order_release,
                                                 memory_order_acquire)) {
        drop(made);
        made = first;
    }
    return made;
}

static aic_function find(const aic_code *code, int kind, int form)
{
    /* A code is not written by those who hold it but for this, which it does not begin with. */
    aic_code *own = (aic_code *)(uintptr_t)code;
    const aic_functions *functions = atomic_load_explicit(&own->functions, memory_order_acquire);
    if (functions == NULL) {
        const int cancellation = aic_cancellation_disable(); /* locks are held meanwhile */
        const aic_hooks *before = aic_thread_use(&code->hooks);
        functions = make(own);
        (void)aic_thread_use(before);
        aic_cancellation_restore(cancellation);
    }
    return functions != NULL ? functions->function[kind][form] : NULL;
}

aic_function aic_function_of_table(const aic_code *code, int form)
{
    return find(code, OF_TABLE, form);
}

aic_function aic_function_of_operands(const aic_code *code, int form)
{
    return code->words.count != 0 ? find(code, OF_OPERANDS, form) : code->entry[form];
}

void aic_functions_free(aic_code *code)
{
    drop(atomic_load_explicit(&code->functions, memory_order_acquire));
}
