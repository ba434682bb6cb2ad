/* The bank of filters: 5x5 taps, a weight a colour, and how the result is shown. */
#ifndef AIC_DEMO_FILTERS_H
#define AIC_DEMO_FILTERS_H

#include <stdint.h>

enum { FILTER_COUNT = 16, FILTER_SIZE = 5 };

typedef enum filter_show {
    SHOW_GREY,     /* the result is a brightness in 0 .. 255 */
    SHOW_SIGNED,   /* positive warm, negative cold, zero black, scaled to the picture's own range */
    SHOW_MAGNITUDE /* the absolute value, scaled likewise */
} filter_show;

typedef struct filter {
    const char *name;
    filter_show show;
    int8_t colour[3]; /* of red, green, blue; tap * colour fits in int8 */
    int divisor;      /* the sum of tap * colour * pixel is divided by it */
    int8_t taps[FILTER_SIZE * FILTER_SIZE];
} filter;

extern const filter filters[FILTER_COUNT];

#endif
