/* The layout is that of XSAVE without compaction, behind marks that Linux leaves in bytes the processor does not use.
 */
#include "tests/emulate/frame.h"

#include <stddef.h>
#include <string.h>

enum { MARK = 464, SIZE = 480, PRESENT = 512 };

/* Bytes of the frame's register state; 0: it is that of a processor without XSAVE. */
static uint32_t bytes_of(const uint8_t *bytes)
{
    const uint32_t mark = 0x46505853; /* FP_XSTATE_MAGIC1 */
    uint32_t found, size;
    memcpy(&found, bytes + MARK, sizeof found);
    memcpy(&size, bytes + SIZE, sizeof size);
    return found == mark ? size : 0;
}

bool frame_has_vectors(const void *fpregs)
{
    enum { VECTORS_END = 832 };
    return bytes_of(fpregs) >= VECTORS_END;
}

const uint8_t *frame_tile_config(const void *fpregs, uint32_t offset)
{
    enum { CONFIG_BYTES = 64 };
    const uint64_t tile_config = UINT64_C(1) << 17;
    const uint8_t *bytes = fpregs;
    uint64_t present;
    if (offset == 0 || bytes_of(bytes) < offset + CONFIG_BYTES) {
        return NULL;
    }
    memcpy(&present, bytes + PRESENT, sizeof present);
    return (present & tile_config) != 0 ? bytes + offset : NULL;
}
