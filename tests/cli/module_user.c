/* module_user [TIMES]: makes and calls TIMES small kernels, one by default; exit status 0, or 1 and the message. With
 * USER_PEAK in the environment it prints how many KiB were resident at most, with USER_MAPS whether LLVM is mapped.
 * Linked with another LLVM, and compiled with OTHER_LLVM, it builds modules with that one in between. */
#include <aic/aic.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#ifdef OTHER_LLVM
/* Of LLVM's C interface, whose headers of that version need not be there. */
extern void *LLVMContextCreate(void);
extern void LLVMContextDispose(void *context);
extern void *LLVMModuleCreateWithNameInContext(const char *name, void *context);
extern void LLVMDisposeModule(void *module);
extern char *LLVMPrintModuleToString(void *module);
extern void LLVMDisposeMessage(char *message);
extern void *LLVMDoubleTypeInContext(void *context);
extern void *LLVMAddGlobal(void *module, void *type, const char *name);

static int use_other(void)
{
    void *context = LLVMContextCreate();
    void *module = LLVMModuleCreateWithNameInContext("other", context);
    LLVMAddGlobal(module, LLVMDoubleTypeInContext(context), "number");
    char *text = LLVMPrintModuleToString(module);
    const int good = strstr(text, "@number = external global double") != NULL;
    LLVMDisposeMessage(text);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return good;
}
#else
static int use_other(void)
{
    return 1;
}
#endif

/* A convolution of ones, each of whose sums is the number of its taps. */
static int use_kernel(int64_t width)
{
    static int8_t feature_map[4 * 64 * 32], weight[2 * 2 * 32 * 32];
    static int32_t dst[2 * 256 * 16];
    memset(feature_map, 1, sizeof feature_map);
    memset(weight, 1, sizeof weight);
    aic_conv2d_desc d = aic_conv2d_desc_init();
    d.dtype = AIC_INT8;
    d.fm_shape[0] = 1, d.fm_shape[1] = 4, d.fm_shape[2] = width, d.fm_shape[3] = 32;
    d.kernel_shape[0] = 1, d.kernel_shape[1] = 2, d.kernel_shape[2] = 2, d.kernel_shape[3] = 32, d.kernel_shape[4] = 32;
    if (aic_jit_conv2d(NULL, &d, dst, feature_map, weight) != AIC_OK) {
        fprintf(stderr, "%s\n", aic_last_error());
        return 0;
    }
    return dst[0] == 2 * 2 * 32;
}

/* Whether a file of this process is LLVM's or the module; ready-made parts are neither. */
static int has_llvm(void)
{
    char line[4096];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        const int module = strstr(line, "libaicjit-codegen") != NULL && strstr(line, ".parts") == NULL;
        found = found || module || strstr(line, "LLVM") != NULL;
    }
    return maps == NULL || fclose(maps) != 0 || found;
}

int main(int argc, char **argv)
{
    const int times = argc > 1 ? atoi(argv[1]) : 1;
    int good = use_other();
    for (int i = 0; i < times; i++) {
        good = use_kernel(4 + i) && use_other() && good;
    }
    struct rusage used;
    if (getenv("USER_PEAK") != NULL && getrusage(RUSAGE_SELF, &used) == 0) {
        printf("%ld\n", used.ru_maxrss);
    }
    if (getenv("USER_MAPS") != NULL) {
        printf("%s\n", has_llvm() ? "LLVM is there" : "LLVM is not there");
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
