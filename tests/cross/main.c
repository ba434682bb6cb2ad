/* aicjit-cross: AArch64 kernels under an emulator against the reference. tests/cross/run.sh prepares and starts it.
 *
 *     aicjit-cross WORK [LEVEL OVERFLOW SPEC SEED]
 *
 * A SPEC that ends in " @ SCHEDULE" is not for the default schedule but for this one.
 * WORK/driver is the AArch64 program driver.c; everything else in WORK is this program's own. Without more, every
 * level runs every specification of specs.def with some of SEEDS contents, and RANDOM_SPECS random ones of every
 * operator and of every operator as the begin of a chain; a failure prints the arguments that repeat it alone. Each
 * level runs on the emulated processor of levels[], which has that level and, where the emulator knows such a one, no
 * more: an instruction beyond it is an illegal instruction.
 *
 * Code that ran right at the level before, byte for byte, is not run again, the linker sees each specification at one
 * level, and the contents are SAMPLE that move on from specification to specification and from level to level; a
 * campaign (AIC_CAMPAIGN) runs and links everything with all contents, and makes at every level what else takes turns
 * (is_turn). */
#include "codegen/codegen.h"
#include "frontend/core/spec.h"
#include "tests/cross/ways.h"
#include "tools/harness/element.h"
#include "tools/harness/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { SEEDS = 8, SAMPLE = 3, RANDOM_SPECS = 5 };
enum { INPUT = 1, PACKABLE }; /* numbers of operands: the first input, and the one that may be packed */

extern char **environ;

static const struct {
    const char *name, *processor;
} levels[] = {
    {"generic", "cortex-a53"}, /* Armv8.0 */
    {"neon", "cortex-a53"},    /* Armv8.0 */
    {"dotprod", "cortex-a76"}, /* Armv8.2 with dot products, without i8mm */
    {"i8mm", "max"},
};

enum { LEVELS = sizeof levels / sizeof levels[0] };

static const char *const modes[] = {[AIC_OVERFLOW_SATURATE] = "saturate", [AIC_OVERFLOW_IEEE] = "ieee"};

static const struct {
    aic_overflow overflow;
    const char *text;
} specs[] = {
#define CROSS_SPEC(mode, text) {AIC_OVERFLOW_##mode, text},
#include "tests/cross/specs.def"
#undef CROSS_SPEC
};

/* Micro-kernels of a level with more tiles than the default rule chooses. */
static const struct {
    const char *level, *text;
} schedules[] = {
#define CROSS_SCHEDULE(level, text) {level, text},
#include "tests/cross/schedules.def"
#undef CROSS_SCHEDULE
};

/* What the contents of all cases together have to show, or the test would be weaker than it says. */
typedef struct coverage {
    bool subnormal_input, saturated_result, largest_half, nan_result, infinite_result;
} coverage;

/* The code of a specification at the last level that ran it right; no bytes: none did. */
typedef struct shown {
    aic_image image;
    aic_requirements requirements;
} shown;

/* Specifications that every level has. */
enum { SHARED = sizeof specs / sizeof specs[0] + AIC_OP_END * RANDOM_SPECS * 2 };

typedef struct cross {
    const char *work;
    coverage seen;
    shown shown[SHARED];
    int passed, failed, same;
} cross;

static bool is_campaign(void)
{
    return getenv("AIC_CAMPAIGN") != NULL;
}

static int run_program(char *const argv[])
{
    pid_t child;
    int error = posix_spawnp(&child, argv[0], NULL, NULL, argv, environ), status;
    if (error != 0) {
        fprintf(stderr, "%s: %s\n", argv[0], strerror(error));
        return -1;
    }
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "%s: ended by signal %d\n", argv[0], WTERMSIG(status));
        return -1;
    }
    return WEXITSTATUS(status);
}

/* ---- files ---- */

#define PATH_BYTES 4096

static bool write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    bool good = file != NULL && fwrite(bytes, 1, size, file) == size;
    good = file != NULL && fclose(file) == 0 && good;
    if (!good) {
        perror(path);
    }
    return good;
}

/* Reads exactly `size` bytes; anything else in the file is a failure. */
static bool read_file(const char *path, void *bytes, size_t size)
{
    FILE *file = fopen(path, "rb");
    bool good = file != NULL && fread(bytes, 1, size, file) == size && fgetc(file) == EOF;
    if (file != NULL) {
        fclose(file);
    }
    if (!good) {
        fprintf(stderr, "%s: missing or not of %zu bytes\n", path, size);
    }
    return good;
}

static void folder_of(const cross *x, size_t number, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/case%zu", x->work, number);
}

/* Operands of a case into its folder; the results of an earlier case there are removed. */
static bool write_case(const verify_case *c, const char *folder)
{
    char path[PATH_BYTES + 32];
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        perror(folder);
        return false;
    }
    for (int way = 0; way < CROSS_WAYS; way++) {
        snprintf(path, sizeof path, "%s/result.%d", folder, way);
        (void)remove(path);
    }
    for (size_t i = 0; i < c->count; i++) {
        snprintf(path, sizeof path, "%s/operand.%zu", folder, i);
        if (c->operand[i].direction != AIC_DIRECTION_UNUSED &&
            !write_file(path, c->content[i].data, (size_t)c->operand[i].bytes)) {
            return false;
        }
    }
    return true;
}

/* ---- one specification at one level ---- */

/* A specification that is tested, and its kernel. */
typedef struct subject {
    size_t level;
    const char *text;
    shown *shown; /* NULL: no other level has it */
    bool is_linked;
    aic_semantics semantics;
    aic_spec spec;       /* resolved */
    aic_spec canonical;  /* what its kernel is made of */
    char alignments[32]; /* bytes of an element of every operand, 0: not used */
    aic_object object;   /* the image is in two parts, as kernels are compiled that are called at once */
} subject;

/* The object as a whole, for the linker. */
static bool link_kernel(const cross *x, const aic_codegen_request *request)
{
    char object[PATH_BYTES], library[PATH_BYTES];
    aic_object whole;
    if (aic_generator_linked()->object(request, &whole) != AIC_OK) {
        return false;
    }
    snprintf(object, sizeof object, "%s/kernel.o", x->work);
    snprintf(library, sizeof library, "%s/kernel.so", x->work);
    const bool written = write_file(object, whole.bytes, whole.size);
    aic_object_free(&whole);
    char linker[] = "aarch64-linux-gnu-ld", shared[] = "-shared", defined[] = "-zdefs", output[] = "-o";
    char *const argv[] = {linker, shared, defined, output, library, object, NULL};
    return written && run_program(argv) == 0;
}

static bool make_object(const cross *x, subject *s)
{
    enum { TEXT_BYTES = 4096 };
    static const char AT[] = " @ ";
    char text[TEXT_BYTES];
    const char *at = strstr(s->text, AT);
    snprintf(text, sizeof text, "%.*s", (int)(at != NULL ? at - s->text : (ptrdiff_t)strlen(s->text)), s->text);
    const aic_target *target = aic_target_find(AIC_ARCH_AARCH64, levels[s->level].name);
    aic_codegen_request request = {.count = 1,
                                   .spec = &s->canonical,
                                   .schedule = at != NULL ? at + strlen(AT) : NULL,
                                   .semantics = &s->semantics,
                                   .target = target,
                                   .machine = aic_machine_of(AIC_CORE_ZEN4),
                                   .triple = aic_target_triple(AIC_ARCH_AARCH64),
                                   .symbol = "kernel"};
    aic_status status = target != NULL ? aic_spec_read(text, &s->spec) : AIC_INVALID_ARGUMENT;
    status = status == AIC_OK ? aic_spec_resolve_kernel(&s->spec, &s->semantics, &s->canonical) : status;
    status = status == AIC_OK ? aic_spec_resolve(&s->spec, &s->semantics, &s->spec) : status;
    request.divided = true;
    status = status == AIC_OK ? aic_generator_linked()->object(&request, &s->object) : status;
    if (status != AIC_OK) {
        fprintf(stderr, "no object: %s: %s\n", aic_status_name(status), aic_last_error());
        return false;
    }
    request.divided = false;
    if (s->is_linked && !link_kernel(x, &request)) {
        aic_object_free(&s->object);
        return false;
    }
    return true;
}

/* Makes WORK/kernel.image. */
static bool write_image(const cross *x, const subject *s)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/kernel.image", x->work);
    return write_file(path, s->object.image.bytes, s->object.image.size);
}

static bool is_shown(const subject *s)
{
    const shown *known = s->shown;
    return known != NULL && known->image.bytes != NULL && known->image.size == s->object.image.size &&
           memcmp(known->image.bytes, s->object.image.bytes, known->image.size) == 0 &&
           memcmp(known->image.function, s->object.image.function, sizeof known->image.function) == 0 &&
           memcmp(&known->requirements, &s->object.requirements, sizeof known->requirements) == 0;
}

/* Keeps the code that ran, if it was right. */
static void keep_shown(subject *s, bool right)
{
    if (s->shown == NULL || is_campaign()) {
        return;
    }
    aic_image_free(&s->shown->image);
    *s->shown = (shown){.image = {.bytes = NULL}};
    if (right) {
        *s->shown = (shown){s->object.image, s->object.requirements};
        s->object.image = (aic_image){.bytes = NULL};
    }
}

/* "0,512,-1": where the image's functions begin. */
static void list_functions(const aic_image *image, char text[64])
{
    size_t length = 0;
    for (int f = 0; f < AIC_FUNCTIONS; f++) {
        const long long offset = image->function[f] == AIC_NO_FUNCTION ? -1 : (long long)image->function[f];
        length += (size_t)snprintf(text + length, 64 - length, "%s%lld", f > 0 ? "," : "", offset);
    }
}

/* Runs WORK/driver on the folders of cases first .. first+count-1. */
static bool emulate(const cross *x, const subject *s, size_t first, size_t count)
{
    enum { OPTIONS = 9 };
    char program[PATH_BYTES], image[PATH_BYTES], functions[64], model[32], alignments[32], numbers[2][32];
    static char folder[SEEDS][PATH_BYTES];
    snprintf(program, sizeof program, "%s/driver", x->work);
    snprintf(image, sizeof image, "%s/kernel.image", x->work);
    list_functions(&s->object.image, functions);
    snprintf(model, sizeof model, "%s", levels[s->level].processor);
    snprintf(numbers[0], sizeof numbers[0], "%" PRId64, aic_workspace_bytes(&s->object.requirements, AIC_PLAIN));
    snprintf(numbers[1], sizeof numbers[1], "%" PRId64, s->object.requirements.pack.bytes);
    snprintf(alignments, sizeof alignments, "%s", s->alignments);
    char emulator[] = "qemu-aarch64", cpu[] = "-cpu";
    char *argv[OPTIONS + SEEDS + 1] = {emulator,  cpu,        model,      program,   image,
                                       functions, numbers[0], numbers[1], alignments};
    for (size_t i = 0; i < count; i++) {
        folder_of(x, first + i, folder[i]);
        argv[OPTIONS + i] = folder[i];
    }
    return run_program(argv) == 0;
}

static void find_alignments(subject *s, const verify_case *c)
{
    size_t length = 0;
    for (size_t i = 0; i < c->count; i++) {
        size_t bytes = c->operand[i].direction == AIC_DIRECTION_UNUSED ? 0 : aic_dtype_size(c->operand[i].dtype);
        length +=
            (size_t)snprintf(s->alignments + length, sizeof s->alignments - length, "%s%zu", i > 0 ? "," : "", bytes);
    }
}

static void note_coverage(coverage *seen, const verify_case *c)
{
    const aic_operand *map = &c->operand[INPUT], *dst = &c->operand[c->output];
    const uint16_t *halves = c->content[INPUT].data;
    for (int64_t i = 0; map->dtype == AIC_FLOAT16 && i < map->elements; i++) {
        seen->subnormal_input |= (halves[i] & 0x7C00) == 0 && (halves[i] & 0x3FF) != 0;
    }
    for (int64_t i = 0; i < dst->elements; i++) {
        const unsigned char *at = (const unsigned char *)c->expected.data + (size_t)i * aic_dtype_size(dst->dtype);
        double value = element_to_double(dst->dtype, at);
        seen->saturated_result |= dst->dtype == AIC_INT32 && (value == INT32_MAX || value == INT32_MIN);
        seen->largest_half |= dst->dtype == AIC_FLOAT16 && fabs(value) == 65504;
        seen->nan_result |= isnan(value) != 0;
        seen->infinite_result |= isinf(value) != 0;
    }
}

/* Compares what every way of calling left in the case's folder. */
static bool check_case(const verify_case *c, const char *folder, verify_report *report)
{
    char path[PATH_BYTES + 32];
    size_t size = (size_t)c->operand[c->output].bytes;
    void *result = malloc(size);
    bool good = result != NULL;
    for (int way = 0; good && way < CROSS_WAYS; way++) {
        snprintf(path, sizeof path, "%s/result.%d", folder, way);
        good =
            read_file(path, result, size) && verify_compare(c, result, cross_ways[way].name, report) == VERIFY_PASSED;
    }
    free(result);
    return good;
}

static void report_failure(const subject *s, uint64_t seed, const char *why)
{
    printf("FAILED: %s\n  repeat: tests/cross/run.sh BUILD %s %s '%s' %" PRIu64 "\n", why, levels[s->level].name,
           modes[s->semantics.overflow], s->text, seed);
    fflush(stdout);
}

/* Fills and writes the cases of the seeds first .. first+count-1; the number of them that are open. */
static size_t open_cases(cross *x, const subject *s, uint64_t first, size_t count, verify_case *cases,
                         verify_report *report)
{
    char folder[PATH_BYTES];
    for (size_t i = 0; i < count; i++) {
        folder_of(x, i, folder);
        if (verify_open(&cases[i], &s->spec, &s->semantics, first + i, report) != VERIFY_PASSED ||
            !write_case(&cases[i], folder)) {
            verify_close(&cases[i]);
            return i;
        }
        note_coverage(&x->seen, &cases[i]);
    }
    return count;
}

/* Number of the first case that is wrong; `count` when all are right. */
static size_t first_wrong(const cross *x, const subject *s, const verify_case *cases, size_t count,
                          verify_report *report)
{
    size_t i = 0;
    if (!emulate(x, s, 0, count)) {
        snprintf(report->text, sizeof report->text, "the program under the emulator failed, its message is above");
        while (i + 1 < count && emulate(x, s, i, 1)) {
            i++;
        }
        return i;
    }
    char folder[PATH_BYTES];
    for (; i < count; i++) {
        folder_of(x, i, folder);
        if (!check_case(&cases[i], folder, report)) {
            break;
        }
    }
    return i;
}

/* Cases of the seeds first .. first+count-1 with one kernel. Returns the number of the first that is wrong. */
static size_t run_cases(cross *x, subject *s, uint64_t first, size_t count, verify_report *report)
{
    static verify_case cases[SEEDS];
    const size_t made = open_cases(x, s, first, count, cases, report);
    size_t wrong = made;
    if (made == count) {
        find_alignments(s, &cases[0]);
        wrong = write_image(x, s) ? first_wrong(x, s, cases, count, report) : 0;
    }
    for (size_t i = 0; i < made; i++) {
        verify_close(&cases[i]);
    }
    return wrong;
}

/* Whether a level may have instructions of its own for it: a product of bytes, or of bfloat16. */
static bool has_own_products(const char *text)
{
    const bool product =
        strncmp(text, "conv2d(", strlen("conv2d(")) == 0 || strncmp(text, "mmad(", strlen("mmad(")) == 0;
    return product && (strstr(text, "int8") != NULL || strstr(text, "bfloat16") != NULL);
}

/* Whether specification `number` is made for this level: of those above the lowest, which make the same code of most,
 * each has its turn, and all where they may differ. */
static bool is_turn(size_t level, const char *text, int number)
{
    return level == 0 || is_campaign() || has_own_products(text) || (size_t)number % (LEVELS - 1) == level - 1;
}

/* Whether the linker sees it at this level: in an ordinary run at one of those that have it. */
static bool is_link_turn(size_t level, const char *text, int number)
{
    if (number < 0 || is_campaign()) {
        return true;
    }
    return has_own_products(text) ? ((size_t)number + level) % LEVELS == 0 : (number % 2 == 0) == (level == 0);
}

/* One test. `number` is the specification's among those that every level has, -1 for others. */
static void test_spec(cross *x, size_t level, aic_overflow overflow, const char *text, uint64_t first, size_t count,
                      int number)
{
    verify_report report = {.text = "the kernel could not be made, the reason is above"};
    subject s = {.level = level, .text = text, .semantics = aic_semantics_init()};
    s.semantics.overflow = overflow;
    s.shown = number >= 0 ? &x->shown[number] : NULL;
    s.is_linked = is_link_turn(level, text, number);
    size_t wrong = 0;
    if (make_object(x, &s)) {
        const bool same = is_shown(&s);
        wrong = same ? count : run_cases(x, &s, first, count, &report);
        x->same += same;
        if (!same) {
            keep_shown(&s, wrong == count);
        }
        aic_object_free(&s.object);
    }
    if (wrong < count) {
        report_failure(&s, first + wrong, report.text);
    }
    *(wrong == count ? &x->passed : &x->failed) += 1;
}

static void test_drawn(cross *x, size_t level, const aic_spec *spec, uint64_t seed, int number)
{
    char text[4096];
    if (aic_spec_print(spec, text, sizeof text, NULL) != AIC_OK) {
        printf("FAILED: random specification %" PRIu64 ": %s\n", seed, aic_last_error());
        x->failed++;
        return;
    }
    if (!is_turn(level, text, number)) {
        return;
    }
    test_spec(x, level, seed % 2 == 0 ? AIC_OVERFLOW_SATURATE : AIC_OVERFLOW_IEEE, text, seed, 1, number);
}

/* RANDOM_SPECS of every operator, and of every chain that it can begin; `number` is the first one's. */
static void test_random(cross *x, size_t level, int number)
{
    for (int op = AIC_OP_NONE + 1; op < AIC_OP_END; op++) {
        for (uint64_t seed = 1; seed <= RANDOM_SPECS; seed++, number += 2) {
            aic_spec spec;
            if (aic_spec_draw((aic_op)op, NULL, seed, &spec) == AIC_OK) {
                test_drawn(x, level, &spec, seed, number);
            }
            if (aic_spec_draw_chain((aic_op)op, AIC_OP_NONE, NULL, seed, &spec) == AIC_OK) {
                test_drawn(x, level, &spec, seed, number + 1);
            }
        }
    }
}

static void test_coverage(cross *x)
{
    const struct {
        const char *what;
        bool seen;
    } rows[] = {
        {"a subnormal half as input", x->seen.subnormal_input}, {"a saturated int32 result", x->seen.saturated_result},
        {"the largest half as result", x->seen.largest_half},   {"a NaN as result", x->seen.nan_result},
        {"an infinite result", x->seen.infinite_result},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!rows[i].seen) {
            printf("FAILED: no case has %s\n", rows[i].what);
        }
        *(rows[i].seen ? &x->passed : &x->failed) += 1;
    }
}

/* A specification of specs.def. SAMPLE contents in a row begin at the first SEEDS - SAMPLE + 1 of them. */
static void test_row(cross *x, size_t level, size_t row)
{
    if (!is_turn(level, specs[row].text, (int)row)) {
        return;
    }
    const size_t count = is_campaign() ? SEEDS : SAMPLE;
    const uint64_t first = 1 + (row + level * SAMPLE) % (SEEDS - count + 1);
    test_spec(x, level, specs[row].overflow, specs[row].text, first, count, (int)row);
}

static void test_level(cross *x, size_t level)
{
    const int passed = x->passed, failed = x->failed, same = x->same;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        test_row(x, level, i);
    }
    for (size_t i = 0; i < sizeof schedules / sizeof schedules[0]; i++) {
        if (strcmp(schedules[i].level, levels[level].name) == 0) {
            test_spec(x, level, AIC_OVERFLOW_SATURATE, schedules[i].text, 1, 2, -1);
        }
    }
    test_random(x, level, (int)(sizeof specs / sizeof specs[0]));
    printf(
        "level %s of AArch64: emulated on %s, %d specifications right, %d wrong; %d have the code of a lower level\n",
        levels[level].name, levels[level].processor, x->passed - passed, x->failed - failed, x->same - same);
    fflush(stdout);
}

/* The one case that a failure named. */
static bool test_one(cross *x, char **argv)
{
    const bool ieee = strcmp(argv[1], modes[AIC_OVERFLOW_IEEE]) == 0;
    if (!ieee && strcmp(argv[1], modes[AIC_OVERFLOW_SATURATE]) != 0) {
        return false;
    }
    for (size_t level = 0; level < LEVELS; level++) {
        if (strcmp(levels[level].name, argv[0]) == 0) {
            test_spec(x, level, ieee ? AIC_OVERFLOW_IEEE : AIC_OVERFLOW_SATURATE, argv[2], strtoull(argv[3], NULL, 10),
                      1, -1);
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    static cross x;
    x.work = argv[1];
    if ((argc != 2 && argc != 6) || (argc == 6 && !test_one(&x, argv + 2))) {
        fprintf(stderr, "usage: aicjit-cross WORK [LEVEL OVERFLOW SPEC SEED]\n");
        return 2;
    }
    if (argc == 2) {
        for (size_t level = 0; level < LEVELS; level++) {
            test_level(&x, level);
        }
        test_coverage(&x);
    }
    printf("%d passed, %d failed\n", x.passed, x.failed);
    return x.failed == 0 && x.passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
