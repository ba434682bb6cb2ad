/* The table of all operators and profiles. What stands in it is found: for each operator and each value of a choice a
 * request on which the choice matters is searched for the smallest operands that show it. */

#include "tools/harness/fail.h"
#include "tools/harness/interrupt.h"
#include "tools/json_write.h"
#include "tools/laboratory/differ.h"

#include <aic/tool.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Comparisons for one request, pseudo-random requests behind the samples, and how many of them are searched. */
enum { TRIES = 4000, DRAWN = 400, SEARCHED_MAX = 12 };

/* Requests that are read easily; where none of an operator's depends on a choice a drawn one is taken. */
static const char *const samples[] = {
    "conv2d(dtype=int8, fm_shape=[1,1,1,32], kernel_shape=[1,1,1,16,32], init_l1out=false)",
    "conv2d(dtype=float16, fm_shape=[1,1,1,16], kernel_shape=[1,1,1,16,16])",
    "mmad(dtype=int8, m=1, k=32, n=1, init_c=false)",
    "mmad(dtype=float16, m=1, k=16, n=1)",
    "mmad(dtype=float32, m=1, k=16, n=1)",
    ("fixpipe(src=int32, dst=int8, nSize=16, mSize=1, srcStride=1, dstStride=16, quantPre=REQ8, "
     "deqScalar=0x40003E99999A)"),
    "fixpipe(src=int32, dst=int8, nSize=16, mSize=1, srcStride=1, dstStride=16, quantPre=VREQ8)",
    "fixpipe(src=int32, dst=int8, nSize=16, mSize=1, srcStride=1, dstStride=16, quantPre=VREQ8, reluEn=true)",
    "fixpipe(src=float32, dst=float16, nSize=16, mSize=1, srcStride=1, dstStride=16, quantPre=F322F16)",
    "fixpipe(src=float32, dst=float16, nSize=16, mSize=1, srcStride=1, dstStride=16, quantPre=F322F16, reluEn=true)",
    "tensor_arithmetic(op=BM_MAC, shape=[1,1,1,1])",
    "tensor_arithmetic(op=BM_MAX, shape=[1,1,1,1])",
    ("tik_fixpipe(dst=float16, src=float32, cburst_num=1, burst_len=2, dst_stride=0, src_stride=0, "
     "quantize_params=fp322fp16)"),
    "tensor_arithmetic_quantized(op=BM_MUL, shape=[1,1,1,1], rshift_bit=1)",
    "texpands(arch=A5, loc=mat, dtype=float16, rows=16, cols=16, v_row=16, v_col=15)",
};

/* A reading that parts an operator's results from the default's, and how it shows. */
typedef struct example {
    aic_op op;
    const aic_choice *choice;
    const aic_reading *reading;
    char *command;
    char where[OPERAND_TEXT_MAX], step[128];
    compare_element first; /* element that differs */
} example;

typedef struct matrix {
    example *examples;
    size_t count;
} matrix;

/* ---- finding ---- */

/* What the case shows, with its first step that parts. */
static int describe(const differ_case *c, example *e)
{
    differ_steps steps;
    e->first = differ_element(c, c->report.first[0]);
    (void)snprintf(e->where, sizeof e->where, "%.40s%.140s", c->operands.items[c->output].operand.name, e->first.where);
    const int status = differ_trace(c, &steps);
    if (status == CLI_DONE && steps.rows != NULL && steps.first < steps.count) {
        differ_steps_name(&steps.rows[steps.first], e->step, sizeof e->step);
    }
    differ_steps_close(&steps);
    e->command = status == CLI_DONE ? differ_command(c) : NULL;
    return status != CLI_DONE ? status : e->command != NULL ? CLI_DONE : cli_fail(CLI_SYSTEM, "differ: memory ran out");
}

/* Whether a legal request whose results are defined bit for bit depends on the choice. */
static bool depends(const aic_spec *spec, const differ_side side[2], const char *key)
{
    bool matters = false;
    const bool legal = aic_spec_exact(spec) && aic_spec_validate(spec, &side[0].semantics) == AIC_OK &&
                       aic_spec_validate(spec, &side[1].semantics) == AIC_OK;
    for (size_t s = 0; legal && !matters && s < 2; s++) {
        (void)aic_spec_choice_matters(spec, &side[s].semantics, key, &matters);
    }
    return matters;
}

/* Searches one request; `e->command` is NULL where nothing shows the choice. */
static int search(const aic_spec *spec, const differ_side side[2], example *e)
{
    differ_case *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return cli_fail_memory("a comparison", sizeof *c);
    }
    c->operands.command = "differ";
    if (aic_spec_chain(&spec, 1, &c->spec) != AIC_OK) {
        free(c);
        return cli_status("differ", AIC_OUT_OF_MEMORY);
    }
    memcpy(c->side, side, sizeof c->side);
    int status = differ_open(c);
    status = status == CLI_DONE ? differ_search(c, TRIES) : status;
    if (status == CLI_DONE && c->report.different > 0) {
        status = describe(c, e);
    }
    differ_close(c);
    free(c);
    return status;
}

/* Request number `index` of an operator: the samples, then drawn ones; false: it is of another operator. */
static bool request_at(aic_op op, size_t index, aic_spec **spec)
{
    enum { SAMPLES = sizeof samples / sizeof samples[0] };
    const aic_status status =
        index < SAMPLES ? aic_spec_parse(samples[index], spec) : aic_spec_random(op, NULL, index - SAMPLES, spec);
    return status == AIC_OK && aic_spec_stage_op(*spec, 0) == op;
}

static int find_example(matrix *m, aic_op op, const aic_choice *choice, const aic_reading *reading)
{
    differ_side side[2] = {{"document", aic_semantics_init()}, {"", aic_semantics_init()}};
    example e = {.op = op, .choice = choice, .reading = reading};
    int status = CLI_DONE, searched = 0;
    (void)snprintf(side[1].name, sizeof side[1].name, "document+%s=%s", reading->key, reading->value);
    (void)aic_semantics_choose(&side[1].semantics, reading->key, reading->value);
    for (size_t i = 0; status == CLI_DONE && e.command == NULL && i < DRAWN && searched < SEARCHED_MAX; i++) {
        aic_spec *spec = NULL;
        if (request_at(op, i, &spec) && depends(spec, side, reading->key)) {
            searched++;
            status = interrupt_requested() ? cli_fail(CLI_MISMATCH, "differ: interrupted") : search(spec, side, &e);
        }
        aic_spec_destroy(spec);
    }
    if (e.command == NULL && status == CLI_DONE && searched > 0) { /* said to matter, which must be seen */
        (void)snprintf(e.where, sizeof e.where, "no operands found");
    }
    if (searched > 0 || e.command != NULL) {
        example *more = realloc(m->examples, (m->count + 1) * sizeof *more);
        if (more == NULL) {
            free(e.command);
            return cli_fail_memory("the table", (m->count + 1) * sizeof *more);
        }
        m->examples = more;
        m->examples[m->count++] = e;
    }
    return status;
}

static bool is_default(const aic_reading *reading)
{
    const aic_semantics defaults = aic_semantics_init();
    return strcmp(aic_semantics_choice(&defaults, reading->key), reading->value) == 0;
}

static const aic_choice *choice_of(const aic_reading *reading)
{
    const aic_choice *choice;
    size_t i = 0;
    while ((choice = aic_choice_at(i)) != NULL && strcmp(choice->key, reading->key) != 0) {
        i++;
    }
    return choice;
}

static int find_examples(matrix *m)
{
    const aic_reading *reading;
    int status = CLI_DONE;
    for (aic_op op = (aic_op)(AIC_OP_NONE + 1); op < AIC_OP_END; op++) {
        for (size_t r = 0; status == CLI_DONE && (reading = aic_reading_at(r)) != NULL; r++) {
            status = is_default(reading) ? CLI_DONE : find_example(m, op, choice_of(reading), reading);
        }
    }
    return status;
}

/* ---- the table ---- */

/* Whether a profile reads as an example does. */
static bool reads(const aic_profile *profile, const example *e)
{
    aic_semantics semantics = aic_semantics_init();
    (void)aic_semantics_apply_profile(&semantics, profile->name);
    return strcmp(aic_semantics_choice(&semantics, e->reading->key), e->reading->value) == 0;
}

/* The choices by which a profile parts an operator from the documents, each given to `put`; how many there are. */
static size_t put_cell(const matrix *m, aic_op op, const aic_profile *profile, void (*put)(const char *key, bool first))
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++) {
        const example *e = &m->examples[i];
        if (e->op == op && reads(profile, e)) {
            put(e->reading->key, count++ == 0);
        }
    }
    return count;
}

static void put_code(const char *key, bool first)
{
    printf("%s`%s`", first ? "" : ", ", key);
}

static void put_element(const char *key, bool first)
{
    (void)first;
    json_text(NULL, key);
}

static void put_table(const matrix *m)
{
    const aic_profile *profile;
    printf("| Operator |");
    for (size_t p = 1; (profile = aic_profile_at(p)) != NULL; p++) {
        printf(" %s |", profile->name);
    }
    printf("\n|---|");
    for (size_t p = 1; aic_profile_at(p) != NULL; p++) {
        printf("---|");
    }
    printf("\n");
    for (aic_op op = (aic_op)(AIC_OP_NONE + 1); op < AIC_OP_END; op++) {
        printf("| `%s` |", aic_op_name(op));
        for (size_t p = 1; (profile = aic_profile_at(p)) != NULL; p++) {
            printf(" ");
            printf("%s |", put_cell(m, op, profile, put_code) == 0 ? "alike" : "");
        }
        printf("\n");
    }
}

static void put_examples(const matrix *m)
{
    const aic_semantics defaults = aic_semantics_init();
    for (size_t i = 0; i < m->count; i++) {
        const example *e = &m->examples[i];
        if (i == 0 || m->examples[i - 1].op != e->op) {
            printf("\n### %s\n", aic_op_name(e->op));
        }
        const char *fallback = aic_semantics_choice(&defaults, e->reading->key);
        printf("\n`%s=%s` (%s), %s: %s.\n", e->reading->key, e->reading->value, e->choice->row, e->choice->meaning,
               e->reading->meaning);
        if (e->command == NULL) {
            printf("%s.\n", e->where);
            continue;
        }
        printf("`%s` is %s by `%s`, %s by `%s`", e->where, e->first.a, fallback, e->first.b, e->reading->value);
        printf(e->step[0] != '\0' ? "; the first step that parts them is \"%s\".\n" : ".\n", e->step);
        printf("\n    %s\n", e->command);
    }
}

static void put_markdown(const matrix *m)
{
    const aic_profile *profile;
    printf("# Where the readings part\n\n"
           "Made by `aicjit differ --matrix`; a test makes it again and compares. `aicjit help choices` says what the\n"
           "choices are, and whose.\n\n"
           "A cell names the choices by which a profile's results of the operator can differ from the documents';\n"
           "\"alike\": the same bits for every request and all operands.\n\n");
    put_table(m);
    printf("\n");
    for (size_t p = 0; (profile = aic_profile_at(p)) != NULL; p++) {
        printf("- %s: %s\n", profile->name, profile->meaning);
    }
    printf("\n## The smallest operands\n\nFor each operator and value the smallest request and the simplest operands "
           "that the search has found.\n");
    put_examples(m);
}

static void put_example(const example *e)
{
    json_object(NULL);
    JSON_TEXTS({"operator", aic_op_name(e->op)}, {"key", e->reading->key}, {"value", e->reading->value},
               {"row", e->choice->row});
    if (e->command != NULL) {
        JSON_TEXTS({"at", e->where}, {"a", e->first.a}, {"b", e->first.b}, {"step", e->step}, {"command", e->command});
    }
    json_end();
}

static void put_json(const matrix *m)
{
    const aic_profile *profile;
    json_object(NULL);
    json_object("operators");
    for (aic_op op = (aic_op)(AIC_OP_NONE + 1); op < AIC_OP_END; op++) {
        json_object(aic_op_name(op));
        for (size_t p = 1; (profile = aic_profile_at(p)) != NULL; p++) {
            json_array(profile->name);
            (void)put_cell(m, op, profile, put_element);
            json_end();
        }
        json_end();
    }
    json_end();
    json_array("examples");
    for (size_t i = 0; i < m->count; i++) {
        put_example(&m->examples[i]);
    }
    json_end();
    json_end();
}

int differ_matrix(bool json)
{
    matrix m = {.examples = NULL};
    const int status = find_examples(&m);
    if (status == CLI_DONE) {
        (json ? put_json : put_markdown)(&m);
    }
    for (size_t i = 0; i < m.count; i++) {
        free(m.examples[i].command);
    }
    free(m.examples);
    return status;
}
