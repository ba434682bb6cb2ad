/*
 * To what of the generator does a run come? What clang calls in a program or library that was compiled with
 * -fsanitize-coverage=inline-bool-flag,pc-table: a byte for each block of code, which the block sets, and where its
 * code begins. When the run ends, each library writes the offsets of the blocks that were run to the folder $AIC_REACH,
 * a file for each process. A process that a signal ends writes none.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void __sanitizer_cov_bool_flag_init(const unsigned char *begin, const unsigned char *end);
void __sanitizer_cov_pcs_init(const uintptr_t *begin, const uintptr_t *end);

static const unsigned char *flags;
static const unsigned char *flags_end;
static const uintptr_t *blocks; /* of each block where it begins, and what it is */

/* Called once for each object file, always with the same. */
void __sanitizer_cov_bool_flag_init(const unsigned char *begin, const unsigned char *end)
{
    flags = begin;
    flags_end = end;
}

void __sanitizer_cov_pcs_init(const uintptr_t *begin, const uintptr_t *end)
{
    (void)end;
    blocks = begin;
}

/* write_blocks writes a line for each block that was run, or with ALL for each one there is. */
static void write_blocks(const char *folder, bool all)
{
    Dl_info here;
    char path[4096];
    if (dladdr((const void *)blocks, &here) == 0) {
        abort();
    }
    const char *name = strrchr(here.dli_fname, '/');
    snprintf(path, sizeof path, "%s/%s.%ld%s", folder, name ? name + 1 : here.dli_fname, (long)getpid(),
             all ? ".all" : "");
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return; /* as if it had not been asked for: the test may forbid files */
    }
    for (size_t i = 0; i < (size_t)(flags_end - flags); i++) {
        if (all || flags[i] != 0) {
            fprintf(file, "%lx\n", (unsigned long)(blocks[2 * i] - (uintptr_t)here.dli_fbase));
        }
    }
    fclose(file);
}

__attribute__((destructor)) static void end(void)
{
    const char *folder = getenv("AIC_REACH");
    if (folder != NULL && blocks != NULL) {
        write_blocks(folder, false);
        if (getenv("AIC_REACH_ALL"))
            write_blocks(folder, true);
    }
}
