/* The machine: its name, its limits, and how the page shows them. */
#include "tools/harness/fail.h"
#include "tools/harness/peak.h"
#include "tools/harness/processor.h"
#include "tools/report/page.h"

#include <time.h>
#include <unistd.h>

/* The size of a cache; `usual` where the system does not tell. */
static int64_t cache_bytes(int which, int64_t usual)
{
    const long bytes = sysconf(which);
    return bytes > 0 ? bytes : usual;
}

/* Copies of half a cache, so that nothing else need leave it; of memory four times the largest cache, as far as it
 * makes sense to wait. */
static void measure_memories(report_machine *m)
{
    enum { KIB = 1024, MIB = KIB * KIB, MEMORY_LEAST = 64 * MIB, MEMORY_MOST = 256 * MIB };
    const int64_t l3 = cache_bytes(_SC_LEVEL3_CACHE_SIZE, 8 * MIB), beyond = l3 * 4;
    const struct {
        const char *name;
        int64_t bytes;
    } ROWS[REPORT_MEMORIES] = {
        {"L1", cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32 * KIB) / 2},
        {"L2", cache_bytes(_SC_LEVEL2_CACHE_SIZE, 512 * KIB) / 2},
        {"L3", l3 / 2 < MEMORY_LEAST / 2 ? l3 / 2 : MEMORY_LEAST / 2},
        {"memory", beyond < MEMORY_LEAST  ? MEMORY_LEAST
                   : beyond > MEMORY_MOST ? MEMORY_MOST
                                          : beyond},
    };
    for (size_t i = 0; i < REPORT_MEMORIES; i++) {
        m->memory[i].name = ROWS[i].name;
        m->memory[i].bytes = ROWS[i].bytes;
        m->memory[i].rate = aic_peak_copy_of((size_t)ROWS[i].bytes);
    }
}

int report_measure(report *r, aic_context *context)
{
    report_machine *m = &r->machine;
    const time_t now = time(NULL);
    struct tm parts;
    r->context = context;
    processor_name(m->processor, sizeof m->processor);
    if (gmtime_r(&now, &parts) == NULL || strftime(m->date, sizeof m->date, "%Y-%m-%d %H:%M UTC", &parts) == 0) {
        m->date[0] = '\0';
    }
    m->isa = aic_context_isa(context);
    m->fp32 = aic_peak_fma_f32();
    m->fp64 = aic_peak_fma_f64();
    measure_memories(m);
    return m->isa != NULL ? CLI_DONE : cli_status(r->command, AIC_INTERNAL);
}

void page_machine(FILE *out, const report *r)
{
    const report_machine *m = &r->machine;
    (void)fprintf(out, "<table class=facts>\n<tr><th>processor<td>");
    page_text(out, m->processor);
    (void)fprintf(out, "\n<tr><th>instruction set<td>%s\n<tr><th>aicjit, LLVM<td>%s, %s\n", m->isa, aic_version(),
                  aic_llvm_version());
    (void)fprintf(out,
                  "<tr><th>peak of one thread<td>fp32 %.1f, fp64 %.1f GMAC/s\n<tr><th>copying, read and written<td>",
                  m->fp32, m->fp64);
    for (size_t i = 0; i < REPORT_MEMORIES; i++) {
        (void)fprintf(out, "%s%s %.1f", i > 0 ? ", " : "", m->memory[i].name, m->memory[i].rate);
    }
    (void)fprintf(out, " GB/s\n<tr><th>measured<td>%s, by processor time where one thread works\n</table>\n", m->date);
}
