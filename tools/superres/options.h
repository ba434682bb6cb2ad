/* The arguments of aicjit-superres. */
#ifndef AIC_SUPERRES_OPTIONS_H
#define AIC_SUPERRES_OPTIONS_H

#include "tools/superres/forms.h"

#include <stdint.h>

typedef struct options {
    const char *param, *bin, *picture, *folder;
    int fit_width, fit_height; /* 0: the picture as it is */
    const char *isa;           /* NULL: the host's best */
    int threads;               /* 0: all */
    int rounds;                /* 0: fewer for larger pictures */
    int64_t tile;              /* pixels of a tile at most */
    form_style style;
    const char *python, *script; /* the peers; NULL: none */
} options;

/* An exit status with a message. */
int options_read(options *o, int count, char **arguments);

#endif
