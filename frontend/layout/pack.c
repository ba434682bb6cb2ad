/* Images and weights in the layouts of conv2d (data layouts). */
#include <aic/pack.h>

#include "frontend/core/rule.h"
#include "frontend/core/size.h"

#include <inttypes.h>
#include <string.h>

/* Blocks of this many channels take no more than these. */
enum { SMALL_BLOCK = 4, ROW_BYTES = 32, COLUMN_BLOCK = 16 };

/* Sizes whose products fit in 64 bits with room. */
enum { EXTENT_MAX = 1 << 20 };

/* Every size of a shape, the channels (entry `channels`) and the block: `full`, or one of four, or, where groups of
 * channels may be smaller, of any power of two; such a block holds all channels. */
static aic_status check_shape(const char *subject, const int64_t shape[4], const char *const letters[4], int channels,
                              int64_t c0, int64_t full, bool groups)
{
    const bool power = groups && c0 >= 1 && c0 < full && (c0 & (c0 - 1)) == 0;
    const aic_status status = aic_rule_given("shape", shape);
    aic_verdict v = aic_request_verdict(subject);
    for (int i = 0; i < 4 && status == AIC_OK; i++) {
        aic_rule_range(&v, AIC_REQUEST_pack_shape, "shape", letters[i], shape[i], 1, EXTENT_MAX);
    }
    if (status == AIC_OK && groups && !power && c0 != full) {
        aic_break(&v, AIC_REQUEST_pack_block, "c0: %" PRId64 " is no power of two in 1..%" PRId64, c0, full);
    } else if (status == AIC_OK && !groups && c0 != SMALL_BLOCK && c0 != full) {
        aic_break(&v, AIC_REQUEST_pack_block, "c0: %" PRId64 " is neither %d nor %" PRId64, c0, SMALL_BLOCK, full);
    }
    if (status == AIC_OK && v.status == AIC_OK && c0 != full && shape[channels] > c0) {
        aic_break(&v, AIC_REQUEST_pack_channels,
                  "shape: %s = %" PRId64 " is outside 1..%" PRId64 ", which c0 = %" PRId64 " takes", letters[channels],
                  shape[channels], c0, c0);
    }
    return status == AIC_OK ? v.status : status;
}

static aic_status product(const char *subject, const int64_t sizes[5], int64_t size, size_t *bytes)
{
    int64_t result = size;
    for (int i = 0; i < 5; i++) {
        result = aic_size_multiply(result, sizes[i]);
    }
    if (result == INT64_MAX) {
        aic_verdict v = aic_request_verdict(subject);
        aic_break(&v, AIC_REQUEST_pack_shape, "shape: the packed tensor has more than 2^63-1 bytes");
        return v.status;
    }
    *bytes = (size_t)result;
    return AIC_OK;
}

/* ---- pictures ---- */

#define PICTURE "pack_picture"

static aic_status check_picture(const int64_t shape[4], int64_t c0)
{
    static const char *const letters[4] = {"N", "H", "W", "C"};
    return check_shape(PICTURE, shape, letters, 3, c0, ROW_BYTES, false);
}

aic_status aic_pack_picture_bytes(const int64_t shape[4], int64_t c0, size_t *bytes)
{
    aic_status status = check_picture(shape, c0);
    status = status == AIC_OK ? aic_rule_given("bytes", bytes) : status;
    if (status != AIC_OK) {
        return status;
    }
    const int64_t sizes[5] = {shape[0], aic_size_blocks(shape[3], c0), shape[1], shape[2], c0};
    return product(PICTURE, sizes, 1, bytes);
}

static int8_t shifted(uint8_t pixel, int32_t zero_point)
{
    const int32_t value = pixel - zero_point;
    return (int8_t)(value < INT8_MIN ? INT8_MIN : value > INT8_MAX ? INT8_MAX : value);
}

aic_status aic_pack_picture(const uint8_t *picture, const int64_t shape[4], int64_t c0, int32_t zero_point,
                            int8_t *packed)
{
    size_t bytes = 0;
    aic_status status = aic_rule_given("picture", picture);
    status = status == AIC_OK ? aic_pack_picture_bytes(shape, c0, &bytes) : status;
    aic_verdict v = aic_request_verdict(PICTURE);
    if (status == AIC_OK && !aic_rule_range(&v, AIC_REQUEST_zero_point, "zero_point", NULL, zero_point, 0, UINT8_MAX)) {
        status = v.status;
    }
    status = status == AIC_OK ? aic_rule_given("packed", packed) : status;
    if (status != AIC_OK) {
        return status;
    }
    const int64_t cells = shape[1] * shape[2], channels = shape[3], c1 = aic_size_blocks(channels, c0);
    memset(packed, 0, bytes);
    for (int64_t n = 0; n < shape[0]; n++) {
        for (int64_t cell = 0; cell < cells; cell++) {
            const uint8_t *from = picture + (n * cells + cell) * channels;
            for (int64_t c = 0; c < channels; c++) {
                packed[((n * c1 + c / c0) * cells + cell) * c0 + c % c0] = shifted(from[c], zero_point);
            }
        }
    }
    return AIC_OK;
}

/* ---- weights ---- */

#define WEIGHTS "pack_weights"

static aic_status check_weights(aic_dtype dtype, const int64_t shape[4], int64_t c0)
{
    static const char *const letters[4] = {"O", "I", "Kh", "Kw"};
    static const aic_dtype legal[] = {AIC_INT8, AIC_FLOAT16};
    aic_verdict v = aic_request_verdict(WEIGHTS);
    return aic_rule_dtype(&v, AIC_REQUEST_pack_type, "dtype", dtype, legal, sizeof legal / sizeof legal[0], "")
               ? check_shape(WEIGHTS, shape, letters, 1, c0, ROW_BYTES / (int64_t)aic_dtype_size(dtype), true)
               : v.status;
}

aic_status aic_pack_weights_bytes(aic_dtype dtype, const int64_t shape[4], int64_t c0, size_t *bytes)
{
    aic_status status = check_weights(dtype, shape, c0);
    status = status == AIC_OK ? aic_rule_given("bytes", bytes) : status;
    if (status != AIC_OK) {
        return status;
    }
    const int64_t sizes[5] = {aic_size_blocks(shape[1], c0), shape[2], shape[3],
                              aic_size_blocks(shape[0], COLUMN_BLOCK) * COLUMN_BLOCK, c0};
    return product(WEIGHTS, sizes, (int64_t)aic_dtype_size(dtype), bytes);
}

/* Copies `count` elements, of which `pitch` lie from one to the next in the source. */
static void gather(size_t size, const unsigned char *source, int64_t pitch, int64_t count, unsigned char *target)
{
    if (pitch == 1) {
        memcpy(target, source, (size_t)count * size);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        memcpy(target + i * (int64_t)size, source + i * pitch * (int64_t)size, size);
    }
}

/* The weights of output channel `o`: of each block of channels and tap as many as there are. */
static void pack_output(aic_dtype dtype, const unsigned char *weights, const int64_t shape[4], int64_t c0, int64_t o,
                        unsigned char *packed)
{
    const int64_t size = (int64_t)aic_dtype_size(dtype), taps = shape[2] * shape[3];
    const int64_t outputs = aic_size_blocks(shape[0], COLUMN_BLOCK) * COLUMN_BLOCK;
    for (int64_t first = 0; first < shape[1]; first += c0) {
        const int64_t count = shape[1] - first < c0 ? shape[1] - first : c0;
        for (int64_t tap = 0; tap < taps; tap++) {
            const unsigned char *source = weights + ((o * shape[1] + first) * taps + tap) * size;
            unsigned char *target = packed + ((first / c0 * taps + tap) * outputs + o) * c0 * size;
            if (size == 1) {
                gather(1, source, taps, count, target);
            } else {
                gather(2, source, taps, count, target);
            }
        }
    }
}

aic_status aic_pack_weights(aic_dtype dtype, const void *weights, const int64_t shape[4], int64_t c0, void *packed)
{
    size_t bytes = 0;
    aic_status status = aic_rule_given("weights", weights);
    status = status == AIC_OK ? aic_pack_weights_bytes(dtype, shape, c0, &bytes) : status;
    status = status == AIC_OK ? aic_rule_given("packed", packed) : status;
    if (status != AIC_OK) {
        return status;
    }
    memset(packed, 0, bytes);
    for (int64_t o = 0; o < shape[0]; o++) {
        pack_output(dtype, weights, shape, c0, o, packed);
    }
    return AIC_OK;
}
