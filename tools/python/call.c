/* What a call from Python does before and after the kernel, in C: looks whether the objects given are arrays that fit
 * and where their elements lie. The package loads this with ctypes; it needs neither Python's nor NumPy's headers,
 * hence is one file for every Python. It reads of arrays what NumPy's interface for C promises to keep (PyArrayObject:
 * data, nd, dimensions, strides, base, descr, flags, in this order behind the object's head), and of tuples their
 * items; where these lie the package says and, before any call, tries by aic_python_look(). Whatever does not fit at
 * once is left to the package's own, slower look, which says what is wrong. Calls that are timed are made here, too. */
#include "call.h"

#include <stdbool.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

enum {
    IN_C_ORDER = 0x1, /* NumPy's flags */
    ALIGNED = 0x100,
    WRITEABLE = 0x400,
    DOES_NOT_FIT = -1, /* no status of the library */
};

/* Of tuples and of structures of ctypes: the same in all interpreters of a process, of which each sets it. */
static struct {
    size_t count, items, content;
} where;

typedef struct {
    const python_call *call;
    const void *out;
    int64_t count; /* of inputs, those in calling order */
    const void *const *inputs, *const *named;
} python_given;

static const python_array_fields *fields_of(const python_object_places *places, const void *object)
{
    return (const python_array_fields *)((const char *)object + places->head);
}

static const void *type_of(const python_object_places *places, const void *object)
{
    return *(const void *const *)((const char *)object + places->head - sizeof(void *));
}

static bool shape_fits(const python_call_operand *operand, const python_array_fields *array, int64_t item_bytes)
{
    if (operand->bytes >= 0) {
        int64_t bytes = item_bytes;
        for (int i = 0; i < array->rank; i++)
            bytes *= array->shape[i];
        return bytes == operand->bytes;
    }
    if (array->rank != operand->rank)
        return false;
    for (int i = 0; i < array->rank; i++)
        if (array->shape[i] != operand->shape[i])
            return false;
    return true;
}

/* The elements of an array that fits, or NULL. */
static void *elements_of(const python_object_places *places, const python_call_operand *operand, const void *object,
                         int flags)
{
    const python_array_fields *array = fields_of(places, object);
    if (type_of(places, object) != places->array_type || (array->flags & flags) != flags)
        return NULL;
    for (int i = 0; i < PYTHON_DTYPES_MAX && operand->dtypes[i] != NULL; i++)
        if (array->dtype == operand->dtypes[i])
            return shape_fits(operand, array, operand->item_bytes[i]) ? array->data : NULL;
    return NULL;
}

/* The same of an array or of what pack() made; says whether it is an image. */
static void *input_of(const python_object_places *places, const python_call_operand *operand, const void *object,
                      bool *image)
{
    if (type_of(places, object) != places->packed_type)
        return elements_of(places, operand, object, IN_C_ORDER | ALIGNED);
    const void *kind = *(const void *const *)((const char *)object + places->packed_kind);
    const void *array = *(const void *const *)((const char *)object + places->packed_array);
    if (kind == NULL || array == NULL || kind != operand->packed_kind)
        return NULL;
    *image = *image || operand->packed;
    return fields_of(places, array)->data;
}

/* What is given for the input `i`, in calling order or by its name; NULL: neither or both. */
static const void *given_for(const python_object_places *places, const python_given *given, int64_t i)
{
    const void *named = given->named[i];
    if (i >= given->count)
        return named == places->absent ? NULL : named;
    return named == places->absent ? given->inputs[i] : NULL;
}

/* What the tuple's items are, see aic_python_call(). */
static python_given open_tuple(const void *tuple)
{
    const void *const *item = (const void *const *)((const char *)tuple + where.items);
    const char *inputs = item[2];
    return (python_given){.call = *(const python_call *const *)((const char *)item[0] + where.content),
                          .out = item[1],
                          .count = *(const int64_t *)(inputs + where.count),
                          .inputs = (const void *const *)(inputs + where.items),
                          .named = item + 3};
}

EXPORT void aic_python_start(size_t count, size_t items, size_t content)
{
    where.count = count, where.items = items, where.content = content;
}

EXPORT int aic_python_call(const void *tuple)
{
    const python_given given = open_tuple(tuple);
    const python_call *call = given.call;
    const python_object_places *places = call->places;
    void *operands[PYTHON_OPERANDS_MAX] = {NULL};
    bool image = false;
    if (given.count + 1 > call->taken)
        return DOES_NOT_FIT;
    operands[0] = elements_of(places, &call->operand[0], given.out, IN_C_ORDER | ALIGNED | WRITEABLE);
    if (operands[0] == NULL)
        return DOES_NOT_FIT;
    for (int64_t i = 1; i < call->taken; i++) {
        const python_call_operand *operand = &call->operand[i];
        const void *object = given_for(places, &given, i - 1);
        operands[operand->number] = object == NULL ? NULL : input_of(places, operand, object, &image);
        if (operands[operand->number] == NULL)
            return DOES_NOT_FIT;
    }
    return (image ? call->call_packed : call->call)(call->kernel, operands, (size_t)call->count);
}

EXPORT void aic_python_look(const python_object_places *places, const void *array, python_array_fields *seen,
                            const void *tuple, int64_t *items, const void **first, const void **type,
                            const python_call **call)
{
    *seen = *fields_of(places, array);
    *type = type_of(places, array);
    const python_given given = open_tuple(tuple);
    *items = given.count;
    *first = given.inputs[0];
    *call = given.call;
}

static int64_t now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * INT64_C(1000000000) + (int64_t)time.tv_nsec;
}

EXPORT int64_t aic_python_time(kernel_call *call, void *kernel, void *const *operands, size_t count, int64_t calls)
{
    const int64_t start = now();
    for (int64_t i = 0; i < calls; i++) {
        const int status = call(kernel, operands, count);
        if (status != 0)
            return -(int64_t)status;
    }
    return now() - start;
}
