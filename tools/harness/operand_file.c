/* Reading and writing operands as files. */
#include "tools/harness/operand_file.h"

#include "tools/harness/fail.h"
#include "tools/harness/npy.h"
#include "tools/harness/operand_text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "operand files are little-endian and read without conversion"
#endif

static bool has_suffix(const char *path, const char *suffix)
{
    size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && strcmp(path + length - tail, suffix) == 0;
}

bool operand_file_named(const char *path)
{
    return has_suffix(path, ".npy") || has_suffix(path, ".bin");
}

int operand_file_check(const aic_operand *operand, const char *path)
{
    if (operand_file_named(path)) {
        return CLI_DONE;
    }
    return cli_fail(CLI_WRONG, "%s: \"%s\" ends in neither .npy nor .bin", operand->name, path);
}

/* Reads exactly `size` bytes. */
static int read_exactly(const char *subject, int fd, void *buffer, size_t size)
{
    char *at = buffer;
    while (size > 0) {
        ssize_t got = read(fd, at, size);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return cli_fail(CLI_SYSTEM, "%s: %s", subject, strerror(errno));
        }
        if (got == 0) {
            return cli_fail(CLI_WRONG, "%s: the file became shorter while it was read", subject);
        }
        at += got;
        size -= (size_t)got;
    }
    return CLI_DONE;
}

/* Opens a regular file for reading; *size is its length. */
static int open_input(const char *subject, const char *path, int *fd, uint64_t *size)
{
    struct stat info;
    *fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe without writer must not block */
    if (*fd == -1) {
        int status = errno == EMFILE || errno == ENFILE || errno == ENOMEM ? CLI_SYSTEM : CLI_WRONG;
        return cli_fail(status, "%s: cannot be opened: %s", subject, strerror(errno));
    }
    if (fstat(*fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        (void)close(*fd);
        return cli_fail(CLI_WRONG, "%s: is not a regular file", subject);
    }
    *size = (uint64_t)info.st_size;
    return CLI_DONE;
}

static int check_type(const char *subject, const aic_operand *operand, aic_dtype got)
{
    aic_dtype wanted = operand->dtype == AIC_BFLOAT16 ? AIC_UINT16 : operand->dtype;
    if (got == wanted || (operand->words && aic_dtype_size(got) == aic_dtype_size(wanted))) {
        return CLI_DONE;
    }
    return cli_fail(CLI_WRONG, "%s: dtype is %s, the operand wants %s", subject, aic_dtype_name(got),
                    aic_dtype_name(wanted));
}

static int check_shape(const char *subject, const aic_operand *operand, const npy_header *header)
{
    bool equal = header->rank == operand->rank;
    for (int32_t i = 0; equal && i < header->rank; i++) {
        equal = header->shape[i] == operand->shape[i];
    }
    if (equal || (header->rank <= 1 && header->elements == operand->elements)) {
        return CLI_DONE;
    }
    char got[OPERAND_TEXT_MAX], wanted[OPERAND_TEXT_MAX];
    shape_text(header->rank, header->shape, got);
    shape_text(operand->rank, operand->shape, wanted);
    if (operand->rank == 1) {
        return cli_fail(CLI_WRONG, "%s: shape is %s, the operand wants %s", subject, got, wanted);
    }
    return cli_fail(CLI_WRONG, "%s: shape is %s, the operand wants %s or [%" PRId64 "]", subject, got, wanted,
                    operand->elements);
}

/* Reads and judges a .npy header; *offset is where the data begins. */
static int read_npy_header(const char *subject, const aic_operand *operand, int fd, uint64_t size, uint64_t *offset)
{
    unsigned char *bytes = malloc(NPY_HEADER_BYTES_MAX);
    if (bytes == NULL) {
        return cli_fail_memory(subject, NPY_HEADER_BYTES_MAX);
    }
    size_t part = size < NPY_HEADER_BYTES_MAX ? (size_t)size : NPY_HEADER_BYTES_MAX;
    npy_header header = {0};
    int status = read_exactly(subject, fd, bytes, part);
    if (status == CLI_DONE) {
        status = npy_parse(subject, bytes, part, &header);
    }
    free(bytes);
    if (status == CLI_DONE) {
        status = check_type(subject, operand, header.dtype);
    }
    if (status == CLI_DONE) {
        status = check_shape(subject, operand, &header);
    }
    *offset = header.data_offset;
    return status;
}

int operand_read(const aic_operand *operand, const char *path, void *data)
{
    char subject[512];
    (void)snprintf(subject, sizeof subject, "%s: \"%.400s\"", operand->name, path);
    int fd;
    uint64_t size = 0, offset = 0;
    int status = operand_file_check(operand, path);
    if (status == CLI_DONE) {
        status = open_input(subject, path, &fd, &size);
    }
    if (status != CLI_DONE) {
        return status;
    }
    if (has_suffix(path, ".npy")) {
        status = read_npy_header(subject, operand, fd, size, &offset);
    }
    if (status == CLI_DONE && size - offset != (uint64_t)operand->bytes) {
        status = cli_fail(CLI_WRONG, "%s: holds %" PRIu64 " bytes of data, the operand wants %" PRId64, subject,
                          size - offset, operand->bytes);
    }
    if (status == CLI_DONE && lseek(fd, (off_t)offset, SEEK_SET) == -1) {
        status = cli_fail(CLI_SYSTEM, "%s: %s", subject, strerror(errno));
    }
    if (status == CLI_DONE) {
        status = read_exactly(subject, fd, data, (size_t)operand->bytes);
    }
    (void)close(fd);
    return status;
}

int operand_write(const aic_operand *operand, const char *path, const void *data, outfile *file)
{
    char header[256];
    int status = CLI_DONE;
    if (has_suffix(path, ".npy")) {
        status = outfile_write(file, operand->name, header, npy_format(operand, header));
    }
    return status == CLI_DONE ? outfile_write(file, operand->name, data, (size_t)operand->bytes) : status;
}
