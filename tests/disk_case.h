/* The disk cache in tests: a folder for each test, contexts that use it, kernels by contexts of their own, files. */
#pragma once

#include "frontend/core/diag.h"
#include "runtime/request/build.h"
#include "tests/conv_case.h"

#include <aic/aic.h>

/* The folder of the test; before and after it. */
extern char disk_folder[64];

void disk_open(void);
void disk_close(void);

/* Contexts with the folder and a mode; their statistics, and what a whole look at the folder finds. */
aic_context *disk_context(const char *mode);
aic_cache_stats disk_stats(aic_context *context);
aic_disk_cache_info disk_info(void);

/* Specifications of every kind of kernel. */
enum { DISK_SPECS = 8 };
extern const char *const DISK_SPEC[DISK_SPECS];

aic_kernel *disk_kernel(aic_context *context, const char *text, aic_kernel_info *info);

/* What a context did. */
typedef struct disk_deed {
    aic_cache_stats stats;
    char warning[AIC_MESSAGE_MAX];
} disk_deed;

conv_case *disk_small_case(void);

/* Calls the case in a new context, and checks the result. */
disk_deed disk_call_anew(conv_case *c, const char *mode);
void disk_check_deed(const disk_deed *d, uint64_t compiles, uint64_t loads, uint64_t stores);

/* The identity and the bytes of a kernel. */
typedef struct disk_sample {
    aic_build build;
    aic_codegen_request request;
    unsigned char *bytes;
    size_t size;
} disk_sample;

disk_sample *disk_sample_new(aic_context *context);
void disk_sample_free(disk_sample *s);

/* "FOLDER/NAME" of the only kernel there. */
const char *disk_only_file(void);

/* "FOLDER/NAME" of the files whose names begin so, in some order; how many. */
enum { DISK_PATH = 512, DISK_FILES_MAX = 64 };
size_t disk_files(const char *prefix, char path[DISK_FILES_MAX][DISK_PATH]);

unsigned char *disk_read_file(const char *path, size_t *size); /* malloc'ed */
void disk_write_file(const char *path, const void *bytes, size_t size);

/* Makes a file one that is refused. */
void disk_spoil_byte(const char *path);

/* Ways to do that, and what the warning says. */
typedef struct disk_spoiling {
    void (*spoil)(const char *path);
    const char *message;
} disk_spoiling;
extern const disk_spoiling DISK_SPOILINGS[];
extern const int DISK_SPOILINGS_COUNT;

/* In the folder: a file of zeros, its age in seconds, whether it is there. */
void disk_put_file(const char *name, size_t size, long age);
void disk_set_age(const char *name, long age);
bool disk_is_there(const char *name);
