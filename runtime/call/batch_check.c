/* What a batch demands of its addresses: of every image what a call demands, and of outputs that they are apart from
 * all that belongs to other images, as images are done in any order and at the same time. */
#include "runtime/call/batch.h"

#include "frontend/core/diag.h"

#include <stdio.h>
#include <string.h>

/* The address behind operand number i of the last image; false when it is past the end of the address space. */
static bool find_end(const aic_argument *argument, const aic_images *images, size_t i, uintptr_t *end)
{
    return !__builtin_mul_overflow((uintptr_t)images->stride[i], (uintptr_t)(images->count - 1), end) &&
           !__builtin_add_overflow(*end, argument[i].bytes, end) &&
           !__builtin_add_overflow(*end, (uintptr_t)images->address[i], end);
}

/* Strides by themselves. */
static aic_status check_strides(const aic_code *code, const aic_argument *argument, const aic_images *images)
{
    for (size_t i = 0; i < code->operand_count; i++) {
        uintptr_t end;
        const size_t stride = images->stride[i];
        if (argument[i].least == 0) {
            continue; /* the operand is not taken */
        }
        if ((stride & argument[i].misalignment) != 0) {
            return aic_fail(AIC_INVALID_ARGUMENT, code->subject, "%s: stride %zu is not a multiple of %zu",
                            argument[i].name, stride, (size_t)argument[i].misalignment + 1);
        }
        if (!find_end(argument, images, i, &end)) {
            return aic_fail(AIC_INVALID_ARGUMENT, code->subject, "%s: %zu images of stride %zu leave the address space",
                            argument[i].name, images->count, stride);
        }
    }
    if (images->stride[0] < argument[0].bytes) {
        return aic_fail(AIC_INVALID_ARGUMENT, code->subject, "%s: stride %zu is less than the %zu bytes of an image",
                        argument[0].name, images->stride[0], (size_t)argument[0].bytes);
    }
    return AIC_OK;
}

/* The first image other than `own` whose operand, `bytes` from `start` on and then `stride` apart, shares memory with
 * the `size` bytes at `output`; SIZE_MAX when there is none. All of it is in the address space.
 *
 * Image m does when start + m*stride < output + size and output < start + m*stride + bytes: the images from the first
 * with m*stride > output - start - bytes to the last with m*stride < output + size - start. */
static size_t find_clash(uintptr_t output, uintptr_t size, uintptr_t start, uintptr_t bytes, size_t stride,
                         size_t count, size_t own)
{
    if (output + size <= start) {
        return SIZE_MAX;
    }
    size_t first = 0;
    if (output >= start + bytes) {
        if (stride == 0) {
            return SIZE_MAX;
        }
        first = (output - start - bytes) / stride + 1;
    }
    first += first == own;
    if (first >= count || (stride > 0 && first > (output + size - start - 1) / stride)) {
        return SIZE_MAX;
    }
    return first;
}

/* The output of every image against one operand of all the others. */
static aic_status check_apart(const aic_code *code, const aic_argument *argument, const aic_images *images, size_t i)
{
    const uintptr_t size = argument[0].bytes, bytes = argument[i].bytes;
    const uintptr_t output = (uintptr_t)images->address[0], start = (uintptr_t)images->address[i];
    uintptr_t output_end = 0, end = 0;
    (void)find_end(argument, images, 0, &output_end);
    (void)find_end(argument, images, i, &end);
    if (output_end <= start || end <= output || size == 0 || bytes == 0) {
        return AIC_OK;
    }
    for (size_t k = 0; k < images->count; k++) {
        const size_t other =
            find_clash(output + k * images->stride[0], size, start, bytes, images->stride[i], images->count, k);
        if (other != SIZE_MAX) {
            return aic_fail(AIC_INVALID_ARGUMENT, code->subject, "%s: that of image %zu overlaps %s of image %zu",
                            argument[0].name, k, argument[i].name, other);
        }
    }
    return AIC_OK;
}

/* Puts the image's number into the message that was left for it. */
static aic_status name_image(aic_status status, const aic_code *code, size_t image)
{
    char message[AIC_MESSAGE_MAX];
    const size_t subject = strlen(code->subject);
    (void)snprintf(message, sizeof message, "%s", aic_last_error());
    const bool begins = strncmp(message, code->subject, subject) == 0; /* else it is about a stage of a chain */
    return aic_refail(status, code->subject, "image %zu: %s", image, begins ? message + subject + 2 : message);
}

static aic_status check_images(const aic_code *code, int form, const aic_images *images)
{
    for (size_t k = 0; k < images->count; k++) {
        const void *operands[AIC_OPERANDS_MAX];
        aic_images_operands(images, code->operand_count, k, operands);
        aic_status status = aic_call_check(code, form, operands);
        if (status != AIC_OK) {
            return k == 0 ? status : name_image(status, code, k);
        }
    }
    return AIC_OK;
}

/* Whether no operand shares memory with another one, whatever the images, which is the usual case: then the addresses
 * of all images are right if those of the first one are. */
static bool are_apart(const aic_code *code, const aic_argument *argument, const aic_images *images)
{
    uintptr_t start[AIC_OPERANDS_MAX], end[AIC_OPERANDS_MAX];
    for (size_t i = 0; i < code->operand_count; i++) {
        start[i] = end[i] = (uintptr_t)images->address[i];
        if (argument[i].least != 0) {
            (void)find_end(argument, images, i, &end[i]); /* is in the address space */
        }
        for (size_t j = 0; j < i; j++) {
            if (start[i] < end[j] && start[j] < end[i]) {
                return false;
            }
        }
    }
    return true;
}

/* Whether each image must be looked at for what is not a matter of addresses. */
static bool differ(const aic_code *code, int form, const aic_images *images)
{
    return code->data_check.check != NULL ||
           (form == AIC_PACKED && code->packed != 0 && images->stride[code->packed] != 0);
}

aic_status aic_batch_check(const aic_code *code, int form, const aic_images *images)
{
    const aic_argument *argument = code->argument[form];
    /* The first image's own rules come first: they find addresses of 0. */
    aic_status status = check_images(code, form, &(aic_images){images->address, images->stride, 1});
    status = status == AIC_OK ? check_strides(code, argument, images) : status;
    if (status != AIC_OK) {
        return status;
    }
    const bool apart = are_apart(code, argument, images);
    if (!apart || differ(code, form, images)) {
        status = check_images(code, form, images);
    }
    for (size_t i = 1; status == AIC_OK && !apart && i < code->operand_count; i++) {
        status = argument[i].least != 0 ? check_apart(code, argument, images, i) : AIC_OK;
    }
    return status;
}
