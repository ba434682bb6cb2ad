/* Operations on elements against the better of two peers in the same run: a loop in C, compiled by the system's
 * compiler with the size known (-O3 -march=native), and, where memory is the limit, a copy that reads and writes as
 * many bytes. Broadcasts against the dense case of the same shape, fills against memset. At last, what a call on 1 KiB
 * takes in all.
 *
 *     elementwise [--isa LEVEL] [--layer PART_OF_NAME] [--time SECONDS]
 *
 * The targets: 0.95 of the peer, 0.90 of the dense case, 100 ns a call. */
#include "tests/bench/common.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEVELS = 5, ROW_WORDS = 1024, TEXT = 1024 };

/* Bytes of an operand; from MEMORY_FROM on memory is the limit. Three of the first size fit a first-level cache of 32
 * KiB, three of the second just fill one of 48 KiB. */
static const int64_t SIZES[LEVELS] = {8 << 10, 16 << 10, 256 << 10, 4 << 20, 64 << 20};
static const int64_t MEMORY_FROM = 4 << 20;

typedef enum peer { LOOP, DENSE, SET } peer;

/* An element of C. */
typedef struct element {
    const char *name;
    int64_t size;
} element;

static const element FLOAT = {"float", 4}, WORD = {"uint32_t", 4}, SHORT = {"int16_t", 2}, BYTE = {"int8_t", 1},
                     UNSIGNED_BYTE = {"uint8_t", 1};

/* %lld: rows of ROW_WORDS words, or nearly, of an input, of the output where there is none. */
typedef struct row {
    const char *name, *spec;
    peer peer;
    const char *by;                      /* LOOP: the body of a loop over i; DENSE: the dense case */
    const element *out, *first, *second; /* LOOP: of o[], a[], b[] */
} row;

#define WORDS "tensor_arithmetic(shape=[1,16,%lld,64], op="
#define INTEGERS "tensor_arithmetic_quantized(shape=[4,16,%lld,64], op="
#define HALVES                                                                                                         \
    "tensor_arithmetic_quantized(shape=[2,16,%lld,64], input0_8bit=false, input1_8bit=false, output_8bit=false, op="
#define TO_HALVES "tensor_arithmetic_quantized(shape=[4,16,%lld,64], output_8bit=false, op="
#define FROM_HALVES "tensor_arithmetic_quantized(shape=[4,8,%lld,64], input0_8bit=false, input1_8bit=false, op="
#define SHORT_ROWS "tensor_arithmetic(op=BM_ADD, shape=[%lld,16,9,7]"
#define CLAMP(low, high) "t < " #low " ? " #low " : t > " #high " ? " #high " : t;"

#define DENSE_WORDS WORDS "BM_ADD)"

static const row ROWS[] = {
    {"add f32", WORDS "BM_ADD)", LOOP, "o[i] = a[i] + b[i];", &FLOAT, &FLOAT, &FLOAT},
    {"mac f32", WORDS "BM_MAC)", LOOP, "o[i] = o[i] + a[i] * b[i];", &FLOAT, &FLOAT, &FLOAT},
    {"div f32", WORDS "BM_DIV)", LOOP, "o[i] = a[i] / b[i];", &FLOAT, &FLOAT, &FLOAT},
    {"max f32", WORDS "BM_MAX)", LOOP,
     "o[i] = a[i] != a[i] || b[i] != b[i] ? a[i] + b[i] : a[i] == b[i] ? (signbit(a[i]) ? b[i] : a[i]) : a[i] > b[i] ? "
     "a[i] : b[i];",
     &FLOAT, &FLOAT, &FLOAT},
    {"select f32", WORDS "BM_SG, select_value=2)", LOOP, "o[i] = a[i] > b[i] ? 2.0f : 0;", &FLOAT, &FLOAT, &FLOAT},
    {"xor", WORDS "BM_XOR)", LOOP, "o[i] = a[i] ^ b[i];", &WORD, &WORD, &WORD},
    {"copy", WORDS "BM_CPY)", LOOP, "o[i] = a[i];", &WORD, &WORD, &WORD},
    {"add constant", WORDS "BM_ADD, input1_is_const=true, input1_const=2)", LOOP, "o[i] = a[i] + 2.0f;", &FLOAT, &FLOAT,
     &FLOAT},
    {"add s8", INTEGERS "BM_ADD)", LOOP, "int t = a[i] + b[i]; o[i] = " CLAMP(-128, 127), &BYTE, &BYTE, &BYTE},
    {"sub u8", INTEGERS "BM_SUB, input0_sign=false, input1_sign=false, output_sign=false)", LOOP,
     "int t = a[i] - b[i]; o[i] = " CLAMP(0, 255), &UNSIGNED_BYTE, &UNSIGNED_BYTE, &UNSIGNED_BYTE},
    {"sub s8 to u8", INTEGERS "BM_SUB, output_sign=false)", LOOP, "int t = a[i] - b[i]; o[i] = " CLAMP(0, 255),
     &UNSIGNED_BYTE, &BYTE, &BYTE},
    {"mul s8 >> 6", INTEGERS "BM_MUL, rshift_bit=6)", LOOP, "int t = (a[i] * b[i]) >> 6; o[i] = " CLAMP(-128, 127),
     &BYTE, &BYTE, &BYTE},
    {"mul s8 u8 >> 7", INTEGERS "BM_MUL, rshift_bit=7, input1_sign=false)", LOOP,
     "int t = (a[i] * b[i]) >> 7; o[i] = " CLAMP(-128, 127), &BYTE, &BYTE, &UNSIGNED_BYTE},
    {"add s16", HALVES "BM_ADD)", LOOP, "int t = a[i] + b[i]; o[i] = " CLAMP(-32768, 32767), &SHORT, &SHORT, &SHORT},
    {"add s8 to s16", TO_HALVES "BM_ADD)", LOOP, "o[i] = a[i] + b[i];", &SHORT, &BYTE, &BYTE},
    {"mac s8 to s16", TO_HALVES "BM_MAC, lshift_bit=2, rshift_bit=4)", LOOP,
     "int t = (a[i] * b[i] + o[i] * 4) >> 4; o[i] = " CLAMP(-32768, 32767), &SHORT, &BYTE, &BYTE},
    {"add s16 to s8", FROM_HALVES "BM_ADD)", LOOP, "int t = a[i] + b[i]; o[i] = " CLAMP(-128, 127), &BYTE, &SHORT,
     &SHORT},
    {"add over W", WORDS "BM_ADD, input1_stride=[0,4096,1,0])", DENSE, DENSE_WORDS, NULL, NULL, NULL},
    {"add over H", WORDS "BM_ADD, input1_stride=[0,64,0,1])", DENSE, DENSE_WORDS, NULL, NULL, NULL},
    {"add over HW", WORDS "BM_ADD, input1_stride=[0,1,0,0])", DENSE, DENSE_WORDS, NULL, NULL, NULL},
    {"add over N", "tensor_arithmetic(op=BM_ADD, shape=[%lld,16,1,64], input1_stride=[0,64,64,1])", DENSE, DENSE_WORDS,
     NULL, NULL, NULL},
    {"add over NH", "tensor_arithmetic(op=BM_ADD, shape=[4,4,%lld,64], input1_stride=[0,64,0,1])", DENSE, DENSE_WORDS,
     NULL, NULL, NULL},
    {"add over W of 7", SHORT_ROWS ", input1_stride=[144,9,1,0])", DENSE, SHORT_ROWS ")", NULL, NULL, NULL},
    {"add over H, W 7", SHORT_ROWS ", input1_stride=[112,7,0,1])", DENSE, SHORT_ROWS ")", NULL, NULL, NULL},
    {"add s8 over N", INTEGERS "BM_ADD, input1_n_is1=true)", DENSE, INTEGERS "BM_ADD)", NULL, NULL, NULL},
    {"fill by CPY", WORDS "BM_CPY, input0_is_const=true, input0_const=2)", SET, NULL, NULL, NULL, NULL},
    {"fill by texpands", "texpands(dtype=float32, rows=%lld, cols=1024)", SET, NULL, NULL, NULL, NULL},
    {"fill u8 literal", "texpands(dtype=uint8, rows=%lld, cols=4096, literal=3)", SET, NULL, NULL, NULL, NULL},
};

enum { ROW_COUNT = sizeof ROWS / sizeof ROWS[0] };

typedef void function(void *o, const void *a, const void *b);

typedef struct job {
    aic_kernel *kernel;
    aic_tensor_arithmetic_fn words;
    aic_tensor_arithmetic_quantized_fn integers;
    aic_texpands_fn fill;
    bench_data data;
    function *loop;
    struct job *dense;
    void *from, *to;
    size_t bytes; /* of the copy or memset */
} job;

/* ---- bodies ---- */

static void run_kernel(void *argument)
{
    job *j = argument;
    void *const *p = j->data.pointer;
    if (j->words != NULL) {
        j->words(p[0], p[1], p[2], NULL);
    } else if (j->integers != NULL) {
        j->integers(p[0], p[1], p[2], NULL);
    } else {
        j->fill(p[0], p[1], NULL);
    }
}

static void run_loop(void *argument)
{
    job *j = argument;
    j->loop(j->data.pointer[0], j->data.pointer[1], j->data.pointer[2]);
}

static void run_memcpy(void *argument)
{
    job *j = argument;
    memcpy(j->to, j->from, j->bytes);
    __asm__ volatile("" ::: "memory");
}

static void run_memset(void *argument)
{
    job *j = argument;
    memset(j->to, 1, j->bytes);
    __asm__ volatile("" ::: "memory");
}

/* ---- the peers in C ---- */

static bool run_compiler(const char *source, const char *object)
{
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
        execlp("cc", "cc", "-O3", "-march=native", "-ffp-contract=off", "-fPIC", "-shared", source, "-o", object, "-lm",
               (char *)NULL);
        _exit(1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* Compiles the row's loop over `count` elements; the shared object stays loaded. */
static function *compile_loop(const row *r, int64_t count)
{
    char folder[] = "/tmp/aicjit-bench-XXXXXX", source[64], object[64];
    if (mkdtemp(folder) == NULL) {
        bench_die("mkdtemp");
    }
    snprintf(source, sizeof source, "%s/loop.c", folder);
    snprintf(object, sizeof object, "%s/loop.so", folder);
    FILE *file = fopen(source, "w");
    if (file == NULL) {
        bench_die(source);
    }
    fprintf(
        file,
        "#include <math.h>\n#include <stdint.h>\nvoid run(%s *restrict o, const %s *restrict a, const %s *restrict b)"
        "\n{\n    (void)a, (void)b;\n    for (long i = 0; i < %lld; i++) {\n        %s\n    }\n}\n",
        r->out->name, r->first->name, r->second->name, (long long)count, r->by);
    fclose(file);
    void *handle = run_compiler(source, object) ? dlopen(object, RTLD_NOW) : NULL;
    function *loop = NULL;
    if (handle != NULL) {
        *(void **)&loop = dlsym(handle, "run");
    }
    unlink(source);
    unlink(object);
    rmdir(folder);
    if (loop == NULL) {
        fprintf(stderr, "elementwise: %s: the system's C compiler does not make a library of it\n", r->by);
        exit(3);
    }
    return loop;
}

/* ---- kernels ---- */

static void open_job(job *j, aic_context *context, const char *format, int64_t bytes)
{
    char text[TEXT];
    aic_spec *spec = NULL;
    *j = (job){.kernel = NULL};
    /* The format is one of ROWS'. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof text, format, (long long)(bytes / (ROW_WORDS * 4)));
#pragma GCC diagnostic pop
    if (aic_spec_parse(text, &spec) != AIC_OK || aic_kernel_create(context, spec, NULL, &j->kernel) != AIC_OK) {
        bench_die(text);
    }
    j->words = aic_kernel_tensor_arithmetic(j->kernel);
    j->integers = aic_kernel_tensor_arithmetic_quantized(j->kernel);
    j->fill = aic_kernel_texpands(j->kernel);
    bench_data_open(&j->data, spec);
    bench_data_check(&j->data, &(bench_body){run_kernel, j, 0}, text);
}

static void close_job(job *j)
{
    bench_data_close(&j->data);
    aic_kernel_destroy(j->kernel);
    free(j->from);
    free(j->to);
}

/* ---- a row ---- */

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* Prints a line; returns the kernel's speed over the peer's. */
static double measure(aic_context *context, const row *r, int64_t bytes, double seconds)
{
    job j, dense;
    size_t count = 2;
    int64_t macs, moved;
    open_job(&j, context, r->spec, bytes);
    if (aic_spec_work(j.data.spec, NULL, &macs, &moved) != AIC_OK) {
        bench_die(r->spec);
    }
    j.bytes = r->peer == SET ? (size_t)bytes : (size_t)moved / 2;
    j.from = bench_memory(j.bytes);
    j.to = bench_memory(j.bytes);
    bench_body body[4] = {{run_kernel, &j, 0}};
    if (r->peer == DENSE) {
        open_job(&dense, context, r->by, bytes);
        body[1] = (bench_body){run_kernel, &dense, 0};
    } else if (r->peer == SET) {
        body[1] = (bench_body){run_memset, &j, 0};
    } else {
        j.loop = compile_loop(r, bytes / r->first->size);
        body[1] = (bench_body){run_loop, &j, 0};
        if (bytes >= MEMORY_FROM) { /* kernel and loop find the caches as the copy leaves them, both */
            body[2] = body[1];
            body[1] = body[3] = (bench_body){run_memcpy, &j, 0};
            count = 4;
        }
    }
    bench_time(body, count, seconds);
    double best = count > 2 ? smaller(smaller(body[1].ns, body[2].ns), body[3].ns) : body[1].ns;
    printf("%-18s %6lld KiB %12.1f ns %7.2f GB/s  peer %12.1f ns  ratio %5.2f\n", r->name, (long long)(bytes >> 10),
           body[0].ns, (double)(r->peer == SET ? bytes : moved) / body[0].ns, best, best / body[0].ns);
    if (r->peer == DENSE) {
        close_job(&dense);
    }
    close_job(&j);
    return best / body[0].ns;
}

/* ---- calls ---- */

typedef struct call {
    aic_context *context;
    aic_tensor_arithmetic_desc desc;
    bench_data data;
} call;

static void run_call(void *argument)
{
    call *c = argument;
    void *const *p = c->data.pointer;
    if (aic_jit_tensor_arithmetic(c->context, &c->desc, p[0], p[1], p[2]) != AIC_OK) {
        bench_die("call");
    }
}

static void measure_call(aic_context *context, double seconds)
{
    static const int64_t SHAPE[] = {1, 4, 8, 8};
    call c = {.context = context, .desc = aic_tensor_arithmetic_desc_init()};
    c.desc.op = AIC_ATOMIC_BM_ADD;
    memcpy(c.desc.shape, SHAPE, sizeof SHAPE);
    aic_spec *spec = NULL;
    if (aic_spec_create_tensor_arithmetic(&c.desc, &spec) != AIC_OK) {
        bench_die("specification");
    }
    bench_data_open(&c.data, spec);
    bench_body body = {run_call, &c, 0};
    bench_time(&body, 1, seconds);
    printf("target call on 1 KiB: at most 100 ns, measured %.1f: %s\n", body.ns, body.ns <= 100 ? "met" : "missed");
    bench_data_close(&c.data);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        double ratio;
    } TARGETS[] = {
        [LOOP] = {"a loop in C or a copy", 0.95}, [DENSE] = {"the dense case", 0.9}, [SET] = {"memset", 0.95}};
    bench_options options = bench_parse(argc, argv, NULL);
    aic_context *context = bench_context(options.isa);
    double worst[] = {1e9, 1e9, 1e9};
    for (size_t i = 0; i < ROW_COUNT; i++) {
        for (int level = 0; level < LEVELS; level++) {
            if (options.layer != NULL && strstr(ROWS[i].name, options.layer) == NULL) {
                continue;
            }
            double ratio = measure(context, &ROWS[i], SIZES[level], options.seconds);
            worst[ROWS[i].peer] = smaller(worst[ROWS[i].peer], ratio);
            fflush(stdout);
        }
    }
    for (int i = LOOP; i <= SET; i++) {
        if (worst[i] == 1e9) { /* no row of this kind was chosen */
            continue;
        }
        printf("target %s: at least %.2f, measured %.2f: %s\n", TARGETS[i].name, TARGETS[i].ratio, worst[i],
               worst[i] >= TARGETS[i].ratio ? "met" : "missed");
    }
    measure_call(context, options.seconds);
    aic_context_destroy(context);
    return 0;
}
