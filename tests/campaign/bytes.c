/* Texts and files that nobody wrote: an entry point of libFuzzer, which mutates them by what code they reach.
 *
 *     AIC_TARGET=NAME aicjit-bytes [OPTION OF LIBFUZZER]... [CORPUS]...
 *
 * Without libFuzzer it reads each file that it is given, or that lies in a folder that it is given, once: so any build
 * repeats a finding, and every run of the tests reads some. The last line then is "N passed, 0 failed".
 *
 * Every reader answers with a status or what is wrong. What it accepts is in order: it prints as it reads back, links
 * or is refused, and none of that touches memory that is not its own, of which the sanitizers judge. Sums that files
 * carry are put right first, so that what lies behind them is reached, too. */
#include "frontend/core/bytes.h"
#include "codegen/image.h"
#include "codegen/record.h"
#include "frontend/core/stage.h"
#include "runtime/disk/disk_file.h"
#include "runtime/tuning/tune_file.h"

#include <aic/aic.h>
#include <aic/network.h>
#include <aic/npy.h>
#include <aic/pto.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes in a block of their own, with room behind it only where the reader was promised some. */
static char *copy_of(const uint8_t *data, size_t size, size_t room)
{
    char *copy = calloc(1, size + room + (size + room == 0));
    if (copy == NULL) {
        abort();
    }
    if (size > 0) {
        memcpy(copy, data, size);
    }
    return copy;
}

static void demand(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s: %s\n", what, aic_last_error());
        abort();
    }
}

/* ---- texts ---- */

enum { PRINTED_MAX = 1 << 16 };

static void read_text(const uint8_t *data, size_t size)
{
    static char printed[PRINTED_MAX];
    char *text = copy_of(data, size, 1);
    aic_spec *spec = NULL, *again = NULL;
    if (aic_spec_parse(text, &spec) == AIC_OK) {
        (void)aic_spec_validate(spec, NULL);
        if (aic_spec_print(spec, printed, sizeof printed, NULL) == AIC_OK) {
            demand(aic_spec_parse(printed, &again) == AIC_OK, "a printed text is refused");
            demand(aic_spec_equal(spec, again), "a printed text is of another specification");
        }
    }
    aic_spec_destroy(again);
    aic_spec_destroy(spec);
    free(text);
}

static void read_pto(const uint8_t *data, size_t size)
{
    static char printed[PRINTED_MAX], reprinted[PRINTED_MAX];
    char *text = copy_of(data, size, 0);
    aic_pto_program *program = NULL, *again = NULL;
    size_t length = 0;
    if (aic_pto_parse(text, size, NULL, &program) == AIC_OK &&
        aic_pto_print(program, printed, sizeof printed, &length) == AIC_OK && length < sizeof printed) {
        demand(aic_pto_parse(printed, length, NULL, &again) == AIC_OK, "a printed program is refused");
        demand(aic_pto_print(again, reprinted, sizeof reprinted, NULL) == AIC_OK, "a printed program does not print");
        demand(strcmp(printed, reprinted) == 0, "a printed program prints otherwise");
    }
    aic_pto_destroy(again);
    aic_pto_destroy(program);
    free(text);
}

static void read_npy(const uint8_t *data, size_t size)
{
    char *bytes = copy_of(data, size, 0);
    aic_npy_header header = aic_npy_header_init();
    if (aic_npy_parse("bytes", bytes, size, &header) == AIC_OK) {
        demand(header.data_offset <= size, "data begin behind the end");
    }
    free(bytes);
}

/* ---- files ---- */

static char folder[] = "/tmp/aicjit-bytes-XXXXXX", path[sizeof folder + 16];

static void write_file(const uint8_t *data, size_t size)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || write(file, data, size) != (ssize_t)size || close(file) != 0) {
        perror(path);
        abort();
    }
}

static void read_tuning(const uint8_t *data, size_t size)
{
    aic_tune_file file;
    bool exists = false;
    write_file(data, size);
    if (aic_tune_file_read(path, &file, &exists) == AIC_OK) {
        demand(exists, "a file that is there was not found");
        aic_tune_file_free(&file);
    }
}

static void read_network(const uint8_t *data, size_t size)
{
    aic_network_options options = aic_network_options_init();
    aic_network *network = NULL;
    options.reference = true;
    write_file(data, size);
    if (aic_network_open(NULL, folder, &options, &network) == AIC_OK) {
        aic_network_facts facts = aic_network_facts_init();
        demand(aic_network_info(network, &facts) == AIC_OK && facts.kernels > 0, "a network without kernels");
    }
    aic_network_destroy(network);
}

/* Links a piece alone. Its numbers and roles are missing, so that few are kernels; none may do harm. */
static void link_piece(const aic_piece *piece)
{
    const aic_image_item item = {.piece = piece, .name = "bytes", .symbol = "kernel", .function = AIC_FUNCTION_ENTRY};
    aic_image image = {0};
    if (aic_image_link(&item, 1, "kernel", &image) == AIC_OK) {
        demand(image.function[AIC_FUNCTION_ENTRY] < image.size, "an entry outside of its image");
        aic_image_free(&image);
    }
}

static void read_disk_file(const uint8_t *data, size_t size)
{
    unsigned char *bytes = (unsigned char *)copy_of(data, size, 0);
    aic_disk_file file;
    enum { SUM = 8, SECTION = 16 };
    if (size > SECTION) {
        const uint64_t sum = aic_checksum(bytes, size - SECTION);
        for (int i = 0; i < SUM; i++) {
            bytes[size - SUM + (size_t)i] = (unsigned char)(sum >> (8 * i));
        }
    }
    if (aic_disk_file_read(bytes, size, &file) == NULL && file.part) {
        demand(aic_piece_check(&file.piece) == NULL, "a part that is not in order was accepted");
        link_piece(&file.piece);
    }
    free(bytes);
}

static void read_record(const uint8_t *data, size_t size)
{
    char *bytes = copy_of(data, size, 0);
    aic_kernel_record record;
    if (aic_kernel_record_read(bytes, size, &record) == AIC_OK) {
        demand(record.requirements.phases <= AIC_PHASES_MAX && record.image_size > 0, "a record that no kernel has");
    }
    free(bytes);
}

static void read_object(const uint8_t *data, size_t size)
{
    char *bytes = copy_of(data, size, 0);
    const aic_elf object = {bytes, size};
    aic_piece piece = {0};
    if (aic_piece_create(&object, "bytes", &piece) == AIC_OK) {
        link_piece(&piece);
        aic_piece_free(&piece);
    }
    free(bytes);
}

/* ---- */

typedef struct target {
    const char *name;
    void (*read)(const uint8_t *data, size_t size);
} target;

static const target TARGET[] = {
    {"text", read_text},       {"pto", read_pto},        {"npy", read_npy},       {"tuning", read_tuning},
    {"network", read_network}, {"disk", read_disk_file}, {"record", read_record}, {"object", read_object},
};

static const target *chosen;

static void remove_folder(void)
{
    unlink(path);
    rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    const char *name = getenv("AIC_TARGET");
    for (size_t i = 0; name != NULL && i < sizeof TARGET / sizeof TARGET[0]; i++) {
        if (strcmp(name, TARGET[i].name) == 0) {
            chosen = &TARGET[i];
        }
    }
    if (chosen == NULL || mkdtemp(folder) == NULL) {
        fprintf(stderr, "AIC_TARGET names none of the targets of tests/campaign/bytes.c, or /tmp cannot be written\n");
        exit(2);
    }
    snprintf(path, sizeof path, "%s/network.txt", folder);
    atexit(remove_folder);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    chosen->read(data, size);
    return 0;
}

#ifndef AIC_LIBFUZZER
enum { BYTES_MAX = 1 << 20 };

static long read_one(const char *name)
{
    static uint8_t bytes[BYTES_MAX];
    FILE *file = fopen(name, "rbe");
    if (file == NULL) {
        perror(name);
        exit(2);
    }
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return LLVMFuzzerTestOneInput(bytes, size) + 1;
}

static long read_all(const char *name)
{
    DIR *entries = opendir(name);
    long count = 0;
    if (entries == NULL) {
        return read_one(name);
    }
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        char inside[PATH_MAX];
        if (entry->d_name[0] != '.' && snprintf(inside, sizeof inside, "%s/%s", name, entry->d_name) < PATH_MAX) {
            count += read_one(inside);
        }
    }
    closedir(entries);
    return count;
}

int main(int argc, char **argv)
{
    long count = 0;
    LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        count += argv[i][0] == '-' ? 0 : read_all(argv[i]); /* options are libFuzzer's */
    }
    printf("%ld passed, 0 failed\n", count);
    return 0;
}
#endif
