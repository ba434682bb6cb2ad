/* Names, sizes and codes of the types that every public header shares, from their .def tables. */
#include <aic/types.h>

#include <string.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *aic_version(void)
{
    return TEXT(AIC_VERSION_MAJOR) "." TEXT(AIC_VERSION_MINOR) "." TEXT(AIC_VERSION_PATCH);
}

int aic_version_number(void)
{
    return AIC_VERSION;
}

typedef struct status_row {
    aic_status status;
    int exit_status;
    const char *name;
} status_row;

static const status_row status_table[] = {
#define AIC_STATUS(name, value, exit_status, meaning) {AIC_##name, exit_status, "AIC_" #name " " meaning},
#include <aic/status.def>
#undef AIC_STATUS
};

static const status_row *find_status(aic_status status)
{
    for (size_t i = 0; i < sizeof status_table / sizeof status_table[0]; i++) {
        if (status_table[i].status == status) {
            return &status_table[i];
        }
    }
    return NULL;
}

const char *aic_status_name(aic_status status)
{
    const status_row *row = find_status(status);
    return row ? row->name : "unknown status";
}

int aic_status_exit(aic_status status)
{
    const status_row *row = find_status(status);
    return row ? row->exit_status : 3;
}

typedef struct dtype_row {
    aic_dtype dtype;
    size_t size;
    const char *name;
    const char *aliases; /* separated by blanks */
} dtype_row;

static const dtype_row dtype_table[] = {
#define AIC_TYPE(name, value, text, bytes, aliases) {AIC_##name, bytes, text, aliases},
#include <aic/dtype.def>
#undef AIC_TYPE
};

#define DTYPE_ROWS (sizeof dtype_table / sizeof dtype_table[0])

static const dtype_row *find_dtype(aic_dtype dtype)
{
    for (size_t i = 0; i < DTYPE_ROWS; i++) {
        if (dtype_table[i].dtype == dtype) {
            return &dtype_table[i];
        }
    }
    return NULL;
}

const char *aic_dtype_name(aic_dtype dtype)
{
    const dtype_row *row = find_dtype(dtype);
    return row ? row->name : "none";
}

size_t aic_dtype_size(aic_dtype dtype)
{
    const dtype_row *row = find_dtype(dtype);
    return row ? row->size : 0;
}

/* Whether `word` is one of the blank-separated words of `list`. */
static bool list_has(const char *list, const char *word, size_t length)
{
    while (*list) {
        size_t span = strcspn(list, " ");
        if (span == length && span > 0 && memcmp(list, word, span) == 0) {
            return true;
        }
        list += span;
        list += strspn(list, " ");
    }
    return false;
}

aic_dtype aic_dtype_parse(const char *name)
{
    size_t length = name ? strlen(name) : 0;
    for (size_t i = 0; i < DTYPE_ROWS && length > 0; i++) {
        if (strcmp(dtype_table[i].name, name) == 0 || list_has(dtype_table[i].aliases, name, length)) {
            return dtype_table[i].dtype;
        }
    }
    return AIC_DTYPE_NONE;
}
