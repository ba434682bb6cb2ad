/* Types shared by every public header: status codes, element types, export marker.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_TYPES_H
#define AIC_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define AIC_VERSION_MAJOR 0
#define AIC_VERSION_MINOR 2
#define AIC_VERSION_PATCH 0
/* One number that grows with every version, to compare with: #if AIC_VERSION >= AIC_VERSION_NUMBER(0, 3, 0) */
#define AIC_VERSION_NUMBER(major, minor, patch) ((major) * 1000000 + (minor) * 1000 + (patch))
#define AIC_VERSION AIC_VERSION_NUMBER(AIC_VERSION_MAJOR, AIC_VERSION_MINOR, AIC_VERSION_PATCH)

#ifdef __cplusplus
#define AIC_EXTERN_C_BEGIN extern "C" {
#define AIC_EXTERN_C_END }
#else
#define AIC_EXTERN_C_BEGIN
#define AIC_EXTERN_C_END
#endif

#define AIC_API __attribute__((visibility("default")))

AIC_EXTERN_C_BEGIN

/* Structures that programs and the library hand to each other begin with `size_t size`, which TYPE_init() sets to what
 * the program was compiled with. The library looks at no more, and fills in no more: it takes the defaults for fields
 * that a smaller structure lacks. A larger one, of a program that was compiled with later headers, is AIC_UNSUPPORTED
 * where something behind what the library knows is not zero, and has the rest zeroed where it is filled in. A size that
 * no version has had, such as 0, is AIC_INVALID_ARGUMENT. TYPE_init() of a structure that a function fills in sets all
 * other members to 0. */
#define AIC_SIZED(type)                                                                                                \
    static inline type type##_init(void)                                                                               \
    {                                                                                                                  \
        type made;                                                                                                     \
        memset(&made, 0, sizeof made);                                                                                 \
        made.size = sizeof made;                                                                                       \
        return made;                                                                                                   \
    }

/* What every fallible function returns. A function that returns anything but AIC_OK has written
 * nothing to its outputs and has left a message for aic_last_error() of the calling thread. */
typedef enum aic_status {
    AIC_OK = 0, /* success */
    AIC_INVALID_ARGUMENT = 1, /* a descriptor, text, option or operand breaks a documented rule */
    AIC_UNSUPPORTED = 2, /* the request is legal but this host or build cannot serve it */
    AIC_OUT_OF_MEMORY = 3, /* memory ran out */
    AIC_IO = 4, /* a file or device operation failed */
    AIC_COMPILE = 5, /* the code generator failed */
    AIC_INTERNAL = 6, /* a broken invariant of the library itself */
} aic_status;

/* Element types, each under a long and a short name: AIC_DTYPE_INT8 and AIC_INT8. AIC_DTYPE_NONE is "not given" and
 * never legal in a descriptor. */
typedef enum aic_dtype {
    AIC_DTYPE_NONE = 0,
    AIC_DTYPE_INT8 = 1, AIC_INT8 = 1,
    AIC_DTYPE_UINT8 = 2, AIC_UINT8 = 2,
    AIC_DTYPE_INT16 = 3, AIC_INT16 = 3,
    AIC_DTYPE_UINT16 = 4, AIC_UINT16 = 4,
    AIC_DTYPE_INT32 = 5, AIC_INT32 = 5,
    AIC_DTYPE_UINT32 = 6, AIC_UINT32 = 6,
    AIC_DTYPE_FLOAT16 = 7, AIC_FLOAT16 = 7,
    AIC_DTYPE_BFLOAT16 = 8, AIC_BFLOAT16 = 8,
    AIC_DTYPE_FLOAT32 = 9, AIC_FLOAT32 = 9,
    AIC_DTYPE_UINT64 = 10, AIC_UINT64 = 10,
} aic_dtype;

/* How contractions of float types add up; integer results have one definition only.
 * CUBE: the block arithmetic of conv2d and mmad (`aicjit rules`, steps block and accumulate), bit for bit. FAST: any
 * order and unit, with |r - e| <= K * 2^-24 * S for K products, the exact value e and S = |I| + sum |x*w|. Where
 * products or sums are subnormal in float32 each may lose 2^-149 more; where S leaves float32's range, sums may
 * overflow on the way to any e. NaN and infinite operands follow IEEE rules.
 * WINOGRAD: as FAST, and conv2d of float16 with kernels of 3x3, stride 1 and dilation 1 may be computed by Winograd's
 * method F(m x m, 3x3), m = 2 or 4, whose matrices and points <aic/winograd.def> states. For C input channels and the
 * m x m tile of results, the first tile at result (0, 0), with (m+2) x (m+2) windows x of the image, the error may be
 * K_m u / (1 - K_m u) * N_m + u * (|I| + N_m) where that is more than FAST's, u = 2^-24, K_2 = C + 13, K_4 = C + 21,
 * N_m = |A^T| [sum over channels of (|G| |w| |G^T|) o (|B^T| |x| |B|)] |A|. Where a tile reads an infinity or a NaN,
 * FAST's. */
typedef enum aic_accumulate {
    AIC_ACCUMULATE_CUBE = 0,
    AIC_ACCUMULATE_FAST = 1,
    AIC_ACCUMULATE_WINOGRAD = 2
} aic_accumulate;

/* In a chain, what sums start from where they do not start from 0: the old accumulators in their layout, or one value a
 * channel. */
typedef enum aic_l1out { AIC_L1OUT_TENSOR = 0, AIC_L1OUT_CHANNEL = 1 } aic_l1out;

/* Data layouts, as transdata and the operands of mmad name them. R x C matrices: ND is row-major, the others are cut
 * into 512-byte fractals; the capital letter says how fractals follow each other, the small one how elements do inside
 * one (z or Z: along the row first). */
typedef enum aic_layout {
    AIC_LAYOUT_ND = 0,
    AIC_LAYOUT_NZ,
    AIC_LAYOUT_ZZ,
    AIC_LAYOUT_ZN,
    AIC_LAYOUT_NN,
    AIC_LAYOUT_NCHW,
    AIC_LAYOUT_NHWC,
    AIC_LAYOUT_NC1HWC0,
    AIC_LAYOUT_OIHW,
    AIC_LAYOUT_HWIO,
    AIC_LAYOUT_FRACTAL_Z, /* [C1, Kh, Kw, Cout, C0], conv2d's weight */
    AIC_LAYOUT_4N,        /* a word holds four int8 of neighbouring batches */
    AIC_LAYOUT_2N,        /* a word holds two int16 of neighbouring batches */
    AIC_LAYOUT_NDC1HWC0,
    AIC_LAYOUT_FRACTAL_Z_3D /* [D, C1, Kh, Kw, Cout, C0] */
} aic_layout;

/* What fixpipe writes: 16-column blocks, or rows (ND). */
typedef enum aic_fixpipe_format { AIC_FORMAT_NZ = 0, AIC_FORMAT_ROW_MAJOR = 1 } aic_fixpipe_format;

/* fixpipe's conversions (AscendC Fixpipe, quantPre); the numbers are the vendor's. */
typedef enum aic_quant_pre {
    AIC_QUANT_NO_QUANT = 0,
    AIC_QUANT_F322F16 = 1,
    AIC_QUANT_VREQ8 = 2,
    AIC_QUANT_REQ8 = 3,
    AIC_QUANT_VDEQF16 = 4,
    AIC_QUANT_DEQF16 = 5,
    AIC_QUANT_F322BF16 = 16,
    AIC_QUANT_VQF322B8_PRE = 23,
    AIC_QUANT_QF322B8_PRE = 24
} aic_quant_pre;

/* Conversions of the TIK fixpipe (TIK manual, fixpipe). */
typedef enum aic_tik_quantize {
    AIC_TIK_QUANTIZE_NONE = 0,
    AIC_TIK_QUANTIZE_FP322FP16 = 1,
    AIC_TIK_QUANTIZE_INT322FP16 = 2
} aic_tik_quantize;

/* What a float result too large for its type becomes (control register, bit 48). SATURATE: the largest finite
 * value, also for infinities, and +0 for NaN. IEEE: infinity, and NaN stays NaN. */
typedef enum aic_overflow { AIC_OVERFLOW_SATURATE = 0, AIC_OVERFLOW_IEEE = 1 } aic_overflow;

/* What a PTO tile is described by (PTO ISA TEXPANDS and the document on tiles). */
typedef enum aic_chip { AIC_CHIP_A2A3 = 0, AIC_CHIP_A5 = 1 } aic_chip;

typedef enum aic_loc {
    AIC_LOC_VEC = 0, /* the unified buffer */
    AIC_LOC_MAT,     /* L1 */
    AIC_LOC_LEFT,
    AIC_LOC_RIGHT,
    AIC_LOC_ACC,
    AIC_LOC_BIAS,
    AIC_LOC_SCALING
} aic_loc;

typedef enum aic_blayout { AIC_BLAYOUT_ROW_MAJOR = 0, AIC_BLAYOUT_COL_MAJOR = 1 } aic_blayout;

typedef enum aic_slayout { AIC_SLAYOUT_NONE_BOX = 0, AIC_SLAYOUT_ROW_MAJOR, AIC_SLAYOUT_COL_MAJOR } aic_slayout;

typedef enum aic_pad { AIC_PAD_NULL = 0, AIC_PAD_ZERO, AIC_PAD_MAX, AIC_PAD_MIN } aic_pad;

/* Values of fields of the kind SIZE that are no size: not given; known at the call only. */
#define AIC_NOT_GIVEN INT64_MIN
#define AIC_DYNAMIC (INT64_MIN + 1)

/* Whether shapes the documents call unsupported, but whose formulas are well defined, are refused
 * (AIC_LIMITS_DOCUMENT) or computed (AIC_LIMITS_HOST): conv2d with W == Kw and H > Kh. */
typedef enum aic_limits { AIC_LIMITS_DOCUMENT = 0, AIC_LIMITS_HOST = 1 } aic_limits;

/* Operations of the tensor processor (tensor arithmetic, BmAtomicOp); the numbers are the vendor's. */
typedef enum aic_atomic_op {
    AIC_ATOMIC_BM_MUL = 0,
    AIC_ATOMIC_BM_MAC = 1,
    AIC_ATOMIC_BM_ADD = 2,
    AIC_ATOMIC_BM_SUB = 3,
    AIC_ATOMIC_BM_MAX = 4,
    AIC_ATOMIC_BM_MIN = 5,
    AIC_ATOMIC_BM_SHIFT = 6,
    AIC_ATOMIC_BM_AND = 7,
    AIC_ATOMIC_BM_OR = 8,
    AIC_ATOMIC_BM_XOR = 9,
    AIC_ATOMIC_BM_SG = 10,
    AIC_ATOMIC_BM_SE = 11,
    AIC_ATOMIC_BM_DIV = 12,
    AIC_ATOMIC_BM_TAYLOR = 13,
    AIC_ATOMIC_BM_FP32_INT32 = 14,
    AIC_ATOMIC_BM_NORMALIZE_INT32 = 15,
    AIC_ATOMIC_BM_NORMALIZE_FP32 = 16,
    AIC_ATOMIC_BM_RSQRT = 17,
    AIC_ATOMIC_BM_CPY = 19,
    AIC_ATOMIC_BM_SQR_SUM = 20,
    AIC_ATOMIC_BM_SQR_DIFF = 21
} aic_atomic_op;

/* Where the operands of tensor arithmetic are. FLAT: each in a buffer of its own, all channels in one lane. LOCAL: in
 * the tensor processor's memory, a lane after the other, at the addresses of the descriptor (tensor processor, memory
 * layout).
 */
typedef enum aic_memory { AIC_MEMORY_FLAT = 0, AIC_MEMORY_LOCAL = 1 } aic_memory;

/* The right shift of fixed-point products (ArithQuantParam, rshift_bit): FLOOR rounds down, HALF_UP adds a half
 * first. */
typedef enum aic_rounding { AIC_ROUNDING_FLOOR = 0, AIC_ROUNDING_HALF_UP = 1 } aic_rounding;

/* Points that the documents leave open and other sources read in another way; the members of aic_semantics say what
 * they are about, and aic/choice.h sets them by name. The first value of each is the default. */
typedef enum aic_sum_model { AIC_SUM_MODEL_BLOCK = 0, AIC_SUM_MODEL_SEQUENTIAL, AIC_SUM_MODEL_EXACT } aic_sum_model;
typedef enum aic_int_overflow { AIC_INT_OVERFLOW_CLAMP = 0, AIC_INT_OVERFLOW_WRAP } aic_int_overflow;
typedef enum aic_offset_sign { AIC_OFFSET_SIGN_SIGNED = 0, AIC_OFFSET_SIGN_UNSIGNED } aic_offset_sign;
typedef enum aic_n_field { AIC_N_FIELD_PLUS_ONE = 0, AIC_N_FIELD_BARE } aic_n_field;
typedef enum aic_mcb_shift { AIC_MCB_SHIFT_FLOOR = 0, AIC_MCB_SHIFT_NEAREST } aic_mcb_shift;
typedef enum aic_scale_bits { AIC_SCALE_BITS_CUT = 0, AIC_SCALE_BITS_FULL } aic_scale_bits;
typedef enum aic_offset_clamp { AIC_OFFSET_CLAMP_CLAMP = 0, AIC_OFFSET_CLAMP_NONE } aic_offset_clamp;
typedef enum aic_relu_order { AIC_RELU_ORDER_BEFORE = 0, AIC_RELU_ORDER_AFTER } aic_relu_order;
typedef enum aic_relu_zero { AIC_RELU_ZERO_POSITIVE = 0, AIC_RELU_ZERO_PRODUCT } aic_relu_zero;
typedef enum aic_mac { AIC_MAC_TWO = 0, AIC_MAC_FUSED } aic_mac;
typedef enum aic_minmax_nan { AIC_MINMAX_NAN = 0, AIC_MINMAX_NUMBER } aic_minmax_nan;
typedef enum aic_mat_valid { AIC_MAT_VALID_WHOLE = 0, AIC_MAT_VALID_VALID } aic_mat_valid;

/* "AIC_OK success" and the like; never NULL, also for values that are no status. Static storage. */
AIC_API const char *aic_status_name(aic_status status);

/* The exit status the command line gives for `status`: 0, 2 or 3. */
AIC_API int aic_status_exit(aic_status status);

/* The message of the calling thread's last failed call: "OPERATOR: FIELD: what is wrong, value and
 * limit". Never NULL; valid until the thread's next failing call. */
AIC_API const char *aic_last_error(void);

/* All messages of that call: a request may break several rules. Number 0 is aic_last_error(), the first broken rule;
 * the others follow in the order of the rules, as far as they can be judged although those before them are broken. NULL
 * past the last. Valid as long as the first. */
AIC_API const char *aic_last_error_at(size_t index);

/* A warning that a successful call on this thread has left since the last one was taken, or NULL; takes it away. Valid
 * until the thread's next call of the library. */
AIC_API const char *aic_take_warning(void);

/* Text name ("int8") of an element type, or "none"; bytes of one element, or 0. */
AIC_API const char *aic_dtype_name(aic_dtype dtype);
AIC_API size_t aic_dtype_size(aic_dtype dtype);

/* The element type with this text name or alias, or AIC_DTYPE_NONE. */
AIC_API aic_dtype aic_dtype_parse(const char *name);

/* The version of the library that runs, "0.2.0" (static storage), and as AIC_VERSION counts. */
AIC_API const char *aic_version(void);
AIC_API int aic_version_number(void);

AIC_EXTERN_C_END

#endif
