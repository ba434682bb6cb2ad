/* What call.c and the package's _fast.py share: tests compare the structures of both. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    PYTHON_DTYPES_MAX = 6,
    PYTHON_RANK_MAX = 6,
    PYTHON_OPERANDS_MAX = 12,
};

typedef struct {
    char *data;
    int rank;
    const int64_t *shape, *strides;
    const void *base, *dtype;
    int flags;
} python_array_fields;

/* Where what is read of objects lies in them. */
typedef struct {
    size_t head;                      /* bytes of every object before its own fields, of which the last is its type */
    size_t packed_array, packed_kind; /* of what pack() made: its array, and what tells which operands it is for */
    const void *array_type, *packed_type;
    const void *absent; /* stands for an operand that is not given by its name */
} python_object_places;

typedef struct {
    const void *dtypes[PYTHON_DTYPES_MAX]; /* NumPy's types that are taken, NULL behind the last */
    int64_t bytes;                         /* of any shape; negative: of the shape that follows */
    int64_t rank, shape[PYTHON_RANK_MAX];
    int64_t item_bytes[PYTHON_DTYPES_MAX]; /* of an element, by type */
    int64_t number;                        /* of the operand in calls of the library */
    const void *packed_kind;               /* of what pack() made and is taken */
    int64_t packed;                        /* whether that is an image, which other calls of the library take */
} python_call_operand;

typedef int kernel_call(void *kernel, void *const *operands, size_t count);

typedef struct {
    const python_object_places *places;
    void *kernel;
    kernel_call *call, *call_packed;
    int64_t taken, count; /* operands of the call from Python, the output first; of the library's */
    python_call_operand operand[PYTHON_OPERANDS_MAX];
} python_call;

/* Before all else: where in tuples their length and their items lie, and in structures of ctypes their address. */
void aic_python_start(size_t count, size_t items, size_t content);

/* Calls the kernel with the items of a tuple: a python_call as ctypes has it, the output's array, the tuple of inputs
 * in calling order, and for every input what is given by its name or `absent`. The library's status, or negative:
 * nothing was done, as with a python_call of zeros. */
int aic_python_call(const void *tuple);

/* What aic_python_call() reads of an array and of such a tuple, for the package to compare with what Python says. */
void aic_python_look(const python_object_places *places, const void *array, python_array_fields *seen,
                     const void *tuple, int64_t *items, const void **first, const void **type,
                     const python_call **call);

/* Nanoseconds of so many calls, one after the other: a call from Python takes many times as long as a small kernel.
 * Negative where one fails. */
int64_t aic_python_time(kernel_call *call, void *kernel, void *const *operands, size_t count, int64_t calls);
