/* Mapped memory under a limit. Linux promises more memory than it has and kills processes that use it: so the sum is
 * kept here. */
#include "tools/harness/memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static _Atomic uint64_t in_use;

size_t memory_page(void)
{
    long page = sysconf(_SC_PAGESIZE);
    return page > 0 ? (size_t)page : 4096;
}

/* The number behind `key` at the start of a line of the file, or `fallback`. */
static uint64_t read_number(const char *path, const char *key, uint64_t fallback)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return fallback;
    }
    char line[160];
    uint64_t value = fallback;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, strlen(key)) != 0) {
            continue;
        }
        const char *digits = line + strlen(key) + strspn(line + strlen(key), " ");
        if (*digits >= '0' && *digits <= '9') {
            value = strtoull(digits, NULL, 10);
            break;
        }
    }
    (void)fclose(file);
    return value;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t memory_limit(void)
{
    static _Atomic uint64_t limit;
    uint64_t known = atomic_load(&limit);
    if (known == 0) { /* threads that come at once find about the same */
        long pages = sysconf(_SC_PHYS_PAGES);
        uint64_t physical = pages > 0 ? (uint64_t)pages * memory_page() : UINT64_C(1) << 30;
        uint64_t available = read_number("/proc/meminfo", "MemAvailable:", physical / 1024) * 1024;
        uint64_t cgroup = read_number("/sys/fs/cgroup/memory.max", "", physical);
        known = smaller(physical, smaller(available, cgroup));
        atomic_store(&limit, known);
    }
    return known;
}

uint64_t memory_left(void)
{
    uint64_t used = atomic_load(&in_use);
    return used < memory_limit() ? memory_limit() - used : 0;
}

void *memory_map(size_t size)
{
    uint64_t before = atomic_fetch_add(&in_use, size);
    uint64_t limit = memory_limit();
    if (size <= limit && before <= limit - size) {
        void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory != MAP_FAILED) {
            return memory;
        }
    }
    atomic_fetch_sub(&in_use, size);
    return NULL;
}

void memory_unmap(void *memory, size_t size)
{
    if (memory != NULL) {
        (void)munmap(memory, size);
        atomic_fetch_sub(&in_use, size);
    }
}
