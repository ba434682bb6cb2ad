/* Names that functions of exported kernels cannot have. */
#ifndef AIC_RUNTIME_EXPORT_RESERVED_H
#define AIC_RUNTIME_EXPORT_RESERVED_H

/* Why no program could use a function of this name beside what every program has: "is a keyword", of C or C++; NULL: it
 * could. */
const char *aic_export_reserved(const char *name);

#endif
