/* Accumulators lie as conv2d leaves them: [cout/16, rows, 16] with rows = H*W rounded up to 16. As tensors of the
 * tensor arithmetic that is [1, cout/16, H*W, 16] with `plane` words from block to block. A number a channel has the
 * strides [0, 16, 0, 1]: it is repeated along the pixels. A picture [3, H*W] has [0, H*W, 1, 0]: block b of the last
 * layer's accumulators is colour b, its 16 columns are the 4x4 pixels, and each of them gets the same. That is the
 * picture enlarged, in front of the pixel shuffle.
 *
 * In int8 the sums are int32 words that are the bits of floats around 1.5 * 2^23 (quantise.h): BM_SUB makes them
 * numbers.
 */
#include "tools/superres/forms.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define STEP(text_, ...)                                                                                               \
    {.text = (text_), .operand = {__VA_ARGS__}, .operands = sizeof((buffer[]){__VA_ARGS__}) / sizeof(buffer)}
#define END {.text = NULL}

#define ARITHMETIC(op, keys) "tensor_arithmetic(op=" op ", shape=[1,{blocks},{howo},16], " keys ")"
#define SUMS0 "input0_stride=[0,{plane},16,1]"
#define SUMS1 "input1_stride=[0,{plane},16,1]"
#define SUMS_OUT "output_stride=[0,{plane},16,1]"
#define CHANNEL1 "input1_stride=[0,16,0,1]"

#define CONV(type, more)                                                                                               \
    "conv2d(dtype=" type ", fm_shape=[{c1},{h},{w},{c0}], kernel_shape=[{c1},3,3,{cout},{c0}], pad=[1,1,1,1], "        \
    "init_l1out=false" more ")"
#define CONV_HALF CONV("float16", ", accumulate={accumulate}")
#define CONV_INT8 CONV("int8", ", pad_value={pad}")

#define FIX(dst, format, stride, quant)                                                                                \
    "fixpipe(src=float32, dst=" dst ", format=" format ", nSize={cout}, mSize={howo}, srcStride={round}, "             \
    "dstStride=" stride ", quantPre=" quant ")"
#define FIX_HALF FIX("float16", "NZ", "{howo}", "F322F16")
#define FIX_INT8 FIX("int8", "NZ", "{howo}", "VQF322B8_PRE")
#define FIX_PIXELS FIX("uint8", "ROW_MAJOR", "{cout}", "QF322B8_PRE, deqScalar=quant(256,0,uint8)")
#define FIX_VALUES FIX("float32", "ROW_MAJOR", "{cout}", "NoQuant")

/* ---- one operator after the other ---- */

#define START STEP(ARITHMETIC("BM_CPY", "input0_stride=[0,16,0,1], " SUMS_OUT), BUFFER_SUMS, BUFFER_START, BUFFER_NONE)
#define CONVOLVE(text) STEP(text, BUFFER_SUMS, BUFFER_IN, BUFFER_WEIGHTS)
#define TO_FLOAT                                                                                                       \
    STEP(ARITHMETIC("BM_SUB", SUMS0 ", input1_is_const=true, input1_const=12582912, " SUMS_OUT), BUFFER_SUMS,          \
         BUFFER_SUMS, BUFFER_NONE)
#define SLOPED STEP(ARITHMETIC("BM_MUL", SUMS0 ", " CHANNEL1 ", " SUMS_OUT), BUFFER_SCALED, BUFFER_SUMS, BUFFER_SLOPE)
#define LARGER STEP(ARITHMETIC("BM_MAX", SUMS0 ", " SUMS1 ", " SUMS_OUT), BUFFER_SUMS, BUFFER_SUMS, BUFFER_SCALED)
#define IN_UNITS STEP(ARITHMETIC("BM_MUL", SUMS0 ", " CHANNEL1 ", " SUMS_OUT), BUFFER_SUMS, BUFFER_SUMS, BUFFER_FACTOR)
#define ADD_PICTURE                                                                                                    \
    STEP(ARITHMETIC("BM_ADD", SUMS0 ", input1_stride=[0,{howo},1,0], " SUMS_OUT), BUFFER_SUMS, BUFFER_SUMS,            \
         BUFFER_PIXELS)
#define STORE(text, to) STEP(text, to, BUFFER_SUMS, BUFFER_NONE)
#define STORE_WORDS(text, to) STEP(text, to, BUFFER_SUMS, BUFFER_WORDS)

static const form HALF[] = {START, CONVOLVE(CONV_HALF), SLOPED, LARGER, STORE(FIX_HALF, BUFFER_OUT), END};
static const form INT8[] = {START, CONVOLVE(CONV_INT8), TO_FLOAT, SLOPED, LARGER, STORE_WORDS(FIX_INT8, BUFFER_OUT),
                            END};
static const form HALF_LAST[] = {START, CONVOLVE(CONV_HALF), ADD_PICTURE, STORE(FIX_PIXELS, BUFFER_VALUES), END};
static const form HALF_VALUES[] = {START, CONVOLVE(CONV_HALF), ADD_PICTURE, STORE(FIX_VALUES, BUFFER_VALUES), END};
static const form INT8_LAST[] = {
    START, CONVOLVE(CONV_INT8), TO_FLOAT, IN_UNITS, ADD_PICTURE, STORE(FIX_PIXELS, BUFFER_VALUES), END};
static const form INT8_VALUES[] = {
    START, CONVOLVE(CONV_INT8), TO_FLOAT, IN_UNITS, ADD_PICTURE, STORE(FIX_VALUES, BUFFER_VALUES), END};

/* ---- the same as one kernel a layer ---- */

/* The stages of a chain take and leave the accumulators; input1_stage names those that an earlier one left. */
#define CHAIN(type, more) CONV(type, more ", l1out=channel")
#define CHAIN_HALF CHAIN("float16", ", accumulate={accumulate}")
#define CHAIN_INT8                                                                                                     \
    CHAIN("int8", ", pad_value={pad}")                                                                                 \
    " | tensor_arithmetic(op=BM_SUB, input1_is_const=true, input1_const=12582912)"
#define TIMES_CHANNEL " | tensor_arithmetic(op=BM_MUL, " CHANNEL1 ")"
#define LARGER_OF(stage) " | tensor_arithmetic(op=BM_MAX, input1_stage=" stage ")"
#define PLUS_PICTURE " | tensor_arithmetic(op=BM_ADD, input1_stride=[0,{howo},1,0])"
#define CHAIN_FIX(dst, format, quant) " | fixpipe(src=float32, dst=" dst ", format=" format ", quantPre=" quant ")"
#define CHAIN_PIXELS CHAIN_FIX("uint8", "ROW_MAJOR", "QF322B8_PRE, deqScalar=quant(256,0,uint8)")
#define CHAIN_VALUES CHAIN_FIX("float32", "ROW_MAJOR", "NoQuant")
#define CONSTANTS BUFFER_IN, BUFFER_WEIGHTS, BUFFER_START

static const form CHAIN_OF_HALF[] = {
    STEP(CHAIN_HALF TIMES_CHANNEL LARGER_OF("1") CHAIN_FIX("float16", "NZ", "F322F16"), BUFFER_OUT, CONSTANTS,
         BUFFER_SLOPE, BUFFER_NONE),
    END,
};
static const form CHAIN_OF_INT8[] = {
    STEP(CHAIN_INT8 TIMES_CHANNEL LARGER_OF("2") CHAIN_FIX("int8", "NZ", "VQF322B8_PRE"), BUFFER_OUT, CONSTANTS,
         BUFFER_SLOPE, BUFFER_WORDS),
    END,
};
static const form CHAIN_OF_HALF_LAST[] = {
    STEP(CHAIN_HALF PLUS_PICTURE CHAIN_PIXELS, BUFFER_VALUES, CONSTANTS, BUFFER_PIXELS, BUFFER_NONE),
    END,
};
static const form CHAIN_OF_HALF_VALUES[] = {
    STEP(CHAIN_HALF PLUS_PICTURE CHAIN_VALUES, BUFFER_VALUES, CONSTANTS, BUFFER_PIXELS, BUFFER_NONE),
    END,
};
static const form CHAIN_OF_INT8_LAST[] = {
    STEP(CHAIN_INT8 TIMES_CHANNEL PLUS_PICTURE CHAIN_PIXELS, BUFFER_VALUES, CONSTANTS, BUFFER_FACTOR, BUFFER_PIXELS,
         BUFFER_NONE),
    END,
};
static const form CHAIN_OF_INT8_VALUES[] = {
    STEP(CHAIN_INT8 TIMES_CHANNEL PLUS_PICTURE CHAIN_VALUES, BUFFER_VALUES, CONSTANTS, BUFFER_FACTOR, BUFFER_PIXELS,
         BUFFER_NONE),
    END,
};

/* ---- the picture ---- */

/* Four bytes in a row, the four pixels in a row of a 4x4 block, are one word. From [H, W, colour, row] to [colour, H,
 * row, W], which is a plane of 4H rows a colour. */
static const form PICTURE[] = {
    STEP("tensor_arithmetic(op=BM_CPY, shape=[{h},3,4,{w}], input0_stride=[{row_words},4,1,12], "
         "output_stride=[{four_w},{plane_words},{w},1])",
         BUFFER_PLANES, BUFFER_VALUES, BUFFER_NONE),
    STEP("transdata(dtype=uint8, src=NCHW, dst=NHWC, shape=[1,3,{four_h},{four_w}])", BUFFER_PICTURE, BUFFER_PLANES),
    END,
};

const form *forms_of_layer(bool int8, bool last, bool as_float, form_style style)
{
    static const form *const LIST[2][2][3] = {
        [FORM_SEPARATE] = {{HALF, HALF_LAST, HALF_VALUES}, {INT8, INT8_LAST, INT8_VALUES}},
        [FORM_CHAIN] = {{CHAIN_OF_HALF, CHAIN_OF_HALF_LAST, CHAIN_OF_HALF_VALUES},
                        {CHAIN_OF_INT8, CHAIN_OF_INT8_LAST, CHAIN_OF_INT8_VALUES}},
    };
    return LIST[style][int8 ? 1 : 0][!last ? 0 : as_float ? 2 : 1];
}

const form *forms_of_picture(void)
{
    return PICTURE;
}

/* ---- placeholders ---- */

static bool value_of(const char *name, size_t length, const form_sizes *s, int64_t *value)
{
    const int64_t howo = s->h * s->w, round = (howo + 15) / 16 * 16;
    const struct {
        const char *name;
        int64_t value;
    } placeholder[] = {
        {"c1", s->c1},
        {"c0", s->c0},
        {"h", s->h},
        {"w", s->w},
        {"cout", s->cout},
        {"blocks", s->cout / 16},
        {"howo", howo},
        {"round", round},
        {"plane", round * 16},
        {"pad", s->pad},
        {"row_words", 12 * s->w},
        {"four_w", 4 * s->w},
        {"four_h", 4 * s->h},
        {"plane_words", 4 * howo},
    };
    for (size_t i = 0; i < sizeof placeholder / sizeof *placeholder; i++) {
        if (strlen(placeholder[i].name) == length && memcmp(placeholder[i].name, name, length) == 0) {
            *value = placeholder[i].value;
            return true;
        }
    }
    return false;
}

bool form_expand(char text[FORM_TEXT], const char *from, const form_sizes *sizes)
{
    size_t at = 0;
    while (*from != '\0') {
        const char *end = *from == '{' ? strchr(from, '}') : NULL;
        char insert[24] = {*from, '\0'};
        if (end != NULL) {
            const char *name = from + 1;
            const size_t length = (size_t)(end - name);
            int64_t value = 0;
            if (value_of(name, length, sizes, &value)) {
                (void)snprintf(insert, sizeof insert, "%" PRId64, value);
            } else { /* {accumulate} */
                (void)snprintf(insert, sizeof insert, "%s", sizes->fast ? "fast" : "cube");
            }
            from = end;
        }
        const size_t bytes = strlen(insert);
        if (at + bytes >= FORM_TEXT) {
            return false;
        }
        memcpy(text + at, insert, bytes + 1);
        at += bytes;
        from++;
    }
    return true;
}
