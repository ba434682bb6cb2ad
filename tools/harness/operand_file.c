/* Reading and writing operands as files. */
#include "tools/harness/operand_file.h"

#include "tools/harness/fail.h"
#include "tools/harness/operand_text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "operand files are little-endian and read without conversion"
#endif

bool operand_file_named(const char *path)
{
    return outfile_ends(path, ".npy") || outfile_ends(path, ".bin");
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

/* A file that is open for reading. */
typedef struct source {
    char subject[PATH_MAX + 64]; /* opens messages */
    int fd;
    uint64_t bytes;        /* of data */
    bool has_header;       /* .npy; else the type and the shape are what the reader takes them for */
    aic_npy_header header; /* data_offset counts without one, too */
} source;

/* ---- what fits an operand ---- */

/* Whether a file's elements may stand for the operand's: the same type, for words any of their size, and for words that
 * hold elements of 8 or 16 bits those, with or without sign. */
static bool type_fits(const aic_operand *operand, aic_dtype got)
{
    const aic_dtype wanted = operand->dtype == AIC_BFLOAT16 ? AIC_UINT16 : operand->dtype;
    const aic_dtype parts = operand->sub_words;
    return got == wanted || (operand->words && aic_dtype_size(got) == aic_dtype_size(wanted)) ||
           (parts == AIC_INT8 && (got == AIC_INT8 || got == AIC_UINT8)) ||
           (parts == AIC_INT16 && (got == AIC_INT16 || got == AIC_UINT16));
}

static int check_type(const source *from, const aic_operand *operand)
{
    if (type_fits(operand, from->header.dtype)) {
        return CLI_DONE;
    }
    return cli_fail(CLI_WRONG, "%s: dtype is %s, the operand wants %s", from->subject,
                    aic_dtype_name(from->header.dtype), aic_dtype_name(operand->dtype));
}

/* Whether a file that is only read may be longer: of elements that lie where strides put them, one of any shape; of
 * fractals, one of one axis. */
static bool may_be_longer(const aic_operand *operand)
{
    return (operand->strided || operand->fractals) && operand->direction == AIC_DIRECTION_IN;
}

/* Whether so many bytes of data serve an operand that wants others: more of what may be longer, all but spare ones. */
static bool length_fits(const aic_operand *operand, uint64_t holds)
{
    const uint64_t wants = (uint64_t)operand->bytes, spare = (uint64_t)operand->spare * aic_dtype_size(operand->dtype);
    return holds == wants || (holds > wants ? may_be_longer(operand) : holds + spare >= wants);
}

/* What else serves, for messages: " or more, or up to 480 elements fewer". */
static void other_lengths(const aic_operand *operand, char text[OPERAND_TEXT_MAX])
{
    const size_t used = (size_t)snprintf(text, OPERAND_TEXT_MAX, "%s", may_be_longer(operand) ? " or more" : "");
    if (operand->spare > 0) {
        (void)snprintf(text + used, OPERAND_TEXT_MAX - used, ", or up to %" PRId64 " elements fewer", operand->spare);
    }
}

/* Whether the shapes are the same but for axes of 1 in front. */
static bool shapes_agree(const aic_operand *operand, const aic_npy_header *header)
{
    int32_t skip = 0;
    while (header->rank - skip > operand->rank && header->shape[skip] == 1) {
        skip++;
    }
    bool agree = header->rank - skip == operand->rank;
    for (int32_t i = 0; agree && i < operand->rank; i++) {
        agree = header->shape[skip + i] == operand->shape[i];
    }
    return agree;
}

static int check_shape(const source *from, const aic_operand *operand)
{
    const aic_npy_header *header = &from->header;
    const uint64_t wants = (uint64_t)operand->bytes;
    const uint64_t holds = (uint64_t)header->elements * aic_dtype_size(header->dtype);
    const bool packed = operand->sub_words != AIC_DTYPE_NONE && holds == wants;
    if (shapes_agree(operand, header) || packed ||
        ((header->rank <= 1 || operand->strided) && length_fits(operand, holds))) {
        return CLI_DONE;
    }
    char got[OPERAND_TEXT_MAX], wanted[OPERAND_TEXT_MAX], others[OPERAND_TEXT_MAX];
    shape_text(header->rank, header->shape, got);
    shape_text(operand->rank, operand->shape, wanted);
    other_lengths(operand, others);
    if (operand->rank == 1) {
        return cli_fail(CLI_WRONG, "%s: shape is %s, the operand wants %s%s", from->subject, got, wanted, others);
    }
    return cli_fail(CLI_WRONG, "%s: shape is %s, the operand wants %s or [%" PRId64 "]%s", from->subject, got, wanted,
                    operand->elements, others);
}

/* ---- reading ---- */

static int read_npy_header(source *from, uint64_t size)
{
    unsigned char *bytes = malloc(AIC_NPY_HEADER_MAX);
    if (bytes == NULL) {
        return cli_fail_memory(from->subject, AIC_NPY_HEADER_MAX);
    }
    size_t part = size < AIC_NPY_HEADER_MAX ? (size_t)size : AIC_NPY_HEADER_MAX;
    int status = read_exactly(from->subject, from->fd, bytes, part);
    if (status == CLI_DONE) {
        from->header = aic_npy_header_init();
        status = cli_status(NULL, aic_npy_parse(from->subject, bytes, part, &from->header));
    }
    free(bytes);
    return status;
}

static void close_source(source *from)
{
    if (from->fd != -1) {
        (void)close(from->fd);
    }
}

/* `name` is the operand's, NULL for a file that is none's. */
static int open_source(const char *name, const char *path, source *from)
{
    uint64_t size = 0;
    *from = (source){.fd = -1, .has_header = outfile_ends(path, ".npy")};
    (void)snprintf(from->subject, sizeof from->subject, "%s%s\"%s\"", name == NULL ? "" : name,
                   name == NULL ? "" : ": ", path);
    if (!operand_file_named(path)) {
        return cli_fail(CLI_WRONG, "%s ends in neither .npy nor .bin", from->subject);
    }
    int status = open_input(from->subject, path, &from->fd, &size);
    if (status == CLI_DONE && from->has_header) {
        status = read_npy_header(from, size);
    }
    if (status == CLI_DONE) {
        from->bytes = size - from->header.data_offset;
    }
    return status;
}

/* Reads the first `size` bytes of data. */
static int read_data(const source *from, void *data, uint64_t size)
{
    if (lseek(from->fd, (off_t)from->header.data_offset, SEEK_SET) == -1) {
        return cli_fail(CLI_SYSTEM, "%s: %s", from->subject, strerror(errno));
    }
    return read_exactly(from->subject, from->fd, data, size);
}

/* A file holds what its header says, or whole elements. */
static int check_elements(const source *from, aic_dtype dtype)
{
    const uint64_t size = aic_dtype_size(dtype), held = from->bytes / size;
    const int64_t elements = from->has_header ? from->header.elements : (int64_t)held;
    return (uint64_t)elements == held && from->bytes % size == 0
               ? CLI_DONE
               : cli_fail(CLI_WRONG, "%s: %" PRIu64 " bytes of data are not %" PRId64 " elements of %s", from->subject,
                          from->bytes, elements, aic_dtype_name(dtype));
}

int operand_read(const aic_operand *operand, const char *path, void *data)
{
    source from;
    const uint64_t wants = (uint64_t)operand->bytes;
    int status = open_source(operand->name, path, &from);
    if (status == CLI_DONE && from.has_header) {
        status = check_type(&from, operand);
        status = status == CLI_DONE ? check_shape(&from, operand) : status;
    }
    if (status == CLI_DONE && !length_fits(operand, from.bytes)) {
        char others[OPERAND_TEXT_MAX];
        other_lengths(operand, others);
        status = cli_fail(CLI_WRONG, "%s: holds %" PRIu64 " bytes of data, the operand wants %" PRIu64 "%s",
                          from.subject, from.bytes, wants, others);
    }
    status = status == CLI_DONE ? check_elements(&from, from.has_header ? from.header.dtype : operand->dtype) : status;
    if (status == CLI_DONE) {
        const uint64_t holds = from.bytes < wants ? from.bytes : wants;
        status = read_data(&from, data, holds);
        if (holds < wants) {
            memset((unsigned char *)data + holds, 0, wants - holds);
        }
    }
    close_source(&from);
    return status;
}

/* ---- tensors that are no operand's ---- */

/* What the header says, or the type that is wanted and one axis. */
static int describe_tensor(const source *from, aic_dtype dtype, aic_operand *tensor)
{
    const aic_npy_header *header = &from->header;
    const aic_dtype own = dtype == AIC_BFLOAT16 ? AIC_UINT16 : dtype;
    if (!from->has_header && dtype == AIC_DTYPE_NONE) {
        return cli_fail(CLI_WRONG, "%s: the type of a .bin file must be given: --dtype T", from->subject);
    }
    if (from->has_header && dtype != AIC_DTYPE_NONE && header->dtype != own) {
        return cli_fail(CLI_WRONG, "%s: dtype is %s, not %s", from->subject, aic_dtype_name(header->dtype),
                        aic_dtype_name(dtype));
    }
    tensor->dtype = dtype != AIC_DTYPE_NONE ? dtype : header->dtype;
    tensor->rank = from->has_header ? header->rank : 1;
    memcpy(tensor->shape, header->shape, sizeof tensor->shape);
    if (!from->has_header) {
        tensor->shape[0] = (int64_t)(from->bytes / aic_dtype_size(dtype));
    }
    tensor->elements = from->has_header ? header->elements : tensor->shape[0];
    tensor->bytes = (int64_t)from->bytes;
    return check_elements(from, tensor->dtype);
}

int tensor_read(const char *path, aic_dtype dtype, aic_operand *tensor, guard_buffer *buffer)
{
    source from;
    *tensor = (aic_operand){.size = sizeof *tensor, .name = "tensor", .direction = AIC_DIRECTION_IN};
    int status = open_source(NULL, path, &from);
    status = status == CLI_DONE ? describe_tensor(&from, dtype, tensor) : status;
    status = status == CLI_DONE ? cli_memory(buffer, from.subject, (uint64_t)tensor->bytes) : status;
    status = status == CLI_DONE ? read_data(&from, buffer->data, (uint64_t)tensor->bytes) : status;
    close_source(&from);
    return status;
}

int operand_write(const aic_operand *operand, const char *path, const void *data, outfile *file)
{
    char header[AIC_NPY_WRITTEN_MAX];
    size_t size = 0;
    int status = CLI_DONE;
    if (outfile_ends(path, ".npy")) {
        const aic_status failed = aic_npy_format(operand, header, &size);
        status = failed == AIC_OK ? outfile_write(file, operand->name, header, size) : cli_status(NULL, failed);
    }
    return status == CLI_DONE ? outfile_write(file, operand->name, data, (size_t)operand->bytes) : status;
}
