/* Sets of lines, those used last in front. Threads share one model, in turns. */
#include "tests/emulate/cache.h"

#include <stdatomic.h>
#include <string.h>

enum { LINE_BYTES = 64, FIRST_SETS = 64, FIRST_WAYS = 12, SECOND_SETS = 2048, SECOND_WAYS = 16 };

static struct {
    atomic_flag taken;
    uint64_t lines[CACHE_LEVELS];
    uint64_t first[FIRST_SETS][FIRST_WAYS], second[SECOND_SETS][SECOND_WAYS]; /* numbers of lines; 0: none */
} model = {.taken = ATOMIC_FLAG_INIT};

/* Whether the set has the line, which is in front then; where it `stays` it is in any case. */
static bool use(uint64_t *set, unsigned ways, uint64_t line, bool stays)
{
    unsigned at = 0;
    while (at < ways && set[at] != line) {
        at++;
    }
    const bool found = at < ways;
    if (found || stays) {
        memmove(set + 1, set, (found ? at : ways - 1) * sizeof *set);
        set[0] = line;
    }
    return found;
}

/* Where the line was. */
static int use_line(uint64_t line, bool stays)
{
    if (use(model.first[line % FIRST_SETS], FIRST_WAYS, line, stays)) {
        return CACHE_FIRST;
    }
    return use(model.second[line % SECOND_SETS], SECOND_WAYS, line, true) ? CACHE_SECOND : CACHE_BEYOND;
}

static void use_bytes(uint64_t address, unsigned bytes, bool loads, bool stays)
{
    while (atomic_flag_test_and_set_explicit(&model.taken, memory_order_acquire)) {
    }
    for (uint64_t line = address / LINE_BYTES; bytes > 0 && line <= (address + bytes - 1) / LINE_BYTES; line++) {
        const int level = use_line(line, stays);
        model.lines[level] += loads;
    }
    atomic_flag_clear_explicit(&model.taken, memory_order_release);
}

void cache_load(uint64_t address, unsigned bytes, bool stays)
{
    use_bytes(address, bytes, true, stays);
}

void cache_store(uint64_t address, unsigned bytes)
{
    use_bytes(address, bytes, false, true);
}

uint64_t cache_lines(int level)
{
    return model.lines[level];
}
