#include "tests/ir_case.h"

#include "codegen/group.h"
#include "frontend/ops/texpands.h"
#include "frontend/random/rng.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 64, ROOM_BYTES = 128, UNTOUCHED = 0x5A, TEXT_MAX = 1024 };

static const char SYMBOL[] = "kernel";

static unsigned char *allocate(size_t bytes)
{
    unsigned char *memory = malloc(bytes == 0 ? 1 : bytes);
    ck_assert_ptr_nonnull(memory);
    return memory;
}

static unsigned char *copy_of(const unsigned char *from, size_t bytes)
{
    return memcpy(allocate(bytes), from, bytes);
}

/* Sizes of a region that the call gives. */
static void draw_region(const ir_case *c, size_t operand, uint64_t *state, unsigned char *content)
{
    const aic_texpands_desc *d = &c->spec.stage[0].desc.texpands;
    const int64_t most = operand == AIC_TEXPANDS_V_ROW ? d->rows : d->cols;
    const int32_t size = (int32_t)aic_rng_range(state, 0, most);
    memcpy(content, &size, sizeof size);
}

/* Contents of an operand; NULL: there is none. */
static unsigned char *draw_content(const ir_case *c, size_t operand, uint64_t *state)
{
    const size_t bytes = (size_t)c->operand[operand].bytes;
    if (c->operand[operand].direction == AIC_UNUSED) {
        return NULL;
    }
    unsigned char *content = allocate(bytes + sizeof *state);
    for (size_t at = 0; at < bytes; at += sizeof *state) {
        const uint64_t bits = aic_rng_next(state);
        memcpy(content + at, &bits, sizeof bits);
    }
    if (c->spec.stage[0].op == AIC_OP_TEXPANDS && operand >= AIC_TEXPANDS_V_ROW) {
        draw_region(c, operand, state, content);
    }
    return content;
}

void ir_case_open(ir_case *c, const aic_spec *spec, uint64_t seed)
{
    void *operands[AIC_OPERANDS_MAX];
    uint64_t state = seed;
    *c = (ir_case){.seed = seed};
    ck_assert_msg(aic_spec_resolve_kernel(spec, NULL, &c->spec) == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(aic_spec_operands(&c->spec, NULL, c->operand, &c->count), AIC_OK);
    for (size_t i = 0; i < c->count; i++) {
        operands[i] = c->content[i] = draw_content(c, i, &state);
    }
    c->expected = copy_of(c->content[0], (size_t)c->operand[0].bytes);
    operands[0] = c->expected;
    ck_assert_msg(aic_reference(&c->spec, NULL, operands, c->count) == AIC_OK, "%s", aic_last_error());
}

void ir_case_close(ir_case *c)
{
    for (size_t i = 0; i < c->count; i++) {
        free(c->content[i]);
    }
    free(c->expected);
}

/* ---- one kernel ---- */

static aic_problem problem_of(const ir_case *c, const aic_semantics *semantics, const aic_target *target)
{
    return (aic_problem){.spec = &c->spec, .semantics = semantics, .target = target};
}

static void fail_case(const ir_case *c, const aic_target *target, const aic_schedule *schedule, const char *what)
{
    char text[TEXT_MAX], tiles[AIC_SCHEDULE_TEXT_MAX];
    ck_assert_int_eq(aic_spec_print(&c->spec, text, sizeof text, NULL), AIC_OK);
    ck_assert_int_eq(aic_schedule_print(schedule, tiles, sizeof tiles), AIC_OK);
    ck_abort_msg("%s on %s, %s: %s", text, target->name, tiles, what);
}

static ir_program *program_of(const ir_case *c, const aic_target *target, const aic_schedule *schedule)
{
    const aic_semantics semantics = aic_semantics_init();
    const aic_codegen_request request = {.count = 1,
                                         .spec = &c->spec,
                                         .schedule = schedule,
                                         .semantics = &semantics,
                                         .target = target,
                                         .symbol = SYMBOL};
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext(SYMBOL, context);
    aic_emit emit;
    aic_sizes sizes;
    aic_emit_open(&emit, context, module, target);
    if (aic_emit_kernel(&emit, &request, &sizes) != AIC_OK) {
        fail_case(c, target, schedule, aic_last_error());
    }
    aic_emit_close(&emit);
    ir_program *program = ir_program_new(module, SYMBOL);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return program;
}

/* Bytes from a line to an operand. */
static size_t distance_of(const ir_case *c, size_t operand)
{
    return operand == 0 && c->seed % 2 == 0 ? 0 : (size_t)aic_dtype_size(c->operand[operand].dtype);
}

static void compare(const ir_case *c, const aic_target *target, const aic_schedule *schedule, const unsigned char *out)
{
    char what[IR_MESSAGE_MAX];
    const size_t bytes = (size_t)c->operand[0].bytes;
    size_t at = 0, wrong = 0;
    if (memcmp(out, c->expected, bytes) == 0) {
        return;
    }
    for (size_t i = bytes; i-- > 0;) {
        at = out[i] != c->expected[i] ? i : at;
        wrong += out[i] != c->expected[i];
    }
    (void)snprintf(what, sizeof what, "%zu of %zu bytes are wrong, the first is %zu", wrong, bytes, at);
    fail_case(c, target, schedule, what);
}

static void check_program(const ir_case *c, const aic_target *target, const aic_schedule *schedule,
                          const ir_program *program)
{
    char message[IR_MESSAGE_MAX];
    unsigned char *memory[AIC_OPERANDS_MAX];
    ir_operand operands[AIC_OPERANDS_MAX];
    for (size_t i = 0; i < c->count; i++) {
        const size_t bytes = c->content[i] == NULL ? 0 : (size_t)c->operand[i].bytes;
        const size_t all = (bytes + 2 * ROOM_BYTES) / LINE_BYTES * LINE_BYTES;
        memory[i] = aligned_alloc(LINE_BYTES, all);
        ck_assert_ptr_nonnull(memory[i]);
        operands[i] = (ir_operand){memory[i] + LINE_BYTES + distance_of(c, i), bytes, i == 0};
        if (bytes > 0) {
            memcpy(operands[i].base, c->content[i], bytes);
        }
    }
    if (!ir_program_run(program, operands, (unsigned)c->count, message)) {
        fail_case(c, target, schedule, message);
    }
    compare(c, target, schedule, operands[0].base);
    for (size_t i = 0; i < c->count; i++) {
        free(memory[i]);
    }
}

void ir_case_check(const ir_case *c, const aic_target *target, const aic_schedule *schedule)
{
    const aic_semantics semantics = aic_semantics_init();
    const aic_problem problem = problem_of(c, &semantics, target);
    aic_schedule chosen;
    if (schedule == NULL) {
        ck_assert_int_eq(aic_schedule_default(&problem, &chosen), AIC_OK);
        schedule = &chosen;
    }
    ir_program *program = program_of(c, target, schedule);
    check_program(c, target, schedule, program);
    ir_program_free(program);
}

/* ---- schedules ---- */

static int64_t draw_power(uint64_t *state, int64_t most)
{
    int64_t exponents = 0;
    while (INT64_C(2) << exponents <= most) {
        exponents++;
    }
    return INT64_C(1) << aic_rng_range(state, 0, exponents);
}

aic_schedule ir_case_draw_schedule(const ir_case *c, const aic_target *target, uint64_t *state)
{
    enum { TILE_MAX = 64, UNROLL_MAX = 16, BAND_MAX = 256 };
    const aic_semantics semantics = aic_semantics_init();
    aic_work work;
    aic_sizes sizes;
    aic_schedule s;
    const aic_shape *shape = aic_describe(&c->spec, &semantics, &work);
    do {
        const bool tiles = aic_rng_once_in(state, 2), unrolls = tiles || aic_rng_once_in(state, 2);
        s = (aic_schedule){.rows = tiles ? draw_power(state, TILE_MAX) : 1,
                           .cols = tiles ? draw_power(state, TILE_MAX) : 1,
                           .vectors = draw_power(state, target->vector_bits / 128),
                           .unroll = unrolls ? draw_power(state, UNROLL_MAX) : 1,
                           .band = tiles ? draw_power(state, BAND_MAX) : 1};
    } while (shape->check(&work, target, &s, &sizes) != AIC_OK);
    return s;
}

void ir_case_check_all(const aic_spec *spec, uint64_t seed)
{
    static const char *const LEVELS[] = {"generic", "avx512"};
    ir_case c;
    uint64_t state = seed;
    ir_case_open(&c, spec, seed);
    for (size_t i = 0; i < sizeof LEVELS / sizeof LEVELS[0]; i++) {
        const aic_target *target = aic_target_find(AIC_ARCH_X86_64, LEVELS[i]);
        const aic_schedule drawn = ir_case_draw_schedule(&c, target, &state);
        ir_case_check(&c, target, NULL);
        ir_case_check(&c, target, &drawn);
    }
    ir_case_close(&c);
}
