/* Effective processors; see processors.h. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "runtime/threads/processors.h"

#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- affinity ---- */

/* Linux refuses masks with fewer bits than it has processors: 8192 are the most that it can be built for. */
enum { MASK_BYTES_MAX = 1024 };

static int count_bits(const unsigned char *bytes, size_t size)
{
    int count = 0;
    for (size_t i = 0; i < size; i++) {
        for (unsigned char left = bytes[i]; left != 0; left &= (unsigned char)(left - 1)) {
            count++;
        }
    }
    return count;
}

/* Processors in the calling thread's mask. */
static int find_affinity(aic_affinity *affinity)
{
    union {
        cpu_set_t set;
        unsigned char bytes[MASK_BYTES_MAX];
    } found = {.bytes = {0}};
    *affinity = (aic_affinity){.known = false};
    if (sched_getaffinity(0, sizeof found, &found.set) != 0) {
        const long online = sysconf(_SC_NPROCESSORS_ONLN);
        return online >= 1 && online <= INT_MAX ? (int)online : 1;
    }
    affinity->known = count_bits(found.bytes + AIC_AFFINITY_BYTES, MASK_BYTES_MAX - AIC_AFFINITY_BYTES) == 0;
    memcpy(affinity->mask, found.bytes, AIC_AFFINITY_BYTES);
    const int count = count_bits(found.bytes, MASK_BYTES_MAX);
    return count >= 1 ? count : 1;
}

void aic_processors_bind(const aic_affinity *affinity)
{
    cpu_set_t set;
    _Static_assert(sizeof set == AIC_AFFINITY_BYTES, "the C library's masks have this size");
    memcpy(&set, affinity->mask, sizeof set);
    if (affinity->known) {
        (void)sched_setaffinity(0, sizeof set, &set);
    }
}

/* ---- control groups ---- */

enum { PATH_BYTES = 1024 };

/* The two versions of control groups. Version 1 has a hierarchy for each set of controllers, version 2 has one for all.
 */
typedef struct hierarchy {
    const char *file_system; /* its type in mountinfo */
    const char *controller;  /* that the hierarchy must have; NULL: none is named */
    /* Reads quota and period in microseconds from the group's folder; false where there is no quota. */
    bool (*read)(const char *folder, int64_t *quota, int64_t *period);
} hierarchy;

/* Reads the first line of FOLDER/NAME. */
static bool read_line(const char *folder, const char *name, char *line, int capacity)
{
    char path[PATH_BYTES + 32];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    const bool read = fgets(line, capacity, file) != NULL;
    (void)fclose(file);
    return read;
}

static bool read_number(const char **text, int64_t *number)
{
    char *end;
    const long long value = strtoll(*text, &end, 10);
    const bool read = end != *text && value > 0;
    *text = end;
    *number = value;
    return read;
}

/* "QUOTA PERIOD"; a quota that is no number, "max", is none. */
static bool read_second(const char *folder, int64_t *quota, int64_t *period)
{
    char line[64];
    const char *at = line;
    return read_line(folder, "cpu.max", line, sizeof line) && read_number(&at, quota) && read_number(&at, period);
}

/* A file for each; a quota of -1 is none. */
static bool read_first(const char *folder, int64_t *quota, int64_t *period)
{
    char line[64];
    const char *at = line;
    if (!read_line(folder, "cpu.cfs_quota_us", line, sizeof line) || !read_number(&at, quota)) {
        return false;
    }
    at = line;
    return read_line(folder, "cpu.cfs_period_us", line, sizeof line) && read_number(&at, period);
}

static const hierarchy HIERARCHIES[] = {
    {.file_system = "cgroup2", .controller = NULL, .read = read_second},
    {.file_system = "cgroup", .controller = "cpu", .read = read_first},
};

/* Whether a list of words with commas between them has this one. */
static bool lists(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length) {
        const bool begins = at == list || at[-1] == ',';
        if (begins && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

/* Calls take(line) for every line of a file until it returns true; whether it did. */
static bool find_line(const char *root, const char *name, bool (*take)(void *user, char *line), void *user)
{
    char path[PATH_BYTES];
    char *line = NULL;
    size_t capacity = 0;
    bool taken = false;
    (void)snprintf(path, sizeof path, "%s%s", root, name);
    FILE *file = fopen(path, "re");
    while (file != NULL && !taken && getline(&line, &capacity, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        taken = take(user, line);
    }
    free(line);
    if (file != NULL) {
        (void)fclose(file);
    }
    return taken;
}

/* Where a hierarchy is mounted, and which of its groups is the process's. */
typedef struct membership {
    const hierarchy *of;
    char mounted_cgroup[PATH_BYTES], mount[PATH_BYTES], cgroup[PATH_BYTES];
} membership;

/* A line of /proc/self/mountinfo: "ID PARENT DEVICE GROUP MOUNT OPTIONS [TAG]... - TYPE SOURCE SUPER_OPTIONS". */
static bool take_mount(void *user, char *line)
{
    membership *p = user;
    char type[32], options[PATH_BYTES];
    const char *rest = strstr(line, " - ");
    _Static_assert(PATH_BYTES == 1024, "the widths below are one less");
    return rest != NULL && sscanf(rest, " - %31s %*s %1023s", type, options) == 2 &&
           strcmp(type, p->of->file_system) == 0 && (p->of->controller == NULL || lists(options, p->of->controller)) &&
           sscanf(line, "%*s %*s %*s %1023s %1023s", p->mounted_cgroup, p->mount) == 2;
}

/* A line of /proc/self/cgroup: "ID:CONTROLLERS:GROUP", of version 2 "0::GROUP". */
static bool take_cgroup(void *user, char *line)
{
    membership *p = user;
    char *controllers = strchr(line, ':'), *cgroup = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
    if (cgroup == NULL) {
        return false;
    }
    *controllers++ = '\0';
    *cgroup++ = '\0';
    if (p->of->controller == NULL ? *controllers != '\0' || strcmp(line, "0") != 0
                                  : !lists(controllers, p->of->controller)) {
        return false;
    }
    (void)snprintf(p->cgroup, sizeof p->cgroup, "%s", cgroup);
    return true;
}

/* The group's path below the mount: behind the group that is mounted there. A process that sees a mount of another
 * group, as in a container, has its own group at the mount itself. */
static const char *below_mount(const membership *p)
{
    const size_t length = strcmp(p->mounted_cgroup, "/") == 0 ? 0 : strlen(p->mounted_cgroup);
    const char *rest = p->cgroup + length;
    const bool inside = strncmp(p->cgroup, p->mounted_cgroup, length) == 0 && (*rest == '/' || *rest == '\0');
    return inside && strstr(rest, "/..") == NULL ? rest : "";
}

/* The smaller of two numbers of processors, where 0 stands for any number. */
static int stricter(int a, int b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* The strictest quota of a group and of those that it is in, up to the mount. */
static int hierarchy_quota(const hierarchy *of, const char *root)
{
    membership p = {.of = of};
    char folder[3 * PATH_BYTES];
    int strictest = 0;
    if (!find_line(root, "/proc/self/mountinfo", take_mount, &p) ||
        !find_line(root, "/proc/self/cgroup", take_cgroup, &p)) {
        return 0;
    }
    const int mount = snprintf(folder, sizeof folder, "%s%s", root, p.mount);
    (void)snprintf(folder + mount, sizeof folder - (size_t)mount, "%s", below_mount(&p));
    for (;;) {
        int64_t quota, period;
        if (of->read(folder, &quota, &period)) {
            const int64_t whole = quota / period;
            strictest = stricter(strictest, whole < 1 ? 1 : whole < INT_MAX ? (int)whole : INT_MAX);
        }
        char *last = strrchr(folder + mount, '/');
        if (last == NULL) {
            return strictest;
        }
        *last = '\0';
    }
}

int aic_processors_quota(const char *root)
{
    int strictest = 0;
    for (size_t i = 0; i < sizeof HIERARCHIES / sizeof HIERARCHIES[0]; i++) {
        strictest = stricter(strictest, hierarchy_quota(&HIERARCHIES[i], root));
    }
    return strictest;
}

void aic_processors_find(aic_processors *processors)
{
    processors->count = find_affinity(&processors->affinity);
    processors->quota = false;
}

void aic_processors_limit(aic_processors *processors, int quota)
{
    processors->quota = quota != 0 && quota <= processors->count;
    processors->count = stricter(processors->count, quota);
}
