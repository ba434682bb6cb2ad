/* What tasks share: operands and a judgement of what calls left in them, contexts, files. */
#pragma once

#include <aic/aic.h>

/* Small kernels. */
#define TASK_MOVE "transdata(dtype=int8, src=ND, dst=Nz, shape=[16,32])"
#define TASK_PRODUCT "mmad(dtype=int8, m=16, n=16, k=32)"

enum { TASK_BYTES = 65536 };

/* Room for operands of any task; the output is operand 0. */
extern unsigned char task_memory[AIC_OPERANDS_MAX][TASK_BYTES];
extern void *task_operand[AIC_OPERANDS_MAX];

/* The folder of all, and what is in it. */
typedef struct task_paths {
    char folder[32], tuning[128], dumps[128], merged[128], tuned[128], kept[128], net[128], made[128];
} task_paths;
extern task_paths task_path;

/* Gives all operands their contents. */
void task_fill(void);

/* After a call of this status: a failed one has written nothing, another one what the last call without failures
 * wrote, which `known` keeps. */
void task_judge(aic_status status, unsigned char *known, const char **wrong);

/* A context with these options; NULL: none. */
aic_status task_context(const char *dump_dir, const char *profile, int verbose, int threads, aic_context **context);

/* Calls a kernel in a context, and judges. */
aic_status task_call(aic_context *context, const char *text, size_t count, unsigned char *known, const char **wrong);

/* Removes a folder with its files. */
void task_remove_folder(const char *name);

/* The content of a file with a closing zero; free(). NULL when it is not there. */
char *task_read_text(const char *path);
void task_write_text(const char *path, const char *text);
