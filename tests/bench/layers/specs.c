/* What a layer is as an operator, and the layers of a file of operators. */
#include "tests/bench/layers/layers.h"

#include "tools/harness/stages.h"

#include <string.h>

/* A multiple of `block` */
static int64_t whole(int64_t size, int64_t block)
{
    return (size + block - 1) / block * block;
}

static aic_conv2d_desc convolution_of(const layer *l, const layer_kind *kind)
{
    enum { BLOCK = 16 }; /* output channels */
    aic_conv2d_desc d = aic_conv2d_desc_init();
    const int64_t c0 = l->channels <= 4 ? 4 : 32 / (int64_t)aic_dtype_size(kind->dtype);
    const int64_t channels = whole(l->channels, c0), c1 = channels / c0;
    const int64_t groups = layer_is_depthwise(l) ? channels : l->groups, seen = channels / groups;
    const int64_t fm_shape[] = {c1, l->height, l->width, c0};
    const int64_t kernel_shape[] = {seen < c0 ? 1 : seen / c0, l->kernel_h, l->kernel_w,
                                    layer_is_depthwise(l) ? channels : whole(l->cout, BLOCK), seen < c0 ? seen : c0};
    const int64_t pad[] = {l->pad_w, l->pad_w, l->pad_h, l->pad_h};
    memcpy(d.fm_shape, fm_shape, sizeof fm_shape);
    memcpy(d.kernel_shape, kernel_shape, sizeof kernel_shape);
    memcpy(d.pad, pad, sizeof pad);
    d.stride[0] = d.stride[1] = l->stride;
    d.dilation[0] = d.dilation[1] = l->dilation;
    d.groups = groups;
    d.dtype = kind->dtype;
    d.accumulate = kind->accumulate;
    return d;
}

aic_spec *layer_spec(const layer *l, const layer_kind *kind)
{
    const aic_conv2d_desc d = convolution_of(l, kind);
    aic_fixpipe_desc f = aic_fixpipe_desc_init();
    f.src = AIC_INT32;
    f.dst = AIC_INT8;
    f.format = AIC_FORMAT_NZ;
    f.quantPre = AIC_QUANT_VREQ8;
    f.reluEn = true;
    aic_spec *stages[2] = {NULL, NULL}, *spec = NULL;
    if (aic_spec_create_conv2d(&d, &stages[0]) != AIC_OK || aic_spec_create_fixpipe(&f, &stages[1]) != AIC_OK ||
        aic_spec_chain((const aic_spec *const *)stages, kind->fused ? 2 : 1, &spec) != AIC_OK) {
        bench_die("specification");
    }
    aic_spec_destroy(stages[0]);
    aic_spec_destroy(stages[1]);
    return spec;
}

/* ---- a file ---- */

layer file_layers[FILE_LAYERS_MAX + 1];
file_line file_lines[FILE_LAYERS_MAX];

/* The layer that this convolution can be at all. C0 = 4 is read as a picture of three channels. */
static layer layer_of(const aic_conv2d_desc *d)
{
    enum { C1, H, W, C0 };             /* of fm_shape */
    enum { KH = 1, KW = 2, COUT = 3 }; /* of kernel_shape */
    return (layer){.channels = d->fm_shape[C0] == 4 ? 3 : (int)(d->fm_shape[C1] * d->fm_shape[C0]),
                   .height = (int)d->fm_shape[H],
                   .width = (int)d->fm_shape[W],
                   .kernel_h = (int)d->kernel_shape[KH],
                   .kernel_w = (int)d->kernel_shape[KW],
                   .cout = (int)d->kernel_shape[COUT],
                   .stride = (int)d->stride[0],
                   .pad_h = (int)d->pad[2],
                   .pad_w = (int)d->pad[0],
                   .dilation = (int)d->dilation[0],
                   .count = 1,
                   .groups = (int)d->groups};
}

/* The operator is measured where some kind's operator for the layer is this very one. */
static const layer_kind *kind_of(const layer *l, const aic_spec *spec)
{
    for (const layer_kind *kind = layer_kinds; kind->name != NULL; kind++) {
        aic_spec *same = layer_spec(l, kind);
        const bool found = aic_spec_equal(spec, same);
        aic_spec_destroy(same);
        if (found) {
            return kind;
        }
    }
    return NULL;
}

static const char *take_layer(void *argument, const char *text, aic_spec *spec, size_t line)
{
    size_t *count = argument;
    const char *wrong = *count == FILE_LAYERS_MAX
                            ? "too many lines"
                            : "not measured here: that are conv2d of accumulate=cube and fast, the "
                              "same along both axes and on opposite sides, alone or, of int8, with fixpipe(src=int32, "
                              "dst=int8, format=NZ, quantPre=VREQ8, reluEn=true)";
    (void)text;
    if (*count < FILE_LAYERS_MAX && aic_spec_stage_op(spec, 0) == AIC_OP_CONV2D) {
        const aic_conv2d_desc d = stage_of(spec, 0).desc.conv2d;
        const layer l = layer_of(&d);
        const layer_kind *kind = kind_of(&l, spec);
        file_layers[*count] = l;
        file_lines[*count] = (file_line){kind, line};
        *count += kind != NULL;
        wrong = kind != NULL ? NULL : wrong;
    }
    aic_spec_destroy(spec);
    return wrong;
}

bool read_layers(const char *path)
{
    size_t count = 0;
    const bool good = bench_read_specs(path, take_layer, &count);
    file_layers[count] = (layer){0};
    return good;
}
