// A program outside the tree, in C++: operator text, a context of its own, a 1x1 conv2d in float16.
#include <aic/aic.h>

#include <cstdint>
#include <cstdio>
#include <vector>

int main()
{
    const char *text = "conv2d(dtype=float16, fm_shape=[1,2,2,16], kernel_shape=[1,1,1,16,16])";
    const std::uint16_t half_one = 0x3C00, half_two = 0x4000;

    aic_spec *spec = nullptr;
    aic_context *context = nullptr;
    aic_kernel *kernel = nullptr;
    if (aic_spec_parse(text, &spec) != AIC_OK || aic_spec_validate(spec, nullptr) != AIC_OK ||
        aic_context_create(nullptr, &context) != AIC_OK ||
        aic_kernel_create(context, spec, nullptr, &kernel) != AIC_OK) {
        std::fprintf(stderr, "%s\n", aic_last_error());
        return 1;
    }
    std::vector<std::uint16_t> feature_map(2 * 2 * 16, half_two), weight(16 * 16, half_one);
    std::vector<float> dst(16 * 16, -1.0f);
    void *operands[] = {dst.data(), feature_map.data(), weight.data()};
    if (aic_kernel_call(kernel, operands, 3) != AIC_OK) {
        std::fprintf(stderr, "%s\n", aic_last_error());
        return 1;
    }
    aic_kernel_destroy(kernel);
    aic_spec_destroy(spec);
    aic_context_destroy(context);

    for (std::size_t i = 0; i < dst.size(); i++) {
        float expected = i < 4 * 16 ? 32.0f : -1.0f; // four pixels of 16 products; the rows past them stay
        if (dst[i] != expected) {
            std::fprintf(stderr, "dst[%zu] = %g, not %g\n", i, static_cast<double>(dst[i]),
                         static_cast<double>(expected));
            return 1;
        }
    }
    std::printf("aicjit %s: %g\n", aic_version(), static_cast<double>(dst[0]));
    return 0;
}
