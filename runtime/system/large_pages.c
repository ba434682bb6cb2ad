/* Large pages; see large_pages.h. */
#include "runtime/system/large_pages.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

/* Of x86-64, and of AArch64 with small pages of 4 KiB. */
enum { LARGE_PAGE = 2 << 20 };

void aic_large_pages_wish(void *memory, size_t bytes)
{
    const size_t before = -(uintptr_t)memory % LARGE_PAGE;
    if (bytes < before || bytes - before < LARGE_PAGE) {
        return;
    }
    const int error = errno;
    (void)madvise((char *)memory + before, (bytes - before) / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
    errno = error;
}
