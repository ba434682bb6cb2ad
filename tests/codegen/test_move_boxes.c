/* Boxes of moves between layouts, walked element by element and held against the layouts' formulas; dimensions that are
 * joined. */
#include "codegen/loops/move.h"
#include "frontend/core/stage.h"
#include "tests/move_case.h"

#include <aic/aic.h>
#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_move_boxes(void);

/* ---- the layouts' formulas (data layouts, sections 2 to 4 and 7) ---- */

/* A tensor's logical sizes: r, c of a matrix; n, c, h, w of a feature elementwise or (o, i, h, w) a weight. */
typedef struct extents {
    int64_t a, b, h, w, size;
} extents;

static int64_t blocks(int64_t extent, int64_t block)
{
    return (extent + block - 1) / block;
}

static int64_t matrix_index(aic_layout layout, const extents *x, int64_t r, int64_t c)
{
    bool by_row = layout == AIC_LAYOUT_NZ || layout == AIC_LAYOUT_ZZ;
    int64_t r0 = by_row ? 16 : 32 / x->size, c0 = by_row ? 32 / x->size : 16;
    int64_t down = blocks(x->a, r0), across = blocks(x->b, c0);
    bool columns_first = layout == AIC_LAYOUT_NZ || layout == AIC_LAYOUT_NN;
    int64_t fractal = columns_first ? c / c0 * down + r / r0 : r / r0 * across + c / c0;
    int64_t inside = by_row ? r % r0 * c0 + c % c0 : c % c0 * r0 + r % r0;
    return layout == AIC_LAYOUT_ND ? r * x->b + c : fractal * r0 * c0 + inside;
}

/* Element index of (a, b, h, w). */
static int64_t index_of(aic_layout layout, const extents *x, int64_t a, int64_t b, int64_t h, int64_t w)
{
    int64_t c0 = 32 / x->size, p = 4 / x->size;
    switch (layout) {
    case AIC_LAYOUT_NCHW:
    case AIC_LAYOUT_OIHW:
        return ((a * x->b + b) * x->h + h) * x->w + w;
    case AIC_LAYOUT_NHWC:
        return ((a * x->h + h) * x->w + w) * x->b + b;
    case AIC_LAYOUT_HWIO:
        return ((h * x->w + w) * x->b + b) * x->a + a;
    case AIC_LAYOUT_NC1HWC0:
        return (((a * blocks(x->b, c0) + b / c0) * x->h + h) * x->w + w) * c0 + b % c0;
    case AIC_LAYOUT_FRACTAL_Z:
        return (((b / c0 * x->h + h) * x->w + w) * blocks(x->a, 16) * 16 + a) * c0 + b % c0;
    case AIC_LAYOUT_4N:
    case AIC_LAYOUT_2N:
        return (((a / p * x->b + b) * x->h + h) * x->w + w) * p + a % p;
    default:
        return matrix_index(layout, x, a, b);
    }
}

/* Elements that the layout stores; padded ones included. */
static int64_t elements_of(aic_layout layout, const extents *x)
{
    int64_t c0 = 32 / x->size;
    switch (layout) {
    case AIC_LAYOUT_NZ:
    case AIC_LAYOUT_ZZ:
        return blocks(x->a, 16) * 16 * blocks(x->b, c0) * c0;
    case AIC_LAYOUT_ZN:
    case AIC_LAYOUT_NN:
        return blocks(x->a, c0) * c0 * blocks(x->b, 16) * 16;
    case AIC_LAYOUT_NC1HWC0:
        return x->a * blocks(x->b, c0) * c0 * x->h * x->w;
    case AIC_LAYOUT_FRACTAL_Z:
        return blocks(x->a, 16) * 16 * blocks(x->b, c0) * c0 * x->h * x->w;
    case AIC_LAYOUT_4N:
    case AIC_LAYOUT_2N:
        return blocks(x->a, 4 / x->size) * (4 / x->size) * x->b * x->h * x->w;
    default:
        return x->a * x->b * x->h * x->w;
    }
}

/* ---- boxes, walked ---- */

enum { UNTOUCHED = -1, ZERO = -2 };

/* What the output holds, element by element: the number of an input element, or one of the above. */
typedef struct elementwise {
    int64_t *from, elements, inputs, size;
} elementwise;

static void walk_box(elementwise *m, const aic_box *box, unsigned dim, int64_t out, int64_t in, bool read)
{
    if (dim == box->dims) {
        ck_assert_int_eq(out % m->size, 0);
        ck_assert(out >= 0 && out / m->size < m->elements);
        ck_assert_msg(m->from[out / m->size] == UNTOUCHED, "element %lld is written twice", (long long)(out / m->size));
        ck_assert(!read || (in >= 0 && in % m->size == 0 && in / m->size < m->inputs));
        m->from[out / m->size] = read ? in / m->size : ZERO;
        return;
    }
    const aic_box_dim *d = &box->dim[dim];
    for (int64_t i = 0; i < d->extent; i++) {
        bool inside = dim + 1 < box->dims || box->valid == 0 || i < box->valid;
        walk_box(m, box, dim + 1, out + i * d->out, in + i * d->in[0], read && inside);
    }
}

static elementwise walk_nest(const aic_move *move, int64_t elements, int64_t inputs)
{
    elementwise m = {.from = malloc((size_t)elements * sizeof(int64_t)), elements, inputs, move->size};
    ck_assert_ptr_nonnull(m.from);
    for (int64_t i = 0; i < elements; i++) {
        m.from[i] = UNTOUCHED;
    }
    ck_assert_uint_le(move->boxes, AIC_MOVE_BOXES);
    for (unsigned i = 0; i < move->boxes; i++) {
        const aic_box *box = &move->box[i];
        ck_assert_uint_le(box->dims, AIC_BOX_DIMS);
        walk_box(&m, box, 0, box->out, box->in[0], box->op == AIC_BOX_COPY);
    }
    return m;
}

/* ---- transdata ---- */

/* The sizes in the order of the letters of the pair's unblocked layout. */
static void set_shape(aic_transdata_desc *d, const extents *x)
{
    const int64_t nchw[] = {x->a, x->b, x->h, x->w}, nhwc[] = {x->a, x->h, x->w, x->b},
                  hwio[] = {x->h, x->w, x->b, x->a};
    const int64_t *shape = nchw;
    if (d->src == AIC_LAYOUT_NHWC || (d->src != AIC_LAYOUT_NCHW && d->dst == AIC_LAYOUT_NHWC)) {
        shape = nhwc;
    } else if (is_one_of(AIC_LAYOUT_HWIO, d->src, d->dst)) {
        shape = hwio;
    }
    memcpy(d->shape, shape, sizeof d->shape);
}

static void check_move(aic_layout src, aic_layout dst, aic_dtype dtype, const extents *x)
{
    aic_work work;
    const aic_semantics semantics = aic_semantics_init();
    aic_transdata_desc d = {.dtype = dtype, .src = src, .dst = dst};
    set_shape(&d, x);
    aic_generator_transdata.describe(&d, &semantics, &work);
    ck_assert_ptr_eq(work.shape, &aic_shape_move);
    int64_t elements = elements_of(dst, x);
    elementwise m = walk_nest((const aic_move *)(const void *)work.part, elements, elements_of(src, x));
    for (int64_t a = 0; a < x->a; a++) {
        for (int64_t b = 0; b < x->b; b++) {
            for (int64_t p = 0; p < x->h * x->w; p++) {
                int64_t h = p / x->w, w = p % x->w, to = index_of(dst, x, a, b, h, w);
                ck_assert_int_eq(m.from[to], index_of(src, x, a, b, h, w));
                m.from[to] = ZERO;
            }
        }
    }
    int64_t rest = is_one_of(AIC_LAYOUT_4N, dst, dst) || is_one_of(AIC_LAYOUT_2N, dst, dst) ? UNTOUCHED : ZERO;
    for (int64_t i = 0; i < elements; i++) {
        ck_assert(m.from[i] == ZERO || m.from[i] == rest);
    }
    free(m.from);
}

START_TEST(moves)
{
    static const extents MATRICES[] = {{1, 1, 1, 1, 0},   {16, 32, 1, 1, 0},  {32, 64, 1, 1, 0}, {33, 47, 1, 1, 0},
                                       {50, 20, 1, 1, 0}, {7, 100, 1, 1, 0},  {70, 3, 1, 1, 0},  {8, 8, 1, 1, 0},
                                       {49, 17, 1, 1, 0}, {24, 136, 1, 1, 0}, {1, 40, 1, 1, 0},  {40, 1, 1, 1, 0}};
    static const extents MAPS[] = {{1, 1, 1, 1, 0},  {2, 64, 3, 5, 0}, {5, 35, 2, 7, 0},  {3, 3, 4, 4, 0},
                                   {4, 16, 1, 1, 0}, {1, 70, 1, 9, 0}, {6, 8, 5, 1, 0},   {7, 33, 1, 1, 0},
                                   {9, 1, 3, 3, 0},  {8, 12, 2, 2, 0}, {17, 40, 3, 3, 0}, {2, 5, 6, 1, 0}};
    static const aic_dtype TYPES[] = {AIC_INT8, AIC_FLOAT16, AIC_FLOAT32};
    aic_layout src = move_pairs[_i].src, dst = move_pairs[_i].dst;
    const extents *rows = src <= AIC_LAYOUT_NN ? MATRICES : MAPS;
    for (size_t t = 0; t < sizeof TYPES / sizeof *TYPES; t++) {
        int64_t size = (int64_t)aic_dtype_size(TYPES[t]);
        if ((is_one_of(AIC_LAYOUT_4N, src, dst) && size != 1) || (is_one_of(AIC_LAYOUT_2N, src, dst) && size != 2)) {
            continue;
        }
        for (size_t i = 0; i < sizeof MAPS / sizeof *MAPS; i++) {
            extents x = rows[i];
            x.size = size;
            check_move(src, dst, TYPES[t], &x);
        }
    }
}
END_TEST

/* ---- analysis ---- */

START_TEST(one_stride_is_one_dimension)
{
    aic_box box = {
        .op = AIC_BOX_COPY, .dims = 4, .dim = {{3, 400, {40}}, {5, 4, {4}}, {1, 999, {77}}, {10, 20, {1000}}}};
    aic_box_coalesce(&box);
    ck_assert_uint_eq(box.dims, 3);
    aic_box dense = {.op = AIC_BOX_COPY, .dims = 3, .dim = {{4, 2, {2}}, {6, 48, {48}}, {6, 8, {8}}}};
    aic_box_coalesce(&dense);
    ck_assert_uint_eq(dense.dims, 1);
    ck_assert_int_eq(dense.dim[0].extent, 144);
    ck_assert_int_eq(dense.dim[0].out, 2);
}
END_TEST

/* Nothing is joined to a dimension that is read in part; where all of it is read it is one like any other. */
START_TEST(parts_stay_apart)
{
    aic_box box = {.op = AIC_BOX_COPY, .dims = 2, .dim = {{4, 32, {32}}, {16, 2, {2}}}, .valid = 5};
    aic_box_coalesce(&box);
    ck_assert_uint_eq(box.dims, 2);
    box.valid = 16;
    aic_box_coalesce(&box);
    ck_assert_uint_eq(box.dims, 1);
    ck_assert_int_eq(box.valid, 0);
}
END_TEST

Suite *suite_move_boxes(void)
{
    Suite *suite = suite_create("move_boxes");
    TCase *cases = tcase_create("boxes");
    tcase_set_timeout(cases, 600); /* sanitizers are slow */
    tcase_add_loop_test(cases, moves, 0, MOVE_PAIRS);
    tcase_add_test(cases, one_stride_is_one_dimension);
    tcase_add_test(cases, parts_stay_apart);
    suite_add_tcase(suite, cases);
    return suite;
}
