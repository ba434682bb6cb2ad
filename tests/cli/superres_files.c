/* Files for tests/cli/superres.sh.
 *
 *     superres_files network NAME
 *         writes NAME.param and NAME.bin: three convolutions, 3 -> 40 -> 5 -> 48 channels, with slopes below 0,
 *         between 0 and 1, and above 1
 *
 *     superres_files picture FILE WIDTH HEIGHT rgb|grey|rgba|deep
 *         writes a PNG with a pattern; deep: 16 bits a channel
 *
 *     superres_files compare A.png B.png
 *         prints the largest difference of a colour, or -1 for different sizes */
#include <png.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t state = 1;

/* -1 .. 1 in steps of 1/64, which float16 has. */
static float draw(void)
{
    state = state * 1664525 + 1013904223;
    return (float)((int)(state >> 16 & 127) - 64) / 64;
}

/* The bits of a half that is 0 or a normal number. */
static uint16_t half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)(value == 0 ? 0 : (bits >> 16 & 0x8000) | ((bits >> 23 & 255) - 112) << 10 | (bits >> 13 & 0x3FF));
}

static void put_layer(FILE *bin, int in, int out, int slopes)
{
    const uint32_t tag = 0x01306B47;
    (void)fwrite(&tag, sizeof tag, 1, bin);
    for (int i = 0; i < in * out * 9; i++) {
        const uint16_t bits = half(draw() / 8);
        (void)fwrite(&bits, sizeof bits, 1, bin);
    }
    for (int i = in * out * 9; i % 2 != 0; i++) {
        (void)fwrite(&(uint16_t){0}, 2, 1, bin);
    }
    for (int i = 0; i < out * (1 + slopes); i++) {
        const float value = i < out ? draw() / 4 : draw() * 1.5F;
        (void)fwrite(&value, sizeof value, 1, bin);
    }
}

static int write_network(const char *name, int a, int b)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s.param", name);
    FILE *param = fopen(path, "w");
    (void)snprintf(path, sizeof path, "%s.bin", name);
    FILE *bin = fopen(path, "wb");
    if (param == NULL || bin == NULL) {
        return 1;
    }
    (void)fputs("7767517\n10 11\n"
                "Input data 0 1 data\n"
                "Split split 1 2 data picture first\n",
                param);
    (void)fprintf(param, "Convolution Conv_0 1 1 first a 0=%d 1=3 4=1 5=1 6=%d\n", a, a * 27);
    (void)fprintf(param, "PReLU PRelu_1 1 1 a b 0=%d\n", a);
    (void)fprintf(param, "Convolution Conv_2 1 1 b c 0=%d 1=3 4=1 5=1 6=%d\n", b, a * b * 9);
    (void)fprintf(param, "PReLU PRelu_3 1 1 c d 0=%d\n", b);
    (void)fprintf(param, "Convolution Conv_4 1 1 d e 0=48 1=3 4=1 5=1 6=%d\n", b * 432);
    (void)fputs("PixelShuffle shuffle 1 1 e f 0=4\n"
                "Interp resize 1 1 picture g 0=1 1=4.0 2=4.0\n"
                "BinaryOp add 2 1 f g output\n",
                param);
    put_layer(bin, 3, a, 1);
    put_layer(bin, a, b, 1);
    put_layer(bin, b, 48, 0);
    return fclose(param) != 0 || fclose(bin) != 0;
}

static int write_picture(const char *path, int width, int height, const char *kind)
{
    const int deep = strcmp(kind, "deep") == 0;
    const png_uint_32 format = deep                        ? PNG_FORMAT_LINEAR_RGB
                               : strcmp(kind, "grey") == 0 ? PNG_FORMAT_GRAY
                               : strcmp(kind, "rgba") == 0 ? PNG_FORMAT_RGBA
                                                           : PNG_FORMAT_RGB;
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = (png_uint_32)width, .height = (png_uint_32)height, .format = format};
    const size_t bytes = PNG_IMAGE_SIZE(image);
    uint8_t *pixels = malloc(bytes);
    if (pixels == NULL) {
        return 1;
    }
    for (size_t i = 0; i < bytes; i++) {
        state = state * 1664525 + 1013904223;
        pixels[i] = (uint8_t)(i * 5 / 3 + (state >> 26));
    }
    const int written = png_image_write_to_file(&image, path, 0, pixels, 0, NULL);
    free(pixels);
    return !written;
}

static uint8_t *read_picture(const char *path, png_image *image)
{
    *image = (png_image){.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(image, path)) {
        return NULL;
    }
    image->format = PNG_FORMAT_RGB;
    uint8_t *pixels = malloc(PNG_IMAGE_SIZE(*image));
    return pixels != NULL && png_image_finish_read(image, NULL, pixels, 0, NULL) ? pixels : NULL;
}

static int compare(const char *a_path, const char *b_path)
{
    png_image a_image, b_image;
    uint8_t *a = read_picture(a_path, &a_image), *b = read_picture(b_path, &b_image);
    int largest = a == NULL || b == NULL || a_image.width != b_image.width || a_image.height != b_image.height ? -1 : 0;
    for (size_t i = 0; largest >= 0 && i < PNG_IMAGE_SIZE(a_image); i++) {
        largest = abs(a[i] - b[i]) > largest ? abs(a[i] - b[i]) : largest;
    }
    printf("%d\n", largest);
    free(a);
    free(b);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "network") == 0) {
        return write_network(argv[2], atoi(argv[3]), atoi(argv[4]));
    }
    if (argc == 6 && strcmp(argv[1], "picture") == 0) {
        return write_picture(argv[2], atoi(argv[3]), atoi(argv[4]), argv[5]);
    }
    return argc == 4 && strcmp(argv[1], "compare") == 0 ? compare(argv[2], argv[3]) : 2;
}
