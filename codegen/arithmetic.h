/* How the sums of a contraction are formed: the order of the products, and what one instruction multiplies. */
#pragma once

/* The type of the running sums and the order in which products are added to them. */
typedef enum aic_sum {
    AIC_SUM_INT,      /* int8 products in int32, the sum cannot overflow, or it counts modulo 2^32 */
    AIC_SUM_INT_WIDE, /* int8 products in int32 by blocks of taps, the blocks in int64, clamped once */
    AIC_SUM_FAST,     /* float products in float32, any order */
    AIC_SUM_CUBE,     /* float products in float64 by blocks of 32 bytes of channels, each rounded to float32 */
} aic_sum;

/* Results are int32 or float32, in blocks of 16 columns. */
#define AIC_SUM_BYTES 4
#define AIC_BLOCK_COLUMNS 16

/* The k-pack: what one multiply-accumulate instruction takes from each operand for one lane. */
typedef enum aic_product {
    AIC_PRODUCT_PAIR, /* two int16 */
    AIC_PRODUCT_QUAD, /* four int8, of one channel in four rows in the micro-kernel depth; eight for instructions that
                         multiply small matrices (mmla) */
    AIC_PRODUCT_FLOAT,
    AIC_PRODUCT_BFLOAT, /* two bfloat16; a float16 is the sum of two bfloat16, one in each plane */
    AIC_PRODUCT_WORD,   /* one int8 as an int32: groups of one channel */
    AIC_PRODUCT_ROWS,   /* two int16, of one channel in two rows of the image, one below the other */
} aic_product;

/* The most planes of an element: the upper significant bits of a float16, and the others. */
enum { AIC_PLANES_MAX = 2 };

typedef struct aic_arithmetic {
    aic_sum sum; /* how the target adds up: CUBE in place of FAST where it cannot keep the error bound of FAST */
    aic_product product;
    unsigned kpack_bytes;
    unsigned kpack_channels;
    unsigned sum_bits; /* width of a running sum, one lane of a vector */
    int image_offset;  /* added to the image's int8 where the instruction takes them unsigned; 0: none */
    unsigned planes;   /* of an element; the k-packs of the first plane come before those of the second */
} aic_arithmetic;
