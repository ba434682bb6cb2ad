/* How close does a fixpipe kernel come to a plain copy of the bytes it reads and writes? copy.h says how.
 *
 *     fixpipe_copy [--isa LEVEL] [--layer PART_OF_NAME] [--time SECONDS]
 *
 * The target: 70 % of the copy's speed. */
#include "tests/bench/copy.h"

static const copy_row ROWS[] = {
    {"copy f32 ND",
     0,
     {"fixpipe(src=float32, dst=float32, nSize=256, mSize=256, srcStride=256, dstStride=256, quantPre=NoQuant)",
      "fixpipe(src=float32, dst=float32, nSize=1024, mSize=1024, srcStride=1024, dstStride=1024, quantPre=NoQuant)",
      "fixpipe(src=float32, dst=float32, nSize=2048, mSize=8192, srcStride=8192, dstStride=2048, quantPre=NoQuant)"}},
    {"copy f32 NZ",
     0,
     {"fixpipe(src=float32, dst=float32, format=NZ, nSize=256, mSize=256, srcStride=256, dstStride=512, "
      "quantPre=NoQuant)",
      "fixpipe(src=float32, dst=float32, format=NZ, nSize=1024, mSize=1024, srcStride=1024, dstStride=2048, "
      "quantPre=NoQuant)",
      "fixpipe(src=float32, dst=float32, format=NZ, nSize=2048, mSize=8192, srcStride=8192, dstStride=16384, "
      "quantPre=NoQuant)"}},
    {"copy i32 ND",
     0,
     {"fixpipe(src=int32, dst=int32, nSize=256, mSize=256, srcStride=256, dstStride=256, quantPre=NoQuant)",
      "fixpipe(src=int32, dst=int32, nSize=1024, mSize=1024, srcStride=1024, dstStride=1024, quantPre=NoQuant)",
      "fixpipe(src=int32, dst=int32, nSize=2048, mSize=8192, srcStride=8192, dstStride=2048, quantPre=NoQuant)"}},
    {"copy i32 NZ",
     0,
     {"fixpipe(src=int32, dst=int32, format=NZ, nSize=256, mSize=256, srcStride=256, dstStride=512, quantPre=NoQuant)",
      "fixpipe(src=int32, dst=int32, format=NZ, nSize=1024, mSize=1024, srcStride=1024, dstStride=2048, "
      "quantPre=NoQuant)",
      "fixpipe(src=int32, dst=int32, format=NZ, nSize=2048, mSize=8192, srcStride=8192, dstStride=16384, "
      "quantPre=NoQuant)"}},
    {"F322F16 ND",
     0,
     {"fixpipe(src=float32, dst=float16, nSize=320, mSize=256, srcStride=256, dstStride=320, quantPre=F322F16)",
      "fixpipe(src=float32, dst=float16, nSize=1344, mSize=1024, srcStride=1024, dstStride=1344, quantPre=F322F16)",
      "fixpipe(src=float32, dst=float16, nSize=2720, mSize=8192, srcStride=8192, dstStride=2720, quantPre=F322F16)"}},
    {"F322F16 NZ",
     0,
     {"fixpipe(src=float32, dst=float16, format=NZ, nSize=320, mSize=256, srcStride=256, dstStride=256, "
      "quantPre=F322F16)",
      "fixpipe(src=float32, dst=float16, format=NZ, nSize=1344, mSize=1024, srcStride=1024, dstStride=1024, "
      "quantPre=F322F16)",
      "fixpipe(src=float32, dst=float16, format=NZ, nSize=2720, mSize=8192, srcStride=8192, dstStride=8192, "
      "quantPre=F322F16)"}},
    {"F322BF16 relu ND",
     0,
     {"fixpipe(src=float32, dst=bfloat16, nSize=320, mSize=256, srcStride=256, dstStride=320, quantPre=F322BF16, "
      "reluEn=true)",
      "fixpipe(src=float32, dst=bfloat16, nSize=1344, mSize=1024, srcStride=1024, dstStride=1344, quantPre=F322BF16, "
      "reluEn=true)",
      "fixpipe(src=float32, dst=bfloat16, nSize=2720, mSize=8192, srcStride=8192, dstStride=2720, quantPre=F322BF16, "
      "reluEn=true)"}},
    {"F322BF16 relu NZ",
     0,
     {"fixpipe(src=float32, dst=bfloat16, format=NZ, nSize=320, mSize=256, srcStride=256, dstStride=256, "
      "quantPre=F322BF16, reluEn=true)",
      "fixpipe(src=float32, dst=bfloat16, format=NZ, nSize=1344, mSize=1024, srcStride=1024, dstStride=1024, "
      "quantPre=F322BF16, reluEn=true)",
      "fixpipe(src=float32, dst=bfloat16, format=NZ, nSize=2720, mSize=8192, srcStride=8192, dstStride=8192, "
      "quantPre=F322BF16, reluEn=true)"}},
    {"DEQF16 ND",
     0,
     {"fixpipe(src=int32, dst=float16, nSize=320, mSize=256, srcStride=256, dstStride=320, quantPre=DEQF16, "
      "deqScalar=0x3E99999A)",
      "fixpipe(src=int32, dst=float16, nSize=1344, mSize=1024, srcStride=1024, dstStride=1344, quantPre=DEQF16, "
      "deqScalar=0x3E99999A)",
      "fixpipe(src=int32, dst=float16, nSize=2720, mSize=8192, srcStride=8192, dstStride=2720, quantPre=DEQF16, "
      "deqScalar=0x3E99999A)"}},
    {"DEQF16 NZ",
     0,
     {"fixpipe(src=int32, dst=float16, format=NZ, nSize=320, mSize=256, srcStride=256, dstStride=256, quantPre=DEQF16, "
      "deqScalar=0x3E99999A)",
      "fixpipe(src=int32, dst=float16, format=NZ, nSize=1344, mSize=1024, srcStride=1024, dstStride=1024, "
      "quantPre=DEQF16, deqScalar=0x3E99999A)",
      "fixpipe(src=int32, dst=float16, format=NZ, nSize=2720, mSize=8192, srcStride=8192, dstStride=8192, "
      "quantPre=DEQF16, deqScalar=0x3E99999A)"}},
    {"VDEQF16 ND",
     0,
     {"fixpipe(src=int32, dst=float16, nSize=320, mSize=256, srcStride=256, dstStride=320, quantPre=VDEQF16)",
      "fixpipe(src=int32, dst=float16, nSize=1344, mSize=1024, srcStride=1024, dstStride=1344, quantPre=VDEQF16)",
      "fixpipe(src=int32, dst=float16, nSize=2720, mSize=8192, srcStride=8192, dstStride=2720, quantPre=VDEQF16)"}},
    {"VDEQF16 NZ",
     0,
     {"fixpipe(src=int32, dst=float16, format=NZ, nSize=320, mSize=256, srcStride=256, dstStride=256, "
      "quantPre=VDEQF16)",
      "fixpipe(src=int32, dst=float16, format=NZ, nSize=1344, mSize=1024, srcStride=1024, dstStride=1024, "
      "quantPre=VDEQF16)",
      "fixpipe(src=int32, dst=float16, format=NZ, nSize=2720, mSize=8192, srcStride=8192, dstStride=8192, "
      "quantPre=VDEQF16)"}},
    {"QF322B8 ND",
     0,
     {"fixpipe(src=float32, dst=int8, nSize=384, mSize=256, srcStride=256, dstStride=384, quantPre=QF322B8_PRE, "
      "deqScalar=0x7FA03F000000)",
      "fixpipe(src=float32, dst=int8, nSize=1632, mSize=1024, srcStride=1024, dstStride=1632, quantPre=QF322B8_PRE, "
      "deqScalar=0x7FA03F000000)",
      "fixpipe(src=float32, dst=int8, nSize=3264, mSize=8192, srcStride=8192, dstStride=3264, quantPre=QF322B8_PRE, "
      "deqScalar=0x7FA03F000000)"}},
    {"QF322B8 NZ",
     0,
     {"fixpipe(src=float32, dst=int8, format=NZ, nSize=384, mSize=256, srcStride=256, dstStride=256, "
      "quantPre=QF322B8_PRE, deqScalar=0x7FA03F000000)",
      "fixpipe(src=float32, dst=int8, format=NZ, nSize=1632, mSize=1024, srcStride=1024, dstStride=1024, "
      "quantPre=QF322B8_PRE, deqScalar=0x7FA03F000000)",
      "fixpipe(src=float32, dst=int8, format=NZ, nSize=3264, mSize=8192, srcStride=8192, dstStride=8192, "
      "quantPre=QF322B8_PRE, deqScalar=0x7FA03F000000)"}},
    {"REQ8 ND",
     0,
     {"fixpipe(src=int32, dst=int8, nSize=384, mSize=256, srcStride=256, dstStride=384, quantPre=REQ8, "
      "deqScalar=0x7FA03F000000)",
      "fixpipe(src=int32, dst=int8, nSize=1632, mSize=1024, srcStride=1024, dstStride=1632, quantPre=REQ8, "
      "deqScalar=0x7FA03F000000)",
      "fixpipe(src=int32, dst=int8, nSize=3264, mSize=8192, srcStride=8192, dstStride=3264, quantPre=REQ8, "
      "deqScalar=0x7FA03F000000)"}},
    {"REQ8 NZ",
     0,
     {"fixpipe(src=int32, dst=int8, format=NZ, nSize=384, mSize=256, srcStride=256, dstStride=256, quantPre=REQ8, "
      "deqScalar=0x7FA03F000000)",
      "fixpipe(src=int32, dst=int8, format=NZ, nSize=1632, mSize=1024, srcStride=1024, dstStride=1024, quantPre=REQ8, "
      "deqScalar=0x7FA03F000000)",
      "fixpipe(src=int32, dst=int8, format=NZ, nSize=3264, mSize=8192, srcStride=8192, dstStride=8192, quantPre=REQ8, "
      "deqScalar=0x7FA03F000000)"}},
    {"VREQ8 relu ND",
     0,
     {"fixpipe(src=int32, dst=int8, nSize=384, mSize=256, srcStride=256, dstStride=384, quantPre=VREQ8, reluEn=true)",
      "fixpipe(src=int32, dst=int8, nSize=1632, mSize=1024, srcStride=1024, dstStride=1632, quantPre=VREQ8, "
      "reluEn=true)",
      "fixpipe(src=int32, dst=int8, nSize=3264, mSize=8192, srcStride=8192, dstStride=3264, quantPre=VREQ8, "
      "reluEn=true)"}},
    {"VREQ8 relu NZ",
     0,
     {"fixpipe(src=int32, dst=int8, format=NZ, nSize=384, mSize=256, srcStride=256, dstStride=256, quantPre=VREQ8, "
      "reluEn=true)",
      "fixpipe(src=int32, dst=int8, format=NZ, nSize=1632, mSize=1024, srcStride=1024, dstStride=1024, quantPre=VREQ8, "
      "reluEn=true)",
      "fixpipe(src=int32, dst=int8, format=NZ, nSize=3264, mSize=8192, srcStride=8192, dstStride=8192, quantPre=VREQ8, "
      "reluEn=true)"}},
};

int main(int argc, char **argv)
{
    static const copy_target TARGETS[] = {{"fixpipe", 0.7}, {NULL, 0}};
    return copy_compare(argc, argv, ROWS, sizeof ROWS / sizeof *ROWS, TARGETS);
}
