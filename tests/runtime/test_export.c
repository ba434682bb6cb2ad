/* Exported kernels: an object of many of them is linked by the system's linker, without the library, and called. What
 * the command does, and freestanding programs, AArch64 among them, are tested by tests/cli/export.sh. */
#include "frontend/core/stage.h"
#include "runtime/code/code_memory.h"
#include "runtime/code/stub.h"
#include "runtime/export/export_names.h"
#include "tests/specs.h"
#include "tools/harness/verify.h"

#include <check.h>
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *suite_export(void);

extern char **environ;

enum { PER_OPERATOR = 3, KERNELS_MAX = 2 * AIC_OP_END * PER_OPERATOR, ALIGNMENT = 64 };

/* ---- an object as a library ---- */

typedef struct linked {
    char folder[40], library[64], object[64];
    void *handle;
} linked;

static void write_file(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static int run_program(char *const argv[])
{
    pid_t child;
    int status = -1;
    if (posix_spawnp(&child, argv[0], NULL, NULL, argv, environ) != 0) {
        return -1;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/* Links the object with nothing: a symbol that it lacks is an error. */
static void link_alone(const aic_exported *made, linked *l)
{
    *l = (linked){.folder = "/tmp/aicjit-export-XXXXXX"};
    ck_assert_ptr_nonnull(mkdtemp(l->folder));
    snprintf(l->object, sizeof l->object, "%s/k.o", l->folder);
    snprintf(l->library, sizeof l->library, "%s/k.so", l->folder);
    write_file(l->object, made->object, made->object_size);
    char program[] = "ld", shared[] = "-shared", defined[] = "-zdefs", output[] = "-o";
    char *const argv[] = {program, shared, defined, output, l->library, l->object, NULL};
    ck_assert_int_eq(run_program(argv), 0);
    l->handle = dlopen(l->library, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(l->handle != NULL, "%s", dlerror());
}

static void unlink_all(linked *l)
{
    ck_assert_int_eq(dlclose(l->handle), 0);
    (void)unlink(l->object);
    (void)unlink(l->library);
    (void)rmdir(l->folder);
}

typedef void (*function)(void);

/* The function "NAME" followed by the suffix; NULL: there is none. */
static function find(const linked *l, const char *name, const char *suffix)
{
    char text[AIC_EXPORT_NAME_MAX + 16];
    function found;
    snprintf(text, sizeof text, "%.80s%s", name, suffix);
    void *symbol = dlsym(l->handle, text);
    memcpy(&found, &symbol, sizeof found);
    return found;
}

/* The macro NAME_WHAT of the header; -1: there is none. */
static long long macro_of(const char *header, const char *name, const char *what)
{
    char text[AIC_EXPORT_NAME_MAX + 64];
    size_t length = (size_t)snprintf(text, sizeof text, "\n#define %.80s_%.40s ", name, what);
    for (char *at = text + 9; *at != '\0'; at++) {
        *at = (char)(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
    }
    const char *at = strstr(header, text);
    return at != NULL ? strtoll(at + length, NULL, 10) : -1;
}

/* ---- calls ---- */

/* Calls a function of the operands that the specification takes and of a workspace. */
static void call(function f, const verify_case *c, void *const p[], void *workspace)
{
    static const void *const none[AIC_STUB_OPERANDS_MAX];
    void *taken[AIC_OPERANDS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (c->operand[i].direction != AIC_DIRECTION_UNUSED) {
            taken[count++] = p[i];
        }
    }
    unsigned char code[AIC_STUB_BYTES_MAX];
    aic_code_memory memory;
    const aic_stub stub = {.target = (uintptr_t)f, .count = count, .fixed = none, .table = true};
    const aic_image image = {.bytes = code, .size = aic_stub_write(&stub, code), .alignment = ALIGNMENT};
    ck_assert_int_eq(aic_code_memory_place(&image, &memory), AIC_OK);
    ((aic_kernel_fn)(uintptr_t)memory.base)(taken, workspace);
    aic_code_memory_release(&memory);
}

/* Operands of one call between guard pages, the output with its old content. */
typedef struct operands {
    guard_buffer buffer[AIC_OPERANDS_MAX], packed, workspace;
    void *pointer[AIC_OPERANDS_MAX];
} operands;

static void open_operands(operands *o, const verify_case *c, long long workspace, long long packed)
{
    for (size_t i = 0; i < c->count; i++) {
        o->pointer[i] = NULL;
        o->buffer[i] = (guard_buffer){.data = NULL};
        if (c->operand[i].direction != AIC_DIRECTION_UNUSED) {
            const size_t size = (size_t)c->operand[i].bytes;
            ck_assert(guard_open(&o->buffer[i], size, aic_dtype_size(c->operand[i].dtype), GUARD_AFTER));
            memcpy(o->buffer[i].data, c->content[i].data, size);
            o->pointer[i] = o->buffer[i].data;
        }
    }
    ck_assert(guard_open(&o->workspace, (size_t)workspace, ALIGNMENT, GUARD_AFTER));
    ck_assert(guard_open(&o->packed, packed > 0 ? (size_t)packed : 0, ALIGNMENT, GUARD_AFTER));
}

static void close_operands(operands *o, const verify_case *c)
{
    for (size_t i = 0; i < c->count; i++) {
        ck_assert(o->buffer[i].data == NULL || guard_intact(&o->buffer[i]));
        guard_close(&o->buffer[i]);
    }
    ck_assert(guard_intact(&o->workspace) && guard_intact(&o->packed));
    guard_close(&o->workspace);
    guard_close(&o->packed);
}

/* The number of the operand that is packed: the one whose declaration says so. */
static size_t packed_operand(const char *header, const char *name, const verify_case *c)
{
    char text[256];
    for (size_t i = 0; i < c->count; i++) {
        snprintf(text, sizeof text, "void %.31s_pack(void *%.40s_packed, const void *%.40s);", name, c->operand[i].name,
                 c->operand[i].name);
        if (strstr(header, text) != NULL) {
            return i;
        }
    }
    return 0;
}

/* The head, and no other. */
static void check_head(void (*fits)(const void *, int *), unsigned char *packed)
{
    int answer = -1;
    ck_assert(fits != NULL);
    fits(packed, &answer);
    ck_assert_int_eq(answer, 1);
    for (int bit = 0; bit < 8 * 64; bit++) {
        packed[bit / 8] ^= (unsigned char)(1 << bit % 8);
        fits(packed, &answer);
        ck_assert_int_eq(answer, 0);
        packed[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

static void check_kernel(const aic_exported *made, const linked *l, const char *name, const verify_case *c)
{
    verify_report report = {.text = ""};
    operands o;
    for (size_t i = 0; i < c->count; i++) {
        char what[64];
        snprintf(what, sizeof what, "%s_BYTES", c->operand[i].name);
        const long long bytes = macro_of(made->header, name, what);
        ck_assert_int_eq(bytes, c->operand[i].direction == AIC_DIRECTION_UNUSED ? -1 : c->operand[i].bytes);
    }
    const long long workspace = macro_of(made->header, name, "WORKSPACE_BYTES");
    const long long packed = macro_of(made->header, name, "PACKED_BYTES");
    ck_assert_int_ge(workspace, 0);
    open_operands(&o, c, workspace, 0);
    call(find(l, name, ""), c, o.pointer, o.workspace.data);
    ck_assert_msg(verify_compare(c, o.pointer[c->output], "plain", &report) == VERIFY_PASSED, "%s: %s", name,
                  report.text);
    close_operands(&o, c);

    const function pack = find(l, name, "_pack"), run = find(l, name, "_packed");
    ck_assert((pack != NULL) == (packed > 0) && (run != NULL) == (packed > 0));
    if (pack == NULL) {
        return;
    }
    const size_t which = packed_operand(made->header, name, c);
    ck_assert_uint_gt(which, 0);
    open_operands(&o, c, macro_of(made->header, name, "PACKED_WORKSPACE_BYTES"), packed);
    ((void (*)(void *, const void *))pack)(o.packed.data, o.pointer[which]);
    check_head((void (*)(const void *, int *))find(l, name, "_packed_check"), o.packed.data);
    o.pointer[which] = o.packed.data;
    call(run, c, o.pointer, o.workspace.data);
    ck_assert_msg(verify_compare(c, o.pointer[c->output], "packed", &report) == VERIFY_PASSED, "%s: %s", name,
                  report.text);
    close_operands(&o, c);
}

/* ---- every operator ---- */

/* Random specifications of every operator and every chain that it begins. */
static size_t draw_all(aic_spec spec[KERNELS_MAX])
{
    size_t count = 0;
    for (int op = AIC_OP_NONE + 1; op < AIC_OP_END; op++) {
        for (uint64_t seed = 1; seed <= PER_OPERATOR; seed++) {
            count += aic_spec_draw((aic_op)op, NULL, seed, &spec[count]) == AIC_OK;
            count += aic_spec_draw_chain((aic_op)op, AIC_OP_NONE, NULL, seed, &spec[count]) == AIC_OK;
        }
    }
    return count;
}

/* With the readings of a context; NULL: the default. */
static void check_specs(aic_context *context, const aic_semantics *semantics, const aic_spec *spec, size_t count,
                        const char *isa)
{
    static char name[KERNELS_MAX][32];
    aic_export_kernel kernels[KERNELS_MAX];
    aic_exported made = aic_exported_init();
    linked l;
    for (size_t i = 0; i < count; i++) {
        snprintf(name[i], sizeof name[i], "k%zu", i);
        kernels[i] = (aic_export_kernel){.size = sizeof kernels[i], .spec = &spec[i], .name = name[i]};
    }
    ck_assert_msg(aic_export(context, kernels, count, isa, NULL, &made) == AIC_OK, "%s", aic_last_error());
    ck_assert_uint_eq(strlen(made.header), made.header_size);
    link_alone(&made, &l);
    for (size_t i = 0; i < count; i++) {
        verify_case c;
        verify_report report;
        ck_assert_msg(verify_open(&c, &spec[i], semantics, i + 1, &report) == VERIFY_PASSED, "%s", report.text);
        check_kernel(&made, &l, name[i], &c);
        verify_close(&c);
    }
    unlink_all(&l);
    aic_exported_destroy(&made);
    ck_assert_ptr_null(made.object);
}

static void check_all(const char *isa)
{
    static aic_spec spec[KERNELS_MAX];
    const aic_semantics semantics = aic_semantics_init();
    const size_t count = draw_all(spec);
    ck_assert_uint_gt(count, AIC_OP_END * PER_OPERATOR);
    check_specs(NULL, &semantics, spec, count, isa);
}

/* Code of the library gets words of quantisation as operands; exported code knows them: scales of either sign, offsets,
 * shifts, for results of every type, rectified before and after they are scaled. */
START_TEST(known_words)
{
    static const char *const WORDS[] = {
        "src=int32, dst=float16, quantPre=DEQF16, deqScalar=0x3E99999A",
        "src=int32, dst=float16, quantPre=DEQF16, deqScalar=0xBE99999A",
        "src=float32, dst=int8, quantPre=QF322B8_PRE, deqScalar=0x7FA03F000000",
        "src=float32, dst=uint8, quantPre=QF322B8_PRE, deqScalar=0x140BE800000",
        "src=int32, dst=int8, quantPre=REQ8, deqScalar=0x40133E800000",
        "src=int32, dst=int8, quantPre=REQ8, deqScalar=0x4013BE800000",
    };
    enum { COUNT = sizeof WORDS / sizeof *WORDS };
    static aic_spec spec[2 * COUNT];
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    options.semantics.relu = _i == 0 ? AIC_RELU_ORDER_BEFORE : AIC_RELU_ORDER_AFTER;
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    for (size_t i = 0; i < 2 * COUNT; i++) {
        char text[256];
        snprintf(text, sizeof text, "fixpipe(nSize=37, mSize=5, srcStride=16, dstStride=40, reluEn=%s, %s)",
                 i < COUNT ? "true" : "false", WORDS[i % COUNT]);
        spec[i] = spec_of(text);
    }
    check_specs(context, &options.semantics, spec, 2 * COUNT, NULL);
    aic_context_destroy(context);
}
END_TEST

START_TEST(one_level)
{
    check_all(aic_isa_check("avx2") == AIC_OK ? "avx2" : aic_isa_name(0));
}
END_TEST

/* All levels of this architecture but those that cannot be chosen: the lower ones, and the lowest with the higher ones.
 * What this host has is among them. */
START_TEST(several_levels)
{
    enum { HALF = 4 };
    char levels[2][128] = {"", ""};
    const char *name;
    for (size_t i = 0; (name = aic_isa_name(i)) != NULL; i++) {
        char *list = levels[i < HALF ? 0 : 1];
        if (strcmp(name, "amx") != 0) {
            const char *first = i < HALF || list[0] != '\0' ? "" : aic_isa_name(0);
            strcat(list, first);
            strcat(strcat(list, list[0] != '\0' ? "," : ""), name);
        }
    }
    for (int half = 0; half < 2 && levels[half][0] != '\0'; half++) {
        check_all(levels[half]);
    }
}
END_TEST

/* ---- requests that cannot be ---- */

START_TEST(refused_names_and_levels)
{
    static const struct {
        const char *first, *second, *isa, *triple, *message;
    } rows[] = {
        {"a", "a", NULL, NULL, "name: \"a\" and \"a\" would share"},
        {"a", "A", NULL, NULL, "name: \"a\" and \"A\" would share"},
        {"a", "a_pack", NULL, NULL, "would share"},
        {"a_packed", "a", NULL, NULL, "would share"},
        {"a_b", "A_B", NULL, NULL, "\"a_b\" and \"A_B\" would share a function or a macro, A_B_"},
        {"a", "A_SRC_BYTES", NULL, NULL, "\"a\" and \"A_SRC_BYTES\" would share a function or a macro, A_SRC_BYTES"},
        {"A_WORKSPACE_BYTES", "a", NULL, NULL, "would share a function or a macro, A_WORKSPACE_BYTES"},
        {"AICJIT_B_KERNELS_H", "b", NULL, NULL, "would share a function or a macro, AICJIT_B_KERNELS_H"},
        {"main", "b", NULL, NULL, "name: \"main\" is where programs begin"},
        {"b", "linux", NULL, NULL, "name: \"linux\" is a macro of compilers"},
        {"b", "printf", NULL, NULL, "name: \"printf\" is a name of the C library"},
        {"b", "finite", NULL, NULL, "name: \"finite\" is a name of the C library"}, /* of <math.h> by default */
        {"b", "daemon", NULL, NULL, "name: \"daemon\" is a name of the C library"},
        {"std", "b", NULL, NULL, "name: \"std\" is a namespace of C++"},
        {"b", "size_t", NULL, NULL, "name: \"size_t\" ends as POSIX has its types end"},
        {"dev_t", "b", NULL, NULL, "name: \"dev_t\" ends as POSIX has its types end"},
        {"__b", "b", NULL, NULL, "no C identifier"},
        {"_B", "b", NULL, NULL, "no C identifier"},
        {"", "b", NULL, NULL, "no C identifier"},
        {"1a", "b", NULL, NULL, "no C identifier"},
        {"a-b", "b", NULL, NULL, "no C identifier"},
        {"_a", "b", NULL, NULL, "no C identifier"},
        {"while", "b", NULL, NULL, "name: \"while\" is a keyword"},
        {"b", "template", NULL, NULL, "is a keyword"},
        {"a23456789012345678901234567890123456789012345678901234567890123456789012345678901", "b", NULL, NULL,
         "longer"},
        {"a", "b", "avx9", "x86_64-linux-gnu", "isa: \"avx9\" is no instruction set level"},
        {"a", "b", "", "x86_64-linux-gnu", "isa: \"\" is no instruction set level"},
        {"a", "b", "sse2,", "x86_64-linux-gnu", "isa: \"\" is no instruction set level"},
        {"a", "b", "sse2,sse2", "x86_64-linux-gnu", "isa: level sse2 is named twice"},
        {"a", "b", "avx2,sse2,sse2", "x86_64-linux-gnu", "isa: level sse2 is named twice"},
        {"a", "b", "sse2,amx", "x86_64-linux-gnu", "isa: level amx cannot be one of several"},
        {"a", "b", "avx2", "aarch64-linux-gnu", "isa: \"avx2\" is no instruction set level"},
        {"a", "b", NULL, "riscv64-linux-gnu", "target: \"riscv64-linux-gnu\""},
    };
    const aic_spec spec = spec_of("transdata(dtype=int8, src=ND, dst=Nz, shape=[16,32])");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const aic_export_kernel kernels[] = {{sizeof(aic_export_kernel), &spec, rows[i].first, NULL},
                                             {sizeof(aic_export_kernel), &spec, rows[i].second, NULL}};
        aic_exported made = aic_exported_init();
        ck_assert_msg(aic_export(NULL, kernels, 2, rows[i].isa, rows[i].triple, &made) == AIC_INVALID_ARGUMENT,
                      "row %zu", i);
        ck_assert_msg(strstr(aic_last_error(), rows[i].message) != NULL, "row %zu: %s", i, aic_last_error());
        ck_assert_ptr_null(made.object);
    }
}
END_TEST

/* Kernels that cannot be made, and numbers of them. */
START_TEST(refused_kernels)
{
    const aic_spec spec = spec_of("transdata(dtype=int8, src=ND, dst=Nz, shape=[16,32])");
    aic_exported made = aic_exported_init();
    aic_spec bad = spec;
    bad.stage[0].desc.transdata.shape[0] = -1;
    const aic_export_kernel kernel = {sizeof(aic_export_kernel), &spec, NULL, "schedule(frob=1)"},
                            broken = {sizeof(aic_export_kernel), &bad, NULL, NULL},
                            none = {sizeof(aic_export_kernel), NULL, NULL, NULL};
    ck_assert_int_eq(aic_export(NULL, &kernel, 1, NULL, NULL, &made), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_export(NULL, &broken, 1, NULL, NULL, &made), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_export(NULL, &none, 1, NULL, NULL, &made), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_export(NULL, &kernel, 0, NULL, NULL, &made), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_export(NULL, &kernel, AIC_EXPORT_MAX + 1, NULL, NULL, &made), AIC_INVALID_ARGUMENT);
    aic_export_kernel many[AIC_EXPORT_MAX / 2 + 1];
    for (size_t i = 0; i < sizeof many / sizeof many[0]; i++) {
        many[i] = (aic_export_kernel){sizeof(aic_export_kernel), &spec, NULL, NULL};
    }
    ck_assert_int_eq(aic_export(NULL, many, AIC_EXPORT_MAX / 2 + 1, "sse2,avx2", "x86_64-linux-gnu", &made),
                     AIC_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(aic_last_error(), "129 kernels for 2 levels are more than 256"));
}
END_TEST

/* Names of every kind that programs have already, and their neighbours, which nobody has. */
START_TEST(names_of_others)
{
    static const char *const TAKEN[] = {
        "while",  "typeof", "nullptr",   "main",        "unix",       "i386",         "abort",       "wscanf",
        "memcpy", "malloc", "write",     "fork",        "errno",      "stdin",        "environ",     "assert",
        "sin",    "sinf",   "sinl",      "fmaxf",       "cabsl",      "size_t",       "int8_t",      "FILE",
        "NULL",   "EOF",    "INT_MAX",   "INT64_C",     "EINVAL",     "E2BIG",        "SIGINT",      "LC_ALL",
        "PRId64", "SCNx8",  "FE_UPWARD", "FLT_EPSILON", "atomic_add", "pthread_self", "posix_spawn", "thrd_create",
        "strdup", "bzero",  "I",         "va_arg",      "setjmp",     "complex",      "or_eq",       "DBL_MAX",
    };
    static const char *const FREE[] = {
        "main2",  "conv",   "a",        "sinful",  "pow3",  "streams", "memory",   "tokens", "Printf",     "print",
        "writes", "layer1", "linux_a",  "PRIVATE", "PRIce", "SCNz",    "Encode",   "Error",  "internal",   "Sigma",
        "tm",     "string", "pack_all", "maximum", "int8",  "float16", "and_then", "whiles", "INTERLEAVE", "Strided",
    };
    for (size_t i = 0; i < sizeof TAKEN / sizeof TAKEN[0]; i++) {
        ck_assert_msg(aic_export_reserved(TAKEN[i]) != NULL, "%s", TAKEN[i]);
    }
    for (size_t i = 0; i < sizeof FREE / sizeof FREE[0]; i++) {
        ck_assert_msg(aic_export_reserved(FREE[i]) == NULL, "%s %s", FREE[i], aic_export_reserved(FREE[i]));
    }
}
END_TEST

static int compare_words(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* No macro or function of the header has the name of another one. */
static void check_declared_once(const char *header)
{
    enum { MOST = 128, BYTES = 160 };
    static const char *const WORDS[] = {"\n#define ", "\nvoid "};
    static char declared[MOST][BYTES];
    size_t count = 0;
    for (size_t w = 0; w < 2; w++) {
        for (const char *at = strstr(header, WORDS[w]); at != NULL; at = strstr(at + 1, WORDS[w])) {
            const char *name = at + strlen(WORDS[w]);
            ck_assert_uint_lt(count, MOST);
            snprintf(declared[count++], BYTES, "%.*s", (int)strcspn(name, " (\n"), name);
        }
    }
    ck_assert_uint_gt(count, 2);
    qsort(declared, count, BYTES, compare_words);
    for (size_t i = 1; i < count; i++) {
        ck_assert_str_ne(declared[i - 1], declared[i]);
    }
}

/* Names that are near each other, with everything that may be made of them. */
START_TEST(names_beside_each_other)
{
    static const char *const NAMES[] = {"a",       "a_src", "A_DST",       "b_pack", "b2",
                                        "B_PACKS", "bytes", "a_workspace", "A_c"};
    enum { COUNT = sizeof NAMES / sizeof NAMES[0] };
    const aic_spec move = spec_of("transdata(dtype=int8, src=ND, dst=Nz, shape=[16,32])");
    const aic_spec layer = spec_of("mmad(dtype=int8, m=5, n=16, k=32)");
    aic_export_kernel kernels[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        kernels[i] =
            (aic_export_kernel){.size = sizeof kernels[i], .spec = i % 2 == 0 ? &layer : &move, .name = NAMES[i]};
    }
    aic_exported made = aic_exported_init();
    ck_assert_msg(aic_export(NULL, kernels, COUNT, NULL, NULL, &made) == AIC_OK, "%s", aic_last_error());
    check_declared_once(made.header);
    aic_exported_destroy(&made);
}
END_TEST

/* Names that nobody gave avoid each other and those that somebody did. */
START_TEST(made_names)
{
    const aic_spec move = spec_of("transdata(dtype=int8, src=ND, dst=Nz, shape=[16,32])");
    const aic_spec chain =
        spec_of("mmad(dtype=int8, m=5, n=16, k=32) | fixpipe(src=int32, dst=float16, quantPre=DEQF16)");
    const aic_export_kernel kernels[] = {{sizeof(aic_export_kernel), &move, NULL, NULL},
                                         {sizeof(aic_export_kernel), &chain, NULL, NULL},
                                         {sizeof(aic_export_kernel), &move, "Transdata", NULL},
                                         {sizeof(aic_export_kernel), &move, NULL, NULL}};
    static const char *const declared[] = {"void transdata_2(", "void mmad_fixpipe(", "void Transdata(",
                                           "void transdata_3("};
    aic_exported made = aic_exported_init();
    ck_assert_msg(aic_export(NULL, kernels, 4, NULL, NULL, &made) == AIC_OK, "%s", aic_last_error());
    const char *at = made.header;
    for (size_t i = 0; i < 4; i++) {
        at = strstr(at, declared[i]);
        ck_assert_msg(at != NULL, "%s", declared[i]);
    }
    aic_exported_destroy(&made);
    aic_exported_destroy(NULL);
}
END_TEST

/* Code for another system leaves nothing behind of which kernels for this one are made. */
START_TEST(other_systems)
{
    const char *isa = aic_isa_name(0),
               *triple = strcmp(aic_isa_name(1), "sse2") == 0 ? "x86_64-linux-musl" : "aarch64-linux-musl";
    const aic_spec spec = spec_of("transdata(dtype=int8, src=ND, dst=Nz, shape=[16,32])");
    const aic_export_kernel kernel = {sizeof(aic_export_kernel), &spec, NULL, NULL};
    aic_exported made = aic_exported_init();
    char *text;
    size_t size;
    ck_assert_msg(aic_export(NULL, &kernel, 1, isa, triple, &made) == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(aic_dump(NULL, &spec, NULL, AIC_DUMP_IR, isa, NULL, &text, &size), AIC_OK);
    ck_assert_ptr_null(strstr(text, "musl"));
    aic_free(text);
    aic_exported_destroy(&made);
}
END_TEST

Suite *suite_export(void)
{
    Suite *suite = suite_create("export");
    TCase *tcase = tcase_create("export");
    tcase_set_timeout(tcase, 240);
    tcase_add_test(tcase, one_level);
    tcase_add_test(tcase, several_levels);
    tcase_add_loop_test(tcase, known_words, 0, 2);
    tcase_add_test(tcase, refused_names_and_levels);
    tcase_add_test(tcase, refused_kernels);
    tcase_add_test(tcase, made_names);
    tcase_add_test(tcase, names_of_others);
    tcase_add_test(tcase, names_beside_each_other);
    tcase_add_test(tcase, other_systems);
    suite_add_tcase(suite, tcase);
    return suite;
}
