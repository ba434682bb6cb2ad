/* network.txt: a statement a line. Each is checked as it is read, so that the first thing that is wrong is reported
 * with its line. */
#include "frontend/core/diag.h"
#include "frontend/core/list.h"
#include "frontend/core/size.h"
#include "frontend/core/spec.h"
#include "frontend/text/text.h"
#include "runtime/network/network.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char FIRST_LINE[] = "# aicjit network, version 1";
static const char FIRST_WORDS[] = "# aicjit network, version ";

/* What is left of a line. */
typedef struct line {
    aic_network *net;
    size_t number;
    char *at;
} line;

/* ---- words ---- */

static void skip_blanks(line *l)
{
    l->at += strspn(l->at, " \t\r");
}

/* The next word, which a zero ends; NULL: there is none. */
static char *take_word(line *l)
{
    skip_blanks(l);
    char *word = l->at;
    if (*word == '\0') {
        return NULL;
    }
    l->at += strcspn(l->at, " \t\r");
    if (*l->at != '\0') {
        *l->at++ = '\0';
    }
    return word;
}

static bool accept(line *l, char letter)
{
    skip_blanks(l);
    const bool there = *l->at == letter;
    l->at += there;
    return there;
}

/* Digits; -1: there are none, or the number is too large. */
static int64_t take_number(line *l)
{
    skip_blanks(l);
    const char *start = l->at;
    int64_t value = 0;
    for (; *l->at >= '0' && *l->at <= '9' && value >= 0; l->at++) {
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *l->at - '0', &value)) {
            value = -1;
        }
    }
    return l->at == start ? -1 : value;
}

static aic_status check_end(line *l)
{
    skip_blanks(l);
    return *l->at == '\0' ? AIC_OK : aic_net_fail(l->net, l->number, "\"%.40s\" is more than the line takes", l->at);
}

/* ---- names ---- */

static bool is_name(const char *word)
{
    static const char FIRST[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    static const char LATER[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    return strspn(word, FIRST) > 0 && word[strspn(word, LATER)] == '\0' && strlen(word) <= AIC_NETWORK_NAME_MAX;
}

static aic_net_tensor *find(const aic_network *net, const char *name)
{
    for (size_t i = 0; i < net->tensors; i++) {
        if (strcmp(net->tensor[i].name, name) == 0) {
            return &net->tensor[i];
        }
    }
    return NULL;
}

/* Takes the name of a tensor that was declared. */
static aic_status take_tensor(line *l, const char *name, size_t *number)
{
    if (name == NULL) {
        return aic_net_fail(l->net, l->number, "a name is missing");
    }
    const aic_net_tensor *tensor = find(l->net, name);
    if (tensor == NULL) {
        return aic_net_fail(l->net, l->number, "\"%.63s\" is not declared on a line before", name);
    }
    *number = (size_t)(tensor - l->net->tensor);
    return AIC_OK;
}

/* Takes a new name; the tensor counts only when add_tensor() is called. */
static aic_status take_new(line *l, aic_net_tensor *tensor)
{
    const char *name = take_word(l);
    if (name == NULL || !is_name(name)) {
        return aic_net_fail(l->net, l->number, "name \"%.70s\": is no C identifier of at most %d characters",
                            name != NULL ? name : "", AIC_NETWORK_NAME_MAX);
    }
    const aic_net_tensor *before = find(l->net, name);
    if (before != NULL) {
        return aic_net_fail(l->net, l->number, "\"%s\" is declared on line %zu already", name, before->line);
    }
    if (l->net->tensors == AIC_NETWORK_TENSORS_MAX) {
        return aic_net_fail(l->net, l->number, "there are more than %d names", AIC_NETWORK_TENSORS_MAX);
    }
    *tensor = (aic_net_tensor){.line = l->number, .base = l->net->tensors, .first = SIZE_MAX};
    memcpy(tensor->name, name, strlen(name) + 1);
    return AIC_OK;
}

static aic_status add_tensor(aic_network *net, const aic_net_tensor *tensor)
{
    if (!aic_list_grow(&net->tensor, net->tensors, sizeof *tensor)) {
        return aic_fail_memory(AIC_NETWORK_SUBJECT, 2 * net->tensors * sizeof *tensor);
    }
    net->tensor[net->tensors++] = *tensor;
    return AIC_OK;
}

/* ---- types and shapes ---- */

static aic_status check_size(const line *l, const aic_net_tensor *tensor)
{
    return tensor->bytes <= AIC_NETWORK_TENSOR_BYTES_MAX
               ? AIC_OK
               : aic_net_fail(l->net, l->number, "%s: more than %" PRId64 " bytes", tensor->name,
                              AIC_NETWORK_TENSOR_BYTES_MAX);
}

static aic_status take_type(line *l, aic_net_tensor *tensor)
{
    const char *word = take_word(l);
    tensor->dtype = word != NULL ? aic_dtype_parse(word) : AIC_DTYPE_NONE;
    return tensor->dtype != AIC_DTYPE_NONE ? AIC_OK
                                           : aic_net_fail(l->net, l->number, "%s: type \"%.40s\" is not known",
                                                          tensor->name, word != NULL ? word : "");
}

static aic_status take_shape(line *l, aic_net_tensor *tensor)
{
    bool good = accept(l, '[');
    tensor->elements = 1;
    while (good) {
        const int64_t extent = take_number(l);
        if (extent < 1 || tensor->rank == AIC_RANK_MAX) {
            return aic_net_fail(l->net, l->number,
                                "%s: shape: axis %" PRId32 " is not a number from 1 on, of at most %d "
                                "axes",
                                tensor->name, tensor->rank + 1, AIC_RANK_MAX);
        }
        tensor->shape[tensor->rank++] = extent;
        tensor->elements = aic_size_multiply(tensor->elements, extent);
        if (accept(l, ']')) {
            break;
        }
        good = accept(l, ',');
    }
    tensor->bytes = aic_size_multiply(tensor->elements, (int64_t)aic_dtype_size(tensor->dtype));
    return good ? check_size(l, tensor)
                : aic_net_fail(l->net, l->number, "%s: shape: is not written as [1,14,14,32]", tensor->name);
}

/* NAME TYPE [SHAPE] */
static aic_status take_declaration(line *l, aic_net_tensor *tensor)
{
    aic_status status = take_new(l, tensor);
    status = status == AIC_OK ? take_type(l, tensor) : status;
    status = status == AIC_OK ? take_shape(l, tensor) : status;
    tensor->alignment = aic_dtype_size(tensor->dtype);
    return status;
}

/* ---- statements ---- */

/* One more input or output. */
static aic_status add_end(line *l, int side, size_t tensor)
{
    size_t *count = side == 0 ? &l->net->inputs : &l->net->outputs;
    if (*count == AIC_NETWORK_ENDS_MAX) {
        return aic_net_fail(l->net, l->number, "there are more than %d %s", AIC_NETWORK_ENDS_MAX,
                            side == 0 ? "inputs" : "outputs");
    }
    l->net->tensor[tensor].number = *count;
    l->net->ends[side][(*count)++] = tensor;
    return AIC_OK;
}

static aic_status read_input(line *l)
{
    aic_net_tensor tensor = {.rank = 0};
    aic_status status = take_declaration(l, &tensor);
    tensor.kind = AIC_NET_INPUT;
    status = status == AIC_OK ? check_end(l) : status;
    status = status == AIC_OK ? add_tensor(l->net, &tensor) : status;
    return status == AIC_OK ? add_end(l, 0, l->net->tensors - 1) : status;
}

static aic_status read_buffer(line *l)
{
    aic_net_tensor tensor = {.rank = 0};
    aic_status status = take_declaration(l, &tensor);
    tensor.kind = AIC_NET_BUFFER;
    status = status == AIC_OK ? check_end(l) : status;
    return status == AIC_OK ? add_tensor(l->net, &tensor) : status;
}

/* Whether the word is a name in the folder and no path. */
static bool is_file(const char *word)
{
    const size_t length = strlen(word);
    return length > 4 && length <= 255 && word[0] != '.' && strchr(word, '/') == NULL &&
           strcmp(word + length - 4, ".npy") == 0;
}

static aic_status read_constant(line *l)
{
    aic_net_tensor tensor = {.rank = 0};
    aic_status status = take_new(l, &tensor);
    if (status != AIC_OK) {
        return status;
    }
    const char *file = take_word(l);
    tensor.kind = AIC_NET_CONSTANT;
    if (file == NULL || !is_file(file)) {
        return aic_net_fail(l->net, l->number, "%s: \"%.100s\" is no name of a .npy file of the folder", tensor.name,
                            file != NULL ? file : "");
    }
    status = check_end(l);
    status = status == AIC_OK ? aic_net_read_constant(l->net, file, &tensor) : status;
    if (status == AIC_OK) {
        tensor.alignment = aic_dtype_size(tensor.dtype);
        status = add_tensor(l->net, &tensor);
        if (status != AIC_OK) {
            free(tensor.data);
        }
    }
    return status;
}

/* view NAME OF TYPE [SHAPE] at BYTE */
static aic_status read_view(line *l)
{
    aic_net_tensor tensor = {.rank = 0};
    size_t of = 0;
    aic_status status = take_new(l, &tensor);
    status = status == AIC_OK ? take_tensor(l, take_word(l), &of) : status;
    status = status == AIC_OK ? take_type(l, &tensor) : status;
    status = status == AIC_OK ? take_shape(l, &tensor) : status;
    if (status != AIC_OK) {
        return status;
    }
    const char *word = take_word(l);
    const int64_t at = word != NULL && strcmp(word, "at") == 0 ? take_number(l) : -1;
    const aic_net_tensor *base = &l->net->tensor[of];
    if (at < 0) {
        return aic_net_fail(l->net, l->number, "%s: \"at BYTE\" is missing behind the shape", tensor.name);
    }
    if (at % (int64_t)aic_dtype_size(tensor.dtype) != 0) {
        return aic_net_fail(l->net, l->number, "%s: byte %" PRId64 " is no multiple of the %zu bytes of an element",
                            tensor.name, at, aic_dtype_size(tensor.dtype));
    }
    if (aic_size_add(at, tensor.bytes) > base->bytes) {
        return aic_net_fail(l->net, l->number,
                            "%s: bytes %" PRId64 " to %" PRId64 " are beyond the %" PRId64 " of \"%s\"", tensor.name,
                            at, aic_size_add(at, tensor.bytes), base->bytes, base->name);
    }
    tensor.kind = base->kind;
    tensor.view = true;
    tensor.base = base->base;
    tensor.offset = base->offset + at;
    status = check_end(l);
    return status == AIC_OK ? add_tensor(l->net, &tensor) : status;
}

static aic_status read_output(line *l)
{
    size_t number = 0;
    aic_status status = take_tensor(l, take_word(l), &number);
    if (status != AIC_OK) {
        return status;
    }
    aic_net_tensor *tensor = &l->net->tensor[number];
    if (tensor->kind != AIC_NET_BUFFER || tensor->view) {
        return aic_net_fail(l->net, l->number, "\"%s\" is no buffer: an output must be one", tensor->name);
    }
    if (tensor->output) {
        return aic_net_fail(l->net, l->number, "\"%s\" is an output already", tensor->name);
    }
    tensor->output = true;
    status = check_end(l);
    return status == AIC_OK ? add_end(l, 1, number) : status;
}

/* ---- kernels ---- */

/* OPERAND=NAME ..., into kernel->operand by the names of `operands`. */
static aic_status take_operands(line *l, aic_net_kernel *kernel, const aic_operand *operands)
{
    aic_status status = AIC_OK;
    for (char *word = take_word(l); word != NULL && status == AIC_OK; word = take_word(l)) {
        char *equals = strchr(word, '=');
        size_t i = 0;
        if (equals == NULL) {
            return aic_net_fail(l->net, l->number, "\"%.80s\" is not written as OPERAND=NAME", word);
        }
        *equals = '\0';
        while (i < kernel->count && strcmp(operands[i].name, word) != 0) {
            i++;
        }
        if (i == kernel->count || operands[i].direction == AIC_DIRECTION_UNUSED) {
            return aic_net_fail(l->net, l->number, "%.40s: %s", word,
                                i == kernel->count ? "the kernel has no operand of this name"
                                                   : "the kernel does not take this operand");
        }
        if (kernel->operand[i].tensor != AIC_NET_NONE) {
            return aic_net_fail(l->net, l->number, "%s: is given twice", word);
        }
        status = take_tensor(l, equals + 1, &kernel->operand[i].tensor);
    }
    for (size_t i = 0; i < kernel->count && status == AIC_OK; i++) {
        if (kernel->operand[i].tensor == AIC_NET_NONE && operands[i].direction != AIC_DIRECTION_UNUSED) {
            status = aic_net_fail(l->net, l->number, "operand %s is missing", operands[i].name);
        }
    }
    return status;
}

/* Where the operands begin: behind the last " : ". NULL: there is none. */
static char *find_operands(char *text)
{
    char *last = NULL;
    for (char *at = strstr(text, " : "); at != NULL; at = strstr(at + 1, " : ")) {
        last = at;
    }
    return last;
}

static aic_status take_kernel(line *l, aic_net_kernel *kernel)
{
    aic_operand operands[AIC_OPERANDS_MAX];
    aic_spec given;
    char *colon = find_operands(l->at);
    if (colon == NULL) {
        return aic_net_fail(l->net, l->number, "\" : OPERAND=NAME ...\" is missing behind the operator");
    }
    *colon = '\0';
    aic_status status = aic_spec_read(l->at, &given);
    status = status == AIC_OK ? aic_spec_resolve(&given, &l->net->semantics, &kernel->spec) : status;
    status = status == AIC_OK ? aic_spec_print_new(&kernel->spec, &kernel->text) : status;
    if (status != AIC_OK) {
        return aic_net_blame(l->net, l->number, status);
    }
    kernel->count = aic_spec_operands_of(&kernel->spec, &l->net->semantics, operands);
    l->at = colon + 3;
    status = take_operands(l, kernel, operands);
    return status == AIC_OK ? aic_net_check_kernel(l->net, kernel) : status;
}

static aic_status read_kernel(line *l)
{
    aic_network *net = l->net;
    if (net->kernels == AIC_NETWORK_KERNELS_MAX) {
        return aic_net_fail(net, l->number, "there are more than %d kernels", AIC_NETWORK_KERNELS_MAX);
    }
    if (!aic_list_grow(&net->kernel, net->kernels, sizeof *net->kernel)) {
        return aic_fail_memory(AIC_NETWORK_SUBJECT, 2 * net->kernels * sizeof *net->kernel);
    }
    aic_net_kernel *kernel = &net->kernel[net->kernels];
    *kernel = (aic_net_kernel){.line = l->number};
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        kernel->operand[i].tensor = AIC_NET_NONE;
    }
    net->kernels++;
    return take_kernel(l, kernel);
}

static const struct {
    const char *word;
    aic_status (*read)(line *l);
} STATEMENTS[] = {
    {"input", read_input}, {"constant", read_constant}, {"buffer", read_buffer},
    {"view", read_view},   {"kernel", read_kernel},     {"output", read_output},
};

static aic_status read_statement(line *l)
{
    skip_blanks(l);
    if (*l->at == '\0' || *l->at == '#') {
        return AIC_OK;
    }
    const char *word = take_word(l);
    for (size_t i = 0; i < sizeof STATEMENTS / sizeof STATEMENTS[0]; i++) {
        if (strcmp(word, STATEMENTS[i].word) == 0) {
            return STATEMENTS[i].read(l);
        }
    }
    return aic_net_fail(l->net, l->number, "\"%.40s\" is none of input, constant, buffer, view, kernel, output", word);
}

/* ---- lines ---- */

static aic_status check_first_line(const aic_network *net, const char *text)
{
    const size_t words = sizeof FIRST_WORDS - 1, whole = sizeof FIRST_LINE - 1;
    if (strncmp(text, FIRST_LINE, whole) == 0 && text[whole + strspn(text + whole, " \t\r")] == '\0') {
        return AIC_OK;
    }
    if (strncmp(text, FIRST_WORDS, words) == 0) {
        return aic_net_fail(net, 1, "is of version %.20s; this library knows version 1", text + words);
    }
    return aic_net_fail(net, 1, "is not \"%s\": this is no network", FIRST_LINE);
}

/* Cuts the text into lines and reads each. */
static aic_status read_lines(aic_network *net, char *text, size_t size)
{
    aic_status status = AIC_OK;
    size_t number = 0;
    for (char *at = text, *next; at < text + size && status == AIC_OK; at = next) {
        const size_t length = strcspn(at, "\n");
        next = at + length + 1;
        number++;
        if (at + length < text + size && at[length] != '\n') {
            return aic_net_fail(net, number, "byte %zu is 0: this is no text", length + 1);
        }
        if (length > AIC_NETWORK_LINE_MAX) {
            return aic_net_fail(net, number, "has more than %d bytes", AIC_NETWORK_LINE_MAX);
        }
        at[length] = '\0';
        status = number == 1 ? check_first_line(net, at) : read_statement(&(line){net, number, at});
    }
    return number > 0 ? status : check_first_line(net, "");
}

aic_status aic_net_read(aic_network *net)
{
    char *text = NULL;
    size_t size = 0;
    aic_status status = aic_net_read_text(net, &text, &size);
    if (status == AIC_OK) {
        status = read_lines(net, text, size);
        free(text);
    }
    if (status == AIC_OK && (net->inputs == 0 || net->outputs == 0)) {
        status = aic_fail(AIC_INVALID_ARGUMENT, AIC_NETWORK_SUBJECT, "\"%s\": there is no %s", net->path,
                          net->inputs == 0 ? "input" : "output");
    }
    return status;
}
