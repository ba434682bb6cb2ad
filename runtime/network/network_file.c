/* The files of a network's folder. Whoever chose the folder need not have written what is in it: a file is regular, in
 * the folder itself, and of a size that its header says. */
#include "frontend/core/diag.h"
#include "runtime/network/network.h"
#include "runtime/system/open_file.h"
#include <aic/npy.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file that is open. */
typedef struct source {
    const aic_network *net;
    const char *name;
    size_t line; /* that names it; 0: network.txt itself */
    int file;
    int64_t size;
} source;

static aic_status fail(const source *s, aic_status status, const char *problem)
{
    const aic_status failed = aic_fail(status, AIC_NETWORK_SUBJECT, "%.255s: %s", s->name, problem);
    return s->line != 0 ? aic_net_blame(s->net, s->line, failed)
                        : aic_fail(status, AIC_NETWORK_SUBJECT, "\"%s\": %s", s->net->path, problem);
}

static aic_status open_source(source *s, int64_t limit)
{
    struct stat info;
    const char *problem;
    s->file = aic_open_file(s->net->folder, s->name, O_RDONLY, 0, AIC_FILE_INSIDE, &info, &problem);
    if (s->file < 0) {
        const int error = errno;
        return fail(s, aic_file_status(error), problem != NULL ? problem : strerror(error));
    }
    s->size = info.st_size;
    if (s->size > limit) {
        (void)close(s->file);
        return fail(s, AIC_INVALID_ARGUMENT, "it has more bytes than such a file may have");
    }
    return AIC_OK;
}

/* Reads so many bytes from `at` on. */
static aic_status read_bytes(const source *s, int64_t at, void *bytes, size_t size)
{
    const ssize_t got = aic_file_read(s->file, bytes, size, at);
    if (got < 0) {
        return fail(s, AIC_IO, strerror(errno));
    }
    return (size_t)got == size ? AIC_OK : fail(s, AIC_INVALID_ARGUMENT, "the file became shorter while it was read");
}

aic_status aic_net_read_text(const aic_network *net, char **text, size_t *size)
{
    source s = {net, AIC_NETWORK_FILE, 0, -1, 0};
    aic_status status = open_source(&s, AIC_NETWORK_TEXT_MAX);
    if (status != AIC_OK) {
        return status;
    }
    char *bytes = malloc((size_t)s.size + 1);
    status = bytes != NULL ? read_bytes(&s, 0, bytes, (size_t)s.size)
                           : aic_fail_memory(AIC_NETWORK_SUBJECT, (size_t)s.size + 1);
    (void)close(s.file);
    if (status != AIC_OK) {
        free(bytes);
        return status;
    }
    bytes[s.size] = '\0';
    *text = bytes;
    *size = (size_t)s.size;
    return AIC_OK;
}

static aic_status read_header(const source *s, aic_npy_header *header)
{
    const size_t part = s->size < AIC_NPY_HEADER_MAX ? (size_t)s->size : AIC_NPY_HEADER_MAX;
    char *bytes = malloc(part + 1);
    if (bytes == NULL) {
        return aic_fail_memory(AIC_NETWORK_SUBJECT, part + 1);
    }
    aic_status status = read_bytes(s, 0, bytes, part);
    if (status == AIC_OK) {
        status = aic_npy_parse(s->name, bytes, part, header);
        status = status == AIC_OK ? status : aic_net_blame(s->net, s->line, status);
    }
    free(bytes);
    return status;
}

/* The elements, in memory of their own. */
static aic_status read_elements(const source *s, const aic_npy_header *header, aic_net_tensor *tensor)
{
    enum { ALIGNMENT = 64 };
    const int64_t size = (int64_t)aic_dtype_size(header->dtype), held = s->size - (int64_t)header->data_offset;
    if (header->elements < 1 || header->elements > held / size || header->elements * size != held) {
        return aic_net_fail(s->net, s->line, "%s: holds %" PRId64 " bytes of data, not %" PRId64 " elements of %s",
                            s->name, held, header->elements, aic_dtype_name(header->dtype));
    }
    const size_t room = ((size_t)held + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    tensor->data = aligned_alloc(ALIGNMENT, room);
    if (tensor->data == NULL) {
        return aic_fail_memory(AIC_NETWORK_SUBJECT, room);
    }
    const aic_status status = read_bytes(s, (int64_t)header->data_offset, tensor->data, (size_t)held);
    if (status != AIC_OK) {
        free(tensor->data);
        tensor->data = NULL;
        return status;
    }
    tensor->dtype = header->dtype;
    tensor->rank = header->rank;
    memcpy(tensor->shape, header->shape, sizeof tensor->shape);
    tensor->elements = header->elements;
    tensor->bytes = held;
    return AIC_OK;
}

aic_status aic_net_read_constant(aic_network *net, const char *file, aic_net_tensor *tensor)
{
    source s = {net, file, tensor->line, -1, 0};
    aic_npy_header header = aic_npy_header_init();
    aic_status status = open_source(&s, AIC_NETWORK_TENSOR_BYTES_MAX + AIC_NPY_HEADER_MAX);
    if (status != AIC_OK) {
        return status;
    }
    status = read_header(&s, &header);
    status = status == AIC_OK ? read_elements(&s, &header, tensor) : status;
    (void)close(s.file);
    return status;
}
