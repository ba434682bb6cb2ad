/* Field lists at run time: one aic_field a row of an operator's .def list. Text, keys and tests walk them; nothing
 * else knows what a descriptor consists of. */
#ifndef AIC_FRONTEND_FIELD_H
#define AIC_FRONTEND_FIELD_H

#include <aic/field.h>
#include <string.h>

typedef enum aic_field_kind {
    AIC_KIND_INT,
    AIC_KIND_REAL,
    AIC_KIND_FLOAT32,
    AIC_KIND_BOOL,
    AIC_KIND_DTYPE,
    AIC_KIND_BITS,
    AIC_KIND_DIMS,
    AIC_KIND_SIZE,
    AIC_KIND_TAG,
#define AIC_ENUM(KIND, type, expected) AIC_KIND_##KIND,
#include <aic/enum.def>
#undef AIC_ENUM
    AIC_KIND_END
} aic_field_kind;

/* The kinds from here on are enumerations. */
#define AIC_KIND_FIRST_ENUM (AIC_KIND_TAG + 1)

typedef struct aic_field {
    const char *name;
    aic_field_kind kind;
    uint32_t count; /* entries; 1: a scalar */
    bool required;
    bool added;    /* left out of texts and identities where it has its fallback */
    size_t offset; /* in the descriptor */
    double fallback;
} aic_field;

/* A named list of fields: what is written "name(key=value, ...)". */
typedef struct aic_record {
    const char *name;
    const aic_field *fields;
    size_t count;
} aic_record;

#define AIC_NEED_REQUIRED true
#define AIC_NEED_OPTIONAL false
#define AIC_NEED_ADDED false
#define AIC_ADDED_REQUIRED false
#define AIC_ADDED_OPTIONAL false
#define AIC_ADDED_ADDED true

/* A row of the table of `type`: #define AIC_FIELD(...) AIC_FIELD_ROW(aic_conv2d_desc, __VA_ARGS__) */
#define AIC_FIELD_ROW(type, kind, name, count, need, fallback)                                                         \
    {#name, AIC_KIND_##kind, count, AIC_NEED_##need, AIC_ADDED_##need, offsetof(type, name), (double)(fallback)},

/* Writing a descriptor's fields as key words:
 *
 *     #define AIC_FIELD(kind, name, count, need, fallback) AIC_KEY_FIELD(kind, desc->name, count)
 *
 * Reals go in by their bits, so 0.0 and -0.0 are different keys, as are two NaN; booleans by their byte, which a caller
 * may have filled with anything. `words` and `n` are the caller's. */
#define AIC_KEY_FIELD(kind, member, count)                                                                             \
    for (uint32_t i_ = 0; i_ < (count); i_++) {                                                                        \
        words[n++] = AIC_WORD_##kind(((const AIC_RAW_##kind *)(const void *)&(member))[i_]);                           \
    }

/* The same for comparing them with such words: returns 0 from the function where an entry differs. */
#define AIC_COMPARE_FIELD(kind, member, count)                                                                         \
    if (sizeof(AIC_RAW_##kind) == sizeof words[0]) {                                                                   \
        if (memcmp(words + n, (const void *)&(member), (count) * sizeof words[0]) != 0) {                              \
            return 0;                                                                                                  \
        }                                                                                                              \
        n += (count);                                                                                                  \
    } else {                                                                                                           \
        for (uint32_t i_ = 0; i_ < (count); i_++) {                                                                    \
            if (words[n++] != AIC_WORD_##kind(((const AIC_RAW_##kind *)(const void *)&(member))[i_])) {                \
                return 0;                                                                                              \
            }                                                                                                          \
        }                                                                                                              \
    }
#define AIC_RAW_INT int64_t
#define AIC_RAW_REAL double
#define AIC_RAW_FLOAT32 float
#define AIC_RAW_BOOL unsigned char
#define AIC_RAW_DTYPE aic_dtype
#define AIC_RAW_BITS uint64_t
#define AIC_RAW_DIMS int64_t
#define AIC_RAW_ACCUMULATE aic_accumulate
#define AIC_RAW_L1OUT aic_l1out
#define AIC_RAW_LAYOUT aic_layout
#define AIC_RAW_FORMAT aic_fixpipe_format
#define AIC_RAW_QUANT_PRE aic_quant_pre
#define AIC_RAW_TIK_QUANTIZE aic_tik_quantize
#define AIC_RAW_SIZE int64_t
#define AIC_RAW_TAG uint64_t
#define AIC_RAW_ARCH aic_chip
#define AIC_RAW_LOC aic_loc
#define AIC_RAW_BLAYOUT aic_blayout
#define AIC_RAW_SLAYOUT aic_slayout
#define AIC_RAW_PAD aic_pad
#define AIC_RAW_LIMITS aic_limits
#define AIC_RAW_OVERFLOW aic_overflow
#define AIC_RAW_ATOMIC_OP aic_atomic_op
#define AIC_RAW_MEMORY aic_memory
#define AIC_RAW_ROUNDING aic_rounding
#define AIC_RAW_SUM_MODEL aic_sum_model
#define AIC_RAW_INT_OVERFLOW aic_int_overflow
#define AIC_RAW_OFFSET_SIGN aic_offset_sign
#define AIC_RAW_N_FIELD aic_n_field
#define AIC_RAW_MCB_SHIFT aic_mcb_shift
#define AIC_RAW_SCALE_BITS aic_scale_bits
#define AIC_RAW_OFFSET_CLAMP aic_offset_clamp
#define AIC_RAW_RELU_ORDER aic_relu_order
#define AIC_RAW_RELU_ZERO aic_relu_zero
#define AIC_RAW_MAC aic_mac
#define AIC_RAW_MINMAX_NAN aic_minmax_nan
#define AIC_RAW_MAT_VALID aic_mat_valid
#define AIC_WORD_INT(v) ((uint64_t)(v))
#define AIC_WORD_REAL(v) aic_bits_of_double(v)
#define AIC_WORD_FLOAT32(v) aic_bits_of_float(v)
#define AIC_WORD_BOOL(v) ((uint64_t)(v))
#define AIC_WORD_DTYPE(v) ((uint64_t)(v))
#define AIC_WORD_BITS(v) (v)
#define AIC_WORD_DIMS(v) ((uint64_t)(v))
#define AIC_WORD_ACCUMULATE(v) ((uint64_t)(v))
#define AIC_WORD_L1OUT(v) ((uint64_t)(v))
#define AIC_WORD_LAYOUT(v) ((uint64_t)(v))
#define AIC_WORD_FORMAT(v) ((uint64_t)(v))
#define AIC_WORD_QUANT_PRE(v) ((uint64_t)(v))
#define AIC_WORD_TIK_QUANTIZE(v) ((uint64_t)(v))
#define AIC_WORD_SIZE(v) ((uint64_t)(v))
#define AIC_WORD_TAG(v) (v)
#define AIC_WORD_ARCH(v) ((uint64_t)(v))
#define AIC_WORD_LOC(v) ((uint64_t)(v))
#define AIC_WORD_BLAYOUT(v) ((uint64_t)(v))
#define AIC_WORD_SLAYOUT(v) ((uint64_t)(v))
#define AIC_WORD_PAD(v) ((uint64_t)(v))
#define AIC_WORD_LIMITS(v) ((uint64_t)(v))
#define AIC_WORD_OVERFLOW(v) ((uint64_t)(v))
#define AIC_WORD_ATOMIC_OP(v) ((uint64_t)(v))
#define AIC_WORD_MEMORY(v) ((uint64_t)(v))
#define AIC_WORD_ROUNDING(v) ((uint64_t)(v))
#define AIC_WORD_SUM_MODEL(v) ((uint64_t)(v))
#define AIC_WORD_INT_OVERFLOW(v) ((uint64_t)(v))
#define AIC_WORD_OFFSET_SIGN(v) ((uint64_t)(v))
#define AIC_WORD_N_FIELD(v) ((uint64_t)(v))
#define AIC_WORD_MCB_SHIFT(v) ((uint64_t)(v))
#define AIC_WORD_SCALE_BITS(v) ((uint64_t)(v))
#define AIC_WORD_OFFSET_CLAMP(v) ((uint64_t)(v))
#define AIC_WORD_RELU_ORDER(v) ((uint64_t)(v))
#define AIC_WORD_RELU_ZERO(v) ((uint64_t)(v))
#define AIC_WORD_MAC(v) ((uint64_t)(v))
#define AIC_WORD_MINMAX_NAN(v) ((uint64_t)(v))
#define AIC_WORD_MAT_VALID(v) ((uint64_t)(v))

static inline uint64_t aic_bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline uint32_t aic_bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A name of at most eight letters as a tag, and back. */
typedef struct aic_tag_name {
    char text[sizeof(uint64_t) + 1];
} aic_tag_name;

static inline uint64_t aic_tag(const char *name)
{
    uint64_t tag = 0;
    for (unsigned i = 0; i < sizeof tag && name[i] != '\0'; i++) {
        tag |= (uint64_t)(unsigned char)name[i] << (8 * i);
    }
    return tag;
}

static inline aic_tag_name aic_tag_text(uint64_t tag)
{
    aic_tag_name name = {""};
    for (unsigned i = 0; i < sizeof tag; i++) {
        name.text[i] = (char)(tag >> (8 * i) & 0xFF);
    }
    return name;
}

/* Word of a value of an enumeration ("cube"), NULL for values that are none; the value of a word; what the words are,
 * for messages. */
const char *aic_enum_word(aic_field_kind kind, uint64_t value);
bool aic_enum_value(aic_field_kind kind, const char *word, size_t length, uint64_t *value);
const char *aic_enum_expected(aic_field_kind kind);
/* Word number `index` of a kind, of those that are printed and those that are read; NULL past the last. */
const char *aic_enum_listed(aic_field_kind kind, size_t index);

/* Goes on with a hash (bytes.h) of what the kind's words mean; of a kind that is no enumeration it stays. */
uint64_t aic_enum_hash(uint64_t hash, aic_field_kind kind);

/* Whether texts and identities have the field: all but those that were added later and have their fallback. */
bool aic_field_present(const aic_field *field, const void *desc);

/* Entries of a field that operator text shows: all, or for DIMS those up to the last that is not 0. */
uint32_t aic_field_shown(const aic_field *field, const void *desc);

/* Puts every field's fallback into a descriptor of `size` bytes, padding zeroed. */
void aic_fields_init(const aic_field *fields, size_t count, void *desc, size_t size);

/* Entry `index` of a field as a 64-bit pattern: integers and enumerations by value, reals by their bits. */
uint64_t aic_field_word(const aic_field *field, const void *desc, uint32_t index);

/* A hash of what a record's words mean: of its name and its fields' names, kinds and sizes, and of the words that name
 * the values of enumerations. Records that were made with another list of fields have another one, but for fields that
 * were added, which identities have only where they count. */
uint64_t aic_record_signature(const aic_record *record);

/* Stores an entry from such a pattern; for tests and parsers. */
void aic_field_set_word(const aic_field *field, void *desc, uint32_t index, uint64_t word);

#endif
