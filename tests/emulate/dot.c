/* The frame's layout is that of XSAVE without compaction: lower halves of vectors in the legacy part, upper halves in
 * component 2, which is left out where all of them are zero. */
#include "tests/emulate/dot.h"
#include "tests/emulate/frame.h"

#include <cpuid.h>
#include <string.h>

enum { HALF = 16, LOWER = 160, UPPER = 576, PRESENT = 512 };
static const uint64_t UPPER_HALVES = 1u << 2;

static void read_vector(const uint8_t *frame, const amx_instruction *i, unsigned number, bool has_upper,
                        uint8_t *vector)
{
    memset(vector, 0, 2 * HALF);
    if (number == AMX_IN_MEMORY) {
        memcpy(vector, (const void *)(uintptr_t)i->address, i->bytes);
        return;
    }
    memcpy(vector, frame + LOWER + HALF * number, HALF);
    if (has_upper) {
        memcpy(vector + HALF, frame + UPPER + HALF * number, HALF);
    }
}

/* The sum of a lane: four products of unsigned by signed bytes, or two of signed words. */
static uint32_t add_lane(amx_kind kind, uint32_t start, const uint8_t *a, const uint8_t *b)
{
    uint32_t sum = start;
    if (kind == AMX_VPDPBUSD) {
        for (unsigned j = 0; j < 4; j++) {
            sum += (uint32_t)(a[j] * (int8_t)b[j]);
        }
    } else {
        int16_t left[2], right[2];
        memcpy(left, a, sizeof left);
        memcpy(right, b, sizeof right);
        sum += (uint32_t)(left[0] * right[0]) + (uint32_t)(left[1] * right[1]);
    }
    return sum;
}

bool dot_execute(const amx_instruction *i, void *fpregs)
{
    uint8_t *frame = fpregs, a[2 * HALF], b[2 * HALF], sum[2 * HALF];
    uint64_t present;
    if (!frame_has_vectors(fpregs)) {
        return false;
    }
    memcpy(&present, frame + PRESENT, sizeof present);
    const bool has_upper = (present & UPPER_HALVES) != 0;
    read_vector(frame, i, i->tile[0], has_upper, sum);
    read_vector(frame, i, i->tile[1], has_upper, a);
    read_vector(frame, i, i->tile[2], has_upper, b);
    for (unsigned lane = 0; lane < i->bytes / 4; lane++) {
        uint32_t word;
        memcpy(&word, sum + 4 * lane, sizeof word);
        word = add_lane(i->kind, word, a + 4 * lane, b + 4 * lane);
        memcpy(sum + 4 * lane, &word, sizeof word);
    }
    memset(sum + i->bytes, 0, 2 * HALF - i->bytes);
    if (!has_upper) {
        memset(frame + UPPER, 0, (size_t)HALF * 16);
        present |= UPPER_HALVES;
        memcpy(frame + PRESENT, &present, sizeof present);
    }
    memcpy(frame + LOWER + HALF * i->tile[0], sum, HALF);
    memcpy(frame + UPPER + HALF * i->tile[0], sum + HALF, HALF);
    return true;
}

bool dot_is_native(void)
{
    const uint32_t avx_vnni = 1u << 4;
    uint32_t a, b, c, d;
    return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & avx_vnni) != 0;
}
