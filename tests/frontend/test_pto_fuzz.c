/* PTO-AS that a grammar draws, half of it spoiled: answered without reading past its end, and what is accepted prints
 * as it reads back. AIC_FUZZ in the environment: how many texts, default 20000. */
#include "frontend/core/stage.h"
#include "frontend/random/rng.h"

#include <aic/aic.h>
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_pto_fuzz(void);

enum { DRAWN_MAX = 4096 };

typedef struct drawn {
    char text[DRAWN_MAX];
    size_t length;
    uint64_t state;
} drawn;

static void put(drawn *d, const char *text)
{
    const size_t length = strlen(text), room = DRAWN_MAX - d->length;
    memcpy(d->text + d->length, text, length < room ? length : room);
    d->length += length < room ? length : room;
}

/* One of the words of a list separated by blanks. */
static void put_one(drawn *d, const char *words)
{
    size_t count = 1;
    for (const char *c = words; *c != '\0'; c++) {
        count += *c == ' ';
    }
    for (int64_t skip = aic_rng_range(&d->state, 0, (int64_t)count - 1); skip > 0; skip--) {
        words = strchr(words, ' ') + 1;
    }
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(words, " "), words);
    put(d, word);
}

#define DTYPES "f32 f32 f32 f16 f16 bf16 i8 i16 i32 ui8 ui16 ui32 si8 si16 si32"

static void put_space(drawn *d)
{
    static const char *const spaces[] = {"", "", "", " ", "  ", "\t", "\n", " # x\n"};
    put(d, spaces[aic_rng_range(&d->state, 0, aic_rng_once_in(&d->state, 9) ? 7 : 4)]);
}

static void put_tile_body(drawn *d, const char *dtype)
{
    switch (aic_rng_range(&d->state, 0, 4)) {
    case 0:
        put_one(d, "loc=mat,layout=NC1HWC0, loc=mat,layout=FRACTAL_Z_3D, layout=FRACTAL_Z,loc=Mat, layout=ND,");
        put_one(d, "shape=[1,2,3,4,16], shape=[2,1,1,1,16,32], shape=[3,2,16,32], shape=[8,8, shape=[], shape=[0],");
        put(d, "dtype=");
        put(d, dtype);
        put_one(d, ",buffer_size=5000 ,buffer_size=384 ,pad=0  ");
        break;
    case 4:
        put_one(d, "16x16x 8x32x 1x64x 0x0x");
        put(d, dtype);
        break;
    case 1:
        put_one(d, "rows=16,cols=32,dtype= cols=64,rows=1,dtype= loc=vec,rows=32,cols=64,v_row=?,dtype= "
                   "loc=mat,cols=64,rows=64,pad=max,dtype=");
        put(d, dtype);
        put_one(d, ",v_col=3 ,valid=3x? ,slayout=row_major ,fractal=1024 ,blayout=ColMajor ,compact=0 ,rows=2");
        break;
    case 2:
        put(d, "loc=");
        put_one(d, "vec mat Left");
        put(d, ", ");
        put(d, dtype);
        put_one(d, ",16,64,RowMajor,NoneBox,None,Zero ,32,32,ColMajor,RowMajor,512,Min ,1,1");
        break;
    default:
        put_one(d, "vec mat acc");
        put(d, ",32x64x");
        put(d, dtype);
        put_one(d, ",valid=1x2 ,valid=?x? ,pad=zero ,slayout=col_major ,fractal=512 ");
        break;
    }
}

static void put_tile(drawn *d, const char *dtype)
{
    put_one(d, "!pto.tile< !pto.tile_buf<");
    put_space(d);
    put_tile_body(d, dtype);
    put_space(d);
    put(d, ">");
}

static void put_statement(drawn *d)
{
    char dtype[8];
    const size_t before = d->length;
    put_one(d, DTYPES);
    snprintf(dtype, sizeof dtype, "%.*s", (int)(d->length - before), d->text + before);
    d->length = before;
    switch (aic_rng_range(&d->state, 0, 9)) {
    case 0:
        put_one(d, ".arg%a .arg%s .arg%t");
        put(d, " : ");
        if (aic_rng_once_in(&d->state, 2)) {
            put(d, dtype);
        } else {
            put_tile(d, dtype);
        }
        break;
    case 1:
        put_one(d, ".const%b=1.5: .const%c=-2: .const%c=0x7F:");
        put(d, dtype);
        break;
    case 2:
        put_one(d, "pto.tassign%t, pto.tassign%u,");
        put_one(d, "@tile(0) @tile(0x1000) @tile(48) @tile(-1) @tile(99999999999999999999)");
        break;
    case 3:
    case 4:
    case 5:
        put_one(d, "%t= %u= %v= %w= %x= %y= %z=");
        put_one(d, "texpands pto.texpands");
        put(d, " ");
        put_one(d, "1 1 1 1 1 2 0x7F %a %b -3 1.5 1.0e+9");
        put(d, ":");
        put(d, dtype);
        put_one(d, ", -> ,");
        put_tile(d, dtype);
        break;
    default:
        put(d, "pto.texpands ");
        put_space(d);
        put(d, "ins(");
        put_one(d, "1 1 1 1 1 2 0x7F %a %b -3 1.5 1.0e+9");
        put_space(d);
        put(d, ":");
        put(d, dtype);
        put(d, ")");
        put_space(d);
        put_one(d, "outs(%t: outs(%u: outs(%v: outs(%0: outs(%1: outs(%2:");
        put_tile(d, dtype);
        put_space(d);
        put(d, ")");
        break;
    }
    put_one(d, "; \n \n # \n");
    put(d, "\n");
}

/* Changes, drops, repeats or inserts a few bytes. */
static void spoil(drawn *d)
{
    static const char bytes[] = "%<>(),:;=.-x0?!@#/\n\r\t \x7F\xC3\"";
    for (int64_t n = aic_rng_range(&d->state, 1, 4); n > 0 && d->length > 1; n--) {
        const size_t at = (size_t)aic_rng_range(&d->state, 0, (int64_t)d->length - 1);
        const size_t run = (size_t)aic_rng_range(&d->state, 1, 9), rest = d->length - at;
        const size_t some = run < rest ? run : rest;
        switch (aic_rng_range(&d->state, 0, 3)) {
        case 0:
            d->text[at] = bytes[aic_rng_range(&d->state, 0, (int64_t)sizeof bytes - 1)]; /* the closing zero, too */
            break;
        case 1:
            memmove(d->text + at, d->text + at + some, rest - some);
            d->length -= some;
            break;
        case 2:
            if (d->length + some <= DRAWN_MAX) {
                memmove(d->text + at + some, d->text + at, rest);
                d->length += some;
            }
            break;
        default:
            d->length = at + 1;
            break;
        }
    }
}

/* The text in a block of its own, so that reading past its end is seen. Returns whether it was accepted. */
static bool read_drawn(const drawn *d)
{
    char *exact = malloc(d->length + (d->length == 0));
    aic_pto_program *program = NULL, *again = NULL;
    char printed[4 * DRAWN_MAX], reprinted[4 * DRAWN_MAX];
    size_t length = 0;
    ck_assert_ptr_nonnull(exact);
    memcpy(exact, d->text, d->length);
    const aic_status status = aic_pto_parse(exact, d->length, NULL, &program);
    free(exact);
    if (status != AIC_OK) {
        ck_assert_int_eq(status, AIC_INVALID_ARGUMENT);
        ck_assert_msg(strstr(aic_last_error(), "(line ") != NULL, "%s", aic_last_error());
        return false;
    }
    ck_assert_int_eq(aic_pto_print(program, printed, sizeof printed, &length), AIC_OK);
    ck_assert_msg(aic_pto_parse(printed, length, NULL, &again) == AIC_OK, "%s\n%s", printed, aic_last_error());
    ck_assert_int_eq(aic_pto_print(again, reprinted, sizeof reprinted, NULL), AIC_OK);
    ck_assert_str_eq(printed, reprinted);
    ck_assert_uint_eq(aic_pto_argument_count(program), aic_pto_argument_count(again));
    aic_pto_destroy(program);
    aic_pto_destroy(again);
    return true;
}

START_TEST(drawn_texts_are_answered)
{
    const char *given = getenv("AIC_FUZZ");
    const int64_t most = given != NULL ? strtoll(given, NULL, 10) : 20000;
    int64_t accepted = 0;
    for (int64_t i = 0; i < most; i++) {
        drawn d = {.length = 0, .state = (uint64_t)i};
        for (int64_t n = aic_rng_range(&d.state, 1, 4); n > 0; n--) {
            put_statement(&d);
        }
        if (i % 2 == 1) {
            spoil(&d);
        }
        accepted += read_drawn(&d);
        char text[DRAWN_MAX + 1]; /* and as operator text */
        aic_spec spec;
        memcpy(text, d.text, d.length);
        text[d.length] = '\0';
        (void)aic_spec_read(text, &spec);
    }
    ck_assert_msg(accepted > most / 20, "%" PRId64 " of %" PRId64 " accepted", accepted, most);
    ck_assert_int_lt(accepted, most);
}
END_TEST

Suite *suite_pto_fuzz(void)
{
    Suite *suite = suite_create("pto_fuzz");
    TCase *tcase = tcase_create("pto_fuzz");
    tcase_add_test(tcase, drawn_texts_are_answered);
    tcase_set_timeout(tcase, 600);
    suite_add_tcase(suite, tcase);
    return suite;
}
