/* PNG through libpng's simplified interface, which reports errors instead of jumping. */
#include "tools/demo/picture.h"

#include "tools/harness/fail.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_MAX = 4096 /* conv2d's limit for H and W */ };

int picture_new(picture *p, int width, int height)
{
    size_t bytes = (size_t)width * (size_t)height * 3;
    *p = (picture){.width = width, .height = height, .rgb = calloc(bytes, 1)};
    return p->rgb != NULL ? CLI_DONE : cli_fail_memory("picture", bytes);
}

void picture_free(picture *p)
{
    free(p->rgb);
    *p = (picture){0};
}

int picture_load(picture *p, const char *path)
{
    *p = (picture){0};
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, path)) {
        return cli_fail(CLI_WRONG, "\"%s\": %s", path, image.message);
    }
    int status = CLI_DONE;
    if (image.width > SIDE_MAX || image.height > SIDE_MAX) {
        status = cli_fail(CLI_WRONG, "\"%s\": %u x %u pixels are more than %d x %d", path, image.width, image.height,
                          SIDE_MAX, SIDE_MAX);
    }
    image.format = PNG_FORMAT_RGB;
    status = status == CLI_DONE ? picture_new(p, (int)image.width, (int)image.height) : status;
    const png_color black = {0, 0, 0}; /* behind transparent parts */
    if (status == CLI_DONE && !png_image_finish_read(&image, &black, p->rgb, 0, NULL)) {
        status = cli_fail(CLI_WRONG, "\"%s\": %s", path, image.message);
    }
    png_image_free(&image);
    if (status != CLI_DONE) {
        picture_free(p);
    }
    return status;
}

int picture_save(const picture *p, const char *path)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)p->width,
                       .height = (png_uint_32)p->height,
                       .format = PNG_FORMAT_RGB,
                       .flags = PNG_IMAGE_FLAG_FAST}; /* else half of the demo's time is compression */
    if (!png_image_write_to_file(&image, path, 0, p->rgb, 0, NULL)) {
        return cli_fail(CLI_SYSTEM, "\"%s\": %s", path, image.message);
    }
    return CLI_DONE;
}

void picture_paste_halved(picture *p, const picture *from, int x, int y)
{
    for (int row = 0; row < from->height / 2; row++) {
        for (int column = 0; column < from->width / 2; column++) {
            const uint8_t *above = from->rgb + ((size_t)(2 * row) * (size_t)from->width + (size_t)(2 * column)) * 3;
            const uint8_t *below = above + (size_t)from->width * 3;
            uint8_t *to = p->rgb + ((size_t)(y + row) * (size_t)p->width + (size_t)(x + column)) * 3;
            for (int c = 0; c < 3; c++) {
                to[c] = (uint8_t)((above[c] + above[c + 3] + below[c] + below[c + 3] + 2) / 4);
            }
        }
    }
}

/* ---- text ---- */

static const struct {
    char c;
    uint8_t row[LETTER_HEIGHT];
} LETTERS[] = {
#define LETTER(c, ...) {c, {__VA_ARGS__}},
#include "tools/demo/letters.def"
#undef LETTER
};

/* Paints a square of `scale` pixels, as far as it is inside. */
static void paint_dot(picture *p, int x, int y, int scale, uint32_t rgb)
{
    for (int row = y; row < y + scale; row++) {
        for (int column = x; column < x + scale; column++) {
            if (row < 0 || column < 0 || row >= p->height || column >= p->width) {
                continue;
            }
            uint8_t *to = p->rgb + ((size_t)row * (size_t)p->width + (size_t)column) * 3;
            to[0] = (uint8_t)(rgb >> 16), to[1] = (uint8_t)(rgb >> 8), to[2] = (uint8_t)rgb;
        }
    }
}

void picture_write(picture *p, int x, int y, int scale, uint32_t rgb, const char *text)
{
    for (; *text != '\0'; text++, x += LETTER_WIDTH * scale) {
        size_t i = 0;
        while (i < sizeof LETTERS / sizeof *LETTERS && LETTERS[i].c != *text) {
            i++;
        }
        for (int dot = 0; i < sizeof LETTERS / sizeof *LETTERS && dot < LETTER_HEIGHT * 5; dot++) {
            if ((LETTERS[i].row[dot / 5] >> (4 - dot % 5) & 1) != 0) {
                paint_dot(p, x + dot % 5 * scale, y + dot / 5 * scale, scale, rgb);
            }
        }
    }
}
