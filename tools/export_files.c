/* The files of an export. */
#include "tools/export_files.h"

#include "tools/harness/fail.h"
#include "tools/harness/outfile.h"

int export_files_write(const char *object_path, const char *header_path, const aic_exported *made)
{
    outfile object = {.fd = -1}, header = {.fd = -1};
    int status = outfile_open(&object, "-o", object_path);
    status = status == CLI_DONE ? outfile_open(&header, "--header", header_path) : status;
    if (status == CLI_DONE && outfile_same(&object, &header)) {
        status = cli_fail(CLI_WRONG, "export: -o and --header name the same file");
    }
    status = status == CLI_DONE ? outfile_write(&object, "-o", made->object, made->object_size) : status;
    status = status == CLI_DONE ? outfile_write(&header, "--header", made->header, made->header_size) : status;
    status = status == CLI_DONE ? outfile_commit(&object, "-o") : status;
    status = status == CLI_DONE ? outfile_commit(&header, "--header") : status;
    outfile_close(&object);
    outfile_close(&header);
    return status;
}
