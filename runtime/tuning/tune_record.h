/* Lines of a tuning file: what is known of one specification on one machine.
 *
 *     SPEC  SEMANTICS  passes=P  isa=LEVEL  machine=M  aicjit=V  llvm=V  rule=N            what it is about: the key
 *     effort=E  SCHEDULE|default  tuned=MEDIAN (LOW..HIGH) ns  default=MEDIAN (LOW..HIGH) ns  sum=HEX
 *
 * One line with tabs in between. SPEC is the canonical text of the specification as its kernel has it, SEMANTICS that
 * of the options of the documents, M the processor with its features and caches, N the version of the default rule. The
 * sum is over everything before it, so that a line that was cut or changed is known. "default" in place of a schedule
 * says that tuning found none that is faster: it applies nothing and spares a second search. */
#pragma once

#include "codegen/codegen.h"
#include <aic/tune.h>

/* Median of a call in nanoseconds, and the interval in which it lies. */
typedef struct aic_tune_time {
    double median, low, high;
} aic_tune_time;

/* All texts belong to the record. */
typedef struct aic_tune_record {
    char *line;     /* without its end */
    size_t key;     /* bytes of the line that are the key */
    int effort;     /* aic_tune_effort; -1: the search was ended early */
    char *schedule; /* NULL: the default is best */
    aic_tune_time tuned, standard;
} aic_tune_record;

void aic_tune_record_free(aic_tune_record *record);

/* The key of a problem, malloc'ed. passes may be NULL. */
aic_status aic_tune_key(const aic_problem *problem, const char *passes, char **key);

/* Makes the line of a record; schedule NULL: the default is best. */
aic_status aic_tune_record_make(const char *key, int effort, const char *schedule, const aic_tune_time *tuned,
                                const aic_tune_time *standard, aic_tune_record *record);

/* Reads a line of `length` bytes. False when it is none, or was damaged; nothing is kept then. *out_of_memory tells
 * that memory was the reason. */
bool aic_tune_record_read(const char *line, size_t length, aic_tune_record *record, bool *out_of_memory);

/* Which of two records of one key is kept: the one of the higher effort, then the one that gained more; of equals the
 * one whose line comes first. So it does not matter in which order files are merged. */
bool aic_tune_record_beats(const aic_tune_record *a, const aic_tune_record *b);

/* Orders records, for qsort(), by their lines; those of one key are neighbours. */
int aic_tune_record_compare(const void *a, const void *b);

/* Whether both are about the same. */
bool aic_tune_record_same(const aic_tune_record *a, const aic_tune_record *b);

/* What keys end in: the machine, with the type of core that schedules are for, and the versions, as they are here and
 * now. */
enum { AIC_MACHINE_TEXT_MAX = 320, AIC_TUNE_HOST_MAX = AIC_MACHINE_TEXT_MAX + 160 };
void aic_tune_host(const aic_machine *supposed, char text[AIC_TUNE_HOST_MAX]);

/* Whether a record is about the machine and the versions of `host`: only those can apply there. */
bool aic_tune_record_is_usable(const aic_tune_record *record, const char *host);

/* "estimate", "measure", "patient"; "partial" for -1. */
const char *aic_tune_effort_name(int effort);

/* ---- this machine (tune_machine.c) ---- */

/* "AMD EPYC 9R14; sse2 avx2 avx512 avx512vnni; caches 32K 1024K 32768K", and "; schedules for golden-cove" where the
 * supposed type of core is not the processor's. No tabs in it. */
void aic_tune_machine(const aic_machine *machine, char text[AIC_MACHINE_TEXT_MAX]);

/* For tests: supposes this text; NULL: the machine's own. `text` must stay. */
void aic_tune_machine_suppose(const char *text);
