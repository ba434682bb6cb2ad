/* How close does a fixpipe kernel come to a plain copy of the bytes it reads and writes? copy.h says how.
 *
 *     fixpipe_copy [--isa LEVEL] [--layer PART_OF_NAME] [--time SECONDS]
 *
 * The target: 70 % of the copy's speed. */
#include "tests/bench/copy.h"

enum { WORDS = 2 }; /* the operand cbufWorkspace */

/* Words as a network has them: scales of a few 2^-k below 1, offsets around 0, signed results. */
static void set_usual_words(bench_data *data)
{
    uint64_t *word = data->pointer[WORDS];
    for (int64_t i = 0; i < data->operand[WORDS].elements; i++) {
        uint64_t scale = 0x35800000 + (uint64_t)(i % 5) * 0x100000, offset = (uint64_t)(i % 65 - 32) & 0x1FF;
        word[i] = scale | offset << 37 | UINT64_C(1) << 46;
    }
}

/* The same with a shift in every column. */
static void set_shifting_words(bench_data *data)
{
    set_usual_words(data);
    uint64_t *word = data->pointer[WORDS];
    for (int64_t i = 0; i < data->operand[WORDS].elements; i++) {
        word[i] |= (uint64_t)(0x10 + i % 16) << 32;
    }
}

static const copy_row ROWS[] = {
    {"copy f32 ND",
     0,
     {"fixpipe(src=float32, dst=float32, nSize=256, mSize=256, srcStride=256, dstStride=256, quantPre=NoQuant)",
      "fixpipe(src=float32, dst=float32, nSize=1024, mSize=1024, srcStride=1024, dstStride=1024, quantPre=NoQuant)",
      "fixpipe(src=float32, dst=float32, nSize=2048, mSize=8192, srcStride=8192, dstStride=2048, quantPre=NoQuant)"},
     NULL},
    {"copy f32 NZ",
     0,
     {"fixpipe(src=float32, dst=float32, format=NZ, nSize=256, mSize=256, srcStride=256, dstStride=512, "
      "quantPre=NoQuant)",
      "fixpipe(src=float32, dst=float32, format=NZ, nSize=1024, mSize=1024, srcStride=1024, dstStride=2048, "
      "quantPre=NoQuant)",
      "fixpipe(src=float32, dst=float32, format=NZ, nSize=2048, mSize=8192, srcStride=8192, dstStride=16384, "
      "quantPre=NoQuant)"},
     NULL},
    {"copy i32 ND",
     0,
     {"fixpipe(src=int32, dst=int32, nSize=256, mSize=256, srcStride=256, dstStride=256, quantPre=NoQuant)",
      "fixpipe(src=int32, dst=int32, nSize=1024, mSize=1024, srcStride=1024, dstStride=1024, quantPre=NoQuant)",
      "fixpipe(src=int32, dst=int32, nSize=2048, mSize=8192, srcStride=8192, dstStride=2048, quantPre=NoQuant)"},
     NULL},
    {"copy i32 NZ",
     0,
     {"fixpipe(src=int32, dst=int32, format=NZ, nSize=256, mSize=256, srcStride=256, dstStride=512, quantPre=NoQuant)",
      "fixpipe(src=int32, dst=int32, format=NZ, nSize=1024, mSize=1024, srcStride=1024, dstStride=2048, "
      "quantPre=NoQuant)",
      "fixpipe(src=int32, dst=int32, format=NZ, nSize=2048, mSize=8192, srcStride=8192, dstStride=16384, "
      "quantPre=NoQuant)"},
     NULL},
    {"F322F16 ND",
     0,
     {"fixpipe(src=float32, dst=float16, nSize=320, mSize=256, srcStride=256, dstStride=320, quantPre=F322F16)",
      "fixpipe(src=float32, dst=float16, nSize=1344, mSize=1024, srcStride=1024, dstStride=1344, quantPre=F322F16)",
      "fixpipe(src=float32, dst=float16, nSize=2720, mSize=8192, srcStride=8192, dstStride=2720, quantPre=F322F16)"},
     NULL},
    {"F322F16 NZ",
     0,
     {"fixpipe(src=float32, dst=float16, format=NZ, nSize=320, mSize=256, srcStride=256, dstStride=256, "
      "quantPre=F322F16)",
      "fixpipe(src=float32, dst=float16, format=NZ, nSize=1344, mSize=1024, srcStride=1024, dstStride=1024, "
      "quantPre=F322F16)",
      "fixpipe(src=float32, dst=float16, format=NZ, nSize=2720, mSize=8192, srcStride=8192, dstStride=8192, "
      "quantPre=F322F16)"},
     NULL},
    {"F322BF16 relu ND",
     0,
     {"fixpipe(src=float32, dst=bfloat16, nSize=320, mSize=256, srcStride=256, dstStride=320, quantPre=F322BF16, "
      "reluEn=true)",
      "fixpipe(src=float32, dst=bfloat16, nSize=1344, mSize=1024, srcStride=1024, dstStride=1344, quantPre=F322BF16, "
      "reluEn=true)",
      "fixpipe(src=float32, dst=bfloat16, nSize=2720, mSize=8192, srcStride=8192, dstStride=2720, quantPre=F322BF16, "
      "reluEn=true)"},
     NULL},
    {"F322BF16 relu NZ",
     0,
     {"fixpipe(src=float32, dst=bfloat16, format=NZ, nSize=320, mSize=256, srcStride=256, dstStride=256, "
      "quantPre=F322BF16, reluEn=true)",
      "fixpipe(src=float32, dst=bfloat16, format=NZ, nSize=1344, mSize=1024, srcStride=1024, dstStride=1024, "
      "quantPre=F322BF16, reluEn=true)",
      "fixpipe(src=float32, dst=bfloat16, format=NZ, nSize=2720, mSize=8192, srcStride=8192, dstStride=8192, "
      "quantPre=F322BF16, reluEn=true)"},
     NULL},
    {"DEQF16 ND",
     0,
     {"fixpipe(src=int32, dst=float16, nSize=320, mSize=256, srcStride=256, dstStride=320, quantPre=DEQF16, "
      "deqScalar=0x3E99999A)",
      "fixpipe(src=int32, dst=float16, nSize=1344, mSize=1024, srcStride=1024, dstStride=1344, quantPre=DEQF16, "
      "deqScalar=0x3E99999A)",
      "fixpipe(src=int32, dst=float16, nSize=2720, mSize=8192, srcStride=8192, dstStride=2720, quantPre=DEQF16, "
      "deqScalar=0x3E99999A)"},
     NULL},
    {"DEQF16 NZ",
     0,
     {"fixpipe(src=int32, dst=float16, format=NZ, nSize=320, mSize=256, srcStride=256, dstStride=256, quantPre=DEQF16, "
      "deqScalar=0x3E99999A)",
      "fixpipe(src=int32, dst=float16, format=NZ, nSize=1344, mSize=1024, srcStride=1024, dstStride=1024, "
      "quantPre=DEQF16, deqScalar=0x3E99999A)",
      "fixpipe(src=int32, dst=float16, format=NZ, nSize=2720, mSize=8192, srcStride=8192, dstStride=8192, "
      "quantPre=DEQF16, deqScalar=0x3E99999A)"},
     NULL},
    {"VDEQF16 ND",
     0,
     {"fixpipe(src=int32, dst=float16, nSize=320, mSize=256, srcStride=256, dstStride=320, quantPre=VDEQF16)",
      "fixpipe(src=int32, dst=float16, nSize=1344, mSize=1024, srcStride=1024, dstStride=1344, quantPre=VDEQF16)",
      "fixpipe(src=int32, dst=float16, nSize=2720, mSize=8192, srcStride=8192, dstStride=2720, quantPre=VDEQF16)"},
     NULL},
    {"VDEQF16 NZ",
     0,
     {"fixpipe(src=int32, dst=float16, format=NZ, nSize=320, mSize=256, srcStride=256, dstStride=256, "
      "quantPre=VDEQF16)",
      "fixpipe(src=int32, dst=float16, format=NZ, nSize=1344, mSize=1024, srcStride=1024, dstStride=1024, "
      "quantPre=VDEQF16)",
      "fixpipe(src=int32, dst=float16, format=NZ, nSize=2720, mSize=8192, srcStride=8192, dstStride=8192, "
      "quantPre=VDEQF16)"},
     NULL},
    {"QF322B8 ND",
     0,
     {"fixpipe(src=float32, dst=int8, nSize=384, mSize=256, srcStride=256, dstStride=384, quantPre=QF322B8_PRE, "
      "deqScalar=0x7FA03F000000)",
      "fixpipe(src=float32, dst=int8, nSize=1632, mSize=1024, srcStride=1024, dstStride=1632, quantPre=QF322B8_PRE, "
      "deqScalar=0x7FA03F000000)",
      "fixpipe(src=float32, dst=int8, nSize=3264, mSize=8192, srcStride=8192, dstStride=3264, quantPre=QF322B8_PRE, "
      "deqScalar=0x7FA03F000000)"},
     NULL},
    {"QF322B8 NZ",
     0,
     {"fixpipe(src=float32, dst=int8, format=NZ, nSize=384, mSize=256, srcStride=256, dstStride=256, "
      "quantPre=QF322B8_PRE, deqScalar=0x7FA03F000000)",
      "fixpipe(src=float32, dst=int8, format=NZ, nSize=1632, mSize=1024, srcStride=1024, dstStride=1024, "
      "quantPre=QF322B8_PRE, deqScalar=0x7FA03F000000)",
      "fixpipe(src=float32, dst=int8, format=NZ, nSize=3264, mSize=8192, srcStride=8192, dstStride=8192, "
      "quantPre=QF322B8_PRE, deqScalar=0x7FA03F000000)"},
     NULL},
    {"REQ8 ND",
     0,
     {"fixpipe(src=int32, dst=int8, nSize=384, mSize=256, srcStride=256, dstStride=384, quantPre=REQ8, "
      "deqScalar=0x7FA03F000000)",
      "fixpipe(src=int32, dst=int8, nSize=1632, mSize=1024, srcStride=1024, dstStride=1632, quantPre=REQ8, "
      "deqScalar=0x7FA03F000000)",
      "fixpipe(src=int32, dst=int8, nSize=3264, mSize=8192, srcStride=8192, dstStride=3264, quantPre=REQ8, "
      "deqScalar=0x7FA03F000000)"},
     NULL},
    {"REQ8 NZ",
     0,
     {"fixpipe(src=int32, dst=int8, format=NZ, nSize=384, mSize=256, srcStride=256, dstStride=256, quantPre=REQ8, "
      "deqScalar=0x7FA03F000000)",
      "fixpipe(src=int32, dst=int8, format=NZ, nSize=1632, mSize=1024, srcStride=1024, dstStride=1024, quantPre=REQ8, "
      "deqScalar=0x7FA03F000000)",
      "fixpipe(src=int32, dst=int8, format=NZ, nSize=3264, mSize=8192, srcStride=8192, dstStride=8192, quantPre=REQ8, "
      "deqScalar=0x7FA03F000000)"},
     NULL},
    {"relu f32 ND",
     0,
     {"fixpipe(src=float32, dst=float32, reluEn=true, nSize=256, mSize=256, srcStride=256, dstStride=256)",
      "fixpipe(src=float32, dst=float32, reluEn=true, nSize=1024, mSize=1024, srcStride=1024, dstStride=1024)",
      "fixpipe(src=float32, dst=float32, reluEn=true, nSize=2048, mSize=8192, srcStride=8192, dstStride=2048)"},
     NULL},
    {"relu f32 NZ",
     0,
     {"fixpipe(src=float32, dst=float32, reluEn=true, format=NZ, nSize=256, mSize=256, srcStride=256, dstStride=512)",
      "fixpipe(src=float32, dst=float32, reluEn=true, format=NZ, nSize=1024, mSize=1024, srcStride=1024, "
      "dstStride=2048)",
      "fixpipe(src=float32, dst=float32, reluEn=true, format=NZ, nSize=2048, mSize=8192, srcStride=8192, "
      "dstStride=16384)"},
     NULL},
    {"split f32 NZ",
     0,
     {"fixpipe(src=float32, dst=float32, isChannelSplit=true, format=NZ, nSize=256, mSize=256, srcStride=256, "
      "dstStride=256)",
      "fixpipe(src=float32, dst=float32, isChannelSplit=true, format=NZ, nSize=1024, mSize=1024, srcStride=1024, "
      "dstStride=1024)",
      "fixpipe(src=float32, dst=float32, isChannelSplit=true, format=NZ, nSize=2048, mSize=8192, srcStride=8192, "
      "dstStride=8192)"},
     NULL},
    {"VQF322B8 ND",
     0,
     {"fixpipe(src=float32, dst=int8, quantPre=VQF322B8_PRE, nSize=384, mSize=256, srcStride=256, dstStride=384)",
      "fixpipe(src=float32, dst=int8, quantPre=VQF322B8_PRE, nSize=1632, mSize=1024, srcStride=1024, dstStride=1632)",
      "fixpipe(src=float32, dst=int8, quantPre=VQF322B8_PRE, nSize=3264, mSize=8192, srcStride=8192, dstStride=3264)"},
     set_usual_words},
    {"VQF322B8 NZ",
     0,
     {"fixpipe(src=float32, dst=int8, quantPre=VQF322B8_PRE, format=NZ, nSize=384, mSize=256, srcStride=256, "
      "dstStride=256)",
      "fixpipe(src=float32, dst=int8, quantPre=VQF322B8_PRE, format=NZ, nSize=1632, mSize=1024, srcStride=1024, "
      "dstStride=1024)",
      "fixpipe(src=float32, dst=int8, quantPre=VQF322B8_PRE, format=NZ, nSize=3264, mSize=8192, srcStride=8192, "
      "dstStride=8192)"},
     set_usual_words},
    {"VREQ8 ND",
     0,
     {"fixpipe(src=int32, dst=int8, quantPre=VREQ8, nSize=384, mSize=256, srcStride=256, dstStride=384)",
      "fixpipe(src=int32, dst=int8, quantPre=VREQ8, nSize=1632, mSize=1024, srcStride=1024, dstStride=1632)",
      "fixpipe(src=int32, dst=int8, quantPre=VREQ8, nSize=3264, mSize=8192, srcStride=8192, dstStride=3264)"},
     set_usual_words},
    {"VREQ8 NZ",
     0,
     {"fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ, nSize=384, mSize=256, srcStride=256, dstStride=256)",
      "fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ, nSize=1632, mSize=1024, srcStride=1024, dstStride=1024)",
      "fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ, nSize=3264, mSize=8192, srcStride=8192, "
      "dstStride=8192)"},
     set_usual_words},
    {"VREQ8 relu ND",
     0,
     {"fixpipe(src=int32, dst=int8, quantPre=VREQ8, reluEn=true, nSize=384, mSize=256, srcStride=256, dstStride=384)",
      "fixpipe(src=int32, dst=int8, quantPre=VREQ8, reluEn=true, nSize=1632, mSize=1024, srcStride=1024, "
      "dstStride=1632)",
      "fixpipe(src=int32, dst=int8, quantPre=VREQ8, reluEn=true, nSize=3264, mSize=8192, srcStride=8192, "
      "dstStride=3264)"},
     set_usual_words},
    {"VREQ8 relu NZ",
     0,
     {"fixpipe(src=int32, dst=int8, quantPre=VREQ8, reluEn=true, format=NZ, nSize=384, mSize=256, srcStride=256, "
      "dstStride=256)",
      "fixpipe(src=int32, dst=int8, quantPre=VREQ8, reluEn=true, format=NZ, nSize=1632, mSize=1024, srcStride=1024, "
      "dstStride=1024)",
      "fixpipe(src=int32, dst=int8, quantPre=VREQ8, reluEn=true, format=NZ, nSize=3264, mSize=8192, srcStride=8192, "
      "dstStride=8192)"},
     set_usual_words},
    {"VREQ8 shifts ND",
     0,
     {"fixpipe(src=int32, dst=int8, quantPre=VREQ8, nSize=384, mSize=256, srcStride=256, dstStride=384)",
      "fixpipe(src=int32, dst=int8, quantPre=VREQ8, nSize=1632, mSize=1024, srcStride=1024, dstStride=1632)",
      "fixpipe(src=int32, dst=int8, quantPre=VREQ8, nSize=3264, mSize=8192, srcStride=8192, dstStride=3264)"},
     set_shifting_words},
    {"VREQ8 shifts NZ",
     0,
     {"fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ, nSize=384, mSize=256, srcStride=256, dstStride=256)",
      "fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ, nSize=1632, mSize=1024, srcStride=1024, dstStride=1024)",
      "fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ, nSize=3264, mSize=8192, srcStride=8192, "
      "dstStride=8192)"},
     set_shifting_words},
    {"tik f32 bias",
     0,
     {"tik_fixpipe(src=float32, dst=float32, bias=true, cburst_num=16, burst_len=512)",
      "tik_fixpipe(src=float32, dst=float32, bias=true, cburst_num=64, burst_len=2048)",
      "tik_fixpipe(src=float32, dst=float32, bias=true, cburst_num=128, burst_len=16384)"},
     NULL},
    {"tik fp322fp16 relu",
     0,
     {"tik_fixpipe(src=float32, dst=float16, quantize_params=fp322fp16, relu=true, cburst_num=20, burst_len=512)",
      "tik_fixpipe(src=float32, dst=float16, quantize_params=fp322fp16, relu=true, cburst_num=84, burst_len=2048)",
      "tik_fixpipe(src=float32, dst=float16, quantize_params=fp322fp16, relu=true, cburst_num=170, burst_len=16384)"},
     NULL},
    {"tik int322fp16",
     0,
     {"tik_fixpipe(src=int32, dst=float16, quantize_params=int322fp16, mode_param_tensor=true, bias=true, "
      "cburst_num=20, burst_len=512)",
      "tik_fixpipe(src=int32, dst=float16, quantize_params=int322fp16, mode_param_tensor=true, bias=true, "
      "cburst_num=84, burst_len=2048)",
      "tik_fixpipe(src=int32, dst=float16, quantize_params=int322fp16, mode_param_tensor=true, bias=true, "
      "cburst_num=170, burst_len=16384)"},
     NULL},
};

int main(int argc, char **argv)
{
    static const copy_target TARGETS[] = {{"fixpipe", 0.7}, {NULL, 0}};
    return copy_compare(argc, argv, ROWS, sizeof ROWS / sizeof *ROWS, TARGETS);
}
