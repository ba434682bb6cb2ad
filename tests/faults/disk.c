/* Tasks of the disk cache: kernels and parts in a folder, the folder itself, files of ready-made parts. */
#include "codegen/image.h"
#include "codegen/ready_file.h"
#include "frontend/core/bytes.h"
#include "runtime/disk/disk_cache.h"
#include "runtime/disk/ready_parts.h"
#include "tests/faults/calls.h"
#include "tests/faults/scenarios.h"
#include "tests/faults/task.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files may be lost without a status: kernels are made then. */
aic_status disk_keep(const char **wrong)
{
    static unsigned char known[TASK_BYTES];
    aic_context_options options = aic_context_options_init();
    options.threads = 1;
    options.tuning_db = "";
    options.cache = "rw";
    options.cache_dir = task_path.kept;
    calls_pause(true);
    task_remove_folder(task_path.kept);
    calls_pause(false);
    aic_status status = AIC_OK;
    for (int turn = 0; turn < 2 && status == AIC_OK; turn++) { /* to the disk, then from it */
        aic_context *context = NULL;
        aic_cache_stats stats = aic_cache_stats_init();
        status = aic_context_create(&options, &context);
        status = status == AIC_OK ? task_call(context, TASK_MOVE, 2, known, wrong) : status;
        status = status == AIC_OK ? aic_context_cache_stats(context, &stats) : status;
        if (status == AIC_OK && calls_failed() == NULL && (turn == 0 ? stats.stores : stats.loads) != 1) {
            *wrong = "a kernel is not kept or not found though nothing failed";
        }
        if (status == AIC_OK && stats.loads + stats.compiles != 1) {
            *wrong = "a kernel is made twice, or from nothing";
        }
        aic_context_destroy(context);
    }
    return status;
}

/* The folder is looked at, brought within a quota and emptied. It is named as seen from where the process is. */
aic_status disk_look_after(const char **wrong)
{
    enum { FILES = 70, KEPT = 40 };
    char path[160];
    aic_context_options options = aic_context_options_init();
    aic_context *context = NULL;
    aic_disk_cache_info info = aic_disk_cache_info_init();
    uint64_t removed = 0;
    options.tuning_db = "";
    options.cache = "rw";
    options.cache_dir = "kept";
    calls_pause(true);
    task_remove_folder(task_path.kept);
    (void)mkdir(task_path.kept, 0700);
    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "%s/aic_%d.kernel", task_path.kept, i);
        task_write_text(path, "not a kernel");
    }
    const int opened = open(task_path.kept, O_RDONLY);
    calls_pause(false);
    aic_status status = aic_context_create(&options, &context);
    status = status == AIC_OK ? aic_disk_cache_verify(context, NULL, NULL, &info) : status;
    aic_disk_trim(opened, KEPT * (sizeof "not a kernel" - 1));
    status = status == AIC_OK ? aic_disk_cache_clear(context, &removed) : status;
    if (calls_failed() == NULL && (info.refused != FILES || removed > KEPT || removed < KEPT / 2)) {
        *wrong = "files are not counted or not removed though nothing failed";
    }
    calls_pause(true);
    (void)close(opened);
    calls_pause(false);
    aic_context_destroy(context);
    return status;
}

/* The smallest piece of a part that there is; an identity of the form that all have. */
static size_t put_piece(unsigned char *bytes)
{
    enum { CODE = 8 };
    const aic_piece_head head = {.magic = "AICPART",
                                 .machine = EM_X86_64,
                                 .alignment = AIC_PIECE_SPACING,
                                 .code_bytes = CODE,
                                 .symbols = 1,
                                 .name_bytes = sizeof AIC_PART_SYMBOL};
    const aic_piece_symbol symbol = {0, 0, AIC_PIECE_DEFINED | AIC_PIECE_FUNCTION};
    memcpy(bytes, &head, sizeof head);
    memset(bytes + sizeof head, 0x90, CODE);
    memcpy(bytes + sizeof head + CODE, &symbol, sizeof symbol);
    memcpy(bytes + sizeof head + CODE + sizeof symbol, AIC_PART_SYMBOL, sizeof AIC_PART_SYMBOL);
    return sizeof head + CODE + sizeof symbol + sizeof AIC_PART_SYMBOL;
}

static void put_identity(aic_part_identity *identity)
{
    aic_writer out = {identity->bytes, sizeof identity->bytes, 0};
    for (int i = 0; i < 3; i++) {
        aic_write_text(&out, "text");
    }
    aic_write_number(&out, 1, 8);
    aic_write_text(&out, "text");
    aic_write_number(&out, 1, 8);
    identity->size = out.size;
}

/* Files may be lost without a status: parts are made then. */
aic_status disk_keep_parts(const char **wrong)
{
    unsigned char bytes[256];
    const aic_piece piece = {bytes, put_piece(bytes)};
    aic_piece loaded = {NULL, 0};
    aic_part_identity identity;
    put_identity(&identity);
    aic_context_options options = aic_context_options_init();
    options.cache = "rw";
    options.cache_dir = task_path.kept;
    calls_pause(true);
    task_remove_folder(task_path.kept);
    calls_pause(false);
    aic_disk disk;
    const aic_status status = aic_disk_configure(&disk, &options);
    if (status == AIC_OK) {
        const bool stored = aic_disk_store_part(&disk, &identity, &piece);
        const bool found = aic_disk_load_part(&disk, &identity, &loaded);
        if (calls_failed() == NULL && !(stored && found)) {
            *wrong = "a part is not kept or not found though nothing failed";
        }
        if (found && (loaded.size != piece.size || memcmp(loaded.bytes, bytes, piece.size) != 0)) {
            *wrong = "another part was found";
        }
        if (found && !stored) {
            *wrong = "a part was found that could not be kept";
        }
    }
    aic_piece_free(&loaded);
    aic_disk_free(&disk);
    return status;
}

/* A file of ready-made parts is written and used. */
aic_status disk_ready_parts(const char **wrong)
{
    char path[160];
    unsigned char bytes[256], *written = NULL;
    size_t size = 0;
    aic_piece found = {NULL, 0};
    aic_ready_part part = {.piece = {bytes, put_piece(bytes)}};
    put_identity(&part.identity);
    const aic_status status = aic_ready_file_write("avx2", &part, 1, &written, &size);
    snprintf(path, sizeof path, "%s/ready", task_path.folder);
    calls_pause(true);
    FILE *file = status == AIC_OK ? fopen(path, "w") : NULL;
    if (file != NULL) {
        (void)fwrite(written, 1, size, file);
        (void)fclose(file);
    }
    calls_pause(false);
    free(written);
    aic_ready_parts *ready = status == AIC_OK ? aic_ready_parts_open_file(path, "avx2") : NULL;
    const bool good = ready != NULL && aic_ready_parts_find(ready, &part.identity, &found);
    if (good ? memcmp(found.bytes, bytes, part.piece.size) != 0 : calls_failed() == NULL) {
        *wrong = "a ready-made part is another one, or not found though nothing failed";
    }
    aic_piece_free(&found);
    aic_ready_parts_close(ready);
    calls_pause(true);
    (void)unlink(path);
    calls_pause(false);
    return status;
}
