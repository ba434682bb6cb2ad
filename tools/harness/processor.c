#include "tools/harness/processor.h"
#include <aic/aic.h>

#include <stdio.h>
#include <string.h>

void processor_name(char *name, size_t capacity)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "re");
    (void)snprintf(name, capacity, "unknown");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL && colon[1] != '\0') {
            (void)snprintf(name, capacity, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
}

/* ---- levels ---- */

const char *level_way(const char *name)
{
    if (aic_isa_check(name) != AIC_OK) {
        return "not run, this host lacks it";
    }
    return aic_isa_emulated(name) ? "emulated" : "native";
}
