# Writes OUTPUT, a C file with the name of the build: the version and a hash of all sources that decide what a kernel's code
# is. Run as cmake -DOUTPUT=... -DROOT=... -DVERSION=... -DLLVM=... -DSOURCES=LISTFILE -P AicBuildNameWrite.cmake. The list has
# a source a line, relative to ROOT, in a fixed order: the hash is the same wherever the sources lie.

file(STRINGS "${SOURCES}" sources)
set(all "${VERSION} ${LLVM}")
foreach(source IN LISTS sources)
    file(SHA256 "${ROOT}/${source}" hash)
    string(APPEND all "\n${source} ${hash}")
endforeach()
string(SHA256 all "${all}")
string(SUBSTRING "${all}" 0 16 all)

file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
/* Made by cmake/AicBuildNameWrite.cmake. */
#include "codegen/build_name.h"

const char aic_build_name[] = "@VERSION@-@all@";
const char aic_build_llvm[] = "@LLVM@";
]])
