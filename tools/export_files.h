/* The files of an export: an object and its header. */
#ifndef AIC_TOOLS_EXPORT_FILES_H
#define AIC_TOOLS_EXPORT_FILES_H

#include <aic/aic.h>

/* Both files or none: nothing is renamed before both are written. Returns an exit status. */
int export_files_write(const char *object_path, const char *header_path, const aic_exported *made);

#endif
