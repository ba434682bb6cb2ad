/* Tensor arithmetic: the rules on addresses, shape and strides, and what follows from them (tensor
 * arithmetic, ArithParam and ArithQuantParam). */
#include "frontend/ops/arith/arith.h"

#include "frontend/core/rule.h"
#include "frontend/core/size.h"
#include "frontend/layout/repeat.h"

#include <inttypes.h>
#include <string.h>

static const char *const addr_fields[] = {"output_addr", "input0_addr", "input1_addr"};
static const char *const stride_fields[] = {"output_stride", "input0_stride", "input1_stride"};
static const char *const dimensions[] = {"N", "C", "H", "W"};

/* The order of the parameter tables. */
static const int field_order[] = {AIC_ARITH_INPUT0, AIC_ARITH_INPUT1, AIC_ARITH_OUTPUT};

enum { WORD_BITS = 32, WORD_BYTES = 4 };

void aic_arith_set_memory(aic_arith *p, aic_memory memory, const aic_semantics *semantics)
{
    const bool local = memory == AIC_MEMORY_LOCAL;
    p->memory = memory;
    p->lanes = local ? semantics->lanes : 1;
    p->lane_words = local ? semantics->lane_bytes / WORD_BYTES : INT64_MAX;
}

static bool is_tensor(const aic_arith *p, int i)
{
    return p->operand[i].source == AIC_ARITH_TENSOR;
}

/* ---- addresses ---- */

static void locate_start(const aic_arith *p, aic_arith_operand *o)
{
    const int64_t address = p->memory == AIC_MEMORY_LOCAL ? o->address / WORD_BYTES : 0;
    o->lane = address / p->lane_words;
    o->word = address % p->lane_words;
}

/* Sizes in words; the strides given, or those of the compact packing. */
static void locate_strides(const aic_arith *p, aic_arith_operand *o)
{
    const int64_t rows = aic_size_blocks(o->lane + p->shape[AIC_ARITH_C], p->lanes);
    const int64_t sizes[] = {aic_size_blocks(p->shape[AIC_ARITH_N], WORD_BITS / o->bits), rows, p->shape[AIC_ARITH_H],
                             p->shape[AIC_ARITH_W]};
    int64_t compact[AIC_ARITH_RANK], dense = 1;
    for (int d = AIC_ARITH_RANK - 1; d >= 0; d--) {
        o->size[d] = o->broadcast[d] ? 1 : sizes[d];
        compact[d] = dense;
        dense *= o->size[d];
    }
    const int64_t *stride = aic_arith_is_compact(o->given_stride) ? compact : o->given_stride;
    for (int d = 0; d < AIC_ARITH_RANK; d++) {
        o->stride[d] = o->size[d] > 1 ? stride[d] : 0;
    }
}

static void locate_extent(aic_arith_operand *o)
{
    o->extent = 1;
    for (int d = 0; d < AIC_ARITH_RANK; d++) {
        o->extent += (o->size[d] - 1) * o->stride[d];
    }
}

/* The value in the low bits of a legal constant. */
static void decode_constant(aic_arith_operand *o)
{
    if (o->bits < WORD_BITS) {
        const int64_t range = INT64_C(1) << o->bits;
        const int64_t low = o->address & (range - 1);
        o->constant = o->sign && low >= range / 2 ? low - range : low;
    }
}

void aic_arith_locate(aic_arith *p)
{
    for (int i = 0; i < AIC_ARITH_OPERANDS; i++) {
        aic_arith_operand *o = &p->operand[i];
        if (o->source == AIC_ARITH_TENSOR) {
            locate_start(p, o);
            locate_strides(p, o);
            locate_extent(o);
        } else if (o->source == AIC_ARITH_CONSTANT) {
            decode_constant(o);
        }
    }
}

int64_t aic_arith_word(const aic_arith *p, const aic_arith_operand *o, const int64_t at[AIC_ARITH_RANK])
{
    const int64_t channel = o->lane + at[AIC_ARITH_C];
    const int64_t batch = at[AIC_ARITH_N] / (WORD_BITS / o->bits);
    const int64_t word = o->word + batch * o->stride[AIC_ARITH_N] + channel / p->lanes * o->stride[AIC_ARITH_C] +
                         at[AIC_ARITH_H] * o->stride[AIC_ARITH_H] + at[AIC_ARITH_W] * o->stride[AIC_ARITH_W];
    return p->memory == AIC_MEMORY_LOCAL ? channel % p->lanes * p->lane_words + word : word;
}

bool aic_arith_find(const aic_arith *p, int64_t word, int64_t at[AIC_ARITH_RANK])
{
    const aic_arith_operand *o = &p->operand[AIC_ARITH_OUTPUT];
    aic_coordinates c = aic_coordinates_init();
    int64_t found[AIC_AXES_MAX];
    c.first = o->word;
    for (int d = 0; d < AIC_ARITH_RANK; d++) {
        if (d == AIC_ARITH_C) { /* from the first lane on */
            aic_axis_add_blocked(&c, "", o->lane + p->shape[d], p->lanes, o->stride[d], p->lane_words);
        } else {
            aic_axis_add(&c, "", o->size[d], o->stride[d]);
        }
    }
    if (!aic_coordinates_find(&c, word, found) || found[AIC_ARITH_C] < o->lane) {
        return false;
    }
    found[AIC_ARITH_N] *= WORD_BITS / o->bits;
    found[AIC_ARITH_C] -= o->lane;
    memcpy(at, found, AIC_ARITH_RANK * sizeof at[0]);
    return true;
}

bool aic_arith_same_addresses(const aic_arith *p, const aic_arith_operand *input)
{
    const aic_arith_operand *output = &p->operand[AIC_ARITH_OUTPUT];
    bool same = input->bits == output->bits && input->lane == output->lane && input->word == output->word;
    same = same && !(input->broadcast[AIC_ARITH_N] && p->shape[AIC_ARITH_N] > 1);
    for (int d = 0; d < AIC_ARITH_RANK; d++) {
        same = same && input->stride[d] == output->stride[d] && input->size[d] == output->size[d];
    }
    return same;
}

/* ---- rules ---- */

/* Flat operands have no address. */
static void check_address(aic_verdict *v, const aic_arith *p, const char *field, int64_t address)
{
    if (p->memory != AIC_MEMORY_LOCAL) {
        if (address != 0) {
            aic_break(v, AIC_ARITH_RULE_flat_addr,
                      "%s: %" PRId64 " is outside 0..0: in memory=flat operands have no address", field, address);
        }
        return;
    }
    const int64_t last = p->lanes * p->lane_words * WORD_BYTES - 1;
    if (aic_rule_range(v, AIC_ARITH_RULE_addr, field, NULL, address, 0, last < UINT32_MAX ? last : UINT32_MAX) &&
        address % WORD_BYTES != 0) {
        aic_break(v, AIC_ARITH_RULE_addr_words, "%s: %" PRId64 " is no multiple of %d", field, address, WORD_BYTES);
    }
}

/* The value is in the low bits; above it are zeros, or ones above a negative one. */
static void check_constant(aic_verdict *v, const char *field, const aic_arith_operand *o)
{
    if (o->bits == WORD_BITS) {
        return; /* the constant is another field */
    }
    const int64_t range = INT64_C(1) << o->bits;
    const bool negative = o->sign && (o->address & range / 2) != 0;
    const int64_t above = o->address / range;
    if (aic_rule_range(v, AIC_ARITH_RULE_constant, field, NULL, o->address, 0, UINT32_MAX) && above != 0 &&
        !(negative && above == UINT32_MAX / range)) {
        aic_break(v, AIC_ARITH_RULE_constant,
                  "%s: 0x%" PRIx64 " is no constant of %s%" PRId64 " bits: those above must be 0%s", field,
                  (uint64_t)o->address, o->sign ? "" : "unsigned ", o->bits,
                  o->sign ? ", or all 1 above a negative one" : "");
    }
}

static void check_addresses(aic_verdict *v, const aic_arith *p)
{
    for (int k = 0; k < AIC_ARITH_OPERANDS; k++) {
        const int i = field_order[k];
        const aic_arith_operand *o = &p->operand[i];
        if (o->source == AIC_ARITH_TENSOR) {
            check_address(v, p, addr_fields[i], o->address);
        } else if (o->source == AIC_ARITH_CONSTANT) {
            check_constant(v, addr_fields[i], o);
        }
    }
}

static void check_shape(aic_verdict *v, const aic_arith *p)
{
    static const int64_t most[] = {65535, 4095, 65535, 65535};
    for (int d = 0; d < AIC_ARITH_RANK && !p->chain; d++) {
        aic_rule_range(v, AIC_ARITH_RULE_shape, "shape", dimensions[d], p->shape[d], 1, most[d]);
    }
}

/* Of strides that are given, those of sizes over 1 count, that of channels where they take several rows. */
static bool check_strides(aic_verdict *v, const aic_arith *p, int i)
{
    const aic_arith_operand *o = &p->operand[i];
    bool all = true;
    for (int d = 0; d < AIC_ARITH_RANK; d++) {
        if (o->size[d] > 1 && !aic_arith_is_compact(o->given_stride)) {
            all = aic_rule_range(v, AIC_ARITH_RULE_stride, stride_fields[i], dimensions[d], o->stride[d], 0,
                                 UINT32_MAX) &&
                  all;
        }
    }
    return all;
}

/* Whether every element is inside its lane; a stride is at fault when there is no address at which it would be. */
static void check_lane(aic_verdict *v, const aic_arith *p, int i)
{
    const aic_arith_operand *o = &p->operand[i];
    if (p->memory == AIC_MEMORY_LOCAL && o->word + o->extent > p->lane_words) {
        const bool fits = o->extent <= p->lane_words;
        aic_break(v, AIC_ARITH_RULE_lane,
                  "%s: elements reach over %" PRId64 " words from word %" PRId64 " of a lane, which has %" PRId64,
                  fits ? addr_fields[i] : stride_fields[i], o->extent, o->word, p->lane_words);
    }
}

static void check_tensor(aic_verdict *v, aic_arith *p, int i)
{
    locate_start(p, &p->operand[i]);
    locate_strides(p, &p->operand[i]);
    if (check_strides(v, p, i)) {
        locate_extent(&p->operand[i]);
        check_lane(v, p, i);
    }
}

/* Whether no word has two elements; in one lane there is only every lanes-th channel. */
static void check_unique(aic_verdict *v, const aic_arith *p)
{
    const aic_arith_operand *o = &p->operand[AIC_ARITH_OUTPUT];
    aic_repeat repeats[AIC_ARITH_RANK];
    for (int d = 0; d < AIC_ARITH_RANK; d++) {
        repeats[d] = (aic_repeat){o->size[d], o->stride[d]};
    }
    repeats[AIC_ARITH_C].count = aic_size_blocks(p->shape[AIC_ARITH_C], p->lanes);
    if (!aic_repeats_move(1, repeats, AIC_ARITH_RANK)) {
        aic_break(v, AIC_ARITH_RULE_unique,
                  "output_stride: [%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
                  "] does not nest: each stride must leave room for what lies at smaller ones",
                  o->given_stride[0], o->given_stride[1], o->given_stride[2], o->given_stride[3]);
    }
}

void aic_arith_check_addresses(aic_verdict *v, aic_arith *p)
{
    if (p->chain || aic_rule_enum(v, AIC_ARITH_RULE_memory, "memory", AIC_KIND_MEMORY, p->memory)) {
        check_addresses(v, p);
    }
    check_shape(v, p);
    if (v->status != AIC_OK) {
        return; /* nothing can be located */
    }
    for (int k = 0; k < AIC_ARITH_OPERANDS; k++) {
        if (is_tensor(p, field_order[k])) {
            check_tensor(v, p, field_order[k]);
        }
    }
    if (v->status == AIC_OK) {
        aic_arith_locate(p);
        check_unique(v, p);
    }
}

/* ---- operands ---- */

/* The output's words are read where the operation says so, and where sub-words past the last batch keep their value. */
static bool reads_output(const aic_arith *p)
{
    const int64_t parts = WORD_BITS / p->operand[AIC_ARITH_OUTPUT].bits;
    return aic_arith_op_get(p->number)->reads_old || p->shape[AIC_ARITH_N] % parts != 0;
}

size_t aic_arith_operands(const aic_arith *p, aic_operand operands[AIC_OPERANDS_MAX])
{
    static const char *const names[] = {"output", "input0", "input1"};
    const bool words = p->operand[AIC_ARITH_OUTPUT].bits == WORD_BITS;
    const aic_dtype dtype = words ? aic_arith_op_get(p->number)->dtype : AIC_UINT32;
    for (int i = 0; i < AIC_ARITH_OPERANDS; i++) {
        operands[i] = (aic_operand){.name = names[i], .direction = AIC_DIRECTION_UNUSED, .dtype = dtype, .words = true};
        if (is_tensor(p, i) && p->memory == AIC_MEMORY_FLAT) {
            operands[i].direction = i != AIC_ARITH_OUTPUT ? AIC_DIRECTION_IN
                                    : reads_output(p)     ? AIC_DIRECTION_INOUT
                                                          : AIC_DIRECTION_OUT;
            operands[i].rank = 1;
            operands[i].shape[0] = p->operand[i].extent;
            operands[i].strided = true;
            operands[i].sub_words = p->operand[i].bits == 8    ? AIC_INT8
                                    : p->operand[i].bits == 16 ? AIC_INT16
                                                               : AIC_DTYPE_NONE;
            const bool in_place = i != AIC_ARITH_OUTPUT && aic_arith_same_addresses(p, &p->operand[i]);
            operands[i].coincides = in_place ? 1U << AIC_ARITH_OUTPUT : 0;
        }
    }
    operands[AIC_ARITH_INPUT1].overlaps = 1U << AIC_ARITH_INPUT0; /* both are only read */
    if (p->memory == AIC_MEMORY_LOCAL) {
        operands[0] =
            (aic_operand){.name = "memory", .direction = AIC_DIRECTION_INOUT, .dtype = dtype, .rank = 1, .words = true};
        operands[0].shape[0] = p->lanes * p->lane_words;
    }
    return AIC_ARITH_OPERANDS;
}

/* Of words: a word of 8- or 16-bit elements has those of several batches. */
void aic_arith_coordinates(const aic_arith *p, int operand, aic_coordinates *c)
{
    const aic_arith_operand *o = &p->operand[operand];
    if (p->memory == AIC_MEMORY_LOCAL) {
        aic_axis_add(c, "lane", p->lanes, p->lane_words);
        aic_axis_add(c, "word", p->lane_words, 1);
        return;
    }
    for (int d = 0; d < AIC_ARITH_RANK; d++) {
        const char *batch = o->bits == 8 ? "N/4" : o->bits == 16 ? "N/2" : "N";
        aic_axis_add(c, d == AIC_ARITH_N ? batch : dimensions[d], o->size[d], o->stride[d]);
    }
}

/* Bytes of the different elements of a tensor; a stride of 0 repeats data, of channels in each lane. */
static int64_t tensor_bytes(const aic_arith *p, const aic_arith_operand *o)
{
    const int64_t parts = o->broadcast[AIC_ARITH_N] ? 1 : WORD_BITS / o->bits;
    const int64_t lanes = p->lanes < p->shape[AIC_ARITH_C] ? p->lanes : p->shape[AIC_ARITH_C];
    int64_t elements = 1;
    for (int d = 0; d < AIC_ARITH_RANK; d++) {
        const int64_t repeated = d == AIC_ARITH_N ? parts : d == AIC_ARITH_C ? lanes : 1;
        const int64_t all = o->broadcast[d] ? 1 : p->shape[d];
        elements *= o->size[d] > 1 && o->stride[d] == 0 ? repeated : all;
    }
    const int64_t bytes = elements * (o->bits / 8), room = aic_size_multiply(o->extent * WORD_BYTES, lanes);
    return bytes < room ? bytes : room; /* strides may let elements share words */
}

void aic_arith_accessed(const aic_arith *p, int64_t bytes[AIC_OPERANDS_MAX])
{
    for (int i = 0; i < AIC_ARITH_OPERANDS; i++) {
        bytes[i] = is_tensor(p, i) ? tensor_bytes(p, &p->operand[i]) : 0;
    }
    bytes[AIC_ARITH_OUTPUT] *= aic_arith_op_get(p->number)->reads_old ? 2 : 1;
}
