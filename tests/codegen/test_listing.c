/* Dumped IR as a text for people: its head, names, comments; and that nothing is in it twice. */
#include "codegen/llvm/notes.h"
#include "frontend/core/stage.h"
#include "tests/specs.h"

#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_listing(void);

/* Kernels of every shape, with and without what a kernel may have: packing, epilogues, tails, old results. */
static const char *const SPECS[] = {
    "conv2d(dtype=int8, fm_shape=[2,9,11,32], kernel_shape=[2,3,3,48,32], pad=[1,1,1,1])",
    "conv2d(dtype=float16, fm_shape=[2,5,6,16], kernel_shape=[2,2,3,48,16], stride=[2,1], init_l1out=false)",
    "conv2d(dtype=float16, fm_shape=[2,14,14,16], kernel_shape=[2,3,3,64,16], accumulate=fast)",
    ("conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,32,32]) | fixpipe(src=int32, dst=int8, "
     "quantPre=VREQ8, format=NZ)"),
    /* Tiles of 55 and of 54 columns, which take as many registers of AMX. */
    ("conv2d(dtype=int8, fm_shape=[1,2,327,32], kernel_shape=[1,1,1,336,32], stride=[2,3], pad=[0,0,0,5], "
     "dilation=[2,3]) "
     "| fixpipe(src=int32, dst=int8, format=ROW_MAJOR, nSize=10, quantPre=VREQ8)"),
    "mmad(dtype=int8, m=5, n=19, k=70)",
    "mmad(dtype=bfloat16, m=17, n=40, k=33, init_c=false)",
    "mmad(dtype=float16, m=20, n=33, k=40, accumulate=fast) | fixpipe(src=float32, dst=float16, quantPre=F322F16)",
    "fixpipe(dst=float16, src=int32, nSize=21, mSize=70, srcStride=80, dstStride=21, quantPre=VDEQF16)",
    "fixpipe(dst=int8, src=int32, nSize=40, mSize=9, srcStride=16, dstStride=40, quantPre=VREQ8, reluEn=true)",
    "tik_fixpipe(src=float32, dst=float16, cburst_num=2, burst_len=18, quantize_params=fp322fp16)",
    "nd2nz(dtype=int8, nValue=7, dValue=70, srcDValue=70, dstNzC0Stride=7)",
    "transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[1,20,35,27])",
    "transdata(dtype=int8, src=ND, dst=Nz, shape=[19,70])",
    "transdata(dtype=float16, src=NHWC, dst=NC1HWC0, shape=[3,64,256,256])",
    "tensor_arithmetic(op=BM_MAC, shape=[2,3,5,7])",
    "tensor_arithmetic(op=BM_ADD, shape=[2,30,56,57])",
    "tensor_arithmetic_quantized(op=BM_MUL, shape=[4,2,3,5], rshift_bit=3)",
    "texpands(dtype=float16, rows=16, cols=16, v_row=3, v_col=5)",
    "texpands(dtype=int32, rows=8, cols=8, v_row=dyn, v_col=dyn)",
    "texpands(dtype=float16, rows=16, cols=16, v_row=0, v_col=0)",
};
enum { SPEC_COUNT = sizeof SPECS / sizeof SPECS[0] };

static char *dump_with(const char *schedule, const char *text, const char *passes, aic_dump_stage stage,
                       const char *isa)
{
    const aic_spec spec = spec_of(text);
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    char *bytes;
    size_t size;
    options.passes = passes;
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    ck_assert_msg(aic_dump(context, &spec, schedule, stage, isa, NULL, &bytes, &size) == AIC_OK, "%s",
                  aic_last_error());
    ck_assert_uint_eq(strlen(bytes), size);
    aic_context_destroy(context);
    return bytes;
}

static char *dump(const char *text, const char *passes, aic_dump_stage stage, const char *isa)
{
    return dump_with(NULL, text, passes, stage, isa);
}

/* Every test is of one specification at every level of the architecture. */
static void each_level(int number, void (*check)(const char *spec, const char *ir))
{
    const char *isa;
    for (size_t i = 0; (isa = aic_isa_name(i)) != NULL; i++) {
        char *ir = dump(SPECS[number], NULL, AIC_DUMP_IR, isa);
        check(isa, ir);
        aic_free(ir);
    }
}

/* ---- the head ---- */

/* The kinds of memory follow one another and are all there is; what a shape says is of a kind that there is. */
static void check_workspace(const char *isa, const char *ir)
{
    static const char *const KINDS[] = {"shared by all workers\n", "a worker's own\n",
                                        "the operand that a plain call packs\n"};
    static const char *const NOTES[] = {";   shared: ", ";   a worker's: "};
    long long all = 0, from, bytes[] = {0, 0, 0}, plain = -1;
    int used = 0;
    const char *line = strstr(ir, "\n; workspace, aligned to 64: ") + 1;
    ck_assert_msg(sscanf(line, "; workspace, aligned to 64: %lld bytes%n", &plain, &used) == 1, "%.90s", line);
    ck_assert_msg(line[used] == '\n' || strncmp(line + used, ", of _packed ", 13) == 0, "%s: %.90s", isa, line);
    line = strchr(line, '\n') + 1;
    for (int i = 0; i < 3; i++) {
        const int found = sscanf(line, ";   from %lld on: %lld bytes, %n", &from, &bytes[i], &used);
        if (found < 2 || strncmp(line + used, KINDS[i], strlen(KINDS[i])) != 0) {
            bytes[i] = 0;
            continue;
        }
        ck_assert_msg(from == all && bytes[i] > 0, "%s: %.90s", isa, line);
        all += bytes[i];
        line = strchr(line, '\n') + 1;
    }
    ck_assert_msg(all == plain, "%s: %lld bytes, not %lld", isa, all, plain);
    for (int i = 0; i < 2; i++) {
        if (strncmp(line, NOTES[i], strlen(NOTES[i])) == 0) {
            ck_assert_msg(bytes[i] > 0, "%s: there is no such memory: %.90s", isa, line);
            line = strchr(line, '\n') + 1;
        }
    }
    ck_assert_msg(line[0] == '\n' || line[1] == '\n', "%s: what is this of the workspace? %.90s", isa, line);
}

/* The functions that the head names are those of the module. */
static void check_functions(const char *isa, const char *ir, const char *code)
{
    static const char *const SUFFIXES[] = {"_packed", "_pack", "_phase"};
    static const char *const SAID[] = {"_packed: the same with a packed operand in place of the plain one\n",
                                       "_pack(ptr packed, ptr source): packs it\n", "_phase(ptr operands, "};
    const char *head = strstr(ir, "; functions, all of them void:\n;   "), *symbol = strchr(head, '\n') + 5;
    const int length = (int)strcspn(symbol, "(");
    for (size_t i = 0; i < sizeof SUFFIXES / sizeof SUFFIXES[0]; i++) {
        char said[256], made[256];
        snprintf(said, sizeof said, ";   %.*s%s", length, symbol, SAID[i]);
        snprintf(made, sizeof made, "\ndefine void @%.*s%s(", length, symbol, SUFFIXES[i]);
        ck_assert_msg((strstr(head, said) != NULL) == (strstr(code, made) != NULL), "%s: %s", isa, said);
    }
}

static void check_head(const char *isa, const char *ir)
{
    static const char *const PARTS[] = {"; functions", "; workspace", "; target: ", "; LLVM ", "--repro"};
    const char *end = strstr(ir, "; ModuleID");
    ck_assert_ptr_nonnull(end);
    ck_assert_int_eq(strncmp(ir, "; A kernel of aicjit. This is stage ir", 38), 0);
    for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0]; i++) {
        const char *at = strstr(ir, PARTS[i]);
        ck_assert_msg(at != NULL && at < end, "%s: \"%s\" is not in the head", isa, PARTS[i]);
    }
    for (const char *line = ir; line < end - 1; line = strchr(line, '\n') + 1) {
        ck_assert_msg(line[0] == ';' || line[0] == '\n', "%s: \"%.60s\" is no comment", isa, line);
        const char last = line[strcspn(line, "\n") - (line[0] != '\n')];
        ck_assert_msg(last != ' ' && (last != ',' || strstr(line, " = ") != NULL), "%s: \"%.99s\" has no end", isa,
                      line);
    }
    check_workspace(isa, ir);
    check_functions(isa, ir, end);
}

START_TEST(test_head)
{
    const aic_spec spec = spec_of(SPECS[_i]);
    aic_operand operands[AIC_OPERANDS_MAX];
    size_t count;
    char *ir = dump(SPECS[_i], NULL, AIC_DUMP_IR, NULL), text[1024], line[1100];
    ck_assert_int_eq(aic_spec_operands(&spec, NULL, operands, &count), AIC_OK);
    for (size_t i = 0; i < count; i++) {
        snprintf(line, sizeof line, ";   %-14s ", operands[i].name);
        ck_assert_msg(strstr(ir, line) != NULL, "%s is not in the head", operands[i].name);
    }
    const char *schedule = strstr(ir, ";   schedule(");
    ck_assert_ptr_nonnull(schedule);
    snprintf(text, sizeof text, "; %s(", aic_op_name(spec.stage[0].op));
    ck_assert_ptr_nonnull(strstr(ir, text));
    aic_free(ir);
    each_level(_i, check_head);
}
END_TEST

/* ---- names and comments ---- */

/* The line before `line`, which is not the first. */
static const char *line_before(const char *ir, const char *line)
{
    for (line--; line > ir && line[-1] != '\n';) {
        line--;
    }
    return line;
}

/* Loops say what they run over and how often, functions what they do. */
static void check_comments(const char *isa, const char *ir)
{
    ck_assert_msg(strstr(ir, "%\"") == NULL, "%s: a name has quotes: \"%.40s\"", isa, strstr(ir, "%\""));
    for (const char *line = strchr(ir, '\n'); line != NULL && line[1] != '\0'; line = strchr(line, '\n')) {
        line++;
        const char *before = line_before(ir, line);
        const size_t label = strcspn(line, " :\n");
        if (strncmp(line, "define ", 7) == 0) {
            ck_assert_msg(before[0] == ';' && strncmp(before, "; Function", 10) != 0, "%s: nothing on \"%.90s\"", isa,
                          line);
        } else if (line[label] == ':' && label > 5 && memcmp(line + label - 5, ".loop", 5) == 0) {
            char start[64];
            snprintf(start, sizeof start, "; loop %.*s: ", (int)label - 5, line);
            ck_assert_msg(strncmp(before, start, strlen(start)) == 0, "%s: \"%.60s\" is before \"%.30s\"", isa, before,
                          line);
            const char *end = strchr(before, '\n'), *times = strstr(before, " times"),
                       *from = strstr(before, "; from ");
            ck_assert_msg((times != NULL && times < end) || (from != NULL && from < end), "%s: how often? \"%.90s\"",
                          isa, before);
        }
    }
}

START_TEST(test_comments)
{
    each_level(_i, check_comments);
}
END_TEST

START_TEST(test_names)
{
    static const char *const NAMES[] = {"%acc.p3.v0 = phi", "%w.v0 = load",    "%x.p3 = ",     "%tap = ptrtoint",
                                        "%kpack.phi = phi", "\nkh.loop:",      "\ntap.loop:",  "\nkpack.loop:",
                                        "%feature_map",     "%band.at = call", "%panel.at.phi"};
    char *ir = dump_with("schedule(kernel=vector, rows=2, cols=2, vectors=1)", SPECS[0], NULL, AIC_DUMP_IR, NULL);
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        ck_assert_msg(strstr(ir, NAMES[i]) != NULL, "%s is not there", NAMES[i]);
    }
    const char *launder = strstr(ir, "\n; launder.invariant.group gives");
    ck_assert_ptr_nonnull(launder);
    ck_assert_ptr_null(strstr(launder + 1, "\n; launder.invariant.group gives"));
    aic_free(ir);
}
END_TEST

/* LLVM reads the text. */
static void check_readable(const char *isa, const char *ir)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(ir, strlen(ir), "ir");
    LLVMModuleRef module;
    char *message = NULL;
    ck_assert_msg(LLVMParseIRInContext(context, buffer, &module, &message) == 0, "%s: %s", isa, message);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

START_TEST(test_readable)
{
    each_level(_i, check_readable);
}
END_TEST

/* ---- nothing twice ---- */

typedef struct body {
    const char *name, *text;
    size_t name_length, length;
} body;

/* The functions of the module; names and what is behind them up to the closing brace. */
static size_t find_bodies(const char *ir, body *bodies, size_t most)
{
    size_t count = 0;
    for (const char *at = ir; (at = strstr(at, "\ndefine ")) != NULL; at++) {
        ck_assert_uint_lt(count, most);
        const char *name = strchr(at, '@'), *open = strchr(name, '('), *end = strstr(open, "\n}");
        bodies[count++] = (body){name, open, (size_t)(open - name), (size_t)(end - open)};
    }
    return count;
}

/* No two functions of a kernel are the same. */
static void check_once(const char *isa, const char *ir)
{
    enum { MOST = 64 };
    body bodies[MOST];
    const size_t count = find_bodies(ir, bodies, MOST);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            const bool same =
                bodies[i].length == bodies[j].length && memcmp(bodies[i].text, bodies[j].text, bodies[i].length) == 0;
            ck_assert_msg(!same, "%s: %.*s is %.*s once more", isa, (int)bodies[i].name_length, bodies[i].name,
                          (int)bodies[j].name_length, bodies[j].name);
        }
    }
}

START_TEST(test_once)
{
    each_level(_i, check_once);
}
END_TEST

/* Random specifications, fused ones among them, at one level after the other. */
START_TEST(test_once_random)
{
    enum { CASES = 1000 };
    aic_context *context = NULL;
    size_t levels = 0;
    ck_assert_int_eq(aic_context_create(NULL, &context), AIC_OK);
    while (aic_isa_name(levels) != NULL) {
        levels++;
    }
    for (uint64_t seed = 0; seed < CASES; seed++) {
        aic_spec spec;
        char *ir, text[4096];
        size_t size;
        const bool chain = seed % 3 == 0;
        ck_assert_int_eq(chain ? aic_spec_draw_chain(AIC_OP_NONE, AIC_OP_FIXPIPE, NULL, seed, &spec)
                               : aic_spec_draw(AIC_OP_NONE, NULL, seed, &spec),
                         AIC_OK);
        ck_assert_int_eq(aic_spec_print(&spec, text, sizeof text, NULL), AIC_OK);
        ck_assert_msg(aic_dump(context, &spec, NULL, AIC_DUMP_IR, aic_isa_name(seed % levels), NULL, &ir, &size) ==
                          AIC_OK,
                      "%s", aic_last_error());
        check_head(text, ir);
        check_once(text, ir);
        check_comments(text, ir);
        aic_free(ir);
    }
    aic_context_destroy(context);
}
END_TEST

/* ---- stage opt ---- */

static const char *code_in(const char *ir)
{
    return strstr(ir, "; ModuleID");
}

static const struct {
    const char *passes, *says;
    bool equal;
} OPT[] = {
    {NULL, "; A kernel of aicjit. This is stage opt, which equals stage ir: no passes are run.\n", true},
    {"strip-dead-prototypes",
     "; A kernel of aicjit. This is stage opt, which equals stage ir: the passes change nothing.\n", true},
    {"instcombine", "; A kernel of aicjit. This is stage opt: the code after the pass pipeline.\n", false},
};

START_TEST(test_opt)
{
    char *ir = dump(SPECS[0], OPT[_i].passes, AIC_DUMP_IR, NULL),
         *opt = dump(SPECS[0], OPT[_i].passes, AIC_DUMP_OPT, NULL);
    ck_assert_msg(strncmp(opt, OPT[_i].says, strlen(OPT[_i].says)) == 0, "%.120s", opt);
    ck_assert_int_eq(strcmp(code_in(ir), code_in(opt)) == 0, OPT[_i].equal);
    aic_free(ir);
    aic_free(opt);
}
END_TEST

/* ---- notes ---- */

enum { LONGEST = 191 }; /* of the names of functions that notes are about */

/* A module as no emitter makes it: names in quotes, longer than any, and none; lines that are no heads of blocks. */
START_TEST(test_notes)
{
    static const char FORMAT[] = "%sdefine void @\"a b\"(ptr %%p) {\n"
                                 "%sentry:\n"
                                 "  entry: inside\n"
                                 "; entry: a comment\n"
                                 "a entry: a text\n"
                                 "%sdefine %0300d(\n"
                                 "%sdefine @%0300d(ptr %%p) {\n"
                                 "%sdefine @last";
    char name[LONGEST + 1], label[] = "entry", module[1024], expected[2048], *got;
    char functions[][8] = {"a b", "a b", "", "last"}, texts[][16] = {"one", "two", "three", "four", "five"};
    size_t size;
    memset(name, '0', LONGEST);
    name[LONGEST] = '\0';
    aic_note note[] = {{functions[0], NULL, texts[0]},
                       {functions[1], label, texts[1]},
                       {functions[2], NULL, texts[2]},
                       {name, NULL, texts[3]},
                       {functions[3], NULL, texts[4]}};
    const aic_notes notes = {.note = note, .count = sizeof note / sizeof note[0]};
    (void)snprintf(module, sizeof module, FORMAT, "", "", "", 0, "", 0, "");
    (void)snprintf(expected, sizeof expected, FORMAT, "; one\n", "; two\n", "; three\n", 0, "; four\n", 0, "; five\n");
    FILE *out = open_memstream(&got, &size);
    ck_assert_ptr_nonnull(out);
    aic_notes_print(&notes, module, out);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_str_eq(got, expected);
    free(got);
}
END_TEST

Suite *suite_listing(void)
{
    Suite *suite = suite_create("listing");
    TCase *tcase = tcase_create("listing");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, test_head, 0, SPEC_COUNT);
    tcase_add_loop_test(tcase, test_comments, 0, SPEC_COUNT);
    tcase_add_test(tcase, test_names);
    tcase_add_loop_test(tcase, test_readable, 0, SPEC_COUNT);
    tcase_add_loop_test(tcase, test_once, 0, SPEC_COUNT);
    tcase_add_test(tcase, test_once_random);
    tcase_add_loop_test(tcase, test_opt, 0, sizeof OPT / sizeof OPT[0]);
    tcase_add_test(tcase, test_notes);
    suite_add_tcase(suite, tcase);
    return suite;
}
