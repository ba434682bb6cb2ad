/* What identifies this machine in a tuning file: a processor's name, features and caches. */
#include "codegen/target/host.h"
#include "frontend/text/sink.h"
#include "runtime/tuning/tune_record.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static _Atomic(const char *) supposed;

void aic_tune_machine_suppose(const char *text)
{
    atomic_store_explicit(&supposed, text, memory_order_release); /* the text comes with its address */
}

/* What a line of /proc/cpuinfo that begins with `key` says. */
static bool read_cpuinfo(const char *key, char *text, size_t capacity)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (file == NULL) {
        return false;
    }
    char line[512];
    bool found = false;
    while (!found && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        found = strncmp(line, key, strlen(key)) == 0 && colon != NULL;
        if (found) {
            colon += 1 + strspn(colon + 1, " \t");
            (void)snprintf(text, capacity, "%.*s", (int)strcspn(colon, "\n"), colon);
        }
    }
    (void)fclose(file);
    return found;
}

/* x86-64 has names of processors, AArch64 numbers. */
static void put_processor(char *text, size_t capacity)
{
    char implementer[32], part[32];
    if (read_cpuinfo("model name", text, capacity)) {
        return;
    }
    const bool known =
        read_cpuinfo("CPU implementer", implementer, sizeof implementer) && read_cpuinfo("CPU part", part, sizeof part);
    (void)snprintf(text, capacity, known ? "%s %s" : "unknown", implementer, part);
}

static void put_features(char *text, size_t capacity)
{
    const aic_host *host = aic_host_this();
    uint32_t feature;
    const char *name;
    for (size_t i = 0; (name = aic_feature_at(i, &feature)) != NULL; i++) {
        if ((host->features & feature) != 0) {
            aic_text_join(text, capacity, " ", name);
            aic_text_add(text, capacity, "%s", (host->emulated & feature) != 0 ? " (emulated)" : "");
        }
    }
}

/* Kilobytes, 0 where the system does not tell. */
static long cache_kilobytes(int name)
{
    const long bytes = sysconf(name);
    return bytes > 0 ? bytes / 1024 : 0;
}

void aic_tune_machine(const aic_machine *machine, char text[AIC_MACHINE_TEXT_MAX])
{
    const char *instead = atomic_load_explicit(&supposed, memory_order_acquire);
    if (instead != NULL) {
        (void)snprintf(text, AIC_MACHINE_TEXT_MAX, "%s", instead);
        return;
    }
    char processor[96], features[160] = "";
    put_processor(processor, sizeof processor);
    put_features(features, sizeof features);
    (void)snprintf(text, AIC_MACHINE_TEXT_MAX, "%s; %s; caches %ldK %ldK %ldK", processor, features,
                   cache_kilobytes(_SC_LEVEL1_DCACHE_SIZE), cache_kilobytes(_SC_LEVEL2_CACHE_SIZE),
                   cache_kilobytes(_SC_LEVEL3_CACHE_SIZE));
    if (machine->core != aic_host_this()->core) { /* another default, and so other records */
        aic_text_add(text, AIC_MACHINE_TEXT_MAX, "; schedules for %s", aic_core_name(machine->core));
    }
    for (char *c = text; *c != '\0'; c++) {
        *c = (unsigned char)*c < ' ' ? ' ' : *c;
    }
}
