#include "tests/claims.h"
#include "frontend/core/stage.h"
#include "tools/harness/verify.h"

#include <aic/aic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *claim(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static void refuse(const char *name, const char *value)
{
    fprintf(stderr, "aicjit-tests: %s: \"%s\" has no meaning here\n", name, value);
    exit(2);
}

/* ---- the processor ---- */

/* The library gives them out to be read; nobody has read them yet. */
static aic_host *this_host(void)
{
    return (aic_host *)(uintptr_t)aic_host_this();
}

static aic_machine *facts_of(int core)
{
    return (aic_machine *)(uintptr_t)aic_machine_of((aic_core)core);
}

static aic_machine published[AIC_CORES];

const aic_machine *claims_published(aic_core core)
{
    return &published[core];
}

static void claim_core(const char *name)
{
    const aic_core core = aic_core_find(name);
    if (core == AIC_CORES) {
        refuse("AIC_MACHINE", name);
    }
    this_host()->core = core;
}

static const struct {
    const char *name;
    int64_t l1_bytes, l1_ways, l2_bytes, l3_bytes;
} CACHES[] = {
    {"small", 16 << 10, 4, 256 << 10, 1 << 20},
    {"large", 64 << 10, 16, 4 << 20, 32 << 20},
};

static void claim_caches(const char *name)
{
    size_t i = 0;
    while (i < sizeof CACHES / sizeof *CACHES && strcmp(CACHES[i].name, name) != 0) {
        i++;
    }
    if (i == sizeof CACHES / sizeof *CACHES) {
        refuse("AIC_CLAIM_CACHES", name);
        return;
    }
    for (int core = 0; core < AIC_CORES; core++) {
        aic_machine *facts = facts_of(core);
        facts->l1_bytes = CACHES[i].l1_bytes;
        facts->l1_ways = CACHES[i].l1_ways;
        facts->l2_bytes = CACHES[i].l2_bytes;
        facts->l3_bytes = CACHES[i].l3_bytes;
    }
}

/* Features that only higher levels need are not there. */
static void claim_level(const char *name)
{
    const aic_arch arch = aic_host_arch();
    const aic_target *target = NULL;
    uint32_t needed = 0, known = 0;
    bool below = true;
    for (size_t i = 0; (target = aic_target_at(arch, i)) != NULL; i++) {
        known |= target->needs;
        needed |= below ? target->needs : 0;
        below = below && strcmp(target->name, name) != 0;
    }
    if (below) {
        refuse("AIC_CLAIM_LEVEL", name);
    }
    aic_host *host = this_host();
    host->features &= needed | ~known;
    host->emulated &= needed | ~known;
    host->refused &= needed | ~known;
}

/* ---- chance ---- */

static uint64_t moved_by;

static void claim_seed(const char *text)
{
    char *end;
    const uint64_t number = strtoull(text, &end, 10);
    if (*end != '\0' || number > UINT32_MAX) {
        refuse("AIC_CLAIM_SEED", text);
    }
    moved_by = number * UINT64_C(1000003); /* tests count from 0 or 1 to thousands */
}

uint64_t claims_seed(uint64_t seed)
{
    return seed + moved_by;
}

#define DRAW(type, name, parameters, arguments)                                                                        \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters                                                                                      \
    {                                                                                                                  \
        return __real_##name arguments;                                                                                \
    }

/* The linker's names (--wrap). */
DRAW(aic_status, aic_spec_draw, (aic_op op, const aic_semantics *semantics, uint64_t seed, aic_spec *spec),
     (op, semantics, claims_seed(seed), spec))
DRAW(aic_status, aic_spec_draw_illegal, (aic_op op, const aic_semantics *semantics, uint64_t seed, aic_spec *spec),
     (op, semantics, claims_seed(seed), spec))
DRAW(aic_status, aic_spec_draw_chain,
     (aic_op producer, aic_op consumer, const aic_semantics *semantics, uint64_t seed, aic_spec *spec),
     (producer, consumer, semantics, claims_seed(seed), spec))
DRAW(aic_status, aic_spec_draw_chain_illegal,
     (aic_op producer, aic_op consumer, const aic_semantics *semantics, uint64_t seed, aic_spec *spec),
     (producer, consumer, semantics, claims_seed(seed), spec))

DRAW(verify_verdict, verify_open,
     (verify_case * c, const aic_spec *spec, const aic_semantics *semantics, uint64_t seed, verify_report *report),
     (c, spec, semantics, claims_seed(seed), report))

void claims_make(void)
{
    static const struct {
        const char *name;
        void (*make)(const char *value);
    } CLAIMS[] = {
        {"AIC_MACHINE", claim_core},
        {"AIC_CLAIM_CACHES", claim_caches},
        {"AIC_CLAIM_LEVEL", claim_level},
        {"AIC_CLAIM_SEED", claim_seed},
    };
    for (int core = 0; core < AIC_CORES; core++) {
        published[core] = *facts_of(core);
    }
    for (size_t i = 0; i < sizeof CLAIMS / sizeof *CLAIMS; i++) {
        const char *value = claim(CLAIMS[i].name);
        if (value != NULL) {
            CLAIMS[i].make(value);
        }
    }
}
