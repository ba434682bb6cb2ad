/* The shapes, and the kinds of arithmetic. */
#include "tests/bench/layers/layers.h"

#include <stddef.h>
#include <string.h>

const layer_kind layer_kinds[] = {
    {"int8", "int8 to int32", AIC_INT8, AIC_ACCUMULATE_CUBE, false, {PEER_S8_S32}},
    {"fused", "int8 | fixpipe VREQ8, rectified, to int8", AIC_INT8, AIC_ACCUMULATE_CUBE, true, {PEER_S8_S8}},
    {"fast", "float16 fast", AIC_FLOAT16, AIC_ACCUMULATE_FAST, false, {PEER_F16_F32, PEER_F32_F32}},
    {"cube", "float16 cube", AIC_FLOAT16, AIC_ACCUMULATE_CUBE, false, {PEER_NONE}},
    {0},
};

/* channels, height, width, kernel_h, kernel_w, cout, stride, pad_h, pad_w, dilation, count, groups */
static const layer VGG16[] = {
    {3, 224, 224, 3, 3, 64, 1, 1, 1, 1, 1, 1},   {64, 224, 224, 3, 3, 64, 1, 1, 1, 1, 1, 1},
    {64, 112, 112, 3, 3, 128, 1, 1, 1, 1, 1, 1}, {128, 112, 112, 3, 3, 128, 1, 1, 1, 1, 1, 1},
    {128, 56, 56, 3, 3, 256, 1, 1, 1, 1, 1, 1},  {256, 56, 56, 3, 3, 256, 1, 1, 1, 1, 2, 1},
    {256, 28, 28, 3, 3, 512, 1, 1, 1, 1, 1, 1},  {512, 28, 28, 3, 3, 512, 1, 1, 1, 1, 2, 1},
    {512, 14, 14, 3, 3, 512, 1, 1, 1, 1, 3, 1},  {0},
};

static const layer STRIDED[] = {
    {64, 56, 56, 3, 3, 64, 2, 1, 1, 1, 1, 1},   {32, 63, 63, 5, 5, 64, 2, 2, 2, 1, 1, 1},
    {64, 57, 57, 1, 1, 128, 2, 0, 0, 1, 1, 1},  {64, 55, 55, 3, 3, 64, 3, 1, 1, 1, 1, 1},
    {32, 112, 112, 3, 3, 32, 2, 1, 1, 1, 1, 1}, {0},
};

static const layer DILATED[] = {
    {64, 28, 28, 3, 3, 64, 1, 2, 2, 2, 1, 1},
    {256, 33, 33, 3, 3, 256, 1, 4, 4, 4, 1, 1},
    {256, 33, 33, 3, 3, 256, 1, 12, 12, 12, 1, 1},
    {32, 40, 40, 5, 5, 64, 1, 6, 6, 3, 1, 1},
    {0},
};

static const layer ODD[] = {
    {48, 35, 35, 3, 3, 80, 1, 1, 1, 1, 1, 1},
    {96, 28, 28, 5, 5, 96, 1, 2, 2, 1, 1, 1},
    {256, 13, 13, 3, 3, 512, 1, 1, 1, 1, 1, 1},
    {320, 13, 13, 1, 1, 16, 1, 0, 0, 1, 1, 1},
    {128, 17, 17, 1, 7, 128, 1, 0, 3, 1, 1, 1},
    {128, 17, 17, 7, 1, 192, 1, 3, 0, 1, 1, 1},
    {80, 73, 73, 3, 3, 192, 1, 0, 0, 1, 1, 1},
    {64, 8, 449, 1, 1, 64, 1, 0, 0, 1, 1, 1},
    {0},
};

static const layer FIRST[] = {
    {3, 224, 224, 7, 7, 64, 2, 3, 3, 1, 1, 1},
    {3, 299, 299, 3, 3, 32, 2, 0, 0, 1, 1, 1},
    {3, 227, 227, 11, 11, 96, 4, 0, 0, 1, 1, 1},
    {3, 416, 416, 3, 3, 16, 1, 1, 1, 1, 1, 1},
    {0},
};

static const layer TINY[] = {
    {32, 1, 1, 1, 1, 32, 1, 0, 0, 1, 1, 1},
    {64, 1, 1, 1, 1, 64, 1, 0, 0, 1, 1, 1},
    {256, 1, 1, 1, 1, 16, 1, 0, 0, 1, 1, 1},
    {32, 4, 4, 1, 1, 32, 1, 0, 0, 1, 1, 1},
    {32, 3, 3, 3, 3, 32, 1, 0, 0, 1, 1, 1},
    {32, 4, 4, 3, 3, 32, 1, 1, 1, 1, 1, 1},
    {0},
};

static const layer DEEP[] = {
    {512, 7, 7, 3, 3, 512, 1, 1, 1, 1, 1, 1},   {1024, 7, 7, 3, 3, 1024, 1, 1, 1, 1, 1, 1},
    {512, 7, 7, 1, 1, 2048, 1, 0, 0, 1, 1, 1},  {2048, 7, 7, 1, 1, 512, 1, 0, 0, 1, 1, 1},
    {1024, 7, 7, 1, 1, 1024, 1, 0, 0, 1, 1, 1}, {0},
};

/* A width of 448 next to those of 449 shows what an odd one costs. */
static const layer FUSED_WIDTHS[] = {
    {64, 8, 448, 1, 1, 64, 1, 0, 0, 1, 1, 1},
    {64, 8, 449, 1, 1, 64, 1, 0, 0, 1, 1, 1},
    {64, 8, 449, 3, 3, 64, 1, 1, 1, 1, 1, 1},
    {256, 57, 57, 1, 1, 64, 1, 0, 0, 1, 1, 1},
    {64, 55, 55, 3, 3, 64, 1, 1, 1, 1, 1, 1},
    {128, 29, 29, 3, 3, 128, 1, 1, 1, 1, 1, 1},
    {256, 15, 15, 3, 3, 256, 1, 1, 1, 1, 1, 1},
    {64, 13, 13, 1, 1, 48, 1, 0, 0, 1, 1, 1},
    {0},
};

/* Square images and kernels, padding that keeps the size at stride 1. */
#define GROUPED(channels, size, kernel, cout, stride, count, groups)                                                   \
    {channels, size, size, kernel, kernel, cout, stride, (kernel) / 2, (kernel) / 2, 1, count, groups}
#define SQUARE(channels, size, kernel, cout, stride, count) GROUPED(channels, size, kernel, cout, stride, count, 1)

/* Convolutions over all channels of MobileNet v1 and v2. */
static const layer MOBILENET_DENSE[] = {
    SQUARE(3, 224, 3, 32, 2, 2),    SQUARE(32, 112, 1, 64, 1, 1),  SQUARE(64, 56, 1, 128, 1, 1),
    SQUARE(128, 56, 1, 128, 1, 1),  SQUARE(128, 28, 1, 256, 1, 1), SQUARE(256, 28, 1, 256, 1, 1),
    SQUARE(256, 14, 1, 512, 1, 1),  SQUARE(512, 14, 1, 512, 1, 5), SQUARE(512, 7, 1, 1024, 1, 1),
    SQUARE(1024, 7, 1, 1024, 1, 1), SQUARE(32, 112, 1, 16, 1, 1),  SQUARE(16, 112, 1, 96, 1, 1),
    SQUARE(96, 56, 1, 24, 1, 1),    SQUARE(24, 56, 1, 144, 1, 2),  SQUARE(144, 56, 1, 24, 1, 1),
    SQUARE(144, 28, 1, 32, 1, 1),   SQUARE(32, 28, 1, 192, 1, 3),  SQUARE(192, 28, 1, 32, 1, 2),
    SQUARE(192, 14, 1, 64, 1, 1),   SQUARE(64, 14, 1, 384, 1, 4),  SQUARE(384, 14, 1, 64, 1, 3),
    SQUARE(384, 14, 1, 96, 1, 1),   SQUARE(96, 14, 1, 576, 1, 3),  SQUARE(576, 14, 1, 96, 1, 2),
    SQUARE(576, 7, 1, 160, 1, 1),   SQUARE(160, 7, 1, 960, 1, 3),  SQUARE(960, 7, 1, 160, 1, 2),
    SQUARE(960, 7, 1, 320, 1, 1),   SQUARE(320, 7, 1, 1280, 1, 1), {0},
};

/* Of 64 to 1024 channels for pictures of 256 x 256, convolutions that keep the size. */
static const layer UNET[] = {
    SQUARE(3, 256, 3, 64, 1, 1),    SQUARE(64, 256, 3, 64, 1, 2),
    SQUARE(64, 128, 3, 128, 1, 1),  SQUARE(128, 128, 3, 128, 1, 2),
    SQUARE(128, 64, 3, 256, 1, 1),  SQUARE(256, 64, 3, 256, 1, 2),
    SQUARE(256, 32, 3, 512, 1, 1),  SQUARE(512, 32, 3, 512, 1, 2),
    SQUARE(512, 16, 3, 1024, 1, 1), SQUARE(1024, 16, 3, 1024, 1, 1),
    SQUARE(1024, 32, 3, 512, 1, 1), SQUARE(512, 64, 3, 256, 1, 1),
    SQUARE(256, 128, 3, 128, 1, 1), SQUARE(128, 256, 3, 64, 1, 1),
    SQUARE(64, 256, 1, 2, 1, 1),    {0},
};

/* YOLOv8n for pictures of 640 x 640: backbone, neck and heads. */
static const layer YOLO[] = {
    SQUARE(3, 640, 3, 16, 2, 1),
    SQUARE(16, 320, 3, 32, 2, 1),
    SQUARE(32, 160, 1, 32, 1, 1),
    SQUARE(16, 160, 3, 16, 1, 2),
    SQUARE(48, 160, 1, 32, 1, 1),
    SQUARE(32, 160, 3, 64, 2, 1),
    SQUARE(64, 80, 1, 64, 1, 2),
    SQUARE(32, 80, 3, 32, 1, 6),
    SQUARE(128, 80, 1, 64, 1, 1),
    SQUARE(64, 80, 3, 128, 2, 1),
    SQUARE(128, 40, 1, 128, 1, 1),
    SQUARE(64, 40, 3, 64, 1, 9),
    SQUARE(256, 40, 1, 128, 1, 1),
    SQUARE(128, 40, 3, 256, 2, 1),
    SQUARE(256, 20, 1, 256, 1, 1),
    SQUARE(128, 20, 3, 128, 1, 4),
    SQUARE(384, 20, 1, 256, 1, 3),
    SQUARE(256, 20, 1, 128, 1, 1),
    SQUARE(512, 20, 1, 256, 1, 1),
    SQUARE(384, 40, 1, 128, 1, 1),
    SQUARE(192, 40, 1, 128, 1, 3),
    SQUARE(192, 80, 1, 64, 1, 1),
    SQUARE(96, 80, 1, 64, 1, 1),
    SQUARE(64, 80, 3, 64, 2, 1),
    SQUARE(128, 40, 3, 128, 2, 1),
    SQUARE(64, 80, 3, 64, 1, 2),
    SQUARE(128, 40, 3, 64, 1, 1),
    SQUARE(256, 20, 3, 64, 1, 1),
    SQUARE(64, 20, 3, 64, 1, 1),
    SQUARE(64, 80, 3, 80, 1, 1),
    SQUARE(80, 80, 3, 80, 1, 1),
    SQUARE(80, 80, 1, 80, 1, 1),
    SQUARE(128, 40, 3, 80, 1, 1),
    SQUARE(80, 40, 3, 80, 1, 1),
    SQUARE(80, 40, 1, 80, 1, 1),
    SQUARE(256, 20, 3, 80, 1, 1),
    SQUARE(80, 20, 3, 80, 1, 1),
    SQUARE(80, 20, 1, 80, 1, 1),
    SQUARE(64, 40, 1, 64, 1, 1),
    SQUARE(64, 20, 1, 64, 1, 1),
    {0},
};

/* A network of 64 channels that makes pictures of 160 x 120 four times as large, and one of few layers for three times.
 */
static const layer SUPERRES[] = {
    {3, 120, 160, 3, 3, 64, 1, 1, 1, 1, 1, 1},
    {64, 120, 160, 3, 3, 64, 1, 1, 1, 1, 16, 1},
    {64, 120, 160, 3, 3, 48, 1, 1, 1, 1, 1, 1},
    SQUARE(1, 224, 5, 64, 1, 1),
    SQUARE(64, 224, 3, 64, 1, 1),
    SQUARE(64, 224, 3, 32, 1, 1),
    SQUARE(32, 224, 3, 9, 1, 1),
    {0},
};

/* Blocks of channels that are not full, large kernels, one row, two columns. The document of conv2d does not support
 * one column, as wide as the kernel, of more rows than the kernel has. */
static const layer HARD[] = {
    SQUARE(16, 56, 9, 64, 1, 1),
    SQUARE(16, 56, 7, 16, 1, 1),
    SQUARE(16, 120, 3, 16, 1, 1),
    SQUARE(48, 28, 5, 64, 1, 1),
    SQUARE(80, 28, 3, 96, 1, 1),
    SQUARE(33, 31, 3, 17, 1, 1),
    {2048, 1, 1, 1, 1, 1000, 1, 0, 0, 1, 1, 1},
    {4096, 1, 7, 1, 1, 4096, 1, 0, 0, 1, 1, 1},
    {64, 1, 1024, 1, 9, 64, 1, 0, 4, 1, 1, 1},
    {64, 1024, 2, 9, 1, 64, 1, 4, 0, 1, 1, 1},
    {0},
};

/* A group a channel, padding that keeps the size. */
#define DEPTHWISE(channels, size, kernel, stride, count)                                                               \
    GROUPED(channels, size, kernel, channels, stride, count, channels)

/* Those of v1 and of v2, both of width 1 for pictures of 224 x 224. */
static const layer MOBILENET[] = {
    DEPTHWISE(32, 112, 3, 1, 2),
    DEPTHWISE(64, 112, 3, 2, 1),
    DEPTHWISE(128, 56, 3, 1, 1),
    DEPTHWISE(128, 56, 3, 2, 1),
    DEPTHWISE(256, 28, 3, 1, 1),
    DEPTHWISE(256, 28, 3, 2, 1),
    DEPTHWISE(512, 14, 3, 1, 5),
    DEPTHWISE(512, 14, 3, 2, 1),
    DEPTHWISE(1024, 7, 3, 1, 1),
    DEPTHWISE(96, 112, 3, 2, 1),
    DEPTHWISE(144, 56, 3, 1, 1),
    DEPTHWISE(144, 56, 3, 2, 1),
    DEPTHWISE(192, 28, 3, 1, 2),
    DEPTHWISE(192, 28, 3, 2, 1),
    DEPTHWISE(384, 14, 3, 1, 4),
    DEPTHWISE(576, 14, 3, 1, 2),
    DEPTHWISE(576, 14, 3, 2, 1),
    DEPTHWISE(960, 7, 3, 1, 3),
    {0},
};

/* Depthwise with kernels of 5x5, as later networks for small devices have them. */
static const layer DEPTHWISE5[] = {
    DEPTHWISE(72, 56, 5, 2, 1),  DEPTHWISE(128, 28, 5, 1, 1), DEPTHWISE(240, 28, 5, 1, 1),
    DEPTHWISE(512, 14, 5, 1, 1), DEPTHWISE(672, 14, 5, 2, 1), {0},
};

/* The grouped layers of ResNeXt-50 of 32 groups, whose width doubles from stage to stage, and of RegNets of groups of
 * 8, 16 and 64 channels. */
static const layer GROUPS[] = {
    GROUPED(128, 56, 3, 128, 1, 3, 32),
    GROUPED(256, 56, 3, 256, 2, 1, 32),
    GROUPED(256, 28, 3, 256, 1, 3, 32),
    GROUPED(512, 28, 3, 512, 2, 1, 32),
    GROUPED(512, 14, 3, 512, 1, 5, 32),
    GROUPED(1024, 14, 3, 1024, 2, 1, 32),
    GROUPED(1024, 7, 3, 1024, 1, 2, 32),
    GROUPED(64, 56, 3, 64, 2, 1, 8),
    GROUPED(128, 28, 3, 128, 1, 1, 16),
    GROUPED(288, 14, 3, 288, 1, 1, 36),
    GROUPED(192, 28, 3, 192, 1, 1, 12),
    GROUPED(512, 14, 3, 512, 1, 1, 8),
    {0},
};

/* Few outputs, as the last layers of U-Nets, of super-resolution and of detectors have, and last blocks of channels
 * that are filled in part. */
static const layer FEW[] = {
    SQUARE(64, 256, 3, 1, 1, 1),
    SQUARE(64, 256, 1, 2, 1, 1),
    SQUARE(256, 56, 1, 2, 1, 1),
    SQUARE(256, 14, 3, 4, 1, 1),
    SQUARE(64, 80, 3, 4, 1, 1),
    SQUARE(32, 224, 5, 3, 1, 1),
    SQUARE(64, 64, 7, 3, 1, 1),
    SQUARE(8, 96, 3, 16, 1, 1),
    {8, 57, 57, 1, 9, 2, 1, 0, 0, 1, 1, 1},
    {24, 96, 118, 5, 1, 32, 2, 0, 0, 1, 1, 1},
    SQUARE(40, 96, 5, 6, 1, 1),
    {40, 112, 112, 7, 3, 1, 1, 3, 1, 1, 1, 1},
    SQUARE(4, 160, 3, 16, 2, 1),
    {0},
};

const layer_set layer_sets[] = {
    {"resnet50", "ResNet-50 v1.5, 53 convolutions", NULL, true, false, false},
    {"vgg16", "VGG-16, 13 convolutions", VGG16, false, false, false},
    {"mobilenet_dense", "MobileNet v1 and v2, all but depthwise", MOBILENET_DENSE, false, false, false},
    {"unet", "a U-Net, 19 convolutions", UNET, false, false, false},
    {"yolo", "YOLOv8n, 63 convolutions", YOLO, false, false, false},
    {"superres", "super-resolution", SUPERRES, false, false, false},
    {"hard", "hard shapes", HARD, false, false, false},
    {"strided", "strides", STRIDED, false, false, false},
    {"dilated", "dilation", DILATED, false, false, false},
    {"odd", "odd sizes", ODD, false, false, false},
    {"first", "first layers", FIRST, false, false, false},
    {"tiny", "tiny, single calls with plain weights", TINY, false, true, false},
    {"deep", "deep layers of 7x7", DEEP, false, false, false},
    {"mobilenet", "depthwise layers of MobileNet v1 and v2; limit: vector units, or memory", MOBILENET, false, false,
     false},
    {"depthwise5", "depthwise, 5x5; limit: vector units, or memory", DEPTHWISE5, false, false, false},
    {"groups", "groups of 4 to 64 channels, ResNeXt-50's and some of RegNets", GROUPS, false, false, false},
    {"few", "few outputs, blocks of channels filled in part", FEW, false, false, false},
    {"widths", "fused at odd widths", FUSED_WIDTHS, false, false, true},
    {"file", "the file's", file_layers, false, false, false},
    {0},
};

const layer_set *set_named(const char *name)
{
    const layer_set *set = layer_sets;
    while (set->name != NULL && strcmp(set->name, name) != 0) {
        set++;
    }
    return set;
}

/* Layer number `index` of ResNet-50. */
static bool resnet_at(size_t index, layer *l)
{
    for (const bench_layer *b = bench_layers; b->name != NULL; b++) {
        if (b->count > 0 && index-- == 0) {
            *l = (layer){.channels = b->channels == 4 ? 3 : b->channels,
                         .height = b->size,
                         .width = b->size,
                         .kernel_h = b->kernel,
                         .kernel_w = b->kernel,
                         .cout = b->cout,
                         .stride = b->stride,
                         .pad_h = b->pad,
                         .pad_w = b->pad,
                         .dilation = b->dilation,
                         .count = b->count,
                         .groups = 1};
            return true;
        }
    }
    return false;
}

bool layer_at(const layer_set *set, size_t index, layer *l)
{
    if (set->layers == NULL) {
        return resnet_at(index, l);
    }
    for (size_t i = 0; i <= index; i++) {
        if (set->layers[i].channels == 0) {
            return false;
        }
    }
    *l = set->layers[index];
    return true;
}

void layer_name(const layer *l, char name[LAYER_NAME_MAX])
{
    char groups[24] = "", stride[16] = "", dilation[16] = "", width[16] = "", channels[32];
    (void)snprintf(channels, sizeof channels, layer_is_depthwise(l) ? "%d" : "%d-%d", l->channels, l->cout);
    if (l->groups > 1 && !layer_is_depthwise(l)) {
        (void)snprintf(groups, sizeof groups, " of %d groups", l->groups);
    }
    if (l->stride > 1) {
        (void)snprintf(stride, sizeof stride, "/%d", l->stride);
    }
    if (l->dilation > 1) {
        (void)snprintf(dilation, sizeof dilation, " dil %d", l->dilation);
    }
    if (l->width != l->height) {
        (void)snprintf(width, sizeof width, "x%d", l->width);
    }
    (void)snprintf(name, LAYER_NAME_MAX, "%dx%d%s%s %s%s @%d%s", l->kernel_h, l->kernel_w, stride, dilation, channels,
                   groups, l->height, width);
}

const char *peer_types_name(peer_types types)
{
    static const char *const NAMES[] = {
        [PEER_NONE] = "",       [PEER_S8_S32] = "s8 to s32", [PEER_S8_S8] = "s8 to s8", [PEER_F16_F32] = "f16 to f32",
        [PEER_F32_F32] = "f32",
    };
    return NAMES[types];
}
