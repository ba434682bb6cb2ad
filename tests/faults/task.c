/* Operands, contexts and files of tasks; see task.h. */
#include "tests/faults/task.h"
#include "frontend/core/spec.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATTERN = 0x5A };

_Alignas(64) unsigned char task_memory[AIC_OPERANDS_MAX][TASK_BYTES];
void *task_operand[AIC_OPERANDS_MAX];
task_paths task_path = {.folder = "/tmp/aicjit-faults-XXXXXX"};

void task_fill(void)
{
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        task_operand[i] = task_memory[i];
        for (size_t b = 0; b < TASK_BYTES; b++) {
            task_memory[i][b] = (unsigned char)(i == 0 ? PATTERN : (b * 7 + i) % 64);
        }
    }
    uint64_t word = 0;
    (void)aic_quant_word(0.25F, 3, true, &word);
    for (size_t b = 0; b < TASK_BYTES; b += sizeof word) {
        memcpy(&task_memory[3][b], &word, sizeof word);
    }
}

static bool untouched(void)
{
    for (size_t b = 0; b < TASK_BYTES; b++) {
        if (task_memory[0][b] != PATTERN) {
            return false;
        }
    }
    return true;
}

void task_judge(aic_status status, unsigned char *known, const char **wrong)
{
    if (status != AIC_OK) {
        *wrong = untouched() ? *wrong : "a call that failed has written to its output";
    } else if (known[0] == 0 && known[1] == 0 && known[2] == 0) {
        memcpy(known, task_memory[0], TASK_BYTES);
        known[0] |= known[0] == 0; /* never all zeros again */
        task_memory[0][0] = known[0];
    } else {
        known[0] = task_memory[0][0];
        *wrong =
            memcmp(known, task_memory[0], TASK_BYTES) == 0 ? *wrong : "a result differs from that without failures";
    }
}

aic_status task_context(const char *dump_dir, const char *profile, int verbose, int threads, aic_context **context)
{
    aic_context_options options = aic_context_options_init();
    options.dump_dir = dump_dir != NULL ? dump_dir : "";
    options.profile = profile != NULL ? profile : "";
    options.verbose = verbose;
    options.threads = threads;
    options.tuning_db = task_path.tuning;
    options.passes = "instcombine";
    *context = NULL;
    const aic_status status = aic_context_create(&options, context);
    return status;
}

aic_status task_call(aic_context *context, const char *text, size_t count, unsigned char *known, const char **wrong)
{
    aic_spec spec;
    aic_status status = aic_spec_read(text, &spec);
    task_fill();
    if (status == AIC_OK) {
        status = aic_jit_spec(context, &spec, task_operand, count);
        task_judge(status, known, wrong);
    }
    return status;
}

void task_remove_folder(const char *name)
{
    char path[512];
    DIR *files = opendir(name);
    for (struct dirent *entry; files != NULL && (entry = readdir(files)) != NULL;) {
        snprintf(path, sizeof path, "%.128s/%.200s", name, entry->d_name);
        if (entry->d_name[0] != '.') {
            (void)unlink(path);
        }
    }
    if (files != NULL) {
        closedir(files);
    }
    (void)rmdir(name);
}

char *task_read_text(const char *path)
{
    enum { MOST = 1 << 16 };
    char *text = calloc(1, MOST);
    FILE *file = fopen(path, "rb");
    if (file == NULL || text == NULL || fread(text, 1, MOST - 1, file) == 0) {
        free(text);
        text = NULL;
    }
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

void task_write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    if (file != NULL) {
        (void)fputs(text, file);
        fclose(file);
    }
}
