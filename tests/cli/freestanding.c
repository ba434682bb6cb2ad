/* A program without any library, the C library's included: calls exported kernels and compares with plain loops. Ends
 * with 0 when all is right, else with the number of the check that failed. With -DSHOW_LEVEL it ends with 100 and the
 * number of the level that the kernels chose. export.sh makes the kernels:
 *
 *     layer   conv2d(dtype=int8, fm_shape=[1,5,7,32], kernel_shape=[1,3,3,32,32], pad=[1,1,1,1])
 *     move    transdata(dtype=int8, src=ND, dst=ND, shape=[3,50]) */
#include "kernels.h"

enum { H = 5, W = 7, C = 32, K = 3, OUT = 32, BLOCK = 16, ROWS = (H * W + BLOCK - 1) / BLOCK * BLOCK, MOVED = 150 };

static _Alignas(64) signed char image[H][W][C], weights[K][K][OUT][C], from[MOVED], to[MOVED];
static _Alignas(64) int result[OUT / BLOCK][ROWS][BLOCK];
static _Alignas(64) unsigned char packed[LAYER_PACKED_BYTES], workspace[LAYER_WORKSPACE_BYTES + MOVE_WORKSPACE_BYTES];

_Static_assert(sizeof image == LAYER_FEATURE_MAP_BYTES, "image");
_Static_assert(sizeof weights == LAYER_WEIGHT_BYTES, "weights");
_Static_assert(sizeof result == LAYER_DST_BYTES, "result");
_Static_assert(sizeof to == MOVE_DST_BYTES && sizeof from == MOVE_SRC_BYTES, "move");
_Static_assert(LAYER_PACKED_WORKSPACE_BYTES <= LAYER_WORKSPACE_BYTES, "packed calls need no more");

static void fill(signed char *at, unsigned count, unsigned seed)
{
    for (unsigned i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        at[i] = (signed char)(seed >> 24);
    }
}

static int expected(int channel, int y, int x)
{
    int sum = 0;
    for (int dy = 0; dy < K; dy++) {
        for (int dx = 0; dx < K; dx++) {
            const int iy = y + dy - 1, ix = x + dx - 1;
            for (int c = 0; c < C && iy >= 0 && iy < H && ix >= 0 && ix < W; c++) {
                sum += image[iy][ix][c] * weights[dy][dx][channel][c];
            }
        }
    }
    return sum;
}

static int right(void)
{
    int good = 1;
    for (int channel = 0; channel < OUT; channel++) {
        for (int i = 0; i < H * W; i++) {
            good &= result[channel / BLOCK][i][channel % BLOCK] == expected(channel, i / W, i % W);
            result[channel / BLOCK][i][channel % BLOCK] = -1;
        }
    }
    return good;
}

#ifdef SHOW_LEVEL
extern int level __asm__("aic.level");
#endif

static int run(void)
{
    fill(&image[0][0][0], sizeof image, 1);
    fill(&weights[0][0][0][0], sizeof weights, 2);
    fill(from, sizeof from, 3);
    layer(result, image, weights, workspace);
    if (!right()) {
        return 1;
    }
    int fits = 1;
    layer_packed_check(weights, &fits);
    if (fits != 0) {
        return 4;
    }
    layer_pack(packed, weights);
    layer_packed_check(packed, &fits);
    if (fits != 1) {
        return 5;
    }
    layer_packed(result, image, packed, workspace);
    if (!right()) {
        return 2;
    }
    move(to, from, workspace);
    for (int i = 0; i < MOVED; i++) {
        if (to[i] != from[i]) {
            return 3;
        }
    }
#ifdef SHOW_LEVEL
    return 100 + level;
#else
    return 0;
#endif
}

#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n    and $-16, %rsp\n    call program\n    hlt\n");

static _Noreturn void leave(int status)
{
    __asm__ volatile("syscall" : : "a"(231), "D"(status) : "rcx", "r11", "memory"); /* exit_group */
    __builtin_unreachable();
}
#elif defined(__aarch64__)
__asm__(".globl _start\n_start:\n    bl program\n    brk #0\n");

static _Noreturn void leave(int status)
{
    register long number __asm__("x8") = 94, argument __asm__("x0") = status; /* exit_group */
    __asm__ volatile("svc #0" : : "r"(number), "r"(argument) : "memory");
    __builtin_unreachable();
}
#endif

__attribute__((used)) void program(void);

void program(void)
{
    leave(run());
}
