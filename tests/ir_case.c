#include "tests/ir_case.h"
#include "frontend/core/spec.h"
#include "tests/claims.h"

#include "codegen/codegen.h"
#include "codegen/kernel.h"
#include "codegen/parts.h"
#include "codegen/plan.h"
#include "codegen/schedule.h"
#include "frontend/ops/texpands.h"
#include "frontend/random/rng.h"
#include "tests/ir_run.h"
#include "tests/levels.h"
#include "tests/machines.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 64, ROOM_BYTES = 128, UNTOUCHED = 0x5A, TEXT_MAX = 1024 };

static const char SYMBOL[] = "kernel";

/* A specification with contents of its operands, and the output that the reference makes of them. */
typedef struct ir_case {
    aic_spec spec;      /* resolved */
    aic_spec canonical; /* what its kernel is made of */
    size_t count;
    aic_operand operand[AIC_OPERANDS_MAX];
    unsigned char *content[AIC_OPERANDS_MAX]; /* the output's: before a call */
    unsigned char *expected;
    uint64_t seed;
} ir_case;

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
    if (c->operand[operand].direction == AIC_DIRECTION_UNUSED) {
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

static void open_case(ir_case *c, const aic_spec *spec, uint64_t seed)
{
    void *operands[AIC_OPERANDS_MAX];
    uint64_t state = claims_seed(seed);
    *c = (ir_case){.seed = seed};
    ck_assert_msg(aic_spec_resolve(spec, NULL, &c->spec) == AIC_OK, "%s", aic_last_error());
    ck_assert_msg(aic_spec_resolve_kernel(spec, NULL, &c->canonical) == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(aic_spec_operands(&c->spec, NULL, c->operand, &c->count), AIC_OK);
    for (size_t i = 0; i < c->count; i++) {
        operands[i] = c->content[i] = draw_content(c, i, &state);
    }
    c->expected = copy_of(c->content[0], (size_t)c->operand[0].bytes);
    operands[0] = c->expected;
    ck_assert_msg(aic_reference(&c->spec, NULL, operands, c->count) == AIC_OK, "%s", aic_last_error());
}

static void close_case(ir_case *c)
{
    for (size_t i = 0; i < c->count; i++) {
        free(c->content[i]);
    }
    free(c->expected);
}

/* ---- one kernel ---- */

/* The plan of a case without a schedule. */
static aic_plan *plan_of(const ir_case *c, const aic_semantics *semantics, const aic_target *target)
{
    const aic_problem problem = {&c->canonical, semantics, target, machine_of(NULL)};
    aic_plan *plan;
    ck_assert_msg(aic_plan_create(&problem, &plan) == AIC_OK, "%s", aic_last_error());
    return plan;
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
    aic_plan *plan = plan_of(c, &semantics, target);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext(SYMBOL, context);
    aic_emit emit;
    if (aic_plan_set(plan, schedule) != AIC_OK) {
        fail_case(c, target, schedule, aic_last_error());
    }
    aic_program composed = {.status = AIC_OK};
    ck_assert_int_eq(aic_kernel_compose(&composed, &(aic_kernel_plan){1, &plan}, true), AIC_OK);
    aic_emission emission = {.program = &composed, .symbol = SYMBOL};
    emission.function = calloc(composed.parts + 1, sizeof *emission.function);
    ck_assert_ptr_nonnull(emission.function);
    aic_emit_open(&emit, context, module, target, NULL);
    aic_program_emit(&emit, &emission);
    aic_emit_close(&emit);
    free(emission.function);
    aic_program_free(&composed);
    ir_program *program = ir_program_new(module, SYMBOL);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    aic_plan_free(plan);
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

/* Whether the kernel of this target and schedule (NULL: the default one) writes what the reference does, and touches
 * nothing else. Operands are aligned to an element, or the output to a line, turn and turn about with the seed. */
static void check_case(const ir_case *c, const aic_target *target, const aic_schedule *schedule)
{
    const aic_semantics semantics = aic_semantics_init();
    aic_schedule chosen;
    if (schedule == NULL) {
        aic_plan *plan = plan_of(c, &semantics, target);
        ck_assert_int_eq(aic_plan_choose(plan), AIC_OK);
        chosen = plan->schedule;
        schedule = &chosen;
        aic_plan_free(plan);
    }
    ir_program *program = program_of(c, target, schedule);
    check_program(c, target, schedule, program);
    ir_program_free(program);
}

/* ---- schedules ---- */

/* A schedule drawn evenly from those of a walk: number n takes the place of the one before with probability 1/n. */
typedef struct draw {
    uint64_t *state;
    uint64_t seen;
    aic_schedule schedule;
} draw;

static bool draw_one(void *user, const aic_plan *plan)
{
    draw *d = user;
    if (aic_rng_range(d->state, 0, (int64_t)d->seen++) == 0) {
        d->schedule = plan->schedule;
    }
    return true;
}

static aic_schedule draw_schedule(const ir_case *c, const aic_target *target, uint64_t *state)
{
    const aic_semantics semantics = aic_semantics_init();
    aic_plan *plan = plan_of(c, &semantics, target);
    draw d = {.state = state};
    aic_plan_enumerate(plan, AIC_SPACE_LEGAL, &(aic_visitor){.visit = draw_one, .user = &d});
    aic_plan_free(plan);
    ck_assert_uint_gt(d.seen, 0);
    return d.schedule;
}

void ir_case_check_all(const aic_spec *spec, uint64_t seed)
{
    static const char *const LEVELS[] = {"generic", "avx512"};
    enum { LEVEL_COUNT = sizeof LEVELS / sizeof LEVELS[0], DRAWN_OF = 3 };
    ir_case c;
    uint64_t state = claims_seed(seed);
    open_case(&c, spec, seed);
    for (size_t i = 0; i < LEVEL_COUNT; i++) {
        const aic_target *target = aic_target_find(AIC_ARCH_X86_64, LEVELS[i]);
        check_case(&c, target, NULL);
        /* Of a few in turns, in a campaign of all: finding all legal schedules takes longer than running one. */
        const uint64_t turns = levels_campaign() > 0 ? LEVEL_COUNT : LEVEL_COUNT * DRAWN_OF;
        if (seed / 2 % turns == i) {
            const aic_schedule drawn = draw_schedule(&c, target, &state);
            check_case(&c, target, &drawn);
        }
    }
    close_case(&c);
}
