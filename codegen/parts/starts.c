/* Start values of sums, which make up for the offset of the image: adding o to the image adds o times the sum of an
 * output channel's weights to its sums. See weights.h. */
#include "codegen/family/family.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/parts.h"
#include "codegen/parts/weights.h"

typedef struct summer {
    aic_emit *e;
    const aic_starts_key *key;
    unsigned bytes;     /* of a vector, of k-packs or of sums */
    int64_t step_bytes; /* of a reduction step in a panel */
    LLVMValueRef head;  /* bytes of a panel's head */
    LLVMTypeRef words;
} summer;

/* The offset of the image as a register of k-packs. */
static LLVMValueRef image_offset(const summer *s)
{
    LLVMValueRef offset = LLVMConstInt(s->e->i8, (unsigned)s->key->image_offset, false);
    return aic_splat(s->e, offset, s->bytes);
}

/* `sum` plus the offset times the weights of some reduction steps of a vector, from step `first` on. `start` is the
 * address of the vector's first start value. */
static LLVMValueRef sum_steps(const summer *s, LLVMValueRef start, LLVMValueRef first, LLVMValueRef sum)
{
    aic_emit *e = s->e;
    LLVMTypeRef kpacks = aic_vector(e->i8, s->bytes);
    aic_loop steps;
    LLVMValueRef row = aic_at(e, aic_at(e, start, s->head), aic_mul(e, first, s->step_bytes));
    aic_loop_begin(e, &steps, "step: steps of the reduction", aic_int(e, 0), aic_trips(e, "steps"), 1, &sum, 1);
    LLVMValueRef at = aic_at(e, row, aic_mul(e, steps.index, s->step_bytes));
    sum = aic_unsigned_dot4(e, sum, image_offset(s), aic_load(e, kpacks, at, 0, s->bytes));
    aic_loop_end(e, &steps);
    return sum;
}

/* Stores the start values of a vector, from `start` on, where tiles may leave out taps: that of all taps and, behind
 * it, prefix sums over kernel rows and columns. A tile gets the value of its range from up to four of them. */
static void emit_parts(const summer *s, LLVMValueRef start)
{
    aic_emit *e = s->e;
    const int64_t bytes = s->key->lanes * s->key->vectors * (int64_t)sizeof(int32_t);
    LLVMValueRef prefixes = aic_at_const(e, start, bytes), sum = aic_zero(s->words);
    LLVMValueRef pitch = aic_number(e, "start.row"), columns = aic_trips(e, "kw");
    aic_loop rows, across;
    aic_loop_over(e, &across, "column: columns of start values", aic_trips(e, "start.columns"));
    aic_store(e, sum, aic_at(e, prefixes, aic_mul(e, across.index, bytes)), 0, s->bytes);
    aic_loop_end(e, &across);
    aic_loop_over(e, &rows, "row: kernel rows", aic_trips(e, "kh"));
    LLVMValueRef above = aic_at(e, prefixes, aic_times(e, rows.index, pitch)), below = aic_at(e, above, pitch);
    aic_store(e, sum, below, 0, s->bytes);
    aic_loop_begin(e, &across, "column: kernel columns of a start value", aic_int(e, 0), columns, 1, &sum, 1);
    LLVMValueRef tap = aic_add(e, aic_times(e, rows.index, columns), across.index);
    sum = sum_steps(s, start, aic_times(e, tap, aic_trips(e, "steps")), sum);
    LLVMValueRef at = aic_mul(e, across.index, bytes);
    LLVMValueRef old = aic_load(e, s->words, aic_at(e, above, at), bytes, s->bytes);
    aic_store(e, LLVMBuildSub(e->builder, old, sum, ""), aic_at(e, below, at), bytes, s->bytes);
    aic_loop_end(e, &across);
    aic_loop_end(e, &rows);
    LLVMValueRef all = aic_load(e, s->words, aic_behind(e, prefixes, "start.all"), 0, s->bytes);
    aic_store(e, all, start, 0, s->bytes);
}

LLVMValueRef aic_emit_part_starts(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"panel"};
    const aic_starts_key *key = of;
    summer s = {.e = e, .key = key, .bytes = (unsigned)(key->lanes * key->kpack_bytes)};
    s.step_bytes = key->vectors * s.bytes;
    s.words = aic_vector(e->i32, (unsigned)key->lanes);
    aic_emit_function(e, name, key->fast ? AIC_EMIT_SELDOM : AIC_EMIT_HOT, PARAMS, 1, 0);
    aic_note_function(e, "start values of a panel, which make up for the offset of the image");
    s.head = aic_number(e, "panel.start");
    aic_loop vectors;
    aic_loop_over(e, &vectors, "vector: vectors of a panel", aic_int(e, key->vectors));
    LLVMValueRef start =
        aic_at(e, aic_emit_param(e, 0), aic_mul(e, vectors.index, key->lanes * (int64_t)sizeof(int32_t)));
    if (key->parted) {
        emit_parts(&s, start);
    } else {
        LLVMValueRef sum = sum_steps(&s, start, aic_int(e, 0), aic_zero(s.words));
        aic_store(e, LLVMBuildNeg(e->builder, sum, ""), start, 0, s.bytes);
    }
    aic_loop_end(e, &vectors);
    return aic_emit_function_end(e);
}
