/* fixpipe's rules: every row of the parameter table at both ends of its range, the table of modes, overlaps, extents,
 * and what fusion fills in. */
#include "frontend/core/spec.h"
#include "tests/rule_case.h"
#include "tests/specs.h"

#include <aic/aic.h>
#include <check.h>
#include <stdio.h>
#include <string.h>

Suite *suite_fixpipe_rules(void);

#define TEXT_MAX 1024

/* Keys of a specification and its message without "fixpipe: "; NULL: it is legal. */
typedef struct keys_case {
    const char *keys;
    const char *message;
} keys_case;

static void check_case(const char *before, const keys_case *row)
{
    char text[TEXT_MAX], message[TEXT_MAX];
    snprintf(text, sizeof text, "%sfixpipe(%s)", before, row->keys);
    snprintf(message, sizeof message, "fixpipe: %s", row->message ? row->message : "");
    const aic_spec spec = spec_of(text);
    check_rules(&spec, row->message ? message : NULL);
}

/* float32 to float32: ROW_MAJOR, NZ, NZ with channel split. */
#define ND "src=float, dst=float, "
#define NZ "src=float, dst=float, format=NZ, "
#define SPLIT NZ "isChannelSplit=true, "
#define TINY "nSize=1, mSize=1, dstStride=1, "

#define NOT_NORMAL ", not a normal float32 or zero"

static const keys_case table[] = {
    {TINY "src=float, dst=int16", "dst: int16 is not float16, bfloat16, float32, int32, int8 or uint8"},
    {TINY "src=float, dst=uint64", "dst: uint64 is not float16, bfloat16, float32, int32, int8 or uint8"},
    {TINY "src=half, dst=half", "src: float16 is not float32 or int32"},
    {TINY "src=int8, dst=int8", "src: int8 is not float32 or int32"},
    {ND "mSize=1, dstStride=1", "nSize: 0 is outside 1..4095"},
    {ND "nSize=-1, mSize=1, dstStride=1", "nSize: -1 is outside 1..4095"},
    {ND "nSize=1, mSize=1, dstStride=1", NULL},
    {ND "nSize=4095, mSize=2, dstStride=4095", NULL},
    {ND "nSize=4096, mSize=1, dstStride=4096", "nSize: 4096 is outside 1..4095"},
    {NZ "nSize=0, mSize=1, dstStride=1", "nSize: 0 is outside 1..4095"},
    {NZ "nSize=16, mSize=1, dstStride=1", NULL},
    {NZ "nSize=24, mSize=1, dstStride=9",
     "nSize: 24 is not a multiple of 16 in 1..4095, which format NZ requires"}, /* E8 */
    {NZ "nSize=4080, mSize=1, dstStride=2", NULL},
    {NZ "nSize=4096, mSize=1, dstStride=2", "nSize: 4096 is outside 1..4095"},
    {SPLIT "nSize=8, mSize=1, dstStride=1", NULL},
    {SPLIT "nSize=20, mSize=1, dstStride=1",
     "nSize: 20 is not a multiple of 8 in 1..4095, which format NZ requires with isChannelSplit"}, /* E8 */
    {SPLIT "nSize=4088, mSize=1, dstStride=1", NULL},
    {SPLIT "nSize=4095, mSize=1, dstStride=1",
     "nSize: 4095 is not a multiple of 8 in 1..4095, which format NZ requires with isChannelSplit"},
    {ND "nSize=1, dstStride=1", "mSize: 0 is outside 1..8192"},
    {ND "nSize=1, mSize=8192, dstStride=1", NULL},
    {ND "nSize=1, mSize=8193, dstStride=1", "mSize: 8193 is outside 1..8192"}, /* E8 */
    {NZ "nSize=16, mSize=0, dstStride=1", "mSize: 0 is outside 1..65535"},
    {NZ "nSize=16, mSize=65535, dstStride=1", NULL},
    {NZ "nSize=16, mSize=65536, dstStride=1", "mSize: 65536 is outside 1..65535"},
    {ND TINY "srcStride=-1", "srcStride: -1 is outside 0..65535"},
    {ND "srcStride=0, nSize=40, mSize=9, dstStride=40", NULL}, /* blocks overlap when read: literal */
    {ND TINY "srcStride=65535", NULL},
    {ND TINY "srcStride=65536", "srcStride: 65536 is outside 0..65535"},
    {ND "nSize=1, mSize=1", "dstStride: 0 is outside 1..4294967295"}, /* E8 */
    {ND "nSize=9, mSize=1, dstStride=1", NULL},
    {ND "nSize=9, mSize=1, dstStride=4294967295", NULL},
    {ND "nSize=9, mSize=1, dstStride=4294967296", "dstStride: 4294967296 is outside 1..4294967295"},
    {ND "nSize=9, mSize=2, dstStride=9", NULL},
    {ND "nSize=9, mSize=2, dstStride=8", "dstStride: 8 is less than nSize = 9: rows would overlap"},
    {NZ "nSize=16, mSize=3, dstStride=1", NULL}, /* one block */
    {NZ "nSize=32, mSize=3, dstStride=6", NULL},
    {NZ "nSize=32, mSize=3, dstStride=5",
     "dstStride: 5 is less than 6, the 192 bytes of a column block in units of 32: blocks would overlap"},
    {SPLIT "nSize=16, mSize=3, dstStride=3", NULL},
    {SPLIT "nSize=16, mSize=3, dstStride=2",
     "dstStride: 2 is less than 3, the 96 bytes of a column block in units of 32: blocks would overlap"},
    {"src=float, dst=half, quantPre=F322F16, format=NZ, nSize=32, mSize=3, dstStride=3", NULL},
    {"src=float, dst=half, quantPre=F322F16, format=NZ, nSize=32, mSize=3, dstStride=2",
     "dstStride: 2 is less than 3, the 96 bytes of a column block in units of 32: blocks would overlap"},
    {"src=int32, dst=int8, quantPre=REQ8, format=NZ, nSize=32, mSize=3, dstStride=1", NULL},
    {"src=int32, dst=int8, quantPre=REQ8, format=NZ, nSize=48, mSize=3, dstStride=3", NULL},
    {"src=int32, dst=uint8, quantPre=REQ8, format=NZ, nSize=48, mSize=3, dstStride=2",
     "dstStride: 2 is less than 3, the 96 bytes of a column block in units of 32: blocks would overlap"},
    {TINY "src=float, dst=half, quantPre=DEQF16",
     "quantPre: DEQF16 is not F322F16, which src = float32 and dst = float16 require"}, /* E8 */
    {TINY "src=int32, dst=half",
     "quantPre: NoQuant is not DEQF16 or VDEQF16, which src = int32 and dst = float16 require"},
    {TINY "src=float, dst=int32", "quantPre: NoQuant does not store src = float32 as dst = int32, nor does any mode"},
    {TINY "src=int32, dst=bfloat16, quantPre=F322BF16",
     "quantPre: F322BF16 does not store src = int32 as dst = bfloat16, nor does any mode"},
    {TINY "src=float, dst=int8, quantPre=REQ8",
     "quantPre: REQ8 is not QF322B8_PRE or VQF322B8_PRE, which src = float32 and dst = int8 require"},
    {ND TINY "ndNum=-1", "ndNum: -1 is outside 0..65535"},
    {ND TINY "ndNum=0", NULL},
    {ND TINY "ndNum=65535, srcNdStride=1, dstNdStride=1", NULL},
    {ND TINY "ndNum=65536, srcNdStride=1, dstNdStride=1", "ndNum: 65536 is outside 0..65535"},
    {ND TINY "ndNum=2, dstNdStride=1", "srcNdStride: 0 is outside 1..512"},
    {ND TINY "ndNum=2, srcNdStride=512, dstNdStride=1", NULL},
    {ND TINY "ndNum=2, srcNdStride=513, dstNdStride=1", "srcNdStride: 513 is outside 1..512"}, /* E8 */
    {ND TINY "ndNum=2, srcNdStride=1", "dstNdStride: 0 is outside 1..65535"},
    {ND TINY "ndNum=2, srcNdStride=1, dstNdStride=65535", NULL},
    {ND TINY "ndNum=2, srcNdStride=1, dstNdStride=65536", "dstNdStride: 65536 is outside 1..65535"},
    {ND TINY "ndNum=1, srcNdStride=-3, dstNdStride=99999", NULL}, /* not used */
    {ND TINY "ndNum=0, srcNdStride=-3, dstNdStride=99999", NULL},
    {NZ "ndNum=2, nSize=16, mSize=1, dstStride=1", NULL}, /* no effect in NZ */
    {NZ "ndNum=65536, nSize=16, mSize=1, dstStride=1", "ndNum: 65536 is outside 0..65535"},
    {ND "ndNum=2, srcNdStride=1, nSize=16, mSize=16, dstStride=16, dstNdStride=256", NULL}, /* E7 */
    {ND "ndNum=2, srcNdStride=1, nSize=16, mSize=16, dstStride=16, dstNdStride=255",
     "dstNdStride: 255 makes matrices overlap: it is less than their extent 256, nor is it at least nSize = 16 with "
     "dstStride at least 271"},
    {ND "ndNum=2, srcNdStride=1, nSize=16, mSize=16, dstStride=32, dstNdStride=16", NULL}, /* E7 */
    {ND "ndNum=2, srcNdStride=1, nSize=16, mSize=16, dstStride=31, dstNdStride=16",
     "dstNdStride: 16 makes matrices overlap: it is less than their extent 481, nor is it at least nSize = 16 with "
     "dstStride at least 32"},
    {ND "ndNum=2, srcNdStride=1, nSize=16, mSize=16, dstStride=32, dstNdStride=15",
     "dstNdStride: 15 makes matrices overlap: it is less than their extent 496, nor is it at least nSize = 16 with "
     "dstStride at least 31"},
    {ND TINY "reluEn=true", NULL},
    {ND TINY "unitFlag=1", "unitFlag: 1 is not 0: it is reserved"},
    {ND TINY "unitFlag=-1", "unitFlag: -1 is not 0: it is reserved"},
    {ND TINY "isChannelSplit=true",
     "isChannelSplit: true is only for float32 to float32 in format NZ, not for float32 to float32 in ROW_MAJOR"},
    {"format=NZ, isChannelSplit=true, src=float, dst=half, quantPre=F322F16, nSize=16, mSize=1, dstStride=1",
     "isChannelSplit: true is only for float32 to float32 in format NZ, not for float32 to float16 in NZ"}, /* E8 */
    {"format=NZ, isChannelSplit=true, src=int32, dst=int32, nSize=8, mSize=1, dstStride=1",
     "isChannelSplit: true is only for float32 to float32 in format NZ, not for int32 to int32 in NZ"},
    {"format=NZ, fill_block=true, src=int32, dst=int8, quantPre=REQ8, nSize=48, mSize=2, dstStride=2", NULL},
    {"format=NZ, fill_block=true, src=int32, dst=uint8, quantPre=REQ8, nSize=32, mSize=2, dstStride=2", NULL},
    {"fill_block=true, src=int32, dst=int8, quantPre=REQ8, nSize=48, mSize=2, dstStride=48",
     "fill_block: true is only for int8 and uint8 in format NZ, not for int8 in ROW_MAJOR"},
    {"format=NZ, fill_block=true, src=float, dst=half, quantPre=F322F16, nSize=16, mSize=1, dstStride=1",
     "fill_block: true is only for int8 and uint8 in format NZ, not for float16 in NZ"},
};

START_TEST(every_row_of_the_table)
{
    check_case("", &table[_i]);
}
END_TEST

/* What no text can say. */
START_TEST(values_beyond_the_enumerations)
{
    static const struct {
        const char *field;
        uint64_t word;
        const char *message;
    } rows[] = {
        {"dst", 99, "fixpipe: dst: value 99 is not float16, bfloat16, float32, int32, int8 or uint8"},
        {"src", 0, "fixpipe: src: none is not float32 or int32"},
        {"format", 2, "fixpipe: format: value 2 is not NZ or ROW_MAJOR"},
        {"quantPre", 6,
         "fixpipe: quantPre: value 6 is not a mode (NoQuant, F322F16, F322BF16, DEQF16, VDEQF16, QF322B8_PRE, "
         "VQF322B8_PRE, REQ8, VREQ8)"},
        {"reluEn", 2, "fixpipe: reluEn: value 2 is not true or false"},
        {"isChannelSplit", 255, "fixpipe: isChannelSplit: value 255 is not true or false"},
        {"fill_block", 2, "fixpipe: fill_block: value 2 is not true or false"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        aic_spec spec = spec_of("fixpipe(" ND TINY "ndNum=1)");
        set_field(AIC_OP_FIXPIPE, &spec.stage[0].desc, rows[i].field, 0, rows[i].word);
        check_rules(&spec, rows[i].message);
    }
}
END_TEST

/* Section 3: of all triples of types and mode, in each layout, those of the table are legal and no others. */
START_TEST(table_of_modes)
{
    static const char *const legal[] = {
        "float32 float32 NoQuant",    "int32 int32 NoQuant",       "float32 float16 F322F16",
        "float32 bfloat16 F322BF16",  "int32 float16 DEQF16",      "int32 float16 VDEQF16",
        "float32 int8 QF322B8_PRE",   "float32 uint8 QF322B8_PRE", "float32 int8 VQF322B8_PRE",
        "float32 uint8 VQF322B8_PRE", "int32 int8 REQ8",           "int32 uint8 REQ8",
        "int32 int8 VREQ8",           "int32 uint8 VREQ8",
    };
    static const char *const modes[] = {"NoQuant",     "F322F16",      "F322BF16", "DEQF16", "VDEQF16",
                                        "QF322B8_PRE", "VQF322B8_PRE", "REQ8",     "VREQ8"};
    static const char *const types[] = {"float16", "bfloat16", "float32", "int32", "int8", "uint8"};
    enum { MODES = sizeof modes / sizeof modes[0], TYPES = sizeof types / sizeof types[0] };
    int accepted = 0;
    for (int i = 0; i < MODES * TYPES * 2 * 2; i++) {
        const char *mode = modes[i % MODES], *dst = types[i / MODES % TYPES];
        const char *src = i / MODES / TYPES % 2 ? "float32" : "int32";
        const char *format = i / MODES / TYPES / 2 ? "NZ" : "ROW_MAJOR";
        char text[TEXT_MAX], triple[TEXT_MAX];
        snprintf(text, sizeof text, "fixpipe(src=%s, dst=%s, quantPre=%s, format=%s, nSize=16, mSize=1, dstStride=1)",
                 src, dst, mode, format);
        snprintf(triple, sizeof triple, "%s %s %s", src, dst, mode);
        bool expected = false;
        for (size_t k = 0; k < sizeof legal / sizeof legal[0]; k++) {
            expected = expected || strcmp(legal[k], triple) == 0;
        }
        const aic_spec spec = spec_of(text);
        const aic_status status = aic_spec_validate(&spec, NULL);
        ck_assert_msg((status == AIC_OK) == expected, "%s: %s", text, aic_last_error());
        ck_assert_msg(expected || strncmp(aic_last_error(), "fixpipe: quantPre: ", 19) == 0, "%s", aic_last_error());
        accepted += expected;
    }
    ck_assert_int_eq(accepted, 2 * 14);
}
END_TEST

/* Section 5: infinite, NaN and subnormal scales, after the 13 lowest bits are cleared; only where the word is used. */
START_TEST(scales)
{
#define DEQ TINY "src=int32, dst=half, quantPre=DEQF16, deqScalar="
    static const keys_case rows[] = {
        {DEQ "0x7F800000", "deqScalar: the scale of 0x7f800000 is infinite" NOT_NORMAL}, /* E8 */
        {DEQ "0xFF800000", "deqScalar: the scale of 0xff800000 is infinite" NOT_NORMAL},
        {DEQ "0x7F801FFF", "deqScalar: the scale of 0x7f801fff is infinite" NOT_NORMAL},
        {DEQ "0x7F802000", "deqScalar: the scale of 0x7f802000 is NaN" NOT_NORMAL},
        {DEQ "0xFFC00000", "deqScalar: the scale of 0xffc00000 is NaN" NOT_NORMAL},
        {DEQ "0x00002000", "deqScalar: the scale of 0x2000 is subnormal" NOT_NORMAL},
        {DEQ "0x807FFFFF", "deqScalar: the scale of 0x807fffff is subnormal" NOT_NORMAL},
        {DEQ "0x5A5A00007F800000", "deqScalar: the scale of 0x5a5a00007f800000 is infinite" NOT_NORMAL},
        {DEQ "0", NULL},
        {DEQ "0x80000000", NULL},
        {DEQ "0x1FFF", NULL},
        {DEQ "0x00800000", NULL},
        {DEQ "0x7F7FFFFF", NULL},
        {DEQ "0xFFFFFFFF3F800000", NULL},
        {TINY "src=int32, dst=half, quantPre=VDEQF16, deqScalar=0x7F800000", NULL},
        {TINY "src=float, dst=float, deqScalar=0x7F800000", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_case("", &rows[i]);
    }
}
END_TEST

START_TEST(first_broken_rule_is_reported)
{
    static const rule_case mends[] = {
        /* what memory is filled with gives a legal deqScalar */
        {"fixpipe(" ND TINY "ndNum=1)", "dst", AIC_INT8, "fixpipe: dst: "},
        {NULL, "src", AIC_INT32, "fixpipe: src: "},
        {NULL, "format", AIC_FORMAT_ROW_MAJOR, "fixpipe: format: "},
        {NULL, "nSize", 16, "fixpipe: nSize: "},
        {NULL, "mSize", 16, "fixpipe: mSize: "},
        {NULL, "srcStride", 16, "fixpipe: srcStride: "},
        {NULL, "dstStride", 16, "fixpipe: dstStride: "},
        {NULL, "quantPre", AIC_QUANT_REQ8, "fixpipe: quantPre: "},
        {NULL, "ndNum", 2, "fixpipe: ndNum: "},
        {NULL, "srcNdStride", 1, "fixpipe: srcNdStride: "},
        {NULL, "dstNdStride", 256, "fixpipe: dstNdStride: "},
        {NULL, "reluEn", 1, "fixpipe: reluEn: "},
        {NULL, "unitFlag", 0, "fixpipe: unitFlag: "},
        {NULL, "isChannelSplit", 0, "fixpipe: isChannelSplit: "},
        {NULL, "fill_block", 0, "fixpipe: fill_block: "},
    };
    rule_check_order(mends, sizeof mends / sizeof mends[0]);
    /* deqScalar has an offset, too. */
    aic_spec spec = spec_of("fixpipe(" DEQ "0x7F800000, ndNum=-1)");
    check_rules(&spec, "fixpipe: deqScalar: the scale of 0x7f800000 is infinite" NOT_NORMAL);
    spec.stage[0].desc.fixpipe.quantPre = AIC_QUANT_F322F16;
    check_rules(&spec,
                "fixpipe: quantPre: F322F16 is not DEQF16 or VDEQF16, which src = int32 and dst = float16 require");
}
END_TEST

START_TEST(any_words_are_answered)
{
    rule_check_any_words("fixpipe(" ND "nSize=16, mSize=16, dstStride=16, ndNum=1)");
    rule_check_any_words("fixpipe(" SPLIT "nSize=16, mSize=16, dstStride=16)");
}
END_TEST

/* ---- operands ---- */

START_TEST(extents)
{
    static const struct {
        const char *keys;
        int64_t dst, src, words;
    } rows[] = {
        {ND "nSize=16, mSize=16, srcStride=16, dstStride=16", 256, 256, 0},
        {ND "nSize=5, mSize=3, srcStride=0, dstStride=9", 2 * 9 + 5, 2 * 16 + 5, 0},
        {ND "nSize=20, mSize=3, srcStride=0, dstStride=20", 60, 2 * 16 + 16, 0},
        {ND "nSize=20, mSize=3, srcStride=1, dstStride=20", 60, 16 + 2 * 16 + 4, 0},
        {ND "nSize=20, mSize=3, srcStride=4, dstStride=20", 60, 64 + 2 * 16 + 4, 0},
        {ND "ndNum=2, mSize=16, nSize=16, srcStride=16, srcNdStride=1, dstStride=16, dstNdStride=256", 512, 512, 0},
        {ND "ndNum=2, mSize=16, nSize=16, srcStride=16, srcNdStride=1, dstStride=32, dstNdStride=16", 512, 512, 0},
        {ND "ndNum=3, mSize=1, nSize=2, srcNdStride=2, dstStride=1, dstNdStride=7", 2 * 7 + 2, 2 * 512 + 2, 0},
        {ND "ndNum=1, mSize=2, nSize=2, srcNdStride=9, dstStride=2, dstNdStride=9", 4, 18, 0},
        {ND "ndNum=0, mSize=2, nSize=2, srcNdStride=9, dstStride=2, dstNdStride=9", 4, 18, 0},
        {NZ "nSize=48, mSize=3, srcStride=3, dstStride=7", 2 * 56 + 3 * 16, 3 * 48, 0},
        {NZ "ndNum=5, nSize=48, mSize=3, srcStride=3, dstStride=7", 2 * 56 + 3 * 16, 3 * 48, 0},
        {SPLIT "nSize=24, mSize=16, srcStride=16, dstStride=16", 3 * 128, 256 + 15 * 16 + 8, 0},
        {"src=float, dst=half, quantPre=F322F16, format=NZ, nSize=32, mSize=3, srcStride=3, dstStride=5",
         5 * 16 + 3 * 16, 96, 0},
        {"src=int32, dst=int8, quantPre=REQ8, format=NZ, nSize=64, mSize=3, srcStride=3, dstStride=4", 4 * 32 + 96, 192,
         0},
        {"src=int32, dst=int8, quantPre=VREQ8, format=NZ, nSize=48, mSize=3, srcStride=3, dstStride=4", 4 * 32 + 48,
         144, 48},
        {"src=int32, dst=int8, quantPre=VREQ8, format=NZ, nSize=16, mSize=3, srcStride=3, dstStride=4", 48, 48, 16},
        {"src=int32, dst=half, quantPre=VDEQF16, nSize=7, mSize=1, dstStride=7", 7, 7, 7},
        /* The largest there is: the matrices' rows interleaved. */
        {ND "ndNum=65535, srcNdStride=512, dstNdStride=65535, nSize=4095, mSize=8192, srcStride=65535, "
            "dstStride=4294967295",
         INT64_C(65534) * 65535 + INT64_C(8191) * 4294967295 + 4095,
         INT64_C(65534) * 512 * 256 + INT64_C(255) * 65535 * 16 + 8191 * 16 + 15, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[TEXT_MAX];
        aic_operand operands[AIC_OPERANDS_MAX];
        size_t count;
        snprintf(text, sizeof text, "fixpipe(%s)", rows[i].keys);
        const aic_spec spec = spec_of(text);
        ck_assert_msg(aic_spec_operands(&spec, NULL, operands, &count) == AIC_OK, "%s: %s", text, aic_last_error());
        ck_assert_uint_eq(count, 3);
        ck_assert_str_eq(operands[0].name, "dst");
        ck_assert_int_eq(operands[0].direction, AIC_DIRECTION_OUT);
        ck_assert_int_eq(operands[0].elements, rows[i].dst);
        ck_assert_int_eq(operands[0].bytes, rows[i].dst * (int64_t)aic_dtype_size(operands[0].dtype));
        ck_assert_str_eq(operands[1].name, "src");
        ck_assert_int_eq(operands[1].elements, rows[i].src);
        ck_assert_str_eq(operands[2].name, "cbufWorkspace");
        ck_assert_int_eq(operands[2].direction, rows[i].words ? AIC_DIRECTION_IN : AIC_DIRECTION_UNUSED);
        ck_assert_int_eq(operands[2].dtype, AIC_UINT64);
        ck_assert_int_eq(operands[2].elements, rows[i].words);
    }
}
END_TEST

/* ---- fusion ---- */

/* 20 rows, 24 of them stored in a block of 16 columns, 32 columns. */
#define INT32_MATRIX "conv2d(dtype=int8, fm_shape=[1,4,5,32], kernel_shape=[1,1,1,32,32]) | "
#define FLOAT_MATRIX "conv2d(dtype=float16, fm_shape=[1,4,5,16], kernel_shape=[1,1,1,32,16]) | "
#define DEQF16 "src=int32, dst=half, quantPre=DEQF16, "

/* What the producer leaves open is filled in: the resolved descriptor is that of explicit keys. */
START_TEST(fusion_fills_in)
{
    static const struct {
        const char *producer, *keys, *filled;
    } rows[] = {
        {INT32_MATRIX, "src=int32, dst=int32", "nSize=32, mSize=20, srcStride=32, dstStride=32"},
        {INT32_MATRIX, "src=int32, dst=int32, nSize=7", "mSize=20, srcStride=32, dstStride=7"},
        {INT32_MATRIX, "src=int32, dst=int32, mSize=3, dstStride=40", "nSize=32, srcStride=32"},
        {INT32_MATRIX, "src=int32, dst=int32, srcStride=32", "nSize=32, mSize=20, dstStride=32"},
        {INT32_MATRIX, "src=int32, dst=int32, format=NZ", "nSize=32, mSize=20, srcStride=32, dstStride=40"},
        {INT32_MATRIX, DEQF16 "format=NZ", "nSize=32, mSize=20, srcStride=32, dstStride=20"},
        {INT32_MATRIX, DEQF16 "format=NZ, mSize=3", "nSize=32, srcStride=32, dstStride=3"},
        {INT32_MATRIX, "src=int32, dst=uint8, quantPre=REQ8, format=NZ",
         "nSize=32, mSize=20, srcStride=32, dstStride=20"},
        {FLOAT_MATRIX, SPLIT "reluEn=true", "nSize=32, mSize=20, srcStride=32, dstStride=20"},
        {INT32_MATRIX, "src=int32, dst=int32, ndNum=2, srcNdStride=1, dstNdStride=128",
         "nSize=32, mSize=4, srcStride=32, dstStride=32"},
        {INT32_MATRIX, "src=int32, dst=int32, ndNum=2, srcNdStride=1, dstNdStride=64, mSize=2",
         "nSize=32, srcStride=32, dstStride=32"},
        {INT32_MATRIX, "src=int32, dst=int32, ndNum=0", "nSize=32, mSize=20, srcStride=32, dstStride=32"},
        {"mmad(dtype=float16, m=33, n=20, k=4) | ", ND "reluEn=true", "nSize=20, mSize=33, srcStride=48, dstStride=20"},
        /* The sizes of one instruction do not bound a chain. */
        {"conv2d(dtype=float16, fm_shape=[1,300,300,16], kernel_shape=[1,1,1,4096,16]) | ", ND "reluEn=true",
         "nSize=4096, mSize=90000, srcStride=90000, dstStride=4096"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[TEXT_MAX];
        aic_spec resolved;
        snprintf(text, sizeof text, "%sfixpipe(%s)", rows[i].producer, rows[i].keys);
        const aic_spec spec = spec_of(text);
        ck_assert_msg(aic_spec_resolve(&spec, NULL, &resolved) == AIC_OK, "%s: %s", text, aic_last_error());
        snprintf(text, sizeof text, "%sfixpipe(%s, %s)", rows[i].producer, rows[i].keys, rows[i].filled);
        aic_spec expected = spec_of(text);
        expected.stage[0] = resolved.stage[0]; /* the producer may have to hand over its matrix, too */
        ck_assert_msg(aic_spec_equal(&resolved, &expected), "not %s", text);
    }
}
END_TEST

START_TEST(fusion_rules)
{
    static const keys_case rows[] = {
        {"src=float, dst=float", "src: float32 is not int32, which conv2d accumulates"},
        {"src=int32, dst=int32, nSize=-1", "nSize: -1 is outside 1..32"},
        {"src=int32, dst=int32, nSize=33", "nSize: 33 is outside 1..32"},
        {"src=int32, dst=int32, format=NZ, nSize=24",
         "nSize: 24 is not a multiple of 16 in 1..32, which format NZ requires"},
        {"src=int32, dst=int32, mSize=-1", "mSize: -1 is outside 1..20"},
        {"src=int32, dst=int32, mSize=20", NULL},
        {"src=int32, dst=int32, mSize=21", "mSize: 21 is outside 1..20"},
        {"src=int32, dst=int32, srcStride=20",
         "srcStride: 20 is not 32, the rows from one block of conv2d to the next"},
        {"src=int32, dst=int32, dstStride=31", "dstStride: 31 is less than nSize = 32: rows would overlap"},
        {"src=int32, dst=int32, dstStride=4294967296", "dstStride: 4294967296 is outside 1..4294967295"},
        {"src=int32, dst=half",
         "quantPre: NoQuant is not DEQF16 or VDEQF16, which src = int32 and dst = float16 require"},
        {DEQF16 "deqScalar=0x7F800000", "deqScalar: the scale of 0x7f800000 is infinite" NOT_NORMAL},
        {"src=int32, dst=int32, ndNum=65536", "ndNum: 65536 is outside 0..65535"},
        {"src=int32, dst=int32, ndNum=2, dstNdStride=999", "srcNdStride: 0 is outside 1..4294967295"},
        {"src=int32, dst=int32, ndNum=2, srcNdStride=4294967296", "srcNdStride: 4294967296 is outside 1..4294967295"},
        {"src=int32, dst=int32, ndNum=2, srcNdStride=2, dstNdStride=999",
         "srcNdStride: 2 makes the last matrix end at row 52 of the 20 of conv2d"},
        {"src=int32, dst=int32, ndNum=2, srcNdStride=1, mSize=4, dstNdStride=999", NULL},
        {"src=int32, dst=int32, ndNum=2, srcNdStride=1, mSize=5, dstNdStride=999",
         "srcNdStride: 1 makes the last matrix end at row 21 of the 20 of conv2d"},
        {"src=int32, dst=int32, ndNum=2, srcNdStride=1", "dstNdStride: 0 is outside 1..4294967295"},
        {"src=int32, dst=int32, ndNum=2, srcNdStride=1, dstNdStride=127",
         "dstNdStride: 127 makes matrices overlap: it is less than their extent 128, nor is it at least nSize = 32 "
         "with dstStride at least 159"},
        {"src=int32, dst=int32, unitFlag=2", "unitFlag: 2 is not 0: it is reserved"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_case(INT32_MATRIX, &rows[i]);
    }
    static const keys_case columns = {NZ "reluEn=true",
                                      "nSize: 20 is not a multiple of 16 in 1..20, which format NZ requires"};
    check_case("mmad(dtype=float16, m=33, n=20, k=4) | ", &columns);
}
END_TEST

START_TEST(fused_operands)
{
    const aic_spec spec = spec_of(INT32_MATRIX "fixpipe(src=int32, dst=half, quantPre=VDEQF16, nSize=30)");
    aic_operand operands[AIC_OPERANDS_MAX];
    size_t count;
    ck_assert_msg(aic_spec_operands(&spec, NULL, operands, &count) == AIC_OK, "%s", aic_last_error());
    ck_assert_uint_eq(count, 4);
    ck_assert_str_eq(operands[0].name, "dst");
    ck_assert_int_eq(operands[0].dtype, AIC_FLOAT16);
    ck_assert_int_eq(operands[0].elements, 20 * 30);
    ck_assert_str_eq(operands[1].name, "feature_map");
    ck_assert_str_eq(operands[2].name, "weight");
    ck_assert_str_eq(operands[3].name, "cbufWorkspace");
    ck_assert_int_eq(operands[3].elements, 30);
}
END_TEST

/* ---- pseudo-random descriptors ---- */

/* What the legal ones are about; each must come up. */
static bool about(const aic_fixpipe_desc *d, int topic)
{
    const bool nz = d->format == AIC_FORMAT_NZ;
    switch (topic) {
    case 0:
        return nz && d->isChannelSplit && d->nSize % 16 != 0;
    case 1:
        return nz && aic_dtype_size(d->dst) == 1 && d->nSize / 16 % 2 != 0 && d->nSize > 32;
    case 2:
        return !nz && d->nSize % 16 != 0 && d->nSize > 16;
    case 3:
        return !nz && d->ndNum > 1 && d->dstNdStride < d->dstStride;
    case 4:
        return !nz && d->ndNum > 1 && d->dstNdStride > d->dstStride && d->mSize > 1;
    case 5:
        return nz && d->ndNum > 1;
    case 6:
        return d->ndNum == 0;
    case 7:
        return d->srcStride < d->mSize && d->nSize > 16;
    case 8:
        return !nz && d->dstStride > d->nSize && d->ndNum == 1;
    case 9:
        return d->reluEn && d->dst == AIC_INT8;
    default:
        return d->mSize > 8192;
    }
}

START_TEST(random_is_legal_and_wide)
{
    enum { TOPICS = 11 };
    int seen[TOPICS] = {0}, modes[AIC_QUANT_QF322B8_PRE + 1][2] = {{0}};
    rule_check_random(AIC_OP_FIXPIPE, 0, 30000000);
    for (uint64_t seed = 0; seed < 5000; seed++) {
        aic_spec spec;
        ck_assert_int_eq(aic_spec_draw(AIC_OP_FIXPIPE, NULL, seed, &spec), AIC_OK);
        const aic_fixpipe_desc *d = &spec.stage[0].desc.fixpipe;
        modes[d->quantPre][d->format]++;
        for (int topic = 0; topic < TOPICS; topic++) {
            seen[topic] += about(d, topic);
        }
    }
    for (int topic = 0; topic < TOPICS; topic++) {
        ck_assert_msg(seen[topic] > 10, "topic %d came up %d times", topic, seen[topic]);
    }
    for (uint64_t mode = 0; mode <= AIC_QUANT_QF322B8_PRE; mode++) {
        const bool known = aic_enum_word(AIC_KIND_QUANT_PRE, mode) != NULL;
        ck_assert_int_eq(known, modes[mode][AIC_FORMAT_NZ] > 100 && modes[mode][AIC_FORMAT_ROW_MAJOR] > 100);
    }
}
END_TEST

START_TEST(random_illegal_reaches_every_rule)
{
    static const char *const rules[] = {
        "dst: none",
        "dst: value",
        "src: float16",
        "src: value",
        "format: ",
        "nSize: 0 ",
        "nSize: ",
        "nSize: 4096 ",
        "not a multiple of 16",
        "not a multiple of 8",
        "mSize: ",
        "mSize: 8193 ",
        "mSize: 65536 ",
        "srcStride: -1 ",
        "srcStride: ",
        "dstStride: 0 ",
        "dstStride: 4294967296 ",
        "is outside 1..4294967295",
        "rows would overlap",
        "blocks would overlap",
        "quantPre: value",
        "nor does any mode",
        "quantPre: DEQF16 is not",
        "quantPre: F322F16 is not",
        "infinite",
        "NaN",
        "subnormal",
        "ndNum: ",
        "srcNdStride: ",
        "dstNdStride: 0 ",
        "is outside 1..65535",
        "makes matrices overlap",
        "reluEn: ",
        "unitFlag: ",
        "isChannelSplit: value",
        "isChannelSplit: true is only",
    };
    rule_check_random_illegal(AIC_OP_FIXPIPE, rules, sizeof rules / sizeof rules[0]);
}
END_TEST

Suite *suite_fixpipe_rules(void)
{
    Suite *suite = suite_create("fixpipe_rules");
    TCase *tcase = tcase_create("fixpipe_rules");
    tcase_add_loop_test(tcase, every_row_of_the_table, 0, (int)(sizeof table / sizeof table[0]));
    tcase_add_test(tcase, values_beyond_the_enumerations);
    tcase_add_test(tcase, table_of_modes);
    tcase_add_test(tcase, scales);
    tcase_add_test(tcase, first_broken_rule_is_reported);
    tcase_add_test(tcase, any_words_are_answered);
    tcase_add_test(tcase, extents);
    tcase_add_test(tcase, fusion_fills_in);
    tcase_add_test(tcase, fusion_rules);
    tcase_add_test(tcase, fused_operands);
    tcase_add_test(tcase, random_is_legal_and_wide);
    tcase_add_test(tcase, random_illegal_reaches_every_rule);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    return suite;
}
