/* Operands on the command line. */
#include "tools/operands.h"

#include "tools/harness/fail.h"
#include "tools/harness/fill.h"
#include "tools/harness/operand_file.h"
#include "tools/harness/operand_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_used(const cli_operand *o)
{
    return o->operand.direction != AIC_DIRECTION_UNUSED;
}

/* The operand with this name that the descriptor takes, or NULL with a message that lists them. */
static cli_operand *find_operand(cli_operands *set, const char *option, const char *name, size_t length)
{
    char names[128] = "";
    bool known = false;
    for (size_t i = 0; i < set->count; i++) {
        cli_operand *o = &set->items[i];
        const bool match = strlen(o->operand.name) == length && memcmp(o->operand.name, name, length) == 0;
        if (match && is_used(o)) {
            return o;
        }
        known |= match;
        if (is_used(o)) {
            size_t used = strlen(names);
            (void)snprintf(names + used, sizeof names - used, "%s%s", used == 0 ? "" : ", ", o->operand.name);
        }
    }
    const int shown = (int)(length < 100 ? length : 100);
    (void)(known ? cli_fail(CLI_WRONG, "%s: %s: this descriptor does not take %.*s; its operands are %s", set->command,
                            option, shown, name, names)
                 : cli_fail(CLI_WRONG, "%s: %s: \"%.*s\" is none of the operands %s", set->command, option, shown, name,
                            names));
    return NULL;
}

/* Whether --in takes the value itself: the scalar of texpands, a valid size. */
static bool takes_value(const aic_operand *operand)
{
    return operand->direction == AIC_DIRECTION_IN && operand->rank == 1 && operand->elements == 1;
}

/* Whether options make the contents of this input, which then are in no file yet: what it is filled with, a value,
 * words from scales. Pairs are taken in the order of pair_kind, before the names of --quantise. */
static bool is_made(const cli_operands *set, const cli_operand *o)
{
    bool scales = false;
    for (size_t i = 0; i < set->scales.count; i++) {
        scales = scales || strcmp(set->scales.items[i], o->operand.name) == 0;
    }
    return o->fill != NULL || scales || (o->in != NULL && !operand_file_named(o->in));
}

static int take_pair(cli_operands *set, pair_kind kind, const char *pair)
{
    static const char *const option[] = {"--in", "--fill", "--out", "--expect"};
    size_t length;
    const char *value;
    if (!args_split(pair, &length, &value) || *value == '\0') {
        return cli_fail(CLI_WRONG, "%s: %s: \"%.200s\" is not NAME=%s", set->command, option[kind], pair,
                        kind == PAIR_FILL ? "zeros|const:V|random:SEED|at:I=V,..." : "FILE");
    }
    cli_operand *o = find_operand(set, option[kind], pair, length);
    if (o == NULL) {
        return CLI_WRONG;
    }
    if (kind >= PAIR_OUT && o->operand.direction == AIC_DIRECTION_IN && !(kind == PAIR_OUT && is_made(set, o))) {
        return cli_fail(CLI_WRONG, "%s: %s: %s is an input%s", set->command, option[kind], o->operand.name,
                        kind == PAIR_OUT ? ", which can be written where --fill, a value or --quantise makes it" : "");
    }
    const char **const member[] = {&o->in, &o->fill, &o->out, &o->expect};
    if (*member[kind] != NULL || (kind < PAIR_OUT && (o->in != NULL || o->fill != NULL))) {
        return cli_fail(CLI_WRONG, "%s: %s: %s is given twice", set->command, option[kind], o->operand.name);
    }
    *member[kind] = value;
    const bool no_file = kind == PAIR_FILL || (kind == PAIR_IN && takes_value(&o->operand));
    return no_file ? CLI_DONE : operand_file_check(&o->operand, value);
}

static int take_pairs(cli_operands *set, pair_kind kind)
{
    const args_list *pairs = &set->pairs[kind];
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < pairs->count; i++) {
        status = take_pair(set, kind, pairs->items[i]);
    }
    return status;
}

/* Notes of which operands the files hold scales. */
static int take_scales(cli_operands *set, const args_list *names)
{
    for (size_t i = 0; i < names->count; i++) {
        cli_operand *o = find_operand(set, "--quantise", names->items[i], strlen(names->items[i]));
        if (o == NULL) {
            return CLI_WRONG;
        }
        if (o->operand.dtype != AIC_UINT64 || o->in == NULL) {
            return cli_fail(CLI_WRONG, "%s: --quantise: %s %s", set->command, o->operand.name,
                            o->in == NULL ? "is given no file" : "holds no quantisation words");
        }
        o->quantise = true;
    }
    return CLI_DONE;
}

/* For so many operands, none of which has a file. */
static int make_room(cli_operands *set, size_t count)
{
    set->items = calloc(count + 1, sizeof *set->items);
    set->pointers = calloc(count + 1, sizeof *set->pointers);
    for (size_t i = 0; set->items != NULL && i < count; i++) {
        set->items[i].file.fd = -1;
    }
    return set->items != NULL && set->pointers != NULL ? CLI_DONE
                                                       : cli_fail_memory("operands", count * sizeof *set->items);
}

int operands_list(cli_operands *set, const aic_spec *spec, const aic_semantics *semantics,
                  const aic_pto_program *program)
{
    aic_operand operands[AIC_OPERANDS_MAX];
    aic_status failed = AIC_OK;
    size_t count = aic_pto_argument_count(program);
    if (program == NULL) {
        failed = aic_spec_operands(spec, semantics, operands, &count);
    }
    if (failed != AIC_OK) {
        return cli_status(NULL, failed);
    }
    const int status = make_room(set, count);
    for (; status == CLI_DONE && set->count < count; set->count++) {
        aic_operand *operand = &set->items[set->count].operand;
        aic_coordinates *coordinates = &set->items[set->count].coordinates;
        *operand = aic_operand_init();
        *coordinates = aic_coordinates_init();
        if (program == NULL) {
            *operand = operands[set->count];
            failed = operand->direction == AIC_DIRECTION_UNUSED
                         ? AIC_OK
                         : aic_spec_coordinates(spec, semantics, set->count, coordinates);
        } else {
            failed = aic_pto_argument(program, set->count, operand);
            failed = failed == AIC_OK ? aic_pto_coordinates(program, set->count, coordinates) : failed;
        }
        if (failed != AIC_OK) {
            return cli_status(NULL, failed);
        }
    }
    return status;
}

/* A tensor in C order; its axes have no names. */
static void list_tensor(cli_operands *set, const aic_network_tensor *tensor, aic_direction direction)
{
    cli_operand *o = &set->items[set->count++];
    o->operand = (aic_operand){.size = sizeof o->operand,
                               .name = tensor->name,
                               .direction = direction,
                               .dtype = tensor->dtype,
                               .rank = tensor->rank,
                               .elements = tensor->elements,
                               .bytes = tensor->bytes};
    memcpy(o->operand.shape, tensor->shape, (size_t)tensor->rank * sizeof *tensor->shape);
    o->coordinates = coordinates_of_tensor(&o->operand);
}

int operands_of_tensors(cli_operands *set, const aic_network_tensor *tensor, const aic_direction *direction,
                        size_t count)
{
    const int status = make_room(set, count);
    while (status == CLI_DONE && set->count < count) {
        list_tensor(set, &tensor[set->count], direction[set->count]);
    }
    return status;
}

int operands_of_network(cli_operands *set, const aic_network_facts *facts)
{
    const int status = make_room(set, facts->inputs + facts->outputs);
    for (size_t i = 0; status == CLI_DONE && i < facts->inputs; i++) {
        list_tensor(set, &facts->input[i], AIC_DIRECTION_IN);
    }
    for (size_t i = 0; status == CLI_DONE && i < facts->outputs; i++) {
        list_tensor(set, &facts->output[i], AIC_DIRECTION_OUT);
    }
    return status;
}

int operands_bind(cli_operands *set)
{
    int status = CLI_DONE;
    for (int kind = 0; status == CLI_DONE && kind < PAIR_KINDS; kind++) {
        status = take_pairs(set, (pair_kind)kind);
    }
    status = status == CLI_DONE ? take_scales(set, &set->scales) : status;
    for (size_t i = 0; status == CLI_DONE && i < set->count; i++) {
        const cli_operand *o = &set->items[i];
        if (o->operand.direction == AIC_DIRECTION_IN && o->in == NULL && o->fill == NULL && !set->inputs_optional) {
            status = cli_fail(CLI_WRONG, "%s: input %s is missing: give --in %s=%s or --fill %s=...", set->command,
                              o->operand.name, o->operand.name, takes_value(&o->operand) ? "VALUE" : "FILE",
                              o->operand.name);
        }
    }
    return status;
}

/* Reads scales, float32, as the quantisation words of those. Results are signed unless they are uint8. */
static int read_scales(const char *command, const cli_operand *o, bool is_signed)
{
    aic_operand scales = o->operand;
    guard_buffer buffer;
    scales.dtype = AIC_FLOAT32;
    scales.bytes = scales.elements * (int64_t)sizeof(float);
    int status = cli_memory(&buffer, scales.name, (uint64_t)scales.bytes);
    status = status == CLI_DONE ? operand_read(&scales, o->in, buffer.data) : status;
    const float *scale = buffer.data;
    uint64_t *words = o->buffer.data;
    for (int64_t i = 0; status == CLI_DONE && i < scales.elements; i++) {
        char where[300];
        (void)snprintf(where, sizeof where, "%s: --quantise %.100s: element %" PRId64, command, scales.name, i);
        status = cli_status(where, aic_quant_word(scale[i], 0, is_signed, &words[i]));
    }
    guard_close(&buffer);
    return status;
}

static int read_input(const cli_operands *set, const cli_operand *o)
{
    if (takes_value(&o->operand) && !operand_file_named(o->in)) {
        char where[300];
        (void)snprintf(where, sizeof where, "%s: --in %.280s", set->command, o->operand.name);
        return cli_status(where, aic_scalar_parse(o->operand.dtype, o->in, o->buffer.data));
    }
    return o->quantise ? read_scales(set->command, o, set->items[0].operand.dtype != AIC_UINT8)
                       : operand_read(&o->operand, o->in, o->buffer.data);
}

int operands_load(cli_operands *set)
{
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < set->count; i++) {
        cli_operand *o = &set->items[i];
        if (!is_used(o)) {
            continue; /* NULL is passed */
        }
        status = cli_memory(&o->buffer, o->operand.name, (uint64_t)o->operand.bytes);
        set->pointers[i] = o->buffer.data;
        if (status == CLI_DONE && o->in != NULL) {
            status = read_input(set, o);
        } else if (status == CLI_DONE && o->fill != NULL) {
            status = fill_operand(&o->operand, o->fill, o->buffer.data);
        }
    }
    return status;
}

size_t operands_written(const cli_operands *set)
{
    size_t i = 0;
    while (i + 1 < set->count && (set->items[i].operand.direction & AIC_DIRECTION_OUT) == 0) {
        i++;
    }
    return i;
}

void operands_release(cli_operands *set)
{
    for (size_t i = 0; i < set->count; i++) {
        outfile_close(&set->items[i].file);
        guard_close(&set->items[i].buffer);
        guard_close(&set->items[i].again);
        guard_close(&set->items[i].skip);
    }
    free(set->items);
    free(set->pointers);
    set->items = NULL;
    set->pointers = NULL;
    set->count = 0;
}

void operands_close(cli_operands *set)
{
    operands_release(set);
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        args_list_free(&set->pairs[kind]);
    }
    args_list_free(&set->scales);
}
