/* confined first|later: a process whose system refuses every mapping that can be executed, from before its first kernel
 * or from after it. Kernels are refused by a status and a message, what was made goes on, and the reference gives the
 * result. Exit status 0, 1 and what was wrong, or 77 and why where such a filter cannot be set. */
#include <aic/aic.h>

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { SUM = 2 * 2 * 32, OUTPUTS = 2 * 16 * 16, NONE = 77 };

/* mmap(), mprotect() and pkey_mprotect() have the protection as their third argument. The tests' machines are
 * little-endian. */
static int forbid(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pkey_mprotect, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    const struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int8_t feature_map[4 * 8 * 32], weight[2 * 2 * 32 * 32];
static int32_t dst[2 * 64 * 16];

/* A convolution of ones, each of whose sums is the number of its taps. */
static aic_conv2d_desc of_width(int64_t width)
{
    aic_conv2d_desc d = aic_conv2d_desc_init();
    d.dtype = AIC_INT8;
    d.fm_shape[0] = 1, d.fm_shape[1] = 4, d.fm_shape[2] = width, d.fm_shape[3] = 32;
    d.kernel_shape[0] = 1, d.kernel_shape[1] = 2, d.kernel_shape[2] = 2, d.kernel_shape[3] = 32, d.kernel_shape[4] = 32;
    return d;
}

static int computed(int64_t width)
{
    const aic_conv2d_desc d = of_width(width);
    memset(dst, 0, sizeof dst);
    return aic_jit_conv2d(NULL, &d, dst, feature_map, weight) == AIC_OK && dst[0] == SUM;
}

static int refused(int64_t width, const char *text)
{
    const aic_conv2d_desc d = of_width(width);
    memset(dst, 0, sizeof dst);
    const aic_status status = aic_jit_conv2d(NULL, &d, dst, feature_map, weight);
    printf("%s: %s\n", aic_status_name(status), aic_last_error());
    return status != AIC_OK && status != AIC_INTERNAL && dst[0] == 0 && strstr(aic_last_error(), text) != NULL;
}

static int by_reference(int64_t width)
{
    const aic_conv2d_desc d = of_width(width);
    void *operands[] = {dst, feature_map, weight};
    aic_spec *spec = NULL;
    memset(dst, 0, sizeof dst);
    const int good = aic_spec_create_conv2d(&d, &spec) == AIC_OK && aic_reference(spec, NULL, operands, 3) == AIC_OK &&
                     dst[0] == SUM;
    aic_spec_destroy(spec);
    return good;
}

#define WANT(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%s\n", #condition);                                                                                \
            return EXIT_FAILURE;                                                                                       \
        }                                                                                                              \
    } while (0)

int main(int argc, char **argv)
{
    const int later = argc > 1 && strcmp(argv[1], "later") == 0;
    memset(feature_map, 1, sizeof feature_map);
    memset(weight, 1, sizeof weight);
    WANT(!later || computed(4));
    if (!forbid()) {
        printf("no filter of system calls: %s\n", strerror(errno));
        return NONE;
    }
    for (int i = 0; i < 3; i++) { /* again and again, by whatever way the library tries next */
        WANT(refused(5 + i, later ? "can be made executable" : "cannot be"));
        WANT(!later || computed(4));
        WANT(by_reference(5 + i));
    }
    return EXIT_SUCCESS;
}
