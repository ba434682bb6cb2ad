/* Tasks of networks: one that runs, and its object. */
#include "tests/faults/scenarios.h"
#include "tests/faults/task.h"

#include <stdio.h>
#include <sys/stat.h>

aic_status networks_run(const char **wrong)
{
    static unsigned char known[TASK_BYTES];
    aic_context *context;
    aic_network *network = NULL;
    aic_network_facts facts = aic_network_facts_init();
    aic_status status = task_context(NULL, NULL, 0, 1, &context);
    task_fill();
    status = status == AIC_OK ? aic_network_open(context, task_path.net, NULL, &network) : status;
    *wrong = (status == AIC_OK) != (network != NULL) ? "a network that could not be opened was handed out" : *wrong;
    status = status == AIC_OK ? aic_network_info(network, &facts) : status;
    if (status == AIC_OK) {
        status = aic_network_batch(network, (const void *const *)&task_operand[1], 1, task_operand, 1, 2);
        task_judge(status, known, wrong);
    }
    aic_network_destroy(network);
    aic_context_destroy(context);
    return status;
}

aic_status networks_export(const char **wrong)
{
    aic_context *context;
    aic_exported made = aic_exported_init();
    aic_status status = task_context(NULL, NULL, 0, 1, &context);
    if (status == AIC_OK) {
        status = aic_network_export(context, task_path.net, "net", "sse2", "x86_64-linux-gnu", &made);
        *wrong =
            (status == AIC_OK) != (made.object != NULL && made.header != NULL) ? "a network without files" : *wrong;
    }
    aic_exported_destroy(&made);
    aic_context_destroy(context);
    return status;
}

/* Two products and what is between them. */
bool networks_open(void)
{
    static const char TEXT[] =
        "# aicjit network, version 1\n"
        "input x int8 [32,32]\nconstant w w.npy\nbuffer sums int32 [32,16]\nbuffer y float16 [32,16]\n"
        "kernel mmad(dtype=int8, m=32, n=16, k=32) : c=sums a=x b=w\n"
        "kernel fixpipe(src=int32, dst=float16, format=ROW_MAJOR, quantPre=DEQF16, nSize=16, "
        "mSize=32, srcStride=32, dstStride=16, deqScalar=quant(0.5)) : dst=y src=sums\noutput y\n";
    char path[160], head[AIC_NPY_WRITTEN_MAX];
    const aic_operand weights = {.size = sizeof weights, .dtype = AIC_INT8, .rank = 2, .shape = {32, 16}};
    size_t size = 0;
    bool good = mkdir(task_path.net, 0700) == 0 && aic_npy_format(&weights, head, &size) == AIC_OK;
    snprintf(path, sizeof path, "%s/network.txt", task_path.net);
    task_write_text(path, TEXT);
    snprintf(path, sizeof path, "%s/w.npy", task_path.net);
    FILE *file = good ? fopen(path, "w") : NULL;
    if (file != NULL) {
        good = fwrite(head, 1, size, file) == size && fwrite(task_memory[2], 1, 512, file) == 512;
        good = fclose(file) == 0 && good;
    }
    return good && file != NULL;
}
