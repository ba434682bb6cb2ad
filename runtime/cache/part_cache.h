/* Parts of kernels that a context keeps in memory: compiled code by all that it depends on. What is not there is looked
 * for among the ready-made parts and on disk, else made and written to the disk. Each is made once, however many
 * threads want it at the same time; those not used for longest go first where there is no more room. A fork is as with
 * the other caches (cache.h). */
#pragma once

#include "codegen/part_source.h"
#include "runtime/cache/cache.h"
#include "runtime/disk/disk_cache.h"
#include "runtime/disk/ready_parts.h"

typedef struct aic_part_cache {
    aic_part_source source; /* for the generator; the first member */
    aic_cache cache;
    uint64_t most;  /* bytes */
    aic_disk *disk; /* where parts are kept for other processes */
    const char *level;
    _Atomic(aic_ready_parts *) ready; /* of the level; NULL: nobody has looked yet */
    atomic_bool loaded;               /* a part came from a file */
    atomic_bool distrusted;           /* none is taken from a file any more */
} aic_part_cache;

/* Prepares a cache of at most so many bytes for a level; `disk` and `level` live longer. */
aic_status aic_part_cache_init(aic_part_cache *parts, uint64_t most, const char *level, aic_disk *disk);

/* After a kernel could not be linked: forgets parts that came from files and takes no more from there, as one may be
 * what its checksum says and yet no part of this build. False: there was none, or they were forgotten before. */
bool aic_part_cache_distrust(aic_part_cache *parts);

void aic_part_cache_destroy(aic_part_cache *parts);
