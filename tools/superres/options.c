#include "tools/superres/options.h"

#include "tools/harness/fail.h"
#include "tools/superres/plan.h"
#include "tools/superres/race.h"

#include <stdlib.h>
#include <string.h>

static const char USAGE[] =
    "usage: aicjit-superres NAME.param NAME.bin PICTURE.png DIR [--fit WIDTHxHEIGHT] [--isa LEVEL] [--threads N] "
    "[--rounds N] [--tile PIXELS] [--operators chain|separate] [--peers PYTHON SCRIPT]";

enum { POSITIONAL = 4, SIDE_MAX = 4096 };

/* A whole number of 1 .. most, which ends with `end`; *rest: what comes behind that. */
static bool read_number(const char *text, char end, int64_t most, int64_t *value, const char **rest)
{
    char *stop = NULL;
    *value = strtoll(text, &stop, 10);
    if (text[0] < '0' || text[0] > '9' || *stop != end || *value < 1 || *value > most) {
        return false;
    }
    *rest = stop + (end != '\0');
    return true;
}

static int read_fit(options *o, const char *text)
{
    int64_t width = 0, height = 0;
    const char *rest = text;
    if (!read_number(text, 'x', SIDE_MAX, &width, &rest) || !read_number(rest, '\0', SIDE_MAX, &height, &rest)) {
        return cli_fail(CLI_WRONG, "--fit \"%s\": not of the form 160x120 with sides of 1..%d", text, SIDE_MAX);
    }
    o->fit_width = (int)width, o->fit_height = (int)height;
    return CLI_DONE;
}

static int read_count(const char *name, const char *text, int64_t most, int64_t *value)
{
    const char *rest;
    return read_number(text, '\0', most, value, &rest)
               ? CLI_DONE
               : cli_fail(CLI_WRONG, "%s \"%s\" is outside 1..%lld", name, text, (long long)most);
}

static int read_style(options *o, const char *text)
{
    static const char *const STYLE[] = {[FORM_SEPARATE] = "separate", [FORM_CHAIN] = "chain"};
    for (size_t i = 0; i < sizeof STYLE / sizeof *STYLE; i++) {
        if (strcmp(text, STYLE[i]) == 0) {
            o->style = (form_style)i;
            return CLI_DONE;
        }
    }
    return cli_fail(CLI_WRONG, "--operators \"%s\" is neither chain nor separate", text);
}

/* One option and its value or values; *at: which argument. */
static int read_option(options *o, int count, char **arguments, int *at)
{
    const char *name = arguments[*at];
    const bool two = strcmp(name, "--peers") == 0;
    const int values = two ? 2 : 1;
    if (count - *at <= values) {
        return cli_fail(CLI_WRONG, "%s wants a value; %s", name, USAGE);
    }
    const char *value = arguments[*at + 1];
    int64_t number = 0;
    int status = CLI_DONE;
    *at += 1 + values;
    if (two) {
        o->python = value, o->script = arguments[*at - 1];
    } else if (strcmp(name, "--fit") == 0) {
        status = read_fit(o, value);
    } else if (strcmp(name, "--isa") == 0) {
        o->isa = value;
    } else if (strcmp(name, "--threads") == 0) {
        status = read_count(name, value, AIC_THREADS_MAX, &number);
        o->threads = (int)number;
    } else if (strcmp(name, "--rounds") == 0) {
        status = read_count(name, value, RACE_ROUNDS_MAX, &number);
        o->rounds = (int)number;
    } else if (strcmp(name, "--tile") == 0) {
        status = read_count(name, value, PLAN_PIXELS_MAX, &o->tile);
    } else if (strcmp(name, "--operators") == 0) {
        status = read_style(o, value);
    } else {
        status = cli_fail(CLI_WRONG, "unknown option %s; %s", name, USAGE);
    }
    return status;
}

int options_read(options *o, int count, char **arguments)
{
    *o = (options){.tile = PLAN_PIXELS_MAX, .style = FORM_CHAIN};
    const char **const positional[POSITIONAL] = {&o->param, &o->bin, &o->picture, &o->folder};
    int status = CLI_DONE, seen = 0;
    for (int i = 1; status == CLI_DONE && i < count;) {
        if (strncmp(arguments[i], "--", 2) == 0) {
            status = read_option(o, count, arguments, &i);
        } else if (seen < POSITIONAL) {
            *positional[seen++] = arguments[i++];
        } else {
            status = cli_fail(CLI_WRONG, "one argument too many, \"%s\"; %s", arguments[i], USAGE);
        }
    }
    return status == CLI_DONE && seen < POSITIONAL ? cli_fail(CLI_WRONG, "%s", USAGE) : status;
}
