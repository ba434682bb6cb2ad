/* IR that runs by itself: the kernel's, behind it operands and the expected result as constants, and a main that
 * compares bit for bit. */
#include "tools/repro.h"

#include "tools/harness/element.h"
#include "tools/harness/fail.h"
#include "tools/harness/fill.h"
#include "tools/harness/outfile.h"
#include "tools/harness/testdata.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Operands larger than this in all make a text that nobody wants. */
enum { OPERAND_BYTES_MAX = 16 << 20, PATH_BYTES = 1100 };

typedef struct repro {
    const repro_request *request;
    aic_kernel *kernel;
    aic_kernel_info info;
    guard_buffer expected; /* the output */
    char *ir;              /* the kernel's, aic_free()d */
    char name[256];        /* its function there: IR has numbers as literals that a kernel in the process is passed */
    FILE *out;             /* the text being written */
} repro;

static cli_operand *operand_at(const repro *r, size_t i)
{
    return &r->request->operands->items[i];
}

/* The shortest name of a function that others can call: _pack and _packed follow it. */
static void find_name(repro *r)
{
    static const char start[] = "\ndefine void @";
    size_t shortest = sizeof r->name;
    for (const char *at = strstr(r->ir, start); at != NULL; at = strstr(at, start)) {
        at += sizeof start - 1;
        const size_t length = strcspn(at, "(");
        if (length < shortest) {
            shortest = length;
            (void)snprintf(r->name, sizeof r->name, "%.*s", (int)length, at);
        }
    }
}

/* ---- operands and results ---- */

/* Contents of an input that no option gives: finite values, as those of NaN depend on how code is generated. */
static int fill_input(const repro *r, cli_operand *o)
{
    const aic_operand *operand = &o->operand;
    if (operand->elements == 1 && !element_is_float(operand->dtype)) { /* it may be a size, which has a limit */
        testdata_fill_for(r->request->spec, operand, 1, o->buffer.data);
        return CLI_DONE;
    }
    return fill_operand(operand, "random:1", o->buffer.data);
}

static int load_operands(const repro *r)
{
    cli_operands *set = r->request->operands;
    int64_t bytes = 0;
    int status = operands_list(set, r->request->spec, &r->request->session->semantics, NULL);
    for (size_t i = 0; status == CLI_DONE && i < set->count; i++) {
        const aic_operand *operand = &set->items[i].operand;
        bytes += operand->direction == AIC_DIRECTION_UNUSED ? 0 : operand->bytes;
        if (bytes > OPERAND_BYTES_MAX) {
            status =
                cli_fail(CLI_WRONG, "dump: --repro: the operands have more than the %d bytes that are written as text",
                         OPERAND_BYTES_MAX);
        }
    }
    set->inputs_optional = true;
    status = status == CLI_DONE ? operands_bind(set) : status;
    status = status == CLI_DONE ? operands_load(set) : status;
    for (size_t i = 0; status == CLI_DONE && i < set->count; i++) {
        cli_operand *o = &set->items[i];
        if (o->operand.direction == AIC_DIRECTION_IN && o->in == NULL && o->fill == NULL) {
            status = fill_input(r, o);
        }
    }
    return status;
}

/* The reference's elements where the kernel has others, else the kernel's, which may have another NaN. */
static void take_reference(const repro *r, const void *reference)
{
    const aic_operand *output = &operand_at(r, 0)->operand;
    const size_t size = aic_dtype_size(output->dtype);
    int64_t wrong = 0;
    for (int64_t i = 0; i < output->elements; i++) {
        unsigned char *own = (unsigned char *)r->expected.data + (size_t)i * size;
        const unsigned char *right = (const unsigned char *)reference + (size_t)i * size;
        if (!element_equal(output->dtype, own, right)) {
            memcpy(own, right, size);
            wrong++;
        }
    }
    if (wrong > 0) {
        (void)fprintf(stderr,
                      "aicjit: warning: dump: --repro: %" PRId64 " elements of the kernel's result differ from the "
                      "reference's, which are those expected\n",
                      wrong);
    }
}

/* Copies the output's old content. */
static int copy_output(const repro *r, guard_buffer *copy)
{
    const cli_operand *output = operand_at(r, 0);
    const int status = cli_memory(copy, "the expected result", (uint64_t)output->operand.bytes);
    if (status == CLI_DONE) {
        memcpy(copy->data, output->buffer.data, (size_t)output->operand.bytes);
    }
    return status;
}

static int find_expected(repro *r)
{
    void *pointers[AIC_OPERANDS_MAX] = {NULL};
    const size_t count = r->request->operands->count;
    guard_buffer reference = {.data = NULL};
    if (copy_output(r, &r->expected) != CLI_DONE || copy_output(r, &reference) != CLI_DONE) {
        return CLI_SYSTEM;
    }
    memcpy(pointers, r->request->operands->pointers, count * sizeof *pointers);
    pointers[0] = r->expected.data;
    aic_status status = aic_kernel_call(r->kernel, pointers, count);
    if (status == AIC_OK && aic_spec_exact(r->request->spec)) {
        pointers[0] = reference.data;
        status = aic_reference(r->request->spec, &r->request->session->semantics, pointers, count);
        if (status == AIC_OK) {
            take_reference(r, reference.data);
        }
    }
    guard_close(&reference);
    (void)aic_take_warning();
    return cli_status(NULL, status);
}

static int make_kernel(repro *r)
{
    const repro_request *q = r->request;
    size_t size;
    r->info = aic_kernel_info_init();
    aic_status status = aic_kernel_create(q->session->context, q->spec, q->schedule, &r->kernel);
    status = status == AIC_OK ? aic_kernel_get_info(r->kernel, &r->info) : status;
    if (status == AIC_OK && aic_isa_emulated(r->info.isa)) {
        return cli_fail(CLI_WRONG, "dump: --repro: this host runs level %s by an emulator only, which lli has not",
                        r->info.isa);
    }
    if (status == AIC_OK) {
        status = aic_dump(q->session->context, q->spec, q->schedule, q->stage, r->info.isa, NULL, &r->ir, &size);
    }
    if (status == AIC_OK) {
        find_name(r);
    }
    return cli_status(NULL, status);
}

/* ---- the text ---- */

/* A global of these bytes; NULL: zeros. */
static void put_global(const repro *r, const char *name, const char *kind, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    (void)fprintf(r->out, "@repro.%s = internal %s [%zu x i8] ", name, kind, size);
    if (byte == NULL || element_zeros(byte, size)) {
        (void)fputs("zeroinitializer", r->out);
    } else {
        (void)fputs("c\"", r->out);
        for (size_t i = 0; i < size; i++) {
            const bool plain = byte[i] >= ' ' && byte[i] < 0x7f && byte[i] != '"' && byte[i] != '\\';
            (void)fprintf(r->out, plain ? "%c" : "\\%02X", byte[i]);
        }
        (void)fputc('"', r->out);
    }
    (void)fputs(", align 64\n", r->out);
}

/* Bytes of an operand's packed image; 0: the kernel does not pack it. */
static size_t packed_bytes(const repro *r, size_t operand)
{
    size_t bytes = 0;
    return aic_kernel_packed_size(r->kernel, operand, &bytes) == AIC_OK ? bytes : 0;
}

/* Number of the packed operand; 0: there is none. */
static size_t packed_operand(const repro *r)
{
    size_t i = r->request->operands->count - 1;
    while (i > 0 && packed_bytes(r, i) == 0) {
        i--;
    }
    return i;
}

static void put_data(const repro *r)
{
    const size_t packed = packed_operand(r);
    (void)fputs("\n; ---- operands, scratch memory, and what is expected ----\n\n", r->out);
    for (size_t i = 0; i < r->request->operands->count; i++) {
        const cli_operand *o = operand_at(r, i);
        if (o->operand.direction != AIC_DIRECTION_UNUSED) {
            put_global(r, o->operand.name, i == 0 ? "global" : "constant", o->buffer.data, (size_t)o->operand.bytes);
        }
    }
    const cli_operand *output = operand_at(r, 0);
    put_global(r, "expected", "constant", r->expected.data, (size_t)output->operand.bytes);
    put_global(r, "workspace", "global", NULL, aic_kernel_workspace_size(r->kernel));
    if (packed != 0) {
        put_global(r, "packed", "global", NULL, packed_bytes(r, packed));
        put_global(r, "result_of_packed", "global", output->buffer.data, (size_t)output->operand.bytes);
    }
}

/* A function that counts the bytes that differ, says so and returns 0 where there are none. */
static const char COMPARE[] =
    "declare i32 @printf(ptr, ...)\n\n"
    "define internal i32 @repro.compare(ptr %%name, ptr %%got) {\n"
    "entry:\n"
    "  %%some = icmp sgt i64 %" PRId64 ", 0\n"
    "  br i1 %%some, label %%byte.loop, label %%byte.end\n\n"
    "byte.loop:\n"
    "  %%byte = phi i64 [ 0, %%entry ], [ %%byte.next, %%byte.loop ]\n"
    "  %%count = phi i64 [ 0, %%entry ], [ %%count.next, %%byte.loop ]\n"
    "  %%first = phi i64 [ -1, %%entry ], [ %%first.next, %%byte.loop ]\n"
    "  %%got.at = getelementptr i8, ptr %%got, i64 %%byte\n"
    "  %%right.at = getelementptr i8, ptr @repro.expected, i64 %%byte\n"
    "  %%got.byte = load i8, ptr %%got.at\n"
    "  %%right.byte = load i8, ptr %%right.at\n"
    "  %%differs = icmp ne i8 %%got.byte, %%right.byte\n"
    "  %%one = zext i1 %%differs to i64\n"
    "  %%count.next = add i64 %%count, %%one\n"
    "  %%none.before = icmp slt i64 %%first, 0\n"
    "  %%is.first = and i1 %%differs, %%none.before\n"
    "  %%first.next = select i1 %%is.first, i64 %%byte, i64 %%first\n"
    "  %%byte.next = add i64 %%byte, 1\n"
    "  %%byte.more = icmp slt i64 %%byte.next, %" PRId64 "\n"
    "  br i1 %%byte.more, label %%byte.loop, label %%byte.end\n\n"
    "byte.end:\n"
    "  %%all = phi i64 [ 0, %%entry ], [ %%count.next, %%byte.loop ]\n"
    "  %%which = phi i64 [ -1, %%entry ], [ %%first.next, %%byte.loop ]\n"
    "  %%equal = icmp eq i64 %%all, 0\n"
    "  br i1 %%equal, label %%agree, label %%differ\n\n"
    "agree:\n"
    "  call i32 (ptr, ...) @printf(ptr @repro.agree, ptr %%name, i64 %" PRId64 ")\n"
    "  ret i32 0\n\n"
    "differ:\n"
    "  call i32 (ptr, ...) @printf(ptr @repro.differ, ptr %%name, i64 %%all, i64 %" PRId64 ", i64 %%which)\n"
    "  ret i32 1\n"
    "}\n\n";

/* A call of SYMBOL or SYMBOL_packed with its result in `result`. */
static void put_call(const repro *r, const char *suffix, const char *result, size_t packed)
{
    (void)fprintf(r->out, "  call void @%s%s(", r->name, suffix);
    for (size_t i = 0; i < r->request->operands->count; i++) {
        const aic_operand *operand = &operand_at(r, i)->operand;
        if (operand->direction == AIC_DIRECTION_UNUSED) {
            (void)fputs("ptr null, ", r->out);
        } else {
            (void)fprintf(r->out, "ptr @repro.%s, ",
                          i == 0                       ? result
                          : packed != 0 && i == packed ? "packed"
                                                       : operand->name);
        }
    }
    (void)fputs("ptr @repro.workspace)\n", r->out);
}

/* A string, with a new line at its end where it is a line. */
static void put_string(const repro *r, const char *global, const char *text, bool line)
{
    (void)fprintf(r->out, "@repro.%s = private constant [%zu x i8] c\"%s%s\\00\"\n", global, strlen(text) + line + 1,
                  text, line ? "\\0A" : "");
}

static void put_main(const repro *r)
{
    const size_t packed = packed_operand(r);
    const aic_operand *output = &operand_at(r, 0)->operand;
    char text[100];
    put_string(r, "agree", "%s: all %lld bytes agree", true);
    put_string(r, "differ", "%s: %lld of %lld bytes differ, the first is number %lld", true);
    put_string(r, "name.plain", output->name, false);
    (void)snprintf(text, sizeof text, "%s, %s packed", output->name, operand_at(r, packed)->operand.name);
    if (packed != 0) {
        put_string(r, "name.packed", text, false);
    }
    const bool asks = r->info.isa != NULL && strcmp(r->info.isa, "amx") == 0;
    (void)fprintf(r->out, "%s\ndefine i32 @main() {\n%s", asks ? "\ndeclare i64 @syscall(i64, ...)\n" : "",
                  asks ? "  %permission = call i64 (i64, ...) @syscall(i64 158, i64 4131, i64 18) ; to use tiles\n"
                       : "");
    put_call(r, "", output->name, 0);
    (void)fprintf(r->out, "  %%plain = call i32 @repro.compare(ptr @repro.name.plain, ptr @repro.%s)\n", output->name);
    if (packed == 0) {
        (void)fputs("  ret i32 %plain\n}\n", r->out);
        return;
    }
    (void)fprintf(r->out, "  call void @%s_pack(ptr @repro.packed, ptr @repro.%s)\n", r->name,
                  operand_at(r, packed)->operand.name);
    put_call(r, "_packed", "result_of_packed", packed);
    (void)fputs("  %packed = call i32 @repro.compare(ptr @repro.name.packed, ptr @repro.result_of_packed)\n"
                "  %status = or i32 %plain, %packed\n"
                "  ret i32 %status\n}\n",
                r->out);
}

static void put_text(const repro *r)
{
    const int64_t bytes = operand_at(r, 0)->operand.bytes;
    (void)fprintf(
        r->out,
        "; Run by `lli repro.ll` of LLVM %s on a processor with instruction set level %s; exit status 0 when\n"
        "; every bit is as expected. Operands, expected result and main are at the end.\n;\n",
        aic_llvm_version(), r->info.isa);
    (void)fputs(r->ir, r->out);
    put_data(r);
    (void)fprintf(r->out, COMPARE, bytes, bytes, bytes, bytes);
    put_main(r);
}

/* ---- files ---- */

static int write_file(const repro *r, const char *name, const char *text, size_t size, bool executable)
{
    char path[PATH_BYTES];
    struct stat state;
    outfile file = {.fd = -1};
    if (snprintf(path, sizeof path, "%s/%s", r->request->folder, name) >= PATH_BYTES) {
        return cli_fail(CLI_WRONG, "dump: --repro: the folder's name is longer than %d bytes", PATH_BYTES - 16);
    }
    int status = outfile_open(&file, "--repro", path);
    status = status == CLI_DONE ? outfile_write(&file, "--repro", text, size) : status;
    status = status == CLI_DONE ? outfile_commit(&file, "--repro") : status;
    outfile_close(&file);
    if (status == CLI_DONE && executable && stat(path, &state) == 0) {
        (void)chmod(path, (state.st_mode & 0777) | (state.st_mode & 0444) >> 2); /* executable where readable */
    }
    return status;
}

static int write_ir(repro *r)
{
    char *text = NULL;
    size_t size = 0;
    r->out = open_memstream(&text, &size);
    if (r->out == NULL) {
        return cli_fail_memory("the text of --repro", strlen(r->ir));
    }
    put_text(r);
    const bool incomplete = ferror(r->out) != 0;
    if (fclose(r->out) != 0 || incomplete) {
        free(text);
        return cli_fail_memory("the text of --repro", strlen(r->ir));
    }
    const int status = write_file(r, "repro.ll", text, size, false);
    free(text);
    return status;
}

/* Two lines. The lli of the same LLVM is often called lli-22. */
static int write_script(const repro *r)
{
    char text[300];
    const int major = (int)strcspn(aic_llvm_version(), ".");
    const int length = snprintf(text, sizeof text,
                                "#!/bin/sh\n"
                                "exec \"${LLI:-$(command -v lli-%.*s || echo lli)}\" \"$(dirname \"$0\")/repro.ll\"\n",
                                major, aic_llvm_version());
    return write_file(r, "run.sh", text, (size_t)length, true);
}

int repro_write(const repro_request *request)
{
    repro r = {.request = request};
    if (mkdir(request->folder, 0777) != 0 && errno != EEXIST) {
        return cli_fail(CLI_WRONG, "dump: --repro: \"%s\" cannot be made: %s", request->folder, strerror(errno));
    }
    int status = load_operands(&r);
    status = status == CLI_DONE ? make_kernel(&r) : status;
    status = status == CLI_DONE ? find_expected(&r) : status;
    status = status == CLI_DONE ? write_ir(&r) : status;
    status = status == CLI_DONE ? write_script(&r) : status;
    guard_close(&r.expected);
    aic_free(r.ir);
    aic_kernel_destroy(r.kernel);
    return status;
}
