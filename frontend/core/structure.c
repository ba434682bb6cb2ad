/* Structures of programs that were compiled with other headers. */
#include "frontend/core/structure.h"

#include "frontend/core/diag.h"
#include "frontend/core/op.h"

#include <stdint.h>
#include <string.h>

/* No structure will ever be so large: a size beyond is memory that nobody has set. */
enum { SIZE_LIMIT = 65536 };

aic_status aic_structure_check(const char *name, const void *given, size_t own_size)
{
    if (given == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, name, "is NULL");
    }
    const size_t size = aic_structure_size(given);
    if (size < sizeof size || size > SIZE_LIMIT) {
        return aic_fail(AIC_INVALID_ARGUMENT, name,
                        "size: is %zu, of this version %zu; the structure's _init() function sets it", size, own_size);
    }
    return AIC_OK;
}

/* The same of one that is read: what lies behind the library's own structure must be zero. */
static aic_status check_rest(const char *name, const void *given, size_t own_size)
{
    const aic_status status = aic_structure_check(name, given, own_size);
    const size_t size = status == AIC_OK ? aic_structure_size(given) : 0;
    for (size_t i = own_size; i < size; i++) {
        if (((const unsigned char *)given)[i] != 0) {
            return aic_fail(AIC_UNSUPPORTED, name,
                            "size: is %zu, of this version %zu, and what lies behind, at byte %zu, is not zero: the "
                            "program was compiled with a later version and uses what this one lacks",
                            size, own_size, i);
        }
    }
    return status;
}

aic_status aic_structure_take(const char *name, const void *given, void *own, size_t own_size)
{
    const aic_status status = check_rest(name, given, own_size);
    if (status == AIC_OK) {
        const size_t size = aic_structure_size(given);
        memcpy(own, given, size < own_size ? size : own_size);
        memcpy(own, &own_size, sizeof own_size);
    }
    return status;
}

aic_status aic_structure_give(const char *name, void *given, const void *own, size_t own_size)
{
    const aic_status status =
        aic_structure_check(name, given, own_size); /* whatever lies behind is filled in, not read */
    if (status == AIC_OK) {
        const size_t size = aic_structure_size(given), common = size < own_size ? size : own_size;
        memcpy((char *)given + sizeof size, (const char *)own + sizeof size, common - sizeof size);
        memset((char *)given + common, 0, size - common);
    }
    return status;
}

const aic_semantics *aic_semantics_of(const aic_semantics *given, aic_semantics *own)
{
    if (given != NULL && given->size == sizeof *given) {
        return given;
    }
    *own = aic_semantics_init();
    if (given != NULL) {
        const aic_status status = aic_structure_take("semantics", given, own, sizeof *own);
        own->size = status == AIC_OK ? sizeof *own : status == AIC_UNSUPPORTED ? SIZE_MAX : 0;
    }
    return own;
}

_Static_assert(sizeof(aic_semantics) <= AIC_SEMANTICS_ROOM, "structures have no more room for it");

aic_status aic_semantics_settle(char room[AIC_SEMANTICS_ROOM])
{
    union {
        size_t size;
        char room[AIC_SEMANTICS_ROOM];
    } given;
    memcpy(&given, room, sizeof given);
    if (given.size > AIC_SEMANTICS_ROOM) {
        return aic_fail(AIC_INVALID_ARGUMENT, "semantics", "size: %zu is more than there is room for, %d", given.size,
                        AIC_SEMANTICS_ROOM);
    }
    aic_semantics own = aic_semantics_init();
    const aic_status status = aic_structure_take("semantics", &given, &own, sizeof own);
    memset(room, 0, AIC_SEMANTICS_ROOM);
    memcpy(room, &own, sizeof own);
    return status;
}

aic_status aic_desc_of(aic_op op, const void *desc, void *room, const void **own)
{
    const aic_op_info *info = aic_op_get(op);
    if (info == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, "op", "%d is outside 1..%d", (int)op, AIC_OP_END - 1);
    }
    if (desc == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, info->record.name, "desc: is NULL");
    }
    *own = desc;
    if (aic_structure_size(desc) == info->desc_size) {
        return AIC_OK;
    }
    info->init(room);
    *own = room;
    return aic_structure_take(info->record.name, desc, room, info->desc_size);
}
