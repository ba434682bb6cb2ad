/* The names of systems that objects are made for: those of 64-bit Linux, and all others are refused. */
#include "frontend/core/stage.h"
#include "tests/levels.h"
#include "tests/specs.h"

#include <aic/kernel.h>
#include <check.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

Suite *suite_triples(void);

static const char *const arches[] = {"x86_64",  "aarch64", "aarch64_be", "aarch64_32", "arm64",   "arm64e", "arm64ec",
                                     "amd64",   "x86_64h", "x86-64",     "x86",        "i386",    "i686",   "arm",
                                     "riscv64", "ppc64le", "mips64",     "wasm64",     "spirv64", "X86_64", ""};
static const char *const vendors[] = {NULL, "unknown", "pc", "redhat", "suse", "apple", "ibm", "scei", ""};
static const char *const systems[] = {"linux",  "windows", "darwin", "macosx", "freebsd",    "none",
                                      "uefi",   "zos",     "aix",    "wasi",   "emscripten", "cuda",
                                      "hermit", "ps5",     "linux2", "Linux",  "nothing",    ""};
static const char *const environments[] = {
    NULL,    "gnu",    "musl",        "android", "gnux32",   "muslx32", "gnu_ilp32", "gnuf32", "gnueabi",
    "msvc",  "cygnus", "itanium",     "coreclr", "elf",      "macho",   "coff",      "wasm",   "goff",
    "xcoff", "spirv",  "dxcontainer", "gnu-elf", "gnu-goff", "GNU",     "gnu2",      ""};

enum {
    ARCHES = sizeof arches / sizeof arches[0],
    VENDORS = sizeof vendors / sizeof vendors[0],
    SYSTEMS = sizeof systems / sizeof systems[0],
    ENVIRONMENTS = sizeof environments / sizeof environments[0],
    GENERATED = 2, /* of the architectures: the first ones */
    ACCEPTED = 4,  /* of the environments: the first ones */
    NAMED = VENDORS - 1,
    OTHERS = 5 /* of the triples of other architectures, all refused, one in so many is tried: all words in turn */
};

/* A triple of 64-bit Linux makes an object, every other one is refused by its text. */
START_TEST(triples)
{
    const aic_spec spec = spec_of("tensor_arithmetic(op=BM_MAC, shape=[2,3,5,67], input1_stride=[0,1,0,0])");
    for (int v = 0; v < VENDORS; v++) {
        for (int e = 0; e < ENVIRONMENTS; e++) {
            for (int s = 0; s < SYSTEMS; s++) {
                char triple[128], *bytes = NULL;
                if (_i >= GENERATED && (v + e + s) % OTHERS != 0 && levels_campaign() == 0) {
                    continue;
                }
                size_t size = 0;
                (void)snprintf(triple, sizeof triple, "%s%s%s-%s%s%s", arches[_i], vendors[v] == NULL ? "" : "-",
                               vendors[v] == NULL ? "" : vendors[v], systems[s], environments[e] == NULL ? "" : "-",
                               environments[e] == NULL ? "" : environments[e]);
                const bool accepted = _i < GENERATED && v < NAMED && s == 0 && e < ACCEPTED;
                const aic_status status = aic_dump(NULL, &spec, NULL, AIC_DUMP_OBJ, "generic", triple, &bytes, &size);
                ck_assert_msg(status == (accepted ? AIC_OK : AIC_INVALID_ARGUMENT), "%s: %s", triple, aic_last_error());
                ck_assert(accepted ? memcmp(bytes, ELFMAG, SELFMAG) == 0 : strstr(aic_last_error(), triple) != NULL);
                aic_free(bytes);
            }
        }
    }
}
END_TEST

Suite *suite_triples(void)
{
    Suite *suite = suite_create("triples");
    TCase *tcase = tcase_create("triples");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, triples, 0, ARCHES);
    suite_add_tcase(suite, tcase);
    return suite;
}
