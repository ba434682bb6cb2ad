/* The layout is that of XSAVE without compaction, behind marks that Linux leaves in bytes the processor does not use.
 */
#include "tests/emulate/frame.h"

#include <stddef.h>
#include <string.h>

const uint8_t *frame_tile_config(const void *fpregs, uint32_t offset)
{
    enum { MARK = 464, SIZE = 480, PRESENT = 512, CONFIG_BYTES = 64 };
    const uint32_t mark = 0x46505853; /* FP_XSTATE_MAGIC1 */
    const uint64_t tile_config = UINT64_C(1) << 17;
    const uint8_t *bytes = fpregs;
    uint32_t found, size;
    uint64_t present;
    memcpy(&found, bytes + MARK, sizeof found);
    memcpy(&size, bytes + SIZE, sizeof size);
    if (found != mark || offset == 0 || size < offset + CONFIG_BYTES) {
        return NULL;
    }
    memcpy(&present, bytes + PRESENT, sizeof present);
    return (present & tile_config) != 0 ? bytes + offset : NULL;
}
