/* See scenarios.h. Kernels are small: each is made once for every call that fails. */
#include "tests/faults/scenarios.h"
#include "codegen/image.h"
#include "codegen/ready_file.h"
#include "frontend/core/bytes.h"
#include "frontend/core/spec.h"
#include "runtime/disk/disk_cache.h"
#include "runtime/disk/ready_parts.h"
#include "runtime/threads/pool.h"
#include "runtime/tuning/tune.h"
#include "runtime/tuning/tune_file.h"
#include "tests/faults/calls.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOVE "transdata(dtype=int8, src=ND, dst=Nz, shape=[16,32])"
#define PRODUCT "mmad(dtype=int8, m=16, n=16, k=32)"
#define CHAIN PRODUCT " | fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ)"
#define FILL_PROGRAM                                                                                                   \
    ".arg %s : f32\n%a = texpands %s : f32, !pto.tile<4x8xf32>\n%b = texpands %s : f32, !pto.tile<4x8xf32>\n"

enum { BYTES = 65536, PATTERN = 0x5A };

/* Room for operands of any scenario; the output is operand 0. */
static _Alignas(64) unsigned char memory[AIC_OPERANDS_MAX][BYTES], packed[BYTES];
static void *operand[AIC_OPERANDS_MAX];
static char folder[] = "/tmp/aicjit-faults-XXXXXX", tuning[128];
static char dumps[128], merged[128], tuned[128], kept[128], net[128], *merged_before;

static void fill_operands(void)
{
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        operand[i] = memory[i];
        for (size_t b = 0; b < BYTES; b++) {
            memory[i][b] = (unsigned char)(i == 0 ? PATTERN : (b * 7 + i) % 64);
        }
    }
    uint64_t word = 0;
    (void)aic_quant_word(0.25F, 3, true, &word);
    for (size_t b = 0; b < BYTES; b += sizeof word) {
        memcpy(&memory[3][b], &word, sizeof word);
    }
}

static bool untouched(void)
{
    for (size_t b = 0; b < BYTES; b++) {
        if (memory[0][b] != PATTERN) {
            return false;
        }
    }
    return true;
}

/* After a call of this status: a failed one has written nothing, another one what the last call without failures
 * wrote, which `known` keeps. */
static void judge(aic_status status, unsigned char *known, const char **wrong)
{
    if (status != AIC_OK) {
        *wrong = untouched() ? *wrong : "a call that failed has written to its output";
    } else if (known[0] == 0 && known[1] == 0 && known[2] == 0) {
        memcpy(known, memory[0], BYTES);
        known[0] |= known[0] == 0; /* never all zeros again */
        memory[0][0] = known[0];
    } else {
        known[0] = memory[0][0];
        *wrong = memcmp(known, memory[0], BYTES) == 0 ? *wrong : "a result differs from that without failures";
    }
}

/* Removes a folder with its files. */
static void remove_folder(const char *name)
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

static aic_status open_context(const char *dump_dir, const char *profile, int verbose, int threads,
                               aic_context **context)
{
    aic_context_options options = aic_context_options_init();
    options.dump_dir = dump_dir != NULL ? dump_dir : "";
    options.profile = profile != NULL ? profile : "";
    options.verbose = verbose;
    options.threads = threads;
    options.tuning_db = tuning;
    options.passes = "instcombine";
    *context = NULL;
    const aic_status status = aic_context_create(&options, context);
    return status;
}

static aic_status read_spec(const char *text, aic_spec *spec)
{
    return aic_spec_read(text, spec);
}

/* ---- contexts and calls ---- */

static aic_status make_contexts(const char **wrong)
{
    aic_context *context;
    aic_status status = open_context(dumps, "gdb", 0, 2, &context);
    *wrong = status != AIC_OK && context != NULL ? "a context that could not be made was handed out" : *wrong;
    aic_context_destroy(context);
    return status;
}

static aic_status call_in(aic_context *context, const char *text, size_t count, unsigned char *known,
                          const char **wrong)
{
    aic_spec spec;
    aic_status status = read_spec(text, &spec);
    fill_operands();
    if (status == AIC_OK) {
        status = aic_jit_spec(context, &spec, operand, count);
        judge(status, known, wrong);
    }
    return status;
}

static aic_status call_twice(const char **wrong)
{
    static unsigned char known[BYTES];
    aic_context *context;
    aic_status status = open_context(NULL, NULL, 0, 1, &context);
    status = status == AIC_OK ? call_in(context, MOVE, 2, known, wrong) : status;
    status = status == AIC_OK ? call_in(context, MOVE, 2, known, wrong) : status;
    aic_context_destroy(context);
    return status;
}

/* Calls a kernel in a context that writes dumps to a folder; NULL: it writes none. */
static aic_status call_once(const char *folder_of_dumps, const char *text, size_t count, unsigned char known[BYTES],
                            const char **wrong)
{
    aic_context *context;
    aic_status status = open_context(folder_of_dumps, NULL, 0, 1, &context);
    status = status == AIC_OK ? call_in(context, text, count, known, wrong) : status;
    aic_context_destroy(context);
    return status;
}

static aic_status call_chain(const char **wrong)
{
    static unsigned char known[BYTES];
    return call_once(NULL, CHAIN, 4, known, wrong);
}

static aic_status call_packed(const char **wrong)
{
    static unsigned char known[BYTES];
    aic_context *context;
    aic_kernel *kernel = NULL;
    aic_spec spec;
    aic_status status = open_context(NULL, NULL, 0, 1, &context);
    status = status == AIC_OK ? read_spec(PRODUCT, &spec) : status;
    status = status == AIC_OK ? aic_kernel_create(context, &spec, NULL, &kernel) : status;
    fill_operands();
    status = status == AIC_OK ? aic_kernel_pack(kernel, 2, packed, operand[2]) : status;
    if (status == AIC_OK && aic_kernel_function(kernel, true) == NULL) {
        status = AIC_OUT_OF_MEMORY;
    }
    if (status == AIC_OK) {
        operand[2] = packed;
        status = aic_kernel_call_packed(kernel, operand, 3);
        judge(status, known, wrong);
    }
    aic_kernel_destroy(kernel);
    aic_context_destroy(context);
    return status;
}

/* ---- what is written beside results ---- */

/* Files in the folder of dumps that are not finished. */
static bool temporary_left(void)
{
    bool found = false;
    DIR *files = opendir(dumps);
    for (struct dirent *entry; files != NULL && (entry = readdir(files)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        found |= dot != NULL && dot[1] >= '0' && dot[1] <= '9';
    }
    if (files != NULL) {
        closedir(files);
    }
    return found;
}

static aic_status call_observed(const char **wrong)
{
    static unsigned char known[BYTES];
    aic_context *context;
    const int all = AIC_VERBOSE_CREATE | AIC_VERBOSE_EXEC | AIC_VERBOSE_CACHE | AIC_VERBOSE_DISPATCH;
    aic_status status = open_context(dumps, "gdb,perf,jitdump", all, 1, &context);
    status = status == AIC_OK ? call_in(context, MOVE, 2, known, wrong) : status;
    aic_context_destroy(context);
    *wrong = temporary_left() ? "a temporary file is left" : *wrong;
    return status;
}

static aic_status call_dumped(const char **wrong)
{
    static unsigned char known[BYTES];
    const aic_status status = call_once(dumps, MOVE, 2, known, wrong);
    *wrong = temporary_left() ? "a temporary file is left" : *wrong;
    return status;
}

static aic_status dump_stages(const char **wrong)
{
    aic_context *context;
    aic_spec spec;
    aic_status status = open_context(NULL, NULL, 0, 1, &context);
    status = status == AIC_OK ? read_spec(MOVE, &spec) : status;
    for (int stage = AIC_DUMP_IR; status == AIC_OK && stage <= AIC_DUMP_EXPLAIN; stage++) {
        char *bytes = NULL;
        size_t size = 0;
        status = aic_dump(context, &spec, NULL, (aic_dump_stage)stage, NULL, NULL, &bytes, &size);
        *wrong = (status == AIC_OK) != (bytes != NULL) ? "a dump without bytes, or bytes without a dump" : *wrong;
        aic_free(bytes);
    }
    aic_context_destroy(context);
    return status;
}

static aic_status export_kernels(const char **wrong)
{
    aic_context *context;
    aic_spec spec[2];
    aic_exported made = aic_exported_init();
    aic_status status = open_context(NULL, NULL, 0, 1, &context);
    status = status == AIC_OK ? read_spec(MOVE, &spec[0]) : status;
    status = status == AIC_OK ? read_spec(PRODUCT, &spec[1]) : status;
    if (status == AIC_OK) {
        const aic_export_kernel kernels[] = {{sizeof kernels[0], &spec[0], "move", NULL},
                                             {sizeof kernels[0], &spec[1], NULL, NULL}};
        status = aic_export(context, kernels, 2, "sse2,avx2", "x86_64-linux-gnu", &made);
        *wrong =
            (status == AIC_OK) != (made.object != NULL && made.header != NULL) ? "an export without files" : *wrong;
    }
    aic_exported_destroy(&made);
    aic_context_destroy(context);
    return status;
}

/* ---- networks ---- */

static aic_status run_network(const char **wrong)
{
    static unsigned char known[BYTES];
    aic_context *context;
    aic_network *network = NULL;
    aic_network_facts facts = aic_network_facts_init();
    aic_status status = open_context(NULL, NULL, 0, 1, &context);
    fill_operands();
    status = status == AIC_OK ? aic_network_open(context, net, NULL, &network) : status;
    *wrong = (status == AIC_OK) != (network != NULL) ? "a network that could not be opened was handed out" : *wrong;
    status = status == AIC_OK ? aic_network_info(network, &facts) : status;
    if (status == AIC_OK) {
        status = aic_network_batch(network, (const void *const *)&operand[1], 1, operand, 1, 2);
        judge(status, known, wrong);
    }
    aic_network_destroy(network);
    aic_context_destroy(context);
    return status;
}

static aic_status export_network(const char **wrong)
{
    aic_context *context;
    aic_exported made = aic_exported_init();
    aic_status status = open_context(NULL, NULL, 0, 1, &context);
    if (status == AIC_OK) {
        status = aic_network_export(context, net, "net", "sse2", "x86_64-linux-gnu", &made);
        *wrong =
            (status == AIC_OK) != (made.object != NULL && made.header != NULL) ? "a network without files" : *wrong;
    }
    aic_exported_destroy(&made);
    aic_context_destroy(context);
    return status;
}

/* ---- tuning ---- */

/* The content of a file with a closing zero; free(). NULL when it is not there. */
static char *read_text(const char *path)
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

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    if (file != NULL) {
        (void)fputs(text, file);
        fclose(file);
    }
}

static aic_status merge_files(const char **wrong)
{
    const char *const inputs[] = {tuning};
    size_t records = 0;
    calls_pause(true);
    write_text(merged, merged_before);
    calls_pause(false);
    const aic_status status = aic_tune_merge(inputs, 1, merged, &records);
    calls_pause(true);
    char *after = read_text(merged);
    const bool same = after != NULL && strcmp(merged_before, after) == 0;
    if (status == AIC_OK ? records != 2 || same : !same) {
        *wrong = "a merge that failed has changed the file, or one that did not is incomplete";
    }
    free(after);
    calls_pause(false);
    return status;
}

static aic_status estimate(const char **wrong)
{
    aic_context *context;
    aic_spec spec;
    aic_tune_options options = aic_tune_options_init();
    aic_tune_result result = aic_tune_result_init();
    options.effort = AIC_TUNE_EFFORT_ESTIMATE;
    options.db = "";
    aic_status status = open_context(NULL, NULL, 0, 1, &context);
    status = status == AIC_OK ? read_spec(MOVE, &spec) : status;
    status = status == AIC_OK ? aic_tune(context, &spec, &options, &result) : status;
    *wrong = status == AIC_OK && result.count == 0 ? "a search without schedules" : *wrong;
    aic_tune_result_destroy(&result);
    aic_context_destroy(context);
    return status;
}

/* A machine on which every schedule but the default's, which is measured first, takes half of its time. */
typedef struct pretence {
    const char *standard;
    double seconds;
} pretence;

static double pretend_time(void *user, const char *schedule)
{
    pretence *p = user;
    p->standard = p->standard == NULL ? schedule : p->standard;
    return strcmp(p->standard, schedule) == 0 ? 1000 : 500;
}

static double pretend_clock(void *user)
{
    pretence *p = user;
    return p->seconds += 1e-6;
}

/* Whether the file has as many records as it should. */
static bool has_records(const char *path, size_t count)
{
    aic_tune_file file;
    bool exists;
    const bool read = aic_tune_file_read(path, &file, &exists) == AIC_OK;
    const bool right = read && file.count == count && file.damaged == 0;
    if (read) {
        aic_tune_file_free(&file);
    }
    return right;
}

/* Candidates that cannot be made take no part, so that failures need not be the search's. */
static aic_status measure(const char **wrong)
{
    aic_context *context;
    aic_spec spec;
    pretence p = {.standard = NULL};
    const aic_tune_machine_hooks hooks = {.measure = pretend_time, .now = pretend_clock, .user = &p};
    aic_tune_options options = aic_tune_options_init();
    aic_tune_result result = aic_tune_result_init();
    options.trials = 2;
    options.db = tuned;
    calls_pause(true);
    (void)unlink(tuned);
    calls_pause(false);
    aic_status status = open_context(NULL, NULL, 0, 1, &context);
    status = status == AIC_OK ? read_spec(MOVE, &spec) : status;
    status = status == AIC_OK ? aic_tune_with(context, &spec, &options, &hooks, &result) : status;
    calls_pause(true);
    if (!has_records(tuned, result.recorded ? 1 : 0)) {
        *wrong = "the file has not what the result says";
    }
    if (status == AIC_OK && (result.outcome == AIC_TUNE_OUTCOME_FASTER) != (result.gain > 1.9)) {
        *wrong = "a winner that gains nothing";
    }
    if (status == AIC_OK && calls_failed() == NULL && !result.recorded) {
        *wrong = "nothing is recorded though nothing failed";
    }
    calls_pause(false);
    aic_tune_result_destroy(&result);
    aic_context_destroy(context);
    return status;
}

/* ---- kernels on disk ---- */

/* Files may be lost without a status: kernels are made then. */
static aic_status keep_on_disk(const char **wrong)
{
    static unsigned char known[BYTES];
    aic_context_options options = aic_context_options_init();
    options.threads = 1;
    options.tuning_db = "";
    options.cache = "rw";
    options.cache_dir = kept;
    calls_pause(true);
    remove_folder(kept);
    calls_pause(false);
    aic_status status = AIC_OK;
    for (int turn = 0; turn < 2 && status == AIC_OK; turn++) { /* to the disk, then from it */
        aic_context *context = NULL;
        aic_cache_stats stats = aic_cache_stats_init();
        status = aic_context_create(&options, &context);
        status = status == AIC_OK ? call_in(context, MOVE, 2, known, wrong) : status;
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
static aic_status look_after_folder(const char **wrong)
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
    remove_folder(kept);
    (void)mkdir(kept, 0700);
    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "%s/aic_%d.kernel", kept, i);
        write_text(path, "not a kernel");
    }
    const int opened = open(kept, O_RDONLY);
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
static aic_status keep_parts(const char **wrong)
{
    unsigned char bytes[256];
    const aic_piece piece = {bytes, put_piece(bytes)};
    aic_piece loaded = {NULL, 0};
    aic_part_identity identity;
    put_identity(&identity);
    aic_context_options options = aic_context_options_init();
    options.cache = "rw";
    options.cache_dir = kept;
    calls_pause(true);
    remove_folder(kept);
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
static aic_status use_ready_parts(const char **wrong)
{
    char path[160];
    unsigned char bytes[256], *written = NULL;
    size_t size = 0;
    aic_piece found = {NULL, 0};
    aic_ready_part part = {.piece = {bytes, put_piece(bytes)}};
    put_identity(&part.identity);
    const aic_status status = aic_ready_file_write("avx2", &part, 1, &written, &size);
    snprintf(path, sizeof path, "%s/ready", folder);
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

/* ---- threads ---- */

static atomic_int turns;

static void in_turn(void *user, int64_t items, int workers, aic_parallel_body body, void *data)
{
    (void)user;
    (void)workers;
    atomic_fetch_add(&turns, 1);
    body(data, 0, items, 0);
}

/* A call that is long enough at this level to be shared. */
static aic_status call_shared(aic_parallel_for loop, unsigned char *known, const char **wrong)
{
    aic_context_options options = aic_context_options_init();
    aic_context *context = NULL;
    options.threads = 2;
    options.isa = "sse2";
    options.parallel_for = loop;
    atomic_store(&turns, 0);
    options.tuning_db = "";
    aic_status status = aic_context_create(&options, &context);
    status = status == AIC_OK ? call_in(context, "mmad(dtype=int8, m=128, n=64, k=512)", 3, known, wrong) : status;
    if (status == AIC_OK && calls_failed() == NULL && !(loop != NULL ? atomic_load(&turns) > 0 : aic_pool_exists())) {
        *wrong = "the call is not shared though nothing failed";
    }
    aic_context_destroy(context);
    return status;
}

static aic_status call_with_loop(const char **wrong)
{
    static unsigned char known[BYTES];
    return call_shared(in_turn, known, wrong);
}

static aic_status call_with_pool(const char **wrong)
{
    static unsigned char known[BYTES];
    return call_shared(NULL, known, wrong);
}

/* Images that the threads of the pool divide, and one that they share; the weights are packed for all. */
static aic_status call_batch(const char **wrong)
{
    static unsigned char known[BYTES];
    const size_t strides[] = {BYTES / 4, 0, 0};
    aic_context_options options = aic_context_options_init();
    aic_context *context = NULL;
    aic_kernel *kernel = NULL;
    aic_spec spec;
    options.threads = 2;
    options.isa = "sse2";
    options.tuning_db = "";
    aic_status status = aic_context_create(&options, &context);
    status = status == AIC_OK ? read_spec("mmad(dtype=int8, m=64, n=64, k=512)", &spec) : status;
    status = status == AIC_OK ? aic_kernel_create(context, &spec, NULL, &kernel) : status;
    fill_operands();
    if (status == AIC_OK) {
        status = aic_kernel_call_batch(kernel, operand, strides, 3);
        judge(status, known, wrong);
    }
    aic_kernel_destroy(kernel);
    aic_context_destroy(context);
    return status;
}

/* ---- programs, text, references ---- */

static aic_status run_program(const char **wrong)
{
    static float scalar = 2.5F, tiles[2][4][8];
    void *arguments[] = {&scalar, tiles[0], tiles[1]};
    aic_context *context;
    aic_pto_program *program = NULL;
    aic_status status = open_context(NULL, NULL, 0, 1, &context);
    memset(tiles, 0, sizeof tiles);
    status = status == AIC_OK ? aic_pto_parse(FILL_PROGRAM, strlen(FILL_PROGRAM), NULL, &program) : status;
    status = status == AIC_OK ? aic_pto_run(context, program, arguments, 3) : status;
    const float wanted = status == AIC_OK ? scalar : 0;
    if (tiles[0][0][0] != wanted || tiles[1][3][7] != wanted) {
        *wrong = "tiles are not as the status says";
    }
    aic_pto_destroy(program);
    aic_context_destroy(context);
    return status;
}

static aic_status ask_reference(const char **wrong)
{
    static unsigned char known[BYTES];
    static double exact[16 * 16], bound[16 * 16];
    static char trace[4096];
    aic_spec spec, fast;
    char text[4096];
    aic_status status = read_spec(CHAIN, &spec);
    fill_operands();
    if (status == AIC_OK) {
        status = aic_reference(&spec, NULL, operand, 4);
        judge(status, known, wrong);
    }
    status = status == AIC_OK ? aic_spec_print(&spec, text, sizeof text, NULL) : status;
    status = status == AIC_OK ? aic_trace(&spec, NULL, operand, 4, 0, NULL, text, sizeof text, NULL) : status;
    if (status == AIC_OK) {
        if (trace[0] == '\0') {
            memcpy(trace, text, sizeof trace);
        }
        *wrong = strcmp(trace, text) == 0 ? *wrong : "a trace differs from that without failures";
    }
    status = status == AIC_OK ? read_spec("mmad(dtype=float16, m=16, n=16, k=16, accumulate=fast)", &fast) : status;
    return status == AIC_OK ? aic_reference_bound(&fast, NULL, operand, 3, exact, bound) : status;
}

const scenario scenarios[] = {
    {"contexts", make_contexts, false},     {"calls", call_twice, false},
    {"a chain", call_chain, false},         {"packing", call_packed, false},
    {"observing", call_observed, true},     {"files of dumps", call_dumped, false},
    {"dumps", dump_stages, false},          {"export", export_kernels, false},
    {"merging", merge_files, false},        {"estimating", estimate, false},
    {"a loop", call_with_loop, false},      {"the pool", call_with_pool, false},
    {"a program", run_program, false},      {"reference", ask_reference, false},
    {"a batch", call_batch, false},         {"measuring", measure, true},
    {"the disk", keep_on_disk, true},       {"the folder on disk", look_after_folder, true},
    {"parts on disk", keep_parts, true},    {"ready-made parts", use_ready_parts, true},
    {"a network", run_network, false},      {"a network's object", export_network, false},
    {"little memory", scarce_memory, true}, {"new threads", scarce_records, true},
    {"a small cache", scarce_cache, true},
};
const size_t scenario_count = sizeof scenarios / sizeof scenarios[0];

/* ---- files ---- */

/* Puts a record of this product into a tuning file: the default is its best schedule. */
static bool put_record(const char *path, const char *text)
{
    const aic_semantics semantics = aic_semantics_init();
    const aic_tune_time time = {1000, 990, 1010};
    aic_spec spec, resolved;
    aic_tune_record record;
    aic_tune_file file = {.count = 0};
    char *key = NULL;
    const aic_problem problem = {&resolved, &semantics, aic_target_find(AIC_ARCH_X86_64, "avx2"),
                                 aic_machine_of(aic_host_this()->core)};
    const bool good =
        aic_spec_read(text, &spec) == AIC_OK && aic_spec_resolve_kernel(&spec, &semantics, &resolved) == AIC_OK &&
        aic_tune_key(&problem, NULL, &key) == AIC_OK &&
        aic_tune_record_make(key, AIC_TUNE_EFFORT_MEASURE, NULL, &time, &time, &record) == AIC_OK &&
        aic_tune_file_add(&file, &record) == AIC_OK && aic_tune_file_merge(path, &file, 5, NULL) == AIC_OK;
    aic_tune_file_free(&file);
    free(key);
    return good;
}

/* Two products and what is between them. */
static bool put_network(void)
{
    static const char TEXT[] =
        "# aicjit network, version 1\n"
        "input x int8 [32,32]\nconstant w w.npy\nbuffer sums int32 [32,16]\nbuffer y float16 [32,16]\n"
        "kernel mmad(dtype=int8, m=32, n=16, k=32) : c=sums a=x b=w\n"
        "kernel fixpipe(src=int32, dst=float16, format=ROW_MAJOR, quantPre=DEQF16, nSize=16, "
        "mSize=32, srcStride=32, dstStride=16, deqScalar=quant(0.5)) : dst=y src=sums\noutput y\n";
    char path[160], head[AIC_NPY_WRITTEN_MAX];
    const aic_operand weights = {.size = sizeof weights, .dtype = AIC_INT8, .rank = 2, .shape = {32, 16}};
    size_t size = 0;
    bool good = mkdir(net, 0700) == 0 && aic_npy_format(&weights, head, &size) == AIC_OK;
    snprintf(path, sizeof path, "%s/network.txt", net);
    write_text(path, TEXT);
    snprintf(path, sizeof path, "%s/w.npy", net);
    FILE *file = good ? fopen(path, "w") : NULL;
    if (file != NULL) {
        good = fwrite(head, 1, size, file) == size && fwrite(memory[2], 1, 512, file) == 512;
        good = fclose(file) == 0 && good;
    }
    return good && file != NULL;
}

const char *scenarios_network(void)
{
    return net;
}

bool scenarios_open(void)
{
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        return false;
    }
    snprintf(dumps, sizeof dumps, "%s/dumps", folder);
    snprintf(tuning, sizeof tuning, "%s/tuning.txt", folder);
    snprintf(merged, sizeof merged, "%s/merged.txt", folder);
    snprintf(tuned, sizeof tuned, "%s/tuned.txt", folder);
    snprintf(kept, sizeof kept, "%s/kept", folder);
    snprintf(net, sizeof net, "%s/net", folder);
    if (!put_network() || !put_record(tuning, PRODUCT) || !put_record(merged, "mmad(dtype=int8, m=32, n=16, k=32)")) {
        return false;
    }
    merged_before = read_text(merged);
    return merged_before != NULL && setenv("JITDUMPDIR", folder, 1) == 0;
}

void scenarios_close(void)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    (void)unlink(path);
    free(merged_before);
    remove_folder(dumps);
    remove_folder(kept);
    remove_folder(net);
    remove_folder(folder);
}
