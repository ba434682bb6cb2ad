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
                       .format = PNG_FORMAT_RGB};
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
