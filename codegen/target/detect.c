/* Asks the machine what it has. The processor's own flags decide, together with the register state that the operating
 * system saves; a processor's name is never trusted, virtual machines make them up. */
#include "codegen/target/host.h"

#include <errno.h>
#include <pthread.h>

/* NULL where no emulator is loaded. */
__attribute__((weak)) uint32_t aic_emulated_features(void);

#if defined(__x86_64__)

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

aic_arch aic_host_arch(void)
{
    return AIC_ARCH_X86_64;
}

static uint64_t enabled_state(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return ((uint64_t)high << 32) | low;
}

static uint32_t native_features(void)
{
    aic_x86_words words = {0};
    uint32_t a, b, c, d;
    if (__get_cpuid(1, &a, &b, &c, &d)) {
        words.leaf1_ecx = c;
    }
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        words.leaf7_ebx = b, words.leaf7_ecx = c, words.leaf7_edx = d;
    }
    if (__get_cpuid_count(7, 1, &a, &b, &c, &d)) { /* zeros where there is no such subleaf */
        words.leaf7_1_eax = a;
    }
    if (__get_cpuid(0x80000001u, &a, &b, &c, &d)) {
        words.leaf80000001_ecx = c;
    }
    if ((words.leaf1_ecx & bit_OSXSAVE) != 0) { /* else XGETBV is no instruction */
        words.state = enabled_state();
    }
    return aic_x86_features(&words);
}

/* Linux saves tiles only for processes that asked it to; signal frames become larger by them. The permission is the
 * whole process's, and inherited by fork (Documentation/arch/x86/xstate.rst). */
static int permit_tiles(void)
{
    enum { REQUEST_PERMISSION = 0x1023 /* ARCH_REQ_XCOMP_PERM */, TILE_DATA = 18 /* XFEATURE_XTILEDATA */ };
    return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0 ? 0 : errno;
}

#elif defined(__aarch64__)

#include <sys/auxv.h>

aic_arch aic_host_arch(void)
{
    return AIC_ARCH_AARCH64;
}

static uint32_t native_features(void)
{
    return aic_aarch64_features(getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
}

static int permit_tiles(void)
{
    return ENOSYS;
}

#else
#error "aicjit generates code for x86-64 and AArch64 only"
#endif

static aic_host this_host;

static void detect(void)
{
    uint32_t emulated = aic_emulated_features != NULL ? aic_emulated_features() : 0;
    this_host = aic_host_with(native_features(), emulated, permit_tiles);
}

const aic_host *aic_host_this(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, detect);
    return &this_host;
}
