/* Text under way to a caller's buffer. */
#include "frontend/text/sink.h"

#include "frontend/core/diag.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void aic_text_add(char *text, size_t capacity, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text + used, capacity - used, format, arguments);
    va_end(arguments);
}

void aic_text_join(char *text, size_t capacity, const char *separator, const char *word)
{
    aic_text_add(text, capacity, "%s%s", text[0] != '\0' ? separator : "", word);
}

void aic_sink_put(aic_sink *out, const char *text)
{
    for (; *text; text++, out->length++) {
        if (out->length < out->capacity) {
            out->buffer[out->length] = *text;
        }
    }
}

aic_status aic_sink_write(void (*write)(aic_sink *out, const void *from), const void *from, char *buffer,
                          size_t capacity, size_t *length)
{
    aic_sink measure = {NULL, 0, 0}; /* first, so that a buffer that is too small stays as it was */
    write(&measure, from);
    if (length) {
        *length = measure.length;
    }
    if (capacity == 0) {
        return AIC_OK;
    }
    if (!buffer) {
        return aic_fail(AIC_INVALID_ARGUMENT, NULL, "the buffer is NULL");
    }
    if (measure.length >= capacity) {
        return aic_fail(AIC_INVALID_ARGUMENT, NULL, "the text needs %zu bytes, the buffer has %zu", measure.length + 1,
                        capacity);
    }
    aic_sink out = {buffer, capacity, 0};
    write(&out, from);
    buffer[out.length] = '\0';
    return AIC_OK;
}

aic_status aic_sink_new(void (*write)(aic_sink *out, const void *from), const void *from, char **text)
{
    enum { SHORT = 1024 };
    char room[SHORT];
    aic_sink out = {room, sizeof room, 0};
    write(&out, from);
    const size_t length = out.length;
    char *made = malloc(length + 1);
    if (!made) {
        return aic_fail_memory("text", length + 1);
    }
    if (length <= sizeof room) {
        memcpy(made, room, length);
    } else {
        out = (aic_sink){made, length, 0};
        write(&out, from);
    }
    made[length] = '\0';
    *text = made;
    return AIC_OK;
}

bool aic_stream_end(FILE *out, char **text)
{
    const bool incomplete = ferror(out) != 0;
    if (fclose(out) != 0 || incomplete || *text == NULL) {
        free(*text);
        *text = NULL;
        return false;
    }
    return true;
}
