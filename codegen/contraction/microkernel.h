/* Micro-kernels: the ways to compute one tile of a contraction, rows x cols output pixels by the output channels of one
 * panel, from a band and that panel. Each micro-kernel either refuses a contraction, with a reason, or offers tile
 * sizes, wishes what it needs of band, panel and staging buffer, and predicts the cost of the finished plan; the
 * cheapest is taken. A new one is a file and a row of the table in microkernel.c. */
#pragma once

#include "codegen/contraction/emitters.h"
#include "codegen/parts/tile.h"

typedef struct aic_microkernel {
    const char *name; /* at most eight letters */

    /* Why it refuses the contraction on this target, a clause whose subject is the micro-kernel; NULL: it takes it. */
    const char *(*refuse)(const aic_contraction *c, const aic_target *target);

    /* How it forms the sums of a contraction that it takes. */
    aic_arithmetic (*arithmetic)(const aic_contraction *c, const aic_target *target);

    /* Lanes of its vectors, of which each has a sum; NULL: as many as the target's vectors have. */
    unsigned (*lanes)(const aic_contraction *c, const aic_target *target);

    /* What it wishes of the plan behind the geometry, which is complete. */
    aic_wish (*propose)(const aic_contraction *c, const aic_target *target, const aic_plan_geometry *g);

    int64_t row_pixels;  /* of rows in which it takes the output where rows may be any; 0: those that the output has */
    bool small_tiles;    /* tiles consist of small tiles: schedules have the field m */
    bool long_rows;      /* tiles are whole rows of the output */
    int64_t step_kpacks; /* k-packs of its smallest loop body, a factor of the longest that schedules may ask for */

    int64_t table_from; /* its tiles read the table of taps where there are as many taps, or more; 0: never */

    int64_t rate; /* products in the time in which aic_microkernel_vector forms one: how fast packing has to be */

    /* AIC_OK if the tile fits the registers, else AIC_INVALID_ARGUMENT with a message that names the field. tiling.c
     * has checked the ranges that hold for every micro-kernel. */
    aic_status (*check)(const aic_contraction *c, const aic_target *target, const aic_contraction_schedule *s);

    /* Whether the registers suffice for a tile: the part of check() that refuses most of those that the default rule
     * looks at. NULL: they do, for all of at most pixels(). */
    bool (*fits)(const aic_contraction *c, int64_t rows, int64_t cols, int64_t vectors);

    /* The largest tile with `vectors` vectors, in pixels; 0: there is none. */
    int64_t (*pixels)(const aic_contraction *c, const aic_target *target, int64_t vectors);

    /* A good number of k-packs in a loop body for a tile of so many pixels and vectors. */
    int64_t (*unroll)(const aic_contraction *c, const aic_target *target, int64_t pixels, int64_t vectors);

    /* Predicted vector operations of one tile of rows x cols pixels. */
    double (*cost)(const aic_contraction *c, const aic_target *target, const aic_tiling *t, int64_t rows, int64_t cols);

    /* The price of compiling more code: each further tile shape must save this share of the run time, and each further
     * sum in a tile that one; and prefetching, which makes it another tile, the last. */
    double body_cost, sum_cost, ahead_cost;

    /* Predicted vector operations of a call apart from its tiles; NULL: none worth counting. */
    double (*call_cost)(const aic_contraction *c, const aic_target *target, const aic_tiling *t);

    /* A second band height, in tile rows, to be tried besides the usual one; 0, as with NULL: there is none. */
    int64_t (*small_band)(const aic_contraction *c, const aic_target *target, const aic_tiling *t);

    /* For schedules that hold a tile's window in the first-level cache: the number of channel blocks to be tried; 1:
     * all channels in one pass. NULL: such schedules are not tried, nor are there any of several blocks, as sums are
     * not formed in any order. */
    int64_t (*blocks)(const aic_contraction *c, const aic_tiling *t);

    /* The prefetch distance for weights to be tried, in bytes. 0: schedules cannot set one, as the micro-kernel
     * prefetches in its own way or not at all. */
    int64_t ahead;

    bool wants_lean; /* plans may have a lean form */
    bool widens;     /* schedules can have narrow weights; elements have one plane */
    bool in_place;   /* schedules can have tiles read the image where it lies; the same */

    /* A lower bound of the vector operations that the products of a whole contraction take. */
    double (*bound)(const aic_contraction *c, const aic_target *target);

    /* Whether the function emitted for a tile of rows x cols can also compute those of fewer rows or columns, so that
     * the smaller ones need no code of their own. NULL: it never can. */
    bool (*serves)(const aic_contraction *c, const aic_tiling *t, int64_t rows, int64_t cols);

    /* Composes void tile(out, band, panel, taps). band points at the tile's first pixel, out at that pixel in the
     * result or, with a staging buffer, at the panel's first column there; taps is the table of tap offsets. With
     * blocks of channels the function has the block's number as a further parameter: band and panel point into that
     * block, and from the second block on sums start from those that the previous one stored at out. `leave` is the
     * function that stores rows of a deferred tile in the tile's pauses; 0 where no tile is deferred. */
    aic_routine (*compose)(aic_program *program, const aic_plan *plan, int64_t rows, int64_t cols, aic_routine leave);

    /* Compose what packs weights and image (emitters.h) in its own way; NULL: in the usual one. */
    aic_routine (*compose_weights)(aic_program *program, const aic_plan *plan);
    aic_routine (*compose_image)(aic_program *program, const aic_plan *plan);

    uint32_t needs; /* what a call needs of the machine (AIC_NEEDS_...) */

    /* With AIC_NEEDS_TILES: composes the function by which a worker sets up the tile registers before its tiles, or
     * releases them afterwards. */
    aic_routine (*compose_state)(aic_program *program, const aic_plan *plan, bool enters);
} aic_microkernel;

extern const aic_microkernel aic_microkernel_vector, aic_microkernel_amx, aic_microkernel_mmla,
    aic_microkernel_winograd, aic_microkernel_depth;

/* winograd.c: void image(groups, image; first, rows), which packs rows of the image by `packed` and transforms them;
 * void starts(panel), which adds weights by points to a panel that has those by taps. */
aic_routine aic_compose_winograd_image(aic_program *program, const aic_plan *plan, aic_routine packed);
aic_routine aic_compose_winograd_weights(aic_program *program, const aic_plan *plan);

/* tiling.c: lanes of a micro-kernel's vectors. */
unsigned aic_sum_lanes(const aic_microkernel *kernel, const aic_contraction *c, const aic_target *target);

/* tile_use.c: whether tiles can load the k-packs of whole groups together, so many a group, and spread them over the
 * lanes of a vector; otherwise, how many groups at most each of so many vectors meets behind its first one, if merging
 * their k-packs takes less than loading one for each lane, else 0; and how k-packs of the image get into lanes. */
bool aic_groups_spread(const aic_contraction *c, int64_t lanes, int64_t kpacks);
int64_t aic_groups_merged(const aic_contraction *c, int64_t lanes, int64_t vectors);
aic_tile_image aic_tile_image_of(const aic_contraction *c, const aic_plan_geometry *g);

/* tile_use.c: whether each multiply-add of a tile loads a k-pack, and waits for that, so that it gains by doing all
 * taps of a kernel row together; and how many a tile of so many pixels does, 0: it does them one by one, as those of
 * the row differ from pixel to pixel or there are too few registers. */
bool aic_rows_share(const aic_contraction *c, const aic_target *target, const aic_plan_geometry *g);
int64_t aic_tile_row_taps(const aic_contraction *c, const aic_target *target, const aic_tiling *t, int64_t pixels);

/* tile_use.c: the tile of aic_microkernel_vector. */
aic_routine aic_compose_vector_tile(aic_program *program, const aic_plan *plan, int64_t rows, int64_t cols,
                                    aic_routine leave);

/* tile_use.c: offsets in bytes of pixel number `pixel` of a tile, counted row by row: in the band, from the tile's
 * first pixel; and of its sums of one vector in the result or, with a staging buffer, in a strip, where the pixels of a
 * tile are contiguous. */
int64_t aic_tile_band_offset(const aic_tiling *t, int64_t cols, unsigned pixel);
int64_t aic_tile_out_offset(const aic_contraction *c, const aic_tiling *t, int64_t cols, unsigned pixel,
                            unsigned vector);

/* tiling.c: whether its schedules of the contraction can have narrow weights: they are not packed as they are anyway.
 */
bool aic_can_narrow(const aic_contraction *c, const aic_microkernel *kernel, const aic_arithmetic *a);

/* The micro-kernel with this tag (0: the first one in the table) or this index; NULL where there is none. */
const aic_microkernel *aic_microkernel_find(uint64_t tag);
const aic_microkernel *aic_microkernel_at(size_t index);

/* tiling.c: why its schedules of the contraction cannot have tiles read the image where it lies; NULL: they can. */
const char *aic_in_place_refusal(const aic_contraction *c, const aic_target *target, const aic_microkernel *kernel,
                                 const aic_arithmetic *a);

/* Writes the names of all micro-kernels, "vector, amx, mmla", for messages. */
void aic_microkernel_list(char *buffer, size_t capacity);
