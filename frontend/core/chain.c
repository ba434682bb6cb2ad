/* Fused chains "a | b | ...": operators run one after the other, as one specification. The accumulators that a stage
 * hands over to the next are operands of neither. */
#include "frontend/core/chain.h"
#include "frontend/core/rule.h"
#include "frontend/text/sink.h"

#include <string.h>

/* Indices among an operator's own operands: the output comes first; a consumer reads the accumulators next, and one
 * that changes them has one other input at most. */
enum { OUTPUT = 0, CONSUMED = 1, OTHER = 2 };

static const aic_op_info *info_of(const aic_spec *spec, int stage)
{
    return aic_op_get(spec->stage[stage].op);
}

/* The operators that can be in this place of a chain, for messages. */
typedef enum place { FIRST, BETWEEN, LAST } place;

static bool can_be(const aic_op_info *op, place where)
{
    return where == FIRST ? op->produce != NULL : op->consume != NULL && (op->change != NULL) == (where == BETWEEN);
}

static void list_place(place where, char *text, size_t capacity)
{
    for (int op = AIC_OP_NONE + 1; op < AIC_OP_END; op++) {
        const aic_op_info *info = aic_op_get((aic_op)op);
        if (can_be(info, where)) {
            aic_text_join(text, capacity, " or ", info->record.name);
        }
    }
}

aic_status aic_chain_refuse(const char *producer, const char *consumer)
{
    char names[LAST + 1][80] = {""};
    for (place where = FIRST; where <= LAST; where++) {
        list_place(where, names[where], sizeof names[where]);
    }
    aic_verdict v = aic_request_verdict(NULL);
    aic_break(&v, AIC_REQUEST_chain,
              "%s | %s: these two operators cannot be fused: a chain begins with %s, goes on with %s as often as "
              "needed, and may end with %s",
              producer, consumer, names[FIRST], names[BETWEEN], names[LAST]);
    return v.status;
}

aic_status aic_chain_check(const aic_spec *spec)
{
    for (int s = 1; s < spec->count; s++) {
        const aic_op_info *before = info_of(spec, s - 1), *consumer = info_of(spec, s);
        if (!consumer->consume || !(s == 1 ? before->produce != NULL : before->change != NULL)) {
            return aic_chain_refuse(before->record.name, consumer->record.name);
        }
    }
    return AIC_OK;
}

/* The accumulators of a producer that breaks rules: as many as any can have, bits of either type. */
static aic_accumulator unknown_accumulator(const char *producer)
{
    enum { ROWS = 1 << 28, COLUMNS = 4096 };
    return (aic_accumulator){.producer = producer,
                             .words = true,
                             .rows = ROWS,
                             .columns = COLUMNS,
                             .block_rows = ROWS,
                             .broken = true,
                             .unknown = true};
}

/* Goes on behind a broken rule, to tell all that are broken. */
aic_status aic_chain_resolve(aic_spec *spec, const aic_semantics *semantics, aic_status producer)
{
    const aic_op_info *first = info_of(spec, 0);
    aic_accumulator accumulator = {.stage = 0};
    aic_status status = producer == AIC_OK ? first->produce(&spec->stage[0].desc, &accumulator) : producer;
    if (status != AIC_OK) {
        accumulator = unknown_accumulator(first->record.name);
    }
    for (int s = 1; s < spec->count; s++) {
        const aic_op_info *consumer = info_of(spec, s);
        accumulator.stage = s;
        const aic_status failed = consumer->consume(&spec->stage[s].desc, &accumulator, semantics);
        if (failed == AIC_OK && consumer->change) {
            consumer->change(&spec->stage[s].desc, &accumulator);
        } else if (failed != AIC_OK) {
            accumulator.words = accumulator.broken = true;
        }
        status = status == AIC_OK ? failed : status;
    }
    return status;
}

aic_accumulator aic_chain_accumulator(const aic_spec *resolved, int stage)
{
    aic_accumulator accumulator = {.stage = 0};
    aic_stage first = resolved->stage[0]; /* produce() has changed it already, and changes it no more */
    (void)info_of(resolved, 0)->produce(&first.desc, &accumulator);
    for (int s = 1; s <= stage; s++) {
        info_of(resolved, s)->change(&resolved->stage[s].desc, &accumulator);
    }
    accumulator.stage = stage + 1;
    return accumulator;
}

/* What lies between changes accumulators where they are. */
void aic_chain_trim(aic_spec *canonical)
{
    const int last = canonical->count - 1;
    int64_t rows, columns;
    if (info_of(canonical, last)->taken) {
        info_of(canonical, last)->taken(&canonical->stage[last].desc, &rows, &columns);
        info_of(canonical, 0)->trim(&canonical->stage[0].desc, rows, columns);
    }
}

/* ---- operands ---- */

/* Adds an operand to the chain; returns its index. */
static int add(aic_chain_operands *chain, const aic_operand *operand)
{
    chain->operand[chain->count] = *operand;
    return (int)chain->count++;
}

/* The old accumulators, or a value a column. */
static void add_l1out(aic_chain_operands *chain, const aic_accumulator *accumulator, const aic_operand *accumulators)
{
    aic_operand l1out = {.name = "l1out", .direction = AIC_DIRECTION_IN, .dtype = accumulator->dtype};
    if (accumulator->start == AIC_START_TENSOR) {
        l1out.rank = accumulators->rank;
        memcpy(l1out.shape, accumulators->shape, sizeof l1out.shape);
    } else {
        l1out.rank = 1;
        l1out.shape[0] = accumulator->columns;
    }
    chain->l1out = add(chain, &l1out);
}

/* The other input of a stage that changes accumulators; *number: how many operands such inputs were before. All of them
 * and the other inputs are only read, and may share memory. */
static int add_other(aic_chain_operands *chain, const aic_operand *own, int *number)
{
    static const char *const NAMES[AIC_STAGES_MAX - 1] = {"input1", "input1_2", "input1_3", "input1_4", "input1_5"};
    aic_operand other = *own;
    if (own->direction == AIC_DIRECTION_UNUSED) {
        return AIC_ACCUMULATED; /* a constant */
    }
    other.name = NAMES[(*number)++];
    other.coincides = 0;
    other.overlaps = ((1U << chain->count) - 1) & ~(1U << OUTPUT);
    return add(chain, &other);
}

/* Places for the addresses of constants, behind the operands of callers. */
static void add_constants(const aic_spec *resolved, aic_chain_operands *chain)
{
    static const aic_operand PLACE = {.name = "constant", .direction = AIC_DIRECTION_UNUSED};
    for (int s = 1; s < resolved->count; s++) {
        const aic_op_info *op = info_of(resolved, s);
        if (op->change && op->is_marked(&resolved->stage[s].desc)) {
            chain->from[s][OTHER] = add(chain, &PLACE);
            chain->hidden++;
        }
    }
}

/* The result of a chain that ends with changed accumulators. */
static aic_operand changed_output(const aic_accumulator *accumulator, const aic_operand *own)
{
    aic_operand output = *own;
    output.direction = AIC_DIRECTION_OUT;
    output.dtype = accumulator->dtype;
    return output;
}

void aic_chain_operands_of(const aic_spec *resolved, const aic_semantics *semantics, aic_chain_operands *chain)
{
    const int last = resolved->count - 1;
    const aic_accumulator start = aic_chain_accumulator(resolved, 0);
    aic_operand own[AIC_OPERANDS_MAX];
    int others = 0;
    *chain = (aic_chain_operands){.count = 1}; /* the last stage's output comes first */
    for (int s = 0; s <= last; s++) {
        const aic_op_info *op = info_of(resolved, s);
        const size_t count = op->operands(&resolved->stage[s].desc, semantics, own);
        for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
            chain->from[s][i] = AIC_ACCUMULATED;
        }
        if (s == last) {
            const aic_accumulator end = op->change ? aic_chain_accumulator(resolved, last) : start;
            chain->operand[OUTPUT] = op->change ? changed_output(&end, &own[OUTPUT]) : own[OUTPUT];
            chain->from[s][OUTPUT] = OUTPUT;
        }
        for (size_t i = s == 0 ? OUTPUT + 1 : CONSUMED + 1; i < count; i++) {
            chain->from[s][i] = !op->change                                      ? add(chain, &own[i])
                                : op->other_stage(&resolved->stage[s].desc) != 0 ? AIC_ACCUMULATED
                                                                                 : add_other(chain, &own[i], &others);
        }
        if (s == 0 && start.start != AIC_START_ZERO) {
            add_l1out(chain, &start, &own[OUTPUT]);
        }
    }
    add_constants(resolved, chain);
}
