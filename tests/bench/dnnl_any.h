/* oneDNN's C interface of versions 2 and 3 as one: what has different names in the two is a function here. What has the
 * same name is called directly, descriptors of memory being dnnl_layout in both. */
#pragma once

#include <oneapi/dnnl/dnnl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program with status 3 where oneDNN has failed. */
static inline void dnnl_need(dnnl_status_t status, const char *what)
{
    if (status != dnnl_success) {
        fprintf(stderr, "bench: oneDNN: %s failed with status %d\n", what, (int)status);
        exit(3);
    }
}

/* "oneDNN 3.6.2" */
static inline const char *dnnl_full_name(void)
{
    static char name[48];
    const dnnl_version_t *version = dnnl_version();
    (void)snprintf(name, sizeof name, "oneDNN %d.%d.%d", version->major, version->minor, version->patch);
    return name;
}

#if DNNL_VERSION_MAJOR >= 3

typedef dnnl_memory_desc_t dnnl_own_layout; /* to be freed with dnnl_layout_free() */
typedef const_dnnl_memory_desc_t dnnl_layout;

static inline dnnl_layout dnnl_layout_of(const dnnl_own_layout *own)
{
    return *own;
}

static inline dnnl_status_t dnnl_layout_init(dnnl_own_layout *own, int rank, const dnnl_dims_t dims,
                                             dnnl_data_type_t type, dnnl_format_tag_t tag)
{
    return dnnl_memory_desc_create_with_tag(own, rank, dims, type, tag);
}

static inline dnnl_status_t dnnl_layout_free(dnnl_own_layout *own)
{
    return dnnl_memory_desc_destroy(*own);
}

static inline dnnl_status_t dnnl_describe_convolution(dnnl_primitive_desc_t *desc, dnnl_engine_t engine,
                                                      dnnl_layout image, dnnl_layout weight, dnnl_layout result,
                                                      const dnnl_dims_t strides, const dnnl_dims_t dilates,
                                                      const dnnl_dims_t pad_begin, const dnnl_dims_t pad_end,
                                                      dnnl_primitive_attr_t attr)
{
    return dnnl_convolution_forward_primitive_desc_create(desc, engine, dnnl_forward_inference, dnnl_convolution_direct,
                                                          image, weight, NULL, result, strides, dilates, pad_begin,
                                                          pad_end, attr);
}

static inline dnnl_status_t dnnl_describe_binary(dnnl_primitive_desc_t *desc, dnnl_engine_t engine, dnnl_alg_kind_t op,
                                                 dnnl_layout a, dnnl_layout b, dnnl_layout result)
{
    return dnnl_binary_primitive_desc_create(desc, engine, op, a, b, result, NULL);
}

static inline dnnl_status_t dnnl_describe_product(dnnl_primitive_desc_t *desc, dnnl_engine_t engine, dnnl_layout a,
                                                  dnnl_layout b, dnnl_layout result, dnnl_primitive_attr_t attr)
{
    return dnnl_matmul_primitive_desc_create(desc, engine, a, b, NULL, result, attr);
}

static inline dnnl_status_t dnnl_append_relu(dnnl_post_ops_t ops)
{
    return dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0);
}

/* Scales of the output channels: here the primitive takes them when it runs, as the argument dnnl_scales_argument(). */
static inline dnnl_status_t dnnl_attr_scales(dnnl_primitive_attr_t attr, dnnl_dim_t count, dnnl_dim_t groups,
                                             const float *scale)
{
    (void)count;
    (void)scale;
    return dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, groups > 1 ? 3 : 1); /* of group and output */
}

static inline int dnnl_scales_argument(void)
{
    return DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS;
}

#else

typedef dnnl_memory_desc_t dnnl_own_layout;
typedef const dnnl_memory_desc_t *dnnl_layout;

static inline dnnl_layout dnnl_layout_of(const dnnl_own_layout *own)
{
    return own;
}

static inline dnnl_status_t dnnl_layout_init(dnnl_own_layout *own, int rank, const dnnl_dims_t dims,
                                             dnnl_data_type_t type, dnnl_format_tag_t tag)
{
    return dnnl_memory_desc_init_by_tag(own, rank, dims, type, tag);
}

static inline dnnl_status_t dnnl_layout_free(dnnl_own_layout *own)
{
    (void)own;
    return dnnl_success;
}

static inline dnnl_status_t dnnl_describe_convolution(dnnl_primitive_desc_t *desc, dnnl_engine_t engine,
                                                      dnnl_layout image, dnnl_layout weight, dnnl_layout result,
                                                      const dnnl_dims_t strides, const dnnl_dims_t dilates,
                                                      const dnnl_dims_t pad_begin, const dnnl_dims_t pad_end,
                                                      dnnl_primitive_attr_t attr)
{
    dnnl_convolution_desc_t convolution;
    const dnnl_status_t status =
        dnnl_dilated_convolution_forward_desc_init(&convolution, dnnl_forward_inference, dnnl_convolution_direct, image,
                                                   weight, NULL, result, strides, dilates, pad_begin, pad_end);
    return status != dnnl_success ? status : dnnl_primitive_desc_create(desc, &convolution, attr, engine, NULL);
}

static inline dnnl_status_t dnnl_describe_binary(dnnl_primitive_desc_t *desc, dnnl_engine_t engine, dnnl_alg_kind_t op,
                                                 dnnl_layout a, dnnl_layout b, dnnl_layout result)
{
    dnnl_binary_desc_t binary;
    const dnnl_status_t status = dnnl_binary_desc_init(&binary, op, a, b, result);
    return status != dnnl_success ? status : dnnl_primitive_desc_create(desc, &binary, NULL, engine, NULL);
}

static inline dnnl_status_t dnnl_describe_product(dnnl_primitive_desc_t *desc, dnnl_engine_t engine, dnnl_layout a,
                                                  dnnl_layout b, dnnl_layout result, dnnl_primitive_attr_t attr)
{
    dnnl_matmul_desc_t product;
    const dnnl_status_t status = dnnl_matmul_desc_init(&product, a, b, NULL, result);
    return status != dnnl_success ? status : dnnl_primitive_desc_create(desc, &product, attr, engine, NULL);
}

static inline dnnl_status_t dnnl_append_relu(dnnl_post_ops_t ops)
{
    return dnnl_post_ops_append_eltwise(ops, 1, dnnl_eltwise_relu, 0, 0);
}

/* Scales of the output channels: here they are part of the primitive, and dnnl_scales_argument() is 0. */
static inline dnnl_status_t dnnl_attr_scales(dnnl_primitive_attr_t attr, dnnl_dim_t count, dnnl_dim_t groups,
                                             const float *scale)
{
    (void)groups;
    return dnnl_primitive_attr_set_output_scales(attr, count, 2, scale);
}

static inline int dnnl_scales_argument(void)
{
    return 0;
}

#endif
