/* Guarded buffers: [inaccessible page][slack, data, slack][inaccessible page], the slack filled with a known byte. */
#include "tools/harness/guard.h"

#include "tools/harness/memory.h"

#include <string.h>
#include <sys/mman.h>

enum { SLACK_BYTE = 0xA5 };

bool guard_open(guard_buffer *buffer, size_t size, size_t alignment, guard_side side)
{
    *buffer = (guard_buffer){0};
    size_t page = memory_page();
    if (size > SIZE_MAX / 2) {
        return false;
    }
    size_t shift = side == GUARD_SHIFTED ? alignment : 0;
    size_t inner = (size + shift + page - 1) / page * page;
    unsigned char *map = memory_map(inner + 2 * page);
    if (map == NULL) {
        return false;
    }
    *buffer = (guard_buffer){.size = size, .map = map, .map_size = inner + 2 * page};
    if (mprotect(map, page, PROT_NONE) != 0 || mprotect(map + page + inner, page, PROT_NONE) != 0) {
        guard_close(buffer);
        return false;
    }
    size_t offset = side == GUARD_AFTER ? (inner - size) / alignment * alignment : shift;
    unsigned char *data = map + page + offset;
    memset(map + page, SLACK_BYTE, offset);
    memset(data + size, SLACK_BYTE, inner - offset - size);
    buffer->data = data;
    return true;
}

void guard_writable(guard_buffer *buffer, bool writable)
{
    size_t page = memory_page();
    if (buffer->map == NULL) {
        return;
    }
    (void)mprotect(buffer->map + page, buffer->map_size - 2 * page, writable ? PROT_READ | PROT_WRITE : PROT_READ);
}

bool guard_intact(const guard_buffer *buffer)
{
    size_t page = memory_page();
    const unsigned char *data = buffer->data;
    if (buffer->map == NULL) {
        return true;
    }
    const unsigned char *end = buffer->map + buffer->map_size - page;
    for (const unsigned char *at = buffer->map + page; at < end; at++) {
        if (at == data) {
            at += buffer->size;
            if (at == end) {
                break;
            }
        }
        if (*at != SLACK_BYTE) {
            return false;
        }
    }
    return true;
}

void guard_close(guard_buffer *buffer)
{
    memory_unmap(buffer->map, buffer->map_size);
    *buffer = (guard_buffer){0};
}
