/* Memory for code: a mapping of its own for every image; see code_memory.h. */
#include "runtime/code_memory.h"
#include "frontend/core/diag.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SUBJECT "code memory"

aic_status aic_code_memory_place(const aic_image *image, aic_code_memory *memory)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t size = (image->size + page - 1) / page * page;
    if (image->alignment > page) {
        return aic_fail(AIC_INTERNAL, SUBJECT, "alignment %zu exceeds pages of %zu bytes", image->alignment, page);
    }
    unsigned char *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) {
        return aic_fail_memory(SUBJECT, size);
    }
    memcpy(base, image->bytes, image->size);
    if (mprotect(base, size, PROT_READ | PROT_EXEC) != 0) {
        const int error = errno;
        munmap(base, size);
        return error == ENOMEM ? aic_fail_memory(SUBJECT, size)
                               : aic_fail(AIC_UNSUPPORTED, SUBJECT, "cannot be made executable: %s", strerror(error));
    }
    /* On AArch64 instructions are fetched past the data cache that the copy went through. */
    __builtin___clear_cache((char *)base, (char *)base + image->size);
    *memory = (aic_code_memory){base, size};
    return AIC_OK;
}

void aic_code_memory_release(aic_code_memory *memory)
{
    if (memory->base != NULL) {
        munmap(memory->base, memory->size);
        memory->base = NULL;
    }
}
