/* Runs a program of PTO-AS: fills three tiles, two of them with a scalar that the call gives.
 *
 *     cc pto.c $(pkg-config --cflags --libs aicjit)
 */
#include <aic/aic.h>
#include <stdio.h>
#include <string.h>

static const char text[] = "# independent statements in a row are one kernel\n"
                           ".arg %s : f32\n"
                           "%a = texpands %s : f32, !pto.tile<f32, 4, 8>\n"
                           "%b = texpands %s : f32, !pto.tile<vec, 4x8xf32, valid=2x3>\n"
                           "%c = pto.texpands 0.5 : f32 -> !pto.tile<4x8xf32>\n";

enum { ROWS = 4, COLUMNS = 8, ARGUMENTS = 4 };

static int fail(void)
{
    (void)fprintf(stderr, "pto: %s\n", aic_last_error());
    return 1;
}

static void print_tile(const char *name, float tile[ROWS][COLUMNS])
{
    printf("%s\n", name);
    for (int r = 0; r < ROWS; r++) {
        for (int c = 0; c < COLUMNS; c++) {
            printf(" %4.1f", (double)tile[r][c]);
        }
        printf("\n");
    }
}

int main(void)
{
    float scalar = 2.5F, tiles[ARGUMENTS - 1][ROWS][COLUMNS] = {{{0}}};
    void *arguments[ARGUMENTS] = {&scalar, tiles[0], tiles[1], tiles[2]};
    aic_pto_program *program = NULL;
    if (aic_pto_parse(text, strlen(text), NULL, &program) != AIC_OK) {
        return fail();
    }
    /* The arguments in their order: what .arg defines, and every tile that a statement makes. */
    for (size_t i = 0; i < aic_pto_argument_count(program); i++) {
        aic_operand argument = aic_operand_init();
        if (aic_pto_argument(program, i, &argument) != AIC_OK) {
            return fail();
        }
        printf("argument %zu: %s, %lld elements of %s\n", i, argument.name, (long long)argument.elements,
               aic_dtype_name(argument.dtype));
    }
    const aic_status status = aic_pto_run(NULL, program, arguments, ARGUMENTS);
    aic_pto_destroy(program);
    if (status != AIC_OK) {
        return fail();
    }
    print_tile("a", tiles[0]);
    print_tile("b, of which the valid region is filled", tiles[1]);
    print_tile("c", tiles[2]);
    return 0;
}
