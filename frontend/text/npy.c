/* .npy headers: "\x93NUMPY", version, length of the text, and the text of a Python dictionary of three keys. */
#include "frontend/core/diag.h"
#include "frontend/core/structure.h"
#include <aic/npy.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

/* Types as NumPy writes them. bfloat16 comes last: "<u2" read from a file is uint16. */
static const struct {
    aic_dtype dtype;
    const char *descr;
} descrs[] = {
    {AIC_INT8, "|i1"},   {AIC_UINT8, "|u1"},  {AIC_INT16, "<i2"},   {AIC_UINT16, "<u2"},  {AIC_INT32, "<i4"},
    {AIC_UINT32, "<u4"}, {AIC_UINT64, "<u8"}, {AIC_FLOAT16, "<f2"}, {AIC_FLOAT32, "<f4"}, {AIC_BFLOAT16, "<u2"},
};

enum { PREFIX_BYTES_MAX = 12 }; /* magic, version and the longest length field */

enum { DESCR_COUNT = sizeof descrs / sizeof descrs[0] };

/* NumPy's name for the type ("<f2"), NULL for none. */
static const char *descr_of(aic_dtype dtype)
{
    for (size_t i = 0; i < DESCR_COUNT; i++) {
        if (descrs[i].dtype == dtype) {
            return descrs[i].descr;
        }
    }
    return NULL;
}

/* ---- the dictionary ---- */

/* A scanner over the header text; the first error stays. */
typedef struct scanner {
    const char *subject;
    const char *at, *end;
    aic_status status;
} scanner;

static void fail_at(scanner *s, const char *what)
{
    if (s->status == AIC_OK) {
        s->status = aic_fail(AIC_INVALID_ARGUMENT, s->subject, ".npy header: %s", what);
        s->at = s->end;
    }
}

static void skip_blanks(scanner *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\n')) {
        s->at++;
    }
}

/* Takes `token` if it comes next. */
static bool accept(scanner *s, const char *token)
{
    skip_blanks(s);
    size_t length = strlen(token);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, token, length) != 0) {
        return false;
    }
    s->at += length;
    return true;
}

static void expect(scanner *s, const char *token)
{
    if (!accept(s, token)) {
        char what[64];
        (void)snprintf(what, sizeof what, "\"%s\" is missing", token);
        fail_at(s, what);
    }
}

/* A quoted string without escapes, cut at `capacity`. */
static void scan_string(scanner *s, char *text, size_t capacity)
{
    text[0] = '\0';
    skip_blanks(s);
    char quote = s->at < s->end ? *s->at : '\0';
    const char *start = s->at + 1;
    const char *close = quote == '\'' || quote == '"' ? memchr(start, quote, (size_t)(s->end - start)) : NULL;
    if (close == NULL || (size_t)(close - start) >= capacity) {
        fail_at(s, "a short quoted string is missing");
        return;
    }
    memcpy(text, start, (size_t)(close - start));
    text[close - start] = '\0';
    s->at = close + 1;
}

static int64_t scan_extent(scanner *s)
{
    skip_blanks(s);
    int64_t value = 0;
    const char *start = s->at;
    for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++) {
        if (__builtin_mul_overflow(value, (int64_t)10, &value) ||
            __builtin_add_overflow(value, (int64_t)(*s->at - '0'), &value)) {
            fail_at(s, "a shape entry is too large");
            return 0;
        }
    }
    if (s->at == start) {
        fail_at(s, "a shape entry is not a number");
    }
    return value;
}

static void scan_shape(scanner *s, aic_npy_header *header)
{
    expect(s, "(");
    header->rank = 0;
    header->elements = 1;
    while (s->status == AIC_OK && !accept(s, ")")) {
        if (header->rank == AIC_RANK_MAX) {
            fail_at(s, "shape has too many axes");
            return;
        }
        int64_t extent = scan_extent(s);
        header->shape[header->rank++] = extent;
        if (__builtin_mul_overflow(header->elements, extent, &header->elements)) {
            fail_at(s, "shape holds too many elements");
            return;
        }
        bool comma = accept(s, ",");
        skip_blanks(s);
        bool closes = s->at < s->end && *s->at == ')';
        if (!closes && !comma) {
            fail_at(s, "shape is not a tuple");
        } else if (closes && !comma && header->rank == 1) {
            fail_at(s, "shape is not a tuple");
        }
    }
}

static void scan_descr(scanner *s, aic_npy_header *header)
{
    char descr[24];
    scan_string(s, descr, sizeof descr);
    for (size_t i = 0; i < DESCR_COUNT && s->status == AIC_OK; i++) {
        const char *known = descrs[i].descr;
        bool byte_order = descr[0] == known[0] || (known[0] == '|' && descr[0] == '<');
        if (byte_order && strcmp(descr + 1, known + 1) == 0) {
            header->dtype = descrs[i].dtype;
            return;
        }
    }
    if (s->status == AIC_OK) {
        char what[80];
        (void)snprintf(what, sizeof what, "descr '%s' is no little-endian element type known here", descr);
        fail_at(s, what);
    }
}

static void scan_order(scanner *s)
{
    if (accept(s, "True")) {
        fail_at(s, "fortran_order is True, only C order is read");
    } else {
        expect(s, "False");
    }
}

static void scan_dictionary(scanner *s, aic_npy_header *header)
{
    enum { DESCR = 1, ORDER = 2, SHAPE = 4, ALL = 7 };
    int seen = 0;
    expect(s, "{");
    while (s->status == AIC_OK && !accept(s, "}")) {
        char key[16];
        scan_string(s, key, sizeof key);
        expect(s, ":");
        int which = strcmp(key, "descr") == 0           ? DESCR
                    : strcmp(key, "fortran_order") == 0 ? ORDER
                    : strcmp(key, "shape") == 0         ? SHAPE
                                                        : 0;
        if (s->status == AIC_OK && (which == 0 || (seen & which) != 0)) {
            fail_at(s, which == 0 ? "it has a key besides descr, fortran_order and shape" : "a key is repeated");
        } else if (which == DESCR) {
            scan_descr(s, header);
        } else if (which == ORDER) {
            scan_order(s);
        } else if (which == SHAPE) {
            scan_shape(s, header);
        }
        seen |= which;
        skip_blanks(s);
        if (!accept(s, ",") && (s->at == s->end || *s->at != '}')) {
            fail_at(s, "\",\" or \"}\" is missing");
        }
    }
    skip_blanks(s);
    if (s->status == AIC_OK && s->at != s->end) {
        fail_at(s, "text follows the dictionary");
    } else if (s->status == AIC_OK && seen != ALL) {
        fail_at(s, "descr, fortran_order or shape is missing");
    }
}

aic_status aic_npy_parse(const char *subject, const void *content, size_t size, aic_npy_header *header)
{
    const unsigned char *bytes = content;
    if (bytes == NULL || header == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, bytes == NULL ? "bytes" : "header", "is NULL");
    }
    if (size < 10 || memcmp(bytes, magic, sizeof magic) != 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, subject, "this is no .npy file: it does not begin with \"\\x93NUMPY\"");
    }
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, subject, ".npy version %d.%d is not one of 1.0, 2.0, 3.0", bytes[6],
                        bytes[7]);
    }
    size_t prefix = bytes[6] == 1 ? 10 : PREFIX_BYTES_MAX;
    if (size < prefix) {
        return aic_fail(AIC_INVALID_ARGUMENT, subject, "the .npy header is cut short");
    }
    size_t length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (prefix > 10) {
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    }
    if (length > AIC_NPY_HEADER_MAX - PREFIX_BYTES_MAX || length > size - prefix) {
        return aic_fail(AIC_INVALID_ARGUMENT, subject, "the .npy header's length %zu is beyond the file or above %d",
                        length, AIC_NPY_HEADER_MAX - PREFIX_BYTES_MAX);
    }
    aic_npy_header read = {.data_offset = prefix + length};
    scanner s = {.subject = subject, .at = (const char *)bytes + prefix, .status = AIC_OK};
    s.end = s.at + length;
    scan_dictionary(&s, &read);
    if (s.status == AIC_OK) {
        return aic_structure_give("header", header, &read, sizeof read);
    }
    return s.status;
}

/* ---- writing ---- */

aic_status aic_npy_format(const aic_operand *operand, char header[AIC_NPY_WRITTEN_MAX], size_t *size)
{
    enum { PREFIX = 10, ALIGNMENT = 64, ROOM = AIC_NPY_WRITTEN_MAX - PREFIX };
    if (operand == NULL || header == NULL || size == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT,
                        operand == NULL  ? "operand"
                        : header == NULL ? "header"
                                         : "size",
                        "is NULL");
    }
    aic_operand own = aic_operand_init();
    const aic_status status = aic_structure_take("operand", operand, &own, sizeof own);
    if (status != AIC_OK) {
        return status;
    }
    operand = &own;
    if (descr_of(operand->dtype) == NULL || operand->rank < 0 || operand->rank > AIC_RANK_MAX) {
        return aic_fail(AIC_INVALID_ARGUMENT, "operand", "dtype %d and rank %" PRId32 " are no tensor's",
                        (int)operand->dtype, operand->rank);
    }
    int length =
        snprintf(header + PREFIX, ROOM, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr_of(operand->dtype));
    for (int32_t i = 0; i < operand->rank; i++) {
        length += snprintf(header + PREFIX + length, ROOM - (size_t)length, "%" PRId64 ", ", operand->shape[i]);
    }
    if (operand->rank > 1) {
        length -= 2; /* a tuple of one keeps its comma */
    }
    length += snprintf(header + PREFIX + length, ROOM - (size_t)length, "), }");
    while ((PREFIX + length + 1) % ALIGNMENT != 0) {
        header[PREFIX + length++] = ' ';
    }
    header[PREFIX + length++] = '\n';
    memcpy(header, magic, sizeof magic);
    header[6] = 1;
    header[7] = 0;
    header[8] = (char)(length & 0xFF);
    header[9] = (char)(length >> 8);
    *size = (size_t)(PREFIX + length);
    return AIC_OK;
}
