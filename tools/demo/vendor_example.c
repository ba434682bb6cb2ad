/* The second example of the TIK conv2d document: feature map 0.0, 0.01, ... 5.11, weight 0.0, 0.01, ... 20.47, of which
 * element k is half(k * half(0.01)); dst is printed in full. */
#include "tools/demo/vendor_example.h"

#include "tools/harness/element.h"

#include <string.h>

enum { FEATURE_MAP_ELEMENTS = 2 * 4 * 4 * 16, WEIGHT_ELEMENTS = 2 * 2 * 2 * 16 * 16, ROWS = 16 };

/* The bits of the 64 printed float32 values, rows of 16 output channels. */
static const uint32_t printed[VENDOR_VALUES] = {
    0x455F0BCC, 0x4561CD7E, 0x456490FD, 0x45675298, 0x456A1498, 0x456CD7BC, 0x456F9A0D, 0x45725E04,
    0x45751FB3, 0x4577E131, 0x457AA4FA, 0x457D6697, 0x45801492, 0x4581759E, 0x4582D6C4, 0x45843840,
    0x456A9FD2, 0x456D95F9, 0x45708DFA, 0x4573840E, 0x45767A7E, 0x4579722A, 0x457C68F0, 0x457F6176,
    0x45812BCA, 0x4582A6C4, 0x458422EA, 0x45859DF6, 0x45871976, 0x458894C2, 0x458A1021, 0x458B8BE0,
    0x4586A991, 0x45887343, 0x458A3DF6, 0x458C07A7, 0x458DD174, 0x458F9C0B, 0x4591660A, 0x45933114,
    0x4594FAB8, 0x4596C453, 0x45988F2D, 0x459A58E2, 0x459C22FE, 0x459DECFB, 0x459FB6F8, 0x45A1816F,
    0x458C739F, 0x458E578D, 0x45903C83, 0x45922072, 0x45940478, 0x4595E954, 0x4597CD8F, 0x4599B2E2,
    0x459B96BF, 0x459D7A96, 0x459F5FB3, 0x45A143A6, 0x45A327FE, 0x45A50C3C, 0x45A6F074, 0x45A8D52E,
};

int vendor_example(aic_context *context)
{
    static uint16_t feature_map[FEATURE_MAP_ELEMENTS], weight[WEIGHT_ELEMENTS];
    static float dst[ROWS * 16];
    double step = element_to_double(AIC_FLOAT16, &(uint16_t){element_half(0.01)});
    for (int k = 0; k < WEIGHT_ELEMENTS; k++) {
        weight[k] = element_half(k * step);
    }
    memcpy(feature_map, weight, sizeof feature_map); /* the same sequence, shorter */
    aic_conv2d_desc desc = aic_conv2d_desc_init();
    desc.dtype = AIC_FLOAT16;
    memcpy(desc.fm_shape, (int64_t[]){2, 4, 4, 16}, sizeof desc.fm_shape);
    memcpy(desc.kernel_shape, (int64_t[]){2, 2, 2, 16, 16}, sizeof desc.kernel_shape);
    memcpy(desc.dilation, (int64_t[]){2, 2}, sizeof desc.dilation);
    if (aic_jit_conv2d(context, &desc, dst, feature_map, weight) != AIC_OK) {
        return -1;
    }
    int equal = 0;
    for (int i = 0; i < VENDOR_VALUES; i++) {
        uint32_t bits;
        memcpy(&bits, &dst[i], sizeof bits);
        equal += bits == printed[i];
    }
    return equal;
}
