/* aicjit-tests [SUITE]...: runs the suites of suites.def, or those named, each test in a process of its own (CK_FORK=no
 * in the environment: in this one). A line an instruction set level says how it ran, or that it did not. The last line
 * is "N passed, N failed"; the exit status is 0 only when nothing failed. A suite leaves out tests of what this host
 * cannot run, so that they do not count as passed; it may have none left.
 *
 * aicjit-tests --list: a line a suite, with its name and either "library" or "kernels". */
#include "codegen/codegen.h"
#include "codegen/llvm/load.h"
#include "codegen/target/host.h"
#include "frontend/core/spec.h"
#include "runtime/threads/pool.h"
#include "tests/claims.h"
#include "tests/levels.h"

#include <aic/types.h>

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AIC_SUITE(name) Suite *suite_##name(void);
#include "tests/suites.def"
#undef AIC_SUITE

#define AIC_SHARED_SUITE(name) {#name, "library", suite_##name, true},
#ifdef AIC_NO_KERNEL_SUITES /* CMake's AIC_KERNEL_SUITES is off */
#define AIC_KERNEL_SUITE(name)
#define AIC_SHARING_SUITE(name)
#else
#define AIC_KERNEL_SUITE(name) {#name, "kernels", suite_##name, false},
#define AIC_SHARING_SUITE(name) {#name, "kernels", suite_##name, true},
#endif

static const struct {
    const char *name, *kind;
    Suite *(*make)(void);
    bool shares; /* its tests may have the folder of kernels */
} suites[] = {
#define AIC_SUITE(name) {#name, "library", suite_##name, false},
#include "tests/suites.def"
#undef AIC_SUITE
};

enum { SUITES = sizeof suites / sizeof suites[0] };

static int list(void)
{
    for (int i = 0; i < SUITES; i++) {
        printf("%s %s\n", suites[i].name, suites[i].kind);
    }
    return EXIT_SUCCESS;
}

static int usage(void)
{
    fprintf(stderr, "usage: aicjit-tests [SUITE]..., SUITE one of");
    for (int i = 0; i < SUITES; i++) {
        fprintf(stderr, " %s", suites[i].name);
    }
    fprintf(stderr, "\n");
    return 2;
}

static bool is_chosen(const char *name, int count, char **wanted)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(wanted[i], name) == 0) {
            return true;
        }
    }
    return count == 0;
}

/* Whether every name is a suite's, and none comes twice. */
static bool are_suites(int count, char **wanted)
{
    int found = 0;
    for (int i = 0; i < SUITES; i++) {
        found += is_chosen(suites[i].name, count, wanted);
    }
    return count == 0 || found == count;
}

/* Tests are processes of their own, and so each of them makes what others have made. A suite that runs alone and may
 * share it does so in a folder in AIC_TEST_CACHE, if the environment has one: tools/dev test makes it anew for every
 * run, so that it holds what this build has made there. All other suites make everything themselves: tests of the disk
 * cache have contexts with a folder of their own. */
static void choose_cache(int count, char **wanted)
{
    const char *folder = getenv("AIC_TEST_CACHE");
    (void)setenv("AIC_CACHE", "off", 1);
    for (int i = 0; count == 1 && folder != NULL && i < SUITES; i++) {
        char path[4096];
        if (suites[i].shares && strcmp(suites[i].name, wanted[0]) == 0 &&
            snprintf(path, sizeof path, "%s/kernels", folder) < (int)sizeof path) {
            (void)setenv("AIC_CACHE", "rw", 1);
            (void)setenv("AIC_CACHE_DIR", path, 1);
        }
    }
}

/* Limits of time are for tests that hang: other programs may have the processors. */
static void allow_for_load(void)
{
    (void)setenv("CK_DEFAULT_TIMEOUT", "60", 0);
    (void)setenv("CK_TIMEOUT_MULTIPLIER", "10", 0);
}

/* ---- LLVM before tests ---- */

/* A part is made, and nothing else is done with it. */
static aic_status take(aic_part_source *source, const aic_part_identity *identity,
                       aic_status (*make)(void *what, aic_piece *piece), void *what, const aic_piece **piece,
                       aic_part_origin *origin)
{
    enum { MADE_MAX = 16 };
    static aic_piece made[MADE_MAX];
    static int count;
    (void)source, (void)identity;
    *piece = &made[count];
    *origin = AIC_PART_MADE;
    return count < MADE_MAX ? make(what, &made[count++]) : AIC_UNSUPPORTED;
}

static void give_back(aic_part_source *source, const aic_piece *piece)
{
    (void)source, (void)piece;
}

/* LLVM's first code in a process takes it some 15 ms more than the same later: passes are registered, tables are made.
 * Tests are processes that have what this one has. */
static aic_status make_first_code(void)
{
    aic_part_source parts = {.take = take, .give_back = give_back};
    const aic_semantics semantics = aic_semantics_init();
    const aic_target *target = aic_host_best(aic_host_this(), aic_host_arch());
    aic_spec spec, canonical;
    aic_status status = aic_spec_read("tensor_arithmetic(op=BM_ADD, shape=[1,1,4,16])", &spec);
    if (status == AIC_OK) {
        status = aic_spec_resolve_kernel(&spec, &semantics, &canonical);
    }
    const aic_codegen_request request = {.count = 1,
                                         .spec = &canonical,
                                         .semantics = &semantics,
                                         .target = target,
                                         .machine = aic_machine_of(AIC_CORE_ZEN4),
                                         .parts = &parts};
    return status == AIC_OK ? aic_codegen_take_parts(&request) : status;
}

/* Suites of the library may be about what LLVM's first use does in a process. */
static bool are_about_kernels(int count, char **wanted)
{
    bool all = count > 0;
    for (int i = 0; i < SUITES; i++) {
        all = all &&
              (!is_chosen(suites[i].name, count, wanted) || suites[i].shares || strcmp(suites[i].kind, "kernels") == 0);
    }
    return all;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        return list();
    }
    if (!are_suites(argc - 1, argv + 1)) {
        return usage();
    }
    choose_cache(argc - 1, argv + 1);
    allow_for_load();
    claims_make();
    aic_pool_sleep_at_once(true);
    aic_llvm_verify_modules(true);
    /* Some call the generator's emitters by themselves. */
    if (aic_llvm_load() != AIC_OK || (are_about_kernels(argc - 1, argv + 1) && make_first_code() != AIC_OK)) {
        printf("%s\n", aic_last_error());
        return EXIT_FAILURE;
    }
    levels_begin();
    SRunner *runner = srunner_create(NULL);
    for (int i = 0; i < SUITES; i++) {
        if (is_chosen(suites[i].name, argc - 1, argv + 1)) {
            srunner_add_suite(runner, suites[i].make());
        }
    }
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    int passed = srunner_ntests_run(runner) - failed;
    srunner_free(runner);
    levels_report();
    const bool filtered = getenv("CK_RUN_SUITE") != NULL || getenv("CK_RUN_CASE") != NULL;
    const bool misnamed = passed + failed == 0 && filtered;
    if (passed + failed == 0) {
        puts(misnamed ? "no test is of the suite and case that CK_RUN_SUITE and CK_RUN_CASE name"
                      : "nothing of this suite can run on this host");
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 && !misnamed ? EXIT_SUCCESS : EXIT_FAILURE;
}
