/* Tiles and their seams. A seam lies in the middle of two tiles' overlap, at least `margin` pixels inside both. */
#include "tools/superres/enlarge.h"

#include "tools/harness/fail.h"

#include <string.h>

enum { TILES_MAX = 256 };

static int tile_side(int whole, int tiles, int margin)
{
    return (whole + 2 * margin * (tiles - 1) + tiles - 1) / tiles;
}

int choose_tiles(tiling *t, int width, int height, int layers, int64_t pixels)
{
    int64_t least = INT64_MAX;
    for (int across = 1; across <= TILES_MAX && across <= width; across++) {
        const int w = tile_side(width, across, layers);
        for (int down = 1; down <= TILES_MAX && down <= height; down++) {
            const int h = tile_side(height, down, layers);
            const int64_t work = (int64_t)across * down * w * h;
            if ((int64_t)w * h <= pixels && work < least) {
                least = work;
                *t = (tiling){across, down, w, h, layers};
            }
        }
    }
    return least < INT64_MAX ? CLI_DONE
                             : cli_fail(CLI_WRONG,
                                        "%d x %d pixels cannot be cut into tiles of %lld pixels, of which %d at "
                                        "each edge are not used",
                                        width, height, (long long)pixels, layers);
}

/* Where tile number `i` of `tiles` begins; the last one ends with the picture. */
static int begin_of(int whole, int side, int tiles, int i)
{
    return tiles == 1 ? 0 : (int)((int64_t)(whole - side) * i / (tiles - 1));
}

/* Where what is used of tile `i` begins: behind the last it is the picture's end. */
static int seam_of(int whole, int side, int tiles, int i)
{
    if (i == 0 || i == tiles) {
        return i == 0 ? 0 : whole;
    }
    return (begin_of(whole, side, tiles, i - 1) + side + begin_of(whole, side, tiles, i)) / 2;
}

/* One tile: where it lies in the picture, and which part of it is used. */
typedef struct tile {
    int x, y, left, right, top, bottom; /* in pixels of the picture */
} tile;

static tile tile_at(const tiling *t, const picture *in, int column, int row)
{
    return (tile){.x = begin_of(in->width, t->width, t->across, column),
                  .y = begin_of(in->height, t->height, t->down, row),
                  .left = seam_of(in->width, t->width, t->across, column),
                  .right = seam_of(in->width, t->width, t->across, column + 1),
                  .top = seam_of(in->height, t->height, t->down, row),
                  .bottom = seam_of(in->height, t->height, t->down, row + 1)};
}

static void copy_in(plan *p, const tiling *t, const tile *at, const picture *in)
{
    const size_t line = (size_t)t->width * NETWORK_COLOURS;
    for (int y = 0; y < t->height; y++) {
        const size_t from = ((size_t)(at->y + y) * (size_t)in->width + (size_t)at->x) * NETWORK_COLOURS;
        memcpy(plan_input(p) + (size_t)y * line, in->rgb + from, line);
    }
}

static void copy_picture(const plan *p, const tiling *t, const tile *at, picture *out)
{
    const size_t bytes = (size_t)(at->right - at->left) * NETWORK_SCALE * NETWORK_COLOURS;
    for (int y = at->top * NETWORK_SCALE; y < at->bottom * NETWORK_SCALE; y++) {
        const size_t to = (size_t)y * (size_t)out->width + (size_t)at->left * NETWORK_SCALE;
        const size_t from = (size_t)(y - at->y * NETWORK_SCALE) * (size_t)t->width * NETWORK_SCALE +
                            (size_t)(at->left - at->x) * NETWORK_SCALE;
        memcpy(out->rgb + to * NETWORK_COLOURS, plan_picture(p) + from * NETWORK_COLOURS, bytes);
    }
}

/* [H*W, 48], a row a pixel: its three colours, each 4x4. */
static void copy_values(const plan *p, const tiling *t, const tile *at, int width, float *values)
{
    for (int y = at->top * NETWORK_SCALE; y < at->bottom * NETWORK_SCALE; y++) {
        for (int x = at->left * NETWORK_SCALE; x < at->right * NETWORK_SCALE; x++) {
            const size_t pixel =
                (size_t)(y / NETWORK_SCALE - at->y) * (size_t)t->width + (size_t)(x / NETWORK_SCALE - at->x);
            const int sub = y % NETWORK_SCALE * NETWORK_SCALE + x % NETWORK_SCALE;
            float *to = values + ((size_t)y * (size_t)width * NETWORK_SCALE + (size_t)x) * NETWORK_COLOURS;
            for (int c = 0; c < NETWORK_COLOURS; c++) {
                to[c] = plan_values(p)[pixel * NETWORK_OUT + (size_t)(c * NETWORK_SUBPIXELS + sub)] / NETWORK_SHRINK;
            }
        }
    }
}

/* The hooks, and whether one of them wants to stop. */
typedef struct hooked {
    const enlarge_hooks *hooks;
    const plan *plan;
    region used; /* of the tile */
    bool stopped;
} hooked;

static bool on_layer(void *data, int layers)
{
    hooked *h = data;
    if (h->hooks == NULL || layers == 0) {
        return true;
    }
    if (h->hooks->layer != NULL) {
        h->hooks->layer(h->hooks->data, h->plan, layers - 1, &h->used);
    }
    h->stopped = h->hooks->step != NULL && !h->hooks->step();
    return !h->stopped;
}

int enlarge(plan *p, const tiling *t, const picture *in, picture *out, float *values, const enlarge_hooks *hooks)
{
    hooked h = {.hooks = hooks, .plan = p};
    int status = CLI_DONE;
    for (int i = 0; status == CLI_DONE && !h.stopped && i < t->across * t->down; i++) {
        const tile at = tile_at(t, in, i % t->across, i / t->across);
        h.used = (region){at.left - at.x, at.right - at.x, at.top - at.y, at.bottom - at.y};
        copy_in(p, t, &at, in);
        status = plan_run(p, on_layer, &h);
        if (status == CLI_DONE && out != NULL) {
            copy_picture(p, t, &at, out);
        }
        if (status == CLI_DONE && values != NULL) {
            copy_values(p, t, &at, in->width, values);
        }
    }
    return status;
}
