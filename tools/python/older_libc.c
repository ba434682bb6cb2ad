/* For the wheel: what LLVM's static library of Debian 12 takes from that Debian's C library (2.36), and systems with an
 * older one lack. LLVM makes names of temporary files with it. */
#include <stdint.h>
#include <sys/random.h>
#include <time.h>

uint32_t arc4random(void);

uint32_t arc4random(void)
{
    uint32_t number;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) { /* a kernel that has none */
        struct timespec now = {0};
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        number = (uint32_t)now.tv_nsec;
    }
    return number;
}
