/* Folders of networks for tests; see network_case.h. */
#include "tests/network_case.h"
#include "tools/harness/element.h"
#include "tools/harness/rng.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void network_case_open(network_case *c)
{
    (void)snprintf(c->folder, sizeof c->folder, "/tmp/aicjit-network-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(c->folder));
}

const char *network_case_path(const network_case *c, const char *name)
{
    static char path[NETWORK_CASE_PATH + 300];
    (void)snprintf(path, sizeof path, "%s/%s", c->folder, name);
    return path;
}

void network_case_close(const network_case *c)
{
    DIR *folder = opendir(c->folder);
    ck_assert_ptr_nonnull(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (entry->d_name[0] != '.') {
            const char *path = network_case_path(c, entry->d_name);
            ck_assert(unlink(path) == 0 || rmdir(path) == 0);
        }
    }
    (void)closedir(folder);
    ck_assert_int_eq(rmdir(c->folder), 0);
}

void network_case_file(const network_case *c, const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(network_case_path(c, name), "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

void network_case_text(const network_case *c, const char *lines)
{
    static const char FIRST[] = "# aicjit network, version 1\n";
    const size_t size = sizeof FIRST + strlen(lines);
    char *text = malloc(size);
    ck_assert_ptr_nonnull(text);
    (void)snprintf(text, size, "%s%s", FIRST, lines);
    network_case_file(c, "network.txt", text, strlen(text));
    free(text);
}

void *network_case_values(aic_dtype dtype, int64_t count, uint64_t seed)
{
    const size_t size = aic_dtype_size(dtype), bytes = (size_t)count * size;
    unsigned char *values = aligned_alloc(64, (bytes + 63) / 64 * 64);
    ck_assert_ptr_nonnull(values);
    for (int64_t i = 0; i < count; i++) {
        const int64_t whole = (int64_t)(rng_next(&seed) % 41) - 20;
        const float real = (float)whole / 20;
        if (dtype == AIC_FLOAT32) {
            memcpy(values + (size_t)i * size, &real, size);
        } else if (dtype == AIC_FLOAT16) {
            const uint16_t half = element_half((double)real);
            memcpy(values + (size_t)i * size, &half, size);
        } else {
            memcpy(values + (size_t)i * size, &whole, size); /* little-endian */
        }
    }
    return values;
}

void *network_case_npy(const network_case *c, const char *name, aic_dtype dtype, int64_t count, const void *data)
{
    const size_t bytes = (size_t)count * aic_dtype_size(dtype);
    const aic_operand operand = {.size = sizeof operand, .dtype = dtype, .rank = 1, .shape = {count}};
    void *values = network_case_values(dtype, count, 7 + (uint64_t)count + (uint64_t)name[0]);
    char *file = malloc(AIC_NPY_WRITTEN_MAX + bytes);
    size_t head = 0;
    ck_assert_ptr_nonnull(file);
    if (data != NULL) {
        memcpy(values, data, bytes);
    }
    ck_assert_int_eq(aic_npy_format(&operand, file, &head), AIC_OK);
    memcpy(file + head, values, bytes);
    network_case_file(c, name, file, head + bytes);
    free(file);
    return values;
}

aic_network *network_case_network(const network_case *c, aic_context *context, const aic_network_options *options)
{
    aic_network *network = NULL;
    const aic_status status = aic_network_open(context, c->folder, options, &network);
    ck_assert_msg(status == AIC_OK, "%s", aic_last_error());
    return network;
}

aic_context *network_case_context(int threads, const char *isa)
{
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    options.threads = threads;
    options.isa = isa;
    ck_assert_msg(aic_context_create(&options, &context) == AIC_OK, "%s", aic_last_error());
    return context;
}

aic_status network_case_call(const aic_network *network, const void *x, void *y)
{
    return aic_network_call(network, &x, 1, &y, 1);
}
