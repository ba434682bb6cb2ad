/* The disk cache as a whole: what is in its folder. Contexts read and write it by themselves
 * (aic_context_options.cache); nothing here is needed for that.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_CACHE_H
#define AIC_CACHE_H

#include <aic/context.h>

AIC_EXTERN_C_BEGIN

typedef struct aic_disk_cache_info {
    size_t size;            /* of this structure */
    const char *folder;     /* lives as long as the context; NULL: there is none */
    const char *mode;       /* "off", "ro", "rw" */
    uint64_t limit;         /* bytes that all files may have */
    uint64_t files;         /* kernels */
    uint64_t parts;         /* parts of which kernels are made */
    uint64_t bytes;         /* of all, those included that writers have not finished */
    uint64_t current;       /* kernels of this build of the library, the only ones that it uses */
    uint64_t current_parts; /* parts of this build */
    uint64_t refused; /* files that are no kernels or parts: damaged, of another version, open to others; counted by
                         aic_disk_cache_verify() only */
} aic_disk_cache_info;

AIC_SIZED(aic_disk_cache_info)

/* What the folder of a context's disk cache holds, by the names of the files. A folder that is not there is empty; one
 * that belongs to another user, is open to others or cannot be read is AIC_IO. */
AIC_API aic_status aic_disk_cache_stat(aic_context *context, aic_disk_cache_info *info);

/* Called for every kernel and part: the file's name, what it is in the lines of AIC_DUMP_DIR's NAME.txt ("" where that
 * cannot be read), and what is wrong with it or NULL. Valid during the call. */
typedef void (*aic_disk_cache_report)(void *user, const char *file, const char *what, const char *problem);

/* Reads every file and checks it. report may be NULL. AIC_IO as above; files that are refused are no failure. */
AIC_API aic_status aic_disk_cache_verify(aic_context *context, aic_disk_cache_report report, void *user,
                                         aic_disk_cache_info *info);

/* Removes every kernel and part, of all builds, and what writers have left behind; other files stay. *removed, unless
 * NULL, is the number of kernels and parts. AIC_INVALID_ARGUMENT for a context whose cache is not "rw"; AIC_IO as
 * above, and when a file stays. */
AIC_API aic_status aic_disk_cache_clear(aic_context *context, uint64_t *removed);

AIC_EXTERN_C_END

#endif
