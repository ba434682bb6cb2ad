/* module_scarce MODULE: loads the generator's module, which is not to end the process when there is no memory for its
 * constructors: allocations fail from the moment that it has its reserve until it gives that back. Prints what it saw.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { RESERVE_BYTES = 8 << 20 };

typedef void *(*mapper)(void *at, size_t size, int protection, int flags, int file, off_t offset);
typedef int (*unmapper)(void *at, size_t size);

extern void *__libc_malloc(size_t size);

static void *(*find)(void *, const char *) = dlsym;
static mapper map;
static unmapper unmap;
static bool scarce;
static int failures;

void *malloc(size_t size)
{
    failures += scarce;
    errno = ENOMEM;
    return scarce ? NULL : __libc_malloc(size);
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    scarce |= size == RESERVE_BYTES;
    return map(at, size, protection, flags, file, offset);
}

int munmap(void *at, size_t size)
{
    scarce &= size != RESERVE_BYTES;
    return unmap(at, size);
}

int main(int argc, char **argv)
{
    void *symbol = find(RTLD_NEXT, "mmap");
    memcpy(&map, &symbol, sizeof map);
    symbol = find(RTLD_NEXT, "munmap");
    memcpy(&unmap, &symbol, sizeof unmap);
    void *module = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    printf("%s, %d failed, %s\n", module != NULL ? "loaded" : dlerror(), failures, scarce ? "scarce" : "given back");
    return module == NULL || scarce || failures == 0;
}
