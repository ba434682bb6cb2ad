/* Networks as objects: what the header says of one. */
#ifndef AIC_RUNTIME_NETWORK_EXPORT_H
#define AIC_RUNTIME_NETWORK_EXPORT_H

#include "runtime/export/export_levels.h"
#include "runtime/network/network.h"

typedef struct aic_net_header {
    const aic_network *net;
    const char *name;
    const aic_export_levels *to;
    int64_t workspace_bytes;
} aic_net_header;

/* Writes it, malloc'ed with a closing zero. AIC_INVALID_ARGUMENT where two tensors' macros are the same. */
aic_status aic_net_write_header(const aic_net_header *header, char **text, size_t *size);

#endif
