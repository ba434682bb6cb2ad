/* Finds out what the processor has, from its own flags and from the register state that the operating system saves.
 * Names of processors do not count, as virtual machines make them up. */
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

/* In a virtual machine each CPUID instruction is handed to the hypervisor, which takes ten microseconds or more. So
 * leaf 0 is read once, for the vendor and for the number of the last leaf. */
static uint32_t native_features(aic_core *core)
{
    aic_x86_words words = {0};
    uint32_t a, b, c, d, leaves, vendor;
    __cpuid(0, leaves, vendor, c, d);
    __cpuid(1, a, b, words.leaf1_ecx, d);
    if (leaves >= 7) {
        uint32_t subleaves;
        __cpuid_count(7, 0, subleaves, words.leaf7_ebx, words.leaf7_ecx, words.leaf7_edx);
        if (subleaves >= 1) {
            __cpuid_count(7, 1, words.leaf7_1_eax, b, c, d);
        }
    }
    __cpuid(0x80000001u, a, b, words.leaf80000001_ecx, d); /* of every 64-bit processor */
    if ((words.leaf1_ecx & bit_OSXSAVE) != 0) {            /* else XGETBV is no instruction */
        words.state = enabled_state();
    }
    const uint32_t features = aic_x86_features(&words);
    *core = aic_x86_core(vendor, features);
    return features;
}

/* Linux saves tiles only for processes that requested it; signal frames become larger by them. The permission is the
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

static uint32_t native_features(aic_core *core)
{
    *core = AIC_CORE_ZEN4; /* no core of AArch64 has been measured: costs are those of this one */
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
    aic_core core;
    const uint32_t native = native_features(&core);
    this_host = aic_host_with(native, emulated, permit_tiles);
    this_host.core = core;
}

const aic_host *aic_host_this(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, detect);
    return &this_host;
}
