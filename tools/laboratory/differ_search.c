/* The smallest operands on which two readings part: sizes, then elements, then values. */
#include "tools/harness/element.h"
#include "tools/harness/fail.h"
#include "tools/harness/interrupt.h"
#include "tools/harness/stages.h"
#include "tools/laboratory/differ.h"
#include "tools/sheet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Elements of an operand that a command can list. */
enum { LISTED_MAX = 16 };

/* Constants that are tried, simple ones first. A type passes over those that it does not have. */
static const char *const numbers[] = {"0",     "1",          "-1",          "0.1",   "3",   "-5",   "127",  "-128",
                                      "nan",   "100",        "-100",        "0.3",   "255", "1000", "-700", "32767",
                                      "70000", "2147483647", "-2147483648", "65504", "inf", "-inf", "3e38", "-3e38"};
/* Scale 1 and -1; offset -3 and -200; MCB with N = 3; more bits of a scale than count. */
static const char *const words[] = {"quant(1,0,int8)",    "0x4000BF800000", "quant(1,-3,int8)",
                                    "quant(1,-200,int8)", "0x40133F800000", "0x40003F800001"};
enum {
    NUMBERS = sizeof numbers / sizeof numbers[0],
    WORDS = sizeof words / sizeof words[0],
    CONSTANTS_MAX = NUMBERS > WORDS ? NUMBERS : WORDS
};

/* Whether these operands part the readings; such as one of them refuses do not. */
static bool parts(differ_case *c)
{
    c->tries--;
    return differ_compute(c) == AIC_OK && c->report.different > 0;
}

static bool may_go_on(const differ_case *c, int64_t least)
{
    return c->tries > least && !interrupt_requested();
}

/* ---- constants and drawn operands ---- */

/* Constant number `index` of those that the type has, NULL past the last; its bits. */
static const char *constant_of(aic_dtype dtype, size_t index, unsigned char element[8])
{
    const bool word = dtype == AIC_UINT64;
    const char *const *list = word ? words : numbers;
    for (size_t i = 0; i < (word ? (size_t)WORDS : (size_t)NUMBERS); i++) {
        if (aic_scalar_parse(dtype, list[i], element) == AIC_OK && index-- == 0) {
            return list[i];
        }
    }
    return NULL;
}

static void fill_constant(differ_case *c, size_t operand, const char *constant, const unsigned char element[8])
{
    const cli_operand *o = &c->operands.items[operand];
    const size_t size = aic_dtype_size(o->operand.dtype);
    for (int64_t i = 0; i < o->operand.elements; i++) {
        memcpy((unsigned char *)o->buffer.data + (size_t)i * size, element, size);
    }
    (void)snprintf(c->fill[operand], DIFFER_FILL_MAX, "const:%s", constant);
}

/* Every combination of constants up to number `most` for the free operands from number `operand` on, of which one at
 * least is that number: it is where `reached`. */
static bool try_constants(differ_case *c, size_t operand, size_t most, bool reached, int64_t least)
{
    while (operand < c->operands.count && !differ_is_free(&c->operands.items[operand])) {
        operand++;
    }
    if (operand == c->operands.count) {
        return reached && parts(c);
    }
    const aic_dtype dtype = c->operands.items[operand].operand.dtype;
    for (size_t i = 0; i <= most && may_go_on(c, least); i++) {
        unsigned char element[8];
        const char *constant = constant_of(dtype, i, element);
        if (constant == NULL) {
            break;
        }
        fill_constant(c, operand, constant, element);
        if (try_constants(c, operand + 1, most, reached || i == most, least)) {
            return true;
        }
    }
    return false;
}

/* Constants with 3/4 of the tries at most, drawn operands with 1/4; what is left is for making them smaller. */
static bool find(differ_case *c, int64_t tries)
{
    bool found = false;
    for (size_t most = 0; !found && most < CONSTANTS_MAX && may_go_on(c, tries / 2); most++) {
        found = try_constants(c, 0, most, false, tries / 2);
    }
    for (uint64_t seed = 1; !found && may_go_on(c, tries / 4); seed += c->operands.count) {
        found = differ_draw(c, seed) == CLI_DONE && parts(c);
    }
    return found;
}

/* ---- sizes ---- */

static int64_t bytes_of(const differ_case *c)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < c->operands.count; i++) {
        bytes +=
            c->operands.items[i].operand.direction != AIC_DIRECTION_UNUSED ? c->operands.items[i].operand.bytes : 0;
    }
    return bytes;
}

static void close_case(differ_case *c)
{
    aic_spec_destroy(c->spec);
    guard_close(&c->result[0]);
    guard_close(&c->result[1]);
    operands_release(&c->operands);
}

/* Takes the case, and the specification, over with another specification, where that is legal, has no more bytes and
 * still parts. */
static bool try_spec(differ_case *c, aic_spec *spec)
{
    enum { SEEDS = 4 };
    differ_case *other = malloc(sizeof *other);
    if (other == NULL) {
        aic_spec_destroy(spec);
        return false;
    }
    *other = *c;
    other->spec = spec;
    other->operands.items = NULL;
    other->operands.pointers = NULL;
    other->operands.count = 0;
    other->result[0] = other->result[1] = (guard_buffer){.data = NULL};
    bool taken = differ_open(other) == CLI_DONE && bytes_of(other) <= bytes_of(c) && parts(other);
    for (uint64_t seed = 1; !taken && other->operands.count > 0 && other->result[1].data != NULL && seed <= SEEDS;
         seed++) {
        taken = bytes_of(other) <= bytes_of(c) && differ_draw(other, seed * 100) == CLI_DONE && parts(other);
    }
    cli_fail_clear(); /* of what is illegal */
    const int64_t tries = other->tries;
    if (taken) {
        close_case(c);
        *c = *other;
    } else {
        close_case(other);
    }
    c->tries = tries;
    free(other);
    return taken;
}

/* Tries smaller values of one number of a descriptor. */
static bool try_number(differ_case *c, size_t stage, size_t offset, int64_t value)
{
    stage_desc changed = stage_of(c->spec, stage);
    aic_spec *spec = NULL;
    memcpy((char *)&changed.desc + offset, &value, sizeof value);
    return stage_replace(c->spec, stage, &changed, &spec) == AIC_OK && try_spec(c, spec);
}

static bool shrink_number(differ_case *c, size_t stage, size_t offset, int64_t least)
{
    static const int64_t sizes[] = {0, 1, 2, 4, 8, 16, 32, 64};
    const stage_desc now = stage_of(c->spec, stage);
    int64_t old;
    memcpy(&old, (const char *)&now.desc + offset, sizeof old);
    const int64_t more[] = {old / 2, old - 1};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && sizes[i] < old && may_go_on(c, least); i++) {
        if (try_number(c, stage, offset, sizes[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < 2 && old > 1 && may_go_on(c, least); i++) {
        if (try_number(c, stage, offset, more[i])) {
            return true;
        }
    }
    return false;
}

/* Every number of every stage once; whether one became smaller. */
static bool shrink_numbers(differ_case *c, int64_t least)
{
    bool smaller = false;
    for (size_t s = 0; s < aic_spec_stages(c->spec); s++) {
        const op_sheet *sheet = sheet_of(aic_spec_stage_op(c->spec, s));
        for (size_t k = 0; k < sheet->key_count; k++) {
            const sheet_key *key = &sheet->keys[k];
            const bool number = key->kind == KIND_INT || key->kind == KIND_DIMS;
            for (unsigned i = 0; number && i < key->count; i++) {
                smaller = shrink_number(c, s, key->offset + i * sizeof(int64_t), least) || smaller;
            }
        }
    }
    return smaller;
}

/* ---- elements ---- */

static unsigned char *element_at(const cli_operand *o, int64_t index)
{
    return (unsigned char *)o->buffer.data + (size_t)index * aic_dtype_size(o->operand.dtype);
}

/* Sets `count` elements from `first` on to 0 where the readings still part then. */
static void clear_elements(differ_case *c, const cli_operand *o, int64_t first, int64_t count, unsigned char *saved)
{
    const size_t bytes = (size_t)count * aic_dtype_size(o->operand.dtype);
    unsigned char *data = element_at(o, first);
    if (element_zeros(data, bytes)) {
        return;
    }
    memcpy(saved, data, bytes);
    memset(data, 0, bytes);
    if (!parts(c)) {
        memcpy(data, saved, bytes);
    }
}

/* Halves of an operand, quarters and so on become 0 as long as the readings part. */
static void clear_operand(differ_case *c, const cli_operand *o, unsigned char *saved)
{
    for (int64_t chunk = o->operand.elements; chunk > 0 && may_go_on(c, 0); chunk = chunk > 1 ? (chunk + 1) / 2 : 0) {
        for (int64_t first = 0; first < o->operand.elements && may_go_on(c, 0); first += chunk) {
            const int64_t rest = o->operand.elements - first;
            clear_elements(c, o, first, chunk < rest ? chunk : rest, saved);
        }
    }
}

/* Puts the first constant in an element's place with which the readings part; `text`: how it is written. */
static void simplify_element(differ_case *c, const cli_operand *o, int64_t index, char *text, size_t capacity)
{
    unsigned char old[8] = {0}, element[8];
    const size_t size = aic_dtype_size(o->operand.dtype);
    const char *constant;
    uint64_t bits = 0;
    memcpy(old, element_at(o, index), size);
    for (size_t i = 0; (constant = constant_of(o->operand.dtype, i, element)) != NULL; i++) {
        const bool same = memcmp(element, old, size) == 0;
        memcpy(element_at(o, index), element, size);
        if (same || (may_go_on(c, 0) && parts(c))) {
            (void)snprintf(text, capacity, "%s", constant);
            return;
        }
    }
    memcpy(element_at(o, index), old, size);
    memcpy(&bits, old, size); /* little-endian */
    if (element_is_float(o->operand.dtype)) {
        (void)snprintf(text, capacity, "0x%0*" PRIX64, (int)size * 2, bits);
    } else {
        element_text(o->operand.dtype, old, text);
    }
}

/* Makes what is left of an operand simple, and says how to fill it; false: it has too many elements to list. */
static bool simplify_operand(differ_case *c, size_t operand)
{
    const cli_operand *o = &c->operands.items[operand];
    char text[DIFFER_FILL_MAX], value[ELEMENT_TEXT_MAX + 1];
    size_t used = 0, kept = 0;
    for (int64_t i = 0; i < o->operand.elements; i++) {
        kept += !element_zeros(element_at(o, i), aic_dtype_size(o->operand.dtype));
    }
    if (kept > LISTED_MAX) {
        return false;
    }
    for (int64_t i = 0; i < o->operand.elements && used < sizeof text; i++) {
        if (!element_zeros(element_at(o, i), aic_dtype_size(o->operand.dtype))) {
            simplify_element(c, o, i, value, sizeof value);
        }
        if (!element_zeros(element_at(o, i), aic_dtype_size(o->operand.dtype))) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%" PRId64 "=%s", used == 0 ? "at:" : ",", i,
                                     value);
        }
    }
    if (used > 0 && o->operand.elements == 1) {
        (void)snprintf(text, sizeof text, "const:%s", value);
    }
    (void)snprintf(c->fill[operand], DIFFER_FILL_MAX, "%s", used == 0 ? "zeros" : text);
    return true;
}

/* Words stay: 0 is none. */
static int shrink_operand(differ_case *c, size_t operand)
{
    const cli_operand *o = &c->operands.items[operand];
    const size_t bytes = (size_t)o->operand.bytes;
    if (!differ_is_free(o) || o->operand.dtype == AIC_UINT64) {
        return CLI_DONE;
    }
    unsigned char *whole = malloc(bytes + 1), *saved = malloc(bytes + 1);
    if (whole != NULL && saved != NULL) {
        memcpy(whole, o->buffer.data, bytes);
        clear_operand(c, o, saved);
        if (!simplify_operand(c, operand)) {
            memcpy(o->buffer.data, whole, bytes);
        }
    }
    const bool done = whole != NULL && saved != NULL;
    free(whole);
    free(saved);
    return done ? CLI_DONE : cli_fail_memory(o->operand.name, o->operand.bytes);
}

int differ_search(differ_case *c, int64_t tries)
{
    c->tries = tries;
    c->searched = find(c, tries);
    if (!c->searched) {
        const int status = differ_draw(c, 1);
        return status == CLI_DONE ? differ_compare(c) : status;
    }
    if (c->operands.pairs[PAIR_IN].count == 0) { /* a file is as large as it is */
        const int64_t least = c->tries / 3;
        while (may_go_on(c, least) && shrink_numbers(c, least)) {
        }
    }
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < c->operands.count; i++) {
        status = shrink_operand(c, i);
    }
    return status == CLI_DONE ? differ_compare(c) : status;
}
