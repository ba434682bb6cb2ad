/* Element-wise kernels on the elements of 16 and 8 bits in words.
 *
 * The words are computed as lanes of the width that holds every intermediate. Where a word has more elements than
 * lanes, each lane has several, one in each plane, and planes are computed one after the other:
 *
 *     elements of 8 bits in lanes of 16          plane 0: elements 0 and 2     plane 1: elements 1 and 3
 *
 * Elements come into their lanes by shifts, and go back by shifts: they stay in the word, where moves across a vector
 * would cost more than the arithmetic. */
#include "codegen/llvm/guard.h"
#include "codegen/parts/elementwise_terms.h"

enum { WORD_BITS = 32, WORD_BYTES = 4, BYTE_BITS = 8, PLANES_MAX = 4, REGISTER_BITS = 128 };

/* ---- expressions, in lanes that hold every intermediate ---- */

static LLVMValueRef integer_add(const terms *t)
{
    return binary(t, LLVMAdd);
}

static LLVMValueRef integer_sub(const terms *t)
{
    return binary(t, LLVMSub);
}

/* value / 2^count towards minus infinity, any count. */
static LLVMValueRef shift_right(const terms *t, LLVMValueRef value, int64_t count)
{
    const int64_t bits = LLVMGetIntTypeWidth(LLVMGetElementType(t->type));
    if (!t->sign && count >= bits) {
        return aic_zero(t->type);
    }
    LLVMValueRef by = constant(t->type, count < bits ? count : bits - 1); /* beyond, nothing but signs is left */
    return LLVMBuildBinOp(t->e->builder, t->sign ? LLVMAShr : LLVMLShr, value, by, "");
}

/* One half is added before as the highest bit that is shifted out is added after: no intermediate is wider. */
static LLVMValueRef shift_rounding(const terms *t, LLVMValueRef value)
{
    const int64_t count = t->v->right;
    if (count == 0) {
        return value;
    }
    LLVMValueRef whole = shift_right(t, value, count);
    if (!t->v->half_up) {
        return whole;
    }
    LLVMValueRef rest = LLVMBuildAnd(t->e->builder, shift_right(t, value, count - 1), constant(t->type, 1), "");
    return LLVMBuildAdd(t->e->builder, whole, rest, "");
}

static LLVMValueRef integer_mul(const terms *t)
{
    return shift_rounding(t, binary(t, LLVMMul));
}

/* a: the products. */
static LLVMValueRef integer_mac(const terms *t)
{
    LLVMValueRef old = LLVMBuildShl(t->e->builder, t->old, constant(t->type, t->v->left), "");
    return shift_rounding(t, LLVMBuildAdd(t->e->builder, t->a, old, ""));
}

static LLVMValueRef integer_max(const terms *t)
{
    return intrinsic(t, t->sign ? "llvm.smax" : "llvm.umax");
}

static LLVMValueRef integer_min(const terms *t)
{
    return intrinsic(t, t->sign ? "llvm.smin" : "llvm.umin");
}

/* Patterns of 16 bits by counts of any size: 16 and more shift everything out, but for signs to the right. */
static LLVMValueRef integer_shift(const terms *t)
{
    enum { MOST = 15 };
    LLVMBuilderRef b = t->e->builder;
    LLVMValueRef zero = aic_zero(t->type), most = constant(t->type, MOST),
                 none = LLVMBuildICmp(b, LLVMIntNE, zero, zero, "");
    LLVMValueRef is_right = t->v->b.sign ? LLVMBuildICmp(b, LLVMIntSLT, t->b, zero, "") : none;
    LLVMValueRef count = LLVMBuildSelect(b, is_right, LLVMBuildNeg(b, t->b, ""), t->b, "");
    LLVMValueRef within = aic_vector_min_unsigned(t->e, count, most);
    LLVMValueRef beyond = LLVMBuildICmp(b, LLVMIntUGT, count, most, "");
    LLVMValueRef left = LLVMBuildSelect(b, beyond, zero, LLVMBuildShl(b, t->a, within, ""), "");
    LLVMValueRef signs = LLVMBuildAShr(b, t->a, within, "");
    LLVMValueRef zeros = LLVMBuildSelect(b, beyond, zero, LLVMBuildLShr(b, t->a, within, ""), "");
    return LLVMBuildSelect(b, is_right, t->v->arithmetic ? signs : zeros, left, "");
}

/* ---- the table ---- */

static const struct {
    expression *expression; /* NULL: none on these elements */
    double operations;
    bool bitwise; /* without signs and clamping */
    /* What clamps at the limits of the lanes, of signed and of unsigned numbers. */
    const char *clamping_signed, *clamping_unsigned;
} OPS[] = {
    [AIC_ELEMENTWISE_ADD] = {integer_add, 1, false, "llvm.sadd.sat", "llvm.uadd.sat"},
    [AIC_ELEMENTWISE_SUB] = {integer_sub, 1, false, "llvm.ssub.sat", "llvm.usub.sat"},
    [AIC_ELEMENTWISE_MUL] = {integer_mul, 2, false, NULL, NULL},
    [AIC_ELEMENTWISE_MAC] = {integer_mac, 4, false, NULL, NULL},
    [AIC_ELEMENTWISE_MAX] = {integer_max, 1, false, NULL, NULL},
    [AIC_ELEMENTWISE_MIN] = {integer_min, 1, false, NULL, NULL},
    [AIC_ELEMENTWISE_AND] = {aic_bits_and, 1, true, NULL, NULL},
    [AIC_ELEMENTWISE_OR] = {aic_bits_or, 1, true, NULL, NULL},
    [AIC_ELEMENTWISE_XOR] = {aic_bits_xor, 1, true, NULL, NULL},
    [AIC_ELEMENTWISE_SHIFT] = {integer_shift, 8, true, NULL, NULL},
};

/* ---- lanes ---- */

/* How elements of words are computed. */
typedef struct lanes {
    unsigned bits;  /* that hold every intermediate, the inputs and the output */
    unsigned lane;  /* of a lane: as many, at most those of a word */
    unsigned count; /* lanes in a word */
    unsigned planes;
    bool sign;   /* results have signs */
    bool clamps; /* the operation itself, at the limits of the lanes */
} lanes;

/* Whether the operation may clamp at the limits of the inputs' width, because the output's lie within them. */
static bool can_clamp(const aic_elementwise_value *v)
{
    const bool within = v->out.bits < v->a.bits || (v->out.bits == v->a.bits && (v->out.sign || !v->a.sign));
    const bool below_zero = v->op == AIC_ELEMENTWISE_SUB && !v->a.sign && v->out.sign;
    return OPS[v->op].clamping_signed != NULL && v->a.sign == v->b.sign && within && !below_zero;
}

static unsigned bits_of(const aic_elementwise_value *v, bool clamps)
{
    enum { MAC_LEFT = 14 }; /* 2^16*2^14 and a product are less than 2^31 */
    const bool chooses = v->op == AIC_ELEMENTWISE_MAX || v->op == AIC_ELEMENTWISE_MIN;
    const bool keeps = OPS[v->op].bitwise || clamps || (chooses && v->a.sign == v->b.sign);
    const unsigned bits = keeps ? v->a.bits : 2 * v->a.bits;
    if (v->op == AIC_ELEMENTWISE_MAC) {
        return v->left <= MAC_LEFT ? 32 : 64;
    }
    return bits > v->out.bits ? bits : v->out.bits;
}

static lanes lanes_of(const aic_elementwise_value *v)
{
    lanes l = {.clamps = can_clamp(v)};
    l.bits = bits_of(v, l.clamps);
    l.lane = l.bits < WORD_BITS ? l.bits : WORD_BITS;
    l.count = WORD_BITS / l.lane;
    l.planes = l.lane / v->out.bits;
    /* Numbers without signs are numbers with signs in wider lanes, but for products, which fill them. */
    l.sign = v->a.sign || v->b.sign || (l.bits > v->a.bits && v->op != AIC_ELEMENTWISE_MUL);
    return l;
}

/* Where an element comes from: the words of the input or the ones behind them, and which byte of a word. */
typedef struct origin {
    bool next;
    unsigned byte;
} origin;

/* The element of a word that a plane has in a lane. What becomes narrower is in the order of the inputs' words. */
static unsigned element_of(const lanes *l, const aic_elementwise_value *v, unsigned plane, unsigned lane)
{
    return v->a.bits > v->out.bits ? plane * l->count + lane : lane * l->planes + plane;
}

static origin origin_of(const lanes *l, const aic_elementwise_value *v, const aic_elementwise_input *in, unsigned half,
                        unsigned plane, unsigned lane)
{
    const unsigned per_word = WORD_BITS / v->out.bits, element = half * per_word + element_of(l, v, plane, lane);
    const unsigned bit = in->spread ? 0 : element * in->bits;
    return (origin){bit >= WORD_BITS, bit % WORD_BITS / BYTE_BITS};
}

static LLVMTypeRef integers(aic_emit *e, unsigned bits, unsigned count)
{
    return aic_vector(LLVMIntTypeInContext(e->context, bits), count);
}

/* An input of a plane being taken out of its words. */
typedef struct taking {
    aic_emit *e;
    const lanes *l;
    const aic_elementwise_input *in;
    origin origin[WORD_BYTES]; /* of every lane of a word */
    LLVMValueRef words;
    unsigned n;
} taking;

/* Bytes by which elements lie above the lower end of their lanes; -1: they are not all in their lanes. */
static int shift_in_lanes(const taking *t)
{
    const int bytes = (int)t->l->lane / BYTE_BITS, shift = (int)t->origin[0].byte;
    for (unsigned i = 1; i < t->l->count; i++) {
        if ((int)t->origin[i].byte - (int)i * bytes != shift) {
            return -1;
        }
    }
    return shift;
}

/* Bytes moved so that every lane has its element at its upper end, zeros below. */
static LLVMValueRef moved_up(const taking *t)
{
    const unsigned bytes = t->l->lane / BYTE_BITS, below = bytes - t->in->bits / BYTE_BITS, all = t->n * WORD_BYTES;
    unsigned from[AIC_LANES_MAX];
    LLVMValueRef vector = LLVMBuildBitCast(t->e->builder, t->words, integers(t->e, BYTE_BITS, all), "");
    aic_limit("bytes of words", all, AIC_LANES_MAX);
    for (unsigned i = 0; i < all; i++) {
        const unsigned word = i / WORD_BYTES, byte = i % bytes, lane = i % WORD_BYTES / bytes;
        const unsigned source = word * WORD_BYTES + t->origin[lane].byte + byte - below;
        from[i] = byte < below ? all : source;
    }
    return aic_shuffle(t->e, vector, aic_zero(LLVMTypeOf(vector)), from, all);
}

static LLVMValueRef take(const taking *t)
{
    LLVMBuilderRef b = t->e->builder;
    LLVMTypeRef type = integers(t->e, t->l->lane, t->n * t->l->count);
    const int shift = shift_in_lanes(t), room = (int)(t->l->lane - t->in->bits);
    LLVMValueRef value = LLVMBuildBitCast(b, shift < 0 ? moved_up(t) : t->words, type, "");
    if (room == 0) {
        return value;
    }
    if (shift >= 0) {
        value = LLVMBuildShl(b, value, constant(type, room - shift * BYTE_BITS), "");
    }
    return LLVMBuildBinOp(b, t->in->sign ? LLVMAShr : LLVMLShr, value, constant(type, room), "");
}

/* An input's numbers of a plane. */
static LLVMValueRef input_of(const terms *t, const lanes *l, const aic_elementwise_input *in, unsigned half,
                             unsigned plane, LLVMValueRef words, LLVMValueRef next, unsigned n)
{
    taking from = {.e = t->e, .l = l, .in = in, .n = n};
    if (in->is_constant) {
        return constant(t->type, in->constant);
    }
    for (unsigned i = 0; i < l->count; i++) {
        from.origin[i] = origin_of(l, t->v, in, half, plane, i);
    }
    from.words = from.origin[0].next && next != NULL ? next : words; /* none behind: the part has no such elements */
    LLVMValueRef value = take(&from);
    if (LLVMTypeOf(value) == t->type) {
        return value;
    }
    return LLVMBuildCast(t->e->builder, in->sign ? LLVMSExt : LLVMZExt, value, t->type, "");
}

/* ---- results ---- */

static LLVMValueRef clamped(const terms *t, LLVMValueRef value, unsigned bits)
{
    const aic_elementwise_input *out = &t->v->out;
    const int64_t range = INT64_C(1) << out->bits, low = out->sign ? -range / 2 : 0, high = low + range - 1;
    if (!t->sign) {
        return high + 1 < INT64_C(1) << bits ? aic_vector_min_unsigned(t->e, value, constant(t->type, high)) : value;
    }
    if (bits > out->bits) {
        value = aic_vector_min(t->e, value, constant(t->type, high));
    }
    return bits > out->bits || !out->sign ? aic_vector_max(t->e, value, constant(t->type, low)) : value;
}

static LLVMValueRef compute(const terms *t, const lanes *l)
{
    return l->clamps ? intrinsic(t, l->sign ? OPS[t->v->op].clamping_signed : OPS[t->v->op].clamping_unsigned)
                     : OPS[t->v->op].expression(t);
}

/* Whether the target's instruction makes elements of lanes; those without signs only of 8 bits. */
static bool can_pack(const aic_elementwise_value *v, const lanes *l)
{
    return !OPS[v->op].bitwise && l->bits == 2 * v->out.bits && (v->out.sign || v->out.bits == BYTE_BITS);
}

/* Two planes as elements, clamped. The instruction takes signed numbers, vectors of at least a register, and has an
 * order of its own. */
static LLVMValueRef packed(const terms *t, const lanes *l, LLVMValueRef plane[2], unsigned n)
{
    aic_emit *e = t->e;
    const unsigned in_word = l->planes * l->count, register_lanes = REGISTER_BITS / l->bits;
    unsigned from[AIC_LANES_MAX], all = n * l->count;
    aic_limit("elements of words", n * in_word, AIC_LANES_MAX);
    for (unsigned i = 0; i < 2 && !t->sign; i++) {
        plane[i] = clamped(t, plane[i], l->bits);
    }
    for (; all < register_lanes; all *= 2) {
        for (unsigned i = 0; i < 2; i++) {
            plane[i] = aic_concat(e, (LLVMValueRef[]){plane[i], plane[i]}, 2);
        }
    }
    for (unsigned i = 0; i < n * in_word; i++) {
        const unsigned word = i / in_word, which = i % l->planes, lane = i % in_word / l->planes;
        from[word * in_word + element_of(l, t->v, which, lane)] =
            aic_pack_lane(e->target, all, l->bits, which * all + word * l->count + lane);
    }
    return aic_permute(e, aic_pack(e, plane[0], plane[1], !t->v->out.sign), from, n * in_word);
}

/* The planes' elements in their lanes. What becomes narrower has one lane in a word here, or is packed. */
static LLVMValueRef joined(const terms *t, const lanes *l, LLVMValueRef *plane, unsigned n)
{
    LLVMBuilderRef b = t->e->builder;
    const unsigned bits = t->v->out.bits;
    LLVMTypeRef type = integers(t->e, l->lane, n * l->count);
    LLVMValueRef whole = NULL, mask = constant(type, (INT64_C(1) << bits) - 1);
    for (unsigned i = 0; i < l->planes; i++) {
        LLVMValueRef part = OPS[t->v->op].bitwise ? plane[i] : clamped(t, plane[i], l->bits);
        part = LLVMTypeOf(part) == type ? part : LLVMBuildTrunc(b, part, type, "");
        if (i + 1 < l->planes) { /* of the last one the rest is shifted out */
            part = LLVMBuildAnd(b, part, mask, "");
        }
        part = i > 0 ? LLVMBuildShl(b, part, constant(type, i * bits), "") : part;
        whole = i > 0 ? LLVMBuildOr(b, whole, part, "") : part;
    }
    return whole;
}

/* ---- both ---- */

static LLVMValueRef in_lanes(aic_emit *e, const aic_elementwise_value *v, const aic_elementwise_part *part,
                             LLVMValueRef stream[AIC_ELEMENTWISE_STREAMS], unsigned n)
{
    const lanes l = lanes_of(v);
    terms t = {.e = e, .v = v, .type = integers(e, l.bits, n * l.count), .sign = l.sign};
    LLVMValueRef plane[PLANES_MAX] = {NULL};
    aic_limit("planes of elements", l.planes, PLANES_MAX);
    for (unsigned i = 0; i < l.planes; i++) {
        t.a = input_of(&t, &l, &v->a, part->half, i, stream[AIC_ELEMENTWISE_A], stream[AIC_ELEMENTWISE_A_NEXT], n);
        t.b = input_of(&t, &l, &v->b, part->half, i, stream[AIC_ELEMENTWISE_B], stream[AIC_ELEMENTWISE_B_NEXT], n);
        if (aic_elementwise_reads_old(v)) {
            t.old = input_of(&t, &l, &v->out, 0, i, stream[AIC_ELEMENTWISE_OLD], NULL, n);
        }
        plane[i] = compute(&t, &l);
    }
    return can_pack(v, &l) ? packed(&t, &l, plane, n) : joined(&t, &l, plane, n);
}

/* Products of elements of 8 bits as elements of 16, which hold them all. */
static aic_elementwise_value products_of(const aic_elementwise_value *v)
{
    aic_elementwise_value products = *v;
    products.op = AIC_ELEMENTWISE_MUL;
    products.out = (aic_elementwise_input){.bits = 16, .sign = v->a.sign || v->b.sign};
    products.right = 0;
    return products;
}

LLVMValueRef aic_emit_elementwise_integer(aic_emit *e, const aic_elementwise_value *v, const aic_elementwise_part *part,
                                          LLVMValueRef stream[AIC_ELEMENTWISE_STREAMS], unsigned n)
{
    if (v->op != AIC_ELEMENTWISE_MAC) {
        return in_lanes(e, v, part, stream, n);
    }
    const aic_elementwise_value products = products_of(v);
    aic_elementwise_value sum = *v;
    LLVMValueRef words = in_lanes(e, &products, part, stream, n);
    LLVMValueRef from[AIC_ELEMENTWISE_STREAMS] = {
        [AIC_ELEMENTWISE_A] = words, [AIC_ELEMENTWISE_OLD] = stream[AIC_ELEMENTWISE_OLD]};
    sum.a = products.out;
    sum.b = (aic_elementwise_input){.is_constant = true};
    return in_lanes(e, &sum, &(aic_elementwise_part){.half = 0}, from, n);
}

double aic_elementwise_integer_operations(const aic_elementwise_value *v)
{
    enum { MOVING = 4, PRODUCTS = 6 }; /* elements to their lanes and back; the products of a MAC */
    const lanes l = lanes_of(v);
    const bool moves = l.lane > v->out.bits || v->a.bits != v->out.bits;
    const double operations = l.planes * (OPS[v->op].operations + (moves ? MOVING : 0));
    return v->op == AIC_ELEMENTWISE_MAC ? operations + PRODUCTS : operations;
}
