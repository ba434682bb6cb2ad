/* The disk cache: a folder with a file for each kernel that was made, and for each part of which kernels are made
 * (codegen/parts.h), which other processes read.
 *
 *     trust    the folder and the files belong to the user of the process, and nobody else may write to them; else they
 *              are not used. What is checked is a copy in the process's own memory, and that copy is what runs
 *     whole    a file is written under another name and renamed; a checksum shows what a crash or a disk has damaged
 *     refused  a file that is damaged, foreign, of another version or open to others is reported and replaced, and its
 *              code never runs
 *     no lock  processes that make the same kernel at the same time each write its file, and the last one stays
 *     quota    one write in a few looks whether the folder is too large, and removes the least recently used files
 *
 * No failure of the disk cache fails a call. */
#pragma once

#include "codegen/part_source.h"
#include "runtime/request/identity.h"
#include <aic/context.h>
#include <stdatomic.h>

typedef enum aic_disk_mode { AIC_DISK_OFF, AIC_DISK_RO, AIC_DISK_RW } aic_disk_mode;

typedef struct aic_disk {
    aic_disk_mode mode;           /* AIC_DISK_OFF: there is no folder */
    bool ready_made;              /* the mode is not off by choice: ready-made parts count (ready_parts.h) */
    char *folder;                 /* absolute; it need not be there */
    bool named;                   /* by the options or the environment: a warning says that it cannot be used */
    bool verbose;                 /* failures are lines on standard error */
    uint64_t limit;               /* bytes of all files */
    atomic_uint_fast64_t written; /* bytes since the quota was looked at */
} aic_disk;

/* What the options and the environment say. AIC_INVALID_ARGUMENT for a mode that is none, AIC_OUT_OF_MEMORY. Touches no
 * file. */
aic_status aic_disk_configure(aic_disk *disk, const aic_context_options *options);
void aic_disk_free(aic_disk *disk);

/* "off", "ro", "rw". */
const char *aic_disk_mode_name(aic_disk_mode mode);

/* The kernel of the identity, as an object without ELF bytes; free with aic_object_free(). False: there is none that
 * can be used; a file that was refused leaves a warning. */
bool aic_disk_load(const aic_disk *disk, const aic_identity *identity, aic_object *object);

/* Keeps the kernel of a request and its identity; whether it could. Blocks signals meanwhile: a handler that ends the
 * process must not leave a file behind. */
bool aic_disk_store(aic_disk *disk, const aic_codegen_request *request, const aic_identity *identity,
                    const aic_object *object);

/* The same of parts. */
bool aic_disk_load_part(const aic_disk *disk, const aic_part_identity *identity, aic_piece *piece);
bool aic_disk_store_part(aic_disk *disk, const aic_part_identity *identity, const aic_piece *piece);

/* Whether there is a file of the part. It is not looked into, and may turn out to be of no use. */
bool aic_disk_has_part(const aic_disk *disk, const aic_part_identity *identity);

/* ---- the whole folder (disk_folder.c) ---- */

/* Opens the folder for reading names: -1, and *problem says why; NULL when it is not there. */
int aic_disk_open_folder(const aic_disk *disk, const char **problem);

/* A file of the cache, or one that a writer has not finished. */
typedef struct aic_disk_entry {
    char *name;
    uint64_t bytes;
    int64_t used; /* seconds since 1970 */
    bool finished;
    bool part; /* of kernels */
} aic_disk_entry;

typedef struct aic_disk_list {
    aic_disk_entry *entry;
    size_t count;
    uint64_t bytes; /* of all */
} aic_disk_list;

/* Lists the files of an open folder. False: memory or the folder fails. */
bool aic_disk_list_read(int folder, aic_disk_list *list);
void aic_disk_list_free(aic_disk_list *list);

/* Removes what was not used for longest until an eighth of the limit is free, if it is exceeded, and what writers have
 * left behind an hour ago or longer. A part goes after the kernels that were used in the same hour: they may need it.
 */
void aic_disk_trim(int folder, uint64_t limit);

/* Opens a file of the folder and reads it whole: malloc'ed. NULL, or what is wrong with it; "" when it is not there.
 * With `touch` its time of use is brought up to date. */
const char *aic_disk_read(int folder, const char *name, bool touch, unsigned char **bytes, size_t *size);

/* Names of files are "aic_....kernel" and "part_....part". */
#define AIC_DISK_KERNEL ".kernel"
#define AIC_DISK_PART ".part"
#define AIC_DISK_PREFIX "." /* of files that are being written */
