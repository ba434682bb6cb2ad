/* Elements of operands as users name them. */
#include "tools/laboratory/at.h"

#include "tools/harness/fail.h"
#include "tools/harness/operand_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is read: opens and explains messages. */
typedef struct request {
    const char *command, *at;
    const cli_operand *operand;
} request;

static int fail_at(const request *r, const char *why)
{
    char names[OPERAND_TEXT_MAX];
    const char *name = r->operand->operand.name;
    coordinates_names(&r->operand->coordinates, names);
    return cli_fail(CLI_WRONG, "%s: --at: \"%.100s\": %s; an element is %s%s, or %s[I] with its number", r->command,
                    r->at, why, name, names[0] == '\0' ? "[I,...]" : names, name);
}

/* The indices of "[0,3,1]"; *count: how many. */
static int read_indices(const request *r, const char *text, int64_t *index, int32_t *count)
{
    for (*count = 0; *count == 0 || *text != ']'; ++*count) {
        char *end;
        if (*text != (*count == 0 ? '[' : ',') || text[1] < '0' || text[1] > '9') {
            return fail_at(r, "an index is missing or no number");
        }
        const long long value = strtoll(text + 1, &end, 10);
        if (*count == AIC_AXES_MAX) {
            return fail_at(r, "there are too many indices");
        }
        index[*count] = value;
        text = end;
    }
    return text[1] == '\0' ? CLI_DONE : fail_at(r, "it does not end with the last index and ']'");
}

static int fail_index(const request *r, const char *axis, int32_t number, int64_t most)
{
    const bool named = axis[0] != '\0';
    return cli_fail(CLI_WRONG, "%s: --at: \"%.100s\": index %d%s%s%s is outside 0..%" PRId64, r->command, r->at,
                    (int)number, named ? ", " : "", axis, named ? "," : "", most);
}

/* The element at these indices. */
static int locate(const request *r, const int64_t *index, int64_t *element)
{
    const aic_coordinates *c = &r->operand->coordinates;
    for (int32_t d = 0; d < c->rank; d++) {
        if (index[d] >= c->axis[d].size) {
            return fail_index(r, c->axis[d].name, d, c->axis[d].size - 1);
        }
    }
    *element = aic_coordinates_element(c, index); /* of the last block's columns there may be fewer */
    return *element >= 0 ? CLI_DONE : fail_index(r, c->axis[c->rank - 1].name, c->rank - 1, c->tail - 1);
}

int at_element(const char *command, const char *at, const cli_operand *operand, int64_t *element)
{
    const request r = {command, at, operand};
    const int32_t rank = operand->coordinates.rank;
    const size_t length = strlen(operand->operand.name);
    int64_t index[AIC_AXES_MAX];
    int32_t count = 0;
    if (strncmp(at, operand->operand.name, length) != 0 || at[length] != '[') {
        return fail_at(&r, "it is no element of the output");
    }
    const int status = read_indices(&r, at + length, index, &count);
    if (status != CLI_DONE) {
        return status;
    }
    if (count == rank) {
        return locate(&r, index, element);
    }
    if (count != 1) {
        return fail_at(&r, count < rank ? "it has too few indices" : "it has too many indices");
    }
    *element = index[0];
    return *element < operand->operand.elements ? CLI_DONE : fail_index(&r, "", 0, operand->operand.elements - 1);
}
