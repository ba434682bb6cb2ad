/* Tuning files in tests; see tune_case.h. */
#include "tests/tune_case.h"
#include "frontend/core/spec.h"
#include "tests/machines.h"
#include "tests/specs.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void tune_folder_open(tune_folder *f)
{
    snprintf(f->folder, sizeof f->folder, "/tmp/aicjit-tune-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(f->folder));
    snprintf(f->file, sizeof f->file, "%s/tuning.txt", f->folder);
}

void tune_folder_close(const tune_folder *f)
{
    DIR *folder = opendir(f->folder);
    ck_assert_ptr_nonnull(folder);
    ck_assert_int_eq(chmod(f->folder, 0700), 0);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[512];
        snprintf(name, sizeof name, "%s/%s", f->folder, entry->d_name);
        if (entry->d_name[0] != '.') {
            ck_assert_int_eq(unlink(name), 0);
        }
    }
    closedir(folder);
    ck_assert_int_eq(rmdir(f->folder), 0);
}

aic_tune_record tune_record_of(const char *text, int effort, const char *schedule, double tuned, double standard)
{
    const aic_semantics semantics = aic_semantics_init();
    const aic_tune_time times[] = {{tuned, tuned * 0.99, tuned * 1.01}, {standard, standard * 0.99, standard * 1.01}};
    const aic_spec spec = spec_of(text);
    aic_spec resolved;
    aic_tune_record record;
    char *key;
    ck_assert_int_eq(aic_spec_resolve_kernel(&spec, &semantics, &resolved), AIC_OK);
    const aic_problem problem = {&resolved, &semantics, aic_target_find(AIC_ARCH_X86_64, "avx2"), machine_of(NULL)};
    ck_assert_int_eq(aic_tune_key(&problem, NULL, &key), AIC_OK);
    ck_assert_int_eq(aic_tune_record_make(key, effort, schedule, &times[0], &times[1], &record), AIC_OK);
    free(key);
    return record;
}

void tune_put(const char *path, aic_tune_record record)
{
    aic_tune_file added = {.count = 0};
    ck_assert_int_eq(aic_tune_file_add(&added, &record), AIC_OK);
    ck_assert_msg(aic_tune_file_merge(path, &added, 5, NULL) == AIC_OK, "%s", aic_last_error());
}

char *tune_read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    enum { MOST = 1 << 20 };
    char *text = calloc(1, MOST);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_lt(fread(text, 1, MOST, file), MOST);
    fclose(file);
    return text;
}

void tune_write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}
