/* 8-bit RGB pictures: PNG files, painting, contact sheets. */
#ifndef AIC_DEMO_PICTURE_H
#define AIC_DEMO_PICTURE_H

#include <stdint.h>

typedef struct picture {
    int width, height;
    uint8_t *rgb; /* height * width * 3; owned */
} picture;

/* Each returns an exit status with a message (tools/harness/fail.h). */
int picture_new(picture *p, int width, int height); /* black */
int picture_load(picture *p, const char *path);     /* at most 4096 x 4096 */
int picture_save(const picture *p, const char *path);

void picture_free(picture *p);

/* Copies `from`, halved in both directions, to (x, y). It must fit. */
void picture_paste_halved(picture *p, const picture *from, int x, int y);

/* Writes text with its upper left corner at (x, y), in letters of 5 x 9 pixels, six a letter apart, each pixel `scale`
 * of the picture's high and wide. What is outside the picture is left out, and so are characters that there is no
 * letter for. */
enum { LETTER_WIDTH = 6, LETTER_HEIGHT = 9 };
void picture_write(picture *p, int x, int y, int scale, uint32_t rgb, const char *text);

#endif
