/* What the code of fixpipe depends on: the one form of all descriptors of a kernel (AscendC Fixpipe).
 */
#include "frontend/ops/fixpipe.h"

#include <math.h>

/* A single column block lies as the rows of ROW_MAJOR do: the format becomes that. */
static void canonicalise_format(aic_fixpipe_desc *desc)
{
    const aic_fixpipe_strides strides = aic_fixpipe_strides_of(desc);
    if (desc->format == AIC_FORMAT_NZ && desc->nSize <= strides.width && !aic_fixpipe_fills(desc)) {
        desc->format = AIC_FORMAT_ROW_MAJOR;
        desc->isChannelSplit = false;
        desc->dstStride = strides.tail;
    }
}

/* Strides that lead nowhere, as there is one row or one block, become those of a dense operand. A single block of NZ
 * that is left has 16 columns of bytes and as many zeros: rows of 32 bytes, the unit of its stride. */
static void canonicalise_strides(aic_fixpipe_desc *desc)
{
    if (desc->format == AIC_FORMAT_ROW_MAJOR && desc->mSize == 1) {
        desc->dstStride = desc->nSize;
    }
    if (desc->format == AIC_FORMAT_NZ && desc->nSize <= aic_fixpipe_strides_of(desc).width) {
        desc->dstStride = desc->mSize;
    }
    if (desc->nSize <= 16) {
        desc->srcStride = desc->mSize;
    }
}

/* The number to which deqScalar scales the lowest source, clamped to 9 bits and rounded to an integer.
 * The lowest float source is -infinity. The lowest integer is -2^31, or after a shift by any count -2^15, and its
 * product with the scale is exact. No operation here rounds, so that the caller's rounding mode does not matter. */
static int64_t scale_lowest(const aic_fixpipe_desc *desc)
{
    const aic_quant word = aic_quant_parts(desc->deqScalar);
    if (desc->quantPre != AIC_QUANT_REQ8) {
        return word.scale == 0 ? 0 : word.scale > 0 ? -256 : 255;
    }
    const double exact = -ldexp((double)word.scale, word.shift != 0 ? 15 : 31);
    const double clamped = exact < -256 ? -256 : exact > 255 ? 255 : exact;
    const int64_t whole = (int64_t)clamped, away = clamped < 0 ? -1 : 1;
    const double rest = fabs(clamped - (double)whole);
    return rest > 0.5 || (rest == 0.5 && whole % 2 != 0) ? whole + away : whole;
}

/* The result that a scaled integer becomes: the offset is added, and the sum clamped to the range of the result. */
static int64_t finish(const aic_fixpipe_desc *desc, int64_t scaled)
{
    const aic_quant word = aic_quant_parts(desc->deqScalar);
    const int64_t low = word.is_signed ? -128 : 0, high = word.is_signed ? 127 : 255, result = scaled + word.offset;
    return result < low ? low : result > high ? high : result;
}

/* Whether no source that is rectified changes its result: results are monotonic in the source, so that those between
 * the lowest and 0 are equal when both ends are. NaN is not rectified. */
static bool relu_is_idle(const aic_fixpipe_desc *desc, const aic_semantics *semantics)
{
    const aic_semantics defaults = aic_semantics_init();
    const bool narrow = desc->quantPre == AIC_QUANT_QF322B8_PRE || desc->quantPre == AIC_QUANT_REQ8;
    /* The formulas above are those of the defaults. */
    const bool same = semantics->relu == defaults.relu && semantics->offset_sign == defaults.offset_sign &&
                      semantics->offset_clamp == defaults.offset_clamp && semantics->scale_bits == defaults.scale_bits;
    return narrow && same && finish(desc, scale_lowest(desc)) == finish(desc, 0);
}

/* Where no matrix is stored, the kernel depends on the lengths of its operands and on whether there are words, on
 * nothing else. ROW_MAJOR takes the place of NZ where some stride makes dst as long. */
static void canonicalise_empty(aic_fixpipe_desc *desc)
{
    const aic_fixpipe_strides strides = aic_fixpipe_strides_of(desc);
    const bool words = aic_fixpipe_scale_of(desc->quantPre) == AIC_FIXPIPE_VECTOR;
    const int64_t steps = desc->mSize > 1 ? desc->mSize - 1 : 1,
                  rest = aic_fixpipe_dst_extent(desc, &strides) - desc->nSize;
    if (rest % steps == 0 && (desc->mSize > 1 || rest == 0)) {
        desc->format = AIC_FORMAT_ROW_MAJOR;
        desc->isChannelSplit = desc->fill_block = false;
        desc->dstStride = rest / steps;
    }
    desc->quantPre = words ? AIC_QUANT_VDEQF16 : AIC_QUANT_NO_QUANT;
    desc->deqScalar = 0;
    desc->reluEn = false;
}

/* int8 stands for uint8, too: the word says which range results have, and their bytes are stored as they are. */
void aic_fixpipe_canonicalise(void *descriptor, const aic_semantics *semantics)
{
    aic_fixpipe_desc *desc = descriptor;
    if (semantics->scale_bits == AIC_SCALE_BITS_CUT) {
        desc->deqScalar &= ~(uint64_t)UINT32_MAX | AIC_QUANT_SCALE_BITS;
    }
    desc->dst = desc->dst == AIC_UINT8 ? AIC_INT8 : desc->dst;
    desc->ndNum = aic_fixpipe_has_matrices(desc) ? desc->ndNum : desc->ndNum != 0;
    desc->reluEn = desc->reluEn && !relu_is_idle(desc, semantics);
    desc->fill_block = aic_fixpipe_fills(desc);
    if (desc->ndNum == 0) {
        canonicalise_empty(desc);
    }
    canonicalise_format(desc);
    canonicalise_strides(desc);
}

/* What code for the word must provide for where results are bytes. A scale of 1/64 and more takes 16 bits, which a
 * shift leaves, beyond every result. */
static unsigned kinds_of(const aic_fixpipe_desc *desc)
{
    const aic_quant word = aic_quant_parts(desc->deqScalar);
    const bool shifts = desc->quantPre == AIC_QUANT_REQ8 && word.shift != 0;
    const double scale = fabs((double)word.scale), size = ldexp(scale, shifts ? -(int)word.shift : 0);
    const bool near = word.is_signed ? word.offset >= INT8_MIN && word.offset <= INT8_MAX : word.offset >= 0;
    const bool turns = desc->reluEn && word.scale < 0, reaches = !shifts || ldexp(scale, 6) >= 1;
    unsigned kinds = shifts ? AIC_FIXPIPE_WORD_SHIFTS : AIC_FIXPIPE_WORD_PLAIN;
    kinds |= !word.is_signed ? AIC_FIXPIPE_WORD_UNSIGNED : word.offset != 0 ? AIC_FIXPIPE_WORD_OFFSET : 0U;
    kinds = near && reaches && !turns ? kinds : AIC_FIXPIPE_WORD_LIMITED;
    return kinds | (desc->src == AIC_INT32 && size >= 1 ? AIC_FIXPIPE_WORD_LARGE : 0U);
}

/* A fixpipe that is alone does little besides: code that provides for no more than the kind of word needs saves it a
 * fifth of its time. In a chain the convolution is what takes time, and there are fewer kinds: what is limited at all,
 * and what is large, is limited in every way. */
size_t aic_fixpipe_take_word(void *descriptor, bool alone, uint64_t *word)
{
    enum { WORDS = 2 }; /* the operand of the words of vector modes */
    aic_fixpipe_desc *desc = descriptor;
    if (aic_fixpipe_scale_of(desc->quantPre) != AIC_FIXPIPE_SCALAR) {
        return 0;
    }
    unsigned kinds = desc->quantPre == AIC_QUANT_DEQF16 ? AIC_FIXPIPE_WORD_PLAIN : kinds_of(desc);
    if (!alone && kinds != AIC_FIXPIPE_WORD_PLAIN) {
        kinds = (kinds & AIC_FIXPIPE_WORD_LARGE) | AIC_FIXPIPE_WORD_LIMITED;
    }
    *word = desc->deqScalar;
    desc->deqScalar = aic_fixpipe_mark(kinds);
    return WORDS;
}

/* ---- coordinates ---- */

enum { DST, SRC, WORDS }; /* in calling order */

/* Blocks of columns that are `block` elements apart; rows of the last one, which may be narrower, are `tail` apart. */
static void add_blocks(aic_coordinates *c, const aic_fixpipe_desc *desc, const aic_fixpipe_strides *to, int64_t columns)
{
    const int64_t count = (columns + to->width - 1) / to->width, last = columns - (count - 1) * to->width;
    aic_axis_add(c, "C1", count, to->block);
    aic_axis_add(c, "row", desc->mSize, to->row);
    aic_axis_add(c, "C0", to->width, 1);
    c->tail = last != to->width ? last : 0;
    c->tail_pitch = to->tail;
}

void aic_fixpipe_coordinates(const void *descriptor, const aic_semantics *semantics, int operand, aic_coordinates *c)
{
    (void)semantics;
    const aic_fixpipe_desc *desc = descriptor;
    aic_fixpipe_strides to = aic_fixpipe_strides_of(desc);
    const bool several = aic_fixpipe_has_matrices(desc);
    if (operand == WORDS) {
        AIC_AXES_NAME(c, "column");
    } else if (operand == DST && desc->format == AIC_FORMAT_NZ) {
        add_blocks(c, desc, &to, desc->nSize + (aic_fixpipe_fills(desc) ? 16 : 0));
    } else {
        const int64_t matrix = operand == DST ? to.matrix : desc->srcNdStride * 256;
        if (several) {
            aic_axis_add(c, "matrix", to.matrices, matrix);
        }
        if (operand == DST) {
            aic_axis_add(c, "row", desc->mSize, to.row);
            aic_axis_add(c, "column", desc->nSize, 1);
        } else {
            to = (aic_fixpipe_strides){.width = 16, .block = desc->srcStride * 16, .row = 16, .tail = 16};
            add_blocks(c, desc, &to, desc->nSize);
        }
    }
}
